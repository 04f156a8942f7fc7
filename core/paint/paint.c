/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing: the public functions, and layers in the form that the backends draw. */
#include "core/paint/paint.h"

#include "core/common/error.h"

#include <math.h>
#include <string.h>

struct CtrPainter {
  CtrAnalyser base;
};

static inline const CtrPaintOps *
ops_of (const CtrPainter *painter)
{
  return (const CtrPaintOps *) painter->base.ops;
}

void
ctr_paint_layer_init (CtrPaintLayer *layer, CtrPaintKind kind)
{
  *layer = (CtrPaintLayer){
      .kind = kind,
      .alpha = 255,
      .colouring = {.by = CTR_COLOUR_FIXED, .count = 1, .range = 1},
      .thickness = 1,
      .mapping = {.xx = CTR_PAINT_ONE, .yy = CTR_PAINT_ONE},
  };
}

uint8_t
ctr_colouring_pick (const CtrColouring *colouring, uint64_t value)
{
  return (uint8_t) ctr_paint_colour (colouring, value);
}

uint8_t
ctr_colouring_pick_contour (const CtrColouring *colouring, const CtrContour *table, uint32_t row)
{
  return (uint8_t) ctr_paint_contour_colour (colouring, table, row);
}

/* In frames that are as large as the analysed image, the mapping is a shift. It takes no multiplications, of which others
 * need eight of 64 bits a line. */
static void
find_shift (CtrPaintLines *lines)
{
  const CtrPaintMapping *m = &lines->mapping;
  /* Positions are rounded down to whole pixels: those of corners after half a pixel has been added, as the centres of pixels
   * lie half a pixel from their corners. */
  const int64_t x = (m->x0 + CTR_PAINT_ONE / 2) >> 24, y = (m->y0 + CTR_PAINT_ONE / 2) >> 24;
  const int64_t most = CTR_PAINT_FAR - CTR_MAX_SIDE - 1; /* No mapped coordinate saturates. */
  lines->shifted = m->xx == CTR_PAINT_ONE && m->yy == CTR_PAINT_ONE && m->xy == 0 && m->yx == 0 && x >= -most
                   && x <= most && y >= -most && y <= most;
  if (!lines->shifted)
    return;
  lines->shift_x = (int32_t) x;
  lines->shift_y = (int32_t) y;
}

static void
find_edge (CtrPaintLines *lines)
{
  const int32_t last = (int32_t) lines->thickness - 1;
  for (int32_t j = 0; j <= last; j++)
    for (int32_t i = lines->brush[j]; i <= last - lines->brush[j]; i++) {
      if (j < last && i + 1 >= lines->brush[j + 1] && i + 1 <= last - lines->brush[j + 1])
        continue;
      lines->edge[lines->edge_count][0] = (uint8_t) i;
      lines->edge[lines->edge_count++][1] = (uint8_t) j;
    }
}

void
ctr_paint_lines_init (CtrPaintLines *lines, const CtrPaintLayer *layer, uint32_t index)
{
  const CtrPaintMapping *m = &layer->mapping;
  const int32_t thickness = (int32_t) layer->thickness;
  const bool corners = layer->contours->coordinates == CTR_COORDINATES_CORNERS;
  *lines = (CtrPaintLines){
      .count = layer->contours->count,
      .point_count = layer->contours->point_count,
      .colouring = layer->colouring,
      .min_area2 = layer->min_area2,
      .mapping = *m,
      .corners = corners,
      .mirrored = (double) m->xx * m->yy < (double) m->xy * m->yx,
      .dashed_holes = layer->dashed_holes,
      .thickness = layer->thickness,
      .low = corners ? -(thickness / 2) : -((thickness - 1) / 2),
      .word = ctr_paint_word (index),
  };
  find_shift (lines);
  for (int32_t j = 0; j < thickness; j++) {
    const int32_t v = 2 * j - (thickness - 1);
    int32_t u = thickness - 1;
    while (u * u + v * v > thickness * thickness)
      u -= 2;
    lines->brush[j] = (uint8_t) ((thickness - 1 - u) / 2);
  }
  find_edge (lines);
}

void
ctr_paint_components_init (CtrPaintComponents *components, const CtrPaintLayer *layer, uint32_t index)
{
  *components = (CtrPaintComponents){
      .count = layer->components->count,
      .colouring = layer->colouring,
      .min_area = layer->min_area,
      .mapping = layer->mapping,
      .thickness = layer->thickness,
      .word = ctr_paint_word (index),
  };
}

static int64_t
fixed (double value, double most)
{
  value *= CTR_PAINT_ONE;
  return llrint (fmax (fmin (value, most), -most));
}

void
ctr_paint_areas_init (CtrPaintAreas *areas, const CtrPaintLayer *layer, uint32_t index)
{
  const double most_factor = (double) (INT64_C (1) << 41), most_shift = (double) (INT64_C (1) << 55);
  const CtrPaintMapping *m = &layer->mapping;
  const double determinant = (double) m->xx * m->yy - (double) m->xy * m->yx;
  *areas = (CtrPaintAreas){
      .width = layer->label_width,
      .height = layer->label_height,
      .count = determinant != 0 ? layer->label_count : 0,
      .word = ctr_paint_word (index),
  };
  if (determinant == 0)
    return;
  const double one = CTR_PAINT_ONE, scale = one / determinant;
  const double xx = m->yy * scale, xy = -(m->xy * scale), yx = -(m->yx * scale), yy = m->xx * scale;
  areas->inverse = (CtrPaintMapping){
      .xx = fixed (xx, most_factor),
      .xy = fixed (xy, most_factor),
      .x0 = fixed (-(xx * m->x0 + xy * m->y0) / one, most_shift),
      .yx = fixed (yx, most_factor),
      .yy = fixed (yy, most_factor),
      .y0 = fixed (-(yx * m->x0 + yy * m->y0) / one, most_shift),
  };
}

void
ctr_paint_target_init (
    CtrPaintTarget *target, const CtrPaintPicture *picture, const CtrPaintLayer *layers, uint32_t count)
{
  *target = (CtrPaintTarget){.picture = *picture};
  for (uint32_t i = 0; i < count; i++)
    target->alphas[i] = layers[i].alpha;
  for (uint32_t i = 0; i < picture->plane_count; i++)
    if (ctr_paint_is_subsampled (&picture->planes[i])) {
      target->x_shift = picture->planes[i].x_shift;
      target->y_shift = picture->planes[i].y_shift;
    }
  target->ink_width = ((picture->width - 1) >> target->x_shift) + 1;
}

bool
ctr_paint_is_uniform (const CtrPaintLayer *layer)
{
  const bool has_colours =
      layer->kind == CTR_PAINT_LINES || layer->kind == CTR_PAINT_BOXES || layer->kind == CTR_PAINT_COMPONENT_BOXES;
  return has_colours && layer->alpha == 255 && (layer->colouring.by == CTR_COLOUR_FIXED || layer->colouring.count == 1);
}

void
ctr_paint_target_make_direct (CtrPaintTarget *target, const CtrPaintColour *colour)
{
  const CtrPaintPicture *picture = &target->picture;
  const uint32_t mask = picture->sample_mask & (picture->sample_size == 1 ? UINT8_MAX : UINT16_MAX);
  target->direct = true;
  target->colour = *colour;
  for (uint32_t p = 0; p < picture->plane_count; p++) {
    const CtrPaintPlane *plane = &picture->planes[p];
    const uint32_t size = plane->samples * picture->sample_size;
    bool whole = (size == 2 || size == 4) && ((uintptr_t) plane->data | plane->stride) % size == 0;
    for (uint32_t i = 0; i < plane->samples && whole; i++) {
      const int component = plane->component[i];
      whole = component >= 0;
      if (whole)
        target->pixels[p] |= (colour->shape[component] & mask) << 8 * picture->sample_size * i;
    }
    target->pixel_sizes[p] = whole ? (uint8_t) size : 0;
  }
}

uint32_t
ctr_paint_background_pixel (
    const CtrPaintPicture *picture, const CtrPaintPlane *plane, uint8_t pattern[CTR_PAINT_PATTERN])
{
  for (uint32_t i = 0; i < plane->samples; i++) {
    const int component = plane->component[i];
    const bool clear = component == 3 && picture->background == CTR_BACKGROUND_TRANSPARENT;
    uint32_t value = component < 0 ? UINT16_MAX : clear ? 0 : picture->background_colour[component];
    value &= picture->sample_mask;
    const uint16_t wide = (uint16_t) value;
    if (picture->sample_size == 1)
      pattern[i] = (uint8_t) value;
    else
      memcpy (pattern + 2 * i, &wide, sizeof wide);
  }
  return plane->samples * picture->sample_size;
}

static void
discard (CtrAnalyser *analyser)
{
  CtrPainter *painter = (CtrPainter *) analyser;
  ctr_analyser_note (analyser, ops_of (painter)->finish (painter->base.state, NULL));
}

static const CtrAnalyserType analyser_type = {
    .size = sizeof (CtrPainter),
    .name = "painter",
    .input = "picture",
    .enqueue = "ctr_painter_enqueue()",
    .discard = discard,
};

CtrPainter *
ctr_painter_new (CtrBackend backend, CtrError *error)
{
  const CtrPaintOps *ops = CTR_BACKEND_OPS (paint, backend);
  return (CtrPainter *) ctr_analyser_new (&analyser_type, backend, &ops->base, error);
}

void
ctr_painter_free (CtrPainter *painter)
{
  ctr_analyser_free ((CtrAnalyser *) painter);
}

static bool
check_plane (const CtrPaintPicture *picture, uint32_t index, CtrError *error)
{
  const CtrPaintPlane *plane = &picture->planes[index];
  if (!plane->data)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "plane %u of the picture has no memory", index);
  if (plane->samples < 1 || plane->samples > 4 || plane->x_shift > 2 || plane->y_shift > 2)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "plane %u of the picture has pixels of %u samples, shifts %u and %u: they must have 1 to 4 samples and shifts "
        "0 to 2",
        index, plane->samples, plane->x_shift, plane->y_shift);
  for (uint32_t i = 0; i < plane->samples; i++)
    if (plane->component[i] < -1 || plane->component[i] > 3)
      return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
          "plane %u of the picture has component %d: it must be -1 to 3", index, plane->component[i]);
  const size_t row = ctr_paint_row_bytes (picture, plane);
  if (plane->stride < row)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "plane %u of the picture: the stride of %zu bytes is shorter than a row of %zu bytes", index, plane->stride,
        row);
  if (picture->sample_size == 2 && (((uintptr_t) plane->data | plane->stride) & 1))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "16-bit samples must be 2-byte aligned, in every row");
  return true;
}

static bool
check_background (const CtrPaintPicture *picture, CtrError *error)
{
  if ((unsigned) picture->background > CTR_BACKGROUND_TRANSPARENT)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "the picture has the unknown background %d", (int) picture->background);
  if (picture->background != CTR_BACKGROUND_TRANSPARENT)
    return true;
  for (uint32_t p = 0; p < picture->plane_count; p++)
    for (uint32_t i = 0; i < picture->planes[p].samples; i++)
      if (picture->planes[p].component[i] == 3)
        return true;
  return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
      "the background is transparent, but the picture has no alpha: a plane must have component 3");
}

static bool
check_picture (const CtrPainter *painter, const CtrPaintPicture *picture, CtrError *error)
{
  if (!picture || picture->plane_count < 1 || picture->plane_count > CTR_PAINT_MAX_PLANES)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the picture must have 1 to %d planes", CTR_PAINT_MAX_PLANES);
  if (picture->width == 0 || picture->height == 0)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "the picture is empty: %u x %u pixels", picture->width, picture->height);
  if (picture->width > CTR_MAX_SIDE || picture->height > CTR_MAX_SIDE)
    return ctr_fail (error, CTR_ERROR_TOO_LARGE, "the picture is too large: %u x %u pixels, at most %d per side",
        picture->width, picture->height, CTR_MAX_SIDE);
  if (picture->sample_size != 1 && picture->sample_size != 2)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "samples have %u bytes: they must have 1 or 2", picture->sample_size);
  const CtrMemory memory = painter->base.backend == CTR_BACKEND_CUDA ? CTR_MEMORY_DEVICE : CTR_MEMORY_HOST;
  if (picture->memory != memory)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the %s backend needs the picture in %s memory",
        memory == CTR_MEMORY_DEVICE ? "CUDA" : "CPU", memory == CTR_MEMORY_DEVICE ? "device" : "host");
  CtrPaintTarget target;
  ctr_paint_target_init (&target, picture, NULL, 0);
  for (uint32_t i = 0; i < picture->plane_count; i++) {
    const CtrPaintPlane *plane = &picture->planes[i];
    if (!check_plane (picture, i, error))
      return false;
    if (ctr_paint_is_subsampled (plane) && (plane->x_shift != target.x_shift || plane->y_shift != target.y_shift))
      return ctr_fail (
          error, CTR_ERROR_INVALID_ARGUMENT, "the subsampled planes of the picture must all have the same shifts");
  }
  return check_background (picture, error);
}

static bool
check_mapping (const CtrPaintMapping *m, uint32_t layer, CtrError *error)
{
  const int64_t factors[] = {m->xx, m->xy, m->yx, m->yy}, shifts[] = {m->x0, m->y0};
  bool ok = true;
  for (int i = 0; i < 4; i++)
    ok = ok && factors[i] > -(INT64_C (1) << 41) && factors[i] < INT64_C (1) << 41;
  for (int i = 0; i < 2; i++)
    ok = ok && shifts[i] > -(INT64_C (1) << 55) && shifts[i] < INT64_C (1) << 55;
  return ok
         || ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
             "layer %u: its mapping must scale by less than 2^17 and translate by less than 2^31 pixels", layer);
}

/* What contours and components have in common. */
static bool
check_strokes (const CtrPaintLayer *layer, uint32_t index, CtrError *error)
{
  const CtrColouring *colouring = &layer->colouring;
  if (layer->thickness < 1 || layer->thickness > CTR_PAINT_MAX_THICKNESS)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "layer %u: the thickness is %u pixels: it must be 1 to %d",
        index, layer->thickness, CTR_PAINT_MAX_THICKNESS);
  if ((unsigned) colouring->by > CTR_COLOUR_AREA || colouring->count < 1
      || colouring->count > CTR_PAINT_COLOURS - (uint32_t) colouring->first || colouring->range < 1
      || colouring->range >> 34)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "layer %u: its colouring must have 1 to %u colours and a range from 1 to below 2^34", index,
        CTR_PAINT_COLOURS - (uint32_t) colouring->first);
  return check_mapping (&layer->mapping, index, error);
}

static bool
check_contours (const CtrPaintLayer *layer, uint32_t index, CtrError *error)
{
  if (!layer->contours)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "layer %u has no contours", index);
  return check_strokes (layer, index, error);
}

static bool
check_components (const CtrPaintLayer *layer, uint32_t index, CtrError *error)
{
  if (!layer->components)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "layer %u has no components", index);
  if (layer->colouring.by == CTR_COLOUR_LEVEL || layer->colouring.by == CTR_COLOUR_DEPTH)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "layer %u colours components by level or depth, which they do not have: use CTR_COLOUR_FIXED, CTR_COLOUR_ID or "
        "CTR_COLOUR_AREA",
        index);
  return check_strokes (layer, index, error);
}

static bool
check_text (const CtrPaintLayer *layer, uint32_t index, CtrError *error)
{
  const CtrPaintAtlas *atlas = layer->atlas;
  if (layer->glyph_count > 0 && (!layer->glyphs || !atlas || !atlas->coverage))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "layer %u has text without glyphs or without an atlas", index);
  for (size_t i = 0; i < layer->glyph_count; i++) {
    const CtrPaintGlyph *glyph = &layer->glyphs[i];
    if ((uint64_t) glyph->u + glyph->width > atlas->width || (uint64_t) glyph->v + glyph->height > atlas->height)
      return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "layer %u: glyph %zu is not inside the atlas", index, i);
  }
  return true;
}

/* Components whose labels are drawn. */
static bool
check_labels (const CtrPaintLayer *layer, uint32_t index, CtrError *error)
{
  const CtrComponents *c = layer->components;
  if (!ctr_components_wait (layer->components, error))
    return false;
  if (!(c->features & CTR_FEATURE_LABELS))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the components of layer %u have no label image", index);
  return (c->width == layer->label_width && c->height == layer->label_height)
         || ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
             "layer %u: the label image of its components has %u x %u pixels instead of %u x %u", index, c->width,
             c->height, layer->label_width, layer->label_height);
}

static bool
check_layer (const CtrPaintLayer *layer, uint32_t index, CtrError *error)
{
  switch (layer->kind) {
    case CTR_PAINT_LINES:
    case CTR_PAINT_BOXES:
      return check_contours (layer, index, error);
    case CTR_PAINT_COMPONENT_BOXES:
      return check_components (layer, index, error);
    case CTR_PAINT_RECTANGLES:
      return layer->rectangle_count == 0 || layer->rectangles
             || ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "layer %u has no rectangles", index);
    case CTR_PAINT_AREAS:
      if (!layer->labels && layer->components && !check_labels (layer, index, error))
        return false;
      if (!(layer->labels || layer->components) || (layer->label_count > 0 && !layer->label_colours))
        return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "layer %u has no labels, or no colours of labels", index);
      if (layer->label_width > CTR_MAX_SIDE || layer->label_height > CTR_MAX_SIDE)
        return ctr_fail (error, CTR_ERROR_TOO_LARGE,
            "layer %u: the label image is too large: %u x %u pixels, at most %d per side", index, layer->label_width,
            layer->label_height, CTR_MAX_SIDE);
      return check_mapping (&layer->mapping, index, error);
    case CTR_PAINT_TEXT:
      return check_text (layer, index, error);
  }
  return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "layer %u has the unknown kind %d", index, (int) layer->kind);
}

static bool
check_arguments (const CtrPainter *painter, const CtrPaintPicture *picture, const CtrPaintLayer *layers, uint32_t count,
    const CtrPaintColour *colours, CtrError *error)
{
  if (!check_picture (painter, picture, error))
    return false;
  if (count > CTR_PAINT_MAX_LAYERS)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "there are %u layers: there may be %d", count, CTR_PAINT_MAX_LAYERS);
  if (count > 0 && (!layers || !colours))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "there are no layers or no colours");
  for (uint32_t i = 0; i < count; i++)
    if (!check_layer (&layers[i], i, error))
      return false;
  return true;
}

/* The CPU backend draws results that are complete. Of one that has failed, there is nothing to draw. */
static void
settle_results (const CtrPaintLayer *layers, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    if (layers[i].kind == CTR_PAINT_LINES || layers[i].kind == CTR_PAINT_BOXES)
      ctr_contours_wait (layers[i].contours, NULL);
    else if (layers[i].kind == CTR_PAINT_COMPONENT_BOXES)
      ctr_components_wait (layers[i].components, NULL);
}

bool
ctr_painter_enqueue (CtrPainter *painter, const CtrPaintPicture *picture, const CtrPaintLayer *layers, uint32_t count,
    const CtrPaintColour *colours, void *stream, CtrError *error)
{
  if (!ctr_analyser_accept (&painter->base, check_arguments (painter, picture, layers, count, colours, error), error))
    return false;
  if (painter->base.backend == CTR_BACKEND_CPU)
    settle_results (layers, count);
  painter->base.pending = ctr_analyser_note (
      &painter->base, ops_of (painter)->enqueue (painter->base.state, picture, layers, count, colours, stream, error));
  return painter->base.pending;
}

bool
ctr_painter_lead_default (CtrPainter *painter, CtrError *error)
{
  return ctr_analyser_check_pending (&painter->base, error)
         && (!ops_of (painter)->lead_default || ops_of (painter)->lead_default (painter->base.state, error));
}

bool
ctr_painter_finish (CtrPainter *painter, CtrError *error)
{
  return ctr_analyser_take_pending (&painter->base, error)
         && ctr_analyser_note (&painter->base, ops_of (painter)->finish (painter->base.state, error));
}

bool
ctr_painter_run (CtrPainter *painter, const CtrPaintPicture *picture, const CtrPaintLayer *layers, uint32_t count,
    const CtrPaintColour *colours, void *stream, CtrError *error)
{
  return ctr_painter_enqueue (painter, picture, layers, count, colours, stream, error)
         && ctr_painter_finish (painter, error);
}
