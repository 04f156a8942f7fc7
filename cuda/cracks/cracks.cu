/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Level contours on the GPU, host side: memory, the launches of a frame, the result. device_state.cuh describes the
 * kernels. */
#include "cuda/contours/contour_delivery.cuh"
#include "cuda/contours/contour_pool.h"
#include "cuda/cracks/device_state.cuh"
#include "cuda/common/graph.cuh"
#include "cuda/common/input_stage.h"
#include "cuda/common/session.cuh"

#include "core/common/poll.h"
#include "core/common/room.h"

#include <stdlib.h>
#include <string.h>

namespace
{

/* All that the kernels behind the count kernel depend on. */
struct FrameKey {
  CracksKernelArgs args;
  const void *sorting;
  size_t sorting_size;
  uint64_t max_points;
  uint32_t keeps_picture; /* Some frames may copy their picture. */
};

/* What the size of CUB's temporary storage depends on. */
struct SortCounts {
  uint32_t corners, contours, levels;
};

struct Cracks {
  CudaSession session; /* first, see cuda_session_hold() */
  InputStage input;
  CtrDeviceBuffer tables;   /* the plan's tables: level_index_by_sample, level_by_index */
  CtrDeviceBuffer staged;   /* pinned: the same */
  uint64_t tables_number;   /* CtrCracksPlan.tables of what is there */
  CtrDeviceBuffer planes;   /* sized by the image */
  CtrDeviceBuffer contents; /* sized by what is in it */
  CtrDeviceBuffer sorting;  /* CUB's temporary storage, */
  SortCounts sorted;        /* sufficient for these */
  uint32_t turn;            /* see CracksFound */
  CudaGraphCache<FrameKey> graphs;
  /* Room for the most that the latest frames have needed. A frame that needs more is done again. */
  uint32_t corner_capacity, contour_capacity, rounds;
  uint32_t used_corners; /* by the frames of this period at most */
  CtrRoomPeriod period;
  bool period_ended;
  ResultPool *pool;
  Delivery delivery; /* of CracksHeader */

  /* The queued image. */
  CtrImage image;
  CtrImage plane; /* its samples on the GPU */
  PictureCopy copy;
  CtrCracksPlan plan;
  ContourSlot *slot;
};

constexpr size_t TABLE_SIZE = 65536 * sizeof (uint16_t), TABLES_SIZE = 2 * TABLE_SIZE;

void
cracks_destroy (void *state)
{
  Cracks *c = (Cracks *) state;
  cuda_graph_cache_free (&c->graphs);
  cuda_session_close (&c->session);
  if (c->slot)
    result_slot_give_back (&c->slot->base);
  input_stage_free (&c->input);
  for (CtrDeviceBuffer *buffer : {&c->tables, &c->staged, &c->planes, &c->contents, &c->sorting})
    ctr_device_buffer_free (buffer);
  delivery_free (&c->delivery);
  if (c->pool)
    result_pool_unref (c->pool);
  free (c);
}

void *
cracks_create (CtrError *error)
{
  Cracks *c = (Cracks *) calloc (1, sizeof *c);
  if (!c) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "out of host memory for the tracer of level contours");
    return NULL;
  }
  input_stage_init (&c->input);
  delivery_init (&c->delivery);
  c->staged.pinned = true;
  const bool ok = cuda_session_open (&c->session, "preparing the tracer of level contours", error)
                  && ctr_device_buffer_reserve (&c->tables, TABLES_SIZE, error)
                  && ctr_device_buffer_reserve (&c->staged, TABLES_SIZE, error) && (c->pool = contour_pool_new (error));
  if (ok)
    return c;
  cracks_destroy (c);
  return NULL;
}

/* A contour has four corners. */
uint32_t
contour_capacity_of (uint32_t corners)
{
  return corners / 4;
}

size_t
lay_out_planes (CracksKernelArgs *f, uint8_t *base)
{
  ArenaLayout arena = {base, 0};
  f->found = arena.take<CracksFound> (1);
  f->output = arena.take<ContourOutput> (1);
  f->counters = arena.take<CracksCounters> (1);
  const size_t before = arena.used;
  f->scan_states[SCAN_ROWS] = arena.take<unsigned long long> (cracks_sums (*f, false) / SCAN_SHARE + 1);
  f->scan_states[SCAN_COLUMNS] = arena.take<unsigned long long> (cracks_sums (*f, true) / SCAN_SHARE + 1);
  f->zeroed[0] = {f->scan_states[SCAN_ROWS], (uint32_t) ((arena.used - before) / sizeof (unsigned long long))};
  f->by_pixel.level_index = arena.take<uint16_t> ((size_t) f->by_pixel.stride * f->height);
  f->row_sums = arena.take<uint32_t> (cracks_sums (*f, false));
  f->column_sums = arena.take<uint32_t> (cracks_sums (*f, true));
  f->by_level.first_corner = arena.take<uint32_t> (f->level_count);
  f->by_level.end_corner = arena.take<uint32_t> (f->level_count);
  return arena.used;
}

size_t
lay_out_contents (CracksKernelArgs *f, uint8_t *base)
{
  const size_t corners = f->by_corner.capacity, contours = f->contour_capacity;
  ArenaLayout arena = {base, 0};
  f->scan_states[SCAN_CONTOURS] = arena.take<unsigned long long> (corners / CORNER_SCAN_SHARE + 1);
  for (int i = SCAN_MEASURED; i < CRACKS_SCANS; i++)
    f->scan_states[i] = arena.take<unsigned long long> (contours / SCAN_SHARE + 1);
  f->zeroed[1] = {f->scan_states[SCAN_CONTOURS], (uint32_t) (arena.used / sizeof (unsigned long long))};
  for (int i = 0; i < 2; i++) {
    for (int by = 0; by < 2; by++) {
      f->sorting.keys[by][i] = arena.take<uint32_t> (corners);
      f->sorting.values[by][i] = arena.take<uint32_t> (corners);
    }
    f->hierarchy.sort_keys[i] = arena.take<uint32_t> (contours);
    f->hierarchy.sort_values[i] = arena.take<uint32_t> (contours);
    f->ranking.views[i] = arena.take<ListView> (corners);
  }
  for (uint32_t **array : {&f->by_found_corner.place, &f->by_found_corner.corner, &f->by_corner.place,
           &f->by_corner.vertical, &f->corners_by_column, &f->contour_by_start})
    *array = arena.take<uint32_t> (corners);
  f->by_corner.level_index = arena.take<uint16_t> (corners);
  f->by_corner.kind =
      arena.take<uint8_t> (corners); /* read 16 at a time: the arena has room for multiples of 256 bytes */
  for (uint32_t **array : {&f->by_contour.starts, &f->by_contour.lengths, &f->hierarchy.parents, &f->hierarchy.next,
           &f->hierarchy.previous, &f->hierarchy.child, &f->by_row.firsts})
    *array = arena.take<uint32_t> (contours);
  f->by_row.lengths = f->by_contour.lengths;
  f->by_row.accumulators = arena.take<ContourAccumulator> (contours);
  if (f->limited) {
    for (uint32_t **array : {&f->by_contour.rows, &f->by_row.contours, &f->by_row.lengths})
      *array = arena.take<uint32_t> (contours);
    f->all_points = arena.take<CtrPoint> (corners);
  }
  if (f->nested) {
    for (uint32_t **array :
        {&f->nesting.links, &f->nesting.jumps[0], &f->nesting.jumps[1], &f->nesting.extremes, &f->nesting.ends})
      *array = arena.take<uint32_t> (contours);
    f->nesting.depths = arena.take<unsigned long long> (contours);
  }
  return arena.used;
}

/* Uploads the plan's tables, unless they are there. */
bool
upload_tables (Cracks *c, CtrError *error)
{
  if (c->tables_number == c->plan.tables)
    return true;
  memcpy (c->staged.data, c->plan.level_indices, c->plan.sample_count * sizeof (uint16_t));
  memcpy ((uint8_t *) c->staged.data + TABLE_SIZE, c->plan.levels, c->plan.level_count * sizeof (uint16_t));
  CTR_CUDA (cudaMemcpyAsync (c->tables.data, c->staged.data, TABLES_SIZE, cudaMemcpyHostToDevice, c->session.stream));
  c->tables_number = c->plan.tables;
  return true;
}

/* Makes room for the sorts. */
bool
reserve_sorting (Cracks *c, const CracksKernelArgs &f, CtrError *error)
{
  size_t corners = 0, siblings = 0;
  const SortCounts n = {f.by_corner.capacity, f.contour_capacity, f.level_count};
  if (n.corners == 0
      || (n.corners == c->sorted.corners && n.contours == c->sorted.contours && n.levels == c->sorted.levels))
    return true;
  CTR_CUDA (
      cracks_sort (f.sorting.keys[0], f.sorting.values[0], n.corners, n.levels, NULL, &corners, c->session.stream));
  CTR_CUDA (cracks_sort_siblings (f, NULL, &siblings, c->session.stream));
  if (!ctr_device_buffer_reserve (&c->sorting, max (corners, siblings), error))
    return false;
  c->sorted = n;
  return true;
}

void
set_capacities (const Cracks *c, CracksKernelArgs *f)
{
  f->by_corner.capacity = f->ranking.capacity = c->corner_capacity;
  f->contour_capacity = c->contour_capacity;
}

/* After the last frame of a period: gives back what its frames have not used, if that is most of the memory. No queued work
 * may use it. */
void
give_back (Cracks *c, CracksKernelArgs *f)
{
  const uint32_t corners = c->corner_capacity, contours = c->contour_capacity;
  c->corner_capacity = min (corners, ctr_with_spare (c->used_corners));
  c->contour_capacity = min (contours, contour_capacity_of (c->corner_capacity));
  set_capacities (c, f);
  if (ctr_room_is_excess (c->contents.size, lay_out_contents (f, NULL))) {
    ctr_device_buffer_free (&c->contents);
    ctr_device_buffer_free (&c->sorting);
    c->sorted = {};
    ctr_room_period_double (&c->period);
  } else {
    c->corner_capacity = corners;
    c->contour_capacity = contours;
    set_capacities (c, f);
  }
  contour_pool_give_back_memory (c->pool, c->slot, c->contour_capacity, c->corner_capacity);
  c->used_corners = 0;
  c->period_ended = false;
}

/* Fills the arguments for the queued image, but for its plane, and makes room. No queued work may use the memory. */
bool
reserve (Cracks *c, CracksKernelArgs *f, CtrError *error)
{
  memset (f, 0, sizeof *f); /* with the padding, for comparisons */
  f->width = c->image.width;
  f->height = c->image.height;
  f->by_pixel.stride = (f->width + 7) / 8 * 8;
  f->tiles_x = f->width / VERTEX_TILE + 1; /* of width + 1 vertices */
  f->tiles_y = f->height / VERTEX_TILE + 1;
  f->level_index_by_sample = (const uint16_t *) c->tables.data;
  f->level_by_index = (const uint16_t *) ((uint8_t *) c->tables.data + TABLE_SIZE);
  f->level_count = c->plan.level_count;
  f->equal = c->plan.mode == CTR_LEVELS_EQUAL;
  f->four_connected = c->plan.connectivity == CTR_CONNECTIVITY_4;
  f->zero_frame = c->plan.frame == CTR_IMAGE_BORDER_ZERO;
  f->limited = c->plan.limited;
  f->measuring = !f->limited;
  f->final = true;
  f->min_area2 = c->plan.min_area2;
  f->max_area2 = c->plan.max_area2;
  f->min_length = c->plan.min_length;
  f->nested = c->plan.nested;
  f->min_persistence = c->plan.min_persistence;
  f->max_depth = c->plan.max_depth;
  set_capacities (c, f);
  if (c->period_ended)
    give_back (c, f);
  f->ranking.rounds = c->rounds;
  const bool with_sums = c->plan.features & CTR_CONTOUR_FEATURE_MOMENTS;
  const cudaStream_t stream = c->session.stream;
  bool fresh;
  /* The list ranking loads its views before it knows how many there are, so new memory is cleared. */
  if (!input_stage_reserve (&c->input, &c->image, CTR_THRESHOLD_FIXED, stream, &fresh, error)
      || !delivery_reserve (&c->delivery, &c->image, sizeof (CracksHeader), error)
      || !ctr_device_buffer_reserve_clear (&c->planes, lay_out_planes (f, NULL), stream, error)
      || !ctr_device_buffer_reserve_clear (&c->contents, lay_out_contents (f, NULL), stream, error)
      || !reserve_sorting (c, *f, error)
      || !contour_slot_reserve (c->slot, f->contour_capacity, f->by_corner.capacity, with_sums, error)
      || !contour_slot_reserve_nesting (c->slot, f->nested ? f->contour_capacity : 0, error))
    return false;
  lay_out_planes (f, (uint8_t *) c->planes.data);
  lay_out_contents (f, (uint8_t *) c->contents.data);
  f->ranking.progress = &f->counters->progress;
  f->frame_output = {(CtrContour *) c->slot->table.data, (CtrPoint *) c->slot->points.data,
      with_sums ? (CtrContourSums *) c->slot->sums.data : NULL, (CtrDeviceNumbers *) c->slot->numbers.data};
  f->frame_output.nesting = f->nested ? (CtrContourNesting *) c->slot->nesting.data : NULL;
  f->summing = with_sums;
  return true;
}

constexpr const char *WORK = "tracing level contours";

/* Did all of a frame fit? As complete() and the limit decide on the host. */
struct Complete {
  uint64_t corners;

  Complete (const CracksKernelArgs &f, uint64_t max_points)
      : corners (f.contour_capacity > 0 ? min ((uint64_t) f.by_corner.capacity, max_points) : 0)
  {
  }

  __device__ bool
  operator() (const CracksHeader &h) const
  {
    return h.corners <= corners && !h.incomplete;
  }
};

/* Queues the kernels that read the picture. */
bool
queue_picture (Cracks *c, CracksKernelArgs *f, CtrError *error)
{
  if (!input_stage_plane (&c->input, &c->image, &c->plane, c->session.stream, error))
    return false;
  f->pixels = (const uint8_t *) c->plane.data;
  f->stride = c->plane.stride;
  f->depth = c->plane.format == CTR_FORMAT_GRAY8 ? 8 : 16;
  c->copy = f->frame_output.copy = delivery_copy_of (&c->delivery, &c->image, &c->plane);
  *delivery_flag (&c->delivery) = 0;
  f->turn = c->turn ^= 1;
  cracks_launch_count (*f, c->session.overlap, c->session.stream);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

/* Queues the other kernels, which the same arguments determine but for *f.output. */
bool
queue_contours (Cracks *c, const CracksKernelArgs &f, cudaStream_t stream, bool overlap, CtrError *error)
{
  if (!cracks_launch_corners (f, &c->sorting, overlap, stream, error))
    return false;
  if (f.by_corner.capacity > 0 && f.contour_capacity > 0) { /* If not, the frame is done again. */
    cracks_launch_contours (f, overlap, stream);
    if (f.limited)
      cracks_launch_measures (f, overlap, stream);
    if (!(f.nested ? cracks_launch_nesting : cracks_launch_hierarchy) (f, &c->sorting, overlap, stream, error))
      return false;
    cracks_launch_assembly (f, overlap, stream);
  }
  deliver_contours (&c->delivery, &f.counters->header, f.output, c->copy.from != NULL, Complete{f, c->plan.max_points},
      overlap, stream);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

bool
queue_frame (Cracks *c, CtrError *error)
{
  FrameKey key;
  memset (&key, 0, sizeof key);
  CracksKernelArgs &f = key.args;
  if (!reserve (c, &f, error) || !upload_tables (c, error) || !queue_picture (c, &f, error))
    return false;
  f.pixels = NULL;
  f.stride = f.depth = f.turn = 0;
  memset (&f.frame_output, 0, sizeof f.frame_output); /* with the padding */
  key.keeps_picture = c->copy.from != NULL;
  key.max_points = c->plan.max_points;
  key.sorting = c->sorting.data;
  key.sorting_size = c->sorting.size;
  auto queue = [&] (cudaStream_t stream, bool overlap) { return queue_contours (c, f, stream, overlap, error); };
  return cuda_graph_cache_queue (&c->graphs, key, &c->session, queue, error) && cuda_session_mark (&c->session, error);
}

/* Queues the frame again, with more room. Its picture may have changed. */
bool
queue_again (Cracks *c, CtrError *error)
{
  c->session.was_incomplete = true;
  if (!cuda_session_wait_for_mark (&c->session, WORK, error) || !cuda_session_wait_for_readers (&c->session, error))
    return false;
  c->image = delivery_image (c->copy, &c->plane);
  return queue_frame (c, error);
}

bool
cracks_enqueue (void *state, const CtrImage *image, const CtrCracksPlan *plan, void *stream, CtrError *error)
{
  Cracks *c = (Cracks *) state;
  if (!cuda_session_begin (&c->session, stream, error))
    return false;
  /* The next result has memory of its own, unless the last one, refused or failed, has left it here. */
  if (c->slot && !cuda_session_wait_for_readers (&c->session, error)) {
    cuda_session_end (&c->session, false);
    return false;
  }
  cuda_session_forget_readers (&c->session);
  c->session.was_incomplete = false;
  c->plan = *plan;
  if (!c->slot)
    c->slot = contour_pool_take (c->pool, error);
  bool fresh, ok = c->slot;
  ok = ok && input_stage_share (&c->input, image, CTR_THRESHOLD_FIXED, &c->session, &c->image, &fresh, error);
  ok = ok && input_stage_reserve (&c->input, &c->image, CTR_THRESHOLD_FIXED, c->session.stream, &fresh, error);
  ok = ok && input_stage_upload (&c->input, &c->image, c->session.stream, error);
  if (ok && queue_frame (c, error) && input_stage_release_image (&c->input, error))
    return true;
  cuda_session_end (&c->session, false);
  input_stage_end (&c->input);
  return false;
}

/* Is the frame complete? If not, there is room for it now. It does not have too many corners. */
bool
complete (Cracks *c)
{
  const CracksHeader h = *(const CracksHeader *) delivery_header (&c->delivery);
  const uint32_t corners = (uint32_t) h.corners;
  const bool fits = corners <= c->corner_capacity;
  if (!fits) {
    c->corner_capacity = ctr_with_spare (corners);
    c->contour_capacity = max (c->contour_capacity, contour_capacity_of (c->corner_capacity));
  }
  if (!fits || h.incomplete) {
    if (corners > LIST_SMALL)
      c->rounds = max (c->rounds, list_ranking_max_rounds (corners));
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
    if (!cuda_session_wait_for_flag (&c->session, delivery_flag (&c->delivery), WORK, error))
      return NULL;
    const unsigned long long corners = ((const CracksHeader *) delivery_header (&c->delivery))->corners;
    if (corners > c->plan.max_points) {
      c->session.was_incomplete = true;
      /* The last kernel may still be copying the picture. */
      if (!cuda_session_wait_for_mark (&c->session, WORK, error))
        return NULL;
      return ctr_contours_refuse (&info, CTR_LIMIT_POINTS, corners, error);
    }
    if (corners > CRACKS_MAX_CORNERS) {
      c->session.was_incomplete = true;
      ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY,
          "the contours of a %u x %u image have %llu points, more than the GPU backend takes: choose fewer levels",
          c->image.width, c->image.height, corners);
      return NULL;
    }
    if (complete (c))
      break;
    if (!ctr_go_on (error))
      return NULL;
    if (!queue_again (c, error))
      return NULL;
  }
  const CracksHeader h = *(const CracksHeader *) delivery_header (&c->delivery);
  c->used_corners = max (c->used_corners, (uint32_t) h.corners);
  c->period_ended |= ctr_room_period_ends (&c->period);
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
  cuda_session_enter (&c->session);
  CtrContours *result = take_result (c, error);
  cuda_session_end (&c->session, result);
  input_stage_end (&c->input);
  cuda_session_leave (&c->session);
  return result;
}

bool
cracks_view (void *state, CtrPendingView *view)
{
  const Cracks *c = (const Cracks *) state;
  contour_slot_view (c->slot, &c->session, view);
  return true;
}

} // namespace

extern "C" const CtrCracksOps ctr_cracks_ops_cuda = {
    {cracks_create, cracks_destroy, cracks_view, cuda_session_hold, cuda_session_lead, cuda_session_was_incomplete},
    cracks_enqueue, cracks_finish};
