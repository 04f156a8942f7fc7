/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/pipeline/counts.h"

#include <string.h>

const gchar *
counts_name (CallKind kind)
{
  static const gchar *const names[CALL_KINDS] = {"other calls", "kernel launches", "graph launches", "graph changes",
      "waits", "blocking copies", "polls", "copies", "sets of memory", "allocations", "frees"};

  return names[kind];
}

static gboolean
begins (const gchar *name, const gchar *const *starts)
{
  for (; *starts; starts++)
    if (g_str_has_prefix (name, *starts))
      return TRUE;
  return FALSE;
}

CallKind
counts_kind_of (const gchar *name)
{
  static const gchar *const changes[] = {"GraphInstantiate", "GraphExec", NULL};
  static const gchar *const waits[] = {
      "StreamSynchronize", "EventSynchronize", "CtxSynchronize", "DeviceSynchronize", "ThreadSynchronize", NULL};
  static const gchar *const polls[] = {"StreamQuery", "EventQuery", NULL};
  static const gchar *const allocations[] = {
      "MemAlloc", "MemHostAlloc", "MemHostRegister", "MemCreate", "Malloc", "HostAlloc", "HostRegister", NULL};
  static const gchar *const frees[] = {"MemFree", "MemHostUnregister", "MemRelease", "Free", "HostUnregister", NULL};

  name += g_str_has_prefix (name, "cuda") ? 4 : 2;
  if (g_str_has_prefix (name, "GraphLaunch"))
    return CALL_GRAPH_LAUNCH;
  if (begins (name, changes) && !g_str_has_prefix (name, "GraphExecDestroy")
      && !g_str_has_prefix (name, "GraphExecGet"))
    return CALL_GRAPH_CHANGE;
  if (g_str_has_prefix (name, "Launch") && !g_str_has_prefix (name, "LaunchHostFunc"))
    return CALL_LAUNCH;
  if (begins (name, waits))
    return CALL_WAIT;
  if (begins (name, polls))
    return CALL_POLL;
  if (g_str_has_prefix (name, "Memcpy"))
    return strstr (name, "Async") ? CALL_COPY : CALL_BLOCKING_COPY;
  if (g_str_has_prefix (name, "Memset"))
    return CALL_SET;
  if (begins (name, allocations))
    return CALL_ALLOCATION;
  return begins (name, frees) ? CALL_FREE : CALL_OTHER;
}

#ifdef HAVE_CUPTI

#include <cupti.h>
#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>
#include <time.h>

enum { CALLBACKS = 2048, BUFFER_SIZE = 4 << 20 };

static struct {
  gpointer handle;
  CUptiResult (*subscribe) (CUpti_SubscriberHandle *, CUpti_CallbackFunc, void *);
  CUptiResult (*unsubscribe) (CUpti_SubscriberHandle);
  CUptiResult (*enable_callback) (uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain, CUpti_CallbackId);
  CUptiResult (*callback_name) (CUpti_CallbackDomain, uint32_t, const char **);
  CUptiResult (*version) (uint32_t *);
  CUptiResult (*timestamp) (uint64_t *);
  CUptiResult (*register_callbacks) (CUpti_BuffersCallbackRequestFunc, CUpti_BuffersCallbackCompleteFunc);
  CUptiResult (*enable) (CUpti_ActivityKind);
  CUptiResult (*disable) (CUpti_ActivityKind);
  CUptiResult (*flush) (uint32_t);
  CUptiResult (*next_record) (uint8_t *, size_t, CUpti_Activity **);
  CUptiResult (*dropped) (CUcontext, uint32_t, size_t *);
} cupti;

static CUpti_SubscriberHandle subscriber;
static guint8 kinds[2][CALLBACKS]; /* of the runtime's and the driver's functions */
static gint counted[CALL_KINDS];
static __thread guint runtime_depth;

static gpointer
open_first (const gchar *pattern)
{
  gpointer library = NULL;
  glob_t found = {0};

  if (glob (pattern, GLOB_BRACE, NULL, &found) == 0)
    for (gsize i = 0; i < found.gl_pathc && !library; i++)
      library = dlopen (found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL);
  globfree (&found);
  return library;
}

/* The toolkit's, or that of a Python package; $CTR_CUPTI names another one. */
static gpointer
open_library (void)
{
  static const gchar *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
  static const gchar *const patterns[] = {
      "/usr/local/cuda*/{lib64,lib,extras/CUPTI/lib64,targets/*/lib}/libcupti.so.1[23]",
      "/{usr,usr/local,opt/*}/lib/python3*/{dist,site}-packages/nvidia/*/lib/libcupti.so.1[23]"};
  const gchar *given = g_getenv ("CTR_CUPTI");
  gpointer library = NULL;

  if (given)
    return dlopen (given, RTLD_NOW | RTLD_LOCAL);
  for (guint i = 0; i < G_N_ELEMENTS (names) && !library; i++)
    library = dlopen (names[i], RTLD_NOW | RTLD_LOCAL);
  for (guint i = 0; i < G_N_ELEMENTS (patterns) && !library; i++)
    library = open_first (patterns[i]);
  return library;
}

static gboolean
load (const gchar *name, gpointer *function)
{
  *function = dlsym (cupti.handle, name);
  return *function != NULL;
}

#define LOAD(name, function) load (name, (gpointer *) &cupti.function)

static gboolean
load_functions (void)
{
  return LOAD ("cuptiSubscribe", subscribe) && LOAD ("cuptiUnsubscribe", unsubscribe)
         && LOAD ("cuptiEnableCallback", enable_callback) && LOAD ("cuptiGetCallbackName", callback_name)
         && LOAD ("cuptiGetVersion", version) && LOAD ("cuptiGetTimestamp", timestamp)
         && LOAD ("cuptiActivityRegisterCallbacks", register_callbacks) && LOAD ("cuptiActivityEnable", enable)
         && LOAD ("cuptiActivityDisable", disable) && LOAD ("cuptiActivityFlushAll", flush)
         && LOAD ("cuptiActivityGetNextRecord", next_record) && LOAD ("cuptiActivityGetNumDroppedRecords", dropped);
}

static const CUpti_CallbackDomain domains[] = {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API};

static void
find_kinds (void)
{
  for (guint d = 0; d < 2; d++)
    for (guint id = 1; id < CALLBACKS; id++) {
      const gchar *name = NULL;

      if (cupti.callback_name (domains[d], id, &name) == CUPTI_SUCCESS && name && g_str_has_prefix (name, "cu"))
        kinds[d][id] = counts_kind_of (name);
    }
}

gboolean
counts_open (const gchar **reason)
{
  *reason = "libcupti.so of CUDA 12 or 13 was not found; set CTR_CUPTI to its path";
  if (cupti.handle)
    return TRUE;
  cupti.handle = open_library ();
  if (!cupti.handle)
    return FALSE;
  *reason = "this libcupti.so lacks functions";
  if (!load_functions ()) {
    cupti.handle = NULL;
    return FALSE;
  }
  find_kinds ();
  return TRUE;
}

/* The runtime calls the driver: only the outer call counts. */
static void CUPTIAPI
on_call (void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
  const gboolean enters = ((const CUpti_CallbackData *) data)->callbackSite == CUPTI_API_ENTER;
  const gboolean runtime = domain == CUPTI_CB_DOMAIN_RUNTIME_API;

  if (enters && runtime_depth == 0)
    g_atomic_int_inc (&counted[kinds[runtime ? 0 : 1][id]]);
  if (runtime && enters)
    runtime_depth++;
  else if (runtime && runtime_depth > 0)
    runtime_depth--;
}

gboolean
counts_begin (void)
{
  memset (counted, 0, sizeof counted);
  if (cupti.subscribe (&subscriber, on_call, NULL) != CUPTI_SUCCESS)
    return FALSE;
  for (guint d = 0; d < 2; d++)
    for (guint id = 1; id < CALLBACKS; id++)
      if (kinds[d][id] != CALL_OTHER && cupti.enable_callback (1, subscriber, domains[d], id) != CUPTI_SUCCESS) {
        cupti.unsubscribe (subscriber);
        return FALSE;
      }
  return TRUE;
}

void
counts_end (Counts *counts)
{
  for (guint i = 0; i < CALL_KINDS; i++)
    counts->calls[i] = g_atomic_int_get (&counted[i]);
  cupti.unsubscribe (subscriber);
}

/* The records from CUPTI_ACTIVITY_KIND_... of this version, which is that of the headers. */
static GMutex work_lock;
static GpuWork work_done;
static GArray *work_rows;
static gint64 clock_offset; /* from CUPTI's clock to CLOCK_MONOTONIC */

static const CUpti_ActivityKind work_kinds[] = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};
static const CUpti_ActivityKind call_kinds[] = {CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER};

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
counts_open (const gchar **reason)
{
  *reason = "this build has no CUPTI (cupti.h of the CUDA toolkit)";
  return FALSE;
}

gboolean
counts_begin (void)
{
  return FALSE;
}

void
counts_end (Counts *counts)
{
}

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
