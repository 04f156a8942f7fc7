/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* memory ALGORITHM
 *
 * Lets each allocation of the CPU backend fail in turn. The call must report it and leak nothing, and the object must
 * go on working. A later frame must allocate nothing but its result. */
#include "tests/core/common/allocations.h"
#include "tests/core/common/contract.h"

#include <string.h>

#ifndef HAVE_ALLOCATIONS

int
main (void)
{
  skip ("needs glibc's allocator to itself");
}

#else

static const Contract *contract;

/* Analyses a first frame with ALLOWED allocations. Is the frame complete? */
static bool
try_with (const MemoryCase *test, long allowed)
{
  CtrError error = {.status = CTR_OK};
  describe ("%s, %s: a first frame with %ld allocations to go", contract->name, test->name, allowed);
  if (contract->clear)
    contract->clear ();
  allocations_left = allowed;
  void *object = contract->create (CTR_BACKEND_CPU, &error);
  const long blocks_new = blocks;
  void *result = object ? contract->run (object, &test->request, NULL, &error) : NULL;
  allocations_left = -1;
  if (result) {
    contract->check_result (&test->request, result);
    contract->drop (result);
  } else {
    CHECK (error.status == CTR_ERROR_OUT_OF_MEMORY);
    CHECK (strstr (error.message, "memory"));
    CHECK (test->kept_blocks < 0 || blocks <= blocks_new + test->kept_blocks);
    if (contract->check_clear)
      contract->check_clear ();
    if (object && test->smaller)
      contract_check_works (object, test->smaller);
    if (object)
      contract_check_works (object, &test->request);
  }
  contract->destroy (object);
  return result;
}

static void
check_later_frames (const MemoryCase *test)
{
  const Request *const frames[] = {&test->request, test->smaller, &test->request};
  CtrError error;
  void *object = contract->create (CTR_BACKEND_CPU, &error);
  CHECK (object);
  contract_check_works (object, &test->request);
  for (size_t i = 0; i < LENGTH (frames); i++) {
    if (!frames[i])
      continue;
    describe ("%s, %s: allocations of later frame %zu", contract->name, test->name, i);
    if (contract->clear)
      contract->clear ();
    allocations_left = test->later_allocations;
    void *result = contract->run (object, frames[i], NULL, &error);
    const long left = allocations_left;
    allocations_left = -1;
    CHECK (result && left == 0);
    contract->check_result (frames[i], result);
    contract->drop (result);
  }
  contract->destroy (object);
}

int
main (int argc, char **argv)
{
  const Setup setup = setup_open ("cpu", false);
  uint32_t count;
  contract = contract_open (argc > 1 ? argv[1] : NULL, &setup);
  const MemoryCase *const cases = contract->memory_cases (&count);
  for (uint32_t i = 0; i < count; i++) {
    const long blocks_before = blocks;
    long failures = 0;
    while (!try_with (&cases[i], failures))
      failures++;
    CHECK (failures >= cases[i].least_failures);
    CHECK (blocks == blocks_before);
    if (cases[i].later_allocations >= 0)
      check_later_frames (&cases[i]);
  }
  contract_close ();
  return 0;
}

#endif
