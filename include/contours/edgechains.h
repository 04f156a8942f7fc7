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
 * Result. Contours in CTR_COORDINATES_PIXELS with CTR_CONTOUR_FEATURE_CHAINS and CTR_VERTICES_ANY, so without codes. Rows have
 * no hierarchy: next and previous are their neighbours in the table. Open chains have CTR_CONTOUR_OPEN, and
 * CTR_CONTOUR_START_JUNCTION and CTR_CONTOUR_END_JUNCTION where their first and last point is a junction; area2 is 0. Of closed
 * ones, area2 is positive. The length of open chains ends with the last point. */
#ifndef CONTOURS_EDGECHAINS_H
#define CONTOURS_EDGECHAINS_H

#include <contours/contourlist.h>
#include <contours/image.h>

CTR_BEGIN_DECLS

typedef struct {
  double min_length; /* pixels, inclusive: shorter chains are dropped, see ctr_contour_perimeter(); 0: no limit */
} CtrEdgeChainsParams;

/* Defaults: no limit. */
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
