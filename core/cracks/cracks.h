/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Level contours (include/contours/cracks.h): their plan, and where their stages are. Internal.
 *
 *   stage                           core                    cpu                           cuda
 *   arguments, plan, backend        cracks/cracks.c
 *   level indices, corners          -                       cracks/vertices.c, corners.c  cracks/corners.cu, tiles.cu
 *   label image                     -                       cracks/cracks.c               cracks/labels.cu
 *   corners as closed lists         -                       cracks/cracks.c               cracks/tiles.cu, contours/list_ranking.cu
 *   hierarchy, limits               -                       cracks/cracks.c               cracks/hierarchy.cu, unlimited.cu
 *   hierarchy over all levels       cracks/nesting.h        cracks/nesting.c              cracks/nesting.cu
 *   points, measures, table         -                       cracks/cracks.c,              cracks/assemble.cu
 *                                                           contours/contour_measures.c
 *   result                          results/contourlist.c   -                             contours/contour_pool.cu
 *   host side of the GPU            -                       -                             cracks/cracks.cu, memory.cu */
#ifndef CTR_CORE_CRACKS_CRACKS_H
#define CTR_CORE_CRACKS_CRACKS_H

#include "core/common/backend.h"

#include <contours/cracks.h>

CTR_BEGIN_DECLS

enum { CTR_CRACKS_MAX_LEVELS = 65535 };

/* Valid parameters, for the samples of one format. Each pixel has a level index, which says of which levels it is
 * foreground. AT_LEAST: the number of levels at or below its sample; it is foreground of these. EQUAL: the level that
 * equals its sample, counted from 1, or 0 for none. The level index is 0 outside the image, and with
 * CTR_IMAGE_BORDER_ZERO on its outermost pixels. So the foreground of a level are the pixels of its index or above, or
 * of exactly its index.
 *
 * Of a label image, the level indices are the labels, with EQUAL: there are no tables. */
typedef struct {
  CtrLevelMode mode;
  CtrConnectivity connectivity;
  CtrImageBorder frame;
  bool labels;                   /* of a label image */
  uint32_t level_count;          /* levels have the indices 1 .. level_count; levels above all samples are left out */
  uint32_t sample_count;         /* 256, or 65536 for GRAY16 */
  const uint16_t *levels;        /* the levels, by level index - 1 */
  const uint16_t *level_indices; /* the level indices, by sample (or luma) */
  uint64_t tables;               /* version of these tables; changes with their contents */
  uint64_t min_area2;            /* twice the absolute area */
  uint64_t max_area2;            /* UINT64_MAX: no limit */
  uint64_t min_length;           /* CTR_LENGTH_UNIT */
  bool limited;                  /* a limit on contours is set */
  uint32_t features;
  uint64_t max_points;      /* UINT64_MAX: no limit */
  bool nested;              /* CTR_HIERARCHY_LEVELS */
  uint32_t min_persistence; /* samples */
  uint32_t max_depth;       /* CTR_CRACKS_ANY_DEPTH: no limit */
} CtrCracksPlan;

bool ctr_cracks_check_params (const CtrCracksParams *params, CtrError *error);

/* The core has checked the arguments. Only enqueue() reads PLAN and its tables. enqueue() may be called again before
 * finish(): the older result is then dropped. */
typedef struct {
  CtrBackendOps base;
  bool (*enqueue) (void *state, const CtrImage *image, const CtrCracksPlan *plan, void *stream, CtrError *error);
  /* Of COMPONENTS, to which the core keeps a reference until after finish(). They have labels; on the CPU, and where they
   * are settled, their analysis has succeeded. */
  bool (*enqueue_labels) (
      void *state, CtrComponents *components, const CtrCracksPlan *plan, void *stream, CtrError *error);
  CtrContours *(*finish) (void *state, CtrError *error);
} CtrCracksOps;

/* The level at a level index. */
static inline uint32_t
ctr_cracks_level (const CtrCracksPlan *plan, uint32_t level_index)
{
  return plan->labels ? level_index : plan->levels[level_index - 1];
}

extern const CtrCracksOps ctr_cracks_ops_cpu;
extern const CtrCracksOps ctr_cracks_ops_cuda; /* only where CTR_HAVE_CUDA */

CTR_END_DECLS

#endif
