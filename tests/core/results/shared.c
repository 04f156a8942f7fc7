/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shares results among threads, each of which takes and drops references and maps the arrays on the device. Keeps two results at
 * once, in memory that former ones have given back. */
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

/* Of two pictures. The arrays on the device are mapped when both results are there. */
static void
test_two_results (const Picture pictures[2], const CtrCcaParams *cca_params, const CtrBordersParams *borders_params)
{
  CtrCca *cca = analyser_new (&setup);
  CtrBorders *borders = follower_new (&setup);
  for (int i = 0; i < 2; i++) {
    CtrComponents *some[2];
    CtrContours *others[2];
    for (int k = 0; k < 2; k++) {
      some[k] = analyse (cca, &setup, &pictures[k].view, cca_params);
      others[k] = follow_borders (borders, &setup, &pictures[k].view, borders_params);
    }
    describe ("two results at once, %d", i);
    for (int k = 0; k < 2; k++) {
      CtrComponents *expected_components = reference_cca (&pictures[k].view, cca_params);
      Contours expected = reference_borders (&pictures[k].view, borders_params);
      const Contours actual = contours_of (others[k]);
      check_components_equal (expected_components, some[k]);
      check_contours_equal (&expected, &actual);
      reference_components_free (expected_components);
      reference_contours_free (&expected);
    }
    for (int k = 0; k < 2; k++) {
      ctr_components_unref (some[k]);
      ctr_contours_unref (others[k]);
    }
  }
  ctr_cca_free (cca);
  ctr_borders_free (borders);
}

int
main (int argc, char **argv)
{
  Random rng = {21};
  pthread_t threads[THREADS];
  setup = setup_open (argv[1], false);
  Picture picture = picture_random (&rng, 64, 64, (Layout){.format = CTR_FORMAT_GRAY8});
  const CtrCcaParams cca_params = params_of (CTR_CONNECTIVITY_8, 128, false, ALL_FEATURES);
  const CtrBordersParams borders_params = borders_params_of (CTR_RETRIEVE_TREE, CTR_APPROXIMATION_SIMPLE, 128, false);
  Picture pictures[2] = {picture, picture_random (&rng, 60, 50, (Layout){.format = CTR_FORMAT_GRAY8})};
  test_two_results (pictures, &cca_params, &borders_params);
  describe ("%d threads share results", THREADS);
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
  for (int i = 0; i < 2; i++)
    picture_free (&pictures[i]);
  return 0;
}
