/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Components of the atlas of regions (core/foreground/regions.h) move into the image. */
#include "cuda/cca/device_state.cuh"

#include "cuda/common/launch.cuh"

namespace
{

constexpr int THREADS = 256;
constexpr unsigned MOST_CTAS = 132 * 8;

/* One thread a row of the table. */
__global__ void
__launch_bounds__ (THREADS) rows_kernel (const __grid_constant__ CcaKernelArgs f)
{
  if (!f.header->rows_complete)
    return;
  const uint32_t count = f.header->count;
  for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) {
    CtrComponent c = f.table.components[i];
    const uint32_t region = ctr_atlas_find (f.regions.places, f.regions.count, c.top);
    ctr_atlas_move_component (&f.regions.places[region], &c, f.by_table_row.moments ? &f.by_table_row.moments[i] : NULL,
        f.by_table_row.inscribed ? &f.by_table_row.inscribed[i] : NULL);
    f.table.components[i] = c;
  }
}

/* One thread a pixel of the atlas. Labels ascend with the number of their region, so where regions overlap the greatest one is
 * that of the last region. */
__global__ void
__launch_bounds__ (THREADS) labels_kernel (const __grid_constant__ CcaKernelArgs f)
{
  const uint32_t pixels = f.width * f.height;
  if (!f.header->rows_complete)
    return;
  for (uint64_t i = (uint64_t) blockIdx.x * THREADS + threadIdx.x; i < pixels; i += (uint64_t) gridDim.x * THREADS) {
    const uint32_t label = f.by_pixel.labels[i];
    if (!label)
      continue;
    const uint32_t x = (uint32_t) i % f.width, y = (uint32_t) i / f.width;
    const CtrAtlasRegion region = f.regions.places[ctr_atlas_find (f.regions.places, f.regions.count, y)];
    atomicMax (&f.regions.labels[(size_t) (region.y + y - region.top) * f.regions.width + region.x + x], label);
  }
}

unsigned
ctas_for (uint64_t threads)
{
  const uint64_t ctas = (threads + THREADS - 1) / THREADS;
  return ctas < MOST_CTAS ? (unsigned) ctas : MOST_CTAS;
}

} // namespace

bool
cca_queue_moves (const CcaKernelArgs &f, cudaStream_t stream, CtrError *error)
{
  if (f.regions.labels) {
    CTR_CUDA (
        cudaMemsetAsync (f.regions.labels, 0, (size_t) f.regions.width * f.regions.height * sizeof (uint32_t), stream));
    ctr_launch (labels_kernel, ctas_for ((uint64_t) f.width * f.height), THREADS, 0, stream, f);
  }
  ctr_launch (rows_kernel, ctas_for (f.table.capacity), THREADS, 0, stream, f);
  CTR_CUDA (cudaGetLastError ());
  return true;
}
