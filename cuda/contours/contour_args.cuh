/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernel arguments of all contour algorithms have in common. A contour has a number, given when it is found,
 * and a row, its place in the result. The two differ where limits drop contours, or a hierarchy orders them. */
#ifndef CTR_CUDA_CONTOURS_CONTOUR_ARGS_CUH
#define CTR_CUDA_CONTOURS_CONTOUR_ARGS_CUH

#include "cuda/common/delivery.cuh"

#include "core/results/pending.h"
#include "core/results/subpixel.h"

#include <contours/shapes.h>

constexpr uint32_t NO_CONTOUR = ~0u;
constexpr uint32_t SCAN_SHARE = 1024; /* elements that a CTA scans */

/* Of the kernels' argument summing: what a pass clears and adds up. */
constexpr uint32_t SUMMING_MOMENTS = 1, SUMMING_FITS = 2;

/* Of ContourHierarchyArgs.parents: the value is not the parent, but a contour that has the same parent. */
constexpr uint32_t SAME_PARENT_AS = 1u << 31, NO_PARENT = SAME_PARENT_AS - 1;

/* Where the rows go that limits on numbers leave; table NULL: there are no limits. */
struct ContourSelected {
  CtrContour *table;
  CtrPoint *points;
  CtrContourSums *sums;    /* NULL: not asked for */
  CtrContourShape *shapes; /* likewise */
  CtrContourFits *fits;    /* likewise */
};

/* Where simplified contours go, whose rows were those of the contours before; not used without simplification. */
struct ContourSimplified {
  CtrContour *table;
  CtrPoint *points;
  CtrSubpixelPoint *subpixel; /* NULL: not asked for */
};

/* Memory that is another one with every frame: where the result goes, and the picture, if it has to be kept. The first
 * kernel gets these addresses as arguments and leaves them in device memory for the others, whose arguments thus stay
 * the same. */
struct ContourOutput {
  CtrContour *table; /* by row */
  CtrPoint *points;
  CtrContourSums *sums; /* by row; NULL: not asked for */
  CtrDeviceNumbers *numbers;
  PictureCopy copy;
  CtrContourNesting *nesting; /* by row; NULL: there is none */
  CtrContourShape *shapes;    /* by row; NULL: not asked for */
  CtrSubpixelPoint *subpixel; /* by point; NULL: not asked for */
  CtrSubpixelPlane samples;   /* in which these are found */
  CtrContourFits *fits;       /* by row; NULL: not asked for */
  ContourSelected selected;
  ContourSimplified simplified;
};

/* The measures of one contour, while its lines are summed up. */
struct __align__ (16) ContourAccumulator
{
  long long area2;
  unsigned long long length;
  uint32_t min_x, min_y, max_x, max_y;
};

/* Who is inside whom. */
struct ContourHierarchyArgs {
  uint32_t *parents;                 /* by contour */
  uint32_t *next, *previous, *child; /* by row, once contours have rows */
};

#endif
