/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Links between edge pixels, by the rules in include/contours/edgechains.h, for both backends. Internal.
 *
 * A set of neighbours has a bit for each direction: bit 0 is the pixel to the right, and the others follow clockwise on the
 * screen. */
#ifndef CTR_CORE_EDGECHAINS_LINKS_H
#define CTR_CORE_EDGECHAINS_LINKS_H

#include <contours/contourlist.h>

CTR_BEGIN_DECLS

#ifdef __CUDACC__
#define CTR_LINKS_RULE static inline __host__ __device__
#else
#define CTR_LINKS_RULE static inline
#endif

#define CTR_LINKS_DIRECTIONS 8

/* The lengths of links in CTR_LENGTH_UNIT; the diagonal one is the square root of 2, rounded to float. */
#define CTR_LINK_STRAIGHT (UINT64_C (1) << 23)
#define CTR_LINK_DIAGONAL UINT64_C (11863283)

/* The linked ones of an edge pixel's NEIGHBOURS that are edge pixels. */
CTR_LINKS_RULE uint32_t
ctr_links_of (uint32_t neighbours)
{
  const uint32_t straight = neighbours & 0x55;
  const uint32_t covered = straight << 1 | straight >> 1 | straight << 7; /* corners beside a straight one */
  return straight | (neighbours & 0xaa & ~covered);
}

CTR_LINKS_RULE int32_t
ctr_link_x (uint32_t direction)
{
  /* The differences and 1, in 2 bits for each direction. */
  return (int32_t) (0x901a >> 2 * direction & 3) - 1;
}

CTR_LINKS_RULE int32_t
ctr_link_y (uint32_t direction)
{
  return (int32_t) (0x01a9 >> 2 * direction & 3) - 1;
}

/* The direction from the other end of a link. */
CTR_LINKS_RULE uint32_t
ctr_link_back (uint32_t direction)
{
  return direction ^ 4;
}

CTR_LINKS_RULE uint64_t
ctr_link_length (uint32_t direction)
{
  return direction & 1 ? CTR_LINK_DIAGONAL : CTR_LINK_STRAIGHT;
}

CTR_END_DECLS

#endif
