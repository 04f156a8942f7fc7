/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removal of a background: the public functions, and the plan. */
#include "core/background/background.h"

#include "core/common/error.h"
#include "core/common/format.h"

#include <stdlib.h>
#include <string.h>

struct CtrBackground {
  CtrAnalyser base;

  /* The model, once it has begun. */
  bool begun;
  uint32_t width, height;
  CtrFormat format;
  CtrBackgroundModel model;
  uint32_t frames;
  uint32_t learned; /* images in the history of the median, at most FRAMES */
  uint32_t slot;    /* where the next one goes */
  uint32_t since;   /* images that could have been learned, since the last one that was */

  /* The caller's picture, without padding; DATA is NULL before the first one. */
  CtrImage picture;
};

static inline const CtrBackgroundOps *
ops_of (const CtrBackground *background)
{
  return (const CtrBackgroundOps *) background->base.ops;
}

void
ctr_background_params_init (CtrBackgroundParams *params)
{
  *params = (CtrBackgroundParams){
      .mode = CTR_BACKGROUND_SUBTRACT,
      .model = CTR_BACKGROUND_AVERAGE,
      .learning_rate = 0.05,
      .learning = true,
      .frames = 7,
      .interval = 1,
      .sample_mask = 65535,
  };
}

static void
discard (CtrAnalyser *analyser)
{
  CtrBackground *background = (CtrBackground *) analyser;
  background->begun =
      background->begun && ctr_analyser_note (analyser, ops_of (background)->finish (analyser->state, NULL));
}

static void
release (CtrAnalyser *analyser)
{
  free ((void *) ((CtrBackground *) analyser)->picture.data);
}

static const CtrAnalyserType analyser_type = {
    .size = sizeof (CtrBackground),
    .name = "background remover",
    .input = "image",
    .enqueue = "ctr_background_enqueue()",
    .discard = discard,
    .release = release,
};

CtrBackground *
ctr_background_new (CtrBackend backend, CtrError *error)
{
  const CtrBackgroundOps *ops = CTR_BACKEND_OPS (background, backend);
  return (CtrBackground *) ctr_analyser_new (&analyser_type, backend, &ops->base, error);
}

void
ctr_background_free (CtrBackground *background)
{
  ctr_analyser_free ((CtrAnalyser *) background);
}

void
ctr_background_reset (CtrBackground *background)
{
  background->begun = false;
}

/* 255 or 65535. */
static uint32_t
greatest_sample (CtrFormat format)
{
  return format == CTR_FORMAT_GRAY16 ? 65535 : 255;
}

bool
ctr_background_set_picture (CtrBackground *background, const CtrImage *picture, CtrError *error)
{
  if (!ctr_image_check (picture, error))
    return false;
  if (picture->format != CTR_FORMAT_GRAY8 && picture->format != CTR_FORMAT_GRAY16)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the picture of the background has colours: it must be grey");
  if (picture->memory != CTR_MEMORY_HOST)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the picture of the background is in device memory: it must be in host memory");
  const size_t row = picture->width * ctr_format_pixel_size (picture->format);
  uint8_t *copy = malloc (row * picture->height);
  if (!copy)
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a background of %u x %u pixels",
        picture->width, picture->height);
  for (uint32_t y = 0; y < picture->height; y++)
    memcpy (copy + y * row, (const uint8_t *) picture->data + y * picture->stride, row);
  ctr_analyser_discard (&background->base);
  free ((void *) background->picture.data);
  background->picture = *picture;
  background->picture.data = copy;
  background->picture.stride = row;
  background->begun = background->begun && background->model != CTR_BACKGROUND_GIVEN;
  return true;
}

static bool
check_params (const CtrBackgroundParams *params, CtrError *error)
{
  if (!params)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the parameters are NULL: ctr_background_params_init() fills in the defaults");
  if ((unsigned) params->mode > CTR_BACKGROUND_ABSDIFF)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown mode %d", (int) params->mode);
  if ((unsigned) params->model > CTR_BACKGROUND_GIVEN)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown model %d", (int) params->model);
  if (!(params->learning_rate >= 0 && params->learning_rate <= 1))
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "the learning rate is %g: it must be 0 to 1", params->learning_rate);
  if (params->frames < CTR_BACKGROUND_MIN_FRAMES || params->frames > CTR_BACKGROUND_MAX_FRAMES
      || params->frames % 2 == 0)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the median is of %u frames: it must be of an odd number, %d to %d", params->frames, CTR_BACKGROUND_MIN_FRAMES,
        CTR_BACKGROUND_MAX_FRAMES);
  if (params->interval < 1 || params->interval > CTR_BACKGROUND_MAX_INTERVAL)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the interval is %u frames: it must be 1 to %d",
        params->interval, CTR_BACKGROUND_MAX_INTERVAL);
  if (params->offset < -CTR_BACKGROUND_MAX_OFFSET || params->offset > CTR_BACKGROUND_MAX_OFFSET)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the offset is %d: it must be %d to %d", params->offset,
        -CTR_BACKGROUND_MAX_OFFSET, CTR_BACKGROUND_MAX_OFFSET);
  if (params->sample_mask < 1 || params->sample_mask > 65535)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "the mask of samples is %u: it must be 1 to 65535", params->sample_mask);
  return true;
}

static bool
check_picture (const CtrBackground *background, const CtrImage *image, CtrError *error)
{
  const CtrImage *picture = &background->picture;
  if (!picture->data)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "there is no picture of the background");
  if (picture->width != image->width || picture->height != image->height)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the background has %u x %u pixels, but the image has %u x %u: they must have the same size", picture->width,
        picture->height, image->width, image->height);
  if (greatest_sample (picture->format) != greatest_sample (image->format))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the background has samples of %d bits, but the image has %d: they must have the same",
        picture->format == CTR_FORMAT_GRAY16 ? 16 : 8, image->format == CTR_FORMAT_GRAY16 ? 16 : 8);
  return true;
}

static bool
check_kept (const CtrKeptPlane *plane, uint32_t index, CtrError *error)
{
  if (!plane->data || !plane->source)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "kept plane %u has no pixels: data or source is NULL", index);
  if (plane->row_size == 0 || plane->rows == 0)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "kept plane %u is empty: %u rows of %zu bytes", index,
        plane->rows, plane->row_size);
  if (plane->stride < plane->row_size || plane->source_stride < plane->row_size)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the strides of kept plane %u, %zu and %zu bytes, are shorter than a row of %zu bytes", index, plane->stride,
        plane->source_stride, plane->row_size);
  return true;
}

static bool
check_corrected (const CtrCorrectedPicture *corrected, const CtrImage *image, CtrError *error)
{
  const size_t row = ctr_format_row_size (image->format, image->width);
  if (!corrected || !corrected->data)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the corrected picture has no pixels: data is NULL");
  if (corrected->memory != CTR_MEMORY_HOST && corrected->memory != CTR_MEMORY_DEVICE)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown picture memory %d", (int) corrected->memory);
  if (corrected->stride < row)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the corrected picture's stride of %zu bytes is shorter than a row of %zu bytes", corrected->stride, row);
  if (image->format == CTR_FORMAT_GRAY16 && (((uintptr_t) corrected->data | corrected->stride) & 1))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "16-bit samples of the corrected picture must be 2-byte aligned, in every row");
  if (corrected->kept_count > CTR_BACKGROUND_MAX_KEPT)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "%u planes are kept: at most %d can be", corrected->kept_count,
        CTR_BACKGROUND_MAX_KEPT);
  for (uint32_t i = 0; i < corrected->kept_count; i++)
    if (!check_kept (&corrected->kept[i], i, error))
      return false;
  return true;
}

static bool
check_arguments (const CtrBackground *background, const CtrImage *image, const CtrBackgroundParams *params,
    const CtrCorrectedPicture *corrected, CtrError *error)
{
  return ctr_image_check (image, error) && check_params (params, error) && check_corrected (corrected, image, error)
         && ctr_analyser_check_memory (&background->base, "image", image->memory, error)
         && ctr_analyser_check_memory (&background->base, "corrected picture", corrected->memory, error)
         && (params->model != CTR_BACKGROUND_GIVEN || check_picture (background, image, error));
}

/* Does the model begin with IMAGE? */
static bool
begins (const CtrBackground *background, const CtrImage *image, const CtrBackgroundParams *params)
{
  return !background->begun || background->width != image->width || background->height != image->height
         || background->format != image->format || background->model != params->model
         || background->frames != params->frames;
}

static void
begin (CtrBackground *background, const CtrImage *image, const CtrBackgroundParams *params)
{
  background->begun = true;
  background->width = image->width;
  background->height = image->height;
  background->format = image->format;
  background->model = params->model;
  background->frames = params->frames;
  background->learned = background->slot = background->since = 0;
}

/* Whether the image, which the model does not begin with, is learned. Counts it. */
static bool
learns (CtrBackground *background, const CtrBackgroundParams *params)
{
  switch (params->model) {
    case CTR_BACKGROUND_AVERAGE:
      return params->learning && params->learning_rate > 0;
    case CTR_BACKGROUND_MEDIAN:
      return params->learning && ++background->since >= params->interval;
    default:
      return false;
  }
}

static void
make_plan (CtrBackground *background, const CtrImage *image, const CtrBackgroundParams *params, CtrBackgroundPlan *plan)
{
  const uint32_t greatest = greatest_sample (image->format);
  const bool start = begins (background, image, params);
  if (start)
    begin (background, image, params);
  *plan = (CtrBackgroundPlan){
      .mode = params->mode,
      .model = params->model,
      .start = start,
      .learn = start || learns (background, params),
      .rate = (float) params->learning_rate,
      .keep = 1.0f - (float) params->learning_rate,
      .slot = background->slot,
      .frames = params->frames,
      .offset = params->offset,
      .limit = params->sample_mask & greatest,
      .greatest = greatest,
      .picture = background->picture.data,
  };
  if (plan->learn && params->model == CTR_BACKGROUND_MEDIAN) {
    background->learned += background->learned < params->frames;
    background->slot = (background->slot + 1) % params->frames;
    background->since = 0;
  }
  plan->count = background->learned;
}

bool
ctr_background_enqueue (CtrBackground *background, const CtrImage *image, const CtrBackgroundParams *params,
    const CtrCorrectedPicture *corrected, void *stream, CtrError *error)
{
  CtrBackgroundPlan plan;

  if (!ctr_analyser_accept (&background->base, check_arguments (background, image, params, corrected, error), error))
    return false;
  make_plan (background, image, params, &plan);
  background->base.pending = ctr_analyser_note (
      &background->base, ops_of (background)->enqueue (background->base.state, image, &plan, corrected, stream, error));
  /* Some of the pixels may have been learned. */
  background->begun = background->base.pending;
  return background->base.pending;
}

bool
ctr_background_finish (CtrBackground *background, CtrError *error)
{
  if (!ctr_analyser_take_pending (&background->base, error))
    return false;
  const bool ok = ctr_analyser_note (&background->base, ops_of (background)->finish (background->base.state, error));
  background->begun = background->begun && ok;
  return ok;
}

bool
ctr_background_run (CtrBackground *background, const CtrImage *image, const CtrBackgroundParams *params,
    const CtrCorrectedPicture *corrected, void *stream, CtrError *error)
{
  return ctr_background_enqueue (background, image, params, corrected, stream, error)
         && ctr_background_finish (background, error);
}

void
ctr_background_copy_kept (const CtrCorrectedPicture *corrected)
{
  for (uint32_t i = 0; i < corrected->kept_count; i++) {
    const CtrKeptPlane *plane = &corrected->kept[i];
    for (uint32_t y = 0; y < plane->rows; y++)
      memmove ((uint8_t *) plane->data + y * plane->stride, (const uint8_t *) plane->source + y * plane->source_stride,
          plane->row_size);
  }
}

void
ctr_background_spread_row (CtrFormat format, const uint8_t *luma, const uint8_t *source, uint32_t width, uint8_t *row)
{
  const size_t pixel = ctr_format_pixel_size (format);
  const uint32_t first = format == CTR_FORMAT_XRGB || format == CTR_FORMAT_XBGR;
  if (ctr_format_is_packed_yuv (format)) {
    if (row != source)
      memcpy (row, source, ctr_format_row_size (format, width));
    row += ctr_yuv_order (format).luma;
    for (uint32_t x = 0; x < width; x++)
      row[2 * (size_t) x] = luma[x];
    return;
  }
  for (uint32_t x = 0; x < width; x++, row += pixel, source += pixel) {
    if (pixel == 4)
      row[first ? 0 : 3] = source[first ? 0 : 3];
    row[first] = row[first + 1] = row[first + 2] = luma[x];
  }
}
