/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Delta debugging: halves, quarters and so on of the steps and of the elements are left out as long as the storm fails
 * in the same way. Threads race in a storm, so a failure may need several tries. */
#include "storm.h"

#include <string.h>

#define TRIES 3

typedef struct {
  guint32 seed;
  gchar *name; /* of the failure */
  gint64 end;  /* of the time */
  guint tries;
} Shrinking;

/* Whether the storm still fails. After the time it counts as passed. */
static gboolean
still_fails (const Shrinking *shrinking, const StormSelection *selection)
{
  for (guint i = 0; i < shrinking->tries && g_get_monotonic_time () < shrinking->end; i++) {
    StormVerdict verdict = storm_in_process (shrinking->seed, 1, 1, selection, TRUE);
    gchar *name = storm_verdict_name (&verdict);
    const gboolean same = storm_verdict_is_failure (&verdict) && g_str_equal (name, shrinking->name);

    g_free (name);
    g_free (verdict.errors);
    if (same)
      return TRUE;
  }
  return FALSE;
}

static guint
count (const gboolean *kept, guint n)
{
  guint all = 0;

  for (guint i = 0; i < n; i++)
    all += kept[i];
  return all;
}

/* KEPT, of N, is a part of SELECTION. */
static void
shrink_part (const Shrinking *shrinking, StormSelection *selection, gboolean *kept, guint n)
{
  for (guint size = (count (kept, n) + 1) / 2; size > 0; size = size > 1 ? (size + 1) / 2 : 0) {
    for (guint from = 0; from < count (kept, n);) {
      const StormSelection before = *selection;

      for (guint i = 0, nth = 0; i < n; i++)
        if (kept[i] && nth++ >= from && nth <= from + size)
          kept[i] = FALSE;
      if (!still_fails (shrinking, selection)) {
        *selection = before;
        from += size;
      }
    }
  }
}

static void
print_list (const gchar *option, const gboolean *kept, guint n)
{
  gboolean any = FALSE;

  g_print (" --%s ", option);
  for (guint i = 0; i < n; i++)
    if (kept[i]) {
      g_print ("%s%u", any ? "," : "", i);
      any = TRUE;
    }
  if (!any)
    g_print ("''");
}

void
storm_shrink (guint32 seed, const StormVerdict *verdict, guint seconds)
{
  Shrinking shrinking = {
      .seed = seed,
      .name = storm_verdict_name (verdict),
      .end = g_get_monotonic_time () + seconds * G_TIME_SPAN_SECOND,
      .tries = TRIES,
  };
  StormSelection selection;
  Storm storm;

  storm_plan (&storm, seed);
  selection = storm.kept;
  for (guint i = storm.n_steps; i < STORM_MAX_STEPS; i++)
    selection.steps[i] = FALSE;
  for (guint i = storm.n_elements; i < STORM_MAX_ELEMENTS; i++)
    selection.elements[i] = FALSE;
  shrink_part (&shrinking, &selection, selection.elements, STORM_MAX_ELEMENTS);
  shrink_part (&shrinking, &selection, selection.steps, STORM_MAX_STEPS);
  shrink_part (&shrinking, &selection, selection.elements, STORM_MAX_ELEMENTS);
  g_print ("To run it again: storm --seed %u", seed);
  print_list ("steps", selection.steps, STORM_MAX_STEPS);
  print_list ("elements", selection.elements, STORM_MAX_ELEMENTS);
  g_print ("\n");
  g_free (shrinking.name);
}
