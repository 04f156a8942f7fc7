/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests strip-mode of cudacca: frames that are strips of one picture. It compares with the core's analysis of the
 * whole picture. It runs once for each backend and memory (CTR_TEST_BACKEND, CTR_TEST_MEMORY). */
#include "webs.h"

#define ELEMENT "cudacca strip-mode=true threshold=140 features=moments+grey max-open-rows="

static CtrCcaParams
strip_params (void)
{
  CtrCcaParams params;

  ctr_cca_params_init (&params);
  params.foreground.threshold = 140;
  params.features = CTR_FEATURE_MOMENTS | CTR_FEATURE_GREY;
  return params;
}

/* The components of strips FIRST to before END as one picture; unref them. */
static CtrComponents *
whole (guint first, guint end, const CtrCcaParams *params)
{
  guint8 *pixels;
  const CtrImage image = join_strips (first, end, &pixels);
  CtrCca *cca = ctr_cca_new (CTR_BACKEND_CPU, NULL);
  CtrComponents *components = ctr_cca_run (cca, &image, params, NULL, NULL);

  fail_unless (components != NULL);
  ctr_cca_free (cca);
  g_free (pixels);
  return components;
}

static GstContoursComponentMeta *
meta_of (GstBuffer *buffer)
{
  GstContoursComponentMeta *meta = gst_buffer_get_contours_component_meta (buffer);

  fail_unless (meta != NULL);
  fail_unless (gst_contours_component_meta_get_flags (meta) & GST_CONTOURS_RESULT_FLAG_STRIP);
  return meta;
}

/* What has been reported, in rows of the web. */
typedef struct {
  GArray *rows; /* GstContoursComponent */
  guint64 total_area;
} Reported;

static gint
compare_starts (gconstpointer a, gconstpointer b)
{
  const GstContoursComponent *x = a, *y = b;

  if (x->web_row != y->web_row)
    return x->web_row < y->web_row ? -1 : 1;
  return x->first_x < y->first_x ? -1 : x->first_x > y->first_x;
}

/* Takes the components of BUFFER, a frame that begins with FIRST_ROW. */
static void
take (Reported *reported, GstBuffer *buffer, guint64 first_row)
{
  GstContoursComponentMeta *meta = meta_of (buffer);
  guint width, height;

  gst_contours_component_meta_get_size (meta, &width, &height);
  fail_unless (width == WIDTH && height == HEIGHT);
  fail_unless_equals_uint64 (gst_contours_component_meta_get_first_row (meta), first_row);
  for (guint i = 0; i < gst_contours_component_meta_get_count (meta); i++) {
    GstContoursComponent c;
    const CtrComponent *row = &gst_contours_component_meta_peek_components (meta)->table[i];

    gst_contours_component_meta_get_component (meta, i, &c);
    /* In the frame, what began above it is negative. */
    fail_unless (c.first_y + (gdouble) first_row == (gdouble) c.web_row && c.y == c.first_y);
    fail_unless_equals_uint64 (gst_contours_component_meta_get_origin_row (meta) + row->top, c.web_row);
    c.cy += first_row;
    g_array_append_val (reported->rows, c);
    reported->total_area += c.pixels;
  }
}

/* Are these all components of the strips from FIRST to before END, whose first row is ROW? Clears REPORTED. */
static void
check_whole (Reported *reported, guint first, guint end, guint64 row, const CtrCcaParams *params)
{
  CtrComponents *expected = whole (first, end, params);

  g_array_sort (reported->rows, compare_starts);
  fail_unless_equals_int (reported->rows->len, expected->count);
  for (guint i = 0; i < expected->count; i++) {
    const GstContoursComponent *c = &g_array_index (reported->rows, GstContoursComponent, i);
    const CtrComponent *e = &expected->table[i];
    CtrComponentShape shape;
    gdouble x, y, mean, std;

    ctr_component_centroid (e, &x, &y);
    ctr_component_shape (e, &expected->moments[i], &shape);
    ctr_component_grey_stats (e, &expected->grey[i], &mean, &std);
    fail_unless (c->web_row == e->top + row && c->pixels == e->area && c->x == e->left && c->w == e->width
                 && c->h == e->height && c->sum_x == e->sum_x && c->first_x == e->start_x && !c->unfinished);
    fail_unless (c->cx == x && ABS (c->cy - y - row) < 1e-9);
    fail_unless (c->orientation == shape.orientation && c->major_axis == shape.major_axis);
    fail_unless (c->min == expected->grey[i].min && c->max == expected->grey[i].max && c->mean == mean);
  }
  ctr_components_unref (expected);
  g_array_set_size (reported->rows, 0);
}

static void
push (GstHarness *h, Reported *reported, guint i, guint64 first_row)
{
  const TestFrame frame = strip (i);
  GstBuffer *buffer = pass_frame (h, &frame);

  take (reported, buffer, first_row);
  gst_buffer_unref (buffer);
}

static void
take_end (GstHarness *h, Reported *reported, guint64 first_row)
{
  GstBuffer *buffer = pull_end (h);

  take (reported, buffer, first_row);
  gst_buffer_unref (buffer);
}

static Reported
reported_new (void)
{
  return (Reported){g_array_new (FALSE, FALSE, sizeof (GstContoursComponent)), 0};
}

/* All webs of a stream: ended by new caps, the start of a stream, its end. */
GST_START_TEST (test_webs)
{
  GstHarness *h = new_harness (ELEMENT "16384");
  const CtrCcaParams params = strip_params ();
  Reported reported = reported_new ();
  const TestFrame frame = strip (0);
  GstCaps *caps = frame_caps (&frame);

  set_frame_caps (h, &frame);
  for (guint i = 0; i < 3; i++)
    push (h, &reported, i, i * HEIGHT);
  /* The same caps again end nothing. */
  gst_harness_push_event (h, gst_event_new_caps (caps));
  gst_caps_unref (caps);
  push (h, &reported, 3, 3 * HEIGHT);
  change_caps (h);
  take_end (h, &reported, 4 * HEIGHT);
  check_whole (&reported, 0, 4, 0, &params);

  push (h, &reported, 4, 0);
  push (h, &reported, 5, HEIGHT);
  gst_harness_push_event (h, gst_event_new_eos ());
  take_end (h, &reported, 2 * HEIGHT);
  check_whole (&reported, 4, 6, 0, &params);
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 0);
  g_array_unref (reported.rows);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A flush drops what is open. */
GST_START_TEST (test_flush)
{
  GstHarness *h = new_harness (ELEMENT "16384");
  const CtrCcaParams params = strip_params ();
  Reported reported = reported_new ();
  const TestFrame frame = strip (0);

  set_frame_caps (h, &frame);
  push (h, &reported, 0, 0);
  g_array_set_size (reported.rows, 0);
  flush (h);
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 0);
  push (h, &reported, 1, 0);
  push (h, &reported, 2, HEIGHT);
  gst_harness_push_event (h, gst_event_new_eos ());
  take_end (h, &reported, 2 * HEIGHT);
  check_whole (&reported, 1, 3, 0, &params);
  g_array_unref (reported.rows);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Lets a frame be missing before BUFFER. */
static void
miss_frame (GstHarness *h, GstBuffer *buffer, gint how)
{
  GstBuffer *gap;

  switch (how) {
    case 0:
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
      break;
    case 1:
      gst_harness_push_event (h, gst_event_new_gap (0, GST_SECOND));
      break;
    case 2:
      /* As of an element upstream whose web ends. */
      gap = make_frame (&(TestFrame){GST_VIDEO_FORMAT_NV12, WIDTH, HEIGHT, .seed = 9});
      GST_BUFFER_FLAG_SET (gap, GST_BUFFER_FLAG_GAP);
      gst_harness_push (h, gap);
      gap = gst_harness_pull (h);
      fail_unless (gst_buffer_get_contours_component_meta (gap) == NULL);
      gst_buffer_unref (gap);
      break;
    default:
      gap = gst_buffer_new ();
      GST_BUFFER_FLAG_SET (gap, GST_BUFFER_FLAG_GAP);
      gst_harness_push (h, gap);
      gst_buffer_unref (gst_harness_pull (h));
      break;
  }
}

/* Nothing goes on where frames are missing; rows are counted on. */
GST_START_TEST (test_missing)
{
  GstHarness *h = new_harness (ELEMENT "16384");
  const CtrCcaParams params = strip_params ();
  Reported reported = reported_new (), second = reported_new ();
  const TestFrame frame = strip (1);

  set_frame_caps (h, &frame);
  for (gint how = 0; how < 4; how++) {
    GstBuffer *buffer = make_frame (&frame);

    push (h, &reported, 0, 0);
    miss_frame (h, buffer, how);
    gst_harness_push (h, buffer);
    buffer = gst_harness_pull (h);
    take (&second, buffer, HEIGHT);
    gst_buffer_unref (buffer);
    for (guint i = 0; i < second.rows->len; i++) {
      const GstContoursComponent *c = &g_array_index (second.rows, GstContoursComponent, i);

      if (c->web_row < HEIGHT)
        g_array_append_vals (reported.rows, c, 1);
    }
    g_array_set_size (second.rows, 0);
    check_whole (&reported, 0, 1, 0, &params);
    flush (h);
  }
  g_array_unref (reported.rows);
  g_array_unref (second.rows);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A component that stays open for too long: a flag, one warning, a count in the message. */
GST_START_TEST (test_bound)
{
  GstBus *bus = gst_bus_new ();
  GstHarness *h =
      new_harness_with_bus ("cudacca strip-mode=true threshold=0 max-open-rows=100 post-messages=true", bus);
  const TestFrame frame = strip (0);
  Told told = {0};

  set_frame_caps (h, &frame);
  /* Rows 0 to 119 are reported with the third strip, 120 to 239 with the sixth. */
  for (guint i = 0; i < STRIPS; i++) {
    GstBuffer *buffer = pass_frame (h, &frame);
    GstContoursComponentMeta *meta = meta_of (buffer);
    GstContoursComponent c;

    fail_unless_equals_int (gst_contours_component_meta_get_count (meta), i % 3 == 2);
    if (i % 3 == 2) {
      gst_contours_component_meta_get_component (meta, 0, &c);
      fail_unless (c.unfinished && c.web_row == (i - 2) * HEIGHT && c.y == -2 * HEIGHT && c.h == 3 * HEIGHT);
      fail_unless (c.area == 3 * HEIGHT * WIDTH);
    }
    gst_buffer_unref (buffer);
    take_messages (&told, bus, i * HEIGHT, "max-open-rows=100", "components");
    fail_unless_equals_int (told.count, told.unfinished);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 0);
  fail_unless_equals_int (told.unfinished, 2);
  take_messages (&told, bus, 0, "max-open-rows=100", "components");
  fail_unless_equals_int (told.warnings, 1);
  gst_harness_teardown (h);
  drop_bus (bus);
}

GST_END_TEST;

/* Features change with the next web. */
GST_START_TEST (test_features)
{
  GstHarness *h = new_harness (ELEMENT "16384");
  Reported reported = reported_new ();
  const TestFrame frame = strip (0);
  GstBuffer *buffer;

  set_frame_caps (h, &frame);
  push (h, &reported, 0, 0);
  gst_util_set_object_arg (G_OBJECT (h->element), "features", "0");
  push (h, &reported, 1, HEIGHT);
  change_caps (h);
  take_end (h, &reported, 2 * HEIGHT);
  buffer = pass_frame (h, &frame);
  fail_unless_equals_int (gst_contours_component_meta_get_features (meta_of (buffer)), 0);
  gst_buffer_unref (buffer);
  g_array_unref (reported.rows);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The black frame that ends a web is black in formats of 16 bits, too. */
GST_START_TEST (test_black_rest_of_16_bits)
{
  static const gchar *const formats[] = {"P010_10LE", "P016_LE", "P012_LE"};
  GstHarness *h;
  GstBuffer *buffer;
  GstMapInfo map;

  if (test_in_cuda_memory ())
    return; /* the layout is libgstcuda's */
  h = new_harness ("cudacca strip-mode=true threshold=0");
  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, formats[f], "width", G_TYPE_INT, 8,
        "height", G_TYPE_INT, 4, "framerate", GST_TYPE_FRACTION, 25, 1, NULL);

    gst_harness_set_src_caps (h, caps);
    buffer = gst_buffer_new_allocate (NULL, 8 * 6 * 2, NULL);
    gst_buffer_memset (buffer, 0, 0xff, 8 * 6 * 2);
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
    gst_buffer_unref (gst_harness_pull (h));
    fail_unless (gst_harness_push_event (h, gst_event_new_stream_start ("next")));
    buffer = gst_harness_pull (h);
    fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP));
    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
    for (guint i = 0; i < 8 * 6; i++)
      fail_unless_equals_int (GST_READ_UINT16_LE (map.data + 2 * i), i < 8 * 4 ? 0 : 0x8000);
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_refused)
{
  check_no_strip ("cudacca strip-mode=true labels=true", "label image");
  check_no_strip ("cudacca strip-mode=true max-open-rows=65500", "65535 rows");
}

GST_END_TEST;

static Suite *
strips_suite (void)
{
  Suite *s = suite_create ("strips");
  TCase *tc = tcase_create (test_in_cuda_memory () ? "cuda-memory" : test_backend ());

  skip_without_gpu ();
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_webs);
  tcase_add_test (tc, test_flush);
  tcase_add_test (tc, test_missing);
  tcase_add_test (tc, test_bound);
  tcase_add_test (tc, test_features);
  tcase_add_test (tc, test_black_rest_of_16_bits);
  tcase_add_test (tc, test_refused);
  return s;
}

GST_CHECK_MAIN (strips);
