/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The work on the GPU, as CUPTI tells it. CUPTI slows the process down, so this comes after everything is timed. */
#ifndef BENCH_GPUWORK_H
#define BENCH_GPUWORK_H

#include <glib.h>

/* Times of the GPU in nanoseconds: sums of durations, whatever runs beside one another. */
typedef struct {
  guint64 kernels, uploads, downloads, device_copies, sets;
  guint64 kernel_ns, upload_ns, download_ns, device_copy_ns, set_ns;
  guint64 upload_bytes, download_bytes;
  guint64 dropped; /* records that CUPTI had no room for */
} GpuWork;

/* What one record of a timeline says. Times are nanoseconds of CLOCK_MONOTONIC. */
typedef struct {
  gint64 start, end;
  guint32 thread; /* of a call */
  guint32 stream; /* of work on the GPU */
  gboolean call;
  gchar what[120];
} TimelineRow;

/* Records the work of the GPU from begin to end; with CALLS the calls, too, in ROWS, a list of TimelineRow. Needs
 * cupti_open(). */
gboolean gpu_work_begin (gboolean calls);
gboolean gpu_work_end (GpuWork *work, GArray *rows);

#endif
