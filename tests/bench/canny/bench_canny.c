/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bench_canny [--quick | --papers] [--cases REGEX] [--write DIR] [IMAGE.pgm|IMAGE.ppm...]
 *                        measures edge detection, one JSON record a line (bench_canny.py makes the table)
 *
 * With --papers, the sizes and blurs of the paper on CUDA, with L2, and no others; with --cases, only what matches, as in
 * "scene 3840x2160 format 0, sigma 2, aperture 3, L1, thresholds relative". With --write, DIR gets the images and our masks,
 * and a list of them in cases.jsonl, for the peers. The protocol is described in docs/benchmarks/protocol.md.
 *
 * Longer than 500 lines: pictures, variants and records belong together. */
#include "tests/bench/common/bench.h"
#include "tests/bench/canny/canny_work.h"
#include "tests/bench/canny/scenes.h"

#include <contours/contours.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CTR_HAVE_CUDA
#include "tests/bench/canny/canny_gpu.h"
#else
typedef struct MasksGpu MasksGpu;
#endif

enum {
  MAX_WIDTH = 15360, /* the paper's 132 megapixels; no image is larger */
  MAX_HEIGHT = 8640,
  CHANNELS = 3,
  MAX_HOST_PIXELS = 3840 * 2160 /* of a quick run where there is only the host backend */
};

static const size_t max_pixels = (size_t) MAX_WIDTH * MAX_HEIGHT;

typedef struct {
  MasksGpu *gpu; /* NULL: host backend only */
  CtrCanny *host;
  bool quick, papers;
  const char *folder; /* NULL: nothing is written */
  FILE *cases;
  uint32_t case_count;
  char image_name[64]; /* in the folder */
  uint8_t *image;      /* room for CHANNELS * max_pixels */
  uint8_t *mask;       /* room for max_pixels */
  uint8_t *host_mask;
} Bench;

static const char *
thresholds_of (const CtrCannyParams *params)
{
  static char text[32];
  if (params->threshold_mode == CTR_CANNY_OTSU)
    return "otsu";
  if (params->threshold_mode == CTR_CANNY_MEDIAN)
    return "median";
  if (params->threshold_mode == CTR_CANNY_RELATIVE)
    return "relative";
  snprintf (text, sizeof text, "%g/%g", params->low_threshold, params->high_threshold);
  return text;
}

enum { CAMERA_BITS = 12 }; /* of samples of 16 bits */

static unsigned
channels_of (CtrFormat format)
{
  return format == CTR_FORMAT_RGB ? 3 : 1;
}

static unsigned
bits_of (CtrFormat format)
{
  return format == CTR_FORMAT_GRAY16 ? CAMERA_BITS : 8;
}

/* What says which work it is, in a record. */
static void
print_work (FILE *file, const CannyWork *work)
{
  fprintf (file,
      "\"name\": \"%s\", \"width\": %u, \"height\": %u, \"channels\": %u, \"bits\": %u, \"sigma\": %g, \"aperture\": "
      "%u, "
      "\"norm\": \"%s\", \"thresholds\": \"%s\"",
      work->name, work->width, work->height, channels_of (work->format), bits_of (work->format), work->params.sigma,
      work->params.aperture, work->params.l2_gradient ? "L2" : "L1", thresholds_of (&work->params));
}

const char *
canny_describe (const CannyWork *work)
{
  static char text[192];
  snprintf (text, sizeof text, "%s %ux%u format %d, sigma %g, aperture %u, %s, thresholds %s", work->name, work->width,
      work->height, (int) work->format, work->params.sigma, work->params.aperture,
      work->params.l2_gradient ? "L2" : "L1", thresholds_of (&work->params));
  return text;
}

void
canny_record (const char *who, const char *mode, const CannyWork *work, uint64_t edges, double *microseconds, int runs)
{
  BenchTimes times = bench_times (microseconds, runs);
  printf ("{\"type\": \"time\", \"who\": \"%s\", \"mode\": \"%s\", ", who, mode);
  print_work (stdout, work);
  printf (", \"edges\": %" PRIu64 ", \"runs\": %d, \"min_us\": %.3f, \"median_us\": %.3f}\n", edges, runs, times.min,
      times.median);
  fflush (stdout);
}

uint64_t
canny_count_edges (const CannyWork *work, const uint8_t *mask)
{
  uint64_t edges = 0;
  for (size_t i = 0; i < (size_t) work->width * work->height; i++)
    edges += mask[i] != 0;
  return edges;
}

bool
canny_same_mask (const char *who, const CannyWork *work, const uint8_t *mask, const uint8_t *expected)
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
  fprintf (stderr, "%s: %s: %zu pixels differ, the first at %zu,%zu: %u, expected %u\n", canny_describe (work), who,
      different, first % work->width, first / work->width, mask[first], expected[first]);
  return false;
}

static bool
run_host (Bench *bench, const CannyWork *work, const CtrImage *image)
{
  CtrEdgePicture picture;
  CtrError error;
  ctr_edge_picture_init_mask (&picture, bench->host_mask, work->width, CTR_MEMORY_HOST);
  if (ctr_canny_run (bench->host, image, &work->params, &picture, NULL, &error))
    return true;
  fprintf (stderr, "%s: %s\n", canny_describe (work), error.message);
  return false;
}

static CtrImage
view_of (const CannyWork *work, const uint8_t *pixels, size_t padding)
{
  return (CtrImage){
      .data = pixels,
      .stride = work->width * ctr_format_pixel_size (work->format) + padding,
      .width = work->width,
      .height = work->height,
      .format = work->format,
      .memory = CTR_MEMORY_HOST,
  };
}

typedef struct {
  Bench *bench;
  const CannyWork *work;
  CtrImage image;
} HostWork;

static bool
find_on_host (void *data)
{
  const HostWork *host = data;
  return run_host (host->bench, host->work, &host->image);
}

static void
record_host (void *data, const char *mode, double *microseconds, int runs)
{
  const HostWork *host = data;
  canny_record ("host", mode, host->work, canny_count_edges (host->work, host->bench->host_mask), microseconds, runs);
}

static bool
measure_host (Bench *bench, const CannyWork *work)
{
  return bench_host (
      find_on_host, record_host, &(HostWork){.bench = bench, .work = work, .image = view_of (work, bench->image, 0)});
}

static bool
write_mask (Bench *bench, const CannyWork *work, const uint8_t *mask)
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
measure (Bench *bench, const CannyWork *work)
{
  const uint8_t *mask = bench->host_mask;
  if (!bench_chosen (canny_describe (work)))
    return true;
  if (!measure_host (bench, work))
    return false;
#ifdef CTR_HAVE_CUDA
  if (bench->gpu) {
    mask = bench->mask;
    if (!canny_gpu_measure (bench->gpu, work, bench->image, bench->mask)
        || !canny_same_mask ("the GPU backend", work, bench->mask, bench->host_mask))
      return false;
  }
#endif
  return !bench->folder || write_mask (bench, work, mask);
}

/* As PGM has samples of 16 bits: the upper byte first. */
static bool
write_wide_image (const char *path, const uint16_t *samples, uint32_t width, uint32_t height)
{
  FILE *file = fopen (path, "wb");
  bool ok = file && fprintf (file, "P5\n%u\n%u\n%u\n", width, height, (1u << CAMERA_BITS) - 1) > 0;
  for (size_t i = 0; ok && i < (size_t) width * height; i++)
    ok = putc (samples[i] >> 8, file) != EOF && putc (samples[i] & 255, file) != EOF;
  if (file && fclose (file) != 0)
    ok = false;
  if (!ok)
    perror (path);
  return ok;
}

static bool
write_current_image (Bench *bench, const CannyWork *work)
{
  const unsigned channels = channels_of (work->format);
  char path[4096];
  if (!bench->folder)
    return true;
  snprintf (
      bench->image_name, sizeof bench->image_name, "image-%03u.p%cm", bench->case_count, channels == 3 ? 'p' : 'g');
  snprintf (path, sizeof path, "%s/%s", bench->folder, bench->image_name);
  if (work->format == CTR_FORMAT_GRAY16)
    return write_wide_image (path, (const uint16_t *) bench->image, work->width, work->height);
  return bench_write_image (path, bench->image, work->width, work->height, channels);
}

/* The parameters beside the usual ones. */
static bool
measure_variants (Bench *bench, const CannyWork *usual)
{
  static const double sigmas[] = {0, 1, 5, 10};
  bool ok = true;
  for (int i = 0; i < 4; i++) {
    CannyWork work = *usual;
    work.params.sigma = sigmas[i];
    if (sigmas[i] > 0) {
      /* The gradient of a blurred step is inversely proportional to sigma. */
      work.params.low_threshold *= usual->params.sigma / sigmas[i];
      work.params.high_threshold *= usual->params.sigma / sigmas[i];
    }
    ok = measure (bench, &work) && ok;
  }
  CannyWork work = *usual;
  work.params.l2_gradient = true;
  ok = measure (bench, &work) && ok;
  for (uint32_t aperture = 5; aperture <= 7; aperture += 2) {
    work = *usual;
    work.params.aperture = aperture;
    const double gain = aperture == 5 ? 12 : 160; /* as of the automatic thresholds */
    work.params.low_threshold *= gain;
    work.params.high_threshold *= gain;
    ok = measure (bench, &work) && ok;
  }
  for (CtrCannyThresholdMode mode = CTR_CANNY_OTSU; mode <= CTR_CANNY_MEDIAN; mode++) {
    work = *usual;
    work.params.threshold_mode = mode;
    ok = measure (bench, &work) && ok;
  }
  return ok;
}

static bool
measure_relative (Bench *bench, const CannyWork *usual)
{
  CannyWork work = *usual;
  work.params.threshold_mode = CTR_CANNY_RELATIVE;
  return measure (bench, &work);
}

/* Makes the 8-bit samples of the image those of a camera with more bits, with noise below. */
static void
widen_image (Bench *bench, size_t pixels)
{
  const unsigned extra = CAMERA_BITS - 8;
  uint16_t *samples = (uint16_t *) bench->image;
  for (size_t i = pixels; i-- > 0;)
    samples[i] = (uint16_t) (bench->image[i] << extra | ((uint32_t) i * 2654435761u >> (32 - extra)));
}

/* The camera's samples as they are: absolute thresholds, and shares of the greatest gradient. */
static bool
measure_native (Bench *bench, BenchScene scene, uint32_t width, uint32_t height)
{
  CannyWork work = {.name = bench_scene_name (scene), .width = width, .height = height, .format = CTR_FORMAT_GRAY16};
  ctr_canny_params_init (&work.params);
  work.params.native_depth = true;
  work.params.significant_bits = CAMERA_BITS;
  work.params.low_threshold *= 1 << (CAMERA_BITS - 8);
  work.params.high_threshold *= 1 << (CAMERA_BITS - 8);
  bench_scene (scene, width, height, 1, bench->image);
  widen_image (bench, (size_t) width * height);
  return write_current_image (bench, &work) && measure (bench, &work) && measure_relative (bench, &work);
}

static bool
measure_scene (Bench *bench, BenchScene scene, uint32_t width, uint32_t height, CtrFormat format)
{
  CannyWork work = {.name = bench_scene_name (scene), .width = width, .height = height, .format = format};
  ctr_canny_params_init (&work.params);
  if (!bench->gpu && bench->quick && (uint64_t) width * height > MAX_HOST_PIXELS)
    return true;
  bench_scene (scene, width, height, (uint32_t) ctr_format_pixel_size (format), bench->image);
  bool ok = write_current_image (bench, &work) && measure (bench, &work);
  if (format != CTR_FORMAT_GRAY8 || width < 1920 || width > 3840)
    return ok;
  ok = measure_relative (bench, &work) && ok;
  if (scene != BENCH_SHAPES)
    return ok;
  if (!bench->quick && width == 3840)
    ok = measure_variants (bench, &work) && ok;
  return measure_native (bench, scene, width, height) && ok;
}

/* The sizes of the paper's tables 2 and 5, in RGB, and the blurs of its table 6. Its pictures cannot be had: the scene takes
 * their place. Once in grey, which more peers take. Large ones are not written: the peers would take minutes. */
static bool
measure_papers (Bench *bench)
{
  enum { LARGEST_WRITTEN = 34000000, BLURS = 5 };
  static const uint32_t sizes[][2] = {{500, 333}, {1000, 667}, {2500, 1667}, {5000, 3334}, {10000, 6667}, {14091, 9394},
      {4444, 3136}, {7680, 4320}, {14694, 8266}, {4444, 3136}};
  const size_t count = sizeof sizes / sizeof *sizes;
  const char *folder = bench->folder;
  bool ok = true;
  for (size_t i = 0; i < count; i++) {
    const uint64_t pixels = (uint64_t) sizes[i][0] * sizes[i][1];
    CannyWork work = {.name = bench_scene_name (BENCH_SHAPES),
        .width = sizes[i][0],
        .height = sizes[i][1],
        .format = i + 1 < count ? CTR_FORMAT_RGB : CTR_FORMAT_GRAY8};
    ctr_canny_params_init (&work.params);
    work.params.l2_gradient = true;
    if (!bench->gpu && pixels > MAX_HOST_PIXELS)
      continue;
    bench->folder = pixels <= LARGEST_WRITTEN ? folder : NULL;
    bench_scene (BENCH_SHAPES, work.width, work.height, (uint32_t) ctr_format_pixel_size (work.format), bench->image);
    ok = write_current_image (bench, &work) && measure (bench, &work) && ok;
    bench->folder = NULL;
    for (int sigma = 0; sigma <= BLURS && work.width == 4444 && work.format == CTR_FORMAT_RGB; sigma++) {
      CannyWork blurred = work;
      blurred.params.sigma = sigma;
      ok = (sigma == work.params.sigma || measure (bench, &blurred)) && ok;
    }
    bench->folder = folder;
  }
  return ok;
}

/* One failure must not end the others' measurement. */
static bool
measure_scenes (Bench *bench)
{
  static const struct {
    uint32_t width, height;
    bool quick;
  } grey[] = {{640, 480, false}, {1280, 720, false}, {1920, 1080, true}, {3840, 2160, true}, {8192, 8192, true}},
    colour[] = {{3840, 2160, false}, {8192, 8192, false}, {MAX_WIDTH, MAX_HEIGHT, true}};
  bool ok = true;
  for (size_t i = 0; i < sizeof grey / sizeof *grey; i++)
    for (BenchScene scene = 0; scene < BENCH_SCENES; scene++)
      if (!bench->quick || grey[i].quick)
        ok = measure_scene (bench, scene, grey[i].width, grey[i].height, CTR_FORMAT_GRAY8) && ok;
  for (size_t i = 0; i < sizeof colour / sizeof *colour; i++)
    if (!bench->quick || colour[i].quick)
      ok = measure_scene (bench, BENCH_SHAPES, colour[i].width, colour[i].height, CTR_FORMAT_RGB) && ok;
  return ok;
}

static bool
measure_file (Bench *bench, const char *path)
{
  CannyWork work = {.name = bench_file_name (path)};
  uint32_t channels;
  ctr_canny_params_init (&work.params);
  uint8_t *pixels = bench_read_image (path, &work.width, &work.height, &channels);
  if (!pixels)
    return false;
  work.format = channels == 3 ? CTR_FORMAT_RGB : CTR_FORMAT_GRAY8;
  const size_t count = (size_t) work.width * work.height;
  const bool fits = count <= max_pixels && work.width <= CTR_MAX_SIDE && work.height <= CTR_MAX_SIDE;
  if (fits)
    memcpy (bench->image, pixels, count * channels);
  else
    fprintf (stderr, "%s: more than %zu pixels: left out\n", path, max_pixels);
  free (pixels);
  return !fits || (write_current_image (bench, &work) && measure (bench, &work));
}

static bool
open_gpu (Bench *bench, size_t max_size, size_t pixels)
{
#ifdef CTR_HAVE_CUDA
  CtrError error;
  if (!ctr_cuda_available (&error)) {
    fprintf (stderr, "host backend only: %s\n", error.message);
    return true;
  }
  bench->gpu = canny_gpu_new (max_size, pixels);
  return bench->gpu;
#else
  return true;
#endif
}

static void
close_gpu (Bench *bench)
{
#ifdef CTR_HAVE_CUDA
  masks_gpu_free (bench->gpu);
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
  bool ok = open_folder (bench);
  if (!ok)
    return 1;
  ok = bench->papers ? measure_papers (bench) : measure_scenes (bench);
  for (int i = 0; i < file_count; i++)
    ok = measure_file (bench, files[i]) && ok;
  if (bench->cases && fclose (bench->cases) != 0)
    ok = false;
  return ok ? 0 : 1;
}

int
main (int argc, char **argv)
{
  Bench bench = {0};
  const char *cases = NULL;
  int files = 1;
  for (; files < argc && argv[files][0] == '-'; files++) {
    if (!strcmp (argv[files], "--quick")) {
      bench.quick = true;
    } else if (!strcmp (argv[files], "--papers")) {
      bench.papers = true;
    } else if (!strcmp (argv[files], "--cases") && files + 1 < argc) {
      cases = argv[++files];
    } else if (!strcmp (argv[files], "--write") && files + 1 < argc) {
      bench.folder = argv[++files];
    } else {
      fprintf (
          stderr, "usage: %s [--quick | --papers] [--cases REGEX] [--write DIR] [IMAGE.pgm|IMAGE.ppm...]\n", argv[0]);
      return 2;
    }
  }
  if (!bench_choose (cases))
    return 2;
  CtrError error;
  bench.host = ctr_canny_new (CTR_BACKEND_CPU, &error);
  if (!bench.host) {
    fprintf (stderr, "%s\n", error.message);
    return 1;
  }
  const size_t image_size = max_pixels * CHANNELS;
  int status = 1;
  bench.image = malloc (image_size);
  bench.mask = malloc (max_pixels);
  bench.host_mask = malloc (max_pixels);
  if (!bench.image || !bench.mask || !bench.host_mask) {
    fprintf (stderr, "no host memory for images of %zu pixels\n", max_pixels);
  } else if (open_gpu (&bench, image_size, max_pixels)) {
    status = measure_all (&bench, argv + files, argc - files);
  }
  free (bench.image);
  free (bench.mask);
  free (bench.host_mask);
  close_gpu (&bench);
  ctr_canny_free (bench.host);
  return status;
}
