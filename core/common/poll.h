/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Polling for cancellation in work on the host. Internal. */
#ifndef CTR_CORE_COMMON_POLL_H
#define CTR_CORE_COMMON_POLL_H

#include "core/common/error.h"

#include <contours/cancel.h>

CTR_BEGIN_DECLS

/* Operations between two polls. An operation takes about 1 ns, or up to 200 ns if it misses all caches: 50 ms at most.
 * Tests poll more often. */
#ifndef CTR_POLL_WORK
#define CTR_POLL_WORK (1 << 18)
#endif

/* For loops of many short steps: adds OPERATIONS to *WORK, and polls when there are enough. Is the work cancelled? */
static inline bool
ctr_poll (uint64_t *work, uint64_t operations)
{
  *work += operations;
  if (*work < CTR_POLL_WORK)
    return false;
  *work = 0;
  return ctr_cancelled ();
}

/* The index before END at which a loop that has reached I polls next. */
static inline uint64_t
ctr_poll_end (uint64_t i, uint64_t end)
{
  return end - i < CTR_POLL_WORK ? end : i + CTR_POLL_WORK;
}

/* ctr_fail() with CTR_ERROR_CANCELLED. */
static inline bool
ctr_fail_cancelled (CtrError *error)
{
  return ctr_fail (error, CTR_ERROR_CANCELLED, "the work was cancelled");
}

/* False and CTR_ERROR_CANCELLED if the work is cancelled. */
static inline bool
ctr_go_on (CtrError *error)
{
  return !ctr_cancelled () || ctr_fail_cancelled (error);
}

CTR_END_DECLS

#endif
