/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tile kernel of Canny for a blurred plane: edges of wide samples, or the candidates of any plane as values. */
#include "cuda/canny/column.cuh"
#include "cuda/canny/maxima.cuh"
#include "cuda/canny/tile_edges.cuh"

namespace
{

constexpr int WIDE_ROWS = CANNY_WIDE_ROWS;
static_assert (WIDE_ROWS <= CANNY_MAX_H && fits_run_fields (WIDE_ROWS), "tile borders, runs and components have room");

/* A magnitude with its sector (maxima.cuh). */
template <bool L2> struct Packed {
  typedef uint32_t Type;
};
template <> struct Packed<true> {
  typedef unsigned long long Type;
};

template <bool L2> struct WideLayout {
  static constexpr int BITS = WIDE_ROWS * CANNY_WORDS * 4;
  static constexpr int MAGNITUDES = (WIDE_ROWS + 2) * MAGNITUDE_STRIDE * (int) sizeof (typename Packed<L2>::Type);
  static constexpr int RUNS =
      run_bytes (WIDE_ROWS); /* The candidates stay, and the rest comes where the magnitudes were. */
  static constexpr int BYTES = 2 * BITS + MAGNITUDES > RUNS ? 2 * BITS + MAGNITUDES : RUNS;
};

/* Magnitudes of rows FIRST to END - 1 of the tile's column COLUMN, of which -1 is beside it; outside the image they are
 * 0. */
template <typename Sample, int RADIUS, bool L2>
__device__ inline void
find_magnitudes (const CannyPlane &plane, int tile_x, int tile_y, int column, int first, int end,
    typename Packed<L2>::Type *magnitudes)
{
  typedef typename Packed<L2>::Type Magnitude;
  const int x = tile_x + column;
  const bool inside = x >= 0 && x < (int) plane.width;
  Magnitude *to = magnitudes + (first + 1) * MAGNITUDE_STRIDE + column + 1;
  GradientColumn<Sample, RADIUS> gradients (plane, x);
#pragma unroll 1
  for (int y = first - RADIUS; y < first + RADIUS; y++)
    gradients.take_row (tile_y + y);
#pragma unroll 1
  for (int y = first; y < end; y++, to += MAGNITUDE_STRIDE) {
    int32_t dx, dy;
    gradients.take_row (tile_y + y + RADIUS);
    gradients.gradient (&dx, &dy);
    const Magnitude m = (Magnitude) ctr_canny_magnitude (dx, dy, L2);
    *to = inside && tile_y + y >= 0 && tile_y + y < (int) plane.height ? m << 2 | ctr_canny_sector (dx, dy) : 0;
  }
}

template <typename Sample, int RADIUS, bool L2, bool EDGES>
__global__ void
__launch_bounds__ (CANNY_THREADS)
    wide_tile_kernel (const __grid_constant__ CannyPlaneArgs p, const __grid_constant__ CannyKernelArgs f)
{
  typedef WideLayout<L2> Layout;
  typedef typename Packed<L2>::Type Magnitude;
  extern __shared__ __align__ (16) uint8_t memory[];
  __shared__ TileCounts counts;
  uint32_t *candidates = (uint32_t *) memory, *strong = (uint32_t *) (memory + Layout::BITS);
  Magnitude *magnitudes = (Magnitude *) (memory + 2 * Layout::BITS);
  const uint32_t tiles_x = ctr_div_up (p.plane.width, CANNY_W);
  const uint32_t tile = blockIdx.x, tx = tile % tiles_x, ty = tile / tiles_x;
  const int tile_x = tx * CANNY_W, tile_y = ty * WIDE_ROWS;
  const uint32_t rows = min ((uint32_t) WIDE_ROWS, p.plane.height - tile_y); /* inside the image */
  if (EDGES)
    ctr_let_next_start ();
  if (threadIdx.x == 0)
    counts = {};

  find_magnitudes<Sample, RADIUS, L2> (p.plane, tile_x, tile_y, threadIdx.x, -1, WIDE_ROWS + 1, magnitudes);
  if (threadIdx.x < 2 * (WIDE_ROWS + 2)) { /* the columns beside the tile */
    const int row = (int) threadIdx.x / 2 - 1;
    find_magnitudes<Sample, RADIUS, L2> (
        p.plane, tile_x, tile_y, threadIdx.x % 2 ? CANNY_W : -1, row, row + 1, magnitudes);
  }
  __syncthreads ();

  const int64_t low = p.derived ? p.derived->limits.low : p.low, high = p.derived ? p.derived->limits.high : p.high;
  for (int y = 0; y < WIDE_ROWS; y++) {
    const Magnitude *at = magnitudes + (y + 1) * MAGNITUDE_STRIDE + threadIdx.x + 1;
    const int64_t m = (int64_t) (*at >> 2);
    const bool found = m > low && is_maximum (at);
    if (EDGES) {
      const uint32_t bits = __ballot_sync (~0u, found), more = __ballot_sync (~0u, found && m > high);
      if (threadIdx.x % 32 == 0) {
        candidates[y * CANNY_WORDS + threadIdx.x / 32] = bits;
        strong[y * CANNY_WORDS + threadIdx.x / 32] = more;
      }
    } else if (y < (int) rows && tile_x + threadIdx.x < p.plane.width) {
      p.values[(size_t) (tile_y + y) * p.plane.width + tile_x + threadIdx.x] =
          found ? ctr_canny_candidate_value (m > high) : 0;
    }
  }
  if constexpr (EDGES) {
    __syncthreads ();
    finish_tile<WIDE_ROWS> (f, memory, tile, tx, ty, rows, counts);
  }
}

typedef void WideTileKernel (CannyPlaneArgs, CannyKernelArgs);

#define EACH_APERTURE(sample, l2, edges)                                            \
  {                                                                                 \
    wide_tile_kernel<sample, 1, l2, edges>, wide_tile_kernel<sample, 2, l2, edges>, \
        wide_tile_kernel<sample, 3, l2, edges>                                      \
  }

/* [edges of wide samples, candidates of wide samples, candidates of 8-bit samples][L2][aperture] */
WideTileKernel *const wide_tile_kernels[3][2][3] = {
    {EACH_APERTURE (uint16_t, false, true), EACH_APERTURE (uint16_t, true, true)},
    {EACH_APERTURE (uint16_t, false, false), EACH_APERTURE (uint16_t, true, false)},
    {EACH_APERTURE (uint8_t, false, false), EACH_APERTURE (uint8_t, true, false)},
};

} // namespace

cudaError_t
canny_prepare_wide_tiles ()
{
  for (auto &of_kind : wide_tile_kernels)
    for (int l2 = 0; l2 <= 1; l2++)
      for (WideTileKernel *kernel : of_kind[l2]) {
        const cudaError_t status = cudaFuncSetAttribute (kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
            l2 ? WideLayout<true>::BYTES : WideLayout<false>::BYTES);
        if (status != cudaSuccess)
          return status;
      }
  return cudaSuccess;
}

void
canny_launch_wide_tiles (const CannyPlaneArgs &p, const CannyKernelArgs &f, cudaStream_t stream)
{
  const int kind = p.output == CTR_CANNY_EDGES ? 0 : p.plane.wide ? 1 : 2;
  const unsigned tiles = ctr_div_up (p.plane.width, CANNY_W) * ctr_div_up (p.plane.height, CANNY_WIDE_ROWS);
  WideTileKernel *kernel = wide_tile_kernels[kind][p.l2_gradient][p.aperture / 2 - 1];
  ctr_launch (
      kernel, tiles, CANNY_THREADS, p.l2_gradient ? WideLayout<true>::BYTES : WideLayout<false>::BYTES, stream, p, f);
}
