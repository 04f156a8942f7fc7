/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Many pipelines in one process, at the same time: each gives the bytes that it gives alone, texts and pixels. */
#include <gst/check/gstcheck.h>
#include <gst/video/video.h>

#define STREAMS 16
#define FRAMES 6
#define WIDTH 96
#define HEIGHT 64

/* Elements that share their inputs, the pool of threads and, on a GPU, its context. */
static const gchar *const chains[] = {
    "cudabackground ! cudacca features=moments+grey n-threads=0 ! cudaborders mode=tree features=moments ! "
    "cudacontouroverlay "
    "labels=index",
    "cudacca threshold-mode=otsu labels=true ! cudaborders threshold-mode=otsu n-threads=3 ! cudacrackcontour "
    "min-level=100 step=50 "
    "! cudacontouroverlay",
    "cudacanny contours=true n-threads=2 ! cudacontouroverlay",
    "cudaforeground open-size=3 fill-holes=true ! cudasnake max-iterations=50 ! cudacontouroverlay",
};

typedef struct {
  guint number;
  GByteArray *texts, *pixels;
} Stream;

static void
append (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer user_data)
{
  GByteArray *bytes = user_data;
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_byte_array_append (bytes, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
}

/* Discs of different sizes on a slope, which depend on the stream and on the frame. */
static GstBuffer *
new_frame (guint stream, guint number)
{
  GstBuffer *frame = gst_buffer_new_allocate (NULL, WIDTH * HEIGHT, NULL);
  GstMapInfo map;

  gst_buffer_map (frame, &map, GST_MAP_WRITE);
  for (gint y = 0; y < HEIGHT; y++)
    for (gint x = 0; x < WIDTH; x++) {
      const gint dx = x % 24 - 12, dy = y % 20 - 10, radius = 2 + (x / 24 + y / 20 + stream + number) % 7;

      map.data[y * WIDTH + x] = x / 2 + (dx * dx + dy * dy <= radius * radius ? 150 + stream : 10);
    }
  gst_buffer_unmap (frame, &map);
  GST_BUFFER_PTS (frame) = number * 40 * GST_MSECOND;
  GST_BUFFER_DURATION (frame) = 40 * GST_MSECOND;
  return frame;
}

static GstElement *
connected (GstElement *pipeline, const gchar *name, GByteArray *bytes)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), name);

  if (bytes)
    g_signal_connect (sink, "handoff", G_CALLBACK (append), bytes);
  gst_object_unref (sink);
  return sink;
}

/* Each of the elements of LINE has the backend of this run, and a name, as results have it. */
static gchar *
with_backend (const gchar *line)
{
  const gchar *backend = g_getenv ("CTR_TEST_BACKEND");
  gchar **elements = g_strsplit (line, "!", -1), *joined, *all;

  for (gchar **e = elements; *e; e++) {
    gchar *plain = *e;

    *e = g_strdup_printf ("%s backend=%s name=e%d ", plain, backend ? backend : "cpu", (gint) (e - elements));
    g_free (plain);
  }
  joined = g_strjoinv ("!", elements);
  all = g_strdup_printf (
      "appsrc name=source format=time caps=video/x-raw,format=GRAY8,width=%d,height=%d,framerate=25/1 ! %s ! "
      "contourextract name=x x.src ! queue ! fakesink name=pixels signal-handoffs=true sync=false "
      "x.json_src ! queue ! fakesink name=texts signal-handoffs=true sync=false",
      WIDTH, HEIGHT, joined);
  g_free (joined);
  g_strfreev (elements);
  return all;
}

static gpointer
run_stream (gpointer user_data)
{
  Stream *stream = user_data;
  gchar *line = with_backend (chains[stream->number % G_N_ELEMENTS (chains)]);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error), *source;
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  GstFlowReturn ret;

  fail_unless (!error, "%s", error ? error->message : "");
  source = connected (pipeline, "source", NULL);
  connected (pipeline, "pixels", stream->pixels);
  connected (pipeline, "texts", stream->texts);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < FRAMES; i++) {
    GstBuffer *frame = new_frame (stream->number, i);

    g_signal_emit_by_name (source, "push-buffer", frame, &ret);
    gst_buffer_unref (frame);
  }
  g_signal_emit_by_name (source, "end-of-stream", &ret);
  message = gst_bus_timed_pop_filtered (bus, 120 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS, "stream %u: no end", stream->number);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  g_free (line);
  return NULL;
}

static void
begin (Stream *streams)
{
  for (guint i = 0; i < STREAMS; i++)
    streams[i] = (Stream){i, g_byte_array_new (), g_byte_array_new ()};
}

static void
end (Stream *streams)
{
  for (guint i = 0; i < STREAMS; i++) {
    g_byte_array_unref (streams[i].texts);
    g_byte_array_unref (streams[i].pixels);
  }
}

static gboolean
are_equal (const GByteArray *a, const GByteArray *b)
{
  return a->len == b->len && memcmp (a->data, b->data, a->len) == 0;
}

GST_START_TEST (test_equal_to_alone)
{
  static const guint counts[] = {2, 4, 8, STREAMS};
  Stream alone[STREAMS], together[STREAMS];

  begin (alone);
  for (guint i = 0; i < STREAMS; i++) {
    run_stream (&alone[i]);
    fail_unless (alone[i].texts->len > 1000, "stream %u has no results", i);
    fail_unless_equals_int (alone[i].pixels->len, WIDTH * HEIGHT * FRAMES);
  }
  fail_unless (!are_equal (alone[0].texts, alone[4].texts));
  for (guint c = 0; c < G_N_ELEMENTS (counts); c++) {
    GThread *threads[STREAMS];

    begin (together);
    for (guint i = 0; i < counts[c]; i++)
      threads[i] = g_thread_new ("stream", run_stream, &together[i]);
    for (guint i = 0; i < counts[c]; i++) {
      g_thread_join (threads[i]);
      fail_unless (are_equal (alone[i].texts, together[i].texts), "stream %u of %u has other texts", i, counts[c]);
      fail_unless (are_equal (alone[i].pixels, together[i].pixels), "stream %u of %u has other pixels", i, counts[c]);
    }
    end (together);
  }
  end (alone);
}

GST_END_TEST;

static Suite *
parallel_suite (void)
{
  Suite *s = suite_create ("parallel");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 0);
  tcase_add_test (tc, test_equal_to_alone);
  return s;
}

GST_CHECK_MAIN (parallel);
