/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Border following on the GPU, host side: memory, the launches of a frame, the result. device_state.cuh describes the
 * kernels. Longer than 500 lines: all functions share the state of a border follower. */
#include "cuda/borders/capacity.cuh"
#include "cuda/contours/contour_delivery.cuh"
#include "cuda/contours/contour_pool.h"
#include "cuda/common/fork.cuh"
#include "cuda/common/graph.cuh"
#include "cuda/common/input_stage.h"
#include "cuda/common/session.cuh"

#include "core/common/room.h"

#include <stdlib.h>
#include <string.h>

namespace
{

/* If the last frame had more passages a tile than this, most tiles of the next one are likely to have more than the tile kernel for few has room
 * for. */
constexpr uint32_t MANY_TILE_PASSAGES = 650;
/* If the finish kernel follows, and there are so few tiles that an H100 runs them all at once, 512 threads a tile are done sooner than 128;
 * of up to three times as many, 256. */
#ifndef CTR_BORDERS_FEW_TILES
#define CTR_BORDERS_FEW_TILES (4 * 132)
#endif
constexpr uint32_t FEW_TILES = CTR_BORDERS_FEW_TILES;

/* All that the kernels behind the tile kernel depend on. */
struct FrameKey {
  BordersKernelArgs args;
  uint32_t keeps_picture;   /* Some frames may copy their picture. */
  CtrSubpixelRule subpixel; /* without padding */
  CtrSelectPlan select;
};

struct Borders {
  CudaSession session; /* first, see cuda_session_hold() */
  InputStage input;
  CtrDeviceBuffer planes;   /* sized by the image */
  CtrDeviceBuffer contents; /* sized by what is in it */
  CudaGraphCache<FrameKey> graphs;
  bool has_cluster;        /* The GPU can run that for few segments. */
  unsigned finish_ctas;    /* likewise of the finish kernel; 0: it cannot */
  bool is_begun;           /* The tile kernel is queued, but not yet the kernel that clears what it has found. */
  Capacity capacity, used; /* used: by the frames of this period at most, as far as memory depends on it */
  uint32_t last_passages;  /* of the last frame */
  CtrRoomPeriod period;
  bool period_ended, gave_back;
  ResultPool *pool;
  Delivery delivery; /* of BordersHeader */

  /* The queued image. */
  CtrImage image;
  InputView view; /* its samples or its mask on the GPU */
  PictureCopy copy;
  CtrBordersPlan plan;
  CudaFork fork;           /* for sums and subpixels, beside the table */
  CtrDeviceBuffer channel; /* for subpixels: a copy of the samples, */
  CtrImage samples;        /* a view of it */
  ContourSlot *slot;
  bool may_finish; /* the finish kernel, such frames */
};

void borders_destroy (void *state);

void *
borders_create (CtrError *error)
{
  Borders *b = (Borders *) calloc (1, sizeof *b);
  if (!b) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "out of host memory for the border follower");
    return NULL;
  }
  input_stage_init (&b->input);
  delivery_init (&b->delivery);
  const bool ok =
      cuda_session_open (&b->session, "preparing the border follower", error) && (b->pool = contour_pool_new (error));
  if (ok) {
    if (b->session.overlap) { /* GPUs with overlap have clusters. */
      b->has_cluster = borders_have_cluster ();
      b->finish_ctas = borders_finish_ctas ();
    }
    return b;
  }
  borders_destroy (b);
  return NULL;
}

void
borders_destroy (void *state)
{
  Borders *b = (Borders *) state;
  cuda_graph_cache_free (&b->graphs);
  cuda_session_close (&b->session);
  if (b->slot)
    result_slot_give_back (&b->slot->base);
  input_stage_free (&b->input);
  ctr_device_buffer_free (&b->planes);
  ctr_device_buffer_free (&b->contents);
  ctr_device_buffer_free (&b->channel);
  cuda_fork_close (&b->fork);
  delivery_free (&b->delivery);
  if (b->pool)
    result_pool_unref (b->pool);
  free (b);
}

void
set_capacities (const Borders *b, BordersKernelArgs *f)
{
  f->by_passage.capacity = b->capacity.passages;
  f->ranking.capacity = b->capacity.open;
  f->by_segment.closed_capacity = b->capacity.closed;
  f->contour_capacity = b->capacity.contours;
  f->point_capacity = b->capacity.points;
}

/* After the last frame of a period: gives back what its frames have not used, if that is most of the memory. No queued work
 * may use it. */
void
give_back (Borders *b, BordersKernelArgs *f)
{
  const Capacity before = b->capacity, used = b->used;
  Capacity *c = &b->capacity;
  bool some = b->gave_back;
  c->passages = min (c->passages, ctr_with_spare (used.passages));
  c->open = min (c->open, ctr_with_spare (used.open));
  c->closed = min (c->closed, ctr_with_spare (used.closed));
  c->contours = min (c->contours, ctr_with_spare (used.contours));
  c->points = min (c->points, ctr_with_spare (used.points));
  set_capacities (b, f);
  if (ctr_room_is_excess (b->contents.size, borders_lay_out_contents (f, NULL))) {
    ctr_device_buffer_free (&b->contents);
    some = true;
  } else {
    b->capacity = before;
    set_capacities (b, f);
  }
  for (CtrDeviceBuffer *buffer : {&b->planes, &b->delivery.picture, &b->channel})
    some |= ctr_device_buffer_give_back (buffer);
  some |= contour_pool_give_back_memory (b->pool, b->slot, b->capacity.contours, b->capacity.points);
  if (some)
    ctr_room_period_double (&b->period);
  b->used = {};
  b->period_ended = b->gave_back = false;
}

bool
refines (const Borders *b)
{
  return b->plan.features & CTR_CONTOUR_FEATURE_SUBPIXEL;
}

/* Do sums and subpixels need neither the table nor what comes behind it? */
bool
forks (const Borders *b, const BordersKernelArgs &f)
{
  return f.many_points && !f.regions.places && !f.selecting && (f.summing || refines (b));
}

/* Does the frame need no kernel behind that of the points, if there are few of these? */
bool
is_plain (const Borders *b, const BordersKernelArgs &f)
{
  return !(f.summing || f.shape_features || f.selecting || refines (b) || f.simplifying);
}

/* A graph pays where there are more than three kernels. Its first one cannot overlap the tile kernel's end. */
bool
pays_as_graph (const Borders *b, const BordersKernelArgs &f)
{
  return f.many_segments || f.many_points || !is_plain (b, f) || borders_reorders (f);
}

/* Can the finish kernel take such frames, if they have little in them? */
bool
may_finish (const Borders *b, const BordersKernelArgs &f)
{
  return b->finish_ctas && is_plain (b, f) && !f.limited && !f.regions.places;
}

/* Does it take this one? */
bool
finishes (const Borders *b, const BordersKernelArgs &f)
{
  return b->may_finish && !b->capacity.unfinished && !f.clustered && !f.many_segments && !f.many_points;
}

/* The threads of a tile. */
int
tile_threads (const Borders *b, const BordersKernelArgs &f)
{
  const uint64_t tiles = (uint64_t) f.tiles_x * f.tiles_y;
  if (b->last_passages > tiles * MANY_TILE_PASSAGES || (finishes (b, f) && tiles <= FEW_TILES))
    return 512;
  return finishes (b, f) && tiles <= 3 * FEW_TILES ? 256 : 128;
}

/* Are the samples for subpixels copied? Otherwise they are those of the luma that the input stage knows, whole and also when the
 * frame is done again. */
bool
copies_samples (const Borders *b)
{
  return refines (b) && (b->plan.foreground.regions || ctr_subpixel_channel (&b->plan.foreground) != CTR_CHANNEL_LUMA);
}

InputNeed
need_of (const Borders *b)
{
  const bool coloured = refines (b) && ctr_subpixel_channel (&b->plan.foreground) != CTR_CHANNEL_LUMA;
  return {&b->plan.foreground, refines (b) && !copies_samples (b), false, true, coloured};
}

CtrSubpixelPlane
samples_for (const Borders *b)
{
  const CtrImage *plane = copies_samples (b) ? &b->samples : &b->view.plane;
  return {(const uint8_t *) plane->data, plane->stride, (int32_t) plane->width, (int32_t) plane->height,
      plane->format == CTR_FORMAT_GRAY16 ? 16u : 8u};
}

/* Copies the samples for subpixels, if that is necessary, after the upload. */
bool
keep_samples (Borders *b, CtrError *error)
{
  return !copies_samples (b)
         || (ctr_device_buffer_reserve (&b->channel, input_stage_channel_size (&b->image), error)
             && input_stage_copy_channel (&b->input, &b->image, need_of (b), ctr_subpixel_channel (&b->plan.foreground),
                 b->channel.data, &b->samples, b->session.stream, error));
}

/* Sets where the result goes: with limits on numbers it is in memory of the border follower before, and so are points that are
 * simplified. */
void
describe_output (const Borders *b, BordersKernelArgs *f)
{
  const auto &all = f->unselected;
  ContourSelected result = {(CtrContour *) b->slot->table.data, (CtrPoint *) b->slot->points.data,
      f->summing & SUMMING_MOMENTS ? (CtrContourSums *) b->slot->sums.data : NULL,
      f->shape_features ? (CtrContourShape *) b->slot->shapes.data : NULL,
      f->summing & SUMMING_FITS ? (CtrContourFits *) b->slot->fits.data : NULL};
  f->frame_output.subpixel = refines (b) ? (CtrSubpixelPoint *) b->slot->subpixel.data : NULL;
  if (f->simplifying) {
    f->frame_output.simplified = {result.table, result.points, f->frame_output.subpixel};
    result.points = f->simplify.points;
    f->frame_output.subpixel = f->simplify.subpixel;
  }
  if (f->selecting) {
    f->frame_output.selected = result;
    result = {all.table, all.points, all.sums, all.shapes, all.fits};
  }
  f->frame_output.table = result.table;
  f->frame_output.points = result.points;
  f->frame_output.sums = result.sums;
  f->frame_output.shapes = result.shapes;
  f->frame_output.fits = result.fits;
  f->frame_output.numbers = (CtrDeviceNumbers *) b->slot->numbers.data;
}

/* Fills the arguments for the queued image, but for its plane, and makes room. No queued work may use the memory. */
bool
reserve (Borders *b, BordersKernelArgs *f, CtrError *error)
{
  memset (f, 0, sizeof *f); /* with the padding, for comparisons */
  f->width = b->image.width;
  f->height = b->image.height;
  input_regions_describe (&b->input, need_of (b), f);
  f->threshold = ctr_foreground_given_threshold (&b->plan.foreground);
  f->simple = b->plan.approximation == CTR_APPROXIMATION_SIMPLE;
  f->mode = b->plan.mode;
  f->four_connected = b->plan.connectivity == CTR_CONNECTIVITY_4;
  f->limited = b->plan.limited;
  f->min_area2 = b->plan.min_area2;
  f->max_area2 = b->plan.max_area2;
  f->min_length = b->plan.min_length;
  f->min_width = b->plan.min_width;
  f->min_height = b->plan.min_height;
  f->summing = (b->plan.features & CTR_CONTOUR_FEATURE_MOMENTS ? SUMMING_MOMENTS : 0)
               | (b->plan.features & CTR_CONTOUR_FEATURE_FITS ? SUMMING_FITS : 0);
  memcpy (f->feret_direction, b->plan.feret_direction, sizeof f->feret_direction);
  f->shape_features = b->plan.features & CTR_CONTOUR_SHAPE_FEATURES;
  f->selecting = b->plan.select.count > 0;
  f->selects_rows = f->selecting && ctr_select_needs_row_alone (&b->plan.select) && !borders_reorders (*f)
                    && !f->summing && !f->shape_features && !f->regions.places;
  f->simplifying = b->plan.epsilon > 0;
  f->simplify.epsilon_squared = b->plan.epsilon * b->plan.epsilon;
  f->simplify.refines = refines (b);
  f->by_word.per_row = ctr_div_up (f->width, 64) * 2;
  f->tiles_x = ctr_div_up (f->width, BORDERS_TILE);
  f->tiles_y = ctr_div_up (f->height, BORDERS_TILE);
  f->count_ctas = (uint32_t) (((uint64_t) f->by_word.per_row * f->height + COUNT_SHARE - 1) / COUNT_SHARE);
  set_capacities (b, f);
  f->many_segments = b->capacity.many_segments > 0;
  f->clustered = b->capacity.clustered > 0;
  f->many_points = b->capacity.many_points > 0;
  f->many_contours = borders_reorders (*f) && b->capacity.many_contours > 0;
  f->deep = f->many_contours && borders_nests (*f) && b->capacity.deep > 0;
  if (b->period_ended)
    give_back (b, f);
  f->traversal_ranking.capacity = f->contour_capacity;
  f->measuring = !f->limited;
  f->final = true;
  b->may_finish = may_finish (b, *f);
  const cudaStream_t stream = b->session.stream;
  bool fresh;
  if (forks (b, *f) && !cuda_fork_open (&b->fork, error))
    return false;
  if (!input_stage_reserve (&b->input, &b->image, need_of (b), b->session.stream, &fresh, error)
      || !delivery_reserve (
          &b->delivery, input_needs_samples (need_of (b)) ? &b->image : NULL, sizeof (BordersHeader), error)
      || !ctr_device_buffer_reserve_clear (&b->planes, borders_lay_out_planes (f, NULL), stream, error)
      || !ctr_device_buffer_reserve_clear (&b->contents, borders_lay_out_contents (f, NULL), stream, error)
      || !contour_slot_reserve (b->slot, f->contour_capacity, f->point_capacity, f->summing & SUMMING_MOMENTS, error)
      || !contour_slot_reserve_shapes (b->slot, f->shape_features ? f->contour_capacity : 0, error)
      || !contour_slot_reserve_fits (b->slot, f->summing & SUMMING_FITS ? f->contour_capacity : 0, error)
      || !contour_slot_reserve_subpixel (b->slot, refines (b) ? f->point_capacity : 0, error))
    return false;
  borders_lay_out_planes (f, (uint8_t *) b->planes.data);
  borders_lay_out_contents (f, (uint8_t *) b->contents.data);
  f->ranking.count = &f->counters->ranked_segments;
  f->ranking.starts = f->by_word.starts;
  f->traversal_ranking.count = &f->counters->ranked_contours;
  describe_output (b, f);
  return true;
}

constexpr const char *WORK = "following borders";

/* Did all of a frame fit? As complete() decides on the host. */
struct Complete {
  uint32_t passages, open, closed, contours, points;

  explicit Complete (const BordersKernelArgs &f)
      : passages (f.by_passage.capacity), open (f.ranking.capacity), closed (f.by_segment.closed_capacity),
        contours (f.contour_capacity), points (f.point_capacity)
  {
  }

  __device__ bool
  operator() (const BordersHeader &h) const
  {
    return !h.too_many && h.passages <= passages && h.open <= open && h.closed <= closed && h.all_contours <= contours
           && h.points <= points && !h.incomplete && !h.unmeasured && !h.too_deep;
  }
};

/* Queues the kernels that read the picture. */
bool
queue_picture (Borders *b, BordersKernelArgs *f, CtrError *error)
{
  if (!input_stage_foreground (&b->input, &b->image, need_of (b), &b->view, b->session.stream, error))
    return false;
  input_view_describe (b->view, &b->plan.foreground, f);
  if (refines (b))
    f->frame_output.samples = samples_for (b);
  b->copy = f->frame_output.copy = delivery_copy_of (&b->delivery, &b->image, &b->view.plane);
  *delivery_flag (&b->delivery) = 0;
  if (b->is_begun)
    CTR_CUDA (cudaMemsetAsync (f->found, 0, sizeof *f->found, b->session.stream));
  b->is_begun = true;
  /* The kernel before may be any other where it is not the histogram. */
  borders_launch_tiles (*f, tile_threads (b, *f), b->session.overlap && b->input.counted, b->session.stream);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

/* Queues the kernels behind that of the points. */
bool
queue_rows (Borders *b, const BordersKernelArgs &f, cudaStream_t stream, bool overlap, CtrError *error)
{
  const bool fork = forks (b, f);
  const cudaStream_t beside = fork ? b->fork.stream : stream;
  if (fork && !cuda_fork_begin (&b->fork, stream, error))
    return false;
  borders_launch_table (f, overlap, stream);
  borders_launch_sums (f, overlap, beside);
  if (f.shape_features)
    borders_launch_shapes (f, overlap, stream);
  if (f.selects_rows)
    borders_launch_select_rows (f, b->plan.select, overlap, stream);
  else if (f.selecting)
    borders_launch_select (f, b->plan.select, overlap, stream);
  if (refines (b))
    borders_launch_subpixel (f, b->plan.subpixel, overlap, beside);
  if (fork && !cuda_fork_join (&b->fork, stream, error))
    return false;
  if (f.simplifying)
    borders_launch_simplify (f, overlap, stream);
  return true;
}

/* Queues the other kernels, which the same arguments determine but for *f.output. */
bool
queue_contours (Borders *b, const BordersKernelArgs &f, cudaStream_t stream, bool overlap, CtrError *error)
{
  if (f.many_segments) {
    borders_launch_links (f, overlap, stream);
    list_ranking_launch (f.ranking, overlap, stream);
    borders_launch_numbering (f, overlap, stream);
  } else {
    borders_launch_few (f, overlap, stream);
  }
  if (f.limited)
    borders_launch_measures (f, overlap, stream);
  if (borders_reorders (f))
    borders_launch_hierarchy (f, overlap, stream);
  borders_launch_points (f, overlap, stream);
  if (!queue_rows (b, f, stream, overlap, error))
    return false;
  deliver_contours (&b->delivery, &f.counters->header, f.output, b->copy.from != NULL, Complete{f}, overlap, stream);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

bool
queue_frame (Borders *b, CtrError *error)
{
  FrameKey key;
  memset (&key, 0, sizeof key);
  BordersKernelArgs &f = key.args;
  if (!reserve (b, &f, error) || !cuda_session_start_clock (&b->session, error) || !queue_picture (b, &f, error))
    return false;
  if (finishes (b, f)) {
    borders_launch_finish (f, b->finish_ctas, (BordersHeader *) delivery_header (&b->delivery),
        delivery_flag (&b->delivery), b->session.stream);
    CTR_CUDA (cudaGetLastError ());
    b->is_begun = false;
    return cuda_session_mark (&b->session, error);
  }
  f.pixels = NULL;
  f.threshold_device = NULL;
  f.stride = f.depth = f.invert = 0;
  memset (&f.frame_output, 0, sizeof f.frame_output); /* with the padding */
  key.keeps_picture = b->copy.from != NULL;
  key.subpixel = b->plan.subpixel;
  key.select = b->plan.select;
  auto queue = [&] (cudaStream_t stream, bool overlap) { return queue_contours (b, f, stream, overlap, error); };
  const bool ok = pays_as_graph (b, f) ? cuda_graph_cache_queue (&b->graphs, key, &b->session, queue, error)
                                       : queue (b->session.stream, b->session.overlap);
  b->is_begun = !ok;
  return ok && cuda_session_mark (&b->session, error);
}

/* Queues the frame again, with more room. Its picture may have changed. */
bool
queue_again (Borders *b, CtrError *error)
{
  b->session.was_incomplete = true;
  if (!cuda_session_wait_for_mark (&b->session, WORK, error) || !cuda_session_wait_for_readers (&b->session, error))
    return false;
  if (!b->plan.foreground.regions) /* of which nothing is read again */
    b->image = delivery_image (b->copy, &b->view.plane);
  input_stage_reuse (&b->input, b->view);
  return queue_frame (b, error);
}

bool
borders_enqueue (void *state, const CtrImage *image, const CtrBordersPlan *plan, void *stream, CtrError *error)
{
  Borders *b = (Borders *) state;
  if (!cuda_session_begin (&b->session, stream, error))
    return false;
  /* The next result has memory of its own, unless the last one, refused or failed, has left it here. */
  if (b->slot && !cuda_session_wait_for_readers (&b->session, error)) {
    cuda_session_end (&b->session, false);
    return false;
  }
  cuda_session_forget_readers (&b->session);
  b->session.was_incomplete = false;
  b->plan = *plan;
  if (!b->slot)
    b->slot = contour_pool_take (b->pool, error);
  bool ok = b->slot, fresh;
  ok = ok && (!b->period_ended || input_stage_give_back (&b->input, b->session.stream, &b->gave_back, error));
  ok = ok && input_stage_share (&b->input, image, need_of (b), &b->session, &b->image, &fresh, error);
  if (ok && plan->foreground.regions)
    b->plan.foreground.regions = b->input.regions.regions; /* which stay until the next image */
  ok = ok && input_stage_reserve (&b->input, &b->image, need_of (b), b->session.stream, &fresh, error);
  ok = ok && cuda_session_start_clock (&b->session, error);
  ok = ok && input_stage_upload (&b->input, &b->image, need_of (b), b->session.stream, error);
  ok = ok && keep_samples (b, error);
  if (ok && queue_frame (b, error) && input_stage_release_image (&b->input, error))
    return true;
  cuda_session_end (&b->session, false);
  input_stage_end (&b->input);
  return false;
}

/* The header, with the contours and points that there were before limits on numbers and simplification. */
BordersHeader
needs_of_frame (const Borders *b)
{
  BordersHeader h = *(const BordersHeader *) delivery_header (&b->delivery);
  h.contours = max (h.contours, h.rows);
  h.points = max (h.points, h.row_points);
  return h;
}

/* Is the frame complete? If not, there is room for it now. */
bool
complete (Borders *b)
{
  const BordersHeader h = needs_of_frame (b);
  b->last_passages = h.passages;
  return adapt_capacity (
      &b->capacity, h, b->has_cluster, b->may_finish, borders_most_passages_to_finish (b->finish_ctas));
}

/* Takes note of what a complete frame has used. */
void
count_frame (Borders *b, const BordersHeader &h)
{
  Capacity *u = &b->used;
  u->passages = max (u->passages, h.passages);
  u->open = max (u->open, h.open);
  u->closed = max (u->closed, h.closed);
  u->contours = max (u->contours, h.all_contours);
  u->points = max (u->points, h.points);
  b->period_ended |= ctr_room_period_ends (&b->period);
}

CtrContours *
take_result (Borders *b, CtrError *error)
{
  for (;;) {
    if (!cuda_session_wait_for_flag (&b->session, delivery_flag (&b->delivery), WORK, error))
      return NULL;
    if (((const BordersHeader *) delivery_header (&b->delivery))->too_many) {
      ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY,
          "the borders of a %u x %u image have more than %u points, which are too many for a GPU: analyse it in strips",
          b->image.width, b->image.height, MOST_FRAME_PASSAGES);
      return NULL;
    }
    if (complete (b))
      break;
    if (!queue_again (b, error))
      return NULL;
  }
  const BordersHeader h = *(const BordersHeader *) delivery_header (&b->delivery);
  count_frame (b, needs_of_frame (b));
  const CtrContours info = {.width = b->image.width,
      .height = b->image.height,
      .count = h.contours,
      .threshold = h.threshold,
      .point_count = h.points,
      .coordinates = CTR_COORDINATES_PIXELS,
      .features = b->plan.features};
  CtrContours *result = contour_slot_publish (b->slot, &info, error);
  if (result)
    b->slot = NULL;
  return result;
}

CtrContours *
borders_finish (void *state, CtrError *error)
{
  Borders *b = (Borders *) state;
  cuda_session_enter (&b->session);
  CtrContours *result = take_result (b, error);
  cuda_session_end (&b->session, result);
  input_stage_end (&b->input);
  cuda_session_leave (&b->session);
  return result;
}

bool
borders_view (void *state, CtrPendingView *view)
{
  const Borders *b = (const Borders *) state;
  contour_slot_view (b->slot, &b->session, view);
  return true;
}

} // namespace

extern "C" const CtrBordersOps ctr_borders_ops_cuda = {
    {borders_create, borders_destroy, borders_view, cuda_session_hold, cuda_session_lead, cuda_session_was_incomplete},
    borders_enqueue, borders_finish};
