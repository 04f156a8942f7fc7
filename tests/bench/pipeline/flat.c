/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/pipeline/flat.h"

#include <stdio.h>
#include <unistd.h>

const gchar flat_cases[] = "^(canny-chain|canny|borders-list|borders-tree|cca-otsu|cracks|snake)"
                           "/(1080p/NV12/cuda|480p/NV12/system-cpu)/x1$";

static const gdouble MIB = 1 << 20;
/* The first values come after one frame in FIRST_PART, and not before WARM_FRAMES. */
enum { FIRST_PART = 20, WARM_FRAMES = 4 * RING_FRAMES };

enum { RESIDENT, DESCRIPTORS, THREADS, GPU_MEMORY, VALUES };

/* What each may grow by: of memory, what allocators and drivers keep. */
static const struct {
  const gchar *name;
  gdouble slack;
} kinds[VALUES] = {{"resident MiB", 4}, {"descriptors", 0}, {"threads", 0}, {"GPU MiB", 4}};

typedef struct {
  gboolean known[VALUES];
  gdouble values[VALUES];
} Use;

static gboolean
count_folder (const gchar *name, gdouble *count)
{
  GDir *folder = g_dir_open (name, 0, NULL);

  *count = 0;
  while (folder && g_dir_read_name (folder))
    *count += 1;
  if (folder)
    g_dir_close (folder);
  return folder != NULL;
}

static gboolean
resident_mib (gdouble *mib)
{
  FILE *file = fopen ("/proc/self/statm", "r");
  unsigned long pages = 0;
  gboolean ok = file && fscanf (file, "%*u %lu", &pages) == 1;

  if (file)
    fclose (file);
  *mib = pages * sysconf (_SC_PAGESIZE) / MIB;
  return ok;
}

static Use
take_use (void)
{
  Use use;
  guint64 bytes = 0;

  use.known[RESIDENT] = resident_mib (&use.values[RESIDENT]);
  use.known[DESCRIPTORS] = count_folder ("/proc/self/fd", &use.values[DESCRIPTORS]);
  use.known[THREADS] = count_folder ("/proc/self/task", &use.values[THREADS]);
  use.known[GPU_MEMORY] = frames_gpu_memory (&bytes);
  use.values[GPU_MEMORY] = bytes / MIB;
  return use;
}

void
flat_header (void)
{
  printf ("%-44s %8s %9s", "case: after the first 5 %, at the end, growth", "frames", "frames/s");
  for (guint i = 0; i < VALUES; i++)
    printf (" | %-26s", kinds[i].name);
  putchar ('\n');
}

static gboolean
print_growth (const Use *early, const Use *late)
{
  gboolean flat = TRUE;

  for (guint i = 0; i < VALUES; i++) {
    const gdouble growth = late->values[i] - early->values[i];

    if (!early->known[i] || !late->known[i]) {
      printf (" | %-26s", "unknown");
      continue;
    }
    printf (" | %8.*f %8.*f %+8.*f", kinds[i].slack > 0, early->values[i], kinds[i].slack > 0, late->values[i],
        kinds[i].slack > 0, growth);
    flat &= growth <= kinds[i].slack;
  }
  puts (flat ? "  flat" : "  GROWN");
  fflush (stdout);
  return flat;
}

gboolean
flat_run (Streams *streams, const Case *c, guint64 frames, ReadWhat read)
{
  const guint64 all = MAX (frames / c->flat_share, 2 * WARM_FRAMES), first = MAX (all / FIRST_PART, WARM_FRAMES);
  RunPlan plan = {.frames = first, .read = read, .queued = MAX_QUEUED};
  RunResult *result = g_new (RunResult, 1);
  gboolean ok = streams_run (streams, &plan, result);
  Use early = take_use (), late;

  plan.frames = all - first;
  ok = ok && streams_run (streams, &plan, result);
  late = take_use ();
  printf ("%-44s %8" G_GUINT64_FORMAT " %9.0f", c->id, all * c->streams, result->frames / result->seconds);
  if (ok)
    ok = print_growth (&early, &late);
  else
    puts ("  FAILED");
  g_free (result);
  return ok;
}
