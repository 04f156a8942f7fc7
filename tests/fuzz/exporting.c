/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/exporting.h"

#include "gst/export/writer.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static gchar *
read_back (gint fd, gsize *size)
{
  const off_t end = lseek (fd, 0, SEEK_END);
  gchar *text = g_malloc ((gsize) end + 1);
  FUZZ_CHECK (end >= 0 && pread (fd, text, (size_t) end, 0) == end);
  text[end] = '\0';
  *size = (gsize) end;
  return text;
}

static void
check_json_lines (const gchar *text)
{
  for (const gchar *end; *text; text = end + 1) {
    end = strchr (text, '\n');
    FUZZ_CHECK_TEXT (end && fuzz_is_json (text, (gsize) (end - text)), text);
  }
}

/* All rows have as many cells as the head. Cells with commas, quotes or line feeds are quoted. */
static void
check_csv (const gchar *text)
{
  guint cells = 1, expected = 0;
  gboolean quoted = FALSE;
  for (; *text; text++) {
    if (*text == '"')
      quoted = !quoted;
    if (quoted)
      continue;
    cells += *text == ',';
    if (*text == '\n') {
      FUZZ_CHECK_TEXT (expected == 0 || cells == expected, text);
      expected = cells;
      cells = 1;
    }
  }
  FUZZ_CHECK (!quoted && cells == 1);
}

static void
check_xml (const gchar *text, gsize size)
{
  static const GMarkupParser parser = {NULL, NULL, NULL, NULL, NULL};
  GMarkupParseContext *context = g_markup_parse_context_new (&parser, 0, NULL, NULL);
  GError *error = NULL;
  if (!g_markup_parse_context_parse (context, text, (gssize) size, &error)
      || !g_markup_parse_context_end_parse (context, &error))
    fuzz_fail (__FILE__, __LINE__, error->message, text);
  g_markup_parse_context_free (context);
}

static void
check_text (const ExportFormat *format, const gchar *text, gsize size)
{
  FUZZ_CHECK_TEXT (strlen (text) == size && g_utf8_validate (text, (gssize) size, NULL), text);
  if (format == &export_csv || format == &export_csv_codes)
    check_csv (text);
  else if (format == &export_svg)
    check_xml (text, size);
  else if (format->extent == EXPORT_LINES)
    check_json_lines (text);
  else
    FUZZ_CHECK_TEXT (fuzz_is_json (text, size), text);
}

static void
export_as (const ExportFormat *format, GstBuffer *buffer)
{
  static GstElement *element;
  if (!element)
    element = gst_object_ref_sink (gst_pipeline_new ("fuzz"));
  const gint fd = memfd_create ("export", MFD_CLOEXEC);
  const ExportSettings settings = {.format = format, .owner = "fuzz", .location = "-", .fd = fd};
  ExportFrame frame = {.pts = 40,
      .stream_time = GST_CLOCK_TIME_NONE,
      .running_time = 40,
      .utc = GST_CLOCK_TIME_NONE,
      .width = 64,
      .height = 48};
  const guint frames = format->extent == EXPORT_FRAME ? 1 : 2;
  ExportWriter writer;
  gsize size;
  FUZZ_CHECK (fd >= 0);
  export_writer_init (&writer, element);
  FUZZ_CHECK (export_writer_start (&writer, &settings));
  for (guint i = 0; i < frames; i++)
    FUZZ_CHECK (export_writer_write (&writer, buffer, &frame) == GST_FLOW_OK);
  export_writer_finish (&writer);
  export_writer_stop (&writer);
  gchar *text = read_back (fd, &size);
  check_text (format, text, size);
  g_free (text);
  close (fd);
}

void
fuzz_export (GstBuffer *buffer)
{
  static const ExportFormat *const formats[] = {&export_ndjson, &export_csv, &export_svg, &export_geojson, &export_coco,
      &export_labelme, &export_ndjson_codes, &export_csv_codes};
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    export_as (formats[i], buffer);
}
