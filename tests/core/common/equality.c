/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/common/equality.h"

#include "tests/core/common/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const Equality *const algorithms[EQUALITY_ALGORITHMS] = {&background_equality, &borders_equality,
    &canny_equality, &cca_equality, &cracks_equality, &edge_chains_equality, &mask_equality, &paint_equality,
    &snake_equality};

const uint32_t equality_sides[] = {1, 2, 3, 5, 31, 32, 33, 63, 64, 65, 127, 129, 200, 257, 333};
const uint32_t equality_side_count = LENGTH (equality_sides);

uint32_t
equality_select (const char *name, const Equality **list)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < EQUALITY_ALGORITHMS; i++)
    if (!name || strcmp (name, algorithms[i]->name) == 0)
      list[count++] = algorithms[i];
  if (count == 0) {
    fprintf (
        stderr, "unknown algorithm %s: choose borders, canny, cca, cracks, edge-chains, mask, paint or snake\n", name);
    exit (2);
  }
  return count;
}

CtrImage
equality_image (const Picture *picture, bool on_device, void **memory)
{
  CtrImage image = picture->view;
  *memory = NULL;
  if (on_device) {
    *memory = gpu_alloc (picture->bytes);
    gpu_upload (*memory, picture->memory, picture->bytes);
    image.data = (uint8_t *) *memory + ((const uint8_t *) picture->view.data - (const uint8_t *) picture->memory);
    image.memory = CTR_MEMORY_DEVICE;
  }
  return image;
}

CtrImage
equality_bench_image (const Setup *setup, const Picture *picture, void **memory)
{
  return equality_image (picture, setup->backend == CTR_BACKEND_CUDA, memory);
}

static double
microseconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (double) now.tv_sec * 1e6 + (double) now.tv_nsec * 1e-3;
}

static int
compare_times (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

void
equality_time (const Setup *setup, const char *what, void (*run) (void *user), void *user)
{
  enum { MOST_RUNS = 101, LEAST_RUNS = 3 };
  const double limit = 500000;
  double times[MOST_RUNS], total = 0;
  size_t runs = 0;
  run (user);
  while (runs < MOST_RUNS && (runs < LEAST_RUNS || total < limit)) {
    const double start = microseconds ();
    run (user);
    times[runs] = microseconds () - start;
    total += times[runs++];
  }
  qsort (times, runs, sizeof *times, compare_times);
  printf ("%-36s %-4s  min %10.1f us  median %10.1f us  %3zu runs\n", what,
      setup->backend == CTR_BACKEND_CUDA ? "cuda" : "cpu", times[0], times[runs / 2], runs);
  fflush (stdout);
}

uint32_t
pick (Random *random, const uint32_t *values, size_t count)
{
  return values[random_below (random, (uint32_t) count)];
}

uint8_t *
random_mask_new (Random *random, uint32_t width, uint32_t height)
{
  static const uint32_t grains[] = {1, 1, 1, 2, 3, 5, 9, 17};
  if (random_below (random, 7) == 0)
    return shape_new ((Shape) random_below (random, SHAPE_COUNT), width, height);
  const uint32_t density = random_below (random, 101);
  return noise_new (random, width, height, density, pick (random, grains, LENGTH (grains)));
}
