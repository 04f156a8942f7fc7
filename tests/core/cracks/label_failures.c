/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contours of components whose analysis fails, which is only pretended: readers get its error, the tracer does not report it
 * again, and the next result is right. */
#include "tests/core/cca/testing.h"
#include "tests/core/cracks/testing.h"

#include "core/results/components.h"

#include <stdlib.h>
#include <string.h>

static Setup setup;
static Random rng = {3};

static bool
fail_to_settle (void *analyser, void *result, CtrError *error)
{
  *error = (CtrError){.status = CTR_ERROR_CUDA, .message = "the GPU is gone"};
  return false;
}

static bool
lead (void *analyser, void *stream, CtrError *error)
{
  return true;
}

/* Without a view: the labels cannot be read before the components are settled. */
static CtrComponents *
failing_components (void)
{
  static const CtrPendingOps ops = {.settle = fail_to_settle, .lead = lead};
  const CtrComponents info = {.width = 30, .height = 20, .features = CTR_FEATURE_LABELS};
  CtrComponents *components = ctr_components_new_pending (&info, &ops, NULL, NULL);
  CHECK (components);
  return components;
}

static void
check_error (const CtrError *error)
{
  CHECK (error->status == CTR_ERROR_CUDA && strcmp (error->message, "the GPU is gone") == 0);
}

static void
check_next (CtrCracks *cracks, CtrCca *cca)
{
  Picture picture = values_new (&rng, 40, 30, (Layout){.format = CTR_FORMAT_GRAY8}, 3, 2);
  CtrCcaParams of_components = params_of (CTR_CONNECTIVITY_8, 1, false, CTR_FEATURE_LABELS);
  CtrCracksParams params = cracks_params_of (CTR_LEVELS_EQUAL, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
  CtrComponents *components = analyse (cca, &setup, &picture.view, &of_components);
  CtrContours *contours = ctr_cracks_run_labels (cracks, components, &params, setup.stream, NULL);
  CHECK (contours && contours->count >= components->count);
  ctr_contours_unref (contours);
  ctr_components_unref (components);
  check_cracks (cracks, &setup, &picture.view, &params);
  picture_free (&picture);
}

/* SETTLED: the failure is known before the labels are traced. */
static void
test_failure (CtrCracks *cracks, CtrCca *cca, bool settled)
{
  CtrCracksParams params = cracks_params_of (CTR_LEVELS_EQUAL, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
  CtrComponents *components = failing_components ();
  CtrError error = {0};
  describe (settled ? "components that have failed" : "components that will fail");
  if (settled)
    CHECK (!ctr_components_wait (components, NULL));
  CtrContours *contours = ctr_cracks_submit_labels (cracks, components, &params, setup.stream, &error);
  CHECK (contours && contours->width == 30 && contours->height == 20);
  CHECK (!ctr_contours_wait (contours, &error) && contours->count == 0);
  check_error (&error);
  CHECK (!ctr_contours_map_table (contours, NULL));
  CHECK (ctr_cracks_settle (cracks, &error));
  ctr_contours_unref (contours);
  check_next (cracks, cca);

  contours = ctr_cracks_submit_labels (cracks, components, &params, setup.stream, &error);
  CHECK (contours);
  check_next (cracks, cca); /* The tracer has settled the former result, and goes on. */
  error = (CtrError){0};
  CHECK (!ctr_contours_wait (contours, &error));
  check_error (&error);
  ctr_contours_unref (contours);

  error = (CtrError){0};
  CHECK (!ctr_cracks_run_labels (cracks, components, &params, setup.stream, &error));
  check_error (&error);
  CHECK (ctr_cracks_enqueue_labels (cracks, components, &params, setup.stream, &error));
  check_next (cracks, cca); /* A result that nobody has asked for is dropped. */
  ctr_components_unref (components);
}

int
main (int argc, char **argv)
{
  setup = setup_open (argc > 1 ? argv[1] : NULL, false);
  CtrCracks *cracks = tracer_new (&setup);
  CtrCca *cca = analyser_new (&setup);
  for (int settled = 0; settled < 2; settled++)
    test_failure (cracks, cca, settled);
  ctr_cracks_free (cracks);
  ctr_cca_free (cca);
  return 0;
}
