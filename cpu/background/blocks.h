/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What rows.c includes once for each depth, with Sample and NAME(). The loops over a block have a constant length, so the
 * compiler makes vectors of them. */

/* Orders two blocks, sample by sample. */
ALWAYS_INLINE void
NAME (order) (Sample *restrict low, Sample *restrict high)
{
  for (int i = 0; i < BLOCK; i++) {
    const Sample a = low[i], b = high[i];
    low[i] = a < b ? a : b;
    high[i] = a < b ? b : a;
  }
}

/* The median of the history's blocks from sample X on. */
ALWAYS_INLINE void
NAME (median) (const CtrBackgroundRow *row, uint32_t x, Sample *background)
{
  const CtrBackgroundPlan *plan = row->plan;
  const uint32_t middle = (plan->frames - 1) / 2, zeros = ctr_background_zeros (plan->frames, plan->count);
  Sample blocks[CTR_BACKGROUND_MAX_FRAMES][BLOCK];
  for (uint32_t i = 0; i < plan->frames; i++)
    if (i < plan->count)
      memcpy (
          blocks[i], (const Sample *) ((const uint8_t *) row->history + i * row->history_stride) + x, sizeof blocks[i]);
    else
      memset (blocks[i], i < plan->count + zeros ? 0 : 255, sizeof blocks[i]);
  /* The smallest of those that are left comes first, up to the one in the middle. */
  for (uint32_t first = 0; first <= middle; first++)
    for (uint32_t i = plan->frames - 1; i > first; i--)
      NAME (order) (blocks[i - 1], blocks[i]);
  memcpy (background, blocks[middle], sizeof blocks[middle]);
}

ALWAYS_INLINE void
NAME (average) (
    const CtrBackgroundRow *row, float *restrict average, const Sample *restrict samples, Sample *restrict background)
{
  const CtrBackgroundPlan *plan = row->plan;
  const float rate = plan->rate, keep = plan->keep;
  if (row->learn && plan->start)
    for (int i = 0; i < BLOCK; i++)
      average[i] = samples[i];
  else if (row->learn)
    for (int i = 0; i < BLOCK; i++)
      average[i] = ctr_background_learn (average[i], samples[i], rate, keep);
  for (int i = 0; i < BLOCK; i++)
    background[i] = (Sample) ctr_background_round (average[i], (Sample) -1);
}

ALWAYS_INLINE void
NAME (subtract) (const Sample *restrict samples, const Sample *restrict background, bool absolute, int32_t offset,
    int32_t limit, Sample *restrict corrected)
{
  for (int i = 0; i < BLOCK; i++) {
    const int32_t difference = (int32_t) samples[i] - (int32_t) background[i];
    const int32_t value = (absolute && difference < 0 ? -difference : difference) + offset;
    const int32_t positive = value < 0 ? 0 : value;
    corrected[i] = (Sample) ((positive < limit ? positive : limit) & limit);
  }
}

/* Learns and corrects a block from sample X of the row on, of which COUNT samples are in the image. */
ALWAYS_INLINE void
NAME (block) (
    const CtrBackgroundRow *row, uint32_t x, uint32_t count, const Sample *samples, Sample *corrected, uint64_t *sum)
{
  const CtrBackgroundPlan *plan = row->plan;
  Sample found[BLOCK], *background = found;
  if (plan->model == CTR_BACKGROUND_AVERAGE) {
    NAME (average) (row, row->average + x, samples, background);
  } else {
    background = (Sample *) row->plane + x;
    if (row->learn && plan->model == CTR_BACKGROUND_MEDIAN) {
      memcpy ((Sample *) ((uint8_t *) row->history + plan->slot * row->history_stride) + x, samples,
          BLOCK * sizeof (Sample));
      NAME (median) (row, x, background);
    } else if (row->learn && plan->model == CTR_BACKGROUND_FIRST) {
      memcpy (background, samples, BLOCK * sizeof (Sample));
    }
  }
  if (!row->correct)
    for (uint32_t i = 0; i < count; i++)
      *sum += background[i];
  else if (plan->mode != CTR_BACKGROUND_DIVIDE)
    NAME (subtract)
  (samples, background, plan->mode == CTR_BACKGROUND_ABSDIFF, plan->offset, (int32_t) plan->limit, corrected);
  else for (int i = 0; i < BLOCK; i++) corrected[i] = (Sample) ctr_background_correct (
      samples[i], background[i], CTR_BACKGROUND_DIVIDE, row->mean, plan->offset, plan->limit, (Sample) -1);
}

WIDEST void
NAME (ctr_background_row) (const CtrBackgroundRow *row, const Sample *samples, Sample *corrected, uint64_t *sum)
{
  for (uint32_t x = 0; x < row->width; x += BLOCK) {
    const uint32_t count = row->width - x < BLOCK ? row->width - x : BLOCK;
    Sample from[BLOCK] = {0}, to[BLOCK];
    memcpy (from, samples + x, count * sizeof (Sample));
    NAME (block) (row, x, count, from, to, sum);
    if (row->correct)
      memcpy (corrected + x, to, count * sizeof (Sample));
  }
}
