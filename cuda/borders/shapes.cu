/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shapes of all contours: warps find those of small contours and leave the others to CTAs, which a second kernel has. */
#include "cuda/borders/device_state.cuh"
#include "cuda/contours/contour_kernels.cuh"
#include "cuda/contours/contour_shapes.cuh"

namespace
{

/* A contour is small if it has no more rows and points. */
constexpr uint32_t SMALL_ROWS = 64, SMALL_POINTS = 512;
constexpr int SMALL_THREADS = 256, SMALL_CTAS = 1056;
/* The rows of a larger one are in shared memory up to this number, otherwise in that of the passages, which have become points:
 * a contour passes at least as many pixels as it has rows. */
constexpr uint32_t SHARED_ROWS = 1024;
constexpr int LARGE_THREADS = 128, LARGE_CTAS = 792;

struct SmallSpace {
  HullSpace<32, 2 * SMALL_ROWS> hull;
  uint32_t rows[3][SMALL_ROWS];
};

struct LargeSpace {
  HullSpace<LARGE_THREADS, CTR_HULL_MAX> hull;
  uint32_t rows[3][SHARED_ROWS];
};

/* The numbers of the larger contours; the measures have served their purpose. */
__device__ inline uint32_t *
large_contours (const BordersKernelArgs &f)
{
  return (uint32_t *) f.by_row.accumulators;
}

__device__ inline ShapeContour
contour_of (const BordersKernelArgs &f, const CtrContour &row)
{
  return {f.output->points + row.first, row.count, row.area2, f.feret_direction};
}

/* A warp a contour. */
__global__ void
__launch_bounds__ (SMALL_THREADS) small_shapes_kernel (const __grid_constant__ BordersKernelArgs f)
{
  __shared__ SmallSpace spaces[SMALL_THREADS / 32];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!has_table (f))
    return;
  SmallSpace &space = spaces[threadIdx.x / 32];
  const uint32_t rows = f.counters->header.contours, lane = threadIdx.x % 32;
  CtrContourShape *const shapes = f.output->shapes;
  for (uint32_t i = (blockIdx.x * SMALL_THREADS + threadIdx.x) / 32; i < rows; i += gridDim.x * SMALL_THREADS / 32) {
    const CtrContour row = f.output->table[i];
    static_assert (sizeof (CtrContourShape) % 16 == 0 && sizeof (CtrContourShape) / 16 <= 32, "a lane 16 bytes");
    if (lane < sizeof (CtrContourShape) / 16)
      ((uint4 *) &shapes[i])[lane] = make_uint4 (0, 0, 0, 0);
    __syncwarp ();
    if (row.height > SMALL_ROWS || row.count > SMALL_POINTS) {
      if (lane == 0)
        large_contours (f)[atomicAdd (&f.counters->large_shapes, 1)] = i;
      continue;
    }
    const HullRows hull_rows = {space.rows[0], {space.rows[1], space.rows[2]}, row.top, row.height};
    set_shape (hull_rows, space.hull, contour_of (f, row), f.shape_features, &shapes[i]);
    __syncwarp ();
  }
}

/* Adds the holes of all contours to those around them, a thread a contour. */
__device__ inline void
count_holes (const BordersKernelArgs &f)
{
  const uint32_t rows = f.counters->header.contours;
  for (uint32_t i = blockIdx.x * LARGE_THREADS + threadIdx.x; i < rows; i += gridDim.x * LARGE_THREADS) {
    const CtrContour row = f.output->table[i];
    if (row.parent < 0 || !(row.flags & CTR_CONTOUR_HOLE))
      continue;
    CtrContourShape *const around = &f.output->shapes[row.parent];
    atomicAdd (
        (unsigned long long *) &around->hole_area2, (unsigned long long) (row.area2 < 0 ? -row.area2 : row.area2));
    atomicAdd (&around->holes, 1u);
  }
}

/* A CTA a contour. */
__global__ void
__launch_bounds__ (LARGE_THREADS) large_shapes_kernel (const __grid_constant__ BordersKernelArgs f)
{
  __shared__ LargeSpace space;
  __shared__ uint32_t taken, first_row;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!has_table (f))
    return;
  if (f.shape_features & CTR_CONTOUR_FEATURE_HOLES)
    count_holes (f);
  for (;;) {
    if (threadIdx.x == 0)
      taken = atomicAdd (&f.counters->large_shape_ticket, 1);
    __syncthreads ();
    if (taken >= f.counters->large_shapes)
      return;
    const uint32_t i = large_contours (f)[taken];
    const CtrContour row = f.output->table[i];
    HullRows rows = {space.rows[0], {space.rows[1], space.rows[2]}, row.top, row.height};
    if (row.height > SHARED_ROWS) {
      if (threadIdx.x == 0)
        first_row = atomicAdd (&f.counters->shape_rows, row.height);
      __syncthreads ();
      rows.sides = f.by_passage.place + first_row;
      rows.links[0] = f.by_passage.segment + first_row;
      rows.links[1] = f.by_passage.position + first_row;
    }
    set_shape (rows, space.hull, contour_of (f, row), f.shape_features, &f.output->shapes[i]);
    __syncthreads ();
  }
}

} // namespace

void
borders_launch_shapes (const BordersKernelArgs &f, bool overlap, cudaStream_t stream)
{
  const unsigned contours = f.contour_capacity, large = min (contours, f.by_passage.capacity / SMALL_ROWS) + 1;
  ctr_launch_overlapped (overlap, small_shapes_kernel, min (contours / (SMALL_THREADS / 32) + 1, (unsigned) SMALL_CTAS),
      SMALL_THREADS, 0, stream, f);
  ctr_launch_overlapped (overlap, large_shapes_kernel, min (large, (unsigned) LARGE_CTAS), LARGE_THREADS, 0, stream, f);
}
