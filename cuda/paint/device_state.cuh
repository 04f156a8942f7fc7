/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing on the GPU: core/paint/paint.h's two passes, each a kernel a layer.
 *
 *   paint.cu    host side: memory, uploads, the passes in order
 *   shapes.cu   kernels: one for each kind of shape */
#ifndef CTR_CUDA_PAINT_DEVICE_STATE_CUH
#define CTR_CUDA_PAINT_DEVICE_STATE_CUH

#include "cuda/common/session.cuh"

#include "core/paint/paint.h"

/* A layer with its arrays on the GPU. */
struct PaintDeviceLayer {
  CtrPaintLines lines;
  CtrPaintAreas areas;
  CtrContour *table; /* room for contours that are elsewhere */
  CtrPoint *points;
  uint32_t *labels;
  uint16_t *label_colours;
  uint32_t *words; /* of contours whose colour takes more than a look; else NULL */
  CtrPaintRectangle *rectangles;
  CtrPaintGlyph *glyphs;
  uint8_t *coverage;
};

/* How many shapes of its kind a layer has: those with a thread each, a warp or more each, or a pixel each. */
uint64_t paint_shape_count (const CtrPaintLayer *layer);

/* Queue the kernels. */
void paint_launch_words (const PaintDeviceLayer &device_layer, const CudaSession &session);
void paint_launch_layer (const PaintDeviceLayer &device_layer, const CtrPaintTarget &target, const CtrPaintLayer *layer,
    uint32_t index, bool blend, const CudaSession &session);

#endif
