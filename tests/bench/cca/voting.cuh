/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the baselines of the paper have in common: the seven features of a component, and the ways to vote for them. */
#ifndef BENCH_VOTING_CUH
#define BENCH_VOTING_CUH

#include <cuda_runtime.h>
#include <stdint.h>

constexpr uint32_t FULL = 0xffffffffu;
constexpr int BLOCK = 256;
constexpr int WARP = 32;

struct Features {
  uint32_t area, min_x, min_y, max_x, max_y, unused;
  unsigned long long sum_x, sum_y;
};

/* The features at each label, and how often each was updated. */
struct Votes {
  Features *features;
  uint32_t *updates; /* NULL: not counted */
};

__device__ __forceinline__ uint32_t
lane_id ()
{
  return threadIdx.x % WARP;
}

__device__ __forceinline__ uint32_t
lanes_below ()
{
  return (1u << lane_id ()) - 1;
}

__device__ __forceinline__ uint32_t
warp_row ()
{
  return blockIdx.x * (BLOCK / WARP) + threadIdx.x / WARP;
}

/* Points LABEL at its root. The store on the way halves the paths of all that come after. */
__device__ __forceinline__ uint32_t
compress_path (uint32_t *labels, uint32_t label)
{
  uint32_t parent = labels[label];
  for (uint32_t above = labels[parent]; above != parent; above = labels[parent]) {
    labels[label] = above;
    parent = above;
  }
  return parent;
}

__device__ __forceinline__ uint32_t
find_root (const uint32_t *labels, uint32_t label)
{
  uint32_t parent = __ldcg (labels + label);
  while (parent != label) {
    label = parent;
    parent = __ldcg (labels + label);
  }
  return label;
}

/* Playne and Hawick's reduction, without features. */
__device__ __forceinline__ void
unite_labels (uint32_t *labels, uint32_t a, uint32_t b)
{
  a = find_root (labels, a);
  b = find_root (labels, b);
  while (a != b) {
    uint32_t high = max (a, b), low = min (a, b);
    uint32_t old = atomicMin (labels + high, low);
    /* Was HIGH a root until now? Otherwise its former parent is still to be united with LOW. */
    a = old == high ? low : old;
    b = low;
  }
}

__device__ __forceinline__ void
clear_features (Features *feature)
{
  feature->area = 0;
  feature->min_x = feature->min_y = FULL;
  feature->max_x = feature->max_y = 0;
  feature->sum_x = feature->sum_y = 0;
}

__device__ __forceinline__ void
add_features (const Votes &votes, uint32_t label, const Features &s)
{
  Features *to = votes.features + label;
  atomicAdd (&to->area, s.area);
  atomicMin (&to->min_x, s.min_x);
  atomicMin (&to->min_y, s.min_y);
  atomicMax (&to->max_x, s.max_x);
  atomicMax (&to->max_y, s.max_y);
  atomicAdd (&to->sum_x, s.sum_x);
  atomicAdd (&to->sum_y, s.sum_y);
  if (votes.updates)
    atomicAdd (votes.updates + label, 1u);
}

/* Those of the pixels [START, END) of ROW. */
__device__ __forceinline__ Features
features_of_run (uint32_t start, uint32_t end, uint32_t row)
{
  const uint32_t area = end - start;
  return {area, start, row, end - 1, row, 0, (unsigned long long) (start + end - 1) * area / 2,
      (unsigned long long) row * area};
}

/* Moves what label FROM has to label TO. Another thread may take a part of it; each part arrives once. */
__device__ __forceinline__ void
move_features (const Votes &votes, uint32_t from, uint32_t to)
{
  Features *source = votes.features + from;
  const Features s = {atomicExch (&source->area, 0u), atomicExch (&source->min_x, FULL),
      atomicExch (&source->min_y, FULL), atomicExch (&source->max_x, 0u), atomicExch (&source->max_y, 0u), 0,
      atomicExch (&source->sum_x, 0ull), atomicExch (&source->sum_y, 0ull)};
  add_features (votes, to, s);
}

/* Section 3.2, algorithm 2: on-the-fly merge. */
__device__ __forceinline__ void
unite_on_the_fly (uint32_t *labels, const Votes &votes, uint32_t a, uint32_t b)
{
  a = find_root (labels, a);
  b = find_root (labels, b);
  __threadfence ();
  while (a != b) {
    if (b < a) {
      const uint32_t other = a;
      a = b;
      b = other;
    }
    const uint32_t old = atomicMin (labels + b, a);
    __threadfence ();
    move_features (votes, b, a);
    __threadfence ();
    if (old == b)
      break;
    b = old;
  }
  /* The features must have reached a label that is still a root. */
  uint32_t root = find_root (labels, a);
  __threadfence ();
  while (root != a) {
    move_features (votes, a, root);
    __threadfence ();
    a = root;
    root = find_root (labels, a);
    __threadfence ();
  }
}

/* Section 3.3, algorithm 3: lanes of MASK with the same label sum up into the lowest of them, which alone goes to memory.
 * The lanes hold runs of ROW, from left to right, so that two values are enough, from which the seven features follow. */
__device__ __forceinline__ void
add_with_conflict_detection (
    const Votes &votes, uint32_t mask, uint32_t label, uint32_t start, uint32_t end, uint32_t row)
{
  uint32_t area = end - start;
  uint32_t sum_x = (uint32_t) ((uint64_t) (start + end - 1) * area / 2); /* of one row: below 2^31 */
  uint32_t peers = __match_any_sync (mask, label);
  uint32_t rank = __popc (peers & lanes_below ());
  bool leader = rank == 0;
  /* The last peer has the group's greatest x. */
  uint32_t last_end = __shfl_sync (mask, end, 31 - __clz (peers));
  peers &= ~(lanes_below () | 1u << lane_id ());
  while (__any_sync (mask, peers)) {
    int next = __ffs (peers);
    int from = next ? next - 1 : (int) lane_id ();
    uint32_t other_area = __shfl_sync (mask, area, from);
    uint32_t other_sum_x = __shfl_sync (mask, sum_x, from);
    if (next) {
      area += other_area;
      sum_x += other_sum_x;
    }
    peers &= __ballot_sync (mask, !(rank & 1));
    rank >>= 1;
  }
  if (leader)
    add_features (votes, label, {area, start, row, last_end - 1, row, 0, sum_x, (unsigned long long) row * area});
}

#endif
