/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/common/input.h"

#include "core/common/error.h"

#include <stdlib.h>

static _Thread_local CtrInput *current;

CtrInput *
ctr_input_new (CtrError *error)
{
  CtrInput *input = calloc (1, sizeof *input);
  if (!input)
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a shared input");
  return input;
}

void
ctr_input_free (CtrInput *input)
{
  if (!input)
    return;
  ctr_input_clear (input);
  free (input->host.luma);
  free (input->host.mask.bits);
  free (input);
}

void
ctr_input_clear (CtrInput *input)
{
  if (input->device.plane)
    input->device.drop (input->device.plane);
  if (input->device.threshold)
    input->device.drop (input->device.threshold);
  if (input->device.mask)
    input->device.drop (input->device.mask);
  input->device.plane = input->device.threshold = input->device.mask = NULL;
  input->host.has_luma = input->host.has_threshold = input->host.mask.is_made = false;
  input->image.data = NULL;
}

CtrInput *
ctr_input_set_current (CtrInput *input)
{
  CtrInput *before = current;
  current = input;
  return before;
}

static bool
is_same (const CtrImage *a, const CtrImage *b)
{
  return a->data == b->data && a->stride == b->stride && a->width == b->width && a->height == b->height
         && a->format == b->format && a->memory == b->memory;
}

CtrInput *
ctr_input_for (const CtrImage *image)
{
  CtrImage luma;
  if (!current)
    return NULL;
  if (!current->image.data)
    current->image = *image;
  if (is_same (&current->image, image))
    return current;
  if (!current->host.has_luma)
    return NULL;
  ctr_input_view_luma (current, &luma);
  return is_same (&luma, image) ? current : NULL;
}

void
ctr_input_view_luma (const CtrInput *input, CtrImage *plane)
{
  *plane = input->image;
  plane->data = input->host.luma;
  plane->stride = input->host.stride;
  plane->format = CTR_FORMAT_GRAY8;
}

/* Memory at *MEMORY of *SIZE bytes for NEEDED ones. */
static bool
reserve (void **memory, size_t *size, size_t needed)
{
  if (needed <= *size)
    return true;
  free (*memory);
  *memory = aligned_alloc (CTR_INPUT_ALIGNMENT, (needed + CTR_INPUT_ALIGNMENT - 1) & -(size_t) CTR_INPUT_ALIGNMENT);
  *size = *memory ? needed : 0;
  return *memory;
}

bool
ctr_input_reserve_luma (CtrInput *input)
{
  void *memory = input->host.luma;
  input->host.stride = (input->image.width + CTR_INPUT_ALIGNMENT - 1) / CTR_INPUT_ALIGNMENT * CTR_INPUT_ALIGNMENT;
  const bool ok = reserve (&memory, &input->host.bytes, input->host.stride * input->image.height);
  input->host.luma = memory;
  return ok;
}

bool
ctr_input_reserve_mask (CtrInput *input)
{
  void *memory = input->host.mask.bits;
  const bool ok = reserve (&memory, &input->host.mask.bytes, ctr_packed_row (input->image.width) * input->image.height);
  input->host.mask.bits = memory;
  return ok;
}

static bool
is_same_chroma (const CtrChroma *a, const CtrChroma *b)
{
  return a->cb == b->cb && a->cr == b->cr && a->stride == b->stride && a->step == b->step && a->shift_x == b->shift_x
         && a->shift_y == b->shift_y;
}

bool
ctr_input_is_same_mask (const CtrForeground *foreground, const CtrChroma *chroma, const CtrForeground *made_foreground,
    const CtrChroma *made_chroma)
{
  return ctr_foreground_is_equal (foreground, made_foreground)
         && (!ctr_foreground_uses_colour (foreground) || is_same_chroma (chroma, made_chroma));
}
