/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis: one pass over the rows as runs of foreground, with a union-find of labels.
 *
 * A run that touches no run of the previous row opens a label, so labels ascend in raster order of their first pixels.
 * A union keeps the lower label. The root of a component is therefore the label of its first pixel, and numbering the
 * roots in order gives OpenCV's labels. Sums are accumulated per label, and added to those of the roots at the end. */
#include "core/cca/cca.h"

#include "core/common/poll.h"
#include "core/results/components.h"
#include "cpu/common/host_buffer.h"
#include "cpu/common/samples.h"

#include <stdlib.h>
#include <string.h>

/* The maximum number of runs in a row. */
#define MAX_RUNS ((CTR_MAX_SIDE + 1) / 2)

typedef struct {
  uint32_t count;
  uint32_t edges[CTR_MAX_SIDE + 8]; /* from ctr_find_runs(), and a run that overlaps nothing */
  uint32_t label[MAX_RUNS + 1];
} Row;

/* A run for the label image. */
typedef struct {
  uint16_t start;
  uint16_t last; /* inclusive */
  uint32_t label;
} LabelRun;

typedef struct {
  Row rows[2];
  uint64_t bits[CTR_ROW_WORDS (CTR_MAX_SIDE)];
  CtrSamples samples;

  /* By label. During the pass, CtrComponent's width and height contain the right and the bottom end, exclusive. */
  uint32_t label_count;
  CtrHostBuffer parent; /* uint32_t; a root is its own parent */
  CtrHostBuffer table;  /* CtrComponent */
  CtrHostBuffer moments;
  CtrHostBuffer grey;

  uint32_t *runs_in_row; /* by row; with CTR_FEATURE_LABELS, all runs of the image are kept */
  size_t run_count;
  CtrHostBuffer runs; /* LabelRun */

  CtrComponents *result; /* until finish() takes it */
} State;

static void *
create (CtrError *error)
{
  State *state = calloc (1, sizeof *state);
  if (!state)
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a new component analyser");
  return state;
}

static void
release_buffers (State *state)
{
  ctr_host_buffer_release (&state->parent);
  ctr_host_buffer_release (&state->table);
  ctr_host_buffer_release (&state->moments);
  ctr_host_buffer_release (&state->grey);
  ctr_host_buffer_release (&state->runs);
}

static void
destroy (void *data)
{
  State *state = data;
  release_buffers (state);
  ctr_samples_release (&state->samples);
  free (state->runs_in_row);
  ctr_components_unref (state->result);
  free (state);
}

/* Makes room for what a row with RUNS runs may add. */
static bool
reserve_row (State *state, uint32_t runs, uint32_t features)
{
  size_t labels = (size_t) state->label_count + runs;
  return ctr_host_buffer_reserve (&state->parent, labels, sizeof (uint32_t))
         && ctr_host_buffer_reserve (&state->table, labels, sizeof (CtrComponent))
         && (!(features & CTR_FEATURE_MOMENTS)
             || ctr_host_buffer_reserve (&state->moments, labels, sizeof (CtrComponentMoments)))
         && (!(features & CTR_FEATURE_GREY)
             || ctr_host_buffer_reserve (&state->grey, labels, sizeof (CtrComponentGrey)))
         && (!(features & CTR_FEATURE_LABELS)
             || ctr_host_buffer_reserve (&state->runs, state->run_count + runs, sizeof (LabelRun)));
}

static inline uint32_t
find_root (uint32_t *parent, uint32_t label)
{
  while (parent[label] != label)
    label = parent[label] = parent[parent[label]];
  return label;
}

static inline uint32_t
unite (uint32_t *parent, uint32_t a, uint32_t b)
{
  a = find_root (parent, a);
  b = find_root (parent, b);
  uint32_t low = a < b ? a : b, high = a < b ? b : a;
  parent[high] = low;
  return low;
}

/* 0^2 + 1^2 + ... + (n - 1)^2 */
static inline uint64_t
sum_of_squares (uint64_t n)
{
  return (n - 1) * n * (2 * n - 1) / 6;
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
label_row (State *state, Row *row, const Row *above, const void *samples, bool wide, uint32_t y, uint32_t reach,
    uint32_t features)
{
  uint32_t *parent = state->parent.data;
  CtrComponent *table = state->table.data;
  CtrComponentMoments *moments = state->moments.data;
  CtrComponentGrey *grey = state->grey.data;
  uint32_t next_label = state->label_count;
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
        label = unite (parent, label, above->label[(up - above->edges) / 2]);
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
      moments[label].sum_xx += sum_of_squares (end) - sum_of_squares (start);
      moments[label].sum_xy += sum_x * y;
      moments[label].sum_yy += sum_y * y;
    }
    if (features & CTR_FEATURE_GREY)
      add_samples (grey + label, samples, wide, start, end);
  }
  state->label_count = next_label;
}

static bool
label_image (State *state, const CtrImage *image, const CtrCcaParams *params, uint32_t threshold, CtrError *error)
{
  const bool wide = image->format == CTR_FORMAT_GRAY16;
  const uint32_t reach = params->connectivity == CTR_CONNECTIVITY_8;
  const uint32_t width = image->width, features = params->features;
  state->label_count = 0;
  state->run_count = 0;
  state->rows[1].count = 0;
  for (uint32_t y = 0; y < image->height; y++) {
    Row *row = &state->rows[y & 1], *above = &state->rows[~y & 1];
    if (!ctr_go_on (error))
      return false;
    const void *samples = ctr_samples_row (&state->samples, image, y);
    ctr_samples_pack (image, samples, threshold, params->foreground.invert, state->bits);
    row->count = ctr_find_runs (state->bits, width, row->edges);
    if (!reserve_row (state, row->count, features))
      return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY,
          "no host memory for the components of a %u x %u image: %u labels in its first %u rows", width, image->height,
          state->label_count, y);
    above->edges[2 * above->count] = above->edges[2 * above->count + 1] = UINT32_MAX - 1;
    if (features & (CTR_FEATURE_MOMENTS | CTR_FEATURE_GREY))
      label_row (state, row, above, samples, wide, y, reach, features);
    else if (reach == 0)
      label_row (state, row, above, samples, wide, y, 0, 0);
    else
      label_row (state, row, above, samples, wide, y, 1, 0);

    if (features & CTR_FEATURE_LABELS) {
      LabelRun *runs = (LabelRun *) state->runs.data + state->run_count;
      for (uint32_t i = 0; i < row->count; i++)
        runs[i] = (LabelRun){.start = (uint16_t) row->edges[2 * i],
            .last = (uint16_t) (row->edges[2 * i + 1] - 1),
            .label = row->label[i]};
      state->runs_in_row[y] = row->count;
      state->run_count += row->count;
    }
  }
  return true;
}

/* Adds the sums of all other labels to those of their roots; the parents become roots. This and the functions below
 * return false if the work is cancelled. */
static bool
fold_into_roots (State *state, uint32_t features)
{
  uint32_t *parent = state->parent.data;
  CtrComponent *table = state->table.data;
  CtrComponentMoments *moments = state->moments.data;
  CtrComponentGrey *grey = state->grey.data;
  uint64_t work = 0;
  for (uint32_t i = 0; i < state->label_count; i++) {
    if (ctr_poll (&work, 1))
      return false;
    /* A parent has a lower label, so its own parent is a root already. */
    const uint32_t root = parent[i] = parent[parent[i]];
    if (root == i)
      continue;
    const CtrComponent *from = table + i;
    CtrComponent *to = table + root;
    to->sum_x += from->sum_x;
    to->sum_y += from->sum_y;
    to->area += from->area;
    to->left = from->left < to->left ? from->left : to->left;
    to->width = from->width > to->width ? from->width : to->width;
    to->height = from->height > to->height ? from->height : to->height;
    if (features & CTR_FEATURE_MOMENTS) {
      moments[root].sum_xx += moments[i].sum_xx;
      moments[root].sum_xy += moments[i].sum_xy;
      moments[root].sum_yy += moments[i].sum_yy;
    }
    if (features & CTR_FEATURE_GREY) {
      grey[root].sum += grey[i].sum;
      grey[root].sum_sq += grey[i].sum_sq;
      grey[root].min = grey[i].min < grey[root].min ? grey[i].min : grey[root].min;
      grey[root].max = grey[i].max > grey[root].max ? grey[i].max : grey[root].max;
    }
  }
  return true;
}

static inline bool
is_kept (const CtrComponent *component, const CtrCcaParams *params)
{
  return component->area >= params->min_area && (params->max_area == 0 || component->area <= params->max_area);
}

static bool
count_rows (const State *state, const CtrCcaParams *params, uint32_t *count)
{
  const uint32_t *parent = state->parent.data;
  const CtrComponent *table = state->table.data;
  uint64_t work = 0;
  *count = 0;
  for (uint32_t i = 0; i < state->label_count; i++) {
    if (ctr_poll (&work, 1))
      return false;
    *count += parent[i] == i && is_kept (table + i, params);
  }
  return true;
}

/* Copies the rows of roots within the area limits to the result. The parents become labels of the result, 0 outside the
 * limits. */
static bool
emit_rows (State *state, const CtrCcaParams *params, CtrComponents *result)
{
  uint32_t *parent = state->parent.data;
  const CtrComponent *table = state->table.data;
  uint32_t row = 0;
  uint64_t work = 0;
  for (uint32_t i = 0; i < state->label_count; i++) {
    if (ctr_poll (&work, 4))
      return false;
    if (parent[i] != i) {
      parent[i] = parent[parent[i]];
      continue;
    }
    if (!is_kept (table + i, params)) {
      parent[i] = 0;
      continue;
    }
    CtrComponent *c = (CtrComponent *) result->table + row;
    *c = table[i];
    c->width = (uint16_t) (c->width - c->left);
    c->height = (uint16_t) (c->height - c->top);
    if (result->moments)
      ((CtrComponentMoments *) result->moments)[row] = ((CtrComponentMoments *) state->moments.data)[i];
    if (result->grey)
      ((CtrComponentGrey *) result->grey)[row] = ((CtrComponentGrey *) state->grey.data)[i];
    parent[i] = ++row;
  }
  return true;
}

/* The parents are labels of the result by now. */
static bool
write_labels (const State *state, CtrComponents *result)
{
  const uint32_t *number = state->parent.data;
  const LabelRun *run = state->runs.data;
  uint32_t *labels = (uint32_t *) result->labels;
  for (uint32_t y = 0; y < result->height; y++, labels += result->width) {
    uint32_t x = 0;
    if (ctr_cancelled ())
      return false;
    for (const LabelRun *end = run + state->runs_in_row[y]; run < end; run++) {
      const uint32_t label = number[run->label];
      while (x < run->start)
        labels[x++] = 0;
      while (x <= run->last)
        labels[x++] = label;
    }
    while (x < result->width)
      labels[x++] = 0;
  }
  return true;
}

static CtrComponents *
analyse (State *state, const CtrImage *image, const CtrCcaParams *params, CtrError *error)
{
  uint32_t threshold;
  if (!ctr_samples_threshold (&state->samples, image, &params->foreground, &threshold, error))
    return NULL;
  if ((params->features & CTR_FEATURE_LABELS) && !state->runs_in_row
      && !(state->runs_in_row = malloc (CTR_MAX_SIDE * sizeof *state->runs_in_row))) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the runs of a label image");
    return NULL;
  }
  if (!label_image (state, image, params, threshold, error))
    return NULL;
  uint32_t count;
  if (!fold_into_roots (state, params->features) || !count_rows (state, params, &count)) {
    ctr_fail_cancelled (error);
    return NULL;
  }
  CtrComponents *result = ctr_components_alloc (image->width, image->height, count, params->features, error);
  if (!result)
    return NULL;
  result->threshold = threshold;
  result->connectivity = params->connectivity;
  if (emit_rows (state, params, result) && (!result->labels || write_labels (state, result)))
    return result;
  ctr_components_unref (result);
  ctr_fail_cancelled (error);
  return NULL;
}

static bool
enqueue (void *data, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  State *state = data;
  ctr_components_unref (state->result);
  state->result = analyse (state, image, params, error);
  /* A smaller image may need the memory that a too large one has taken. */
  if (!state->result && !ctr_cancelled ())
    release_buffers (state);
  return state->result;
}

static CtrComponents *
finish (void *data, CtrError *error)
{
  State *state = data;
  CtrComponents *result = state->result;
  state->result = NULL;
  return result;
}

const CtrCcaOps ctr_cca_ops_cpu = {
    .base = {.create = create, .destroy = destroy},
    .enqueue = enqueue,
    .finish = finish,
};
