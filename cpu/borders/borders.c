/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Border following: bands of rows, each on one thread, from pixels to edges, from edges to borders and parts of borders,
 * then to contours. One band needs no parts. */
#include "core/borders/borders.h"

#include "core/common/poll.h"
#include "core/results/contourlist.h"
#include "cpu/borders/bands.h"
#include "cpu/borders/owners.h"
#include "cpu/common/bands.h"
#include "cpu/common/samples.h"
#include "cpu/contours/contour_select.h"
#include "cpu/contours/contour_shapes.h"
#include "cpu/contours/contour_subpixel.h"

#include <contours/shapes.h>

#include <stdlib.h>
#include <string.h>

/* The smallest bands that are worth another thread: a part costs as much as following some ten pixels. */
enum { MIN_BAND_ROWS = 32, MIN_BAND_PIXELS = 1 << 16 };

/* Some bands have more borders than others. */
enum { BANDS_PER_THREAD = 3 };

/* Bands of outermost borders follow other borders, too, which takes more than a few threads gain, or many where most borders
 * lie inside others: so the outermost borders are first followed without bands, up to one in so many edges. */
enum { MIN_THREADS_OUTSIDE = 4, EDGES_PER_STEP = 8 };

typedef struct {
  CtrBorderBands bands;
  CtrSamples samples;
  CtrHostBuffer channel; /* for subpixels: the samples of a channel */
  CtrRoomPeriod period;
  CtrContours *result; /* until finish() takes it */
} State;

typedef struct {
  State *state;
  const CtrImage *image;
  const CtrBordersPlan *plan;
  CtrForegroundRows foreground;
} Work;

static void *
create (CtrError *error)
{
  State *state = calloc (1, sizeof *state);
  if (!state) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a new border follower");
    return NULL;
  }
  ctr_border_lines_init (&state->bands.lines);
  return state;
}

static void
release_buffers (State *state)
{
  CtrBorderBands *bands = &state->bands;
  for (uint32_t i = 0; i < bands->band_room; i++)
    ctr_band_release (bands->bands + i);
  free (bands->bands);
  bands->bands = NULL;
  bands->band_count = bands->band_room = 0;
  ctr_border_lines_release (&bands->lines);
  ctr_border_rings_release (&bands->rings);
  ctr_host_buffer_release (&bands->nested);
  ctr_host_buffer_release (&bands->places);
  ctr_host_buffer_release (&state->channel);
}

/* At the end of a period: gives back what an intricate image took. */
static void
give_back (State *state)
{
  CtrBorderBands *bands = &state->bands;
  bool some = ctr_border_lines_give_back (&bands->lines);
  for (uint32_t i = 0; i < bands->band_room; i++)
    some |= ctr_band_give_back (bands->bands + i);
  some |= ctr_border_rings_give_back (&bands->rings);
  some |= ctr_host_buffer_give_back (&bands->nested);
  some |= ctr_host_buffer_give_back (&bands->places);
  some |= ctr_host_buffer_give_back (&state->channel);
  some |= ctr_samples_give_back (&state->samples);
  if (some)
    ctr_room_period_double (&state->period);
}

static void
destroy (void *data)
{
  State *state = data;
  release_buffers (state);
  ctr_samples_release (&state->samples);
  ctr_contours_unref (state->result);
  free (state);
}

/* Divides the rows into as many bands as are useful on THREADS. */
static bool
make_bands (CtrBorderBands *bands, const CtrImage *image, CtrRetrieval mode, unsigned threads)
{
  const unsigned least = mode == CTR_RETRIEVE_EXTERNAL ? MIN_THREADS_OUTSIDE : 2;
  const uint32_t rows = image->width * MIN_BAND_ROWS;
  const uint32_t count = ctr_band_count (image->width, image->height, threads >= least ? threads : 1, BANDS_PER_THREAD,
      rows > MIN_BAND_PIXELS ? rows : MIN_BAND_PIXELS);
  if (count > bands->band_room) {
    CtrBand *more = realloc (bands->bands, count * sizeof *more);
    if (!more)
      return false;
    memset (more + bands->band_room, 0, (count - bands->band_room) * sizeof *more);
    bands->bands = more;
    bands->band_room = count;
  }
  bands->band_count = count;
  for (uint32_t i = 0; i < count; i++)
    ctr_border_strip_begin (
        &bands->bands[i].strip, ctr_band_first (image->height, count, i), ctr_band_first (image->height, count, i + 1));
  return true;
}

static void
find_edges (void *context, uint32_t index)
{
  const Work *work = context;
  CtrBorderBands *bands = &work->state->bands;
  CtrBand *band = bands->bands + index;
  CtrSamples samples; /* only its row */
  band->ok = false;
  for (uint32_t y = band->strip.top; y < band->strip.end; y++) {
    if (ctr_cancelled ())
      return;
    const void *row = work->foreground.mask ? NULL : ctr_samples_row (&samples, work->image, y);
    ctr_samples_set_bits (work->image, &work->foreground, y, row, ctr_border_lines_row (&bands->lines, y));
    ctr_border_strip_end_row (&band->strip, &bands->lines, y);
  }
  band->ok = true;
}

static void
follow_band (void *context, uint32_t index)
{
  const Work *work = context;
  ctr_band_follow (work->state->bands.bands + index, &work->state->bands.lines, work->plan);
}

static void
free_edges (void *context, uint32_t index)
{
  const Work *work = context;
  CtrBand *band = work->state->bands.bands + index;
  band->ok = ctr_border_strip_free_edges (&band->strip, &work->state->bands.lines);
}

/* Follows the outermost borders with the image as one band. Gives up after some of them, and sets *GAVE_UP; then edges are
 * numbered, and bands can be followed. */
static bool
follow_outside (Work *work, unsigned threads, bool *gave_up)
{
  CtrBorderBands *bands = &work->state->bands;
  CtrBorderStrip *strip = &bands->bands->strip;
  const uint32_t band_count = bands->band_count, end = strip->end;
  uint64_t edges = 0;
  for (uint32_t i = 0; i < band_count; i++)
    edges += bands->bands[i].strip.edge_count;
  bands->band_count = 1;
  strip->end = bands->lines.height;
  strip->limited = true;
  strip->steps_left = edges / EDGES_PER_STEP;
  ctr_band_follow (bands->bands, &bands->lines, work->plan);
  *gave_up = strip->steps_left == 0 && !bands->bands->ok;
  if (!*gave_up)
    return bands->bands->ok;
  bands->band_count = band_count;
  bands->lines.numbered = true;
  strip->end = end;
  strip->limited = false;
  strip->point_count = 0;
  ctr_parallel_for (threads, band_count, free_edges, work);
  return ctr_border_bands_ok (bands);
}

static bool
find_borders (Work *work, unsigned threads)
{
  CtrBorderBands *bands = &work->state->bands;
  const CtrImage *image = work->image;
  if (!make_bands (bands, image, work->plan->mode, threads))
    return false;
  const bool outside = work->plan->mode == CTR_RETRIEVE_EXTERNAL && bands->band_count > 1;
  /* With bands, only the hierarchy tells which borders are outermost ones. */
  const bool numbered = work->plan->mode > CTR_RETRIEVE_LIST || outside;
  bool follow_bands = true;
  if (!ctr_border_lines_begin (&bands->lines, image->width, image->height, work->plan->connectivity, numbered, outside))
    return false;
  bands->lines.numbered = numbered && !outside;
  ctr_parallel_for (threads, bands->band_count, find_edges, work);
  if (!ctr_border_bands_ok (bands))
    return false;
  if (outside && !follow_outside (work, threads, &follow_bands))
    return false;
  if (follow_bands)
    ctr_parallel_for (threads, bands->band_count, follow_band, work);
  return ctr_border_bands_ok (bands) && ctr_border_bands_join (bands, work->plan, threads);
}

/* Moves the result from the atlas into the image. */
static bool
move_result (const CtrAtlas *atlas, CtrContours *result, CtrError *error)
{
  CtrContour *table = (CtrContour *) ctr_contours_map_table (result, error);
  CtrPoint *points = (CtrPoint *) ctr_contours_map_points (result, error);
  CtrContourSums *sums = (CtrContourSums *) ctr_contours_map_sums (result, error);
  return ctr_atlas_move_contours (atlas, table, result->count, points, sums) || ctr_fail_cancelled (error);
}

/* The shapes of the result, where it lies in the image. */
static bool
find_shapes (CtrContours *result, const CtrBordersPlan *plan, unsigned threads, CtrError *error)
{
  const CtrContourArrays arrays = {
      .table = (CtrContour *) ctr_contours_map_table (result, error),
      .points = (CtrPoint *) ctr_contours_map_points (result, error),
      .shapes = (CtrContourShape *) ctr_contours_map_shapes (result, error),
      .fits = (CtrContourFits *) ctr_contours_map_fits (result, error),
  };
  if (ctr_contour_shapes (&arrays, result->count, result->features, plan->feret_direction, threads))
    return true;
  return ctr_go_on (error)
         && ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the shapes of %u contours", result->count);
}

/* The subpixels of the result, where it lies in the image. SHARED: the image, or its luma in a shared input. */
static bool
find_subpixels (State *state, const CtrImage *image, const CtrImage *shared, const CtrBordersPlan *plan,
    CtrContours *result, unsigned threads, CtrError *error)
{
  const CtrContourArrays arrays = {
      .table = (CtrContour *) ctr_contours_map_table (result, error),
      .points = (CtrPoint *) ctr_contours_map_points (result, error),
      .subpixel = (CtrSubpixelPoint *) ctr_contours_map_subpixel (result, error),
  };
  const CtrChannel channel = ctr_subpixel_channel (&plan->foreground);
  CtrSubpixelPlane plane;
  if (result->point_count == 0)
    return true;
  return ctr_contour_subpixel_plane (
             &state->channel, channel != CTR_CHANNEL_LUMA ? image : shared, channel, threads, &plane, error)
         && (ctr_contour_subpixel (
                 &arrays, result->count, result->point_count, &plan->subpixel, &plane, result->threshold, threads)
             || ctr_fail_cancelled (error));
}

static bool
select_contours (CtrContours *result, const CtrSelectPlan *plan, CtrError *error)
{
  const uint32_t count = result->count;
  if (plan->count == 0 || ctr_contours_select (result, plan))
    return true;
  return ctr_go_on (error)
         && ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the rows of %u contours", count);
}

static CtrContours *
follow_borders (State *state, const CtrImage *image, const CtrBordersPlan *plan, CtrError *error)
{
  const unsigned threads = ctr_threads_current ();
  const bool has_regions = plan->foreground.regions;
  CtrAtlas atlas;
  CtrImage luma;
  const bool has_subpixels = plan->features & CTR_CONTOUR_FEATURE_SUBPIXEL;
  const CtrImage *shared = has_regions && !has_subpixels ? image : ctr_samples_share (image, &luma);
  Work work = {.state = state, .image = has_regions ? &atlas.image : shared, .plan = plan};
  if (!(has_regions ? ctr_samples_regions (
            &state->samples, image, &plan->foreground, true, false, &atlas, &work.foreground, error)
                    : ctr_samples_foreground (
                        &state->samples, image, work.image, &plan->foreground, &work.foreground, error)))
    return NULL;
  if (!find_borders (&work, threads)) {
    if (ctr_go_on (error))
      ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the borders of a %u x %u image", image->width,
          image->height);
    return NULL;
  }
  const CtrContours info = {.width = image->width,
      .height = image->height,
      .threshold = work.foreground.threshold,
      .coordinates = CTR_COORDINATES_PIXELS,
      .features = plan->features};
  CtrContours *result = ctr_border_bands_result (&state->bands, &info, plan, threads, error);
  if (!result
      || ((!has_regions || move_result (&atlas, result, error))
          && (!(plan->features & (CTR_CONTOUR_SHAPE_FEATURES | CTR_CONTOUR_FEATURE_FITS))
              || find_shapes (result, plan, threads, error))
          && select_contours (result, &plan->select, error)
          && (!has_subpixels || find_subpixels (state, image, shared, plan, result, threads, error))))
    return result;
  ctr_contours_unref (result);
  return NULL;
}

static bool
enqueue (void *data, const CtrImage *image, const CtrBordersPlan *plan, void *stream, CtrError *error)
{
  State *state = data;
  ctr_contours_unref (state->result);
  state->result = follow_borders (state, image, plan, error);
  /* A smaller image may need the memory that a too large one has taken. */
  if (!state->result && !ctr_cancelled ())
    release_buffers (state);
  if (state->result && ctr_room_period_ends (&state->period))
    give_back (state);
  return state->result;
}

static CtrContours *
finish (void *data, CtrError *error)
{
  State *state = data;
  CtrContours *result = state->result;
  state->result = NULL;
  return result;
}

const CtrBordersOps ctr_borders_ops_cpu = {
    .base = {.create = create, .destroy = destroy},
    .enqueue = enqueue,
    .finish = finish,
};
