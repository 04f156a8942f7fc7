/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/common/input_parts.h"

#include "cuda/common/histogram.cuh"
#include "cuda/common/pieces.cuh"

#include <string.h>

namespace
{

/* The luma of packed pixels is all that is wanted. */
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

/* Does the analysis need a mask that does not exist yet? */
bool
makes_mask (const InputStage *state, const InputNeed &need)
{
  return input_needs_mask (need) && !state->mask.bits;
}

/* Does the analysis need Otsu's threshold of the luma, which is not known yet? */
bool
finds_otsu (const InputStage *state, const InputNeed &need)
{
  return input_uses_otsu (need.foreground) && !state->threshold && !(input_needs_mask (need) && state->mask.bits);
}

/* Is there a grey plane for packed pixels? */
bool
makes_luma (const InputStage *state, const InputNeed &need)
{
  return input_needs_samples (need) || finds_otsu (state, need);
}

InputRoom
room_for (const InputStage *state, const CtrImage *image, const InputNeed &need)
{
  InputRoom room = {};
  if (!image->data)
    return room;
  if (image->memory == CTR_MEMORY_HOST)
    room.staging = room.upload = input_upload_size (image);
  if (input_has_regions (need)) {
    input_regions_room (state, image, need, &room);
    return room;
  }
  if (!input_is_grey (image->format) && makes_luma (state, need))
    room.luma = input_plane_size (image);
  if (finds_otsu (state, need))
    room.histogram = sizeof (Histogram);
  if (makes_mask (state, need)) {
    input_mask_room (image, need.foreground, &room);
    room.bits = input_bits_size (image);
  }
  return room;
}

} // namespace

void
input_stage_init (InputStage *state)
{
  memset (state, 0, sizeof *state);
  state->staging.pinned = true;
  foreground_stage_init (&state->masking);
}

void
input_stage_free (InputStage *state)
{
  input_stage_end (state);
  input_slots_release (state->slots);
  state->slots = NULL;
  for (CtrDeviceBuffer *buffer :
      {&state->staging, &state->upload, &state->chroma, &state->luma, &state->channel, &state->histogram, &state->bits})
    ctr_device_buffer_free (buffer);
  foreground_stage_free (&state->masking);
  region_stage_free (&state->regions);
  if (state->uploaded)
    cudaEventDestroy (state->uploaded);
  state->uploaded = NULL;
  cudaGetLastError ();
}

bool
input_stage_give_back (InputStage *state, cudaStream_t stream, bool *some, CtrError *error)
{
  ForegroundStage *masking = &state->masking;
  CtrDeviceBuffer *const buffers[] = {&state->staging, &state->upload, &state->chroma, &state->luma, &state->channel,
      &state->bits, &masking->masks, &masking->sums, &masking->labels, &masking->arrivals, &masking->splits};
  *some |= input_slots_give_back (state->slots);
  return ctr_device_buffers_give_back (buffers, sizeof buffers / sizeof *buffers, stream, some, error);
}

size_t
input_plane_size (const CtrImage *image)
{
  return ctr_aligned_row (image->width * (input_is_grey (image->format) ? ctr_format_pixel_size (image->format) : 1))
         * image->height;
}

void
input_mask_room (const CtrImage *image, const CtrForeground *foreground, InputRoom *room)
{
  if (image->memory == CTR_MEMORY_HOST && input_uses_chroma (foreground, image)) {
    room->chroma = input_chroma_size (image);
    room->staging += room->chroma;
  }
  if (!input_finds_threshold (foreground))
    return;
  room->histogram = sizeof (Histogram);
  if (foreground->channel != CTR_CHANNEL_LUMA || !input_is_grey (image->format))
    room->channel = ctr_aligned_row (image->width) * image->height;
}

bool
input_stage_has (const InputStage *state, const InputRoom &room)
{
  return room.staging <= state->staging.size && room.upload <= state->upload.size && room.chroma <= state->chroma.size
         && room.luma <= state->luma.size && room.channel <= state->channel.size
         && room.histogram <= state->histogram.size && room.bits <= state->bits.size;
}

bool
input_stage_make_room (InputStage *state, const InputRoom &room, cudaStream_t stream, CtrError *error)
{
  if (room.staging && !state->uploaded)
    CTR_CUDA (cuda_create_event (&state->uploaded));
  return ctr_device_buffer_reserve (&state->staging, room.staging, error)
         && ctr_device_buffer_reserve (&state->upload, room.upload, error)
         && ctr_device_buffer_reserve (&state->chroma, room.chroma, error)
         && ctr_device_buffer_reserve (&state->luma, room.luma, error)
         && ctr_device_buffer_reserve (&state->channel, room.channel, error)
         && ctr_device_buffer_reserve (&state->bits, room.bits, error)
         && ctr_device_buffer_reserve_clear (&state->histogram, room.histogram, stream, error);
}

bool
input_stage_has_room (const InputStage *state, const CtrImage *image, const InputNeed &need)
{
  const CtrImage masked = input_has_regions (need) ? input_regions_plane (state, image) : *image;
  return input_stage_has (state, room_for (state, image, need))
         && (!makes_mask (state, need) || foreground_stage_has_room (&state->masking, &masked, need.foreground));
}

bool
input_stage_reserve (
    InputStage *state, const CtrImage *image, const InputNeed &need, cudaStream_t stream, bool *fresh, CtrError *error)
{
  const CtrImage masked = input_has_regions (need) ? input_regions_plane (state, image) : *image;
  bool moved = false;
  *fresh = !input_stage_has (state, room_for (state, image, need));
  if (!input_stage_make_room (state, room_for (state, image, need), stream, error)
      || (makes_mask (state, need)
          && !foreground_stage_reserve (&state->masking, &masked, need.foreground, stream, &moved, error)))
    return false;
  *fresh = *fresh || moved;
  return true;
}

bool
input_stage_upload (
    InputStage *state, const CtrImage *image, const InputNeed &need, cudaStream_t stream, CtrError *error)
{
  const bool chroma = makes_mask (state, need) && input_uses_chroma (need.foreground, image);
  return image->memory != CTR_MEMORY_HOST
         || input_upload (state, image, state->upload.data, chroma ? state->chroma.data : NULL, stream, error);
}

CtrImage
input_stage_view (const InputStage *state, const CtrImage *image)
{
  CtrImage view = *image;
  view.memory = CTR_MEMORY_DEVICE;
  if (image->memory == CTR_MEMORY_HOST) {
    view.stride = ctr_aligned_row (ctr_format_row_size (image->format, image->width));
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
  if (input_is_grey (image->format))
    return false;
  plane->data = state->luma.data;
  plane->stride = ctr_aligned_row (image->width);
  plane->format = CTR_FORMAT_GRAY8;
  return true;
}

bool
input_convert (const CtrImage *packed, const CtrImage *plane, cudaStream_t stream, CtrError *error)
{
  const size_t size = ctr_format_pixel_size (packed->format);
  auto kernel = size == 2   ? luma_kernel<PackedPieces<2>>
                : size == 3 ? luma_kernel<PackedPieces<3>>
                            : luma_kernel<PackedPieces<4>>;
  const PiecesArgs a = pieces_args (packed, plane);
  return pieces_launch (kernel, a, a, stream, error);
}

bool
input_stage_plane (InputStage *state, const CtrImage *image, CtrImage *plane, cudaStream_t stream, CtrError *error)
{
  CtrImage uploaded;
  state->counted = false;
  return !view_samples (state, image, &uploaded, plane) || input_convert (&uploaded, plane, stream, error);
}

size_t
input_stage_channel_size (const CtrImage *image)
{
  return input_plane_size (image);
}

bool
input_stage_copy_channel (const InputStage *state, const CtrImage *image, const InputNeed &need, CtrChannel channel,
    void *to, CtrImage *plane, cudaStream_t stream, CtrError *error)
{
  CtrImage from = input_stage_view (state, image), samples;
  if (input_uses_chroma (need.foreground, image))
    from.chroma = input_chroma_view (image, state->chroma.data);
  const bool is_plane = foreground_channel_is_plane (&from, channel, &samples);
  *plane = samples;
  plane->data = to;
  plane->stride = ctr_aligned_row (image->width * ctr_format_pixel_size (samples.format));
  if (is_plane)
    CTR_CUDA (cudaMemcpy2DAsync (to, plane->stride, samples.data, samples.stride,
        image->width * ctr_format_pixel_size (samples.format), image->height, cudaMemcpyDeviceToDevice, stream));
  else if (channel == CTR_CHANNEL_LUMA)
    return input_convert (&from, plane, stream, error);
  return is_plane || foreground_queue_channel (&from, channel, plane, stream, error);
}

static bool
count (InputStage *state, const CtrImage *image, bool small, uint32_t sample_shift, CtrImage *plane,
    cudaStream_t stream, CtrError *error)
{
  CtrImage uploaded;
  Histogram *histogram = (Histogram *) state->histogram.data;
  const bool packed = view_samples (state, image, &uploaded, plane);
  state->counted = true;
  return histogram_queue (
      histogram, &histogram->threshold, &uploaded, packed ? plane : NULL, small, sample_shift, stream, error);
}

/* SOURCE becomes a plane of the channel's samples. FOUND: where their threshold shall be. */
static bool
queue_channel (InputStage *state, CtrImage *source, const CtrForeground *foreground, uint32_t *found,
    cudaStream_t stream, CtrError *error)
{
  const CtrImage from = *source;
  const bool makes = !foreground_channel_is_plane (&from, foreground->channel, source);
  const bool converts = makes && foreground->channel == CTR_CHANNEL_LUMA; /* The histogram does it, too. */
  if (makes) {
    source->data = state->channel.data;
    source->stride = ctr_aligned_row (source->width);
  }
  if (makes && !converts && !foreground_queue_channel (&from, foreground->channel, source, stream, error))
    return false;
  return histogram_queue_threshold ((Histogram *) state->histogram.data, foreground, found, converts ? &from : source,
      converts ? source : NULL, stream, error);
}

bool
input_queue_mask (InputStage *state, const CtrImage *source, const CtrForeground *foreground, const PackedMask &mask,
    const uint32_t *otsu, uint32_t *found, const uint32_t **threshold, MaskPainting *painting, cudaStream_t stream,
    CtrError *error)
{
  const bool finds = input_finds_threshold (foreground);
  CtrImage from = *source;
  CtrForeground what = *foreground;
  *threshold = finds ? found : input_uses_otsu (foreground) ? otsu : NULL;
  if (finds) {
    if (!queue_channel (state, &from, foreground, found, stream, error))
      return false;
    what.channel = CTR_CHANNEL_LUMA;
  }
  return foreground_stage_queue (&state->masking, &from, &what, *threshold, &mask, NULL, painting, stream, error);
}

/* Queues the mask of IMAGE, in the analyser's own memory. VIEW has the samples, if they are needed. */
static bool
queue_own_mask (InputStage *state, const CtrImage *image, const InputNeed &need, bool has_luma, InputView *view,
    cudaStream_t stream, CtrError *error)
{
  CtrImage source = input_stage_view (state, image);
  const uint32_t *otsu = view->threshold;
  if (has_luma && !ctr_foreground_uses_colour (need.foreground))
    source = view->plane;
  source.chroma =
      input_uses_chroma (need.foreground, image) ? input_chroma_view (image, state->chroma.data) : CtrChroma ();
  view->mask = input_mask_in (state->bits, image);
  state->counted = false;
  Histogram *histogram = (Histogram *) state->histogram.data;
  return input_queue_mask (state, &source, need.foreground, view->mask, otsu, histogram ? &histogram->threshold : NULL,
      &view->threshold, need.painting, stream, error);
}

bool
input_stage_foreground (InputStage *state, const CtrImage *image, const InputNeed &need, InputView *view,
    cudaStream_t stream, CtrError *error)
{
  if (input_has_regions (need))
    return input_regions_queue (state, image, need, view, stream, error);
  state->counted = false; /* for this frame */
  const bool finds = finds_otsu (state, need), makes = makes_mask (state, need);
  *view = {};
  view->threshold = state->threshold;
  view->plane = *image;
  if (finds) {
    view->threshold = &((Histogram *) state->histogram.data)->threshold;
    if (!count (state, image, false, 0, &view->plane, stream, error))
      return false;
  } else if (makes_luma (state, need)) {
    if (!input_stage_plane (state, image, &view->plane, stream, error))
      return false;
  }
  if (!input_uses_otsu (need.foreground))
    view->threshold = NULL;
  if (makes) {
    if (!queue_own_mask (state, image, need, makes_luma (state, need), view, stream, error))
      return false;
  } else if (input_needs_mask (need)) {
    view->mask = state->mask;
    view->threshold = state->mask_threshold;
  }
  if (!input_needs_samples (need))
    view->plane.data = NULL;
  return true;
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
input_stage_reuse (InputStage *state, const InputView &view)
{
  if (!view.mask.bits)
    return;
  state->mask = view.mask;
  state->mask_threshold = view.threshold;
}

void
input_stage_end (InputStage *state)
{
  for (InputSlot *&slot : state->held) {
    if (slot)
      input_slot_drop (slot);
    slot = NULL;
  }
  state->threshold = state->mask_threshold = NULL;
  state->mask = {};
}
