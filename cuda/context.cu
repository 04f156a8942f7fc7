/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/context.h"

#include <dlfcn.h>
#include <stddef.h>

namespace
{

/* The driver's functions; the library is there, since the runtime has loaded it. */
void *
driver_function (const char *name)
{
  static void *const library = dlopen ("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  return library ? dlsym (library, name) : NULL;
}

} // namespace

void *
ctr_context_current (void)
{
  static int (*const get) (void **) = (int (*) (void **)) driver_function ("cuCtxGetCurrent");
  void *context = NULL;
  if (get && get (&context) != 0)
    context = NULL;
  return context;
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
