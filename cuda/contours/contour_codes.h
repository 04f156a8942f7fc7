/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packs chain and crack codes on the GPU, from the table and the points of a result. */
#ifndef CTR_CUDA_CONTOURS_CONTOUR_CODES_H
#define CTR_CUDA_CONTOURS_CONTOUR_CODES_H

#include "cuda/common/device_buffer.cuh"

#include "core/results/codes.h"

/* Working memory, and the codes of one result at a time. */
struct ContourCodes {
  CtrDeviceBuffer work;
  CtrDeviceBuffer bytes; /* of the codes */
  CtrCodesRow *rows;     /* in WORK */
  uint32_t *offsets;     /* in WORK: of each contour's bytes */
  uint32_t *steps;       /* in WORK: before each point, of all that are listed; NULL: as many as points */
};

void contour_codes_free (ContourCodes *codes);

/* Queues the kernels that count the steps: codes->rows will be those of CONTOURS. No queued work may use CODES. */
bool contour_codes_count (ContourCodes *codes, const CtrContours *contours, const CtrContour *table,
    const CtrPoint *points, cudaStream_t stream, CtrError *error);

/* Queues the kernel that packs the codes, of SIZE bytes as ctr_codes_lay_out() has found, into codes->bytes. */
bool contour_codes_pack (ContourCodes *codes, const CtrContours *contours, const CtrContour *table,
    const CtrPoint *points, uint64_t size, cudaStream_t stream, CtrError *error);

#endif
