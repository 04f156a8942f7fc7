/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first and last rows of an image in device memory, copied to the host. */
#include "cuda/common/context.h"
#include "cuda/common/error.cuh"
#include "cuda/common/session.cuh"

#include "core/strips/edgerows.h"

#include <stdlib.h>

namespace
{

struct EdgeRows {
  void *context;
  cudaStream_t own_stream;
  cudaEvent_t copied;
  uint8_t *rows; /* pinned */
  size_t bytes;
  CudaWait wait;
};

void
destroy (void *data)
{
  EdgeRows *state = (EdgeRows *) data;
  if (state->copied)
    cudaEventDestroy (state->copied);
  if (state->own_stream)
    cudaStreamDestroy (state->own_stream);
  if (state->rows)
    cudaFreeHost (state->rows);
  cudaGetLastError (); /* The context may be gone. */
  free (state);
}

void *
create (CtrError *error)
{
  EdgeRows *state = (EdgeRows *) calloc (1, sizeof *state);
  if (!state) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the rows at the ends of a strip");
    return NULL;
  }
  cudaError_t status = cudaFree (NULL); /* A thread without a context gets the primary one. */
  if (status == cudaSuccess)
    status = cudaStreamCreateWithFlags (&state->own_stream, cudaStreamNonBlocking);
  if (status == cudaSuccess)
    status = cuda_create_event (&state->copied);
  state->context = ctr_context_current ();
  if (status == cudaSuccess)
    return state;
  ctr_cuda_fail (error, status, "preparing the rows at the ends of strips");
  destroy (state);
  return NULL;
}

/* The rows of the strip before have been taken, so nothing writes the memory. */
bool
make_room (EdgeRows *state, size_t bytes, CtrError *error)
{
  if (bytes <= state->bytes)
    return true;
  uint8_t *rows;
  CTR_CUDA (cudaEventSynchronize (state->copied));
  CTR_CUDA (cudaHostAlloc ((void **) &rows, bytes, cudaHostAllocDefault));
  if (state->rows)
    cudaFreeHost (state->rows);
  state->rows = rows;
  state->bytes = bytes;
  return true;
}

bool
read (void *data, const CtrImage *image, uint32_t count, void *stream, CtrError *error)
{
  EdgeRows *state = (EdgeRows *) data;
  const cudaStream_t in = stream ? (cudaStream_t) stream : state->own_stream;
  const size_t row = image->width * ctr_format_pixel_size (image->format);
  const uint8_t *first = (const uint8_t *) image->data, *last = first + (image->height - count) * image->stride;
  if (!make_room (state, 2 * count * row, error))
    return false;
  CTR_CUDA (cudaMemcpy2DAsync (state->rows, row, first, image->stride, row, count, cudaMemcpyDeviceToHost, in));
  CTR_CUDA (
      cudaMemcpy2DAsync (state->rows + count * row, row, last, image->stride, row, count, cudaMemcpyDeviceToHost, in));
  CTR_CUDA (cudaEventRecord (state->copied, in));
  return true;
}

bool
lead (void *data, void *stream, CtrError *error)
{
  EdgeRows *state = (EdgeRows *) data;
  CTR_CUDA (cudaStreamWaitEvent (stream ? (cudaStream_t) stream : cudaStreamLegacy, state->copied, 0));
  return true;
}

const void *
wait_for_rows (void *data, CtrError *error)
{
  EdgeRows *state = (EdgeRows *) data;
  ctr_context_push (state->context);
  const cudaError_t status = cuda_wait_for_event (state->copied, &state->wait);
  ctr_context_pop ();
  if (status == cudaSuccess)
    return state->rows;
  ctr_cuda_fail (error, status, "copying the rows at the ends of a strip");
  return NULL;
}

} // namespace

extern "C" const CtrEdgeRowsOps ctr_edge_rows_ops_cuda = {create, destroy, read, lead, wait_for_rows};
