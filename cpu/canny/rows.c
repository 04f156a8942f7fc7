/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/canny/rows.h"

#include "core/canny/values.h"
#include "cpu/common/luma.h"

#define ROWS CtrCannyRows
#define SAMPLE int16_t
#include "cpu/canny/row_stages.h"

/* Takes a row with its margins, see cpu/canny/blur.h. */
static void *
take_row (CtrCannyRows *rows, size_t *offset, uint32_t width, size_t size)
{
  uint8_t *row = take (rows, offset, ((width - 1) / CTR_ROW_MARGIN + 3) * CTR_ROW_MARGIN * size);
  return row ? row + CTR_ROW_MARGIN * size : NULL;
}

/* The radius of the blur of 8-bit samples. */
static uint32_t
radius_of (const CtrCannyPlan *plan)
{
  return plan->wide ? 0 : plan->radius;
}

static size_t
lay_out (CtrCannyRows *rows, const CtrCannyPlan *plan, uint32_t width)
{
  const uint32_t radius = radius_of (plan);
  size_t offset = 0;
  rows->luma = take (rows, &offset, width);
  if (radius > 0)
    for (uint32_t i = 0; i < 2 * radius + 1; i++)
      rows->samples[i] = take_row (rows, &offset, width, sizeof (int16_t));
  rows->sums = take_row (rows, &offset, width, sizeof (int16_t));
  for (uint32_t i = 0; i < plan->aperture; i++)
    rows->blurred[i] = take_row (rows, &offset, width, sizeof (int16_t));
  for (int i = 0; i < 2; i++)
    rows->scratch[i] = take_row (rows, &offset, width, sizeof (int16_t));
  for (int i = 0; i < 3; i++)
    rows->gradient[i] = (CtrGradientRow){
        .dx = take_row (rows, &offset, width, sizeof (int16_t)),
        .dy = take_row (rows, &offset, width, sizeof (int16_t)),
        .magnitudes = take_row (rows, &offset, width, sizeof (int32_t)),
    };
  rows->no_gradient.magnitudes = take_row (rows, &offset, width, sizeof (int32_t));
  rows->mask = take (rows, &offset, (size_t) CTR_CANNY_STRIP * width);
  return offset;
}

bool
ctr_canny_rows_prepare (CtrCannyRows *rows, const CtrCannyPlan *plan, uint32_t width)
{
  if (!rows->kernels)
    rows->kernels = CTR_WIDEST_KERNELS (ctr_canny_kernels);
  if (!plan->wide)
    ctr_blur_init (&rows->blur, plan);
  if (rows->memory && rows->width == width && rows->radius == radius_of (plan) && rows->aperture == plan->aperture)
    return true;
  rows->radius = radius_of (plan);
  return allocate (rows, plan, width);
}

bool
ctr_canny_rows_give_back (CtrCannyRows *rows)
{
  return give_back (rows);
}

void
ctr_canny_rows_release (CtrCannyRows *rows)
{
  free (rows->memory);
}

const uint8_t *
ctr_canny_row_samples (CtrCannyRows *rows, const CtrImage *image, const CtrCannyPlan *plan, uint32_t y)
{
  const uint8_t *row = (const uint8_t *) image->data + y * image->stride;
  if (image->format == CTR_FORMAT_GRAY8)
    return row;
  if (image->format == CTR_FORMAT_GRAY16)
    for (uint32_t x = 0; x < image->width; x++)
      rows->luma[x] = (uint8_t) ctr_canny_grey (((const uint16_t *) row)[x], plan->sample_shift);
  else
    ctr_luma_row (image->format, row, image->width, rows->luma);
  return rows->luma;
}

void
ctr_canny_rows_start (CtrCannyRows *rows, const CtrCannyPlan *plan, uint32_t y)
{
  start_gradients (rows, plan, y);
  rows->next_sample = rows_above (rows->next_blurred, plan->radius);
}

static void
blur_row (CtrCannyRows *rows, const CtrImage *image, const CtrCannyPlan *plan, uint32_t y)
{
  const uint32_t width = image->width, radius = plan->radius, taps = 2 * radius + 1;
  const CtrCannyKernels *kernels = rows->kernels;
  int16_t *blurred = rows->blurred[y % plan->aperture];

  if (radius == 0) {
    kernels->widen_row (ctr_canny_row_samples (rows, image, plan, y), width, blurred);
  } else {
    const int16_t *around[CTR_CANNY_MAX_TAPS];
    for (; rows->next_sample < image->height && rows->next_sample <= y + radius; rows->next_sample++)
      kernels->widen_row (
          ctr_canny_row_samples (rows, image, plan, rows->next_sample), width, rows->samples[rows->next_sample % taps]);
    /* A reflected row is no farther away than the row that it replaces, so it is still there. */
    for (uint32_t i = 0; i < taps; i++)
      around[i] = rows->samples[ctr_reflect ((int64_t) y + i - radius, image->height) % taps];
    kernels->blur_down (&rows->blur, around, width, rows->sums);
    kernels->blur_across (&rows->blur, rows->sums, width, blurred);
  }
}

void
ctr_canny_row_candidates (CtrCannyRows *rows, const CtrImage *image, const CtrCannyPlan *plan, uint32_t y, int32_t low,
    int32_t high, uint64_t *candidates, uint64_t *strong)
{
  compute_gradients (rows, image, plan, y + 2);
  rows->kernels->maxima_row (y > 0 ? &rows->gradient[(y - 1) % 3] : &rows->no_gradient, &rows->gradient[y % 3],
      y + 1 < image->height ? &rows->gradient[(y + 1) % 3] : &rows->no_gradient, plan->l2_gradient, image->width, low,
      high, candidates, strong);
}

int64_t
ctr_canny_row_greatest (CtrCannyRows *rows, const CtrImage *image, const CtrCannyPlan *plan, uint32_t y)
{
  int32_t greatest = 0;
  compute_gradients (rows, image, plan, y + 1);
  const void *magnitudes = rows->gradient[y % 3].magnitudes;
  const int16_t *sums = magnitudes;
  const int32_t *squares = magnitudes;
  for (uint32_t x = 0; x < image->width; x++) {
    const int32_t m = plan->l2_gradient ? squares[x] : sums[x];
    greatest = m > greatest ? m : greatest;
  }
  return greatest;
}

void
ctr_canny_row_values (
    CtrCannyRows *rows, const CtrImage *image, const CtrCannyPlan *plan, uint32_t y, int32_t low, uint16_t *values)
{
  compute_gradients (rows, image, plan, y + 1);
  const CtrGradientRow *here = &rows->gradient[y % 3];
  for (uint32_t x = 0; x < image->width; x++) {
    const int64_t m = ctr_canny_magnitude (here->dx[x], here->dy[x], plan->l2_gradient);
    if (plan->output == CTR_CANNY_GRADIENT)
      values[x] = ctr_canny_gradient_value (m, plan->aperture, plan->l2_gradient, false);
    else
      values[x] = m > low ? ctr_canny_direction_value (here->dx[x], here->dy[x]) : 0;
  }
}
