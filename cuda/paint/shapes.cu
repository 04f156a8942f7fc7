/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels that draw. A point of a contour has a thread. The pixels of a longer segment or a large rectangle are
 * shared among threads. */
#include "cuda/paint/device_state.cuh"

#include "core/paint/raster.h"

namespace
{

constexpr uint32_t THREADS = 256;

/* Finds the ink word of each contour, a thread a contour. */
__global__ void
__launch_bounds__ (THREADS) colour_words_kernel (CtrPaintLines lines, uint32_t *words)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t row = blockIdx.x * THREADS + threadIdx.x;
  if (row < lines.count)
    words[row] = ctr_paint_contour_word (&lines, row);
}

/* The contour of point I. A warp calls it for 32 consecutive points, of which at least the first exists. */
__device__ uint32_t
find_contour (const CtrPaintLines &lines, uint64_t i)
{
  const uint32_t lane = threadIdx.x % 32;
  const uint64_t start = i - lane;
  uint32_t low = 0, high = lines.count;
  while (high - low > 1) {
    const uint32_t step = (high - low + 31) / 32;
    const uint64_t probe = low + (uint64_t) lane * step;
    const uint32_t before = __ballot_sync (~0u, probe < high && lines.table[probe].first <= start);
    low += (__popc (before) - 1) * step;
    high = min (high, low + step);
  }
  /* First points of the contours after it, as indices among the warp's points. */
  const uint64_t row = (uint64_t) low + 1 + lane;
  const uint64_t away = row < lines.count ? lines.table[row].first - start : 32;
  const uint32_t begin = (uint32_t) min (away, (uint64_t) 32);
  uint32_t count = 0;
  for (uint32_t bit = 16; bit; bit /= 2)
    if (__shfl_sync (~0u, begin, count + bit - 1) <= lane)
      count += bit;
  return low + count;
}

__device__ uint32_t
word_of (const CtrPaintLines &lines, const uint32_t *words, uint32_t row)
{
  return words ? words[row] : ctr_paint_contour_word (&lines, row);
}

/* The threads of a CTA share longer segments: a single thread would wait for each pixel in turn. */
constexpr uint32_t MAX_OWN_STEPS = 1;

/* The longer segments of a CTA's points, in shared memory. */
struct SharedStrokes {
  CtrPaintStroke strokes[THREADS];
  uint32_t words[THREADS];
  uint32_t begins[THREADS];  /* each stroke's first step that is inside the picture */
  uint32_t offsets[THREADS]; /* index of this step among the steps of all strokes */
  uint32_t warps[THREADS / 32];
};

/* The sum of COUNT over the threads before this one; *TOTAL: over all. The whole CTA calls it. */
__device__ uint32_t
exclusive_sum (uint32_t *warps, uint32_t count, uint32_t *total)
{
  const uint32_t lane = threadIdx.x % 32;
  uint32_t sum = count, before = 0;
  for (uint32_t d = 1; d < 32; d *= 2) {
    const uint32_t other = __shfl_up_sync (~0u, sum, d);
    sum += lane >= d ? other : 0;
  }
  if (lane == 31)
    warps[threadIdx.x / 32] = sum;
  __syncthreads ();
  *total = 0;
  for (uint32_t warp = 0; warp < THREADS / 32; warp++) {
    before += warp < threadIdx.x / 32 ? warps[warp] : 0;
    *total += warps[warp];
  }
  return before + sum - count;
}

/* Draws step K of all shared strokes. */
template <bool BLEND>
__device__ void
draw_shared_step (const CtrPaintTarget &target, const CtrPaintLines &lines, const SharedStrokes &shared, uint32_t k)
{
  uint32_t slot = 0, high = THREADS;
  while (high - slot > 1) {
    const uint32_t middle = (slot + high) / 2;
    if (shared.offsets[middle] <= k)
      slot = middle;
    else
      high = middle;
  }
  const uint32_t step = shared.begins[slot] + (k - shared.offsets[slot]);
  ctr_paint_walk (&target, BLEND, &lines, &shared.strokes[slot], shared.words[slot], step, step + 1, 1);
}

/* Draws lines, a thread a point. SPLIT CTAs have the same THREADS points and share their long segments. */
template <bool BLEND>
__global__ void
__launch_bounds__ (THREADS)
    lines_kernel (CtrPaintTarget target, CtrPaintLines lines, const uint32_t *words, uint32_t split)
{
  __shared__ SharedStrokes shared;
  const uint32_t part = blockIdx.x % split;
  uint32_t begin = 0, end = 0, total;
  ctr_let_next_start ();
  ctr_wait_for_previous ();

  const uint64_t i = (uint64_t) (blockIdx.x / split) * THREADS + threadIdx.x;
  if (i - threadIdx.x % 32 < lines.point_count) {
    const uint32_t row = find_contour (lines, i);
    if (i < lines.point_count && ctr_paint_is_drawn (&lines, row)) {
      const CtrContour *contour = &lines.table[row];
      CtrPaintStroke stroke;
      if (ctr_paint_stroke (&lines, contour, (uint32_t) (i - contour->first), &stroke)) {
        const uint32_t word = BLEND ? 0 : word_of (lines, words, row);
        ctr_paint_clip (&stroke.segment, &lines, &target.picture, &begin, &end);
        if (end <= MAX_OWN_STEPS) {
          if (part == 0)
            ctr_paint_walk (&target, BLEND, &lines, &stroke, word, begin, end, 1);
          end = begin;
        } else {
          shared.strokes[threadIdx.x] = stroke;
          shared.words[threadIdx.x] = word;
          shared.begins[threadIdx.x] = begin;
        }
      }
    }
  }

  /* All CTAs of these points number the steps alike. */
  shared.offsets[threadIdx.x] = exclusive_sum (shared.warps, end > begin ? end - begin : 0, &total);
  __syncthreads ();
  for (uint32_t k = part * THREADS + threadIdx.x; k < total; k += split * THREADS)
    draw_shared_step<BLEND> (target, lines, shared, k);
}

/* The share of a thread where each shape has SPLIT warps: the shape, its first pixel there, and the distance to the
 * next. */
struct WarpShare {
  uint64_t shape;
  uint32_t begin, stride;

  __device__
  WarpShare (uint32_t split)
  {
    const uint64_t warp = (uint64_t) blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    shape = warp / split;
    begin = (uint32_t) (warp % split) * 32 + threadIdx.x % 32;
    stride = 32 * split;
  }
};

template <bool BLEND>
__global__ void
__launch_bounds__ (THREADS)
    boxes_kernel (CtrPaintTarget target, CtrPaintLines lines, const uint32_t *words, uint32_t split)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const WarpShare share (split);
  const uint32_t row = (uint32_t) share.shape;
  if (share.shape >= lines.count || !ctr_paint_is_drawn (&lines, row))
    return;
  const CtrPaintRectangle box = ctr_paint_contour_box (&lines, &lines.table[row]);
  ctr_paint_rectangle (&target, BLEND, &box, BLEND ? 0 : word_of (lines, words, row), share.begin, share.stride);
}

template <bool BLEND>
__global__ void
__launch_bounds__ (THREADS) rectangles_kernel (
    CtrPaintTarget target, const CtrPaintRectangle *rectangles, uint64_t count, uint32_t word, uint32_t split)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const WarpShare share (split);
  if (share.shape >= count)
    return;
  const CtrPaintRectangle rectangle = rectangles[share.shape];
  ctr_paint_rectangle (&target, BLEND, &rectangle, word | rectangle.colour, share.begin, share.stride);
}

template <bool BLEND>
__global__ void
__launch_bounds__ (THREADS) glyphs_kernel (CtrPaintTarget target, const CtrPaintGlyph *glyphs, uint64_t count,
    const uint8_t *coverage, uint32_t atlas_width, uint32_t word, uint32_t split)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const WarpShare share (split);
  if (share.shape >= count)
    return;
  const CtrPaintGlyph glyph = glyphs[share.shape];
  ctr_paint_glyph (&target, BLEND, &glyph, coverage, atlas_width, word, share.begin, share.stride);
}

/* Draws areas, a thread a pixel of the picture. */
template <bool BLEND>
__global__ void
__launch_bounds__ (THREADS) areas_kernel (CtrPaintTarget target, CtrPaintAreas areas)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < target.picture.width)
    for (uint32_t y = blockIdx.y * blockDim.y + threadIdx.y; y < target.picture.height; y += gridDim.y * blockDim.y)
      ctr_paint_area_pixel (&target, BLEND, &areas, x, y);
}

/* The number of warps that share a shape: many if there are few shapes. */
uint32_t
warps_for (uint64_t count)
{
  return (uint32_t) (count > 8192 ? 1 : count < 32 ? 256 : 8192 / count);
}

uint32_t
ctas_for (uint64_t threads)
{
  return (uint32_t) ((threads + THREADS - 1) / THREADS);
}

template <bool BLEND>
void
launch_layer (const PaintDeviceLayer &l, const CtrPaintTarget &target, const CtrPaintLayer *layer, uint32_t index,
    const CudaSession &session)
{
  const uint64_t count = paint_shape_count (layer);
  if (count == 0)
    return;
  const uint32_t word = ctr_paint_word (index), split = warps_for (count);
  const uint32_t width = target.picture.width, height = target.picture.height;
  const bool overlap = session.overlap;
  const cudaStream_t stream = session.stream;
  const dim3 shares (ctas_for (count * split * 32));
  /* Even a line of few points may be as long as the picture's outline. */
  const uint32_t line_split = count > 512 * THREADS ? 1 : max (1u, min (64u, 256 / ctas_for (count)));
  switch (layer->kind) {
    case CTR_PAINT_LINES:
      ctr_launch_overlapped (overlap, lines_kernel<BLEND>, dim3 (ctas_for (count) * line_split), dim3 (THREADS), 0,
          stream, target, l.lines, (const uint32_t *) l.words, line_split);
      break;
    case CTR_PAINT_BOXES:
      ctr_launch_overlapped (overlap, boxes_kernel<BLEND>, shares, dim3 (THREADS), 0, stream, target, l.lines,
          (const uint32_t *) l.words, split);
      break;
    case CTR_PAINT_RECTANGLES:
      ctr_launch_overlapped (overlap, rectangles_kernel<BLEND>, shares, dim3 (THREADS), 0, stream, target,
          (const CtrPaintRectangle *) l.rectangles, count, word, split);
      break;
    case CTR_PAINT_AREAS:
      ctr_launch_overlapped (overlap, areas_kernel<BLEND>,
          dim3 (ctr_div_up (width, 32), min (ctr_div_up (height, 8), 65535u)), dim3 (32, THREADS / 32), 0, stream,
          target, l.areas);
      break;
    case CTR_PAINT_TEXT:
      ctr_launch_overlapped (overlap, glyphs_kernel<BLEND>, shares, dim3 (THREADS), 0, stream, target,
          (const CtrPaintGlyph *) l.glyphs, count, (const uint8_t *) l.coverage, layer->atlas->width, word, split);
      break;
  }
}

} // namespace

/* How many shapes of its kind a layer has: those with a thread each, a warp or more each, or a pixel each. */
uint64_t
paint_shape_count (const CtrPaintLayer *layer)
{
  if (layer->alpha == 0)
    return 0;
  switch (layer->kind) {
    case CTR_PAINT_LINES:
      return layer->contours->point_count;
    case CTR_PAINT_BOXES:
      return layer->contours->count;
    case CTR_PAINT_RECTANGLES:
      return layer->rectangle_count;
    case CTR_PAINT_AREAS:
      return layer->label_count > 0 ? (uint64_t) layer->label_width * layer->label_height : 0;
    case CTR_PAINT_TEXT:
      return layer->glyph_count;
  }
  return 0;
}

void
paint_launch_colour_words (const PaintDeviceLayer &l, const CudaSession &session)
{
  if (l.words && l.lines.count > 0)
    ctr_launch_overlapped (session.overlap, colour_words_kernel, dim3 (ctas_for (l.lines.count)), dim3 (THREADS), 0,
        session.stream, l.lines, l.words);
}

void
paint_launch_layer (const PaintDeviceLayer &l, const CtrPaintTarget &target, const CtrPaintLayer *layer, uint32_t index,
    bool blend, const CudaSession &session)
{
  if (blend)
    launch_layer<true> (l, target, layer, index, session);
  else
    launch_layer<false> (l, target, layer, index, session);
}
