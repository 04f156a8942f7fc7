/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/contours/contour_subpixel.h"

#include "core/common/error.h"
#include "core/common/poll.h"
#include "cpu/common/bands.h"
#include "cpu/foreground/steps.h"

enum { PIECE_POINTS = 2048, MIN_BAND = 1 << 17 /* pixels */ };

typedef struct {
  const CtrContourArrays *arrays;
  uint32_t count;
  uint64_t points;
  const CtrSubpixelRule *rule;
  const CtrSubpixelPlane *plane;
  uint32_t threshold;
  bool cancelled; /* atomic */
} Work;

bool
ctr_contour_subpixel_plane (CtrHostBuffer *buffer, const CtrImage *image, CtrChannel channel, unsigned threads,
    CtrSubpixelPlane *plane, CtrError *error)
{
  const CtrSubpixelPlane direct = {image->data, image->stride, (int32_t) image->width, (int32_t) image->height,
      image->format == CTR_FORMAT_GRAY16 ? 16 : 8};
  *plane = direct;
  if (ctr_channel_is_direct (image, channel))
    return true;
  const size_t stride = ((size_t) image->width + 63) / 64 * 64; /* Rows are written in pieces of up to 64. */
  if (!ctr_host_buffer_reserve (buffer, image->height, stride))
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the samples of a %u x %u image", image->width,
        image->height);
  plane->stride = stride;
  plane->data = buffer->data;
  /* Threads need no memory of their own. */
  const CtrRowsPlan rows = {.threads = threads,
      .bands = ctr_band_count (image->width, image->height, threads, 1, MIN_BAND),
      .scratch = buffer->data};
  return ctr_channel_write (&rows, image, channel, buffer->data, plane->stride) || ctr_fail_cancelled (error);
}

/* Operations of a point, for ctr_poll(). */
static uint64_t
cost_of (const CtrSubpixelRule *rule)
{
  return rule->method == CTR_SUBPIXEL_EDGE ? (uint64_t) (2 * rule->radius + 1) * (2 * rule->radius + 5) : 8;
}

static uint64_t
piece_end (uint64_t begin, uint64_t points)
{
  return points - begin > PIECE_POINTS ? begin + PIECE_POINTS : points;
}

static uint32_t
piece_count (uint64_t points)
{
  return (uint32_t) ((points + PIECE_POINTS - 1) / PIECE_POINTS);
}

/* The contour of a point. */
static uint32_t
contour_of (const Work *work, uint64_t point)
{
  const CtrContour *table = work->arrays->table;
  uint32_t first = 0, end = work->count;
  while (end - first > 1) {
    const uint32_t middle = first + (end - first) / 2;
    if (table[middle].first <= point)
      first = middle;
    else
      end = middle;
  }
  return first;
}

static void
refine_piece (void *context, uint32_t index)
{
  Work *work = context;
  const uint64_t begin = (uint64_t) index * PIECE_POINTS;
  const uint64_t end = piece_end (begin, work->points), cost = cost_of (work->rule);
  uint64_t operations = 0;
  const CtrContour *row = work->arrays->table + contour_of (work, begin);
  for (uint64_t i = begin; i < end; i++) {
    while (i >= row->first + row->count)
      row++;
    const CtrPoint *points = work->arrays->points + row->first;
    const uint32_t at = (uint32_t) (i - row->first);
    work->arrays->subpixel[i] = ctr_subpixel_refine (work->rule, work->plane, work->threshold,
        points[at > 0 ? at - 1 : row->count - 1], points[at], points[at + 1 < row->count ? at + 1 : 0]);
    if (ctr_poll (&operations, cost)) {
      __atomic_store_n (&work->cancelled, true, __ATOMIC_RELAXED);
      return;
    }
  }
}

bool
ctr_contour_subpixel (const CtrContourArrays *arrays, uint32_t count, uint64_t points, const CtrSubpixelRule *rule,
    const CtrSubpixelPlane *plane, uint32_t threshold, unsigned threads)
{
  Work work = {arrays, count, points, rule, plane, threshold, false};
  ctr_parallel_for (threads, piece_count (points), refine_piece, &work);
  return !work.cancelled;
}

typedef struct {
  const CtrPoint *pixels;
  uint64_t count;
  const CtrSubpixelRule *rule;
  const CtrSubpixelPlane *plane;
  CtrSubpixelPoint *subpixel;
  bool cancelled; /* atomic */
} EdgePixels;

static void
refine_edge_pixels (void *context, uint32_t index)
{
  EdgePixels *work = context;
  const uint64_t begin = (uint64_t) index * PIECE_POINTS;
  const uint64_t end = piece_end (begin, work->count), cost = cost_of (work->rule);
  uint64_t operations = 0;
  for (uint64_t i = begin; i < end; i++) {
    work->subpixel[i] = ctr_subpixel_refine_edge_pixel (work->rule, work->plane, work->pixels[i]);
    if (ctr_poll (&operations, cost)) {
      __atomic_store_n (&work->cancelled, true, __ATOMIC_RELAXED);
      return;
    }
  }
}

bool
ctr_edge_pixels_subpixel (const CtrPoint *pixels, uint64_t count, const CtrSubpixelRule *rule,
    const CtrSubpixelPlane *plane, unsigned threads, CtrSubpixelPoint *subpixel)
{
  EdgePixels work = {pixels, count, rule, plane, subpixel, false};
  ctr_parallel_for (threads, piece_count (count), refine_edge_pixels, &work);
  return !work.cancelled;
}
