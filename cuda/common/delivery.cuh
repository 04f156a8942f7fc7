/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of a frame on the GPU: its last kernel writes the header into host memory and sets a flag there, so that the
 * host sees the result without a copy by the driver.
 *
 * A frame whose result outgrew its memory is done again, possibly long after it was queued, when its picture may have
 * changed. So the same kernel keeps a copy of the picture in this case. Pictures that were uploaded, and the luma of
 * packed RGB, are in the analyser's own memory and need no copy. */
#ifndef CTR_CUDA_COMMON_DELIVERY_CUH
#define CTR_CUDA_COMMON_DELIVERY_CUH

#include "cuda/common/device_buffer.cuh"
#include "cuda/common/launch.cuh"

#include <contours/image.h>

constexpr size_t DELIVERY_HEADER = 256; /* where the header begins, after the flags */

struct Delivery {
  CtrDeviceBuffer host;    /* pinned: flags, header, and what else is delivered */
  CtrDeviceBuffer picture; /* the copy */
};

/* A plane of samples, and where to copy it. */
struct PictureCopy {
  const uint8_t *from; /* NULL: nothing to copy */
  uint8_t *to;
  size_t stride, row, to_stride; /* bytes */
  uint32_t height;
};

void delivery_init (Delivery *delivery);
void delivery_free (Delivery *delivery);

/* Makes room for SIZE bytes in host memory, from the header on, and for a copy of IMAGE, if it needs one;
 * NULL: no samples are read. No queued work may use the memory. */
bool delivery_reserve (Delivery *delivery, const CtrImage *image, size_t size, CtrError *error);

/* Would delivery_reserve() leave all memory where it is? */
bool delivery_has_room (const Delivery *delivery, const CtrImage *image, size_t size);

/* The copy that the frame needs whose picture is IMAGE, and whose samples, after upload and luma, are PLANE, or are not
 * needed: then its data is NULL. */
PictureCopy delivery_copy_of (const Delivery *delivery, const CtrImage *image, const CtrImage *plane);

/* The image with which the frame of COPY and PLANE is done again. */
CtrImage delivery_image (const PictureCopy &copy, const CtrImage *plane);

static inline uint32_t *
delivery_flag (const Delivery *delivery)
{
  return (uint32_t *) delivery->host.data;
}

static inline void *
delivery_header (const Delivery *delivery)
{
  return (uint8_t *) delivery->host.data + DELIVERY_HEADER;
}

constexpr int DELIVERY_THREADS = 256, DELIVERY_COPY_CTAS = 64;

__device__ inline void
delivery_keep (const PictureCopy &copy)
{
  for (uint32_t y = blockIdx.x; y < copy.height; y += gridDim.x)
    for (size_t x = threadIdx.x; x < copy.row; x += blockDim.x)
      copy.to[y * copy.to_stride + x] = copy.from[y * copy.stride + x];
}

#endif
