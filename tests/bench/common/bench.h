/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the benchmarks share: the clock, statistics, images in files. What they measure they print as records: one line
 * of JSON each on standard output, gathered into tables by bench.py and bench_*.py. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Only the cases that match the extended regular expression PATTERN are chosen; without a call, or with NULL, all are. False,
 * and a message on stderr, if it is none. */
bool bench_choose (const char *pattern);
bool bench_chosen (const char *title);

/* Wall clock, microseconds. */
double bench_now (void);

typedef struct {
  double min;
  double median;
} BenchTimes;

/* Sorts MICROSECONDS[runs]. */
BenchTimes bench_times (double *microseconds, int runs);

/* Times RUN, which works on the host backend: on one thread, recorded with the mode "host", and where the process may use
 * several cores, on as many threads, recorded with the mode "host-threads". False if a call of RUN fails. */
bool bench_host (bool (*run) (void *data),
    void (*record) (void *data, const char *mode, double *microseconds, int runs), void *data);

/* Pixels of a binary PGM (one channel) or PPM (three) file with maxval 255; the caller frees them. NULL, and a message
 * on stderr, on failure. */
uint8_t *bench_read_image (const char *path, uint32_t *width, uint32_t *height, uint32_t *channels);

/* Samples of a binary PGM file with maxval 255 or 65535, of *BYTES each, native; the caller frees them. */
void *bench_read_map (const char *path, uint32_t *width, uint32_t *height, uint32_t *bytes);

/* The reverse of bench_read_image(). False, and a message on stderr, on failure. */
bool bench_write_image (const char *path, const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t channels);

/* Writes BYTES to the file NAME in FOLDER. False, and a message on stderr, on failure. */
bool bench_write_bytes (const char *folder, const char *name, const void *bytes, size_t size);

/* The part of PATH after its last slash. */
const char *bench_file_name (const char *path);

#endif
