/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis on the GPU: the entry points. device_state.cuh has the design. */
#include "cuda/cca/analyser.cuh"

#include "core/results/components.h"

#include <stdlib.h>

namespace
{

void *
cca_create (CtrError *error)
{
  CcaAnalyser *cca = (CcaAnalyser *) calloc (1, sizeof (CcaAnalyser));
  if (!cca) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a component analyser");
    return NULL;
  }
  input_stage_init (&cca->input);
  delivery_init (&cca->delivery);
  cca->host.pinned = true;
  if (!cuda_session_open (&cca->session, "preparing a component analyser", error)) {
    cuda_session_close (&cca->session);
    free (cca);
    return NULL;
  }
  cca->session.overlap = cca->session.overlap && cuda_graph_takes_overlap ();
  cca->finish_ctas = cca->session.overlap ? cca_finish_ctas () : 0;
  cca->whole_ctas = cca->session.overlap ? cca_whole_ctas () : 0;
  return cca;
}

void
cca_destroy (void *state)
{
  CcaAnalyser *cca = (CcaAnalyser *) state;
  if (cca->session.stream)
    cudaStreamSynchronize (cca->session.stream);
  cuda_session_wait_for_readers (&cca->session, NULL);
  if (cca->session.done)
    cuda_wait_asleep (cca->session.done); /* The emit kernel may still look for rows, though it has set its flag. */
  for (CcaCachedGraph &cached : cca->graphs) {
    cuda_graph_free (&cached.graph);
    cca_set_key (&cached, NULL);
  }
  cuda_session_close (&cca->session);
  cca_release_memory (cca);
  if (cca->label_slot)
    result_slot_give_back (&cca->label_slot->base);
  if (cca->label_pool)
    result_pool_unref (cca->label_pool);
  free (cca);
}

/* Completes KEY if a shared input serves the image. */
bool
share_input (CcaAnalyser *cca, CcaFrameKey *key, CtrError *error)
{
  const CtrImage image = key->image;
  bool moved;
  const bool ok =
      input_stage_share (&cca->input, &image, cca_need (&key->params), &cca->session, &key->image, &moved, error);
  cca_know_mask (cca, key);
  if (key->params.foreground.regions)
    key->params.foreground.regions = cca->input.regions.regions; /* which stay as long as the key */
  cca->generation += moved;
  return ok;
}

/* Completes KEY with memory for the label image, if it has one. */
bool
take_labels (CcaAnalyser *cca, CcaFrameKey *key, CtrError *error)
{
  const size_t size = (size_t) key->image.width * key->image.height * sizeof (uint32_t);
  if (!(key->params.features & CTR_FEATURE_LABELS))
    return true;
  if ((!cca->label_pool && !(cca->label_pool = label_pool_new (error)))
      || (!cca->label_slot && !(cca->label_slot = label_pool_take (cca->label_pool, error))))
    return false;
  /* An image that was not finished may still write there. */
  if (size > cca->label_slot->memory.size)
    CTR_CUDA (cudaStreamSynchronize (cca->session.stream));
  if (!ctr_device_buffer_reserve (&cca->label_slot->memory, size, error)) {
    cca_release_memory (cca); /* so that a smaller frame, which may fit, starts without these sizes */
    return false;
  }
  cca->used_labels = max (cca->used_labels, size);
  key->labels = (uint32_t *) cca->label_slot->memory.data;
  return true;
}

bool
queue_frame (CcaAnalyser *cca, CcaFrameKey *key, CtrError *error)
{
  if (!share_input (cca, key, error) || !take_labels (cca, key, error) || !cca_select_graph (cca, key, error))
    return false;
  /* A graph that is replayed needs the memory, too. */
  bool fresh;
  const InputNeed need = cca_need (&key->params);
  return input_stage_reserve (&cca->input, &key->image, need, cca->session.stream, &fresh, error)
         && cuda_session_start_clock (&cca->session, error)
         && input_stage_upload (&cca->input, &key->image, need, cca->session.stream, error)
         && cca_launch_graph (cca, error) && input_stage_release_image (&cca->input, error);
}

bool
cca_enqueue (void *state, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  CcaAnalyser *cca = (CcaAnalyser *) state;
  StripPlan plan;
  const bool direct = cca->direct_rest.left == 0 && cca->likely_count <= CCA_MOST_JOINED;
  const bool whole = cca->rest.left == 0 && cca_plan_whole (image->width, image->height, cca->whole_ctas, direct, &plan)
                     && cca->run_count <= plan.most_runs && cca->likely_count <= plan.most_components;
  CcaFrameKey key = {*image, *params, NULL, NULL, NULL, cca->was_crowded, cca->had_few, whole, whole && plan.direct};
  cca->overtakes = cca->session.stream != NULL;
  if (!cuda_session_begin_in_order (&cca->session, stream, error)
      || !cuda_session_follow_readers (&cca->session, error))
    return false;
  cca->session.was_incomplete = false;
  if ((!cca->period_ended || cca_give_back_memory (cca, error)) && queue_frame (cca, &key, error))
    return true;
  cuda_session_end (&cca->session, false);
  input_stage_end (&cca->input);
  return false;
}

CtrComponents *
cca_finish (void *state, CtrError *error)
{
  CcaAnalyser *cca = (CcaAnalyser *) state;
  cuda_session_enter (&cca->session);
  CtrComponents *result = cca_take_result (cca, error);
  cuda_session_end (&cca->session, result);
  input_stage_end (&cca->input);
  cuda_session_leave (&cca->session);
  return result;
}

bool
cca_get_device_result (void *state, CtrDeviceComponents *result, CtrError *error)
{
  CcaAnalyser *cca = (CcaAnalyser *) state;
  if (!cca->current)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "no image was queued: call ctr_cca_enqueue() first");
  const CcaKernelArgs *f = &cca->current->args;
  *result = {f->table.components, &f->header->count, cca->current->key.labels, f->table.capacity};
  return true;
}

bool
cca_view (void *state, CtrPendingView *view)
{
  const CcaAnalyser *cca = (const CcaAnalyser *) state;
  const CcaKernelArgs *f = &cca->current->args;
  *view = {cca->session.context, cca->session.marked, cca->session.done, f->numbers, f->table.components, NULL,
      f->table.capacity, cca->likely_count, 0, cca->current->key.labels};
  return true;
}

} // namespace

extern "C" const CtrCcaOps ctr_cca_ops_cuda = {
    {cca_create, cca_destroy, cca_view, cuda_session_hold, cuda_session_lead, cuda_session_was_incomplete}, cca_enqueue,
    cca_finish, cca_get_device_result};
