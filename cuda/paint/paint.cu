/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing on the GPU: core/paint/paint.h's two passes, each a kernel a layer. A point of a contour has a thread; the
 * pixels of a longer segment, or of a large rectangle, are shared out. */
#include "cuda/common/session.cuh"

#include "core/paint/raster.h"

#include <stdlib.h>
#include <string.h>

namespace
{

/* A layer with its arrays on the GPU. */
struct Layer {
  CtrPaintLines lines;
  CtrPaintAreas areas;
  CtrContour *table; /* room for contours that are elsewhere */
  CtrPoint *points;
  uint32_t *labels;
  uint16_t *label_colours;
  uint32_t *words; /* of contours whose colour takes more than a look; else NULL */
  CtrPaintRectangle *rectangles;
  CtrPaintGlyph *glyphs;
  uint8_t *coverage;
};

struct Painter {
  CtrDeviceBuffer ink;
  CtrDeviceBuffer arrays; /* of the layers */
  CtrDeviceBuffer colours;
  CtrDeviceBuffer host_colours; /* pinned; what the GPU has, once it has some */
  Layer layers[CTR_PAINT_MAX_LAYERS];
  bool ink_is_clean;
  CudaSession session;
  cudaEvent_t drawn; /* after the queued frame: the stream may have other work behind it */
};

constexpr uint32_t THREADS = 256;
constexpr size_t COLOURS = CTR_PAINT_COLOURS * sizeof (CtrPaintColour);

void *
paint_create (CtrError *error)
{
  Painter *painter = (Painter *) calloc (1, sizeof (Painter));
  if (!painter) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a painter");
    return NULL;
  }
  painter->host_colours.pinned = true;
  bool ok = cuda_session_open (&painter->session, "preparing a painter", error);
  const cudaError_t status = ok ? cudaEventCreateWithFlags (&painter->drawn, cudaEventDisableTiming) : cudaSuccess;
  ok = ok && (status == cudaSuccess || ctr_cuda_fail (error, status, "preparing a painter"));
  if (ok)
    return painter;
  cuda_session_close (&painter->session);
  free (painter);
  return NULL;
}

void
paint_destroy (void *state)
{
  Painter *painter = (Painter *) state;
  if (painter->session.stream)
    cudaEventSynchronize (painter->drawn);
  painter->session.stream = NULL;
  ctr_device_buffer_free (&painter->ink);
  ctr_device_buffer_free (&painter->arrays);
  ctr_device_buffer_free (&painter->colours);
  ctr_device_buffer_free (&painter->host_colours);
  cudaEventDestroy (painter->drawn);
  cuda_session_close (&painter->session);
  free (painter);
}

/* A thread a contour. */
__global__ void
__launch_bounds__ (THREADS) words_kernel (CtrPaintLines lines, uint32_t *words)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t row = blockIdx.x * THREADS + threadIdx.x;
  if (row < lines.count)
    words[row] = ctr_paint_contour_word (&lines, row);
}

/* The contour of point I, for the 32 consecutive points of a warp, the first of which exists. */
__device__ uint32_t
find_row (const CtrPaintLines &lines, uint64_t i)
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
  /* The contours after it begin at these of the warp's points. */
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

/* What is longer is shared by a CTA's threads: one alone would wait for each pixel in turn. */
constexpr uint32_t OWN_STEPS = 4;

/* The longer segments of a CTA's points, side by side. */
struct SharedStrokes {
  CtrPaintStroke strokes[THREADS];
  uint32_t words[THREADS];
  uint32_t begins[THREADS];  /* the first step of each that is in the picture */
  uint32_t offsets[THREADS]; /* its number among the steps of all */
  uint32_t warps[THREADS / 32];
};

/* Sum of COUNT over the threads before this one; *TOTAL: over all. For the whole CTA. */
__device__ uint32_t
sum_before (uint32_t *warps, uint32_t count, uint32_t *total)
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

/* Step K of all. */
template <bool BLEND>
__device__ void
draw_shared (const CtrPaintTarget &target, const CtrPaintLines &lines, const SharedStrokes &shared, uint32_t k)
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

/* A thread a point; each THREADS points have SPLIT CTAs, among which long segments are shared out. */
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
    const uint32_t row = find_row (lines, i);
    if (i < lines.point_count && ctr_paint_is_drawn (&lines, row)) {
      const CtrContour *contour = &lines.table[row];
      CtrPaintStroke stroke;
      if (ctr_paint_stroke (&lines, contour, (uint32_t) (i - contour->first), &stroke)) {
        const uint32_t word = BLEND ? 0 : word_of (lines, words, row);
        ctr_paint_clip (&stroke.segment, &lines, &target.picture, &begin, &end);
        if (end <= OWN_STEPS) {
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

  /* The same order in all CTAs of these points. */
  shared.offsets[threadIdx.x] = sum_before (shared.warps, end > begin ? end - begin : 0, &total);
  __syncthreads ();
  for (uint32_t k = part * THREADS + threadIdx.x; k < total; k += split * THREADS)
    draw_shared<BLEND> (target, lines, shared, k);
}

/* Of COUNT shapes each has SPLIT warps: this thread's, with the first of its pixels and how far apart they are. */
struct Share {
  uint64_t shape;
  uint32_t begin, stride;

  __device__
  Share (uint32_t split)
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
  const Share share (split);
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
  const Share share (split);
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
  const Share share (split);
  if (share.shape >= count)
    return;
  const CtrPaintGlyph glyph = glyphs[share.shape];
  ctr_paint_glyph (&target, BLEND, &glyph, coverage, atlas_width, word, share.begin, share.stride);
}

/* A thread a pixel of the picture's. */
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

/* Few shapes are shared by many warps. */
uint32_t
split_for (uint64_t count)
{
  return (uint32_t) (count > 8192 ? 1 : count < 32 ? 256 : 8192 / count);
}

uint32_t
ctas_for (uint64_t threads)
{
  return (uint32_t) ((threads + THREADS - 1) / THREADS);
}

/* How many shapes of its kind a layer has: those with a thread each, a warp or more each, or a pixel each. */
uint64_t
shapes_of (const CtrPaintLayer *layer)
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

template <bool BLEND>
void
launch_layer (const Painter *painter, const CtrPaintTarget &target, const CtrPaintLayer *layer, uint32_t index)
{
  const Layer &l = painter->layers[index];
  const uint64_t count = shapes_of (layer);
  if (count == 0)
    return;
  const uint32_t word = ctr_paint_word (index), split = split_for (count);
  const uint32_t width = target.picture.width, height = target.picture.height;
  const bool overlap = painter->session.overlap;
  const cudaStream_t stream = painter->session.stream;
  const dim3 shares (ctas_for (count * split * 32));
  /* A few points may be the corners of a line around the whole picture. */
  const uint32_t line_split = count > 512 * THREADS ? 1 : min (64u, 1024 / ctas_for (count));
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

void
carve_contours (Layer *l, ArenaLayout *c, const CtrPaintLayer *layer, uint32_t index)
{
  CtrDeviceContours device;
  ctr_paint_lines_init (&l->lines, layer, index);
  if (ctr_contours_get_device (layer->contours, &device)) {
    l->lines.table = device.table;
    l->lines.points = device.points;
  } else {
    l->lines.table = l->table = c->take<CtrContour> (l->lines.count);
    if (layer->kind == CTR_PAINT_LINES)
      l->lines.points = l->points = c->take<CtrPoint> (l->lines.point_count);
  }
  if (layer->colouring.by == CTR_COLOUR_DEPTH)
    l->words = c->take<uint32_t> (l->lines.count);
}

/* Room for the layers' arrays from BASE on; with NULL it is only measured. */
size_t
carve_layers (Painter *painter, const CtrPaintLayer *layers, uint32_t count, void *base)
{
  ArenaLayout c = {(uint8_t *) base, 0};
  for (uint32_t i = 0; i < count; i++) {
    const CtrPaintLayer *layer = &layers[i];
    const size_t shapes = shapes_of (layer);
    Layer *l = &painter->layers[i];
    *l = {};
    if (shapes == 0)
      continue;
    switch (layer->kind) {
      case CTR_PAINT_LINES:
      case CTR_PAINT_BOXES:
        carve_contours (l, &c, layer, i);
        break;
      case CTR_PAINT_RECTANGLES:
        l->rectangles = c.take<CtrPaintRectangle> (shapes);
        break;
      case CTR_PAINT_AREAS:
        ctr_paint_areas_init (&l->areas, layer, i);
        l->areas.labels = l->labels = c.take<uint32_t> (shapes);
        l->areas.colours = l->label_colours = c.take<uint16_t> (layer->label_count);
        break;
      case CTR_PAINT_TEXT:
        l->glyphs = c.take<CtrPaintGlyph> (shapes);
        l->coverage = c.take<uint8_t> ((size_t) layer->atlas->width * layer->atlas->height);
        break;
    }
  }
  return c.used;
}

template <typename T>
cudaError_t
upload (T *to, const T *from, size_t count, cudaStream_t stream)
{
  return to ? cudaMemcpyAsync (to, from, count * sizeof (T), cudaMemcpyHostToDevice, stream) : cudaSuccess;
}

bool
upload_layer (const Layer *l, const CtrPaintLayer *layer, cudaStream_t stream, CtrError *error)
{
  const CtrContour *table = NULL;
  const CtrPoint *points = NULL;
  if ((l->table && !(table = ctr_contours_map_table (layer->contours, error)))
      || (l->points && !(points = ctr_contours_map_points (layer->contours, error))))
    return false;
  CTR_CUDA (upload (l->table, table, l->lines.count, stream));
  CTR_CUDA (upload (l->points, points, l->lines.point_count, stream));
  CTR_CUDA (upload (l->rectangles, layer->rectangles, layer->rectangle_count, stream));
  CTR_CUDA (upload (l->labels, layer->labels, (size_t) layer->label_width * layer->label_height, stream));
  CTR_CUDA (upload (l->label_colours, layer->label_colours, layer->label_count, stream));
  CTR_CUDA (upload (l->glyphs, layer->glyphs, layer->glyph_count, stream));
  if (l->coverage)
    CTR_CUDA (
        upload (l->coverage, layer->atlas->coverage, (size_t) layer->atlas->width * layer->atlas->height, stream));
  return true;
}

/* The colours change with the element's properties, not from frame to frame. */
bool
upload_colours (Painter *painter, const CtrPaintColour *colours, CtrError *error)
{
  if (painter->colours.data && memcmp (painter->host_colours.data, colours, COLOURS) == 0)
    return true;
  CTR_CUDA (cudaStreamSynchronize (painter->session.stream));
  if (!ctr_device_buffer_reserve (&painter->host_colours, COLOURS, error)
      || !ctr_device_buffer_reserve (&painter->colours, COLOURS, error))
    return false;
  memcpy (painter->host_colours.data, colours, COLOURS);
  CTR_CUDA (cudaMemcpyAsync (
      painter->colours.data, painter->host_colours.data, COLOURS, cudaMemcpyHostToDevice, painter->session.stream));
  return true;
}

bool
reserve_ink (Painter *painter, CtrPaintTarget *target, CtrError *error)
{
  const size_t full = ctr_paint_ink_words (target, 0), sub = ctr_paint_ink_words (target, 1);
  const size_t size = (full + sub) * sizeof (uint32_t);
  if (size > painter->ink.size) {
    CTR_CUDA (cudaStreamSynchronize (painter->session.stream));
    painter->ink_is_clean = false;
    if (!ctr_device_buffer_reserve (&painter->ink, size, error))
      return false;
  }
  if (!painter->ink_is_clean)
    CTR_CUDA (cudaMemsetAsync (painter->ink.data, 0, painter->ink.size, painter->session.stream));
  target->ink[0] = (uint32_t *) painter->ink.data;
  target->ink[1] = sub > 0 ? target->ink[0] + full : NULL;
  return true;
}

bool
queue_frame (Painter *painter, const CtrPaintPicture *picture, const CtrPaintLayer *layers, uint32_t count,
    const CtrPaintColour *colours, CtrError *error)
{
  const cudaStream_t stream = painter->session.stream;
  CtrPaintTarget target;
  ctr_paint_target_init (&target, picture, layers, count);
  if (count == 0) {
    CTR_CUDA (cudaEventRecord (painter->drawn, stream));
    return true;
  }
  const size_t size = carve_layers (painter, layers, count, NULL);
  if (size > painter->arrays.size) {
    CTR_CUDA (cudaStreamSynchronize (stream));
    if (!ctr_device_buffer_reserve (&painter->arrays, size, error))
      return false;
  }
  carve_layers (painter, layers, count, painter->arrays.data);
  if (!reserve_ink (painter, &target, error) || !upload_colours (painter, colours, error))
    return false;
  target.colours = (const CtrPaintColour *) painter->colours.data;
  for (uint32_t i = 0; i < count; i++)
    if (!upload_layer (&painter->layers[i], &layers[i], stream, error))
      return false;

  painter->ink_is_clean = false;
  for (uint32_t i = 0; i < count; i++) {
    const Layer &l = painter->layers[i];
    if (l.words && l.lines.count > 0)
      ctr_launch_overlapped (painter->session.overlap, words_kernel, dim3 (ctas_for (l.lines.count)), dim3 (THREADS), 0,
          stream, l.lines, l.words);
  }
  for (uint32_t i = 0; i < count; i++)
    launch_layer<false> (painter, target, &layers[i], i);
  for (uint32_t i = 0; i < count; i++)
    launch_layer<true> (painter, target, &layers[i], i);
  CTR_CUDA (cudaGetLastError ());
  CTR_CUDA (cudaEventRecord (painter->drawn, stream));
  painter->ink_is_clean = true;
  return true;
}

bool
paint_lead_default (void *state, CtrError *error)
{
  const Painter *painter = (const Painter *) state;
  CTR_CUDA (cudaStreamWaitEvent (cudaStreamLegacy, painter->drawn, 0));
  return true;
}

bool
paint_finish (void *state, CtrError *error)
{
  Painter *painter = (Painter *) state;
  const bool pending = painter->session.stream != NULL;
  painter->session.stream = NULL;
  if (pending)
    CTR_CUDA (cudaEventSynchronize (painter->drawn));
  return true;
}

bool
paint_enqueue (void *state, const CtrPaintPicture *picture, const CtrPaintLayer *layers, uint32_t count,
    const CtrPaintColour *colours, void *stream, CtrError *error)
{
  Painter *painter = (Painter *) state;
  cudaStream_t wanted = stream ? (cudaStream_t) stream : painter->session.own_stream;
  /* The memory is shared by all our frames: another stream has to wait. */
  if (painter->session.stream && painter->session.stream != wanted && !paint_finish (painter, error))
    return false;
  painter->session.stream = wanted;
  if (queue_frame (painter, picture, layers, count, colours, error))
    return true;
  cuda_session_end (&painter->session, false);
  return false;
}

} // namespace

extern "C" const CtrPaintOps ctr_paint_ops_cuda = {
    {paint_create, paint_destroy}, paint_enqueue, paint_lead_default, paint_finish};
