/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers of a contour's shape that are written, each with the feature that it needs. */
#ifndef GST_EXPORT_SHAPE_NUMBERS_H
#define GST_EXPORT_SHAPE_NUMBERS_H

#include <gst/contours/gstcontours.h>

G_BEGIN_DECLS

typedef struct {
  const gchar *name; /* of the member or the column */
  GstContoursContourFeatures feature;
  gsize offset; /* of a gdouble in GstContoursShape */
} ExportShapeNumber;

extern const ExportShapeNumber export_shape_numbers[];
extern const guint export_shape_number_count;

/* Gets a number; NaN if it is not defined. */
gdouble export_get_shape_number (const GstContoursShape *shape, const ExportShapeNumber *number);

G_END_DECLS

#endif
