/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Labels are positions of pixels.
 *
 * naive  one thread a pixel: Komura's initialisation and analysis, Playne's reduction, then one vote a pixel.
 * HA     one warp a row, 64 pixels at a time. Within such a block a row's runs are sub-runs, which have a label at their
 *        first pixel and vote once. A sub-run that goes on from the block before has that one's label, others the first one
 *        above that they touch; then the same steps as FLSL (flsl.cu), in the same order. On the fly, sub-runs vote for the
 *        label of the first sub-run of their run.
 *
 * The paper describes HA in a few sentences and refers to an earlier one, which this does not follow in all details. */
#include "tests/bench/cca/pixels.h"

#include "tests/bench/cca/voting.cuh"

#include <stdlib.h>

struct PixelsFrame {
  uint32_t width, height;
  uint32_t blocks;          /* of 64 pixels in a row */
  unsigned long long *bits; /* height * blocks: foreground, the leftmost pixel in bit 0 */
  uint32_t *labels;         /* height * width; HA: valid where sub-runs start */
  Votes votes;              /* height * width, valid at roots */
  uint32_t *count;
};

namespace
{

typedef PixelsFrame Frame;

constexpr int PIXELS_BLOCK = 64; /* of a warp's turn */

/* --- naive --- */

__device__ __forceinline__ bool
position (const Frame &f, uint32_t *x, uint32_t *y, uint32_t *label)
{
  *x = blockIdx.x * BLOCK + threadIdx.x;
  *y = blockIdx.y;
  *label = *y * f.width + *x;
  return *x < f.width;
}

__global__ void
__launch_bounds__ (BLOCK) naive_link (Frame f, const uint8_t *__restrict__ image, size_t stride)
{
  uint32_t x, y, label;
  if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0)
    *f.count = 0;
  if (!position (f, &x, &y, &label))
    return;
  const uint8_t *pixel = image + y * stride + x;
  uint32_t parent = FULL; /* background */
  if (*pixel >= 128)
    parent = x > 0 && pixel[-1] >= 128 ? label - 1 : y > 0 && *(pixel - stride) >= 128 ? label - f.width : label;
  f.labels[label] = parent;
}

__global__ void
__launch_bounds__ (BLOCK) naive_compress (Frame f)
{
  uint32_t x, y, label;
  if (position (f, &x, &y, &label) && f.labels[label] != FULL)
    compress_path (f.labels, label);
}

/* The left and the upper neighbour, unless the pixel between them joins them already. */
__global__ void
__launch_bounds__ (BLOCK) naive_unite (Frame f, const uint8_t *__restrict__ image, size_t stride)
{
  uint32_t x, y, label;
  if (!position (f, &x, &y, &label) || x == 0 || y == 0)
    return;
  const uint8_t *pixel = image + y * stride + x;
  if (*pixel >= 128 && pixel[-1] >= 128 && *(pixel - stride) >= 128 && *(pixel - stride - 1) < 128)
    unite_labels (f.labels, label, label - f.width);
}

__global__ void
__launch_bounds__ (BLOCK) naive_flatten (Frame f)
{
  uint32_t x, y, label;
  const bool inside = position (f, &x, &y, &label);
  const bool root = inside && f.labels[label] != FULL && compress_path (f.labels, label) == label;
  if (root)
    clear_features (f.votes.features + label);
  const int roots = __syncthreads_count (root);
  if (threadIdx.x == 0 && roots)
    atomicAdd (f.count, (uint32_t) roots);
}

__global__ void
__launch_bounds__ (BLOCK) naive_update (Frame f)
{
  uint32_t x, y, label;
  if (position (f, &x, &y, &label) && f.labels[label] != FULL)
    add_features (f.votes, f.labels[label], features_of_run (x, x + 1, y));
}

/* --- HA --- */

typedef unsigned long long Block;

/* The pixels of BLOCK in bits. */
__device__ __forceinline__ Block
load_block (const uint8_t *pixels, uint32_t width, uint32_t block)
{
  const uint32_t x = block * PIXELS_BLOCK + lane_id ();
  const uint32_t low = x < width ? pixels[x] : 0, high = x + WARP < width ? pixels[x + WARP] : 0;
  const Block low_bits = __ballot_sync (FULL, low >= 128), high_bits = __ballot_sync (FULL, high >= 128);
  return low_bits | high_bits << WARP;
}

/* A lane has two pixels of the block, of which one may be the start of a sub-run: which one? */
__device__ __forceinline__ bool
start_of_lane (Block bits, uint32_t *start)
{
  const Block starts = bits & ~(bits << 1);
  const uint32_t two = (uint32_t) (starts >> 2 * lane_id ()) & 3;
  *start = 2 * lane_id () + (two >> 1);
  return two;
}

/* One after the last pixel of the sub-run that starts at START. */
__device__ __forceinline__ uint32_t
end_of (Block bits, uint32_t start)
{
  const Block gaps = ~(bits >> start);
  return gaps && start + __ffsll ((long long) gaps) - 1 < PIXELS_BLOCK ? start + __ffsll ((long long) gaps) - 1
                                                                       : PIXELS_BLOCK;
}

/* The start of the sub-run with pixel X. */
__device__ __forceinline__ uint32_t
start_of (Block bits, uint32_t x)
{
  const Block gaps_before = ~bits & (((Block) 1 << x) - 1);
  return PIXELS_BLOCK - __clzll ((long long) gaps_before);
}

__device__ __forceinline__ Block
pixels_between (uint32_t start, uint32_t end)
{
  const Block to_end = end == PIXELS_BLOCK ? ~(Block) 0 : ((Block) 1 << end) - 1;
  return to_end & ~(((Block) 1 << start) - 1);
}

__global__ void
__launch_bounds__ (BLOCK) ha_link (Frame f, const uint8_t *__restrict__ image, size_t stride, bool on_the_fly)
{
  const uint32_t row = warp_row ();
  if (row == 0 && lane_id () == 0)
    *f.count = 0;
  if (row >= f.height)
    return;
  const uint8_t *pixels = image + row * stride;
  const uint32_t base = row * f.width;
  uint32_t run = 0; /* the label of the run that goes on from the block before */
  Block left = 0;
  for (uint32_t block = 0; block < f.blocks; block++) {
    const Block bits = load_block (pixels, f.width, block);
    const Block above = row > 0 ? load_block (pixels - stride, f.width, block) : 0;
    if (lane_id () == 0)
      f.bits[(size_t) row * f.blocks + block] = bits;
    const uint32_t first = base + block * PIXELS_BLOCK;
    uint32_t start;
    if (start_of_lane (bits, &start)) {
      const uint32_t end = end_of (bits, start);
      const Block touched = above & pixels_between (start, end);
      uint32_t label = first + start;
      if (start == 0 && left >> 63)
        label = on_the_fly ? run : first - PIXELS_BLOCK + start_of (left, 63);
      else if (touched && !on_the_fly)
        label = first - f.width + start_of (above, (uint32_t) __ffsll ((long long) touched) - 1);
      f.labels[first + start] = label;
      if (on_the_fly) {
        const uint32_t x = block * PIXELS_BLOCK;
        if (label == first + start)
          clear_features (f.votes.features + label);
        add_features (f.votes, label, features_of_run (x + start, x + end, row));
      }
    }
    __syncwarp (); /* Features are cleared before the next block adds to them. */
    const uint32_t last = start_of (bits, 63);
    if (bits >> 63 && (last > 0 || !(left >> 63)))
      run = first + last;
    left = bits;
  }
}

/* Calls BODY (block, bits, start, label) for the sub-runs of the warp's row; MASK: the lanes that have one. */
template <typename Body>
__device__ __forceinline__ void
for_sub_runs (const Frame &f, uint32_t row, Body body)
{
  for (uint32_t block = 0; block < f.blocks; block++) {
    const Block bits = f.bits[(size_t) row * f.blocks + block];
    uint32_t start;
    const bool has = start_of_lane (bits, &start);
    const uint32_t mask = __ballot_sync (FULL, has);
    if (has)
      body (block, bits, start, row * f.width + block * PIXELS_BLOCK + start, mask);
    __syncwarp ();
  }
}

__global__ void
__launch_bounds__ (BLOCK) ha_compress (Frame f)
{
  const uint32_t row = warp_row ();
  if (row >= f.height)
    return;
  for_sub_runs (f, row, [&] (uint32_t, Block, uint32_t, uint32_t label, uint32_t) { compress_path (f.labels, label); });
}

/* The other sub-runs above that a sub-run touches. Of one that goes on from the block before, these are all, but for one
 * that goes on likewise, and touches the part before. */
__global__ void
__launch_bounds__ (BLOCK) ha_unite (Frame f, bool on_the_fly)
{
  const uint32_t row = warp_row ();
  if (row == 0 || row >= f.height)
    return;
  for_sub_runs (f, row, [&] (uint32_t block, Block bits, uint32_t start, uint32_t label, uint32_t) {
    const Block *here = f.bits + (size_t) row * f.blocks + block, *there = here - f.blocks;
    const Block above = *there;
    const bool goes_on = start == 0 && block > 0 && here[-1] >> 63;
    const bool joined = goes_on && above & 1 && there[-1] >> 63;
    Block touched = above & pixels_between (start, end_of (bits, start));
    for (bool skip = goes_on ? joined : !on_the_fly; touched; skip = false) {
      const uint32_t x = (uint32_t) __ffsll ((long long) touched) - 1;
      const uint32_t other = row * f.width - f.width + block * PIXELS_BLOCK + start_of (above, x);
      touched &= ~pixels_between (x, end_of (above, x));
      if (skip)
        continue;
      if (on_the_fly)
        unite_on_the_fly (f.labels, f.votes, label, other);
      else
        unite_labels (f.labels, label, other);
    }
  });
}

__global__ void
__launch_bounds__ (BLOCK) ha_flatten (Frame f, bool on_the_fly)
{
  const uint32_t row = warp_row ();
  if (row >= f.height)
    return;
  uint32_t roots = 0;
  for_sub_runs (f, row, [&] (uint32_t, Block, uint32_t, uint32_t label, uint32_t) {
    if (compress_path (f.labels, label) != label)
      return;
    roots++;
    if (!on_the_fly)
      clear_features (f.votes.features + label);
  });
  for (int offset = WARP / 2; offset; offset /= 2)
    roots += __shfl_xor_sync (FULL, roots, offset);
  if (lane_id () == 0 && roots)
    atomicAdd (f.count, roots);
}

__global__ void
__launch_bounds__ (BLOCK) ha_update (Frame f, bool conflict_detection)
{
  const uint32_t row = warp_row ();
  if (row >= f.height)
    return;
  for_sub_runs (f, row, [&] (uint32_t block, Block bits, uint32_t start, uint32_t label, uint32_t mask) {
    const uint32_t root = f.labels[label], left = block * PIXELS_BLOCK;
    const uint32_t end = left + end_of (bits, start);
    if (conflict_detection)
      add_with_conflict_detection (f.votes, mask, root, left + start, end, row);
    else
      add_features (f.votes, root, features_of_run (left + start, end, row));
  });
}

/* --- Updates --- */

__global__ void
__launch_bounds__ (BLOCK) sum_updates (const uint32_t *updates, size_t count, unsigned long long *sums)
{
  unsigned long long sum = 0, squares = 0;
  for (size_t i = (size_t) blockIdx.x * BLOCK + threadIdx.x; i < count; i += (size_t) gridDim.x * BLOCK) {
    const unsigned long long u = updates[i];
    sum += u;
    squares += u * u;
  }
  for (int offset = WARP / 2; offset; offset /= 2) {
    sum += __shfl_xor_sync (FULL, sum, offset);
    squares += __shfl_xor_sync (FULL, squares, offset);
  }
  if (lane_id () == 0) {
    atomicAdd (sums, sum);
    atomicAdd (sums + 1, squares);
  }
}

void
enqueue_naive (const Frame &f, const uint8_t *image, size_t stride, cudaStream_t stream)
{
  const dim3 grid ((f.width + BLOCK - 1) / BLOCK, f.height);
  naive_link<<<grid, BLOCK, 0, stream>>> (f, image, stride);
  naive_compress<<<grid, BLOCK, 0, stream>>> (f);
  naive_unite<<<grid, BLOCK, 0, stream>>> (f, image, stride);
  naive_flatten<<<grid, BLOCK, 0, stream>>> (f);
  naive_update<<<grid, BLOCK, 0, stream>>> (f);
}

void
enqueue_ha (const Frame &f, Voting voting, const uint8_t *image, size_t stride, cudaStream_t stream)
{
  const unsigned grid = (f.height + BLOCK / WARP - 1) / (BLOCK / WARP);
  const bool on_the_fly = voting == VOTING_ON_THE_FLY;
  ha_link<<<grid, BLOCK, 0, stream>>> (f, image, stride, on_the_fly);
  if (!on_the_fly)
    ha_compress<<<grid, BLOCK, 0, stream>>> (f);
  ha_unite<<<grid, BLOCK, 0, stream>>> (f, on_the_fly);
  ha_flatten<<<grid, BLOCK, 0, stream>>> (f, on_the_fly);
  if (!on_the_fly)
    ha_update<<<grid, BLOCK, 0, stream>>> (f, voting == VOTING_CONFLICT_DETECTION);
}

bool
copy_down (void *to, const void *from, size_t size, cudaStream_t stream)
{
  return cudaMemcpyAsync (to, from, size, cudaMemcpyDeviceToHost, stream) == cudaSuccess;
}

} // namespace

struct Pixels {
  PixelsFrame frame;
  PixelsAlgorithm algorithm; /* of the last image */
};

extern "C" void
pixels_free (Pixels *pixels)
{
  if (!pixels)
    return;
  cudaFree (pixels->frame.bits);
  cudaFree (pixels->frame.labels);
  cudaFree (pixels->frame.votes.features);
  cudaFree (pixels->frame.count);
  free (pixels);
}

extern "C" Pixels *
pixels_new (uint32_t max_width, uint32_t max_height)
{
  Pixels *pixels = static_cast<Pixels *> (calloc (1, sizeof (Pixels)));
  if (!pixels)
    return nullptr;
  Frame &f = pixels->frame;
  const size_t size = (size_t) max_width * max_height;
  const size_t blocks = (size_t) (max_width + PIXELS_BLOCK - 1) / PIXELS_BLOCK * max_height;
  if (cudaMalloc ((void **) &f.bits, blocks * sizeof *f.bits) == cudaSuccess
      && cudaMalloc ((void **) &f.labels, size * sizeof *f.labels) == cudaSuccess
      && cudaMalloc ((void **) &f.votes.features, size * sizeof *f.votes.features) == cudaSuccess
      && cudaMalloc ((void **) &f.count, sizeof *f.count) == cudaSuccess)
    return pixels;
  cudaGetLastError (); /* the failure is reported here, not by the next launch */
  pixels_free (pixels);
  return nullptr;
}

extern "C" cudaError_t
pixels_enqueue (Pixels *pixels, PixelsAlgorithm algorithm, Voting voting, const uint8_t *image, size_t stride,
    uint32_t width, uint32_t height, uint32_t *updates, cudaStream_t stream)
{
  Frame &f = pixels->frame;
  f.width = width;
  f.height = height;
  f.blocks = (width + PIXELS_BLOCK - 1) / PIXELS_BLOCK;
  f.votes.updates = updates;
  pixels->algorithm = algorithm;
  if (algorithm == PIXELS_NAIVE)
    enqueue_naive (f, image, stride, stream);
  else
    enqueue_ha (f, voting, image, stride, stream);
  return cudaGetLastError ();
}

extern "C" cudaError_t
pixels_count (Pixels *pixels, cudaStream_t stream, uint32_t *count)
{
  copy_down (count, pixels->frame.count, sizeof *count, stream);
  return cudaStreamSynchronize (stream);
}

/* Is the pixel a root? LABELS are valid at the first pixels of sub-runs, with the naive algorithm everywhere. */
static bool
is_root (const Frame &f, bool naive, const uint32_t *labels, const Block *bits, uint32_t x, uint32_t y)
{
  const uint32_t label = y * f.width + x;
  const Block block = bits[(size_t) y * f.blocks + x / PIXELS_BLOCK];
  const bool start = block >> x % PIXELS_BLOCK & 1 && (x % PIXELS_BLOCK == 0 || !(block >> (x - 1) % PIXELS_BLOCK & 1));
  return (naive || start) && labels[label] == label;
}

extern "C" cudaError_t
pixels_download (Pixels *pixels, cudaStream_t stream, CtrComponent **rows, uint32_t *count)
{
  const Frame &f = pixels->frame;
  const size_t size = (size_t) f.width * f.height, blocks = (size_t) f.blocks * f.height;
  uint32_t *labels = static_cast<uint32_t *> (malloc (size * sizeof *labels));
  Block *bits = static_cast<Block *> (calloc (blocks, sizeof *bits));
  Features *features = static_cast<Features *> (malloc (size * sizeof *features));
  CtrComponent *out = static_cast<CtrComponent *> (malloc (size * sizeof *out));
  const bool naive = pixels->algorithm == PIXELS_NAIVE;
  bool ok = labels && bits && features && out && copy_down (labels, f.labels, size * sizeof *labels, stream)
            && (naive || copy_down (bits, f.bits, blocks * sizeof *bits, stream))
            && copy_down (features, f.votes.features, size * sizeof *features, stream)
            && cudaStreamSynchronize (stream) == cudaSuccess;
  uint32_t n = 0;
  for (uint32_t y = 0; ok && y < f.height; y++)
    for (uint32_t x = 0; x < f.width; x++) {
      if (!is_root (f, naive, labels, bits, x, y))
        continue;
      const Features &from = features[y * f.width + x];
      CtrComponent row = {};
      row.sum_x = from.sum_x;
      row.sum_y = from.sum_y;
      row.area = from.area;
      row.left = (uint16_t) from.min_x;
      row.top = (uint16_t) from.min_y;
      row.width = (uint16_t) (from.max_x - from.min_x + 1);
      row.height = (uint16_t) (from.max_y - from.min_y + 1);
      row.start_x = (uint16_t) x;
      out[n++] = row;
    }
  free (labels);
  free (bits);
  free (features);
  *rows = ok ? out : nullptr;
  *count = ok ? n : 0;
  if (!ok)
    free (out);
  return ok ? cudaSuccess : cudaErrorMemoryAllocation;
}

extern "C" cudaError_t
voting_sum_updates (const uint32_t *updates, size_t count, unsigned long long *sums, cudaStream_t stream,
    unsigned long long *total, double *conflicts)
{
  unsigned long long both[2] = {0, 0};
  cudaMemsetAsync (sums, 0, sizeof both, stream);
  sum_updates<<<1024, BLOCK, 0, stream>>> (updates, count, sums);
  copy_down (both, sums, sizeof both, stream);
  const cudaError_t status = cudaStreamSynchronize (stream);
  *total = both[0];
  *conflicts = both[0] ? (double) both[1] / (double) both[0] : 0;
  return status;
}
