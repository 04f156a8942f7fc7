/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/fuzz.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void
fuzz_fail (const char *file, int line, const char *what, const gchar *text)
{
  g_printerr ("%s:%d: %s\n%s\n", file, line, what, text);
  abort (); /* SIGTRAP, by which GLib ends a process, is none of the signals that libFuzzer reports. */
}

uint8_t
fuzz_take_byte (FuzzInput *input)
{
  if (input->size == 0)
    return 0;
  input->size--;
  return *input->bytes++;
}

uint64_t
fuzz_take_uint64 (FuzzInput *input)
{
  uint64_t value = 0;
  for (int i = 0; i < 8; i++)
    value |= (uint64_t) fuzz_take_byte (input) << 8 * i;
  return value;
}

double
fuzz_take_finite (FuzzInput *input)
{
  const uint64_t bits = fuzz_take_uint64 (input);
  double value;
  memcpy (&value, &bits, sizeof value);
  return isfinite (value) ? value : 0;
}

gchar *
fuzz_rest_as_text (const FuzzInput *input)
{
  return g_strndup ((const gchar *) input->bytes, input->size);
}

static gchar *folder;

static void
remove_folder (void)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const gchar *name;
  while (dir && (name = g_dir_read_name (dir))) {
    gchar *path = g_build_filename (folder, name, NULL);
    g_unlink (path);
    g_free (path);
  }
  if (dir)
    g_dir_close (dir);
  g_rmdir (folder);
  g_free (folder);
}

const gchar *
fuzz_folder (void)
{
  if (folder)
    return folder;
  folder = g_build_filename (
      g_file_test ("/dev/shm", G_FILE_TEST_IS_DIR) ? "/dev/shm" : g_get_tmp_dir (), "contours-fuzz-XXXXXX", NULL);
  FUZZ_CHECK (g_mkdtemp (folder));
  atexit (remove_folder);
  return folder;
}

gchar *
fuzz_write_file (const gchar *name, const uint8_t *bytes, size_t size)
{
  gchar *path = g_build_filename (fuzz_folder (), name, NULL);
  FILE *file = g_fopen (path, "wb");
  FUZZ_CHECK (file && fwrite (bytes, 1, size, file) == size && fclose (file) == 0);
  return path;
}
