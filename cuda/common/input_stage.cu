/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/common/input_stage.h"

#include "cuda/common/histogram.cuh"
#include "cuda/common/pieces.cuh"

#include <string.h>

namespace
{

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

/* Queues the upload of IMAGE to UPLOADED. Sets PLANE to a view of its grey samples: those of UPLOADED, or luma that is
 * still to be computed; returns whether this is so in *RGB. */
static bool
begin (InputStage *state, const CtrImage *image, CtrImage *uploaded, CtrImage *plane, bool *rgb, cudaStream_t stream,
    CtrError *error)
{
  if (!input_stage_upload (state, image, uploaded, stream, error))
    return false;
  *plane = *uploaded;
  *rgb = !is_grey (image->format);
  if (*rgb) {
    plane->data = state->luma.data;
    plane->stride = ctr_aligned_row (image->width);
    plane->format = CTR_FORMAT_GRAY8;
  }
  return true;
}

bool
input_stage_plane (InputStage *state, const CtrImage *image, CtrImage *plane, cudaStream_t stream, CtrError *error)
{
  CtrImage uploaded;
  bool rgb;
  if (!begin (state, image, &uploaded, plane, &rgb, stream, error))
    return false;
  if (!rgb)
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
  bool rgb;
  return begin (state, image, &uploaded, plane, &rgb, stream, error)
         && histogram_queue (
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
