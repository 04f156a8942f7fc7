/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The owners of edges, which tell what is around a border. Internal.
 *
 * The owner of the edge before a border's first edge tells where that border lies. So only edges before one where a border may
 * begin have owners: these are few. */
#ifndef CTR_CPU_BORDERS_OWNERS_H
#define CTR_CPU_BORDERS_OWNERS_H

#include "cpu/borders/lines.h"

#include <string.h>

/* Finds which edges of row Y have owners. Edges have been found in it and in the row above. */
void ctr_border_strip_ask_row (CtrBorderStrip *strip, const CtrBorderLines *lines, uint32_t y);

/* Frees all edges of the strip again, when edges have been found in all strips, and finds which ones have owners. False if the
 * work is cancelled. */
bool ctr_border_strip_free_edges (CtrBorderStrip *strip, const CtrBorderLines *lines);

/* Makes room for the owners of the strip's edges, when edges have been found in all strips. SOME_STAY_FREE: those that no
 * line is entered for have CTR_BORDER_FREE. False if there is no memory or the work is cancelled. */
bool ctr_border_strip_make_owners (CtrBorderStrip *strip, const CtrBorderLines *lines, bool some_stay_free);

/* The owner of the edge before the first edge of a border, which is at X in row Y, CTR_BORDER_FREE, or CTR_BORDER_FRAME if
 * there is none before. */
uint32_t ctr_border_strip_owner_before (
    const CtrBorderStrip *strip, const CtrBorderLines *lines, uint32_t x, uint32_t y);

static inline uint32_t
ctr_count_bits (uint64_t bits)
{
  bits -= bits >> 1 & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
  bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return (uint32_t) (bits * 0x0101010101010101 >> 56);
}

/* Bits 0 and 1: do the edges at AT and AT + 1 have owners? The other bits have no meaning. */
static inline uint32_t
ctr_border_lines_asked (const CtrBorderLines *lines, size_t at)
{
  uint16_t word;
  memcpy (&word, (const uint8_t *) lines->asked.data + at / 8, sizeof word);
  return (uint32_t) le16toh (word) >> at % 8;
}

/* The place of the owner of the edge at AT; with another AT, of that of the next such edge in the row. */
static inline uint32_t
ctr_border_lines_rank (const CtrBorderLines *lines, size_t at)
{
  const uint64_t asked = le64toh (((const uint64_t *) lines->asked.data)[at / 64]);
  return ((const uint32_t *) lines->ranks.data)[at / 64] + ctr_count_bits (asked & (((uint64_t) 1 << at % 64) - 1));
}

#endif
