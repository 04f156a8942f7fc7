/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Element messages about one frame, and the flags that they share with its metadata. */
#ifndef GST_BASE_FRAMEMESSAGE_H
#define GST_BASE_FRAMEMESSAGE_H

#include "gst/base/gstcontoursfilter.h"

G_BEGIN_DECLS

/* The result flags that follow from BUFFER's own flags and the interlace MODE of its caps. */
GstContoursResultFlags frame_message_get_flags (GstBuffer *buffer, GstVideoInterlaceMode mode);

/* Posts an element message NAME with BUFFER's timestamps and flags and the fields given as for gst_structure_new(). */
void frame_message_post (
    GstContoursFilter *filter, GstBuffer *buffer, const gchar *name, const gchar *field, ...) G_GNUC_NULL_TERMINATED;

G_END_DECLS

#endif
