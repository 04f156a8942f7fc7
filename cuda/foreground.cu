/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input side of every algorithm on the GPU: upload, luma of packed RGB, Otsu's threshold. */
#include "cuda/foreground.h"

#include "core/otsu.h"

#include <string.h>

namespace
{

constexpr size_t ROW_ALIGN = 256; /* bytes; rows of our own planes, for vector loads */
constexpr int LEVELS_8 = 256;
constexpr int LEVELS_16 = 65536;

struct Histogram {
  uint32_t counts[LEVELS_16];
  uint32_t threshold;
};

size_t
aligned_row (size_t bytes)
{
  return (bytes + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
}

/* Luma as in contours/image.h. A thread a pixel; RED, GREEN, BLUE: bytes of the pixel. */
__global__ void
luma_kernel (const uint8_t *pixels, size_t stride, uint32_t width, uint32_t height, uint32_t pixel_size, uint32_t red,
    uint32_t green, uint32_t blue, uint8_t *luma, size_t luma_stride)
{
  uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
  for (uint32_t y = blockIdx.y * blockDim.y + threadIdx.y; y < height; y += gridDim.y * blockDim.y) {
    if (x >= width)
      return;
    const uint8_t *p = pixels + y * stride + (size_t) x * pixel_size;
    luma[y * luma_stride + x] = (9798 * p[red] + 19235 * p[green] + 3735 * p[blue] + 16384) >> 15;
  }
}

constexpr int HISTOGRAM_THREADS = 256;

/* 8-bit samples are counted per warp in shared memory, 16-bit ones where they lie. A warp a row at a time. */
template <typename Sample>
__global__ void
__launch_bounds__ (HISTOGRAM_THREADS)
    histogram_kernel (const uint8_t *pixels, size_t stride, uint32_t width, uint32_t height, uint32_t *counts)
{
  constexpr bool small = sizeof (Sample) == 1;
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
      atomicAdd (small ? &own[warp][row[x]] : &counts[row[x]], 1);
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

/* One CTA: the sums in parallel; then one thread runs the recurrence of core/otsu.h over the levels that have pixels,
 * in order, since every rounding counts. */
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
ctr_foreground_init (CtrForegroundState *state)
{
  memset (state, 0, sizeof *state);
  state->staging.pinned = true;
}

void
ctr_foreground_free (CtrForegroundState *state)
{
  ctr_buffer_free (&state->staging);
  ctr_buffer_free (&state->upload);
  ctr_buffer_free (&state->luma);
  ctr_buffer_free (&state->histogram);
}

static bool
is_grey (CtrFormat format)
{
  return format == CTR_FORMAT_GRAY8 || format == CTR_FORMAT_GRAY16;
}

bool
ctr_foreground_reserve (
    CtrForegroundState *state, const CtrImage *image, CtrThresholdMode mode, bool *fresh, CtrError *error)
{
  const size_t row = image->width * ctr_format_pixel_size (image->format);
  const size_t upload = image->memory == CTR_MEMORY_HOST ? aligned_row (row) * image->height : 0;
  const size_t luma = is_grey (image->format) ? 0 : aligned_row (image->width) * image->height;
  const size_t histogram = mode == CTR_THRESHOLD_OTSU ? sizeof (Histogram) : 0;
  *fresh = upload > state->staging.size || upload > state->upload.size || luma > state->luma.size
           || histogram > state->histogram.size;
  return ctr_buffer_reserve (&state->staging, upload, error) && ctr_buffer_reserve (&state->upload, upload, error)
         && ctr_buffer_reserve (&state->luma, luma, error) && ctr_buffer_reserve (&state->histogram, histogram, error);
}

void
ctr_foreground_stage (CtrForegroundState *state, const CtrImage *image)
{
  if (image->memory != CTR_MEMORY_HOST)
    return;
  const size_t row = image->width * ctr_format_pixel_size (image->format), pitch = aligned_row (row);
  const uint8_t *from = (const uint8_t *) image->data;
  uint8_t *to = (uint8_t *) state->staging.data;
  for (uint32_t y = 0; y < image->height; y++)
    memcpy (to + y * pitch, from + y * image->stride, row);
}

bool
ctr_foreground_plane (
    CtrForegroundState *state, const CtrImage *image, CtrImage *plane, cudaStream_t stream, CtrError *error)
{
  *plane = *image;
  plane->memory = CTR_MEMORY_DEVICE;
  if (image->memory == CTR_MEMORY_HOST) {
    plane->stride = aligned_row (image->width * ctr_format_pixel_size (image->format));
    plane->data = state->upload.data;
    CTR_CUDA (cudaMemcpyAsync (
        state->upload.data, state->staging.data, plane->stride * image->height, cudaMemcpyHostToDevice, stream));
  }
  if (is_grey (image->format))
    return true;

  const uint32_t order =
      image->format == CTR_FORMAT_BGR || image->format == CTR_FORMAT_BGRX || image->format == CTR_FORMAT_XBGR
          ? 2 /* blue first */
          : 0;
  const uint32_t first = image->format == CTR_FORMAT_XRGB || image->format == CTR_FORMAT_XBGR ? 1 : 0;
  const dim3 block (32, 8), grid (ctr_div_up (image->width, 32), min (ctr_div_up (image->height, 8), 65535u));
  const size_t stride = aligned_row (image->width);
  luma_kernel<<<grid, block, 0, stream>>> ((const uint8_t *) plane->data, plane->stride, image->width, image->height,
      ctr_format_pixel_size (image->format), first + order, first + 1, first + 2 - order, (uint8_t *) state->luma.data,
      stride);
  CTR_CUDA (cudaGetLastError ());
  plane->data = state->luma.data;
  plane->stride = stride;
  plane->format = CTR_FORMAT_GRAY8;
  return true;
}

bool
ctr_foreground_otsu (
    CtrForegroundState *state, const CtrImage *plane, const uint32_t **threshold, cudaStream_t stream, CtrError *error)
{
  Histogram *histogram = (Histogram *) state->histogram.data;
  const uint32_t levels = plane->format == CTR_FORMAT_GRAY8 ? LEVELS_8 : LEVELS_16;
  const unsigned ctas = min (ctr_div_up (plane->height, HISTOGRAM_THREADS / 32), 1024u);
  CTR_CUDA (cudaMemsetAsync (histogram->counts, 0, levels * sizeof *histogram->counts, stream));
  if (plane->format == CTR_FORMAT_GRAY8)
    histogram_kernel<uint8_t><<<ctas, HISTOGRAM_THREADS, 0, stream>>> (
        (const uint8_t *) plane->data, plane->stride, plane->width, plane->height, histogram->counts);
  else
    histogram_kernel<uint16_t><<<ctas, HISTOGRAM_THREADS, 0, stream>>> (
        (const uint8_t *) plane->data, plane->stride, plane->width, plane->height, histogram->counts);
  otsu_kernel<<<1, OTSU_THREADS, 0, stream>>> (histogram, levels, (uint64_t) plane->width * plane->height);
  CTR_CUDA (cudaGetLastError ());
  *threshold = &histogram->threshold;
  return true;
}
