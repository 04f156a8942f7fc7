/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contours in host memory, made by a reference or taken from a result. */
#ifndef CTR_TESTS_RESULTS_CONTOURS_H
#define CTR_TESTS_RESULTS_CONTOURS_H

#include <contours/contours.h>

/* Contours and their arrays; sums and nesting NULL without them. */
typedef struct {
  CtrContours info;
  const CtrContour *table;
  const CtrPoint *points;
  const CtrContourSums *sums;
  const CtrContourNesting *nesting;
} Contours;

/* The arrays of a result, valid as long as the result is; a failure ends the test. */
Contours contours_of (CtrContours *contours);

/* Frees what a reference has made. */
void reference_contours_free (Contours *contours);

/* Ends the test where any byte differs. */
void check_contours_equal (const Contours *expected, const Contours *actual);

#endif
