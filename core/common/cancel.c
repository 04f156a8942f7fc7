/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <contours/cancel.h>

static _Thread_local const CtrCancel *current;

void
ctr_cancel_request (CtrCancel *cancel)
{
  __atomic_store_n (&cancel->requested, 1, __ATOMIC_RELEASE);
}

void
ctr_cancel_reset (CtrCancel *cancel)
{
  __atomic_store_n (&cancel->requested, 0, __ATOMIC_RELEASE);
}

const CtrCancel *
ctr_cancel_set_current (const CtrCancel *cancel)
{
  const CtrCancel *before = current;
  current = cancel;
  return before;
}

bool
ctr_cancelled (void)
{
  return current && __atomic_load_n (&current->requested, __ATOMIC_RELAXED);
}
