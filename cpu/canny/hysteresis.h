/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hysteresis: which candidates belong to an 8-connected component with a strong one, on bits. Internal. */
#ifndef CTR_CPU_CANNY_HYSTERESIS_H
#define CTR_CPU_CANNY_HYSTERESIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two bit planes, 64 pixels a word, the leftmost the lowest bit, with empty words all around. A row is grown from the
 * one above as it comes; words above and to the left that have to grow on wait on a stack, each once at most, so that
 * the stack is never full. */
typedef struct {
  uint32_t row_words;   /* of pixels */
  uint32_t stride;      /* words from row to row: the last one is empty */
  uint64_t *candidates; /* from the empty word left above the picture */
  uint64_t *edges;      /* strong candidates first, all edges at last; no others */
  uint8_t *waiting;     /* is the word on the stack? */
  uint32_t *stack;
  uint32_t depth;
  void *memory;
  size_t bytes;
  uint32_t width, height;
} CtrHysteresis;

/* Gets ready for a picture; false: no memory, or it is cancelled. All zeros before the first. */
bool ctr_hysteresis_begin (CtrHysteresis *hysteresis, uint32_t width, uint32_t height);
void ctr_hysteresis_release (CtrHysteresis *hysteresis);

static inline size_t
ctr_hysteresis_row (const CtrHysteresis *hysteresis, uint32_t y)
{
  return ((size_t) y + 1) * hysteresis->stride + 1;
}

/* Row Y has its candidates and its strong ones; rows come in order. */
void ctr_hysteresis_grow_row (CtrHysteresis *hysteresis, uint32_t y);

/* After the last row: the rest of the growth. False where it is cancelled: only ctr_hysteresis_release() may follow. */
bool ctr_hysteresis_finish (CtrHysteresis *hysteresis);

/* Row Y as bytes of 0 and 255. */
void ctr_hysteresis_write_row (const CtrHysteresis *hysteresis, uint32_t y, uint8_t *mask);

#endif
