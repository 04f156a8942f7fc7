/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Polygons on the corners of pixels by definition: the pixels inside, whether a polygon is simple, random polygons. */
#ifndef CTR_TESTS_SNAKE_POLYGONS_H
#define CTR_TESTS_SNAKE_POLYGONS_H

#include "tests/core/common/testing.h"

typedef struct {
  int32_t x, y;
} Node;

typedef struct {
  Node *nodes;
  uint32_t count;
  uint32_t room;
} Polygon;

/* Inserts NODE before node INDEX. */
void polygon_insert (Polygon *polygon, uint32_t index, Node node);
void polygon_remove (Polygon *polygon, uint32_t index);
void polygon_free (Polygon *polygon);

/* Twice the signed area: positive where it runs clockwise on the screen. */
int64_t polygon_area2 (const Polygon *polygon);

/* A line between two nodes; its ends are known by their numbers, not by where they are. */
typedef struct {
  Node a, b;
  uint32_t from, to;
} Edge;
Edge polygon_edge (const Polygon *polygon, uint32_t index);

/* Have two lines a point in common that is not an end of both? Those that fold back on each other have, and so has one
 * without length. */
bool edges_touch (Edge p, Edge q);

/* No two edges touch. */
bool polygon_is_simple (const Polygon *polygon);

/* Is the pixel (X, Y) one of the polygon's? Those are where the polygon holds a pixel's upper left corner, or has it on
 * its line and lies right of that, or below where the line is horizontal. */
bool polygon_holds (const Polygon *polygon, int32_t x, int32_t y);

/* Number of pixels, and sums of their samples and of the squares of those. */
typedef struct {
  int64_t n, s1, s2;
} Sums;

/* Samples of a picture, row by row. */
typedef struct {
  const uint32_t *samples;
  int32_t width, height;
} Field;

/* Those of the pixels from LOW to HIGH. */
Sums field_sums (const Field *field, Node low, Node high);

/* The sums of the polygon's pixels, negative where it runs anticlockwise. All nodes are within FIELD's corners. */
Sums polygon_sums (const Field *field, const Polygon *polygon);

/* A simple polygon of COUNT nodes, or of fewer where these do not fit, at least 3, clockwise or anticlockwise; within
 * the corners of WIDTH x HEIGHT pixels, both at least 1. */
Polygon polygon_random (Random *random, uint32_t count, uint32_t width, uint32_t height);

#endif
