/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The property calibration-location of the analysers: the file is read when the next frame comes, and again when the property
 * is set. */
#ifndef GST_BASE_FRAMECALIBRATION_H
#define GST_BASE_FRAMECALIBRATION_H

#include <contours/types.h>
#include <gst/contours/gstcontourscalibration.h>
#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  /* Under the object lock. */
  gchar *location; /* NULL: none */
  guint changes;   /* how often it was set */

  /* Of the streaming thread. */
  GstContoursCalibration *current; /* NULL: none */
  gchar *name;                     /* of its file, for messages */
  guint read_changes;              /* CHANGES when it was read */
  gboolean strips;                 /* Frames are strips: their height is any. */
} FrameCalibration;

void frame_calibration_clear (FrameCalibration *self);

/* Installs the property with this ID. */
void frame_calibration_install_property (GObjectClass *klass, guint id);

/* To be called under the object lock; FALSE if PSPEC is another property. */
gboolean frame_calibration_set_property (FrameCalibration *self, const GValue *value, GParamSpec *pspec);
gboolean frame_calibration_get_property (const FrameCalibration *self, GValue *value, GParamSpec *pspec);

/* Reads the file of ELEMENT if the property was set since. STRIPS: frames are strips of an endless picture, which has no
 * centre that a lens or a plane could refer to. */
gboolean frame_calibration_update (FrameCalibration *self, GstElement *element, gboolean strips, CtrError *error);

/* Whether the calibration holds for pictures of this size, or strips of this width. */
gboolean frame_calibration_suits (const FrameCalibration *self, guint width, guint height, CtrError *error);

G_END_DECLS

#endif
