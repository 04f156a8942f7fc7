/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Level contours: samples to level indices, vertices to corners, corners to rings. */
#include "cuda/cracks/device_state.cuh"
#include "cuda/common/scan.cuh"

#include <cub/device/device_radix_sort.cuh>

#include <type_traits>

namespace
{

constexpr int THREADS = 256, WARPS = THREADS / 32, SHARE = SCAN_SHARE / THREADS;
constexpr int TILE = VERTEX_TILE, TILE_ROWS = TILE / WARPS; /* of vertices; each warp takes some rows */

__device__ inline uint64_t
index_here ()
{
  return (uint64_t) blockIdx.x * THREADS + threadIdx.x;
}

__device__ inline uint32_t
sum_of_warp (uint32_t n)
{
  for (int d = 16; d; d /= 2)
    n += __shfl_xor_sync (~0u, n, d);
  return n;
}

/* Level indices of the pixels around a tile's vertices. Row 0 and column 0 are above and left of the first vertex. */
template <typename Index> struct TileLevels {
  Index at[TILE + 1][TILE + 1];
};

template <bool LABELS> using TileOf = TileLevels<std::conditional_t<LABELS, uint32_t, uint16_t>>;

/* The level indices around a vertex: upper left, upper right, lower left, lower right. */
struct Around {
  uint32_t level_indices[4];

  template <typename Index>
  __device__
  Around (const TileLevels<Index> &t, uint32_t x, uint32_t y)
      : level_indices{t.at[y][x], t.at[y][x + 1], t.at[y + 1][x], t.at[y + 1][x + 1]}
  {
  }

  /* Which of the four pixels are foreground of a level: 8, 4, 2, 1. */
  __device__ uint32_t
  mask (uint32_t level_index, bool equal) const
  {
    uint32_t m = 0;
#pragma unroll
    for (int i = 0; i < 4; i++)
      m |= (equal ? level_indices[i] == level_index : level_indices[i] >= level_index) ? 8 >> i : 0;
    return m;
  }

  /* Calls CORNER (level_index, mask) for every level, ascending, whose lines turn here. For CTR_LEVELS_EQUAL. */
  template <typename Corner>
  __device__ void
  each_equal (Corner corner) const
  {
    uint32_t v[4];
    sort (v);
    for (int i = 0; i < 4; i++) {
      const uint32_t m = mask (v[i], true);
      /* A line turns unless all four pixels are alike, or the line is straight. */
      const bool turns = !(1u << m & (1u << 0 | 1u << 15 | 1u << 3 | 1u << 12 | 1u << 5 | 1u << 10));
      if (v[i] && (i == 0 || v[i] != v[i - 1]) && turns)
        corner (v[i], m);
    }
  }

  /* Ascending. */
  __device__ void
  sort (uint32_t *v) const
  {
    auto order = [&] (int a, int b) {
      if (v[a] > v[b]) {
        const uint32_t t = v[a];
        v[a] = v[b];
        v[b] = t;
      }
    };
    for (int i = 0; i < 4; i++)
      v[i] = level_indices[i];
    order (0, 1);
    order (2, 3);
    order (0, 2);
    order (1, 3);
    order (1, 2);
  }
};

__device__ inline uint32_t
corners_of (uint32_t mask)
{
  return mask == 6 || mask == 9 ? 2 : 1;
}

/* The number of corners at a vertex, found without going through its levels. */
template <bool LABELS>
__device__ inline uint32_t
count_corners (const CracksKernelArgs &f, const Around &a)
{
  uint32_t count = 0;
  if (LABELS || f.equal) {
    a.each_equal ([&] (uint32_t, uint32_t mask) { count += corners_of (mask); });
    return count;
  }
  const uint32_t *r = a.level_indices;
  const uint32_t low = min (min (r[0], r[1]), min (r[2], r[3])), high = max (max (r[0], r[1]), max (r[2], r[3]));
  /* The diagonals: levels between them have both pixels of one as foreground, and two corners. */
  const uint32_t least_a = min (r[0], r[3]), most_a = max (r[0], r[3]), least_b = min (r[1], r[2]),
                 most_b = max (r[1], r[2]);
  const uint32_t between = least_a > most_b ? least_a - most_b : least_b > most_a ? least_b - most_a : 0;
  /* The second and third of the four level indices in ascending order. */
  const uint32_t second = min (max (least_a, least_b), min (most_a, most_b)),
                 third = max (max (least_a, least_b), min (most_a, most_b));
  return (second - low) + (high - third) + 2 * between;
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

/* Writes the level index of each pixel. Counts the corners of each tile's rows and columns of vertices, and of all. */
template <bool LABELS>
__global__ void
__launch_bounds__ (THREADS) count_kernel (const __grid_constant__ CracksKernelArgs f)
{
  __shared__ TileOf<LABELS> levels;
  __shared__ uint32_t column_sums[TILE];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  begin_frame (f);
  const bool open = !LABELS || begin_labels (f);
  const uint32_t left = blockIdx.x * TILE, top = blockIdx.y * TILE, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x < TILE)
    column_sums[threadIdx.x] = 0;
  for (uint32_t i = threadIdx.x; i < (TILE + 1) * (TILE + 1); i += THREADS) {
    const uint32_t tile_x = i % (TILE + 1), tile_y = i / (TILE + 1), x = left + tile_x - 1, y = top + tile_y - 1;
    uint32_t level_index = 0;
    if (x < f.width && y < f.height) /* -1, as uint32_t, is not. */
      level_index = find_level_index<LABELS> (f, x, y, open);
    if (tile_x && tile_y && x < f.by_pixel.stride && y < f.height) {
      if constexpr (LABELS)
        f.label_by_pixel[(size_t) y * f.by_pixel.stride + x] = level_index;
      else
        f.by_pixel.level_index[(size_t) y * f.by_pixel.stride + x] = level_index;
    }
    levels.at[tile_y][tile_x] = level_index;
  }
  __syncthreads ();
  const uint32_t x = left + lane;
  uint32_t column = 0;
#pragma unroll
  for (int k = 0; k < TILE_ROWS; k++) {
    const uint32_t tile_y = warp * TILE_ROWS + k, y = top + tile_y;
    const uint32_t count = x <= f.width && y <= f.height ? count_corners<LABELS> (f, Around (levels, lane, tile_y)) : 0;
    column += count;
    const uint32_t row = sum_of_warp (count);
    if (lane == 0 && y <= f.height)
      f.row_sums[y * f.tiles_x + blockIdx.x] = row;
  }
  if (column)
    atomicAdd (&column_sums[lane], column);
  __syncthreads ();
  if (warp > 0)
    return;
  column = column_sums[lane];
  if (x <= f.width)
    f.column_sums[x * f.tiles_y + blockIdx.y] = column;
  const uint32_t all = sum_of_warp (column);
  if (lane == 0 && all)
    atomicAdd (&f.found->corners[f.turn], (unsigned long long) all);
}

/* Exclusive prefix sums, in place. blockIdx.y: 0 for rows, 1 for columns. Also puts the number of corners into the header.
 */
__global__ void
__launch_bounds__ (THREADS) sum_kernel (const __grid_constant__ CracksKernelArgs f)
{
  __shared__ uint32_t ticket, sums[WARPS];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t count = cracks_sums (f, blockIdx.y), scan = blockIdx.y ? SCAN_COLUMNS : SCAN_ROWS;
  uint32_t *all_sums = blockIdx.y ? f.column_sums : f.row_sums;
  const unsigned long long corners = f.found->corners[f.found->turn];
  if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0)
    f.counters->header.corners = corners;
  if (corners > f.by_corner.capacity)
    return;
  if (threadIdx.x == 0)
    ticket = atomicAdd (&f.counters->scan_tickets[scan], 1);
  __syncthreads ();
  if (ticket * SCAN_SHARE >= count)
    return;
  const uint32_t from = (ticket * THREADS + threadIdx.x) * SHARE;
  uint32_t values[SHARE], own = 0, all;
  for (int i = 0; i < SHARE; i++) {
    values[i] = from + i < count ? all_sums[from + i] : 0;
    own += values[i];
  }
  uint32_t sum = device_scan<THREADS> (own, f.scan_states[scan], ticket, sums, &all);
  for (int i = 0; i < SHARE; i++) {
    if (from + i < count)
      all_sums[from + i] = sum;
    sum += values[i];
  }
}

/* The kind of the corner whose line has this mask. The line comes from and goes to: 1 south, east; 2 west, south; 4
 * east, north; 7 west, north; 8 north, west; 11 north, east; 13 south, west; 14 east, south. */
__device__ inline uint32_t
kind_of (uint32_t mask)
{
  const bool vertically = 1u << mask & (1u << 2 | 1u << 4 | 1u << 7 | 1u << 14);
  return (vertically ? CORNER_GOES_VERTICALLY : 0) | (mask == 1 || mask == 14 ? CORNER_MAY_START : 0);
}

/* The Nth corner at a vertex, in the order of levels and by rows. Sets *LEVEL_INDEX, and *COLUMN_TURN to the corner's
 * number there by columns. Returns the mask of the corner's line. Where two lines turn, the line with the western arm
 * comes first by rows, the line with the northern arm by columns. */
template <bool LABELS>
__device__ inline uint32_t
find_corner (const CracksKernelArgs &f, const Around &a, uint32_t n, uint32_t *level_index, uint32_t *column_turn)
{
  uint32_t first = 0, mask = 0; /* of the corners of one level */
  if (LABELS || f.equal) {
    uint32_t before = 0;
    a.each_equal ([&] (uint32_t r, uint32_t m) {
      if (before <= n) {
        first = before;
        *level_index = r;
        mask = m;
      }
      before += corners_of (m);
    });
  } else {
    uint32_t v[4];
    a.sort (v);
    const uint32_t low = v[1] - v[0], two = corners_of (a.mask (v[2], false)), turns = n - low;
    if (n < low) {
      *level_index = v[0] + 1 + n;
      first = n;
    } else if (two == 2 && turns < 2 * (v[2] - v[1])) {
      *level_index = v[1] + 1 + turns / 2;
      first = low + turns / 2 * 2;
    } else {
      *level_index = v[3] - (count_corners<LABELS> (f, a) - 1 - n); /* The last levels have one corner each. */
      first = n;
    }
    mask = a.mask (*level_index, false);
  }
  *column_turn = n;
  if (mask != 6 && mask != 9)
    return mask;
  const bool second = n != first,
             across = f.four_connected == (mask == 6); /* The order by columns is the other way round. */
  *column_turn = across ? first + !second : n;
  if (mask == 6)
    return second ? (f.four_connected ? 4 : 14) : f.four_connected ? 2 : 7;
  return second ? (f.four_connected ? 1 : 11) : f.four_connected ? 8 : 13;
}

/* Writes the corners. A warp takes some rows of a tile: first a lane counts a vertex, then a lane writes a corner.
 * Fills the rest of what is sorted with the largest key; the sort is stable. */
template <bool LABELS>
__global__ void
__launch_bounds__ (THREADS) corner_kernel (const __grid_constant__ CracksKernelArgs f)
{
  __shared__ TileOf<LABELS> levels;
  __shared__ uint32_t column_parts[WARPS][TILE], column_bases[WARPS][TILE_ROWS * TILE],
      before[WARPS]
            [TILE_ROWS * TILE]; /* corners before a vertex: by columns, in the image; by rows, among the warp's */
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!corners_fit (f))
    return;
  const uint32_t left = blockIdx.x * TILE, top = blockIdx.y * TILE, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint64_t all_threads = (uint64_t) gridDim.x * gridDim.y * THREADS;
  const uint64_t own_thread = ((uint64_t) blockIdx.y * gridDim.x + blockIdx.x) * THREADS + threadIdx.x;
  for (uint64_t i = f.counters->header.corners + own_thread; i < f.by_corner.capacity; i += all_threads) {
    f.sorting.keys[0][0][i] = f.sorting.keys[1][0][i] = f.level_count - 1;
    f.sorting.values[0][0][i] = f.sorting.values[1][0][i] = 0;
  }
  for (uint32_t i = threadIdx.x; i < (TILE + 1) * (TILE + 1); i += THREADS) {
    const uint32_t tile_x = i % (TILE + 1), tile_y = i / (TILE + 1);
    const int x = (int) (left + tile_x) - 1, y = (int) (top + tile_y) - 1;
    levels.at[tile_y][tile_x] = LABELS ? label_at (f, x, y) : level_index_at (f, x, y);
  }
  __syncthreads ();
  uint32_t column = 0, row = 0, row_starts[TILE_ROWS];
#pragma unroll
  for (int k = 0; k < TILE_ROWS; k++) {
    const uint32_t tile_y = warp * TILE_ROWS + k;
    const uint32_t count = left + lane <= f.width && top + tile_y <= f.height
                               ? count_corners<LABELS> (f, Around (levels, lane, tile_y))
                               : 0;
    column_bases[warp][k * TILE + lane] = column;
    column += count;
    uint32_t sum = count;
    for (int d = 1; d < 32; d *= 2) {
      const uint32_t n = __shfl_up_sync (~0u, sum, d);
      sum += (int) lane >= d ? n : 0;
    }
    before[warp][k * TILE + lane] = row + sum - count;
    row_starts[k] = row;
    row += __shfl_sync (~0u, sum, 31);
  }
  column_parts[warp][lane] = column;
  __syncthreads ();
  column = left + lane <= f.width ? f.column_sums[(left + lane) * f.tiles_y + blockIdx.y] : 0;
  for (uint32_t i = 0; i < warp; i++)
    column += column_parts[i][lane];
#pragma unroll
  for (int k = 0; k < TILE_ROWS; k++) {
    const uint32_t y = top + warp * TILE_ROWS + k;
    column_bases[warp][k * TILE + lane] += column;
    row_starts[k] = (y <= f.height ? f.row_sums[y * f.tiles_x + blockIdx.x] : 0) - row_starts[k];
  }
  __syncwarp ();
  for (uint32_t i = lane; i < row; i += 32) {
    uint32_t vertex = 0; /* the last vertex with no more than I corners before it */
#pragma unroll
    for (uint32_t step = TILE_ROWS * TILE / 2; step; step /= 2)
      vertex += before[warp][vertex + step] <= i ? step : 0;
    const uint32_t tile_x = vertex % TILE, k = vertex / TILE, tile_y = warp * TILE_ROWS + k;
    uint32_t row_start = row_starts[0];
#pragma unroll
    for (int r = 1; r < TILE_ROWS; r++)
      row_start = k == r ? row_starts[r] : row_start;
    uint32_t level_index = 0, column_turn;
    const uint32_t mask =
        find_corner<LABELS> (f, Around (levels, tile_x, tile_y), i - before[warp][vertex], &level_index, &column_turn);
    const uint32_t corner = row_start + i, by_column = column_bases[warp][vertex] + column_turn;
    f.by_found_corner.place[corner] = (left + tile_x) | (top + tile_y) << 16;
    f.sorting.keys[0][0][corner] = f.sorting.keys[1][0][by_column] = level_index - 1;
    f.sorting.values[0][0][corner] = corner | kind_of (mask) << KIND_SHIFT;
    f.sorting.values[1][0][by_column] = corner;
  }
}

/* After the sorts: the corners in the order of levels and rows. */
template <bool LABELS>
__global__ void
__launch_bounds__ (THREADS) sorted_kernel (const __grid_constant__ CracksKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint64_t i = index_here ();
  if (!corners_fit (f))
    return;
  const uint32_t corners = (uint32_t) f.counters->header.corners;
  if (i == 0)
    f.counters->progress.count = corners;
  if (i >= corners) {
    if (i < (corners + 15) / 16 * 16) /* Kinds are read 16 at a time. */
      f.by_corner.kind[i] = 0;
    return;
  }
  const uint32_t value = f.sorting.values[0][1][i], found = value & ((1u << KIND_SHIFT) - 1),
                 level = f.sorting.keys[0][1][i];
  f.by_found_corner.corner[found] = (uint32_t) i;
  f.by_corner.place[i] = f.by_found_corner.place[found];
  f.by_corner.kind[i] = value >> KIND_SHIFT;
  if (LABELS)
    return;
  f.by_corner.level_index[i] = level + 1;
  if (i == 0 || f.sorting.keys[0][1][i - 1] != level)
    f.by_level.first_corner[level] = (uint32_t) i;
  if (i + 1 == corners || f.sorting.keys[0][1][i + 1] != level)
    f.by_level.end_corner[level] = (uint32_t) i + 1;
}

/* The corners in the order of levels and columns. Two at a time meet vertically. */
__global__ void
__launch_bounds__ (THREADS) vertical_kernel (const __grid_constant__ CracksKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint64_t i = 2 * index_here ();
  if (!corners_fit (f) || i >= f.counters->header.corners)
    return;
  const uint2 found = *(const uint2 *) &f.sorting.values[1][1][i];
  const uint2 corners = {f.by_found_corner.corner[found.x], f.by_found_corner.corner[found.y]};
  *(uint2 *) &f.corners_by_column[i] = corners;
  f.by_corner.vertical[corners.x] = corners.y;
  f.by_corner.vertical[corners.y] = corners.x;
}

/* The first views of the list ranking: each corner is a segment. In the order of levels and rows, two at a time meet
 * horizontally. */
__global__ void
__launch_bounds__ (THREADS) list_kernel (const __grid_constant__ CracksKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint64_t i = index_here ();
  if (!corners_fit (f) || i >= f.counters->header.corners)
    return;
  const uint32_t kind = f.by_corner.kind[i];
  f.ranking.views[0][i] = {next_corner (f, (uint32_t) i, kind), 1, kind & CORNER_MAY_START ? (uint32_t) i : NO_KEY, 0};
}

unsigned
ctas_for (uint64_t items)
{
  return (unsigned) ((items + THREADS - 1) / THREADS) + (items == 0);
}

} // namespace

cudaError_t
cracks_sort (uint32_t *const keys[2], uint32_t *const values[2], uint32_t count, uint64_t key_count, void *temporary,
    size_t *size, cudaStream_t stream)
{
  int bits = 1;
  while (key_count > 1ull << bits)
    bits++;
  return cub::DeviceRadixSort::SortPairs (
      temporary, *size, keys[0], keys[1], values[0], values[1], count, 0, bits, stream);
}

void
cracks_launch_count (const CracksKernelArgs &f, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (
      overlap, f.labels ? count_kernel<true> : count_kernel<false>, dim3 (f.tiles_x, f.tiles_y), THREADS, 0, stream, f);
}

bool
cracks_launch_corners (
    const CracksKernelArgs &f, CtrDeviceBuffer *temporary, bool overlap, cudaStream_t stream, CtrError *error)
{
  const dim3 tiles (f.tiles_x, f.tiles_y);
  const unsigned sums = max (cracks_sums (f, false), cracks_sums (f, true)) / SCAN_SHARE + 1;
  const unsigned ctas = ctas_for (f.by_corner.capacity);
  size_t size = temporary->size;
  ctr_launch_overlapped (overlap, sum_kernel, dim3 (sums, 2), THREADS, 0, stream, f);
  if (f.by_corner.capacity == 0) /* The frame will be done again. */
    return true;
  ctr_launch_overlapped (overlap, f.labels ? corner_kernel<true> : corner_kernel<false>, tiles, THREADS, 0, stream, f);
  for (int by = 0; by < 2; by++)
    CTR_CUDA (cracks_sort (
        f.sorting.keys[by], f.sorting.values[by], f.by_corner.capacity, f.level_count, temporary->data, &size, stream));
  ctr_launch_overlapped (overlap, f.labels ? sorted_kernel<true> : sorted_kernel<false>, ctas, THREADS, 0, stream, f);
  ctr_launch_overlapped (overlap, vertical_kernel, ctas / 2 + 1, THREADS, 0, stream, f);
  ctr_launch_overlapped (overlap, list_kernel, ctas, THREADS, 0, stream, f);
  CTR_CUDA (cudaGetLastError ());
  list_ranking_launch_small (f.ranking, overlap, stream);
  list_ranking_launch_rounds (f.ranking, overlap, stream);
  return true;
}
