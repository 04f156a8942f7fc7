/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Border following by its definition, as slow as it is plain, and what the tests of it share. */
#ifndef CTR_TESTS_BORDERS_REFERENCE_H
#define CTR_TESTS_BORDERS_REFERENCE_H

#include "tests/core/common/testing.h"

/* Contours and their arrays; sums NULL without them. */
typedef struct {
  CtrContours info;
  const CtrContour *table;
  const CtrPoint *points;
  const CtrContourSums *sums;
} Contours;

/* The borders of a host IMAGE. Free with reference_borders_free(). */
Contours reference_borders (const CtrImage *image, const CtrBordersParams *params);
void reference_borders_free (Contours *contours);

/* Area, length, box (in pixels) and sums of a contour of row->count points. */
void reference_measure (const CtrPoint *points, CtrContour *row, CtrContourSums *sums);

/* What a result holds; a failure ends the test. Valid as long as the reference. */
Contours contours_of (CtrContours *contours);

/* The default parameters with these. */
CtrBordersParams borders_params_of (CtrRetrieval mode, CtrApproximation approximation, uint32_t threshold, bool invert);

/* Anything that is allowed but the threshold; limits more often than not. */
CtrBordersParams random_borders_params (Random *random, uint32_t threshold, bool invert);

/* Describes what is tested: an image with parameters. */
void describe_borders (const char *name, const CtrImage *image, const CtrBordersParams *params);

/* A new border follower; a failure ends the test. */
CtrBorders *follower_new (const Setup *setup);

/* The contours of IMAGE; a failure ends the test. Transfer full. */
CtrContours *follow_borders (
    CtrBorders *borders, const Setup *setup, const CtrImage *image, const CtrBordersParams *params);

/* Ends the test where any byte differs. */
void check_contours_equal (const Contours *expected, const Contours *actual);

/* Follows the borders of a host IMAGE and compares with the reference. */
void check_borders (CtrBorders *borders, const Setup *setup, const CtrImage *image, const CtrBordersParams *params);

#endif
