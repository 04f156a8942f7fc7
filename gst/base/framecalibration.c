/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/framecalibration.h"

#include "gst/base/excerpt.h"

#include <math.h>
#include <string.h>

#define NAME "calibration-location"

void
frame_calibration_clear (FrameCalibration *self)
{
  g_clear_pointer (&self->location, g_free);
  g_clear_pointer (&self->name, g_free);
  g_clear_pointer (&self->current, gst_contours_calibration_unref);
}

void
frame_calibration_install_property (GObjectClass *klass, guint id)
{
  /* calibration-location: A YAML or JSON file as OpenCV's FileStorage writes it, with the camera's matrix and distortion
   * coefficients, a homography to the plane of the objects or a scale, and the unit. Metadata and exports then have
   * coordinates, lengths and areas in this unit, too. The picture stays unchanged. */
  g_object_class_install_property (klass, id,
      g_param_spec_string (NAME, "Calibration location",
          "YAML or JSON file that tells how pixels become units of the world (empty = none)", NULL,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
}

gboolean
frame_calibration_set_property (FrameCalibration *self, const GValue *value, GParamSpec *pspec)
{
  const gchar *location;

  if (!g_str_equal (pspec->name, NAME))
    return FALSE;
  location = g_value_get_string (value);
  g_free (self->location);
  self->location = location && *location ? g_strdup (location) : NULL;
  self->changes++;
  return TRUE;
}

gboolean
frame_calibration_get_property (const FrameCalibration *self, GValue *value, GParamSpec *pspec)
{
  if (!g_str_equal (pspec->name, NAME))
    return FALSE;
  g_value_set_string (value, self->location);
  return TRUE;
}

static gboolean G_GNUC_PRINTF (2, 3) refuse (CtrError *error, const gchar *format, ...)
{
  va_list args;

  va_start (args, format);
  error->status = CTR_ERROR_INVALID_ARGUMENT;
  g_vsnprintf (error->message, sizeof error->message, format, args);
  va_end (args);
  return FALSE;
}

static gboolean
check_strips (FrameCalibration *self, gboolean strips, CtrError *error)
{
  self->strips = strips;
  if (!strips || !self->current || !isnan (gst_contours_calibration_get_scale (self->current)))
    return TRUE;
  return refuse (error,
      "the calibration in '%s' has a camera or a homography, but strips of an endless picture need a scale alone",
      self->name);
}

gboolean
frame_calibration_update (FrameCalibration *self, GstElement *element, gboolean strips, CtrError *error)
{
  GError *problem = NULL;
  gchar *location = NULL;
  guint changes;

  GST_OBJECT_LOCK (element);
  changes = self->changes;
  if (changes != self->read_changes)
    location = g_strdup (self->location);
  GST_OBJECT_UNLOCK (element);
  if (changes == self->read_changes)
    return check_strips (self, strips, error);

  g_clear_pointer (&self->current, gst_contours_calibration_unref);
  g_clear_pointer (&self->name, g_free);
  if (location) {
    self->name = excerpt_new (location);
    self->current = gst_contours_calibration_load (location, &problem);
  }
  g_free (location);
  if (problem) {
    refuse (error, "%s", problem->message);
    g_error_free (problem);
    return FALSE;
  }
  self->read_changes = changes;
  return check_strips (self, strips, error);
}

gboolean
frame_calibration_suits (const FrameCalibration *self, guint width, guint height, CtrError *error)
{
  guint wanted_width, wanted_height;

  if (!self->current)
    return TRUE;
  gst_contours_calibration_get_size (self->current, &wanted_width, &wanted_height);
  if (wanted_width == 0 || (wanted_width == width && (self->strips || wanted_height == height)))
    return TRUE;
  return refuse (error,
      "the calibration in '%s' is one of pictures with %u x %u pixels, but the frames have %u x %u: analyse frames as "
      "the "
      "camera takes them, or calibrate again",
      self->name, wanted_width, wanted_height, width, height);
}
