/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an analyser says about a frame: the metadata that it attaches, and the message that it posts on request. Both
 * carry the element's name and what is to be known about the frame. */
#ifndef GST_BASE_FRAMEMESSAGE_H
#define GST_BASE_FRAMEMESSAGE_H

#include "gst/base/gstcontoursfilter.h"

#include <contours/contours.h>

G_BEGIN_DECLS

/* What a reader of an analysis of BUFFER has to know, by its flags and the interlace MODE of its caps. */
GstContoursResultFlags frame_message_get_flags (GstBuffer *buffer, GstVideoInterlaceMode mode);

/* Attaches a result to BUFFER, which is writable, with a reference of its own. */
void frame_results_attach_components (GstContoursFilter *filter, GstBuffer *buffer, CtrComponents *components);
void frame_results_attach_contours (GstContoursFilter *filter, GstBuffer *buffer, CtrContours *contours);

/* Posts an element message NAME about BUFFER: its times and flags, and the fields given as for gst_structure_new(). */
void frame_message_post (
    GstContoursFilter *filter, GstBuffer *buffer, const gchar *name, const gchar *field, ...) G_GNUC_NULL_TERMINATED;

G_END_DECLS

#endif
