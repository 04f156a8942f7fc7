/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pending results of an analyser that is only pretended: which thread completes them, how often, and how errors and
 * cancelling pass. */
#include "tests/core/common/testing.h"

#include "core/results/components.h"
#include "core/results/contourlist.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { THREADS = 6, CONTOURS = 3, POINTS = 12 };

static atomic_int settled, cancelled_calls;

static void
pause_briefly (void)
{
  nanosleep (&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static bool
settle_contours (void *analyser, void *result, CtrError *error)
{
  CtrContourArrays arrays;
  CtrContours info = *(CtrContours *) result;
  CHECK (analyser == &settled);
  atomic_fetch_add (&settled, 1);
  atomic_fetch_add (&cancelled_calls, ctr_cancelled ());
  pause_briefly ();
  info.count = CONTOURS;
  info.point_count = POINTS;
  info.threshold = 77;
  CtrContours *complete = ctr_contours_alloc (&info, &arrays, error);
  CHECK (complete);
  memset (arrays.table, 1, CONTOURS * sizeof *arrays.table);
  memset (arrays.points, 2, POINTS * sizeof *arrays.points);
  ctr_contours_settle (result, complete);
  return true;
}

static bool
settle_components (void *analyser, void *result, CtrError *error)
{
  const CtrComponents *info = result;
  atomic_fetch_add (&settled, 1);
  pause_briefly ();
  CtrComponents *complete = ctr_components_alloc (info->width, info->height, CONTOURS, info->features, error);
  CHECK (complete);
  memset ((void *) complete->table, 3, CONTOURS * sizeof *complete->table);
  complete->threshold = 78;
  ctr_components_settle (result, complete);
  return true;
}

static bool
fail_to_settle (void *analyser, void *result, CtrError *error)
{
  atomic_fetch_add (&settled, 1);
  *error = (CtrError){.status = CTR_ERROR_CUDA, .message = "the GPU is gone"};
  return false;
}

static const CtrPendingOps contours_ops = {.settle = settle_contours};
static const CtrPendingOps components_ops = {.settle = settle_components};
static const CtrPendingOps failing_ops = {.settle = fail_to_settle};

static void *
read_contours (void *data)
{
  CtrContours *contours = data;
  CtrCancel cancel = {0};
  ctr_cancel_request (&cancel); /* A reader that is flushing must not spoil the result for the others. */
  ctr_cancel_set_current (&cancel);
  CHECK (ctr_contours_wait (contours, NULL) && ctr_contours_is_complete (contours));
  CHECK (ctr_cancelled ());
  ctr_cancel_set_current (NULL);
  CHECK (contours->count == CONTOURS && contours->point_count == POINTS && contours->threshold == 77);
  CHECK (ctr_contours_map_points (contours, NULL)[POINTS - 1].x == 0x0202);
  ctr_contours_unref (contours);
  return NULL;
}

static void *
read_components (void *data)
{
  CtrComponents *components = data;
  CHECK (ctr_components_wait (components, NULL) && ctr_components_is_complete (components));
  CHECK (components->count == CONTOURS && components->threshold == 78);
  CHECK (components->table[CONTOURS - 1].area == 0x03030303);
  ctr_components_unref (components);
  return NULL;
}

static void
run_threads (void *(*read) (void *), void *result)
{
  pthread_t threads[THREADS];
  atomic_store (&settled, 0);
  for (int i = 0; i < THREADS; i++)
    CHECK (pthread_create (&threads[i], NULL, read, result) == 0);
  for (int i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
  CHECK (atomic_load (&settled) == 1);
}

static void
test_contours (void)
{
  const CtrContours info = {.width = 9, .height = 8, .features = CTR_CONTOUR_FEATURE_MOMENTS};
  for (int i = 0; i < 50; i++) {
    CtrContours *contours = ctr_contours_new_pending (&info, &contours_ops, &settled, NULL);
    CHECK (!ctr_contours_is_complete (contours) && contours->width == 9 && contours->count == 0);
    for (int k = 0; k < THREADS; k++)
      ctr_contours_ref (contours);
    run_threads (read_contours, contours);
    ctr_contours_unref (contours);
  }
  CHECK (atomic_load (&cancelled_calls) == 0);
}

static void
test_components (void)
{
  const CtrComponents info = {.width = 9, .height = 8, .connectivity = CTR_CONNECTIVITY_8};
  for (int i = 0; i < 50; i++) {
    CtrComponents *components = ctr_components_new_pending (&info, &components_ops, &settled, NULL);
    CHECK (!ctr_components_is_complete (components) && !components->table);
    for (int k = 0; k < THREADS; k++)
      ctr_components_ref (components);
    run_threads (read_components, components);
    ctr_components_unref (components);
  }
}

/* The first reader gets the error, and so do all others; the analysis is not repeated. */
static void
test_failure (void)
{
  const CtrContours info = {.width = 9, .height = 8};
  const CtrComponents other = {.width = 9, .height = 8};
  CtrContours *contours = ctr_contours_new_pending (&info, &failing_ops, NULL, NULL);
  CtrComponents *components = ctr_components_new_pending (&other, &failing_ops, NULL, NULL);
  CtrDeviceContours device;
  atomic_store (&settled, 0);
  for (int i = 0; i < 3; i++) {
    CtrError error = {.status = CTR_OK};
    CHECK (!ctr_contours_wait (contours, i ? &error : NULL));
    CHECK (i == 0 || (error.status == CTR_ERROR_CUDA && strcmp (error.message, "the GPU is gone") == 0));
    CHECK (!ctr_components_wait (components, &error) && error.status == CTR_ERROR_CUDA);
    error.status = CTR_OK;
    CHECK (!ctr_contours_map_table (contours, &error) && error.status == CTR_ERROR_CUDA);
    CHECK (!ctr_contours_get_device (contours, &device));
  }
  CHECK (atomic_load (&settled) == 2);
  CHECK (contours->count == 0 && components->count == 0 && !components->table);
  ctr_contours_unref (contours);
  ctr_components_unref (components);
}

int
main (void)
{
  const Test tests[] = {{"contours", test_contours}, {"components", test_components}, {"failure", test_failure}};
  run_tests (tests, LENGTH (tests));
  return 0;
}
