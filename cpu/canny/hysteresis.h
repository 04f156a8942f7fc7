/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hysteresis on bits: the candidates that are 8-connected to a strong one. Internal. */
#ifndef CTR_CPU_CANNY_HYSTERESIS_H
#define CTR_CPU_CANNY_HYSTERESIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two bit planes of 64 pixels per word, the leftmost pixel in the lowest bit, surrounded by empty words. */
typedef struct {
  uint32_t row_words;   /* words per row with pixels */
  uint32_t stride;      /* words from one row to the next; the last one is empty */
  uint64_t *candidates; /* from the empty word at the upper left of the image on */
  uint64_t *edges;      /* the strong candidates, in the end all edges; always a subset of candidates */
  uint8_t *waiting;     /* by word: is it on a stack? */
  uint32_t *stack;      /* room for all words; the stack of a band begins at its first word */
  void *memory;
  size_t bytes, used; /* the memory's, and of it the most since the period began (core/common/room.h) */
  uint32_t width, height;
} CtrHysteresis;

/* Prepares for an image. Zeroed before first use. False if there is no memory or the work is cancelled. */
bool ctr_hysteresis_begin (CtrHysteresis *hysteresis, uint32_t width, uint32_t height);
void ctr_hysteresis_release (CtrHysteresis *hysteresis);

/* Ends a period: gives back memory that is far more than its images have needed. Was there so much? */
bool ctr_hysteresis_give_back (CtrHysteresis *hysteresis);

/* The index of the first word of row Y. */
static inline size_t
ctr_hysteresis_row (const CtrHysteresis *hysteresis, uint32_t y)
{
  return ((size_t) y + 1) * hysteresis->stride + 1;
}

/* Growth in a band, the rows from FIRST_ROW on, before those outside it have been looked at. Edges grow into each row
 * from the row above. Words above and to the left that must grow again wait on a stack, each at most once, so the stack
 * never overflows. Several threads may grow bands of one image. */
typedef struct {
  CtrHysteresis *hysteresis;
  uint32_t first_row;
  size_t first_word, word_count;
  uint32_t *stack;
  uint32_t depth;
} CtrGrowth;

CtrGrowth ctr_growth_begin (CtrHysteresis *hysteresis, uint32_t first_row, uint32_t end_row);

/* Grows the edges of row Y, whose candidates and strong candidates are set. Rows come in order. */
void ctr_growth_row (CtrGrowth *growth, uint32_t y);

/* For a growth in a band that consists of bands that have grown: grows over the seam above row Y. */
void ctr_growth_seam (CtrGrowth *growth, uint32_t y);

/* Completes the growth after the last row or seam. False if the work is cancelled: then only ctr_hysteresis_release() may
 * follow. */
bool ctr_growth_finish (CtrGrowth *growth);

/* Writes row Y as bytes of 0 and 255. */
void ctr_hysteresis_write_row (const CtrHysteresis *hysteresis, uint32_t y, uint8_t *mask);

#endif
