/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Example application: measures the diameters of rings, such as washers: measure_rings [OPTION...] FILE-OR-URI
 *
 * A circle is fitted by least squares to the subpixels of the outer border of each part, and one to its largest hole. With --calibration the
 * points are converted to units of the world before, so that neither lens nor perspective matters. For each ring the application
 * prints both diameters, how far points are from the circles, and how far the centres are apart. The exit status is 0 if there
 * was a ring, 1 if there was none, 2 if the input cannot be measured. With --draw the frames, with dimension lines, are sent to
 * other elements:
 *   measure_rings --calibration=camera.yml --draw="videoconvert ! pngenc ! filesink location=measured.png" washer.png
 * To compile it elsewhere:
 *   cc measure_rings.c $(pkg-config --cflags --libs gstcontours-1.0 gstreamer-video-1.0) -lm */
#include <contours/subpixel.h>
#include <gst/contours/gstcontours.h>
#include <gst/gst.h>
#include <gst/video/gstvideometa.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>

/* Options. */
static gchar *calibration_path, *drawn_to, *table_path;
static gboolean invert;
static gdouble ignore = 100;
static gchar **arguments;

/* Results. While the pipeline runs, only the streaming thread uses them. */
static guint n_rings, n_frames;
static gboolean unreadable; /* the contours could not be fetched from the GPU */
static FILE *table;

typedef struct {
  gdouble x, y;
} Point;

typedef struct {
  Point centre;
  gdouble radius;
  gdouble deviation;              /* root mean square of the points' distances from it */
  gdouble largest;                /* the largest of these distances */
  Point west, east, north, south; /* of it, in pixels of the picture */
} Circle;

/* Where the edge runs beside the points of CONTOUR, in pixels. Points beside which there is no edge are left out. */
static GArray *
get_edge (GstContoursContourMeta *meta, const GstContoursContour *contour)
{
  GArray *edge = g_array_new (FALSE, FALSE, sizeof (Point));
  GBytes *bytes = gst_contours_contour_meta_get_subpixel_bytes (meta);
  const CtrSubpixelPoint *points = bytes ? g_bytes_get_data (bytes, NULL) : NULL;
  for (guint64 i = contour->first; points && i < contour->first + contour->count; i++) {
    const Point point = {points[i].x * CTR_SUBPIXEL_UNIT, points[i].y * CTR_SUBPIXEL_UNIT};
    if (points[i].flags == 0)
      g_array_append_val (edge, point);
  }
  g_bytes_unref (bytes);
  return edge;
}

/* Solves the symmetric equations A x = B of three unknowns. FALSE if they have no solution. */
static gboolean
solve (gdouble a[3][3], gdouble b[3])
{
  for (guint i = 0; i < 3; i++) {
    guint best = i;
    for (guint j = i + 1; j < 3; j++)
      if (fabs (a[j][i]) > fabs (a[best][i]))
        best = j;
    if (!(fabs (a[best][i]) > 0))
      return FALSE;
    for (guint k = 0; k < 3; k++) {
      const gdouble swapped = a[i][k];
      a[i][k] = a[best][k];
      a[best][k] = swapped;
    }
    const gdouble swapped = b[i];
    b[i] = b[best];
    b[best] = swapped;
    for (guint j = 0; j < 3; j++) {
      const gdouble factor = j == i ? 0 : a[j][i] / a[i][i];
      for (guint k = i; k < 3; k++)
        a[j][k] -= factor * a[i][k];
      b[j] -= factor * b[i];
    }
  }
  for (guint i = 0; i < 3; i++)
    b[i] /= a[i][i];
  return TRUE;
}

/* Gauss-Newton on the distances of POINTS from the circle, which it starts at. */
static gboolean
fit_circle (const GArray *points, Circle *circle)
{
  const Point *p = (const Point *) (gconstpointer) points->data;
  *circle = (Circle){{0, 0}, 0, 0, 0, {0, 0}, {0, 0}, {0, 0}, {0, 0}};
  if (points->len < 8)
    return FALSE;
  for (guint i = 0; i < points->len; i++) {
    circle->centre.x += p[i].x / points->len;
    circle->centre.y += p[i].y / points->len;
  }
  for (guint i = 0; i < points->len; i++)
    circle->radius += hypot (p[i].x - circle->centre.x, p[i].y - circle->centre.y) / points->len;
  for (guint step = 0; step < 50; step++) {
    gdouble a[3][3] = {{0}}, b[3] = {0};
    for (guint i = 0; i < points->len; i++) {
      const gdouble dx = p[i].x - circle->centre.x, dy = p[i].y - circle->centre.y, d = hypot (dx, dy);
      if (!(d > 0))
        return FALSE;
      const gdouble slope[3] = {dx / d, dy / d, 1};
      for (guint j = 0; j < 3; j++) {
        for (guint k = 0; k < 3; k++)
          a[j][k] += slope[j] * slope[k];
        b[j] += slope[j] * (d - circle->radius);
      }
    }
    if (!solve (a, b))
      return FALSE;
    circle->centre.x += b[0];
    circle->centre.y += b[1];
    circle->radius += b[2];
    if (fabs (b[0]) + fabs (b[1]) + fabs (b[2]) < 1e-12 * circle->radius)
      break;
  }
  for (guint i = 0; i < points->len; i++) {
    const gdouble off = hypot (p[i].x - circle->centre.x, p[i].y - circle->centre.y) - circle->radius;
    circle->deviation += off * off / points->len;
    circle->largest = MAX (circle->largest, fabs (off));
  }
  circle->deviation = sqrt (circle->deviation);
  return circle->radius > 0 && isfinite (circle->radius);
}

/* Where the points of POINTS in the picture, or of the world if there is a CALIBRATION, are in the other. */
static gboolean
convert (GstContoursCalibration *calibration, GArray *points)
{
  for (guint i = 0; calibration && i < points->len; i++) {
    Point *p = &g_array_index (points, Point, i);
    if (!gst_contours_calibration_map_point (calibration, p->x, p->y, &p->x, &p->y))
      return FALSE;
  }
  return TRUE;
}

static Point
see (GstContoursCalibration *calibration, gdouble x, gdouble y)
{
  Point p = {x, y};
  if (calibration)
    gst_contours_calibration_project_point (calibration, x, y, &p.x, &p.y);
  return p;
}

/* Measures the circle that the border of CONTOUR is. */
static gboolean
measure_circle (GstContoursContourMeta *meta, const GstContoursContour *contour, Circle *circle)
{
  GstContoursCalibration *calibration = gst_contours_contour_meta_get_calibration (meta);
  GArray *points = get_edge (meta, contour);
  const gboolean ok = convert (calibration, points) && fit_circle (points, circle);
  g_array_unref (points);
  if (!ok)
    return FALSE;
  const Point c = circle->centre;
  circle->west = see (calibration, c.x - circle->radius, c.y);
  circle->east = see (calibration, c.x + circle->radius, c.y);
  circle->north = see (calibration, c.x, c.y - circle->radius);
  circle->south = see (calibration, c.x, c.y + circle->radius);
  return TRUE;
}

/* Adds a dimension line for an overlay to REGION: from A to B, OFFSET pixels beside them. */
static void
add_dimension (GstVideoRegionOfInterestMeta *region, Point a, Point b, gdouble offset, const gchar *name, gdouble value,
    const gchar *unit)
{
  gchar *label = g_strdup_printf ("%s%.3f %s", name, value, unit);
  gst_video_region_of_interest_meta_add_param (
      region, gst_structure_new ("dimension", "x1", G_TYPE_DOUBLE, (a.x - region->x) / region->w, "y1", G_TYPE_DOUBLE,
                  (a.y - region->y) / region->h, "x2", G_TYPE_DOUBLE, (b.x - region->x) / region->w, "y2",
                  G_TYPE_DOUBLE, (b.y - region->y) / region->h, "offset", G_TYPE_DOUBLE, offset / region->w, "label",
                  G_TYPE_STRING, label, NULL));
  g_free (label);
}

/* The outer diameter is drawn above the ring, or below it where there is more room, the inner one beside it. */
static void
draw_ring (GstBuffer *frame, const GstContoursContour *outline, guint frame_height, const Circle *outer,
    const Circle *inner, const gchar *unit)
{
  GstVideoRegionOfInterestMeta *region = gst_buffer_add_video_region_of_interest_meta (
      frame, "ring", (guint) outline->x, (guint) outline->y, (guint) outline->w, (guint) outline->h);
  const gdouble gap = 0.06 * frame_height, half = outline->w / 2 + 2 * gap;
  const gboolean below = frame_height - (outline->y + outline->h) > outline->y;
  add_dimension (
      region, outer->west, outer->east, (below ? 1 : -1) * (outline->h / 2 + gap), "D ", 2 * outer->radius, unit);
  add_dimension (region, inner->north, inner->south, -half, "d ", 2 * inner->radius, unit);
}

/* The largest hole of OUTLINE; FALSE if it has none. */
static gboolean
find_hole (GstContoursContourMeta *meta, const GstContoursContour *outline, GstContoursContour *hole)
{
  GstContoursContour contour;
  gint next = outline->child;
  hole->area = 0;
  for (; next >= 0 && gst_contours_contour_meta_get_contour (meta, (guint) next, &contour); next = contour.next)
    if (contour.area > hole->area)
      *hole = contour;
  return hole->area > 0;
}

static void
measure_ring (GstContoursContourMeta *meta, const GstContoursContour *outline, GstBuffer *frame)
{
  GstContoursCalibration *calibration = gst_contours_contour_meta_get_calibration (meta);
  const gchar *unit = calibration ? gst_contours_calibration_get_unit (calibration) : "px";
  GstContoursContour hole;
  Circle outer, inner;
  guint width, height;
  if (!find_hole (meta, outline, &hole) || !measure_circle (meta, outline, &outer)
      || !measure_circle (meta, &hole, &inner))
    return;
  const gdouble apart = hypot (outer.centre.x - inner.centre.x, outer.centre.y - inner.centre.y);
  n_rings++;
  g_print ("%6u %10.4f %10.4f %12.4f %12.4f %12.4f  %s\n", n_rings, 2 * outer.radius, 2 * inner.radius, outer.largest,
      inner.largest, apart, unit);
  if (table)
    fprintf (table, "%u,%u,%s,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", n_frames, n_rings, unit,
        2 * outer.radius, 2 * inner.radius, outer.deviation, outer.largest, inner.deviation, inner.largest, apart,
        outer.centre.x, outer.centre.y);
  gst_contours_contour_meta_get_size (meta, &width, &height);
  if (drawn_to)
    draw_ring (frame, outline, height, &outer, &inner, unit);
}

static GstPadProbeReturn
measure_frame (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstBuffer *frame = GST_PAD_PROBE_INFO_BUFFER (info);
  if (drawn_to)
    info->data = frame = gst_buffer_make_writable (frame);
  GstContoursContourMeta *meta = gst_buffer_get_contours_contour_meta (frame);
  GError *error = NULL;
  if (!gst_contours_contour_meta_fetch (meta, &error)) {
    g_printerr ("%s\n", error->message);
    g_error_free (error);
    unreadable = TRUE;
    return GST_PAD_PROBE_OK;
  }
  const guint before = n_rings;
  GstContoursContour contour;
  g_print ("  ring    outer d    inner d  outer error  inner error   eccentric  unit\n");
  for (guint i = 0; gst_contours_contour_meta_get_contour (meta, i, &contour); i++)
    if (!contour.hole)
      measure_ring (meta, &contour, frame);
  g_print ("%u ring%s measured\n", n_rings - before, n_rings - before == 1 ? "" : "s");
  n_frames++;
  return GST_PAD_PROBE_OK;
}

static gboolean
parse_options (int *argc, char ***argv, GError **error)
{
  const GOptionEntry entries[] = {
      {"calibration", 'c', 0, G_OPTION_ARG_FILENAME, &calibration_path, "Calibration of the camera (default: pixels)",
          "FILE"},
      {"invert", 'i', 0, G_OPTION_ARG_NONE, &invert, "Rings are dark on a bright background", NULL},
      {"ignore", 0, 0, G_OPTION_ARG_DOUBLE, &ignore, "Ignore parts and holes with a smaller area (default: 100)",
          "PIXELS"},
      {"table", 0, 0, G_OPTION_ARG_FILENAME, &table_path, "Write the results to this file, as CSV", "FILE"},
      {"draw", 0, 0, G_OPTION_ARG_STRING, &drawn_to,
          "Send the frames with the result to these elements, in the syntax of gst-launch-1.0", "ELEMENTS"},
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &arguments, NULL, "FILE-OR-URI"},
      G_OPTION_ENTRY_NULL,
  };
  GOptionContext *options = g_option_context_new ("- measures the diameters of rings");
  g_option_context_add_main_entries (options, entries, NULL);
  g_option_context_add_group (options, gst_init_get_option_group ());
  const gboolean ok = g_option_context_parse (options, argc, argv, error);
  g_option_context_free (options);
  if (!ok)
    return FALSE;
  if (!(ignore >= 0 && ignore <= G_MAXDOUBLE) || !arguments || arguments[1]) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "FILE-OR-URI must be given once, and --ignore must not be negative; --help lists the options.");
    return FALSE;
  }
  return TRUE;
}

#define COLOURED "video/x-raw(ANY),format={I420,YV12,NV12,NV21,Y42B,Y444,RGB,BGR,RGBx,BGRx,RGBA,BGRA} !"

/* mode=ccomp: each hole is a child of the outline around it. All points of a border take part in a fit. */
static GstElement *
new_pipeline (const gchar *uri, GError **error)
{
  gchar *drawing = !drawn_to
                       ? g_strdup ("fakesink")
                       : g_strconcat ("cudacontouroverlay draw=contours color-by=fixed color=0xff56b4e9 thickness=1 ! "
                                      "cudacontouroverlay draw=0 dimensions=regions color=0xffe69f00 ! ",
                           drawn_to, NULL);
  gchar *description = g_strdup_printf ("uridecodebin name=source expose-all-streams=false caps=video/x-raw(ANY) ! "
                                        "videoconvert ! %s cudaborders name=finder mode=ccomp approximation=none "
                                        "threshold-mode=otsu subpixel=edge ! %s",
      drawn_to ? COLOURED : "", drawing);
  GstElement *pipeline = gst_parse_launch_full (description, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  g_free (description);
  g_free (drawing);
  if (!pipeline)
    return NULL;
  GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  GstElement *finder = gst_bin_get_by_name (GST_BIN (pipeline), "finder");
  GstPad *pad = gst_element_get_static_pad (finder, "src");
  g_object_set (source, "uri", uri, NULL);
  g_object_set (finder, "min-area", ignore, "invert", invert, "calibration-location", calibration_path, NULL);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, measure_frame, NULL, NULL);
  gst_object_unref (pad);
  gst_object_unref (finder);
  gst_object_unref (source);
  return pipeline;
}

static volatile sig_atomic_t interrupted;

/* The first Ctrl+C sends EOS, so that files are completed; the second one kills the process. */
static void
on_interrupt (int number)
{
  interrupted = 1;
  signal (number, SIG_DFL);
}

/* Runs PIPELINE to its end. Returns FALSE after an error. */
static gboolean
play (GstElement *pipeline, GError **error)
{
  signal (SIGINT, on_interrupt);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  while (!(message = gst_bus_timed_pop_filtered (bus, 100 * GST_MSECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR)))
    if (interrupted) {
      interrupted = 0;
      gst_element_send_event (pipeline, gst_event_new_eos ());
    }
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, error, NULL);
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return *error == NULL;
}

static gboolean
open_table (GError **error)
{
  if (!table_path)
    return TRUE;
  if (!(table = fopen (table_path, "w"))) {
    g_set_error (
        error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "The table %s cannot be written: name another file.", table_path);
    return FALSE;
  }
  fprintf (table,
      "frame,ring,unit,outer_diameter,inner_diameter,outer_deviation,outer_error,inner_deviation,inner_error,"
      "eccentricity,x,y\n");
  return TRUE;
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  gchar *uri = NULL;
  GstElement *pipeline = NULL;
  if (parse_options (&argc, &argv, &error) && open_table (&error))
    uri = gst_uri_is_valid (arguments[0]) ? g_strdup (arguments[0]) : gst_filename_to_uri (arguments[0], &error);
  if (uri)
    pipeline = new_pipeline (uri, &error);
  const gboolean played = pipeline && play (pipeline, &error);
  const gboolean written = !table || fclose (table) == 0;
  if (error) {
    g_printerr ("%s%s%s\n", uri ? uri : "", uri ? ": " : "", error->message);
    g_error_free (error);
  } else if (!written) {
    g_printerr ("The table %s is incomplete: free some space.\n", table_path);
  }
  gst_clear_object (&pipeline);
  g_free (calibration_path);
  g_free (table_path);
  g_free (drawn_to);
  g_free (uri);
  g_strfreev (arguments);
  if (!played || unreadable || !written)
    return 2;
  return n_rings == 0;
}
