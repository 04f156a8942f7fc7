/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shapes of all contours. A CTA takes some of them: a thread of it those of tiny contours, a warp those of small ones, all of it
 * the others. */
#include "cuda/borders/device_state.cuh"
#include "cuda/contours/contour_kernels.cuh"
#include "cuda/contours/contour_shapes.cuh"

namespace
{

constexpr int SHAPE_THREADS = 128, SHAPE_CTAS = 1320;
constexpr uint32_t MANY_CTAS = 660; /* that share many contours */

/* Tiny and small contours have no more rows and points, and are narrow. */
constexpr uint32_t TINY_ROWS = 12, TINY_POINTS = 64, SMALL_ROWS = 64, SMALL_POINTS = 512;
/* The rows of a larger one are in shared memory up to this number, otherwise in that of the passages, which have become points:
 * a contour passes at least as many pixels as it has rows. */
constexpr uint32_t SHARED_ROWS = 1024;

template <int SIZE, uint32_t ROWS, uint32_t HULL> struct ShapeSpace {
  HullSpace<SIZE, HULL> hull;
  uint32_t rows[3][ROWS];

  __device__ HullRows
  rows_of (const CtrContour &row)
  {
    return {rows[0], {rows[1], rows[2]}, row.top, row.height};
  }
};

typedef ShapeSpace<1, TINY_ROWS, 2 * TINY_ROWS> TinySpace;
typedef ShapeSpace<32, SMALL_ROWS, 2 * SMALL_ROWS> SmallSpace;
typedef ShapeSpace<SHAPE_THREADS, SHARED_ROWS, CTR_HULL_MAX> LargeSpace;

/* A CTA's memory, which it uses for one kind of contours after the other. */
union CtaSpace {
  TinySpace tiny[SHAPE_THREADS];
  SmallSpace small[SHAPE_THREADS / 32];
  LargeSpace large;
};

static_assert (sizeof (TinySpace) % 8 == 4, "the threads of a warp meet different banks");

/* The rows of a CTA that are not tiny: small ones from the beginning on, larger ones from the end. */
struct ShapeList {
  uint32_t rows[SHAPE_THREADS];
  uint32_t small, large; /* their numbers */
};

__device__ inline ShapeContour
contour_of (const BordersKernelArgs &f, const CtrContour &row)
{
  return {f.output->points + row.first, row.count, row.area2, f.feret_direction};
}

__device__ inline bool
is_within (const CtrContour &row, uint32_t rows, uint32_t points)
{
  return row.height <= rows && row.count <= points && ctr_shape_is_narrow (&row);
}

__device__ inline void
clear_shape (CtrContourShape *shape)
{
  static_assert (sizeof *shape % sizeof (uint4) == 0, "words");
  for (uint32_t k = 0; k < sizeof *shape / sizeof (uint4); k++)
    ((uint4 *) shape)[k] = make_uint4 (0, 0, 0, 0);
}

/* By a CTA. */
__device__ inline void
set_large_shape (const BordersKernelArgs &f, LargeSpace &space, GroupExchange<SHAPE_THREADS> *exchange, uint32_t i,
    uint32_t *first_row)
{
  const CtrContour row = f.output->table[i];
  HullRows rows = space.rows_of (row);
  if (row.height > SHARED_ROWS) {
    if (threadIdx.x == 0)
      *first_row = atomicAdd (&f.counters->shape_rows, row.height);
    __syncthreads ();
    rows.sides = f.by_passage.place + *first_row;
    rows.links[0] = f.by_passage.segment + *first_row;
    rows.links[1] = (uint32_t *) f.by_passage.position + *first_row;
  }
  set_shape (rows, space.hull, exchange, contour_of (f, row), ctr_shape_is_narrow (&row), f.shape_features,
      &f.output->shapes[i]);
}

/* Clears the shapes of a CTA's rows, sets those of tiny contours and lists the others. All threads have to wait before they read
 * the list. */
__device__ inline void
sort_rows (const BordersKernelArgs &f, CtaSpace &space, ShapeList &list, uint32_t i)
{
  if (i >= f.counters->header.contours)
    return;
  const CtrContour row = f.output->table[i];
  CtrContourShape *const shape = &f.output->shapes[i];
  clear_shape (shape);
  if (!is_within (row, SMALL_ROWS, SMALL_POINTS)) {
    list.rows[SHAPE_THREADS - 1 - atomicAdd (&list.large, 1)] = i;
  } else if (!is_within (row, TINY_ROWS, TINY_POINTS)) {
    list.rows[atomicAdd (&list.small, 1)] = i;
  } else {
    TinySpace &own = space.tiny[threadIdx.x];
    set_shape (
        own.rows_of (row), own.hull, (GroupExchange<1> *) NULL, contour_of (f, row), true, f.shape_features, shape);
  }
}

/* By the warps of a CTA. */
__device__ inline void
set_small_shapes (const BordersKernelArgs &f, CtaSpace &space, const ShapeList &list)
{
  const uint32_t warp = threadIdx.x / 32;
  for (uint32_t k = warp; k < list.small; k += SHAPE_THREADS / 32) {
    const CtrContour row = f.output->table[list.rows[k]];
    SmallSpace &own = space.small[warp];
    set_shape (own.rows_of (row), own.hull, (GroupExchange<32> *) NULL, contour_of (f, row), true, f.shape_features,
        &f.output->shapes[list.rows[k]]);
    __syncwarp ();
  }
}

/* Few contours have a CTA each, as that takes the least time for one. There are more CTAs than run at once, so that the next one
 * starts wherever a contour is done. */
__global__ void
__launch_bounds__ (SHAPE_THREADS, 6) shapes_kernel (const __grid_constant__ BordersKernelArgs f)
{
  __shared__ CtaSpace space;
  __shared__ GroupExchange<SHAPE_THREADS> exchange;
  __shared__ ShapeList list;
  __shared__ uint32_t first_row;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!has_table (f))
    return;
  const uint32_t contours = f.counters->header.contours;
  const bool few = contours <= gridDim.x;
  const uint32_t ctas = few ? gridDim.x : min (gridDim.x, MANY_CTAS);
  if (blockIdx.x >= ctas)
    return;
  for (uint32_t base = blockIdx.x; base < contours; base += few ? ctas : SHAPE_THREADS * ctas) {
    uint32_t large = 1;
    if (few) {
      if (threadIdx.x == 0)
        clear_shape (&f.output->shapes[base]);
    } else {
      if (threadIdx.x == 0)
        list.small = list.large = 0;
      __syncthreads ();
      sort_rows (f, space, list, base + threadIdx.x * ctas);
      __syncthreads ();
      set_small_shapes (f, space, list);
      large = list.large;
    }
    for (uint32_t k = 0; k < large; k++) {
      __syncthreads ();
      set_large_shape (f, space.large, &exchange, few ? base : list.rows[SHAPE_THREADS - 1 - k], &first_row);
    }
    __syncthreads ();
  }
}

/* Adds the holes of all contours to those around them, a thread a contour. */
__global__ void
__launch_bounds__ (CONTOUR_THREADS) hole_kernel (const __grid_constant__ BordersKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!has_table (f))
    return;
  const uint32_t contours = f.counters->header.contours;
  for (uint32_t i = first_index (); i < contours; i += index_step ()) {
    const CtrContour row = f.output->table[i];
    if (row.parent < 0 || !(row.flags & CTR_CONTOUR_HOLE))
      continue;
    CtrContourShape *const around = &f.output->shapes[row.parent];
    atomicAdd (
        (unsigned long long *) &around->hole_area2, (unsigned long long) (row.area2 < 0 ? -row.area2 : row.area2));
    atomicAdd (&around->holes, 1u);
  }
}

} // namespace

void
borders_launch_shapes (const BordersKernelArgs &f, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (
      overlap, shapes_kernel, min (f.contour_capacity + 1, (unsigned) SHAPE_CTAS), SHAPE_THREADS, 0, stream, f);
  if (f.shape_features & CTR_CONTOUR_FEATURE_HOLES)
    launch_over (hole_kernel, f.contour_capacity, f, overlap, stream);
}
