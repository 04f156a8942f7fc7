/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/export/files.h"

#include "gst/export/claim.h"
#include "gst/export/name.h"
#include "gst/export/linefile.h"

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
  ExportClaim *claim; /* NULL for descriptors, pipes and devices, which may have several writers */

  /* The lock guards these: the streaming thread replaces the file, other threads wake it. */
  GMutex lock;
  LineFile *file;
  gboolean flushing;
  gboolean cancelled;

  ExportSpool *spool; /* of the open document; otherwise NULL */

  gchar *path;      /* final path; NULL for a descriptor */
  gchar *part;      /* temporary path until the file is complete; NULL: none */
  guint64 opened;   /* number of files so far */
  guint64 size;     /* of the open file, including what it had before */
  gboolean fresh;   /* the open file was empty and has no frame yet */
  GstClockTime pts; /* of its first frame */
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

/* Checks the folder of files that are opened later. */
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
    return fail (error, "append=true requires a line format. Set format=ndjson or format=csv.");
  if (rotates && !lines)
    return fail (error, "max-file-size and max-file-time require a line format. Set format=ndjson or format=csv.");
  if (rotates && !files->name.numbered)
    return fail (error, "max-file-size and max-file-time write several files: location needs a placeholder for the "
                        "file number, such as part-%05d.ndjson.");
  if (format->extent == EXPORT_DOCUMENT && files->name.numbered)
    return fail (
        error, "This format writes one file for all frames. Remove the placeholder for a number from location.");
  return files->to_stdout || files->fd >= 0 || format->extent != EXPORT_FRAME || check_folder (files, error);
}

/* Pipes and devices, such as terminals, may have several writers. */
static gboolean
is_shared (const gchar *path)
{
  struct stat status;
  return stat (path, &status) == 0 && !S_ISREG (status.st_mode) && !S_ISDIR (status.st_mode);
}

static gboolean
claim_location (ExportFiles *files, const ExportSettings *settings, GError **error)
{
  if (files->to_stdout || files->fd >= 0)
    return TRUE;
  gchar *path = export_name_make (&files->name, 0);
  gboolean shared = is_shared (path);
  g_free (path);
  if (!shared)
    files->claim = export_claim_new (settings->location, settings->owner, error);
  return shared || files->claim;
}

ExportFiles *
export_files_new (const ExportSettings *settings, GError **error)
{
  gboolean to_stdout = g_strcmp0 (settings->location, "-") == 0;
  if (settings->fd >= 0 && !to_stdout) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "Both location=\"%s\" and fd=%d are set. Set only one of them.", settings->location, settings->fd);
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
  if (export_name_parse (&files->name, settings->location, error) && check (files, error)
      && claim_location (files, settings, error))
    return files;
  export_files_free (files);
  return NULL;
}

/* Detaches the file, so that no other thread wakes it. */
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
  if (files->spool)
    export_spool_free (files->spool, FALSE);
  export_claim_free (files->claim);
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
  /* A jump back restarts the time. */
  if (!GST_CLOCK_TIME_IS_VALID (files->pts) || pts < files->pts)
    files->pts = pts;
  return pts - files->pts < files->max_time;
}

/* Whether the file has a temporary name until it is complete. Pipes, devices and symbolic links do not. */
static gboolean
needs_part (ExportFiles *files)
{
  struct stat status;
  return files->format->extent != EXPORT_LINES && (lstat (files->path, &status) < 0 || S_ISREG (status.st_mode));
}

/* Like line_file_open(), but its error names the other writer if that is in this process. */
static LineFile *
open_path (const gchar *path, LineFileMode mode, GError **error)
{
  GError *reason = NULL;
  LineFile *file = line_file_open (path, mode, &reason);
  if (file)
    return file;
  gchar *owner =
      g_error_matches (reason, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_BUSY) ? export_claim_find_owner (path) : NULL;
  if (owner)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_BUSY,
        "Could not open \"%s\" for writing: the element %s already writes to it. Set a different location for each "
        "element.",
        path, owner);
  else
    g_propagate_error (error, g_steal_pointer (&reason));
  g_clear_error (&reason);
  g_free (owner);
  return NULL;
}

static LineFile *
open_file (ExportFiles *files, guint64 *cut, GError **error)
{
  if (files->fd >= 0) {
    gchar *name = g_strdup_printf ("file descriptor %d", files->fd);
    LineFile *file = line_file_new_for_fd (files->fd, name, error);
    g_free (name);
    return file;
  }
  if (files->to_stdout)
    return line_file_new_for_stdout (error);
  const gchar *path = files->part ? files->part : files->path;
  LineFile *file = open_path (path, files->append ? LINE_FILE_APPENDED : LINE_FILE_EMPTIED, error);
  /* An incomplete line is removed, not completed: a CSV row without some columns or digits would still read as a row.
   */
  if (file && files->append && !line_file_cut_last_line (file, path, cut, error)) {
    line_file_close (file, NULL);
    return NULL;
  }
  return file;
}

/* Publishes the file to the threads that wake it. */
static void
set_file (ExportFiles *files, LineFile *file)
{
  g_mutex_lock (&files->lock);
  files->file = file;
  line_file_set_flushing (file, files->flushing || files->cancelled);
  g_mutex_unlock (&files->lock);
  if (files->path)
    export_claim_set_file (files->claim, files->part ? files->part : files->path);
}

static void
make_names (ExportFiles *files, guint64 number)
{
  forget_names (files);
  if (files->fd >= 0 || files->to_stdout)
    return;
  files->path = export_name_make (&files->name, number);
  files->part = needs_part (files) ? g_strconcat (files->path, ".part", NULL) : NULL;
}

/* The path of the spool; NULL: an unnamed temporary file. */
static gchar *
make_spool_path (ExportFiles *files)
{
  return files->part ? g_strconcat (files->path, ".frames.part", NULL) : NULL;
}

gboolean
export_files_open (ExportFiles *files, guint64 number, gboolean *empty, guint64 *cut, GError **error)
{
  gboolean per_frame = files->format->extent == EXPORT_FRAME;
  *cut = 0;
  if (per_frame && !files->name.numbered && files->opened > 0)
    return fail (error, "This format writes one file for each frame, and a second frame has arrived: location needs a "
                        "placeholder for the frame number, such as frame-%05d.svg.");
  make_names (files, per_frame ? number : files->opened);
  LineFile *file = open_file (files, cut, error);
  if (!file)
    return FALSE;
  if (files->format->extent == EXPORT_DOCUMENT) {
    gchar *path = make_spool_path (files);
    files->spool = export_spool_new (path, error);
    g_free (path);
    if (!files->spool) {
      line_file_close (file, NULL);
      return FALSE;
    }
  }
  files->size = files->append ? line_file_get_size (file) : 0;
  files->pts = GST_CLOCK_TIME_NONE;
  files->opened++;
  *empty = files->fresh = files->size == 0;
  set_file (files, file);
  return TRUE;
}

gboolean
export_files_reopen (ExportFiles *files, guint64 *frames, GError **error)
{
  GError *reason = NULL;
  make_names (files, 0);
  if (!files->part || !g_file_test (files->part, G_FILE_TEST_IS_REGULAR))
    return FALSE;
  LineFile *file = open_path (files->part, LINE_FILE_KEPT, error);
  if (!file)
    return FALSE;
  gchar *path = make_spool_path (files);
  files->spool = export_spool_reopen (path, line_file_get_size (file), frames, &files->size, &reason);
  g_free (path);
  if (files->spool && line_file_cut (file, files->size, &reason)) {
    set_file (files, file);
    return TRUE;
  }
  if (reason)
    g_propagate_error (error, reason);
  if (files->spool)
    export_spool_free (g_steal_pointer (&files->spool), FALSE);
  line_file_close (file, NULL);
  return FALSE;
}

gboolean
export_files_is_ready (ExportFiles *files)
{
  return line_file_is_ready (files->file);
}

gboolean
export_files_write (ExportFiles *files, const gchar *data, gsize size, gsize *written, GError **error)
{
  gboolean ok = line_file_write (files->file, data, size, written, error);
  files->size += *written;
  return ok;
}

gboolean
export_files_add_frame (ExportFiles *files, const GString *lines, GError **error)
{
  return export_spool_add_frame (files->spool, lines, files->size, error);
}

ExportSpool *
export_files_get_spool (ExportFiles *files)
{
  return files->spool;
}

gboolean
export_files_sync (ExportFiles *files, GError **error)
{
  return line_file_sync (files->file, error);
}

gboolean
export_files_close (ExportFiles *files, GError **error)
{
  LineFile *file = take_file (files);
  gboolean ok = line_file_check (file, error);
  /* The file is renamed before it is closed: without its lock, another process could truncate it. */
  if (ok && files->part && g_rename (files->part, files->path) < 0)
    ok = fail_named (error, GST_RESOURCE_ERROR_WRITE, "rename the complete file to", files->path, errno);
  if (files->spool)
    export_spool_free (g_steal_pointer (&files->spool), ok);
  return line_file_close (file, ok ? error : NULL) && ok;
}

void
export_files_discard (ExportFiles *files)
{
  if (files->part)
    g_unlink (files->part);
  if (files->spool)
    export_spool_free (g_steal_pointer (&files->spool), TRUE);
  line_file_close (take_file (files), NULL);
}

const gchar *
export_files_get_path (ExportFiles *files)
{
  return files->path;
}

static void
update_flushing (ExportFiles *files)
{
  if (files->file)
    line_file_set_flushing (files->file, files->flushing || files->cancelled);
}

void
export_files_set_flushing (ExportFiles *files, gboolean flushing)
{
  g_mutex_lock (&files->lock);
  files->flushing = flushing;
  update_flushing (files);
  g_mutex_unlock (&files->lock);
}

void
export_files_cancel (ExportFiles *files)
{
  g_mutex_lock (&files->lock);
  files->cancelled = TRUE;
  update_flushing (files);
  g_mutex_unlock (&files->lock);
}
