/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reconstruction of a mask from a marker, on words of 64 pixels.
 *
 * The marker grows row by row, downwards and along the runs of the mask. Words above and to the left that must grow again
 * wait on a stack, each at most once, so the stack never overflows. Threads take bands of rows; then the marker grows over
 * the seams between them. */
#include "core/common/memory.h"
#include "core/common/poll.h"
#include "cpu/common/bands.h"
#include "cpu/foreground/steps.h"

#include <string.h>

/* What all growths share. */
typedef struct {
  const CtrPacked *mask, *marker;
  bool diagonal;
  uint32_t *stack;  /* room for all words; that of a band begins at its first word */
  uint8_t *waiting; /* by word: is it on a stack? */
} Reconstruction;

/* A growth in the rows from FIRST to END - 1. */
typedef struct {
  const Reconstruction *all;
  uint32_t first, end;
  uint32_t *stack;
  size_t depth;
} Growth;

static size_t
word_count (const CtrPacked *mask)
{
  return mask->stride * mask->height;
}

size_t
ctr_reconstruction_room (const CtrPacked *mask)
{
  return word_count (mask) * (sizeof (uint32_t) + 1);
}

/* Grows SEEDS, a subset of MASK, along the runs of MASK. */
static inline uint64_t
grow_word (uint64_t seeds, uint64_t mask)
{
  /* The carry propagates to the end of each run with a seed. */
  seeds |= ((mask + seeds) ^ mask) & mask;
  for (int shift = 1; shift < 64 && (mask & (seeds >> shift) & ~seeds); shift *= 2) {
    seeds |= mask & (seeds >> shift);
    mask &= mask >> shift;
  }
  return seeds;
}

static Growth
begin (const Reconstruction *all, uint32_t first, uint32_t end)
{
  return (Growth){.all = all, .first = first, .end = end, .stack = all->stack + first * all->mask->stride};
}

/* PIXELS of word I of row Y are reached, which may be outside the rows of the growth. */
static inline void
reach (Growth *growth, uint32_t y, size_t i, uint64_t pixels)
{
  const Reconstruction *all = growth->all;
  const size_t at = (size_t) y * all->mask->stride + i;
  const uint64_t more = pixels & all->mask->bits[at] & ~all->marker->bits[at];
  if (!more)
    return;
  all->marker->bits[at] |= more;
  if (all->waiting[at])
    return;
  all->waiting[at] = 1;
  growth->stack[growth->depth++] = (uint32_t) at;
}

/* The neighbours, in row Y, of PIXELS of word I of a row beside it. */
static inline void
reach_row (Growth *growth, uint32_t y, size_t i, uint64_t pixels)
{
  if (y - growth->first >= growth->end - growth->first)
    return;
  if (!growth->all->diagonal) {
    reach (growth, y, i, pixels);
    return;
  }
  reach (growth, y, i, pixels | pixels << 1 | pixels >> 1);
  if (i > 0 && pixels & 1)
    reach (growth, y, i - 1, UINT64_C (1) << 63);
  if (i + 1 < growth->all->mask->stride && pixels >> 63)
    reach (growth, y, i + 1, 1);
}

/* The pixels of word I that the row above and the word to the left reach. ABOVE is NULL where nothing is known yet. */
static inline uint64_t
reached_from (const Reconstruction *all, const uint64_t *above, const uint64_t *row, size_t i)
{
  uint64_t reached = i > 0 ? row[i - 1] >> 63 : 0;
  if (!above)
    return reached;
  reached |= above[i];
  if (!all->diagonal)
    return reached;
  reached |= above[i] << 1 | above[i] >> 1;
  reached |= i > 0 ? above[i - 1] >> 63 : 0;
  return reached | (i + 1 < all->mask->stride ? above[i + 1] << 63 : 0);
}

/* Rows come in order. */
static void
grow_row (Growth *growth, uint32_t y)
{
  const Reconstruction *all = growth->all;
  const uint64_t *mask = ctr_packed_bits (all->mask, y);
  uint64_t *row = ctr_packed_bits (all->marker, y);
  const uint64_t *above = y > growth->first ? row - all->marker->stride : NULL;
  for (size_t i = 0; i < all->mask->stride; i++) {
    if (!mask[i])
      continue;
    const uint64_t seeds = row[i] | (reached_from (all, above, row, i) & mask[i]);
    if (!seeds)
      continue;
    row[i] = grow_word (seeds, mask[i]);
    reach_row (growth, y - 1, i, row[i]);
    if (i > 0)
      reach (growth, y, i - 1, row[i] << 63);
  }
}

/* Completes the growth. False if the work is cancelled. */
static bool
finish (Growth *growth)
{
  const Reconstruction *all = growth->all;
  const size_t stride = all->mask->stride;
  uint64_t work = 0;
  while (growth->depth > 0) {
    if (ctr_poll (&work, 16))
      return false;
    const size_t at = growth->stack[--growth->depth], i = at % stride;
    const uint32_t y = (uint32_t) (at / stride);
    all->waiting[at] = 0;
    const uint64_t pixels = all->marker->bits[at] = grow_word (all->marker->bits[at], all->mask->bits[at]);
    reach_row (growth, y - 1, i, pixels);
    if (i > 0)
      reach (growth, y, i - 1, pixels << 63);
    if (i + 1 < stride)
      reach (growth, y, i + 1, pixels >> 63);
    reach_row (growth, y + 1, i, pixels);
  }
  return true;
}

static bool
grow_band (void *context, void *scratch, uint32_t first, uint32_t end)
{
  Growth growth = begin (context, first, end);
  for (uint32_t y = first; y < end; y++) {
    if (ctr_cancelled ())
      return false;
    grow_row (&growth, y);
  }
  return finish (&growth);
}

/* Grows over the seam above row Y. */
static void
grow_seam (Growth *growth, uint32_t y)
{
  const CtrPacked *marker = growth->all->marker;
  for (size_t i = 0; i < marker->stride; i++) {
    reach_row (growth, y, i, ctr_packed_bits (marker, y - 1)[i]);
    reach_row (growth, y - 1, i, ctr_packed_bits (marker, y)[i]);
  }
}

bool
ctr_packed_reconstruct (
    const CtrRowsPlan *plan, const CtrPacked *mask, const CtrPacked *marker, bool eight_connected, void *room)
{
  const size_t words = word_count (mask);
  Reconstruction all = {mask, marker, eight_connected, room, (uint8_t *) room + words * sizeof (uint32_t)};
  if (!ctr_clear (all.waiting, words) || !ctr_rows_run (plan, mask->height, grow_band, &all))
    return false;
  Growth growth = begin (&all, 0, mask->height);
  for (uint32_t i = 1; i < plan->bands; i++)
    grow_seam (&growth, ctr_band_first (mask->height, plan->bands, i));
  return finish (&growth);
}
