/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The picture of a mask on the GPU: the packed mask of the input stage, painted into all planes by one kernel, or brought to
 * the host, which paints. */
#include "cuda/common/input_stage.h"
#include "cuda/foreground/crossing_regions.cuh"

#include "core/canny/canny.h"

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
constexpr uint32_t PIXELS = 16; /* of a thread */

struct PaintArgs {
  CtrEdgePlane planes[CTR_EDGE_MAX_PLANES];
  uint32_t width, height; /* of the image */
  PackedMask mask;        /* of the image, or of the atlas of REGIONS */
  DeviceRegions regions;
  const uint32_t *found; /* the threshold, or NULL: */
  uint32_t threshold;
  uint32_t *applied; /* page-locked memory of the host */
};

/* Which of the PIXELS pixels from column X of row Y of a plane cover foreground? X is a multiple of PIXELS. LOAD_WORD (x, y): 32 pixels
 * of the image. */
template <typename LoadWord>
__device__ inline uint32_t
load_covered (const PaintArgs &a, const CtrEdgePlane &plane, uint32_t x, uint32_t y, LoadWord load_word)
{
  const uint32_t first = y << plane.y_shift, end = min (first + (1u << plane.y_shift), a.height);
  const uint32_t words = ctr_div_up (a.width, 32), from = (x << plane.x_shift) / 32;
  const uint32_t count = (PIXELS << plane.x_shift) / 32; /* words; 0: half a one */
  uint64_t bits = 0;
  for (uint32_t v = first; v < end; v++)
    bits |= load_word (32 * from, v)
            | (count > 1 && from + 1 < words ? (uint64_t) load_word (32 * (from + 1), v) << 32 : 0);
  if (count == 0)
    return bits >> x % 32 & 0xffff;
  uint32_t covered = 0;
#pragma unroll
  for (uint32_t i = 0; i < PIXELS; i++)
    covered |= (uint32_t) ((bits >> (i << plane.x_shift) & ((1u << (1u << plane.x_shift)) - 1)) != 0) << i;
  return covered;
}

/* Writes COUNT pixels of a plane. */
__device__ inline void
write_pixels (const CtrEdgePlane &plane, uint32_t x, uint32_t y, uint32_t count, uint32_t bits)
{
  const uint8_t *source =
      plane.source ? (const uint8_t *) plane.source + y * plane.source_stride + (size_t) x * plane.pixel_size : NULL;
  uint8_t *to = (uint8_t *) plane.data + y * plane.stride + (size_t) x * plane.pixel_size;
  if (plane.pixel_size == 1 && !source && count == PIXELS && ((uintptr_t) to & 15) == 0) {
    const uint32_t background = plane.background[0] * 0x01010101u;
    const uint32_t change = (plane.edge[0] ^ plane.background[0]) * 0x01010101u;
    uint32_t words[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
      words[i] = (((bits >> 4 * i & 15) * 0x00204081u & 0x01010101u) * 255 & change) ^ background;
    *(uint4 *) to = make_uint4 (words[0], words[1], words[2], words[3]);
    return;
  }
#pragma unroll 1
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < plane.pixel_size; k++) {
      const uint32_t at = i * plane.pixel_size + k;
      to[at] = !(bits >> i & 1) ? plane.background[k] : source ? source[at] : plane.edge[k];
    }
}

/* Paints plane blockIdx.z, PIXELS pixels a thread. */
template <bool ATLAS>
__global__ void
__launch_bounds__ (THREADS) paint_kernel (const __grid_constant__ PaintArgs a)
{
  __shared__ CrossingRegions crossing;
  const CtrEdgePlane &plane = a.planes[blockIdx.z];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t width = ((a.width - 1) >> plane.x_shift) + 1, height = ((a.height - 1) >> plane.y_shift) + 1;
  const uint32_t pieces = ctr_div_up (width, PIXELS);
  const uint64_t all = (uint64_t) pieces * height, step = (uint64_t) gridDim.x * THREADS;
  if (blockIdx.x == 0 && blockIdx.z == 0 && threadIdx.x == 0)
    *(volatile uint32_t *) a.applied = a.found ? *a.found : a.threshold;
  const auto load_word = [&] (uint32_t x, uint32_t y) {
    return ATLAS ? crossing.load_word (a.mask, x, y)
                 : *((const uint32_t *) ((const uint8_t *) a.mask.bits + y * a.mask.stride) + x / 32);
  };
  for (uint64_t first = (uint64_t) blockIdx.x * THREADS; first < all; first += step) {
    if (ATLAS) {
      const uint64_t last = min (first + THREADS, all) - 1;
      crossing.find (a.regions, (uint32_t) (first / pieces) << plane.y_shift,
          min ((uint32_t) (last / pieces + 1) << plane.y_shift, a.height));
    }
    const uint64_t i = first + threadIdx.x;
    const uint32_t x = (uint32_t) (i % pieces) * PIXELS, y = (uint32_t) (i / pieces);
    if (i < all)
      write_pixels (plane, x, y, min (width - x, PIXELS), load_covered (a, plane, x, y, load_word));
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
queue_paint (const CtrEdgePicture *picture, PaintArgs *a, const CudaSession *session, CtrError *error)
{
  uint32_t most = 1;
  for (uint32_t i = 0; i < picture->plane_count; i++) {
    const CtrEdgePlane &plane = a->planes[i] = picture->planes[i];
    const uint64_t pieces = (uint64_t) ctr_div_up (((a->width - 1) >> plane.x_shift) + 1, PIXELS)
                            * (((a->height - 1) >> plane.y_shift) + 1);
    const uint64_t ctas = (pieces + THREADS - 1) / THREADS;
    most = ctas > most ? (uint32_t) (ctas < MOST_CTAS ? ctas : MOST_CTAS) : most;
  }
  ctr_launch_overlapped (session->overlap, a->regions.places ? paint_kernel<true> : paint_kernel<false>,
      dim3 (most, 1, picture->plane_count), THREADS, 0, session->stream, *a);
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
  const InputNeed need = {foreground, false, true};
  uint32_t *applied = (uint32_t *) mask->threshold.data;
  CtrImage shared;
  InputView view;
  bool moved;
  if (!input_stage_share (&mask->input, image, need, &mask->session, &shared, &moved, error)
      || !reserve (mask, &shared, need, to_host ? size : 0, error)
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
  } else {
    PaintArgs a = {};
    a.width = image->width;
    a.height = image->height;
    a.mask = view.mask;
    a.regions = regions;
    a.found = view.threshold;
    a.threshold = ctr_foreground_given_threshold (foreground);
    a.applied = applied;
    if (!queue_paint (picture, &a, &mask->session, error))
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
