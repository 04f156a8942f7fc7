/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hierarchy of level contours over all levels (include/contours/cracks.h): what both backends decide alike. For host
 * and CUDA device code. Internal.
 *
 * Contours have numbers in the order of levels and first points. Each has a parent in its own level, or none, and a
 * link: of an outer contour to the outer contour of the component of the next lower level that contains its component,
 * and of a hole to the hole of the next higher level that contains its background, or none. Parents and links of outer
 * contours have smaller numbers, links of holes have larger ones.
 *
 * To find a link, go west from the first pixel of the component or hole, which is right of and below the first point,
 * in the other level: across its foreground for an outer contour, across its background for a hole. The line at the end
 * belongs to the contour to link to, if it is of the same type, or else to one whose parent in its level that is.
 *
 * The extreme of an outer contour is the largest number among itself and the contours that have links to it, directly
 * or by others; of a hole, the smallest number. So the contours of a branch are those of one extreme, and the other end
 * of the branch is where the next link has another one. */
#ifndef CTR_CORE_CRACKS_NESTING_H
#define CTR_CORE_CRACKS_NESTING_H

#include <contours/cracks.h>

#ifdef __CUDACC__
#define CTR_NESTING_RULE static inline __host__ __device__
#else
#define CTR_NESTING_RULE static inline
#endif

/* In place of a parent or link: there is none. */
#define CTR_NESTING_NONE ((1u << 31) - 1)

/* The parent of an outer contour, which has LINK. AROUND is the hole of its level around it, if there is one, and
 * AROUND_LINK the link of the parent of that. A hole keeps the parent of its level. */
CTR_NESTING_RULE uint32_t
ctr_nesting_parent (uint32_t link, uint32_t around, uint32_t around_link)
{
  return around != CTR_NESTING_NONE && around_link == link ? around : link;
}

/* END_0, END_1: the levels of both ends of the branch, in any order. */
CTR_NESTING_RULE CtrContourNesting
ctr_nesting_of (uint32_t depth, uint32_t end_0, uint32_t end_1)
{
  CtrContourNesting nesting;
  nesting.depth = depth;
  nesting.birth = end_0 < end_1 ? end_0 : end_1;
  nesting.death = end_0 < end_1 ? end_1 : end_0;
  return nesting;
}

CTR_NESTING_RULE bool
ctr_nesting_keeps (CtrContourNesting nesting, uint32_t min_persistence, uint32_t max_depth)
{
  return nesting.death - nesting.birth >= min_persistence && nesting.depth <= max_depth;
}

#endif
