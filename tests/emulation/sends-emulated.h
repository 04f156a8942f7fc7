/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What cuda/common/sends.cuh has in PTX. */
#ifndef SENDS_EMULATED_H
#define SENDS_EMULATED_H

#include "emulation.h"

static inline void
meet_cluster (const char *file = __builtin_FILE(), unsigned line = __builtin_LINE())
{
  ::emulation::meet_cluster (file, line);
}

#define CTR_HAVE_SENDS 1

/* All accesses are volatile, as they race with those of other CTAs: the bytes that are counted order them.
 *
 * How many more bytes come than were expected, in 32 bits with a sign; then a bit that is set when they are expected; the others count
 * phases. */
typedef uint64_t SentBytes;

static inline void
sent_bytes_change (SentBytes *bytes, uint32_t more, uint64_t expected)
{
  volatile SentBytes *const counter = bytes;
  const uint64_t now = *counter;
  const uint32_t sum = (uint32_t) now + more;
  const uint64_t rest = now >> 32 | expected;
  *counter = sum == 0 && (rest & 1) ? (rest + 1) << 32 : rest << 32 | sum;
}

static inline void
sent_bytes_init (SentBytes *bytes)
{
  *(volatile SentBytes *) bytes = 0;
}

static inline void
expect_bytes (SentBytes *bytes, uint32_t count)
{
  sent_bytes_change (bytes, 0u - count, 1);
}

static inline void
wait_for_bytes (SentBytes *bytes, uint32_t parity)
{
  while ((*(volatile SentBytes *) bytes >> 33 & 1) == parity)
    ::emulation::yield ();
}

template <int COUNT>
static inline void
send_words (uint64_t *own, const uint64_t *from, SentBytes *bytes, uint32_t rank)
{
  volatile uint64_t *const there = (uint64_t *) ::emulation::shared_of_rank (own, rank);
  for (int i = 0; i < COUNT; i++)
    there[i] = from[i];
  sent_bytes_change ((SentBytes *) ::emulation::shared_of_rank (bytes, rank), COUNT * sizeof *from, 0);
}

#endif
