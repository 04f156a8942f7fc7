/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* First half of the tile kernel of Canny: grey samples and Gaussian blur of a tile, in shared memory.
 *
 * Both passes of the blur are products with banded matrices on the tensor cores. A block of 16 x 16 blurred pixels
 * needs a window of 16 + 2 REACH samples in each direction, which is 32 samples for every matrix step. The right
 * operand of the row pass is the samples as they lie in memory. The rows of the row pass's matrix and the order of
 * summation in the column pass are permuted so that each lane's part of the first product is its part of the second
 * one's operand: no data moves between lanes. The row pass yields up to 255 * 256. The column pass takes the upper and
 * the lower byte in turn, and the sum is rounded once, at the end. */
#ifndef CTR_CUDA_CANNY_BLUR_CUH
#define CTR_CUDA_CANNY_BLUR_CUH

#include "cuda/canny/device_state.cuh"
#include "cuda/common/input_stage.h"
#include "cuda/common/ptx.cuh"

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
  static constexpr int BYTES = STRIDE * ROWS;
  static constexpr int FIRST_WINDOW = LEFT - BLURRED_LEFT - REACH; /* the first sample for the first blurred one */
  static_assert (STEPS == 0 || STRIDE / 16 % 2 == 1, "no bank conflicts");
};

/* OpenCV's BORDER_REFLECT_101, repeated until I is inside. */
__device__ inline int
reflect (int i, int size)
{
  if (size == 1)
    return 0;
  while (i < 0 || i >= size)
    i = i < 0 ? -i : 2 * size - 2 - i;
  return i;
}

/* OpenCV's BORDER_REPLICATE. */
__device__ inline int
clamp_to (int i, int size)
{
  return i < 0 ? 0 : i < size ? i : size - 1;
}

__device__ inline uint32_t
load_grey_sample (const CannyKernelArgs &f, const uint8_t *row, int x)
{
  if (f.samples == SAMPLES_8)
    return row[x];
  if (f.samples == SAMPLES_16)
    return ctr_canny_grey (((const uint16_t *) row)[x], f.sample_shift);
  const uint8_t *p = row + (size_t) x * f.pixel_size;
  if (f.samples == SAMPLES_YUV)
    return p[f.green];
  return ctr_luma (p[f.red], p[f.green], p[f.blue]);
}

/* Four 16-bit samples, two in each word, as four grey bytes. */
__device__ inline uint32_t
pack_four_grey (uint32_t first, uint32_t second, uint32_t shift)
{
  const uint32_t kept = (0xffffu >> shift) * 0x10001u;
  return __byte_perm (
      __vminu2 (first >> shift & kept, 0x00ff00ffu), __vminu2 (second >> shift & kept, 0x00ff00ffu), 0x6420);
}

/* How 16 samples of other than 8 bits lie in memory: SIZE bytes each. All are inside the image, whose rows are aligned to 16
 * bytes. */
template <uint32_t SAMPLES, int SIZE> struct PackedSamples {
  static constexpr int CHUNKS = SIZE; /* of 16 bytes */
  static constexpr int ROWS_AT_ONCE =
      12 / (SIZE < 3 ? 3 : SIZE); /* that a warp loads before it waits, as registers allow */
  uint4 chunks[CHUNKS];

  __device__ void
  load (const uint8_t *row, int x)
  {
    const uint4 *from = (const uint4 *) (row + (ptrdiff_t) SIZE * x);
#pragma unroll
    for (int i = 0; i < CHUNKS; i++)
      chunks[i] = from[i];
  }

  /* Four grey samples, from words FROM on. */
  __device__ static uint32_t
  four_grey (const CannyKernelArgs &f, const uint32_t *from)
  {
    if (SAMPLES == SAMPLES_16)
      return pack_four_grey (from[0], from[1], f.sample_shift);
    if (SAMPLES == SAMPLES_YUV)
      return __byte_perm (from[0], from[1], f.green ? 0x7531 : 0x6420);
    /* Each product takes two bytes, so that a pixel is the sum of two. Twice the luma's weights put it into byte 2. */
    constexpr uint32_t half = 32768;
    const uint32_t *const weights = f.luma_weights;
    uint32_t luma[4];
    if (SIZE == 4) {
#pragma unroll
      for (int k = 0; k < 4; k++)
        luma[k] = __dp2a_hi (weights[LUMA_23], from[k], __dp2a_lo (weights[LUMA_01], from[k], half));
    } else {
      luma[0] = __dp2a_hi (weights[LUMA_23], from[0], __dp2a_lo (weights[LUMA_01], from[0], half));
      luma[1] = __dp2a_lo (weights[LUMA_12], from[1], __dp2a_hi (weights[LUMA_0], from[0], half));
      luma[2] = __dp2a_lo (weights[LUMA_23], from[2], __dp2a_hi (weights[LUMA_01], from[1], half));
      luma[3] = __dp2a_hi (weights[LUMA_12], from[2], __dp2a_lo (weights[LUMA_0], from[2], half));
    }
    return __byte_perm (__byte_perm (luma[0], luma[1], 0x0062), __byte_perm (luma[2], luma[3], 0x0062), 0x5410);
  }

  __device__ uint4
  grey (const CannyKernelArgs &f) const
  {
    uint32_t words[4 * CHUNKS], out[4];
#pragma unroll
    for (int i = 0; i < CHUNKS; i++) {
      words[4 * i] = chunks[i].x;
      words[4 * i + 1] = chunks[i].y;
      words[4 * i + 2] = chunks[i].z;
      words[4 * i + 3] = chunks[i].w;
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
      out[i] = four_grey (f, words + CHUNKS * i);
    return make_uint4 (out[0], out[1], out[2], out[3]);
  }
};

/* The row that stands for row Y, which is beyond the image. */
template <bool REPLICATE>
__device__ __noinline__ int
row_for (int y, int height)
{
  return REPLICATE ? clamp_to (y, height) : reflect (y, height);
}

/* The row of the image that stands for row Y. */
template <bool REPLICATE>
__device__ inline const uint8_t *
source_row (const CannyKernelArgs &f, int y)
{
  if ((uint32_t) y >= f.height)
    y = row_for<REPLICATE> (y, f.height);
  return f.pixels + y * f.stride;
}

/* A warp loads 16 samples of 8 bits a lane from column X on, for its share of ROWS rows from row Y0 on. */
template <bool REPLICATE, int STRIDE, int ROWS>
__device__ inline void
load_byte_rows (const CannyKernelArgs &f, int x, int y0, uint8_t *to)
{
  constexpr int warps = CANNY_THREADS / 32, share = ROWS / warps;
  static_assert (ROWS % warps == 0, "all warps load as many rows");
  const int first = threadIdx.x / 32;
  to += first * STRIDE + threadIdx.x % 32 * 16;
  if (y0 >= 0 && y0 + ROWS <= (int) f.height) {
    const uint8_t *from = f.pixels + (y0 + first) * f.stride + x;
#pragma unroll
    for (int i = 0; i < share; i++, from += warps * f.stride)
      copy_16 (to + i * warps * STRIDE, from);
  } else {
#pragma unroll 1
    for (int i = 0; i < share; i++, to += warps * STRIDE)
      copy_16 (to, source_row<REPLICATE> (f, y0 + first + i * warps) + x);
  }
}

/* A warp loads 16 samples a lane from column X on, for its share of ROWS rows from row Y0 on, if the lane TAKES_PART. */
template <typename Packed, bool REPLICATE, int STRIDE, int ROWS>
__device__ inline void
load_packed_rows (const CannyKernelArgs &f, bool takes_part, int x, int y0, uint8_t *to)
{
  constexpr int warps = CANNY_THREADS / 32;
  if (!takes_part)
    return;
#pragma unroll 1
  for (int first = threadIdx.x / 32; first < ROWS; first += Packed::ROWS_AT_ONCE * warps) {
    Packed packed[Packed::ROWS_AT_ONCE];
#pragma unroll
    for (int i = 0; i < Packed::ROWS_AT_ONCE; i++)
      packed[i].load (source_row<REPLICATE> (f, y0 + min (first + i * warps, ROWS - 1)), x);
#pragma unroll
    for (int i = 0; i < Packed::ROWS_AT_ONCE; i++)
      if (first + i * warps < ROWS)
        ((uint4 *) (to + (first + i * warps) * STRIDE))[threadIdx.x % 32] = packed[i].grey (f);
  }
}

/* Loads columns FIRST to END - 1, all inside the image, sample by sample: at its right border, or where rows are not aligned. A
 * warp loads the rows that it does in load_grey(). */
template <bool REPLICATE>
__device__ __noinline__ void
load_rest (const CannyKernelArgs &f, int x0, int y0, int first, int end, int stride, int rows, uint8_t *to)
{
  constexpr int warps = CANNY_THREADS / 32, rows_at_once = 4;
#pragma unroll 1
  for (int row = threadIdx.x / 32; row < rows; row += rows_at_once * warps)
#pragma unroll 1
    for (int column = first + (int) threadIdx.x % 32; column < end; column += 32) {
      uint32_t samples[rows_at_once];
#pragma unroll
      for (int i = 0; i < rows_at_once; i++)
        samples[i] = load_grey_sample (f, source_row<REPLICATE> (f, y0 + min (row + i * warps, rows - 1)), x0 + column);
#pragma unroll
      for (int i = 0; i < rows_at_once; i++)
        if (row + i * warps < rows)
          to[(row + i * warps) * stride + column] = samples[i];
    }
}

/* Loads ROWS rows of STRIDE samples from column X0, a multiple of 16, and row Y0 on. Above and below the image it is
 * replicated (REPLICATE, for the gradient without a blur) or reflected (for the blur). Columns beside it are left out. The
 * others are there after copies_done(), for the warp that loads the row. */
template <bool REPLICATE, int STRIDE, int ROWS>
__device__ inline void
load_grey (const CannyKernelArgs &f, int x0, int y0, uint8_t *to)
{
  constexpr int chunks = STRIDE / 16; /* one for each lane */
  static_assert (chunks <= 32, "a warp loads a row");
  const int width = f.width, lane = threadIdx.x % 32, x = x0 + lane * 16;
  /* Whole chunks first. */
  const int first = max (-x0, 0), end = f.aligned ? min ((width & ~15) - x0, STRIDE) : 0;
  const bool takes_part = lane * 16 >= first && lane * 16 < end;
  if (f.samples == SAMPLES_8) {
    if (takes_part)
      load_byte_rows<REPLICATE, STRIDE, ROWS> (f, x, y0, to);
  } else if (f.samples == SAMPLES_16) {
    load_packed_rows<PackedSamples<SAMPLES_16, 2>, REPLICATE, STRIDE, ROWS> (f, takes_part, x, y0, to);
  } else if (f.samples == SAMPLES_YUV) {
    load_packed_rows<PackedSamples<SAMPLES_YUV, 2>, REPLICATE, STRIDE, ROWS> (f, takes_part, x, y0, to);
  } else if (f.pixel_size == 4) {
    load_packed_rows<PackedSamples<SAMPLES_RGB, 4>, REPLICATE, STRIDE, ROWS> (f, takes_part, x, y0, to);
  } else {
    load_packed_rows<PackedSamples<SAMPLES_RGB, 3>, REPLICATE, STRIDE, ROWS> (f, takes_part, x, y0, to);
  }
  const int rest = max (end, max (-x0, 0)), inside = min (width - x0, STRIDE);
  if (rest < inside)
    load_rest<REPLICATE> (f, x0, y0, rest, inside, STRIDE, ROWS, to);
}

/* Ends what load_grey() has begun: waits for it, and replicates or reflects the image into the columns beside it, of which those
 * from width + REACH on concern no pixel of the image. What goes there is among what has been loaded. The CTA needs a barrier
 * behind it. */
template <bool REPLICATE, int REACH, int STRIDE, int ROWS>
__device__ inline void
finish_grey (const CannyKernelArgs &f, int x0, uint8_t *to)
{
  copies_done ();
  const int width = f.width, on_left = max (-x0, 0), first_right = min (width - x0, STRIDE);
  const int beside = on_left + min (width + REACH - x0, STRIDE) - first_right; /* columns */
  if (beside == 0)
    return;
  __syncwarp ();
#pragma unroll 1
  for (int i = threadIdx.x % 32; i < beside; i += 32) {
    const int column = i < on_left ? i : i - on_left + first_right;
    const int from = (REPLICATE ? clamp_to (x0 + column, width) : reflect (x0 + column, width)) - x0;
#pragma unroll 4
    for (int row = threadIdx.x / 32; row < ROWS; row += CANNY_THREADS / 32)
      to[row * STRIDE + column] = to[row * STRIDE + from];
  }
}

/* Word SAMPLE - PIXEL + 15 of this table has four consecutive weights. The first one is the weight of sample SAMPLE of
 * the window for pixel PIXEL of the block. */
template <int STEPS> constexpr int WEIGHT_WORDS = 32 * STEPS + 16;

template <int STEPS>
__device__ inline void
tabulate_weights (const CannyKernelArgs &f, uint32_t *table)
{
  const int i = threadIdx.x;
  if (i >= WEIGHT_WORDS<STEPS>)
    return;
  const int first = i - 15 - (16 * STEPS - 8) + (int) f.radius;
  uint32_t word = 0;
#pragma unroll 1
  for (int k = 0; k < 4; k++)
    word |= (first + k >= 0 && first + k <= 2 * (int) f.radius ? f.weights[first + k] : 0u) << 8 * k;
  table[i] = word;
}

/* The matrices of the blur, left operands of both passes. In the row pass, matrix row g is image column 4 (g / 2) + g % 2, and
 * matrix row g + 8 is two columns further. The column pass sums rows 2 t, 2 t + 1, 8 + 2 t and 9 + 2 t together. */
template <int STEPS> struct BlurMatrices {
  uint32_t across[STEPS][4], down[STEPS][4];

  __device__
  BlurMatrices (const uint32_t *weights)
  {
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
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
    for (int w = 0; w + 1 < WINDOWS; w++)
#pragma unroll
      for (int i = 0; i < 2; i++) {
        low[w][i] = low[w + 1][i];
        high[w][i] = high[w + 1][i];
      }
#pragma unroll
    for (int i = 0; i < 2; i++) {
      /* Products, as there are fewer units for permutations and shifts. */
      const uint32_t first = sums[0][2 * i] + sums[0][2 * i + 1] * 65536u;
      const uint32_t second = sums[1][2 * i] + sums[1][2 * i + 1] * 65536u;
      low[WINDOWS - 1][i] = __byte_perm (first, second, 0x6420);
      high[WINDOWS - 1][i] = __byte_perm (first, second, 0x7531);
    }
  }

  /* Column pass: columns 4 t to 4 t + 3 of rows g and g + 8 of the blurred block, the first of the rows taken last being that
   * behind it by 16 (WINDOWS - 1). */
  __device__ uint2
  blurred (const BlurMatrices<STEPS> &matrices) const
  {
    const int32_t zero[4] = {0, 0, 0, 0};
    int32_t result[2][4];
#pragma unroll
    for (int i = 0; i < 2; i++) {
#pragma unroll
      for (int step = 0; step < STEPS; step++)
        mma_bytes (result[i], matrices.down[step], high[2 * step][i], high[2 * step + 1][i], step ? result[i] : zero);
#pragma unroll
      for (int k = 0; k < 4; k++)
        result[i][k] = result[i][k] * 256 + 32768;
#pragma unroll
      for (int step = 0; step < STEPS; step++)
        mma_bytes (result[i], matrices.down[step], low[2 * step][i], low[2 * step + 1][i], result[i]);
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
        write_block (blurred + out_row * BLURRED_STRIDE + 16 * block, BLURRED_STRIDE, on_the_way.blurred (matrices));
    }
  }
}

/* Blurs SAMPLES in place: row Y of the blurred ones begins where row Y of the source did. Each warp goes down two blocks at
 * once, and all go down together, so that they overwrite rows that none needs any more. Of the last block each warp first makes
 * 16 rows, which it writes at the end. The caller needs a barrier behind it. */
template <int BLURRED_ROWS>
__device__ inline void
blur_in_place (const uint32_t *weights, uint8_t *samples)
{
  typedef SourceTile<1, BLURRED_ROWS> Source;
  constexpr int stride = Source::STRIDE, parts = BLURRED_ROWS / 16, blocks = 2, whole = BLURRED_BLOCKS - 1;
  static_assert (whole == blocks * CANNY_THREADS / 32 && parts <= CANNY_THREADS / 32, "the last block is the one more");
  const BlurMatrices<1> matrices (weights);
  const int warp = threadIdx.x / 32, part = min (warp, parts - 1);
  const uint8_t *from = samples + Source::FIRST_WINDOW;
  uint2 of_last;
  {
    BlurBlock<1> last;
#pragma unroll
    for (int i = 0; i < 2; i++)
      last.take_rows (matrices, from + 16 * (part + i) * stride + 16 * whole, stride);
    of_last = last.blurred (matrices);
  }
  BlurBlock<1> own[blocks];
  from += 16 * blocks * warp;
  uint8_t *to = samples + 16 * blocks * warp;
#pragma unroll
  for (int b = 0; b < blocks; b++)
    own[b].take_rows (matrices, from + 16 * b, stride);
#pragma unroll 2
  for (int row = 0; row < BLURRED_ROWS; row += 16, to += 16 * stride) {
    from += 16 * stride;
#pragma unroll
    for (int b = 0; b < blocks; b++)
      own[b].take_rows (matrices, from + 16 * b, stride);
    __syncthreads (); /* All have taken the rows that are overwritten now, and those behind them. */
#pragma unroll
    for (int b = 0; b < blocks; b++)
      write_block (to + 16 * b, stride, own[b].blurred (matrices));
  }
  if (warp < parts)
    write_block (samples + 16 * part * stride + 16 * whole, stride, of_last);
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
