/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thresholds and ranges: rows of samples to rows of bits. */
#include "core/common/poll.h"
#include "cpu/common/luma.h"
#include "cpu/common/samples.h"
#include "cpu/foreground/steps.h"

#include <string.h>

typedef struct {
  const CtrImage *image;
  CtrFormat format; /* of the channel's samples */
  const CtrForeground *foreground;
  uint32_t threshold;
  const CtrPacked *mask, *marker;
} Levels;

/* Samples of a row; behind them, bits of two rows. */
static size_t
samples_room (uint32_t width)
{
  return ((size_t) width + 63) & ~(size_t) 63;
}

size_t
ctr_levels_scratch (uint32_t width)
{
  return samples_room (width) + 2 * ctr_packed_row (width);
}

/* The samples from LOWER to UPPER, or where LOWER is greater, those from LOWER on and those up to UPPER. OTHERS is scratch. */
static void
pack_range (const CtrImage *image, const void *row, uint32_t lower, uint32_t upper, uint64_t *bits, uint64_t *others)
{
  ctr_samples_pack (image, row, lower, false, bits);
  ctr_samples_pack (image, row, upper + 1, true, others);
  for (uint32_t i = 0; i < CTR_ROW_WORDS (image->width); i++)
    bits[i] = lower <= upper ? bits[i] & others[i] : bits[i] | others[i];
}

/* The pixels of row Y that are in all ranges. */
static void
pack_ranges (const Levels *levels, uint32_t y, uint8_t *samples, uint64_t *scratch, uint64_t *bits)
{
  const CtrImage *image = levels->image;
  const CtrForeground *foreground = levels->foreground;
  const uint32_t words = CTR_ROW_WORDS (image->width);
  uint64_t *range = scratch, *others = scratch + words;
  CtrImage plane = {.width = image->width, .format = CTR_FORMAT_GRAY8};
  for (uint32_t i = 0; i < words; i++)
    bits[i] = ctr_packed_pixels (image->width, i);
  /* Colours are split once for all ranges. */
  const uint32_t luma = UINT32_C (1) << CTR_CHANNEL_LUMA,
                 apart = ctr_format_is_rgb (image->format) ? luma : ~UINT32_C (0);
  if (foreground->ranges & ~apart)
    ctr_channels_select (image, foreground, y, bits);
  for (int c = 0; c < CTR_CHANNELS; c++) {
    if (!(foreground->ranges & apart & UINT32_C (1) << c))
      continue;
    const void *row = ctr_channel_row (image, (CtrChannel) c, y, samples);
    pack_range (&plane, row, foreground->lower[c], foreground->upper[c], range, others);
    for (uint32_t i = 0; i < words; i++)
      bits[i] &= range[i];
  }
}

/* The pixels of row Y that the threshold makes foreground. */
static void
pack_levels (const Levels *levels, uint32_t y, uint8_t *samples, uint64_t *scratch, uint64_t *bits, uint64_t *marker)
{
  const CtrForeground *foreground = levels->foreground;
  const void *row = ctr_channel_row (levels->image, foreground->channel, y, samples);
  const CtrImage view = {.width = levels->image->width, .format = levels->format};
  const uint32_t most = 65535, upper = foreground->upper_threshold < most ? foreground->upper_threshold : most;
  if (foreground->mode == CTR_THRESHOLD_FIXED && upper > 0 && levels->threshold <= upper)
    pack_range (&view, row, levels->threshold, upper, bits, scratch);
  else if (foreground->mode == CTR_THRESHOLD_FIXED && upper > 0)
    memset (bits, 0, CTR_ROW_WORDS (view.width) * sizeof *bits);
  else
    ctr_samples_pack (&view, row, levels->threshold, false, bits);
  if (marker)
    ctr_samples_pack (&view, row, foreground->upper_threshold, false, marker);
}

/* The bits of a row behind the words that have pixels. */
static void
clear_end (const CtrPacked *mask, uint64_t *bits)
{
  const uint32_t words = CTR_ROW_WORDS (mask->width);
  memset (bits + words, 0, (mask->stride - words) * sizeof *bits);
}

static bool
pack_band (void *context, void *scratch, uint32_t first, uint32_t end)
{
  const Levels *levels = context;
  const CtrPacked *mask = levels->mask, *marker = levels->marker;
  uint64_t *others = (uint64_t *) ((uint8_t *) scratch + samples_room (mask->width));
  for (uint32_t y = first; y < end; y++) {
    uint64_t *bits = ctr_packed_bits (mask, y);
    if (ctr_cancelled ())
      return false;
    if (levels->foreground->ranges)
      pack_ranges (levels, y, scratch, others, bits);
    else
      pack_levels (levels, y, scratch, others, bits, marker ? ctr_packed_bits (marker, y) : NULL);
    if (levels->foreground->invert && !marker)
      for (uint32_t i = 0; i < CTR_ROW_WORDS (mask->width); i++)
        bits[i] ^= ctr_packed_pixels (mask->width, i);
    clear_end (mask, bits);
    if (marker)
      clear_end (marker, ctr_packed_bits (marker, y));
  }
  return true;
}

bool
ctr_levels_pack (const CtrRowsPlan *plan, const CtrImage *image, const CtrForeground *foreground, uint32_t threshold,
    const CtrPacked *mask, const CtrPacked *marker)
{
  Levels levels = {.image = image,
      .format = image->format == CTR_FORMAT_GRAY16 ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8,
      .foreground = foreground,
      .threshold = threshold,
      .mask = mask,
      .marker = marker};
  return ctr_rows_run (plan, image->height, pack_band, &levels);
}
