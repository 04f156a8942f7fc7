/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/results/codes_reference.h"

#include "tests/core/common/testing.h"
#include "tests/core/results/contours.h"

#include <stdlib.h>
#include <string.h>

/* The differences to the neighbours in the order of their codes. */
static const int eight[8][2] = {{1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}, {0, 1}, {1, 1}};
static const int four[4][2] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}};

/* A contour, step by step. */
typedef struct {
  uint8_t *codes;
  CtrPoint *points; /* before each step */
  uint32_t steps;
} Walk;

static int
sign (int value)
{
  return (value > 0) - (value < 0);
}

static uint8_t
code_of (int dx, int dy, CtrCoordinates coordinates)
{
  const int (*neighbours)[2] = coordinates == CTR_COORDINATES_CORNERS ? four : eight;
  for (uint8_t i = 0; i < (coordinates == CTR_COORDINATES_CORNERS ? 4 : 8); i++)
    if (neighbours[i][0] == dx && neighbours[i][1] == dy)
      return i;
  fail (__FILE__, __LINE__, "a step in a direction without a code");
}

/* Walks from point to point. WALK has room for all steps of any contour of the result. */
static void
walk (const CtrPoint *points, uint32_t count, bool open, CtrCoordinates coordinates, Walk *to)
{
  to->steps = 0;
  for (uint32_t i = 0; i < (open ? count - 1 : count); i++) {
    CtrPoint at = points[i];
    const CtrPoint end = points[(i + 1) % count];
    while (at.x != end.x || at.y != end.y) {
      const int dx = sign (end.x - at.x), dy = sign (end.y - at.y);
      to->points[to->steps] = at;
      to->codes[to->steps++] = code_of (dx, dy, coordinates);
      at.x = (uint16_t) (at.x + dx);
      at.y = (uint16_t) (at.y + dy);
    }
  }
}

static uint64_t
most_steps (const CtrContours *info, const CtrContour *table, const CtrPoint *points)
{
  uint64_t most = 2;
  for (uint32_t i = 0; i < info->count; i++) {
    uint64_t steps = 0;
    for (uint32_t k = 0; k < table[i].count; k++) {
      const CtrPoint a = points[table[i].first + k], b = points[table[i].first + (k + 1) % table[i].count];
      steps += (uint64_t) (abs (a.x - b.x) > abs (a.y - b.y) ? abs (a.x - b.x) : abs (a.y - b.y));
    }
    most = steps > most ? steps : most;
  }
  return most;
}

/* The packed codes, one bit after the other. */
static void
check_bits (const CtrContourCodes *codes, const CtrContourChain *chain, const Walk *line)
{
  const uint8_t *bytes = codes->bytes + chain->offset;
  uint64_t bit = 0;
  for (uint32_t k = 0; k < line->steps; k++)
    for (uint32_t b = 0; b < codes->bits; b++, bit++)
      CHECK ((bytes[bit / 8] >> bit % 8 & 1) == (line->codes[k] >> b & 1));
  for (; bit % 8; bit++)
    CHECK ((bytes[bit / 8] >> bit % 8 & 1) == 0);
}

static void
check_contour (const CtrContourCodes *codes, uint32_t index, const Contours *all, const Walk *line, CtrPoint *decoded,
    uint8_t *unpacked)
{
  const CtrContour *row = &all->table[index];
  const CtrPoint *points = all->points + row->first;
  const size_t size = row->count * sizeof *points;
  CHECK (codes->chains[index].steps == line->steps);
  CHECK (memcmp (&codes->chains[index].first, points, sizeof *points) == 0);
  check_bits (codes, &codes->chains[index], line);
  ctr_contour_codes_unpack (codes, index, unpacked);
  CHECK (memcmp (unpacked, line->codes, line->steps) == 0);
  if (row->flags & CTR_CONTOUR_OPEN) {
    CHECK (ctr_contour_codes_decode_open (codes, index, NULL) == row->count);
    CHECK (ctr_contour_codes_decode_open (codes, index, decoded) == row->count);
    CHECK (memcmp (decoded, points, size) == 0);
    return;
  }
  CHECK (ctr_contour_codes_decode (codes, index, all->info.vertices, NULL) == row->count);
  CHECK (ctr_contour_codes_decode (codes, index, all->info.vertices, decoded) == row->count);
  CHECK (memcmp (decoded, points, size) == 0);
  const uint32_t steps = line->steps > 0 ? line->steps : 1;
  CHECK (ctr_contour_codes_decode (codes, index, CTR_VERTICES_STEPS, decoded) == steps);
  CHECK (memcmp (decoded, line->steps > 0 ? line->points : points, steps * sizeof *decoded) == 0);
}

static void
check_no_codes (CtrContours *contours)
{
  CtrContourCodes codes = {.size = 7};
  CtrError error = {.status = CTR_OK};
  CHECK (!ctr_contours_have_codes (contours));
  CHECK (!ctr_contours_map_codes (contours, &codes, &error) && error.status == CTR_ERROR_INVALID_ARGUMENT);
  CHECK (strstr (error.message, "epsilon") && codes.size == 7);
  CHECK (!ctr_contours_map_codes (contours, &codes, NULL));
}

void
check_codes (CtrContours *contours)
{
  CtrContourCodes codes, again;
  CtrError error;
  if (contours->vertices == CTR_VERTICES_ANY) {
    check_no_codes (contours);
    return;
  }
  CHECK (ctr_contours_have_codes (contours));
  if (!ctr_contours_map_codes (contours, &codes, &error))
    fail (__FILE__, __LINE__, error.message);
  CHECK (ctr_contours_map_codes (contours, &again, NULL) && again.bytes == codes.bytes && again.chains == codes.chains);
  CHECK (codes.bits == (contours->coordinates == CTR_COORDINATES_CORNERS ? 2 : 3));
  CHECK (codes.bytes && codes.chains);

  const Contours all = contours_of (contours);
  const uint64_t most = most_steps (contours, all.table, all.points);
  Walk line = {malloc (most), malloc (most * sizeof (CtrPoint)), 0};
  CtrPoint *decoded = malloc (most * sizeof *decoded);
  uint8_t *unpacked = malloc (most);
  uint64_t offset = 0;
  for (uint32_t i = 0; i < contours->count; i++) {
    walk (all.points + all.table[i].first, all.table[i].count, all.table[i].flags & CTR_CONTOUR_OPEN,
        contours->coordinates, &line);
    CHECK (codes.chains[i].offset == offset);
    check_contour (&codes, i, &all, &line, decoded, unpacked);
    offset += ((uint64_t) line.steps * codes.bits + 7) / 8;
  }
  CHECK (codes.size == offset);
  free (line.codes);
  free (line.points);
  free (decoded);
  free (unpacked);
}

void
check_codes_equal (CtrContours *one, CtrContours *other)
{
  CtrContourCodes a, b;
  CHECK (one->vertices == other->vertices);
  if (one->vertices == CTR_VERTICES_ANY)
    return;
  CHECK (ctr_contours_map_codes (one, &a, NULL) && ctr_contours_map_codes (other, &b, NULL));
  CHECK (a.size == b.size && a.bits == b.bits && one->count == other->count);
  CHECK (memcmp (a.bytes, b.bytes, a.size) == 0);
  CHECK (memcmp (a.chains, b.chains, one->count * sizeof *a.chains) == 0);
}
