/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Otsu's threshold of a histogram, found by one CTA. The result is that of core/common/otsu.h for every histogram.
 *
 * The recurrence there is serial, since each step is rounded, but its rounding errors have a bound. The CTA therefore
 * first computes all variances in parallel, from exact sums. If the best level leads by more than the errors of the
 * recurrence, the recurrence has its maximum there, too (otsu_lead()). This takes a microsecond and decides nearly every
 * picture. Otherwise, as with equal variances, the CTA follows the recurrence (otsu_follow()).
 *
 * The bound. A level splits the N pixels into C lower ones with the share q = C / N and the mean m, and the others with
 * the share h and the mean M; d = M - m; u = 2^-53; n levels have pixels. Each rounding changes a result by a factor in
 * 1 +- u. The recurrence adds positive numbers only: its q is exact but for a factor 1 +- (n + 2) u, its q m but for
 * 1 +- (3 n + 5) u. Hence its h has an error of (n + 2) u at most, its d one of (4 n + 14) u M / h. With
 * y = (n + 4) u M / (h d), which is at least (n + 4) u / h, its variance q h d^2 has the relative error 12 y at most,
 * where y < 1/100. */
#ifndef CTR_CUDA_COMMON_OTSU_CUH
#define CTR_CUDA_COMMON_OTSU_CUH

#include "cuda/common/launch.cuh"

#include "core/common/otsu.h"

namespace
{

constexpr int OTSU_THREADS = 1024;
constexpr int OTSU_CHUNK = 512; /* levels that the recurrence takes at a time */
constexpr int OTSU_AHEAD = 4;   /* of these, how many a thread loads before it needs them */

/* Sums over levels. */
struct OtsuSums {
  unsigned long long samples; /* the sum of the samples */
  uint32_t pixels;
  uint32_t levels; /* that have pixels */
};

/* The level of the greatest variance. Variances are in units of 1 / pixels^2. */
struct OtsuLead {
  double upper, lower; /* between these the recurrence has the variance of LEVEL */
  double second;       /* the recurrence has no variance above this one at any other level */
  uint32_t level;
};

/* A level that has pixels, in the recurrence. */
struct __align__ (16) OtsuLink
{
  double low;               /* the share of the pixels up to this level; at first, of this level */
  double weighted;          /* the level times its share */
  double inverse, residual; /* 1 / LOW, and what its rounding has lost */
};

struct OtsuMaximum {
  double variance;
  uint32_t level; /* the lowest one with this variance */
};

struct OtsuShared {
  OtsuSums sums[32]; /* by warp, as the next three */
  OtsuLead leads[32];
  OtsuMaximum maxima[32];
  uint32_t used[32];
  unsigned long long lost; /* see otsu_lost() */
  OtsuLink links[OTSU_CHUNK];
  double shares[OTSU_CHUNK]; /* of the pixels up to a link's level */
  double means[OTSU_CHUNK];  /* of these pixels */
  uint32_t levels[OTSU_CHUNK];
};

/* The counts of LEVELS levels, which each warp but the last ones has an equal part of. */
template <uint32_t LEVELS, bool SHARED> struct OtsuHistogram {
  static constexpr uint32_t levels = LEVELS;
  static constexpr uint32_t warps = LEVELS < OTSU_THREADS ? LEVELS / 32 : OTSU_THREADS / 32;
  static constexpr uint32_t part = LEVELS / warps; /* levels of a warp */
  const uint32_t *counts;                          /* in shared memory, or in global memory, written by other CTAs */

  __device__ uint32_t
  operator[] (uint32_t level) const
  {
    return SHARED ? counts[level] : __ldcg (counts + level);
  }
};

__device__ inline OtsuSums
operator+ (const OtsuSums &a, const OtsuSums &b)
{
  return {a.samples + b.samples, a.pixels + b.pixels, a.levels + b.levels};
}

/* The sums over this lane and those before it. */
__device__ inline OtsuSums
otsu_scan (OtsuSums sums)
{
#pragma unroll 1
  for (int d = 1; d < 32; d *= 2) {
    const OtsuSums before = {__shfl_up_sync (~0u, sums.samples, d), __shfl_up_sync (~0u, sums.pixels, d),
        __shfl_up_sync (~0u, sums.levels, d)};
    if (threadIdx.x % 32 >= d)
      sums = sums + before;
  }
  return sums;
}

__device__ inline OtsuSums
otsu_of_lane (const OtsuSums &sums, int lane)
{
  return {__shfl_sync (~0u, sums.samples, lane), __shfl_sync (~0u, sums.pixels, lane),
      __shfl_sync (~0u, sums.levels, lane)};
}

__device__ inline OtsuSums
otsu_sums_of (uint32_t level, uint32_t count)
{
  return {(unsigned long long) level * count, count, count != 0};
}

/* The sums over all levels. *BEFORE: over those before this warp's part. */
template <typename Histogram>
__device__ inline OtsuSums
otsu_sums (const Histogram &histogram, OtsuShared &s, OtsuSums *before)
{
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (warp < Histogram::warps) {
    OtsuSums sums = {};
#pragma unroll 8
    for (uint32_t i = lane; i < Histogram::part; i += 32)
      sums = sums + otsu_sums_of (warp * Histogram::part + i, histogram[warp * Histogram::part + i]);
    sums = otsu_scan (sums);
    if (lane == 31)
      s.sums[warp] = sums;
  }
  __syncthreads ();
  const OtsuSums sums = otsu_scan (lane < Histogram::warps ? s.sums[lane] : OtsuSums ());
  *before = warp ? otsu_of_lane (sums, warp - 1) : OtsuSums ();
  return otsu_of_lane (sums, 31);
}

/* Calls WORK (level, count, sums up to and with this level) for the levels of this warp's part, 32 at a time. SUMS: over
 * the levels before. */
template <typename Histogram, typename Work>
__device__ inline void
otsu_for_levels (const Histogram &histogram, OtsuSums sums, const Work &work)
{
  const uint32_t lane = threadIdx.x % 32, first = threadIdx.x / 32 * Histogram::part + lane;
  constexpr int batch = Histogram::part / 32 < 4 ? 1 : 4;
  for (uint32_t i = 0; i < Histogram::part; i += 32 * batch) {
    uint32_t counts[batch];
#pragma unroll
    for (int k = 0; k < batch; k++)
      counts[k] = histogram[first + i + 32 * k];
#pragma unroll
    for (int k = 0; k < batch; k++) {
      if (!__any_sync (~0u, counts[k]))
        continue;
      const OtsuSums here = sums + otsu_scan (otsu_sums_of (first + i + 32 * k, counts[k]));
      work (first + i + 32 * k, counts[k], here);
      sums = otsu_of_lane (here, 31);
    }
  }
}

/* The recurrence does not split where one class has less than FLT_EPSILON of the pixels. The mean of the lower class
 * therefore leaves out what lies below the first split, although its share does not. */
constexpr double OTSU_EPSILON = 1.1920928955078125e-07;
constexpr double OTSU_DOUBT = 1e-3; /* The recurrence itself decides for shares that differ less from it. */

/* The sum of the samples below the first split. */
template <typename Histogram>
__device__ inline unsigned long long
otsu_lost (const Histogram &histogram, const OtsuSums &all, const OtsuSums &before, OtsuShared &s)
{
  const double least = OTSU_EPSILON * all.pixels;
  if (least < 1 - OTSU_DOUBT)
    return 0;
  if (threadIdx.x == 0)
    s.lost = 0;
  __syncthreads ();
  if (threadIdx.x / 32 < Histogram::warps && before.pixels < least)
    otsu_for_levels (histogram, before, [&] (uint32_t, uint32_t, const OtsuSums &here) {
      if (here.pixels < least)
        atomicMax (&s.lost, here.samples);
    });
  __syncthreads ();
  return s.lost;
}

/* The lead of A or B, which are of different levels. */
__device__ inline OtsuLead
otsu_better (const OtsuLead &a, const OtsuLead &b)
{
  OtsuLead best = a.upper >= b.upper ? a : b;
  best.second = max (best.second, min (a.upper, b.upper));
  return best;
}

/* The best of all lanes' leads. */
__device__ inline OtsuLead
otsu_best_of_warp (OtsuLead lead)
{
#pragma unroll 1
  for (int d = 16; d; d /= 2)
    lead = otsu_better (lead, {__shfl_xor_sync (~0u, lead.upper, d), __shfl_xor_sync (~0u, lead.lower, d),
                                  __shfl_xor_sync (~0u, lead.second, d), __shfl_xor_sync (~0u, lead.level, d)});
  return lead;
}

/* What the recurrence may find at LEVEL. HERE: the sums up to and with this level. */
__device__ inline OtsuLead
otsu_bounds (const OtsuSums &all, const OtsuSums &here, unsigned long long lost, uint32_t level)
{
  constexpr double unit = 1.0 / (1ull << 53);
  const double least = OTSU_EPSILON * all.pixels, pixels = all.pixels, low = here.pixels, high = pixels - low;
  if (min (low, high) < (1 - OTSU_DOUBT) * least || high == 0)
    return {};
  const double sum = here.samples - lost, sum_of_all = all.samples, sum_high = all.samples - here.samples + lost;
  /* sum * pixels - sum_of_all * low, with a relative error of 2 u at most: Kahan's algorithm. */
  const double product = __dmul_rn (sum_of_all, low);
  const double difference = __fma_rn (sum, pixels, -product) - __fma_rn (sum_of_all, low, -product);
  const double inverse = 1 / (low * high), scaled = fabs (difference) * inverse, variance = fabs (difference) * scaled;
  /* y * VARIANCE, see above, since M = SUM_HIGH / HIGH and h d = |DIFFERENCE| / (PIXELS LOW). */
  const double doubt = (all.levels + 4) * unit * sum_high * pixels * scaled * (low * low * inverse);
  if (min (low, high) <= (1 + OTSU_DOUBT) * least || doubt > 0.01 * variance)
    return {INFINITY, 0, 0, level};
  /* 16 instead of 12 covers the errors of this function. */
  return {variance + 16 * doubt, variance - 16 * doubt, 0, level};
}

/* Finds the recurrence's best level, the last one below the threshold, without it. Returns false if this is impossible.
 */
template <typename Histogram>
__device__ inline bool
otsu_lead (const Histogram &histogram, const OtsuSums &all, const OtsuSums &before, OtsuShared &s, uint32_t *level)
{
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned long long lost = otsu_lost (histogram, all, before, s);
  if (warp < Histogram::warps) {
    OtsuLead lead = {};
    otsu_for_levels (histogram, before, [&] (uint32_t at, uint32_t count, const OtsuSums &here) {
      if (count)
        lead = otsu_better (lead, otsu_bounds (all, here, lost, at));
    });
    lead = otsu_best_of_warp (lead);
    if (lane == 0)
      s.leads[warp] = lead;
  }
  __syncthreads ();
  const OtsuLead lead = otsu_best_of_warp (lane < Histogram::warps ? s.leads[lane] : OtsuLead ());
  *level = lead.level;
  return lead.lower > lead.second || lead.upper == 0;
}

/* Puts the levels of a chunk that begins at BASE and have pixels into LINKS, in order. Returns their number. Levels
 * without pixels, which do not change the recurrence, fill up the last OTSU_AHEAD. */
template <typename Histogram>
__device__ inline uint32_t
otsu_take_chunk (const Histogram &histogram, uint32_t base, uint32_t chunk, double scale, OtsuShared &s)
{
  const uint32_t t = threadIdx.x, lane = t % 32, warp = t / 32, level = base + t;
  const uint32_t count = t < chunk ? histogram[level] : 0, mask = __ballot_sync (~0u, count != 0);
  if (lane == 0)
    s.used[warp] = __popc (mask);
  __syncthreads ();
  uint32_t place = __popc (mask & ((1u << lane) - 1)), links = 0;
#pragma unroll 1
  for (uint32_t i = 0; i < OTSU_THREADS / 32; i++) {
    place += i < warp ? s.used[i] : 0;
    links += s.used[i];
  }
  if (count) {
    const double share = CTR_OTSU_MUL ((double) count, scale);
    s.levels[place] = level;
    s.links[place].low = share;
    s.links[place].weighted = CTR_OTSU_MUL ((double) level, share);
  }
  if (t >= links && t < ctr_div_up (links, OTSU_AHEAD) * OTSU_AHEAD)
    s.links[t].low = s.links[t].weighted = 0;
  __syncthreads ();
  return links;
}

/* The shares of the pixels up to each link. BEFORE: up to the link before the first. One thread. */
__device__ inline double
otsu_chain_shares (OtsuShared &s, uint32_t links, double before)
{
  for (uint32_t i = 0; i < links; i += OTSU_AHEAD) {
    double shares[OTSU_AHEAD];
#pragma unroll
    for (int k = 0; k < OTSU_AHEAD; k++)
      shares[k] = s.links[i + k].low;
#pragma unroll
    for (int k = 0; k < OTSU_AHEAD; k++)
      s.shares[i + k] = before = CTR_OTSU_ADD (before, shares[k]);
  }
  return before;
}

/* The means of the pixels up to each link. BEFORE, MEAN: of the link before the first. One thread.
 *
 * The division by LOW is correctly rounded, as the recurrence's is: the first quotient is off by less than a unit in the
 * last place, and the correction by the exact remainder gives the nearest number (Markstein). */
__device__ inline double
otsu_chain_means (OtsuShared &s, uint32_t links, double before, double mean)
{
  for (uint32_t i = 0; i < links; i += OTSU_AHEAD) {
    OtsuLink link[OTSU_AHEAD];
#pragma unroll
    for (int k = 0; k < OTSU_AHEAD; k++)
      link[k] = s.links[i + k];
#pragma unroll
    for (int k = 0; k < OTSU_AHEAD; k++) {
      const double sum = CTR_OTSU_ADD (CTR_OTSU_MUL (mean, before), link[k].weighted);
      const double quotient = __fma_rn (sum, link[k].inverse, __dmul_rn (sum, link[k].residual));
      s.means[i + k] = mean = __fma_rn (__fma_rn (-quotient, link[k].low, sum), link[k].inverse, quotient);
      before = link[k].low;
    }
  }
  return mean;
}

/* The maximum of all lanes. */
__device__ inline OtsuMaximum
otsu_maximum_of_warp (OtsuMaximum own)
{
#pragma unroll 1
  for (int d = 16; d; d /= 2) {
    const OtsuMaximum other = {__shfl_xor_sync (~0u, own.variance, d), __shfl_xor_sync (~0u, own.level, d)};
    if (other.variance > own.variance || (other.variance == own.variance && other.level < own.level))
      own = other;
  }
  return own;
}

/* Finds the recurrence's best level by following it. Only what depends on the step before is serial. */
template <typename Histogram>
__device__ __noinline__ uint32_t
otsu_follow (const Histogram &histogram, const OtsuSums &all, OtsuShared &s)
{
  const uint32_t t = threadIdx.x, lane = t % 32;
  constexpr uint32_t chunk = Histogram::levels < OTSU_CHUNK ? Histogram::levels : OTSU_CHUNK;
  CtrOtsu otsu;
  ctr_otsu_init (&otsu, all.pixels, all.samples);
  OtsuMaximum maximum = {};
  for (uint32_t base = 0; base < Histogram::levels; base += chunk) {
    const uint32_t links = otsu_take_chunk (histogram, base, chunk, otsu.scale, s);
    const double before = otsu.part_low;
    if (t == 0)
      otsu.part_low = otsu_chain_shares (s, links, before);
    __syncthreads ();
    if (t < ctr_div_up (links, OTSU_AHEAD) * OTSU_AHEAD) {
      OtsuLink *link = &s.links[t];
      link->low = s.shares[t];
      link->inverse = CTR_OTSU_DIV (1.0, link->low);
      link->residual = __dmul_rn (__fma_rn (-link->low, link->inverse, 1.0), link->inverse);
      /* Before the first split the mean is 0; after the last one it is not used. */
      if (!ctr_otsu_splits (link->low))
        link->weighted = 0;
    }
    __syncthreads ();
    if (t == 0)
      otsu.mean_low = otsu_chain_means (s, links, before, otsu.mean_low);
    __syncthreads ();
    if (t < links && ctr_otsu_splits (s.links[t].low)) {
      const double variance = ctr_otsu_variance (otsu.mean, s.links[t].low, s.means[t]);
      if (variance > maximum.variance)
        maximum = {variance, s.levels[t]};
    }
  }
  maximum = otsu_maximum_of_warp (maximum);
  if (lane == 0)
    s.maxima[t / 32] = maximum;
  __syncthreads ();
  return otsu_maximum_of_warp (s.maxima[lane]).level;
}

/* The foreground threshold, inclusive, to all threads of the CTA. */
template <typename Histogram>
__device__ inline uint32_t
otsu_threshold (const Histogram &histogram, OtsuShared &s)
{
  OtsuSums before;
  const OtsuSums all = otsu_sums (histogram, s, &before);
  uint32_t level;
  if (!otsu_lead (histogram, all, before, s, &level))
    level = otsu_follow (histogram, all, s);
  return level + 1;
}

} // namespace

#endif
