/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removal of a background: each image is compared with a model of what does not change, such as uneven light or the
 * scene of a fixed camera. See contours.h for how to call an analyser. The model is the analyser's own and is kept from
 * image to image.
 *
 * A sample s of the image is a grey sample, or the luma of packed RGB (image.h), and b is the background at the same
 * place. MAX is the greatest sample: sample_mask, with the bits below its lowest one. All samples of a picture are
 * corrected alike, in integers, and then limited to 0 .. sample_mask:
 *
 *   subtract  s - b + offset: with offset 0 that is cv::subtract()
 *   absdiff   |s - b| + offset: with offset 0 that is cv::absdiff()
 *   divide    s * mean / b + offset, of which the quotient is rounded to nearest and halves upwards, at most MAX. Where b
 *             is 0, it is 0 for s = 0, otherwise MAX. The mean is that of all of the picture's b, rounded to nearest and halves upwards:
 *             to a multiple of 1/256 where samples have 8 bits, to an integer where they have 16. */
#ifndef CONTOURS_BACKGROUND_H
#define CONTOURS_BACKGROUND_H

#include <contours/image.h>

CTR_BEGIN_DECLS

#define CTR_BACKGROUND_MIN_FRAMES 3
#define CTR_BACKGROUND_MAX_FRAMES 15
#define CTR_BACKGROUND_MAX_INTERVAL 65535
#define CTR_BACKGROUND_MAX_OFFSET 65535

typedef enum { CTR_BACKGROUND_SUBTRACT, CTR_BACKGROUND_DIVIDE, CTR_BACKGROUND_ABSDIFF } CtrBackgroundMode;

/* The model begins with the first image, and again with an image whose size or format differs from that of the image
 * before, when MODEL or FRAMES changes, after ctr_background_reset(), and after a failure. An image that the model learns
 * from is learned before it is corrected, so the first one is its own background, but for CTR_BACKGROUND_GIVEN. */
typedef enum {
  /* A running average of each sample, in single precision, which the first image sets to its samples. Each other image
   * sets it to acc * (1 - rate) + s * rate, where every operation is rounded to nearest even and none is fused with
   * another; rate is learning_rate in single precision. This is cv::accumulateWeighted() with CV_32F, but for fused
   * multiply-adds there. b is the average, rounded to nearest even, at most 255 or 65535. */
  CTR_BACKGROUND_AVERAGE,
  /* The median of each sample over the last FRAMES images that were learned: every INTERVAL-th one, from the first on. As
   * long as these are n < FRAMES, the median of n; of an even number, the smaller of the two in the middle. */
  CTR_BACKGROUND_MEDIAN,
  CTR_BACKGROUND_FIRST, /* the first image */
  CTR_BACKGROUND_GIVEN  /* the picture of ctr_background_set_picture() */
} CtrBackgroundModel;

typedef struct {
  CtrBackgroundMode mode;
  CtrBackgroundModel model;
  double learning_rate; /* of CTR_BACKGROUND_AVERAGE, 0 .. 1; 0: the average stays */
  bool learning;        /* false: the model stays, once it has begun */
  uint32_t frames;      /* of CTR_BACKGROUND_MEDIAN: odd, CTR_BACKGROUND_MIN_FRAMES .. CTR_BACKGROUND_MAX_FRAMES */
  uint32_t interval;    /* of CTR_BACKGROUND_MEDIAN, 1 .. CTR_BACKGROUND_MAX_INTERVAL images */
  int32_t offset;       /* -CTR_BACKGROUND_MAX_OFFSET .. CTR_BACKGROUND_MAX_OFFSET */
  /* The bits of a corrected sample that may be set, such as 0xffc0 for 10 bits of which the lowest one is bit 6. Of an
   * 8-bit sample, only the lower 8 bits count. Greater samples become sample_mask. */
  uint32_t sample_mask;
} CtrBackgroundParams;

/* Defaults: subtract, average, learning with a rate of 0.05, 7 frames, each frame, offset 0, all bits. */
CTR_API void ctr_background_params_init (CtrBackgroundParams *params);

/* A plane that is copied as it is, such as chroma. */
typedef struct {
  void *data;
  size_t stride; /* bytes */
  const void *source;
  size_t source_stride; /* bytes */
  size_t row_size;      /* bytes to copy of each row, at least 1 */
  uint32_t rows;        /* at least 1 */
} CtrKeptPlane;

#define CTR_BACKGROUND_MAX_KEPT 3

/* Where the corrected image goes: a plane of the image's size and format. In packed RGB, the three colours are the
 * corrected luma, and the fourth byte is the image's. */
typedef struct {
  void *data;       /* GRAY16: 2-byte aligned */
  size_t stride;    /* bytes, as an image's */
  CtrMemory memory; /* of all planes; device memory: in the context of the analyser */
  CtrKeptPlane kept[CTR_BACKGROUND_MAX_KEPT];
  uint32_t kept_count;
} CtrCorrectedPicture;

typedef struct CtrBackground CtrBackground;

CTR_API CtrBackground *ctr_background_new (CtrBackend backend, CtrError *error);
CTR_API void ctr_background_free (CtrBackground *background);

/* Lets the model begin again with the next image. */
CTR_API void ctr_background_reset (CtrBackground *background);

/* Sets what CTR_BACKGROUND_GIVEN takes, from an image of a GRAY format in host memory, which is copied. Images must
 * have its size and the depth of its samples. Waits for queued work. */
CTR_API bool ctr_background_set_picture (CtrBackground *background, const CtrImage *picture, CtrError *error);

/* Learns from IMAGE and corrects it. CORRECTED may be IMAGE itself, with the same address, stride and memory; otherwise
 * they must not overlap. On the CPU backend both must be in host memory.
 *
 * The planes must exist until ctr_background_finish(). A picture in device memory is complete in stream order, a picture
 * in host memory after ctr_background_finish(). */
CTR_API bool ctr_background_enqueue (CtrBackground *background, const CtrImage *image,
    const CtrBackgroundParams *params, const CtrCorrectedPicture *corrected, void *stream, CtrError *error);

/* Waits for the queued work, not for later work on STREAM, which may be gone. After a failure the contents of the
 * picture are undefined. */
CTR_API bool ctr_background_finish (CtrBackground *background, CtrError *error);

CTR_API bool ctr_background_run (CtrBackground *background, const CtrImage *image, const CtrBackgroundParams *params,
    const CtrCorrectedPicture *corrected, void *stream, CtrError *error);

CTR_END_DECLS

#endif
