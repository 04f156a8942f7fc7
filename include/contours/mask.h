/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mask of an image's foreground (foreground.h) as a picture. See contours.h for how to call an analyser. */
#ifndef CONTOURS_MASK_H
#define CONTOURS_MASK_H

#include <contours/canny.h>
#include <contours/foreground.h>
#include <contours/image.h>

CTR_BEGIN_DECLS

typedef struct CtrMask CtrMask;

CTR_API CtrMask *ctr_mask_new (CtrBackend backend, CtrError *error);
CTR_API void ctr_mask_free (CtrMask *mask);

/* Finds the foreground of IMAGE and paints it into PICTURE, as ctr_canny_enqueue() paints edges: EDGE is the colour of the
 * foreground. A shared input (input.h) serves the mask and those analysers of IMAGE that have the same FOREGROUND. */
CTR_API bool ctr_mask_enqueue (CtrMask *mask, const CtrImage *image, const CtrForeground *foreground,
    const CtrEdgePicture *picture, void *stream, CtrError *error);

/* As ctr_canny_lead_default(). */
CTR_API bool ctr_mask_lead_default (CtrMask *mask, CtrError *error);

/* As ctr_canny_finish(). */
CTR_API bool ctr_mask_finish (CtrMask *mask, CtrError *error);

CTR_API bool ctr_mask_run (CtrMask *mask, const CtrImage *image, const CtrForeground *foreground,
    const CtrEdgePicture *picture, void *stream, CtrError *error);

/* The threshold of the image that ctr_mask_finish() has completed last: as CtrComponents.threshold. */
CTR_API bool ctr_mask_get_threshold (const CtrMask *mask, uint32_t *threshold, CtrError *error);

CTR_END_DECLS

#endif
