/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OpenCV's approxPolyDP() of closed lines by its definition, as slow as it is plain. */
#ifndef CTR_TESTS_SIMPLIFY_REFERENCE_H
#define CTR_TESTS_SIMPLIFY_REFERENCE_H

#include "tests/core/common/shapes.h"

CTR_BEGIN_DECLS

/* What points between two that are kept are measured from. */
typedef enum {
  REFERENCE_LINE,   /* the line through both, endless: OpenCV before 4.13 */
  REFERENCE_SEGMENT /* what is between them: OpenCV 4.13 and newer */
} ReferenceDistance;

/* Writes to TO, room for COUNT, what remains of POINTS; returns how many. */
uint32_t reference_simplify (
    const CtrPoint *points, uint32_t count, double epsilon, ReferenceDistance distance, CtrPoint *to);

/* A closed line that simplification may get wrong: repeated points, straight ones, ones that turn back, ones as long as
 * coordinates allow. POINTS: room for RANDOM_LINE_POINTS. Returns how many. */
#define RANDOM_LINE_POINTS 60
uint32_t random_line (Random *random, CtrPoint *points);

/* Fractions, whole numbers, roots, nothing at all and more than any distance. */
double random_epsilon (Random *random);

CTR_END_DECLS

#endif
