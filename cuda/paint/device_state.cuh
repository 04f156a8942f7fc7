/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing on the GPU. Each of the two passes of core/paint/paint.h launches one kernel a layer.
 *
 *   paint.cu    Host side: memory, uploads, and the order of the passes.
 *   shapes.cu   A kernel for each kind of shape. */
#ifndef CTR_CUDA_PAINT_DEVICE_STATE_CUH
#define CTR_CUDA_PAINT_DEVICE_STATE_CUH

#include "cuda/common/session.cuh"

#include "core/paint/paint.h"

/* A layer with its arrays on the GPU; those that it has no need for are NULL. */
struct PaintDeviceLayer {
  CtrPaintLines lines;
  CtrPaintAreas areas;
  CtrContour *table; /* table and points: copies of contours that are not on the GPU */
  CtrPoint *points;
  uint32_t *labels;
  uint16_t *label_colours;
  uint32_t *words; /* by contour, where its colour is expensive to find */
  CtrPaintRectangle *rectangles;
  CtrPaintGlyph *glyphs;
  uint8_t *coverage;
};

/* The number of a layer's shapes: points of lines, pixels of areas, otherwise boxes, rectangles or glyphs. */
uint64_t paint_shape_count (const CtrPaintLayer *layer);

/* These queue the kernels. BLEND: the second pass. */
void paint_launch_colour_words (const PaintDeviceLayer &device_layer, const CudaSession &session);
void paint_launch_layer (const PaintDeviceLayer &device_layer, const CtrPaintTarget &target, const CtrPaintLayer *layer,
    uint32_t index, bool blend, const CudaSession &session);

#endif
