/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/cracks/corners.h"

#include "core/common/poll.h"
#include "cpu/common/bands.h"
#include "cpu/cracks/patterns.h"
#include "cpu/cracks/vertices.h"

#include <stdlib.h>
#include <string.h>

/* The smallest bands that are worth another thread: each band counts the corners of each level. */
enum { MIN_BAND_PIXELS = 1 << 15, MIN_BAND_PIXELS_OF_LEVEL = 32 };

/* Some bands have more corners than others. */
enum { BANDS_PER_THREAD = 3 };

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
sort_level_indices (const CtrCrackVertex *vertex)
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

/* Counts of corners by level index: COUNTERS of them, which have to be added up, so that counting need not wait for the
 * last vertex to be counted. With many levels, all are the same one. */
enum { COUNTERS = 4 };

typedef struct {
  size_t *counts[COUNTERS];
} Counters;

/* AT_LEAST: counts corners by level index, as differences from the previous level index. Above the lowest of the four
 * level indices and up to the second one, all pixels but one are foreground; up to the third one, two pixels are; up to
 * the highest one, one pixel is. */
static inline void
count_steps (const CtrCrackVertex *vertex, const Counters *counters)
{
  const SortedPixels sorted = sort_level_indices (vertex);
  const size_t middle = is_diagonal (bit_at (&sorted, 2) | bit_at (&sorted, 3)) ? 2 : 0;
  counters->counts[0][level_index_at (&sorted, 0) + 1] += 1;
  counters->counts[1][level_index_at (&sorted, 1) + 1] += middle - 1;
  counters->counts[2][level_index_at (&sorted, 2) + 1] += 1 - middle;
  counters->counts[3][level_index_at (&sorted, 3) + 1] -= 1;
}

#define GROUPS_OF(patterns, vertex)                                                                     \
  ((patterns)->of                                                                                       \
      + pattern_of ((vertex)->level_indices[0], (vertex)->level_indices[1], (vertex)->level_indices[2], \
          (vertex)->level_indices[3]))

/* EQUAL, for vertices of either type. */
#define DEFINE_COUNT_EQUALS(NAME, VERTEX)                                                             \
  static inline void NAME (const VERTEX *vertex, const Patterns *patterns, const Counters *counters)  \
  {                                                                                                   \
    const Groups *groups = GROUPS_OF (patterns, vertex);                                              \
    for (uint32_t i = 0; i < groups->count; i++)                                                      \
      counters->counts[i][vertex->level_indices[groups->pixels[i]]] += corners_of (groups->masks[i]); \
  }

DEFINE_COUNT_EQUALS (count_equals, CtrCrackVertex)
DEFINE_COUNT_EQUALS (count_labels, CtrLabelVertex)

/* The foreground at a vertex if there is one level. */
static inline uint32_t
mask_of (const CtrCrackVertex *vertex)
{
  const uint16_t *indices = vertex->level_indices;
  return indices[0] * UPPER_LEFT | indices[1] * UPPER_RIGHT | indices[2] * LOWER_LEFT | indices[3] * LOWER_RIGHT;
}

static void
count_vertices (
    const void *list, size_t found, const CtrCracksPlan *plan, const Patterns *patterns, const Counters *counters)
{
  const CtrCrackVertex *vertices = list;
  if (plan->labels) {
    for (size_t i = 0; i < found; i++)
      count_labels ((const CtrLabelVertex *) list + i, patterns, counters);
  } else if (plan->level_count == 1) {
    size_t count = 0;
    for (size_t i = 0; i < found; i++)
      count += corners_of (mask_of (vertices + i));
    counters->counts[0][1] += count;
  } else if (plan->mode == CTR_LEVELS_EQUAL) {
    for (size_t i = 0; i < found; i++)
      count_equals (vertices + i, patterns, counters);
  } else {
    for (size_t i = 0; i < found; i++)
      count_steps (vertices + i, counters);
  }
}

/* The destination of corners, and their kinds. */
typedef struct {
  CtrCrackCorner *corners;
  size_t *ends; /* by level index: where its next corner goes */
  uint32_t kinds[16];
  uint32_t rising[2], falling[2]; /* masks of the two corners if a diagonal is foreground */
} Writer;

static void
writer_init (Writer *writer, CtrCrackCorner *corners, size_t *ends, CtrConnectivity connectivity)
{
  const bool joined = connectivity == CTR_CONNECTIVITY_8;
  *writer = (Writer){
      .corners = corners,
      .ends = ends,
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
write_steps (const Writer *writer, const CtrCrackVertex *vertex, CtrPoint point)
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

/* Without a branch, which would be mispredicted, but for diagonals. */
#define DEFINE_WRITE_EQUALS(NAME, VERTEX)                                                                     \
  static uint32_t NAME (const Writer *writer, const Patterns *patterns, const VERTEX *vertex, CtrPoint point) \
  {                                                                                                           \
    const Groups *groups = GROUPS_OF (patterns, vertex);                                                      \
    CtrCrackCorner none;                                                                                      \
    for (uint32_t i = 0; i < groups->count; i++) {                                                            \
      const uint32_t level_index = vertex->level_indices[groups->pixels[i]], mask = groups->masks[i];         \
      if (is_diagonal (mask)) {                                                                               \
        if (level_index > 0)                                                                                  \
          write_diagonal (writer, level_index, point, mask);                                                  \
      } else {                                                                                                \
        *(level_index ? writer->corners + writer->ends[level_index] : &none) =                                \
            (CtrCrackCorner){point, writer->kinds[mask]};                                                     \
        writer->ends[level_index] += level_index > 0;                                                         \
      }                                                                                                       \
    }                                                                                                         \
    return 4;                                                                                                 \
  }

DEFINE_WRITE_EQUALS (write_equals, CtrCrackVertex)
DEFINE_WRITE_EQUALS (write_labels, CtrLabelVertex)

static uint32_t
write_only (const Writer *writer, const CtrCrackVertex *vertex, CtrPoint point)
{
  const uint32_t mask = mask_of (vertex);
  if (is_diagonal (mask))
    write_diagonal (writer, 1, point, mask);
  else
    write_corner (writer, 1, point, writer->kinds[mask]);
  return 2;
}

/* The rows of vertices from TOP to before END. */
typedef struct {
  uint32_t top, end;
  bool ok;                  /* the last pass was neither cancelled nor without memory */
  CtrHostBuffer level_rows; /* two rows of level indices */
  CtrHostBuffer vertices;   /* CtrCrackVertex or CtrLabelVertex, where contours may turn, in raster order */
  CtrHostBuffer row_ends;   /* size_t, by row of vertices: one after its last vertex */
  CtrHostBuffer ends;       /* size_t, by level index: first a count of corners, later where the next corner goes */
  char padding[64];         /* Different threads write different bands. */
} Band;

typedef struct {
  CtrCrackCorners *corners;
  const CtrImage *image;
  const CtrCracksPlan *plan;
  size_t vertex_count; /* atomic, of all bands */
} Work;

void
ctr_crack_corners_release (CtrCrackCorners *corners)
{
  Band *bands = corners->bands;
  for (uint32_t i = 0; i < corners->band_room; i++) {
    ctr_host_buffer_release (&bands[i].level_rows);
    ctr_host_buffer_release (&bands[i].vertices);
    ctr_host_buffer_release (&bands[i].row_ends);
    ctr_host_buffer_release (&bands[i].ends);
  }
  free (bands);
  corners->bands = NULL;
  corners->band_room = 0;
  ctr_host_buffer_release (&corners->ends);
  ctr_host_buffer_release (&corners->corners);
}

bool
ctr_crack_corners_give_back (CtrCrackCorners *corners)
{
  Band *bands = corners->bands;
  bool some = ctr_host_buffer_give_back (&corners->ends);
  some |= ctr_host_buffer_give_back (&corners->corners);
  for (uint32_t i = 0; i < corners->band_room; i++) {
    some |= ctr_host_buffer_give_back (&bands[i].level_rows);
    some |= ctr_host_buffer_give_back (&bands[i].vertices);
    some |= ctr_host_buffer_give_back (&bands[i].row_ends);
    some |= ctr_host_buffer_give_back (&bands[i].ends);
  }
  return some;
}

/* Divides the rows of vertices into as many bands as are useful on THREADS. */
static bool
make_bands (CtrCrackCorners *corners, const CtrImage *image, const CtrCracksPlan *plan, unsigned threads)
{
  const uint64_t min_pixels = MIN_BAND_PIXELS + MIN_BAND_PIXELS_OF_LEVEL * (uint64_t) plan->level_count;
  const uint32_t count = ctr_band_count (image->width, image->height, threads, BANDS_PER_THREAD,
      min_pixels < UINT32_MAX ? (uint32_t) min_pixels : UINT32_MAX);
  if (count > corners->band_room) {
    Band *more = realloc (corners->bands, count * sizeof *more);
    if (!more)
      return false;
    memset (more + corners->band_room, 0, (count - corners->band_room) * sizeof *more);
    corners->bands = more;
    corners->band_room = count;
  }
  corners->band_count = count;
  for (uint32_t i = 0; i < count; i++) {
    ((Band *) corners->bands)[i].top = ctr_band_first (image->height + 1, count, i);
    ((Band *) corners->bands)[i].end = ctr_band_first (image->height + 1, count, i + 1);
  }
  return true;
}

/* Finds the vertices of a band and counts their corners. Each vertex has at least one corner, so vertices beyond
 * max_points are counted but not kept. */
static bool
count_corners (Work *work, Band *band)
{
  const CtrImage *image = work->image;
  const CtrCracksPlan *plan = work->plan;
  const size_t row_bytes = ctr_level_row_bytes (plan, image->width);
  const size_t count_size = (size_t) plan->level_count + 2;
  const uint32_t counter_count = plan->level_count < 256 ? COUNTERS : 1;
  const size_t vertex_size = ctr_vertex_size (plan);
  size_t vertex_count = 0, *counts, *row_ends;
  Counters counters;
  Patterns patterns;
  CtrSamples samples; /* only its row */
  if (!ctr_host_buffer_reserve (&band->level_rows, 2 * row_bytes, 1)
      || !ctr_host_buffer_reserve (&band->row_ends, band->end - band->top, sizeof (size_t))
      || !ctr_host_buffer_reserve (&band->ends, counter_count * count_size, sizeof (size_t)))
    return false;
  uint8_t *above = band->level_rows.data, *below = above + row_bytes;
  counts = band->ends.data;
  row_ends = band->row_ends.data;
  patterns_init (&patterns);
  memset (above, 0, 2 * row_bytes);
  memset (counts, 0, counter_count * count_size * sizeof *counts);
  for (uint32_t i = 0; i < COUNTERS; i++)
    counters.counts[i] = counts + (i < counter_count ? i * count_size : 0);
  if (band->top > 0)
    ctr_load_level_row (&samples, image, plan, band->top - 1, above);
  for (uint32_t y = band->top; y < band->end; y++) {
    if (ctr_cancelled ()
        || !ctr_host_buffer_reserve (&band->vertices, vertex_count + image->width + 1 + CTR_VERTEX_GROUP, vertex_size))
      return false;
    void *vertices = (uint8_t *) band->vertices.data + vertex_count * vertex_size;
    ctr_load_level_row (&samples, image, plan, y, below);
    const size_t found = ctr_find_vertices (plan, above, below, image->width, vertices);
    count_vertices (vertices, found, plan, &patterns, &counters);
    row_ends[y - band->top] = vertex_count += found;
    if (__atomic_add_fetch (&work->vertex_count, found, __ATOMIC_RELAXED) > plan->max_points)
      vertex_count = 0;
    uint8_t *const above_next = below;
    below = above;
    above = above_next;
  }
  for (uint32_t k = 1; k < counter_count; k++)
    for (size_t i = 0; i < count_size; i++)
      counts[i] += counters.counts[k][i];
  return true;
}

static void
count_corners_of_band (void *context, uint32_t index)
{
  Work *work = context;
  Band *band = (Band *) work->corners->bands + index;
  band->ok = count_corners (work, band);
}

/* Turns the counts of the bands into the first corner of each level index in each band, which write_corners() advances
 * to its end. False if there are too many corners or the work is cancelled. */
static bool
add_up (CtrCrackCorners *corners, const CtrCracksPlan *plan)
{
  Band *bands = corners->bands;
  size_t *ends = corners->ends.data, first = 0;
  uint64_t operations = 0;
  bool ok = true;
  ends[0] = 0;
  for (uint32_t level_index = 1; level_index <= plan->level_count; level_index++) {
    size_t count = 0;
    if (ctr_poll (&operations, corners->band_count))
      return false;
    for (uint32_t i = 0; i < corners->band_count; i++) {
      size_t *of_band = bands[i].ends.data, of_level = of_band[level_index];
      /* With AT_LEAST these are differences, which the element before adds up. */
      if (plan->mode != CTR_LEVELS_EQUAL)
        of_level += of_band[0];
      of_band[0] = of_level;
      of_band[level_index] = first + count;
      count += of_level;
    }
    ok = ok && count <= CTR_LEVEL_CORNERS_MAX;
    first += count;
    ends[level_index] = first;
  }
  corners->corner_count = first;
  return ok && first <= CTR_CRACK_CORNERS_MAX && first <= plan->max_points;
}

/* How corners are written. */
typedef enum { WRITE_ONLY, WRITE_STEPS, WRITE_EQUALS, WRITE_LABELS } Writing;

static Writing
writing_of (const CtrCracksPlan *plan)
{
  return plan->labels                     ? WRITE_LABELS
         : plan->level_count == 1         ? WRITE_ONLY
         : plan->mode == CTR_LEVELS_EQUAL ? WRITE_EQUALS
                                          : WRITE_STEPS;
}

/* Writes the corners of the vertex at INDEX. */
static inline uint32_t
write_vertex (
    const Writer *writer, const Patterns *patterns, const void *list, size_t index, uint32_t y, Writing writing)
{
  if (writing == WRITE_LABELS) {
    const CtrLabelVertex *vertex = (const CtrLabelVertex *) list + index;
    return write_labels (writer, patterns, vertex, (CtrPoint){vertex->x, (uint16_t) y});
  }
  const CtrCrackVertex *vertex = (const CtrCrackVertex *) list + index;
  const CtrPoint point = {vertex->x, (uint16_t) y};
  return writing == WRITE_ONLY     ? write_only (writer, vertex, point)
         : writing == WRITE_EQUALS ? write_equals (writer, patterns, vertex, point)
                                   : write_steps (writer, vertex, point);
}

/* False if the work is cancelled: a vertex may have corners of thousands of levels, which are written far apart. */
static bool
write_corners (const Work *work, const Band *band)
{
  const Writing writing = writing_of (work->plan);
  const size_t *row_ends = band->row_ends.data;
  const void *vertices = band->vertices.data;
  uint64_t operations = 0;
  size_t i = 0;
  Patterns patterns;
  Writer writer;
  patterns_init (&patterns);
  writer_init (&writer, work->corners->corners.data, band->ends.data, work->plan->connectivity);
  for (uint32_t y = band->top; y < band->end; y++)
    for (; i < row_ends[y - band->top]; i++)
      if (ctr_poll (&operations, write_vertex (&writer, &patterns, vertices, i, y, writing)))
        return false;
  return true;
}

static void
write_corners_of_band (void *context, uint32_t index)
{
  const Work *work = context;
  Band *band = (Band *) work->corners->bands + index;
  band->ok = write_corners (work, band);
}

/* Was the last pass over the bands a success? */
static bool
bands_ok (const CtrCrackCorners *corners)
{
  for (uint32_t i = 0; i < corners->band_count; i++)
    if (!((const Band *) corners->bands)[i].ok)
      return false;
  return true;
}

bool
ctr_crack_corners_find (CtrCrackCorners *corners, const CtrImage *image, const CtrCracksPlan *plan, unsigned threads)
{
  Work work = {.corners = corners, .image = image, .plan = plan};
  corners->corner_count = 0;
  if (!make_bands (corners, image, plan, threads)
      || !ctr_host_buffer_reserve (&corners->ends, (size_t) plan->level_count + 1, sizeof (size_t)))
    return false;
  ctr_parallel_for (threads, corners->band_count, count_corners_of_band, &work);
  if (!bands_ok (corners) || !add_up (corners, plan)
      || !ctr_host_buffer_reserve (&corners->corners, corners->corner_count, sizeof (CtrCrackCorner)))
    return false;
  ctr_parallel_for (threads, corners->band_count, write_corners_of_band, &work);
  return bands_ok (corners);
}
