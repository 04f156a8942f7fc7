/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares the kernels that make bits of samples (cuda/foreground/levels.cu, adaptive.cu) with their definitions, pixel by
 * pixel, in memory of every alignment. CTR_TEST_QUICK=1: fewer pictures. */
#include "cuda/common/device_buffer.cuh"
#include "cuda/foreground/foreground.h"

#include "core/foreground/colour.h"
#include "tests/core/common/reference.h"
#include "tests/core/common/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace
{

constexpr uint32_t GUARD = 64; /* bytes behind a mask */

Random rng = {17};
cudaStream_t stream;
CtrKeptWeights kept_weights;

/* A picture in host memory and its copy on the device. */
struct Picture {
  CtrImage host, device;
  uint8_t *memory[3], *copy[3]; /* samples, chroma */
};

/* What a plane has: noise, few levels, steps. */
uint8_t
byte_of (uint32_t kind, uint32_t i)
{
  return kind == 0 ? random_next (&rng) : kind == 1 ? 100 + random_below (&rng, 5) : i / 13 * 40;
}

/* Makes ROWS rows of ROW bytes, OFFSET bytes behind an address that is a multiple of 256, and returns the memory. */
uint8_t *
make_plane (uint32_t kind, uint32_t offset, size_t stride, size_t row, uint32_t rows, uint8_t **copy)
{
  const size_t bytes = offset + stride * (rows - 1) + row;
  uint8_t *memory = (uint8_t *) malloc (bytes);
  for (size_t i = 0; i < bytes; i++)
    memory[i] = byte_of (kind, i);
  CHECK (cudaMalloc ((void **) copy, bytes) == cudaSuccess);
  cudaMemcpyAsync (*copy, memory, bytes, cudaMemcpyHostToDevice, stream);
  return memory;
}

/* A stride for ROW bytes, and an offset, either aligned to 16 bytes or of any multiple of UNIT. */
size_t
choose_stride (size_t row, uint32_t unit, uint32_t *offset)
{
  const bool aligned = random_below (&rng, 2);
  *offset = aligned ? random_below (&rng, 3) * 16 : random_below (&rng, 20) * unit;
  return aligned ? (row + 15) / 16 * 16 + random_below (&rng, 2) * 16 : row + random_below (&rng, 35) * unit;
}

void
make_chroma (Picture *p, uint32_t kind)
{
  CtrChroma *chroma = &p->host.chroma;
  chroma->step = 1 + random_below (&rng, 2);
  chroma->shift_x = random_below (&rng, 3);
  chroma->shift_y = random_below (&rng, 3);
  const uint32_t columns = ((p->host.width - 1) >> chroma->shift_x) + 1,
                 rows = ((p->host.height - 1) >> chroma->shift_y) + 1;
  uint32_t offset;
  chroma->stride = choose_stride (columns * chroma->step, 1, &offset);
  p->memory[1] = make_plane (kind, offset, chroma->stride, columns * chroma->step, rows, &p->copy[1]);
  chroma->cb = p->memory[1] + offset;
  if (chroma->step == 1) {
    p->memory[2] = make_plane (kind, offset, chroma->stride, columns, rows, &p->copy[2]);
    chroma->cr = p->memory[2] + offset;
  } else {
    chroma->cr = chroma->cb + 1;
    if (random_below (&rng, 2)) {
      const uint8_t *cb = chroma->cb;
      chroma->cb = chroma->cr;
      chroma->cr = cb;
    }
  }
  p->device.chroma = *chroma;
  p->device.chroma.cb = p->copy[1] + (chroma->cb - p->memory[1]);
  p->device.chroma.cr = chroma->step == 1 ? p->copy[2] + offset : p->copy[1] + (chroma->cr - p->memory[1]);
}

void
make_picture (Picture *p, CtrFormat format, uint32_t width, uint32_t height, bool chroma)
{
  const size_t row = ctr_format_row_size (format, width);
  const uint32_t unit = format == CTR_FORMAT_GRAY16 ? 2 : 1;
  const uint32_t kind = random_below (&rng, 3);
  uint32_t offset;
  const size_t stride = choose_stride ((uint32_t) row, unit, &offset);
  memset (p, 0, sizeof *p);
  p->memory[0] = make_plane (kind, offset, stride, row, height, &p->copy[0]);
  p->host = {p->memory[0] + offset, stride, width, height, format, CTR_MEMORY_HOST};
  p->device = {p->copy[0] + offset, stride, width, height, format, CTR_MEMORY_DEVICE};
  if (chroma)
    make_chroma (p, kind);
  describe ("format %d, %u x %u, offset %u, stride %zu, chroma %d: step %u, shifts %u %u", format, width, height,
      offset, stride, chroma, p->host.chroma.step, p->host.chroma.shift_x, p->host.chroma.shift_y);
}

void
free_picture (Picture *p)
{
  for (int i = 0; i < 3; i++) {
    free (p->memory[i]);
    cudaFree (p->copy[i]);
  }
}

uint32_t
sample_of (const CtrImage *image, CtrChannel channel, uint32_t x, uint32_t y)
{
  if (channel == CTR_CHANNEL_LUMA)
    return reference_sample (image, x, y);
  if (image->format == CTR_FORMAT_GRAY8) {
    const CtrChroma *c = &image->chroma;
    const uint8_t *first = channel == CTR_CHANNEL_CB ? c->cb : c->cr;
    return first[(y >> c->shift_y) * c->stride + (size_t) (x >> c->shift_x) * c->step];
  }
  if (image->format >= CTR_FORMAT_YUYV)
    return reference_packed_chroma (image, channel == CTR_CHANNEL_CR, x, y);
  const uint8_t *p =
      (const uint8_t *) image->data + y * image->stride + (size_t) x * ctr_format_pixel_size (image->format);
  const CtrRgbOrder order = ctr_rgb_order (image->format);
  return ctr_colour_channel (channel, p[order.red], p[order.green], p[order.blue]);
}

/* A mask on the device, full of garbage, with a guard behind it. */
PackedMask
new_mask (const CtrImage *image)
{
  const size_t stride = ctr_packed_row (image->width), bytes = stride * image->height + GUARD;
  PackedMask mask = {NULL, stride, image->width, image->height};
  CHECK (cudaMalloc ((void **) &mask.bits, bytes) == cudaSuccess);
  cudaMemsetAsync (mask.bits, 0xa5, bytes, stream);
  return mask;
}

/* Compares MASK with EXPECTED, a byte for each pixel, and frees it. */
void
check_mask (const PackedMask &mask, const uint8_t *expected)
{
  const size_t bytes = mask.stride * mask.height;
  uint8_t *bits = (uint8_t *) malloc (bytes + GUARD);
  cudaMemcpyAsync (bits, mask.bits, bytes + GUARD, cudaMemcpyDeviceToHost, stream);
  CHECK (cudaStreamSynchronize (stream) == cudaSuccess);
  for (uint32_t y = 0; y < mask.height; y++)
    for (uint32_t x = 0; x < mask.stride * 8; x++) {
      const bool bit = bits[y * mask.stride + x / 8] >> x % 8 & 1;
      if (bit != (x < mask.width && expected[(size_t) y * mask.width + x])) {
        printf ("at %u, %u\n", x, y);
        CHECK (!"the same bits");
      }
    }
  for (uint32_t i = 0; i < GUARD; i++)
    CHECK (bits[bytes + i] == 0xa5);
  free (bits);
  cudaFree (mask.bits);
}

/* --- Levels --- */

bool
is_in_ranges (const CtrForeground *f, const CtrImage *image, uint32_t x, uint32_t y)
{
  for (int i = 0; i < CTR_CHANNELS; i++) {
    if (!(f->ranges >> i & 1))
      continue;
    const uint32_t sample = sample_of (image, (CtrChannel) i, x, y);
    const bool above = sample >= f->lower[i], below = sample <= f->upper[i];
    if (f->lower[i] <= f->upper[i] ? !above || !below : !above && !below)
      return false;
  }
  return true;
}

/* Chooses what a foreground of IMAGE may be. */
CtrForeground
choose_foreground (const CtrImage *image)
{
  static const CtrThresholdMode modes[] = {CTR_THRESHOLD_FIXED, CTR_THRESHOLD_OTSU, CTR_THRESHOLD_HYSTERESIS};
  const bool wide = image->format == CTR_FORMAT_GRAY16,
             rgb = image->format >= CTR_FORMAT_RGB && image->format <= CTR_FORMAT_XBGR;
  const bool chroma = image->chroma.cb || image->format >= CTR_FORMAT_YUYV;
  const uint32_t channels = rgb ? (1u << CTR_CHANNELS) - 1 : chroma ? 1 | 3 << CTR_CHANNEL_CB : 1;
  const uint32_t most = wide ? 66000 : 260;
  CtrForeground f;
  memset (&f, 0, sizeof f);
  f.mode = modes[random_below (&rng, LENGTH (modes))];
  f.threshold = random_below (&rng, most);
  f.invert = random_below (&rng, 2);
  if (f.mode == CTR_THRESHOLD_HYSTERESIS)
    f.upper_threshold = f.threshold + random_below (&rng, most);
  else if (random_below (&rng, 2))
    f.upper_threshold = random_below (&rng, most);
  do
    f.channel = (CtrChannel) random_below (&rng, CTR_CHANNELS);
  while (!(channels >> f.channel & 1));
  if (!wide && random_below (&rng, 2)) {
    f.ranges = channels & (uint32_t) random_next (&rng);
    for (int i = 0; i < CTR_CHANNELS; i++) {
      f.lower[i] = random_below (&rng, 4) ? random_below (&rng, 100) : random_next (&rng);
      f.upper[i] = random_below (&rng, 4) ? 255 - random_below (&rng, 100) : random_next (&rng);
    }
  }
  return f;
}

void
check_levels (const Picture *p, const CtrForeground *f)
{
  const CtrImage *image = &p->host;
  const size_t pixels = (size_t) image->width * image->height;
  const bool found = f->mode == CTR_THRESHOLD_OTSU, strong = f->mode == CTR_THRESHOLD_HYSTERESIS && !f->ranges;
  uint8_t *expected = (uint8_t *) malloc (pixels), *expected_strong = (uint8_t *) malloc (pixels);
  const PackedMask mask = new_mask (image), marker = new_mask (image);
  uint32_t *threshold;
  CtrError error;
  for (size_t i = 0; i < pixels; i++) {
    const uint32_t x = i % image->width, y = i / image->width, sample = sample_of (image, f->channel, x, y);
    const bool limited = f->mode == CTR_THRESHOLD_FIXED && f->upper_threshold;
    const bool bit = f->ranges ? is_in_ranges (f, image, x, y)
                               : sample >= f->threshold && (!limited || sample <= f->upper_threshold);
    expected[i] = bit != (f->invert && !strong);
    expected_strong[i] = sample >= f->upper_threshold;
  }
  CHECK (cudaMalloc ((void **) &threshold, sizeof *threshold) == cudaSuccess);
  cudaMemcpyAsync (threshold, &f->threshold, sizeof *threshold, cudaMemcpyHostToDevice, stream);
  CHECK (foreground_queue_levels (
      &p->device, f, found ? threshold : NULL, &mask, strong ? &marker : NULL, stream, &error));
  check_mask (mask, expected);
  if (strong)
    check_mask (marker, expected_strong);
  else
    cudaFree (marker.bits);
  cudaFree (threshold);
  free (expected);
  free (expected_strong);
}

void
check_channel (const Picture *p, CtrChannel channel)
{
  CtrImage plane;
  CtrError error;
  if (foreground_channel_is_plane (&p->device, channel, &plane))
    return;
  plane.stride = ctr_aligned_row (plane.width);
  uint8_t *device, *host = (uint8_t *) malloc (plane.stride * plane.height);
  CHECK (cudaMalloc ((void **) &device, plane.stride * plane.height) == cudaSuccess);
  plane.data = device;
  CHECK (foreground_queue_channel (&p->device, channel, &plane, stream, &error));
  cudaMemcpyAsync (host, device, plane.stride * plane.height, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize (stream);
  for (uint32_t y = 0; y < plane.height; y++)
    for (uint32_t x = 0; x < plane.width; x++)
      CHECK (host[y * plane.stride + x] == sample_of (&p->host, channel, x, y));
  cudaFree (device);
  free (host);
}

void
test_levels ()
{
  const uint32_t count = getenv ("CTR_TEST_QUICK") ? 150 : 3000;
  for (uint32_t i = 0; i < count; i++) {
    const CtrFormat format = (CtrFormat) (i % 3 ? random_below (&rng, CTR_FORMAT_VYUY + 1) : CTR_FORMAT_GRAY8);
    const uint32_t width = 1 + random_below (&rng, i % 8 ? 50 : 400), height = 1 + random_below (&rng, 9);
    Picture p;
    make_picture (&p, format, width, height, format == CTR_FORMAT_GRAY8 && random_below (&rng, 2));
    const CtrForeground f = choose_foreground (&p.host);
    check_levels (&p, &f);
    check_channel (&p, f.channel);
    free_picture (&p);
  }
}

/* --- Neighbourhoods --- */

/* The samples of the row Y and column X, where the outermost ones are repeated outside. */
uint32_t
repeated_sample (const CtrImage *image, CtrChannel channel, int x, int y)
{
  return sample_of (
      image, channel, min (max (x, 0), (int) image->width - 1), min (max (y, 0), (int) image->height - 1));
}

/* MEANS, rounded to the nearest integers, halves to even. They are weighted along the columns, then along the rows. */
void
find_means (const CtrImage *image, const CtrForeground *f, uint32_t *means)
{
  const int width = image->width, height = image->height, size = f->block_size, radius = size / 2;
  uint64_t *sums = (uint64_t *) malloc ((size_t) width * sizeof *sums);
  uint32_t weights[CTR_MAX_BLOCK_SIZE];
  uint64_t unit = (uint64_t) size * size;
  for (int i = 0; i < size; i++)
    weights[i] = 1;
  if (f->mode == CTR_THRESHOLD_ADAPTIVE_GAUSSIAN) {
    ctr_gaussian_weights (size, weights);
    unit = UINT64_C (1) << 2 * CTR_GAUSSIAN_BITS;
  }
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      sums[x] = 0;
      for (int i = 0; i < size; i++)
        sums[x] += (uint64_t) weights[i] * repeated_sample (image, f->channel, x, y + i - radius);
    }
    for (int x = 0; x < width; x++) {
      uint64_t sum = 0;
      for (int i = 0; i < size; i++)
        sum += weights[i] * sums[min (max (x + i - radius, 0), width - 1)];
      const uint64_t mean = sum / unit, rest = sum % unit;
      means[y * width + x] = (uint32_t) (2 * rest > unit || (2 * rest == unit && mean % 2) ? mean + 1 : mean);
    }
  }
  free (sums);
}

void
check_adaptive (const Picture *p, const CtrForeground *f)
{
  const CtrImage *image = &p->host;
  const size_t pixels = (size_t) image->width * image->height, bytes = foreground_adaptive_room (&p->device, f);
  uint8_t *expected = (uint8_t *) malloc (pixels);
  uint32_t *means = (uint32_t *) malloc (pixels * sizeof *means);
  const PackedMask mask = new_mask (image);
  void *room = NULL;
  CtrError error;
  find_means (image, f, means);
  for (size_t i = 0; i < pixels; i++) {
    const int sample = sample_of (image, f->channel, i % image->width, i / image->width);
    expected[i] = (sample > (int) means[i] - f->offset) != f->invert;
  }
  CHECK (bytes == 0 || cudaMalloc (&room, bytes) == cudaSuccess);
  CHECK (foreground_queue_adaptive (&p->device, f, &kept_weights, room, &mask, NULL, stream, &error));
  check_mask (mask, expected);
  cudaFree (room);
  free (means);
  free (expected);
}

void
check_random_adaptive (CtrThresholdMode mode, uint32_t i)
{
  static const uint32_t sizes[] = {3, 5, 15, 31, 33, 101, 255};
  const bool rgb = i % 7 == 0, wide = i % 3 == 1;
  const uint32_t width = 1 + random_below (&rng, i % 4 ? 70 : 700), height = 1 + random_below (&rng, i % 5 ? 20 : 150);
  Picture p;
  CtrForeground f;
  memset (&f, 0, sizeof f);
  f.mode = mode;
  f.block_size = i % 2 ? sizes[random_below (&rng, LENGTH (sizes))] : 3 + 2 * random_below (&rng, 127);
  f.invert = random_below (&rng, 2);
  f.offset = i % 11 == 0 ? (int) random_below (&rng, 131071) - 65535 : (int) random_below (&rng, 9) - 4;
  f.channel = rgb ? (CtrChannel) random_below (&rng, CTR_CHANNELS) : CTR_CHANNEL_LUMA;
  make_picture (&p, rgb ? CTR_FORMAT_BGR : wide ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8, width, height, false);
  check_adaptive (&p, &f);
  free_picture (&p);
}

void
test_mean ()
{
  const uint32_t count = getenv ("CTR_TEST_QUICK") ? 24 : 300;
  for (uint32_t i = 0; i < count; i++)
    check_random_adaptive (CTR_THRESHOLD_ADAPTIVE_MEAN, i);
}

void
check_mean (bool wide, uint32_t width, uint32_t height, uint32_t block_size)
{
  Picture p;
  CtrForeground f;
  memset (&f, 0, sizeof f);
  f.mode = CTR_THRESHOLD_ADAPTIVE_MEAN;
  f.block_size = block_size;
  f.offset = (int) random_below (&rng, 9) - 4;
  make_picture (&p, wide ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8, width, height, false);
  check_adaptive (&p, &f);
  free_picture (&p);
}

/* Sides at which strips, warps and parts of rows end, and bands that a CTA goes down in several steps. */
void
test_mean_sides ()
{
  static const uint32_t widths[] = {255, 256, 257, 511, 512, 513, 1025, 3839, 3840, 3841, 4064, 4065, 8001};
  static const uint32_t heights[] = {31, 32, 33, 64, 65, 160, 161, 330, 700};
  const bool quick = getenv ("CTR_TEST_QUICK");
  for (uint32_t i = 0; i < LENGTH (widths) + LENGTH (heights); i++)
    for (uint32_t j = 0; j < (quick ? 1 : 8); j++) {
      static const uint32_t sizes[] = {3, 31, 33, 101, 253, 255};
      const bool across = i < LENGTH (widths), wide = (i + j) % 2;
      const uint32_t width = across ? widths[i] : 1 + random_below (&rng, 40);
      const uint32_t height = across ? 1 + random_below (&rng, 4) : heights[i - LENGTH (widths)];
      check_mean (wide, width, height, sizes[random_below (&rng, LENGTH (sizes))]);
    }
}

/* Widths of whole lanes, whose rows are copied ahead if they are aligned: less than a strip, one, several; heights of one step
 * and of several. */
void
test_mean_copies ()
{
  static const uint32_t widths[] = {16, 32, 48, 240, 256, 272, 464, 480, 496, 512, 1040}, heights[] = {1, 17, 97, 301};
  const bool quick = getenv ("CTR_TEST_QUICK");
  for (uint32_t i = 0; i < LENGTH (widths); i++)
    for (uint32_t j = 0; j < LENGTH (heights); j++)
      for (uint32_t k = 0; k < (quick ? 1 : 12); k++)
        check_mean (random_below (&rng, 2), widths[i], heights[j], 3 + 2 * random_below (&rng, 127));
}

void
test_gaussian ()
{
  const uint32_t count = getenv ("CTR_TEST_QUICK") ? 12 : 100;
  for (uint32_t i = 0; i < count; i++)
    check_random_adaptive (CTR_THRESHOLD_ADAPTIVE_GAUSSIAN, i);
}

/* All samples at their maximum: no sum overflows. */
void
test_greatest_sums ()
{
  for (int wide = 0; wide < 2; wide++)
    for (int gauss = 0; gauss < 2; gauss++) {
      Picture p;
      make_picture (&p, wide ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8, 300, 33, false);
      const size_t bytes = p.host.stride * (p.host.height - 1) + p.host.width * (wide ? 2 : 1);
      memset ((void *) p.host.data, 255, bytes);
      cudaMemsetAsync ((void *) p.device.data, 255, bytes, stream);
      for (int offset = 0; offset < 2; offset++) {
        CtrForeground f;
        memset (&f, 0, sizeof f);
        f.mode = gauss ? CTR_THRESHOLD_ADAPTIVE_GAUSSIAN : CTR_THRESHOLD_ADAPTIVE_MEAN;
        f.block_size = CTR_MAX_BLOCK_SIZE;
        f.offset = offset;
        check_adaptive (&p, &f);
      }
      free_picture (&p);
    }
}

} // namespace

int
main ()
{
  static const Test tests[] = {{"levels", test_levels}, {"mean", test_mean}, {"mean, sides", test_mean_sides},
      {"mean, copies", test_mean_copies}, {"gaussian", test_gaussian}, {"greatest sums", test_greatest_sums}};
  cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking);
  run_tests (tests, LENGTH (tests));
  cudaStreamDestroy (stream);
  return 0;
}
