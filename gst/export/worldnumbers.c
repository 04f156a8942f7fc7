/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/export/worldnumbers.h"

#include "gst/export/format.h"
#include "gst/export/numbertext.h"

#include <math.h>
#include <string.h>

#define NONE (-1)
#define ALWAYS (-1)

/* A number that contours or components have, or both. */
typedef struct {
  const gchar *name;
  gint contour_feature; /* that it needs */
  gssize of_contour;    /* offset in GstContoursWorldContour, or NONE */
  gint component_feature;
  gssize of_component; /* offset in GstContoursWorldComponent, or NONE */
} Number;

#define OF_CONTOUR(member) G_STRUCT_OFFSET (GstContoursWorldContour, member)
#define OF_COMPONENT(member) G_STRUCT_OFFSET (GstContoursWorldComponent, member)
#define LINE(member)                                  \
  {                                                   \
#member, ALWAYS, OF_CONTOUR(member), ALWAYS, NONE \
  }
#define SHAPE(feature, member)                                                        \
  {                                                                                   \
#member, GST_CONTOURS_CONTOUR_FEATURE_##feature, OF_CONTOUR(member), ALWAYS, NONE \
  }
#define ELLIPSE(member)                                                                 \
  {                                                                                     \
#member, ALWAYS, NONE, GST_CONTOURS_COMPONENT_FEATURE_MOMENTS, OF_COMPONENT(member) \
  }

static const Number numbers[] = {
    {"area", ALWAYS, OF_CONTOUR (area), ALWAYS, OF_COMPONENT (area)},
    LINE (perimeter),
    LINE (x),
    LINE (y),
    LINE (w),
    LINE (h),
    {"cx", GST_CONTOURS_CONTOUR_FEATURE_MOMENTS, OF_CONTOUR (cx), ALWAYS, OF_COMPONENT (cx)},
    {"cy", GST_CONTOURS_CONTOUR_FEATURE_MOMENTS, OF_CONTOUR (cy), ALWAYS, OF_COMPONENT (cy)},
    ELLIPSE (orientation),
    ELLIPSE (major_axis),
    ELLIPSE (minor_axis),
    SHAPE (HULL, hull_area),
    SHAPE (HULL, hull_perimeter),
    SHAPE (DEFECT, defect_depth),
    SHAPE (DEFECT, defect_x),
    SHAPE (DEFECT, defect_y),
    SHAPE (RECTANGLE, rectangle_x),
    SHAPE (RECTANGLE, rectangle_y),
    SHAPE (RECTANGLE, rectangle_width),
    SHAPE (RECTANGLE, rectangle_height),
    SHAPE (RECTANGLE, rectangle_angle),
    SHAPE (FERET, feret_max),
    SHAPE (FERET, feret_max_angle),
    SHAPE (FERET, feret_min),
    SHAPE (FERET, feret_min_angle),
    SHAPE (CIRCLE, circle_x),
    SHAPE (CIRCLE, circle_y),
    SHAPE (CIRCLE, circle_radius),
    SHAPE (DISTANCES, distance_mean),
    SHAPE (DISTANCES, distance_deviation),
    SHAPE (DISTANCES, distance_max),
    SHAPE (HOLES, hole_area),
};

static gdouble
number_at (gconstpointer structure, gssize offset)
{
  gdouble value;
  memcpy (&value, (const gchar *) structure + offset, sizeof value);
  return value;
}

/* The value of a number of a contour or component; FALSE if it was not asked for. */
static gboolean
get_number (const Number *number, gconstpointer structure, gboolean of_contour, guint features, gdouble *value)
{
  const gint feature = of_contour ? number->contour_feature : number->component_feature;
  const gssize offset = of_contour ? number->of_contour : number->of_component;
  if (offset == NONE || (feature != ALWAYS && !(features & feature)))
    return FALSE;
  *value = number_at (structure, offset);
  return TRUE;
}

static void
append_json (GString *out, const GstContoursCalibration *calibration, gconstpointer structure, gboolean of_contour,
    guint features)
{
  gdouble value;
  g_string_append (out, ",\"world\":{\"unit\":");
  export_append_json_string (out, gst_contours_calibration_get_unit (calibration));
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (get_number (&numbers[i], structure, of_contour, features, &value)) {
      g_string_append_printf (out, ",\"%s\":", numbers[i].name);
      if (isfinite (value))
        number_text_append_double (out, value);
      else
        g_string_append (out, "null");
    }
  g_string_append_c (out, '}');
}

void
export_append_json_world_contour (GString *out, GstContoursContourMeta *meta, guint index)
{
  GstContoursWorldContour contour;
  if (gst_contours_contour_meta_get_world_contour (meta, index, &contour))
    append_json (out, gst_contours_contour_meta_get_calibration (meta), &contour, TRUE,
        gst_contours_contour_meta_get_features (meta));
}

void
export_append_json_world_component (GString *out, GstContoursComponentMeta *meta, guint index)
{
  GstContoursWorldComponent component;
  if (gst_contours_component_meta_get_world_component (meta, index, &component))
    append_json (out, gst_contours_component_meta_get_calibration (meta), &component, FALSE,
        gst_contours_component_meta_get_features (meta));
}

/* How points are written: SEPARATOR stands between points, BEFORE, BETWEEN and AFTER around the two coordinates. A point without a
 * counterpart has UNDEFINED in place of both. */
typedef struct {
  const gchar *separator, *before, *between, *after, *undefined;
} Notation;

/* Appends POINTS (transfer full), pairs of gdouble; NULL: none. */
static GstFlowReturn
append_points (const ExportText *text, GBytes *bytes, const Notation *notation)
{
  gsize size = 0;
  const gdouble *points = bytes ? g_bytes_get_data (bytes, &size) : NULL;
  GstFlowReturn ret = GST_FLOW_OK;
  for (gsize i = 0; ret == GST_FLOW_OK && i < size / sizeof (gdouble); i += 2) {
    g_string_append (text->out, i > 0 ? notation->separator : "");
    if (!isfinite (points[i]) || !isfinite (points[i + 1])) {
      g_string_append (text->out, notation->undefined);
    } else {
      export_append_double (text->out, notation->before, points[i]);
      export_append_double (text->out, notation->between, points[i + 1]);
      g_string_append (text->out, notation->after);
    }
    ret = export_text_flush (text);
  }
  if (bytes)
    g_bytes_unref (bytes);
  return ret;
}

static GstFlowReturn
append_json_points (const ExportText *text, const gchar *key, GBytes *bytes)
{
  static const Notation json = {",", "[", ",", "]", "null"};
  GstFlowReturn ret;
  g_string_append (text->out, key);
  ret = append_points (text, bytes, &json);
  g_string_append (text->out, ret == GST_FLOW_OK ? "]" : "");
  return ret;
}

GstFlowReturn
export_append_json_world_points (const ExportText *text, GstContoursContourMeta *meta, guint index)
{
  GstFlowReturn ret;
  if (!gst_contours_contour_meta_get_calibration (meta))
    return GST_FLOW_OK;
  ret = append_json_points (text, ",\"world_points\":[", gst_contours_contour_meta_get_world_points (meta, index));
  if (ret == GST_FLOW_OK && gst_contours_contour_meta_has_subpixel (meta))
    ret = append_json_points (
        text, ",\"world_subpixels\":[", gst_contours_contour_meta_get_world_subpixels (meta, index));
  return ret;
}

void
export_append_world_columns (GString *out)
{
  g_string_append (out, ",unit");
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    g_string_append_printf (out, ",world_%s", numbers[i].name);
  g_string_append (out, ",world_points");
}

/* Appends the columns but for the last one. CALIBRATION is NULL if there are none. */
static void
append_columns (GString *out, const GstContoursCalibration *calibration, gconstpointer structure, gboolean of_contour,
    guint features)
{
  gdouble value;
  g_string_append_c (out, ',');
  if (calibration)
    export_append_csv_string (out, gst_contours_calibration_get_unit (calibration));
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    g_string_append_c (out, ',');
    if (calibration && get_number (&numbers[i], structure, of_contour, features, &value) && isfinite (value))
      number_text_append_double (out, value);
  }
  g_string_append_c (out, ',');
}

GstFlowReturn
export_append_world_of_contour (const ExportText *text, GstContoursContourMeta *meta, guint index, gboolean points)
{
  const GstContoursCalibration *calibration = gst_contours_contour_meta_get_calibration (meta);
  GstContoursWorldContour contour;
  if (!gst_contours_contour_meta_get_world_contour (meta, index, &contour))
    calibration = NULL;
  append_columns (text->out, calibration, &contour, TRUE, gst_contours_contour_meta_get_features (meta));
  static const Notation csv = {" ", "", " ", "", "nan nan"};
  return calibration && points ? append_points (text, gst_contours_contour_meta_get_world_points (meta, index), &csv)
                               : GST_FLOW_OK;
}

void
export_append_world_of_component (GString *out, GstContoursComponentMeta *meta, guint index)
{
  const GstContoursCalibration *calibration = gst_contours_component_meta_get_calibration (meta);
  GstContoursWorldComponent component;
  if (!gst_contours_component_meta_get_world_component (meta, index, &component))
    calibration = NULL;
  append_columns (out, calibration, &component, FALSE, gst_contours_component_meta_get_features (meta));
}
