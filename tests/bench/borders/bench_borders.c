/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bench_borders [--quick] [--host] [--cases REGEX] [--write DIR] [MASK.pgm...]
 *                         measures border following, one JSON record a line (bench_borders.py makes the table)
 *
 * With --host, on the host backend only; with --cases, only what matches, as in "board 1920x1080 TREE SIMPLE". With --write, DIR gets the masks and our lists, and what they are in cases.jsonl, for the peers. The protocol is
 * described in docs/benchmarks/protocol.md.
 *
 * Longer than 500 lines: images, variants and records belong together. */
#include "tests/bench/common/bench.h"
#include "tests/bench/borders/borders_work.h"
#include "tests/bench/common/lists.h"
#include "tests/bench/common/masks.h"
#include "tests/bench/common/outlines.h"

#include <contours/contours.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CTR_HAVE_CUDA
#include "tests/bench/borders/borders_gpu.h"
#else
typedef struct BordersGpu BordersGpu;
#endif

enum {
  MAX_WIDTH = 4928, /* the paper's frame at four times its size; no image is larger */
  MAX_HEIGHT = 4112,
  SIDE = 2048,
  MAX_SIZES = 64 /* of images */
};

static const size_t max_pixels = (size_t) MAX_WIDTH * MAX_HEIGHT;

typedef struct {
  BordersGpu *gpu; /* NULL: host backend only */
  CtrBorders *host;
  bool quick, only_host;
  const char *folder; /* NULL: nothing is written */
  FILE *cases;
  uint32_t case_count;
  char image_name[64];          /* in the folder */
  uint8_t *image;               /* room for max_pixels */
  uint32_t *numbers;            /* room for SIDE * SIDE */
  uint32_t sizes[MAX_SIZES][2]; /* of which an empty image has been measured */
  uint32_t size_count;
} Bench;

/* What the images of many small contours have of each: hull, smallest rectangle, Feret's diameters and smallest circle. */
static const uint32_t outlines =
    CTR_CONTOUR_FEATURE_HULL | CTR_CONTOUR_FEATURE_RECTANGLE | CTR_CONTOUR_FEATURE_FERET | CTR_CONTOUR_FEATURE_CIRCLE;
static const uint32_t moments = CTR_CONTOUR_FEATURE_MOMENTS;
/* All that a list has. */
static const uint32_t shapes =
    (CTR_CONTOUR_SHAPE_FEATURES & ~(uint32_t) CTR_CONTOUR_FEATURE_HOLES) | CTR_CONTOUR_FEATURE_FITS;
static const CtrSelect by_area = {1, 0, {{CTR_CONTOUR_NUMBER_AREA, 0, 40, INFINITY}}};
static const CtrSelect by_two = {
    2, 0, {{CTR_CONTOUR_NUMBER_AREA, 0, 40, INFINITY}, {CTR_CONTOUR_NUMBER_CIRCULARITY, 0, 0.5, INFINITY}}};

/* What is asked of each image; the quick run asks the first ones, and of some images a few more. */
enum { QUICK_VARIANTS = 3, MORE_QUICK_VARIANTS = 18 };
static const struct {
  CtrRetrieval mode;
  CtrApproximation approximation;
  CtrConnectivity connectivity; /* 0: 8 */
  double min_area, epsilon;
  const char *features; /* in a record; NULL: none */
  const uint32_t *flags;
  CtrSubpixel subpixel;
  const char *select; /* in a record; NULL: none */
  const CtrSelect *limits;
} variants[] = {
    {.mode = CTR_RETRIEVE_LIST, .approximation = CTR_APPROXIMATION_SIMPLE},
    {.mode = CTR_RETRIEVE_LIST, .approximation = CTR_APPROXIMATION_NONE},
    {.mode = CTR_RETRIEVE_TREE, .approximation = CTR_APPROXIMATION_SIMPLE},
    {.mode = CTR_RETRIEVE_CCOMP, .approximation = CTR_APPROXIMATION_SIMPLE},
    {.mode = CTR_RETRIEVE_EXTERNAL, .approximation = CTR_APPROXIMATION_SIMPLE},
    {.mode = CTR_RETRIEVE_LIST, .approximation = CTR_APPROXIMATION_SIMPLE, .min_area = 100},
    {.mode = CTR_RETRIEVE_LIST, .approximation = CTR_APPROXIMATION_SIMPLE, .select = "area", .limits = &by_area},
    {.mode = CTR_RETRIEVE_LIST,
        .approximation = CTR_APPROXIMATION_SIMPLE,
        .select = "area, circularity",
        .limits = &by_two},
    {.mode = CTR_RETRIEVE_LIST, .approximation = CTR_APPROXIMATION_SIMPLE, .epsilon = 1.5},
    {.mode = CTR_RETRIEVE_LIST, .approximation = CTR_APPROXIMATION_NONE, .epsilon = 1.5},
    {.mode = CTR_RETRIEVE_LIST, .approximation = CTR_APPROXIMATION_SIMPLE, .features = "moments", .flags = &moments},
    {.mode = CTR_RETRIEVE_LIST, .approximation = CTR_APPROXIMATION_SIMPLE, .features = "outlines", .flags = &outlines},
    {.mode = CTR_RETRIEVE_LIST, .approximation = CTR_APPROXIMATION_SIMPLE, .features = "shapes", .flags = &shapes},
    {.mode = CTR_RETRIEVE_LIST, .approximation = CTR_APPROXIMATION_NONE, .subpixel = CTR_SUBPIXEL_THRESHOLD},
    {.mode = CTR_RETRIEVE_LIST, .approximation = CTR_APPROXIMATION_NONE, .subpixel = CTR_SUBPIXEL_EDGE},
    {.mode = CTR_RETRIEVE_LIST, .approximation = CTR_APPROXIMATION_SIMPLE, .subpixel = CTR_SUBPIXEL_EDGE},
    {.mode = CTR_RETRIEVE_LIST, .approximation = CTR_APPROXIMATION_SIMPLE, .connectivity = CTR_CONNECTIVITY_4},
    {.mode = CTR_RETRIEVE_TREE, .approximation = CTR_APPROXIMATION_SIMPLE, .connectivity = CTR_CONNECTIVITY_4},
    {.mode = CTR_RETRIEVE_TREE, .approximation = CTR_APPROXIMATION_NONE},
    {.mode = CTR_RETRIEVE_CCOMP, .approximation = CTR_APPROXIMATION_NONE},
    {.mode = CTR_RETRIEVE_EXTERNAL, .approximation = CTR_APPROXIMATION_NONE},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static const char *const mode_names[] = {"EXTERNAL", "LIST", "CCOMP", "TREE"};

static const char *
approximation_name (const CtrBordersParams *params)
{
  return params->approximation == CTR_APPROXIMATION_NONE ? "NONE" : "SIMPLE";
}

/* What says which work it is, in a record. */
static void
print_work (FILE *file, const BordersWork *work)
{
  fprintf (file,
      "\"name\": \"%s\", \"width\": %u, \"height\": %u, \"retrieval\": \"%s\", \"approximation\": \"%s\", "
      "\"connectivity\": %d, \"min_area\": %g, \"epsilon\": %g, \"features\": \"%s\", \"select\": \"%s\", "
      "\"subpixel\": %d, "
      "\"border_points\": %" PRIu64,
      work->name, work->width, work->height, mode_names[work->params.mode], approximation_name (&work->params),
      (int) work->params.connectivity, work->params.min_area, work->params.epsilon, work->features, work->select,
      (int) work->params.subpixel, work->border_points);
}

const char *
borders_describe (const BordersWork *work)
{
  static char text[256];
  const CtrBordersParams *p = &work->params;
  snprintf (text, sizeof text, "%s %ux%u %s %s, %d-connected, area %g, epsilon %g, features %s, subpixel %d, select %s",
      work->name, work->width, work->height, mode_names[p->mode], approximation_name (p), (int) p->connectivity,
      p->min_area, p->epsilon, work->features, (int) p->subpixel, work->select);
  return text;
}

void
borders_record (const char *who, const char *mode, const BordersWork *work, const CtrContours *result,
    double *microseconds, int runs)
{
  BenchTimes times = bench_times (microseconds, runs);
  printf ("{\"type\": \"time\", \"who\": \"%s\", \"mode\": \"%s\", ", who, mode);
  print_work (stdout, work);
  printf (", \"contours\": %u, \"points\": %" PRIu64 ", \"runs\": %d, \"min_us\": %.3f, \"median_us\": %.3f}\n",
      result->count, result->point_count, runs, times.min, times.median);
  fflush (stdout);
}

CtrImage
borders_view (const BordersWork *work, const uint8_t *pixels, size_t padding)
{
  return (CtrImage){
      .data = pixels,
      .stride = work->width + padding,
      .width = work->width,
      .height = work->height,
      .format = CTR_FORMAT_GRAY8,
      .memory = CTR_MEMORY_HOST,
  };
}

CtrContours *
borders_run_host (CtrBorders *host, const BordersWork *work, const CtrImage *image)
{
  CtrError error;
  CtrContours *contours = ctr_borders_run (host, image, &work->params, NULL, &error);
  if (!contours)
    fprintf (stderr, "%s: %s\n", borders_describe (work), error.message);
  return contours;
}

typedef struct {
  CtrBorders *borders;
  const BordersWork *work;
  CtrImage image;
  CtrContours *contours; /* of the last run */
} HostWork;

static bool
follow_on_host (void *data)
{
  HostWork *host = data;
  ctr_contours_unref (host->contours);
  host->contours = borders_run_host (host->borders, host->work, &host->image);
  return host->contours;
}

static void
record_host (void *data, const char *mode, double *microseconds, int runs)
{
  const HostWork *host = data;
  borders_record ("host", mode, host->work, host->contours, microseconds, runs);
}

static CtrContours *
measure_host (Bench *bench, const BordersWork *work)
{
  HostWork host = {.borders = bench->host, .work = work, .image = borders_view (work, bench->image, 0)};
  if (bench_host (follow_on_host, record_host, &host))
    return host.contours;
  ctr_contours_unref (host.contours);
  return NULL;
}

/* The contours' numbers of points, then their hierarchy, then the points. */
static bool
write_lists (Bench *bench, const BordersWork *work, CtrContours *contours)
{
  char name[32], path[4096];
  BenchLists lists;
  if (!bench_lists_map (contours, &lists))
    return false;
  snprintf (name, sizeof name, "lists-%03u.bin", bench->case_count++);
  snprintf (path, sizeof path, "%s/%s", bench->folder, name);
  fprintf (bench->cases, "{");
  print_work (bench->cases, work);
  fprintf (bench->cases, ", \"contours\": %u, \"points\": %" PRIu64 ", \"image\": \"%s\", \"lists\": \"%s\"}\n",
      contours->count, contours->point_count, bench->image_name, name);
  FILE *file = fopen (path, "wb");
  bool ok = file;
  for (uint32_t i = 0; ok && i < contours->count; i++)
    ok = fwrite (&lists.table[i].count, sizeof lists.table->count, 1, file) == 1;
  for (uint32_t i = 0; ok && i < contours->count; i++) {
    const CtrContour *row = lists.table + i;
    const int32_t hierarchy[4] = {row->next, row->previous, row->child, row->parent};
    ok = fwrite (hierarchy, sizeof hierarchy, 1, file) == 1;
  }
  ok = ok && fwrite (lists.points, sizeof *lists.points, contours->point_count, file) == contours->point_count;
  if (file && fclose (file) != 0)
    ok = false;
  if (!ok)
    perror (path);
  return ok;
}

/* bench->image: on the host and on the GPU, and both results the same. */
static bool
measure (Bench *bench, const BordersWork *work, bool write)
{
  CtrContours *contours = measure_host (bench, work);
  bool ok = contours;
#ifdef CTR_HAVE_CUDA
  ok = ok && (!bench->gpu || borders_gpu_measure (bench->gpu, work, bench->image, contours));
#endif
  ok = ok && (!write || write_lists (bench, work, contours));
  ctr_contours_unref (contours);
  return ok;
}

static bool
count_border_points (Bench *bench, BordersWork *work)
{
  const CtrImage view = borders_view (work, bench->image, 0);
  ctr_borders_params_init (&work->params);
  work->params.approximation = CTR_APPROXIMATION_NONE;
  CtrContours *contours = borders_run_host (bench->host, work, &view);
  if (contours)
    work->border_points = contours->point_count;
  ctr_contours_unref (contours);
  return contours;
}

static void
set_variant (BordersWork *work, uint32_t variant)
{
  ctr_borders_params_init (&work->params);
  work->params.mode = variants[variant].mode;
  work->params.approximation = variants[variant].approximation;
  if (variants[variant].connectivity)
    work->params.connectivity = variants[variant].connectivity;
  work->params.min_area = variants[variant].min_area;
  work->params.epsilon = variants[variant].epsilon;
  work->params.subpixel = variants[variant].subpixel;
  if (variants[variant].flags)
    work->params.features = *variants[variant].flags;
  if (variants[variant].limits)
    work->params.select = *variants[variant].limits;
  work->features = variants[variant].features ? variants[variant].features : "";
  work->select = variants[variant].select ? variants[variant].select : "";
}

static bool
is_chosen (BordersWork *work, uint32_t variant)
{
  set_variant (work, variant);
  return bench_chosen (borders_describe (work));
}

static bool
any_chosen (const char *name, uint32_t width, uint32_t height)
{
  BordersWork work = {.name = name, .width = width, .height = height};
  for (uint32_t i = 0; i < VARIANTS; i++)
    if (is_chosen (&work, i))
      return true;
  return false;
}

/* One failure must not end the others' measurement. */
static bool
measure_variants (Bench *bench, BordersWork *work, uint32_t count, bool write)
{
  bool ok = count_border_points (bench, work);
  for (uint32_t i = 0; i < count; i++)
    if (is_chosen (work, i))
      ok = measure (bench, work, write) && ok;
  return ok;
}

/* What an image of this size costs without any border. Leaves bench->image empty. */
static bool
measure_empty (Bench *bench, uint32_t width, uint32_t height)
{
  if (!any_chosen ("empty", width, height))
    return true;
  for (uint32_t i = 0; i < bench->size_count; i++)
    if (bench->sizes[i][0] == width && bench->sizes[i][1] == height)
      return true;
  if (bench->size_count < MAX_SIZES) {
    bench->sizes[bench->size_count][0] = width;
    bench->sizes[bench->size_count++][1] = height;
  }
  BordersWork work = {.name = "empty", .width = width, .height = height};
  memset (bench->image, 0, (size_t) width * height);
  return measure_variants (bench, &work, VARIANTS, false);
}

/* bench->image. ALL: every variant, in the quick run too. */
static bool
measure_image (Bench *bench, const char *name, uint32_t width, uint32_t height, bool all)
{
  BordersWork work = {.name = name, .width = width, .height = height};
  if (bench->folder) {
    char path[4096];
    snprintf (bench->image_name, sizeof bench->image_name, "image-%03u.pgm", bench->case_count);
    snprintf (path, sizeof path, "%s/%s", bench->folder, bench->image_name);
    if (!bench_write_image (path, bench->image, width, height, 1))
      return false;
  }
  const uint32_t count = !bench->quick ? VARIANTS : all ? MORE_QUICK_VARIANTS : QUICK_VARIANTS;
  const bool ok = measure_variants (bench, &work, count, bench->folder);
  return measure_empty (bench, width, height) && ok;
}

typedef enum { BLOBS, NOISE, COIL, CHEQUERBOARD, RINGS, COMB, SERPENTINE, BOARD, PARTS, GRAINS } Scene;

static const struct {
  Scene scene;
  const char *name;
  uint32_t width, height;
  bool all; /* variants, in the quick run too */
} scenes[] = {
    {BOARD, "board", 1920, 1080, true},
    {BOARD, "board", 3840, 2160, false},
    {PARTS, "parts", 1920, 1080, false},
    {PARTS, "parts", 3840, 2160, true},
    {GRAINS, "grains", 3840, 2160, true},
    {BLOBS, "blobs", MAX_WIDTH, MAX_HEIGHT, true},
    {NOISE, "noise", SIDE, SIDE, true},
    {CHEQUERBOARD, "chequerboard", SIDE, SIDE, false},
    {RINGS, "rings", SIDE, SIDE, false},
    {COMB, "comb", SIDE, SIDE, false},
    {SERPENTINE, "serpentine", SIDE, SIDE, false},
    {COIL, "spiral", MAX_WIDTH, MAX_HEIGHT, false},
};

/* Into bench->image. */
static bool
draw (Bench *bench, Scene scene, uint32_t width, uint32_t height)
{
  const double sigma = 3;
  const uint32_t turn = 40, ring = 2; /* pixels from one line to the next */
  switch (scene) {
    case BLOBS:
      return bench_blobs_mask (sigma, width, height, bench->image);
    case NOISE:
      bench_random_numbers (0, bench_block_count (width, height, 1), bench->numbers);
      bench_random_mask (bench->numbers, width, height, 1, bench_density_threshold (50), bench->image);
      break;
    case COIL:
      bench_coil_mask (turn, width, height, bench->image);
      break;
    case CHEQUERBOARD:
      bench_pattern_mask (BENCH_CHEQUERBOARD, width, height, bench->image);
      break;
    case RINGS:
      bench_rings_mask (ring, width, height, bench->image);
      break;
    case COMB:
      bench_pattern_mask (BENCH_COMB, width, height, bench->image);
      break;
    case SERPENTINE:
      bench_pattern_mask (BENCH_SERPENTINE, width, height, bench->image);
      break;
    case BOARD:
      bench_board_mask (width, height, bench->image);
      break;
    case PARTS:
      bench_parts_mask (width, height, bench->image);
      break;
    case GRAINS:
      bench_grains_mask (width, height, bench->image);
      break;
  }
  return true;
}

static bool
measure_scenes (Bench *bench)
{
  bool ok = true;
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    const uint32_t width = scenes[i].width, height = scenes[i].height;
    if (!any_chosen (scenes[i].name, width, height))
      continue;
    ok = draw (bench, scenes[i].scene, width, height)
         && measure_image (bench, scenes[i].name, width, height, scenes[i].all) && ok;
  }
  return ok;
}

/* At its own size and, as far as there is room, enlarged. */
static bool
measure_file (Bench *bench, const char *path)
{
  uint32_t width, height, channels;
  uint8_t *pixels = bench_read_image (path, &width, &height, &channels);
  if (!pixels)
    return false;
  bool ok = true;
  if (channels != 1 || width > CTR_MAX_SIDE || height > CTR_MAX_SIDE || (uint64_t) width * height > max_pixels)
    fprintf (stderr, "%s: in colour, or more than %zu pixels: left out\n", path, max_pixels);
  else
    for (uint32_t scale = 1; scale <= 4 && (uint64_t) width * height * scale * scale <= max_pixels; scale *= 2) {
      if (!any_chosen (bench_file_name (path), width * scale, height * scale))
        continue;
      bench_enlarge (pixels, width, height, scale, bench->image);
      ok = measure_image (bench, bench_file_name (path), width * scale, height * scale, scale == 1) && ok;
    }
  free (pixels);
  return ok;
}

static bool
open_gpu (Bench *bench, size_t max_size)
{
#ifdef CTR_HAVE_CUDA
  CtrError error;
  if (bench->only_host)
    return true;
  if (!ctr_cuda_available (&error)) {
    fprintf (stderr, "host backend only: %s\n", error.message);
    return true;
  }
  bench->gpu = borders_gpu_new (max_size);
  return bench->gpu;
#else
  return true;
#endif
}

static void
close_gpu (Bench *bench)
{
#ifdef CTR_HAVE_CUDA
  borders_gpu_free (bench->gpu);
#endif
}

static bool
open_folder (Bench *bench)
{
  char path[4096];
  if (!bench->folder)
    return true;
  snprintf (path, sizeof path, "%s/cases.jsonl", bench->folder);
  bench->cases = fopen (path, "w");
  if (!bench->cases)
    perror (path);
  return bench->cases;
}

static int
measure_all (Bench *bench, char **files, int file_count)
{
  if (!open_folder (bench))
    return 1;
  bool ok = true;
  for (int i = 0; i < file_count; i++)
    ok = measure_file (bench, files[i]) && ok;
  ok = measure_scenes (bench) && ok;
  if (bench->cases && fclose (bench->cases) != 0)
    ok = false;
  return ok ? 0 : 1;
}

int
main (int argc, char **argv)
{
  Bench bench = {0};
  int files = 1;
  const char *cases = NULL;
  for (; files < argc && argv[files][0] == '-'; files++) {
    if (!strcmp (argv[files], "--quick")) {
      bench.quick = true;
    } else if (!strcmp (argv[files], "--host")) {
      bench.only_host = true;
    } else if (!strcmp (argv[files], "--cases") && files + 1 < argc) {
      cases = argv[++files];
    } else if (!strcmp (argv[files], "--write") && files + 1 < argc) {
      bench.folder = argv[++files];
    } else {
      fprintf (stderr, "usage: %s [--quick] [--host] [--cases REGEX] [--write DIR] [MASK.pgm...]\n", argv[0]);
      return 2;
    }
  }
  if (!bench_choose (cases))
    return 2;
  CtrError error;
  bench.host = ctr_borders_new (CTR_BACKEND_CPU, &error);
  if (!bench.host) {
    fprintf (stderr, "%s\n", error.message);
    return 1;
  }
  int status = 1;
  bench.image = malloc (max_pixels);
  bench.numbers = malloc ((size_t) SIDE * SIDE * sizeof *bench.numbers);
  if (!bench.image || !bench.numbers) {
    fprintf (stderr, "no host memory for images of %zu pixels\n", max_pixels);
  } else if (open_gpu (&bench, max_pixels)) {
    status = measure_all (&bench, argv + files, argc - files);
  }
  free (bench.image);
  free (bench.numbers);
  close_gpu (&bench);
  ctr_borders_free (bench.host);
  return status;
}
