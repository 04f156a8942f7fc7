/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Splitting of touching parts (CtrForeground.split_touching), for the host and for CUDA device code. Internal.
 *
 * 1. Distance. Each foreground pixel has the squared Euclidean distance D to the nearest background pixel of the image, at
 *    most and without any background CTR_SPLIT_FAR. Pixels are ordered by their keys (D, number in raster order).
 * 2. Basins. Each pixel ascends to that of its 8 neighbours with the greatest key, if this is greater than its own. The
 *    pixels that ascend to the same peak are its basin.
 * 3. Parts. A pair is two 8-adjacent pixels of different basins; the lower one is its saddle. Pairs are taken in descending
 *    order of the keys of their lower pixels, then of their higher ones. A pair joins two sets of basins, if they are not one
 *    set already. The set with the lower peak dies there: its persistence is that peak's distance less the saddle's, as
 *    roots. If it is less than the depth, both basins of the pair belong to the same part.
 * 4. Cut. Of two 8-adjacent pixels of different parts, the one of the part with the lower highest peak becomes background.
 *
 * So there are as many parts as the distance has maxima of at least this height (h-maxima), each counted once where a
 * plateau has several pixels. Distances of neighbours differ by sqrt (2) at most. From a depth above it on no peak of a
 * part is cut, and each part leaves something.
 *
 * Saddles. A pixel's neighbours with greater keys fall into groups of neighbours that are 8-adjacent to one another. Only
 * pixels with several groups, the saddles, are of interest: pairs of the same group are connected by higher pairs. So a
 * saddle has one pair with each group, whose highest pixel is the other pixel, but for the group of the pixel that it
 * ascends to.
 *
 * Links. The pairs at which sets die make a forest, which does not depend on the order in which pairs are considered: for
 * each peak, the link is the highest pair known that joins it to a higher peak. It is a triplet merge tree (Smirnov and
 * Morozov, 2017). Following links of at least some key from a peak leads to the highest peak of its set at that key. A pair
 * of a higher key than that of a link replaces it, and what it has replaced is added from the other peak on. A thread
 * replaces a link by one comparison and exchange, so any number of threads add pairs at once, and none waits for another:
 * a link that has been read always was true, and keys of links only grow. */
#ifndef CTR_CORE_FOREGROUND_SPLIT_H
#define CTR_CORE_FOREGROUND_SPLIT_H

#include <contours/foreground.h>

#ifdef __CUDACC__
#define CTR_SPLIT_FUNC static inline __device__
#else
#define CTR_SPLIT_FUNC static inline
#endif

#define CTR_SPLIT_FAR UINT32_MAX

/* Arrays by pixel have rows of STRIDE = width + 1 numbers. A pixel's number is its place there, which keeps the raster order,
 * and fits 32 bits. Before the first row and behind the last one, DISTANCES has a row of zeros as well; so all pixels have
 * eight neighbours.
 *
 * Pixels of a block of 2 x 2 are adjacent: a block has one peak at most, and its number stands for the peak. */
typedef struct {
  uint32_t width, height, stride;
  uint32_t blocks_x;         /* blocks in a row */
  uint32_t depth;            /* in 1/16 pixels, 1 .. CTR_MAX_SPLIT_DEPTH */
  uint32_t *distances;       /* by pixel; 0: background */
  uint32_t *labels;          /* by pixel of the foreground: one that it ascends to, at last its peak */
  uint32_t *peaks;           /* by block: the peak's pixel */
  uint32_t *parts;           /* by block: one with a higher peak of the same part, or itself */
  unsigned long long *links; /* by block: see CTR_SPLIT_LINK; 0: none. Pixel 0 is in a corner, and no saddle. */
} CtrSplit;

/* A link: the saddle's pixel, which of its pairs, the block of a peak on the other side. Links of greater saddles are
 * higher; of those of one saddle, that with the lower RANK. */
#define CTR_SPLIT_LINK(saddle, rank, block) ((unsigned long long) (saddle) << 32 | (rank) << 30 | (block))

CTR_SPLIT_FUNC uint32_t
ctr_split_saddle (unsigned long long link)
{
  return (uint32_t) (link >> 32);
}

CTR_SPLIT_FUNC uint32_t
ctr_split_rank (unsigned long long link)
{
  return (uint32_t) (link >> 30) & 3;
}

CTR_SPLIT_FUNC uint32_t
ctr_split_other (unsigned long long link)
{
  return (uint32_t) link & ((UINT32_C (1) << 30) - 1);
}

/* Is sqrt (PEAK) - sqrt (SADDLE) < DEPTH / 16? PEAK >= SADDLE >= 1, 1 <= DEPTH <= CTR_MAX_SPLIT_DEPTH.
 *
 * That is 256 (PEAK - SADDLE) - DEPTH^2 < 32 DEPTH sqrt (SADDLE). With the quotient Q and the remainder R of the left side
 * and 32 DEPTH, it is (Q + R / (32 DEPTH))^2 < SADDLE. */
CTR_SPLIT_FUNC bool
ctr_split_is_shallow (uint32_t peak, uint32_t saddle, uint32_t depth)
{
  const int64_t excess = 256 * ((int64_t) peak - saddle) - (int64_t) depth * depth;
  if (excess < 0)
    return true;
  const uint64_t unit = 32 * (uint64_t) depth, q = (uint64_t) excess / unit, r = (uint64_t) excess % unit;
  if (q >= 65536 || q * q >= saddle)
    return false;
  const uint64_t rest = saddle - q * q;
  if (rest > 2 * q) /* (Q + 1)^2 <= SADDLE */
    return true;
  return rest * unit * unit > 2 * q * r * unit + r * r;
}

/* --- The neighbours of a pixel, clockwise: bit or number 0 is the one above, 7 the one above on the left. --- */

/* The distance from pixel to neighbour DIRECTION in an array. */
CTR_SPLIT_FUNC int64_t
ctr_split_step (uint32_t stride, uint32_t direction)
{
  const int64_t up_or_down = direction >= 3 && direction <= 5 ? 1 : direction >= 2 && direction <= 6 ? 0 : -1;
  const int64_t aside = direction >= 1 && direction <= 3 ? 1 : direction >= 5 ? -1 : 0;
  return up_or_down * (int64_t) stride + aside;
}

CTR_SPLIT_FUNC void
ctr_split_load_around (const uint32_t *at, uint32_t stride, uint32_t around[8])
{
  const uint32_t *above = at - stride, *below = at + stride;
  around[0] = above[0];
  around[1] = above[1];
  around[2] = at[1];
  around[3] = below[1];
  around[4] = below[0];
  around[5] = below[-1];
  around[6] = at[-1];
  around[7] = above[-1];
}

/* Those with greater keys than a pixel with the distance OWN: of equal distances the later ones. */
CTR_SPLIT_FUNC uint32_t
ctr_split_higher (const uint32_t around[8], uint32_t own)
{
  uint32_t greater = 0;
  for (int i = 0; i < 8; i++)
    greater |= (uint32_t) (i >= 2 && i <= 5 ? around[i] >= own : around[i] > own) << i;
  return greater;
}

#define CTR_SPLIT_PEAK 8 /* no direction */

/* What is known of a pixel when some of its neighbours have been considered. */
typedef struct {
  uint32_t direction, greatest, higher;
} CtrSplitAscent;

/* Considers neighbour DIRECTION, which comes after the former ones in raster order. */
CTR_SPLIT_FUNC void
ctr_split_consider (CtrSplitAscent *ascent, const uint32_t around[8], uint32_t direction, bool is_higher)
{
  const uint32_t distance = around[direction];
  const bool takes = is_higher & (distance >= ascent->greatest);
  ascent->direction = takes ? direction : ascent->direction;
  ascent->greatest = distance > ascent->greatest ? distance : ascent->greatest;
  ascent->higher |= (uint32_t) is_higher << direction;
}

/* Where a pixel with the distance OWN ascends to, or CTR_SPLIT_PEAK. *HIGHER: as ctr_split_higher(). Of equal neighbours the last
 * one counts. */
CTR_SPLIT_FUNC uint32_t
ctr_split_ascend (const uint32_t around[8], uint32_t own, uint32_t *higher)
{
  CtrSplitAscent ascent;
  ascent.direction = CTR_SPLIT_PEAK;
  ascent.greatest = own;
  ascent.higher = 0;
  ctr_split_consider (&ascent, around, 7, around[7] > own);
  ctr_split_consider (&ascent, around, 0, around[0] > own);
  ctr_split_consider (&ascent, around, 1, around[1] > own);
  ctr_split_consider (&ascent, around, 6, around[6] > own);
  ctr_split_consider (&ascent, around, 2, around[2] >= own);
  ctr_split_consider (&ascent, around, 5, around[5] >= own);
  ctr_split_consider (&ascent, around, 4, around[4] >= own);
  ctr_split_consider (&ascent, around, 3, around[3] >= own);
  *higher = ascent.higher;
  return ascent.direction;
}

/* The one of SOME, not 0, with the greatest key. */
CTR_SPLIT_FUNC uint32_t
ctr_split_greatest (const uint32_t around[8], uint32_t some)
{
  const uint32_t raster = 0x03567421; /* four bits for each: its place in raster order */
  uint64_t greatest = 0;
  uint32_t found = 0;
  for (uint32_t i = 0; i < 8; i++) {
    const uint64_t key = ((uint64_t) around[i] << 4 | (raster >> 4 * i & 15)) + 1;
    if (some >> i & 1 && key > greatest) {
      greatest = key;
      found = i;
    }
  }
  return found;
}

CTR_SPLIT_FUNC uint32_t
ctr_split_turn (uint32_t some, uint32_t left)
{
  return (some << (left & 7) | some >> (-left & 7)) & 255;
}

/* SOME with each corner between two sides that are in SOME: so groups are successive bits. */
CTR_SPLIT_FUNC uint32_t
ctr_split_fill_corners (uint32_t some)
{
  const uint32_t sides = some & 0x55;
  return some | (ctr_split_turn (sides, 1) & ctr_split_turn (sides, 7));
}

/* Is a pixel a saddle, whose higher neighbours are HIGHER? */
CTR_SPLIT_FUNC bool
ctr_split_is_saddle (uint32_t higher)
{
  const uint32_t filled = ctr_split_fill_corners (higher), first = filled & ~ctr_split_turn (filled, 1);
  return (first & (first - 1)) != 0;
}

/* The greatest of each group of HIGHER, in descending order of their keys. Returns how many groups there are. */
CTR_SPLIT_FUNC uint32_t
ctr_split_groups (const uint32_t around[8], uint32_t higher, uint32_t greatest[4])
{
  const uint32_t filled = ctr_split_fill_corners (higher);
  uint32_t rest = higher, count = 0;
  while (rest) {
    const uint32_t most = ctr_split_greatest (around, rest);
    uint32_t group = 1u << most;
    for (int i = 0; i < 4; i++) /* of several groups, none has more than five neighbours */
      group |= (ctr_split_turn (group, 1) | ctr_split_turn (group, 7)) & filled;
    greatest[count++] = most;
    rest &= ~group;
  }
  return count;
}

/* --- Links --- */

CTR_SPLIT_FUNC unsigned long long
ctr_split_load_link (const unsigned long long *link)
{
#ifdef __CUDACC__
  return *(const volatile unsigned long long *) link;
#else
  return __atomic_load_n (link, __ATOMIC_RELAXED);
#endif
}

/* Makes *LINK NEXT if it is LINK, and says whether it was. */
CTR_SPLIT_FUNC bool
ctr_split_replace_link (unsigned long long *at, unsigned long long link, unsigned long long next)
{
#ifdef __CUDACC__
  return atomicCAS (at, link, next) == link;
#else
  return __atomic_compare_exchange_n (at, &link, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

CTR_SPLIT_FUNC uint32_t
ctr_split_load (const uint32_t *number)
{
#ifdef __CUDACC__
  return *(const volatile uint32_t *) number;
#else
  return __atomic_load_n (number, __ATOMIC_RELAXED);
#endif
}

CTR_SPLIT_FUNC void
ctr_split_store (uint32_t *number, uint32_t value)
{
#ifdef __CUDACC__
  *(volatile uint32_t *) number = value;
#else
  __atomic_store_n (number, value, __ATOMIC_RELAXED);
#endif
}

CTR_SPLIT_FUNC uint32_t
ctr_split_block (const CtrSplit *split, uint32_t pixel)
{
  const uint32_t y = pixel / split->stride, x = pixel % split->stride;
  return y / 2 * split->blocks_x + x / 2;
}

/* Has pixel A the greater key? */
CTR_SPLIT_FUNC bool
ctr_split_is_higher (const CtrSplit *split, uint32_t a, uint32_t b)
{
  const uint32_t of_a = split->distances[a], of_b = split->distances[b];
  return of_a != of_b ? of_a > of_b : a > b;
}

/* Has LINK the greater key? 0 has none. */
CTR_SPLIT_FUNC bool
ctr_split_link_is_higher (const CtrSplit *split, unsigned long long link, unsigned long long other)
{
  const uint32_t a = ctr_split_saddle (link), b = ctr_split_saddle (other);
  if (link == 0 || other == 0 || a == b)
    return link != 0 && (other == 0 || ctr_split_rank (link) < ctr_split_rank (other));
  return ctr_split_is_higher (split, a, b);
}

/* The peak of PIXEL's basin. Labels of other threads' pixels may change meanwhile, to pixels farther on. */
CTR_SPLIT_FUNC uint32_t
ctr_split_find_peak (const CtrSplit *split, uint32_t pixel)
{
  for (;;) {
    const uint32_t up = ctr_split_load (&split->labels[pixel]);
    if (up == pixel)
      return up;
    pixel = up;
  }
}

/* The highest peak of the set of BLOCK when all pairs higher than LINK are added. *LAST: its own link, which is lower. Links to
 * peaks that have a higher link than they themselves are led on to where that leads. */
CTR_SPLIT_FUNC uint32_t
ctr_split_find_highest (const CtrSplit *split, uint32_t block, unsigned long long link, unsigned long long *last)
{
  unsigned long long own = ctr_split_load_link (&split->links[block]);
  while (ctr_split_link_is_higher (split, own, link)) {
    const uint32_t other = ctr_split_other (own);
    const unsigned long long next = ctr_split_load_link (&split->links[other]);
    if (ctr_split_link_is_higher (split, next, own))
      ctr_split_replace_link (&split->links[block], own,
          CTR_SPLIT_LINK (ctr_split_saddle (own), (unsigned long long) ctr_split_rank (own), ctr_split_other (next)));
    block = other;
    own = next;
  }
  *last = own;
  return block;
}

/* Adds the pair of LINK, which joins the peaks of A and B. */
CTR_SPLIT_FUNC void
ctr_split_add (const CtrSplit *split, uint32_t a, uint32_t b, uint32_t saddle, uint32_t rank)
{
  unsigned long long link = CTR_SPLIT_LINK (saddle, (unsigned long long) rank, 0);
  for (;;) {
    unsigned long long of_a, of_b;
    a = ctr_split_find_highest (split, a, link, &of_a);
    b = ctr_split_find_highest (split, b, link, &of_b);
    if (a == b)
      return;
    const bool a_dies = ctr_split_is_higher (split, split->peaks[b], split->peaks[a]);
    const uint32_t dies = a_dies ? a : b, survives = a_dies ? b : a;
    const unsigned long long before = a_dies ? of_a : of_b;
    if (!ctr_split_replace_link (&split->links[dies], before, link | survives))
      continue;
    if (before == 0)
      return;
    a = survives;
    b = ctr_split_other (before);
    link = before - b;
  }
}

/* Adds the pairs of saddle PIXEL. */
CTR_SPLIT_FUNC void
ctr_split_add_saddle (const CtrSplit *split, uint32_t pixel)
{
  const uint32_t *at = split->distances + pixel;
  uint32_t around[8], greatest[4];
  ctr_split_load_around (at, split->stride, around);
  const uint32_t count = ctr_split_groups (around, ctr_split_higher (around, *at), greatest);
  const uint32_t peak = ctr_split_find_peak (split, pixel), block = ctr_split_block (split, peak);
  for (uint32_t i = 1; i < count; i++) {
    const uint32_t other = (uint32_t) (pixel + ctr_split_step (split->stride, greatest[i]));
    const uint32_t other_peak = ctr_split_find_peak (split, other);
    if (other_peak != peak)
      ctr_split_add (split, block, ctr_split_block (split, other_peak), pixel, i - 1);
  }
}

/* --- Parts --- */

/* The block with the highest peak of BLOCK's part. */
CTR_SPLIT_FUNC uint32_t
ctr_split_find_part (const CtrSplit *split, uint32_t block)
{
  uint32_t up = ctr_split_load (&split->parts[block]);
  for (;;) {
    const uint32_t next = ctr_split_load (&split->parts[up]);
    if (next == up)
      return up;
    ctr_split_store (&split->parts[block], next);
    block = up;
    up = next;
  }
}

/* Makes one part of those of A and B. */
CTR_SPLIT_FUNC void
ctr_split_join_parts (const CtrSplit *split, uint32_t a, uint32_t b)
{
  for (;;) {
    a = ctr_split_find_part (split, a);
    b = ctr_split_find_part (split, b);
    if (a == b)
      return;
    const bool a_ends = ctr_split_is_higher (split, split->peaks[b], split->peaks[a]);
    uint32_t ends = a_ends ? a : b;
    const uint32_t goes_on = a_ends ? b : a;
#ifdef __CUDACC__
    if (atomicCAS (&split->parts[ends], ends, goes_on) == ends)
      return;
#else
    uint32_t *part = &split->parts[ends];
    if (__atomic_compare_exchange_n (part, &ends, goes_on, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return;
#endif
  }
}

/* When all links are complete: does the set of PEAK die, a peak's pixel? If its persistence is less than the depth, both basins
 * become one part. Returns whether it is not, so that something is to be cut. */
CTR_SPLIT_FUNC bool
ctr_split_decide (const CtrSplit *split, uint32_t peak)
{
  const unsigned long long link = split->links[ctr_split_block (split, peak)];
  if (link == 0)
    return false;
  const uint32_t saddle = ctr_split_saddle (link);
  const uint32_t *at = split->distances + saddle;
  if (!ctr_split_is_shallow (split->distances[peak], *at, split->depth))
    return true;
  uint32_t around[8], greatest[4];
  ctr_split_load_around (at, split->stride, around);
  ctr_split_groups (around, ctr_split_higher (around, *at), greatest);
  const uint32_t other = (uint32_t) (saddle + ctr_split_step (split->stride, greatest[1 + ctr_split_rank (link)]));
  ctr_split_join_parts (
      split, ctr_split_block (split, split->labels[saddle]), ctr_split_block (split, split->labels[other]));
  return false;
}

/* Is PIXEL of the foreground to be cut? All labels are peaks. */
CTR_SPLIT_FUNC bool
ctr_split_is_cut (const CtrSplit *split, uint32_t pixel)
{
  const uint32_t label = split->labels[pixel];
  for (uint32_t i = 0; i < 8; i++) {
    const uint32_t *at = split->distances + pixel + ctr_split_step (split->stride, i);
    if (*at == 0)
      continue;
    const uint32_t other = split->labels[at - split->distances];
    if (other == label)
      continue;
    const uint32_t own_part = ctr_split_find_part (split, ctr_split_block (split, label));
    const uint32_t other_part = ctr_split_find_part (split, ctr_split_block (split, other));
    if (own_part != other_part && ctr_split_is_higher (split, split->peaks[other_part], split->peaks[own_part]))
      return true;
  }
  return false;
}

#endif
