/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Simplification of long contours: they are split by many CTAs until all lines fit into one. */
#include "cuda/contours/simplify.cuh"

#include "cuda/common/ptx.cuh"
#include "cuda/common/scan.cuh"
#include "cuda/contours/simplify_lines.cuh"

namespace
{

constexpr int LONG_THREADS = 256;
constexpr uint32_t PIECE_WORDS = SIMPLIFY_SHARE / 32, MOST_CTAS = 1056;

/* A task is a piece in which to search; of which line, by the piece where it begins; or, in a contour without lines, of which contour. */
constexpr uint32_t TASK_OF_CONTOUR = 1, TASK_OF_LINE = 2;
constexpr unsigned long long NO_TASK = 0;

__device__ inline unsigned long long
make_task (uint32_t kind, uint32_t piece)
{
  return (unsigned long long) kind << 32 | piece;
}

/* What all threads of a CTA have to know of a task. */
struct Task {
  uint32_t piece, line; /* line: its piece; NO_POSITION: the task is one of a contour */
  SimplifyLong contour;
  SimplifyLine of_line;
};

/* The next task, when there is one; NO_TASK when all work is done. The first tasks are those of the pieces. A CTA that waits has a number
 * that no task has yet: others, which work, will make one for it. */
__device__ inline unsigned long long
take_task (const SimplifyArgs &s, uint32_t pieces)
{
  const unsigned long long number = atomicAdd (&s.counters->taken, 1ull);
  if (number < pieces)
    return make_task (TASK_OF_CONTOUR, (uint32_t) number);
  unsigned long long *const place = &s.queue[(number - pieces) % s.queue_capacity];
  for (;;) {
    if (*(volatile unsigned long long *) place != NO_TASK) {
      const unsigned long long task = atomicExch (place, NO_TASK);
      if (task != NO_TASK)
        return task;
    }
    if (*(volatile uint32_t *) &s.counters->unfinished == 0)
      return NO_TASK;
    __nanosleep (100);
  }
}

/* Tasks of one kind, in successive pieces. */
struct Tasks {
  uint32_t kind, first, count;
};

/* Adds tasks. By all threads; what they have written before comes before the tasks. */
__device__ inline void
add_tasks (const SimplifyArgs &s, Tasks some, Tasks more)
{
  __shared__ unsigned long long number;
  __syncthreads ();
  if (threadIdx.x == 0)
    number = atomicAdd (&s.counters->queued, (unsigned long long) some.count + more.count);
  __syncthreads ();
  __threadfence ();
  for (uint32_t i = threadIdx.x; i < some.count + more.count; i += LONG_THREADS) {
    unsigned long long *const place = &s.queue[(number + i) % s.queue_capacity];
    const unsigned long long task =
        i < some.count ? make_task (some.kind, some.first + i) : make_task (more.kind, more.first + (i - some.count));
    /* Who has taken the task that was there before may not have read it. */
    while (atomicCAS (place, NO_TASK, task) != NO_TASK)
      __nanosleep (20);
  }
}

/* The point at POSITION of a long contour. */
__device__ inline uint32_t
source_of (const SimplifyLong &c, uint32_t position)
{
  return c.first + (position >= c.count - c.start ? position - (c.count - c.start) : c.start + position);
}

__device__ inline SimplifyFarthest
farther (SimplifyFarthest a, SimplifyFarthest b)
{
  return b.most > a.most || (b.most == a.most && b.at < a.at) ? b : a;
}

/* The farthest one of all threads' points, to thread 0. */
__device__ inline SimplifyFarthest
farthest_of_threads (SimplifyFarthest own)
{
  __shared__ SimplifyFarthest of_warps[LONG_THREADS / 32];
#pragma unroll
  for (int d = 16; d; d /= 2)
    own = farther (own, {__shfl_xor_sync (~0u, own.most, d), __shfl_xor_sync (~0u, own.at, d)});
  if (threadIdx.x % 32 == 0)
    of_warps[threadIdx.x / 32] = own;
  __syncthreads ();
  if (threadIdx.x == 0)
    for (int i = 1; i < LONG_THREADS / 32; i++)
      own = farther (own, of_warps[i]);
  return own;
}

__device__ inline SimplifyKey
greatest_of_threads (SimplifyKey own)
{
  __shared__ SimplifyKey of_warps[LONG_THREADS / 32];
#pragma unroll
  for (int d = 16; d; d /= 2)
    own = max (own, __shfl_xor_sync (~0u, own, d));
  if (threadIdx.x % 32 == 0)
    of_warps[threadIdx.x / 32] = own;
  __syncthreads ();
  if (threadIdx.x == 0)
    for (int i = 1; i < LONG_THREADS / 32; i++)
      own = max (own, of_warps[i]);
  return own;
}

__device__ inline void
set_bound (const SimplifyArgs &s, const SimplifyLong &c, uint32_t position)
{
  atomicOr (&s.by_piece.bounds[(size_t) c.piece * PIECE_WORDS + position / 32], 1u << position % 32);
}

/* Makes a line from FIRST to LAST if it is long. By one thread. */
__device__ inline void
make_line (const SimplifyArgs &s, const SimplifyLong &c, uint32_t first, uint32_t last)
{
  if (last - first > SIMPLIFY_SHARE)
    s.by_piece.line[c.piece + first / SIMPLIFY_SHARE] = {first, last, 0};
}

/* The tasks in a line from FIRST to LAST: none if it is not long. */
__device__ inline Tasks
tasks_of_line (const SimplifyLong &c, uint32_t first, uint32_t last)
{
  const uint32_t piece = first / SIMPLIFY_SHARE;
  return {TASK_OF_LINE + c.piece + piece, c.piece + piece,
      last - first > SIMPLIFY_SHARE ? (last - 1) / SIMPLIFY_SHARE - piece + 1 : 0};
}

/* By all threads: splits a line, which was the contour or a line of it, into those from FIRST to MIDDLE and from there to LAST. */
__device__ inline void
add_lines (const SimplifyArgs &s, const SimplifyLong &c, uint32_t first, uint32_t middle, uint32_t last)
{
  const Tasks former = tasks_of_line (c, first, middle), latter = tasks_of_line (c, middle, last);
  const uint32_t lines = (former.count > 0) + (latter.count > 0);
  if (threadIdx.x == 0) {
    set_bound (s, c, middle);
    make_line (s, c, first, middle);
    make_line (s, c, middle, last);
    if (lines != 1) /* in place of the one that was split */
      atomicAdd (&s.counters->unfinished, lines - 1);
  }
  if (lines > 0)
    add_tasks (s, former, latter);
}

/* Searches a piece for the point of a contour that is farthest from the one where its line may begin. The last CTA to do so in this round
 * goes on: with the next round, or with lines. */
__device__ inline void
search_contour (const SimplifyArgs &s, const Task &task)
{
  __shared__ bool last;
  __shared__ SimplifyKey best;
  const uint32_t t = threadIdx.x, own = s.by_piece.owner[task.piece];
  const SimplifyLong c = task.contour;
  if (c.round == 0)
    for (uint32_t i = t; i < PIECE_WORDS; i += LONG_THREADS)
      s.by_piece.bounds[(size_t) task.piece * PIECE_WORDS + i] =
          s.by_piece.splits[(size_t) task.piece * PIECE_WORDS + i] = 0;
  const uint32_t begin = (task.piece - c.piece) * SIMPLIFY_SHARE;
  const CtrPoint from = s.points[c.first + c.start];
  SimplifyKey key = 0;
  for (uint32_t i = begin + t; i < min (begin + SIMPLIFY_SHARE, c.count); i += LONG_THREADS) {
    const SimplifyKey distance2 = (SimplifyKey) ctr_simplify_distance2 (from, s.points[c.first + i]);
    const uint32_t after = i >= c.start ? i - c.start : i + (c.count - c.start);
    if (distance2 > 0)
      key = max (key, distance2 << 31 | (uint32_t) (INT32_MAX - after));
  }
  key = greatest_of_threads (key);
  SimplifyLong *const contour = &s.longs[own];
  if (t == 0) {
    if (key)
      atomicMax (&contour->best, key);
    last = count_arrival (&contour->arrived) == c.pieces - 1;
    if (last)
      best = atomicExch (&contour->best, 0ull);
  }
  __syncthreads ();
  if (!last)
    return;
  const uint32_t farthest = best ? INT32_MAX - (uint32_t) (best & INT32_MAX) : 0;
  if (c.round < 2) {
    if (t == 0) {
      contour->start = source_of (c, farthest) - c.first;
      contour->round = c.round + 1;
      contour->arrived = 0;
    }
    add_tasks (s, {TASK_OF_CONTOUR, c.piece, c.pieces}, {});
    return;
  }
  if (t == 0) {
    set_bound (s, c, 0);
    set_bound (s, c, c.count);
  }
  if (!ctr_simplify_is_point ((int64_t) (best >> 31), s.epsilon_squared))
    add_lines (s, c, 0, farthest, c.count);
  else if (t == 0)
    atomicSub (&s.counters->unfinished, 1);
}

/* Searches a piece for the farthest point of a line. The last CTA to do so splits the line. */
__device__ inline void
search_line (const SimplifyArgs &s, const Task &task)
{
  __shared__ bool last, straight;
  __shared__ uint32_t split;
  const uint32_t t = threadIdx.x;
  const SimplifyLong c = task.contour;
  const SimplifyLine of_line = task.of_line;
  const CtrPoint from = s.points[source_of (c, of_line.first)];
  const CtrSimplifyVector line = ctr_simplify_from_to (from, s.points[source_of (c, of_line.last)]);
  const int64_t whole = ctr_simplify_dot (line, line);
  const uint32_t begin = (task.piece - c.piece) * SIMPLIFY_SHARE,
                 last_piece = c.piece + (of_line.last - 1) / SIMPLIFY_SHARE;
  SimplifyFarthest farthest = {0, NO_POSITION};
  for (uint32_t i = max (begin, of_line.first + 1) + t; i < min (begin + SIMPLIFY_SHARE, of_line.last);
       i += LONG_THREADS) {
    const double distance =
        ctr_simplify_scaled_distance (line, whole, ctr_simplify_from_to (from, s.points[source_of (c, i)]));
    if (distance > farthest.most)
      farthest = {distance, i};
  }
  farthest = farthest_of_threads (farthest);
  if (t == 0) {
    s.by_piece.farthest[2 * task.piece + (task.piece == task.line)] = farthest;
    last = count_arrival (&s.by_piece.line[task.line].arrived) == last_piece - task.line;
  }
  __syncthreads ();
  if (!last)
    return;
  farthest = {0, NO_POSITION};
  for (uint32_t i = task.line + t; i <= last_piece; i += LONG_THREADS)
    farthest = farther (farthest, s.by_piece.farthest[2 * i + (i == task.line)]);
  farthest = farthest_of_threads (farthest);
  if (t == 0) {
    straight = ctr_simplify_is_straight (farthest.most, whole, s.epsilon_squared);
    split = farthest.at;
    if (straight)
      atomicSub (&s.counters->unfinished, 1);
  }
  __syncthreads ();
  if (!straight)
    add_lines (s, c, of_line.first, split, of_line.last);
}

__global__ void
__launch_bounds__ (LONG_THREADS, 4) long_lines_kernel (const __grid_constant__ SimplifyArgs s)
{
  __shared__ Task task;
  __shared__ bool done;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t pieces = (uint32_t) s.counters->longs;
  if (pieces == 0)
    return;
  for (;;) {
    if (threadIdx.x == 0) {
      const unsigned long long next = take_task (s, pieces);
      __threadfence ();
      done = next == NO_TASK;
      if (!done) {
        const uint32_t kind = (uint32_t) (next >> 32);
        task.piece = (uint32_t) next;
        task.contour = s.longs[s.by_piece.owner[task.piece]];
        task.line = kind == TASK_OF_CONTOUR ? NO_POSITION : kind - TASK_OF_LINE;
        if (kind != TASK_OF_CONTOUR)
          task.of_line = s.by_piece.line[task.line];
      }
    }
    __syncthreads ();
    if (done)
      return;
    if (task.line == NO_POSITION)
      search_contour (s, task);
    else
      search_line (s, task);
    __syncthreads ();
  }
}

/* A CTA splits the lines that begin in a piece of a long contour, but for those that are still long, which are straight. */
__global__ void
__launch_bounds__ (SIMPLIFY_THREADS) long_rest_kernel (const __grid_constant__ SimplifyArgs s)
{
  __shared__ SimplifyShared shared;
  __shared__ uint32_t bits[SIMPLIFY_WORDS];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t pieces = (uint32_t) s.counters->longs, t = threadIdx.x, base = t * SIMPLIFY_EACH;
  const auto word = [&] (uint32_t i) { return bits[i]; };
  for (uint32_t piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
    const SimplifyLong c = s.longs[s.by_piece.owner[piece]];
    const uint32_t begin = (piece - c.piece) * SIMPLIFY_SHARE, left = c.pieces - (piece - c.piece),
                   words = min (left * PIECE_WORDS, SIMPLIFY_WORDS);
    __syncthreads ();
    for (uint32_t i = t; i < SIMPLIFY_WORDS; i += SIMPLIFY_THREADS)
      bits[i] = i < words ? s.by_piece.bounds[(size_t) piece * PIECE_WORDS + i] : 0;
    for (uint32_t i = t; i < SIMPLIFY_ROOM && begin + i <= c.count; i += SIMPLIFY_THREADS)
      shared.point (i) = s.points[source_of (c, begin + i)];
    clear_slots (shared.slots, 0);
    __syncthreads ();
    SimplifyOwn own = {base, own_bits (bits, base), 0, bit_before (word, base), bit_from (word, base + SIMPLIFY_EACH)};
    const uint32_t bounds = own.starts;
    /* The lines that begin in the piece, and end where there is room. */
    const auto open = [&] (uint32_t k, uint32_t end, uint32_t first, uint32_t last) {
      if (first < SIMPLIFY_SHARE && last != NO_POSITION && last - first <= SIMPLIFY_SHARE)
        own.open |= positions (k, end);
    };
    if (own.before != NO_POSITION && !(bounds & 1))
      open (0, bounds ? __ffs (bounds) - 1 : SIMPLIFY_EACH, own.before, end_of_entering (own));
    for (uint32_t rest = bounds; rest; rest &= rest - 1) {
      const uint32_t k = __ffs (rest) - 1, later = bounds >> (k + 1), end = later ? k + __ffs (later) : SIMPLIFY_EACH;
      open (k + 1, end, base + k, later ? base + end : own.behind);
    }
    split_lines (shared, own, 0, s.epsilon_squared);
    if (own.starts != bounds)
      atomicOr (&s.by_piece.splits[(size_t) piece * PIECE_WORDS + base / 32], (own.starts & ~bounds) << base % 32);
  }
}

/* What a CTA that drops the needless points of a contour has in shared memory. */
struct Drops {
  uint32_t needless[SIMPLIFY_WORDS]; /* bits: of some successive points that are kept */
  uint32_t sums[SIMPLIFY_THREADS / 32];
  bool dropped; /* the last one before these */
};

/* Lists the positions that contour C keeps. Returns how many there are. */
__device__ inline uint32_t
list_kept (const SimplifyArgs &s, const SimplifyLong &c, Drops &shared)
{
  const uint32_t words = ctr_div_up (c.count, 32);
  const size_t first_word = (size_t) c.piece * PIECE_WORDS;
  uint32_t count = 0;
  for (uint32_t base = 0; base < words; base += SIMPLIFY_THREADS) {
    const uint32_t i = base + threadIdx.x;
    uint32_t bits = 0;
    if (i < words)
      bits = s.by_piece.bounds[first_word + i] | s.by_piece.splits[first_word + i];
    if (i == c.count / 32) /* without the closing position */
      bits &= (1u << c.count % 32) - 1;
    uint32_t all, at = c.first + count + block_scan<SIMPLIFY_THREADS> (__popc (bits), shared.sums, &all);
    for (; bits; bits &= bits - 1)
      s.kept[at++] = i * 32 + __ffs (bits) - 1;
    count += all;
  }
  __syncthreads ();
  return count;
}

/* Drops needless points of three that are kept. Returns how many remain. By one thread. */
__device__ inline uint32_t
drop_of_three (const SimplifyArgs &s, const SimplifyLong &c)
{
  uint32_t *const kept = s.kept + c.first;
  const CtrPoint p[3] = {
      s.points[source_of (c, kept[0])], s.points[source_of (c, kept[1])], s.points[source_of (c, kept[2])]};
  if (ctr_simplify_is_needless (p[2], p[0], p[1], s.epsilon_squared))
    kept[0] = kept[1]; /* OpenCV leaves it in its own place, too. */
  else if (ctr_simplify_is_needless (p[0], p[1], p[2], s.epsilon_squared))
    kept[1] = kept[2];
  else if (!ctr_simplify_is_needless (p[1], p[2], p[0], s.epsilon_squared))
    return 3;
  return 2;
}

/* Drops needless ones of COUNT points that are kept, more than three. Returns how many remain. */
__device__ inline uint32_t
drop_needless (const SimplifyArgs &s, const SimplifyLong &c, Drops &shared, uint32_t count)
{
  uint32_t *const kept = s.kept + c.first, remaining = 0;
  const uint32_t t = threadIdx.x;
  const auto point = [&] (uint32_t position) { return s.points[source_of (c, position)]; };
  const CtrPoint first = point (kept[0]), second = point (kept[1]), last = point (kept[count - 1]);
  const bool drops_first = ctr_simplify_is_needless (last, first, second, s.epsilon_squared);
  __syncthreads ();
  if (t == 0)
    shared.dropped = false;
  for (uint32_t base = 0; base < count; base += SIMPLIFY_ROOM) {
    const uint32_t from = base + t * SIMPLIFY_EACH, own = from < count ? min (count - from, SIMPLIFY_EACH) : 0;
    uint32_t here[SIMPLIFY_EACH], needless = 0;
    CtrPoint before = {}, now = {};
    if (own > 0) {
      /* It is still in its place, or equal to what has come there. */
      before = from > 0 ? point (kept[from - 1]) : last;
      now = point (kept[from]);
    }
#pragma unroll
    for (uint32_t k = 0; k < SIMPLIFY_EACH; k++)
      if (k < own) {
        here[k] = kept[from + k];
        const CtrPoint after = from + k + 1 < count ? point (kept[from + k + 1]) : drops_first ? second : first;
        needless |= (uint32_t) ctr_simplify_is_needless (before, now, after, s.epsilon_squared) << k;
        before = now;
        now = after;
      }
    ((uint8_t *) shared.needless)[t] = (uint8_t) needless;
    __syncthreads ();
    /* Each is dropped unless the one before is. */
    const uint32_t run = ones_before (shared.needless, t * SIMPLIFY_EACH);
    uint32_t dropped = run == t * SIMPLIFY_EACH ? (run % 2) ^ shared.dropped : run % 2, remain = 0;
#pragma unroll
    for (uint32_t k = 0; k < SIMPLIFY_EACH; k++) {
      dropped = needless >> k & ~dropped & 1;
      remain |= (dropped ^ 1) << k;
    }
    remain &= positions (0, own);
    uint32_t all, to = remaining + block_scan<SIMPLIFY_THREADS> (__popc (remain), shared.sums, &all);
#pragma unroll
    for (uint32_t k = 0; k < SIMPLIFY_EACH; k++)
      if (remain >> k & 1)
        kept[to++] = here[k];
    if (t == SIMPLIFY_THREADS - 1)
      shared.dropped = dropped;
    remaining += all;
    __syncthreads ();
  }
  return remaining;
}

/* A CTA a long contour. */
__global__ void
__launch_bounds__ (SIMPLIFY_THREADS) long_drops_kernel (const __grid_constant__ SimplifyArgs s)
{
  __shared__ Drops shared;
  __shared__ uint32_t of_three;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t longs = (uint32_t) (s.counters->longs >> 32);
  for (uint32_t i = blockIdx.x; i < longs; i += gridDim.x) {
    const SimplifyLong c = s.longs[i];
    const uint32_t count = list_kept (s, c, shared);
    if (count == 3 && threadIdx.x == 0)
      of_three = drop_of_three (s, c);
    __syncthreads ();
    const uint32_t remaining = count < 3 ? count : count == 3 ? of_three : drop_needless (s, c, shared, count);
    if (threadIdx.x == 0)
      s.by_row.kept[c.row] = remaining;
    __syncthreads ();
  }
}

/* A CTA moves as many points of a long contour as a piece has. */
__global__ void
__launch_bounds__ (SIMPLIFY_THREADS)
    long_moves_kernel (const __grid_constant__ SimplifyArgs s, const ContourOutput *result)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t pieces = (uint32_t) s.counters->longs;
  const ContourSimplified output = result->simplified;
  for (uint32_t piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
    const SimplifyLong c = s.longs[s.by_piece.owner[piece]];
    const uint32_t begin = (piece - c.piece) * SIMPLIFY_SHARE, to = (uint32_t) output.table[c.row].first,
                   end = min (begin + SIMPLIFY_SHARE, s.by_row.kept[c.row]);
    for (uint32_t i = begin + threadIdx.x; i < end; i += SIMPLIFY_THREADS) {
      const uint32_t source = source_of (c, s.kept[c.first + i]);
      output.points[to + i] = s.points[source];
      if (s.refines)
        output.subpixel[to + i] = s.subpixel[source];
    }
  }
}

} // namespace

void
simplify_launch_long_lines (const SimplifyArgs &s, bool overlap, cudaStream_t stream)
{
  const uint32_t longs = s.point_capacity / SIMPLIFY_SHARE + 1;
  ctr_launch_overlapped (overlap, long_lines_kernel, min (2 * longs, SIMPLIFY_LONG_CTAS), LONG_THREADS, 0, stream, s);
  ctr_launch_overlapped (overlap, long_rest_kernel, min (2 * longs, MOST_CTAS), SIMPLIFY_THREADS, 0, stream, s);
  ctr_launch_overlapped (overlap, long_drops_kernel, min (longs, MOST_CTAS), SIMPLIFY_THREADS, 0, stream, s);
}

void
simplify_launch_long_moves (const SimplifyArgs &s, const ContourOutput *output, bool overlap, cudaStream_t stream)
{
  const uint32_t longs = s.point_capacity / SIMPLIFY_SHARE + 1;
  ctr_launch_overlapped (
      overlap, long_moves_kernel, min (2 * longs, MOST_CTAS), SIMPLIFY_THREADS, 0, stream, s, output);
}
