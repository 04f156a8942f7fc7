/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Example application that knows nothing of this project: checks the size of each object, from standard metadata.
 *   inspect_boxes [--width MIN:MAX] [--height MIN:MAX] [PIPELINE]
 *
 * PIPELINE, in the syntax of gst-launch-1.0, ends with an element that attaches regions of interest or detections; the default
 * is a test source and cudacca. For each object the application prints its type, number, box, area if it is known, and PASS
 * or FAIL. The exit status is 0 if all objects pass, 1 if one fails or there is none, 2 if the pipeline fails.
 * inspect_boxes.py is the same in Python. To compile it:
 *   cc inspect_boxes.c $(pkg-config --cflags --libs gstreamer-video-1.0)
 * With detections, which GStreamer has from 1.24 on:
 *   cc -DHAVE_ANALYTICS -DGST_USE_UNSTABLE_API inspect_boxes.c $(pkg-config --cflags --libs gstreamer-analytics-1.0) */
#include <gst/gst.h>
#include <gst/video/gstvideometa.h>
#ifdef HAVE_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

#define TEST_PIPELINE                                                           \
  "videotestsrc pattern=ball num-buffers=3 ! video/x-raw,width=640,height=480 " \
  "! cudacca attach-as=roi"

typedef struct {
  gdouble min, max;
} Limit;

static Limit width_limit = {0, G_MAXDOUBLE}, height_limit = {0, G_MAXDOUBLE};
static guint passed, failed;

/* Parses MIN:MAX, where one of both may be missing. */
static gboolean
parse_limit (const gchar *option, const gchar *text, gpointer data, GError **error)
{
  Limit *limit = g_str_equal (option, "--width") ? &width_limit : &height_limit;
  gchar *rest;
  limit->min = g_ascii_strtod (text, &rest);
  gboolean ok = *rest == ':';
  if (ok && rest[1] != '\0')
    limit->max = g_ascii_strtod (rest + 1, &rest);
  else if (ok)
    rest++;
  if (ok && *rest == '\0' && limit->min <= limit->max)
    return TRUE;
  g_set_error (
      error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s takes MIN:MAX, MIN: or :MAX, not '%s'", option, text);
  return FALSE;
}

/* AREA below 0: unknown. */
static void
check (GQuark type, guint number, gint x, gint y, gint width, gint height, gdouble area)
{
  const gboolean passes =
      width >= width_limit.min && width <= width_limit.max && height >= height_limit.min && height <= height_limit.max;
  g_print ("%s %u: %d x %d at %d, %d", type ? g_quark_to_string (type) : "object", number, width, height, x, y);
  if (area >= 0)
    g_print (", area %g", area);
  g_print (" %s\n", passes ? "PASS" : "FAIL");
  passed += passes;
  failed += !passes;
}

static gboolean
check_regions (GstBuffer *frame)
{
  GstMeta *meta;
  gpointer state = NULL;
  gboolean found = FALSE;
  while ((meta = gst_buffer_iterate_meta_filtered (frame, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    GstVideoRegionOfInterestMeta *region = (GstVideoRegionOfInterestMeta *) meta;
    const GstStructure *detection = gst_video_region_of_interest_meta_get_param (region, "detection");
    gdouble area;
    if (!detection || !gst_structure_get_double (detection, "area", &area))
      area = -1;
    found = TRUE;
    check (region->roi_type, region->id, region->x, region->y, region->w, region->h, area);
  }
  return found;
}

static void
check_detections (GstBuffer *frame)
{
#ifdef HAVE_ANALYTICS
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta (frame);
  GstAnalyticsMtd detection;
  gpointer state = NULL;
  gint x, y, width, height;
  while (meta && gst_analytics_relation_meta_iterate (meta, &state, gst_analytics_od_mtd_get_mtd_type (), &detection))
    if (gst_analytics_od_mtd_get_location (&detection, &x, &y, &width, &height, NULL))
      check (gst_analytics_od_mtd_get_obj_type (&detection), detection.id, x, y, width, height, -1);
#endif
}

static GstPadProbeReturn
check_frame (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstBuffer *frame = GST_PAD_PROBE_INFO_BUFFER (info);
  g_print ("%.3f s\n", GST_BUFFER_PTS (frame) / (gdouble) GST_SECOND);
  if (!check_regions (frame))
    check_detections (frame);
  return GST_PAD_PROBE_OK;
}

static gboolean
run (const gchar *description, GError **error)
{
  gchar *line = g_strdup_printf ("%s ! fakesink name=end", description);
  GstElement *pipeline = gst_parse_launch (line, error);
  g_free (line);
  if (*error) {
    g_clear_pointer (&pipeline, gst_object_unref);
    return FALSE;
  }
  GstElement *end = gst_bin_get_by_name (GST_BIN (pipeline), "end");
  GstPad *pad = gst_element_get_static_pad (end, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, check_frame, NULL, NULL);
  gst_object_unref (pad);
  gst_object_unref (end);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, error, NULL);
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  return *error == NULL;
}

int
main (int argc, char **argv)
{
  const GOptionEntry entries[] = {
      {"width", 0, 0, G_OPTION_ARG_CALLBACK, parse_limit, "Width of an object's box in pixels", "MIN:MAX"},
      {"height", 0, 0, G_OPTION_ARG_CALLBACK, parse_limit, "Height of an object's box in pixels", "MIN:MAX"},
      G_OPTION_ENTRY_NULL,
  };
  GOptionContext *options = g_option_context_new ("[PIPELINE]");
  g_option_context_add_main_entries (options, entries, NULL);
  g_option_context_add_group (options, gst_init_get_option_group ());
  GError *error = NULL;
  gboolean ok = g_option_context_parse (options, &argc, &argv, &error);
  g_option_context_free (options);
  if (!ok || !run (argc > 1 ? argv[1] : TEST_PIPELINE, &error)) {
    g_printerr ("%s\n", error->message);
    g_error_free (error);
    return 2;
  }
  g_print ("%u passed, %u failed\n", passed, failed);
  return failed > 0 || passed == 0;
}
