/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From rings to lists: the order of the contours, where each one's points go, the points, what they enclose. */
#include "cuda/borders/device_state.cuh"
#include "cuda/contours/contour_measures.cuh"
#include "cuda/common/scan.cuh"

namespace
{

constexpr int THREADS = 256, CTAS = 1056; /* of kernels over what only the device can count */

__device__ inline uint32_t
first_index ()
{
  return blockIdx.x * THREADS + threadIdx.x;
}

__device__ inline uint32_t
index_step ()
{
  return gridDim.x * THREADS;
}

/* Notes where the rings start. */
__global__ void
__launch_bounds__ (THREADS) mark_kernel (const __grid_constant__ BordersFrame f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  BordersHeader &h = f.counters->header;
  if (!nodes_fit (f) || h.listed)
    return;
  bool complete;
  const uint32_t rounds = ring_rounds (f.rings, &complete);
  if (first_index () == 0) {
    h.rounds = rounds;
    h.incomplete = complete ? 0 : LACKS_ROUNDS;
  }
  if (!complete)
    return;
  const RingView *views = f.rings.views[rounds % 2];
  for (uint32_t i = first_index (); i < h.open + h.closed; i += index_step ()) {
    const uint32_t key = i < h.open ? f.rings.segments[i].key : f.closed[i - h.open].x;
    if (key != NO_KEY && (i >= h.open || key == views[i].key))
      atomicOr (&f.starts[key / 32], 1u << key % 32);
  }
}

/* Counts the keys before each word that has any: four words a thread. */
__global__ void
__launch_bounds__ (THREADS) count_kernel (const __grid_constant__ BordersFrame f)
{
  __shared__ uint32_t ticket, sums[THREADS / 32];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!nodes_fit (f) || f.counters->header.listed)
    return;
  if (threadIdx.x == 0)
    ticket = atomicAdd (&f.counters->count_ticket, 1);
  __syncthreads ();
  const uint64_t words = (uint64_t) f.words * f.height, from = ((uint64_t) ticket * THREADS + threadIdx.x) * 4;
  uint32_t bits[4];
#pragma unroll
  for (int i = 0; i < 4; i++)
    bits[i] = from + i < words ? f.starts[from + i] : 0;
  uint32_t all;
  uint32_t sum = device_scan<THREADS> (
      __popc (bits[0]) + __popc (bits[1]) + __popc (bits[2]) + __popc (bits[3]), f.count_states, ticket, sums, &all);
#pragma unroll
  for (int i = 0; i < 4; i++) {
    if (bits[i])
      f.before[from + i] = sum;
    sum += __popc (bits[i]);
  }
  if (ticket == gridDim.x - 1 && threadIdx.x == 0) {
    f.counters->header.all_contours = all;
    f.counters->header.contours = all;
    f.counters->header.threshold = f.threshold_device ? *f.threshold_device : f.threshold;
  }
}

/* Every segment's contour; every contour's key and number of points. */
__global__ void
__launch_bounds__ (THREADS) rank_kernel (const __grid_constant__ BordersFrame f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const BordersHeader &h = f.counters->header;
  if (!contours_fit (f) || h.listed)
    return;
  const RingView *views = ring_views (f.rings);
  for (uint32_t i = first_index (); i < h.open + h.closed; i += index_step ()) {
    if (i < h.open) {
      const RingView view = views[i];
      const uint32_t rank = rank_of (f, view.key);
      f.open_ranks[i] = rank;
      if (f.rings.segments[i].key == view.key) {
        f.rank_keys[rank] = view.key;
        f.rank_lengths[rank] = ring_length (f.rings, views, i);
      }
    } else {
      const uint2 closed = f.closed[i - h.open];
      const uint32_t rank = rank_of (f, closed.x);
      f.closed_ranks[i - h.open] = rank;
      f.rank_keys[rank] = closed.x;
      f.rank_lengths[rank] = closed.y;
    }
  }
}

constexpr int OFFSET_ROWS = 4; /* a thread */
static_assert (OFFSET_ROWS * THREADS == OFFSET_SHARE, "as the host counts CTAs");

/* Where each contour's points begin. SCAN: which one it is. */
__global__ void
__launch_bounds__ (THREADS) offset_kernel (const __grid_constant__ BordersFrame f, uint32_t scan)
{
  __shared__ uint32_t ticket, sums[THREADS / 32];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  BordersHeader &h = f.counters->header;
  const uint32_t contours = h.contours;
  if (!contours_fit (f) || (h.listed && !borders_reorders (f)))
    return;
  if (threadIdx.x == 0)
    ticket = atomicAdd (&f.counters->scan_tickets[scan], 1);
  __syncthreads ();
  const uint32_t from = (ticket * THREADS + threadIdx.x) * OFFSET_ROWS;
  if (ticket * OFFSET_SHARE >= contours)
    return;
  uint32_t lengths[OFFSET_ROWS], own = 0;
#pragma unroll
  for (int i = 0; i < OFFSET_ROWS; i++) {
    lengths[i] = from + i < contours ? f.row_lengths[from + i] : 0;
    own += lengths[i];
  }
  uint32_t all;
  uint32_t sum = device_scan<THREADS> (own, f.scan_states[scan], ticket, sums, &all);
#pragma unroll
  for (int i = 0; i < OFFSET_ROWS; i++) {
    if (from + i < contours)
      f.firsts[from + i] = sum;
    sum += lengths[i];
  }
  for (uint32_t i = threadIdx.x; i < OFFSET_SHARE && ticket * OFFSET_SHARE + i < contours; i += THREADS)
    clear_contour (f, ticket * OFFSET_SHARE + i);
  if (threadIdx.x == 0 && (ticket + 1) * OFFSET_SHARE >= contours)
    h.points = all;
}

constexpr uint32_t CHUNK = 256; /* points a warp */

template <typename Line>
__global__ void
__launch_bounds__ (THREADS) measure_kernel (const __grid_constant__ BordersFrame f, bool few_too)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!points_fit (f) || (!few_too && has_few_points (f)))
    return;
  const uint32_t points = f.counters->header.points;
  for (uint64_t begin = (uint64_t) (first_index () / 32) * CHUNK; begin < points;
       begin += (uint64_t) (index_step () / 32) * CHUNK)
    measure_points<Line> (f, (uint32_t) begin, (uint32_t) min ((uint64_t) points, begin + CHUNK));
}

__device__ inline int32_t
row_of (const BordersFrame &f, uint32_t contour)
{
  return contour == NO_CONTOUR || contour == NO_PARENT ? -1 : (int32_t) f.rows[contour];
}

__device__ inline void
write_row (const BordersFrame &f, uint32_t i)
{
  const uint32_t rows = f.counters->header.contours, rank = f.ranks ? f.ranks[i] : i;
  const ContourAccumulator *a = &f.accumulators[f.limited ? rank : i]; /* from L2, where the atomics were */
  union {
    CtrContour c;
    uint4 words[sizeof (CtrContour) / sizeof (uint4)];
  };
  c.first = f.firsts[i];
  c.area2 = __ldcg (&a->area2);
  c.length = __ldcg (&a->length);
  c.count = f.row_lengths[i];
  c.next = i + 1 < rows ? (int32_t) i + 1 : -1;
  c.previous = (int32_t) i - 1;
  c.child = c.parent = -1;
  if (borders_nests (f)) {
    if (f.limited) { /* NO_CONTOUR is -1 */
      c.next = (int32_t) f.next[i];
      c.previous = (int32_t) f.previous[i];
      c.child = (int32_t) f.child[i];
    } else {
      c.next = row_of (f, f.next[rank]);
      c.previous = row_of (f, f.previous[rank]);
      c.child = row_of (f, f.child[rank]);
    }
    c.parent = row_of (f, f.parents[rank]);
  }
  c.flags = is_hole (f, f.row_keys[i]) ? CTR_CONTOUR_HOLE : 0;
  c.level = c.reserved = 0;
  const uint32_t left = __ldcg (&a->min_x), top = __ldcg (&a->min_y);
  c.left = left;
  c.top = top;
  c.width = __ldcg (&a->max_x) - left + 1;
  c.height = __ldcg (&a->max_y) - top + 1;
#pragma unroll
  for (int k = 0; k < 4; k++)
    ((uint4 *) &f.table[i])[k] = words[k];
}

/* A thread a row of the table. */
__global__ void
__launch_bounds__ (THREADS) table_kernel (const __grid_constant__ BordersFrame f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!points_fit (f) || has_few_points (f))
    return;
  const uint32_t rows = f.counters->header.contours;
  for (uint32_t i = first_index (); i < rows; i += index_step ())
    write_row (f, i);
}

constexpr int POINT_THREADS = 1024, POINT_CTAS = 264;

/* A thread a node: its point to its place. Where there are few, the last CTA does the rest of the work. */
__global__ void
__launch_bounds__ (POINT_THREADS) point_kernel (const __grid_constant__ BordersFrame f)
{
  __shared__ bool last;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!points_fit (f))
    return;
  const RingView *views = ring_views (f.rings);
  const uint32_t nodes = f.counters->header.nodes, t = threadIdx.x;
  for (uint32_t i = blockIdx.x * POINT_THREADS + t; i < nodes; i += gridDim.x * POINT_THREADS) {
    uint32_t rank = f.node_rank[i];
    if (!(rank & NODE_KEPT))
      continue;
    rank &= ~NODE_KEPT;
    const uint32_t ring = f.node_ring[i], place = f.node_place[i];
    uint32_t contour; /* its rank */
    if (ring & RING_CLOSED) {
      contour = f.closed_ranks[ring & ~RING_CLOSED];
    } else {
      const uint32_t distance = views[ring].distance;
      contour = f.open_ranks[ring];
      rank = rank >= distance ? rank - distance : rank + f.rank_lengths[contour] - distance;
    }
    const uint32_t row = f.rows ? f.rows[contour] : contour;
    if (row != NO_CONTOUR)
      *(uint32_t *) &f.points[f.firsts[row] + rank] = place; /* x comes first */
  }
  if (!f.final)
    return;
  if (!has_few_points (f)) {
    if (!f.many_points && t == 0 && blockIdx.x == 0)
      f.counters->header.unmeasured = 1;
    return;
  }
  __threadfence ();
  __syncthreads ();
  if (t == 0)
    last = atomicAdd (&f.counters->point_ticket, 1) == gridDim.x - 1;
  __syncthreads ();
  if (!last)
    return;
  __threadfence ();
  const uint32_t points = f.counters->header.points, rows = f.counters->header.contours;
  if (f.measuring) {
    constexpr uint32_t WARPS = POINT_THREADS / 32;
    const uint32_t share = ctr_div_up (ctr_div_up (points, WARPS), 32) * 32, begin = t / 32 * share;
    if (begin < points)
      measure_points<Line> (f, begin, min (points, begin + share));
    __threadfence ();
    __syncthreads ();
  }
  if (t < rows)
    write_row (f, t);
}
static_assert (POINT_THREADS >= FEW_CONTOURS, "a thread a row");

template <typename... Args>
void
launch (void (*kernel) (const BordersFrame, Args...), uint64_t items, const BordersFrame &f, bool overlap,
    cudaStream_t stream, Args... args)
{
  const unsigned ctas = (unsigned) min (items / THREADS + 1, (uint64_t) CTAS);
  ctr_launch_overlapped (overlap, kernel, ctas, THREADS, 0, stream, f, args...);
}

void
launch_offsets (const BordersFrame &f, uint32_t scan, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (overlap, offset_kernel, f.contour_capacity / OFFSET_SHARE + 1, THREADS, 0, stream, f, scan);
}

void
launch_points (const BordersFrame &f, bool overlap, cudaStream_t stream)
{
  const unsigned ctas = min (f.node_capacity / POINT_THREADS + 1, (unsigned) POINT_CTAS);
  ctr_launch_overlapped (overlap, point_kernel, ctas, POINT_THREADS, 0, stream, f);
}

/* Threads for all points, if there is room for so many. */
uint64_t
measuring_threads (const BordersFrame &f)
{
  return f.point_capacity / (CHUNK / 32) + THREADS;
}

} // namespace

void
borders_launch_ranks (const BordersFrame &f, bool overlap, cudaStream_t stream)
{
  launch (mark_kernel, (uint64_t) f.rings.capacity + f.closed_capacity, f, overlap, stream);
  ctr_launch_overlapped (overlap, count_kernel, f.count_ctas, THREADS, 0, stream, f);
  launch (rank_kernel, (uint64_t) f.rings.capacity + f.closed_capacity, f, overlap, stream);
}

void
borders_launch_measures (const BordersFrame &frame, bool overlap, cudaStream_t stream)
{
  BordersFrame f = frame;
  f.rows = f.ranks = NULL;
  f.row_lengths = f.rank_lengths;
  f.row_keys = f.rank_keys;
  f.points = f.all_points;
  f.point_capacity = f.node_capacity;
  f.sums = NULL;
  f.measuring = true;
  f.final = false;
  launch_offsets (f, SCAN_MEASURED, overlap, stream);
  launch_points (f, overlap, stream);
  launch (measure_kernel<Line>, measuring_threads (f), f, overlap, stream, true);
}

void
borders_launch_lists (const BordersFrame &f, bool overlap, cudaStream_t stream)
{
  if (f.many_rings || borders_reorders (f))
    launch_offsets (f, SCAN_OFFSETS, overlap, stream);
  launch_points (f, overlap, stream);
  if (f.many_points && f.measuring)
    launch (measure_kernel<Line>, measuring_threads (f), f, overlap, stream, false);
  if (f.many_points)
    launch (table_kernel, f.contour_capacity, f, overlap, stream);
  if (f.sums)
    launch (measure_kernel<Sums>, measuring_threads (f), f, overlap, stream, true);
}
