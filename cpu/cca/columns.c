/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread works on some columns: downwards, then upwards. */
#include "cpu/cca/columns.h"

#include "core/common/poll.h"
#include "cpu/common/parallel.h"

#include <stdatomic.h>

enum { COLUMNS_A_TASK = 256 };

typedef struct {
  const uint32_t *labels;
  uint32_t width, height;
  uint16_t *columns;
  atomic_bool cancelled;
} Task;

/* Sets the distances of some columns: downwards those to the pixels above, then upwards the lesser ones to either side. */
static void
measure_columns (void *data, uint32_t number)
{
  Task *task = data;
  const uint32_t width = task->width, height = task->height, first = number * COLUMNS_A_TASK,
                 end = width - first < COLUMNS_A_TASK ? width : first + COLUMNS_A_TASK;
  uint16_t below[COLUMNS_A_TASK] = {0};
  for (uint32_t y = 0; y < height; y++) {
    const uint32_t *labels = task->labels + (size_t) y * width;
    uint16_t *to = task->columns + (size_t) y * width;
    if (ctr_cancelled ()) {
      task->cancelled = true;
      return;
    }
    for (uint32_t x = first; x < end; x++)
      to[x] = (uint16_t) (1 + (y > 0 && labels[x] == (labels - width)[x] ? (to - width)[x] : 0));
  }
  for (uint32_t y = height; y-- > 0;) {
    const uint32_t *labels = task->labels + (size_t) y * width;
    uint16_t *to = task->columns + (size_t) y * width;
    if (ctr_cancelled ()) {
      task->cancelled = true;
      return;
    }
    for (uint32_t x = first; x < end; x++) {
      const uint16_t down = (uint16_t) (1 + (y + 1 < height && labels[x] == labels[x + width] ? below[x - first] : 0));
      below[x - first] = down;
      to[x] = down < to[x] ? down : to[x];
    }
  }
}

bool
ctr_cca_measure_columns (const uint32_t *labels, uint32_t width, uint32_t height, uint16_t *to)
{
  Task task = {.labels = labels, .width = width, .height = height, .columns = to};
  ctr_parallel_for (ctr_threads_current (), (width + COLUMNS_A_TASK - 1) / COLUMNS_A_TASK, measure_columns, &task);
  return !task.cancelled;
}
