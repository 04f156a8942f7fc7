/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/pipeline/flat.h"

#include <stdio.h>
#include <unistd.h>

static const gdouble MIB = 1 << 20;
static const gdouble SLACK_MIB = 4; /* of allocators and drivers */

typedef struct {
  gdouble resident_mib;
  guint descriptors;
  gboolean gpu_known;
  gdouble gpu_mib;
} Use;

static gdouble
resident_mib (void)
{
  FILE *file = fopen ("/proc/self/statm", "r");
  unsigned long pages = 0;

  if (!file || fscanf (file, "%*u %lu", &pages) != 1)
    g_printerr ("/proc/self/statm cannot be read\n");
  if (file)
    fclose (file);
  return pages * sysconf (_SC_PAGESIZE) / MIB;
}

static guint
descriptors (void)
{
  GDir *folder = g_dir_open ("/proc/self/fd", 0, NULL);
  guint count = 0;

  while (folder && g_dir_read_name (folder))
    count++;
  if (folder)
    g_dir_close (folder);
  return count;
}

static Use
take_use (void)
{
  Use use = {.resident_mib = resident_mib (), .descriptors = descriptors ()};
  guint64 bytes = 0;

  use.gpu_known = frames_gpu_memory (&bytes);
  use.gpu_mib = bytes / MIB;
  return use;
}

static void
print_use (const gchar *when, guint64 frames, const Use *use)
{
  printf ("  %-4s %10" G_GUINT64_FORMAT " frames: resident %.1f MiB, %u descriptors, GPU ", when, frames,
      use->resident_mib, use->descriptors);
  if (use->gpu_known)
    printf ("%.1f MiB\n", use->gpu_mib);
  else
    puts ("unknown");
  fflush (stdout);
}

gboolean
flat_run (Streams *streams, const Case *c, guint64 frames, ReadWhat read)
{
  RunPlan plan = {.frames = MAX (frames / 10, 1), .live = 0, .read = read};
  RunResult *result = g_new (RunResult, 1);
  gboolean ok = streams_run (streams, &plan, result), flat = FALSE;
  Use early = take_use (), late;

  printf ("%s\n", c->id);
  print_use ("10 %", result->frames, &early);
  if (ok) {
    const guint64 before = result->frames;

    plan.frames = MAX (frames - plan.frames, 1);
    ok = streams_run (streams, &plan, result);
    late = take_use ();
    print_use ("end", before + result->frames, &late);
    flat = late.resident_mib <= early.resident_mib + SLACK_MIB && late.descriptors <= early.descriptors
           && late.gpu_mib <= early.gpu_mib + SLACK_MIB;
    puts (flat ? "  flat" : "  GROWN");
  }
  g_free (result);
  return ok && flat;
}
