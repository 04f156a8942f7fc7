/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/foreground/coins.h"

#include <stddef.h>

enum {
  ACROSS = 48,
  DOWN = 43,
  LEAST_RADIUS = 20,
  RADII = 6,
  SHIFTS = 7, /* of centres, to both sides together */
  DARK = 60,
  BRIGHT = 190,
  NOISE = 15
};

/* SplitMix64 (Steele, Lea, Flood). */
static uint32_t
random_below (uint64_t *state, uint32_t bound)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (uint32_t) ((z ^ (z >> 31)) % bound);
}

static void
draw_coin (int32_t cx, int32_t cy, int32_t radius, uint32_t width, uint32_t height, uint8_t *pixels)
{
  for (int32_t y = cy - radius; y <= cy + radius; y++)
    for (int32_t x = cx - radius; x <= cx + radius; x++)
      if (x >= 0 && y >= 0 && x < (int32_t) width && y < (int32_t) height
          && (x - cx) * (x - cx) + (y - cy) * (y - cy) <= radius * radius)
        pixels[(size_t) y * width + (uint32_t) x] = BRIGHT;
}

void
bench_coins (uint32_t width, uint32_t height, uint8_t *pixels)
{
  uint64_t state = 1;
  for (size_t i = 0; i < (size_t) width * height; i++)
    pixels[i] = DARK;
  for (uint32_t y = 0; (y + 1) * DOWN <= height; y++)
    for (uint32_t x = 0; (x + 1) * ACROSS <= width; x++) {
      const int32_t shift_x = (int32_t) random_below (&state, SHIFTS) - SHIFTS / 2;
      const int32_t shift_y = (int32_t) random_below (&state, SHIFTS) - SHIFTS / 2;
      draw_coin ((int32_t) (x * ACROSS + ACROSS / 2) + shift_x, (int32_t) (y * DOWN + DOWN / 2) + shift_y,
          LEAST_RADIUS + (int32_t) random_below (&state, RADII), width, height, pixels);
    }
  for (size_t i = 0; i < (size_t) width * height; i++)
    pixels[i] = (uint8_t) (pixels[i] + random_below (&state, NOISE));
}
