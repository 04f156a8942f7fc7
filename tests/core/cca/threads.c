/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Analysers side by side, one a thread, each on its own stream; results handed from thread to thread. */
#include "tests/core/common/gpu.h"
#include "tests/core/cca/reference.h"
#include "tests/core/common/testing.h"

#include <pthread.h>

#define THREADS 4

static Setup setup;
static CtrComponents *shared; /* every thread takes and drops references */

static void *
work (void *data)
{
  Random rng = {(uintptr_t) data};
  Setup own = setup;
  void *memory = NULL;
  if (setup.backend == CTR_BACKEND_CUDA) {
    gpu_enter ();
    /* Those of GStreamer's elements follow the default stream. */
    own.stream = rng.state % 2 ? gpu_stream_new () : gpu_stream_new_following ();
    memory = gpu_alloc (1);
  }
  CtrCca *cca = analyser_new (&own);
  for (int i = 0; i < (setup.quick ? 3 : 40); i++) {
    Picture picture = picture_random (
        &rng, 1 + random_below (&rng, 300), 1 + random_below (&rng, 200), (Layout){.format = CTR_FORMAT_GRAY8});
    CtrCcaParams params = params_of (i % 2 ? 4 : 8, random_below (&rng, 257), false, ALL_FEATURES);
    params.foreground.mode = i % 3 ? CTR_THRESHOLD_FIXED : CTR_THRESHOLD_OTSU;
    check_image (cca, &own, &picture.view, &params);
    picture_free (&picture);
    /* In the default stream, whatever the other threads are at. */
    uint8_t byte;
    if (memory)
      gpu_download (&byte, memory, sizeof byte);
    for (int k = 0; k < 100; k++)
      ctr_components_ref (shared);
    for (int k = 0; k < 100; k++)
      ctr_components_unref (shared);
  }
  ctr_cca_free (cca);
  ctr_components_unref (shared);
  if (memory)
    gpu_free (memory);
  return NULL;
}

int
main (int argc, char **argv)
{
  Random rng = {21};
  setup = setup_open (argv[1], false);
  describe ("%d threads", THREADS);
  Picture picture = picture_random (&rng, 64, 64, (Layout){.format = CTR_FORMAT_GRAY8});
  CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 128, false, ALL_FEATURES);
  CtrCca *cca = analyser_new (&setup);
  shared = analyse (cca, &setup, &picture.view, &params);
  ctr_cca_free (cca);

  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++) {
    ctr_components_ref (shared);
    CHECK (pthread_create (&threads[i], NULL, work, (void *) (i + 1)) == 0);
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);

  CtrComponents *expected = reference_cca (&picture.view, &params);
  check_equal (expected, shared);
  ctr_components_unref (shared);
  reference_free (expected);
  picture_free (&picture);
  return 0;
}
