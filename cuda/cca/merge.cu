/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis beyond the tiles: unites open components across seams, adds up their sums, numbers all components
 * in raster order. */
#include "cuda/cca/device_state.cuh"
#include "cuda/common/scan.cuh"

namespace
{

__device__ inline OpenKey
load_parent (const OpenKey *parents, uint32_t component)
{
  return __ldcg (parents + component); /* from L2, where atomics take effect */
}

/* The key of COMPONENT's root; UP: its parent's key. Halves the path on the way. A plain store suffices: a component
 * with a parent never becomes a root again, and any ancestor is a valid parent. */
__device__ inline OpenKey
find_root (OpenKey *parents, uint32_t component, OpenKey up)
{
  while ((uint32_t) up != component) {
    OpenKey next = load_parent (parents, (uint32_t) up);
    if (next == up)
      return up;
    *(volatile OpenKey *) &parents[component] = next;
    component = (uint32_t) next;
    up = load_parent (parents, component);
  }
  return up;
}

__device__ void
unite (OpenKey *parents, uint32_t component_a, uint32_t component_b)
{
  /* Issue both loads before either walk. */
  OpenKey a = load_parent (parents, component_a), b = load_parent (parents, component_b);
  a = find_root (parents, component_a, a);
  b = find_root (parents, component_b, b);
  while (a != b) {
    if (a < b) {
      OpenKey t = a;
      a = b;
      b = t;
    }
    OpenKey old = atomicMin (&parents[(uint32_t) a], b);
    if (old == a)
      return;
    a = old;
  }
}

/* Contacts between two neighbouring lines of pixels, 32 at a time, as TileTask::contacts() finds them between two rows.
 * Bit 31 of LINE_BEFORE and ABOVE_BEFORE is the pixel before bit 0. At a bit of AT_START, the line's pixel touches the
 * pixel above it or, where that one is background, the one before that. At a bit of LATER (8-connected only), the pixel
 * above touches the line's previous pixel. */
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
constexpr unsigned MAX_SPLIT_TILES = 2048; /* up to 16 megapixels each step has a warp of its own */
constexpr uint32_t NO_PAIR = ~0u;

/* Each warp unites the components across STEPS times 32 pixels of a tile's right and bottom seams. For 8-connectivity,
 * the tile's last warp also handles the bottom right corner. A warp finds all contacts before it unites any, so that
 * their loads overlap, and then their unions. In a small frame the time of one warp decides, so a warp has one step. */
template <int CONNECTIVITY, int STEPS>
__global__ void __launch_bounds__ (32 * SEAM_WARPS) seam_kernel (const CcaKernelArgs f)
{
  constexpr int kinds = CONNECTIVITY == 8 ? 2 : 1, parts = SEAM_STEPS / STEPS;
  __shared__ uint2 joins[SEAM_WARPS][32 * kinds * STEPS + 2];
  const uint32_t lane = threadIdx.x % 32, before_me = (1u << lane) - 1;
  const uint32_t warp = blockIdx.x * SEAM_WARPS + threadIdx.x / 32, tile = warp / parts,
                 first_step = warp % parts * STEPS;
  const uint32_t tx = tile % f.tiles_x, ty = tile / f.tiles_x;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  /* The order kernel needs these at 0. */
  if (warp < f.tiles_y && lane == 0)
    f.by_band.scan_states[warp] = 0;
  if (tile >= f.tiles_x * f.tiles_y)
    return;
  const bool has_right = tx + 1 < f.tiles_x, has_below = ty + 1 < f.tiles_y;
  const TileBorder &border = f.by_tile.borders[tile];

  /* This lane's contacts: open component of this tile << 8 | that of the other tile. */
  uint32_t pairs[STEPS][2];
#pragma unroll
  for (int i = 0; i < STEPS; i++) {
    const uint32_t step = first_step + i;
    const bool right = step < RIGHT_STEPS;
    pairs[i][0] = pairs[i][1] = NO_PAIR;
    if (!(right ? has_right : has_below))
      continue;
    const TileBorder &other = f.by_tile.borders[right ? tile + 1 : tile + f.tiles_x];
    const uint32_t *above = right ? (const uint32_t *) &border.right : border.bottom;
    const uint32_t *line = right ? (const uint32_t *) &other.left : other.top;
    const uint8_t *above_component = right ? border.right_component : border.bottom_component;
    const uint8_t *line_component = right ? other.left_component : other.top_component;
    const uint32_t word = right ? step : step - RIGHT_STEPS, at = word * 32 + lane, above_word = above[word];
    uint32_t at_start, later;
    contacts<CONNECTIVITY> (
        line[word], word ? line[word - 1] : 0, above_word, word ? above[word - 1] : 0, &at_start, &later);
    if (at_start >> lane & 1)
      pairs[i][0] =
          above_component[CONNECTIVITY == 4 || above_word >> lane & 1 ? at : at - 1] << 8 | line_component[at];
    if (CONNECTIVITY == 8 && later >> lane & 1)
      pairs[i][1] = above_component[at] << 8 | line_component[at - 1];
  }

  /* A pair of components often meets at many pixels: unite it once. */
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
      gather (pair != NO_PAIR && !(same & before_me), tile * MAX_OPEN_COMPONENTS + (pair >> 8),
          other * MAX_OPEN_COMPONENTS + (pair & 255));
    }
  if (CONNECTIVITY == 8 && has_right && has_below && first_step == SEAM_STEPS - STEPS) {
    /* Lane 0: this tile and the one to the lower right. Lane 1: the right tile and the one below. */
    const uint32_t upper = tile + lane % 2, lower = tile + f.tiles_x + 1 - lane % 2;
    const uint32_t upper_x = lane % 2 ? 0 : TILE_W - 1, lower_x = TILE_W - 1 - upper_x;
    const TileBorder &up = f.by_tile.borders[upper], &low = f.by_tile.borders[lower];
    const bool join = lane < 2 && up.bottom[upper_x / 32] >> upper_x % 32 & low.top[lower_x / 32] >> lower_x % 32 & 1;
    gather (join, join ? upper * MAX_OPEN_COMPONENTS + up.bottom_component[upper_x] : 0,
        join ? lower * MAX_OPEN_COMPONENTS + low.top_component[lower_x] : 0);
  }
  __syncwarp ();
  for (uint32_t i = lane; i < count; i += 32)
    unite (f.by_open_component.parents, list[i].x, list[i].y);
}

constexpr int SUM_TILES = 32;  /* tiles of one band that a CTA adds up */
constexpr int SUM_SLOTS = 256; /* of the hash table; a power of two */

struct SumShared {
  uint32_t roots[SUM_SLOTS], sum_x[SUM_SLOTS], sum_y[SUM_SLOTS], area[SUM_SLOTS], left[SUM_SLOTS], right[SUM_SLOTS],
      bottom[SUM_SLOTS];
};

__device__ inline void
add_to_root (OpenSums *root, unsigned long long sum_x, unsigned long long sum_y, uint32_t area, uint32_t left,
    uint32_t right, uint32_t bottom)
{
  atomicAdd (&root->sum_x, sum_x);
  atomicAdd (&root->sum_y, sum_y);
  atomicAdd (&root->area, area);
  /* A read first makes most of the updates needless. */
  if (left < __ldcg (&root->left))
    atomicMin (&root->left, left);
  if (right > __ldcg (&root->right))
    atomicMax (&root->right, right);
  if (bottom > __ldcg (&root->bottom))
    atomicMax (&root->bottom, bottom);
}

constexpr int ORDER_THREADS = 1024;
constexpr int ORDER_WARPS = ORDER_THREADS / 32;

/* Adds the sums of every open component of SUM_TILES tiles to its root's, a warp a tile. Past the percolation threshold
 * nearly all components have the same root, and atomics on one address are serialised. So each CTA first adds them up
 * in a small hash table in shared memory. Coordinates there are relative to the CTA's first tile, so that sums fit 32
 * bits. Roots that find no slot in the table are slower, not wrong. */
__device__ void
sum_tiles (const CcaKernelArgs &f, SumShared &s, uint32_t first_tx, uint32_t ty)
{
  constexpr uint32_t none = ~0u;
  const uint32_t t = threadIdx.x, lane = t % 32, warp = t / 32;
  const uint32_t end_tx = min (first_tx + SUM_TILES, f.tiles_x);
  const uint32_t base_x = first_tx * TILE_W, base_y = ty * TILE_H;
  if (t < SUM_SLOTS) {
    s.roots[t] = s.left[t] = none;
    s.sum_x[t] = s.sum_y[t] = s.area[t] = s.right[t] = s.bottom[t] = 0;
  }
  __syncthreads ();
  for (uint32_t tx = first_tx + warp; tx < end_tx; tx += ORDER_WARPS) {
    const uint32_t tile = ty * f.tiles_x + tx, open = f.by_tile.headers[tile].open;
    for (uint32_t i = lane; i < open; i += 32) {
      const uint32_t component = tile * MAX_OPEN_COMPONENTS + i;
      const OpenKey key =
          find_root (f.by_open_component.parents, component, load_parent (f.by_open_component.parents, component));
      const uint32_t root = (uint32_t) key;
      if (root == component)
        continue;
      /* The feature kernel finds the root in one step. Other threads may still pass here: any ancestor is valid. */
      *(volatile OpenKey *) &f.by_open_component.parents[component] = key;
      const OpenSums n = f.by_open_component.sums[component];
      uint32_t slot = (root ^ root / MAX_OPEN_COMPONENTS) % SUM_SLOTS;
      uint32_t owner = atomicCAS (&s.roots[slot], none, root);
      if (owner != none && owner != root) { /* the second and last slot */
        slot ^= 1;
        owner = atomicCAS (&s.roots[slot], none, root);
      }
      if (owner != none && owner != root) {
        add_to_root (&f.by_open_component.sums[root], n.sum_x, n.sum_y, n.area, n.left, n.right, n.bottom);
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
  if (t < SUM_SLOTS && s.roots[t] != none)
    add_to_root (&f.by_open_component.sums[s.roots[t]], s.sum_x[t] + (unsigned long long) s.area[t] * base_x,
        s.sum_y[t] + (unsigned long long) s.area[t] * base_y, s.area[t], s.left[t], s.right[t], s.bottom[t]);
}

__device__ inline uint32_t
warp_sum (uint32_t value)
{
  for (int d = 16; d; d /= 2)
    value += __shfl_xor_sync (~0u, value, d);
  return value;
}

/* Sum over the bands before BAND, by decoupled look-back. The whole first warp calls it. */
__device__ uint32_t
sum_before_band (const CcaKernelArgs &f, uint32_t band)
{
  const uint32_t lane = threadIdx.x % 32;
  uint32_t sum = 0;
  for (int last = (int) band - 1; last >= 0; last -= 32) {
    int i = last - (int) lane;
    unsigned long long state;
    do {
      state = SCAN_STATE_PREFIX; /* nothing precedes the first band */
      if (i >= 0)
        state = *(volatile unsigned long long *) &f.by_band.scan_states[i];
    } while (__any_sync (~0u, state == 0));
    uint32_t prefixes = __ballot_sync (~0u, state >= SCAN_STATE_PREFIX);
    uint32_t stop = prefixes ? __ffs (prefixes) - 1 : 32;
    sum += warp_sum (lane <= stop ? (uint32_t) state : 0);
    if (prefixes)
      break;
  }
  return sum;
}

struct OrderShared {
  uint32_t rows[ORDER_WARPS][TILE_H][2];
  uint32_t warp_sums[ORDER_WARPS];
  uint32_t band, before;
};

/* Numbers the components of a band, by a CTA: marks the first pixels of the open components beside those of the closed
 * ones, counts the marks of each tile's rows and scans the counts in raster order. COUNTS: [TILE_H][tiles_x]. */
__device__ void
order_band (const CcaKernelArgs &f, OrderShared &s, uint8_t *counts)
{
  const uint32_t t = threadIdx.x, lane = t % 32, warp = t / 32;
  const bool limited = f.min_area > 1 || f.max_area; /* only then are areas read here, and must be complete */
  /* Bands go to CTAs in the order in which these start, so that all bands before this one are running or done. */
  if (t == 0)
    s.band = atomicAdd (&f.counters->ticket, 1);
  __syncthreads ();
  const uint32_t band = s.band;

  for (uint32_t tx = warp; tx < f.tiles_x; tx += ORDER_WARPS) {
    const uint32_t tile = band * f.tiles_x + tx;
    const TileHeader header = f.by_tile.headers[tile];
    uint2 *roots = (uint2 *) &f.by_tile_row.starts[(size_t) tile * TILE_H];
    for (int half = 0; half < 2; half++) {
      uint2 row = header.closed ? roots[half * 32 + lane] : make_uint2 (0, 0);
      s.rows[warp][half * 32 + lane][0] = row.x;
      s.rows[warp][half * 32 + lane][1] = row.y;
    }
    __syncwarp ();
    for (uint32_t i = lane; i < header.open; i += 32) {
      uint32_t component = tile * MAX_OPEN_COMPONENTS + i;
      OpenKey key = load_parent (f.by_open_component.parents, component);
      if ((uint32_t) key == component && (!limited || is_area_kept (f, f.by_open_component.sums[component].area))) {
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
    volatile unsigned long long *state = &f.by_band.scan_states[band];
    if (lane == 0 && band > 0)
      *state = SCAN_STATE_SUM | band_sum;
    uint32_t before = sum_before_band (f, band);
    if (lane == 0) {
      *state = SCAN_STATE_PREFIX | (before + band_sum);
      s.before = before;
      if (band == f.tiles_y - 1) {
        const uint32_t count = before + band_sum, closed = f.counters->closed;
        *f.header = {count, closed, f.threshold_device ? *f.threshold_device : f.threshold,
            count <= f.table.capacity && closed <= f.closed.capacity};
        *f.numbers = {f.header->rows_complete, count, 0};
        /* For the next frame. All tiles have reserved their records and all bands have drawn their tickets. */
        f.counters->closed = 0;
        f.counters->ticket = 0;
      }
    }
  }
  __syncthreads ();
  uint32_t base = s.before + s.warp_sums[warp] + scan - sum;
  uint32_t *out = f.by_image_row.table_rows + (size_t) band * total;
  for (uint32_t i = begin; i < end; i++) {
    out[i] = base;
    base += counts[i];
  }
}

/* Adds up components (SUM) and numbers them (ORDER), each in CTAs of its own: both need no more than the united
 * components. With area limits, ORDER needs the complete areas and is a launch of its own. */
template <bool SUM, bool ORDER>
__global__ void
__launch_bounds__ (ORDER_THREADS) sum_and_order_kernel (const CcaKernelArgs f)
{
  extern __shared__ uint8_t counts[];
  __shared__ union {
    SumShared sum;
    OrderShared order;
  } s;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t bands = ORDER ? f.tiles_y : 0;
  if (ORDER && blockIdx.x < bands) {
    order_band (f, s.order, counts);
  } else if (SUM) {
    const uint32_t i = blockIdx.x - bands, a_row = ctr_div_up (f.tiles_x, SUM_TILES);
    sum_tiles (f, s.sum, i % a_row * SUM_TILES, i / a_row);
  }
}

} // namespace

void
cca_launch_merge (const CcaKernelArgs &f, int connectivity, bool overlap, cudaStream_t stream)
{
  const unsigned tiles = f.tiles_x * f.tiles_y;
  const bool small = tiles <= MAX_SPLIT_TILES;
  auto seam = connectivity == 8 ? small ? seam_kernel<8, 1> : seam_kernel<8, SEAM_STEPS>
              : small ? seam_kernel<4, 1>
                                : seam_kernel<4, SEAM_STEPS>;
  ctr_launch_overlapped (
      overlap, seam, ctr_div_up (small ? tiles * SEAM_STEPS : tiles, SEAM_WARPS), 32 * SEAM_WARPS, 0, stream, f);
  const unsigned sum_ctas = ctr_div_up (f.tiles_x, SUM_TILES) * f.tiles_y;
  const int counts = TILE_H * f.tiles_x;
  const bool limited = f.min_area > 1 || f.max_area;
  auto order = limited ? sum_and_order_kernel<false, true> : sum_and_order_kernel<true, true>;
  /* Together with the static part this may exceed 48 KB, which an attribute of the kernel has to allow. It is set for
   * the widest image, because other threads and graphs may launch the same kernel for larger frames than this one. */
  constexpr int max_counts = TILE_H * ((CTR_MAX_SIDE + TILE_W - 1) / TILE_W);
  if (counts > 24 * 1024)
    cudaFuncSetAttribute (order, cudaFuncAttributeMaxDynamicSharedMemorySize, max_counts);
  if (limited)
    ctr_launch_overlapped (overlap, sum_and_order_kernel<true, false>, sum_ctas, ORDER_THREADS, 0, stream, f);
  ctr_launch_overlapped (overlap, order, f.tiles_y + (limited ? 0 : sum_ctas), ORDER_THREADS, counts, stream, f);
}
