/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The location of contourexport: a pattern with a number. */
#include "tests/fuzz/fuzz.h"

#include "gst/export/name.h"

#include <string.h>

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  FuzzInput input = {bytes, size};
  const uint64_t number = fuzz_take_uint64 (&input);
  gchar *pattern = fuzz_rest_as_text (&input);
  GError *error = NULL;
  ExportName name;
  if (export_name_parse (&name, pattern, &error)) {
    gchar *path = export_name_make (&name, number), *same = export_name_make (&name, number),
          *other = export_name_make (&name, number + 1);
    FUZZ_CHECK (strcmp (path, same) == 0);
    FUZZ_CHECK (name.numbered == (strcmp (path, other) != 0));
    g_free (path);
    g_free (same);
    g_free (other);
  } else {
    FUZZ_CHECK (error && error->message[0]);
    g_error_free (error);
  }
  export_name_clear (&name);
  g_free (pattern);
  return 0;
}
