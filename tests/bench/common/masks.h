/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The benchmarks' images: random masks of the published protocol and adversarial shapes. Pixels are 0 or 255. */
#ifndef BENCH_MASKS_H
#define BENCH_MASKS_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers one mask takes: one for each block of GRANULARITY x GRANULARITY pixels, blocks cropped at the right and lower
 * edge. */
uint64_t bench_block_count (uint32_t width, uint32_t height, uint32_t granularity);

/* The first COUNT outputs of mt19937(SEED), one a block in raster order. A mask of any density with this seed and
 * granularity is a threshold of the same numbers. */
void bench_random_numbers (uint32_t seed, uint64_t count, uint32_t *numbers);

/* A block is foreground when its number is below this: the smallest integer >= density * 2^32 / 100. */
uint64_t bench_density_threshold (uint32_t density_percent);

/* width * height bytes from the numbers above. */
void bench_random_mask (
    const uint32_t *numbers, uint32_t width, uint32_t height, uint32_t granularity, uint64_t threshold, uint8_t *mask);

/* Round parts on a tray, 120 x 100 pixels apart, of 20 to 44 pixels radius: every row differs from the one above. */
void bench_parts_mask (uint32_t width, uint32_t height, uint8_t *mask);

/* Round grains, 13 x 12 pixels apart, of 2 to 5 pixels radius. */
void bench_grains_mask (uint32_t width, uint32_t height, uint8_t *mask);

typedef enum {
  BENCH_DOTS,         /* every second pixel of every second row: most components, 8-connected */
  BENCH_CHEQUERBOARD, /* most components, 4-connected */
  BENCH_SERPENTINE,   /* one component, one pixel wide, to and fro over the whole image */
  BENCH_SPIRAL,       /* one component, one pixel wide, gaps of one pixel */
  BENCH_COMB,         /* teeth that meet in the last row only */
  BENCH_PATTERNS
} BenchPattern;

const char *bench_pattern_name (BenchPattern pattern);
void bench_pattern_mask (BenchPattern pattern, uint32_t width, uint32_t height, uint8_t *mask);

#endif
