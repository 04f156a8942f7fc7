/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contours of levels, first half: from samples to rings of nodes. */
#include "cuda/cracks_layout.cuh"
#include "cuda/lookback.cuh"

#include <cub/device/device_radix_sort.cuh>

namespace
{

constexpr int THREADS = 256, SHARE = SCAN_SHARE / THREADS;

__device__ inline uint64_t
index_here ()
{
  return (uint64_t) blockIdx.x * THREADS + threadIdx.x;
}

/* A thread a pixel. */
__global__ void
__launch_bounds__ (THREADS) level_kernel (const __grid_constant__ CracksFrame f)
{
  const uint64_t i = index_here ();
  if (i >= (uint64_t) f.width * f.height)
    return;
  const uint32_t x = i % f.width, y = i / f.width;
  const uint8_t *row = f.pixels + y * f.stride;
  const uint32_t sample = f.depth == 8 ? row[x] : ((const uint16_t *) row)[x];
  const bool outermost = x == 0 || y == 0 || x + 1 == f.width || y + 1 == f.height;
  f.ranks[i] = f.zero_frame && outermost ? 0 : f.sample_ranks[sample];
}

/* The pixels around a vertex: upper left, upper right, lower left, lower right. */
struct Around {
  uint32_t ranks[4];

  __device__
  Around (const CracksFrame &f, uint32_t x, uint32_t y)
      : ranks{rank_at (f, (int) x - 1, (int) y - 1), rank_at (f, x, (int) y - 1), rank_at (f, (int) x - 1, y),
          rank_at (f, x, y)}
  {
  }

  /* Which are foreground: 8, 4, 2, 1. */
  __device__ uint32_t
  mask (uint32_t rank, bool equal) const
  {
    uint32_t m = 0;
#pragma unroll
    for (int i = 0; i < 4; i++)
      m |= (equal ? ranks[i] == rank : ranks[i] >= rank) ? 8 >> i : 0;
    return m;
  }

  /* Calls CORNER (rank, mask) for every rank, ascending, at which lines turn here. */
  template <typename Corner>
  __device__ void
  each (bool equal, Corner corner) const
  {
    uint32_t v[4] = {ranks[0], ranks[1], ranks[2], ranks[3]};
    auto order = [&] (int a, int b) {
      if (v[a] > v[b]) {
        const uint32_t t = v[a];
        v[a] = v[b];
        v[b] = t;
      }
    };
    order (0, 1);
    order (2, 3);
    order (0, 2);
    order (1, 3);
    order (1, 2);
    if (equal) {
      for (int i = 0; i < 4; i++)
        if (v[i] && (i == 0 || v[i] != v[i - 1]))
          call (v[i], mask (v[i], true), corner);
    } else {
      for (uint32_t rank = v[0] + 1; rank <= v[3]; rank++)
        call (rank, mask (rank, false), corner);
    }
  }

  template <typename Corner>
  static __device__ void
  call (uint32_t rank, uint32_t mask, Corner corner)
  {
    /* None or all; straight lines. */
    if (!(1u << mask & (1u << 0 | 1u << 15 | 1u << 3 | 1u << 12 | 1u << 5 | 1u << 10)))
      corner (rank, mask);
  }
};

__device__ inline uint32_t
nodes_of (uint32_t mask)
{
  return mask == 6 || mask == 9 ? 2 : 1;
}

/* How many nodes a vertex has, without going through its levels. */
__device__ inline uint32_t
count_nodes (const CracksFrame &f, const Around &a)
{
  uint32_t count = 0;
  if (f.equal) {
    a.each (true, [&] (uint32_t, uint32_t mask) { count += nodes_of (mask); });
    return count;
  }
  const uint32_t *r = a.ranks;
  const uint32_t low = min (min (r[0], r[1]), min (r[2], r[3])), high = max (max (r[0], r[1]), max (r[2], r[3]));
  /* The diagonals: where one is above the other as a whole, both of its pixels are. */
  const uint32_t least_a = min (r[0], r[3]), most_a = max (r[0], r[3]), least_b = min (r[1], r[2]),
                 most_b = max (r[1], r[2]);
  const uint32_t between = least_a > most_b ? least_a - most_b : least_b > most_a ? least_b - most_a : 0;
  /* The second and third of the four in order. */
  const uint32_t second = min (max (least_a, least_b), min (most_a, most_b)),
                 third = max (max (least_a, least_b), min (most_a, most_b));
  return (second - low) + (high - third) + 2 * between;
}

/* Counts the nodes and those before each vertex, by rows. */
__global__ void
__launch_bounds__ (THREADS) row_kernel (const __grid_constant__ CracksFrame f)
{
  __shared__ uint32_t ticket, sums[THREADS / 32];
  if (threadIdx.x == 0)
    ticket = atomicAdd (&f.counters->tickets[SCAN_ROWS], 1);
  __syncthreads ();
  const uint64_t vertices = cracks_vertices (f), from = ((uint64_t) ticket * THREADS + threadIdx.x) * SHARE;
  uint32_t counts[SHARE], own = 0;
  for (int i = 0; i < SHARE; i++) {
    counts[i] = 0;
    if (from + i < vertices) {
      const uint32_t x = (from + i) % (f.width + 1), y = (from + i) / (f.width + 1);
      counts[i] = count_nodes (f, Around (f, x, y));
      f.counts[from + i] = counts[i];
    }
    own += counts[i];
  }
  uint32_t all;
  uint32_t sum = device_scan<THREADS> (own, f.scan_states[SCAN_ROWS], ticket, sums, &all);
  for (int i = 0; i < SHARE; i++) {
    if (from + i < vertices)
      f.row_base[from + i] = sum;
    sum += counts[i];
  }
  /* In 64 bits. */
  for (int d = 16; d; d /= 2)
    own += __shfl_xor_sync (~0u, own, d);
  if (threadIdx.x % 32 == 0 && own)
    atomicAdd (&f.counters->header.nodes, (unsigned long long) own);
}

/* Nodes before each vertex, by columns. */
__global__ void
__launch_bounds__ (THREADS) column_kernel (const __grid_constant__ CracksFrame f)
{
  __shared__ uint32_t ticket, sums[THREADS / 32];
  if (threadIdx.x == 0)
    ticket = atomicAdd (&f.counters->tickets[SCAN_COLUMNS], 1);
  __syncthreads ();
  if (!nodes_fit (f))
    return;
  const uint64_t vertices = cracks_vertices (f), from = ((uint64_t) ticket * THREADS + threadIdx.x) * SHARE;
  auto vertex = [&] (uint64_t i) { return i % (f.height + 1) * (f.width + 1) + i / (f.height + 1); };
  uint32_t counts[SHARE], own = 0;
  for (int i = 0; i < SHARE; i++) {
    counts[i] = from + i < vertices ? f.counts[vertex (from + i)] : 0;
    own += counts[i];
  }
  uint32_t all;
  uint32_t sum = device_scan<THREADS> (own, f.scan_states[SCAN_COLUMNS], ticket, sums, &all);
  for (int i = 0; i < SHARE; i++) {
    if (from + i < vertices)
      f.column_base[vertex (from + i)] = sum;
    sum += counts[i];
  }
}

/* By mask: flags of the line there. Where it comes from and goes to: 1 south, east; 2 west, south; 4 east, north; 7
 * west, north; 8 north, west; 11 north, east; 13 south, west; 14 east, south. */
__device__ inline uint32_t
kind_of (uint32_t mask)
{
  const bool vertically = 1u << mask & (1u << 2 | 1u << 4 | 1u << 7 | 1u << 14);
  return (vertically ? NODE_GOES_VERTICALLY : 0) | (mask == 1 ? NODE_STARTS_OUTSIDE : 0)
         | (mask == 14 ? NODE_STARTS_HOLE : 0);
}

/* A thread a vertex: its nodes, and their keys in both orders. Where two lines turn, the one with the western arm comes
 * first by rows, the one with the northern arm by columns. Fills up what is sorted with it. */
__global__ void
__launch_bounds__ (THREADS) node_kernel (const __grid_constant__ CracksFrame f)
{
  if (!nodes_fit (f))
    return;
  const uint64_t vertex = index_here ();
  const uint32_t nodes = (uint32_t) f.counters->header.nodes;
  for (uint64_t i = nodes + vertex; i < f.node_capacity; i += (uint64_t) gridDim.x * THREADS)
    f.keys[0][i] = f.level_count + 1;
  if (vertex >= cracks_vertices (f) || !f.counts[vertex])
    return;
  const uint32_t x = vertex % (f.width + 1), y = vertex / (f.width + 1);
  uint32_t row = f.row_base[vertex], column = f.column_base[vertex];
  auto add = [&] (uint32_t rank, uint32_t mask, uint32_t row_turn, uint32_t column_turn) {
    const uint32_t node = row + row_turn;
    f.found_place[node] = x | y << 16;
    f.found_kind[node] = kind_of (mask);
    f.keys[0][node] = rank;
    f.values[0][node] = node;
    f.by_columns[column + column_turn] = node; /* for the sort by columns */
  };
  Around (f, x, y).each (f.equal, [&] (uint32_t rank, uint32_t mask) {
    if (mask == 6) {
      add (rank, f.four_connected ? 2 : 7, 0, f.four_connected ? 1 : 0);
      add (rank, f.four_connected ? 4 : 14, 1, f.four_connected ? 0 : 1);
    } else if (mask == 9) {
      add (rank, f.four_connected ? 8 : 13, 0, f.four_connected ? 0 : 1);
      add (rank, f.four_connected ? 1 : 11, 1, f.four_connected ? 1 : 0);
    } else {
      add (rank, mask, 0, 0);
    }
    row += nodes_of (mask);
    column += nodes_of (mask);
  });
}

/* Between the sorts: a thread a node by rows, and one by columns. */
__global__ void
__launch_bounds__ (THREADS) sorted_kernel (const __grid_constant__ CracksFrame f)
{
  const uint64_t i = index_here ();
  if (!nodes_fit (f) || i >= f.counters->header.nodes)
    return;
  const uint32_t found = f.values[1][i];
  f.place[i] = f.found_place[found];
  f.kind[i] = f.found_kind[found];
  f.rank[i] = f.keys[1][i];
  f.vertical[found] = i; /* for now: where the node went */
}

__global__ void
__launch_bounds__ (THREADS) columns_kernel (const __grid_constant__ CracksFrame f)
{
  const uint64_t i = index_here ();
  if (!nodes_fit (f) || i >= f.counters->header.nodes)
    return;
  const uint32_t to = f.vertical[f.by_columns[i]];
  f.keys[0][i] = f.rank[to];
  f.values[0][i] = to;
}

/* Who meets whom: neighbours in either order. */
__global__ void
__launch_bounds__ (THREADS) vertical_kernel (const __grid_constant__ CracksFrame f)
{
  const uint64_t i = index_here ();
  if (!nodes_fit (f) || i >= f.counters->header.nodes)
    return;
  const uint32_t node = f.values[1][i];
  f.down_columns[i] = node;
  f.vertical[node] = f.values[1][i ^ 1];
}

__global__ void
__launch_bounds__ (THREADS) segment_kernel (const __grid_constant__ CracksFrame f)
{
  const uint64_t i = index_here ();
  if (!nodes_fit (f))
    return;
  if (i == 0)
    f.counters->progress.count = (uint32_t) f.counters->header.nodes;
  if (i >= f.counters->header.nodes)
    return;
  const uint32_t kind = f.kind[i], next = kind & NODE_GOES_VERTICALLY ? f.vertical[i] : (uint32_t) i ^ 1;
  const uint32_t key = kind & (NODE_STARTS_OUTSIDE | NODE_STARTS_HOLE) ? (uint32_t) i : NO_KEY;
  f.rings.segments[i] = {next, 1, key, 0};
  f.rings.views[0][i] = {next, 1, key, 0};
}

unsigned
ctas_for (uint64_t items)
{
  return (unsigned) ((items + THREADS - 1) / THREADS) + (items == 0);
}

} // namespace

cudaError_t
cracks_sort (uint32_t *const keys[2], uint32_t *const values[2], uint32_t count, uint64_t largest_key, void *temporary,
    size_t *size, cudaStream_t stream)
{
  int bits = 1;
  while (largest_key >> bits)
    bits++;
  return cub::DeviceRadixSort::SortPairs (
      temporary, *size, keys[0], keys[1], values[0], values[1], count, 0, bits, stream);
}

bool
cracks_launch_nodes (const CracksFrame &f, CtrBuffer *temporary, cudaStream_t stream, CtrError *error)
{
  const uint64_t vertices = cracks_vertices (f);
  const unsigned scans = (unsigned) ((vertices + SCAN_SHARE - 1) / SCAN_SHARE), nodes = ctas_for (f.node_capacity);
  size_t size = temporary->size;
  level_kernel<<<ctas_for ((uint64_t) f.width * f.height), THREADS, 0, stream>>> (f);
  row_kernel<<<scans, THREADS, 0, stream>>> (f);
  if (f.node_capacity == 0) /* the frame will be done again */
    return true;
  column_kernel<<<scans, THREADS, 0, stream>>> (f);
  node_kernel<<<ctas_for (vertices), THREADS, 0, stream>>> (f);
  CTR_CUDA (cracks_sort (f.keys, f.values, f.node_capacity, f.level_count + 1, temporary->data, &size, stream));
  sorted_kernel<<<nodes, THREADS, 0, stream>>> (f);
  columns_kernel<<<nodes, THREADS, 0, stream>>> (f);
  CTR_CUDA (cracks_sort (f.keys, f.values, f.node_capacity, f.level_count + 1, temporary->data, &size, stream));
  vertical_kernel<<<nodes, THREADS, 0, stream>>> (f);
  segment_kernel<<<nodes, THREADS, 0, stream>>> (f);
  CTR_CUDA (cudaGetLastError ());
  ctr_launch_small_rings (f.rings, false, stream);
  ctr_launch_rings (f.rings, false, stream);
  return true;
}
