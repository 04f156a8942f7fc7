/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Three kernels. The first one sums up the steps along the list of all points, as if it were one line: differences of
 * these sums are steps along a contour. The second one finds each contour's steps, and where its bytes begin. In the
 * third one each thread makes a word of the codes: it looks up the contour and the point that the word begins with. */
#include "cuda/contours/contour_codes.h"

#include "cuda/common/scan.cuh"

namespace
{

constexpr int THREADS = 256, EACH = 4, SHARE = THREADS * EACH; /* elements of a thread and of a CTA */

struct Args {
  const CtrContour *table;
  const CtrPoint *points;
  uint32_t count, point_count;
  uint32_t bits;
  bool corners;
  CtrCodesRow *rows;
  uint32_t *offsets;
  uint32_t *steps;
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
  return steps_before (f, last) - steps_before (f, contour.first)
         + ctr_codes_distance (f.points[last], f.points[contour.first]);
}

__global__ void
__launch_bounds__ (THREADS) count_bytes_kernel (const __grid_constant__ Args f)
{
  __shared__ uint32_t ticket, sums[THREADS / 32];
  if (threadIdx.x == 0)
    ticket = atomicAdd (&f.tickets[1], 1);
  __syncthreads ();
  const uint32_t from = (ticket * THREADS + threadIdx.x) * EACH;
  uint32_t bytes[EACH] = {}, own = 0, all;
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    if (from + i >= f.count)
      continue;
    const CtrContour contour = f.table[from + i];
    const CtrCodesRow row = {steps_of (f, contour), f.points[contour.first]};
    f.rows[from + i] = row;
    own += bytes[i] = (uint32_t) ctr_codes_size (row.steps, f.bits);
  }
  uint32_t sum = device_scan<THREADS> (own, f.contour_states, ticket, sums, &all);
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    if (from + i < f.count)
      f.offsets[from + i] = sum;
    sum += bytes[i];
  }
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
  const uint32_t steps = f.rows[index].steps;
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

__global__ void
__launch_bounds__ (THREADS) pack_kernel (const __grid_constant__ Args f, uint32_t *words, uint32_t word_count)
{
  const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= word_count)
    return;
  const uint64_t byte = (uint64_t) i * 4;
  uint32_t word = 0;
  for (uint32_t k = last_not_above (f.count, (uint32_t) byte, [&] (uint32_t k) { return f.offsets[k]; });
       k < f.count && f.offsets[k] < byte + 4; k++)
    word |= part_of_word (f, k, ((int64_t) byte - f.offsets[k]) * 8);
  words[i] = word;
}

/* Lays out CODES->work at BASE. Returns its size, and in *CLEARED how much of its beginning has to be 0. */
size_t
lay_out (ContourCodes *codes, Args *f, uint32_t contours, uint32_t points, size_t *cleared, uint8_t *base)
{
  ArenaLayout arena = {base, 0};
  f->tickets = arena.take<uint32_t> (2);
  f->contour_states = arena.take<unsigned long long> (contours / SHARE + 1);
  f->point_states = arena.take<unsigned long long> (points / SHARE + 1);
  *cleared = arena.used;
  codes->rows = arena.take<CtrCodesRow> (contours);
  codes->offsets = arena.take<uint32_t> (contours);
  codes->steps = arena.take<uint32_t> (points);
  return arena.used;
}

Args
args_of (const ContourCodes *codes, const CtrContours *contours, const CtrContour *table, const CtrPoint *points)
{
  Args f = {};
  f.table = table;
  f.points = points;
  f.count = contours->count;
  f.point_count = (uint32_t) contours->point_count;
  f.bits = ctr_codes_bits (contours->coordinates);
  f.corners = contours->coordinates == CTR_COORDINATES_CORNERS;
  f.rows = codes->rows;
  f.offsets = codes->offsets;
  f.steps = contours->vertices == CTR_VERTICES_STEPS ? NULL : codes->steps;
  return f;
}

} // namespace

void
contour_codes_free (ContourCodes *codes)
{
  ctr_device_buffer_free (&codes->work);
  ctr_device_buffer_free (&codes->bytes);
}

bool
contour_codes_count (ContourCodes *codes, const CtrContours *contours, const CtrContour *table, const CtrPoint *points,
    cudaStream_t stream, CtrError *error)
{
  const bool sums = contours->vertices != CTR_VERTICES_STEPS;
  const uint32_t room = ctr_with_spare (contours->count),
                 point_room = sums ? ctr_with_spare ((uint32_t) contours->point_count) : 0;
  Args f = {};
  size_t cleared;
  const size_t size = lay_out (codes, &f, contours->count, sums ? (uint32_t) contours->point_count : 0, &cleared, NULL);
  if (size > codes->work.size
      && !ctr_device_buffer_reserve (&codes->work, lay_out (codes, &f, room, point_room, &cleared, NULL), error))
    return false;
  Args places = {};
  lay_out (codes, &places, contours->count, sums ? (uint32_t) contours->point_count : 0, &cleared,
      (uint8_t *) codes->work.data);
  f = args_of (codes, contours, table, points);
  f.tickets = places.tickets;
  f.contour_states = places.contour_states;
  f.point_states = places.point_states;
  CTR_CUDA (cudaMemsetAsync (codes->work.data, 0, cleared, stream));
  if (sums)
    sum_steps_kernel<<<ctr_div_up (f.point_count, SHARE), THREADS, 0, stream>>> (f);
  count_bytes_kernel<<<ctr_div_up (f.count, SHARE), THREADS, 0, stream>>> (f);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

bool
contour_codes_pack (ContourCodes *codes, const CtrContours *contours, const CtrContour *table, const CtrPoint *points,
    uint64_t size, cudaStream_t stream, CtrError *error)
{
  if (size > UINT32_MAX)
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY,
        "the codes of a %u x %u image have %llu bytes, more than the GPU backend packs: use the points, or choose "
        "fewer "
        "levels",
        contours->width, contours->height, (unsigned long long) size);
  const uint32_t words = (uint32_t) ((size + 3) / 4);
  if (words > codes->bytes.size / 4
      && !ctr_device_buffer_reserve (&codes->bytes, (size_t) ctr_with_spare (words) * 4, error))
    return false;
  const Args f = args_of (codes, contours, table, points);
  pack_kernel<<<ctr_div_up (words, THREADS), THREADS, 0, stream>>> (f, (uint32_t *) codes->bytes.data, words);
  CTR_CUDA (cudaGetLastError ());
  return true;
}
