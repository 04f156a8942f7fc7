/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bench_edgechains [--host] [--cases REGEX] [--write DIR]
 *                        measures edge linking, one JSON record a line (bench_edgechains.py makes the table)
 *
 * The masks are the edges that Canny's detector finds with a sigma of 2 and thresholds of 50 and 150. With --write, DIR gets them,
 * and a list of them in cases.jsonl, for the peers. The protocol is described in docs/benchmarks/protocol.md. */
#include "tests/bench/canny/scenes.h"
#include "tests/bench/common/bench.h"

#include <contours/contours.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CTR_HAVE_CUDA
#include "tests/bench/common/lists_gpu.h"
#endif

enum { MAX_WIDTH = 3840, MAX_HEIGHT = 2160 };

static const size_t max_pixels = (size_t) MAX_WIDTH * MAX_HEIGHT;

typedef struct {
  CtrCanny *canny;
  CtrEdgeChains *host;
  uint8_t *image, *mask; /* room for max_pixels */
  const char *folder;    /* NULL: nothing is written */
  FILE *cases;
  uint32_t case_count;
#ifdef CTR_HAVE_CUDA
  CtrEdgeChains *gpu; /* NULL: host backend only */
  BenchDevice device;
  uint8_t *device_image; /* room for max_pixels */
#endif
} Bench;

/* An image, and what is asked of it. */
typedef struct {
  Bench *bench;
  const char *name;
  uint32_t width, height;
  uint64_t edges;
  CtrEdgeChainsParams params;
  CtrContours *result; /* of the host backend */
} Work;

/* 0: without subpixels */
static double
sigma_of (const Work *work)
{
  return work->params.subpixel == CTR_SUBPIXEL_NONE ? 0 : work->params.subpixel_sigma;
}

static const char *
describe (const Work *work)
{
  static char text[128];
  snprintf (text, sizeof text, "%s %ux%u, length %g, subpixel sigma %g", work->name, work->width, work->height,
      work->params.min_length, sigma_of (work));
  return text;
}

static void
print_work (FILE *file, const Work *work)
{
  fprintf (file,
      "\"name\": \"%s\", \"width\": %u, \"height\": %u, \"min_length\": %g, \"subpixel_sigma\": %g, \"edges\": %" PRIu64
      ", \"contours\": %u, \"points\": %" PRIu64,
      work->name, work->width, work->height, work->params.min_length, sigma_of (work), work->edges, work->result->count,
      work->result->point_count);
}

static void
record (const Work *work, const char *who, const char *mode, double *microseconds, int runs)
{
  const BenchTimes times = bench_times (microseconds, runs);
  printf ("{\"type\": \"time\", \"who\": \"%s\", \"mode\": \"%s\", ", who, mode);
  print_work (stdout, work);
  printf (", \"runs\": %d, \"min_us\": %.3f, \"median_us\": %.3f}\n", runs, times.min, times.median);
  fflush (stdout);
}

static CtrImage
view_of (const Work *work, const uint8_t *pixels)
{
  return (CtrImage){.data = pixels,
      .stride = work->width,
      .width = work->width,
      .height = work->height,
      .format = CTR_FORMAT_GRAY8,
      .memory = CTR_MEMORY_HOST};
}

static bool
link_on_host (void *data)
{
  Work *work = data;
  const CtrImage mask = view_of (work, work->bench->mask), image = view_of (work, work->bench->image);
  CtrEdgeChainsParams params = work->params;
  CtrError error;
  params.image = &image;
  ctr_contours_unref (work->result);
  work->result = ctr_edge_chains_run (work->bench->host, &mask, &params, NULL, &error);
  if (!work->result)
    fprintf (stderr, "%s: %s\n", describe (work), error.message);
  return work->result;
}

static void
record_host (void *data, const char *mode, double *microseconds, int runs)
{
  record (data, "host", mode, microseconds, runs);
}

#ifdef CTR_HAVE_CUDA
/* The image is where the mask is. */
static bool
enqueue (void *user, const CtrImage *mask, void *stream, CtrError *error)
{
  const Work *work = user;
  CtrEdgeChainsParams params = work->params;
  CtrImage samples = view_of (work, work->bench->image);
  if (mask->memory == CTR_MEMORY_DEVICE) {
    samples.data = work->bench->device_image;
    samples.memory = CTR_MEMORY_DEVICE;
  }
  params.image = &samples;
  return ctr_edge_chains_enqueue (work->bench->gpu, mask, &params, stream, error);
}

static CtrContours *
finish (void *user, CtrError *error)
{
  const Work *work = user;
  return ctr_edge_chains_finish (work->bench->gpu, error);
}

static void
record_gpu (void *user, const char *mode, const CtrContours *result, double *microseconds, int runs)
{
  record (user, "ours", mode, microseconds, runs);
}

static bool
measure_gpu (Work *work)
{
  const BenchListsWork lists = {describe (work), work, enqueue, finish, record_gpu, false};
  const CtrImage mask = view_of (work, work->bench->mask);
  if (!work->bench->gpu)
    return true;
  return BENCH_CHECK (cudaMemcpy (work->bench->device_image, work->bench->image, (size_t) work->width * work->height,
             cudaMemcpyHostToDevice))
         && bench_lists_measure (&work->bench->device, &lists, &mask, work->result);
}

static bool
open_gpu (Bench *bench)
{
  CtrError error;
  if (!ctr_cuda_available (&error)) {
    fprintf (stderr, "host backend only: %s\n", error.message);
    return true;
  }
  if (!bench_device_open (&bench->device, max_pixels)
      || !BENCH_CHECK (cudaMalloc ((void **) &bench->device_image, max_pixels)))
    return false;
  bench->gpu = ctr_edge_chains_new (CTR_BACKEND_CUDA, &error);
  if (!bench->gpu)
    fprintf (stderr, "%s\n", error.message);
  return bench->gpu;
}

static void
close_gpu (Bench *bench)
{
  ctr_edge_chains_free (bench->gpu);
  cudaFree (bench->device_image);
  bench_device_close (&bench->device);
}
#else
static bool
measure_gpu (Work *work)
{
  return true;
}

static bool
open_gpu (Bench *bench)
{
  return true;
}

static void
close_gpu (Bench *bench)
{
}
#endif

static bool
write_case (const Work *work)
{
  Bench *bench = work->bench;
  char name[32], path[4096];
  if (!bench->folder)
    return true;
  snprintf (name, sizeof name, "mask-%03u.pgm", bench->case_count++);
  snprintf (path, sizeof path, "%s/%s", bench->folder, name);
  fprintf (bench->cases, "{");
  print_work (bench->cases, work);
  fprintf (bench->cases, ", \"image\": \"%s\"}\n", name);
  return bench_write_image (path, bench->mask, work->width, work->height, 1);
}

/* The edges of bench->image, into bench->mask. */
static bool
find_edges (Work *work)
{
  Bench *bench = work->bench;
  const CtrImage image = view_of (work, bench->image);
  CtrCannyParams params;
  CtrEdgePicture picture;
  CtrError error;
  ctr_canny_params_init (&params);
  params.sigma = 2;
  params.low_threshold = 50;
  params.high_threshold = 150;
  ctr_edge_picture_init_mask (&picture, bench->mask, work->width, CTR_MEMORY_HOST);
  if (!ctr_canny_run (bench->canny, &image, &params, &picture, NULL, &error)) {
    fprintf (stderr, "%s: %s\n", describe (work), error.message);
    return false;
  }
  work->edges = 0;
  for (size_t i = 0; i < (size_t) work->width * work->height; i++)
    work->edges += bench->mask[i] != 0;
  return true;
}

static bool
measure_scene (Bench *bench, BenchScene scene, uint32_t width, uint32_t height)
{
  static const struct {
    double min_length, sigma; /* sigma 0: without subpixels */
  } variants[] = {{0, 0}, {20, 0}, {0, 1}, {0, 2.5}};
  bool ok = true, found = false;
  for (size_t i = 0; ok && i < sizeof variants / sizeof *variants; i++) {
    Work work = {.bench = bench, .name = bench_scene_name (scene), .width = width, .height = height};
    work.params.min_length = variants[i].min_length;
    work.params.subpixel = variants[i].sigma > 0 ? CTR_SUBPIXEL_EDGE : CTR_SUBPIXEL_NONE;
    work.params.subpixel_sigma = variants[i].sigma;
    if (!bench_chosen (describe (&work)))
      continue;
    if (!found)
      bench_scene (scene, width, height, 1, bench->image);
    found = true;
    ok = find_edges (&work) && bench_host (link_on_host, record_host, &work) && measure_gpu (&work)
         && write_case (&work);
    ctr_contours_unref (work.result);
  }
  return ok;
}

static bool
open_bench (Bench *bench, bool host_only)
{
  CtrError error;
  char path[4096];
  bench->image = malloc (max_pixels);
  bench->mask = malloc (max_pixels);
  if (!bench->image || !bench->mask) {
    fprintf (stderr, "no memory for images of %zu pixels\n", max_pixels);
    return false;
  }
  bench->canny = ctr_canny_new (CTR_BACKEND_CPU, &error);
  bench->host = bench->canny ? ctr_edge_chains_new (CTR_BACKEND_CPU, &error) : NULL;
  if (!bench->host) {
    fprintf (stderr, "%s\n", error.message);
    return false;
  }
  if (bench->folder) {
    snprintf (path, sizeof path, "%s/cases.jsonl", bench->folder);
    bench->cases = fopen (path, "w");
    if (!bench->cases) {
      perror (path);
      return false;
    }
  }
  return host_only || open_gpu (bench);
}

int
main (int argc, char **argv)
{
  static const uint32_t sizes[][2] = {{1920, 1080}, {MAX_WIDTH, MAX_HEIGHT}};
  static const BenchScene scenes[] = {BENCH_SHAPES, BENCH_NOISE, BENCH_BLURRED_NOISE, BENCH_FLAT, BENCH_SERPENTINE};
  Bench bench = {0};
  bool host_only = false;
  const char *pattern = NULL;
  for (int i = 1; i < argc; i++) {
    if (!strcmp (argv[i], "--host"))
      host_only = true;
    else if (!strcmp (argv[i], "--cases") && i + 1 < argc)
      pattern = argv[++i];
    else if (!strcmp (argv[i], "--write") && i + 1 < argc)
      bench.folder = argv[++i];
    else {
      fprintf (stderr, "usage: %s [--host] [--cases REGEX] [--write DIR]\n", argv[0]);
      return 2;
    }
  }
  bool ok = bench_choose (pattern) && open_bench (&bench, host_only);
  for (size_t i = 0; ok && i < sizeof sizes / sizeof *sizes; i++)
    for (size_t s = 0; ok && s < sizeof scenes / sizeof *scenes; s++)
      ok = measure_scene (&bench, scenes[s], sizes[i][0], sizes[i][1]);
  close_gpu (&bench);
  ctr_edge_chains_free (bench.host);
  ctr_canny_free (bench.canny);
  if (bench.cases && fclose (bench.cases) != 0)
    ok = false;
  free (bench.image);
  free (bench.mask);
  return ok ? 0 : 1;
}
