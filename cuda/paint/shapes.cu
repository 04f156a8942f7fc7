/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first pass: the kernels that enter shapes into the ink. A point of a contour has a thread. The pixels of a longer
 * segment or a large rectangle are shared among threads. Kernels whose counts may be known on the GPU alone draw
 * whatever there is, with any number of CTAs. */
#include "cuda/paint/device_state.cuh"

#include "core/paint/raster.h"

namespace
{

constexpr uint32_t THREADS = 128;

static_assert (PAINT_GATES <= 32, "a lane a word");

/* The whole warp calls it. */
__device__ bool
is_open (const PaintGate &gate)
{
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t *const complete = lane < PAINT_GATES ? gate.complete[lane] : NULL;
  return __all_sync (~0u, !complete || *complete != 0);
}

/* SHAPES are CtrPaintLines or CtrPaintComponents. */
template <typename Shapes>
__device__ uint32_t
rows_of (const Shapes &shapes, const PaintCounts &counts)
{
  return counts.rows ? *counts.rows : shapes.count;
}

__device__ uint64_t
points_of (const CtrPaintLines &lines, const PaintCounts &counts)
{
  return counts.points ? *counts.points : lines.point_count;
}

/* Finds the ink word of each contour, a thread a contour. */
__global__ void
__launch_bounds__ (THREADS) colour_words_kernel (const __grid_constant__ CtrPaintLines lines,
    const __grid_constant__ PaintGate gate, PaintCounts counts, uint32_t *words)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!is_open (gate))
    return;
  const uint32_t rows = rows_of (lines, counts);
  for (uint64_t row = blockIdx.x * THREADS + threadIdx.x; row < rows; row += gridDim.x * THREADS)
    words[row] = ctr_paint_contour_word (&lines, (uint32_t) row);
}

/* The contour of point I, one of ROWS. A warp calls it for 32 consecutive points, of which at least the first exists. */
__device__ uint32_t
find_contour (const CtrPaintLines &lines, uint32_t rows, uint64_t i)
{
  const uint32_t lane = threadIdx.x % 32;
  const uint64_t start = i - lane;
  uint32_t low = 0, high = rows, begin;
  while (high - low > 32) {
    const uint32_t step = (high - low + 31) / 32;
    const uint64_t probe = low + (uint64_t) lane * step;
    const uint32_t before = __ballot_sync (~0u, probe < high && lines.table[probe].first <= start);
    low += (__popc (before) - 1) * step;
    high = min (high, low + step);
  }
  /* The last 32 rows are mostly all that begin up to the warp's last point. */
  uint32_t row = low - 1;
  do {
    const uint64_t probe = (uint64_t) low + lane, first = probe < rows ? lines.table[probe].first : UINT64_MAX;
    begin = first > start ? (uint32_t) min (first - start, (uint64_t) 32) : 0; /* index among the warp's points */
    uint32_t count = (uint32_t) __popc (__ballot_sync (~0u, begin == 0));
    if (__any_sync (~0u, begin % 32 > 0)) { /* most warps lie inside a contour */
      count = 0;
      for (uint32_t bit = 32; bit; bit /= 2)
        if (__shfl_sync (~0u, begin, (count + bit - 1) % 32) <= lane && count + bit <= 32)
          count += bit;
    }
    row += count;
    low += 32;
  } while (__shfl_sync (~0u, begin, 31) < 32);
  return row;
}

__device__ uint32_t
word_of (const CtrPaintLines &lines, const uint32_t *words, uint32_t row)
{
  return words ? words[row] : ctr_paint_contour_word (&lines, row);
}

/* The threads of a CTA share longer segments: a single thread would wait for each pixel in turn. A segment without steps has one,
 * too. */
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
template <bool DIRECT>
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
  ctr_paint_walk (&target, DIRECT, &lines, &shared.strokes[slot], shared.words[slot], step, step + 1, 1);
}

/* The point that a thread draws from, and those beside it in the list of all points. */
struct Neighbours {
  CtrPoint before, from, to;
};

__device__ CtrPoint
load_point (const CtrPoint *point)
{
  const uint32_t bits = *(const uint32_t *) point;
  return {(uint16_t) bits, (uint16_t) (bits >> 16)};
}

/* Of point I of POINTS, which exists. */
__device__ Neighbours
load_neighbours (const CtrPaintLines &lines, uint64_t i, uint64_t points)
{
  const CtrPoint *const point = lines.points + i;
  Neighbours neighbours = {{}, load_point (point), load_point (i + 1 < points ? point + 1 : point)};
  if (lines.thickness > 1)
    neighbours.before = load_point (i > 0 ? point - 1 : point);
  return neighbours;
}

/* A whole brush that a thread has to draw: its corner, and the word. 0: none. */
struct Brush {
  int32_t x, y;
  uint32_t word;
};

/* Draws the brushes of a warp's threads: a few brushes each with all lanes, as one thread would be busy for long, otherwise all at
 * once, a thread a brush. The whole warp calls it. */
template <bool DIRECT>
__device__ void
draw_brushes (const CtrPaintTarget &target, const CtrPaintLines &lines, const Brush &brush)
{
  const uint32_t thickness = lines.thickness, pixels = thickness * thickness;
  uint32_t left = __ballot_sync (~0u, brush.word != 0);
  if ((uint32_t) __popc (left) * ctr_div_up (pixels, 32) >= pixels) {
    if (brush.word)
      ctr_paint_stamp (&target, DIRECT, &lines, brush.x, brush.y, brush.word);
    return;
  }
  for (; left; left &= left - 1) {
    const uint32_t source = (uint32_t) __ffs ((int) left) - 1;
    const int32_t x = __shfl_sync (~0u, brush.x, source), y = __shfl_sync (~0u, brush.y, source);
    const uint32_t word = __shfl_sync (~0u, brush.word, source);
    for (uint32_t k = threadIdx.x % 32; k < pixels; k += 32)
      ctr_paint_stamp_pixel (&target, DIRECT, &lines, x, y, k % thickness, k / thickness, word);
  }
}

/* Draws the first step of STROKE, but for a whole brush, which goes to *BRUSH. */
template <bool DIRECT>
__device__ void
draw_first_step (
    const CtrPaintTarget &target, const CtrPaintLines &lines, const CtrPaintStroke &stroke, uint32_t word, Brush *brush)
{
  const int32_t x = stroke.segment.x, y = stroke.segment.y;
  if (!ctr_paint_dashed (&stroke.segment, stroke.dash, x, y))
    return;
  if (lines.thickness == 1) {
    if ((uint32_t) x < target.picture.width && (uint32_t) y < target.picture.height)
      ctr_paint_pixel (&target, DIRECT, (uint32_t) x, (uint32_t) y, word);
  } else if (stroke.follows && ctr_paint_is_near (x, y, stroke.before_x, stroke.before_y)) {
    ctr_paint_move (
        &target, DIRECT, &lines, x + lines.low, y + lines.low, x - stroke.before_x, y - stroke.before_y, word);
  } else {
    *brush = {x + lines.low, y + lines.low, word};
  }
}

/* Draws the stroke from point I, one of those of ROW, if it is short and OWN, but for a whole brush, which goes to *BRUSH. Leaves
 * a long one in SHARED and returns its number of steps, otherwise 0. */
template <bool DIRECT>
__device__ uint32_t
draw_or_share (const CtrPaintTarget &target, const CtrPaintLines &lines, const uint32_t *words, uint32_t row,
    uint64_t i, Neighbours points, bool own, Brush *brush, SharedStrokes *shared)
{
  const CtrContour &contour = lines.table[row];
  const uint32_t index = (uint32_t) (i - contour.first);
  CtrPaintStroke stroke;
  uint32_t begin, end;
  /* One wait for all of the row: without branches between its loads. */
  const bool last = index + 1 == contour.count, open = contour.flags & CTR_CONTOUR_OPEN,
             drawn = ctr_paint_is_drawn (&lines, row);
  if (last & !open)
    points.to = load_point (lines.points + contour.first);
  if (last & open) /* An open contour ends with its last point. */
    points.to = points.from;
  if (!drawn || !ctr_paint_stroke_between (&lines, &contour, index, points.before, points.from, points.to, &stroke))
    return 0;
  const uint32_t word = word_of (lines, words, row);
  if (stroke.segment.steps <= MAX_OWN_STEPS) {
    if (own)
      draw_first_step<DIRECT> (target, lines, stroke, word, brush);
    return 0;
  }
  ctr_paint_clip (&stroke.segment, &lines, &target.picture, &begin, &end);
  shared->strokes[threadIdx.x] = stroke;
  shared->words[threadIdx.x] = word;
  shared->begins[threadIdx.x] = begin;
  return end > begin ? end - begin : 0;
}

/* Draws lines, a thread a point: DIRECT, into the picture, otherwise into the ink. The CTAs of a column of the grid have the same
 * THREADS points, and share their long segments. */
template <bool DIRECT>
__global__ void
__launch_bounds__ (THREADS)
    lines_kernel (const __grid_constant__ CtrPaintTarget target, const __grid_constant__ CtrPaintLines lines,
        const __grid_constant__ PaintGate gate, PaintCounts counts, const uint32_t *words)
{
  __shared__ SharedStrokes shared;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!is_open (gate))
    return;
  const uint32_t rows = rows_of (lines, counts);
  const uint64_t points = points_of (lines, counts);
  for (uint64_t first = (uint64_t) blockIdx.x * THREADS; first < points; first += (uint64_t) gridDim.x * THREADS) {
    const uint64_t i = first + threadIdx.x;
    uint32_t steps = 0, total;
    if (i - threadIdx.x % 32 < points) {
      /* A warp waits for its points and for the search at once. */
      const Neighbours neighbours = load_neighbours (lines, min (i, points - 1), points);
      const uint32_t row = find_contour (lines, rows, i);
      Brush brush = {};
      if (i < points)
        steps = draw_or_share<DIRECT> (target, lines, words, row, i, neighbours, blockIdx.y == 0, &brush, &shared);
      draw_brushes<DIRECT> (target, lines, brush);
    }
    if (!__syncthreads_or (steps > 0))
      continue;
    /* All CTAs of these points number the steps alike. */
    shared.offsets[threadIdx.x] = exclusive_sum (shared.warps, steps, &total);
    __syncthreads ();
    for (uint32_t k = blockIdx.y * THREADS + threadIdx.x; k < total; k += gridDim.y * THREADS)
      draw_shared_step<DIRECT> (target, lines, shared, k);
    __syncthreads ();
  }
}

/* The share of a thread where each shape has SPLIT warps: its first shape and the distance to the next, its first pixel
 * of each and the distance to the next. */
struct WarpShare {
  uint64_t shape, shapes;
  uint32_t begin, stride;

  __device__
  WarpShare (uint32_t split)
  {
    const uint32_t lane = threadIdx.x % 32, warps = THREADS / 32;
    const uint64_t warp = (uint64_t) blockIdx.x * warps + threadIdx.x / 32;
    shape = warp / split;
    shapes = (uint64_t) gridDim.x * warps / split;
    begin = (uint32_t) (warp % split) * 32 + lane;
    stride = 32 * split;
    /* The last warps are too few for a shape. */
    if (shape == shapes)
      shape = UINT64_MAX - shapes;
  }
};

/* The box of ROW and its word; false if it is not drawn. */
__device__ bool
find_box (const CtrPaintLines &lines, const uint32_t *words, uint32_t row, CtrPaintRectangle *box, uint32_t *word)
{
  if (!ctr_paint_is_drawn (&lines, row))
    return false;
  *box = ctr_paint_contour_box (&lines, &lines.table[row]);
  *word = word_of (lines, words, row);
  return true;
}

__device__ bool
find_box (const CtrPaintComponents &components, const uint32_t *, uint32_t row, CtrPaintRectangle *box, uint32_t *word)
{
  if (!ctr_paint_component_is_drawn (&components, row))
    return false;
  *box = ctr_paint_component_box (&components, &components.table[row]);
  *word = ctr_paint_component_word (&components, row);
  return true;
}

/* Draws the boxes of contours (CtrPaintLines) or components (CtrPaintComponents). */
template <typename Shapes>
__global__ void
__launch_bounds__ (THREADS)
    boxes_kernel (const __grid_constant__ CtrPaintTarget target, const __grid_constant__ Shapes shapes,
        const __grid_constant__ PaintGate gate, PaintCounts counts, const uint32_t *words, uint32_t split)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!is_open (gate))
    return;
  const uint32_t rows = rows_of (shapes, counts);
  for (WarpShare share (split); share.shape < rows; share.shape += share.shapes) {
    CtrPaintRectangle box;
    uint32_t word;
    if (find_box (shapes, words, (uint32_t) share.shape, &box, &word))
      ctr_paint_rectangle (&target, false, &box, word, share.begin, share.stride);
  }
}

__global__ void
__launch_bounds__ (THREADS)
    rectangles_kernel (const __grid_constant__ CtrPaintTarget target, const __grid_constant__ PaintGate gate,
        const CtrPaintRectangle *rectangles, uint64_t count, uint32_t word, uint32_t split)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const WarpShare share (split);
  if (share.shape >= count || !is_open (gate))
    return;
  const CtrPaintRectangle rectangle = rectangles[share.shape];
  ctr_paint_rectangle (&target, false, &rectangle, word | rectangle.colour, share.begin, share.stride);
}

__global__ void
__launch_bounds__ (THREADS) glyphs_kernel (const __grid_constant__ CtrPaintTarget target,
    const __grid_constant__ PaintGate gate, const CtrPaintGlyph *glyphs, uint64_t count, const uint8_t *coverage,
    uint32_t atlas_width, uint32_t word, uint32_t split)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const WarpShare share (split);
  if (share.shape >= count || !is_open (gate))
    return;
  const CtrPaintGlyph glyph = glyphs[share.shape];
  ctr_paint_glyph (&target, false, &glyph, coverage, atlas_width, word, share.begin, share.stride);
}

/* Draws areas, a thread a pixel of the picture. */
__global__ void
__launch_bounds__ (THREADS) areas_kernel (const __grid_constant__ CtrPaintTarget target,
    const __grid_constant__ PaintGate gate, const __grid_constant__ CtrPaintAreas areas)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
  if (is_open (gate) && x < target.picture.width)
    for (uint32_t y = blockIdx.y * blockDim.y + threadIdx.y; y < target.picture.height; y += gridDim.y * blockDim.y)
      ctr_paint_area_pixel (&target, false, &areas, x, y);
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

} // namespace

void
paint_launch_layer (const PaintDeviceLayer &l, const CtrPaintTarget &target, const CtrPaintLayer *layer, uint32_t index,
    const CudaSession &session)
{
  const uint64_t count = l.shapes;
  if (count == 0)
    return;
  const uint32_t word = ctr_paint_word (index), split = warps_for (count);
  const uint32_t width = target.picture.width, height = target.picture.height;
  const uint32_t *const words = l.words;
  const bool overlap = session.overlap;
  const cudaStream_t stream = session.stream;
  const dim3 shares (ctas_for (count * split * 32)), threads (THREADS);
  /* Even a line of few points may be as long as the picture's outline. */
  const uint32_t line_split = count > 1024 * THREADS ? 1 : max (1u, min (64u, 512 / ctas_for (count)));
  if (words)
    ctr_launch_overlapped (overlap, colour_words_kernel, dim3 (ctas_for (l.lines.count)), threads, 0, stream, l.lines,
        l.gate, l.counts, l.words);
  switch (layer->kind) {
    case CTR_PAINT_LINES:
      ctr_launch_overlapped (overlap, target.direct ? lines_kernel<true> : lines_kernel<false>,
          dim3 (ctas_for (count), line_split), threads, 0, stream, target, l.lines, l.gate, l.counts, words);
      break;
    case CTR_PAINT_BOXES:
      ctr_launch_overlapped (overlap, boxes_kernel<CtrPaintLines>, shares, threads, 0, stream, target, l.lines, l.gate,
          l.counts, words, split);
      break;
    case CTR_PAINT_COMPONENT_BOXES:
      ctr_launch_overlapped (overlap, boxes_kernel<CtrPaintComponents>, shares, threads, 0, stream, target,
          l.components, l.gate, l.counts, words, split);
      break;
    case CTR_PAINT_RECTANGLES:
      ctr_launch_overlapped (overlap, rectangles_kernel, shares, threads, 0, stream, target, l.gate,
          (const CtrPaintRectangle *) l.rectangles, count, word, split);
      break;
    case CTR_PAINT_AREAS:
      ctr_launch_overlapped (overlap, areas_kernel,
          dim3 (ctr_div_up (width, 32), min (ctr_div_up (height, THREADS / 32), 65535u)), dim3 (32, THREADS / 32), 0,
          stream, target, l.gate, l.areas);
      break;
    case CTR_PAINT_TEXT:
      ctr_launch_overlapped (overlap, glyphs_kernel, shares, threads, 0, stream, target, l.gate,
          (const CtrPaintGlyph *) l.glyphs, count, (const uint8_t *) l.coverage, layer->atlas->width, word, split);
      break;
  }
}
