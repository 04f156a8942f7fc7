/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an analyser takes from a shared input, and what it makes there. */
#include "cuda/common/histogram.cuh"
#include "cuda/common/input_parts.h"

#include "core/common/input.h"

namespace
{

/* What an analysis needs that the shared input lacks. */
struct Lacks {
  bool plane, threshold, mask;
};

/* Keeps SLOT, with the reference of the caller, until the frame is complete. */
void
hold (InputStage *state, InputSlot *slot)
{
  InputSlot **place = state->held;
  while (*place)
    place++;
  *place = slot;
}

/* Takes what another analyser has made; SLOT may be NULL. */
bool
take (InputStage *state, InputSlot *slot, cudaStream_t stream, CtrError *error)
{
  for (const InputSlot *held : state->held)
    if (!slot || held == slot)
      return true;
  hold (state, input_slot_ref (slot));
  if (slot->filled_in != stream)
    CTR_CUDA (cudaStreamWaitEvent (stream, slot->filled, 0));
  return true;
}

InputSlot *
new_slot (InputStage *state, const CtrImage *image, const Lacks &lacks)
{
  if (!state->slots)
    state->slots = input_slots_new (NULL);
  return state->slots ? input_slots_take (
             state->slots, image, lacks.plane ? input_plane_size (image) : 0, lacks.mask ? input_bits_size (image) : 0)
                      : NULL;
}

/* Does the mask need packed pixels themselves? */
bool
needs_packed (const CtrImage *image, const CtrForeground *foreground, const Lacks &lacks)
{
  return lacks.mask && !input_is_grey (image->format) && ctr_foreground_uses_colour (foreground);
}

/* The memory of this analyser that filling a slot needs. Grey images are uploaded into the slot. */
InputRoom
fill_room (const CtrImage *image, const CtrForeground *foreground, const Lacks &lacks)
{
  InputRoom room = {};
  const bool grey = input_is_grey (image->format), uploads = lacks.plane || needs_packed (image, foreground, lacks);
  if (image->memory == CTR_MEMORY_HOST && uploads) {
    room.staging = input_upload_size (image);
    room.upload = grey ? 0 : room.staging;
  }
  if (lacks.threshold)
    room.histogram = sizeof (Histogram);
  if (lacks.mask)
    input_mask_room (image, foreground, &room);
  return room;
}

/* Queues the mask of SLOT. PACKED: the image on the device where the mask needs its colours; PLANE: its grey samples. */
bool
fill_mask (InputStage *state, InputSlot *slot, const CtrImage *image, const CtrImage *packed, const CtrImage *plane,
    const CtrForeground *foreground, bool has_otsu, cudaStream_t stream, CtrError *error)
{
  CtrImage source = packed ? *packed : *plane;
  source.chroma = input_uses_chroma (foreground, image) ? input_chroma_view (image, state->chroma.data) : CtrChroma ();
  slot->mask = input_mask_in (slot->bits, image);
  /* A threshold in another slot is copied: whoever takes the mask takes this slot only. */
  const uint32_t *otsu = has_otsu ? slot->threshold : slot->found;
  if (input_uses_otsu (foreground) && !has_otsu)
    CTR_CUDA (cudaMemcpyAsync (slot->found, state->threshold, sizeof *slot->found, cudaMemcpyDeviceToDevice, stream));
  return input_queue_mask (
      state, &source, foreground, slot->mask, otsu, slot->found, &slot->mask_threshold, NULL, stream, error);
}

/* Queues the filling of SLOT with what is lacking. SHARED: the grey samples that were taken, or IMAGE; it becomes what the
 * slot has of them. */
bool
fill (InputStage *state, InputSlot *slot, const CtrImage *image, const CtrForeground *foreground, const Lacks &lacks,
    CtrImage *shared, cudaStream_t stream, CtrError *error)
{
  const bool grey = input_is_grey (image->format), host = image->memory == CTR_MEMORY_HOST;
  const bool packed = needs_packed (image, foreground, lacks);
  const bool chroma = host && lacks.mask && input_uses_chroma (foreground, image);
  CtrImage from = *shared, plane = *shared;
  if (lacks.plane) {
    plane.data = slot->samples.data;
    plane.memory = CTR_MEMORY_DEVICE;
    plane.stride = ctr_aligned_row (image->width * (grey ? ctr_format_pixel_size (image->format) : 1));
    plane.format = grey ? image->format : CTR_FORMAT_GRAY8;
    plane.chroma = {};
    slot->plane = plane;
  }
  if (host && (lacks.plane || packed || chroma)) {
    void *pixels = lacks.plane || packed ? (grey ? slot->samples.data : state->upload.data) : NULL;
    if (!input_upload (state, image, pixels, chroma ? state->chroma.data : NULL, stream, error))
      return false;
  }
  const CtrImage colours = input_stage_view (state, image);
  if (lacks.plane)
    from = grey ? plane : colours;
  const CtrImage *luma = lacks.plane && !grey ? &plane : NULL;
  if (lacks.threshold) {
    if (!histogram_queue ((Histogram *) state->histogram.data, slot->threshold, &from, luma, false, 0, stream, error))
      return false;
  } else if (luma && !input_convert (&from, luma, stream, error)) {
    return false;
  }
  *shared = plane;
  if (lacks.mask
      && !fill_mask (state, slot, image, packed ? &colours : NULL, &plane, foreground, lacks.threshold, stream, error))
    return false;
  slot->filled_in = stream;
  CTR_CUDA (cudaEventRecord (slot->filled, stream));
  return true;
}

/* Gives INPUT what it lacked; it keeps the mask of one foreground. */
void
leave (InputStage *state, CtrInput *input, InputSlot *slot, const CtrImage *image, const CtrForeground *foreground,
    const Lacks &lacks)
{
  input->device.drop = input_slot_drop;
  if (lacks.plane)
    input->device.plane = input_slot_ref (slot);
  if (lacks.threshold) {
    input->device.threshold = input_slot_ref (slot);
    state->threshold = slot->threshold;
  }
  if (!lacks.mask)
    return;
  state->mask = slot->mask;
  state->mask_threshold = slot->mask_threshold;
  if (input->device.mask)
    return;
  input->device.mask = input_slot_ref (slot);
  input->device.foreground = *foreground;
  input->device.chroma = image->chroma;
}

/* Makes what INPUT lacks, and leaves it there. Without memory for it, the analyser goes on as without a shared input. */
bool
make (InputStage *state, CtrInput *input, const CtrImage *image, const CtrForeground *foreground, const Lacks &lacks,
    const CudaSession *session, CtrImage *shared, bool *moved, CtrError *error)
{
  const cudaStream_t stream = session->stream;
  const InputRoom room = fill_room (image, foreground, lacks);
  bool fresh;
  *moved = *moved || !input_stage_has (state, room)
           || (lacks.mask && !foreground_stage_has_room (&state->masking, image, foreground));
  if (*moved)
    CTR_CUDA (cudaStreamSynchronize (stream));
  InputSlot *slot = new_slot (state, image, lacks);
  if (!slot) {
    *shared = *image; /* with its colours */
    return true;
  }
  hold (state, slot);
  if (!input_stage_make_room (state, room, stream, error)
      || (lacks.mask && !foreground_stage_reserve (&state->masking, image, foreground, stream, &fresh, error))
      || !fill (state, slot, image, foreground, lacks, shared, stream, error))
    return false;
  leave (state, input, slot, image, foreground, lacks);
  return true;
}

/* A frame that was queued and never finished may still read what it holds. */
bool
end_former (InputStage *state, const CudaSession *session, CtrError *error)
{
  if (state->held[0])
    CTR_CUDA (cuda_wait_asleep (session->done));
  input_stage_end (state);
  return true;
}

/* Takes from INPUT what NEED asks for, and leaves there what it lacked. */
bool
share (InputStage *state, CtrInput *input, const CtrImage *image, const InputNeed &need, const CudaSession *session,
    CtrImage *shared, bool *moved, CtrError *error)
{
  const bool masks = input_needs_mask (need), grey = input_is_grey (image->format);
  const bool same =
      masks && input->device.mask
      && ctr_input_is_same_mask (need.foreground, &image->chroma, &input->device.foreground, &input->device.chroma);
  InputSlot *mask = same ? input->device.mask : NULL;
  /* A mask is made of the plane, unless it needs the colours of packed pixels. */
  const bool needs_plane =
      (image->memory == CTR_MEMORY_HOST || !grey)
      && (input_needs_samples (need) || (!mask && (grey || !ctr_foreground_uses_colour (need.foreground))));
  const bool needs_threshold = input_uses_otsu (need.foreground) && !mask;
  InputSlot *plane = needs_plane ? input->device.plane : NULL;
  InputSlot *threshold = needs_threshold ? input->device.threshold : NULL;
  for (const InputSlot *slot : {plane, threshold, mask})
    if (slot && slot->context != session->context)
      return true;
  if (!take (state, plane, session->stream, error) || !take (state, threshold, session->stream, error)
      || !take (state, mask, session->stream, error) || !cuda_session_start_clock (session, error))
    return false;
  if (plane)
    *shared = plane->plane;
  state->threshold = threshold ? threshold->threshold : NULL;
  if (mask) {
    state->mask = mask->mask;
    state->mask_threshold = mask->mask_threshold;
  }
  const Lacks lacks = {needs_plane && !plane, needs_threshold && !threshold, masks && !mask};
  if ((lacks.plane || lacks.threshold || lacks.mask)
      && !make (state, input, image, need.foreground, lacks, session, shared, moved, error))
    return false;
  if (state->mask.bits && !input_needs_samples (need)) {
    shared->data = NULL;
    shared->memory = CTR_MEMORY_DEVICE;
    shared->format = CTR_FORMAT_GRAY8;
  }
  return true;
}

} // namespace

bool
input_stage_share (InputStage *state, const CtrImage *image, const InputNeed &need, const CudaSession *session,
    CtrImage *shared, bool *moved, CtrError *error)
{
  CtrInput *input = need.alone ? NULL : ctr_input_for (image);
  *shared = *image;
  *moved = false;
  if (!end_former (state, session, error))
    return false;
  if (input_has_regions (need)) {
    if (!region_stage_take (&state->regions, need.foreground->regions, need.reversed, session->stream, moved, error))
      return false;
    if (!input || ctr_foreground_uses_colour (need.foreground))
      return true;
    return share (state, input, image, INPUT_NEEDS_SAMPLES, session, shared, moved, error);
  }
  return !input || share (state, input, image, need, session, shared, moved, error);
}
