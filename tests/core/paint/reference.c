/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/paint/reference.h"

#include <stdlib.h>
#include <string.h>

/* What shows at each pixel of the picture: comparable, 0: nothing. */
typedef struct {
  uint32_t layer, order, coverage, colour, alpha;
} Show;

typedef struct {
  Show *pixels;
  int64_t width, height;
  Show show; /* of the shape being drawn */
} Map;

static bool
is_above (Show a, Show b)
{
  if (a.layer != b.layer)
    return a.layer > b.layer;
  if (a.order != b.order)
    return a.order > b.order;
  if (a.coverage != b.coverage)
    return a.coverage > b.coverage;
  return a.colour > b.colour;
}

static void
put (Map *map, int64_t x, int64_t y)
{
  if (x < 0 || y < 0 || x >= map->width || y >= map->height)
    return;
  Show *there = &map->pixels[y * map->width + x];
  if (is_above (map->show, *there))
    *there = map->show;
}

static int64_t
floor_shift (__int128 value, int bits)
{
  const __int128 unit = (__int128) 1 << bits;
  __int128 result = value / unit;
  if (result * unit > value)
    result--;
  if (result < -(1 << 29))
    return -(1 << 29);
  return result > 1 << 29 ? 1 << 29 : (int64_t) result;
}

static void
map_position (const CtrPaintMapping *m, bool corners, int64_t x, int64_t y, int64_t *to_x, int64_t *to_y)
{
  if (corners) {
    *to_x = floor_shift ((__int128) m->xx * x + (__int128) m->xy * y + m->x0 + (1 << 23), 24);
    *to_y = floor_shift ((__int128) m->yx * x + (__int128) m->yy * y + m->y0 + (1 << 23), 24);
  } else {
    *to_x = floor_shift ((__int128) m->xx * (2 * x + 1) + (__int128) m->xy * (2 * y + 1) + 2 * (__int128) m->x0, 25);
    *to_y = floor_shift ((__int128) m->yx * (2 * x + 1) + (__int128) m->yy * (2 * y + 1) + 2 * (__int128) m->y0, 25);
  }
}

static void
stamp (Map *map, int64_t x, int64_t y, int64_t thickness, bool corners)
{
  const int64_t before = corners ? thickness / 2 : (thickness - 1) / 2;
  for (int64_t j = 0; j < thickness; j++)
    for (int64_t i = 0; i < thickness; i++) {
      const int64_t u = 2 * i + 1 - thickness, v = 2 * j + 1 - thickness;
      if (u * u + v * v <= thickness * thickness)
        put (map, x - before + i, y - before + j);
    }
}

static bool
in_dash (const CtrPaintLayer *layer, const CtrContour *contour, int64_t along)
{
  if (!layer->dashed_holes || !(contour->flags & CTR_CONTOUR_HOLE))
    return true;
  int64_t length = contour->width < 16 && contour->height < 16 ? 1 : 4;
  for (uint32_t t = 1; t < layer->thickness; t *= 2)
    length *= 2;
  const int64_t dash = along >= 0 ? along / length : -((-along + length - 1) / length);
  return dash % 2 == 0;
}

static void
draw_segment (Map *map, const CtrPaintLayer *layer, const CtrContour *contour, bool corners, int64_t x, int64_t y,
    int64_t to_x, int64_t to_y)
{
  const CtrPaintMapping *m = &layer->mapping;
  const int64_t dx = to_x - x, dy = to_y - y, across = llabs (dx), down = llabs (dy), n = across > down ? across : down;
  int64_t error_x = n, error_y = n;
  if (corners && layer->thickness % 2) {
    /* Turned to the right, downwards is positive. */
    const __int128 turn = (__int128) m->xx * m->yy - (__int128) m->xy * m->yx;
    const int64_t right_x = turn < 0 ? dy : -dy, right_y = turn < 0 ? -dx : dx;
    x -= dx < 0 || (dx == 0 && right_x < 0);
    y -= dy < 0 || (dy == 0 && right_y < 0);
  }
  for (int64_t k = 0; k < n; k++) {
    if (in_dash (layer, contour, across >= down ? x : y))
      stamp (map, x, y, layer->thickness, corners);
    error_x += 2 * across;
    error_y += 2 * down;
    if (error_x >= 2 * n) {
      x += dx < 0 ? -1 : 1;
      error_x -= 2 * n;
    }
    if (error_y >= 2 * n) {
      y += dy < 0 ? -1 : 1;
      error_y -= 2 * n;
    }
  }
}

/* Are all pixels of the contour's box in one pixel? */
static bool
is_dot (const CtrPaintLayer *layer, const CtrContour *contour, bool corners)
{
  const uint32_t across = contour->width + corners, down = contour->height + corners;
  int64_t x, y, first_x = 0, first_y = 0;
  for (uint32_t j = 0; j < down; j++)
    for (uint32_t i = 0; i < across; i++) {
      map_position (&layer->mapping, corners, contour->left + i, contour->top + j, &x, &y);
      if (i == 0 && j == 0) {
        first_x = x;
        first_y = y;
      }
      if (x != first_x || y != first_y)
        return false;
    }
  return true;
}

static void
draw_line (Map *map, const CtrPaintLayer *layer, const CtrContour *contour, const CtrPoint *points, bool corners)
{
  int64_t x, y, to_x, to_y;
  if (contour->count == 1 || is_dot (layer, contour, corners)) {
    map_position (&layer->mapping, corners, points[0].x, points[0].y, &x, &y);
    if (corners && layer->thickness % 2
        && (double) layer->mapping.xx * layer->mapping.yy < (double) layer->mapping.xy * layer->mapping.yx) {
      x--;
      y--;
    }
    if (in_dash (layer, contour, x))
      stamp (map, x, y, layer->thickness, corners);
    return;
  }
  for (uint32_t i = 0; i < contour->count; i++) {
    const CtrPoint from = points[i], to = points[(i + 1) % contour->count];
    map_position (&layer->mapping, corners, from.x, from.y, &x, &y);
    map_position (&layer->mapping, corners, to.x, to.y, &to_x, &to_y);
    draw_segment (map, layer, contour, corners, x, y, to_x, to_y);
  }
}

static void
draw_rectangle (Map *map, int64_t x, int64_t y, int64_t width, int64_t height, int64_t t)
{
  for (int64_t v = 0; v < map->height; v++)
    for (int64_t u = 0; u < map->width; u++) {
      if (u < x || v < y || u >= x + width || v >= y + height)
        continue;
      if (t == 0 || u < x + t || v < y + t || u >= x + width - t || v >= y + height - t)
        put (map, u, v);
    }
}

static void
draw_box (Map *map, const CtrPaintLayer *layer, int64_t left, int64_t top, int64_t width, int64_t height)
{
  int64_t x, y, to_x, to_y;
  map_position (&layer->mapping, true, left, top, &x, &y);
  map_position (&layer->mapping, true, left + width, top + height, &to_x, &to_y);
  width = llabs (to_x - x);
  height = llabs (to_y - y);
  draw_rectangle (
      map, x < to_x ? x : to_x, y < to_y ? y : to_y, width ? width : 1, height ? height : 1, layer->thickness);
}

static double
log_of (double value)
{
  double whole = 0;
  while (value >= 2) {
    value /= 2;
    whole += 16;
  }
  return whole + (int) ((value - 1) * 16);
}

static uint32_t
colour_of (const CtrColouring *c, const CtrContour *table, uint32_t row)
{
  double value = 0, range = (double) c->range;
  switch (c->by) {
    case CTR_COLOUR_FIXED:
      return c->first;
    case CTR_COLOUR_ID:
      return c->first + row % c->count;
    case CTR_COLOUR_LEVEL:
      value = table[row].level;
      break;
    case CTR_COLOUR_DEPTH:
      for (int32_t i = table[row].parent; i >= 0; i = table[i].parent)
        value++;
      break;
    case CTR_COLOUR_AREA:
      value = ctr_contour_area (&table[row], false);
      value = value > 1 ? log_of (value) : 0;
      range = range > 1 ? log_of (range) : 1;
      break;
  }
  return c->first + (uint32_t) ((uint64_t) (value > range ? range : value) * (c->count - 1) / (uint64_t) range);
}

static void
draw_contours (Map *map, const CtrPaintLayer *layer)
{
  CtrError error;
  const CtrContour *table = ctr_contours_map_table (layer->contours, &error);
  const CtrPoint *points = ctr_contours_map_points (layer->contours, &error);
  const bool corners = layer->contours->coordinates == CTR_COORDINATES_CORNERS;
  CHECK (table && points);
  for (uint32_t row = 0; row < layer->contours->count; row++) {
    const CtrContour *contour = &table[row];
    if (2 * ctr_contour_area (contour, false) < (double) layer->min_area2)
      continue;
    map->show.colour = colour_of (&layer->colouring, table, row);
    if (layer->kind == CTR_PAINT_LINES) {
      draw_line (map, layer, contour, points + contour->first, corners);
    } else {
      draw_box (map, layer, contour->left, contour->top, contour->width, contour->height);
    }
  }
}

static void
draw_components (Map *map, const CtrPaintLayer *layer)
{
  for (uint32_t row = 0; row < layer->components->count; row++) {
    const CtrComponent *component = &layer->components->table[row];
    /* A contour of the same area has the same colour. */
    const CtrContour contour = {.area2 = 2 * (int64_t) component->area};
    if (component->area < layer->min_area)
      continue;
    map->show.colour = layer->colouring.by == CTR_COLOUR_AREA ? colour_of (&layer->colouring, &contour, 0)
                                                              : colour_of (&layer->colouring, NULL, row);
    draw_box (map, layer, component->left, component->top, component->width, component->height);
  }
}

/* Only for mappings whose factors are 1, -1, or another whole number, or one half. */
static void
draw_areas (Map *map, const CtrPaintLayer *layer)
{
  const CtrPaintMapping *m = &layer->mapping;
  for (int64_t y = 0; y < map->height; y++)
    for (int64_t x = 0; x < map->width; x++) {
      const double u = (x + 0.5 - (double) m->x0 / CTR_PAINT_ONE) * CTR_PAINT_ONE / (double) m->xx;
      const double v = (y + 0.5 - (double) m->y0 / CTR_PAINT_ONE) * CTR_PAINT_ONE / (double) m->yy;
      if (u < 0 || v < 0 || u >= layer->label_width || v >= layer->label_height)
        continue;
      const uint32_t label = layer->labels[(size_t) v * layer->label_width + (size_t) u];
      if (label < 1 || label > layer->label_count || layer->label_colours[label - 1] == CTR_PAINT_NO_COLOUR)
        continue;
      map->show.colour = layer->label_colours[label - 1];
      put (map, x, y);
    }
}

static void
draw_glyph (Map *map, const CtrPaintAtlas *atlas, const CtrPaintGlyph *glyph)
{
  map->show.colour = glyph->colour;
  map->show.order = glyph->order % CTR_PAINT_ORDERS;
  for (uint32_t j = 0; j < glyph->height; j++)
    for (uint32_t i = 0; i < glyph->width; i++) {
      map->show.coverage = atlas->coverage[(size_t) (glyph->v + j) * atlas->width + glyph->u + i];
      put (map, (int64_t) glyph->x + i, (int64_t) glyph->y + j);
    }
}

static void
draw_layer (Map *map, const CtrPaintLayer *layer)
{
  switch (layer->kind) {
    case CTR_PAINT_LINES:
    case CTR_PAINT_BOXES:
      draw_contours (map, layer);
      break;
    case CTR_PAINT_COMPONENT_BOXES:
      draw_components (map, layer);
      break;
    case CTR_PAINT_RECTANGLES:
      for (size_t i = 0; i < layer->rectangle_count; i++) {
        const CtrPaintRectangle *r = &layer->rectangles[i];
        map->show.colour = r->colour;
        draw_rectangle (map, r->x, r->y, r->width, r->height, r->thickness);
      }
      break;
    case CTR_PAINT_AREAS:
      draw_areas (map, layer);
      break;
    case CTR_PAINT_TEXT:
      for (size_t i = 0; i < layer->glyph_count; i++)
        draw_glyph (map, layer->atlas, &layer->glyphs[i]);
      break;
  }
}

static uint32_t
mix (uint32_t below, uint32_t above, uint32_t alpha)
{
  return (below * (255 - alpha) + above * alpha + 127) / 255;
}

/* Every sample of the picture becomes one of the background. */
static void
fill (const CtrPaintPicture *picture)
{
  for (uint32_t p = 0; p < picture->plane_count; p++) {
    const CtrPaintPlane *plane = &picture->planes[p];
    const int64_t across = (picture->width + (1u << plane->x_shift) - 1) >> plane->x_shift;
    const int64_t down = (picture->height + (1u << plane->y_shift) - 1) >> plane->y_shift;
    for (int64_t y = 0; y < down; y++)
      for (int64_t x = 0; x < across; x++)
        for (uint32_t i = 0; i < plane->samples; i++) {
          const int component = plane->component[i];
          uint16_t sample = component < 0 ? 0xffff : picture->background_colour[component];
          if (component == 3 && picture->background == CTR_BACKGROUND_TRANSPARENT)
            sample = 0;
          sample &= (uint16_t) picture->sample_mask;
          memcpy ((uint8_t *) plane->data + y * plane->stride + (x * plane->samples + i) * picture->sample_size,
              &sample, picture->sample_size);
        }
  }
}

static void
blend (const CtrPaintPicture *picture, const CtrPaintPlane *plane, int64_t x, int64_t y, const Show *show,
    const CtrPaintColour *colours)
{
  uint8_t *pixel = (uint8_t *) plane->data + y * plane->stride + x * plane->samples * picture->sample_size;
  for (uint32_t i = 0; i < plane->samples; i++) {
    const int component = plane->component[i];
    uint16_t sample = 0;
    if (component < 0)
      continue;
    memcpy (&sample, pixel + i * picture->sample_size, picture->sample_size);
    const CtrPaintColour *colour = &colours[show->colour];
    const uint32_t value = mix (colour->shape[component], colour->text[component], show->coverage);
    const bool unmixed = picture->background == CTR_BACKGROUND_TRANSPARENT && component != 3;
    sample = (uint16_t) ((unmixed ? value : mix (sample, value, show->alpha)) & picture->sample_mask);
    memcpy (pixel + i * picture->sample_size, &sample, picture->sample_size);
  }
}

void
draw_reference (Canvas *canvas, const CtrPaintLayer *layers, uint32_t count, const CtrPaintColour *colours)
{
  const CtrPaintPicture *picture = &canvas->picture;
  Map map = {.width = picture->width, .height = picture->height};
  map.pixels = calloc ((size_t) picture->width * picture->height, sizeof *map.pixels);
  for (uint32_t i = 0; i < count; i++) {
    map.show = (Show){.layer = i + 1, .alpha = layers[i].alpha};
    if (layers[i].alpha > 0)
      draw_layer (&map, &layers[i]);
  }
  if (picture->background != CTR_BACKGROUND_PICTURE)
    fill (picture);
  for (uint32_t p = 0; p < picture->plane_count; p++) {
    const CtrPaintPlane *plane = &picture->planes[p];
    for (int64_t y = 0; y << plane->y_shift < map.height; y++)
      for (int64_t x = 0; x << plane->x_shift < map.width; x++) {
        Show show = {0};
        for (int64_t v = y << plane->y_shift; v < (y + 1) << plane->y_shift && v < map.height; v++)
          for (int64_t u = x << plane->x_shift; u < (x + 1) << plane->x_shift && u < map.width; u++)
            if (is_above (map.pixels[v * map.width + u], show))
              show = map.pixels[v * map.width + u];
        if (show.layer > 0)
          blend (picture, plane, x, y, &show, colours);
      }
  }
  free (map.pixels);
}
