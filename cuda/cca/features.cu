/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis, on request: label image, second moments and grey values. A second pass over the tiles, once every
 * run's label is known. */
#include "cuda/cca/device_state.cuh"

namespace
{

/* A thread's sums for one label. */
struct FeatureSums {
  unsigned long long xx, xy, yy, grey, grey_sq;
  uint32_t min, max;

  __device__ void
  clear ()
  {
    xx = xy = yy = grey = grey_sq = 0;
    min = 0xffff;
    max = 0;
  }

  /* Adds up the sums of the warp's lanes. */
  __device__ void
  reduce ()
  {
    for (int d = 16; d; d /= 2) {
      xx += __shfl_xor_sync (~0u, xx, d);
      xy += __shfl_xor_sync (~0u, xy, d);
      yy += __shfl_xor_sync (~0u, yy, d);
      grey += __shfl_xor_sync (~0u, grey, d);
      grey_sq += __shfl_xor_sync (~0u, grey_sq, d);
      min = ::min (min, __shfl_xor_sync (~0u, min, d));
      max = ::max (max, __shfl_xor_sync (~0u, max, d));
    }
  }
};

__device__ void
add (const CcaKernelArgs &f, uint32_t label, const FeatureSums &s)
{
  if (label == 0)
    return;
  if (f.by_table_row.moments) {
    unsigned long long *m = (unsigned long long *) &f.by_table_row.moments[label - 1];
    atomicAdd (m, s.xx);
    atomicAdd (m + 1, s.xy);
    atomicAdd (m + 2, s.yy);
  }
  if (f.by_table_row.grey) {
    unsigned long long *g = (unsigned long long *) &f.by_table_row.grey[label - 1];
    atomicAdd (g, s.grey);
    atomicAdd (g + 1, s.grey_sq);
    /* Minimum and maximum share a word, which takes compare-and-swap; mostly there is nothing to change. */
    uint32_t *limits = (uint32_t *) (g + 2);
    uint32_t old = __ldcg (limits);
    for (;;) {
      uint32_t lo = ::min (old & 0xffff, s.min), hi = ::max (old >> 16, s.max), seen;
      if ((hi << 16 | lo) == old)
        break;
      seen = atomicCAS (limits, old, hi << 16 | lo);
      if (seen == old)
        break;
      old = seen;
    }
  }
}

/* 0 + 1 + 4 + … + n². */
__device__ inline uint64_t
squares_to (int64_t n)
{
  return (uint64_t) (n * (n + 1) * (2 * n + 1) / 6);
}

/* Is nothing asked for but the labels of the first and the last row? Then only their tiles matter. */
__host__ __device__ inline bool
has_only_edges (const CcaKernelArgs &f)
{
  return !f.by_pixel.labels && !f.by_table_row.moments && !f.by_table_row.grey;
}

__global__ void
__launch_bounds__ (TILE_THREADS) feature_kernel (const CcaKernelArgs f)
{
  __shared__ uint32_t run_label[TILE_SLOTS];
  __shared__ uint32_t bits[TILE_THREADS];
  __shared__ int8_t before_word[TILE_THREADS];
  __shared__ unsigned long long rows[TILE_H];
  __shared__ uint32_t bases[TILE_H];
  const uint32_t t = threadIdx.x, row = t / TILE_WORDS, word = t % TILE_WORDS, lane = t % 32;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t tx = blockIdx.x, ty = has_only_edges (f) && blockIdx.y ? f.tiles_y - 1 : blockIdx.y;
  const uint32_t tile = ty * f.tiles_x + tx;
  const uint32_t w = f.by_word.foreground[tile * TILE_THREADS + t];
  bits[t] = w;
  /* Some table rows are missing: the host will grow the table and repeat the frame. */
  if (!f.header->rows_complete)
    return;
  const TileHeader header = f.by_tile.headers[tile];
  if (t < TILE_H && (header.open || has_closed (header))) {
    rows[t] = f.by_tile_row.starts[(size_t) tile * TILE_H + t];
    bases[t] = f.by_tile_row.table_rows[(size_t) tile * TILE_H + t];
  }
  __syncthreads ();
  const uint32_t carry = word ? bits[t - 1] >> 31 : 0;
  const uint32_t starts = w & ~(w << 1 | carry);
  /* First column of the run that reaches into this word from the left; -1: none does. */
  int before = -1;
  for (int i = (int) word - 1; i >= 0 && before < 0; i--) {
    uint32_t left = bits[t - word + i], left_carry = i ? bits[t - word + i - 1] >> 31 : 0;
    uint32_t m = left & ~(left << 1 | left_carry);
    before = m ? i * 32 + 31 - __clz (m) : -1;
  }
  before_word[t] = before;
  for (uint32_t rest = starts; rest; rest &= rest - 1) {
    uint32_t slot = row * ROW_SLOTS + (word * 32 + __ffs (rest) - 1) / 2;
    uint32_t root = f.by_run_slot.refs[(size_t) tile * TILE_SLOTS + slot], label = 0;
    if (root & OPEN_REF) {
      /* The order kernel has made nearly every parent a root. */
      uint32_t component = tile * MAX_OPEN_COMPONENTS + (root & 255), up;
      while ((up = (uint32_t) f.by_open_component.parents[component]) != component)
        component = up;
      label = f.by_open_root.labels[component];
    } else {
      uint32_t y = root / ROW_SLOTS;
      unsigned long long bit = 1ull << root % ROW_SLOTS;
      if (rows[y] & bit)
        label = bases[y] + __popcll (rows[y] & (bit - 1)) + 1;
    }
    run_label[slot] = label;
  }
  __syncthreads ();

  /* Writes the labels of the tile's row Y to a row of the image. */
  auto write_labels = [&] (uint32_t y, uint32_t *labels) {
    for (uint32_t i = 0; i < TILE_WORDS; i++) {
      const uint32_t x = i * 32 + lane, image_x = tx * TILE_W + x, b = bits[y * TILE_WORDS + i];
      if (image_x >= f.width)
        continue;
      const uint32_t b_carry = i ? bits[y * TILE_WORDS + i - 1] >> 31 : 0;
      const uint32_t m = b & ~(b << 1 | b_carry) & ~0u >> (31 - lane);
      const uint32_t start = m ? i * 32 + 31 - __clz (m) : before_word[y * TILE_WORDS + i];
      labels[image_x] = b >> lane & 1 ? run_label[y * ROW_SLOTS + start / 2] : 0;
    }
  };
  if (f.by_pixel.labels) {
    for (uint32_t y = t / 32; y < TILE_H && ty * TILE_H + y < f.height; y += TILE_THREADS / 32)
      write_labels (y, f.by_pixel.labels + (size_t) (ty * TILE_H + y) * f.width);
  }
  if (f.by_edge_pixel.labels) {
    const uint32_t last = f.height - 1;
    if (t / 32 == 0 && ty == 0)
      write_labels (0, f.by_edge_pixel.labels);
    if (t / 32 == 1 && ty == last / TILE_H)
      write_labels (last % TILE_H, f.by_edge_pixel.labels + f.width);
  }
  if (!f.by_table_row.moments && !f.by_table_row.grey)
    return;

  /* Each thread has one word. It adds up consecutive pieces of one component before it writes them. */
  const uint32_t y = ty * TILE_H + row;
  const uint8_t *line = f.samples.pixels + (y < f.height ? y * f.samples.stride : 0);
  uint32_t label = 0;
  FeatureSums sums;
  sums.clear ();
  for (uint32_t rest = starts | (w & carry); rest;) {
    const uint32_t low = rest & -rest;
    rest ^= low;
    const uint32_t bit = __ffs (low) - 1, length = __popc (w & ((rest & -rest) - low));
    const uint32_t start = starts & low ? word * 32 + bit : before;
    const uint32_t piece_label = run_label[row * ROW_SLOTS + start / 2];
    if (piece_label != label) {
      add (f, label, sums);
      sums.clear ();
      label = piece_label;
    }
    if (label == 0)
      continue;
    const uint64_t x = tx * TILE_W + word * 32 + bit, sum_x = length * (2 * x + length - 1) / 2;
    sums.xx += squares_to (x + length - 1) - squares_to ((int64_t) x - 1);
    sums.xy += sum_x * y;
    sums.yy += (uint64_t) length * y * y;
    if (f.by_table_row.grey) {
      for (uint32_t i = 0; i < length; i++) {
        uint32_t v = f.samples.wide ? ((const uint16_t *) line)[x + i] : line[x + i];
        sums.grey += v;
        sums.grey_sq += (uint64_t) v * v;
        sums.min = min (sums.min, v);
        sums.max = max (sums.max, v);
      }
    }
  }
  /* A large component fills whole warps: up to two labels are reduced across the lanes before they are written. */
  for (int i = 0; i < 2; i++) {
    const uint32_t pending = __ballot_sync (~0u, label != 0);
    if (!pending)
      return;
    const uint32_t common = __shfl_sync (~0u, label, __ffs (pending) - 1);
    const bool mine = label == common;
    if (__popc (__ballot_sync (~0u, mine)) < 4)
      break;
    FeatureSums part;
    part.clear ();
    if (mine)
      part = sums;
    part.reduce ();
    if (lane == 0)
      add (f, common, part);
    if (mine)
      label = 0;
  }
  add (f, label, sums);
}

} // namespace

void
cca_launch_features (const CcaKernelArgs &f, cudaStream_t stream)
{
  const uint32_t rows = has_only_edges (f) && f.tiles_y > 2 ? 2 : f.tiles_y;
  ctr_launch (feature_kernel, dim3 (f.tiles_x, rows), TILE_THREADS, 0, stream, f);
}
