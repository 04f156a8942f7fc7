/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis: argument checks and the way to the backend. */
#include "core/common/backend.h"

#include <stdlib.h>

struct CtrCca {
  const CtrCcaOps *ops;
  CtrBackend backend;
  void *state;
  bool queued;  /* the last ctr_cca_enqueue() took its image: there is a result on the device */
  bool pending; /* and it has not been taken yet */
};

void
ctr_cca_params_init (CtrCcaParams *params)
{
  *params = (CtrCcaParams){
      .foreground = {.mode = CTR_THRESHOLD_FIXED, .threshold = 128},
      .connectivity = CTR_CONNECTIVITY_8,
  };
}

CtrCca *
ctr_cca_new (CtrBackend backend, CtrError *error)
{
  if (backend != CTR_BACKEND_CPU && backend != CTR_BACKEND_CUDA) {
    ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown backend %d", (int) backend);
    return NULL;
  }
  const CtrCcaOps *ops = &ctr_cca_ops_cpu;
  if (backend == CTR_BACKEND_CUDA) {
    if (!ctr_cuda_available (error))
      return NULL;
#ifdef CTR_HAVE_CUDA
    ops = &ctr_cca_ops_cuda;
#endif
  }
  CtrCca *cca = calloc (1, sizeof *cca);
  if (!cca) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a component analyser");
    return NULL;
  }
  cca->ops = ops;
  cca->backend = backend;
  cca->state = ops->create (error);
  if (!cca->state) {
    free (cca);
    return NULL;
  }
  return cca;
}

void
ctr_cca_free (CtrCca *cca)
{
  if (!cca)
    return;
  cca->ops->destroy (cca->state);
  free (cca);
}

static bool
check_params (const CtrCcaParams *params, CtrError *error)
{
  if (!params)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "there are no parameters: ctr_cca_params_init() gives the usual ones");
  if (params->connectivity != CTR_CONNECTIVITY_4 && params->connectivity != CTR_CONNECTIVITY_8)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "connectivity is %d: it must be 4 or 8", (int) params->connectivity);
  if (params->foreground.mode != CTR_THRESHOLD_FIXED && params->foreground.mode != CTR_THRESHOLD_OTSU)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown threshold mode %d", (int) params->foreground.mode);
  if (params->features & ~(uint32_t) (CTR_FEATURE_MOMENTS | CTR_FEATURE_GREY | CTR_FEATURE_LABELS))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown features in 0x%x", params->features);
  return true;
}

static bool
check_arguments (const CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, CtrError *error)
{
  if (!ctr_image_check (image, error) || !check_params (params, error))
    return false;
  if (cca->backend == CTR_BACKEND_CPU && image->memory != CTR_MEMORY_HOST)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the CPU backend needs the image in host memory");
  return true;
}

bool
ctr_cca_enqueue (CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  if (!check_arguments (cca, image, params, error)) {
    /* An older image's result must not pass for this one's, nor may its pixels still be read. */
    if (cca->pending)
      ctr_components_unref (cca->ops->finish (cca->state, NULL));
    cca->queued = cca->pending = false;
    return false;
  }
  cca->queued = cca->pending = cca->ops->enqueue (cca->state, image, params, stream, error);
  return cca->pending;
}

CtrComponents *
ctr_cca_finish (CtrCca *cca, CtrError *error)
{
  if (!cca->pending) {
    ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "no image is queued: call ctr_cca_enqueue() first");
    return NULL;
  }
  cca->pending = false;
  return cca->ops->finish (cca->state, error);
}

CtrComponents *
ctr_cca_run (CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  return ctr_cca_enqueue (cca, image, params, stream, error) ? ctr_cca_finish (cca, error) : NULL;
}

bool
ctr_cca_get_device_result (CtrCca *cca, CtrDeviceComponents *result, CtrError *error)
{
  if (!cca->ops->get_device_result)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the CPU backend keeps no result on the GPU");
  if (!cca->queued)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "no image was queued: call ctr_cca_enqueue() first");
  return cca->ops->get_device_result (cca->state, result, error);
}
