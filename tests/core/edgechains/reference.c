/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/edgechains/reference.h"

#include "tests/core/common/testing.h"

#include <math.h>
#include <stdlib.h>

/* Two linked pixels: FROM is the first one in raster order. */
typedef struct {
  CtrPoint from, to;
  uint32_t root; /* a link of the same chain */
  bool used;     /* The walk along its chain has passed it. */
} Link;

/* A chain: a start, and the root of its links; LINKS 0: the pixel alone. */
typedef struct {
  CtrPoint start;
  uint32_t direction, root, links;
  bool closed;
} Chain;

typedef struct {
  const CtrImage *mask;
  Link *links;
  uint32_t link_count;
  uint32_t (*at)[4]; /* by pixel: its links */
  uint32_t *degree;  /* by pixel */
} Graph;

/* Clockwise on the screen from the right, as the definition numbers them. */
static const int directions[8][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};

static bool
is_edge (const CtrImage *mask, int x, int y)
{
  return x >= 0 && y >= 0 && x < (int) mask->width && y < (int) mask->height
         && ((const uint8_t *) mask->data)[(size_t) y * mask->stride + x] != 0;
}

static bool
are_linked (const CtrImage *mask, int x, int y, int qx, int qy)
{
  if (!is_edge (mask, x, y) || !is_edge (mask, qx, qy))
    return false;
  return x == qx || y == qy || (!is_edge (mask, x, qy) && !is_edge (mask, qx, y));
}

static size_t
index_of (const Graph *graph, CtrPoint p)
{
  return (size_t) p.y * graph->mask->width + p.x;
}

static void
add_link (Graph *graph, CtrPoint from, CtrPoint to)
{
  const CtrPoint ends[] = {from, to};
  for (int k = 0; k < 2; k++) {
    const size_t i = index_of (graph, ends[k]);
    CHECK (graph->degree[i] < 4);
    graph->at[i][graph->degree[i]++] = graph->link_count;
  }
  graph->links[graph->link_count] = (Link){from, to, graph->link_count, false};
  graph->link_count++;
}

static uint32_t
root_of (const Graph *graph, uint32_t link)
{
  while (graph->links[link].root != link)
    link = graph->links[link].root;
  return link;
}

static Graph
find_links (const CtrImage *mask)
{
  static const int later[4][2] = {{1, 0}, {-1, 1}, {0, 1}, {1, 1}};
  const size_t pixels = (size_t) mask->width * mask->height;
  Graph graph = {mask, malloc (4 * pixels * sizeof (Link)), 0, malloc (pixels * sizeof *graph.at),
      calloc (pixels, sizeof *graph.degree)};
  for (int y = 0; y < (int) mask->height; y++)
    for (int x = 0; x < (int) mask->width; x++)
      for (int k = 0; k < 4; k++)
        if (are_linked (mask, x, y, x + later[k][0], y + later[k][1]))
          add_link (&graph, (CtrPoint){x, y}, (CtrPoint){x + later[k][0], y + later[k][1]});
  for (size_t i = 0; i < pixels; i++)
    if (graph.degree[i] == 2)
      graph.links[root_of (&graph, graph.at[i][0])].root = root_of (&graph, graph.at[i][1]);
  return graph;
}

static CtrPoint
other_end (const Link *link, CtrPoint p)
{
  return p.x == link->from.x && p.y == link->from.y ? link->to : link->from;
}

static uint32_t
direction_to (CtrPoint p, CtrPoint q)
{
  uint32_t d = 0;
  while (p.x + directions[d][0] != q.x || p.y + directions[d][1] != q.y)
    d++;
  return d;
}

static bool
comes_before (CtrPoint p, uint32_t p_direction, CtrPoint q, uint32_t q_direction)
{
  if (p.y != q.y)
    return p.y < q.y;
  return p.x != q.x ? p.x < q.x : p_direction < q_direction;
}

static int
compare_chains (const void *a, const void *b)
{
  const Chain *p = a, *q = b;
  return comes_before (p->start, p->direction, q->start, q->direction) ? -1 : 1;
}

/* Looks at LINK, read from P, as the start of CHAIN: only ends are, if there are any. */
static void
try_start (const Graph *graph, Chain *chain, const Link *link, CtrPoint p)
{
  const bool inside = graph->degree[index_of (graph, p)] == 2;
  const uint32_t direction = direction_to (p, other_end (link, p));
  if (inside && !chain->closed)
    return;
  if (chain->links == 0 || (chain->closed && !inside) || comes_before (p, direction, chain->start, chain->direction)) {
    chain->start = p;
    chain->direction = direction;
    chain->closed = inside;
  }
  chain->links = 1;
}

/* All chains, in their order. */
static Chain *
find_chains (const Graph *graph, uint32_t *count)
{
  const size_t pixels = (size_t) graph->mask->width * graph->mask->height;
  Chain *chains = malloc ((graph->link_count + pixels + 1) * sizeof *chains);
  for (uint32_t i = 0; i < graph->link_count; i++)
    chains[i] = (Chain){.root = i, .closed = true};
  for (uint32_t i = 0; i < graph->link_count; i++) {
    const Link *link = &graph->links[i];
    Chain *chain = &chains[root_of (graph, i)];
    try_start (graph, chain, link, link->from);
    try_start (graph, chain, link, link->to);
  }
  *count = 0;
  for (uint32_t i = 0; i < graph->link_count; i++)
    if (chains[i].links > 0)
      chains[(*count)++] = chains[i];
  for (uint32_t y = 0; y < graph->mask->height; y++)
    for (uint32_t x = 0; x < graph->mask->width; x++) {
      const CtrPoint p = {x, y};
      if (is_edge (graph->mask, (int) x, (int) y) && graph->degree[index_of (graph, p)] == 0)
        chains[(*count)++] = (Chain){.start = p};
    }
  qsort (chains, *count, sizeof *chains, compare_chains);
  return chains;
}

/* Writes the points of CHAIN; returns their number. */
static uint32_t
walk (const Graph *graph, const Chain *chain, CtrPoint *points)
{
  uint32_t count = 0, direction = chain->direction;
  CtrPoint p = chain->start;
  points[count++] = p;
  if (chain->links == 0)
    return count;
  for (;;) {
    Link *next = NULL;
    const size_t i = index_of (graph, p);
    for (uint32_t k = 0; k < graph->degree[i]; k++) {
      Link *link = &graph->links[graph->at[i][k]];
      const bool first = count == 1 && direction_to (p, other_end (link, p)) != direction;
      if (!link->used && !first && root_of (graph, graph->at[i][k]) == chain->root
          && (count == 1 || graph->degree[i] == 2))
        next = link;
    }
    if (!next)
      return count;
    next->used = true;
    p = other_end (next, p);
    if (!chain->closed || p.x != chain->start.x || p.y != chain->start.y)
      points[count++] = p;
    else
      return count;
  }
}

static CtrContour
measure (const Graph *graph, const Chain *chain, const CtrPoint *points, uint32_t count)
{
  uint32_t right = 0, bottom = 0;
  CtrContour row = {.count = count, .left = UINT16_MAX, .top = UINT16_MAX, .child = -1, .parent = -1};
  for (uint32_t i = 0; i < count; i++) {
    const CtrPoint p = points[i], q = points[i + 1 < count ? i + 1 : 0];
    if (chain->closed)
      row.area2 += (int64_t) p.x * q.y - (int64_t) q.x * p.y;
    if (chain->closed || i + 1 < count)
      row.length += (uint64_t) (ldexp ((double) (float) hypot (q.x - p.x, q.y - p.y), 23));
    row.left = p.x < row.left ? p.x : row.left;
    row.top = p.y < row.top ? p.y : row.top;
    right = p.x > right ? p.x : right;
    bottom = p.y > bottom ? p.y : bottom;
  }
  row.width = (uint16_t) (right - row.left + 1);
  row.height = (uint16_t) (bottom - row.top + 1);
  if (!chain->closed)
    row.flags = CTR_CONTOUR_OPEN | (graph->degree[index_of (graph, points[0])] > 2 ? CTR_CONTOUR_START_JUNCTION : 0)
                | (graph->degree[index_of (graph, points[count - 1])] > 2 ? CTR_CONTOUR_END_JUNCTION : 0);
  return row;
}

Contours
reference_edge_chains (const CtrImage *mask, const CtrEdgeChainsParams *params)
{
  Graph graph = find_links (mask);
  uint32_t count, kept = 0;
  Chain *chains = find_chains (&graph, &count);
  CtrContour *table = malloc ((count + 1) * sizeof *table);
  CtrPoint *points = malloc ((graph.link_count + count + 1) * sizeof *points);
  uint64_t point_count = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t length = walk (&graph, &chains[i], points + point_count);
    CtrContour row = measure (&graph, &chains[i], points + point_count, length);
    if (ctr_contour_perimeter (&row) < params->min_length)
      continue;
    row.first = point_count;
    table[kept++] = row;
    point_count += length;
  }
  for (uint32_t i = 0; i < kept; i++) {
    table[i].next = i + 1 < kept ? (int32_t) i + 1 : -1;
    table[i].previous = (int32_t) i - 1;
  }
  free (graph.links);
  free (graph.at);
  free (graph.degree);
  free (chains);
  return (Contours){.info = {.width = mask->width,
                        .height = mask->height,
                        .count = kept,
                        .point_count = point_count,
                        .coordinates = CTR_COORDINATES_PIXELS,
                        .features = CTR_CONTOUR_FEATURE_CHAINS | (params->subpixel ? CTR_CONTOUR_FEATURE_SUBPIXEL : 0),
                        .connectivity = CTR_CONNECTIVITY_8},
      .table = table,
      .points = points};
}
