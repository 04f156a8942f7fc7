/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/canny/scenes.h"
#include "tests/bench/papers/papers.h"

void
papers_draw_scene (uint32_t width, uint32_t height, uint32_t channels, uint8_t *pixels)
{
  bench_scene (BENCH_SHAPES, width, height, channels, pixels);
}
