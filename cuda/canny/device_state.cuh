/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Canny on the GPU: the data that passes between its kernels.
 *
 * The tile kernel (tiles.cu) does everything that is local: from the image to edges, in one pass over tiles of
 * 256 columns, hysteresis inside the tile included. What remains are components of weak candidates that touch the
 * tile's rim: they become nodes of a global union-find, which the seam kernel joins across the tiles' seams, with each
 * other or with what is strong there. The patch kernel then draws those that came to be strong (seams.cu). Three
 * launches, whatever the image; nothing waits for the host. */
#ifndef CTR_CUDA_CANNY_DEVICE_STATE_CUH
#define CTR_CUDA_CANNY_DEVICE_STATE_CUH

#include "cuda/common/device_buffer.cuh"
#include "cuda/common/launch.cuh"

#include "core/canny/canny.h"

constexpr int CANNY_W = 256;              /* columns of a tile */
constexpr int CANNY_WORDS = CANNY_W / 32; /* 32-pixel words a tile row */
constexpr int CANNY_RIM_H = 128;          /* rows of the highest tile, and more */
constexpr int CANNY_NODES = 384;          /* weak components of a tile that touch its rim: <= (2 * 256 + 2 * 128) / 2 */
constexpr int CANNY_THREADS = 256;

/* What lies at the pixels of a tile's rim: nothing, a component with a strong candidate, or node code - RIM_NODE of the
 * tile. */
enum { RIM_NONE, RIM_STRONG, RIM_NODE };

struct CannyRim {
  uint16_t top[CANNY_W], bottom[CANNY_W];
  uint16_t left[CANNY_RIM_H], right[CANNY_RIM_H];
};

struct CannyTile {
  uint32_t nodes; /* weak components at the rim */
  uint32_t runs;  /* of theirs */
};

/* A run of a node's pixels inside a word: node << RUN_NODE_SHIFT | word << 10 | first bit << 5 | last bit. */
constexpr int RUN_NODE_SHIFT = 20;

/* Of the global union-find. Node n of tile t is 1 + t * CANNY_NODES + n. */
constexpr uint32_t STRONG_ROOT = 0;

/* How the image's samples lie in memory. */
enum CannySamples { SAMPLES_8, SAMPLES_16, SAMPLES_RGB };

/* Everything the kernels share, by value. Device pointers. */
struct CannyFrame {
  const uint8_t *pixels;
  size_t stride;
  uint32_t width, height;
  uint32_t samples;      /* CannySamples */
  uint32_t sample_shift; /* of SAMPLES_16: CtrCannyPlan.sample_shift */
  uint32_t pixel_size, red, green, blue;
  bool aligned; /* pixels and rows to 16 bytes */

  uint8_t *mask;
  size_t mask_stride;
  bool mask_aligned; /* rows to 16 bytes */

  uint32_t tile_h, tiles_x, tiles_y;
  CannyTile *tiles;
  CannyRim *rims;
  uint32_t *runs;    /* a tile: room for tile_h * CANNY_W / 2 */
  uint32_t *parents; /* of the nodes, as numbered above */

  uint32_t aperture;
  uint32_t l2_gradient;
  int32_t low, high;
  const int32_t *thresholds; /* low and high on the device, or NULL */
  uint32_t radius;
  uint8_t weights[124];
};

/* Rows of a tile for this frame and parameters. */
uint32_t canny_tile_height (uint32_t width, uint32_t height, uint32_t aperture, bool l2_gradient);

/* Once in a CUDA context: shared memory beyond 48 KB, which a kernel must ask for. */
cudaError_t canny_prepare_tiles ();

/* Queue the kernels. OVERLAP: the GPU has overlapped launches. */
void canny_launch_tiles (const CannyFrame &frame, cudaStream_t stream);
void canny_launch_seams (const CannyFrame &frame, bool overlap, cudaStream_t stream);

#endif
