/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hierarchy of borders: who is inside whom, which contours stay, and their order.
 *
 * To the west of an outer border's start, across the background, lies its parent, or an outer border with the same
 * parent. To the west of a hole's start, across the foreground, likewise. The neighbour's key is smaller, so chains of
 * "same parent" end. A stable sort by families brings siblings together, see siblings.cuh. A contour's place in pre-order is
 * the sum of places among the siblings, with all that is inside these, over the contours around it; likewise its first
 * point. Where there are very many around one, a ring visits all contours, the child before the sibling before the parent's
 * sibling, and list ranking orders it as it orders the borders' segments. One CTA does all of that, with the offsets of the
 * points, where contours are few. */
#include "cuda/borders/links.cuh"
#include "cuda/borders/siblings.cuh"
#include "cuda/common/block_sort.cuh"

namespace
{

/* Does the contour stay in the result? PARENTS: by contour. */
__device__ inline bool
keeps_contour (const BordersKernelArgs &f, uint32_t contour, const uint32_t *parents)
{
  if (f.mode == CTR_RETRIEVE_EXTERNAL && parents[contour] != NO_PARENT)
    return false;
  if (!f.limited)
    return true;
  const ContourAccumulator a = f.by_row.accumulators[contour];
  return within_limits (f, a) && a.max_x - a.min_x + 1 >= f.min_width && a.max_y - a.min_y + 1 >= f.min_height;
}

/* See contour_kernels.cuh. */
struct BordersPolicy {
  typedef BordersKernelArgs Args;
  static constexpr int SELECT_SCAN = SCAN_SELECTED;

  static __device__ bool
  keeps (const Args &f, uint32_t contour)
  {
    return keeps_contour (f, contour, f.hierarchy.parents);
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
};

/* A word of row Y: foreground; with INVERT = ~0 background. WORD may be negative: nothing. */
__device__ inline uint32_t
load_word (const BordersKernelArgs &f, int word, uint32_t y, uint32_t invert)
{
  return word >= 0 ? f.by_word.foreground[(size_t) y * f.by_word.per_row + word] ^ invert : 0;
}

constexpr int NEAR_WORDS = 2;   /* words to the west that a thread searches alone */
constexpr int FAR_SEARCHES = 4; /* of a warp, whose loads are under way together */

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
  while (left) {
    int who[FAR_SEARCHES], words[FAR_SEARCHES];
    uint32_t bits[FAR_SEARCHES];
#pragma unroll
    for (int k = 0; k < FAR_SEARCHES; k++, left &= left - 1) {
      who[k] = __ffs (left) - 1; /* -1: none is left. */
      const int from = max (who[k], 0);
      words[k] = __shfl_sync (~0u, word, from) - lane;
      const uint32_t row = __shfl_sync (~0u, y, from), other = __shfl_sync (~0u, invert, from);
      bits[k] = load_word (f, words[k], row, other);
    }
#pragma unroll
    for (int k = 0; k < FAR_SEARCHES && who[k] >= 0; k++) {
      const uint32_t any = __ballot_sync (~0u, bits[k] != 0);
      const int pixel = __shfl_sync (~0u, words[k] * 32 + 31 - __clz (bits[k]), any ? __ffs (any) - 1 : 0);
      if (lane == who[k]) {
        found = any ? pixel : -1;
        word -= 32;
      }
      if (!any && words[k] + lane >= 32) /* It goes on. */
        left |= 1u << who[k];
    }
  }
  return found;
}

/* Each thread whose WANTED is true finds the neighbour to the west of the contour with KEY: which is its parent or has the same
 * parent, SAME_PARENT_AS. IS_HOLE (contour): is a contour a hole? HOLE: likewise of the contour itself. */
template <bool FOUR_CONNECTED, typename IsHole>
__device__ inline uint32_t
find_west_neighbour (const BordersKernelArgs &f, bool wanted, uint32_t key, bool hole, const IsHole &is_hole)
{
  const uint32_t y = key / (f.by_word.per_row * 32), x = key % (f.by_word.per_row * 32);
  int u = look_west (f, wanted, (int) x - 1, y, hole ? ~0u : 0);
  if (!wanted || (!hole && u < 0))
    return NO_PARENT;
  u += hole; /* the first pixel of the run, not the one before it */
  const uint32_t segment = segment_facing<FOUR_CONNECTED> (f, u, y, hole ? 4 : 0);
  const uint32_t other = place_of_segment (f, segment).x;
  return other | (is_hole (other) == hole ? SAME_PARENT_AS : 0);
}

/* Finds for each contour its parent, or another one with the same parent, and gives families their numbers. */
template <bool FOUR_CONNECTED>
__global__ void
__launch_bounds__ (CONTOUR_THREADS) find_west_neighbour_kernel (const __grid_constant__ BordersKernelArgs f)
{
  __shared__ uint32_t numbered[2];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.all_contours;
  const bool nests = borders_nests (f);
  if (nests)
    for (uint32_t i = first_index (); i < 2 * sizeof (RadixCounters) / 4; i += index_step ())
      ((uint32_t *) f.sibling_counters)[i] = 0;
  if (threadIdx.x == 0)
    numbered[0] = 0;
  __syncthreads ();
  for (uint32_t base = blockIdx.x * CONTOUR_THREADS; base < contours; base += index_step ()) {
    const uint32_t i = base + threadIdx.x;
    const bool wanted = i < contours;
    const uint32_t key = wanted ? f.by_contour.keys[i] : 0, length = wanted && nests ? f.by_contour.lengths[i] : 0;
    const bool hole = wanted && is_hole (f, key);
    const uint32_t parent = find_west_neighbour<FOUR_CONNECTED> (
        f, wanted, key, hole, [&] (uint32_t contour) { return is_hole (f, f.by_contour.keys[contour]); });
    if (wanted)
      f.hierarchy.parents[i] = parent;
    if (!nests)
      continue;
    if (wanted)
      f.in_tree.inside[i] = 1ull << 32 | length;
    /* Each family has a child for which this finds the parent. With two levels, outer borders have none. */
    const bool has_parent = wanted && !(parent & SAME_PARENT_AS) && parent != NO_PARENT;
    number_families (f, has_parent && (f.mode == CTR_RETRIEVE_TREE || hole), parent, numbered);
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
    f.counters->ranked_contours = contours;
  const RadixSort sort = sort_of_families (f);
  const uint32_t first = radix_from (sort.values, sort.passes)[0];
  for (uint32_t i = first_index (); i < contours; i += index_step ()) {
    uint32_t next = load_shared_word (&f.traversal[i]);
    while (next & SAME_PARENT_AS) {
      next = load_shared_word (&f.traversal[next & ~SAME_PARENT_AS]);
      atomicExch (&f.traversal[i], next);
    }
    if (f.hierarchy.child[i] != NO_CONTOUR)
      next = f.hierarchy.child[i];
    else if (next == NO_PARENT)
      next = first;
    const uint32_t key = i == first ? 0 : NO_KEY;
    f.traversal_ranking.segments[i] = {next, 1, key, 0};
    f.traversal_ranking.views[i] = {next, 1, key, 0};
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
  const uint32_t contours = f.counters->header.all_contours;
  for (uint32_t i = first_index (); i < contours; i += index_step ()) {
    const uint32_t left = f.traversal_ranking.views[i].distance;
    f.traversal[left ? contours - left : 0] = i;
  }
}

constexpr int FEW_THREADS = FEW_CONTOURS;
static_assert (FEW_THREADS == BLOCK_SORT_THREADS, "a thread a contour");

/* The shared memory of the CTA that orders few contours. */
struct FewContours {
  uint32_t parents[FEW_CONTOURS], rows[FEW_CONTOURS]; /* by contour */
  uint32_t child[FEW_CONTOURS], successors[FEW_CONTOURS];
  uint32_t traversal[FEW_CONTOURS], contours[FEW_CONTOURS], lengths[FEW_CONTOURS]; /* the latter two by row */
  union {
    ListView views[FEW_CONTOURS];
    uint32_t sorted[FEW_CONTOURS]; /* siblings: SIBLING, above it their parents' numbers plus 1 */
  };
  uint8_t holes[FEW_CONTOURS];
  uint32_t sums[FEW_THREADS / 32];
};
constexpr uint32_t SIBLING = FEW_CONTOURS - 1;
static_assert ((FEW_CONTOURS & SIBLING) == 0, "a mask");

/* Links the siblings among COUNT contours, or rows, with PARENT; a thread each. Returns the one after the thread's own, and leaves who
 * is first in FEW.child. Has barriers, the last one behind that. */
__device__ inline uint32_t
link_few_siblings (const BordersKernelArgs &f, FewContours &few, uint32_t count, uint32_t parent)
{
  const uint32_t t = threadIdx.x;
  few.child[t] = NO_CONTOUR;
  const uint32_t own =
      block_sort (t < count ? (parent == NO_PARENT ? 0 : (parent + 1) * FEW_CONTOURS) | t : ~0u, count, few.sorted);
  few.sorted[t] = own;
  __syncthreads ();
  const uint32_t sibling = own & SIBLING;
  if (t < count) {
    const auto with_parent = [&] (uint32_t other) { return (other ^ own) <= SIBLING ? other & SIBLING : NO_CONTOUR; };
    const uint32_t before = t > 0 ? with_parent (few.sorted[t - 1]) : NO_CONTOUR;
    const uint32_t after = t + 1 < count ? with_parent (few.sorted[t + 1]) : NO_CONTOUR;
    f.hierarchy.previous[sibling] = before;
    f.hierarchy.next[sibling] = few.successors[sibling] = after;
    if (before == NO_CONTOUR && own > SIBLING)
      few.child[own / FEW_CONTOURS - 1] = sibling;
  }
  __syncthreads ();
  if (t < count)
    f.hierarchy.child[t] = few.child[t];
  return t < count ? few.successors[t] : NO_CONTOUR;
}

/* The thread's contour gets its place in pre-order; FEW.traversal has the contours by place. NEXT: its next sibling. Has barriers, the
 * last one behind that. */
__device__ inline void
order_few (FewContours &few, uint32_t count, uint32_t next)
{
  const uint32_t t = threadIdx.x, first = few.sorted[0] & SIBLING, child = few.child[t];
  if (t < count && next == NO_CONTOUR)
    few.successors[t] = few.parents[t] == NO_PARENT ? NO_PARENT : few.parents[t] | SAME_PARENT_AS;
  __syncthreads ();
  if (t < count) {
    next = load_shared_word (&few.successors[t]);
    while (next & SAME_PARENT_AS) {
      next = load_shared_word (&few.successors[next & ~SAME_PARENT_AS]);
      atomicExch (&few.successors[t], next);
    }
    if (child != NO_CONTOUR)
      next = child;
    else if (next == NO_PARENT)
      next = first;
    few.views[t] = {next, 1, t == first ? 0 : NO_KEY, 0};
  }
  __syncthreads ();
  list_ranking_by_cta<FEW_THREADS> (few.views, count);
  if (t < count) {
    const uint32_t left = few.views[t].distance;
    few.traversal[left ? count - left : 0] = t;
  }
  __syncthreads ();
}

/* Few contours: one CTA finds who is inside whom, which contours stay, their rows, and where the points of these begin. */
template <bool FOUR_CONNECTED>
__global__ void
__launch_bounds__ (FEW_THREADS, 1) few_contours_kernel (const __grid_constant__ BordersKernelArgs f)
{
  __shared__ FewContours few;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  BordersHeader &h = f.counters->header;
  const uint32_t t = threadIdx.x, count = h.all_contours;
  if (!contours_fit (f))
    return;
  __syncthreads (); /* The header is read. */
  if (count > FEW_CONTOURS) {
    if (t == 0)
      h.incomplete = LACKS_MANY_CONTOURS;
    return;
  }
  uint32_t parent = NO_PARENT;
  if (f.mode != CTR_RETRIEVE_LIST) {
    /* Neighbours go to different warps, as a warp looks far for one contour after the other. */
    const uint32_t i = t % 32 * (FEW_THREADS / 32) + t / 32;
    const bool wanted = i < count;
    const uint32_t key = wanted ? f.by_contour.keys[i] : 0;
    const bool hole = wanted && is_hole (f, key);
    few.holes[i] = hole;
    __syncthreads ();
    if (__any_sync (~0u, wanted))
      few.parents[i] = find_west_neighbour<FOUR_CONNECTED> (
          f, wanted, key, hole, [&] (uint32_t contour) { return (bool) few.holes[contour]; });
    __syncthreads ();
    if (t < count) {
      parent = load_shared_word (&few.parents[t]);
      while (parent & SAME_PARENT_AS) {
        parent = load_shared_word (&few.parents[parent & ~SAME_PARENT_AS]);
        atomicExch (&few.parents[t], parent);
      }
    }
    __syncthreads ();
    if (f.mode == CTR_RETRIEVE_CCOMP && t < count && !few.holes[t]) /* With two levels, outer borders have no parent. */
      few.parents[t] = parent = NO_PARENT;
    __syncthreads ();
  }
  const bool nests = borders_nests (f);
  if (nests) {
    const uint32_t next = link_few_siblings (f, few, count, parent);
    order_few (few, count, next);
  }
  const uint32_t contour = nests && t < count ? few.traversal[t] : t;
  const bool stays = t < count && keeps_contour (f, contour, few.parents);
  uint32_t rows;
  const uint32_t row = block_scan<FEW_THREADS> (stays, few.sums, &rows);
  if (t < count)
    f.by_contour.rows[contour] = few.rows[contour] = stays ? row : NO_CONTOUR;
  if (stays) {
    const uint32_t length = f.by_contour.lengths[contour];
    f.by_row.contours[row] = few.contours[row] = contour;
    f.by_row.lengths[row] = few.lengths[row] = length;
    f.by_row.keys[row] = f.by_contour.keys[contour];
  }
  __syncthreads ();
  if (nests && f.limited) { /* A contour inside a dropped one is inside the next one around it that stays. */
    if (t < count) {
      while (parent != NO_PARENT && few.rows[parent] == NO_CONTOUR) {
        parent = load_shared_word (&few.parents[parent]);
        atomicExch (&few.parents[t], parent);
      }
    }
    __syncthreads ();
    const uint32_t around = t < rows ? few.parents[few.contours[t]] : NO_PARENT;
    link_few_siblings (f, few, rows, around == NO_PARENT ? NO_PARENT : few.rows[around]);
  }
  if (nests && t < count)
    f.hierarchy.parents[t] = parent;
  uint32_t points;
  const uint32_t first = block_scan<FEW_THREADS> (t < rows ? few.lengths[t] : 0, few.sums, &points);
  if (t < rows) {
    f.by_row.firsts[t] = first;
    clear_measures (f, t, few.lengths[t]);
  }
  if (t == 0) {
    h.contours = rows;
    h.points = points;
  }
}

/* The passes of the sort by families, or with BY_ROW of that by rows. COUNTS: also counts what is inside each contour. */
template <bool BY_ROW>
void
launch_sibling_passes (const BordersKernelArgs &f, bool counts, bool overlap, cudaStream_t stream)
{
  constexpr unsigned COUNT_CTAS = 284;
  const unsigned ctas = radix_ctas (f.siblings);
  for (uint32_t pass = 0; pass < f.siblings.passes; pass++) {
    const unsigned more = counts && pass == 0 ? min (f.contour_capacity / RADIX_THREADS + 1, COUNT_CTAS) : 0;
    ctr_launch_overlapped (overlap, sibling_pass_kernel<BY_ROW>, ctas + more, RADIX_THREADS, 0, stream, f, pass, ctas);
  }
}

/* Once limits have dropped contours: links the rows that are left. */
void
link_rows (const BordersKernelArgs &frame, bool overlap, cudaStream_t stream)
{
  constexpr unsigned KEY_CTAS = 264;
  BordersKernelArgs f = frame;
  f.siblings.counters = f.sibling_counters + 1;
  launch_over (adopt_kernel<BordersPolicy>, f.contour_capacity, f, overlap, stream);
  ctr_launch_overlapped (
      overlap, row_key_kernel, min (f.contour_capacity / CONTOUR_THREADS + 1, KEY_CTAS), CONTOUR_THREADS, 0, stream, f);
  launch_sibling_passes<true> (f, false, overlap, stream);
  launch_over (link_siblings_kernel<true>, f.contour_capacity, f, overlap, stream);
}

} // namespace

void
borders_launch_hierarchy (const BordersKernelArgs &f, bool overlap, cudaStream_t stream)
{
  const uint32_t contours = f.contour_capacity;
  if (contours == 0) /* The frame will be done again. */
    return;
  if (!f.many_contours) {
    ctr_launch_overlapped (overlap, f.four_connected ? few_contours_kernel<true> : few_contours_kernel<false>, 1,
        FEW_THREADS, 0, stream, f);
    return;
  }
  if (f.mode != CTR_RETRIEVE_LIST) {
    launch_over (f.four_connected ? find_west_neighbour_kernel<true> : find_west_neighbour_kernel<false>,
        (uint64_t) contours * 32, f, overlap, stream);
    ctr_launch_overlapped (overlap, resolve_parents_kernel, min (contours / RESOLVE_SHARE + 1, RESOLVE_CTAS),
        RESOLVE_THREADS, 0, stream, f);
  }
  if (borders_nests (f)) {
    launch_sibling_passes<false> (f, !f.deep, overlap, stream);
    if (f.deep) {
      launch_over (link_siblings_kernel<false>, contours, f, overlap, stream);
      launch_over (find_successor_kernel, contours, f, overlap, stream);
      launch_over (link_traversal_kernel, contours, f, overlap, stream);
      list_ranking_launch (f.traversal_ranking, overlap, stream);
      launch_over (order_traversal_kernel, contours, f, overlap, stream);
    } else {
      ctr_launch_overlapped (overlap, add_up_siblings_kernel, contours / SCAN_SHARE + 1, CONTOUR_THREADS, 0, stream, f);
      launch_over (place_in_traversal_kernel, contours, f, overlap, stream);
    }
  }
  if (borders_places_rows (f))
    return;
  launch_select_rows<BordersPolicy> (f, overlap, stream);
  if (borders_nests (f) && f.limited)
    link_rows (f, overlap, stream);
}
