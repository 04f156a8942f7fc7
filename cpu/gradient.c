/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/gradient.h"

#include <stdlib.h>
#include <string.h>

/* SUM / 16, rounded half to even. */
static inline int
sixteenth (int sum)
{
  return (sum + 7 + ((sum >> 4) & 1)) >> 4;
}

static inline __attribute__ ((always_inline)) void
sobel_row (int aperture, const int *smooth, const int *slope, const uint8_t *const *rows, uint32_t width, int16_t *dx,
    int16_t *dy)
{
  const int radius = aperture / 2;
  for (uint32_t x = 0; x < width; x++) {
    int across = 0, down = 0;
    for (int i = 0; i < aperture; i++)
      for (int k = 0; k < aperture; k++) {
        const int sample = rows[i][(int64_t) x + k - radius];
        across += smooth[i] * slope[k] * sample;
        down += slope[i] * smooth[k] * sample;
      }
    dx[x] = (int16_t) (aperture == 7 ? sixteenth (across) : across);
    dy[x] = (int16_t) (aperture == 7 ? sixteenth (down) : down);
  }
}

void
ctr_sobel_row (uint32_t aperture, const uint8_t *const *rows, uint32_t width, int16_t *dx, int16_t *dy)
{
  if (aperture == 3)
    sobel_row (3, (int[]){1, 2, 1}, (int[]){-1, 0, 1}, rows, width, dx, dy);
  else if (aperture == 5)
    sobel_row (5, (int[]){1, 4, 6, 4, 1}, (int[]){-1, -2, 0, 2, 1}, rows, width, dx, dy);
  else
    sobel_row (7, (int[]){1, 6, 15, 20, 15, 6, 1}, (int[]){-1, -4, -5, 0, 5, 4, 1}, rows, width, dx, dy);
}

void
ctr_magnitude_row (bool l2_gradient, const int16_t *dx, const int16_t *dy, uint32_t width, int32_t *magnitudes)
{
  if (l2_gradient)
    for (uint32_t x = 0; x < width; x++)
      magnitudes[x] = dx[x] * dx[x] + dy[x] * dy[x];
  else
    for (uint32_t x = 0; x < width; x++)
      magnitudes[x] = abs (dx[x]) + abs (dy[x]);
}

static inline bool
is_maximum (const CtrGradientRow *row, uint32_t x)
{
  const int32_t *above = row->above + x, *here = row->here + x, *below = row->below + x;
  const int32_t m = *here, across = abs (row->dx[x]), down = abs (row->dy[x]);
  const int32_t difference = 32768 * down - 13573 * across;
  if (difference < 0)
    return m > here[-1] && m >= here[1];
  if (difference > 65536 * across)
    return m > *above && m >= *below;
  const int s = (row->dx[x] ^ row->dy[x]) < 0 ? -1 : 1;
  return m > above[-s] && m > below[s];
}

void
ctr_maxima_row (
    const CtrGradientRow *row, uint32_t width, int32_t low, int32_t high, uint64_t *candidates, uint64_t *strong)
{
  for (uint32_t begin = 0; begin < width; begin += 64) {
    const uint32_t end = width - begin < 64 ? width : begin + 64;
    uint64_t c = 0, s = 0;
    for (uint32_t x = begin; x < end; x++)
      if (row->here[x] > low && is_maximum (row, x)) {
        c |= UINT64_C (1) << (x - begin);
        s |= (uint64_t) (row->here[x] > high) << (x - begin);
      }
    *candidates++ = c;
    *strong++ = s;
  }
}
