/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing: the two passes of core/paint/paint.h, shape by shape. Shapes of one opaque colour take one pass, without ink. */
#include "core/paint/raster.h"

#include "core/common/poll.h"
#include "core/common/room.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  uint32_t *ink;            /* 0 between pictures */
  size_t words, used_words; /* of the ink, and the most since the period began (core/common/room.h) */
  CtrRoomPeriod period;
  uint64_t work; /* operations since the last poll */
} State;

static void *
create (CtrError *error)
{
  State *state = calloc (1, sizeof *state);
  if (!state)
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a new painter");
  return state;
}

static void
free_ink (State *state)
{
  free (state->ink);
  state->ink = NULL;
  state->words = 0;
}

static void
destroy (void *data)
{
  State *state = data;
  free_ink (state);
  free (state);
}

/* At the end of a period: gives back what its pictures have not needed. */
static void
give_back (State *state)
{
  if (ctr_room_is_excess (state->words * sizeof *state->ink, state->used_words * sizeof *state->ink)) {
    free_ink (state);
    ctr_room_period_double (&state->period);
  }
  state->used_words = 0;
}

static bool
reserve_ink (State *state, CtrPaintTarget *target, CtrError *error)
{
  const uint32_t sub_height = ((target->picture.height - 1) >> target->y_shift) + 1;
  const bool subsampled = target->x_shift > 0 || target->y_shift > 0;
  const size_t full = (size_t) target->picture.width * target->picture.height;
  const size_t sub = subsampled ? (size_t) target->ink_width * sub_height : 0;
  if (state->used_words < full + sub)
    state->used_words = full + sub;
  if (full + sub > state->words) {
    free_ink (state);
    /* Pages without shapes are never touched. */
    state->ink = calloc (full + sub, sizeof *state->ink);
    state->words = state->ink ? full + sub : 0;
    if (!state->ink)
      return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory to draw on a %u x %u picture",
          target->picture.width, target->picture.height);
  }
  target->ink[0] = state->ink;
  target->ink[1] = sub > 0 ? state->ink + full : NULL;
  return true;
}

/* This and the functions below return false if the work is cancelled. */
static bool
draw_contour (
    State *state, const CtrPaintTarget *target, bool blend, const CtrPaintLines *lines, uint32_t row, uint32_t word)
{
  const CtrContour *contour = &lines->table[row];
  for (uint32_t i = 0; i < contour->count; i++) {
    CtrPaintStroke stroke;
    uint32_t begin = 0, end = 0;
    if (ctr_paint_stroke (lines, contour, i, &stroke)) {
      ctr_paint_clip (&stroke.segment, lines, &target->picture, &begin, &end);
      ctr_paint_walk (target, blend, lines, &stroke, word, begin, end, 1);
    }
    if (ctr_poll (&state->work, 4 + (end > begin ? (uint64_t) (end - begin) * lines->thickness : 0)))
      return false;
  }
  return true;
}

static bool
draw_rectangle (State *state, const CtrPaintTarget *target, bool blend, const CtrPaintRectangle *r, uint32_t word)
{
  CtrPaintBlock block;
  for (uint32_t part = 0; part < 4; part++) {
    if (!ctr_paint_rectangle_part (&target->picture, r, part, &block))
      continue;
    for (uint32_t y = block.y; y < block.y + block.height; y++) {
      if (ctr_poll (&state->work, 4 + (uint64_t) block.width))
        return false;
      for (uint32_t x = block.x; x < block.x + block.width; x++)
        ctr_paint_pixel (target, blend, x, y, word);
    }
  }
  return true;
}

static bool
draw_contours (State *state, const CtrPaintTarget *target, bool blend, const CtrPaintLayer *layer, uint32_t index)
{
  CtrPaintLines lines;
  ctr_paint_lines_init (&lines, layer, index);
  lines.table = ctr_contours_map_table (layer->contours, NULL);
  lines.points = layer->kind == CTR_PAINT_LINES ? ctr_contours_map_points (layer->contours, NULL) : NULL;
  for (uint32_t row = 0; row < lines.count; row++) {
    if (ctr_poll (&state->work, 4))
      return false;
    if (!ctr_paint_is_drawn (&lines, row))
      continue;
    const uint32_t word = blend ? 0 : ctr_paint_contour_word (&lines, row);
    if (layer->kind == CTR_PAINT_LINES) {
      if (!draw_contour (state, target, blend, &lines, row, word))
        return false;
    } else {
      const CtrPaintRectangle box = ctr_paint_contour_box (&lines, &lines.table[row]);
      if (!draw_rectangle (state, target, blend, &box, word))
        return false;
    }
  }
  return true;
}

static bool
draw_component_boxes (
    State *state, const CtrPaintTarget *target, bool blend, const CtrPaintLayer *layer, uint32_t index)
{
  CtrPaintComponents components;
  ctr_paint_components_init (&components, layer, index);
  components.table = layer->components->table;
  for (uint32_t row = 0; row < components.count; row++) {
    if (ctr_poll (&state->work, 4))
      return false;
    if (!ctr_paint_component_is_drawn (&components, row))
      continue;
    const uint32_t word = blend ? 0 : ctr_paint_component_word (&components, row);
    const CtrPaintRectangle box = ctr_paint_component_box (&components, &components.table[row]);
    if (!draw_rectangle (state, target, blend, &box, word))
      return false;
  }
  return true;
}

static bool
draw_areas (const CtrPaintTarget *target, bool blend, const CtrPaintLayer *layer, uint32_t index)
{
  CtrPaintAreas areas;
  ctr_paint_areas_init (&areas, layer, index);
  areas.labels = layer->labels ? layer->labels : ctr_components_map_labels (layer->components, NULL);
  areas.colours = layer->label_colours;
  for (uint32_t y = 0; y < target->picture.height; y++) {
    if (ctr_cancelled ())
      return false;
    for (uint32_t x = 0; x < target->picture.width; x++)
      ctr_paint_area_pixel (target, blend, &areas, x, y);
  }
  return true;
}

static bool
draw_text (State *state, const CtrPaintTarget *target, bool blend, const CtrPaintLayer *layer, uint32_t word)
{
  for (size_t i = 0; i < layer->glyph_count; i++) {
    const CtrPaintGlyph *glyph = &layer->glyphs[i];
    if (ctr_poll (&state->work, 16 + (uint64_t) glyph->width * glyph->height))
      return false;
    ctr_paint_glyph (target, blend, glyph, layer->atlas->coverage, layer->atlas->width, word, 0, 1);
  }
  return true;
}

static bool
draw_layer (State *state, const CtrPaintTarget *target, bool blend, const CtrPaintLayer *layer, uint32_t index)
{
  const uint32_t word = ctr_paint_word (index);
  switch (layer->kind) {
    case CTR_PAINT_LINES:
    case CTR_PAINT_BOXES:
      return draw_contours (state, target, blend, layer, index);
    case CTR_PAINT_COMPONENT_BOXES:
      return draw_component_boxes (state, target, blend, layer, index);
    case CTR_PAINT_RECTANGLES:
      for (size_t i = 0; i < layer->rectangle_count; i++)
        if (!draw_rectangle (state, target, blend, &layer->rectangles[i], word | layer->rectangles[i].colour))
          return false;
      return true;
    case CTR_PAINT_AREAS:
      return draw_areas (target, blend, layer, index);
    case CTR_PAINT_TEXT:
      return draw_text (state, target, blend, layer, word);
  }
  return true;
}

/* Fills SIZE bytes with the pixel that the first PERIOD of them are. */
static void
repeat_pixel (uint8_t *row, size_t size, size_t period)
{
  size_t done = period;
  while (done < size) {
    const size_t part = done < size - done ? done : size - done;
    memcpy (row + done, row, part);
    done += part;
  }
}

/* Returns false if the work is cancelled. */
static bool
fill_plane (State *state, const CtrPaintPicture *picture, const CtrPaintPlane *plane)
{
  uint8_t *const first = plane->data, pattern[CTR_PAINT_PATTERN];
  const uint32_t period = ctr_paint_background_pixel (picture, plane, pattern);
  const uint32_t rows = ctr_paint_row_count (picture, plane);
  const size_t size = ctr_paint_row_bytes (picture, plane);
  memcpy (first, pattern, period);
  repeat_pixel (first, size, period);
  for (uint32_t y = 1; y < rows; y++) {
    if (ctr_poll (&state->work, size / 16))
      return false;
    memcpy (first + y * plane->stride, first, size);
  }
  return true;
}

static bool
fill_background (State *state, const CtrPaintPicture *picture)
{
  for (uint32_t p = 0; picture->background != CTR_BACKGROUND_PICTURE && p < picture->plane_count; p++)
    if (!fill_plane (state, picture, &picture->planes[p]))
      return false;
  return true;
}

/* Copies contours from GPU memory before anything is drawn. */
static bool
fetch (const CtrPaintLayer *layer, CtrError *error)
{
  if (layer->kind != CTR_PAINT_LINES && layer->kind != CTR_PAINT_BOXES)
    return true;
  return ctr_contours_map_table (layer->contours, error)
         && (layer->kind == CTR_PAINT_BOXES || ctr_contours_map_points (layer->contours, error));
}

/* The layer that is drawn; NULL if there are several, or none. */
static const CtrPaintLayer *
find_only_layer (const CtrPaintLayer *layers, uint32_t count)
{
  const CtrPaintLayer *only = NULL;
  for (uint32_t i = 0; i < count; i++) {
    if (layers[i].alpha == 0)
      continue;
    if (only)
      return NULL;
    only = &layers[i];
  }
  return only;
}

static bool
enqueue (void *data, const CtrPaintPicture *picture, const CtrPaintLayer *layers, uint32_t count,
    const CtrPaintColour *colours, void *stream, CtrError *error)
{
  State *state = data;
  CtrPaintTarget target;
  ctr_paint_target_init (&target, picture, layers, count);
  target.colours = colours;
  if (ctr_room_period_ends (&state->period))
    give_back (state);
  for (uint32_t i = 0; i < count; i++)
    if (!fetch (&layers[i], error))
      return false;
  const CtrPaintLayer *only = find_only_layer (layers, count);
  if (only && ctr_paint_is_uniform (only))
    ctr_paint_target_make_direct (&target, &colours[only->colouring.first]);
  else if (!reserve_ink (state, &target, error))
    return false;
  if (!ctr_go_on (error))
    return false;
  if (!fill_background (state, picture))
    return ctr_fail_cancelled (error);
  for (int blend = target.direct; blend < 2; blend++)
    for (uint32_t i = 0; i < count; i++)
      if (layers[i].alpha > 0 && (!ctr_go_on (error) || !draw_layer (state, &target, blend, &layers[i], i))) {
        free_ink (state);
        return ctr_fail_cancelled (error);
      }
  return true;
}

static bool
finish (void *data, CtrError *error)
{
  return true;
}

const CtrPaintOps ctr_paint_ops_cpu = {
    .base = {.create = create, .destroy = destroy},
    .enqueue = enqueue,
    .finish = finish,
};
