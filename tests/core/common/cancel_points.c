/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cancel-points BACKEND [THREADS]
 *
 * Cancels a run at every place where the CPU backend can be cancelled: when it asks for the first time, for the second,
 * and so on. The next image's result must be that of a new analyser. This program replaces the library's
 * cancellation: all threads ask the same question. An edge that grows a long way after the last row asks all the while. */
#include "tests/core/common/hashed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Setup setup;
static long asked, allowed; /* answers since the run began, atomic; how many of them are no */

bool
ctr_cancelled (void)
{
  return __atomic_fetch_add (&asked, 1, __ATOMIC_RELAXED) >= allowed;
}

/* The library's would bring the library's ctr_cancelled() with it. */
const CtrCancel *
ctr_cancel_set_current (const CtrCancel *cancel)
{
  return NULL;
}

/* A painter, and what it draws. */
typedef struct {
  CtrPainter *painter;
  CtrCracks *cracks;
  CtrCca *cca;
} Drawing;

static void *
paint_create (void)
{
  Drawing *drawing = malloc (sizeof *drawing);
  *drawing = (Drawing){
      ctr_painter_new (setup.backend, NULL), ctr_cracks_new (setup.backend, NULL), ctr_cca_new (CTR_BACKEND_CPU, NULL)};
  return drawing;
}

static void
paint_destroy (void *data)
{
  Drawing *drawing = data;
  ctr_painter_free (drawing->painter);
  ctr_cracks_free (drawing->cracks);
  ctr_cca_free (drawing->cca);
  free (drawing);
}

static bool
paint_run (void *data, const CtrImage *image, uint64_t *hash, CtrError *error)
{
  Drawing *drawing = data;
  const size_t size = (size_t) image->width * image->height;
  CtrCracksParams params;
  ctr_cracks_params_init (&params);
  params.step = 60;
  CtrCcaParams cca_params;
  ctr_cca_params_init (&cca_params);
  const long before = allowed;
  allowed = asked + 1000000000; /* what is drawn is not what is tested */
  CtrContours *contours = ctr_cracks_run (drawing->cracks, image, &params, NULL, NULL);
  CtrComponents *components = ctr_cca_run (drawing->cca, image, &cca_params, NULL, NULL);
  allowed = before;
  asked = 0;
  CHECK (contours && components);
  uint8_t *pixels = calloc (1, size);
  uint32_t *labels = malloc (size * sizeof *labels);
  uint16_t label_colours[8];
  uint8_t coverage[64];
  memset (coverage, 128, sizeof coverage);
  for (size_t i = 0; i < size; i++)
    labels[i] = (uint32_t) (i % 9);
  for (uint16_t i = 0; i < 8; i++)
    label_colours[i] = i;
  const CtrPaintRectangle rectangles[] = {{3, 2, 30, 20, 0, 9}, {10, 10, 40, 30, 2, 8}};
  const CtrPaintAtlas atlas = {.coverage = coverage, .width = 8, .height = 8};
  const CtrPaintGlyph glyphs[] = {{.x = 5, .y = 5, .width = 8, .height = 8, .order = 1, .colour = 3}};
  static const CtrPaintKind kinds[] = {CTR_PAINT_AREAS, CTR_PAINT_LINES, CTR_PAINT_BOXES, CTR_PAINT_COMPONENT_BOXES,
      CTR_PAINT_RECTANGLES, CTR_PAINT_TEXT};
  CtrPaintLayer layers[LENGTH (kinds)];
  CtrPaintColour colours[CTR_PAINT_COLOURS];
  memset (colours, 0, sizeof colours);
  for (uint32_t i = 0; i < CTR_PAINT_COLOURS; i++)
    colours[i].shape[0] = (uint16_t) (20 * i + 7);
  for (size_t i = 0; i < LENGTH (kinds); i++) {
    ctr_paint_layer_init (&layers[i], kinds[i]);
    layers[i].contours = contours;
    layers[i].components = components;
    layers[i].labels = labels;
    layers[i].label_width = image->width;
    layers[i].label_height = image->height;
    layers[i].label_colours = label_colours;
    layers[i].label_count = LENGTH (label_colours);
    layers[i].rectangles = rectangles;
    layers[i].rectangle_count = LENGTH (rectangles);
    layers[i].atlas = &atlas;
    layers[i].glyphs = glyphs;
    layers[i].glyph_count = LENGTH (glyphs);
    layers[i].alpha = 100;
  }
  const CtrPaintPicture picture = {.planes = {{.data = pixels, .stride = image->width, .samples = 1}},
      .plane_count = 1,
      .width = image->width,
      .height = image->height,
      .sample_size = 1,
      .sample_mask = 255,
      .memory = CTR_MEMORY_HOST};
  const bool ok = ctr_painter_run (drawing->painter, &picture, layers, LENGTH (layers), colours, setup.stream, error);
  if (ok)
    hash_bytes (hash, pixels, size);
  ctr_contours_unref (contours);
  ctr_components_unref (components);
  free (pixels);
  free (labels);
  return ok;
}

static const HashedCase drawing = {"drawing", paint_create, paint_run, paint_destroy, false};

/* Runs to the end; returns how often it asked. */
static long
complete (const HashedCase *c, void *analyser, const CtrImage *image, uint64_t *hash)
{
  CtrError error;
  asked = 0;
  allowed = 1000000000;
  *hash = HASH_SEED;
  if (!c->run (analyser, image, hash, &error))
    fail (__FILE__, __LINE__, error.message);
  return asked;
}

/* What a new analyser finds. */
static uint64_t
expect (const HashedCase *c, const CtrImage *image)
{
  void *analyser = c->create ();
  uint64_t hash;
  CHECK (analyser);
  complete (c, analyser, image, &hash);
  c->destroy (analyser);
  return hash;
}

/* Cancels at question NUMBER, counted from 0. */
static void
check_cancelled (const HashedCase *c, void *analyser, const CtrImage *image, long number)
{
  CtrError error = {.status = CTR_OK};
  uint64_t hash = 0;
  describe ("%s, cancelled at question %ld", c->name, number);
  asked = 0;
  allowed = number;
  if (c->run (analyser, image, &hash, &error))
    /* How much work several threads have depends on which of them is first: the last question may not come up. */
    CHECK (ctr_threads_current () > 1 && asked <= number);
  else
    CHECK (error.status == CTR_ERROR_CANCELLED && strstr (error.message, "cancelled"));
}

static void
test_case (const HashedCase *c, const CtrImage images[2])
{
  const uint64_t expected[2] = {expect (c, &images[0]), expect (c, &images[1])};
  void *used = c->create ();
  uint64_t hash;
  complete (c, used, &images[0], &hash);
  const long questions = complete (c, used, &images[0], &hash);
  CHECK (hash == expected[0]);
  printf ("%-20s asks %ld times\n", c->name, questions);
  fflush (stdout);
  if (setup.backend == CTR_BACKEND_CPU)
    CHECK (questions > images[0].height);
  /* All of the first and the last ones, and some between: about 200. */
  const long stride = questions / (setup.quick ? 40 : 160) + 1;
  for (long number = 0; number < questions; number += number < 20 || questions - number < 20 ? 1 : stride) {
    const int after = (int) (number % 2);
    check_cancelled (c, used, &images[0], number);
    complete (c, used, &images[after], &hash);
    CHECK (hash == expected[after]);
    if (number % 7 == 0) {
      void *fresh = c->create ();
      const long of_first = complete (c, fresh, &images[1], &hash);
      c->destroy (fresh);
      fresh = c->create ();
      check_cancelled (c, fresh, &images[1], number < of_first ? number : of_first - 1);
      complete (c, fresh, &images[0], &hash);
      CHECK (hash == expected[0]);
      c->destroy (fresh);
    }
  }
  c->destroy (used);
}

/* Blobs in noise. */
static void
fill (uint8_t *samples, uint32_t width, uint32_t height, uint64_t seed)
{
  Random random = {seed};
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      const int32_t dx = (int32_t) x - (int32_t) width / 2, dy = (int32_t) y - (int32_t) height / 2;
      const bool inside = 9 * dx * dx + 16 * dy * dy < (int32_t) (width * width) - 40 * dx * (dy % 16);
      samples[y * width + x] = (uint8_t) ((inside ? 110 : 20) + random_below (&random, 120));
    }
}

/* How often the search for edges asks in a picture with an upright edge. A strong end below makes the whole edge strong, row by row
 * upwards; without it, there is none. */
static long
ask_along_edge (uint32_t width, uint32_t height, bool strong_end)
{
  CtrCanny *canny = ctr_canny_new (setup.backend, NULL);
  CtrCannyParams params;
  ctr_canny_params_init (&params);
  params.sigma = 0;
  params.low_threshold = 50;
  params.high_threshold = 400;
  uint8_t *pixels = malloc (2 * (size_t) width * height), *mask = pixels + (size_t) width * height;
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++)
      pixels[y * width + x] = x < width / 2 ? 40 : strong_end && y + 4 > height ? 200 : 60;
  const CtrImage image = {
      .data = pixels, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
  CtrEdgePicture picture;
  ctr_edge_picture_init_mask (&picture, mask, width, CTR_MEMORY_HOST);
  asked = 0;
  allowed = 1000000000;
  CHECK (canny && ctr_canny_run (canny, &image, &params, &picture, NULL, NULL));
  uint32_t edge_rows = 0;
  for (uint32_t y = 0; y < height; y++)
    edge_rows += memchr (mask + y * width, 255, width) != NULL;
  CHECK (strong_end ? edge_rows >= height - 8 : edge_rows == 0);
  ctr_canny_free (canny);
  free (pixels);
  return asked;
}

/* Edges that grow long after all rows are done can be cancelled. */
static void
test_growth (void)
{
  const uint32_t height = 400;
  describe ("edges, a long way upwards");
  const long without = ask_along_edge (64, height, false), with = ask_along_edge (64, height, true);
  printf ("%-20s asks %ld times more\n", "growth of edges", with - without);
  /* A row is 16 operations, and 64 of them are a question. */
  CHECK (with - without >= height / 8);
}

int
main (int argc, char **argv)
{
  static uint8_t first[96 * 80], second[41 * 57];
  setup = setup_open (argv[1], false);
  hashed_open (&setup);
  ctr_threads_set_current (argc > 2 ? (unsigned) atoi (argv[2]) : 1);
  allowed = 1000000000;
  fill (first, 96, 80, 1);
  fill (second, 41, 57, 2);
  const CtrImage images[2] = {
      {.data = first, .stride = 96, .width = 96, .height = 80, .format = CTR_FORMAT_GRAY8},
      {.data = second, .stride = 41, .width = 41, .height = 57, .format = CTR_FORMAT_GRAY8},
  };
  for (size_t i = 0; i < hashed_case_count; i++)
    test_case (&hashed_cases[i], images);
  if (setup.backend == CTR_BACKEND_CPU) {
    test_case (&drawing, images);
    test_growth ();
  }
  return 0;
}
