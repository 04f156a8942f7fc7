/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Example application: embed [--frames=N] [FILE-OR-URI]
 *
 * Builds a pipeline in code and reads the metadata of each frame twice: a pad probe prints the counts, which need no
 * transfer from the GPU, and the callback of an appsink prints the largest component and the largest contour with its
 * points. At the end the application prints the largest contour of all frames, whose points it has kept without their
 * frame. Ctrl+C stops it. Without an argument it analyses test frames. To compile it elsewhere:
 *   cc embed.c $(pkg-config --cflags --libs gstcontours-1.0 gstreamer-app-1.0) */
#include <glib-unix.h>
#include <gst/app/gstappsink.h>
#include <gst/contours/gstcontours.h>
#include <gst/gst.h>

#define MAX_POINTS 8 /* printed per contour */

typedef struct {
  GMainLoop *loop;
  GstElement *pipeline;
  const gchar *uri; /* NULL: test frames */
  gboolean failed;

  /* While the pipeline runs, only the streaming thread uses these. */
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
  for (gsize i = 0; i < MIN (count, MAX_POINTS); i++)
    g_print (" %u,%u", points[i].x, points[i].y);
  g_print ("%s\n", count > MAX_POINTS ? " ..." : "");
}

/* Runs in the streaming thread, for each frame. The buffer, and with it the metadata, is valid until this returns. */
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
    app->largest_points = g_bytes_ref (points); /* shared, and valid without the buffer */
  }
  g_bytes_unref (points);
}

/* Runs in the streaming thread, for each frame that reaches the sink. The metadata is valid as long as the sample. */
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
        "There is no element '%s'. Install its plugin, or set GST_PLUGIN_PATH to its folder.", factory);
  return element;
}

/* Links the video of URI to CONVERT, or FRAMES test frames if URI is NULL. */
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
  g_object_set (sink, "sync", FALSE, NULL); /* as fast as possible, not at the frame rate */
  if (!gst_element_link_many (convert, components, contours, sink, NULL)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "The elements cannot be linked.");
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

/* Handles the first Ctrl+C; the second one kills the process. An application that writes a file would send an EOS event
 * first, so that the file is completed, but only to a pipeline that plays: before, EOS may wait for ever. */
static gboolean
stop (gpointer loop)
{
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

static void
run_pipeline (App *app)
{
  app->loop = g_main_loop_new (NULL, FALSE);
  GstBus *bus = gst_element_get_bus (app->pipeline);
  gst_bus_add_watch (bus, handle_message, app);
  g_unix_signal_add (SIGINT, stop, app->loop);
  gst_element_set_state (app->pipeline, GST_STATE_PLAYING); /* a failure arrives as a message on the bus */
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
      {"frames", 0, 0, G_OPTION_ARG_INT, frames,
          "Number of test frames without FILE-OR-URI (default: 5; -1: until Ctrl+C)", "N"},
      G_OPTION_ENTRY_NULL,
  };
  GOptionContext *options = g_option_context_new ("[FILE-OR-URI] - prints the components and contours of each frame");
  g_option_context_add_main_entries (options, entries, NULL);
  g_option_context_add_group (options, gst_init_get_option_group ());
  const gboolean parsed = g_option_context_parse (options, argc, argv, error);
  g_option_context_free (options);
  if (parsed && *argc > 2)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "There can be only one FILE-OR-URI; --help lists the options.");
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
