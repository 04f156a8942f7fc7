/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Simplification of all contours of an image, on several threads. */
#include "core/borders/simplify.h"

#include "core/common/memory.h"
#include "core/common/poll.h"
#include "core/results/contourlist.h"
#include "core/results/simplify.h"
#include "cpu/common/parallel.h"

#include <stdlib.h>
#include <string.h>

/* Contours to simplify, in pieces of consecutive ones for several threads. */
typedef struct {
  const CtrContours *source;
  const CtrContour *table;
  const CtrPoint *points;
  const CtrContourSums *sums;       /* or NULL */
  const CtrContourShape *shapes;    /* or NULL */
  const CtrContourFits *fits;       /* or NULL */
  const CtrSubpixelPoint *subpixel; /* or NULL */
  double epsilon;
  CtrPoint *kept;    /* of each contour, where its points are in the source */
  uint32_t *indices; /* likewise: those of the kept points, counted from the contour's first; NULL without subpixels */
  uint32_t *counts, *work; /* of points kept; scratch memory for a point more than each contour has */
  CtrContourArrays arrays; /* of the result, with the table complete */
  uint32_t piece_count;
  bool cancelled; /* atomic */
} Simplification;

/* Pieces have about as many points each, and are worth waking a thread. */
enum { PIECES_PER_THREAD = 4, MIN_PIECE_POINTS = 4096 };

/* The first contour of a piece; for the index after the last piece, the number of contours. */
static uint32_t
first_of_piece (const Simplification *s, uint32_t index)
{
  const uint64_t point = s->source->point_count / s->piece_count * index;
  uint32_t low = 0, high = s->source->count;
  if (index == s->piece_count)
    return high;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (s->table[middle].first < point)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void
simplify_piece (void *context, uint32_t index)
{
  Simplification *s = context;
  uint64_t operations = 0;
  for (uint32_t i = first_of_piece (s, index), end = first_of_piece (s, index + 1); i < end; i++) {
    const CtrContour *row = s->table + i;
    if (row->flags & CTR_CONTOUR_OPEN) {
      memcpy (s->kept + row->first, s->points + row->first, row->count * sizeof *s->kept);
      s->counts[i] = row->count;
      continue;
    }
    s->counts[i] = ctr_simplify (s->points + row->first, row->count, s->epsilon, s->kept + row->first,
        s->indices ? s->indices + row->first : NULL, s->work + row->first + i);
    if (s->counts[i] == 0 || ctr_poll (&operations, 16 + row->count)) {
      __atomic_store_n (&s->cancelled, true, __ATOMIC_RELAXED);
      return;
    }
  }
}

/* Those of the points that contour I keeps. */
static bool
select_subpixel (const Simplification *s, uint32_t i, uint64_t *operations)
{
  const CtrContour *row = s->arrays.table + i;
  const uint64_t first = s->table[i].first;
  for (uint32_t k = 0; s->subpixel && k < row->count; k++) {
    s->arrays.subpixel[row->first + k] = s->subpixel[first + s->indices[first + k]];
    if (ctr_poll (operations, 1))
      return false;
  }
  return true;
}

static void
copy_piece (void *context, uint32_t index)
{
  Simplification *s = context;
  uint64_t operations = 0;
  for (uint32_t i = first_of_piece (s, index), end = first_of_piece (s, index + 1); i < end; i++) {
    const CtrContour *row = s->arrays.table + i;
    if (ctr_poll (&operations, 4 + row->count / 16)
        || !ctr_copy (s->arrays.points + row->first, s->kept + s->table[i].first, row->count * sizeof *s->arrays.points)
        || !select_subpixel (s, i, &operations)) {
      __atomic_store_n (&s->cancelled, true, __ATOMIC_RELAXED);
      return;
    }
  }
}

/* The result, without its points. NULL if there is no memory or the work is cancelled. */
static CtrContours *
simplified_new (Simplification *s, CtrError *error)
{
  CtrContours info = *s->source;
  uint64_t operations = 0, first = 0;
  info.point_count = 0;
  info.vertices = CTR_VERTICES_ANY;
  for (uint32_t i = 0; i < info.count; i++) {
    info.point_count += s->counts[i];
    if (ctr_poll (&operations, 1)) {
      ctr_fail_cancelled (error);
      return NULL;
    }
  }
  CtrContours *result = ctr_contours_alloc (&info, &s->arrays, error);
  if (!result)
    return NULL;
  bool whole = ctr_copy (s->arrays.table, s->table, info.count * sizeof *s->table)
               && (!s->sums || ctr_copy (s->arrays.sums, s->sums, info.count * sizeof *s->sums))
               && (!s->shapes || ctr_copy (s->arrays.shapes, s->shapes, info.count * sizeof *s->shapes))
               && (!s->fits || ctr_copy (s->arrays.fits, s->fits, info.count * sizeof *s->fits));
  for (uint32_t i = 0; whole && i < info.count; i++) {
    s->arrays.table[i].first = first;
    s->arrays.table[i].count = s->counts[i];
    first += s->counts[i];
    whole = !ctr_poll (&operations, 1);
  }
  if (whole)
    return result;
  ctr_contours_unref (result);
  ctr_fail_cancelled (error);
  return NULL;
}

static CtrContours *
simplify_contours (Simplification *s, CtrError *error)
{
  const unsigned threads = ctr_threads_current ();
  const uint64_t most = s->source->point_count / MIN_PIECE_POINTS, wanted = (uint64_t) threads * PIECES_PER_THREAD;
  s->piece_count = threads == 1 || most < 2 ? 1 : (uint32_t) (wanted < most ? wanted : most);
  ctr_parallel_for (threads, s->piece_count, simplify_piece, s);
  if (s->cancelled) {
    ctr_fail_cancelled (error);
    return NULL;
  }
  CtrContours *result = simplified_new (s, error);
  if (!result)
    return NULL;
  ctr_parallel_for (threads, s->piece_count, copy_piece, s);
  if (!s->cancelled)
    return result;
  ctr_contours_unref (result);
  ctr_fail_cancelled (error);
  return NULL;
}

CtrContours *
ctr_borders_simplify (CtrContours *source, double epsilon, CtrError *error)
{
  Simplification s = {.source = source, .epsilon = epsilon};
  s.table = ctr_contours_map_table (source, error);
  s.points = s.table ? ctr_contours_map_points (source, error) : NULL;
  const bool with_sums = source->features & CTR_CONTOUR_FEATURE_MOMENTS,
             with_shapes = source->features & CTR_CONTOUR_SHAPE_FEATURES,
             with_fits = source->features & CTR_CONTOUR_FEATURE_FITS,
             with_subpixel = source->features & CTR_CONTOUR_FEATURE_SUBPIXEL;
  s.sums = s.points && with_sums ? ctr_contours_map_sums (source, error) : NULL;
  s.shapes = s.points && with_shapes ? ctr_contours_map_shapes (source, error) : NULL;
  s.fits = s.points && with_fits ? ctr_contours_map_fits (source, error) : NULL;
  s.subpixel = s.points && with_subpixel ? ctr_contours_map_subpixel (source, error) : NULL;
  if (!s.points || (with_sums && !s.sums) || (with_shapes && !s.shapes) || (with_fits && !s.fits)
      || (with_subpixel && !s.subpixel))
    return NULL;
  s.kept = ctr_alloc_array (source->point_count + 1, sizeof *s.kept);
  s.indices = with_subpixel ? ctr_alloc_array (source->point_count + 1, sizeof *s.indices) : NULL;
  s.counts = ctr_alloc_array ((size_t) source->count + 1, sizeof *s.counts);
  s.work = ctr_alloc_array (source->point_count + source->count + 1, sizeof *s.work);
  CtrContours *result = NULL;
  if (s.kept && s.counts && s.work && (s.indices || !with_subpixel))
    result = simplify_contours (&s, error);
  else
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory to simplify %u contours of %llu points", source->count,
        (unsigned long long) source->point_count);
  free (s.kept);
  free (s.indices);
  free (s.counts);
  free (s.work);
  return result;
}
