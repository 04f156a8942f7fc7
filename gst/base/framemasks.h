/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The masks of a frame: GstAnalyticsSegmentationMtd in its GstAnalyticsRelationMeta, of GStreamer 1.26 and newer. */
#ifndef GST_BASE_FRAMEMASKS_H
#define GST_BASE_FRAMEMASKS_H

#include <contours/types.h>
#include <gst/contours/gstcontoursmapping.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* The class of a region. */
typedef struct {
  guint value; /* of its pixels */
  GQuark name;
} FrameMaskClass;

typedef struct {
  GstBuffer *buffer;          /* the pixels, with a GstVideoMeta */
  GstVideoInfo info;          /* GRAY8 or GRAY16_LE */
  GstContoursMapping mapping; /* from the mask to the frame */
  GArray *classes;            /* FrameMaskClass; may be empty */
} FrameMask;

/* What to do where frame_masks_are_supported() says FALSE, for messages. */
#define FRAME_MASKS_NEED "a build with gstreamer-analytics-1.0 of GStreamer 1.26 or newer"

gboolean frame_masks_are_supported (void);

/* Whether BUFFER has any metadata that may hold masks. */
gboolean frame_masks_may_exist (GstBuffer *buffer);

/* The masks of BUFFER, a frame of WIDTH x HEIGHT pixels, in their order: an array of FrameMask (transfer full), which may be empty.
 * NULL and ERROR if one of them cannot be read.
 *
 * The mask lies where its location says: a mask of w x h pixels at the location x, y, W x H has the corner (i, j) at
 * (x + i W / w, y + j H / h). A location without width or height is the whole frame. The class of a region is what the
 * GstAnalyticsClsMtd that the mask is related to says at the region's index; without one, the type of the detection that
 * the mask is related to. */
GArray *frame_masks_find (GstBuffer *buffer, guint width, guint height, CtrError *error);

G_END_DECLS

#endif
