/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/pipeline/cupti.h"

#ifdef HAVE_CUPTI

#include <dlfcn.h>
#include <glob.h>

Cupti cupti;
static gpointer handle;

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
  *function = dlsym (handle, name);
  return *function != NULL;
}

#define LOAD(name, function) load (name, (gpointer *) &cupti.function)

static gboolean
load_functions (void)
{
  return LOAD ("cuptiSubscribe", subscribe) && LOAD ("cuptiUnsubscribe", unsubscribe)
         && LOAD ("cuptiEnableDomain", enable_domain) && LOAD ("cuptiGetCallbackName", callback_name)
         && LOAD ("cuptiGetVersion", version) && LOAD ("cuptiGetTimestamp", timestamp)
         && LOAD ("cuptiActivityRegisterCallbacks", register_callbacks) && LOAD ("cuptiActivityEnable", enable)
         && LOAD ("cuptiActivityDisable", disable) && LOAD ("cuptiActivityFlushAll", flush)
         && LOAD ("cuptiActivityGetNextRecord", next_record) && LOAD ("cuptiActivityGetNumDroppedRecords", dropped);
}

gboolean
cupti_open (const gchar **reason)
{
  *reason = "libcupti.so of CUDA 12 or 13 was not found; set CTR_CUPTI to its path";
  if (handle)
    return TRUE;
  handle = open_library ();
  if (!handle)
    return FALSE;
  *reason = "this libcupti.so lacks functions";
  if (!load_functions ())
    handle = NULL;
  return handle != NULL;
}

#else

gboolean
cupti_open (const gchar **reason)
{
  *reason = "this build has no CUPTI (cupti.h of the CUDA toolkit)";
  return FALSE;
}

#endif
