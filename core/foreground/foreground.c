/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Foreground masks: what their arguments must be, and what of them counts. */
#include "core/foreground/foreground.h"

#include "core/common/error.h"
#include "core/common/format.h"
#include "core/foreground/regions.h"

#include <string.h>

enum { ALL_CHANNELS = (1 << CTR_CHANNELS) - 1, MOST_OFFSET = 65535, MOST_SHIFT = 2, LEAST_BITS = 8, MOST_BITS = 16 };

static const char *const channel_names[CTR_CHANNELS] = {
    [CTR_CHANNEL_LUMA] = "luma",
    [CTR_CHANNEL_RED] = "red",
    [CTR_CHANNEL_GREEN] = "green",
    [CTR_CHANNEL_BLUE] = "blue",
    [CTR_CHANNEL_HUE] = "hue",
    [CTR_CHANNEL_SATURATION] = "saturation",
    [CTR_CHANNEL_VALUE] = "value",
    [CTR_CHANNEL_CB] = "cb",
    [CTR_CHANNEL_CR] = "cr",
};

bool
ctr_foreground_has_steps (const CtrForeground *foreground)
{
  return foreground->open_size > 1 || foreground->close_size > 1 || foreground->fill_holes
         || foreground->split_touching > 0 || foreground->clear_border;
}

bool
ctr_foreground_is_plain (const CtrForeground *foreground)
{
  const bool fixed = foreground->mode == CTR_THRESHOLD_FIXED && foreground->upper_threshold == 0;
  return (fixed || foreground->mode == CTR_THRESHOLD_OTSU) && foreground->ranges == 0
         && foreground->channel == CTR_CHANNEL_LUMA && !ctr_foreground_has_steps (foreground) && !foreground->regions;
}

uint32_t
ctr_foreground_channels (const CtrForeground *foreground)
{
  return foreground->ranges ? foreground->ranges : UINT32_C (1) << foreground->channel;
}

bool
ctr_foreground_is_adaptive (const CtrForeground *foreground)
{
  return foreground->ranges == 0
         && (foreground->mode == CTR_THRESHOLD_ADAPTIVE_MEAN || foreground->mode == CTR_THRESHOLD_ADAPTIVE_GAUSSIAN);
}

bool
ctr_foreground_has_hysteresis (const CtrForeground *foreground)
{
  return foreground->ranges == 0 && foreground->mode == CTR_THRESHOLD_HYSTERESIS;
}

static bool
check_threshold (const CtrForeground *foreground, CtrError *error)
{
  if ((unsigned) foreground->mode > CTR_THRESHOLD_HYSTERESIS)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown threshold mode %d", (int) foreground->mode);
  if ((unsigned) foreground->channel > CTR_CHANNEL_CR)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown channel %d", (int) foreground->channel);
  if (foreground->ranges & ~(uint32_t) ALL_CHANNELS)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "unknown channels in ranges 0x%x: only the lowest %d bits stand for channels", foreground->ranges,
        CTR_CHANNELS);
  if (ctr_foreground_has_hysteresis (foreground) && foreground->upper_threshold < foreground->threshold)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the upper threshold of the hysteresis is %u: it must be at least the threshold, %u",
        foreground->upper_threshold, foreground->threshold);
  if (foreground->ranges == 0 && foreground->mode == CTR_THRESHOLD_TRIANGLE && foreground->significant_bits
      && (foreground->significant_bits < LEAST_BITS || foreground->significant_bits > MOST_BITS))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "samples have %u significant bits: they must have %d to %d, or 0 to find out", foreground->significant_bits,
        LEAST_BITS, MOST_BITS);
  if (!ctr_foreground_is_adaptive (foreground))
    return true;
  if (foreground->block_size % 2 == 0 || foreground->block_size < CTR_MIN_BLOCK_SIZE
      || foreground->block_size > CTR_MAX_BLOCK_SIZE)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the block size is %u: it must be an odd number from %d to %d",
        foreground->block_size, CTR_MIN_BLOCK_SIZE, CTR_MAX_BLOCK_SIZE);
  if (foreground->offset < -MOST_OFFSET || foreground->offset > MOST_OFFSET)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the offset is %d: it must be -%d to %d", foreground->offset,
        MOST_OFFSET, MOST_OFFSET);
  return true;
}

static bool
check_size (const char *what, uint32_t size, CtrError *error)
{
  return size <= CTR_MAX_SHAPE_SIZE
         || ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the size of the %s is %u pixels: it must be 0 to %d", what,
             size, CTR_MAX_SHAPE_SIZE);
}

static bool
check_shape (const CtrForeground *foreground, CtrError *error)
{
  if ((unsigned) foreground->shape > CTR_SHAPE_ELLIPSE)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown shape %d", (int) foreground->shape);
  return check_size ("opening", foreground->open_size, error) && check_size ("closing", foreground->close_size, error);
}

static bool
check_split (const CtrForeground *foreground, CtrError *error)
{
  return foreground->split_touching <= CTR_MAX_SPLIT_DEPTH
         || ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
             "the depth at which touching parts are split is %u: it must be 0 to %d, in 1/16 pixels",
             foreground->split_touching, CTR_MAX_SPLIT_DEPTH);
}

static bool
check_chroma (const char *channel, const CtrImage *image, CtrError *error)
{
  const CtrChroma *chroma = &image->chroma;
  if (!chroma->cb || !chroma->cr)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the channel is %s: the image must be packed RGB, or a luma plane of 8 bits with its chroma", channel);
  if (chroma->step < 1 || chroma->step > 2 || chroma->shift_x > MOST_SHIFT || chroma->shift_y > MOST_SHIFT)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the chroma has a step of %u and the shifts %u and %u: the step must be 1 or 2, the shifts 0 to %d",
        chroma->step, chroma->shift_x, chroma->shift_y, MOST_SHIFT);
  const size_t row = (((size_t) image->width - 1) >> chroma->shift_x) * chroma->step + 1;
  if (chroma->stride < row)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the chroma's stride of %zu bytes is shorter than a row of %zu bytes", chroma->stride, row);
  return true;
}

static bool
check_packed_yuv (CtrChannel channel, const CtrImage *image, CtrError *error)
{
  const char *name = channel_names[channel];
  if (channel != CTR_CHANNEL_CB && channel != CTR_CHANNEL_CR)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the channel is %s: the image must be packed RGB, but it is packed YUV", name);
  if (image->chroma.cb || image->chroma.cr)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the channel is %s: packed YUV has its chroma in the pixels, so the image must have no other", name);
  return true;
}

static bool
check_channel (CtrChannel channel, const CtrImage *image, CtrError *error)
{
  const char *name = channel_names[channel];
  if (channel == CTR_CHANNEL_LUMA || ctr_format_is_rgb (image->format))
    return true;
  if (ctr_format_is_packed_yuv (image->format))
    return check_packed_yuv (channel, image, error);
  if (image->format == CTR_FORMAT_GRAY16)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the channel is %s: the image has 16-bit samples, which have no channel but luma", name);
  if (channel == CTR_CHANNEL_CB || channel == CTR_CHANNEL_CR)
    return check_chroma (name, image, error);
  return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
      "the channel is %s: the image must be packed RGB, but it is a plane of grey samples", name);
}

static bool
check_channels (const CtrForeground *foreground, const CtrImage *image, CtrError *error)
{
  const uint32_t channels = ctr_foreground_channels (foreground);
  for (int i = 0; i < CTR_CHANNELS; i++)
    if (channels >> i & 1 && !check_channel ((CtrChannel) i, image, error))
      return false;
  if (foreground->ranges && image->format == CTR_FORMAT_GRAY16)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "a range is set, but the image has 16-bit samples: set the threshold and the upper threshold instead");
  return true;
}

bool
ctr_foreground_check (const CtrForeground *foreground, const CtrImage *image, CtrError *error)
{
  if (!foreground)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the foreground is NULL: a zeroed one has the threshold 0 and no further step");
  return check_threshold (foreground, error) && check_shape (foreground, error) && check_split (foreground, error)
         && check_channels (foreground, image, error)
         && (!foreground->regions || ctr_regions_check (foreground->regions, image, error));
}

/* FOREGROUND without what its mode ignores. */
static CtrForeground
plan_of (const CtrForeground *foreground)
{
  CtrForeground plan;
  memset (&plan, 0, sizeof plan);
  plan.invert = foreground->invert;
  plan.ranges = foreground->ranges;
  for (int i = 0; i < CTR_CHANNELS; i++)
    if (foreground->ranges >> i & 1) {
      plan.lower[i] = foreground->lower[i];
      plan.upper[i] = foreground->upper[i];
    }
  if (foreground->ranges == 0) {
    plan.mode = foreground->mode;
    plan.channel = foreground->channel;
    if (plan.mode == CTR_THRESHOLD_FIXED || plan.mode == CTR_THRESHOLD_HYSTERESIS) {
      plan.threshold = foreground->threshold;
      plan.upper_threshold = foreground->upper_threshold;
    }
    if (ctr_foreground_is_adaptive (foreground)) {
      plan.block_size = foreground->block_size;
      plan.offset = foreground->offset;
    }
    if (plan.mode == CTR_THRESHOLD_TRIANGLE)
      plan.significant_bits = foreground->significant_bits;
  }
  plan.open_size = foreground->open_size > 1 ? foreground->open_size : 0;
  plan.close_size = foreground->close_size > 1 ? foreground->close_size : 0;
  if (plan.open_size || plan.close_size)
    plan.shape = foreground->shape;
  plan.fill_holes = foreground->fill_holes;
  plan.split_touching = foreground->split_touching;
  plan.clear_border = foreground->clear_border;
  return plan;
}

bool
ctr_foreground_is_equal (const CtrForeground *a, const CtrForeground *b)
{
  const CtrForeground x = plan_of (a), y = plan_of (b);
  return x.mode == y.mode && x.threshold == y.threshold && x.invert == y.invert
         && x.upper_threshold == y.upper_threshold && x.block_size == y.block_size && x.offset == y.offset
         && x.channel == y.channel && x.ranges == y.ranges && memcmp (x.lower, y.lower, sizeof x.lower) == 0
         && memcmp (x.upper, y.upper, sizeof x.upper) == 0 && x.open_size == y.open_size && x.close_size == y.close_size
         && x.shape == y.shape && x.fill_holes == y.fill_holes && x.split_touching == y.split_touching
         && x.clear_border == y.clear_border && x.significant_bits == y.significant_bits
         && ctr_regions_is_equal (a->regions, b->regions);
}
