/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hierarchy of level contours over all levels. Different threads take different levels, and pass each a second
 * time, for the links of its neighbours; core/cracks/nesting.h defines these. Parents and extremes then take one pass
 * each over all contours, in the order of their numbers. */
#include "core/cracks/nesting.h"

#include "core/common/memory.h"
#include "core/common/poll.h"
#include "cpu/common/parallel.h"
#include "cpu/contours/contour_measures.h"
#include "cpu/cracks/tracer.h"

#include <string.h>

/* A contour, by number. */
typedef struct {
  uint32_t parent; /* first in its level, then in the tree */
  uint32_t link;
  uint32_t extreme;
  uint32_t end; /* of an extreme: the other end of the branch */
  uint32_t depth;
  int32_t row;         /* of the contour or of its nearest ancestor that is kept; -1: none */
  uint32_t level : 31; /* the level itself */
  uint32_t hole : 1;
} Node;

static inline const CtrContour *
rows_of (const Level *level)
{
  return (const CtrContour *) level->tracer->rows.data + level->tracer_row;
}

/* The first point of a contour of a level. */
static inline CtrPoint
start_of (const Work *work, uint32_t level_index, const CtrContour *row)
{
  return ((const CtrPoint *) work->state->points.data)[first_point_of (work->state, level_index) + row->first];
}

/* Calls STEP for each level; different threads take different ones. */
typedef bool (*LevelStep) (const Work *work, Tracer *tracer, uint32_t level_index);

typedef struct {
  Work *work;
  LevelStep step;
} EachLevel;

static void
take_levels (void *context, uint32_t index)
{
  const EachLevel *each = context;
  Work *work = each->work;
  while (!__atomic_load_n (&work->failed, __ATOMIC_RELAXED)) {
    const uint32_t level_index = 1 + __atomic_fetch_add (&work->next_level, 1, __ATOMIC_RELAXED);
    if (level_index > work->plan->level_count)
      return;
    if (!each->step (work, work->state->tracers + index, level_index))
      __atomic_store_n (&work->failed, true, __ATOMIC_RELAXED);
  }
}

static bool
each_level (Work *work, unsigned threads, LevelStep step)
{
  EachLevel each = {work, step};
  work->next_level = 0;
  ctr_parallel_for (threads, work->state->tracer_count, take_levels, &each);
  return !work->failed;
}

/* The nodes of a level, with the parents in their level and without links. */
static bool
fill_nodes (const Work *work, Tracer *tracer, uint32_t level_index)
{
  const Level *level = (const Level *) work->state->levels.data + level_index - 1;
  const CtrContour *rows = rows_of (level);
  Node *nodes = (Node *) work->state->nodes.data + level->first_contour;
  uint64_t operations = 0;
  for (uint32_t i = 0; i < level->row_count; i++) {
    if (ctr_poll (&operations, 4))
      return false;
    nodes[i] = (Node){
        .parent = rows[i].parent < 0 ? CTR_NESTING_NONE : level->first_contour + (uint32_t) rows[i].parent,
        .link = CTR_NESTING_NONE,
        .extreme = level->first_contour + i,
        .level = rows[i].level,
        .hole = (rows[i].flags & CTR_CONTOUR_HOLE) != 0,
    };
  }
  return true;
}

/* The contours of a neighbouring level that have links to the level that is passed, in the order of first points. */
typedef struct {
  const Work *work;
  const CtrContour *rows;
  Node *nodes;
  uint32_t level_index;
  uint32_t next, end;
  bool holes;
  CtrPoint start; /* of the next one */
} Queue;

static void
find_next (Queue *queue)
{
  while (queue->next < queue->end && queue->nodes[queue->next].hole != queue->holes)
    queue->next++;
  if (queue->next < queue->end)
    queue->start = start_of (queue->work, queue->level_index, queue->rows + queue->next);
}

/* LEVEL_INDEX may be none. */
static Queue
queue_of (const Work *work, uint32_t level_index, bool holes)
{
  Queue queue = {.work = work, .level_index = level_index, .holes = holes};
  if (level_index == 0 || level_index > work->plan->level_count)
    return queue;
  const Level *level = (const Level *) work->state->levels.data + level_index - 1;
  queue.rows = rows_of (level);
  queue.nodes = (Node *) work->state->nodes.data + level->first_contour;
  queue.end = level->row_count;
  find_next (&queue);
  return queue;
}

/* The level that is passed: what is known at a vertex. */
typedef struct {
  const Level *level;
  const CtrContour *rows;
  const uint32_t *columns;
  const uint64_t *lines;
} Passing;

/* The contour that the next one of QUEUE has its link to. */
static uint32_t
find_link (const Queue *queue, const Passing *passing)
{
  uint32_t column;
  if (!find_line (passing->lines, queue->start.x + 1u, &column))
    return CTR_NESTING_NONE;
  int32_t row = (int32_t) passing->columns[column] - 1;
  if ((passing->rows[row].flags & CTR_CONTOUR_HOLE) != (queue->holes ? CTR_CONTOUR_HOLE : 0))
    row = passing->rows[row].parent;
  return row < 0 ? CTR_NESTING_NONE : passing->level->first_contour + (uint32_t) row;
}

/* Finds the links of those in QUEUE that start before (X, Y). False if the work is cancelled. */
static bool
find_links (Queue *queue, uint32_t x, uint32_t y, const Passing *passing, uint64_t *operations)
{
  while (queue->next < queue->end && (queue->start.y < y || (queue->start.y == y && queue->start.x < x))) {
    queue->nodes[queue->next++].link = find_link (queue, passing);
    find_next (queue);
    if (ctr_poll (operations, 4))
      return false;
  }
  return true;
}

/* Finds all links to a level: those of the outer contours above it and of the holes below it. */
static bool
link_to_level (const Work *work, Tracer *tracer, uint32_t level_index)
{
  const size_t *ends = work->state->corners.ends.data;
  const CtrCrackCorner *corners = (const CtrCrackCorner *) work->state->corners.corners.data + ends[level_index - 1];
  const uint32_t count = (uint32_t) (ends[level_index] - ends[level_index - 1]), width = work->image->width;
  const size_t words = (size_t) width / 64 + 1;
  const uint32_t *owners = owners_of (work, tracer, level_index);
  uint64_t operations = 0;
  const Level *level = (const Level *) work->state->levels.data + level_index - 1;
  Queue above = queue_of (work, level_index + 1, false), below = queue_of (work, level_index - 1, true);
  if (count == 0 || (above.next == above.end && below.next == below.end))
    return true;
  /* This tracer may not have traced a level. */
  if (!ctr_host_buffer_reserve (&tracer->columns, (size_t) width + 1, sizeof (uint32_t))
      || !ctr_host_buffer_reserve (&tracer->lines, words, sizeof (uint64_t)))
    return false;
  uint32_t *columns = tracer->columns.data;
  uint64_t *lines = tracer->lines.data;
  const Passing passing = {level, rows_of (level), columns, lines};
  memset (lines, 0, words * sizeof *lines);
  for (uint32_t i = 0; i < count; i++) {
    const CtrPoint p = corners[i].point;
    if (ctr_poll (&operations, 1) || !find_links (&above, p.x, p.y, &passing, &operations)
        || !find_links (&below, p.x, p.y, &passing, &operations))
      return false;
    pass_corner (corners + i, owners[i / 2], lines, columns);
  }
  return find_links (&above, 0, UINT32_MAX, &passing, &operations)
         && find_links (&below, 0, UINT32_MAX, &passing, &operations);
}

/* From the parents in the levels and the links: the parents in the tree, the depths, and the extremes. */
static bool
make_tree (Node *nodes, uint32_t count)
{
  uint64_t operations = 0;
  for (uint32_t i = 0; i < count; i++) {
    Node *node = nodes + i;
    if (!node->hole) {
      const uint32_t around = node->parent;
      node->parent = ctr_nesting_parent (
          node->link, around, around == CTR_NESTING_NONE ? CTR_NESTING_NONE : nodes[nodes[around].parent].link);
    } else if (node->link != CTR_NESTING_NONE && nodes[node->link].extreme > node->extreme) {
      nodes[node->link].extreme = node->extreme;
    }
    node->depth = node->parent == CTR_NESTING_NONE ? 0 : nodes[node->parent].depth + 1;
    if (ctr_poll (&operations, 8))
      return false;
  }
  for (uint32_t i = count; i-- > 0;) {
    const Node *node = nodes + i;
    if (!node->hole && node->link != CTR_NESTING_NONE && nodes[node->link].extreme < node->extreme)
      nodes[node->link].extreme = node->extreme;
    if (ctr_poll (&operations, 4))
      return false;
  }
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t link = nodes[i].link;
    if (link == CTR_NESTING_NONE || nodes[link].extreme != nodes[i].extreme)
      nodes[nodes[i].extreme].end = i;
    if (ctr_poll (&operations, 4))
      return false;
  }
  return true;
}

static CtrContourNesting
nesting_of (const Node *nodes, uint32_t i)
{
  const Node *extreme = nodes + nodes[i].extreme;
  return ctr_nesting_of (nodes[i].depth, extreme->level, nodes[extreme->end].level);
}

/* Gives rows to the contours that limits keep. */
static bool
select_rows (Work *work, CtrContours *info)
{
  const CtrCracksPlan *plan = work->asked;
  Level *levels = work->state->levels.data;
  Node *nodes = work->state->nodes.data;
  uint64_t operations = 0;
  for (uint32_t k = 0; k < plan->level_count; k++) {
    Level *level = levels + k;
    const CtrContour *rows = rows_of (level);
    level->first_row = info->count;
    level->first_point = info->point_count;
    for (uint32_t i = 0; i < level->row_count; i++) {
      const uint32_t contour = level->first_contour + i, parent = nodes[contour].parent;
      if (ctr_poll (&operations, 8))
        return false;
      if (is_kept (rows + i, plan)
          && ctr_nesting_keeps (nesting_of (nodes, contour), plan->min_persistence, plan->max_depth)) {
        nodes[contour].row = (int32_t) info->count++;
        info->point_count += rows[i].count;
      } else {
        nodes[contour].row = parent == CTR_NESTING_NONE ? -1 : nodes[parent].row;
      }
    }
  }
  return true;
}

bool
ctr_cracks_nest (Work *work, unsigned threads, CtrContours *info)
{
  State *state = work->state;
  Level *levels = state->levels.data;
  uint64_t count = 0;
  for (uint32_t i = 0; i < work->plan->level_count; i++) {
    levels[i].first_contour = (uint32_t) count;
    count += levels[i].row_count;
    if (count >= CTR_NESTING_NONE)
      return false;
  }
  return ctr_host_buffer_reserve (&state->nodes, count, sizeof (Node)) && each_level (work, threads, fill_nodes)
         && each_level (work, threads, link_to_level) && make_tree (state->nodes.data, (uint32_t) count)
         && select_rows (work, info);
}

/* Writes the rows of a level, but for the hierarchy, their points, sums and nesting. */
static bool
write_level (const Work *work, Tracer *tracer, uint32_t level_index)
{
  const Level *level = (const Level *) work->state->levels.data + level_index - 1;
  const CtrContour *rows = rows_of (level);
  const CtrPoint *points = (const CtrPoint *) work->state->points.data + first_point_of (work->state, level_index);
  const Node *nodes = work->state->nodes.data;
  const CtrContourArrays *arrays = &work->arrays;
  uint64_t operations = 0, first = level->first_point;
  int32_t row = (int32_t) level->first_row;
  for (uint32_t i = 0; i < level->row_count; i++) {
    const uint32_t contour = level->first_contour + i;
    if (ctr_poll (&operations, 8))
      return false;
    if (nodes[contour].row != row) /* dropped: it has the row of a contour before, or none */
      continue;
    arrays->table[row] = rows[i];
    arrays->table[row].first = first;
    arrays->table[row].parent = nodes[contour].parent == CTR_NESTING_NONE ? -1 : nodes[nodes[contour].parent].row;
    arrays->nesting[row] = nesting_of (nodes, contour);
    if (!ctr_copy (arrays->points + first, points + rows[i].first, rows[i].count * sizeof *points)
        || (arrays->sums && !ctr_contour_sums (points + rows[i].first, rows[i].count, arrays->sums + row)))
      return false;
    first += rows[i].count;
    row++;
  }
  return true;
}

bool
ctr_cracks_write_nested (Work *work, unsigned threads, uint32_t count)
{
  CtrContour *table = work->arrays.table;
  int32_t last = -1;
  uint64_t operations = 0;
  if (!each_level (work, threads, write_level))
    return false;
  for (uint32_t i = 0; i < count; i++) {
    if (ctr_poll (&operations, 4))
      return false;
    join_family (table, (int32_t) i, table[i].parent, &last);
  }
  return true;
}
