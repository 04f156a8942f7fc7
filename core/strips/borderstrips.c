/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/common/error.h"
#include "core/strips/contourstrips.h"

/* Borders are analysed whole: limits and simplification come when they are joined. */
static CtrBordersParams
params_of_window (CtrApproximation approximation, const CtrForeground *foreground, uint32_t features)
{
  return (CtrBordersParams){
      .foreground = *foreground, .mode = CTR_RETRIEVE_LIST, .approximation = approximation, .features = features};
}

static CtrAnalyser *
open_analyser (CtrBackend backend, CtrError *error)
{
  return (CtrAnalyser *) ctr_borders_new (backend, error);
}

static void
close_analyser (CtrAnalyser *analyser)
{
  ctr_borders_free ((CtrBorders *) analyser);
}

static bool
enqueue (CtrStripLane *lane, const CtrImage *image, void *stream, CtrError *error)
{
  const CtrBordersParams params =
      params_of_window (lane->kind.approximation, &lane->plan.foreground, lane->plan.features);
  return ctr_borders_enqueue ((CtrBorders *) lane->analyser, image, &params, stream, error);
}

static CtrContours *
finish (CtrAnalyser *analyser, CtrError *error)
{
  return ctr_borders_finish ((CtrBorders *) analyser, error);
}

/* ROWS are 255 where foreground is. */
static CtrContours *
analyse (CtrAnalyser *analyser, const CtrStripLane *lane, const CtrImage *rows, CtrError *error)
{
  const CtrForeground foreground = {CTR_THRESHOLD_FIXED, 255, false};
  const CtrBordersParams params = params_of_window (lane->kind.approximation, &foreground, 0);
  return ctr_borders_run ((CtrBorders *) analyser, rows, &params, NULL, error);
}

static const CtrStripsKind kind = {
    .seam_rows = 2,
    .lag = 1,
    .coordinates = CTR_COORDINATES_PIXELS,
    .open = open_analyser,
    .close = close_analyser,
    .enqueue = enqueue,
    .finish = finish,
    .analyse = analyse,
};

static inline CtrStrips *
base_of (CtrBorderStrips *strips)
{
  return (CtrStrips *) strips;
}

CtrBorderStrips *
ctr_border_strips_new (CtrBackend backend, uint32_t max_open_rows, CtrError *error)
{
  return (CtrBorderStrips *) ctr_strips_new (&kind, backend, max_open_rows, error);
}

void
ctr_border_strips_free (CtrBorderStrips *strips)
{
  ctr_strips_free (base_of (strips));
}

static bool
check_params (const CtrBordersParams *params, CtrError *error)
{
  if (!ctr_borders_check_params (params, error))
    return false;
  return params->mode == CTR_RETRIEVE_LIST
         || ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
             "the retrieval mode of strips is %d: it must be %d (list), as the contour around a closed one may still "
             "be "
             "open",
             (int) params->mode, (int) CTR_RETRIEVE_LIST);
}

static CtrContours *
queue (CtrBorderStrips *strips, const CtrImage *strip, const CtrBordersParams *params, bool wait, void *stream,
    CtrError *error)
{
  CtrStripLane *lane = check_params (params, error) ? ctr_strips_begin (base_of (strips), strip, error) : NULL;
  if (!lane)
    return NULL;
  lane->kind = (CtrLineKind){CTR_COORDINATES_PIXELS, params->approximation};
  ctr_borders_plan_init (&lane->plan, params);
  lane->epsilon = params->epsilon;
  /* The host simplifies contours: the caller's thread is the one to be cancelled. */
  return ctr_strips_queue (base_of (strips), lane, strip, wait || params->epsilon > 0, stream, error);
}

CtrContours *
ctr_border_strips_run (
    CtrBorderStrips *strips, const CtrImage *strip, const CtrBordersParams *params, void *stream, CtrError *error)
{
  return queue (strips, strip, params, true, stream, error);
}

CtrContours *
ctr_border_strips_submit (
    CtrBorderStrips *strips, const CtrImage *strip, const CtrBordersParams *params, void *stream, CtrError *error)
{
  return queue (strips, strip, params, false, stream, error);
}

bool
ctr_border_strips_settle (CtrBorderStrips *strips, CtrError *error)
{
  return ctr_strips_settle (base_of (strips), error);
}

void
ctr_border_strips_cut (CtrBorderStrips *strips)
{
  ctr_strips_cut (base_of (strips));
}

bool
ctr_border_strips_finish (CtrBorderStrips *strips, CtrContours **rest, CtrError *error)
{
  return ctr_strips_finish (base_of (strips), rest, error);
}

void
ctr_border_strips_drop (CtrBorderStrips *strips)
{
  ctr_strips_drop (base_of (strips));
}
