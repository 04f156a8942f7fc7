/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Distances within the columns of a label image: what inscribed circles and skeletons begin with. Internal. */
#ifndef CTR_CPU_CCA_COLUMNS_H
#define CTR_CPU_CCA_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

/* Sets TO, by pixel, to the distance within the column to the nearest pixel with another label than LABELS has here, or to the nearest row
 * outside of the image. False if the work is cancelled. */
bool ctr_cca_measure_columns (const uint32_t *labels, uint32_t width, uint32_t height, uint16_t *to);

#endif
