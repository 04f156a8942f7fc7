/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "linefile.h"

#include <errno.h>
#include <fcntl.h>
#include <gst/gst.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

struct LineFile {
  gint fd;
  gboolean owned; /* close it */
  gboolean regular;
  gchar *name;   /* for messages */
  GstPoll *poll; /* only where writing can wait: not for regular files */
  GstPollFD poll_fd;
};

static gboolean
fail_open (GError **error, const gchar *name, gint number)
{
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE, "Could not open %s for writing: %s", name,
      number == ENXIO ? "nobody reads this pipe. Start the reader first." : g_strerror (number));
  return FALSE;
}

static gboolean
fail_write (GError **error, const gchar *name, gint number)
{
  gboolean full = number == ENOSPC || number == EDQUOT || number == EFBIG;
  g_set_error (error, GST_RESOURCE_ERROR, full ? GST_RESOURCE_ERROR_NO_SPACE_LEFT : GST_RESOURCE_ERROR_WRITE,
      "Could not write to %s: %s", name, number == EPIPE ? "its reader has closed it." : g_strerror (number));
  return FALSE;
}

static LineFile *
line_file_new (gint fd, gboolean owned, gboolean regular, gchar *name)
{
  LineFile *file = g_new0 (LineFile, 1);
  file->fd = fd;
  file->owned = owned;
  file->regular = regular;
  file->name = name;
  if (!regular) {
    file->poll = gst_poll_new (TRUE);
    gst_poll_fd_init (&file->poll_fd);
    file->poll_fd.fd = fd;
    gst_poll_add_fd (file->poll, &file->poll_fd);
    gst_poll_fd_ctl_write (file->poll, &file->poll_fd, TRUE);
  }
  return file;
}

LineFile *
line_file_open (const gchar *path, gboolean append, GError **error)
{
  gchar *name = g_strdup_printf ("\"%s\"", path);
  struct stat status;
  /* Without waiting: a named pipe that nobody reads would hold up the state change for ever. */
  gint fd = open (path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | (append ? O_APPEND : O_TRUNC), 0666);
  if (fd >= 0 && fstat (fd, &status) == 0)
    return line_file_new (fd, TRUE, S_ISREG (status.st_mode), name);

  gint number = errno;
  fail_open (error, name, number);
  if (fd >= 0)
    close (fd);
  g_free (name);
  return NULL;
}

LineFile *
line_file_new_for_fd (gint fd, const gchar *name, GError **error)
{
  struct stat status;
  gint flags = fcntl (fd, F_GETFL);
  if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) {
    errno = EBADF;
    flags = -1;
  }
  if (flags < 0 || fstat (fd, &status) < 0) {
    fail_open (error, name, errno);
    return NULL;
  }
  return line_file_new (fd, FALSE, S_ISREG (status.st_mode), g_strdup (name));
}

guint64
line_file_get_size (LineFile *file)
{
  struct stat status;
  return file->regular && fstat (file->fd, &status) == 0 ? (guint64) status.st_size : 0;
}

/* write() that fails with EPIPE or EFBIG and leaves no SIGPIPE or SIGXFSZ behind: those would end the process. They go
 * to the writing thread only. */
static gssize
write_without_signal (gint fd, const gchar *data, gsize size)
{
  sigset_t signals, pending, before;
  sigemptyset (&signals);
  sigaddset (&signals, SIGPIPE);
  sigaddset (&signals, SIGXFSZ);
  sigpending (&pending);
  pthread_sigmask (SIG_BLOCK, &signals, &before);

  gssize written = write (fd, data, size);
  gint number = errno;

  gint raised = written >= 0 ? 0 : number == EPIPE ? SIGPIPE : number == EFBIG ? SIGXFSZ : 0;
  if (raised && !sigismember (&pending, raised)) {
    const struct timespec now = {0, 0};
    sigemptyset (&signals);
    sigaddset (&signals, raised);
    while (sigtimedwait (&signals, NULL, &now) < 0 && errno == EINTR)
      ;
  }
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  errno = number;
  return written;
}

gboolean
line_file_write (LineFile *file, const gchar *data, gsize size, GError **error)
{
  while (size > 0) {
    /* Ready means room for PIPE_BUF bytes: a longer write() could block where nothing can cancel it. */
    if (file->poll && gst_poll_wait (file->poll, GST_CLOCK_TIME_NONE) < 0 && errno == EBUSY)
      return FALSE;
    gssize written = write_without_signal (file->fd, data, file->regular ? size : MIN (size, PIPE_BUF));
    if (written >= 0) {
      data += written;
      size -= written;
    } else if (errno != EINTR && errno != EAGAIN) {
      return fail_write (error, file->name, errno);
    }
  }
  return TRUE;
}

gboolean
line_file_sync (LineFile *file, GError **error)
{
  return !file->regular || fsync (file->fd) == 0 || fail_write (error, file->name, errno);
}

void
line_file_cancel (LineFile *file)
{
  if (file->poll)
    gst_poll_set_flushing (file->poll, TRUE);
}

gboolean
line_file_close (LineFile *file, GError **error)
{
  if (file->poll)
    gst_poll_free (file->poll);
  gboolean ok = !file->owned || close (file->fd) == 0 || fail_write (error, file->name, errno);
  g_free (file->name);
  g_free (file);
  return ok;
}
