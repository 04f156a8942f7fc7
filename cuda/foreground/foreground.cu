/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The steps of a mask on the GPU, in order, and their memory.
 *
 *   levels or neighbourhoods     -> mask, and with hysteresis strong samples -> marker
 *   hysteresis                   mask and marker -> mask
 *   opening, closing             mask -> the result, or from the levels at once
 *   holes, splitting, border     the result, in place
 *
 * Without an opening and a closing the mask is the result from the start. */
#include "cuda/foreground/foreground.h"

#include "cuda/common/launch.cuh"

#include <string.h>

namespace
{

/* What a foreground has besides a threshold. */
struct Steps {
  bool adaptive, hysteresis, morphology, holes, split, border;
  bool marker; /* The hysteresis needs a packed mask and a packed marker. */
  bool packs;  /* Opening and closing need a packed mask. */
};

/* Rows above and below a tile whose samples opening and closing load. Beyond, packing the mask before is quicker. */
constexpr uint32_t MOST_MARGIN = 32;

/* Can the samples that thresholds compare be read where they are? PLANE becomes a view of them. */
bool
reads_plane (const CtrImage *image, const CtrForeground *foreground, CtrImage *plane)
{
  return !foreground->regions && foreground_channel_is_plane (image, foreground->channel, plane);
}

Steps
steps_of (const CtrImage *image, const CtrForeground *foreground)
{
  CtrImage plane;
  const bool adaptive = ctr_foreground_is_adaptive (foreground),
             hysteresis = ctr_foreground_has_hysteresis (foreground);
  const bool morphology = foreground->open_size > 1 || foreground->close_size > 1;
  const bool plane_is_read = reads_plane (image, foreground, &plane);
  const uint32_t margin = 2 * (max (foreground->open_size, 1u) - 1) + 2 * (max (foreground->close_size, 1u) - 1);
  return {adaptive, hysteresis, morphology, foreground->fill_holes, foreground->split_touching > 0,
      foreground->clear_border, hysteresis && !plane_is_read,
      morphology && (adaptive || hysteresis || foreground->ranges || !plane_is_read || margin > MOST_MARGIN)};
}

size_t
mask_size (const CtrImage *image)
{
  return ctr_packed_row (image->width) * image->height;
}

/* Bytes of the stage's memory: masks, adaptive.cu's, connected.cu's, split.cu's. */
struct Room {
  size_t masks, sums, labels, arrivals, splits;
};

Room
room_for (const CtrImage *image, const CtrForeground *foreground)
{
  const Steps steps = steps_of (image, foreground);
  const uint32_t regions = foreground->regions ? ctr_regions_get_count (foreground->regions) : 0;
  const bool reconstructs = steps.hysteresis || steps.holes || steps.border;
  return {(steps.marker + steps.packs) * mask_size (image),
      steps.adaptive ? foreground_adaptive_room (image, foreground) : 0,
      reconstructs ? foreground_reconstruction_labels (image->width, image->height, regions) : 0,
      reconstructs ? foreground_reconstruction_arrivals (image->width, image->height, regions) : 0,
      steps.split ? foreground_split_room (image->width, image->height) : 0};
}

bool
has (const ForegroundStage *stage, const Room &room)
{
  return room.masks <= stage->masks.size && room.sums <= stage->sums.size && room.labels <= stage->labels.size
         && room.arrivals <= stage->arrivals.size && room.splits <= stage->splits.size;
}

} // namespace

void
foreground_stage_init (ForegroundStage *stage)
{
  memset (stage, 0, sizeof *stage);
}

void
foreground_stage_free (ForegroundStage *stage)
{
  for (CtrDeviceBuffer *buffer : {&stage->masks, &stage->sums, &stage->labels, &stage->arrivals, &stage->splits})
    ctr_device_buffer_free (buffer);
}

bool
foreground_stage_has_room (const ForegroundStage *stage, const CtrImage *image, const CtrForeground *foreground)
{
  return has (stage, room_for (image, foreground));
}

bool
foreground_stage_reserve (ForegroundStage *stage, const CtrImage *image, const CtrForeground *foreground,
    cudaStream_t stream, bool *fresh, CtrError *error)
{
  const Room room = room_for (image, foreground);
  *fresh = !has (stage, room);
  return ctr_device_buffer_reserve (&stage->masks, room.masks, error)
         && ctr_device_buffer_reserve (&stage->sums, room.sums, error)
         && ctr_device_buffer_reserve (&stage->labels, room.labels, error)
         && ctr_device_buffer_reserve_clear (&stage->arrivals, room.arrivals, stream, error)
         && ctr_device_buffer_reserve (&stage->splits, room.splits, error);
}

/* Queues the thresholds of neighbourhoods. */
static bool
queue_adaptive (ForegroundStage *stage, const CtrImage *image, const CtrForeground *foreground, const PackedMask *mask,
    const Atlas *atlas, cudaStream_t stream, CtrError *error)
{
  CtrForeground what = *foreground;
  if (atlas) {
    what.channel = CTR_CHANNEL_LUMA;
    CTR_CUDA (cudaMemsetAsync (mask->bits, 0, mask->stride * mask->height, stream));
  }
  return foreground_queue_adaptive (image, &what, &stage->weights, stage->sums.data, mask, atlas, stream, error);
}

/* Queues the first step of a mask, and hysteresis. MARKER: memory for a mask, if the steps have one. PICTURE: NULL, or what hysteresis
 * paints. */
static bool
queue_first (ForegroundStage *stage, const CtrImage *image, const CtrForeground *foreground, const uint32_t *threshold,
    const PackedMask *mask, const PackedMask *marker, const Atlas *atlas, const ReconstructionRoom *room,
    const MaskPicture *picture, cudaStream_t stream, CtrError *error)
{
  const Steps steps = steps_of (image, foreground);
  CtrImage plane;
  if (steps.adaptive)
    return queue_adaptive (stage, image, foreground, mask, atlas, stream, error);
  if (steps.hysteresis && !steps.marker)
    return reads_plane (image, foreground, &plane)
           && foreground_queue_hysteresis (&plane, foreground, mask, room, picture, stream, error);
  const PackedMask *const strong_mask = steps.marker ? marker : NULL;
  if (atlas ? !regions_queue_levels (atlas, foreground, threshold, mask, strong_mask, stream, error)
            : !foreground_queue_levels (image, foreground, threshold, mask, strong_mask, stream, error))
    return false;
  Reconstruction strong = {};
  strong.invert_result = foreground->invert;
  return !steps.marker
         || foreground_queue_reconstruction (mask, marker, mask, &strong, atlas, room, picture, stream, error);
}

/* Queues the steps up to opening and closing. PICTURE: NULL, or what hysteresis paints. */
static bool
queue_opened (ForegroundStage *stage, const CtrImage *image, const CtrForeground *foreground, const uint32_t *threshold,
    const PackedMask *mask, const Atlas *atlas, const ReconstructionRoom *room, const MaskPicture *picture,
    cudaStream_t stream, CtrError *error)
{
  const Steps steps = steps_of (image, foreground);
  uint8_t *memory = (uint8_t *) stage->masks.data;
  PackedMask first = *mask, marker = *mask;
  CtrImage plane;
  if (steps.morphology && !steps.packs)
    return reads_plane (image, foreground, &plane)
           && foreground_queue_morphology_of_levels (&plane, foreground, threshold, mask, stream, error);
  if (steps.morphology) {
    first.bits = (uint32_t *) memory;
    memory += mask->stride * mask->height;
  }
  marker.bits = (uint32_t *) memory;
  if (!queue_first (stage, image, foreground, threshold, &first, &marker, atlas, room, picture, stream, error))
    return false;
  if (atlas && atlas->regions.inside && (steps.adaptive || steps.hysteresis)
      && !regions_queue_clip (&atlas->regions, &first, stream, error))
    return false;
  return !steps.morphology
         || foreground_queue_morphology (&first, mask, foreground, atlas ? &atlas->regions : NULL, stream, error);
}

bool
foreground_stage_queue (ForegroundStage *stage, const CtrImage *image, const CtrForeground *foreground,
    const uint32_t *threshold, const PackedMask *mask, const Atlas *atlas, MaskPainting *painting, cudaStream_t stream,
    CtrError *error)
{
  const Steps steps = steps_of (image, foreground);
  const ReconstructionRoom room = {stage->labels.data, stage->arrivals.data};
  const bool ends_with_hysteresis =
      steps.hysteresis && !steps.morphology && !steps.holes && !steps.split && !steps.border;
  const bool ends_with_holes = steps.holes && !steps.split && !steps.border;
  MaskPicture *picture = NULL;
  if (painting && !atlas && (ends_with_hysteresis || ends_with_holes || steps.border)) {
    painting->painted = true;
    picture = &painting->picture;
    picture->found = threshold;
  }
  if (!queue_opened (stage, image, foreground, threshold, mask, atlas, &room, ends_with_hysteresis ? picture : NULL,
          stream, error))
    return false;
  if (steps.holes) {
    Reconstruction outside = {};
    outside.invert_mask = outside.invert_result = true;
    if (!foreground_queue_reconstruction (
            mask, NULL, mask, &outside, atlas, &room, ends_with_holes ? picture : NULL, stream, error))
      return false;
  }
  if (steps.split
      && !foreground_queue_split (mask, foreground->split_touching, atlas, stage->splits.data, stream, error))
    return false;
  if (!steps.border)
    return true;
  Reconstruction touching = {};
  touching.eight_connected = touching.remove = true;
  return foreground_queue_reconstruction (mask, NULL, mask, &touching, atlas, &room, picture, stream, error);
}
