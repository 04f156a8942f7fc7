/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Border following on the GPU: the data that passes between its kernels, and the order of the kernels.
 *
 * A border is a ring of passages. A passage is a foreground pixel and the side ("slot") on which the border passes it:
 * direction 2 * slot is the first of east, north, west and south in a run of background neighbours. Where foreground is
 * 4-connected, it is the one of them that the border comes from. The pixel's eight neighbours determine the next passage,
 * so no thread follows a border. A ring starts at its smallest key: the position of an outer border's first pixel in raster
 * order, or of a hole's first background pixel. Only passages whose eight neighbours allow a start have a key.
 *
 *   borders.cu     memory and launches, on the host
 *   capacity.cuh   what the next frames have room and kernels for, on the host
 *   tile.cuh       a tile in shared memory
 *   tiles.cu       foreground bits; the passages of each tile; chains of passages inside a tile become segments,
 *                  open ones from a passage that is entered from another tile to where the border leaves this one, or closed:
 *                  whole rings. Of a segment's keys only the smallest goes further, with the number of points before it.
 *   finish.cu      all that is behind the tiles, in one cluster, for few contours without limits
 *   segments.cu    segments linked from tile to tile; where there are few, one CTA or cluster goes on to the contour numbers
 *   links.cuh      one segment linked, or found at a pixel
 *   row.cuh        a row of the table
 *   measures.cuh, chunk_measures.cuh   measures, by shares of the rows or of the points
 *   assemble.cu    keys to contour numbers, lengths to offsets, passages to points, points to measures
 *   hierarchy.cu   who is inside whom, which contours have a row
 *   siblings.cuh   contours with the same parent, and the order of the tree
 *   shapes.cu      the shapes of the rows
 *   select.cu      limits on the rows' numbers, and the rows that remain
 *   subpixel.cu    where the edge is beside each point
 *   simplify.cu    with cuda/contours/simplify.cuh: the points that are left of each contour
 * and cuda/contours/list_ranking.cu, segments to rings. The headers there have kernels that level contours share.
 * Directions: 0 east, 1 north-east, 2 north .. 7 south-east.
 *
 * Longer than 500 lines: all kernels share it.
 */
#ifndef CTR_CUDA_BORDERS_DEVICE_STATE_CUH
#define CTR_CUDA_BORDERS_DEVICE_STATE_CUH

#include "cuda/common/device_buffer.cuh"
#include "cuda/contours/contour_kernels.cuh"
#include "cuda/contours/list_ranking.cuh"
#include "cuda/contours/radix_sort.cuh"
#include "cuda/contours/simplify.cuh"

#include "core/borders/borders.h"
#include "core/foreground/regions.h"

constexpr int BORDERS_TILE = 64, BORDERS_TILE_WORDS = BORDERS_TILE / 32;

/* Scans over the contours. */
enum {
  SCAN_MEASURED,
  SCAN_SIBLINGS,
  SCAN_SIBLING_POINTS,
  SCAN_SELECTED,
  SCAN_OFFSETS,
  SCAN_REMAINING,
  SCAN_REMAINING_POINTS,
  BORDERS_SCANS
};

constexpr uint32_t COUNT_SHARE = 2048;                     /* words whose keys a CTA counts */
constexpr uint32_t FEW_CONTOURS = 1024, FEW_POINTS = 8192; /* that one CTA takes alone */
constexpr uint32_t CLUSTER_CTAS = 8,
                   CLUSTER_SEGMENTS = CLUSTER_CTAS * 1024; /* that a cluster takes in place of one CTA */
constexpr uint32_t FINISH_CONTOURS = 256;                  /* that the finish kernel takes */
constexpr uint32_t MOST_AROUND = 64; /* contours around one, unless kernels for any number are queued */

/* Of an open segment's maker_data: its next segment is not known yet, but the position of that one's first passage, and its slot. Below
 * these: points before the segment's key. */
constexpr uint32_t SEGMENT_UNLINKED = 1u << 31;
constexpr int SEGMENT_SLOT = 16;
/* Of by_passage.segment: the ring is one closed segment. Closed segments have numbers of their own. */
constexpr uint32_t SEGMENT_CLOSED = 1u << 31;
/* Of unselected.ranks: the row remains. */
constexpr uint32_t ROW_REMAINS = 1u << 31;
/* Of by_passage.position: the passage's pixel is a point of the result. */
constexpr uint32_t PASSAGE_KEPT = 1u << 15;

/* As many can be numbered beside these flags. Only a picture of more than 2^29 pixels can have more. */
#ifndef CTR_BORDERS_MOST_PASSAGES
#define CTR_BORDERS_MOST_PASSAGES INT32_MAX
#endif
constexpr uint32_t MOST_FRAME_PASSAGES = CTR_BORDERS_MOST_PASSAGES;

enum BordersLack { LACKS_MANY_SEGMENTS = 1, LACKS_MANY_CONTOURS = 2 };

/* What a frame needs, whether or not there is room for it. */
struct __align__ (16) BordersHeader
{
  uint32_t passages, open, closed; /* passages; open and closed segments */
  uint32_t contours;               /* in the result */
  uint32_t all_contours;           /* in the image */
  uint32_t points;
  uint32_t threshold;
  uint32_t incomplete;       /* BordersLack: kernels that the frame needs were not queued */
  uint32_t unmeasured;       /* The kernels for many points were not queued. */
  uint32_t done_by_one_cta;  /* One CTA, or a cluster, has ranked the segments and numbered the contours. */
  uint32_t rows, row_points; /* contours and points before limits on numbers and simplification; 0 without these */
  uint32_t too_deep;   /* A contour has more than MOST_AROUND around it, and the kernels for that were not queued. */
  uint32_t too_many;   /* There are more passages than MOST_FRAME_PASSAGES: the counts above mean nothing. */
  uint32_t unfinished; /* The finish kernel does not take so many segments, contours or passages. */
};

/* What the tiles have found so far. Zero when a frame begins: the few kernel moves it into the header; that of links does, too, and the
 * kernel that counts starts clears it; or the finish kernel does. */
struct BordersFound {
  uint32_t passages, open, closed;
  uint32_t too_many; /* As in the header. The count may have wrapped around since. */
};

struct BordersCounters {
  BordersHeader header;
  uint32_t count_ticket, scan_tickets[BORDERS_SCANS], point_ticket;
  uint32_t family_count;                     /* that have a number */
  uint32_t ranked_segments, ranked_contours; /* that the list ranking ranks; 0: one CTA, or a cluster, has done so */
  uint32_t shape_rows;                       /* that contours whose shapes CTAs find have taken of device memory */
  struct {
    uint32_t done; /* The others are set. */
    uint32_t rows, points, remaining_rows, remaining_points;
  } select;
  uint32_t decided; /* CTAs that have decided which of their rows remain, with selects_rows */
  SimplifyCounters simplify;
};

/* The arguments of all kernels, by value. Only the tile kernel's have the picture, its threshold on the device and the
 * memory of the result, which are others with every frame. Pointers are to device memory; "by_X" says what indexes the arrays.
 * Contours are numbered in descending order of their keys, OpenCV's order for RETR_LIST. */
struct BordersKernelArgs {
  const uint8_t *pixels;
  size_t stride;
  uint32_t width, height;
  uint32_t depth; /* bits of a sample: 8 or 16 */
  uint32_t threshold;
  const uint32_t *threshold_device; /* takes the place of threshold; or NULL */
  uint32_t *applied_threshold;      /* to which the tile kernel copies the one of them that it takes */
  uint32_t invert;
  uint32_t simple; /* CTR_APPROXIMATION_SIMPLE */
  uint32_t mode;   /* CtrRetrieval */
  uint32_t four_connected;

  /* Words of 32 pixels, the leftmost in bit 0. */
  struct {
    uint32_t per_row; /* an even number */
    uint32_t *foreground;
    uint32_t *starts;        /* bits: keys of rings. Not used where one CTA numbers the contours. */
    uint32_t *starts_before; /* keys in all earlier words */
    uint32_t *first_passage; /* number of the word's first passage. A word's passages are numbered pixel by pixel. */
  } by_word;

  BordersFound *found;
  BordersCounters *counters; /* The few kernel sets or clears them all. */
  uint32_t tiles_x, tiles_y;
  uint32_t many_segments, many_points; /* The kernels for these are queued. */
  uint32_t many_contours;              /* Likewise, in place of that for few, with borders_reorders(). */
  uint32_t clustered;                  /* A cluster takes the place of one CTA for few segments. */
  uint32_t deep;                       /* With many_contours, any number of contours may be around one. */

  struct {
    uint32_t capacity;
    uint32_t *place;   /* x | y << 16 */
    uint32_t *segment; /* SEGMENT_CLOSED */
    uint16_t
        *position; /* points before the passage in its segment; PASSAGE_KEPT. Shapes use the memory, a word each. */
  } by_passage;

  ListRanking ranking; /* of the open segments */
  struct {
    uint32_t closed_capacity;
    uint2 *closed_key_length;
    /* Of each open and each closed segment: its contour; points from its first one to the start of the ring. */
    uint2 *open_contour, *closed_contour;
  } by_segment;

  uint32_t contour_capacity;
  struct {
    uint32_t *lengths, *keys; /* points; key of the start */
    uint32_t *rows;           /* NO_CONTOUR where the contour is dropped. NULL: row and number are equal. */
    /* Index of the first point; points. NULL unless contours are rows in their order, or borders_places_rows(). */
    uint2 *spans;
  } by_contour;
  struct {
    uint32_t *contours;               /* NULL: row and number are equal */
    uint32_t *lengths, *keys;         /* then those by contour */
    uint32_t *firsts;                 /* index of the first point */
    ContourAccumulator *accumulators; /* by contour while limits decide which contours stay */
    uint32_t *long_parts; /* by the first point / LONG_POINTS of a longer contour: its parts that are measured */
  } by_row;
  unsigned long long *count_states, *scan_states[BORDERS_SCANS];
  uint32_t count_ctas;

  /* Limits. */
  uint32_t limited;
  uint64_t min_area2, max_area2, min_length;
  uint32_t min_width, min_height;
  CtrPoint *all_points; /* of contours that may be dropped */

  ContourHierarchyArgs hierarchy;
  /* By contour: the number of its children's family, from 1 on; 0: it has none, ~0: it is being numbered. */
  uint32_t *family_of_children;
  RadixSort siblings; /* contours by families; with limits also rows by parents, with the second one of the counters */
  RadixCounters *sibling_counters; /* two; the kernel that finds neighbours clears them */
  uint32_t *traversal;             /* contours in pre-order of the hierarchy, before any is dropped */
  ListRanking traversal_ranking;   /* deep: of the ring that visits all contours in this order */
  /* Not deep. By contour; what is inside of a contour includes itself. */
  struct {
    unsigned long long *inside; /* contours inside, in the upper half; their points */
    /* Contours and points that come before it, the families one after the other; contours inside of the sibling before, or 0; whether it
     * is the last sibling. */
    uint4 *before;
    uint2 *before_family; /* likewise before its first child */
    uint4
        *links; /* by row, with borders_places_rows(), or NULL: the rows next, previous, child, parent, or NO_CONTOUR */
  } in_tree;

  /* With limits on numbers, which leave some rows: all rows, and those that remain. */
  uint32_t selecting;
  uint32_t selects_rows; /* All limits are on numbers of the row itself: only rows that remain get into a table. */
  struct {
    CtrContour *table;
    CtrPoint *points;
    CtrContourSums *sums;
    CtrContourShape *shapes;
    CtrContourFits *fits;
    uint32_t *ranks;   /* by row: remaining rows before it; ROW_REMAINS */
    uint32_t *firsts;  /* by row that remains: its first point among those that remain */
    uint32_t *parents; /* by row: row of the next remaining contour around it, or NO_PARENT. SAME_PARENT_AS */
    uint32_t *rows;    /* by remaining row: the row */
  } unselected;

  uint32_t simplifying;
  SimplifyArgs simplify; /* of the contours of the result before */

  ContourOutput frame_output; /* which the tile kernel copies to *output */
  ContourOutput *output;
  uint32_t shape_features;    /* of CtrContourShape */
  int64_t feret_direction[2]; /* of feret_extent */
  uint32_t summing;           /* This pass clears and adds up these sums: SUMMING_MOMENTS, SUMMING_FITS. */
  uint32_t measuring;         /* This pass measures the points. */
  uint32_t final;             /* This pass writes the result's points. */
  uint32_t point_capacity;

  /* With regions, whose atlas is analysed; places NULL: without. */
  struct {
    const CtrAtlasRegion *places;
    uint32_t count;
  } regions;
};

/* Is there room for all passages and segments? If not, the frame is done again. Here and below, all is compared without a branch, so
 * that the loads overlap. */
template <typename Found>
__device__ inline bool
fit (const BordersKernelArgs &f, const Found &found)
{
  return (found.too_many == 0) & (found.passages <= f.by_passage.capacity) & (found.open <= f.ranking.capacity)
         & (found.closed <= f.by_segment.closed_capacity);
}

__device__ inline bool
passages_fit (const BordersKernelArgs &f)
{
  return fit (f, f.counters->header);
}

/* Is there also room for all contours? Their order may still be unknown. */
__device__ inline bool
contours_counted (const BordersKernelArgs &f)
{
  const BordersHeader &h = f.counters->header;
  return passages_fit (f) & (h.incomplete == 0) & (h.all_contours <= f.contour_capacity);
}

__device__ inline bool
contours_fit (const BordersKernelArgs &f)
{
  return contours_counted (f) & (f.counters->header.too_deep == 0);
}

/* Is there also room for all points? */
__device__ inline bool
points_fit (const BordersKernelArgs &f)
{
  return contours_fit (f) & (f.counters->header.points <= f.point_capacity);
}

/* Is the table complete? */
__device__ inline bool
has_table (const BordersKernelArgs &f)
{
  return points_fit (f) & (f.counters->header.unmeasured == 0);
}

/* The position of a pixel in a bit plane. */
__device__ inline uint32_t
position_of (const BordersKernelArgs &f, uint32_t x, uint32_t y)
{
  return y * (f.by_word.per_row * 32) + x;
}

__device__ inline uint32_t
word_at (const BordersKernelArgs &f, int word, int y)
{
  return word >= 0 && word < (int) f.by_word.per_row && y >= 0 && y < (int) f.height
             ? f.by_word.foreground[(size_t) y * f.by_word.per_row + word]
             : 0;
}

/* The number of rings that have smaller keys. */
__device__ inline uint32_t
keys_before (const BordersKernelArgs &f, uint32_t key)
{
  return f.by_word.starts_before[key / 32] + __popc (f.by_word.starts[key / 32] & ((1u << key % 32) - 1));
}

__device__ inline uint32_t
contour_of_key (const BordersKernelArgs &f, uint32_t key)
{
  return f.counters->header.all_contours - 1 - keys_before (f, key);
}

__device__ inline bool
is_hole (const BordersKernelArgs &f, uint32_t key)
{
  return !(f.by_word.foreground[key / 32] >> key % 32 & 1);
}

/* The slots of the 32 pixels of a word, as bits. ROWS: the word and its neighbours to the left and right, of the row
 * above, of the same row, and of the row below. */
template <bool FOUR_CONNECTED>
__device__ inline void
find_slots (const uint32_t rows[3][3], uint32_t slots[4])
{
  uint32_t z[8];
  auto west = [] (const uint32_t *r) { return ~(r[1] << 1 | r[0] >> 31); };
  auto east = [] (const uint32_t *r) { return ~(r[1] >> 1 | r[2] << 31); };
  z[0] = east (rows[1]);
  z[1] = east (rows[0]);
  z[2] = ~rows[0][1];
  z[3] = west (rows[0]);
  z[4] = west (rows[1]);
  z[5] = west (rows[2]);
  z[6] = ~rows[2][1];
  z[7] = east (rows[2]);
  if constexpr (FOUR_CONNECTED) { /* From one foreground neighbour to the next, there is background. */
#pragma unroll
    for (int k = 0; k < 4; k++)
      slots[k] = rows[1][1] & ~z[2 * k] & (z[2 * k + 1] | z[(2 * k + 2) % 8]);
    slots[2] |= rows[1][1] & z[0] & z[2] & z[4] & z[6]; /* a pixel without neighbours */
  } else {
#pragma unroll
    for (int k = 0; k < 4; k++)
      slots[k] = rows[1][1] & z[2 * k] & ~(z[(2 * k + 7) % 8] & z[(2 * k + 6) % 8]);
    slots[2] |= rows[1][1] & z[0] & z[1] & z[2] & z[3] & z[4] & z[5] & z[6] & z[7];
  }
}

/* The neighbours of a pixel as bits by direction, from three rows with the pixel in bit 1. */
__device__ inline uint32_t
eight_neighbours (uint32_t above, uint32_t same, uint32_t below)
{
  return (same >> 2 & 1) | (above >> 1 & 2) | (above << 1 & 4) | (above << 3 & 8) | (same << 4 & 16)
         | (below << 5 & 224);
}

/* A passage as its pixel's eight neighbours determine it. NEIGHBOURS: bit d is set where the neighbour in direction d
 * is foreground. */
template <bool FOUR_CONNECTED> struct PassageShape {
  uint32_t neighbours, slot;
  uint32_t next, former; /* directions to the pixels of the next and the former passage */

  __device__
  PassageShape (uint32_t neighbours_, uint32_t slot_)
      : neighbours (neighbours_), slot (slot_)
  {
    const uint32_t twice = neighbours | neighbours << 8;
    next = (2 * slot + __ffs (twice >> (2 * slot + 1) & 255)) & 7;
    former = (2 * slot + 31 - __clz (twice >> 2 * slot & 255)) & 7;
  }

  __device__ bool
  alone () const
  {
    return !neighbours;
  }

  /* Does the border turn here? */
  __device__ bool
  corner () const
  {
    return alone () || next != ((former + 4) & 7);
  }

  /* Is the neighbour in cross direction D in the passage's run of background? */
  __device__ bool
  faces (uint32_t d) const
  {
    return alone () | (((d - 2 * slot) & 7) < ((next - 2 * slot) & 7));
  }

  /* May the ring start here? Without branches, as here and below both conditions are short. An outer border may start where no earlier pixel touches this one, a hole where the
   * background pixel to the east has foreground above it. */
  __device__ bool
  starts_outer () const
  {
    return ((neighbours & 0x1e) == 0) & faces (4);
  }
  __device__ bool
  starts_hole () const
  {
    return (neighbours >> 1 & 1) & faces (0);
  }

  __device__ uint32_t
  next_slot () const
  {
    const uint32_t back = (next + 4) & 7;
    return (((back | 1) + 1) & 7) >> 1;
  }
};

/* The directions to edge neighbours, as bits. */
constexpr uint32_t EDGE_NEIGHBOURS = 0x55;

/* The same where foreground is 4-connected: a passage from one neighbour at an edge to the next one. */
template <> struct PassageShape<true> {
  uint32_t neighbours, slot;
  uint32_t next, former; /* directions to the pixels of the next and the former passage */
  uint32_t turn;         /* from the one to the other: 2 .. 8 */

  __device__
  PassageShape (uint32_t neighbours_, uint32_t slot_)
      : neighbours (neighbours_), slot (slot_)
  {
    const uint32_t edges = neighbours & EDGE_NEIGHBOURS, twice = edges | edges << 8;
    former = 2 * slot;
    turn = __ffs (twice >> (former + 1) & 255);
    next = (former + turn) & 7;
  }

  __device__ bool
  alone () const
  {
    return !(neighbours & EDGE_NEIGHBOURS);
  }

  __device__ bool
  corner () const
  {
    return alone () || turn != 4;
  }

  __device__ bool
  faces (uint32_t d) const
  {
    return alone () | (((d - former - 1) & 7) < turn - 1);
  }

  /* An outer border may start where no earlier pixel shares an edge with this one, a hole where there is foreground above this
   * pixel and above the background pixel to the east. */
  __device__ bool
  starts_outer () const
  {
    return ((neighbours & 0x14) == 0) & faces (4);
  }
  __device__ bool
  starts_hole () const
  {
    return ((neighbours & 6) == 6) & faces (0);
  }

  __device__ uint32_t
  next_slot () const
  {
    return ((next + 4) & 7) / 2;
  }
};

/* The slot of the passage whose run has the neighbour in cross direction D, which is background. */
template <bool FOUR_CONNECTED>
__device__ inline uint32_t
slot_facing (uint32_t neighbours, uint32_t d)
{
  if (FOUR_CONNECTED ? !(neighbours & EDGE_NEIGHBOURS) : !neighbours)
    return 2;
  if constexpr (FOUR_CONNECTED) {
    while (!(neighbours >> d & 1))
      d = (d + 6) & 7;
  } else {
    for (int i = 0; i < 4; i++) {
      if (neighbours >> ((d + 7) & 7) & 1 || neighbours >> ((d + 6) & 7) & 1)
        break;
      d = (d + 6) & 7;
    }
  }
  return d / 2;
}

/* The step in each direction and one more, in two bits from bit 2 * direction on: three instructions. */
__device__ inline int
step_x (uint32_t direction)
{
  return (int) (0x901au >> (2 * direction) & 3) - 1;
}

__device__ inline int
step_y (uint32_t direction)
{
  return (int) (0xa901u >> (2 * direction) & 3) - 1;
}

/* The word's passages before the one in SLOT of pixel X of the word. */
__device__ inline uint32_t
passages_before (const uint32_t slots[4], uint32_t x, uint32_t slot)
{
  const uint32_t before = (1u << x) - 1, with_own = 2 * before + 1;
  uint32_t count = 0;
#pragma unroll
  for (int k = 0; k < 4; k++)
    count += __popc (slots[k] & (k < (int) slot ? with_own : before));
  return count;
}

/* The number of the passage at a pixel, anywhere in the image. */
template <bool FOUR_CONNECTED>
__device__ inline uint32_t
find_passage (const BordersKernelArgs &f, uint32_t x, uint32_t y, uint32_t slot)
{
  const int word = x / 32;
  uint32_t rows[3][3], slots[4];
#pragma unroll
  for (int j = 0; j < 3; j++)
#pragma unroll
    for (int i = 0; i < 3; i++)
      rows[j][i] = word_at (f, word + i - 1, (int) y + j - 1);
  find_slots<FOUR_CONNECTED> (rows, slots);
  return f.by_word.first_passage[(size_t) y * f.by_word.per_row + word] + passages_before (slots, x % 32, slot);
}

/* Are there so few points that the last CTA of the point kernel measures them? */
__device__ inline bool
has_few_points (const BordersKernelArgs &f)
{
  const BordersHeader &h = f.counters->header;
  return (h.points <= FEW_POINTS) & (h.contours <= FEW_CONTOURS);
}

/* memory.cu: places the arrays from BASE on, or nowhere if it is NULL, and returns how many bytes they take. The contents depend
 * on the capacities. */
size_t borders_lay_out_planes (BordersKernelArgs *args, uint8_t *base);
size_t borders_lay_out_contents (BordersKernelArgs *args, uint8_t *base);

/* Queue the kernels. OVERLAP: the GPU has programmatic dependent launch. The first one reads the picture; its 128, 256 or
 * 512 THREADS a tile change nothing but its time. */
void borders_launch_tiles (const BordersKernelArgs &args, int threads, bool overlap, cudaStream_t stream);
/* Few segments and contours: one CTA, or a cluster, ranks the segments and numbers the contours. */
void borders_launch_few (const BordersKernelArgs &args, bool overlap, cudaStream_t stream);
/* Can the GPU run that cluster? */
bool borders_have_cluster ();
/* All kernels behind the tiles in one, by a cluster of CTAS. Writes the header to HOST, then sets FLAG. */
void borders_launch_finish (
    const BordersKernelArgs &args, unsigned ctas, BordersHeader *host, uint32_t *flag, cudaStream_t stream);
/* How many CTAs that cluster has on this GPU; 0: it cannot run it. And the most passages that so many take. */
unsigned borders_finish_ctas ();
uint32_t borders_most_passages_to_finish (unsigned ctas);
/* Many segments or contours, in place of the former: makes the first views of the list ranking. */
void borders_launch_links (const BordersKernelArgs &args, bool overlap, cudaStream_t stream);
/* After the list ranking: numbers the contours. */
void borders_launch_numbering (const BordersKernelArgs &args, bool overlap, cudaStream_t stream);
/* The points of all rows. Then the table, row by row; the sums, which it does not need; and the shapes of the rows. */
void borders_launch_points (const BordersKernelArgs &args, bool overlap, cudaStream_t stream);
void borders_launch_table (const BordersKernelArgs &args, bool overlap, cudaStream_t stream);
void borders_launch_sums (const BordersKernelArgs &args, bool overlap, cudaStream_t stream);
void borders_launch_shapes (const BordersKernelArgs &args, bool overlap, cudaStream_t stream);
/* Measures all contours, before limits decide which stay. Their points go to ALL_POINTS. */
void borders_launch_measures (const BordersKernelArgs &args, bool overlap, cudaStream_t stream);
/* Where the edge is beside each point of the result: the only kernel behind the first one that reads the picture. */
void borders_launch_subpixel (
    const BordersKernelArgs &args, const CtrSubpixelRule &rule, bool overlap, cudaStream_t stream);
/* Drops rows whose numbers are outside the limits of PLAN, once all of these are known. */
void borders_launch_select (
    const BordersKernelArgs &args, const CtrSelectPlan &plan, bool overlap, cudaStream_t stream);
/* The same with selects_rows, in place of borders_launch_table(). */
void borders_launch_select_rows (
    const BordersKernelArgs &args, const CtrSelectPlan &plan, bool overlap, cudaStream_t stream);
/* Leaves those points of the rows that simplified contours keep. */
void borders_launch_simplify (const BordersKernelArgs &args, bool overlap, cudaStream_t stream);
/* Hierarchy and rows; of few contours also the offsets of their points. */
void borders_launch_hierarchy (const BordersKernelArgs &args, bool overlap, cudaStream_t stream);

/* Do rows and contour numbers differ? */
__host__ __device__ inline bool
borders_reorders (const BordersKernelArgs &f)
{
  return f.mode != CTR_RETRIEVE_LIST || f.limited;
}

__host__ __device__ inline bool
borders_nests (const BordersKernelArgs &f)
{
  return f.mode == CTR_RETRIEVE_CCOMP || f.mode == CTR_RETRIEVE_TREE;
}

/* Does the kernel that places contours in pre-order also give them their rows? */
__host__ __device__ inline bool
borders_places_rows (const BordersKernelArgs &f)
{
  return borders_nests (f) && f.many_contours && !f.deep && !f.limited;
}

#endif
