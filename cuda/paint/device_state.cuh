/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing on the GPU. The first pass of core/paint/paint.h launches one kernel a layer, the second pass one kernel.
 *
 *   paint.cu    Host side: memory, uploads, and the order of the passes.
 *   fill.cu     The background, before both passes.
 *   shapes.cu   First pass: a kernel for each kind of shape.
 *   blend.cu    Second pass: four lanes a tile of the ink. */
#ifndef CTR_CUDA_PAINT_DEVICE_STATE_CUH
#define CTR_CUDA_PAINT_DEVICE_STATE_CUH

#include "cuda/common/session.cuh"

#include "core/paint/paint.h"

/* Words in device memory, which must all be other than 0 when the layer's kernel runs: otherwise it draws nothing. NULL
 * entries count as open. */
constexpr uint32_t PAINT_GATES = 8;
struct PaintGate {
  const uint32_t *complete[PAINT_GATES];
};

/* How many rows and points a layer has, in device memory. NULL: the layer in host memory says it. */
struct PaintCounts {
  const uint32_t *rows, *points;
};

/* A layer with its arrays on the GPU; those that it has no need for are NULL. */
struct PaintDeviceLayer {
  uint64_t shapes; /* Points of lines, pixels of areas, otherwise boxes, rectangles or glyphs. Where counts are on the
                      GPU, an estimate: grids are made for it. 0: the layer is not drawn. */
  PaintGate gate;
  PaintCounts counts; /* rows of LINES, BOXES and COMPONENT_BOXES, points of LINES */
  CtrPaintLines lines;
  CtrPaintComponents components;
  CtrPaintAreas areas;
  CtrContour *table; /* table and points: copies of contours that are not on the GPU */
  CtrPoint *points;
  CtrComponent *component_table; /* likewise */
  uint32_t *labels;
  uint16_t *label_colours;
  uint32_t *words; /* by contour, where its colour is expensive to find */
  CtrPaintRectangle *rectangles;
  CtrPaintGlyph *glyphs;
  uint8_t *coverage;
};

/* These queue the kernels: the background, if there is to be one, the first pass of a layer, and the second pass of all layers. */
void paint_launch_fill (const CtrPaintPicture &picture, const CudaSession &session);
void paint_launch_layer (const PaintDeviceLayer &device_layer, const CtrPaintTarget &target, const CtrPaintLayer *layer,
    uint32_t index, const CudaSession &session);
void paint_launch_blend (const CtrPaintTarget &target, const CudaSession &session);

/* The marks of so many tiles are loaded together. */
constexpr uint32_t PAINT_TILE_GROUP = 8;

/* The number of the picture's tiles, with some that fill up the last group. */
static inline uint32_t
paint_tile_count (const CtrPaintTarget &target)
{
  const uint32_t tiles = target.tiles_across * ctr_div_up (target.picture.height, CTR_PAINT_TILE_HEIGHT);
  return ctr_div_up (tiles, PAINT_TILE_GROUP) * PAINT_TILE_GROUP;
}

#endif
