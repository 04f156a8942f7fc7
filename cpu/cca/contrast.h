/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rings around components on the host. Internal. */
#ifndef CTR_CPU_CCA_CONTRAST_H
#define CTR_CPU_CCA_CONTRAST_H

#include "cpu/cca/sample_rows.h"
#include "cpu/common/host_buffer.h"
#include "cpu/foreground/regions.h"

/* Working memory, zeroed before first use. */
typedef struct {
  CtrHostBuffer columns; /* width a band: the nearest component in each column */
} CtrCcaContrastWork;

void ctr_cca_contrast_release (CtrCcaContrastWork *work);

/* Gives back memory at the end of a period: see ctr_host_buffer_give_back(). */
bool ctr_cca_contrast_give_back (CtrCcaContrastWork *work);

/* Fills in the rings, RING pixels wide. LABELS: the label image. ATLAS: with regions, otherwise NULL. False and ERROR if there is no
 * memory or the work is cancelled. */
bool ctr_cca_find_contrast (CtrCcaContrastWork *work, const CtrCcaSampleRows *rows, const uint32_t *labels,
    const CtrAtlas *atlas, uint32_t ring, CtrError *error);

#endif
