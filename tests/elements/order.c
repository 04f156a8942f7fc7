/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests in which order several elements work on one frame in CUDA memory, each in a stream of its own: what
 * one has queued comes before what the next one does, the next one may be anybody's, and nobody waits without need. The
 * simulated GPU works as late as possible, and counts what waits. */
#include "order.h"
#include "parts.h"

#include <dlfcn.h>

FakeOrder fake_cuda;

/* What waited until a frame came to a pad. */
typedef struct {
  int host_waits, leads;
} Waits;

static Waits
waits_so_far (void)
{
  return fake_cuda.leads ? (Waits){fake_cuda.host_waits (), fake_cuda.leads ()} : (Waits){0, 0};
}

static GstPadProbeReturn
note_waits (GstPad *pad, GstPadProbeInfo *info, gpointer waits)
{
  *(Waits *) waits = waits_so_far ();
  return GST_PAD_PROBE_OK;
}

/* Passes frame SEED through H, and tells what waited for it before it arrived. */
static GstBuffer *
pass_counting (GstHarness *h, guint seed, Waits *waits)
{
  GstBuffer *in = new_frame (seed), *out;
  const gulong probe = gst_pad_add_probe (h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, note_waits, waits, NULL);
  const Waits before = waits_so_far ();

  out = pass (h, in);
  gst_pad_remove_probe (h->sinkpad, probe);
  waits->host_waits -= before.host_waits;
  waits->leads -= before.leads;
  return out;
}

/* The last element orders everyone else after all: by the default stream, or the host waits. No element does so before
 * it. */
static void
assert_shared_once (const Waits *waits)
{
  if (!fake_cuda.leads || test_with_streams ())
    return;
  fail_unless_equals_int (waits->leads, default_stream_orders ());
  fail_unless_equals_int (waits->host_waits, !default_stream_orders ());
}

/* Elements of ours that are linked directly do not wait for one another. The last one need not have queued anything. */
GST_START_TEST (test_linked_directly)
{
  static const gchar *const lines[] = {edges_of, borders_of, "cudacanny ! cudaborders ! cudacca", drawn_of, regions_of,
      nothing_of, "cudacanny ! cudacanny"};
  const gchar *line = lines[__i__];
  const int objects = fake_cuda.count ? fake_cuda.count () : 0;
  GstHarness *h = chain_of (line);

  for (guint i = 0; i < 6; i++) {
    Waits waits;
    GstBuffer *buffer = pass_counting (h, i, &waits);

    /* What an element has queued for the frame before is done by then, or the host waits for it. */
    if (i == 0)
      assert_shared_once (&waits);
    else
      fail_unless (waits.leads <= 1);
    assert_shows (buffer, line, i);
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (h);
  if (fake_cuda.count)
    fail_unless_equals_int (fake_cuda.count (), objects);
}

GST_END_TEST;

/* With many elements that draw, the default stream is not made to wait, and those of one pipeline work in one stream. Both
 * may change between two frames. */
GST_START_TEST (test_many_streams)
{
  static const gchar *const lines[] = {regions_of, drawn_of, "cudacanny ! cudacanny", nothing_of};
  const gchar *line = lines[__i__];
  GstHarness *h = chain_of (line);

  for (guint i = 0; i < 8; i++) {
    const gboolean are_many = i % 4 < 2;
    Waits waits;
    GstBuffer *buffer;

    if (i % 4 == 0)
      start_many (i == 0 ? 3 : G_N_ELEMENTS (many)); /* more than the hardware queues, too */
    buffer = pass_counting (h, i, &waits);
    if (are_many && fake_cuda.leads && !test_with_streams ()) {
      fail_unless_equals_int (waits.leads, 0);
      fail_unless_equals_int (waits.host_waits, 1);
      /* Nobody holds a frame whose work is done. */
      fail_unless_equals_int (GST_MINI_OBJECT_REFCOUNT_VALUE (gst_buffer_peek_memory (buffer, 0)), 1);
    }
    assert_shows (buffer, line, i);
    gst_buffer_unref (buffer);
    if (i % 4 == 1)
      stop_many ();
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

static GstPadProbeReturn
look_at_frame (GstPad *pad, GstPadProbeInfo *info, gpointer seen)
{
  assert_shows (GST_PAD_PROBE_INFO_BUFFER (info), edges_of, *(guint *) seen);
  ++*(guint *) seen;
  return GST_PAD_PROBE_OK;
}

/* A probe between two elements sees the finished picture. */
GST_START_TEST (test_probe)
{
  GstHarness *h = chain_of ("cudacanny name=first ! cudaborders name=second");
  GstElement *element = gst_bin_get_by_name (GST_BIN (h->element), __i__ ? "second" : "first");
  GstPad *pad = gst_element_get_static_pad (element, __i__ ? "sink" : "src");
  guint seen = 0;

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, look_at_frame, &seen, NULL);
  for (guint i = 0; i < 3; i++)
    gst_buffer_unref (pass (h, new_frame (i)));
  fail_unless_equals_int (seen, 3);
  gst_object_unref (pad);
  gst_object_unref (element);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Both branches of a tee draw on copies, of a memory that soon takes a later frame. */
GST_START_TEST (test_tee)
{
  const gchar *before = __i__ ? borders_of : edges_of;
  gchar *one = g_strdup_printf ("%s ! cudacontouroverlay draw=regions", before),
        *two = g_strdup_printf ("%s ! cudacontouroverlay draw=regions+contours", before),
        *line =
            g_strdup_printf ("%s ! tee name=t t. ! cudacontouroverlay draw=regions ! fakesink name=other async=false "
                             "sync=false t. ! cudacontouroverlay draw=regions+contours",
                before);
  GstHarness *h = chain_of (line);
  GstElement *other = gst_bin_get_by_name (GST_BIN (h->element), "other");

  for (guint i = 0; i < 6; i++) {
    GstBuffer *buffer = pass (h, new_frame (i));
    GstSample *sample;

    g_object_get (other, "last-sample", &sample, NULL);
    assert_shows (gst_sample_get_buffer (sample), one, i);
    gst_sample_unref (sample);
    assert_shows (buffer, two, i);
    gst_buffer_unref (buffer);
  }
  gst_object_unref (other);
  gst_harness_teardown (h);
  g_free (one);
  g_free (two);
  g_free (line);
}

GST_END_TEST;

/* A frame keeps its order when the element that queued work on it is gone. */
GST_START_TEST (test_stopped)
{
  GstHarness *first = chain_of (edges_of), *second = chain_of ("cudaborders ! cudacontouroverlay");
  GstBuffer *buffers[4];

  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++)
    buffers[i] = pass (first, new_frame (i));
  gst_harness_teardown (first);
  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++) {
    GstBuffer *buffer = pass (second, buffers[i]);

    assert_shows (buffer, drawn_of, i);
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (second);
}

GST_END_TEST;

/* A frame that is dropped between two elements of ours leaves nothing behind. */
GST_START_TEST (test_dropped)
{
  GstHarness *h = chain_of (borders_of);
  GstBuffer *buffer;

  for (guint i = 0; i < 4; i++) {
    GST_PAD_SET_FLUSHING (h->sinkpad);
    fail_unless_equals_int (gst_harness_push (h, new_frame (i)), GST_FLOW_FLUSHING);
    GST_PAD_UNSET_FLUSHING (h->sinkpad);
    if (fake_cuda.queued)
      fail_unless_equals_int (fake_cuda.queued (), 0);
  }
  buffer = pass (h, new_frame (4));
  assert_shows (buffer, borders_of, 4);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The only buffer of a pool is back when the push returns, and then nobody reads it any more. */
GST_START_TEST (test_input_refilled)
{
  const GstBufferPoolAcquireParams params = {.flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT};
  GstHarness *h = chain_of (__i__ ? borders_of : edges_of);
  GstBufferPool *pool = gst_cuda_buffer_pool_new (test_cuda_context ());
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstCaps *caps = frame_caps (&frame);
  GstBuffer *out[4], *in;

  gst_buffer_pool_config_set_params (config, caps, 160 * 120 * 3 / 2, 1, 1);
  gst_caps_unref (caps);
  fail_unless (gst_buffer_pool_set_config (pool, with_stream (config, test_cuda_context ())));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  for (guint i = 0; i < G_N_ELEMENTS (out); i++) {
    fail_unless_equals_int (
        gst_buffer_pool_acquire_buffer (pool, &in, (GstBufferPoolAcquireParams *) &params), GST_FLOW_OK);
    refill (in, i);
    out[i] = pass (h, in);
  }
  for (guint i = 0; i < G_N_ELEMENTS (out); i++) {
    assert_shows (out[i], edges_of, i);
    gst_buffer_unref (out[i]);
  }
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* An element's frames wait neither for the drawing on other frames, nor for what has been queued since its memory
 * returned to the pool. */
GST_START_TEST (test_not_others)
{
  const TestFrame other = frame_number (9);
  GstHarness *h = chain_of (edges_of), *draws = chain_of ("cudacontouroverlay draw=regions");
  GstBuffer *in = new_frame (0), *out, *drawn;
  GstMemory *memory[6];

  /* From here on, all memories are known. None is used again at once. */
  for (guint i = 0; i < 6; i++) {
    out = pass (h, gst_buffer_ref (in));
    memory[i] = gst_buffer_peek_memory (out, 0);
    fail_unless (test_with_streams () || i < 2 || (memory[i] != memory[i - 1] && memory[i] != memory[i - 2]));
    gst_buffer_unref (out);
  }
  drawn = pass (draws, new_frame (9));
  out = pass (h, gst_buffer_ref (in));
  end_stream (h);
  if (fake_cuda.queued && default_stream_orders ())
    fail_unless_equals_int (fake_cuda.queued (), 1);
  assert_shows (out, edges_of, 0);
  fail_unless (count_all (drawn, &other) > 100);
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  gst_buffer_unref (drawn);
  gst_harness_teardown (draws);
  gst_harness_teardown (h);
}

GST_END_TEST;

static Suite *
order_suite (void)
{
  Suite *s = suite_create ("order");
  TCase *tc = tcase_create ("general");

  skip_without_gpu ();
  fake_cuda.queued = (int (*) (void)) dlsym (RTLD_DEFAULT, "fake_cuda_queued");
  fake_cuda.count = (int (*) (void)) dlsym (RTLD_DEFAULT, "fake_cuda_count");
  fake_cuda.host_waits = (int (*) (void)) dlsym (RTLD_DEFAULT, "fake_cuda_host_waits");
  fake_cuda.leads = (int (*) (void)) dlsym (RTLD_DEFAULT, "fake_cuda_leads");
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_loop_test (tc, test_linked_directly, 0, 7);
  tcase_add_loop_test (tc, test_many_streams, 0, 4);
  tcase_add_loop_test (tc, test_probe, 0, 2);
  tcase_add_loop_test (tc, test_tee, 0, 2);
  tcase_add_test (tc, test_stopped);
  tcase_add_test (tc, test_dropped);
  tcase_add_loop_test (tc, test_input_refilled, 0, 2);
  tcase_add_test (tc, test_not_others);
  add_order_copy_tests (tc);
  return s;
}

GST_CHECK_MAIN (order);
