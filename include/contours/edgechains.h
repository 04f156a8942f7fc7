/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edge linking: the pixels of an edge mask, such as that of Canny's detector (canny.h), as ordered lines of points, called
 * chains. See contours.h for how to call an analyser.
 *
 * Links. A pixel of the mask is an edge pixel if it is not 0. Two edge pixels are linked if they are neighbours in a row or
 * column; and if they touch at a corner, where neither of the two pixels that are neighbours of both in row and column is an edge
 * pixel. So the corner of a line is no triangle of three pixels, links do not cross, and an edge pixel has up to four links. The
 * linked parts of the mask are its 8-connected components.
 *
 * Chains. An edge pixel with one link is a free end, one with two links is inside a chain, one with three or four is a junction.
 * A chain runs along links from an end, free or a junction, through pixels with two links to the next end, which may be the same
 * junction. It is open and has the pixels of both ends, so that a junction is an end of three or four chains. Where all pixels
 * have two links, the chain is closed: the last point is linked with the first. A pixel without links is a chain of one point,
 * open, with that pixel as both ends, which are free.
 *
 * Each link belongs to one chain. So there are as many points as links and open chains.
 *
 * Order. Directions are numbered clockwise on the screen: right, lower right, down, and so on to upper right. A chain can be
 * read from each of its ends, and where it is closed from each pixel, in both directions. It begins where the first pixel is the
 * first one in raster order, and goes in the direction with the smaller number of those in which it can leave this pixel. So an
 * open chain begins with the end that comes first in raster order, or where both ends are the same junction, to the side that
 * comes first in the clockwise order; a closed one begins with its first pixel in raster order and runs clockwise on the screen.
 * Chains are ordered by their first pixels in raster order, and those with the same first pixel by the number of their first
 * direction.
 *
 * Result. Contours in CTR_COORDINATES_PIXELS with CTR_CONTOUR_FEATURE_CHAINS and CTR_VERTICES_STEPS. Rows have
 * no hierarchy: next and previous are their neighbours in the table. Open chains have CTR_CONTOUR_OPEN, and
 * CTR_CONTOUR_START_JUNCTION and CTR_CONTOUR_END_JUNCTION where their first and last point is a junction; area2 is 0. Of closed
 * ones, area2 is positive. The length of open chains ends with the last point.
 *
 * Subpixels. CTR_SUBPIXEL_EDGE of subpixel.h finds the edge beside each point in the image whose edges the mask shows. An edge
 * pixel has no foreground, so the gradient takes its place: that of the image smoothed by a Gaussian of subpixel_sigma, at the
 * pixel. The point moves along the row or column nearest to this gradient, the row if both are, by up to 2 pixels, to the nearest
 * edge across which the samples grow in the direction of this gradient; of two that are equally near, to the one against it. What
 * an edge is says subpixel.h. The normal is the direction of the gradient, from dark to bright. A refined point depends on its
 * pixel and the image alone, so a junction is refined alike in all of its chains, and a pixel alone is refined, too.
 *
 * Points without such an edge stay at their pixel, with the direction of the gradient there. They have CTR_SUBPIXEL_FRAME where the
 * image ends on the row or column within 2 pixels, otherwise CTR_SUBPIXEL_NO_EDGE; and CTR_SUBPIXEL_LONE where there is no gradient,
 * as in the middle of a thin line. */
#ifndef CONTOURS_EDGECHAINS_H
#define CONTOURS_EDGECHAINS_H

#include <contours/contourlist.h>
#include <contours/image.h>
#include <contours/subpixel.h>

CTR_BEGIN_DECLS

typedef struct {
  double min_length; /* pixels, inclusive: shorter chains are dropped, see ctr_contour_perimeter(); 0: no limit */
  /* Refines each point that the result lists: CTR_CONTOUR_FEATURE_SUBPIXEL. CTR_SUBPIXEL_NONE or CTR_SUBPIXEL_EDGE. */
  CtrSubpixel subpixel;
  double subpixel_sigma; /* as CtrBordersParams.subpixel_sigma */
  /* EDGE: what the mask shows the edges of, of the size of the mask and as a mask in host or device memory. The samples are the
   * luma, with all of their bits. It must stay unchanged as the mask must; NULL without subpixels. */
  const CtrImage *image;
} CtrEdgeChainsParams;

/* Defaults: no limit, no subpixels, with a sigma of CTR_SUBPIXEL_SIGMA. */
CTR_API void ctr_edge_chains_params_init (CtrEdgeChainsParams *params);

typedef struct CtrEdgeChains CtrEdgeChains;

CTR_API CtrEdgeChains *ctr_edge_chains_new (CtrBackend backend, CtrError *error);
CTR_API void ctr_edge_chains_free (CtrEdgeChains *chains);

/* Sets MASK to memory of the analyser for an edge mask of WIDTH x HEIGHT pixels, in CTR_FORMAT_GRAY8: in host memory, or on the
 * CUDA backend in device memory. Its contents are not initialised; the caller writes it as the plane of an edge picture, and
 * passes it to ctr_edge_chains_enqueue(). It is valid until the next call and ctr_edge_chains_free(). A result that is pending is
 * dropped. */
CTR_API bool ctr_edge_chains_get_mask (
    CtrEdgeChains *chains, CtrMemory memory, uint32_t width, uint32_t height, CtrImage *mask, CtrError *error);

/* MASK has CTR_FORMAT_GRAY8; on the CUDA backend, 2^30 - 1 pixels at most. */
CTR_API bool ctr_edge_chains_enqueue (
    CtrEdgeChains *chains, const CtrImage *mask, const CtrEdgeChainsParams *params, void *stream, CtrError *error);

CTR_API CtrContours *ctr_edge_chains_finish (CtrEdgeChains *chains, CtrError *error);

CTR_API CtrContours *ctr_edge_chains_run (
    CtrEdgeChains *chains, const CtrImage *mask, const CtrEdgeChainsParams *params, void *stream, CtrError *error);

CTR_END_DECLS

#endif
