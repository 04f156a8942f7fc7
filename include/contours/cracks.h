/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Level contours: the contours of all levels of an image, as closed lines of cracks between its pixels (Butt, Morris,
 * Patel, Biglari-Abhari: "Contour generation for multivalued streamed images using crack codes on a GPU"). See
 * contours.h for how to call an analyser.
 *
 * Each level defines a binary image, whose foreground are the pixels of that level or above, or of exactly that level.
 * A contour runs along the sides of pixels with the foreground on its right: clockwise on the screen around a
 * component, anticlockwise around a hole. Where two foreground pixels touch only at a corner, the connectivity of the
 * foreground decides whether the contour joins or separates them; contours pass such a corner twice.
 *
 * Points. The points are the corners of the contour, and only these, in CTR_COORDINATES_CORNERS: x is 0 .. width, y is
 * 0 .. height. The first point is the topmost one, the leftmost of several: the upper left corner of the first pixel of
 * the component or hole in raster order. From there the contour of a component runs right, that of a hole down. The
 * signed areas of a level's contours add up to its number of foreground pixels.
 *
 * Order and hierarchy. The rows are ordered by level, then by first point (y, then x), which is unique in a level. The
 * type and the first point of an 8-connected level's contours follow from OpenCV's findContours() of the binary image:
 * the first point of an outer contour is the first pixel of OpenCV's, that of a hole is one pixel right of OpenCV's.
 * Parent, child, next and previous are those of OpenCV's RETR_TREE: `next` is the preceding sibling in the order of the
 * rows, and `child` the last child. Contours of different levels are not related.
 *
 * Hierarchy over all levels, CTR_HIERARCHY_LEVELS: the tree of shapes (Monasse, Guichard: "Fast computation of a
 * contrast-invariant image representation"), with the components and holes of the levels as shapes. It needs
 * CTR_LEVELS_AT_LEAST, as samples of exactly one level do not enclose those of the next. The region of a contour are
 * the pixels that its line encloses. Lines of different levels do not cross, so one of two regions contains the other,
 * or they have no pixel in common. Contour Q is around contour C if the region of Q contains that of C and is larger,
 * or if both are outer contours of the same region, as no sample lies between their levels, and Q's level is lower. The
 * parent of C is the contour with the smallest region among those around C of C's level and of the next lower level in
 * the list; of equal regions, that of C's level. So
 *   - the parent of a hole is the outer contour of the component with that hole, as above;
 *   - the parent of an outer contour is the outer contour of the component of the next lower level that contains C's
 *     component; or the hole of C's level around C, where the same component contains what surrounds the hole, too.
 * A parent has a lower level, or the same level and a larger region, so it comes before its children in the order of
 * the rows, and following parents ends at a contour without a parent, which is one of the first level. The order of the
 * rows, `next`, `previous` and `child` are as above; contours without a parent are siblings, whatever their levels.
 *
 * Branches. A component contains components of the next higher level in the list. It continues in the one of them with
 * the highest level in it, of several in the one whose contour at that level comes last in the order of the rows. A
 * hole of a level, as its pixels of background, contains holes of the next lower level. It continues in the one of them
 * with the lowest level in it, of several in the one whose contour at that level comes first. So the contours of all
 * levels form branches, each a component or a hole at successive levels. This is the elder rule of persistent homology
 * (Edelsbrunner, Harer: "Computational Topology", VII.1): where two meet, the one that reaches further continues. A
 * branch has a lowest level, its birth, and a highest level, its death; the difference is its persistence (for
 * components, the dynamics of a peak). See CtrContourNesting.
 *
 * Label images. ctr_cracks_submit_labels() and the like take the label image of components (components.h) in place of an
 * image. Each label from 1 on is a level, whose foreground are the pixels with exactly this label, and
 * CtrContour.level is the label; labels have 32 bits. Label 0, the background, has no contours. All else is as with
 * CTR_LEVELS_EQUAL. On the CUDA backend the labels stay on the GPU, and the components may be pending: the work is queued
 * behind their analysis. The result keeps them until it is complete. If their analysis fails, readers of the contours get
 * its error; ctr_cracks_settle() and the next image do not report it again. */
#ifndef CONTOURS_CRACKS_H
#define CONTOURS_CRACKS_H

#include <contours/components.h>
#include <contours/contourlist.h>
#include <contours/image.h>

CTR_BEGIN_DECLS

/* Which pixels are the foreground of a level. */
typedef enum {
  CTR_LEVELS_AT_LEAST, /* sample (or luma) >= level */
  CTR_LEVELS_EQUAL     /* sample == level: for object masks and label images */
} CtrLevelMode;

/* How contours close at the border of the image. */
typedef enum {
  CTR_IMAGE_BORDER_PAD, /* the image is surrounded by background, as in OpenCV */
  CTR_IMAGE_BORDER_ZERO /* the image's first and last row and column are background, whatever their samples, as in the
                           paper */
} CtrImageBorder;

/* Which contours are nested in one another. */
typedef enum {
  CTR_HIERARCHY_PER_LEVEL, /* those of one level */
  CTR_HIERARCHY_LEVELS     /* those of all levels; the result has CTR_CONTOUR_FEATURE_NESTING. Only with AT_LEAST */
} CtrHierarchy;

/* No limit on the depth. */
#define CTR_CRACKS_ANY_DEPTH UINT32_MAX

typedef struct {
  CtrLevelMode mode;
  CtrConnectivity connectivity; /* of the foreground */
  CtrImageBorder frame;
  /* The levels, 1 or more, as level 0 is the background: minimum, minimum + step, ... up to maximum, or, unless levels
   * is NULL, a strictly ascending list. A level above all samples has no contours. */
  uint32_t minimum;
  uint32_t maximum;
  uint32_t step;
  const uint32_t *levels; /* read during the call only */
  uint32_t level_count;
  /* Limits on contours, as in borders.h. */
  double min_area; /* pixels^2, see ctr_contour_area() */
  double max_area;
  double min_length; /* pixels, see ctr_contour_perimeter() */
  /* The maximum number of points of all levels together, before contours are dropped; 0: no limit. The result of an
   * image with more points is empty, with CTR_LIMIT_POINTS exceeded and the number of points needed. Points are counted
   * before memory is allocated for them. */
  uint64_t max_points;
  uint32_t features; /* CtrContourFeatures */
  CtrHierarchy hierarchy;
  /* Limits on contours, only with CTR_HIERARCHY_LEVELS: contours of a branch of less persistence, and contours of more
   * depth, are dropped. */
  uint32_t min_persistence; /* samples */
  uint32_t max_depth;       /* CTR_CRACKS_ANY_DEPTH: no limit */
} CtrCracksParams;

/* Default of max_points: enough for 255 levels of a 3840 x 2160 photograph without strong noise. */
#define CTR_CRACKS_DEFAULT_MAX_POINTS (UINT64_C (1) << 26)

/* Defaults: AT_LEAST, 8-connected, PAD, every level from 1 to 65535, no limits on contours, no extra features, default
 * max_points, a hierarchy per level. */
CTR_API void ctr_cracks_params_init (CtrCracksParams *params);

typedef struct CtrCracks CtrCracks;

CTR_API CtrCracks *ctr_cracks_new (CtrBackend backend, CtrError *error);
CTR_API void ctr_cracks_free (CtrCracks *cracks);

/* Without max_points, 16-bit noise at many levels may need more memory than there is: CTR_ERROR_OUT_OF_MEMORY. The same
 * error is returned from 2^32 points on or 2^30 points of a level; on the CUDA backend, from 2^30 points on in all. */
CTR_API bool ctr_cracks_enqueue (
    CtrCracks *cracks, const CtrImage *image, const CtrCracksParams *params, void *stream, CtrError *error);

/* Each row of the result has its level; the threshold is 0. CUDA backend: table and points stay in GPU memory until
 * they are mapped. */
CTR_API CtrContours *ctr_cracks_finish (CtrCracks *cracks, CtrError *error);

CTR_API CtrContours *ctr_cracks_submit (
    CtrCracks *cracks, const CtrImage *image, const CtrCracksParams *params, void *stream, CtrError *error);

CTR_API bool ctr_cracks_settle (CtrCracks *cracks, CtrError *error);

CTR_API CtrContours *ctr_cracks_run (
    CtrCracks *cracks, const CtrImage *image, const CtrCracksParams *params, void *stream, CtrError *error);

/* The same for the label image of COMPONENTS, which must have CTR_FEATURE_LABELS. Of PARAMS, the mode and the levels are
 * not read, and the hierarchy must be CTR_HIERARCHY_PER_LEVEL. Labels in host memory are uploaded, labels of another CUDA
 * context or on the way to the CPU backend are downloaded; both waits for pending components. */
CTR_API bool ctr_cracks_enqueue_labels (
    CtrCracks *cracks, CtrComponents *components, const CtrCracksParams *params, void *stream, CtrError *error);

CTR_API CtrContours *ctr_cracks_submit_labels (
    CtrCracks *cracks, CtrComponents *components, const CtrCracksParams *params, void *stream, CtrError *error);

CTR_API CtrContours *ctr_cracks_run_labels (
    CtrCracks *cracks, CtrComponents *components, const CtrCracksParams *params, void *stream, CtrError *error);

CTR_END_DECLS

#endif
