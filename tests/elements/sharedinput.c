/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests analysers that are linked to each other and share the input of a frame: the results are those of
 * each element alone, and nothing is shared where somebody may have changed the pixels in between.
 *
 * Whether elements share shows where the pixels change without their knowledge: the first analyser posts a message when
 * it has analysed a frame, and a handler overwrites the frame then, which no application may do. */
#include "components.h"
#include "contours.h"
#include "edges.h"

static const CtrForeground otsu = {.mode = CTR_THRESHOLD_OTSU};

static CtrCcaParams
cca_params (const CtrForeground *foreground)
{
  CtrCcaParams params;

  ctr_cca_params_init (&params);
  params.foreground = *foreground;
  return params;
}

static CtrBordersParams
borders_params (const CtrForeground *foreground)
{
  CtrBordersParams params;

  ctr_borders_params_init (&params);
  params.foreground = *foreground;
  return params;
}

static CtrCracksParams
cracks_params (void)
{
  CtrCracksParams params;

  ctr_cracks_params_init (&params);
  params.minimum = params.step = 64;
  return params;
}

#define CRACKS_LINE "min-level=64 step=64"

/* BUFFER must carry the results of the elements "cca", "borders" and "cracks", of those that LINE has, for FRAME. */
static void
assert_results (GstBuffer *buffer, const gchar *line, const TestFrame *frame)
{
  const CtrCcaParams cca = cca_params (&otsu);
  const CtrBordersParams borders = borders_params (&otsu);
  const CtrCracksParams cracks = cracks_params ();

  if (strstr (line, "name=cca"))
    assert_components (buffer, "cca", frame, &cca);
  if (strstr (line, "name=borders"))
    assert_contours (buffer, "borders", frame, &borders);
  if (strstr (line, "name=cracks"))
    assert_cracks (buffer, "cracks", frame, &cracks);
}

/* %1$s stands for this run's backend. */
static const gchar *const chains[] = {
    "cudacca name=cca threshold-mode=otsu backend=%1$s ! cudaborders name=borders threshold-mode=otsu backend=%1$s",
    "cudaborders name=borders threshold-mode=otsu backend=%1$s ! cudacca name=cca threshold-mode=otsu backend=%1$s ! "
    "cudacrackcontour name=cracks " CRACKS_LINE " backend=%1$s",
    "cudacrackcontour name=cracks " CRACKS_LINE " backend=%1$s ! cudacca name=cca threshold-mode=otsu backend=%1$s ! "
    "cudaborders name=borders threshold-mode=otsu backend=%1$s",
    "cudacca name=other backend=%1$s ! cudaborders name=borders threshold-mode=otsu backend=%1$s ! "
    "cudacca name=cca threshold-mode=otsu backend=%1$s",
    "cudacca name=cca threshold-mode=otsu backend=%1$s ! queue ! "
    "cudaborders name=borders threshold-mode=otsu backend=%1$s",
};

static GstHarness *
new_chain (const gchar *format)
{
  gchar **parts = g_strsplit (format, "%1$s", -1), *line = g_strjoinv (test_backend (), parts);
  GstHarness *h = new_harness_of_line (line);

  g_strfreev (parts);
  g_free (line);
  return h;
}

/* Results are read when all frames have been analysed. Caps change with every frame, and the stream is flushed and
 * stopped now and then. */
GST_START_TEST (test_results_all)
{
  const gchar *line = chains[__i__];
  GstHarness *h = new_chain (line);
  GstBuffer *buffers[2 * G_N_ELEMENTS (test_formats)] = {NULL};
  TestFrame frames[G_N_ELEMENTS (buffers)];

  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++) {
    const TestFormat *format = &test_formats[i % G_N_ELEMENTS (test_formats)];

    if (!format_runs (format))
      continue;
    frames[i] = (TestFrame){format->video, 100 + i, 80 - i, .seed = i};
    /* libgstcuda from 1.24 on allocates a row too few for NV21 with an odd height. */
    if (test_in_cuda_memory () && format->video == GST_VIDEO_FORMAT_NV21)
      frames[i].height &= ~1;
    set_frame_caps (h, &frames[i]);
    if (i % 7 == 3) {
      fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
      fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (FALSE)));
      set_frame_caps (h, &frames[i]);
    }
    if (i % 11 == 5)
      restart (h, &frames[i]);
    buffers[i] = pass_frame (h, &frames[i]);
  }
  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++)
    if (buffers[i])
      assert_results (buffers[i], line, &frames[i]);
  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++)
    gst_clear_buffer (&buffers[i]);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Modes and thresholds may differ, and change with every frame. */
GST_START_TEST (test_properties)
{
  GstHarness *h = new_chain (chains[0]);
  GstElement *cca = gst_bin_get_by_name (GST_BIN (h->element), "cca");
  GstElement *borders = gst_bin_get_by_name (GST_BIN (h->element), "borders");

  for (guint i = 0; i < 24; i++) {
    const CtrForeground of_cca = {.mode = i % 2, .threshold = i % 2 ? 0 : 100 + i, .invert = i % 3 == 0};
    const CtrForeground of_borders = {.mode = i / 2 % 2, .threshold = i / 2 % 2 ? 0 : 90 + i, .invert = i % 5 == 0};
    const CtrCcaParams cca_wanted = cca_params (&of_cca);
    const CtrBordersParams borders_wanted = borders_params (&of_borders);
    const TestFrame frame = {i / 4 % 2 ? GST_VIDEO_FORMAT_RGB : GST_VIDEO_FORMAT_NV12, 160, 120, .seed = i};
    GstBuffer *buffer;

    g_object_set (cca, "threshold-mode", of_cca.mode, "threshold", of_cca.threshold, "invert", of_cca.invert, NULL);
    g_object_set (borders, "threshold-mode", of_borders.mode, "threshold", of_borders.threshold, "invert",
        of_borders.invert, NULL);
    set_frame_caps (h, &frame);
    buffer = pass_frame (h, &frame);
    assert_components (buffer, "cca", &frame, &cca_wanted);
    assert_contours (buffer, "borders", &frame, &borders_wanted);
    gst_buffer_unref (buffer);
  }
  gst_object_unref (cca);
  gst_object_unref (borders);
  gst_harness_teardown (h);
}

GST_END_TEST;

static gboolean
drop_meta (GstBuffer *buffer, GstMeta **meta, gpointer user_data)
{
  *meta = NULL;
  return TRUE;
}

/* A frame in the memory of the frame before is another frame. */
GST_START_TEST (test_same_memory)
{
  GstHarness *h = new_chain (chains[1]);
  const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_NV12};

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    TestFrame frame = {formats[f], 150, 100, .seed = 0};
    GstBuffer *buffer = make_frame (&frame);

    set_frame_caps (h, &frame);
    for (frame.seed = 0; frame.seed < 5; frame.seed++) {
      GstMemory *memory = gst_buffer_peek_memory (buffer, 0);
      GstVideoInfo info;
      GstMapInfo map;

      gst_video_info_set_format (&info, frame.format, frame.width, frame.height);
      fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
      fill_pixels (&frame, &info, map.data, info.offset, info.stride);
      gst_buffer_unmap (buffer, &map);
      fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
      buffer = gst_harness_pull (h);
      fail_unless (gst_buffer_peek_memory (buffer, 0) == memory);
      assert_results (buffer, chains[1], &frame);
      gst_buffer_foreach_meta (buffer, drop_meta, NULL);
    }
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* What the handler of a message does with the frame. */
typedef struct {
  const gchar *source; /* of the message */
  guint8 *pixels;      /* to overwrite */
  const TestFrame *after;
  GstPad *pad; /* gets a probe that goes with the first buffer; or NULL */
  guint probed;
} Change;

static GstPadProbeReturn
go_at_once (GstPad *pad, GstPadProbeInfo *info, gpointer change)
{
  ((Change *) change)->probed++;
  return GST_PAD_PROBE_REMOVE;
}

static GstPadProbeReturn
stay (GstPad *pad, GstPadProbeInfo *info, gpointer change)
{
  ((Change *) change)->probed++;
  return GST_PAD_PROBE_OK;
}

static GstBusSyncReply
overwrite (GstBus *bus, GstMessage *message, gpointer data)
{
  Change *change = data;
  GstVideoInfo info;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT
      && g_str_equal (GST_OBJECT_NAME (GST_MESSAGE_SRC (message)), change->source)) {
    gst_video_info_set_format (&info, change->after->format, change->after->width, change->after->height);
    fill_pixels (change->after, &info, change->pixels, info.offset, info.stride);
    if (change->pad)
      gst_pad_add_probe (change->pad, GST_PAD_PROBE_TYPE_BUFFER, go_at_once, change, NULL);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

/* Sends BEFORE through H. When the element CHANGE->source has analysed it, its pixels become those of CHANGE->after. */
static GstBuffer *
pass_changing (GstHarness *h, Change *change, const TestFrame *before)
{
  GstBuffer *buffer = make_system_frame (before);
  GstCaps *caps = frame_caps (before);
  GstBus *bus = gst_bus_new ();
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  change->pixels = map.data;
  gst_buffer_unmap (buffer, &map);
  gst_bus_set_sync_handler (bus, overwrite, change, NULL);
  gst_element_set_bus (h->element, bus);
  gst_harness_set_src_caps (h, caps);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  buffer = gst_harness_pull (h);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  return buffer;
}

typedef enum { NO_PROBE, PROBE_ON_SRC, PROBE_ON_SINK, SHORT_PROBE_ON_SRC, SHORT_PROBE_ON_SINK } Probe;

#define FIRST "cudacca name=cca threshold-mode=otsu post-messages=true backend=%1$s"
#define SECOND "cudaborders name=borders threshold-mode=otsu backend=%1$s"

/* The input of an RGB frame, its luma, is shared by analysers that are linked directly, and only by these. */
GST_START_TEST (test_who_shares)
{
  static const struct {
    const gchar *line;
    gboolean shared, on_gpu;
    Probe probe;
  } cases[] = {
      {FIRST " ! " SECOND, TRUE, FALSE, NO_PROBE},
      {FIRST " ! cudacrackcontour backend=%1$s ! " SECOND, TRUE, FALSE, NO_PROBE},
      {FIRST " ! cudacca backend=%1$s ! cudacrackcontour backend=%1$s ! " SECOND, TRUE, FALSE, NO_PROBE},
      {FIRST " ! identity ! " SECOND, FALSE, FALSE, NO_PROBE},
      {FIRST " ! queue ! " SECOND, FALSE, FALSE, NO_PROBE},
      {FIRST " ! cudacontouroverlay draw=0 backend=%1$s ! " SECOND, FALSE, FALSE, NO_PROBE},
      {FIRST " ! cudacca backend=%1$s ! identity ! cudacca backend=%1$s ! " SECOND, FALSE, FALSE, NO_PROBE},
      {FIRST " ! " SECOND, FALSE, FALSE, PROBE_ON_SRC},
      {FIRST " ! " SECOND, FALSE, FALSE, PROBE_ON_SINK},
      {FIRST " ! " SECOND, FALSE, FALSE, SHORT_PROBE_ON_SRC},
      {FIRST " ! " SECOND, FALSE, FALSE, SHORT_PROBE_ON_SINK},
      {"cudacca name=cca threshold-mode=otsu post-messages=true backend=cpu ! " SECOND, FALSE, TRUE, NO_PROBE},
      {FIRST " ! cudaborders name=borders threshold-mode=otsu backend=cpu", FALSE, TRUE, NO_PROBE},
  };
  const TestFrame before = {GST_VIDEO_FORMAT_RGBx, 160, 120, .seed = 1}, after = {before.format, 160, 120, .seed = 2};

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const CtrCcaParams cca = cca_params (&otsu);
    const CtrBordersParams borders = borders_params (&otsu);
    const Probe probe = cases[i].probe;
    GstHarness *h;
    GstElement *element;
    Change change = {.source = "cca", .after = &after};
    GstPad *pad = NULL;

    if (cases[i].on_gpu && !test_on_gpu ())
      continue;
    h = new_chain (cases[i].line);
    if (probe) {
      const gboolean on_src = probe == PROBE_ON_SRC || probe == SHORT_PROBE_ON_SRC;

      element = gst_bin_get_by_name (GST_BIN (h->element), on_src ? "cca" : "borders");
      pad = gst_element_get_static_pad (element, on_src ? "src" : "sink");
      gst_object_unref (element);
      if (probe == PROBE_ON_SRC || probe == PROBE_ON_SINK)
        gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, stay, &change, NULL);
      else
        change.pad = pad;
    }
    for (guint round = 0; round < 3; round++) {
      GstBuffer *buffer = pass_changing (h, &change, &before);

      assert_components (buffer, "cca", &before, &cca);
      assert_contours (buffer, "borders", cases[i].shared ? &before : &after, &borders);
      fail_unless_equals_int (change.probed, probe ? round + 1 : 0);
      gst_buffer_unref (buffer);
    }
    gst_clear_object (&pad);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

/* On the CPU, grey frames are read where they are, but Otsu's threshold is shared: also where not the first analyser of
 * the chain needs it, and not if the first one does not need it itself. */
GST_START_TEST (test_threshold_shared)
{
  static const struct {
    const gchar *line, *source;
    gboolean shared;
  } cases[] = {
      {FIRST " ! " SECOND, "cca", TRUE},
      {FIRST " ! cudaborders backend=%1$s ! " SECOND, "cca", TRUE},
      {"cudaborders backend=%1$s ! " FIRST " ! cudacrackcontour backend=%1$s ! " SECOND, "cca", TRUE},
      {"cudacca name=cca threshold-mode=otsu backend=%1$s ! cudacrackcontour name=cracks post-messages=true "
       "backend=%1$s ! " SECOND,
          "cracks", TRUE},
      {"cudacca name=cca post-messages=true backend=%1$s ! " SECOND, "cca", FALSE},
      {FIRST " ! identity ! " SECOND, "cca", FALSE},
  };
  const TestFrame before = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 1}, after = {before.format, 160, 120, .seed = 2};
  const CtrCcaParams of_otsu = cca_params (&otsu);
  CtrComponents *expected = expected_components (&before, &of_otsu), *other = expected_components (&after, &of_otsu);
  const CtrForeground former = {.mode = CTR_THRESHOLD_FIXED, .threshold = expected->threshold};

  fail_unless (expected->threshold != other->threshold);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstHarness *h = new_chain (cases[i].line);
    Change change = {.source = cases[i].source, .after = &after};
    const CtrBordersParams borders = borders_params (cases[i].shared ? &former : &otsu);
    GstBuffer *buffer = pass_changing (h, &change, &before);

    assert_contours (buffer, "borders", &after, &borders);
    gst_buffer_unref (buffer);
    gst_harness_teardown (h);
  }
  ctr_components_unref (expected);
  ctr_components_unref (other);
}

GST_END_TEST;

#define MASK "threshold-mode=adaptive-mean block-size=9 offset=-4 open-size=2 backend=%1$s"

/* The mask is shared by those elements that ask for the same, and what is shown of it, too. */
GST_START_TEST (test_mask_shared)
{
  static const struct {
    const gchar *line;
    gboolean shared;
  } cases[] = {
      {"cudacca name=cca post-messages=true " MASK " ! cudaborders name=borders " MASK, TRUE},
      {"cudacca name=cca post-messages=true " MASK " ! cudacrackcontour backend=%1$s ! cudaborders name=borders " MASK,
          TRUE},
      {"cudacca name=cca post-messages=true " MASK " ! cudaborders backend=%1$s ! cudaborders name=borders " MASK,
          TRUE},
      {"cudacca name=cca post-messages=true threshold-mode=otsu backend=%1$s ! cudaborders name=borders " MASK, FALSE},
      {"cudacca name=cca post-messages=true fill-holes=true " MASK " ! cudaborders name=borders " MASK, FALSE},
      {"cudacca name=cca post-messages=true " MASK " ! identity ! cudaborders name=borders " MASK, FALSE},
      {"cudacca name=cca post-messages=true " MASK " ! cudaforeground " MASK, TRUE},
      {"cudacca name=cca post-messages=true " MASK " ! cudaforeground invert=true " MASK, FALSE},
  };
  const TestFrame before = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 1}, after = {before.format, 160, 120, .seed = 2};
  CtrForeground foreground = {.mode = CTR_THRESHOLD_ADAPTIVE_MEAN, .block_size = 9, .offset = -4, .open_size = 2};

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const TestFrame *shown = cases[i].shared ? &before : &after;
    const CtrBordersParams borders = borders_params (&foreground);
    Change change = {.source = "cca", .after = &after};
    GstHarness *h = new_chain (cases[i].line);

    for (guint round = 0; round < 2; round++) {
      GstBuffer *buffer = pass_changing (h, &change, &before);

      if (strstr (cases[i].line, "cudaforeground")) {
        foreground.invert = !cases[i].shared;
        guint8 *mask = expected_mask (shown, &foreground);
        assert_edges_are (buffer, shown, mask, FALSE);
        g_free (mask);
      } else {
        assert_contours (buffer, "borders", shown, &borders);
      }
      gst_buffer_unref (buffer);
    }
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

/* cudaforeground makes another frame: what the elements before it share is not offered to those behind it. */
GST_START_TEST (test_behind_a_mask)
{
  const CtrForeground adaptive = {.mode = CTR_THRESHOLD_ADAPTIVE_MEAN, .block_size = 9, .offset = -4, .open_size = 2};
  GstHarness *h = new_chain ("cudacca name=cca " MASK " ! cudaforeground " MASK " ! cudaborders name=borders " MASK);

  for (guint i = 0; i < 4; i++) {
    const TestFrame frame = {i % 2 ? GST_VIDEO_FORMAT_RGBA : GST_VIDEO_FORMAT_NV12, 160, 120, .seed = i};
    const CtrCcaParams cca = cca_params (&adaptive);
    const CtrBordersParams borders = borders_params (&adaptive);
    guint8 *mask = expected_mask (&frame, &adaptive);
    const CtrImage image = {mask, frame.width, frame.width, frame.height, CTR_FORMAT_GRAY8, CTR_MEMORY_HOST, {0}};
    CtrBorders *follower = ctr_borders_new (CTR_BACKEND_CPU, NULL);
    CtrContours *expected = ctr_borders_run (follower, &image, &borders, NULL, NULL);
    GstBuffer *buffer;

    set_frame_caps (h, &frame);
    fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_OK);
    buffer = gst_harness_pull (h);
    assert_edges_are (buffer, &frame, mask, FALSE);
    assert_components (buffer, "cca", &frame, &cca);
    fail_unless_equals_int (
        gst_contours_contour_meta_get_count (gst_buffer_get_contours_contour_meta_by_source (buffer, "borders")),
        expected->count);
    gst_buffer_unref (buffer);
    ctr_contours_unref (expected);
    ctr_borders_free (follower);
    g_free (mask);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

static Suite *
shared_input_suite (void)
{
  Suite *s = suite_create ("sharedinput");
  TCase *tc = tcase_create (test_in_cuda_memory () ? "cuda-memory" : test_backend ());

  skip_without_gpu ();
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, test_results_all, 0, G_N_ELEMENTS (chains));
  tcase_add_test (tc, test_properties);
  if (!test_in_cuda_memory ()) {
    tcase_add_test (tc, test_same_memory);
    tcase_add_test (tc, test_who_shares);
  }
  tcase_add_test (tc, test_behind_a_mask);
  if (!test_on_gpu ()) {
    tcase_add_test (tc, test_threshold_shared);
    tcase_add_test (tc, test_mask_shared);
  }
  return s;
}

GST_CHECK_MAIN (shared_input);
