/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of drawing for the contract test, and the errors that only this algorithm has. */
#include "tests/core/common/contract.h"
#include "tests/core/common/gpu.h"
#include "tests/core/paint/reference.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 16 };

/* A picture where the backend draws, and its layout in host memory. */
typedef struct {
  CtrPaintPicture picture;
  void *memory;
  Canvas layout; /* all bytes 0 */
} Target;

static Target good, large, small;
static CtrContours *contours;
static CtrComponents *components;
static const CtrPaintRectangle square = {.x = 2, .y = 2, .width = 3, .height = 3};
static const CtrPaintRectangle wide = {.x = 3, .y = 5, .width = 20, .height = 10, .colour = 9};
static CtrPaintLayer square_layer, wide_layer;
/* What is drawn in others is not drawn by a good request. */
static CtrPaintColour colours[CTR_PAINT_COLOURS], other_colours[CTR_PAINT_COLOURS];

static CtrPaintLayer
good_layer (CtrPaintKind kind)
{
  CtrPaintLayer layer;
  ctr_paint_layer_init (&layer, kind);
  layer.contours = contours;
  layer.components = components;
  layer.rectangles = &square;
  layer.rectangle_count = 1;
  return layer;
}

static Target
target_new (Random *rng, CanvasFormat format, uint32_t width, uint32_t height, bool on_device)
{
  Target target = {.layout = canvas_new (rng, format, width, height)};
  memset (target.layout.memory, 0, target.layout.bytes);
  target.memory = on_device ? gpu_alloc (target.layout.bytes) : malloc (target.layout.bytes);
  target.picture = target.layout.picture;
  target.picture.memory = on_device ? CTR_MEMORY_DEVICE : CTR_MEMORY_HOST;
  for (uint32_t p = 0; p < target.picture.plane_count; p++)
    target.picture.planes[p].data =
        (uint8_t *) target.memory + ((uint8_t *) target.layout.picture.planes[p].data - target.layout.memory);
  return target;
}

static void
target_free (Target *target)
{
  if (target->picture.memory == CTR_MEMORY_DEVICE)
    gpu_free (target->memory);
  else
    free (target->memory);
  canvas_free (&target->layout);
}

static void
target_clear (Target *target)
{
  if (target->picture.memory == CTR_MEMORY_DEVICE)
    gpu_upload (target->memory, target->layout.memory, target->layout.bytes);
  else
    memcpy (target->memory, target->layout.memory, target->layout.bytes);
}

/* Are these layers drawn in it, and nothing else? */
static void
target_check (const Target *target, const CtrPaintLayer *layers, uint32_t count, const CtrPaintColour *with)
{
  Canvas expected = canvas_copy (&target->layout), actual = canvas_copy (&target->layout);
  draw_reference (&expected, layers, count, with);
  if (target->picture.memory == CTR_MEMORY_DEVICE)
    gpu_download (actual.memory, target->memory, actual.bytes);
  else
    memcpy (actual.memory, target->memory, actual.bytes);
  check_canvases_equal (&expected, &actual);
  canvas_free (&expected);
  canvas_free (&actual);
}

static void
open_requests (const Setup *setup)
{
  Random rng = {17};
  CtrError error;
  CtrBordersParams params;
  uint8_t white[4] = {255, 255, 255, 255};
  const CtrImage image = {.data = white, .stride = 2, .width = 2, .height = 2};
  const bool on_device = setup->backend == CTR_BACKEND_CUDA;
  CtrBorders *borders = ctr_borders_new (setup->backend, &error);
  ctr_borders_params_init (&params);
  contours = ctr_borders_run (borders, &image, &params, setup->stream, &error);
  CHECK (contours != NULL);
  ctr_borders_free (borders);
  CtrCca *cca = ctr_cca_new (setup->backend, &error);
  CtrCcaParams cca_params;
  ctr_cca_params_init (&cca_params);
  components = ctr_cca_run (cca, &image, &cca_params, setup->stream, &error);
  CHECK (components != NULL);
  ctr_cca_free (cca);
  random_colours (&rng, colours);
  random_colours (&rng, other_colours);
  good = target_new (&rng, CANVAS_RGBA, SIDE, SIDE, on_device);
  large = target_new (&rng, CANVAS_NV12, 101, 77, on_device);
  small = target_new (&rng, CANVAS_NV12, 10, 10, on_device);
  square_layer = good_layer (CTR_PAINT_RECTANGLES);
  wide_layer = square_layer;
  wide_layer.rectangles = &wide;
}

static void
close_requests (void)
{
  ctr_contours_unref (contours);
  ctr_components_unref (components);
  target_free (&good);
  target_free (&large);
  target_free (&small);
}

static Request
good_request (void)
{
  return (Request){.params = &square_layer, .count = 1, .objects = colours, .picture = &good.picture};
}

static const MemoryCase *
memory_cases (uint32_t *count)
{
  static const Request smaller = {.params = &wide_layer, .count = 1, .objects = colours, .picture = &small.picture};
  static const MemoryCase cases[] = {{.name = "a rectangle",
      .request = {.params = &wide_layer, .count = 1, .objects = colours, .picture = &large.picture},
      .smaller = &smaller,
      .least_failures = 3,
      .later_allocations = 0,
      .kept_blocks = -1}};
  *count = LENGTH (cases);
  return cases;
}

CONTRACT_CREATE (painter)
CONTRACT_PICTURES (painter, request->picture, request->params, request->count, request->objects)

static void
clear (void)
{
  target_clear (&good);
  target_clear (&large);
  target_clear (&small);
}

static void
check_clear (void)
{
  target_check (&good, NULL, 0, NULL);
  target_check (&large, NULL, 0, NULL);
  target_check (&small, NULL, 0, NULL);
}

static void
check_result (const Request *request, void *painter)
{
  const CtrPaintPicture *picture = request->picture;
  const Target *target = picture == &good.picture ? &good : picture == &large.picture ? &large : &small;
  target_check (target, request->params, request->count, request->objects);
}

static void
refuse (const CtrPaintPicture *picture, const CtrPaintLayer *layers, uint32_t count, const CtrPaintColour *with,
    CtrStatus status, const char *mentions)
{
  const Request request = {.params = layers, .count = count, .objects = with, .picture = picture};
  contract_refuse (&request, status, mentions);
}

static void
refuse_picture (CtrPaintPicture picture, CtrStatus status, const char *mentions)
{
  const CtrPaintLayer layer = good_layer (CTR_PAINT_RECTANGLES);
  refuse (&picture, &layer, 1, other_colours, status, mentions);
}

/* The bad layer comes after a good one, which must not be drawn. */
static void
refuse_layer (CtrPaintLayer bad, const char *mentions)
{
  const CtrPaintLayer layers[] = {good_layer (CTR_PAINT_RECTANGLES), bad};
  refuse (&good.picture, layers, 2, other_colours, CTR_ERROR_INVALID_ARGUMENT, mentions);
}

#define WITH(type, good, change) \
  ({                             \
    type changed = good;         \
    changed.change;              \
    changed;                     \
  })
#define PICTURE(change) WITH (CtrPaintPicture, good.picture, change)
#define LAYER(kind, change) WITH (CtrPaintLayer, good_layer (kind), change)

static void
test_pictures (void)
{
  const CtrMemory other = contract_setup ()->backend == CTR_BACKEND_CUDA ? CTR_MEMORY_HOST : CTR_MEMORY_DEVICE;
  const CtrPaintLayer layer = good_layer (CTR_PAINT_RECTANGLES);
  const CtrPaintPicture picture = good.picture;
  refuse (NULL, &layer, 1, colours, CTR_ERROR_INVALID_ARGUMENT, "1 to 4 planes");
  refuse_picture (PICTURE (plane_count = 0), CTR_ERROR_INVALID_ARGUMENT, "1 to 4 planes");
  refuse_picture (PICTURE (plane_count = 5), CTR_ERROR_INVALID_ARGUMENT, "1 to 4 planes");
  refuse_picture (PICTURE (width = 0), CTR_ERROR_INVALID_ARGUMENT, "empty");
  refuse_picture (PICTURE (height = 0), CTR_ERROR_INVALID_ARGUMENT, "empty");
  refuse_picture (PICTURE (width = 65536), CTR_ERROR_TOO_LARGE, "65535");
  refuse_picture (PICTURE (sample_size = 3), CTR_ERROR_INVALID_ARGUMENT, "1 or 2");
  refuse_picture (PICTURE (memory = other), CTR_ERROR_INVALID_ARGUMENT, "memory");
  refuse_picture (PICTURE (planes[0].data = NULL), CTR_ERROR_INVALID_ARGUMENT, "no memory");
  refuse_picture (PICTURE (planes[0].stride = 4 * SIDE - 1), CTR_ERROR_INVALID_ARGUMENT, "shorter than a row");
  refuse_picture (PICTURE (planes[0].samples = 5), CTR_ERROR_INVALID_ARGUMENT, "1 to 4 samples");
  refuse_picture (PICTURE (planes[0].samples = 0), CTR_ERROR_INVALID_ARGUMENT, "1 to 4 samples");
  refuse_picture (PICTURE (planes[0].x_shift = 3), CTR_ERROR_INVALID_ARGUMENT, "shifts 0 to 2");
  refuse_picture (PICTURE (planes[0].component[1] = 4), CTR_ERROR_INVALID_ARGUMENT, "component 4");
  CtrPaintPicture wide = PICTURE (sample_size = 2);
  wide.width = wide.height = 4;
  wide.planes[0].data = (uint8_t *) good.memory + 1;
  refuse_picture (wide, CTR_ERROR_INVALID_ARGUMENT, "aligned");
  CtrPaintPicture uneven = PICTURE (plane_count = 2);
  uneven.planes[1] = uneven.planes[0];
  uneven.planes[0].x_shift = 1;
  uneven.planes[1].y_shift = 1;
  refuse_picture (uneven, CTR_ERROR_INVALID_ARGUMENT, "same shifts");
  refuse_picture (PICTURE (background = (CtrPaintBackground) 3), CTR_ERROR_INVALID_ARGUMENT, "unknown background 3");
  CtrPaintPicture opaque = PICTURE (background = CTR_BACKGROUND_TRANSPARENT);
  opaque.planes[0].component[3] = -1;
  refuse_picture (opaque, CTR_ERROR_INVALID_ARGUMENT, "no alpha");
  refuse (&picture, &layer, CTR_PAINT_MAX_LAYERS + 1, colours, CTR_ERROR_INVALID_ARGUMENT, "there may be 63");
  refuse (&picture, NULL, 1, colours, CTR_ERROR_INVALID_ARGUMENT, "no layers");
  refuse (&picture, &layer, 1, NULL, CTR_ERROR_INVALID_ARGUMENT, "no colours");
}

static void
test_layers (void)
{
  static const uint8_t coverage[12];
  const CtrPaintAtlas atlas = {coverage, 4, 3};
  const CtrPaintGlyph wide = {.u = 2, .width = 3, .height = 1}, high = {.v = UINT32_MAX, .height = 1};
  const uint32_t label = 1;
  refuse_layer (LAYER ((CtrPaintKind) 77, alpha = 1), "unknown kind 77");
  for (CtrPaintKind kind = CTR_PAINT_LINES; kind <= CTR_PAINT_COMPONENT_BOXES; kind++) {
    refuse_layer (LAYER (kind, thickness = 0), "1 to 64");
    refuse_layer (LAYER (kind, thickness = 65), "1 to 64");
    refuse_layer (LAYER (kind, colouring.by = (CtrColourBy) 5), "colouring");
    refuse_layer (LAYER (kind, colouring.count = 0), "1 to 256 colours");
    refuse_layer (LAYER (kind, colouring.count = 257), "1 to 256 colours");
    refuse_layer (LAYER (kind, colouring.range = 0), "range");
    refuse_layer (LAYER (kind, colouring.range = UINT64_C (1) << 34), "range");
    refuse_layer (LAYER (kind, mapping.yx = INT64_C (1) << 41), "2^17");
    refuse_layer (LAYER (kind, mapping.y0 = INT64_MIN), "2^31");
  }
  refuse_layer (LAYER (CTR_PAINT_LINES, contours = NULL), "no contours");
  refuse_layer (LAYER (CTR_PAINT_BOXES, contours = NULL), "no contours");
  refuse_layer (LAYER (CTR_PAINT_COMPONENT_BOXES, components = NULL), "no components");
  refuse_layer (LAYER (CTR_PAINT_COMPONENT_BOXES, colouring.by = CTR_COLOUR_LEVEL), "level or depth");
  refuse_layer (LAYER (CTR_PAINT_COMPONENT_BOXES, colouring.by = CTR_COLOUR_DEPTH), "level or depth");
  refuse_layer (LAYER (CTR_PAINT_RECTANGLES, rectangles = NULL), "no rectangles");
  refuse_layer (good_layer (CTR_PAINT_AREAS), "no label image");
  refuse_layer (LAYER (CTR_PAINT_AREAS, components = NULL), "no labels");
  CtrPaintLayer areas = LAYER (CTR_PAINT_AREAS, labels = &label);
  areas.label_width = areas.label_height = 1;
  areas.label_count = 1;
  refuse_layer (areas, "colours of labels");
  CtrPaintLayer text = LAYER (CTR_PAINT_TEXT, glyph_count = 1);
  refuse_layer (text, "without glyphs");
  text.glyphs = &wide;
  refuse_layer (text, "atlas");
  text.atlas = &atlas;
  refuse_layer (text, "not inside");
  text.glyphs = &high;
  refuse_layer (text, "not inside");
}

static void
test_own (void)
{
  test_pictures ();
  test_layers ();
}

const Contract paint_contract = {
    .name = "paint",
    .enqueue_name = "ctr_painter_enqueue",
    .open = open_requests,
    .close = close_requests,
    .good_request = good_request,
    .memory_cases = memory_cases,
    CONTRACT_CALLS,
    .clear = clear,
    .check_clear = check_clear,
    .check_result = check_result,
    .test_own = test_own,
};
