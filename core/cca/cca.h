/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis (include/contours/cca.h): where its stages are. Internal.
 *
 *   stage                           core                    cpu                    cuda
 *   arguments, backend              cca/cca.c
 *   threshold, samples              common/otsu.h           common/samples.c       common/input_stage.cu
 *   runs, labels, union-find        -                       cca/band.c, runs.c     cca/tiles.cu, cca/merge.cu
 *   runs of equal samples           -                       cca/values.c           cca/values.cu
 *   label image, moments, grey      -                       cca/band.c, cca/cca.c  cca/features.cu
 *   percentiles                     results/component_values.h  cca/percentiles.c  cca/percentiles.cu
 *   inscribed circles               results/component_values.h  cca/inscribed.c    cca/inscribed.cu
 *   contrast to the surroundings    results/component_values.h  cca/contrast.c     cca/contrast.cu
 *   skeletons                       cca/skeleton.h          cca/skeleton.c         cca/skeleton.cu
 *   background                      -                       cca/background.c       cca/background.cu
 *   strips of one picture           strips/
 *   result                          results/components.c
 *   host side of the GPU            -                       -                      cca/cca.cu, cca/result.cu */
#ifndef CTR_CORE_CCA_CCA_H
#define CTR_CORE_CCA_CCA_H

#include "core/common/backend.h"
#include "core/results/components.h"

#include <contours/cca.h>

CTR_BEGIN_DECLS

/* Are these valid arguments of ctr_cca_enqueue()? */
bool ctr_cca_check_arguments (const CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, CtrError *error);

/* As ctr_cca_enqueue(), with CTR_FEATURE_EDGES and without limits on the area. */
bool ctr_cca_enqueue_strip (
    CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error);

/* The core has checked the arguments. enqueue() may be called again before finish(): the older result is then dropped.
 */
typedef struct {
  CtrBackendOps base;
  bool (*enqueue) (void *state, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error);
  CtrComponents *(*finish) (void *state, CtrError *error);
  bool (*get_device_result) (void *state, CtrDeviceComponents *result, CtrError *error); /* NULL: not on a device */
} CtrCcaOps;

/* The features of a result with PARAMS. */
static inline uint32_t
ctr_cca_features (const CtrCcaParams *params)
{
  return params->features | (params->mode == CTR_COMPONENTS_EQUAL ? CTR_FEATURE_VALUES : 0);
}

/* Does the analysis need a label image? The percentiles of equal samples are these samples, without a look at the pixels. */
static inline bool
ctr_cca_needs_labels (const CtrCcaParams *params)
{
  return params->features & (CTR_FEATURE_LABELS | CTR_FEATURE_INSCRIBED | CTR_FEATURE_CONTRAST | CTR_FEATURE_SKELETON)
         || (params->features & CTR_FEATURE_PERCENTILES && params->mode == CTR_COMPONENTS_FOREGROUND);
}

extern const CtrCcaOps ctr_cca_ops_cpu;
extern const CtrCcaOps ctr_cca_ops_cuda; /* only where CTR_HAVE_CUDA */

CTR_END_DECLS

#endif
