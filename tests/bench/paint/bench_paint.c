/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bench_paint [--write DIR]
 *                        measures drawing into frames of 3840 x 2160, one JSON record a line (bench_paint.py makes the
 *                        table)
 *
 * With --write, DIR gets what is drawn, for the peers: NAME.counts has the points of each contour, NAME.points their
 * coordinates. What is drawn are the borders of random blobs, a hundred thousand points of them and a million. On the
 * GPU, contours and frame lie in its memory; drawn frames of both backends are compared. */
#include "tests/bench/common/bench.h"
#include "tests/bench/common/outlines.h"
#include "tests/bench/paint/paint_work.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CTR_HAVE_CUDA
#include "tests/bench/paint/paint_gpu.h"
#else
typedef struct PaintGpu PaintGpu;
#endif

enum { HOST_RUNS = 5 };

typedef struct {
  PaintGpu *gpu; /* NULL: host backend only */
  CtrPainter *host;
  const char *folder; /* NULL: nothing is written */
  uint8_t *mask, *frame, *drawn;
} Bench;

CtrPaintColour paint_colours[CTR_PAINT_COLOURS];

size_t
paint_frame_size (const PaintWork *work)
{
  return work->rgba ? 4 * PAINT_PIXELS : PAINT_PIXELS / 2 * 3;
}

CtrPaintPicture
paint_picture (const PaintWork *work, void *data, CtrMemory memory)
{
  CtrPaintPicture picture = {
      .plane_count = 1,
      .planes = {{.data = data, .stride = 4 * PAINT_WIDTH, .samples = 4, .component = {0, 1, 2, 3}}},
      .width = PAINT_WIDTH,
      .height = PAINT_HEIGHT,
      .sample_size = 1,
      .sample_mask = 255,
      .memory = memory,
      .background = work->alone ? CTR_BACKGROUND_COLOUR : CTR_BACKGROUND_PICTURE,
      .background_colour = {16, 128, 128, 255},
  };
  if (work->rgba)
    return picture;
  picture.plane_count = 2;
  picture.planes[0].stride = PAINT_WIDTH;
  picture.planes[0].samples = 1;
  picture.planes[1] = (CtrPaintPlane){.data = (uint8_t *) data + PAINT_PIXELS,
      .stride = PAINT_WIDTH,
      .samples = 2,
      .x_shift = 1,
      .y_shift = 1,
      .component = {1, 2}};
  return picture;
}

void
paint_record (const char *who, const char *mode, const PaintWork *work, double *microseconds, int runs)
{
  static const char *const by[] = {"fixed", "id", "level", "depth", "area"};
  const BenchTimes times = bench_times (microseconds, runs);
  printf ("{\"type\": \"time\", \"who\": \"%s\", \"mode\": \"%s\", \"name\": \"%s\", \"format\": \"%s\", "
          "\"contours\": %u, \"points\": %" PRIu64 ", \"thickness\": %u, \"alpha\": %u, \"colours\": \"%s\", "
          "\"runs\": %d, \"min_us\": %.3f, \"median_us\": %.3f}\n",
      who, mode, work->name, work->rgba ? "RGBA" : "NV12", work->layer.contours->count,
      work->layer.contours->point_count, work->layer.thickness, work->layer.alpha, by[work->layer.colouring.by], runs,
      times.min, times.median);
  fflush (stdout);
}

static bool
draw_on_host (Bench *bench, const PaintWork *work)
{
  const CtrPaintPicture picture = paint_picture (work, bench->drawn, CTR_MEMORY_HOST);
  CtrError error;
  if (ctr_painter_run (bench->host, &picture, &work->layer, 1, paint_colours, NULL, &error))
    return true;
  fprintf (stderr, "%s: %s\n", work->name, error.message);
  return false;
}

static bool
measure (Bench *bench, const PaintWork *work)
{
  double us[HOST_RUNS];
  for (int i = 0; i < HOST_RUNS; i++) {
    const double start = bench_now ();
    if (!draw_on_host (bench, work))
      return false;
    us[i] = bench_now () - start;
  }
  paint_record ("host", "host", work, us, HOST_RUNS);
  memcpy (bench->drawn, bench->frame, paint_frame_size (work));
  if (!draw_on_host (bench, work))
    return false;
#ifdef CTR_HAVE_CUDA
  return !bench->gpu || paint_gpu_measure (bench->gpu, work, bench->frame, bench->drawn);
#else
  return true;
#endif
}

/* The contours of bench->mask; on the GPU, where there is one. */
static CtrContours *
find_contours (Bench *bench, CtrApproximation approximation)
{
  const CtrImage image = {.data = bench->mask, .stride = PAINT_WIDTH, .width = PAINT_WIDTH, .height = PAINT_HEIGHT};
  CtrError error;
  CtrBordersParams params;
  ctr_borders_params_init (&params);
  params.mode = CTR_RETRIEVE_TREE;
  params.approximation = approximation;
  CtrBorders *borders = ctr_borders_new (bench->gpu ? CTR_BACKEND_CUDA : CTR_BACKEND_CPU, &error);
  CtrContours *contours = borders ? ctr_borders_run (borders, &image, &params, NULL, &error) : NULL;
  if (!contours)
    fprintf (stderr, "%s\n", error.message);
  ctr_borders_free (borders);
  return contours;
}

static FILE *
open_file (const Bench *bench, const char *name, const char *kind)
{
  char path[4096];
  snprintf (path, sizeof path, "%s/%s.%s", bench->folder, name, kind);
  FILE *file = fopen (path, "wb");
  if (!file)
    perror (path);
  return file;
}

static bool
write_contours (const Bench *bench, const char *name, CtrContours *contours)
{
  CtrError error;
  const CtrContour *table = ctr_contours_map_table (contours, &error);
  const CtrPoint *points = ctr_contours_map_points (contours, &error);
  FILE *of_counts = open_file (bench, name, "counts"), *of_points = open_file (bench, name, "points");
  bool ok = table && points && of_counts && of_points;
  for (uint32_t i = 0; ok && i < contours->count; i++)
    ok = fwrite (&table[i].count, sizeof table[i].count, 1, of_counts) == 1;
  ok = ok && fwrite (points, sizeof *points, contours->point_count, of_points) == contours->point_count;
  if (of_counts && fclose (of_counts) != 0)
    ok = false;
  if (of_points && fclose (of_points) != 0)
    ok = false;
  if (!ok)
    fprintf (stderr, "%s: the contours could not be written\n", name);
  return ok;
}

static bool
measure_contours (Bench *bench, const char *name, CtrPaintKind kind, CtrApproximation approximation, bool alone)
{
  static const struct {
    bool rgba;
    uint32_t thickness;
    uint8_t alpha;
    CtrColouring colouring;
  } styles[] = {
      {false, 1, 255, {CTR_COLOUR_FIXED, 1, 1, 1}},
      {false, 1, 255, {CTR_COLOUR_ID, 1, 7, 1}},
      {false, 2, 255, {CTR_COLOUR_ID, 1, 7, 1}},
      {false, 2, 128, {CTR_COLOUR_DEPTH, 8, 248, 6}},
      {false, 5, 255, {CTR_COLOUR_AREA, 8, 248, PAINT_PIXELS}},
      {true, 2, 255, {CTR_COLOUR_ID, 1, 7, 1}},
  };
  PaintWork work = {.name = name, .alone = alone};
  ctr_paint_layer_init (&work.layer, kind);
  work.layer.contours = find_contours (bench, approximation);
  bool ok = work.layer.contours;
  if (ok && bench->folder && kind == CTR_PAINT_LINES && !alone)
    ok = write_contours (bench, name, work.layer.contours);
  for (size_t i = 0; ok && i < sizeof styles / sizeof *styles; i++) {
    work.rgba = styles[i].rgba;
    work.layer.thickness = styles[i].thickness;
    work.layer.alpha = styles[i].alpha;
    work.layer.colouring = styles[i].colouring;
    work.layer.dashed_holes = true;
    ok = measure (bench, &work);
  }
  ctr_contours_unref (work.layer.contours);
  return ok;
}

/* Leaves of each row so many pixels. */
static bool
keep_columns (Bench *bench, uint32_t columns)
{
  for (uint32_t y = 0; y < PAINT_HEIGHT; y++)
    memset (bench->mask + (size_t) y * PAINT_WIDTH + columns, 0, PAINT_WIDTH - columns);
  return true;
}

static bool
measure_all (Bench *bench)
{
  return bench_blobs_mask (20, PAINT_WIDTH, PAINT_HEIGHT, bench->mask) && keep_columns (bench, 2750)
         && measure_contours (bench, "100,000 points", CTR_PAINT_LINES, CTR_APPROXIMATION_NONE, false)
         && measure_contours (bench, "the same, alone", CTR_PAINT_LINES, CTR_APPROXIMATION_NONE, true)
         && measure_contours (bench, "the same, straight pieces", CTR_PAINT_LINES, CTR_APPROXIMATION_SIMPLE, false)
         && measure_contours (bench, "the same, boxes", CTR_PAINT_BOXES, CTR_APPROXIMATION_NONE, false)
         && bench_blobs_mask (2.6, PAINT_WIDTH, PAINT_HEIGHT, bench->mask)
         && measure_contours (bench, "a million points", CTR_PAINT_LINES, CTR_APPROXIMATION_NONE, false);
}

static bool
open_gpu (Bench *bench)
{
#ifdef CTR_HAVE_CUDA
  CtrError error;
  if (!ctr_cuda_available (&error)) {
    fprintf (stderr, "host backend only: %s\n", error.message);
    return true;
  }
  bench->gpu = paint_gpu_new ();
  return bench->gpu;
#else
  return true;
#endif
}

int
main (int argc, char **argv)
{
  Bench bench = {0};
  CtrError error;
  if (argc == 3 && !strcmp (argv[1], "--write")) {
    bench.folder = argv[2];
  } else if (argc != 1) {
    fprintf (stderr, "usage: %s [--write DIR]\n", argv[0]);
    return 2;
  }
  for (int i = 0; i < CTR_PAINT_COLOURS; i++)
    paint_colours[i] = (CtrPaintColour){.shape = {(uint16_t) i, (uint16_t) (255 - i), (uint16_t) (i * 7 % 256), 255}};
  bench.mask = malloc (PAINT_PIXELS);
  bench.frame = malloc (4 * PAINT_PIXELS);
  bench.drawn = malloc (4 * PAINT_PIXELS);
  bench.host = ctr_painter_new (CTR_BACKEND_CPU, &error);
  int status = 1;
  if (!bench.mask || !bench.frame || !bench.drawn || !bench.host) {
    fprintf (stderr, "no host memory for frames of %d pixels\n", PAINT_PIXELS);
  } else if (open_gpu (&bench)) {
    for (size_t i = 0; i < 4 * PAINT_PIXELS; i++)
      bench.frame[i] = (uint8_t) (i * 2654435761u >> 24);
    memcpy (bench.drawn, bench.frame, 4 * PAINT_PIXELS);
    status = !measure_all (&bench);
  }
#ifdef CTR_HAVE_CUDA
  paint_gpu_free (bench.gpu);
#endif
  ctr_painter_free (bench.host);
  free (bench.mask);
  free (bench.frame);
  free (bench.drawn);
  return status;
}
