/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the backends of the crack contours share: the levels as level_indices, limits as integers. Internal. */
#ifndef CTR_CORE_CRACKS_CRACKS_H
#define CTR_CORE_CRACKS_CRACKS_H

#include "core/common/backend.h"

#include <contours/cracks.h>

CTR_BEGIN_DECLS

enum { CTR_CRACKS_MAX_LEVELS = 65535 };

/* Parameters that were checked, for the samples of one format. A pixel's level_index says all of its levels: AT_LEAST:
 * how many of them it is foreground of, the lowest ones; EQUAL: the level it is, counted from 1, or 0 for none. Outside
 * the image, and on its outermost pixels with CTR_IMAGE_BORDER_ZERO, the level_index is 0. So a level's foreground are
 * the pixels of its level_index or above, or of exactly its level_index. */
typedef struct {
  CtrLevelMode mode;
  CtrConnectivity connectivity;
  CtrImageBorder frame;
  uint32_t level_count;          /* level_indices 1 .. level_count; levels that no sample can have are left out */
  uint32_t sample_count;         /* 256, or 65536 for GRAY16 */
  const uint16_t *levels;        /* of level_index 1, 2, .. */
  const uint16_t *level_indices; /* of each sample (or luma) */
  uint64_t tables;               /* a number that is another one when these tables are others */
  uint64_t min_area2;            /* twice the area, without its sign */
  uint64_t max_area2;            /* UINT64_MAX: no limit */
  uint64_t min_length;           /* CTR_LENGTH_UNIT */
  bool limited;                  /* is any limit set? */
  uint32_t features;
  uint64_t max_points; /* UINT64_MAX: no limit */
} CtrCracksPlan;

/* The core has checked the arguments. Only enqueue() reads PLAN and its tables. enqueue() may be called again before
 * finish(): the older result is then dropped. */
typedef struct {
  CtrBackendOps base;
  bool (*enqueue) (void *state, const CtrImage *image, const CtrCracksPlan *plan, void *stream, CtrError *error);
  CtrContours *(*finish) (void *state, CtrError *error);
} CtrCracksOps;

extern const CtrCracksOps ctr_cracks_ops_cpu;
extern const CtrCracksOps ctr_cracks_ops_cuda; /* only where CTR_HAVE_CUDA */

CTR_END_DECLS

#endif
