/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bench_units [--quick] [--host] [--cases REGEX] [--write DIR]
 *                        measures what units of the world cost, one JSON record a line (bench_units.py makes the table)
 *
 * It converts all points of an image's borders and measures the converted lines, on one thread of the host, as reading the
 * metadata does; --host is accepted and changes nothing. With --cases, only what matches, as in "board 1920x1080, plane, points".
 * With --write, DIR gets the points and the converted ones, and what they are in cases.jsonl, for the peer. The protocol is described in
 * docs/benchmarks/protocol.md. */
#include "tests/bench/common/bench.h"
#include "tests/bench/common/lists.h"
#include "tests/bench/common/masks.h"
#include "tests/bench/common/outlines.h"

#include <contours/borders.h>
#include <contours/calibration.h>
#include <contours/contours.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WIDTH = 3840, MAX_HEIGHT = 2160, MAX_RUNS = 25 };
static const double time_limit = 3e5; /* microseconds: no further run after this */

/* Those of a camera above a table: lenses of 5 and of all 14 coefficients, and a plane that is tilted. Filled in by the
 * image's size. */
typedef enum { SCALE, PLANE, LENS, LENS_PLANE, LENS_14, MODELS } Model;
static const char *const model_names[] = {"scale", "plane", "lens", "lens and plane", "lens of 14 coefficients"};

/* What is done with the lines. */
typedef enum { POINTS, MEASURES, SHAPES, TASKS } Task;
static const char *const task_names[] = {"points", "area and length", "shapes"};

typedef struct {
  const char *name;
  uint32_t width, height;
  const CtrContour *table;
  uint32_t count;
  uint64_t point_count;
  double *points, *world; /* x and y alternately */
} Lines;

typedef struct {
  bool quick;
  const char *folder; /* NULL: nothing is written */
  FILE *cases;
  uint32_t case_count;
} Bench;

static CtrCalibration
calibration_of (Model model, const Lines *lines)
{
  static const double lens[14] = {-0.21, 0.13, 0.0004, -0.0011, 0.02};
  static const double all[14] = {
      -0.21, 0.13, 0.0004, -0.0011, 0.02, 0.04, -0.03, 0.01, 0.0006, -0.0002, 0.0004, 0.0001, 0.01, -0.008};
  const double size = lines->width;
  CtrCalibration c = {.width = lines->width, .height = lines->height, .unit = "mm"};
  if (model == SCALE || model == LENS || model == LENS_14)
    c.scale = 0.05;
  if (model >= LENS) {
    c.has_camera = true;
    c.fx = c.fy = 1.1 * size;
    c.cx = 0.5 * (size - 1);
    c.cy = 0.5 * (lines->height - 1.0);
    memcpy (c.distortion, model == LENS_14 ? all : lens, sizeof c.distortion);
  }
  if (model == PLANE || model == LENS_PLANE) {
    const double homography[9] = {0.05, 0.001, -40, -0.0005, 0.052, -25, 0.03 / size, 0.08 / size, 1};
    c.has_homography = true;
    memcpy (c.homography, homography, sizeof homography);
  }
  return c;
}

static const char *
describe (const Lines *lines, Model model, Task task)
{
  static char text[160];
  snprintf (text, sizeof text, "%s %ux%u, %s, %s", lines->name, lines->width, lines->height, model_names[model],
      task_names[task]);
  return text;
}

/* Returns the number of lines that could not be measured; -1, and a message on stderr, on failure. */
static int64_t
work (const Lines *lines, const CtrCalibration *calibration, Task task)
{
  const uint32_t features = task == SHAPES ? CTR_CONTOUR_FEATURE_HULL | CTR_CONTOUR_FEATURE_RECTANGLE
                                                 | CTR_CONTOUR_FEATURE_FERET | CTR_CONTOUR_FEATURE_CIRCLE
                                           : 0;
  int64_t missing = (int64_t) ctr_calibration_points (calibration, lines->points, lines->point_count, lines->world);
  for (uint32_t i = 0; i < lines->count && task != POINTS; i++) {
    CtrWorldShape shape;
    CtrError error;
    const CtrContour *row = lines->table + i;
    if (!ctr_world_shape_measure (lines->world + 2 * row->first, row->count, true, features, &shape, &error)) {
      fprintf (stderr, "%s\n", error.message);
      return -1;
    }
    missing += !(shape.area >= 0);
  }
  return missing;
}

static void
print_work (FILE *file, const Lines *lines, Model model, Task task)
{
  fprintf (file,
      "\"name\": \"%s\", \"width\": %u, \"height\": %u, \"calibration\": \"%s\", \"task\": \"%s\", \"contours\": %u, "
      "\"points\": %" PRIu64,
      lines->name, lines->width, lines->height, model_names[model], task_names[task], lines->count, lines->point_count);
}

static void
print_numbers (FILE *file, const char *name, const double *numbers, int count)
{
  fprintf (file, ", \"%s\": [", name);
  for (int i = 0; i < count; i++)
    fprintf (file, "%s%.17g", i ? ", " : "", numbers[i]);
  fprintf (file, "]");
}

static bool
write_case (Bench *bench, const Lines *lines, Model model, const CtrCalibration *c)
{
  char points[32], world[32];
  const double camera[4] = {c->fx, c->fy, c->cx, c->cy};
  const double scaled[9] = {c->scale, 0, 0, 0, c->scale, 0, 0, 0, 1};
  snprintf (points, sizeof points, "points-%03u.bin", bench->case_count);
  snprintf (world, sizeof world, "world-%03u.bin", bench->case_count++);
  fprintf (bench->cases, "{");
  print_work (bench->cases, lines, model, POINTS);
  if (c->has_camera) {
    print_numbers (bench->cases, "camera", camera, 4);
    print_numbers (bench->cases, "distortion", c->distortion, 14);
  }
  print_numbers (bench->cases, "homography", c->has_homography ? c->homography : scaled, 9);
  fprintf (bench->cases, ", \"points_file\": \"%s\", \"world_file\": \"%s\"}\n", points, world);
  const size_t size = 2 * lines->point_count * sizeof *lines->points;
  return bench_write_bytes (bench->folder, points, lines->points, size)
         && bench_write_bytes (bench->folder, world, lines->world, size);
}

static bool
measure (Bench *bench, const Lines *lines, Model model, Task task)
{
  const CtrCalibration calibration = calibration_of (model, lines);
  CtrError error;
  if (!bench_chosen (describe (lines, model, task)))
    return true;
  if (!ctr_calibration_check (&calibration, &error)) {
    fprintf (stderr, "%s: %s\n", describe (lines, model, task), error.message);
    return false;
  }
  double us[MAX_RUNS], total = 0;
  int runs = 0;
  while (runs < MAX_RUNS && total < time_limit) {
    const double start = bench_now ();
    const int64_t missing = work (lines, &calibration, task);
    us[runs] = bench_now () - start;
    total += us[runs++];
    if (missing) {
      fprintf (stderr, "%s: %" PRId64 " points or lines without a place\n", describe (lines, model, task), missing);
      return false;
    }
  }
  const BenchTimes times = bench_times (us, runs);
  printf ("{\"type\": \"time\", \"who\": \"host\", \"mode\": \"host\", ");
  print_work (stdout, lines, model, task);
  printf (", \"runs\": %d, \"min_us\": %.3f, \"median_us\": %.3f}\n", runs, times.min, times.median);
  fflush (stdout);
  return !bench->cases || task != POINTS || write_case (bench, lines, model, &calibration);
}

/* A scale measures nothing anew: the numbers in pixels are multiplied. */
static bool
measure_lines (Bench *bench, const Lines *lines)
{
  bool ok = true;
  for (Model model = SCALE; model < MODELS; model++)
    for (Task task = POINTS; task < (model == SCALE ? MEASURES : TASKS); task++)
      ok = measure (bench, lines, model, task) && ok;
  return ok;
}

/* Of the borders of MASK, with every pixel, as metadata converts them. */
static bool
measure_mask (Bench *bench, CtrBorders *borders, const char *name, uint32_t width, uint32_t height, const uint8_t *mask)
{
  const CtrImage image = {.data = mask, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
  CtrBordersParams params;
  CtrError error;
  BenchLists lists;
  ctr_borders_params_init (&params);
  params.approximation = CTR_APPROXIMATION_NONE;
  CtrContours *contours = ctr_borders_run (borders, &image, &params, NULL, &error);
  if (!contours)
    fprintf (stderr, "%s: %s\n", name, error.message);
  bool ok = contours && bench_lists_map (contours, &lists);
  if (ok) {
    Lines lines = {name, width, height, lists.table, contours->count, contours->point_count, NULL, NULL};
    lines.points = malloc (2 * lines.point_count * sizeof *lines.points);
    lines.world = malloc (2 * lines.point_count * sizeof *lines.world);
    ok = lines.points && lines.world;
    for (uint64_t i = 0; ok && i < lines.point_count; i++) {
      lines.points[2 * i] = lists.points[i].x;
      lines.points[2 * i + 1] = lists.points[i].y;
    }
    ok = ok && measure_lines (bench, &lines);
    free (lines.points);
    free (lines.world);
  }
  ctr_contours_unref (contours);
  return ok;
}

static int
measure_all (Bench *bench)
{
  char path[4096];
  CtrError error;
  CtrBorders *borders = ctr_borders_new (CTR_BACKEND_CPU, &error);
  uint8_t *mask = malloc ((size_t) MAX_WIDTH * MAX_HEIGHT);
  bool ok = borders && mask;
  if (ok && bench->folder) {
    snprintf (path, sizeof path, "%s/cases.jsonl", bench->folder);
    ok = (bench->cases = fopen (path, "w"));
    if (!ok)
      perror (path);
  }
  for (uint32_t scale = 1; ok && scale <= (bench->quick ? 1 : 2); scale++) {
    const uint32_t width = MAX_WIDTH / 2 * scale, height = MAX_HEIGHT / 2 * scale;
    bench_board_mask (width, height, mask);
    ok = measure_mask (bench, borders, "board", width, height, mask);
    bench_parts_mask (width, height, mask);
    ok = measure_mask (bench, borders, "parts", width, height, mask) && ok;
  }
  if (bench->cases && fclose (bench->cases) != 0)
    ok = false;
  free (mask);
  ctr_borders_free (borders);
  return ok ? 0 : 1;
}

int
main (int argc, char **argv)
{
  Bench bench = {0};
  const char *cases = NULL;
  for (int i = 1; i < argc; i++) {
    if (!strcmp (argv[i], "--quick")) {
      bench.quick = true;
    } else if (!strcmp (argv[i], "--cases") && i + 1 < argc) {
      cases = argv[++i];
    } else if (!strcmp (argv[i], "--write") && i + 1 < argc) {
      bench.folder = argv[++i];
    } else if (strcmp (argv[i], "--host")) {
      fprintf (stderr, "usage: %s [--quick] [--host] [--cases REGEX] [--write DIR]\n", argv[0]);
      return 2;
    }
  }
  return bench_choose (cases) ? measure_all (&bench) : 2;
}
