/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contours and components in units of the world, as they are written. */
#ifndef GST_EXPORT_WORLD_NUMBERS_H
#define GST_EXPORT_WORLD_NUMBERS_H

#include "gst/export/text.h"

#include <gst/contours/gstcontours.h>

G_BEGIN_DECLS

/* Append "world", an object with the unit and the numbers that were computed, to a JSON object that has been begun; nothing
 * without a calibration. */
void export_append_json_world_contour (GString *out, GstContoursContourMeta *meta, guint index);
void export_append_json_world_component (GString *out, GstContoursComponentMeta *meta, guint index);

/* Appends "world_points", and "world_subpixels" where the points were refined, if there is a calibration. */
GstFlowReturn export_append_json_world_points (const ExportText *text, GstContoursContourMeta *meta, guint index);

/* The columns of CSV, with a comma before each: their names, and their values, empty where there are none. */
void export_append_world_columns (GString *out);
GstFlowReturn export_append_world_of_contour (
    const ExportText *text, GstContoursContourMeta *meta, guint index, gboolean points);
void export_append_world_of_component (GString *out, GstContoursComponentMeta *meta, guint index);

G_END_DECLS

#endif
