/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every error path of drawing: the right status, a sentence that says what is wrong, nothing pending, the picture as it
 * was, and a painter that works as before. */
#include "tests/core/paint/testing.h"

#include "tests/core/common/gpu.h"

#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrPainter *painter;
static CtrContours *contours;
static CtrPaintColour colours[CTR_PAINT_COLOURS];
static const CtrPaintRectangle square = {.x = 2, .y = 2, .width = 3, .height = 3};
static uint8_t *memory; /* of the picture, where the backend draws */

enum { SIDE = 16, BYTES = SIDE * SIDE * 4 };

static CtrPaintPicture
good_picture (void)
{
  return (CtrPaintPicture){.plane_count = 1,
      .planes = {{.data = memory, .stride = 4 * SIDE, .samples = 4, .component = {0, 1, 2, 3}}},
      .width = SIDE,
      .height = SIDE,
      .sample_size = 1,
      .sample_mask = 255,
      .memory = setup.backend == CTR_BACKEND_CUDA ? CTR_MEMORY_DEVICE : CTR_MEMORY_HOST};
}

static CtrPaintLayer
good_layer (CtrPaintKind kind)
{
  CtrPaintLayer layer;
  ctr_paint_layer_init (&layer, kind);
  layer.contours = contours;
  layer.rectangles = &square;
  layer.rectangle_count = 1;
  return layer;
}

static void
read_picture (uint8_t *bytes)
{
  if (setup.backend == CTR_BACKEND_CUDA)
    gpu_download (bytes, memory, BYTES);
  else
    memcpy (bytes, memory, BYTES);
}

static void
check_works (uint8_t red)
{
  uint8_t bytes[BYTES];
  const CtrPaintPicture picture = good_picture ();
  const CtrPaintLayer layer = good_layer (CTR_PAINT_RECTANGLES);
  colours[0].shape[0] = red;
  CHECK (ctr_painter_run (painter, &picture, &layer, 1, colours, setup.stream, NULL));
  read_picture (bytes);
  CHECK (bytes[(2 * SIDE + 2) * 4] == red && bytes[(5 * SIDE + 5) * 4] == 0);
}

/* Queues a good picture first: a failed call must not leave that one to be taken as the bad one's. */
static void
check_refused (const CtrPaintPicture *picture, const CtrPaintLayer *layers, uint32_t count, const CtrPaintColour *with,
    CtrStatus status, const char *mentions)
{
  static uint8_t red;
  uint8_t before[BYTES], after[BYTES];
  const CtrPaintPicture plain = good_picture ();
  CtrError error = {.status = CTR_OK};
  describe ("a picture or layer that must be refused with \"%s\"", mentions);
  CHECK (ctr_painter_enqueue (painter, &plain, NULL, 0, NULL, setup.stream, NULL));
  read_picture (before);
  CHECK (!ctr_painter_enqueue (painter, picture, layers, count, with, setup.stream, &error));
  CHECK (error.status == status);
  CHECK (strstr (error.message, mentions));
  CHECK (!ctr_painter_finish (painter, &error));
  CHECK (!ctr_painter_run (painter, picture, layers, count, with, setup.stream, NULL));
  read_picture (after);
  CHECK (memcmp (before, after, BYTES) == 0);
  check_works (++red);
}

static void
check_picture_refused (CtrPaintPicture picture, CtrStatus status, const char *mentions)
{
  const CtrPaintLayer layer = good_layer (CTR_PAINT_RECTANGLES);
  check_refused (&picture, &layer, 1, colours, status, mentions);
}

/* The bad layer comes after a good one, which must not be drawn. */
static void
check_layer_refused (CtrPaintLayer bad, const char *mentions)
{
  const CtrPaintPicture picture = good_picture ();
  const CtrPaintLayer layers[] = {good_layer (CTR_PAINT_RECTANGLES), bad};
  check_refused (&picture, layers, 2, colours, CTR_ERROR_INVALID_ARGUMENT, mentions);
}

#define WITH(type, good, change) \
  ({                             \
    type changed = good;         \
    changed.change;              \
    changed;                     \
  })
#define PICTURE(change) WITH (CtrPaintPicture, good_picture (), change)
#define LAYER(kind, change) WITH (CtrPaintLayer, good_layer (kind), change)

static void
test_pictures (void)
{
  const CtrMemory other = setup.backend == CTR_BACKEND_CUDA ? CTR_MEMORY_HOST : CTR_MEMORY_DEVICE;
  const CtrPaintLayer layer = good_layer (CTR_PAINT_RECTANGLES);
  const CtrPaintPicture picture = good_picture ();
  check_refused (NULL, &layer, 1, colours, CTR_ERROR_INVALID_ARGUMENT, "1 to 4 planes");
  check_picture_refused (PICTURE (plane_count = 0), CTR_ERROR_INVALID_ARGUMENT, "1 to 4 planes");
  check_picture_refused (PICTURE (plane_count = 5), CTR_ERROR_INVALID_ARGUMENT, "1 to 4 planes");
  check_picture_refused (PICTURE (width = 0), CTR_ERROR_INVALID_ARGUMENT, "empty");
  check_picture_refused (PICTURE (height = 0), CTR_ERROR_INVALID_ARGUMENT, "empty");
  check_picture_refused (PICTURE (width = 65536), CTR_ERROR_TOO_LARGE, "65535");
  check_picture_refused (PICTURE (sample_size = 3), CTR_ERROR_INVALID_ARGUMENT, "1 or 2");
  check_picture_refused (PICTURE (memory = other), CTR_ERROR_INVALID_ARGUMENT, "memory");
  check_picture_refused (PICTURE (planes[0].data = NULL), CTR_ERROR_INVALID_ARGUMENT, "no memory");
  check_picture_refused (PICTURE (planes[0].stride = 4 * SIDE - 1), CTR_ERROR_INVALID_ARGUMENT, "shorter than a row");
  check_picture_refused (PICTURE (planes[0].samples = 5), CTR_ERROR_INVALID_ARGUMENT, "1 to 4 samples");
  check_picture_refused (PICTURE (planes[0].samples = 0), CTR_ERROR_INVALID_ARGUMENT, "1 to 4 samples");
  check_picture_refused (PICTURE (planes[0].x_shift = 3), CTR_ERROR_INVALID_ARGUMENT, "shifts 0 to 2");
  check_picture_refused (PICTURE (planes[0].component[1] = 4), CTR_ERROR_INVALID_ARGUMENT, "component 4");
  CtrPaintPicture wide = PICTURE (sample_size = 2);
  wide.width = wide.height = 4;
  wide.planes[0].data = memory + 1;
  check_picture_refused (wide, CTR_ERROR_INVALID_ARGUMENT, "aligned");
  CtrPaintPicture uneven = PICTURE (plane_count = 2);
  uneven.planes[1] = uneven.planes[0];
  uneven.planes[0].x_shift = 1;
  uneven.planes[1].y_shift = 1;
  check_picture_refused (uneven, CTR_ERROR_INVALID_ARGUMENT, "same shifts");
  check_refused (&picture, &layer, CTR_PAINT_MAX_LAYERS + 1, colours, CTR_ERROR_INVALID_ARGUMENT, "there may be 63");
  check_refused (&picture, NULL, 1, colours, CTR_ERROR_INVALID_ARGUMENT, "no layers");
  check_refused (&picture, &layer, 1, NULL, CTR_ERROR_INVALID_ARGUMENT, "no colours");
}

static void
test_layers (void)
{
  static const uint8_t coverage[12];
  const CtrPaintAtlas atlas = {coverage, 4, 3};
  const CtrPaintGlyph wide = {.u = 2, .width = 3, .height = 1}, high = {.v = UINT32_MAX, .height = 1};
  const uint32_t label = 1;
  check_layer_refused (LAYER ((CtrPaintKind) 77, alpha = 1), "unknown kind 77");
  for (CtrPaintKind kind = CTR_PAINT_LINES; kind <= CTR_PAINT_BOXES; kind++) {
    check_layer_refused (LAYER (kind, contours = NULL), "no contours");
    check_layer_refused (LAYER (kind, thickness = 0), "1 to 64");
    check_layer_refused (LAYER (kind, thickness = 65), "1 to 64");
    check_layer_refused (LAYER (kind, colouring.by = (CtrColourBy) 5), "colouring");
    check_layer_refused (LAYER (kind, colouring.count = 0), "1 to 256 colours");
    check_layer_refused (LAYER (kind, colouring.count = 257), "1 to 256 colours");
    check_layer_refused (LAYER (kind, colouring.range = 0), "range");
    check_layer_refused (LAYER (kind, colouring.range = UINT64_C (1) << 34), "range");
    check_layer_refused (LAYER (kind, mapping.yx = INT64_C (1) << 41), "2^17");
    check_layer_refused (LAYER (kind, mapping.y0 = INT64_MIN), "2^31");
  }
  check_layer_refused (LAYER (CTR_PAINT_RECTANGLES, rectangles = NULL), "no rectangles");
  check_layer_refused (good_layer (CTR_PAINT_AREAS), "no labels");
  CtrPaintLayer areas = LAYER (CTR_PAINT_AREAS, labels = &label);
  areas.label_width = areas.label_height = 1;
  areas.label_count = 1;
  check_layer_refused (areas, "colours of them");
  CtrPaintLayer text = LAYER (CTR_PAINT_TEXT, glyph_count = 1);
  check_layer_refused (text, "without glyphs");
  text.glyphs = &wide;
  check_layer_refused (text, "atlas");
  text.atlas = &atlas;
  check_layer_refused (text, "not inside");
  text.glyphs = &high;
  check_layer_refused (text, "not inside");
}

int
main (int argc, char **argv)
{
  CtrError error;
  uint8_t white[4] = {255, 255, 255, 255}, zero[BYTES] = {0};
  const CtrImage image = {.data = white, .stride = 2, .width = 2, .height = 2};
  setup = setup_open (argv[1], false);
  painter = painter_new (&setup);
  Finders finders = finders_new (&setup);
  CtrBordersParams params;
  ctr_borders_params_init (&params);
  contours = ctr_borders_run (finders.borders, &image, &params, setup.stream, &error);
  CHECK (contours != NULL);
  if (setup.backend == CTR_BACKEND_CUDA) {
    memory = gpu_alloc (BYTES);
    gpu_upload (memory, zero, BYTES);
  } else {
    memory = calloc (1, BYTES);
  }
  describe ("finishing without a picture");
  CHECK (!ctr_painter_finish (painter, &error) && strstr (error.message, "no picture is queued"));
  CHECK (!ctr_painter_new ((CtrBackend) 9, &error) && error.status == CTR_ERROR_INVALID_ARGUMENT);
  ctr_painter_free (NULL);
  test_pictures ();
  test_layers ();
  if (setup.backend == CTR_BACKEND_CUDA)
    gpu_free (memory);
  else
    free (memory);
  ctr_contours_unref (contours);
  finders_free (&finders);
  ctr_painter_free (painter);
  return 0;
}
