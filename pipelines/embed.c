/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An application of its own around the elements: embed [--frames=N] [FILE-OR-URI]
 *
 * Builds a pipeline element by element and reads what was found in each frame twice: in a pad probe how much there is,
 * which fetches nothing from a GPU, and at an appsink the largest component and the largest contour with its points. At
 * the end the largest contour of all frames, kept after its frame is gone. Ctrl+C stops in order. Without an
 * argument test pictures are analysed. Outside this project:
 *   cc embed.c $(pkg-config --cflags --libs gstcontours-1.0 gstreamer-app-1.0) */
#include <glib-unix.h>
#include <gst/app/gstappsink.h>
#include <gst/contours/gstcontours.h>
#include <gst/gst.h>

#define MOST_POINTS 8 /* printed of a contour */

typedef struct {
  GMainLoop *loop;
  GstElement *pipeline;
  const gchar *uri; /* NULL: test pictures */
  gboolean failed;

  /* The streaming thread's while the pipeline runs. */
  guint frames;
  gdouble largest_area;
  GBytes *largest_points; /* of all frames, or NULL */
} App;

static void
print_points (GBytes *bytes)
{
  gsize size;
  const CtrPoint *points = g_bytes_get_data (bytes, &size);
  const gsize count = size / sizeof *points;
  for (gsize i = 0; i < MIN (count, MOST_POINTS); i++)
    g_print (" %u,%u", points[i].x, points[i].y);
  g_print ("%s\n", count > MOST_POINTS ? " ..." : "");
}

/* On the way: the buffer, and with it the metadata, is there until this returns. */
static GstPadProbeReturn
count_shapes (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  App *app = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstContoursComponentMeta *components = gst_buffer_get_contours_component_meta (buffer);
  GstContoursContourMeta *contours = gst_buffer_get_contours_contour_meta (buffer);
  g_print ("frame %u: %u components, %u contours of %" G_GUINT64_FORMAT " points, threshold %u\n", app->frames++,
      gst_contours_component_meta_get_count (components), gst_contours_contour_meta_get_count (contours),
      gst_contours_contour_meta_get_point_count (contours), gst_contours_contour_meta_get_threshold (contours));
  return GST_PAD_PROBE_OK;
}

static void
print_largest_component (GstContoursComponentMeta *meta)
{
  GstContoursComponent component, largest = {0};
  for (guint i = 0; gst_contours_component_meta_get_component (meta, i, &component); i++)
    if (component.area > largest.area)
      largest = component;
  if (largest.label)
    g_print ("  largest component: %g pixels, box %g,%g %gx%g, centroid %.2f,%.2f\n", largest.area, largest.x,
        largest.y, largest.w, largest.h, largest.cx, largest.cy);
}

static void
print_largest_contour (App *app, GstContoursContourMeta *meta)
{
  GstContoursContour contour, largest = {.area = -1};
  for (guint i = 0; gst_contours_contour_meta_get_contour (meta, i, &contour); i++)
    if (contour.area > largest.area)
      largest = contour;
  if (largest.area < 0)
    return;
  GBytes *points = gst_contours_contour_meta_get_points (meta, largest.id);
  g_print ("  largest contour: area %g, perimeter %.1f, %u points:", largest.area, largest.perimeter, largest.count);
  print_points (points);
  if (largest.area > app->largest_area) {
    app->largest_area = largest.area;
    g_clear_pointer (&app->largest_points, g_bytes_unref);
    app->largest_points = g_bytes_ref (points); /* no copy, and it outlives the buffer */
  }
  g_bytes_unref (points);
}

/* At the end: the application has the sample, and the metadata as long as that. */
static GstFlowReturn
read_sample (GstAppSink *sink, gpointer user_data)
{
  GstSample *sample = gst_app_sink_pull_sample (sink);
  if (!sample)
    return GST_FLOW_EOS;
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  GstContoursContourMeta *contours = gst_buffer_get_contours_contour_meta (buffer);
  GError *error = NULL;
  if (gst_contours_contour_meta_fetch (contours, &error)) {
    print_largest_component (gst_buffer_get_contours_component_meta (buffer));
    print_largest_contour (user_data, contours);
  } else {
    GST_ELEMENT_ERROR (sink, RESOURCE, READ, ("%s", error->message), (NULL));
    g_error_free (error);
  }
  gst_sample_unref (sample);
  return error ? GST_FLOW_ERROR : GST_FLOW_OK;
}

static void
link_decoded (GstElement *source, GstPad *pad, gpointer convert)
{
  GstPad *sink = gst_element_get_static_pad (convert, "sink");
  if (!gst_pad_is_linked (sink) && gst_pad_link (pad, sink) != GST_PAD_LINK_OK)
    GST_ELEMENT_ERROR (source, STREAM, FORMAT, ("The video cannot be converted."), (NULL));
  gst_object_unref (sink);
}

static GstElement *
add_element (App *app, const gchar *factory, GError **error)
{
  GstElement *element = *error ? NULL : gst_element_factory_make (factory, NULL);
  if (element)
    gst_bin_add (GST_BIN (app->pipeline), element);
  else if (!*error)
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "There is no element '%s': is its plugin installed, or GST_PLUGIN_PATH set?", factory);
  return element;
}

/* Frames of URI, or without one FRAMES test pictures, for CONVERT. */
static void
add_source (App *app, GstElement *convert, const gchar *uri, gint frames, GError **error)
{
  GstElement *source = add_element (app, uri ? "uridecodebin" : "videotestsrc", error);
  if (*error)
    return;
  if (uri) {
    GstCaps *caps = gst_caps_from_string ("video/x-raw(ANY)");
    g_object_set (source, "uri", uri, "caps", caps, "expose-all-streams", FALSE, NULL);
    gst_caps_unref (caps);
    g_signal_connect (source, "pad-added", G_CALLBACK (link_decoded), convert);
  } else {
    g_object_set (source, "num-buffers", frames, NULL);
    gst_util_set_object_arg (G_OBJECT (source), "pattern", "ball");
    gst_element_link (source, convert);
  }
}

static gboolean
build_pipeline (App *app, const gchar *uri, gint frames, GError **error)
{
  app->pipeline = gst_pipeline_new (NULL);
  GstElement *convert = add_element (app, "videoconvert", error);
  GstElement *components = add_element (app, "cudacca", error);
  GstElement *contours = add_element (app, "cudaborders", error);
  GstElement *sink = add_element (app, "appsink", error);
  add_source (app, convert, uri, frames, error);
  if (*error)
    return FALSE;
  gst_util_set_object_arg (G_OBJECT (components), "threshold-mode", "otsu");
  gst_util_set_object_arg (G_OBJECT (contours), "threshold-mode", "otsu");
  gst_util_set_object_arg (G_OBJECT (contours), "mode", "external");
  g_object_set (sink, "sync", FALSE, NULL); /* as fast as frames can be analysed */
  if (!gst_element_link_many (convert, components, contours, sink, NULL)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "The elements do not fit together.");
    return FALSE;
  }

  GstPad *pad = gst_element_get_static_pad (contours, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_shapes, app, NULL);
  gst_object_unref (pad);
  GstAppSinkCallbacks callbacks = {.new_sample = read_sample};
  gst_app_sink_set_callbacks (GST_APP_SINK (sink), &callbacks, app, NULL);
  return TRUE;
}

static gboolean
handle_message (GstBus *bus, GstMessage *message, gpointer user_data)
{
  App *app = user_data;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR && !app->failed) {
    GError *error;
    gst_message_parse_error (message, &error, NULL);
    g_printerr ("%s%s%s\n", app->uri ? app->uri : "", app->uri ? ": " : "", error->message);
    g_error_free (error);
    app->failed = TRUE;
  }
  if (app->failed || GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    g_main_loop_quit (app->loop);
  return G_SOURCE_CONTINUE;
}

/* The frame under way is finished, or given up. A pipeline that writes a file would be sent an EOS event instead, but
 * not before it plays: until then that may wait for ever. */
static gboolean
stop (gpointer loop)
{
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE; /* the next Ctrl+C kills */
}

static void
run_pipeline (App *app)
{
  app->loop = g_main_loop_new (NULL, FALSE);
  GstBus *bus = gst_element_get_bus (app->pipeline);
  gst_bus_add_watch (bus, handle_message, app);
  g_unix_signal_add (SIGINT, stop, app->loop);
  gst_element_set_state (app->pipeline, GST_STATE_PLAYING); /* where it fails, the bus says why */
  g_main_loop_run (app->loop);
  gst_element_set_state (app->pipeline, GST_STATE_NULL);
  gst_bus_remove_watch (bus);
  gst_object_unref (bus);
  g_main_loop_unref (app->loop);
}

static gchar *
parse_arguments (int *argc, char ***argv, gint *frames, GError **error)
{
  const GOptionEntry entries[] = {
      {"frames", 0, 0, G_OPTION_ARG_INT, frames, "Test pictures to analyse (default: 5; -1: until Ctrl+C)", "N"},
      G_OPTION_ENTRY_NULL,
  };
  GOptionContext *options = g_option_context_new ("[FILE-OR-URI] - reads components and contours of each frame");
  g_option_context_add_main_entries (options, entries, NULL);
  g_option_context_add_group (options, gst_init_get_option_group ());
  const gboolean parsed = g_option_context_parse (options, argc, argv, error);
  g_option_context_free (options);
  if (parsed && *argc > 2)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "one FILE-OR-URI; --help says more");
  if (*error || *argc < 2)
    return NULL;
  return gst_uri_is_valid ((*argv)[1]) ? g_strdup ((*argv)[1]) : gst_filename_to_uri ((*argv)[1], error);
}

int
main (int argc, char **argv)
{
  App app = {.largest_area = -1};
  gint frames = 5;
  GError *error = NULL;
  gchar *uri = parse_arguments (&argc, &argv, &frames, &error);
  app.uri = uri;
  if (!error && build_pipeline (&app, uri, frames, &error))
    run_pipeline (&app);
  if (error) {
    g_printerr ("%s\n", error->message);
    g_error_free (error);
    app.failed = TRUE;
  }
  if (app.largest_points) {
    g_print ("largest contour of %u frames: area %g:", app.frames, app.largest_area);
    print_points (app.largest_points);
    g_bytes_unref (app.largest_points);
  }
  gst_clear_object (&app.pipeline);
  g_free (uri);
  return app.failed;
}
