/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Making chain and crack codes: what both backends share, and the host's part. Internal. */
#ifndef CTR_CORE_RESULTS_CODES_H
#define CTR_CORE_RESULTS_CODES_H

#include <contours/codes.h>

CTR_BEGIN_DECLS

#ifdef __CUDACC__
#define CTR_CODES_RULE static inline __host__ __device__
#else
#define CTR_CODES_RULE static inline
#endif

/* The steps of a contour that has as many or more. Its result has no codes. */
#define CTR_CODES_TOO_MANY UINT32_MAX

/* Bits of a step. */
CTR_CODES_RULE uint32_t
ctr_codes_bits (CtrCoordinates coordinates)
{
  return coordinates == CTR_COORDINATES_CORNERS ? 2 : 3;
}

/* Bytes of a contour. */
CTR_CODES_RULE uint64_t
ctr_codes_size (uint32_t steps, uint32_t bits)
{
  return ((uint64_t) steps * bits + 7) / 8;
}

/* The number of steps from A to B, which lie on a horizontal, vertical or diagonal line. */
CTR_CODES_RULE uint32_t
ctr_codes_distance (CtrPoint a, CtrPoint b)
{
  const uint32_t dx = b.x > a.x ? b.x - a.x : a.x - b.x, dy = b.y > a.y ? b.y - a.y : a.y - b.y;
  return dx > dy ? dx : dy;
}

/* The direction of these steps; A and B differ. */
CTR_CODES_RULE uint32_t
ctr_codes_direction (CtrPoint a, CtrPoint b, uint32_t bits)
{
  const uint32_t x = (b.x >= a.x) + (b.x > a.x), y = (b.y >= a.y) + (b.y > a.y);
  /* A digit each, from the lower right to the upper left neighbour; the one in the middle is not used. */
  const uint32_t direction = 0765004123u >> 3 * (3 * y + x) & 7;
  return direction >> (3 - bits);
}

/* The segments of a contour's line. That of a closed one from the last point to the first is the last of them. */
CTR_CODES_RULE uint32_t
ctr_codes_segments (const CtrContour *row)
{
  return row->count - (row->flags & CTR_CONTOUR_OPEN ? 1 : 0);
}

/* The codes of a result in memory of their own. A backend appends the chains, makes room, and then fills in the bytes. */
typedef struct {
  CtrContourChain *chains;
  uint8_t *bytes; /* NULL until ctr_codes_make_room() */
  uint64_t size;  /* bytes of the chains so far */
  uint32_t bits;
} CtrCodeArrays;

/* Codes for CONTOURS, which have a number of rows. NULL and CTR_ERROR_OUT_OF_MEMORY when there is no memory. */
CtrCodeArrays *ctr_codes_new (const CtrContours *contours, CtrError *error);
void ctr_codes_free (CtrCodeArrays *codes);

/* Appends the chain of contour INDEX, behind those of all contours before it. */
static inline void
ctr_codes_append (CtrCodeArrays *codes, uint32_t index, uint32_t steps, CtrPoint first)
{
  CtrContourChain *chain = codes->chains + index;
  chain->offset = codes->size;
  chain->steps = steps;
  chain->first = first;
  codes->size += ctr_codes_size (steps, codes->bits);
}

/* Makes room for the bytes of all chains. False and CTR_ERROR_OUT_OF_MEMORY without memory. */
bool ctr_codes_make_room (CtrCodeArrays *codes, const CtrContours *contours, CtrError *error);

/* Fails: contour INDEX has CTR_CODES_TOO_MANY steps. */
bool ctr_codes_fail_steps (const CtrContours *contours, uint32_t index, CtrError *error);

/* Fills CODES with those of CONTOURS, whose arrays are TABLE and POINTS. */
bool ctr_codes_pack (CtrCodeArrays *codes, const CtrContours *contours, const CtrContour *table, const CtrPoint *points,
    CtrError *error);

CTR_END_DECLS

#endif
