/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The picture of a mask on the GPU: the packed mask of the input stage, painted into all planes by one kernel, or brought to
 * the host, which paints. */
#include "cuda/common/input_stage.h"
#include "cuda/foreground/crossing_regions.cuh"

#include <stdlib.h>
#include <string.h>

namespace
{

struct Mask {
  CudaSession session;
  InputStage input;
  CtrDeviceBuffer whole;     /* the packed mask of an image with regions, where it is not painted from the atlas */
  CtrDeviceBuffer host;      /* pinned: the packed mask of a host picture */
  CtrDeviceBuffer threshold; /* pinned: where the kernel leaves the threshold */
  CtrRoomPeriod period;

  bool to_host; /* a host picture is queued: */
  CtrEdgePicture picture;
  uint32_t width, height;
};

constexpr int THREADS = GATHERED_REGIONS;

struct PaintArgs {
  MaskPicture picture;
  PackedMask mask; /* of the image, or of the atlas of REGIONS */
  DeviceRegions regions;
};

/* Paints plane blockIdx.z, PAINTED_PIXELS pixels a thread. */
template <bool ATLAS>
__global__ void
__launch_bounds__ (THREADS) paint_kernel (const __grid_constant__ PaintArgs a)
{
  __shared__ CrossingRegions crossing;
  const MaskPicture &picture = a.picture;
  const CtrEdgePlane &plane = picture.planes[blockIdx.z];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t width = painted_width (picture, plane);
  const uint32_t pieces = ctr_div_up (width, PAINTED_PIXELS);
  const uint32_t all = pieces * painted_height (picture, plane); /* far below 2^32, as sides have 16 bits */
  if (blockIdx.x == 0 && blockIdx.z == 0 && threadIdx.x == 0)
    tell_threshold (picture);
  const auto load_word = [&] (uint32_t x, uint32_t y) {
    return ATLAS ? crossing.load_word (a.mask, x, y)
                 : *((const uint32_t *) ((const uint8_t *) a.mask.bits + y * a.mask.stride) + x / 32);
  };
  for (uint32_t first = blockIdx.x * THREADS; first < all; first += gridDim.x * THREADS) {
    if (ATLAS) {
      const uint32_t last = min (first + THREADS, all) - 1;
      crossing.find (
          a.regions, first / pieces << plane.y_shift, min ((last / pieces + 1) << plane.y_shift, picture.height));
    }
    const uint32_t i = first + threadIdx.x, x = i % pieces * PAINTED_PIXELS, y = i / pieces;
    if (i < all)
      write_pixels (plane, x, y, min (width - x, PAINTED_PIXELS), load_covered (picture, plane, x, y, load_word));
  }
}

constexpr uint32_t MOST_CTAS = 4096; /* of a plane */

bool mask_finish (void *state, CtrError *error);

void *
mask_create (CtrError *error)
{
  Mask *mask = (Mask *) calloc (1, sizeof *mask);
  if (!mask) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a mask painter");
    return NULL;
  }
  input_stage_init (&mask->input);
  mask->host.pinned = mask->threshold.pinned = true;
  if (cuda_session_open (&mask->session, "preparing a mask painter", error)
      && ctr_device_buffer_reserve (&mask->threshold, sizeof (uint32_t), error))
    return mask;
  cuda_session_close (&mask->session);
  free (mask);
  return NULL;
}

void
mask_destroy (void *state)
{
  Mask *mask = (Mask *) state;
  cuda_session_close (&mask->session);
  input_stage_free (&mask->input);
  ctr_device_buffer_free (&mask->whole);
  ctr_device_buffer_free (&mask->host);
  ctr_device_buffer_free (&mask->threshold);
  free (mask);
}

/* Is the mask of the whole image needed besides that of its atlas? Few regions are painted from there. */
bool
makes_whole (const InputNeed &need, bool to_host)
{
  return input_has_regions (need) && (to_host || ctr_regions_get_count (need.foreground->regions) > GATHERED_REGIONS);
}

/* Memory for the frame. HOST: bytes of a host picture's mask. Waits for queued work before any memory moves. */
bool
reserve (Mask *mask, const CtrImage *image, const InputNeed &need, size_t host, CtrError *error)
{
  const size_t whole = makes_whole (need, host > 0) ? ctr_packed_row (image->width) * image->height : 0;
  bool fresh;
  if (!input_stage_has_room (&mask->input, image, need) || host > mask->host.size || whole > mask->whole.size)
    CTR_CUDA (cudaStreamSynchronize (mask->session.stream));
  return input_stage_reserve (&mask->input, image, need, mask->session.stream, &fresh, error)
         && ctr_device_buffer_reserve (&mask->host, host, error)
         && ctr_device_buffer_reserve (&mask->whole, whole, error);
}

/* At the end of a period: gives back what its frames have not needed. */
bool
give_back (Mask *mask, CtrError *error)
{
  CtrDeviceBuffer *const host = &mask->host;
  const cudaStream_t stream = mask->session.stream;
  bool some = false;
  if (!input_stage_give_back (&mask->input, stream, &some, error)
      || !ctr_device_buffers_give_back (&host, 1, stream, &some, error))
    return false;
  if (some)
    ctr_room_period_double (&mask->period);
  return true;
}

bool
queue_paint (const PaintArgs &a, const CudaSession *session, CtrError *error)
{
  const MaskPicture &picture = a.picture;
  uint32_t most = 1;
  for (uint32_t i = 0; i < picture.plane_count; i++) {
    const CtrEdgePlane &plane = picture.planes[i];
    const uint32_t pieces =
        ctr_div_up (painted_width (picture, plane), PAINTED_PIXELS) * painted_height (picture, plane);
    most = max (most, min (ctr_div_up (pieces, THREADS), MOST_CTAS));
  }
  ctr_launch_overlapped (session->overlap, a.regions.places ? paint_kernel<true> : paint_kernel<false>,
      dim3 (most, 1, picture.plane_count), THREADS, 0, session->stream, a);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

bool
queue_frame (
    Mask *mask, const CtrImage *image, const CtrForeground *foreground, const CtrEdgePicture *picture, CtrError *error)
{
  const cudaStream_t stream = mask->session.stream;
  const bool to_host = picture->memory == CTR_MEMORY_HOST;
  const size_t size = ctr_packed_row (image->width) * image->height;
  uint32_t *applied = (uint32_t *) mask->threshold.data;
  MaskPainting painting = {};
  InputNeed need = {foreground, false, true};
  CtrImage shared;
  InputView view;
  bool moved;
  if (!input_stage_share (&mask->input, image, need, &mask->session, &shared, &moved, error)
      || !reserve (mask, &shared, need, to_host ? size : 0, error))
    return false;
  if (!to_host) {
    MaskPicture &painted = painting.picture;
    memcpy (painted.planes, picture->planes, sizeof painted.planes);
    painted.plane_count = picture->plane_count;
    painted.width = image->width;
    painted.height = image->height;
    painted.threshold = ctr_foreground_given_threshold (foreground);
    painted.applied = applied;
    need.painting = &painting;
  }
  if (!cuda_session_start_clock (&mask->session, error)
      || !input_stage_upload (&mask->input, &shared, need, stream, error)
      || !input_stage_foreground (&mask->input, &shared, need, &view, stream, error))
    return false;
  DeviceRegions regions = {};
  if (input_has_regions (need))
    regions = region_stage_view (&mask->input.regions);
  if (makes_whole (need, to_host)) {
    const PackedMask whole = {
        (uint32_t *) mask->whole.data, ctr_packed_row (image->width), image->width, image->height};
    if (!regions_queue_whole (&regions, &view.mask, &whole, mask->session.overlap, stream, error))
      return false;
    view.mask = whole;
    regions = {};
  }
  if (to_host) {
    CTR_CUDA (cudaMemcpyAsync (mask->host.data, view.mask.bits, size, cudaMemcpyDeviceToHost, stream));
    if (view.threshold)
      CTR_CUDA (cudaMemcpyAsync (applied, view.threshold, sizeof *applied, cudaMemcpyDeviceToHost, stream));
    else
      *applied = ctr_foreground_given_threshold (foreground);
  } else if (!painting.painted) {
    PaintArgs a = {painting.picture, view.mask, regions};
    a.picture.found = view.threshold;
    if (!queue_paint (a, &mask->session, error))
      return false;
  }
  mask->to_host = to_host;
  mask->picture = *picture;
  mask->width = image->width;
  mask->height = image->height;
  return true;
}

bool
mask_enqueue (void *state, const CtrImage *image, const CtrForeground *foreground, const CtrEdgePicture *picture,
    void *stream, CtrError *error)
{
  Mask *mask = (Mask *) state;
  /* A queued host picture needs its mask, and a queued frame its threshold, before the next frame overwrites them. */
  if ((mask->to_host && !mask_finish (mask, error)) || !cuda_session_begin (&mask->session, stream, error))
    return false;
  if ((!ctr_room_period_ends (&mask->period) || give_back (mask, error))
      && queue_frame (mask, image, foreground, picture, error) && cuda_session_mark (&mask->session, error)
      && input_stage_release_image (&mask->input, error))
    return true;
  cuda_session_end (&mask->session, false);
  input_stage_end (&mask->input);
  mask->to_host = false;
  return false;
}

bool
mask_lead_default (void *state, CtrError *error)
{
  const Mask *mask = (const Mask *) state;
  CTR_CUDA (cudaStreamWaitEvent (cudaStreamLegacy, mask->session.done, 0));
  return true;
}

/* Waits for the queued frame and fills a host picture. */
bool
mask_finish (void *state, CtrError *error)
{
  Mask *mask = (Mask *) state;
  const bool pending = mask->session.stream != NULL, to_host = mask->to_host;
  mask->session.stream = NULL;
  mask->to_host = false;
  if (to_host)
    ctr_edge_picture_clear (&mask->picture, mask->width, mask->height); /* while the GPU works */
  if (pending)
    CTR_CUDA (cuda_wait_for_event (mask->session.done, &mask->session.wait));
  cuda_timing_end (&mask->session.timing, true);
  input_stage_end (&mask->input);
  if (to_host)
    ctr_edge_picture_draw (&mask->picture, (const uint64_t *) mask->host.data,
        ctr_packed_row (mask->width) / sizeof (uint64_t), mask->width, mask->height);
  return true;
}

uint32_t
mask_threshold (const void *state)
{
  return *(const uint32_t *) ((const Mask *) state)->threshold.data;
}

} // namespace

extern "C" const CtrMaskOps ctr_mask_ops_cuda = {
    {mask_create, mask_destroy}, mask_enqueue, mask_lead_default, mask_finish, mask_threshold};
