/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/cracks/labels.cuh"

namespace
{

CtrImage
image_of (const CtrComponents *components, const uint32_t *labels)
{
  CtrImage image = {};
  image.data = labels;
  image.stride = components->width * sizeof *labels;
  image.width = components->width;
  image.height = components->height;
  image.memory = CTR_MEMORY_DEVICE;
  return image;
}

/* Uploads labels that are elsewhere. */
bool
upload (LabelSource *source, CtrImage *image, cudaStream_t stream, CtrError *error)
{
  const size_t size = (size_t) source->components->width * source->components->height * sizeof (uint32_t);
  const uint32_t *labels = ctr_components_map_labels (source->components, error);
  if (!labels)
    return false;
  if (size > source->uploaded.size)
    CTR_CUDA (cudaStreamSynchronize (stream));
  if (!ctr_device_buffer_reserve (&source->uploaded, size, error))
    return false;
  CTR_CUDA (cudaMemcpyAsync (source->uploaded.data, labels, size, cudaMemcpyHostToDevice, stream));
  *image = image_of (source->components, (const uint32_t *) source->uploaded.data);
  return true;
}

/* Locks pending components whose labels can be read behind their analysis. */
bool
lock (LabelSource *source, const CudaSession &session)
{
  CtrPendingView *view = &source->view;
  *view = {};
  if (!ctr_components_lock (source->components, view))
    return false;
  if (view->context == session.context && view->labels)
    return true;
  ctr_components_unlock (source->components, NULL, NULL);
  return false;
}

bool
follow (LabelSource *source, CtrImage *image, cudaStream_t stream, CtrError *error)
{
  const CtrPendingView &view = source->view;
  cudaError_t status = cudaSuccess;
  if (!source->read)
    source->read = cuda_shared_event_new (&status);
  if (status == cudaSuccess && view.stream != stream)
    status = cudaStreamWaitEvent (stream, (cudaEvent_t) view.done, 0);
  *image = image_of (source->components, view.labels);
  return status == cudaSuccess || ctr_cuda_fail (error, status, "waiting for labels on the GPU");
}

} // namespace

bool
label_source_open (
    LabelSource *source, CtrComponents *components, CudaSession *session, CtrImage *image, CtrError *error)
{
  source->components = components;
  source->is_pending = lock (source, *session);
  if (!source->is_pending)
    return ctr_components_wait (components, error) && label_source_find_settled (source, image, session->stream, error);
  if (follow (source, image, session->stream, error))
    return true;
  label_source_close (source, session->stream, false, NULL);
  return false;
}

bool
label_source_close (LabelSource *source, cudaStream_t stream, bool is_queued, CtrError *error)
{
  if (!source->is_pending)
    return true;
  source->is_pending = false;
  const cudaError_t status = is_queued ? cuda_shared_event_record (source->read, stream) : cudaSuccess;
  const bool recorded = status == cudaSuccess || ctr_cuda_fail (error, status, "marking the end of reading labels");
  if (!recorded)
    cudaStreamSynchronize (stream);
  return ctr_components_unlock (source->components, is_queued && recorded ? source->read : NULL, error) && recorded;
}

const uint32_t *
label_source_gate (const LabelSource &source)
{
  return source.is_pending ? &source.view.numbers->complete : NULL;
}

bool
label_source_wait (const LabelSource &source, CtrError *error)
{
  return ctr_components_wait (source.components, error);
}

bool
label_source_find_settled (LabelSource *source, CtrImage *image, cudaStream_t stream, CtrError *error)
{
  const uint32_t *labels;
  if (!ctr_components_get_device_labels (source->components, &labels))
    return upload (source, image, stream, error);
  *image = image_of (source->components, labels);
  return true;
}

void
label_source_free (LabelSource *source)
{
  ctr_device_buffer_free (&source->uploaded);
  cuda_shared_event_unref (source->read);
  *source = {};
}
