/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small images with their components and contours, as an element would attach them. The components come from the CPU
 * backend, the contours from an imitated GPU. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <gst/check/gstharness.h>
#include <gst/contours/gstcontours.h>
#include <gst/gst.h>

#define SAMPLE_WIDTH 8
#define SAMPLE_HEIGHT 6
#define SAMPLE_CAPS "video/x-raw,format=GRAY8,width=8,height=6,framerate=25/1,pixel-aspect-ratio=1/1"
#define SAMPLE_ALL                                                                                               \
  (CTR_FEATURE_MOMENTS | CTR_FEATURE_GREY | CTR_FEATURE_LABELS | CTR_FEATURE_PERCENTILES | CTR_FEATURE_INSCRIBED \
      | CTR_FEATURE_CONTRAST | CTR_FEATURE_SKELETON)

/* The sample image: an L of 3 pixels, a ragged blob of 4, one pixel in the last corner. */
GstBuffer *sample_buffer (void);

/* The source of H is a file: a harness is a camera otherwise. */
void sample_play_file (GstHarness *h);

/* Returns the components of WIDTH x HEIGHT contiguous samples; transfer full. */
CtrComponents *sample_analyse (const guint8 *samples, guint width, guint height, guint features);

/* Attaches the components of the sample image to BUFFER. */
GstContoursComponentMeta *sample_attach (GstBuffer *buffer, guint features, const gchar *source);

/* An image with many components: one in every second column of every second row. */
GstBuffer *sample_dots (guint width, guint height);

/* Sends BUFFER through LAUNCH, a part of a pipeline, and returns what comes out; both transfer full. */
GstBuffer *sample_send (const gchar *launch, GstBuffer *buffer);

/* The imitated GPU, where contours are before they are fetched. */
typedef struct {
  CtrCoordinates coordinates;
  gboolean broken; /* fetching fails */
  gint fetched[3]; /* number of fetches, by CtrContoursArray */
  gint destroyed;  /* number of results freed */
} SampleGpu;

#define SAMPLE_CONTOURS 3
#define SAMPLE_POINTS 9
extern const CtrPoint sample_points[SAMPLE_POINTS];

/* Three contours: a rectangle of 5 x 3, a hole in it that is a square on its tip, and a single point. They are on GPU,
 * which this initialises, and which must outlive them; transfer full. */
CtrContours *sample_contours (SampleGpu *gpu, guint features, CtrCoordinates coordinates);

/* Attaches these contours to BUFFER. */
GstContoursContourMeta *sample_attach_contours (
    GstBuffer *buffer, SampleGpu *gpu, guint features, CtrCoordinates coordinates, const gchar *source);

#endif
