/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/common/input_stage.h"

#include "cuda/common/histogram.cuh"
#include "cuda/common/pieces.cuh"

#include <string.h>

namespace
{

/* Bytes: so many that queueing a part costs little, so few that the last one arrives soon. */
constexpr size_t UPLOAD_PART = 512 * 1024;

/* The luma of packed RGB is all that is wanted. */
struct NoCounter {
  __device__ void
  add (uint32_t, uint32_t) const
  {
  }

  __device__ void
  add_piece (bool, const uint32_t[4]) const
  {
  }
};

template <typename Pieces>
__global__ void
__launch_bounds__ (PIECES_THREADS, 1) luma_kernel (const __grid_constant__ PiecesArgs a)
{
  for_pieces<Pieces> (a, NoCounter ());
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
  if (state->uploaded)
    cudaEventDestroy (state->uploaded);
  state->uploaded = NULL;
  cudaGetLastError ();
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
  if (n.upload && !state->uploaded)
    CTR_CUDA (cuda_create_event (&state->uploaded));
  return ctr_device_buffer_reserve (&state->staging, n.upload, error)
         && ctr_device_buffer_reserve (&state->upload, n.upload, error)
         && ctr_device_buffer_reserve (&state->luma, n.luma, error)
         && ctr_device_buffer_reserve_clear (&state->histogram, n.histogram, stream, error);
}

/* Is the byte in page-locked memory, which the GPU reads by itself? */
static bool
is_pinned (const void *byte)
{
  cudaPointerAttributes attributes;
  const cudaError_t status = cudaPointerGetAttributes (&attributes, byte);
  if (status != cudaSuccess)
    cudaGetLastError ();
  return status == cudaSuccess && attributes.type == cudaMemoryTypeHost;
}

/* Copies the rows into pinned memory and from there to the device, in parts: while the GPU fetches one, the CPU copies
 * the next. */
static bool
upload_in_parts (InputStage *state, const CtrImage *image, size_t row, cudaStream_t stream, CtrError *error)
{
  const size_t pitch = ctr_aligned_row (row);
  const uint32_t most = (uint32_t) (UPLOAD_PART / pitch > 1 ? UPLOAD_PART / pitch : 1);
  uint8_t *staging = (uint8_t *) state->staging.data, *to = (uint8_t *) state->upload.data;
  const uint8_t *from = (const uint8_t *) image->data;
  /* The last upload may still read the same memory. */
  CTR_CUDA (cuda_wait_for_event (state->uploaded, &state->wait));
  for (uint32_t y = 0; y < image->height; y += most) {
    const uint32_t rows = image->height - y < most ? image->height - y : most;
    for (uint32_t i = y; i < y + rows; i++)
      memcpy (staging + i * pitch, from + i * image->stride, row);
    CTR_CUDA (cudaMemcpyAsync (to + y * pitch, staging + y * pitch, rows * pitch, cudaMemcpyHostToDevice, stream));
  }
  return true;
}

bool
input_stage_upload (InputStage *state, const CtrImage *image, cudaStream_t stream, CtrError *error)
{
  state->reads_image = false;
  if (image->memory != CTR_MEMORY_HOST)
    return true;
  const size_t row = image->width * ctr_format_pixel_size (image->format);
  const uint8_t *first = (const uint8_t *) image->data, *last = first + image->stride * (image->height - 1) + row - 1;
  state->reads_image = is_pinned (first) && is_pinned (last);
  if (state->reads_image)
    CTR_CUDA (cudaMemcpy2DAsync (state->upload.data, ctr_aligned_row (row), first, image->stride, row, image->height,
        cudaMemcpyHostToDevice, stream));
  else if (!upload_in_parts (state, image, row, stream, error))
    return false;
  CTR_CUDA (cudaEventRecord (state->uploaded, stream));
  return true;
}

bool
input_stage_release_image (InputStage *state, CtrError *error)
{
  if (state->reads_image)
    CTR_CUDA (cuda_wait_for_event (state->uploaded, &state->wait));
  state->reads_image = false;
  return true;
}

CtrImage
input_stage_view (const InputStage *state, const CtrImage *image)
{
  CtrImage view = *image;
  view.memory = CTR_MEMORY_DEVICE;
  if (image->memory == CTR_MEMORY_HOST) {
    view.stride = ctr_aligned_row (image->width * ctr_format_pixel_size (image->format));
    view.data = state->upload.data;
  }
  return view;
}

/* Sets UPLOADED to a view of IMAGE on the device, and PLANE to one of its grey samples: those of UPLOADED, or luma that
 * is still to be computed; then it returns true. */
static bool
view_samples (const InputStage *state, const CtrImage *image, CtrImage *uploaded, CtrImage *plane)
{
  *plane = *uploaded = input_stage_view (state, image);
  if (is_grey (image->format))
    return false;
  plane->data = state->luma.data;
  plane->stride = ctr_aligned_row (image->width);
  plane->format = CTR_FORMAT_GRAY8;
  return true;
}

bool
input_stage_plane (InputStage *state, const CtrImage *image, CtrImage *plane, cudaStream_t stream, CtrError *error)
{
  CtrImage uploaded;
  if (!view_samples (state, image, &uploaded, plane))
    return true;
  auto kernel = ctr_format_pixel_size (image->format) == 3 ? luma_kernel<RgbPieces<3>> : luma_kernel<RgbPieces<4>>;
  const PiecesArgs a = pieces_args (&uploaded, plane);
  return pieces_launch (kernel, a, a, stream, error);
}

static bool
count (InputStage *state, const CtrImage *image, bool small, uint32_t sample_shift, CtrImage *plane,
    cudaStream_t stream, CtrError *error)
{
  CtrImage uploaded;
  const bool rgb = view_samples (state, image, &uploaded, plane);
  return histogram_queue (
      (Histogram *) state->histogram.data, &uploaded, rgb ? plane : NULL, small, sample_shift, stream, error);
}

bool
input_stage_foreground (InputStage *state, const CtrImage *image, CtrThresholdMode mode, CtrImage *plane,
    const uint32_t **threshold, cudaStream_t stream, CtrError *error)
{
  *threshold = NULL;
  if (mode != CTR_THRESHOLD_OTSU)
    return input_stage_plane (state, image, plane, stream, error);
  *threshold = &((Histogram *) state->histogram.data)->threshold;
  return count (state, image, false, 0, plane, stream, error);
}

bool
input_stage_histogram_8 (InputStage *state, const CtrImage *image, uint32_t sample_shift, CtrImage *plane,
    const uint32_t **counts, const uint32_t **threshold, cudaStream_t stream, CtrError *error)
{
  const Histogram *histogram = (const Histogram *) state->histogram.data;
  *counts = histogram->result;
  *threshold = &histogram->threshold;
  return count (state, image, true, sample_shift, plane, stream, error);
}
