/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits on the numbers of contours on the host. Internal. */
#ifndef CTR_CPU_CONTOURS_CONTOUR_SELECT_H
#define CTR_CPU_CONTOURS_CONTOUR_SELECT_H

#include "core/results/contourlist.h"
#include "core/results/select.h"

/* Drops the contours of a complete result that is not handed out yet and whose rows are in pre-order, or have no parents. False if
 * there is no memory or the work is cancelled; then the result is of no use. */
bool ctr_contours_select (CtrContours *contours, const CtrSelectPlan *plan);

#endif
