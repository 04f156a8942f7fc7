/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Segments: linked from tile to tile. Where there are few, one CTA also ranks them and numbers the contours. */
#include "cuda/borders/device_state.cuh"
#include "cuda/common/block_sort.cuh"
#include "cuda/common/scan.cuh"

namespace
{

constexpr int LINK_THREADS = 256, LINK_CTAS = 528;

/* The first view of segment I. The ring goes on in another tile: its segment there is found now that all have numbers. */
template <bool FOUR_CONNECTED>
__device__ inline ListView
link_segment (const BordersKernelArgs &f, uint32_t i)
{
  ListSegment s = f.ranking.segments[i];
  const uint32_t before_key = s.maker_data & ((1u << SEGMENT_SLOT) - 1);
  if (s.maker_data & SEGMENT_UNLINKED) {
    const uint32_t row = f.by_word.per_row * 32, slot = s.maker_data >> SEGMENT_SLOT & 3;
    s.next = f.by_passage.segment[find_passage<FOUR_CONNECTED> (f, s.next % row, s.next / row, slot)];
    s.maker_data = before_key;
    f.ranking.segments[i] = s;
  }
  return {s.next, s.length, s.key, before_key};
}

/* Makes the first views of all segments. */
template <bool FOUR_CONNECTED>
__global__ void
__launch_bounds__ (LINK_THREADS) link_kernel (const __grid_constant__ BordersKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!passages_fit (f) || f.counters->header.done_by_one_cta)
    return;
  const uint32_t count = f.counters->header.open;
  if (blockIdx.x == 0 && threadIdx.x == 0)
    f.counters->progress.count = count;
  for (uint32_t i = blockIdx.x * LINK_THREADS + threadIdx.x; i < count; i += gridDim.x * LINK_THREADS)
    f.ranking.views[0][i] = link_segment<FOUR_CONNECTED> (f, i);
}

constexpr int FEW_THREADS = 1024;
static_assert (FEW_THREADS >= FEW_CONTOURS, "a thread a contour");

union FewKeys {
  unsigned long long found[FEW_CONTOURS]; /* the complement of the contour's key; its length */
  uint32_t keys[FEW_CONTOURS];            /* by contour */
};

/* Moves what the tiles have found into the header, and clears all other counters and the parts of long contours. Returns what they have found. */
__device__ inline BordersFound
begin_counters (const BordersKernelArgs &f)
{
  const BordersFound found = *f.found;
  const uint32_t t = threadIdx.x;
  BordersHeader &h = f.counters->header;
  static_assert (sizeof (BordersCounters) / 4 <= FEW_THREADS, "a thread a word");
  if (t < sizeof (BordersCounters) / 4)
    ((uint32_t *) f.counters)[t] = 0;
  for (uint32_t i = t; i < f.point_capacity / LONG_POINTS + 1; i += FEW_THREADS)
    f.by_row.long_parts[i] = 0;
  __syncthreads ();
  if (t == 0) {
    h.passages = found.passages;
    h.open = found.open;
    h.closed = found.closed;
    h.too_many = found.too_many;
    *f.found = {};
  }
  return found;
}

/* One CTA: links and ranks the segments, numbers the contours, and finds where their points begin. */
template <bool FOUR_CONNECTED>
__global__ void
__launch_bounds__ (FEW_THREADS) few_kernel (const __grid_constant__ BordersKernelArgs f)
{
  __shared__ ListView views[LIST_SMALL];
  __shared__ FewKeys few;
  __shared__ uint32_t sums[FEW_THREADS / 32], contours;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const BordersFound found = begin_counters (f);
  BordersHeader &h = f.counters->header;
  const uint32_t t = threadIdx.x, open = found.open, closed = found.closed;
  if (!fit (f, found))
    return;
  if (open > LIST_SMALL || closed > FEW_CONTOURS) {
    if (t == 0 && !f.many_segments)
      h.incomplete = LACKS_MANY_SEGMENTS;
    return;
  }
  if (t == 0)
    contours = 0;
#pragma unroll /* All loads are under way together. */
  for (uint32_t k = 0; k < LIST_SMALL / FEW_THREADS; k++)
    if (t + k * FEW_THREADS < open)
      views[t + k * FEW_THREADS] = link_segment<FOUR_CONNECTED> (f, t + k * FEW_THREADS);
  __syncthreads ();
  list_ranking_by_cta<FEW_THREADS> (views, open);

  /* The contours in any order; then by descending keys. */
  for (uint32_t i = t; i < open + closed; i += FEW_THREADS) {
    uint32_t key, length;
    if (i < open) {
      const ListSegment s = f.ranking.segments[i];
      if (s.key == NO_KEY || s.key != views[i].key)
        continue;
      key = s.key;
      length = s.length - views[i].distance + views[s.next].distance;
    } else {
      const uint2 c = f.by_segment.closed_key_length[i - open];
      key = c.x;
      length = c.y;
    }
    const uint32_t place = atomicAdd (&contours, 1);
    if (place < FEW_CONTOURS)
      few.found[place] = (unsigned long long) ~key << 32 | length;
  }
  __syncthreads ();
  const uint32_t count = contours;
  if (count > FEW_CONTOURS || count > f.contour_capacity) {
    if (t == 0) {
      h.all_contours = h.contours = count; /* the room that the frame needs */
      h.incomplete = count > FEW_CONTOURS && !f.many_segments ? LACKS_MANY_SEGMENTS : 0;
    }
    return;
  }
  const unsigned long long own = block_sort (t < count ? few.found[t] : ~0ull, count, few.found);
  const uint32_t key = ~(uint32_t) (own >> 32), length = (uint32_t) own;
  uint32_t points;
  const uint32_t first = block_scan<FEW_THREADS> (t < count ? length : 0, sums, &points);
  if (t < count) {
    few.keys[t] = f.by_contour.keys[t] = key;
    f.by_contour.lengths[t] = length;
  }
  __syncthreads ();
  if (t < count) {
    f.by_row.firsts[t] = first;
    clear_measures (f, t, length);
  }
  for (uint32_t i = t; i < open + closed; i += FEW_THREADS) {
    const uint32_t sought = i < open ? views[i].key : f.by_segment.closed_key_length[i - open].x;
    uint32_t low = 0, high = count - 1; /* The keys descend. */
    while (low < high) {
      const uint32_t middle = (low + high) / 2;
      if (few.keys[middle] > sought)
        low = middle + 1;
      else
        high = middle;
    }
    if (i < open) {
      f.by_segment.open_contour[i] = low;
      f.ranking.views[0][i] = views[i];
    } else {
      f.by_segment.closed_contour[i - open] = low;
    }
  }
  if (t == 0) {
    f.counters->progress.small = 1;
    h.done_by_one_cta = 1;
    h.all_contours = h.contours = count;
    h.points = points;
    h.threshold = *f.applied_threshold;
  }
}

} // namespace

void
borders_launch_few (const BordersKernelArgs &f, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (
      overlap, f.four_connected ? few_kernel<true> : few_kernel<false>, 1, FEW_THREADS, 0, stream, f);
}

void
borders_launch_links (const BordersKernelArgs &f, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (overlap, f.four_connected ? link_kernel<true> : link_kernel<false>,
      min (f.ranking.capacity / LINK_THREADS + 1, (unsigned) LINK_CTAS), LINK_THREADS, 0, stream, f);
}
