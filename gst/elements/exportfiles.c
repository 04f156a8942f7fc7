/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exportfiles.h"

#include "exportname.h"
#include "linefile.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct ExportFiles {
  const ExportFormat *format;
  ExportName name;
  gboolean to_stdout;
  gint fd;
  gboolean append;
  guint64 max_size;
  GstClockTime max_time;

  /* The file changes in the streaming thread, and is cancelled from others. */
  GMutex lock;
  LineFile *file;
  gboolean cancelled;

  gchar *path;      /* of the file once it is complete; NULL: a descriptor */
  gchar *part;      /* what it is called until then; NULL: the same */
  guint64 opened;   /* files so far */
  guint64 size;     /* of the open one */
  gboolean fresh;   /* it was empty, and has no frame yet */
  GstClockTime pts; /* its first */
};

static gboolean
fail (GError **error, const gchar *text)
{
  g_set_error_literal (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, text);
  return FALSE;
}

static gboolean
fail_named (GError **error, gint code, const gchar *what, const gchar *path, gint number)
{
  g_set_error (error, GST_RESOURCE_ERROR, code, "Could not %s \"%s\": %s", what, path, g_strerror (number));
  return FALSE;
}

/* Files that are opened later: is there a folder for them? */
static gboolean
check_folder (ExportFiles *files, GError **error)
{
  gchar *path = export_name_make (&files->name, 0), *folder = g_path_get_dirname (path);
  struct stat status;
  gint number = 0;
  if (stat (folder, &status) < 0)
    number = errno;
  else if (!S_ISDIR (status.st_mode))
    number = ENOTDIR;
  else if (access (folder, W_OK | X_OK) < 0)
    number = errno;
  if (number)
    fail_named (error, GST_RESOURCE_ERROR_OPEN_WRITE, "write files such as", path, number);
  g_free (folder);
  g_free (path);
  return number == 0;
}

static gboolean
check (ExportFiles *files, GError **error)
{
  const ExportFormat *format = files->format;
  gboolean lines = format->extent == EXPORT_LINES, rotates = files->max_size > 0 || files->max_time > 0;
  if (files->append && !lines)
    return fail (error, "append=true is for lines, format=ndjson and format=csv.");
  if (rotates && !lines)
    return fail (error, "max-file-size and max-file-time are for lines, format=ndjson and format=csv.");
  if (rotates && !files->name.numbered)
    return fail (error, "With max-file-size or max-file-time there is more than one file: location needs a field for "
                        "their number, such as part-%05d.ndjson.");
  if (format->extent == EXPORT_DOCUMENT && files->name.numbered)
    return fail (error, "This format is one file for all frames: its location has no field for a number.");
  return files->to_stdout || files->fd >= 0 || format->extent != EXPORT_FRAME || check_folder (files, error);
}

ExportFiles *
export_files_new (const ExportSettings *settings, GError **error)
{
  gboolean to_stdout = g_strcmp0 (settings->location, "-") == 0;
  if (settings->fd >= 0 && !to_stdout) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "Both location=\"%s\" and fd=%d are set: set one of them.", settings->location, settings->fd);
    return NULL;
  }
  ExportFiles *files = g_new0 (ExportFiles, 1);
  g_mutex_init (&files->lock);
  files->format = settings->format;
  files->to_stdout = to_stdout;
  files->fd = settings->fd;
  files->append = settings->append;
  files->max_size = settings->max_size;
  files->max_time = settings->max_time;
  if (export_name_parse (&files->name, settings->location, error) && check (files, error))
    return files;
  export_files_free (files);
  return NULL;
}

/* Takes the file away, so that nobody cancels it any more. */
static LineFile *
take_file (ExportFiles *files)
{
  g_mutex_lock (&files->lock);
  LineFile *file = g_steal_pointer (&files->file);
  g_mutex_unlock (&files->lock);
  return file;
}

static void
forget_names (ExportFiles *files)
{
  g_clear_pointer (&files->path, g_free);
  g_clear_pointer (&files->part, g_free);
}

void
export_files_free (ExportFiles *files)
{
  LineFile *file = take_file (files);
  if (file)
    line_file_close (file, NULL);
  forget_names (files);
  export_name_clear (&files->name);
  g_mutex_clear (&files->lock);
  g_free (files);
}

gboolean
export_files_is_open (ExportFiles *files)
{
  return files->file != NULL;
}

gboolean
export_files_admit (ExportFiles *files, GstClockTime pts)
{
  if (files->max_size > 0 && files->size >= files->max_size && !files->fresh)
    return FALSE;
  files->fresh = FALSE;
  if (files->max_time == 0 || !GST_CLOCK_TIME_IS_VALID (pts))
    return TRUE;
  /* A jump back in the film starts the time anew. */
  if (!GST_CLOCK_TIME_IS_VALID (files->pts) || pts < files->pts)
    files->pts = pts;
  return pts - files->pts < files->max_time;
}

/* Does the file get its name only when it is complete? Not pipes, devices and what links lead to. */
static gboolean
needs_part (ExportFiles *files)
{
  struct stat status;
  return files->format->extent != EXPORT_LINES && (lstat (files->path, &status) < 0 || S_ISREG (status.st_mode));
}

static LineFile *
open_file (ExportFiles *files, GError **error)
{
  if (files->fd >= 0) {
    gchar *name = g_strdup_printf ("file descriptor %d", files->fd);
    LineFile *file = line_file_new_for_fd (files->fd, name, error);
    g_free (name);
    return file;
  }
  if (files->to_stdout)
    return line_file_new_for_fd (1, "the standard output", error);
  return line_file_open (files->part ? files->part : files->path, files->append, error);
}

gboolean
export_files_open (ExportFiles *files, guint64 number, gboolean *empty, GError **error)
{
  gboolean per_frame = files->format->extent == EXPORT_FRAME;
  if (per_frame && !files->name.numbered && files->opened > 0)
    return fail (error, "This format is one file a frame, and a second frame has come: location needs a field for "
                        "their number, such as frame-%05d.svg.");
  forget_names (files);
  if (files->fd < 0 && !files->to_stdout) {
    files->path = export_name_make (&files->name, per_frame ? number : files->opened);
    files->part = needs_part (files) ? g_strconcat (files->path, ".part", NULL) : NULL;
  }
  LineFile *file = open_file (files, error);
  if (!file)
    return FALSE;
  files->size = files->append ? line_file_get_size (file) : 0;
  files->pts = GST_CLOCK_TIME_NONE;
  files->opened++;
  *empty = files->fresh = files->size == 0;
  g_mutex_lock (&files->lock);
  files->file = file;
  if (files->cancelled)
    line_file_cancel (file);
  g_mutex_unlock (&files->lock);
  return TRUE;
}

gboolean
export_files_write (ExportFiles *files, const gchar *data, gsize size, GError **error)
{
  files->size += size;
  return line_file_write (files->file, data, size, error);
}

gboolean
export_files_sync (ExportFiles *files, GError **error)
{
  return line_file_sync (files->file, error);
}

gboolean
export_files_close (ExportFiles *files, GError **error)
{
  if (!line_file_close (take_file (files), error))
    return FALSE;
  if (files->part && g_rename (files->part, files->path) < 0)
    return fail_named (error, GST_RESOURCE_ERROR_WRITE, "give the complete file its name", files->path, errno);
  return TRUE;
}

const gchar *
export_files_get_path (ExportFiles *files)
{
  return files->path;
}

void
export_files_cancel (ExportFiles *files)
{
  g_mutex_lock (&files->lock);
  files->cancelled = TRUE;
  if (files->file)
    line_file_cancel (files->file);
  g_mutex_unlock (&files->lock);
}
