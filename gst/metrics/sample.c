/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/metrics/sample.h"

#include "gst/metrics/record.h"

static void
clear_stat (gpointer stat)
{
  g_free (((MetricsStat *) stat)->name);
}

static void
free_sample (gpointer data)
{
  MetricsSample *sample = data;

  g_free (sample->pipeline);
  g_free (sample->element);
  g_free (sample->factory);
  g_array_unref (sample->stats);
  g_free (sample);
}

/* Whether VALUE is a number or a truth value. */
static gboolean
read_number (const GValue *value, gdouble *number)
{
  GValue converted = G_VALUE_INIT;

  if (G_VALUE_HOLDS_BOOLEAN (value)) {
    *number = g_value_get_boolean (value);
    return TRUE;
  }
  if (!G_VALUE_HOLDS_INT (value) && !G_VALUE_HOLDS_UINT (value) && !G_VALUE_HOLDS_INT64 (value)
      && !G_VALUE_HOLDS_UINT64 (value) && !G_VALUE_HOLDS_DOUBLE (value) && !G_VALUE_HOLDS_FLOAT (value)
      && !G_VALUE_HOLDS_LONG (value) && !G_VALUE_HOLDS_ULONG (value))
    return FALSE;
  g_value_init (&converted, G_TYPE_DOUBLE);
  if (!g_value_transform (value, &converted))
    return FALSE;
  *number = g_value_get_double (&converted);
  g_value_unset (&converted);
  return TRUE;
}

static gboolean
read_property (GObject *object, const gchar *name, gdouble *number)
{
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (object), name);
  GValue value = G_VALUE_INIT;
  gboolean is_number;

  if (!spec || !(spec->flags & G_PARAM_READABLE))
    return FALSE;
  g_value_init (&value, spec->value_type);
  g_object_get_property (object, name, &value);
  is_number = read_number (&value, number);
  g_value_unset (&value);
  return is_number;
}

static gboolean
add_stat (GQuark field, const GValue *value, gpointer stats)
{
  MetricsStat stat;

  if (read_number (value, &stat.value)) {
    stat.name = g_strdup (g_quark_to_string (field));
    g_array_append_val ((GArray *) stats, stat);
  }
  return TRUE;
}

static void
read_stats (GObject *object, GArray *stats)
{
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (object), "stats");
  GstStructure *structure = NULL;

  if (!spec || !(spec->flags & G_PARAM_READABLE) || spec->value_type != GST_TYPE_STRUCTURE)
    return;
  g_object_get (object, "stats", &structure, NULL);
  if (!structure)
    return;
  gst_structure_foreach (structure, add_stat, stats);
  gst_structure_free (structure);
}

/* Sinks count what comes too late themselves; they post no messages of it with qos=false. */
static void
read_late (MetricsSample *sample)
{
  for (guint i = 0; i < sample->stats->len; i++) {
    const MetricsStat *stat = &g_array_index (sample->stats, MetricsStat, i);
    if (g_str_equal (stat->name, "dropped"))
      sample->late = stat->value;
  }
}

static MetricsSample *
take_sample (MetricsRecord *record)
{
  MetricsSample *sample = g_new0 (MetricsSample, 1);
  GObject *object = g_weak_ref_get (&record->object);

  sample->pipeline = g_strdup (record->pipeline->name);
  sample->element = g_strdup (record->element);
  sample->factory = g_strdup (record->factory);
  sample->stats = g_array_new (FALSE, FALSE, sizeof (MetricsStat));
  g_array_set_clear_func (sample->stats, clear_stat);
  sample->late = __atomic_load_n (&record->late, __ATOMIC_RELAXED);
  metrics_histogram_read (&record->processing, &sample->processing);
  metrics_histogram_read (&record->latency, &sample->latency);
  metrics_histogram_read (&record->gpu, &sample->gpu);
  if (object) {
    sample->has_level = read_property (object, "current-level-buffers", &sample->level_frames)
                        && read_property (object, "current-level-bytes", &sample->level_bytes)
                        && read_property (object, "current-level-time", &sample->level_seconds);
    sample->level_seconds /= GST_SECOND;
    read_stats (object, sample->stats);
    if (record->is_sink)
      read_late (sample);
    g_object_unref (object);
  }
  sample->sent = __atomic_load_n (&record->sent, __ATOMIC_RELAXED);
  sample->received = __atomic_load_n (&record->received, __ATOMIC_RELAXED);
  return sample;
}

GPtrArray *
metrics_sample_all (void)
{
  GPtrArray *records = metrics_record_list (), *samples = g_ptr_array_new_with_free_func (free_sample);

  for (guint i = 0; i < records->len; i++)
    g_ptr_array_add (samples, take_sample (records->pdata[i]));
  g_ptr_array_unref (records);
  return samples;
}
