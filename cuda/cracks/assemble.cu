/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contours of levels, second half: from rings to contours, their points, what these enclose, and who is inside whom. */
#include "cuda/contours/contour_measures.cuh"
#include "cuda/cracks/device_state.cuh"
#include "cuda/common/scan.cuh"

namespace
{

constexpr int THREADS = 256, SHARE = SCAN_SHARE / THREADS, CTAS = 1056;
constexpr int NODE_SHARE = NODE_SCAN_SHARE / THREADS;

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

__device__ inline uint32_t
load (const uint32_t *p)
{
  return *(const volatile uint32_t *) p;
}

/* Of a contour's first node. */
__device__ inline bool
is_hole (const CracksFrame &f, uint32_t start)
{
  return f.kind[start] & NODE_GOES_VERTICALLY;
}

/* Contours, numbered by their first nodes. */
__global__ void
__launch_bounds__ (THREADS) contour_kernel (const __grid_constant__ CracksFrame f)
{
  __shared__ uint32_t ticket, sums[THREADS / 32];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  CracksHeader &h = f.counters->header;
  if (!nodes_fit (f))
    return;
  bool complete;
  const uint32_t rounds = ring_rounds (f.rings, &complete);
  if (threadIdx.x == 0)
    ticket = atomicAdd (&f.counters->tickets[SCAN_CONTOURS], 1);
  __syncthreads ();
  if (ticket == 0 && threadIdx.x == 0) {
    h.rounds = rounds;
    h.incomplete = !complete;
  }
  const uint32_t nodes = (uint32_t) h.nodes, from = (ticket * THREADS + threadIdx.x) * NODE_SHARE;
  if (!complete || ticket * NODE_SCAN_SHARE >= nodes)
    return;
  const RingView *views = f.rings.views[rounds % 2];
  uint32_t starts = 0;
  if (from < nodes) {
    const uint4 four = *(const uint4 *) &f.kind[from]; /* there is memory for so many */
    const uint32_t words[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (int i = 0; i < NODE_SHARE; i++)
      if (from + i < nodes && words[i / 4] >> 8 * (i % 4) & NODE_STARTS && views[from + i].key == from + i)
        starts |= 1u << i;
  }
  uint32_t all;
  uint32_t contour = device_scan<THREADS> (__popc (starts), f.scan_states[SCAN_CONTOURS], ticket, sums, &all);
  for (; starts; starts &= starts - 1) {
    const int i = __ffs (starts) - 1;
    f.started[from + i] = contour;
    if (contour < f.contour_capacity) {
      f.starts[contour] = from + i;
      f.lengths[contour] = 1 + views[next_node (f, from + i, f.kind[from + i])].distance;
    }
    contour++;
  }
  if (threadIdx.x == 0 && (ticket + 1) * NODE_SCAN_SHARE >= nodes)
    h.all_contours = h.contours = all;
}

/* Where each contour's points begin. SCAN: which one it is. */
__global__ void
__launch_bounds__ (THREADS) offset_kernel (const __grid_constant__ CracksFrame f, uint32_t scan)
{
  __shared__ uint32_t ticket, sums[THREADS / 32];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  CracksHeader &h = f.counters->header;
  const uint32_t contours = h.contours;
  if (!contours_fit (f))
    return;
  if (threadIdx.x == 0)
    ticket = atomicAdd (&f.counters->tickets[scan], 1);
  __syncthreads ();
  if (ticket * SCAN_SHARE >= contours)
    return;
  const uint32_t from = (ticket * THREADS + threadIdx.x) * SHARE;
  uint32_t lengths[SHARE], own = 0;
  for (int i = 0; i < SHARE; i++) {
    lengths[i] = from + i < contours ? f.row_lengths[from + i] : 0;
    own += lengths[i];
  }
  uint32_t all;
  uint32_t sum = device_scan<THREADS> (own, f.scan_states[scan], ticket, sums, &all);
  for (int i = 0; i < SHARE; i++) {
    if (from + i < contours) {
      f.firsts[from + i] = sum;
      if (f.measuring)
        f.accumulators[from + i] = {0, 0, ~0u, ~0u, 0, 0};
      if (f.sums)
        f.sums[from + i] = {};
    }
    sum += lengths[i];
  }
  if (threadIdx.x == 0 && (ticket + 1) * SCAN_SHARE >= contours)
    h.points = all;
}

__global__ void
__launch_bounds__ (THREADS) point_kernel (const __grid_constant__ CracksFrame f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const RingView *views = ring_views (f.rings);
  const uint32_t nodes = (uint32_t) f.counters->header.nodes;
  for (uint32_t i = first_index (); i < nodes; i += index_step ()) {
    const RingView view = views[i];
    const uint32_t contour = f.started[view.key], row = f.rows ? f.rows[contour] : contour;
    if (row != NO_CONTOUR) /* x comes first */
      *(uint32_t *) &f.points[f.firsts[row] + (view.distance ? f.lengths[contour] - view.distance : 0)] = f.place[i];
  }
}

constexpr uint32_t CHUNK = 256; /* points a warp */

template <typename Line>
__global__ void
__launch_bounds__ (THREADS) measure_kernel (const __grid_constant__ CracksFrame f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t points = f.counters->header.points;
  for (uint64_t begin = (uint64_t) (first_index () / 32) * CHUNK; begin < points;
       begin += (uint64_t) (index_step () / 32) * CHUNK)
    measure_points<Line> (f, (uint32_t) begin, (uint32_t) min ((uint64_t) points, begin + CHUNK));
}

/* The node with whose vertical line the crack begins that lies between (X, Y) and (X, Y + 1), where there is one: the
 * last of its level by columns that does not come after. By a warp, 32 places at a time. */
__device__ inline uint32_t
find_crack (const CracksFrame &f, uint32_t rank, uint32_t x, uint32_t y)
{
  const uint32_t wanted = x << 16 | y, lane = threadIdx.x % 32;
  uint32_t first = f.level_first[rank - 1], end = f.level_end[rank - 1];
  while (end - first > 1) { /* the first never comes after */
    const uint32_t step = (end - first + 31) / 32, i = first + lane * step;
    const uint32_t place = i < end ? f.place[f.down[i]] : ~0u;
    const uint32_t before = __popc (__ballot_sync (~0u, i < end && (place << 16 | place >> 16) <= wanted));
    first += (before - 1) * step;
    end = min (end, first + step);
  }
  return f.down[first];
}

/* From pixel (X, Y) on to the west: the first that is in level RANK, or that is not if HOLE, by a warp. -1: none. */
__device__ inline int
walk_west (const CracksFrame &f, uint32_t rank, int x, uint32_t y, bool hole)
{
  constexpr int EACH = 8; /* pixels a lane looks at, in one load */
  const uint4 *row = (const uint4 *) (f.ranks + (size_t) y * f.rank_stride);
  const int lane = threadIdx.x % 32;
  for (int last = x / EACH; x >= 0 && last >= 0; last -= 32) {
    const int chunk = last - lane;
    int found = -1;
    if (chunk >= 0) {
      const uint4 four = row[chunk];
      const uint32_t words[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
      for (int i = 0; i < EACH; i++) {
        const uint32_t r = words[i / 2] >> 16 * (i % 2) & 0xffff;
        if ((f.equal ? r == rank : r >= rank) != hole && chunk * EACH + i <= x)
          found = chunk * EACH + i;
      }
    }
    const uint32_t lanes = __ballot_sync (~0u, found >= 0);
    if (lanes)
      return __shfl_sync (~0u, found, __ffs (lanes) - 1);
  }
  return -1;
}

/* A warp a contour: to the west of its start, over the background from an outside, over the foreground from a hole. The
 * line on the far side belongs to the contour around it, or to one with the same around it. */
__global__ void
__launch_bounds__ (THREADS) neighbour_kernel (const __grid_constant__ CracksFrame f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const RingView *views = ring_views (f.rings);
  const uint32_t contours = f.counters->header.all_contours;
  for (uint32_t i = first_index () / 32; i < contours; i += index_step () / 32) {
    const uint32_t start = f.starts[i], place = f.place[start], rank = f.rank[start], y = place >> 16;
    const bool hole = is_hole (f, start);
    const int x = walk_west (f, rank, (int) (place & 0xffff) - 1, y, hole);
    uint32_t parent = NO_PARENT;
    if (hole || x >= 0) {
      const uint32_t other = f.started[views[find_crack (f, rank, x + 1, y)].key];
      parent = other | (is_hole (f, f.starts[other]) == hole ? PARENT_OF : 0);
    }
    if (threadIdx.x % 32 == 0)
      f.parents[i] = parent;
  }
}

/* For those that came with PARENT_OF: whose value that is. All at once; each takes over what others have found. */
__global__ void
__launch_bounds__ (THREADS) parent_kernel (const __grid_constant__ CracksFrame f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.all_contours;
  for (uint32_t i = first_index (); i < contours; i += index_step ()) {
    uint32_t parent = load (&f.parents[i]);
    while (parent & PARENT_OF) {
      parent = load (&f.parents[parent & ~PARENT_OF]);
      atomicExch (&f.parents[i], parent);
    }
  }
}

__device__ inline bool
stays (const CracksFrame &f, uint32_t contour)
{
  const ContourAccumulator a = f.accumulators[contour];
  const uint64_t area2 = (uint64_t) (a.area2 < 0 ? -a.area2 : a.area2);
  return area2 >= f.min_area2 && area2 <= f.max_area2 && a.length >= f.min_length;
}

/* Rows for those that stay. */
__global__ void
__launch_bounds__ (THREADS) select_kernel (const __grid_constant__ CracksFrame f)
{
  __shared__ uint32_t ticket, sums[THREADS / 32];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  CracksHeader &h = f.counters->header;
  const uint32_t contours = h.all_contours;
  if (!contours_fit (f))
    return;
  if (threadIdx.x == 0)
    ticket = atomicAdd (&f.counters->tickets[SCAN_STAYING], 1);
  __syncthreads ();
  if (ticket * SCAN_SHARE >= contours)
    return;
  const uint32_t from = (ticket * THREADS + threadIdx.x) * SHARE;
  uint32_t stay = 0;
  for (int i = 0; i < SHARE; i++)
    stay |= (uint32_t) (from + i < contours && stays (f, from + i)) << i;
  uint32_t all;
  uint32_t row = device_scan<THREADS> (__popc (stay), f.scan_states[SCAN_STAYING], ticket, sums, &all);
  for (int i = 0; i < SHARE && from + i < contours; i++) {
    f.rows[from + i] = stay >> i & 1 ? row : NO_CONTOUR;
    if (!(stay >> i & 1))
      continue;
    f.row_contours[row] = from + i;
    f.row_lengths[row] = f.lengths[from + i];
    row++;
  }
  if (threadIdx.x == 0 && (ticket + 1) * SCAN_SHARE >= contours) {
    h.contours = all;
    h.points = 0; /* until they are counted */
  }
}

/* What was inside a dropped contour belongs to the next one around that stays. */
__global__ void
__launch_bounds__ (THREADS) adopt_kernel (const __grid_constant__ CracksFrame f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.all_contours;
  for (uint32_t i = first_index (); i < contours; i += index_step ()) {
    uint32_t parent = load (&f.parents[i]);
    while (parent != NO_PARENT && f.rows[parent] == NO_CONTOUR) {
      parent = load (&f.parents[parent]);
      atomicExch (&f.parents[i], parent);
    }
  }
}

__device__ inline int32_t
parent_row (const CracksFrame &f, uint32_t row)
{
  const uint32_t parent = f.parents[f.rows ? f.row_contours[row] : row];
  return parent == NO_PARENT ? -1 : (int32_t) (f.rows ? f.rows[parent] : parent);
}

/* Ready for sorting siblings together: those at the top by their levels, then the others by their parents; what is no
 * contour last. */
__global__ void
__launch_bounds__ (THREADS) key_kernel (const __grid_constant__ CracksFrame f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.contours;
  for (uint32_t i = first_index (); i < f.contour_capacity; i += index_step ()) {
    uint32_t key = f.level_count + f.contour_capacity; /* no contour's: the last ones */
    if (i < contours) {
      const int32_t parent = parent_row (f, i);
      key = parent < 0 ? f.rank[f.starts[f.rows ? f.row_contours[i] : i]] - 1 : f.level_count + parent;
      f.child[i] = NO_CONTOUR;
    }
    f.sort_keys[0][i] = key;
    f.sort_values[0][i] = i;
  }
}

/* After the sort. OpenCV's order is the other way round: the next sibling began before, the first child last. */
__global__ void
__launch_bounds__ (THREADS) sibling_kernel (const __grid_constant__ CracksFrame f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.contours;
  for (uint32_t i = first_index (); i < contours; i += index_step ()) {
    const uint32_t key = f.sort_keys[1][i], own = f.sort_values[1][i];
    const bool first = i == 0 || f.sort_keys[1][i - 1] != key, last = i + 1 == contours || f.sort_keys[1][i + 1] != key;
    f.next[own] = first ? NO_CONTOUR : f.sort_values[1][i - 1];
    f.previous[own] = last ? NO_CONTOUR : f.sort_values[1][i + 1];
    if (last && key >= f.level_count)
      f.child[key - f.level_count] = own;
  }
}

__global__ void
__launch_bounds__ (THREADS) table_kernel (const __grid_constant__ CracksFrame f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t rows = f.counters->header.contours;
  for (uint32_t i = first_index (); i < rows; i += index_step ()) {
    const uint32_t contour = f.rows ? f.row_contours[i] : i, start = f.starts[contour];
    const ContourAccumulator a = f.accumulators[f.limited ? contour : i];
    CtrContour c;
    c.first = f.firsts[i];
    c.area2 = a.area2;
    c.length = a.length;
    c.count = f.row_lengths[i];
    c.next = (int32_t) f.next[i]; /* NO_CONTOUR is -1 */
    c.previous = (int32_t) f.previous[i];
    c.child = (int32_t) f.child[i];
    c.parent = parent_row (f, i);
    c.flags = is_hole (f, start) ? CTR_CONTOUR_HOLE : 0;
    c.level = f.levels[f.rank[start] - 1];
    c.left = a.min_x;
    c.top = a.min_y;
    c.width = a.max_x - a.min_x;
    c.height = a.max_y - a.min_y;
    c.reserved = 0;
    f.table[i] = c;
  }
}

template <typename... Args>
void
launch (void (*kernel) (const CracksFrame, Args...), uint64_t items, const CracksFrame &f, bool overlap,
    cudaStream_t stream, Args... args)
{
  ctr_launch_overlapped (
      overlap, kernel, (unsigned) min (items / THREADS + 1, (uint64_t) CTAS), THREADS, 0, stream, f, args...);
}

void
launch_points (const CracksFrame &f, uint32_t scan, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (overlap, offset_kernel, f.contour_capacity / SCAN_SHARE + 1, THREADS, 0, stream, f, scan);
  launch (point_kernel, f.node_capacity, f, overlap, stream);
  const uint64_t threads = f.node_capacity / (CHUNK / 32) + THREADS;
  if (f.measuring)
    launch (measure_kernel<Line>, threads, f, overlap, stream);
  if (f.sums)
    launch (measure_kernel<Sums>, threads, f, overlap, stream);
}

/* All contours are measured before it is known which stay. */
void
launch_measures (const CracksFrame &frame, bool overlap, cudaStream_t stream)
{
  CracksFrame f = frame;
  f.rows = f.row_contours = NULL;
  f.row_lengths = f.lengths;
  f.points = f.all_points;
  f.sums = NULL;
  f.measuring = true;
  launch_points (f, SCAN_MEASURED, overlap, stream);
}

} // namespace

bool
cracks_launch_lists (
    const CracksFrame &f, CtrDeviceBuffer *temporary, bool overlap, cudaStream_t stream, CtrError *error)
{
  if (f.node_capacity == 0 || f.contour_capacity == 0) /* the frame will be done again */
    return true;
  size_t size = temporary->size;
  ctr_launch_overlapped (overlap, contour_kernel, f.node_capacity / NODE_SCAN_SHARE + 1, THREADS, 0, stream, f);
  launch (neighbour_kernel, (uint64_t) f.contour_capacity * 32, f, overlap, stream);
  launch (parent_kernel, f.contour_capacity, f, overlap, stream);
  if (f.limited) {
    launch_measures (f, overlap, stream);
    ctr_launch_overlapped (overlap, select_kernel, f.contour_capacity / SCAN_SHARE + 1, THREADS, 0, stream, f);
    launch (adopt_kernel, f.contour_capacity, f, overlap, stream);
  }
  launch (key_kernel, f.contour_capacity, f, overlap, stream);
  CTR_CUDA (cracks_sort (f.sort_keys, f.sort_values, f.contour_capacity,
      (uint64_t) f.level_count + f.contour_capacity + 1, temporary->data, &size, stream));
  launch (sibling_kernel, f.contour_capacity, f, overlap, stream);
  launch_points (f, SCAN_POINTS, overlap, stream);
  launch (table_kernel, f.contour_capacity, f, overlap, stream);
  CTR_CUDA (cudaGetLastError ());
  return true;
}
