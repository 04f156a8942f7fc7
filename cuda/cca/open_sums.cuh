/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sums of open components, added to those of their roots. */
#ifndef CTR_CUDA_CCA_OPEN_SUMS_CUH
#define CTR_CUDA_CCA_OPEN_SUMS_CUH

#include "cuda/cca/seams.cuh"

namespace
{

constexpr int SUM_SLOTS = 256; /* a power of two, and no more than a CTA has threads */

/* The key of COMPONENT's root, which becomes its parent: so the feature kernel finds it in one step. All components do so at once, and
 * each one's parent is as many steps nearer to the root as its parent's was: so thousands of steps take a few. Any ancestor is a valid
 * parent. */
__device__ inline OpenKey
take_root (const CcaKernelArgs &f, uint32_t component)
{
  OpenKey *parents = f.by_open_component.parents;
  OpenKey up = load_parent (parents, component);
  if ((uint32_t) up == component)
    return up;
  for (OpenKey next; (next = load_parent (parents, (uint32_t) up)) != up; up = next)
    *(volatile OpenKey *) &parents[component] = next;
  return up;
}

/* Marks the first pixel of the component with KEY in STARTS, shared memory of its tile's by_tile_row.starts. */
__device__ inline void
mark_start (uint32_t *starts, OpenKey key)
{
  const uint32_t y = (uint32_t) (key >> 48) % TILE_H, slot = (uint32_t) (key >> 32 & 0xffff) % TILE_W / 2;
  atomicOr (&starts[2 * y + slot / 32], 1u << slot % 32);
}

/* From L2, where atomics take effect. */
__device__ inline OpenSums
load_sums (const OpenSums *s)
{
  return {__ldcg (&s->sum_x), __ldcg (&s->sum_y), __ldcg (&s->area), __ldcg (&s->left), __ldcg (&s->right),
      __ldcg (&s->bottom)};
}

/* Adds the sums of a component to those of its ROOT. READ: reads the box first, which makes most of its updates needless; otherwise no update waits for
 * a read. */
template <bool READ>
__device__ inline void
add_to_root (OpenSums *root, unsigned long long sum_x, unsigned long long sum_y, uint32_t area, uint32_t left,
    uint32_t right, uint32_t bottom)
{
  /* All reads are issued before any update. */
  const uint32_t old_left = READ ? __ldcg (&root->left) : ~0u, old_right = READ ? __ldcg (&root->right) : 0;
  const uint32_t old_bottom = READ ? __ldcg (&root->bottom) : 0;
  atomicAdd (&root->sum_x, sum_x);
  atomicAdd (&root->sum_y, sum_y);
  atomicAdd (&root->area, area);
  if (!READ || left < old_left)
    atomicMin (&root->left, left);
  if (!READ || right > old_right)
    atomicMax (&root->right, right);
  if (!READ || bottom > old_bottom)
    atomicMax (&root->bottom, bottom);
}

/* Past the percolation threshold nearly all components have the same root, and atomics on one address are serialised. So
 * each CTA first adds them up in this small hash table in shared memory. Roots that find no slot in it are slower, not
 * wrong. Coordinates are relative to BASE_X, BASE_Y, which the caller chooses so that the sums fit. */
struct SumTable {
  static constexpr uint32_t NONE = ~0u;
  uint32_t roots[SUM_SLOTS], sum_x[SUM_SLOTS], sum_y[SUM_SLOTS], area[SUM_SLOTS], left[SUM_SLOTS], right[SUM_SLOTS],
      bottom[SUM_SLOTS];

  /* All threads of the CTA; a barrier must follow. */
  __device__ void
  clear ()
  {
    const uint32_t t = threadIdx.x;
    if (t < SUM_SLOTS) {
      roots[t] = left[t] = NONE;
      sum_x[t] = sum_y[t] = area[t] = right[t] = bottom[t] = 0;
    }
  }

  /* Adds the sums N of a component to those of its root. */
  __device__ void
  add (const CcaKernelArgs &f, uint32_t root, const OpenSums &n, uint32_t base_x, uint32_t base_y)
  {
    uint32_t slot = (root ^ root / MAX_OPEN_COMPONENTS) % SUM_SLOTS;
    uint32_t owner = atomicCAS (&roots[slot], NONE, root);
    if (owner != NONE && owner != root) { /* the second and last slot */
      slot ^= 1;
      owner = atomicCAS (&roots[slot], NONE, root);
    }
    if (owner != NONE && owner != root) {
      add_to_root<true> (&f.by_open_component.sums[root], n.sum_x, n.sum_y, n.area, n.left, n.right, n.bottom);
      return;
    }
    atomicAdd (&sum_x[slot], (uint32_t) (n.sum_x - (unsigned long long) n.area * base_x));
    atomicAdd (&sum_y[slot], (uint32_t) (n.sum_y - (unsigned long long) n.area * base_y));
    atomicAdd (&area[slot], n.area);
    if (n.left < *(volatile uint32_t *) &left[slot])
      atomicMin (&left[slot], n.left);
    if (n.right > *(volatile uint32_t *) &right[slot])
      atomicMax (&right[slot], n.right);
    if (n.bottom > *(volatile uint32_t *) &bottom[slot])
      atomicMax (&bottom[slot], n.bottom);
  }

  /* Adds the table's sums to those of the roots. READ: as for add_to_root(). All threads of the CTA, after a barrier. */
  template <bool READ>
  __device__ void
  flush (const CcaKernelArgs &f, uint32_t base_x, uint32_t base_y)
  {
    const uint32_t t = threadIdx.x;
    if (t < SUM_SLOTS && roots[t] != NONE)
      add_to_root<READ> (&f.by_open_component.sums[roots[t]], sum_x[t] + (unsigned long long) area[t] * base_x,
          sum_y[t] + (unsigned long long) area[t] * base_y, area[t], left[t], right[t], bottom[t]);
  }
};

} // namespace

#endif
