/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How work on the host asks whether it is cancelled. Internal. */
#ifndef CTR_CORE_COMMON_POLL_H
#define CTR_CORE_COMMON_POLL_H

#include "core/common/error.h"

#include <contours/cancel.h>

CTR_BEGIN_DECLS

/* Operations between two questions. One takes about a nanosecond, and up to 200 where it goes to memory that is in no
 * cache: 50 ms at most. Tests have fewer. */
#ifndef CTR_POLL_WORK
#define CTR_POLL_WORK (1 << 18)
#endif

/* Counts OPERATIONS in *WORK, and asks where they are enough: is the work cancelled? Inside of loops of many small
 * steps. */
static inline bool
ctr_poll (uint64_t *work, uint64_t operations)
{
  *work += operations;
  if (*work < CTR_POLL_WORK)
    return false;
  *work = 0;
  return ctr_cancelled ();
}

/* Where to ask next, at END or before, in a loop that has come to I. */
static inline uint64_t
ctr_poll_end (uint64_t i, uint64_t end)
{
  return end - i < CTR_POLL_WORK ? end : i + CTR_POLL_WORK;
}

/* As ctr_fail(): the work was cancelled. */
static inline bool
ctr_fail_cancelled (CtrError *error)
{
  return ctr_fail (error, CTR_ERROR_CANCELLED, "the work was cancelled");
}

/* False and CTR_ERROR_CANCELLED where the work is cancelled. */
static inline bool
ctr_go_on (CtrError *error)
{
  return !ctr_cancelled () || ctr_fail_cancelled (error);
}

CTR_END_DECLS

#endif
