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

/* The current values of the properties. */
CtrForeground gst_foreground_filter_get_foreground (GstForegroundFilter *self);
gboolean gst_foreground_filter_get_post_messages (GstForegroundFilter *self);

G_END_DECLS

#endif
