/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/common/samples.h"

#include "core/common/error.h"
#include "core/common/input.h"
#include "core/common/otsu.h"
#include "core/common/poll.h"
#include "core/foreground/triangle.h"
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
  ctr_host_buffer_release (&samples->mask);
  ctr_foreground_release (&samples->masking);
  ctr_atlas_release (&samples->atlas);
}

bool
ctr_samples_give_back (CtrSamples *samples)
{
  bool some = ctr_host_buffer_give_back (&samples->counts);
  some |= ctr_host_buffer_give_back (&samples->mask);
  some |= ctr_foreground_give_back (&samples->masking);
  return ctr_atlas_give_back (&samples->atlas) || some;
}

/* The samples of row Y; LUMA has room for the luma of packed pixels. */
static const void *
row_of (const CtrImage *image, uint32_t y, uint8_t *luma)
{
  const uint8_t *row = (const uint8_t *) image->data + y * image->stride;
  if (!ctr_format_is_packed (image->format))
    return row;
  ctr_luma_row (image->format, row, image->width, luma);
  return luma;
}

const void *
ctr_samples_row (CtrSamples *samples, const CtrImage *image, uint32_t y)
{
  return row_of (image, y, samples->luma);
}

/* Threads that convert bands to luma. */
typedef struct {
  CtrInput *input;
  uint32_t bands;
  bool cancelled; /* atomic */
} Conversion;

static void
convert_band (void *data, uint32_t band)
{
  Conversion *conversion = data;
  const CtrInput *input = conversion->input;
  const CtrImage *image = &input->image;
  const uint32_t end = ctr_band_first (image->height, conversion->bands, band + 1);
  for (uint32_t y = ctr_band_first (image->height, conversion->bands, band); y < end; y++) {
    if (ctr_cancelled ()) {
      __atomic_store_n (&conversion->cancelled, true, __ATOMIC_RELAXED);
      return;
    }
    ctr_luma_row (image->format, (const uint8_t *) image->data + y * image->stride, image->width,
        input->host.luma + y * input->host.stride);
  }
}

static bool
convert (CtrInput *input)
{
  const unsigned threads = ctr_threads_current ();
  Conversion conversion = {.input = input};
  if (!ctr_input_reserve_luma (input))
    return false;
  conversion.bands = ctr_band_count (input->image.width, input->image.height, threads, 1, MIN_PIXELS);
  ctr_parallel_for (threads, conversion.bands, convert_band, &conversion);
  return !conversion.cancelled;
}

/* Without memory for the luma, rows are converted one by one, as without a shared input. Where the conversion was
 * cancelled, the analysis ends, too. */
const CtrImage *
ctr_samples_share (const CtrImage *image, CtrImage *plane)
{
  CtrInput *input = ctr_format_is_packed (image->format) ? ctr_input_for (image) : NULL;
  if (!input)
    return image;
  input->host.has_luma = input->host.has_luma || convert (input);
  if (!input->host.has_luma)
    return image;
  ctr_input_view_luma (input, plane);
  return plane;
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
otsu_threshold (const uint32_t *histogram, uint32_t levels, uint64_t pixels)
{
  uint64_t sum = 0;
  for (uint32_t i = 0; i < levels; i++)
    sum += (uint64_t) i * histogram[i];
  CtrOtsu otsu;
  ctr_otsu_init (&otsu, pixels, sum);
  for (uint32_t i = 0; i < levels; i++)
    if (histogram[i])
      ctr_otsu_add (&otsu, i, histogram[i]);
  return ctr_otsu_threshold (&otsu);
}

uint32_t
ctr_samples_threshold_of (const uint32_t *histogram, uint32_t levels, uint64_t pixels, const CtrForeground *foreground)
{
  if (foreground->mode == CTR_THRESHOLD_TRIANGLE)
    return levels == 256 ? ctr_triangle_find (histogram)
                         : ctr_triangle_find_16 (histogram, foreground->significant_bits);
  return otsu_threshold (histogram, levels, pixels);
}

static uint32_t
threshold_of (const Count *count, const CtrForeground *foreground)
{
  const uint32_t levels = count->image->format == CTR_FORMAT_GRAY16 ? 65536 : 256;
  uint32_t *histogram = count->counts[0].bins;
  for (uint32_t band = 0; band < count->bands; band++)
    for (uint32_t i = band == 0 ? levels : 0; i < count->bins; i++)
      histogram[i % levels] += count->counts[band].bins[i];
  return ctr_samples_threshold_of (
      histogram, levels, (uint64_t) count->image->width * count->image->height, foreground);
}

bool
ctr_samples_find_threshold (
    CtrHostBuffer *counts, const CtrImage *image, const CtrForeground *foreground, uint32_t *threshold, CtrError *error)
{
  Count count = {.image = image, .bins = image->format == CTR_FORMAT_GRAY16 ? 65536 : 4 * 256};
  const unsigned threads = ctr_threads_current ();
  count.bands = ctr_band_count (image->width, image->height, threads, 1, MIN_PIXELS);
  if (!ctr_host_buffer_reserve (counts, count.bands, sizeof (Counts)))
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a histogram");
  count.counts = counts->data;
  ctr_parallel_for (threads, count.bands, count_band, &count);
  if (count.cancelled)
    return ctr_fail_cancelled (error);
  *threshold = threshold_of (&count, foreground);
  return true;
}

static bool
find_threshold (
    CtrSamples *samples, const CtrImage *image, const CtrForeground *foreground, uint32_t *threshold, CtrError *error)
{
  if (foreground->mode == CTR_THRESHOLD_FIXED) {
    *threshold = foreground->threshold;
    return true;
  }
  CtrInput *input = ctr_input_for (image);
  if (input && input->host.has_threshold) {
    *threshold = input->host.threshold;
    return true;
  }
  if (!ctr_samples_find_threshold (&samples->counts, image, foreground, threshold, error))
    return false;
  if (input) {
    input->host.threshold = *threshold;
    input->host.has_threshold = true;
  }
  return true;
}

/* Makes the mask where a later analyser of the same image finds it, in INPUT, or in memory of its own. */
static bool
make_mask (CtrSamples *samples, CtrInput *input, const CtrImage *image, const CtrForeground *foreground,
    CtrForegroundRows *rows, CtrError *error)
{
  uint64_t *bits;
  const bool leaves = input && !input->host.mask.is_made && ctr_input_reserve_mask (input);
  if (!leaves && !ctr_host_buffer_reserve (&samples->mask, image->height, ctr_packed_row (image->width)))
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the foreground mask of a %u x %u image",
        image->width, image->height);
  bits = leaves ? input->host.mask.bits : samples->mask.data;
  if (!ctr_foreground_make (&samples->masking, image, foreground, bits, &rows->threshold, error))
    return false;
  rows->mask = bits;
  if (leaves) {
    input->host.mask.is_made = true;
    input->host.mask.foreground = *foreground;
    input->host.mask.chroma = image->chroma;
    input->host.mask.threshold = rows->threshold;
  }
  return true;
}

bool
ctr_samples_regions (CtrSamples *samples, const CtrImage *image, const CtrForeground *foreground, bool reversed,
    bool grey, CtrAtlas *atlas, CtrForegroundRows *rows, CtrError *error)
{
  CtrImage luma;
  const CtrImage *source = ctr_foreground_uses_colour (foreground) ? image : ctr_samples_share (image, &luma);
  *rows = (CtrForegroundRows){0};
  if (!ctr_atlas_make (&samples->atlas, &samples->masking, source, foreground, reversed, grey, atlas, error))
    return false;
  rows->threshold = atlas->threshold;
  rows->mask = atlas->mask.bits;
  rows->words = atlas->mask.stride;
  return true;
}

static bool
make_mask_of_regions (CtrSamples *samples, const CtrImage *image, const CtrForeground *foreground,
    CtrForegroundRows *rows, CtrError *error)
{
  CtrAtlas atlas;
  if (!ctr_samples_regions (samples, image, foreground, false, false, &atlas, rows, error))
    return false;
  if (!ctr_host_buffer_reserve (&samples->mask, image->height, ctr_packed_row (image->width)))
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the foreground mask of a %u x %u image",
        image->width, image->height);
  const CtrPacked whole = {
      samples->mask.data, ctr_packed_row (image->width) / sizeof (uint64_t), image->width, image->height};
  rows->mask = whole.bits;
  rows->words = whole.stride;
  return ctr_atlas_move_mask (&atlas, &whole) || ctr_fail_cancelled (error);
}

bool
ctr_samples_mask (CtrSamples *samples, const CtrImage *image, const CtrForeground *foreground, CtrForegroundRows *rows,
    CtrError *error)
{
  if (foreground->regions)
    return make_mask_of_regions (samples, image, foreground, rows, error);
  CtrInput *input = ctr_foreground_is_plain (foreground) ? NULL : ctr_input_for (image);
  *rows = (CtrForegroundRows){.words = ctr_packed_row (image->width) / sizeof (uint64_t)};
  if (!input || !input->host.mask.is_made
      || !ctr_input_is_same_mask (foreground, &image->chroma, &input->host.mask.foreground, &input->host.mask.chroma))
    return make_mask (samples, input, image, foreground, rows, error);
  rows->mask = input->host.mask.bits;
  rows->threshold = input->host.mask.threshold;
  return true;
}

bool
ctr_samples_foreground (CtrSamples *samples, const CtrImage *image, const CtrImage *plane,
    const CtrForeground *foreground, CtrForegroundRows *rows, CtrError *error)
{
  if (!ctr_foreground_is_plain (foreground))
    return ctr_samples_mask (samples, image, foreground, rows, error);
  *rows = (CtrForegroundRows){.invert = foreground->invert};
  return find_threshold (samples, plane, foreground, &rows->threshold, error);
}
