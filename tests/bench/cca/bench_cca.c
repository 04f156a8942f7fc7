/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bench_cca [--full] [--host] [--cases REGEX] [MASK.pgm...]
 *                         measures component analysis, one JSON record a line (bench_cca.py makes the table)
 * bench_cca --check       compares the FLSL+CD baseline with the host backend
 *
 * With --host, on the host backend only; with --cases, only what matches, as in "camera 640x480 granularity 16 density 30 %,
 * 8-connected".
 * The protocol is described in docs/benchmarks/protocol.md.
 *
 * Longer than 500 lines: images, variants and records belong together. */
#include "tests/bench/common/bench.h"
#include "tests/bench/cca/cca_work.h"
#include "tests/bench/common/masks.h"

#include <contours/contours.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CTR_HAVE_CUDA
#include "tests/bench/cca/cca_gpu.h"
#else
typedef struct BenchGpu BenchGpu;
#endif

enum {
  GPU_SIDE = 8192,  /* the paper's image; no image is larger */
  HOST_SIDE = 2048, /* where there is only the host backend */
  CHECK_SIDE = 2048
};

static const uint32_t granularities[] = {1, 4, 16};
static const CtrConnectivity connectivities[] = {CTR_CONNECTIVITY_4, CTR_CONNECTIVITY_8};
static const uint32_t camera_sizes[][2] = {{640, 480}, {1280, 720}, {1920, 1080}, {3840, 2160}, {4096, 3072}};

typedef struct {
  BenchGpu *gpu; /* NULL: host backend only */
  CtrCca *host;
  bool full, only_host;
  uint32_t side;
  uint32_t *numbers; /* of the current granularity, room for side * side */
  uint8_t *mask;     /* room for side * side */
} Bench;

const char *
bench_describe (const BenchWork *work)
{
  static char text[160];
  snprintf (text, sizeof text, "%s %ux%u granularity %u density %u %%, %d-connected", work->name, work->width,
      work->height, work->granularity, work->density, (int) work->connectivity);
  return text;
}

void
bench_record (
    const char *who, const char *mode, const BenchWork *work, uint32_t components, double *microseconds, int runs)
{
  BenchTimes times = bench_times (microseconds, runs);
  printf ("{\"type\": \"time\", \"who\": \"%s\", \"mode\": \"%s\", \"name\": \"%s\", \"width\": %u, \"height\": %u, "
          "\"granularity\": %u, \"density\": %u, \"connectivity\": %d, \"components\": %u, \"runs\": %d, "
          "\"min_us\": %.3f, \"median_us\": %.3f}\n",
      who, mode, work->name, work->width, work->height, work->granularity, work->density, (int) work->connectivity,
      components, runs, times.min, times.median);
  fflush (stdout);
}

static CtrComponents *
run_host (Bench *bench, const BenchWork *work)
{
  const CtrImage view = bench_view (work, bench->mask, CTR_MEMORY_HOST);
  const CtrCcaParams params = bench_params (work);
  CtrError error;
  CtrComponents *result = ctr_cca_run (bench->host, &view, &params, NULL, &error);
  if (!result)
    fprintf (stderr, "%s: %s\n", bench_describe (work), error.message);
  return result;
}

typedef struct {
  Bench *bench;
  const BenchWork *work;
  uint32_t count;
} HostWork;

static bool
count_on_host (void *data)
{
  HostWork *host = data;
  CtrComponents *result = run_host (host->bench, host->work);
  if (!result)
    return false;
  host->count = result->count;
  ctr_components_unref (result);
  return true;
}

static void
record_host (void *data, const char *mode, double *microseconds, int runs)
{
  const HostWork *host = data;
  bench_record ("host", mode, host->work, host->count, microseconds, runs);
}

static bool
measure_host (Bench *bench, const BenchWork *work)
{
  return bench_host (count_on_host, record_host, &(HostWork){.bench = bench, .work = work});
}

static bool
make_numbers (Bench *bench, uint32_t width, uint32_t height, uint32_t granularity)
{
  uint64_t count = bench_block_count (width, height, granularity);
  bench_random_numbers (0, count, bench->numbers);
#ifdef CTR_HAVE_CUDA
  if (bench->gpu)
    return bench_gpu_set_numbers (bench->gpu, bench->numbers, count);
#endif
  return true;
}

/* The host backend and the peers take long for a large image: these densities only, unless it is all there is. */
static bool
host_takes (const Bench *bench, uint32_t density)
{
  if (!bench->gpu)
    return true;
  return bench->full ? density % 10 == 0 : density == 10 || density == 50 || density == 90;
}

static bool
any_chosen (const BenchWork *work)
{
  BenchWork one = *work;
  for (int c = 0; c < 2; c++) {
    one.connectivity = connectivities[c];
    if (bench_chosen (bench_describe (&one)))
      return true;
  }
  return false;
}

static bool
measure_random (Bench *bench)
{
  bool ok = true;
  uint32_t step = bench->full ? 1 : 10;
  for (int g = 0; ok && g < 3; g++) {
    BenchWork work = {.name = "random", .width = bench->side, .height = bench->side, .granularity = granularities[g]};
    ok = make_numbers (bench, work.width, work.height, work.granularity);
    for (work.density = 0; ok && work.density <= 100; work.density += step) {
      uint64_t threshold = bench_density_threshold (work.density);
      bool host = host_takes (bench, work.density);
      if (!any_chosen (&work))
        continue;
      if (host)
        bench_random_mask (bench->numbers, work.width, work.height, work.granularity, threshold, bench->mask);
#ifdef CTR_HAVE_CUDA
      if (bench->gpu)
        ok = bench_gpu_random_mask (bench->gpu, work.width, work.height, work.granularity, threshold);
#endif
      for (int c = 0; ok && c < 2; c++) {
        work.connectivity = connectivities[c];
        if (!bench_chosen (bench_describe (&work)))
          continue;
#ifdef CTR_HAVE_CUDA
        if (bench->gpu)
          ok = bench_gpu_measure (bench->gpu, &work, true);
#endif
        if (ok && host)
          ok = measure_host (bench, &work);
      }
    }
  }
  return ok;
}

/* bench->mask: on the GPU warm, from call to result, and on the host. */
static bool
measure_frame (Bench *bench, const BenchWork *work)
{
  if (!bench_chosen (bench_describe (work)))
    return true;
#ifdef CTR_HAVE_CUDA
  if (bench->gpu
      && (!bench_gpu_upload (bench->gpu, bench->mask, work) || !bench_gpu_measure (bench->gpu, work, false)
          || !bench_gpu_measure_run (bench->gpu, work, bench->mask)))
    return false;
#endif
  return measure_host (bench, work);
}

static bool
measure_connectivities (Bench *bench, BenchWork *work)
{
  bool ok = true;
  for (int c = 0; ok && c < 2; c++) {
    work->connectivity = connectivities[c];
    ok = measure_frame (bench, work);
  }
  return ok;
}

static bool
measure_cameras (Bench *bench)
{
  bool ok = true;
  for (size_t i = 0; ok && i < sizeof camera_sizes / sizeof *camera_sizes; i++) {
    BenchWork work = {.name = "camera", .width = camera_sizes[i][0], .height = camera_sizes[i][1], .granularity = 16};
    bench_random_numbers (0, bench_block_count (work.width, work.height, work.granularity), bench->numbers);
    for (work.density = 30; ok && work.density <= 50; work.density += 10) {
      uint64_t threshold = bench_density_threshold (work.density);
      bench_random_mask (bench->numbers, work.width, work.height, work.granularity, threshold, bench->mask);
      ok = measure_connectivities (bench, &work);
    }
    work.name = "parts";
    work.granularity = work.density = 0;
    bench_parts_mask (work.width, work.height, bench->mask);
    ok = ok && measure_connectivities (bench, &work);
  }
  return ok;
}

/* The labels of random squares, 8-connected, as samples of 16 bits. */
static bool
make_labels (Bench *bench, const BenchWork *work)
{
  const size_t pixels = (size_t) work->width * work->height;
  const BenchWork squares = {.name = "squares", .width = work->width, .height = work->height, .connectivity = 8};
  const CtrImage view = bench_view (&squares, bench->mask, CTR_MEMORY_HOST);
  CtrCcaParams params = bench_params (&squares);
  CtrError error;
  params.features = CTR_FEATURE_LABELS;
  bench_random_mask (bench->numbers, work->width, work->height, work->granularity,
      bench_density_threshold (work->density), bench->mask);
  CtrComponents *result = ctr_cca_run (bench->host, &view, &params, NULL, &error);
  if (!result) {
    fprintf (stderr, "%s: %s\n", bench_describe (work), error.message);
    return false;
  }
  for (size_t i = 0; i < pixels; i++)
    ((uint16_t *) bench->mask)[i] = (uint16_t) result->labels[i];
  ctr_components_unref (result);
  return true;
}

/* Images of equal samples: labels, and noise of four values. */
static bool
measure_equal (Bench *bench)
{
  static const uint32_t sizes[][2] = {{1920, 1080}, {3840, 2160}};
  bool ok = true;
  for (size_t i = 0; ok && i < sizeof sizes / sizeof *sizes; i++) {
    BenchWork work = {
        .name = "labels", .width = sizes[i][0], .height = sizes[i][1], .granularity = 16, .density = 40, .equal = true};
    const size_t pixels = (size_t) work.width * work.height;
    bench_random_numbers (0, bench_block_count (work.width, work.height, work.granularity), bench->numbers);
    ok = make_labels (bench, &work) && measure_connectivities (bench, &work);
    work.name = "values";
    work.granularity = 1;
    work.density = 75;
    bench_random_numbers (0, pixels, bench->numbers);
    for (size_t k = 0; k < pixels; k++)
      ((uint16_t *) bench->mask)[k] = (uint16_t) (bench->numbers[k] % 4 * 1000);
    ok = ok && measure_connectivities (bench, &work);
  }
  return ok;
}

/* The whole image, and 1, 4 and 16 regions of an eighth of its sides, which begin at odd pixels. */
static bool
measure_regions (Bench *bench)
{
  static const char *const names[] = {"regions-0", "regions-1", "regions-4", "regions-16"};
  BenchWork work = {.width = 3840, .height = 2160, .connectivity = CTR_CONNECTIVITY_8};
  CtrRegion list[16];
  bool ok = true;
  for (uint32_t i = 0; i < 16; i++)
    list[i] = (CtrRegion){.x = 37 + i % 4 * 960, .y = 53 + i / 4 * 540, .width = 480, .height = 270};
  bench_parts_mask (work.width, work.height, bench->mask);
  for (uint32_t i = 0; ok && i < sizeof names / sizeof *names; i++) {
    work.name = names[i];
    work.regions = i ? ctr_regions_new (list, 1u << 2 * (i - 1), NULL, NULL) : NULL;
    ok = measure_frame (bench, &work);
    ctr_regions_unref (work.regions);
  }
  return ok;
}

/* What features and limits on numbers cost: none, the sums of the samples, their percentiles and inscribed circles, rings,
 * skeletons; limits on the area, and on the area and the eccentricity. Of many parts and of one that fills the image. */
static bool
measure_features (Bench *bench)
{
  static const struct {
    const char *parts, *plate;
    uint32_t features;
    CtrSelect select;
  } cases[] = {
      {.parts = "features-none", .plate = "plate-none"},
      {.parts = "features-grey", .plate = "plate-grey", .features = CTR_FEATURE_GREY},
      {.parts = "features-percentiles", .plate = "plate-percentiles", .features = CTR_FEATURE_PERCENTILES},
      {.parts = "features-inscribed", .plate = "plate-inscribed", .features = CTR_FEATURE_INSCRIBED},
      {.parts = "features-contrast", .plate = "plate-contrast", .features = CTR_FEATURE_CONTRAST},
      {.parts = "features-skeleton", .plate = "plate-skeleton", .features = CTR_FEATURE_SKELETON},
      {.parts = "select-area",
          .plate = "plate-select-area",
          .select = {1, 0, {{CTR_COMPONENT_NUMBER_AREA, 0, 4000, INFINITY}}}},
      {.parts = "select-two",
          .plate = "plate-select-two",
          .select = {2, 0,
              {{CTR_COMPONENT_NUMBER_AREA, 0, 1000, INFINITY},
                  {CTR_COMPONENT_NUMBER_ECCENTRICITY, 0, -INFINITY, 0.5}}}},
  };
  bool ok = true;
  for (uint32_t i = 0; ok && i < 2 * sizeof cases / sizeof *cases; i++) {
    const bool plate = i % 2;
    BenchWork work = {.name = plate ? cases[i / 2].plate : cases[i / 2].parts,
        .width = 3840,
        .height = 2160,
        .connectivity = CTR_CONNECTIVITY_8,
        .features = cases[i / 2].features,
        .select = cases[i / 2].select};
    const size_t pixels = (size_t) work.width * work.height;
    bench_random_numbers (0, pixels, bench->numbers);
    if (plate)
      memset (bench->mask, 255, pixels);
    else
      bench_parts_mask (work.width, work.height, bench->mask);
    for (size_t k = 0; k < pixels; k++)
      if (bench->mask[k])
        bench->mask[k] = (uint8_t) (128 + bench->numbers[k] % 128);
    ok = measure_frame (bench, &work);
  }
  return ok;
}

static bool
measure_patterns (Bench *bench)
{
  bool ok = true;
  for (int p = 0; ok && p < BENCH_PATTERNS; p++) {
    BenchWork work = {.name = bench_pattern_name (p),
        .width = bench->side,
        .height = bench->side,
        .connectivity = p == BENCH_CHEQUERBOARD ? CTR_CONNECTIVITY_4 : CTR_CONNECTIVITY_8};
    if (!bench_chosen (bench_describe (&work)))
      continue;
    bench_pattern_mask (p, work.width, work.height, bench->mask);
#ifdef CTR_HAVE_CUDA
    if (bench->gpu) {
      ok = bench_gpu_upload (bench->gpu, bench->mask, &work) && bench_gpu_measure (bench->gpu, &work, true);
      continue;
    }
#endif
    ok = measure_host (bench, &work);
  }
  return ok;
}

static bool
measure_file (Bench *bench, const char *path)
{
  BenchWork work = {.name = bench_file_name (path), .connectivity = CTR_CONNECTIVITY_8};
  uint32_t channels;
  uint8_t *mask = bench_read_image (path, &work.width, &work.height, &channels);
  if (!mask)
    return false;
  bool fits = work.width <= GPU_SIDE && work.height <= GPU_SIDE && channels == 1;
  if (fits)
    memcpy (bench->mask, mask, (size_t) work.width * work.height);
  else
    fprintf (stderr, "%s: in colour or larger than %u x %u: left out\n", path, GPU_SIDE, GPU_SIDE);
  free (mask);
  return !fits || measure_frame (bench, &work);
}

static bool
open_gpu (Bench *bench, uint32_t side)
{
#ifdef CTR_HAVE_CUDA
  CtrError error;
  if (bench->only_host)
    return true;
  if (!ctr_cuda_available (&error)) {
    fprintf (stderr, "host backend only: %s\n", error.message);
    return true;
  }
  bench->gpu = bench_gpu_new (side, side);
  return bench->gpu;
#else
  return true;
#endif
}

static void
close_gpu (Bench *bench)
{
#ifdef CTR_HAVE_CUDA
  bench_gpu_free (bench->gpu);
#endif
}

#ifdef CTR_HAVE_CUDA
static bool
check_mask (Bench *bench, const BenchWork *work)
{
  CtrComponents *expected = run_host (bench, work);
  bool ok = expected && bench_gpu_check_baseline (bench->gpu, work, bench->mask, expected);
  ctr_components_unref (expected);
  return ok;
}

/* A few hundred small images whose sides lie around every width that is special to a kernel, some large ones. */
static int
check (Bench *bench)
{
  static const uint32_t sides[] = {1, 2, 3, 31, 32, 33, 63, 65, 127, 128, 129, 255, 257, 600};
  static const uint32_t densities[] = {0, 7, 25, 41, 50, 60, 85, 100};
  const uint32_t n_sides = sizeof sides / sizeof *sides;
  uint32_t images = 0, bad = 0;
  for (uint32_t i = 0; i < n_sides * n_sides * 2; i++) {
    BenchWork work = {.name = "random",
        .width = sides[i % n_sides],
        .height = sides[i / n_sides % n_sides],
        .granularity = granularities[i % 3],
        .density = densities[(i + i / n_sides) % 8],
        .connectivity = connectivities[i / (n_sides * n_sides)]};
    bench_random_numbers (i, bench_block_count (work.width, work.height, work.granularity), bench->numbers);
    bench_random_mask (
        bench->numbers, work.width, work.height, work.granularity, bench_density_threshold (work.density), bench->mask);
    bad += !check_mask (bench, &work);
    images++;
  }
  for (int i = 0; i < BENCH_PATTERNS * 4; i++) {
    uint32_t width = i / BENCH_PATTERNS % 2 ? CHECK_SIDE : 333;
    BenchWork work = {.name = bench_pattern_name (i % BENCH_PATTERNS),
        .width = width,
        .height = width * 3 / 4,
        .connectivity = connectivities[i / BENCH_PATTERNS / 2]};
    bench_pattern_mask (i % BENCH_PATTERNS, work.width, work.height, bench->mask);
    bad += !check_mask (bench, &work);
    images++;
  }
  for (int i = 0; i < 12; i++) {
    BenchWork work = {.name = "random",
        .width = CHECK_SIDE - i % 2,
        .height = CHECK_SIDE - i % 5,
        .granularity = granularities[i % 3],
        .density = i % 2 ? 60 : 40,
        .connectivity = connectivities[i / 6]};
    bench_random_numbers (i, bench_block_count (work.width, work.height, work.granularity), bench->numbers);
    bench_random_mask (
        bench->numbers, work.width, work.height, work.granularity, bench_density_threshold (work.density), bench->mask);
    bad += !check_mask (bench, &work);
    images++;
  }
  printf ("%s: %u of %u images differ\n", bad ? "DIFFERENT" : "OK", bad, images);
  return bad ? 1 : 0;
}
#endif

int
main (int argc, char **argv)
{
  Bench bench = {0};
  bool only_check = false;
  int files = 1;
  const char *cases = NULL;
  for (; files < argc && argv[files][0] == '-'; files++) {
    if (!strcmp (argv[files], "--full")) {
      bench.full = true;
    } else if (!strcmp (argv[files], "--host")) {
      bench.only_host = true;
    } else if (!strcmp (argv[files], "--cases") && files + 1 < argc) {
      cases = argv[++files];
    } else if (!strcmp (argv[files], "--check")) {
      only_check = true;
    } else {
      fprintf (stderr, "usage: %s [--full] [--host] [--cases REGEX] [MASK.pgm...] | --check\n", argv[0]);
      return 2;
    }
  }
  if (!bench_choose (cases))
    return 2;
  CtrError error;
  bench.host = ctr_cca_new (CTR_BACKEND_CPU, &error);
  if (!bench.host) {
    fprintf (stderr, "%s\n", error.message);
    return 1;
  }
  if (!open_gpu (&bench, only_check ? CHECK_SIDE : GPU_SIDE)) {
    ctr_cca_free (bench.host);
    return 1;
  }
  bench.side = bench.gpu ? GPU_SIDE : HOST_SIDE;
  size_t pixels = (size_t) GPU_SIDE * GPU_SIDE;
  bench.numbers = malloc (pixels * sizeof *bench.numbers);
  bench.mask = malloc (pixels);
  int status = 1;
  if (!bench.numbers || !bench.mask) {
    fprintf (stderr, "no host memory for images of %u x %u pixels\n", GPU_SIDE, GPU_SIDE);
  } else if (only_check) {
    status = 77;
#ifdef CTR_HAVE_CUDA
    if (bench.gpu)
      status = check (&bench);
#endif
  } else {
    bool ok = measure_random (&bench) && measure_cameras (&bench) && measure_equal (&bench) && measure_regions (&bench)
              && measure_features (&bench) && measure_patterns (&bench);
    for (int i = files; ok && i < argc; i++)
      ok = measure_file (&bench, argv[i]);
    status = ok ? 0 : 1;
  }
  free (bench.numbers);
  free (bench.mask);
  close_gpu (&bench);
  ctr_cca_free (bench.host);
  return status;
}
