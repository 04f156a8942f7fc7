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

/* From L2, where the atomic additions were. */
__device__ inline ContourAccumulator
load_accumulator (const ContourAccumulator *from)
{
  return {__ldcg (&from->area2), __ldcg (&from->length), __ldcg (&from->min_x), __ldcg (&from->min_y),
      __ldcg (&from->max_x), __ldcg (&from->max_y)};
}

/* Row I of a plain list of so many ROWS, but for its flags. */
__device__ inline CtrContour
make_listed_row (uint32_t i, uint32_t rows, uint32_t first, uint32_t count, const ContourAccumulator &a)
{
  CtrContour c;
  c.first = first;
  c.area2 = a.area2;
  c.length = a.length;
  c.count = count;
  c.next = i + 1 < rows ? (int32_t) i + 1 : -1;
  c.previous = (int32_t) i - 1;
  c.child = c.parent = -1;
  c.flags = c.level = c.region = 0;
  c.left = a.min_x;
  c.top = a.min_y;
  c.width = a.max_x - a.min_x + 1;
  c.height = a.max_y - a.min_y + 1;
  return c;
}

/* Row I of the table, of COUNT points from number FIRST on, which measures A, before limits on numbers. */
__device__ inline CtrContour
make_row (
    const BordersKernelArgs &f, uint32_t i, uint32_t first, uint32_t count, bool hole, const ContourAccumulator &a)
{
  CtrContour c = make_listed_row (i, f.counters->header.contours, first, count, a);
  if (f.in_tree.links) { /* NO_CONTOUR as int32_t is -1. */
    const uint4 links = f.in_tree.links[i];
    c.next = (int32_t) links.x;
    c.previous = (int32_t) links.y;
    c.child = (int32_t) links.z;
    c.parent = (int32_t) links.w;
  } else if (borders_nests (f)) {
    const uint32_t contour = f.by_row.contours[i];
    if (f.limited) {
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
  c.flags = hole ? CTR_CONTOUR_HOLE : 0;
  return c;
}

/* The same, once it is measured. */
__device__ inline CtrContour
make_row (const BordersKernelArgs &f, uint32_t i)
{
  return make_row (f, i, f.by_row.firsts[i], f.by_row.lengths[i], is_hole (f, f.by_row.keys[i]),
      load_accumulator (&f.by_row.accumulators[f.limited ? f.by_row.contours[i] : i]));
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
write_row (
    const BordersKernelArgs &f, uint32_t i, uint32_t first, uint32_t count, bool hole, const ContourAccumulator &a)
{
  store_row (&f.output->table[i], make_row (f, i, first, count, hole, a));
}

__device__ inline void
write_row (const BordersKernelArgs &f, uint32_t i, const ContourAccumulator &a)
{
  write_row (f, i, f.by_row.firsts[i], f.by_row.lengths[i], is_hole (f, f.by_row.keys[i]), a);
}

__device__ inline void
write_row (const BordersKernelArgs &f, uint32_t i)
{
  store_row (&f.output->table[i], make_row (f, i));
}

} // namespace

#endif
