/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The driver's calls for the current CUDA context, found in the library that the runtime has loaded. */
#include "cuda/context.h"

#include <dlfcn.h>
#include <stddef.h>

/* One of the driver's functions, whose library the runtime has loaded and keeps: looked up once. */
static void *
driver_function (const char *name)
{
  void *library = dlopen ("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!library)
    return NULL;
  void *function = dlsym (library, name);
  dlclose (library);
  return function;
}

void *
ctr_context_current (void)
{
  static int (*const get) (void **) = (int (*) (void **)) driver_function ("cuCtxGetCurrent");
  void *context = NULL;
  return get && get (&context) == 0 ? context : NULL;
}

void
ctr_context_push (void *context)
{
  static int (*const push) (void *) = (int (*) (void *)) driver_function ("cuCtxPushCurrent_v2");
  if (push)
    push (context);
}

void
ctr_context_pop (void)
{
  static int (*const pop) (void **) = (int (*) (void **)) driver_function ("cuCtxPopCurrent_v2");
  void *context;
  if (pop)
    pop (&context);
}
