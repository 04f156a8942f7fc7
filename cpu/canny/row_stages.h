/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What rows.c and wide_rows.c have in common: the memory of the rows, and the gradient behind the blur. The file that
 * includes this defines before it
 *
 *   ROWS     the working memory of a thread
 *   SAMPLE   the type of a blurred sample
 *
 * and behind it lay_out(), blur_row(). Internal. */
#include "core/canny/canny.h"
#include "core/common/room.h"

#include <stdlib.h>
#include <string.h>

/* Takes the rows out of rows->memory, and returns the size of all in bytes. */
static size_t lay_out (ROWS *rows, const CtrCannyPlan *plan, uint32_t width);

/* Computes the blurred row Y, without its margins. */
static void blur_row (ROWS *rows, const CtrImage *image, const CtrCannyPlan *plan, uint32_t y);

/* Takes BYTES at *OFFSET; without memory it only advances *OFFSET. Takes an odd number of cache lines, because rows at
 * distances of a power of two evict each other from the cache. */
static void *
take (ROWS *rows, size_t *offset, size_t bytes)
{
  uint8_t *memory = rows->memory ? (uint8_t *) rows->memory + *offset : NULL;
  *offset += ((bytes + 63) / 64 | 1) * 64;
  return memory;
}

/* Lays out rows for PLAN and WIDTH. False if there is no memory. */
static bool
allocate (ROWS *rows, const CtrCannyPlan *plan, uint32_t width)
{
  void *memory = rows->memory;
  rows->memory = NULL;
  const size_t bytes = lay_out (rows, plan, width);
  rows->now = bytes;
  if (rows->used < bytes)
    rows->used = bytes;
  if (rows->bytes < bytes) {
    free (memory);
    memory = malloc (bytes);
    rows->bytes = memory ? bytes : 0;
  }
  if (!memory)
    return false;
  rows->memory = memory;
  lay_out (rows, plan, width);
  /* Margins are read, although their values are irrelevant: they must not depend on an earlier layout. */
  memset (rows->memory, 0, bytes);
  rows->width = width;
  rows->aperture = plan->aperture;
  return true;
}

/* Ends a period: gives back memory that is far more than its images have needed. Was there so much? */
static bool
give_back (ROWS *rows)
{
  const bool some = ctr_room_is_excess (rows->bytes, rows->used);
  rows->used = rows->now;
  if (some) {
    free (rows->memory);
    rows->memory = NULL;
    rows->bytes = 0;
  }
  return some;
}

/* The row COUNT rows above Y, or the uppermost one. */
static uint32_t
rows_above (uint32_t y, uint32_t count)
{
  return y > count ? y - count : 0;
}

static void
start_gradients (ROWS *rows, const CtrCannyPlan *plan, uint32_t y)
{
  rows->next_gradient = rows_above (y, 1);
  rows->next_blurred = rows_above (rows->next_gradient, plan->aperture / 2);
}

static void
extend_row (SAMPLE *row, uint32_t width)
{
  for (int i = 0; i < CTR_SOBEL_MARGIN; i++) {
    row[-1 - i] = row[0];
    row[width + i] = row[width - 1];
  }
}

/* Computes the gradient of row Y from the blurred rows around it. */
static void
gradient_row (ROWS *rows, const CtrImage *image, const CtrCannyPlan *plan, uint32_t y)
{
  const SAMPLE *around[CTR_CANNY_MAX_APERTURE];
  const uint32_t height = image->height, margin = plan->aperture / 2;
  for (; rows->next_blurred < height && rows->next_blurred <= y + margin; rows->next_blurred++) {
    blur_row (rows, image, plan, rows->next_blurred);
    extend_row (rows->blurred[rows->next_blurred % plan->aperture], image->width);
  }
  for (uint32_t i = 0; i < plan->aperture; i++) {
    int64_t row = (int64_t) y + i - margin;
    row = row < 0 ? 0 : row >= height ? height - 1 : row;
    around[i] = rows->blurred[row % plan->aperture];
  }
  rows->kernels->gradient_row (
      plan->aperture, plan->l2_gradient, around, image->width, rows->scratch, &rows->gradient[y % 3]);
}

/* Computes the gradients of all rows before END that are not computed yet. */
static void
compute_gradients (ROWS *rows, const CtrImage *image, const CtrCannyPlan *plan, uint32_t end)
{
  for (; rows->next_gradient < image->height && rows->next_gradient < end; rows->next_gradient++)
    gradient_row (rows, image, plan, rows->next_gradient);
}
