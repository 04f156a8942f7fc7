/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel of the list ranking. */
#include "cuda/contours/list_ranking.cuh"

namespace
{

constexpr int THREADS = 256, CTAS = 1056; /* All of them run at once on an H100. */

__device__ inline ListView
load_view (const ListView *view)
{
  const uint4 v = load_16 (view);
  return {v.x, v.y, v.z, v.w};
}

__device__ inline void
store_view (ListView *to, const ListView &view)
{
  store_16 (to, make_uint4 (view.next, view.length, view.key, view.distance));
}

/* Whatever the segment behind the known ones knows by then, if only itself, is more than was known before. So no thread waits for
 * another one, whether that has started or not. */
__global__ void
__launch_bounds__ (THREADS) rank_kernel (const __grid_constant__ ListRanking r)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t first = blockIdx.x * THREADS + threadIdx.x, step = gridDim.x * THREADS;
  /* This load is under way while the thread finds out whether it needs it. */
  ListView view = first < r.capacity ? load_view (&r.views[first]) : ListView ();
  const uint32_t count = *r.count;
  /* Of a segment, before the thread goes on to its next one. */
  const uint32_t most_joins = count <= step ? ~0u : 2;
  bool is_loaded = true, is_first = true, any;
  do {
    any = false;
    for (uint32_t i = first; i < count; i += step) {
      if (!is_loaded)
        view = load_view (&r.views[i]);
      is_loaded = false;
      const bool was_done = view.next & LIST_DONE;
      const uint32_t own_key = is_first || !r.starts ? view.key : r.segments[i].key;
      for (uint32_t joins = 0; joins < most_joins && !(view.next & LIST_DONE); joins++) {
        view = list_join (view, load_view (&r.views[view.next]));
        if (!(view.next & LIST_DONE))
          view = list_join (view, load_view (&r.views[view.next]));
        store_view (&r.views[i], view);
      }
      const bool done = view.next & LIST_DONE;
      any |= !done;
      if (r.starts && done && !was_done && view.key == own_key)
        atomicOr (&r.starts[view.key / 32], 1u << view.key % 32);
    }
    is_first = false;
  } while (any);
}

} // namespace

void
list_ranking_launch (const ListRanking &ranking, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (
      overlap, rank_kernel, min (ranking.capacity / THREADS + 1, (unsigned) CTAS), THREADS, 0, stream, ranking);
}
