/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gpu-faults ALGORITHM [STEP [all]]
 *
 * Lets the calls of the CUDA API fail, on the emulated device, those that time frames included: each call in turn that allocates or queues something, all
 * allocations from one of them on, and every call from one of them on, as when the device is lost. With STEP, every
 * STEP-th call; with "all", also frames with more content. Each failure is one error of the algorithm's API. Where the
 * device still works, so does the object, and results are exact; nothing on the device or of the API is left behind. */
#include "tests/core/common/contract.h"
#include "tests/core/common/gpu.h"
#include "tests/emulation/faults.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 3, SECONDS_TO_FAIL = 200 }; /* The parameters come again, so that frames are queued as graphs. */

static const Contract *contract;
static const Setup *setup;
static CtrGpuClock *gpu_clock;

static const char *
name_of (EmulationFault fault)
{
  return fault == EMULATION_CALL_FAILS    ? "one call fails"
         : fault == EMULATION_MEMORY_FULL ? "memory is full"
                                          : "the device is lost";
}

static void
check_error (EmulationFault fault, const CtrError *error)
{
  const bool lost = fault == EMULATION_DEVICE_LOST;
  if (error->status != (lost ? CTR_ERROR_CUDA : CTR_ERROR_OUT_OF_MEMORY)
      && !(lost && error->status == CTR_ERROR_NO_CUDA)) /* a new object finds no device */
    fail (__FILE__, __LINE__, error->message);
  CHECK (strlen (error->message) > 10);
}

/* As contract->run(), by a pending result where there are some. The call behind a pending result that has failed reports it once
 * more. */
static void *
run (void *object, const Request *request, bool pending, CtrError *error)
{
  if (!pending || !contract->submit)
    return contract->run (object, request, setup->stream, error);
  void *result = contract->submit (object, request, setup->stream, error);
  if (result && !contract->wait (result, error)) {
    CtrError again = {.status = CTR_OK};
    CHECK (!contract->run (object, request, setup->stream, &again));
    CHECK (again.status == error->status && strcmp (again.message, error->message) == 0);
    contract->drop (result);
    return NULL;
  }
  return result;
}

/* Runs frames, behind whose first CALLS calls FAULT happens. Did they end before? */
static bool
try_with (EmulationFault fault, unsigned long calls, const Request *request)
{
  const bool lost = fault == EMULATION_DEVICE_LOST, pending = calls % 2 == 1;
  CtrError error = {.status = CTR_OK};
  void *results[FRAMES] = {NULL};
  bool ok;
  alarm (SECONDS_TO_FAIL);
  emulation_set_fault (fault, calls);
  ctr_gpu_clock_set_current (calls / 2 % 2 ? gpu_clock : NULL);
  void *object = contract->create (setup->backend, &error);
  ok = object != NULL;
  for (int i = 0; i < FRAMES && ok; i++) {
    if (contract->clear)
      contract->clear ();
    results[i] = run (object, request, pending, &error);
    ok = results[i] != NULL;
  }
  const bool happened = emulation_fault_happened ();
  CHECK (ok || happened);
  if (!ok)
    check_error (fault, &error);
  if (lost && happened) {
    error.status = CTR_OK;
    CHECK (!contract->create (setup->backend, &error));
    CHECK (error.status != CTR_OK && error.message[0]);
    if (object) {
      error.status = CTR_OK;
      CHECK (!run (object, request, pending, &error));
      check_error (fault, &error);
    }
  } else {
    emulation_set_fault (EMULATION_NO_FAULT, 0);
  }
  for (int i = 0; i < FRAMES; i++)
    if (results[i]) {
      /* What is drawn is drawn over by the next frame; without the device, arrays cannot be fetched. */
      if ((!lost || !happened) && (!contract->clear || i == FRAMES - 1))
        contract->check_result (request, results[i]);
      contract->drop (results[i]);
    }
  if (object && !(lost && happened))
    contract_check_works (object, request);
  ctr_gpu_clock_set_current (NULL);
  contract->destroy (object);
  emulation_set_fault (EMULATION_NO_FAULT, 0);
  alarm (0);
  return !happened;
}

static void
test_fault (EmulationFault fault, const Request *request, const char *name, unsigned long step)
{
  size_t bytes_before, bytes;
  uint64_t allocations;
  const long objects = emulation_objects ();
  unsigned long calls = 0;
  gpu_count_memory (&bytes_before, &allocations);
  for (bool ended = false; !ended; calls += step) {
    describe ("%s, %s: %s after %lu calls", contract->name, name, name_of (fault), calls);
    ended = try_with (fault, calls, request);
    gpu_count_memory (&bytes, &allocations);
    CHECK (bytes == bytes_before);
    CHECK (emulation_objects () == objects);
  }
  CHECK (calls > step);
}

/* A build without kernels for the GPU says so when an object is made, before any frame comes. */
static void
test_no_kernels (void)
{
  CtrError error = {.status = CTR_OK};
  describe ("%s: no kernels for the device", contract->name);
  emulation_set_fault (EMULATION_NO_KERNELS, 0);
  CHECK (!contract->create (setup->backend, &error));
  emulation_set_fault (EMULATION_NO_FAULT, 0);
  CHECK (error.status == CTR_ERROR_NO_CUDA && strstr (error.message, "-Dcuda-archs=sm_90"));
}

int
main (int argc, char **argv)
{
  static const EmulationFault faults[] = {EMULATION_CALL_FAILS, EMULATION_MEMORY_FULL, EMULATION_DEVICE_LOST};
  const Setup opened = setup_open ("cuda", false);
  const unsigned long step = argc > 2 ? strtoul (argv[2], NULL, 10) : 1;
  uint32_t count;
  setup = &opened;
  contract = contract_open (argc > 1 ? argv[1] : NULL, setup);
  const MemoryCase *const cases = contract->memory_cases (&count);
  const Request good = contract->good_request ();
  gpu_clock = ctr_gpu_clock_new (NULL);
  CHECK (gpu_clock);
  test_no_kernels ();
  for (size_t f = 0; f < LENGTH (faults); f++) {
    test_fault (faults[f], &good, "the good request", step);
    for (uint32_t i = 0; i < (argc > 3 ? count : 0); i++)
      test_fault (faults[f], &cases[i].request, cases[i].name, step);
  }
  ctr_gpu_clock_free (gpu_clock);
  contract_close ();
  return 0;
}
