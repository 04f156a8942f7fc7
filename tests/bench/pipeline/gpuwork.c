/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/pipeline/gpuwork.h"

#include "tests/bench/pipeline/cupti.h"

#ifdef HAVE_CUPTI

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BUFFER_SIZE = 4 << 20 };

/* The records from CUPTI_ACTIVITY_KIND_... of this version, which is that of the headers. */
static GMutex work_lock;
static GpuWork work_done;
static GArray *work_rows;
static gint64 clock_offset; /* from CUPTI's clock to CLOCK_MONOTONIC */

static const CUpti_ActivityKind work_kinds[] = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};
static const CUpti_ActivityKind call_kinds[] = {CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER};

static const CUpti_CallbackDomain domains[] = {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API};

static TimelineRow *
add_row (guint64 start, guint64 end)
{
  TimelineRow row = {.start = (gint64) start + clock_offset, .end = (gint64) end + clock_offset};

  g_array_append_val (work_rows, row);
  return &g_array_index (work_rows, TimelineRow, work_rows->len - 1);
}

static void
take_kernel (const CUpti_ActivityKernel10 *kernel)
{
  work_done.kernels++;
  work_done.kernel_ns += kernel->end - kernel->start;
  if (work_rows) {
    TimelineRow *row = add_row (kernel->start, kernel->end);

    row->stream = kernel->streamId;
    g_strlcpy (row->what, kernel->name, sizeof row->what);
  }
}

static void
take_copy (const CUpti_ActivityMemcpy6 *copy)
{
  const guint64 time = copy->end - copy->start;
  const gboolean up = copy->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  const gboolean down = copy->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;

  *(up ? &work_done.uploads : down ? &work_done.downloads : &work_done.device_copies) += 1;
  *(up ? &work_done.upload_ns : down ? &work_done.download_ns : &work_done.device_copy_ns) += time;
  if (up || down)
    *(up ? &work_done.upload_bytes : &work_done.download_bytes) += copy->bytes;
  if (work_rows) {
    TimelineRow *row = add_row (copy->start, copy->end);

    row->stream = copy->streamId;
    g_snprintf (row->what, sizeof row->what, "copy %s, %" G_GUINT64_FORMAT " bytes",
        up     ? "host to device"
        : down ? "device to host"
               : "on the device",
        (guint64) copy->bytes);
  }
}

static void
take_set (const CUpti_ActivityMemset4 *set)
{
  work_done.sets++;
  work_done.set_ns += set->end - set->start;
  if (work_rows) {
    TimelineRow *row = add_row (set->start, set->end);

    row->stream = set->streamId;
    g_snprintf (row->what, sizeof row->what, "set, %" G_GUINT64_FORMAT " bytes", (guint64) set->bytes);
  }
}

static void
take_call (const CUpti_ActivityAPI *call)
{
  const guint domain = call->kind == CUPTI_ACTIVITY_KIND_RUNTIME ? 0 : 1;
  const gchar *name = NULL;

  if (work_rows && cupti.callback_name (domains[domain], call->cbid, &name) == CUPTI_SUCCESS && name) {
    TimelineRow *row = add_row (call->start, call->end);

    row->thread = call->threadId;
    row->call = TRUE;
    g_strlcpy (row->what, name, sizeof row->what);
  }
}

static void
take_record (const CUpti_Activity *record)
{
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL:
      take_kernel ((const CUpti_ActivityKernel10 *) record);
      break;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      take_copy ((const CUpti_ActivityMemcpy6 *) record);
      break;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      take_set ((const CUpti_ActivityMemset4 *) record);
      break;
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      take_call ((const CUpti_ActivityAPI *) record);
      break;
    default:
      break;
  }
}

static void CUPTIAPI
give_buffer (uint8_t **buffer, size_t *size, size_t *records)
{
  *buffer = aligned_alloc (64, BUFFER_SIZE);
  *size = *buffer ? BUFFER_SIZE : 0;
  *records = 0;
}

static void CUPTIAPI
take_buffer (CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
  CUpti_Activity *record = NULL;
  size_t dropped = 0;

  g_mutex_lock (&work_lock);
  while (cupti.next_record (buffer, valid, &record) == CUPTI_SUCCESS)
    take_record (record);
  if (cupti.dropped (context, stream, &dropped) == CUPTI_SUCCESS)
    work_done.dropped += dropped;
  g_mutex_unlock (&work_lock);
  free (buffer);
}

static gint64
monotonic (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec * G_GINT64_CONSTANT (1000000000) + time.tv_nsec;
}

static void
enable (gboolean calls, gboolean on, gboolean *ok)
{
  for (guint i = 0; i < G_N_ELEMENTS (work_kinds); i++)
    *ok &= (on ? cupti.enable : cupti.disable) (work_kinds[i]) == CUPTI_SUCCESS;
  for (guint i = 0; i < G_N_ELEMENTS (call_kinds) && calls; i++)
    *ok &= (on ? cupti.enable : cupti.disable) (call_kinds[i]) == CUPTI_SUCCESS;
}

gboolean
gpu_work_begin (gboolean calls)
{
  static gboolean registered;
  uint32_t version = 0;
  uint64_t time = 0;
  gboolean ok = TRUE;

  /* The records' layout changes from version to version. */
  if (cupti.version (&version) != CUPTI_SUCCESS || version / 100 != CUPTI_API_VERSION / 100)
    return FALSE;
  if (!registered && cupti.register_callbacks (give_buffer, take_buffer) != CUPTI_SUCCESS)
    return FALSE;
  registered = TRUE;
  if (cupti.timestamp (&time) != CUPTI_SUCCESS)
    return FALSE;
  clock_offset = monotonic () - (gint64) time;
  memset (&work_done, 0, sizeof work_done);
  work_rows = calls ? g_array_new (FALSE, TRUE, sizeof (TimelineRow)) : NULL;
  enable (calls, TRUE, &ok);
  return ok;
}

gboolean
gpu_work_end (GpuWork *work, GArray *rows)
{
  gboolean ok = cupti.flush (1) == CUPTI_SUCCESS;

  enable (work_rows != NULL, FALSE, &ok);
  g_mutex_lock (&work_lock);
  *work = work_done;
  if (work_rows) {
    g_array_append_vals (rows, work_rows->data, work_rows->len);
    g_array_unref (work_rows);
    work_rows = NULL;
  }
  g_mutex_unlock (&work_lock);
  return ok && work->dropped == 0;
}

#else

gboolean
gpu_work_begin (gboolean calls)
{
  return FALSE;
}

gboolean
gpu_work_end (GpuWork *work, GArray *rows)
{
  return FALSE;
}

#endif
