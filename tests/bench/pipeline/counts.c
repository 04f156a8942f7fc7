/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/pipeline/counts.h"

#include "tests/bench/pipeline/cupti.h"

#include <string.h>

static __thread guint current_caller;

guint
counts_set_caller (guint caller)
{
  const guint before = current_caller;

  g_assert (caller < CALLERS);
  current_caller = caller;
  return before;
}

guint64
counts_row_sum (const CallRow *row)
{
  guint64 sum = 0;

  for (guint caller = 0; caller < CALLERS; caller++)
    sum += row->calls[caller];
  return sum;
}

void
counts_add (CallRow *sum, const CallRow *row)
{
  for (guint caller = 0; caller < CALLERS; caller++)
    sum->calls[caller] += row->calls[caller];
}

#ifdef HAVE_CUPTI

static const CUpti_CallbackDomain domains[] = {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API};
enum { DOMAINS = G_N_ELEMENTS (domains) };

static CUpti_SubscriberHandle subscriber;
static gint counted[CALLERS][DOMAINS][CUPTI_CALLBACKS];
static __thread guint runtime_depth;

/* The runtime calls the driver: only the outer call counts. */
static void CUPTIAPI
on_call (void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
  const gboolean enters = ((const CUpti_CallbackData *) data)->callbackSite == CUPTI_API_ENTER;
  const gboolean runtime = domain == CUPTI_CB_DOMAIN_RUNTIME_API;

  if (enters && runtime_depth == 0 && id < CUPTI_CALLBACKS && current_caller != CALLER_BENCH)
    g_atomic_int_inc (&counted[current_caller][runtime ? 0 : 1][id]);
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
  for (guint d = 0; d < DOMAINS; d++)
    if (cupti.enable_domain (1, subscriber, domains[d]) != CUPTI_SUCCESS) {
      cupti.unsubscribe (subscriber);
      return FALSE;
    }
  return TRUE;
}

static gint
by_kind (gconstpointer a, gconstpointer b)
{
  const CallRow *x = a, *y = b;
  const guint64 calls = counts_row_sum (x), others = counts_row_sum (y);

  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return calls != others ? calls > others ? -1 : 1 : strcmp (x->name, y->name);
}

static void
add_row (GArray *rows, guint domain, guint id)
{
  CallRow row = {.name = NULL};

  for (guint caller = 0; caller < CALLERS; caller++)
    row.calls[caller] = g_atomic_int_get (&counted[caller][domain][id]);
  if (counts_row_sum (&row) == 0)
    return;
  if (cupti.callback_name (domains[domain], id, &row.name) != CUPTI_SUCCESS || !row.name)
    row.name = "cu?";
  row.kind = counts_kind_of (row.name);
  g_array_append_val (rows, row);
}

GArray *
counts_end (void)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (CallRow));

  cupti.unsubscribe (subscriber);
  for (guint d = 0; d < DOMAINS; d++)
    for (guint id = 0; id < CUPTI_CALLBACKS; id++)
      add_row (rows, d, id);
  g_array_sort (rows, by_kind);
  return rows;
}

#else

gboolean
counts_begin (void)
{
  return FALSE;
}

GArray *
counts_end (void)
{
  return g_array_new (FALSE, FALSE, sizeof (CallRow));
}

#endif
