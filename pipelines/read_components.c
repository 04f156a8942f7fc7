/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the connected components of each frame: read_components [PIPELINE]
 *
 * PIPELINE is the source of the frames, in the syntax of gst-launch-1.0; the default is a test source. To compile it
 * elsewhere:
 *   cc read_components.c $(pkg-config --cflags --libs gstcontours-1.0) */
#include <gst/contours/gstcontours.h>
#include <gst/gst.h>

#define TEST_SOURCE "videotestsrc pattern=ball num-buffers=5 ! video/x-raw,format=NV12,width=640,height=480"

static GstPadProbeReturn
print_components (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstContoursComponentMeta *meta = gst_buffer_get_contours_component_meta (buffer);
  g_print ("%.3f s: %u components\n", GST_BUFFER_PTS (buffer) / (gdouble) GST_SECOND,
      gst_contours_component_meta_get_count (meta));
  g_print ("  label     area        x        y        w        h       cx       cy    angle\n");
  GstContoursComponent c;
  for (guint i = 0; gst_contours_component_meta_get_component (meta, i, &c); i++)
    g_print ("%7u %8.0f %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f %8.3f\n", c.label, c.area, c.x, c.y, c.w, c.h, c.cx, c.cy,
        c.orientation);
  return GST_PAD_PROBE_OK;
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  gchar *description =
      g_strdup_printf ("%s ! cudacca name=finder features=moments ! fakesink", argc > 1 ? argv[1] : TEST_SOURCE);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (description, &error);
  g_free (description);
  if (error) {
    g_printerr ("%s\n", error->message);
    return 1;
  }

  GstElement *finder = gst_bin_get_by_name (GST_BIN (pipeline), "finder");
  GstPad *pad = gst_element_get_static_pad (finder, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, print_components, NULL, NULL);
  gst_object_unref (pad);
  gst_object_unref (finder);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    g_printerr ("%s\n", error->message);
    g_error_free (error);
  }
  gboolean failed = GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  return failed;
}
