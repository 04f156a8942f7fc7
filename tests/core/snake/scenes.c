/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/snake/scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const snake_shape_names[SNAKE_SHAPES] = {
    [SNAKE_ELLIPSE] = "ellipse", [SNAKE_BLOB] = "blob", [SNAKE_STAR] = "star", [SNAKE_C] = "C"};

enum { QUANTILES = 1 << 16 };

/* SplitMix64 (Steele, Lea, Flood). */
static uint64_t
random_bits (uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* The probability of a value below X. */
static double
gaussian_below (const SnakeLevel *level, double x)
{
  return 0.5 * erfc ((level->mean - x) / (level->spread * sqrt (2)));
}

/* Erlang's closed form, for whole orders. */
static double
gamma_below (const SnakeLevel *level, double x)
{
  const double t = x * level->spread / level->mean;
  double term = exp (-t), above = 0;
  for (int k = 1; k <= level->spread; k++) {
    above += term;
    term *= t / k;
  }
  return 1 - above;
}

/* table[k]: the sample that 16 random bits k stand for. */
static void
fill_quantiles (SnakeNoise noise, const SnakeLevel *level, uint32_t largest, uint16_t *table)
{
  double poisson = exp (-level->mean), poisson_sum = 0;
  uint32_t filled = 0;
  for (uint32_t sample = 0; sample <= largest; sample++) {
    double up_to = 1;
    if (noise == SNAKE_GAUSSIAN)
      up_to = gaussian_below (level, sample + 0.5);
    else if (noise == SNAKE_SPECKLE)
      up_to = gamma_below (level, sample + 0.5);
    else if (noise == SNAKE_BERNOULLI)
      up_to = 1 - level->mean;
    else {
      up_to = poisson_sum += poisson;
      poisson *= level->mean / (sample + 1);
    }
    const uint32_t end = sample == largest ? QUANTILES : (uint32_t) lround (QUANTILES * up_to);
    while (filled < end)
      table[filled++] = (uint16_t) sample;
  }
}

/* The shape's boundary in direction (u, v), a unit vector, for those that are stars around their centre. */
static double
boundary (SnakeShape shape, double u)
{
  const double u2 = u * u, cos2 = 2 * u2 - 1, cos3 = u * (4 * u2 - 3), cos5 = u * ((16 * u2 - 20) * u2 + 5);
  if (shape == SNAKE_BLOB)
    return (1 + 0.18 * cos2 + 0.12 * cos3 + 0.08 * cos5) / 1.38;
  return (1 + 0.35 * cos5) / 1.35;
}

/* X and Y in units of the radius from the centre. */
static bool
is_inside (SnakeShape shape, double x, double y)
{
  const double r2 = x * x + y * y;
  if (shape == SNAKE_ELLIPSE) {
    const double c = cos (0.5), s = sin (0.5), along = c * x + s * y, across = (c * y - s * x) / 0.65;
    return along * along + across * across <= 1;
  }
  if (r2 > 1)
    return false;
  const double r = sqrt (r2);
  if (shape == SNAKE_C)
    return r >= 0.55 && x <= r * cos (0.6);
  return r < 0.4 || r <= boundary (shape, x / r);
}

/* Sets mask[x] where a pixel of row Y is of TARGET. */
static void
mark_row (const SnakeTarget *target, uint32_t y, uint32_t width, uint8_t *mask)
{
  const double dy = y + 0.5 - target->y, scale = 1 / target->radius;
  const double c = scale * cos (target->angle), s = scale * sin (target->angle);
  if (fabs (dy) > target->radius)
    return;
  const double first = floor (target->x - target->radius), last = ceil (target->x + target->radius);
  const uint32_t begin = first > 0 ? (uint32_t) first : 0, end = last < width ? (uint32_t) fmax (last, 0) : width;
  for (uint32_t x = begin; x < end; x++) {
    const double dx = x + 0.5 - target->x;
    mask[x] |= is_inside (target->shape, dx * c + dy * s, dy * c - dx * s);
  }
}

void
snake_scene_row (const SnakeScene *scene, uint32_t y, uint32_t width, uint8_t *mask)
{
  memset (mask, 0, width);
  for (uint32_t i = 0; i < scene->target_count; i++)
    mark_row (scene->targets + i, y, width, mask);
}

void
snake_scene_draw (const SnakeScene *scene, const CtrImage *image)
{
  const bool wide = image->format == CTR_FORMAT_GRAY16;
  uint16_t *tables = malloc (2 * QUANTILES * sizeof *tables);
  uint8_t *mask = malloc (image->width);
  fill_quantiles (scene->noise, &scene->outside, wide ? 65535 : 255, tables);
  fill_quantiles (scene->noise, &scene->inside, wide ? 65535 : 255, tables + QUANTILES);
  for (uint32_t y = 0; y < image->height; y++) {
    uint8_t *row = (uint8_t *) (uintptr_t) image->data + y * image->stride;
    uint64_t state = scene->seed ^ (uint64_t) y << 40, bits = 0;
    state = random_bits (&state);
    snake_scene_row (scene, y, image->width, mask);
    for (uint32_t x = 0; x < image->width; x++) {
      bits = x % 4 ? bits >> 16 : random_bits (&state);
      const uint16_t sample = tables[mask[x] * QUANTILES + (bits & (QUANTILES - 1))];
      if (wide)
        ((uint16_t *) row)[x] = sample;
      else
        row[x] = (uint8_t) sample;
    }
  }
  free (mask);
  free (tables);
}

static int
compare_columns (const void *a, const void *b)
{
  const int32_t x = *(const int32_t *) a, y = *(const int32_t *) b;
  return (x > y) - (x < y);
}

/* The columns from which the number of lines to the left of a pixel of row Y changes, in ascending order. */
static uint32_t
crossings (const CtrPoint *points, uint32_t count, uint32_t y, int32_t *columns)
{
  uint32_t found = 0;
  for (uint32_t i = 0; i < count; i++) {
    CtrPoint a = points[i], b = points[i + 1 < count ? i + 1 : 0];
    if (a.y > b.y) {
      const CtrPoint swap = a;
      a = b;
      b = swap;
    }
    if (a.y <= y && y < b.y)
      columns[found++] = (int32_t) ceil (a.x + (double) (y - a.y) * (b.x - a.x) / (b.y - a.y));
  }
  qsort (columns, found, sizeof *columns, compare_columns);
  return found;
}

double
snake_target_iou (const SnakeTarget *target, uint32_t width, uint32_t height, const CtrPoint *points, uint32_t count)
{
  int32_t *columns = malloc ((count + 1) * sizeof *columns);
  uint8_t *mask = malloc (width);
  uint64_t both = 0, either = 0;
  for (uint32_t y = 0; y < height; y++) {
    memset (mask, 0, width);
    mark_row (target, y, width, mask);
    const uint32_t found = crossings (points, count, y, columns);
    uint32_t passed = 0;
    for (uint32_t x = 0; x < width; x++) {
      while (passed < found && columns[passed] <= (int32_t) x)
        passed++;
      both += passed % 2 && mask[x];
      either += passed % 2 || mask[x];
    }
  }
  free (mask);
  free (columns);
  return (double) both / (double) either;
}
