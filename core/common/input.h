/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a shared input holds (include/contours/input.h). Internal.
 *
 *   stage              cpu                    cuda
 *   upload             -                      common/input_stage.cu
 *   luma               common/samples.c       common/input_stage.cu
 *   Otsu's threshold   common/samples.c       common/input_stage.cu
 *   memory             here                   common/input_slots.cu
 *
 * An analyser only adds to it. What is there does not change until the input is cleared. */
#ifndef CTR_CORE_COMMON_INPUT_H
#define CTR_CORE_COMMON_INPUT_H

#include <contours/image.h>
#include <contours/input.h>

CTR_BEGIN_DECLS

struct InputSlot;

struct CtrInput {
  CtrImage image; /* which it serves; data is NULL: none yet */
  struct {
    uint8_t *luma; /* rows of CTR_INPUT_ALIGNMENT; NULL: no memory yet */
    size_t bytes;  /* of this memory */
    size_t stride;
    bool has_luma;
    bool has_threshold;
    uint32_t threshold;
  } host;
  struct {
    struct InputSlot *plane;     /* with the grey samples, if they had to be uploaded or converted; otherwise NULL */
    struct InputSlot *threshold; /* with Otsu's threshold, or NULL */
    void (*drop) (struct InputSlot *slot);
  } device; /* with a reference to each slot */
};

enum { CTR_INPUT_ALIGNMENT = 64 };

/* The calling thread's current input if it serves IMAGE, or a view of IMAGE's luma in it. Otherwise NULL. */
CtrInput *ctr_input_for (const CtrImage *image);

/* Sets PLANE to a view of INPUT's luma in host memory. */
void ctr_input_view_luma (const CtrInput *input, CtrImage *plane);

/* Makes room for the luma. False: there is no memory. */
bool ctr_input_reserve_luma (CtrInput *input);

CTR_END_DECLS

#endif
