/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hierarchy of borders: who is inside whom, which contours stay, and their order.
 *
 * To the west of an outer border's start, across the background, lies its parent, or an outer border with the same
 * parent. To the west of a hole's start, across the foreground, likewise. The neighbour's key is smaller, so chains of
 * "same parent" end. A stable sort by parents brings siblings together. Then a ring visits all contours, the child
 * before the sibling before the parent's sibling, and list ranking orders it as it orders the borders' segments. */
#include "cuda/borders/device_state.cuh"
#include "cuda/contours/hierarchy.cuh"
#include "cuda/contours/rows.cuh"

#include <cub/device/device_radix_sort.cuh>

namespace
{

/* See contour_kernels.cuh. */
struct BordersPolicy {
  typedef BordersKernelArgs Args;
  static constexpr int SELECT_SCAN = SCAN_SELECTED;
  static constexpr bool SIBLINGS_DESCEND = false;

  static __device__ bool
  keeps (const Args &f, uint32_t contour)
  {
    if (f.mode == CTR_RETRIEVE_EXTERNAL && f.hierarchy.parents[contour] != NO_PARENT)
      return false;
    if (!f.limited)
      return true;
    const ContourAccumulator a = f.by_row.accumulators[contour];
    return within_limits (f, a) && a.max_x - a.min_x + 1 >= f.min_width && a.max_y - a.min_y + 1 >= f.min_height;
  }

  static __device__ uint32_t
  contour_at (const Args &f, uint32_t i)
  {
    return borders_nests (f) ? f.traversal[i] : i;
  }

  static __device__ void
  assign_row (const Args &f, uint32_t row, uint32_t contour)
  {
    f.by_row.keys[row] = f.by_contour.keys[contour];
  }

  static __device__ uint32_t
  first_parent_key (const Args &)
  {
    return 1;
  }

  static __device__ uint32_t
  top_level_key (const Args &, uint32_t)
  {
    return 0;
  }

  /* With two levels, outer borders have no parent. */
  static __device__ void
  prepare_parent (const Args &f, uint32_t contour)
  {
    if (f.mode == CTR_RETRIEVE_CCOMP && !is_hole (f, f.by_contour.keys[contour]))
      f.hierarchy.parents[contour] = NO_PARENT;
  }
};

__device__ inline uint32_t
neighbours_at (const BordersKernelArgs &f, uint32_t x, uint32_t y)
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

/* A word of row Y: foreground; with INVERT = ~0 background. WORD may be negative: nothing. */
__device__ inline uint32_t
load_word (const BordersKernelArgs &f, int word, uint32_t y, uint32_t invert)
{
  return word >= 0 ? f.by_word.foreground[(size_t) y * f.by_word.per_row + word] ^ invert : 0;
}

constexpr int NEAR_WORDS = 2; /* words to the west that a thread searches alone */

/* The last pixel at or before X in row Y that is foreground, or with INVERT = ~0 background; -1: none. Each thread
 * whose WANTED is true searches for one contour. Where a thread does not find the pixel nearby, its warp helps. */
__device__ inline int
look_west (const BordersKernelArgs &f, bool wanted, int x, uint32_t y, uint32_t invert)
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

/* Finds each contour's neighbour to the west, which is its parent or has the same parent. */
template <bool FOUR_CONNECTED>
__global__ void
__launch_bounds__ (CONTOUR_THREADS) find_west_neighbour_kernel (const __grid_constant__ BordersKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.all_contours;
  for (uint32_t i = first_index (); __any_sync (~0u, i < contours); i += index_step ()) {
    const bool wanted = i < contours;
    const uint32_t key = wanted ? f.by_contour.keys[i] : 0, y = key / (f.by_word.per_row * 32),
                   x = key % (f.by_word.per_row * 32);
    const bool hole = wanted && is_hole (f, key);
    int u = look_west (f, wanted, (int) x - 1, y, hole ? ~0u : 0);
    if (!wanted)
      continue;
    if (!hole && u < 0) {
      f.hierarchy.parents[i] = NO_PARENT;
      continue;
    }
    u += hole; /* the first pixel of the run, not the one before it */
    const uint32_t slot = slot_facing<FOUR_CONNECTED> (neighbours_at (f, u, y), hole ? 4 : 0);
    const uint32_t segment = f.by_passage.segment[find_passage<FOUR_CONNECTED> (f, u, y, slot)];
    const uint32_t other = segment & SEGMENT_CLOSED ? f.by_segment.closed_contour[segment & ~SEGMENT_CLOSED]
                                                    : f.by_segment.open_contour[segment];
    f.hierarchy.parents[i] = other | (is_hole (f, f.by_contour.keys[other]) == hole ? SAME_PARENT_AS : 0);
  }
}

/* The contour after this one and all that is inside it: the next sibling; or, as SAME_PARENT_AS, that of the parent. */
__global__ void
__launch_bounds__ (CONTOUR_THREADS) find_successor_kernel (const __grid_constant__ BordersKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.all_contours;
  for (uint32_t i = first_index (); i < contours; i += index_step ())
    f.traversal[i] = f.hierarchy.next[i] != NO_CONTOUR     ? f.hierarchy.next[i]
                     : f.hierarchy.parents[i] == NO_PARENT ? NO_PARENT
                                                           : f.hierarchy.parents[i] | SAME_PARENT_AS;
}

/* The ring that visits all contours in pre-order. */
__global__ void
__launch_bounds__ (CONTOUR_THREADS) link_traversal_kernel (const __grid_constant__ BordersKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.all_contours;
  if (first_index () == 0)
    f.counters->traversal_progress.count = contours;
  for (uint32_t i = first_index (); i < contours; i += index_step ()) {
    uint32_t next = load_shared_word (&f.traversal[i]);
    while (next & SAME_PARENT_AS) {
      next = load_shared_word (&f.traversal[next & ~SAME_PARENT_AS]);
      atomicExch (&f.traversal[i], next);
    }
    const uint32_t first = f.hierarchy.sort_values[1][0];
    if (f.hierarchy.child[i] != NO_CONTOUR)
      next = f.hierarchy.child[i];
    else if (next == NO_PARENT)
      next = first;
    const uint32_t key = i == first ? 0 : NO_KEY;
    f.traversal_ranking.segments[i] = {next, 1, key, 0};
    f.traversal_ranking.views[0][i] = {next, 1, key, 0};
  }
}

/* The contours in pre-order, from the ranked ring. */
__global__ void
__launch_bounds__ (CONTOUR_THREADS) order_traversal_kernel (const __grid_constant__ BordersKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const ListView *views = list_ranking_views (f.traversal_ranking);
  const uint32_t contours = f.counters->header.all_contours;
  for (uint32_t i = first_index (); i < contours; i += index_step ()) {
    const uint32_t left = views[i].distance;
    f.traversal[left ? contours - left : 0] = i;
  }
}

cudaError_t
sort_siblings (const BordersKernelArgs &f, void *temporary, size_t *size, cudaStream_t stream)
{
  int bits = 1;
  while (((uint64_t) f.contour_capacity + 1) >> bits)
    bits++;
  return cub::DeviceRadixSort::SortPairs (temporary, *size, f.hierarchy.sort_keys[0], f.hierarchy.sort_keys[1],
      f.hierarchy.sort_values[0], f.hierarchy.sort_values[1], f.contour_capacity, 0, bits, stream);
}

} // namespace

bool
borders_reserve_hierarchy (const BordersKernelArgs &f, CtrDeviceBuffer *temporary, CtrError *error)
{
  size_t size = 0;
  if (!borders_nests (f) || f.contour_capacity == 0)
    return true;
  CTR_CUDA (sort_siblings (f, NULL, &size, 0));
  return ctr_device_buffer_reserve (temporary, size, error);
}

bool
borders_launch_hierarchy (
    const BordersKernelArgs &f, CtrDeviceBuffer *temporary, bool overlap, cudaStream_t stream, CtrError *error)
{
  const uint32_t contours = f.contour_capacity;
  size_t size = temporary->size;
  if (contours == 0) /* The frame will be done again. */
    return true;
  if (f.mode != CTR_RETRIEVE_LIST) {
    launch_over (f.four_connected ? find_west_neighbour_kernel<true> : find_west_neighbour_kernel<false>,
        (uint64_t) contours * 32, f, overlap, stream);
    launch_over (resolve_parents_kernel<BordersPolicy>, contours, f, overlap, stream);
  }
  if (borders_nests (f)) {
    launch_over (sibling_key_kernel<BordersPolicy, false>, contours, f, overlap, stream);
    CTR_CUDA (sort_siblings (f, temporary->data, &size, stream));
    launch_over (link_siblings_kernel<BordersPolicy>, contours, f, overlap, stream);
    launch_over (find_successor_kernel, contours, f, overlap, stream);
    launch_over (link_traversal_kernel, contours, f, overlap, stream);
    list_ranking_launch_small (f.traversal_ranking, overlap, stream);
    list_ranking_launch_rounds (f.traversal_ranking, overlap, stream);
    launch_over (order_traversal_kernel, contours, f, overlap, stream);
  }
  launch_select_rows<BordersPolicy> (f, overlap, stream);
  if (borders_nests (f) && f.limited) {
    launch_over (adopt_kernel<BordersPolicy>, contours, f, overlap, stream);
    launch_over (sibling_key_kernel<BordersPolicy, true>, contours, f, overlap, stream);
    CTR_CUDA (sort_siblings (f, temporary->data, &size, stream));
    launch_over (link_siblings_kernel<BordersPolicy>, contours, f, overlap, stream);
  }
  return true;
}
