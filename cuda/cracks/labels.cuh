/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The label image whose contours are traced: where it is while its analysis may still run. The tracer's first kernel is
 * queued behind the analysis, and copies the labels. If their analysis turns out to be incomplete, that kernel finds
 * nothing, and the frame is done again with the final labels. */
#ifndef CTR_CUDA_CRACKS_LABELS_CUH
#define CTR_CUDA_CRACKS_LABELS_CUH

#include "cuda/common/session.cuh"

#include "core/results/components.h"

#include <contours/image.h>

struct LabelSource {
  CtrComponents *components; /* to which the core has a reference */
  bool is_pending;           /* and locked, until label_source_close() */
  CtrPendingView view;
  CudaSharedEvent *read;    /* behind the kernel that reads the labels; NULL: not yet needed */
  CtrDeviceBuffer uploaded; /* labels that are not in memory of this context */
};

/* Finds the labels of COMPONENTS, and has the stream of SESSION wait for them. Fills IMAGE, of 32-bit samples, but for
 * its format. */
bool label_source_open (
    LabelSource *source, CtrComponents *components, CudaSession *session, CtrImage *image, CtrError *error);

/* Behind the work that reads them, in STREAM. IS_QUEUED: there is such work. */
bool label_source_close (LabelSource *source, cudaStream_t stream, bool is_queued, CtrError *error);

/* What tells the kernel that reads the labels whether they are complete; NULL: they are. */
const uint32_t *label_source_gate (const LabelSource &source);

/* Waits for the analysis of the components. False if it has failed. */
bool label_source_wait (const LabelSource &source, CtrError *error);

/* Finds the labels again, of components whose analysis is complete. */
bool label_source_find_settled (LabelSource *source, CtrImage *image, cudaStream_t stream, CtrError *error);

/* No queued work may use it. */
void label_source_free (LabelSource *source);

#endif
