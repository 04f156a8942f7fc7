/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CSV format: one row for each component or contour. */
#include "gst/export/format.h"
#include "gst/export/numbertext.h"
#include "gst/export/shapenumbers.h"
#include "gst/export/worldnumbers.h"

#include <math.h>

#define CODE_COLUMNS ",analysed_width,analysed_height,start_x,start_y,codes"
#define NO_CODES ",,,,,"
#define NO_PERCENTILES ",,,,,"
#define NO_MEASURES ",,,,,,,,"

/* The twelve columns of a region, and the three of a place in the tree of all levels. */
#define NO_REGION ",,,,,,,,,,,,"
#define NO_NESTING ",,,"

/* The three columns of a chain of edge pixels. */
#define NO_CHAIN ",,,"

static void
append_header (GString *out, const gchar *more)
{
  g_string_append (out, "frame,pts,timestamp,source,width,height,corrupted,interlaced,label,area,x,y,w,h,cx,cy,"
                        "orientation,major_axis,minor_axis,eccentricity,min,max,mean,std,"
                        "id,hole,parent,perimeter,point_count,level,coordinates,points,unfinished,"
                        "object,converged,restarted,iterations,criterion,gain,inside_count,inside_mean,"
                        "inside_variance,outside_count,outside_mean,outside_variance,value,depth,birth,death,region,"
                        "circularity,touches_frame");
  for (guint i = 0; i < export_shape_number_count; i++)
    g_string_append_printf (out, ",%s", export_shape_numbers[i].name);
  g_string_append (out, ",subpixels,open,start_junction,end_junction");
  export_append_world_columns (out);
  g_string_append (out,
      ",p5,p25,median,p75,p95,inscribed_radius,inscribed_x,inscribed_y,ring_mean,contrast,skeleton_length,"
      "skeleton_width,skeleton_pixels,class,running_time,utc,dropped");
  g_string_append (out, more);
  g_string_append_c (out, '\n');
}

static void
begin_file (G_GNUC_UNUSED gpointer state, GString *out)
{
  append_header (out, "");
}

static void
begin_file_of_codes (G_GNUC_UNUSED gpointer state, GString *out)
{
  append_header (out, CODE_COLUMNS);
}

static void
append_uint (GString *out, guint64 value)
{
  number_text_append_uint (out, value);
  g_string_append_c (out, ',');
}

/* Nothing if it is undefined or infinite. */
static void
append_defined (GString *out, gdouble value)
{
  if (isfinite (value))
    number_text_append_double (out, value);
}

static void
append_double (GString *out, gdouble value)
{
  append_defined (out, value);
  g_string_append_c (out, ',');
}

/* The columns of a shape, all of them empty without one. */
static void
append_shape (GString *out, const GstContoursShape *shape, GstContoursContourFeatures features)
{
  g_string_append_c (out, ',');
  if (shape)
    append_defined (out, shape->circularity);
  g_string_append (out, !shape ? "," : shape->touches_frame ? ",1" : ",0");
  for (guint i = 0; i < export_shape_number_count; i++) {
    const ExportShapeNumber *number = &export_shape_numbers[i];
    g_string_append_c (out, ',');
    if (shape && features & number->feature)
      append_defined (out, export_get_shape_number (shape, number));
  }
}

static void
append_time (GString *out, GstClockTime time)
{
  if (GST_CLOCK_TIME_IS_VALID (time))
    number_text_append_uint (out, time);
  g_string_append_c (out, ',');
}

/* The columns that are the same in all rows of a meta: at their start, and at their end before those of codes. */
typedef struct {
  GString *start, *end;
} FrameColumns;

static void
append_frame (GString *out, const ExportFrame *frame, GstMeta *meta)
{
  guint width, height;
  const gchar *source = export_get_source (meta);
  export_get_size (meta, &width, &height);
  append_uint (out, frame->index);
  append_time (out, frame->pts);
  append_time (out, frame->stream_time);
  export_append_csv_string (out, source ? source : "");
  g_string_append_c (out, ',');
  append_uint (out, width);
  append_uint (out, height);
  append_uint (out, (frame->flags & GST_CONTOURS_RESULT_FLAG_CORRUPTED) != 0);
  append_uint (out, (frame->flags & GST_CONTOURS_RESULT_FLAG_INTERLACED) != 0);
}

static void
append_clock (GString *out, const ExportFrame *frame)
{
  g_string_append_c (out, ',');
  append_time (out, frame->running_time);
  if (GST_CLOCK_TIME_IS_VALID (frame->utc))
    export_append_utc (out, frame->utc);
  g_string_append_c (out, ',');
  number_text_append_uint (out, frame->dropped);
}

/* Writes the column of the region. */
static void
append_region_number (GString *out, gboolean has_regions, guint number)
{
  g_string_append_c (out, ',');
  if (has_regions)
    number_text_append_uint (out, number);
}

static void
append_component (
    GString *out, const GstContoursComponent *c, GstContoursComponentFeatures features, gboolean has_regions)
{
  append_uint (out, c->label);
  append_double (out, c->area);
  append_double (out, c->x);
  append_double (out, c->y);
  append_double (out, c->w);
  append_double (out, c->h);
  append_double (out, c->cx);
  append_double (out, c->cy);
  if (features & GST_CONTOURS_COMPONENT_FEATURE_MOMENTS) {
    append_double (out, c->orientation);
    append_double (out, c->major_axis);
    append_double (out, c->minor_axis);
    append_double (out, c->eccentricity);
  } else {
    g_string_append (out, ",,,,");
  }
  if (features & GST_CONTOURS_COMPONENT_FEATURE_GREY) {
    append_uint (out, c->min);
    append_uint (out, c->max);
    append_double (out, c->mean);
    append_double (out, c->std);
  } else {
    g_string_append (out, ",,,,");
  }
  g_string_append (out, c->unfinished ? ",,,,,,,,1" NO_REGION "," : ",,,,,,,,0" NO_REGION ",");
  if (features & GST_CONTOURS_COMPONENT_FEATURE_VALUES)
    number_text_append_uint (out, c->value);
  g_string_append (out, NO_NESTING);
  append_region_number (out, has_regions, c->region_number);
}

static void
append_percentiles (GString *out, const GstContoursComponent *c, GstContoursComponentFeatures features)
{
  if (!(features & GST_CONTOURS_COMPONENT_FEATURE_PERCENTILES)) {
    g_string_append (out, NO_PERCENTILES);
    return;
  }
  export_append_uint (out, ",", c->p5);
  export_append_uint (out, ",", c->p25);
  export_append_uint (out, ",", c->median);
  export_append_uint (out, ",", c->p75);
  export_append_uint (out, ",", c->p95);
}

/* The columns of the inscribed circle, the ring and the skeleton, which are empty without their features. */
static void
append_measures (GString *out, const GstContoursComponent *c)
{
  const gdouble numbers[] = {c->inscribed_radius, c->inscribed_x, c->inscribed_y, c->ring_mean, c->contrast,
      c->skeleton_length, c->skeleton_width, c->skeleton_pixels ? c->skeleton_pixels : NAN};
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    g_string_append_c (out, ',');
    append_defined (out, numbers[i]);
  }
}

/* The class of the region of a mask whose pixels have VALUE, empty where the mask came without classes. */
static void
append_class (GString *out, GstMeta *meta, guint value)
{
  const gchar *name = export_get_class (meta, value);
  g_string_append_c (out, ',');
  if (name)
    export_append_csv_string (out, name);
}

static void
append_side (GString *out, guint64 count, gdouble mean, gdouble variance)
{
  g_string_append_c (out, ',');
  append_uint (out, count);
  append_double (out, mean);
  append_defined (out, variance);
}

/* Writes the columns after the points. */
static void
append_region (GString *out, GstContoursContourMeta *meta, guint index)
{
  GstContoursRegion r;
  if (!gst_contours_contour_meta_get_region (meta, index, &r)) {
    g_string_append (out, NO_REGION);
    return;
  }
  g_string_append_c (out, ',');
  append_uint (out, r.object);
  g_string_append (out, r.converged ? "1," : "0,");
  g_string_append (out, r.restarted ? "1," : "0,");
  append_uint (out, r.iterations);
  append_double (out, r.criterion);
  append_defined (out, r.gain);
  append_side (out, r.inside_count, r.inside_mean, r.inside_variance);
  append_side (out, r.outside_count, r.outside_mean, r.outside_variance);
}

/* Writes the columns of a contour before its points. */
static void
append_contour (GString *out, const GstContoursContour *c)
{
  g_string_append_c (out, ',');
  append_double (out, c->area);
  append_double (out, c->x);
  append_double (out, c->y);
  append_double (out, c->w);
  append_double (out, c->h);
  if (isnan (c->cx)) {
    g_string_append (out, ",,");
  } else {
    append_double (out, c->cx);
    append_double (out, c->cy);
  }
  g_string_append (out, ",,,,,,,,");
  append_uint (out, c->id);
  g_string_append (out, c->hole ? "1," : "0,");
  if (c->parent >= 0)
    number_text_append_uint (out, c->parent);
  g_string_append_c (out, ',');
  append_double (out, c->perimeter);
  append_uint (out, c->count);
  if (c->level > 0)
    number_text_append_uint (out, c->level);
  g_string_append_c (out, ',');
}

/* Writes the columns of a contour after its points. */
static void
append_nesting (GString *out, GstContoursContourMeta *meta, guint index)
{
  GstContoursNesting nesting;
  g_string_append_c (out, ',');
  if (gst_contours_contour_meta_get_nesting (meta, index, &nesting)) {
    append_uint (out, nesting.depth);
    append_uint (out, nesting.birth);
    number_text_append_uint (out, nesting.death);
  } else {
    g_string_append (out, ",,");
  }
}

static void
append_shape_of (GString *out, GstContoursContourMeta *meta, guint index)
{
  const GstContoursContourFeatures features = gst_contours_contour_meta_get_features (meta);
  GstContoursShape shape;
  const gboolean has_shape = (features & ~GST_CONTOURS_CONTOUR_FEATURE_MOMENTS) != 0
                             && gst_contours_contour_meta_get_shape (meta, index, &shape);
  append_shape (out, has_shape ? &shape : NULL, features);
}

static GstFlowReturn
append_points (const ExportText *text, GstContoursContourMeta *meta, const CtrPoint *points, guint count)
{
  GstFlowReturn ret = GST_FLOW_OK;
  for (guint i = 0; ret == GST_FLOW_OK && i < count; i++) {
    gdouble x, y;
    export_map_point (meta, &points[i], &x, &y);
    export_append_double (text->out, i > 0 ? " " : "", x);
    export_append_double (text->out, " ", y);
    ret = export_text_flush (text);
  }
  return ret;
}

/* The column of subpixels, empty without them. */
static GstFlowReturn
append_subpixels (const ExportText *text, GstContoursContourMeta *meta, guint index)
{
  GstFlowReturn ret = GST_FLOW_OK;
  GstContoursSubpixel s;
  g_string_append_c (text->out, ',');
  for (guint i = 0; ret == GST_FLOW_OK && gst_contours_contour_meta_get_subpixel (meta, index, i, &s); i++) {
    export_append_double (text->out, i > 0 ? " " : "", s.x);
    export_append_double (text->out, " ", s.y);
    ret = export_text_flush (text);
  }
  return ret;
}

/* The columns of a chain, empty where the contours are none. */
static void
append_chain (GString *out, GstContoursContourMeta *meta, const GstContoursContour *c)
{
  if (!gst_contours_contour_meta_has_edge_chains (meta)) {
    g_string_append (out, NO_CHAIN);
    return;
  }
  g_string_append (out, c->open ? ",1" : ",0");
  g_string_append (out, c->start_junction ? ",1" : ",0");
  g_string_append (out, c->end_junction ? ",1" : ",0");
}

/* The columns of the codes, empty where there are none. */
static GstFlowReturn
append_codes (const ExportText *text, GstContoursContourMeta *meta, const CtrContourCodes *codes, guint index)
{
  GString *out = text->out;
  guint width, height;
  gst_contours_contour_meta_get_reference_size (meta, &width, &height);
  g_string_append_c (out, ',');
  append_uint (out, width);
  append_uint (out, height);
  append_uint (out, codes->chains[index].first.x);
  append_uint (out, codes->chains[index].first.y);
  return export_append_codes (text, codes, index);
}

static GstFlowReturn
append_components (
    const ExportText *text, const FrameColumns *frame, GstContoursComponentMeta *meta, gboolean with_codes)
{
  GstContoursComponentFeatures features = gst_contours_component_meta_get_features (meta);
  GstFlowReturn ret = GST_FLOW_OK;
  GstContoursComponent c;
  for (guint i = 0; ret == GST_FLOW_OK && export_get_web_component (meta, i, &c); i++) {
    g_string_append_len (text->out, frame->start->str, (gssize) frame->start->len);
    append_component (text->out, &c, features, gst_contours_component_meta_get_region_count (meta) > 0);
    append_shape (text->out, NULL, 0);
    g_string_append (text->out, "," NO_CHAIN);
    export_append_world_of_component (text->out, meta, i);
    append_percentiles (text->out, &c, features);
    append_measures (text->out, &c);
    append_class (text->out, (GstMeta *) meta, c.value);
    g_string_append_len (text->out, frame->end->str, (gssize) frame->end->len);
    g_string_append (text->out, with_codes ? NO_CODES "\n" : "\n");
    ret = export_text_flush (text);
  }
  return ret;
}

static GstFlowReturn
append_contours (const ExportText *text, const FrameColumns *frame, GstContoursContourMeta *meta, gboolean with_codes)
{
  CtrContours *contours = gst_contours_contour_meta_peek_contours (meta);
  CtrContourCodes codes;
  const gboolean has_codes = with_codes && export_map_codes (meta, &codes);
  const CtrPoint *points = has_codes ? NULL : ctr_contours_map_points (contours, NULL);
  GstFlowReturn ret = GST_FLOW_OK;
  GstContoursContour c;
  for (guint i = 0; ret == GST_FLOW_OK && export_get_web_contour (meta, i, &c); i++) {
    g_string_append_len (text->out, frame->start->str, (gssize) frame->start->len);
    append_contour (text->out, &c);
    g_string_append (text->out, export_get_coordinates (meta));
    g_string_append_c (text->out, ',');
    if (!has_codes)
      ret = append_points (text, meta, points + c.first, c.count);
    g_string_append (text->out, c.unfinished ? ",1" : ",0");
    append_region (text->out, meta, i);
    g_string_append_c (text->out, ',');
    append_nesting (text->out, meta, i);
    append_region_number (text->out, gst_contours_contour_meta_get_region_count (meta) > 0, c.region_number);
    append_shape_of (text->out, meta, i);
    if (ret == GST_FLOW_OK)
      ret = append_subpixels (text, meta, i);
    append_chain (text->out, meta, &c);
    if (ret == GST_FLOW_OK)
      ret = export_append_world_of_contour (text, meta, i, !has_codes);
    g_string_append (text->out, NO_PERCENTILES NO_MEASURES);
    append_class (text->out, (GstMeta *) meta, c.level);
    g_string_append_len (text->out, frame->end->str, (gssize) frame->end->len);
    if (has_codes && ret == GST_FLOW_OK)
      ret = append_codes (text, meta, &codes, c.id);
    g_string_append (text->out, with_codes && !has_codes ? NO_CODES "\n" : "\n");
  }
  return ret;
}

static GstFlowReturn
write_meta (const ExportText *text, const ExportFrame *frame, GstMeta *meta, gboolean codes)
{
  const FrameColumns columns = {g_string_new (NULL), g_string_new (NULL)};
  append_frame (columns.start, frame, meta);
  append_clock (columns.end, frame);
  GstFlowReturn ret = export_is_contours (meta)
                          ? append_contours (text, &columns, (GstContoursContourMeta *) meta, codes)
                          : append_components (text, &columns, (GstContoursComponentMeta *) meta, codes);
  g_string_free (columns.start, TRUE);
  g_string_free (columns.end, TRUE);
  return ret;
}

static GstFlowReturn
write_rows (G_GNUC_UNUSED gpointer state, const ExportText *text, const ExportFrame *frame, GstMeta *meta)
{
  return write_meta (text, frame, meta, FALSE);
}

static GstFlowReturn
write_rows_of_codes (G_GNUC_UNUSED gpointer state, const ExportText *text, const ExportFrame *frame, GstMeta *meta)
{
  return write_meta (text, frame, meta, TRUE);
}

const ExportFormat export_csv = {
    .nick = "csv",
    .name = "CSV: one row for each component or contour",
    .extent = EXPORT_LINES,
    .begin_file = begin_file,
    .write = write_rows,
};

const ExportFormat export_csv_codes = {
    .nick = "csv",
    .name = "CSV with codes",
    .extent = EXPORT_LINES,
    .codes = TRUE,
    .begin_file = begin_file_of_codes,
    .write = write_rows_of_codes,
};
