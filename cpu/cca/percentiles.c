/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The areas say where each component's samples go: first they are sorted by component, in any order, then the samples with the
 * wanted indices are selected from each component's histogram. */
#include "cpu/cca/percentiles.h"

#include "core/common/poll.h"
#include "core/results/component_values.h"
#include "cpu/common/bands.h"
#include "cpu/common/parallel.h"

#include <stdatomic.h>
#include <string.h>

enum {
  SORTED = 32,          /* samples that are sorted rather than counted, at most */
  ROWS_A_TASK = 1 << 12 /* of the table */
};

typedef struct {
  const CtrCcaSampleRows *job;
  const uint32_t *labels;
  _Atomic uint32_t *ends;
  uint16_t *samples;
  atomic_bool cancelled;
} Task;

void
ctr_cca_percentiles_release (CtrCcaPercentiles *work)
{
  ctr_host_buffer_release (&work->ends);
  ctr_host_buffer_release (&work->samples);
}

bool
ctr_cca_percentiles_give_back (CtrCcaPercentiles *work)
{
  CtrHostBuffer *const buffers[] = {&work->ends, &work->samples};
  return ctr_host_buffers_give_back (buffers, sizeof buffers / sizeof *buffers);
}

static bool
fail_memory (const CtrComponents *result, CtrError *error)
{
  return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY,
      "no host memory for the percentiles of %u components of a %u x %u image", result->count, result->width,
      result->height);
}

/* Appends the samples of row Y to those of their components. A run of equal labels takes its place at once. */
static void
sort_row (const Task *task, const void *row, uint32_t y)
{
  const uint32_t width = task->job->result->width, *labels = task->labels + (size_t) y * width;
  for (uint32_t x = 0, end; x < width; x = end) {
    const uint32_t label = labels[x];
    end = x + 1;
    while (end < width && labels[end] == label)
      end++;
    if (label == 0)
      continue;
    uint16_t *to = task->samples + atomic_fetch_add_explicit (&task->ends[label - 1], end - x, memory_order_relaxed);
    if (task->job->wide)
      memcpy (to, (const uint16_t *) row + x, (end - x) * sizeof *to);
    else
      for (uint32_t i = x; i < end; i++)
        to[i - x] = ((const uint8_t *) row)[i];
  }
}

static void
sort_band (void *data, uint32_t band)
{
  Task *task = data;
  const CtrCcaSampleRows *job = task->job;
  const uint32_t height = job->result->height, end = ctr_band_first (height, job->bands, band + 1);
  for (uint32_t y = ctr_band_first (height, job->bands, band); y < end; y++) {
    if (ctr_cancelled ()) {
      task->cancelled = true;
      return;
    }
    sort_row (task, job->read_row (job->data, band, y), y);
  }
}

static void
select_sorted (uint16_t *samples, uint32_t count, uint16_t *percentiles)
{
  for (uint32_t i = 1; i < count; i++) {
    const uint16_t sample = samples[i];
    uint32_t k = i;
    for (; k > 0 && samples[k - 1] > sample; k--)
      samples[k] = samples[k - 1];
    samples[k] = sample;
  }
  for (uint32_t k = 0; k < CTR_PERCENTILES; k++)
    percentiles[k] = samples[ctr_percentile_index (count, k)];
}

/* The bin that has the sample with the *INDEX, which becomes its index in the bin. */
static uint32_t
find_bin (const uint32_t *bins, uint32_t *index)
{
  uint32_t bin = 0;
  for (; *index >= bins[bin]; bin++)
    *index -= bins[bin];
  return bin;
}

/* Adds to BINS the lower bytes of the samples whose upper byte is HIGH, or the upper bytes of all if HIGH is 256. False if the work is
 * cancelled. */
static bool
count_bytes (const uint16_t *samples, uint32_t count, uint32_t high, uint32_t *bins)
{
  for (uint64_t i = 0; i < count;) {
    const uint64_t end = ctr_poll_end (i, count);
    if (ctr_cancelled ())
      return false;
    for (; i < end; i++)
      if (high == 256)
        bins[samples[i] >> 8]++;
      else if (samples[i] >> 8 == high)
        bins[samples[i] & 255]++;
  }
  return true;
}

/* Counts the upper bytes, then, for each that has a percentile, the lower bytes that come with it. */
static bool
select_counted (const uint16_t *samples, uint32_t count, bool wide, uint16_t *percentiles)
{
  uint32_t upper[256] = {0}, bins[256], index, high = 256;
  if (!wide)
    upper[0] = count;
  else if (!count_bytes (samples, count, 256, upper))
    return false;
  for (uint32_t k = 0; k < CTR_PERCENTILES; k++) {
    index = ctr_percentile_index (count, k);
    const uint32_t bin = find_bin (upper, &index);
    if (bin != high) {
      high = bin;
      memset (bins, 0, sizeof bins);
      if (!count_bytes (samples, count, high, bins))
        return false;
    }
    percentiles[k] = (uint16_t) (high << 8 | find_bin (bins, &index));
  }
  return true;
}

/* Selects the percentiles of some rows of the table. */
static void
select_rows (void *data, uint32_t number)
{
  Task *task = data;
  const CtrComponents *result = task->job->result;
  const uint32_t first = number * ROWS_A_TASK,
                 end = result->count - first < ROWS_A_TASK ? result->count : first + ROWS_A_TASK;
  uint64_t work = 0;
  for (uint32_t i = first; i < end; i++) {
    const uint32_t area = result->table[i].area;
    uint16_t *samples = task->samples + (task->ends[i] - area),
             *percentiles = (uint16_t *) ((CtrComponentPercentiles *) result->percentiles + i);
    if (area > SORTED ? !select_counted (samples, area, task->job->wide, percentiles) : ctr_poll (&work, area)) {
      task->cancelled = true;
      return;
    }
    if (area <= SORTED)
      select_sorted (samples, area, percentiles);
  }
}

/* Each percentile of equal samples is this sample. */
static bool
copy_values (const CtrComponents *result, CtrError *error)
{
  uint64_t work = 0;
  for (uint32_t i = 0; i < result->count; i++) {
    const uint16_t value = result->table[i].value;
    if (ctr_poll (&work, 1))
      return ctr_fail_cancelled (error);
    ((CtrComponentPercentiles *) result->percentiles)[i] =
        (CtrComponentPercentiles){.p5 = value, .p25 = value, .median = value, .p75 = value, .p95 = value};
  }
  return true;
}

bool
ctr_cca_find_percentiles (CtrCcaPercentiles *work, const CtrCcaSampleRows *job, const uint32_t *labels, CtrError *error)
{
  const CtrComponents *result = job->result;
  uint64_t polled = 0;
  uint32_t all = 0;
  if (result->features & CTR_FEATURE_VALUES)
    return copy_values (result, error);
  if (!ctr_host_buffer_reserve (&work->ends, result->count, sizeof (uint32_t)))
    return fail_memory (result, error);
  Task task = {.job = job, .labels = labels, .ends = work->ends.data};
  for (uint32_t i = 0; i < result->count; i++) {
    if (ctr_poll (&polled, 2))
      return ctr_fail_cancelled (error);
    ((CtrComponentPercentiles *) result->percentiles)[i] = (CtrComponentPercentiles){0};
    atomic_init (&task.ends[i], all);
    all += result->table[i].area;
  }
  if (!ctr_host_buffer_reserve (&work->samples, all, sizeof (uint16_t)))
    return fail_memory (result, error);
  task.samples = work->samples.data;
  ctr_parallel_for (ctr_threads_current (), job->bands, sort_band, &task);
  if (!task.cancelled)
    ctr_parallel_for (ctr_threads_current (), (result->count + ROWS_A_TASK - 1) / ROWS_A_TASK, select_rows, &task);
  return !task.cancelled || ctr_fail_cancelled (error);
}
