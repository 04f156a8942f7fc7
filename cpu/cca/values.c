/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs of equal samples. They differ from runs of foreground in three ways: neighbours in a row touch, runs that touch
 * belong together only if their samples are equal, and several runs of a row may touch the same one above at its end. */
#include "cpu/cca/values.h"

#include "cpu/cca/labels.h"

#include <string.h>

/* The end of the run of VALUE that goes on at X. Eight bytes at a time, since samples of label images repeat. */
static inline __attribute__ ((always_inline)) uint32_t
end_of_run (const void *samples, bool wide, uint32_t x, uint32_t width, uint32_t value)
{
  const uint32_t step = wide ? 4 : 8, size = wide ? 2 : 1;
  const uint64_t pattern = value * (wide ? UINT64_C (0x0001000100010001) : UINT64_C (0x0101010101010101));
  for (; x + step <= width; x += step) {
    uint64_t eight;
    memcpy (&eight, (const uint8_t *) samples + (size_t) x * size, sizeof eight);
    if (eight != pattern)
      break;
  }
  while (x < width && (wide ? ((const uint16_t *) samples)[x] : ((const uint8_t *) samples)[x]) == value)
    x++;
  return x;
}

static inline __attribute__ ((always_inline)) void
find_values (const void *samples, bool wide, uint32_t width, int32_t background, CtrCcaRow *row)
{
  uint32_t count = 0;
  for (uint32_t x = 0, end; x < width; x = end) {
    const uint32_t value = wide ? ((const uint16_t *) samples)[x] : ((const uint8_t *) samples)[x];
    end = end_of_run (samples, wide, x + 1, width, value);
    if ((int32_t) value == background)
      continue;
    row->edges[2 * count] = x;
    row->edges[2 * count + 1] = end;
    row->value[count++] = (uint16_t) value;
  }
  row->count = count;
}

void
ctr_cca_find_values (const void *samples, bool wide, uint32_t width, int32_t background, CtrCcaRow *row)
{
  if (wide)
    find_values (samples, true, width, background, row);
  else
    find_values (samples, false, width, background, row);
}

/* The label of run I of ROW from the runs ABOVE, the first of which that may touch it is *FIRST. UINT32_MAX: it touches
 * none of its value. */
static inline uint32_t
label_from_above (
    uint32_t *parent, const CtrCcaRow *row, uint32_t i, const CtrCcaRow *above, uint32_t *first, uint32_t reach)
{
  const uint32_t start = row->edges[2 * i], end = row->edges[2 * i + 1];
  uint32_t label = UINT32_MAX;
  while (above->edges[2 * *first + 1] + reach <= start)
    ++*first;
  for (uint32_t k = *first; above->edges[2 * k] < end + reach; k++)
    if (above->value[k] == row->value[i])
      label = label == UINT32_MAX ? above->label[k] : ctr_label_unite (parent, label, above->label[k]);
  return label;
}

void
ctr_cca_label_values (
    CtrCcaBand *band, CtrCcaRow *row, const CtrCcaRow *above, uint32_t y, uint32_t reach, uint32_t features)
{
  CtrComponent *table = band->table.data;
  CtrComponentMoments *moments = band->moments.data;
  CtrComponentGrey *grey = band->grey.data;
  uint32_t first = 0;

  for (uint32_t i = 0; i < row->count; i++) {
    const uint32_t start = row->edges[2 * i], end = row->edges[2 * i + 1], area = end - start, value = row->value[i];
    const uint64_t sum_x = (uint64_t) (start + end - 1) * area / 2, sum_y = (uint64_t) y * area;
    uint32_t label = label_from_above (band->parent.data, row, i, above, &first, reach);
    if (label == UINT32_MAX) {
      label = band->label_count++;
      ((uint32_t *) band->parent.data)[label] = label;
      table[label] = (CtrComponent){
          .left = (uint16_t) start, .top = (uint16_t) y, .start_x = (uint16_t) start, .value = (uint16_t) value};
      if (features & CTR_FEATURE_MOMENTS)
        moments[label] = (CtrComponentMoments){0};
      if (features & CTR_FEATURE_GREY)
        grey[label] = (CtrComponentGrey){.min = (uint16_t) value, .max = (uint16_t) value};
    }
    CtrComponent *c = table + label;
    c->sum_x += sum_x;
    c->sum_y += sum_y;
    c->area += area;
    c->left = (uint16_t) (start < c->left ? start : c->left);
    c->width = (uint16_t) (end > c->width ? end : c->width);
    c->height = (uint16_t) (y + 1);
    row->label[i] = label;
    if (features & CTR_FEATURE_MOMENTS) {
      moments[label].sum_xx += ctr_sum_of_squares (end) - ctr_sum_of_squares (start);
      moments[label].sum_xy += sum_x * y;
      moments[label].sum_yy += sum_y * y;
    }
    if (features & CTR_FEATURE_GREY) {
      grey[label].sum += (uint64_t) value * area;
      grey[label].sum_sq += (uint64_t) value * value * area;
    }
  }
}
