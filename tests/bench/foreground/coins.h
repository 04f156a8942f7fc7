/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An image of touching coins for the benchmark of masks, the same on every machine. */
#ifndef BENCH_COINS_H
#define BENCH_COINS_H

#include <stdint.h>

/* WIDTH * HEIGHT grey samples: bright discs on a dark ground with the noise of a camera, one in each of 48 x 43 pixels (1,000 in
 * 1920 x 1080), with radii of 20 to 25 pixels. Most of them touch or overlap others. */
void bench_coins (uint32_t width, uint32_t height, uint8_t *pixels);

#endif
