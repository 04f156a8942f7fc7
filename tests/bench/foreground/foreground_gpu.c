/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/foreground/foreground_gpu.h"

#include <contours/contours.h>

static void *
create (CtrError *error)
{
  return ctr_mask_new (CTR_BACKEND_CUDA, error);
}

static void
destroy (void *state)
{
  ctr_mask_free (state);
}

static bool
enqueue (
    void *state, const CtrImage *image, const void *work, const CtrEdgePicture *picture, void *stream, CtrError *error)
{
  return ctr_mask_enqueue (state, image, &((const ForegroundWork *) work)->foreground, picture, stream, error);
}

static bool
finish (void *state, CtrError *error)
{
  return ctr_mask_finish (state, error);
}

static bool
run (void *state, const CtrImage *image, const void *work, const CtrEdgePicture *picture, void *stream, CtrError *error)
{
  return ctr_mask_run (state, image, &((const ForegroundWork *) work)->foreground, picture, stream, error);
}

static const char *
describe (const void *work)
{
  return foreground_describe (work);
}

static uint64_t
count (const void *work, const uint8_t *mask)
{
  return foreground_count (work, mask);
}

static bool
same_mask (const char *who, const void *work, const uint8_t *mask, const uint8_t *expected)
{
  return foreground_same_mask (who, work, mask, expected);
}

static void
record (const char *who, const char *mode, const void *work, uint64_t set, double *microseconds, int runs)
{
  foreground_record (who, mode, work, set, microseconds, runs);
}

static const MaskMaker maker = {create, destroy, enqueue, finish, run, describe, count, same_mask, record};

MasksGpu *
foreground_gpu_new (size_t max_size, size_t max_pixels)
{
  return masks_gpu_new (&maker, max_size, max_pixels);
}

bool
foreground_gpu_measure (MasksGpu *gpu, const ForegroundWork *work, const uint8_t *image, uint8_t *mask)
{
  const MaskWork described = {work->width, work->height, work->format, work};
  return masks_gpu_measure (gpu, &described, image, mask);
}
