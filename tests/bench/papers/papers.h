/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What bench_papers measures that the benchmarks of the algorithms do not. Each function prints records and returns false,
 * with a message on stderr, if something failed or two contenders disagree. */
#ifndef BENCH_PAPERS_H
#define BENCH_PAPERS_H

#include <stdbool.h>
#include <stdint.h>

enum { PAPERS_MAX_SIZES = 8, PAPERS_LARGEST = 16384 };

typedef struct {
  uint32_t sizes[PAPERS_MAX_SIZES]; /* sides of square images */
  uint32_t size_count;
  uint32_t step;     /* of the density, percent */
  double until;      /* bench_now() after which nothing new begins */
  double run_budget; /* microseconds for the runs of one image */
} PapersOptions;

/* Ours and all baselines on random images, with the numbers of updates and conflicts. */
bool papers_components_on_gpu (const PapersOptions *options);

/* The shaded ellipses of bench_canny. scenes.h and masks.h have names in common. */
void papers_draw_scene (uint32_t width, uint32_t height, uint32_t channels, uint8_t *pixels);

/* The kernels of a frame of each algorithm, and the GPU memory that its object takes. */
bool papers_phases (const PapersOptions *options);

#endif
