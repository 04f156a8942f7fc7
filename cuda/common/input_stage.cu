/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/common/input_stage.h"

#include "cuda/common/histogram.cuh"

#include <string.h>

namespace
{

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
input_stage_reserve (
    InputStage *state, const CtrImage *image, CtrThresholdMode mode, cudaStream_t stream, bool *fresh, CtrError *error)
{
  const Needs n = needs_of (image, mode);
  *fresh = !input_stage_has_room (state, image, mode);
  return ctr_device_buffer_reserve (&state->staging, n.upload, error)
         && ctr_device_buffer_reserve (&state->upload, n.upload, error)
         && ctr_device_buffer_reserve (&state->luma, n.luma, error)
         && ctr_device_buffer_reserve_clear (&state->histogram, n.histogram, stream, error);
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

bool
input_stage_otsu (
    InputStage *state, const CtrImage *plane, const uint32_t **threshold, cudaStream_t stream, CtrError *error)
{
  Histogram *histogram = (Histogram *) state->histogram.data;
  *threshold = &histogram->threshold;
  return histogram_queue_otsu (histogram, plane, stream, error);
}

bool
input_stage_histogram_8 (InputStage *state, const CtrImage *plane, uint32_t sample_shift, const uint32_t **counts,
    cudaStream_t stream, CtrError *error)
{
  Histogram *histogram = (Histogram *) state->histogram.data;
  *counts = histogram->result;
  return histogram_queue_8 (histogram, plane, sample_shift, stream, error);
}
