/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Border following on the GPU, host side: memory, the frame's kernels, the way back. device_state.cuh has the
 * design. */
#include "cuda/borders/device_state.cuh"
#include "cuda/contours/contour_pool.h"
#include "cuda/common/input_stage.h"
#include "cuda/common/session.cuh"

#include <stdlib.h>
#include <string.h>

namespace
{

/* Room for what the last frames needed; a frame that needs more is done again. */
struct Capacity {
  uint32_t nodes, open, closed, contours, points, rounds;
  uint32_t many_rings, many_points; /* frames for which these kernels will still be queued */
};

constexpr uint32_t MANY_FRAMES = 16; /* after one that needed them */

struct Borders {
  InputStage input;
  CtrDeviceBuffer planes;  /* sized by the image */
  CtrDeviceBuffer nodes;   /* sized by what is in it */
  CtrDeviceBuffer sorting; /* CUB's */
  CtrDeviceBuffer header;  /* pinned: BordersHeader */
  uint32_t turn;           /* of the two counters */
  Capacity capacity;
  ContourPool *pool;
  CudaSession session;

  /* The pending image. */
  CtrImage image;
  CtrBordersPlan plan;
  ContourSlot *slot;
};

void borders_destroy (void *state);

void *
borders_create (CtrError *error)
{
  Borders *b = (Borders *) calloc (1, sizeof *b);
  if (!b) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a border follower");
    return NULL;
  }
  input_stage_init (&b->input);
  b->header.pinned = true;
  const bool ok = cuda_session_open (&b->session, "preparing a border follower", error)
                  && ctr_device_buffer_reserve (&b->header, sizeof (BordersHeader), error)
                  && (b->pool = contour_pool_new (error));
  if (ok)
    return b;
  borders_destroy (b);
  return NULL;
}

void
borders_destroy (void *state)
{
  Borders *b = (Borders *) state;
  cuda_session_close (&b->session);
  if (b->slot)
    contour_pool_give_back (b->slot);
  input_stage_free (&b->input);
  ctr_device_buffer_free (&b->planes);
  ctr_device_buffer_free (&b->nodes);
  ctr_device_buffer_free (&b->sorting);
  ctr_device_buffer_free (&b->header);
  if (b->pool)
    contour_pool_unref (b->pool);
  free (b);
}

size_t
carve_planes (BordersFrame *f, uint8_t *base)
{
  const size_t words = (size_t) f->words * f->height;
  ArenaLayout c = {base, 0};
  f->counters = c.take<BordersCounters> (2);
  f->bits = c.take<uint32_t> (words);
  f->starts = c.take<uint32_t> (words);
  f->before = c.take<uint32_t> (words);
  f->node_base = c.take<uint32_t> (words);
  f->count_states = c.take<unsigned long long> (f->count_ctas);
  return c.used;
}

size_t
carve_nodes (BordersFrame *f, uint8_t *base)
{
  ArenaLayout c = {base, 0};
  f->node_place = c.take<uint32_t> (f->node_capacity);
  f->node_ring = c.take<uint32_t> (f->node_capacity);
  f->node_rank = c.take<uint32_t> (f->node_capacity);
  f->rings.segments = c.take<RingSegment> (f->rings.capacity);
  f->rings.views[0] = c.take<RingView> (f->rings.capacity);
  f->rings.views[1] = c.take<RingView> (f->rings.capacity);
  f->closed = c.take<uint2> (f->closed_capacity);
  f->open_ranks = c.take<uint32_t> (f->rings.capacity);
  f->closed_ranks = c.take<uint32_t> (f->closed_capacity);
  const uint32_t contours = f->contour_capacity;
  f->rank_lengths = f->row_lengths = c.take<uint32_t> (contours);
  f->rank_keys = f->row_keys = c.take<uint32_t> (contours);
  f->firsts = c.take<uint32_t> (contours);
  f->accumulators = c.take<ContourAccumulator> (contours);
  for (auto &states : f->scan_states)
    states = c.take<unsigned long long> (contours / OFFSET_SHARE + 1);
  if (f->limited)
    f->all_points = c.take<CtrPoint> (f->node_capacity);
  if (!borders_reorders (*f))
    return c.used;
  f->rows = c.take<uint32_t> (contours);
  f->ranks = c.take<uint32_t> (contours);
  f->row_lengths = c.take<uint32_t> (contours);
  f->row_keys = c.take<uint32_t> (contours);
  f->parents = c.take<uint32_t> (contours);
  if (!borders_nests (*f))
    return c.used;
  f->ordered = c.take<uint32_t> (contours);
  f->next = c.take<uint32_t> (contours);
  f->previous = c.take<uint32_t> (contours);
  f->child = c.take<uint32_t> (contours);
  for (int i = 0; i < 2; i++) {
    f->sort_keys[i] = c.take<uint32_t> (contours);
    f->sort_values[i] = c.take<uint32_t> (contours);
    f->order.views[i] = c.take<RingView> (contours);
  }
  f->order.segments = c.take<RingSegment> (contours);
  return c.used;
}

uint32_t
with_spare (uint32_t need)
{
  return need > UINT32_MAX / 5 * 4 ? UINT32_MAX : need + need / 4 + 64;
}

/* Rounds in which rings of so many segments are complete for certain. */
uint32_t
most_rounds (uint32_t segments)
{
  uint32_t rounds = 2; /* of two doublings, the last of which finds that all is done */
  while (rounds < RING_MOST_ROUNDS && (uint64_t) segments >> (2 * rounds - 1))
    rounds++;
  return rounds;
}

/* As ctr_device_buffer_reserve(), new memory zeroed. */
bool
reserve_clean (Borders *b, CtrDeviceBuffer *buffer, size_t size, CtrError *error)
{
  const size_t before = buffer->size;
  if (!ctr_device_buffer_reserve (buffer, size, error))
    return false;
  if (buffer->size != before)
    CTR_CUDA (cudaMemsetAsync (buffer->data, 0, buffer->size, b->session.stream));
  return true;
}

/* The frame of the pending image; its memory. Nothing that uses the memory may be under way. */
bool
reserve (Borders *b, BordersFrame *f, CtrError *error)
{
  *f = BordersFrame ();
  f->width = b->image.width;
  f->height = b->image.height;
  f->threshold = b->plan.foreground.threshold;
  f->invert = b->plan.foreground.invert;
  f->simple = b->plan.approximation == CTR_APPROXIMATION_SIMPLE;
  f->mode = b->plan.mode;
  f->limited = b->plan.limited;
  f->min_area2 = b->plan.min_area2;
  f->max_area2 = b->plan.max_area2;
  f->min_length = b->plan.min_length;
  f->min_width = b->plan.min_width;
  f->min_height = b->plan.min_height;
  f->words = ctr_div_up (f->width, 64) * 2;
  f->tiles_x = ctr_div_up (f->width, BORDERS_TILE);
  f->tiles_y = ctr_div_up (f->height, BORDERS_TILE);
  f->count_ctas = (uint32_t) (((uint64_t) f->words * f->height + COUNT_SHARE - 1) / COUNT_SHARE);
  f->node_capacity = b->capacity.nodes;
  f->rings.capacity = b->capacity.open;
  f->rings.rounds = b->capacity.rounds;
  f->closed_capacity = b->capacity.closed;
  f->contour_capacity = b->capacity.contours;
  f->point_capacity = b->capacity.points;
  f->order.capacity = f->contour_capacity;
  f->order.rounds = f->contour_capacity > RING_SMALL ? most_rounds (f->contour_capacity) : 0;
  f->many_rings = b->capacity.many_rings > 0;
  f->many_points = b->capacity.many_points > 0;
  f->measuring = !f->limited;
  f->final = true;
  const size_t sums = b->plan.features & CTR_CONTOUR_FEATURE_MOMENTS ? f->contour_capacity : 0;
  bool fresh;
  if (!input_stage_reserve (&b->input, &b->image, b->plan.foreground.mode, &fresh, error)
      || !reserve_clean (b, &b->planes, carve_planes (f, NULL), error)
      || !reserve_clean (b, &b->nodes, carve_nodes (f, NULL), error) || !borders_reserve_tree (*f, &b->sorting, error)
      || !ctr_device_buffer_reserve (&b->slot->table, f->contour_capacity * sizeof (CtrContour), error)
      || !ctr_device_buffer_reserve (&b->slot->points, f->point_capacity * sizeof (CtrPoint), error)
      || !ctr_device_buffer_reserve (&b->slot->sums, sums * sizeof (CtrContourSums), error))
    return false;
  carve_planes (f, (uint8_t *) b->planes.data);
  carve_nodes (f, (uint8_t *) b->nodes.data);
  BordersCounters *counters = f->counters;
  b->turn ^= 1;
  f->counters = counters + b->turn;
  f->next_counters = counters + (b->turn ^ 1);
  f->rings.progress = &f->counters->progress;
  f->order.progress = &f->counters->order_progress;
  f->table = (CtrContour *) b->slot->table.data;
  f->points = (CtrPoint *) b->slot->points.data;
  f->sums = sums ? (CtrContourSums *) b->slot->sums.data : NULL;
  return true;
}

bool
queue_frame (Borders *b, CtrError *error)
{
  BordersFrame f;
  if (!reserve (b, &f, error))
    return false;
  CtrImage plane;
  if (!input_stage_plane (&b->input, &b->image, &plane, b->session.stream, error))
    return false;
  f.pixels = (const uint8_t *) plane.data;
  f.stride = plane.stride;
  f.depth = plane.format == CTR_FORMAT_GRAY8 ? 8 : 16;
  if (b->plan.foreground.mode == CTR_THRESHOLD_OTSU
      && !input_stage_otsu (&b->input, &plane, &f.threshold_device, b->session.stream, error))
    return false;
  borders_launch_tiles (f, b->session.stream);
  borders_launch_few (f, b->session.overlap, b->session.stream);
  if (f.many_rings) {
    borders_launch_links (f, b->session.overlap, b->session.stream);
    ctr_launch_rings (f.rings, b->session.overlap, b->session.stream);
    borders_launch_ranks (f, b->session.overlap, b->session.stream);
  }
  if (f.limited)
    borders_launch_measures (f, b->session.overlap, b->session.stream);
  if (borders_reorders (f) && !borders_launch_tree (f, &b->sorting, b->session.overlap, b->session.stream, error))
    return false;
  borders_launch_lists (f, b->session.overlap, b->session.stream);
  CTR_CUDA (cudaGetLastError ());
  CTR_CUDA (cudaMemcpyAsync (
      b->header.data, &f.counters->header, sizeof (BordersHeader), cudaMemcpyDeviceToHost, b->session.stream));
  return true;
}

bool
borders_enqueue (void *state, const CtrImage *image, const CtrBordersPlan *plan, void *stream, CtrError *error)
{
  Borders *b = (Borders *) state;
  if (!cuda_session_begin (&b->session, stream, error))
    return false;
  b->image = *image;
  b->plan = *plan;
  if (!b->slot)
    b->slot = contour_pool_take (b->pool, error);
  bool ok = b->slot;
  bool fresh;
  ok = ok && input_stage_reserve (&b->input, image, plan->foreground.mode, &fresh, error);
  if (ok)
    input_stage_stage (&b->input, image);
  if (ok && queue_frame (b, error))
    return true;
  cuda_session_end (&b->session, false);
  return false;
}

/* Is the frame complete? If not, there is room for it now. */
bool
complete (Borders *b)
{
  const BordersHeader h = *(const BordersHeader *) b->header.data;
  Capacity *c = &b->capacity;
  bool all = true;
  auto grow = [&] (uint32_t need, uint32_t *capacity) {
    if (need <= *capacity)
      return;
    *capacity = with_spare (need);
    all = false;
  };
  const bool nodes = h.nodes <= c->nodes && h.open <= c->open && h.closed <= c->closed;
  const bool counted = nodes && !(h.incomplete & (LACKS_MANY_RINGS | LACKS_ROUNDS));
  grow (h.nodes, &c->nodes);
  grow (h.open, &c->open);
  grow (h.closed, &c->closed);
  /* Every contour starts with a segment, every point is a node. */
  grow (counted ? h.all_contours : h.open + h.closed, &c->contours);
  grow (counted && h.all_contours <= c->contours && all ? h.points : h.nodes, &c->points);
  if (h.incomplete || h.unmeasured)
    all = false;
  /* As many rounds as frames of late have needed, and one more. */
  if (!nodes || h.incomplete & LACKS_ROUNDS)
    c->rounds = max (c->rounds, most_rounds (h.open));
  else if (c->rounds > h.rounds + 1)
    c->rounds--;
  if (nodes && h.listed)
    c->many_rings -= c->many_rings > 0;
  else if (h.open > RING_SMALL || h.closed > FEW_CONTOURS || h.incomplete & LACKS_MANY_RINGS)
    c->many_rings = MANY_FRAMES;
  if (h.unmeasured || (all && (h.points > FEW_POINTS || h.contours > FEW_CONTOURS)))
    c->many_points = MANY_FRAMES;
  else if (all)
    c->many_points -= c->many_points > 0;
  return all;
}

CtrContours *
take_result (Borders *b, CtrError *error)
{
  for (;;) {
    if (!cuda_session_wait (&b->session, "following borders", error))
      return NULL;
    if (complete (b))
      break;
    if (!queue_frame (b, error))
      return NULL;
  }
  const BordersHeader h = *(const BordersHeader *) b->header.data;
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
  CtrContours *result = take_result (b, error);
  cuda_session_end (&b->session, result);
  return result;
}

} // namespace

extern "C" const CtrBordersOps ctr_borders_ops_cuda = {
    {borders_create, borders_destroy}, borders_enqueue, borders_finish};
