/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The squared Euclidean distance of each pixel to the nearest one with another label: first within the columns, then each run of a row
 * with one label has an envelope of its own (cpu/common/envelope.h), since nothing beyond its ends is nearer than they are. A run whose
 * pixels cannot be farther away than the best one of their component is passed over. */
#include "cpu/cca/inscribed.h"

#include "core/common/poll.h"
#include "core/results/component_values.h"
#include "cpu/cca/columns.h"
#include "cpu/common/bands.h"
#include "cpu/common/envelope.h"
#include "cpu/common/parallel.h"

#include <stdatomic.h>

typedef struct {
  const CtrComponents *result;
  const uint32_t *labels;
  const uint16_t *columns;
  _Atomic uint64_t *keys;
  CtrParabola *parabolas;
  uint32_t bands;
  atomic_bool cancelled;
} Task;

void
ctr_cca_inscribed_release (CtrCcaInscribedWork *work)
{
  ctr_host_buffer_release (&work->columns);
  ctr_host_buffer_release (&work->keys);
  ctr_host_buffer_release (&work->parabolas);
}

bool
ctr_cca_inscribed_give_back (CtrCcaInscribedWork *work)
{
  CtrHostBuffer *const buffers[] = {&work->columns, &work->keys, &work->parabolas};
  return ctr_host_buffers_give_back (buffers, sizeof buffers / sizeof *buffers);
}

/* Sets *KEY to the greater one of it and NEXT. */
static void
raise_key (_Atomic uint64_t *key, uint64_t next)
{
  uint64_t now = atomic_load_explicit (key, memory_order_relaxed);
  while (now < next
         && !atomic_compare_exchange_weak_explicit (key, &now, next, memory_order_relaxed, memory_order_relaxed))
    ;
}

/* The pixels from FIRST to END - 1 of row Y are those of a component. PARABOLAS: room for two more of them. */
static void
measure_run (Task *task, uint32_t y, uint32_t first, uint32_t end, CtrParabola *parabolas)
{
  const uint32_t width = task->result->width, half = (end - first + 1) / 2;
  const uint16_t *columns = task->columns + (size_t) y * width;
  const uint32_t pixel = y * width;
  _Atomic uint64_t *key = &task->keys[task->labels[(size_t) pixel + first] - 1];
  uint32_t most = 0;
  for (uint32_t x = first; x < end; x++)
    most = columns[x] > most ? columns[x] : most;
  most = most < half ? most : half;
  if (ctr_inscribed_key (most * most, pixel + first) <= atomic_load_explicit (key, memory_order_relaxed))
    return;
  /* Places count from the pixel before the run on. */
  const uint32_t places = end - first + 2;
  size_t count = ctr_envelope_add (parabolas, 0, 0, 0, places), k = 0;
  for (uint32_t x = first; x < end; x++)
    count = ctr_envelope_add (parabolas, count, x - first + 1, columns[x], places);
  count = ctr_envelope_add (parabolas, count, places - 1, 0, places);
  uint64_t best = 0;
  for (uint32_t x = first; x < end; x++) {
    const uint64_t distance = ctr_envelope_at (parabolas, count, &k, x - first + 1),
                   next = ctr_inscribed_key ((uint32_t) distance, pixel + x);
    best = next > best ? next : best;
  }
  raise_key (key, best);
}

static void
measure_band (void *data, uint32_t band)
{
  Task *task = data;
  const uint32_t width = task->result->width, height = task->result->height,
                 last = ctr_band_first (height, task->bands, band + 1);
  CtrParabola *parabolas = task->parabolas + (size_t) band * (width + 2);
  for (uint32_t y = ctr_band_first (height, task->bands, band); y < last; y++) {
    const uint32_t *labels = task->labels + (size_t) y * width;
    if (ctr_cancelled ()) {
      task->cancelled = true;
      return;
    }
    for (uint32_t x = 0, end; x < width; x = end) {
      end = x + 1;
      while (end < width && labels[end] == labels[x])
        end++;
      if (labels[x])
        measure_run (task, y, x, end, parabolas);
    }
  }
}

bool
ctr_cca_find_inscribed (
    CtrCcaInscribedWork *work, CtrComponents *result, const uint32_t *labels, uint32_t bands, CtrError *error)
{
  uint64_t polled = 0;
  if (!ctr_host_buffer_reserve (&work->columns, (size_t) result->width * result->height, sizeof (uint16_t))
      || !ctr_host_buffer_reserve (&work->keys, result->count, sizeof (uint64_t))
      || !ctr_host_buffer_reserve (&work->parabolas, (size_t) bands * (result->width + 2), sizeof (CtrParabola)))
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY,
        "no host memory for the inscribed circles of %u components of a %u x %u image", result->count, result->width,
        result->height);
  Task task = {.result = result,
      .labels = labels,
      .columns = work->columns.data,
      .keys = work->keys.data,
      .parabolas = work->parabolas.data,
      .bands = bands};
  for (uint32_t i = 0; i < result->count; i++) {
    if (ctr_poll (&polled, 1))
      return ctr_fail_cancelled (error);
    atomic_init (&task.keys[i], 0);
  }
  if (!ctr_cca_measure_columns (labels, result->width, result->height, work->columns.data))
    return ctr_fail_cancelled (error);
  ctr_parallel_for (ctr_threads_current (), bands, measure_band, &task);
  if (task.cancelled)
    return ctr_fail_cancelled (error);
  for (uint32_t i = 0; i < result->count; i++) {
    if (ctr_poll (&polled, 1))
      return ctr_fail_cancelled (error);
    ((CtrComponentInscribed *) result->inscribed)[i] = ctr_inscribed_of_key (task.keys[i], result->width);
  }
  return true;
}
