/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packs chain and crack codes on the GPU, from the table and the points of a result. */
#ifndef CTR_CUDA_CONTOURS_CONTOUR_CODES_H
#define CTR_CUDA_CONTOURS_CONTOUR_CODES_H

#include "cuda/common/device_buffer.cuh"

#include "core/results/codes.h"

/* Working memory, and the codes of one result at a time. */
struct ContourCodes {
  CtrDeviceBuffer work;
  CtrDeviceBuffer chains; /* pinned: contour_codes.cu says how */
  CtrDeviceBuffer bytes;  /* pinned: of the codes */
};

/* CODES are zero. */
void contour_codes_init (ContourCodes *codes);
void contour_codes_free (ContourCodes *codes);

/* At the end of a period (core/common/room.h): frees the memory where it is far more than was needed. Was there so much? */
bool contour_codes_give_back (ContourCodes *codes);

/* Queues the kernels that make the chains of CONTOURS, and the bytes if there is room. No queued work may use CODES. */
bool contour_codes_queue (ContourCodes *codes, const CtrContours *contours, const CtrContour *table,
    const CtrPoint *points, cudaStream_t stream, CtrError *error);

/* When they are done: the chains. */
bool contour_codes_append_chains (
    const ContourCodes *codes, const CtrContours *contours, CtrCodeArrays *to, CtrError *error);

/* Are the SIZE bytes that the chains have in codes->bytes? */
bool contour_codes_have_room (ContourCodes *codes, uint64_t size);

/* If not: makes room, and queues the kernel that packs them. */
bool contour_codes_queue_again (ContourCodes *codes, const CtrContours *contours, const CtrContour *table,
    const CtrPoint *points, uint64_t size, cudaStream_t stream, CtrError *error);

#endif
