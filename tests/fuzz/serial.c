/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metadata from bytes, as another process may send them. The checksum is made right, so that what is behind it is reached. What
 * is accepted is serialised to metadata that is accepted again, and exported in every format. */
#include "tests/fuzz/exporting.h"
#include "tests/fuzz/fuzz.h"

#include "core/results/bytes.h"

#include <gst/contours/gstcontours.h>
#include <string.h>

static void
set_checksum (guint8 *bytes, gsize size)
{
  guint8 *result = memmem (bytes, size, CTR_BYTES_MAGIC, strlen (CTR_BYTES_MAGIC));
  if (!result || bytes + size - result < CTR_BYTES_HEADER)
    return;
  const uint64_t sum =
      ctr_bytes_checksum (result + CTR_BYTES_AT_SECTIONS, (size_t) (bytes + size - result) - CTR_BYTES_AT_SECTIONS);
  for (int i = 0; i < 8; i++)
    result[CTR_BYTES_AT_CHECKSUM + i] = (guint8) (sum >> 8 * i);
}

static GBytes *
serialize (GstMeta *meta)
{
  GError *error = NULL;
  GBytes *bytes = meta->info == GST_CONTOURS_CONTOUR_META_INFO
                      ? gst_contours_contour_meta_serialize ((GstContoursContourMeta *) meta, &error)
                      : gst_contours_component_meta_serialize ((GstContoursComponentMeta *) meta, &error);
  if (!bytes)
    fuzz_fail (__FILE__, __LINE__, "accepted bytes cannot be written", error->message);
  return bytes;
}

static void
check_again (GBytes *bytes)
{
  GstBuffer *buffer = gst_buffer_new ();
  gpointer state = NULL;
  FUZZ_CHECK (gst_buffer_deserialize_contours_meta (buffer, bytes, NULL));
  GBytes *same = serialize (gst_buffer_iterate_meta (buffer, &state));
  FUZZ_CHECK (g_bytes_equal (bytes, same));
  g_bytes_unref (same);
  gst_buffer_unref (buffer);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (!gst_is_initialized ())
    gst_init (NULL, NULL);
  GstBuffer *buffer = gst_buffer_new ();
  guint8 *copy = g_memdup2 (data, size);
  GError *error = NULL;
  gpointer state = NULL;
  if (copy)
    set_checksum (copy, size);
  GBytes *bytes = g_bytes_new_take (copy, size);
  if (gst_buffer_deserialize_contours_meta (buffer, bytes, &error)) {
    GBytes *written = serialize (gst_buffer_iterate_meta (buffer, &state));
    check_again (written);
    g_bytes_unref (written);
    fuzz_export (buffer);
  } else {
    FUZZ_CHECK (error && error->message[0] && !gst_buffer_iterate_meta (buffer, &state));
    g_error_free (error);
  }
  g_bytes_unref (bytes);
  gst_buffer_unref (buffer);
  return 0;
}
