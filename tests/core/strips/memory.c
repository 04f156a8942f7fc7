/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lets each allocation of the CPU backend's analyser of strips fail in turn: the call must report it and leak nothing, and
 * the analyser must go on with another web. Later strips must allocate nothing but what they return and its parts. */
#include "tests/core/cca/testing.h"
#include "tests/core/common/allocations.h"

#include <string.h>

#ifndef HAVE_ALLOCATIONS

int
main (void)
{
  skip ("needs glibc's allocator to itself");
}

#else

/* LATER: of a strip; the result and the parts of its components, each with an array of rows, moments and grey values, and
 * the labels of two rows. */
enum { W = 60, H = 8, STRIPS = 4, LATER = 9 };

static CtrImage web;
static CtrCcaParams params;

static CtrImage
strip_at (uint32_t i)
{
  CtrImage strip = web;
  strip.data = (const uint8_t *) web.data + i * W * H;
  strip.height = H;
  return strip;
}

/* Analyses a web with ALLOWED allocations to go. Returns its components, -1: there was no memory. */
static int64_t
analyse_web (CtrComponentStrips *strips, long allowed)
{
  CtrError error = {.status = CTR_OK};
  int64_t count = 0;
  allocations_left = allowed;
  for (uint32_t i = 0; i <= STRIPS && count >= 0; i++) {
    const CtrImage strip = strip_at (i % STRIPS);
    CtrComponents *result = NULL;
    const bool ok = i < STRIPS ? (result = ctr_component_strips_run (strips, &strip, &params, NULL, &error)) != NULL
                               : ctr_component_strips_finish (strips, &result, &error);
    count = !ok ? -1 : count + (result ? result->count : 0);
    ctr_components_unref (result);
  }
  allocations_left = -1;
  CHECK (count >= 0 || (error.status == CTR_ERROR_OUT_OF_MEMORY && strstr (error.message, "memory")));
  return count;
}

int
main (void)
{
  Random rng = {12};
  web = (CtrImage){.data = noise_new (&rng, W, H * STRIPS, 55, 1), .stride = W, .width = W, .format = CTR_FORMAT_GRAY8};
  params = params_of (CTR_CONNECTIVITY_4, 1, false, CTR_FEATURE_MOMENTS | CTR_FEATURE_GREY);
  CtrComponentStrips *strips = ctr_component_strips_new (CTR_BACKEND_CPU, 1000, NULL);
  const int64_t count = analyse_web (strips, -1);
  CHECK (count > 0);
  for (uint32_t i = 0; i < STRIPS; i++) {
    const CtrImage strip = strip_at (i);
    describe ("allocations of later strip %u", i);
    allocations_left = LATER;
    CtrComponents *result = ctr_component_strips_run (strips, &strip, &params, NULL, NULL);
    CHECK (result && allocations_left == 0);
    allocations_left = -1;
    ctr_components_unref (result);
  }
  ctr_component_strips_free (strips);
  const long before = blocks;
  long failures = 0;
  for (bool done = false; !done; failures++) {
    describe ("a web with %ld allocations to go", failures);
    allocations_left = failures;
    strips = ctr_component_strips_new (CTR_BACKEND_CPU, 1000, NULL);
    done = strips && analyse_web (strips, allocations_left) == count;
    allocations_left = -1;
    CHECK (!strips || analyse_web (strips, -1) == count);
    ctr_component_strips_free (strips);
    CHECK (blocks == before);
  }
  CHECK (failures > 20);
  return 0;
}

#endif
