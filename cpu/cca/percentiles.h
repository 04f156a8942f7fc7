/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Percentiles of the samples of components on the host. Internal. */
#ifndef CTR_CPU_CCA_PERCENTILES_H
#define CTR_CPU_CCA_PERCENTILES_H

#include "cpu/cca/sample_rows.h"
#include "cpu/common/host_buffer.h"

/* Working memory, zeroed before first use. */
typedef struct {
  CtrHostBuffer ends;    /* uint32_t; by row of the table: the end of its samples so far */
  CtrHostBuffer samples; /* uint16_t; those of a component lie side by side */
} CtrCcaPercentiles;

void ctr_cca_percentiles_release (CtrCcaPercentiles *work);

/* Gives back memory at the end of a period: see ctr_host_buffer_give_back(). */
bool ctr_cca_percentiles_give_back (CtrCcaPercentiles *work);

/* Fills in the percentiles. LABELS: the label image; not read if all samples of a component are equal. False and ERROR if there is
 * no memory or the work is cancelled. */
bool ctr_cca_find_percentiles (
    CtrCcaPercentiles *work, const CtrCcaSampleRows *job, const uint32_t *labels, CtrError *error);

#endif
