/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/broker/payload.h"

#include "gst/export/framemetas.h"

#include <string.h>

#define MAGIC "CTRMESSG"
#define VERSION 1

/* How a line of ours begins, and what follows where it has no identity yet. */
#define LINE_HEAD "{\"schema\":\"" EXPORT_SCHEMA "\","
#define FRAME_MEMBER "\"frame\":"

gchar *
broker_payload_make_members (const BrokerIdentity *identity)
{
  GString *members = g_string_new ("\"camera\":");
  export_append_json_string (members, identity->source);
  g_string_append (members, ",\"epoch\":");
  export_append_json_string (members, identity->epoch);
  g_string_append_c (members, ',');
  return g_string_free (members, FALSE);
}

static GstFlowReturn
check_flushing (gpointer pad)
{
  return GST_PAD_IS_FLUSHING (GST_PAD (pad)) ? GST_FLOW_FLUSHING : GST_FLOW_OK;
}

GstFlowReturn
broker_payload_write_json (
    GstBuffer *buffer, ExportFrame *frame, gboolean codes, GstPad *pad, GBytes **payload, GError **error)
{
  const ExportFormat *format = codes ? &export_ndjson_codes : &export_ndjson;
  ExportMetas metas;
  if (!export_metas_fetch (buffer, format, &metas, error))
    return GST_FLOW_ERROR;
  export_metas_describe (&metas, frame);
  GString *out = g_string_new (NULL);
  const ExportText to = {out, check_flushing, pad};
  const GstFlowReturn ret = export_metas_write (buffer, format, NULL, &to, frame, metas.count);
  if (ret == GST_FLOW_OK)
    *payload = g_string_free_to_bytes (out);
  else
    g_string_free (out, TRUE);
  return ret;
}

static GBytes *
serialize (GstMeta *meta, GError **error)
{
  return export_is_contours (meta) ? gst_contours_contour_meta_serialize ((GstContoursContourMeta *) meta, error)
                                   : gst_contours_component_meta_serialize ((GstContoursComponentMeta *) meta, error);
}

/* The metadata of BUFFER, each as bytes; NULL on error. */
static GPtrArray *
serialize_all (GstBuffer *buffer, GError **error)
{
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  gpointer iterator = NULL;
  for (GstMeta *meta; (meta = gst_buffer_iterate_meta (buffer, &iterator));) {
    if (!export_supports (meta))
      continue;
    GBytes *bytes = serialize (meta, error);
    if (!bytes) {
      g_ptr_array_unref (all);
      return NULL;
    }
    g_ptr_array_add (all, bytes);
  }
  return all;
}

static void
put_text (GByteArray *out, const gchar *text)
{
  g_byte_array_append (out, (const guint8 *) text, (guint) strlen (text));
}

static void
put_uint32 (GByteArray *out, gsize value)
{
  const guint32 bytes = GUINT32_TO_LE ((guint32) value);
  g_byte_array_append (out, (const guint8 *) &bytes, sizeof bytes);
}

static void
put_uint64 (GByteArray *out, guint64 value)
{
  const guint64 bytes = GUINT64_TO_LE (value);
  g_byte_array_append (out, (const guint8 *) &bytes, sizeof bytes);
}

GBytes *
broker_payload_write_bytes (GstBuffer *buffer, const ExportFrame *frame, const BrokerIdentity *identity, GError **error)
{
  GPtrArray *all = serialize_all (buffer, error);
  if (!all)
    return NULL;
  gsize total = 0;
  for (guint i = 0; i < all->len; i++)
    total += 8 + g_bytes_get_size (g_ptr_array_index (all, i));
  if (total > G_MAXUINT32 / 2) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "The metadata of frame %" G_GUINT64_FORMAT " has %" G_GSIZE_FORMAT
        " bytes: too many for one message. Leave label images out of it, or set limits on contours.",
        frame->index, total);
    g_ptr_array_unref (all);
    return NULL;
  }
  GByteArray *out = g_byte_array_sized_new ((guint) total + 256);
  put_text (out, MAGIC);
  put_uint32 (out, VERSION);
  put_uint32 (out, all->len);
  put_uint64 (out, frame->index);
  put_uint64 (out, frame->pts);
  put_uint64 (out, frame->utc);
  put_uint64 (out, frame->dropped);
  put_uint32 (out, strlen (identity->source));
  put_uint32 (out, strlen (identity->epoch));
  put_text (out, identity->source);
  put_text (out, identity->epoch);
  for (guint i = 0; i < all->len; i++) {
    gsize size;
    const guint8 *bytes = g_bytes_get_data (g_ptr_array_index (all, i), &size);
    put_uint64 (out, size);
    g_byte_array_append (out, bytes, (guint) size);
  }
  g_ptr_array_unref (all);
  return g_byte_array_free_to_bytes (out);
}

/* Whether LINE is one of ours without identity. FRAME becomes its number. */
static gboolean
read_frame (const gchar *line, gsize length, guint64 *frame)
{
  const gsize head = strlen (LINE_HEAD FRAME_MEMBER);
  if (length <= head || memcmp (line, LINE_HEAD FRAME_MEMBER, head) != 0 || !g_ascii_isdigit (line[head]))
    return FALSE;
  *frame = 0;
  for (gsize i = head; i < length && g_ascii_isdigit (line[i]); i++)
    *frame = *frame * 10 + (guint64) g_ascii_digit_value (line[i]);
  return TRUE;
}

GBytes *
broker_payload_copy_text (GstBuffer *buffer, const gchar *members, guint64 *frame, GError **error)
{
  GstMapInfo map;
  if (!gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
        "The text of frame %" G_GUINT64_FORMAT " cannot be read: its memory cannot be mapped.", *frame);
    return NULL;
  }
  const gchar *text = (const gchar *) map.data;
  GString *out = g_string_sized_new (map.size + 256);
  for (gsize at = 0; at < map.size;) {
    const gchar *line = text + at, *end = memchr (line, '\n', map.size - at);
    const gsize length = end ? (gsize) (end - line) + 1 : map.size - at;
    guint64 number;
    gsize copied = 0;
    const gboolean ours = read_frame (line, length, &number);
    if (ours && at == 0)
      *frame = number;
    if (ours && members) {
      copied = strlen (LINE_HEAD);
      g_string_append_len (out, line, (gssize) copied);
      g_string_append (out, members);
    }
    g_string_append_len (out, line + copied, (gssize) (length - copied));
    at += length;
  }
  gst_buffer_unmap (buffer, &map);
  return g_string_free_to_bytes (out);
}
