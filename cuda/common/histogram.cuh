/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The histogram of a grey plane, and its Otsu threshold. */
#ifndef CTR_CUDA_COMMON_HISTOGRAM_CUH
#define CTR_CUDA_COMMON_HISTOGRAM_CUH

#include "cuda/common/launch.cuh"

#include <contours/foreground.h>
#include <contours/image.h>

constexpr int LEVELS_8 = 256;
constexpr int LEVELS_16 = 65536;

struct Histogram {
  uint32_t counts[LEVELS_16]; /* 0 between frames */
  uint32_t finished;          /* CTAs that have added theirs; 0 between frames */
  uint32_t threshold;         /* where it goes if nobody else needs it */
  uint32_t result[LEVELS_8];  /* the counts of a picture of up to 256 levels */
};

/* Queues the histogram of IMAGE and its Otsu threshold, which goes to THRESHOLD on the device. The luma of packed RGB is
 * also written to LUMA; otherwise this is NULL. SMALL: 256 levels; 16-bit samples are shifted right by SAMPLE_SHIFT and
 * limited to 255. */
bool histogram_queue (Histogram *histogram, uint32_t *threshold, const CtrImage *image, const CtrImage *luma,
    bool small, uint32_t sample_shift, cudaStream_t stream, CtrError *error);

/* Likewise with as many levels as IMAGE has, and the threshold of FOREGROUND, whose mode is CTR_THRESHOLD_OTSU or
 * CTR_THRESHOLD_TRIANGLE. */
bool histogram_queue_threshold (Histogram *histogram, const CtrForeground *foreground, uint32_t *threshold,
    const CtrImage *image, const CtrImage *luma, cudaStream_t stream, CtrError *error);

/* Queues the search alone, in the counts that another kernel has added to HISTOGRAM, whose threshold it sets. WIDE: there are
 * 65536 levels. */
bool histogram_queue_search (
    Histogram *histogram, const CtrForeground *foreground, bool wide, cudaStream_t stream, CtrError *error);

#endif
