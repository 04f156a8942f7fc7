/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares histograms of pictures, count by count, and the search for Otsu's threshold and the triangle's with their definitions.
 * CTR_TEST_QUICK=1: fewer of them. */
#include "cuda/common/device_buffer.cuh"
#include "cuda/common/histogram.cuh"
#include "cuda/common/otsu.cuh"
#include "cuda/common/triangle.cuh"

#include "tests/core/common/reference.h"
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

/* The triangle's threshold as OpenCV finds it, whose foreground is above it, in a histogram that it may turn around: 256
 * levels, to which those of 16 bits are reduced. */
uint32_t
expected_triangle (const uint32_t *counts, uint32_t all_levels, uint32_t bits)
{
  const uint32_t levels = LEVELS_8;
  uint32_t h[levels] = {}, largest = all_levels - 1;
  while (counts[largest] == 0)
    largest--;
  if (bits == 0)
    bits = largest < 1 << 10 ? 10 : largest < 1 << 12 ? 12 : largest < 1 << 14 ? 14 : 16;
  const uint32_t unit = all_levels == LEVELS_8 ? 1 : 1 << bits >> 8;
  for (uint32_t i = 0; i <= largest; i++)
    h[min (i / unit, levels - 1)] += counts[i];
  int left = 0, right = (int) levels - 1, peak = 0;
  while (h[left] == 0)
    left++;
  while (right > 0 && h[right] == 0)
    right--;
  left = left > 0 ? left - 1 : 0;
  right = right < (int) levels - 1 ? right + 1 : right;
  for (int i = 0; i < (int) levels; i++)
    if (h[i] > h[peak])
      peak = i;
  const bool flipped = peak - left < right - peak;
  if (flipped) {
    for (int i = 0; i < (int) levels / 2; i++) {
      const uint32_t other = h[levels - 1 - i];
      h[levels - 1 - i] = h[i];
      h[i] = other;
    }
    left = (int) levels - 1 - right;
    peak = (int) levels - 1 - peak;
  }
  double threshold = left, most = 0;
  for (int i = left + 1; i <= peak; i++) {
    const double distance = (double) h[peak] * i + (double) (left - peak) * h[i];
    if (distance > most) {
      most = distance;
      threshold = i;
    }
  }
  threshold--;
  return ((uint32_t) (flipped ? levels - 1 - threshold : threshold) + 1) * unit;
}

/* --- Pictures --- */

/* What a picture shows: noise, one colour, two, stripes of three, long runs. */
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

/* Fills IMAGE, in host memory, with a picture of this KIND, and LUMA with its grey samples. */
void
fill_picture (const CtrImage *image, uint32_t kind, uint16_t *luma)
{
  const size_t size = ctr_format_pixel_size (image->format);
  const uint32_t base = (uint32_t) random_next (&rng);
  for (uint32_t y = 0; y < image->height; y++)
    for (uint32_t x = 0; x < image->width; x++) {
      uint8_t *pixel = (uint8_t *) image->data + y * image->stride + x * size;
      for (uint32_t i = 0; i < size; i += 2) {
        const uint16_t value = sample (kind, base, x + i);
        memcpy (pixel + i, &value, min (size - i, 2));
      }
      luma[(size_t) y * image->width + x] = (uint16_t) reference_sample (image, x, y);
    }
}

/* Queues IMAGE, in device memory, and returns all that is there afterwards. */
const Histogram *
run (Histogram *histogram, const CtrImage *image, const CtrImage *luma, bool small, uint32_t shift)
{
  static Histogram result;
  CtrError error;
  CHECK (histogram_queue (histogram, &histogram->threshold, image, luma, small, shift, stream, &error));
  cudaMemcpyAsync (&result, histogram, sizeof result, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize (stream);
  /* The next picture starts from zero. */
  for (uint32_t i = 0; i < LEVELS_16; i++)
    CHECK (result.counts[i] == 0);
  CHECK (result.finished == 0);
  return &result;
}

/* The threshold of MODE, found in all levels. BITS: significant bits of the triangle. */
uint32_t
run_threshold (Histogram *histogram, CtrThresholdMode mode, uint32_t bits, const CtrImage *image, const CtrImage *luma)
{
  CtrForeground foreground = {mode};
  uint32_t threshold;
  CtrError error;
  foreground.significant_bits = bits;
  CHECK (histogram_queue_threshold (histogram, &foreground, &histogram->threshold, image, luma, stream, &error));
  cudaMemcpyAsync (&threshold, &histogram->threshold, sizeof threshold, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize (stream);
  return threshold;
}

/* Counts a picture twice: in 256 levels, and in all that it has. It begins OFFSET bytes behind an address that is a
 * multiple of 256; PADDING bytes follow each row. */
void
check_picture (Histogram *histogram, CtrFormat format, uint32_t kind, uint32_t width, uint32_t height, uint32_t offset,
    uint32_t padding)
{
  const bool wide = format == CTR_FORMAT_GRAY16;
  const uint32_t levels = wide ? LEVELS_16 : LEVELS_8, shift = random_below (&rng, 9), pixels = width * height;
  const uint32_t bits = random_below (&rng, 2) ? 0 : 8 + shift;
  const size_t row = ctr_format_row_size (format, width), stride = row + padding;
  const size_t bytes = offset + (height - 1) * stride + row, luma_stride = ctr_aligned_row (width);
  describe ("format %d, kind %u, %u x %u, offset %u, padding %u, shift %u", format, kind, width, height, offset,
      padding, shift);
  uint8_t *memory = (uint8_t *) malloc (bytes), *luma_plane = (uint8_t *) malloc (luma_stride * height);
  uint8_t *device, *luma_device;
  uint16_t *samples = (uint16_t *) malloc (pixels * sizeof *samples);
  uint32_t *all = (uint32_t *) calloc (LEVELS_16, sizeof *all), *small = (uint32_t *) calloc (LEVELS_8, sizeof *small);
  memset (memory, 0x77, bytes);
  CtrImage image = {memory + offset, stride, width, height, format, CTR_MEMORY_HOST};
  fill_picture (&image, kind, samples);
  for (uint32_t i = 0; i < pixels; i++) {
    all[samples[i]]++;
    small[wide ? min (samples[i] >> shift, 255) : samples[i]]++;
  }
  CHECK (cudaMalloc ((void **) &device, bytes) == cudaSuccess);
  CHECK (cudaMalloc ((void **) &luma_device, luma_stride * height) == cudaSuccess);
  cudaMemcpyAsync (device, memory, bytes, cudaMemcpyHostToDevice, stream);
  image.data = device + offset;
  image.memory = CTR_MEMORY_DEVICE;
  const CtrImage luma = {luma_device, luma_stride, width, height, CTR_FORMAT_GRAY8, CTR_MEMORY_DEVICE};
  const bool rgb = !wide && format != CTR_FORMAT_GRAY8;
  const Histogram *result = run (histogram, &image, rgb ? &luma : NULL, true, shift);
  CHECK (memcmp (result->result, small, sizeof result->result) == 0);
  CHECK (result->threshold == expected_threshold (small, LEVELS_8));
  result = run (histogram, &image, rgb ? &luma : NULL, false, 0);
  CHECK (wide || memcmp (result->result, all, sizeof result->result) == 0);
  CHECK (result->threshold == expected_threshold (all, levels));
  CHECK (
      run_threshold (histogram, CTR_THRESHOLD_OTSU, 0, &image, rgb ? &luma : NULL) == expected_threshold (all, levels));
  CHECK (run_threshold (histogram, CTR_THRESHOLD_TRIANGLE, bits, &image, rgb ? &luma : NULL)
         == expected_triangle (all, levels, bits));
  if (rgb) {
    cudaMemcpyAsync (luma_plane, luma_device, luma_stride * height, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize (stream);
    for (uint32_t i = 0; i < pixels; i++)
      CHECK (luma_plane[i / width * luma_stride + i % width] == samples[i]);
  }
  cudaFree (device);
  cudaFree (luma_device);
  free (memory);
  free (luma_plane);
  free (samples);
  free (all);
  free (small);
}

void
test_pictures ()
{
  const bool quick = getenv ("CTR_TEST_QUICK");
  Histogram *histogram;
  CHECK (cudaMalloc ((void **) &histogram, sizeof *histogram) == cudaSuccess);
  cudaMemsetAsync (histogram, 0, sizeof *histogram, stream);
  for (uint32_t i = 0; i < (quick ? 80 : 800); i++) {
    const CtrFormat format =
        (CtrFormat) (i % 2 ? random_below (&rng, CTR_FORMAT_VYUY + 1) : random_below (&rng, CTR_FORMAT_GRAY16 + 1));
    const bool large = i % 8 == 0, aligned = random_below (&rng, 2);
    const uint32_t width = 1 + random_below (&rng, large ? 700 : 50),
                   height = 1 + random_below (&rng, large ? 300 : 17);
    const uint32_t row = (uint32_t) ctr_format_row_size (format, width);
    const uint32_t unit = format == CTR_FORMAT_GRAY16 ? 2 : 1;
    check_picture (histogram, format, i % 5, width, height, aligned ? 0 : random_below (&rng, 20) * unit,
        aligned ? (16 - row % 16) % 16 : random_below (&rng, 35) * unit);
  }
  cudaFree (histogram);
}

/* --- Histograms --- */

struct Found {
  uint32_t leads; /* otsu_lead() has decided */
  uint32_t lead;  /* its level */
  uint32_t followed;
  uint32_t triangle;
};

template <uint32_t LEVELS>
__global__ void
__launch_bounds__ (OTSU_THREADS) search_kernel (const uint32_t *counts, uint32_t bits, Found *found)
{
  __shared__ OtsuShared s;
  const OtsuHistogram<LEVELS, false> histogram = {counts};
  OtsuSums before;
  const OtsuSums all = otsu_sums (histogram, s, &before);
  uint32_t level;
  const bool leads = otsu_lead (histogram, all, before, s, &level);
  const uint32_t followed = otsu_follow (histogram, all, s);
  __shared__ TriangleShared triangle_shared;
  const uint32_t triangle = triangle_threshold (histogram, bits, triangle_shared);
  if (threadIdx.x == 0)
    *found = {leads, level, followed, triangle};
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
    const uint32_t bits = i % 2 ? 0 : 8 + i % 9;
    bool tied = false;
    if (kind < 5)
      tied = make_histogram (kind, counts, LEVELS, pixels);
    else
      make_edge (counts, LEVELS, pixels);
    cudaMemcpyAsync (device, counts, LEVELS * sizeof *device, cudaMemcpyHostToDevice, stream);
    search_kernel<LEVELS><<<1, OTSU_THREADS, 0, stream>>> (device, bits, device_found);
    cudaMemcpyAsync (&found, device_found, sizeof found, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize (stream);
    describe ("histogram %u of %u levels, up to %u pixels", i, LEVELS, pixels);
    CHECK (found.followed + 1 == expected_threshold (counts, LEVELS));
    CHECK (found.triangle == expected_triangle (counts, LEVELS, bits));
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
  static const Test tests[] = {{"pictures", test_pictures}, {"histograms", test_histograms}};
  cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking);
  run_tests (tests, LENGTH (tests));
  cudaStreamDestroy (stream);
  return 0;
}
