/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The steps of a mask in order, their memory and their threads. */
#include "cpu/foreground/foreground.h"

#include "core/common/input.h"
#include "core/common/poll.h"
#include "cpu/common/bands.h"
#include "cpu/common/samples.h"
#include "cpu/foreground/steps.h"

#include <string.h>

enum { MIN_PIXELS = 1 << 16 /* of a band */, BANDS_PER_THREAD = 2 };

enum {
  OTHER,  /* a second mask: markers, and between erosion and dilation */
  GROWTH, /* of reconstructions */
  SPLIT,  /* of touching parts */
  PLANE,  /* samples of a channel that the image has not got as a plane */
  COUNTS, /* for histograms */
  SCRATCH /* of the threads */
};

/* A mask in the making. */
typedef struct {
  CtrForegroundState *state;
  const CtrImage *image;
  const CtrForeground *foreground;
  CtrRowsPlan plan;
  const CtrMaskPart *part; /* NULL: the image is whole */
  CtrPacked mask, other;
  CtrError *error;
} Making;

void
ctr_foreground_release (CtrForegroundState *state)
{
  for (size_t i = 0; i < sizeof state->buffers / sizeof *state->buffers; i++)
    ctr_host_buffer_release (&state->buffers[i]);
}

bool
ctr_foreground_give_back (CtrForegroundState *state)
{
  bool some = false;
  for (size_t i = 0; i < sizeof state->buffers / sizeof *state->buffers; i++)
    some |= ctr_host_buffer_give_back (&state->buffers[i]);
  return some;
}

/* Threads that take bands. */
typedef struct {
  const CtrRowsPlan *plan;
  uint32_t height;
  bool (*body) (void *context, void *scratch, uint32_t first, uint32_t end);
  void *context;
  uint32_t next_band;
  bool cancelled; /* atomic */
} Run;

static void
take_bands (void *data, uint32_t thread)
{
  Run *run = data;
  const uint32_t bands = run->plan->bands;
  uint32_t band;
  while (
      !__atomic_load_n (&run->cancelled, __ATOMIC_RELAXED) && (band = ctr_band_take (&run->next_band, bands)) < bands)
    if (!run->body (run->context, ctr_rows_scratch (run->plan, thread), ctr_band_first (run->height, bands, band),
            ctr_band_first (run->height, bands, band + 1)))
      __atomic_store_n (&run->cancelled, true, __ATOMIC_RELAXED);
}

bool
ctr_rows_run (const CtrRowsPlan *plan, uint32_t height,
    bool (*body) (void *context, void *scratch, uint32_t first, uint32_t end), void *context)
{
  Run run = {.plan = plan, .height = height, .body = body, .context = context};
  ctr_parallel_for (plan->threads, plan->threads, take_bands, &run);
  return !run.cancelled;
}

static bool
uses_morphology (const CtrForeground *foreground)
{
  return foreground->open_size > 1 || foreground->close_size > 1;
}

static bool
uses_reconstruction (const CtrForeground *foreground)
{
  return ctr_foreground_has_hysteresis (foreground) || foreground->fill_holes || foreground->clear_border;
}

/* The samples of the channel are read more than once, or around a pixel. */
static bool
needs_plane (const CtrForeground *foreground, const CtrImage *image)
{
  const bool counted = foreground->mode == CTR_THRESHOLD_OTSU || foreground->mode == CTR_THRESHOLD_TRIANGLE;
  return foreground->ranges == 0 && (counted || ctr_foreground_is_adaptive (foreground))
         && !ctr_channel_is_direct (image, foreground->channel);
}

static bool
uses_split (const CtrForeground *foreground)
{
  return foreground->split_touching > 0;
}

static size_t
greatest (size_t a, size_t b)
{
  return a > b ? a : b;
}

static size_t
scratch_bytes (const CtrForeground *foreground, uint32_t width)
{
  size_t bytes = ctr_levels_scratch (width);
  if (ctr_foreground_is_adaptive (foreground))
    bytes = greatest (bytes, ctr_adaptive_scratch (width, foreground));
  if (uses_morphology (foreground)) {
    const uint32_t size =
        foreground->open_size > foreground->close_size ? foreground->open_size : foreground->close_size;
    bytes = greatest (bytes, ctr_morphology_scratch (width, size));
  }
  if (uses_split (foreground))
    bytes = greatest (bytes, ctr_split_scratch (width));
  return (bytes + 63) & ~(size_t) 63;
}

static bool
reserve (Making *making)
{
  const CtrForeground *foreground = making->foreground;
  const uint32_t width = making->image->width, height = making->image->height;
  CtrHostBuffer *buffers = making->state->buffers;
  CtrRowsPlan *plan = &making->plan;
  const bool other = uses_morphology (foreground) || uses_reconstruction (foreground) || uses_split (foreground);
  plan->threads = ctr_threads_current ();
  plan->bands = ctr_band_count (width, height, plan->threads, BANDS_PER_THREAD, MIN_PIXELS);
  if (plan->threads > plan->bands)
    plan->threads = plan->bands;
  plan->scratch_bytes = scratch_bytes (foreground, width);
  if (!ctr_host_buffer_reserve (&buffers[SCRATCH], plan->threads, plan->scratch_bytes)
      || (other && !ctr_host_buffer_reserve (&buffers[OTHER], height, making->mask.stride * sizeof (uint64_t)))
      || (uses_reconstruction (foreground)
          && !ctr_host_buffer_reserve (&buffers[GROWTH], 1, ctr_reconstruction_room (&making->mask)))
      || (uses_split (foreground) && !ctr_host_buffer_reserve (&buffers[SPLIT], 1, ctr_split_room (width, height)))
      || (needs_plane (foreground, making->image) && !ctr_host_buffer_reserve (&buffers[PLANE], width, height)))
    return ctr_fail (
        making->error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the mask of a %u x %u image", width, height);
  plan->scratch = buffers[SCRATCH].data;
  making->other = making->mask;
  making->other.bits = buffers[OTHER].data;
  return true;
}

/* What CONDITION says of cancelled work. */
static bool
complete (const Making *making, bool condition)
{
  return condition || ctr_fail_cancelled (making->error);
}

/* Makes PLANE a view of the samples of the channel. */
static bool
take_plane (Making *making, CtrImage *plane)
{
  const CtrImage *image = making->image;
  *plane = *image;
  if (!needs_plane (making->foreground, image))
    return true;
  plane->data = making->state->buffers[PLANE].data;
  plane->stride = image->width;
  plane->format = CTR_FORMAT_GRAY8;
  return complete (making, ctr_channel_write (&making->plan, image, making->foreground->channel,
                               making->state->buffers[PLANE].data, plane->stride));
}

/* Otsu's threshold of the luma is shared. */
static bool
find_threshold (Making *making, const CtrImage *plane, uint32_t *threshold)
{
  const CtrForeground *foreground = making->foreground;
  if (making->part) {
    *threshold = making->part->threshold;
    return true;
  }
  const bool shared = foreground->mode == CTR_THRESHOLD_OTSU && foreground->channel == CTR_CHANNEL_LUMA;
  CtrInput *input = shared ? ctr_input_for (making->image) : NULL;
  if (input && input->host.has_threshold) {
    *threshold = input->host.threshold;
    return true;
  }
  if (!ctr_samples_find_threshold (&making->state->buffers[COUNTS], plane, foreground, threshold, making->error))
    return false;
  if (input) {
    input->host.threshold = *threshold;
    input->host.has_threshold = true;
  }
  return true;
}

/* The first three steps but for the reconstruction of hysteresis. */
static bool
pack (Making *making, uint32_t *threshold)
{
  const CtrForeground *foreground = making->foreground;
  CtrForeground luma = *foreground;
  CtrImage plane;
  *threshold = 0;
  if (foreground->ranges)
    return complete (making, ctr_levels_pack (&making->plan, making->image, foreground, 0, &making->mask, NULL));
  if (!take_plane (making, &plane))
    return false;
  if (plane.data != making->image->data)
    luma.channel = CTR_CHANNEL_LUMA;
  if (ctr_foreground_is_adaptive (foreground))
    return complete (making, ctr_adaptive_pack (&making->plan, &plane, &luma, &making->state->weights, &making->mask));
  if (foreground->mode == CTR_THRESHOLD_OTSU || foreground->mode == CTR_THRESHOLD_TRIANGLE) {
    if (!find_threshold (making, &plane, threshold))
      return false;
  } else {
    *threshold = foreground->threshold;
  }
  const bool hysteresis = foreground->mode == CTR_THRESHOLD_HYSTERESIS;
  return complete (making,
      ctr_levels_pack (&making->plan, &plane, &luma, *threshold, &making->mask, hysteresis ? &making->other : NULL));
}

static void
invert (const CtrPacked *mask)
{
  for (uint32_t y = 0; y < mask->height; y++)
    for (size_t i = 0; i < mask->stride; i++)
      ctr_packed_bits (mask, y)[i] ^= ctr_packed_pixels (mask->width, i);
}

static bool
reconstruct (Making *making, bool eight_connected)
{
  return complete (making, ctr_packed_reconstruct (&making->plan, &making->mask, &making->other, eight_connected,
                               making->state->buffers[GROWTH].data));
}

static bool
apply_hysteresis (Making *making)
{
  if (!reconstruct (making, false))
    return false;
  memcpy (making->mask.bits, making->other.bits, making->mask.height * making->mask.stride * sizeof (uint64_t));
  if (making->foreground->invert)
    invert (&making->mask);
  return true;
}

/* Removes the pixels that are not in the region. */
static void
clip (const Making *making)
{
  const CtrPacked *mask = &making->mask, *inside = &making->part->inside;
  for (uint32_t y = 0; y < mask->height; y++)
    for (size_t i = 0; i < ctr_packed_row (mask->width) / sizeof (uint64_t); i++)
      ctr_packed_bits (mask, y)[i] &= ctr_packed_bits (inside, y)[i];
}

/* Opening or closing: through the other mask and back. */
static bool
apply_morphology (Making *making, uint32_t size, bool opening)
{
  CtrShapeRows shape;
  ctr_shape_rows (&shape, making->foreground->shape, size);
  return complete (making, ctr_packed_dilate (&making->plan, &making->mask, &making->other, &shape, opening)
                               && ctr_packed_dilate (&making->plan, &making->other, &making->mask, &shape, !opening));
}

/* The other mask becomes the components of the mask that touch the border. */
static bool
find_border (Making *making, bool eight_connected)
{
  const CtrPacked *mask = &making->mask, *other = &making->other;
  const uint32_t last = mask->width - 1;
  memset (other->bits, 0, mask->height * mask->stride * sizeof (uint64_t));
  for (uint32_t y = 0; y < mask->height; y++) {
    const uint64_t *from = ctr_packed_bits (mask, y);
    uint64_t *to = ctr_packed_bits (other, y);
    if (y == 0 || y == mask->height - 1)
      memcpy (to, from, mask->stride * sizeof *to);
    to[0] |= from[0] & 1;
    to[last / 64] |= from[last / 64] & UINT64_C (1) << last % 64;
  }
  return reconstruct (making, eight_connected);
}

static bool
fill_holes (Making *making)
{
  const CtrPacked *mask = &making->mask, *other = &making->other;
  invert (mask);
  if (!find_border (making, false))
    return false;
  memcpy (mask->bits, other->bits, mask->height * mask->stride * sizeof (uint64_t));
  invert (mask);
  return true;
}

static bool
split_touching (Making *making)
{
  return complete (making, ctr_packed_split (&making->plan, &making->mask, &making->other,
                               making->foreground->split_touching, making->state->buffers[SPLIT].data));
}

static bool
clear_border (Making *making)
{
  const CtrPacked *mask = &making->mask;
  if (!find_border (making, true))
    return false;
  for (size_t i = 0; i < mask->height * mask->stride; i++)
    mask->bits[i] &= ~making->other.bits[i];
  return true;
}

static bool
make (Making *making, uint32_t *threshold)
{
  const CtrForeground *foreground = making->foreground;
  if (!reserve (making) || !pack (making, threshold)
      || (ctr_foreground_has_hysteresis (foreground) && !apply_hysteresis (making)))
    return false;
  if (making->part && making->part->inside.bits)
    clip (making);
  return (foreground->open_size <= 1 || apply_morphology (making, foreground->open_size, true))
         && (foreground->close_size <= 1 || apply_morphology (making, foreground->close_size, false))
         && (!foreground->fill_holes || fill_holes (making)) && (!uses_split (foreground) || split_touching (making))
         && (!foreground->clear_border || clear_border (making));
}

bool
ctr_mask_make (CtrForegroundState *state, const CtrImage *image, const CtrForeground *foreground, const CtrPacked *mask,
    const CtrMaskPart *part, uint32_t *threshold, CtrError *error)
{
  Making making = {
      .state = state, .image = image, .foreground = foreground, .part = part, .mask = *mask, .error = error};
  if (make (&making, threshold))
    return true;
  /* A smaller image may need the memory that a too large one has taken. */
  if (!ctr_cancelled ())
    ctr_foreground_release (state);
  return false;
}

bool
ctr_foreground_make (CtrForegroundState *state, const CtrImage *image, const CtrForeground *foreground, uint64_t *bits,
    uint32_t *threshold, CtrError *error)
{
  const CtrPacked mask = {bits, ctr_packed_row (image->width) / sizeof (uint64_t), image->width, image->height};
  CtrImage luma;
  const CtrImage *source = ctr_foreground_uses_colour (foreground) ? image : ctr_samples_share (image, &luma);
  return ctr_mask_make (state, source, foreground, &mask, NULL, threshold, error);
}
