/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/common/samples.h"

#include "core/common/otsu.h"
#include "core/common/poll.h"
#include "cpu/common/bands.h"
#include "cpu/common/luma.h"

#include <string.h>

enum { MIN_PIXELS = 1 << 17 /* of a band */ };

/* The working memory of a thread that counts. */
typedef struct {
  uint32_t bins[65536];
  uint8_t luma[CTR_MAX_SIDE];
} Counts;

void
ctr_samples_release (CtrSamples *samples)
{
  ctr_host_buffer_release (&samples->counts);
}

/* The samples of row Y; LUMA has room for those of packed RGB. */
static const void *
row_of (const CtrImage *image, uint32_t y, uint8_t *luma)
{
  const uint8_t *row = (const uint8_t *) image->data + y * image->stride;
  if (!ctr_format_is_rgb (image->format))
    return row;
  ctr_luma_row (image->format, row, image->width, luma);
  return luma;
}

const void *
ctr_samples_row (CtrSamples *samples, const CtrImage *image, uint32_t y)
{
  return row_of (image, y, samples->luma);
}

/* Threads that count the samples of bands. */
typedef struct {
  const CtrImage *image;
  uint32_t bands;
  Counts *counts; /* by band */
  uint32_t bins;
  bool cancelled; /* atomic */
} Count;

/* Neighbours are often equal, and incrementing the same counter again would have to wait: there are four counters for
 * each of the 256 levels. */
static void
count_row (const CtrImage *image, const void *row, uint32_t *bins)
{
  if (image->format == CTR_FORMAT_GRAY16)
    for (uint32_t x = 0; x < image->width; x++)
      bins[((const uint16_t *) row)[x]]++;
  else
    for (uint32_t x = 0; x < image->width; x++)
      bins[x % 4 * 256 + ((const uint8_t *) row)[x]]++;
}

static void
count_band (void *data, uint32_t band)
{
  Count *count = data;
  Counts *counts = &count->counts[band];
  const uint32_t end = ctr_band_first (count->image->height, count->bands, band + 1);
  memset (counts->bins, 0, count->bins * sizeof *counts->bins);
  for (uint32_t y = ctr_band_first (count->image->height, count->bands, band); y < end; y++) {
    if (ctr_cancelled ()) {
      __atomic_store_n (&count->cancelled, true, __ATOMIC_RELAXED);
      return;
    }
    count_row (count->image, row_of (count->image, y, counts->luma), counts->bins);
  }
}

static uint32_t
otsu_threshold (const Count *count)
{
  const bool wide = count->image->format == CTR_FORMAT_GRAY16;
  const uint32_t levels = wide ? 65536 : 256;
  uint32_t *histogram = count->counts[0].bins;
  for (uint32_t band = 0; band < count->bands; band++)
    for (uint32_t i = band == 0 ? levels : 0; i < count->bins; i++)
      histogram[i % levels] += count->counts[band].bins[i];
  uint64_t sum = 0;
  for (uint32_t i = 0; i < levels; i++)
    sum += (uint64_t) i * histogram[i];
  CtrOtsu otsu;
  ctr_otsu_init (&otsu, (uint64_t) count->image->width * count->image->height, sum);
  for (uint32_t i = 0; i < levels; i++)
    if (histogram[i])
      ctr_otsu_add (&otsu, i, histogram[i]);
  return ctr_otsu_threshold (&otsu);
}

bool
ctr_samples_threshold (
    CtrSamples *samples, const CtrImage *image, const CtrForeground *foreground, uint32_t *threshold, CtrError *error)
{
  if (foreground->mode == CTR_THRESHOLD_FIXED) {
    *threshold = foreground->threshold;
    return true;
  }
  Count count = {.image = image, .bins = image->format == CTR_FORMAT_GRAY16 ? 65536 : 4 * 256};
  const unsigned threads = ctr_threads_current ();
  count.bands = ctr_band_count (image->width, image->height, threads, 1, MIN_PIXELS);
  if (!ctr_host_buffer_reserve (&samples->counts, count.bands, sizeof (Counts)))
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a histogram");
  count.counts = samples->counts.data;
  ctr_parallel_for (threads, count.bands, count_band, &count);
  if (count.cancelled)
    return ctr_fail_cancelled (error);
  *threshold = otsu_threshold (&count);
  return true;
}
