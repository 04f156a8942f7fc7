/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records are found by names, not by objects: an element that is made anew under the same names goes on counting where the
 * one before has stopped, as Prometheus expects of counters, and no two series have the same labels. */
#include "gst/metrics/record.h"

/* Names that an application makes up anew for each pipeline must not fill the memory. Beyond this number, records without
 * an element are forgotten. */
#define MOST_RECORDS 1024

static GMutex lock;
static GHashTable *records; /* by pipeline, element and factory, separated by line feeds */

static void
clear_pipeline (gpointer data)
{
  g_free (((MetricsPipeline *) data)->name);
}

static void
clear_record (gpointer data)
{
  MetricsRecord *record = data;

  g_weak_ref_clear (&record->object);
  g_free (record->element);
  g_free (record->factory);
  g_atomic_rc_box_release_full (record->pipeline, clear_pipeline);
}

void
metrics_record_unref (MetricsRecord *record)
{
  g_atomic_rc_box_release_full (record, clear_record);
}

static void
unref_record (gpointer record)
{
  metrics_record_unref (record);
}

/* The pipeline and the path of ELEMENT below it (transfer full). */
static gchar *
find_names (GstElement *element, gchar **pipeline)
{
  gchar *path = gst_object_get_name (GST_OBJECT_CAST (element));
  GstObject *parent = gst_object_get_parent (GST_OBJECT_CAST (element));

  *pipeline = NULL;
  while (parent) {
    GstObject *above = gst_object_get_parent (parent);
    gchar *name = gst_object_get_name (parent);
    if (above) {
      gchar *longer = g_strconcat (name, "/", path, NULL);
      g_free (path);
      g_free (name);
      path = longer;
    } else {
      *pipeline = name;
    }
    gst_object_unref (parent);
    parent = above;
  }
  if (!*pipeline)
    *pipeline = g_strdup ("");
  return path;
}

static gboolean
has_no_element (gpointer key, gpointer value, gpointer unused)
{
  GstElement *element = g_weak_ref_get (&((MetricsRecord *) value)->object);

  if (element)
    gst_object_unref (element);
  return !element;
}

/* The pipeline called NAME of the records (transfer full), or a new one. The lock is held. */
static MetricsPipeline *
find_pipeline (const gchar *name)
{
  GHashTableIter iter;
  gpointer value;
  MetricsPipeline *pipeline;

  g_hash_table_iter_init (&iter, records);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    pipeline = ((MetricsRecord *) value)->pipeline;
    if (g_str_equal (pipeline->name, name))
      return g_atomic_rc_box_acquire (pipeline);
  }
  pipeline = g_atomic_rc_box_new0 (MetricsPipeline);
  pipeline->name = g_strdup (name);
  return pipeline;
}

static MetricsRecord *
make_record (GstElement *element, const gchar *pipeline, const gchar *path, const gchar *factory)
{
  MetricsRecord *record = g_atomic_rc_box_new0 (MetricsRecord);
  GType sink = g_type_from_name ("GstBaseSink");

  record->pipeline = find_pipeline (pipeline);
  record->element = g_strdup (path);
  record->factory = g_strdup (factory);
  g_weak_ref_init (&record->object, NULL);
  record->is_source = GST_OBJECT_FLAG_IS_SET (element, GST_ELEMENT_FLAG_SOURCE);
  record->is_jitter_buffer = g_str_equal (factory, "rtpjitterbuffer");
  record->is_sink = sink && g_type_is_a (G_OBJECT_TYPE (element), sink);
  return record;
}

static void
add_gpu_time (GstElement *element, guint64 nanoseconds, MetricsRecord *record)
{
  metrics_histogram_add (&record->gpu, nanoseconds);
}

static void
drop_handler (gpointer record, GClosure *closure)
{
  metrics_record_unref (record);
}

/* Lets ELEMENT measure the GPU's time for RECORD, if it can and does not yet. */
static void
listen_for_gpu_time (GstElement *element, MetricsRecord *record)
{
  GSignalQuery query;

  g_signal_query (g_signal_lookup ("gpu-time", G_OBJECT_TYPE (element)), &query);
  if (query.signal_id == 0 || query.n_params != 1 || query.param_types[0] != G_TYPE_UINT64
      || g_signal_handler_find (element, G_SIGNAL_MATCH_FUNC, 0, 0, NULL, add_gpu_time, NULL))
    return;
  g_signal_connect_data (
      element, "gpu-time", G_CALLBACK (add_gpu_time), g_atomic_rc_box_acquire (record), drop_handler, 0);
}

MetricsRecord *
metrics_record_of_element (GstElement *element)
{
  GstElementFactory *made_by = gst_element_get_factory (element);
  const gchar *factory = made_by ? GST_OBJECT_NAME (made_by) : G_OBJECT_TYPE_NAME (element);
  gchar *pipeline, *path = find_names (element, &pipeline), *key = g_strjoin ("\n", pipeline, path, factory, NULL);
  MetricsRecord *record;

  g_mutex_lock (&lock);
  if (!records)
    records = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, unref_record);
  record = g_hash_table_lookup (records, key);
  if (!record) {
    if (g_hash_table_size (records) >= MOST_RECORDS)
      g_hash_table_foreach_remove (records, has_no_element, NULL);
    record = make_record (element, pipeline, path, factory);
    g_hash_table_insert (records, g_strdup (key), record);
  }
  g_atomic_rc_box_acquire (record);
  g_weak_ref_set (&record->object, element);
  listen_for_gpu_time (element, record);
  g_mutex_unlock (&lock);
  g_free (key);
  g_free (path);
  g_free (pipeline);
  return record;
}

/* Stands for "none" in the data of a pad, where NULL means that nobody has looked yet. */
static gchar none;

static void
forget (gpointer data)
{
  if (data != &none)
    metrics_record_unref (data);
}

MetricsRecord *
metrics_record_of_pad (GstPad *pad)
{
  static GQuark quark;
  GstElement *element;
  gpointer data;

  if (G_UNLIKELY (!g_atomic_int_get ((gint *) &quark)))
    g_atomic_int_set ((gint *) &quark, g_quark_from_static_string ("contourmetrics-record"));
  data = g_object_get_qdata (G_OBJECT (pad), quark);
  if (G_LIKELY (data))
    return data == &none ? NULL : data;
  element = gst_pad_get_parent_element (pad);
  data = element && !GST_IS_BIN (element) ? metrics_record_of_element (element) : (gpointer) &none;
  if (element)
    gst_object_unref (element);
  g_object_set_qdata_full (G_OBJECT (pad), quark, data, forget);
  return data == &none ? NULL : data;
}

GPtrArray *
metrics_record_list (void)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (unref_record);
  GHashTableIter iter;
  gpointer record;

  g_mutex_lock (&lock);
  if (records) {
    g_hash_table_iter_init (&iter, records);
    while (g_hash_table_iter_next (&iter, NULL, &record))
      g_ptr_array_add (list, g_atomic_rc_box_acquire (record));
  }
  g_mutex_unlock (&lock);
  return list;
}

void
metrics_record_forget_all (void)
{
  g_mutex_lock (&lock);
  g_clear_pointer (&records, g_hash_table_unref);
  g_mutex_unlock (&lock);
}
