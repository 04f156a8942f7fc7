/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A view of pixels in host or device memory: one plane, owned by the caller. */
#ifndef CONTOURS_IMAGE_H
#define CONTOURS_IMAGE_H

#include <contours/types.h>

CTR_BEGIN_DECLS

/* The memory layout of a pixel. The samples of GRAY formats are analysed directly. For packed RGB formats the luma is
 * analysed: (9798 R + 19235 G + 3735 B + 16384) >> 15, the BT.601 weights as OpenCV's cvtColor() quantises them. Packed
 * YUV has two bytes per pixel, in pairs of pixels that share Cb and Cr; a row of odd width ends with a whole pair, of whose
 * second luma sample nothing depends. Its luma samples are analysed. */
typedef enum {
  CTR_FORMAT_GRAY8,  /* one byte per pixel; also the Y plane of NV12, NV21, I420, YV12, Y42B, Y444 */
  CTR_FORMAT_GRAY16, /* two bytes per pixel, native endianness; also the Y plane of P010 and P016 */
  CTR_FORMAT_RGB,    /* three bytes per pixel: R, G, B */
  CTR_FORMAT_BGR,
  CTR_FORMAT_RGBX, /* four bytes per pixel; X (alpha or padding) is not read */
  CTR_FORMAT_BGRX,
  CTR_FORMAT_XRGB,
  CTR_FORMAT_XBGR,
  CTR_FORMAT_YUYV, /* packed YUV, a pair of pixels: Y, Cb, Y, Cr */
  CTR_FORMAT_YVYU,
  CTR_FORMAT_UYVY,
  CTR_FORMAT_VYUY
} CtrFormat;

typedef enum {
  CTR_MEMORY_HOST,
  CTR_MEMORY_DEVICE /* in the CUDA context that is current when the image is used */
} CtrMemory;

/* Where the chroma of a luma plane is, for the channels of CtrForeground. A sample has 8 bits and covers 2^SHIFT_X x 2^SHIFT_Y
 * pixels. The chroma of packed YUV is between its luma samples. */
typedef struct {
  const uint8_t *cb, *cr; /* first samples, in the memory of the image; NULL: no chroma is known */
  size_t stride;          /* bytes from one row of samples to the next */
  uint8_t step;           /* bytes from one sample to the next: 1, or 2 where the samples of both alternate */
  uint8_t shift_x, shift_y;
} CtrChroma;

typedef struct {
  const void *data; /* first pixel of the first row; GRAY16: 2-byte aligned */
  size_t stride;    /* bytes from one row to the next, at least ctr_format_row_size(); GRAY16: even */
  uint32_t width;   /* pixels, 1 .. CTR_MAX_SIDE */
  uint32_t height;  /* pixels, 1 .. CTR_MAX_SIDE */
  CtrFormat format;
  CtrMemory memory;
  CtrChroma
      chroma; /* of a luma plane (CTR_FORMAT_GRAY8), zero for packed YUV; ignored unless the foreground depends on it */
} CtrImage;

/* Bytes of one pixel of FORMAT; 0 for an unknown format. */
CTR_API size_t ctr_format_pixel_size (CtrFormat format);

/* Bytes of a row of WIDTH pixels of FORMAT; 0 for an unknown format. */
CTR_API size_t ctr_format_row_size (CtrFormat format, uint32_t width);

/* Are the size, stride, alignment, format and memory of IMAGE valid? */
CTR_API bool ctr_image_check (const CtrImage *image, CtrError *error);

CTR_END_DECLS

#endif
