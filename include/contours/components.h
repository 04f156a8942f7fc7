/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The connected components of an image: the result of component analysis (cca.h).
 *
 * Both backends deliver the same exact integers. The functions below derive all floating-point values from them, so
 * these are identical to the last bit, too. */
#ifndef CONTOURS_COMPONENTS_H
#define CONTOURS_COMPONENTS_H

#include <contours/types.h>

CTR_BEGIN_DECLS

/* Features computed on request. Area, bounding box and first moments are always computed. */
typedef enum {
  CTR_FEATURE_MOMENTS = 1 << 0,    /* second moments: orientation, axes, eccentricity */
  CTR_FEATURE_GREY = 1 << 1,       /* minimum, maximum, mean and standard deviation of the samples (or luma) */
  CTR_FEATURE_LABELS = 1 << 2,     /* label image */
  CTR_FEATURE_BACKGROUND = 1 << 3, /* CtrComponents.background */
  /* CtrComponent.value; comes with CTR_COMPONENTS_EQUAL (cca.h), and only with it, and is not asked for. */
  CTR_FEATURE_VALUES = 1 << 4,
  CTR_FEATURE_PERCENTILES = 1 << 5, /* median and percentiles of the samples (or luma) */
  CTR_FEATURE_INSCRIBED = 1 << 6,   /* largest inscribed circle */
  CTR_FEATURE_CONTRAST = 1 << 7,    /* samples (or luma) around the component; brings CTR_FEATURE_GREY */
  CTR_FEATURE_SKELETON = 1 << 8     /* length and mean width of the skeleton */
} CtrFeatures;

/* A component: 32 bytes, with the same layout on the GPU. x points right, y points down, and a pixel's coordinates are
 * those of its centre. */
typedef struct {
  uint64_t sum_x; /* sum of the pixels' x */
  uint64_t sum_y;
  uint32_t area; /* pixels, >= 1 */
  uint16_t left; /* bounding box, pixels */
  uint16_t top;
  uint16_t width;
  uint16_t height;
  uint16_t start_x; /* x of the first pixel in raster order; its y is top */
  union {
    uint16_t value;  /* with CTR_FEATURE_VALUES: the sample (or luma) of all its pixels */
    uint16_t region; /* otherwise: the number of its region (regions.h), 0 without regions */
  };
} CtrComponent;

/* Raw second moments, with the origin at pixel (0, 0). */
typedef struct {
  uint64_t sum_xx;
  uint64_t sum_xy;
  uint64_t sum_yy;
} CtrComponentMoments;

/* Statistics of the samples (or luma) of the component's pixels. */
typedef struct {
  uint64_t sum;
  uint64_t sum_sq;
  uint16_t min;
  uint16_t max;
  uint32_t reserved;
} CtrComponentGrey;

/* Percentiles of the samples (or luma) of the component's pixels: 16 bytes. Of N samples in ascending order, the percentile P is the
 * one with the index floor ((N - 1) P / 100), from 0, as numpy.percentile() has it with method="lower". Each is a sample of the
 * component. The median is that of 50 %, the lower one of two. */
typedef struct {
  uint16_t p5;
  uint16_t p25;
  uint16_t median;
  uint16_t p75;
  uint16_t p95;
  uint16_t reserved[3];
} CtrComponentPercentiles;

/* The largest inscribed circle: 8 bytes. A pixel's distance is the Euclidean one from its centre to the nearest centre of a pixel that
 * is not of the component; so are the pixels around the image, or around the component's region (regions.h). The circle's centre is the pixel with
 * the greatest distance, the first one in raster order of several. Its radius is that distance: 1 of a single pixel. */
typedef struct {
  uint32_t radius_sq; /* pixels^2, >= 1 */
  uint16_t x;
  uint16_t y;
} CtrComponentInscribed;

/* The samples (or luma) in the component's ring: 16 bytes. A pixel is in the ring of the component that has the nearest pixel, by the
 * Euclidean distance between centres; of several as near, that with the lowest label. It is in no ring if it is in a component within
 * the area limits, if that distance is greater than CtrCcaParams.ring_width, or if it does not lie in the rectangle of the same region (regions.h). */
typedef struct {
  uint64_t ring_sum;
  uint32_t ring_area; /* pixels; 0: no pixel is nearest to this component */
  uint32_t reserved;
} CtrComponentContrast;

/* The skeleton: 32 bytes. It is what thinning by Zhang and Suen (Communications of the ACM 27(3), 1984) leaves of the component by
 * itself, in the variant of scikit-image's skeletonize(). Only pixels of the same component are neighbours; a region's pixels (regions.h) have no others.
 *
 * A pair of skeleton pixels is straight if they are neighbours in a row or a column, and diagonal if they touch at a corner and no skeleton
 * pixel is beside both of them in a row or a column. A pixel's distance is that of CtrComponentInscribed. */
typedef struct {
  uint64_t distance_sum; /* of all skeleton pixels, each rounded to the nearest 1/65536 pixel, in these */
  uint64_t straight;     /* pairs */
  uint64_t diagonal;     /* pairs */
  uint32_t pixels;       /* in the skeleton, >= 1 */
  uint32_t reserved;
} CtrComponentSkeleton;

/* What belongs to a component.
 *
 * FOREGROUND: the pixels at or above a threshold, whatever their samples.
 * EQUAL: neighbours belong together if their samples (or luma) are equal, as in a label image or a segmentation mask. */
typedef enum { CTR_COMPONENTS_FOREGROUND = 0, CTR_COMPONENTS_EQUAL = 1 } CtrComponentMode;

/* Immutable and reference-counted. Row i describes the component with label i + 1. The rows are in raster order of the
 * components' first pixels, the order of OpenCV's CCL_WU; with regions (regions.h) region by region. The background has no row. Of a pending result (see
 * contours.h), size, connectivity, features, region_count and origin_row are valid; the other fields are 0 until ctr_components_wait()
 * has returned. */
typedef struct {
  uint32_t width; /* of the analysed image, pixels */
  uint32_t height;
  uint32_t count;     /* components within the area limits */
  uint32_t threshold; /* foreground threshold applied, fixed or from Otsu */
  CtrConnectivity connectivity;
  uint32_t features;                  /* CtrFeatures computed */
  const CtrComponent *table;          /* count rows */
  const CtrComponentMoments *moments; /* count rows, or NULL without CTR_FEATURE_MOMENTS */
  const CtrComponentGrey *grey;       /* count rows, or NULL without CTR_FEATURE_GREY */
  /* CPU backend: width * height labels, rows without padding; 0: background or outside the area limits. NULL without
   * CTR_FEATURE_LABELS. CUDA backend: NULL, since the label image stays in GPU memory. ctr_components_map_labels() serves
   * both. */
  const uint32_t *labels;
  /* Of strips (strips.h): the row of the web that y = 0 stands for; the last row of the strip is height - 1. Otherwise 0. */
  uint64_t origin_row;
  uint32_t unfinished; /* components that go on below the strip, as others: see ctr_components_is_unfinished() */
  /* With CTR_FEATURE_BACKGROUND: the pixels that are in no component, before area limits: row 0 of OpenCV's
   * connectedComponentsWithStats(), with label 0. It is none of the table's rows, COUNT does not include it, and it need
   * not be connected. Its start_x is that of its first pixel in raster order. If there is no such pixel, all fields but
   * VALUE are 0, and its centroid is NaN. */
  CtrComponent background;
  uint32_t region_count; /* regions that were analysed (regions.h); 0: the whole image, or nothing of it */
  const CtrComponentPercentiles *percentiles; /* count rows, or NULL without CTR_FEATURE_PERCENTILES */
  const CtrComponentInscribed *inscribed;     /* count rows, or NULL without CTR_FEATURE_INSCRIBED */
  const CtrComponentContrast *contrast;       /* count rows, or NULL without CTR_FEATURE_CONTRAST */
  const CtrComponentSkeleton *skeleton;       /* count rows, or NULL without CTR_FEATURE_SKELETON */
} CtrComponents;

/* Of strips: does the component of ROW go on below the strip, as another component? It was open for too long (strips.h).
 * Where there are such components, they are those that touch the last row. */
static inline bool
ctr_components_is_unfinished (const CtrComponents *components, uint32_t row)
{
  return components->unfinished
         && (uint32_t) components->table[row].top + components->table[row].height == components->height;
}

/* ref() returns a new reference (transfer full). Both are thread-safe. */
CTR_API CtrComponents *ctr_components_ref (CtrComponents *components);
CTR_API void ctr_components_unref (CtrComponents *components);

/* Waits until a pending result (see contours.h) is complete. Any thread may call it; it does not matter which one is
 * first. False and the error of the analysis if it has failed: then there are no components. */
CTR_API bool ctr_components_wait (CtrComponents *components, CtrError *error);

/* Would ctr_components_wait() return at once? */
CTR_API bool ctr_components_is_complete (const CtrComponents *components);

/* CUDA backend: makes STREAM, a cudaStream_t or CUstream, wait for the analysis of pending components instead of the host. Who
 * writes the analysed image in device memory on another stream than the analysis calls it first. Any thread may call
 * it, with a context of the stream being current. */
CTR_API bool ctr_components_lead (CtrComponents *components, void *stream, CtrError *error);

/* The label image in host memory (transfer none, valid as long as the reference). The first call waits for a pending
 * result, and copies the image from GPU memory, on any thread, with or without the CUDA context current. NULL and error
 * if that fails, or without CTR_FEATURE_LABELS. */
CTR_API const uint32_t *ctr_components_map_labels (CtrComponents *components, CtrError *error);

/* CUDA backend: the label image in GPU memory, width * height labels, rows without padding, for work on any stream of the
 * same CUDA context (transfer none). The reference must outlive that work. Waits for a pending result. Returns false if
 * there are no labels, they are in host memory, or they are in another CUDA context than the current one. */
CTR_API bool ctr_components_get_device_labels (CtrComponents *components, const uint32_t **labels);

/* The centroid, in pixels; NaN for an empty background. */
CTR_API void ctr_component_centroid (const CtrComponent *component, double *x, double *y);

/* The ellipse with the component's second moments. Axis lengths are 4 sqrt (eigenvalue), as in scikit-image's
 * regionprops(). */
typedef struct {
  double mu20; /* central second moments divided by the area, pixels^2 */
  double mu11;
  double mu02;
  double orientation; /* angle from the x axis to the major axis, radians in (-pi/2, pi/2], positive towards +y (down);
                         0 if the axes are equal */
  double major_axis;  /* full length, pixels */
  double minor_axis;
  double eccentricity; /* 0 (circle) .. 1 (line); 0 for a single pixel */
} CtrComponentShape;
CTR_API void ctr_component_shape (
    const CtrComponent *component, const CtrComponentMoments *moments, CtrComponentShape *shape);

/* Mean and population standard deviation of the component's samples. */
CTR_API void ctr_component_grey_stats (
    const CtrComponent *component, const CtrComponentGrey *grey, double *mean, double *std_dev);

/* The mean of the samples in the component's ring, and how much greater that of its own is. Both are NaN if the ring is empty. */
CTR_API void ctr_component_contrast (const CtrComponent *component, const CtrComponentGrey *grey,
    const CtrComponentContrast *contrast, double *ring_mean, double *difference);

/* The radius of the inscribed circle, in pixels. */
CTR_API double ctr_component_inscribed_radius (const CtrComponentInscribed *inscribed);

/* The length of the skeleton, in pixels: 1 for each straight pair of its pixels, sqrt (2) for each diagonal one; 0 of a single pixel. */
CTR_API double ctr_component_skeleton_length (const CtrComponentSkeleton *skeleton);

/* Twice the mean distance of the skeleton's pixels, in pixels. Distances are those to the nearest pixel centre that is not of the
 * component, so a line whose pixels are N side by side, N odd, is N + 1 wide. */
CTR_API double ctr_component_skeleton_width (const CtrComponentSkeleton *skeleton);

CTR_END_DECLS

#endif
