/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Snakes side by side, one a thread, each on its own stream. */
#include "tests/core/common/gpu.h"
#include "tests/core/snake/reference.h"

#include <pthread.h>
#include <stdlib.h>

#define THREADS 4

static Setup setup;

static void *
work (void *data)
{
  Random rng = {(uintptr_t) data};
  Setup own = setup;
  if (setup.backend == CTR_BACKEND_CUDA) {
    gpu_enter ();
    own.stream = gpu_stream_new ();
  }
  CtrSnake *snake = snake_new (&own);
  for (int i = 0; i < (setup.quick ? 3 : 20); i++) {
    const uint32_t width = 1 + random_below (&rng, 36), height = 1 + random_below (&rng, setup.quick ? 20 : 36);
    CtrSnakeObject objects[2];
    Picture picture = random_snake_picture (&rng, width, height);
    const CtrSnakeParams params = random_snake_params (&rng);
    random_snake_objects (&rng, width, height, objects, LENGTH (objects));
    check_snake (snake, &own, &picture.view, &params, objects, LENGTH (objects));
    random_snake_objects_free (objects, LENGTH (objects));
    picture_free (&picture);
  }
  ctr_snake_free (snake);
  return NULL;
}

int
main (int argc, char **argv)
{
  pthread_t threads[THREADS];
  setup = setup_open (argv[1], false);
  describe ("%d threads", THREADS);
  for (uintptr_t i = 0; i < THREADS; i++)
    CHECK (pthread_create (&threads[i], NULL, work, (void *) (i + 1)) == 0);
  for (int i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
  return 0;
}
