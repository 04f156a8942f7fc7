/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/cracks/corners.h"

#include "core/common/poll.h"

#include <string.h>

/* The pixels around a vertex, as bits of a mask. */
enum { UPPER_LEFT = 8, UPPER_RIGHT = 4, LOWER_LEFT = 2, LOWER_RIGHT = 1 };
enum { RISING = UPPER_RIGHT | LOWER_LEFT, FALLING = UPPER_LEFT | LOWER_RIGHT }; /* the diagonals */

typedef struct {
  uint16_t x;
  uint16_t level_indices[4]; /* of the pixels upper left, upper right, lower left, lower right */
} Vertex;

/* Vertices are tested in groups of this size, so rows of level indices have room for some more. */
enum { STRIDE = 4 };

void
ctr_crack_corners_release (CtrCrackCorners *corners)
{
  ctr_host_buffer_release (&corners->level_indices);
  ctr_host_buffer_release (&corners->vertices);
  ctr_host_buffer_release (&corners->row_ends);
  ctr_host_buffer_release (&corners->ends);
  ctr_host_buffer_release (&corners->corners);
}

/* Writes the level indices of row Y to LEVEL_INDICES[1 .. width]. Row HEIGHT is outside the image. */
static void
load_level_indices (
    CtrSamples *samples, const CtrImage *image, const CtrCracksPlan *plan, uint32_t y, uint16_t *level_indices)
{
  const bool zero = plan->frame == CTR_IMAGE_BORDER_ZERO;
  const uint16_t *level_index_of = plan->level_indices;
  if (y == image->height || (zero && (y == 0 || y == image->height - 1))) {
    memset (level_indices + 1, 0, image->width * sizeof *level_indices);
    return;
  }
  const void *row = ctr_samples_row (samples, image, y);
  if (image->format == CTR_FORMAT_GRAY16)
    for (uint32_t x = 0; x < image->width; x++)
      level_indices[x + 1] = level_index_of[((const uint16_t *) row)[x]];
  else
    for (uint32_t x = 0; x < image->width; x++)
      level_indices[x + 1] = level_index_of[((const uint8_t *) row)[x]];
  if (zero)
    level_indices[1] = level_indices[image->width] = 0;
}

static inline uint64_t
load_4 (const uint16_t *level_indices)
{
  uint64_t four;
  memcpy (&four, level_indices, sizeof four);
  return four;
}

/* Finds the vertices between two rows of level indices where contours may turn: those whose pixels are neither equal in
 * both columns nor in both rows. VERTICES has room for COUNT + STRIDE of them. */
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

/* The level indices of a vertex in ascending order, each followed by the bit of its pixel. */
typedef struct {
  uint32_t keys[4];
} SortedPixels;

static inline uint32_t
level_index_at (const SortedPixels *sorted, uint32_t i)
{
  return sorted->keys[i] >> 4;
}

static inline uint32_t
bit_at (const SortedPixels *sorted, uint32_t i)
{
  return sorted->keys[i] & 15;
}

static inline SortedPixels
sort_level_indices (const Vertex *vertex)
{
  SortedPixels sorted;
  uint32_t *keys = sorted.keys;
  for (uint32_t i = 0; i < 4; i++)
    keys[i] = (uint32_t) vertex->level_indices[i] << 4 | UPPER_LEFT >> i;
  order (keys, keys + 1);
  order (keys + 2, keys + 3);
  order (keys, keys + 2);
  order (keys + 1, keys + 3);
  order (keys + 1, keys + 2);
  return sorted;
}

static inline bool
is_diagonal (uint32_t mask)
{
  return mask == RISING || mask == FALLING;
}

/* The number of corners of a vertex with the foreground MASK. */
static inline uint32_t
corners_of (uint32_t mask)
{
  const uint32_t one = 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8 | 1 << 7 | 1 << 11 | 1 << 13 | 1 << 14;
  return is_diagonal (mask) ? 2 : one >> mask & 1;
}

/* The mask of the pixels with the same level index as the one at I, which end before *END. */
static inline uint32_t
mask_of_equals (const SortedPixels *sorted, uint32_t i, uint32_t *end)
{
  uint32_t mask = 0, next = i;
  while (next < 4 && level_index_at (sorted, next) == level_index_at (sorted, i))
    mask |= bit_at (sorted, next++);
  *end = next;
  return mask;
}

/* AT_LEAST: counts corners by level index, as differences from the previous level index. Above the lowest of the four
 * level indices and up to the second one, all pixels but one are foreground; up to the third one, two pixels are; up to
 * the highest one, one pixel is. */
static void
count_steps (const Vertex *vertex, size_t *counts)
{
  const SortedPixels sorted = sort_level_indices (vertex);
  const size_t middle = is_diagonal (bit_at (&sorted, 2) | bit_at (&sorted, 3)) ? 2 : 0;
  counts[level_index_at (&sorted, 0) + 1] += 1;
  counts[level_index_at (&sorted, 1) + 1] += middle - 1;
  counts[level_index_at (&sorted, 2) + 1] += 1 - middle;
  counts[level_index_at (&sorted, 3) + 1] -= 1;
}

static void
count_equals (const Vertex *vertex, size_t *counts)
{
  const SortedPixels sorted = sort_level_indices (vertex);
  for (uint32_t i = 0, end; i < 4; i = end)
    counts[level_index_at (&sorted, i)] += corners_of (mask_of_equals (&sorted, i, &end));
}

/* The destination of corners, and their kinds. */
typedef struct {
  CtrCrackCorner *corners;
  size_t *ends; /* by level index: where its next corner goes */
  uint32_t kinds[16];
  uint32_t rising[2], falling[2]; /* masks of the two corners if a diagonal is foreground */
} Writer;

static void
writer_init (Writer *writer, const CtrCrackCorners *corners, CtrConnectivity connectivity)
{
  const bool joined = connectivity == CTR_CONNECTIVITY_8;
  *writer = (Writer){
      .corners = corners->corners.data,
      .ends = corners->ends.data,
      .kinds =
          {
              [LOWER_RIGHT] = CTR_CORNER_SOUTH,
              [LOWER_LEFT] = CTR_CORNER_SOUTH,
              [UPPER_RIGHT] = CTR_CORNER_NORTH,
              [UPPER_LEFT] = CTR_CORNER_NORTH,
              [15 - LOWER_RIGHT] = CTR_CORNER_SOUTH_HOLE,
              [15 - LOWER_LEFT] = CTR_CORNER_SOUTH,
              [15 - UPPER_RIGHT] = CTR_CORNER_NORTH,
              [15 - UPPER_LEFT] = CTR_CORNER_NORTH,
          },
      .rising = {joined ? 15 - UPPER_LEFT : LOWER_LEFT, joined ? 15 - LOWER_RIGHT : UPPER_RIGHT},
      .falling = {joined ? 15 - LOWER_LEFT : UPPER_LEFT, joined ? 15 - UPPER_RIGHT : LOWER_RIGHT},
  };
}

static inline void
write_corner (const Writer *writer, uint32_t level_index, CtrPoint point, uint32_t kind)
{
  writer->corners[writer->ends[level_index]++] = (CtrCrackCorner){point, kind};
}

/* Writes the two corners of a diagonal, the one with the western arm first. */
static void
write_diagonal (const Writer *writer, uint32_t level_index, CtrPoint point, uint32_t mask)
{
  const uint32_t *lines = mask == RISING ? writer->rising : writer->falling;
  const uint32_t first = writer->kinds[lines[0]], second = writer->kinds[lines[1]];
  write_corner (writer, level_index, point, first == CTR_CORNER_SOUTH ? CTR_CORNER_SOUTH_CROSSED : first);
  write_corner (writer, level_index, point, second);
}

/* Both return approximately the number of corners they write. */
static uint32_t
write_steps (const Writer *writer, const Vertex *vertex, CtrPoint point)
{
  const SortedPixels sorted = sort_level_indices (vertex);
  const uint32_t first = level_index_at (&sorted, 0), second = level_index_at (&sorted, 1),
                 third = level_index_at (&sorted, 2);
  const uint32_t but_one = writer->kinds[15 - bit_at (&sorted, 0)], only_one = writer->kinds[bit_at (&sorted, 3)];
  const uint32_t two = bit_at (&sorted, 2) | bit_at (&sorted, 3);
  /* The level indices above the first one up to the second one, and from the third one on. */
  const uint32_t gap = third - second, end = level_index_at (&sorted, 3) - gap;
  for (uint32_t level_index = first + 1; level_index <= end; level_index++) {
    const bool lower = level_index <= second;
    write_corner (writer, level_index + (lower ? 0 : gap), point, lower ? but_one : only_one);
  }
  if (is_diagonal (two))
    for (uint32_t level_index = second + 1; level_index <= third; level_index++)
      write_diagonal (writer, level_index, point, two);
  return level_index_at (&sorted, 3) - first;
}

static uint32_t
write_equals (const Writer *writer, const Vertex *vertex, CtrPoint point)
{
  const SortedPixels sorted = sort_level_indices (vertex);
  for (uint32_t i = 0, end; i < 4; i = end) {
    const uint32_t level_index = level_index_at (&sorted, i), mask = mask_of_equals (&sorted, i, &end);
    if (level_index == 0)
      continue;
    if (is_diagonal (mask))
      write_diagonal (writer, level_index, point, mask);
    else if (corners_of (mask))
      write_corner (writer, level_index, point, writer->kinds[mask]);
  }
  return 4;
}

/* False if the work is cancelled: a vertex may have corners of thousands of levels, which are written far apart. */
static bool
write_corners (CtrCrackCorners *corners, const CtrImage *image, const CtrCracksPlan *plan)
{
  const bool equal = plan->mode == CTR_LEVELS_EQUAL;
  const Vertex *vertices = corners->vertices.data, *vertex = vertices;
  const size_t *row_ends = corners->row_ends.data;
  uint64_t work = 0;
  Writer writer;
  writer_init (&writer, corners, plan->connectivity);
  for (uint32_t y = 0; y <= image->height; y++)
    for (const Vertex *end = vertices + row_ends[y]; vertex < end; vertex++) {
      const CtrPoint point = {vertex->x, (uint16_t) y};
      const uint32_t written = equal ? write_equals (&writer, vertex, point) : write_steps (&writer, vertex, point);
      if (ctr_poll (&work, written))
        return false;
    }
  return true;
}

/* Finds the vertices and counts their corners. Each vertex has at least one corner, so vertices beyond max_points are
 * counted but not kept. */
static bool
count_corners (CtrCrackCorners *corners, CtrSamples *samples, const CtrImage *image, const CtrCracksPlan *plan)
{
  const size_t row_length = image->width + 2 + STRIDE;
  size_t vertex_count = 0, *row_ends = corners->row_ends.data, *counts = corners->ends.data;
  uint16_t *above = corners->level_indices.data, *below = above + row_length;
  memset (above, 0, 2 * row_length * sizeof *above);
  memset (counts, 0, (plan->level_count + 2) * sizeof *counts);
  for (uint32_t y = 0; y <= image->height; y++) {
    if (ctr_cancelled ()
        || !ctr_host_buffer_reserve (&corners->vertices, vertex_count + image->width + 1 + STRIDE, sizeof (Vertex)))
      return false;
    Vertex *vertices = (Vertex *) corners->vertices.data + vertex_count;
    load_level_indices (samples, image, plan, y, below);
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

/* Turns the counts of count_corners() into the first corner of each level index, which write_corners() advances to its
 * end. False if there are too many corners. */
static bool
add_up (CtrCrackCorners *corners, const CtrCracksPlan *plan)
{
  size_t *counts = corners->ends.data, count = 0, first = 0;
  bool ok = true;
  counts[0] = 0;
  for (uint32_t level_index = 1; level_index <= plan->level_count; level_index++) {
    count = plan->mode == CTR_LEVELS_EQUAL ? counts[level_index] : count + counts[level_index];
    ok = ok && count <= CTR_LEVEL_CORNERS_MAX;
    counts[level_index] = first;
    first += count;
  }
  corners->corner_count = first;
  return ok && first <= CTR_CRACK_CORNERS_MAX && first <= plan->max_points;
}

bool
ctr_crack_corners_find (CtrCrackCorners *corners, CtrSamples *samples, const CtrImage *image, const CtrCracksPlan *plan)
{
  corners->corner_count = 0;
  return ctr_host_buffer_reserve (&corners->level_indices, 2 * ((size_t) image->width + 2 + STRIDE), sizeof (uint16_t))
         && ctr_host_buffer_reserve (&corners->row_ends, (size_t) image->height + 1, sizeof (size_t))
         && ctr_host_buffer_reserve (&corners->ends, (size_t) plan->level_count + 2, sizeof (size_t))
         && count_corners (corners, samples, image, plan) && add_up (corners, plan)
         && ctr_host_buffer_reserve (&corners->corners, corners->corner_count, sizeof (CtrCrackCorner))
         && write_corners (corners, image, plan);
}
