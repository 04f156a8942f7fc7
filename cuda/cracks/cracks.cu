/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Level contours on the GPU, host side: the launches of a frame, the result. device_state.cuh describes the kernels. */
#include "cuda/contours/contour_delivery.cuh"
#include "cuda/cracks/tracer.cuh"

#include "core/common/poll.h"

#include <stdlib.h>
#include <string.h>

namespace
{

void
cracks_destroy (void *state)
{
  Cracks *c = (Cracks *) state;
  cuda_graph_cache_free (&c->graphs);
  cuda_session_close (&c->session);
  if (c->slot)
    result_slot_give_back (&c->slot->base);
  input_stage_free (&c->input);
  for (CtrDeviceBuffer *buffer : {&c->tables, &c->staged, &c->planes, &c->contents})
    ctr_device_buffer_free (buffer);
  delivery_free (&c->delivery);
  label_source_free (&c->labels);
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
                  && cracks_prepare_tiles (&c->most_tile_nodes, error)
                  && ctr_device_buffer_reserve (&c->tables, TABLES_SIZE, error)
                  && ctr_device_buffer_reserve (&c->staged, TABLES_SIZE, error) && (c->pool = contour_pool_new (error));
  if (ok)
    return c;
  cracks_destroy (c);
  return NULL;
}

/* Uploads the plan's tables, unless they are there. */
bool
upload_tables (Cracks *c, CtrError *error)
{
  if (c->plan.labels || c->tables_number == c->plan.tables)
    return true;
  memcpy (c->staged.data, c->plan.level_indices, c->plan.sample_count * sizeof (uint16_t));
  memcpy ((uint8_t *) c->staged.data + TABLE_SIZE, c->plan.levels, c->plan.level_count * sizeof (uint16_t));
  CTR_CUDA (cudaMemcpyAsync (c->tables.data, c->staged.data, TABLES_SIZE, cudaMemcpyHostToDevice, c->session.stream));
  c->tables_number = c->plan.tables;
  return true;
}

constexpr const char *WORK = "tracing level contours";

/* Did all of a frame fit? As complete() and the limit decide on the host. */
struct Complete {
  uint64_t corners, segments;

  Complete (const CracksKernelArgs &f, uint64_t max_points)
      : corners (f.contour_capacity > 0 ? min ((uint64_t) f.by_corner.capacity, max_points) : 0),
        segments (f.ranking.capacity)
  {
  }

  __device__ bool
  operator() (const CracksHeader &h) const
  {
    return h.corners <= corners && h.segments <= segments;
  }
};

/* Finds the samples on the GPU, or the labels, which stay as they are as long as the result needs them. */
bool
find_plane (Cracks *c, CracksKernelArgs *f, CtrError *error)
{
  c->copy = {};
  if (c->plan.labels) {
    c->plane = c->image;
    f->complete = label_source_gate (c->labels);
  } else {
    if (!input_stage_plane (&c->input, &c->image, &c->plane, c->session.stream, error))
      return false;
    c->copy = delivery_copy_of (&c->delivery, &c->image, &c->plane);
  }
  f->pixels = (const uint8_t *) c->plane.data;
  f->stride = c->plane.stride;
  f->depth = c->plane.format == CTR_FORMAT_GRAY8 ? 8 : 16;
  f->frame_output.copy = c->copy;
  return true;
}

/* Queues the kernels that read the picture. */
bool
queue_picture (Cracks *c, CracksKernelArgs *f, CtrError *error)
{
  if (!find_plane (c, f, error))
    return false;
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
  cracks_launch_sums (f, overlap, stream);
  if (f.by_corner.capacity > 0 && f.contour_capacity > 0) { /* If not, the frame is done again. */
    cracks_launch_tiles (f, overlap, stream);
    list_ranking_launch (f.ranking, overlap, stream);
    cracks_launch_contours (f, overlap, stream);
    if (!f.limited && !f.nested) {
      cracks_launch_unlimited (f, overlap, stream);
    } else {
      if (f.limited)
        cracks_launch_measures (f, overlap, stream);
      (f.nested ? cracks_launch_nesting : cracks_launch_hierarchy) (f, overlap, stream);
      cracks_launch_assembly (f, overlap, stream);
      (f.nested ? cracks_launch_nested_links : cracks_launch_links) (f, overlap, stream);
    }
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
  if (!cracks_reserve (c, &f, error) || !cuda_session_start_clock (&c->session, error) || !upload_tables (c, error)
      || !queue_picture (c, &f, error))
    return false;
  f.pixels = NULL;
  f.complete = NULL;
  f.stride = f.depth = f.turn = 0;
  memset (&f.frame_output, 0, sizeof f.frame_output); /* with the padding */
  key.keeps_picture = c->copy.from != NULL;
  key.max_points = c->plan.max_points;
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
  if (c->plan.labels) {
    if (!label_source_find_settled (&c->labels, &c->image, c->session.stream, error))
      return false;
  } else {
    c->image = delivery_image (c->copy, &c->plane);
  }
  return queue_frame (c, error);
}

/* Begins a frame: its stream, and the memory of its result. */
bool
begin (Cracks *c, const CtrCracksPlan *plan, void *stream, CtrError *error)
{
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
  if (c->slot && (!c->period_ended || input_stage_give_back (&c->input, c->session.stream, &c->gave_back, error)))
    return true;
  cuda_session_end (&c->session, false);
  return false;
}

bool
cracks_enqueue (void *state, const CtrImage *image, const CtrCracksPlan *plan, void *stream, CtrError *error)
{
  Cracks *c = (Cracks *) state;
  if (!begin (c, plan, stream, error))
    return false;
  bool fresh;
  bool ok = input_stage_share (&c->input, image, INPUT_NEEDS_SAMPLES, &c->session, &c->image, &fresh, error);
  ok = ok && input_stage_reserve (&c->input, &c->image, INPUT_NEEDS_SAMPLES, c->session.stream, &fresh, error);
  ok = ok && cuda_session_start_clock (&c->session, error);
  ok = ok && input_stage_upload (&c->input, &c->image, INPUT_NEEDS_SAMPLES, c->session.stream, error);
  if (ok && queue_frame (c, error) && input_stage_release_image (&c->input, error))
    return true;
  cuda_session_end (&c->session, false);
  input_stage_end (&c->input);
  return false;
}

/* Pending components are locked meanwhile, so that they stay pending. */
bool
cracks_enqueue_labels (void *state, CtrComponents *components, const CtrCracksPlan *plan, void *stream, CtrError *error)
{
  Cracks *c = (Cracks *) state;
  if (!begin (c, plan, stream, error))
    return false;
  bool ok = label_source_open (&c->labels, components, &c->session, &c->image, error);
  if (ok) {
    ok = queue_frame (c, error);
    if (!ok)
      cuda_session_end (&c->session, false); /* before others may write the labels */
    ok = label_source_close (&c->labels, c->session.stream, ok, ok ? error : NULL) && ok;
  }
  if (!ok)
    cuda_session_end (&c->session, false);
  return ok;
}

/* Is the frame complete? If not, there is room for it now. It does not have too many corners and segments. */
bool
complete (Cracks *c)
{
  const CracksHeader h = *(const CracksHeader *) delivery_header (&c->delivery);
  const uint32_t corners = (uint32_t) h.corners, segments = (uint32_t) h.segments;
  const bool fits = corners <= c->corner_capacity && segments <= c->segment_capacity;
  if (corners > c->corner_capacity) {
    c->corner_capacity = ctr_with_spare (corners);
    c->contour_capacity = max (c->contour_capacity, contour_capacity_of (c->corner_capacity));
  }
  if (segments > c->segment_capacity)
    c->segment_capacity = ctr_with_spare (segments);
  return fits;
}

CtrContours *
take_result (Cracks *c, CtrError *error)
{
  CtrContours info = {};
  info.width = c->image.width;
  info.height = c->image.height;
  info.coordinates = CTR_COORDINATES_CORNERS;
  info.features = c->plan.features;
  if (c->plan.labels && !label_source_wait (c->labels, error))
    return NULL;
  for (;;) {
    if (!cuda_session_wait_for_flag (&c->session, delivery_flag (&c->delivery), WORK, error))
      return NULL;
    const CracksHeader *header = (const CracksHeader *) delivery_header (&c->delivery);
    const unsigned long long corners = header->corners;
    if (corners >= CORNERS_UNKNOWN) {
      if (!queue_again (c, error))
        return NULL;
      continue;
    }
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
    if (header->segments > CRACKS_MAX_CORNERS) {
      c->session.was_incomplete = true;
      ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY,
          "the contours of a %u x %u image pass %llu times from tile to tile, more than the GPU backend takes: choose "
          "fewer levels",
          c->image.width, c->image.height, header->segments);
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
  c->used_segments = max (c->used_segments, (uint32_t) h.segments);
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
    cracks_enqueue, cracks_enqueue_labels, cracks_finish};
