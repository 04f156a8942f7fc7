/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connected components of one image: the result of the component analysis (cca.h).
 *
 * Both backends deliver the integers below, exact and identical; every quantity in floating point is derived from them
 * here, in one place, so the backends agree to the last bit. */
#ifndef CONTOURS_COMPONENTS_H
#define CONTOURS_COMPONENTS_H

#include <contours/types.h>

CTR_BEGIN_DECLS

typedef enum {
  CTR_CONNECTIVITY_4 = 4, /* edge neighbours */
  CTR_CONNECTIVITY_8 = 8  /* edge and corner neighbours */
} CtrConnectivity;

/* What is computed on request; area, bounding box and first moments always are. */
typedef enum {
  CTR_FEATURE_MOMENTS = 1 << 0, /* second moments: orientation, axes, eccentricity */
  CTR_FEATURE_GREY = 1 << 1,    /* min, max, mean, standard deviation of the samples (or luma) */
  CTR_FEATURE_LABELS = 1 << 2   /* label image */
} CtrFeatures;

/* One component: 32 bytes, the same on the GPU. x runs right, y down; a pixel's coordinates are those of its centre. */
typedef struct {
  uint64_t sum_x; /* sum of the pixels' x */
  uint64_t sum_y;
  uint32_t area; /* pixels, >= 1 */
  uint16_t left; /* bounding box, pixels */
  uint16_t top;
  uint16_t width;
  uint16_t height;
  uint16_t start_x; /* x of the component's first pixel in raster order; its y is top */
  uint16_t reserved;
} CtrComponent;

/* Raw second moments, origin at pixel (0, 0). */
typedef struct {
  uint64_t sum_xx;
  uint64_t sum_xy;
  uint64_t sum_yy;
} CtrComponentMoments;

/* Sums over the samples of the component's pixels. */
typedef struct {
  uint64_t sum;
  uint64_t sum_sq;
  uint16_t min;
  uint16_t max;
  uint32_t reserved;
} CtrComponentGrey;

/* Immutable once published; shared by reference. Row i describes label i + 1. Rows are in raster order of the
 * components' first pixels: the order of OpenCV's CCL_WU. The background has no row. */
typedef struct {
  uint32_t width; /* of the analysed image, pixels */
  uint32_t height;
  uint32_t count;     /* rows: components inside the area limits */
  uint32_t threshold; /* the threshold applied; with Otsu, the one found */
  CtrConnectivity connectivity;
  uint32_t features;                  /* CtrFeatures delivered */
  const CtrComponent *table;          /* count rows */
  const CtrComponentMoments *moments; /* count rows, or NULL without CTR_FEATURE_MOMENTS */
  const CtrComponentGrey *grey;       /* count rows, or NULL without CTR_FEATURE_GREY */
  const uint32_t *labels; /* width * height, rows without gaps, 0 = background or filtered; NULL without .._LABELS */
} CtrComponents;

/* transfer full: drop with ctr_components_unref(). Thread-safe. */
CTR_API CtrComponents *ctr_components_ref (CtrComponents *components);
CTR_API void ctr_components_unref (CtrComponents *components);

/* Centre of gravity, pixels: sum / area. */
CTR_API void ctr_component_centroid (const CtrComponent *component, double *x, double *y);

/* The ellipse with the component's second moments. Lengths as in scikit-image's regionprops (4 sqrt(eigenvalue)). */
typedef struct {
  double mu20; /* central second moments divided by the area, pixels^2 */
  double mu11;
  double mu02;
  double orientation; /* of the major axis against the x axis, radians in (-pi/2, pi/2], positive towards +y (down);
                         0 where the axes are equal */
  double major_axis;  /* full lengths, pixels */
  double minor_axis;
  double eccentricity; /* 0 (circle) .. 1 (line); 0 for a single pixel */
} CtrComponentShape;
CTR_API void ctr_component_shape (
    const CtrComponent *component, const CtrComponentMoments *moments, CtrComponentShape *shape);

/* Mean and population standard deviation of the component's samples. */
CTR_API void ctr_component_grey_stats (
    const CtrComponent *component, const CtrComponentGrey *grey, double *mean, double *std_dev);

CTR_END_DECLS

#endif
