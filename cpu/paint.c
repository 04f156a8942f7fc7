/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing on the host: core/paint.h's two passes, one shape after the other. */
#include "core/backend.h"
#include "core/paint_raster.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  uint32_t *ink; /* 0 between frames */
  size_t words;
} State;

static void *
create (CtrError *error)
{
  State *state = calloc (1, sizeof *state);
  if (!state)
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a painter");
  return state;
}

static void
destroy (void *data)
{
  State *state = data;
  free (state->ink);
  free (state);
}

static bool
reserve_ink (State *state, CtrPaintTarget *target, CtrError *error)
{
  const size_t full = ctr_paint_ink_words (target, 0), sub = ctr_paint_ink_words (target, 1);
  if (full + sub > state->words) {
    free (state->ink);
    /* Pages that nothing is drawn on are never touched. */
    state->ink = calloc (full + sub, sizeof *state->ink);
    state->words = state->ink ? full + sub : 0;
    if (!state->ink)
      return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory to draw on %u x %u pixels",
          target->picture.width, target->picture.height);
  }
  target->ink[0] = state->ink;
  target->ink[1] = sub > 0 ? state->ink + full : NULL;
  return true;
}

static void
draw_contour (const CtrPaintTarget *target, bool blend, const CtrPaintLines *lines, uint32_t row, uint32_t word)
{
  const CtrContour *contour = &lines->table[row];
  for (uint32_t i = 0; i < contour->count; i++) {
    CtrPaintStroke stroke;
    uint32_t begin, end;
    if (!ctr_paint_stroke (lines, contour, i, &stroke))
      continue;
    ctr_paint_clip (&stroke.segment, lines, &target->picture, &begin, &end);
    ctr_paint_walk (target, blend, lines, &stroke, word, begin, end, 1);
  }
}

static void
draw_contours (const CtrPaintTarget *target, bool blend, const CtrPaintLayer *layer, uint32_t index)
{
  CtrPaintLines lines;
  ctr_paint_lines_init (&lines, layer, index);
  lines.table = ctr_contours_map_table (layer->contours, NULL);
  lines.points = layer->kind == CTR_PAINT_LINES ? ctr_contours_map_points (layer->contours, NULL) : NULL;
  for (uint32_t row = 0; row < lines.count; row++) {
    if (!ctr_paint_is_drawn (&lines, row))
      continue;
    const uint32_t word = blend ? 0 : ctr_paint_contour_word (&lines, row);
    if (layer->kind == CTR_PAINT_LINES) {
      draw_contour (target, blend, &lines, row, word);
    } else {
      const CtrPaintRectangle box = ctr_paint_contour_box (&lines, &lines.table[row]);
      ctr_paint_rectangle (target, blend, &box, word, 0, 1);
    }
  }
}

static void
draw_areas (const CtrPaintTarget *target, bool blend, const CtrPaintLayer *layer, uint32_t index)
{
  CtrPaintAreas areas;
  ctr_paint_areas_init (&areas, layer, index);
  areas.labels = layer->labels;
  areas.colours = layer->label_colours;
  for (uint32_t y = 0; y < target->picture.height; y++)
    for (uint32_t x = 0; x < target->picture.width; x++)
      ctr_paint_area_pixel (target, blend, &areas, x, y);
}

static void
draw_layer (const CtrPaintTarget *target, bool blend, const CtrPaintLayer *layer, uint32_t index)
{
  const uint32_t word = ctr_paint_word (index);
  switch (layer->kind) {
    case CTR_PAINT_LINES:
    case CTR_PAINT_BOXES:
      draw_contours (target, blend, layer, index);
      break;
    case CTR_PAINT_RECTANGLES:
      for (size_t i = 0; i < layer->rectangle_count; i++)
        ctr_paint_rectangle (target, blend, &layer->rectangles[i], word | layer->rectangles[i].colour, 0, 1);
      break;
    case CTR_PAINT_AREAS:
      draw_areas (target, blend, layer, index);
      break;
    case CTR_PAINT_TEXT:
      for (size_t i = 0; i < layer->glyph_count; i++)
        ctr_paint_glyph (target, blend, &layer->glyphs[i], layer->atlas->coverage, layer->atlas->width, word, 0, 1);
      break;
  }
}

/* What lies on a GPU is fetched before anything is drawn. */
static bool
fetch (const CtrPaintLayer *layer, CtrError *error)
{
  if (layer->kind != CTR_PAINT_LINES && layer->kind != CTR_PAINT_BOXES)
    return true;
  return ctr_contours_map_table (layer->contours, error)
         && (layer->kind == CTR_PAINT_BOXES || ctr_contours_map_points (layer->contours, error));
}

static bool
enqueue (void *data, const CtrPaintPicture *picture, const CtrPaintLayer *layers, uint32_t count,
    const CtrPaintColour *colours, void *stream, CtrError *error)
{
  CtrPaintTarget target;
  ctr_paint_target_init (&target, picture, layers, count);
  target.colours = colours;
  for (uint32_t i = 0; i < count; i++)
    if (!fetch (&layers[i], error))
      return false;
  if (!reserve_ink (data, &target, error))
    return false;
  for (int blend = 0; blend < 2; blend++)
    for (uint32_t i = 0; i < count; i++)
      if (layers[i].alpha > 0)
        draw_layer (&target, blend, &layers[i], i);
  return true;
}

static bool
finish (void *data, CtrError *error)
{
  return true;
}

const CtrPaintOps ctr_paint_ops_cpu = {
    .create = create,
    .destroy = destroy,
    .enqueue = enqueue,
    .finish = finish,
};
