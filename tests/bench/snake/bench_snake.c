/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bench_snake [--quick | --papers] [--write DIR]
 *                       measures region snakes, one JSON record a line (bench_snake.py makes the tables)
 *
 * With --papers, the sizes of the paper on region snakes, with 8 and 16 bits, and no others. With --write, DIR gets the pictures of one target of up to 2048 x 2048 pixels, their truths, and what they are in
 * cases.jsonl, for the peers. The protocol is described in docs/benchmarks/protocol.md. */
#include "tests/bench/common/bench.h"
#include "tests/bench/common/lists.h"
#include "tests/bench/snake/snake_work.h"

#include <contours/contours.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CTR_HAVE_CUDA
#include "tests/bench/snake/snake_gpu.h"
#else
typedef struct SnakeGpu SnakeGpu;
#endif

enum {
  FRAME_WIDTH = 3840, /* of objects side by side */
  FRAME_HEIGHT = 2160,
  WINDOW = 128, /* of one of them */
  ACROSS = 16,
  MAX_OBJECTS = ACROSS * ACROSS,
  TRACK_WIDTH = 1920,
  TRACK_HEIGHT = 1080,
  TRACK_FRAMES = 64,
  QUICK_TRACK_FRAMES = 16,
  LARGEST = 12247, /* side of the largest picture: room for the frames, too */
  MOST_BYTES = 2,  /* of a sample */
  WRITE_LARGEST = 2048,
  MAX_HOST_RUNS = 5
};

static const size_t max_size = (size_t) LARGEST * LARGEST * MOST_BYTES; /* bytes of an image */
static const double host_limit = 0.2e6;                                 /* microseconds: no further run after this */

typedef struct {
  SnakeGpu *gpu; /* NULL: host backend only */
  CtrSnake *host;
  bool quick, papers;
  const char *folder; /* NULL: nothing is written */
  FILE *cases;
  uint32_t case_count;
  void *image; /* room for max_size */
} Bench;

/* Compares OBJECT's polygon and its target, both taken to the upper left corner of a box around them. */
static double
iou_of (const SnakeTarget *target, const CtrContour *row, const CtrPoint *points)
{
  const double left = fmax (0, floor (fmin (target->x - target->radius, row->left)));
  const double top = fmax (0, floor (fmin (target->y - target->radius, row->top)));
  const double right = ceil (fmax (target->x + target->radius, row->left + row->width));
  const double bottom = ceil (fmax (target->y + target->radius, row->top + row->height));
  SnakeTarget there = *target;
  there.x -= left;
  there.y -= top;
  CtrPoint *moved = malloc (row->count * sizeof *moved);
  if (!moved)
    return 0;
  for (uint32_t i = 0; i < row->count; i++)
    moved[i] = (CtrPoint){(uint16_t) (points[i].x - left), (uint16_t) (points[i].y - top)};
  const double iou = snake_target_iou (&there, (uint32_t) (right - left), (uint32_t) (bottom - top), moved, row->count);
  free (moved);
  return iou;
}

/* What was found of COUNT objects, TARGETS[count]. */
static bool
sum_up (CtrContours *contours, const SnakeTarget *targets, uint32_t count, SnakeFound *found)
{
  BenchLists lists;
  double sum = 0;
  if (!bench_lists_map (contours, &lists))
    return false;
  *found =
      (SnakeFound){.objects = contours->count, .points = contours->point_count, .iou = contours->count < count ? 0 : 1};
  for (uint32_t i = 0; i < contours->count; i++) {
    const CtrSnakeRegion *region = lists.regions + i;
    const CtrContour *row = lists.table + i;
    found->restarted += (region->flags & CTR_SNAKE_RESTARTED) != 0;
    if (region->iterations > found->iterations)
      found->iterations = region->iterations;
    const double iou = iou_of (targets + region->object, row, lists.points + row->first);
    found->iou = fmin (found->iou, iou);
    sum += iou;
  }
  found->mean_iou = sum / count;
  return true;
}

/* bench->image. */
static CtrContours *
measure_host (Bench *bench, SnakeWork *work)
{
  const CtrImage view = snake_view (work, bench->image, 0);
  CtrContours *contours = NULL;
  double us[MAX_HOST_RUNS], total = 0;
  int runs = 0;
  /* The first run of a small image warms up; of a large one, it is the measurement. */
  while (runs < MAX_HOST_RUNS && total < host_limit) {
    ctr_contours_unref (contours);
    const double start = bench_now ();
    contours = snake_run_work (bench->host, work, &view, NULL);
    us[runs] = bench_now () - start;
    if (!contours)
      return NULL;
    total += us[runs++];
  }
  if (!sum_up (contours, work->targets, work->object_count, &work->found)) {
    ctr_contours_unref (contours);
    return NULL;
  }
  snake_record ("host", "host", work, us, runs);
  return contours;
}

static bool
write_bytes (const Bench *bench, const char *kind, const void *bytes, size_t size, char *name, size_t name_size)
{
  snprintf (name, name_size, "%s-%03u.raw", kind, bench->case_count);
  return bench_write_bytes (bench->folder, name, bytes, size);
}

static bool
write_case (Bench *bench, const SnakeWork *work, const SnakeScene *scene)
{
  const size_t size = (size_t) work->width * work->height;
  char image[64], truth[64];
  uint8_t *mask = malloc (size);
  for (uint32_t y = 0; mask && y < work->height; y++)
    snake_scene_row (scene, y, work->width, mask + (size_t) y * work->width);
  const bool ok = mask && write_bytes (bench, "image", bench->image, size, image, sizeof image)
                  && write_bytes (bench, "truth", mask, size, truth, sizeof truth);
  free (mask);
  if (!ok)
    return false;
  bench->case_count++;
  fprintf (bench->cases,
      "{\"name\": \"%s\", \"width\": %u, \"height\": %u, \"model\": \"%s\", \"start\": \"%s\", \"objects\": 1, "
      "\"image\": \"%s\", \"truth\": \"%s\", \"x\": %.3f, \"y\": %.3f, \"radius\": %.3f}\n",
      work->name, work->width, work->height, snake_model_name (work->params.model), work->start, image, truth,
      work->targets->x, work->targets->y, work->targets->radius);
  return true;
}

/* bench->image: on the host and on the GPU, and both results the same. */
static bool
measure (Bench *bench, SnakeWork *work)
{
  CtrContours *contours = measure_host (bench, work);
  bool ok = contours;
#ifdef CTR_HAVE_CUDA
  const CtrImage view = snake_view (work, bench->image, 0);
  ok = ok && (!bench->gpu || snake_gpu_measure (bench->gpu, work, &view, contours));
#endif
  ctr_contours_unref (contours);
  return ok;
}

/* A picture of one target, found from AUTO in all of it. */
typedef struct {
  const char *name;
  SnakeShape shape;
  CtrSnakeModel model; /* and noise */
  SnakeLevel inside;
  SnakeLevel outside;
  uint32_t width;
  uint32_t height;
  bool quick;
  bool wide; /* samples of 16 bits, 256 times as large */
  bool history;
} Single;

static SnakeLevel
level_of (const Single *single, SnakeLevel level)
{
  const double unit = single->wide ? 256 : 1;
  return (SnakeLevel){unit * level.mean, unit * level.spread};
}

static bool
measure_single (Bench *bench, const Single *single)
{
  const double side = fmin (single->width, single->height);
  const SnakeTarget target = {
      .shape = single->shape, .x = 0.51 * single->width, .y = 0.49 * single->height, .radius = 0.38 * side};
  const SnakeScene scene = {.targets = &target,
      .target_count = 1,
      .noise = (SnakeNoise) single->model,
      .inside = level_of (single, single->inside),
      .outside = level_of (single, single->outside),
      .seed = 1};
  const CtrSnakeObject object = {.start = CTR_SNAKE_START_AUTO};
  SnakeWork work = {.name = single->name,
      .start = "auto",
      .width = single->width,
      .height = single->height,
      .bytes = 1 + single->wide,
      .objects = &object,
      .targets = &target,
      .object_count = 1};
  ctr_snake_params_init (&work.params);
  work.params.model = single->model;
  work.params.history = single->history;
  if (single->model == CTR_SNAKE_SPECKLE)
    work.params.looks = single->inside.spread;
  const CtrImage view = snake_view (&work, bench->image, 0);
  snake_scene_draw (&scene, &view);
  return measure (bench, &work)
         && (!bench->folder || side > WRITE_LARGEST || single->wide || single->history
             || write_case (bench, &work, &scene));
}

static bool
measure_singles (Bench *bench)
{
  static const Single singles[] = {
      {"blob", SNAKE_BLOB, CTR_SNAKE_GAUSSIAN, {125, 25}, {100, 25}, 512, 512, .quick = true},
      {"blob", SNAKE_BLOB, CTR_SNAKE_GAUSSIAN, {125, 25}, {100, 25}, 1024, 1024, .quick = false},
      {"blob", SNAKE_BLOB, CTR_SNAKE_GAUSSIAN, {125, 25}, {100, 25}, 1920, 1080, .quick = true},
      {"blob", SNAKE_BLOB, CTR_SNAKE_GAUSSIAN, {125, 25}, {100, 25}, 3840, 2160, .quick = true},
      {"blob", SNAKE_BLOB, CTR_SNAKE_GAUSSIAN, {125, 25}, {100, 25}, 3900, 3900, .quick = true},
      {"blob", SNAKE_BLOB, CTR_SNAKE_GAUSSIAN, {125, 25}, {100, 25}, 10000, 10000, .quick = true},
      {"blob", SNAKE_BLOB, CTR_SNAKE_GAUSSIAN, {125, 25}, {100, 25}, LARGEST, LARGEST, .quick = true},
      {"blob of 16 bits", SNAKE_BLOB, CTR_SNAKE_GAUSSIAN, {125, 25}, {100, 25}, 512, 512, false, .wide = true},
      {"blob of 16 bits", SNAKE_BLOB, CTR_SNAKE_GAUSSIAN, {125, 25}, {100, 25}, 1920, 1080, true, .wide = true},
      {"blob of 16 bits", SNAKE_BLOB, CTR_SNAKE_GAUSSIAN, {125, 25}, {100, 25}, 3900, 3900, true, .wide = true},
      {"blob of 16 bits", SNAKE_BLOB, CTR_SNAKE_GAUSSIAN, {125, 25}, {100, 25}, 10000, 10000, true, .wide = true},
      {"blob of 16 bits", SNAKE_BLOB, CTR_SNAKE_GAUSSIAN, {125, 25}, {100, 25}, LARGEST, LARGEST, true, .wide = true},
      {"blob with its history", SNAKE_BLOB, CTR_SNAKE_GAUSSIAN, {125, 25}, {100, 25}, 1920, 1080, true,
          .history = true},
      {"star", SNAKE_STAR, CTR_SNAKE_POISSON, {12, 0}, {8, 0}, 2048, 2048, .quick = true},
      {"blob", SNAKE_BLOB, CTR_SNAKE_SPECKLE, {80, 1}, {40, 1}, 2048, 2048, .quick = true},
      {"blob", SNAKE_BLOB, CTR_SNAKE_BERNOULLI, {0.6, 0}, {0.4, 0}, 2048, 2048, .quick = false},
      {"C", SNAKE_C, CTR_SNAKE_GAUSSIAN, {120, 25}, {100, 25}, 2048, 2048, .quick = false},
  };
  bool ok = true;
  for (size_t i = 0; i < sizeof singles / sizeof *singles; i++)
    if (!bench->quick || singles[i].quick)
      ok = measure_single (bench, singles + i) && ok;
  return ok;
}

/* The paper's images have 15, 100 and 150 megapixels of 16 bits; they cannot be had. */
static bool
measure_papers (Bench *bench)
{
  static const uint32_t sides[] = {3900, 10000, LARGEST};
  bool ok = true;
  for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
    for (int wide = 0; wide < 2; wide++) {
      const Single single = {wide ? "blob, 16 bits" : "blob", SNAKE_BLOB, CTR_SNAKE_GAUSSIAN, {125, 25}, {100, 25},
          sides[i], sides[i], .wide = wide};
      if (bench->gpu || i == 0)
        ok = measure_single (bench, &single) && ok;
    }
  return ok;
}

/* One frame of 256 targets of the first SHAPES shapes, each in the middle of a window of its own but for a few pixels.
 */
static bool
measure_batches (Bench *bench, const char *name, uint32_t shapes)
{
  static SnakeTarget targets[MAX_OBJECTS];
  static CtrSnakeObject objects[MAX_OBJECTS];
  for (uint32_t i = 0; i < MAX_OBJECTS; i++) {
    const int32_t x = (int32_t) (FRAME_WIDTH * (2 * (i % ACROSS) + 1) / (2 * ACROSS));
    const int32_t y = (int32_t) (FRAME_HEIGHT * (2 * (i / ACROSS) + 1) / (2 * ACROSS));
    targets[i] = (SnakeTarget){.shape = (i + i / ACROSS) % shapes,
        .x = x + (int) (i * 7 % 17) - 8,
        .y = y + (int) (i * 5 % 17) - 8,
        .radius = 42 + i % 5,
        .angle = 0.4 * i};
    objects[i] = (CtrSnakeObject){.window = {x - WINDOW / 2, y - WINDOW / 2, WINDOW, WINDOW},
        .rectangle = {x - WINDOW / 4, y - WINDOW / 4, WINDOW / 2, WINDOW / 2}};
  }
  const SnakeScene scene = {
      .targets = targets, .target_count = MAX_OBJECTS, .inside = {140, 20}, .outside = {100, 20}, .seed = 2};
  SnakeWork work = {
      .name = name, .width = FRAME_WIDTH, .height = FRAME_HEIGHT, .bytes = 1, .objects = objects, .targets = targets};
  ctr_snake_params_init (&work.params);
  const CtrImage view = snake_view (&work, bench->image, 0);
  snake_scene_draw (&scene, &view);
  bool ok = true;
  for (int given = 0; given < 2; given++) {
    work.start = given ? "rectangles" : "auto";
    for (uint32_t i = 0; i < MAX_OBJECTS; i++)
      objects[i].start = given ? CTR_SNAKE_START_RECTANGLE : CTR_SNAKE_START_AUTO;
    for (uint32_t count = 1; count <= MAX_OBJECTS; count *= 4) {
      if (bench->quick && count != 16 && count != MAX_OBJECTS)
        continue;
      work.object_count = count;
      ok = measure (bench, &work) && ok;
    }
  }
  return ok;
}

/* Sets work->found to the worst of all frames, and measures all frames but the first, which has no last polygon. */
static bool
measure_frames (Bench *bench, SnakeWork *work, const SnakeTarget *targets, const CtrImage *frames, uint32_t count)
{
  CtrContours *results[TRACK_FRAMES];
  double us[TRACK_FRAMES];
  bool ok = snake_track (bench->host, work, frames, count, NULL, us, results);
  work->found = (SnakeFound){.iou = 1};
  for (uint32_t i = 0; ok && i < count; i++) {
    SnakeFound found, *all = &work->found;
    ok = sum_up (results[i], targets + i, 1, &found);
    all->objects = found.objects;
    all->restarted += found.restarted;
    all->iou = fmin (all->iou, found.iou);
    all->mean_iou += found.mean_iou / count;
    if (found.points > all->points)
      all->points = found.points;
    if (i > 0 && found.iterations > all->iterations)
      all->iterations = found.iterations;
  }
  if (ok)
    snake_record ("host", "track", work, us + 1, (int) count - 1);
#ifdef CTR_HAVE_CUDA
  ok = ok && (!bench->gpu || snake_gpu_track (bench->gpu, work, frames, count, results));
#endif
  for (uint32_t i = 0; i < count; i++)
    ctr_contours_unref (results[i]);
  return ok;
}

/* A blob that moves by up to 15 pixels a frame and turns, which moves its rim by up to 6 more. */
static bool
measure_tracking (Bench *bench)
{
  const uint32_t count = bench->quick ? QUICK_TRACK_FRAMES : TRACK_FRAMES;
  const CtrSnakeObject object = {.start = CTR_SNAKE_START_AUTO};
  const size_t size = (size_t) TRACK_WIDTH * TRACK_HEIGHT;
  SnakeTarget targets[TRACK_FRAMES];
  CtrImage frames[TRACK_FRAMES];
  SnakeWork work = {.name = "moving blob",
      .start = "last polygon",
      .width = TRACK_WIDTH,
      .height = TRACK_HEIGHT,
      .bytes = 1,
      .objects = &object,
      .targets = targets,
      .object_count = 1};
  ctr_snake_params_init (&work.params);
  for (uint32_t i = 0; i < count; i++) {
    targets[i] = (SnakeTarget){
        .shape = SNAKE_BLOB, .x = 700 + 8.25 * i, .y = 540 + 120 * sin (0.1 * i), .radius = 200, .angle = 0.03 * i};
    const SnakeScene scene = {
        .targets = targets + i, .target_count = 1, .inside = {125, 25}, .outside = {100, 25}, .seed = 3 + i};
    frames[i] = snake_view (&work, (uint8_t *) bench->image + i * size, 0);
    snake_scene_draw (&scene, frames + i);
  }
  return measure_frames (bench, &work, targets, frames, count);
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
  bench->gpu = snake_gpu_new (max_size);
  return bench->gpu;
#else
  return true;
#endif
}

static void
close_gpu (Bench *bench)
{
#ifdef CTR_HAVE_CUDA
  snake_gpu_free (bench->gpu);
#endif
}

/* One failure must not end the others' measurement. */
static int
measure_all (Bench *bench)
{
  if (bench->folder) {
    char path[4096];
    snprintf (path, sizeof path, "%s/cases.jsonl", bench->folder);
    bench->cases = fopen (path, "w");
    if (!bench->cases) {
      perror (path);
      return 1;
    }
  }
  bool ok = true;
  if (bench->papers) {
    ok = measure_papers (bench);
  } else {
    ok = measure_tracking (bench);
    ok = measure_batches (bench, "objects", SNAKE_SHAPES) && ok;
    ok = measure_batches (bench, "objects without C", SNAKE_C) && ok;
    ok = measure_singles (bench) && ok;
  }
  if (bench->cases && fclose (bench->cases) != 0)
    ok = false;
  return ok ? 0 : 1;
}

int
main (int argc, char **argv)
{
  Bench bench = {0};
  for (int i = 1; i < argc; i++) {
    if (!strcmp (argv[i], "--quick")) {
      bench.quick = true;
    } else if (!strcmp (argv[i], "--papers")) {
      bench.papers = true;
    } else if (!strcmp (argv[i], "--write") && i + 1 < argc) {
      bench.folder = argv[++i];
    } else {
      fprintf (stderr, "usage: %s [--quick | --papers] [--write DIR]\n", argv[0]);
      return 2;
    }
  }
  CtrError error;
  bench.host = ctr_snake_new (CTR_BACKEND_CPU, &error);
  if (!bench.host) {
    fprintf (stderr, "%s\n", error.message);
    return 1;
  }
  int status = 1;
  bench.image = malloc (max_size);
  if (!bench.image) {
    fprintf (stderr, "no host memory for images of %zu bytes\n", max_size);
  } else if (open_gpu (&bench)) {
    status = measure_all (&bench);
  }
  free (bench.image);
  close_gpu (&bench);
  ctr_snake_free (bench.host);
  return status;
}
