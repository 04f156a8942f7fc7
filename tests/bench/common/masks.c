/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/common/masks.h"

#include <string.h>

uint64_t
bench_block_count (uint32_t width, uint32_t height, uint32_t granularity)
{
  uint64_t across = (width + granularity - 1) / granularity;
  uint64_t down = (height + granularity - 1) / granularity;
  return across * down;
}

/* MT19937 (Matsumoto, Nishimura), 32-bit: the numbers of std::mt19937 and of numpy.random.RandomState. */
enum { MT_SIZE = 624, MT_SHIFT = 397 };

static uint32_t
mt_twist (uint32_t high, uint32_t low, uint32_t far)
{
  uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);
  return far ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
}

void
bench_random_numbers (uint32_t seed, uint64_t count, uint32_t *numbers)
{
  uint32_t state[MT_SIZE];
  state[0] = seed;
  for (uint32_t i = 1; i < MT_SIZE; i++)
    state[i] = 1812433253u * (state[i - 1] ^ (state[i - 1] >> 30)) + i;
  for (uint64_t done = 0; done < count; done += MT_SIZE) {
    for (int i = 0; i < MT_SIZE - MT_SHIFT; i++)
      state[i] = mt_twist (state[i], state[i + 1], state[i + MT_SHIFT]);
    for (int i = MT_SIZE - MT_SHIFT; i < MT_SIZE - 1; i++)
      state[i] = mt_twist (state[i], state[i + 1], state[i + MT_SHIFT - MT_SIZE]);
    state[MT_SIZE - 1] = mt_twist (state[MT_SIZE - 1], state[0], state[MT_SHIFT - 1]);
    uint64_t n = count - done < MT_SIZE ? count - done : MT_SIZE;
    for (uint64_t i = 0; i < n; i++) {
      uint32_t y = state[i];
      y ^= y >> 11;
      y ^= (y << 7) & 0x9d2c5680u;
      y ^= (y << 15) & 0xefc60000u;
      numbers[done + i] = y ^ (y >> 18);
    }
  }
}

uint64_t
bench_density_threshold (uint32_t density_percent)
{
  return (((uint64_t) density_percent << 32) + 99) / 100;
}

void
bench_random_mask (
    const uint32_t *numbers, uint32_t width, uint32_t height, uint32_t granularity, uint64_t threshold, uint8_t *mask)
{
  uint32_t across = (width + granularity - 1) / granularity;
  for (uint32_t y = 0; y < height; y++) {
    uint8_t *row = mask + (size_t) y * width;
    if (y % granularity) {
      memcpy (row, row - width, width);
      continue;
    }
    const uint32_t *blocks = numbers + (size_t) (y / granularity) * across;
    for (uint32_t b = 0, x = 0; b < across; b++) {
      uint8_t value = blocks[b] < threshold ? 255 : 0;
      for (uint32_t end = x + granularity < width ? x + granularity : width; x < end; x++)
        row[x] = value;
    }
  }
}

void
bench_parts_mask (uint32_t width, uint32_t height, uint8_t *mask)
{
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      const int64_t cx = x / 120 * 120 + 60, cy = y / 100 * 100 + 50, radius = 20 + (7 * cx + 13 * cy) % 25;
      const int64_t dx = x - cx, dy = y - cy;
      mask[(size_t) y * width + x] = dx * dx + dy * dy < radius * radius ? 255 : 0;
    }
}

void
bench_grains_mask (uint32_t width, uint32_t height, uint8_t *mask)
{
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      const int64_t cx = x / 13 * 13 + 6, cy = y / 12 * 12 + 6, radius2 = 6 + (7 * cx + 13 * cy) % 20;
      const int64_t dx = x - cx, dy = y - cy;
      mask[(size_t) y * width + x] = dx * dx + dy * dy < radius2 ? 255 : 0;
    }
}

const char *
bench_pattern_name (BenchPattern pattern)
{
  static const char *const names[] = {"dots", "chequerboard", "serpentine", "spiral", "comb"};
  return names[pattern];
}

static uint32_t
smaller (uint32_t a, uint32_t b)
{
  return a < b ? a : b;
}

/* Every second ring from the edge inwards, each opened below its corner and led from there to the next. */
static void
draw_spiral (uint32_t width, uint32_t height, uint8_t *mask)
{
  for (uint32_t y = 0; y < height; y++) {
    uint32_t from_edge = smaller (y, height - 1 - y);
    for (uint32_t x = 0; x < width; x++)
      mask[(size_t) y * width + x] = smaller (from_edge, smaller (x, width - 1 - x)) % 2 ? 0 : 255;
  }
  for (uint32_t ring = 0; smaller (width, height) >= 2 * ring + 5; ring += 2) {
    mask[(size_t) (ring + 1) * width + ring] = 0;
    mask[(size_t) (ring + 2) * width + ring + 1] = 255;
  }
}

void
bench_pattern_mask (BenchPattern pattern, uint32_t width, uint32_t height, uint8_t *mask)
{
  memset (mask, 0, (size_t) width * height);
  if (pattern == BENCH_SPIRAL) {
    draw_spiral (width, height, mask);
    return;
  }
  for (uint32_t y = 0; y < height; y++) {
    uint8_t *row = mask + (size_t) y * width;
    if (pattern == BENCH_SERPENTINE) {
      if (y % 2 == 0)
        memset (row, 255, width);
      else
        row[y % 4 == 1 ? width - 1 : 0] = 255;
    } else if (pattern == BENCH_COMB && y == height - 1) {
      memset (row, 255, width);
    } else if (pattern == BENCH_DOTS && y % 2) {
      continue;
    } else {
      for (uint32_t x = pattern == BENCH_CHEQUERBOARD ? y % 2 : 0; x < width; x += 2)
        row[x] = 255;
    }
  }
}
