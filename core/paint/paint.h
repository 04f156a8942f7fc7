/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing (include/contours/paint.h): what both backends compute alike, and where its stages are. Internal.
 *
 *   stage                           core                    cpu                    cuda
 *   arguments, backend              paint/paint.c
 *   layers for the backend          paint/paint.c
 *   the pixels of shapes            paint/raster.h          paint/paint.c          paint/shapes.cu
 *   ink                             paint/paint.h           paint/paint.c          paint/shapes.cu
 *   background                      paint/paint.c           paint/paint.c          paint/fill.cu
 *   blending                        paint/paint.h           paint/paint.c          paint/blend.cu
 *   host side of the GPU            -                       -                      paint/paint.cu
 *
 * Shapes overlap, and on a GPU they are drawn concurrently. Drawing therefore takes two passes. The first pass writes
 * the highest word of each pixel to the ink, a buffer of one word per pixel. The second pass takes the words out again
 * and paints each pixel once. Afterwards the ink is 0 again.
 *
 * On the CPU the second pass draws all shapes again: whichever finds a word other than 0 paints that pixel. On the GPU
 * the first pass marks the tiles that it touches, and the second pass goes through the marked tiles. Either way its cost
 * is proportional to what is drawn. Contours that are opaque, of one colour and alone need no order: there one pass
 * paints, on the GPU that of lines.
 *
 * A word contains, from the highest bit: the layer, counted from 1 (6 bits); the order of text (10); the coverage by
 * text (8); the colour (8). */
#ifndef CTR_CORE_PAINT_PAINT_H
#define CTR_CORE_PAINT_PAINT_H

#include "core/common/backend.h"

#include <contours/paint.h>

#ifdef __CUDACC__
#define CTR_PAINT_FUNC static inline __host__ __device__
#else
#define CTR_PAINT_FUNC static inline
#endif

/* Mapped coordinates saturate here, in pixels. */
#define CTR_PAINT_FAR (INT64_C (1) << 29)

/* The GPU's ink consists of tiles, row by row, and a tile of blocks of 4 x 2 pixels, column by column. A tile is a line of the
 * cache, a block a sector of it: whichever way a shape runs, it touches few of both. */
#define CTR_PAINT_TILE_WIDTH 8
#define CTR_PAINT_TILE_HEIGHT 4
#define CTR_PAINT_TILE_PIXELS (CTR_PAINT_TILE_WIDTH * CTR_PAINT_TILE_HEIGHT)

/* The target of drawing. Ink 0 is for the pixels of the picture. On the CPU, ink 1 is for those of its subsampled planes
 * (NULL without such planes); the GPU derives their words from ink 0. */
typedef struct {
  CtrPaintPicture picture;
  const CtrPaintColour *colours;
  uint8_t alphas[CTR_PAINT_MAX_LAYERS];
  uint32_t *ink[2];
  uint32_t ink_width;        /* of ink 1; the CPU's ink 0 is as wide as the picture */
  uint32_t x_shift, y_shift; /* of the subsampled planes; 0 without such planes */
  uint8_t *tiles;            /* GPU: 1 for the tiles whose ink is not 0 */
  uint32_t tiles_across;
  bool direct; /* all shapes are opaque and of one colour, so that they need no ink */
  CtrPaintColour colour;
  /* What becomes of a pixel of each plane then, and its size in bytes, 2 or 4; 0: its samples are stored one by one. */
  uint32_t pixels[CTR_PAINT_MAX_PLANES];
  uint8_t pixel_sizes[CTR_PAINT_MAX_PLANES];
} CtrPaintTarget;

/* A layer of LINES or BOXES. */
typedef struct {
  const CtrContour *table; /* table and points are in the memory of the backend */
  const CtrPoint *points;
  uint32_t count;
  uint64_t point_count;
  CtrColouring colouring;
  uint64_t min_area2;
  CtrPaintMapping mapping;
  bool shifted; /* The mapping adds shift_x and shift_y to positions, and does nothing else. */
  int32_t shift_x, shift_y;
  bool corners;  /* CTR_COORDINATES_CORNERS */
  bool mirrored; /* The mapping exchanges the left and right side of a line. */
  bool dashed_holes;
  uint32_t thickness;
  int32_t low; /* the brush covers the offsets low .. low + thickness - 1 around a pixel of the line */
  uint8_t brush[CTR_PAINT_MAX_THICKNESS]; /* a disc: pixels to skip at both ends of each row */
  /* Column and row of the pixels that are new when the brush moves a pixel to the right and down. A brush that moves to the
   * right has one new pixel in each row, one that moves down then one in each column. */
  uint8_t edge[2 * CTR_PAINT_MAX_THICKNESS][2];
  uint32_t edge_count;
  uint32_t word; /* without the colour */
} CtrPaintLines;

/* A layer of COMPONENT_BOXES. */
typedef struct {
  const CtrComponent *table; /* in the memory of the backend */
  uint32_t count;
  CtrColouring colouring;
  uint32_t min_area;
  CtrPaintMapping mapping;
  uint32_t thickness;
  uint32_t word;
} CtrPaintComponents;

/* A layer of AREAS. */
typedef struct {
  const uint32_t *labels; /* labels and colours are in the memory of the backend */
  uint32_t width, height;
  const uint16_t *colours;
  uint32_t count;
  CtrPaintMapping inverse; /* from the picture to the label image */
  uint32_t word;
} CtrPaintAreas;

CTR_BEGIN_DECLS

/* All leave the pointers to the backend. LAYER is valid. */
void ctr_paint_lines_init (CtrPaintLines *lines, const CtrPaintLayer *layer, uint32_t index);
void ctr_paint_components_init (CtrPaintComponents *components, const CtrPaintLayer *layer, uint32_t index);
void ctr_paint_areas_init (CtrPaintAreas *areas, const CtrPaintLayer *layer, uint32_t index);

/* Leaves ink, tiles and colours to the backend. */
void ctr_paint_target_init (
    CtrPaintTarget *target, const CtrPaintPicture *picture, const CtrPaintLayer *layers, uint32_t count);

/* Are all shapes of LAYER opaque and of one colour, layer->colouring.first? */
bool ctr_paint_is_uniform (const CtrPaintLayer *layer);

/* Makes TARGET direct: all shapes are opaque and have COLOUR. */
void ctr_paint_target_make_direct (CtrPaintTarget *target, const CtrPaintColour *colour);

/* The pixel with which the background fills PLANE, in PATTERN. Returns its size in bytes: 1, 2, 3, 4, 6 or 8. */
#define CTR_PAINT_PATTERN 8
uint32_t ctr_paint_background_pixel (
    const CtrPaintPicture *picture, const CtrPaintPlane *plane, uint8_t pattern[CTR_PAINT_PATTERN]);

/* The core has checked the arguments. Layers with alpha 0 are not drawn. enqueue() may be called again before finish().
 * lead_default() is called between the two, and is NULL if enqueue() leaves no work queued. */
typedef struct {
  CtrBackendOps base;
  bool (*enqueue) (void *state, const CtrPaintPicture *picture, const CtrPaintLayer *layers, uint32_t count,
      const CtrPaintColour *colours, void *stream, CtrError *error);
  bool (*lead_default) (void *state, CtrError *error);
  bool (*finish) (void *state, CtrError *error);
} CtrPaintOps;

extern const CtrPaintOps ctr_paint_ops_cpu;
extern const CtrPaintOps ctr_paint_ops_cuda; /* only where CTR_HAVE_CUDA */

CTR_END_DECLS

/* The word of a layer, without a colour. */
CTR_PAINT_FUNC uint32_t
ctr_paint_word (uint32_t layer)
{
  return (layer + 1) << 26;
}

/* 16 log2 (VALUE), interpolated linearly between powers of two and rounded down; 0 for 0. */
CTR_PAINT_FUNC uint32_t
ctr_paint_log (uint64_t value)
{
  if (value == 0)
    return 0;
#ifdef __CUDA_ARCH__
  const uint32_t exponent = 63 - (uint32_t) __clzll ((long long) value);
#else
  const uint32_t exponent = 63 - (uint32_t) __builtin_clzll (value);
#endif
  const uint64_t mantissa = exponent >= 4 ? value >> (exponent - 4) : value << (4 - exponent);
  return 16 * exponent + (uint32_t) (mantissa & 15);
}

/* See ctr_colouring_pick(). */
CTR_PAINT_FUNC uint32_t
ctr_paint_colour (const CtrColouring *colouring, uint64_t value)
{
  uint64_t range = colouring->range;
  if (colouring->by == CTR_COLOUR_FIXED)
    return colouring->first;
  if (colouring->by == CTR_COLOUR_ID)
    return colouring->first + (uint32_t) value % colouring->count;
  if (colouring->by == CTR_COLOUR_AREA) {
    /* Twice an area: one pixel is 2. */
    value = value > 2 ? ctr_paint_log (value) - 16 : 0;
    range = range > 1 ? ctr_paint_log (2 * range) - 16 : 1;
  }
  if (value > range)
    value = range;
  /* A GPU takes several times as long for a division of 64 bits, which no range of 16-bit levels, depths or areas needs. */
  if (range <= UINT32_MAX / CTR_PAINT_COLOURS)
    return colouring->first + (uint32_t) value * (colouring->count - 1) / (uint32_t) range;
  return colouring->first + (uint32_t) (value * (colouring->count - 1) / range);
}

CTR_PAINT_FUNC uint64_t
ctr_paint_area2 (const CtrContour *contour)
{
  return contour->area2 < 0 ? 0 - (uint64_t) contour->area2 : (uint64_t) contour->area2;
}

CTR_PAINT_FUNC uint32_t
ctr_paint_contour_colour (const CtrColouring *colouring, const CtrContour *table, uint32_t row)
{
  uint64_t value = row;
  if (colouring->by == CTR_COLOUR_LEVEL) {
    value = table[row].level;
  } else if (colouring->by == CTR_COLOUR_AREA) {
    value = ctr_paint_area2 (&table[row]);
  } else if (colouring->by == CTR_COLOUR_DEPTH) {
    value = 0;
    for (int32_t around = table[row].parent; around >= 0 && value < colouring->range; around = table[around].parent)
      value++;
  }
  return ctr_paint_colour (colouring, value);
}

/* Is the contour of ROW large enough to be drawn? */
CTR_PAINT_FUNC bool
ctr_paint_is_drawn (const CtrPaintLines *lines, uint32_t row)
{
  return ctr_paint_area2 (&lines->table[row]) >= lines->min_area2;
}

CTR_PAINT_FUNC uint32_t
ctr_paint_contour_word (const CtrPaintLines *lines, uint32_t row)
{
  return lines->word | ctr_paint_contour_colour (&lines->colouring, lines->table, row);
}

CTR_PAINT_FUNC bool
ctr_paint_component_is_drawn (const CtrPaintComponents *components, uint32_t row)
{
  return components->table[row].area >= components->min_area;
}

CTR_PAINT_FUNC uint32_t
ctr_paint_component_word (const CtrPaintComponents *components, uint32_t row)
{
  const CtrColouring *colouring = &components->colouring;
  const uint64_t value = colouring->by == CTR_COLOUR_AREA ? 2 * (uint64_t) components->table[row].area : row;
  return components->word | ctr_paint_colour (colouring, value);
}

CTR_PAINT_FUNC uint32_t
ctr_paint_mix (uint32_t below, uint32_t above, uint32_t alpha)
{
  return (below * (255 - alpha) + above * alpha + 127) / 255;
}

CTR_PAINT_FUNC bool
ctr_paint_is_subsampled (const CtrPaintPlane *plane)
{
  return plane->x_shift > 0 || plane->y_shift > 0;
}

/* Do shapes leave COMPONENT unmixed, whatever their alpha? */
CTR_PAINT_FUNC bool
ctr_paint_is_unmixed (const CtrPaintPicture *picture, int component)
{
  return picture->background == CTR_BACKGROUND_TRANSPARENT && component < 3;
}

CTR_PAINT_FUNC size_t
ctr_paint_row_bytes (const CtrPaintPicture *picture, const CtrPaintPlane *plane)
{
  return ((((size_t) picture->width - 1) >> plane->x_shift) + 1) * plane->samples * picture->sample_size;
}

CTR_PAINT_FUNC uint32_t
ctr_paint_row_count (const CtrPaintPicture *picture, const CtrPaintPlane *plane)
{
  return ((picture->height - 1) >> plane->y_shift) + 1;
}

/* Paints pixel X, Y of PLANE according to WORD. */
CTR_PAINT_FUNC void
ctr_paint_plane_pixel (const CtrPaintTarget *target, const CtrPaintPlane *plane, uint32_t x, uint32_t y, uint32_t word)
{
  const CtrPaintColour *colour = &target->colours[word & 255];
  const uint32_t alpha = target->alphas[(word >> 26) - 1], coverage = word >> 8 & 255;
  const uint32_t size = target->picture.sample_size;
  uint8_t *pixel = (uint8_t *) plane->data + y * plane->stride + (size_t) x * plane->samples * size;
  for (uint32_t i = 0; i < plane->samples; i++, pixel += size) {
    const int component = plane->component[i];
    if (component < 0)
      continue;
    uint32_t value = colour->shape[component];
    if (coverage > 0)
      value = ctr_paint_mix (value, colour->text[component], coverage);
    if (alpha < 255 && !ctr_paint_is_unmixed (&target->picture, component))
      value = ctr_paint_mix (size == 1 ? *pixel : *(uint16_t *) pixel, value, alpha);
    value &= target->picture.sample_mask;
    if (size == 1)
      *pixel = (uint8_t) value;
    else
      *(uint16_t *) pixel = (uint16_t) value;
  }
}

/* First pass: enters WORD at pixel X, Y of the picture. *MARKED, for the GPU: the tile that this thread has marked last. */
CTR_PAINT_FUNC void
ctr_paint_enter (const CtrPaintTarget *target, uint32_t x, uint32_t y, uint32_t word, uint32_t *marked)
{
#ifdef __CUDA_ARCH__
  const uint32_t tile = y / CTR_PAINT_TILE_HEIGHT * target->tiles_across + x / CTR_PAINT_TILE_WIDTH;
  const uint32_t pixel = x / 4 % 2 * 16 + y % 4 * 4 + x % 4;
  atomicMax (target->ink[0] + (size_t) tile * CTR_PAINT_TILE_PIXELS + pixel, word);
  if (tile == *marked)
    return;
  *marked = tile;
  /* Whoever stores it stores the same. A load before it would have to be waited for. */
  __stcg (target->tiles + tile, (uint8_t) 1);
#else
  (void) marked;
  uint32_t *ink = target->ink[0] + (size_t) y * target->picture.width + x;
  if (*ink < word)
    *ink = word;
  if (target->ink[1]) {
    ink = target->ink[1] + (size_t) (y >> target->y_shift) * target->ink_width + (x >> target->x_shift);
    if (*ink < word)
      *ink = word;
  }
#endif
}

/* Stores the SIZE bytes of VALUE, 1, 2 or 4, at TO, which is aligned. */
CTR_PAINT_FUNC void
ctr_paint_store (uint8_t *to, uint32_t value, uint32_t size)
{
#ifdef __CUDA_ARCH__
  if (size == 1)
    __stcg (to, (uint8_t) value);
  else if (size == 2)
    __stcg ((uint16_t *) to, (uint16_t) value);
  else
    __stcg ((uint32_t *) to, value);
#else
  if (size == 1)
    *to = (uint8_t) value;
  else if (size == 2)
    *(uint16_t *) to = (uint16_t) value;
  else
    *(uint32_t *) to = value;
#endif
}

/* Paints pixel X, Y of the picture in the colour that all shapes have, in every plane. Whoever stores a pixel stores the same. */
CTR_PAINT_FUNC void
ctr_paint_directly (const CtrPaintTarget *target, uint32_t x, uint32_t y)
{
  for (uint32_t p = 0; p < target->picture.plane_count; p++) {
    const CtrPaintPlane *plane = &target->picture.planes[p];
    const uint32_t size = target->picture.sample_size;
    uint8_t *pixel = (uint8_t *) plane->data + (y >> plane->y_shift) * plane->stride
                     + (size_t) (x >> plane->x_shift) * plane->samples * size;
    if (target->pixel_sizes[p] == 2) {
      ctr_paint_store (pixel, target->pixels[p], 2);
      continue;
    }
    if (target->pixel_sizes[p] == 4) {
      ctr_paint_store (pixel, target->pixels[p], 4);
      continue;
    }
    for (uint32_t i = 0; i < plane->samples; i++, pixel += size) {
      if (plane->component[i] < 0)
        continue;
      const uint32_t value = target->colour.shape[plane->component[i]] & target->picture.sample_mask;
      ctr_paint_store (pixel, value, size == 1 ? 1 : 2);
    }
  }
}

CTR_PAINT_FUNC uint32_t
ctr_paint_take (uint32_t *ink)
{
  const uint32_t word = *ink;
  *ink = 0;
  return word;
}

/* First pass (BLEND is false): enters WORD at pixel X, Y of the picture. The CPU's second pass: paints the pixel if its
 * ink is not 0. The only pass over shapes of one colour: paints it. */
CTR_PAINT_FUNC void
ctr_paint_next_pixel (const CtrPaintTarget *target, bool blend, uint32_t x, uint32_t y, uint32_t word, uint32_t *marked)
{
  if (!blend) {
    ctr_paint_enter (target, x, y, word, marked);
    return;
  }
#ifdef __CUDA_ARCH__
  ctr_paint_directly (target, x, y);
#else
  if (target->direct) {
    ctr_paint_directly (target, x, y);
    return;
  }
  const CtrPaintPicture *picture = &target->picture;
  const uint32_t sub_x = x >> target->x_shift, sub_y = y >> target->y_shift;
  const uint32_t full = ctr_paint_take (target->ink[0] + (size_t) y * picture->width + x);
  const uint32_t sub =
      target->ink[1] ? ctr_paint_take (target->ink[1] + (size_t) sub_y * target->ink_width + sub_x) : 0;
  for (uint32_t p = 0; p < picture->plane_count; p++) {
    const CtrPaintPlane *plane = &picture->planes[p];
    const bool subsampled = ctr_paint_is_subsampled (plane);
    if (subsampled && sub)
      ctr_paint_plane_pixel (target, plane, sub_x, sub_y, sub);
    else if (!subsampled && full)
      ctr_paint_plane_pixel (target, plane, x, y, full);
  }
#endif
}

CTR_PAINT_FUNC void
ctr_paint_pixel (const CtrPaintTarget *target, bool blend, uint32_t x, uint32_t y, uint32_t word)
{
  uint32_t marked = ~0u;
  ctr_paint_next_pixel (target, blend, x, y, word, &marked);
}

#endif
