/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/cca/band.h"

#include "cpu/cca/background.h"
#include "cpu/cca/labels.h"
#include "cpu/cca/values.h"

#include "core/cca/cca.h"
#include "core/common/poll.h"

void
ctr_cca_band_release (CtrCcaBand *band)
{
  ctr_host_buffer_release (&band->parent);
  ctr_host_buffer_release (&band->table);
  ctr_host_buffer_release (&band->moments);
  ctr_host_buffer_release (&band->grey);
  ctr_host_buffer_release (&band->runs);
  ctr_host_buffer_release (&band->runs_in_row);
}

bool
ctr_cca_band_give_back (CtrCcaBand *band)
{
  CtrHostBuffer *const buffers[] = {
      &band->parent, &band->table, &band->moments, &band->grey, &band->runs, &band->runs_in_row};
  const bool some = ctr_samples_give_back (&band->samples);
  return ctr_host_buffers_give_back (buffers, sizeof buffers / sizeof *buffers) || some;
}

/* Makes room for what a row with RUNS runs may add. */
static bool
reserve_row (CtrCcaBand *band, uint32_t runs, uint32_t features, bool keep)
{
  size_t labels = (size_t) band->label_count + runs;
  return labels <= CTR_CCA_MAX_LABELS && ctr_host_buffer_reserve (&band->parent, labels, sizeof (uint32_t))
         && ctr_host_buffer_reserve (&band->table, labels, sizeof (CtrComponent))
         && (!(features & CTR_FEATURE_MOMENTS)
             || ctr_host_buffer_reserve (&band->moments, labels, sizeof (CtrComponentMoments)))
         && (!(features & CTR_FEATURE_GREY) || ctr_host_buffer_reserve (&band->grey, labels, sizeof (CtrComponentGrey)))
         && (!keep || ctr_host_buffer_reserve (&band->runs, band->run_count + runs, sizeof (CtrCcaRun)));
}

static inline void
add_samples (CtrComponentGrey *grey, const void *samples, bool wide, uint32_t start, uint32_t end)
{
  uint64_t sum = 0, sum_sq = 0;
  uint32_t min = grey->min, max = grey->max;
  for (uint32_t x = start; x < end; x++) {
    uint32_t sample = wide ? ((const uint16_t *) samples)[x] : ((const uint8_t *) samples)[x];
    sum += sample;
    sum_sq += (uint64_t) sample * sample;
    min = sample < min ? sample : min;
    max = sample > max ? sample : max;
  }
  grey->sum += sum;
  grey->sum_sq += sum_sq;
  grey->min = (uint16_t) min;
  grey->max = (uint16_t) max;
}

/* Labels the runs of ROW from those of the row ABOVE, and adds them to the sums of their labels. A run above touches if
 * it is within REACH pixels, 0 or 1, of the ends of a run. Constant arguments give one loop per case. */
static inline __attribute__ ((always_inline)) void
label_row (CtrCcaBand *band, CtrCcaRow *row, const CtrCcaRow *above, const void *samples, bool wide, uint32_t y,
    uint32_t reach, uint32_t features)
{
  uint32_t *parent = band->parent.data;
  CtrComponent *table = band->table.data;
  CtrComponentMoments *moments = band->moments.data;
  CtrComponentGrey *grey = band->grey.data;
  uint32_t next_label = band->label_count;
  const uint32_t *up = above->edges;

  for (uint32_t i = 0; i < row->count; i++) {
    const uint32_t start = row->edges[2 * i], end = row->edges[2 * i + 1], area = end - start;
    const uint64_t sum_x = (uint64_t) (start + end - 1) * area / 2, sum_y = (uint64_t) y * area;
    while (up[1] + reach <= start)
      up += 2;
    uint32_t label;
    if (up[0] < end + reach) {
      label = above->label[(up - above->edges) / 2];
      while (up[2] < end + reach) {
        up += 2;
        label = ctr_label_unite (parent, label, above->label[(up - above->edges) / 2]);
      }
      CtrComponent *c = table + label;
      c->sum_x += sum_x;
      c->sum_y += sum_y;
      c->area += area;
      c->left = (uint16_t) (start < c->left ? start : c->left);
      c->width = (uint16_t) (end > c->width ? end : c->width);
      c->height = (uint16_t) (y + 1);
    } else {
      label = next_label++;
      parent[label] = label;
      table[label] = (CtrComponent){.sum_x = sum_x,
          .sum_y = sum_y,
          .area = area,
          .left = (uint16_t) start,
          .top = (uint16_t) y,
          .width = (uint16_t) end,
          .height = (uint16_t) (y + 1),
          .start_x = (uint16_t) start};
      if (features & CTR_FEATURE_MOMENTS)
        moments[label] = (CtrComponentMoments){0};
      if (features & CTR_FEATURE_GREY)
        grey[label] = (CtrComponentGrey){.min = UINT16_MAX};
    }
    row->label[i] = label;
    if (features & CTR_FEATURE_MOMENTS) {
      moments[label].sum_xx += ctr_sum_of_squares (end) - ctr_sum_of_squares (start);
      moments[label].sum_xy += sum_x * y;
      moments[label].sum_yy += sum_y * y;
    }
    if (features & CTR_FEATURE_GREY)
      add_samples (grey + label, samples, wide, start, end);
  }
  band->label_count = next_label;
}

static void
keep_runs (CtrCcaBand *band, const CtrCcaRow *row, uint32_t y)
{
  CtrCcaRun *runs = (CtrCcaRun *) band->runs.data + band->run_count;
  for (uint32_t i = 0; i < row->count; i++)
    runs[i] = (CtrCcaRun){
        .start = (uint16_t) row->edges[2 * i], .last = (uint16_t) (row->edges[2 * i + 1] - 1), .label = row->label[i]};
  ((uint32_t *) band->runs_in_row.data)[y - band->first_y] = row->count;
  band->run_count += row->count;
}

static CtrStatus
label_rows (CtrCcaBand *band, const CtrImage *image, const CtrCcaParams *params, const CtrForegroundRows *foreground)
{
  const bool wide = image->format == CTR_FORMAT_GRAY16, equal = params->mode == CTR_COMPONENTS_EQUAL,
             keep = ctr_cca_needs_labels (params);
  const uint32_t reach = params->connectivity == CTR_CONNECTIVITY_8, features = params->features;
  CtrCcaRow *row = &band->first_row, *above = &band->rows[1];
  band->label_count = 0;
  band->run_count = 0;
  above->count = 0;
  above->edges[0] = above->edges[1] = CTR_CCA_NO_RUN;
  band->background = (CtrComponent){.left = UINT16_MAX};
  if (keep && !ctr_host_buffer_reserve (&band->runs_in_row, band->end_y - band->first_y, sizeof (uint32_t)))
    return CTR_ERROR_OUT_OF_MEMORY;
  for (uint32_t y = band->first_y; y < band->end_y; y++) {
    if (ctr_cancelled ())
      return CTR_ERROR_CANCELLED;
    const bool reads = equal || !foreground->mask || features & CTR_FEATURE_GREY;
    const void *samples = reads ? ctr_samples_row (&band->samples, image, y) : NULL;
    if (equal) {
      ctr_cca_find_values (samples, wide, image->width, params->background, row);
    } else {
      ctr_samples_set_bits (image, foreground, y, samples, band->bits);
      row->count = ctr_find_runs (band->bits, image->width, row->edges);
    }
    row->edges[2 * row->count] = row->edges[2 * row->count + 1] = CTR_CCA_NO_RUN;
    if (!reserve_row (band, row->count, features, keep))
      return CTR_ERROR_OUT_OF_MEMORY;
    if (features & CTR_FEATURE_BACKGROUND)
      ctr_cca_add_background (&band->background, row, image->width, y);
    if (equal)
      ctr_cca_label_values (band, row, above, y, reach, features);
    else if (features & (CTR_FEATURE_MOMENTS | CTR_FEATURE_GREY))
      label_row (band, row, above, samples, wide, y, reach, features);
    else if (reach == 0)
      label_row (band, row, above, samples, wide, y, 0, 0);
    else
      label_row (band, row, above, samples, wide, y, 1, 0);
    if (keep)
      keep_runs (band, row, y);
    above = row;
    row = &band->rows[row == &band->rows[0]];
  }
  band->last_row = above;
  return CTR_OK;
}

void
ctr_cca_band_add (CtrCcaBand *to, uint32_t target, const CtrCcaBand *from, uint32_t source, uint32_t features)
{
  const CtrComponent *a = (const CtrComponent *) from->table.data + source;
  CtrComponent *b = (CtrComponent *) to->table.data + target;
  b->sum_x += a->sum_x;
  b->sum_y += a->sum_y;
  b->area += a->area;
  b->left = a->left < b->left ? a->left : b->left;
  b->width = a->width > b->width ? a->width : b->width;
  b->height = a->height > b->height ? a->height : b->height;
  if (features & CTR_FEATURE_MOMENTS) {
    const CtrComponentMoments *moments = (const CtrComponentMoments *) from->moments.data + source;
    CtrComponentMoments *sums = (CtrComponentMoments *) to->moments.data + target;
    sums->sum_xx += moments->sum_xx;
    sums->sum_xy += moments->sum_xy;
    sums->sum_yy += moments->sum_yy;
  }
  if (features & CTR_FEATURE_GREY) {
    const CtrComponentGrey *grey = (const CtrComponentGrey *) from->grey.data + source;
    CtrComponentGrey *sums = (CtrComponentGrey *) to->grey.data + target;
    sums->sum += grey->sum;
    sums->sum_sq += grey->sum_sq;
    sums->min = grey->min < sums->min ? grey->min : sums->min;
    sums->max = grey->max > sums->max ? grey->max : sums->max;
  }
}

static CtrStatus
fold_into_roots (CtrCcaBand *band, uint32_t features)
{
  uint32_t *parent = band->parent.data;
  uint64_t work = 0;
  for (uint32_t i = 0; i < band->label_count; i++) {
    if (ctr_poll (&work, 1))
      return CTR_ERROR_CANCELLED;
    /* A parent has a lower label, so its own parent is a root already. */
    const uint32_t root = parent[i] = parent[parent[i]];
    if (root != i)
      ctr_cca_band_add (band, root, band, i, features);
  }
  return CTR_OK;
}

void
ctr_cca_band_label (
    CtrCcaBand *band, const CtrImage *image, const CtrCcaParams *params, const CtrForegroundRows *foreground)
{
  band->status = label_rows (band, image, params, foreground);
  if (band->status == CTR_OK)
    band->status = fold_into_roots (band, params->features);
}
