/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/common/input_stage.h"

#include "cuda/common/histogram.cuh"
#include "cuda/common/pieces.cuh"

#include "core/common/input.h"

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
  input_stage_end (state);
  input_slots_release (state->slots);
  state->slots = NULL;
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
  size_t staging, upload, luma, histogram;
};

static size_t
uploaded_size (const CtrImage *image)
{
  return ctr_aligned_row (image->width * ctr_format_pixel_size (image->format)) * image->height;
}

static Needs
needs_of (const CtrImage *image, CtrThresholdMode mode)
{
  const size_t upload = image->memory == CTR_MEMORY_HOST ? uploaded_size (image) : 0;
  return {upload, upload, is_grey (image->format) ? 0 : ctr_aligned_row (image->width) * image->height,
      mode == CTR_THRESHOLD_OTSU ? sizeof (Histogram) : 0};
}

static bool
has_room (const InputStage *state, const Needs &n)
{
  return n.staging <= state->staging.size && n.upload <= state->upload.size && n.luma <= state->luma.size
         && n.histogram <= state->histogram.size;
}

static bool
reserve (InputStage *state, const Needs &n, cudaStream_t stream, CtrError *error)
{
  if (n.staging && !state->uploaded)
    CTR_CUDA (cuda_create_event (&state->uploaded));
  return ctr_device_buffer_reserve (&state->staging, n.staging, error)
         && ctr_device_buffer_reserve (&state->upload, n.upload, error)
         && ctr_device_buffer_reserve (&state->luma, n.luma, error)
         && ctr_device_buffer_reserve_clear (&state->histogram, n.histogram, stream, error);
}

bool
input_stage_has_room (const InputStage *state, const CtrImage *image, CtrThresholdMode mode)
{
  return has_room (state, needs_of (image, mode));
}

bool
input_stage_reserve (
    InputStage *state, const CtrImage *image, CtrThresholdMode mode, cudaStream_t stream, bool *fresh, CtrError *error)
{
  const Needs n = needs_of (image, mode);
  *fresh = !has_room (state, n);
  return reserve (state, n, stream, error);
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
upload_in_parts (
    InputStage *state, const CtrImage *image, void *target, size_t row, cudaStream_t stream, CtrError *error)
{
  const size_t pitch = ctr_aligned_row (row);
  const uint32_t most = (uint32_t) (UPLOAD_PART / pitch > 1 ? UPLOAD_PART / pitch : 1);
  uint8_t *staging = (uint8_t *) state->staging.data, *to = (uint8_t *) target;
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

/* Queues the upload of a host image to TARGET, in rows of ctr_aligned_row(). */
static bool
upload (InputStage *state, const CtrImage *image, void *target, cudaStream_t stream, CtrError *error)
{
  const size_t row = image->width * ctr_format_pixel_size (image->format);
  const uint8_t *first = (const uint8_t *) image->data, *last = first + image->stride * (image->height - 1) + row - 1;
  state->reads_image = is_pinned (first) && is_pinned (last);
  if (state->reads_image)
    CTR_CUDA (cudaMemcpy2DAsync (
        target, ctr_aligned_row (row), first, image->stride, row, image->height, cudaMemcpyHostToDevice, stream));
  else if (!upload_in_parts (state, image, target, row, stream, error))
    return false;
  CTR_CUDA (cudaEventRecord (state->uploaded, stream));
  return true;
}

bool
input_stage_upload (InputStage *state, const CtrImage *image, cudaStream_t stream, CtrError *error)
{
  return image->memory != CTR_MEMORY_HOST || upload (state, image, state->upload.data, stream, error);
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

/* Queues the luma of packed RGB. */
static bool
convert (const CtrImage *uploaded, const CtrImage *plane, cudaStream_t stream, CtrError *error)
{
  auto kernel = ctr_format_pixel_size (uploaded->format) == 3 ? luma_kernel<RgbPieces<3>> : luma_kernel<RgbPieces<4>>;
  const PiecesArgs a = pieces_args (uploaded, plane);
  return pieces_launch (kernel, a, a, stream, error);
}

bool
input_stage_plane (InputStage *state, const CtrImage *image, CtrImage *plane, cudaStream_t stream, CtrError *error)
{
  CtrImage uploaded;
  state->counted = false;
  return !view_samples (state, image, &uploaded, plane) || convert (&uploaded, plane, stream, error);
}

static bool
count (InputStage *state, const CtrImage *image, bool small, uint32_t sample_shift, CtrImage *plane,
    cudaStream_t stream, CtrError *error)
{
  CtrImage uploaded;
  Histogram *histogram = (Histogram *) state->histogram.data;
  const bool rgb = view_samples (state, image, &uploaded, plane);
  state->counted = true;
  return histogram_queue (
      histogram, &histogram->threshold, &uploaded, rgb ? plane : NULL, small, sample_shift, stream, error);
}

bool
input_stage_foreground (InputStage *state, const CtrImage *image, CtrThresholdMode mode, CtrImage *plane,
    const uint32_t **threshold, cudaStream_t stream, CtrError *error)
{
  *threshold = mode == CTR_THRESHOLD_OTSU ? state->threshold : NULL;
  if (mode != CTR_THRESHOLD_OTSU || state->threshold)
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

void
input_stage_end (InputStage *state)
{
  for (InputSlot *&slot : state->held) {
    if (slot)
      input_slot_drop (slot);
    slot = NULL;
  }
  state->threshold = NULL;
}

/* Keeps SLOT, with the reference of the caller, until the frame is complete. */
static void
hold (InputStage *state, InputSlot *slot)
{
  InputSlot **place = state->held;
  while (*place)
    place++;
  *place = slot;
}

/* Takes what another analyser has made. */
static bool
take (InputStage *state, InputSlot *slot, cudaStream_t stream, CtrError *error)
{
  hold (state, input_slot_ref (slot));
  if (slot->filled_in != stream)
    CTR_CUDA (cudaStreamWaitEvent (stream, slot->filled, 0));
  return true;
}

/* What an analysis needs that the shared input lacks. */
struct Lacks {
  bool plane, threshold;
};

static InputSlot *
new_slot (InputStage *state, const CtrImage *image, const Lacks &lacks)
{
  if (!state->slots)
    state->slots = input_slots_new (NULL);
  const size_t plane = is_grey (image->format) ? uploaded_size (image) : ctr_aligned_row (image->width) * image->height;
  return state->slots ? input_slots_take (state->slots, image, lacks.plane ? plane : 0) : NULL;
}

/* The memory of this analyser that filling a slot needs. Grey images are uploaded into the slot. */
static Needs
fill_needs (const CtrImage *image, const Lacks &lacks)
{
  const bool uploads = image->memory == CTR_MEMORY_HOST;
  return {uploads ? uploaded_size (image) : 0, uploads && !is_grey (image->format) ? uploaded_size (image) : 0, 0,
      lacks.threshold ? sizeof (Histogram) : 0};
}

/* Queues the filling of SLOT with what is lacking. IMAGE: where the samples are so far. */
static bool
fill (
    InputStage *state, InputSlot *slot, const CtrImage *image, const Lacks &lacks, cudaStream_t stream, CtrError *error)
{
  const bool grey = is_grey (image->format);
  CtrImage from = *image, plane = *image;
  if (lacks.plane) {
    plane.data = slot->samples.data;
    plane.memory = CTR_MEMORY_DEVICE;
    plane.stride = ctr_aligned_row (image->width * (grey ? ctr_format_pixel_size (image->format) : 1));
    plane.format = grey ? image->format : CTR_FORMAT_GRAY8;
    slot->plane = plane;
  }
  if (image->memory == CTR_MEMORY_HOST) {
    if (!upload (state, image, grey ? slot->samples.data : state->upload.data, stream, error))
      return false;
    from = grey ? plane : input_stage_view (state, image);
  }
  const CtrImage *luma = grey ? NULL : &plane;
  if (lacks.threshold) {
    if (!histogram_queue ((Histogram *) state->histogram.data, slot->threshold, &from, luma, false, 0, stream, error))
      return false;
  } else if (luma && !convert (&from, luma, stream, error)) {
    return false;
  }
  slot->filled_in = stream;
  CTR_CUDA (cudaEventRecord (slot->filled, stream));
  return true;
}

/* Makes what INPUT lacks, and leaves it there. Without memory for it, the analyser goes on as without a shared input. */
static bool
make (InputStage *state, CtrInput *input, const Lacks &lacks, const CudaSession *session, CtrImage *shared, bool *moved,
    CtrError *error)
{
  const Needs needs = fill_needs (shared, lacks);
  *moved = !has_room (state, needs);
  if (*moved)
    CTR_CUDA (cudaStreamSynchronize (session->stream));
  InputSlot *slot = new_slot (state, shared, lacks);
  if (!slot)
    return true;
  hold (state, slot);
  if (!reserve (state, needs, session->stream, error) || !fill (state, slot, shared, lacks, session->stream, error))
    return false;
  input->device.drop = input_slot_drop;
  if (lacks.plane) {
    input->device.plane = input_slot_ref (slot);
    *shared = slot->plane;
  }
  if (lacks.threshold) {
    input->device.threshold = input_slot_ref (slot);
    state->threshold = slot->threshold;
  }
  return true;
}

/* A frame that was queued and never finished may still read what it holds. */
static bool
end_former (InputStage *state, const CudaSession *session, CtrError *error)
{
  if (state->held[0])
    CTR_CUDA (cuda_wait_asleep (session->done));
  input_stage_end (state);
  return true;
}

bool
input_stage_share (InputStage *state, const CtrImage *image, CtrThresholdMode mode, const CudaSession *session,
    CtrImage *shared, bool *moved, CtrError *error)
{
  CtrInput *input = ctr_input_for (image);
  *shared = *image;
  *moved = false;
  if (!end_former (state, session, error))
    return false;
  if (!input)
    return true;
  const bool needs_plane = image->memory == CTR_MEMORY_HOST || !is_grey (image->format);
  InputSlot *plane = needs_plane ? input->device.plane : NULL;
  InputSlot *threshold = mode == CTR_THRESHOLD_OTSU ? input->device.threshold : NULL;
  if ((plane && plane->context != session->context) || (threshold && threshold->context != session->context))
    return true;
  if (plane) {
    if (!take (state, plane, session->stream, error))
      return false;
    *shared = plane->plane;
  }
  if (threshold) {
    if (threshold != plane && !take (state, threshold, session->stream, error))
      return false;
    state->threshold = threshold->threshold;
  }
  const Lacks lacks = {needs_plane && !plane, mode == CTR_THRESHOLD_OTSU && !threshold};
  return (!lacks.plane && !lacks.threshold) || make (state, input, lacks, session, shared, moved, error);
}
