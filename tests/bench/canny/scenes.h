/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Images for the edge detector's benchmark, the same on every machine. */
#ifndef BENCH_SCENES_H
#define BENCH_SCENES_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
  BENCH_SHAPES,        /* shaded ellipses of all sizes on a gradient, with the noise of a camera */
  BENCH_NOISE,         /* every sample uniformly random: short weak edges everywhere, few strong ones */
  BENCH_BLURRED_NOISE, /* random samples 6 pixels apart, interpolated: strong edges everywhere */
  BENCH_FLAT,          /* no edge */
  BENCH_SERPENTINE,    /* one weak edge, to and fro over the whole image, strong at its one end; with sigma 2 */
  BENCH_SCENES
} BenchScene;

const char *bench_scene_name (BenchScene scene);

/* width * height pixels of 1 .. 4 samples each. */
void bench_scene (BenchScene scene, uint32_t width, uint32_t height, uint32_t channels, uint8_t *pixels);

#endif
