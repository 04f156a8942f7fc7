/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The message that elements post about each frame where they are asked to. */
#ifndef FRAME_MESSAGE_H
#define FRAME_MESSAGE_H

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

/* Posts an element message NAME about BUFFER: its times, and the fields given as for gst_structure_new(). */
void frame_message_post (
    GstBaseTransform *trans, GstBuffer *buffer, const gchar *name, const gchar *field, ...) G_GNUC_NULL_TERMINATED;

G_END_DECLS

#endif
