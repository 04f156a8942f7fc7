/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/borders/owners.h"

#include "core/common/memory.h"
#include "core/common/poll.h"

/* The edges of a word where a border may begin. The first pixel of an outer border has background to the west, north-west,
 * north and north-east: foreground there would belong to the border, too. The first pixel of a hole has foreground to the
 * west and north. The word before a row and the last one of the row are background. */
static inline uint64_t
find_firsts (uint64_t word, uint64_t west, const uint64_t *above)
{
  const uint64_t north = le64toh (above[0]), before = le64toh (above[-1]), after = le64toh (above[1]);
  const uint64_t near = north | north << 1 | before >> 63 | north >> 1 | after << 63;
  return (word & ~west & ~near) | (~word & west & north);
}

static inline uint64_t
highest_bit (uint64_t bits)
{
  return (uint64_t) 1 << (63 - __builtin_clzll (bits));
}

/* The edges of row Y that have owners, of which COUNT are before the row. Returns COUNT with those of the row. */
static uint32_t
ask_row (const CtrBorderLines *lines, uint32_t y, uint32_t count)
{
  const uint64_t *row = ctr_border_lines_row (lines, y), *above = row - lines->words;
  uint64_t *asked = (uint64_t *) lines->asked.data + y * lines->words, last_edges = 0, last_asked = 0;
  uint32_t *ranks = (uint32_t *) lines->ranks.data + y * lines->words, last = 0;
  const uint16_t *busy;
  const uint32_t busy_count = ctr_border_lines_busy (lines, y, &busy);
  for (uint32_t k = 0; k < busy_count; k++) {
    const uint32_t i = busy[k];
    const uint64_t word = le64toh (row[i]), west = word << 1 | le64toh (row[(ptrdiff_t) i - 1]) >> 63;
    const uint64_t edges = word ^ west;
    uint64_t firsts = find_firsts (word, west, above + i), here = 0;
    if (firsts & edges & -edges) {
      last_asked |= k > 0 ? highest_bit (last_edges) : 0;
      firsts &= firsts - 1;
    }
    for (; firsts; firsts &= firsts - 1)
      here |= highest_bit (edges & ((firsts & -firsts) - 1));
    if (k > 0) {
      asked[last] = htole64 (last_asked);
      ranks[last] = count;
      count += ctr_count_bits (last_asked);
    }
    last = i;
    last_edges = edges;
    last_asked = here;
  }
  if (busy_count > 0) {
    asked[last] = htole64 (last_asked);
    ranks[last] = count;
    count += ctr_count_bits (last_asked);
  }
  return count;
}

bool
ctr_border_strip_ask (CtrBorderStrip *strip, const CtrBorderLines *lines, bool some_stay_free)
{
  uint32_t count = 0;
  for (uint32_t y = strip->top; y < strip->end; y++) {
    if (ctr_cancelled ())
      return false;
    count = ask_row (lines, y, count);
  }
  return ctr_host_buffer_reserve (&strip->owners, count, sizeof (uint32_t))
         && (!some_stay_free || ctr_clear (strip->owners.data, count * sizeof (uint32_t)));
}

uint32_t
ctr_border_strip_owner_before (const CtrBorderStrip *strip, const CtrBorderLines *lines, uint32_t x, uint32_t y)
{
  const size_t row = y * lines->words;
  const uint16_t *busy;
  ctr_border_lines_busy (lines, y, &busy);
  const uint32_t rank = ctr_border_lines_rank (lines, 64 * row + x);
  const uint32_t first = ((const uint32_t *) lines->ranks.data)[row + busy[0]];
  return rank > first ? ((const uint32_t *) strip->owners.data)[rank - 1] : CTR_BORDER_FRAME;
}
