/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares histograms of planes, count by count, and the search for Otsu's threshold with their definitions.
 * CTR_TEST_QUICK=1: fewer of them. */
#include "cuda/common/histogram.cuh"
#include "cuda/common/otsu.cuh"

#include "tests/core/common/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

namespace
{

Random rng = {5};
cudaStream_t stream;

uint32_t
expected_threshold (const uint32_t *counts, uint32_t levels)
{
  uint64_t pixels = 0, sum = 0;
  for (uint32_t i = 0; i < levels; i++) {
    pixels += counts[i];
    sum += (uint64_t) i * counts[i];
  }
  CtrOtsu otsu;
  ctr_otsu_init (&otsu, pixels, sum);
  for (uint32_t i = 0; i < levels; i++)
    if (counts[i])
      ctr_otsu_add (&otsu, i, counts[i]);
  return ctr_otsu_threshold (&otsu);
}

/* --- Planes --- */

/* What a plane shows: noise, one colour, two, stripes of three, long runs. */
uint16_t
sample (uint32_t kind, uint32_t base, uint32_t x)
{
  switch (kind) {
    case 0:
      return (uint16_t) random_next (&rng);
    case 1:
      return (uint16_t) base;
    case 2:
      return (uint16_t) (random_below (&rng, 5) ? base : base * 7 + 1);
    case 3:
      return (uint16_t) (base + x % 3);
    default:
      return (uint16_t) (base + x / 24 * 1000);
  }
}

/* Counts a plane of WIDTH x HEIGHT samples twice: in 256 levels, and in all with their threshold. The plane lies OFFSET
 * bytes behind an address that is a multiple of 256. */
void
check_plane (Histogram *histogram, CtrFormat format, uint32_t kind, uint32_t width, uint32_t height, uint32_t offset,
    uint32_t padding)
{
  const bool wide = format == CTR_FORMAT_GRAY16;
  const uint32_t size = wide ? 2 : 1, levels = wide ? LEVELS_16 : LEVELS_8, base = (uint32_t) random_next (&rng);
  const uint32_t shift = random_below (&rng, 9);
  const size_t stride = width * size + padding, bytes = offset + (height - 1) * stride + width * size;
  describe ("format %d, kind %u, %u x %u, offset %u, padding %u, shift %u", format, kind, width, height, offset,
      padding, shift);
  uint8_t *pixels = (uint8_t *) malloc (bytes), *device;
  uint32_t *all = (uint32_t *) calloc (LEVELS_16, sizeof *all), *small = (uint32_t *) calloc (LEVELS_8, sizeof *small);
  memset (pixels, 0x77, bytes);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      const uint16_t value = wide ? sample (kind, base, x) : (uint8_t) sample (kind, base, x);
      memcpy (pixels + offset + y * stride + x * size, &value, size);
      all[value]++;
      small[wide ? min (value >> shift, 255) : value]++;
    }
  CHECK (cudaMalloc ((void **) &device, bytes) == cudaSuccess);
  cudaMemcpyAsync (device, pixels, bytes, cudaMemcpyHostToDevice, stream);
  const CtrImage plane = {device + offset, stride, width, height, format, CTR_MEMORY_DEVICE};
  static Histogram counted, thresholded;
  CtrError error;
  CHECK (histogram_queue_8 (histogram, &plane, shift, stream, &error));
  cudaMemcpyAsync (&counted, histogram, sizeof counted, cudaMemcpyDeviceToHost, stream);
  CHECK (histogram_queue_otsu (histogram, &plane, stream, &error));
  cudaMemcpyAsync (&thresholded, histogram, sizeof thresholded, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize (stream);
  CHECK (memcmp (counted.result, small, sizeof counted.result) == 0);
  CHECK (wide || memcmp (thresholded.result, all, sizeof counted.result) == 0);
  CHECK (thresholded.threshold == expected_threshold (all, levels));
  /* The next picture starts from zero. */
  for (uint32_t i = 0; i < LEVELS_16; i++)
    CHECK (counted.counts[i] == 0 && thresholded.counts[i] == 0);
  CHECK (counted.finished == 0 && thresholded.finished == 0);
  cudaFree (device);
  free (pixels);
  free (all);
  free (small);
}

void
test_planes ()
{
  const bool quick = getenv ("CTR_TEST_QUICK");
  Histogram *histogram;
  CHECK (cudaMalloc ((void **) &histogram, sizeof *histogram) == cudaSuccess);
  cudaMemsetAsync (histogram, 0, sizeof *histogram, stream);
  for (uint32_t i = 0; i < (quick ? 60 : 600); i++) {
    const CtrFormat format = random_below (&rng, 2) ? CTR_FORMAT_GRAY8 : CTR_FORMAT_GRAY16;
    const bool large = i % 8 == 0, aligned = i % 3 == 0;
    const uint32_t width = 1 + random_below (&rng, large ? 700 : 50),
                   height = 1 + random_below (&rng, large ? 300 : 17);
    const uint32_t offset = random_below (&rng, 20) * 2, padding = random_below (&rng, 35) * 2;
    const uint32_t odd = format == CTR_FORMAT_GRAY8 && random_below (&rng, 2);
    const uint32_t row = width << (format == CTR_FORMAT_GRAY16);
    check_plane (histogram, format, i % 5, width, height, aligned ? 0 : offset + odd,
        aligned ? (16 - row % 16) % 16 : padding + odd);
  }
  cudaFree (histogram);
}

/* --- Histograms --- */

struct Found {
  uint32_t leads; /* otsu_lead() has decided */
  uint32_t lead;  /* its level */
  uint32_t followed;
};

template <uint32_t LEVELS>
__global__ void
__launch_bounds__ (OTSU_THREADS) search_kernel (const uint32_t *counts, Found *found)
{
  __shared__ OtsuShared s;
  const OtsuHistogram<LEVELS, false> histogram = {counts};
  OtsuSums before;
  const OtsuSums all = otsu_sums (histogram, s, &before);
  uint32_t level;
  const bool leads = otsu_lead (histogram, all, before, s, &level);
  const uint32_t followed = otsu_follow (histogram, all, s);
  if (threadIdx.x == 0)
    *found = {leads, level, followed};
}

/* Fills COUNTS with up to PIXELS pixels. Returns whether the recurrence has two levels of the same variance. */
bool
make_histogram (uint32_t kind, uint32_t *counts, uint32_t levels, uint32_t pixels)
{
  memset (counts, 0, levels * sizeof *counts);
  const uint32_t used = 2 + random_below (&rng, kind == 0 ? 3 : levels - 2), most = max (pixels / used, 2u);
  for (uint32_t i = 0; i < used; i++) {
    const uint32_t level = random_below (&rng, levels);
    /* Some levels, a bump with thin tails, lone pixels beside many. */
    const double distance = (level - 0.3 * levels) / (0.04 * levels);
    counts[level] = kind == 2   ? 1 + (uint32_t) (most * exp (-distance * distance))
                    : kind == 3 ? (i % 9 ? 1 : most)
                                : 1 + random_below (&rng, most - 1);
  }
  if (kind < 4)
    return false;
  /* The lower half mirrored, with pixels at an odd number of levels. */
  counts[0] = counts[levels / 2 - 1] = 1 + random_below (&rng, most / 2);
  for (uint32_t i = 0; i < levels / 2; i++)
    counts[levels - 2 - i] = counts[i];
  counts[levels - 1] = 0;
  return true;
}

/* Three levels with many pixels and lower ones with few. The number of pixels at the highest one is the last for which
 * the threshold lies where it does: with one more it lies elsewhere. */
void
make_edge (uint32_t *counts, uint32_t levels, uint32_t pixels)
{
  memset (counts, 0, levels * sizeof *counts);
  const uint32_t step = levels / 4, most = max (pixels / 4, 2u);
  const uint32_t low = step + random_below (&rng, step), middle = low + 1 + random_below (&rng, step);
  uint32_t *high = &counts[middle + 1 + random_below (&rng, step)];
  for (int i = 0; i < 4; i++)
    counts[random_below (&rng, low)]++;
  counts[low] = 1 + random_below (&rng, most);
  counts[middle] = 1 + random_below (&rng, most);
  uint32_t first = 1, last = 2 * most;
  *high = first;
  const uint32_t threshold = expected_threshold (counts, levels);
  while (last - first > 1) {
    *high = first + (last - first) / 2;
    *(expected_threshold (counts, levels) == threshold ? &first : &last) = *high;
  }
  *high = first;
}

template <uint32_t LEVELS>
void
check_histograms (uint32_t number)
{
  uint32_t *counts = (uint32_t *) malloc (LEVELS * sizeof *counts), *device, decided = 0, distinct = 0;
  Found *device_found, found;
  CHECK (cudaMalloc ((void **) &device, LEVELS * sizeof *device) == cudaSuccess);
  CHECK (cudaMalloc ((void **) &device_found, sizeof *device_found) == cudaSuccess);
  for (uint32_t i = 0; i < number; i++) {
    const uint32_t kind = i % 6, pixels = UINT32_MAX / 8 * (kind < 4 ? 7 : 3) >> random_below (&rng, 29);
    bool tied = false;
    if (kind < 5)
      tied = make_histogram (kind, counts, LEVELS, pixels);
    else
      make_edge (counts, LEVELS, pixels);
    cudaMemcpyAsync (device, counts, LEVELS * sizeof *device, cudaMemcpyHostToDevice, stream);
    search_kernel<LEVELS><<<1, OTSU_THREADS, 0, stream>>> (device, device_found);
    cudaMemcpyAsync (&found, device_found, sizeof found, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize (stream);
    describe ("histogram %u of %u levels, up to %u pixels", i, LEVELS, pixels);
    CHECK (found.followed + 1 == expected_threshold (counts, LEVELS));
    CHECK (!found.leads || found.lead == found.followed);
    CHECK (!tied || !found.leads);
    decided += found.leads;
    distinct += !tied;
  }
  describe ("%u of %u histograms decided", decided, distinct);
  CHECK (decided > distinct / 2);
  cudaFree (device);
  cudaFree (device_found);
  free (counts);
}

void
test_histograms ()
{
  const bool quick = getenv ("CTR_TEST_QUICK");
  check_histograms<LEVELS_8> (quick ? 200 : 4000);
  check_histograms<LEVELS_16> (quick ? 10 : 100);
}

} // namespace

int
main ()
{
  static const Test tests[] = {{"planes", test_planes}, {"histograms", test_histograms}};
  cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking);
  run_tests (tests, LENGTH (tests));
  cudaStreamDestroy (stream);
  return 0;
}
