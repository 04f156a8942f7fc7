/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/common/input_stage.h"

#include "core/common/otsu.h"

#include <string.h>

namespace
{

constexpr int LEVELS_8 = 256;
constexpr int LEVELS_16 = 65536;

struct Histogram {
  uint32_t counts[LEVELS_16];
  uint32_t threshold;
};

/* One thread a pixel. RED, GREEN, BLUE: bytes of the pixel. */
__global__ void
luma_kernel (const uint8_t *pixels, size_t stride, uint32_t width, uint32_t height, uint32_t pixel_size, uint32_t red,
    uint32_t green, uint32_t blue, uint8_t *luma, size_t luma_stride)
{
  uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
  for (uint32_t y = blockIdx.y * blockDim.y + threadIdx.y; y < height; y += gridDim.y * blockDim.y) {
    if (x >= width)
      return;
    const uint8_t *p = pixels + y * stride + (size_t) x * pixel_size;
    luma[y * luma_stride + x] = ctr_luma (p[red], p[green], p[blue]);
  }
}

constexpr int HISTOGRAM_THREADS = 256;

/* Up to 256 LEVELS are counted per warp in shared memory, more in global memory. A warp takes one row at a time. */
template <typename Sample, int LEVELS>
__global__ void
__launch_bounds__ (HISTOGRAM_THREADS) histogram_kernel (
    const uint8_t *pixels, size_t stride, uint32_t width, uint32_t height, uint32_t sample_shift, uint32_t *counts)
{
  constexpr bool small = LEVELS == LEVELS_8;
  constexpr int warps = HISTOGRAM_THREADS / 32;
  __shared__ uint32_t own[small ? warps : 1][small ? LEVELS_8 : 1];
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (small) {
    for (int i = lane; i < LEVELS_8; i += 32)
      own[warp][i] = 0;
    __syncwarp ();
  }
  for (uint32_t y = blockIdx.x * warps + warp; y < height; y += gridDim.x * warps) {
    const Sample *row = (const Sample *) (pixels + y * stride);
    for (uint32_t x = lane; x < width; x += 32)
      atomicAdd (
          small ? &own[warp][sizeof (Sample) == 1 ? row[x] : min (row[x] >> sample_shift, 255)] : &counts[row[x]], 1);
  }
  if (small) {
    __syncthreads ();
    uint32_t sum = 0;
    for (int i = 0; i < warps; i++)
      sum += own[i][threadIdx.x];
    if (sum)
      atomicAdd (&counts[threadIdx.x], sum);
  }
}

constexpr int OTSU_THREADS = 1024;

/* One CTA computes the sums in parallel. Then one thread runs the recurrence of core/common/otsu.h over the levels that
 * have pixels, in order, since every rounding counts. */
__global__ void
__launch_bounds__ (OTSU_THREADS) otsu_kernel (Histogram *histogram, uint32_t levels, uint64_t pixels)
{
  __shared__ uint32_t counts[OTSU_THREADS], used[OTSU_THREADS / 32];
  __shared__ unsigned long long total;
  const uint32_t t = threadIdx.x;
  if (t == 0)
    total = 0;
  __syncthreads ();
  unsigned long long sum = 0;
  for (uint32_t i = t; i < levels; i += OTSU_THREADS)
    sum += (unsigned long long) i * histogram->counts[i];
  for (int d = 16; d; d /= 2)
    sum += __shfl_xor_sync (~0u, sum, d);
  if (t % 32 == 0 && sum)
    atomicAdd (&total, sum);
  __syncthreads ();

  CtrOtsu otsu;
  ctr_otsu_init (&otsu, pixels, total);
  for (uint32_t base = 0; base < levels; base += OTSU_THREADS) {
    counts[t] = base + t < levels ? histogram->counts[base + t] : 0;
    uint32_t mask = __ballot_sync (~0u, counts[t] != 0);
    if (t % 32 == 0)
      used[t / 32] = mask;
    __syncthreads ();
    if (t == 0) {
      for (uint32_t i = 0; i < OTSU_THREADS / 32; i++)
        for (uint32_t rest = used[i]; rest; rest &= rest - 1) {
          uint32_t level = i * 32 + __ffs (rest) - 1;
          ctr_otsu_add (&otsu, base + level, counts[level]);
        }
    }
    __syncthreads ();
  }
  if (t == 0)
    histogram->threshold = ctr_otsu_threshold (&otsu);
}

} // namespace

void
input_stage_init (InputStage *state)
{
  memset (state, 0, sizeof *state);
  state->staging.pinned = true;
}

void
input_stage_free (InputStage *state)
{
  ctr_device_buffer_free (&state->staging);
  ctr_device_buffer_free (&state->upload);
  ctr_device_buffer_free (&state->luma);
  ctr_device_buffer_free (&state->histogram);
}

static bool
is_grey (CtrFormat format)
{
  return format == CTR_FORMAT_GRAY8 || format == CTR_FORMAT_GRAY16;
}

/* The bytes that an image and a threshold mode need. */
struct Needs {
  size_t upload, luma, histogram;
};

static Needs
needs_of (const CtrImage *image, CtrThresholdMode mode)
{
  const size_t row = image->width * ctr_format_pixel_size (image->format);
  return {image->memory == CTR_MEMORY_HOST ? ctr_aligned_row (row) * image->height : 0,
      is_grey (image->format) ? 0 : ctr_aligned_row (image->width) * image->height,
      mode == CTR_THRESHOLD_OTSU ? sizeof (Histogram) : 0};
}

bool
input_stage_has_room (const InputStage *state, const CtrImage *image, CtrThresholdMode mode)
{
  const Needs n = needs_of (image, mode);
  return n.upload <= state->staging.size && n.upload <= state->upload.size && n.luma <= state->luma.size
         && n.histogram <= state->histogram.size;
}

bool
input_stage_reserve (InputStage *state, const CtrImage *image, CtrThresholdMode mode, bool *fresh, CtrError *error)
{
  const Needs n = needs_of (image, mode);
  *fresh = !input_stage_has_room (state, image, mode);
  return ctr_device_buffer_reserve (&state->staging, n.upload, error)
         && ctr_device_buffer_reserve (&state->upload, n.upload, error)
         && ctr_device_buffer_reserve (&state->luma, n.luma, error)
         && ctr_device_buffer_reserve (&state->histogram, n.histogram, error);
}

void
input_stage_stage (InputStage *state, const CtrImage *image)
{
  if (image->memory != CTR_MEMORY_HOST)
    return;
  const size_t row = image->width * ctr_format_pixel_size (image->format), pitch = ctr_aligned_row (row);
  const uint8_t *from = (const uint8_t *) image->data;
  uint8_t *to = (uint8_t *) state->staging.data;
  for (uint32_t y = 0; y < image->height; y++)
    memcpy (to + y * pitch, from + y * image->stride, row);
}

bool
input_stage_upload (InputStage *state, const CtrImage *image, CtrImage *plane, cudaStream_t stream, CtrError *error)
{
  *plane = *image;
  plane->memory = CTR_MEMORY_DEVICE;
  if (image->memory == CTR_MEMORY_HOST) {
    plane->stride = ctr_aligned_row (image->width * ctr_format_pixel_size (image->format));
    plane->data = state->upload.data;
    CTR_CUDA (cudaMemcpyAsync (
        state->upload.data, state->staging.data, plane->stride * image->height, cudaMemcpyHostToDevice, stream));
  }
  return true;
}

bool
input_stage_plane (InputStage *state, const CtrImage *image, CtrImage *plane, cudaStream_t stream, CtrError *error)
{
  if (!input_stage_upload (state, image, plane, stream, error))
    return false;
  if (is_grey (image->format))
    return true;

  uint32_t red, green, blue;
  input_stage_rgb (image->format, &red, &green, &blue);
  const dim3 block (32, 8), grid (ctr_div_up (image->width, 32), min (ctr_div_up (image->height, 8), 65535u));
  const size_t stride = ctr_aligned_row (image->width);
  luma_kernel<<<grid, block, 0, stream>>> ((const uint8_t *) plane->data, plane->stride, image->width, image->height,
      ctr_format_pixel_size (image->format), red, green, blue, (uint8_t *) state->luma.data, stride);
  CTR_CUDA (cudaGetLastError ());
  plane->data = state->luma.data;
  plane->stride = stride;
  plane->format = CTR_FORMAT_GRAY8;
  return true;
}

/* Queues the histogram of PLANE with LEVELS levels. */
static bool
count_samples (InputStage *state, const CtrImage *plane, uint32_t levels, uint32_t sample_shift, cudaStream_t stream,
    CtrError *error)
{
  uint32_t *counts = ((Histogram *) state->histogram.data)->counts;
  const unsigned ctas = min (ctr_div_up (plane->height, HISTOGRAM_THREADS / 32), 1024u);
  auto kernel = plane->format == CTR_FORMAT_GRAY8 ? histogram_kernel<uint8_t, LEVELS_8>
                : levels == LEVELS_8              ? histogram_kernel<uint16_t, LEVELS_8>
                                                  : histogram_kernel<uint16_t, LEVELS_16>;
  CTR_CUDA (cudaMemsetAsync (counts, 0, levels * sizeof *counts, stream));
  kernel<<<ctas, HISTOGRAM_THREADS, 0, stream>>> (
      (const uint8_t *) plane->data, plane->stride, plane->width, plane->height, sample_shift, counts);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

bool
input_stage_otsu (
    InputStage *state, const CtrImage *plane, const uint32_t **threshold, cudaStream_t stream, CtrError *error)
{
  Histogram *histogram = (Histogram *) state->histogram.data;
  const uint32_t levels = plane->format == CTR_FORMAT_GRAY8 ? LEVELS_8 : LEVELS_16;
  if (!count_samples (state, plane, levels, 0, stream, error))
    return false;
  otsu_kernel<<<1, OTSU_THREADS, 0, stream>>> (histogram, levels, (uint64_t) plane->width * plane->height);
  CTR_CUDA (cudaGetLastError ());
  *threshold = &histogram->threshold;
  return true;
}

bool
input_stage_histogram_8 (InputStage *state, const CtrImage *plane, uint32_t sample_shift, const uint32_t **counts,
    cudaStream_t stream, CtrError *error)
{
  *counts = ((Histogram *) state->histogram.data)->counts;
  return count_samples (state, plane, LEVELS_8, sample_shift, stream, error);
}
