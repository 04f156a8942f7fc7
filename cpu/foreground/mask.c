/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The picture of a mask. It is painted when the mask is complete, so it may overlap the image. */
#include "core/canny/canny.h"
#include "core/common/poll.h"
#include "cpu/common/bands.h"
#include "cpu/common/samples.h"

#include <stdlib.h>

enum {
  MIN_PIXELS = 1 << 17, /* of a band */
  ROWS = 64             /* painted between two polls; a multiple of those that a pixel of any plane covers */
};

typedef struct {
  CtrSamples samples;
  CtrForegroundRows rows; /* of the last image */
  CtrRoomPeriod period;
} State;

static void *
create (CtrError *error)
{
  State *state = calloc (1, sizeof *state);
  if (!state)
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a new mask maker");
  return state;
}

static void
destroy (void *data)
{
  State *state = data;
  ctr_samples_release (&state->samples);
  free (state);
}

/* Threads that paint bands. */
typedef struct {
  const CtrEdgePicture *picture;
  const uint64_t *bits;
  size_t stride; /* words */
  uint32_t width, height, bands;
  bool cancelled; /* atomic */
} Painting;

/* Paints COUNT rows from row Y on, a multiple of ROWS. */
static void
paint_rows (const Painting *painting, uint32_t y, uint32_t count)
{
  CtrEdgePicture part = *painting->picture;
  for (uint32_t p = 0; p < part.plane_count; p++) {
    CtrEdgePlane *plane = &part.planes[p];
    const size_t row = y >> plane->y_shift;
    plane->data = (uint8_t *) plane->data + row * plane->stride;
    if (plane->source)
      plane->source = (const uint8_t *) plane->source + row * plane->source_stride;
  }
  ctr_edge_picture_clear (&part, painting->width, count);
  ctr_edge_picture_draw (&part, painting->bits + y * painting->stride, painting->stride, painting->width, count);
}

static void
paint_band (void *data, uint32_t band)
{
  Painting *painting = data;
  const uint32_t parts = (painting->height + ROWS - 1) / ROWS;
  const uint32_t end = ctr_band_first (parts, painting->bands, band + 1);
  for (uint32_t i = ctr_band_first (parts, painting->bands, band); i < end; i++) {
    const uint32_t y = i * ROWS, below = painting->height - y;
    if (ctr_cancelled ()) {
      __atomic_store_n (&painting->cancelled, true, __ATOMIC_RELAXED);
      return;
    }
    paint_rows (painting, y, below < ROWS ? below : ROWS);
  }
}

static bool
paint (const State *state, const CtrImage *image, const CtrEdgePicture *picture, CtrError *error)
{
  const unsigned threads = ctr_threads_current ();
  Painting painting = {.picture = picture,
      .bits = state->rows.mask,
      .stride = state->rows.words,
      .width = image->width,
      .height = image->height,
      .bands = ctr_band_count (image->width, image->height, threads, 1, MIN_PIXELS)};
  ctr_parallel_for (threads, painting.bands, paint_band, &painting);
  return !painting.cancelled || ctr_fail_cancelled (error);
}

static bool
enqueue (void *data, const CtrImage *image, const CtrForeground *foreground, const CtrEdgePicture *picture,
    void *stream, CtrError *error)
{
  State *state = data;
  /* The mask of the last image is painted. */
  if (ctr_room_period_ends (&state->period) && ctr_samples_give_back (&state->samples))
    ctr_room_period_double (&state->period);
  return ctr_samples_mask (&state->samples, image, foreground, &state->rows, error)
         && paint (state, image, picture, error);
}

static bool
finish (void *data, CtrError *error)
{
  return true;
}

static uint32_t
threshold (const void *data)
{
  return ((const State *) data)->rows.threshold;
}

const CtrMaskOps ctr_mask_ops_cpu = {
    .base = {.create = create, .destroy = destroy},
    .enqueue = enqueue,
    .finish = finish,
    .threshold = threshold,
};
