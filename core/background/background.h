/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removal of a background (include/contours/background.h): its plan, what both backends compute alike, and where its
 * stages are. Internal.
 *
 *   stage                     core                        cpu                       cuda
 *   arguments, plan           background/background.c
 *   samples                   -                           common/luma.c             common/input_stage.cu
 *   model, correction         here                        background/rows.c         background/planes.cu
 *   order, memory             -                           background/background.c   background/background.cu
 *
 * An image takes one pass: it is learned and corrected. With CTR_BACKGROUND_DIVIDE it takes two where the model has
 * changed, since the mean is that of all pixels: the first one learns and adds up the background. */
#ifndef CTR_CORE_BACKGROUND_BACKGROUND_H
#define CTR_CORE_BACKGROUND_BACKGROUND_H

#include "core/common/backend.h"

#include <contours/background.h>

#ifdef __CUDACC__
#define CTR_BACKGROUND_FUNC static inline __host__ __device__
#else
#define CTR_BACKGROUND_FUNC static inline
#endif

typedef struct {
  CtrBackgroundMode mode;
  CtrBackgroundModel model;
  bool start;     /* The model begins with this image. */
  bool learn;     /* The image changes the model, or begins it. */
  float rate;     /* of the average */
  float keep;     /* 1 - rate */
  uint32_t slot;  /* of the median: where the image goes, if it is learned */
  uint32_t count; /* images in the history, with this one */
  uint32_t frames;
  int32_t offset;
  uint32_t limit;      /* of corrected samples, and the mask of their bits */
  uint32_t greatest;   /* 255 or 65535 */
  const void *picture; /* of CTR_BACKGROUND_GIVEN: rows without padding, in host memory */
} CtrBackgroundPlan;

/* What turns a sum of a background into the mean's unit, see CTR_BACKGROUND_DIVIDE. */
CTR_BACKGROUND_FUNC uint32_t
ctr_background_unit (uint32_t greatest)
{
  return greatest == 255 ? 256 : 1;
}

/* The mean, in 1 / ctr_background_unit(), of PIXELS samples whose sum is SUM. */
CTR_BACKGROUND_FUNC uint32_t
ctr_background_mean (uint64_t sum, uint64_t pixels, uint32_t unit)
{
  return (uint32_t) ((sum * unit + pixels / 2) / pixels);
}

/* The average after SAMPLE. Neither compiler may fuse these operations. */
CTR_BACKGROUND_FUNC float
ctr_background_learn (float average, float sample, float rate, float keep)
{
#ifdef __CUDA_ARCH__
  return __fadd_rn (__fmul_rn (average, keep), __fmul_rn (sample, rate));
#else
  return average * keep + sample * rate;
#endif
}

/* AVERAGE, below 2^22, rounded to nearest even: so the sum is rounded, whose unit in the last place is 1. The average may
 * exceed the samples, since rate and keep are rounded. */
CTR_BACKGROUND_FUNC uint32_t
ctr_background_round (float average, uint32_t greatest)
{
  union {
    float value;
    uint32_t bits;
  } sum;
  sum.value = average + 8388608.0f;
  const uint32_t rounded = sum.bits & 0x7fffff;
  return rounded < greatest ? rounded : greatest;
}

CTR_BACKGROUND_FUNC uint32_t
ctr_background_limit (int32_t value, uint32_t limit)
{
  const uint32_t positive = value < 0 ? 0 : (uint32_t) value;
  return (positive < limit ? positive : limit) & limit;
}

/* The greatest sample of the bits LIMIT: with those below its lowest one. */
CTR_BACKGROUND_FUNC uint32_t
ctr_background_most (uint32_t limit)
{
  return limit | ((limit & (0 - limit)) - 1);
}

/* The quotient, at most MOST. MEAN is of the unit of samples up to GREATEST, so nothing exceeds 32 bits. Of an odd divisor there is no half, so adding
 * its half, rounded down, rounds to nearest. With samples of 8 bits, all numbers are below 2^24: then the quotient in
 * single precision is off by less than 1 / divisor, and as an integer exact. */
CTR_BACKGROUND_FUNC uint32_t
ctr_background_quotient (uint32_t sample, uint32_t background, uint32_t mean, uint32_t greatest, uint32_t most)
{
  const uint32_t divisor = background == 0 ? 1 : background * ctr_background_unit (greatest);
  const uint32_t dividend = sample * mean + divisor / 2;
  const uint32_t quotient = greatest == 255
                                ? (uint32_t) (int32_t) ((float) (int32_t) dividend / (float) (int32_t) divisor)
                                : dividend / divisor;
  const uint32_t defined = background == 0 && sample > 0 ? most : quotient;
  return defined < most ? defined : most;
}

/* MEAN is only of CTR_BACKGROUND_DIVIDE. */
CTR_BACKGROUND_FUNC uint32_t
ctr_background_correct (uint32_t sample, uint32_t background, CtrBackgroundMode mode, uint32_t mean, int32_t offset,
    uint32_t limit, uint32_t greatest)
{
  int32_t value = (int32_t) sample - (int32_t) background;
  if (mode == CTR_BACKGROUND_ABSDIFF)
    value = value < 0 ? -value : value;
  else if (mode == CTR_BACKGROUND_DIVIDE)
    value = (int32_t) ctr_background_quotient (sample, background, mean, greatest, ctr_background_most (limit));
  return ctr_background_limit (value + offset, limit);
}

/* The history of the median has room for FRAMES images, of which COUNT are there. The others count as 0, as many as
 * this function returns, or as the greatest sample: so the median of FRAMES is that of COUNT. */
CTR_BACKGROUND_FUNC uint32_t
ctr_background_zeros (uint32_t frames, uint32_t count)
{
  return (frames - 1) / 2 - (count - 1) / 2;
}

CTR_BEGIN_DECLS

/* The core has checked the arguments. A plan that starts comes before any other, and after each failure. enqueue() may be
 * called again before finish(): it then first completes the pending picture in host memory. */
typedef struct {
  CtrBackendOps base;
  bool (*enqueue) (void *state, const CtrImage *image, const CtrBackgroundPlan *plan,
      const CtrCorrectedPicture *corrected, void *stream, CtrError *error);
  bool (*finish) (void *state, CtrError *error);
} CtrBackgroundOps;

extern const CtrBackgroundOps ctr_background_ops_cpu;
extern const CtrBackgroundOps ctr_background_ops_cuda; /* only where CTR_HAVE_CUDA */

/* Copies the planes that CORRECTED keeps, in host memory. */
void ctr_background_copy_kept (const CtrCorrectedPicture *corrected);

/* Puts a row of corrected LUMA into a row of packed RGB, whose fourth byte is that of SOURCE, or of packed YUV, whose chroma is. */
void ctr_background_spread_row (
    CtrFormat format, const uint8_t *luma, const uint8_t *source, uint32_t width, uint8_t *row);

CTR_END_DECLS

#endif
