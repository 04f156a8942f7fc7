/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times of a segment in which timestamp, stream time and running time all differ, as after a seek or behind a source that
 * was paused; and metas that a new picture keeps. It runs once for each backend and memory. */
#include "tests/reliability/matrix/elements.h"

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>

static const TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 3};

#define TIMESTAMP (12 * GST_SECOND)
#define STREAM_TIME (102 * GST_SECOND)
#define RUNNING_TIME (1002 * GST_SECOND)

static GstHarness *
new_stream (const gchar *line, GstBus *bus)
{
  GstHarness *h = new_harness_with_bus (line, bus);
  GstSegment segment;

  set_frame_caps (h, &frame);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 10 * GST_SECOND;
  segment.time = 100 * GST_SECOND;
  segment.base = 1000 * GST_SECOND;
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  return h;
}

static GstBuffer *
pass (GstHarness *h, GstBuffer *buffer)
{
  GST_BUFFER_PTS (buffer) = TIMESTAMP;
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  return gst_harness_pull (h);
}

GST_START_TEST (test_message)
{
  static const gchar *const lines[] = {"cudacca", "cudaborders", "cudacrackcontour min-level=128", "cudasnake"};
  GstBus *bus = gst_bus_new ();

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    gchar *line = g_strdup_printf ("%s post-messages=true", lines[i]);
    GstHarness *h = new_stream (line, bus);
    guint64 timestamp, stream_time, running_time;
    GstMessage *message;

    gst_buffer_unref (pass (h, make_frame (&frame)));
    message = pop_message (bus, GST_MESSAGE_ELEMENT);
    fail_unless (message
                 && gst_structure_get (gst_message_get_structure (message), "timestamp", G_TYPE_UINT64, &timestamp,
                     "stream-time", G_TYPE_UINT64, &stream_time, "running-time", G_TYPE_UINT64, &running_time, NULL));
    fail_unless_equals_uint64 (timestamp, TIMESTAMP);
    fail_unless_equals_uint64 (stream_time, STREAM_TIME);
    fail_unless_equals_uint64 (running_time, RUNNING_TIME);
    gst_message_unref (message);
    gst_element_set_bus (h->element, NULL);
    gst_harness_teardown (h);
    g_free (line);
  }
  gst_object_unref (bus);
}

GST_END_TEST;

/* Controllers go by the stream time: the threshold rises by one each second of it. */
GST_START_TEST (test_controller)
{
  GstHarness *h = new_stream ("cudacca", NULL);
  GstElement *element = gst_harness_find_element (h, "cudacca");
  GstControlSource *source = gst_interpolation_control_source_new ();
  GstBuffer *buffer;

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  fail_unless (gst_object_add_control_binding (
      GST_OBJECT (element), gst_direct_control_binding_new_absolute (GST_OBJECT (element), "threshold", source)));
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source), 0, 0);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source), 2000 * GST_SECOND, 2000);
  buffer = pass (h, make_frame (&frame));
  fail_unless_equals_int (
      gst_contours_component_meta_peek_components (gst_buffer_get_contours_component_meta (buffer))->threshold,
      STREAM_TIME / GST_SECOND);
  gst_buffer_unref (buffer);
  gst_object_unref (source);
  gst_object_unref (element);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Samples of 16 bits, of which BITS are used. */
static GstBuffer *
make_deep_frame (guint bits)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 64 * 48 * 2, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint i = 0; i < 64 * 48; i++)
    GST_WRITE_UINT16_LE (map.data + 2 * i, (i % 64 / 8 + i / 512) % 3 ? 100 + i % 7 : (1 << bits) - 1 - i % 11);
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* How many bits the samples of a camera use is found anew in each stream: a camera of 16 bits leaves nothing behind. */
GST_START_TEST (test_bits_of_streams)
{
  static const gchar caps[] = "video/x-raw,format=GRAY16_LE,width=64,height=48,framerate=25/1";
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus ("cudabackground mode=divide", bus);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (guint i = 0; i < 4; i++) {
    const guint bits = i % 2 ? 10 : 16;
    GstMessage *message;
    GError *info;

    fail_unless (gst_harness_push_event (h, gst_event_new_stream_start ("camera")));
    gst_harness_set_src_caps_str (h, caps);
    fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
    gst_buffer_unref (pass (h, make_deep_frame (bits)));
    message = pop_message (bus, GST_MESSAGE_INFO);
    fail_unless (message != NULL, "nothing is said of %u bits", bits);
    gst_message_parse_info (message, &info, NULL);
    fail_unless (strstr (info->message, bits == 10 ? "use 10 of 16 bits" : "use 16 of 16 bits"), "%s", info->message);
    g_error_free (info);
    gst_message_unref (message);
  }
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

static gboolean
init_meta (GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  return TRUE;
}

static gboolean
copy_meta (GstBuffer *to, GstMeta *meta, GstBuffer *buffer, GQuark type, gpointer data)
{
  return gst_buffer_add_meta (to, meta->info, NULL) != NULL;
}

/* A meta with TAG besides that of video. */
static const GstMetaInfo *
register_meta (const gchar *tag)
{
  const gchar *tags[] = {GST_META_TAG_VIDEO_STR, tag, NULL};
  gchar *api = g_strdup_printf ("MatrixOf%sMetaAPI", tag), *name = g_strdup_printf ("MatrixOf%sMeta", tag);
  const GstMetaInfo *info = gst_meta_get_info (name);

  if (!info)
    info =
        gst_meta_register (gst_meta_api_type_register (api, tags), name, sizeof (GstMeta), init_meta, NULL, copy_meta);

  g_free (api);
  g_free (name);
  return info;
}

/* A new picture keeps metas of its size, orientation and colours, but not those of the memory. */
GST_START_TEST (test_metas)
{
  static const gchar *const lines[] = {"cudacanny", "cudaforeground", "cudabackground"};
  static const gchar *const tags[] = {GST_META_TAG_VIDEO_COLORSPACE_STR, GST_META_TAG_VIDEO_SIZE_STR,
      GST_META_TAG_VIDEO_ORIENTATION_STR, GST_META_TAG_MEMORY_STR};

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    GstHarness *h = new_stream (lines[i], NULL);
    GstBuffer *buffer = make_frame (&frame);

    for (guint k = 0; k < G_N_ELEMENTS (tags); k++)
      gst_buffer_add_meta (buffer, register_meta (tags[k]), NULL);
    buffer = pass (h, buffer);
    for (guint k = 0; k < G_N_ELEMENTS (tags); k++)
      fail_unless (
          (gst_buffer_get_meta (buffer, register_meta (tags[k])->api) != NULL) == (k + 1 < G_N_ELEMENTS (tags)),
          "%s: a meta with the tag %s", lines[i], tags[k]);
    gst_buffer_unref (buffer);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

static Suite *
times_suite (void)
{
  Suite *suite = suite_create ("times");
  TCase *tc = tcase_create (test_in_cuda_memory () ? "cuda-memory" : test_backend ());

  skip_without_gpu ();
  suite_add_tcase (suite, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_message);
  tcase_add_test (tc, test_controller);
  if (!test_in_cuda_memory ()) /* which has no grey samples */
    tcase_add_test (tc, test_bits_of_streams);
  tcase_add_test (tc, test_metas);
  return suite;
}

GST_CHECK_MAIN (times);
