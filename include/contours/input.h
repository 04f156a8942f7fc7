/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared input: what several analysers need of one image before they analyse it, made once.
 *
 * The analysers of components, borders and level contours begin alike: an image in host memory is uploaded to the GPU,
 * packed RGB becomes luma, and Otsu's threshold is found. Each thread has a current shared input, as it has a current
 * cancellation token (cancel.h). While it has one, an analyser takes from it what earlier ones have left there, and
 * leaves there what it had to make itself. The results are the same as without:
 *
 *   ctr_input_set_current (input);
 *   components = ctr_cca_submit (cca, &image, &params, stream, &error);
 *   contours = ctr_borders_submit (borders, &image, &borders_params, other_stream, &error);
 *   ctr_input_set_current (NULL);
 *   ctr_input_clear (input);
 *
 * An input serves the first image that is analysed with it; the address, size, stride, format and memory of an image
 * tell whether it is the same. The pixels do not: clear the input before they change. What the CPU backend has made
 * serves the CPU backend, what the CUDA backend has made serves other analysers of its context, on any stream.
 *
 * Memory. On the CPU, the input owns what it holds, and keeps the memory from image to image. On the GPU, the analyser
 * that has made something owns its memory, and reuses it when the input is cleared and all analysers that have taken it
 * have completed their results. So an input may be cleared or freed while results are pending, and analysers may be
 * freed in any order. */
#ifndef CONTOURS_INPUT_H
#define CONTOURS_INPUT_H

#include <contours/types.h>

CTR_BEGIN_DECLS

/* One thread at a time may use an input. */
typedef struct CtrInput CtrInput;

/* An empty input; free it with ctr_input_free(). NULL if there is no memory. */
CTR_API CtrInput *ctr_input_new (CtrError *error);

/* INPUT may be NULL. It must not be any thread's current input. */
CTR_API void ctr_input_free (CtrInput *input);

/* Empties INPUT, which serves the next image then. */
CTR_API void ctr_input_clear (CtrInput *input);

/* Makes INPUT the calling thread's current one; NULL, the initial state, for none. Returns the previous one. */
CTR_API CtrInput *ctr_input_set_current (CtrInput *input);

CTR_END_DECLS

#endif
