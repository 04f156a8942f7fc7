/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A flush or a state change cancels a frame that takes the host long, instead of waiting for its end. */
#include <contours/contours.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/contours/gstcontours.h>
#include <gst/video/video.h>
#include <time.h>

/* CPU time of all threads together, in seconds. */
#ifdef __SANITIZE_ADDRESS__
#define PROMISED 1.0
#else
#define PROMISED 0.1
#endif

typedef struct {
  const gchar *line;
  guint side, quick_side; /* of a square frame of noise that takes at least some 20 ms */
  gboolean drawn;
} Case;

static gchar *windows; /* many of 64 x 64 pixels */

static const Case cases[] = {
    {"cudacca backend=cpu features=moments+grey labels=true", 6144, 1536, FALSE},
    {"cudacca backend=cpu n-threads=4 features=moments+grey labels=true", 6144, 1536, FALSE},
    {"cudacanny backend=cpu n-threads=4 sigma=5 low-threshold=0 high-threshold=20 aperture=7", 8192, 4096, FALSE},
    {"cudaborders backend=cpu mode=tree features=moments", 4096, 1024, FALSE},
    {"cudaborders backend=cpu approximation=none epsilon=3", 4096, 1024, FALSE},
    {"cudacanny backend=cpu sigma=5 low-threshold=0 high-threshold=20 aperture=7", 8192, 4096, FALSE},
    {"cudacrackcontour backend=cpu max-points=0", 320, 80, FALSE},
    {"cudacrackcontour backend=cpu max-points=0 mode=eq features=moments", 1200, 300, FALSE},
    {"cudasnake backend=cpu max-objects=0 max-window-sides=0", 512, 128, FALSE},
    {"cudacontouroverlay backend=cpu thickness=5", 160, 40, TRUE},
};

static gdouble
seconds (void)
{
  return g_get_monotonic_time () / 1e6;
}

static guint
side_of (const Case *c)
{
#ifdef __SANITIZE_ADDRESS__
  return c->quick_side;
#else
  return g_getenv ("CTR_TEST_QUICK") ? c->quick_side : c->side;
#endif
}

/* Attaches the contours of BUFFER's noise, which the element then draws. */
static void
attach_contours (GstBuffer *buffer, guint side)
{
  CtrCracks *cracks = ctr_cracks_new (CTR_BACKEND_CPU, NULL);
  CtrCracksParams params;
  CtrContours *contours;
  GstMapInfo map;

  ctr_cracks_params_init (&params);
  params.max_points = 0;
  gst_buffer_map (buffer, &map, GST_MAP_READ);
  contours = ctr_cracks_run (cracks,
      &(CtrImage){.data = map.data, .stride = side, .width = side, .height = side, .format = CTR_FORMAT_GRAY8}, &params,
      NULL, NULL);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_add_contours_contour_meta (buffer, contours, "noise");
  ctr_contours_unref (contours);
  ctr_cracks_free (cracks);
}

static GstBuffer *
make_noise (const Case *c)
{
  const guint side = side_of (c);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, (gsize) side * side, NULL);
  guint32 state = 1;
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++) {
    state = state * 1664525 + 1013904223;
    map.data[i] = state >> 24;
  }
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = 0;
  if (c->drawn)
    attach_contours (buffer, side);
  return buffer;
}

static guint
hash_bytes (guint hash, gconstpointer bytes, gsize size)
{
  const guint64 *words = bytes;

  for (gsize i = 0; i < size / sizeof *words; i++)
    hash = (hash ^ (guint) words[i] ^ (guint) (words[i] >> 32)) * 16777619;
  return hash;
}

/* Returns a hash of a frame's picture and metadata. */
static guint
hash_of (GstBuffer *buffer)
{
  GstContoursContourMeta *contours = gst_buffer_get_contours_contour_meta (buffer);
  GstContoursComponentMeta *components = gst_buffer_get_contours_component_meta (buffer);
  guint hash = 1;
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  hash = hash_bytes (hash, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  if (contours) {
    CtrContours *c = gst_contours_contour_meta_peek_contours (contours);

    hash = hash_bytes (hash, ctr_contours_map_table (c, NULL), c->count * sizeof (CtrContour));
    hash = hash_bytes (hash, ctr_contours_map_points (c, NULL), c->point_count * sizeof (CtrPoint));
  }
  if (components) {
    CtrComponents *c = gst_contours_component_meta_peek_components (components);

    hash = hash_bytes (hash, c->table, c->count * sizeof *c->table);
    if (c->features & CTR_FEATURE_LABELS)
      hash = hash_bytes (hash, ctr_components_map_labels (c, NULL), (gsize) c->width * c->height * sizeof *c->labels);
  }
  return hash;
}

typedef struct {
  GstHarness *h;
  GstBuffer *buffer;
  gint begun; /* there is one */
  GstFlowReturn ret;
  gdouble ended, ended_on_cores;
} Push;

static gdouble
seconds_on_cores (void)
{
  struct timespec time;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

static gpointer
push (gpointer data)
{
  Push *p = data;
  GstBuffer *buffer = gst_buffer_copy_deep (p->buffer);

  g_atomic_int_set (&p->begun, 1);
  p->ret = gst_harness_push (p->h, buffer);
  p->ended = seconds ();
  p->ended_on_cores = seconds_on_cores ();
  return NULL;
}

static GstHarness *
new_stream (const Case *c)
{
  GstHarness *h = gst_harness_new_parse (c->line);
  gchar *caps =
      g_strdup_printf ("video/x-raw,format=GRAY8,width=%u,height=%u,framerate=25/1", side_of (c), side_of (c));

  if (g_str_has_prefix (c->line, "cudasnake"))
    gst_harness_set (h, "cudasnake", "window", windows, NULL);
  gst_harness_set_src_caps_str (h, caps);
  g_free (caps);
  return h;
}

static void
set_state (GstHarness *h, GstState state)
{
  fail_unless (gst_element_set_state (h->element, state) != GST_STATE_CHANGE_FAILURE);
}

/* Cancels a frame long before its end, which would take WHOLE. Returns how long the work went on after that, in CPU
 * time, which does not depend on the machine's load. */
static void
cancel (GstHarness *h, GstBuffer *buffer, gdouble whole, gboolean by_state)
{
  Push p = {.h = h, .buffer = buffer};
  GThread *thread = g_thread_new ("push", push, &p);
  gdouble requested, requested_on_cores, took, took_on_cores;

  while (!g_atomic_int_get (&p.begun))
    g_usleep (1000);
  g_usleep ((gulong) (whole / 8 * G_USEC_PER_SEC));
  requested = seconds ();
  requested_on_cores = seconds_on_cores ();
  if (by_state)
    set_state (h, GST_STATE_READY); /* also frees the element's memory */
  else
    fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  g_thread_join (thread);
  fail_unless_equals_int (p.ret, GST_FLOW_FLUSHING);
  took = p.ended - requested;
  took_on_cores = p.ended_on_cores - requested_on_cores;
  g_print ("  %s: it ended after %.1f ms, %.1f of a core\n", by_state ? "stopped" : "flushed", 1e3 * took,
      1e3 * took_on_cores);
  fail_unless (took_on_cores < PROMISED, "%g s of all cores", took_on_cores);
}

GST_START_TEST (test_cancel)
{
  const Case *c = &cases[__i__];
  GstBuffer *noise = make_noise (c), *out;
  GstHarness *h = new_stream (c);
  GstBus *bus = gst_bus_new ();
  gdouble whole;
  guint expected;
  GstSegment segment;

  gst_element_set_bus (h->element, bus);
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_copy_deep (noise)), GST_FLOW_OK);
  out = gst_harness_pull (h);
  expected = hash_of (out);
  gst_buffer_unref (out);
  /* From here on the element reuses its memory. */
  whole = seconds ();
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_copy_deep (noise)), GST_FLOW_OK);
  whole = seconds () - whole;
  gst_buffer_unref (gst_harness_pull (h));

  g_print ("%s, %u x %u pixels: %.2f s\n", c->line, side_of (c), side_of (c), whole);
  cancel (h, noise, whole, FALSE);
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_copy_deep (noise)), GST_FLOW_OK);
  out = gst_harness_pull (h);
  fail_unless_equals_int (hash_of (out), expected);
  gst_buffer_unref (out);

  cancel (h, noise, whole, TRUE);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING) == NULL, "a message");
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);

  /* A cancel request while no frame is processed must not cancel the next frame. */
  h = new_stream (c);
  set_state (h, GST_STATE_READY);
  set_state (h, GST_STATE_PLAYING);
  gst_harness_teardown (h);
  gst_buffer_unref (noise);
  gst_object_unref (bus);
}

GST_END_TEST;

/* An element that is flushed and stopped between frames keeps working. */
GST_START_TEST (test_between_frames)
{
  const Case *c = &cases[__i__];
  const guint side = 64;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, side * side, NULL);
  GstHarness *h = gst_harness_new_parse (c->line);
  GstSegment segment;

  gst_buffer_memset (buffer, 0, 200, side * side);
  gst_buffer_memset (buffer, 0, 10, side * side / 2);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY8,width=64,height=64,framerate=25/1");
  for (guint i = 0; i < 4; i++) {
    fail_unless_equals_int (gst_harness_push (h, gst_buffer_copy_deep (buffer)), GST_FLOW_OK);
    gst_buffer_unref (gst_harness_pull (h));
    if (i % 2 == 0) {
      fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
      fail_unless_equals_int (gst_harness_push (h, gst_buffer_copy_deep (buffer)), GST_FLOW_FLUSHING);
      fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
    } else {
      set_state (h, GST_STATE_READY);
      set_state (h, GST_STATE_PLAYING);
      fail_unless (gst_harness_push_event (h, gst_event_new_stream_start ("again")));
      gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY8,width=64,height=64,framerate=25/1");
    }
    fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  }
  gst_harness_teardown (h);
  gst_buffer_unref (buffer);
}

GST_END_TEST;

static Suite *
cancel_suite (void)
{
  Suite *s = suite_create ("cancel");
  TCase *tc = tcase_create ("cpu");
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < 400; i++)
    g_string_append_printf (text, "%s%u,%u,64,64", i ? ";" : "", i % 20 * 22, i / 20 * 22);
  windows = g_string_free (text, FALSE);
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 300);
  tcase_add_loop_test (tc, test_cancel, 0, G_N_ELEMENTS (cases));
  tcase_add_loop_test (tc, test_between_frames, 0, G_N_ELEMENTS (cases));
  return s;
}

GST_CHECK_MAIN (cancel);
