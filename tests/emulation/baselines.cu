/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares the baselines of the component benchmark with the CPU backend, row by row, and their counts of updates with what
 * they must be. CTR_TEST_QUICK=1: on fewer pictures. */
#include "tests/bench/cca/flsl.h"
#include "tests/bench/cca/pixels.h"

extern "C" {
#include "tests/core/common/gpu.h"
}
#include "tests/core/common/testing.h"

#include <contours/contours.h>

#include <stdlib.h>
#include <string.h>

namespace
{

enum { MAX_SIDE = 200, BASELINES = 7 };
const char *const names[BASELINES] = {"naive", "HA", "HA+OTF", "HA+CD", "FLSL", "FLSL+OTF", "FLSL+CD"};

Setup setup;
cudaStream_t stream;
Flsl *flsl;
Pixels *pixels;
CtrCca *reference;
uint32_t *updates;
unsigned long long *sums;

bool
is_flsl (int baseline)
{
  return baseline >= 4;
}

void
enqueue (int baseline, const uint8_t *image, uint32_t width, uint32_t height, CtrConnectivity connectivity)
{
  const Voting voting = baseline == 0 ? VOTING_PLAIN : (Voting) ((baseline - 1) % 3);
  CHECK ((is_flsl (baseline) ? flsl_enqueue (flsl, image, width, width, height, connectivity, voting, updates, stream)
                             : pixels_enqueue (pixels, baseline == 0 ? PIXELS_NAIVE : PIXELS_HA, voting, image, width,
                                 width, height, updates, stream))
         == cudaSuccess);
}

/* The runs of MASK, those that cross multiples of CUT counted in each part. */
uint64_t
count_runs (const uint8_t *mask, uint32_t width, uint32_t height, uint32_t cut)
{
  uint64_t runs = 0;
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++)
      runs += mask[y * width + x] && (x % cut == 0 || !mask[y * width + x - 1]);
  return runs;
}

uint64_t
count_pixels (const uint8_t *mask, size_t size)
{
  uint64_t count = 0;
  for (size_t i = 0; i < size; i++)
    count += mask[i] != 0;
  return count;
}

void
check_updates (int baseline, const uint8_t *mask, uint32_t width, uint32_t height)
{
  const uint64_t runs = count_runs (mask, width, height, is_flsl (baseline) ? MAX_SIDE : 64);
  const size_t labels = is_flsl (baseline) ? (size_t) (width + 1) / 2 * height : (size_t) width * height;
  unsigned long long total;
  double conflicts;
  CHECK (voting_sum_updates (updates, labels, sums, stream, &total, &conflicts) == cudaSuccess);
  CHECK (conflicts <= (double) total);
  if (baseline == 0)
    CHECK (total == count_pixels (mask, (size_t) width * height));
  else if (baseline % 3 == 1)
    CHECK (total == runs);
  else if (baseline % 3 == 2)
    CHECK (total >= runs);
  else
    CHECK (total <= runs);
}

void
check_rows (const CtrComponents *expected, int baseline)
{
  CtrComponent *rows = NULL;
  uint32_t count = 0, counted = 0;
  if (is_flsl (baseline))
    CHECK (flsl_count (flsl, stream, &counted) == cudaSuccess
           && flsl_download (flsl, stream, &rows, &count) == cudaSuccess);
  else
    CHECK (pixels_count (pixels, stream, &counted) == cudaSuccess
           && pixels_download (pixels, stream, &rows, &count) == cudaSuccess);
  CHECK (counted == count && count == expected->count);
  CHECK (memcmp (rows, expected->table, count * sizeof *rows) == 0);
  free (rows);
}

/* MASK: 0 and 1. */
void
check_mask (const char *what, uint8_t *mask, uint32_t width, uint32_t height)
{
  const size_t size = (size_t) width * height;
  uint8_t *samples = (uint8_t *) malloc (size);
  for (size_t i = 0; i < size; i++)
    samples[i] = mask[i] ? 200 : 100;
  uint8_t *image = (uint8_t *) gpu_alloc (size);
  gpu_upload (image, samples, size);
  const CtrImage view = {samples, width, width, height, CTR_FORMAT_GRAY8, CTR_MEMORY_HOST};
  for (int connectivity = 4; connectivity <= 8; connectivity += 4) {
    CtrCcaParams params;
    CtrError error;
    ctr_cca_params_init (&params);
    params.connectivity = (CtrConnectivity) connectivity;
    CtrComponents *expected = ctr_cca_run (reference, &view, &params, NULL, &error);
    CHECK (expected);
    for (int baseline = connectivity == 4 ? 0 : 4; baseline < BASELINES; baseline++) {
      describe ("%s, %s, %u x %u, %d-connected", names[baseline], what, width, height, connectivity);
      cudaMemsetAsync (updates, 0, (size_t) MAX_SIDE * MAX_SIDE * sizeof *updates, stream);
      enqueue (baseline, image, width, height, params.connectivity);
      check_rows (expected, baseline);
      check_updates (baseline, mask, width, height);
    }
    ctr_components_unref (expected);
  }
  gpu_free (image);
  free (samples);
  free (mask);
}

} // namespace

int
main (int argc, char **argv)
{
  static const uint32_t sides[][2] = {{1, 1}, {2, 3}, {63, 5}, {64, 7}, {65, 9}, {127, 4}, {129, 33}, {200, 60}};
  static const uint32_t densities[] = {15, 50, 62, 90};
  Random rng = {7};
  CtrError error;
  setup = setup_open ("cuda", false);
  stream = (cudaStream_t) setup.stream;
  reference = ctr_cca_new (CTR_BACKEND_CPU, &error);
  flsl = flsl_new (MAX_SIDE, MAX_SIDE);
  pixels = pixels_new (MAX_SIDE, MAX_SIDE);
  updates = (uint32_t *) gpu_alloc ((size_t) MAX_SIDE * MAX_SIDE * sizeof *updates);
  sums = (unsigned long long *) gpu_alloc (2 * sizeof *sums);
  CHECK (reference && flsl && pixels && updates && sums);
  for (size_t i = 0; i < LENGTH (sides); i++) {
    for (size_t d = 0; d < LENGTH (densities); d++)
      if (!setup.quick || (i + d) % 2 == 0)
        check_mask (
            "noise", noise_new (&rng, sides[i][0], sides[i][1], densities[d], 1 + i % 3), sides[i][0], sides[i][1]);
  }
  for (int shape = 0; shape < SHAPE_COUNT; shape += setup.quick ? 3 : 1)
    check_mask (shape_names[shape], shape_new ((Shape) shape, 131, 40), 131, 40);
  flsl_free (flsl);
  pixels_free (pixels);
  ctr_cca_free (reference);
  gpu_free (updates);
  gpu_free (sums);
  return 0;
}
