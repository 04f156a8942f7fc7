/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A picture in pieces that a thread reads at once, at any offset and stride. Where pixels are packed, their luma is
 * computed, and written to a plane. */
#ifndef CTR_CUDA_COMMON_PIECES_CUH
#define CTR_CUDA_COMMON_PIECES_CUH

#include "cuda/common/error.cuh"
#include "cuda/common/input_stage.h"
#include "cuda/common/launch.cuh"

#include "core/common/format.h"

namespace
{

constexpr int PIECES_THREADS = 1024; /* of a CTA */

/* The pixels of a picture. */
struct PiecesArgs {
  const uint8_t *pixels;
  size_t stride;
  uint32_t width, height;
  uint32_t per_row;    /* pieces; the first and the last one of a row may be incomplete */
  uint32_t weights[4]; /* of the bytes of a pixel in its luma; of packed YUV, the one that is not 0 is the luma */
  uint8_t *luma;       /* its rows are aligned to 16 bytes */
  size_t luma_stride;
};

/* A piece of grey samples is the 16 bytes behind an address that is a multiple of 16. */
template <typename T> struct GreyPieces {
  typedef T Sample;
  static constexpr int batch = 4; /* pieces that a thread has under way */
  static constexpr int samples = 16 / sizeof (Sample);

  /* Loads piece PIECE of row Y into WORDS and returns true; or calls REST with each sample of an incomplete one. */
  template <typename Rest>
  __device__ static bool
  load (const PiecesArgs &a, uint32_t y, uint32_t piece, uint32_t words[4], const Rest &rest)
  {
    const uint8_t *row = a.pixels + y * a.stride;
    const int first = (int) (piece * samples) - (int) ((uintptr_t) row % 16 / sizeof (Sample)), end = first + samples;
    const Sample *from = (const Sample *) row;
    if (first >= 0 && end <= (int) a.width) {
      const uint4 loaded = *(const uint4 *) (from + first);
      words[0] = loaded.x;
      words[1] = loaded.y;
      words[2] = loaded.z;
      words[3] = loaded.w;
      return true;
    }
#pragma unroll 1
    for (int x = max (first, 0); x < min (end, (int) a.width); x++)
      rest (from[x]);
    return false;
  }
};

/* A piece of packed RGB or packed YUV is 16 pixels of SIZE bytes. Their luma is the piece's samples. */
template <int SIZE> struct PackedPieces {
  typedef uint8_t Sample;
  static constexpr int batch = 1;
  static constexpr int samples = 16;

  __device__ static uint32_t
  luma (const PiecesArgs &a, uint32_t b0, uint32_t b1, uint32_t b2, uint32_t b3)
  {
    if (SIZE == 2)
      return a.weights[0] ? b0 : b1;
    const uint32_t sum = a.weights[0] * b0 + a.weights[1] * b1 + a.weights[2] * b2 + 16384;
    return (SIZE == 4 ? sum + a.weights[3] * b3 : sum) >> 15;
  }

  /* As GreyPieces', and writes the luma. */
  template <typename Rest>
  __device__ static bool
  load (const PiecesArgs &a, uint32_t y, uint32_t piece, uint32_t words[4], const Rest &rest)
  {
    const uint32_t first = piece * samples;
    const uint8_t *from = a.pixels + y * a.stride + (size_t) first * SIZE;
    uint8_t *to = a.luma + y * a.luma_stride + first;
    if (first + samples > a.width || (uintptr_t) from % 16) {
#pragma unroll 1
      for (uint32_t i = 0; i < min (samples, a.width - first); i++) {
        const uint8_t *p = from + i * SIZE;
        to[i] = luma (a, p[0], p[1], SIZE > 2 ? p[2] : 0, SIZE == 4 ? p[3] : 0);
        rest (to[i]);
      }
      return false;
    }
    uint32_t in[4 * SIZE];
#pragma unroll
    for (int i = 0; i < SIZE; i++) {
      const uint4 loaded = ((const uint4 *) from)[i];
      in[4 * i] = loaded.x;
      in[4 * i + 1] = loaded.y;
      in[4 * i + 2] = loaded.z;
      in[4 * i + 3] = loaded.w;
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
      words[i] = 0;
#pragma unroll
      for (int k = 0; k < 4; k++) {
        uint32_t bytes[4] = {};
#pragma unroll
        for (int b = 0; b < SIZE; b++) {
          const int at = (4 * i + k) * SIZE + b;
          bytes[b] = in[at / 4] >> at % 4 * 8 & 255;
        }
        words[i] |= luma (a, bytes[0], bytes[1], bytes[2], bytes[3]) << 8 * k;
      }
    }
    *(uint4 *) to = make_uint4 (words[0], words[1], words[2], words[3]);
    return true;
  }
};

/* Takes the CTA's share of a picture. COUNTER.add (sample, times) is called with single samples, and, by all threads
 * together, COUNTER.add_piece (has, words) with those of whole pieces. */
template <typename Pieces, typename Counter>
__device__ inline void
for_pieces (const PiecesArgs &a, const Counter &counter)
{
  constexpr int batch = Pieces::batch;
  const uint32_t all = a.per_row * a.height, step = gridDim.x * PIECES_THREADS;
  const uint32_t step_rows = step / a.per_row, step_pieces = step % a.per_row;
  const uint32_t first = blockIdx.x * PIECES_THREADS + threadIdx.x;
  uint32_t y = first / a.per_row, piece = first % a.per_row;
  for (uint32_t done = 0; done < all; done += batch * step) {
    uint32_t words[batch][4];
    bool has[batch];
#pragma unroll
    for (int k = 0; k < batch; k++) {
      has[k] = y < a.height && Pieces::load (a, y, piece, words[k], [&] (typename Pieces::Sample sample) {
        counter.add (sample, 1);
      });
      y += step_rows;
      piece += step_pieces;
      if (piece >= a.per_row) {
        piece -= a.per_row;
        y++;
      }
    }
#pragma unroll
    for (int k = 0; k < batch; k++)
      counter.add_piece (has[k], words[k]);
  }
}

/* Describes IMAGE, whose luma goes to LUMA if it is packed. */
inline PiecesArgs
pieces_args (const CtrImage *image, const CtrImage *luma)
{
  const uint32_t size = ctr_format_pixel_size (image->format);
  PiecesArgs a = {(const uint8_t *) image->data, image->stride, image->width, image->height};
  if (luma) {
    if (ctr_format_is_packed_yuv (image->format)) {
      a.weights[ctr_yuv_order (image->format).luma] = 1;
    } else {
      uint32_t red, green, blue;
      input_stage_rgb (image->format, &red, &green, &blue);
      a.weights[red] = CTR_LUMA_RED;
      a.weights[green] = CTR_LUMA_GREEN;
      a.weights[blue] = CTR_LUMA_BLUE;
    }
    a.luma = (uint8_t *) luma->data;
    a.luma_stride = luma->stride;
    a.per_row = ctr_div_up (image->width, 16);
  } else {
    const bool aligned = ((uintptr_t) image->data | image->stride) % 16 == 0;
    a.per_row = ctr_div_up (image->width * size + (aligned ? 0 : 15), 16);
  }
  return a;
}

/* Launches KERNEL with ARGS and as many CTAs as run at once, unless PICTURE has fewer pieces. */
template <typename Args>
inline bool
pieces_launch (void (*kernel) (Args), const Args &args, const PiecesArgs &picture, cudaStream_t stream, CtrError *error)
{
  int device, processors;
  CTR_CUDA (cudaGetDevice (&device));
  CTR_CUDA (cudaDeviceGetAttribute (&processors, cudaDevAttrMultiProcessorCount, device));
  const unsigned ctas = ctr_div_up (picture.per_row * picture.height, PIECES_THREADS);
  ctr_launch (kernel, min (ctas, (unsigned) processors), PIECES_THREADS, 0, stream, args);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

} // namespace

#endif
