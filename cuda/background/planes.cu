/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/background/planes.cuh"

namespace
{

constexpr int COLUMNS = 32, ROWS = 8; /* of a CTA: a warp a row */
constexpr int WORDS = BACKGROUND_VECTOR / 4;

struct Vector {
  uint32_t words[WORDS];
};

__device__ inline Vector
unpack (uint4 v)
{
  return {{v.x, v.y, v.z, v.w}};
}

__device__ inline uint4
pack (const Vector &v)
{
  return make_uint4 (v.words[0], v.words[1], v.words[2], v.words[3]);
}

/* COUNT bytes of a vector; the others are 0. */
__device__ inline Vector
load_bytes (const uint8_t *from, uint32_t count)
{
  Vector v = {};
#pragma unroll
  for (int i = 0; i < (int) BACKGROUND_VECTOR; i++)
    if (i < (int) count)
      v.words[i / 4] |= (uint32_t) from[i] << 8 * (i % 4);
  return v;
}

__device__ inline void
store_bytes (uint8_t *to, const Vector &v, uint32_t count)
{
#pragma unroll
  for (int i = 0; i < (int) BACKGROUND_VECTOR; i++)
    if (i < (int) count)
      to[i] = (uint8_t) (v.words[i / 4] >> 8 * (i % 4));
}

/* The samples of a word, from the lowest bits on. */
template <typename Sample> struct Samples {
  static constexpr int bits = 8 * sizeof (Sample), count = 4 / sizeof (Sample);
  static constexpr uint32_t greatest = (Sample) -1;

  __device__ static uint32_t
  get (uint32_t word, int i)
  {
    return word >> bits * i & greatest;
  }
};

template <typename Sample>
__device__ inline void
order (uint32_t *low, uint32_t *high)
{
  const uint32_t a = *low, b = *high;
  *low = sizeof (Sample) == 1 ? __vminu4 (a, b) : __vminu2 (a, b);
  *high = sizeof (Sample) == 1 ? __vmaxu4 (a, b) : __vmaxu2 (a, b);
}

/* The median of FRAMES images at vector AT of a plane of PLANE vectors, of which SAMPLES is the one that is learned. */
template <typename Sample, int FRAMES>
__device__ inline Vector
median (const BackgroundPass &p, size_t at, size_t plane, const Vector &samples)
{
  uint4 *history = (uint4 *) p.history;
  Vector images[FRAMES], result;
  history[p.slot * plane + at] = pack (samples);
#pragma unroll
  for (int f = 0; f < FRAMES; f++)
    if (f == (int) p.slot)
      images[f] = samples;
    else if (f < (int) p.count)
      images[f] = unpack (history[f * plane + at]);
    else
      images[f] = unpack (make_uint4 (0, 0, 0, 0));
#pragma unroll
  for (int w = 0; w < WORDS; w++) {
    uint32_t words[FRAMES];
#pragma unroll
    for (int f = 0; f < FRAMES; f++)
      words[f] = f < (int) (p.count + p.zeros) ? images[f].words[w] : ~0u;
      /* The smallest of those that are left comes first, up to the one in the middle. */
#pragma unroll
    for (int first = 0; first <= (FRAMES - 1) / 2; first++)
#pragma unroll
      for (int i = FRAMES - 1; i > first; i--)
        order<Sample> (&words[i - 1], &words[i]);
    result.words[w] = words[(FRAMES - 1) / 2];
  }
  return result;
}

/* Averages that are read and written at once. */
struct alignas (16) Four {
  float values[4];
};

/* The average at vector X of row Y, after it has learned SAMPLES. */
template <typename Sample>
__device__ inline Vector
average (const BackgroundPass &p, uint32_t x, uint32_t y, const Vector &samples)
{
  constexpr int FOURS = BACKGROUND_VECTOR / sizeof (Sample) / 4, PER_WORD = Samples<Sample>::count;
  Four *fours = (Four *) p.average + ((size_t) y * FOURS * p.vectors + x);
  Vector result = {};
#pragma unroll
  for (int f = 0; f < FOURS; f++) {
    Four four = {};
    if (!p.start)
      four = fours[f * p.vectors];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const int at = 4 * f + i;
      const float sample = (float) Samples<Sample>::get (samples.words[at / PER_WORD], at % PER_WORD);
      if (p.start)
        four.values[i] = sample;
      else if (p.learn)
        four.values[i] = ctr_background_learn (four.values[i], sample, p.rate, p.keep);
      result.words[at / PER_WORD] |= ctr_background_round (four.values[i], Samples<Sample>::greatest)
                                     << at % PER_WORD * Samples<Sample>::bits;
    }
    if (p.learn)
      fours[f * p.vectors] = four;
  }
  return result;
}

/* FRAMES of the median; 0: the background is a plane; -1: the average. */
template <typename Sample, int FRAMES>
__device__ inline Vector
find_background (const BackgroundPass &p, uint32_t x, uint32_t y, const Vector &samples)
{
  const size_t at = (size_t) y * p.vectors + x;
  uint4 *plane = (uint4 *) p.plane;
  if constexpr (FRAMES < 0)
    return average<Sample> (p, x, y, samples);
  if constexpr (FRAMES == 0)
    if (!p.learn || p.model == CTR_BACKGROUND_GIVEN)
      return unpack (plane[at]);
  Vector background = samples;
  if constexpr (FRAMES > 0)
    background = median<Sample, FRAMES> (p, at, (size_t) p.height * p.vectors, samples);
  plane[at] = pack (background);
  return background;
}

/* Adds up what all threads of the CTA have. */
__device__ inline void
add_up (uint32_t of_thread, unsigned long long *sum)
{
  __shared__ uint32_t of_warps[ROWS];
  for (int d = 16; d > 0; d /= 2)
    of_thread += __shfl_xor_sync (~0u, of_thread, d);
  if (threadIdx.x == 0)
    of_warps[threadIdx.y] = of_thread;
  __syncthreads ();
  if (threadIdx.x > 0 || threadIdx.y > 0)
    return;
  uint32_t of_cta = 0;
  for (int i = 0; i < ROWS; i++)
    of_cta += of_warps[i];
  atomicAdd (sum, (unsigned long long) of_cta);
}

/* The mean, which one thread of the CTA computes. */
template <typename Sample>
__device__ inline uint32_t
find_mean (const BackgroundPass &p)
{
  __shared__ uint32_t mean;
  if (threadIdx.x == 0 && threadIdx.y == 0)
    mean = ctr_background_mean (*p.sum, (uint64_t) p.width * p.height, ctr_background_unit (Samples<Sample>::greatest));
  __syncthreads ();
  return mean;
}

template <typename Sample>
__device__ inline Vector
correct (const BackgroundPass &p, const Vector &samples, const Vector &background, uint32_t mean)
{
  Vector result = {};
#pragma unroll
  for (int w = 0; w < WORDS; w++)
#pragma unroll
    for (int i = 0; i < Samples<Sample>::count; i++)
      result.words[w] |=
          ctr_background_correct (Samples<Sample>::get (samples.words[w], i),
              Samples<Sample>::get (background.words[w], i), p.mode, mean, p.offset, p.limit, Samples<Sample>::greatest)
          << i * Samples<Sample>::bits;
  return result;
}

/* All threads meet in sums and means, also those behind the image. */
template <typename Sample, int FRAMES>
__global__ void
__launch_bounds__ (COLUMNS *ROWS) pass_kernel (const __grid_constant__ BackgroundPass p)
{
  const uint32_t x = blockIdx.x * COLUMNS + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
  const bool inside = x < p.vectors && y < p.height;
  const uint32_t at = x * BACKGROUND_VECTOR;
  const uint32_t count = inside ? min (p.row_size - at, BACKGROUND_VECTOR) : 0;
  Vector samples = {}, background = {};
  if (inside) {
    const uint8_t *from = p.samples + y * p.stride + at;
    samples = p.aligned && count == BACKGROUND_VECTOR ? unpack (*(const uint4 *) from) : load_bytes (from, count);
    background = find_background<Sample, FRAMES> (p, x, y, samples);
  }
  if (!p.correct) {
    uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < (int) (BACKGROUND_VECTOR / sizeof (Sample)); i++)
      if (i * (int) sizeof (Sample) < (int) count)
        sum += Samples<Sample>::get (background.words[i / Samples<Sample>::count], i % Samples<Sample>::count);
    add_up (sum, p.sum);
    return;
  }
  const uint32_t mean = p.mode == CTR_BACKGROUND_DIVIDE ? find_mean<Sample> (p) : 0;
  if (!inside)
    return;
  const Vector corrected = correct<Sample> (p, samples, background, mean);
  uint8_t *to = p.corrected + y * p.corrected_stride + at;
  if (p.corrected_aligned && count == BACKGROUND_VECTOR)
    *(uint4 *) to = pack (corrected);
  else
    store_bytes (to, corrected, count);
}

typedef void PassKernel (BackgroundPass);

template <typename Sample>
PassKernel *
find_kernel (const BackgroundPass &p)
{
  if (p.model == CTR_BACKGROUND_AVERAGE)
    return pass_kernel<Sample, -1>;
  if (p.model != CTR_BACKGROUND_MEDIAN || !p.learn)
    return pass_kernel<Sample, 0>;
  static PassKernel *const medians[] = {pass_kernel<Sample, 3>, pass_kernel<Sample, 5>, pass_kernel<Sample, 7>,
      pass_kernel<Sample, 9>, pass_kernel<Sample, 11>, pass_kernel<Sample, 13>, pass_kernel<Sample, 15>};
  return medians[(p.frames - CTR_BACKGROUND_MIN_FRAMES) / 2];
}

/* A thread a pixel. One that only ends a pair of packed YUV has no corrected luma. */
__global__ void
__launch_bounds__ (COLUMNS *ROWS) spread_kernel (const __grid_constant__ BackgroundSpread s)
{
  const uint32_t x = blockIdx.x * COLUMNS + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
  if (x >= s.width || y >= s.height)
    return;
  const uint32_t colours = x < s.luma_width ? s.colours : 0;
  const uint8_t luma = colours ? s.luma[y * s.luma_stride + x] : 0;
  const uint8_t *source = s.source + y * s.source_stride + x * s.pixel;
  uint8_t *pixel = s.pixels + y * s.stride + x * s.pixel;
  for (uint32_t i = 0; i < s.pixel; i++)
    pixel[i] = i - s.first < colours ? luma : source[i];
}

const dim3 BLOCK (COLUMNS, ROWS);

} // namespace

void
background_launch_pass (const BackgroundPass &pass, bool wide, cudaStream_t stream)
{
  const dim3 grid (ctr_div_up (pass.vectors, COLUMNS), ctr_div_up (pass.height, ROWS));
  PassKernel *kernel = wide ? find_kernel<uint16_t> (pass) : find_kernel<uint8_t> (pass);
  ctr_launch (kernel, grid, BLOCK, 0, stream, pass);
}

void
background_launch_spread (const BackgroundSpread &spread, cudaStream_t stream)
{
  const dim3 grid (ctr_div_up (spread.width, COLUMNS), ctr_div_up (spread.height, ROWS));
  ctr_launch (spread_kernel, grid, BLOCK, 0, stream, spread);
}
