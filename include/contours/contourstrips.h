/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strips: the contours of an endless picture, the web, which arrives in strips of rows, as from a line-scan camera.
 * Borders (borders.h) and level contours (cracks.h) that leave a strip at its last row go on in the next one.
 *
 *   CtrBorderStrips *strips = ctr_border_strips_new (CTR_BACKEND_CUDA, max_open_rows, &error);
 *   while (next_strip (&image))
 *     contours = ctr_border_strips_run (strips, &image, &params, stream, &error);
 *   if (ctr_border_strips_finish (strips, &rest, &error) && rest)
 *     ...
 *   ctr_border_strips_free (strips);
 *
 * Which contours. Each contour is reported once, with the strip after which it is known to be closed: the one with the
 * row below the contour. ctr_*_strips_finish() reports those that the end of the web closes, below which there is
 * background, as above its first row. All strips of a web together have the contours of the whole picture: their points,
 * the first one, measures, sums and flags are the same however the web is cut, with strips of one row, too. Each row of
 * the web has the threshold of its strip; Otsu's depends on the cutting.
 *
 * Coordinates are those of strips.h, as are the bounds of MAX_OPEN_ROWS.
 *
 * Open contours. What began more than MAX_OPEN_ROWS rows above the end of a strip and is not closed there is reported with
 * CTR_CONTOUR_OPEN: a line from its first point to its last one, or several lines where several have not met yet. What
 * continues it is a new contour, and will be open, too, as its beginning is missing. So memory has a bound, and no point
 * is lost. Each point is in one row of a table. An open contour's area and sums are 0, its length is that of its
 * segments, and limits do not apply to it.
 *
 * Order. As in borders.h (LIST) and cracks.h, by the first point in the web; open contours come last, those of level
 * contours last of their level. Level contours have no hierarchy: next, previous, child and parent are -1.
 *
 * Parameters. Borders need CTR_RETRIEVE_LIST, as the parent of a closed contour may be open, and level contours
 * CTR_IMAGE_BORDER_PAD. Limits on contours apply to whole contours. Parameters may differ from strip to strip; lines that
 * have no continuation then are reported as open. max_points limits each strip alone: a strip beyond it counts as
 * background. Its result has the limit exceeded, and the contours that were open above it.
 *
 * If the analysis of a strip fails, the open contours are lost with it. The web goes on below as if below background.
 *
 * See contours.h for backends, contexts, queueing, pending results and failure. Two strips may be pending: the next one
 * is uploaded and analysed while the host joins the contours of the last one. */
#ifndef CONTOURS_CONTOURSTRIPS_H
#define CONTOURS_CONTOURSTRIPS_H

#include <contours/borders.h>
#include <contours/cracks.h>

CTR_BEGIN_DECLS

typedef struct CtrBorderStrips CtrBorderStrips;

CTR_API CtrBorderStrips *ctr_border_strips_new (CtrBackend backend, uint32_t max_open_rows, CtrError *error);
CTR_API void ctr_border_strips_free (CtrBorderStrips *strips);

/* The contours that STRIP closes; its rows follow those of the strip before. The width and format of all strips of a web
 * are the same. */
CTR_API CtrContours *ctr_border_strips_run (
    CtrBorderStrips *strips, const CtrImage *strip, const CtrBordersParams *params, void *stream, CtrError *error);
CTR_API CtrContours *ctr_border_strips_submit (
    CtrBorderStrips *strips, const CtrImage *strip, const CtrBordersParams *params, void *stream, CtrError *error);

/* These are as those of strips.h. */
CTR_API bool ctr_border_strips_settle (CtrBorderStrips *strips, CtrError *error);
CTR_API void ctr_border_strips_cut (CtrBorderStrips *strips);
CTR_API bool ctr_border_strips_finish (CtrBorderStrips *strips, CtrContours **rest, CtrError *error);
CTR_API void ctr_border_strips_drop (CtrBorderStrips *strips);

typedef struct CtrCrackStrips CtrCrackStrips;

CTR_API CtrCrackStrips *ctr_crack_strips_new (CtrBackend backend, uint32_t max_open_rows, CtrError *error);
CTR_API void ctr_crack_strips_free (CtrCrackStrips *strips);

CTR_API CtrContours *ctr_crack_strips_run (
    CtrCrackStrips *strips, const CtrImage *strip, const CtrCracksParams *params, void *stream, CtrError *error);
CTR_API CtrContours *ctr_crack_strips_submit (
    CtrCrackStrips *strips, const CtrImage *strip, const CtrCracksParams *params, void *stream, CtrError *error);

CTR_API bool ctr_crack_strips_settle (CtrCrackStrips *strips, CtrError *error);
CTR_API void ctr_crack_strips_cut (CtrCrackStrips *strips);
CTR_API bool ctr_crack_strips_finish (CtrCrackStrips *strips, CtrContours **rest, CtrError *error);
CTR_API void ctr_crack_strips_drop (CtrCrackStrips *strips);

CTR_END_DECLS

#endif
