/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The atlas of an image's regions on the GPU (core/foreground/regions.h). Internal. */
#ifndef CTR_CUDA_FOREGROUND_REGIONS_H
#define CTR_CUDA_FOREGROUND_REGIONS_H

#include "cuda/common/device_buffer.cuh"
#include "cuda/common/histogram.cuh"

#include "core/foreground/foreground.h"
#include "core/foreground/regions.h"

struct PackedMask;

/* The regions of a frame on the device. */
struct DeviceRegions {
  const CtrAtlasRegion *places; /* in the order of their rows */
  uint32_t count;
  uint32_t width, height; /* of the atlas */
  const uint32_t *inside; /* the pixels that are in their region, as a packed mask of the atlas; NULL: all are */
};

/* Regions of an atlas as rows of tiles, each of so many ROWS: the first one of region I of those at PLACES. It is rounded so that no
 * table is needed, and all have as many as they need; behind the tiles of a region may be one of no use. */
__host__ __device__ inline uint32_t
region_tile_row (const CtrAtlasRegion *places, uint32_t i, uint32_t rows)
{
  return (places[i].top - places[0].top) / rows + i;
}

/* Rows of tiles of all COUNT regions. */
__host__ __device__ inline uint32_t
region_tile_rows (const CtrAtlasRegion *places, uint32_t count, uint32_t rows)
{
  return region_tile_row (places, count - 1, rows) + (places[count - 1].height + rows - 1) / rows;
}

/* The region that a row of tiles, TILE_ROW, is of. */
__device__ inline uint32_t
region_of_tile_row (const CtrAtlasRegion *places, uint32_t count, uint32_t tile_row, uint32_t rows)
{
  uint32_t first = 0, end = count;
  while (end - first > 1) {
    const uint32_t middle = (first + end) / 2;
    if (region_tile_row (places, middle, rows) <= tile_row)
      first = middle;
    else
      end = middle;
  }
  return first;
}

/* The memory of one analyser's regions. */
struct RegionStage {
  CtrRegions *regions;    /* with a reference: those on the device; NULL: none yet */
  CtrAtlasRegion *places; /* the same on the host */
  bool reversed;
  CtrDeviceBuffer on_device; /* places, inside */
};

void region_stage_free (RegionStage *stage);

/* Brings REGIONS to the device, unless they are there. *MOVED: memory has moved, and no queued work uses it. */
bool region_stage_take (
    RegionStage *stage, CtrRegions *regions, bool reversed, cudaStream_t stream, bool *moved, CtrError *error);

DeviceRegions region_stage_view (const RegionStage *stage);

/* The regions and their image on the device, in its own format. */
struct Atlas {
  DeviceRegions regions;
  const CtrAtlasRegion *places; /* those of REGIONS, on the host */
  const CtrImage *image;
};

/* Queues the bits of all regions, by ranges or by thresholds of which OTSU's and TRIANGLE's is at THRESHOLD. MASK has the size of the
 * atlas. Without a MARKER it is inverted if FOREGROUND says so, and pixels that are not in their region are 0. */
bool regions_queue_levels (const Atlas *atlas, const CtrForeground *foreground, const uint32_t *threshold,
    const PackedMask *mask, const PackedMask *marker, cudaStream_t stream, CtrError *error);

/* Queues the samples of CHANNEL of all regions. PLANE has the size of the atlas; what is in no rectangle stays as it is. */
bool regions_queue_samples (const DeviceRegions *regions, const CtrImage *image, CtrChannel channel,
    const CtrImage *plane, cudaStream_t stream, CtrError *error);

/* Queues the threshold of FOREGROUND's mode in the histogram of all regions. */
bool regions_queue_threshold (const DeviceRegions *regions, const CtrImage *image, const CtrForeground *foreground,
    Histogram *histogram, cudaStream_t stream, CtrError *error);

/* Queues the removal of the pixels that are not in their region. MASK has the size of the atlas. */
bool regions_queue_clip (const DeviceRegions *regions, const PackedMask *mask, cudaStream_t stream, CtrError *error);

/* regions_whole.cu: queues the mask TO of the whole image: the pixels that are foreground in a region of the atlas FROM. OVERLAP: the
 * GPU has programmatic dependent launch. */
bool regions_queue_whole (const DeviceRegions *regions, const PackedMask *from, const PackedMask *to, bool overlap,
    cudaStream_t stream, CtrError *error);

#endif
