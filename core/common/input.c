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
  free (input);
}

void
ctr_input_clear (CtrInput *input)
{
  if (input->device.plane)
    input->device.drop (input->device.plane);
  if (input->device.threshold)
    input->device.drop (input->device.threshold);
  input->device.plane = input->device.threshold = NULL;
  input->host.has_luma = input->host.has_threshold = false;
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

bool
ctr_input_reserve_luma (CtrInput *input)
{
  input->host.stride = (input->image.width + CTR_INPUT_ALIGNMENT - 1) / CTR_INPUT_ALIGNMENT * CTR_INPUT_ALIGNMENT;
  const size_t bytes = input->host.stride * input->image.height;
  if (bytes <= input->host.bytes)
    return true;
  free (input->host.luma);
  input->host.luma = aligned_alloc (CTR_INPUT_ALIGNMENT, bytes);
  input->host.bytes = input->host.luma ? bytes : 0;
  return input->host.luma;
}
