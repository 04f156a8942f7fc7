/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loads the grey samples that a tile of Canny needs into shared memory: of every layout, with the image's border continued. */
#ifndef CTR_CUDA_CANNY_GREY_CUH
#define CTR_CUDA_CANNY_GREY_CUH

#include "cuda/canny/device_state.cuh"
#include "cuda/common/input_stage.h"
#include "cuda/common/ptx.cuh"

namespace
{

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

/* Rows of a tile. */
struct RowRange {
  int first, end;
};

/* A warp loads 16 samples of 8 bits a lane from column X on, for its share of ROWS rows from row Y0 on, if they are among those
 * WANTED. Of a tile inside the image, the first FIRST_ROWS come as a part. */
template <bool REPLICATE, int STRIDE, int ROWS, int FIRST_ROWS>
__device__ inline void
load_byte_rows (const CannyKernelArgs &f, int x, int y0, RowRange wanted, uint8_t *to)
{
  constexpr int warps = CANNY_THREADS / 32, share = ROWS / warps;
  static_assert (ROWS % warps == 0 && FIRST_ROWS % warps == 0, "all warps load as many rows");
  const int first = threadIdx.x / 32, before = first - wanted.first;
  const uint32_t count = wanted.end - wanted.first;
  to += first * STRIDE + threadIdx.x % 32 * 16;
  if (y0 + wanted.first >= 0 && y0 + wanted.end <= (int) f.height) {
    const uint8_t *from = f.pixels + (ptrdiff_t) (y0 + first) * (ptrdiff_t) f.stride + x;
#pragma unroll
    for (int i = 0; i < share; i++, from += warps * f.stride) {
      if (i * warps == FIRST_ROWS)
        end_part_of_copies ();
      if ((uint32_t) (before + i * warps) < count)
        copy_16 (to + i * warps * STRIDE, from);
    }
  } else {
#pragma unroll 1
    for (int row = first; row < wanted.end; row += warps, to += warps * STRIDE)
      if (row >= wanted.first)
        copy_16 (to, source_row<REPLICATE> (f, y0 + row) + x);
    end_part_of_copies ();
  }
}

/* A warp loads 16 samples a lane from column X on, for its share of the rows before END, counted from row Y0 on, if the lane
 * TAKES_PART. */
template <typename Packed, bool REPLICATE, int STRIDE>
__device__ inline void
load_packed_rows (const CannyKernelArgs &f, bool takes_part, int x, int y0, int end, uint8_t *to)
{
  constexpr int warps = CANNY_THREADS / 32;
  if (!takes_part)
    return;
#pragma unroll 1
  for (int first = threadIdx.x / 32; first < end; first += Packed::ROWS_AT_ONCE * warps) {
    Packed packed[Packed::ROWS_AT_ONCE];
#pragma unroll
    for (int i = 0; i < Packed::ROWS_AT_ONCE; i++)
      packed[i].load (source_row<REPLICATE> (f, y0 + min (first + i * warps, end - 1)), x);
#pragma unroll
    for (int i = 0; i < Packed::ROWS_AT_ONCE; i++)
      if (first + i * warps < end)
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
 * replicated (REPLICATE, for the gradient without a blur) or reflected (for the blur). Columns beside it are left out, and so may be
 * rows that are not WANTED. The others are there after copies_done(), for the warp that loads the row. */
template <bool REPLICATE, int STRIDE, int ROWS, int FIRST_ROWS = ROWS>
__device__ inline void
load_grey (const CannyKernelArgs &f, int x0, int y0, RowRange wanted, uint8_t *to)
{
  constexpr int chunks = STRIDE / 16; /* one for each lane */
  static_assert (chunks <= 32, "a warp loads a row");
  const int width = f.width, lane = threadIdx.x % 32, x = x0 + lane * 16;
  /* Whole chunks first. */
  const int first = max (-x0, 0), end = f.aligned ? min ((width & ~15) - x0, STRIDE) : 0;
  const bool takes_part = lane * 16 >= first && lane * 16 < end;
  if (f.samples == SAMPLES_8) {
    if (takes_part)
      load_byte_rows<REPLICATE, STRIDE, ROWS, FIRST_ROWS> (f, x, y0, wanted, to);
  } else if (f.samples == SAMPLES_16) {
    load_packed_rows<PackedSamples<SAMPLES_16, 2>, REPLICATE, STRIDE> (f, takes_part, x, y0, wanted.end, to);
  } else if (f.samples == SAMPLES_YUV) {
    load_packed_rows<PackedSamples<SAMPLES_YUV, 2>, REPLICATE, STRIDE> (f, takes_part, x, y0, wanted.end, to);
  } else if (f.pixel_size == 4) {
    load_packed_rows<PackedSamples<SAMPLES_RGB, 4>, REPLICATE, STRIDE> (f, takes_part, x, y0, wanted.end, to);
  } else {
    load_packed_rows<PackedSamples<SAMPLES_RGB, 3>, REPLICATE, STRIDE> (f, takes_part, x, y0, wanted.end, to);
  }
  const int rest = max (end, max (-x0, 0)), inside = min (width - x0, STRIDE);
  if (rest < inside)
    load_rest<REPLICATE> (f, x0, y0, rest, inside, STRIDE, wanted.end, to);
}

/* Reflects the image into the COLUMNS, a multiple of 16, on its left. A warp does so in the rows that it has loaded, a lane in 16
 * columns of one. */
template <int STRIDE, int ROWS>
__device__ inline void
reflect_left (int columns, uint8_t *to)
{
  constexpr int warps = CANNY_THREADS / 32, share = ROWS / warps;
  for (int i = threadIdx.x % 32; i < share * columns / 16; i += 32) {
    const int chunk = i / share * 16;
    uint8_t *const row = to + (i % share * warps + threadIdx.x / 32) * STRIDE + columns;
    const uint4 from = *(const uint4 *) (row + chunk);
    const uint32_t behind = row[chunk + 16];
    auto reversed = [] (uint32_t low, uint32_t high) { return __byte_perm (low, high, 0x1234); };
    *(uint4 *) (row - chunk - 16) = make_uint4 (
        reversed (from.w, behind), reversed (from.z, from.w), reversed (from.y, from.z), reversed (from.x, from.y));
  }
}

/* Ends what load_grey() has begun: waits for it, and replicates or reflects the image into the columns beside it, of which those
 * from width + REACH on concern no pixel of the image. What goes there is among what has been loaded. The CTA needs a barrier
 * behind it. FIRST_PART: it suffices that the first rows are there, and the others after copies_done() and another barrier. */
template <bool REPLICATE, int REACH, int STRIDE, int ROWS, bool FIRST_PART = false>
__device__ inline void
finish_grey (const CannyKernelArgs &f, int x0, uint8_t *to)
{
  const int width = f.width, on_left = max (-x0, 0), first_right = min (width - x0, STRIDE);
  const int beside = on_left + min (width + REACH - x0, STRIDE) - first_right; /* columns */
  if (FIRST_PART && beside == 0)
    first_copies_done ();
  else
    copies_done ();
  if (beside == 0)
    return;
  __syncwarp ();
  const bool reflects_left = !REPLICATE && on_left < width;
  if (reflects_left)
    reflect_left<STRIDE, ROWS> (on_left, to);
#pragma unroll 1
  for (int i = (reflects_left ? on_left : 0) + threadIdx.x % 32; i < beside; i += 32) {
    const int column = i < on_left ? i : i - on_left + first_right;
    const int from = (REPLICATE ? clamp_to (x0 + column, width) : reflect (x0 + column, width)) - x0;
#pragma unroll 4
    for (int row = threadIdx.x / 32; row < ROWS; row += CANNY_THREADS / 32)
      to[row * STRIDE + column] = to[row * STRIDE + from];
  }
}

} // namespace

#endif
