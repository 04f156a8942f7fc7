/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contours in host memory, made by a reference or taken from a result. */
#ifndef CTR_TESTS_RESULTS_CONTOURS_H
#define CTR_TESTS_RESULTS_CONTOURS_H

#include <contours/contours.h>

/* Contours and their arrays; sums, nesting, shapes and fits NULL without them. */
typedef struct {
  CtrContours info;
  const CtrContour *table;
  const CtrPoint *points;
  const CtrContourSums *sums;
  const CtrContourNesting *nesting;
  const CtrContourShape *shapes;
  const CtrContourFits *fits;
} Contours;

/* The arrays of a result, valid as long as the result is; a failure ends the test. */
Contours contours_of (CtrContours *contours);

/* Frees what a reference has made. */
void reference_contours_free (Contours *contours);

/* Is Q outside the circle whose diameter is from P[0] to P[1], if P[2] is P[1], or else through these points? */
bool reference_is_outside (const CtrPoint p[3], CtrPoint q);

/* Ends the test where any byte differs, but for the points that a circle goes through: it has to be the same one. */
void check_contours_equal (const Contours *expected, const Contours *actual);

#endif
