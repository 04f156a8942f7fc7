/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All algorithms, with results as numbers that tell them apart: FNV's hash. */
#ifndef CTR_TESTS_HASHED_H
#define CTR_TESTS_HASHED_H

#include "tests/core/common/testing.h"

typedef struct {
  const char *name;
  void *(*create) (void);
  /* False and error where that fails. HASH may be NULL: then the result is only made, in host memory. */
  bool (*run) (void *analyser, const CtrImage *image, uint64_t *hash, CtrError *error);
  void (*destroy) (void *analyser);
  bool threaded; /* the CPU backend shares the work among threads */
} HashedCase;

extern const HashedCase hashed_cases[];
extern const size_t hashed_case_count;

/* The backend and the stream of the cases. */
void hashed_open (const Setup *setup);

enum { HASH_SEED = 0x811c9dc5 };
void hash_bytes (uint64_t *hash, const void *bytes, size_t size);

#endif
