/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers that all tests of the core share. A test takes the backend, "cpu" or "cuda", as an argument, and exits 77
 * (skip) for "cuda" without a GPU. CTR_TEST_QUICK=1 in the environment reduces each test to a small representative
 * part, for runs under slow checkers. */
#ifndef CTR_TESTS_TESTING_H
#define CTR_TESTS_TESTING_H

#include "tests/core/common/shapes.h"

#include <contours/contours.h>

CTR_BEGIN_DECLS

typedef struct {
  CtrBackend backend;
  void *stream; /* NULL on the CPU backend */
  bool quick;
} Setup;

/* Opens the backend named NAME (NULL: ends the test with a usage message); on CUDA a context is current afterwards. */
Setup setup_open (const char *name, bool own_context);

/* Ends the test with exit status 77. */
void skip (const char *reason) __attribute__ ((noreturn));

/* What this thread tests from here on; printed when a check fails. */
void describe (const char *format, ...) __attribute__ ((format (printf, 1, 2)));

/* The command that repeats what is being tested from here on; printed when a check fails or the process aborts. */
void repeat_with (const char *format, ...) __attribute__ ((format (printf, 1, 2)));

/* Ends the test with the description, the command that repeats it, and MESSAGE. */
void fail (const char *file, int line, const char *message) __attribute__ ((noreturn));

#define CHECK(condition)                     \
  do {                                       \
    if (!(condition))                        \
      fail (__FILE__, __LINE__, #condition); \
  } while (0)

typedef struct {
  const char *name;
  void (*run) (void);
} Test;

/* Runs TESTS[count] and prints the time that each takes. */
void run_tests (const Test *tests, size_t count);

CTR_END_DECLS

#define LENGTH(array) (sizeof (array) / sizeof *(array))

#endif
