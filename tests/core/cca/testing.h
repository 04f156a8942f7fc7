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

/* An image whose samples are VALUES, width * height: without a remainder if they fit the format, else with their low
 * bytes. */
Picture picture_of_values (Random *random, const uint16_t *values, uint32_t width, uint32_t height, Layout layout);

/* Squares of GRAIN pixels, each with one of COUNT values, among which 0 is frequent. */
Picture values_new (Random *random, uint32_t width, uint32_t height, Layout layout, uint32_t count, uint32_t grain);

#define ALL_FEATURES                                                                                              \
  (CTR_FEATURE_MOMENTS | CTR_FEATURE_GREY | CTR_FEATURE_LABELS | CTR_FEATURE_BACKGROUND | CTR_FEATURE_PERCENTILES \
      | CTR_FEATURE_INSCRIBED | CTR_FEATURE_CONTRAST | CTR_FEATURE_SKELETON)

/* for (CtrConnectivity c = 4; c <= 8; c += 4) over both connectivities. */
#define FOR_BOTH_CONNECTIVITIES(c) for (CtrConnectivity c = CTR_CONNECTIVITY_4; c <= CTR_CONNECTIVITY_8; c += 4)

#endif
