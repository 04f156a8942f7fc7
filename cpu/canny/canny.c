/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Canny edge detection: one pass over the rows, in which each stage is a few rows behind the previous one, down to bits
 * of candidates, and hysteresis on these bits. Several threads take bands of rows; then the hysteresis goes over the
 * seams between them. The picture is painted last, so it may overlap the image. */
#include "core/canny/canny.h"

#include "core/canny/thresholds.h"
#include "core/canny/values.h"
#include "core/common/poll.h"
#include "cpu/canny/hysteresis.h"
#include "cpu/canny/wide_rows.h"
#include "cpu/common/bands.h"
#include "cpu/common/host_buffer.h"

#include <stdlib.h>
#include <string.h>

enum {
  MIN_PIXELS = 1 << 15, /* of a band */
  BANDS_PER_THREAD = 2
};

/* The working memory of a thread. */
typedef struct {
  CtrCannyRows rows;
  CtrWideRows wide;
  int64_t greatest; /* magnitude of the rows that the thread has looked at */
} Worker;

typedef struct {
  CtrHysteresis hysteresis;
  Worker *workers;
  unsigned worker_count;
  CtrHostBuffer values; /* uint16_t of each pixel, for other outputs than edges */
  CtrRoomPeriod period;
  CtrCannyLimits limits; /* of the last frame */
} State;

/* What the threads share of a frame. */
typedef struct {
  State *state;
  const CtrImage *image;
  const CtrCannyPlan *plan;
  const CtrEdgePicture *picture;
  CtrCannyLimits limits;
  unsigned threads;
  uint32_t bands, next_band;
  bool cancelled; /* atomic */
} Frame;

static void *
create (CtrError *error)
{
  State *state = calloc (1, sizeof *state);
  if (!state)
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a new edge detector");
  return state;
}

static void
destroy (void *data)
{
  State *state = data;
  ctr_hysteresis_release (&state->hysteresis);
  for (unsigned i = 0; i < state->worker_count; i++) {
    ctr_canny_rows_release (&state->workers[i].rows);
    ctr_wide_rows_release (&state->workers[i].wide);
  }
  free (state->workers);
  ctr_host_buffer_release (&state->values);
  free (state);
}

static bool
prepare_threads (State *state, const CtrCannyPlan *plan, uint32_t width, unsigned threads)
{
  if (state->worker_count < threads) {
    Worker *workers = realloc (state->workers, threads * sizeof *workers);
    if (!workers)
      return false;
    memset (workers + state->worker_count, 0, (threads - state->worker_count) * sizeof *workers);
    state->workers = workers;
    state->worker_count = threads;
  }
  for (unsigned i = 0; i < threads; i++) {
    Worker *worker = &state->workers[i];
    worker->greatest = 0;
    /* The rows of 8 bits have the histogram and the strip of the mask of wide plans, too. */
    if (!ctr_canny_rows_prepare (&worker->rows, plan, width)
        || (plan->wide && !ctr_wide_rows_prepare (&worker->wide, plan, width)))
      return false;
  }
  return true;
}

/* At the end of a period: gives back what its images have not needed. */
static void
give_back (State *state)
{
  bool some = ctr_hysteresis_give_back (&state->hysteresis);
  for (unsigned i = 0; i < state->worker_count; i++) {
    some |= ctr_canny_rows_give_back (&state->workers[i].rows);
    some |= ctr_wide_rows_give_back (&state->workers[i].wide);
  }
  some |= ctr_host_buffer_give_back (&state->values);
  if (some)
    ctr_room_period_double (&state->period);
}

static bool
prepare (Frame *frame, CtrError *error)
{
  const uint32_t width = frame->image->width, height = frame->image->height;
  frame->threads = ctr_threads_current ();
  frame->bands = ctr_band_count (width, height, frame->threads, BANDS_PER_THREAD, MIN_PIXELS);
  if (frame->threads > frame->bands)
    frame->threads = frame->bands;
  if (prepare_threads (frame->state, frame->plan, width, frame->threads)
      && ctr_hysteresis_begin (&frame->state->hysteresis, width, height)
      && (frame->plan->output == CTR_CANNY_EDGES
          || ctr_host_buffer_reserve (&frame->state->values, (size_t) width * height, sizeof (uint16_t))))
    return true;
  return ctr_go_on (error)
         && ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the edges of a %u x %u image", width, height);
}

/* Calls BODY for each thread, which takes bands. This and the functions below return false if the work is cancelled. */
static bool
on_all_threads (Frame *frame, void (*body) (void *frame, uint32_t thread))
{
  frame->next_band = 0;
  ctr_parallel_for (frame->threads, frame->threads, body, frame);
  return !frame->cancelled;
}

/* Is the work cancelled? If so, no thread has to do its part. */
static bool
is_cancelled (Frame *frame)
{
  if (ctr_cancelled ())
    __atomic_store_n (&frame->cancelled, true, __ATOMIC_RELAXED);
  return __atomic_load_n (&frame->cancelled, __ATOMIC_RELAXED);
}

/* The rows of the next band, for a thread that takes bands. */
static bool
take_band (Frame *frame, uint32_t *first, uint32_t *end)
{
  const uint32_t band = ctr_band_take (&frame->next_band, frame->bands);
  if (band == frame->bands)
    return false;
  *first = ctr_band_first (frame->image->height, frame->bands, band);
  *end = ctr_band_first (frame->image->height, frame->bands, band + 1);
  return true;
}

static void
count_samples (void *data, uint32_t thread)
{
  Frame *frame = data;
  CtrCannyRows *rows = &frame->state->workers[thread].rows;
  uint32_t first, end;
  memset (rows->histogram, 0, sizeof rows->histogram);
  while (take_band (frame, &first, &end))
    for (uint32_t y = first; y < end && !is_cancelled (frame); y++) {
      const uint8_t *samples = ctr_canny_row_samples (rows, frame->image, frame->plan, y);
      for (uint32_t x = 0; x < frame->image->width; x++)
        rows->histogram[x % 4][samples[x]]++;
    }
}

static CtrCannyLimits
automatic_limits (const Frame *frame)
{
  const CtrCannyPlan *plan = frame->plan;
  uint32_t histogram[256] = {0};
  for (unsigned thread = 0; thread < frame->threads; thread++)
    for (int i = 0; i < 4 * 256; i++)
      histogram[i % 256] += frame->state->workers[thread].rows.histogram[i / 256][i % 256];
  const uint64_t pixels = (uint64_t) frame->image->width * frame->image->height;
  return ctr_canny_auto_limits (plan->threshold_mode, plan->aperture, plan->l2_gradient,
      plan->wide ? plan->sample_shift : 0, ctr_canny_level (plan->threshold_mode, histogram, pixels));
}

static void
start_rows (const Frame *frame, Worker *worker, uint32_t y)
{
  if (frame->plan->wide)
    ctr_wide_rows_start (&worker->wide, frame->plan, y);
  else
    ctr_canny_rows_start (&worker->rows, frame->plan, y);
}

static void
find_greatest (void *data, uint32_t thread)
{
  Frame *frame = data;
  Worker *worker = &frame->state->workers[thread];
  uint32_t first, end;
  while (take_band (frame, &first, &end)) {
    start_rows (frame, worker, first);
    for (uint32_t y = first; y < end && !is_cancelled (frame); y++) {
      const int64_t greatest = frame->plan->wide ? ctr_wide_row_greatest (&worker->wide, frame->image, frame->plan, y)
                                                 : ctr_canny_row_greatest (&worker->rows, frame->image, frame->plan, y);
      worker->greatest = greatest > worker->greatest ? greatest : worker->greatest;
    }
  }
}

static CtrCannyLimits
relative_limits (const Frame *frame)
{
  const CtrCannyPlan *plan = frame->plan;
  int64_t greatest = 0;
  for (unsigned thread = 0; thread < frame->threads; thread++)
    if (frame->state->workers[thread].greatest > greatest)
      greatest = frame->state->workers[thread].greatest;
  return ctr_canny_relative_limits (plan->low_share, plan->high_share, plan->l2_gradient, greatest);
}

static bool
find_thresholds (Frame *frame)
{
  const CtrCannyPlan *plan = frame->plan;
  if (plan->threshold_mode == CTR_CANNY_ABSOLUTE) {
    frame->limits = (CtrCannyLimits){.low = plan->low, .high = plan->high};
  } else if (plan->threshold_mode == CTR_CANNY_RELATIVE) {
    if (!on_all_threads (frame, find_greatest))
      return false;
    frame->limits = relative_limits (frame);
  } else {
    if (!on_all_threads (frame, count_samples))
      return false;
    frame->limits = automatic_limits (frame);
  }
  frame->state->limits = frame->limits;
  return true;
}

static void
find_candidates (const Frame *frame, Worker *worker, uint32_t y)
{
  const CtrHysteresis *hysteresis = &frame->state->hysteresis;
  const size_t first = ctr_hysteresis_row (hysteresis, y);
  uint64_t *candidates = hysteresis->candidates + first, *strong = hysteresis->edges + first;
  const int64_t low = frame->limits.low, high = frame->limits.high;
  if (frame->plan->wide)
    ctr_wide_row_candidates (&worker->wide, frame->image, frame->plan, y, low, high, candidates, strong);
  else
    ctr_canny_row_candidates (
        &worker->rows, frame->image, frame->plan, y, (int32_t) low, (int32_t) high, candidates, strong);
}

static void
find_edges_of_band (Frame *frame, Worker *worker, uint32_t first_row, uint32_t end)
{
  CtrHysteresis *hysteresis = &frame->state->hysteresis;
  CtrGrowth growth = ctr_growth_begin (hysteresis, first_row, end);
  start_rows (frame, worker, first_row);
  for (uint32_t y = first_row; y < end; y++) {
    if (is_cancelled (frame))
      return;
    find_candidates (frame, worker, y);
    ctr_growth_row (&growth, y);
  }
  if (!ctr_growth_finish (&growth))
    __atomic_store_n (&frame->cancelled, true, __ATOMIC_RELAXED);
}

static void
find_edges_in_bands (void *data, uint32_t thread)
{
  Frame *frame = data;
  uint32_t first, end;
  while (take_band (frame, &first, &end))
    find_edges_of_band (frame, &frame->state->workers[thread], first, end);
}

static bool
find_edges (Frame *frame)
{
  const uint32_t height = frame->image->height;
  if (!find_thresholds (frame) || !on_all_threads (frame, find_edges_in_bands))
    return false;
  CtrGrowth growth = ctr_growth_begin (&frame->state->hysteresis, 0, height);
  for (uint32_t i = 1; i < frame->bands; i++)
    ctr_growth_seam (&growth, ctr_band_first (height, frame->bands, i));
  return ctr_growth_finish (&growth);
}

/* The candidates of row Y as values. */
static void
value_candidates (const Frame *frame, Worker *worker, uint32_t y, uint16_t *values)
{
  const CtrHysteresis *hysteresis = &frame->state->hysteresis;
  const size_t first = ctr_hysteresis_row (hysteresis, y);
  find_candidates (frame, worker, y);
  for (uint32_t x = 0; x < frame->image->width; x++) {
    const uint64_t candidate = hysteresis->candidates[first + x / 64] >> x % 64 & 1;
    const uint64_t strong = hysteresis->edges[first + x / 64] >> x % 64 & 1;
    values[x] = candidate ? ctr_canny_candidate_value (strong) : 0;
  }
}

static void
find_values_in_bands (void *data, uint32_t thread)
{
  Frame *frame = data;
  Worker *worker = &frame->state->workers[thread];
  const CtrCannyPlan *plan = frame->plan;
  uint32_t first, end;
  while (take_band (frame, &first, &end)) {
    start_rows (frame, worker, first);
    for (uint32_t y = first; y < end && !is_cancelled (frame); y++) {
      uint16_t *values = (uint16_t *) frame->state->values.data + (size_t) y * frame->image->width;
      if (plan->output == CTR_CANNY_CANDIDATES)
        value_candidates (frame, worker, y, values);
      else if (plan->wide)
        ctr_wide_row_values (&worker->wide, frame->image, plan, y, frame->limits.low, values);
      else
        ctr_canny_row_values (&worker->rows, frame->image, plan, y, (int32_t) frame->limits.low, values);
    }
  }
}

static bool
find_values (Frame *frame)
{
  return find_thresholds (frame) && on_all_threads (frame, find_values_in_bands);
}

/* Paints ROWS rows from row Y on, at most a strip, from the values. */
static void
paint_values (const Frame *frame, uint32_t y, uint32_t rows)
{
  const uint32_t width = frame->image->width;
  ctr_edge_picture_paint_values (
      frame->picture, (const uint16_t *) frame->state->values.data + (size_t) y * width, width, width, y, rows);
}

/* Paints ROWS rows from row Y on, at most a strip. */
static void
paint_strip (const Frame *frame, uint8_t *scratch, uint32_t y, uint32_t rows)
{
  const CtrEdgePicture *picture = frame->picture;
  const uint32_t width = frame->image->width;
  const bool direct = ctr_edge_plane_is_mask (&picture->planes[0]);
  CtrEdgePicture strip = *picture;
  for (uint32_t p = 0; p < picture->plane_count; p++) {
    const CtrEdgePlane *plane = &picture->planes[p];
    strip.planes[p].data = (uint8_t *) plane->data + (y >> plane->y_shift) * plane->stride;
    if (plane->source)
      strip.planes[p].source = (const uint8_t *) plane->source + (y >> plane->y_shift) * plane->source_stride;
  }
  uint8_t *mask = direct ? strip.planes[0].data : scratch;
  const size_t stride = direct ? picture->planes[0].stride : width;
  for (uint32_t i = 0; i < rows; i++)
    ctr_hysteresis_write_row (&frame->state->hysteresis, y + i, mask + i * stride);
  ctr_edge_picture_paint (&strip, mask, stride, width, rows);
}

/* A strip belongs to the band of its first row. */
static void
paint_bands (void *data, uint32_t thread)
{
  Frame *frame = data;
  const uint32_t height = frame->image->height;
  uint32_t first, end;
  while (take_band (frame, &first, &end))
    for (uint32_t y = (first + CTR_CANNY_STRIP - 1) / CTR_CANNY_STRIP * CTR_CANNY_STRIP; y < end;
         y += CTR_CANNY_STRIP) {
      if (is_cancelled (frame))
        return;
      const uint32_t rows = height - y < CTR_CANNY_STRIP ? height - y : CTR_CANNY_STRIP;
      if (frame->plan->output != CTR_CANNY_EDGES)
        paint_values (frame, y, rows);
      else
        paint_strip (frame, frame->state->workers[thread].rows.mask, y, rows);
    }
}

static bool
enqueue (void *data, const CtrImage *image, const CtrCannyPlan *plan, const CtrEdgePicture *picture, void *stream,
    CtrError *error)
{
  Frame frame = {.state = data, .image = image, .plan = plan, .picture = picture};
  if (ctr_room_period_ends (&frame.state->period))
    give_back (frame.state);
  if (!prepare (&frame, error))
    return false;
  if (plan->output == CTR_CANNY_EDGES ? !find_edges (&frame) : !find_values (&frame)) {
    ctr_hysteresis_release (&frame.state->hysteresis); /* its stacks are not empty */
    return ctr_fail_cancelled (error);
  }
  return on_all_threads (&frame, paint_bands) || ctr_fail_cancelled (error);
}

static bool
finish (void *data, CtrError *error)
{
  return true;
}

static CtrCannyLimits
limits (const void *data)
{
  return ((const State *) data)->limits;
}

const CtrCannyOps ctr_canny_ops_cpu = {
    .base = {.create = create, .destroy = destroy},
    .enqueue = enqueue,
    .finish = finish,
    .limits = limits,
};
