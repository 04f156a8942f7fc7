/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* changes BACKEND
 *
 * One object of each algorithm, whose images change: in height only, in width only within a word or a vector, in format only, in
 * everything. Each result is that of a new object, so nothing that the object keeps from image to image shows. */
#include "tests/core/common/hashed.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  uint32_t width, height;
  CtrFormat format;
} Step;

static const Step steps[] = {
    {97, 60, CTR_FORMAT_GRAY8},
    {97, 41, CTR_FORMAT_GRAY8},
    {97, 60, CTR_FORMAT_GRAY8},
    {97, 61, CTR_FORMAT_GRAY8},
    {97, 130, CTR_FORMAT_GRAY8},
    {97, 61, CTR_FORMAT_GRAY8},
    {96, 61, CTR_FORMAT_GRAY8},
    {100, 61, CTR_FORMAT_GRAY8},
    {100, 61, CTR_FORMAT_RGB},
    {100, 61, CTR_FORMAT_GRAY16},
    {100, 61, CTR_FORMAT_BGR},
    {61, 100, CTR_FORMAT_GRAY8},
    {1, 1, CTR_FORMAT_GRAY8},
    {200, 3, CTR_FORMAT_GRAY8},
    {3, 200, CTR_FORMAT_GRAY8},
    {33, 17, CTR_FORMAT_XRGB},
    {300, 120, CTR_FORMAT_GRAY8},
    {300, 60, CTR_FORMAT_GRAY8},
    {97, 60, CTR_FORMAT_GRAY8},
};

static uint64_t
run (const HashedCase *c, void *object, const CtrImage *image)
{
  uint64_t hash = HASH_SEED;
  CtrError error;
  if (!c->run (object, image, &hash, &error))
    fail (__FILE__, __LINE__, error.message);
  return hash;
}

static void
check_case (const HashedCase *c, size_t step_count)
{
  /* What these cases make of an image needs bytes, or some room. */
  const bool grey_only = strcmp (c->name, "edge chains") == 0;
  const uint32_t least_side = strcmp (c->name, "snake") == 0 ? 8 : 1;
  void *object = c->create ();
  Random random = {21};
  CHECK (object);
  for (size_t i = 0; i < step_count; i++) {
    const Step step = steps[i];
    if ((grey_only && step.format != CTR_FORMAT_GRAY8) || step.width < least_side || step.height < least_side)
      continue;
    uint8_t *grey = grey_new (&random, step.width, step.height);
    Picture picture = picture_of_grey (&random, grey, step.width, step.height, (Layout){.format = step.format});
    void *fresh = c->create ();
    CHECK (fresh);
    describe ("%s, step %zu, %u x %u, format %d", c->name, i, step.width, step.height, step.format);
    CHECK (run (c, object, &picture.view) == run (c, fresh, &picture.view));
    c->destroy (fresh);
    picture_free (&picture);
    free (grey);
  }
  c->destroy (object);
}

int
main (int argc, char **argv)
{
  const Setup setup = setup_open (argv[1], false);
  hashed_open (&setup);
  for (size_t i = 0; i < hashed_case_count; i++)
    check_case (&hashed_cases[i], setup.quick ? 7 : LENGTH (steps));
  return 0;
}
