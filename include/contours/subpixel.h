/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Subpixel contours: where the edge beside each point of a border is, to a fraction of a pixel. Border following (borders.h)
 * finds it on request, and so does edge linking of edge pixels, which have no side (edgechains.h says what differs for them).
 * core/results/subpixel.h has the definition to the last bit.
 *
 * A point of a border is a foreground pixel, and the border has the background on its right. So each visit of the border to a
 * pixel knows its side: a line one pixel wide is passed twice, and each visit looks at its own side of the line. The normal at a
 * point is at right angles to the sum of the steps, each one of eight directions, by which the border comes and goes; where it
 * turns back, the normal goes on in the direction in which the border came.
 *
 * CTR_SUBPIXEL_THRESHOLD. The level between foreground and background is T - 1/2, T being the foreground threshold: as samples are
 * integers, it lies strictly between every foreground and every background sample. The point moves to where the sample,
 * interpolated linearly between the pixel and its neighbour, crosses this level. The neighbour is the one in the row or column
 * nearest to the normal. Where the normal is diagonal, the point is the middle of the crossings in row and column; where neither
 * crosses, the crossing on the diagonal.
 *
 * CTR_SUBPIXEL_EDGE. The point moves along the row or column nearest to its normal; where the normal is diagonal, along that of
 * both which does not leave the image, otherwise in which its two neighbours differ more, by rows if they differ equally. It
 * moves by up to 2 pixels, to the edge of the image smoothed by a Gaussian of sigma pixels in both directions that is nearest to the
 * middle between the pixel and its neighbour, of the sign that the foreground says: with ranges of channels of any sign. An edge is where the gradient is greatest in its own
 * direction; where the edge is curved, the zero of u_nn + (u_xx + u_yy), n being the direction of the gradient. On a straight
 * edge, these two are the same. On a circle of radius R, smoothing by optics and sigma, s^2 in all, draws the greatest gradient
 * inwards by s^2 / (2 R) and the zero of u_xx + u_yy outwards by as much; the sum has neither error (Verbeek, van Vliet: "On
 * the location error of curved edges in low-pass filtered 2-D and 3-D images"). */
#ifndef CONTOURS_SUBPIXEL_H
#define CONTOURS_SUBPIXEL_H

#include <contours/contourlist.h>

CTR_BEGIN_DECLS

/* How points are refined. */
typedef enum { CTR_SUBPIXEL_NONE, CTR_SUBPIXEL_THRESHOLD, CTR_SUBPIXEL_EDGE } CtrSubpixel;

/* Limits of subpixel_sigma, of CtrBordersParams and CtrEdgeChainsParams, in pixels, and what 0 stands for. */
#define CTR_SUBPIXEL_MIN_SIGMA 0.5
#define CTR_SUBPIXEL_MAX_SIGMA 4.0
#define CTR_SUBPIXEL_SIGMA 1.0

/* The unit of CtrSubpixelPoint.x and .y in pixels, that of .strength in sample units per pixel, and that of .normal in turns. */
#define CTR_SUBPIXEL_UNIT (1.0 / (1 << 8))
#define CTR_SUBPIXEL_STRENGTH_UNIT (1.0 / (1 << 8))
#define CTR_SUBPIXEL_NORMAL_UNIT (1.0 / (1 << 16))

/* CtrSubpixelPoint.flags: why a point was not refined. It is at its pixel, with the strength 0. */
enum {
  CTR_SUBPIXEL_NO_EDGE =
      1 << 0, /* There is no edge near: no crossing of the level, no greatest gradient of the right sign. */
  CTR_SUBPIXEL_FRAME = 1 << 1, /* What is behind the border lies outside the image. */
  CTR_SUBPIXEL_LONE =
      1 << 2 /* The point has no side: the border is a single pixel; of edge pixels, there is no gradient. */
};

/* A refined point: 16 bytes, with the same layout on the GPU. */
typedef struct CtrSubpixelPoint {
  int32_t x, y;      /* position in CTR_SUBPIXEL_UNIT: centres of pixels have multiples of 256 */
  uint32_t strength; /* the gradient at the edge in CTR_SUBPIXEL_STRENGTH_UNIT; with EDGE, of the smoothed image */
  /* Direction from the foreground to the background, of edge chains from dark to bright, in CTR_SUBPIXEL_NORMAL_UNIT, clockwise on
   * the screen from the x axis: that of the gradient; where the point was not refined, that of the normal at the point; 0 if it is a LONE one. */
  uint16_t normal;
  uint16_t flags; /* CTR_SUBPIXEL_*; 0: refined */
} CtrSubpixelPoint;

/* The refined points of a result, as the arrays of contourlist.h: point_count of them, in the order of the points; NULL without
 * CTR_CONTOUR_FEATURE_SUBPIXEL. */
CTR_API const CtrSubpixelPoint *ctr_contours_map_subpixel (CtrContours *contours, CtrError *error);

CTR_END_DECLS

#endif
