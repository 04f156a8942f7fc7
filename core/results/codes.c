/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chain and crack codes on the host: packing, and reading them back. */
#include "core/results/codes.h"

#include "core/common/error.h"
#include "core/common/memory.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

CtrCodeArrays *
ctr_codes_new (const CtrContours *contours, CtrError *error)
{
  CtrCodeArrays *codes = calloc (1, sizeof *codes);
  if (codes) {
    codes->bits = ctr_codes_bits (contours->coordinates);
    /* malloc (0) may return NULL. */
    codes->chains = ctr_alloc_array ((size_t) contours->count + 1, sizeof *codes->chains);
  }
  if (codes && codes->chains)
    return codes;
  ctr_codes_free (codes);
  ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the codes of %u contours", contours->count);
  return NULL;
}

void
ctr_codes_free (CtrCodeArrays *codes)
{
  if (!codes)
    return;
  free (codes->chains);
  free (codes->bytes);
  free (codes);
}

bool
ctr_codes_fail_steps (const CtrContours *contours, uint32_t index, CtrError *error)
{
  return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY,
      "contour %u of a %u x %u image has more than %u steps, too many for codes: use its points", index,
      contours->width, contours->height, CTR_CODES_TOO_MANY - 1);
}

bool
ctr_codes_make_room (CtrCodeArrays *codes, const CtrContours *contours, CtrError *error)
{
  codes->bytes = ctr_alloc_array (codes->size + sizeof (uint64_t), 1); /* see pack_contour() */
  return codes->bytes
         || ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for codes: %llu bytes of %u contours",
             (unsigned long long) codes->size, contours->count);
}

static uint32_t
count_steps (const CtrPoint *points, const CtrContour *row)
{
  const uint32_t segments = ctr_codes_segments (row);
  uint64_t steps = 0;
  for (uint32_t i = 0; i < segments; i++)
    steps += ctr_codes_distance (points[i], points[i + 1 < row->count ? i + 1 : 0]);
  return steps < CTR_CODES_TOO_MANY ? (uint32_t) steps : CTR_CODES_TOO_MANY;
}

/* Writes up to 8 bytes behind the codes, too. */
static void
pack_contour (const CtrPoint *points, const CtrContour *row, uint32_t bits, uint8_t *to)
{
  const uint32_t segments = ctr_codes_segments (row);
  const uint64_t ones = bits == 2 ? UINT64_C (0x5555555555555555) : UINT64_C (0x1249249249249249); /* a step each */
  uint64_t waiting = 0; /* HELD bits, fewer than 8, that do not fill a byte yet */
  uint32_t held = 0;
  for (uint32_t i = 0; i < segments; i++) {
    const CtrPoint next = points[i + 1 < row->count ? i + 1 : 0];
    const uint64_t line = ctr_codes_direction (points[i], next, bits) * ones;
    for (uint32_t steps = ctr_codes_distance (points[i], next), some; steps > 0; steps -= some) {
      some = steps < 16 ? steps : 16;
      waiting |= (line & ((UINT64_C (1) << some * bits) - 1)) << held;
      const uint64_t bytes = htole64 (waiting);
      memcpy (to, &bytes, sizeof bytes);
      held += some * bits;
      to += held / 8;
      waiting >>= held / 8 * 8;
      held %= 8;
    }
  }
}

bool
ctr_codes_pack (
    CtrCodeArrays *codes, const CtrContours *contours, const CtrContour *table, const CtrPoint *points, CtrError *error)
{
  for (uint32_t i = 0; i < contours->count; i++) {
    const CtrPoint *line = points + table[i].first;
    const uint32_t steps = count_steps (line, &table[i]);
    if (steps == CTR_CODES_TOO_MANY)
      return ctr_codes_fail_steps (contours, i, error);
    ctr_codes_append (codes, i, steps, line[0]);
  }
  if (!ctr_codes_make_room (codes, contours, error))
    return false;
  for (uint32_t i = 0; i < contours->count; i++)
    pack_contour (points + table[i].first, &table[i], codes->bits, codes->bytes + codes->chains[i].offset);
  return true;
}

/* Reads the codes of one contour, step by step. */
typedef struct {
  const uint8_t *bytes;
  uint32_t bits;
  uint32_t waiting;
  uint32_t held;
} Reader;

static inline uint32_t
read_step (Reader *r)
{
  if (r->held < r->bits) {
    r->waiting |= (uint32_t) *r->bytes++ << r->held;
    r->held += 8;
  }
  const uint32_t direction = r->waiting & ((1u << r->bits) - 1);
  r->waiting >>= r->bits;
  r->held -= r->bits;
  return direction;
}

static Reader
reader_of (const CtrContourCodes *codes, uint32_t index)
{
  return (Reader){.bytes = codes->bytes + codes->chains[index].offset, .bits = codes->bits};
}

/* The last step's direction, to the first point. */
static uint32_t
last_direction (const CtrContourCodes *codes, uint32_t index)
{
  const CtrContourChain *chain = &codes->chains[index];
  const uint64_t first = ((uint64_t) chain->steps - 1) * codes->bits;
  const uint8_t *byte = codes->bytes + chain->offset + first / 8;
  const uint32_t shift = first % 8, next = shift + codes->bits > 8 ? byte[1] : 0;
  return (byte[0] | next << 8) >> shift & ((1u << codes->bits) - 1);
}

void
ctr_contour_codes_unpack (const CtrContourCodes *codes, uint32_t index, uint8_t *to)
{
  Reader reader = reader_of (codes, index);
  for (uint32_t i = 0, steps = codes->chains[index].steps; i < steps; i++)
    to[i] = (uint8_t) read_step (&reader);
}

/* From POINT to its neighbour; DIRECTION is one of eight. */
static inline CtrPoint
step_from (CtrPoint point, uint32_t direction)
{
  /* The differences and 1, in 2 bits for each direction. */
  point.x = (uint16_t) (point.x + (0x901a >> 2 * direction & 3) - 1);
  point.y = (uint16_t) (point.y + (0xa901 >> 2 * direction & 3) - 1);
  return point;
}

uint32_t
ctr_contour_codes_decode (const CtrContourCodes *codes, uint32_t index, CtrVertices vertices, CtrPoint *to)
{
  const uint32_t steps = codes->chains[index].steps;
  Reader reader = reader_of (codes, index);
  CtrPoint point = codes->chains[index].first;
  if (steps == 0) {
    if (to)
      to[0] = point;
    return 1;
  }
  uint32_t count = 0, former = last_direction (codes, index);
  for (uint32_t i = 0; i < steps; i++) {
    const uint32_t code = read_step (&reader);
    if (vertices == CTR_VERTICES_STEPS || code != former) {
      if (to)
        to[count] = point;
      count++;
    }
    former = code;
    point = step_from (point, code << (3 - codes->bits));
  }
  return count;
}

uint32_t
ctr_contour_codes_decode_open (const CtrContourCodes *codes, uint32_t index, CtrPoint *to)
{
  const uint32_t steps = codes->chains[index].steps;
  Reader reader = reader_of (codes, index);
  CtrPoint point = codes->chains[index].first;
  for (uint32_t i = 0; to && i <= steps; i++) {
    to[i] = point;
    if (i < steps)
      point = step_from (point, read_step (&reader) << (3 - codes->bits));
  }
  return steps + 1;
}
