/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/export/linefile.h"

#include <errno.h>
#include <fcntl.h>
#include <gst/gst.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define TAIL_BLOCK 65536 /* bytes that are read at once from the end of a file */
#define MAX_ATTEMPTS 10  /* some file systems report another inode number each time */

struct LineFile {
  gint fd;
  gboolean owned; /* close it */
  gboolean regular;
  gchar *name;   /* for messages */
  GstPoll *poll; /* NULL for regular files, which never block */
  GstPollFD poll_fd;
};

static gboolean
fail_open (GError **error, const gchar *name, gint number)
{
  const gchar *reason = number == ENXIO   ? "the pipe has no reader. Start the reader first."
                        : number == EBUSY ? "another program writes to it. Set a different location for each."
                                          : g_strerror (number);
  g_set_error (error, GST_RESOURCE_ERROR, number == EBUSY ? GST_RESOURCE_ERROR_BUSY : GST_RESOURCE_ERROR_OPEN_WRITE,
      "Could not open %s for writing: %s", name, reason);
  return FALSE;
}

static gboolean
fail_write (GError **error, const gchar *name, gint number)
{
  gboolean full = number == ENOSPC || number == EDQUOT || number == EFBIG;
  g_set_error (error, GST_RESOURCE_ERROR, full ? GST_RESOURCE_ERROR_NO_SPACE_LEFT : GST_RESOURCE_ERROR_WRITE,
      "Could not write to %s: %s", name, number == EPIPE ? "the reader has closed it." : g_strerror (number));
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

/* Locks a regular file against other writers. The lock belongs to the open file description: it also excludes other
 * writers of this process and ends with the process. Returns 0 or an errno; 0 on file systems without locks. */
static gint
lock_file (gint fd)
{
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl (fd, F_OFD_SETLK, &whole) == 0 || (errno != EAGAIN && errno != EACCES))
    return 0;
  return EBUSY;
}

/* Whether PATH still refers to the open file: the previous owner of the lock may have renamed it. */
static gboolean
is_at (const gchar *path, const struct stat *status)
{
  struct stat there;
  return stat (path, &there) == 0 && there.st_dev == status->st_dev && there.st_ino == status->st_ino;
}

LineFile *
line_file_open (const gchar *path, LineFileMode mode, GError **error)
{
  gchar *name = g_strdup_printf ("\"%s\"", path);
  const gint flags = mode == LINE_FILE_APPENDED ? O_CREAT | O_APPEND : mode == LINE_FILE_EMPTIED ? O_CREAT : 0;
  struct stat status;
  gint fd, number;
  for (guint attempt = 1;; attempt++) {
    /* O_NONBLOCK: opening a named pipe without a reader would block the state change for ever. */
    fd = open (path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | flags, 0666);
    number = fd < 0 || fstat (fd, &status) < 0 ? errno : 0;
    if (number || !S_ISREG (status.st_mode))
      break;
    number = lock_file (fd);
    if (number || is_at (path, &status) || attempt == MAX_ATTEMPTS)
      break;
    close (fd);
  }
  if (number == 0 && S_ISREG (status.st_mode) && mode == LINE_FILE_EMPTIED && ftruncate (fd, 0) < 0)
    number = errno;
  if (number == 0)
    return line_file_new (fd, TRUE, S_ISREG (status.st_mode), name);

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
  /* Anonymous inodes of the kernel, such as timers, have no file type. */
  if ((status.st_mode & S_IFMT) == 0) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE,
        "Could not write to %s: it is not a file, pipe, socket or device.", name);
    return NULL;
  }
  return line_file_new (fd, FALSE, S_ISREG (status.st_mode), g_strdup (name));
}

/* Whether descriptor 1 is the standard output. A process started without one gives the descriptor to whatever it opens
 * first. An inherited descriptor has no FD_CLOEXEC and is not a socket pair of this process, as GstPoll creates. */
static gboolean
is_stdout (void)
{
  gint flags = fcntl (STDOUT_FILENO, F_GETFD), access = fcntl (STDOUT_FILENO, F_GETFL);
  if (flags < 0 || flags & FD_CLOEXEC || (access & O_ACCMODE) == O_RDONLY)
    return FALSE;
  struct sockaddr address;
  socklen_t size = sizeof address;
  if (getsockname (STDOUT_FILENO, &address, &size) < 0 || address.sa_family != AF_UNIX)
    return TRUE;
  struct ucred peer = {0};
  size = sizeof peer;
  return getsockopt (STDOUT_FILENO, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.pid != getpid ();
}

LineFile *
line_file_new_for_stdout (GError **error)
{
  if (is_stdout ())
    return line_file_new_for_fd (STDOUT_FILENO, "the standard output", error);
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE,
      "The standard output is closed or read-only. Start the process with one, set location to a file, or set fd=%d to "
      "use that descriptor anyway.",
      STDOUT_FILENO);
  return NULL;
}

guint64
line_file_get_size (LineFile *file)
{
  struct stat status;
  return file->regular && fstat (file->fd, &status) == 0 ? (guint64) status.st_size : 0;
}

gboolean
line_file_cut (LineFile *file, guint64 size, GError **error)
{
  return (ftruncate (file->fd, (off_t) size) == 0 && lseek (file->fd, (off_t) size, SEEK_SET) >= 0)
         || fail_write (error, file->name, errno);
}

/* The position after the last line feed in the first SIZE bytes; 0: none; -1: error in errno. */
static off_t
find_last_line_end (gint fd, off_t size)
{
  gchar *block = g_malloc (TAIL_BLOCK);
  off_t end = 0;
  while (size > 0 && end == 0) {
    gsize n = (gsize) MIN (size, TAIL_BLOCK);
    gssize got = pread (fd, block, n, size - (off_t) n);
    if (got != (gssize) n) {
      errno = got < 0 ? errno : EIO;
      end = -1;
      break;
    }
    const gchar *feed = memrchr (block, '\n', n);
    size -= (off_t) n;
    if (feed)
      end = size + (feed - block) + 1;
  }
  g_free (block);
  return end;
}

gboolean
line_file_cut_last_line (LineFile *file, const gchar *path, guint64 *bytes, GError **error)
{
  off_t size = (off_t) line_file_get_size (file), end = 0;
  *bytes = 0;
  if (size == 0)
    return TRUE;
  gint reader = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (reader >= 0) {
    end = find_last_line_end (reader, size);
    close (reader);
  }
  if (reader < 0 || end < 0) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
        "Could not read the last line of %s before appending: %s", file->name, g_strerror (errno));
    return FALSE;
  }
  *bytes = (guint64) (size - end);
  return end == size || line_file_cut (file, (guint64) end, error);
}

/* Like write(), but EPIPE and EFBIG leave no pending SIGPIPE or SIGXFSZ, which would end the process. The kernel sends
 * both to the writing thread. */
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
line_file_is_ready (LineFile *file)
{
  struct pollfd now = {.fd = file->fd, .events = POLLOUT};
  return file->regular || poll (&now, 1, 0) > 0;
}

/* Waits until there is room, unless flushing. Returns FALSE if flushing and there is no room. */
static gboolean
wait_for_room (LineFile *file, gboolean *flushing)
{
  *flushing = file->poll && gst_poll_wait (file->poll, GST_CLOCK_TIME_NONE) < 0 && errno == EBUSY;
  return !*flushing || line_file_is_ready (file);
}

gboolean
line_file_write (LineFile *file, const gchar *data, gsize size, gsize *written, GError **error)
{
  gboolean flushing;
  *written = 0;
  while (*written < size) {
    if (!wait_for_room (file, &flushing))
      return FALSE;
    /* Ready means room for PIPE_BUF bytes: a longer write() could block without a way to wake it. */
    gsize left = size - *written;
    gssize n = write_without_signal (file->fd, data + *written, file->regular ? left : MIN (left, PIPE_BUF));
    if (n >= 0)
      *written += (gsize) n;
    else if (errno == EAGAIN && flushing)
      return FALSE;
    else if (errno != EINTR && errno != EAGAIN)
      return fail_write (error, file->name, errno);
  }
  return TRUE;
}

gboolean
line_file_sync (LineFile *file, GError **error)
{
  return !file->regular || fsync (file->fd) == 0 || fail_write (error, file->name, errno);
}

void
line_file_set_flushing (LineFile *file, gboolean flushing)
{
  if (file->poll)
    gst_poll_set_flushing (file->poll, flushing);
}

gboolean
line_file_check (LineFile *file, GError **error)
{
  gint copy = fcntl (file->fd, F_DUPFD_CLOEXEC, 0);
  return copy < 0 || close (copy) == 0 || fail_write (error, file->name, errno);
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
