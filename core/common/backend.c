/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/common/backend.h"

#include "core/common/error.h"

#include <stdlib.h>

static bool
check_backend (CtrBackend backend, CtrError *error)
{
  switch (backend) {
    case CTR_BACKEND_CPU:
      return true;
    case CTR_BACKEND_CUDA:
      return ctr_cuda_available (error);
  }
  return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown backend %d", (int) backend);
}

CtrAnalyser *
ctr_analyser_new (const CtrAnalyserType *type, CtrBackend backend, const CtrBackendOps *ops, CtrError *error)
{
  if (!check_backend (backend, error))
    return NULL;
  CtrAnalyser *analyser = calloc (1, type->size);
  if (!analyser) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a new %s", type->name);
    return NULL;
  }
  analyser->type = type;
  analyser->backend = backend;
  analyser->ops = ops;
  analyser->state = ops->create (error);
  if (!analyser->state) {
    free (analyser);
    return NULL;
  }
  return analyser;
}

void
ctr_analyser_free (CtrAnalyser *analyser)
{
  if (!analyser)
    return;
  ctr_analyser_settle (analyser, NULL);
  if (analyser->state)
    analyser->ops->destroy (analyser->state);
  if (analyser->type->release)
    analyser->type->release (analyser);
  free (analyser);
}

bool
ctr_analyser_settle (CtrAnalyser *analyser, CtrError *error)
{
  void *result = analyser->handed_out;
  if (!result)
    return true;
  const bool ok = analyser->type->result->wait (result, error);
  analyser->handed_out = NULL;
  analyser->type->result->unref (result);
  return ok;
}

bool
ctr_analyser_view (void *analyser, CtrPendingView *view)
{
  const CtrAnalyser *base = analyser;
  return base->ops->view (base->state, view);
}

bool
ctr_analyser_hold (void *analyser, void *event, CtrError *error)
{
  const CtrAnalyser *base = analyser;
  return base->ops->hold (base->state, event, error);
}

bool
ctr_analyser_lead (void *analyser, void *stream, CtrError *error)
{
  const CtrAnalyser *base = analyser;
  return base->ops->lead (base->state, stream, error);
}

bool
ctr_analyser_was_incomplete (const void *analyser)
{
  const CtrAnalyser *base = analyser;
  return base->ops->was_incomplete && base->ops->was_incomplete (base->state);
}

bool
ctr_analyser_check_memory (const CtrAnalyser *analyser, const char *what, CtrMemory memory, CtrError *error)
{
  return analyser->backend != CTR_BACKEND_CPU || memory == CTR_MEMORY_HOST
         || ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
             "the %s is in device memory: the CPU backend needs it in host memory", what);
}

void
ctr_analyser_discard (CtrAnalyser *analyser)
{
  if (analyser->pending)
    analyser->type->discard (analyser);
  analyser->pending = false;
}

bool
ctr_analyser_note (CtrAnalyser *analyser, bool worked)
{
  analyser->failed |= !worked;
  return worked;
}

bool
ctr_analyser_renew (CtrAnalyser *analyser, CtrError *error)
{
  if (!analyser->failed || analyser->backend == CTR_BACKEND_CPU)
    return true;
  /* Its memory may be what there is too little of. */
  if (analyser->state)
    analyser->ops->destroy (analyser->state);
  analyser->state = analyser->ops->create (error);
  analyser->failed = !analyser->state;
  return analyser->state;
}

bool
ctr_analyser_accept (CtrAnalyser *analyser, bool valid, CtrError *error)
{
  if (!valid)
    ctr_analyser_discard (analyser);
  return valid && ctr_analyser_renew (analyser, error);
}

bool
ctr_analyser_check_pending (const CtrAnalyser *analyser, CtrError *error)
{
  return analyser->pending
         || ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "no %s is queued: call %s first", analyser->type->input,
             analyser->type->enqueue);
}

bool
ctr_analyser_take_pending (CtrAnalyser *analyser, CtrError *error)
{
  const bool pending = ctr_analyser_check_pending (analyser, error);
  analyser->pending = false;
  return pending;
}
