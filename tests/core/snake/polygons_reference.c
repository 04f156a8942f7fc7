/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/snake/polygons_reference.h"

#include "tests/core/common/shapes.h"

#include <stdlib.h>
#include <string.h>

void
polygon_insert (Polygon *polygon, uint32_t index, Node node)
{
  if (polygon->count == polygon->room) {
    polygon->room = 2 * polygon->room + 8;
    polygon->nodes = realloc (polygon->nodes, polygon->room * sizeof *polygon->nodes);
  }
  memmove (polygon->nodes + index + 1, polygon->nodes + index, (polygon->count - index) * sizeof node);
  polygon->nodes[index] = node;
  polygon->count++;
}

void
polygon_remove (Polygon *polygon, uint32_t index)
{
  polygon->count--;
  memmove (polygon->nodes + index, polygon->nodes + index + 1, (polygon->count - index) * sizeof *polygon->nodes);
}

void
polygon_free (Polygon *polygon)
{
  free (polygon->nodes);
}

int64_t
polygon_area2 (const Polygon *polygon)
{
  int64_t area2 = 0;
  for (uint32_t i = 0; i < polygon->count; i++) {
    const Edge e = polygon_edge (polygon, i);
    area2 += (int64_t) e.a.x * e.b.y - (int64_t) e.b.x * e.a.y;
  }
  return area2;
}

Edge
polygon_edge (const Polygon *polygon, uint32_t index)
{
  const uint32_t next = (index + 1) % polygon->count;
  return (Edge){polygon->nodes[index], polygon->nodes[next], index, next};
}

/* Of the corner at B: 1 where it turns right on the screen, -1 left, 0 not at all. */
static int
turn (Node a, Node b, Node c)
{
  const int64_t cross = (int64_t) (b.x - a.x) * (c.y - b.y) - (int64_t) (b.y - a.y) * (c.x - b.x);
  return (cross > 0) - (cross < 0);
}

/* Does C, which is on the line through A and B, lie between them? */
static bool
is_between (Node a, Node b, Node c)
{
  return (a.x < b.x ? a.x <= c.x && c.x <= b.x : b.x <= c.x && c.x <= a.x)
         && (a.y < b.y ? a.y <= c.y && c.y <= b.y : b.y <= c.y && c.y <= a.y);
}

static bool
segments_meet (Node a, Node b, Node c, Node d)
{
  const int abc = turn (a, b, c), abd = turn (a, b, d), cda = turn (c, d, a), cdb = turn (c, d, b);
  if (abc * abd < 0 && cda * cdb < 0)
    return true;
  return (abc == 0 && is_between (a, b, c)) || (abd == 0 && is_between (a, b, d)) || (cda == 0 && is_between (c, d, a))
         || (cdb == 0 && is_between (c, d, b));
}

/* Do the lines from B to A and to C lie on each other? */
static bool
folds (Node a, Node b, Node c)
{
  return turn (a, b, c) == 0 && (int64_t) (a.x - b.x) * (c.x - b.x) + (int64_t) (a.y - b.y) * (c.y - b.y) > 0;
}

static bool
is_point (Edge e)
{
  return e.a.x == e.b.x && e.a.y == e.b.y;
}

bool
edges_touch (Edge p, Edge q)
{
  if (is_point (p) || is_point (q))
    return true;
  bool neighbours = false;
  if (p.to == q.from) {
    neighbours = true;
    if (folds (p.a, p.b, q.b))
      return true;
  }
  if (p.from == q.to) {
    neighbours = true;
    if (folds (p.b, p.a, q.a))
      return true;
  }
  return !neighbours && segments_meet (p.a, p.b, q.a, q.b);
}

bool
polygon_is_simple (const Polygon *polygon)
{
  for (uint32_t i = 0; i < polygon->count; i++)
    for (uint32_t j = i + 1; j < polygon->count; j++)
      if (edges_touch (polygon_edge (polygon, i), polygon_edge (polygon, j)))
        return false;
  return polygon->count >= 3;
}

/* Is the corner (X, Y) on the line or right of it? */
static bool
is_right_of (Edge down, int32_t x, int32_t y)
{
  return (int64_t) (x - down.a.x) * (down.b.y - down.a.y) >= (int64_t) (y - down.a.y) * (down.b.x - down.a.x);
}

/* The edges that row Y's corners lie beside, downwards; each holds its upper end, but not its lower one. */
static uint32_t
edges_at (const Polygon *polygon, int32_t y, Edge *edges)
{
  uint32_t found = 0;
  for (uint32_t i = 0; i < polygon->count; i++) {
    const Edge e = polygon_edge (polygon, i), down = e.a.y < e.b.y ? e : (Edge){e.b, e.a, e.to, e.from};
    if (down.a.y <= y && y < down.b.y)
      edges[found++] = down;
  }
  return found;
}

bool
polygon_holds (const Polygon *polygon, int32_t x, int32_t y)
{
  Edge *edges = malloc (polygon->count * sizeof *edges);
  const uint32_t found = edges_at (polygon, y, edges);
  bool inside = false;
  for (uint32_t i = 0; i < found; i++)
    inside ^= is_right_of (edges[i], x, y);
  free (edges);
  return inside;
}

Sums
polygon_sums (const Field *field, const Polygon *polygon)
{
  Sums sums = {0, 0, 0};
  Node low = polygon->nodes[0], high = low;
  for (uint32_t i = 1; i < polygon->count; i++) {
    const Node node = polygon->nodes[i];
    low.x = node.x < low.x ? node.x : low.x;
    low.y = node.y < low.y ? node.y : low.y;
    high.x = node.x > high.x ? node.x : high.x;
    high.y = node.y > high.y ? node.y : high.y;
  }
  Edge *edges = malloc (polygon->count * sizeof *edges);
  for (int32_t y = low.y; y < high.y; y++) {
    const uint32_t found = edges_at (polygon, y, edges);
    for (int32_t x = low.x; x < high.x; x++) {
      bool inside = false;
      for (uint32_t i = 0; i < found; i++)
        inside ^= is_right_of (edges[i], x, y);
      if (inside) {
        const int64_t z = field->samples[(size_t) y * field->width + x];
        sums.n++;
        sums.s1 += z;
        sums.s2 += z * z;
      }
    }
  }
  free (edges);
  if (polygon_area2 (polygon) < 0)
    sums = (Sums){-sums.n, -sums.s1, -sums.s2};
  return sums;
}

Polygon
polygon_random (Random *random, uint32_t count, uint32_t width, uint32_t height)
{
  Polygon polygon = {0};
  for (int tries = 0; polygon.count < 3 || (polygon.count < count && tries < 200); tries++) {
    const Node node = {(int32_t) random_below (random, width + 1), (int32_t) random_below (random, height + 1)};
    const uint32_t index = random_below (random, polygon.count + 1);
    polygon_insert (&polygon, index, node);
    if (polygon.count > 3 && !polygon_is_simple (&polygon))
      polygon_remove (&polygon, index);
    else if (polygon.count == 3 && !polygon_is_simple (&polygon))
      polygon.count = 0;
  }
  return polygon;
}

Sums
field_sums (const Field *field, Node low, Node high)
{
  Sums sums = {0, 0, 0};
  for (int32_t y = low.y; y < high.y; y++)
    for (int32_t x = low.x; x < high.x; x++) {
      const int64_t z = field->samples[(size_t) y * field->width + x];
      sums = (Sums){sums.n + 1, sums.s1 + z, sums.s2 + z * z};
    }
  return sums;
}
