/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Three kernels. The first one sums up the steps along the list of all points, as if it were one line: differences of
 * these sums are steps along a contour. The second one finds each contour's steps, and where its bytes begin. In the
 * third one each thread makes a word of the codes: it looks up the contour and the point that the word begins with.
 *
 * The kernels write into page-locked memory of the host, which so waits once, and copies no more than there is: of most
 * contours 3 bytes, from which it works out where the chain begins, and the codes. */
#include "cuda/contours/contour_codes.h"

#include "cuda/common/scan.cuh"

namespace
{

constexpr int THREADS = 256, EACH = 4, SHARE = THREADS * EACH; /* elements of a thread and of a CTA */
constexpr uint32_t MOST_CTAS = 4096;                           /* that pack */

/* A chain but for its offset. */
struct Row {
  uint32_t steps;
  CtrPoint first;
};

constexpr uint32_t IN_FULL = 255;

/* The chains in memory of the host. Points are numbers here, row by row, with a power of two from row to row. */
struct Delivered {
  uint8_t *lengths; /* in units; IN_FULL: the chain is in ROWS */
  uint16_t *moves;  /* from the first point of the contour before, or from 0, to the first point */
  Row *rows;        /* of few contours */
  uint32_t unit;    /* steps: lines along cracks have an even number */
  uint32_t x_bits;
};

CTR_CODES_RULE uint32_t
number_of (const Delivered &d, CtrPoint point)
{
  return (uint32_t) point.y << d.x_bits | point.x;
}

struct Args {
  const CtrContour *table;
  const CtrPoint *points;
  uint32_t count, point_count;
  uint32_t bits;
  bool corners;
  uint32_t *lengths;        /* in steps, of each contour */
  uint32_t *offsets;        /* of its bytes */
  uint32_t *steps;          /* before each point, of all that are listed; NULL: as many as points */
  unsigned long long *size; /* bytes of all codes */
  Delivered delivered;
  unsigned long long *point_states, *contour_states; /* of the scans */
  uint32_t *tickets;
};

/* The steps before point I: equal to those along the list, but for a constant, within one contour. All sums are modulo
 * 2^32. */
__device__ inline uint32_t
steps_before (const Args &f, uint64_t i)
{
  return f.steps ? f.steps[i] : (uint32_t) i;
}

__global__ void
__launch_bounds__ (THREADS) sum_steps_kernel (const __grid_constant__ Args f)
{
  __shared__ uint32_t ticket, sums[THREADS / 32];
  if (threadIdx.x == 0)
    ticket = atomicAdd (&f.tickets[0], 1);
  __syncthreads ();
  const uint32_t from = (ticket * THREADS + threadIdx.x) * EACH;
  CtrPoint points[EACH + 1];
  uint32_t own = 0, all;
#pragma unroll
  for (int i = 0; i <= EACH; i++)
    points[i] = f.points[min (from + i, f.point_count - 1)];
#pragma unroll
  for (int i = 0; i < EACH; i++)
    own += ctr_codes_distance (points[i], points[i + 1]);
  uint32_t sum = device_scan<THREADS> (own, f.point_states, ticket, sums, &all);
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    if (from + i < f.point_count)
      f.steps[from + i] = sum;
    sum += ctr_codes_distance (points[i], points[i + 1]);
  }
}

__device__ inline uint32_t
steps_of (const Args &f, const CtrContour &contour)
{
  const uint64_t last = contour.first + contour.count - 1;
  /* Only a level contour can have that many, and its length counts them. */
  if (f.corners && contour.length >> 23 >= CTR_CODES_TOO_MANY)
    return CTR_CODES_TOO_MANY;
  const uint32_t steps = steps_before (f, last) - steps_before (f, contour.first);
  return ctr_codes_segments (&contour) < contour.count
             ? steps
             : steps + ctr_codes_distance (f.points[last], f.points[contour.first]);
}

__global__ void
__launch_bounds__ (THREADS) count_bytes_kernel (const __grid_constant__ Args f)
{
  __shared__ uint32_t ticket, sums[THREADS / 32];
  if (threadIdx.x == 0)
    ticket = atomicAdd (&f.tickets[1], 1);
  __syncthreads ();
  const uint32_t from = (ticket * THREADS + threadIdx.x) * EACH;
  const Delivered &d = f.delivered;
  uint32_t bytes[EACH] = {}, lengths[EACH] = {}, moves[EACH] = {}, own = 0, all;
  unsigned long long size = 0;
  uint32_t before = from > 0 && from < f.count ? number_of (d, f.points[f.table[from - 1].first]) : 0;
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    if (from + i >= f.count)
      continue;
    const CtrContour contour = f.table[from + i];
    const Row row = {steps_of (f, contour), f.points[contour.first]};
    const uint32_t number = number_of (d, row.first);
    f.lengths[from + i] = row.steps;
    lengths[i] = row.steps / d.unit;
    moves[i] = number - before;
    if (lengths[i] >= IN_FULL || moves[i] > UINT16_MAX) {
      lengths[i] = IN_FULL;
      d.rows[from + i] = row;
    }
    before = number;
    bytes[i] = (uint32_t) ctr_codes_size (row.steps, f.bits);
    own += bytes[i];
    size += bytes[i];
  }
  /* Whole words, with room behind the last contour, as they go to the host. */
  if (from < f.count) {
    ((uint32_t *) d.lengths)[from / 4] = lengths[0] | lengths[1] << 8 | lengths[2] << 16 | lengths[3] << 24;
    ((uint2 *) d.moves)[from / 4] =
        make_uint2 ((moves[0] & 0xffff) | moves[1] << 16, (moves[2] & 0xffff) | moves[3] << 16);
  }
  uint32_t sum = device_scan<THREADS> (own, f.contour_states, ticket, sums, &all);
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    if (from + i < f.count)
      f.offsets[from + i] = sum;
    sum += bytes[i];
  }
  /* The scan may have gone round at 2^32. */
  for (int lane = 16; lane; lane /= 2)
    size += __shfl_xor_sync (~0u, size, lane);
  if (threadIdx.x % 32 == 0)
    atomicAdd (f.size, size);
}

/* The last of VALUES[count], which ascend from one that is at most VALUE, that is at most VALUE. */
template <typename Value>
__device__ inline uint32_t
last_not_above (uint32_t count, uint32_t value, Value value_of)
{
  uint32_t low = 0, high = count;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (value_of (middle) <= value)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The part of a contour's codes that lies in the word which begins BIT bits behind the contour's first one; BIT may be
 * negative. */
__device__ inline uint32_t
part_of_word (const Args &f, uint32_t index, int64_t bit)
{
  const uint32_t steps = f.lengths[index];
  const int64_t first_step = bit > 0 ? bit / f.bits : 0;
  if (first_step >= steps)
    return 0;
  const uint64_t first = f.table[index].first;
  const uint32_t count = f.table[index].count, before = steps_before (f, first);
  uint32_t segment =
      last_not_above (count, (uint32_t) first_step, [&] (uint32_t i) { return steps_before (f, first + i) - before; });
  uint32_t word = 0, step = (uint32_t) first_step;
  for (int place = (int) (first_step * f.bits - bit); place < 32 && step < steps; segment++) {
    const CtrPoint from = f.points[first + segment], to = f.points[first + (segment + 1 < count ? segment + 1 : 0)];
    const uint32_t direction = ctr_codes_direction (from, to, f.bits);
    const uint32_t end = steps_before (f, first + segment) - before + ctr_codes_distance (from, to);
    for (; step < end && place < 32; step++, place += (int) f.bits)
      word |= place >= 0 ? direction << place : direction >> -place;
  }
  return word;
}

__device__ inline uint32_t
word_at (const Args &f, uint32_t i)
{
  const uint64_t byte = (uint64_t) i * 4;
  uint32_t word = 0;
  for (uint32_t k = last_not_above (f.count, (uint32_t) byte, [&] (uint32_t k) { return f.offsets[k]; });
       k < f.count && f.offsets[k] < byte + 4; k++)
    word |= part_of_word (f, k, ((int64_t) byte - f.offsets[k]) * 8);
  return word;
}

/* Does nothing where the codes do not fit into ROOM words. */
__global__ void
__launch_bounds__ (THREADS) pack_kernel (const __grid_constant__ Args f, uint32_t *words, uint32_t room)
{
  const unsigned long long count = (*f.size + 3) / 4;
  if (count > room)
    return;
  for (uint32_t base = blockIdx.x * THREADS; base < count; base += gridDim.x * THREADS) {
    const uint32_t i = base + threadIdx.x, word = i < count ? word_at (f, i) : 0;
    __syncwarp (); /* so that a warp's words go to the host together */
    if (i < count)
      words[i] = word;
  }
}

size_t
padded (size_t contours)
{
  return (contours + EACH - 1) / EACH * EACH;
}

/* Lays out CODES->work at BASE. Returns its size, and in *CLEARED how much of its beginning has to be 0. */
size_t
lay_out (Args *f, uint32_t contours, uint32_t points, size_t *cleared, uint8_t *base)
{
  ArenaLayout arena = {base, 0};
  f->tickets = arena.take<uint32_t> (2);
  f->size = arena.take<unsigned long long> (1);
  f->contour_states = arena.take<unsigned long long> (contours / SHARE + 1);
  f->point_states = arena.take<unsigned long long> (points / SHARE + 1);
  *cleared = arena.used;
  f->lengths = arena.take<uint32_t> (contours);
  f->offsets = arena.take<uint32_t> (contours);
  f->steps = points > 0 ? arena.take<uint32_t> (points) : NULL;
  return arena.used;
}

/* Lays out CODES->chains at BASE. Returns its size. */
size_t
lay_out_delivered (Delivered *d, uint32_t contours, uint8_t *base)
{
  ArenaLayout arena = {base, 0};
  d->lengths = arena.take<uint8_t> (padded (contours));
  d->moves = arena.take<uint16_t> (padded (contours));
  d->rows = arena.take<Row> (contours);
  return arena.used;
}

/* The points whose steps are summed up. */
uint32_t
summed_points (const CtrContours *contours)
{
  return contours->vertices == CTR_VERTICES_STEPS ? 0 : (uint32_t) contours->point_count;
}

Args
args_of (const ContourCodes *codes, const CtrContours *contours, const CtrContour *table, const CtrPoint *points,
    size_t *cleared)
{
  Args f = {};
  f.table = table;
  f.points = points;
  f.count = contours->count;
  f.point_count = (uint32_t) contours->point_count;
  f.bits = ctr_codes_bits (contours->coordinates);
  f.corners = contours->coordinates == CTR_COORDINATES_CORNERS;
  f.delivered.unit = f.corners ? 2 : 1;
  for (f.delivered.x_bits = 1; contours->width >> f.delivered.x_bits;)
    f.delivered.x_bits++;
  lay_out (&f, f.count, summed_points (contours), cleared, (uint8_t *) codes->work.data);
  lay_out_delivered (&f.delivered, f.count, (uint8_t *) codes->chains.data);
  return f;
}

/* Memory for what is counted, with spare where it grows. */
bool
reserve (ContourCodes *codes, const CtrContours *contours, CtrError *error)
{
  const uint32_t count = contours->count, points = summed_points (contours);
  const uint32_t room = ctr_with_spare (count), point_room = points > 0 ? ctr_with_spare (points) : 0;
  Args f;
  size_t cleared, work = lay_out (&f, count, points, &cleared, NULL);
  size_t chains = lay_out_delivered (&f.delivered, count, NULL);
  if (work > codes->work.size)
    work = lay_out (&f, room, point_room, &cleared, NULL);
  if (chains > codes->chains.size)
    chains = lay_out_delivered (&f.delivered, room, NULL);
  return ctr_device_buffer_reserve (&codes->work, work, error)
         && ctr_device_buffer_reserve (&codes->chains, chains, error);
}

/* In words, which the offsets of bytes count in 32 bits. */
uint32_t
room_of (const ContourCodes *codes)
{
  return (uint32_t) min (codes->bytes.size / 4, (size_t) 1 << 30);
}

bool
queue_packing (const ContourCodes *codes, const Args &f, cudaStream_t stream, CtrError *error)
{
  const uint32_t room = room_of (codes);
  if (room > 0)
    ctr_launch (pack_kernel, min (ctr_div_up (room, THREADS), MOST_CTAS), THREADS, 0, stream, f,
        (uint32_t *) codes->bytes.data, room);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

} // namespace

void
contour_codes_init (ContourCodes *codes)
{
  codes->chains.pinned = codes->bytes.pinned = true;
}

void
contour_codes_free (ContourCodes *codes)
{
  for (CtrDeviceBuffer *buffer : {&codes->work, &codes->chains, &codes->bytes})
    ctr_device_buffer_free (buffer);
}

bool
contour_codes_give_back (ContourCodes *codes)
{
  bool some = false;
  for (CtrDeviceBuffer *buffer : {&codes->work, &codes->chains, &codes->bytes})
    some |= ctr_device_buffer_give_back (buffer);
  return some;
}

bool
contour_codes_queue (ContourCodes *codes, const CtrContours *contours, const CtrContour *table, const CtrPoint *points,
    cudaStream_t stream, CtrError *error)
{
  size_t cleared;
  if (!reserve (codes, contours, error))
    return false;
  const Args f = args_of (codes, contours, table, points, &cleared);
  CTR_CUDA (cudaMemsetAsync (codes->work.data, 0, cleared, stream));
  if (f.steps)
    ctr_launch (sum_steps_kernel, ctr_div_up (f.point_count, SHARE), THREADS, 0, stream, f);
  ctr_launch (count_bytes_kernel, ctr_div_up (f.count, SHARE), THREADS, 0, stream, f);
  CTR_CUDA (cudaGetLastError ());
  return queue_packing (codes, f, stream, error);
}

bool
contour_codes_append_chains (const ContourCodes *codes, const CtrContours *contours, CtrCodeArrays *to, CtrError *error)
{
  size_t cleared;
  const Args f = args_of (codes, contours, NULL, NULL, &cleared);
  const Delivered d = f.delivered;
  const uint32_t mask = (UINT32_C (1) << d.x_bits) - 1;
  CtrCodeArrays all = *to;
  uint32_t number = 0;
  for (uint32_t i = 0; i < f.count; i++) {
    if (d.lengths[i] != IN_FULL) {
      number += d.moves[i];
      const CtrPoint first = {(uint16_t) (number & mask), (uint16_t) (number >> d.x_bits)};
      ctr_codes_append (&all, i, d.lengths[i] * d.unit, first);
      continue;
    }
    const Row row = d.rows[i];
    if (row.steps == CTR_CODES_TOO_MANY)
      return ctr_codes_fail_steps (contours, i, error);
    number = number_of (d, row.first);
    ctr_codes_append (&all, i, row.steps, row.first);
  }
  *to = all;
  return true;
}

bool
contour_codes_have_room (ContourCodes *codes, uint64_t size)
{
  codes->bytes.used = max (codes->bytes.used, (size_t) size);
  return size <= (uint64_t) room_of (codes) * 4;
}

bool
contour_codes_queue_again (ContourCodes *codes, const CtrContours *contours, const CtrContour *table,
    const CtrPoint *points, uint64_t size, cudaStream_t stream, CtrError *error)
{
  size_t cleared;
  if (size > UINT32_MAX)
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY,
        "the codes of a %u x %u image have %llu bytes, more than the GPU backend packs: use the points, or choose "
        "fewer levels",
        contours->width, contours->height, (unsigned long long) size);
  const uint32_t words = (uint32_t) ((size + 3) / 4);
  return ctr_device_buffer_reserve (&codes->bytes, (size_t) ctr_with_spare (words) * 4, error)
         && queue_packing (codes, args_of (codes, contours, table, points, &cleared), stream, error);
}
