/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions of CUPTI, from the library that is found when the program runs. */
#ifndef BENCH_CUPTI_H
#define BENCH_CUPTI_H

#include <glib.h>

#ifdef HAVE_CUPTI

#include <cupti.h>

enum { CUPTI_CALLBACKS = 2048 }; /* ids of a domain are below */

typedef struct {
  CUptiResult (*subscribe) (CUpti_SubscriberHandle *, CUpti_CallbackFunc, void *);
  CUptiResult (*unsubscribe) (CUpti_SubscriberHandle);
  CUptiResult (*enable_domain) (uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain);
  CUptiResult (*callback_name) (CUpti_CallbackDomain, uint32_t, const char **);
  CUptiResult (*version) (uint32_t *);
  CUptiResult (*timestamp) (uint64_t *);
  CUptiResult (*register_callbacks) (CUpti_BuffersCallbackRequestFunc, CUpti_BuffersCallbackCompleteFunc);
  CUptiResult (*enable) (CUpti_ActivityKind);
  CUptiResult (*disable) (CUpti_ActivityKind);
  CUptiResult (*flush) (uint32_t);
  CUptiResult (*next_record) (uint8_t *, size_t, CUpti_Activity **);
  CUptiResult (*dropped) (CUcontext, uint32_t, size_t *);
} Cupti;

extern Cupti cupti;

#endif

/* Returns FALSE, and the reason, where CUPTI is missing. */
gboolean cupti_open (const gchar **reason);

#endif
