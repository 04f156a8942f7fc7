/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers that the tests of snakes share. */
#ifndef CTR_TESTS_SNAKE_TESTING_H
#define CTR_TESTS_SNAKE_TESTING_H

#include "tests/core/common/testing.h"
#include "tests/core/snake/reference.h"

/* What a result holds; a failure ends the test. Valid as long as the contours. */
SnakeResult snake_result_of (CtrContours *contours);

/* A new snake; a failure ends the test. */
CtrSnake *snake_new (const Setup *setup);

/* What is found in IMAGE; a failure ends the test. Transfer full. */
CtrContours *run_snake (CtrSnake *snake, const Setup *setup, const CtrImage *image, const CtrSnakeParams *params,
    const CtrSnakeObject *objects, uint32_t object_count);

/* Ends the test where any byte differs. */
void check_snakes_equal (const SnakeResult *expected, const SnakeResult *actual);

/* Runs on a host IMAGE and compares with the reference; the number of targets found. */
uint32_t check_snake (CtrSnake *snake, const Setup *setup, const CtrImage *image, const CtrSnakeParams *params,
    const CtrSnakeObject *objects, uint32_t object_count);

/* Describes what is tested. */
void describe_snake (const char *name, const CtrImage *image, const CtrSnakeParams *params,
    const CtrSnakeObject *objects, uint32_t object_count);

/* Anything that is allowed, for pictures up to some 100 pixels a side. */
CtrSnakeParams random_snake_params (Random *random);

/* OBJECTS of any kind in a picture of WIDTH x HEIGHT; the points of their starts are in POINTS, transfer full. */
void random_snake_objects (Random *random, uint32_t width, uint32_t height, CtrSnakeObject *objects, uint32_t count);
void random_snake_objects_free (CtrSnakeObject *objects, uint32_t count);

/* A picture of random shapes, noise and layout. */
Picture random_snake_picture (Random *random, uint32_t width, uint32_t height);

#endif
