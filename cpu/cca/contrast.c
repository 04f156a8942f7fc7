/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The nearest component of each pixel that is in none: first in the pixel's column, then by the columns of its row. */
#include "cpu/cca/contrast.h"

#include "core/common/memory.h"
#include "core/common/poll.h"
#include "core/results/component_values.h"
#include "cpu/common/bands.h"
#include "cpu/common/parallel.h"

#include <stdatomic.h>

/* Of a column, seen from a row. */
typedef struct {
  uint32_t label; /* of the nearest component; 0: none is near enough */
  uint32_t rows;  /* how far away it is */
} Nearest;

typedef struct {
  const CtrCcaSampleRows *rows;
  const uint32_t *labels;
  const CtrAtlas *atlas;
  uint32_t ring;
  Nearest *columns;
  atomic_bool cancelled;
} Task;

void
ctr_cca_contrast_release (CtrCcaContrastWork *work)
{
  ctr_host_buffer_release (&work->columns);
}

bool
ctr_cca_contrast_give_back (CtrCcaContrastWork *work)
{
  return ctr_host_buffer_give_back (&work->columns);
}

/* The rectangle that the rings at row Y are in: of its region, or the image. */
static CtrAtlasRegion
find_limits (const Task *task, uint32_t y)
{
  const CtrComponents *result = task->rows->result;
  if (!task->atlas || !task->atlas->count)
    return (CtrAtlasRegion){.width = result->width, .height = result->height};
  CtrAtlasRegion region = task->atlas->places[ctr_atlas_find (task->atlas->places, task->atlas->count, y)];
  if (y >= region.top + region.height)
    region.width = 0; /* there is a row between two regions */
  return region;
}

/* Finds the nearest components above and below row Y within LIMITS; of two as near, that with the lower label. */
static void
search_columns (const Task *task, uint32_t y, const CtrAtlasRegion *limits, Nearest *columns)
{
  const size_t stride = task->rows->result->width;
  const uint32_t *row = task->labels + y * stride;
  for (uint32_t x = 0; x < limits->width; x++)
    columns[x] = (Nearest){row[x], 0};
  for (uint32_t i = 1; i <= task->ring; i++) {
    const uint32_t *above = y >= limits->top + i ? row - i * stride : NULL,
                   *below = y + i < limits->top + limits->height ? row + i * stride : NULL;
    for (uint32_t x = 0; x < limits->width; x++) {
      if (columns[x].label)
        continue;
      const uint32_t a = above ? above[x] : 0, b = below ? below[x] : 0, label = a && b ? (a < b ? a : b) : a | b;
      if (label)
        columns[x] = (Nearest){label, i};
    }
  }
}

/* The label of the component in whose ring pixel X of WIDTH is, or 0. */
static uint32_t
search_row (const Nearest *columns, uint32_t x, uint32_t width, uint32_t ring)
{
  uint64_t best = ctr_ring_key (ring * ring + 1, 0);
  for (uint32_t aside = 0; aside <= ring && aside * aside <= best >> 32; aside++) {
    const Nearest none = {0, 0}, left = aside <= x ? columns[x - aside] : none,
                  right = x + aside < width ? columns[x + aside] : none;
    const uint64_t by_left = ctr_ring_key (aside * aside + left.rows * left.rows, left.label),
                   by_right = ctr_ring_key (aside * aside + right.rows * right.rows, right.label);
    if (left.label && by_left < best)
      best = by_left;
    if (right.label && by_right < best)
      best = by_right;
  }
  return (uint32_t) best;
}

static void
measure_row (const Task *task, uint32_t band, uint32_t y, Nearest *columns)
{
  const CtrAtlasRegion limits = find_limits (task, y);
  const uint32_t *labels = task->labels + (size_t) y * task->rows->result->width;
  CtrComponentContrast *contrast = (CtrComponentContrast *) task->rows->result->contrast;
  const void *samples = task->rows->read_row (task->rows->data, band, y);
  search_columns (task, y, &limits, columns);
  for (uint32_t x = 0; x < limits.width; x++) {
    const uint32_t label = labels[x] ? 0 : search_row (columns, x, limits.width, task->ring);
    if (!label)
      continue;
    const uint64_t sample = task->rows->wide ? ((const uint16_t *) samples)[x] : ((const uint8_t *) samples)[x];
    __atomic_fetch_add (&contrast[label - 1].ring_sum, sample, __ATOMIC_RELAXED);
    __atomic_fetch_add (&contrast[label - 1].ring_area, 1, __ATOMIC_RELAXED);
  }
}

static void
measure_band (void *data, uint32_t band)
{
  Task *task = data;
  const uint32_t height = task->rows->result->height, end = ctr_band_first (height, task->rows->bands, band + 1);
  Nearest *columns = task->columns + (size_t) band * task->rows->result->width;
  for (uint32_t y = ctr_band_first (height, task->rows->bands, band); y < end; y++) {
    if (ctr_cancelled ()) {
      task->cancelled = true;
      return;
    }
    measure_row (task, band, y, columns);
  }
}

bool
ctr_cca_find_contrast (CtrCcaContrastWork *work, const CtrCcaSampleRows *rows, const uint32_t *labels,
    const CtrAtlas *atlas, uint32_t ring, CtrError *error)
{
  const CtrComponents *result = rows->result;
  if (!ctr_host_buffer_reserve (&work->columns, (size_t) rows->bands * result->width, sizeof (Nearest)))
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the rings of %u components of a %u x %u image",
        result->count, result->width, result->height);
  if (!ctr_clear ((void *) result->contrast, result->count * sizeof *result->contrast))
    return ctr_fail_cancelled (error);
  Task task = {.rows = rows, .labels = labels, .atlas = atlas, .ring = ring, .columns = work->columns.data};
  ctr_parallel_for (ctr_threads_current (), rows->bands, measure_band, &task);
  return !task.cancelled || ctr_fail_cancelled (error);
}
