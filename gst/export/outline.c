/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/export/outline.h"

#include <string.h>

static const HalfPoint *
get (const GArray *points, guint index)
{
  return &g_array_index (points, HalfPoint, index);
}

gdouble
outline_area2 (const HalfPoint *points, guint count)
{
  gint64 sum = 0;
  for (guint i = 0; i < count; i++) {
    const HalfPoint *a = &points[i], *b = &points[i + 1 < count ? i + 1 : 0];
    sum += (gint64) a->x * b->y - (gint64) b->x * a->y;
  }
  return (gdouble) sum / 4;
}

guint
outline_top_left (const HalfPoint *points, guint count)
{
  guint best = 0;
  for (guint i = 1; i < count; i++)
    if (points[i].y < points[best].y || (points[i].y == points[best].y && points[i].x < points[best].x))
      best = i;
  return best;
}

/* The eight directions, counterclockwise from east. */
static const gint step_x[8] = {1, 1, 0, -1, -1, -1, 0, 1}, step_y[8] = {0, -1, -1, -1, 0, 1, 1, 1};

/* The direction from A to B, -1 if it is none of the eight, and the number of STEPS. */
static gint
direction_of (const CtrPoint *a, const CtrPoint *b, guint *steps)
{
  gint dx = b->x - a->x, dy = b->y - a->y;
  *steps = (guint) MAX (ABS (dx), ABS (dy));
  if (*steps == 0 || (dx != 0 && dy != 0 && ABS (dx) != ABS (dy)))
    return -1;
  for (gint d = 0; d < 8; d++)
    if (step_x[d] == (dx > 0) - (dx < 0) && step_y[d] == (dy > 0) - (dy < 0))
      return d;
  return -1;
}

/* A walk along pixel edges. */
typedef struct {
  GArray *points; /* where the walk turns */
  HalfPoint start, end;
  gint first; /* direction of the first side */
  gint last;  /* direction of the last side */
} Walk;

/* Walks along one side of pixel (X, Y), with the pixel on the left. The direction of a side is that of its outward
 * normal: 0, 2, 4, 6. Returns FALSE if the walk is elsewhere or would turn back. */
static gboolean
walk_side (Walk *walk, gint x, gint y, gint side)
{
  const HalfPoint corners[4] = {
      {2 * x + 2, 2 * y + 2}, {2 * x + 2, 2 * y}, {2 * x, 2 * y}, {2 * x, 2 * y + 2}}; /* where the side begins */
  HalfPoint from = corners[side / 2];
  if (walk->last < 0) {
    walk->start = from;
    walk->first = side;
  } else if (from.x != walk->end.x || from.y != walk->end.y || side == ((walk->last + 4) & 7)) {
    return FALSE;
  } else if (side != walk->last) {
    g_array_append_val (walk->points, from);
  }
  walk->last = side;
  walk->end = corners[(side / 2 + 1) % 4];
  return TRUE;
}

/* Walks around pixel (X, Y) of a border, which comes from direction FROM and leaves towards TO: the background lies
 * counterclockwise between the two. */
static gboolean
walk_pixel (Walk *walk, gint x, gint y, gint from, gint to)
{
  for (gint d = from + 1; (d & 7) != to; d++)
    if (!(d & 1) && !walk_side (walk, x, y, d & 7))
      return FALSE;
  return TRUE;
}

/* Walks around the pixels on the closed line of COUNT points. Returns FALSE if the line is not a border. */
static gboolean
walk_line (Walk *walk, const CtrPoint *line, guint count)
{
  guint steps;
  gint before = direction_of (&line[count - 1], &line[0], &steps);
  if (before < 0)
    return FALSE;
  for (guint i = 0; i < count; i++) {
    gint direction = direction_of (&line[i], &line[i + 1 < count ? i + 1 : 0], &steps), x = line[i].x, y = line[i].y;
    if (direction < 0)
      return FALSE;
    for (guint step = 0; step < steps; step++) {
      if (!walk_pixel (walk, x, y, (before + 4) & 7, direction))
        return FALSE;
      before = direction;
      x += step_x[direction];
      y += step_y[direction];
    }
  }
  return walk->last >= 0 && walk->end.x == walk->start.x && walk->end.y == walk->start.y;
}

static gboolean
walk_border (Walk *walk, const CtrPoint *line, guint count)
{
  if (count == 1)
    for (gint side = 0; side < 8; side += 2)
      walk_side (walk, line->x, line->y, side);
  else if (!walk_line (walk, line, count))
    return FALSE;
  if (walk->first != walk->last)
    g_array_append_val (walk->points, walk->start);
  return TRUE;
}

static void
reverse (GArray *points, guint first)
{
  for (guint i = first, j = points->len; i + 1 < j; i++) {
    HalfPoint kept = *get (points, --j);
    g_array_index (points, HalfPoint, j) = *get (points, i);
    g_array_index (points, HalfPoint, i) = kept;
  }
}

/* Whether area and bounding box of the line are those of the contour: otherwise it was simplified. */
static gboolean
is_original (const CtrContour *row, const CtrPoint *line)
{
  gint64 area2 = 0;
  gint left = G_MAXUINT16, top = G_MAXUINT16, right = 0, bottom = 0;
  for (guint i = 0; i < row->count; i++) {
    const CtrPoint *a = &line[i], *b = &line[i + 1 < row->count ? i + 1 : 0];
    area2 += (gint64) a->x * b->y - (gint64) b->x * a->y;
    left = MIN (left, a->x);
    top = MIN (top, a->y);
    right = MAX (right, a->x);
    bottom = MAX (bottom, a->y);
  }
  return area2 == row->area2 && left == row->left && top == row->top && right - left + 1 == row->width
         && bottom - top + 1 == row->height;
}

/* Appends the pixel edges around a border. */
static gboolean
append_border (GArray *points, const CtrContour *row, const CtrPoint *line)
{
  guint first = points->len;
  Walk walk = {.points = points, .first = -1, .last = -1};
  if (!is_original (row, line) || !walk_border (&walk, line, row->count)) {
    g_array_set_size (points, first);
    return FALSE;
  }
  reverse (points, first);
  return TRUE;
}

static gboolean
is_axis_aligned (const HalfPoint *points, guint count)
{
  for (guint i = 0; i < count; i++) {
    const HalfPoint *a = &points[i], *b = &points[i + 1 < count ? i + 1 : 0];
    if (a->x != b->x && a->y != b->y)
      return FALSE;
  }
  return TRUE;
}

/* Appends the bounding box in place of a line without area, for outer contours only. */
static gboolean
append_box (GArray *points, const CtrContour *row)
{
  gint x = 2 * row->left, y = 2 * row->top, w = 2 * row->width, h = 2 * row->height;
  const HalfPoint corners[4] = {{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}};
  if (!(row->flags & CTR_CONTOUR_HOLE) && w > 0 && h > 0)
    g_array_append_vals (points, corners, 4);
  return TRUE;
}

gboolean
outline_append (GArray *points, const CtrContour *row, const CtrPoint *line, CtrCoordinates coordinates)
{
  guint first = points->len;
  gboolean pixels = coordinates == CTR_COORDINATES_PIXELS;
  if (pixels && append_border (points, row, line))
    return TRUE;
  for (guint i = 0; i < row->count; i++) {
    HalfPoint point = {2 * line[i].x + pixels, 2 * line[i].y + pixels};
    g_array_append_val (points, point);
  }
  gdouble area2 = outline_area2 (get (points, first), row->count);
  if (area2 == 0) {
    g_array_set_size (points, first);
    return append_box (points, row);
  }
  if ((area2 < 0) != ((row->flags & CTR_CONTOUR_HOLE) != 0))
    reverse (points, first);
  return !pixels && is_axis_aligned (get (points, first), row->count);
}

/* The order of the points of a group. */
typedef struct {
  const HalfPoint *points;
  guint *previous, *next;
  guint *twin;       /* another point at the same position, or the point itself */
  guint *path_index; /* position on the current path, plus 1; 0: not on it */
} Links;

/* Whether the line turns right at I. */
static gboolean
turns_right (const Links *links, guint i)
{
  const HalfPoint *a = &links->points[links->previous[i]], *b = &links->points[i], *c = &links->points[links->next[i]];
  return (gint64) (b->x - a->x) * (c->y - b->y) - (gint64) (b->y - a->y) * (c->x - b->x) > 0;
}

static gint
compare_positions (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const HalfPoint *first = (const HalfPoint *) user_data + *(const guint *) a,
                  *second = (const HalfPoint *) user_data + *(const guint *) b;
  return first->y != second->y ? (first->y < second->y ? -1 : 1) : (first->x > second->x) - (first->x < second->x);
}

/* Where two lines meet at a corner, or one meets itself, both turn right, so that each stays with its pixel. Returns
 * whether there is such a corner. */
static gboolean
separate_corners (Links *links, guint count)
{
  gboolean found = FALSE;
  guint *order = g_new (guint, count);
  for (guint i = 0; i < count; i++)
    order[i] = links->twin[i] = i;
  g_qsort_with_data (order, (gint) count, sizeof *order, compare_positions, (gpointer) links->points);
  for (guint k = 0; k + 1 < count; k++) {
    guint i = order[k], j = order[k + 1];
    if (memcmp (&links->points[i], &links->points[j], sizeof (HalfPoint)) != 0)
      continue;
    found = TRUE;
    links->twin[i] = j;
    links->twin[j] = i;
    if (!turns_right (links, i)) {
      guint next = links->next[i];
      links->next[i] = links->next[j];
      links->next[j] = next;
    }
    k++;
  }
  g_free (order);
  return found;
}

static void
append_ring (GArray *points, GArray *rings, const Links *links, const guint *path, guint count)
{
  OutlineRing ring = {points->len, count, FALSE};
  for (guint i = 0; i < count; i++)
    g_array_append_val (points, links->points[path[i]]);
  gdouble area2 = outline_area2 (get (points, ring.first), count);
  ring.hole = area2 < 0;
  if (area2 == 0)
    g_array_set_size (points, ring.first);
  else
    g_array_append_val (rings, ring);
}

/* Follows the links. With CUT, splits off a ring whenever the path returns to a position that it has visited. */
static void
follow (GArray *points, GArray *rings, Links *links, guint count, gboolean cut)
{
  guint *path = g_new (guint, count);
  gboolean *done = g_new0 (gboolean, count);
  for (guint start = 0; start < count; start++) {
    guint length = 0;
    for (guint i = start; !done[i]; i = links->next[i]) {
      guint path_index = cut ? links->path_index[links->twin[i]] : 0;
      done[i] = TRUE;
      if (path_index > 0) {
        append_ring (points, rings, links, path + path_index - 1, length - (path_index - 1));
        while (length >= path_index)
          links->path_index[path[--length]] = 0;
      }
      path[length++] = i;
      links->path_index[i] = length;
    }
    if (length > 0)
      append_ring (points, rings, links, path, length);
    while (length > 0)
      links->path_index[path[--length]] = 0;
  }
  g_free (path);
  g_free (done);
}

/* The outer ring around each hole: the owner of the nearest line above its topmost side. */
static guint *
find_owners (const GArray *points, const GArray *rings)
{
  CrackIndex *index = crack_index_new ();
  guint *owners = g_new0 (guint, rings->len);
  for (guint r = 0; r < rings->len; r++) {
    const OutlineRing *ring = &g_array_index (rings, OutlineRing, r);
    for (guint i = 0; i < ring->count; i++)
      crack_index_add (index, 0, *get (points, ring->first + i), *get (points, ring->first + (i + 1) % ring->count), r);
    owners[r] = r;
  }
  crack_index_sort (index);
  for (guint r = 0; r < rings->len; r++) {
    const OutlineRing *ring = &g_array_index (rings, OutlineRing, r);
    const HalfPoint *line = get (points, ring->first), *top = &line[outline_top_left (line, ring->count)];
    guint32 owner;
    gboolean to_the_right;
    if (ring->hole && crack_index_find_above (index, 0, top->x / 2, top->y, &owner, &to_the_right))
      owners[r] = owner;
  }
  crack_index_free (index);
  /* If the line above belongs to a hole, both have the same owner. That hole starts higher, so this ends. */
  for (guint r = 0; r < rings->len; r++) {
    guint end = r;
    while (owners[end] != end)
      end = owners[end];
    for (guint at = r, next; at != end; at = next) {
      next = owners[at];
      owners[at] = end;
    }
  }
  return owners;
}

/* Moves holes behind the rings that contain them. */
static void
sort_rings (const GArray *points, GArray *rings)
{
  guint n = rings->len;
  guint *owners = find_owners (points, rings), *starts = g_new0 (guint, n + 1);
  OutlineRing *sorted = g_memdup2 (rings->data, n * sizeof *sorted);
  for (guint r = 0; r < n; r++)
    starts[owners[r] + 1]++;
  for (guint r = 0; r < n; r++)
    starts[r + 1] += starts[r];
  for (guint holes = 0; holes < 2; holes++)
    for (guint r = 0; r < n; r++)
      if (g_array_index (rings, OutlineRing, r).hole == (gboolean) holes)
        sorted[starts[owners[r]]++] = g_array_index (rings, OutlineRing, r);
  /* A leading hole has no outer ring and would be taken for one. */
  g_array_set_size (rings, 0);
  for (guint r = 0; r < n; r++)
    if (!sorted[r].hole || rings->len > 0)
      g_array_append_val (rings, sorted[r]);
  g_free (sorted);
  g_free (starts);
  g_free (owners);
}

void
outline_separate (GArray *points, GArray *rings, gboolean cut)
{
  guint count = points->len;
  Links links = {g_memdup2 (points->data, count * sizeof (HalfPoint)), g_new (guint, count), g_new (guint, count),
      g_new (guint, count), g_new0 (guint, count)};
  for (guint r = 0; r < rings->len; r++) {
    const OutlineRing *ring = &g_array_index (rings, OutlineRing, r);
    for (guint i = 0; i < ring->count; i++) {
      guint at = ring->first + i, next = ring->first + (i + 1) % ring->count;
      links.next[at] = next;
      links.previous[next] = at;
    }
  }
  if (separate_corners (&links, count)) {
    g_array_set_size (points, 0);
    g_array_set_size (rings, 0);
    follow (points, rings, &links, count, cut);
    sort_rings (points, rings);
  }
  g_free ((gpointer) links.points);
  g_free (links.previous);
  g_free (links.next);
  g_free (links.twin);
  g_free (links.path_index);
}
