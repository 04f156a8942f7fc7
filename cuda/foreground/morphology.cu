/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening and closing of a packed mask, or of what samples and a threshold give, in one launch.
 *
 * A CTA loads a tile with a margin as wide as all passes reach, and goes from pass to pass in shared memory. A row of it has
 * 32 words, one for each lane of a warp. Samples save the launch that would pack their mask, but the margins are loaded
 * more than once: where passes reach far, the mask is packed before.
 *
 * An erosion is in erosion.cuh. A dilation is the erosion of the complement, so the same code does
 * both: the mask is complemented where the next pass is of the other kind. Pixels outside the image are 1 before every
 * pass, and thus never the extreme.
 *
 * An element is a union of slabs: rectangles around the anchor, each narrower and higher than the one before. A rectangle
 * has one slab. Two dilations by rectangles, which follow each other where a mask is opened and closed, are one by their
 * sum: from a pixel to another of the image, a step of either can end inside the image. */
#include "cuda/common/graph.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/foreground/erosion.cuh"
#include "cuda/foreground/foreground.h"
#include "cuda/foreground/grey_pieces.cuh"

namespace
{

constexpr int THREADS = 512, WARPS = THREADS / 32;
constexpr uint32_t DEFAULT_SHARED = 48 << 10; /* bytes that a kernel may use without being asked */
constexpr uint32_t LEAST_ROWS = 8;

constexpr uint32_t MAX_SLABS = CTR_MAX_SHAPE_SIZE / 2 + 1; /* of an element: the lengths of its rows on one side */
constexpr uint32_t MAX_PASSES = 4;

struct MorphologyArgs {
  const uint32_t *from;  /* packed, */
  const uint8_t *pixels; /* or samples; */
  size_t stride;
  const uint32_t *threshold_at;      /* on the device; NULL: it is THRESHOLD */
  uint32_t threshold, end, inverted; /* of between_levels(); ~0: the complement of that */
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

/* Where a tile comes from: from a packed mask, */
struct PackedSource {
  static constexpr int loads = 4; /* rows that a warp has under way */
  uint32_t words[loads];

  __device__ void
  load (const MorphologyArgs &f, int i, uint32_t x, uint32_t y)
  {
    words[i] = f.from[(size_t) y * f.from_stride + x];
  }

  __device__ uint32_t
  word (const MorphologyArgs &, int i) const
  {
    return words[i];
  }
};

/* or from samples, two pieces a word. */
template <typename Sample> struct SampleSource {
  static constexpr int loads = sizeof (Sample) == 1 ? 4 : 2, count = 4 * sizeof (Sample);
  uint32_t words[loads][2][count];

  __device__ void
  load (const MorphologyArgs &f, int i, uint32_t x, uint32_t y)
  {
    load_grey<Sample> (f, 32 * x, y, words[i][0]);
    load_grey<Sample> (f, 32 * x + PIXELS, y, words[i][1]);
  }

  __device__ uint32_t
  word (const MorphologyArgs &f, int i) const
  {
    const uint32_t threshold = f.threshold_at ? *f.threshold_at : f.threshold;
    return (between_levels<Sample> (words[i][0], threshold, f.end)
               | between_levels<Sample> (words[i][1], threshold, f.end) << PIXELS)
           ^ f.inverted;
  }
};

/* A CTA makes COUNT rows from row FIRST on of an image of this WIDTH and HEIGHT, which begins with row TOP. WAITS: until the kernel
 * before has ended. */
template <typename Source, bool WAITS>
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
  for (uint32_t first = warp; first < rows; first += WARPS * Source::loads) {
    Source source = {};
    uint32_t neutral[Source::loads];
#pragma unroll
    for (int i = 0; i < Source::loads; i++) { /* all loads before the first store */
      const uint32_t row = first + i * WARPS;
      const bool in_image = inside && (uint32_t) (y + (int) row) < height && row < rows;
      neutral[i] = in_image ? ~inside : ~0u;
      if (in_image)
        source.load (f, i, (uint32_t) x, top + (uint32_t) (y + (int) row));
    }
#pragma unroll
    for (int i = 0; i < Source::loads; i++)
      if (first + i * WARPS < rows)
        from[(first + i * WARPS) * ROW_WORDS] = (source.word (f, i) ^ f.flip) | neutral[i];
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
template <typename Source, bool ATLAS>
__global__ void
__launch_bounds__ (THREADS, 2) morphology_kernel (const __grid_constant__ MorphologyArgs f)
{
  extern __shared__ __align__ (16) uint32_t memory[];
  const uint32_t first = blockIdx.y * f.rows;
  if (!ATLAS) {
    work_on_tile<Source, true> (f, memory, f.width, f.height, 0, first, f.rows);
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
      work_on_tile<Source, false> (f, memory, region.width, region.height, region.top, from - region.top, to - from);
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

/* Queues the kernel. F has where the tiles come from. OVERLAPS: the kernel before lets this one start early. */
bool
queue (void (*kernel) (MorphologyArgs), MorphologyArgs *f, const PackedMask *to, const CtrForeground *foreground,
    bool overlaps, cudaStream_t stream, CtrError *error)
{
  dim3 grid;
  uint32_t shared = 0;
  int device = 0, major = 0;
  f->to = to->bits;
  f->to_stride = (uint32_t) (to->stride / sizeof (uint32_t));
  f->width = to->width;
  f->height = to->height;
  f->words = (uint32_t) (ctr_packed_row (to->width) / sizeof (uint32_t));
  plan_passes (f, foreground);
  CTR_CUDA (cudaGetDevice (&device));
  CTR_CUDA (cudaDeviceGetAttribute (&major, cudaDevAttrComputeCapabilityMajor, device));
  if (!plan_tiles (f, device, &grid, &shared, error))
    return false;
  if (shared > DEFAULT_SHARED)
    CTR_CUDA (cudaFuncSetAttribute (kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int) shared));
  ctr_launch_overlapped (
      overlaps && major >= 9 && cuda_graph_takes_overlap (), kernel, grid, THREADS, shared, stream, *f);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

} // namespace

bool
foreground_queue_morphology (const PackedMask *mask, const PackedMask *to, const CtrForeground *foreground,
    const DeviceRegions *regions, cudaStream_t stream, CtrError *error)
{
  MorphologyArgs f = {};
  if (regions)
    f.regions = *regions;
  f.from = mask->bits;
  f.from_stride = (uint32_t) (mask->stride / sizeof (uint32_t));
  return queue (regions ? morphology_kernel<PackedSource, true> : morphology_kernel<PackedSource, false>, &f, to,
      foreground, true, stream, error);
}

bool
foreground_queue_morphology_of_levels (const CtrImage *plane, const CtrForeground *foreground,
    const uint32_t *threshold, const PackedMask *to, cudaStream_t stream, CtrError *error)
{
  MorphologyArgs f = {};
  f.pixels = (const uint8_t *) plane->data;
  f.stride = plane->stride;
  f.threshold_at = threshold;
  f.threshold = foreground->threshold;
  f.end = end_of_levels (foreground);
  f.inverted = foreground->invert ? ~0u : 0;
  return queue (plane->format == CTR_FORMAT_GRAY16 ? morphology_kernel<SampleSource<uint16_t>, false>
                                                   : morphology_kernel<SampleSource<uint8_t>, false>,
      &f, to, foreground, false, stream, error);
}
