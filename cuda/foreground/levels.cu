/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples to bits: channels, ranges, thresholds. A thread takes 16 pixels at a time, a half word of the mask. It brings the
 * samples of a channel into the bytes of four words, whatever the image's format is, and compares all of a word at once. */
#include "cuda/foreground/foreground.h"
#include "cuda/foreground/grey_pieces.cuh"

#include "cuda/common/launch.cuh"

#include "core/common/format.h"
#include "core/foreground/colour.h"

#include <string.h>

namespace
{

constexpr int THREADS = 256;

struct LevelsArgs {
  const uint8_t *pixels;
  size_t stride;
  uint32_t width, height;
  uint32_t per_row; /* pieces, with those that only fill up the mask's rows */

  CtrChannel channel;
  CtrChroma chroma;
  bool pairs;      /* The chroma's samples alternate, so that both can be read at once. */
  uint32_t yuv[3]; /* selectors of four luma samples in two pairs of packed YUV, and of their Cb and Cr, each twice */
  uint32_t selectors; /* of the bytes of a pixel of packed RGB: red, green, blue, in 4 bits each */

  const uint32_t *threshold_at; /* on the device; NULL: it is THRESHOLD */
  uint32_t threshold, end;      /* of between_levels() */
  uint32_t strong;              /* threshold of the marker */
  uint32_t ranges;              /* bit c: channel c has one; if one has, the thresholds do not count */
  uint8_t lower[CTR_CHANNELS], upper[CTR_CHANNELS];
  uint32_t flip; /* all ones: inverted */

  PackedMask mask, marker; /* marker.bits NULL: there is none */
  uint8_t *plane;          /* for a channel's samples, in rows aligned to 16 bytes */
  size_t plane_stride;
};

struct Quotients {
  int32_t saturation[256], hue[256];
};

__device__ inline void
write_piece (const PackedMask &mask, uint32_t piece, uint32_t y, uint32_t bits)
{
  ((uint16_t *) ((uint8_t *) mask.bits + y * mask.stride))[piece] = (uint16_t) bits;
}

/* Compares a piece with the thresholds. */
template <typename Sample>
__device__ inline void
write_levels (
    const LevelsArgs &a, const uint32_t words[4 * sizeof (Sample)], uint32_t threshold, uint32_t piece, uint32_t y)
{
  const uint32_t valid = inside (a, piece * PIXELS);
  write_piece (a.mask, piece, y, (between_levels<Sample> (words, threshold, a.end) ^ a.flip) & valid);
  if (a.marker.bits)
    write_piece (a.marker, piece, y, at_least (words, a.strong, Sample ()) & valid);
}

/* --- Grey samples --- */

template <typename Sample>
__global__ void
__launch_bounds__ (THREADS) grey_kernel (const __grid_constant__ LevelsArgs a)
{
  constexpr int batch = sizeof (Sample) == 1 ? 2 : 1; /* pieces that a thread has under way */
  const uint32_t threshold = a.threshold_at ? *a.threshold_at : a.threshold;
  const uint32_t first = blockIdx.x * (batch * THREADS) + threadIdx.x;
  ctr_let_next_start ();
  uint32_t words[batch][4 * sizeof (Sample)], y[batch], piece[batch];
#pragma unroll
  for (int k = 0; k < batch; k++) {
    y[k] = (first + k * THREADS) / a.per_row;
    piece[k] = (first + k * THREADS) % a.per_row;
    if (y[k] < a.height)
      load_grey<Sample> (a, piece[k] * PIXELS, y[k], words[k]);
  }
#pragma unroll
  for (int k = 0; k < batch; k++)
    if (y[k] < a.height)
      write_levels<Sample> (a, words[k], threshold, piece[k], y[k]);
}

/* --- Colours --- */

/* 16 pixels of packed RGB, of SIZE bytes. */
template <int SIZE> struct RgbPixels {
  uint32_t pixels[PIXELS]; /* red, green, blue from the lowest byte on; the highest one is anything */

  __device__ void
  load (const LevelsArgs &a, uint32_t x, uint32_t y)
  {
    const uint8_t *from = a.pixels + y * a.stride + (size_t) x * SIZE;
    if (x + PIXELS <= a.width && (uintptr_t) from % 16 == 0) {
      uint32_t in[4 * SIZE];
#pragma unroll
      for (int i = 0; i < SIZE; i++) {
        const uint4 v = __ldcs ((const uint4 *) from + i);
        in[4 * i] = v.x;
        in[4 * i + 1] = v.y;
        in[4 * i + 2] = v.z;
        in[4 * i + 3] = v.w;
      }
#pragma unroll
      for (int i = 0; i < PIXELS; i++) {
        const int at = i * SIZE / 4, next = at + 1 < 4 * SIZE ? at + 1 : at;
        pixels[i] = __byte_perm (in[at], in[next], a.selectors + 0x111 * (i * SIZE % 4));
      }
      return;
    }
    const uint8_t *red = from + (a.selectors & 15), *green = from + (a.selectors >> 4 & 15);
    const uint8_t *blue = from + (a.selectors >> 8);
#pragma unroll
    for (int i = 0; i < PIXELS; i++) {
      pixels[i] = 0;
      if (x + i < a.width)
        pixels[i] = red[i * SIZE] | green[i * SIZE] << 8 | blue[i * SIZE] << 16;
    }
  }

  /* The samples OF (red, green, blue). */
  template <typename Of>
  __device__ void
  map (uint32_t words[4], const Of &of) const
  {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      words[i] = 0;
#pragma unroll
      for (int k = 0; k < 4; k++) {
        const uint32_t pixel = pixels[4 * i + k];
        words[i] |= (uint32_t) of ((int) (pixel & 255), (int) (pixel >> 8 & 255), (int) (pixel >> 16 & 255)) << 8 * k;
      }
    }
  }

  __device__ void
  channel (const LevelsArgs &, CtrChannel channel, const Quotients &quotients, uint32_t words[4]) const
  {
    switch (channel) {
      case CTR_CHANNEL_LUMA:
        map (words, [] (int r, int g, int b) { return ctr_colour_channel (CTR_CHANNEL_LUMA, r, g, b); });
        break;
      case CTR_CHANNEL_RED:
        map (words, [] (int r, int, int) { return r; });
        break;
      case CTR_CHANNEL_GREEN:
        map (words, [] (int, int g, int) { return g; });
        break;
      case CTR_CHANNEL_BLUE:
        map (words, [] (int, int, int b) { return b; });
        break;
      case CTR_CHANNEL_HUE:
        map (words,
            [&] (int r, int g, int b) { return ctr_colour_hue (r, g, b, quotients.hue[ctr_colour_chroma (r, g, b)]); });
        break;
      case CTR_CHANNEL_SATURATION:
        map (words, [&] (int r, int g, int b) {
          return ctr_colour_saturation (r, g, b, quotients.saturation[ctr_colour_value (r, g, b)]);
        });
        break;
      case CTR_CHANNEL_VALUE:
        map (words, [] (int r, int g, int b) { return ctr_colour_value (r, g, b); });
        break;
      case CTR_CHANNEL_CB:
        map (words, [] (int r, int g, int b) { return ctr_colour_cb (r, g, b); });
        break;
      case CTR_CHANNEL_CR:
        map (words, [] (int r, int g, int b) { return ctr_colour_cr (r, g, b); });
        break;
    }
  }
};

/* 16 pixels of a luma plane with chroma. */
struct ChromaPixels {
  uint32_t x, y;

  __device__ void
  load (const LevelsArgs &, uint32_t x_of_piece, uint32_t row)
  {
    x = x_of_piece;
    y = row;
  }

  /* Loads BYTES successive bytes, a power of two from 4 to 32. Returns false if they are not aligned. */
  __device__ static bool
  load_bytes (const uint8_t *from, uint32_t bytes, uint32_t words[8])
  {
    if ((uintptr_t) from % min (bytes, 16u))
      return false;
    if (bytes == 4) {
      words[0] = *(const uint32_t *) from;
    } else if (bytes == 8) {
      const uint2 v = *(const uint2 *) from;
      words[0] = v.x;
      words[1] = v.y;
    } else {
#pragma unroll
      for (int i = 0; i < 2; i++)
        if (i == 0 || bytes == 32) {
          const uint4 v = ((const uint4 *) from)[i];
          words[4 * i] = v.x;
          words[4 * i + 1] = v.y;
          words[4 * i + 2] = v.z;
          words[4 * i + 3] = v.w;
        }
    }
    return true;
  }

  /* Loads the chroma samples of the piece one after the other, without gaps. */
  __device__ void
  load_samples (const LevelsArgs &a, const uint8_t *first, uint32_t words[4]) const
  {
    const CtrChroma &c = a.chroma;
    const uint32_t count = PIXELS >> c.shift_x, at = x >> c.shift_x, last = (a.width - 1) >> c.shift_x;
    const uint8_t *from = first + (y >> c.shift_y) * c.stride + (size_t) at * c.step;
    if (x + PIXELS <= a.width && c.step == 1 && load_bytes (from, count, words))
      return;
    if (x + PIXELS <= a.width && a.pairs) {
      uint32_t both[8] = {};
      const uint32_t behind = first == (c.cb < c.cr ? c.cb : c.cr) ? 0 : 1;
      if (load_bytes (from - behind, 2 * count, both)) {
#pragma unroll
        for (int i = 0; i < 4; i++)
          words[i] = __byte_perm (both[2 * i], both[2 * i + 1], behind ? 0x7531 : 0x6420);
        return;
      }
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
      words[i] = 0;
#pragma unroll
      for (int k = 0; k < 4; k++)
        if (4 * i + k < count && at + 4 * i + k <= last)
          words[i] |= (uint32_t) from[(4 * i + k) * c.step] << 8 * k;
    }
  }

  __device__ void
  channel (const LevelsArgs &a, CtrChannel channel, const Quotients &, uint32_t words[4]) const
  {
    if (channel == CTR_CHANNEL_LUMA) {
      load_grey<uint8_t> (a, x, y, words);
      return;
    }
    uint32_t samples[8] = {};
    load_samples (a, channel == CTR_CHANNEL_CB ? a.chroma.cb : a.chroma.cr, samples);
#pragma unroll
    for (int i = 0; i < 4; i++)
      words[i] = a.chroma.shift_x == 0   ? samples[i]
                 : a.chroma.shift_x == 1 ? __byte_perm (samples[i / 2], 0, i % 2 ? 0x3322 : 0x1100)
                                         : __byte_perm (samples[0], 0, 0x1111 * i);
  }
};

/* The pixels whose samples are in all ranges. */
template <typename Pixels>
__device__ inline uint32_t
in_ranges (const LevelsArgs &a, const Pixels &pixels, const Quotients &quotients)
{
  uint32_t all = ~0u;
#pragma unroll 1
  for (uint32_t i = 0; i < CTR_CHANNELS; i++) {
    if (!(a.ranges >> i & 1))
      continue;
    uint32_t words[4];
    pixels.channel (a, (CtrChannel) i, quotients, words);
    const uint32_t from = at_least (words, a.lower[i]), to = ~at_least (words, a.upper[i] + 1u);
    all &= a.lower[i] <= a.upper[i] ? from & to : from | to;
  }
  return all;
}

/* 16 pixels of packed YUV: a word has a pair. */
struct YuvPixels {
  uint32_t pairs[PIXELS / 2];

  __device__ void
  load (const LevelsArgs &a, uint32_t x, uint32_t y)
  {
    const uint8_t *from = a.pixels + y * a.stride + (size_t) x * 2;
    if (x + PIXELS <= a.width && (uintptr_t) from % 16 == 0) {
#pragma unroll
      for (int i = 0; i < 2; i++) {
        const uint4 v = __ldcs ((const uint4 *) from + i);
        pairs[4 * i] = v.x;
        pairs[4 * i + 1] = v.y;
        pairs[4 * i + 2] = v.z;
        pairs[4 * i + 3] = v.w;
      }
      return;
    }
#pragma unroll
    for (int i = 0; i < PIXELS / 2; i++) {
      pairs[i] = 0;
      if (x + 2 * i < a.width) {
        const uint8_t *p = from + 4 * i;
        pairs[i] = p[0] | p[1] << 8 | p[2] << 16 | (uint32_t) p[3] << 24;
      }
    }
  }

  __device__ void
  channel (const LevelsArgs &a, CtrChannel channel, const Quotients &, uint32_t words[4]) const
  {
    const uint32_t selector = channel == CTR_CHANNEL_LUMA ? a.yuv[0] : channel == CTR_CHANNEL_CB ? a.yuv[1] : a.yuv[2];
#pragma unroll
    for (int i = 0; i < 4; i++)
      words[i] = __byte_perm (pairs[2 * i], pairs[2 * i + 1], selector);
  }
};

enum class Result { THRESHOLDS, RANGES, SAMPLES };

template <typename Pixels, Result RESULT>
__global__ void
__launch_bounds__ (THREADS) colour_kernel (const __grid_constant__ LevelsArgs a)
{
  __shared__ Quotients quotients;
  ctr_let_next_start ();
  const uint32_t threshold = a.threshold_at ? *a.threshold_at : a.threshold;
  const uint32_t channels = RESULT == Result::RANGES ? a.ranges : 1u << a.channel;
  if (channels & (1u << CTR_CHANNEL_HUE | 1u << CTR_CHANNEL_SATURATION)) {
    for (int i = threadIdx.x; i < 256; i += THREADS) {
      quotients.saturation[i] = ctr_colour_quotient (CTR_SATURATION_NUMERATOR, i);
      quotients.hue[i] = ctr_colour_quotient (CTR_HUE_NUMERATOR, i);
    }
    __syncthreads ();
  }
  const uint32_t all = a.per_row * a.height;
  for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < all; i += gridDim.x * THREADS) {
    const uint32_t y = i / a.per_row, piece = i % a.per_row;
    uint32_t words[4];
    Pixels pixels;
    pixels.load (a, piece * PIXELS, y);
    if (RESULT == Result::RANGES) {
      write_piece (a.mask, piece, y, (in_ranges (a, pixels, quotients) ^ a.flip) & inside (a, piece * PIXELS));
      continue;
    }
    pixels.channel (a, a.channel, quotients, words);
    if (RESULT == Result::THRESHOLDS)
      write_levels<uint8_t> (a, words, threshold, piece, y);
    else
      *(uint4 *) (a.plane + y * a.plane_stride + piece * PIXELS) = make_uint4 (words[0], words[1], words[2], words[3]);
  }
}

LevelsArgs
args_of (const CtrImage *image, uint32_t per_row)
{
  LevelsArgs a;
  memset (&a, 0, sizeof a);
  a.pixels = (const uint8_t *) image->data;
  a.stride = image->stride;
  a.width = image->width;
  a.height = image->height;
  a.per_row = per_row;
  a.chroma = image->chroma;
  const ptrdiff_t distance = a.chroma.cr - a.chroma.cb;
  a.pairs = a.chroma.step == 2 && (distance == 1 || distance == -1);
  const CtrYuvOrder yuv = ctr_yuv_order (image->format);
  a.yuv[0] = 0x6420 + 0x1111 * yuv.luma;
  a.yuv[1] = 0x4400 + 0x1111 * yuv.cb;
  a.yuv[2] = 0x4400 + 0x1111 * yuv.cr;
  const CtrRgbOrder order = ctr_rgb_order (image->format);
  a.selectors = order.red | order.green << 4 | order.blue << 8;
  return a;
}

bool
launch (
    void (*kernel) (LevelsArgs), const LevelsArgs &a, unsigned pieces, bool loops, cudaStream_t stream, CtrError *error)
{
  unsigned ctas = ctr_div_up (a.per_row * a.height, pieces);
  if (loops) {
    int device, processors;
    CTR_CUDA (cudaGetDevice (&device));
    CTR_CUDA (cudaDeviceGetAttribute (&processors, cudaDevAttrMultiProcessorCount, device));
    ctas = min (ctas, 4u * (unsigned) processors);
  }
  ctr_launch (kernel, ctas, THREADS, 0, stream, a);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

template <Result RESULT>
bool
launch_colour (const CtrImage *image, const LevelsArgs &a, cudaStream_t stream, CtrError *error)
{
  const size_t size = ctr_format_pixel_size (image->format);
  auto kernel = size == 1   ? colour_kernel<ChromaPixels, RESULT>
                : size == 2 ? colour_kernel<YuvPixels, RESULT>
                : size == 3 ? colour_kernel<RgbPixels<3>, RESULT>
                            : colour_kernel<RgbPixels<4>, RESULT>;
  return launch (kernel, a, THREADS, true, stream, error);
}

} // namespace

bool
foreground_channel_is_plane (const CtrImage *image, CtrChannel channel, CtrImage *plane)
{
  const CtrChroma *chroma = &image->chroma;
  *plane = *image;
  if (channel == CTR_CHANNEL_LUMA && image->format <= CTR_FORMAT_GRAY16)
    return true;
  plane->format = CTR_FORMAT_GRAY8;
  if (image->format != CTR_FORMAT_GRAY8 || chroma->step != 1 || chroma->shift_x || chroma->shift_y)
    return false;
  plane->data = channel == CTR_CHANNEL_CB ? chroma->cb : chroma->cr;
  plane->stride = chroma->stride;
  return true;
}

bool
foreground_queue_channel (
    const CtrImage *image, CtrChannel channel, const CtrImage *plane, cudaStream_t stream, CtrError *error)
{
  LevelsArgs a = args_of (image, ctr_div_up (image->width, PIXELS));
  a.channel = channel;
  a.plane = (uint8_t *) plane->data;
  a.plane_stride = plane->stride;
  return launch_colour<Result::SAMPLES> (image, a, stream, error);
}

bool
foreground_queue_levels (const CtrImage *image, const CtrForeground *foreground, const uint32_t *threshold,
    const PackedMask *mask, const PackedMask *marker, cudaStream_t stream, CtrError *error)
{
  CtrImage plane;
  const bool ranges = foreground->ranges != 0;
  const bool is_plane = !ranges && foreground_channel_is_plane (image, foreground->channel, &plane);
  LevelsArgs a = args_of (is_plane ? &plane : image, (uint32_t) ctr_packed_row (image->width) / 2);
  a.channel = foreground->channel;
  a.mask = *mask;
  a.flip = foreground->invert && !marker ? ~0u : 0;
  if (ranges) {
    a.ranges = foreground->ranges;
    memcpy (a.lower, foreground->lower, sizeof a.lower);
    memcpy (a.upper, foreground->upper, sizeof a.upper);
    return launch_colour<Result::RANGES> (image, a, stream, error);
  }
  a.threshold_at = threshold;
  a.threshold = foreground->threshold;
  a.end = end_of_levels (foreground);
  if (marker) {
    a.marker = *marker;
    a.strong = foreground->upper_threshold;
  }
  if (!is_plane)
    return launch_colour<Result::THRESHOLDS> (image, a, stream, error);
  return plane.format == CTR_FORMAT_GRAY16 ? launch (grey_kernel<uint16_t>, a, THREADS, false, stream, error)
                                           : launch (grey_kernel<uint8_t>, a, 2 * THREADS, false, stream, error);
}
