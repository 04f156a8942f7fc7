/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The input stage of an image with regions: what is analysed in its place. Each step of the mask is launched for all regions at once. */
#include "cuda/common/histogram.cuh"
#include "cuda/common/input_parts.h"

namespace
{

/* Does the mask need more than a comparison? */
bool
needs_steps (const CtrForeground *foreground)
{
  return ctr_foreground_is_adaptive (foreground) || ctr_foreground_has_hysteresis (foreground)
         || ctr_foreground_has_steps (foreground);
}

/* Is the threshold found in the pixels of the regions? */
bool
finds_threshold (const RegionStage *stage, const CtrForeground *foreground)
{
  return !foreground->ranges && (foreground->mode == CTR_THRESHOLD_OTSU || foreground->mode == CTR_THRESHOLD_TRIANGLE)
         && ctr_regions_get_count (stage->regions) > 0;
}

/* A plane of samples of the atlas in BUFFER, of IMAGE's depth. */
CtrImage
plane_in (const CtrDeviceBuffer &buffer, const DeviceRegions &regions, const CtrImage *image)
{
  CtrImage plane = {};
  plane.format = image->format == CTR_FORMAT_GRAY16 ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8;
  plane.memory = CTR_MEMORY_DEVICE;
  plane.data = buffer.data;
  plane.stride = ctr_aligned_row (regions.width * ctr_format_pixel_size (plane.format));
  plane.width = regions.width;
  plane.height = regions.height;
  return plane;
}

} // namespace

void
input_regions_room (const InputStage *state, const CtrImage *image, const InputNeed &need, InputRoom *room)
{
  const DeviceRegions regions = region_stage_view (&state->regions);
  const CtrForeground *foreground = need.foreground;
  const CtrImage plane = plane_in (state->bits, regions, image);
  if (need.samples)
    room->luma = plane.stride * plane.height;
  if (state->mask.bits)
    return;
  if (image->memory == CTR_MEMORY_HOST && input_uses_chroma (foreground, image)) {
    room->chroma = input_chroma_size (image);
    room->staging += room->chroma;
  }
  if (ctr_foreground_is_adaptive (foreground))
    room->channel = plane.stride * plane.height;
  if (finds_threshold (&state->regions, foreground))
    room->histogram = sizeof (Histogram);
  room->bits = input_bits_size (&plane);
}

CtrImage
input_regions_plane (const InputStage *state, const CtrImage *image)
{
  return plane_in (state->channel, region_stage_view (&state->regions), image);
}

bool
input_regions_queue (InputStage *state, const CtrImage *image, const InputNeed &need, InputView *view,
    cudaStream_t stream, CtrError *error)
{
  const DeviceRegions regions = region_stage_view (&state->regions);
  const CtrForeground *foreground = need.foreground;
  CtrImage frame = input_stage_view (state, image);
  if (input_uses_chroma (foreground, image))
    frame.chroma = input_chroma_view (image, state->chroma.data);
  *view = {};
  view->plane = plane_in (state->luma, regions, image);
  if (!need.samples)
    view->plane.data = NULL;
  state->counted = false;
  if (state->mask.bits) {
    view->mask = state->mask;
    view->threshold = state->mask_threshold;
    return true;
  }
  if (need.samples && !regions_queue_samples (&regions, &frame, CTR_CHANNEL_LUMA, &view->plane, stream, error))
    return false;
  view->mask = input_mask_in (state->bits, &view->plane);
  if (finds_threshold (&state->regions, foreground)) {
    Histogram *histogram = (Histogram *) state->histogram.data;
    view->threshold = &histogram->threshold;
    if (!regions_queue_threshold (&regions, &frame, foreground, histogram, stream, error))
      return false;
  }
  const Atlas atlas = {regions, state->regions.places, &frame};
  if (!needs_steps (foreground) || regions.count == 0)
    return regions_queue_levels (&atlas, foreground, view->threshold, &view->mask, NULL, stream, error);
  const CtrImage plane = input_regions_plane (state, image);
  if (ctr_foreground_is_adaptive (foreground)
      && !regions_queue_samples (&regions, &frame, foreground->channel, &plane, stream, error))
    return false;
  return foreground_stage_queue (
      &state->masking, &plane, foreground, view->threshold, &view->mask, &atlas, NULL, stream, error);
}
