/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What bench_cca measures, and its record. */
#ifndef BENCH_CCA_WORK_H
#define BENCH_CCA_WORK_H

#include <contours/cca.h>

typedef struct {
  const char *name; /* "random", a pattern's or a file's name */
  uint32_t width;
  uint32_t height;
  uint32_t granularity; /* 0: not a random mask */
  uint32_t density;     /* percent */
  CtrConnectivity connectivity;
  bool equal;          /* 16-bit samples and CTR_COMPONENTS_EQUAL, instead of a mask */
  CtrRegions *regions; /* that are analysed; NULL: the whole image */
  uint32_t features;   /* that are asked for beside the table */
  CtrSelect select;    /* limits on numbers */
} BenchWork;

static inline CtrCcaParams
bench_params (const BenchWork *work)
{
  CtrCcaParams params;
  ctr_cca_params_init (&params);
  params.connectivity = work->connectivity;
  params.mode = work->equal ? CTR_COMPONENTS_EQUAL : CTR_COMPONENTS_FOREGROUND;
  params.foreground.regions = work->regions;
  params.features = work->features;
  params.select = work->select;
  return params;
}

/* The image of WORK. */
static inline CtrImage
bench_view (const BenchWork *work, const uint8_t *data, CtrMemory memory)
{
  return (CtrImage){
      .data = data,
      .stride = (size_t) work->width << work->equal,
      .width = work->width,
      .height = work->height,
      .format = work->equal ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8,
      .memory = memory,
  };
}

/* WHO worked in MODE ("warm", "flushed", "in-turn", "run", "upload-run", "host") and took MICROSECONDS[runs], which
 * this sorts. */
void bench_record (
    const char *who, const char *mode, const BenchWork *work, uint32_t components, double *microseconds, int runs);

/* Where WORK went wrong, for messages. Not reentrant. */
const char *bench_describe (const BenchWork *work);

#endif
