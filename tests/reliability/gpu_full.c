/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gpu-full ALGORITHM
 *
 * Takes the memory of a real GPU but for some MiB, and lets ALGORITHM analyse frames with what is left. Each frame gives a result, or one
 * error that says what is missing; with memory again, the same object is exact. Takes all memory of the GPU for seconds. */
#include "tests/core/common/contract.h"
#include "tests/core/common/gpu.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 3, MOST_PIECES = 4096, SECONDS_TO_FAIL = 60 };

static const Contract *contract;
static const Setup *setup;
static unsigned failures;

/* What the test has taken, in descending order of sizes. */
static struct {
  void *memory;
  size_t bytes;
} pieces[MOST_PIECES];
static size_t piece_count;

static void
take_all_memory (void)
{
  const size_t least = 64 << 10;
  for (size_t bytes = (size_t) 64 << 30; bytes >= least && piece_count < MOST_PIECES;) {
    void *memory = gpu_try_alloc (bytes);
    if (!memory) {
      bytes /= 2;
      continue;
    }
    pieces[piece_count].memory = memory;
    pieces[piece_count++].bytes = bytes;
  }
}

/* Gives BYTES back, or somewhat more. */
static void
give_back (size_t bytes)
{
  for (size_t given = 0; given < bytes && piece_count > 0; given += pieces[piece_count].bytes)
    gpu_free (pieces[--piece_count].memory);
}

static void
check_error (const CtrError *error)
{
  failures++;
  if (error->status != CTR_ERROR_OUT_OF_MEMORY)
    fail (__FILE__, __LINE__, error->message);
  CHECK (strlen (error->message) > 10);
}

static void
try_with (size_t left, const Request *request, const char *name)
{
  CtrError error = {.status = CTR_OK};
  describe ("%s, %s: %zu KiB are left", contract->name, name, left >> 10);
  alarm (SECONDS_TO_FAIL);
  take_all_memory ();
  give_back (left);
  void *object = contract->create (setup->backend, &error);
  if (!object)
    check_error (&error);
  for (int i = 0; i < FRAMES && object; i++) {
    if (contract->clear)
      contract->clear ();
    void *result = contract->run (object, request, setup->stream, &error);
    if (!result) {
      check_error (&error);
      continue;
    }
    /* There may be no memory to fetch its arrays and compare them. */
    contract->drop (result);
  }
  give_back (SIZE_MAX);
  if (!object)
    object = contract->create (setup->backend, &error);
  CHECK (object);
  contract_check_works (object, request);
  contract->destroy (object);
  alarm (0);
}

int
main (int argc, char **argv)
{
  const Setup opened = setup_open ("cuda", false);
  uint32_t count;
  setup = &opened;
  contract = contract_open (argc > 1 ? argv[1] : NULL, setup);
  const MemoryCase *const cases = contract->memory_cases (&count);
  const Request good = contract->good_request ();
  for (size_t left = 0; left <= (size_t) 256 << 20; left = left ? 4 * left : 64 << 10) {
    try_with (left, &good, "the good request");
    for (uint32_t i = 0; i < count; i++)
      try_with (left, &cases[i].request, cases[i].name);
  }
  contract_close ();
  printf ("%s: %u failures\n", contract->name, failures);
  CHECK (failures > 0);
  return 0;
}
