/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The measures of borders where there are many points: a CTA has those of a chunk, whatever rows they are of, so that none waits for long
 * rows. It has the rows that begin in its chunk up to their ends, but of long rows each CTA has the part in its chunk. */
#ifndef CTR_CUDA_BORDERS_CHUNK_MEASURES_CUH
#define CTR_CUDA_BORDERS_CHUNK_MEASURES_CUH

#include "cuda/borders/measures.cuh"
#include "cuda/borders/row.cuh"

namespace
{

#ifndef CTR_BORDERS_LEAST_CHUNKS
#define CTR_BORDERS_LEAST_CHUNKS 132
#endif
/* So many are worth it: one for each multiprocessor of an H100. */
constexpr uint32_t LEAST_CHUNKS = CTR_BORDERS_LEAST_CHUNKS;

constexpr uint32_t CHUNK_THREADS = CONTOUR_THREADS;

/* A chunk, and what follows it, as rows that begin in it may end behind it. A thread has EACH points, one after the other. SUM: Steps or
 * Lines. Positions count from the chunk's first point on. */
template <typename Sum_, uint32_t EACH_> struct Chunk {
  typedef Sum_ Sum;
  static constexpr uint32_t EACH = EACH_, WARP = 32 * EACH, ROOM = EACH * CHUNK_THREADS, POINTS = ROOM - LONG_POINTS;
  static_assert (POINTS % WARP == 0, "no warp has points of a long row in the chunk and behind it");
  static_assert (ROOM <= Steps::MOST_STEPS, "for the sums of a CTA");
  static_assert (32 % EACH == 0 && EACH % 4 == 0, "the ends in a thread's points are in a word");

  static constexpr uint32_t BANKS = 32, PADDING = 4; /* Neighbouring threads load from different banks. */
  __align__ (16) uint32_t points[(ROOM / BANKS + 1) * (BANKS + PADDING)];
  uint32_t ends[ROOM / 32 + 1]; /* bits: before this position a row of the CTA ends */
  uint32_t end;                 /* behind the last position that counts */
  Sum sums[CHUNK_THREADS]; /* by thread: what its warp has of the row of the next thread's first point, up to there */

  __device__ uint32_t *
  point (uint32_t position)
  {
    return &points[position + position / BANKS * PADDING];
  }
};

__device__ inline CtrPoint
point_at (uint32_t place)
{
  return {(uint16_t) place, (uint16_t) (place >> 16)};
}

/* A row, or none. */
struct ChunkRow {
  uint32_t row, first, end; /* indices of its first point and of what is behind its last one */

  __device__
  ChunkRow (const BordersKernelArgs &f, uint32_t row_, uint32_t rows, uint32_t points)
      : row (row_), first (row < rows ? f.by_row.firsts[row] : points),
        end (row + 1 < rows ? f.by_row.firsts[row + 1] : points)
  {
  }

  __device__ bool
  is_long () const
  {
    return end - first > LONG_POINTS;
  }
};

/* CHUNK: as above. */
template <typename Chunk> struct ChunkMeasures {
  typedef typename Chunk::Sum Sum;
  static constexpr uint32_t EACH = Chunk::EACH;
  const BordersKernelArgs &f;
  Chunk &shared;
  const bool writes_rows;
  const uint32_t rows, points; /* all */
  const uint32_t begin, limit; /* indices of the chunk's first point and of what is behind its last one */

  __device__ void
  load_points () const
  {
    const uint32_t *const from = (const uint32_t *) points_of (f) + begin;
    const uint32_t there = points - begin;
#pragma unroll
    for (uint32_t k = 0; k < EACH / 4; k++) {
      const uint32_t at = (k * CHUNK_THREADS + threadIdx.x) * 4;
      if (at + 4 <= there)
        copy_16 (shared.point (at), from + at);
      else
#pragma unroll 1
        for (uint32_t i = at; i < there; i++)
          *shared.point (i) = from[i];
    }
  }

  /* A row: the one of the chunk's first point is this one, or one of those behind it, as many as threads. Has barriers. */
  __device__ uint32_t
  find_rows () const
  {
    uint32_t low = 0, count = rows;
    while (count > CHUNK_THREADS) {
      const uint32_t step = ctr_div_up (count, CHUNK_THREADS), i = threadIdx.x * step;
      const uint32_t last = __syncthreads_count (i < count && f.by_row.firsts[low + i] <= begin) - 1;
      low += last * step;
      count = min (step, count - last * step);
    }
    return low;
  }

  /* Notes where ROW ends, if it has a point in the chunk. */
  __device__ void
  note_end (const ChunkRow &row, uint32_t first_row) const
  {
    if (row.row < first_row || row.first >= limit)
      return;
    const bool goes_on = row.end > limit && row.is_long ();
    const uint32_t position = (goes_on ? limit : row.end) - begin;
    if (!goes_on)
      atomicOr (&shared.ends[position / 32], 1u << position % 32);
    if (row.end >= limit)
      shared.end = position;
  }

  /* Adds up the lines that begin at the thread's points, but only those behind the last end of a row. By whole warps. */
  __device__ void
  add_up () const
  {
    const uint32_t t = threadIdx.x, lane = t % 32, at = t * EACH;
    const uint32_t ends =
        __funnelshift_r (shared.ends[at / 32], shared.ends[at / 32 + 1], at % 32 + 1) & ((1u << EACH) - 1);
    const int last_end = 31 - __clz (ends);
    Sum sum = Sum::nothing ();
    uint32_t next = *shared.point (at + EACH);
#pragma unroll
    for (int k = EACH - 4; k >= 0; k -= 4) {
      const uint4 four = *(const uint4 *) shared.point (at + k);
      const uint32_t own[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
      for (int i = 3; i >= 0; i--) { /* A line from a point to itself adds nothing, and NEXT is a point of the row. */
        const uint32_t from = k + i > last_end ? own[i] : next;
        sum.add_line (point_at (from), point_at (next));
        next = from;
      }
    }
    const uint32_t before = __ballot_sync (~0u, ends) & ((2u << lane) - 1),
                   first = before ? 31 - __clz (before) : 0; /* SUM is of one row from this lane on. */
#pragma unroll
    for (uint32_t d = 1; d < 32; d *= 2) {
      const Sum other = sum.up (d);
      if (lane >= first + d)
        sum.add (other);
    }
    shared.sums[t] = sum;
  }

  /* Does the CTA measure ROW, or a part of it? */
  __device__ bool
  has_part (const ChunkRow &row, uint32_t first_row) const
  {
    return row.row >= first_row && row.first < limit && (row.first >= begin || row.is_long ());
  }

  __device__ bool
  is_hole_row (const ChunkRow &row, uint32_t first_row) const
  {
    return writes_rows && has_part (row, first_row) && is_hole (f, f.by_row.keys[row.row]);
  }

  /* What the CTA has of ROW: the points of the thread where it ends, what the warp has before these, and the warps before. */
  __device__ Sum
  sum_of (const ChunkRow &row) const
  {
    const bool begins = row.first >= begin, ends = row.end - begin <= shared.end;
    const uint32_t first = begins ? row.first - begin : 0, end = ends ? row.end - begin : shared.end;
    const uint32_t last_thread = (end - ends) / EACH, own = max (first, last_thread * EACH);
    Sum sum = Sum::nothing ();
    for (uint32_t thread = first / EACH; thread < last_thread;) {
      thread = min (last_thread, (thread / 32 + 1) * 32);
      sum.add (shared.sums[thread - 1]);
    }
    if (!ends)
      return sum;
    uint32_t next = begins ? *shared.point (first) : ((const uint32_t *) points_of (f))[row.first];
#pragma unroll 4
    for (uint32_t i = end; i > own; i--) {
      const uint32_t from = *shared.point (i - 1);
      sum.add_line (point_at (from), point_at (next));
      next = from;
    }
    return sum;
  }

  __device__ void
  finish_row (const ChunkRow &row, uint32_t first_row, bool hole) const
  {
    if (!has_part (row, first_row))
      return;
    const Line sum = sum_of (row).as_line ();
    if (row.first >= begin && row.end - begin <= shared.end) {
      const ContourAccumulator all = {
          sum.area2, sum.length, sum.low & 0xffff, sum.low >> 16, sum.high & 0xffff, sum.high >> 16};
      if (writes_rows)
        write_row (f, row.row, row.first, row.end - row.first, hole, all);
      else
        f.by_row.accumulators[row.row] = all;
      return;
    }
    sum.flush (f, row.row);
    if (!writes_rows)
      return;
    const uint32_t parts = (row.end - 1) / Chunk::POINTS - row.first / Chunk::POINTS + 1;
    if (count_arrival (&f.by_row.long_parts[row.first / LONG_POINTS]) == parts - 1)
      write_row (f, row.row);
  }

  /* By all threads of the CTA. Has barriers. */
  __device__ void
  measure () const
  {
    const uint32_t t = threadIdx.x;
    load_points ();
    if (t < Chunk::ROOM / 32 + 1)
      shared.ends[t] = 0;
    const uint32_t base = find_rows ();
    const ChunkRow row (f, base + t, rows, points);
    const uint32_t first_row = base + __syncthreads_count (row.row < rows && row.first <= begin) - 1;
    const bool hole = is_hole_row (row, first_row);
    note_end (row, first_row);
    copies_done ();
    uint32_t turns = 1, end = row.end; /* A thread has a row a turn. Mostly one turn is enough. */
    while (__syncthreads_or (t == CHUNK_THREADS - 1 && end < limit)) {
      const ChunkRow other (f, base + turns++ * CHUNK_THREADS + t, rows, points);
      note_end (other, first_row);
      end = other.end;
    }
    if (t / 32 * Chunk::WARP < shared.end)
      add_up ();
    __syncthreads ();
    finish_row (row, first_row, hole);
    for (uint32_t turn = 1; turn < turns; turn++) {
      const ChunkRow other (f, base + turn * CHUNK_THREADS + t, rows, points);
      finish_row (other, first_row, is_hole_row (other, first_row));
    }
  }
};

/* Measures all rows, by all CTAs of the grid. */
template <typename Chunk>
__device__ inline void
measure_chunks (const BordersKernelArgs &f, Chunk &shared, bool writes_rows)
{
  const uint32_t rows = f.counters->header.contours, points = f.counters->header.points;
  for (uint64_t begin = (uint64_t) blockIdx.x * Chunk::POINTS; begin < points;
       begin += (uint64_t) gridDim.x * Chunk::POINTS) {
    const uint32_t limit = (uint32_t) min ((uint64_t) points, begin + Chunk::POINTS);
    ChunkMeasures<Chunk>{f, shared, writes_rows, rows, points, (uint32_t) begin, limit}.measure ();
    __syncthreads ();
  }
}

} // namespace

#endif
