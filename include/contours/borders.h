/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Border following: the borders of a binary image as ordered lists of points, with their hierarchy (García-Molla,
 * Alonso-Jordá, García-Laguía: "Parallel border tracking in binary images using GPUs"; Suzuki, Abe: "Topological
 * structural analysis of digitized binary images by border following"). See contours.h for how to call an analyser.
 *
 * CTR_CONNECTIVITY_8. The foreground is 8-connected, the background 4-connected. Points, order and hierarchy equal those
 * of OpenCV's findContours().
 *
 * CTR_CONNECTIVITY_4. The foreground is 4-connected, the background 8-connected. Outside the image there is background.
 *
 * A border lies between a component of the foreground and a component of the background, one of which surrounds the
 * other: an outer border around the component of the foreground, the border of a hole around that of the background. It is
 * a closed walk on the pixels of the foreground from edge neighbour to edge neighbour, with the background on its right: an
 * outer border runs anticlockwise on the screen, the border of a hole clockwise. Think of the cracks between the two
 * components as one closed line. The walk takes the pixel at each crack, and where the line turns around a pixel of the
 * background, also the foreground pixel between the two cracks, which touches that pixel at a corner only. So its points
 * are all pixels of the component that touch this background by an edge or a corner. A pixel is a point once for each time
 * that the walk comes to it, up to four times. An isolated pixel is one point.
 *
 * The first point of an outer border is the first pixel of its component in raster order, that of a hole's border is the
 * pixel west of the first pixel of the hole. The borders are ordered by that first pixel of component or hole as those of
 * CTR_CONNECTIVITY_8 are: in descending raster order, in a hierarchy after their parent. The parent of a hole's border is the
 * outer border of the component with that hole; the parent of an outer border is the border of the hole around it, or none.
 * What CtrRetrieval and CtrApproximation say is the same for both connectivities.
 *
 * As closed lines, outer borders are those of a wall follower over edge neighbours, as MATLAB's bwboundaries (BW, 4) is. That
 * function traces a hole on the hole's own pixels; here, as in OpenCV, the border of a hole lies on the foreground around it. */
#ifndef CONTOURS_BORDERS_H
#define CONTOURS_BORDERS_H

#include <contours/contourlist.h>
#include <contours/foreground.h>
#include <contours/image.h>
#include <contours/subpixel.h>
#include <contours/select.h>

CTR_BEGIN_DECLS

/* OpenCV's RETR_*: which borders are retrieved, and their hierarchy. */
typedef enum {
  CTR_RETRIEVE_EXTERNAL = 0, /* the outermost borders */
  CTR_RETRIEVE_LIST = 1,     /* all borders without hierarchy; next and previous are the neighbours in the list */
  CTR_RETRIEVE_CCOMP = 2,    /* all borders in two levels: outer borders, and their holes */
  CTR_RETRIEVE_TREE = 3      /* all borders, fully nested */
} CtrRetrieval;

/* OpenCV's CHAIN_APPROX_* */
typedef enum {
  CTR_APPROXIMATION_NONE = 1,  /* every pixel of the border */
  CTR_APPROXIMATION_SIMPLE = 2 /* the ends of its horizontal, vertical and diagonal segments */
} CtrApproximation;

typedef struct {
  CtrForeground foreground;
  CtrConnectivity connectivity; /* of the foreground */
  CtrRetrieval mode;
  CtrApproximation approximation;
  /* Simplifies each contour as cv::approxPolyDP() of OpenCV 4.13 and newer does with closed = true and this epsilon, in
   * pixels; 0: no simplification. Area, length, bounding box, sums and the limits below apply to the contour before. */
  double epsilon;
  /* Limits on contours, inclusive; 0: no limit. A contour outside them is dropped before any point leaves the GPU. Its
   * children become those of the nearest enclosing contour that is kept. */
  double min_area; /* pixels^2, see ctr_contour_area() */
  double max_area;
  double min_length;  /* pixels, see ctr_contour_perimeter() */
  uint32_t min_width; /* of the bounding box, pixels */
  uint32_t min_height;
  uint32_t features; /* CtrContourFeatures */
  /* Refines each point that the result lists (subpixel.h): CTR_CONTOUR_FEATURE_SUBPIXEL. The samples are those of the channel of
   * FOREGROUND, and the luma where it has ranges.
   *
   * THRESHOLD needs one threshold: the mode FIXED without upper_threshold, OTSU, TRIANGLE, or HYSTERESIS, whose level is that of
   * the threshold. Points that an opening, a closing or a splitting have moved away from the level are flagged. */
  CtrSubpixel subpixel;
  double subpixel_sigma; /* EDGE: CTR_SUBPIXEL_MIN_SIGMA .. CTR_SUBPIXEL_MAX_SIGMA pixels; 0: CTR_SUBPIXEL_SIGMA */
  /* Limits on any of the contours' numbers. They apply after those above, which drop contours in the same way, and all at once: a
   * hole that SELECT drops still counts in CTR_CONTOUR_FEATURE_HOLES. The result has the features that they need, too. */
  CtrSelect select;
  double feret_angle; /* degrees clockwise on the screen from the x axis: direction of CtrContourShape.feret_extent */
} CtrBordersParams;

/* Defaults: fixed threshold 128, 8-connected, LIST, SIMPLE, no limits, no extra features, no subpixels. */
CTR_API void ctr_borders_params_init (CtrBordersParams *params);

typedef struct CtrBorders CtrBorders;

CTR_API CtrBorders *ctr_borders_new (CtrBackend backend, CtrError *error);
CTR_API void ctr_borders_free (CtrBorders *borders);

CTR_API bool ctr_borders_enqueue (
    CtrBorders *borders, const CtrImage *image, const CtrBordersParams *params, void *stream, CtrError *error);

/* CUDA backend: table and points stay in GPU memory until they are mapped. */
CTR_API CtrContours *ctr_borders_finish (CtrBorders *borders, CtrError *error);

CTR_API CtrContours *ctr_borders_submit (
    CtrBorders *borders, const CtrImage *image, const CtrBordersParams *params, void *stream, CtrError *error);

CTR_API bool ctr_borders_settle (CtrBorders *borders, CtrError *error);

CTR_API CtrContours *ctr_borders_run (
    CtrBorders *borders, const CtrImage *image, const CtrBordersParams *params, void *stream, CtrError *error);

CTR_END_DECLS

#endif
