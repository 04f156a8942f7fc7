/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/borders/owners.h"

#include "core/common/memory.h"
#include "core/common/poll.h"

/* The edges of a word, and what rules out that a border begins at one: the topmost row of an outer border is a run of
 * foreground with background above it, that of a hole is a run of background with foreground above. Of what is
 * 8-connected, foreground or background, this holds diagonally, too. What is in other words rules out nothing. */
typedef struct {
  uint64_t edges;
  uint64_t others; /* pixels that cannot be in such runs */
} Word;

static inline __attribute__ ((always_inline)) Word
make_word (uint64_t bits, uint64_t before, uint64_t above, bool four_connected)
{
  const uint64_t edges = bits ^ (bits << 1 | before), open = ~above;
  if (four_connected)
    return (Word){edges, (bits & above) | (~bits & (open | open << 1 | open >> 1))};
  return (Word){edges, (bits & (above | above << 1 | above >> 1)) | (~bits & ~above)};
}

/* May a border begin at any edge? Adding one to the second pixel of a run carries into the next edge if no pixel of the run is
 * among the others. */
static inline bool
has_first (const Word *word)
{
  const uint64_t runs = ~word->others, begins = word->edges & runs;
  uint64_t sum;
  return __builtin_add_overflow (runs & ~word->edges, begins << 1, &sum) || (sum & word->edges) || begins >> 63;
}

/* Of the EDGE at the beginning of a run: may a border begin there? */
static inline bool
is_first (const Word *word, uint64_t edge)
{
  const uint64_t later = word->edges & -(edge << 1);
  return (((later & -later) - edge) & word->others) == 0;
}

static inline uint64_t
highest_bit (uint64_t bits)
{
  return (uint64_t) 1 << (63 - __builtin_clzll (bits));
}

/* The edges before others of the same word where a border may begin. */
static inline uint64_t
find_asked (const Word *word)
{
  uint64_t found = 0;
  for (uint64_t firsts = word->edges & ~word->others & (word->edges - 1); firsts; firsts &= firsts - 1) {
    const uint64_t edge = firsts & -firsts;
    found |= is_first (word, edge) ? highest_bit (word->edges & (edge - 1)) : 0;
  }
  return found;
}

static inline __attribute__ ((always_inline)) void
ask_row (CtrBorderStrip *strip, const CtrBorderLines *lines, uint32_t y, bool four_connected)
{
  const uint64_t *row = ctr_border_lines_row (lines, y), *above = row - lines->words;
  uint64_t *asked = (uint64_t *) lines->asked.data + y * lines->words, *last = NULL, last_edges = 0;
  uint32_t *ranks = (uint32_t *) lines->ranks.data + y * lines->words;
  uint32_t count = strip->asked_count;
  const uint16_t *busy;
  const uint32_t busy_count = ctr_border_lines_busy (lines, y, &busy);
  for (uint32_t k = 0; k < busy_count; k++) {
    const uint32_t i = busy[k];
    /* The word before a row is background. */
    const Word word =
        make_word (le64toh (row[i]), le64toh (row[(ptrdiff_t) i - 1]) >> 63, le64toh (above[i]), four_connected);
    asked[i] = 0;
    ranks[i] = count;
    if (has_first (&word)) {
      if (last && is_first (&word, word.edges & -word.edges)) {
        const uint64_t before = htole64 (highest_bit (last_edges));
        ranks[i] = count += !(*last & before);
        *last |= before;
      }
      const uint64_t here = find_asked (&word);
      asked[i] = htole64 (here);
      count += ctr_count_bits (here);
    }
    last = asked + i;
    last_edges = word.edges;
  }
  strip->asked_count = count;
}

void
ctr_border_strip_ask_row (CtrBorderStrip *strip, const CtrBorderLines *lines, uint32_t y)
{
  if (lines->connectivity == CTR_CONNECTIVITY_4)
    ask_row (strip, lines, y, true);
  else
    ask_row (strip, lines, y, false);
}

bool
ctr_border_strip_free_edges (CtrBorderStrip *strip, const CtrBorderLines *lines)
{
  for (uint32_t y = strip->top; y < strip->end; y++) {
    const uint64_t *bits = ctr_border_lines_row (lines, y);
    uint64_t *free = (uint64_t *) lines->free.data + y * lines->words;
    const uint16_t *busy;
    const uint32_t count = ctr_border_lines_busy (lines, y, &busy);
    if (ctr_cancelled ())
      return false;
    for (uint32_t i = 0; i < count; i++) {
      /* The word before a row is background. */
      const uint64_t word = le64toh (bits[busy[i]]), before = le64toh (bits[busy[i] - 1]) >> 63;
      free[busy[i]] = htole64 (word ^ (word << 1 | before));
    }
    if (y > strip->top || y == 0)
      ctr_border_strip_ask_row (strip, lines, y);
  }
  return true;
}

bool
ctr_border_strip_make_owners (CtrBorderStrip *strip, const CtrBorderLines *lines, bool some_stay_free)
{
  if (strip->top > 0)
    ctr_border_strip_ask_row (strip, lines, strip->top);
  return ctr_host_buffer_reserve (&strip->owners, strip->asked_count, sizeof (uint32_t))
         && (!some_stay_free || ctr_clear (strip->owners.data, strip->asked_count * sizeof (uint32_t)));
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
