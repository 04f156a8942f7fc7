/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rasterisation: the pixels that a shape covers. Each pixel of a shape is computed from its index alone, so that any
 * number of threads can share a shape. Internal.
 *
 * A line from one point to the next has as many steps as the longer of its two distances; the other coordinate is
 * rounded to the nearest pixel, halves away from the first point. The last pixel of a line is the first one of the next
 * line. */
#ifndef CTR_CORE_PAINT_RASTER_H
#define CTR_CORE_PAINT_RASTER_H

#include "core/paint/paint.h"

/* Lines of up to this many steps are not clipped in advance. */
#define CTR_PAINT_SHORT 32

typedef struct {
  int32_t x, y; /* first pixel */
  int32_t dx, dy;
  uint32_t steps;
} CtrPaintSegment;

/* A segment, and how it is drawn. */
typedef struct {
  CtrPaintSegment segment;
  bool follows; /* the pixel before the first one is drawn, too: at before_x, before_y */
  int32_t before_x, before_y;
  int32_t dash; /* log2 of the length of a dash; -1: not dashed */
} CtrPaintStroke;

/* A rectangle of pixels inside the picture. */
typedef struct {
  uint32_t x, y, width, height;
} CtrPaintBlock;

CTR_PAINT_FUNC int32_t
ctr_paint_near (int64_t position)
{
  return (int32_t) (position < -CTR_PAINT_FAR ? -CTR_PAINT_FAR : position > CTR_PAINT_FAR ? CTR_PAINT_FAR : position);
}

/* Maps the corner X, Y to the nearest corner between pixels. */
CTR_PAINT_FUNC void
ctr_paint_map_corner (const CtrPaintMapping *m, int64_t x, int64_t y, int32_t *to_x, int32_t *to_y)
{
  *to_x = ctr_paint_near ((m->xx * x + m->xy * y + m->x0 + CTR_PAINT_ONE / 2) >> 24);
  *to_y = ctr_paint_near ((m->yx * x + m->yy * y + m->y0 + CTR_PAINT_ONE / 2) >> 24);
}

/* Maps the centre of pixel X, Y to the pixel that contains it. */
CTR_PAINT_FUNC void
ctr_paint_map_pixel (const CtrPaintMapping *m, int64_t x, int64_t y, int32_t *to_x, int32_t *to_y)
{
  *to_x = ctr_paint_near ((m->xx * (2 * x + 1) + m->xy * (2 * y + 1) + 2 * m->x0) >> 25);
  *to_y = ctr_paint_near ((m->yx * (2 * x + 1) + m->yy * (2 * y + 1) + 2 * m->y0) >> 25);
}

CTR_PAINT_FUNC void
ctr_paint_position (const CtrPaintLines *lines, int64_t x, int64_t y, int32_t *to_x, int32_t *to_y)
{
  if (lines->shifted) {
    *to_x = (int32_t) x + lines->shift_x;
    *to_y = (int32_t) y + lines->shift_y;
  } else if (lines->corners) {
    ctr_paint_map_corner (&lines->mapping, x, y, to_x, to_y);
  } else {
    ctr_paint_map_pixel (&lines->mapping, x, y, to_x, to_y);
  }
}

CTR_PAINT_FUNC uint32_t
ctr_paint_distance (int32_t d)
{
  return d < 0 ? 0u - (uint32_t) d : (uint32_t) d;
}

CTR_PAINT_FUNC CtrPaintSegment
ctr_paint_segment (const CtrPaintLines *lines, CtrPoint from, CtrPoint to)
{
  CtrPaintSegment s;
  int32_t x, y;
  ctr_paint_position (lines, from.x, from.y, &s.x, &s.y);
  ctr_paint_position (lines, to.x, to.y, &x, &y);
  s.dx = x - s.x;
  s.dy = y - s.y;
  const uint32_t across = ctr_paint_distance (s.dx), down = ctr_paint_distance (s.dy);
  s.steps = across > down ? across : down;
  if (lines->corners && lines->thickness % 2) {
    /* The pixels on the right of the crack between the corners. */
    s.x -= s.dx < 0 || (s.dx == 0 && (s.dy > 0) != lines->mirrored);
    s.y -= s.dy < 0 || (s.dy == 0 && (s.dx < 0) != lines->mirrored);
  }
  return s;
}

/* The offset of step K of N along an axis where all N steps have the offset D, D <= N. */
CTR_PAINT_FUNC uint32_t
ctr_paint_offset (uint32_t k, uint32_t d, uint32_t n)
{
  if (d == n || k == 0)
    return k;
  if (d == 0)
    return 0;
  if (n < 32768)
    return (2 * k * d + n) / (2 * n);
  return (uint32_t) ((2 * (uint64_t) k * d + n) / (2 * (uint64_t) n));
}

CTR_PAINT_FUNC void
ctr_paint_step (const CtrPaintSegment *s, uint32_t k, int32_t *x, int32_t *y)
{
  const int32_t across = (int32_t) ctr_paint_offset (k, ctr_paint_distance (s->dx), s->steps);
  const int32_t down = (int32_t) ctr_paint_offset (k, ctr_paint_distance (s->dy), s->steps);
  *x = s->x + (s->dx < 0 ? -across : across);
  *y = s->y + (s->dy < 0 ? -down : down);
}

/* The first of N steps with an offset of FAR or more along an axis; N if there is none. */
CTR_PAINT_FUNC uint32_t
ctr_paint_first_step (int64_t far, uint32_t d, uint32_t n)
{
  uint32_t low = 0, high = n;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if ((int64_t) ctr_paint_offset (middle, d, n) >= far)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* Restricts the steps *BEGIN .. *END to those between LOW and HIGH on one axis. */
CTR_PAINT_FUNC void
ctr_paint_clip_axis (int32_t from, int32_t d, uint32_t steps, int64_t low, int64_t high, uint32_t *begin, uint32_t *end)
{
  const int64_t nearest = d < 0 ? from - high : low - from, farthest = d < 0 ? from - low : high - from;
  const uint32_t first = nearest <= 0 ? 0 : ctr_paint_first_step (nearest, ctr_paint_distance (d), steps);
  const uint32_t last = farthest < 0 ? 0 : ctr_paint_first_step (farthest + 1, ctr_paint_distance (d), steps);
  *begin = first > *begin ? first : *begin;
  *end = last < *end ? last : *end;
}

/* The steps of S whose brush may reach into PICTURE. */
CTR_PAINT_FUNC void
ctr_paint_clip (const CtrPaintSegment *s, const CtrPaintLines *lines, const CtrPaintPicture *picture, uint32_t *begin,
    uint32_t *end)
{
  *begin = 0;
  *end = s->steps > 0 ? s->steps : 1;
  if (s->steps <= CTR_PAINT_SHORT)
    return;
  const int64_t low = 1 - lines->low - (int64_t) lines->thickness;
  ctr_paint_clip_axis (s->x, s->dx, s->steps, low, (int64_t) picture->width - 1 - lines->low, begin, end);
  ctr_paint_clip_axis (s->y, s->dy, s->steps, low, (int64_t) picture->height - 1 - lines->low, begin, end);
}

/* Is pixel X, Y of S inside a dash? True if S is not dashed. */
CTR_PAINT_FUNC bool
ctr_paint_dashed (const CtrPaintSegment *s, int32_t dash, int32_t x, int32_t y)
{
  if (dash < 0)
    return true;
  return !((ctr_paint_distance (s->dx) >= ctr_paint_distance (s->dy) ? x : y) >> dash & 1);
}

/* The length of dashes: long enough for gaps between brushes, short enough for gaps on a small contour. */
CTR_PAINT_FUNC int32_t
ctr_paint_dash (const CtrPaintLines *lines, const CtrContour *contour)
{
  if (!lines->dashed_holes || !(contour->flags & CTR_CONTOUR_HOLE))
    return -1;
  int32_t dash = contour->width < 16 && contour->height < 16 ? 0 : 2;
  for (uint32_t length = 1; length < lines->thickness; length *= 2)
    dash++;
  return dash;
}

/* Is the bounding box of CONTOUR mapped to a single pixel? */
CTR_PAINT_FUNC bool
ctr_paint_is_dot (const CtrPaintLines *lines, const CtrContour *contour)
{
  const int64_t left = contour->left, top = contour->top, last = lines->corners ? 0 : 1;
  const int64_t right = left + contour->width - last, bottom = top + contour->height - last;
  int32_t x[4], y[4];
  if (contour->count == 1)
    return true;
  ctr_paint_position (lines, left, top, &x[0], &y[0]);
  ctr_paint_position (lines, right, top, &x[1], &y[1]);
  ctr_paint_position (lines, left, bottom, &x[2], &y[2]);
  ctr_paint_position (lines, right, bottom, &x[3], &y[3]);
  return x[0] == x[1] && x[0] == x[2] && x[0] == x[3] && y[0] == y[1] && y[0] == y[2] && y[0] == y[3];
}

/* The stroke of CONTOUR from its point INDEX, which is FROM, to the next one, TO; BEFORE is the one before, if there is one.
 * Returns false if both are mapped to the same pixel: another stroke draws that pixel, or the first stroke does if the contour
 * is a dot. */
CTR_PAINT_FUNC bool
ctr_paint_stroke_between (const CtrPaintLines *lines, const CtrContour *contour, uint32_t index, CtrPoint before,
    CtrPoint from, CtrPoint to, CtrPaintStroke *stroke)
{
  stroke->segment = ctr_paint_segment (lines, from, to);
  if (stroke->segment.steps == 0 && (index > 0 || !ctr_paint_is_dot (lines, contour)))
    return false;
  stroke->dash = ctr_paint_dash (lines, contour);
  stroke->follows = false;
  stroke->before_x = stroke->before_y = 0;
  if (lines->thickness > 1 && index > 0) {
    const CtrPaintSegment last = ctr_paint_segment (lines, before, from);
    if (last.steps > 0) {
      ctr_paint_step (&last, last.steps - 1, &stroke->before_x, &stroke->before_y);
      stroke->follows = ctr_paint_dashed (&last, stroke->dash, stroke->before_x, stroke->before_y);
    }
  }
  return true;
}

/* The stroke from point INDEX of CONTOUR to the next one. */
CTR_PAINT_FUNC bool
ctr_paint_stroke (const CtrPaintLines *lines, const CtrContour *contour, uint32_t index, CtrPaintStroke *stroke)
{
  const CtrPoint *points = lines->points + contour->first;
  /* An open contour ends with its last point. */
  const uint32_t after_last = contour->flags & CTR_CONTOUR_OPEN ? index : 0;
  return ctr_paint_stroke_between (lines, contour, index, points[index > 0 ? index - 1 : 0], points[index],
      points[index + 1 < contour->count ? index + 1 : after_last], stroke);
}

/* Draws what is new when the brush has moved to X, Y by a pixel: by ACROSS and DOWN, which are -1, 0 or 1. */
CTR_PAINT_FUNC void
ctr_paint_move (const CtrPaintTarget *target, bool blend, const CtrPaintLines *lines, int32_t x, int32_t y,
    int32_t across, int32_t down, uint32_t word)
{
  const int32_t last = (int32_t) lines->thickness - 1;
  const bool diagonal = across != 0 && down != 0, still = across == 0 && down == 0;
  const uint32_t count = still ? 0 : diagonal ? lines->edge_count : lines->thickness;
  uint32_t marked = ~0u;
  for (uint32_t k = 0; k < count; k++) {
    /* To the right, and down or straight on; then mirrored, as the brush is symmetric. */
    const int32_t i = diagonal ? lines->edge[k][0] : last - lines->brush[k];
    const int32_t j = diagonal ? lines->edge[k][1] : (int32_t) k;
    const int32_t u = across == 0 ? j : across < 0 ? last - i : i;
    const int32_t along = across == 0 ? i : j, v = down < 0 ? last - along : along;
    if ((uint32_t) (x + u) < target->picture.width && (uint32_t) (y + v) < target->picture.height)
      ctr_paint_next_pixel (target, blend, (uint32_t) (x + u), (uint32_t) (y + v), word, &marked);
  }
}

/* Draws the pixel in column I and row J of a brush with its corner at X, Y, if the disc covers it. */
CTR_PAINT_FUNC void
ctr_paint_stamp_pixel (const CtrPaintTarget *target, bool blend, const CtrPaintLines *lines, int32_t x, int32_t y,
    uint32_t i, uint32_t j, uint32_t word)
{
  const uint32_t skip = lines->brush[j], u = (uint32_t) x + i, v = (uint32_t) y + j;
  if (i >= skip && i < lines->thickness - skip && u < target->picture.width && v < target->picture.height)
    ctr_paint_pixel (target, blend, u, v, word);
}

/* Draws the brush with its corner at X, Y. */
CTR_PAINT_FUNC void
ctr_paint_stamp (
    const CtrPaintTarget *target, bool blend, const CtrPaintLines *lines, int32_t x, int32_t y, uint32_t word)
{
  for (uint32_t j = 0; j < lines->thickness; j++)
    for (uint32_t i = lines->brush[j]; i < lines->thickness - lines->brush[j]; i++)
      ctr_paint_stamp_pixel (target, blend, lines, x, y, i, j, word);
}

/* Has the brush at X, Y moved by one pixel at most? Between lines along cracks, brushes of odd thickness may jump. */
CTR_PAINT_FUNC bool
ctr_paint_is_near (int32_t x, int32_t y, int32_t before_x, int32_t before_y)
{
  return ctr_paint_distance (x - before_x) <= 1 && ctr_paint_distance (y - before_y) <= 1;
}

/* Draws every STRIDE-th step of STROKE from BEGIN to END. Each brush draws what the previous one has left. The first brush of a
 * contour is complete, so all pixels are drawn. */
CTR_PAINT_FUNC void
ctr_paint_walk (const CtrPaintTarget *target, bool blend, const CtrPaintLines *lines, const CtrPaintStroke *stroke,
    uint32_t word, uint32_t begin, uint32_t end, uint32_t stride)
{
  const CtrPaintSegment *s = &stroke->segment;
  for (uint32_t k = begin; k < end; k += stride) {
    int32_t x, y, before_x = stroke->before_x, before_y = stroke->before_y;
    ctr_paint_step (s, k, &x, &y);
    if (!ctr_paint_dashed (s, stroke->dash, x, y))
      continue;
    if (lines->thickness == 1) {
      if ((uint32_t) x < target->picture.width && (uint32_t) y < target->picture.height)
        ctr_paint_pixel (target, blend, (uint32_t) x, (uint32_t) y, word);
      continue;
    }
    bool follows = stroke->follows;
    if (k > 0) {
      ctr_paint_step (s, k - 1, &before_x, &before_y);
      follows = ctr_paint_dashed (s, stroke->dash, before_x, before_y);
    }
    if (follows && ctr_paint_is_near (x, y, before_x, before_y))
      ctr_paint_move (target, blend, lines, x + lines->low, y + lines->low, x - before_x, y - before_y, word);
    else
      ctr_paint_stamp (target, blend, lines, x + lines->low, y + lines->low, word);
  }
}

/* Clips a rectangle to PICTURE; false if nothing is left. */
CTR_PAINT_FUNC bool
ctr_paint_block (
    const CtrPaintPicture *picture, int64_t x, int64_t y, int64_t width, int64_t height, CtrPaintBlock *block)
{
  const int64_t left = x > 0 ? x : 0, top = y > 0 ? y : 0;
  const int64_t right = x + width < picture->width ? x + width : picture->width;
  const int64_t bottom = y + height < picture->height ? y + height : picture->height;
  if (left >= right || top >= bottom)
    return false;
  block->x = (uint32_t) left;
  block->y = (uint32_t) top;
  block->width = (uint32_t) (right - left);
  block->height = (uint32_t) (bottom - top);
  return true;
}

/* Part PART, 0 .. 3, of a rectangle: a side of its outline, or for part 0 all of a filled rectangle. */
CTR_PAINT_FUNC bool
ctr_paint_rectangle_part (
    const CtrPaintPicture *picture, const CtrPaintRectangle *r, uint32_t part, CtrPaintBlock *block)
{
  const int64_t t = r->thickness, w = r->width, h = r->height, x = r->x, y = r->y;
  if (t == 0 || 2 * t >= w || 2 * t >= h)
    return part == 0 && ctr_paint_block (picture, x, y, w, h, block);
  switch (part) {
    case 0:
      return ctr_paint_block (picture, x, y, w, t, block);
    case 1:
      return ctr_paint_block (picture, x, y + h - t, w, t, block);
    case 2:
      return ctr_paint_block (picture, x, y + t, t, h - 2 * t, block);
    default:
      return ctr_paint_block (picture, x + w - t, y + t, t, h - 2 * t, block);
  }
}

/* Draws every STRIDE-th pixel of R from BEGIN on. */
CTR_PAINT_FUNC void
ctr_paint_rectangle (const CtrPaintTarget *target, bool blend, const CtrPaintRectangle *r, uint32_t word,
    uint32_t begin, uint32_t stride)
{
  CtrPaintBlock block;
  for (uint32_t part = 0; part < 4; part++)
    if (ctr_paint_rectangle_part (&target->picture, r, part, &block))
      for (uint64_t k = begin; k < (uint64_t) block.width * block.height; k += stride)
        ctr_paint_pixel (
            target, blend, block.x + (uint32_t) k % block.width, block.y + (uint32_t) k / block.width, word);
}

/* A mapped bounding box, at least one pixel wide and high. */
CTR_PAINT_FUNC CtrPaintRectangle
ctr_paint_box (
    const CtrPaintMapping *mapping, uint32_t thickness, int64_t left, int64_t top, uint32_t width, uint32_t height)
{
  CtrPaintRectangle r;
  int32_t x1, y1, x2, y2;
  ctr_paint_map_corner (mapping, left, top, &x1, &y1);
  ctr_paint_map_corner (mapping, left + width, top + height, &x2, &y2);
  r.x = x1 < x2 ? x1 : x2;
  r.y = y1 < y2 ? y1 : y2;
  r.width = x1 == x2 ? 1 : ctr_paint_distance (x2 - x1);
  r.height = y1 == y2 ? 1 : ctr_paint_distance (y2 - y1);
  r.thickness = thickness;
  r.colour = 0; /* contained in the word */
  return r;
}

CTR_PAINT_FUNC CtrPaintRectangle
ctr_paint_contour_box (const CtrPaintLines *lines, const CtrContour *contour)
{
  return ctr_paint_box (
      &lines->mapping, lines->thickness, contour->left, contour->top, contour->width, contour->height);
}

CTR_PAINT_FUNC CtrPaintRectangle
ctr_paint_component_box (const CtrPaintComponents *components, const CtrComponent *component)
{
  return ctr_paint_box (&components->mapping, components->thickness, component->left, component->top, component->width,
      component->height);
}

/* Draws every STRIDE-th pixel of GLYPH from BEGIN on. COVERAGE is the atlas, ATLAS_WIDTH wide. */
CTR_PAINT_FUNC void
ctr_paint_glyph (const CtrPaintTarget *target, bool blend, const CtrPaintGlyph *glyph, const uint8_t *coverage,
    uint32_t atlas_width, uint32_t word, uint32_t begin, uint32_t stride)
{
  CtrPaintBlock block;
  if (!ctr_paint_block (&target->picture, glyph->x, glyph->y, glyph->width, glyph->height, &block))
    return;
  word |= (glyph->order % CTR_PAINT_ORDERS) << 16;
  const uint32_t u = glyph->u + (uint32_t) ((int64_t) block.x - glyph->x);
  const uint32_t v = glyph->v + (uint32_t) ((int64_t) block.y - glyph->y);
  for (uint64_t k = begin; k < (uint64_t) block.width * block.height; k += stride) {
    const uint32_t i = (uint32_t) k % block.width, j = (uint32_t) k / block.width;
    const uint32_t covered = coverage[(size_t) (v + j) * atlas_width + u + i];
    ctr_paint_pixel (target, blend, block.x + i, block.y + j, word | covered << 8 | glyph->colour);
  }
}

/* Draws pixel X, Y of the picture in the colour of its label. */
CTR_PAINT_FUNC void
ctr_paint_area_pixel (const CtrPaintTarget *target, bool blend, const CtrPaintAreas *areas, uint32_t x, uint32_t y)
{
  int32_t from_x, from_y;
  ctr_paint_map_pixel (&areas->inverse, x, y, &from_x, &from_y);
  if (from_x < 0 || from_y < 0 || (uint32_t) from_x >= areas->width || (uint32_t) from_y >= areas->height)
    return;
  const uint32_t label = areas->labels[(size_t) from_y * areas->width + (uint32_t) from_x];
  if (label == 0 || label > areas->count || areas->colours[label - 1] > 255)
    return;
  ctr_paint_pixel (target, blend, x, y, areas->word | areas->colours[label - 1]);
}

#endif
