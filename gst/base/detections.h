/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Detections: GstAnalyticsODMtd in the frame's GstAnalyticsRelationMeta, of GStreamer 1.24 and newer. The only place that
 * knows gstreamer-analytics-1.0; without it there are none. */
#ifndef GST_BASE_DETECTIONS_H
#define GST_BASE_DETECTIONS_H

#include "gst/base/frameobjects.h"

G_BEGIN_DECLS

/* A detection of any element, in pixels of the frame. */
typedef struct {
  GQuark type; /* 0: unknown */
  gint x, y;   /* upper left corner of the bounding box; that of a turned box encloses it */
  gint width, height;
} Detection;

/* What to do where detections_are_supported() says FALSE, for messages. */
#define DETECTIONS_NEED "a build with gstreamer-analytics-1.0, which GStreamer has from 1.24 on"

gboolean detections_are_supported (void);

/* Adds a detection for each of OBJECTS to BUFFER, beside those that are there, and tells which contains which. From GStreamer
 * 1.26 on those with a rectangle of least area are turned. Only where detections are supported. */
void detections_add (GstBuffer *buffer, const FrameObjects *objects);

/* Whether BUFFER has any metadata that may hold detections. */
gboolean detections_may_exist (GstBuffer *buffer);

/* The detections of BUFFER, an array of Detection (transfer full), which may be empty. */
GArray *detections_find (GstBuffer *buffer);

G_END_DECLS

#endif
