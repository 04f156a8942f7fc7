/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Splitting of touching parts as core/foreground/split.h defines it: every pair of pixels, sorted. */
#include "tests/core/foreground/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint32_t width, height;
  const uint8_t *mask;
  uint64_t *keys;         /* of pixels: squared distance << 32 | number; background: 0 */
  uint32_t *basins;       /* of pixels: the peak */
  uint32_t *sets, *parts; /* of peaks: a higher one of the same set or part, or itself */
} Split;

typedef struct {
  uint32_t lower, higher;
  uint64_t lower_key, higher_key;
} Pair;

static uint64_t
square (int64_t number)
{
  return (uint64_t) (number * number);
}

/* The distance to the background within the column, one row after the other. */
static uint64_t *
find_columns (const Split *split)
{
  const uint32_t width = split->width, height = split->height;
  uint64_t *column = malloc ((size_t) width * height * sizeof *column);
  for (uint32_t x = 0; x < width; x++)
    for (int turn = 0; turn < 2; turn++)
      for (uint32_t i = 0, steps = UINT32_MAX; i < height; i++) {
        const size_t at = (size_t) (turn ? height - 1 - i : i) * width + x;
        steps = !split->mask[at] ? 0 : steps + (steps < UINT32_MAX);
        const uint64_t distance = steps < UINT32_MAX ? square (steps) : UINT64_MAX;
        if (turn == 0 || distance < column[at])
          column[at] = distance;
      }
  return column;
}

/* From the distances within the columns, those pixels of the row are tried that may be nearer. */
static void
find_keys (Split *split)
{
  const uint32_t width = split->width, height = split->height;
  const bool has_background = memchr (split->mask, 0, (size_t) width * height);
  uint64_t *column = find_columns (split);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      const size_t i = (size_t) y * width + x;
      const uint64_t *row = column + i - x;
      uint64_t distance = UINT32_MAX;
      for (uint32_t aside = 0; has_background && aside < width && square (aside) < distance; aside++)
        for (int side = 0; side < 2; side++) {
          const int64_t u = side ? (int64_t) x + aside : (int64_t) x - aside;
          if (u >= 0 && u < width && row[u] != UINT64_MAX && row[u] + square (aside) < distance)
            distance = row[u] + square (aside);
        }
      split->keys[i] = distance ? distance << 32 | i : 0;
    }
  free (column);
}

/* The neighbours of pixel I in the image. Returns how many there are. */
static int
neighbours_of (const Split *split, uint32_t i, uint32_t neighbours[8])
{
  const int64_t x = i % split->width, y = i / split->width;
  int count = 0;
  for (int64_t v = y - 1; v <= y + 1; v++)
    for (int64_t u = x - 1; u <= x + 1; u++)
      if (u >= 0 && v >= 0 && u < split->width && v < split->height && (u != x || v != y))
        neighbours[count++] = (uint32_t) (v * split->width + u);
  return count;
}

static int
compare_keys (const void *a, const void *b)
{
  const uint64_t p = *(const uint64_t *) a, q = *(const uint64_t *) b;
  return p < q ? 1 : p > q ? -1 : 0;
}

/* A pixel's basin is that of its highest neighbour, which comes first. */
static void
find_basins (Split *split)
{
  const size_t pixels = (size_t) split->width * split->height;
  uint64_t *keys = malloc (pixels * sizeof *keys);
  memcpy (keys, split->keys, pixels * sizeof *keys);
  qsort (keys, pixels, sizeof *keys, compare_keys);
  for (size_t n = 0; n < pixels && keys[n]; n++) {
    const uint32_t i = (uint32_t) keys[n];
    uint32_t neighbours[8], highest = i;
    const int count = neighbours_of (split, i, neighbours);
    for (int k = 0; k < count; k++)
      if (split->keys[neighbours[k]] > split->keys[highest])
        highest = neighbours[k];
    split->basins[i] = highest == i ? i : split->basins[highest];
    split->sets[i] = split->parts[i] = i;
  }
  free (keys);
}

static int
compare_pairs (const void *a, const void *b)
{
  const Pair *p = a, *q = b;
  if (p->lower_key != q->lower_key)
    return p->lower_key < q->lower_key ? 1 : -1;
  return p->higher_key < q->higher_key ? 1 : p->higher_key > q->higher_key ? -1 : 0;
}

static uint32_t
find (const uint32_t *parents, uint32_t peak)
{
  while (parents[peak] != peak)
    peak = parents[peak];
  return peak;
}

/* The set or part of the lower peak becomes part of the other. */
static void
unite (const Split *split, uint32_t *parents, uint32_t a, uint32_t b)
{
  a = find (parents, a);
  b = find (parents, b);
  if (split->keys[a] < split->keys[b])
    parents[a] = b;
  else
    parents[b] = a;
}

static double
distance_of (const Split *split, uint32_t i)
{
  return sqrt ((double) (split->keys[i] >> 32));
}

static void
find_parts (Split *split, double depth)
{
  const uint32_t pixels = split->width * split->height;
  Pair *pairs = malloc ((size_t) pixels * 8 * sizeof *pairs);
  size_t count = 0;
  for (uint32_t i = 0; i < pixels; i++) {
    uint32_t neighbours[8];
    const int around = split->keys[i] ? neighbours_of (split, i, neighbours) : 0;
    for (int k = 0; k < around; k++) {
      const uint32_t other = neighbours[k];
      if (split->keys[other] > split->keys[i] && split->basins[other] != split->basins[i])
        pairs[count++] = (Pair){i, other, split->keys[i], split->keys[other]};
    }
  }
  qsort (pairs, count, sizeof *pairs, compare_pairs);
  for (size_t i = 0; i < count; i++) {
    const uint32_t a = split->basins[pairs[i].lower], b = split->basins[pairs[i].higher];
    const uint32_t of_a = find (split->sets, a), of_b = find (split->sets, b);
    if (of_a == of_b)
      continue;
    const uint32_t dies = split->keys[of_a] < split->keys[of_b] ? of_a : of_b;
    if (distance_of (split, dies) - distance_of (split, pairs[i].lower) < depth)
      unite (split, split->parts, a, b);
    unite (split, split->sets, a, b);
  }
  free (pairs);
}

uint32_t
reference_split (uint8_t *mask, uint32_t width, uint32_t height, double depth)
{
  const size_t pixels = (size_t) width * height;
  uint8_t *before = malloc (pixels);
  Split split = {.width = width,
      .height = height,
      .mask = before,
      .keys = malloc (pixels * sizeof (uint64_t)),
      .basins = malloc (pixels * sizeof (uint32_t)),
      .sets = malloc (pixels * sizeof (uint32_t)),
      .parts = malloc (pixels * sizeof (uint32_t))};
  uint32_t parts = 0;
  memcpy (before, mask, pixels);
  find_keys (&split);
  find_basins (&split);
  find_parts (&split, depth);
  for (uint32_t i = 0; i < pixels; i++) {
    uint32_t neighbours[8];
    if (!before[i])
      continue;
    const uint32_t part = find (split.parts, split.basins[i]);
    const int count = neighbours_of (&split, i, neighbours);
    parts += part == i;
    for (int k = 0; k < count; k++)
      if (before[neighbours[k]]) {
        const uint32_t other = find (split.parts, split.basins[neighbours[k]]);
        if (other != part && split.keys[other] > split.keys[part])
          mask[i] = 0;
      }
  }
  free (before);
  free (split.keys);
  free (split.basins);
  free (split.sets);
  free (split.parts);
  return parts;
}
