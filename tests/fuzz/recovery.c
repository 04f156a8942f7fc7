/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a killed contourexport may have left: an incomplete document and its list of frames, of any bytes. The next start
 * completes or ignores them, and a line format goes on behind the last complete line. */
#include "tests/fuzz/fuzz.h"

#include "gst/export/writer.h"

#include <glib/gstdio.h>
#include <string.h>

static GstElement *element;

static void
start_and_stop (const ExportFormat *format, const gchar *path, gboolean append)
{
  const ExportSettings settings = {.format = format, .owner = "fuzz", .location = path, .fd = -1, .append = append};
  ExportFrame frame = {.pts = 40, .stream_time = 40, .running_time = 40, .utc = GST_CLOCK_TIME_NONE};
  GstBuffer *buffer = gst_buffer_new ();
  ExportWriter writer;
  export_writer_init (&writer, element);
  FUZZ_CHECK (export_writer_start (&writer, &settings));
  FUZZ_CHECK (export_writer_write (&writer, buffer, &frame) == GST_FLOW_OK);
  export_writer_finish (&writer);
  export_writer_stop (&writer);
  gst_buffer_unref (buffer);
}

static void
check_document (const FuzzInput *document, const FuzzInput *frames)
{
  gchar *path = g_build_filename (fuzz_folder (), "document", NULL), *text;
  gchar *part = fuzz_write_file ("document.part", document->bytes, document->size),
        *spool = fuzz_write_file ("document.frames.part", frames->bytes, frames->size);
  gsize size;
  start_and_stop (&export_coco, path, FALSE);
  FUZZ_CHECK (!g_file_test (part, G_FILE_TEST_EXISTS) && !g_file_test (spool, G_FILE_TEST_EXISTS));
  FUZZ_CHECK (g_file_get_contents (path, &text, &size, NULL) && fuzz_is_json (text, size));
  g_unlink (path);
  g_free (text);
  g_free (path);
  g_free (part);
  g_free (spool);
}

static void
check_lines (const FuzzInput *lines)
{
  gchar *path = fuzz_write_file ("lines", lines->bytes, lines->size), *text, *last;
  gsize size, kept = lines->size;
  while (kept > 0 && lines->bytes[kept - 1] != '\n')
    kept--;
  start_and_stop (&export_ndjson, path, TRUE);
  FUZZ_CHECK (g_file_get_contents (path, &text, &size, NULL));
  FUZZ_CHECK (size > kept && memcmp (text, lines->bytes, kept) == 0);
  last = text + kept;
  FUZZ_CHECK (text[size - 1] == '\n' && strlen (last) == size - kept && fuzz_is_json (last, size - kept));
  g_free (text);
  g_free (path);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  FuzzInput input = {bytes, size};
  if (!gst_is_initialized ()) {
    gst_init (NULL, NULL);
    element = gst_object_ref_sink (gst_pipeline_new ("fuzz"));
    GstBus *bus = gst_element_get_bus (element);
    gst_bus_set_flushing (bus, TRUE); /* Nobody reads the warnings, and the bus would keep them. */
    gst_object_unref (bus);
  }
  const size_t wanted = fuzz_take_byte (&input) * (size_t) 4, document = MIN (wanted, input.size);
  const FuzzInput first = {input.bytes, document}, second = {input.bytes + document, input.size - document};
  check_document (&first, &second);
  check_lines (&second);
  return 0;
}
