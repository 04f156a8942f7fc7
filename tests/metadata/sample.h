/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small pictures and their components, as an analyser would attach them: by the host backend. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <gst/contours/gstcontours.h>
#include <gst/gst.h>

#define SAMPLE_WIDTH 8
#define SAMPLE_HEIGHT 6
#define SAMPLE_CAPS "video/x-raw,format=GRAY8,width=8,height=6,framerate=25/1,pixel-aspect-ratio=1/1"
#define SAMPLE_ALL (CTR_FEATURE_MOMENTS | CTR_FEATURE_GREY | CTR_FEATURE_LABELS)

/* The picture below: an L of 3 pixels, a ragged blob of 4, one pixel in the last corner. */
GstBuffer *sample_buffer (void);

/* Components of WIDTH x HEIGHT samples without gaps; transfer full. */
CtrComponents *sample_analyse (const guint8 *samples, guint width, guint height, guint features);

/* Attaches the components of the picture to BUFFER. */
GstComponentMeta *sample_attach (GstBuffer *buffer, guint features, const gchar *source);

/* A picture with a component in every second column of every second row: many components. */
GstBuffer *sample_dots (guint width, guint height);

#endif
