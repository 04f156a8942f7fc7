/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The core's public API: components, borders, level contours, edges and object outlines of images, removal of a
 * background, and drawing. The CPU and CUDA backends give identical results.
 *
 * All algorithms are called in the same way, shown here with border following (borders.h):
 *
 *   CtrBorders *borders = ctr_borders_new (CTR_BACKEND_CUDA, &error);
 *   if (ctr_borders_enqueue (borders, &image, &params, stream, &error))
 *     contours = ctr_borders_finish (borders, &error);
 *   ctr_borders_free (borders);
 *
 * Analyser. ctr_*_new() returns an analyser (transfer full: free it with ctr_*_free()), or NULL and an error if the
 * backend is unavailable. One thread at a time may use an analyser; any number of analysers may run side by side. An
 * analyser keeps its working memory from image to image. After the first image of a size it allocates only if an image
 * needs more than any image before, or if its earlier results are still in use.
 *
 * CUDA context. An analyser of the CUDA backend belongs to the CUDA context that is current in ctr_*_new(), or without
 * one to the primary context of device 0. The same context must be current in every later call.
 *
 * Queueing. On the CUDA backend, ctr_*_enqueue() queues its work on STREAM, a cudaStream_t or CUstream, or with NULL on
 * a stream of the analyser's own. Whatever writes the image must be complete, or queued on STREAM before. Until
 * ctr_*_finish() returns, the image must stay unchanged and STREAM must exist. An image in host memory is uploaded. The
 * CPU backend does its work in ctr_*_enqueue(), needs images in host memory, and ignores STREAM. It works on as many
 * threads as the calling thread has set (threads.h), by default on that thread alone.
 *
 * Shared input. Analysers of components, borders and level contours that take one image one after another can share its
 * upload, luma and Otsu threshold: input.h.
 *
 * Results. ctr_*_finish() waits for the queued work and returns its result (transfer full). If an image needs more
 * memory than expected, it enlarges the buffers and repeats the analysis: results are never truncated. A result may
 * outlive its analyser. ctr_*_run() calls ctr_*_enqueue() and ctr_*_finish().
 *
 * Pending results. ctr_*_submit() of components, borders and level contours queues the work as ctr_*_enqueue() does and
 * returns the result at once (transfer full). With the CUDA backend it is pending: ctr_contours_wait(),
 * ctr_components_wait() and the functions that map its arrays wait for it, on any thread and without a current context.
 * Only one result of an analyser is pending: the next image, ctr_*_settle() and ctr_*_free() wait for it first. Where the
 * analysis fails, the first of these and all readers get its error. The image may change as soon as work that follows on
 * STREAM, or an event recorded there, is reached; an image in host memory at once. If a pending result needs more memory
 * than expected, the analysis is repeated from a copy of the image that the GPU makes in this case.
 *
 * Failure. If a function fails it fills its CtrError, and no result is pending. */
#ifndef CONTOURS_CONTOURS_H
#define CONTOURS_CONTOURS_H

#include <contours/background.h>
#include <contours/borders.h>
#include <contours/calibration.h>
#include <contours/cancel.h>
#include <contours/canny.h>
#include <contours/cca.h>
#include <contours/codes.h>
#include <contours/components.h>
#include <contours/contourlist.h>
#include <contours/contourstrips.h>
#include <contours/cracks.h>
#include <contours/edgechains.h>
#include <contours/event.h>
#include <contours/foreground.h>
#include <contours/gputime.h>
#include <contours/image.h>
#include <contours/input.h>
#include <contours/mask.h>
#include <contours/paint.h>
#include <contours/regions.h>
#include <contours/select.h>
#include <contours/serial.h>
#include <contours/shapes.h>
#include <contours/snake.h>
#include <contours/subpixel.h>
#include <contours/strips.h>
#include <contours/threads.h>
#include <contours/types.h>

#endif
