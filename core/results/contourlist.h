/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a backend makes a list of contours: with arrays in host memory, or with a source that fetches them. Internal. */
#ifndef CTR_CORE_RESULTS_CONTOURLIST_H
#define CTR_CORE_RESULTS_CONTOURLIST_H

#include "core/results/codes.h"
#include "core/results/pending.h"

#include <contours/shapes.h>
#include <contours/snake.h>
#include <contours/subpixel.h>

CTR_BEGIN_DECLS

/* Arrays of contours in host memory, writable until the backend hands the result out. */
typedef struct {
  CtrContour *table;
  CtrPoint *points;
  CtrContourSums *sums;       /* NULL without CTR_CONTOUR_FEATURE_MOMENTS */
  CtrSnakeRegion *regions;    /* NULL without CTR_CONTOUR_FEATURE_REGIONS */
  CtrContourNesting *nesting; /* NULL without CTR_CONTOUR_FEATURE_NESTING */
  CtrContourShape *shapes;    /* NULL without one of CTR_CONTOUR_SHAPE_FEATURES */
  CtrSubpixelPoint *subpixel; /* by point; NULL without CTR_CONTOUR_FEATURE_SUBPIXEL */
  CtrContourFits *fits;       /* NULL without CTR_CONTOUR_FEATURE_FITS */
} CtrContourArrays;

/* Contours with one reference, described by INFO, and host memory for their arrays; contents are not initialised. NULL
 * and CTR_ERROR_OUT_OF_MEMORY when there is no memory. */
CtrContours *ctr_contours_alloc (const CtrContours *info, CtrContourArrays *arrays, CtrError *error);

/* The empty result of an image that needs NEEDED where LIMIT allows less; otherwise described by INFO. */
CtrContours *ctr_contours_refuse (const CtrContours *info, CtrLimit limit, uint64_t needed, CtrError *error);

typedef enum {
  CTR_CONTOURS_TABLE,
  CTR_CONTOURS_POINTS,
  CTR_CONTOURS_SUMS,
  CTR_CONTOURS_REGIONS,
  CTR_CONTOURS_NESTING,
  CTR_CONTOURS_SHAPES,
  CTR_CONTOURS_SUBPIXEL,
  CTR_CONTOURS_FITS
} CtrContoursArray;

/* Gives a complete result of the host its history, whose arrays (transfer full) are from malloc(). */
void ctr_contours_set_history (CtrContours *contours, const CtrSnakeHistory *history);

/* Where the arrays of contours lie if not in host memory. fetch() copies one of them TO host memory: on any thread, one
 * call at a time. get_device() returns false if the current CUDA context cannot reach the arrays. destroy() comes with
 * the last reference, on any thread. fetch_codes() is a fetch, too: it packs the codes of CONTOURS. It fills in
 * CODES, which are new; NULL: the host packs them from the arrays. */
typedef struct {
  bool (*fetch) (void *source, CtrContoursArray array, void *to, size_t size, CtrError *error);
  bool (*get_device) (void *source, CtrDeviceContours *device);
  void (*destroy) (void *source);
  bool (*fetch_codes) (void *source, const CtrContours *contours, CtrCodeArrays *codes, CtrError *error);
} CtrContoursSource;

/* Contours that own SOURCE; on failure, the caller still owns it. */
CtrContours *ctr_contours_new_remote (
    const CtrContours *info, const CtrContoursSource *ops, void *source, CtrError *error);

/* Contours without numbers and arrays, until settle() of OPS calls ctr_contours_settle() for them. INFO describes the rest: size,
 * coordinates and features. */
CtrContours *ctr_contours_new_pending (
    const CtrContours *info, const CtrPendingOps *ops, void *analyser, CtrError *error);

/* Fills in PENDING with what is in COMPLETE (transfer full), to which there is no other reference. */
void ctr_contours_settle (CtrContours *pending, CtrContours *complete);

/* See pending.h. The last one is for settled contours: did their views show an incomplete result? */
bool ctr_contours_lock (CtrContours *contours, CtrPendingView *view);
bool ctr_contours_unlock (CtrContours *contours, void *event, CtrError *error);
bool ctr_contours_were_incomplete (const CtrContours *contours);

/* For the analysers that submit them. */
extern const CtrResultType ctr_contours_result_type;

CTR_END_DECLS

#endif
