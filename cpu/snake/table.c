/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/snake/table.h"

#include "core/common/poll.h"
#include "cpu/common/luma.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
  BLOCK = 16,
  ROWS = 16384 /* the sum of BLOCK / 4 samples of so many rows fits a 32-bit element of a vector */
};

/* The sums of the samples of a row before a block, and of their squares. */
typedef struct {
  uint32_t s1;
  uint32_t s2; /* 65535 * 255^2 < 2^32 */
} Block8;

typedef struct {
  uint64_t s2;
  uint64_t s1;
} Block16;

bool
ctr_snake_table_give_back (CtrSnakeTable *table)
{
  const bool some = ctr_host_buffer_give_back (&table->blocks);
  return ctr_host_buffer_give_back (&table->copy) || some;
}

void
ctr_snake_table_release (CtrSnakeTable *table)
{
  ctr_host_buffer_release (&table->blocks);
  ctr_host_buffer_release (&table->copy);
}

/* ---- Filling ---- */

/* Sums of samples, spread over the elements of vectors. */
#ifdef __SSE2__

typedef struct {
  __m128i s1;
  __m128i s2;
} VectorSums8;

typedef struct {
  __m128i s1;
  __m128i s2;
} VectorSums16;

static inline void
add_8 (VectorSums8 *sums, __m128i samples)
{
  const __m128i zero = _mm_setzero_si128 ();
  const __m128i low = _mm_unpacklo_epi8 (samples, zero), high = _mm_unpackhi_epi8 (samples, zero);
  sums->s1 = _mm_add_epi64 (sums->s1, _mm_sad_epu8 (samples, zero));
  sums->s2 = _mm_add_epi32 (sums->s2, _mm_add_epi32 (_mm_madd_epi16 (low, low), _mm_madd_epi16 (high, high)));
}

/* Adds eight samples. */
static inline void
add_16 (VectorSums16 *sums, __m128i samples)
{
  const __m128i zero = _mm_setzero_si128 ();
  const __m128i low = _mm_mullo_epi16 (samples, samples), high = _mm_mulhi_epu16 (samples, samples);
  const __m128i first = _mm_unpacklo_epi16 (low, high), last = _mm_unpackhi_epi16 (low, high);
  sums->s1 = _mm_add_epi32 (sums->s1, _mm_unpacklo_epi16 (samples, zero));
  sums->s1 = _mm_add_epi32 (sums->s1, _mm_unpackhi_epi16 (samples, zero));
  sums->s2 = _mm_add_epi64 (sums->s2, _mm_unpacklo_epi32 (first, zero));
  sums->s2 = _mm_add_epi64 (sums->s2, _mm_unpackhi_epi32 (first, zero));
  sums->s2 = _mm_add_epi64 (sums->s2, _mm_unpacklo_epi32 (last, zero));
  sums->s2 = _mm_add_epi64 (sums->s2, _mm_unpackhi_epi32 (last, zero));
}

static inline uint64_t
total_64 (__m128i vector)
{
  return (uint64_t) _mm_cvtsi128_si64 (_mm_add_epi64 (vector, _mm_unpackhi_epi64 (vector, vector)));
}

static inline uint64_t
total_32 (__m128i vector)
{
  const __m128i zero = _mm_setzero_si128 ();
  return total_64 (_mm_add_epi64 (_mm_unpacklo_epi32 (vector, zero), _mm_unpackhi_epi32 (vector, zero)));
}

static inline __m128i
load (const uint8_t *from)
{
  return _mm_loadu_si128 ((const __m128i *) from);
}

static inline void
block_sums_8 (const uint8_t *from, uint64_t *s1, uint64_t *s2)
{
  VectorSums8 sums = {_mm_setzero_si128 (), _mm_setzero_si128 ()};
  add_8 (&sums, load (from));
  *s1 += total_64 (sums.s1);
  *s2 += total_32 (sums.s2);
}

static inline void
block_sums_16 (const uint8_t *from, uint64_t *s1, uint64_t *s2)
{
  VectorSums16 sums = {_mm_setzero_si128 (), _mm_setzero_si128 ()};
  add_16 (&sums, load (from));
  add_16 (&sums, load (from + BLOCK));
  *s1 += total_32 (sums.s1);
  *s2 += total_64 (sums.s2);
}

#else

static inline void
part_sums_8 (const uint8_t *from, uint32_t count, uint64_t *s1, uint64_t *s2)
{
  for (uint32_t i = 0; i < count; i++) {
    *s1 += from[i];
    *s2 += (uint32_t) from[i] * from[i];
  }
}

static inline void
part_sums_16 (const uint8_t *from, uint32_t count, uint64_t *s1, uint64_t *s2)
{
  const uint16_t *samples = (const uint16_t *) from;
  for (uint32_t i = 0; i < count; i++) {
    *s1 += samples[i];
    *s2 += (uint64_t) samples[i] * samples[i];
  }
}

static inline void
block_sums_8 (const uint8_t *from, uint64_t *s1, uint64_t *s2)
{
  part_sums_8 (from, BLOCK, s1, s2);
}

static inline void
block_sums_16 (const uint8_t *from, uint64_t *s1, uint64_t *s2)
{
  part_sums_16 (from, BLOCK, s1, s2);
}

#endif

static void
fill_row_8 (const uint8_t *row, Block8 *blocks, size_t count)
{
  uint64_t s1 = 0, s2 = 0;
  blocks[0] = (Block8){0, 0};
  for (size_t i = 1; i < count; i++, row += BLOCK) {
    block_sums_8 (row, &s1, &s2);
    blocks[i] = (Block8){(uint32_t) s1, (uint32_t) s2};
  }
}

static void
fill_row_16 (const uint8_t *row, Block16 *blocks, size_t count)
{
  uint64_t s1 = 0, s2 = 0;
  blocks[0] = (Block16){0, 0};
  for (size_t i = 1; i < count; i++, row += BLOCK * sizeof (uint16_t)) {
    block_sums_16 (row, &s1, &s2);
    blocks[i] = (Block16){s2, s1};
  }
}

/* Makes room for a copy of the samples if those of the image cannot be used: luma, and rows shorter than a block.
 * Otherwise only the last row is copied, so that the image is not read beyond its end. */
static bool
place_pixels (CtrSnakeTable *table, const CtrImage *image, bool *copied)
{
  const CtrSnakeWindow *window = &table->window;
  const size_t size = table->wide ? 2 : 1, rows = (size_t) (window->bottom - window->top);
  const size_t row_size = (size_t) (window->right - window->left) * size, room = row_size + BLOCK * size;
  *copied = ctr_format_is_packed (image->format) || image->width < BLOCK;
  if (!ctr_host_buffer_reserve (&table->copy, *copied ? rows : 1, room))
    return false;
  uint8_t *copy = table->copy.data;
  if (*copied) {
    table->pixels = copy;
    table->stride = room;
    table->last = copy + (rows - 1) * room;
  } else {
    table->pixels = (const uint8_t *) image->data + (size_t) window->top * image->stride + (size_t) window->left * size;
    table->stride = image->stride;
    memcpy (copy, table->pixels + (rows - 1) * table->stride, row_size);
    table->last = copy;
  }
  return true;
}

bool
ctr_snake_table_fill (CtrSnakeTable *table, CtrSamples *samples, const CtrImage *image, const CtrSnakeWindow *window)
{
  const uint32_t width = (uint32_t) (window->right - window->left), rows = (uint32_t) (window->bottom - window->top);
  bool copied;
  table->window = *window;
  table->wide = image->format == CTR_FORMAT_GRAY16;
  table->row_blocks = width / BLOCK + 1;
  if (!ctr_host_buffer_reserve (
          &table->blocks, rows * table->row_blocks, table->wide ? sizeof (Block16) : sizeof (Block8))
      || !place_pixels (table, image, &copied))
    return false;
  const size_t size = table->wide ? 2 : 1;
  for (uint32_t y = 0; y < rows; y++) {
    const uint8_t *row = table->pixels + y * table->stride;
    if (ctr_cancelled ())
      return false;
    if (copied) {
      const uint8_t *from = ctr_samples_row (samples, image, (uint32_t) window->top + y);
      memcpy ((uint8_t *) table->copy.data + y * table->stride, from + (size_t) window->left * size, width * size);
    }
    if (table->wide)
      fill_row_16 (row, (Block16 *) table->blocks.data + y * table->row_blocks, table->row_blocks);
    else
      fill_row_8 (row, (Block8 *) table->blocks.data + y * table->row_blocks, table->row_blocks);
  }
  return true;
}

/* ---- Edges ---- */

/* The column at which an edge passes a row, advanced from row to row. */
typedef struct {
  int32_t column; /* from the left side of the window */
  int32_t step;   /* whole columns per row */
  int32_t part;   /* fraction of a column per row, in units of 1 / rise */
  int32_t rise;
  int32_t excess; /* sum of the fractions minus whole columns: -rise < excess <= 0 */
} Walk;

static inline Walk
walk_begin (const CtrSnakeTable *table, CtrPoint top, CtrPoint bottom)
{
  const int32_t run = bottom.x - top.x, rise = bottom.y - top.y;
  int32_t step = run / rise, part = run % rise;
  if (part < 0) {
    step--;
    part += rise;
  }
  return (Walk){.column = top.x - table->window.left, .step = step, .part = part, .rise = rise, .excess = 0};
}

static inline void
walk_on (Walk *walk)
{
  const int32_t excess = walk->excess + walk->part, over = excess > 0;
  walk->column += walk->step + over;
  walk->excess = excess - (walk->rise & -over);
}

#ifdef __SSE2__

/* The mask of the first K samples of a block begins at BLOCK - K. */
static const uint8_t masks[2 * BLOCK] = {
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
static const uint16_t wide_masks[2 * BLOCK] = {
    65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535};

/* The sums over COUNT rows, at most ROWS, from PIXELS and BLOCKS on. */
static CtrSnakeSums
sum_rows_8 (const CtrSnakeTable *table, const uint8_t *pixels, const Block8 *blocks, Walk *walk, uint32_t count)
{
  const __m128i zero = _mm_setzero_si128 ();
  VectorSums8 parts = {zero, zero};
  __m128i whole = zero;
  int64_t columns = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t column = (uint32_t) walk->column, block = column / BLOCK;
    const __m128i mask = load (masks + BLOCK - column % BLOCK);
    add_8 (&parts, _mm_and_si128 (load (pixels + block * BLOCK), mask));
    whole = _mm_add_epi64 (whole, _mm_unpacklo_epi32 (_mm_loadl_epi64 ((const __m128i *) (blocks + block)), zero));
    columns += column;
    walk_on (walk);
    pixels += table->stride;
    blocks += table->row_blocks;
  }
  uint64_t sums[2];
  _mm_storeu_si128 ((__m128i *) sums, whole);
  return (CtrSnakeSums){columns, (int64_t) (sums[0] + total_64 (parts.s1)), sums[1] + total_32 (parts.s2)};
}

static CtrSnakeSums
sum_rows_16 (const CtrSnakeTable *table, const uint8_t *pixels, const Block16 *blocks, Walk *walk, uint32_t count)
{
  const __m128i zero = _mm_setzero_si128 ();
  VectorSums16 parts = {zero, zero};
  __m128i whole = zero;
  int64_t columns = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t column = (uint32_t) walk->column, block = column / BLOCK;
    const uint8_t *mask = (const uint8_t *) (wide_masks + BLOCK - column % BLOCK);
    const uint8_t *samples = pixels + block * (2 * BLOCK);
    add_16 (&parts, _mm_and_si128 (load (samples), load (mask)));
    add_16 (&parts, _mm_and_si128 (load (samples + BLOCK), load (mask + BLOCK)));
    whole = _mm_add_epi64 (whole, load ((const uint8_t *) (blocks + block)));
    columns += column;
    walk_on (walk);
    pixels += table->stride;
    blocks += table->row_blocks;
  }
  uint64_t sums[2];
  _mm_storeu_si128 ((__m128i *) sums, whole);
  return (CtrSnakeSums){columns, (int64_t) (sums[1] + total_32 (parts.s1)), sums[0] + total_64 (parts.s2)};
}

#else

static CtrSnakeSums
sum_rows_8 (const CtrSnakeTable *table, const uint8_t *pixels, const Block8 *blocks, Walk *walk, uint32_t count)
{
  uint64_t columns = 0, s1 = 0, s2 = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t column = (uint32_t) walk->column, block = column / BLOCK;
    columns += column;
    s1 += blocks[block].s1;
    s2 += blocks[block].s2;
    part_sums_8 (pixels + block * BLOCK, column % BLOCK, &s1, &s2);
    walk_on (walk);
    pixels += table->stride;
    blocks += table->row_blocks;
  }
  return (CtrSnakeSums){(int64_t) columns, (int64_t) s1, s2};
}

static CtrSnakeSums
sum_rows_16 (const CtrSnakeTable *table, const uint8_t *pixels, const Block16 *blocks, Walk *walk, uint32_t count)
{
  uint64_t columns = 0, s1 = 0, s2 = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t column = (uint32_t) walk->column, block = column / BLOCK;
    columns += column;
    s1 += blocks[block].s1;
    s2 += blocks[block].s2;
    part_sums_16 (pixels + block * (2 * BLOCK), column % BLOCK, &s1, &s2);
    walk_on (walk);
    pixels += table->stride;
    blocks += table->row_blocks;
  }
  return (CtrSnakeSums){(int64_t) columns, (int64_t) s1, s2};
}

#endif

static CtrSnakeSums
sum_rows (const CtrSnakeTable *table, const uint8_t *pixels, uint32_t row, Walk *walk, uint32_t count)
{
  const size_t block = row * table->row_blocks;
  return table->wide ? sum_rows_16 (table, pixels, (const Block16 *) table->blocks.data + block, walk, count)
                     : sum_rows_8 (table, pixels, (const Block8 *) table->blocks.data + block, walk, count);
}

CtrSnakeSums
ctr_snake_table_edge (const CtrSnakeTable *table, CtrPoint from, CtrPoint to)
{
  CtrSnakeSums sums = {0, 0, 0};
  if (from.y == to.y)
    return sums;
  const bool down = from.y < to.y;
  const CtrPoint top = down ? from : to, bottom = down ? to : from;
  const uint32_t last = (uint32_t) (table->window.bottom - 1 - table->window.top);
  const uint32_t end = (uint32_t) (bottom.y - table->window.top), before_last = end < last ? end : last;
  Walk walk = walk_begin (table, top, bottom);
  for (uint32_t row = (uint32_t) (top.y - table->window.top); row < before_last;) {
    const uint32_t count = before_last - row < ROWS ? before_last - row : ROWS;
    sums = ctr_snake_sums_add (sums, sum_rows (table, table->pixels + row * table->stride, row, &walk, count));
    row += count;
  }
  if (end > last)
    sums = ctr_snake_sums_add (sums, sum_rows (table, table->last, last, &walk, 1));
  return down ? sums : ctr_snake_sums_sub ((CtrSnakeSums){0, 0, 0}, sums);
}
