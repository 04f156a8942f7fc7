/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What must not grow while something is repeated: memory, open descriptors, threads. */
#ifndef FLATNESS_H
#define FLATNESS_H

#include <gst/check/gstcheck.h>
#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

/* In memory, the C library keeps what it may use again. What is in use are blocks that are not freed: after the first 50 repetitions
 * one block of 300 bytes for each further one, of 350, is too much. Caches of threads count as in use; meson.build turns them off. */
#define MOST_GROWTH (1536 * 1024)
#define MOST_GROWTH_IN_USE (96 * 1024)

typedef struct {
  gsize resident, in_use; /* bytes: of the process, without those of files; allocated and not freed */
  guint descriptors, threads;
} Usage;

static inline guint
count_entries (const gchar *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  fail_unless (dir != NULL, "%s", folder);
  while (g_dir_read_name (dir))
    n++;
  g_dir_close (dir);
  return n;
}

static inline Usage
usage_now (void)
{
  struct mallinfo2 heap;
  Usage usage = {0};
  FILE *file = fopen ("/proc/self/statm", "r");
  gsize pages = 0, of_files = 0; /* which the system takes away and brings back as it likes */

  g_thread_pool_stop_unused_threads ();
  malloc_trim (0);
  heap = mallinfo2 ();
  usage.in_use = heap.uordblks + heap.hblkhd;
  fail_unless (file && fscanf (file, "%*s %zu %zu", &pages, &of_files) == 2);
  fclose (file);
  usage.resident = (pages - of_files) * sysconf (_SC_PAGESIZE);
  usage.descriptors = count_entries ("/proc/self/fd");
  usage.threads = count_entries ("/proc/self/task");
  return usage;
}

/* Threads of GLib's pools end some time after their work. A sanitizer keeps freed memory. */
static inline void
assert_flat (const Usage *before, const gchar *what)
{
  Usage now = usage_now ();

  for (guint i = 0; i < 300 && now.threads > before->threads; i++) {
    g_usleep (10000);
    now = usage_now ();
  }
  fail_unless (now.threads <= before->threads, "%s: %u threads, before %u", what, now.threads, before->threads);
  fail_unless (now.descriptors <= before->descriptors, "%s: %u descriptors, before %u", what, now.descriptors,
      before->descriptors);
#ifndef __SANITIZE_ADDRESS__
  fail_unless (now.resident <= before->resident + MOST_GROWTH, "%s: %zu KiB of memory, before %zu KiB", what,
      now.resident / 1024, before->resident / 1024);
  fail_unless (now.in_use <= before->in_use + MOST_GROWTH_IN_USE, "%s: %zu bytes are in use, before %zu", what,
      now.in_use, before->in_use);
#endif
}

#endif
