/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Level contours: samples to level indices, and the numbers of corners and of passages between tiles. */
#include "cuda/common/ptx.cuh"
#include "cuda/common/scan.cuh"
#include "cuda/cracks/vertex.cuh"

namespace
{

constexpr int THREADS = 256, WARPS = THREADS / 32, SHARE = SCAN_SHARE / THREADS;
constexpr int TILE = VERTEX_TILE, TILE_ROWS = TILE / WARPS; /* of vertices; each warp takes some rows */

__device__ inline uint32_t
sum_of_warp (uint32_t n)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync (~0u, n);
#else
  for (int d = 16; d; d /= 2)
    n += __shfl_xor_sync (~0u, n, d);
  return n;
#endif
}

/* Before the other kernels of the frame: tells them where the result goes, and clears what they add to. */
__device__ inline void
begin_frame (const CracksKernelArgs &f)
{
  const uint64_t all = (uint64_t) gridDim.x * gridDim.y * THREADS,
                 own = ((uint64_t) blockIdx.y * gridDim.x + blockIdx.x) * THREADS + threadIdx.x;
  if (own == 0) {
    *f.output = f.frame_output;
    f.found->turn = f.turn;
    f.found->corners[f.turn ^ 1] = 0;
    f.found->segments[f.turn ^ 1] = 0;
    f.found->early_tiles[f.turn ^ 1] = 0;
  }
  for (uint64_t i = own; i < sizeof (CracksCounters) / 4; i += all)
    ((uint32_t *) f.counters)[i] = 0;
  for (const auto &part : f.zeroed)
    for (uint64_t i = own; i < part.count; i += all)
      part.first[i] = 0;
}

/* The level index of a pixel of the picture. OPEN: a label image may be read. */
template <bool LABELS>
__device__ inline uint32_t
find_level_index (const CracksKernelArgs &f, uint32_t x, uint32_t y, bool open)
{
  const uint8_t *row = f.pixels + y * f.stride;
  const uint32_t sample = LABELS         ? open ? ((const uint32_t *) row)[x] : 0
                          : f.depth == 8 ? row[x]
                                         : ((const uint16_t *) row)[x];
  const bool outermost = x == 0 || y == 0 || x + 1 == f.width || y + 1 == f.height;
  return f.zero_frame && outermost ? 0 : LABELS ? sample : f.level_index_by_sample[sample];
}

/* Is the label image complete? If not, there are no corners, but it will be done again. */
__device__ inline bool
begin_labels (const CracksKernelArgs &f)
{
  const bool open = !f.complete || *(const volatile uint32_t *) f.complete;
  if (!open && blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0)
    atomicAdd (&f.found->corners[f.turn], CORNERS_UNKNOWN);
  return open;
}

/* What a walk to the west has to know of a warp's pixels, one of which has this LEVEL_INDEX, to pass them: the least and the greatest
 * level index. By equality, zeros do not count, except that least and greatest one differ then, or are 0, too. */
__device__ inline uint2
range_of_block (uint32_t level_index, bool equal)
{
  const uint32_t greatest = greatest_of_lanes (level_index);
  if (!equal)
    return {~greatest_of_lanes (~level_index), greatest};
  const uint32_t least = ~greatest_of_lanes (~(level_index - 1)) + 1; /* of those that are not 0 */
  return {__any_sync (~0u, level_index == 0) ? min (least, greatest - 1) : least, greatest};
}

/* Writes the level index of each pixel, and the range of each block. Counts the corners of each tile's rows of vertices,
 * and of all, and the segments: of lines into and out of the tile from the left and from above, and the corners of tiles with too many. */
template <bool LABELS>
__global__ void
__launch_bounds__ (THREADS) count_kernel (const __grid_constant__ CracksKernelArgs f)
{
  __shared__ TileOf<LABELS> levels;
  __shared__ uint32_t warp_sums[WARPS], passages[SIDES];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  begin_frame (f);
  const bool open = !LABELS || begin_labels (f), equal = by_equal<LABELS> (f);
  const uint32_t left = blockIdx.x * TILE, top = blockIdx.y * TILE, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const TileShare<WARPS> share (left, top, [&] (uint32_t x, uint32_t y) { /* -1, as uint32_t, is outside. */
    return x < f.width && y < f.height ? find_level_index<LABELS> (f, x, y, open) : 0;
  });
  share.store (levels);
#pragma unroll
  for (int k = 0; k < TILE_ROWS; k++) {
    const uint32_t x = left + lane, y = top + warp * TILE_ROWS + k;
    if (x >= f.by_pixel.stride || y >= f.height)
      break;
    if constexpr (LABELS)
      f.label_by_pixel[(size_t) y * f.by_pixel.stride + x] = share.own[k];
    else
      f.by_pixel.level_index[(size_t) y * f.by_pixel.stride + x] = share.own[k];
  }
  __syncthreads ();
  uint32_t all = 0;
#pragma unroll
  for (int k = 0; k < TILE_ROWS; k++) {
    const uint32_t tile_y = warp * TILE_ROWS + k, y = top + tile_y;
    const bool inside = left + lane <= f.width && y <= f.height;
    const Around around (levels, lane, tile_y);
    const uint32_t row = sum_of_warp (inside ? around.count_corners (equal) : 0);
    const uint2 range = range_of_block (around.level_indices[3], equal);
    all += row;
    if (lane == 0 && y <= f.height)
      f.row_sums[y * f.tiles_x + blockIdx.x] = row;
    if (lane == 0 && y < f.height) {
      const size_t block = (size_t) y * f.by_block.stride + blockIdx.x;
      if constexpr (LABELS)
        f.by_block.label_range[block] = range;
      else
        f.by_block.range[block] = range.x | range.y << 16;
    }
  }
  if (lane == 0)
    warp_sums[warp] = all;
  if (warp < SIDES) {
    const uint2 pixels = pixels_at_side (levels, warp, lane);
    const uint32_t sum = sum_of_warp (crossings_between (pixels.x, pixels.y, equal));
    if (lane == 0)
      passages[warp] = sum;
  }
  __syncthreads ();
  if (threadIdx.x > 0)
    return;
  all = 0;
  for (int i = 0; i < WARPS; i++)
    all += warp_sums[i];
  uint32_t around = 0;
  for (int side = 0; side < SIDES; side++)
    around += passages[side];
  const uint32_t segments = passages[LEFT_SIDE] + passages[TOP_SIDE] + (is_tile_joined (f, all, around) ? 0 : all);
  if (all)
    atomicAdd (&f.found->corners[f.turn], (unsigned long long) all);
  uint32_t first = 0;
  if (segments)
    first = (uint32_t) atomicAdd (&f.found->segments[f.turn], (unsigned long long) segments);
  const uint32_t tile = blockIdx.y * f.tiles_x + blockIdx.x;
  uint32_t early = EARLY_TILES;
  if (all > f.early_corners)
    early = atomicAdd (&f.found->early_tiles[f.turn], 1);
  if (early < EARLY_TILES)
    f.early_tiles[early] = tile;
  f.by_tile.is_early[tile] = early < EARLY_TILES;
  f.by_tile.left[tile] = first;
  f.by_tile.top[tile] = first + passages[LEFT_SIDE];
}

/* Exclusive prefix sums, in place. Also puts the numbers of corners and segments into the header. */
__global__ void
__launch_bounds__ (THREADS) sum_kernel (const __grid_constant__ CracksKernelArgs f)
{
  __shared__ uint32_t ticket, sums[WARPS];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (threadIdx.x == 0)
    ticket = atomicAdd (&f.counters->scan_tickets[SCAN_ROWS], 1);
  const CracksFound found = *f.found; /* of both turns, so that all loads overlap */
  const uint32_t count = cracks_row_sums (f), turn = found.turn;
  const unsigned long long corners = turn ? found.corners[1] : found.corners[0],
                           segments = turn ? found.segments[1] : found.segments[0];
  const bool fits = corners <= f.by_corner.capacity && segments <= f.ranking.capacity;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    f.counters->header.corners = corners;
    f.counters->header.segments = segments;
    f.counters->ranked_segments = fits ? (uint32_t) segments : 0;
  }
  if (!fits || corners == 0)
    return;
  __syncthreads ();
  const uint32_t from = (ticket * THREADS + threadIdx.x) * SHARE;
  uint32_t values[SHARE], own = 0, all;
  for (int i = 0; i < SHARE; i++) {
    values[i] = from + i < count ? f.row_sums[from + i] : 0;
    own += values[i];
  }
  uint32_t sum = device_scan<THREADS> (own, f.scan_states[SCAN_ROWS], ticket, sums, &all);
  for (int i = 0; i < SHARE; i++) {
    if (from + i < count)
      f.row_sums[from + i] = sum;
    sum += values[i];
  }
}

} // namespace

void
cracks_launch_count (const CracksKernelArgs &f, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (
      overlap, f.labels ? count_kernel<true> : count_kernel<false>, dim3 (f.tiles_x, f.tiles_y), THREADS, 0, stream, f);
}

void
cracks_launch_sums (const CracksKernelArgs &f, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (overlap, sum_kernel, cracks_row_sums (f) / SCAN_SHARE + 1, THREADS, 0, stream, f);
}
