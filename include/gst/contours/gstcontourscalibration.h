/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calibrations: how pixels become units of the world. */
#ifndef __GST_CONTOURS_CALIBRATION_H__
#define __GST_CONTOURS_CALIBRATION_H__

#include <contours/calibration.h>
#include <glib-object.h>
#include <gst/contours/gstcontoursprelude.h>

G_BEGIN_DECLS

/**
 * GstContoursCalibration:
 *
 * How the pixels of a camera become units of the world, such as millimetres: a model of the lens, then a homography to the
 * plane of the objects, or a scale. It is immutable and reference-counted. Metadata refers to it, see
 * gst_contours_contour_meta_get_calibration().
 *
 * Since: 0.1
 */
typedef struct _GstContoursCalibration GstContoursCalibration;

#define GST_TYPE_CONTOURS_CALIBRATION (gst_contours_calibration_get_type ())

GST_CONTOURS_API
GType gst_contours_calibration_get_type (void);

GST_CONTOURS_API
GstContoursCalibration *gst_contours_calibration_new (const CtrCalibration *model, GError **error);

GST_CONTOURS_API
GstContoursCalibration *gst_contours_calibration_load (const gchar *path, GError **error);

GST_CONTOURS_API
GstContoursCalibration *gst_contours_calibration_parse (GBytes *content, const gchar *name, GError **error);

GST_CONTOURS_API
GstContoursCalibration *gst_contours_calibration_ref (GstContoursCalibration *calibration);

GST_CONTOURS_API
void gst_contours_calibration_unref (GstContoursCalibration *calibration);

GST_CONTOURS_API
const CtrCalibration *gst_contours_calibration_peek_model (const GstContoursCalibration *calibration);

GST_CONTOURS_API
const gchar *gst_contours_calibration_get_unit (const GstContoursCalibration *calibration);

GST_CONTOURS_API
void gst_contours_calibration_get_size (const GstContoursCalibration *calibration, guint *width, guint *height);

GST_CONTOURS_API
gdouble gst_contours_calibration_get_scale (const GstContoursCalibration *calibration);

GST_CONTOURS_API
gboolean gst_contours_calibration_map_point (
    const GstContoursCalibration *calibration, gdouble x, gdouble y, gdouble *world_x, gdouble *world_y);

GST_CONTOURS_API
gboolean gst_contours_calibration_project_point (
    const GstContoursCalibration *calibration, gdouble world_x, gdouble world_y, gdouble *x, gdouble *y);

G_END_DECLS

#endif /* __GST_CONTOURS_CALIBRATION_H__ */
