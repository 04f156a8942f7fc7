/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Images of many levels for the benchmark of their contours: the same on every machine. */
#ifndef BENCH_LEVELS_H
#define BENCH_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

/* Stripes of SIZE pixels over the whole image, every second one 1, the others 0. */
void bench_stripes (uint32_t size, bool vertical, uint32_t width, uint32_t height, uint8_t *samples);

/* ACROSS x DOWN squares of SIZE pixels, every second one 1, one square away from the left and upper edge of an image
 * that is 0 elsewhere. They touch at corners: one outside, and a hole for each black one that has four neighbours. */
void bench_chequers (uint32_t size, uint32_t across, uint32_t down, uint32_t width, uint32_t height, uint8_t *samples);

/* Squares of SIZE pixels, of 1 .. LEVELS - 1: a slope of 3 from each to the next and of 2 to the one below, to and
 * fro. */
void bench_grey_chequers (uint32_t size, uint32_t levels, uint32_t width, uint32_t height, uint8_t *samples);

/* As a map of disparities, of 1 .. 127: a floor and a wall, things that stand before them, speckles and short streaks
 * along the rows, as matching row by row makes them. False, and a message on stderr, without memory. */
bool bench_disparity (uint32_t width, uint32_t height, uint8_t *samples);

/* As a photo, of 0 .. 255: random samples on grids from 256 pixels down to one, interpolated, the finer the fainter.
 * False, and a message on stderr, without memory. */
bool bench_photo (uint32_t width, uint32_t height, uint8_t *samples);

/* Octagons on a grid of CELL pixels, no two touching, on 0: the Nth has label 1 + N % DISTINCT. */
void bench_labels (uint32_t cell, uint32_t distinct, uint32_t width, uint32_t height, uint16_t *samples);

/* An image of WIDTH x HEIGHT samples of BYTES each, at another size: each takes the value of the nearest one. */
void bench_resize (const void *image, uint32_t width, uint32_t height, uint32_t bytes, uint32_t new_width,
    uint32_t new_height, void *samples);

#endif
