/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bench_cracks [--quick] [--host] [--cases REGEX] [--write DIR] [MAP.pgm...]
 *                        measures the contours of levels, one JSON record a line (bench_cracks.py makes the tables)
 *
 * With --host, on the host backend only; with --cases, only what matches, as in "photo 1920x1080, 8 bit, ge". With --write, DIR gets the images and how many contours each level has, and what they are in cases.jsonl, for the
 * peers. The protocol is described in docs/benchmarks/protocol.md. */
#include "tests/bench/common/bench.h"
#include "tests/bench/common/masks.h"
#include "tests/bench/cracks/cracks_work.h"
#include "tests/bench/cracks/levels.h"

#include <contours/contours.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CTR_HAVE_CUDA
#include "tests/bench/cracks/cracks_gpu.h"
#else
typedef struct CracksGpu CracksGpu;
#endif

enum {
  PAPER_WIDTH = 2048, /* of the paper's images; of maps that are enlarged, too */
  PAPER_HEIGHT = 768,
  SIDE = 2048,
  MAX_SIZES = 64 /* of images */
};

static const size_t max_size = (size_t) SIDE * SIDE * 2; /* bytes of an image */

typedef struct {
  CracksGpu *gpu; /* NULL: host backend only */
  CtrCracks *host;
  CtrCca *host_cca; /* makes the labels that are traced */
  bool quick, only_host;
  const char *folder; /* NULL: nothing is written */
  FILE *cases;
  uint32_t case_count;
  char image_name[64];          /* in the folder */
  void *image;                  /* room for max_size */
  uint32_t sizes[MAX_SIZES][3]; /* and bytes, of which an empty image has been measured */
  uint32_t size_count;
} Bench;

/* What is asked of an image, beside the levels; of most, the first only. */
static const CtrCracksParams variants[] = {
    {.connectivity = 8},
    {.connectivity = 8, .mode = CTR_LEVELS_EQUAL},
    {.connectivity = 4},
    {.connectivity = 8, .frame = CTR_IMAGE_BORDER_ZERO},
    {.connectivity = 8, .min_area = 100},
    {.connectivity = 8, .features = CTR_CONTOUR_FEATURE_MOMENTS},
    {.connectivity = 8, .hierarchy = CTR_HIERARCHY_LEVELS},
    {.connectivity = 8, .hierarchy = CTR_HIERARCHY_LEVELS, .min_persistence = 20},
    {.connectivity = 4, .mode = CTR_LEVELS_EQUAL},
    {.connectivity = 8, .mode = CTR_LEVELS_EQUAL, .features = CTR_CONTOUR_FEATURE_MOMENTS},
    {.connectivity = 8, .mode = CTR_LEVELS_EQUAL},
    {.connectivity = 4, .mode = CTR_LEVELS_EQUAL},
    {.connectivity = 8, .mode = CTR_LEVELS_EQUAL, .features = CTR_CONTOUR_FEATURE_MOMENTS},
};
/* From LABELS on, the labels of the components of equal samples are traced. */
enum {
  GE,
  EQ,
  GE_4,
  GE_ZERO,
  GE_AREA,
  GE_MOMENTS,
  GE_NESTED,
  GE_PERSISTENT,
  EQ_4,
  EQ_MOMENTS,
  LABELS,
  LABELS_4,
  LABELS_MOMENTS,
  VARIANTS
};

typedef struct {
  CtrCracks *cracks;
  const CracksWork *work;
  CtrImage image;
  CtrContours *contours; /* of the last run */
} HostWork;

static bool
trace_on_host (void *data)
{
  HostWork *host = data;
  ctr_contours_unref (host->contours);
  host->contours = cracks_run_host (host->cracks, host->work, &host->image);
  return host->contours;
}

static void
record_host (void *data, const char *mode, double *microseconds, int runs)
{
  const HostWork *host = data;
  cracks_record ("host", mode, host->work, host->contours, microseconds, runs);
}

static CtrContours *
measure_host (Bench *bench, const CracksWork *work)
{
  HostWork host = {.cracks = bench->host, .work = work, .image = cracks_view (work, bench->image, 0)};
  if (bench_host (trace_on_host, record_host, &host))
    return host.contours;
  ctr_contours_unref (host.contours);
  return NULL;
}

/* Each contour's level. */
static bool
write_levels (Bench *bench, const CracksWork *work, CtrContours *contours)
{
  char name[32], path[4096];
  CtrError error;
  const CtrContour *table = ctr_contours_map_table (contours, &error);
  if (!table) {
    fprintf (stderr, "%s\n", error.message);
    return false;
  }
  snprintf (name, sizeof name, "levels-%03u.bin", bench->case_count++);
  snprintf (path, sizeof path, "%s/%s", bench->folder, name);
  fprintf (bench->cases, "{");
  cracks_print (bench->cases, work);
  fprintf (bench->cases, ", \"contours\": %u, \"points\": %" PRIu64 ", \"image\": \"%s\", \"list\": \"%s\"}\n",
      contours->count, contours->point_count, bench->image_name, name);
  FILE *file = fopen (path, "wb");
  bool ok = file;
  for (uint32_t i = 0; ok && i < contours->count; i++)
    ok = fwrite (&table[i].level, sizeof table->level, 1, file) == 1;
  if (file && fclose (file) != 0)
    ok = false;
  if (!ok)
    perror (path);
  return ok;
}

static bool
write_image (Bench *bench, const CracksWork *work)
{
  snprintf (bench->image_name, sizeof bench->image_name, "image-%03u.raw", bench->case_count);
  return bench_write_bytes (
      bench->folder, bench->image_name, bench->image, (size_t) work->width * work->height * work->bytes);
}

/* bench->image: on the host and on the GPU, and both results the same. */
static bool
measure (Bench *bench, const CracksWork *work, bool write)
{
  CtrContours *contours = measure_host (bench, work);
  bool ok = contours && cracks_record_codes (work, contours);
#ifdef CTR_HAVE_CUDA
  const CtrImage view = cracks_view (work, bench->image, 0);
  ok = ok && (!bench->gpu || cracks_gpu_measure (bench->gpu, work, &view, contours));
#endif
  ok = ok && (!write || write_levels (bench, work, contours));
  ctr_contours_unref (contours);
  return ok;
}

/* Sets work->corners and work->levels. EXPECTED: contours, or 0 where nobody knows. */
static bool
count (Bench *bench, CracksWork *work, uint32_t expected)
{
  const CtrImage view = cracks_view (work, bench->image, 0);
  CracksWork all = *work;
  CtrError error;
  all.params.min_area = 0;
  all.params.features = 0;
  all.params.min_persistence = 0;
  CtrContours *contours = cracks_run_host (bench->host, &all, &view);
  const CtrContour *table = contours ? ctr_contours_map_table (contours, &error) : NULL;
  bool ok = table;
  if (ok) {
    work->corners = contours->point_count;
    work->levels = 0;
    for (uint32_t i = 0; i < contours->count; i++)
      work->levels += !i || table[i].level != table[i - 1].level;
    ok = !expected || contours->count == expected;
    if (!ok)
      fprintf (stderr, "%s: %u contours, expected %u\n", cracks_describe (work), contours->count, expected);
  }
  ctr_contours_unref (contours);
  return ok;
}

static bool
measure_variant (Bench *bench, CracksWork *work, uint32_t variant, uint32_t step, uint32_t expected, bool write)
{
  CtrCracksParams defaults;
  ctr_cracks_params_init (&defaults);
  work->params = variants[variant];
  work->params.maximum = defaults.maximum;
  work->params.max_points = defaults.max_points;
  work->params.max_depth = defaults.max_depth;
  work->params.step = step;
  work->params.minimum = step; /* 1, or the multiples */
  const CtrImage view = cracks_view (work, bench->image, 0);
  if (variant >= LABELS && !(work->components = cracks_label (bench->host_cca, &view, NULL)))
    return false;
  const bool ok =
      !bench_chosen (cracks_describe (work)) || (count (bench, work, expected) && measure (bench, work, write));
  ctr_components_unref (work->components);
  work->components = NULL;
  return ok;
}

/* What an image of this size costs without any contour. Leaves bench->image empty. */
static bool
measure_empty (Bench *bench, const CracksWork *like)
{
  const uint32_t size[3] = {like->width, like->height, like->bytes};
  for (uint32_t i = 0; i < bench->size_count; i++)
    if (!memcmp (bench->sizes[i], size, sizeof size))
      return true;
  if (bench->size_count < MAX_SIZES)
    memcpy (bench->sizes[bench->size_count++], size, sizeof size);
  CracksWork work = {.name = "empty", .width = like->width, .height = like->height, .bytes = like->bytes};
  memset (bench->image, 0, (size_t) work.width * work.height * work.bytes);
  return measure_variant (bench, &work, GE, 1, 0, false) && measure_variant (bench, &work, EQ, 1, 0, false);
}

/* bench->image. VARIANTS: one after the other, as bits. EXPECTED: contours of the first of them, or 0. */
static bool
measure_image (Bench *bench, const char *name, uint32_t width, uint32_t height, uint32_t bytes, uint32_t asked,
    uint32_t step, uint32_t expected)
{
  CracksWork work = {.name = name, .width = width, .height = height, .bytes = bytes};
  bool ok = !bench->folder || write_image (bench, &work);
  for (uint32_t i = 0; i < VARIANTS; i++)
    if (asked & 1 << i)
      ok = measure_variant (bench, &work, i, step, expected, bench->folder) && ok;
  return measure_empty (bench, &work) && ok;
}

/* The binary images of the paper's table 4, with its numbers of contours. How its boards lie it does not say: boards of
 * so many squares, in black, have these numbers. */
static bool
measure_table4 (Bench *bench)
{
  static const struct {
    uint32_t size, across, down, contours, horizontal, vertical;
  } rows[] = {
      {128, 15, 4, 14, 3, 8},
      {64, 31, 10, 117, 6, 16},
      {32, 63, 22, 611, 12, 32},
      {16, 126, 46, 2729, 24, 64},
      {8, 254, 94, 11593, 48, 128},
      {4, 510, 190, 47753, 96, 256},
      {2, 1021, 382, 193611, 192, 512},
      {1, 2045, 764, 778384, 383, 1023},
  };
  char name[64];
  bool ok = true;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (bench->quick && i % 7 && i != 4)
      continue;
    const uint32_t size = rows[i].size;
    bench_chequers (size, rows[i].across, rows[i].down, PAPER_WIDTH, PAPER_HEIGHT, bench->image);
    snprintf (name, sizeof name, "chequers %u", size);
    ok = measure_image (bench, name, PAPER_WIDTH, PAPER_HEIGHT, 1, 1 << GE, 1, rows[i].contours) && ok;
    for (int vertical = 0; vertical < 2; vertical++) {
      bench_stripes (size, vertical, PAPER_WIDTH, PAPER_HEIGHT, bench->image);
      snprintf (name, sizeof name, "%s %u", vertical ? "VL" : "HL", size);
      ok = measure_image (bench, name, PAPER_WIDTH, PAPER_HEIGHT, 1, 1 << GE_ZERO, 1,
               vertical ? rows[i].vertical : rows[i].horizontal)
           && ok;
    }
  }
  return ok;
}

/* As the paper's table 2, which does not tell its images. */
static bool
measure_table2 (Bench *bench)
{
  char name[64];
  bool ok = true;
  for (uint32_t levels = 128; levels <= 256; levels *= 2)
    for (uint32_t size = 128; size > 0; size /= 2) {
      if (bench->quick && size != 128 && size != 8 && size != 1)
        continue;
      bench_grey_chequers (size, levels, PAPER_WIDTH, PAPER_HEIGHT, bench->image);
      snprintf (name, sizeof name, "grey chequers %u, %u values", size, levels);
      ok = measure_image (bench, name, PAPER_WIDTH, PAPER_HEIGHT, 1, 1 << GE, 1, 0) && ok;
    }
  return ok;
}

static bool
measure_scenes (Bench *bench)
{
  const uint32_t all = (1 << (EQ_MOMENTS + 1)) - 1, few = 1 << GE | 1 << EQ | 1 << GE_NESTED;
  const bool ok = bench_disparity (PAPER_WIDTH, PAPER_HEIGHT, bench->image)
                  && measure_image (bench, "disparity", PAPER_WIDTH, PAPER_HEIGHT, 1, all, 1, 0);
  return bench_photo (1920, 1080, bench->image)
         && measure_image (bench, "photo", 1920, 1080, 1, bench->quick ? few : all, 1, 0) && ok;
}

/* The label image of MASK's components, of 16 bits, into bench->image. False, and a message on stderr, if there are more than it
 * has values. */
static bool
label_mask (Bench *bench, const char *name, uint32_t width, uint32_t height, const uint8_t *mask)
{
  const CtrImage view = {.data = mask, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
  CtrComponents *components = cracks_label (bench->host_cca, &view, NULL);
  const bool ok = components && components->count <= UINT16_MAX;
  if (components && !ok)
    fprintf (stderr, "%s: %u components\n", name, components->count);
  for (size_t i = 0; ok && i < (size_t) width * height; i++)
    ((uint16_t *) bench->image)[i] = (uint16_t) components->labels[i];
  ctr_components_unref (components);
  return ok;
}

/* Label images of a mask of parts and of a photo's bright pixels, as cudacca makes them: their samples are traced, and the labels of
 * the components of equal samples, which are the same lines. */
static bool
measure_labels (Bench *bench)
{
  const uint32_t width = 1920, height = 1080;
  const uint32_t asked = 1 << EQ | 1 << EQ_4 | 1 << EQ_MOMENTS | 1 << LABELS | 1 << LABELS_4 | 1 << LABELS_MOMENTS;
  uint8_t *mask = malloc ((size_t) width * height);
  bool ok = mask;
  if (ok) {
    bench_parts_mask (width, height, mask);
    ok = label_mask (bench, "parts", width, height, mask)
         && measure_image (bench, "parts", width, height, 2, asked, 1, 0);
    ok = bench_photo (width, height, mask) && ok;
    for (size_t i = 0; i < (size_t) width * height; i++)
      mask[i] = mask[i] >= 128 ? 255 : 0;
    ok = label_mask (bench, "bright", width, height, mask)
         && measure_image (bench, "bright", width, height, 2, asked, 1, 0) && ok;
  }
  free (mask);
  return ok;
}

/* The photo in 2, 4, .. 256 values, and labels of so many kinds, with the same lines whatever they are: what do levels
 * cost, what corners? */
static bool
measure_curves (Bench *bench)
{
  static const uint32_t distinct[] = {1, 16, 256, 4096, 16384};
  char name[64];
  bool ok = true;
  for (uint32_t bits = 1; bits <= 8; bits++) {
    uint8_t *samples = bench->image;
    if (!bench_photo (1920, 1080, samples))
      return false;
    for (size_t i = 0; i < (size_t) 1920 * 1080; i++)
      samples[i] >>= 8 - bits;
    snprintf (name, sizeof name, "photo of %u values", 1 << bits);
    ok = measure_image (bench, name, 1920, 1080, 1, 1 << GE, 1, 0) && ok;
  }
  for (size_t i = 0; i < sizeof distinct / sizeof *distinct; i++) {
    const uint32_t cell = 16;
    bench_labels (cell, distinct[i], SIDE, SIDE, bench->image);
    snprintf (name, sizeof name, "labels, %u kinds", distinct[i]);
    ok = measure_image (bench, name, SIDE, SIDE, 2, 1 << EQ | 1 << EQ_4, 1, SIDE / cell * (SIDE / cell)) && ok;
  }
  return ok;
}

/* At its own size and, unless it is as wide, enlarged. Of 16 bits, every 256th level, and every 64th. */
static bool
measure_file (Bench *bench, const char *path)
{
  uint32_t width, height, bytes;
  void *samples = bench_read_map (path, &width, &height, &bytes);
  if (!samples)
    return false;
  const uint32_t larger = PAPER_WIDTH, larger_height = (uint32_t) ((uint64_t) height * larger / width);
  bool ok = true;
  if (width >= PAPER_WIDTH || height > SIDE || larger_height > SIDE || !larger_height) {
    fprintf (stderr, "%s: not within %u x %u pixels when %u wide: left out\n", path, PAPER_WIDTH, SIDE, PAPER_WIDTH);
    free (samples);
    return true;
  }
  for (uint32_t step = bytes == 2 ? 256 : 1; step == 256 || step == 64 || step == 1; step = step == 256 ? 64 : 0) {
    memcpy (bench->image, samples, (size_t) width * height * bytes);
    ok = measure_image (bench, bench_file_name (path), width, height, bytes, 1 << GE, step, 0) && ok;
    bench_resize (samples, width, height, bytes, larger, larger_height, bench->image);
    ok = measure_image (bench, bench_file_name (path), larger, larger_height, bytes, 1 << GE, step, 0) && ok;
  }
  free (samples);
  return ok;
}

static bool
open_gpu (Bench *bench)
{
#ifdef CTR_HAVE_CUDA
  CtrError error;
  if (bench->only_host)
    return true;
  if (!ctr_cuda_available (&error)) {
    fprintf (stderr, "host backend only: %s\n", error.message);
    return true;
  }
  bench->gpu = cracks_gpu_new (max_size);
  return bench->gpu;
#else
  return true;
#endif
}

static void
close_gpu (Bench *bench)
{
#ifdef CTR_HAVE_CUDA
  cracks_gpu_free (bench->gpu);
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

/* One failure must not end the others' measurement. */
static int
measure_all (Bench *bench, char **files, int file_count)
{
  if (!open_folder (bench))
    return 1;
  bool ok = measure_scenes (bench);
  ok = measure_labels (bench) && ok;
  for (int i = 0; i < file_count; i++)
    ok = measure_file (bench, files[i]) && ok;
  ok = measure_table4 (bench) && ok;
  ok = measure_table2 (bench) && ok;
  ok = measure_curves (bench) && ok;
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
      fprintf (stderr, "usage: %s [--quick] [--host] [--cases REGEX] [--write DIR] [MAP.pgm...]\n", argv[0]);
      return 2;
    }
  }
  if (!bench_choose (cases))
    return 2;
  CtrError error;
  bench.host = ctr_cracks_new (CTR_BACKEND_CPU, &error);
  bench.host_cca = bench.host ? ctr_cca_new (CTR_BACKEND_CPU, &error) : NULL;
  if (!bench.host_cca) {
    ctr_cracks_free (bench.host);
    fprintf (stderr, "%s\n", error.message);
    return 1;
  }
  int status = 1;
  bench.image = malloc (max_size);
  if (!bench.image) {
    fprintf (stderr, "no host memory for images of %zu bytes\n", max_size);
  } else if (open_gpu (&bench)) {
    status = measure_all (&bench, argv + files, argc - files);
  }
  free (bench.image);
  close_gpu (&bench);
  ctr_cracks_free (bench.host);
  ctr_cca_free (bench.host_cca);
  return status;
}
