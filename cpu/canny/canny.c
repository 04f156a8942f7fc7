/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Canny edge detection: one pass over the rows, in which each stage is a few rows behind the previous one, down to bits
 * of candidates, and hysteresis on these bits. Several threads take bands of rows; then the hysteresis goes over the
 * seams between them. The picture is painted last, so it may overlap the image. */
#include "core/canny/canny.h"

#include "core/common/poll.h"
#include "cpu/canny/hysteresis.h"
#include "cpu/canny/rows.h"
#include "cpu/common/bands.h"

#include <stdlib.h>
#include <string.h>

enum {
  MIN_PIXELS = 1 << 15, /* of a band */
  BANDS_PER_THREAD = 2
};

typedef struct {
  CtrHysteresis hysteresis;
  CtrCannyRows *rows; /* of each thread */
  unsigned thread_count;
} State;

/* What the threads share of a frame. */
typedef struct {
  State *state;
  const CtrImage *image;
  const CtrCannyPlan *plan;
  const CtrEdgePicture *picture;
  int32_t low, high;
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
  for (unsigned i = 0; i < state->thread_count; i++)
    ctr_canny_rows_release (&state->rows[i]);
  free (state->rows);
  free (state);
}

static bool
prepare_threads (State *state, const CtrCannyPlan *plan, uint32_t width, unsigned threads)
{
  if (state->thread_count < threads) {
    CtrCannyRows *rows = realloc (state->rows, threads * sizeof *rows);
    if (!rows)
      return false;
    memset (rows + state->thread_count, 0, (threads - state->thread_count) * sizeof *rows);
    state->rows = rows;
    state->thread_count = threads;
  }
  for (unsigned i = 0; i < threads; i++)
    if (!ctr_canny_rows_prepare (&state->rows[i], plan, width))
      return false;
  return true;
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
      && ctr_hysteresis_begin (&frame->state->hysteresis, width, height))
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
  CtrCannyRows *rows = &frame->state->rows[thread];
  uint32_t first, end;
  memset (rows->histogram, 0, sizeof rows->histogram);
  while (take_band (frame, &first, &end))
    for (uint32_t y = first; y < end && !is_cancelled (frame); y++) {
      const uint8_t *samples = ctr_canny_row_samples (rows, frame->image, frame->plan, y);
      for (uint32_t x = 0; x < frame->image->width; x++)
        rows->histogram[x % 4][samples[x]]++;
    }
}

static bool
find_thresholds (Frame *frame)
{
  const CtrCannyPlan *plan = frame->plan;
  frame->low = plan->low;
  frame->high = plan->high;
  if (plan->threshold_mode == CTR_CANNY_ABSOLUTE)
    return true;
  if (!on_all_threads (frame, count_samples))
    return false;
  uint32_t histogram[256] = {0};
  for (unsigned thread = 0; thread < frame->threads; thread++)
    for (int i = 0; i < 4 * 256; i++)
      histogram[i % 256] += frame->state->rows[thread].histogram[i / 256][i % 256];
  const uint64_t pixels = (uint64_t) frame->image->width * frame->image->height;
  ctr_canny_auto_thresholds (plan->threshold_mode, plan->aperture, plan->l2_gradient,
      ctr_canny_level (plan->threshold_mode, histogram, pixels), &frame->low, &frame->high);
  return true;
}

static void
find_edges_of_band (Frame *frame, CtrCannyRows *rows, uint32_t first_row, uint32_t end)
{
  CtrHysteresis *hysteresis = &frame->state->hysteresis;
  CtrGrowth growth = ctr_growth_begin (hysteresis, first_row, end);
  ctr_canny_rows_start (rows, frame->plan, first_row);
  for (uint32_t y = first_row; y < end; y++) {
    if (is_cancelled (frame))
      return;
    const size_t first = ctr_hysteresis_row (hysteresis, y);
    ctr_canny_row_candidates (rows, frame->image, frame->plan, y, frame->low, frame->high,
        hysteresis->candidates + first, hysteresis->edges + first);
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
    find_edges_of_band (frame, &frame->state->rows[thread], first, end);
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
      paint_strip (
          frame, frame->state->rows[thread].mask, y, height - y < CTR_CANNY_STRIP ? height - y : CTR_CANNY_STRIP);
    }
}

static bool
enqueue (void *data, const CtrImage *image, const CtrCannyPlan *plan, const CtrEdgePicture *picture, void *stream,
    CtrError *error)
{
  Frame frame = {.state = data, .image = image, .plan = plan, .picture = picture};
  if (!prepare (&frame, error))
    return false;
  if (!find_edges (&frame)) {
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

const CtrCannyOps ctr_canny_ops_cpu = {
    .base = {.create = create, .destroy = destroy},
    .enqueue = enqueue,
    .finish = finish,
};
