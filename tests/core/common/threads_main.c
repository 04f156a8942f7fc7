/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* threads ALGORITHM BACKEND
 *
 * Compares random pictures with the definition in several threads at once. Each thread has its own object and stream, and
 * on the CPU backend its own number of threads that it may use. */
#include "tests/core/common/equality.h"
#include "tests/core/common/gpu.h"

#include <pthread.h>

enum { THREADS = 4, SEEDS = 1000000 }; /* a thread */

static Setup setup;
static const Equality *algorithm;

static void *
work (void *data)
{
  const uintptr_t thread = (uintptr_t) data;
  const uint64_t count = setup.quick ? 3 : 60;
  Setup own = setup;
  void *memory = NULL;
  ctr_threads_set_current ((unsigned) thread);
  if (setup.backend == CTR_BACKEND_CUDA) {
    gpu_enter ();
    /* Those of GStreamer's elements follow the default stream. */
    own.stream = thread % 2 ? gpu_stream_new () : gpu_stream_new_following ();
    memory = gpu_alloc (1);
  }
  void *state = algorithm->open (&own);
  for (uint64_t i = 0; i < count; i++) {
    uint8_t byte;
    algorithm->compare_random (state, thread * SEEDS + i);
    /* In the default stream, whatever the other threads are at. */
    if (memory)
      gpu_download (&byte, memory, sizeof byte);
  }
  algorithm->close (state);
  if (memory)
    gpu_free (memory);
  return NULL;
}

int
main (int argc, char **argv)
{
  pthread_t threads[THREADS];
  setup = setup_open (argc > 2 ? argv[2] : NULL, false);
  equality_select (argv[1], &algorithm);
  describe ("%d threads", THREADS);
  for (uintptr_t i = 0; i < THREADS; i++)
    CHECK (pthread_create (&threads[i], NULL, work, (void *) (i + 1)) == 0);
  for (int i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
  return 0;
}
