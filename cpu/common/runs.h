/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A row of samples as the runs of its foreground, on the host. Internal. */
#ifndef CTR_CPU_COMMON_RUNS_H
#define CTR_CPU_COMMON_RUNS_H

#include <stdbool.h>
#include <stdint.h>

/* Words a row of WIDTH pixels takes as one bit a pixel, pixel 0 in bit 0 of word 0. */
#define CTR_ROW_WORDS(width) (((width) + 63) / 64)

/* Sets the bits of the samples that are >= THRESHOLD, or below it when INVERT; bits after the last pixel are 0. */
void ctr_pack_row_8 (const uint8_t *samples, uint32_t width, uint32_t threshold, bool invert, uint64_t *bits);
void ctr_pack_row_16 (const uint16_t *samples, uint32_t width, uint32_t threshold, bool invert, uint64_t *bits);

/* The runs of set bits: first pixel and one after the last pixel of each, ascending. EDGES has room for width + 8
 * values. Returns the number of runs. */
uint32_t ctr_find_runs (const uint64_t *bits, uint32_t width, uint32_t *edges);

#endif
