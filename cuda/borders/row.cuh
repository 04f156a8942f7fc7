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

/* Row I of a plain list of so many ROWS, but for its flags. ACCUMULATOR is read from L2, where the atomic additions were. */
__device__ inline CtrContour
make_listed_row (uint32_t i, uint32_t rows, uint32_t first, uint32_t count, const ContourAccumulator *accumulator)
{
  CtrContour c;
  c.first = first;
  c.area2 = __ldcg (&accumulator->area2);
  c.length = __ldcg (&accumulator->length);
  c.count = count;
  c.next = i + 1 < rows ? (int32_t) i + 1 : -1;
  c.previous = (int32_t) i - 1;
  c.child = c.parent = -1;
  c.flags = c.level = c.region = 0;
  const uint32_t left = __ldcg (&accumulator->min_x), top = __ldcg (&accumulator->min_y);
  c.left = left;
  c.top = top;
  c.width = __ldcg (&accumulator->max_x) - left + 1;
  c.height = __ldcg (&accumulator->max_y) - top + 1;
  return c;
}

/* Row I of the table, before limits on numbers. */
__device__ inline CtrContour
make_row (const BordersKernelArgs &f, uint32_t i)
{
  const uint32_t contour = f.by_row.contours ? f.by_row.contours[i] : i;
  CtrContour c = make_listed_row (i, f.counters->header.contours, f.by_row.firsts[i], f.by_row.lengths[i],
      &f.by_row.accumulators[f.limited ? contour : i]);
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
  return c;
}

__device__ inline void
store_row (CtrContour *to, const CtrContour &row)
{
  union {
    CtrContour row;
    uint4 words[sizeof (CtrContour) / sizeof (uint4)];
  } both = {row};
#pragma unroll
  for (int k = 0; k < 4; k++)
    ((uint4 *) to)[k] = both.words[k];
}

__device__ inline void
write_row (const BordersKernelArgs &f, uint32_t i)
{
  store_row (&f.output->table[i], make_row (f, i));
}

} // namespace

#endif
