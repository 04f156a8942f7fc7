/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Components of equal samples, up to the label image. values.cuh has the design. */
#include "cuda/cca/value_sums.cuh"
#include "cuda/common/scan.cuh"

namespace
{

constexpr int VALUE_TILE_W = 64; /* two pixels a lane; the bits of a row's starts */
constexpr int VALUE_TILE_H = 32;
constexpr int VALUE_TILE_PIXELS = VALUE_TILE_W * VALUE_TILE_H;
constexpr int VALUE_THREADS = 256;
constexpr int VALUE_WARPS = VALUE_THREADS / 32;
constexpr int32_t NO_VALUE = -1; /* of the background, and outside the image */
constexpr int SEAM_THREADS = 256;
constexpr int LABEL_THREADS = 256;

/* The sample of a pixel, or NO_VALUE. */
__device__ inline int32_t
value_at (const CcaKernelArgs &f, int32_t background, int32_t x, int32_t y)
{
  if (x < 0 || y < 0 || x >= (int32_t) f.width || y >= (int32_t) f.height)
    return NO_VALUE;
  const uint8_t *row = f.pixels + y * f.stride;
  const int32_t value = f.depth == 8 ? row[x] : ((const uint16_t *) row)[x];
  return value == background ? NO_VALUE : value;
}

/* --- Union-find: a parent has a lower index --- */

__device__ inline uint32_t
find (const volatile uint32_t *parents, uint32_t i)
{
  for (;;) {
    const uint32_t up = parents[i];
    if (up == i)
      return i;
    i = up;
  }
}

/* Shared or global memory. */
__device__ inline void
unite (uint32_t *parents, uint32_t a, uint32_t b)
{
  for (;;) {
    a = find (parents, a);
    b = find (parents, b);
    if (a == b)
      return;
    const uint32_t high = max (a, b), low = min (a, b);
    const uint32_t old = atomicMin (&parents[high], low);
    if (old == high)
      return;
    a = old; /* HIGH was no root any more: unite its parent, too. */
    b = low;
  }
}

/* --- Tiles --- */

struct ValueTile {
  int32_t values[VALUE_TILE_H][VALUE_TILE_W];
  uint32_t parents[VALUE_TILE_PIXELS]; /* index in the tile */
  uint64_t starts[VALUE_TILE_H];       /* bit: the pixel differs from the one before */
};

/* Unites pixel X, Y of a tile with those above that it touches, unless a pixel before does. */
template <int CONNECTIVITY>
__device__ inline void
unite_up (ValueTile &s, uint32_t x, uint32_t y)
{
  const int32_t value = s.values[y][x];
  if (value == NO_VALUE)
    return;
  const uint32_t here = y * VALUE_TILE_W + x, above = here - VALUE_TILE_W;
  if (s.values[y - 1][x] == value) {
    if ((s.starts[y] | s.starts[y - 1]) >> x & 1)
      unite (s.parents, here, above);
  } else if (CONNECTIVITY == 8) {
    if (x > 0 && s.values[y - 1][x - 1] == value && s.values[y][x - 1] != value)
      unite (s.parents, here, above - 1);
    if (x + 1 < VALUE_TILE_W && s.values[y - 1][x + 1] == value && s.values[y][x + 1] != value)
      unite (s.parents, here, above + 1);
  }
}

/* Sets what the later kernels count in to 0. */
__device__ inline void
clear_counts (const CcaKernelArgs &f, const ValueArgs &v, uint32_t pixels)
{
  const uint32_t i = blockIdx.x * VALUE_THREADS + threadIdx.x, all = gridDim.x * VALUE_THREADS;
  if (i == 0)
    *v.counters = {0, 0, 0};
  for (uint32_t k = i; k < ctr_div_up (pixels, NUMBER_PIXELS); k += all)
    v.number_states[k] = 0;
  for (uint32_t k = i; k < ctr_div_up (f.closed.capacity, ROW_COMPONENTS); k += all)
    v.row_states[k] = 0;
}

/* A CTA a tile. A row's runs are linked to their first pixels by the bits of their starts; then pixels unite their runs
 * with those above. */
template <int CONNECTIVITY>
__global__ void
__launch_bounds__ (VALUE_THREADS)
    value_tile_kernel (const __grid_constant__ CcaKernelArgs f, const __grid_constant__ ValueArgs v)
{
  __shared__ ValueTile s;
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, across = ctr_div_up (f.width, VALUE_TILE_W);
  const uint32_t tile_x = blockIdx.x % across * VALUE_TILE_W, tile_y = blockIdx.x / across * VALUE_TILE_H;
  clear_counts (f, v, f.width * f.height);
  for (uint32_t y = warp; y < VALUE_TILE_H; y += VALUE_WARPS) {
    uint64_t starts = 0;
    int32_t last = NO_VALUE; /* of the 32 pixels before */
    for (uint32_t half = 0; half < 2; half++) {
      const uint32_t x = half * 32 + lane;
      const int32_t value = value_at (f, v.background, tile_x + x, tile_y + y);
      int32_t before = __shfl_up_sync (~0u, value, 1);
      before = lane ? before : last;
      last = __shfl_sync (~0u, value, 31);
      starts |= (uint64_t) __ballot_sync (~0u, x == 0 || value != before) << 32 * half;
      s.values[y][x] = value;
    }
    if (lane == 0)
      s.starts[y] = starts;
    for (uint32_t x = lane; x < VALUE_TILE_W; x += 32)
      s.parents[y * VALUE_TILE_W + x] = y * VALUE_TILE_W + 63 - __clzll (starts & ~0ull >> (63 - x));
  }
  __syncthreads ();
  for (uint32_t i = VALUE_TILE_W + threadIdx.x; i < VALUE_TILE_PIXELS; i += VALUE_THREADS)
    unite_up<CONNECTIVITY> (s, i % VALUE_TILE_W, i / VALUE_TILE_W);
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < VALUE_TILE_PIXELS; i += VALUE_THREADS) {
    const uint32_t x = tile_x + i % VALUE_TILE_W, y = tile_y + i / VALUE_TILE_W;
    if (x >= f.width || y >= f.height)
      continue;
    const uint32_t root = find (s.parents, i);
    v.parents[y * f.width + x] = s.values[i / VALUE_TILE_W][i % VALUE_TILE_W] == NO_VALUE
                                     ? NO_COMPONENT
                                     : (tile_y + root / VALUE_TILE_W) * f.width + tile_x + root % VALUE_TILE_W;
  }
}

/* --- Seams --- */

/* Pixel X, Y of a tile's first row, and the row above. What a pixel before unites is left out, but not at a tile's corner:
 * there either seam would rely on the other. */
template <int CONNECTIVITY>
__device__ inline void
unite_rows (const CcaKernelArgs &f, const ValueArgs &v, uint32_t x, uint32_t y)
{
  auto at = [&] (int32_t dx, int32_t dy) { return value_at (f, v.background, (int32_t) x + dx, (int32_t) y + dy); };
  const int32_t value = at (0, 0);
  if (value == NO_VALUE)
    return;
  const uint32_t here = y * f.width + x, above = here - f.width;
  if (at (0, -1) == value) {
    if (x % VALUE_TILE_W == 0 || at (-1, 0) != value || at (-1, -1) != value)
      unite (v.parents, here, above);
  } else if (CONNECTIVITY == 8) {
    if (at (-1, -1) == value && at (-1, 0) != value)
      unite (v.parents, here, above - 1);
    if (at (1, -1) == value && at (1, 0) != value)
      unite (v.parents, here, above + 1);
  }
}

/* Pixel X, Y of a tile's first column, and the column before. Both diagonals, but for the tile's first row: these are
 * those of unite_rows(). */
template <int CONNECTIVITY>
__device__ inline void
unite_columns (const CcaKernelArgs &f, const ValueArgs &v, uint32_t x, uint32_t y)
{
  auto at = [&] (int32_t dx, int32_t dy) { return value_at (f, v.background, (int32_t) x + dx, (int32_t) y + dy); };
  const int32_t value = at (0, 0), left = at (-1, 0), up = at (0, -1), up_left = at (-1, -1);
  const uint32_t here = y * f.width + x;
  if (value != NO_VALUE && value == left) {
    if (y % VALUE_TILE_H == 0 || up != value || up_left != value)
      unite (v.parents, here, here - 1);
  } else if (CONNECTIVITY == 8 && y % VALUE_TILE_H) {
    if (value != NO_VALUE && up_left == value && up != value)
      unite (v.parents, here, here - f.width - 1);
    if (left != NO_VALUE && up == left && up_left != left)
      unite (v.parents, here - 1, here - f.width);
  }
}

/* A thread a pixel of the seams. */
template <int CONNECTIVITY>
__global__ void
__launch_bounds__ (SEAM_THREADS)
    value_seam_kernel (const __grid_constant__ CcaKernelArgs f, const __grid_constant__ ValueArgs v, uint32_t in_rows)
{
  const uint32_t i = blockIdx.x * SEAM_THREADS + threadIdx.x;
  if (i < in_rows) {
    unite_rows<CONNECTIVITY> (f, v, i % f.width, (i / f.width + 1) * VALUE_TILE_H);
  } else {
    const uint32_t x = ((i - in_rows) / f.height + 1) * VALUE_TILE_W;
    if (x < f.width)
      unite_columns<CONNECTIVITY> (f, v, x, (i - in_rows) % f.height);
  }
}

/* --- Numbers --- */

__device__ inline uint32_t
number_of (const ValueArgs &v, uint32_t root)
{
  return v.by_word.numbers[root / 32] + __popc (v.by_word.roots[root / 32] & ((1u << root % 32) - 1));
}

/* A CTA takes NUMBER_PIXELS pixels, a warp 32 words, and in the end a thread a word. */
__global__ void
__launch_bounds__ (NUMBER_THREADS)
    value_number_kernel (const __grid_constant__ CcaKernelArgs f, const __grid_constant__ ValueArgs v)
{
  __shared__ uint32_t warp_sums[NUMBER_THREADS / 32], ticket;
  const uint32_t t = threadIdx.x, lane = t % 32, pixels = f.width * f.height;
  if (t == 0)
    ticket = atomicAdd (&v.counters->number_ticket, 1);
  __syncthreads ();
  const uint32_t first = ticket * NUMBER_PIXELS, first_of_warp = first + t / 32 * 1024;
  uint32_t word = 0;
  for (uint32_t i = 0; i < 32; i++) {
    const uint32_t pixel = first_of_warp + i * 32 + lane;
    uint32_t root = NO_COMPONENT;
    if (pixel < pixels) {
      const uint32_t up = *(volatile uint32_t *) &v.parents[pixel];
      if (up != NO_COMPONENT) {
        root = find (v.parents, up);
        if (root != up)
          *(volatile uint32_t *) &v.parents[pixel] = root;
      }
    }
    const uint32_t roots = __ballot_sync (~0u, root == pixel && pixel < pixels);
    word = lane == i ? roots : word;
  }
  uint32_t found;
  uint32_t number = device_scan<NUMBER_THREADS> (__popc (word), v.number_states, ticket, warp_sums, &found);
  if (first + t * 32 < pixels) {
    v.by_word.roots[first / 32 + t] = word;
    v.by_word.numbers[first / 32 + t] = number;
  }
  for (uint32_t rest = word; rest && number < f.closed.capacity; rest &= rest - 1, number++) {
    v.by_component.roots[number] = first + t * 32 + __ffs (rest) - 1;
    v.by_component.sums[number] = {0, 0, 0, ~0u, 0, 0};
    if (v.by_component.moments)
      v.by_component.moments[number] = {0, 0, 0};
  }
  if (ticket == gridDim.x - 1 && t == 0)
    v.counters->found = found;
}

/* --- Sums --- */

/* A CTA a tile. A lane adds up the pixels of a run within 32 pixels. */
template <bool MOMENTS>
__global__ void
__launch_bounds__ (VALUE_THREADS)
    value_sum_kernel (const __grid_constant__ CcaKernelArgs f, const __grid_constant__ ValueArgs v)
{
  __shared__ ValueSums<MOMENTS> table;
  const uint32_t lane = threadIdx.x % 32, across = ctr_div_up (f.width, VALUE_TILE_W);
  const uint32_t tile_x = blockIdx.x % across * VALUE_TILE_W, tile_y = blockIdx.x / across * VALUE_TILE_H;
  if (v.counters->found > f.closed.capacity) /* The frame is done again. */
    return;
  table.clear ();
  __syncthreads ();
  for (uint32_t i = threadIdx.x / 32; i < 2 * VALUE_TILE_H; i += VALUE_WARPS) {
    const uint32_t x = tile_x + i % 2 * 32 + lane, y = tile_y + i / 2;
    const uint32_t root = x < f.width && y < f.height ? v.parents[y * f.width + x] : NO_COMPONENT;
    const uint32_t before = __shfl_up_sync (~0u, root, 1);
    const uint32_t starts = __ballot_sync (~0u, lane == 0 || root != before);
    if (root == NO_COMPONENT || !(starts >> lane & 1))
      continue;
    const uint32_t later = starts & ~(2u * (1u << lane) - 1), area = (later ? __ffs (later) - 1 : 32) - lane;
    PixelSums s = {};
    s.area = area;
    s.sum_x = (unsigned long long) (2 * x + area - 1) * area / 2;
    s.sum_y = (unsigned long long) y * area;
    s.left = x;
    s.right = x + area - 1;
    s.bottom = y;
    if (MOMENTS) {
      s.xx = squares_before ((unsigned long long) x + area) - squares_before (x);
      s.xy = s.sum_x * y;
      s.yy = s.sum_y * y;
    }
    table.add (v, number_of (v, root), s);
  }
  __syncthreads ();
  table.flush (v);
}

/* --- Rows --- */

/* Writes ROW, if there is room for it, of the component with NUMBER. */
__device__ inline void
write_row (const CcaKernelArgs &f, const ValueArgs &v, uint32_t number, uint32_t row)
{
  if (row >= f.table.capacity)
    return;
  const OpenSums n = v.by_component.sums[number];
  const uint32_t root = v.by_component.roots[number], y = root / f.width, x = root % f.width;
  CtrComponent c;
  c.sum_x = n.sum_x;
  c.sum_y = n.sum_y;
  c.area = n.area;
  c.left = n.left;
  c.top = y;
  c.width = n.right - n.left + 1;
  c.height = n.bottom - y + 1;
  c.start_x = x;
  c.value = value_at (f, NO_VALUE, x, y);
  f.table.components[row] = c;
  if (f.by_table_row.moments)
    f.by_table_row.moments[row] = v.by_component.moments[number];
  if (f.by_table_row.grey)
    f.by_table_row.grey[row] = {
        (uint64_t) c.area * c.value, (uint64_t) c.area * c.value * c.value, c.value, c.value, 0};
}

/* A CTA takes ROW_COMPONENTS components, as many CTAs as may be needed. The last one with any writes the header. */
__global__ void
__launch_bounds__ (ROW_THREADS)
    value_row_kernel (const __grid_constant__ CcaKernelArgs f, const __grid_constant__ ValueArgs v)
{
  __shared__ uint32_t warp_sums[ROW_THREADS / 32], ticket;
  const uint32_t t = threadIdx.x, found = v.counters->found;
  if (t == 0)
    ticket = atomicAdd (&v.counters->row_ticket, 1);
  __syncthreads ();
  const uint32_t first = ticket * ROW_COMPONENTS;
  const bool limited = f.min_area > 1 || f.max_area;
  if (found > f.closed.capacity) {
    if (ticket == 0 && t == 0) {
      *f.header = {limited ? 0 : found, found, 0, 0};
      *f.numbers = {0, f.header->count, 0};
    }
    return;
  }
  if (first >= found && ticket > 0)
    return;
  bool keep[ROWS_A_THREAD];
  uint32_t own = 0, kept;
  for (int k = 0; k < ROWS_A_THREAD; k++) {
    const uint32_t number = first + t * ROWS_A_THREAD + k;
    keep[k] = number < found && is_area_kept (f, v.by_component.sums[number].area);
    own += keep[k];
  }
  uint32_t row = device_scan<ROW_THREADS> (own, v.row_states, ticket, warp_sums, &kept);
  for (int k = 0; k < ROWS_A_THREAD; k++) {
    const uint32_t number = first + t * ROWS_A_THREAD + k;
    if (number < found)
      v.by_component.labels[number] = keep[k] ? row + 1 : 0;
    if (keep[k])
      write_row (f, v, number, row++);
  }
  if (t == 0 && first + ROW_COMPONENTS >= found) {
    *f.header = {kept, found, 0, kept <= f.table.capacity};
    *f.numbers = {f.header->rows_complete, kept, 0};
  }
}

__global__ void
__launch_bounds__ (LABEL_THREADS)
    value_label_kernel (const __grid_constant__ CcaKernelArgs f, const __grid_constant__ ValueArgs v)
{
  if (!f.header->rows_complete)
    return;
  const uint32_t pixels = f.width * f.height, step = gridDim.x * LABEL_THREADS;
  for (uint64_t pixel = blockIdx.x * LABEL_THREADS + threadIdx.x; pixel < pixels; pixel += step) {
    const uint32_t root = v.parents[pixel];
    v.parents[pixel] = root == NO_COMPONENT ? 0 : v.by_component.labels[number_of (v, root)];
  }
}

} // namespace

size_t
cca_lay_out_values (const CcaKernelArgs *f, bool moments, ValueArgs *v, uint8_t *base)
{
  const size_t pixels = (size_t) f->width * f->height, words = (pixels + 31) / 32, components = f->closed.capacity;
  ArenaLayout c = {base, 0};
  v->counters = c.take<ValueCounters> (1);
  v->by_word.roots = c.take<uint32_t> (words);
  v->by_word.numbers = c.take<uint32_t> (words);
  v->number_states = c.take<unsigned long long> (pixels / NUMBER_PIXELS + 1);
  v->row_states = c.take<unsigned long long> (components / ROW_COMPONENTS + 1);
  v->by_component.sums = c.take<OpenSums> (components);
  v->by_component.roots = c.take<uint32_t> (components);
  v->by_component.labels = c.take<uint32_t> (components);
  v->by_component.moments = moments ? c.take<CtrComponentMoments> (components) : NULL;
  return c.used;
}

void
cca_launch_values (const CcaKernelArgs &f, const ValueArgs &v, int connectivity, cudaStream_t stream)
{
  const unsigned pixels = f.width * f.height;
  const unsigned across = ctr_div_up (f.width, VALUE_TILE_W), down = ctr_div_up (f.height, VALUE_TILE_H);
  const uint32_t in_rows = (down - 1) * f.width, in_columns = (across - 1) * f.height;
  auto tiles = connectivity == 8 ? value_tile_kernel<8> : value_tile_kernel<4>;
  auto seams = connectivity == 8 ? value_seam_kernel<8> : value_seam_kernel<4>;
  auto sums = v.by_component.moments ? value_sum_kernel<true> : value_sum_kernel<false>;
  ctr_launch (tiles, across * down, VALUE_THREADS, 0, stream, f, v);
  if (in_rows + in_columns)
    ctr_launch (seams, ctr_div_up (in_rows + in_columns, SEAM_THREADS), SEAM_THREADS, 0, stream, f, v, in_rows);
  ctr_launch (value_number_kernel, ctr_div_up (pixels, NUMBER_PIXELS), NUMBER_THREADS, 0, stream, f, v);
  ctr_launch (sums, across * down, VALUE_THREADS, 0, stream, f, v);
  ctr_launch (value_row_kernel, ctr_div_up (f.closed.capacity, ROW_COMPONENTS), ROW_THREADS, 0, stream, f, v);
  if (f.by_pixel.labels)
    ctr_launch (value_label_kernel, min (ctr_div_up (pixels, LABEL_THREADS), 1u << 16), LABEL_THREADS, 0, stream, f, v);
}
