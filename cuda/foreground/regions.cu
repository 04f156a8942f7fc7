/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regions on the GPU: bits, samples and counts of the pixels of all regions. A warp takes 128 pixels of a row of the atlas, a
 * lane each fourth part of 32: regions begin at any pixel, so words of the image are not words of the atlas. */
#include "cuda/foreground/regions.h"

#include "cuda/foreground/foreground.h"

#include "cuda/common/launch.cuh"

#include "core/common/format.h"
#include "core/foreground/colour.h"

#include <stdlib.h>
#include <string.h>

namespace
{

constexpr int THREADS = 256;
constexpr uint32_t WORDS = 4;          /* of a row of the atlas that a warp takes */
constexpr uint32_t NO_LEVEL = 1 << 16; /* above all samples */
constexpr unsigned MOST_CTAS = 132 * 16;

struct RegionArgs {
  DeviceRegions regions;
  const uint8_t *pixels; /* of the image */
  size_t stride;
  uint32_t size; /* bytes of a pixel */
  uint32_t luma; /* its byte in a pixel that is not RGB */
  bool rgb, wide;
  CtrRgbOrder order;
  CtrChroma chroma;
  uint32_t per_row; /* parts for warps */

  CtrChannel channel;
  const uint32_t *threshold_at; /* on the device; NULL: it is THRESHOLD */
  uint32_t threshold, end;      /* foreground: threshold <= sample < end */
  uint32_t strong;              /* threshold of the marker */
  uint32_t ranges;              /* bit c: channel c has one; if one has, the thresholds do not count */
  uint8_t lower[CTR_CHANNELS], upper[CTR_CHANNELS];
  bool flip, clip;

  PackedMask mask, marker; /* marker.bits NULL: there is none */
  CtrImage plane;
  uint32_t *counts;
};

/* Where a warp is. */
struct Part {
  CtrAtlasRegion region;
  uint32_t row, y; /* of the atlas; of the image */
  bool in_region;
};

__device__ inline Part
part_of (const RegionArgs &a, uint32_t i)
{
  Part part = {};
  part.row = i / a.per_row;
  if (a.regions.count == 0)
    return part;
  part.region = a.regions.places[ctr_atlas_find (a.regions.places, a.regions.count, part.row)];
  part.in_region = part.row - part.region.top < part.region.height;
  part.y = part.region.y + part.row - part.region.top;
  return part;
}

__device__ inline uint32_t
load_sample (const RegionArgs &a, CtrChannel channel, uint32_t x, uint32_t y)
{
  const uint8_t *p = a.pixels + y * a.stride + (size_t) x * a.size;
  if (a.rgb)
    return (uint32_t) ctr_colour_channel (channel, p[a.order.red], p[a.order.green], p[a.order.blue]);
  if (channel != CTR_CHANNEL_LUMA) {
    const CtrChroma &c = a.chroma;
    const uint8_t *plane = channel == CTR_CHANNEL_CB ? c.cb : c.cr;
    return plane[(y >> c.shift_y) * c.stride + (size_t) (x >> c.shift_x) * c.step];
  }
  return a.wide ? *(const uint16_t *) p : p[a.luma];
}

__device__ inline bool
is_in_ranges (const RegionArgs &a, uint32_t x, uint32_t y)
{
  bool all = true;
#pragma unroll 1
  for (uint32_t i = 0; i < CTR_CHANNELS; i++) {
    if (!(a.ranges >> i & 1))
      continue;
    const uint32_t sample = load_sample (a, (CtrChannel) i, x, y);
    const bool from = sample >= a.lower[i], to = sample <= a.upper[i];
    all = all && (a.lower[i] <= a.upper[i] ? from && to : from || to);
  }
  return all;
}

/* The word of INSIDE with column X, a multiple of 32, of a row of the atlas. */
__device__ inline uint32_t
load_inside (const RegionArgs &a, uint32_t row, uint32_t x)
{
  return a.regions.inside ? a.regions.inside[(size_t) row * (a.per_row * WORDS) + x / 32] : ~0u;
}

__device__ inline uint32_t *
word_at (const PackedMask &mask, uint32_t row, uint32_t word)
{
  return (uint32_t *) ((uint8_t *) mask.bits + row * mask.stride) + word;
}

/* Four grey samples of a row from column X on, of which REST are in the region; the others are 0. Regions begin at any pixel: two
 * aligned words have all of them. */
__device__ inline uint32_t
load_four (const RegionArgs &a, uint32_t x, uint32_t y, uint32_t rest)
{
  const uint8_t *p = a.pixels + y * a.stride + x;
  const uint32_t behind = (uint32_t) ((uintptr_t) p % 4);
  if (rest >= 8) {
    const uint32_t *words = (const uint32_t *) (p - behind);
    return __funnelshift_r (words[0], words[1], 8 * behind);
  }
  uint32_t four = 0;
#pragma unroll
  for (uint32_t i = 0; i < 4; i++)
    four |= i < rest ? (uint32_t) p[i] << 8 * i : 0;
  return four;
}

/* The word that eight successive lanes have four bits of, from lane 8 K on in lane K. */
__device__ inline uint32_t
join_bits (uint32_t four)
{
  uint32_t word = four << threadIdx.x % 8 * 4;
#pragma unroll
  for (int d = 1; d < 8; d *= 2)
    word |= __shfl_xor_sync (~0u, word, d);
  return __shfl_sync (~0u, word, threadIdx.x * 8 % 32);
}

/* The same as below for grey samples of 8 bits: a lane has four successive ones. */
__global__ void
__launch_bounds__ (THREADS) grey_levels_kernel (const __grid_constant__ RegionArgs a)
{
  ctr_let_next_start ();
  const uint32_t lane = threadIdx.x % 32, warps = gridDim.x * (THREADS / 32);
  const uint32_t threshold = a.threshold_at ? *a.threshold_at : a.threshold;
  for (uint32_t i = (blockIdx.x * THREADS + threadIdx.x) / 32; i < a.per_row * a.regions.height; i += warps) {
    const Part part = part_of (a, i);
    const uint32_t word = i % a.per_row * WORDS, x = word * 32 + 4 * lane;
    const uint32_t rest = part.in_region && x < part.region.width ? part.region.width - x : 0;
    const uint32_t four = rest ? load_four (a, part.region.x + x, part.y, rest) : 0;
    uint32_t bits = 0, strong = 0;
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
      const uint32_t sample = four >> 8 * k & 255;
      bits |= (uint32_t) ((sample >= threshold && sample < a.end) != a.flip) << k;
      strong |= (uint32_t) (sample >= a.strong) << k;
    }
    const uint32_t valid = rest >= 4 ? 15 : (1u << rest) - 1;
    uint32_t own = join_bits (bits & valid);
    if (lane < WORDS)
      *word_at (a.mask, part.row, word + lane) = a.clip ? own & load_inside (a, part.row, 32 * (word + lane)) : own;
    if (!a.marker.bits)
      continue;
    own = join_bits (strong & valid);
    if (lane < WORDS)
      *word_at (a.marker, part.row, word + lane) = own;
  }
}

__global__ void
__launch_bounds__ (THREADS) levels_kernel (const __grid_constant__ RegionArgs a)
{
  ctr_let_next_start ();
  const uint32_t lane = threadIdx.x % 32, warps = gridDim.x * (THREADS / 32);
  const uint32_t threshold = a.threshold_at ? *a.threshold_at : a.threshold;
  for (uint32_t i = (blockIdx.x * THREADS + threadIdx.x) / 32; i < a.per_row * a.regions.height; i += warps) {
    const Part part = part_of (a, i);
    uint32_t own = 0, own_strong = 0;
    uint32_t samples[WORDS] = {};
#pragma unroll
    for (uint32_t k = 0; k < WORDS; k++) {
      const uint32_t x = (i % a.per_row * WORDS + k) * 32 + lane;
      if (part.in_region && x < part.region.width && !a.ranges)
        samples[k] = load_sample (a, a.channel, part.region.x + x, part.y);
    }
#pragma unroll
    for (uint32_t k = 0; k < WORDS; k++) {
      const uint32_t first = (i % a.per_row * WORDS + k) * 32, x = first + lane;
      bool is_foreground = false, is_strong = false;
      if (part.in_region && x < part.region.width) {
        is_foreground =
            (a.ranges ? is_in_ranges (a, part.region.x + x, part.y) : samples[k] >= threshold && samples[k] < a.end)
            != a.flip;
        is_strong = samples[k] >= a.strong;
      }
      const uint32_t bits = __ballot_sync (~0u, is_foreground), strong = __ballot_sync (~0u, is_strong);
      if (lane == k) {
        own = a.clip ? bits & load_inside (a, part.row, first) : bits;
        own_strong = strong;
      }
    }
    if (lane < WORDS) {
      *word_at (a.mask, part.row, i % a.per_row * WORDS + lane) = own;
      if (a.marker.bits)
        *word_at (a.marker, part.row, i % a.per_row * WORDS + lane) = own_strong;
    }
  }
}

__global__ void
__launch_bounds__ (THREADS) samples_kernel (const __grid_constant__ RegionArgs a)
{
  const uint32_t lane = threadIdx.x % 32, warps = gridDim.x * (THREADS / 32);
  for (uint32_t i = (blockIdx.x * THREADS + threadIdx.x) / 32; i < a.per_row * a.regions.height; i += warps) {
    const Part part = part_of (a, i);
    uint8_t *row = (uint8_t *) a.plane.data + part.row * a.plane.stride;
#pragma unroll
    for (uint32_t k = 0; k < WORDS; k++) {
      const uint32_t x = (i % a.per_row * WORDS + k) * 32 + lane;
      if (!part.in_region || x >= part.region.width)
        continue;
      const uint32_t sample = load_sample (a, a.channel, part.region.x + x, part.y);
      if (a.plane.format == CTR_FORMAT_GRAY16)
        ((uint16_t *) row)[x] = (uint16_t) sample;
      else
        row[x] = (uint8_t) sample;
    }
  }
}

/* Up to 256 levels are counted by each CTA, more of them in global memory at once. */
template <bool WIDE>
__global__ void
__launch_bounds__ (THREADS) counts_kernel (const __grid_constant__ RegionArgs a)
{
  __shared__ uint32_t counts[LEVELS_8];
  static_assert (THREADS == LEVELS_8, "a level a thread");
  const uint32_t lane = threadIdx.x % 32, warps = gridDim.x * (THREADS / 32);
  counts[threadIdx.x] = 0;
  __syncthreads ();
  for (uint32_t i = (blockIdx.x * THREADS + threadIdx.x) / 32; i < a.per_row * a.regions.height; i += warps) {
    const Part part = part_of (a, i);
#pragma unroll
    for (uint32_t k = 0; k < WORDS; k++) {
      const uint32_t first = (i % a.per_row * WORDS + k) * 32, x = first + lane;
      if (!part.in_region || x >= part.region.width || !(load_inside (a, part.row, first) >> lane & 1))
        continue;
      const uint32_t sample = load_sample (a, a.channel, part.region.x + x, part.y);
      atomicAdd (WIDE ? &a.counts[sample] : &counts[sample], 1);
    }
  }
  __syncthreads ();
  if (!WIDE && counts[threadIdx.x])
    atomicAdd (&a.counts[threadIdx.x], counts[threadIdx.x]);
}

__global__ void
__launch_bounds__ (THREADS) clip_kernel (const PackedMask mask, const uint32_t *inside, uint32_t inside_words)
{
  const uint32_t words = ctr_div_up (mask.width, 32), step = gridDim.x * THREADS;
  for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < words * mask.height; i += step)
    *word_at (mask, i / words, i % words) &= inside[(size_t) (i / words) * inside_words + i % words];
}

RegionArgs
args_of (const DeviceRegions *regions, const CtrImage *image)
{
  RegionArgs a;
  memset (&a, 0, sizeof a);
  a.regions = *regions;
  if (image) {
    a.pixels = (const uint8_t *) image->data;
    a.stride = image->stride;
    a.size = (uint32_t) ctr_format_pixel_size (image->format);
    a.rgb = ctr_format_is_rgb (image->format);
    a.wide = image->format == CTR_FORMAT_GRAY16;
    a.luma = ctr_format_is_packed_yuv (image->format) ? ctr_yuv_order (image->format).luma : 0;
    a.order = ctr_rgb_order (image->format);
    a.chroma = ctr_image_chroma (image);
  }
  a.per_row = (uint32_t) (ctr_packed_row (regions->width) / (WORDS * sizeof (uint32_t)));
  return a;
}

/* CTAs for as many threads. */
unsigned
ctas_for (uint64_t threads)
{
  const uint64_t ctas = (threads + THREADS - 1) / THREADS;
  return ctas < MOST_CTAS ? (unsigned) ctas : MOST_CTAS;
}

bool
launch (void (*kernel) (RegionArgs), const RegionArgs &a, cudaStream_t stream, CtrError *error)
{
  ctr_launch (kernel, ctas_for ((uint64_t) a.per_row * a.regions.height * 32), THREADS, 0, stream, a);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

size_t
places_size (const CtrRegions *regions)
{
  return ((size_t) ctr_regions_get_count (regions) * sizeof (CtrAtlasRegion) + 255) / 256 * 256;
}

size_t
inside_row (const CtrRegions *regions)
{
  uint32_t width, height;
  ctr_regions_get_size (regions, &width, &height);
  return ctr_packed_row (width);
}

bool
upload (const RegionStage *stage, CtrRegions *regions, cudaStream_t stream, CtrError *error)
{
  const uint32_t count = ctr_regions_get_count (regions);
  const CtrAtlasRegion *from = ctr_regions_get_places (regions);
  const uint8_t *inside = (const uint8_t *) ctr_regions_get_inside (regions);
  const size_t row = inside_row (regions);
  uint8_t *to = (uint8_t *) stage->on_device.data + places_size (regions);
  if (count)
    CTR_CUDA (cudaMemcpyAsync (
        stage->on_device.data, stage->places, count * sizeof *stage->places, cudaMemcpyHostToDevice, stream));
  for (uint32_t i = 0; inside && i < count; i++) {
    const CtrAtlasRegion &at = stage->places[i];
    CTR_CUDA (cudaMemcpyAsync (
        to + at.top * row, inside + from[at.number].top * row, at.height * row, cudaMemcpyHostToDevice, stream));
  }
  return true;
}

} // namespace

void
region_stage_free (RegionStage *stage)
{
  ctr_regions_unref (stage->regions);
  free (stage->places);
  stage->regions = NULL;
  stage->places = NULL;
  ctr_device_buffer_free (&stage->on_device);
}

bool
region_stage_take (
    RegionStage *stage, CtrRegions *regions, bool reversed, cudaStream_t stream, bool *moved, CtrError *error)
{
  if (stage->regions && stage->reversed == reversed && ctr_regions_is_equal (stage->regions, regions))
    return true;
  const uint32_t count = ctr_regions_get_count (regions);
  uint32_t width, height;
  ctr_regions_get_size (regions, &width, &height);
  const size_t size =
      places_size (regions) + (ctr_regions_get_inside (regions) ? height * inside_row (regions) : 0) + 256;
  ctr_regions_unref (stage->regions);
  stage->regions = NULL;
  if (size > stage->on_device.size) {
    *moved = true;
    CTR_CUDA (cudaStreamSynchronize (stream));
  }
  CtrAtlasRegion *places = (CtrAtlasRegion *) realloc (stage->places, (count + 1) * sizeof *places);
  if (!places)
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for %u regions", count);
  stage->places = places;
  stage->reversed = reversed;
  ctr_regions_lay_out (regions, reversed, places);
  if (!ctr_device_buffer_reserve (&stage->on_device, size, error) || !upload (stage, regions, stream, error))
    return false;
  stage->regions = ctr_regions_ref (regions);
  return true;
}

DeviceRegions
region_stage_view (const RegionStage *stage)
{
  DeviceRegions regions = {};
  regions.places = (const CtrAtlasRegion *) stage->on_device.data;
  regions.count = ctr_regions_get_count (stage->regions);
  ctr_regions_get_size (stage->regions, &regions.width, &regions.height);
  if (ctr_regions_get_inside (stage->regions))
    regions.inside = (const uint32_t *) ((const uint8_t *) stage->on_device.data + places_size (stage->regions));
  return regions;
}

bool
regions_queue_levels (const Atlas *atlas, const CtrForeground *foreground, const uint32_t *threshold,
    const PackedMask *mask, const PackedMask *marker, cudaStream_t stream, CtrError *error)
{
  RegionArgs a = args_of (&atlas->regions, atlas->image);
  a.channel = foreground->channel;
  a.mask = *mask;
  a.clip = !marker;
  a.flip = foreground->invert && !marker;
  a.ranges = foreground->ranges;
  memcpy (a.lower, foreground->lower, sizeof a.lower);
  memcpy (a.upper, foreground->upper, sizeof a.upper);
  const bool limited = foreground->mode == CTR_THRESHOLD_FIXED && foreground->upper_threshold;
  a.threshold_at = threshold;
  a.threshold = foreground->threshold;
  a.end = limited ? min (foreground->upper_threshold, NO_LEVEL) + 1 : NO_LEVEL;
  if (marker) {
    a.marker = *marker;
    a.strong = foreground->upper_threshold;
  }
  const bool grey = a.size == 1 && a.channel == CTR_CHANNEL_LUMA && !a.ranges;
  return launch (grey ? grey_levels_kernel : levels_kernel, a, stream, error);
}

bool
regions_queue_samples (const DeviceRegions *regions, const CtrImage *image, CtrChannel channel, const CtrImage *plane,
    cudaStream_t stream, CtrError *error)
{
  RegionArgs a = args_of (regions, image);
  a.channel = channel;
  a.plane = *plane;
  return launch (samples_kernel, a, stream, error);
}

bool
regions_queue_threshold (const DeviceRegions *regions, const CtrImage *image, const CtrForeground *foreground,
    Histogram *histogram, cudaStream_t stream, CtrError *error)
{
  const bool wide = image->format == CTR_FORMAT_GRAY16;
  RegionArgs a = args_of (regions, image);
  a.channel = foreground->channel;
  a.counts = histogram->counts;
  return launch (wide ? counts_kernel<true> : counts_kernel<false>, a, stream, error)
         && histogram_queue_search (histogram, foreground, wide, stream, error);
}

bool
regions_queue_clip (const DeviceRegions *regions, const PackedMask *mask, cudaStream_t stream, CtrError *error)
{
  const size_t words = ctr_packed_row (regions->width) / sizeof (uint32_t);
  ctr_launch (clip_kernel, ctas_for ((uint64_t) ctr_div_up (mask->width, 32) * mask->height), THREADS, 0, stream, *mask,
      regions->inside, (uint32_t) words);
  CTR_CUDA (cudaGetLastError ());
  return true;
}
