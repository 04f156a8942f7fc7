/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef __GST_CONTOURS_LAYOUT_H__
#define __GST_CONTOURS_LAYOUT_H__

#include <glib-object.h>
#include <gst/contours/gstcontoursprelude.h>

G_BEGIN_DECLS

GST_CONTOURS_API
gchar *gst_contours_get_layout (const gchar *structure);

G_END_DECLS

#endif /* __GST_CONTOURS_LAYOUT_H__ */
