/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which pixels of an image are foreground: the binary images of component analysis (cca.h), border following (borders.h)
 * and masks (mask.h).
 *
 * A mask is made in these steps, of which all but the second are optional:
 *
 *   1. channel       The sample of each pixel: its luma, or another channel.
 *   2. threshold     A bit for each pixel: by a threshold, by thresholds of its neighbourhood, or by ranges of colours.
 *   3. invert
 *   4. open_size     Opening: an erosion, then a dilation. It removes specks.
 *   5. close_size    Closing: a dilation, then an erosion. It closes gaps.
 *   6. fill_holes
 *   7. split_touching  Parts that touch are cut apart where they are narrow.
 *   8. clear_border
 */
#ifndef CONTOURS_FOREGROUND_H
#define CONTOURS_FOREGROUND_H

#include <contours/regions.h>

CTR_BEGIN_DECLS

#define CTR_MIN_BLOCK_SIZE 3
#define CTR_MAX_BLOCK_SIZE 255
#define CTR_MAX_SHAPE_SIZE 63
#define CTR_MAX_SPLIT_DEPTH (1024 * 16)

/* Where the foreground threshold comes from. */
typedef enum {
  /* CtrForeground.threshold, and upper_threshold if that is not 0: OpenCV's inRange(). */
  CTR_THRESHOLD_FIXED,
  /* Derived from the image's histogram: OpenCV's THRESH_OTSU value + 1, as OpenCV tests sample > T. */
  CTR_THRESHOLD_OTSU,
  /* Likewise OpenCV's THRESH_TRIANGLE value + 1. Of 16-bit samples the histogram is that of the upper 8 significant bits
   * (significant_bits), since its corner is a level with few pixels beside levels with many: among levels that are never
   * used there is always one. */
  CTR_THRESHOLD_TRIANGLE,
  /* Foreground: sample > mean - offset. The mean is that of the block_size x block_size pixels around, with the samples of
   * the image's border repeated outside, rounded to the nearest integer: OpenCV's adaptiveThreshold() with
   * ADAPTIVE_THRESH_MEAN_C, in 8 or 16 bits. From a block_size of 165 on, OpenCV rounds some means to the wrong side:
   * core/foreground/adaptive.h. */
  CTR_THRESHOLD_ADAPTIVE_MEAN,
  /* The mean is weighted by a Gaussian with a standard deviation of 0.3 ((block_size - 1) / 2 - 1) + 0.8 pixels, and up to
   * a block_size of 9 by the weights that OpenCV has for it: ADAPTIVE_THRESH_GAUSSIAN_C. Halves are rounded to even.
   * core/foreground/gaussian.c says how the weights are integers here, and by how much means may differ from OpenCV's,
   * which come from floating point. */
  CTR_THRESHOLD_ADAPTIVE_GAUSSIAN,
  /* Foreground: 4-connected components of samples >= threshold that have a sample >= upper_threshold. For integers
   * that is scikit-image's apply_hysteresis_threshold (image, threshold - 1, upper_threshold - 1). */
  CTR_THRESHOLD_HYSTERESIS
} CtrThresholdMode;

/* What a sample is. All but LUMA have 8 bits. RED to VALUE need packed RGB. CB and CR need it, or an image with chroma, whose
 * samples are taken as they are: a pixel's is that of the chroma sample that covers it. */
typedef enum {
  CTR_CHANNEL_LUMA, /* image.h defines it */
  CTR_CHANNEL_RED,
  CTR_CHANNEL_GREEN,
  CTR_CHANNEL_BLUE,
  CTR_CHANNEL_HUE,        /* degrees / 2: 0 .. 179; this and the next two as OpenCV's cvtColor() with COLOR_RGB2HSV */
  CTR_CHANNEL_SATURATION, /* 0 .. 255 */
  CTR_CHANNEL_VALUE,
  CTR_CHANNEL_CB, /* this and the next as OpenCV's COLOR_RGB2YCrCb: 128 is no colour */
  CTR_CHANNEL_CR
} CtrChannel;
#define CTR_CHANNELS 9

/* The structuring element of an opening or closing, as OpenCV's getStructuringElement() makes it. */
typedef enum { CTR_SHAPE_RECTANGLE, CTR_SHAPE_CROSS, CTR_SHAPE_ELLIPSE } CtrShape;

/* Zero is the default of all that follows the third field: it leaves the step out. */
typedef struct {
  CtrThresholdMode mode;
  /* Foreground threshold, inclusive, in sample units: 0 .. 255 for 8-bit images and luma, 0 .. 65535 for 16-bit images.
   * No sample reaches a threshold above that range. Ignored with OTSU, TRIANGLE, ADAPTIVE_MEAN and ADAPTIVE_GAUSSIAN. */
  uint32_t threshold;
  bool invert; /* the other pixels are foreground instead */
  /* FIXED: samples above it are background; 0: none are. HYSTERESIS: the threshold of strong samples, inclusive, at least
   * threshold. Otherwise ignored. */
  uint32_t upper_threshold;
  uint32_t block_size; /* ADAPTIVE_MEAN and ADAPTIVE_GAUSSIAN: pixels, odd, CTR_MIN_BLOCK_SIZE .. CTR_MAX_BLOCK_SIZE */
  int32_t offset;      /* likewise: subtracted from the mean, in sample units, -65535 .. 65535 */
  CtrChannel channel;
  /* Bit c: channel c has a range. If one has, foreground are the pixels whose samples are in all ranges, in place of a
   * threshold. Needs 8 bits. */
  uint32_t ranges;
  /* Ranges by channel, inclusive. Where lower > upper, the range goes through 0: sample >= lower or sample <= upper. */
  uint8_t lower[CTR_CHANNELS], upper[CTR_CHANNELS];
  /* Sides of the structuring elements in pixels, 0 .. CTR_MAX_SHAPE_SIZE; 0 and 1: none. The anchor is size / 2. As
   * OpenCV's morphologyEx() with its default border: what is outside the image is never the extreme. */
  uint32_t open_size, close_size;
  CtrShape shape;
  bool fill_holes; /* 4-connected background that does not touch the border of the image becomes foreground */
  /* Depth in 1/16 pixels, 0 .. CTR_MAX_SPLIT_DEPTH; 0: no splitting. A part of the foreground is split into as many as the
   * Euclidean distance to the background, whose nearest pixel must lie in the image, has maxima that rise by at least this
   * depth above the greatest distance at which they meet a higher one. The line between two parts becomes background: pixels
   * of the part with the lower maximum that are 8-adjacent to the other part. core/foreground/split.h has the definition.
   * Noise on an edge makes maxima that are less than a pixel deep; from 1.5 pixels on each part leaves something. */
  uint32_t split_touching;
  bool clear_border; /* 8-connected foreground that touches the border of the image becomes background */
  /* TRIANGLE of 16-bit samples: the number of low bits in use, 8 .. 16; greater samples count as the greatest one. 0: 10,
   * 12, 14 or 16, the fewest that hold the image's largest sample. Otherwise ignored. */
  uint32_t significant_bits;
  /* The parts of the image that are analysed; NULL: all of it. They must lie in the image. Only the call that has the
   * foreground as an argument reads the pointer, or takes a reference. */
  CtrRegions *regions;
} CtrForeground;

/* Does FOREGROUND need nothing but a comparison of the luma with one threshold, fixed or Otsu's? Analysers do this
 * themselves, without a mask. */
CTR_API bool ctr_foreground_is_plain (const CtrForeground *foreground);

/* Do A and B give the same mask of every image? Fields that the mode ignores do not count. */
CTR_API bool ctr_foreground_is_equal (const CtrForeground *a, const CtrForeground *b);

CTR_END_DECLS

#endif
