/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* queueing BACKEND
 *
 * What a frame costs the thread that enqueues it, once an analyser has seen some frames: the time, and under emulation
 * the number of calls that queue something for the GPU, each of which takes two to three microseconds. Frames lie in
 * three places in turn, and the last result is still in use, as in a pipeline. */
#include "tests/core/borders/testing.h"
#include "tests/core/canny/testing.h"
#include "tests/core/cca/testing.h"
#include "tests/core/common/gpu.h"
#include "tests/core/cracks/testing.h"
#include "tests/core/paint/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PLACES = 20, WARM_UP = 40 };

/* Of the emulator; NULL where there is none. */
extern unsigned long emulation_calls (void) __attribute__ ((weak));

static Setup setup;
static uint32_t width = 1920, height = 1080, frames = 301, places = 3; /* where frames lie in turn */
static Picture pictures[PLACES];
static CtrImage images[PLACES]; /* the same, where the backend takes them */
static CtrContours *former;

static void
open_images (CtrFormat format)
{
  Random rng = {5};
  uint8_t *mask = noise_new (&rng, width, height, 50, 16);
  for (int i = 0; i < PLACES; i++) {
    pictures[i] = picture_of_mask (&rng, mask, width, height, (Layout){.format = format}, 128, false);
    images[i] = pictures[i].view;
    if (setup.backend == CTR_BACKEND_CPU)
      continue;
    void *memory = gpu_alloc (pictures[i].bytes);
    gpu_upload (memory, pictures[i].memory, pictures[i].bytes);
    images[i].data = memory;
    images[i].memory = CTR_MEMORY_DEVICE;
  }
  free (mask);
}

static void
close_images (void)
{
  for (int i = 0; i < PLACES; i++) {
    if (setup.backend == CTR_BACKEND_CUDA)
      gpu_free ((void *) images[i].data);
    picture_free (&pictures[i]);
  }
}

static void
keep (CtrContours *contours)
{
  CHECK (contours);
  ctr_contours_unref (former);
  former = contours;
}

static double
microseconds (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static int
compare_times (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

static double
median (double *times)
{
  qsort (times, frames, sizeof *times, compare_times);
  return times[frames / 2];
}

/* Analyses frames by ENQUEUE and FINISH. None may take more than LIMIT calls. */
static void
measure (const char *what, void (*enqueue) (const CtrImage *image, const void *params), void (*finish) (void),
    const void *params, unsigned limit)
{
  unsigned most = 0;
  double *queued = malloc (frames * sizeof *queued), *complete = malloc (frames * sizeof *complete);
  for (uint32_t i = 0; i < WARM_UP + frames; i++) {
    const unsigned long before = emulation_calls ? emulation_calls () : 0;
    const double start = microseconds ();
    enqueue (&images[i % places], params);
    const double end = microseconds ();
    const unsigned calls = emulation_calls ? (unsigned) (emulation_calls () - before) : 0;
    finish ();
    if (i < WARM_UP)
      continue;
    most = calls > most ? calls : most;
    queued[i - WARM_UP] = end - start;
    complete[i - WARM_UP] = microseconds () - start;
  }
  printf ("%-40s queued in %8.1f us, complete in %8.1f us", what, median (queued), median (complete));
  if (emulation_calls)
    printf (", %2u calls", most);
  printf ("\n");
  free (queued);
  free (complete);
  describe ("%s: %u calls a frame; at most %u are allowed", what, most, limit);
  CHECK (most <= limit);
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
measure_borders (void)
{
  static const struct {
    const char *what;
    CtrRetrieval mode;
    double min_area;
    uint32_t features;
    CtrThresholdMode threshold;
    unsigned limit;
  } cases[] = {
      {"borders, list", CTR_RETRIEVE_LIST, 0, 0, CTR_THRESHOLD_FIXED, 6},
      {"borders, list, moments", CTR_RETRIEVE_LIST, 0, CTR_CONTOUR_FEATURE_MOMENTS, CTR_THRESHOLD_FIXED, 4},
      {"borders, list, least area", CTR_RETRIEVE_LIST, 9, 0, CTR_THRESHOLD_FIXED, 4},
      {"borders, external", CTR_RETRIEVE_EXTERNAL, 0, 0, CTR_THRESHOLD_FIXED, 4},
      {"borders, two levels", CTR_RETRIEVE_CCOMP, 0, 0, CTR_THRESHOLD_FIXED, 4},
      {"borders, tree", CTR_RETRIEVE_TREE, 0, 0, CTR_THRESHOLD_FIXED, 4},
      {"borders, tree, least area, moments", CTR_RETRIEVE_TREE, 9, CTR_CONTOUR_FEATURE_MOMENTS, CTR_THRESHOLD_FIXED, 4},
      {"borders, list, Otsu", CTR_RETRIEVE_LIST, 0, 0, CTR_THRESHOLD_OTSU, 7},
      {"borders, tree, Otsu", CTR_RETRIEVE_TREE, 0, 0, CTR_THRESHOLD_OTSU, 5},
  };
  borders = follower_new (&setup);
  for (size_t i = 0; i < LENGTH (cases); i++) {
    CtrBordersParams params = borders_params_of (cases[i].mode, CTR_APPROXIMATION_SIMPLE, 128, false);
    params.min_area = cases[i].min_area;
    params.features = cases[i].features;
    params.foreground.mode = cases[i].threshold;
    measure (cases[i].what, enqueue_borders, finish_borders, &params, cases[i].limit);
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
measure_cracks (void)
{
  CtrCracksParams params = cracks_params_of (CTR_LEVELS_AT_LEAST, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
  params.step = 64;
  cracks = tracer_new (&setup);
  measure ("level contours", enqueue_cracks, finish_cracks, &params, 4);
  params.min_area = 9;
  params.features = CTR_CONTOUR_FEATURE_MOMENTS;
  measure ("level contours, least area, moments", enqueue_cracks, finish_cracks, &params, 4);
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
measure_cca (void)
{
  CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 128, false, 0);
  cca = analyser_new (&setup);
  measure ("components", enqueue_cca, finish_cca, &params, 3);
  params.foreground.mode = CTR_THRESHOLD_OTSU;
  params.features = ALL_FEATURES;
  measure ("components, Otsu, all features", enqueue_cca, finish_cca, &params, 3);
  places = PLACES; /* more than there are graphs */
  measure ("components, many places", enqueue_cca, finish_cca, &params, 27);
  places = 3;
  ctr_cca_free (cca);
}

/* Two analysers of one image, in streams of their own: the second one finds the threshold of the first. */
static CtrInput *input;

static void
enqueue_both (const CtrImage *image, const void *params)
{
  ctr_input_set_current (input);
  enqueue_cca (image, params);
  CtrBordersParams of_borders = borders_params_of (CTR_RETRIEVE_TREE, CTR_APPROXIMATION_SIMPLE, 0, false);
  of_borders.foreground = ((const CtrCcaParams *) params)->foreground;
  CHECK (ctr_borders_enqueue (borders, image, &of_borders, NULL, NULL));
  ctr_input_set_current (NULL);
  ctr_input_clear (input);
}

static void
finish_both (void)
{
  finish_cca ();
  finish_borders ();
}

static void
measure_both (void)
{
  CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 128, false, 0);
  cca = analyser_new (&setup);
  borders = follower_new (&setup);
  input = ctr_input_new (NULL);
  measure ("components and borders, fixed", enqueue_both, finish_both, &params, 7);
  params.foreground.mode = CTR_THRESHOLD_OTSU;
  measure ("components and borders, Otsu once", enqueue_both, finish_both, &params, 10);
  ctr_input_free (input);
  ctr_borders_free (borders);
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
measure_canny (void)
{
  CtrCannyParams params;
  ctr_canny_params_init (&params);
  canny = detector_new (&setup);
  const bool cuda = setup.backend == CTR_BACKEND_CUDA;
  uint8_t *mask = cuda ? gpu_alloc ((size_t) width * height) : malloc ((size_t) width * height);
  ctr_edge_picture_init_mask (&edges, mask, width, cuda ? CTR_MEMORY_DEVICE : CTR_MEMORY_HOST);
  measure ("edges", enqueue_canny, finish_canny, &params, 5);
  params.sigma = 1;
  params.threshold_mode = CTR_CANNY_MEDIAN;
  measure ("edges, blur, median", enqueue_canny, finish_canny, &params, 7);
  if (cuda)
    gpu_free (mask);
  else
    free (mask);
  ctr_canny_free (canny);
}

static CtrPainter *painter;

static void
enqueue_paint (const CtrImage *image, const void *layers)
{
  static CtrPaintColour colours[CTR_PAINT_COLOURS];
  const CtrPaintPicture picture = {.plane_count = 1,
      .planes = {{.data = (void *) image->data, .stride = image->stride, .samples = 1}},
      .width = width,
      .height = height,
      .sample_size = 1,
      .sample_mask = 255,
      .memory = image->memory};
  CHECK (ctr_painter_enqueue (painter, &picture, layers, 3, colours, setup.stream, NULL));
}

static void
finish_paint (void)
{
  CHECK (ctr_painter_finish (painter, NULL));
}

/* Lines, boxes and text: a kernel each, one more that blends them, one copy, one event. */
static void
measure_paint (void)
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
  measure ("drawing, three layers", enqueue_paint, finish_paint, layers, 6);
  ctr_painter_free (painter);
}

int
main (int argc, char **argv)
{
  setup = setup_open (argv[1], false);
  if (setup.quick || setup.backend == CTR_BACKEND_CPU) {
    width = 64;
    height = 48;
    frames = 5;
  }
  open_images (CTR_FORMAT_GRAY8);
  measure_borders ();
  measure_cracks ();
  measure_cca ();
  measure_both ();
  measure_canny ();
  measure_paint ();
  ctr_contours_unref (former);
  close_images ();
  return 0;
}
