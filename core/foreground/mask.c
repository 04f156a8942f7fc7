/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The picture of a mask: the public functions. */
#include "core/canny/canny.h"
#include "core/common/error.h"
#include "core/foreground/foreground.h"

struct CtrMask {
  CtrAnalyser base;
  bool finished;      /* THRESHOLD is valid */
  uint32_t threshold; /* of the image that was finished last */
};

static inline const CtrMaskOps *
ops_of (const CtrMask *mask)
{
  return (const CtrMaskOps *) mask->base.ops;
}

static void
discard (CtrAnalyser *analyser)
{
  CtrMask *mask = (CtrMask *) analyser;
  ctr_analyser_note (analyser, ops_of (mask)->finish (mask->base.state, NULL));
}

static const CtrAnalyserType analyser_type = {
    .size = sizeof (CtrMask),
    .name = "mask maker",
    .input = "image",
    .enqueue = "ctr_mask_enqueue()",
    .discard = discard,
};

CtrMask *
ctr_mask_new (CtrBackend backend, CtrError *error)
{
  const CtrMaskOps *ops = CTR_BACKEND_OPS (mask, backend);
  return (CtrMask *) ctr_analyser_new (&analyser_type, backend, &ops->base, error);
}

void
ctr_mask_free (CtrMask *mask)
{
  ctr_analyser_free ((CtrAnalyser *) mask);
}

static bool
check_arguments (const CtrMask *mask, const CtrImage *image, const CtrForeground *foreground,
    const CtrEdgePicture *picture, CtrError *error)
{
  return ctr_image_check (image, error) && ctr_foreground_check (foreground, image, error)
         && ctr_edge_picture_check (picture, image, error)
         && ctr_analyser_check_memory (&mask->base, "image", image->memory, error)
         && ctr_analyser_check_memory (&mask->base, "edge picture", picture->memory, error);
}

bool
ctr_mask_enqueue (CtrMask *mask, const CtrImage *image, const CtrForeground *foreground, const CtrEdgePicture *picture,
    void *stream, CtrError *error)
{
  if (!ctr_analyser_accept (&mask->base, check_arguments (mask, image, foreground, picture, error), error))
    return false;
  mask->base.pending = ctr_analyser_note (
      &mask->base, ops_of (mask)->enqueue (mask->base.state, image, foreground, picture, stream, error));
  return mask->base.pending;
}

bool
ctr_mask_lead_default (CtrMask *mask, CtrError *error)
{
  if (!ctr_analyser_check_pending (&mask->base, error))
    return false;
  return !ops_of (mask)->lead_default || ops_of (mask)->lead_default (mask->base.state, error);
}

bool
ctr_mask_finish (CtrMask *mask, CtrError *error)
{
  if (!ctr_analyser_take_pending (&mask->base, error))
    return false;
  mask->finished = false;
  if (!ctr_analyser_note (&mask->base, ops_of (mask)->finish (mask->base.state, error)))
    return false;
  mask->threshold = ops_of (mask)->threshold (mask->base.state);
  mask->finished = true;
  return true;
}

bool
ctr_mask_run (CtrMask *mask, const CtrImage *image, const CtrForeground *foreground, const CtrEdgePicture *picture,
    void *stream, CtrError *error)
{
  return ctr_mask_enqueue (mask, image, foreground, picture, stream, error) && ctr_mask_finish (mask, error);
}

bool
ctr_mask_get_threshold (const CtrMask *mask, uint32_t *threshold, CtrError *error)
{
  if (!mask->finished)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "no image is finished: call ctr_mask_finish() first");
  *threshold = mask->threshold;
  return true;
}
