/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/cracks/cracks_work.h"

#include "tests/bench/common/bench.h"

#include <contours/codes.h>

#include <inttypes.h>
#include <stdio.h>

static const char *
levels_name (const CracksWork *work)
{
  return work->components ? "labels" : work->params.mode == CTR_LEVELS_EQUAL ? "eq" : "ge";
}

void
cracks_print (FILE *file, const CracksWork *work)
{
  const CtrCracksParams *p = &work->params;
  fprintf (file,
      "\"name\": \"%s\", \"width\": %u, \"height\": %u, \"bits\": %u, \"levels_are\": \"%s\", \"connectivity\": %d, "
      "\"frame\": \"%s\", \"step\": %u, \"min_area\": %g, \"moments\": %d, "
      "\"nested\": %d, \"min_persistence\": %u, \"levels\": %u, \"corners\": %" PRIu64,
      work->name, work->width, work->height, 8 * work->bytes, levels_name (work), (int) p->connectivity,
      p->frame == CTR_IMAGE_BORDER_ZERO ? "zero" : "pad", p->step, p->min_area,
      p->features & CTR_CONTOUR_FEATURE_MOMENTS ? 1 : 0, p->hierarchy == CTR_HIERARCHY_LEVELS, p->min_persistence,
      work->levels, work->corners);
}

const char *
cracks_describe (const CracksWork *work)
{
  static char text[320];
  const CtrCracksParams *p = &work->params;
  snprintf (text, sizeof text,
      "%s %ux%u, %u bit, %s, %d-connected, frame %s, %s %u to %u by %u, area %g..%g, length %g, features %u, hierarchy "
      "%s, "
      "persistence %u",
      work->name, work->width, work->height, 8 * work->bytes, levels_name (work), (int) p->connectivity,
      p->frame == CTR_IMAGE_BORDER_ZERO ? "zero" : "pad", p->levels ? "listed levels" : "levels", p->minimum,
      p->maximum, p->step, p->min_area, p->max_area, p->min_length, p->features,
      p->hierarchy == CTR_HIERARCHY_LEVELS ? "levels" : "per level", p->min_persistence);
  return text;
}

void
cracks_record (const char *who, const char *mode, const CracksWork *work, const CtrContours *result,
    double *microseconds, int runs)
{
  BenchTimes times = bench_times (microseconds, runs);
  printf ("{\"type\": \"time\", \"who\": \"%s\", \"mode\": \"%s\", ", who, mode);
  cracks_print (stdout, work);
  printf (", \"contours\": %u, \"points\": %" PRIu64 ", \"runs\": %d, \"min_us\": %.3f, \"median_us\": %.3f}\n",
      result->count, result->point_count, runs, times.min, times.median);
  fflush (stdout);
}

CtrImage
cracks_view (const CracksWork *work, const void *samples, size_t padding)
{
  return (CtrImage){
      .data = samples,
      .stride = work->width * work->bytes + padding,
      .width = work->width,
      .height = work->height,
      .format = work->bytes == 2 ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8,
      .memory = CTR_MEMORY_HOST,
  };
}

CtrContours *
cracks_run_host (CtrCracks *host, const CracksWork *work, const CtrImage *image)
{
  CtrError error;
  CtrContours *contours = work->components ? ctr_cracks_run_labels (host, work->components, &work->params, NULL, &error)
                                           : ctr_cracks_run (host, image, &work->params, NULL, &error);
  if (!contours)
    fprintf (stderr, "%s: %s\n", cracks_describe (work), error.message);
  return contours;
}

CtrComponents *
cracks_label (CtrCca *cca, const CtrImage *image, void *stream)
{
  CtrCcaParams params;
  CtrError error;
  ctr_cca_params_init (&params);
  params.mode = CTR_COMPONENTS_EQUAL;
  params.features = CTR_FEATURE_LABELS;
  CtrComponents *components = ctr_cca_run (cca, image, &params, stream, &error);
  if (!components)
    fprintf (stderr, "%s\n", error.message);
  return components;
}

/* Bytes that leave the GPU for the chains: see cuda/contours/contour_codes.cu. */
static uint64_t
chain_bytes (const CtrContourChain *chains, uint32_t count, uint32_t width)
{
  uint64_t bytes = 0, before = 0, from_row = 1;
  while (from_row <= width)
    from_row *= 2;
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t number = chains[i].first.y * from_row + chains[i].first.x;
    const bool in_full = chains[i].steps / 2 >= 255 || number < before || number - before > UINT16_MAX;
    bytes += in_full ? 11 : 3;
    before = number;
  }
  return bytes;
}

bool
cracks_record_codes (const CracksWork *work, CtrContours *contours)
{
  CtrContourCodes codes;
  CtrError error;
  const double start = bench_now ();
  if (!ctr_contours_map_codes (contours, &codes, &error)) {
    fprintf (stderr, "%s: %s\n", cracks_describe (work), error.message);
    return false;
  }
  const double us = bench_now () - start;
  uint64_t steps = 0;
  for (uint32_t i = 0; i < contours->count; i++)
    steps += codes.chains[i].steps;
  printf ("{\"type\": \"codes\", ");
  cracks_print (stdout, work);
  printf (", \"contours\": %u, \"points\": %" PRIu64 ", \"steps\": %" PRIu64 ", \"point_bytes\": %" PRIu64
          ", \"row_bytes\": %" PRIu64 ", \"code_bytes\": %" PRIu64 ", \"chain_bytes\": %" PRIu64
          ", \"host_us\": %.3f}\n",
      contours->count, contours->point_count, steps, contours->point_count * sizeof (CtrPoint),
      (uint64_t) contours->count * sizeof (CtrContour), codes.size,
      chain_bytes (codes.chains, contours->count, contours->width), us);
  return true;
}
