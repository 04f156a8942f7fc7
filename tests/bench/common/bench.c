/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/common/bench.h"

#include <contours/threads.h>

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static regex_t chosen;
static bool choosing;

bool
bench_choose (const char *pattern)
{
  if (!pattern)
    return true;
  const int error = regcomp (&chosen, pattern, REG_EXTENDED | REG_NOSUB);
  choosing = error == 0;
  if (choosing)
    return true;
  char text[128];
  regerror (error, &chosen, text, sizeof text);
  fprintf (stderr, "--cases %s: %s\n", pattern, text);
  return false;
}

bool
bench_chosen (const char *title)
{
  return !choosing || regexec (&chosen, title, 0, NULL, 0) == 0;
}

double
bench_now (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e6 + now.tv_nsec * 1e-3;
}

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

BenchTimes
bench_times (double *microseconds, int runs)
{
  qsort (microseconds, runs, sizeof *microseconds, compare_doubles);
  return (BenchTimes){microseconds[0], (microseconds[(runs - 1) / 2] + microseconds[runs / 2]) / 2};
}

/* The first run of a small image warms up; of a large one, it is the measurement. */
static bool
time_host (bool (*run) (void *data), void (*record) (void *data, const char *mode, double *microseconds, int runs),
    void *data, const char *mode)
{
  enum { MAX_RUNS = 25 };
  const char *seconds = getenv ("CTR_BENCH_SECONDS");
  const double limit = 1e6 * (seconds ? atof (seconds) : 0.3);
  double us[MAX_RUNS], total = 0;
  int runs = 0;
  while (runs == 0 || (runs < MAX_RUNS && total < limit)) {
    const double start = bench_now ();
    if (!run (data))
      return false;
    us[runs] = bench_now () - start;
    total += us[runs++];
  }
  record (data, mode, us, runs);
  return true;
}

bool
bench_host (
    bool (*run) (void *data), void (*record) (void *data, const char *mode, double *microseconds, int runs), void *data)
{
  const unsigned before = ctr_threads_set_current (1);
  bool ok = time_host (run, record, data, "host");
  ctr_threads_set_current (0);
  if (ok && ctr_threads_current () > 1)
    ok = time_host (run, record, data, "host-threads");
  ctr_threads_set_current (before);
  return ok;
}

uint8_t *
bench_read_image (const char *path, uint32_t *width, uint32_t *height, uint32_t *channels)
{
  FILE *file = fopen (path, "rb");
  uint8_t *pixels = NULL;
  char kind = 0;
  bool ok = file && fscanf (file, "P%c %u %u 255", &kind, width, height) == 3 && fgetc (file) != EOF
            && (kind == '5' || kind == '6') && *width && *height;
  *channels = kind == '6' ? 3 : 1;
  if (ok) {
    size_t size = (size_t) *width * *height * *channels;
    pixels = malloc (size);
    ok = pixels && fread (pixels, 1, size, file) == size;
  }
  if (file)
    fclose (file);
  if (ok)
    return pixels;
  fprintf (stderr, "%s: not a readable binary PGM (P5) or PPM (P6) file with maxval 255\n", path);
  free (pixels);
  return NULL;
}

void *
bench_read_map (const char *path, uint32_t *width, uint32_t *height, uint32_t *bytes)
{
  FILE *file = fopen (path, "rb");
  uint8_t *samples = NULL;
  uint32_t maxval = 0;
  bool ok = file && fscanf (file, "P5 %u %u %u", width, height, &maxval) == 3 && fgetc (file) != EOF && *width
            && *height && (maxval == 255 || maxval == 65535);
  *bytes = maxval == 65535 ? 2 : 1;
  if (ok) {
    size_t size = (size_t) *width * *height * *bytes;
    samples = malloc (size);
    ok = samples && fread (samples, 1, size, file) == size;
    /* In the file, the higher byte comes first. */
    for (size_t i = 0; ok && *bytes == 2 && i < size; i += 2)
      *(uint16_t *) (samples + i) = (uint16_t) (samples[i] << 8 | samples[i + 1]);
  }
  if (file)
    fclose (file);
  if (ok)
    return samples;
  fprintf (stderr, "%s: not a readable binary PGM (P5) file with maxval 255 or 65535\n", path);
  free (samples);
  return NULL;
}

bool
bench_write_image (const char *path, const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t channels)
{
  FILE *file = fopen (path, "wb");
  size_t size = (size_t) width * height * channels;
  bool ok = file && fprintf (file, "P%c\n%u\n%u\n255\n", channels == 3 ? '6' : '5', width, height) > 0
            && fwrite (pixels, 1, size, file) == size;
  if (file && fclose (file) != 0)
    ok = false;
  if (!ok)
    perror (path);
  return ok;
}

bool
bench_write_bytes (const char *folder, const char *name, const void *bytes, size_t size)
{
  char path[4096];
  snprintf (path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen (path, "wb");
  bool ok = file && fwrite (bytes, 1, size, file) == size;
  if (file && fclose (file) != 0)
    ok = false;
  if (!ok)
    perror (path);
  return ok;
}

const char *
bench_file_name (const char *path)
{
  const char *slash = strrchr (path, '/');
  return slash ? slash + 1 : path;
}
