/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bands: parts of an image's rows, one above the other, for several threads. Internal. */
#ifndef CTR_CPU_COMMON_BANDS_H
#define CTR_CPU_COMMON_BANDS_H

#include "cpu/common/parallel.h"

/* The pixels that a band has at least, unless tests want bands of single rows: a thread wakes up in about 50 us. */
#ifndef CTR_MIN_BAND_PIXELS
#define CTR_MIN_BAND_PIXELS(pixels) (pixels)
#endif

/* Into how many bands of at least MIN_PIXELS an image is divided for work of THREADS threads, with up to PER_THREAD bands
 * for each of several. */
static inline uint32_t
ctr_band_count (uint32_t width, uint32_t height, unsigned threads, uint32_t per_thread, uint32_t min_pixels)
{
  if (threads == 1)
    return 1;
  const uint64_t fit = (uint64_t) width * height / CTR_MIN_BAND_PIXELS (min_pixels);
  uint64_t count = (uint64_t) threads * per_thread;
  count = count < fit ? count : fit;
  count = count < height ? count : height;
  return count > 1 ? (uint32_t) count : 1;
}

/* The first row of band I, or for I = COUNT the height. */
static inline uint32_t
ctr_band_first (uint32_t height, uint32_t count, uint32_t i)
{
  return (uint32_t) ((uint64_t) height * i / count);
}

/* Hands out the numbers below COUNT, one to each call; COUNT or more when there are no more. *NEXT begins at 0. */
static inline uint32_t
ctr_band_take (uint32_t *next, uint32_t count)
{
  const uint32_t band = __atomic_fetch_add (next, 1, __ATOMIC_RELAXED);
  return band < count ? band : count;
}

#endif
