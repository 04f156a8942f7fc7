/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs storms until the time is over; README.md says what passes. Prints the first seed; where one fails, a line that
 * reproduces it. */
#include "storm.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BATCH 40          /* storms in one process */
#define BATCH_SECONDS 10  /* after which it begins no other */
#define LONGEST_BATCH 180 /* seconds, after which it is killed */

static gchar *self_path;

static int
remove_entry (const char *path, const struct stat *status, int type, struct FTW *ftw)
{
  return remove (path);
}

static gchar *
list_of (const gboolean *kept, guint n)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    if (kept[i])
      g_string_append_printf (text, "%s%u", text->len > 0 ? "," : "", i);
  return g_string_free (text, FALSE);
}

static void
read_list (const gchar *text, gboolean *kept, guint n)
{
  gchar **numbers = g_strsplit (text, ",", -1);

  memset (kept, 0, n * sizeof *kept);
  for (gchar **number = numbers; *number; number++)
    if (**number && (guint) atoi (*number) < n)
      kept[atoi (*number)] = TRUE;
  g_strfreev (numbers);
}

/* In the process of its own, whose folder FOLDER is. */
static gint
run_batch (const gchar *folder, guint32 seed, guint count, guint seconds, const gchar *steps, const gchar *elements)
{
  const gint64 end = g_get_monotonic_time () + seconds * G_TIME_SPAN_SECOND;
  gchar *status = g_build_filename (folder, "status", NULL), *work = g_build_filename (folder, "work", NULL);
  gint result = STORM_PASSED, file = open (status, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

  if (file < 0 || g_mkdir (work, 0700) != 0 || chdir (work) != 0)
    g_error ("The folder %s cannot be used.", folder);
  storm_prepare_files ();
  for (guint i = 0; i < count && result == STORM_PASSED && (i == 0 || g_get_monotonic_time () < end); i++) {
    Storm storm;

    if (pwrite (file, &(guint32){seed + i}, sizeof (guint32), 0) != sizeof (guint32))
      g_error ("The file %s cannot be written.", status);
    storm_plan (&storm, seed + i);
    if (steps)
      read_list (steps, storm.kept.steps, STORM_MAX_STEPS);
    if (elements)
      read_list (elements, storm.kept.elements, STORM_MAX_ELEMENTS);
    result = storm_run (&storm);
  }
  close (file);
  g_free (status);
  g_free (work);
  return result;
}

/* Becomes the process of a batch. */
static void
become_batch (gchar **arguments, const gchar *folder, gboolean whole)
{
  gchar *errors = g_build_filename (folder, "errors", NULL);
  const gint in = open ("/dev/null", O_RDWR), err = open (errors, O_WRONLY | O_CREAT, 0600);

  dup2 (in, 0);
  dup2 (in, 1);
  dup2 (err, 2);
  for (gint i = 3; i < 256; i++)
    close (i);
  if (whole) {
    const gchar *given = g_getenv ("ASAN_OPTIONS");
    gchar *options = g_strdup_printf ("%s%sfast_unwind_on_malloc=0", given ? given : "", given ? ":" : "");
    g_setenv ("ASAN_OPTIONS", options, TRUE);
  }
  execv (self_path, arguments);
  _exit (127);
}

/* The status of PROCESS, or -1 if it had to be killed. */
static gint
wait_for (pid_t process)
{
  gint status = 0;

  for (guint i = 0; i < LONGEST_BATCH * 100; i++) {
    if (waitpid (process, &status, WNOHANG) == process)
      return status;
    g_usleep (10000);
  }
  kill (process, SIGKILL);
  waitpid (process, &status, 0);
  return -1;
}

StormVerdict
storm_in_process (guint32 seed, guint count, guint seconds, const StormSelection *selection, gboolean whole)
{
  gchar *folder = g_dir_make_tmp ("storm-XXXXXX", NULL), *file, *contents = NULL;
  GPtrArray *arguments = g_ptr_array_new_with_free_func (g_free);
  StormVerdict verdict = {.last = seed};
  gsize length = 0;
  pid_t process;

  if (!folder)
    g_error ("There is no folder for temporary files.");
  g_ptr_array_add (arguments, g_strdup (self_path));
  g_ptr_array_add (arguments, g_strdup_printf ("--batch=%s", folder));
  g_ptr_array_add (arguments, g_strdup_printf ("--seed=%u", seed));
  g_ptr_array_add (arguments, g_strdup_printf ("--count=%u", count));
  g_ptr_array_add (arguments, g_strdup_printf ("--seconds=%u", seconds));
  if (selection) {
    gchar *steps = list_of (selection->steps, STORM_MAX_STEPS);
    gchar *elements = list_of (selection->elements, STORM_MAX_ELEMENTS);

    g_ptr_array_add (arguments, g_strdup_printf ("--steps=%s", steps));
    g_ptr_array_add (arguments, g_strdup_printf ("--elements=%s", elements));
    g_free (steps);
    g_free (elements);
  }
  g_ptr_array_add (arguments, NULL);
  process = fork ();
  if (process == 0)
    become_batch ((gchar **) arguments->pdata, folder, whole);
  if (process < 0)
    g_error ("No process could be started: %s.", g_strerror (errno));
  verdict.status = wait_for (process);

  file = g_build_filename (folder, "status", NULL);
  if (g_file_get_contents (file, &contents, &length, NULL) && length == sizeof (guint32))
    memcpy (&verdict.last, contents, sizeof (guint32));
  g_free (contents);
  g_free (file);
  file = g_build_filename (folder, "errors", NULL);
  if (!g_file_get_contents (file, &verdict.errors, NULL, NULL))
    verdict.errors = g_strdup ("");
  g_free (file);
  nftw (folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  g_ptr_array_unref (arguments);
  g_free (folder);
  return verdict;
}

gboolean
storm_verdict_is_failure (const StormVerdict *verdict)
{
  /* LeakSanitizer itself crashes in some processes when they end: nothing else has failed there. */
  return verdict->status != 0 && !strstr (verdict->errors, "LeakSanitizer has encountered a fatal error");
}

gchar *
storm_verdict_name (const StormVerdict *verdict)
{
  const gint status = verdict->status;

  if (status == -1)
    return g_strdup ("killed after its time");
  if (WIFSIGNALED (status))
    return g_strdup_printf ("signal %d, %s", WTERMSIG (status), strsignal (WTERMSIG (status)));
  switch (WEXITSTATUS (status)) {
    case STORM_FOUND:
      return g_strdup ("complaints");
    case STORM_HUNG:
      return g_strdup ("a hang");
    default:
      return g_strdup_printf ("exit status %d", WEXITSTATUS (status));
  }
}

/* The last lines, which have the reason. */
static void
print_errors (const StormVerdict *verdict)
{
  const gsize length = strlen (verdict->errors);

  g_print ("%s\n", length > 12000 ? verdict->errors + length - 12000 : verdict->errors);
}

/* Finds the seed of a batch that fails alone, and shrinks it. Returns FALSE if all pass when whole stacks of leaks are known. */
static gboolean
explain (guint32 first, const StormVerdict *batch, guint shrink_seconds)
{
  StormVerdict verdict;
  gchar *name;

  if (strstr (batch->errors, "LeakSanitizer: detected memory leaks")) {
    gboolean fails;

    verdict = storm_in_process (first, batch->last - first + 1, G_MAXINT, NULL, TRUE);
    fails = storm_verdict_is_failure (&verdict);
    g_free (verdict.errors);
    if (!fails)
      return FALSE;
  }
  for (guint32 seed = batch->last;; seed--) {
    verdict = storm_in_process (seed, 1, 1, NULL, TRUE);
    if (storm_verdict_is_failure (&verdict) || seed == first)
      break;
    g_free (verdict.errors);
  }
  if (storm_verdict_is_failure (&verdict)) {
    name = storm_verdict_name (&verdict);
    g_print ("Storm %u fails: %s.\n", verdict.last, name);
    print_errors (&verdict);
    storm_shrink (verdict.last, &verdict, shrink_seconds);
    g_free (name);
    g_free (verdict.errors);
    return TRUE;
  }
  name = storm_verdict_name (batch);
  g_print ("A batch fails that passes one by one: %s.\n", name);
  print_errors (batch);
  g_print ("To run it again: storm --seed %u --count %u\n", first, batch->last - first + 1);
  g_free (name);
  g_free (verdict.errors);
  return TRUE;
}

static gint
run_storms (guint32 seed, guint count, guint seconds, guint shrink_seconds)
{
  const gint64 start = g_get_monotonic_time (), end = start + seconds * G_TIME_SPAN_SECOND;
  guint done = 0;

  g_print ("storm --seed %u\n", seed);
  while (count > 0 ? done < count : g_get_monotonic_time () < end) {
    const gint64 left = (end - g_get_monotonic_time ()) / G_TIME_SPAN_SECOND;
    const guint batch = count > 0 ? MIN (BATCH, count - done) : BATCH;
    StormVerdict verdict = storm_in_process (
        seed + done, batch, count > 0 ? G_MAXINT : (guint) CLAMP (left, 1, BATCH_SECONDS), NULL, FALSE);

    if (storm_verdict_is_failure (&verdict) && explain (seed + done, &verdict, shrink_seconds)) {
      g_free (verdict.errors);
      return 1;
    }
    done += verdict.last - (seed + done) + 1;
    g_free (verdict.errors);
  }
  g_print ("%u storms in %.0f s, none failed\n", done, (g_get_monotonic_time () - start) / 1e6);
  return 0;
}

int
main (int argc, char **argv)
{
  gint64 seed = -1;
  gint count = 0, seconds = 20, shrink_seconds = 120, result;
  gchar *folder = NULL, *steps = NULL, *elements = NULL;
  const GOptionEntry entries[] = {{"seed", 0, 0, G_OPTION_ARG_INT64, &seed, "first seed; at random by default", "N"},
      {"seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "how long; 20 by default", "N"},
      {"count", 0, 0, G_OPTION_ARG_INT, &count, "how many storms, in place of seconds", "N"},
      {"shrink-seconds", 0, 0, G_OPTION_ARG_INT, &shrink_seconds, "how long to shrink a failure; 120 by default", "N"},
      {"steps", 0, 0, G_OPTION_ARG_STRING, &steps, "the only steps of the storm of this seed", "A,B,C"},
      {"elements", 0, 0, G_OPTION_ARG_STRING, &elements, "the only elements of its chain", "A,B,C"},
      {"batch", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &folder, NULL, NULL},
      {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL}};
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc > 1) {
    g_printerr ("%s\n", error ? error->message : "Options only.");
    return 2;
  }
  g_option_context_free (context);
  self_path = g_file_read_link ("/proc/self/exe", NULL);
  if (seed < 0)
    seed = g_random_int () >> 1;
  if (folder) {
    gst_init (NULL, NULL);
    result = run_batch (folder, seed, count, seconds, steps, elements);
  } else if (steps || elements) {
    StormSelection selection;
    StormVerdict verdict;
    Storm whole;

    storm_plan (&whole, seed);
    selection = whole.kept;
    if (steps)
      read_list (steps, selection.steps, STORM_MAX_STEPS);
    if (elements)
      read_list (elements, selection.elements, STORM_MAX_ELEMENTS);
    verdict = storm_in_process (seed, 1, 1, &selection, TRUE);
    gchar *name = storm_verdict_name (&verdict);
    result = storm_verdict_is_failure (&verdict);
    g_print ("%s%s\n", verdict.errors, result ? name : "passed");
    g_free (name);
    g_free (verdict.errors);
  } else if (storm_in_cuda_memory () && !storm_has_gpu ()) {
    result = 77; /* as Meson knows skipped tests */
  } else {
    result = run_storms (seed, MAX (count, 0), seconds, shrink_seconds);
  }
  g_free (folder);
  g_free (steps);
  g_free (elements);
  g_free (self_path);
  return result;
}
