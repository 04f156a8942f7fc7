/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Largest inscribed circles of components on the host. Internal. */
#ifndef CTR_CPU_CCA_INSCRIBED_H
#define CTR_CPU_CCA_INSCRIBED_H

#include "cpu/common/host_buffer.h"

#include <contours/components.h>

/* Working memory, zeroed before first use. */
typedef struct {
  CtrHostBuffer columns;   /* uint16_t; by pixel: its distance within the column */
  CtrHostBuffer keys;      /* uint64_t; by row of the table: the greatest key so far */
  CtrHostBuffer parabolas; /* CtrParabola; width + 2 a band */
} CtrCcaInscribedWork;

void ctr_cca_inscribed_release (CtrCcaInscribedWork *work);

/* Gives back memory at the end of a period: see ctr_host_buffer_give_back(). */
bool ctr_cca_inscribed_give_back (CtrCcaInscribedWork *work);

/* Fills in the circles of RESULT, whose table is complete, by its label image LABELS. A thread works on each of so many BANDS of rows.
 * False and ERROR if there is no memory or the work is cancelled. */
bool ctr_cca_find_inscribed (
    CtrCcaInscribedWork *work, CtrComponents *result, const uint32_t *labels, uint32_t bands, CtrError *error);

#endif
