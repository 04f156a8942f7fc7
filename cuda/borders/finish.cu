/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All of border following beyond the tiles in one kernel, for a plain list of few contours: in such frames a kernel takes longer to
 * start, and to find its data, than to do its work. One cluster of CTAs has the frame. Each CTA links and ranks all segments and numbers all
 * contours in its own shared memory, as that takes no longer than to do so once. They share the passages and the measures of points. */
#include "cuda/borders/links.cuh"
#include "cuda/borders/row.cuh"
#include "cuda/common/cluster.cuh"
#include "cuda/contours/contour_measures.cuh"

namespace
{

constexpr int FINISH_THREADS = 512;
constexpr uint32_t FINISH_PASSAGES = 4; /* of a thread */
constexpr uint32_t FINISH_SEGMENTS = LIST_SMALL / FINISH_THREADS;
static_assert (FINISH_CONTOURS <= FINISH_THREADS, "a thread a contour or a closed segment");

/* Where the points of an open segment go. */
struct __align__ (16) SegmentPoints
{
  uint32_t first;    /* of the segment's own, if they are not before the contour's start */
  uint32_t length;   /* of the contour: what comes before its start is at its end */
  uint32_t distance; /* points before its start */
};

struct FinishShared {
  union {
    ListView views[LIST_SMALL];
    SegmentPoints points[LIST_SMALL]; /* in the end */
  };
  unsigned long long found[FINISH_CONTOURS + 1]; /* contours in any order: the complement of the key; the length */
  uint32_t contours, all_points;                 /* how many there are */
  uint32_t keys[FINISH_CONTOURS], firsts[FINISH_CONTOURS + 1]; /* by contour; behind the last one, all points */
  uint32_t closed_firsts[FINISH_CONTOURS];
};

/* A passage as the tiles have written it. */
struct FinishPassage {
  uint32_t place, segment, position;
};

/* The arguments of measure_points(). */
struct FinishMeasures {
  struct Counters {
    struct {
      uint32_t points, contours;
    } header;
  };
  const Counters *counters;
  struct {
    const uint32_t *firsts;
    ContourAccumulator *accumulators;
  } by_row;
  bool final;
  const ContourOutput *output;
  CtrPoint *all_points;
};

__device__ inline void
post_contour (FinishShared &s, uint32_t key, uint32_t length)
{
  const uint32_t place = atomicAdd (&s.contours, 1);
  if (place < FINISH_CONTOURS)
    s.found[place] = (unsigned long long) ~key << 32 | length;
}

/* Links and ranks the segments, and finds the contours. Has barriers, one at its end. */
template <bool FOUR_CONNECTED>
__device__ inline void
find_contours (const BordersKernelArgs &f, FinishShared &s, const ListSegment *segments, uint32_t open, bool is_closed,
    const uint2 &closed)
{
  const uint32_t t = threadIdx.x;
  ListView firsts[FINISH_SEGMENTS];
#pragma unroll
  for (uint32_t k = 0; k < FINISH_SEGMENTS; k++)
    if (t + k * FINISH_THREADS < open)
      s.views[t + k * FINISH_THREADS] = firsts[k] = first_view (linked<FOUR_CONNECTED> (f, segments[k]));
  if (t == 0)
    s.contours = 0;
  __syncthreads ();
  list_ranking_by_cta<FINISH_THREADS> (s.views, open);
#pragma unroll
  for (uint32_t k = 0; k < FINISH_SEGMENTS; k++) {
    const uint32_t i = t + k * FINISH_THREADS;
    if (i < open && firsts[k].key != NO_KEY && firsts[k].key == s.views[i].key)
      post_contour (s, firsts[k].key, firsts[k].length - s.views[i].distance + s.views[firsts[k].next].distance);
  }
  if (is_closed)
    post_contour (s, closed.x, closed.y);
  __syncthreads ();
}

/* Sorts the contours by descending keys, and finds where the points of each one, and of each segment, begin. Ends with a barrier. */
__device__ inline void
place_contours (FinishShared &s, uint32_t count, uint32_t open, bool is_closed, const uint2 &closed)
{
  const uint32_t t = threadIdx.x;
  if (t < count) {
    const unsigned long long own = s.found[t];
    uint32_t place = 0, first = 0, all = 0;
#pragma unroll 4
    for (uint32_t i = 0; i < count; i++) {
      const unsigned long long other = s.found[i];
      const bool before = other < own;
      place += before;
      first += before ? (uint32_t) other : 0;
      all += (uint32_t) other;
    }
    s.keys[place] = ~(uint32_t) (own >> 32);
    s.firsts[place] = first;
    if (place == count - 1)
      s.firsts[count] = all;
  }
  __syncthreads ();
  for (uint32_t i = t; i < open; i += FINISH_THREADS) {
    const ListView view = s.views[i];
    const uint32_t contour = number_of_key (s.keys, count, view.key), first = s.firsts[contour];
    s.points[i] = {first - view.distance, s.firsts[contour + 1] - first, view.distance};
  }
  if (is_closed)
    s.closed_firsts[t] = s.firsts[number_of_key (s.keys, count, closed.x)];
  __syncthreads ();
}

__device__ inline void
write_point (const FinishShared &s, CtrPoint *points, const FinishPassage &passage)
{
  if (!(passage.position & PASSAGE_KEPT))
    return;
  uint32_t at = passage.position & ~PASSAGE_KEPT;
  if (passage.segment & SEGMENT_CLOSED) {
    at += s.closed_firsts[passage.segment & ~SEGMENT_CLOSED];
  } else {
    const SegmentPoints &to = s.points[passage.segment];
    at += to.first + (at < to.distance ? to.length : 0);
  }
  *(uint32_t *) &points[at] = passage.place; /* x comes first */
}

/* The points of this CTA's passages, then the measures of its share of points, and the table, by the first CTA. */
__device__ inline void
write_contours (const BordersKernelArgs &f, const FinishShared &s, const FinishPassage *passages, uint32_t count)
{
  const uint32_t t = threadIdx.x, cta = blockIdx.x, all = s.firsts[count];
#pragma unroll
  for (uint32_t k = 0; k < FINISH_PASSAGES; k++)
    write_point (s, f.frame_output.points, passages[k]);
  const bool has_row = cta == 0 && t < count;
  bool hole = false;
  if (has_row) {
    hole = is_hole (f, s.keys[t]);
    uint4 *to = (uint4 *) &f.by_row.accumulators[t];
    to[0] = make_uint4 (0, 0, 0, 0);
    to[1] = make_uint4 (~0u, ~0u, 0, 0);
  }
  cluster_barrier ();
  const FinishMeasures::Counters counters = {{all, count}};
  const FinishMeasures measures = {&counters, {s.firsts, f.by_row.accumulators}, false, NULL, f.frame_output.points};
  constexpr uint32_t WARPS = FINISH_THREADS / 32;
  const uint32_t share = ctr_div_up (ctr_div_up (all, gridDim.x * WARPS), 32) * 32,
                 begin = (cta * WARPS + t / 32) * share;
  if (begin < all)
    measure_points (measures, begin, min (all, begin + share));
  cluster_barrier ();
  if (has_row) {
    const uint32_t first = s.firsts[t];
    store_row (&f.frame_output.table[t],
        make_listed_row (t, count, first, s.firsts[t + 1] - first, hole, &f.by_row.accumulators[t]));
  }
}

template <bool FOUR_CONNECTED>
__global__ void
__launch_bounds__ (FINISH_THREADS, 2)
    finish_kernel (const __grid_constant__ BordersKernelArgs f, BordersHeader *host, uint32_t *flag)
{
  __shared__ FinishShared s;
  const uint32_t t = threadIdx.x, cta = blockIdx.x;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  /* All that a thread may need is under way together. */
  ListSegment segments[FINISH_SEGMENTS];
  FinishPassage passages[FINISH_PASSAGES];
#pragma unroll
  for (uint32_t k = 0; k < FINISH_SEGMENTS; k++)
    segments[k] = load_segment (f, t + k * FINISH_THREADS);
  const BordersFound found = *f.found;
  const bool is_closed = t < min (found.closed, f.by_segment.closed_capacity);
  const uint2 closed = is_closed && t < FINISH_CONTOURS ? f.by_segment.closed_key_length[t] : make_uint2 (NO_KEY, 0);
#pragma unroll
  for (uint32_t k = 0; k < FINISH_PASSAGES; k++) {
    const uint32_t i = (k * gridDim.x + cta) * FINISH_THREADS + t;
    passages[k] = {};
    if (i < min (found.passages, f.by_passage.capacity))
      passages[k] = {f.by_passage.place[i], f.by_passage.segment[i], f.by_passage.position[i]};
  }
  const bool has_room = fit (f, found);
  bool suits = has_room & (found.open <= LIST_SMALL) & (found.closed <= FINISH_CONTOURS)
               & (found.passages <= FINISH_PASSAGES * FINISH_THREADS * gridDim.x);
  uint32_t count = 0, all = 0;
  if (suits) {
    find_contours<FOUR_CONNECTED> (f, s, segments, found.open, is_closed, closed);
    count = s.contours;
    suits = count <= FINISH_CONTOURS;
  }
  if (suits) {
    if (count > 0) {
      place_contours (s, count, found.open, is_closed, closed);
      all = s.firsts[count];
    }
  }
  const bool complete = suits & (count <= f.contour_capacity) & (all <= f.point_capacity);
  if (complete && count > 0)
    write_contours (f, s, passages, count);
  else
    cluster_barrier (); /* All have read what was found. */
  if (cta == 0) {
    if (t == 0) {
      BordersHeader h = {};
      h.passages = found.passages;
      h.open = found.open;
      h.closed = found.closed;
      h.too_many = found.too_many;
      h.contours = h.all_contours = count;
      h.points = all;
      h.threshold = f.threshold_device ? *f.threshold_device : f.threshold;
      h.unfinished = has_room && !suits;
      *host = h;
      *f.frame_output.numbers = {complete, count, all};
      *f.found = {}; /* for the next frame */
    }
    __syncthreads ();
    if (t == 0) {
      fence_system ();
      *(volatile uint32_t *) flag = 1;
    }
  }
  if (f.frame_output.copy.from && !complete)
    delivery_keep (f.frame_output.copy);
}

} // namespace

unsigned
borders_finish_ctas ()
{
  void (*const kernels[]) (BordersKernelArgs, BordersHeader *, uint32_t *) = {
      finish_kernel<false>, finish_kernel<true>};
  return ctr_cluster_ctas (kernels, FINISH_THREADS);
}

uint32_t
borders_most_passages_to_finish (unsigned ctas)
{
  return FINISH_PASSAGES * FINISH_THREADS * ctas;
}

void
borders_launch_finish (
    const BordersKernelArgs &f, unsigned ctas, BordersHeader *host, uint32_t *flag, cudaStream_t stream)
{
  cudaLaunchAttribute attributes[2];
  const cudaLaunchConfig_t config = ctr_cluster_config (ctas, FINISH_THREADS, stream, attributes);
  ctr_launch_configured (config, f.four_connected ? finish_kernel<true> : finish_kernel<false>, f, host, flag);
}
