/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check that cudacontouroverlay draws on a copy of a frame that somebody else holds, as after a tee: the
 * held frame does not change, the copy has its pixels and metadata, and copies come from a pool. */
#include "overlay.h"
#include "parts.h"

#include <dlfcn.h>
#include <gst/base/gstbasetransform.h>

static const gchar overlay[] = "cudacontouroverlay";

/* A frame with a region to draw. */
static GstBuffer *
make_drawable (const TestFrame *frame)
{
  GstBuffer *buffer = make_frame (frame);

  add_region (buffer, 4, 6, frame->width / 2, frame->height / 2);
  return buffer;
}

/* BUFFER must be what the element makes of a frame like FRAME that nobody else holds. */
static void
assert_drawn_as_alone (GstBuffer *buffer, const TestFrame *frame)
{
  GstHarness *h = new_harness (overlay);
  GstBuffer *alone;

  set_frame_caps (h, frame);
  alone = pass (h, make_drawable (frame));
  assert_same_picture (buffer, alone, frame);
  gst_buffer_unref (alone);
  gst_harness_teardown (h);
}

/* Who holds what: the buffer, its memory, or, with memory that may not be written, nobody. */
typedef enum { HELD_BUFFER, HELD_MEMORY, READ_ONLY, LAST_HOLD } Hold;

/* Returns the frame to push for IN, which the caller holds. */
static GstBuffer *
hold (GstBuffer *in, Hold how)
{
  if (how == HELD_BUFFER)
    return gst_buffer_ref (in);
  if (how == READ_ONLY) {
    GstMemory *memory = gst_buffer_peek_memory (in, 0);

    GST_MINI_OBJECT_FLAG_SET (memory, GST_MEMORY_FLAG_READONLY);
    return gst_buffer_ref (in);
  }
  return gst_buffer_copy (in);
}

static guint
count_metas (GstBuffer *buffer, GType api)
{
  return gst_buffer_get_n_meta (buffer, api);
}

/* Every format and layout, however the frame is held. */
GST_START_TEST (test_pictures)
{
  for (guint f = 0; f < G_N_ELEMENTS (test_formats); f++)
    for (guint layout = 0; layout < 2; layout++)
      for (Hold how = HELD_BUFFER; how < LAST_HOLD; how++) {
        TestFrame frame = {test_formats[f].video, layout ? 65 : 160, layout ? 50 : 120, .seed = f};
        GstHarness *h = new_harness (overlay);
        GstBuffer *in, *out;

        if (!format_runs (&test_formats[f]) || is_packed_yuv (frame.format)) {
          gst_harness_teardown (h);
          continue;
        }
        if (layout && !test_in_cuda_memory ()) {
          frame.padding = 48;
          frame.offset = 64;
        }
        set_frame_caps (h, &frame);
        in = make_drawable (&frame);
        out = pass (h, hold (in, how));
        fail_unless (out != in && gst_buffer_peek_memory (out, 0) != gst_buffer_peek_memory (in, 0));
        assert_untouched (in, &frame);
        assert_drawn_as_alone (out, &frame);
        gst_buffer_unref (in);
        assert_drawn_as_alone (out, &frame);
        gst_buffer_unref (out);
        gst_harness_teardown (h);
      }
}

GST_END_TEST;

/* The copy has timestamps, flags and metadata of the frame, but not what describes the frame's memory. */
GST_START_TEST (test_metadata)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 3};
  GstHarness *h = new_harness (overlay);
  GstBuffer *in = make_drawable (&frame), *parent = gst_buffer_new (), *out;
  GstVideoRegionOfInterestMeta *region;
  GstVideoMeta *layout;
  GstCaps *reference;

  set_frame_caps (h, &frame);
  GST_BUFFER_PTS (in) = 3 * GST_SECOND;
  GST_BUFFER_DTS (in) = 2 * GST_SECOND;
  GST_BUFFER_DURATION (in) = GST_SECOND;
  GST_BUFFER_OFFSET (in) = 75;
  GST_BUFFER_OFFSET_END (in) = 76;
  GST_BUFFER_FLAG_SET (in, GST_BUFFER_FLAG_MARKER | GST_VIDEO_BUFFER_FLAG_TFF);
  gst_buffer_add_parent_buffer_meta (in, parent);
  reference = gst_caps_new_empty_simple ("timestamp/x-test");
  gst_buffer_add_reference_timestamp_meta (in, reference, 5, 6);
  gst_caps_unref (reference);
  layout = gst_buffer_get_video_meta (in);
  if (layout)
    layout->flags = GST_VIDEO_FRAME_FLAG_TFF;
  out = pass (h, gst_buffer_ref (in));
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 3 * GST_SECOND);
  fail_unless_equals_uint64 (GST_BUFFER_DTS (out), 2 * GST_SECOND);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), GST_SECOND);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (out), 75);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET_END (out), 76);
  fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_MARKER | GST_VIDEO_BUFFER_FLAG_TFF));
  region = gst_buffer_get_video_region_of_interest_meta_id (out, 0);
  fail_unless (region && region->x == 4 && region->y == 6 && region->w == 80 && region->h == 60);
  fail_unless_equals_int (count_metas (out, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE), 1);
  fail_unless (gst_buffer_get_reference_timestamp_meta (out, NULL)->timestamp == 5);
  fail_unless_equals_int (count_metas (out, GST_PARENT_BUFFER_META_API_TYPE), 0);
  fail_unless_equals_int (count_metas (out, GST_VIDEO_META_API_TYPE), layout ? 1 : 0);
  if (layout)
    fail_unless_equals_int (gst_buffer_get_video_meta (out)->flags, GST_VIDEO_FRAME_FLAG_TFF);
  gst_buffer_unref (in);
  fail_unless_equals_int (GST_MINI_OBJECT_REFCOUNT_VALUE (parent), 1);
  gst_buffer_unref (parent);
  gst_buffer_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* After the first frames no memory is allocated, and what the frame before left in the pool's buffer is gone. */
GST_START_TEST (test_pool)
{
  int (*allocations) (void) = (int (*) (void)) dlsym (RTLD_DEFAULT, "fake_cuda_allocations");
  GstHarness *h = new_harness (overlay);
  GstBufferPool *pool = NULL;
  GstMemory *memories[2] = {NULL};

  for (guint i = 0; i < 30; i++) {
    TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = i};
    GstBuffer *in = make_drawable (&frame), *out;
    int before = allocations ? allocations () : 0;

    set_frame_caps (h, &frame);
    out = pass (h, gst_buffer_ref (in));
    fail_unless (i < 2 || !allocations || allocations () == before, "frame %u: memory was allocated", i);
    fail_unless (out->pool != NULL && (!pool || out->pool == pool));
    pool = out->pool;
    if (i < 2)
      memories[i] = gst_buffer_peek_memory (out, 0);
    else
      fail_unless (gst_buffer_peek_memory (out, 0) == memories[0] || gst_buffer_peek_memory (out, 0) == memories[1]);
    fail_unless_equals_int (count_metas (out, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE), 1);
    assert_untouched (in, &frame);
    assert_drawn_as_alone (out, &frame);
    gst_buffer_unref (in);
    gst_buffer_unref (out);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Any number of frames may wait downstream. */
GST_START_TEST (test_many_waiting)
{
  GstHarness *h = new_harness (overlay);
  GstBuffer *ins[60], *outs[G_N_ELEMENTS (ins)];

  for (guint i = 0; i < G_N_ELEMENTS (ins); i++) {
    TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = i};

    set_frame_caps (h, &frame);
    ins[i] = make_drawable (&frame);
    outs[i] = pass (h, gst_buffer_ref (ins[i]));
  }
  gst_harness_teardown (h);
  for (guint i = 0; i < G_N_ELEMENTS (ins); i++) {
    TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = i};

    if (i % 10 == 0) {
      assert_untouched (ins[i], &frame);
      assert_drawn_as_alone (outs[i], &frame);
    }
    gst_buffer_unref (ins[i]);
    gst_buffer_unref (outs[i]);
  }
}

GST_END_TEST;

/* Format, size and, in CUDA memory, context and stream of the frames change; some frames nobody else holds. */
GST_START_TEST (test_changes)
{
  static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_I420};
  GstHarness *h = new_harness (overlay);
#ifdef HAVE_GST_CUDA
  GstCudaContext *contexts[2] = {NULL, NULL};

  if (test_in_cuda_memory ()) {
    contexts[0] = test_cuda_context ();
    contexts[1] = gst_cuda_context_new (0);
  }
#endif
  for (guint i = 0; i < 36; i++) {
    TestFrame frame = {formats[i / 3 % 3], 160 + i / 6 * 2, 120, .seed = i};
    GstBuffer *in, *out;

    set_frame_caps (h, &frame);
#ifdef HAVE_GST_CUDA
    in = test_in_cuda_memory () ? make_cuda_frame (&frame, contexts[i / 2 % 2]) : make_system_frame (&frame);
#else
    in = make_system_frame (&frame);
#endif
    add_region (in, 4, 6, frame.width / 2, frame.height / 2);
    if (i % 5 == 4) {
      out = pass (h, in);
      fail_unless (out == in);
    } else {
      out = pass (h, gst_buffer_ref (in));
      assert_untouched (in, &frame);
      gst_buffer_unref (in);
    }
    assert_drawn_as_alone (out, &frame);
    gst_buffer_unref (out);
  }
  gst_harness_teardown (h);
#ifdef HAVE_GST_CUDA
  g_clear_object (&contexts[1]);
#endif
}

GST_END_TEST;

/* With nothing but regions outside the frame, the output has the pixels of the frame. */
GST_START_TEST (test_nothing_drawn)
{
  GstHarness *h = new_harness (overlay);

  for (guint i = 0; i < 4; i++) {
    TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = i};
    GstBuffer *in = make_frame (&frame), *out;

    set_frame_caps (h, &frame);
    add_region (in, 160, 0, 10, 10);
    out = pass (h, gst_buffer_ref (in));
    gst_buffer_unref (in);
    assert_untouched (out, &frame);
    gst_buffer_unref (out);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Without memory for a copy, which only the simulated GPU can lack on demand, the element posts one error; a restart
 * works once memory is free. */
GST_START_TEST (test_full)
{
  void (*set_full) (bool) = (void (*) (bool)) dlsym (RTLD_DEFAULT, "fake_cuda_set_full");
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 5};

  for (guint later = 0; later < 2; later++) {
    GstBus *bus = gst_bus_new ();
    GstHarness *h = new_harness_with_bus (overlay, bus);
    GstBuffer *in = make_drawable (&frame), *out = NULL;

    set_frame_caps (h, &frame);
    if (later)
      out = pass (h, gst_buffer_ref (in)); /* the pool's only buffer */
    set_full (true);
    fail_unless_equals_int (gst_harness_push (h, gst_buffer_ref (in)), GST_FLOW_ERROR);
    assert_one_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT);
    gst_clear_buffer (&out);
    set_full (false);
    restart (h, &frame);
    out = pass (h, gst_buffer_ref (in));
    assert_untouched (in, &frame);
    assert_drawn_as_alone (out, &frame);
    gst_buffer_unref (out);
    gst_buffer_unref (in);
    gst_element_set_bus (h->element, NULL);
    gst_harness_teardown (h);
    gst_object_unref (bus);
  }
}

GST_END_TEST;

void
add_cudacontouroverlay_held_tests (TCase *tc)
{
  tcase_add_test (tc, test_pictures);
  tcase_add_test (tc, test_metadata);
  tcase_add_test (tc, test_pool);
  tcase_add_test (tc, test_many_waiting);
  tcase_add_test (tc, test_changes);
  tcase_add_test (tc, test_nothing_drawn);
  if (test_in_cuda_memory () && dlsym (RTLD_DEFAULT, "fake_cuda_set_full"))
    tcase_add_test (tc, test_full);
}
