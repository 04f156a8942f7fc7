/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/cracks/corners.h"

#include "core/common/poll.h"

#include <string.h>

/* Pixels around a vertex, as bits of a mask. */
enum { UPPER_LEFT = 8, UPPER_RIGHT = 4, LOWER_LEFT = 2, LOWER_RIGHT = 1 };
enum { RISING = UPPER_RIGHT | LOWER_LEFT, FALLING = UPPER_LEFT | LOWER_RIGHT }; /* the diagonals */

typedef struct {
  uint16_t x;
  uint16_t ranks[4]; /* of the pixels upper left, upper right, lower left, lower right */
} Vertex;

/* Four vertices are looked at in one go, so rows of ranks have room for some more. */
enum { STRIDE = 4 };

void
ctr_crack_nodes_release (CtrCrackNodes *nodes)
{
  ctr_buffer_release (&nodes->ranks);
  ctr_buffer_release (&nodes->vertices);
  ctr_buffer_release (&nodes->row_ends);
  ctr_buffer_release (&nodes->ends);
  ctr_buffer_release (&nodes->nodes);
}

/* Ranks of row Y of pixels to RANKS[1 .. width]; row HEIGHT is outside. */
static void
rank_row (CtrSamples *samples, const CtrImage *image, const CtrCracksPlan *plan, uint32_t y, uint16_t *ranks)
{
  const bool zero = plan->frame == CTR_FRAME_ZERO;
  const uint16_t *rank_of = plan->ranks;
  if (y == image->height || (zero && (y == 0 || y == image->height - 1))) {
    memset (ranks + 1, 0, image->width * sizeof *ranks);
    return;
  }
  const void *row = ctr_samples_row (samples, image, y);
  if (image->format == CTR_FORMAT_GRAY16)
    for (uint32_t x = 0; x < image->width; x++)
      ranks[x + 1] = rank_of[((const uint16_t *) row)[x]];
  else
    for (uint32_t x = 0; x < image->width; x++)
      ranks[x + 1] = rank_of[((const uint8_t *) row)[x]];
  if (zero)
    ranks[1] = ranks[image->width] = 0;
}

static inline uint64_t
load_4 (const uint16_t *ranks)
{
  uint64_t four;
  memcpy (&four, ranks, sizeof four);
  return four;
}

/* Those of COUNT vertices between two rows of ranks around which the pixels are neither alike in both columns nor in
 * both rows: there lines may turn, elsewhere none does. VERTICES has room for COUNT and STRIDE more. */
static size_t
find_vertices (const uint16_t *above, const uint16_t *below, uint32_t count, Vertex *vertices)
{
  size_t found = 0;
  for (uint32_t start = 0; start < count; start += STRIDE) {
    const uint64_t upper_left = load_4 (above + start), upper_right = load_4 (above + start + 1);
    const uint64_t lower_left = load_4 (below + start), lower_right = load_4 (below + start + 1);
    if (((upper_left ^ lower_left) | (upper_right ^ lower_right)) == 0
        || ((upper_left ^ upper_right) | (lower_left ^ lower_right)) == 0)
      continue;
    for (uint32_t x = start; x < start + STRIDE; x++) {
      const uint16_t a = above[x], b = above[x + 1], c = below[x], d = below[x + 1];
      vertices[found] = (Vertex){(uint16_t) x, {a, b, c, d}};
      found += ((a ^ c) | (b ^ d)) != 0 && ((a ^ b) | (c ^ d)) != 0;
    }
  }
  return found;
}

static inline void
order (uint32_t *a, uint32_t *b)
{
  const uint32_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
  *a = low;
  *b = high;
}

/* Ranks of a vertex ascending, each with its pixel's bit below. */
typedef struct {
  uint32_t keys[4];
} Ranking;

static inline uint32_t
rank_at (const Ranking *ranking, uint32_t i)
{
  return ranking->keys[i] >> 4;
}

static inline uint32_t
bit_at (const Ranking *ranking, uint32_t i)
{
  return ranking->keys[i] & 15;
}

static inline Ranking
rank_vertex (const Vertex *vertex)
{
  Ranking ranking;
  uint32_t *keys = ranking.keys;
  for (uint32_t i = 0; i < 4; i++)
    keys[i] = (uint32_t) vertex->ranks[i] << 4 | UPPER_LEFT >> i;
  order (keys, keys + 1);
  order (keys + 2, keys + 3);
  order (keys, keys + 2);
  order (keys + 1, keys + 3);
  order (keys + 1, keys + 2);
  return ranking;
}

static inline bool
is_diagonal (uint32_t mask)
{
  return mask == RISING || mask == FALLING;
}

/* The nodes of a mask. */
static inline uint32_t
nodes_of (uint32_t mask)
{
  const uint32_t one = 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8 | 1 << 7 | 1 << 11 | 1 << 13 | 1 << 14;
  return is_diagonal (mask) ? 2 : one >> mask & 1;
}

/* The pixels of the same rank as the one at I, up to *END. */
static inline uint32_t
mask_of_equals (const Ranking *ranking, uint32_t i, uint32_t *end)
{
  uint32_t mask = 0, next = i;
  while (next < 4 && rank_at (ranking, next) == rank_at (ranking, i))
    mask |= bit_at (ranking, next++);
  *end = next;
  return mask;
}

/* AT_LEAST: COUNTS become differences of one rank's count to that of the rank before. From the lowest of the four ranks
 * to the second all pixels but one are foreground, from the third to the highest one is, between these two are. */
static void
count_steps (const Vertex *vertex, size_t *counts)
{
  const Ranking ranking = rank_vertex (vertex);
  const size_t middle = is_diagonal (bit_at (&ranking, 2) | bit_at (&ranking, 3)) ? 2 : 0;
  counts[rank_at (&ranking, 0) + 1] += 1;
  counts[rank_at (&ranking, 1) + 1] += middle - 1;
  counts[rank_at (&ranking, 2) + 1] += 1 - middle;
  counts[rank_at (&ranking, 3) + 1] -= 1;
}

static void
count_equals (const Vertex *vertex, size_t *counts)
{
  const Ranking ranking = rank_vertex (vertex);
  for (uint32_t i = 0, end; i < 4; i = end)
    counts[rank_at (&ranking, i)] += nodes_of (mask_of_equals (&ranking, i, &end));
}

/* Where the nodes go and what they are. */
typedef struct {
  CtrCrackNode *nodes;
  size_t *ends; /* of each rank: where its next node goes, one rank further */
  uint32_t kinds[16];
  uint32_t rising[2], falling[2]; /* masks of the two lines' nodes where a diagonal is foreground */
} Writer;

static void
writer_init (Writer *writer, const CtrCrackNodes *nodes, CtrConnectivity connectivity)
{
  const bool joined = connectivity == CTR_CONNECTIVITY_8;
  *writer = (Writer){
      .nodes = nodes->nodes.data,
      .ends = nodes->ends.data,
      .kinds =
          {
              [LOWER_RIGHT] = CTR_NODE_SOUTH,
              [LOWER_LEFT] = CTR_NODE_SOUTH,
              [UPPER_RIGHT] = CTR_NODE_NORTH,
              [UPPER_LEFT] = CTR_NODE_NORTH,
              [15 - LOWER_RIGHT] = CTR_NODE_SOUTH_HOLE,
              [15 - LOWER_LEFT] = CTR_NODE_SOUTH,
              [15 - UPPER_RIGHT] = CTR_NODE_NORTH,
              [15 - UPPER_LEFT] = CTR_NODE_NORTH,
          },
      .rising = {joined ? 15 - UPPER_LEFT : LOWER_LEFT, joined ? 15 - LOWER_RIGHT : UPPER_RIGHT},
      .falling = {joined ? 15 - LOWER_LEFT : UPPER_LEFT, joined ? 15 - UPPER_RIGHT : LOWER_RIGHT},
  };
}

static inline void
write_node (const Writer *writer, uint32_t rank, CtrPoint point, uint32_t kind)
{
  writer->nodes[writer->ends[rank]++] = (CtrCrackNode){point, kind};
}

/* The line with the western arm comes first. */
static void
write_diagonal (const Writer *writer, uint32_t rank, CtrPoint point, uint32_t mask)
{
  const uint32_t *lines = mask == RISING ? writer->rising : writer->falling;
  const uint32_t first = writer->kinds[lines[0]], second = writer->kinds[lines[1]];
  write_node (writer, rank, point, first == CTR_NODE_SOUTH ? CTR_NODE_SOUTH_CROSSED : first);
  write_node (writer, rank, point, second);
}

/* Both return about how many nodes they write. */
static uint32_t
write_steps (const Writer *writer, const Vertex *vertex, CtrPoint point)
{
  const Ranking ranking = rank_vertex (vertex);
  const uint32_t first = rank_at (&ranking, 0), second = rank_at (&ranking, 1), third = rank_at (&ranking, 2);
  const uint32_t but_one = writer->kinds[15 - bit_at (&ranking, 0)], only_one = writer->kinds[bit_at (&ranking, 3)];
  const uint32_t two = bit_at (&ranking, 2) | bit_at (&ranking, 3);
  /* The ranks above the first up to the second, and on from the third. */
  const uint32_t gap = third - second, end = rank_at (&ranking, 3) - gap;
  for (uint32_t rank = first + 1; rank <= end; rank++) {
    const bool lower = rank <= second;
    write_node (writer, rank + (lower ? 0 : gap), point, lower ? but_one : only_one);
  }
  if (is_diagonal (two))
    for (uint32_t rank = second + 1; rank <= third; rank++)
      write_diagonal (writer, rank, point, two);
  return rank_at (&ranking, 3) - first;
}

static uint32_t
write_equals (const Writer *writer, const Vertex *vertex, CtrPoint point)
{
  const Ranking ranking = rank_vertex (vertex);
  for (uint32_t i = 0, end; i < 4; i = end) {
    const uint32_t rank = rank_at (&ranking, i), mask = mask_of_equals (&ranking, i, &end);
    if (rank == 0)
      continue;
    if (is_diagonal (mask))
      write_diagonal (writer, rank, point, mask);
    else if (nodes_of (mask))
      write_node (writer, rank, point, writer->kinds[mask]);
  }
  return 4;
}

/* False where it is cancelled: one vertex may have nodes of thousands of levels, each of which goes elsewhere. */
static bool
write_nodes (CtrCrackNodes *nodes, const CtrImage *image, const CtrCracksPlan *plan)
{
  const bool equal = plan->mode == CTR_LEVELS_EQUAL;
  const Vertex *vertices = nodes->vertices.data, *vertex = vertices;
  const size_t *row_ends = nodes->row_ends.data;
  uint64_t work = 0;
  Writer writer;
  writer_init (&writer, nodes, plan->connectivity);
  for (uint32_t y = 0; y <= image->height; y++)
    for (const Vertex *end = vertices + row_ends[y]; vertex < end; vertex++) {
      const CtrPoint point = {vertex->x, (uint16_t) y};
      const uint32_t written = equal ? write_equals (&writer, vertex, point) : write_steps (&writer, vertex, point);
      if (ctr_poll (&work, written))
        return false;
    }
  return true;
}

/* Finds the vertices and counts their nodes. Each vertex has one or more: where there are too many vertices they are
 * counted on, but not kept. */
static bool
count_nodes (CtrCrackNodes *nodes, CtrSamples *samples, const CtrImage *image, const CtrCracksPlan *plan)
{
  const size_t row_length = image->width + 2 + STRIDE;
  size_t vertex_count = 0, *row_ends = nodes->row_ends.data, *counts = nodes->ends.data;
  uint16_t *above = nodes->ranks.data, *below = above + row_length;
  memset (above, 0, 2 * row_length * sizeof *above);
  memset (counts, 0, (plan->level_count + 2) * sizeof *counts);
  for (uint32_t y = 0; y <= image->height; y++) {
    if (ctr_cancelled ()
        || !ctr_buffer_reserve (&nodes->vertices, vertex_count + image->width + 1 + STRIDE, sizeof (Vertex)))
      return false;
    Vertex *vertices = (Vertex *) nodes->vertices.data + vertex_count;
    rank_row (samples, image, plan, y, below);
    const size_t found = find_vertices (above, below, image->width + 1, vertices);
    if (plan->mode == CTR_LEVELS_EQUAL)
      for (size_t i = 0; i < found; i++)
        count_equals (vertices + i, counts);
    else
      for (size_t i = 0; i < found; i++)
        count_steps (vertices + i, counts);
    row_ends[y] = vertex_count += found;
    if (vertex_count > plan->max_points)
      vertex_count = 0;
    uint16_t *const above_next = below;
    below = above;
    above = above_next;
  }
  return true;
}

/* From what count_nodes() left to each rank's first node, as Writer.ends has it before anything is written: so when
 * all is, they are the ends. False where there are too many. */
static bool
add_up (CtrCrackNodes *nodes, const CtrCracksPlan *plan)
{
  size_t *counts = nodes->ends.data, count = 0, first = 0;
  bool ok = true;
  counts[0] = 0;
  for (uint32_t rank = 1; rank <= plan->level_count; rank++) {
    count = plan->mode == CTR_LEVELS_EQUAL ? counts[rank] : count + counts[rank];
    ok = ok && count <= CTR_LEVEL_NODES_MAX;
    counts[rank] = first;
    first += count;
  }
  nodes->node_count = first;
  return ok && first <= CTR_CRACK_NODES_MAX && first <= plan->max_points;
}

bool
ctr_crack_nodes_find (CtrCrackNodes *nodes, CtrSamples *samples, const CtrImage *image, const CtrCracksPlan *plan)
{
  nodes->node_count = 0;
  return ctr_buffer_reserve (&nodes->ranks, 2 * ((size_t) image->width + 2 + STRIDE), sizeof (uint16_t))
         && ctr_buffer_reserve (&nodes->row_ends, (size_t) image->height + 1, sizeof (size_t))
         && ctr_buffer_reserve (&nodes->ends, (size_t) plan->level_count + 2, sizeof (size_t))
         && count_nodes (nodes, samples, image, plan) && add_up (nodes, plan)
         && ctr_buffer_reserve (&nodes->nodes, nodes->node_count, sizeof (CtrCrackNode))
         && write_nodes (nodes, image, plan);
}
