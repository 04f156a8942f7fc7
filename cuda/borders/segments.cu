/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Segments: linked from tile to tile. Where there are few, one CTA, or a cluster, also ranks them and numbers the contours. */
#include "cuda/borders/links.cuh"
#include "cuda/common/block_sort.cuh"
#include "cuda/common/cluster.cuh"
#include "cuda/common/scan.cuh"

namespace
{

constexpr int LINK_THREADS = 256, LINK_CTAS = 528;

/* Links segment I, which is S, also in memory. Returns its first view. */
template <bool FOUR_CONNECTED>
__device__ inline ListView
link_segment (const BordersKernelArgs &f, uint32_t i, const ListSegment &s)
{
  const ListSegment now = linked<FOUR_CONNECTED> (f, s);
  if (s.maker_data & SEGMENT_UNLINKED)
    f.ranking.segments[i] = now;
  return first_view (now);
}

constexpr int FEW_THREADS = 1024;
static_assert (FEW_THREADS >= FEW_CONTOURS, "a thread a contour");

union FewKeys {
  unsigned long long found[FEW_CONTOURS]; /* the complement of the contour's key; its length */
  uint32_t keys[FEW_CONTOURS];            /* by contour */
};

/* Clears the states of scans and the parts of long contours, to which later kernels add, by STEP threads, of which this one is number
 * FIRST. */
__device__ inline void
clear_states (const BordersKernelArgs &f, uint32_t first, uint32_t step)
{
  for (uint32_t i = first; i < f.contour_capacity / SCAN_SHARE + 1; i += step)
    for (unsigned long long *states : f.scan_states)
      states[i] = 0;
  if (f.many_segments)
    for (uint32_t i = first; i < f.count_ctas; i += step)
      f.count_states[i] = 0;
  for (uint32_t i = first; i < f.point_capacity / LONG_POINTS + 1; i += step)
    f.by_row.long_parts[i] = 0;
}

/* Clears all counters, and moves what the tiles have found into the header, by one CTA. */
__device__ inline void
begin_header (const BordersKernelArgs &f, const BordersFound &found)
{
  for (uint32_t i = threadIdx.x; i < sizeof (BordersCounters) / 4; i += blockDim.x)
    ((uint32_t *) f.counters)[i] = 0;
  __syncthreads ();
  if (threadIdx.x == 0) {
    BordersHeader &h = f.counters->header;
    h.passages = found.passages;
    h.open = found.open;
    h.closed = found.closed;
    h.too_many = found.too_many;
  }
}

/* Both, by one CTA, once whoever needs FOUND has read it. */
__device__ inline void
begin_counters (const BordersKernelArgs &f, const BordersFound &found)
{
  clear_states (f, threadIdx.x, FEW_THREADS);
  begin_header (f, found);
  if (threadIdx.x == 0)
    *f.found = {};
}

/* Makes the first views of all segments, and begins the counters. What was found is cleared once all CTAs have read it. */
template <bool FOUR_CONNECTED>
__global__ void
__launch_bounds__ (LINK_THREADS) link_kernel (const __grid_constant__ BordersKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const BordersFound found = *f.found;
  const bool has_room = fit (f, found);
  const uint32_t first = blockIdx.x * LINK_THREADS + threadIdx.x, step = gridDim.x * LINK_THREADS;
  if (has_room)
    for (uint32_t i = first; i < found.open; i += step)
      f.ranking.views[i] = link_segment<FOUR_CONNECTED> (f, i, f.ranking.segments[i]);
  clear_states (f, first, step);
  if (f.family_of_children)
    for (uint32_t i = first; i < f.contour_capacity; i += step)
      f.family_of_children[i] = 0;
  if (blockIdx.x > 0)
    return;
  begin_header (f, found);
  if (threadIdx.x == 0)
    f.counters->ranked_segments = has_room ? found.open : 0;
}

/* Too many segments or contours for the kernel. */
__device__ inline void
leave_to_others (const BordersKernelArgs &f)
{
  f.counters->header.incomplete = LACKS_MANY_SEGMENTS;
}

/* All contours are counted. Is there room for them here and in memory? If not, one thread says so. */
__device__ inline bool
contours_are_few (const BordersKernelArgs &f, uint32_t count, bool says_so)
{
  if (count <= FEW_CONTOURS && count <= f.contour_capacity)
    return true;
  if (says_so) {
    BordersHeader &h = f.counters->header;
    h.all_contours = h.contours = count; /* the room that the frame needs */
    if (count > FEW_CONTOURS)
      leave_to_others (f);
  }
  return false;
}

/* The contours, by descending keys: OWN, the thread's, if there is one, is a complement of its key and its length. One CTA finds where
 * their points begin, and ends with a barrier. */
__device__ inline void
store_contours (const BordersKernelArgs &f, uint32_t count, unsigned long long own, uint32_t *sums)
{
  const uint32_t t = threadIdx.x, length = t < count ? (uint32_t) own : 0;
  uint32_t points;
  const uint32_t first = block_scan<FEW_THREADS> (length, sums, &points);
  if (t < count) {
    f.by_contour.keys[t] = ~(uint32_t) (own >> 32);
    f.by_contour.lengths[t] = length;
    f.by_row.firsts[t] = first;
    if (f.by_contour.spans)
      f.by_contour.spans[t] = {first, length};
    if (f.family_of_children)
      f.family_of_children[t] = 0;
    clear_measures (f, t, length);
  }
  if (t == 0) {
    BordersHeader &h = f.counters->header;
    h.done_by_one_cta = 1;
    h.all_contours = h.contours = count;
    h.points = points;
    h.threshold = *f.applied_threshold;
  }
}

/* One CTA: links and ranks the segments, numbers the contours, and finds where their points begin. */
template <bool FOUR_CONNECTED>
__global__ void
__launch_bounds__ (FEW_THREADS) few_kernel (const __grid_constant__ BordersKernelArgs f)
{
  __shared__ ListView views[LIST_SMALL];
  __shared__ FewKeys few;
  __shared__ uint32_t sums[FEW_THREADS / 32], contours;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  constexpr uint32_t SHARE = LIST_SMALL / FEW_THREADS; /* All loads of a thread are under way together. */
  ListSegment segments[SHARE];
#pragma unroll
  for (uint32_t k = 0; k < SHARE; k++)
    segments[k] = load_segment (f, threadIdx.x + k * FEW_THREADS);
  const BordersFound found = *f.found;
  const uint32_t t = threadIdx.x, open = found.open, closed = found.closed;
  begin_counters (f, found);
  if (!fit (f, found))
    return;
  if (open > LIST_SMALL || closed > FEW_CONTOURS) {
    if (t == 0)
      leave_to_others (f);
    return;
  }
  if (t == 0)
    contours = 0;
#pragma unroll
  for (uint32_t k = 0; k < SHARE; k++)
    if (t + k * FEW_THREADS < open)
      views[t + k * FEW_THREADS] = link_segment<FOUR_CONNECTED> (f, t + k * FEW_THREADS, segments[k]);
  __syncthreads ();
  list_ranking_by_cta<FEW_THREADS> (views, open);

  /* The contours in any order; then by descending keys. */
  for (uint32_t i = t; i < open + closed; i += FEW_THREADS) {
    uint32_t key, length;
    if (i < open) {
      const ListSegment s = f.ranking.segments[i];
      if (s.key == NO_KEY || s.key != views[i].key)
        continue;
      key = s.key;
      length = s.length - views[i].distance + views[s.next].distance;
    } else {
      const uint2 c = f.by_segment.closed_key_length[i - open];
      key = c.x;
      length = c.y;
    }
    const uint32_t place = atomicAdd (&contours, 1);
    if (place < FEW_CONTOURS)
      few.found[place] = (unsigned long long) ~key << 32 | length;
  }
  __syncthreads ();
  const uint32_t count = contours;
  if (!contours_are_few (f, count, t == 0))
    return;
  const unsigned long long own = block_sort (t < count ? few.found[t] : ~0ull, count, few.found);
  store_contours (f, count, own, sums);
  if (t < count)
    few.keys[t] = ~(uint32_t) (own >> 32);
  __syncthreads ();
  for (uint32_t i = t; i < open + closed; i += FEW_THREADS) {
    const uint32_t key = i < open ? views[i].key : f.by_segment.closed_key_length[i - open].x;
    const uint32_t contour = number_of_key (few.keys, count, key);
    if (i < open)
      f.by_segment.open_contour[i] = {contour, views[i].distance};
    else
      f.by_segment.closed_contour[i - open] = {contour, 0};
  }
}

/* The shared memory of a CTA of the cluster. */
struct ClusterShared {
  union {
    ListView views[2][FEW_THREADS]; /* of its segments: rounds go from one of these to the other */
    FewKeys few;
    struct {
      unsigned long long contours[FEW_CONTOURS]; /* as in FewKeys */
      alignas (16) uint32_t keys[FEW_CONTOURS];  /* their upper halves */
      unsigned long long sorted[FEW_CONTOURS];   /* the contours in order; other CTAs write them */
    } order;
  };
  unsigned long long found[FEW_CONTOURS]; /* in the first CTA: as in FewKeys */
  uint32_t contours;                      /* likewise: how many there are */
  /* By round modulo 2, and CTA: it has segments whose ring is not known. Aligned, so that loads read no words that are written meanwhile. */
  alignas (32) uint32_t unfinished[2][CLUSTER_CTAS];
  uint32_t sums[FEW_THREADS / 32];
};

/* The views of all segments: a warp has 32 of them in a row, and warps of different CTAs have what follows. */
struct ClusterViews {
  ClusterShared &shared;
  uint32_t which;

  static __device__ uint32_t
  own_segment ()
  {
    return (threadIdx.x / 32 * CLUSTER_CTAS + blockIdx.x) * 32 + threadIdx.x % 32;
  }

  __device__ ListView
  operator[] (uint32_t i) const
  {
    return *cluster_shared (&shared.views[which][i / (32 * CLUSTER_CTAS) * 32 + i % 32], i / 32 % CLUSTER_CTAS);
  }
};

/* A contour for the first CTA, from each lane that HAS one. */
__device__ inline void
post_contour (ClusterShared &shared, bool has, uint32_t key, uint32_t length)
{
  const uint32_t lane = threadIdx.x % 32, all = __ballot_sync (~0u, has);
  if (!all)
    return;
  uint32_t place = lane == 0 ? atomicAdd (cluster_shared (&shared.contours, 0), __popc (all)) : 0;
  place = __shfl_sync (~0u, place, 0) + __popc (all & ((1u << lane) - 1));
  if (has && place < FEW_CONTOURS)
    *cluster_shared (&shared.found[place], 0) = (unsigned long long) ~key << 32 | length;
}

/* Sorts the COUNT contours, of which each CTA has all: OWN, or ~0, is the thread's. A CTA finds the places of some, each by as many
 * threads as there are CTAs, and each of these tells another one. No CTA reads views any more. Returns the contour in the thread's
 * place. The last barrier is behind all that other CTAs write here. */
__device__ inline unsigned long long
sort_by_cluster (ClusterShared &shared, unsigned long long own, uint32_t count)
{
  const uint32_t t = threadIdx.x, part = t % CLUSTER_CTAS, i = t / CLUSTER_CTAS * CLUSTER_CTAS + blockIdx.x;
  static_assert (FEW_THREADS == FEW_CONTOURS && 32 % CLUSTER_CTAS == 0, "a warp places whole contours");
  shared.order.contours[t] = own;
  shared.order.keys[t] = own >> 32;
  __syncthreads ();
  if (t / 32 * 32 < count) {
    const uint32_t key = shared.order.keys[i];
    uint32_t place = 0;
#pragma unroll 4
    for (uint32_t k = 0; k < count; k += 4 * CLUSTER_CTAS) { /* Behind the last key are none that are less. */
      const uint4 others = *(const uint4 *) &shared.order.keys[k + 4 * part];
      place += (others.x < key) + (others.y < key) + (others.z < key) + (others.w < key);
    }
    for (uint32_t d = 1; d < CLUSTER_CTAS; d *= 2)
      place += __shfl_xor_sync (~0u, place, d);
    if (i < count)
      *cluster_shared (&shared.order.sorted[place], part) = shared.order.contours[i];
  }
  cluster_barrier ();
  return t < count ? shared.order.sorted[t] : ~0ull;
}

/* The same as few_kernel() by a cluster of CTAS, a thread a segment. */
template <bool FOUR_CONNECTED>
__global__ void
__launch_bounds__ (FEW_THREADS, 1) cluster_kernel (const __grid_constant__ BordersKernelArgs f)
{
  __shared__ ClusterShared shared;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t t = threadIdx.x, rank = blockIdx.x, i = ClusterViews::own_segment ();
  const ListSegment segment = load_segment (f, i); /* These loads are under way together. */
  const uint2 closed = i < f.by_segment.closed_capacity ? f.by_segment.closed_key_length[i] : make_uint2 (0, 0);
  const BordersFound found = *f.found;
  const bool has_room = fit (f, found), few = found.open <= CLUSTER_SEGMENTS && found.closed <= FEW_CONTOURS;
  const bool is_open = has_room && few && i < found.open, is_closed = has_room && few && i < found.closed;
  ListView first = {};
  if (is_open) /* Nobody reads the segment again, unless the cluster finds too many contours: it is linked once more then. */
    shared.views[0][t] = first = first_view (linked<FOUR_CONNECTED> (f, segment));
  if (t == 0)
    shared.contours = 0;
  cluster_barrier ();
  if (rank == 0)
    begin_counters (f, found);
  if (!has_room || !few) {
    if (has_room && rank == 0 && t == 0)
      leave_to_others (f);
    return;
  }

  ListView view = first;
  uint32_t round = 0, unfinished;
  do {
    bool any = false;
    if (is_open && !(view.next & LIST_DONE)) {
      view = list_jump_twice (ClusterViews{shared, round % 2}, view);
      any = !(view.next & LIST_DONE);
    }
    if (is_open)
      shared.views[(round + 1) % 2][t] = view;
    any = __syncthreads_or (any);
    if (t < CLUSTER_CTAS)
      *cluster_shared (&shared.unfinished[round % 2][rank], t) = any;
    cluster_barrier ();
    unfinished = 0;
#pragma unroll
    for (uint32_t k = 0; k < CLUSTER_CTAS; k++)
      unfinished |= shared.unfinished[round % 2][k];
    round++;
  } while (unfinished);

  const bool starts = is_open && first.key != NO_KEY && first.key == view.key;
  post_contour (shared, starts, first.key,
      starts ? first.length - view.distance + ClusterViews{shared, round % 2}[first.next].distance : 0);
  post_contour (shared, is_closed, closed.x, closed.y);
  cluster_barrier ();
  const uint32_t count = *cluster_shared (&shared.contours, 0);
  unsigned long long own = t < min (count, FEW_CONTOURS) ? *cluster_shared (&shared.found[t], 0) : ~0ull;
  if (!contours_are_few (f, count, rank == 0 && t == 0)) {
    cluster_barrier (); /* The first CTA stays until its contours are read. */
    return;
  }
  own = sort_by_cluster (shared, own, count);
  if (rank == 0)
    store_contours (f, count, own, shared.sums);
  __syncthreads ();
  if (t < count)
    shared.few.keys[t] = ~(uint32_t) (own >> 32);
  __syncthreads ();
  if (is_open)
    f.by_segment.open_contour[i] = {number_of_key (shared.few.keys, count, view.key), view.distance};
  if (is_closed)
    f.by_segment.closed_contour[i] = {number_of_key (shared.few.keys, count, closed.x), 0};
}

} // namespace

bool
borders_have_cluster ()
{
  bool all = true;
  for (const auto kernel : {cluster_kernel<false>, cluster_kernel<true>})
    all = all && ctr_supports_cluster (kernel, CLUSTER_CTAS, FEW_THREADS);
  cudaGetLastError (); /* a GPU that does not support them is no error */
  return all;
}

void
borders_launch_few (const BordersKernelArgs &f, bool overlap, cudaStream_t stream)
{
  if (f.clustered) {
    cudaLaunchAttribute attributes[2];
    cudaLaunchConfig_t config = ctr_cluster_config (CLUSTER_CTAS, FEW_THREADS, stream, attributes);
    config.numAttrs = overlap ? 2 : 1;
    ctr_launch_configured (config, f.four_connected ? cluster_kernel<true> : cluster_kernel<false>, f);
    return;
  }
  ctr_launch_overlapped (
      overlap, f.four_connected ? few_kernel<true> : few_kernel<false>, 1, FEW_THREADS, 0, stream, f);
}

void
borders_launch_links (const BordersKernelArgs &f, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (overlap, f.four_connected ? link_kernel<true> : link_kernel<false>,
      min (f.ranking.capacity / LINK_THREADS + 1, (unsigned) LINK_CTAS), LINK_THREADS, 0, stream, f);
}
