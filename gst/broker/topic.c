/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/broker/topic.h"

#include <gst/gst.h>
#include <string.h>

/* All fields but the frame are the same for all messages: what remains are the texts before, between and behind frames. */
struct _BrokerTopic {
  GPtrArray *texts;
  GString *expanded;
};

#define FIELDS "%%{source}, %%{epoch}, %%{host}, %%{format} and %%{frame}" /* in a format */

static const gchar *
find_value (const BrokerIdentity *identity, const gchar *name, gsize length)
{
  const struct {
    const gchar *name, *value;
  } fields[] = {
      {"source", identity->source},
      {"epoch", identity->epoch},
      {"host", identity->host},
      {"format", identity->format},
  };
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    if (strlen (fields[i].name) == length && !memcmp (fields[i].name, name, length))
      return fields[i].value;
  return NULL;
}

static void
end_text (BrokerTopic *topic, GString *text)
{
  g_ptr_array_add (topic->texts, g_strndup (text->str, text->len));
  g_string_truncate (text, 0);
}

/* Appends what AT, which begins with %, stands for. Returns what follows, or NULL if it stands for nothing. */
static const gchar *
read_field (BrokerTopic *topic, GString *text, const gchar *at, const BrokerIdentity *identity)
{
  if (at[1] == '%') {
    g_string_append_c (text, '%');
    return at + 2;
  }
  const gchar *end = at[1] == '{' ? strchr (at, '}') : NULL;
  if (!end)
    return NULL;
  const gchar *name = at + 2;
  const gsize length = (gsize) (end - name);
  const gchar *value = find_value (identity, name, length);
  if (value)
    g_string_append (text, value);
  else if (length == strlen ("frame") && !memcmp (name, "frame", length))
    end_text (topic, text);
  else
    return NULL;
  return end + 1;
}

BrokerTopic *
broker_topic_new (const gchar *text, const gchar *property, const BrokerIdentity *identity, GError **error)
{
  BrokerTopic *topic = g_new0 (BrokerTopic, 1);
  GString *read = g_string_new (NULL);
  topic->texts = g_ptr_array_new_with_free_func (g_free);
  topic->expanded = g_string_new (NULL);
  const gchar *at = text;
  while (at && *at) {
    const gsize plain = strcspn (at, "%");
    g_string_append_len (read, at, (gssize) plain);
    at += plain;
    if (*at) {
      const gchar *field = at;
      if (!(at = read_field (topic, read, at, identity)))
        g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
            "%s=\"%s\": \"%s\" begins with no field. The fields are " FIELDS "; write %%%% for %%.", property, text,
            field);
    }
  }
  end_text (topic, read);
  g_string_free (read, TRUE);
  if (!at) {
    broker_topic_free (topic);
    return NULL;
  }
  g_string_assign (topic->expanded, g_ptr_array_index (topic->texts, 0));
  return topic;
}

void
broker_topic_free (BrokerTopic *topic)
{
  g_ptr_array_unref (topic->texts);
  g_string_free (topic->expanded, TRUE);
  g_free (topic);
}

const gchar *
broker_topic_expand (BrokerTopic *topic, guint64 frame)
{
  if (topic->texts->len > 1) {
    g_string_assign (topic->expanded, g_ptr_array_index (topic->texts, 0));
    for (guint i = 1; i < topic->texts->len; i++)
      g_string_append_printf (
          topic->expanded, "%" G_GUINT64_FORMAT "%s", frame, (const gchar *) g_ptr_array_index (topic->texts, i));
  }
  return topic->expanded->str;
}
