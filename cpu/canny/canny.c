/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Canny edge detection: one pass over the rows, in which each stage is a few rows behind the previous one, down to bits
 * of candidates. Then hysteresis on these bits. The picture is painted last, so it may overlap the image. */
#include "core/canny/canny.h"

#include "core/common/poll.h"
#include "cpu/canny/blur.h"
#include "cpu/canny/hysteresis.h"
#include "cpu/canny/gradient.h"
#include "cpu/common/luma.h"

#include <stdlib.h>
#include <string.h>

#define MAX_TAPS (2 * CTR_CANNY_MAX_RADIUS + 1)
#define MAX_APERTURE 7
/* The rows that a pixel of the most subsampled plane covers. */
#define STRIP 4

typedef struct {
  CtrHysteresis hysteresis;
  CtrBlur blur;
  void *memory; /* of all rows below, for this width, radius and aperture */
  size_t bytes;
  uint32_t width, radius, aperture;

  uint8_t *luma;
  int16_t *samples[MAX_TAPS];     /* row y of the image is samples[y % taps] */
  int16_t *sums;                  /* of the vertical pass of the blur */
  int16_t *blurred[MAX_APERTURE]; /* row y of the image is blurred[y % aperture] */
  int16_t *scratch[2];
  CtrGradientRow gradient[3], no_gradient; /* row y of the image is gradient[y % 3] */
  uint8_t *mask;                           /* STRIP rows */
} State;

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
  free (state->memory);
  free (state);
}

/* Takes BYTES at *OFFSET; without memory it only advances *OFFSET. Takes an odd number of cache lines, because rows at
 * distances of a power of two evict each other from the cache. */
static void *
take (State *state, size_t *offset, size_t bytes)
{
  uint8_t *memory = state->memory ? (uint8_t *) state->memory + *offset : NULL;
  *offset += ((bytes + 63) / 64 | 1) * 64;
  return memory;
}

/* Takes a row with its margins, see cpu/canny/blur.h. */
static void *
take_row (State *state, size_t *offset, uint32_t width, size_t size)
{
  uint8_t *row = take (state, offset, ((width - 1) / CTR_ROW_MARGIN + 3) * CTR_ROW_MARGIN * size);
  return row ? row + CTR_ROW_MARGIN * size : NULL;
}

/* Returns the size of all rows in bytes. */
static size_t
lay_out_rows (State *state, const CtrCannyPlan *plan, uint32_t width)
{
  size_t offset = 0;
  state->luma = take (state, &offset, width);
  if (plan->radius > 0)
    for (uint32_t i = 0; i < 2 * plan->radius + 1; i++)
      state->samples[i] = take_row (state, &offset, width, sizeof (int16_t));
  state->sums = take_row (state, &offset, width, sizeof (int16_t));
  for (uint32_t i = 0; i < plan->aperture; i++)
    state->blurred[i] = take_row (state, &offset, width, sizeof (int16_t));
  for (int i = 0; i < 2; i++)
    state->scratch[i] = take_row (state, &offset, width, sizeof (int16_t));
  for (int i = 0; i < 3; i++)
    state->gradient[i] = (CtrGradientRow){
        .dx = take_row (state, &offset, width, sizeof (int16_t)),
        .dy = take_row (state, &offset, width, sizeof (int16_t)),
        .magnitudes = take_row (state, &offset, width, sizeof (int32_t)),
    };
  state->no_gradient.magnitudes = take_row (state, &offset, width, sizeof (int32_t));
  state->mask = take (state, &offset, (size_t) STRIP * width);
  return offset;
}

static bool
prepare_rows (State *state, const CtrCannyPlan *plan, uint32_t width)
{
  if (state->memory && state->width == width && state->radius == plan->radius && state->aperture == plan->aperture)
    return true;
  void *memory = state->memory;
  state->memory = NULL;
  const size_t bytes = lay_out_rows (state, plan, width);
  if (state->bytes < bytes) {
    free (memory);
    memory = malloc (bytes);
    state->bytes = memory ? bytes : 0;
  }
  if (!memory)
    return false;
  state->memory = memory;
  lay_out_rows (state, plan, width);
  /* Margins are read, although their values are irrelevant: they must not depend on an earlier layout. */
  memset (state->memory, 0, bytes);
  state->width = width;
  state->radius = plan->radius;
  state->aperture = plan->aperture;
  return true;
}

static bool
prepare (State *state, const CtrCannyPlan *plan, const CtrImage *image, CtrError *error)
{
  if (!prepare_rows (state, plan, image->width)
      || !ctr_hysteresis_begin (&state->hysteresis, image->width, image->height))
    return ctr_go_on (error)
           && ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the edges of a %u x %u image", image->width,
               image->height);
  ctr_blur_init (&state->blur, plan);
  return true;
}

/* The 8-bit samples of row Y: those of an 8-bit image, or converted ones. */
static const uint8_t *
row_samples (State *state, const CtrImage *image, const CtrCannyPlan *plan, uint32_t y)
{
  const uint8_t *row = (const uint8_t *) image->data + y * image->stride;
  if (image->format == CTR_FORMAT_GRAY8)
    return row;
  if (image->format == CTR_FORMAT_GRAY16)
    for (uint32_t x = 0; x < image->width; x++)
      state->luma[x] = (uint8_t) ctr_canny_grey (((const uint16_t *) row)[x], plan->sample_shift);
  else
    ctr_luma_row (image->format, row, image->width, state->luma);
  return state->luma;
}

/* This and the functions below return false if the work is cancelled. */
static bool
find_thresholds (State *state, const CtrImage *image, const CtrCannyPlan *plan, int32_t *low, int32_t *high)
{
  *low = plan->low;
  *high = plan->high;
  if (plan->threshold_mode == CTR_CANNY_ABSOLUTE)
    return true;
  const uint64_t pixels = (uint64_t) image->width * image->height;
  /* Four histograms: neighbours are often equal, and incrementing the same counter again would have to wait. */
  uint32_t histogram[4][256] = {0};
  for (uint32_t y = 0; y < image->height; y++) {
    if (ctr_cancelled ())
      return false;
    const uint8_t *samples = row_samples (state, image, plan, y);
    for (uint32_t x = 0; x < image->width; x++)
      histogram[x % 4][samples[x]]++;
  }
  for (int i = 0; i < 256; i++)
    histogram[0][i] += histogram[1][i] + histogram[2][i] + histogram[3][i];
  ctr_canny_auto_thresholds (plan->threshold_mode, plan->aperture, plan->l2_gradient,
      ctr_canny_level (plan->threshold_mode, histogram[0], pixels), low, high);
  return true;
}

/* Computes row Y of the blurred image. *READ rows of the image have been converted so far. */
static void
blur_row (State *state, const CtrImage *image, const CtrCannyPlan *plan, uint32_t y, uint32_t *read)
{
  const uint32_t width = image->width, radius = plan->radius, taps = 2 * radius + 1;
  int16_t *blurred = state->blurred[y % plan->aperture];

  if (radius == 0) {
    ctr_widen_row (row_samples (state, image, plan, y), width, blurred);
  } else {
    const int16_t *rows[MAX_TAPS];
    for (; *read < image->height && *read <= y + radius; ++*read)
      ctr_widen_row (row_samples (state, image, plan, *read), width, state->samples[*read % taps]);
    /* A reflected row is no farther away than the row that it replaces, so it is still there. */
    for (uint32_t i = 0; i < taps; i++)
      rows[i] = state->samples[ctr_reflect ((int64_t) y + i - radius, image->height) % taps];
    ctr_blur_down (&state->blur, rows, width, state->sums);
    ctr_blur_across (&state->blur, state->sums, width, blurred);
  }
  for (int i = 0; i < CTR_SOBEL_MARGIN; i++) {
    blurred[-1 - i] = blurred[0];
    blurred[width + i] = blurred[width - 1];
  }
}

/* Computes the gradient of row Y from the blurred rows around it. */
static void
gradient_row (State *state, const CtrCannyPlan *plan, uint32_t y, uint32_t width, uint32_t height)
{
  const int16_t *rows[MAX_APERTURE];
  for (uint32_t i = 0; i < plan->aperture; i++) {
    int64_t row = (int64_t) y + i - plan->aperture / 2;
    row = row < 0 ? 0 : row >= height ? height - 1 : row;
    rows[i] = state->blurred[row % plan->aperture];
  }
  ctr_gradient_row (plan->aperture, plan->l2_gradient, rows, width, state->scratch, &state->gradient[y % 3]);
}

static bool
find_edges (State *state, const CtrImage *image, const CtrCannyPlan *plan)
{
  const uint32_t width = image->width, height = image->height, margin = plan->aperture / 2;
  CtrHysteresis *hysteresis = &state->hysteresis;
  uint32_t read = 0, blurred = 0;
  int32_t low, high;

  if (!find_thresholds (state, image, plan, &low, &high))
    return false;
  for (uint32_t y = 0; y <= height; y++) {
    if (ctr_cancelled ())
      return false;
    if (y < height) {
      for (; blurred < height && blurred <= y + margin; blurred++)
        blur_row (state, image, plan, blurred, &read);
      gradient_row (state, plan, y, width, height);
    }
    if (y == 0)
      continue;
    const uint32_t done = y - 1;
    const size_t first = ctr_hysteresis_row (hysteresis, done);
    ctr_maxima_row (done > 0 ? &state->gradient[(done - 1) % 3] : &state->no_gradient, &state->gradient[done % 3],
        y < height ? &state->gradient[y % 3] : &state->no_gradient, plan->l2_gradient, width, low, high,
        hysteresis->candidates + first, hysteresis->edges + first);
    ctr_hysteresis_grow_row (hysteresis, done);
  }
  return ctr_hysteresis_finish (hysteresis);
}

static bool
paint (const State *state, const CtrEdgePicture *picture, uint32_t width, uint32_t height)
{
  CtrEdgePicture strip = *picture;
  const bool direct = ctr_edge_plane_is_mask (&picture->planes[0]);
  for (uint32_t y = 0; y < height; y += STRIP) {
    const uint32_t rows = height - y < STRIP ? height - y : STRIP;
    if (ctr_cancelled ())
      return false;
    for (uint32_t p = 0; p < picture->plane_count; p++) {
      const CtrEdgePlane *plane = &picture->planes[p];
      strip.planes[p].data = (uint8_t *) plane->data + (y >> plane->y_shift) * plane->stride;
      if (plane->source)
        strip.planes[p].source = (const uint8_t *) plane->source + (y >> plane->y_shift) * plane->source_stride;
    }
    uint8_t *mask = direct ? strip.planes[0].data : state->mask;
    const size_t stride = direct ? picture->planes[0].stride : width;
    for (uint32_t i = 0; i < rows; i++)
      ctr_hysteresis_write_row (&state->hysteresis, y + i, mask + i * stride);
    ctr_edge_picture_paint (&strip, mask, stride, width, rows);
  }
  return true;
}

static bool
enqueue (void *data, const CtrImage *image, const CtrCannyPlan *plan, const CtrEdgePicture *picture, void *stream,
    CtrError *error)
{
  State *state = data;
  if (!prepare (state, plan, image, error))
    return false;
  if (!find_edges (state, image, plan)) {
    ctr_hysteresis_release (&state->hysteresis); /* its stack is not empty */
    return ctr_fail_cancelled (error);
  }
  return paint (state, picture, image->width, image->height) || ctr_fail_cancelled (error);
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
