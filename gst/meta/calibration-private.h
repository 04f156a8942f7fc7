/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text of calibration files. */
#ifndef __GST_CONTOURS_CALIBRATION_PRIVATE_H__
#define __GST_CONTOURS_CALIBRATION_PRIVATE_H__

#include <contours/calibration.h>
#include <glib.h>

G_BEGIN_DECLS

/* A longer file is none: with all corners of a thousand pictures it has a third of this. */
#define CALIBRATION_MAX_BYTES (8 << 20)

/* Reads LENGTH bytes of YAML or JSON at TEXT into MODEL, which is not checked yet. Returns NULL, or what is wrong and what to
 * do (transfer full). */
G_GNUC_INTERNAL
gchar *gst_contours_calibration_read_text (const gchar *text, gsize length, CtrCalibration *model);

G_END_DECLS

#endif /* __GST_CONTOURS_CALIBRATION_PRIVATE_H__ */
