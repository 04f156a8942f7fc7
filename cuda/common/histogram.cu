/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One kernel counts a picture's samples. The last of its CTAs to finish has all counts: it finds the threshold and clears
 * the counters for the next frame. */
#include "cuda/common/histogram.cuh"
#include "cuda/common/ptx.cuh"

#include "cuda/common/otsu.cuh"
#include "cuda/common/pieces.cuh"
#include "cuda/common/triangle.cuh"

namespace
{

constexpr int THREADS = PIECES_THREADS;
constexpr int COPIES = 32;
static_assert (THREADS == OTSU_THREADS && THREADS == TRIANGLE_THREADS, "the last CTA goes on to search");

struct HistogramArgs {
  PiecesArgs picture;
  uint32_t sample_shift;     /* of 16-bit samples that are counted in 256 levels */
  uint32_t significant_bits; /* of the triangle */
  Histogram *histogram;
  uint32_t *threshold;
};

/* A CTA's memory: at first its counters, then that of the search. With 256 levels each lane has counters of its own, in
 * a bank of its own, so no lane waits for another, whatever the picture is. With more levels all CTAs share the counters
 * in global memory. */
template <typename Rule> union HistogramShared {
  uint32_t counts[LEVELS_8][COPIES];
  struct {
    uint32_t totals[LEVELS_8];
    typename Rule::Shared rule;
  } search;
};

/* How the threshold is found in a histogram. */
struct OtsuRule {
  typedef OtsuShared Shared;

  template <typename Counts>
  __device__ static uint32_t
  find (const Counts &counts, uint32_t, Shared &shared)
  {
    return otsu_threshold (counts, shared);
  }
};

struct TriangleRule {
  typedef TriangleShared Shared;

  template <typename Counts>
  __device__ static uint32_t
  find (const Counts &counts, uint32_t significant_bits, Shared &shared)
  {
    return triangle_threshold (counts, significant_bits, shared);
  }
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
      add (flat & mask, 16 / sizeof (Sample));
      return;
    }
#pragma unroll
    for (uint32_t i = 0; i < 16 / sizeof (Sample); i++)
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
};

/* Returns, to all threads, whether this is the last CTA to finish. It then sees what all the others have counted. */
__device__ inline bool
is_last_to_finish (Histogram *histogram)
{
  __shared__ bool last;
  __syncthreads ();
  if (threadIdx.x == 0)
    last = count_arrival (&histogram->finished) + 1 == gridDim.x;
  __syncthreads ();
  return last;
}

template <typename Pieces, typename Rule>
__global__ void
__launch_bounds__ (THREADS, 1) small_kernel (const __grid_constant__ HistogramArgs a)
{
  typedef typename Pieces::Sample Sample;
  __shared__ HistogramShared<Rule> s;
  const uint32_t t = threadIdx.x;
  ctr_let_next_start ();
  for (uint32_t i = t; i < LEVELS_8 * COPIES; i += THREADS)
    s.counts[i / COPIES][i % COPIES] = 0;
  __syncthreads ();
  const SmallCounter<Sample> counter = {s.counts, a.sample_shift};
  for_pieces<Pieces> (a.picture, counter);
  counter.finish (a.histogram->counts);
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
  const uint32_t threshold =
      Rule::find (OtsuHistogram<LEVELS_8, true>{s.search.totals}, a.significant_bits, s.search.rule);
  if (t == 0)
    *a.threshold = threshold;
}

template <typename Rule>
__global__ void
__launch_bounds__ (THREADS, 1) large_kernel (const __grid_constant__ HistogramArgs a)
{
  __shared__ typename Rule::Shared s;
  const uint32_t t = threadIdx.x;
  ctr_let_next_start ();
  for_pieces<GreyPieces<uint16_t>> (a.picture, LargeCounter{a.histogram->counts});
  if (!is_last_to_finish (a.histogram))
    return;
  const uint32_t threshold = Rule::find (OtsuHistogram<LEVELS_16, false>{a.histogram->counts}, a.significant_bits, s);
  for (uint32_t i = t; i < LEVELS_16; i += THREADS)
    *(volatile uint32_t *) &a.histogram->counts[i] = 0;
  if (t == 0) {
    *a.threshold = threshold;
    atomicExch (&a.histogram->finished, 0);
  }
}

template <typename Rule>
bool
queue (const HistogramArgs &a, const CtrImage *image, bool small, cudaStream_t stream, CtrError *error)
{
  const bool wide = image->format == CTR_FORMAT_GRAY16;
  auto kernel = wide && !small                               ? large_kernel<Rule>
                : wide                                       ? small_kernel<GreyPieces<uint16_t>, Rule>
                : !a.picture.luma                            ? small_kernel<GreyPieces<uint8_t>, Rule>
                : ctr_format_pixel_size (image->format) == 2 ? small_kernel<PackedPieces<2>, Rule>
                : ctr_format_pixel_size (image->format) == 3 ? small_kernel<PackedPieces<3>, Rule>
                                                             : small_kernel<PackedPieces<4>, Rule>;
  return pieces_launch (kernel, a, a.picture, stream, error);
}

} // namespace

bool
histogram_queue (Histogram *histogram, uint32_t *threshold, const CtrImage *image, const CtrImage *luma, bool small,
    uint32_t sample_shift, cudaStream_t stream, CtrError *error)
{
  const HistogramArgs a = {pieces_args (image, luma), sample_shift, 0, histogram, threshold};
  return queue<OtsuRule> (a, image, small, stream, error);
}

bool
histogram_queue_threshold (Histogram *histogram, const CtrForeground *foreground, uint32_t *threshold,
    const CtrImage *image, const CtrImage *luma, cudaStream_t stream, CtrError *error)
{
  const HistogramArgs a = {pieces_args (image, luma), 0, foreground->significant_bits, histogram, threshold};
  return foreground->mode == CTR_THRESHOLD_TRIANGLE ? queue<TriangleRule> (a, image, false, stream, error)
                                                    : queue<OtsuRule> (a, image, false, stream, error);
}

bool
histogram_queue_search (
    Histogram *histogram, const CtrForeground *foreground, bool wide, cudaStream_t stream, CtrError *error)
{
  HistogramArgs a = {};
  a.picture.per_row = 1; /* of no rows */
  a.significant_bits = foreground->significant_bits;
  a.histogram = histogram;
  a.threshold = &histogram->threshold;
  auto kernel = foreground->mode == CTR_THRESHOLD_TRIANGLE
                    ? wide ? large_kernel<TriangleRule> : small_kernel<GreyPieces<uint8_t>, TriangleRule>
                : wide ? large_kernel<OtsuRule>
                       : small_kernel<GreyPieces<uint8_t>, OtsuRule>;
  ctr_launch (kernel, 1, THREADS, 0, stream, a);
  CTR_CUDA (cudaGetLastError ());
  return true;
}
