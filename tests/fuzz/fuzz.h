/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the fuzz targets share: the bytes that libFuzzer makes, taken piece by piece, and checks of what is written. */
#ifndef CTR_FUZZ_H
#define CTR_FUZZ_H

#include <glib.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size);

/* Ends the process, which libFuzzer reports with the input. */
void fuzz_fail (const char *file, int line, const char *what, const gchar *text) __attribute__ ((noreturn));

#define FUZZ_CHECK(condition)                         \
  do {                                                \
    if (!(condition))                                 \
      fuzz_fail (__FILE__, __LINE__, #condition, ""); \
  } while (0)

/* The same for TEXT, which is shown. */
#define FUZZ_CHECK_TEXT(condition, text)                \
  do {                                                  \
    if (!(condition))                                   \
      fuzz_fail (__FILE__, __LINE__, #condition, text); \
  } while (0)

typedef struct {
  const uint8_t *bytes;
  size_t size;
} FuzzInput;

/* Take from the beginning; zero once nothing is left. */
uint8_t fuzz_take_byte (FuzzInput *input);
uint64_t fuzz_take_uint64 (FuzzInput *input);
double fuzz_take_finite (FuzzInput *input);

/* What is left as text (transfer full): as it is, up to a zero. */
gchar *fuzz_rest_as_text (const FuzzInput *input);

/* A folder of this process for files, in memory where the system has such a folder. Removed at the end. */
const gchar *fuzz_folder (void);

/* A file there with SIZE bytes. Returns its path (transfer full). */
gchar *fuzz_write_file (const gchar *name, const uint8_t *bytes, size_t size);

/* Whether TEXT is one value of JSON as RFC 8259 defines it, with nothing behind it but white space. */
gboolean fuzz_is_json (const gchar *text, gsize size);

#endif
