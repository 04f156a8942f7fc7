/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thresholds of neighbourhoods, by the rules of core/foreground/adaptive.h. Longer than 500 lines: nearly all of it is one kernel.
 *
 * The plain mean, in one kernel. A CTA has a strip of 512 columns and a band of rows, a lane 16 columns of the strip, and a warp
 * some successive rows of the band. Column sums move down the rows: the row that enters the neighbourhood is added, the one that
 * leaves it is subtracted. So that all warps can start at once, each first adds up the changes of its own rows; a prefix sum over
 * the warps, from the sums above the band, then says what each starts with. For each row, the prefix sums of the column sums go
 * to shared memory, and the sum of a neighbourhood is the difference of two.
 *
 * Column sums of bytes need 16 bits, so a word has two. It counts as the number low + 65536 high: as long as both are in
 * range in the end, additions and subtractions may carry between them on the way. */
#include "cuda/foreground/adaptive.cuh"

#include "cuda/common/launch.cuh"
#include "cuda/common/ptx.cuh"

#include "core/foreground/adaptive.h"

namespace
{

constexpr int MEAN_WARPS = 16;
constexpr int COLUMNS = 16; /* of a lane */
constexpr int STRIP = 32 * COLUMNS;
/* Prefix sums of a warp. Four words of room behind each 32 let lanes write 16 successive ones without bank conflicts. */
constexpr int PREFIX_WORDS = STRIP / 32 * 36;

struct MeanArgs : AdaptiveArgs {
  bool aligned;           /* rows begin at multiples of 16 bytes */
  uint32_t strip_columns; /* of the mask: a multiple of 32 */
  uint32_t lead;          /* columns of the strip before them: a multiple of COLUMNS */
  uint32_t band_rows;
  uint32_t row_words; /* of the mask; of a region: those with pixels, as the others are 0 already */
};

/* What a lane knows of its columns. WORDS: of column sums. ROWS: that a warp takes at once. RAW: words of a row's samples. SHARE:
 * rows that a warp has under way while it adds up its share of tall neighbourhoods. */
template <typename Sample> struct Columns;

template <> struct Columns<uint8_t> {
  static constexpr int words = COLUMNS / 2, rows = 6, raw = 4, share = 16;
};

template <> struct Columns<uint16_t> {
  static constexpr int words = COLUMNS, rows = 3, raw = 8, share = 8;
};

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

/* The samples of COLUMNS columns, which are aligned. */
template <typename Sample>
__device__ inline void
load_aligned (const uint8_t *from, uint32_t raw[Columns<Sample>::raw])
{
#pragma unroll
  for (int k = 0; k < Columns<Sample>::raw / 4; k++) {
    const uint4 v = ((const uint4 *) from)[k];
    raw[4 * k] = v.x;
    raw[4 * k + 1] = v.y;
    raw[4 * k + 2] = v.z;
    raw[4 * k + 3] = v.w;
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
    const uint8_t *const from = a.pixels + (size_t) x * sizeof (Sample);
    if (y >= 0 && y + N - 1 <= last_row) { /* nearly always: then an address follows from the one before */
      const uint8_t *row = from + y * a.stride;
#pragma unroll
      for (int i = 0; i < N; i++, row += a.stride)
        if (i < count)
          load_aligned<Sample> (row, raw[i]);
    } else {
#pragma unroll
      for (int i = 0; i < N; i++)
        if (i < count)
          load_aligned<Sample> (from + min (max (y + i, 0), last_row) * a.stride, raw[i]);
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

/* Adds COUNT rows from row Y on to SUMS, ROWS of them at a time. */
template <typename Sample, int ROWS>
__device__ inline void
sum_rows (const MeanArgs &a, int y, int x, int count, uint32_t sums[Columns<Sample>::words])
{
  constexpr int words = Columns<Sample>::words;
#pragma unroll 1
  for (int i = 0; i < count; i += ROWS) {
    uint32_t raw[ROWS][Columns<Sample>::raw];
    load_rows<Sample, ROWS> (a, y + i, x, count - i, raw);
#pragma unroll
    for (int k = 0; k < ROWS; k++)
#pragma unroll
      for (int w = 0; w < words; w++)
        sums[w] += spread<Sample> (raw[k], w);
  }
}

/* Adds up a warp's share of the neighbourhoods of the row above the band. */
template <typename Sample>
__device__ inline void
sum_share (const MeanArgs &a, int top, int x, uint32_t sums[Columns<Sample>::words])
{
  const int warp = warp_index (), all = 2 * (int) a.radius + 1;
  const int first = all * warp / MEAN_WARPS, count = all * (warp + 1) / MEAN_WARPS - first;
  const int y = top - 1 - (int) a.radius + first;
#pragma unroll
  for (int k = 0; k < Columns<Sample>::words; k++)
    sums[k] = 0;
  if (count > Columns<Sample>::rows)
    sum_rows<Sample, Columns<Sample>::share> (a, y, x, count, sums);
  else
    sum_rows<Sample, Columns<Sample>::rows> (a, y, x, count, sums);
}

/* A lane's words in a warp's part of the memory. */
template <int WORDS>
__device__ inline void
put (uint32_t *table, const uint32_t words[WORDS])
{
#pragma unroll
  for (int k = 0; k < WORDS; k += 4)
    *(uint4 *) (table + k) = make_uint4 (words[k], words[k + 1], words[k + 2], words[k + 3]);
}

template <int WORDS>
__device__ inline void
get (const uint32_t *table, uint32_t words[WORDS])
{
#pragma unroll
  for (int k = 0; k < WORDS; k += 4) {
    const uint4 v = *(const uint4 *) (table + k);
    words[k] = v.x;
    words[k + 1] = v.y;
    words[k + 2] = v.z;
    words[k + 3] = v.w;
  }
}

/* Writes the prefix sums of a row's column sums: each without its own column. */
template <typename Sample>
__device__ inline void
write_prefix (const uint32_t sums[Columns<Sample>::words], uint32_t *prefix)
{
  const uint32_t lane = threadIdx.x % 32;
  uint32_t before[COLUMNS], own = 0;
#pragma unroll
  for (int i = 0; i < Columns<Sample>::words; i++)
    own = sizeof (Sample) == 1 ? __dp2a_lo (sums[i], 0x0101u, own) : own + sums[i];
  uint32_t all = sum_of_lanes (own) - own;
#pragma unroll
  for (int i = 0; i < Columns<Sample>::words; i++)
    if (sizeof (Sample) == 1) {
      before[2 * i] = all;
      before[2 * i + 1] = all + (sums[i] & 0xffff);
      all = __dp2a_lo (sums[i], 0x0101u, all);
    } else {
      before[i] = all;
      all += sums[i];
    }
  put<COLUMNS> (prefix + lane / 2 * 36 + lane % 2 * 16, before);
}

/* Is a pixel of this SAMPLE, with this SUM of its neighbourhood of N pixels, foreground? OFFSET: mean_offset(). With 8 bits
 * nothing needs to be limited: the rule of adaptive.h with level = sample + offset is sum <= n (level - 1) + (n - 1) / 2. */
template <typename Sample>
__device__ inline bool
above_mean (uint32_t sample, uint32_t sum, uint32_t n, int32_t offset)
{
  if (sizeof (Sample) == 1)
    return (int32_t) sum <= (int32_t) (n * sample) + offset;
  return ctr_mean_is_below (sum, n, ctr_adaptive_level (sample, offset, 65535));
}

/* What above_mean() adds. With 8 bits an offset beyond 256 is as 256, so that all fits into 32 bits. */
template <typename Sample>
__device__ inline int32_t
mean_offset (int32_t offset, uint32_t n)
{
  return sizeof (Sample) == 1 ? (int32_t) n * (max (min (offset, 256), -256) - 1) + (int32_t) (n / 2) : offset;
}

/* A warp's view of the strip's mask. */
template <typename Sample> struct MeanOutput {
  uint32_t x0;             /* the strip's first column of the mask */
  uint32_t inside;         /* its columns that are inside the image */
  uint32_t full;           /* words with 32 of these */
  bool partial;            /* There is one with fewer. */
  uint32_t words;          /* to be written, up to the row's end in the last strip */
  uint32_t valid;          /* the bits of this lane's word that are inside the image */
  uint32_t enters, leaves; /* where the prefix sums of lane's pixel of word 0 are */
  uint32_t n;
  int32_t offset;

  /* IS_LAST: no strip lies on the right of this one. */
  __device__
  MeanOutput (const MeanArgs &a, uint32_t strip, bool is_last)
  {
    const uint32_t lane = threadIdx.x % 32;
    x0 = strip * a.strip_columns;
    inside = min (a.width - x0, a.strip_columns);
    full = inside / 32;
    partial = inside % 32;
    words = is_last ? a.row_words - x0 / 32 : a.strip_columns / 32;
    valid = 32 * lane >= inside ? 0 : inside - 32 * lane >= 32 ? ~0u : (1u << (inside - 32 * lane)) - 1;
    enters = place (a.lead + lane + a.radius + 1);
    leaves = place (a.lead + lane - a.radius);
    n = (2 * a.radius + 1) * (2 * a.radius + 1);
    offset = mean_offset<Sample> (a.offset, n);
  }

  /* Where the prefix sum of a column of the strip is. */
  __device__ static uint32_t
  place (uint32_t column)
  {
    return column + column / 32 * 4;
  }

  /* Finds N words, of which *MINE becomes this lane's. LEFT: words until that one. The pointers are to the sample and the
   * prefix sums of this lane's pixel in the first of them. */
  template <int N>
  __device__ void
  find (const Sample *from, const uint32_t *to, const uint32_t *since, uint32_t left, uint32_t *mine) const
  {
    uint32_t samples[N], sums[N];
#pragma unroll
    for (int i = 0; i < N; i++)
      samples[i] = from[32 * i];
#pragma unroll
    for (int i = 0; i < N; i++)
      sums[i] = to[36 * i] - since[36 * i];
#pragma unroll
    for (int i = 0; i < N; i++) {
      const uint32_t bits = __ballot_sync (~0u, above_mean<Sample> (samples[i], sums[i], n, offset));
      if (left == i)
        *mine = bits;
    }
  }

  /* SAMPLES, MASK: the strip in a row of the picture, and of the mask. */
  __device__ void
  write (const MeanArgs &a, const Sample *samples, uint32_t *mask, const uint32_t *prefix) const
  {
    const uint32_t lane = threadIdx.x % 32;
    const Sample *from = samples + lane;
    const uint32_t *to = prefix + enters, *since = prefix + leaves;
    uint32_t mine = 0, i = 0;
#pragma unroll 1
    for (; i + 8 <= full; i += 8, from += 256, to += 288, since += 288)
      find<8> (from, to, since, lane - i, &mine);
    if (full & 4) {
      find<4> (from, to, since, lane - i, &mine);
      i += 4, from += 128, to += 144, since += 144;
    }
    if (full & 2) {
      find<2> (from, to, since, lane - i, &mine);
      i += 2, from += 64, to += 72, since += 72;
    }
    if (full & 1) {
      find<1> (from, to, since, lane - i, &mine);
      i++, from += 32, to += 36, since += 36;
    }
    if (partial)
      find<1> (samples + min (32 * i + lane, inside - 1), to, since, lane - i, &mine);
    if (lane < words)
      mask[lane] = (mine ^ a.flip) & valid;
  }
};

/* Regions of an atlas have rows of tiles, bands of strips, one below the other. */
template <typename Sample, bool ATLAS>
__global__ void __launch_bounds__ (32 * MEAN_WARPS, 1) mean_kernel (const __grid_constant__ MeanArgs args)
{
  constexpr int words = Columns<Sample>::words, rows = Columns<Sample>::rows;
  /* A warp's changes of column sums, then its prefix sums of a row. */
  __shared__ __align__ (16) uint32_t memory[MEAN_WARPS * PREFIX_WORDS];
  static_assert (32 * words <= PREFIX_WORDS, "both have room");
  __shared__ MeanArgs of_region;
  const uint32_t t = threadIdx.x, lane = t % 32, warp = warp_index ();
  ctr_let_next_start ();
  uint32_t *const prefix = memory + warp * PREFIX_WORDS, *const own = prefix + lane * words;
  uint32_t band = blockIdx.y;
  if (ATLAS) {
    const uint32_t region = region_of_tile_row (args.places, args.regions, band, args.band_rows);
    band -= region_tile_row (args.places, region, args.band_rows);
    if (t == 0) {
      of_region = args;
      of_region.move_to_region (region);
      of_region.row_words = ctr_div_up (of_region.width, 32);
    }
    __syncthreads ();
    if (blockIdx.x * args.strip_columns >= of_region.width || band * args.band_rows >= of_region.height)
      return;
  }
  const MeanArgs &a = ATLAS ? of_region : args;
  const MeanOutput<Sample> output (a, blockIdx.x, (blockIdx.x + 1) * a.strip_columns >= a.width);
  const int x = (int) output.x0 - (int) a.lead + (int) lane * COLUMNS, radius = a.radius;
  const uint32_t top = band * a.band_rows, height = min (a.band_rows, a.height - top);
  const uint32_t parts = ctr_div_up (height, MEAN_WARPS * rows) * MEAN_WARPS;
  const uint32_t each = height / parts, longer = height % parts; /* rows of a part; parts with one more */
  const auto first_of = [&] (uint32_t part) { return part * each + min (part, longer); };

  /* Rows that enter are loaded ahead: before the sums of the first part are known, and while those of the part before are used. */
  uint32_t enter[rows][Columns<Sample>::raw];
  load_rows<Sample, rows> (
      a, (int) (top + first_of (warp)) + radius, x, (int) (first_of (warp + 1) - first_of (warp)), enter);
  uint32_t sums[words];
  sum_share<Sample> (a, (int) top, x, sums);
  put<words> (own, sums);
  __syncthreads ();
  uint32_t carry = 0; /* of the strip's word T: the column sums before the next warp's rows */
  static_assert (words <= MEAN_WARPS, "a thread has one word of the strip, or none");
  if (t < 32 * words)
#pragma unroll
    for (int w = 0; w < MEAN_WARPS; w++)
      carry += memory[w * PREFIX_WORDS + t];
  __syncthreads ();

  for (uint32_t part = warp; part < parts; part += MEAN_WARPS) {
    const uint32_t first = first_of (part), count = first_of (part + 1) - first, y = top + first;
    uint32_t changes[rows][words];
    {
      uint32_t leave[rows][Columns<Sample>::raw];
      load_rows<Sample, rows> (a, (int) y - 1 - radius, x, count, leave);
#pragma unroll
      for (int k = 0; k < words; k++)
        sums[k] = 0;
#pragma unroll
      for (int i = 0; i < rows; i++)
#pragma unroll
        for (int k = 0; k < words; k++) {
          changes[i][k] = spread<Sample> (enter[i], k) - spread<Sample> (leave[i], k);
          sums[k] += changes[i][k];
        }
    }
    if (part + MEAN_WARPS < parts) {
      const uint32_t next = first_of (part + MEAN_WARPS), end = first_of (part + MEAN_WARPS + 1);
      load_rows<Sample, rows> (a, (int) (top + next) + radius, x, (int) (end - next), enter);
    }
    __syncwarp (); /* The prefix sums are not needed any more. */
    put<words> (own, sums);
    __syncthreads ();
    if (t < 32 * words)
#pragma unroll
      for (int w = 0; w < MEAN_WARPS; w++) {
        const uint32_t change = memory[w * PREFIX_WORDS + t];
        memory[w * PREFIX_WORDS + t] = carry;
        carry += change;
      }
    __syncthreads ();
    get<words> (own, sums);
    const Sample *samples = (const Sample *) (a.pixels + y * a.stride) + output.x0;
    uint32_t *mask = (uint32_t *) ((uint8_t *) a.mask.bits + y * a.mask.stride) + output.x0 / 32;
#pragma unroll
    for (int i = 0; i < rows; i++)
      if (i < count) {
#pragma unroll
        for (int k = 0; k < words; k++)
          sums[k] += changes[i][k];
        __syncwarp ();
        write_prefix<Sample> (sums, prefix);
        __syncwarp ();
        output.write (a, samples, mask, prefix);
        samples = (const Sample *) ((const uint8_t *) samples + a.stride);
        mask = (uint32_t *) ((uint8_t *) mask + a.mask.stride);
      }
  }
}

AdaptiveArgs
args_of (const CtrImage *plane, const CtrForeground *foreground, const PackedMask *mask, const Atlas *atlas)
{
  AdaptiveArgs a = {(const uint8_t *) plane->data, plane->stride, plane->width, plane->height, *mask,
      foreground->block_size / 2, foreground->offset, foreground->invert ? ~0u : 0, NULL, 0};
  if (atlas) {
    a.places = atlas->regions.places;
    a.regions = atlas->regions.count;
  }
  return a;
}

/* The least rows of a band with which the regions have no more tiles than there are PROCESSORS, or one band each. */
uint32_t
band_rows_of (const Atlas *atlas, uint32_t strip_columns, uint32_t processors)
{
  for (uint32_t rows = MEAN_WARPS;; rows += ctr_div_up (rows, 8)) {
    uint64_t tiles = 0;
    bool is_whole = true;
    for (uint32_t i = 0; i < atlas->regions.count; i++) {
      const CtrAtlasRegion &region = atlas->places[i];
      tiles += (uint64_t) ctr_div_up (region.width, strip_columns) * ctr_div_up (region.height, rows);
      is_whole = is_whole && region.height <= rows;
    }
    if (is_whole || tiles <= processors)
      return rows;
  }
}

template <typename Sample, bool ATLAS>
bool
queue_mean (const AdaptiveArgs &common, const Atlas *atlas, cudaStream_t stream, CtrError *error)
{
  MeanArgs a;
  (AdaptiveArgs &) a = common;
  int device, processors;
  CTR_CUDA (cudaGetDevice (&device));
  CTR_CUDA (cudaDeviceGetAttribute (&processors, cudaDevAttrMultiProcessorCount, device));
  a.aligned = ((uintptr_t) a.pixels | a.stride) % 16 == 0;
  a.row_words = (uint32_t) ctr_packed_row (a.width) / 4;
  a.lead = ctr_div_up (a.radius, COLUMNS) * COLUMNS;
  /* The prefix sum behind the last column's neighbourhood is the last one. */
  const uint32_t most = (STRIP - 1 - a.radius - a.lead) / 32 * 32, strips = ctr_div_up (a.width, most);
  a.strip_columns = ctr_div_up (ctr_div_up (a.width, strips), 32) * 32;
  dim3 grid (ctr_div_up (a.width, a.strip_columns));
  if (ATLAS) {
    a.band_rows = band_rows_of (atlas, a.strip_columns, (uint32_t) processors);
    grid.y = region_tile_rows (atlas->places, a.regions, a.band_rows);
  } else {
    const uint32_t bands = min (max ((uint32_t) processors / strips, 1u), ctr_div_up (a.height, MEAN_WARPS));
    a.band_rows = ctr_div_up (a.height, bands);
    grid.y = ctr_div_up (a.height, a.band_rows);
  }
  ctr_launch (mean_kernel<Sample, ATLAS>, grid, 32 * MEAN_WARPS, 0, stream, a);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

/* Bytes of the plane that the channel's samples go to first. */
size_t
plane_room (const CtrImage *image, const CtrForeground *foreground)
{
  CtrImage plane;
  if (foreground_channel_is_plane (image, foreground->channel, &plane))
    return 0;
  return ctr_aligned_row (image->width) * image->height;
}

} // namespace

size_t
foreground_adaptive_room (const CtrImage *image, const CtrForeground *foreground)
{
  const bool weighted = foreground->mode == CTR_THRESHOLD_ADAPTIVE_GAUSSIAN;
  return plane_room (image, foreground)
         + (weighted ? foreground_gaussian_room (image->width, image->height, image->format == CTR_FORMAT_GRAY16) : 0);
}

bool
foreground_queue_adaptive (const CtrImage *image, const CtrForeground *foreground, CtrKeptWeights *weights, void *room,
    const PackedMask *mask, const Atlas *atlas, cudaStream_t stream, CtrError *error)
{
  CtrImage plane;
  if (!foreground_channel_is_plane (image, foreground->channel, &plane)) {
    plane.data = room;
    plane.stride = ctr_aligned_row (image->width);
    if (!foreground_queue_channel (image, foreground->channel, &plane, stream, error))
      return false;
  }
  const AdaptiveArgs a = args_of (&plane, foreground, mask, atlas);
  const bool wide = plane.format == CTR_FORMAT_GRAY16;
  if (foreground->mode == CTR_THRESHOLD_ADAPTIVE_GAUSSIAN)
    return foreground_queue_gaussian (a, atlas, wide, ctr_gaussian_keep_weights (weights, foreground->block_size),
        (uint8_t *) room + plane_room (image, foreground), stream, error);
  auto queue = atlas  ? wide ? queue_mean<uint16_t, true> : queue_mean<uint8_t, true>
                : wide ? queue_mean<uint16_t, false>
                      : queue_mean<uint8_t, false>;
  return queue (a, atlas, stream, error);
}
