/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/papers/kernels_seen.h"

#ifdef HAVE_CUPTI

#include <cupti.h>
#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_SIZE = 4 << 20 };

static struct {
  CUptiResult (*version) (uint32_t *);
  CUptiResult (*register_callbacks) (CUpti_BuffersCallbackRequestFunc, CUpti_BuffersCallbackCompleteFunc);
  CUptiResult (*enable) (CUpti_ActivityKind);
  CUptiResult (*disable) (CUpti_ActivityKind);
  CUptiResult (*flush) (uint32_t);
  CUptiResult (*next_record) (uint8_t *, size_t, CUpti_Activity **);
} cupti;

static const CUpti_ActivityKind kinds[] = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};
enum { KINDS = sizeof kinds / sizeof *kinds };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static KernelSeen all[MAX_KERNELS_SEEN];
static uint64_t first_start[MAX_KERNELS_SEEN]; /* records come in any order */
static int count;

/* The toolkit's, or that of a Python package; $CTR_CUPTI names another one. */
static void *
open_library (void)
{
  static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
  static const char pattern[] =
      "{/usr/local/cuda*/{lib64,lib,extras/CUPTI/lib64,targets/*/lib},"
      "/{usr,usr/local,opt/*}/lib/python3*/{dist,site}-packages/nvidia/*/lib}/libcupti.so.1[23]";
  const char *given = getenv ("CTR_CUPTI");
  void *library = NULL;
  glob_t found = {0};
  if (given)
    return dlopen (given, RTLD_NOW | RTLD_LOCAL);
  for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
    library = dlopen (names[i], RTLD_NOW | RTLD_LOCAL);
  if (!library && glob (pattern, GLOB_BRACE, NULL, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc && !library; i++)
      library = dlopen (found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL);
  globfree (&found);
  return library;
}

static void
add (const char *name, uint64_t start, uint64_t end)
{
  int i = 0;
  while (i < count && strcmp (all[i].name, name) != 0)
    i++;
  if (i == MAX_KERNELS_SEEN)
    return;
  if (i == count) {
    all[i] = (KernelSeen){.calls = 0};
    snprintf (all[i].name, sizeof all[i].name, "%s", name);
    first_start[i] = start;
    count++;
  }
  first_start[i] = start < first_start[i] ? start : first_start[i];
  all[i].calls++;
  all[i].ns += end - start;
}

static void
take_record (const CUpti_Activity *record)
{
  if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || record->kind == CUPTI_ACTIVITY_KIND_KERNEL) {
    const CUpti_ActivityKernel10 *kernel = (const CUpti_ActivityKernel10 *) record;
    add (kernel->name, kernel->start, kernel->end);
  } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
    const CUpti_ActivityMemcpy6 *copy = (const CUpti_ActivityMemcpy6 *) record;
    add (copy->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD   ? "copy to the GPU"
         : copy->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH ? "copy to the host"
                                                             : "copy on the GPU",
        copy->start, copy->end);
  } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
    const CUpti_ActivityMemset4 *set = (const CUpti_ActivityMemset4 *) record;
    add ("set", set->start, set->end);
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
  pthread_mutex_lock (&lock);
  while (cupti.next_record (buffer, valid, &record) == CUPTI_SUCCESS)
    take_record (record);
  pthread_mutex_unlock (&lock);
  free (buffer);
}

static bool
load (void *library)
{
  const struct {
    const char *name;
    void *function;
  } functions[] = {{"cuptiGetVersion", &cupti.version}, {"cuptiActivityRegisterCallbacks", &cupti.register_callbacks},
      {"cuptiActivityEnable", &cupti.enable}, {"cuptiActivityDisable", &cupti.disable},
      {"cuptiActivityFlushAll", &cupti.flush}, {"cuptiActivityGetNextRecord", &cupti.next_record}};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (!(*(void **) functions[i].function = dlsym (library, functions[i].name)))
      return false;
  return true;
}

const char *
kernels_seen_missing (void)
{
  static void *library;
  static const char *reason;
  uint32_t version = 0;
  if (library || reason)
    return reason;
  library = open_library ();
  if (!library)
    reason = "libcupti.so of CUDA 12 or 13 was not found: set CTR_CUPTI to its path";
  else if (!load (library))
    reason = "this libcupti.so lacks functions";
  /* The records' layout changes from version to version. */
  else if (cupti.version (&version) != CUPTI_SUCCESS || version / 100 != CUPTI_API_VERSION / 100)
    reason = "this libcupti.so has another version than the headers of this build";
  else if (cupti.register_callbacks (give_buffer, take_buffer) != CUPTI_SUCCESS)
    reason = "CUPTI refuses to record";
  return reason;
}

bool
kernels_seen_begin (void)
{
  bool ok = !kernels_seen_missing ();
  count = 0;
  for (int i = 0; ok && i < KINDS; i++)
    ok = cupti.enable (kinds[i]) == CUPTI_SUCCESS;
  return ok;
}

int
kernels_seen_end (KernelSeen seen[MAX_KERNELS_SEEN])
{
  bool ok = cupti.flush (1) == CUPTI_SUCCESS;
  for (int i = 0; i < KINDS; i++)
    ok = cupti.disable (kinds[i]) == CUPTI_SUCCESS && ok;
  pthread_mutex_lock (&lock);
  /* By their first starts. */
  for (int i = 0; i < count; i++) {
    int place = 0;
    for (int k = 0; k < count; k++)
      place += first_start[k] < first_start[i] || (first_start[k] == first_start[i] && k < i);
    seen[place] = all[i];
  }
  pthread_mutex_unlock (&lock);
  return ok ? count : -1;
}

#else

const char *
kernels_seen_missing (void)
{
  return "this build has no CUPTI (cupti.h of the CUDA toolkit)";
}

bool
kernels_seen_begin (void)
{
  return false;
}

int
kernels_seen_end (KernelSeen seen[MAX_KERNELS_SEEN])
{
  return -1;
}

#endif
