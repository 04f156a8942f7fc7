/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Level contours: the corners, and what of their rings lies in one tile, contracted to segments.
 *
 * A line that a tile shares with its neighbours is crossed by the lines of all levels between the two pixels at a crack.
 * So each passage, a level at a crack, has a place of its own among the segments, which both tiles find by adding up the
 * differences along the line. The segment there is what the ring does in the tile that it enters. */
#include "cuda/common/ptx.cuh"
#include "cuda/cracks/vertex.cuh"

namespace
{

constexpr int THREADS = 256, WARPS = THREADS / 32;
constexpr int TILE = VERTEX_TILE, TILE_ROWS = TILE / WARPS; /* of vertices; each warp takes some rows */

/* What a corner knows of its ring in the tile, as a ListView: at first about itself, in the end all. Pairs of 16 bits share a word, so
 * that a join adds up two of them at once. */
struct __align__ (8) Node
{
  /* The corner after the known ones, or with NODE_LEAVES the passage behind the last one in the tile; NODE_CLOSED. Then
   * known corners, modulo 2^16. */
  uint32_t way;
  uint32_t start; /* the smallest known one that may be a start; then the distance to it */

  __device__ uint32_t next () const
  {
    return way & 0xffff;
  }

  __device__ uint32_t length () const
  {
    return way >> 16;
  }

  __device__ uint32_t key () const
  {
    return start & 0xffff;
  }

  __device__ uint32_t distance () const
  {
    return start >> 16;
  }
};

constexpr uint32_t NODE_LEAVES = 1 << 15, NODE_CLOSED = 1 << 14, NODE_DONE = NODE_LEAVES | NODE_CLOSED,
                   NODE_NEXT = NODE_CLOSED - 1, NODE_NO_KEY = 0xffff;
static_assert (MOST_TILE_NODES <= NODE_NEXT + 1 && MOST_TILE_PASSAGES <= NODE_NEXT + 1, "both have 14 bits");

template <bool LABELS> struct Tile {
  TileOf<LABELS> levels;
  uint32_t before[TILE * TILE];  /* corners before a vertex, in the tile */
  uint32_t row_first[TILE];      /* the first corner of a row, in the tile */
  uint32_t row_base[TILE];       /* add it for the corner's number in the image */
  uint32_t passage[SIDES][TILE]; /* the first segment at a crack */
  uint32_t passages[SIDES];      /* on all cracks of a side */
  /* Passages of all sides are numbered one after the other in the tile: the first one's number, and in the end that of all; what a
   * number lacks to its segment. */
  uint32_t first_passage[SIDES + 1], segment_base[SIDES];
  uint32_t corners;
  uint32_t x, y; /* of the tile among all */
};

/* By corner of the tile, if there are no more than f.tile_nodes. */
__device__ inline Node *
nodes_of_tile ()
{
  extern __shared__ uint2 words[];
  return (Node *) words;
}

/* Where a line goes on. */
struct Arrival {
  bool leaves;
  uint32_t at;   /* segment, or corner in the tile */
  uint32_t line; /* side by which it leaves, or row of the corner */
};

/* Follows the line of LEVEL_INDEX that arrives at vertex (X, Y), which may be outside, in direction (DX, DY). */
template <bool LABELS>
__device__ inline Arrival
follow (const CracksKernelArgs &f, const Tile<LABELS> &t, int x, int y, int dx, int dy, uint32_t level_index)
{
  constexpr int ROW = TILE + 1;
  const bool equal = by_equal<LABELS> (f);
  /* A line goes straight on between foreground on the right and background on the left. Of the four pixels around a vertex only the two
   * ahead are new. */
  const int step = dy * ROW + dx,
            right = dx       ? (dx > 0 ? ROW + 1 : 0)
                    : dy > 0 ? ROW
                             : 1,
            left = dx       ? (dx > 0 ? 1 : ROW)
                   : dy > 0 ? ROW + 1
                            : 0;
  const int vertices = dx ? (dx > 0 ? TILE - x : x + 1) : dy > 0 ? TILE - y : y + 1; /* to the end of the tile */
  const auto *levels = &t.levels.at[0][0];
  int passed = 0;
  for (int at = y * ROW + x; passed < vertices; passed++, at += step) {
    const uint32_t to_right = levels[at + right], to_left = levels[at + left];
    if (equal ? to_right != level_index || to_left == level_index : to_right < level_index || to_left >= level_index)
      break;
  }
  x += passed * dx;
  y += passed * dy;
  if (passed < vertices) {
    const Around around (t.levels, x, y);
    const uint32_t mask = around.mask (level_index, equal);
    /* Where two lines turn, the one with the western arm comes first. */
    const bool second = mask == MASK_ACROSS ? dx < 0 : mask == MASK_ALONG ? (dy > 0) != (bool) f.four_connected : false;
    return {false, t.before[y * TILE + x] + around.corners_before (level_index, equal) + second, (uint32_t) y};
  }
  const uint32_t side = dx < 0   ? LEFT_SIDE
                        : dx > 0 ? RIGHT_SIDE
                        : dy < 0 ? TOP_SIDE
                                 : BOTTOM_SIDE,
                 position = dx ? y : x;
  const uint2 pixels = pixels_at_side (t.levels, side, position);
  return {true, t.passage[side][position] + crossings_before (pixels.x, pixels.y, level_index, equal), side};
}

/* The last of 32 ascending values that is not above WANTED. */
__device__ inline uint32_t
find_last (const uint32_t *values, uint32_t wanted)
{
  uint32_t found = 0;
#pragma unroll
  for (uint32_t step = 16; step; step /= 2)
    found += values[found + step] <= wanted ? step : 0;
  return found;
}

/* The side that has a passage of the tile. */
template <bool LABELS>
__device__ inline uint32_t
side_of (const Tile<LABELS> &t, uint32_t passage)
{
  return (passage >= t.first_passage[TOP_SIDE]) + (passage >= t.first_passage[RIGHT_SIDE])
         + (passage >= t.first_passage[BOTTOM_SIDE]);
}

/* The number in the image of corner I of the tile. */
template <bool LABELS>
__device__ inline uint32_t
number_of (const Tile<LABELS> &t, uint32_t i)
{
  return t.row_base[find_last (t.row_first, i)] + i;
}

/* Exclusive prefix sum over the lanes of a warp. *ALL: the sum. */
__device__ inline uint32_t
scan_warp (uint32_t own, uint32_t *all)
{
  const uint32_t sum = sum_of_lanes (own);
  *all = __shfl_sync (~0u, sum, 31);
  return sum - own;
}

/* Loads the tile, and numbers its corners and passages. */
template <bool LABELS>
__device__ inline void
begin_tile (const CracksKernelArgs &f, Tile<LABELS> &t)
{
  const uint32_t left = t.x * TILE, top = t.y * TILE, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t tile = t.y * f.tiles_x + t.x;
  const bool equal = by_equal<LABELS> (f);
  const TileShare<WARPS> share (
      left, top, [&] (uint32_t x, uint32_t y) { return index_at<LABELS> (f, (int) x, (int) y); });
  share.store (t.levels);
  __syncthreads ();
#pragma unroll
  for (int k = 0; k < TILE_ROWS; k++) {
    const uint32_t y = warp * TILE_ROWS + k;
    const bool inside = left + lane <= f.width && top + y <= f.height;
    uint32_t all;
    t.before[y * TILE + lane] = scan_warp (inside ? Around (t.levels, lane, y).count_corners (equal) : 0, &all);
    if (lane == 0)
      t.row_first[y] = all; /* for the scan that follows */
  }
  if (warp < SIDES) {
    const bool there = warp == RIGHT_SIDE ? t.x + 1 < f.tiles_x : warp != BOTTOM_SIDE || t.y + 1 < f.tiles_y;
    const uint2 pixels = pixels_at_side (t.levels, warp, lane);
    uint32_t all, first = scan_warp (there ? crossings_between (pixels.x, pixels.y, equal) : 0, &all);
    if (there)
      first += warp == LEFT_SIDE    ? f.by_tile.left[tile]
               : warp == TOP_SIDE   ? f.by_tile.top[tile]
               : warp == RIGHT_SIDE ? f.by_tile.left[tile + 1]
                                    : f.by_tile.top[tile + f.tiles_x];
    t.passage[warp][lane] = first;
    if (lane == 0)
      t.passages[warp] = all;
  }
  __syncthreads ();
  if (warp == 0) {
    uint32_t all;
    const uint32_t first = scan_warp (t.row_first[lane], &all), y = top + lane;
    t.row_first[lane] = first;
    t.row_base[lane] = (y <= f.height ? f.row_sums[y * f.tiles_x + t.x] : 0) - first;
    if (lane == 0)
      t.corners = all;
    const uint32_t passage = scan_warp (lane < SIDES ? t.passages[lane] : 0, &all);
    if (lane <= SIDES)
      t.first_passage[lane] = passage;
    if (lane < SIDES)
      t.segment_base[lane] = t.passage[lane][0] - passage;
  }
  __syncthreads ();
#pragma unroll
  for (int k = 0; k < TILE_ROWS; k++) {
    const uint32_t y = warp * TILE_ROWS + k;
    t.before[y * TILE + lane] += t.row_first[y];
  }
  __syncthreads ();
}

/* Notes these numbers for walks to the west, which look for a line's corner or passage. */
template <bool LABELS>
__device__ inline void
note_numbers (const CracksKernelArgs &f, const Tile<LABELS> &t)
{
  const uint32_t stride = f.by_vertex.stride, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (warp == 0)
    f.by_vertex.passage[(size_t) t.y * stride + t.x * TILE + lane] = t.passage[TOP_SIDE][lane];
  if (t.corners == 0)
    return;
  uint32_t y = warp * TILE_ROWS,
           *first_corner = f.by_vertex.first_corner + (size_t) (t.y * TILE + y) * stride + t.x * TILE + lane;
#pragma unroll
  for (int k = 0; k < TILE_ROWS; k++, y++, first_corner += stride)
    *first_corner = t.before[y * TILE + lane] + t.row_base[y];
}

/* A corner's line comes from and goes to, by its mask: 1 south, east; 2 west, south; 4 east, north; 7 west, north; 8
 * north, west; 11 north, east; 13 south, west; 14 east, south. */
__device__ inline uint32_t
kind_of (uint32_t mask)
{
  const bool vertically = 1u << mask & (1u << 2 | 1u << 4 | 1u << 7 | 1u << 14);
  return (vertically ? CORNER_GOES_VERTICALLY : 0) | (mask == 1 || mask == 14 ? CORNER_MAY_START : 0);
}

/* Writes the corners, and links them. Without FITS each one is a segment, the first of which is at SEGMENTS. */
template <bool LABELS>
__device__ inline void
link_corners (const CracksKernelArgs &f, Tile<LABELS> &t, bool fits, uint32_t segments)
{
  const bool equal = by_equal<LABELS> (f);
  Node *const nodes = nodes_of_tile ();
  for (uint32_t i = threadIdx.x; i < t.corners; i += THREADS) {
    const uint32_t y = find_last (t.row_first, i), x = find_last (t.before + y * TILE, i), number = t.row_base[y] + i;
    uint32_t level_index = 0;
    const uint32_t mask =
        Around (t.levels, x, y).find_corner (i - t.before[y * TILE + x], equal, f.four_connected, &level_index);
    const uint32_t kind = kind_of (mask);
    const int dx = kind & CORNER_GOES_VERTICALLY ? 0
                   : mask == 1 || mask == 11     ? 1
                                                 : -1,
              dy = !(kind & CORNER_GOES_VERTICALLY) ? 0
                   : mask == 2 || mask == 14        ? 1
                                                    : -1;
    f.by_corner.place[number] = (t.x * TILE + x) | (t.y * TILE + y) << 16;
    f.by_corner.kind[number] = kind;
    if (kind & CORNER_MAY_START)
      f.by_corner.level_index[number] = level_index;
    const Arrival to = follow (f, t, (int) x + dx, (int) y + dy, dx, dy, level_index);
    if (fits) {
      nodes[i] = {(to.leaves ? NODE_LEAVES | (to.at - t.segment_base[to.line]) : to.at) | 1 << 16,
          kind & CORNER_MAY_START ? i : NODE_NO_KEY};
      if (kind & CORNER_MAY_START && !to.leaves)
        f.by_corner.exit[number] = t.row_base[to.line] + to.at; /* It stays, if the ring starts here and is closed. */
    } else {
      const uint32_t next = to.leaves ? to.at : segments + to.at;
      f.ranking.views[segments + i] = {next, 1, kind & CORNER_MAY_START ? number : NO_KEY, 0};
      f.by_corner.exit[number] = next;
      f.by_corner.steps[number] = 1;
    }
  }
  __syncthreads ();
}

/* As list_join(). B is done or not, A is not. */
__device__ inline Node
join (const Node &a, const Node &b)
{
  constexpr uint32_t UPPER = 0xffff0000;
  const uint32_t length = a.way & UPPER, key = a.start << 16, other = b.start << 16;
  const bool closed = key == other && key != NODE_NO_KEY << 16 && !(b.way & NODE_DONE);
  return {(b.way + length) | (closed ? NODE_CLOSED : 0), other < key ? b.start + length : a.start};
}

/* Pointer jumping in shared memory, some corners of each thread at a time. */
__device__ inline void
jump (uint32_t corners)
{
  constexpr uint32_t AT_ONCE = 3; /* With more, a thread needs more than 32 registers. */
  static_assert (MOST_TILE_NODES <= 31 * AT_ONCE * THREADS, "a bit for each time");
  Node *const nodes = nodes_of_tile ();
  uint32_t live =
      (1u << ctr_div_up (corners, AT_ONCE * THREADS)) - 1; /* the times when a corner of the thread is not done */
  do {
    uint32_t time = 1;
    for (uint32_t base = 0; base < corners; base += AT_ONCE * THREADS, time *= 2) {
      Node news[AT_ONCE];
      uint32_t changed = 0;
      if (live & time) {
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++) {
          const uint32_t i = base + k * THREADS + threadIdx.x;
          news[k] = {NODE_DONE, 0};
          if (i < corners)
            news[k] = nodes[i];
          changed |= news[k].way & NODE_DONE ? 0 : 1u << k;
        }
#pragma unroll
        for (int hop = 0; hop < 2; hop++) {
          Node others[AT_ONCE];
#pragma unroll
          for (uint32_t k = 0; k < AT_ONCE; k++)
            if (!(news[k].way & NODE_DONE))
              others[k] = nodes[news[k].next ()];
#pragma unroll
          for (uint32_t k = 0; k < AT_ONCE; k++)
            if (!(news[k].way & NODE_DONE))
              news[k] = join (news[k], others[k]);
        }
        bool any = false;
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++)
          any |= !(news[k].way & NODE_DONE);
        live &= any ? ~0u : ~time;
      }
      __syncthreads ();
#pragma unroll
      for (uint32_t k = 0; k < AT_ONCE; k++)
        if (changed >> k & 1)
          nodes[base + k * THREADS + threadIdx.x] = news[k];
      __syncthreads ();
    }
  } while (__syncthreads_or (live != 0));
}

/* The same where each thread has one corner at most, which stays in registers. */
__device__ inline void
jump_alone (uint32_t corners)
{
  Node *const nodes = nodes_of_tile ();
  Node own = {NODE_DONE, 0};
  if (threadIdx.x < corners)
    own = nodes[threadIdx.x];
  bool live = !(own.way & NODE_DONE);
  while (__syncthreads_or (live)) {
    if (live) {
      own = join (own, nodes[own.next ()]);
      if (!(own.way & NODE_DONE))
        own = join (own, nodes[own.next ()]);
    }
    __syncthreads ();
    if (live)
      nodes[threadIdx.x] = own;
    live = !(own.way & NODE_DONE);
  }
}

/* Tells each corner where its ring leaves the tile, and how far it is to there, or where its ring starts. A start knows the corner behind
 * it. */
template <bool LABELS>
__device__ inline void
end_corners (const CracksKernelArgs &f, const Tile<LABELS> &t)
{
  const Node *const nodes = nodes_of_tile ();
  for (uint32_t i = threadIdx.x; i < t.corners; i += THREADS) {
    const Node node = nodes[i];
    const uint32_t number = number_of (t, i);
    if (node.way & NODE_LEAVES) {
      const uint32_t passage = node.way & NODE_NEXT;
      f.by_corner.exit[number] = t.segment_base[side_of (t, passage)] + passage;
      f.by_corner.steps[number] = node.length ();
    } else {
      if (node.key () != i)
        f.by_corner.exit[number] = number_of (t, node.key ());
      f.by_corner.steps[number] = STEPS_CLOSED | node.distance ();
    }
  }
}

/* The segments of the rings that enter the tile. */
template <bool LABELS>
__device__ inline void
write_segments (const CracksKernelArgs &f, const Tile<LABELS> &t, bool fits, uint32_t segments)
{
  const bool equal = by_equal<LABELS> (f);
  const Node *const nodes = nodes_of_tile ();
  for (uint32_t i = threadIdx.x; i < t.first_passage[SIDES]; i += THREADS) {
    const uint32_t side = side_of (t, i), segment = t.segment_base[side] + i,
                   position = find_last (t.passage[side], segment);
    const uint2 pixels = pixels_at_side (t.levels, side, position);
    const uint32_t level_index = crossing_level (pixels.x, pixels.y, segment - t.passage[side][position], equal);
    /* With the foreground below, a line goes east; with the foreground on the left, south. */
    const bool upright = side == TOP_SIDE || side == BOTTOM_SIDE;
    const uint32_t decisive = upright ? pixels.x : pixels.y;
    const bool forward = equal ? decisive == level_index : decisive >= level_index;
    if (forward != (side == LEFT_SIDE || side == TOP_SIDE))
      continue; /* It leaves. */
    const int x = upright ? position : forward ? 0 : TILE - 1, y = !upright ? position : forward ? 0 : TILE - 1;
    const int dx = upright ? 0 : forward ? 1 : -1, dy = !upright ? 0 : forward ? 1 : -1;
    const Arrival to = follow (f, t, x, y, dx, dy, level_index);
    ListView view = {to.at, 0, NO_KEY, 0};
    if (!to.leaves && fits) {
      const Node node = nodes[to.at];
      const uint32_t passage = node.way & NODE_NEXT; /* A ring that enters the tile leaves it. */
      view.next = t.segment_base[side_of (t, passage)] + passage;
      view.length = node.length ();
      if (node.key () != NODE_NO_KEY)
        view.key = number_of (t, node.key ());
      view.distance = node.distance ();
    } else if (!to.leaves) {
      view.next += segments;
    }
    f.ranking.views[segment] = view;
  }
}

/* The tile of this CTA; NO_TILE: none. */
constexpr uint32_t NO_TILE = ~0u;

__device__ inline uint32_t
own_tile (const CracksKernelArgs &f)
{
  if (blockIdx.x < EARLY_TILES)
    return blockIdx.x < f.found->early_tiles[f.found->turn] ? f.early_tiles[blockIdx.x] : NO_TILE;
  const uint32_t tile = blockIdx.x - EARLY_TILES;
  return f.by_tile.is_early[tile] ? NO_TILE : tile;
}

template <bool LABELS>
__global__ void
__launch_bounds__ (THREADS) tile_kernel (const __grid_constant__ CracksKernelArgs f)
{
  __shared__ Tile<LABELS> t;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t tile = own_tile (f); /* before the branch, so that the loads overlap */
  if (!corners_fit (f))
    return;
  const uint32_t corners = (uint32_t) f.counters->header.corners;
  if (blockIdx.x == 0 && threadIdx.x < 8 && threadIdx.x >= corners % 8 && corners % 8)
    f.by_corner.kind[corners / 8 * 8 + threadIdx.x] = 0; /* Kinds are read 8 at a time. */
  if (corners == 0 || tile == NO_TILE)
    return;
  if (threadIdx.x == 0) {
    t.x = tile % f.tiles_x;
    t.y = tile / f.tiles_x;
  }
  __syncthreads ();
  begin_tile (f, t);
  const bool fits = is_tile_joined (f, t.corners, t.first_passage[SIDES]);
  const uint32_t segments = t.passage[TOP_SIDE][0] + t.passages[TOP_SIDE];
  link_corners (f, t, fits, segments);
  if (fits && t.corners) {
    t.corners <= THREADS ? jump_alone (t.corners) : jump (t.corners);
    end_corners (f, t);
  }
  write_segments (f, t, fits, segments);
  note_numbers (f, t);
}

} // namespace

bool
cracks_prepare_tiles (uint32_t *most_nodes, CtrError *error)
{
  int device, shared;
  CTR_CUDA (cudaGetDevice (&device));
  CTR_CUDA (cudaDeviceGetAttribute (&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  const uint32_t nodes = ((uint32_t) shared - sizeof (Tile<true>)) / sizeof (Node);
  *most_nodes = min (nodes / TILE_NODES_STEP * TILE_NODES_STEP, MOST_TILE_NODES);
  for (auto kernel : {tile_kernel<false>, tile_kernel<true>})
    CTR_CUDA (cudaFuncSetAttribute (
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int) (*most_nodes * sizeof (Node))));
  return true;
}

void
cracks_launch_tiles (const CracksKernelArgs &f, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (overlap, f.labels ? tile_kernel<true> : tile_kernel<false>,
      EARLY_TILES + f.tiles_x * f.tiles_y, THREADS, f.tile_nodes * sizeof (Node), stream, f);
}
