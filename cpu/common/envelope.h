/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lower envelope of parabolas along a row (Meijster, Roerdink and Hesselink; Felzenszwalb and Huttenlocher): the squared Euclidean
 * distances of the row's pixels, from those within their columns. The pixel at S, whose column has a distance G, contributes (X - S)^2
 * + G^2 to the one at X. Internal. */
#ifndef CTR_CPU_COMMON_ENVELOPE_H
#define CTR_CPU_COMMON_ENVELOPE_H

#include <stddef.h>
#include <stdint.h>

/* A pixel whose parabola is the lowest from FROM on. */
typedef struct {
  uint32_t place, from;
  uint64_t height; /* of its lowest point */
} CtrParabola;

/* The first place from which on the parabola of B is not above that of A, which is to the left; END if it is not before. */
static inline uint32_t
ctr_parabola_meeting (const CtrParabola *a, const CtrParabola *b, uint32_t end)
{
  const int64_t twice = 2 * ((int64_t) b->place - a->place);
  const int64_t gap =
      (int64_t) b->place * b->place - (int64_t) a->place * a->place + (int64_t) b->height - (int64_t) a->height;
  if (gap <= 0)
    return 0;
  const int64_t place = (gap + twice - 1) / twice;
  return place < end ? (uint32_t) place : end;
}

/* Adds the parabola of the pixel at PLACE, which is to the right of all others, to the COUNT of an envelope for the places below END.
 * Returns the new number. */
static inline size_t
ctr_envelope_add (CtrParabola *envelope, size_t count, uint32_t place, uint32_t column, uint32_t end)
{
  CtrParabola next = {.place = place, .from = 0, .height = (uint64_t) column * column};
  while (count > 0 && (next.from = ctr_parabola_meeting (&envelope[count - 1], &next, end)) <= envelope[count - 1].from)
    count--;
  if (count == 0)
    next.from = 0;
  if (next.from < end)
    envelope[count++] = next;
  return count;
}

/* The distance at X, for which the parabola *K of COUNT > 0 was the lowest at a place before, or 0. */
static inline uint64_t
ctr_envelope_at (const CtrParabola *envelope, size_t count, size_t *k, uint32_t x)
{
  while (*k + 1 < count && envelope[*k + 1].from <= x)
    ++*k;
  const int64_t aside = (int64_t) x - envelope[*k].place;
  return (uint64_t) (aside * aside) + envelope[*k].height;
}

#endif
