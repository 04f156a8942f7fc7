/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of samples as foreground bits and as runs of these. Internal. */
#ifndef CTR_CPU_COMMON_RUNS_H
#define CTR_CPU_COMMON_RUNS_H

#include <stdbool.h>
#include <stdint.h>

/* The number of words of a row of WIDTH pixels, one bit per pixel, pixel 0 in bit 0 of word 0. */
#define CTR_ROW_WORDS(width) (((width) + 63) / 64)

/* Sets the bits of samples >= THRESHOLD, or with INVERT of samples below it. Bits after the last pixel are 0. */
void ctr_pack_row_8 (const uint8_t *samples, uint32_t width, uint32_t threshold, bool invert, uint64_t *bits);
void ctr_pack_row_16 (const uint16_t *samples, uint32_t width, uint32_t threshold, bool invert, uint64_t *bits);

/* Finds the runs of set bits. EDGES receives the first pixel and the one after the last pixel of each run, in ascending
 * order, and has room for width + 8 values. Returns the number of runs. */
uint32_t ctr_find_runs (const uint64_t *bits, uint32_t width, uint32_t *edges);

#endif
