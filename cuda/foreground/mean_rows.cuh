/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The samples of a row that a lane of the plain mean has: loaded, or copied to shared memory and taken from there. */
#ifndef CTR_CUDA_FOREGROUND_MEAN_ROWS_CUH
#define CTR_CUDA_FOREGROUND_MEAN_ROWS_CUH

#include "cuda/foreground/adaptive.cuh"

#include "cuda/common/launch.cuh"
#include "cuda/common/ptx.cuh"

namespace
{

constexpr int COLUMNS = 16; /* of a lane */

struct MeanArgs : AdaptiveArgs {
  bool aligned;           /* rows begin at multiples of 16 bytes */
  uint32_t strip_columns; /* of the mask: a multiple of 32 */
  uint32_t lead;          /* columns of the strip before them: a multiple of COLUMNS */
  uint32_t band_rows;
  uint32_t row_words; /* of the mask */
};

/* What a lane knows of its columns. WORDS: of column sums. ROWS: that a warp takes at once. RAW: words of a row's samples. */
template <typename Sample> struct Columns;

template <> struct Columns<uint8_t> {
  static constexpr int words = COLUMNS / 2, rows = 6, raw = 4;
};

template <> struct Columns<uint16_t> {
  static constexpr int words = COLUMNS, rows = 3, raw = 8;
};

template <typename Sample> constexpr int ROW_QUADS = 32 * Columns<Sample>::raw / 4; /* 16 bytes each, of a row */

/* Word I of the columns with the samples RAW, as column sums are. */
template <typename Sample>
__device__ inline uint32_t
spread (const uint32_t raw[Columns<Sample>::raw], int i)
{
  if (sizeof (Sample) == 1)
    return __byte_perm (raw[i / 2], 0, i % 2 ? 0x4342 : 0x4140);
  return i % 2 ? raw[i / 2] >> 16 : raw[i / 2] & 0xffff;
}

/* The samples of a row, of the columns from X on, which are not all inside of the image or not aligned. */
template <typename Sample>
__device__ inline void
load_single (const Sample *row, int x, int last, uint32_t raw[Columns<Sample>::raw])
{
  constexpr int words = Columns<Sample>::raw, bits = 8 * sizeof (Sample);
#pragma unroll 1
  for (int i = 0; i < COLUMNS; i++) {
    const uint32_t sample = row[min (max (x + i, 0), last)];
#pragma unroll
    for (int k = 0; k < words - 1; k++)
      raw[k] = __funnelshift_r (raw[k], raw[k + 1], bits);
    raw[words - 1] = __funnelshift_r (raw[words - 1], sample, bits);
  }
}

/* Loads the samples of rows Y, Y + 1, ... up to COUNT <= N, of the columns from X on; 0 for further rows. Outside of the image
 * are its outermost rows and columns. */
template <typename Sample, int N>
__device__ inline void
load_rows (const MeanArgs &a, int y, int x, int count, uint32_t raw[N][Columns<Sample>::raw])
{
  constexpr int words = Columns<Sample>::raw;
  const int last_row = (int) a.height - 1, last = (int) a.width - 1;
#pragma unroll
  for (int i = 0; i < N; i++)
#pragma unroll
    for (int k = 0; k < words; k++)
      raw[i][k] = 0;
  if (a.aligned && x >= 0 && x + COLUMNS - 1 <= last) {
    const uint8_t *from = a.pixels + (size_t) x * sizeof (Sample);
#pragma unroll
    for (int i = 0; i < N; i++)
      if (i < count) {
        const uint4 *row = (const uint4 *) (from + min (max (y + i, 0), last_row) * a.stride);
#pragma unroll
        for (int k = 0; k < words / 4; k++) {
          const uint4 v = row[k];
          raw[i][4 * k] = v.x;
          raw[i][4 * k + 1] = v.y;
          raw[i][4 * k + 2] = v.z;
          raw[i][4 * k + 3] = v.w;
        }
      }
  } else if (x + COLUMNS - 1 <= 0 || x >= last) {
    const Sample *from = (const Sample *) a.pixels + (x < 0 ? 0 : last);
#pragma unroll
    for (int i = 0; i < N; i++)
      if (i < count) {
        const uint32_t sample = *(const Sample *) ((const uint8_t *) from + min (max (y + i, 0), last_row) * a.stride);
#pragma unroll
        for (int k = 0; k < words; k++)
          raw[i][k] = sample * (sizeof (Sample) == 1 ? 0x01010101u : 0x10001u);
      }
  } else {
#pragma unroll
    for (int i = 0; i < N; i++)
      if (i < count)
        load_single<Sample> ((const Sample *) (a.pixels + min (max (y + i, 0), last_row) * a.stride), x, last, raw[i]);
  }
}

/* Copies the columns from X on of row Y to shared memory. */
template <typename Sample>
__device__ inline void
copy_row (const MeanArgs &a, int y, int x, uint4 *to)
{
  constexpr int quads = Columns<Sample>::raw / 4;
  const uint8_t *from = a.pixels + (size_t) min (max (x, 0), (int) a.width - COLUMNS) * sizeof (Sample)
                        + min (max (y, 0), (int) a.height - 1) * a.stride;
#pragma unroll
  for (int k = 0; k < quads; k++)
    copy_16 (to + threadIdx.x % 32 * quads + k, from + 16 * k);
}

/* What load_rows() loads, from a copy. */
template <typename Sample>
__device__ inline void
take_rows (const MeanArgs &a, int x, int count, const uint4 *from, uint32_t raw[][Columns<Sample>::raw])
{
  constexpr int words = Columns<Sample>::raw, quads = words / 4;
  const uint4 *const own = from + threadIdx.x % 32 * quads;
#pragma unroll
  for (int i = 0; i < Columns<Sample>::rows; i++) {
#pragma unroll
    for (int k = 0; k < quads; k++) {
      const uint4 v = i < count ? own[i * ROW_QUADS<Sample> + k] : make_uint4 (0, 0, 0, 0);
      raw[i][4 * k] = v.x;
      raw[i][4 * k + 1] = v.y;
      raw[i][4 * k + 2] = v.z;
      raw[i][4 * k + 3] = v.w;
    }
    if (x < 0 || x >= (int) a.width) {
      const uint32_t nearest = x < 0 ? raw[i][0] : raw[i][words - 1];
      const uint32_t repeated =
          __byte_perm (nearest, 0, sizeof (Sample) == 1 ? (x < 0 ? 0 : 0x3333) : (x < 0 ? 0x1010 : 0x3232));
#pragma unroll
      for (int k = 0; k < words; k++)
        raw[i][k] = repeated;
    }
  }
}

} // namespace

#endif
