/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/paint/testing.h"

#include "tests/core/common/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const canvas_names[CANVAS_COUNT] = {"NV12", "I420", "Y42B", "RGBA", "BGRX", "RGB", "GRAY8", "GRAY16",
    "P010", "YUV9", "Y41B", "Y440", "shifts 0 and 2", "shifts 1 and 2", "shifts 2 and 1"};

const char *const background_names[] = {"on the picture", "on a colour", "on nothing"};

typedef struct {
  uint32_t planes, sample_size, sample_mask;
  struct {
    uint32_t samples, x_shift, y_shift;
    int8_t component[4];
  } plane[3];
} Form;

static const Form forms[CANVAS_COUNT] = {
    {2, 1, 0xff, {{1, 0, 0, {0}}, {2, 1, 1, {1, 2}}}},
    {3, 1, 0xff, {{1, 0, 0, {0}}, {1, 1, 1, {1}}, {1, 1, 1, {2}}}},
    {3, 1, 0xff, {{1, 0, 0, {0}}, {1, 1, 0, {1}}, {1, 1, 0, {2}}}},
    {1, 1, 0xff, {{4, 0, 0, {0, 1, 2, 3}}}},
    {1, 1, 0xff, {{4, 0, 0, {2, 1, 0, -1}}}},
    {1, 1, 0xff, {{3, 0, 0, {0, 1, 2}}}},
    {1, 1, 0xff, {{1, 0, 0, {0}}}},
    {1, 2, 0xffff, {{1, 0, 0, {0}}}},
    {2, 2, 0xffc0, {{1, 0, 0, {0}}, {2, 1, 1, {1, 2}}}},
    {3, 1, 0xff, {{1, 0, 0, {0}}, {1, 2, 2, {1}}, {1, 2, 2, {2}}}},
    {3, 1, 0xff, {{1, 0, 0, {0}}, {1, 2, 0, {1}}, {1, 2, 0, {2}}}},
    {3, 1, 0xff, {{1, 0, 0, {0}}, {1, 0, 1, {1}}, {1, 0, 1, {2}}}},
    {2, 1, 0xff, {{1, 0, 0, {0}}, {2, 0, 2, {1, 2}}}},
    {2, 2, 0xffff, {{2, 1, 2, {1, 2}}, {1, 0, 0, {0}}}},
    {2, 2, 0xffff, {{1, 0, 0, {0}}, {3, 2, 1, {3, -1, 1}}}},
};

Canvas
canvas_new (Random *random, CanvasFormat format, uint32_t width, uint32_t height)
{
  const Form *form = &forms[format];
  Canvas canvas = {.picture = {.plane_count = form->planes,
                       .width = width,
                       .height = height,
                       .sample_size = form->sample_size,
                       .sample_mask = form->sample_mask,
                       .memory = CTR_MEMORY_HOST}};
  size_t offsets[3];
  const size_t alignment = random_below (random, 2) ? 16 : 2; /* The GPU paints aligned pictures in another way. */
  canvas.bytes = alignment == 2 ? 2 * random_below (random, 8) : 0;
  for (uint32_t p = 0; p < form->planes; p++) {
    CtrPaintPlane *plane = &canvas.picture.planes[p];
    const uint32_t rows = ((height - 1) >> form->plane[p].y_shift) + 1;
    plane->samples = form->plane[p].samples;
    plane->x_shift = form->plane[p].x_shift;
    plane->y_shift = form->plane[p].y_shift;
    memcpy (plane->component, form->plane[p].component, sizeof plane->component);
    const size_t row = (size_t) (((width - 1) >> plane->x_shift) + 1) * plane->samples * form->sample_size;
    plane->stride = row + 2 * random_below (random, 20);
    if (form->sample_size == 2 || alignment > 2)
      plane->stride = (plane->stride + alignment - 1) & ~(alignment - 1);
    offsets[p] = canvas.bytes;
    canvas.bytes += (rows - 1) * plane->stride + row;
    if (p + 1 < form->planes)
      canvas.bytes = (canvas.bytes + alignment - 1) & ~(alignment - 1);
  }
  canvas.memory = malloc (canvas.bytes);
  for (size_t i = 0; i < canvas.bytes; i++)
    canvas.memory[i] = (uint8_t) random_next (random);
  for (uint32_t p = 0; p < form->planes; p++)
    canvas.picture.planes[p].data = canvas.memory + offsets[p];
  return canvas;
}

Canvas
canvas_copy (const Canvas *canvas)
{
  Canvas copy = *canvas;
  copy.memory = malloc (canvas->bytes);
  memcpy (copy.memory, canvas->memory, canvas->bytes);
  for (uint32_t p = 0; p < canvas->picture.plane_count; p++)
    copy.picture.planes[p].data = copy.memory + ((uint8_t *) canvas->picture.planes[p].data - canvas->memory);
  return copy;
}

void
canvas_free (Canvas *canvas)
{
  free (canvas->memory);
}

bool
canvas_has_alpha (const Canvas *canvas)
{
  const CtrPaintPicture *picture = &canvas->picture;
  for (uint32_t p = 0; p < picture->plane_count; p++)
    for (uint32_t i = 0; i < picture->planes[p].samples; i++)
      if (picture->planes[p].component[i] == 3)
        return true;
  return false;
}

void
canvas_pick_background (Canvas *canvas, Random *random)
{
  CtrPaintPicture *picture = &canvas->picture;
  picture->background = (CtrPaintBackground) random_below (random, canvas_has_alpha (canvas) ? 3 : 2);
  for (int i = 0; i < 4; i++)
    picture->background_colour[i] = (uint16_t) random_next (random);
}

void
random_colours (Random *random, CtrPaintColour *colours)
{
  for (int i = 0; i < CTR_PAINT_COLOURS; i++)
    for (int c = 0; c < 4; c++) {
      colours[i].shape[c] = (uint16_t) random_next (random);
      colours[i].text[c] = (uint16_t) random_next (random);
    }
}

Finders
finders_new (const Setup *setup)
{
  CtrError error;
  Finders finders = {ctr_borders_new (setup->backend, &error), ctr_cracks_new (setup->backend, &error),
      ctr_cca_new (setup->backend, &error)};
  CHECK (finders.borders && finders.cracks && finders.cca);
  return finders;
}

void
finders_free (Finders *finders)
{
  ctr_borders_free (finders->borders);
  ctr_cracks_free (finders->cracks);
  ctr_cca_free (finders->cca);
}

CtrContours *
random_contours (
    Random *random, const Finders *finders, const Setup *setup, uint32_t width, uint32_t height, bool corners)
{
  CtrError error;
  CtrContours *contours;
  const uint32_t grain = 1u << random_below (random, 5);
  uint8_t *mask = noise_new (random, width, height, random_below (random, 101), grain);
  for (size_t i = 0; corners && i < (size_t) width * height; i++)
    mask[i] = mask[i] ? (uint8_t) (1 + i % width / 16 % 3 + random_below (random, 12) / 11) : 0;
  const CtrImage image = {.data = mask, .stride = width, .width = width, .height = height};
  if (corners) {
    CtrCracksParams params;
    ctr_cracks_params_init (&params);
    params.connectivity = random_below (random, 2) ? CTR_CONNECTIVITY_8 : CTR_CONNECTIVITY_4;
    contours = ctr_cracks_run (finders->cracks, &image, &params, setup->stream, &error);
  } else {
    CtrBordersParams params;
    ctr_borders_params_init (&params);
    params.foreground.threshold = 1;
    params.mode = (CtrRetrieval) random_below (random, 4);
    params.approximation = random_below (random, 2) ? CTR_APPROXIMATION_NONE : CTR_APPROXIMATION_SIMPLE;
    params.epsilon = random_below (random, 3) ? 0 : 1 + random_below (random, 20) / 4.0;
    contours = ctr_borders_run (finders->borders, &image, &params, setup->stream, &error);
  }
  if (!contours)
    fail (__FILE__, __LINE__, error.message);
  free (mask);
  return contours;
}

CtrComponents *
random_components (Random *random, const Finders *finders, const Setup *setup, uint32_t width, uint32_t height)
{
  CtrError error;
  CtrCcaParams params;
  uint8_t *mask = noise_new (random, width, height, random_below (random, 101), 1u << random_below (random, 5));
  const CtrImage image = {.data = mask, .stride = width, .width = width, .height = height};
  ctr_cca_params_init (&params);
  params.foreground.threshold = 1;
  CtrComponents *components = ctr_cca_run (finders->cca, &image, &params, setup->stream, &error);
  if (!components)
    fail (__FILE__, __LINE__, error.message);
  free (mask);
  return components;
}

static void *
own (Scene *scene, void *memory)
{
  scene->owned[scene->owned_count++] = memory;
  return memory;
}

/* Anything from a mirror to a magnifying glass. */
static CtrPaintMapping
random_mapping (Random *random, uint32_t side, bool wild)
{
  CtrPaintMapping m = {.xx = CTR_PAINT_ONE, .yy = CTR_PAINT_ONE};
  if (wild) {
    int64_t *factors[] = {&m.xx, &m.xy, &m.yx, &m.yy};
    for (int i = 0; i < 4; i++)
      *factors[i] = (int64_t) random_next (random) >> (22 + random_below (random, 40));
    m.x0 = (int64_t) random_next (random) >> (9 + random_below (random, 40));
    m.y0 = (int64_t) random_next (random) >> (9 + random_below (random, 40));
    return m;
  }
  if (random_below (random, 2)) {
    m.xx = random_below (random, 3 * CTR_PAINT_ONE);
    m.yy = random_below (random, 3 * CTR_PAINT_ONE);
  }
  if (random_below (random, 3) == 0) {
    m.xx = -m.xx;
    m.x0 = (int64_t) side * CTR_PAINT_ONE;
  }
  if (random_below (random, 3) == 0) {
    m = (CtrPaintMapping){.xx = m.xy, .xy = m.xx, .x0 = m.x0, .yx = m.yy, .yy = m.yx, .y0 = m.y0};
  }
  /* Sheared, the lines of cracks run in any direction. */
  if (random_below (random, 3) == 0)
    m.xy += (int64_t) random_below (random, 2 * CTR_PAINT_ONE) - CTR_PAINT_ONE;
  if (random_below (random, 3) == 0)
    m.yx += (int64_t) random_below (random, 2 * CTR_PAINT_ONE) - CTR_PAINT_ONE;
  if (random_below (random, 2))
    m.y0 -= (int64_t) random_below (random, side * CTR_PAINT_ONE / 2);
  return m;
}

static CtrColouring
random_colouring (Random *random)
{
  CtrColouring c = {.by = (CtrColourBy) random_below (random, 5), .first = (uint8_t) random_next (random)};
  c.count = 1 + random_below (random, CTR_PAINT_COLOURS - c.first);
  c.range = 1 + (random_next (random) >> (30 + random_below (random, 34)));
  return c;
}

static int32_t
random_position (Random *random, uint32_t side, bool wild)
{
  static const int32_t ends[] = {INT32_MIN, INT32_MIN + 1, -65536, -1, 0, 65535, INT32_MAX - 1, INT32_MAX};
  if (!wild)
    return (int32_t) random_below (random, 3 * side) - (int32_t) side;
  return random_below (random, 2) ? ends[random_below (random, LENGTH (ends))] : (int32_t) random_next (random);
}

static uint32_t
random_size (Random *random, uint32_t side, bool wild)
{
  static const uint32_t ends[] = {0, 1, INT32_MAX, 1u << 31, UINT32_MAX};
  if (!wild)
    return random_below (random, side);
  return random_below (random, 2) ? ends[random_below (random, LENGTH (ends))] : (uint32_t) random_next (random);
}

static void
add_rectangles (Scene *scene, CtrPaintLayer *layer, Random *random, uint32_t side, bool wild)
{
  layer->rectangle_count = random_below (random, 40);
  CtrPaintRectangle *r = own (scene, calloc (layer->rectangle_count + 1, sizeof *r));
  for (size_t i = 0; i < layer->rectangle_count; i++) {
    r[i].x = random_position (random, side, wild);
    r[i].y = random_position (random, side, wild);
    r[i].width = random_size (random, side, wild);
    r[i].height = random_size (random, side, wild);
    r[i].thickness = random_below (random, 4) ? random_below (random, 5) : (uint32_t) random_next (random);
    r[i].colour = (uint8_t) random_next (random);
  }
  layer->rectangles = r;
}

static void
add_areas (Scene *scene, CtrPaintLayer *layer, Random *random, const CtrPaintPicture *picture)
{
  static const int64_t factors[] = {CTR_PAINT_ONE, -CTR_PAINT_ONE, 2 * CTR_PAINT_ONE, CTR_PAINT_ONE / 2};
  layer->label_width = 1 + random_below (random, picture->width + 10);
  layer->label_height = 1 + random_below (random, picture->height + 10);
  layer->label_count = random_below (random, 6);
  const size_t pixels = (size_t) layer->label_width * layer->label_height;
  uint32_t *labels = own (scene, malloc (pixels * sizeof *labels));
  uint16_t *colours = own (scene, malloc ((layer->label_count + 1) * sizeof *colours));
  for (size_t i = 0; i < pixels; i++)
    labels[i] = random_below (random, 20) ? random_below (random, 7) : (uint32_t) random_next (random);
  for (uint32_t i = 0; i < layer->label_count; i++)
    colours[i] = random_below (random, 3) ? (uint16_t) random_below (random, 256) : CTR_PAINT_NO_COLOUR;
  layer->labels = labels;
  layer->label_colours = colours;
  layer->mapping = (CtrPaintMapping){.xx = factors[random_below (random, 4)],
      .yy = factors[random_below (random, 4)],
      .x0 = (int64_t) random_below (random, 20) * CTR_PAINT_ONE,
      .y0 = ((int64_t) random_below (random, 20) - 10) * CTR_PAINT_ONE};
}

static void
add_text (Scene *scene, CtrPaintLayer *layer, Random *random, uint32_t side, bool wild)
{
  CtrPaintAtlas *atlas = &scene->atlas;
  if (!atlas->coverage) {
    atlas->width = 1 + random_below (random, 100);
    atlas->height = 1 + random_below (random, 30);
    uint8_t *coverage = own (scene, malloc ((size_t) atlas->width * atlas->height));
    for (size_t i = 0; i < (size_t) atlas->width * atlas->height; i++)
      coverage[i] = random_below (random, 2) ? (uint8_t) random_next (random) : 0;
    atlas->coverage = coverage;
  }
  layer->atlas = atlas;
  layer->glyph_count = random_below (random, 30);
  CtrPaintGlyph *glyphs = own (scene, calloc (layer->glyph_count + 1, sizeof *glyphs));
  for (size_t i = 0; i < layer->glyph_count; i++) {
    glyphs[i].x = random_position (random, side, wild && i % 2);
    glyphs[i].y = random_position (random, side, wild && i % 2);
    glyphs[i].u = random_below (random, atlas->width + 1);
    glyphs[i].v = random_below (random, atlas->height + 1);
    glyphs[i].width = random_below (random, atlas->width - glyphs[i].u + 1);
    glyphs[i].height = random_below (random, atlas->height - glyphs[i].v + 1);
    glyphs[i].order = (uint16_t) (random_below (random, 3) ? random_below (random, 4) : random_next (random));
    glyphs[i].colour = (uint8_t) random_next (random);
  }
  layer->glyphs = glyphs;
}

void
scene_init (
    Scene *scene, Random *random, const Finders *finders, const Setup *setup, const CtrPaintPicture *picture, bool wild)
{
  const uint32_t side = picture->width > picture->height ? picture->width : picture->height;
  /* Contours or components alone, opaque and of one colour, take one pass. */
  const bool uniform = random_below (random, 3) == 0;
  *scene = (Scene){.count = uniform ? 1 : random_below (random, SCENE_LAYERS + 1)};
  random_colours (random, scene->colours);
  for (uint32_t i = 0; i < scene->count; i++) {
    CtrPaintLayer *layer = &scene->layers[i];
    ctr_paint_layer_init (
        layer, (CtrPaintKind) random_below (random, uniform ? CTR_PAINT_COMPONENT_BOXES + 1 : CTR_PAINT_TEXT + 1));
    layer->alpha = !uniform && random_below (random, 3) ? (uint8_t) random_next (random) : 255;
    layer->thickness =
        random_below (random, 8) ? 1 + random_below (random, 6) : 1 + random_below (random, CTR_PAINT_MAX_THICKNESS);
    layer->colouring = random_colouring (random);
    layer->dashed_holes = random_below (random, 2);
    layer->min_area2 = random_below (random, 2) ? random_below (random, 30) : 0;
    layer->mapping = random_mapping (random, side, wild);
    if (uniform && random_below (random, 2))
      layer->colouring.by = CTR_COLOUR_FIXED;
    else if (uniform)
      layer->colouring.count = 1;
    switch (layer->kind) {
      case CTR_PAINT_LINES:
      case CTR_PAINT_BOXES:
        layer->contours = random_contours (
            random, finders, setup, 1 + random_below (random, side), 1 + random_below (random, side), i % 2);
        break;
      case CTR_PAINT_COMPONENT_BOXES:
        layer->components = random_components (
            random, finders, setup, 1 + random_below (random, side), 1 + random_below (random, side));
        layer->min_area = random_below (random, 2) ? random_below (random, 30) : 0;
        while (layer->colouring.by == CTR_COLOUR_LEVEL || layer->colouring.by == CTR_COLOUR_DEPTH)
          layer->colouring = random_colouring (random);
        break;
      case CTR_PAINT_RECTANGLES:
        add_rectangles (scene, layer, random, side, wild);
        break;
      case CTR_PAINT_AREAS:
        add_areas (scene, layer, random, picture);
        break;
      case CTR_PAINT_TEXT:
        add_text (scene, layer, random, side, wild);
        break;
    }
  }
}

void
scene_clear (Scene *scene)
{
  for (uint32_t i = 0; i < scene->count; i++) {
    ctr_contours_unref (scene->layers[i].contours);
    ctr_components_unref (scene->layers[i].components);
  }
  for (uint32_t i = 0; i < scene->owned_count; i++)
    free (scene->owned[i]);
}

CtrPainter *
painter_new (const Setup *setup)
{
  CtrError error;
  CtrPainter *painter = ctr_painter_new (setup->backend, &error);
  if (!painter)
    fail (__FILE__, __LINE__, error.message);
  return painter;
}

void
paint (CtrPainter *painter, const Setup *setup, Canvas *canvas, const CtrPaintLayer *layers, uint32_t count,
    const CtrPaintColour *colours)
{
  CtrPaintPicture picture = canvas->picture;
  CtrError error;
  uint8_t *device = NULL;
  if (setup->backend == CTR_BACKEND_CUDA) {
    device = gpu_alloc (canvas->bytes);
    gpu_upload (device, canvas->memory, canvas->bytes);
    picture.memory = CTR_MEMORY_DEVICE;
    for (uint32_t p = 0; p < picture.plane_count; p++)
      picture.planes[p].data = device + ((uint8_t *) picture.planes[p].data - canvas->memory);
  }
  if (!ctr_painter_run (painter, &picture, layers, count, colours, setup->stream, &error))
    fail (__FILE__, __LINE__, error.message);
  if (device) {
    gpu_download (canvas->memory, device, canvas->bytes);
    gpu_free (device);
  }
}

void
check_canvases_equal (const Canvas *expected, const Canvas *actual)
{
  size_t differences = 0, first = 0;
  for (size_t i = 0; i < expected->bytes; i++)
    if (expected->memory[i] != actual->memory[i] && differences++ == 0)
      first = i;
  if (differences > 0)
    fprintf (stderr, "%zu of %zu bytes differ, the first is byte %zu: %u instead of %u\n", differences, expected->bytes,
        first, actual->memory[first], expected->memory[first]);
  CHECK (differences == 0);
}
