/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connected component analysis of one image (Lemaitre, Hennequin, Lacassagne: "Taming voting algorithms on GPUs for an
 * efficient connected component analysis algorithm"). Equal to OpenCV's connectedComponentsWithStats with CCL_WU. */
#ifndef CONTOURS_CCA_H
#define CONTOURS_CCA_H

#include <contours/components.h>
#include <contours/foreground.h>
#include <contours/image.h>

CTR_BEGIN_DECLS

typedef struct {
  CtrForeground foreground;
  CtrConnectivity connectivity;
  uint32_t min_area; /* components below are dropped: no row, label 0; labels stay dense */
  uint32_t max_area; /* components above are dropped; 0 = no limit */
  uint32_t features; /* CtrFeatures */
} CtrCcaParams;

/* Fixed threshold 128, 8-connected, no limits, no extra features. */
CTR_API void ctr_cca_params_init (CtrCcaParams *params);

/* An analyser keeps its working memory from frame to frame: after the first frame of a size it allocates only where a
 * frame has more components than any before. One thread at a time; any number of analysers side by side. */
typedef struct CtrCca CtrCca;

/* transfer full: free with ctr_cca_free(). The CUDA backend belongs to the CUDA context that is current now (none: the
 * primary context of device 0); the same one must be current in every later call. NULL and error when unavailable. */
CTR_API CtrCca *ctr_cca_new (CtrBackend backend, CtrError *error);
CTR_API void ctr_cca_free (CtrCca *cca);

/* Analyses IMAGE. CUDA backend: the work is queued on STREAM (a cudaStream_t or CUstream; NULL: one of its own). What
 * writes IMAGE must be done or queued on STREAM before; IMAGE must stay untouched and STREAM alive until
 * ctr_cca_finish(); a host image is uploaded. CPU backend: the image must be in host memory, STREAM is ignored. On
 * failure nothing is pending. */
CTR_API bool ctr_cca_enqueue (
    CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error);

/* Waits for the queued work and returns its result (transfer full), growing buffers and redoing the image where it had
 * more components than room: nothing is ever cut off. */
CTR_API CtrComponents *ctr_cca_finish (CtrCca *cca, CtrError *error);

/* Both in one. */
CTR_API CtrComponents *ctr_cca_run (
    CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error);

/* The queued image's result where it lies on the GPU, for work that follows on the same stream; valid until the next
 * ctr_cca_enqueue(), before which such work must have ended unless that goes to the same stream. After ctr_cca_finish()
 * the rows are complete; before, they are when *count <= capacity and no area limits are set. CUDA backend only. */
typedef struct {
  const CtrComponent *table; /* device memory, capacity rows */
  const uint32_t *count;     /* device memory: components found */
  const uint32_t *labels;    /* device memory, width * height; NULL unless requested */
  uint32_t capacity;         /* rows of memory */
} CtrDeviceComponents;
CTR_API bool ctr_cca_get_device_result (CtrCca *cca, CtrDeviceComponents *result, CtrError *error);

CTR_END_DECLS

#endif
