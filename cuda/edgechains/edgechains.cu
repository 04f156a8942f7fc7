/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edge linking on the GPU, host side: memory, the launches of a mask, the result. device_state.cuh describes the kernels. */
#include "cuda/common/input_stage.h"
#include "cuda/common/session.cuh"
#include "cuda/contours/contour_delivery.cuh"
#include "cuda/contours/contour_pool.h"
#include "cuda/edgechains/device_state.cuh"

#include "core/common/room.h"
#include "core/edgechains/edgechains.h"

#include <stdlib.h>
#include <string.h>

namespace
{

/* Room for the most that the latest masks have needed. A mask that needs more is linked again. */
struct Capacity {
  uint32_t nodes, contours, points;
};

/* One CTA ranks so many nodes whatever the capacity is. */
constexpr uint32_t LEAST_NODES = LIST_SMALL;

/* Nodes, up to four a pixel, are counted in 32 bits. */
constexpr uint64_t MOST_PIXELS = (UINT64_C (1) << 30) - 1;

struct EdgeChains {
  CudaSession session;       /* first, see cuda_session_hold() */
  InputStage input;          /* of the image, for subpixels */
  CtrDeviceBuffer mask;      /* that the caller writes, or an upload, */
  CtrDeviceBuffer host_mask; /* that the caller writes on the host */
  CtrDeviceBuffer words;     /* sized by the mask */
  CtrDeviceBuffer contents;  /* sized by what is in it */
  Capacity capacity, used;   /* used: by the masks of this period at most */
  CtrRoomPeriod period;
  bool period_ended, gave_back;
  ResultPool *pool;
  Delivery delivery; /* of EdgeChainsHeader */

  /* The queued mask. */
  CtrImage image;
  CtrEdgeChainsPlan plan;
  CtrImage samples; /* of plan.image, with subpixels */
  ContourSlot *slot;
};

void edge_chains_destroy (void *state);

void *
edge_chains_create (CtrError *error)
{
  EdgeChains *e = (EdgeChains *) calloc (1, sizeof *e);
  if (!e) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "out of host memory for the edge linker");
    return NULL;
  }
  input_stage_init (&e->input);
  delivery_init (&e->delivery);
  e->host_mask.pinned = true;
  e->capacity.nodes = LEAST_NODES;
  if (cuda_session_open (&e->session, "preparing the edge linker", error) && (e->pool = contour_pool_new (error)))
    return e;
  edge_chains_destroy (e);
  return NULL;
}

void
edge_chains_destroy (void *state)
{
  EdgeChains *e = (EdgeChains *) state;
  cuda_session_close (&e->session);
  if (e->slot)
    result_slot_give_back (&e->slot->base);
  input_stage_free (&e->input);
  ctr_device_buffer_free (&e->mask);
  ctr_device_buffer_free (&e->host_mask);
  ctr_device_buffer_free (&e->words);
  ctr_device_buffer_free (&e->contents);
  delivery_free (&e->delivery);
  if (e->pool)
    result_pool_unref (e->pool);
  free (e);
}

bool
edge_chains_get_mask (void *state, CtrImage *mask, CtrError *error)
{
  EdgeChains *e = (EdgeChains *) state;
  CtrDeviceBuffer *buffer = mask->memory == CTR_MEMORY_HOST ? &e->host_mask : &e->mask;
  mask->stride = ctr_aligned_row (mask->width);
  if (!ctr_device_buffer_reserve (buffer, mask->stride * mask->height, error))
    return false;
  mask->data = buffer->data;
  return true;
}

size_t
lay_out_words (EdgeChainsArgs *f, uint8_t *base)
{
  ArenaLayout arena = {base, 0};
  f->counters = arena.take<EdgeChainsCounters> (1);
  f->output = arena.take<ContourOutput> (1);
  f->by_word.edges = arena.take<uint32_t> (f->by_word.count);
  f->by_word.first_node = arena.take<uint32_t> (f->by_word.count);
  f->count_states = arena.take<unsigned long long> (f->count_ctas);
  return arena.used;
}

size_t
lay_out_contents (EdgeChainsArgs *f, uint8_t *base)
{
  ArenaLayout arena = {base, 0};
  f->ranking.segments = arena.take<ListSegment> (f->ranking.capacity);
  f->ranking.views = arena.take<ListView> (f->ranking.capacity);
  f->by_node.rows = arena.take<uint32_t> (f->ranking.capacity);
  f->scan_states[CHAIN_SCAN] = arena.take<unsigned long long> (f->ranking.capacity / SCAN_SHARE + 1);
  f->scan_states[OFFSET_SCAN] = arena.take<unsigned long long> (f->contour_capacity / SCAN_SHARE + 1);
  f->by_row.starts = arena.take<uint32_t> (f->contour_capacity);
  f->by_row.lengths = arena.take<uint32_t> (f->contour_capacity);
  f->by_row.firsts = arena.take<uint32_t> (f->contour_capacity);
  f->by_row.accumulators = arena.take<ContourAccumulator> (f->contour_capacity);
  return arena.used;
}

void
set_capacities (const EdgeChains *e, EdgeChainsArgs *f)
{
  f->ranking.capacity = e->capacity.nodes;
  f->contour_capacity = e->capacity.contours;
  f->point_capacity = e->capacity.points;
}

/* After the last mask of a period: gives back what its masks have not used, if that is most of the memory. No queued work
 * may use it. */
void
give_back (EdgeChains *e, EdgeChainsArgs *f)
{
  const Capacity before = e->capacity, used = e->used;
  Capacity *c = &e->capacity;
  bool some = e->gave_back;
  c->nodes = max (LEAST_NODES, min (c->nodes, ctr_with_spare (used.nodes)));
  c->contours = min (c->contours, ctr_with_spare (used.contours));
  c->points = min (c->points, ctr_with_spare (used.points));
  set_capacities (e, f);
  if (ctr_room_is_excess (e->contents.size, lay_out_contents (f, NULL))) {
    ctr_device_buffer_free (&e->contents);
    some = true;
  } else {
    *c = before;
    set_capacities (e, f);
  }
  for (CtrDeviceBuffer *buffer : {&e->mask, &e->host_mask, &e->words})
    if (buffer->data != e->image.data) /* which the caller has written */
      some |= ctr_device_buffer_give_back (buffer);
  some |= contour_pool_give_back_memory (e->pool, e->slot, c->contours, c->points);
  if (some)
    ctr_room_period_double (&e->period);
  e->used = {};
  e->period_ended = e->gave_back = false;
}

/* Fills the arguments for the queued mask and makes room. No queued work may use the memory. */
bool
reserve (EdgeChains *e, EdgeChainsArgs *f, CtrError *error)
{
  const bool refines = ctr_edge_chains_refines (&e->plan);
  *f = {};
  f->width = e->image.width;
  f->height = e->image.height;
  f->min_length = e->plan.min_length;
  f->by_word.per_row = ctr_div_up (f->width, 32);
  f->by_word.count = f->by_word.per_row * f->height;
  f->count_ctas = ctr_div_up (f->by_word.count, SCAN_SHARE);
  f->measuring = f->final = true;
  set_capacities (e, f);
  if (e->period_ended)
    give_back (e, f);
  /* The list ranking loads its views before it knows how many there are, so new memory is cleared. */
  if (!delivery_reserve (&e->delivery, NULL, sizeof (EdgeChainsHeader), error)
      || !ctr_device_buffer_reserve (&e->words, lay_out_words (f, NULL), error)
      || !ctr_device_buffer_reserve_clear (&e->contents, lay_out_contents (f, NULL), e->session.stream, error)
      || !contour_slot_reserve (e->slot, f->contour_capacity, f->point_capacity, false, error)
      || !contour_slot_reserve_subpixel (e->slot, refines ? f->point_capacity : 0, error))
    return false;
  lay_out_words (f, (uint8_t *) e->words.data);
  lay_out_contents (f, (uint8_t *) e->contents.data);
  f->ranking.count = &f->counters->ranked_nodes;
  f->frame_output.table = (CtrContour *) e->slot->table.data;
  f->frame_output.points = (CtrPoint *) e->slot->points.data;
  f->frame_output.numbers = (CtrDeviceNumbers *) e->slot->numbers.data;
  if (!refines)
    return true;
  f->frame_output.subpixel = (CtrSubpixelPoint *) e->slot->subpixel.data;
  f->frame_output.samples = {(const uint8_t *) e->samples.data, e->samples.stride, (int32_t) e->samples.width,
      (int32_t) e->samples.height, e->samples.format == CTR_FORMAT_GRAY16 ? 16u : 8u};
  return true;
}

/* Sets the mask's address on the GPU; uploads a mask of the host. */
bool
queue_mask (EdgeChains *e, EdgeChainsArgs *f, CtrError *error)
{
  CtrImage *image = &e->image;
  if (image->memory == CTR_MEMORY_HOST) {
    CtrImage copy = *image;
    copy.memory = CTR_MEMORY_DEVICE;
    if (!edge_chains_get_mask (e, &copy, error))
      return false;
    CTR_CUDA (cudaMemcpy2DAsync (e->mask.data, copy.stride, image->data, image->stride, image->width, image->height,
        cudaMemcpyHostToDevice, e->session.stream));
    *image = copy;
  }
  f->mask = (const uint8_t *) image->data;
  f->stride = image->stride;
  return true;
}

/* Queues what brings the samples for subpixels to the GPU, once for all attempts. */
bool
queue_samples (EdgeChains *e, CtrError *error)
{
  const CtrImage *image = &e->plan.image;
  const cudaStream_t stream = e->session.stream;
  bool fresh;
  return (!e->period_ended || input_stage_give_back (&e->input, stream, &e->gave_back, error))
         && input_stage_reserve (&e->input, image, INPUT_NEEDS_SAMPLES, stream, &fresh, error)
         && cuda_session_start_clock (&e->session, error)
         && input_stage_upload (&e->input, image, INPUT_NEEDS_SAMPLES, stream, error)
         && input_stage_plane (&e->input, image, &e->samples, stream, error)
         && input_stage_release_image (&e->input, error);
}

constexpr const char *WORK = "linking edges";

/* Did all of a mask fit? As complete() decides on the host. */
struct Complete {
  uint32_t nodes, contours, points;

  __device__ bool
  operator() (const EdgeChainsHeader &h) const
  {
    return h.nodes <= nodes && h.all_contours <= contours && h.all_points <= points;
  }
};

bool
queue_frame (EdgeChains *e, CtrError *error)
{
  EdgeChainsArgs f;
  if (!reserve (e, &f, error) || !cuda_session_start_clock (&e->session, error) || !queue_mask (e, &f, error))
    return false;
  const cudaStream_t stream = e->session.stream;
  const bool overlap = e->session.overlap;
  *delivery_flag (&e->delivery) = 0;
  edge_chains_launch_links (f, overlap, stream);
  list_ranking_launch (f.ranking, overlap, stream);
  edge_chains_launch_assembly (f, overlap, stream);
  if (ctr_edge_chains_refines (&e->plan))
    edge_chains_launch_subpixel (f, e->plan.subpixel, overlap, stream);
  deliver_contours (&e->delivery, &f.counters->header, f.output, false,
      Complete{f.ranking.capacity, f.contour_capacity, f.point_capacity}, overlap, stream);
  CTR_CUDA (cudaGetLastError ());
  return cuda_session_mark (&e->session, error);
}

bool
edge_chains_enqueue (void *state, const CtrImage *mask, const CtrEdgeChainsPlan *plan, void *stream, CtrError *error)
{
  EdgeChains *e = (EdgeChains *) state;
  if ((uint64_t) mask->width * mask->height > MOST_PIXELS)
    return ctr_fail (error, CTR_ERROR_TOO_LARGE,
        "the edge mask is %u x %u pixels: on the GPU, at most %llu pixels are linked; use the CPU backend", mask->width,
        mask->height, (unsigned long long) MOST_PIXELS);
  if (!cuda_session_begin (&e->session, stream, error))
    return false;
  e->session.was_incomplete = false;
  e->image = *mask;
  e->plan = *plan;
  if (!e->slot)
    e->slot = contour_pool_take (e->pool, error);
  if (e->slot && (!ctr_edge_chains_refines (plan) || queue_samples (e, error)) && queue_frame (e, error))
    return true;
  cuda_session_end (&e->session, false);
  return false;
}

/* Is the result complete? If not, there is room for it now. */
bool
complete (EdgeChains *e, const EdgeChainsHeader &h)
{
  Capacity *c = &e->capacity;
  bool all = true;
  auto grow = [&] (uint32_t need, uint32_t *capacity) {
    if (need <= *capacity)
      return;
    *capacity = ctr_with_spare (need);
    all = false;
  };
  grow (h.nodes, &c->nodes);
  grow (h.all_contours, &c->contours);
  grow (h.all_points, &c->points);
  return all;
}

bool
nodes_can_be_ranked (const EdgeChains *e, const EdgeChainsHeader &h, CtrError *error)
{
  return h.nodes <= LIST_NEXT
         || ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY,
             "the %u x %u edge mask has %u links in both directions: at most %u are ranked on the GPU; use the CPU "
             "backend",
             e->image.width, e->image.height, h.nodes, LIST_NEXT);
}

/* Queues the mask again, with more room. */
bool
queue_again (EdgeChains *e, CtrError *error)
{
  e->session.was_incomplete = true;
  return cuda_session_wait_for_mark (&e->session, WORK, error) && queue_frame (e, error);
}

CtrContours *
take_result (EdgeChains *e, CtrError *error)
{
  EdgeChainsHeader h;
  for (;;) {
    if (!cuda_session_wait_for_flag (&e->session, delivery_flag (&e->delivery), WORK, error))
      return NULL;
    h = *(const EdgeChainsHeader *) delivery_header (&e->delivery);
    if (!nodes_can_be_ranked (e, h, error))
      return NULL;
    if (complete (e, h))
      break;
    if (!queue_again (e, error))
      return NULL;
  }
  e->used.nodes = max (e->used.nodes, h.nodes);
  e->used.contours = max (e->used.contours, h.contours);
  e->used.points = max (e->used.points, h.points);
  e->period_ended |= ctr_room_period_ends (&e->period);
  const CtrContours info = {.width = e->image.width,
      .height = e->image.height,
      .count = h.contours,
      .threshold = 0,
      .point_count = h.points,
      .coordinates = CTR_COORDINATES_PIXELS,
      .features = ctr_edge_chains_features (&e->plan),
      .exceeded = CTR_LIMIT_NONE,
      .needed = 0,
      .origin_row = 0,
      .unfinished = 0,
      .vertices = CTR_VERTICES_STEPS,
      .connectivity = CTR_CONNECTIVITY_8,
      .region_count = 0};
  CtrContours *result = contour_slot_publish (e->slot, &info, error);
  if (result)
    e->slot = NULL;
  return result;
}

CtrContours *
edge_chains_finish (void *state, CtrError *error)
{
  EdgeChains *e = (EdgeChains *) state;
  cuda_session_enter (&e->session);
  CtrContours *result = take_result (e, error);
  cuda_session_end (&e->session, result);
  cuda_session_leave (&e->session);
  return result;
}

} // namespace

extern "C" const CtrEdgeChainsOps ctr_edge_chains_ops_cuda = {
    {edge_chains_create, edge_chains_destroy, NULL, NULL, NULL, cuda_session_was_incomplete}, edge_chains_get_mask,
    edge_chains_enqueue, edge_chains_finish};
