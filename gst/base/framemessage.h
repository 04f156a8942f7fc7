/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What analysers say about a frame: the flags of their metadata, and the element message that they post on request. */
#ifndef GST_BASE_FRAMEMESSAGE_H
#define GST_BASE_FRAMEMESSAGE_H

#include "gst/base/gstcontoursfilter.h"

G_BEGIN_DECLS

/* What a reader of an analysis of BUFFER has to know, by its flags and the interlace MODE of its caps. */
GstContoursResultFlags frame_message_get_flags (GstBuffer *buffer, GstVideoInterlaceMode mode);

/* Posts an element message NAME about BUFFER: its times and flags, and the fields given as for gst_structure_new(). */
void frame_message_post (
    GstContoursFilter *filter, GstBuffer *buffer, const gchar *name, const gchar *field, ...) G_GNUC_NULL_TERMINATED;

G_END_DECLS

#endif
