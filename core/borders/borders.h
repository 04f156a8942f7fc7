/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Border following (include/contours/borders.h): its plan, and where its stages are. Internal.
 *
 *   stage                           core                    cpu                           cuda
 *   arguments, plan, backend        borders/borders.c
 *   threshold, samples              common/otsu.h           common/samples.c              common/input_stage.cu
 *   passages along each border      -                       borders/lines.c               borders/tiles.cu
 *   order of a border's points      -                       borders/lines.c, rings.c      borders/segments.cu,
 *                                                                                         contours/list_ranking.cu
 *   order of the borders            -                       borders/bands.c, table.c      borders/segments.cu,
 *                                                                                         borders/assemble.cu
 *   hierarchy, limits, rows         -                       borders/table.c               borders/hierarchy.cu
 *   points, measures, table         -                       borders/measures.c, table.c   borders/assemble.cu
 *   moments                         -                       contours/contour_measures.c   contours/contour_measures.cuh
 *   shapes                          results/shapes.h,       contours/contour_shapes.c,    borders/shapes.cu,
 *                                   results/shapes.c        (core) results/hull.c         contours/contour_shapes.cuh
 *   subpixels                       results/subpixel.h,     contours/contour_subpixel.c   borders/subpixel.cu
 *                                   results/subpixel.c
 *   fits                            results/fits.h,         contours/contour_shapes.c     contours/contour_measures.cuh
 *                                   results/fit_values.h
 *   limits on any number            results/select.h,       contours/select.c             borders/select.cu
 *                                   results/select.c
 *   simplification                  results/              (core) borders/simplify.c borders/simplify.cu,
 *                                   simplify_rule.h,                                contours/simplify.cu,
 *                                   results/simplify.c                              contours/simplify_long.cu
 *   result                          results/contourlist.c   -                             contours/contour_pool.cu
 *   host side of the GPU            -                       -                             borders/borders.cu */
#ifndef CTR_CORE_BORDERS_BORDERS_H
#define CTR_CORE_BORDERS_BORDERS_H

#include "core/common/backend.h"
#include "core/results/select.h"

#include "core/results/subpixel.h"

#include <contours/borders.h>

CTR_BEGIN_DECLS

/* Valid parameters, limits as integers. A contour is kept if it is within all limits. */
typedef struct {
  CtrForeground foreground;
  CtrConnectivity connectivity;
  CtrRetrieval mode;
  CtrApproximation approximation;
  uint64_t min_area2;  /* twice the absolute area */
  uint64_t max_area2;  /* UINT64_MAX: no limit */
  uint64_t min_length; /* CTR_LENGTH_UNIT */
  uint32_t min_width;
  uint32_t min_height;
  CtrSubpixelRule subpixel;   /* NONE unless features say so */
  bool limited;               /* one of these limits is set */
  uint32_t features;          /* those asked for, and those that the limits need which follow */
  int64_t feret_direction[2]; /* the unit vector of feret_angle, in CTR_FERET_UNIT */
  CtrSelectPlan select;       /* drops contours of the result with all others */
  double epsilon;             /* simplifies the contours of the result; 0: not */
} CtrBordersPlan;

bool ctr_borders_check_params (const CtrBordersParams *params, CtrError *error);

/* PARAMS are valid. */
void ctr_borders_plan_init (CtrBordersPlan *plan, const CtrBordersParams *params);

/* The core has checked the arguments, and simplifies the contours of the host backend afterwards. enqueue() may be called again before
 * finish(): the older result is then dropped. */
typedef struct {
  CtrBackendOps base;
  bool (*enqueue) (void *state, const CtrImage *image, const CtrBordersPlan *plan, void *stream, CtrError *error);
  CtrContours *(*finish) (void *state, CtrError *error);
} CtrBordersOps;

extern const CtrBordersOps ctr_borders_ops_cpu;
extern const CtrBordersOps ctr_borders_ops_cuda; /* only where CTR_HAVE_CUDA */

CTR_END_DECLS

#endif
