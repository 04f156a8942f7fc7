/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws results that are pending when the drawing is queued. Frames vary in size and content, so that many outgrow the
 * memory of those before: then nothing of a first attempt may be seen. Before the drawing has finished, the analysers
 * get their next image. The picture must be what the CPU backend draws of complete results. */
#include "tests/core/common/gpu.h"
#include "tests/core/paint/testing.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIDE = 120, LAYERS = 7, PAINTERS = 2, MAX_POINTS = 900 };

static Setup setup, cpu = {.backend = CTR_BACKEND_CPU};
static void *image_memory;   /* on the GPU; NULL on the CPU */
static void *drawing_stream; /* another one than that of the analyses */
static CtrPaintColour colours[CTR_PAINT_COLOURS];

typedef struct {
  CtrBorders *borders;
  CtrCracks *cracks, *outlines;
  CtrCca *cca;
} Analysers;

typedef struct {
  CtrContours *borders, *cracks, *outlines; /* the last ones of the components' labels, which may be pending, too */
  CtrComponents *components;
} Results;

static Analysers
analysers_new (const Setup *of)
{
  Analysers a = {ctr_borders_new (of->backend, NULL), ctr_cracks_new (of->backend, NULL),
      ctr_cracks_new (of->backend, NULL), ctr_cca_new (of->backend, NULL)};
  CHECK (a.borders && a.cracks && a.outlines && a.cca);
  return a;
}

static void
analysers_free (Analysers *a)
{
  ctr_borders_free (a->borders);
  ctr_cracks_free (a->cracks);
  ctr_cracks_free (a->outlines);
  ctr_cca_free (a->cca);
}

static void
results_drop (Results *results)
{
  ctr_contours_unref (results->borders);
  ctr_contours_unref (results->cracks);
  ctr_contours_unref (results->outlines);
  ctr_components_unref (results->components);
}

static Results
analyse (const Analysers *a, const Setup *of, const CtrImage *image)
{
  CtrBordersParams borders;
  CtrCracksParams cracks;
  CtrCcaParams cca;
  CtrError error;
  Results results;
  ctr_borders_params_init (&borders);
  ctr_cracks_params_init (&cracks);
  ctr_cca_params_init (&cca);
  borders.foreground.threshold = cca.foreground.threshold = 1;
  cca.features = CTR_FEATURE_LABELS;
  borders.mode = image->width % 2 ? CTR_RETRIEVE_LIST : CTR_RETRIEVE_TREE;
  borders.min_area = image->width % 3 ? 0 : 2;
  cracks.max_points = MAX_POINTS; /* Some images have more. */
  results.borders = ctr_borders_submit (a->borders, image, &borders, of->stream, &error);
  results.cracks = ctr_cracks_submit (a->cracks, image, &cracks, of->stream, &error);
  results.components = ctr_cca_submit (a->cca, image, &cca, of->stream, &error);
  results.outlines = ctr_cracks_submit_labels (a->outlines, results.components, &cracks, of->stream, &error);
  CHECK (results.borders && results.cracks && results.components && results.outlines);
  return results;
}

/* Uploads PIXELS where the GPU works. The stream of the frame before has been waited for. */
static CtrImage
image_of (const uint8_t *pixels, uint32_t width, uint32_t height, const Setup *of)
{
  CtrImage image = {.data = pixels, .stride = width, .width = width, .height = height};
  if (of->backend == CTR_BACKEND_CUDA) {
    gpu_upload (image_memory, pixels, (size_t) width * height);
    image.data = image_memory;
    image.memory = CTR_MEMORY_DEVICE;
  }
  return image;
}

static uint32_t
make_layers (CtrPaintLayer *layers, const Results *results, Random *rng, const CtrPaintRectangle *rectangle)
{
  const CtrPaintKind kinds[LAYERS] = {CTR_PAINT_LINES, CTR_PAINT_BOXES, CTR_PAINT_LINES, CTR_PAINT_BOXES,
      CTR_PAINT_COMPONENT_BOXES, CTR_PAINT_RECTANGLES, CTR_PAINT_LINES};
  for (uint32_t i = 0; i < LAYERS; i++) {
    CtrPaintLayer *layer = &layers[i];
    ctr_paint_layer_init (layer, kinds[i]);
    layer->contours = i < 2 ? results->borders : i < 4 ? results->cracks : i == 6 ? results->outlines : NULL;
    layer->components = results->components;
    layer->min_area = 2;
    layer->rectangles = rectangle;
    layer->rectangle_count = 1;
    layer->alpha = random_below (rng, 6) ? 1 + random_below (rng, 255) : 0;
    layer->thickness = 1 + random_below (rng, 5);
    layer->dashed_holes = random_below (rng, 2);
    layer->colouring =
        (CtrColouring){.by = (CtrColourBy) random_below (rng, CTR_COLOUR_AREA + 1), .count = 200, .range = 6};
    if (layer->kind == CTR_PAINT_COMPONENT_BOXES)
      layer->colouring.by = random_below (rng, 2) ? CTR_COLOUR_ID : CTR_COLOUR_AREA;
  }
  return LAYERS;
}

typedef struct {
  Canvas canvas;
  CtrPaintPicture picture; /* where it is drawn on */
  uint8_t *device;
} Drawing;

static Drawing
drawing_new (const Canvas *canvas)
{
  Drawing drawing = {.canvas = canvas_copy (canvas)};
  drawing.picture = drawing.canvas.picture;
  if (setup.backend == CTR_BACKEND_CUDA) {
    drawing.device = gpu_alloc (canvas->bytes);
    gpu_upload (drawing.device, canvas->memory, canvas->bytes);
    drawing.picture.memory = CTR_MEMORY_DEVICE;
    for (uint32_t p = 0; p < canvas->picture.plane_count; p++)
      drawing.picture.planes[p].data = drawing.device + ((uint8_t *) canvas->picture.planes[p].data - canvas->memory);
  }
  return drawing;
}

/* Compares with EXPECTED, and ends it. */
static void
drawing_check (Drawing *drawing, const Canvas *expected)
{
  if (drawing->device) {
    gpu_download (drawing->canvas.memory, drawing->device, drawing->canvas.bytes);
    gpu_free (drawing->device);
  }
  check_canvases_equal (expected, &drawing->canvas);
  canvas_free (&drawing->canvas);
}

static void *
read_results (void *data)
{
  const Results *results = data;
  ctr_contours_wait (results->borders, NULL);
  ctr_contours_wait (results->outlines, NULL);
  ctr_contours_wait (results->cracks, NULL);
  ctr_components_wait (results->components, NULL);
  return NULL;
}

/* One frame: SETUP's analysers and painters against those of the CPU. OVERTAKES: somebody waits for the next frame's results before
 * the drawing has finished. */
static void
test_frame (Random *rng, const Analysers *tested, const Analysers *reference, CtrPainter *const *painters,
    CtrPainter *on_cpu, bool overtakes)
{
  static uint8_t former[MOST_SIDE * MOST_SIDE];
  const uint32_t side = setup.quick ? MOST_SIDE / 2 : MOST_SIDE;
  const uint32_t width = 1 + random_below (rng, side), height = 1 + random_below (rng, side);
  uint8_t *pixels = noise_new (rng, width, height, random_below (rng, 101), 1u << random_below (rng, 4));
  const CanvasFormat format = (CanvasFormat) random_below (rng, CANVAS_COUNT);
  const CtrPaintRectangle rectangle = {.x = 1, .y = 2, .width = 9, .height = 7, .thickness = 2, .colour = 255};
  Canvas expected = canvas_new (rng, format, width, height);
  CtrPaintLayer layers[LAYERS];
  canvas_pick_background (&expected, rng);
  Drawing drawings[PAINTERS];
  CtrError error;

  const CtrImage image = image_of (pixels, width, height, &setup), host_image = image_of (pixels, width, height, &cpu);
  Results results = analyse (tested, &setup, &image);
  Results complete = analyse (reference, &cpu, &host_image);
  const Random style = *rng;
  *rng = style;
  uint32_t count = make_layers (layers, &results, rng, &rectangle);
  for (uint32_t i = 0; i < PAINTERS; i++) {
    drawings[i] = drawing_new (&expected);
    if (!ctr_painter_enqueue (painters[i], &drawings[i].picture, layers, count, colours, drawing_stream, &error))
      fail (__FILE__, __LINE__, error.message);
  }

  /* The next image, while the drawing may still be running. */
  const CtrImage next = image_of (former, MOST_SIDE, MOST_SIDE, &setup);
  Results other = analyse (tested, &setup, &next);
  if (overtakes)
    read_results (&other);
  for (uint32_t i = 0; i < PAINTERS; i++)
    CHECK (ctr_painter_finish (painters[i], NULL));

  *rng = style;
  count = make_layers (layers, &complete, rng, &rectangle);
  if (!ctr_painter_run (on_cpu, &expected.picture, layers, count, colours, NULL, &error))
    fail (__FILE__, __LINE__, error.message);
  for (uint32_t i = 0; i < PAINTERS; i++)
    drawing_check (&drawings[i], &expected);
  results_drop (&other);
  results_drop (&results);
  results_drop (&complete);
  canvas_free (&expected);
  memset (former, 0, sizeof former);
  memcpy (former, pixels, (size_t) width * height);
  free (pixels);
}

/* Somebody reads the results while they are drawn. */
static void
test_reader (Random *rng, const Analysers *tested, CtrPainter *painter)
{
  const CtrPaintRectangle rectangle = {.width = 3, .height = 3};
  uint8_t *pixels = noise_new (rng, MOST_SIDE, MOST_SIDE, 50, 1);
  Canvas canvas = canvas_new (rng, CANVAS_NV12, MOST_SIDE, MOST_SIDE);
  Drawing drawing = drawing_new (&canvas);
  const CtrImage image = image_of (pixels, MOST_SIDE, MOST_SIDE, &setup);
  Results results = analyse (tested, &setup, &image);
  CtrPaintLayer layers[LAYERS];
  pthread_t reader;
  const uint32_t count = make_layers (layers, &results, rng, &rectangle);
  CHECK (pthread_create (&reader, NULL, read_results, &results) == 0);
  CHECK (ctr_painter_run (painter, &drawing.picture, layers, count, colours, drawing_stream, NULL));
  pthread_join (reader, NULL);
  /* The same layers with results that are settled. */
  Drawing again = drawing_new (&canvas);
  CHECK (ctr_painter_run (painter, &again.picture, layers, count, colours, drawing_stream, NULL));
  if (again.device) {
    gpu_download (again.canvas.memory, again.device, again.canvas.bytes);
    gpu_free (again.device);
  }
  drawing_check (&drawing, &again.canvas);
  canvas_free (&again.canvas);
  canvas_free (&canvas);
  results_drop (&results);
  free (pixels);
}

int
main (int argc, char **argv)
{
  Random rng = {41};
  setup = setup_open (argv[1], false);
  if (setup.backend == CTR_BACKEND_CUDA) {
    setup.stream = gpu_stream_new_following ();
    drawing_stream = gpu_stream_new ();
    image_memory = gpu_alloc (MOST_SIDE * MOST_SIDE);
  }
  random_colours (&rng, colours);
  CtrPainter *painters[PAINTERS] = {painter_new (&setup), painter_new (&setup)}, *on_cpu = painter_new (&cpu);
  Analysers reference = analysers_new (&cpu), tested = {0};
  const int frames = setup.quick ? 10 : 300;
  for (int i = 0; i < frames; i++) {
    describe ("frame %d", i);
    if (i % 8 == 0) { /* New analysers have little memory. */
      analysers_free (&tested);
      tested = analysers_new (&setup);
    }
    test_frame (&rng, &tested, &reference, painters, on_cpu, i % 2);
  }
  for (int i = 0; i < frames / 4; i++) {
    describe ("reader %d", i);
    test_reader (&rng, &tested, painters[0]);
  }
  analysers_free (&tested);
  analysers_free (&reference);
  for (int i = 0; i < PAINTERS; i++)
    ctr_painter_free (painters[i]);
  ctr_painter_free (on_cpu);
  if (image_memory)
    gpu_free (image_memory);
  return 0;
}
