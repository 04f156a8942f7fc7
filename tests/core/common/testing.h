/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the core's test programs share. The first argument names the backend, "cpu" or "cuda"; a program exits 77 (skip)
 * for "cuda" where there is none. CTR_TEST_QUICK=1 in the environment leaves a small representative part of each
 * test, for runs under slow checkers. */
#ifndef CTR_TESTS_TESTING_H
#define CTR_TESTS_TESTING_H

#include "tests/core/common/shapes.h"

#include <contours/contours.h>

typedef struct {
  CtrBackend backend;
  void *stream; /* NULL on the CPU backend */
  bool quick;
} Setup;

/* Opens the backend named NAME (NULL: ends the test with a usage message); on CUDA a context is current afterwards. */
Setup setup_open (const char *name, bool own_context);

/* Ends the test with exit status 77. */
_Noreturn void skip (const char *reason);

/* What is being tested from here on; printed when a check fails. */
void describe (const char *format, ...) __attribute__ ((format (printf, 1, 2)));

/* Ends the test with the description and MESSAGE. */
_Noreturn void fail (const char *file, int line, const char *message);

#define CHECK(condition)                     \
  do {                                       \
    if (!(condition))                        \
      fail (__FILE__, __LINE__, #condition); \
  } while (0)

/* A new analyser; a failure ends the test. */
CtrCca *analyser_new (const Setup *setup);

/* Analyses IMAGE; a failure ends the test. */
CtrComponents *analyse (CtrCca *cca, const Setup *setup, const CtrImage *image, const CtrCcaParams *params);

/* Are all fields and every array ACTUAL has been asked for equal, byte for byte? Arrays EXPECTED has beyond ACTUAL's
 * features do not count. */
void check_equal (const CtrComponents *expected, const CtrComponents *actual);

/* Analyses a host IMAGE and compares with the reference. */
void check_image (CtrCca *cca, const Setup *setup, const CtrImage *image, const CtrCcaParams *params);

/* The default parameters with these. */
CtrCcaParams params_of (CtrConnectivity connectivity, uint32_t threshold, bool invert, uint32_t features);

#define ALL_FEATURES (CTR_FEATURE_MOMENTS | CTR_FEATURE_GREY | CTR_FEATURE_LABELS)

/* for (CtrConnectivity c = 4; c <= 8; c += 4) over both connectivities. */
#define FOR_BOTH_CONNECTIVITIES(c) for (CtrConnectivity c = CTR_CONNECTIVITY_4; c <= CTR_CONNECTIVITY_8; c += 4)

#define LENGTH(array) (sizeof (array) / sizeof *(array))

#endif
