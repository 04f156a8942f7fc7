/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Links between edge pixels: from the mask to the nodes that are ranked. */
#include "cuda/common/scan.cuh"
#include "cuda/contours/contour_kernels.cuh"
#include "cuda/edgechains/device_state.cuh"

namespace
{

constexpr int THREADS = CONTOUR_THREADS;
constexpr int WORDS_EACH = SCAN_SHARE / THREADS; /* of a thread of the count kernel */

/* Packs the mask, a warp a word, and clears what the other kernels count in. */
__global__ void
__launch_bounds__ (THREADS) mark_kernel (const __grid_constant__ EdgeChainsArgs f)
{
  static_assert (sizeof (EdgeChainsCounters) / 4 <= THREADS, "a thread a word");
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t lane = threadIdx.x % 32, chain_states = f.ranking.capacity / SCAN_SHARE + 1;
  const uint32_t offset_states = f.contour_capacity / SCAN_SHARE + 1;
  if (blockIdx.x == 0) {
    if (threadIdx.x < sizeof (EdgeChainsCounters) / 4)
      ((uint32_t *) f.counters)[threadIdx.x] = 0;
    if (threadIdx.x == 0)
      *f.output = f.frame_output;
  }
  for (uint32_t i = first_index (); i < f.count_ctas; i += index_step ())
    f.count_states[i] = 0;
  for (uint32_t i = first_index (); i < chain_states; i += index_step ())
    f.scan_states[CHAIN_SCAN][i] = 0;
  for (uint32_t i = first_index (); i < offset_states; i += index_step ())
    f.scan_states[OFFSET_SCAN][i] = 0;
  for (uint32_t word = first_index () / 32; word < f.by_word.count; word += index_step () / 32) {
    const uint32_t y = word / f.by_word.per_row, x = word % f.by_word.per_row * 32 + lane;
    const uint32_t edges = __ballot_sync (~0u, x < f.width && f.mask[y * f.stride + x]);
    if (lane == 0)
      f.by_word.edges[word] = edges;
  }
}

/* The nodes of a word's pixels: bits by direction; those without links. */
struct WordNodes {
  uint32_t links[CTR_LINKS_DIRECTIONS], lone;

  __device__
  WordNodes (const EdgeChainsArgs &f, uint32_t word)
  {
    const uint32_t here = f.by_word.edges[word];
    lone = here;
    for (uint32_t &l : links)
      l = 0;
    if (!here)
      return;
    const int x = (int) (word % f.by_word.per_row), y = (int) (word / f.by_word.per_row);
    uint32_t left[3], middle[3], right[3]; /* by row: the neighbours */
    for (int k = 0; k < 3; k++) {
      middle[k] = k == 1 ? here : load_edges (f, x, y + k - 1);
      left[k] = middle[k] << 1 | load_edges (f, x - 1, y + k - 1) >> 31;
      right[k] = middle[k] >> 1 | load_edges (f, x + 1, y + k - 1) << 31;
    }
    links[0] = here & right[1];
    links[2] = here & middle[2];
    links[4] = here & left[1];
    links[6] = here & middle[0];
    links[1] = here & right[2] & ~(links[0] | links[2]);
    links[3] = here & left[2] & ~(links[2] | links[4]);
    links[5] = here & left[0] & ~(links[4] | links[6]);
    links[7] = here & right[0] & ~(links[6] | links[0]);
    for (const uint32_t l : links)
      lone &= ~l;
  }

  /* The number of the nodes of the pixels in BITS. */
  __device__ uint32_t
  count (uint32_t bits) const
  {
    uint32_t sum = __popc (lone & bits);
    for (const uint32_t l : links)
      sum += __popc (l & bits);
    return sum;
  }
};

__global__ void
__launch_bounds__ (THREADS) count_kernel (const __grid_constant__ EdgeChainsArgs f)
{
  __shared__ uint32_t ticket, sums[THREADS / 32];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (threadIdx.x == 0)
    ticket = atomicAdd (&f.counters->count_ticket, 1);
  __syncthreads ();
  const uint32_t from = (ticket * THREADS + threadIdx.x) * WORDS_EACH;
  uint32_t counts[WORDS_EACH], own = 0;
#pragma unroll 1
  for (int i = 0; i < WORDS_EACH; i++) {
    counts[i] = from + i < f.by_word.count ? WordNodes (f, from + i).count (~0u) : 0;
    own += counts[i];
  }
  uint32_t all, before = device_scan<THREADS> (own, f.count_states, ticket, sums, &all);
  for (int i = 0; i < WORDS_EACH; i++) {
    if (from + i < f.by_word.count)
      f.by_word.first_node[from + i] = before;
    before += counts[i];
  }
  if (threadIdx.x == 0 && ticket == gridDim.x - 1) {
    f.counters->header.nodes = all;
    f.counters->ranked_nodes = all <= f.ranking.capacity ? all : 0;
  }
}

/* The node of pixel (X, Y) that comes after those of NODES, its directions with smaller numbers. */
__device__ inline uint32_t
node_of (const EdgeChainsArgs &f, uint32_t x, uint32_t y, uint32_t smaller)
{
  const uint32_t word = y * f.by_word.per_row + x / 32, before = (1u << x % 32) - 1;
  return f.by_word.first_node[word] + WordNodes (f, word).count (before) + __popc (smaller);
}

/* The node behind the one of the link from (X, Y) to DIRECTION. */
__device__ inline uint32_t
next_node (const EdgeChainsArgs &f, uint32_t x, uint32_t y, uint32_t direction)
{
  x += (uint32_t) ctr_link_x (direction);
  y += (uint32_t) ctr_link_y (direction);
  const uint32_t links = links_of_pixel (f, x, y), back = 1u << ctr_link_back (direction);
  const uint32_t next = __popc (links) == 2 ? links & ~back : back;
  return node_of (f, x, y, links & (next - 1));
}

__device__ inline void
write_node (const EdgeChainsArgs &f, uint32_t node, uint32_t next, bool inside, uint32_t pixel)
{
  const uint32_t key = node | (inside ? KEY_INSIDE : 0);
  f.ranking.segments[node] = {next, 1, key, pixel};
  f.ranking.views[node] = {next, 1, key, 0};
  f.by_node.rows[node] = 0;
}

/* Makes the nodes, a thread a pixel, a warp a word. */
__global__ void
__launch_bounds__ (THREADS) link_kernel (const __grid_constant__ EdgeChainsArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!nodes_fit (f))
    return;
  const uint32_t lane = threadIdx.x % 32;
  for (uint32_t word = first_index () / 32; word < f.by_word.count; word += index_step () / 32) {
    if (!(f.by_word.edges[word] >> lane & 1))
      continue;
    const uint32_t y = word / f.by_word.per_row, x = word % f.by_word.per_row * 32 + lane, pixel = x | y << 16;
    uint32_t links = links_of_pixel (f, x, y), node = node_of (f, x, y, 0);
    const bool inside = __popc (links) == 2;
    if (!links)
      write_node (f, node, node, false, pixel);
    for (; links; links &= links - 1, node++)
      write_node (f, node, next_node (f, x, y, (uint32_t) __ffs ((int) links) - 1), inside, pixel);
  }
}

} // namespace

void
edge_chains_launch_links (const EdgeChainsArgs &f, bool overlap, cudaStream_t stream)
{
  /* What was queued before may be any kernel. */
  launch_over (mark_kernel, (uint64_t) f.by_word.count * 32, f, false, stream);
  ctr_launch_overlapped (overlap, count_kernel, f.count_ctas, THREADS, 0, stream, f);
  launch_over (link_kernel, (uint64_t) f.by_word.count * 32, f, overlap, stream);
}
