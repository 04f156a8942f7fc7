/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* First half of the tile kernel of Canny, behind grey.cuh: Gaussian blur of a tile, in shared memory.
 *
 * Both passes are products with banded matrices on the tensor cores. A block of 16 x 16 blurred pixels
 * needs a window of 16 + 2 REACH samples in each direction, which is 32 samples for every matrix step. The right
 * operand of the row pass is the samples as they lie in memory. The rows of the row pass's matrix and the order of
 * summation in the column pass are permuted so that each lane's part of the first product is its part of the second
 * one's operand: no data moves between lanes. The row pass yields up to 255 * 256. The column pass takes the upper and
 * the lower byte in turn, and the sum is rounded once, at the end. */
#ifndef CTR_CUDA_CANNY_BLUR_CUH
#define CTR_CUDA_CANNY_BLUR_CUH

#include "cuda/canny/grey.cuh"

namespace
{

constexpr int BLURRED_LEFT = 4; /* columns before the tile's first */
constexpr int BLURRED_BLOCKS = 17;
constexpr int BLURRED_STRIDE = 16 * BLURRED_BLOCKS; /* an odd multiple of 16 bytes avoids bank conflicts */

/* The samples that a tile needs. STEPS: matrix steps of 32 window pixels, 0 without blur. BLURRED_ROWS: a multiple of
 * 16. */
template <int STEPS, int BLURRED_ROWS> struct SourceTile {
  static constexpr int REACH = STEPS ? 16 * STEPS - 8 : 0;           /* largest radius of the blur */
  static constexpr int LEFT = (BLURRED_LEFT + REACH + 15) / 16 * 16; /* columns before the tile's first */
  static constexpr int STRIDE = (LEFT + BLURRED_STRIDE - BLURRED_LEFT + REACH + 15) / 16 * 16;
  static constexpr int ROWS = BLURRED_ROWS + 2 * REACH;
  /* blur_in_place() begins with so many, and needs the others from another block of 16 rows on. */
  static constexpr int FIRST_ROWS = BLURRED_ROWS / 32 < 3 ? 32 : 64, FIRST_BLOCKS = FIRST_ROWS / 16 - 2;
  static constexpr int BYTES = STRIDE * ROWS;
  static constexpr int FIRST_WINDOW = LEFT - BLURRED_LEFT - REACH; /* the first sample for the first blurred one */
  static_assert (STEPS == 0 || STRIDE / 16 % 2 == 1, "no bank conflicts");
};

/* Word SAMPLE - PIXEL + 15 of this table has four consecutive weights. The first one is the weight of sample SAMPLE of
 * the window for pixel PIXEL of the block. */
template <int STEPS> constexpr int WEIGHT_WORDS = 32 * STEPS + 16;

/* A thread's word of it. */
template <int STEPS>
__device__ inline uint32_t
load_weights (const CannyKernelArgs &f)
{
  static_assert ((WEIGHT_WORDS<STEPS> - 1) / 4 + 1 < (int) CANNY_WEIGHT_WORDS, "both words that it is in are there");
  const uint32_t i = threadIdx.x, *from = f.weights + i / 4;
  return i < WEIGHT_WORDS<STEPS> ? __funnelshift_r (from[0], from[1], 8 * (i % 4)) : 0;
}

/* Writes them. OWN: of load_weights(). */
template <int STEPS>
__device__ inline void
tabulate_weights (uint32_t own, uint32_t *table)
{
  if (threadIdx.x < WEIGHT_WORDS<STEPS>)
    table[threadIdx.x] = own;
}

/* The matrices of the blur, left operands of both passes. In the row pass, matrix row g is image column 4 (g / 2) + g % 2, and
 * matrix row g + 8 is two columns further. The column pass sums rows 2 t, 2 t + 1, 8 + 2 t and 9 + 2 t together. */
template <int STEPS> struct BlurMatrices {
  uint32_t across[STEPS][4], down[STEPS][4];
  int of_high; /* 256, for the sum of upper bytes. The compiler does not know it: it would shift, on the units that permute, too. */

  __device__
  BlurMatrices (const uint32_t *weights)
  {
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    of_high = (int) blockDim.y * 256; /* There is one row of threads. */
#pragma unroll
    for (int step = 0; step < STEPS; step++)
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const int sample = 16 * (i / 2) + 32 * step + 15;
        across[step][i] = weights[sample + 4 * t - (4 * (g / 2) + g % 2 + 2 * (i % 2))];
        const uint32_t *from = weights + sample + 2 * t - (g + 8 * (i % 2));
        down[step][i] = __byte_perm (from[0], from[8], 0x5410);
      }
  }
};

/* A warp's way down a block of 16 columns, 16 rows at a time. */
template <int STEPS> class BlurBlock
{
  static constexpr int WINDOWS = 2 * STEPS;             /* of 16 rows, which the column pass sums up */
  uint32_t low[WINDOWS][2] = {}, high[WINDOWS][2] = {}; /* [window][columns 0 and 1, or 2 and 3, of each four] */

public:
  /* Row pass for 16 rows. FROM: the first sample of the block's window. */
  __device__ void
  take_rows (const BlurMatrices<STEPS> &matrices, const uint8_t *from, int stride)
  {
#pragma unroll
    for (int w = 0; w + 1 < WINDOWS; w++)
#pragma unroll
      for (int i = 0; i < 2; i++) {
        low[w][i] = low[w + 1][i];
        high[w][i] = high[w + 1][i];
      }
    take_window (matrices, from, stride, WINDOWS - 1);
  }

  /* The same in place of window W. */
  __device__ void
  take_window (const BlurMatrices<STEPS> &matrices, const uint8_t *from, int stride, int w)
  {
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    const int32_t zero[4] = {0, 0, 0, 0};
    int32_t sums[2][4];
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const uint32_t *words = (const uint32_t *) (from + (8 * half + g) * stride);
#pragma unroll
      for (int step = 0; step < STEPS; step++)
        mma_bytes (
            sums[half], matrices.across[step], words[8 * step + t], words[8 * step + 4 + t], step ? sums[half] : zero);
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
      /* Products, as there are fewer units for permutations and shifts. */
      const uint32_t first = sums[0][2 * i] + sums[0][2 * i + 1] * 65536u;
      const uint32_t second = sums[1][2 * i] + sums[1][2 * i + 1] * 65536u;
      low[w][i] = __byte_perm (first, second, 0x6420);
      high[w][i] = __byte_perm (first, second, 0x7531);
    }
  }

  /* Column pass: columns 4 t to 4 t + 3 of rows g and g + 8 of the blurred block, the first of the rows taken last being that
   * behind it by 16 (WINDOWS - 1). DOWN: the matrix for the order that the windows are in. */
  __device__ uint2
  blurred (const uint32_t down[STEPS][4], int of_high) const
  {
    const int32_t zero[4] = {0, 0, 0, 0};
    int32_t result[2][4];
#pragma unroll
    for (int i = 0; i < 2; i++) {
#pragma unroll
      for (int step = 0; step < STEPS; step++)
        mma_bytes (result[i], down[step], high[2 * step][i], high[2 * step + 1][i], step ? result[i] : zero);
#pragma unroll
      for (int k = 0; k < 4; k++)
        result[i][k] = result[i][k] * of_high + 32768;
#pragma unroll
      for (int step = 0; step < STEPS; step++)
        mma_bytes (result[i], down[step], low[2 * step][i], low[2 * step + 1][i], result[i]);
    }
    uint32_t rows[2];
#pragma unroll
    for (int half = 0; half < 2; half++)
      rows[half] = __byte_perm (__byte_perm (result[0][2 * half], result[0][2 * half + 1], 0x0062),
          __byte_perm (result[1][2 * half], result[1][2 * half + 1], 0x0062), 0x5410);
    return make_uint2 (rows[0], rows[1]);
  }
};

/* Writes the words of BlurBlock::blurred(). TO: the block's first sample. */
__device__ inline void
write_block (uint8_t *to, int stride, uint2 rows)
{
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  *(uint32_t *) (to + g * stride + 4 * t) = rows.x;
  *(uint32_t *) (to + (g + 8) * stride + 4 * t) = rows.y;
}

/* Blurs SOURCE into BLURRED. Each warp goes down blocks of 16 columns. There is one block more than the warps can share
 * evenly, so that its rows are shared, 16 a warp. */
template <int STEPS, int BLURRED_ROWS>
__device__ inline void
blur (const uint32_t *weights, const uint8_t *source, uint8_t *blurred)
{
  typedef SourceTile<STEPS, BLURRED_ROWS> Source;
  constexpr int windows = 2 * STEPS; /* of 16 rows */
  const BlurMatrices<STEPS> matrices (weights);
  constexpr int whole = BLURRED_BLOCKS - 1, parts = BLURRED_ROWS / 16;
  static_assert (whole % (CANNY_THREADS / 32) == 0 && parts <= CANNY_THREADS / 32, "the last block is the one more");
  for (int share = threadIdx.x / 32; share < whole + parts; share += CANNY_THREADS / 32) {
    const int block = min (share, whole), first = 16 * max (share - whole, 0);
    const int end = share < whole ? Source::ROWS : first + 16 * windows;
    const uint8_t *from = source + Source::FIRST_WINDOW + 16 * block;
    BlurBlock<STEPS> on_the_way;
#pragma unroll 1
    for (int row = first; row < end; row += 16) {
      on_the_way.take_rows (matrices, from + row * Source::STRIDE, Source::STRIDE);
      const int out_row = row - 16 * (windows - 1);
      if (out_row >= first)
        write_block (blurred + out_row * BLURRED_STRIDE + 16 * block, BLURRED_STRIDE,
            on_the_way.blurred (matrices.down, matrices.of_high));
    }
  }
}

/* Blurs SAMPLES in place: row Y of the blurred ones begins where row Y of the source did. Each warp goes down two blocks at
 * once, and all go down together, so that they overwrite rows that none needs any more. Of the last block some warps make 16
 * rows each, when all samples are there, and write them at the end. Only the first rows need to be there when it begins: see
 * finish_grey(). The caller needs a barrier behind it. */
template <int BLURRED_ROWS>
__device__ inline void
blur_in_place (const uint32_t *weights, uint8_t *samples)
{
  typedef SourceTile<1, BLURRED_ROWS> Source;
  constexpr int stride = Source::STRIDE, parts = BLURRED_ROWS / 16, blocks = 2, whole = BLURRED_BLOCKS - 1;
  static_assert (whole == blocks * CANNY_THREADS / 32 && parts <= CANNY_THREADS / 32, "the last block is the one more");
  const BlurMatrices<1> matrices (weights);
  const int warp = (int) warp_index ();
  const uint8_t *from = samples + Source::FIRST_WINDOW;
  uint2 of_last = any_value<uint2> ();
  BlurBlock<1> own[blocks];
  from += 16 * blocks * warp;
  uint8_t *to = samples + 16 * blocks * warp;
#pragma unroll
  for (int b = 0; b < blocks; b++)
    own[b].take_window (matrices, from + 16 * b, stride, 0);
  auto next_rows = [&] (int newest, const uint32_t down[1][4], bool needs_all_behind) {
    from += 16 * stride;
#pragma unroll
    for (int b = 0; b < blocks; b++)
      own[b].take_window (matrices, from + 16 * b, stride, newest);
    if (needs_all_behind)
      copies_done ();
    __syncthreads (); /* All have taken the rows that are overwritten now, and those behind them. */
#pragma unroll
    for (int b = 0; b < blocks; b++)
      write_block (to + 16 * b, stride, own[b].blurred (down, matrices.of_high));
    to += 16 * stride;
  };
  /* The newer one of two windows is in either place in turn, so that none moves. The matrix for the other order comes by shuffles: of a
   * copy the compiler would know that it is one, and make it anew for each product. */
  uint32_t swapped[1][4];
#pragma unroll
  for (int i = 0; i < 4; i++)
    swapped[0][i] = __shfl_sync (~0u, matrices.down[0][i ^ 2], threadIdx.x % 32);
#pragma unroll 1
  for (int row = 0; row + 16 < BLURRED_ROWS; row += 32) {
    const bool needs_all_behind = row == 16 * Source::FIRST_BLOCKS;
    next_rows (1, matrices.down, needs_all_behind);
    if (needs_all_behind && warp < parts) {
      BlurBlock<1> last;
#pragma unroll
      for (int i = 0; i < 2; i++)
        last.take_rows (matrices, samples + Source::FIRST_WINDOW + 16 * (warp + i) * stride + 16 * whole, stride);
      of_last = last.blurred (matrices.down, matrices.of_high);
    }
    next_rows (0, swapped, false);
  }
  if (parts % 2)
    next_rows (1, matrices.down, false);
  if (warp < parts)
    write_block (samples + 16 * warp * stride + 16 * whole, stride, of_last);
}

/* Takes SOURCE as it is to BLURRED. */
template <int BLURRED_ROWS>
__device__ inline void
copy_unblurred (const uint8_t *source, uint8_t *blurred)
{
  typedef SourceTile<0, BLURRED_ROWS> Source;
  for (int i = threadIdx.x; i < BLURRED_ROWS * (BLURRED_STRIDE / 4); i += CANNY_THREADS)
    ((uint32_t *) blurred)[i] = *(const uint32_t *) (source + i / (BLURRED_STRIDE / 4) * Source::STRIDE + Source::LEFT
                                                     - BLURRED_LEFT + i % (BLURRED_STRIDE / 4) * 4);
}

/* Replicates the blurred image beyond the image's border, as far as gradients of its pixels reach, for a tile that reaches it. X0,
 * Y0: position of the first sample. */
template <int ROWS, int STRIDE = BLURRED_STRIDE>
__device__ inline void
replicate_image_border (const CannyKernelArgs &f, int x0, int y0, uint8_t *blurred)
{
  constexpr int reach = 4,
                half = CANNY_THREADS / 2; /* the greatest aperture is 7, and a magnitude beside each pixel counts */
  static_assert (reach == BLURRED_LEFT && ROWS <= half, "a thread for each row on either side");
  const int width = f.width, height = f.height, lane = threadIdx.x % 32;
  const int first = max (-x0, 0), end = min (width - x0, BLURRED_STRIDE); /* columns inside the image */
  const int top = max (-y0, 0), bottom = min (height - y0, ROWS);         /* rows inside it */
  /* Beside it. */
  const int row = threadIdx.x % half;
  if (row >= top && row < bottom) {
    uint8_t *line = blurred + row * STRIDE;
    if (threadIdx.x < half) {
      if (first > 0)
        *(uint32_t *) line = line[first] * 0x01010101u;
    } else {
      const uint8_t sample = line[end - 1];
#pragma unroll
      for (int i = 0; i < reach; i++)
        if (end + i < BLURRED_STRIDE)
          line[end + i] = sample;
    }
  }
  /* Above and below it, a row a warp. Nothing is read that is written. */
  const int below = min (ROWS - bottom, reach);
#pragma unroll 1
  for (int i = threadIdx.x / 32; i < top + below; i += CANNY_THREADS / 32) {
    const uint8_t *from = blurred + (i < top ? top : bottom - 1) * STRIDE;
    uint8_t *to = blurred + (i < top ? i : bottom + i - top) * STRIDE;
#pragma unroll 3
    for (int x = lane; x < BLURRED_STRIDE; x += 32)
      to[x] = from[min (max (x, first), end - 1)];
  }
}

} // namespace

#endif
