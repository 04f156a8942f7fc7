/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the backends of the border following share: limits as integers. Internal. */
#ifndef CTR_CORE_BORDERS_BORDERS_H
#define CTR_CORE_BORDERS_BORDERS_H

#include "core/common/backend.h"

#include <contours/borders.h>

CTR_BEGIN_DECLS

/* Parameters that were checked. A contour stays where all limits hold. */
typedef struct {
  CtrForeground foreground;
  CtrRetrieval mode;
  CtrApproximation approximation;
  uint64_t min_area2;  /* twice the area, without its sign */
  uint64_t max_area2;  /* UINT64_MAX: no limit */
  uint64_t min_length; /* CTR_LENGTH_UNIT */
  uint32_t min_width;
  uint32_t min_height;
  bool limited; /* is any limit set? */
  uint32_t features;
} CtrBordersPlan;

/* PARAMS must be valid. */
void ctr_borders_plan_init (CtrBordersPlan *plan, const CtrBordersParams *params);

/* The core has checked the arguments. A backend delivers all points of the PLAN's approximation: the core simplifies
 * them afterwards. enqueue() may be called again before finish(): the older result is then dropped. */
typedef struct {
  CtrBackendOps base;
  bool (*enqueue) (void *state, const CtrImage *image, const CtrBordersPlan *plan, void *stream, CtrError *error);
  CtrContours *(*finish) (void *state, CtrError *error);
} CtrBordersOps;

extern const CtrBordersOps ctr_borders_ops_cpu;
extern const CtrBordersOps ctr_borders_ops_cuda; /* only where CTR_HAVE_CUDA */

CTR_END_DECLS

#endif
