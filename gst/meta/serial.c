/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metadata as bytes: what the buffer adds to the result, and the result as contours/serial.h writes it. */
#include "gst/meta/serial-private.h"
#include "gst/meta/serialnumbers.h"

#include <contours/serial.h>
#include <gst/base/gstbytewriter.h>
#include <gst/contours/gstcontoursserial.h>
#include <math.h>
#include <string.h>

#define MAGIC "CTRFRAME"
#define MAGIC_SIZE 8
#define VERSION 1

/* Sections: their id, 0, and their size. A reader skips those that it does not know. */
enum { SECTION_FRAME = 1, SECTION_SOURCE = 2, SECTION_RESULT = 3, SECTION_CALIBRATION = 4, SECTION_CLASSES = 5 };
#define FRAME_SIZE 80
#define CALIBRATION_SIZE (16 + 8 * CALIBRATION_NUMBERS + CTR_UNIT_SIZE)
#define CALIBRATION_NUMBERS 28

/* What a mapping may be: as for drawing. So coordinates, and what is computed of them, are finite. */
#define MOST_SCALE 131072.0     /* 2^17, exclusive */
#define MOST_SHIFT 2147483648.0 /* 2^31 pixels, exclusive */

#define KNOWN_FLAGS                                                                                                   \
  (GST_CONTOURS_RESULT_FLAG_CORRUPTED | GST_CONTOURS_RESULT_FLAG_INTERLACED | GST_CONTOURS_RESULT_FLAG_LIMIT_EXCEEDED \
      | GST_CONTOURS_RESULT_FLAG_STRIP)

static gboolean
is_contours (const GstContoursResultMeta *meta)
{
  return meta->meta.info == GST_CONTOURS_CONTOUR_META_INFO;
}

static void
put_section (GstByteWriter *out, guint32 id, guint64 size)
{
  put_uint32 (out, id);
  put_uint32 (out, 0);
  put_uint64 (out, size);
}

static void
put_frame (GstByteWriter *out, const GstContoursResultMeta *meta)
{
  const GstContoursMapping *m = &meta->mapping;
  put_section (out, SECTION_FRAME, FRAME_SIZE);
  put_uint32 (out, meta->flags);
  put_uint32 (out, m->reference_width);
  put_uint32 (out, m->reference_height);
  put_uint32 (out, m->width);
  put_uint32 (out, m->height);
  put_uint32 (out, 0);
  put_uint64 (out, meta->first_row);
  const gdouble numbers[] = {m->xx, m->xy, m->x0, m->yx, m->yy, m->y0};
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    put_double (out, numbers[i]);
}

/* Where the numbers of MODEL are. */
static void
list_numbers (CtrCalibration *model, gdouble *numbers[CALIBRATION_NUMBERS])
{
  guint count = 0;
  numbers[count++] = &model->fx;
  numbers[count++] = &model->fy;
  numbers[count++] = &model->cx;
  numbers[count++] = &model->cy;
  for (guint i = 0; i < G_N_ELEMENTS (model->distortion); i++)
    numbers[count++] = &model->distortion[i];
  for (guint i = 0; i < G_N_ELEMENTS (model->homography); i++)
    numbers[count++] = &model->homography[i];
  numbers[count++] = &model->scale;
  g_assert (count == CALIBRATION_NUMBERS);
}

static void
put_calibration (GstByteWriter *out, const GstContoursCalibration *calibration)
{
  CtrCalibration model = *gst_contours_calibration_peek_model (calibration);
  gdouble *numbers[CALIBRATION_NUMBERS];
  list_numbers (&model, numbers);
  put_section (out, SECTION_CALIBRATION, CALIBRATION_SIZE);
  put_uint32 (out, model.width);
  put_uint32 (out, model.height);
  put_uint32 (out, model.has_camera);
  put_uint32 (out, model.has_homography);
  for (guint i = 0; i < CALIBRATION_NUMBERS; i++)
    put_double (out, *numbers[i]);
  gchar unit[CTR_UNIT_SIZE] = {0};
  g_strlcpy (unit, model.unit, sizeof unit);
  gst_byte_writer_put_data (out, (const guint8 *) unit, sizeof unit);
}

/* Each class: its value and the length of its name, then the name. */
static void
put_classes (GstByteWriter *out, const GArray *classes)
{
  guint64 size = 0;
  for (guint i = 0; i < classes->len; i++)
    size += 8 + strlen (g_array_index (classes, GstContoursResultClass, i).name);
  put_section (out, SECTION_CLASSES, size);
  for (guint i = 0; i < classes->len; i++) {
    const GstContoursResultClass *known = &g_array_index (classes, GstContoursResultClass, i);
    const guint length = (guint) strlen (known->name);
    put_uint32 (out, known->value);
    put_uint32 (out, length);
    gst_byte_writer_put_data (out, (const guint8 *) known->name, length);
  }
}

static GBytes *
serialize (GstContoursResultMeta *meta, GError **error)
{
  CtrError reason;
  gsize size;
  gpointer result = is_contours (meta) ? ctr_contours_serialize (meta->result, &size, &reason)
                                       : ctr_components_serialize (meta->result, &size, &reason);
  if (!result) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, "The metadata cannot be turned into bytes: %s",
        reason.message);
    return NULL;
  }
  GstByteWriter out;
  gst_byte_writer_init (&out);
  gst_byte_writer_put_data (&out, (const guint8 *) MAGIC, MAGIC_SIZE);
  put_uint32 (&out, VERSION);
  put_uint32 (&out, 2 + (meta->source != NULL) + (meta->calibration != NULL) + (meta->classes != NULL));
  put_frame (&out, meta);
  if (meta->source) {
    const gsize length = strlen (meta->source);
    put_section (&out, SECTION_SOURCE, length);
    gst_byte_writer_put_data (&out, (const guint8 *) meta->source, (guint) length);
  }
  if (meta->calibration)
    put_calibration (&out, meta->calibration);
  if (meta->classes)
    put_classes (&out, meta->classes);
  put_section (&out, SECTION_RESULT, size);
  const guint head = gst_byte_writer_get_size (&out);
  guint8 *bytes = gst_byte_writer_reset_and_get_data (&out);
  /* The writer counts in 32 bits; a label image may be longer. */
  bytes = g_try_realloc (bytes, head + size);
  if (bytes)
    memcpy (bytes + head, result, size);
  else
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "There is no memory for the %" G_GSIZE_FORMAT " bytes of the metadata.", head + size);
  free (result);
  return bytes ? g_bytes_new_take (bytes, head + size) : NULL;
}

/* What bytes say; the pointers are into them. */
typedef struct {
  guint32 flags;
  GstContoursMapping mapping;
  guint64 first_row;
  const guint8 *source; /* NULL: none */
  gsize source_size;
  const guint8 *result;
  gsize result_size;
  const guint8 *calibration; /* CALIBRATION_SIZE bytes; NULL: none */
  const guint8 *classes;     /* NULL: none */
  gsize classes_size;
} Parsed;

static gboolean
parse_frame (const guint8 *at, Parsed *parsed)
{
  GstContoursMapping *m = &parsed->mapping;
  gdouble *const numbers[] = {&m->xx, &m->xy, &m->x0, &m->yx, &m->yy, &m->y0};
  parsed->flags = get_uint32 (at);
  m->reference_width = get_uint32 (at + 4);
  m->reference_height = get_uint32 (at + 8);
  m->width = get_uint32 (at + 12);
  m->height = get_uint32 (at + 16);
  parsed->first_row = get_uint64 (at + 24);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    *numbers[i] = get_double (at + 32 + 8 * i);
    if (!(fabs (*numbers[i]) < (i % 3 == 2 ? MOST_SHIFT : MOST_SCALE)))
      return FALSE;
  }
  return (parsed->flags & ~(guint32) KNOWN_FLAGS) == 0 && m->width > 0 && m->height > 0 && m->width <= G_MAXINT
         && m->height <= G_MAXINT;
}

/* Takes the next class from SIZE bytes at AT. Returns the number of its bytes; 0: there is none, or it is damaged. */
static gsize
parse_class (const guint8 *at, gsize size, guint32 *value, const gchar **name, gsize *length)
{
  const gsize head = 8;
  if (size < head || get_uint32 (at + 4) > size - head)
    return 0;
  *value = get_uint32 (at);
  *length = get_uint32 (at + 4);
  *name = (const gchar *) at + head;
  return g_utf8_validate (*name, (gssize) *length, NULL) ? head + *length : 0;
}

/* Whether SIZE bytes at AT are classes in the order of their values. */
static gboolean
check_classes (const guint8 *at, gsize size)
{
  const gchar *name;
  guint32 value;
  gsize length;
  gint64 before = -1;
  for (gsize used; size > 0; at += used, size -= used, before = value) {
    used = parse_class (at, size, &value, &name, &length);
    if (used == 0 || value <= before)
      return FALSE;
  }
  return TRUE;
}

static void
add_classes (GstContoursResultMeta *meta, const Parsed *parsed)
{
  const gchar *name;
  guint32 value;
  gsize length, used, at = 0;
  while (parsed->classes
         && (used = parse_class (parsed->classes + at, parsed->classes_size - at, &value, &name, &length)) > 0) {
    at += used;
    gchar *copy = g_strndup (name, length);
    gst_contours_result_meta_add_class (meta, value, copy);
    g_free (copy);
  }
}

static gboolean
parse_section (guint32 id, const guint8 *at, gsize size, Parsed *parsed)
{
  switch (id) {
    case SECTION_FRAME:
      return size == FRAME_SIZE && parse_frame (at, parsed);
    case SECTION_SOURCE:
      parsed->source = at;
      parsed->source_size = size;
      return g_utf8_validate ((const gchar *) at, (gssize) size, NULL);
    case SECTION_RESULT:
      parsed->result = at;
      parsed->result_size = size;
      return TRUE;
    case SECTION_CALIBRATION:
      parsed->calibration = at;
      return size == CALIBRATION_SIZE;
    case SECTION_CLASSES:
      parsed->classes = at;
      parsed->classes_size = size;
      return check_classes (at, size);
    default:
      return TRUE;
  }
}

/* Returns NULL, or what is wrong. */
static const gchar *
parse (const guint8 *bytes, gsize size, Parsed *parsed)
{
  const gsize head = MAGIC_SIZE + 8, section_head = 16;
  *parsed = (Parsed){0};
  if (size < head || memcmp (bytes, MAGIC, MAGIC_SIZE) != 0)
    return "they do not begin with \"" MAGIC "\", as metadata of gst-cuda-contours does";
  if (get_uint32 (bytes + MAGIC_SIZE) != VERSION)
    return "they have another version of the format; use the library that wrote them";
  guint32 sections = get_uint32 (bytes + MAGIC_SIZE + 4);
  gsize at = head;
  for (; sections > 0; sections--) {
    if (size - at < section_head)
      return "they end too early";
    const guint64 length = get_uint64 (bytes + at + 8);
    const guint32 id = get_uint32 (bytes + at);
    at += section_head;
    if (length > size - at)
      return "they end too early";
    if (!parse_section (id, bytes + at, (gsize) length, parsed))
      return "a part of them is damaged";
    at += (gsize) length;
  }
  if (at != size || !parsed->result || parsed->mapping.width == 0)
    return "a part of them is missing, or there is something behind them";
  return NULL;
}

static void
fail_to_parse (GError **error, const gchar *reason)
{
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "The bytes are no metadata of contours: %s.", reason);
}

/* Attaches the result, of the kind that it is. */
static GstContoursResultMeta *
attach_result (GstBuffer *buffer, const Parsed *parsed, gboolean contours, const gchar *source, CtrError *error)
{
  gpointer meta = NULL;
  guint width = 0, height = 0;
  if (contours) {
    CtrContours *result = ctr_contours_deserialize (parsed->result, parsed->result_size, error);
    if (!result)
      return NULL;
    width = result->width;
    height = result->height;
    if (width == parsed->mapping.reference_width && height == parsed->mapping.reference_height)
      meta = gst_buffer_add_contours_contour_meta (buffer, result, source);
    ctr_contours_unref (result);
  } else {
    CtrComponents *result = ctr_components_deserialize (parsed->result, parsed->result_size, error);
    if (!result)
      return NULL;
    width = result->width;
    height = result->height;
    if (width == parsed->mapping.reference_width && height == parsed->mapping.reference_height)
      meta = gst_buffer_add_contours_component_meta (buffer, result, source);
    ctr_components_unref (result);
  }
  if (!meta)
    g_snprintf (error->message, sizeof error->message, "the result is of another image than the frame");
  return meta;
}

/* The kind is in the header of the result; whatever else is there, reading the result refuses. */
static gboolean
holds_contours (const Parsed *parsed)
{
  const gsize at = 12;
  return parsed->result_size >= at + 4 && get_uint32 (parsed->result + at) == 2;
}

/* Returns NULL and an error if the numbers are those of no camera. */
static GstContoursCalibration *
parse_calibration (const guint8 *at, GError **error)
{
  CtrCalibration model = {.width = get_uint32 (at),
      .height = get_uint32 (at + 4),
      .has_camera = get_uint32 (at + 8) != 0,
      .has_homography = get_uint32 (at + 12) != 0};
  gdouble *numbers[CALIBRATION_NUMBERS];
  list_numbers (&model, numbers);
  at += 16;
  for (guint i = 0; i < CALIBRATION_NUMBERS; i++, at += 8)
    *numbers[i] = get_double (at);
  memcpy (model.unit, at, CTR_UNIT_SIZE - 1);
  if (!g_utf8_validate (model.unit, -1, NULL)) {
    fail_to_parse (error, "the unit of the calibration is no UTF-8");
    return NULL;
  }
  GError *reason = NULL;
  GstContoursCalibration *calibration = gst_contours_calibration_new (&model, &reason);
  if (!calibration)
    fail_to_parse (error, reason->message);
  g_clear_error (&reason);
  return calibration;
}

static GstContoursResultMeta *
deserialize (GstBuffer *buffer, const guint8 *bytes, gsize size, GError **error)
{
  Parsed parsed;
  const gchar *wrong = parse (bytes, size, &parsed);
  if (wrong) {
    fail_to_parse (error, wrong);
    return NULL;
  }
  CtrError reason;
  GstContoursCalibration *calibration = NULL;
  if (parsed.calibration && !(calibration = parse_calibration (parsed.calibration, error)))
    return NULL;
  gchar *source = parsed.source ? g_strndup ((const gchar *) parsed.source, parsed.source_size) : NULL;
  GstContoursResultMeta *meta = attach_result (buffer, &parsed, holds_contours (&parsed), source, &reason);
  g_free (source);
  if (!meta) {
    fail_to_parse (error, reason.message);
    g_clear_pointer (&calibration, gst_contours_calibration_unref);
    return NULL;
  }
  meta->calibration = calibration;
  meta->mapping = parsed.mapping;
  meta->flags = parsed.flags;
  meta->first_row = parsed.first_row;
  add_classes (meta, &parsed);
  return meta;
}

/**
 * gst_contours_component_meta_serialize:
 * @meta: a #GstContoursComponentMeta
 * @error: return location for an error of %GST_RESOURCE_ERROR, or %NULL
 *
 * Turns the metadata into bytes, for files and for other processes and machines. They contain all that the metadata has, the
 * label image included, and do not depend on the machine. gst_buffer_deserialize_contours_meta() reads them. This function
 * waits for the analysis and fetches all arrays from the GPU.
 *
 * Since GStreamer 1.24, elements such as `unixfdsink` do so themselves, by gst_meta_serialize().
 *
 * Returns: (transfer full): the bytes; free them with g_bytes_unref(). %NULL and an error if they could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_component_meta_serialize (GstContoursComponentMeta *meta, GError **error)
{
  g_return_val_if_fail (meta != NULL && meta->meta.info == GST_CONTOURS_COMPONENT_META_INFO, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);
  return serialize ((GstContoursResultMeta *) meta, error);
}

/**
 * gst_contours_contour_meta_serialize:
 * @meta: a #GstContoursContourMeta
 * @error: return location for an error of %GST_RESOURCE_ERROR, or %NULL
 *
 * Turns the metadata into bytes, as gst_contours_component_meta_serialize() does.
 *
 * Returns: (transfer full): the bytes; free them with g_bytes_unref(). %NULL and an error if they could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_serialize (GstContoursContourMeta *meta, GError **error)
{
  g_return_val_if_fail (meta != NULL && meta->meta.info == GST_CONTOURS_CONTOUR_META_INFO, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);
  return serialize ((GstContoursResultMeta *) meta, error);
}

/**
 * gst_buffer_deserialize_contours_meta:
 * @buffer: (transfer none): a writable #GstBuffer
 * @bytes: what gst_contours_component_meta_serialize() or gst_contours_contour_meta_serialize() has made
 * @error: return location for an error of %GST_STREAM_ERROR, or %NULL
 *
 * Attaches the metadata that @bytes describe, with its source, flags and mapping. Bytes of any content are safe: those that
 * are damaged or incomplete are refused.
 *
 * Returns: whether the metadata was attached to @buffer
 *
 * Since: 0.1
 */
gboolean
gst_buffer_deserialize_contours_meta (GstBuffer *buffer, GBytes *bytes, GError **error)
{
  g_return_val_if_fail (GST_IS_BUFFER (buffer), FALSE);
  g_return_val_if_fail (gst_buffer_is_writable (buffer), FALSE);
  g_return_val_if_fail (bytes != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  return deserialize (buffer, data, size, error) != NULL;
}

#if GST_CHECK_VERSION(1, 24, 0)

static gboolean
meta_serialize (const GstMeta *meta, GstByteArrayInterface *data, guint8 *version)
{
  GError *error = NULL;
  GBytes *bytes = serialize ((GstContoursResultMeta *) meta, &error);
  if (!bytes) {
    GST_WARNING ("%s", error->message);
    g_error_free (error);
    return FALSE;
  }
  gsize size;
  gconstpointer content = g_bytes_get_data (bytes, &size);
  *version = VERSION;
  const gboolean appended = gst_byte_array_interface_append_data (data, content, size);
  g_bytes_unref (bytes);
  return appended;
}

static GstMeta *
meta_deserialize (const GstMetaInfo *info, GstBuffer *buffer, const guint8 *data, gsize size, guint8 version)
{
  GError *error = NULL;
  GstContoursResultMeta *meta = deserialize (buffer, data, size, &error);
  if (meta && meta->meta.info == info)
    return &meta->meta;
  GST_WARNING ("%s", error ? error->message : "The bytes are metadata of another kind.");
  g_clear_error (&error);
  if (meta)
    gst_buffer_remove_meta (buffer, &meta->meta);
  return NULL;
}

void
gst_contours_serial_set_functions (GstMetaInfo *info)
{
  info->serialize_func = meta_serialize;
  info->deserialize_func = meta_deserialize;
}

#endif
