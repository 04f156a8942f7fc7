/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a shared input holds (include/contours/input.h). Internal.
 *
 *   stage              cpu                    cuda
 *   upload             -                      common/input_stage.cu
 *   luma               common/samples.c       common/input_stage.cu
 *   Otsu's threshold   common/samples.c       common/input_stage.cu
 *   packed mask        common/samples.c       common/input_stage.cu
 *   memory             here                   common/input_slots.cu
 *
 * An analyser only adds to it. What is there does not change until the input is cleared. */
#ifndef CTR_CORE_COMMON_INPUT_H
#define CTR_CORE_COMMON_INPUT_H

#include "core/foreground/foreground.h"

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
    /* A packed mask (core/foreground/foreground.h); of the first foreground that needs one. */
    struct {
      uint64_t *bits; /* NULL: no memory yet */
      size_t bytes;   /* of this memory */
      bool is_made;
      CtrForeground foreground;
      CtrChroma chroma; /* that it was made of */
      uint32_t threshold;
    } mask;
  } host;
  struct {
    struct InputSlot *plane;     /* with the grey samples, if they had to be uploaded or converted; otherwise NULL */
    struct InputSlot *threshold; /* with Otsu's threshold, or NULL */
    struct InputSlot *mask;      /* with a packed mask, or NULL; as on the host: */
    CtrForeground foreground;
    CtrChroma chroma;
    void (*drop) (struct InputSlot *slot);
  } device; /* with a reference to each slot */
};

enum { CTR_INPUT_ALIGNMENT = 64 };

/* The calling thread's current input if it serves IMAGE, or a view of IMAGE's luma in it. Otherwise NULL. */
CtrInput *ctr_input_for (const CtrImage *image);

/* Sets PLANE to a view of INPUT's luma in host memory. */
void ctr_input_view_luma (const CtrInput *input, CtrImage *plane);

/* Makes room for the luma, or the packed mask. False: there is no memory. */
bool ctr_input_reserve_luma (CtrInput *input);
bool ctr_input_reserve_mask (CtrInput *input);

/* Is the mask of FOREGROUND in an image with CHROMA that of MADE_FOREGROUND in the same image with MADE_CHROMA? */
bool ctr_input_is_same_mask (const CtrForeground *foreground, const CtrChroma *chroma,
    const CtrForeground *made_foreground, const CtrChroma *made_chroma);

CTR_END_DECLS

#endif
