/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The results of the CPU backend are the same for each number of threads: on shapes that cross all seams between bands, on
 * noise, and in sizes around words and bands. This program is built so that bands may be single rows. */
#include "tests/core/common/hashed.h"

#include <stdio.h>
#include <stdlib.h>

static const unsigned thread_counts[] = {2, 3, 7, 16};
static const uint32_t sizes[][2] = {
    {1, 1}, {1, 40}, {40, 1}, {2, 3}, {63, 5}, {64, 16}, {65, 17}, {129, 33}, {200, 97}};

static uint64_t
hash_of (const HashedCase *c, void *analyser, const CtrImage *image, unsigned threads)
{
  CtrError error;
  uint64_t hash = HASH_SEED;
  ctr_threads_set_current (threads);
  if (!c->run (analyser, image, &hash, &error))
    fail (__FILE__, __LINE__, error.message);
  return hash;
}

/* Samples of 0 and 200, with a little noise so that gradients differ. Takes MASK. */
static void
compare (void *const *analysers, const char *name, uint8_t *mask, uint32_t width, uint32_t height)
{
  const CtrImage image = {.data = mask, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
  Random random = {width + height};
  for (uint32_t i = 0; i < width * height; i++)
    mask[i] = (uint8_t) ((mask[i] ? 200 : 0) + random_below (&random, 20));
  for (size_t c = 0; c < hashed_case_count; c++) {
    if (!hashed_cases[c].threaded)
      continue;
    const uint64_t expected = hash_of (&hashed_cases[c], analysers[c], &image, 1);
    for (size_t t = 0; t < LENGTH (thread_counts); t++) {
      describe ("%s of %s, %u x %u, %u threads", hashed_cases[c].name, name, width, height, thread_counts[t]);
      CHECK (hash_of (&hashed_cases[c], analysers[c], &image, thread_counts[t]) == expected);
    }
  }
  free (mask);
}

int
main (void)
{
  const Setup setup = setup_open ("cpu", false);
  Random random = {5};
  void *analysers[16];
  hashed_open (&setup);
  CHECK (hashed_case_count <= LENGTH (analysers));
  for (size_t c = 0; c < hashed_case_count; c++)
    CHECK (analysers[c] = hashed_cases[c].create ());
  for (size_t i = 0; i < LENGTH (sizes); i++) {
    const uint32_t width = sizes[i][0], height = sizes[i][1];
    for (Shape shape = 0; shape < SHAPE_COUNT; shape++)
      if (!setup.quick || shape % 4 == i % 4)
        compare (analysers, shape_names[shape], shape_new (shape, width, height), width, height);
    for (uint32_t density = 10; density < 100; density += setup.quick ? 40 : 20)
      compare (analysers, "noise", noise_new (&random, width, height, density, 1 + density % 3), width, height);
  }
  for (size_t c = 0; c < hashed_case_count; c++)
    hashed_cases[c].destroy (analysers[c]);
  return 0;
}
