/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing on the GPU, host side: memory, uploads, and the order of the passes. device_state.cuh has the design. */
#include "cuda/paint/device_state.cuh"

#include <stdlib.h>
#include <string.h>

namespace
{

struct Painter {
  CtrDeviceBuffer ink;
  CtrDeviceBuffer arrays; /* of all layers */
  CtrDeviceBuffer colours;
  CtrDeviceBuffer host_colours; /* pinned: the same, once they have been uploaded */
  PaintDeviceLayer layers[CTR_PAINT_MAX_LAYERS];
  bool ink_is_clean;
  CudaSession session;
  cudaEvent_t drawn; /* recorded after the queued frame, behind which the stream may have other work */
};

constexpr size_t COLOURS_SIZE = CTR_PAINT_COLOURS * sizeof (CtrPaintColour);

void *
paint_create (CtrError *error)
{
  Painter *painter = (Painter *) calloc (1, sizeof (Painter));
  if (!painter) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a painter");
    return NULL;
  }
  painter->host_colours.pinned = true;
  bool ok = cuda_session_open (&painter->session, "preparing a painter", error);
  const cudaError_t status = ok ? cuda_create_event (&painter->drawn) : cudaSuccess;
  ok = ok && (status == cudaSuccess || ctr_cuda_fail (error, status, "preparing a painter"));
  if (ok)
    return painter;
  cuda_session_close (&painter->session);
  free (painter);
  return NULL;
}

void
paint_destroy (void *state)
{
  Painter *painter = (Painter *) state;
  if (painter->session.stream)
    cudaEventSynchronize (painter->drawn);
  painter->session.stream = NULL;
  ctr_device_buffer_free (&painter->ink);
  ctr_device_buffer_free (&painter->arrays);
  ctr_device_buffer_free (&painter->colours);
  ctr_device_buffer_free (&painter->host_colours);
  cudaEventDestroy (painter->drawn);
  cuda_session_close (&painter->session);
  free (painter);
}

void
lay_out_contours (PaintDeviceLayer *l, ArenaLayout *c, const CtrPaintLayer *layer, uint32_t index)
{
  CtrDeviceContours device;
  ctr_paint_lines_init (&l->lines, layer, index);
  if (ctr_contours_get_device (layer->contours, &device)) {
    l->lines.table = device.table;
    l->lines.points = device.points;
  } else {
    l->lines.table = l->table = c->take<CtrContour> (l->lines.count);
    if (layer->kind == CTR_PAINT_LINES)
      l->lines.points = l->points = c->take<CtrPoint> (l->lines.point_count);
  }
  if (layer->colouring.by == CTR_COLOUR_DEPTH)
    l->words = c->take<uint32_t> (l->lines.count);
}

/* Lays out the layers' arrays from BASE on. Returns their size; with BASE NULL it only measures it. */
size_t
lay_out_layers (Painter *painter, const CtrPaintLayer *layers, uint32_t count, void *base)
{
  ArenaLayout c = {(uint8_t *) base, 0};
  for (uint32_t i = 0; i < count; i++) {
    const CtrPaintLayer *layer = &layers[i];
    const size_t shapes = paint_shape_count (layer);
    PaintDeviceLayer *l = &painter->layers[i];
    *l = {};
    if (shapes == 0)
      continue;
    switch (layer->kind) {
      case CTR_PAINT_LINES:
      case CTR_PAINT_BOXES:
        lay_out_contours (l, &c, layer, i);
        break;
      case CTR_PAINT_RECTANGLES:
        l->rectangles = c.take<CtrPaintRectangle> (shapes);
        break;
      case CTR_PAINT_AREAS:
        ctr_paint_areas_init (&l->areas, layer, i);
        l->areas.labels = l->labels = c.take<uint32_t> (shapes);
        l->areas.colours = l->label_colours = c.take<uint16_t> (layer->label_count);
        break;
      case CTR_PAINT_TEXT:
        l->glyphs = c.take<CtrPaintGlyph> (shapes);
        l->coverage = c.take<uint8_t> ((size_t) layer->atlas->width * layer->atlas->height);
        break;
    }
  }
  return c.used;
}

template <typename T>
cudaError_t
upload (T *to, const T *from, size_t count, cudaStream_t stream)
{
  return to ? cudaMemcpyAsync (to, from, count * sizeof (T), cudaMemcpyHostToDevice, stream) : cudaSuccess;
}

bool
upload_layer (const PaintDeviceLayer *l, const CtrPaintLayer *layer, cudaStream_t stream, CtrError *error)
{
  const CtrContour *table = NULL;
  const CtrPoint *points = NULL;
  if ((l->table && !(table = ctr_contours_map_table (layer->contours, error)))
      || (l->points && !(points = ctr_contours_map_points (layer->contours, error))))
    return false;
  CTR_CUDA (upload (l->table, table, l->lines.count, stream));
  CTR_CUDA (upload (l->points, points, l->lines.point_count, stream));
  CTR_CUDA (upload (l->rectangles, layer->rectangles, layer->rectangle_count, stream));
  CTR_CUDA (upload (l->labels, layer->labels, (size_t) layer->label_width * layer->label_height, stream));
  CTR_CUDA (upload (l->label_colours, layer->label_colours, layer->label_count, stream));
  CTR_CUDA (upload (l->glyphs, layer->glyphs, layer->glyph_count, stream));
  if (l->coverage)
    CTR_CUDA (
        upload (l->coverage, layer->atlas->coverage, (size_t) layer->atlas->width * layer->atlas->height, stream));
  return true;
}

/* Uploads the colours if they differ from those on the GPU, which is rare. */
bool
upload_colours (Painter *painter, const CtrPaintColour *colours, CtrError *error)
{
  if (painter->colours.data && memcmp (painter->host_colours.data, colours, COLOURS_SIZE) == 0)
    return true;
  CTR_CUDA (cudaStreamSynchronize (painter->session.stream));
  if (!ctr_device_buffer_reserve (&painter->host_colours, COLOURS_SIZE, error)
      || !ctr_device_buffer_reserve (&painter->colours, COLOURS_SIZE, error))
    return false;
  memcpy (painter->host_colours.data, colours, COLOURS_SIZE);
  CTR_CUDA (cudaMemcpyAsync (painter->colours.data, painter->host_colours.data, COLOURS_SIZE, cudaMemcpyHostToDevice,
      painter->session.stream));
  return true;
}

bool
reserve_ink (Painter *painter, CtrPaintTarget *target, CtrError *error)
{
  const size_t full = ctr_paint_ink_words (target, 0), sub = ctr_paint_ink_words (target, 1);
  const size_t size = (full + sub) * sizeof (uint32_t);
  if (size > painter->ink.size) {
    CTR_CUDA (cudaStreamSynchronize (painter->session.stream));
    painter->ink_is_clean = false;
    if (!ctr_device_buffer_reserve (&painter->ink, size, error))
      return false;
  }
  if (!painter->ink_is_clean)
    CTR_CUDA (cudaMemsetAsync (painter->ink.data, 0, painter->ink.size, painter->session.stream));
  target->ink[0] = (uint32_t *) painter->ink.data;
  target->ink[1] = sub > 0 ? target->ink[0] + full : NULL;
  return true;
}

bool
queue_frame (Painter *painter, const CtrPaintPicture *picture, const CtrPaintLayer *layers, uint32_t count,
    const CtrPaintColour *colours, CtrError *error)
{
  const cudaStream_t stream = painter->session.stream;
  CtrPaintTarget target;
  ctr_paint_target_init (&target, picture, layers, count);
  if (count == 0) {
    CTR_CUDA (cudaEventRecord (painter->drawn, stream));
    return true;
  }
  const size_t size = lay_out_layers (painter, layers, count, NULL);
  if (size > painter->arrays.size) {
    CTR_CUDA (cudaStreamSynchronize (stream));
    if (!ctr_device_buffer_reserve (&painter->arrays, size, error))
      return false;
  }
  lay_out_layers (painter, layers, count, painter->arrays.data);
  if (!reserve_ink (painter, &target, error) || !upload_colours (painter, colours, error))
    return false;
  target.colours = (const CtrPaintColour *) painter->colours.data;
  for (uint32_t i = 0; i < count; i++)
    if (!upload_layer (&painter->layers[i], &layers[i], stream, error))
      return false;

  painter->ink_is_clean = false;
  for (uint32_t i = 0; i < count; i++)
    paint_launch_colour_words (painter->layers[i], painter->session);
  for (const bool blend : {false, true})
    for (uint32_t i = 0; i < count; i++)
      paint_launch_layer (painter->layers[i], target, &layers[i], i, blend, painter->session);
  CTR_CUDA (cudaGetLastError ());
  CTR_CUDA (cudaEventRecord (painter->drawn, stream));
  painter->ink_is_clean = true;
  return true;
}

bool
paint_lead_default (void *state, CtrError *error)
{
  const Painter *painter = (const Painter *) state;
  CTR_CUDA (cudaStreamWaitEvent (cudaStreamLegacy, painter->drawn, 0));
  return true;
}

bool
paint_finish (void *state, CtrError *error)
{
  Painter *painter = (Painter *) state;
  const bool pending = painter->session.stream != NULL;
  painter->session.stream = NULL;
  if (pending)
    CTR_CUDA (cuda_wait_for_event (painter->drawn));
  return true;
}

bool
paint_enqueue (void *state, const CtrPaintPicture *picture, const CtrPaintLayer *layers, uint32_t count,
    const CtrPaintColour *colours, void *stream, CtrError *error)
{
  Painter *painter = (Painter *) state;
  cudaStream_t wanted = stream ? (cudaStream_t) stream : painter->session.own_stream;
  /* All frames share the painter's memory, so a frame in another stream has to wait. */
  if (painter->session.stream && painter->session.stream != wanted && !paint_finish (painter, error))
    return false;
  painter->session.stream = wanted;
  if (queue_frame (painter, picture, layers, count, colours, error))
    return true;
  cuda_session_end (&painter->session, false);
  return false;
}

} // namespace

extern "C" const CtrPaintOps ctr_paint_ops_cuda = {
    {paint_create, paint_destroy}, paint_enqueue, paint_lead_default, paint_finish};
