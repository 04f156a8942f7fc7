/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The spool has lines as they were added. A frame's own line is followed by a tab, which JSON lines do not contain, and
 * the end of the frame in the document. It is written after the frame, so if it is complete, the frame is. */
#include "gst/export/spool.h"

#include "gst/export/text.h"
#include "gst/export/linefile.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ExportSpool {
  gchar *path; /* NULL: unnamed */
  gint fd;
  LineFile *file; /* writes to fd */
  FILE *reader;
  gchar *line;
  gsize room; /* allocated bytes of line */
};

static ExportSpool *
fail (GError **error, const gchar *name, gint number)
{
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ_WRITE, "Could not open %s: %s", name,
      g_strerror (number));
  return NULL;
}

/* Takes ownership of FD. */
static ExportSpool *
make_spool (const gchar *path, gint fd, const gchar *name, GError **error)
{
  ExportSpool *spool = g_new0 (ExportSpool, 1);
  spool->path = g_strdup (path);
  spool->fd = fd;
  gint copy = fcntl (fd, F_DUPFD_CLOEXEC, 0);
  spool->reader = copy >= 0 ? fdopen (copy, "r") : NULL;
  if (!spool->reader)
    fail (error, name, errno);
  else
    spool->file = line_file_new_for_fd (fd, name, error);
  if (spool->file)
    return spool;
  if (!spool->reader && copy >= 0)
    close (copy);
  export_spool_free (spool, FALSE);
  return NULL;
}

static ExportSpool *
open_named (const gchar *path, gint flags, GError **error)
{
  gchar *name = g_strdup_printf ("\"%s\"", path);
  gint fd = open (path, O_RDWR | O_APPEND | O_CLOEXEC | flags, 0666);
  ExportSpool *spool = fd >= 0 ? make_spool (path, fd, name, error) : fail (error, name, errno);
  g_free (name);
  return spool;
}

static ExportSpool *
open_unnamed (GError **error)
{
  GError *reason = NULL;
  gchar *path = NULL, *name;
  gint fd = g_file_open_tmp ("contourexport-XXXXXX", &path, &reason);
  if (fd < 0) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ_WRITE,
        "Could not create a temporary file in \"%s\": %s Set TMPDIR to a writable folder.", g_get_tmp_dir (),
        reason->message);
    g_error_free (reason);
    return NULL;
  }
  g_unlink (path);
  fcntl (fd, F_SETFD, FD_CLOEXEC);
  fcntl (fd, F_SETFL, O_APPEND);
  name = g_strdup_printf ("a temporary file in \"%s\"", g_get_tmp_dir ());
  ExportSpool *spool = make_spool (NULL, fd, name, error);
  g_free (name);
  g_free (path);
  return spool;
}

ExportSpool *
export_spool_new (const gchar *path, GError **error)
{
  return path ? open_named (path, O_CREAT | O_TRUNC, error) : open_unnamed (error);
}

/* The next line of the file without its line feed. NULL: no further complete line, or a read error. A line with zeros,
 * as a power failure leaves them, is not complete. */
static gchar *
read_line (ExportSpool *spool, gsize *length)
{
  gssize n = getline (&spool->line, &spool->room, spool->reader);
  if (n <= 0 || spool->line[n - 1] != '\n')
    return NULL;
  *length = (gsize) n - 1;
  spool->line[*length] = '\0';
  return strlen (spool->line) == *length ? spool->line : NULL;
}

/* Splits a frame's own line into its text and the end of the frame. Returns FALSE for other lines. */
static gboolean
split_line (gchar *line, guint64 *end)
{
  gchar *tab = strchr (line, '\t');
  if (!tab)
    return FALSE;
  *tab = '\0';
  return g_ascii_string_to_unsigned (tab + 1, 10, 0, G_MAXUINT64, end, NULL);
}

ExportSpool *
export_spool_reopen (const gchar *path, guint64 size, guint64 *frames, guint64 *end, GError **error)
{
  guint64 place = 0, used = 0, frame_end;
  gsize length;
  gchar *line;
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return NULL;
  ExportSpool *spool = open_named (path, 0, error);
  if (!spool)
    return NULL;
  *frames = *end = 0;
  export_spool_rewind (spool);
  while ((line = read_line (spool, &length))) {
    place += length + 1;
    if (!split_line (line, &frame_end))
      continue;
    /* After a power failure the document may be shorter on the disk than the spool says. */
    if (frame_end > size)
      break;
    (*frames)++;
    *end = frame_end;
    used = place;
  }
  gint number = ferror (spool->reader) || (used > 0 && ftruncate (spool->fd, (off_t) used) < 0) ? errno : 0;
  if (number)
    fail (error, path, number);
  if (number == 0 && used > 0)
    return spool;
  export_spool_free (spool, FALSE);
  return NULL;
}

gboolean
export_spool_add_frame (ExportSpool *spool, const GString *lines, guint64 end, GError **error)
{
  gsize written;
  GString *text = g_string_new_len (lines->str, (gssize) lines->len);
  export_append_uint (text, "\t", end);
  g_string_append_c (text, '\n');
  gboolean ok = line_file_write (spool->file, text->str, text->len, &written, error);
  g_string_free (text, TRUE);
  return ok;
}

void
export_spool_rewind (ExportSpool *spool)
{
  fflush (spool->reader); /* discards data that was read ahead and may have been truncated since */
  rewind (spool->reader);
}

const gchar *
export_spool_next (ExportSpool *spool, gboolean *of_frame, GError **error)
{
  guint64 end;
  gsize length;
  errno = 0;
  gchar *line = read_line (spool, &length);
  if (line)
    *of_frame = split_line (line, &end);
  else if (ferror (spool->reader))
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, "Could not read back %s: %s",
        spool->path ? spool->path : "a temporary file", g_strerror (errno));
  return line;
}

void
export_spool_free (ExportSpool *spool, gboolean done)
{
  if (done && spool->path)
    g_unlink (spool->path);
  if (spool->file)
    line_file_close (spool->file, NULL);
  if (spool->reader)
    fclose (spool->reader);
  close (spool->fd);
  free (spool->line);
  g_free (spool->path);
  g_free (spool);
}
