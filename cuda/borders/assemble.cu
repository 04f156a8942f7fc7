/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rings to contours: their numbers, the offsets of their points, the points, their measures, and the table. */
#include "cuda/borders/chunk_measures.cuh"
#include "cuda/borders/links.cuh"
#include "cuda/contours/contour_sums.cuh"
#include "cuda/contours/rows.cuh"

namespace
{

/* See contour_kernels.cuh. */
struct OffsetPolicy {
  typedef BordersKernelArgs Args;

  /* Where one CTA has numbered the contours, it has also found the offsets; a selection changes them. */
  static __device__ bool
  needs_offsets (const Args &f)
  {
    return !f.counters->header.done_by_one_cta || borders_reorders (f);
  }

  static __device__ void
  note_points (const Args &f, uint32_t row, uint32_t first, uint32_t length)
  {
    if (f.by_contour.spans)
      f.by_contour.spans[row] = {first, length};
  }
};

constexpr int THREADS = CONTOUR_THREADS;

/* Counts the keys before each word that has any. Also clears what the tiles have found. */
__global__ void
__launch_bounds__ (THREADS) count_starts_kernel (const __grid_constant__ BordersKernelArgs f)
{
  constexpr uint32_t EACH = COUNT_SHARE / THREADS; /* words of a thread */
  __shared__ uint32_t ticket, sums[THREADS / 32];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *f.found = {};
  if (!passages_fit (f))
    return;
  if (threadIdx.x == 0)
    ticket = atomicAdd (&f.counters->count_ticket, 1);
  __syncthreads ();
  const uint64_t words = (uint64_t) f.by_word.per_row * f.height,
                 from = ((uint64_t) ticket * THREADS + threadIdx.x) * EACH;
  uint32_t bits[EACH], own = 0;
#pragma unroll
  for (uint32_t i = 0; i < EACH; i += 4) {
    uint4 four = make_uint4 (0, 0, 0, 0);
    if (from + i + 4 <= words)
      four = *(const uint4 *) &f.by_word.starts[from + i];
    else if (from + i + 2 <= words) /* Their number is even. */
      four = make_uint4 (f.by_word.starts[from + i], f.by_word.starts[from + i + 1], 0, 0);
    bits[i] = four.x;
    bits[i + 1] = four.y;
    bits[i + 2] = four.z;
    bits[i + 3] = four.w;
  }
#pragma unroll
  for (uint32_t i = 0; i < EACH; i++)
    own += __popc (bits[i]);
  uint32_t all;
  uint32_t sum = device_scan<THREADS> (own, f.count_states, ticket, sums, &all);
#pragma unroll
  for (uint32_t i = 0; i < EACH; i++) {
    if (bits[i])
      f.by_word.starts_before[from + i] = sum;
    sum += __popc (bits[i]);
  }
  if (ticket == gridDim.x - 1 && threadIdx.x == 0) {
    f.counters->header.all_contours = all;
    f.counters->header.contours = all;
    f.counters->header.threshold = *f.applied_threshold;
  }
}

/* Finds every segment's contour, and every contour's key and number of points. */
__global__ void
__launch_bounds__ (THREADS) number_contours_kernel (const __grid_constant__ BordersKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const BordersHeader &h = f.counters->header;
  if (!contours_fit (f))
    return;
  for (uint32_t i = first_index (); i < h.open + h.closed; i += index_step ()) {
    if (i < h.open) {
      const ListView view = f.ranking.views[i];
      const uint32_t contour = contour_of_key (f, view.key);
      f.by_segment.open_contour[i] = {contour, view.distance};
      if (f.ranking.segments[i].key == view.key) {
        f.by_contour.keys[contour] = view.key;
        f.by_contour.lengths[contour] = list_ranking_ring_length (f.ranking, i);
      }
    } else {
      const uint2 closed = f.by_segment.closed_key_length[i - h.open];
      const uint32_t contour = contour_of_key (f, closed.x);
      f.by_segment.closed_contour[i - h.open] = {contour, 0};
      f.by_contour.keys[contour] = closed.x;
      f.by_contour.lengths[contour] = closed.y;
    }
  }
}

/* The thread where a row ends has to add up its last points alone, up to as many as a thread has: large chunks are for rows with many points
 * on average. */
template <typename Sum> using LargeChunk = Chunk<Sum, 16>;
template <typename Sum> using SmallChunk = Chunk<Sum, 8>;
constexpr uint32_t LARGE_CHUNK_POINTS = 32; /* of a row, from which on */

constexpr uint32_t ROW_CTAS = 660; /* that share rows: as many as run at once */

/* WRITES_ROWS: the table gets each row once it is measured. */
template <typename Sum>
__global__ void
__launch_bounds__ (THREADS, ctr_shared_by (THREADS, 5))
    measure_kernel (const __grid_constant__ BordersKernelArgs f, bool few_too, bool writes_rows)
{
  __shared__ union {
    RowQueue<THREADS> queue;
    LargeChunk<Sum> large;
    SmallChunk<Sum> small;
  } shared;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!points_fit (f) || (has_few_points (f) && !few_too))
    return;
  const BordersHeader &h = f.counters->header;
  if (h.points / LARGE_CHUNK_POINTS >= h.contours && h.points >= LEAST_CHUNKS * LargeChunk<Sum>::POINTS)
    measure_chunks (f, shared.large, writes_rows);
  else if (h.points >= 8 * LEAST_CHUNKS * SmallChunk<Sum>::POINTS)
    measure_chunks (f, shared.small, writes_rows);
  else if (blockIdx.x < ROW_CTAS)
    share_rows (f, Ctas{blockIdx.x, min (gridDim.x, ROW_CTAS)}, shared.queue, MeasureWork<Sum>{f, writes_rows},
        [&] (uint32_t row) {
          if (writes_rows)
            write_row (f, row);
        });
}

template <typename Kind>
__global__ void
__launch_bounds__ (SUM_THREADS) sum_kernel (const __grid_constant__ BordersKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (points_fit (f))
    sum_contours<Kind> (f);
}

/* One thread a row of the table, where the rows were measured before. */
__global__ void
__launch_bounds__ (THREADS) table_kernel (const __grid_constant__ BordersKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!points_fit (f) || has_few_points (f))
    return;
  const uint32_t rows = f.counters->header.contours;
  for (uint32_t i = first_index (); i < rows; i += index_step ())
    write_row (f, i);
}

/* Moves points and rows from the atlas of regions into the image: a thread one of each at a time. */
__global__ void
__launch_bounds__ (THREADS) move_kernel (const __grid_constant__ BordersKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!points_fit (f))
    return;
  const BordersHeader &h = f.counters->header;
  const auto region_of = [&] (uint32_t y) {
    return &f.regions.places[ctr_atlas_find (f.regions.places, f.regions.count, y)];
  };
  CtrPoint *const points = f.output->points;
  CtrContour *const table = f.output->table;
  for (uint32_t i = first_index (); i < h.points; i += index_step ())
    points[i] = ctr_atlas_move_point (region_of (points[i].y), points[i]);
  for (uint32_t i = first_index (); i < h.contours; i += index_step ())
    ctr_atlas_move_contour (region_of (table[i].top), &table[i]);
}

constexpr int POINT_THREADS = 1024, POINT_CTAS = 264;

/* A passage as the tiles have written it. */
struct Passage {
  uint32_t place, segment, position;

  __device__
  Passage (const BordersKernelArgs &f, uint32_t i, uint32_t count)
      : place (0), segment (0), position (0) /* not a point */
  {
    if (i >= count)
      return;
    place = f.by_passage.place[i];
    segment = f.by_passage.segment[i];
    position = f.by_passage.position[i];
  }
};

/* One thread a passage: writes its point. Where there are few points, the last CTA also measures them and writes the
 * table. */
__global__ void
__launch_bounds__ (POINT_THREADS, ctr_shared_by (POINT_THREADS, 2))
    point_kernel (const __grid_constant__ BordersKernelArgs f)
{
  __shared__ bool last;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t t = threadIdx.x, step = gridDim.x * POINT_THREADS;
  uint32_t i = blockIdx.x * POINT_THREADS + t;
  /* A thread's next passage is under way while it finds out whether it needs it, or writes the one before. */
  Passage next (f, i, f.by_passage.capacity);
  if (!points_fit (f))
    return;
  CtrPoint *const points = points_of (f);
  const uint32_t passages = f.counters->header.passages;
  while (i < passages) {
    const Passage own = next;
    i += step;
    next = Passage (f, i, passages);
    if (!(own.position & PASSAGE_KEPT))
      continue;
    const uint32_t position = own.position & ~PASSAGE_KEPT;
    const uint2 place = place_of_segment (f, own.segment);
    uint2 span;
    if (f.by_contour.spans) {
      span = f.by_contour.spans[place.x];
    } else {
      const uint32_t row = f.by_contour.rows ? f.by_contour.rows[place.x] : place.x;
      if (row == NO_CONTOUR)
        continue;
      span = {f.by_row.firsts[row], f.by_contour.lengths[place.x]};
    }
    *(uint32_t *) &points[span.x + position - place.y + (position < place.y ? span.y : 0)] =
        own.place; /* x comes first */
  }
  if (!f.final)
    return;
  if (!has_few_points (f)) {
    if (!f.many_points && t == 0 && blockIdx.x == 0)
      f.counters->header.unmeasured = 1;
    return;
  }
  __syncthreads ();
  if (t == 0)
    last = count_arrival (&f.counters->point_ticket) == gridDim.x - 1;
  __syncthreads ();
  if (!last)
    return;
  const uint32_t count = f.counters->header.points, rows = f.counters->header.contours;
  if (f.measuring) {
    constexpr uint32_t WARPS = POINT_THREADS / 32;
    const uint32_t share = ctr_div_up (ctr_div_up (count, WARPS), 32) * 32, begin = t / 32 * share;
    if (begin < count)
      measure_points (f, begin, min (count, begin + share));
    __threadfence ();
    __syncthreads ();
  }
  if (t < rows && !f.selects_rows)
    write_row (f, t);
}
static_assert (POINT_THREADS >= FEW_CONTOURS, "a thread a row");

/* At most, of the chunks that lines and steps mostly have. A CTA takes several chunks, or none, where they are others. */
constexpr uint32_t CHUNK_CTAS = 4096;

void
launch_measures (const BordersKernelArgs &f, bool few_too, bool writes_rows, bool overlap, cudaStream_t stream)
{
  const unsigned for_rows =
      max (f.contour_capacity / (THREADS / 32), f.point_capacity / (LONG_CHUNK * (THREADS / 32))) + 1;
  /* A CTA that has no chunk still takes time to come and go. */
  const unsigned for_chunks = f.point_capacity / (f.simple ? SmallChunk<Lines>::POINTS : LargeChunk<Steps>::POINTS) + 1;
  const unsigned ctas = max (min (for_rows, ROW_CTAS), min (for_chunks, CHUNK_CTAS));
  ctr_launch_overlapped (overlap, f.simple ? measure_kernel<Lines> : measure_kernel<Steps>, ctas, THREADS, 0, stream, f,
      few_too, writes_rows);
}

void
launch_points (const BordersKernelArgs &f, bool overlap, cudaStream_t stream)
{
  const unsigned ctas = min (f.by_passage.capacity / POINT_THREADS + 1, (unsigned) POINT_CTAS);
  ctr_launch_overlapped (overlap, point_kernel, ctas, POINT_THREADS, 0, stream, f);
}

} // namespace

void
borders_launch_numbering (const BordersKernelArgs &f, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (overlap, count_starts_kernel, f.count_ctas, THREADS, 0, stream, f);
  launch_over (
      number_contours_kernel, (uint64_t) f.ranking.capacity + f.by_segment.closed_capacity, f, overlap, stream);
}

void
borders_launch_measures (const BordersKernelArgs &frame, bool overlap, cudaStream_t stream)
{
  BordersKernelArgs f = frame;
  f.by_contour.rows = f.by_row.contours = NULL;
  f.by_row.lengths = f.by_contour.lengths;
  f.by_row.keys = f.by_contour.keys;
  f.point_capacity = f.by_passage.capacity;
  f.summing = 0;
  f.measuring = true;
  f.final = false;
  launch_offsets<OffsetPolicy> (f, SCAN_MEASURED, overlap, stream);
  launch_points (f, overlap, stream);
  launch_measures (f, true, false, overlap, stream);
}

void
borders_launch_points (const BordersKernelArgs &f, bool overlap, cudaStream_t stream)
{
  if ((borders_reorders (f) ? f.many_contours : f.many_segments) && !borders_places_rows (f))
    launch_offsets<OffsetPolicy> (f, SCAN_OFFSETS, overlap, stream);
  launch_points (f, overlap, stream);
}

void
borders_launch_table (const BordersKernelArgs &f, bool overlap, cudaStream_t stream)
{
  if (f.many_points && f.measuring)
    launch_measures (f, false, !f.selects_rows, overlap, stream);
  else if (f.many_points && !f.selects_rows)
    launch_over (table_kernel, f.contour_capacity, f, overlap, stream);
  if (f.regions.places)
    launch_over (move_kernel, f.point_capacity, f, overlap, stream);
}

void
borders_launch_sums (const BordersKernelArgs &f, bool overlap, cudaStream_t stream)
{
  const unsigned ctas = sum_ctas (f.contour_capacity, f.point_capacity);
  if (f.summing & SUMMING_MOMENTS)
    ctr_launch_overlapped (overlap, sum_kernel<MomentSums>, ctas, SUM_THREADS, 0, stream, f);
  if (f.summing & SUMMING_FITS)
    ctr_launch_overlapped (overlap, sum_kernel<FitSums>, ctas, SUM_THREADS, 0, stream, f);
}
