/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers that the tests of components share. */
#ifndef CTR_TESTS_CCA_TESTING_H
#define CTR_TESTS_CCA_TESTING_H

#include "tests/core/common/testing.h"

/* A new analyser; a failure ends the test. */
CtrCca *analyser_new (const Setup *setup);

/* Analyses IMAGE; a failure ends the test. */
CtrComponents *analyse (CtrCca *cca, const Setup *setup, const CtrImage *image, const CtrCcaParams *params);

/* Are all fields and every array ACTUAL has been asked for equal, byte for byte? Arrays EXPECTED has beyond ACTUAL's
 * features do not count. */
void check_components_equal (const CtrComponents *expected, const CtrComponents *actual);

/* Analyses a host IMAGE and compares with the reference. */
void check_cca (CtrCca *cca, const Setup *setup, const CtrImage *image, const CtrCcaParams *params);

/* The default parameters with these. */
CtrCcaParams params_of (CtrConnectivity connectivity, uint32_t threshold, bool invert, uint32_t features);

#define ALL_FEATURES (CTR_FEATURE_MOMENTS | CTR_FEATURE_GREY | CTR_FEATURE_LABELS)

/* for (CtrConnectivity c = 4; c <= 8; c += 4) over both connectivities. */
#define FOR_BOTH_CONNECTIVITIES(c) for (CtrConnectivity c = CTR_CONNECTIVITY_4; c <= CTR_CONNECTIVITY_8; c += 4)

#endif
