/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/common/input_parts.h"

#include <string.h>

namespace
{

/* Bytes: so many that queueing a part costs little, so few that the last one arrives soon. */
constexpr size_t UPLOAD_PART = 512 * 1024;

/* Rows of one plane in host memory. */
struct Rows {
  const uint8_t *first;
  size_t stride, row; /* bytes */
  uint32_t height;
};

size_t
uploaded_size (const Rows &rows)
{
  return ctr_aligned_row (rows.row) * rows.height;
}

Rows
pixels_of (const CtrImage *image)
{
  return {
      (const uint8_t *) image->data, image->stride, ctr_format_row_size (image->format, image->width), image->height};
}

/* The chroma of IMAGE is uploaded as one plane, whose samples alternate, or as two. Returns how many. */
int
chroma_of (const CtrImage *image, Rows planes[2])
{
  const CtrChroma &c = image->chroma;
  const size_t columns = ((image->width - 1) >> c.shift_x) + 1;
  const uint32_t rows = ((image->height - 1) >> c.shift_y) + 1;
  const bool alternates = c.step == 2 && (c.cb + 1 == c.cr || c.cr + 1 == c.cb) && c.stride >= 2 * columns;
  const size_t row = alternates ? 2 * columns : (columns - 1) * c.step + 1; /* no byte behind the last sample */
  planes[0] = {alternates && c.cr < c.cb ? c.cr : c.cb, c.stride, row, rows};
  planes[1] = {c.cr, c.stride, row, rows};
  return alternates ? 1 : 2;
}

/* Is the byte in page-locked memory, which the GPU reads by itself? */
bool
is_pinned (const void *byte)
{
  cudaPointerAttributes attributes;
  const cudaError_t status = cudaPointerGetAttributes (&attributes, byte);
  if (status != cudaSuccess)
    cudaGetLastError ();
  return status == cudaSuccess && attributes.type == cudaMemoryTypeHost;
}

/* Copies the rows into pinned memory and from there to the device, in parts: while the GPU fetches one, the CPU copies
 * the next. */
bool
upload_in_parts (const Rows &rows, uint8_t *staging, uint8_t *to, cudaStream_t stream, CtrError *error)
{
  const size_t pitch = ctr_aligned_row (rows.row);
  const uint32_t most = (uint32_t) (UPLOAD_PART / pitch > 1 ? UPLOAD_PART / pitch : 1);
  for (uint32_t y = 0; y < rows.height; y += most) {
    const uint32_t count = rows.height - y < most ? rows.height - y : most;
    for (uint32_t i = y; i < y + count; i++)
      memcpy (staging + i * pitch, rows.first + i * rows.stride, rows.row);
    CTR_CUDA (cudaMemcpyAsync (to + y * pitch, staging + y * pitch, count * pitch, cudaMemcpyHostToDevice, stream));
  }
  return true;
}

/* STAGING: bytes of this memory that other rows of the image have. */
bool
upload_rows (InputStage *state, const Rows &rows, size_t *staging, void *target, cudaStream_t stream, CtrError *error)
{
  const uint8_t *last = rows.first + rows.stride * (rows.height - 1) + rows.row - 1;
  if (is_pinned (rows.first) && is_pinned (last)) {
    state->reads_image = true;
    CTR_CUDA (cudaMemcpy2DAsync (target, ctr_aligned_row (rows.row), rows.first, rows.stride, rows.row, rows.height,
        cudaMemcpyHostToDevice, stream));
    return true;
  }
  /* The last upload may still read the same memory. */
  if (*staging == 0)
    CTR_CUDA (cuda_wait_for_event (state->uploaded, &state->wait));
  if (!upload_in_parts (rows, (uint8_t *) state->staging.data + *staging, (uint8_t *) target, stream, error))
    return false;
  *staging += uploaded_size (rows);
  return true;
}

} // namespace

size_t
input_upload_size (const CtrImage *image)
{
  return uploaded_size (pixels_of (image));
}

size_t
input_chroma_size (const CtrImage *image)
{
  Rows planes[2];
  return chroma_of (image, planes) * uploaded_size (planes[0]);
}

CtrChroma
input_chroma_view (const CtrImage *image, const void *uploaded)
{
  CtrChroma view = image->chroma;
  Rows planes[2];
  if (image->memory != CTR_MEMORY_HOST)
    return view;
  const int count = chroma_of (image, planes);
  view.cb = view.cr = (const uint8_t *) uploaded;
  view.stride = ctr_aligned_row (planes[0].row);
  if (count == 2)
    view.cr += uploaded_size (planes[0]);
  else
    *(image->chroma.cb < image->chroma.cr ? &view.cr : &view.cb) += 1;
  return view;
}

bool
input_upload (
    InputStage *state, const CtrImage *image, void *pixels, void *chroma, cudaStream_t stream, CtrError *error)
{
  size_t staging = 0;
  Rows planes[2];
  state->reads_image = false;
  if (pixels && !upload_rows (state, pixels_of (image), &staging, pixels, stream, error))
    return false;
  const int count = chroma ? chroma_of (image, planes) : 0;
  for (int i = 0; i < count; i++)
    if (!upload_rows (state, planes[i], &staging, (uint8_t *) chroma + i * uploaded_size (planes[0]), stream, error))
      return false;
  CTR_CUDA (cudaEventRecord (state->uploaded, stream));
  return true;
}

bool
input_stage_release_image (InputStage *state, CtrError *error)
{
  if (state->reads_image)
    CTR_CUDA (cuda_wait_for_event (state->uploaded, &state->wait));
  state->reads_image = false;
  return true;
}
