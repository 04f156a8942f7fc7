/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Masks for the border following's benchmark, beside those in masks.h: the same on every machine. Pixels are 0 or
 * 255. */
#ifndef BENCH_OUTLINES_H
#define BENCH_OUTLINES_H

#include <stdbool.h>
#include <stdint.h>

/* Random samples blurred with SIGMA and cut at their median. False, and a message on stderr, without memory. */
bool bench_blobs_mask (double sigma, uint32_t width, uint32_t height, uint8_t *mask);

/* A line one pixel wide from the upper left corner inwards, PERIOD pixels from one turn to the next: one border. */
void bench_coil_mask (uint32_t period, uint32_t width, uint32_t height, uint8_t *mask);

/* Rectangular rings one pixel wide, one inside the other, PERIOD pixels apart. */
void bench_rings_mask (uint32_t period, uint32_t width, uint32_t height, uint8_t *mask);

/* As a circuit board: drilled pads, some joined by tracks, and rows of small ones, 120 x 100 pixels apart. */
void bench_board_mask (uint32_t width, uint32_t height, uint8_t *mask);

/* Every pixel of IMAGE, SCALE times in both directions. */
void bench_enlarge (const uint8_t *image, uint32_t width, uint32_t height, uint32_t scale, uint8_t *mask);

#endif
