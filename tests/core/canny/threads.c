/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edge detectors side by side, one a thread, each on its own stream. */
#include "tests/core/canny/reference.h"
#include "tests/core/common/gpu.h"

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
  CtrCanny *canny = detector_new (&own);
  for (int i = 0; i < (setup.quick ? 3 : 60); i++) {
    const uint32_t width = 1 + random_below (&rng, 200), height = 1 + random_below (&rng, setup.quick ? 40 : 150);
    uint8_t *grey = grey_new (&rng, width, height);
    Picture picture = picture_of_grey (&rng, grey, width, height, (Layout){.format = CTR_FORMAT_GRAY8});
    const CtrCannyParams params = random_canny_params (&rng);
    check_edges (canny, &own, &picture.view, &params);
    picture_free (&picture);
    free (grey);
  }
  ctr_canny_free (canny);
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
