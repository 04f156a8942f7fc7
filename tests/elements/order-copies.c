/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check the order of our elements and of others that copy, drop or reuse a memory. */
#include "order.h"
#include "parts.h"

static GstBuffer *
copy_of (GstBuffer *buffer)
{
  GstBuffer *copy = gst_buffer_copy_deep (buffer);

  fail_unless (gst_buffer_peek_memory (copy, 0) != gst_buffer_peek_memory (buffer, 0));
  return copy;
}

/* GStreamer 1.22 leaves a copy queued on the default stream. Our elements read the copy after that. */
GST_START_TEST (test_copy_read)
{
  GstHarness *h = chain_of (__i__ ? "cudaborders ! cudacontouroverlay" : edges_of);

  for (guint i = 0; i < 3; i++) {
    GstBuffer *in = new_frame (i), *copy, *out;
    GstMapInfo map;

    fail_unless (gst_buffer_map (in, &map, GST_MAP_READ | GST_MAP_CUDA)); /* uploads it */
    gst_buffer_unmap (in, &map);
    copy = copy_of (in);
    out = pass (h, copy);
    assert_shows (out, __i__ ? "cudaborders ! cudacontouroverlay" : edges_of, i);
    gst_buffer_unref (in);
    gst_buffer_unref (out);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* They write what has been copied after that, too: a new picture. */
GST_START_TEST (test_copied_rendered)
{
  GstHarness *h = chain_of (edges_of);
  GstBuffer *copies[6];

  for (guint i = 0; i < G_N_ELEMENTS (copies); i++) {
    GstBuffer *out = pass (h, new_frame (i));

    copies[i] = copy_of (out);
    gst_buffer_unref (out);
  }
  for (guint i = 0; i < G_N_ELEMENTS (copies); i++) {
    assert_shows (copies[i], edges_of, i);
    gst_buffer_unref (copies[i]);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Likewise: a frame of others, with many elements that draw (bit 0), or a copy that an element has made of a frame that
 * somebody holds (bit 1). */
GST_START_TEST (test_copied_drawn)
{
  static const gchar drawn[] = "cudaborders ! cudacontouroverlay";
  GstBuffer *in = new_frame (0), *known, *copy, *out;
  GstHarness *h = chain_of (edges_of);

  known = pass (h, new_frame (1));
  gst_harness_teardown (h);
  if (__i__ & 1)
    start_many (3);
  h = chain_of (drawn);
  out = pass (h, __i__ & 2 ? gst_buffer_ref (in) : in);
  copy = copy_of (out);
  if (__i__ & 2) {
    gst_buffer_unref (out);
    gst_buffer_unref (in);
    in = known;                          /* nothing is uploaded for it, which would wait for the default stream */
    out = pass (h, gst_buffer_ref (in)); /* in the memory of the first copy */
    gst_buffer_unref (in);
  } else {
    out = pass (h, out); /* draws on it again */
    gst_buffer_unref (known);
  }
  end_stream (h);
  assert_shows (copy, drawn, 0);
  gst_buffer_unref (copy);
  gst_buffer_unref (out);
  if (__i__ & 1)
    stop_many ();
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A frame from the pool of others that is dropped after it has been drawn on may be filled again at once. */
GST_START_TEST (test_drawn_dropped)
{
  GstHarness *h = chain_of ("cudacontouroverlay draw=regions ! cudacca name=second");
  GstElement *second = gst_bin_get_by_name (GST_BIN (h->element), "second");
  GstPad *pad = gst_element_get_static_pad (second, "sink");
  GstBuffer *in = new_frame (0), *again = gst_buffer_new ();
  GstMemory *memory = gst_memory_ref (gst_buffer_peek_memory (in, 0));
  const GstVideoMeta *meta = gst_buffer_get_video_meta (in);
  const TestFrame other = frame_number (1);
  GstMapInfo map;

  gst_buffer_add_video_meta_full (again, meta->flags, meta->format, meta->width, meta->height, meta->n_planes,
      (gsize *) meta->offset, (gint *) meta->stride);
  GST_PAD_SET_FLUSHING (pad);
  fail_unless_equals_int (gst_harness_push (h, in), GST_FLOW_FLUSHING);
  gst_buffer_append_memory (again, memory);
  GST_PAD_UNSET_FLUSHING (pad);
  gst_object_unref (pad);
  gst_object_unref (second);
  refill (again, 1);
  fail_unless (gst_buffer_map (again, &map, GST_MAP_READ | GST_MAP_CUDA)); /* uploads it */
  gst_buffer_unmap (again, &map);
  end_stream (h);
  fail_unless (
      gst_buffer_map (again, &map, GST_MAP_READWRITE | GST_MAP_CUDA)); /* changed, for all that the host knows */
  gst_buffer_unmap (again, &map);
  fail_unless_equals_int (count_all (again, &other), 0);
  gst_buffer_unref (again);
  gst_harness_teardown (h);
}

GST_END_TEST;

void
add_order_copy_tests (TCase *tc)
{
  tcase_add_loop_test (tc, test_copy_read, 0, 2);
  tcase_add_test (tc, test_copied_rendered);
  tcase_add_loop_test (tc, test_copied_drawn, 0, 4);
  tcase_add_test (tc, test_drawn_dropped);
}
