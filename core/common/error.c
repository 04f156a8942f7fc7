/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/common/error.h"

#include <contours/event.h>

#include <stdarg.h>
#include <stdio.h>

bool
ctr_fail (CtrError *error, CtrStatus status, const char *format, ...)
{
  if (error) {
    va_list args;
    va_start (args, format);
    error->status = status;
    vsnprintf (error->message, sizeof error->message, format, args);
    va_end (args);
  }
  return false;
}

#ifndef CTR_HAVE_CUDA
bool
ctr_cuda_available (CtrError *error)
{
  return ctr_fail (error, CTR_ERROR_NO_CUDA,
      "this build has no CUDA backend: install the CUDA toolkit and rebuild with -Dcuda=enabled");
}

CtrEvent *
ctr_event_new (CtrError *error)
{
  ctr_cuda_available (error);
  return NULL;
}

void
ctr_event_free (CtrEvent *event)
{
}

bool
ctr_event_record (CtrEvent *event, void *stream, CtrError *error)
{
  return ctr_cuda_available (error);
}

bool
ctr_event_lead (CtrEvent *event, void *stream, CtrError *error)
{
  return ctr_cuda_available (error);
}

bool
ctr_event_is_default_stream_idle (void)
{
  return true;
}

uint32_t
ctr_event_queue_count (void)
{
  return 1;
}

bool
ctr_event_wait (CtrEvent *event, CtrError *error)
{
  return ctr_cuda_available (error);
}
#endif
