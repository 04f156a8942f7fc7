/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edge detection on the host: one pass over the rows, each stage a few rows behind the one before it, down to the bits
 * of the candidates; then hysteresis on the bits. The picture is painted last, so that it may lie where the image does.
 */
#include "core/canny.h"

#include "core/backend.h"
#include "core/otsu.h"
#include "cpu/blur.h"
#include "cpu/edge_bits.h"
#include "cpu/gradient.h"
#include "cpu/luma.h"

#include <stdlib.h>
#include <string.h>

#define MAX_TAPS (2 * CTR_CANNY_MAX_RADIUS + 1)
#define MAX_APERTURE 7
/* The rows under one of the most subsampled plane. */
#define STRIP 4

typedef struct {
  CtrEdgeBits bits;
  void *memory; /* of the rows */
  size_t bytes;

  uint8_t *line;                  /* grey samples, with the blur's margins */
  uint16_t *sums[MAX_TAPS];       /* image row y: sums[y % taps] */
  uint8_t *blurred[MAX_APERTURE]; /* image row y: blurred[y % aperture] */
  int16_t *dx[2], *dy[2];
  int32_t *magnitudes[3], *no_magnitudes;
  uint8_t *mask; /* STRIP rows */
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
  ctr_edge_bits_release (&state->bits);
  free (state->memory);
  free (state);
}

/* Takes BYTES from *OFFSET on; with no memory yet it only counts. */
static void *
take (State *state, size_t *offset, size_t bytes)
{
  uint8_t *memory = state->memory ? (uint8_t *) state->memory + *offset : NULL;
  *offset += (bytes + 63) / 64 * 64;
  return memory;
}

static size_t
lay_out_rows (State *state, const CtrCannyPlan *plan, uint32_t width)
{
  const size_t blur_margin = CTR_CANNY_MAX_RADIUS + 4;
  size_t offset = 0;
  uint8_t *line = take (state, &offset, width + 2 * blur_margin);
  state->line = line ? line + blur_margin : NULL;
  for (uint32_t i = 0; i < 2 * plan->radius + 1; i++)
    state->sums[i] = take (state, &offset, width * sizeof *state->sums[i]);
  for (uint32_t i = 0; i < plan->aperture; i++) {
    uint8_t *row = take (state, &offset, width + 2 * CTR_SOBEL_MARGIN);
    state->blurred[i] = row ? row + CTR_SOBEL_MARGIN : NULL;
  }
  for (int i = 0; i < 2; i++) {
    state->dx[i] = take (state, &offset, width * sizeof *state->dx[i]);
    state->dy[i] = take (state, &offset, width * sizeof *state->dy[i]);
  }
  for (int i = 0; i < 4; i++) {
    int32_t *row = take (state, &offset, (width + 2) * sizeof *row);
    if (row) {
      row[0] = row[width + 1] = 0;
      row++;
    }
    *(i < 3 ? &state->magnitudes[i] : &state->no_magnitudes) = row;
  }
  if (state->no_magnitudes)
    memset (state->no_magnitudes, 0, width * sizeof *state->no_magnitudes);
  state->mask = take (state, &offset, (size_t) STRIP * width);
  return offset;
}

static bool
prepare (State *state, const CtrCannyPlan *plan, const CtrImage *image, CtrError *error)
{
  void *memory = state->memory;
  state->memory = NULL;
  const size_t bytes = lay_out_rows (state, plan, image->width);
  state->memory = memory;
  if (state->bytes < bytes) {
    free (state->memory);
    state->memory = malloc (bytes);
    state->bytes = state->memory ? bytes : 0;
  }
  if (!state->memory || !ctr_edge_bits_begin (&state->bits, image->width, image->height))
    return ctr_fail (
        error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the edges of %u x %u pixels", image->width, image->height);
  lay_out_rows (state, plan, image->width);
  return true;
}

/* Row Y as 8-bit samples. */
static void
read_row (const CtrImage *image, uint32_t y, uint8_t *line)
{
  const uint8_t *row = (const uint8_t *) image->data + y * image->stride;
  if (image->format == CTR_FORMAT_GRAY8) {
    memcpy (line, row, image->width);
  } else if (image->format == CTR_FORMAT_GRAY16) {
    const uint16_t *wide = (const uint16_t *) row;
    for (uint32_t x = 0; x < image->width; x++)
      line[x] = (uint8_t) (wide[x] >> 8);
  } else {
    ctr_luma_row (image->format, row, image->width, line);
  }
}

static uint32_t
otsu_level (const uint32_t *histogram, uint64_t pixels)
{
  uint64_t sum = 0;
  for (uint32_t i = 0; i < 256; i++)
    sum += (uint64_t) i * histogram[i];
  CtrOtsu otsu;
  ctr_otsu_init (&otsu, pixels, sum);
  for (uint32_t i = 0; i < 256; i++)
    if (histogram[i])
      ctr_otsu_add (&otsu, i, histogram[i]);
  return ctr_otsu_threshold (&otsu) - 1;
}

static uint32_t
median_level (const uint32_t *histogram, uint64_t pixels)
{
  uint64_t below = histogram[0];
  uint32_t level = 0;
  while (2 * below < pixels)
    below += histogram[++level];
  return level;
}

static void
find_thresholds (State *state, const CtrImage *image, const CtrCannyPlan *plan, int32_t *low, int32_t *high)
{
  *low = plan->low;
  *high = plan->high;
  if (plan->threshold_mode == CTR_CANNY_ABSOLUTE)
    return;
  const uint64_t pixels = (uint64_t) image->width * image->height;
  uint32_t histogram[256] = {0};
  for (uint32_t y = 0; y < image->height; y++) {
    read_row (image, y, state->line);
    for (uint32_t x = 0; x < image->width; x++)
      histogram[state->line[x]]++;
  }
  ctr_canny_auto_thresholds (plan->threshold_mode, plan->aperture, plan->l2_gradient,
      plan->threshold_mode == CTR_CANNY_OTSU ? otsu_level (histogram, pixels) : median_level (histogram, pixels), low,
      high);
}

/* Row Y of the blurred image; *READ rows of the image have been taken. */
static void
blur_row (State *state, const CtrImage *image, const CtrCannyPlan *plan, uint32_t y, uint32_t *read)
{
  const uint32_t width = image->width, radius = plan->radius, taps = 2 * radius + 1;
  uint8_t *blurred = state->blurred[y % plan->aperture];

  if (radius == 0) {
    read_row (image, y, blurred);
  } else {
    const uint16_t *rows[MAX_TAPS];
    for (; *read < image->height && *read <= y + radius; ++*read) {
      read_row (image, *read, state->line);
      ctr_blur_continue (state->line, width, radius);
      ctr_blur_across (plan, state->line, width, state->sums[*read % taps]);
    }
    /* Reflected, a row is not further away than before: it is still there. */
    for (uint32_t i = 0; i < taps; i++)
      rows[i] = state->sums[ctr_reflect ((int64_t) y + i - radius, image->height) % taps];
    ctr_blur_down (plan, rows, width, blurred);
  }
  memset (blurred - CTR_SOBEL_MARGIN, blurred[0], CTR_SOBEL_MARGIN);
  memset (blurred + width, blurred[width - 1], CTR_SOBEL_MARGIN);
}

/* Row Y's gradient; its rows of the blurred image are there. */
static void
gradient_row (State *state, const CtrCannyPlan *plan, uint32_t y, uint32_t width, uint32_t height)
{
  const uint8_t *rows[MAX_APERTURE];
  for (uint32_t i = 0; i < plan->aperture; i++) {
    int64_t row = (int64_t) y + i - plan->aperture / 2;
    row = row < 0 ? 0 : row >= height ? height - 1 : row;
    rows[i] = state->blurred[row % plan->aperture];
  }
  ctr_sobel_row (plan->aperture, rows, width, state->dx[y % 2], state->dy[y % 2]);
  ctr_magnitude_row (plan->l2_gradient, state->dx[y % 2], state->dy[y % 2], width, state->magnitudes[y % 3]);
}

static void
find_edges (State *state, const CtrImage *image, const CtrCannyPlan *plan)
{
  const uint32_t width = image->width, height = image->height, margin = plan->aperture / 2;
  CtrEdgeBits *bits = &state->bits;
  uint32_t read = 0, blurred = 0;
  int32_t low, high;

  find_thresholds (state, image, plan, &low, &high);
  for (uint32_t y = 0; y <= height; y++) {
    if (y < height) {
      for (; blurred < height && blurred <= y + margin; blurred++)
        blur_row (state, image, plan, blurred, &read);
      gradient_row (state, plan, y, width, height);
    }
    if (y == 0)
      continue;
    const uint32_t done = y - 1;
    const CtrGradientRow row = {
        .dx = state->dx[done % 2],
        .dy = state->dy[done % 2],
        .above = done > 0 ? state->magnitudes[(done - 1) % 3] : state->no_magnitudes,
        .here = state->magnitudes[done % 3],
        .below = y < height ? state->magnitudes[y % 3] : state->no_magnitudes,
    };
    const size_t first = ctr_edge_bits_row (bits, done);
    ctr_maxima_row (&row, width, low, high, bits->candidates + first, bits->edges + first);
    ctr_edge_bits_grow_row (bits, done);
  }
  ctr_edge_bits_finish (bits);
}

static void
paint (const State *state, const CtrEdgePicture *picture, uint32_t width, uint32_t height)
{
  CtrEdgePicture strip = *picture;
  const bool direct = ctr_edge_plane_is_mask (&picture->planes[0]);
  for (uint32_t y = 0; y < height; y += STRIP) {
    const uint32_t rows = height - y < STRIP ? height - y : STRIP;
    for (uint32_t p = 0; p < picture->plane_count; p++) {
      const CtrEdgePlane *plane = &picture->planes[p];
      strip.planes[p].data = (uint8_t *) plane->data + (y >> plane->y_shift) * plane->stride;
      if (plane->source)
        strip.planes[p].source = (const uint8_t *) plane->source + (y >> plane->y_shift) * plane->source_stride;
    }
    uint8_t *mask = direct ? strip.planes[0].data : state->mask;
    const size_t stride = direct ? picture->planes[0].stride : width;
    for (uint32_t i = 0; i < rows; i++)
      ctr_edge_bits_write_row (&state->bits, y + i, mask + i * stride);
    ctr_edge_picture_paint (&strip, mask, stride, width, rows);
  }
}

static bool
enqueue (void *data, const CtrImage *image, const CtrCannyPlan *plan, const CtrEdgePicture *picture, void *stream,
    CtrError *error)
{
  State *state = data;
  if (!prepare (state, plan, image, error))
    return false;
  find_edges (state, image, plan);
  paint (state, picture, image->width, image->height);
  return true;
}

static bool
finish (void *data, CtrError *error)
{
  return true;
}

const CtrCannyOps ctr_canny_ops_cpu = {
    .create = create,
    .destroy = destroy,
    .enqueue = enqueue,
    .finish = finish,
};
