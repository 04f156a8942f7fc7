/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FLSL, FLSL+OTF and FLSL+CD. One warp a row in every kernel, as in the paper:
 *
 *   detect    section 3.1, algorithm 1, first pass: run boundaries by compress-store
 *   link      second pass: a run's label is the first run above that it touches (Komura's initialisation)
 *   compress  labels point to roots (Komura's analysis)
 *   unite     the other runs above that a run touches: Playne's reduction, atomicMin without a second find
 *   flatten   roots found for good, their features cleared and counted
 *   update    features of the runs: each by itself, or with conflict detection (section 3.3, algorithm 3)
 *
 * On the fly (OTF, section 3.2, algorithm 2), a run votes for its own label in link, and unite joins all runs that touch, and
 * moves features; compress and update are left out.
 *
 * Where the paper leaves the way open, the faster one is taken: a run finds its neighbours above by the row's edges as
 * bits with a count every 32 pixels, not by a per-pixel array; boundaries are 16 bits; and since a warp's runs all lie
 * in one row, the reduction exchanges two values (pixels and sum of x), from which the seven features follow. */
#include "tests/bench/cca/flsl.h"

#include "tests/bench/cca/voting.cuh"

#include <stdlib.h>

struct FlslFrame {
  uint32_t width, height;
  uint32_t words;       /* of 32 pixels in a row */
  uint32_t row_runs;    /* room for runs in a row; labels are row * row_runs + run */
  uint32_t reach;       /* how far beyond its ends a run touches runs above: 0 (4-connected) or 1 (8-connected) */
  uint32_t *edges;      /* height * words: bit x is set where pixel x differs from pixel x - 1 */
  uint16_t *edge_base;  /* height * words: edges left of the word */
  uint32_t *runs;       /* height * row_runs: start in the low half, end (exclusive) in the high half */
  uint32_t *run_counts; /* height */
  uint32_t *labels;     /* height * row_runs */
  Votes votes;          /* height * row_runs, valid at roots */
  uint32_t *count;
};

namespace
{

typedef FlslFrame Frame;

constexpr int CHUNK = 8; /* words of 32 pixels a warp has in flight */

__global__ void
__launch_bounds__ (BLOCK) detect (Frame f, const uint8_t *__restrict__ image, size_t stride)
{
  uint32_t row = warp_row (), lane = lane_id ();
  if (row == 0 && lane == 0)
    *f.count = 0;
  if (row >= f.height)
    return;
  const uint8_t *pixels = image + row * stride;
  /* The boundaries alternate between starts and ends, so one 16-bit store each makes the packed runs. */
  uint16_t *boundaries = reinterpret_cast<uint16_t *> (f.runs + (size_t) row * f.row_runs);
  uint32_t count = 0, carry = 0;
  for (uint32_t first = 0; first < f.words; first += CHUNK) {
    uint32_t value[CHUNK];
#pragma unroll
    for (int i = 0; i < CHUNK; i++) {
      uint32_t x = (first + i) * WARP + lane;
      value[i] = x < f.width ? __ldg (pixels + x) : 0;
    }
    uint32_t my_edges = 0, my_base = 0;
#pragma unroll
    for (int i = 0; i < CHUNK; i++) {
      uint32_t word = __ballot_sync (FULL, value[i] >= 128);
      uint32_t edges = word ^ (word << 1 | carry);
      carry = word >> 31;
      if (lane == i) {
        my_edges = edges;
        my_base = count;
      }
      if (edges >> lane & 1)
        boundaries[count + __popc (edges & lanes_below ())] = (uint16_t) ((first + i) * WARP + lane);
      count += __popc (edges);
    }
    if (lane < CHUNK && first + lane < f.words) {
      f.edges[(size_t) row * f.words + first + lane] = my_edges;
      f.edge_base[(size_t) row * f.words + first + lane] = (uint16_t) my_base;
    }
  }
  /* A run that reaches the end of the last word and was closed by no pixel after it. */
  if (carry) {
    if (lane == 0)
      boundaries[count] = (uint16_t) f.width;
    count++;
  }
  if (lane == 0)
    f.run_counts[row] = count / 2;
}

/* Edges at positions <= x of ROW: odd inside a run, even outside. */
__device__ __forceinline__ uint32_t
edge_rank (const Frame &f, uint32_t row, uint32_t x)
{
  size_t word = (size_t) row * f.words + x / WARP;
  return f.edge_base[word] + __popc (f.edges[word] & (FULL >> (31 - x % WARP)));
}

/* The runs of the row above, [*begin, *end), that RUN of ROW >= 1 touches. */
__device__ __forceinline__ void
touching_runs (const Frame &f, uint32_t row, uint32_t run, uint32_t *begin, uint32_t *end)
{
  uint32_t left = run & 0xffff, right = (run >> 16) - 1;
  left = left > f.reach ? left - f.reach : 0;
  right = min (right + f.reach, f.width - 1);
  *begin = edge_rank (f, row - 1, left) / 2;
  *end = (edge_rank (f, row - 1, right) + 1) / 2;
}

__global__ void
__launch_bounds__ (BLOCK) link (Frame f, bool on_the_fly)
{
  uint32_t row = warp_row ();
  if (row >= f.height)
    return;
  uint32_t count = f.run_counts[row], base = row * f.row_runs;
  for (uint32_t i = lane_id (); i < count; i += WARP) {
    uint32_t label = base + i;
    if (row > 0 && !on_the_fly) {
      uint32_t begin, end;
      touching_runs (f, row, f.runs[label], &begin, &end);
      if (begin < end)
        label = base - f.row_runs + begin;
    }
    f.labels[base + i] = label;
    if (on_the_fly) {
      clear_features (f.votes.features + label);
      add_features (f.votes, label, features_of_run (f.runs[label] & 0xffff, f.runs[label] >> 16, row));
    }
  }
}

__global__ void
__launch_bounds__ (BLOCK) compress (Frame f)
{
  uint32_t row = warp_row ();
  if (row >= f.height)
    return;
  uint32_t count = f.run_counts[row], base = row * f.row_runs;
  for (uint32_t i = lane_id (); i < count; i += WARP)
    compress_path (f.labels, base + i);
}

__global__ void
__launch_bounds__ (BLOCK) unite (Frame f, bool on_the_fly)
{
  uint32_t row = warp_row ();
  if (row == 0 || row >= f.height)
    return;
  uint32_t count = f.run_counts[row], base = row * f.row_runs;
  for (uint32_t i = lane_id (); i < count; i += WARP) {
    uint32_t begin, end;
    touching_runs (f, row, f.runs[base + i], &begin, &end);
    /* link has joined the first one. */
    for (uint32_t run = on_the_fly ? begin : begin + 1; run < end; run++)
      if (on_the_fly)
        unite_on_the_fly (f.labels, f.votes, base + i, base - f.row_runs + run);
      else
        unite_labels (f.labels, base + i, base - f.row_runs + run);
  }
}

__global__ void
__launch_bounds__ (BLOCK) flatten (Frame f, bool on_the_fly)
{
  uint32_t row = warp_row ();
  if (row >= f.height)
    return;
  uint32_t count = f.run_counts[row], base = row * f.row_runs, roots = 0;
  for (uint32_t i = lane_id (); i < count; i += WARP) {
    if (compress_path (f.labels, base + i) != base + i)
      continue;
    if (!on_the_fly)
      clear_features (f.votes.features + base + i);
    roots++;
  }
  for (int offset = WARP / 2; offset; offset /= 2)
    roots += __shfl_xor_sync (FULL, roots, offset);
  if (lane_id () == 0 && roots)
    atomicAdd (f.count, roots);
}

__global__ void
__launch_bounds__ (BLOCK) update (Frame f, bool conflict_detection)
{
  uint32_t row = warp_row ();
  if (row >= f.height)
    return;
  uint32_t count = f.run_counts[row], base = row * f.row_runs;
  for (uint32_t first = 0; first < count; first += WARP) {
    uint32_t i = first + lane_id ();
    uint32_t mask = __ballot_sync (FULL, i < count);
    if (i >= count)
      continue;
    const uint32_t label = f.labels[base + i], start = f.runs[base + i] & 0xffff, end = f.runs[base + i] >> 16;
    if (conflict_detection)
      add_with_conflict_detection (f.votes, mask, label, start, end, row);
    else
      add_features (f.votes, label, features_of_run (start, end, row));
  }
}

/* Most runs in a row; as many pairs of boundaries. */
uint32_t
runs_in_row (uint32_t width)
{
  return (width + 1) / 2;
}

uint32_t
words_in_row (uint32_t width)
{
  return (width + WARP - 1) / WARP;
}

cudaError_t
copy_down (void *to, const void *from, size_t size, cudaStream_t stream)
{
  const cudaError_t error = cudaMemcpyAsync (to, from, size, cudaMemcpyDeviceToHost, stream);
  return error == cudaSuccess ? cudaStreamSynchronize (stream) : error;
}

} // namespace

struct Flsl {
  FlslFrame frame;
};

extern "C" void
flsl_free (Flsl *flsl)
{
  if (!flsl)
    return;
  cudaFree (flsl->frame.edges);
  cudaFree (flsl->frame.edge_base);
  cudaFree (flsl->frame.runs);
  cudaFree (flsl->frame.run_counts);
  cudaFree (flsl->frame.labels);
  cudaFree (flsl->frame.votes.features);
  cudaFree (flsl->frame.count);
  free (flsl);
}

extern "C" Flsl *
flsl_new (uint32_t max_width, uint32_t max_height)
{
  Flsl *flsl = static_cast<Flsl *> (calloc (1, sizeof (Flsl)));
  if (!flsl)
    return nullptr;
  Frame &f = flsl->frame;
  size_t runs = (size_t) runs_in_row (max_width) * max_height;
  size_t words = (size_t) words_in_row (max_width) * max_height;
  if (cudaMalloc ((void **) &f.edges, words * sizeof *f.edges) == cudaSuccess
      && cudaMalloc ((void **) &f.edge_base, words * sizeof *f.edge_base) == cudaSuccess
      && cudaMalloc ((void **) &f.runs, runs * sizeof *f.runs) == cudaSuccess
      && cudaMalloc ((void **) &f.run_counts, max_height * sizeof *f.run_counts) == cudaSuccess
      && cudaMalloc ((void **) &f.labels, runs * sizeof *f.labels) == cudaSuccess
      && cudaMalloc ((void **) &f.votes.features, runs * sizeof *f.votes.features) == cudaSuccess
      && cudaMalloc ((void **) &f.count, sizeof *f.count) == cudaSuccess)
    return flsl;
  cudaGetLastError (); /* the failure is reported here, not by the next launch */
  flsl_free (flsl);
  return nullptr;
}

extern "C" cudaError_t
flsl_enqueue (Flsl *flsl, const uint8_t *image, size_t stride, uint32_t width, uint32_t height,
    CtrConnectivity connectivity, Voting voting, uint32_t *updates, cudaStream_t stream)
{
  const bool on_the_fly = voting == VOTING_ON_THE_FLY, conflict_detection = voting == VOTING_CONFLICT_DETECTION;
  Frame &f = flsl->frame;
  f.width = width;
  f.height = height;
  f.words = words_in_row (width);
  f.row_runs = runs_in_row (width);
  f.reach = connectivity == CTR_CONNECTIVITY_8 ? 1 : 0;
  unsigned blocks = (height + BLOCK / WARP - 1) / (BLOCK / WARP);
  f.votes.updates = updates;
  detect<<<blocks, BLOCK, 0, stream>>> (f, image, stride);
  link<<<blocks, BLOCK, 0, stream>>> (f, on_the_fly);
  if (!on_the_fly)
    compress<<<blocks, BLOCK, 0, stream>>> (f);
  unite<<<blocks, BLOCK, 0, stream>>> (f, on_the_fly);
  flatten<<<blocks, BLOCK, 0, stream>>> (f, on_the_fly);
  if (!on_the_fly)
    update<<<blocks, BLOCK, 0, stream>>> (f, conflict_detection);
  return cudaGetLastError ();
}

extern "C" cudaError_t
flsl_count (Flsl *flsl, cudaStream_t stream, uint32_t *count)
{
  return copy_down (count, flsl->frame.count, sizeof *count, stream);
}

extern "C" cudaError_t
flsl_download (Flsl *flsl, cudaStream_t stream, CtrComponent **rows, uint32_t *count)
{
  const Frame &f = flsl->frame;
  size_t runs = (size_t) f.row_runs * f.height;
  *rows = nullptr;
  *count = 0;
  cudaError_t error = cudaStreamSynchronize (stream);
  if (error != cudaSuccess)
    return error;
  uint32_t *run_counts = static_cast<uint32_t *> (malloc (f.height * sizeof *run_counts));
  uint32_t *labels = static_cast<uint32_t *> (malloc (runs * sizeof *labels));
  uint32_t *packed = static_cast<uint32_t *> (malloc (runs * sizeof *packed));
  Features *features = static_cast<Features *> (malloc (runs * sizeof *features));
  CtrComponent *out = static_cast<CtrComponent *> (malloc (runs * sizeof *out));
  if (!run_counts || !labels || !packed || !features || !out)
    error = cudaErrorMemoryAllocation;
  if (error == cudaSuccess)
    error = copy_down (run_counts, f.run_counts, f.height * sizeof *run_counts, stream);
  if (error == cudaSuccess)
    error = copy_down (labels, f.labels, runs * sizeof *labels, stream);
  if (error == cudaSuccess)
    error = copy_down (packed, f.runs, runs * sizeof *packed, stream);
  if (error == cudaSuccess)
    error = copy_down (features, f.votes.features, runs * sizeof *features, stream);
  uint32_t n = 0;
  for (uint32_t y = 0; error == cudaSuccess && y < f.height; y++) {
    for (uint32_t i = 0; i < run_counts[y]; i++) {
      uint32_t label = y * f.row_runs + i;
      if (labels[label] != label)
        continue;
      const Features &from = features[label];
      CtrComponent row = {};
      row.sum_x = from.sum_x;
      row.sum_y = from.sum_y;
      row.area = from.area;
      row.left = (uint16_t) from.min_x;
      row.top = (uint16_t) from.min_y;
      row.width = (uint16_t) (from.max_x - from.min_x + 1);
      row.height = (uint16_t) (from.max_y - from.min_y + 1);
      row.start_x = (uint16_t) (packed[label] & 0xffff);
      out[n++] = row;
    }
  }
  free (run_counts);
  free (labels);
  free (packed);
  free (features);
  if (error != cudaSuccess) {
    free (out);
    return error;
  }
  *rows = out;
  *count = n;
  return cudaSuccess;
}
