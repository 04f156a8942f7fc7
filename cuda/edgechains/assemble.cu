/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chains: from ranked nodes to rows and points. */
#include "cuda/contours/contour_measures.cuh"
#include "cuda/contours/rows.cuh"
#include "cuda/edgechains/device_state.cuh"

namespace
{

constexpr int THREADS = CONTOUR_THREADS;
constexpr uint32_t CHUNK = 256; /* points that a warp measures */

/* What a node knows of its ring after the ranking. */
struct Ring {
  uint32_t start;  /* where it begins */
  bool open, lone; /* an open chain to its end and back; a pixel without links */
  uint32_t links;  /* of the chain */
  uint32_t rank;   /* nodes from the start to the node */

  __device__
  Ring (const EdgeChainsArgs &f, uint32_t node)
  {
    const ListView view = f.ranking.views[node];
    start = view.key & ~KEY_INSIDE;
    open = !(view.key & KEY_INSIDE);
    const uint32_t length = list_ranking_ring_length (f.ranking, start);
    lone = length == 1;
    links = lone ? 0 : open ? length / 2 : length;
    rank = view.distance == 0 ? 0 : length - view.distance;
  }

  __device__ uint32_t
  points () const
  {
    return open ? links + 1 : links;
  }

  /* Is the chain read in this direction? Of the two rings of a closed chain, the one whose start is the first node of its
   * pixel is. */
  __device__ bool
  is_read (const EdgeChainsArgs &f) const
  {
    return open || start == 0 || f.ranking.segments[start - 1].maker_data != f.ranking.segments[start].maker_data;
  }
};

/* Counts diagonal links where the number of links alone does not tell whether the chain is long enough. */
__global__ void
__launch_bounds__ (THREADS) lengths_kernel (const __grid_constant__ EdgeChainsArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!nodes_fit (f))
    return;
  const uint32_t nodes = f.counters->header.nodes;
  for (uint32_t i = first_index (); i < nodes; i += index_step ()) {
    const Ring ring (f, i);
    if (ring.rank >= ring.links || ring.links * CTR_LINK_STRAIGHT >= f.min_length
        || ring.links * CTR_LINK_DIAGONAL < f.min_length)
      continue;
    const ListSegment s = f.ranking.segments[i];
    const uint32_t turned = s.maker_data ^ f.ranking.segments[s.next].maker_data;
    if (turned & 0xffff && turned >> 16)
      atomicAdd (&f.by_node.rows[ring.start], 1u);
  }
}

/* Does the chain that begins at NODE stay? */
__device__ inline bool
stays (const EdgeChainsArgs &f, const Ring &ring, uint32_t node)
{
  if (ring.links * CTR_LINK_STRAIGHT >= f.min_length)
    return true;
  const uint32_t diagonals = f.by_node.rows[node];
  return (ring.links - diagonals) * CTR_LINK_STRAIGHT + diagonals * CTR_LINK_DIAGONAL >= f.min_length;
}

/* Gives rows to the chains that stay, in the order of their first nodes. */
__global__ void
__launch_bounds__ (THREADS) number_kernel (const __grid_constant__ EdgeChainsArgs f)
{
  __shared__ uint32_t ticket, points, sums[THREADS / 32];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  EdgeChainsHeader &h = f.counters->header;
  const uint32_t nodes = h.nodes;
  if (!nodes_fit (f))
    return;
  if (threadIdx.x == 0) {
    ticket = atomicAdd (&f.counters->scan_tickets[CHAIN_SCAN], 1);
    points = 0;
  }
  __syncthreads ();
  if (ticket * SCAN_SHARE >= nodes)
    return;
  const uint32_t from = (ticket * THREADS + threadIdx.x) * SCAN_EACH;
  uint32_t lengths[SCAN_EACH], own = 0, own_points = 0;
#pragma unroll
  for (int i = 0; i < SCAN_EACH; i++) {
    const uint32_t node = from + i;
    lengths[i] = 0;
    if (node >= nodes)
      continue;
    if (f.ranking.segments[node].key == f.ranking.views[node].key) {
      const Ring ring (f, node);
      lengths[i] = ring.is_read (f) && stays (f, ring, node) ? ring.points () : 0;
    }
    own += lengths[i] > 0;
    own_points += lengths[i];
  }
  if (own_points > 0)
    atomicAdd (&points, own_points);
  uint32_t all, row = device_scan<THREADS> (own, f.scan_states[CHAIN_SCAN], ticket, sums, &all);
#pragma unroll
  for (int i = 0; i < SCAN_EACH; i++) {
    const uint32_t node = from + i;
    if (node >= nodes)
      continue;
    f.by_node.rows[node] = lengths[i] > 0 ? row : NO_CONTOUR;
    if (lengths[i] > 0 && row < f.contour_capacity) {
      f.by_row.starts[row] = node;
      f.by_row.lengths[row] = lengths[i];
    }
    row += lengths[i] > 0;
  }
  if (threadIdx.x > 0)
    return;
  atomicAdd (&h.all_points, points);
  if ((ticket + 1) * SCAN_SHARE >= nodes)
    h.all_contours = h.contours = all;
}

struct Policy {
  typedef EdgeChainsArgs Args;

  static __device__ bool
  needs_offsets (const Args &)
  {
    return true;
  }

  static __device__ void
  note_points (const Args &, uint32_t, uint32_t, uint32_t)
  {
  }
};

/* Writes the points, a thread a node. */
__global__ void
__launch_bounds__ (THREADS) emit_kernel (const __grid_constant__ EdgeChainsArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!points_fit (f))
    return;
  CtrPoint *const points = f.output->points;
  const uint32_t nodes = f.counters->header.nodes;
  for (uint32_t i = first_index (); i < nodes; i += index_step ()) {
    const Ring ring (f, i);
    const uint32_t row = f.by_node.rows[ring.start];
    if (row != NO_CONTOUR && ring.rank < ring.points ())
      *(uint32_t *) &points[f.by_row.firsts[row] + ring.rank] = f.ranking.segments[i].maker_data; /* x comes first */
  }
}

__global__ void
__launch_bounds__ (THREADS) measure_kernel (const __grid_constant__ EdgeChainsArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!points_fit (f))
    return;
  const uint32_t points = f.counters->header.points;
  for (uint64_t begin = (uint64_t) (first_index () / 32) * CHUNK; begin < points;
       begin += (uint64_t) (index_step () / 32) * CHUNK)
    measure_points (f, (uint32_t) begin, (uint32_t) min ((uint64_t) points, begin + CHUNK));
}

__device__ inline uint32_t
is_junction (const EdgeChainsArgs &f, CtrPoint p)
{
  return __popc (links_of_pixel (f, p.x, p.y)) > 2;
}

/* Writes the table, a thread a row. */
__global__ void
__launch_bounds__ (THREADS) table_kernel (const __grid_constant__ EdgeChainsArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!points_fit (f))
    return;
  const uint32_t rows = f.counters->header.contours;
  for (uint32_t i = first_index (); i < rows; i += index_step ()) {
    const ContourAccumulator a = f.by_row.accumulators[i];
    const uint32_t first = f.by_row.firsts[i], count = f.by_row.lengths[i];
    CtrContour c = {};
    c.first = first;
    c.area2 = a.area2;
    c.length = a.length;
    c.count = count;
    c.next = i + 1 < rows ? (int32_t) i + 1 : -1;
    c.previous = (int32_t) i - 1;
    c.child = c.parent = -1;
    c.left = (uint16_t) a.min_x;
    c.top = (uint16_t) a.min_y;
    c.width = (uint16_t) (a.max_x - a.min_x + 1);
    c.height = (uint16_t) (a.max_y - a.min_y + 1);
    if (!(f.ranking.segments[f.by_row.starts[i]].key & KEY_INSIDE)) {
      const CtrPoint start = f.output->points[first], end = f.output->points[first + count - 1];
      c.flags = CTR_CONTOUR_OPEN | (is_junction (f, start) ? CTR_CONTOUR_START_JUNCTION : 0)
                | (is_junction (f, end) ? CTR_CONTOUR_END_JUNCTION : 0);
      /* The measures have a segment from the last point to the first one. */
      c.area2 = 0;
      c.length -= Line::between (end, start).length;
    }
    f.output->table[i] = c;
  }
}

} // namespace

void
edge_chains_launch_assembly (const EdgeChainsArgs &f, bool overlap, cudaStream_t stream)
{
  if (f.min_length > 0)
    launch_over (lengths_kernel, f.ranking.capacity, f, overlap, stream);
  ctr_launch_overlapped (overlap, number_kernel, f.ranking.capacity / SCAN_SHARE + 1, THREADS, 0, stream, f);
  launch_offsets<Policy> (f, OFFSET_SCAN, overlap, stream);
  launch_over (emit_kernel, f.ranking.capacity, f, overlap, stream);
  launch_over (measure_kernel, f.point_capacity / CHUNK * 32, f, overlap, stream);
  launch_over (table_kernel, f.contour_capacity, f, overlap, stream);
}
