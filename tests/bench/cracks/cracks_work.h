/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What bench_cracks measures, and its record. */
#ifndef BENCH_CRACKS_WORK_H
#define BENCH_CRACKS_WORK_H

#include <contours/cca.h>
#include <contours/cracks.h>

#include <stdio.h>

typedef struct {
  const char *name; /* of what is drawn, or a file's */
  uint32_t width;
  uint32_t height;
  uint32_t bytes; /* of a sample: 1 or 2 */
  CtrCracksParams params;
  uint64_t corners; /* of all contours of the image in this mode, without limits */
  uint32_t levels;  /* that have contours */
  /* Components of equal samples, found by the host backend, whose labels are traced in place of the samples; NULL: the
   * samples are. */
  CtrComponents *components;
} CracksWork;

/* The components of equal samples of IMAGE by CCA, with their label image, 8-connected. NULL, and a message on stderr, on
 * failure. */
CtrComponents *cracks_label (CtrCca *cca, const CtrImage *image, void *stream);

/* Writes to FILE what says which work it is, in a record. */
void cracks_print (FILE *file, const CracksWork *work);

/* WHO worked in MODE ("warm", "flushed", "in-turn", "queue", "run", "fetch", "fetch-points", "fetch-codes", "host-run", "host") and took
 * MICROSECONDS[runs], which this sorts, with this RESULT. */
void cracks_record (const char *who, const char *mode, const CracksWork *work, const CtrContours *result,
    double *microseconds, int runs);

/* What the codes take in bytes, with the table that comes with them, and the time to pack them on the host. False, and a
 * message on stderr, on failure. */
bool cracks_record_codes (const CracksWork *work, CtrContours *contours);

/* Where WORK went wrong, for messages. Not reentrant. */
const char *cracks_describe (const CracksWork *work);

/* SAMPLES in host memory, with so many bytes after each row. */
CtrImage cracks_view (const CracksWork *work, const void *samples, size_t padding);

/* By HOST, a tracer of the host backend. NULL, and a message on stderr, on failure. */
CtrContours *cracks_run_host (CtrCracks *host, const CracksWork *work, const CtrImage *image);

#endif
