/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/common/contour_limits.h"
#include "core/common/error.h"
#include "core/cracks/cracks.h"
#include "core/strips/contourstrips.h"

#include <string.h>

static CtrAnalyser *
open_analyser (CtrBackend backend, CtrError *error)
{
  return (CtrAnalyser *) ctr_cracks_new (backend, error);
}

static void
close_analyser (CtrAnalyser *analyser)
{
  ctr_cracks_free ((CtrCracks *) analyser);
}

static bool
enqueue (CtrStripLane *lane, const CtrImage *image, void *stream, CtrError *error)
{
  return ctr_cracks_enqueue ((CtrCracks *) lane->analyser, image, &lane->cracks, stream, error);
}

static CtrContours *
finish (CtrAnalyser *analyser, CtrError *error)
{
  return ctr_cracks_finish ((CtrCracks *) analyser, error);
}

static CtrContours *
analyse (CtrAnalyser *analyser, const CtrStripLane *lane, const CtrImage *rows, CtrError *error)
{
  CtrCracksParams params = lane->cracks;
  params.max_points = 0;
  params.features = 0;
  return ctr_cracks_run ((CtrCracks *) analyser, rows, &params, NULL, error);
}

static const CtrStripsKind kind = {
    .seam_rows = 1,
    .lag = 0,
    .coordinates = CTR_COORDINATES_CORNERS,
    .open = open_analyser,
    .close = close_analyser,
    .enqueue = enqueue,
    .finish = finish,
    .analyse = analyse,
};

static inline CtrStrips *
base_of (CtrCrackStrips *strips)
{
  return (CtrStrips *) strips;
}

CtrCrackStrips *
ctr_crack_strips_new (CtrBackend backend, uint32_t max_open_rows, CtrError *error)
{
  return (CtrCrackStrips *) ctr_strips_new (&kind, backend, max_open_rows, error);
}

void
ctr_crack_strips_free (CtrCrackStrips *strips)
{
  ctr_strips_free (base_of (strips));
}

static bool
check_params (const CtrCracksParams *params, CtrError *error)
{
  if (!ctr_cracks_check_params (params, error))
    return false;
  if (params->hierarchy == CTR_HIERARCHY_LEVELS)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the hierarchy of strips is %d: it must be %d (per level), as a component of its lowest level may never be "
        "closed",
        (int) params->hierarchy, (int) CTR_HIERARCHY_PER_LEVEL);
  return params->frame == CTR_IMAGE_BORDER_PAD
         || ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
             "the image border of strips is %d: it must be %d (pad), as a web has no last row yet", (int) params->frame,
             (int) CTR_IMAGE_BORDER_PAD);
}

/* Level contours are analysed whole: limits come when they are joined. */
static bool
set_params (CtrStripLane *lane, const CtrCracksParams *params, CtrError *error)
{
  lane->cracks = *params;
  lane->cracks.min_area = lane->cracks.max_area = lane->cracks.min_length = 0;
  if (!params->levels)
    return true;
  if (!ctr_host_buffer_reserve (&lane->levels, params->level_count, sizeof *params->levels))
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for %u levels", params->level_count);
  memcpy (lane->levels.data, params->levels, params->level_count * sizeof *params->levels);
  lane->cracks.levels = lane->levels.data;
  return true;
}

static CtrContours *
queue (CtrCrackStrips *strips, const CtrImage *strip, const CtrCracksParams *params, bool wait, void *stream,
    CtrError *error)
{
  CtrStripLane *lane = check_params (params, error) ? ctr_strips_begin (base_of (strips), strip, error) : NULL;
  if (!lane || !set_params (lane, params, error))
    return NULL;
  const double area_unit = 0.5;
  lane->kind = (CtrLineKind){CTR_COORDINATES_CORNERS, CTR_APPROXIMATION_SIMPLE};
  lane->plan = (CtrBordersPlan){
      .min_area2 = ctr_contour_limit_min (params->min_area, area_unit),
      .max_area2 = ctr_contour_limit_max (params->max_area, area_unit),
      .min_length = ctr_contour_limit_min (params->min_length, CTR_LENGTH_UNIT),
      .limited = params->min_area > 0 || params->max_area > 0 || params->min_length > 0,
      .features = params->features,
  };
  return ctr_strips_queue (base_of (strips), lane, strip, wait, stream, error);
}

CtrContours *
ctr_crack_strips_run (
    CtrCrackStrips *strips, const CtrImage *strip, const CtrCracksParams *params, void *stream, CtrError *error)
{
  return queue (strips, strip, params, true, stream, error);
}

CtrContours *
ctr_crack_strips_submit (
    CtrCrackStrips *strips, const CtrImage *strip, const CtrCracksParams *params, void *stream, CtrError *error)
{
  return queue (strips, strip, params, false, stream, error);
}

bool
ctr_crack_strips_settle (CtrCrackStrips *strips, CtrError *error)
{
  return ctr_strips_settle (base_of (strips), error);
}

void
ctr_crack_strips_cut (CtrCrackStrips *strips)
{
  ctr_strips_cut (base_of (strips));
}

bool
ctr_crack_strips_finish (CtrCrackStrips *strips, CtrContours **rest, CtrError *error)
{
  return ctr_strips_finish (base_of (strips), rest, error);
}

void
ctr_crack_strips_drop (CtrCrackStrips *strips)
{
  ctr_strips_drop (base_of (strips));
}
