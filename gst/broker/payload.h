/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a message says: the JSON or the bytes of one frame's metadata, with the identity of the frame. docs/export-schema.md
 * and docs/serial-format.md describe both. */
#ifndef GST_BROKER_PAYLOAD_H
#define GST_BROKER_PAYLOAD_H

#include "gst/broker/topic.h"
#include "gst/export/framestream.h"

G_BEGIN_DECLS

/* The members of a JSON object that tell the camera and the epoch, each with a comma behind it. */
gchar *broker_payload_make_members (const BrokerIdentity *identity);

/* The NDJSON of the frame BUFFER. CODES: as contourextract's property. FRAME.identity may be NULL. Writing ends early, with
 * GST_FLOW_FLUSHING, when PAD flushes. */
GstFlowReturn broker_payload_write_json (
    GstBuffer *buffer, ExportFrame *frame, gboolean codes, GstPad *pad, GBytes **payload, GError **error);

/* The metadata of the frame BUFFER as bytes, behind the identity of FRAME. */
GBytes *broker_payload_write_bytes (
    GstBuffer *buffer, const ExportFrame *frame, const BrokerIdentity *identity, GError **error);

/* The text of BUFFER with MEMBERS in each line of ours that has none, or as it is if MEMBERS is NULL. FRAME becomes the
 * number in the first line, and stays as it is if there is none. */
GBytes *broker_payload_copy_text (GstBuffer *buffer, const gchar *members, guint64 *frame, GError **error);

G_END_DECLS

#endif
