/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* First kernels of the border following: image to bits, bits to nodes, nodes to segments. */
#include "cuda/borders_layout.cuh"
#include "cuda/pixels.cuh"

namespace
{

constexpr int PACK_THREADS = 256;

/* A thread 16 pixels. Clears what the frame's other kernels count on. */
__global__ void
__launch_bounds__ (PACK_THREADS) pack_kernel (const __grid_constant__ BordersFrame f)
{
  const uint64_t chunk = (uint64_t) blockIdx.x * PACK_THREADS + threadIdx.x;
  const uint32_t row_chunks = f.words * 2;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (chunk < sizeof (BordersCounters) / 4)
    ((uint32_t *) f.counters)[chunk] = 0;
  if (chunk < f.count_ctas)
    f.count_states[chunk] = 0;
  if (chunk < f.contour_capacity / OFFSET_SHARE + 1)
    for (int i = 0; i < BORDERS_SCANS; i++)
      f.scan_states[i][chunk] = 0;
  const uint32_t y = chunk / row_chunks;
  if (y >= f.height)
    return;
  const uint32_t threshold = f.threshold_device ? *f.threshold_device : f.threshold;
  ((uint16_t *) f.bits)[chunk] = load_chunk (f, threshold, (uint32_t) (chunk % row_chunks) * 16, y);
  ((uint16_t *) f.starts)[chunk] = 0;
}

/* A thread's node in shared memory: where it is, and flags. */
constexpr uint32_t PLACE_SLOT = 3, PLACE_KEPT = 1 << 14, PLACE_HEAD = 1 << 15;
constexpr int PLACE_X = 2, PLACE_Y = 8;
constexpr uint32_t OUTSIDE = ~0u;
constexpr uint16_t LOCAL_CLOSED = 1 << 15;

/* ROWS x 64 pixels with up to MOST_NODES nodes. */
template <int ROWS, int MOST_NODES> struct Tile {
  static constexpr int WORDS = ROWS * BORDERS_TILE_WORDS, STRIDE = BORDERS_TILE_WORDS + 2;

  uint32_t bits[(ROWS + 2) * STRIDE]; /* and what surrounds it */
  uint32_t slots[WORDS][4];
  uint16_t base[WORDS][4];   /* nodes before */
  uint32_t jump[MOST_NODES]; /* a node further on in its chain << 16 | points from this one to before that one */
  uint16_t place[MOST_NODES];
  uint16_t segment[MOST_NODES]; /* of the chain that ends here: its number in the tile */
  uint32_t warp_sums[32];
  uint32_t open, closed;
  uint32_t node_base, open_base, closed_base; /* of the tile's */

  /* The eight neighbours of a pixel. */
  __device__ uint32_t
  neighbours (uint32_t x, uint32_t y) const
  {
    const uint32_t at = 31 + x, word = at / 32, shift = at % 32;
    auto three = [&] (uint32_t row) {
      const uint32_t *b = bits + row * STRIDE + word;
      return __funnelshift_r (b[0], b[1], shift);
    };
    const uint32_t above = three (y), same = three (y + 1), below = three (y + 2);
    return (same >> 2 & 1) | (above >> 1 & 2) | (above << 1 & 4) | (above << 3 & 8) | (same << 4 & 16)
           | (below << 5 & 32) | (below << 5 & 64) | (below << 5 & 128);
  }

  __device__ uint32_t
  node_at (uint32_t x, uint32_t y, uint32_t slot) const
  {
    const uint32_t word = y * BORDERS_TILE_WORDS + x / 32;
    return base[word][slot] + __popc (slots[word][slot] & ((1u << x % 32) - 1));
  }

  __device__ NodeShape
  shape (uint32_t node) const
  {
    const uint32_t p = place[node];
    return NodeShape (neighbours (p >> PLACE_X & 63, p >> PLACE_Y & 63), p & PLACE_SLOT);
  }

  /* The node after it, or OUTSIDE. *X, *Y: its pixel. */
  __device__ uint32_t
  next (uint32_t node, const NodeShape &s, int *x, int *y) const
  {
    *x = place[node] >> PLACE_X & 63;
    *y = place[node] >> PLACE_Y & 63;
    if (s.alone ())
      return node;
    *x += step_x (s.next);
    *y += step_y (s.next);
    return inside (*x, *y) ? node_at (*x, *y, s.next_slot ()) : OUTSIDE;
  }

  static __device__ bool
  inside (int x, int y)
  {
    return x >= 0 && x < BORDERS_TILE && y >= 0 && y < ROWS;
  }

  __device__ uint32_t
  load_jump (uint32_t node) const
  {
    return *(const volatile uint32_t *) &jump[node];
  }

  __device__ bool
  kept (uint32_t node) const
  {
    return place[node] & PLACE_KEPT;
  }
};

/* Loads the bits, finds the slots, numbers the nodes. Returns how many there are. */
template <int THREADS, int ROWS, int MOST_NODES>
__device__ inline uint32_t
number_nodes (const BordersFrame &f, Tile<ROWS, MOST_NODES> &tile, int first_word, int first_row)
{
  typedef Tile<ROWS, MOST_NODES> T;
  static_assert (THREADS >= T::WORDS, "a thread a word");
  const uint32_t t = threadIdx.x, lane = t % 32, warp = t / 32;
  uint32_t any = 0;
  for (int i = t; i < (ROWS + 2) * T::STRIDE; i += THREADS) {
    const uint32_t word = word_at (f, first_word - 1 + i % T::STRIDE, first_row - 1 + i / T::STRIDE);
    tile.bits[i] = word;
    any |= word;
  }
  if (!__syncthreads_or (any))
    return 0;
  uint32_t slots[4] = {0, 0, 0, 0}, count = 0;
  if (t < T::WORDS) {
    uint32_t rows[3][3];
#pragma unroll
    for (int j = 0; j < 3; j++)
#pragma unroll
      for (int i = 0; i < 3; i++)
        rows[j][i] = tile.bits[(t / BORDERS_TILE_WORDS + j) * T::STRIDE + t % BORDERS_TILE_WORDS + i];
    find_slots (rows, slots);
    count = __popc (slots[0]) + __popc (slots[1]) + __popc (slots[2]) + __popc (slots[3]);
  }
  uint32_t sum = count;
  for (int d = 1; d < 32; d *= 2) {
    const uint32_t n = __shfl_up_sync (~0u, sum, d);
    sum += (int) lane >= d ? n : 0;
  }
  if (lane == 31)
    tile.warp_sums[warp] = sum;
  __syncthreads ();
  uint32_t all = 0;
  sum -= count;
  for (int i = 0; i < THREADS / 32; i++) {
    sum += i < (int) warp ? tile.warp_sums[i] : 0;
    all += tile.warp_sums[i];
  }
  if (all == 0 || all > MOST_NODES)
    return all;
  if (t < T::WORDS)
#pragma unroll
    for (int k = 0; k < 4; k++) {
      tile.slots[t][k] = slots[k];
      tile.base[t][k] = sum;
      for (uint32_t rest = slots[k]; rest; rest &= rest - 1)
        tile.place[sum++] =
            (t / BORDERS_TILE_WORDS) << PLACE_Y | (t % BORDERS_TILE_WORDS * 32 + __ffs (rest) - 1) << PLACE_X | k;
    }
  __syncthreads ();
  return all;
}

/* Nodes to chains: each node learns the last one of its chain. */
template <int THREADS, int ROWS, int MOST_NODES>
__device__ inline void
find_chains (const BordersFrame &f, Tile<ROWS, MOST_NODES> &tile, uint32_t count)
{
  for (uint32_t i = threadIdx.x; i < count; i += THREADS) {
    const NodeShape s = tile.shape (i);
    int x, y;
    const uint32_t next = tile.next (i, s, &x, &y), place = tile.place[i];
    x = (int) (place >> PLACE_X & 63) + step_x (s.former);
    y = (int) (place >> PLACE_Y & 63) + step_y (s.former);
    const bool head = s.starts_outer () || s.starts_hole () || (!s.alone () && !tile.inside (x, y));
    tile.place[i] = place | (head ? PLACE_HEAD : 0) | (!f.simple || s.corner () ? PLACE_KEPT : 0);
    tile.jump[i] = next;
  }
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < count; i += THREADS) {
    const uint32_t next = tile.jump[i];
    const bool last = next == OUTSIDE || tile.place[next] & PLACE_HEAD;
    tile.jump[i] = last ? i << 16 : next << 16 | tile.kept (i);
  }
  bool any;
  __syncthreads ();
  do {
    any = false;
    for (uint32_t i = threadIdx.x; i < count; i += THREADS) {
      const uint32_t jump = tile.load_jump (i), to = jump >> 16;
      if (to == i)
        continue;
      const uint32_t further = tile.load_jump (to);
      if (further >> 16 == to)
        continue;
      atomicExch (&tile.jump[i], further + (jump & 0xffff));
      any = true;
    }
  } while (__syncthreads_or (any));
}

/* Numbers and writes the segments. */
template <int THREADS, int ROWS, int MOST_NODES>
__device__ inline void
write_segments (
    const BordersFrame &f, Tile<ROWS, MOST_NODES> &tile, uint32_t count, int first_word, int first_row, bool *room)
{
  int x, y;
  for (uint32_t i = threadIdx.x; i < count; i += THREADS) {
    if (!(tile.place[i] & PLACE_HEAD))
      continue;
    const uint32_t jump = tile.jump[i], last = jump >> 16;
    const bool closed = tile.next (last, tile.shape (last), &x, &y) == i;
    tile.segment[last] = closed ? atomicAdd (&tile.closed, 1) | LOCAL_CLOSED : atomicAdd (&tile.open, 1);
    /* The last node carries the length. */
    tile.jump[last] = last << 16 | ((jump & 0xffff) + tile.kept (last));
  }
  __syncthreads ();
  if (threadIdx.x == 0) {
    BordersHeader &h = f.counters->header;
    tile.node_base = atomicAdd (&h.nodes, count);
    tile.open_base = tile.open ? atomicAdd (&h.open, tile.open) : 0;
    tile.closed_base = tile.closed ? atomicAdd (&h.closed, tile.closed) : 0;
  }
  __syncthreads ();
  *room = tile.node_base + count <= f.node_capacity && tile.open_base + tile.open <= f.rings.capacity
          && tile.closed_base + tile.closed <= f.closed_capacity;
  if (!*room)
    return;
  for (uint32_t i = threadIdx.x; i < count; i += THREADS) {
    const uint32_t place = tile.place[i];
    if (!(place & PLACE_HEAD))
      continue;
    const NodeShape s = tile.shape (i);
    const uint32_t last = tile.jump[i] >> 16;
    const uint32_t length = tile.jump[last] & 0xffff, segment = tile.segment[last];
    const uint32_t at = position_of (f, first_word * 32 + (place >> PLACE_X & 63), first_row + (place >> PLACE_Y & 63));
    const uint32_t key = s.starts_outer () ? at : s.starts_hole () ? at + 1 : NO_KEY;
    if (segment & LOCAL_CLOSED) {
      f.closed[tile.closed_base + (segment & ~LOCAL_CLOSED)] = make_uint2 (key, length);
      atomicOr (&f.starts[key / 32], 1u << key % 32);
      continue;
    }
    const NodeShape end = tile.shape (last);
    const uint32_t next = tile.next (last, end, &x, &y);
    RingSegment r = {0, length, key, 0};
    if (next == OUTSIDE) { /* the link kernel will know */
      r.next = position_of (f, first_word * 32 + x, first_row + y);
      r.unused = 1 + end.next_slot ();
    } else {
      r.next = tile.open_base + tile.segment[tile.jump[next] >> 16];
    }
    f.rings.segments[tile.open_base + segment] = r;
  }
}

template <int THREADS, int ROWS, int MOST_NODES>
__device__ inline void
write_nodes (const BordersFrame &f, Tile<ROWS, MOST_NODES> &tile, uint32_t count, int first_word, int first_row)
{
  typedef Tile<ROWS, MOST_NODES> T;
  for (uint32_t i = threadIdx.x; i < count; i += THREADS) {
    const uint32_t place = tile.place[i], jump = tile.jump[i], last = jump >> 16, segment = tile.segment[last];
    const uint32_t length = tile.jump[last] & 0xffff, to = tile.node_base + i;
    const uint32_t rest = (last == i ? 0 : jump & 0xffff) + tile.kept (last); /* points from here on */
    f.node_place[to] = (first_word * 32 + (place >> PLACE_X & 63)) | (first_row + (place >> PLACE_Y & 63)) << 16;
    f.node_ring[to] = segment & LOCAL_CLOSED ? (tile.closed_base + (segment & ~LOCAL_CLOSED)) | RING_CLOSED
                                             : tile.open_base + segment;
    f.node_rank[to] = (length - rest) | (place & PLACE_KEPT ? NODE_KEPT : 0);
  }
  const uint32_t t = threadIdx.x;
  if (t < T::WORDS && (tile.slots[t][0] | tile.slots[t][1] | tile.slots[t][2] | tile.slots[t][3]))
    f.node_base[(size_t) (first_row + t / BORDERS_TILE_WORDS) * f.words + first_word + t % BORDERS_TILE_WORDS] =
        tile.node_base + tile.base[t][0];
}

/* ROWS < BORDERS_TILE: a part of a tile with many nodes. */
template <int THREADS, int ROWS, int MOST_NODES>
__global__ void
__launch_bounds__ (THREADS) tile_kernel (const __grid_constant__ BordersFrame f)
{
  constexpr int PARTS = BORDERS_TILE / ROWS;
  __shared__ Tile<ROWS, MOST_NODES> tile;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  uint32_t number = blockIdx.x;
  if (PARTS > 1) {
    if (number / PARTS >= f.counters->dense)
      return;
    number = f.dense[number / PARTS];
  }
  if (threadIdx.x == 0)
    tile.open = tile.closed = 0;
  const int first_word = number % f.tiles_x * BORDERS_TILE_WORDS;
  const int first_row = number / f.tiles_x * BORDERS_TILE + blockIdx.x % PARTS * ROWS;
  const uint32_t count = number_nodes<THREADS> (f, tile, first_word, first_row);
  if (count == 0)
    return;
  if (count > MOST_NODES) {
    if (threadIdx.x == 0)
      f.dense[atomicAdd (&f.counters->dense, 1)] = number;
    return;
  }
  find_chains<THREADS> (f, tile, count);
  bool room;
  write_segments<THREADS> (f, tile, count, first_word, first_row, &room);
  if (room)
    write_nodes<THREADS> (f, tile, count, first_word, first_row);
}

constexpr int USUAL_THREADS = 128, USUAL_NODES = 1024, DENSE_THREADS = 256, DENSE_ROWS = 32;
constexpr int DENSE_NODES = DENSE_ROWS * BORDERS_TILE * 2; /* a chequerboard's */
static_assert (DENSE_NODES < LOCAL_CLOSED, "segments fit their numbers");

constexpr int LINK_THREADS = 256, LINK_CTAS = 528;

/* Segments that go on in another tile find the one there, now that all have numbers. */
__global__ void
__launch_bounds__ (LINK_THREADS) link_kernel (const __grid_constant__ BordersFrame f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!nodes_fit (f))
    return;
  const uint32_t count = f.counters->header.open;
  if (blockIdx.x == 0 && threadIdx.x == 0)
    f.counters->progress.count = count;
  for (uint32_t i = blockIdx.x * LINK_THREADS + threadIdx.x; i < count; i += gridDim.x * LINK_THREADS) {
    RingSegment s = f.rings.segments[i];
    if (s.unused) {
      const uint32_t row = f.words * 32;
      s.next = f.node_ring[find_node (f, s.next % row, s.next / row, s.unused - 1)];
      f.rings.segments[i].next = s.next;
    }
    f.rings.views[0][i] = {s.next, s.length, s.key, 0};
  }
}

} // namespace

void
borders_launch_tiles (const BordersFrame &f, bool overlap, cudaStream_t stream)
{
  const uint64_t chunks = (uint64_t) f.words * 2 * f.height;
  const uint64_t clear = max (f.count_ctas, f.contour_capacity / OFFSET_SHARE + 1),
                 least = sizeof (BordersCounters) / 4;
  const uint64_t threads = max (chunks, max (clear, least));
  const unsigned tiles = f.tiles_x * f.tiles_y;
  pack_kernel<<<(unsigned) ((threads + PACK_THREADS - 1) / PACK_THREADS), PACK_THREADS, 0, stream>>> (f);
  ctr_launch_overlapped (
      overlap, tile_kernel<USUAL_THREADS, BORDERS_TILE, USUAL_NODES>, tiles, USUAL_THREADS, 0, stream, f);
  ctr_launch_overlapped (overlap, tile_kernel<DENSE_THREADS, DENSE_ROWS, DENSE_NODES>,
      tiles * (BORDERS_TILE / DENSE_ROWS), DENSE_THREADS, 0, stream, f);
  ctr_launch_overlapped (overlap, link_kernel, min (f.rings.capacity / LINK_THREADS + 1, (unsigned) LINK_CTAS),
      LINK_THREADS, 0, stream, f);
}
