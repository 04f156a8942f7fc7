/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fills a picture with its background: 16 bytes a store, whatever the size of a pixel and the alignment of the rows. */
#include "cuda/paint/device_state.cuh"

namespace
{

/* A thread steps by whole PHASES bytes, a multiple of every pixel's size: all of its chunks begin with the same byte of a
 * pixel. */
constexpr uint32_t CHUNK = 16, PHASES = 48, THREADS = 192, STEP = THREADS * CHUNK, MAX_CTAS = 4096;
static_assert (STEP % PHASES == 0 && sizeof (uint4) == CHUNK, "");

struct Plane {
  uint8_t *data;
  size_t stride, row_bytes;
  uint32_t rows;
  uint32_t period;                            /* bytes of a pixel */
  uint8_t pattern[CTR_PAINT_PATTERN + CHUNK]; /* at least PERIOD + CHUNK - 1 bytes of equal pixels */
};

struct Job {
  Plane planes[CTR_PAINT_MAX_PLANES];
};

__device__ uint4
load_chunk (const Plane &plane, uint32_t phase)
{
  uint32_t words[4];
#pragma unroll
  for (uint32_t i = 0; i < 4; i++) {
    words[i] = 0;
#pragma unroll
    for (uint32_t j = 0; j < 4; j++)
      words[i] |= (uint32_t) plane.pattern[phase + 4 * i + j] << 8 * j;
  }
  return make_uint4 (words[0], words[1], words[2], words[3]);
}

__device__ void
fill_row (const Plane &plane, uint8_t *begin, uint8_t *chunk, uint32_t phase, uint4 bytes)
{
  uint8_t *const end = begin + plane.row_bytes;
  for (; chunk < end; chunk += STEP) {
    if (chunk >= begin && (size_t) (end - chunk) >= CHUNK) {
      *(uint4 *) chunk = bytes;
      continue;
    }
    for (uint32_t i = 0; i < CHUNK; i++)
      if (chunk + i >= begin && chunk + i < end)
        chunk[i] = plane.pattern[phase + i];
  }
}

__global__ void
__launch_bounds__ (THREADS) fill_kernel (const __grid_constant__ Job job)
{
  const Plane &plane = job.planes[blockIdx.y];
  uint32_t known = ~0u; /* the phase of BYTES: that of every row whose stride is aligned */
  uint4 bytes = make_uint4 (0, 0, 0, 0);
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  for (uint32_t y = blockIdx.x; y < plane.rows; y += gridDim.x) {
    uint8_t *const begin = plane.data + y * plane.stride;
    uint8_t *const chunk = begin - (uintptr_t) begin % CHUNK + threadIdx.x * CHUNK;
    const uint32_t phase = (uint32_t) (PHASES + (chunk - begin)) % plane.period;
    if (phase != known)
      bytes = load_chunk (plane, phase);
    known = phase;
    fill_row (plane, begin, chunk, phase, bytes);
  }
}

Plane
plane_of (const CtrPaintPicture &picture, uint32_t index)
{
  const CtrPaintPlane *from = &picture.planes[index];
  Plane plane = {
      (uint8_t *) from->data, from->stride, ctr_paint_row_bytes (&picture, from), ctr_paint_row_count (&picture, from)};
  plane.period = ctr_paint_background_pixel (&picture, from, plane.pattern);
  for (uint32_t i = plane.period; i < sizeof plane.pattern; i++)
    plane.pattern[i] = plane.pattern[i - plane.period];
  return plane;
}

} // namespace

void
paint_launch_fill (const CtrPaintPicture &picture, const CudaSession &session)
{
  if (picture.background == CTR_BACKGROUND_PICTURE)
    return;
  Job job = {};
  for (uint32_t p = 0; p < picture.plane_count; p++)
    job.planes[p] = plane_of (picture, p);
  const uint32_t ctas = picture.height < MAX_CTAS ? picture.height : MAX_CTAS;
  ctr_launch_overlapped (
      session.overlap, fill_kernel, dim3 (ctas, picture.plane_count), dim3 (THREADS), 0, session.stream, job);
}
