/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What bench_snake measures, and its record. */
#ifndef BENCH_SNAKE_WORK_H
#define BENCH_SNAKE_WORK_H

#include "tests/core/snake/scenes.h"

#include <contours/snake.h>

/* Of a result. */
typedef struct {
  uint32_t objects;    /* that were found */
  uint32_t restarted;  /* of them, from another start than theirs */
  uint64_t points;     /* of all of them */
  uint32_t iterations; /* most of any */
  double iou;          /* against the truth: least of any */
  double mean_iou;     /* both: 0 for what was not found */
} SnakeFound;

typedef struct {
  const char *name;
  const char *start; /* of its objects, in a word */
  uint32_t width;
  uint32_t height;
  uint32_t bytes; /* of a sample: 1 or 2 */
  CtrSnakeParams params;
  const CtrSnakeObject *objects;
  const SnakeTarget *targets; /* of the objects, one each */
  uint32_t object_count;
  SnakeFound found;
} SnakeWork;

/* WHO worked in MODE ("warm", "run", "host-run", "host"; "track", "host-track": a frame) and took MICROSECONDS[runs],
 * which this sorts. */
void snake_record (const char *who, const char *mode, const SnakeWork *work, double *microseconds, int runs);

const char *snake_model_name (CtrSnakeModel model);

/* Where WORK went wrong, for messages. Not reentrant. */
const char *snake_describe (const SnakeWork *work);

/* SAMPLES in host memory, with so many bytes after each row. */
CtrImage snake_view (const SnakeWork *work, const void *samples, size_t padding);

/* NULL, and a message on stderr, on failure. */
CtrContours *snake_run_work (CtrSnake *snake, const SnakeWork *work, const CtrImage *image, void *stream);

/* Follows the work's only object through FRAMES[count]: found in the first as WORK has it, then from the last polygon
 * with a first step of 8. Microseconds from each call to its result in host memory into US[count], the results into
 * RESULTS[count], NULL behind a failure. The caller drops them. False, and a message on stderr, on failure or where the
 * object is lost. */
bool snake_track (CtrSnake *snake, const SnakeWork *work, const CtrImage *frames, uint32_t count, void *stream,
    double *us, CtrContours **results);

#endif
