/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thresholds of neighbourhoods. The sums of a block are exact.
 *
 * Mean: the sums of the columns of a block move down with the rows, the sum of a block moves to the right over them. So the
 * time of a pixel does not depend on the size of the block.
 *
 * Gaussian: weighted sums of columns, then of rows of these. */
#include "core/foreground/adaptive.h"

#include "core/common/poll.h"
#include "cpu/common/runs.h"
#include "cpu/foreground/kernels.h"
#include "cpu/foreground/steps.h"

#include <string.h>

enum { PADDING = 128 }; /* bytes behind an array, for whole vectors */

typedef struct {
  const CtrImage *image;
  const CtrForeground *foreground;
  const CtrPacked *mask;
  const CtrForegroundKernels *kernels;
  const uint32_t *weights; /* of a Gaussian */
  int64_t limits[256];     /* by 8-bit sample: the greatest sum that makes it foreground */
} Adaptive;

/* The arrays of a thread. COLUMNS has the radius on both sides; its pointer is that of the first pixel's. */
typedef struct {
  void *columns;    /* 64 bits for Gaussians of 16-bit samples, 16 bits for means of 8-bit samples, otherwise 32 */
  void *sums;       /* of blocks: 64 bits for Gaussians, 32 for means */
  uint8_t *results; /* 0 or not */
} Arrays;

static size_t
whole (size_t bytes)
{
  return (bytes + PADDING + 63) & ~(size_t) 63;
}

size_t
ctr_adaptive_scratch (uint32_t width, const CtrForeground *foreground)
{
  const size_t columns = (size_t) width + foreground->block_size;
  return whole (columns * sizeof (uint64_t)) + whole (width * sizeof (int64_t)) + whole (width);
}

static Arrays
arrays_of (const Adaptive *adaptive, void *scratch, size_t column_size)
{
  const uint32_t width = adaptive->image->width, radius = adaptive->foreground->block_size / 2;
  uint8_t *memory = scratch;
  Arrays arrays = {.columns = memory + radius * column_size};
  memory += whole (((size_t) width + 2 * radius) * column_size);
  arrays.sums = memory;
  arrays.results = memory + whole (width * sizeof (int64_t));
  return arrays;
}

/* Row Y of the image, whose first and last rows are repeated outside. */
static inline const void *
row_of (const CtrImage *image, int64_t y)
{
  const int64_t last = (int64_t) image->height - 1;
  return (const uint8_t *) image->data + (size_t) (y < 0 ? 0 : y > last ? last : y) * image->stride;
}

/* Repeats the first and the last of WIDTH columns outside. */
#define EXTEND(columns, width, radius)                 \
  for (uint32_t i = 1; i <= (radius); i++) {           \
    (columns)[-(int64_t) i] = (columns)[0];            \
    (columns)[(width) -1 + i] = (columns)[(width) -1]; \
  }

/* Sums of blocks, which move to the right over those of columns; sums wrap around. */
#define SUM_BLOCKS(columns, width, radius, sums)                                        \
  do {                                                                                  \
    uint32_t sum = 0;                                                                   \
    EXTEND (columns, width, radius)                                                     \
    for (uint32_t i = 0; i < 2 * (radius) + 1; i++)                                     \
      sum += (columns)[(int64_t) i - (radius)];                                         \
    (sums)[0] = sum;                                                                    \
    for (uint32_t x = 1; x < (width); x++) {                                            \
      sum += (uint32_t) (columns)[x + (radius)] - (columns)[(int64_t) x - (radius) -1]; \
      (sums)[x] = sum;                                                                  \
    }                                                                                   \
  } while (0)

/* Ends the row of bits, of which the words with pixels are there. */
static void
end_row (const CtrPacked *mask, bool invert, uint64_t *bits)
{
  const uint32_t words = CTR_ROW_WORDS (mask->width);
  for (uint32_t i = 0; invert && i < words; i++)
    bits[i] ^= ctr_packed_pixels (mask->width, i);
  memset (bits + words, 0, (mask->stride - words) * sizeof *bits);
}

static void
means_of_row_8 (const Adaptive *adaptive, Arrays arrays, uint32_t y, bool first)
{
  const CtrImage *image = adaptive->image;
  const uint32_t size = adaptive->foreground->block_size, radius = size / 2, width = image->width;
  uint16_t *columns = arrays.columns;
  if (first) {
    memset (columns, 0, width * sizeof *columns);
    for (int64_t i = (int64_t) y - radius; i <= (int64_t) y + radius; i++) {
      const uint8_t *row = row_of (image, i);
      for (uint32_t x = 0; x < width; x++)
        columns[x] = (uint16_t) (columns[x] + row[x]);
    }
  } else {
    adaptive->kernels->move_down (
        row_of (image, (int64_t) y + radius), row_of (image, (int64_t) y - radius - 1), width, columns);
  }
  SUM_BLOCKS (columns, width, radius, (uint32_t *) arrays.sums);
  adaptive->kernels->compare_means (row_of (image, y), arrays.sums, width, size * size, adaptive->foreground->offset,
      ctr_packed_bits (adaptive->mask, y));
}

static void
means_of_row_16 (const Adaptive *adaptive, Arrays arrays, uint32_t y, bool first)
{
  const CtrImage *image = adaptive->image;
  const uint32_t size = adaptive->foreground->block_size, radius = size / 2, width = image->width;
  const uint16_t *samples = row_of (image, y);
  uint32_t *columns = arrays.columns, *sums = arrays.sums;
  if (first)
    memset (columns, 0, width * sizeof *columns);
  for (int64_t i = (int64_t) y - radius; first && i <= (int64_t) y + radius; i++) {
    const uint16_t *row = row_of (image, i);
    for (uint32_t x = 0; x < width; x++)
      columns[x] += row[x];
  }
  const uint16_t *enters = row_of (image, (int64_t) y + radius), *leaves = row_of (image, (int64_t) y - radius - 1);
  for (uint32_t x = 0; !first && x < width; x++)
    columns[x] += (uint32_t) enters[x] - leaves[x];
  SUM_BLOCKS (columns, width, radius, sums);
  for (uint32_t x = 0; x < width; x++)
    arrays.results[x] =
        ctr_mean_is_below (sums[x], size * size, ctr_adaptive_level (samples[x], adaptive->foreground->offset, 65535));
  ctr_pack_row_8 (arrays.results, width, 1, false, ctr_packed_bits (adaptive->mask, y));
}

static bool
mean_band (void *context, void *scratch, uint32_t first, uint32_t end)
{
  const Adaptive *adaptive = context;
  const bool wide = adaptive->image->format == CTR_FORMAT_GRAY16;
  const Arrays arrays = arrays_of (adaptive, scratch, wide ? sizeof (uint32_t) : sizeof (uint16_t));
  for (uint32_t y = first; y < end; y++) {
    if (ctr_cancelled ())
      return false;
    (wide ? means_of_row_16 : means_of_row_8) (adaptive, arrays, y, y == first);
    end_row (adaptive->mask, adaptive->foreground->invert, ctr_packed_bits (adaptive->mask, y));
  }
  return true;
}

/* The weighted sums of the columns are below 2^31. */
static void
filter_8 (const Adaptive *adaptive, Arrays arrays, uint32_t y)
{
  const uint32_t width = adaptive->image->width, radius = adaptive->foreground->block_size / 2;
  const uint8_t *rows[CTR_MAX_BLOCK_SIZE];
  uint32_t *columns = arrays.columns;
  for (uint32_t i = 0; i <= 2 * radius; i++)
    rows[i] = row_of (adaptive->image, (int64_t) y + i - radius);
  adaptive->kernels->filter_columns (rows, adaptive->weights, radius, width, columns);
  EXTEND (columns, width, radius)
  adaptive->kernels->filter_row (columns, adaptive->weights, radius, width, arrays.sums);
}

/* They are below 2^39. */
static void
filter_16 (const Adaptive *adaptive, Arrays arrays, uint32_t y)
{
  const uint32_t width = adaptive->image->width, radius = adaptive->foreground->block_size / 2;
  const uint16_t *row = row_of (adaptive->image, y);
  const uint32_t *weights = adaptive->weights;
  uint64_t *columns = arrays.columns;
  int64_t *sums = arrays.sums;
  for (uint32_t x = 0; x < width; x++)
    columns[x] = (uint64_t) weights[radius] * row[x];
  for (uint32_t i = 1; i <= radius; i++) {
    const uint16_t *above = row_of (adaptive->image, (int64_t) y - i),
                   *below = row_of (adaptive->image, (int64_t) y + i);
    const uint64_t weight = weights[radius - i];
    for (uint32_t x = 0; x < width; x++)
      columns[x] += weight * ((uint32_t) above[x] + below[x]);
  }
  EXTEND (columns, width, radius)
  for (uint32_t x = 0; x < width; x++) {
    uint64_t sum = columns[x] * weights[radius];
    for (uint32_t i = 1; i <= radius; i++)
      sum += (columns[(int64_t) x - i] + columns[x + i]) * weights[radius - i];
    sums[x] = (int64_t) sum;
  }
}

static void
compare_8 (const Adaptive *adaptive, const int64_t *sums, const void *samples, uint8_t *results)
{
  const uint8_t *row = samples;
  for (uint32_t x = 0; x < adaptive->image->width; x++)
    results[x] = sums[x] <= adaptive->limits[row[x]];
}

static void
compare_16 (const Adaptive *adaptive, const int64_t *sums, const void *samples, uint8_t *results)
{
  const uint16_t *row = samples;
  for (uint32_t x = 0; x < adaptive->image->width; x++)
    results[x] = sums[x] <= ctr_gaussian_limit (ctr_adaptive_level (row[x], adaptive->foreground->offset, 65535));
}

static bool
gaussian_band (void *context, void *scratch, uint32_t first, uint32_t end)
{
  const Adaptive *adaptive = context;
  const CtrImage *image = adaptive->image;
  const bool wide = image->format == CTR_FORMAT_GRAY16;
  const Arrays arrays = arrays_of (adaptive, scratch, wide ? sizeof (uint64_t) : sizeof (uint32_t));
  for (uint32_t y = first; y < end; y++) {
    if (ctr_cancelled ())
      return false;
    (wide ? filter_16 : filter_8) (adaptive, arrays, y);
    (wide ? compare_16 : compare_8) (adaptive, arrays.sums, row_of (image, y), arrays.results);
    ctr_pack_row_8 (arrays.results, image->width, 1, false, ctr_packed_bits (adaptive->mask, y));
    end_row (adaptive->mask, adaptive->foreground->invert, ctr_packed_bits (adaptive->mask, y));
  }
  return true;
}

bool
ctr_adaptive_pack (const CtrRowsPlan *plan, const CtrImage *image, const CtrForeground *foreground,
    CtrKeptWeights *weights, const CtrPacked *mask)
{
  Adaptive adaptive = {
      .image = image, .foreground = foreground, .mask = mask, .kernels = ctr_foreground_choose_kernels ()};
  const bool mean = foreground->mode == CTR_THRESHOLD_ADAPTIVE_MEAN;
  if (!mean)
    adaptive.weights = ctr_gaussian_keep_weights (weights, foreground->block_size);
  for (uint32_t i = 0; !mean && i < 256; i++)
    adaptive.limits[i] = ctr_gaussian_limit (ctr_adaptive_level (i, foreground->offset, 255));
  return ctr_rows_run (plan, image->height, mean ? mean_band : gaussian_band, &adaptive);
}
