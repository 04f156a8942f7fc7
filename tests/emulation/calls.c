/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts the calls that queue something for the GPU while a frame is enqueued, once an analyser has seen some frames.
 * Each costs the streaming thread two to three microseconds. Frames lie in three places in turn, and the last result is
 * still in use, as in a pipeline. */
#include "tests/core/borders/testing.h"
#include "tests/core/canny/testing.h"
#include "tests/core/cca/testing.h"
#include "tests/core/common/gpu.h"
#include "tests/core/cracks/testing.h"
#include "tests/core/paint/testing.h"

#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 64, HEIGHT = 48, PLACES = 3, WARM_UP = 8, FRAMES = 4 };

unsigned long emulation_calls (void);

static Setup setup;
static CtrImage images[PLACES];
static CtrContours *former;

static void
open_images (CtrFormat format)
{
  Random rng = {5};
  uint8_t *mask = shape_new (SHAPE_RINGS, WIDTH, HEIGHT);
  Picture picture = picture_of_mask (&rng, mask, WIDTH, HEIGHT, (Layout){.format = format}, 128, false);
  for (int i = 0; i < PLACES; i++) {
    void *memory = gpu_alloc (picture.bytes);
    gpu_upload (memory, picture.memory, picture.bytes);
    images[i] = picture.view;
    images[i].data = memory;
    images[i].memory = CTR_MEMORY_DEVICE;
  }
  picture_free (&picture);
  free (mask);
}

static void
close_images (void)
{
  for (int i = 0; i < PLACES; i++)
    gpu_free ((void *) images[i].data);
}

static void
keep (CtrContours *contours)
{
  CHECK (contours);
  ctr_contours_unref (former);
  former = contours;
}

/* The most calls that one of some frames takes, which ENQUEUE and FINISH analyse. */
static unsigned
most_calls (void (*enqueue) (const CtrImage *image, const void *params), void (*finish) (void), const void *params)
{
  unsigned most = 0;
  for (int i = 0; i < WARM_UP + FRAMES; i++) {
    const unsigned long before = emulation_calls ();
    enqueue (&images[i % PLACES], params);
    const unsigned calls = (unsigned) (emulation_calls () - before);
    if (i >= WARM_UP && calls > most)
      most = calls;
    finish ();
  }
  return most;
}

static void
check_calls (const char *what, unsigned calls, unsigned limit)
{
  printf ("%-44s %2u\n", what, calls);
  describe ("%s: %u calls a frame; at most %u are allowed", what, calls, limit);
  CHECK (calls <= limit);
}

static CtrBorders *borders;

static void
enqueue_borders (const CtrImage *image, const void *params)
{
  CHECK (ctr_borders_enqueue (borders, image, params, setup.stream, NULL));
}

static void
finish_borders (void)
{
  keep (ctr_borders_finish (borders, NULL));
}

static void
count_borders (void)
{
  static const struct {
    const char *what;
    CtrRetrieval mode;
    double min_area;
    uint32_t features;
    CtrThresholdMode threshold;
    unsigned limit;
  } cases[] = {
      {"borders, list", CTR_RETRIEVE_LIST, 0, 0, CTR_THRESHOLD_FIXED, 4},
      {"borders, list, moments", CTR_RETRIEVE_LIST, 0, CTR_CONTOUR_FEATURE_MOMENTS, CTR_THRESHOLD_FIXED, 5},
      {"borders, list, least area", CTR_RETRIEVE_LIST, 9, 0, CTR_THRESHOLD_FIXED, 2},
      {"borders, external", CTR_RETRIEVE_EXTERNAL, 0, 0, CTR_THRESHOLD_FIXED, 2},
      {"borders, two levels", CTR_RETRIEVE_CCOMP, 0, 0, CTR_THRESHOLD_FIXED, 2},
      {"borders, tree", CTR_RETRIEVE_TREE, 0, 0, CTR_THRESHOLD_FIXED, 2},
      {"borders, tree, least area, moments", CTR_RETRIEVE_TREE, 9, CTR_CONTOUR_FEATURE_MOMENTS, CTR_THRESHOLD_FIXED, 2},
      {"borders, tree, Otsu", CTR_RETRIEVE_TREE, 0, 0, CTR_THRESHOLD_OTSU, 5},
  };
  borders = follower_new (&setup);
  for (size_t i = 0; i < LENGTH (cases); i++) {
    CtrBordersParams params = borders_params_of (cases[i].mode, CTR_APPROXIMATION_SIMPLE, 128, false);
    params.min_area = cases[i].min_area;
    params.features = cases[i].features;
    params.foreground.mode = cases[i].threshold;
    check_calls (cases[i].what, most_calls (enqueue_borders, finish_borders, &params), cases[i].limit);
  }
  ctr_borders_free (borders);
}

static CtrCracks *cracks;

static void
enqueue_cracks (const CtrImage *image, const void *params)
{
  CHECK (ctr_cracks_enqueue (cracks, image, params, setup.stream, NULL));
}

static void
finish_cracks (void)
{
  keep (ctr_cracks_finish (cracks, NULL));
}

static void
count_cracks (void)
{
  CtrCracksParams params = cracks_params_of (CTR_LEVELS_AT_LEAST, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
  params.step = 64;
  cracks = tracer_new (&setup);
  check_calls ("level contours", most_calls (enqueue_cracks, finish_cracks, &params), 2);
  params.min_area = 9;
  params.features = CTR_CONTOUR_FEATURE_MOMENTS;
  check_calls ("level contours, least area, moments", most_calls (enqueue_cracks, finish_cracks, &params), 2);
  ctr_cracks_free (cracks);
}

static CtrCca *cca;

static void
enqueue_cca (const CtrImage *image, const void *params)
{
  CHECK (ctr_cca_enqueue (cca, image, params, setup.stream, NULL));
}

static void
finish_cca (void)
{
  CtrComponents *components = ctr_cca_finish (cca, NULL);
  CHECK (components);
  ctr_components_unref (components);
}

static void
count_cca (void)
{
  CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 128, false, 0);
  cca = analyser_new (&setup);
  check_calls ("components", most_calls (enqueue_cca, finish_cca, &params), 1);
  params.foreground.mode = CTR_THRESHOLD_OTSU;
  params.features = ALL_FEATURES;
  check_calls ("components, Otsu, all features", most_calls (enqueue_cca, finish_cca, &params), 1);
  ctr_cca_free (cca);
}

static CtrCanny *canny;
static CtrEdgePicture edges;

static void
enqueue_canny (const CtrImage *image, const void *params)
{
  CHECK (ctr_canny_enqueue (canny, image, params, &edges, setup.stream, NULL));
}

static void
finish_canny (void)
{
  CHECK (ctr_canny_finish (canny, NULL));
}

static void
count_canny (void)
{
  CtrCannyParams params;
  ctr_canny_params_init (&params);
  canny = detector_new (&setup);
  uint8_t *mask = gpu_alloc (WIDTH * HEIGHT);
  ctr_edge_picture_init_mask (&edges, mask, WIDTH, CTR_MEMORY_DEVICE);
  check_calls ("edges", most_calls (enqueue_canny, finish_canny, &params), 3);
  params.sigma = 1;
  params.threshold_mode = CTR_CANNY_MEDIAN;
  check_calls ("edges, blur, median", most_calls (enqueue_canny, finish_canny, &params), 6);
  gpu_free (mask);
  ctr_canny_free (canny);
}

static CtrPainter *painter;

static void
enqueue_paint (const CtrImage *image, const void *layers)
{
  static CtrPaintColour colours[CTR_PAINT_COLOURS];
  const CtrPaintPicture picture = {.plane_count = 1,
      .planes = {{.data = (void *) image->data, .stride = image->stride, .samples = 1}},
      .width = WIDTH,
      .height = HEIGHT,
      .sample_size = 1,
      .sample_mask = 255,
      .memory = CTR_MEMORY_DEVICE};
  CHECK (ctr_painter_enqueue (painter, &picture, layers, 3, colours, setup.stream, NULL));
}

static void
finish_paint (void)
{
  CHECK (ctr_painter_finish (painter, NULL));
}

/* Lines, boxes and text: two kernels each, one copy, one event. */
static void
count_paint (void)
{
  static uint8_t letters[16 * 8];
  const CtrPaintAtlas atlas = {.coverage = letters, .width = 16, .height = 8};
  const CtrPaintRectangle rectangles[] = {{.x = 3, .y = 4, .width = 20, .height = 10, .thickness = 1}};
  const CtrPaintGlyph glyphs[] = {{.x = 3, .y = 4, .width = 8, .height = 8}};
  CtrPaintLayer layers[3];
  ctr_paint_layer_init (&layers[0], CTR_PAINT_LINES);
  ctr_paint_layer_init (&layers[1], CTR_PAINT_RECTANGLES);
  ctr_paint_layer_init (&layers[2], CTR_PAINT_TEXT);
  layers[0].contours = former;
  layers[1].rectangles = rectangles;
  layers[1].rectangle_count = LENGTH (rectangles);
  layers[2].atlas = &atlas;
  layers[2].glyphs = glyphs;
  layers[2].glyph_count = LENGTH (glyphs);
  painter = painter_new (&setup);
  check_calls ("drawing, three layers", most_calls (enqueue_paint, finish_paint, layers), 8);
  ctr_painter_free (painter);
}

int
main (int argc, char **argv)
{
  setup = setup_open ("cuda", false);
  open_images (CTR_FORMAT_GRAY8);
  count_borders ();
  count_cracks ();
  count_cca ();
  count_canny ();
  count_paint ();
  ctr_contours_unref (former);
  close_images ();
  return 0;
}
