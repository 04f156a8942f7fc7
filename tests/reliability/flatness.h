/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What must not grow while something is repeated: memory, open descriptors, threads. */
#ifndef FLATNESS_H
#define FLATNESS_H

#include <gst/check/gstcheck.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#define WARM 50  /* repetitions, after which nothing grows */
#define ROUNDS 3 /* in each of which memory grows if it leaks: what the C library keeps for later use may grow once */

/* In memory, the C library keeps what it may use again. What is in use are blocks that are not freed: one block of 300 bytes for
 * each of 350 repetitions is too much. Caches of threads count as in use; meson.build turns them off. */
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

/* A sanitizer keeps freed memory. */
static inline gboolean
is_flat (const Usage *before, const Usage *now)
{
  gboolean flat = now->threads <= before->threads && now->descriptors <= before->descriptors;

#ifndef __SANITIZE_ADDRESS__
  flat = flat && now->resident <= before->resident + MOST_GROWTH && now->in_use <= before->in_use + MOST_GROWTH_IN_USE;
#endif
  return flat;
}

/* Threads of GLib's pools end, and let go of their memory, some time after their work. What leaks stays. */
static inline Usage
usage_settled (const Usage *before)
{
  Usage now = usage_now ();

  for (guint i = 0; i < 300 && !is_flat (before, &now); i++) {
    g_usleep (10000);
    now = usage_now ();
  }
  return now;
}

/* Calls REPEAT with DATA and the number of the repetition, N times, or WARM times and some rounds of N - WARM if memory has grown. */
static inline void
assert_flat (void (*repeat) (gpointer data, guint number), gpointer data, guint n, const gchar *what)
{
  guint number = 0, round = 0;
  Usage before, now;

  /* A page of 2 MiB in place of some of 4 KiB counts as growth. Where a system cannot switch that off, another round shows it. */
  prctl (PR_SET_THP_DISABLE, 1, 0, 0, 0);
  while (number < WARM)
    repeat (data, number++);
  now = usage_now ();
  do {
    before = now;
    for (guint i = WARM; i < n; i++)
      repeat (data, number++);
    now = usage_settled (&before);
    fail_unless (now.threads <= before.threads, "%s: %u threads, before %u", what, now.threads, before.threads);
    fail_unless (now.descriptors <= before.descriptors, "%s: %u descriptors, before %u", what, now.descriptors,
        before.descriptors);
  } while (++round < ROUNDS && !is_flat (&before, &now));
  fail_unless (is_flat (&before, &now),
      "%s: %zu KiB of memory, before the last of %d rounds %zu KiB; of it %zu bytes are in use, before %zu", what,
      now.resident / 1024, ROUNDS, before.resident / 1024, now.in_use, before.in_use);
}

#endif
