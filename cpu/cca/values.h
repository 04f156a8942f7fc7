/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs of equal samples, for CTR_COMPONENTS_EQUAL. Internal. */
#ifndef CTR_CPU_CCA_VALUES_H
#define CTR_CPU_CCA_VALUES_H

#include "cpu/cca/band.h"

/* Finds the runs of a row of SAMPLES, of 16 bits if WIDE, but for those of the BACKGROUND. */
void ctr_cca_find_values (const void *samples, bool wide, uint32_t width, int32_t background, CtrCcaRow *row);

/* Labels the runs of ROW, which is row Y, from those of the row ABOVE, and adds them to the sums of their labels. There
 * is room for a label a run. REACH: 1 if corners touch, else 0. */
void ctr_cca_label_values (
    CtrCcaBand *band, CtrCcaRow *row, const CtrCcaRow *above, uint32_t y, uint32_t reach, uint32_t features);

#endif
