/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/snake/evolution_reference.h"

#include "core/snake/criterion.h"
#include "core/snake/geometry.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint32_t node;
  Node to;
  double criterion;
} Move;

double
region_cost (const Work *work, Sums sums)
{
  const double n = (double) sums.n, s1 = (double) sums.s1, s2 = (double) sums.s2, mean = s1 / n;
  double p;
  switch (work->params->model) {
    case CTR_SNAKE_GAUSSIAN:
      return 0.5 * n * ctr_snake_log (fmax (s2 / n - mean * mean, 1.0 / 12));
    case CTR_SNAKE_SPECKLE:
      return work->params->looks * n * ctr_snake_log (fmax (mean, 1.0 / 12));
    case CTR_SNAKE_POISSON:
      return sums.s1 == 0 ? 0 : -s1 * ctr_snake_log (mean);
    default:
      p = fmin (s1 / (n * work->largest), 1);
      return n * -((p > 0 ? p * ctr_snake_log (p) : 0) + (p < 1 ? (1 - p) * ctr_snake_log (1 - p) : 0));
  }
}

double
split_cost (const Work *work, Sums inside)
{
  const Sums outside = {work->all.n - inside.n, work->all.s1 - inside.s1, work->all.s2 - inside.s2};
  if (inside.n < 1 || outside.n < 1)
    return INFINITY;
  return region_cost (work, inside) + region_cost (work, outside);
}

static double
line_cost (const Work *work, const Polygon *line)
{
  return split_cost (work, polygon_sums (&work->field, line));
}

static Polygon
copy_of (const Polygon *line)
{
  Polygon copy = {.nodes = malloc ((line->count + 1) * sizeof (Node)), .count = line->count, .room = line->count + 1};
  memcpy (copy.nodes, line->nodes, line->count * sizeof (Node));
  return copy;
}

/* Takes LINE. */
static void
set_line (Work *work, Polygon line)
{
  free (work->line.nodes);
  work->line = line;
  work->criterion = line_cost (work, &work->line);
}

/* Adds the line to the way. */
static void
note (Work *work, CtrSnakeChangeKind kind, int32_t distance)
{
  const Polygon *line = &work->line;
  Way *way = work->way;
  if (!way)
    return;
  way->states = realloc (way->states, (way->state_count + 1) * sizeof *way->states);
  way->points = realloc (way->points, (way->point_count + line->count) * sizeof *way->points);
  way->states[way->state_count++] = (CtrSnakeState){.first = way->point_count,
      .count = line->count,
      .row = way->row,
      .kind = kind,
      .iteration = work->iterations,
      .step = (uint32_t) distance,
      .inside_count = polygon_sums (&work->field, line).n,
      .criterion = work->criterion};
  for (uint32_t i = 0; i < line->count; i++)
    way->points[way->point_count++] = (CtrPoint){(uint16_t) line->nodes[i].x, (uint16_t) line->nodes[i].y};
}

static bool
may_go_on (Work *work)
{
  if (work->iterations == work->params->max_iterations)
    work->stopped = true;
  else
    work->iterations++;
  return !work->stopped;
}

/* Does EDGE touch one of the line's edges, other than FIRST and SECOND? */
static bool
touches_line (const Polygon *line, Edge edge, uint32_t first, uint32_t second)
{
  for (uint32_t k = 0; k < line->count; k++)
    if (k != first && k != second && edges_touch (edge, polygon_edge (line, k)))
      return true;
  return false;
}

/* The lines to and from the place a node moves to. */
static void
moved_edges (const Polygon *line, Move move, Edge edges[2])
{
  const uint32_t n = line->count, before = (move.node + n - 1) % n;
  edges[0] = polygon_edge (line, before);
  edges[1] = polygon_edge (line, move.node);
  edges[0].b = edges[1].a = move.to;
}

static bool
any_touch (const Edge *p, const Edge *q, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t j = 0; j < count; j++)
      if (edges_touch (p[i], q[j]))
        return true;
  return false;
}

static bool
can_move (const Polygon *line, Move move)
{
  const uint32_t before = (move.node + line->count - 1) % line->count;
  Edge edges[2];
  moved_edges (line, move, edges);
  return !edges_touch (edges[0], edges[1]) && !touches_line (line, edges[0], before, move.node)
         && !touches_line (line, edges[1], before, move.node);
}

static int32_t
clamp (int32_t value, int32_t low, int32_t high)
{
  return value < low ? low : value > high ? high : value;
}

/* The best place for a node; its criterion is not below the line's where there is none. */
static Move
best_move (Work *work, uint32_t node, int32_t distance)
{
  static const Node directions[8] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
  Polygon *line = &work->line;
  const Node from = line->nodes[node];
  Move best = {.node = node, .to = from, .criterion = work->criterion};
  for (int i = 0; i < 8; i++) {
    Move move = {.node = node};
    move.to.x = clamp (from.x + distance * directions[i].x, work->low.x, work->high.x);
    move.to.y = clamp (from.y + distance * directions[i].y, work->low.y, work->high.y);
    if ((move.to.x == from.x && move.to.y == from.y) || !can_move (line, move))
      continue;
    line->nodes[node] = move.to;
    move.criterion = line_cost (work, line);
    line->nodes[node] = from;
    if (move.criterion < best.criterion)
      best = move;
  }
  return best;
}

static bool
is_better (const Move *p, const Move *q)
{
  return p->criterion < q->criterion || (p->criterion == q->criterion && p->node < q->node);
}

static bool
is_blocked (const Polygon *line, const Move *moves, uint32_t count, uint32_t index)
{
  Edge own[2], other[2];
  moved_edges (line, moves[index], own);
  for (uint32_t j = 0; j < count; j++) {
    moved_edges (line, moves[j], other);
    const uint32_t n = line->count, p = moves[j].node, q = moves[index].node;
    const bool neighbours = (p + 1) % n == q || (q + 1) % n == p;
    if (j != index && is_better (moves + j, moves + index) && (neighbours || any_touch (own, other, 2)))
      return true;
  }
  return false;
}

/* Moves the nodes together; false where none can. */
static bool
move_once (Work *work, int32_t distance)
{
  const uint32_t n = work->line.count;
  Move *moves = malloc (n * sizeof *moves);
  uint32_t count = 0, best = 0;
  for (uint32_t i = 0; i < n; i++) {
    moves[count] = best_move (work, i, distance);
    if (moves[count].criterion < work->criterion) {
      best = is_better (moves + count, moves + best) ? count : best;
      count++;
    }
  }
  if (count > 0) {
    Polygon line = copy_of (&work->line);
    for (uint32_t i = 0; i < count; i++)
      if (!is_blocked (&work->line, moves, count, i))
        line.nodes[moves[i].node] = moves[i].to;
    if (!(line_cost (work, &line) < work->criterion)) {
      polygon_free (&line);
      line = copy_of (&work->line);
      line.nodes[moves[best].node] = moves[best].to;
    }
    set_line (work, line);
  }
  free (moves);
  return count > 0;
}

static void
move_nodes (Work *work, int32_t distance)
{
  const int most = work->from_outline && distance > 1 ? 4 : INT_MAX;
  for (int i = 0; i < most && may_go_on (work) && move_once (work, distance); i++)
    note (work, CTR_SNAKE_MOVED, distance);
}

/* The two halves of an edge; false where it stays whole. */
static bool
halve (const Work *work, uint32_t index, Edge halves[2])
{
  const Edge edge = polygon_edge (&work->line, index);
  const int64_t dx = edge.b.x - edge.a.x, dy = edge.b.y - edge.a.y;
  const Node middle = {(edge.a.x + edge.b.x) >> 1, (edge.a.y + edge.b.y) >> 1};
  if (dx * dx + dy * dy <= 4 * (int64_t) work->min_segment * work->min_segment)
    return false;
  /* Numbers beyond the line's are those of the new nodes. */
  halves[0] = (Edge){edge.a, middle, edge.from, work->line.count + index};
  halves[1] = (Edge){middle, edge.b, work->line.count + index, edge.to};
  return !touches_line (&work->line, halves[0], index, index) && !touches_line (&work->line, halves[1], index, index)
         && !edges_touch (halves[0], halves[1]);
}

static bool
split_edges (Work *work)
{
  const uint32_t n = work->line.count;
  Edge (*halves)[2] = malloc (n * sizeof *halves);
  bool *proposed = malloc (n * sizeof *proposed);
  Polygon line = {0};
  for (uint32_t i = 0; i < n; i++) {
    proposed[i] = halve (work, i, halves[i]);
    bool accepted = proposed[i];
    for (uint32_t j = 0; j < i; j++)
      accepted &= !(proposed[i] && proposed[j] && any_touch (halves[i], halves[j], 2));
    polygon_insert (&line, line.count, work->line.nodes[i]);
    if (accepted && line.count + n - i - 1 < CTR_SNAKE_MAX_POINTS)
      polygon_insert (&line, line.count, halves[i][0].b);
  }
  free (halves);
  free (proposed);
  const bool any = line.count > n;
  if (any)
    set_line (work, line);
  else
    polygon_free (&line);
  return any;
}

static const double twice_ln_2e = 3.3862943611198906;

static double
description_length (const Work *work, const Polygon *line, double criterion)
{
  int64_t across = 0, down = 0;
  for (uint32_t i = 0; i < line->count; i++) {
    const Edge edge = polygon_edge (line, i);
    across += llabs ((int64_t) edge.b.x - edge.a.x);
    down += llabs ((int64_t) edge.b.y - edge.a.y);
  }
  const double p = line->count, mx = fmax ((double) across, 1) / p, my = fmax ((double) down, 1) / p;
  return criterion + ctr_snake_log ((double) work->all.n) + 2 * ctr_snake_log (p)
         + p * (twice_ln_2e + ctr_snake_log (mx * my));
}

double
line_length (const Work *work)
{
  return description_length (work, &work->line, work->criterion);
}

typedef struct {
  double length; /* of the description without the node */
  Edge edge;     /* in its place */
  bool eligible;
} Removal;

static Removal
removal_of (const Work *work, uint32_t node)
{
  const Polygon *line = &work->line;
  const uint32_t n = line->count, before = (node + n - 1) % n, after = (node + 1) % n;
  Removal removal = {.edge = {line->nodes[before], line->nodes[after], before, after}};
  if (touches_line (line, removal.edge, before, node))
    return removal;
  Polygon rest = copy_of (line);
  polygon_remove (&rest, node);
  removal.length = description_length (work, &rest, line_cost (work, &rest));
  removal.eligible = removal.length < line_length (work);
  polygon_free (&rest);
  return removal;
}

/* Does the removal of node I have to wait for that of J? */
static bool
gives_way (const Removal *removals, uint32_t n, uint32_t i, uint32_t j)
{
  const Removal *p = removals + i, *q = removals + j;
  const bool better = q->length < p->length || (q->length == p->length && j < i);
  const bool neighbours = j == (i + 1) % n || i == (j + 1) % n;
  return i != j && q->eligible && better && (neighbours || edges_touch (p->edge, q->edge));
}

/* One round; false where no node can go. */
static bool
prune_round (Work *work)
{
  const uint32_t n = work->line.count;
  if (n <= 3)
    return false;
  Removal *removals = malloc (n * sizeof *removals);
  uint32_t best = n;
  for (uint32_t i = 0; i < n; i++) {
    removals[i] = removal_of (work, i);
    if (removals[i].eligible && (best == n || removals[i].length < removals[best].length))
      best = i;
  }
  if (best < n) {
    Polygon line = copy_of (&work->line);
    for (uint32_t i = n; i-- > 0;) {
      bool chosen = removals[i].eligible;
      for (uint32_t j = 0; j < n; j++)
        chosen = chosen && !gives_way (removals, n, i, j);
      if (chosen)
        polygon_remove (&line, i);
    }
    if (line.count < 3 || !(description_length (work, &line, line_cost (work, &line)) < line_length (work))) {
      polygon_free (&line);
      line = copy_of (&work->line);
      polygon_remove (&line, best);
    }
    set_line (work, line);
  }
  free (removals);
  return best < n;
}

static bool
prune (Work *work)
{
  bool any = false;
  while (may_go_on (work) && prune_round (work)) {
    note (work, CTR_SNAKE_PRUNED, 1);
    any = true;
  }
  return any;
}

/* Takes LINE. */
void
evolve (Work *work, Polygon line, int32_t distance)
{
  set_line (work, line);
  note (work, CTR_SNAKE_STARTED, distance);
  for (;;) {
    move_nodes (work, distance);
    const bool split = !work->stopped && split_edges (work);
    if (work->stopped || (!split && distance == 1))
      break;
    distance = distance / 2 > 1 ? distance / 2 : 1;
    if (split)
      note (work, CTR_SNAKE_SPLIT, distance);
  }
  if (work->params->prune)
    while (!work->stopped && prune (work))
      move_nodes (work, 1);
}
