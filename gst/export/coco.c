/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* COCO format: one JSON document for all frames. Contours without holes are polygons, contours with holes are
 * run-length encoded (RLE), components are boxes. Categories are the classes of masks, otherwise the
 * names of the analysing elements.
 *
 * Annotations are written as they come; images and categories are kept in the spool until the end. */
#include "gst/export/format.h"
#include "gst/export/shape.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  GHashTable *ids;     /* from the JSON name of a category to its id */
  GString *categories; /* new categories of the frame, as lines of JSON */
  guint64 annotations; /* number so far; ids start at 1 because pycocotools takes 0 for none */
  guint64 before;      /* annotations before the current frame */
  guint64 frame;       /* number of frames begun */
} State;

static gpointer
start (void)
{
  State *state = g_new0 (State, 1);
  state->ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  state->categories = g_string_new (NULL);
  return state;
}

static void
stop (gpointer data)
{
  State *state = data;
  g_hash_table_unref (state->ids);
  g_string_free (state->categories, TRUE);
  g_free (state);
}

static void
begin_file (G_GNUC_UNUSED gpointer state, GString *out)
{
  g_string_append (out, "{\"info\":{\"description\":\"" EXPORT_SCHEMA "\"},\"licenses\":[],\n\"annotations\":[");
}

static void
begin_frame (gpointer data, G_GNUC_UNUSED GString *out, const ExportFrame *frame)
{
  State *state = data;
  gboolean again = state->frame == frame->index + 1;
  state->before = state->annotations = again ? state->before : state->annotations;
  state->frame = frame->index + 1;
}

static void
note_frame (gpointer data, GString *lines, const ExportFrame *frame)
{
  State *state = data;
  g_string_append_len (lines, state->categories->str, (gssize) state->categories->len);
  g_string_truncate (state->categories, 0);
  export_append_uint (lines, "{\"id\":", frame->index);
  export_append_uint (lines, ",\"width\":", frame->width);
  export_append_uint (lines, ",\"height\":", frame->height);
  g_string_append (lines, ",\"file_name\":\"");
  g_string_append_printf (lines, "%012" G_GUINT64_FORMAT ".png\",", frame->index);
  export_append_json_frame (lines, frame);
  export_append_json_limit (lines, frame->flags);
  g_string_append_c (lines, '}');
}

/* The id of a category, which is added if it is new. */
static guint
find_category (State *state, GstMeta *meta, guint value, gboolean hole)
{
  GString *name = g_string_new (NULL);
  export_append_json_class (name, meta, value, hole);
  guint id = GPOINTER_TO_UINT (g_hash_table_lookup (state->ids, name->str));
  if (id == 0) {
    id = g_hash_table_size (state->ids) + 1;
    export_append_uint (state->categories, "{\"id\":", id);
    g_string_append_printf (state->categories, ",\"name\":%s}\n", name->str);
    g_hash_table_insert (state->ids, g_strdup (name->str), GUINT_TO_POINTER (id));
  }
  g_string_free (name, TRUE);
  return id;
}

/* Writes the members of an annotation before its segmentation. */
static void
begin_annotation (
    State *state, GString *out, const ExportFrame *frame, guint category, gdouble area, const gdouble box[4])
{
  export_append_uint (out, state->annotations > 0 ? ",\n{\"id\":" : "\n{\"id\":", state->annotations + 1);
  state->annotations++;
  export_append_uint (out, ",\"image_id\":", frame->index);
  export_append_uint (out, ",\"category_id\":", category);
  export_append_double (out, ",\"iscrowd\":0,\"area\":", area);
  for (guint i = 0; i < 4; i++)
    export_append_double (out, i > 0 ? "," : ",\"bbox\":[", box[i]);
  g_string_append (out, "],\"attributes\":{");
}

static void
get_box (const ExportShapes *shapes, const ExportShape *shape, gdouble box[4])
{
  gdouble left = G_MAXDOUBLE, top = G_MAXDOUBLE, right = -G_MAXDOUBLE, bottom = -G_MAXDOUBLE;
  for (guint i = 0; i < shape->points->len; i++) {
    gdouble x, y;
    export_shapes_map (shapes, g_array_index (shape->points, HalfPoint, i), &x, &y);
    left = MIN (left, x);
    top = MIN (top, y);
    right = MAX (right, x);
    bottom = MAX (bottom, y);
  }
  box[0] = left;
  box[1] = top;
  box[2] = right - left;
  box[3] = bottom - top;
}

static GstFlowReturn
append_polygons (const ExportText *text, const ExportShapes *shapes, const ExportShape *shape)
{
  GstFlowReturn ret = GST_FLOW_OK;
  for (guint r = 0; r < shape->rings->len; r++) {
    const OutlineRing *ring = &g_array_index (shape->rings, OutlineRing, r);
    g_string_append (text->out, r > 0 ? ",[" : "[");
    for (guint i = 0; ret == GST_FLOW_OK && i < ring->count; i++) {
      gdouble x, y;
      export_shapes_map (shapes, g_array_index (shape->points, HalfPoint, ring->first + i), &x, &y);
      export_append_double (text->out, i > 0 ? "," : "", x);
      export_append_double (text->out, ",", y);
      ret = export_text_flush (text);
    }
    g_string_append_c (text->out, ']');
  }
  return ret;
}

/* Adds the crossings of the line from A to B with the pixel columns, as column-major pixel indices. A pixel is inside
 * if its centre is. */
static void
cross_columns (GArray *crossings, const ExportFrame *frame, gdouble ax, gdouble ay, gdouble bx, gdouble by)
{
  gdouble left = MIN (ax, bx), right = MAX (ax, bx);
  gint64 from = (gint64) MAX (ceil (left - 0.5), 0), to = (gint64) MIN (ceil (right - 0.5), (gdouble) frame->width);
  for (gint64 column = from; column < to; column++) {
    gdouble y = ay == by ? ay : ay + (by - ay) * (((gdouble) column + 0.5 - ax) / (bx - ax));
    gdouble row = CLAMP (ceil (y - 0.5), 0, (gdouble) frame->height);
    guint64 crossing = (guint64) column * frame->height + (guint64) row;
    g_array_append_val (crossings, crossing);
  }
}

static gint
compare_crossings (const void *a, const void *b)
{
  guint64 first = *(const guint64 *) a, second = *(const guint64 *) b;
  return first < second ? -1 : first > second;
}

/* Writes the run lengths, alternately outside and inside, starting outside. */
static GstFlowReturn
append_counts (const ExportText *text, const GArray *crossings, guint64 pixels)
{
  guint64 done = 0;
  GstFlowReturn ret = GST_FLOW_OK;
  for (guint i = 0; ret == GST_FLOW_OK && i < crossings->len; i++) {
    guint64 crossing = g_array_index (crossings, guint64, i);
    /* Two crossings at the same index cancel, as from the bottom of a column to the top of the next. */
    if (i + 1 < crossings->len && g_array_index (crossings, guint64, i + 1) == crossing) {
      i++;
      continue;
    }
    if (crossing == pixels)
      break;
    export_append_uint (text->out, "", crossing - done);
    g_string_append_c (text->out, ',');
    done = crossing;
    ret = export_text_flush (text);
  }
  export_append_uint (text->out, "", pixels - done);
  return ret;
}

static GstFlowReturn
append_runs (const ExportText *text, const ExportFrame *frame, const ExportShapes *shapes, const ExportShape *shape)
{
  GArray *crossings = g_array_new (FALSE, FALSE, sizeof (guint64));
  for (guint r = 0; r < shape->rings->len; r++) {
    const OutlineRing *ring = &g_array_index (shape->rings, OutlineRing, r);
    gdouble ax, ay, bx, by;
    export_shapes_map (shapes, g_array_index (shape->points, HalfPoint, ring->first + ring->count - 1), &ax, &ay);
    for (guint i = 0; i < ring->count; i++) {
      export_shapes_map (shapes, g_array_index (shape->points, HalfPoint, ring->first + i), &bx, &by);
      cross_columns (crossings, frame, ax, ay, bx, by);
      ax = bx;
      ay = by;
    }
  }
  if (crossings->len > 0)
    qsort (crossings->data, crossings->len, sizeof (guint64), compare_crossings);
  export_append_uint (text->out, "{\"size\":[", frame->height);
  export_append_uint (text->out, ",", frame->width);
  g_string_append (text->out, "],\"counts\":[");
  GstFlowReturn ret = append_counts (text, crossings, (guint64) frame->width * frame->height);
  g_string_append (text->out, "]}");
  g_array_free (crossings, TRUE);
  return ret;
}

/* Chains of edge pixels have no place in COCO: they are lines without an inside. */
static GstFlowReturn
append_contours (State *state, const ExportText *text, const ExportFrame *frame, GstContoursContourMeta *meta)
{
  ExportShapes *shapes = export_shapes_new (meta, TRUE);
  const ExportShape *shape;
  GstFlowReturn ret = GST_FLOW_OK;
  while (ret == GST_FLOW_OK && (shape = export_shapes_next (shapes)) && !shape->chain) {
    gdouble box[4];
    get_box (shapes, shape, box);
    const guint category = find_category (state, (GstMeta *) meta, shape->contour.level, shape->contour.hole);
    begin_annotation (state, text->out, frame, category, shape->area, box);
    export_append_json_contour (text->out, meta, &shape->contour);
    g_string_append (text->out, shape->holes > 0 ? "},\"segmentation\":" : "},\"segmentation\":[");
    ret = shape->holes > 0 ? append_runs (text, frame, shapes, shape) : append_polygons (text, shapes, shape);
    g_string_append (text->out, shape->holes > 0 ? "}" : "]}");
  }
  export_shapes_free (shapes);
  return ret;
}

static GstFlowReturn
append_components (State *state, const ExportText *text, const ExportFrame *frame, GstContoursComponentMeta *meta)
{
  GstContoursComponentFeatures features = gst_contours_component_meta_get_features (meta);
  GstFlowReturn ret = GST_FLOW_OK;
  GstContoursComponent c;
  for (guint i = 0; ret == GST_FLOW_OK && gst_contours_component_meta_get_component (meta, i, &c); i++) {
    const gdouble box[4] = {c.x, c.y, c.w, c.h};
    guint category = find_category (state, (GstMeta *) meta, c.value, FALSE);
    begin_annotation (state, text->out, frame, category, c.area, box);
    export_append_json_component (text->out, meta, &c, features);
    g_string_append (text->out, "},\"segmentation\":[]}");
    ret = export_text_flush (text);
  }
  return ret;
}

static GstFlowReturn
write_annotations (gpointer state, const ExportText *text, const ExportFrame *frame, GstMeta *meta)
{
  return export_is_contours (meta) ? append_contours (state, text, frame, (GstContoursContourMeta *) meta)
                                   : append_components (state, text, frame, (GstContoursComponentMeta *) meta);
}

/* Writes the spooled lines as members of an array: images if OF_FRAMES, otherwise categories. */
static GstFlowReturn
append_lines (const ExportText *text, ExportSpool *spool, gboolean of_frames, GError **error)
{
  const gchar *line;
  gboolean of_frame, first = TRUE;
  GError *failure = NULL;
  GstFlowReturn ret = GST_FLOW_OK;
  export_spool_rewind (spool);
  while (ret == GST_FLOW_OK && (line = export_spool_next (spool, &of_frame, &failure)))
    if (of_frame == of_frames) {
      g_string_append (text->out, first ? "\n" : ",\n");
      g_string_append (text->out, line);
      first = FALSE;
      ret = export_text_flush (text);
    }
  if (!failure)
    return ret;
  g_propagate_error (error, failure);
  return GST_FLOW_ERROR;
}

static GstFlowReturn
end_document (const ExportText *text, ExportSpool *spool, GError **error)
{
  g_string_append (text->out, "\n],\n\"images\":[");
  GstFlowReturn ret = append_lines (text, spool, TRUE, error);
  if (ret != GST_FLOW_OK)
    return ret;
  g_string_append (text->out, "\n],\n\"categories\":[");
  ret = append_lines (text, spool, FALSE, error);
  g_string_append (text->out, "\n]}\n");
  return ret;
}

const ExportFormat export_coco = {
    .nick = "coco",
    .name = "COCO: one document for all frames",
    .extent = EXPORT_DOCUMENT,
    .start = start,
    .stop = stop,
    .begin_file = begin_file,
    .begin_frame = begin_frame,
    .write = write_annotations,
    .note_frame = note_frame,
    .end_document = end_document,
};
