/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The runtime has no calls for the current context, so these are the driver's, from the library that the runtime loads.
 */
#include "cuda/common/context.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static struct {
  int (*get) (void **context);
  int (*push) (void *context);
  int (*pop) (void **context);
} driver;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The library stays loaded, as the runtime keeps it, too. */
static void
find_driver (void)
{
  void *library = dlopen ("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!library)
    return;
  driver.get = (int (*) (void **)) dlsym (library, "cuCtxGetCurrent");
  driver.push = (int (*) (void *)) dlsym (library, "cuCtxPushCurrent_v2");
  driver.pop = (int (*) (void **)) dlsym (library, "cuCtxPopCurrent_v2");
}

void *
ctr_context_current (void)
{
  void *context = NULL;
  pthread_once (&once, find_driver);
  return driver.get && driver.get (&context) == 0 ? context : NULL;
}

void
ctr_context_push (void *context)
{
  pthread_once (&once, find_driver);
  if (driver.push)
    driver.push (context);
}

void
ctr_context_pop (void)
{
  void *context;
  pthread_once (&once, find_driver);
  if (driver.pop)
    driver.pop (&context);
}
