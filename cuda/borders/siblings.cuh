/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Siblings, where contours are many: those with the same parent are a family. A stable sort by families brings siblings together, and
 * gives each contour its place in pre-order.
 *
 * The families have numbers in the order in which threads find them, as no result depends on it. Mostly there are far fewer of them than
 * contours, so the sort needs fewer digits. That of contours without a parent is 0 and comes first. */
#ifndef CTR_CUDA_BORDERS_SIBLINGS_CUH
#define CTR_CUDA_BORDERS_SIBLINGS_CUH

#include "cuda/borders/device_state.cuh"
#include "cuda/contours/hierarchy.cuh"
#include "cuda/contours/rows.cuh"

namespace
{

/* Gives the children of PARENT, if the thread has one, the number of their family, unless they have it. By all threads of a CTA, which
 * adds to the counter once. NUMBERED, in shared memory: how many, 0 at first and in the end; the first number. Has barriers. */
__device__ inline void
number_families (const BordersKernelArgs &f, bool has_parent, uint32_t parent, uint32_t *numbered)
{
  uint32_t *const family = f.family_of_children + (has_parent ? parent : 0);
  uint32_t place = 0;
  const bool numbers = has_parent && load_shared_word (family) == 0 && atomicCAS (family, 0, ~0u) == 0;
  if (numbers)
    place = atomicAdd (&numbered[0], 1);
  __syncthreads ();
  if (threadIdx.x == 0 && numbered[0]) {
    numbered[1] = 1 + atomicAdd (&f.counters->family_count, numbered[0]);
    numbered[0] = 0;
  }
  __syncthreads ();
  if (numbers)
    store_shared_word (family, numbered[1] + place);
}

/* The sort with the digits that so many families need. */
__device__ inline RadixSort
sort_of_families (const BordersKernelArgs &f)
{
  RadixSort sort = f.siblings;
  radix_set_digits (&sort, (uint64_t) f.counters->family_count + 1);
  return sort;
}

constexpr int RESOLVE_THREADS = 1024;
#ifndef CTR_BORDERS_RESOLVE_CTAS /* Emulated tests have fewer, so that these have several shares. */
#define CTR_BORDERS_RESOLVE_CTAS 264
#endif
constexpr uint32_t RESOLVE_EACH = 2, RESOLVE_SHARE = RESOLVE_EACH * RESOLVE_THREADS,
                   RESOLVE_CTAS = CTR_BORDERS_RESOLVE_CTAS;

/* The contours of a CTA, which are numbered one after the other. */
struct SharedParents {
  uint32_t links[RESOLVE_SHARE]; /* parents, or SAME_PARENT_AS */
  uint32_t leaving;              /* links that lead to contours of other CTAs */
  uint16_t leaves[RESOLVE_SHARE];
};

/* Finds the parents of those of contours from number BASE on that the thread has: every RESOLVE_THREADSth. Chains are followed in shared
 * memory, and only where they leave it in PARENTS, where others take over what has been found so far. Has barriers. */
__device__ inline void
resolve_share (
    uint32_t *parents, uint32_t base, uint32_t contours, SharedParents &shared, uint32_t (&links)[RESOLVE_EACH])
{
  const auto stays = [&] (uint32_t link) {
    return link & SAME_PARENT_AS && (link & ~SAME_PARENT_AS) - base < RESOLVE_SHARE;
  };
#pragma unroll
  for (uint32_t k = 0; k < RESOLVE_EACH; k++) {
    const uint32_t own = threadIdx.x + k * RESOLVE_THREADS;
    shared.links[own] = base + own < contours ? parents[base + own] : NO_PARENT;
  }
  if (threadIdx.x == 0)
    shared.leaving = 0;
  __syncthreads ();
#pragma unroll
  for (uint32_t k = 0; k < RESOLVE_EACH; k++) {
    const uint32_t own = threadIdx.x + k * RESOLVE_THREADS;
    links[k] = load_shared_word (&shared.links[own]);
    if (links[k] & SAME_PARENT_AS && !stays (links[k]))
      shared.leaves[atomicAdd (&shared.leaving, 1)] = own;
  }
  for (bool any = true; any;) {
    any = false;
#pragma unroll
    for (uint32_t k = 0; k < RESOLVE_EACH; k++) {
      if (!stays (links[k]))
        continue;
      const uint32_t next = load_shared_word (&shared.links[(links[k] & ~SAME_PARENT_AS) - base]);
      if (!stays (next))
        continue;
      store_shared_word (&shared.links[threadIdx.x + k * RESOLVE_THREADS], links[k] = next);
      any = true;
    }
  }
#pragma unroll
  for (uint32_t k = 0; k < RESOLVE_EACH; k++) /* Others' chains need no more than what leaves the share. */
    if (stays (links[k]))
      store_shared_word (&parents[base + threadIdx.x + k * RESOLVE_THREADS],
          load_shared_word (&shared.links[(links[k] & ~SAME_PARENT_AS) - base]));
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < shared.leaving; i += RESOLVE_THREADS) {
    const uint32_t own = shared.leaves[i];
    shared.links[own] = resolve_parent (parents, base + own, shared.links[own]);
  }
  __syncthreads ();
#pragma unroll
  for (uint32_t k = 0; k < RESOLVE_EACH; k++) {
    const uint32_t own = threadIdx.x + k * RESOLVE_THREADS;
    if (stays (links[k]))
      store_shared_word (&parents[base + own], links[k] = shared.links[(links[k] & ~SAME_PARENT_AS) - base]);
    else if (links[k] & SAME_PARENT_AS)
      links[k] = shared.links[own];
  }
  __syncthreads ();
}

/* Finds all parents, and begins the sort. */
__global__ void
__launch_bounds__ (RESOLVE_THREADS) resolve_parents_kernel (const __grid_constant__ BordersKernelArgs f)
{
  __shared__ RadixHistograms histograms;
  __shared__ SharedParents shared;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.all_contours;
  if (blockIdx.x * RESOLVE_SHARE >= contours)
    return;
  const bool nests = borders_nests (f);
  const RadixSort sort = nests ? sort_of_families (f) : RadixSort ();
  if (nests) {
    radix_begin_count (histograms);
    radix_clear_states (sort, contours, min (gridDim.x, ctr_div_up (contours, RESOLVE_SHARE)));
  }
  for (uint32_t base = blockIdx.x * RESOLVE_SHARE; base < contours; base += gridDim.x * RESOLVE_SHARE) {
    uint32_t parents[RESOLVE_EACH];
    resolve_share (f.hierarchy.parents, base, contours, shared, parents);
    if (!nests)
      continue;
#pragma unroll
    for (uint32_t k = 0; k < RESOLVE_EACH; k++) {
      const uint32_t i = base + threadIdx.x + k * RESOLVE_THREADS;
      const bool has_key = i < contours;
      uint32_t key = 0;
      if (has_key) {
        if (f.mode == CTR_RETRIEVE_CCOMP && !is_hole (f, f.by_contour.keys[i]))
          store_shared_word (&f.hierarchy.parents[i], NO_PARENT); /* Chains of outer borders end here, too. */
        else if (parents[k] != NO_PARENT)
          key = f.family_of_children[parents[k]];
        sort.keys[0][i] = key;
        sort.values[0][i] = i;
        if (f.deep)
          f.hierarchy.child[i] = NO_CONTOUR; /* until siblings are linked */
      }
      radix_count_by_warp (sort, histograms, key, has_key);
    }
  }
  if (nests)
    radix_end_count (sort, histograms);
}

/* Begins the sort of the rows that limits have left, by the rows of their parents. */
__global__ void
__launch_bounds__ (CONTOUR_THREADS) row_key_kernel (const __grid_constant__ BordersKernelArgs f)
{
  __shared__ RadixHistograms histograms;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t rows = f.counters->header.contours;
  if (blockIdx.x * CONTOUR_THREADS >= rows)
    return;
  radix_begin_count (histograms);
  radix_clear_states (f.siblings, rows, min (gridDim.x, ctr_div_up (rows, CONTOUR_THREADS)));
  for (uint32_t i = first_index (); i < rows; i += index_step ()) {
    const uint32_t parent = f.hierarchy.parents[f.by_row.contours[i]],
                   key = parent == NO_PARENT ? 0 : 1 + f.by_contour.rows[parent];
    f.hierarchy.child[i] = NO_CONTOUR;
    f.siblings.keys[0][i] = key;
    f.siblings.values[0][i] = i;
    radix_count (f.siblings, histograms, key);
  }
  radix_end_count (f.siblings, histograms);
}

/* Adds what each contour is, one contour with its points, to what is inside of each contour around it. A warp adds up what it has for the
 * same one, and the CTA what it has for the parent of its first contour, which may be that of most. By all threads of CTAS. */
__device__ inline void
count_inside (const BordersKernelArgs &f, const Ctas &ctas)
{
  __shared__ unsigned long long in_common;
  const uint32_t contours = f.counters->header.all_contours, lane = threadIdx.x % 32, first = ctas.own * blockDim.x,
                 common = first < contours ? f.hierarchy.parents[first] : NO_PARENT;
  if (threadIdx.x == 0)
    in_common = 0;
  __syncthreads ();
  for (uint32_t i = ctas.first_index (); __any_sync (~0u, i < contours); i += ctas.index_step ()) {
    uint32_t around = i < contours ? f.hierarchy.parents[i] : NO_PARENT;
    const uint32_t length = i < contours ? f.by_contour.lengths[i] : 0;
    for (uint32_t depth = 0; __any_sync (~0u, around != NO_PARENT); depth++) {
      if (depth == MOST_AROUND) {
        if (lane == 0)
          atomicOr (&f.counters->header.too_deep, 1);
        return;
      }
      const uint32_t same = __match_any_sync (~0u, around);
      const bool adds = around != NO_PARENT && lane == (uint32_t) __ffs (same) - 1;
      uint32_t points = length;
      for (uint32_t left = __ballot_sync (~0u, adds && (same & (same - 1))); left; left &= left - 1) {
        const uint32_t who = __ffs (left) - 1, all = total_of_lanes (same >> who & 1 ? length : 0);
        if (lane == who)
          points = all;
      }
      const unsigned long long sum = (unsigned long long) __popc (same) << 32 | points;
      if (adds && around == common)
        atomicAdd (&in_common, sum);
      else if (adds)
        atomicAdd (&f.in_tree.inside[around], sum);
      if (around != NO_PARENT)
        around = f.hierarchy.parents[around];
    }
  }
  __syncthreads ();
  if (threadIdx.x == 0 && in_common)
    atomicAdd (&f.in_tree.inside[common], in_common);
}

/* A pass of the sort by families, or with BY_ROW of that by rows, by the first CTAS CTAs. Meanwhile other CTAs, if there are any, which a
 * sort by rows does not have, count what is inside each contour: neither needs the other. */
template <bool BY_ROW>
__global__ void
__launch_bounds__ (RADIX_THREADS, ctr_shared_by (RADIX_THREADS, 3))
    sibling_pass_kernel (const __grid_constant__ BordersKernelArgs f, uint32_t pass, uint32_t ctas)
{
  __shared__ RadixShared shared;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  /* All CTAs of a pass take part in it, also if others find meanwhile that contours are too deep. */
  if (gridDim.x > ctas ? !contours_counted (f) : !contours_fit (f))
    return;
  if constexpr (!BY_ROW) {
    if (blockIdx.x >= ctas) {
      count_inside (f, Ctas{blockIdx.x - ctas, gridDim.x - ctas});
      return;
    }
  }
  const RadixSort sort = BY_ROW ? f.siblings : sort_of_families (f);
  if (pass < sort.passes)
    radix_pass (sort, shared, pass, Ctas{blockIdx.x, ctas});
}

/* Links siblings behind the sort: contours, or with BY_ROW rows. */
template <bool BY_ROW>
__global__ void
__launch_bounds__ (CONTOUR_THREADS) link_siblings_kernel (const __grid_constant__ BordersKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const RadixSort sort = BY_ROW ? f.siblings : sort_of_families (f);
  const uint32_t *const keys = radix_from (sort.keys, sort.passes);
  const uint32_t *const values = radix_from (sort.values, sort.passes);
  const uint32_t contours = f.counters->header.contours;
  for (uint32_t i = first_index (); i < contours; i += index_step ()) {
    const uint32_t key = keys[i], own = values[i];
    const bool first = i == 0 || keys[i - 1] != key, last = i + 1 == contours || keys[i + 1] != key;
    f.hierarchy.previous[own] = first ? NO_CONTOUR : values[i - 1];
    f.hierarchy.next[own] = last ? NO_CONTOUR : values[i + 1];
    if (first && key > 0)
      f.hierarchy.child[BY_ROW ? key - 1 : f.hierarchy.parents[own]] = own;
  }
}

/* Finds how many contours and points come before each contour if siblings, one family after the other, are each followed by all that is
 * inside. */
__global__ void
__launch_bounds__ (CONTOUR_THREADS) add_up_siblings_kernel (const __grid_constant__ BordersKernelArgs f)
{
  __shared__ uint32_t ticket;
  __shared__ uint2 sums[CONTOUR_THREADS / 32];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t contours = f.counters->header.all_contours;
  if (!contours_fit (f))
    return;
  if (threadIdx.x == 0)
    ticket = atomicAdd (&f.counters->scan_tickets[SCAN_SIBLINGS], 1);
  const RadixSort sort = sort_of_families (f);
  const uint32_t *const keys = radix_from (sort.keys, sort.passes);
  const uint32_t *const values = radix_from (sort.values, sort.passes);
  __syncthreads ();
  if (ticket * SCAN_SHARE >= contours)
    return;
  const uint32_t from = (ticket * CONTOUR_THREADS + threadIdx.x) * SCAN_EACH;
  uint32_t siblings[SCAN_EACH], sizes[SCAN_EACH], points[SCAN_EACH], families[SCAN_EACH + 2];
  /* The contours inside the one before, of the same family or not. */
  uint32_t former = from > 0 && from <= contours ? (uint32_t) (f.in_tree.inside[values[from - 1]] >> 32) : 0;
  uint2 own = {0, 0}, all;
#pragma unroll
  for (int i = 0; i < SCAN_EACH + 2; i++) {
    const uint32_t at = from + i - 1;
    families[i] = at < contours ? keys[at] : ~0u; /* AT wraps around where nothing is before the first one. */
  }
#pragma unroll
  for (int i = 0; i < SCAN_EACH; i++) {
    const bool there = from + i < contours;
    siblings[i] = there ? values[from + i] : 0;
    const unsigned long long inside = there ? f.in_tree.inside[siblings[i]] : 0;
    sizes[i] = (uint32_t) (inside >> 32);
    points[i] = (uint32_t) inside;
    own.x += sizes[i];
    own.y += points[i];
  }
  uint2 sum = device_scan_two<CONTOUR_THREADS> (
      own.x, own.y, f.scan_states[SCAN_SIBLINGS], f.scan_states[SCAN_SIBLING_POINTS], ticket, sums, &all);
#pragma unroll
  for (int i = 0; i < SCAN_EACH; i++) {
    if (from + i < contours) {
      const bool first = families[i] != families[i + 1], last = families[i + 2] != families[i + 1];
      if (first && families[i + 1] > 0)
        f.in_tree.before_family[f.hierarchy.parents[siblings[i]]] = sum;
      f.in_tree.before[siblings[i]] = make_uint4 (sum.x, sum.y, first ? 0 : former, last);
    }
    former = sizes[i];
    sum.x += sizes[i];
    sum.y += points[i];
    if (!f.limited && families[i + 1] == 0
        && families[i + 2] != 0) /* All contours are inside of those without a parent. */
      f.counters->header.points = sum.y;
  }
}

/* The contours in pre-order, from these sums. Those of the outermost ones begin with 0. Without limits these are the rows; otherwise only
 * the order is kept. */
__global__ void
__launch_bounds__ (CONTOUR_THREADS) place_in_traversal_kernel (const __grid_constant__ BordersKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.all_contours;
  for (uint32_t i = first_index (); i < contours; i += index_step ()) {
    const uint4 own = f.in_tree.before[i];
    const uint32_t size = (uint32_t) (f.in_tree.inside[i] >> 32), length = f.by_contour.lengths[i];
    uint32_t place = own.x, first = own.y, from_parent = 0; /* places; 0: there is no parent */
    for (uint32_t around = f.hierarchy.parents[i]; around != NO_PARENT; around = f.hierarchy.parents[around]) {
      const uint2 before_family = f.in_tree.before_family[around];
      if (!from_parent)
        from_parent = 1 + own.x - before_family.x;
      const uint4 before = f.in_tree.before[around];
      place += 1 + before.x - before_family.x;
      first += f.by_contour.lengths[around] + before.y - before_family.y;
    }
    if (f.limited) {
      f.traversal[place] = i;
      continue;
    }
    f.by_contour.spans[i] = {first, length};
    f.by_row.firsts[place] = first;
    f.by_row.lengths[place] = length;
    f.by_row.keys[place] = f.by_contour.keys[i];
    f.in_tree.links[place] = {own.w ? NO_CONTOUR : place + size, own.z ? place - own.z : NO_CONTOUR,
        size > 1 ? place + 1 : NO_CONTOUR, from_parent ? place - from_parent : NO_CONTOUR};
    if (length > LONG_POINTS || has_few_points (f))
      clear_measures (f, place, length);
  }
}

} // namespace

#endif
