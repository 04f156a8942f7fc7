/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connected component analysis (Lemaitre, Hennequin, Lacassagne: "Taming voting algorithms on GPUs for an efficient
 * connected component analysis algorithm"). The result equals OpenCV's connectedComponentsWithStats() with CCL_WU, that of
 * CTR_COMPONENTS_EQUAL scikit-image's label() with the same background. See contours.h for how to call an analyser. */
#ifndef CONTOURS_CCA_H
#define CONTOURS_CCA_H

#include <contours/components.h>
#include <contours/foreground.h>
#include <contours/image.h>
#include <contours/select.h>

CTR_BEGIN_DECLS

/* Of CtrCcaParams.background: every pixel is in a component. */
#define CTR_CCA_NO_BACKGROUND (-1)

/* Of CtrCcaParams.ring_width. */
#define CTR_CCA_MOST_RING_WIDTH 16

typedef struct {
  CtrForeground foreground; /* ignored with CTR_COMPONENTS_EQUAL, whose results have the threshold 0 */
  CtrConnectivity connectivity;
  /* Limits on the area, in pixels, inclusive. A component outside them has no row and label 0; the labels of the others
   * stay consecutive. */
  uint32_t min_area; /* 0: no limit */
  uint32_t max_area; /* 0: no limit */
  uint32_t features; /* CtrFeatures but VALUES, which the mode brings */
  CtrComponentMode mode;
  /* CTR_COMPONENTS_EQUAL: pixels with this sample, 0 .. 65535, are in no component. CTR_CCA_NO_BACKGROUND: there are no
   * such pixels. */
  int32_t background;
  /* Limits on any of the components' numbers, besides those on the area, which work in the same way. The result has the features
   * that they need, too. Where regions overlap, a pixel that a component has covered that SELECT drops has the label 0. */
  CtrSelect select;
  uint32_t ring_width; /* of CTR_FEATURE_CONTRAST, pixels: 1 to CTR_CCA_MOST_RING_WIDTH; ignored without it */
} CtrCcaParams;

/* Defaults: foreground, fixed threshold 128, 8-connected, no limits, no extra features, background 0, rings of
 * 3 pixels. */
CTR_API void ctr_cca_params_init (CtrCcaParams *params);

typedef struct CtrCca CtrCca;

CTR_API CtrCca *ctr_cca_new (CtrBackend backend, CtrError *error);
CTR_API void ctr_cca_free (CtrCca *cca);

CTR_API bool ctr_cca_enqueue (
    CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error);

CTR_API CtrComponents *ctr_cca_finish (CtrCca *cca, CtrError *error);
CTR_API CtrComponents *ctr_cca_submit (
    CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error);

CTR_API bool ctr_cca_settle (CtrCca *cca, CtrError *error);

CTR_API CtrComponents *ctr_cca_run (
    CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error);

/* The queued image's result in GPU memory, for work that follows on the same stream. CUDA backend only.
 *
 * The result is valid until the next ctr_cca_enqueue(). Work that reads it must be complete by then, or queued on the
 * stream of that call. The table is complete after ctr_cca_finish(). Before, it is complete only if *count <= capacity
 * and no area limits are set; *count is UINT32_MAX where not even the number of components is known. Then ctr_cca_finish() repeats the
 * analysis, possibly into other memory: work that reads the result must be complete before, and the result be asked for again
 * afterwards. */
typedef struct {
  const CtrComponent *table; /* device memory, capacity rows */
  const uint32_t *count;     /* device memory: components found */
  const uint32_t *labels;    /* device memory, width * height; NULL without CTR_FEATURE_LABELS */
  uint32_t capacity;         /* allocated rows of table */
} CtrDeviceComponents;
CTR_API bool ctr_cca_get_device_result (CtrCca *cca, CtrDeviceComponents *result, CtrError *error);

CTR_END_DECLS

#endif
