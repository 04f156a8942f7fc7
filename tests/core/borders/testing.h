/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers that the tests of borders share. */
#ifndef CTR_TESTS_BORDERS_TESTING_H
#define CTR_TESTS_BORDERS_TESTING_H

#include "tests/core/common/testing.h"
#include "tests/core/results/contours.h"

/* The default parameters with these. */
CtrBordersParams borders_params_of (CtrRetrieval mode, CtrApproximation approximation, uint32_t threshold, bool invert);

/* Sets the mode, and drops the feature that it does not allow. */
void borders_params_set_mode (CtrBordersParams *params, CtrRetrieval mode);

/* Anything that is allowed but the threshold; limits more often than not. */
CtrBordersParams random_borders_params (Random *random, uint32_t threshold, bool invert);

/* Describes what is tested: an image with parameters. */
void describe_borders (const char *name, const CtrImage *image, const CtrBordersParams *params);

/* A new border follower; a failure ends the test. */
CtrBorders *follower_new (const Setup *setup);

/* The contours of IMAGE; a failure ends the test. Transfer full. */
CtrContours *follow_borders (
    CtrBorders *borders, const Setup *setup, const CtrImage *image, const CtrBordersParams *params);

/* Follows the borders of a host IMAGE and compares with the reference. */
void check_borders (CtrBorders *borders, const Setup *setup, const CtrImage *image, const CtrBordersParams *params);

#endif
