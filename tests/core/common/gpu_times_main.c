/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gpu-times ALGORITHM BACKEND
 *
 * The times of frames on the GPU (contours/gputime.h): one for each frame that the GPU has done for a thread with a
 * clock, however its result is taken. Frames of the CPU backend have none. On the emulated GPU each kernel, copy or fill takes a
 * millisecond. */
#include "tests/core/common/contract.h"
#include "tests/emulation/faults.h"

#include <string.h>
#include <time.h>

enum { FRAMES = 5, MOST_KEPT = 64 };

/* Of the emulator; NULL where there is none. */
#pragma weak emulation_set_fault
#pragma weak emulation_fault_happened

static const Contract *contract;
static const Setup *setup;
static CtrGpuClock *gpu_clock;
static Request good;
static double started; /* when the current test began */

static double
now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

typedef struct {
  uint64_t ns[MOST_KEPT];
} Times;

/* As many times must have arrived as FRAMES have. None is longer than the test. */
static Times
check_times (unsigned frames)
{
  const double longest = now () - started;
  Times times = {{0}};
  uint64_t ns;
  for (unsigned i = 0; i < (setup->backend == CTR_BACKEND_CUDA ? frames : 0); i++) {
    CHECK (ctr_gpu_clock_take (gpu_clock, &ns));
    CHECK (ns > 0);
    CHECK (emulation_set_fault ? ns % 1000000 == 0 : ns <= longest);
    times.ns[i] = ns;
  }
  CHECK (!ctr_gpu_clock_take (gpu_clock, &ns));
  return times;
}

static void *
create (void)
{
  void *object = contract->create (setup->backend, NULL);
  CHECK (object);
  started = now ();
  return object;
}

static void
run (void *object, const Request *request)
{
  CtrError error;
  void *result = contract->run (object, request, setup->stream, &error);
  if (!result)
    fail (__FILE__, __LINE__, error.message);
  contract->drop (result);
}

static void
enqueue (void *object)
{
  CtrError error;
  if (!contract->enqueue (object, &good, setup->stream, &error))
    fail (__FILE__, __LINE__, error.message);
}

static void
finish (void *object)
{
  void *result = contract->finish (object, NULL);
  CHECK (result);
  contract->drop (result);
}

/* The same frame comes again, so that it is queued as a graph. */
static void
test_frames (void)
{
  void *object = create ();
  ctr_gpu_clock_set_current (gpu_clock);
  for (int i = 0; i < FRAMES; i++)
    run (object, &good);
  contract->destroy (object);
  CHECK (ctr_gpu_clock_set_current (NULL) == gpu_clock);
  check_times (FRAMES);
}

static void
test_unasked (void)
{
  void *object = create ();
  for (int i = 0; i < FRAMES; i++)
    run (object, &good);
  contract->destroy (object);
  check_times (0);
}

/* A thread may have a clock for some frames only. The time is for the clock that the frame began with. */
static void
test_now_and_then (void)
{
  CtrGpuClock *other = ctr_gpu_clock_new (NULL);
  void *object = create ();
  uint64_t ns;
  CHECK (other);
  for (int i = 0; i < 2 * FRAMES; i++) {
    ctr_gpu_clock_set_current (i % 2 ? gpu_clock : NULL);
    enqueue (object);
    ctr_gpu_clock_set_current (other);
    finish (object);
  }
  ctr_gpu_clock_set_current (NULL);
  contract->destroy (object);
  check_times (FRAMES);
  CHECK (!ctr_gpu_clock_take (other, &ns));
  ctr_gpu_clock_free (other);
}

/* Frames that are queued and replaced, without anyone taking their results. */
static void
test_replaced (void)
{
  void *object = create ();
  ctr_gpu_clock_set_current (gpu_clock);
  for (int i = 0; i < FRAMES; i++)
    enqueue (object);
  ctr_gpu_clock_set_current (NULL);
  finish (object);
  contract->destroy (object);
  check_times (FRAMES);
}

/* Frames that outgrow the memory of simpler ones are done again, and have one time, of all that was done. */
static void
test_again (void)
{
  uint32_t count;
  const MemoryCase *cases = contract->size_cases ? contract->size_cases (&count) : contract->memory_cases (&count);
  bool is_longer = false;
  for (uint32_t i = 0; i < count; i++) {
    void *object = create ();
    ctr_gpu_clock_set_current (gpu_clock);
    run (object, &good);
    run (object, &cases[i].request);
    run (object, &cases[i].request);
    ctr_gpu_clock_set_current (NULL);
    contract->destroy (object);
    const Times t = check_times (3);
    is_longer = is_longer || t.ns[1] > t.ns[2] + t.ns[2] / 2;
  }
  if (emulation_set_fault && (strcmp (contract->name, "borders") == 0 || strcmp (contract->name, "cracks") == 0))
    CHECK (is_longer);
}

/* Pending results, which are settled by a thread without a clock, and by the end of their analyser. */
static void
test_pending (void)
{
  for (int settled = 0; settled < 2 && contract->submit; settled++) {
    void *object = create ();
    ctr_gpu_clock_set_current (gpu_clock);
    void *result = contract->submit (object, &good, setup->stream, NULL);
    CHECK (result);
    ctr_gpu_clock_set_current (NULL);
    CHECK (!settled || contract->wait (result, NULL));
    contract->destroy (object);
    contract->drop (result);
    check_times (1);
  }
}

/* Nobody takes the times: the last ones stay. */
static void
test_too_many (void)
{
  void *object = create ();
  ctr_gpu_clock_set_current (gpu_clock);
  for (int i = 0; i < MOST_KEPT + FRAMES; i++)
    run (object, &good);
  ctr_gpu_clock_set_current (NULL);
  contract->destroy (object);
  check_times (MOST_KEPT);
}

/* The clock is gone before the frame is done. Sanitizers see whether it is used. */
static void
test_no_clock_any_more (void)
{
  CtrGpuClock *other = ctr_gpu_clock_new (NULL);
  void *object = create ();
  CHECK (other);
  ctr_gpu_clock_set_current (other);
  enqueue (object);
  ctr_gpu_clock_set_current (NULL);
  ctr_gpu_clock_free (other);
  finish (object);
  contract->destroy (object);
  check_times (0);
}

/* Frames that fail have no time: each call of the emulated API that queues something fails once. */
static void
test_failures (void)
{
  unsigned failures = 0;
  for (bool failed = true; failed && emulation_set_fault && setup->backend == CTR_BACKEND_CUDA; failures += failed) {
    void *object = create (), *result;
    run (object, &good); /* without a clock, which prepares the object */
    ctr_gpu_clock_set_current (gpu_clock);
    emulation_set_fault (EMULATION_CALL_FAILS, failures);
    result = contract->run (object, &good, setup->stream, NULL);
    failed = emulation_fault_happened ();
    emulation_set_fault (EMULATION_NO_FAULT, 0);
    ctr_gpu_clock_set_current (NULL);
    if (result)
      contract->drop (result);
    contract->destroy (object);
    check_times (result != NULL);
  }
  CHECK (failures > 3 || !emulation_set_fault || setup->backend == CTR_BACKEND_CPU);
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {{"frames", test_frames}, {"unasked", test_unasked}, {"now and then", test_now_and_then},
      {"replaced", test_replaced}, {"done again", test_again}, {"pending", test_pending}, {"too many", test_too_many},
      {"no clock any more", test_no_clock_any_more}, {"failures", test_failures}};
  const Setup opened = setup_open (argc > 2 ? argv[2] : NULL, false);
  contract = contract_open (argv[1], &opened);
  setup = contract_setup ();
  good = contract->good_request ();
  gpu_clock = ctr_gpu_clock_new (NULL);
  CHECK (gpu_clock);
  run_tests (tests, LENGTH (tests));
  ctr_gpu_clock_free (gpu_clock);
  contract_close ();
  return 0;
}
