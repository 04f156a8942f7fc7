/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory for what an analyser makes of an image for itself and for those that follow it: the slots of shared inputs
 * (core/common/input.h). A slot is taken for an image, filled in the analyser's stream, read in the streams of others,
 * and free again when the input and all analysers that read it have dropped it. These drop it when their work is
 * complete, so a free slot needs no further synchronisation. */
#ifndef CTR_CUDA_COMMON_INPUT_SLOTS_H
#define CTR_CUDA_COMMON_INPUT_SLOTS_H

#include "cuda/foreground/foreground.h"

#include <contours/image.h>

typedef struct InputSlots InputSlots;

struct InputSlot {
  InputSlots *slots;
  unsigned refs; /* under the lock of the slots */
  void *context;
  CtrDeviceBuffer samples, bits;
  uint32_t *threshold;            /* on the device: Otsu's of the luma */
  uint32_t *found;                /* on the device: room for the threshold that a mask is made with */
  PackedMask mask;                /* in BITS; its bits are NULL: it has none */
  const uint32_t *mask_threshold; /* THRESHOLD or FOUND; NULL: the mask's is not found in the image */
  CtrImage plane;                 /* the grey samples there; data is NULL: it has none */
  cudaStream_t filled_in;         /* Work in this stream follows the filling, */
  cudaEvent_t filled;             /* and other work behind this event. */
  const void *image;              /* where the last image was */
  uint64_t last_used;
};

/* The slots of an analyser, in the current context. */
InputSlots *input_slots_new (CtrError *error);

/* The analyser gives them up. They last until the last one is dropped. SLOTS may be NULL. */
void input_slots_release (InputSlots *slots);

/* A free slot with room for SAMPLES and BITS bytes of them, and one reference. Without samples, images at the same address
 * get the same slot, if it is free: graphs hold its address. NULL: there is no slot or no memory. */
InputSlot *input_slots_take (InputSlots *slots, const CtrImage *image, size_t samples, size_t bits);

/* Ends a period (core/common/room.h): frees the memory of free slots where it is far more than was needed. Was there so
 * much? SLOTS may be NULL. */
bool input_slots_give_back (InputSlots *slots);

InputSlot *input_slot_ref (InputSlot *slot);

/* On any thread, without a current context. */
void input_slot_drop (InputSlot *slot);

#endif
