/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The planes of cudacanny's picture, in every format. */
#ifndef GST_CANNY_EDGEPLANE_H
#define GST_CANNY_EDGEPLANE_H

#include <contours/canny.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* Describes plane INDEX of OUT: opaque white edges on black, and grey levels between them for other outputs; SOURCE, unless
 * it is NULL, replaces white. */
void edge_plane_describe (CtrEdgePlane *plane, const GstVideoFrame *out, const GstVideoFrame *source, guint index);

G_END_DECLS

#endif
