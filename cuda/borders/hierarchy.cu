/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who is inside whom, which contours stay, and their order.
 *
 * To the west of an outer border's start, over the background, lies the border that follows it in the hierarchy or one
 * of the same kind with the same parent; to the west of a hole's start, over the foreground, likewise. Its key is
 * smaller, so following these ends. Siblings come together by a stable sort by parents; then a ring through all
 * contours, child before sibling before the parent's sibling, is ranked as the borders themselves are. */
#include "cuda/borders/device_state.cuh"
#include "cuda/common/scan.cuh"

#include <cub/device/device_radix_sort.cuh>

namespace
{

constexpr int THREADS = 256, CTAS = 1056;

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

__device__ inline uint32_t
neighbours_at (const BordersFrame &f, uint32_t x, uint32_t y)
{
  uint32_t rows[3];
#pragma unroll
  for (int j = 0; j < 3; j++) {
    const int at = (int) x - 1, row = (int) y + j - 1; /* bits X - 1 .. X + 1 */
    const int word = at < 0 ? -1 : at / 32;
    rows[j] = __funnelshift_r (word_at (f, word, row), word_at (f, word + 1, row), at & 31);
  }
  return eight_neighbours (rows[0], rows[1], rows[2]);
}

/* Of a row's word, what is looked for: foreground, or INVERT not. */
__device__ inline uint32_t
load_word (const BordersFrame &f, int word, uint32_t y, uint32_t invert)
{
  return word >= 0 ? f.bits[(size_t) y * f.words + word] ^ invert : 0;
}

constexpr int NEAR_WORDS = 2; /* to the west, where a thread looks alone */

/* A thread a contour that it may have: the last pixel at or before X in row Y that is foreground, or with INVERT = ~0
 * not; -1: none. Where a thread does not find it nearby, its warp helps. */
__device__ inline int
look_west (const BordersFrame &f, bool wanted, int x, uint32_t y, uint32_t invert)
{
  const int lane = threadIdx.x % 32;
  int word = x >= 0 ? x / 32 : -1, found = -1;
  if (wanted) {
    uint32_t bits = load_word (f, word, y, invert) & ((2u << (x & 31)) - 1);
    for (int i = 1; !bits && word > 0 && i < NEAR_WORDS; i++)
      bits = load_word (f, --word, y, invert);
    if (bits)
      found = word * 32 + 31 - __clz (bits);
    word--;
  }
  uint32_t left = __ballot_sync (~0u, wanted && found < 0 && word >= 0);
  for (; left; left &= left - 1) {
    const int who = __ffs (left) - 1;
    const uint32_t row = __shfl_sync (~0u, y, who), other = __shfl_sync (~0u, invert, who);
    int result = -1;
    for (int w = __shfl_sync (~0u, word, who); w >= 0 && result < 0; w -= 32) {
      uint32_t bits = load_word (f, w - lane, row, w - lane >= 0 ? other : 0);
      const uint32_t any = __ballot_sync (~0u, bits != 0);
      if (any) {
        const int source = __ffs (any) - 1;
        bits = __shfl_sync (~0u, bits, source);
        result = (w - source) * 32 + 31 - __clz (bits);
      }
    }
    if (lane == who)
      found = result;
  }
  return found;
}

/* The contour's neighbour to the west, as above. */
__global__ void
__launch_bounds__ (THREADS) neighbour_kernel (const __grid_constant__ BordersFrame f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.all_contours;
  for (uint32_t i = first_index (); __any_sync (~0u, i < contours); i += index_step ()) {
    const bool wanted = i < contours;
    const uint32_t key = wanted ? f.rank_keys[i] : 0, y = key / (f.words * 32), x = key % (f.words * 32);
    const bool hole = wanted && is_hole (f, key);
    int u = look_west (f, wanted, (int) x - 1, y, hole ? ~0u : 0);
    if (!wanted)
      continue;
    if (!hole && u < 0) {
      f.parents[i] = NO_PARENT;
      continue;
    }
    u += hole; /* the first of the run, not the one before it */
    const uint32_t slot = slot_facing (neighbours_at (f, u, y), hole ? 4 : 0);
    const uint32_t ring = f.node_ring[find_node (f, u, y, slot)];
    const uint32_t other = ring & RING_CLOSED ? f.closed_ranks[ring & ~RING_CLOSED] : f.open_ranks[ring];
    f.parents[i] = other | (is_hole (f, f.rank_keys[other]) == hole ? PARENT_OF : 0);
  }
}

/* For those that came with PARENT_OF: whose value that is. All of them at once; each takes over what others have found
 * so far. */
__global__ void
__launch_bounds__ (THREADS) parent_kernel (const __grid_constant__ BordersFrame f)
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

/* Ready for sorting the siblings together: by parent, those without one first; what is no contour last. */
__global__ void
__launch_bounds__ (THREADS) key_kernel (const __grid_constant__ BordersFrame f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.all_contours;
  for (uint32_t i = first_index (); i < f.contour_capacity; i += index_step ()) {
    uint32_t key = f.contour_capacity + 1;
    if (i < contours) {
      /* With two levels outer borders have no parent. */
      if (f.mode == CTR_RETRIEVE_CCOMP && !is_hole (f, f.rank_keys[i]))
        f.parents[i] = NO_PARENT;
      key = f.parents[i] == NO_PARENT ? 0 : f.parents[i] + 1;
      f.child[i] = NO_CONTOUR;
    }
    f.sort_keys[0][i] = key;
    f.sort_values[0][i] = i;
  }
}

/* After the sort: siblings and first children. Places are ranks, or rows. */
__global__ void
__launch_bounds__ (THREADS) sibling_kernel (const __grid_constant__ BordersFrame f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.contours;
  for (uint32_t i = first_index (); i < contours; i += index_step ()) {
    const uint32_t key = f.sort_keys[1][i], own = f.sort_values[1][i];
    const bool first = i == 0 || f.sort_keys[1][i - 1] != key, last = i + 1 == contours || f.sort_keys[1][i + 1] != key;
    f.previous[own] = first ? NO_CONTOUR : f.sort_values[1][i - 1];
    f.next[own] = last ? NO_CONTOUR : f.sort_values[1][i + 1];
    if (first && key > 0)
      f.child[key - 1] = own;
  }
}

/* What comes after a contour and all that is inside: its next sibling, or with PARENT_OF the same of its parent. */
__global__ void
__launch_bounds__ (THREADS) follower_kernel (const __grid_constant__ BordersFrame f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.all_contours;
  for (uint32_t i = first_index (); i < contours; i += index_step ())
    f.ordered[i] = f.next[i] != NO_CONTOUR     ? f.next[i]
                   : f.parents[i] == NO_PARENT ? NO_PARENT
                                               : f.parents[i] | PARENT_OF;
}

/* The ring through all contours. */
__global__ void
__launch_bounds__ (THREADS) ring_kernel (const __grid_constant__ BordersFrame f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.all_contours;
  if (first_index () == 0)
    f.counters->order_progress.count = contours;
  for (uint32_t i = first_index (); i < contours; i += index_step ()) {
    uint32_t next = load (&f.ordered[i]);
    while (next & PARENT_OF) {
      next = load (&f.ordered[next & ~PARENT_OF]);
      atomicExch (&f.ordered[i], next);
    }
    const uint32_t first = f.sort_values[1][0];
    if (f.child[i] != NO_CONTOUR)
      next = f.child[i];
    else if (next == NO_PARENT)
      next = first;
    const uint32_t key = i == first ? 0 : NO_KEY;
    f.order.segments[i] = {next, 1, key, 0};
    f.order.views[0][i] = {next, 1, key, 0};
  }
}

/* From the ring to the order of the hierarchy. */
__global__ void
__launch_bounds__ (THREADS) order_kernel (const __grid_constant__ BordersFrame f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const RingView *views = ring_views (f.order);
  const uint32_t contours = f.counters->header.all_contours;
  for (uint32_t i = first_index (); i < contours; i += index_step ()) {
    const uint32_t left = views[i].distance;
    f.ordered[left ? contours - left : 0] = i;
  }
}

__device__ inline bool
stays (const BordersFrame &f, uint32_t rank)
{
  if (f.mode == CTR_RETRIEVE_EXTERNAL && f.parents[rank] != NO_PARENT)
    return false;
  if (!f.limited)
    return true;
  const ContourAccumulator a = f.accumulators[rank];
  const uint64_t area2 = (uint64_t) (a.area2 < 0 ? -a.area2 : a.area2);
  return area2 >= f.min_area2 && area2 <= f.max_area2 && a.length >= f.min_length
         && a.max_x - a.min_x + 1 >= f.min_width && a.max_y - a.min_y + 1 >= f.min_height;
}

constexpr int SELECT_ROWS = OFFSET_SHARE / THREADS; /* a thread */

/* Rows for those that stay, in their order. */
__global__ void
__launch_bounds__ (THREADS) select_kernel (const __grid_constant__ BordersFrame f)
{
  __shared__ uint32_t ticket, sums[THREADS / 32];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  BordersHeader &h = f.counters->header;
  const uint32_t contours = h.all_contours;
  if (!contours_fit (f))
    return;
  if (threadIdx.x == 0)
    ticket = atomicAdd (&f.counters->scan_tickets[SCAN_SELECTED], 1);
  __syncthreads ();
  if (ticket * OFFSET_SHARE >= contours)
    return;
  const uint32_t from = (ticket * THREADS + threadIdx.x) * SELECT_ROWS;
  uint32_t ranks[SELECT_ROWS] = {}, stay = 0;
#pragma unroll
  for (int i = 0; i < SELECT_ROWS; i++) {
    if (from + i >= contours)
      continue;
    ranks[i] = borders_nests (f) ? f.ordered[from + i] : from + i;
    stay |= (uint32_t) stays (f, ranks[i]) << i;
  }
  uint32_t all;
  uint32_t row = device_scan<THREADS> (__popc (stay), f.scan_states[SCAN_SELECTED], ticket, sums, &all);
#pragma unroll
  for (int i = 0; i < SELECT_ROWS; i++) {
    if (from + i >= contours)
      continue;
    f.rows[ranks[i]] = stay >> i & 1 ? row : NO_CONTOUR;
    if (!(stay >> i & 1))
      continue;
    f.ranks[row] = ranks[i];
    f.row_lengths[row] = f.rank_lengths[ranks[i]];
    f.row_keys[row] = f.rank_keys[ranks[i]];
    row++;
  }
  if (threadIdx.x == 0 && (ticket + 1) * OFFSET_SHARE >= contours) {
    h.contours = all;
    h.points = 0; /* until they are counted */
  }
}

/* Where contours were dropped: what was inside belongs to the next one around that stays. */
__global__ void
__launch_bounds__ (THREADS) adopt_kernel (const __grid_constant__ BordersFrame f)
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

/* As key_kernel(), for rows. */
__global__ void
__launch_bounds__ (THREADS) row_key_kernel (const __grid_constant__ BordersFrame f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.contours;
  for (uint32_t i = first_index (); i < f.contour_capacity; i += index_step ()) {
    uint32_t key = f.contour_capacity + 1;
    if (i < contours) {
      const uint32_t parent = f.parents[f.ranks[i]];
      key = parent == NO_PARENT ? 0 : f.rows[parent] + 1;
      f.child[i] = NO_CONTOUR;
    }
    f.sort_keys[0][i] = key;
    f.sort_values[0][i] = i;
  }
}

cudaError_t
sort_siblings (const BordersFrame &f, void *temporary, size_t *size, cudaStream_t stream)
{
  int bits = 1;
  while (((uint64_t) f.contour_capacity + 1) >> bits)
    bits++;
  return cub::DeviceRadixSort::SortPairs (temporary, *size, f.sort_keys[0], f.sort_keys[1], f.sort_values[0],
      f.sort_values[1], f.contour_capacity, 0, bits, stream);
}

} // namespace

bool
borders_reserve_tree (const BordersFrame &f, CtrDeviceBuffer *temporary, CtrError *error)
{
  size_t size = 0;
  if (!borders_nests (f) || f.contour_capacity == 0)
    return true;
  CTR_CUDA (sort_siblings (f, NULL, &size, 0));
  return ctr_device_buffer_reserve (temporary, size, error);
}

bool
borders_launch_tree (
    const BordersFrame &f, CtrDeviceBuffer *temporary, bool overlap, cudaStream_t stream, CtrError *error)
{
  auto launch = [&] (void (*kernel) (const BordersFrame), uint64_t items) {
    const unsigned ctas = (unsigned) min (items / THREADS + 1, (uint64_t) CTAS);
    ctr_launch_overlapped (overlap, kernel, ctas, THREADS, 0, stream, f);
  };
  if (f.contour_capacity == 0) /* the frame will be done again */
    return true;
  size_t size = temporary->size;
  if (f.mode != CTR_RETRIEVE_LIST) {
    launch (neighbour_kernel, (uint64_t) f.contour_capacity * 32);
    launch (parent_kernel, f.contour_capacity);
  }
  if (borders_nests (f)) {
    launch (key_kernel, f.contour_capacity);
    CTR_CUDA (sort_siblings (f, temporary->data, &size, stream));
    launch (sibling_kernel, f.contour_capacity);
    launch (follower_kernel, f.contour_capacity);
    launch (ring_kernel, f.contour_capacity);
    ctr_launch_small_rings (f.order, overlap, stream);
    ctr_launch_rings (f.order, overlap, stream);
    launch (order_kernel, f.contour_capacity);
  }
  ctr_launch_overlapped (overlap, select_kernel, f.contour_capacity / OFFSET_SHARE + 1, THREADS, 0, stream, f);
  if (borders_nests (f) && f.limited) {
    launch (adopt_kernel, f.contour_capacity);
    launch (row_key_kernel, f.contour_capacity);
    CTR_CUDA (sort_siblings (f, temporary->data, &size, stream));
    launch (sibling_kernel, f.contour_capacity);
  }
  return true;
}
