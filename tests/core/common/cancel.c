/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests which thread a cancel token belongs to, and how soon a run ends that another thread cancels. */
#include "tests/core/common/testing.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double
seconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static void *
look (void *data)
{
  *(bool *) data = ctr_cancelled ();
  return NULL;
}

static bool
is_cancelled_elsewhere (void)
{
  pthread_t thread;
  bool cancelled = true;
  CHECK (pthread_create (&thread, NULL, look, &cancelled) == 0);
  pthread_join (thread, NULL);
  return cancelled;
}

static void
test_token (void)
{
  CtrCancel one = {0}, other = {0};
  describe ("tokens of this thread");
  CHECK (!ctr_cancelled ());
  CHECK (ctr_cancel_set_current (&one) == NULL && !ctr_cancelled ());
  ctr_cancel_request (&other);
  CHECK (!ctr_cancelled ());
  ctr_cancel_request (&one);
  CHECK (ctr_cancelled () && ctr_cancelled () && !is_cancelled_elsewhere ());
  ctr_cancel_reset (&one);
  CHECK (!ctr_cancelled ());
  CHECK (ctr_cancel_set_current (&other) == &one && ctr_cancelled ());
  CHECK (ctr_cancel_set_current (NULL) == &other && !ctr_cancelled ());
}

static CtrCancel token;
static double requested;

static void *
request (void *data)
{
  usleep (*(useconds_t *) data);
  requested = seconds ();
  ctr_cancel_request (&token);
  return NULL;
}

/* Noise of more points than fit into a second's work, cancelled after a while. */
static void
test_time (const Setup *setup)
{
  const uint32_t side = setup->quick ? 200 : 400;
  uint8_t *samples = malloc (side * side);
  Random random = {1};
  for (uint32_t i = 0; i < side * side; i++)
    samples[i] = (uint8_t) random_next (&random);
  const CtrImage image = {.data = samples, .stride = side, .width = side, .height = side, .format = CTR_FORMAT_GRAY8};
  CtrCracks *cracks = ctr_cracks_new (CTR_BACKEND_CPU, NULL);
  CtrCracksParams params;
  ctr_cracks_params_init (&params);
  params.max_points = 0;
  CHECK (ctr_cancel_set_current (&token) == NULL);
  double started = seconds ();
  CtrContours *contours = ctr_cracks_run (cracks, &image, &params, NULL, NULL);
  const double whole = seconds () - started;
  const uint64_t points = contours->point_count;
  ctr_contours_unref (contours);
  for (int part = 1; part < 8; part++) {
    pthread_t thread;
    useconds_t wait = (useconds_t) (whole / 16 * part * 1e6);
    CtrError error;
    describe ("cancelled after %u us of %g s", (unsigned) wait, whole);
    CHECK (pthread_create (&thread, NULL, request, &wait) == 0);
    contours = ctr_cracks_run (cracks, &image, &params, NULL, &error);
    const double ended = seconds ();
    pthread_join (thread, NULL);
    if (contours) {
      printf ("it took less than %g s\n", 1e-6 * wait);
      ctr_contours_unref (contours);
    } else {
      CHECK (error.status == CTR_ERROR_CANCELLED);
      printf ("after %.3f s of %.3f: ended in %.1f ms\n", 1e-6 * wait, whole, 1e3 * (ended - requested));
      CHECK (ended - requested < 1);
    }
    ctr_cancel_reset (&token);
  }
  contours = ctr_cracks_run (cracks, &image, &params, NULL, NULL);
  CHECK (contours && contours->point_count == points);
  ctr_contours_unref (contours);
  CHECK (ctr_cancel_set_current (NULL) == &token);
  ctr_cracks_free (cracks);
  free (samples);
}

int
main (void)
{
  const Setup setup = setup_open ("cpu", false);
  test_token ();
  test_time (&setup);
  return 0;
}
