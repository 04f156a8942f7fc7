/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small pictures with their components and contours, as an analyser would attach them: components by the host backend,
 * contours as if they were on a GPU. */
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
GstContoursComponentMeta *sample_attach (GstBuffer *buffer, guint features, const gchar *source);

/* A picture with a component in every second column of every second row: many components. */
GstBuffer *sample_dots (guint width, guint height);

/* Sends BUFFER through LAUNCH, a part of a pipeline; both transfer full. */
GstBuffer *sample_send (const gchar *launch, GstBuffer *buffer);

/* Where contours are before they are fetched. */
typedef struct {
  CtrCoordinates coordinates;
  gboolean broken; /* fetching fails from now on */
  gint fetched[3]; /* how often, by CtrContoursArray */
  gint destroyed;  /* the same */
} SampleGpu;

#define SAMPLE_CONTOURS 3
#define SAMPLE_POINTS 9
extern const CtrPoint sample_points[SAMPLE_POINTS];

/* Three contours: a rectangle of 5 x 3, in it a hole, a square on its tip, and a single point. On GPU, which is set up
 * anew and must outlive them; transfer full. */
CtrContours *sample_contours (SampleGpu *gpu, guint features, CtrCoordinates coordinates);

/* Attaches them to BUFFER. */
GstContoursContourMeta *sample_attach_contours (
    GstBuffer *buffer, SampleGpu *gpu, guint features, CtrCoordinates coordinates, const gchar *source);

#endif
