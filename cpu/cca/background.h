/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pixels that are in no component. Internal. */
#ifndef CTR_CPU_CCA_BACKGROUND_H
#define CTR_CPU_CCA_BACKGROUND_H

#include "cpu/cca/band.h"

/* Adds the pixels of row Y that are in none of the runs of ROW. While rows are added, left is at least the first column, and
 * width and height are the right and the bottom end, exclusive. */
void ctr_cca_add_background (CtrComponent *background, const CtrCcaRow *row, uint32_t width, uint32_t y);

/* Adds FROM, of rows further down. */
void ctr_cca_join_background (CtrComponent *background, const CtrComponent *from);

/* After the last row: the background as it is published. */
CtrComponent ctr_cca_finish_background (const CtrComponent *background, const CtrCcaParams *params);

#endif
