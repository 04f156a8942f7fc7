/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The component analysis beyond the tiles: join what meets at seams, sum up, rank in raster order, write the table. */
#include "cuda/cca/device_state.cuh"

namespace
{

__device__ inline NodeKey
load_parent (const NodeKey *parents, uint32_t node)
{
  return __ldcg (parents + node); /* from L2, where the atomics are */
}

/* The root of the node whose parent's key is UP. Halves the path on its way: whoever comes next walks half as far. A
 * plain store will do: nodes with a parent never become roots again, and any ancestor is right. */
__device__ inline NodeKey
find_root (NodeKey *parents, uint32_t node, NodeKey up)
{
  while ((uint32_t) up != node) {
    NodeKey next = load_parent (parents, (uint32_t) up);
    if (next == up)
      return up;
    *(volatile NodeKey *) &parents[node] = next;
    node = (uint32_t) next;
    up = load_parent (parents, node);
  }
  return up;
}

__device__ void
unite (NodeKey *parents, uint32_t node_a, uint32_t node_b)
{
  /* Both loads under way together. */
  NodeKey a = load_parent (parents, node_a), b = load_parent (parents, node_b);
  a = find_root (parents, node_a, a);
  b = find_root (parents, node_b, b);
  while (a != b) {
    if (a < b) {
      NodeKey t = a;
      a = b;
      b = t;
    }
    NodeKey old = atomicMin (&parents[(uint32_t) a], b);
    if (old == a)
      return;
    a = old;
  }
}

/* Contacts between two neighbouring lines of pixels, 32 at a time; in tiles.cu's words "line" is the row and
 * "above" the row above. The words before hold the pixel before bit 0 in their bit 31. At a bit of AT_START the pixel
 * above it, or where that is background the one before that, touches; at a bit of LATER (8-connected only) the pixel
 * above and the line's one before. */
template <int CONNECTIVITY>
__device__ inline void
contacts (
    uint32_t line, uint32_t line_before, uint32_t above, uint32_t above_before, uint32_t *at_start, uint32_t *later)
{
  uint32_t line_carry = line_before >> 31, above_carry = above_before >> 31;
  uint32_t starts = line & ~(line << 1 | line_carry), above_starts = above & ~(above << 1 | above_carry);
  if (CONNECTIVITY == 8) {
    *at_start = starts & (above | above << 1 | above_carry);
    *later = above_starts & (line << 1 | line_carry);
  } else {
    *at_start = line & above & (starts | above_starts);
    *later = 0;
  }
}

constexpr int SEAM_WARPS = 4;
constexpr int RIGHT_STEPS = TILE_H / 32, BELOW_STEPS = TILE_W / 32; /* of 32 pixels along the seams */
constexpr int SEAM_STEPS = RIGHT_STEPS + BELOW_STEPS;
constexpr unsigned SHORT_SEAMS = 2048; /* tiles of the largest frame with a warp for each step: 16 megapixels */
constexpr uint32_t NO_PAIR = ~0u;

/* A warp for STEPS times 32 pixels along a tile's right and bottom seam: joins nodes across it; the last warp of a tile
 * also (8-connected) at its bottom right corner. All contacts are found first, so that their loads, and then the unions
 * of all, are under way together. In a small frame a warp has one step, as there it is the time that one warp takes
 * that counts. */
template <int CONNECTIVITY, int STEPS>
__global__ void __launch_bounds__ (32 * SEAM_WARPS) seam_kernel (const CcaFrame f)
{
  constexpr int kinds = CONNECTIVITY == 8 ? 2 : 1, parts = SEAM_STEPS / STEPS;
  __shared__ uint2 joins[SEAM_WARPS][32 * kinds * STEPS + 2];
  const uint32_t lane = threadIdx.x % 32, before_me = (1u << lane) - 1;
  const uint32_t warp = blockIdx.x * SEAM_WARPS + threadIdx.x / 32, tile = warp / parts,
                 first_step = warp % parts * STEPS;
  const uint32_t tx = tile % f.tiles_x, ty = tile / f.tiles_x;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  /* Ready for the order kernel. */
  if (warp < f.tiles_y && lane == 0)
    f.band_state[warp] = 0;
  if (tile >= f.tiles_x * f.tiles_y)
    return;
  const bool has_right = tx + 1 < f.tiles_x, has_below = ty + 1 < f.tiles_y;
  const TileRim &rim = f.rims[tile];

  /* This lane's contacts: node of this tile << 8 | node of the other. */
  uint32_t pairs[STEPS][2];
#pragma unroll
  for (int i = 0; i < STEPS; i++) {
    const uint32_t step = first_step + i;
    const bool right = step < RIGHT_STEPS;
    pairs[i][0] = pairs[i][1] = NO_PAIR;
    if (!(right ? has_right : has_below))
      continue;
    const TileRim &other = f.rims[right ? tile + 1 : tile + f.tiles_x];
    const uint32_t *above = right ? (const uint32_t *) &rim.right : rim.bottom;
    const uint32_t *line = right ? (const uint32_t *) &other.left : other.top;
    const uint8_t *above_node = right ? rim.right_node : rim.bottom_node;
    const uint8_t *line_node = right ? other.left_node : other.top_node;
    const uint32_t word = right ? step : step - RIGHT_STEPS, at = word * 32 + lane, above_word = above[word];
    uint32_t at_start, later;
    contacts<CONNECTIVITY> (
        line[word], word ? line[word - 1] : 0, above_word, word ? above[word - 1] : 0, &at_start, &later);
    if (at_start >> lane & 1)
      pairs[i][0] = above_node[CONNECTIVITY == 4 || above_word >> lane & 1 ? at : at - 1] << 8 | line_node[at];
    if (CONNECTIVITY == 8 && later >> lane & 1)
      pairs[i][1] = above_node[at] << 8 | line_node[at - 1];
  }

  /* One pair of components often meets at many places: once is enough. */
  uint2 *list = joins[threadIdx.x / 32];
  uint32_t count = 0;
  auto gather = [&] (bool join, uint32_t a, uint32_t b) {
    const uint32_t all = __ballot_sync (~0u, join);
    if (join)
      list[count + __popc (all & before_me)] = make_uint2 (a, b);
    count += __popc (all);
  };
#pragma unroll
  for (int i = 0; i < STEPS; i++)
#pragma unroll
    for (int kind = 0; kind < kinds; kind++) {
      const uint32_t pair = pairs[i][kind], same = __match_any_sync (~0u, pair);
      const uint32_t other = first_step + i < RIGHT_STEPS ? tile + 1 : tile + f.tiles_x;
      gather (pair != NO_PAIR && !(same & before_me), tile * MAX_NODES + (pair >> 8), other * MAX_NODES + (pair & 255));
    }
  if (CONNECTIVITY == 8 && has_right && has_below && first_step == SEAM_STEPS - STEPS) {
    /* Lane 0: this tile and the one diagonally below; lane 1: the right one and the one below. */
    const uint32_t upper = tile + lane % 2, lower = tile + f.tiles_x + 1 - lane % 2;
    const uint32_t upper_x = lane % 2 ? 0 : TILE_W - 1, lower_x = TILE_W - 1 - upper_x;
    const TileRim &up = f.rims[upper], &low = f.rims[lower];
    const bool join = lane < 2 && up.bottom[upper_x / 32] >> upper_x % 32 & low.top[lower_x / 32] >> lower_x % 32 & 1;
    gather (join, join ? upper * MAX_NODES + up.bottom_node[upper_x] : 0,
        join ? lower * MAX_NODES + low.top_node[lower_x] : 0);
  }
  __syncwarp ();
  for (uint32_t i = lane; i < count; i += 32)
    unite (f.parents, list[i].x, list[i].y);
}

constexpr int MERGE_TILES = 32;  /* of one tile row, a CTA */
constexpr int MERGE_ROOTS = 256; /* hash table; a power of two */

struct MergeShared {
  uint32_t roots[MERGE_ROOTS], sum_x[MERGE_ROOTS], sum_y[MERGE_ROOTS], area[MERGE_ROOTS], left[MERGE_ROOTS],
      right[MERGE_ROOTS], bottom[MERGE_ROOTS];
};

__device__ inline void
add_to_root (Node *root, unsigned long long sum_x, unsigned long long sum_y, uint32_t area, uint32_t left,
    uint32_t right, uint32_t bottom)
{
  atomicAdd (&root->sum_x, sum_x);
  atomicAdd (&root->sum_y, sum_y);
  atomicAdd (&root->area, area);
  /* Reading first saves most of the updates. */
  if (left < __ldcg (&root->left))
    atomicMin (&root->left, left);
  if (right > __ldcg (&root->right))
    atomicMax (&root->right, right);
  if (bottom > __ldcg (&root->bottom))
    atomicMax (&root->bottom, bottom);
}

constexpr int ORDER_THREADS = 1024;
constexpr int ORDER_WARPS = ORDER_THREADS / 32;

/* Adds every node of MERGE_TILES tiles to its root, a warp a tile. Past the percolation threshold nearly all belong to
 * one root, and atomics on one address are done one by one: so each CTA first gathers in a small table in shared
 * memory. Coordinates there are relative to its first tile, so that sums fit 32 bits. Which roots find room decides
 * nothing but speed. */
__device__ void
merge_tiles (const CcaFrame &f, MergeShared &s, uint32_t first_tx, uint32_t ty)
{
  constexpr uint32_t none = ~0u;
  const uint32_t t = threadIdx.x, lane = t % 32, warp = t / 32;
  const uint32_t end_tx = min (first_tx + MERGE_TILES, f.tiles_x);
  const uint32_t base_x = first_tx * TILE_W, base_y = ty * TILE_H;
  if (t < MERGE_ROOTS) {
    s.roots[t] = s.left[t] = none;
    s.sum_x[t] = s.sum_y[t] = s.area[t] = s.right[t] = s.bottom[t] = 0;
  }
  __syncthreads ();
  for (uint32_t tx = first_tx + warp; tx < end_tx; tx += ORDER_WARPS) {
    const uint32_t tile = ty * f.tiles_x + tx, open = f.headers[tile].open;
    for (uint32_t i = lane; i < open; i += 32) {
      const uint32_t node = tile * MAX_NODES + i;
      const NodeKey key = find_root (f.parents, node, load_parent (f.parents, node));
      const uint32_t root = (uint32_t) key;
      if (root == node)
        continue;
      /* For those who come later; others may still walk through here, for them any ancestor is right. */
      *(volatile NodeKey *) &f.parents[node] = key;
      const Node n = f.nodes[node];
      uint32_t slot = (root ^ root / MAX_NODES) % MERGE_ROOTS;
      uint32_t owner = atomicCAS (&s.roots[slot], none, root);
      if (owner != none && owner != root) { /* one more try */
        slot ^= 1;
        owner = atomicCAS (&s.roots[slot], none, root);
      }
      if (owner != none && owner != root) {
        add_to_root (&f.nodes[root], n.sum_x, n.sum_y, n.area, n.left, n.right, n.bottom);
        continue;
      }
      atomicAdd (&s.sum_x[slot], (uint32_t) (n.sum_x - (unsigned long long) n.area * base_x));
      atomicAdd (&s.sum_y[slot], (uint32_t) (n.sum_y - (unsigned long long) n.area * base_y));
      atomicAdd (&s.area[slot], n.area);
      if (n.left < *(volatile uint32_t *) &s.left[slot])
        atomicMin (&s.left[slot], n.left);
      if (n.right > *(volatile uint32_t *) &s.right[slot])
        atomicMax (&s.right[slot], n.right);
      if (n.bottom > *(volatile uint32_t *) &s.bottom[slot])
        atomicMax (&s.bottom[slot], n.bottom);
    }
  }
  __syncthreads ();
  if (t < MERGE_ROOTS && s.roots[t] != none)
    add_to_root (&f.nodes[s.roots[t]], s.sum_x[t] + (unsigned long long) s.area[t] * base_x,
        s.sum_y[t] + (unsigned long long) s.area[t] * base_y, s.area[t], s.left[t], s.right[t], s.bottom[t]);
}

constexpr unsigned long long BAND_SUM = 1ull << 32;    /* state: this band's count alone */
constexpr unsigned long long BAND_PREFIX = 2ull << 32; /* state: of all bands up to this one */

__device__ inline uint32_t
warp_sum (uint32_t value)
{
  for (int d = 16; d; d /= 2)
    value += __shfl_xor_sync (~0u, value, d);
  return value;
}

/* Sum over the bands before BAND, by decoupled look-back; the whole first warp calls it. */
__device__ uint32_t
look_back (const CcaFrame &f, uint32_t band)
{
  const uint32_t lane = threadIdx.x % 32;
  uint32_t sum = 0;
  for (int last = (int) band - 1; last >= 0; last -= 32) {
    int i = last - (int) lane;
    unsigned long long state;
    do {
      state = BAND_PREFIX; /* before the first: nothing */
      if (i >= 0)
        state = *(volatile unsigned long long *) &f.band_state[i];
    } while (__any_sync (~0u, state == 0));
    uint32_t prefixes = __ballot_sync (~0u, state >= BAND_PREFIX);
    uint32_t stop = prefixes ? __ffs (prefixes) - 1 : 32;
    sum += warp_sum (lane <= stop ? (uint32_t) state : 0);
    if (prefixes)
      break;
  }
  return sum;
}

struct RankShared {
  uint32_t rows[ORDER_WARPS][TILE_H][2];
  uint32_t warp_sums[ORDER_WARPS];
  uint32_t band, before;
};

/* A band of TILE_H rows by a CTA: marks the open components' first pixels beside the closed ones', counts the marks of
 * each tile row, and scans the counts in raster order. COUNTS: [TILE_H][tiles_x]. */
__device__ void
rank_band (const CcaFrame &f, RankShared &s, uint8_t *counts)
{
  const uint32_t t = threadIdx.x, lane = t % 32, warp = t / 32;
  const bool limited = f.min_area > 1 || f.max_area; /* only then the areas matter, and must be complete */
  /* In the order in which CTAs really start, so that all bands before this one are running or done. */
  if (t == 0)
    s.band = atomicAdd (&f.counters->ticket, 1);
  __syncthreads ();
  const uint32_t band = s.band;

  for (uint32_t tx = warp; tx < f.tiles_x; tx += ORDER_WARPS) {
    const uint32_t tile = band * f.tiles_x + tx;
    const TileHeader header = f.headers[tile];
    uint2 *roots = (uint2 *) &f.roots[(size_t) tile * TILE_H];
    for (int half = 0; half < 2; half++) {
      uint2 row = header.closed ? roots[half * 32 + lane] : make_uint2 (0, 0);
      s.rows[warp][half * 32 + lane][0] = row.x;
      s.rows[warp][half * 32 + lane][1] = row.y;
    }
    __syncwarp ();
    for (uint32_t i = lane; i < header.open; i += 32) {
      uint32_t node = tile * MAX_NODES + i;
      NodeKey key = load_parent (f.parents, node);
      if ((uint32_t) key == node && (!limited || area_kept (f, f.nodes[node].area))) {
        uint32_t y = (uint32_t) (key >> 48) % TILE_H, slot = (uint32_t) (key >> 32 & 0xffff) % TILE_W / 2;
        atomicOr (&s.rows[warp][y][slot / 32], 1u << slot % 32);
      }
    }
    __syncwarp ();
    for (int half = 0; half < 2; half++) {
      uint32_t y = half * 32 + lane;
      uint2 row = make_uint2 (s.rows[warp][y][0], s.rows[warp][y][1]);
      counts[y * f.tiles_x + tx] = __popc (row.x) + __popc (row.y);
      if (header.open)
        roots[y] = row;
    }
    __syncwarp ();
  }
  __syncthreads ();

  const uint32_t total = TILE_H * f.tiles_x, chunk = ctr_div_up (total, ORDER_THREADS);
  const uint32_t begin = min (t * chunk, total), end = min (begin + chunk, total);
  uint32_t sum = 0;
  for (uint32_t i = begin; i < end; i++)
    sum += counts[i];
  uint32_t scan = sum;
  for (int d = 1; d < 32; d *= 2) {
    uint32_t n = __shfl_up_sync (~0u, scan, d);
    scan += lane >= d ? n : 0;
  }
  if (lane == 31)
    s.warp_sums[warp] = scan;
  __syncthreads ();
  if (warp == 0) {
    uint32_t w = s.warp_sums[lane], sums = w;
    for (int d = 1; d < 32; d *= 2) {
      uint32_t n = __shfl_up_sync (~0u, sums, d);
      sums += lane >= d ? n : 0;
    }
    s.warp_sums[lane] = sums - w;
    const uint32_t band_sum = __shfl_sync (~0u, sums, 31);
    volatile unsigned long long *state = &f.band_state[band];
    if (lane == 0 && band > 0)
      *state = BAND_SUM | band_sum;
    uint32_t before = look_back (f, band);
    if (lane == 0) {
      *state = BAND_PREFIX | (before + band_sum);
      s.before = before;
      if (band == f.tiles_y - 1) {
        *f.header = {before + band_sum, f.counters->closed, f.threshold_device ? *f.threshold_device : f.threshold, 0};
        /* Ready for the next frame: all tiles have drawn their records, all bands their tickets. */
        f.counters->closed = 0;
        f.counters->ticket = 0;
      }
    }
  }
  __syncthreads ();
  uint32_t base = s.before + s.warp_sums[warp] + scan - sum;
  uint32_t *out = f.row_base + (size_t) band * total;
  for (uint32_t i = begin; i < end; i++) {
    out[i] = base;
    base += counts[i];
  }
}

/* What needs no more than the joined nodes: merging (MERGE) and ranking (RANK), each by CTAs of its own. Together,
 * unless the area limits make the second wait for the first. */
template <bool MERGE, bool RANK>
__global__ void
__launch_bounds__ (ORDER_THREADS) order_kernel (const CcaFrame f)
{
  extern __shared__ uint8_t counts[];
  __shared__ union {
    MergeShared merge;
    RankShared rank;
  } s;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t bands = RANK ? f.tiles_y : 0;
  if (RANK && blockIdx.x < bands) {
    rank_band (f, s.rank, counts);
  } else if (MERGE) {
    const uint32_t i = blockIdx.x - bands, a_row = ctr_div_up (f.tiles_x, MERGE_TILES);
    merge_tiles (f, s.merge, i % a_row * MERGE_TILES, i / a_row);
  }
}

constexpr int EMIT_THREADS = 128;

/* A CTA a tile: writes the table rows of the components that start there. */
__global__ void
__launch_bounds__ (EMIT_THREADS) emit_kernel (const CcaFrame f)
{
  __shared__ unsigned long long rows[TILE_H];
  __shared__ uint32_t bases[TILE_H];
  const uint32_t t = threadIdx.x, tx = blockIdx.x, ty = blockIdx.y, tile = ty * f.tiles_x + tx;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const TileHeader header = f.headers[tile];
  if (!header.open && !header.closed)
    return;
  if (t < TILE_H) {
    rows[t] = f.roots[(size_t) tile * TILE_H + t];
    bases[t] = f.row_base[((size_t) ty * TILE_H + t) * f.tiles_x + tx];
  }
  __syncthreads ();
  const uint32_t tile_x = tx * TILE_W, tile_y = ty * TILE_H;

  /* Label - 1 of the component that starts at column X of row Y of the tile; ~0 if the area limits drop it. */
  auto rank = [&] (uint32_t x, uint32_t y) {
    unsigned long long bit = 1ull << x / 2;
    return rows[y] & bit ? bases[y] + __popcll (rows[y] & (bit - 1)) : ~0u;
  };
  auto write = [&] (uint32_t row, const CtrComponent &component) {
    if (row >= f.capacity)
      return;
    const uint4 *from = (const uint4 *) &component;
    uint4 *to = (uint4 *) &f.table[row];
    to[0] = from[0];
    to[1] = from[1];
    if (f.moments)
      f.moments[row] = {0, 0, 0};
    if (f.grey)
      f.grey[row] = {0, 0, 0xffff, 0, 0};
  };

  const uint32_t records =
      header.closed_base < f.closed_capacity ? min (header.closed, f.closed_capacity - header.closed_base) : 0;
  for (uint32_t i = t; i < records; i += EMIT_THREADS) {
    const ClosedRecord r = unpack_closed (__ldcs (&f.closed[header.closed_base + i]));
    CtrComponent c;
    c.sum_x = (uint64_t) r.area * tile_x + r.sum_x;
    c.sum_y = (uint64_t) r.area * tile_y + r.sum_y;
    c.area = r.area;
    c.left = tile_x + r.left;
    c.top = tile_y + r.start_y;
    c.width = r.right - r.left + 1;
    c.height = r.bottom - r.start_y + 1;
    c.start_x = tile_x + r.start_x;
    c.reserved = 0;
    write (rank (r.start_x, r.start_y), c);
  }
  for (uint32_t i = t; i < header.open; i += EMIT_THREADS) {
    const uint32_t node = tile * MAX_NODES + i;
    const NodeKey key = f.parents[node];
    if ((uint32_t) key != node)
      continue;
    const Node &n = f.nodes[node];
    const uint32_t y = key >> 48, x = key >> 32 & 0xffff;
    CtrComponent c;
    c.sum_x = n.sum_x;
    c.sum_y = n.sum_y;
    c.area = n.area;
    c.left = n.left;
    c.top = y;
    c.width = n.right - n.left + 1;
    c.height = n.bottom - y + 1;
    c.start_x = x;
    c.reserved = 0;
    const uint32_t row = rank (x - tile_x, y - tile_y);
    write (row, c);
    if (f.node_label)
      f.node_label[node] = row + 1; /* 0 where dropped */
  }
}

} // namespace

void
cca_launch_merge (const CcaFrame &f, int connectivity, bool overlap, cudaStream_t stream)
{
  const unsigned tiles = f.tiles_x * f.tiles_y;
  const bool small = tiles <= SHORT_SEAMS;
  auto seam = connectivity == 8 ? small ? seam_kernel<8, 1> : seam_kernel<8, SEAM_STEPS>
              : small ? seam_kernel<4, 1>
                                : seam_kernel<4, SEAM_STEPS>;
  ctr_launch_overlapped (
      overlap, seam, ctr_div_up (small ? tiles * SEAM_STEPS : tiles, SEAM_WARPS), 32 * SEAM_WARPS, 0, stream, f);
  const unsigned merge_ctas = ctr_div_up (f.tiles_x, MERGE_TILES) * f.tiles_y;
  const int counts = TILE_H * f.tiles_x;
  const bool limited = f.min_area > 1 || f.max_area;
  auto rank = limited ? order_kernel<false, true> : order_kernel<true, true>;
  /* With the static part this may pass 48 KB, which a kernel must ask for. Always for the widest image: the attribute
   * is the kernel's, whose users in other threads and graphs may need more than this one. */
  constexpr int most_counts = TILE_H * ((CTR_MAX_SIDE + TILE_W - 1) / TILE_W);
  if (counts > 24 * 1024)
    cudaFuncSetAttribute (rank, cudaFuncAttributeMaxDynamicSharedMemorySize, most_counts);
  if (limited)
    ctr_launch_overlapped (overlap, order_kernel<true, false>, merge_ctas, ORDER_THREADS, 0, stream, f);
  ctr_launch_overlapped (overlap, rank, f.tiles_y + (limited ? 0 : merge_ctas), ORDER_THREADS, counts, stream, f);
  ctr_launch_overlapped (overlap, emit_kernel, dim3 (f.tiles_x, f.tiles_y), EMIT_THREADS, 0, stream, f);
}
