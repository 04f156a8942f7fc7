/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program makes every element of the plugin, takes it through all states in every order, reads its properties, and
 * frees it. */
#include <gst/check/gstcheck.h>

static GList *
plugin_factories (void)
{
  GList *features = gst_registry_get_feature_list_by_plugin (gst_registry_get (), "cudacontours");

  fail_unless (features != NULL, "the plugin cudacontours is not there");
  return features;
}

/* No element needs a GPU for its state changes; a sink may wait for its first buffer in PAUSED. */
static void
change (GstElement *element, GstState state)
{
  GstStateChangeReturn ret = gst_element_set_state (element, state);

  fail_unless (
      ret != GST_STATE_CHANGE_FAILURE, "%s: to %s", GST_OBJECT_NAME (element), gst_element_state_get_name (state));
}

/* Sinks for brokers do not wait for theirs, and must be told where it is. */
static void
set_broker (GstElement *element)
{
  static const gchar *const settings[][2] = {
      {"address", "127.0.0.1:1"}, {"bootstrap-servers", "127.0.0.1:1"}, {"topic", "nobody"}};

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), settings[i][0]))
      g_object_set (element, settings[i][0], settings[i][1], NULL);
}

GST_START_TEST (test_states)
{
  static const GstState walk[] = {GST_STATE_READY, GST_STATE_NULL, GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_PLAYING,
      GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL, GST_STATE_PLAYING,
      GST_STATE_NULL};
  GList *factories = plugin_factories ();

  for (GList *f = factories; f; f = f->next) {
    GstElement *element;

    if (!GST_IS_ELEMENT_FACTORY (f->data))
      continue;
    element = gst_element_factory_create (GST_ELEMENT_FACTORY (f->data), NULL);
    fail_unless (element != NULL, "%s", GST_OBJECT_NAME (f->data));
    set_broker (element);
    for (guint i = 0; i < G_N_ELEMENTS (walk); i++)
      change (element, walk[i]);
    /* The thread of a sink for brokers may still take leave of its library. */
    for (guint i = 0; i < 1000 && GST_OBJECT_REFCOUNT_VALUE (element) > 1; i++)
      g_usleep (10000);
    ASSERT_OBJECT_REFCOUNT (element, GST_OBJECT_NAME (f->data), 1);
    gst_object_unref (element);
  }
  gst_plugin_feature_list_free (factories);
}

GST_END_TEST;

typedef struct {
  GstPad *pad;
  gint ends; /* atomic */
} Drainer;

static gpointer
drain (gpointer data)
{
  Drainer *drainer = data;

  while (!g_atomic_int_get (&drainer->ends)) {
    GstQuery *query = gst_query_new_drain ();

    gst_pad_query (drainer->pad, query);
    gst_query_unref (query);
    g_thread_yield (); /* The lock of the stream is not fair. */
  }
  return NULL;
}

/* A pad lets queries in whether or not it is active, and so while the element makes its backend and closes it. */
GST_START_TEST (test_drained_on_the_way)
{
  GList *factories = plugin_factories ();

  for (GList *f = factories; f; f = f->next) {
    Drainer drainer = {0};
    GstElement *element;
    GThread *thread;

    if (!GST_IS_ELEMENT_FACTORY (f->data))
      continue;
    element = gst_element_factory_create (GST_ELEMENT_FACTORY (f->data), NULL);
    set_broker (element);
    if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), "backend"))
      gst_util_set_object_arg (G_OBJECT (element), "backend", "cpu");
    drainer.pad = gst_element_get_static_pad (element, "sink");
    change (element, GST_STATE_READY);
    thread = g_thread_new ("drain", drain, &drainer);
    for (guint i = 0; i < 50; i++) {
      change (element, GST_STATE_PAUSED);
      change (element, GST_STATE_READY);
    }
    g_atomic_int_set (&drainer.ends, TRUE);
    g_thread_join (thread);
    change (element, GST_STATE_NULL);
    gst_object_unref (drainer.pad);
    gst_object_unref (element);
  }
  gst_plugin_feature_list_free (factories);
}

GST_END_TEST;

/* Each property has a blurb, each element has metadata, and every default can be read and set. */
GST_START_TEST (test_descriptions)
{
  GList *factories = plugin_factories ();

  for (GList *f = factories; f; f = f->next) {
    GstElement *element;
    GParamSpec **specs;
    guint n;

    if (!GST_IS_ELEMENT_FACTORY (f->data))
      continue;
    for (guint i = 0; i < 3; i++) {
      static const gchar *keys[] = {
          GST_ELEMENT_METADATA_LONGNAME, GST_ELEMENT_METADATA_KLASS, GST_ELEMENT_METADATA_DESCRIPTION};
      const gchar *text = gst_element_factory_get_metadata (f->data, keys[i]);

      fail_unless (text && *text, "%s: no %s", GST_OBJECT_NAME (f->data), keys[i]);
    }
    element = gst_element_factory_create (GST_ELEMENT_FACTORY (f->data), NULL);
    specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);
    for (guint i = 0; i < n; i++) {
      GValue value = G_VALUE_INIT;

      fail_unless (g_param_spec_get_blurb (specs[i]) != NULL, "%s", specs[i]->name);
      if (!(specs[i]->flags & G_PARAM_READABLE) || g_str_equal (specs[i]->name, "parent"))
        continue;
      g_value_init (&value, specs[i]->value_type);
      g_object_get_property (G_OBJECT (element), specs[i]->name, &value);
      /* A subclass cannot tell another default of a property that its parent class has; what only can be read has none. */
      if ((specs[i]->flags & G_PARAM_WRITABLE) && !g_str_equal (specs[i]->name, "name")
          && !g_str_equal (specs[i]->name, "qos") && !g_str_equal (g_type_name (specs[i]->owner_type), "GstBaseSink"))
        fail_unless (g_param_value_defaults (specs[i], &value), "%s: not its default", specs[i]->name);
      if (specs[i]->flags & G_PARAM_WRITABLE)
        g_object_set_property (G_OBJECT (element), specs[i]->name, &value);
      g_value_unset (&value);
    }
    g_free (specs);
    gst_object_unref (element);
  }
  gst_plugin_feature_list_free (factories);
}

GST_END_TEST;

static Suite *
states_suite (void)
{
  Suite *s = suite_create ("states");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_test (tc, test_states);
  tcase_add_test (tc, test_drained_on_the_way);
  tcase_add_test (tc, test_descriptions);
  return s;
}

GST_CHECK_MAIN (states);
