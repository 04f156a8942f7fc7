/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contours of levels on the GPU, host side: memory, the frame's kernels, the way back. device_state.cuh has the
 * design. */
#include "cuda/contours/contour_pool.h"
#include "cuda/cracks/device_state.cuh"
#include "cuda/common/input_stage.h"
#include "cuda/common/session.cuh"

#include "core/common/poll.h"

#include <stdlib.h>
#include <string.h>

namespace
{

struct Cracks {
  InputStage input;
  CtrDeviceBuffer tables;                           /* sample_ranks, levels */
  CtrDeviceBuffer staged;                           /* pinned: the same */
  uint64_t tables_number;                           /* CtrCracksPlan.tables of what is there */
  CtrDeviceBuffer planes;                           /* sized by the image */
  CtrDeviceBuffer nodes;                            /* sized by what is in it */
  CtrDeviceBuffer sorting;                          /* CUB's */
  CtrDeviceBuffer header;                           /* pinned: CracksHeader */
  uint32_t node_capacity, contour_capacity, rounds; /* what the last frames needed */
  ContourPool *pool;
  CudaSession session;

  /* The pending image. */
  CtrImage image;
  CtrCracksPlan plan;
  ContourSlot *slot;
};

constexpr size_t RANKS_SIZE = 65536 * sizeof (uint16_t), TABLES_SIZE = 2 * RANKS_SIZE;

void
cracks_destroy (void *state)
{
  Cracks *c = (Cracks *) state;
  cuda_session_close (&c->session);
  if (c->slot)
    contour_pool_give_back (c->slot);
  input_stage_free (&c->input);
  for (CtrDeviceBuffer *buffer : {&c->tables, &c->staged, &c->planes, &c->nodes, &c->sorting, &c->header})
    ctr_device_buffer_free (buffer);
  if (c->pool)
    contour_pool_unref (c->pool);
  free (c);
}

void *
cracks_create (CtrError *error)
{
  Cracks *c = (Cracks *) calloc (1, sizeof *c);
  if (!c) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a tracer of contours");
    return NULL;
  }
  input_stage_init (&c->input);
  c->staged.pinned = c->header.pinned = true;
  const bool ok = cuda_session_open (&c->session, "preparing a tracer of contours", error)
                  && ctr_device_buffer_reserve (&c->header, sizeof (CracksHeader), error)
                  && ctr_device_buffer_reserve (&c->tables, TABLES_SIZE, error)
                  && ctr_device_buffer_reserve (&c->staged, TABLES_SIZE, error) && (c->pool = contour_pool_new (error));
  if (ok)
    return c;
  cracks_destroy (c);
  return NULL;
}

size_t
carve_planes (CracksFrame *f, uint8_t *base)
{
  ArenaLayout c = {base, 0};
  f->counters = c.take<CracksCounters> (1);
  f->scan_states[SCAN_ROWS] = c.take<unsigned long long> (cracks_sums (*f, false) / SCAN_SHARE + 1);
  f->scan_states[SCAN_COLUMNS] = c.take<unsigned long long> (cracks_sums (*f, true) / SCAN_SHARE + 1);
  f->ranks = c.take<uint16_t> ((size_t) f->rank_stride * f->height);
  f->row_sums = c.take<uint32_t> (cracks_sums (*f, false));
  f->column_sums = c.take<uint32_t> (cracks_sums (*f, true));
  f->level_first = c.take<uint32_t> (f->level_count);
  f->level_end = c.take<uint32_t> (f->level_count);
  return c.used;
}

/* *STATES: bytes in the beginning that a frame begins with at zero. */
size_t
carve_nodes (CracksFrame *f, uint8_t *base, size_t *states)
{
  const size_t nodes = f->node_capacity, contours = f->contour_capacity;
  ArenaLayout c = {base, 0};
  f->scan_states[SCAN_CONTOURS] = c.take<unsigned long long> (nodes / NODE_SCAN_SHARE + 1);
  for (int i = SCAN_MEASURED; i < CRACKS_SCANS; i++)
    f->scan_states[i] = c.take<unsigned long long> (contours / SCAN_SHARE + 1);
  *states = c.used;
  for (int i = 0; i < 2; i++) {
    for (int by = 0; by < 2; by++) {
      f->keys[by][i] = c.take<uint32_t> (nodes);
      f->values[by][i] = c.take<uint32_t> (nodes);
    }
    f->sort_keys[i] = c.take<uint32_t> (contours);
    f->sort_values[i] = c.take<uint32_t> (contours);
    f->rings.views[i] = c.take<RingView> (nodes);
  }
  for (uint32_t **array : {&f->found_place, &f->sorted_as, &f->place, &f->vertical, &f->down, &f->started})
    *array = c.take<uint32_t> (nodes);
  f->rank = c.take<uint16_t> (nodes);
  f->kind = c.take<uint8_t> (nodes); /* whose room is a multiple of 256 bytes */
  for (uint32_t **array : {&f->starts, &f->lengths, &f->parents, &f->next, &f->previous, &f->child, &f->firsts})
    *array = c.take<uint32_t> (contours);
  f->row_lengths = f->lengths;
  f->accumulators = c.take<ContourAccumulator> (contours);
  if (f->limited) {
    for (uint32_t **array : {&f->rows, &f->row_contours, &f->row_lengths})
      *array = c.take<uint32_t> (contours);
    f->all_points = c.take<CtrPoint> (nodes);
  }
  return c.used;
}

/* The plan's tables on the device. */
bool
upload_tables (Cracks *c, CtrError *error)
{
  if (c->tables_number == c->plan.tables)
    return true;
  memcpy (c->staged.data, c->plan.ranks, c->plan.sample_count * sizeof (uint16_t));
  memcpy ((uint8_t *) c->staged.data + RANKS_SIZE, c->plan.levels, c->plan.level_count * sizeof (uint16_t));
  CTR_CUDA (cudaMemcpyAsync (c->tables.data, c->staged.data, TABLES_SIZE, cudaMemcpyHostToDevice, c->session.stream));
  c->tables_number = c->plan.tables;
  return true;
}

/* The frame of the pending image; its memory, cleared where that counts. Nothing that uses it may be under way. */
bool
reserve (Cracks *c, CracksFrame *f, CtrError *error)
{
  *f = CracksFrame ();
  f->width = c->image.width;
  f->height = c->image.height;
  f->rank_stride = (f->width + 7) / 8 * 8;
  f->tiles_x = f->width / VERTEX_TILE + 1; /* of width + 1 vertices */
  f->tiles_y = f->height / VERTEX_TILE + 1;
  f->sample_ranks = (const uint16_t *) c->tables.data;
  f->levels = (const uint16_t *) ((uint8_t *) c->tables.data + RANKS_SIZE);
  f->level_count = c->plan.level_count;
  f->equal = c->plan.mode == CTR_LEVELS_EQUAL;
  f->four_connected = c->plan.connectivity == CTR_CONNECTIVITY_4;
  f->zero_frame = c->plan.frame == CTR_FRAME_ZERO;
  f->limited = c->plan.limited;
  f->measuring = !f->limited;
  f->min_area2 = c->plan.min_area2;
  f->max_area2 = c->plan.max_area2;
  f->min_length = c->plan.min_length;
  f->node_capacity = f->rings.capacity = c->node_capacity;
  f->contour_capacity = c->contour_capacity;
  f->rings.rounds = c->rounds;
  size_t sorting = 0, more = 0, states;
  if (f->node_capacity) {
    CTR_CUDA (
        cracks_sort (f->keys[0], f->values[0], f->node_capacity, f->level_count, NULL, &sorting, c->session.stream));
    CTR_CUDA (cracks_sort (f->sort_keys, f->sort_values, f->contour_capacity,
        (uint64_t) f->level_count + f->contour_capacity + 1, NULL, &more, c->session.stream));
  }
  const size_t sums = c->plan.features & CTR_CONTOUR_FEATURE_MOMENTS ? f->contour_capacity : 0;
  const void *nodes = c->nodes.data;
  bool fresh;
  if (!input_stage_reserve (&c->input, &c->image, CTR_THRESHOLD_FIXED, &fresh, error)
      || !ctr_device_buffer_reserve (&c->planes, carve_planes (f, NULL), error)
      || !ctr_device_buffer_reserve (&c->nodes, carve_nodes (f, NULL, &states), error)
      || !ctr_device_buffer_reserve (&c->sorting, sorting > more ? sorting : more, error)
      || !ctr_device_buffer_reserve (&c->slot->table, f->contour_capacity * sizeof (CtrContour), error)
      || !ctr_device_buffer_reserve (&c->slot->points, f->node_capacity * sizeof (CtrPoint), error)
      || !ctr_device_buffer_reserve (&c->slot->sums, sums * sizeof (CtrContourSums), error))
    return false;
  carve_planes (f, (uint8_t *) c->planes.data);
  carve_nodes (f, (uint8_t *) c->nodes.data, &states);
  f->rings.progress = &f->counters->progress;
  f->table = (CtrContour *) c->slot->table.data;
  f->points = (CtrPoint *) c->slot->points.data;
  f->sums = sums ? (CtrContourSums *) c->slot->sums.data : NULL;
  if (c->nodes.data != nodes) /* rings are loaded before it is known how many there are */
    CTR_CUDA (cudaMemsetAsync (c->nodes.data, 0, c->nodes.size, c->session.stream));
  CTR_CUDA (cudaMemsetAsync (c->planes.data, 0, (uint8_t *) f->ranks - (uint8_t *) c->planes.data, c->session.stream));
  if (f->node_capacity)
    CTR_CUDA (cudaMemsetAsync (c->nodes.data, 0, states, c->session.stream));
  return true;
}

bool
queue_frame (Cracks *c, CtrError *error)
{
  CracksFrame f;
  CtrImage plane;
  if (!reserve (c, &f, error) || !upload_tables (c, error)
      || !input_stage_plane (&c->input, &c->image, &plane, c->session.stream, error))
    return false;
  f.pixels = (const uint8_t *) plane.data;
  f.stride = plane.stride;
  f.depth = plane.format == CTR_FORMAT_GRAY8 ? 8 : 16;
  if (!cracks_launch_nodes (f, &c->sorting, c->session.overlap, c->session.stream, error)
      || !cracks_launch_lists (f, &c->sorting, c->session.overlap, c->session.stream, error))
    return false;
  CTR_CUDA (cudaGetLastError ());
  CTR_CUDA (cudaMemcpyAsync (
      c->header.data, &f.counters->header, sizeof (CracksHeader), cudaMemcpyDeviceToHost, c->session.stream));
  return true;
}

bool
cracks_enqueue (void *state, const CtrImage *image, const CtrCracksPlan *plan, void *stream, CtrError *error)
{
  Cracks *c = (Cracks *) state;
  if (!cuda_session_begin (&c->session, stream, error))
    return false;
  c->image = *image;
  c->plan = *plan;
  if (!c->slot)
    c->slot = contour_pool_take (c->pool, error);
  bool fresh, ok = c->slot;
  ok = ok && input_stage_reserve (&c->input, image, CTR_THRESHOLD_FIXED, &fresh, error);
  if (ok)
    input_stage_stage (&c->input, image);
  if (ok && queue_frame (c, error))
    return true;
  cuda_session_end (&c->session, false);
  return false;
}

/* Is the frame complete? If not, there is room for it now. It has not too many nodes. */
bool
complete (Cracks *c)
{
  const CracksHeader h = *(const CracksHeader *) c->header.data;
  const uint32_t nodes = (uint32_t) h.nodes;
  const bool fits = nodes <= c->node_capacity;
  if (!fits) {
    c->node_capacity = nodes + nodes / 4 + 64;
    if (c->contour_capacity < c->node_capacity / 4)
      c->contour_capacity = c->node_capacity / 4; /* a contour has four corners */
  }
  if (!fits || h.incomplete) {
    uint32_t rounds = 2; /* of two doublings, the last of which finds that all is done */
    while (nodes >> (2 * rounds - 1))
      rounds++;
    if (nodes > RING_SMALL && c->rounds < rounds)
      c->rounds = rounds;
    return false;
  }
  if (c->rounds > h.rounds + 1)
    c->rounds--;
  return true;
}

CtrContours *
take_result (Cracks *c, CtrError *error)
{
  CtrContours info = {};
  info.width = c->image.width;
  info.height = c->image.height;
  info.coordinates = CTR_COORDINATES_CORNERS;
  info.features = c->plan.features;
  for (;;) {
    if (!cuda_session_wait (&c->session, "tracing contours", error))
      return NULL;
    const unsigned long long nodes = ((const CracksHeader *) c->header.data)->nodes;
    if (nodes > c->plan.max_points)
      return ctr_contours_refuse (&info, CTR_LIMIT_POINTS, nodes, error);
    if (nodes > CRACKS_MOST_NODES) {
      ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY,
          "no GPU memory for contours of %llu points in a %u x %u image: fewer levels have fewer", nodes,
          c->image.width, c->image.height);
      return NULL;
    }
    if (complete (c))
      break;
    if (!ctr_go_on (error))
      return NULL;
    if (!queue_frame (c, error))
      return NULL;
  }
  const CracksHeader h = *(const CracksHeader *) c->header.data;
  info.count = h.contours;
  info.point_count = h.points;
  CtrContours *result = contour_slot_publish (c->slot, &info, error);
  if (result)
    c->slot = NULL;
  return result;
}

CtrContours *
cracks_finish (void *state, CtrError *error)
{
  Cracks *c = (Cracks *) state;
  CtrContours *result = take_result (c, error);
  cuda_session_end (&c->session, result);
  return result;
}

} // namespace

extern "C" const CtrCracksOps ctr_cracks_ops_cuda = {{cracks_create, cracks_destroy}, cracks_enqueue, cracks_finish};
