/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/paint/sources.cuh"

#include "core/results/components.h"
#include "core/results/contourlist.h"

#include <string.h>

namespace
{

/* The result of a layer, without references. */
PaintSource
source_of (const CtrPaintLayer *layer)
{
  PaintSource source = {};
  if (layer->kind == CTR_PAINT_LINES || layer->kind == CTR_PAINT_BOXES)
    source.contours = layer->contours;
  else if (layer->kind == CTR_PAINT_COMPONENT_BOXES)
    source.components = layer->components;
  return source;
}

const void *
address_of (const PaintSource &source)
{
  return source.contours ? (const void *) source.contours : source.components;
}

/* Keeps the list in order, without doubles. FALSE: there is no room. */
bool
add (PaintSources *sources, const PaintSource &source)
{
  uint32_t at = 0;
  while (at < sources->count && address_of (sources->list[at]) < address_of (source))
    at++;
  if (at < sources->count && address_of (sources->list[at]) == address_of (source))
    return true;
  if (sources->count == PAINT_GATES)
    return false;
  memmove (&sources->list[at + 1], &sources->list[at], (sources->count - at) * sizeof (PaintSource));
  sources->list[at] = source;
  sources->count++;
  return true;
}

void
lock (PaintSource *source)
{
  source->is_pending = source->contours ? ctr_contours_lock (source->contours, &source->view)
                                        : ctr_components_lock (source->components, &source->view);
}

bool
unlock (PaintSource *source, CudaSharedEvent *drawn, CtrError *error)
{
  return source->contours ? ctr_contours_unlock (source->contours, drawn, error)
                          : ctr_components_unlock (source->components, drawn, error);
}

bool
can_read (const CtrPendingView &view, const CudaSession &session, bool in_order)
{
  return view.context == session.context && (!in_order || view.stream == session.stream);
}

/* Whether it works or not: the element that analyses reports the error, and there is nothing to draw. */
void
wait_for (const PaintSource &source)
{
  if (source.contours)
    ctr_contours_wait (source.contours, NULL);
  else
    ctr_components_wait (source.components, NULL);
}

} // namespace

void
paint_sources_lock (
    PaintSources *sources, const CtrPaintLayer *layers, uint32_t count, const CudaSession &session, bool in_order)
{
  bool usable = true;
  sources->count = 0;
  for (uint32_t i = 0; i < count; i++) {
    const PaintSource source = source_of (&layers[i]);
    if (address_of (source) && !add (sources, source))
      wait_for (source);
  }
  for (uint32_t i = 0; i < sources->count; i++) {
    lock (&sources->list[i]);
    usable = usable && (!sources->list[i].is_pending || can_read (sources->list[i].view, session, in_order));
  }
  if (usable)
    return;
  paint_sources_unlock (sources, NULL, NULL);
  paint_sources_settle (sources);
  sources->count = 0;
}

bool
paint_sources_unlock (PaintSources *sources, CudaSharedEvent *drawn, CtrError *error)
{
  bool ok = true;
  for (uint32_t i = 0; i < sources->count; i++)
    if (sources->list[i].is_pending)
      ok = unlock (&sources->list[i], drawn, ok ? error : NULL) && ok;
  return ok;
}

bool
paint_sources_settle (PaintSources *sources)
{
  bool was_incomplete = false;
  for (uint32_t i = 0; i < sources->count; i++) {
    PaintSource *source = &sources->list[i];
    if (!source->is_pending)
      continue;
    source->is_pending = false;
    wait_for (*source);
    was_incomplete |= source->contours ? ctr_contours_were_incomplete (source->contours)
                                       : ctr_components_were_incomplete (source->components);
  }
  return was_incomplete;
}

const CtrPendingView *
paint_sources_find (const PaintSources &sources, const CtrPaintLayer *layer)
{
  const void *wanted = address_of (source_of (layer));
  for (uint32_t i = 0; i < sources.count; i++)
    if (sources.list[i].is_pending && address_of (sources.list[i]) == wanted)
      return &sources.list[i].view;
  return NULL;
}

PaintGate
paint_sources_gate (const PaintSources &sources)
{
  PaintGate gate = {};
  for (uint32_t i = 0; i < sources.count; i++)
    if (sources.list[i].is_pending)
      gate.complete[i] = &sources.list[i].view.numbers->complete;
  return gate;
}

bool
paint_sources_follow (const PaintSources &sources, cudaStream_t stream, CtrError *error)
{
  for (uint32_t i = 0; i < sources.count; i++)
    if (sources.list[i].is_pending && sources.list[i].view.stream != stream)
      CTR_CUDA (cudaStreamWaitEvent (stream, (cudaEvent_t) sources.list[i].view.done, 0));
  return true;
}
