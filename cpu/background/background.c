/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removal of a background on the host: memory of the model, and its rows on several threads. */
#include "core/common/poll.h"
#include "cpu/background/rows.h"
#include "cpu/common/bands.h"
#include "cpu/common/host_buffer.h"
#include "cpu/common/luma.h"

#include <string.h>

enum {
  MIN_PIXELS = 1 << 16, /* of a band */
  BANDS_PER_THREAD = 2
};

typedef struct {
  CtrHostBuffer average, plane, history;
  CtrHostBuffer luma; /* a row of each thread */
  CtrRoomPeriod period;
  bool summed; /* MEAN is that of the model. */
  uint32_t mean;
} State;

/* What the threads share of an image. */
typedef struct {
  State *state;
  const CtrImage *image;
  const CtrCorrectedPicture *corrected;
  CtrBackgroundRow row; /* but for what differs from row to row */
  size_t row_samples;   /* of the model */
  unsigned threads;
  uint32_t bands, next_band;
  uint64_t sum;   /* atomic */
  bool cancelled; /* atomic */
} Frame;

static void *
create (CtrError *error)
{
  State *state = calloc (1, sizeof *state);
  if (!state)
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a new background remover");
  return state;
}

static void
destroy (void *data)
{
  State *state = data;
  ctr_host_buffer_release (&state->average);
  ctr_host_buffer_release (&state->plane);
  ctr_host_buffer_release (&state->history);
  ctr_host_buffer_release (&state->luma);
  free (state);
}

static size_t
sample_size (const CtrBackgroundPlan *plan)
{
  return plan->greatest == 255 ? 1 : 2;
}

static bool
prepare (Frame *frame, CtrError *error)
{
  State *state = frame->state;
  const CtrBackgroundPlan *plan = frame->row.plan;
  const uint32_t width = frame->image->width, height = frame->image->height;
  const size_t samples = frame->row_samples * height, size = sample_size (plan);
  const bool averages = plan->model == CTR_BACKGROUND_AVERAGE;

  frame->threads = ctr_threads_current ();
  frame->bands = ctr_band_count (width, height, frame->threads, BANDS_PER_THREAD, MIN_PIXELS);
  if (frame->threads > frame->bands)
    frame->threads = frame->bands;
  if (ctr_host_buffer_reserve (&state->average, averages ? samples : 0, sizeof (float))
      && ctr_host_buffer_reserve (&state->plane, averages ? 0 : samples, size)
      && ctr_host_buffer_reserve (
          &state->history, plan->model == CTR_BACKGROUND_MEDIAN ? plan->frames * samples : 0, size)
      && ctr_host_buffer_reserve (
          &state->luma, ctr_format_is_packed (frame->image->format) ? frame->threads * frame->row_samples : 0, 1))
    return true;
  return ctr_fail (
      error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the background of a %u x %u image", width, height);
}

/* Gives back what another model has left. */
static void
drop_others (State *state, CtrBackgroundModel model)
{
  if (model != CTR_BACKGROUND_AVERAGE)
    ctr_host_buffer_release (&state->average);
  else
    ctr_host_buffer_release (&state->plane);
  if (model != CTR_BACKGROUND_MEDIAN)
    ctr_host_buffer_release (&state->history);
}

/* At the end of a period: gives back what its images have not needed. The model goes on. */
static void
give_back (State *state)
{
  CtrHostBuffer *const buffers[] = {&state->average, &state->plane, &state->history, &state->luma};
  if (ctr_host_buffers_give_back (buffers, sizeof buffers / sizeof *buffers))
    ctr_room_period_double (&state->period);
}

static void
take_picture (const Frame *frame)
{
  const CtrBackgroundPlan *plan = frame->row.plan;
  const size_t size = sample_size (plan), row = frame->image->width * size;
  for (uint32_t y = 0; y < frame->image->height; y++)
    memcpy ((uint8_t *) frame->state->plane.data + y * frame->row_samples * size,
        (const uint8_t *) plan->picture + y * row, row);
}

static void
do_row (const Frame *frame, uint32_t thread, uint32_t y, uint64_t *sum)
{
  State *state = frame->state;
  const CtrImage *image = frame->image;
  const CtrCorrectedPicture *corrected = frame->corrected;
  CtrBackgroundRow row = frame->row;
  const size_t at = y * frame->row_samples, size = sample_size (row.plan);
  const uint8_t *from = (const uint8_t *) image->data + y * image->stride;
  uint8_t *to = (uint8_t *) corrected->data + y * corrected->stride;

  row.average = state->average.data ? (float *) state->average.data + at : NULL;
  row.plane = state->plane.data ? (uint8_t *) state->plane.data + at * size : NULL;
  row.history = state->history.data ? (uint8_t *) state->history.data + at * size : NULL;
  if (size == 2) {
    ctr_background_row_16 (&row, (const uint16_t *) from, (uint16_t *) to, sum);
  } else if (!ctr_format_is_packed (image->format)) {
    ctr_background_row_8 (&row, from, to, sum);
  } else {
    uint8_t *luma = (uint8_t *) state->luma.data + thread * frame->row_samples;
    ctr_luma_row (image->format, from, image->width, luma);
    ctr_background_row_8 (&row, luma, luma, sum);
    if (row.correct)
      ctr_background_spread_row (image->format, luma, from, image->width, to);
  }
}

static void
do_bands (void *data, uint32_t thread)
{
  Frame *frame = data;
  const uint32_t height = frame->image->height;
  uint64_t sum = 0;
  uint32_t band;
  while ((band = ctr_band_take (&frame->next_band, frame->bands)) < frame->bands) {
    const uint32_t end = ctr_band_first (height, frame->bands, band + 1);
    for (uint32_t y = ctr_band_first (height, frame->bands, band); y < end; y++) {
      if (ctr_cancelled ()) {
        __atomic_store_n (&frame->cancelled, true, __ATOMIC_RELAXED);
        return;
      }
      do_row (frame, thread, y, &sum);
    }
  }
  __atomic_fetch_add (&frame->sum, sum, __ATOMIC_RELAXED);
}

/* One pass over all rows, which learns, and corrects or adds up. */
static bool
pass (Frame *frame, bool learn, bool correct)
{
  frame->row.learn = learn;
  frame->row.correct = correct;
  frame->row.mean = frame->state->mean;
  frame->next_band = 0;
  frame->sum = 0;
  ctr_parallel_for (frame->threads, frame->threads, do_bands, frame);
  return !frame->cancelled;
}

static bool
run (Frame *frame)
{
  State *state = frame->state;
  const CtrBackgroundPlan *plan = frame->row.plan;
  const CtrImage *image = frame->image;

  state->summed = state->summed && !plan->learn;
  if (plan->mode != CTR_BACKGROUND_DIVIDE)
    return pass (frame, plan->learn, true);
  if (!state->summed) {
    if (!pass (frame, plan->learn, false))
      return false;
    state->mean =
        ctr_background_mean (frame->sum, (uint64_t) image->width * image->height, ctr_background_unit (plan->greatest));
    state->summed = true;
  }
  return pass (frame, false, true);
}

static bool
enqueue (void *data, const CtrImage *image, const CtrBackgroundPlan *plan, const CtrCorrectedPicture *corrected,
    void *stream, CtrError *error)
{
  State *state = data;
  Frame frame = {.state = state, .image = image, .corrected = corrected};

  frame.row_samples = (image->width + CTR_BACKGROUND_BLOCK - 1) / CTR_BACKGROUND_BLOCK * (size_t) CTR_BACKGROUND_BLOCK;
  frame.row = (CtrBackgroundRow){.plan = plan, .width = image->width};
  frame.row.history_stride = frame.row_samples * image->height * sample_size (plan);
  if (ctr_room_period_ends (&state->period))
    give_back (state);
  if (plan->start)
    drop_others (state, plan->model);
  if (!prepare (&frame, error))
    return false;
  if (plan->start && plan->model == CTR_BACKGROUND_GIVEN)
    take_picture (&frame);
  if (!run (&frame))
    return ctr_fail_cancelled (error);
  ctr_background_copy_kept (corrected);
  return true;
}

static bool
finish (void *data, CtrError *error)
{
  return true;
}

const CtrBackgroundOps ctr_background_ops_cpu = {
    .base = {.create = create, .destroy = destroy},
    .enqueue = enqueue,
    .finish = finish,
};
