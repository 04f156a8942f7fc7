/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/cca/label_pool.h"

static void
clear_slot (ResultSlot *slot)
{
  ctr_device_buffer_free (&((LabelSlot *) slot)->memory);
}

ResultPool *
label_pool_new (CtrError *error)
{
  static const ResultPoolKind kind = {"label images", sizeof (ResultPool), sizeof (LabelSlot), clear_slot, NULL};
  return result_pool_new (&kind, error);
}

LabelSlot *
label_pool_take (ResultPool *pool, CtrError *error)
{
  return (LabelSlot *) result_pool_take (pool, error);
}

static void
trim (ResultSlot *slot, void *)
{
  clear_slot (slot);
}

void
label_pool_trim (ResultPool *pool)
{
  result_pool_visit_unused (pool, trim, NULL);
}

namespace
{

struct GivenBack {
  size_t size; /* bytes that a label image has */
  bool some;
};

} // namespace

static void
give_back (ResultSlot *slot, void *data)
{
  GivenBack *given = (GivenBack *) data;
  if (!ctr_room_is_excess (((LabelSlot *) slot)->memory.size, given->size))
    return;
  clear_slot (slot);
  given->some = true;
}

bool
label_pool_give_back (ResultPool *pool, size_t size)
{
  GivenBack given = {size, false};
  result_pool_visit_unused (pool, give_back, &given);
  return given.some;
}

static bool
fetch (void *source, uint32_t *to, size_t count, CtrError *error)
{
  LabelSlot *slot = (LabelSlot *) source;
  return result_slot_fetch (&slot->base, slot->memory.data, to, count * sizeof *to, error);
}

static bool
get_device (void *source, const uint32_t **labels)
{
  const LabelSlot *slot = (const LabelSlot *) source;
  if (!result_slot_is_here (&slot->base))
    return false;
  *labels = (const uint32_t *) slot->memory.data;
  return true;
}

static void
destroy (void *source)
{
  result_slot_give_back ((ResultSlot *) source);
}

void
label_slot_publish (LabelSlot *slot, CtrComponents *result)
{
  static const CtrLabelsSource ops = {fetch, get_device, destroy};
  ctr_components_set_labels (result, &ops, slot);
}
