/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Skeletons of components on the host. Internal. */
#ifndef CTR_CPU_CCA_SKELETON_H
#define CTR_CPU_CCA_SKELETON_H

#include "cpu/cca/thinning.h"

/* Working memory, zeroed before first use. */
typedef struct {
  CtrThinningWork thinning;
  CtrHostBuffer columns; /* uint16_t; by pixel: its distance within the column */
  CtrHostBuffer sums;    /* by row of the table */
} CtrCcaSkeletonWork;

void ctr_cca_skeleton_release (CtrCcaSkeletonWork *work);

/* Gives back memory at the end of a period: see ctr_host_buffer_give_back(). */
bool ctr_cca_skeleton_give_back (CtrCcaSkeletonWork *work);

/* Fills in the skeletons of RESULT, whose table is complete, by its label image LABELS. A thread works on each of so many BANDS of
 * rows. False and ERROR if there is no memory or the work is cancelled. */
bool ctr_cca_find_skeletons (
    CtrCcaSkeletonWork *work, CtrComponents *result, const uint32_t *labels, uint32_t bands, CtrError *error);

#endif
