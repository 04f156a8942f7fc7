/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One kernel counts a picture's samples. The last of its CTAs to finish has all counts: it finds the threshold and clears
 * the counters for the next frame. */
#include "cuda/common/histogram.cuh"

#include "cuda/common/otsu.cuh"

namespace
{

constexpr int THREADS = OTSU_THREADS;
constexpr int PIECE = 16; /* bytes that a thread loads at once */
constexpr int BATCH = 4;  /* pieces that a thread has under way */
constexpr int COPIES = 32;

struct HistogramArgs {
  const uint8_t *pixels;
  size_t stride;
  uint32_t row_bytes, height;
  uint32_t pieces;       /* of a row; its first and last one may be incomplete */
  uint32_t sample_shift; /* of 16-bit samples that are counted in 256 levels */
  bool otsu;             /* find the threshold; otherwise copy the counts to the result */
  Histogram *histogram;
};

/* A CTA's memory: at first its counters, then that of the search. With 256 levels each lane has counters of its own, in
 * a bank of its own, so no lane waits for another, whatever the picture is. With more levels all CTAs share the counters
 * in global memory. */
union HistogramShared {
  uint32_t counts[LEVELS_8][COPIES];
  struct {
    uint32_t totals[LEVELS_8];
    OtsuShared otsu;
  } search;
};

/* Counts in 256 levels. */
template <typename Sample> struct SmallCounter {
  uint32_t (*counts)[COPIES];
  uint32_t sample_shift;

  __device__ void
  add (uint32_t sample, uint32_t times) const
  {
    const uint32_t level = sizeof (Sample) == 1 ? sample : min (sample >> sample_shift, 255);
    atomicAdd (&counts[level][threadIdx.x % COPIES], times);
  }

  /* Counts the samples of WORDS where this thread has a piece. */
  __device__ void
  add_piece (bool has, const uint32_t words[4]) const
  {
    constexpr uint32_t bits = 8 * sizeof (Sample), mask = (1u << bits) - 1;
    if (!has)
      return;
    const uint32_t flat = (words[0] & mask) * (0xffffffffu / mask);
    if (words[0] == flat && words[1] == flat && words[2] == flat && words[3] == flat) {
      add (flat & mask, PIECE / sizeof (Sample));
      return;
    }
#pragma unroll
    for (uint32_t i = 0; i < PIECE / sizeof (Sample); i++)
      add (words[i * bits / 32] >> i * bits % 32 & mask, 1);
  }

  /* Adds the CTA's counts to TOTALS. */
  __device__ void
  finish (uint32_t *totals) const
  {
    constexpr uint32_t threads = THREADS / LEVELS_8; /* of a level */
    __syncthreads ();
    const uint32_t level = threadIdx.x / threads, part = threadIdx.x % threads;
    uint32_t sum = 0;
    /* A warp reads 32 different banks at once. */
#pragma unroll
    for (uint32_t i = 0; i < COPIES / threads; i++)
      sum += counts[level][(i + level) * threads % COPIES + part];
    for (uint32_t d = threads / 2; d; d /= 2)
      sum += __shfl_xor_sync (~0u, sum, d);
    if (part == 0 && sum)
      atomicAdd (&totals[level], sum);
  }
};

/* Counts in 65536 levels. */
struct LargeCounter {
  uint32_t *counts;

  __device__ void
  add (uint32_t sample, uint32_t times) const
  {
    atomicAdd (&counts[sample], times);
  }

  /* As SmallCounter's. Equal neighbours are counted at once, since additions to one counter are done one by one. */
  __device__ void
  add_piece (bool has, const uint32_t words[4]) const
  {
    const uint32_t flat = (words[0] & 0xffff) * 0x10001, first = __shfl_sync (~0u, flat, 0);
    const bool is_flat = has && words[0] == flat && words[1] == flat && words[2] == flat && words[3] == flat;
    if (__all_sync (~0u, is_flat && flat == first)) {
      if (threadIdx.x % 32 == 0)
        add (flat & 0xffff, 32 * 8);
      return;
    }
    if (!has)
      return;
    uint32_t times = 1;
#pragma unroll
    for (int i = 0; i < 8; i++, times++) {
      const uint32_t sample = words[i / 2] >> i % 2 * 16 & 0xffff;
      if (i < 7 && sample == (words[(i + 1) / 2] >> (i + 1) % 2 * 16 & 0xffff))
        continue;
      add (sample, times);
      times = 0;
    }
  }

  __device__ void
  finish (uint32_t *) const
  {
  }
};

/* Counts the CTA's share of the picture. The threads take its pieces in turn, row by row. */
template <typename Sample, typename Counter>
__device__ inline void
count_samples (const HistogramArgs &a, const Counter &counter)
{
  const uint32_t all = a.pieces * a.height, step = gridDim.x * THREADS, first = blockIdx.x * THREADS + threadIdx.x;
  const uint32_t step_rows = step / a.pieces, step_pieces = step % a.pieces;
  const int row_bytes = a.row_bytes;
  uint32_t y = first / a.pieces, piece = first % a.pieces;
  for (uint32_t done = 0; done < all; done += BATCH * step) {
    uint32_t words[BATCH][4];
    bool has[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      const uint8_t *row = a.pixels + (y < a.height ? y : 0) * a.stride;
      const int begin = (int) (piece * PIECE) - (int) ((uintptr_t) row % PIECE), end = begin + PIECE;
      has[k] = y < a.height && begin >= 0 && end <= row_bytes;
      const uint4 loaded = has[k] ? *(const uint4 *) (row + begin) : make_uint4 (0, 0, 0, 0);
      words[k][0] = loaded.x;
      words[k][1] = loaded.y;
      words[k][2] = loaded.z;
      words[k][3] = loaded.w;
      if (y < a.height && !has[k])
#pragma unroll 1
        for (int i = max (begin, 0); i < min (end, row_bytes); i += sizeof (Sample))
          counter.add (*(const Sample *) (row + i), 1);
      y += step_rows;
      piece += step_pieces;
      if (piece >= a.pieces) {
        piece -= a.pieces;
        y++;
      }
    }
#pragma unroll
    for (int k = 0; k < BATCH; k++)
      counter.add_piece (has[k], words[k]);
  }
  counter.finish (a.histogram->counts);
}

/* Returns, to all threads, whether this is the last CTA to finish. It then sees what all the others have counted. */
__device__ inline bool
is_last_to_finish (Histogram *histogram)
{
  __shared__ bool last;
  __syncthreads ();
  if (threadIdx.x == 0) {
    __threadfence ();
    last = atomicAdd (&histogram->finished, 1) + 1 == gridDim.x;
    __threadfence ();
  }
  __syncthreads ();
  return last;
}

template <typename Sample>
__global__ void
__launch_bounds__ (THREADS, 1) small_kernel (const __grid_constant__ HistogramArgs a)
{
  __shared__ HistogramShared s;
  const uint32_t t = threadIdx.x;
  for (uint32_t i = t; i < LEVELS_8 * COPIES; i += THREADS)
    s.counts[i / COPIES][i % COPIES] = 0;
  __syncthreads ();
  count_samples<Sample> (a, SmallCounter<Sample>{s.counts, a.sample_shift});
  if (!is_last_to_finish (a.histogram))
    return;
  if (t < LEVELS_8) {
    const uint32_t count = atomicExch (&a.histogram->counts[t], 0);
    s.search.totals[t] = count;
    a.histogram->result[t] = count;
  }
  if (t == 0)
    atomicExch (&a.histogram->finished, 0);
  __syncthreads ();
  if (!a.otsu)
    return;
  const uint32_t threshold = otsu_threshold (OtsuHistogram<LEVELS_8, true>{s.search.totals}, s.search.otsu);
  if (t == 0)
    a.histogram->threshold = threshold;
}

__global__ void
__launch_bounds__ (THREADS, 1) large_kernel (const __grid_constant__ HistogramArgs a)
{
  __shared__ OtsuShared s;
  const uint32_t t = threadIdx.x;
  count_samples<uint16_t> (a, LargeCounter{a.histogram->counts});
  if (!is_last_to_finish (a.histogram))
    return;
  const uint32_t threshold = otsu_threshold (OtsuHistogram<LEVELS_16, false>{a.histogram->counts}, s);
  for (uint32_t i = t; i < LEVELS_16; i += THREADS)
    *(volatile uint32_t *) &a.histogram->counts[i] = 0;
  if (t == 0) {
    a.histogram->threshold = threshold;
    atomicExch (&a.histogram->finished, 0);
  }
}

bool
queue (HistogramArgs a, const CtrImage *plane, cudaStream_t stream, CtrError *error)
{
  int device, processors;
  CTR_CUDA (cudaGetDevice (&device));
  CTR_CUDA (cudaDeviceGetAttribute (&processors, cudaDevAttrMultiProcessorCount, device));
  const bool wide = plane->format == CTR_FORMAT_GRAY16;
  a.pixels = (const uint8_t *) plane->data;
  a.stride = plane->stride;
  a.row_bytes = plane->width << wide;
  a.height = plane->height;
  const bool aligned = ((uintptr_t) plane->data | plane->stride) % PIECE == 0;
  a.pieces = ctr_div_up (a.row_bytes + (aligned ? 0 : PIECE - 1), PIECE);
  auto kernel = !wide ? small_kernel<uint8_t> : a.otsu ? large_kernel : small_kernel<uint16_t>;
  kernel<<<min (ctr_div_up (a.pieces * a.height, THREADS), (unsigned) processors), THREADS, 0, stream>>> (a);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

} // namespace

bool
histogram_queue_otsu (Histogram *histogram, const CtrImage *plane, cudaStream_t stream, CtrError *error)
{
  HistogramArgs a = {};
  a.histogram = histogram;
  a.otsu = true;
  return queue (a, plane, stream, error);
}

bool
histogram_queue_8 (
    Histogram *histogram, const CtrImage *plane, uint32_t sample_shift, cudaStream_t stream, CtrError *error)
{
  HistogramArgs a = {};
  a.histogram = histogram;
  a.sample_shift = sample_shift;
  return queue (a, plane, stream, error);
}
