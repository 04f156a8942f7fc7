/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/results/checking.h"

#include "core/results/codes.h"
#include "core/results/fits.h"

enum {
  KNOWN_FEATURES = CTR_CONTOUR_FEATURE_MOMENTS | CTR_CONTOUR_FEATURE_REGIONS | CTR_CONTOUR_FEATURE_HISTORY
                   | CTR_CONTOUR_FEATURE_NESTING | CTR_CONTOUR_SHAPE_FEATURES | CTR_CONTOUR_FEATURE_SUBPIXEL
                   | CTR_CONTOUR_FEATURE_FITS | CTR_CONTOUR_FEATURE_CHAINS,
  KNOWN_FLAGS = CTR_CONTOUR_HOLE | CTR_CONTOUR_OPEN | CTR_CONTOUR_START_JUNCTION | CTR_CONTOUR_END_JUNCTION
};

const char *
ctr_check_contours (const CtrContours *c)
{
  if (c->width == 0 || c->height == 0 || c->width > CTR_MAX_SIDE || c->height > CTR_MAX_SIDE)
    return "the size of the image is out of range";
  if (c->features & ~(uint32_t) KNOWN_FEATURES)
    return "there are unknown features";
  if (c->coordinates > CTR_COORDINATES_CORNERS || c->exceeded > CTR_LIMIT_WINDOW_SIDES
      || c->vertices > CTR_VERTICES_TURNS)
    return "the coordinates, the limit or the kind of vertices is unknown";
  if (c->connectivity != 0 && c->connectivity != CTR_CONNECTIVITY_4 && c->connectivity != CTR_CONNECTIVITY_8)
    return "the connectivity is neither 4 nor 8";
  if (c->count > INT32_MAX || c->unfinished > c->count || c->point_count < c->count)
    return "the numbers of contours and points do not fit";
  if (c->exceeded != CTR_LIMIT_NONE && c->count > 0)
    return "there are contours, and a limit was exceeded";
  return NULL;
}

/* Do the points follow one another in the image, contour by contour? */
static bool
points_are_inside (const CtrContours *c, const CtrPoint *points, uint64_t count)
{
  const uint32_t more = c->coordinates == CTR_COORDINATES_CORNERS; /* a corner more than pixels */
  for (uint64_t i = 0; i < count; i++)
    if (points[i].x >= c->width + more || points[i].y >= c->height + more)
      return false;
  return true;
}

/* Could the line go from A to B without a point between? Chain and crack codes have nothing else. */
static bool
is_segment (const CtrContours *c, CtrPoint a, CtrPoint b)
{
  const int dx = a.x > b.x ? a.x - b.x : b.x - a.x, dy = a.y > b.y ? a.y - b.y : b.y - a.y;
  const bool straight = dx == 0 || dy == 0, diagonal = dx == dy && c->coordinates == CTR_COORDINATES_PIXELS;
  const bool step = dx <= 1 && dy <= 1;
  return (dx || dy) && (straight || diagonal) && (step || c->vertices != CTR_VERTICES_STEPS);
}

static bool
is_line (const CtrContours *c, const CtrPoint *points, const CtrContour *row)
{
  const uint32_t segments = ctr_codes_segments (row);
  if (c->vertices == CTR_VERTICES_ANY || row->count == 1)
    return true;
  for (uint32_t i = 0; i < segments; i++)
    if (!is_segment (c, points[i], points[i + 1 < row->count ? i + 1 : 0]))
      return false;
  return true;
}

static bool
is_link (const CtrContours *c, int32_t link)
{
  return link >= -1 && link < (int32_t) c->count;
}

/* Rows refer to rows, and both ends of each link agree. */
static bool
links_agree (const CtrContours *c, const CtrContour *table, int32_t row)
{
  const CtrContour *r = &table[row];
  if (!is_link (c, r->next) || !is_link (c, r->previous) || !is_link (c, r->child) || !is_link (c, r->parent))
    return false;
  if (r->next >= 0 && (table[r->next].previous != row || table[r->next].parent != r->parent))
    return false;
  if (r->previous >= 0 && table[r->previous].next != row)
    return false;
  if (r->child >= 0 && (table[r->child].parent != row || table[r->child].previous >= 0))
    return false;
  return r->parent < 0 || r->previous >= 0 || table[r->parent].child == row;
}

/* The row after ROW in the tree, or -1 behind the last one of the siblings of the first row. */
static int32_t
next_in_tree (const CtrContour *table, int32_t row)
{
  if (table[row].child >= 0)
    return table[row].child;
  while (row >= 0 && table[row].next < 0)
    row = table[row].parent;
  return row >= 0 ? table[row].next : -1;
}

/* Where links agree, each row is entered through one other row at most, so walks from the rows without any reach each row once,
 * and rows in a circle never. */
static bool
is_forest (const CtrContours *c, const CtrContour *table)
{
  uint32_t reached = 0;
  for (int32_t row = 0; row < (int32_t) c->count; row++)
    if (!links_agree (c, table, row))
      return false;
  for (int32_t first = 0; first < (int32_t) c->count; first++)
    if (table[first].parent < 0 && table[first].previous < 0)
      for (int32_t row = first; row >= 0; row = next_in_tree (table, row))
        reached++;
  return reached == c->count;
}

/* The mean of distances is formed in integers: the sums must be those of so many distances. */
static bool
distances_fit (const CtrContourShape *shape)
{
  return shape->steps > 0 && shape->distance_sum <= (uint64_t) shape->steps * shape->distance_max
         && shape->distance_squares[1] <= UINT32_MAX;
}

/* The means of fits are formed in integers of 128 bits: the sums must be those of so many pixels. */
static bool
sums_fit (const CtrContourFits *fits)
{
  const CtrSigned128 pixels = ctr_fit_sum (fits, 0, 0);
  if (pixels < 1 || pixels > UINT32_MAX)
    return false;
  CtrSigned128 most = pixels;
  for (int degree = 1; degree <= 4; degree++) {
    most *= UINT16_MAX;
    for (int b = 0; b <= degree; b++) {
      const CtrSigned128 sum = ctr_fit_sum (fits, degree - b, b);
      if (sum < 0 || sum > most)
        return false;
    }
  }
  return true;
}

const char *
ctr_check_contour_arrays (const CtrContours *c, const CtrContourArrays *arrays)
{
  uint64_t first = 0;
  for (uint32_t i = 0; i < c->count; i++) {
    const CtrContour *row = &arrays->table[i];
    if (row->first != first || row->count == 0 || row->count > c->point_count - first)
      return "the points of the contours do not follow one another";
    first += row->count;
    if ((uint32_t) row->left + row->width > c->width || (uint32_t) row->top + row->height > c->height)
      return "a contour lies outside of the image";
    if (c->features & CTR_CONTOUR_FEATURE_DISTANCES && !distances_fit (&arrays->shapes[i]))
      return "the distances of a contour from its centroid do not fit";
    if (c->features & CTR_CONTOUR_FEATURE_FITS && !sums_fit (&arrays->fits[i]))
      return "the sums of a contour's pixels do not fit";
    if (row->region > c->region_count || row->flags & ~(uint32_t) KNOWN_FLAGS)
      return "a contour has a region or a flag that does not exist";
  }
  if (first != c->point_count)
    return "there are points of no contour";
  if (!points_are_inside (c, arrays->points, c->point_count))
    return "a point lies outside of the image";
  for (uint32_t i = 0; i < c->count; i++)
    if (!is_line (c, arrays->points + arrays->table[i].first, &arrays->table[i]))
      return "a line has a step that no code has";
  return is_forest (c, arrays->table) ? NULL : "the hierarchy of the contours is contradictory";
}

const char *
ctr_check_history (const CtrContours *c, const CtrSnakeHistory *history)
{
  uint64_t first = 0;
  uint32_t row = 0;
  for (uint64_t i = 0; i < history->state_count; i++) {
    const CtrSnakeState *state = &history->states[i];
    if (state->first != first || state->count == 0 || state->count > history->point_count - first)
      return "the points of the history do not follow one another";
    if (state->row < row || state->row >= c->count || state->kind > CTR_SNAKE_PRUNED)
      return "the history has a polygon of no contour or of an unknown kind";
    first += state->count;
    row = state->row;
  }
  if (first != history->point_count || !points_are_inside (c, history->points, history->point_count))
    return "a point of the history lies outside of the image or belongs to no polygon";
  return NULL;
}
