/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/canny/wide_rows.h"

#include "core/canny/values.h"

#define ROWS CtrWideRows
#define SAMPLE int32_t
#include "cpu/canny/row_stages.h"

enum { WIDE_TAPS = 2 * CTR_CANNY_MAX_WIDE_RADIUS + 1 };

/* Takes a row of WIDTH numbers of SIZE bytes with its margins. */
static void *
take_row (CtrWideRows *rows, size_t *offset, uint32_t width, size_t size)
{
  uint8_t *row = take (rows, offset, (width + 2 * CTR_WIDE_MARGIN) * size);
  return row ? row + CTR_WIDE_MARGIN * size : NULL;
}

static size_t
lay_out (CtrWideRows *rows, const CtrCannyPlan *plan, uint32_t width)
{
  size_t offset = 0;
  rows->upper = take_row (rows, &offset, width, sizeof (uint32_t));
  rows->lower = take_row (rows, &offset, width, sizeof (uint32_t));
  for (uint32_t i = 0; i < plan->aperture; i++)
    rows->blurred[i] = take_row (rows, &offset, width, sizeof (int32_t));
  for (int i = 0; i < 2; i++)
    rows->scratch[i] = take_row (rows, &offset, width, sizeof (int32_t));
  for (int i = 0; i < 3; i++)
    rows->gradient[i] = (CtrWideGradientRow){
        .dx = take_row (rows, &offset, width, sizeof (int32_t)),
        .dy = take_row (rows, &offset, width, sizeof (int32_t)),
        .magnitudes = take_row (rows, &offset, width, sizeof (int64_t)),
    };
  rows->no_gradient.magnitudes = take_row (rows, &offset, width, sizeof (int64_t));
  return offset;
}

bool
ctr_wide_rows_prepare (CtrWideRows *rows, const CtrCannyPlan *plan, uint32_t width)
{
  if (!rows->kernels)
    rows->kernels = CTR_WIDEST_KERNELS (ctr_wide_kernels);
  return (rows->memory && rows->width == width && rows->aperture == plan->aperture) || allocate (rows, plan, width);
}

bool
ctr_wide_rows_give_back (CtrWideRows *rows)
{
  return give_back (rows);
}

void
ctr_wide_rows_release (CtrWideRows *rows)
{
  free (rows->memory);
}

void
ctr_wide_rows_start (CtrWideRows *rows, const CtrCannyPlan *plan, uint32_t y)
{
  start_gradients (rows, plan, y);
}

static const uint16_t *
samples_of (const CtrImage *image, uint32_t y)
{
  return (const uint16_t *) (const void *) ((const uint8_t *) image->data + y * image->stride);
}

static void
blur_row (CtrWideRows *rows, const CtrImage *image, const CtrCannyPlan *plan, uint32_t y)
{
  const uint32_t width = image->width, radius = plan->radius;
  int32_t *blurred = rows->blurred[y % plan->aperture];

  if (radius == 0) {
    const uint16_t *samples = samples_of (image, y);
    for (uint32_t x = 0; x < width; x++)
      blurred[x] = samples[x];
  } else {
    const uint16_t *around[WIDE_TAPS];
    for (uint32_t i = 0; i < 2 * radius + 1; i++)
      around[i] = samples_of (image, ctr_reflect ((int64_t) y + i - radius, image->height));
    rows->kernels->blur_down (plan->wide_weights, radius, around, width, rows->upper, rows->lower);
    rows->kernels->blur_across (plan->wide_weights, radius, rows->upper, rows->lower, width, blurred);
  }
}

static bool
is_maximum (const int64_t *above, const int64_t *here, const int64_t *below, int32_t dx, int32_t dy, int64_t x)
{
  const int64_t m = here[x];
  switch (ctr_canny_sector (dx, dy)) {
    case CTR_SECTOR_ACROSS:
      return m > here[x - 1] && m >= here[x + 1];
    case CTR_SECTOR_UPRIGHT:
      return m > above[x] && m >= below[x];
    case CTR_SECTOR_FALLING:
      return m > above[x - 1] && m > below[x + 1];
    default:
      return m > above[x + 1] && m > below[x - 1];
  }
}

void
ctr_wide_row_candidates (CtrWideRows *rows, const CtrImage *image, const CtrCannyPlan *plan, uint32_t y, int64_t low,
    int64_t high, uint64_t *candidates, uint64_t *strong)
{
  const uint32_t width = image->width;
  compute_gradients (rows, image, plan, y + 2);
  const CtrWideGradientRow *here = &rows->gradient[y % 3];
  const int64_t *m = here->magnitudes;
  const int64_t *above = y > 0 ? rows->gradient[(y - 1) % 3].magnitudes : rows->no_gradient.magnitudes;
  const int64_t *below = y + 1 < image->height ? rows->gradient[(y + 1) % 3].magnitudes : rows->no_gradient.magnitudes;
  for (uint32_t begin = 0; begin < width; begin += 64) {
    const uint32_t count = width - begin < 64 ? width - begin : 64;
    uint64_t c = 0, s = 0;
    for (uint32_t i = 0; i < count; i++) {
      const uint32_t x = begin + i;
      if (m[x] <= low || !is_maximum (above, m, below, here->dx[x], here->dy[x], x))
        continue;
      c |= UINT64_C (1) << i;
      s |= (uint64_t) (m[x] > high) << i;
    }
    *candidates++ = c;
    *strong++ = s;
  }
}

int64_t
ctr_wide_row_greatest (CtrWideRows *rows, const CtrImage *image, const CtrCannyPlan *plan, uint32_t y)
{
  int64_t greatest = 0;
  compute_gradients (rows, image, plan, y + 1);
  const int64_t *m = rows->gradient[y % 3].magnitudes;
  for (uint32_t x = 0; x < image->width; x++)
    greatest = m[x] > greatest ? m[x] : greatest;
  return greatest;
}

void
ctr_wide_row_values (
    CtrWideRows *rows, const CtrImage *image, const CtrCannyPlan *plan, uint32_t y, int64_t low, uint16_t *values)
{
  compute_gradients (rows, image, plan, y + 1);
  const CtrWideGradientRow *here = &rows->gradient[y % 3];
  const int64_t *m = here->magnitudes;
  for (uint32_t x = 0; x < image->width; x++)
    if (plan->output == CTR_CANNY_GRADIENT)
      values[x] = ctr_canny_gradient_value (m[x], plan->aperture, plan->l2_gradient, true);
    else
      values[x] = m[x] > low ? ctr_canny_direction_value (here->dx[x], here->dy[x]) : 0;
}
