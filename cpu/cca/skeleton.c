/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pixels that thinning leaves are few: each finds its distance by the columns to either side, as far as one of them may be nearer. */
#include "cpu/cca/skeleton.h"

#include "core/common/error.h"
#include "core/common/poll.h"
#include "cpu/cca/columns.h"
#include "cpu/common/bands.h"

#include <stdatomic.h>

/* Those of CtrComponentSkeleton. */
typedef struct {
  _Atomic uint64_t distance, straight, diagonal, pixels;
} Sums;

typedef struct {
  const CtrThinning *t;
  const uint32_t *labels;
  const uint16_t *columns;
  Sums *sums;
  uint32_t bands;
  atomic_bool cancelled;
} Task;

void
ctr_cca_skeleton_release (CtrCcaSkeletonWork *work)
{
  ctr_thinning_release (&work->thinning);
  ctr_host_buffer_release (&work->columns);
  ctr_host_buffer_release (&work->sums);
}

bool
ctr_cca_skeleton_give_back (CtrCcaSkeletonWork *work)
{
  CtrHostBuffer *const buffers[] = {&work->columns, &work->sums};
  const bool some = ctr_thinning_give_back (&work->thinning);
  return ctr_host_buffers_give_back (buffers, sizeof buffers / sizeof *buffers) || some;
}

/* The squared distance of pixel X of a row. */
static uint32_t
measure_distance (const uint32_t *labels, const uint16_t *columns, uint32_t width, uint32_t x)
{
  uint32_t found = (uint32_t) columns[x] * columns[x];
  for (uint32_t aside = 1; aside * aside < found; aside++) {
    const uint32_t left = x >= aside && labels[x - aside] == labels[x] ? columns[x - aside] : 0,
                   right = width - x > aside && labels[x + aside] == labels[x] ? columns[x + aside] : 0,
                   column = left < right ? left : right, distance = aside * aside + column * column;
    found = distance < found ? distance : found;
  }
  return found;
}

static void
add (_Atomic uint64_t *sum, uint64_t number)
{
  if (number)
    atomic_fetch_add_explicit (sum, number, memory_order_relaxed);
}

/* Adds those pixels of WORD, which begins at column FIRST of row Y, that belong to the skeleton. */
static void
measure_word (const Task *task, uint32_t word, uint32_t first, uint32_t y)
{
  const CtrThinning *t = task->t;
  const uint32_t *labels = task->labels + (size_t) y * t->width;
  const uint16_t *columns = task->columns + (size_t) y * t->width;
  uint64_t around[CTR_NEIGHBOURS];
  ctr_thinning_look_around (t, word, around);
  const uint64_t east = around[CTR_EAST], south = around[CTR_SOUTH],
                 south_east = around[CTR_SOUTH_EAST] & ~east & ~south,
                 south_west = around[CTR_SOUTH_WEST] & ~around[CTR_WEST] & ~south;
  for (uint64_t left = t->pixels[word]; left; left &= left - 1) {
    const uint32_t bit = (uint32_t) __builtin_ctzll (left), x = first + bit;
    Sums *sums = &task->sums[labels[x] - 1];
    add (&sums->distance, ctr_skeleton_distance (measure_distance (labels, columns, t->width, x)));
    add (&sums->straight, (east >> bit & 1) + (south >> bit & 1));
    add (&sums->diagonal, (south_east >> bit & 1) + (south_west >> bit & 1));
    add (&sums->pixels, 1);
  }
}

static void
measure_band (void *data, uint32_t band)
{
  Task *task = data;
  const CtrThinning *t = task->t;
  const uint32_t end = ctr_band_first (t->height, task->bands, band + 1);
  for (uint32_t y = ctr_band_first (t->height, task->bands, band); y < end; y++) {
    const uint32_t first = ctr_thinning_row (t, y);
    for (uint32_t i = 0; i < t->words; i++) {
      if (!t->pixels[first + i])
        continue;
      if (ctr_cancelled ()) {
        task->cancelled = true;
        return;
      }
      measure_word (task, first + i, 64 * i, y);
    }
  }
}

bool
ctr_cca_find_skeletons (
    CtrCcaSkeletonWork *work, CtrComponents *result, const uint32_t *labels, uint32_t bands, CtrError *error)
{
  CtrThinning t;
  uint64_t polled = 0;
  if (!ctr_thin (&work->thinning, labels, result->width, result->height, bands, &t, error))
    return false;
  if (!ctr_host_buffer_reserve (&work->columns, (size_t) result->width * result->height, sizeof (uint16_t))
      || !ctr_host_buffer_reserve (&work->sums, result->count, sizeof (Sums)))
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY,
        "no host memory for the skeletons of %u components of a %u x %u image", result->count, result->width,
        result->height);
  Task task = {.t = &t, .labels = labels, .columns = work->columns.data, .sums = work->sums.data, .bands = bands};
  for (uint32_t i = 0; i < result->count; i++) {
    if (ctr_poll (&polled, 1))
      return ctr_fail_cancelled (error);
    atomic_init (&task.sums[i].distance, 0);
    atomic_init (&task.sums[i].straight, 0);
    atomic_init (&task.sums[i].diagonal, 0);
    atomic_init (&task.sums[i].pixels, 0);
  }
  if (!ctr_cca_measure_columns (labels, result->width, result->height, work->columns.data))
    return ctr_fail_cancelled (error);
  ctr_parallel_for (ctr_threads_current (), bands, measure_band, &task);
  if (task.cancelled)
    return ctr_fail_cancelled (error);
  for (uint32_t i = 0; i < result->count; i++) {
    if (ctr_poll (&polled, 1))
      return ctr_fail_cancelled (error);
    ((CtrComponentSkeleton *) result->skeleton)[i] = (CtrComponentSkeleton){.distance_sum = task.sums[i].distance,
        .straight = task.sums[i].straight,
        .diagonal = task.sums[i].diagonal,
        .pixels = (uint32_t) task.sums[i].pixels};
  }
  return true;
}
