/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening and closing of a packed mask, in one launch.
 *
 * A CTA loads a tile with a margin as wide as all passes reach, and goes from pass to pass in shared memory. A row of it has
 * 32 words, one for each lane of a warp.
 *
 * An erosion is the AND of the pixels under the element. A dilation is the erosion of the complement, so the same code does
 * both: the mask is complemented where the next pass is of the other kind. Pixels outside the image are 1 before every
 * pass, and thus never the extreme.
 *
 * An element is a union of slabs: rectangles around the anchor, each narrower and higher than the one before. A rectangle
 * has one slab. Two dilations by rectangles, which follow each other where a mask is opened and closed, are one by their
 * sum: from a pixel to another of the image, a step of either can end inside the image. */
#include "cuda/common/graph.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/foreground/foreground.h"

namespace
{

constexpr int THREADS = 512, WARPS = THREADS / 32;
constexpr uint32_t ROW_WORDS = 32;
constexpr int STRIP = 4;                      /* rows that a warp makes at a time */
constexpr uint32_t DIRECT_REACH = 8;          /* pixels of a row that are combined one by one */
constexpr uint32_t MOST_SQUARE = 8;           /* reach of the squares that have code of their own */
constexpr int LOADS = 4;                      /* rows that a warp loads at a time */
constexpr uint32_t DEFAULT_SHARED = 48 << 10; /* bytes that a kernel may use without being asked */
constexpr uint32_t LEAST_ROWS = 8;

/* Pixels that a rectangle reaches from the anchor. LEFT is at least RIGHT, and at most 31. */
struct Slab {
  uint8_t left, right, above, below;
};

constexpr uint32_t MAX_SLABS = CTR_MAX_SHAPE_SIZE / 2 + 1; /* of an element: the lengths of its rows on one side */
constexpr uint32_t MAX_PASSES = 4;

struct Pass {
  uint32_t flip;         /* ~0: the result is complemented */
  uint16_t first, count; /* slabs */
  uint8_t above, below;  /* of the element */
  uint8_t square;        /* the element is a square with this reach; 0: another one */
};

struct MorphologyArgs {
  const uint32_t *from;
  uint32_t *to;
  uint32_t from_stride, to_stride; /* words */
  uint32_t width, height, words;   /* pixels; of a packed row */
  DeviceRegions regions;           /* of an atlas, each by itself; count 0: the mask is whole */
  uint32_t margin;                 /* words on either side of a tile */
  uint32_t rows;                   /* of a tile */
  uint32_t above, below;           /* rows that all passes reach */
  uint32_t flip;                   /* ~0: the first pass takes the complement */
  uint32_t pass_count;
  Pass passes[MAX_PASSES];
  Slab slabs[2 * MAX_SLABS];
};

/* SIDE is the word before or, FORWARD, behind WORD. Returns the AND of each pixel of WORD with the REACH < 32 ones before or
 * behind it. Runs of pixels double. */
template <bool FORWARD>
__device__ inline uint32_t
and_run (uint32_t word, uint32_t side, uint32_t reach)
{
  uint32_t run = 1;
#pragma unroll 1
  for (; 2 * run <= reach + 1; run *= 2) {
    word &= FORWARD ? __funnelshift_r (word, side, run) : __funnelshift_l (side, word, run);
    side &= FORWARD ? side >> run : side << run;
  }
  const uint32_t rest = reach + 1 - run;
  return word & (FORWARD ? __funnelshift_r (word, side, rest) : __funnelshift_l (side, word, rest));
}

/* The AND of each pixel with the LEFT ones before it and the RIGHT ones behind it in the row. */
template <int ROWS>
__device__ inline void
and_along_rows (uint32_t rows[ROWS], uint32_t left, uint32_t right)
{
  if (left == 0)
    return;
  uint32_t before[ROWS], behind[ROWS], result[ROWS];
#pragma unroll
  for (int j = 0; j < ROWS; j++) {
    before[j] = __shfl_up_sync (~0u, rows[j], 1); /* Where there is no such lane, the result is in the margin. */
    behind[j] = __shfl_down_sync (~0u, rows[j], 1);
    result[j] = rows[j];
  }
  if (left <= DIRECT_REACH) {
    uint32_t k = 1;
#pragma unroll 1
    for (; k <= right; k++)
#pragma unroll
      for (int j = 0; j < ROWS; j++)
        result[j] &= __funnelshift_r (rows[j], behind[j], k) & __funnelshift_l (before[j], rows[j], k);
#pragma unroll 1
    for (; k <= left; k++)
#pragma unroll
      for (int j = 0; j < ROWS; j++)
        result[j] &= __funnelshift_l (before[j], rows[j], k);
  } else {
#pragma unroll
    for (int j = 0; j < ROWS; j++)
      result[j] = and_run<true> (rows[j], behind[j], right) & and_run<false> (rows[j], before[j], left);
  }
#pragma unroll
  for (int j = 0; j < ROWS; j++)
    rows[j] = result[j];
}

/* RESULT: ROWS successive rows of the erosion by SLABS[COUNT]. FROM: the lane's word of the first row that the first of them
 * depends on. All rows depend on the pixels that they share, CORE, and on some above and below. ROWS - 1 <= the height of
 * each slab. */
template <int ROWS>
__device__ inline void
erode_rows (const uint32_t *from, const Slab *slabs, uint32_t count, uint32_t result[ROWS])
{
  const int above = slabs[count - 1].above; /* the highest */
  const auto row = [&] (int y) { return from[(above + y) * (int) ROW_WORDS]; };
  uint32_t core = ~0u;
  int first = ROWS - 1 - slabs[0].above, last = first - 1; /* of the core */
#pragma unroll
  for (int j = 0; j < ROWS; j++)
    result[j] = ~0u;
#pragma unroll 1
  for (uint32_t i = 0; i < count; i++) {
    const Slab slab = slabs[i];
#pragma unroll 1
    while (first > ROWS - 1 - slab.above)
      core &= row (--first);
#pragma unroll 4
    while (last < slab.below)
      core &= row (++last);
    uint32_t upper = core, lower = ~0u, under[ROWS];
    under[ROWS - 1] = core;
#pragma unroll
    for (int j = ROWS - 2; j >= 0; j--)
      under[j] = upper &= row (j - slab.above);
#pragma unroll
    for (int j = 1; j < ROWS; j++)
      under[j] &= lower &= row (slab.below + j);
    and_along_rows<ROWS> (under, slab.left, slab.right);
#pragma unroll
    for (int j = 0; j < ROWS; j++)
      result[j] &= under[j];
  }
}

/* The same for a square that reaches REACH pixels on all sides. */
template <int REACH>
__device__ inline void
erode_rows_by_square (const uint32_t *from, uint32_t result[STRIP])
{
  constexpr int size = 2 * REACH + 1;
  uint32_t rows[size + STRIP - 1], core = ~0u, lower = ~0u;
#pragma unroll
  for (int i = 0; i < size + STRIP - 1; i++)
    rows[i] = from[i * (int) ROW_WORDS];
#pragma unroll
  for (int i = STRIP - 1; i < size; i++)
    core &= rows[i];
  result[STRIP - 1] = core;
#pragma unroll
  for (int j = STRIP - 2; j >= 0; j--)
    result[j] = core &= rows[j];
#pragma unroll
  for (int j = 1; j < STRIP; j++)
    result[j] &= lower &= rows[size + j - 1];
#pragma unroll
  for (int j = 0; j < STRIP; j++) {
    const uint32_t own = result[j], before = __shfl_up_sync (~0u, own, 1), behind = __shfl_down_sync (~0u, own, 1);
#pragma unroll
    for (int k = 1; k <= REACH; k++)
      result[j] &= __funnelshift_r (own, behind, k) & __funnelshift_l (before, own, k);
  }
}

/* STRIP rows of a pass. */
__device__ inline void
erode_strip (const uint32_t *from, const Pass &pass, const Slab *slabs, uint32_t result[STRIP])
{
  static_assert (MOST_SQUARE == 8, "each square has a case");
  switch (pass.square) {
    case 1:
      return erode_rows_by_square<1> (from, result);
    case 2:
      return erode_rows_by_square<2> (from, result);
    case 3:
      return erode_rows_by_square<3> (from, result);
    case 4:
      return erode_rows_by_square<4> (from, result);
    case 5:
      return erode_rows_by_square<5> (from, result);
    case 6:
      return erode_rows_by_square<6> (from, result);
    case 7:
      return erode_rows_by_square<7> (from, result);
    case 8:
      return erode_rows_by_square<8> (from, result);
  }
  if (pass.count == 1 && pass.above + pass.below >= STRIP - 2) {
    erode_rows<STRIP> (from, slabs, 1, result);
  } else {
    erode_rows<STRIP / 2> (from, slabs, pass.count, result);
    erode_rows<STRIP / 2> (from + STRIP / 2 * ROW_WORDS, slabs, pass.count, result + STRIP / 2);
  }
}

/* A CTA makes COUNT rows from row FIRST on of an image of this WIDTH and HEIGHT, which begins with row TOP. WAITS: until the kernel
 * before has ended. */
template <bool WAITS>
__device__ inline void
work_on_tile (const MorphologyArgs &f, uint32_t *memory, uint32_t width, uint32_t height, uint32_t top,
    uint32_t first_row, uint32_t count)
{
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int core = ROW_WORDS - 2 * f.margin, x = (int) (blockIdx.x * core + lane - f.margin);
  int y = (int) (first_row - f.above); /* of the first row in memory */
  uint32_t rows = count + f.above + f.below;
  uint32_t inside = 0; /* pixels of the lane's words that are in the image */
  if (x >= 0 && 32 * (uint32_t) x < width)
    inside = width - 32 * x >= 32 ? ~0u : (1u << (width - 32 * x)) - 1;
  const bool writes = lane >= f.margin && lane < f.margin + core && x < (int) f.words;
  uint32_t *from = memory + lane, *to = from + (f.rows + f.above + f.below + STRIP - 1) * ROW_WORDS;
  if (WAITS) {
    ctr_let_next_start ();
    ctr_wait_for_previous ();
  }
#pragma unroll 1
  for (uint32_t first = warp; first < rows; first += WARPS * LOADS) {
    uint32_t words[LOADS], neutral[LOADS];
#pragma unroll
    for (int i = 0; i < LOADS; i++) { /* all loads before the first store */
      const uint32_t row = first + i * WARPS;
      const bool in_image = inside && (uint32_t) (y + (int) row) < height && row < rows;
      words[i] = in_image ? f.from[(size_t) (top + (uint32_t) (y + (int) row)) * f.from_stride + x] : 0;
      neutral[i] = in_image ? ~inside : ~0u;
    }
#pragma unroll
    for (int i = 0; i < LOADS; i++)
      if (first + i * WARPS < rows)
        from[(first + i * WARPS) * ROW_WORDS] = (words[i] ^ f.flip) | neutral[i];
  }
#pragma unroll 1
  for (uint32_t i = 0; i < f.pass_count; i++) {
    const Pass pass = f.passes[i];
    rows -= pass.above + pass.below;
    y += pass.above;
    __syncthreads ();
#pragma unroll 1
    for (uint32_t row = warp * STRIP; row < rows; row += WARPS * STRIP) {
      uint32_t result[STRIP];
      erode_strip (from + row * ROW_WORDS, pass, f.slabs + pass.first, result);
      if (i + 1 < f.pass_count) {
        uint32_t *const strip = to + row * ROW_WORDS;
#pragma unroll
        for (int j = 0; j < STRIP; j++) { /* Those behind the last row are never used. */
          const bool in_image = (uint32_t) (y + (int) row + j) < height;
          strip[j * ROW_WORDS] = (result[j] ^ pass.flip) | ~(in_image ? inside : 0);
        }
      } else if (writes) {
        const uint32_t first = (uint32_t) y + row, end = min ((uint32_t) y + rows, height);
        uint32_t *const strip = f.to + (size_t) (top + first) * f.to_stride + x;
#pragma unroll
        for (int j = 0; j < STRIP; j++)
          if (first + j < end)
            strip[j * f.to_stride] = (result[j] ^ pass.flip) & inside;
      }
    }
    uint32_t *const used = from;
    from = to;
    to = used;
  }
}

/* The lanes of the first warp write 0 to their words of a row. */
__device__ inline void
clear_row (const MorphologyArgs &f, uint32_t row)
{
  const uint32_t core = ROW_WORDS - 2 * f.margin, x = blockIdx.x * core + threadIdx.x;
  if (threadIdx.x < core && x < f.words)
    f.to[(size_t) row * f.to_stride + x] = 0;
}

/* A CTA has some rows of the mask: with an ATLAS perhaps the end of a region, others, and the beginning of one. */
template <bool ATLAS>
__global__ void
__launch_bounds__ (THREADS, 2) morphology_kernel (const __grid_constant__ MorphologyArgs f)
{
  extern __shared__ __align__ (16) uint32_t memory[];
  const uint32_t first = blockIdx.y * f.rows;
  if (!ATLAS) {
    work_on_tile<true> (f, memory, f.width, f.height, 0, first, f.rows);
    return;
  }
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t end = min (first + f.rows, f.height), core = ROW_WORDS - 2 * f.margin;
#pragma unroll 1
  for (uint32_t i = ctr_atlas_find (f.regions.places, f.regions.count, first);
       i < f.regions.count && f.regions.places[i].top < end; i++) {
    const CtrAtlasRegion region = f.regions.places[i];
    const uint32_t from = max (first, region.top), behind = region.top + region.height, to = min (end, behind);
    if (from < to && 32 * core * blockIdx.x < region.width) {
      work_on_tile<false> (f, memory, region.width, region.height, region.top, from - region.top, to - from);
      __syncthreads ();
    } else {
      for (uint32_t row = from; row < to; row++)
        clear_row (f, row);
    }
    if (behind >= first && behind < end)
      clear_row (f, behind); /* between two regions */
  }
}

/* Adds the slabs of an element. */
uint32_t
add_slabs (Slab *slabs, CtrShape shape, uint32_t size)
{
  CtrShapeRows rows;
  ctr_shape_rows (&rows, shape, size);
  const uint32_t anchor = size / 2;
  uint32_t count = 0, first = anchor, last = anchor; /* rows */
  for (;;) {
    const uint32_t left = rows.first[first] > rows.first[last] ? rows.first[first] : rows.first[last];
    const uint32_t right = rows.last[first] < rows.last[last] ? rows.last[first] : rows.last[last];
    while (first > 0 && rows.first[first - 1] <= left && rows.last[first - 1] >= right)
      first--;
    while (last + 1 < size && rows.first[last + 1] <= left && rows.last[last + 1] >= right)
      last++;
    slabs[count++] = {
        (uint8_t) (anchor - left), (uint8_t) (right - anchor), (uint8_t) (anchor - first), (uint8_t) (last - anchor)};
    if (first == 0 && last + 1 == size)
      return count;
    /* The longer of the next two rows has the next slab. */
    const bool up = first > 0
                    && (last + 1 == size
                        || rows.last[first - 1] - rows.first[first - 1] >= rows.last[last + 1] - rows.first[last + 1]);
    up ? first-- : last++;
  }
}

/* The passes of an opening, then a closing. */
void
plan_passes (MorphologyArgs *f, const CtrForeground *foreground)
{
  const uint32_t sizes[] = {foreground->open_size, foreground->close_size};
  uint16_t first[2], count[2], used = 0;
  bool dilates[MAX_PASSES] = {};
  for (int i = 0; i < 2; i++) {
    first[i] = used;
    count[i] = (uint16_t) (sizes[i] > 1 ? add_slabs (f->slabs + used, foreground->shape, sizes[i]) : 0);
    used += count[i];
  }
  const auto add = [&] (uint16_t first_slab, uint16_t slabs, bool dilation) {
    dilates[f->pass_count] = dilation;
    const Slab widest = f->slabs[first_slab], highest = f->slabs[first_slab + slabs - 1];
    const bool is_square = slabs == 1 && widest.left == widest.right && widest.left == widest.above
                           && widest.left == widest.below && widest.left <= MOST_SQUARE;
    f->passes[f->pass_count++] = {
        0, first_slab, slabs, highest.above, highest.below, (uint8_t) (is_square ? widest.left : 0)};
  };
  if (count[0])
    add (first[0], count[0], false);
  const Slab a = f->slabs[first[0]], b = f->slabs[first[1]];
  if (count[0] && count[1] && foreground->shape == CTR_SHAPE_RECTANGLE && a.left + b.left < 32) {
    f->slabs[used] = {(uint8_t) (a.left + b.left), (uint8_t) (a.right + b.right), (uint8_t) (a.above + b.above),
        (uint8_t) (a.below + b.below)};
    add (used, 1, true);
  } else {
    for (int i = 0; i < 2; i++)
      if (count[i])
        add (first[i], count[i], true);
  }
  if (count[1])
    add (first[1], count[1], false);
  if (f->pass_count == 0) { /* neither: an erosion by one pixel */
    f->slabs[0] = {};
    add (0, 1, false);
  }
  f->flip = dilates[0] ? ~0u : 0;
  for (uint32_t i = 0; i < f->pass_count; i++)
    f->passes[i].flip = dilates[i] != (i + 1 < f->pass_count && dilates[i + 1]) ? ~0u : 0;
}

/* Chooses the tiles: about two for each multiprocessor, where there is room for their rows. *SHARED: bytes. */
bool
plan_tiles (MorphologyArgs *f, int device, dim3 *grid, uint32_t *shared, CtrError *error)
{
  uint32_t left = 0, right = 0;
  for (uint32_t i = 0; i < f->pass_count; i++) {
    const Pass pass = f->passes[i];
    left += f->slabs[pass.first].left;
    right += f->slabs[pass.first].right;
    f->above += pass.above;
    f->below += pass.below;
  }
  f->margin = ctr_div_up (left > right ? left : right, 32);
  const uint32_t columns = ctr_div_up (f->words, ROW_WORDS - 2 * f->margin);
  int processors = 1, room = DEFAULT_SHARED;
  CTR_CUDA (cudaDeviceGetAttribute (&processors, cudaDevAttrMultiProcessorCount, device));
  const uint32_t extra = f->above + f->below + STRIP - 1, row_bytes = 2 * ROW_WORDS * sizeof (uint32_t);
  f->rows = ctr_div_up (ctr_div_up (f->height * columns, 2 * processors), STRIP) * STRIP;
  f->rows = f->rows < LEAST_ROWS ? LEAST_ROWS : f->rows;
  if ((extra + LEAST_ROWS) * row_bytes * 2 > DEFAULT_SHARED)
    CTR_CUDA (cudaDeviceGetAttribute (&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  const uint32_t most = room / row_bytes - extra; /* at least 5: all GPUs have 64 KB, of which this needs 62 */
  f->rows = f->rows < most ? f->rows : most;
  *grid = dim3 (columns, ctr_div_up (f->height, f->rows));
  *shared = (f->rows + extra) * row_bytes;
  return true;
}

} // namespace

bool
foreground_queue_morphology (const PackedMask *mask, const PackedMask *to, const CtrForeground *foreground,
    const DeviceRegions *regions, cudaStream_t stream, CtrError *error)
{
  MorphologyArgs f = {};
  const auto kernel = regions ? morphology_kernel<true> : morphology_kernel<false>;
  if (regions)
    f.regions = *regions;
  f.from = mask->bits;
  f.to = to->bits;
  f.from_stride = (uint32_t) (mask->stride / sizeof (uint32_t));
  f.to_stride = (uint32_t) (to->stride / sizeof (uint32_t));
  f.width = mask->width;
  f.height = mask->height;
  f.words = (uint32_t) (ctr_packed_row (mask->width) / sizeof (uint32_t));
  plan_passes (&f, foreground);
  dim3 grid;
  uint32_t shared = 0;
  int device = 0, major = 0;
  CTR_CUDA (cudaGetDevice (&device));
  CTR_CUDA (cudaDeviceGetAttribute (&major, cudaDevAttrComputeCapabilityMajor, device));
  if (!plan_tiles (&f, device, &grid, &shared, error))
    return false;
  if (shared > DEFAULT_SHARED)
    CTR_CUDA (cudaFuncSetAttribute (kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int) shared));
  ctr_launch_overlapped (major >= 9 && cuda_graph_takes_overlap (), kernel, grid, THREADS, shared, stream, f);
  CTR_CUDA (cudaGetLastError ());
  return true;
}
