/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bench_foreground [--quick] [--host] [--cases REGEX] [--write DIR]
 *                        measures foreground masks, one JSON record a line (bench_foreground.py makes the table)
 *
 * With --write, DIR gets the images and our masks, and a list of them in cases.jsonl, for the peers. With --cases, only
 * steps at sizes that match, such as '^adaptive-mean-31 3840'. The protocol is described in docs/benchmarks/protocol.md. */
#include "tests/bench/canny/scenes.h"
#include "tests/bench/common/bench.h"
#include "tests/bench/foreground/coins.h"
#include "tests/bench/foreground/foreground_work.h"

#include <contours/contours.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CTR_HAVE_CUDA
#include "tests/bench/foreground/foreground_gpu.h"
#else
typedef struct MasksGpu MasksGpu;
#endif

enum { MAX_WIDTH = 3840, MAX_HEIGHT = 2160, CHANNELS = 3 };

static const size_t max_pixels = (size_t) MAX_WIDTH * MAX_HEIGHT;

typedef struct {
  MasksGpu *gpu; /* NULL: host backend only */
  CtrMask *host;
  const char *folder; /* NULL: nothing is written */
  FILE *cases;
  uint32_t case_count, image_count;
  char image_name[64]; /* in the folder */
  uint8_t *image;      /* room for CHANNELS * max_pixels */
  uint8_t *mask;       /* room for max_pixels */
  uint8_t *host_mask;
} Bench;

typedef enum { IMAGE_GREY, IMAGE_COLOUR, IMAGE_COINS, IMAGES } Image;

typedef struct {
  const char *name;
  Image image;
  CtrForeground foreground;
} Steps;

#define RANGES_OF(h_low, h_high, s_low)                                                                \
  .ranges = 1u << CTR_CHANNEL_HUE | 1u << CTR_CHANNEL_SATURATION, .lower = {0, 0, 0, 0, h_low, s_low}, \
  .upper = {0, 0, 0, 0, h_high, 255}

static const Steps all_steps[] = {
    {"fixed", IMAGE_GREY, {.threshold = 128}},
    {"range", IMAGE_GREY, {.threshold = 90, .upper_threshold = 160}},
    {"otsu", IMAGE_GREY, {.mode = CTR_THRESHOLD_OTSU}},
    {"triangle", IMAGE_GREY, {.mode = CTR_THRESHOLD_TRIANGLE}},
    {"adaptive-mean-3", IMAGE_GREY, {.mode = CTR_THRESHOLD_ADAPTIVE_MEAN, .block_size = 3, .offset = 2}},
    {"adaptive-mean-31", IMAGE_GREY, {.mode = CTR_THRESHOLD_ADAPTIVE_MEAN, .block_size = 31, .offset = 2}},
    {"adaptive-mean-101", IMAGE_GREY, {.mode = CTR_THRESHOLD_ADAPTIVE_MEAN, .block_size = 101, .offset = 2}},
    {"adaptive-mean-255", IMAGE_GREY, {.mode = CTR_THRESHOLD_ADAPTIVE_MEAN, .block_size = 255, .offset = 2}},
    {"adaptive-gaussian-11", IMAGE_GREY, {.mode = CTR_THRESHOLD_ADAPTIVE_GAUSSIAN, .block_size = 11, .offset = 2}},
    {"adaptive-gaussian-51", IMAGE_GREY, {.mode = CTR_THRESHOLD_ADAPTIVE_GAUSSIAN, .block_size = 51, .offset = 2}},
    {"hysteresis", IMAGE_GREY, {.mode = CTR_THRESHOLD_HYSTERESIS, .threshold = 110, .upper_threshold = 150}},
    {"fixed-open-close-5", IMAGE_GREY,
        {.threshold = 128, .open_size = 5, .close_size = 5, .shape = CTR_SHAPE_RECTANGLE}},
    {"fixed-fill-holes", IMAGE_GREY, {.threshold = 128, .fill_holes = true}},
    {"fixed-clear-border", IMAGE_GREY, {.threshold = 128, .clear_border = true}},
    {"rgb-fixed", IMAGE_COLOUR, {.threshold = 128}},
    {"rgb-hue-saturation", IMAGE_COLOUR, {RANGES_OF (90, 140, 40)}},
    {"coins-fixed", IMAGE_COINS, {.threshold = 128}},
    {"coins-split", IMAGE_COINS, {.threshold = 128, .split_touching = 32}},
};

static unsigned
channels_of (CtrFormat format)
{
  return format == CTR_FORMAT_RGB ? CHANNELS : 1;
}

/* What says which work it is, in a record. */
static void
print_work (FILE *file, const ForegroundWork *work)
{
  const CtrForeground *f = &work->foreground;
  fprintf (file,
      "\"name\": \"%s\", \"width\": %u, \"height\": %u, \"channels\": %u, \"mode\": %d, \"threshold\": %u, "
      "\"upper_threshold\": %u, \"block_size\": %u, \"offset\": %d",
      work->name, work->width, work->height, channels_of (work->format), (int) f->mode, f->threshold,
      f->upper_threshold, f->block_size, f->offset);
}

const char *
foreground_describe (const ForegroundWork *work)
{
  static char text[128];
  snprintf (text, sizeof text, "%s %ux%u", work->name, work->width, work->height);
  return text;
}

void
foreground_record (
    const char *who, const char *mode, const ForegroundWork *work, uint64_t pixels, double *microseconds, int runs)
{
  BenchTimes times = bench_times (microseconds, runs);
  printf ("{\"type\": \"time\", \"who\": \"%s\", \"how\": \"%s\", ", who, mode);
  print_work (stdout, work);
  printf (", \"foreground\": %" PRIu64 ", \"runs\": %d, \"min_us\": %.3f, \"median_us\": %.3f}\n", pixels, runs,
      times.min, times.median);
  fflush (stdout);
}

uint64_t
foreground_count (const ForegroundWork *work, const uint8_t *mask)
{
  uint64_t pixels = 0;
  for (size_t i = 0; i < (size_t) work->width * work->height; i++)
    pixels += mask[i] != 0;
  return pixels;
}

bool
foreground_same_mask (const char *who, const ForegroundWork *work, const uint8_t *mask, const uint8_t *expected)
{
  const size_t size = (size_t) work->width * work->height;
  size_t different = 0, first = 0;
  if (!memcmp (mask, expected, size))
    return true;
  for (size_t i = size; i-- > 0;)
    if (mask[i] != expected[i]) {
      different++;
      first = i;
    }
  fprintf (stderr, "%s: %s: %zu pixels differ, the first at %zu,%zu: %u, expected %u\n", foreground_describe (work),
      who, different, first % work->width, first / work->width, mask[first], expected[first]);
  return false;
}

typedef struct {
  Bench *bench;
  const ForegroundWork *work;
  CtrImage image;
} HostWork;

static bool
find_on_host (void *data)
{
  const HostWork *host = data;
  CtrEdgePicture picture;
  CtrError error;
  ctr_edge_picture_init_mask (&picture, host->bench->host_mask, host->work->width, CTR_MEMORY_HOST);
  if (ctr_mask_run (host->bench->host, &host->image, &host->work->foreground, &picture, NULL, &error))
    return true;
  fprintf (stderr, "%s: %s\n", foreground_describe (host->work), error.message);
  return false;
}

static void
record_host (void *data, const char *mode, double *microseconds, int runs)
{
  const HostWork *host = data;
  foreground_record (
      "host", mode, host->work, foreground_count (host->work, host->bench->host_mask), microseconds, runs);
}

static bool
measure_host (Bench *bench, const ForegroundWork *work)
{
  HostWork host = {.bench = bench, .work = work};
  host.image = (CtrImage){.data = bench->image,
      .stride = work->width * ctr_format_pixel_size (work->format),
      .width = work->width,
      .height = work->height,
      .format = work->format,
      .memory = CTR_MEMORY_HOST};
  return bench_host (find_on_host, record_host, &host);
}

static bool
write_mask (Bench *bench, const ForegroundWork *work, const uint8_t *mask)
{
  char name[32], path[4096];
  snprintf (name, sizeof name, "mask-%03u.pgm", bench->case_count++);
  snprintf (path, sizeof path, "%s/%s", bench->folder, name);
  fprintf (bench->cases, "{");
  print_work (bench->cases, work);
  fprintf (bench->cases, ", \"image\": \"%s\", \"mask\": \"%s\"}\n", bench->image_name, name);
  return bench_write_image (path, mask, work->width, work->height, 1);
}

/* bench->image: on the GPU and on the host, and both masks the same. */
static bool
measure (Bench *bench, const ForegroundWork *work)
{
  const uint8_t *mask = bench->host_mask;
  if (!measure_host (bench, work))
    return false;
#ifdef CTR_HAVE_CUDA
  if (bench->gpu) {
    mask = bench->mask;
    if (!foreground_gpu_measure (bench->gpu, work, bench->image, bench->mask)
        || !foreground_same_mask ("the GPU backend", work, bench->mask, bench->host_mask))
      return false;
  }
#endif
  return !bench->folder || write_mask (bench, work, mask);
}

static bool
make_image (Bench *bench, uint32_t width, uint32_t height, Image image)
{
  const unsigned channels = image == IMAGE_COLOUR ? CHANNELS : 1;
  char path[4096];
  if (image == IMAGE_COINS)
    bench_coins (width, height, bench->image);
  else
    bench_scene (BENCH_SHAPES, width, height, channels, bench->image);
  if (!bench->folder)
    return true;
  snprintf (
      bench->image_name, sizeof bench->image_name, "image-%03u.p%cm", bench->image_count++, channels == 3 ? 'p' : 'g');
  snprintf (path, sizeof path, "%s/%s", bench->folder, bench->image_name);
  return bench_write_image (path, bench->image, width, height, channels);
}

/* One failure must not end the others' measurement. */
static bool
measure_size (Bench *bench, uint32_t width, uint32_t height)
{
  bool ok = true;
  for (Image image = IMAGE_GREY; image < IMAGES; image++) {
    if (!make_image (bench, width, height, image))
      return false;
    for (size_t i = 0; i < sizeof all_steps / sizeof *all_steps; i++) {
      const Steps *steps = &all_steps[i];
      const ForegroundWork work = {
          steps->name, width, height, image == IMAGE_COLOUR ? CTR_FORMAT_RGB : CTR_FORMAT_GRAY8, steps->foreground};
      if (steps->image == image && bench_chosen (foreground_describe (&work)))
        ok = measure (bench, &work) && ok;
    }
  }
  return ok;
}

/* Regions of an eighth of the image's sides. The peers have no regions. */
static bool
measure_regions (Bench *bench, uint32_t width, uint32_t height)
{
  static const Steps steps[] = {
      {"", IMAGE_COLOUR, {.threshold = 128}},
      {"-open-close-5", IMAGE_COLOUR,
          {.threshold = 128, .open_size = 5, .close_size = 5, .shape = CTR_SHAPE_RECTANGLE}},
      {"-adaptive-mean-31", IMAGE_COLOUR, {.mode = CTR_THRESHOLD_ADAPTIVE_MEAN, .block_size = 31, .offset = 2}},
      {"-adaptive-gaussian-11", IMAGE_COLOUR, {.mode = CTR_THRESHOLD_ADAPTIVE_GAUSSIAN, .block_size = 11, .offset = 2}},
      {"-split", IMAGE_COLOUR, {.threshold = 128, .split_touching = 32}},
  };
  const char *folder = bench->folder;
  CtrRegion list[16];
  bool ok = make_image (bench, width, height, IMAGE_COLOUR);
  bench->folder = NULL;
  for (uint32_t i = 0; i < 16; i++)
    list[i] = (CtrRegion){
        .x = 37 + i % 4 * (width / 4), .y = 53 + i / 4 * (height / 4), .width = width / 8, .height = height / 8};
  for (uint32_t count = 1; ok && count <= 16; count *= 4)
    for (uint32_t i = 0; i < sizeof steps / sizeof *steps; i++) {
      char name[64];
      snprintf (name, sizeof name, "regions-%u%s", count, steps[i].name);
      ForegroundWork work = {name, width, height, CTR_FORMAT_GRAY8, steps[i].foreground};
      work.foreground.regions = ctr_regions_new (list, count, NULL, NULL);
      if (bench_chosen (foreground_describe (&work)))
        ok = measure (bench, &work) && ok;
      ctr_regions_unref (work.foreground.regions);
    }
  bench->folder = folder;
  return ok;
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
  bench->gpu = foreground_gpu_new (CHANNELS * max_pixels, max_pixels);
  return bench->gpu;
#else
  return true;
#endif
}

static bool
open_bench (Bench *bench, bool host_only)
{
  CtrError error;
  bench->image = malloc (CHANNELS * max_pixels);
  bench->mask = malloc (max_pixels);
  bench->host_mask = malloc (max_pixels);
  if (!bench->image || !bench->mask || !bench->host_mask) {
    fprintf (stderr, "no memory for images\n");
    return false;
  }
  bench->host = ctr_mask_new (CTR_BACKEND_CPU, &error);
  if (!bench->host) {
    fprintf (stderr, "%s\n", error.message);
    return false;
  }
  if (bench->folder) {
    char path[4096];
    snprintf (path, sizeof path, "%s/cases.jsonl", bench->folder);
    bench->cases = fopen (path, "w");
    if (!bench->cases) {
      perror (path);
      return false;
    }
  }
  return host_only || open_gpu (bench);
}

static void
close_bench (Bench *bench)
{
#ifdef CTR_HAVE_CUDA
  masks_gpu_free (bench->gpu);
#endif
  ctr_mask_free (bench->host);
  if (bench->cases)
    fclose (bench->cases);
  free (bench->image);
  free (bench->mask);
  free (bench->host_mask);
}

int
main (int argc, char **argv)
{
  Bench bench = {0};
  bool quick = false, host_only = false;
  const char *pattern = NULL;
  for (int i = 1; i < argc; i++) {
    if (!strcmp (argv[i], "--quick"))
      quick = true;
    else if (!strcmp (argv[i], "--host"))
      host_only = true;
    else if (!strcmp (argv[i], "--cases") && i + 1 < argc)
      pattern = argv[++i];
    else if (!strcmp (argv[i], "--write") && i + 1 < argc)
      bench.folder = argv[++i];
    else {
      fprintf (stderr, "usage: %s [--quick] [--host] [--cases REGEX] [--write DIR]\n", argv[0]);
      return 2;
    }
  }
  bool ok = bench_choose (pattern) && open_bench (&bench, host_only);
  if (ok && !quick)
    ok = measure_size (&bench, 1920, 1080);
  ok = ok && measure_size (&bench, MAX_WIDTH, MAX_HEIGHT) && measure_regions (&bench, MAX_WIDTH, MAX_HEIGHT);
  close_bench (&bench);
  return ok ? 0 : 1;
}
