/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The evolution of one object of the reference, from its start to its last line. */
#ifndef CTR_TESTS_SNAKE_EVOLUTION_H
#define CTR_TESTS_SNAKE_EVOLUTION_H

#include "tests/core/snake/polygons_reference.h"

/* All polygons of all objects so far. */
typedef struct {
  CtrSnakeState *states;
  uint64_t state_count;
  CtrPoint *points;
  uint64_t point_count;
  uint32_t row; /* of the object at work */
} Way;

typedef struct {
  const CtrSnakeParams *params;
  Way *way; /* NULL: nobody asks */
  Field field;
  double largest; /* sample */
  Node low, high; /* the window's corners */
  Sums all;       /* of the window */
  int32_t min_segment;
  int32_t max_step;
  Polygon line;
  double criterion; /* of the line */
  uint32_t iterations;
  bool stopped;      /* by their largest number */
  bool from_outline; /* steps of more than 1 get few iterations */
} Work;

/* The criterion's part of a region; the whole of it, infinite where one of the two regions is empty. */
double region_cost (const Work *work, Sums sums);
double split_cost (const Work *work, Sums inside);

/* The description length of the line. */
double line_length (const Work *work);

/* Moves, splits and prunes from LINE on, which it takes, by steps of DISTANCE first. */
void evolve (Work *work, Polygon line, int32_t distance);

#endif
