/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Canny on the GPU, host side: memory, automatic thresholds, the order of the kernels, and the output picture.
 * device_state.cuh has the design. Longer than 500 lines: all functions share the state of a detector. */
#include "cuda/canny/device_state.cuh"
#include "cuda/common/input_stage.h"
#include "cuda/common/session.cuh"

#include "core/canny/thresholds.h"
#include "core/common/format.h"

#include <stdlib.h>
#include <string.h>

namespace
{

struct Thresholds {
  CannyDerived derived;
  CannyGreatest greatest;
};

struct Canny {
  InputStage input;
  CtrDeviceBuffer tiles;      /* all arrays of CannyKernelArgs but the mask */
  CtrDeviceBuffer thresholds; /* Thresholds */
  CtrDeviceBuffer limits;     /* pinned: the derived thresholds of the last frame, CtrCannyLimits */
  CtrDeviceBuffer states;     /* CannyOnePass.states */
  CtrDeviceBuffer ctas;       /* CannyOnePass.ctas */
  CtrDeviceBuffer blurred;    /* a blurred plane, where the tile kernel does not do all */
  CtrDeviceBuffer values;     /* for other outputs than edges, CannyPlaneArgs.values */
  CtrDeviceBuffer mask;       /* used if no plane of the picture can hold the mask */
  CtrDeviceBuffer bits;       /* the mask of a host picture, packed */
  CtrDeviceBuffer host;       /* pinned: receives the bits or the values */
  CudaSession session;
  CtrRoomPeriod period;
  bool planes_prepared;      /* The kernels that work by planes are ready. */
  bool one_pass_prepared;    /* Those that find relative thresholds are: */
  CannyRoom room, tall_room; /* for tiles of CANNY_MIDDLE_ROWS and CANNY_TALL_ROWS */
  uint32_t frame;            /* the last CannyOnePass.frame */

  CtrImage samples, edges; /* of the queued image, on the device */

  bool to_host; /* a host picture is queued: */
  CtrEdgePicture picture;
  CtrCannyOutput output;
  uint32_t width, height;
  CannyLimits limits_of_gpu;
};

/* The buffers above, but for those of the input stage. */
CtrDeviceBuffer *
each_buffer (Canny *canny, int i)
{
  CtrDeviceBuffer *const buffers[] = {&canny->tiles, &canny->thresholds, &canny->limits, &canny->states, &canny->ctas,
      &canny->blurred, &canny->values, &canny->mask, &canny->bits, &canny->host};
  return i < (int) (sizeof buffers / sizeof *buffers) ? buffers[i] : NULL;
}

void *
canny_create (CtrError *error)
{
  Canny *canny = (Canny *) calloc (1, sizeof (Canny));
  if (!canny) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for an edge detector");
    return NULL;
  }
  input_stage_init (&canny->input);
  canny->host.pinned = canny->limits.pinned = true;
  bool ok = cuda_session_open (&canny->session, "preparing an edge detector", error);
  cudaError_t status = ok ? canny_find_limits (&canny->limits_of_gpu) : cudaSuccess;
  if (ok && status == cudaSuccess)
    status = canny_prepare_tiles (canny->limits_of_gpu.most_shared);
  ok = ok && (status == cudaSuccess || ctr_cuda_fail (error, status, "preparing an edge detector"));
  if (ok)
    return canny;
  cuda_session_close (&canny->session);
  free (canny);
  return NULL;
}

void
canny_destroy (void *state)
{
  Canny *canny = (Canny *) state;
  cuda_session_close (&canny->session);
  input_stage_free (&canny->input);
  for (int i = 0; each_buffer (canny, i); i++)
    ctr_device_buffer_free (each_buffer (canny, i));
  free (canny);
}

/* 32-bit words of a packed row: whole 64-bit words of the host. */
uint32_t
packed_words (uint32_t width)
{
  return 2 * ctr_div_up (width, 64);
}

/* Queues the packing of the mask and its way to the host. */
bool
queue_bits (Canny *canny, const CannyKernelArgs *f, cudaStream_t stream, CtrError *error)
{
  const uint32_t words = packed_words (f->width);
  canny_launch_pack (*f, words, (uint32_t *) canny->bits.data, stream);
  CTR_CUDA (cudaGetLastError ());
  CTR_CUDA (cudaMemcpyAsync (canny->host.data, canny->bits.data, (size_t) words * f->height * sizeof (uint32_t),
      cudaMemcpyDeviceToHost, stream));
  return true;
}

size_t
lay_out_tiles (CannyKernelArgs *f, uint8_t *base)
{
  const size_t tiles = (size_t) f->tiles_x * f->tiles_y;
  ArenaLayout c = {base, 0};
  f->by_tile.counts = c.take<RunTileCounts> (tiles);
  f->by_tile.borders = c.take<RunTileBorder> (tiles);
  f->by_tile_run.runs = c.take<uint32_t> (tiles * runs_of_tile (f->tile_h));
  f->by_tile_word.candidates = c.take<uint32_t> (tiles * f->tile_h * CANNY_WORDS);
  f->by_component.parents = c.take<uint32_t> (1 + tiles * RUN_TILE_COMPONENTS);
  return c.used;
}

/* After Granlund and Montgomery. */
CannyDivisor
divide_by (uint32_t divisor)
{
  uint32_t shift = 0;
  while ((uint64_t) 1 << shift < divisor)
    shift++;
  return {(uint32_t) (((uint64_t) 1 << (31 + shift)) / divisor + 1), shift};
}

void
describe_samples (CannyKernelArgs *f, const CtrImage *plane, uint32_t sample_shift)
{
  f->pixels = (const uint8_t *) plane->data;
  f->stride = plane->stride;
  f->aligned = (((uintptr_t) plane->data | plane->stride) & 15) == 0;
  f->pixel_size = ctr_format_pixel_size (plane->format);
  f->samples = plane->format == CTR_FORMAT_GRAY8          ? SAMPLES_8
               : plane->format == CTR_FORMAT_GRAY16       ? SAMPLES_16
               : ctr_format_is_packed_yuv (plane->format) ? SAMPLES_YUV
                                                          : SAMPLES_RGB;
  f->sample_shift = sample_shift;
  input_stage_rgb (plane->format, &f->red, &f->green, &f->blue);
  uint32_t weights[4] = {}; /* of a pixel's bytes */
  weights[f->red] = 2 * CTR_LUMA_RED;
  weights[f->green] = 2 * CTR_LUMA_GREEN;
  weights[f->blue] = 2 * CTR_LUMA_BLUE;
  f->luma_weights[LUMA_01] = weights[0] | weights[1] << 16;
  f->luma_weights[LUMA_23] = weights[2] | weights[3] << 16;
  f->luma_weights[LUMA_0] = weights[0] << 16;
  f->luma_weights[LUMA_12] = weights[1] | weights[2] << 16;
  if (f->samples == SAMPLES_YUV)
    f->green = ctr_yuv_order (plane->format).luma;
}

bool
canny_lead_default (void *state, CtrError *error)
{
  const Canny *canny = (const Canny *) state;
  CTR_CUDA (cudaStreamWaitEvent (cudaStreamLegacy, canny->session.done, 0));
  return true;
}

/* Waits for the queued frame and fills a host picture. */
bool
canny_finish (void *state, CtrError *error)
{
  Canny *canny = (Canny *) state;
  const bool pending = canny->session.stream != NULL, to_host = canny->to_host;
  const bool edges = canny->output == CTR_CANNY_EDGES;
  canny->session.stream = NULL;
  canny->to_host = false;
  if (to_host && edges)
    ctr_edge_picture_clear (&canny->picture, canny->width, canny->height); /* while the GPU works */
  if (pending)
    CTR_CUDA (cuda_wait_for_event (canny->session.done, &canny->session.wait));
  cuda_timing_end (&canny->session.timing, true);
  if (to_host && edges)
    ctr_edge_picture_draw (&canny->picture, (const uint64_t *) canny->host.data, packed_words (canny->width) / 2,
        canny->width, canny->height);
  else if (to_host)
    ctr_edge_picture_paint_values (
        &canny->picture, (const uint16_t *) canny->host.data, canny->width, canny->width, 0, canny->height);
  return true;
}

void
canny_device_views (const void *state, CtrImage *samples, CtrImage *edges)
{
  *samples = ((const Canny *) state)->samples;
  *edges = ((const Canny *) state)->edges;
}

CtrCannyLimits
canny_limits (const void *state)
{
  return *(const CtrCannyLimits *) ((const Canny *) state)->limits.data;
}

/* How a frame is worked on. */
struct Route {
  bool automatic, relative; /* derived thresholds */
  bool edges;               /* the output */
  uint32_t kept;            /* CannyOnePass.kept, where one kernel finds relative thresholds and edges; else 0 */
  bool by_plane;            /* not by the tile kernel alone: */
  bool blurs;               /* into a plane; else the samples themselves are one */
  bool to_host, own_mask;   /* where the edges go */
};

Route
find_route (const CtrImage *image, const CtrCannyPlan *plan, const CtrEdgePicture *picture)
{
  Route route = {};
  route.automatic = ctr_canny_is_automatic (plan->threshold_mode);
  route.relative = plan->threshold_mode == CTR_CANNY_RELATIVE;
  route.edges = plan->output == CTR_CANNY_EDGES;
  route.by_plane = route.relative || plan->wide || !route.edges;
  route.blurs = route.by_plane && (plan->radius > 0 || (image->format != CTR_FORMAT_GRAY8 && !plan->wide));
  route.to_host = picture->memory == CTR_MEMORY_HOST;
  route.own_mask = route.edges && (route.to_host || !ctr_edge_plane_is_mask (&picture->planes[0]));
  return route;
}

/* Bytes of a row of the blurred plane, which has room for whole tiles. */
size_t
blurred_stride (uint32_t width, bool wide)
{
  return ctr_aligned_row ((size_t) ctr_div_up (width, 768) * 768 * (wide ? 2 : 1)); /* multiples of 256 and of 192 */
}

/* For the tiles of F; NULL: the kernel that finds relative thresholds has none of their height. */
const CannyRoom *
room_of (const Canny *canny, const CannyKernelArgs &f)
{
  return f.tile_h == CANNY_TALL_ROWS ? &canny->tall_room : f.tile_h == CANNY_MIDDLE_ROWS ? &canny->room : NULL;
}

/* The height of the frame's tiles. Where no tile fits that is blurred on the way, the frame goes by a blurred plane, whose
 * kernel takes less shared memory. */
uint32_t
tile_height (const Canny *canny, const CtrImage *image, const CtrCannyPlan *plan, Route *route)
{
  if (plan->wide)
    return CANNY_WIDE_ROWS;
  const uint32_t rows = canny_tile_height (image->width, image->height, plan->radius, *plan, canny->limits_of_gpu);
  if (rows > 0)
    return rows;
  route->by_plane = route->blurs = true;
  return canny_tile_height (image->width, image->height, 0, *plan, canny->limits_of_gpu);
}

/* Where one kernel can find relative thresholds and edges of F: by it. */
bool
take_one_pass (Canny *canny, const CannyKernelArgs &f, const CtrCannyPlan *plan, Route *route, CtrError *error)
{
  const CannyRoom *const room = room_of (canny, f);
  if (!route->relative || !route->edges || plan->wide || !room
      || !canny_survey_finds_greatest (plan->aperture, plan->l2_gradient))
    return true;
  if (!canny->one_pass_prepared)
    CTR_CUDA (canny_prepare_one_pass (canny->limits_of_gpu.most_shared, &canny->room, &canny->tall_room));
  canny->one_pass_prepared = true;
  route->kept = canny_tiles_to_keep (*room, plan->radius, f.tiles_x * f.tiles_y);
  if (route->kept)
    route->by_plane = route->blurs = false;
  return true;
}

/* It needs the histogram, as derived thresholds do. */
constexpr CtrForeground counted_foreground = {CTR_THRESHOLD_OTSU};

/* Memory for the frame. Waits for queued work before any memory moves. */
bool
reserve (Canny *canny, CannyKernelArgs *f, const CtrImage *image, const CtrCannyPlan *plan, const Route &route,
    CtrError *error)
{
  const InputNeed need = route.automatic ? InputNeed{&counted_foreground, true, false} : INPUT_NEEDS_SAMPLES;
  const size_t pixels = (size_t) f->width * f->height, tiles = (size_t) f->tiles_x * f->tiles_y;
  const size_t bits = (size_t) packed_words (f->width) * f->height * sizeof (uint32_t);
  const size_t values = route.edges ? 0 : pixels * sizeof (uint16_t);
  const bool derived = route.automatic || route.relative;
  const size_t ctas = route.kept ? room_of (canny, *f)->ctas[canny_blur_steps (plan->radius)][route.kept] : 0;
  const struct {
    CtrDeviceBuffer *buffer;
    size_t size;
    bool cleared;
  } needs[] = {
      {&canny->tiles, route.edges ? lay_out_tiles (f, NULL) : 0},
      {&canny->limits, derived ? sizeof (CtrCannyLimits) : 0},
      {&canny->thresholds, derived ? sizeof (Thresholds) : 0, true},
      {&canny->states, route.kept ? tiles * sizeof (CannyTileState) : 0, true},
      {&canny->ctas, ctas * sizeof (unsigned long long), true},
      {&canny->blurred, route.blurs ? blurred_stride (f->width, plan->wide) * f->height : 0},
      {&canny->values, values},
      /* Packing loads the ends of rows, too. */
      {&canny->mask, route.own_mask ? ctr_aligned_row (f->width) * f->height : 0, true},
      {&canny->bits, route.edges && route.to_host ? bits : 0},
      {&canny->host, !route.to_host ? 0
                     : route.edges  ? bits
                                    : values},
  };
  bool fits = input_stage_has_room (&canny->input, image, need);
  for (const auto &need : needs)
    fits = fits && need.size <= need.buffer->size;
  if (!fits)
    CTR_CUDA (cudaStreamSynchronize (canny->session.stream));
  bool fresh;
  if (!input_stage_reserve (&canny->input, image, need, canny->session.stream, &fresh, error))
    return false;
  for (const auto &need : needs)
    if (!(need.cleared ? ctr_device_buffer_reserve_clear (need.buffer, need.size, canny->session.stream, error)
                       : ctr_device_buffer_reserve (need.buffer, need.size, error)))
      return false;
  if (route.edges)
    lay_out_tiles (f, (uint8_t *) canny->tiles.data);
  return true;
}

/* At the end of a period: gives back what its frames have not needed. */
bool
give_back (Canny *canny, CtrError *error)
{
  CtrDeviceBuffer *const buffers[] = {
      &canny->tiles, &canny->blurred, &canny->values, &canny->mask, &canny->bits, &canny->host};
  const cudaStream_t stream = canny->session.stream;
  bool some = false;
  if (!input_stage_give_back (&canny->input, stream, &some, error)
      || !ctr_device_buffers_give_back (buffers, sizeof buffers / sizeof *buffers, stream, &some, error))
    return false;
  if (some)
    ctr_room_period_double (&canny->period);
  return true;
}

/* Before the first frame that goes by a plane: loading kernels that nobody uses would make the start longer. */
bool
prepare_planes (Canny *canny, CtrError *error)
{
  if (canny->planes_prepared)
    return true;
  CTR_CUDA (canny_prepare_survey (canny->limits_of_gpu.most_shared));
  CTR_CUDA (canny_prepare_wide_tiles ());
  canny->planes_prepared = true;
  return true;
}

/* Queues the thresholds that follow from the histogram. PLANE becomes the grey samples of IMAGE. */
bool
queue_automatic (Canny *canny, const CtrImage *image, const CtrCannyPlan *plan, CtrImage *plane, CtrError *error)
{
  cudaStream_t stream = canny->session.stream;
  Thresholds *thresholds = (Thresholds *) canny->thresholds.data;
  const uint32_t *histogram, *otsu;
  if (!input_stage_histogram_8 (&canny->input, image, plan->sample_shift, plane, &histogram, &otsu, stream, error))
    return false;
  canny_launch_thresholds (histogram, otsu, (uint64_t) image->width * image->height, *plan, &thresholds->derived,
      (CtrCannyLimits *) canny->limits.data, stream);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

/* Queues what makes a blurred plane of the samples of F, and the greatest magnitude if it is asked for. Describes the
 * plane in P, whose thresholds and output are set. */
void
queue_plane (Canny *canny, const CannyKernelArgs &f, const CtrCannyPlan *plan, const Route &route, CannyPlaneArgs *p)
{
  cudaStream_t stream = canny->session.stream;
  const CannyRelative relative = p->relative;
  const bool on_the_way =
      !plan->wide && relative.state && canny_survey_finds_greatest (plan->aperture, plan->l2_gradient);
  CannyPlane samples = {(uint8_t *) f.pixels, f.stride, f.width, f.height, plan->wide};
  p->plane = samples;
  if (route.blurs) {
    p->plane.data = (uint8_t *) canny->blurred.data;
    p->plane.stride = blurred_stride (f.width, plan->wide);
  }
  if (plan->wide && route.blurs) {
    canny_launch_wide_blur (samples, p->plane, *plan, stream);
  } else if (!plan->wide && (route.blurs || on_the_way)) {
    CannyPlane to = p->plane;
    CannyRelative wanted = relative;
    to.data = route.blurs ? to.data : NULL;
    wanted.state = on_the_way ? wanted.state : NULL;
    canny_launch_survey (f, to, wanted, stream);
  }
  if (relative.state && !on_the_way)
    canny_launch_greatest (*p, stream);
}

/* The tile kernel goes on from the blurred plane of P, of 8 bits, which one of our kernels has just made or looked at. */
void
follow_plane (CannyKernelArgs *f, const CannyPlane &plane)
{
  f->pixels = plane.data;
  f->stride = plane.stride;
  f->aligned = (((uintptr_t) plane.data | plane.stride) & 15) == 0;
  f->samples = SAMPLES_8;
  f->pixel_size = 1;
  f->radius = 0;
  f->follows = true;
}

bool
queue_values (Canny *canny, const CtrEdgePicture *picture, const CannyPlaneArgs &p, bool to_host, CtrError *error)
{
  cudaStream_t stream = canny->session.stream;
  if (p.output == CTR_CANNY_CANDIDATES)
    canny_launch_wide_tiles (p, {}, stream);
  else
    canny_launch_values (p, stream);
  CTR_CUDA (cudaGetLastError ());
  if (to_host)
    CTR_CUDA (cudaMemcpyAsync (canny->host.data, p.values, (size_t) p.plane.width * p.plane.height * sizeof *p.values,
        cudaMemcpyDeviceToHost, stream));
  for (uint32_t i = 0; i < picture->plane_count && !to_host; i++)
    canny_launch_paint_values (picture->planes[i], p.values, p.plane.width, p.plane.height, stream);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

/* Queues the kernel that finds relative thresholds and edges of F. */
void
queue_one_pass (Canny *canny, const CannyKernelArgs &f, const CannyRelative &relative, uint32_t kept)
{
  canny->frame += canny->frame < UINT32_MAX ? 1 : 2; /* never 0, which new memory has */
  canny_launch_one_pass (f,
      {(CannyTileState *) canny->states.data, (unsigned long long *) canny->ctas.data, relative.host,
          f.tiles_x * f.tiles_y, canny->frame, kept, relative.low_share, relative.high_share},
      *room_of (canny, f), canny->session.stream);
}

/* Queues the edges of F, or of the plane of P if they come by one, up to the picture. */
bool
queue_edges (Canny *canny, CannyKernelArgs *f, const CannyPlaneArgs &p, const CtrEdgePicture *picture,
    const Route &route, CtrError *error)
{
  cudaStream_t stream = canny->session.stream;
  const bool overlap = canny->session.overlap;
  f->mask = (uint8_t *) (route.own_mask ? canny->mask.data : picture->planes[0].data);
  f->mask_stride = route.own_mask ? ctr_aligned_row (f->width) : picture->planes[0].stride;
  f->mask_aligned = (((uintptr_t) f->mask | f->mask_stride) & 15) == 0;
  canny->edges = {f->mask, f->mask_stride, f->width, f->height, CTR_FORMAT_GRAY8, CTR_MEMORY_DEVICE, {}};
  if (!route.to_host)
    canny_add_fills (picture, f);
  if (p.plane.wide) {
    canny_launch_wide_tiles (p, *f, stream);
  } else {
    if (route.by_plane)
      follow_plane (f, p.plane);
    if (route.kept)
      queue_one_pass (canny, *f, p.relative, route.kept);
    else
      canny_launch_tiles (*f, overlap, stream);
  }
  canny_launch_seams (*f, overlap, stream);
  CTR_CUDA (cudaGetLastError ());
  return route.to_host ? queue_bits (canny, f, stream, error) : canny_queue_paint (picture, f, stream, error);
}

bool
queue_frame (
    Canny *canny, const CtrImage *image, const CtrCannyPlan *plan, const CtrEdgePicture *picture, CtrError *error)
{
  Route route = find_route (image, plan, picture);
  CannyKernelArgs f = {};
  f.width = image->width;
  f.height = image->height;
  f.tile_h = tile_height (canny, image, plan, &route);
  f.tiles_x = ctr_div_up (f.width, CANNY_W);
  f.by_tiles_x = divide_by (f.tiles_x);
  f.tiles_y = ctr_div_up (f.height, f.tile_h);
  if (!take_one_pass (canny, f, plan, &route, error))
    return false;
  if (route.by_plane && !plan->wide && !canny_survey_fits (plan->radius, canny->limits_of_gpu.most_shared))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "a blur with a radius of %u pixels needs more than the %zu bytes of shared memory that this GPU has: take a "
        "smaller sigma or the CPU backend",
        plan->radius, canny->limits_of_gpu.most_shared);
  if (!reserve (canny, &f, image, plan, route, error) || (route.by_plane && !prepare_planes (canny, error)))
    return false;

  Thresholds *thresholds = (Thresholds *) canny->thresholds.data;
  CtrImage plane = canny->samples = input_stage_view (&canny->input, image);
  if (!cuda_session_start_clock (&canny->session, error)
      || !input_stage_upload (&canny->input, image, INPUT_NEEDS_SAMPLES, canny->session.stream, error)
      || (route.automatic && !queue_automatic (canny, image, plan, &plane, error)))
    return false;
  describe_samples (&f, &plane, plan->sample_shift);
  f.aperture = plan->aperture;
  f.l2_gradient = plan->l2_gradient;
  f.low = (int32_t) plan->low;
  f.high = (int32_t) plan->high;
  /* There is memory for them only if thresholds are derived. */
  auto *const derived = thresholds ? &thresholds->derived : NULL;
  f.thresholds = route.automatic || route.relative ? derived->values : NULL;
  f.sign_weights[0] = 0xe0fef0ff;
  f.sign_weights[1] = 0x80f8c0fc;
  f.radius = plan->radius;
  if (!plan->wide)
    memcpy ((uint8_t *) f.weights + canny_first_weight (plan->radius), plan->weights, 2 * plan->radius + 1);

  CannyPlaneArgs p = {};
  p.aperture = plan->aperture;
  p.l2_gradient = plan->l2_gradient;
  p.output = plan->output;
  p.low = plan->low;
  p.high = plan->high;
  p.derived = f.thresholds ? derived : NULL;
  p.values = (uint16_t *) canny->values.data;
  p.relative = {route.relative ? &thresholds->greatest : NULL, derived, (CtrCannyLimits *) canny->limits.data,
      plan->low_share, plan->high_share, plan->l2_gradient};
  if (route.by_plane)
    queue_plane (canny, f, plan, route, &p);
  CTR_CUDA (cudaGetLastError ());
  if (!(route.edges ? queue_edges (canny, &f, p, picture, route, error)
                    : queue_values (canny, picture, p, route.to_host, error)))
    return false;
  canny->to_host = route.to_host;
  if (!route.to_host)
    return true;
  canny->picture = *picture;
  canny->output = plan->output;
  canny->width = f.width;
  canny->height = f.height;
  return true;
}

bool
canny_enqueue (void *state, const CtrImage *image, const CtrCannyPlan *plan, const CtrEdgePicture *picture,
    void *stream, CtrError *error)
{
  Canny *canny = (Canny *) state;
  /* A queued host picture needs its mask before the next frame overwrites it. */
  if ((canny->to_host && !canny_finish (canny, error)) || !cuda_session_begin_in_order (&canny->session, stream, error))
    return false;
  if ((!ctr_room_period_ends (&canny->period) || give_back (canny, error))
      && queue_frame (canny, image, plan, picture, error) && cuda_session_mark (&canny->session, error)
      && input_stage_release_image (&canny->input, error))
    return true;
  cuda_session_end (&canny->session, false);
  canny->to_host = false;
  return false;
}

} // namespace

extern "C" const CtrCannyOps ctr_canny_ops_cuda = {
    {canny_create, canny_destroy}, canny_enqueue, canny_lead_default, canny_finish, canny_limits, canny_device_views};
