/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The union of two runs in shared memory, of tiles (run_labels.cuh) and of strips and bands (run_sets.cuh). */
#ifndef CTR_CUDA_CCA_UNITE_RUNS_CUH
#define CTR_CUDA_CCA_UNITE_RUNS_CUH

#include <stdint.h>

namespace
{

/* The root of RUN's component. Halves the path: other threads that walk there find any ancestor. */
template <typename Runs>
__device__ inline uint32_t
root_of_run (Runs &runs, uint32_t run)
{
  uint32_t up = runs.parent (run);
  for (uint32_t next; (next = runs.parent (up)) != up; up = runs.parent (run)) {
    runs.set_parent (run, next);
    run = next;
  }
  return up;
}

/* Unites the components of runs A and B. Runs::parent() has the parent of a run, which is the upper half of its ENTRY. The root of a component
 * is its first run. */
template <typename Runs>
__device__ inline void
unite_runs (const Runs &runs, uint32_t *entry, uint32_t a, uint32_t b)
{
  for (;;) {
    /* The loads of both ways to the roots overlap. */
    for (uint32_t moves = 1; moves;) {
      const uint32_t up_a = runs.parent (a), up_b = runs.parent (b);
      moves = (up_a ^ a) | (up_b ^ b);
      a = up_a;
      b = up_b;
    }
    if (a == b)
      return;
    const uint32_t high = max (a, b), low = min (a, b), old = atomicMin (&entry[high], low << 16) >> 16;
    if (old == high)
      return;
    a = old; /* HIGH was no root any more: unite its parent, too. */
    b = low;
  }
}

} // namespace

#endif
