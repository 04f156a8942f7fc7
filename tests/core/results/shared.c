/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shares results among threads, each of which takes and drops references and maps the arrays on the device. */
#include "tests/core/borders/reference.h"
#include "tests/core/borders/testing.h"
#include "tests/core/cca/reference.h"
#include "tests/core/cca/testing.h"
#include "tests/core/common/gpu.h"

#include <pthread.h>

enum { THREADS = 4 };

static Setup setup;
static CtrComponents *components;
static CtrContours *contours;

static void *
share (void *data)
{
  if (setup.backend == CTR_BACKEND_CUDA)
    gpu_enter ();
  for (int i = 0; i < 4000; i++) {
    ctr_components_ref (components);
    ctr_contours_ref (contours);
    if (i == 100)
      (void) contours_of (contours);
    ctr_components_unref (components);
    ctr_contours_unref (contours);
  }
  ctr_components_unref (components);
  ctr_contours_unref (contours);
  return NULL;
}

int
main (int argc, char **argv)
{
  Random rng = {21};
  pthread_t threads[THREADS];
  setup = setup_open (argv[1], false);
  describe ("%d threads share results", THREADS);
  Picture picture = picture_random (&rng, 64, 64, (Layout){.format = CTR_FORMAT_GRAY8});
  const CtrCcaParams cca_params = params_of (CTR_CONNECTIVITY_8, 128, false, ALL_FEATURES);
  const CtrBordersParams borders_params = borders_params_of (CTR_RETRIEVE_TREE, CTR_APPROXIMATION_SIMPLE, 128, false);
  CtrCca *cca = analyser_new (&setup);
  CtrBorders *borders = follower_new (&setup);
  components = analyse (cca, &setup, &picture.view, &cca_params);
  contours = follow_borders (borders, &setup, &picture.view, &borders_params);
  ctr_cca_free (cca);
  ctr_borders_free (borders);
  for (int i = 0; i < THREADS; i++) {
    ctr_components_ref (components);
    ctr_contours_ref (contours);
    CHECK (pthread_create (&threads[i], NULL, share, NULL) == 0);
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);

  CtrComponents *expected_components = reference_cca (&picture.view, &cca_params);
  Contours expected = reference_borders (&picture.view, &borders_params);
  const Contours actual = contours_of (contours);
  check_components_equal (expected_components, components);
  check_contours_equal (&expected, &actual);
  ctr_components_unref (components);
  ctr_contours_unref (contours);
  reference_components_free (expected_components);
  reference_contours_free (&expected);
  picture_free (&picture);
  return 0;
}
