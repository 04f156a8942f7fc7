/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A row of the table from what the kernels know of its contour. */
#ifndef CTR_CUDA_BORDERS_ROW_CUH
#define CTR_CUDA_BORDERS_ROW_CUH

#include "cuda/borders/device_state.cuh"

namespace
{

__device__ inline int32_t
row_of (const BordersKernelArgs &f, uint32_t contour)
{
  return contour == NO_CONTOUR || contour == NO_PARENT ? -1 : (int32_t) f.by_contour.rows[contour];
}

/* Row I of the table, before limits on numbers. */
__device__ inline CtrContour
make_row (const BordersKernelArgs &f, uint32_t i)
{
  const uint32_t rows = f.counters->header.contours, contour = f.by_row.contours ? f.by_row.contours[i] : i;
  const ContourAccumulator *a =
      &f.by_row.accumulators[f.limited ? contour : i]; /* from L2, where the atomic additions were */
  CtrContour c;
  c.first = f.by_row.firsts[i];
  c.area2 = __ldcg (&a->area2);
  c.length = __ldcg (&a->length);
  c.count = f.by_row.lengths[i];
  c.next = i + 1 < rows ? (int32_t) i + 1 : -1;
  c.previous = (int32_t) i - 1;
  c.child = c.parent = -1;
  if (borders_nests (f)) {
    if (f.limited) { /* NO_CONTOUR as int32_t is -1. */
      c.next = (int32_t) f.hierarchy.next[i];
      c.previous = (int32_t) f.hierarchy.previous[i];
      c.child = (int32_t) f.hierarchy.child[i];
    } else {
      c.next = row_of (f, f.hierarchy.next[contour]);
      c.previous = row_of (f, f.hierarchy.previous[contour]);
      c.child = row_of (f, f.hierarchy.child[contour]);
    }
    c.parent = row_of (f, f.hierarchy.parents[contour]);
  }
  c.flags = is_hole (f, f.by_row.keys[i]) ? CTR_CONTOUR_HOLE : 0;
  c.level = c.region = 0;
  const uint32_t left = __ldcg (&a->min_x), top = __ldcg (&a->min_y);
  c.left = left;
  c.top = top;
  c.width = __ldcg (&a->max_x) - left + 1;
  c.height = __ldcg (&a->max_y) - top + 1;
  return c;
}

__device__ inline void
write_row (const BordersKernelArgs &f, uint32_t i)
{
  union {
    CtrContour row;
    uint4 words[sizeof (CtrContour) / sizeof (uint4)];
  };
  row = make_row (f, i);
  CtrContour *const table = f.output->table;
#pragma unroll
  for (int k = 0; k < 4; k++)
    ((uint4 *) &table[i])[k] = words[k];
}

} // namespace

#endif
