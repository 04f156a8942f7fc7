/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/export/format.h"
#include "gst/export/shapenumbers.h"
#include "gst/export/worldnumbers.h"

#include <math.h>

gboolean
export_is_contours (const GstMeta *meta)
{
  return meta->info->api == GST_CONTOURS_CONTOUR_META_API_TYPE;
}

gboolean
export_supports (const GstMeta *meta)
{
  return meta->info->api == GST_CONTOURS_COMPONENT_META_API_TYPE || export_is_contours (meta);
}

const gchar *
export_get_source (GstMeta *meta)
{
  return export_is_contours (meta) ? gst_contours_contour_meta_get_source ((GstContoursContourMeta *) meta)
                                   : gst_contours_component_meta_get_source ((GstContoursComponentMeta *) meta);
}

GstContoursResultFlags
export_get_flags (GstMeta *meta)
{
  return export_is_contours (meta) ? gst_contours_contour_meta_get_flags ((GstContoursContourMeta *) meta)
                                   : gst_contours_component_meta_get_flags ((GstContoursComponentMeta *) meta);
}

void
export_get_size (GstMeta *meta, guint *width, guint *height)
{
  if (export_is_contours (meta))
    gst_contours_contour_meta_get_size ((GstContoursContourMeta *) meta, width, height);
  else
    gst_contours_component_meta_get_size ((GstContoursComponentMeta *) meta, width, height);
}

gdouble
export_get_web_shift (GstMeta *meta)
{
  const gboolean contours = export_is_contours (meta);
  const guint64 row = contours ? gst_contours_contour_meta_get_first_row ((GstContoursContourMeta *) meta)
                               : gst_contours_component_meta_get_first_row ((GstContoursComponentMeta *) meta);
  const GstContoursMapping *mapping = contours
                                          ? gst_contours_contour_meta_get_mapping ((GstContoursContourMeta *) meta)
                                          : gst_contours_component_meta_get_mapping ((GstContoursComponentMeta *) meta);

  /* The web cannot be turned. */
  return mapping->yx == 0 && mapping->yy > 0 ? row * mapping->yy : 0;
}

gboolean
export_get_web_component (GstContoursComponentMeta *meta, guint index, GstContoursComponent *component)
{
  const gdouble shift = export_get_web_shift ((GstMeta *) meta);

  if (!gst_contours_component_meta_get_component (meta, index, component))
    return FALSE;
  component->y += shift;
  component->cy += shift;
  return TRUE;
}

gboolean
export_get_web_contour (GstContoursContourMeta *meta, guint index, GstContoursContour *contour)
{
  const gdouble shift = export_get_web_shift ((GstMeta *) meta);

  if (!gst_contours_contour_meta_get_contour (meta, index, contour))
    return FALSE;
  contour->y += shift;
  contour->cy += shift;
  return TRUE;
}

/* The times that clocks of senders and cameras gave the frame. */
static void
append_references (GString *out, GstBuffer *buffer)
{
  const gchar *before = ",\"reference_timestamps\":[";
  gpointer iterator = NULL;
  for (GstMeta *meta;
       (meta = gst_buffer_iterate_meta_filtered (buffer, &iterator, GST_REFERENCE_TIMESTAMP_META_API_TYPE));) {
    const GstReferenceTimestampMeta *reference = (const GstReferenceTimestampMeta *) meta;
    gchar *clock = gst_caps_to_string (reference->reference);
    g_string_append (out, before);
    g_string_append (out, "{\"clock\":");
    export_append_json_string (out, clock);
    export_append_time (out, ",\"timestamp\":", reference->timestamp);
    g_string_append_c (out, '}');
    g_free (clock);
    before = ",";
  }
  if (before[1] == '\0')
    g_string_append_c (out, ']');
}

void
export_append_json_frame (GString *out, const ExportFrame *frame)
{
  export_append_uint (out, "\"frame\":", frame->index);
  export_append_time (out, ",\"pts\":", frame->pts);
  export_append_time (out, ",\"timestamp\":", frame->stream_time);
  export_append_time (out, ",\"running_time\":", frame->running_time);
  if (GST_CLOCK_TIME_IS_VALID (frame->utc)) {
    g_string_append (out, ",\"utc\":\"");
    export_append_utc (out, frame->utc);
    g_string_append_c (out, '"');
  }
  append_references (out, frame->buffer);
  if (frame->dropped > 0)
    export_append_uint (out, ",\"dropped\":", frame->dropped);
  if (frame->flags & GST_CONTOURS_RESULT_FLAG_CORRUPTED)
    g_string_append (out, ",\"corrupted\":true");
  if (frame->flags & GST_CONTOURS_RESULT_FLAG_INTERLACED)
    g_string_append (out, ",\"interlaced\":true");
}

void
export_append_json_limit (GString *out, GstContoursResultFlags flags)
{
  if (flags & GST_CONTOURS_RESULT_FLAG_LIMIT_EXCEEDED)
    g_string_append (out, ",\"limit_exceeded\":true");
}

void
export_append_json_resolution (GString *out, guint width, guint height)
{
  if (width == 0) {
    g_string_append (out, "\"resolution\":null");
    return;
  }
  export_append_uint (out, "\"resolution\":{\"width\":", width);
  export_append_uint (out, ",\"height\":", height);
  g_string_append_c (out, '}');
}

const gchar *
export_get_class (GstMeta *meta, guint value)
{
  return export_is_contours (meta)
             ? gst_contours_contour_meta_get_class_name ((GstContoursContourMeta *) meta, value)
             : gst_contours_component_meta_get_class_name ((GstContoursComponentMeta *) meta, value);
}

/* Appends the class of an object of a mask. */
static void
append_class (GString *out, GstMeta *meta, guint value)
{
  const gchar *name = export_get_class (meta, value);

  if (!name)
    return;
  g_string_append (out, ",\"class\":");
  export_append_json_string (out, name);
}

void
export_append_json_component (
    GString *out, GstContoursComponentMeta *meta, const GstContoursComponent *c, GstContoursComponentFeatures features)
{
  export_append_uint (out, "\"label\":", c->label);
  if (gst_contours_component_meta_get_region_count (meta) > 0)
    export_append_uint (out, ",\"region\":", c->region_number);
  if (features & GST_CONTOURS_COMPONENT_FEATURE_VALUES)
    export_append_uint (out, ",\"value\":", c->value);
  append_class (out, (GstMeta *) meta, c->value);
  export_append_double (out, ",\"area\":", c->area);
  export_append_double (out, ",\"x\":", c->x);
  export_append_double (out, ",\"y\":", c->y);
  export_append_double (out, ",\"w\":", c->w);
  export_append_double (out, ",\"h\":", c->h);
  export_append_double (out, ",\"cx\":", c->cx);
  export_append_double (out, ",\"cy\":", c->cy);
  if (features & GST_CONTOURS_COMPONENT_FEATURE_MOMENTS) {
    export_append_double (out, ",\"orientation\":", c->orientation);
    export_append_double (out, ",\"major_axis\":", c->major_axis);
    export_append_double (out, ",\"minor_axis\":", c->minor_axis);
    export_append_double (out, ",\"eccentricity\":", c->eccentricity);
  }
  if (features & GST_CONTOURS_COMPONENT_FEATURE_GREY) {
    export_append_uint (out, ",\"min\":", c->min);
    export_append_uint (out, ",\"max\":", c->max);
    export_append_double (out, ",\"mean\":", c->mean);
    export_append_double (out, ",\"std\":", c->std);
  }
  if (features & GST_CONTOURS_COMPONENT_FEATURE_PERCENTILES) {
    export_append_uint (out, ",\"p5\":", c->p5);
    export_append_uint (out, ",\"p25\":", c->p25);
    export_append_uint (out, ",\"median\":", c->median);
    export_append_uint (out, ",\"p75\":", c->p75);
    export_append_uint (out, ",\"p95\":", c->p95);
  }
  if (features & GST_CONTOURS_COMPONENT_FEATURE_INSCRIBED) {
    export_append_double (out, ",\"inscribed_radius\":", c->inscribed_radius);
    export_append_double (out, ",\"inscribed_x\":", c->inscribed_x);
    export_append_double (out, ",\"inscribed_y\":", c->inscribed_y);
  }
  if (features & GST_CONTOURS_COMPONENT_FEATURE_CONTRAST) {
    export_append_double (out, ",\"ring_mean\":", c->ring_mean);
    export_append_double (out, ",\"contrast\":", c->contrast);
  }
  if (features & GST_CONTOURS_COMPONENT_FEATURE_SKELETON) {
    export_append_double (out, ",\"skeleton_length\":", c->skeleton_length);
    export_append_double (out, ",\"skeleton_width\":", c->skeleton_width);
    export_append_uint (out, ",\"skeleton_pixels\":", c->skeleton_pixels);
  }
  if (c->unfinished)
    g_string_append (out, ",\"unfinished\":true");
  export_append_json_world_component (out, meta, c->label - 1); /* The background, 0, has none. */
}

static void
append_side (GString *out, const gchar *key, guint64 count, gdouble mean, gdouble variance)
{
  g_string_append (out, key);
  export_append_uint (out, "{\"count\":", count);
  export_append_double (out, ",\"mean\":", mean);
  export_append_double (out, ",\"variance\":", variance);
  g_string_append_c (out, '}');
}

static void
append_region (GString *out, const GstContoursRegion *r)
{
  export_append_uint (out, ",\"object\":", r->object);
  g_string_append (out, r->converged ? ",\"converged\":true" : ",\"converged\":false");
  g_string_append (out, r->restarted ? ",\"restarted\":true" : ",\"restarted\":false");
  export_append_uint (out, ",\"iterations\":", r->iterations);
  export_append_double (out, ",\"criterion\":", r->criterion);
  export_append_double (out, ",\"gain\":", r->gain);
  append_side (out, ",\"inside\":", r->inside_count, r->inside_mean, r->inside_variance);
  append_side (out, ",\"outside\":", r->outside_count, r->outside_mean, r->outside_variance);
}

/* Appends what features of the shape were asked for. */
static void
append_shape (GString *out, GstContoursContourMeta *meta, guint index)
{
  const GstContoursContourFeatures features = gst_contours_contour_meta_get_features (meta);
  GstContoursShape shape;
  if ((features & ~GST_CONTOURS_CONTOUR_FEATURE_MOMENTS) == 0
      || !gst_contours_contour_meta_get_shape (meta, index, &shape))
    return;
  export_append_double (out, ",\"circularity\":", shape.circularity);
  g_string_append (out, shape.touches_frame ? ",\"touches_frame\":true" : ",\"touches_frame\":false");
  for (guint i = 0; i < export_shape_number_count; i++) {
    const ExportShapeNumber *number = &export_shape_numbers[i];
    if (!(features & number->feature))
      continue;
    g_string_append_printf (out, ",\"%s\":", number->name);
    export_append_double (out, "", export_get_shape_number (&shape, number));
  }
}

void
export_append_json_contour (GString *out, GstContoursContourMeta *meta, const GstContoursContour *c)
{
  GstContoursRegion region;
  GstContoursNesting nesting;

  export_append_uint (out, "\"id\":", c->id);
  g_string_append (out, c->hole ? ",\"hole\":true" : ",\"hole\":false");
  if (c->parent >= 0)
    export_append_uint (out, ",\"parent\":", c->parent);
  else
    g_string_append (out, ",\"parent\":null");
  if (c->level > 0)
    export_append_uint (out, ",\"level\":", c->level);
  append_class (out, (GstMeta *) meta, c->level);
  if (gst_contours_contour_meta_get_region_count (meta) > 0)
    export_append_uint (out, ",\"region\":", c->region_number);
  if (gst_contours_contour_meta_get_nesting (meta, c->id, &nesting)) {
    export_append_uint (out, ",\"depth\":", nesting.depth);
    export_append_uint (out, ",\"birth\":", nesting.birth);
    export_append_uint (out, ",\"death\":", nesting.death);
  }
  export_append_double (out, ",\"area\":", c->area);
  export_append_double (out, ",\"perimeter\":", c->perimeter);
  export_append_double (out, ",\"x\":", c->x);
  export_append_double (out, ",\"y\":", c->y);
  export_append_double (out, ",\"w\":", c->w);
  export_append_double (out, ",\"h\":", c->h);
  if (gst_contours_contour_meta_get_features (meta) & GST_CONTOURS_CONTOUR_FEATURE_MOMENTS) {
    export_append_double (out, ",\"cx\":", c->cx);
    export_append_double (out, ",\"cy\":", c->cy);
  }
  append_shape (out, meta, c->id);
  if (c->unfinished)
    g_string_append (out, ",\"unfinished\":true");
  if (gst_contours_contour_meta_has_edge_chains (meta)) {
    g_string_append (out, c->open ? ",\"open\":true" : ",\"open\":false");
    g_string_append (out, c->start_junction ? ",\"start_junction\":true" : ",\"start_junction\":false");
    g_string_append (out, c->end_junction ? ",\"end_junction\":true" : ",\"end_junction\":false");
  }
  if (gst_contours_contour_meta_get_region (meta, c->id, &region))
    append_region (out, &region);
  export_append_json_world_contour (out, meta, c->id);
}

void
export_map_point (GstContoursContourMeta *meta, const CtrPoint *point, gdouble *x, gdouble *y)
{
  const GstContoursMapping *mapping = gst_contours_contour_meta_get_mapping (meta);
  if (gst_contours_contour_meta_get_coordinates (meta) == GST_CONTOURS_CONTOUR_COORDINATES_CORNERS)
    gst_contours_mapping_map_corner (mapping, point->x, point->y, x, y);
  else
    gst_contours_mapping_map_point (mapping, point->x, point->y, x, y);
  *y += export_get_web_shift ((GstMeta *) meta);
}

gdouble
export_get_normal_angle (const GstContoursSubpixel *subpixel)
{
  const gdouble degrees = atan2 (subpixel->normal_y, subpixel->normal_x) * (180 / G_PI);
  return degrees < 0 ? degrees + 360 : degrees;
}

gboolean
export_map_codes (GstContoursContourMeta *meta, CtrContourCodes *codes)
{
  return gst_contours_contour_meta_has_codes (meta)
         && ctr_contours_map_codes (gst_contours_contour_meta_peek_contours (meta), codes, NULL);
}

GstFlowReturn
export_append_codes (const ExportText *text, const CtrContourCodes *codes, guint index)
{
  const gsize steps = codes->chains[index].steps, piece = 4096;
  guint8 *digits = g_malloc (steps);
  GstFlowReturn ret = GST_FLOW_OK;
  ctr_contour_codes_unpack (codes, index, digits);
  for (gsize i = 0; i < steps; i++)
    digits[i] += '0';
  for (gsize i = 0; ret == GST_FLOW_OK && i < steps; i += piece) {
    g_string_append_len (text->out, (const gchar *) digits + i, (gssize) MIN (piece, steps - i));
    ret = export_text_flush (text);
  }
  g_free (digits);
  return ret;
}

const gchar *
export_get_coordinates (GstContoursContourMeta *meta)
{
  return gst_contours_contour_meta_get_coordinates (meta) == GST_CONTOURS_CONTOUR_COORDINATES_CORNERS ? "corners"
                                                                                                      : "pixels";
}

void
export_append_json_class (GString *out, GstMeta *meta, guint value, gboolean hole)
{
  const gchar *class_name = export_get_class (meta, value), *source = export_get_source (meta);
  gchar *name = g_strconcat (class_name ? class_name : source ? source : "unnamed", hole ? " hole" : "", NULL);
  export_append_json_string (out, name);
  g_free (name);
}
