/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/common/lists_gpu.h"

#include "tests/bench/common/bench.h"
#include "tests/bench/common/lists.h"

#include <contours/codes.h>

#include <stdio.h>

static const double wall_limit = 1e6; /* microseconds: no further run after this */

static bool
fail (const BenchListsWork *work, const CtrError *error)
{
  fprintf (stderr, "%s: %s\n", work->description, error->message);
  return false;
}

/* IMAGE's copy on the GPU. */
static CtrImage
device_image (const BenchDevice *device, const CtrImage *image, uint32_t copy)
{
  CtrImage view = *image;
  view.data = device->images + copy * device->slot;
  view.memory = CTR_MEMORY_DEVICE;
  return view;
}

/* What bench_device_time_finished() hands to both. */
typedef struct {
  BenchDevice *device;
  const BenchListsWork *work;
  const CtrImage *image;
  int frames;
  CtrContours *last; /* of the last frame */
} Call;

static bool
enqueue (void *user, uint32_t copy)
{
  const Call *call = user;
  const CtrImage image = device_image (call->device, call->image, copy);
  CtrError error;
  return call->work->enqueue (call->work->user, &image, call->device->stream, &error) || fail (call->work, &error);
}

static bool
finish (void *user)
{
  Call *call = user;
  CtrError error;
  CtrContours *result = call->work->finish (call->work->user, &error);
  if (!result)
    return fail (call->work, &error);
  /* A result that is kept would keep the next frame from using its memory. */
  if (++call->frames == BENCH_WARM_UPS + BENCH_RUNS)
    call->last = result;
  else
    ctr_contours_unref (result);
  return true;
}

static CtrContours *
run (BenchDevice *device, const BenchListsWork *work, const CtrImage *image)
{
  CtrError error;
  CtrContours *result = NULL;
  if (!work->enqueue (work->user, image, device->stream, &error) || !(result = work->finish (work->user, &error)))
    fail (work, &error);
  return result;
}

static bool
compare_run (
    BenchDevice *device, const BenchListsWork *work, const char *who, const CtrImage *image, CtrContours *expected)
{
  CtrContours *result = run (device, work, image);
  const bool same = result && bench_lists_same (work->description, who, result, expected);
  ctr_contours_unref (result);
  return same;
}

static bool
time_device (BenchDevice *device, const BenchListsWork *work, const CtrImage *image, CtrContours *expected)
{
  bool ok = true;
  for (BenchCaching caching = BENCH_WARM; ok && caching <= BENCH_IN_TURN; caching++) {
    Call call = {.device = device, .work = work, .image = image};
    double us[BENCH_RUNS];
    ok = bench_device_time_finished (device, enqueue, finish, &call, caching, us)
         && bench_lists_same (work->description, "the last timed frame", call.last, expected);
    ctr_contours_unref (call.last);
    if (ok)
      work->record (work->user, bench_caching_names[caching], expected, us, BENCH_RUNS);
  }
  return ok;
}

/* The host's time, of frames one at a time. */
typedef enum { QUEUE, RUN, FETCH, FETCH_POINTS, FETCH_CODES, HOST_RUN } HostTime;

/* Copies what WHAT asks for to the host. */
static bool
map (CtrContours *result, const BenchListsWork *work, HostTime what)
{
  BenchLists lists;
  CtrContourCodes codes;
  CtrError error;
  switch (what) {
    case FETCH_POINTS:
      return ctr_contours_map_points (result, &error) || fail (work, &error);
    case FETCH_CODES:
      return ctr_contours_map_codes (result, &codes, &error) || fail (work, &error);
    case FETCH:
    case HOST_RUN:
      return bench_lists_map (result, &lists);
    default:
      return true;
  }
}

static bool
time_one (BenchDevice *device, const BenchListsWork *work, HostTime what, const CtrImage *image, double *us)
{
  CtrContours *result = NULL;
  CtrError error;
  double start = bench_now (), end = 0;
  bool ok;
  if (what == RUN || what == HOST_RUN) {
    result = run (device, work, image);
    ok = result && map (result, work, what);
  } else {
    ok = work->enqueue (work->user, image, device->stream, &error) || fail (work, &error);
    end = bench_now ();
    ok = ok && BENCH_CHECK (cudaStreamSynchronize (device->stream));
    if (what != QUEUE)
      start = bench_now ();
    result = ok ? work->finish (work->user, &error) : NULL;
    ok = ok && (result || fail (work, &error)) && map (result, work, what);
  }
  *us = (what == QUEUE ? end : bench_now ()) - start;
  ctr_contours_unref (result);
  return ok;
}

static bool
time_host (BenchDevice *device, const BenchListsWork *work, HostTime what, const CtrImage *image, CtrContours *expected)
{
  static const char *const names[] = {"queue", "run", "fetch", "fetch-points", "fetch-codes", "host-run"};
  double us[BENCH_RUNS], total = 0, warm_up;
  int runs = 0;
  if (!time_one (device, work, what, image, &warm_up))
    return false;
  while (runs < BENCH_RUNS && total < wall_limit) {
    if (!time_one (device, work, what, image, us + runs))
      return false;
    total += us[runs++];
  }
  work->record (work->user, names[what], expected, us, runs);
  return true;
}

bool
bench_lists_measure (BenchDevice *device, const BenchListsWork *work, const CtrImage *image, CtrContours *expected)
{
  if (!bench_device_upload (device, image->data, image->stride * image->height) || !bench_device_fill_copies (device))
    return false;
  const CtrImage on_device = device_image (device, image, 0);
  return compare_run (device, work, "the GPU backend", &on_device, expected)
         && compare_run (device, work, "the GPU backend on host memory", image, expected)
         && time_device (device, work, image, expected) && time_host (device, work, QUEUE, &on_device, expected)
         && time_host (device, work, RUN, &on_device, expected) && time_host (device, work, FETCH, &on_device, expected)
         && time_host (device, work, FETCH_POINTS, &on_device, expected)
         && (work->without_codes || time_host (device, work, FETCH_CODES, &on_device, expected))
         && time_host (device, work, HOST_RUN, image, expected);
}
