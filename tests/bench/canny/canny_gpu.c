/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/canny/canny_gpu.h"

#include <contours/contours.h>

static void *
create (CtrError *error)
{
  return ctr_canny_new (CTR_BACKEND_CUDA, error);
}

static void
destroy (void *state)
{
  ctr_canny_free (state);
}

static bool
enqueue (
    void *state, const CtrImage *image, const void *work, const CtrEdgePicture *picture, void *stream, CtrError *error)
{
  return ctr_canny_enqueue (state, image, &((const CannyWork *) work)->params, picture, stream, error);
}

static bool
finish (void *state, CtrError *error)
{
  return ctr_canny_finish (state, error);
}

static bool
run (void *state, const CtrImage *image, const void *work, const CtrEdgePicture *picture, void *stream, CtrError *error)
{
  return ctr_canny_run (state, image, &((const CannyWork *) work)->params, picture, stream, error);
}

static const char *
describe (const void *work)
{
  return canny_describe (work);
}

static uint64_t
count (const void *work, const uint8_t *mask)
{
  return canny_count_edges (work, mask);
}

static bool
same_mask (const char *who, const void *work, const uint8_t *mask, const uint8_t *expected)
{
  return canny_same_mask (who, work, mask, expected);
}

static void
record (const char *who, const char *mode, const void *work, uint64_t set, double *microseconds, int runs)
{
  canny_record (who, mode, work, set, microseconds, runs);
}

static const MaskMaker maker = {create, destroy, enqueue, finish, run, describe, count, same_mask, record};

MasksGpu *
canny_gpu_new (size_t max_size, size_t max_pixels)
{
  return masks_gpu_new (&maker, max_size, max_pixels);
}

bool
canny_gpu_measure (MasksGpu *gpu, const CannyWork *work, const uint8_t *image, uint8_t *mask)
{
  const MaskWork described = {work->width, work->height, work->format, work};
  return masks_gpu_measure (gpu, &described, image, mask);
}
