/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a backend makes the result of component analysis. Internal. */
#ifndef CTR_CORE_RESULTS_COMPONENTS_H
#define CTR_CORE_RESULTS_COMPONENTS_H

#include "core/results/pending.h"

#include <contours/components.h>

CTR_BEGIN_DECLS

/* An internal bit of CtrCcaParams.features, instead of CTR_FEATURE_LABELS: CtrComponents.labels has only the labels of the
 * first and the last row, 2 * width of them. */
#define CTR_FEATURE_EDGES (UINT32_C (1) << 31)

/* A label image that is not in host memory. get_device() returns false where the labels cannot be read by work in the
 * current CUDA context. destroy() is called once, with the last reference. */
typedef struct {
  bool (*fetch) (void *source, uint32_t *to, size_t count, CtrError *error);
  bool (*get_device) (void *source, const uint32_t **labels);
  void (*destroy) (void *source);
} CtrLabelsSource;

/* Gives COMPONENTS, allocated without CTR_FEATURE_LABELS, the feature and the labels of SOURCE (transfer full). */
void ctr_components_set_labels (CtrComponents *components, const CtrLabelsSource *ops, void *source);

/* A result with one reference and room for COUNT rows and the arrays that FEATURES ask for; contents are not
 * initialised. The backend may cast the arrays' const away until it hands the result out. NULL and
 * CTR_ERROR_OUT_OF_MEMORY when there is no memory. */
CtrComponents *ctr_components_alloc (
    uint32_t width, uint32_t height, uint32_t count, uint32_t features, CtrError *error);

/* Components without rows, until settle() of OPS calls ctr_components_settle() for them. INFO describes the rest: size,
 * connectivity and features. */
CtrComponents *ctr_components_new_pending (
    const CtrComponents *info, const CtrPendingOps *ops, void *analyser, CtrError *error);

/* Fills in PENDING with what is in COMPLETE (transfer full), to which there is no other reference. */
void ctr_components_settle (CtrComponents *pending, CtrComponents *complete);

/* See pending.h. The last one is for settled components: did their views show an incomplete result? */
bool ctr_components_lock (CtrComponents *components, CtrPendingView *view);
bool ctr_components_unlock (CtrComponents *components, void *event, CtrError *error);
bool ctr_components_were_incomplete (const CtrComponents *components);

/* For the analysers that submit them. */
extern const CtrResultType ctr_components_result_type;

CTR_END_DECLS

#endif
