/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis on the GPU: the data that passes between its kernels.
 *
 * The image is cut into tiles of 128 x 64 pixels. A tile's components are found in shared memory, by one warp or a few
 * (tiles.cu). Most close inside: they leave as 16-byte records. The others touch a neighbouring tile and become
 * nodes of a global union-find, which the seam kernel joins; the order kernel sums them up, and ranks them in raster
 * order together with the closed ones; the emit kernel writes the table (merge.cu). Runs of foreground pixels are
 * what is joined, as in the paper's FLSL; per-pixel label arrays exist only where a label image is asked for
 * (features.cu). */
#ifndef CTR_CUDA_CCA_DEVICE_STATE_CUH
#define CTR_CUDA_CCA_DEVICE_STATE_CUH

#include "cuda/common/device_buffer.cuh"
#include "cuda/common/launch.cuh"

#include "core/cca/cca.h"

constexpr int TILE_W = 128;
constexpr int TILE_H = 64;
constexpr int TILE_WORDS = TILE_W / 32;           /* 32-pixel words a tile row */
constexpr int TILE_THREADS = TILE_WORDS * TILE_H; /* words a tile; features.cu has a thread for each */
constexpr int ROW_SLOTS = TILE_W / 2;             /* runs start at least two pixels apart, */
constexpr int TILE_SLOTS = ROW_SLOTS * TILE_H;    /* so x / 2 numbers a row's runs without counting them */
constexpr int MAX_NODES = 192;                    /* components of a tile that touch its rim: <= 380 / 2 */
constexpr int HARD_PLACES = 256;                  /* for the labels of tiles that have uncommonly many */
constexpr int HARD_LABELS = TILE_SLOTS;
constexpr unsigned NO_NODE = 255; /* rim pixel of no open component */

struct TileHeader {
  uint32_t open;        /* components with a pixel at a neighbouring tile: nodes */
  uint32_t closed;      /* components inside the tile */
  uint32_t closed_base; /* index of their first record */
  uint32_t reserved;
};

/* The rim of a tile: which of its pixels belong to open components (only where there is a neighbour), and to which
 * node. Of a tile without open components only the pixels are written: none. */
struct TileRim {
  uint64_t left;
  uint64_t right;
  uint32_t top[TILE_WORDS];
  uint32_t bottom[TILE_WORDS];
  uint8_t left_node[TILE_H];
  uint8_t right_node[TILE_H];
  uint8_t top_node[TILE_W];
  uint8_t bottom_node[TILE_W];
  uint8_t reserved[16];
};

/* Sums of an open component, absolute coordinates. Its top row is in its key. */
struct Node {
  unsigned long long sum_x;
  unsigned long long sum_y;
  uint32_t area;
  uint32_t left;
  uint32_t right;
  uint32_t bottom;
};

/* Union-find over nodes: parent[n] is the parent's key: row and column of its first pixel, then its index. The least
 * key of a component is its root, so a root's key is the component's place in raster order. */
typedef unsigned long long NodeKey;

__host__ __device__ inline NodeKey
node_key (uint32_t y, uint32_t x, uint32_t index)
{
  return (NodeKey) y << 48 | (NodeKey) x << 32 | index;
}

struct CcaCounters {
  uint32_t closed; /* records handed out by the tile kernel */
  uint32_t ticket; /* bands handed out by the order kernel */
};

/* What the host reads back first. */
struct CcaHeader {
  uint32_t count;     /* components inside the area limits */
  uint32_t closed;    /* records needed */
  uint32_t threshold; /* applied */
  uint32_t reserved;
};

/* Everything the kernels share, by value. Device pointers. */
struct CcaFrame {
  const uint8_t *pixels;
  size_t stride;
  uint32_t width, height;
  uint32_t depth;                   /* 8 or 16 bits */
  uint32_t threshold;               /* fixed, or */
  const uint32_t *threshold_device; /* where Otsu put it */
  uint32_t invert;
  uint32_t min_area, max_area;
  uint32_t tiles_x, tiles_y;

  TileHeader *headers;       /* a tile */
  TileRim *rims;             /* a tile */
  uint32_t *hard_taken;      /* HARD_PLACES; 0 between frames */
  uint32_t *hard_labels;     /* 4 * (HARD_LABELS + 1) words a place */
  unsigned long long *roots; /* 64 a tile: per row the slots where a component kept in the result starts */
  NodeKey *parents;          /* MAX_NODES a tile */
  Node *nodes;               /* MAX_NODES a tile */
  uint4 *closed;             /* closed_capacity records */
  uint32_t closed_capacity;
  uint32_t *row_base;             /* [tiles_y][TILE_H][tiles_x]: components before this row of this tile */
  unsigned long long *band_state; /* a tile row: look-back of the order kernel */
  CcaCounters *counters;
  CcaHeader *header;

  CtrComponent *table; /* capacity rows */
  uint32_t capacity;

  /* Only where labels, moments or grey values are asked for. */
  uint32_t *tile_bits;          /* TILE_THREADS a tile: packed foreground */
  uint16_t *run_roots;          /* TILE_SLOTS a tile: slot of the component's first run, or OPEN_RUN | node */
  uint32_t *node_label;         /* MAX_NODES a tile: of root nodes */
  uint32_t *labels;             /* width * height, or NULL */
  CtrComponentMoments *moments; /* capacity rows, or NULL */
  CtrComponentGrey *grey;       /* capacity rows, or NULL */
};

constexpr uint16_t OPEN_RUN = 0x8000;

/* A closed component in 16 bytes, relative to its tile.
 * x: area (13 bits, 0 = 8192) and sum_x (19); y: sum_y (18) and first pixel (y 6, x 7); z: left 7, right 7, bottom 6.
 */
struct ClosedRecord {
  uint32_t area, sum_x, sum_y, start_x, start_y, left, right, bottom;
};

__device__ inline uint4
pack_closed (const ClosedRecord &r)
{
  return make_uint4 ((r.area & 8191) << 19 | r.sum_x, r.sum_y << 13 | r.start_y << 7 | r.start_x,
      r.left << 13 | r.right << 6 | r.bottom, 0);
}

__device__ inline ClosedRecord
unpack_closed (uint4 p)
{
  ClosedRecord r;
  r.area = p.x >> 19 ? p.x >> 19 : TILE_W * TILE_H;
  r.sum_x = p.x & 0x7ffff;
  r.sum_y = p.y >> 13;
  r.start_y = p.y >> 7 & 63;
  r.start_x = p.y & 127;
  r.left = p.z >> 13;
  r.right = p.z >> 6 & 127;
  r.bottom = p.z & 63;
  return r;
}

__device__ inline bool
area_kept (const CcaFrame &f, uint32_t area)
{
  return area >= f.min_area && (f.max_area == 0 || area <= f.max_area);
}

/* Queue the kernels. KEEP_RUNS: leave what features.cu needs. OVERLAP: the GPU has overlapped launches. */
void cca_launch_tiles (const CcaFrame &frame, int connectivity, bool keep_runs, cudaStream_t stream);
void cca_launch_merge (const CcaFrame &frame, int connectivity, bool overlap, cudaStream_t stream);
void cca_launch_features (const CcaFrame &frame, cudaStream_t stream);

#endif
