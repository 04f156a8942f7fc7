/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gradient and non-maximum suppression of a blurred tile in integers: apertures 5 and 7, and the L2 magnitude. A thread goes
 * down a column and keeps the horizontal halves of the Sobel operator, so that each row is read once. */
#ifndef CTR_CUDA_CANNY_SOBEL_TILE_CUH
#define CTR_CUDA_CANNY_SOBEL_TILE_CUH

#include "cuda/canny/blur.cuh"
#include "cuda/canny/column.cuh"
#include "cuda/canny/maxima.cuh"

namespace
{

/* Four weights of the Sobel operator from tap FIRST on, as bytes. Those behind the last one are 0. */
template <int RADIUS>
__device__ constexpr uint32_t
sobel_word (bool slopes, int first)
{
  uint32_t word = 0;
  for (int i = 0; i < 4 && first + i < 2 * RADIUS + 1; i++)
    word |= (uint32_t) ((slopes ? slope_weight<RADIUS> (first + i) : smooth_weight<RADIUS> (first + i)) & 255) << 8 * i;
  return word;
}

/* The gradients of a column of a blurred tile, from top to bottom. */
template <int RADIUS> class TileColumn
{
  const uint8_t *from; /* the word with the first sample of the next row */
  uint32_t shift;      /* of the sample in it */
  SobelRows<RADIUS> rows;

public:
  /* FIRST: the first sample of the first row that is needed, the one that is up and left of the first pixel by RADIUS. */
  __device__
  TileColumn (const uint8_t *first)
      : from (first - ((uintptr_t) first & 3)), shift (8 * ((uintptr_t) first & 3))
  {
  }

  __device__ void
  take_row ()
  {
    const uint32_t *words = (const uint32_t *) from;
    const uint32_t second = words[1], samples = __funnelshift_r (words[0], second, shift);
    constexpr uint32_t smooth_word = sobel_word<RADIUS> (false, 0), slope_word = sobel_word<RADIUS> (true, 0);
    int32_t smooth = dot_bytes (samples, smooth_word, 0), slope = dot_bytes (samples, slope_word, 0);
    if constexpr (RADIUS > 1) {
      constexpr uint32_t smooth_rest = sobel_word<RADIUS> (false, 4), slope_rest = sobel_word<RADIUS> (true, 4);
      const uint32_t rest = RADIUS == 2 ? second >> shift : __funnelshift_r (second, words[2], shift);
      smooth = dot_bytes (rest, smooth_rest, smooth);
      slope = dot_bytes (rest, slope_rest, slope);
    }
    rows.add (smooth, slope);
    from += BLURRED_STRIDE;
  }

  __device__ void
  gradient (int32_t *dx, int32_t *dy) const
  {
    rows.template gradient<true> (dx, dy);
  }
};

/* The greatest |dx| and |dy| of 8-bit samples are 255 times the sum of the positive weights: 4, 48, and 640 / 16. */
constexpr uint32_t MOST_GRADIENT = 48 * 255;
static_assert (2ull * MOST_GRADIENT * MOST_GRADIENT < 1u << 30, "a magnitude and its sector have 32 bits");
static_assert ((13573ull + 65536) * MOST_GRADIENT < 1u << 31, "the sector follows from 32-bit products");

/* M and, in the lowest two bits, ctr_canny_sector() of DX and DY, which belong to 8-bit samples. Where both are 0 it may be another
 * one. */
__device__ inline uint32_t
pack_magnitude (uint32_t m, int32_t dx, int32_t dy)
{
  static_assert (CTR_SECTOR_ACROSS == 0 && CTR_SECTOR_FALLING == 1 && CTR_SECTOR_UPRIGHT == 2 && CTR_SECTOR_RISING == 3,
      "the lower bit is set where the gradient is diagonal");
  const int32_t x = abs (dx), y = abs (dy) << 15;
  /* The signs are set where it is horizontal, vertical, and where it rises if it is neither. */
  const uint32_t across = y - 13573 * x, upright = (13573 + 65536) * x - y, rising = dx ^ dy;
  const uint32_t upper = upright | (~across & rising), lower = ~(across | upright);
  return __funnelshift_l (lower, __funnelshift_l (upper, m, 1), 1);
}

/* Fills MAGNITUDES for a tile of ROWS rows. Outside the image they are 0. BLURRED: the tile's first pixel. AT_IMAGE_BORDER: the tile
 * or its surroundings reach beyond the image. */
template <int RADIUS, int ROWS>
__device__ inline void
find_tile_magnitudes (const CannyKernelArgs &f, bool at_image_border, const uint8_t *blurred, int tile_x, int tile_y,
    bool l2_gradient, uint32_t *magnitudes)
{
  constexpr int beside = 2 * (ROWS + 2); /* pixels, each by a thread; the columns follow one another in turn */
#pragma unroll 1
  for (int i = threadIdx.x; i < CANNY_W + beside; i += CANNY_THREADS) {
    const bool is_beside = i >= CANNY_W;
    const int column = !is_beside ? i : i % 2 ? CANNY_W : -1, first = is_beside ? (i - CANNY_W) / 2 - 1 : -1;
    const int end = is_beside ? first + 1 : ROWS + 1;
    uint32_t *to = magnitudes + (first + 1) * MAGNITUDE_STRIDE + column + 1;
    TileColumn<RADIUS> gradients (blurred + (first - RADIUS) * BLURRED_STRIDE + column - RADIUS);
#pragma unroll
    for (int row = 0; row < 2 * RADIUS; row++)
      gradients.take_row ();
#pragma unroll(2 * RADIUS + 1)
    for (int y = first; y < end; y++, to += MAGNITUDE_STRIDE) {
      int32_t dx, dy;
      gradients.take_row ();
      gradients.gradient (&dx, &dy);
      *to = pack_magnitude (l2_gradient ? dx * dx + dy * dy : abs (dx) + abs (dy), dx, dy);
    }
    if (!at_image_border)
      continue;
    const bool inside = tile_x + column >= 0 && tile_x + column < (int) f.width;
    to = magnitudes + (first + 1) * MAGNITUDE_STRIDE + column + 1;
#pragma unroll 1
    for (int y = first; y < end; y++, to += MAGNITUDE_STRIDE)
      if (!inside || (uint32_t) (tile_y + y) >= f.height)
        *to = 0;
  }
}

/* Finds the candidates of a tile of ROWS rows, a thread for each column. MAGNITUDES: room for those of the tile. */
template <int RADIUS, int ROWS>
__device__ inline void
find_sobel_candidates (const CannyKernelArgs &f, bool at_image_border, const uint8_t *blurred, int tile_x, int tile_y,
    int low, int high, uint32_t *magnitudes, uint32_t *candidates, uint32_t *strong)
{
  static_assert (CANNY_W == CANNY_THREADS, "a thread for each column");
  find_tile_magnitudes<RADIUS, ROWS> (
      f, at_image_border, blurred, tile_x, tile_y, RADIUS == 1 || f.l2_gradient, magnitudes);
  __syncthreads ();
  /* The greatest packed magnitudes that are not above the thresholds. */
  const uint32_t most = min (low, (1 << 30) - 1) << 2 | 3, most_weak = min (max (low, high), (1 << 30) - 1) << 2 | 3;
  const uint32_t *at = magnitudes + MAGNITUDE_STRIDE + threadIdx.x + 1;
#pragma unroll 4
  for (int y = 0; y < ROWS; y++, at += MAGNITUDE_STRIDE) {
    const uint32_t packed = *at;
    uint32_t found = 0, more = 0;
    if (__any_sync (~0u, packed > most)) {
      const bool is_a_maximum = is_maximum (at); /* in all lanes: cheaper than a branch */
      found = __ballot_sync (~0u, is_a_maximum && packed > most);
      more = __ballot_sync (~0u, is_a_maximum && packed > most_weak);
    }
    if (threadIdx.x % 32 == 0) {
      candidates[y * CANNY_WORDS + threadIdx.x / 32] = found;
      strong[y * CANNY_WORDS + threadIdx.x / 32] = more;
    }
  }
}

} // namespace

#endif
