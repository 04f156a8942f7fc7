/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/snake/snake_work.h"

#include "tests/bench/common/bench.h"
#include "tests/bench/common/lists.h"

#include <inttypes.h>
#include <stdio.h>

const char *
snake_model_name (CtrSnakeModel model)
{
  static const char *const names[] = {"gaussian", "speckle", "poisson", "bernoulli"};
  return names[model];
}

void
snake_record (const char *who, const char *mode, const SnakeWork *work, double *microseconds, int runs)
{
  double sum = 0;
  for (int i = 0; i < runs; i++)
    sum += microseconds[i];
  const BenchTimes times = bench_times (microseconds, runs);
  const SnakeFound *found = &work->found;
  printf ("{\"type\": \"time\", \"who\": \"%s\", \"mode\": \"%s\", \"name\": \"%s\", \"width\": %u, \"height\": %u, "
          "\"model\": \"%s\", \"start\": \"%s\", \"objects\": %u, \"found\": %u, \"restarted\": %u, "
          "\"points\": %" PRIu64 ", \"iterations\": %u, \"iou\": %.5f, \"mean_iou\": %.5f, \"runs\": %d, "
          "\"min_us\": %.3f, \"median_us\": %.3f, \"mean_us\": %.3f}\n",
      who, mode, work->name, work->width, work->height, snake_model_name (work->params.model), work->start,
      work->object_count, found->objects, found->restarted, found->points, found->iterations, found->iou,
      found->mean_iou, runs, times.min, times.median, sum / runs);
  fflush (stdout);
}

const char *
snake_describe (const SnakeWork *work)
{
  static char text[256];
  snprintf (text, sizeof text, "%s %ux%u, %u bit, %s, %s, %u objects, looks %g, step %u, segment %u%s", work->name,
      work->width, work->height, 8 * work->bytes, snake_model_name (work->params.model), work->start,
      work->object_count, work->params.looks, work->params.max_step, work->params.min_segment,
      work->params.prune ? ", pruned" : "");
  return text;
}

CtrImage
snake_view (const SnakeWork *work, const void *samples, size_t padding)
{
  return (CtrImage){
      .data = samples,
      .stride = (size_t) work->width * work->bytes + padding,
      .width = work->width,
      .height = work->height,
      .format = work->bytes == 2 ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8,
      .memory = CTR_MEMORY_HOST,
  };
}

CtrContours *
snake_run_work (CtrSnake *snake, const SnakeWork *work, const CtrImage *image, void *stream)
{
  CtrError error;
  CtrContours *contours =
      ctr_snake_run (snake, image, &work->params, work->objects, work->object_count, stream, &error);
  if (!contours)
    fprintf (stderr, "%s: %s\n", snake_describe (work), error.message);
  return contours;
}

bool
snake_track (CtrSnake *snake, const SnakeWork *work, const CtrImage *frames, uint32_t count, void *stream, double *us,
    CtrContours **results)
{
  CtrSnakeObject object = work->objects[0];
  SnakeWork frame = *work;
  frame.objects = &object;
  for (uint32_t i = 0; i < count; i++)
    results[i] = NULL;
  for (uint32_t i = 0; i < count; i++) {
    BenchLists lists;
    const double start = bench_now ();
    results[i] = snake_run_work (snake, &frame, frames + i, stream);
    if (!results[i] || !bench_lists_map (results[i], &lists))
      return false;
    us[i] = bench_now () - start;
    if (results[i]->count == 0) {
      fprintf (stderr, "%s: lost in frame %u\n", snake_describe (work), i);
      return false;
    }
    object.start = CTR_SNAKE_START_POLYGON;
    object.points = lists.points;
    object.point_count = lists.table->count;
    object.first_step = 8;
    object.retry = true;
  }
  return true;
}
