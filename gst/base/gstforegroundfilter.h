/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Base class of the elements that threshold frames into foreground and background: the properties that they share. */
#ifndef GST_BASE_GSTFOREGROUNDFILTER_H
#define GST_BASE_GSTFOREGROUNDFILTER_H

#include "gst/base/gstcontoursfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_FOREGROUND_FILTER (gst_foreground_filter_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstForegroundFilter, gst_foreground_filter, GST, FOREGROUND_FILTER, GstContoursFilter)

struct _GstForegroundFilterClass {
  GstContoursFilterClass parent_class;
};

/* Sets FOREGROUND to the current values of the properties, with the regions of the frame in BUFFER, whose samples are IMAGE: they
 * are valid until the next frame. Returns FALSE and error if the regions cannot be had. Streaming thread only. */
gboolean gst_foreground_filter_get_foreground (
    GstForegroundFilter *self, const CtrImage *image, GstBuffer *buffer, CtrForeground *foreground, CtrError *error);
gboolean gst_foreground_filter_get_post_messages (GstForegroundFilter *self);

/* Posts PROBLEM (transfer full; NULL: nothing), what is wrong with a property that was set, as a warning with the next frame. The
 * caller holds the object lock. */
void gst_foreground_filter_add_problem (GstForegroundFilter *self, gchar *problem);

G_END_DECLS

#endif
