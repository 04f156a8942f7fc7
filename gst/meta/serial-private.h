/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metadata as bytes, inside the library. */
#ifndef __GST_CONTOURS_SERIAL_PRIVATE_H__
#define __GST_CONTOURS_SERIAL_PRIVATE_H__

#include "gst/meta/resultmeta-private.h"

G_BEGIN_DECLS

/* Lets GStreamer serialise metadata of INFO, which is not registered yet. Only since GStreamer 1.24. */
#if GST_CHECK_VERSION(1, 24, 0)
G_GNUC_INTERNAL
void gst_contours_serial_set_functions (GstMetaInfo *info);
#endif

G_END_DECLS

#endif /* __GST_CONTOURS_SERIAL_PRIVATE_H__ */
