/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edge detection on the host: one pass over the rows, each stage a few rows behind the one before it, down to the bits
 * of the candidates; then hysteresis on the bits. The picture is painted last, so that it may lie where the image does.
 */
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
/* The rows under one of the most subsampled plane. */
#define STRIP 4

typedef struct {
  CtrHysteresis hysteresis;
  CtrBlur blur;
  void *memory; /* of the rows, laid out for these */
  size_t bytes;
  uint32_t width, radius, aperture;

  uint8_t *luma;
  int16_t *samples[MAX_TAPS];     /* of image row y: samples[y % taps] */
  int16_t *sums;                  /* of the blur, half done */
  int16_t *blurred[MAX_APERTURE]; /* of image row y: blurred[y % aperture] */
  int16_t *scratch[2];
  CtrGradientRow gradient[3], no_gradient; /* of image row y: gradient[y % 3] */
  uint8_t *mask;                           /* STRIP rows */
} State;

static void *
create (CtrError *error)
{
  State *state = calloc (1, sizeof *state);
  if (!state)
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for an edge detector");
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

/* Takes BYTES from *OFFSET on; with no memory yet it only counts. An odd number of cache lines: rows a power of two
 * apart would push each other out of the cache. */
static void *
take (State *state, size_t *offset, size_t bytes)
{
  uint8_t *memory = state->memory ? (uint8_t *) state->memory + *offset : NULL;
  *offset += ((bytes + 63) / 64 | 1) * 64;
  return memory;
}

/* A row with its margins, see cpu/canny/blur.h. */
static void *
take_row (State *state, size_t *offset, uint32_t width, size_t size)
{
  uint8_t *row = take (state, offset, ((width - 1) / CTR_ROW_MARGIN + 3) * CTR_ROW_MARGIN * size);
  return row ? row + CTR_ROW_MARGIN * size : NULL;
}

/* Returns the bytes that takes. */
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
  /* What lies in the margins is computed with, though it does not matter: it must not be what another layout had there.
   */
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
           && ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the edges of %u x %u pixels", image->width,
               image->height);
  ctr_blur_init (&state->blur, plan);
  return true;
}

/* The 8-bit samples of row Y: the image's own where it has some. */
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

/* False where it is cancelled; so below. */
static bool
find_thresholds (State *state, const CtrImage *image, const CtrCannyPlan *plan, int32_t *low, int32_t *high)
{
  *low = plan->low;
  *high = plan->high;
  if (plan->threshold_mode == CTR_CANNY_ABSOLUTE)
    return true;
  const uint64_t pixels = (uint64_t) image->width * image->height;
  /* Four, as neighbours are often equal, and the processor waits for a count it has just written. */
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

/* Row Y of the blurred image; *READ rows of the image have been taken. */
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
    /* Reflected, a row is not further away than before: it is still there. */
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

/* Row Y's gradient; its rows of the blurred image are there. */
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
    ctr_hysteresis_release (&state->hysteresis); /* what still waits to be grown is not for the next image */
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
