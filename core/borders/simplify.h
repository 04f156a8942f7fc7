/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CTR_CORE_BORDERS_SIMPLIFY_H
#define CTR_CORE_BORDERS_SIMPLIFY_H

#include <contours/contourlist.h>

/* A copy of SOURCE with contours simplified as by cv::approxPolyDP(). NULL if there is no memory or the work is
 * cancelled. */
CtrContours *ctr_borders_simplify (CtrContours *source, double epsilon, CtrError *error);

#endif
