/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calibrations as immutable objects, from files and from values. */
#include "gst/base/excerpt.h"
#include "gst/meta/calibration-private.h"

#include <errno.h>
#include <fcntl.h>
#include <gst/contours/gstcontourscalibration.h>
#include <gst/gst.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

struct _GstContoursCalibration {
  CtrCalibration model;
};

G_DEFINE_BOXED_TYPE (
    GstContoursCalibration, gst_contours_calibration, gst_contours_calibration_ref, gst_contours_calibration_unref)

/**
 * gst_contours_calibration_ref:
 * @calibration: (transfer none): a #GstContoursCalibration
 *
 * Takes a reference. Any thread may do so.
 *
 * Returns: (transfer full): @calibration
 *
 * Since: 0.1
 */
GstContoursCalibration *
gst_contours_calibration_ref (GstContoursCalibration *calibration)
{
  g_return_val_if_fail (calibration != NULL, NULL);
  return g_atomic_rc_box_acquire (calibration);
}

/**
 * gst_contours_calibration_unref:
 * @calibration: (transfer full): a #GstContoursCalibration
 *
 * Releases a reference. Any thread may do so.
 *
 * Since: 0.1
 */
void
gst_contours_calibration_unref (GstContoursCalibration *calibration)
{
  g_return_if_fail (calibration != NULL);
  g_atomic_rc_box_release (calibration);
}

/* Takes over PROBLEM, which may be NULL. */
static GstContoursCalibration *
finish (const CtrCalibration *model, const gchar *name, gchar *problem, GError **error)
{
  GstContoursCalibration *calibration = NULL;
  CtrError invalid;
  if (!problem && !ctr_calibration_check (model, &invalid))
    problem = g_strdup_printf ("%s: calibrate again, or mend the file", invalid.message);
  if (!problem) {
    calibration = g_atomic_rc_box_new0 (GstContoursCalibration);
    calibration->model = *model;
  } else {
    gchar *shown = excerpt_new (name);
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, "the calibration in '%s' cannot be used: %s",
        shown, problem);
    g_free (shown);
    g_free (problem);
  }
  return calibration;
}

/**
 * gst_contours_calibration_new: (skip)
 * @model: the values
 * @error: return location for an error of %GST_RESOURCE_ERROR, or %NULL
 *
 * Makes a calibration of values, which ctr_calibration_check() has to accept.
 *
 * Returns: (transfer full) (nullable): the calibration, or %NULL with @error
 *
 * Since: 0.1
 */
GstContoursCalibration *
gst_contours_calibration_new (const CtrCalibration *model, GError **error)
{
  g_return_val_if_fail (model != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);
  return finish (model, "memory", NULL, error);
}

/* Reads all of FD. Returns NULL, or the problem (transfer full). */
static gchar *
read_all (gint fd, GByteArray *content)
{
  guint8 block[16384];
  struct stat info;
  gssize got;
  if (fstat (fd, &info) != 0)
    return g_strdup_printf ("%s: check the file", g_strerror (errno));
  if (!S_ISREG (info.st_mode))
    return g_strdup (S_ISDIR (info.st_mode) ? "it is a folder: name a file" : "it is not a regular file: name one");
  while ((got = read (fd, block, sizeof block)) != 0) {
    if (got < 0 && errno != EINTR)
      return g_strdup_printf ("%s: check the file", g_strerror (errno));
    if (got > 0)
      g_byte_array_append (content, block, (guint) got);
    if (content->len > CALIBRATION_MAX_BYTES)
      return g_strdup_printf (
          "it has more than %d MiB, and so is no calibration: name another file", CALIBRATION_MAX_BYTES >> 20);
  }
  return NULL;
}

/**
 * gst_contours_calibration_load: (constructor)
 * @path: (type filename): a YAML or JSON file, as OpenCV's `FileStorage` writes it
 * @error: return location for an error of %GST_RESOURCE_ERROR, or %NULL
 *
 * Reads a calibration from a file. docs/calibration.md describes its content.
 *
 * Returns: (transfer full) (nullable): the calibration, or %NULL with @error, which has the path and says what to do
 *
 * Since: 0.1
 */
GstContoursCalibration *
gst_contours_calibration_load (const gchar *path, GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);
  /* Opening a pipe would wait for its writer. */
  const gint fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  GByteArray *content = g_byte_array_new ();
  CtrCalibration model = {0};
  gchar *problem =
      fd < 0 ? g_strdup_printf ("%s: name a file that can be read", g_strerror (errno)) : read_all (fd, content);
  if (!problem)
    problem = gst_contours_calibration_read_text ((const gchar *) content->data, content->len, &model);
  if (fd >= 0)
    close (fd);
  g_byte_array_unref (content);
  return finish (&model, path, problem, error);
}

/**
 * gst_contours_calibration_parse: (constructor)
 * @content: (transfer none): the content of a calibration file
 * @name: its name in messages
 * @error: return location for an error of %GST_RESOURCE_ERROR, or %NULL
 *
 * Reads a calibration from memory, as gst_contours_calibration_load() does from a file.
 *
 * Returns: (transfer full) (nullable): the calibration, or %NULL with @error
 *
 * Since: 0.1
 */
GstContoursCalibration *
gst_contours_calibration_parse (GBytes *content, const gchar *name, GError **error)
{
  g_return_val_if_fail (content != NULL, NULL);
  g_return_val_if_fail (name != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);
  gsize length;
  const gchar *text = g_bytes_get_data (content, &length);
  CtrCalibration model = {0};
  return finish (&model, name, gst_contours_calibration_read_text (text, length, &model), error);
}

/**
 * gst_contours_calibration_peek_model: (skip)
 * @calibration: a #GstContoursCalibration
 *
 * The values, for ctr_calibration_points() and its siblings.
 *
 * Returns: (transfer none): the values, valid as long as @calibration
 *
 * Since: 0.1
 */
const CtrCalibration *
gst_contours_calibration_peek_model (const GstContoursCalibration *calibration)
{
  g_return_val_if_fail (calibration != NULL, NULL);
  return &calibration->model;
}

/**
 * gst_contours_calibration_get_unit:
 * @calibration: a #GstContoursCalibration
 *
 * The name of the unit of lengths. Areas are in its square.
 *
 * Returns: (transfer none): the unit, such as "mm"; "px" if there is neither a homography nor a scale. It is valid as long
 *     as @calibration
 *
 * Since: 0.1
 */
const gchar *
gst_contours_calibration_get_unit (const GstContoursCalibration *calibration)
{
  g_return_val_if_fail (calibration != NULL, NULL);
  return *calibration->model.unit ? calibration->model.unit : "px";
}

/**
 * gst_contours_calibration_get_size:
 * @calibration: a #GstContoursCalibration
 * @width: (out): width of the pictures that it holds for, pixels; 0: any
 * @height: (out): their height
 *
 * The size of the pictures that the calibration was made from.
 *
 * Since: 0.1
 */
void
gst_contours_calibration_get_size (const GstContoursCalibration *calibration, guint *width, guint *height)
{
  g_return_if_fail (calibration != NULL);
  g_return_if_fail (width != NULL && height != NULL);
  *width = calibration->model.width;
  *height = calibration->model.height;
}

/**
 * gst_contours_calibration_get_scale:
 * @calibration: a #GstContoursCalibration
 *
 * The scale, if the calibration is a scale alone: all lengths in units are those in pixels times this number.
 *
 * Returns: units per pixel, or NaN if the scale differs from place to place
 *
 * Since: 0.1
 */
gdouble
gst_contours_calibration_get_scale (const GstContoursCalibration *calibration)
{
  g_return_val_if_fail (calibration != NULL, 0);
  if (!ctr_calibration_is_scale (&calibration->model))
    return (gdouble) NAN;
  return calibration->model.scale > 0 ? calibration->model.scale : 1;
}

/**
 * gst_contours_calibration_map_point:
 * @calibration: a #GstContoursCalibration
 * @x: x in the picture of the camera; whole numbers are pixel centres
 * @y: y in the picture
 * @world_x: (out): x in units
 * @world_y: (out): y in units
 *
 * Converts a position to units, as ctr_calibration_point() does.
 *
 * Returns: whether the position has a counterpart; otherwise both results are NaN
 *
 * Since: 0.1
 */
gboolean
gst_contours_calibration_map_point (
    const GstContoursCalibration *calibration, gdouble x, gdouble y, gdouble *world_x, gdouble *world_y)
{
  g_return_val_if_fail (calibration != NULL, FALSE);
  g_return_val_if_fail (world_x != NULL && world_y != NULL, FALSE);
  return ctr_calibration_point (&calibration->model, x, y, world_x, world_y);
}

/**
 * gst_contours_calibration_project_point:
 * @calibration: a #GstContoursCalibration
 * @world_x: x in units
 * @world_y: y in units
 * @x: (out): x in the picture of the camera; whole numbers are pixel centres
 * @y: (out): y in the picture
 *
 * Finds where a position in units is seen, as ctr_calibration_project() does.
 *
 * Returns: whether it can be seen; otherwise both results are NaN
 *
 * Since: 0.1
 */
gboolean
gst_contours_calibration_project_point (
    const GstContoursCalibration *calibration, gdouble world_x, gdouble world_y, gdouble *x, gdouble *y)
{
  g_return_val_if_fail (calibration != NULL, FALSE);
  g_return_val_if_fail (x != NULL && y != NULL, FALSE);
  return ctr_calibration_project (&calibration->model, world_x, world_y, x, y);
}
