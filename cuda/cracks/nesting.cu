/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hierarchy of level contours over all levels, and their branches; core/cracks/nesting.h has the definitions. The
 * kernels of the hierarchy of each level run before. */
#include "cuda/contours/rows.cuh"
#include "cuda/cracks/siblings.cuh"
#include "cuda/cracks/walk.cuh"

static_assert (CTR_NESTING_NONE == NO_PARENT, "parents and links are mixed");

namespace
{

/* Of a link, before it is resolved: the link is to the parent of this contour in its level. */
constexpr uint32_t PARENT_OF = SAME_PARENT_AS;

__device__ inline uint32_t
level_of (const CracksKernelArgs &f, uint32_t contour)
{
  return f.level_by_index[f.by_corner.level_index[f.by_contour.starts[contour]] - 1];
}

__device__ inline CtrContourNesting
nesting_of (const CracksKernelArgs &f, uint32_t contour)
{
  const uint32_t extreme = f.nesting.extremes[contour];
  return ctr_nesting_of (
      (uint32_t) (f.nesting.depths[contour] >> 32), level_of (f, extreme), level_of (f, f.nesting.ends[extreme]));
}

/* See contour_kernels.cuh, and CracksPolicy. Contours without a parent are siblings, whatever their levels. */
struct NestedPolicy : NumberedPolicy {
  static __device__ bool
  keeps (const Args &f, uint32_t contour)
  {
    return within_limits (f, f.by_row.accumulators[contour])
           && ctr_nesting_keeps (nesting_of (f, contour), f.min_persistence, f.max_depth);
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
};

/* Finds the line to the west of each contour's first pixel in the level that its link leads to. */
__global__ void
__launch_bounds__ (CONTOUR_THREADS) find_links_kernel (const __grid_constant__ CracksKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.all_contours;
  for (uint32_t i = first_index (); i < contours; i += index_step ()) {
    const uint32_t start = f.by_contour.starts[i], place = f.by_corner.place[start], y = place >> 16;
    const bool hole = is_hole (f, start);
    const uint32_t level_index = f.by_corner.level_index[start] + (hole ? 1 : -1);
    const bool is_level = level_index >= 1 && level_index <= f.level_count;
    const int x = is_level ? walk_west<false> (f, level_index, (int) (place & 0xffff), y, !hole) : -1;
    uint32_t link = CTR_NESTING_NONE;
    if (is_level && (!hole || x >= 0)) {
      const uint32_t other = start_of_line_at<false> (f, level_index, x + 1, y);
      link = f.contour_by_start[other] | (is_hole (f, other) == hole ? 0 : PARENT_OF);
    }
    f.nesting.links[i] = link;
  }
}

/* After the parents in the levels: the links. */
__global__ void
__launch_bounds__ (CONTOUR_THREADS) resolve_links_kernel (const __grid_constant__ CracksKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.all_contours;
  for (uint32_t i = first_index (); i < contours; i += index_step ()) {
    const uint32_t link = f.nesting.links[i];
    if (link & PARENT_OF)
      f.nesting.links[i] = f.hierarchy.parents[link & ~PARENT_OF];
    f.nesting.extremes[i] = i;
  }
}

/* Changes the parent of contour I, in its level, to the one in the tree. Only those of outer contours change, and only
 * those of holes are read by others. */
__device__ inline void
nest_contour (const CracksKernelArgs &f, uint32_t i)
{
  uint32_t parent = f.hierarchy.parents[i];
  if (!is_hole (f, f.by_contour.starts[i])) {
    const uint32_t around_link =
        parent == CTR_NESTING_NONE ? CTR_NESTING_NONE : f.nesting.links[f.hierarchy.parents[parent]];
    parent = ctr_nesting_parent (f.nesting.links[i], parent, around_link);
    f.hierarchy.parents[i] = parent;
  }
  f.nesting.depths[i] = parent | (unsigned long long) (parent != CTR_NESTING_NONE) << 32;
}

constexpr uint32_t JUMP_FACTOR = 4; /* A round makes jumps that many times as far. */

/* Contour AT, which is linked to by contour I, maybe by others, learns of an extreme beyond its own. */
__device__ inline void
push_extreme (const CracksKernelArgs &f, uint32_t i, uint32_t at, uint32_t extreme)
{
  uint32_t *to = &f.nesting.extremes[at];
  const uint32_t known = load_shared_word (to);
  if (at < i && known < extreme)
    atomicMax (to, extreme);
  else if (at > i && known > extreme)
    atomicMin (to, extreme);
}

/* A round of pointer jumping: after ROUND, each contour knows the extreme of all contours that lead to it in less than
 * JUMP_FACTOR^(ROUND + 1) links. The first round also makes the tree. */
__global__ void
__launch_bounds__ (CONTOUR_THREADS) extreme_kernel (const __grid_constant__ CracksKernelArgs f, uint32_t round)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.all_contours;
  const uint32_t *from = round ? f.nesting.jumps[round % 2] : f.nesting.links;
  uint32_t *to = f.nesting.jumps[(round + 1) % 2];
  for (uint32_t i = first_index (); i < contours; i += index_step ()) {
    uint32_t at = from[i];
    const uint32_t extreme = load_shared_word (&f.nesting.extremes[i]);
    for (uint32_t k = 1; k < JUMP_FACTOR && at != CTR_NESTING_NONE; k++) {
      push_extreme (f, i, at, extreme);
      at = from[at];
    }
    to[i] = at;
    if (round == 0)
      nest_contour (f, i);
  }
}

__device__ inline unsigned long long
load_shared_pair (const unsigned long long *p)
{
  return *(const volatile unsigned long long *) p;
}

/* The depths, and the ends of the branches. All threads follow the parents at once; each takes over what others have
 * found so far. */
__global__ void
__launch_bounds__ (CONTOUR_THREADS) depth_kernel (const __grid_constant__ CracksKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.all_contours;
  for (uint32_t i = first_index (); i < contours; i += index_step ()) {
    const uint32_t link = f.nesting.links[i], extreme = f.nesting.extremes[i];
    if (link == CTR_NESTING_NONE || f.nesting.extremes[link] != extreme)
      f.nesting.ends[extreme] = i;
    unsigned long long depth = load_shared_pair (&f.nesting.depths[i]);
    while ((uint32_t) depth != CTR_NESTING_NONE) {
      depth = (depth >> 32 << 32) + load_shared_pair (&f.nesting.depths[(uint32_t) depth]);
      atomicExch (&f.nesting.depths[i], depth);
    }
  }
}

__global__ void
__launch_bounds__ (CONTOUR_THREADS) nesting_kernel (const __grid_constant__ CracksKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  CtrContourNesting *const nesting = f.output->nesting;
  const uint32_t rows = f.counters->header.contours;
  for (uint32_t i = first_index (); i < rows; i += index_step ())
    nesting[i] = nesting_of (f, f.by_contour.rows ? f.by_row.contours[i] : i);
}

} // namespace

void
cracks_launch_nesting (const CracksKernelArgs &f, bool overlap, cudaStream_t stream)
{
  const uint32_t contours = f.contour_capacity;
  launch_over (find_links_kernel, contours, f, overlap, stream);
  cracks_launch_parents (f, overlap, stream);
  launch_over (resolve_links_kernel, contours, f, overlap, stream);
  uint32_t round = 0;
  for (uint64_t reach = 1; round == 0 || reach < f.level_count; reach *= JUMP_FACTOR)
    launch_over (extreme_kernel, contours, f, overlap, stream, round++);
  launch_over (depth_kernel, contours, f, overlap, stream);
  if (f.limited) {
    launch_select_rows<NestedPolicy> (f, overlap, stream);
    launch_over (adopt_kernel<NestedPolicy>, contours, f, overlap, stream);
  }
  launch_sibling_sort<NestedPolicy> (f, overlap, stream);
  launch_over (nesting_kernel, contours, f, overlap, stream);
}

void
cracks_launch_nested_links (const CracksKernelArgs &f, bool overlap, cudaStream_t stream)
{
  launch_over (link_kernel<NestedPolicy>, f.contour_capacity, f, overlap, stream);
}
