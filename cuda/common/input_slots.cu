/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/common/input_slots.h"

#include "cuda/common/context.h"
#include "cuda/common/session.cuh"

#include <pthread.h>
#include <stdlib.h>

namespace
{

constexpr int SLOTS = 16;         /* as many addresses as upstream pools hand out in turn */
constexpr size_t WORD_SIZE = 256; /* bytes of a slot's thresholds */

} // namespace

struct InputSlots {
  void *context;
  pthread_mutex_t lock;
  unsigned users; /* one of the analyser, one of each slot in use */
  uint64_t taken; /* how often a slot has been taken */
  CtrDeviceBuffer words;
  InputSlot slots[SLOTS];
};

InputSlots *
input_slots_new (CtrError *error)
{
  InputSlots *slots = (InputSlots *) calloc (1, sizeof *slots);
  if (!slots) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "out of host memory for shared inputs");
    return NULL;
  }
  if (!ctr_device_buffer_reserve (&slots->words, SLOTS * WORD_SIZE, error)) {
    free (slots);
    return NULL;
  }
  slots->context = ctr_context_current ();
  slots->users = 1;
  pthread_mutex_init (&slots->lock, NULL);
  for (int i = 0; i < SLOTS; i++) {
    slots->slots[i].slots = slots;
    slots->slots[i].context = slots->context;
    slots->slots[i].threshold = (uint32_t *) ((uint8_t *) slots->words.data + i * WORD_SIZE);
    slots->slots[i].found = slots->slots[i].threshold + 1;
  }
  return slots;
}

/* Called with the lock held; releases it. */
static void
drop_user (InputSlots *slots)
{
  const bool last = --slots->users == 0;
  pthread_mutex_unlock (&slots->lock);
  if (!last)
    return;
  ctr_context_push (slots->context);
  for (InputSlot &slot : slots->slots) {
    ctr_device_buffer_free (&slot.samples);
    ctr_device_buffer_free (&slot.bits);
    if (slot.filled)
      cudaEventDestroy (slot.filled);
  }
  ctr_device_buffer_free (&slots->words); /* and clears errors: the context may be gone */
  ctr_context_pop ();
  pthread_mutex_destroy (&slots->lock);
  free (slots);
}

void
input_slots_release (InputSlots *slots)
{
  if (!slots)
    return;
  pthread_mutex_lock (&slots->lock);
  drop_user (slots);
}

/* Called with the lock held. */
static InputSlot *
choose (InputSlots *slots, const CtrImage *image, size_t size)
{
  InputSlot *chosen = NULL;
  for (InputSlot &slot : slots->slots) {
    if (slot.refs)
      continue;
    if (size ? slot.samples.size >= size : slot.image == image->data)
      return &slot;
    if (!chosen || (!size && slot.last_used < chosen->last_used))
      chosen = &slot;
  }
  return chosen;
}

InputSlot *
input_slots_take (InputSlots *slots, const CtrImage *image, size_t samples, size_t bits)
{
  pthread_mutex_lock (&slots->lock);
  InputSlot *slot = choose (slots, image, samples);
  if (slot) {
    slot->refs = 1;
    slot->last_used = ++slots->taken;
    slots->users++;
  }
  pthread_mutex_unlock (&slots->lock);
  if (!slot)
    return NULL;
  slot->image = image->data;
  slot->plane = {};
  slot->mask = {};
  slot->mask_threshold = NULL;
  if ((slot->filled || cuda_create_event (&slot->filled) == cudaSuccess)
      && ctr_device_buffer_reserve (&slot->samples, samples, NULL)
      && ctr_device_buffer_reserve (&slot->bits, bits, NULL))
    return slot;
  cudaGetLastError ();
  input_slot_drop (slot);
  return NULL;
}

bool
input_slots_give_back (InputSlots *slots)
{
  bool some = false;
  if (!slots)
    return false;
  pthread_mutex_lock (&slots->lock);
  for (InputSlot &slot : slots->slots)
    if (!slot.refs) {
      some |= ctr_device_buffer_give_back (&slot.samples);
      some |= ctr_device_buffer_give_back (&slot.bits);
    }
  pthread_mutex_unlock (&slots->lock);
  return some;
}

InputSlot *
input_slot_ref (InputSlot *slot)
{
  pthread_mutex_lock (&slot->slots->lock);
  slot->refs++;
  pthread_mutex_unlock (&slot->slots->lock);
  return slot;
}

void
input_slot_drop (InputSlot *slot)
{
  InputSlots *slots = slot->slots;
  pthread_mutex_lock (&slots->lock);
  if (--slot->refs == 0)
    drop_user (slots);
  else
    pthread_mutex_unlock (&slots->lock);
}
