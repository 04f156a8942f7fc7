/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers that the tests of contours of levels share. */
#ifndef CTR_TESTS_CRACKS_TESTING_H
#define CTR_TESTS_CRACKS_TESTING_H

#include "tests/core/common/testing.h"
#include "tests/core/results/contours.h"

/* The default parameters with these. */
CtrCracksParams cracks_params_of (CtrLevelMode mode, CtrConnectivity connectivity, CtrImageBorder frame);

/* Anything that is allowed but the levels: those are the default ones. */
CtrCracksParams random_cracks_params (Random *random);

/* Describes what is tested: an image with parameters. */
void describe_cracks (const char *name, const CtrImage *image, const CtrCracksParams *params);

/* A new tracer; a failure ends the test. */
CtrCracks *tracer_new (const Setup *setup);

/* The contours of IMAGE; a failure ends the test. Transfer full. */
CtrContours *trace_cracks (CtrCracks *cracks, const Setup *setup, const CtrImage *image, const CtrCracksParams *params);

/* Traces a host IMAGE and compares with the reference. */
void check_cracks (CtrCracks *cracks, const Setup *setup, const CtrImage *image, const CtrCracksParams *params);

#endif
