/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Components of one endless picture that comes in strips, as from a line-scan camera: the web.
 *
 *   CtrComponentStrips *strips = ctr_component_strips_new (CTR_BACKEND_CUDA, 16384, &error);
 *   while (...)
 *     components = ctr_component_strips_run (strips, &image, &params, stream, &error);
 *   if (ctr_component_strips_finish (strips, &rest, &error) && rest)
 *     ...
 *   ctr_component_strips_free (strips);
 *
 * A strip is an image; its first row follows the last row of the strip before. Strips may be of any height, and are of
 * one width. Component analysis of strips finds the components of the whole web, however it is cut: their numbers and
 * features are those of ctr_cca_run() on the whole picture. With Otsu's method each strip has a threshold of its own, so
 * there the foreground depends on the cutting.
 *
 * What a result holds. Each component is in one result: that of the first strip behind which it cannot go on, since no
 * pixel of the strip's first row, or of its last row, belongs to it any more; or that of ctr_component_strips_finish().
 * Rows are in raster order of the components' first pixels in the web; labels count from 1 in each result. The limits on
 * the area apply to whole components. There is no label image.
 *
 * Coordinates. y counts from the result's origin_row, which is MAX_OPEN_ROWS above the strip, or the first row of the
 * web. height is that of the rows from there to the end of the strip, so row height - 1 is the strip's last. In the web
 * a pixel's row is origin_row + y.
 *
 * Bound. A component that is still open at the end of a strip and begins more than MAX_OPEN_ROWS above that end is in the
 * strip's result as it is: ctr_components_is_unfinished(). CtrComponents.unfinished counts them. What goes on from it in
 * the next strip is a new component. So the memory and the time for what is open are bounded, too.
 *
 * On the CUDA backend two results of ctr_component_strips_submit() may be pending: the next strip is uploaded while the
 * last one is analysed. For the rest, see contours.h. */
#ifndef CONTOURS_STRIPS_H
#define CONTOURS_STRIPS_H

#include <contours/cca.h>

CTR_BEGIN_DECLS

typedef struct CtrComponentStrips CtrComponentStrips;

/* MAX_OPEN_ROWS is from 1 to 65534; it and the height of a strip are at most 65535 together. */
CTR_API CtrComponentStrips *ctr_component_strips_new (CtrBackend backend, uint32_t max_open_rows, CtrError *error);

/* STRIPS may be NULL. Open components are dropped. */
CTR_API void ctr_component_strips_free (CtrComponentStrips *strips);

/* Analyses the next strip. The parameters may change from strip to strip; the connectivity across a seam is that of the
 * strip below. Features are moments and grey values; they may change only between webs. After a failure the web ends:
 * open components are dropped, and the next strip begins another web. */
CTR_API CtrComponents *ctr_component_strips_submit (
    CtrComponentStrips *strips, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error);
CTR_API CtrComponents *ctr_component_strips_run (
    CtrComponentStrips *strips, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error);

/* Waits for the pending results. */
CTR_API bool ctr_component_strips_settle (CtrComponentStrips *strips, CtrError *error);

/* Rows are missing between the last strip and the next: nothing goes on across this seam. What is open is in the result
 * of the next strip. Rows of the web are counted without those that are missing. */
CTR_API void ctr_component_strips_cut (CtrComponentStrips *strips);

/* Ends the web. Sets *REST to the components that are still open (transfer full), with the parameters of the last strip
 * and in the coordinates of an empty strip behind it, or to NULL if there are none. The next strip begins another web, at
 * row 0. */
CTR_API bool ctr_component_strips_finish (CtrComponentStrips *strips, CtrComponents **rest, CtrError *error);

/* Ends the web, and drops what is open. */
CTR_API void ctr_component_strips_drop (CtrComponentStrips *strips);

CTR_END_DECLS

#endif
