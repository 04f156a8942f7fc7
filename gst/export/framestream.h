/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames of a stream as they are described in the exports: times, size, flags, and what was lost before them. */
#ifndef GST_EXPORT_FRAMESTREAM_H
#define GST_EXPORT_FRAMESTREAM_H

#include "gst/export/format.h"

#include <gst/video/video.h>

G_BEGIN_DECLS

/* What is known of the stream at a sink pad. Zero-initialised when the element starts. */
typedef struct {
  guint width; /* of frames; 0: unknown */
  guint height;
  GstVideoInterlaceMode interlace_mode;
  gboolean asked_upstream;
  gboolean live;       /* Upstream is a camera or another source in real time. */
  gboolean numbered;   /* The source numbers its frames. */
  guint64 next_number; /* what it should give the next frame */
} ExportStream;

/* Takes size and scan mode of CAPS. */
void export_stream_set_caps (ExportStream *stream, const GstCaps *caps);

/* Considers EVENT of the stream, after which frames may have other numbers or another source. */
void export_stream_event (ExportStream *stream, const GstEvent *event);

/* Describes the next frame of STREAM at PAD, which belongs to an element. SEGMENT is that of the pad. */
ExportFrame export_stream_describe (
    ExportStream *stream, GstPad *pad, guint64 index, GstBuffer *buffer, const GstSegment *segment);

G_END_DECLS

#endif
