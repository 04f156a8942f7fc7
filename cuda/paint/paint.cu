/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing on the GPU, host side: memory, uploads, and the order of the passes. device_state.cuh has the design. */
#include "cuda/paint/sources.cuh"

#include <contours/event.h>

#include <stdlib.h>
#include <string.h>

namespace
{

/* Pinned memory from which a frame's arrays are uploaded: a copy from other memory waits for the stream. */
struct Staging {
  CtrDeviceBuffer memory;
  CudaSharedEvent *drawn; /* recorded after the frame, behind which the stream may have other work */
};

/* What a pending result is expected to have at least: kernels draw more, too, but with few threads each has much to do.
 */
constexpr uint32_t LEAST_ROWS = 256, LEAST_POINTS = 4096;

constexpr uint32_t STAGINGS = 3; /* frames under way at once */
constexpr size_t STAGED_MOST =
    1 << 20; /* bytes of an array; larger ones, which are rare, are uploaded from where they are */

struct Painter {
  CtrDeviceBuffer ink;
  CtrDeviceBuffer staged; /* of all layers: the arrays that come from the host in one copy, */
  CtrDeviceBuffer arrays; /* and the others */
  Staging stagings[STAGINGS];
  Staging *staging; /* of the queued frame */
  CtrDeviceBuffer colours;
  CtrDeviceBuffer host_colours; /* pinned: the same, once they have been uploaded */
  PaintDeviceLayer layers[CTR_PAINT_MAX_LAYERS];
  bool ink_is_clean;
  CudaSession session;
  CtrRoomPeriod period;
};

/* The layout of all layers' arrays. */
struct Layout {
  ArenaLayout staged, others;

  /* Room for an array that is uploaded. */
  template <typename T>
  T *
  take (size_t count)
  {
    return count * sizeof (T) > STAGED_MOST ? others.take<T> (count) : staged.take<T> (count);
  }
};

int painters; /* of the process; atomic */

/* Drawing that waits for an analysis holds up other streams in its hardware queue. */
bool
may_wait_on_gpu ()
{
  return __atomic_load_n (&painters, __ATOMIC_RELAXED) <= (int) ctr_event_queue_count () / 2;
}

constexpr size_t COLOURS_SIZE = CTR_PAINT_COLOURS * sizeof (CtrPaintColour);

cudaError_t
create_events (Painter *painter)
{
  for (Staging &staging : painter->stagings) {
    cudaError_t status;
    staging.drawn = cuda_shared_event_new (&status);
    if (!staging.drawn)
      return status;
  }
  return cudaSuccess;
}

void
free_stagings (Painter *painter)
{
  for (Staging &staging : painter->stagings) {
    ctr_device_buffer_free (&staging.memory);
    cuda_shared_event_unref (staging.drawn);
  }
}

void *
paint_create (CtrError *error)
{
  Painter *painter = (Painter *) calloc (1, sizeof (Painter));
  if (!painter) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a painter");
    return NULL;
  }
  painter->host_colours.pinned = true;
  for (Staging &staging : painter->stagings)
    staging.memory.pinned = true;
  painter->staging = &painter->stagings[0];
  bool ok = cuda_session_open (&painter->session, "preparing a painter", error);
  const cudaError_t status = ok ? create_events (painter) : cudaSuccess;
  ok = ok && (status == cudaSuccess || ctr_cuda_fail (error, status, "preparing a painter"));
  if (ok) {
    __atomic_add_fetch (&painters, 1, __ATOMIC_RELAXED);
    return painter;
  }
  free_stagings (painter);
  cuda_session_close (&painter->session);
  free (painter);
  return NULL;
}

void
paint_destroy (void *state)
{
  Painter *painter = (Painter *) state;
  __atomic_sub_fetch (&painters, 1, __ATOMIC_RELAXED);
  if (painter->session.stream)
    cuda_wait_asleep (painter->staging->drawn->event);
  painter->session.stream = NULL;
  ctr_device_buffer_free (&painter->ink);
  ctr_device_buffer_free (&painter->staged);
  ctr_device_buffer_free (&painter->arrays);
  ctr_device_buffer_free (&painter->colours);
  ctr_device_buffer_free (&painter->host_colours);
  free_stagings (painter);
  cuda_session_close (&painter->session);
  free (painter);
}

/* The arrays of pending contours. A quarter more of them than in the image before is no surprise. */
void
view_contours (PaintDeviceLayer *l, Layout *c, const CtrPaintLayer *layer, const CtrPendingView &view)
{
  l->lines.table = (const CtrContour *) view.table;
  l->lines.points = (const CtrPoint *) view.points;
  l->lines.count = max (LEAST_ROWS, ctr_with_spare (view.likely_count));
  l->lines.point_count = max (LEAST_POINTS, ctr_with_spare (view.likely_point_count));
  l->counts = {&view.numbers->count, &view.numbers->point_count};
  l->shapes = layer->kind == CTR_PAINT_LINES ? l->lines.point_count : l->lines.count;
  if (layer->colouring.by == CTR_COLOUR_DEPTH)
    l->words = c->others.take<uint32_t> (view.capacity);
}

void
lay_out_contours (
    PaintDeviceLayer *l, Layout *c, const CtrPaintLayer *layer, uint32_t index, const CtrPendingView *view)
{
  CtrDeviceContours device;
  ctr_paint_lines_init (&l->lines, layer, index);
  if (view) {
    view_contours (l, c, layer, *view);
    return;
  }
  if (ctr_contours_get_device (layer->contours, &device)) {
    l->lines.table = device.table;
    l->lines.points = device.points;
  } else {
    l->lines.table = l->table = c->take<CtrContour> (l->lines.count);
    if (layer->kind == CTR_PAINT_LINES)
      l->lines.points = l->points = c->take<CtrPoint> (l->lines.point_count);
  }
  if (layer->colouring.by == CTR_COLOUR_DEPTH)
    l->words = c->others.take<uint32_t> (l->lines.count);
}

void
lay_out_components (
    PaintDeviceLayer *l, Layout *c, const CtrPaintLayer *layer, uint32_t index, const CtrPendingView *view)
{
  ctr_paint_components_init (&l->components, layer, index);
  if (view) {
    l->components.table = (const CtrComponent *) view->table;
    l->components.count = max (LEAST_ROWS, ctr_with_spare (view->likely_count));
    l->counts.rows = &view->numbers->count;
    l->shapes = l->components.count;
  } else {
    l->components.table = l->component_table = c->take<CtrComponent> (l->components.count);
  }
}

/* How many shapes of its kind a layer has: those with a thread each, a warp or more each, or a pixel each. */
uint64_t
count_shapes (const CtrPaintLayer *layer)
{
  if (layer->alpha == 0)
    return 0;
  switch (layer->kind) {
    case CTR_PAINT_LINES:
      return layer->contours->point_count;
    case CTR_PAINT_BOXES:
      return layer->contours->count;
    case CTR_PAINT_COMPONENT_BOXES:
      return layer->components->count;
    case CTR_PAINT_RECTANGLES:
      return layer->rectangle_count;
    case CTR_PAINT_AREAS:
      return layer->label_count > 0 ? (uint64_t) layer->label_width * layer->label_height : 0;
    case CTR_PAINT_TEXT:
      return layer->glyph_count;
  }
  return 0;
}

/* Lays out the layers' arrays. Returns how much of both buffers they take; without BASES it only measures this. */
Layout
lay_out_layers (Painter *painter, const CtrPaintLayer *layers, uint32_t count, const PaintSources &sources, bool bases)
{
  Layout c = {
      {(uint8_t *) (bases ? painter->staged.data : NULL), 0}, {(uint8_t *) (bases ? painter->arrays.data : NULL), 0}};
  for (uint32_t i = 0; i < count; i++) {
    const CtrPaintLayer *layer = &layers[i];
    const CtrPendingView *view = paint_sources_find (sources, layer);
    const size_t shapes = count_shapes (layer);
    PaintDeviceLayer *l = &painter->layers[i];
    *l = {};
    l->shapes = shapes;
    if (layer->alpha == 0 || (shapes == 0 && !view))
      continue;
    switch (layer->kind) {
      case CTR_PAINT_LINES:
      case CTR_PAINT_BOXES:
        lay_out_contours (l, &c, layer, i, view);
        break;
      case CTR_PAINT_COMPONENT_BOXES:
        lay_out_components (l, &c, layer, i, view);
        break;
      case CTR_PAINT_RECTANGLES:
        l->rectangles = c.take<CtrPaintRectangle> (shapes);
        break;
      case CTR_PAINT_AREAS:
        ctr_paint_areas_init (&l->areas, layer, i);
        if (layer->labels || !ctr_components_get_device_labels (layer->components, &l->areas.labels))
          l->areas.labels = l->labels = c.take<uint32_t> (shapes);
        l->areas.colours = l->label_colours = c.take<uint16_t> (layer->label_count);
        break;
      case CTR_PAINT_TEXT:
        l->glyphs = c.take<CtrPaintGlyph> (shapes);
        l->coverage = c.take<uint8_t> ((size_t) layer->atlas->width * layer->atlas->height);
        break;
    }
  }
  return c;
}

/* Puts an array where the frame's one copy takes it from; a large one is uploaded at once. TO may be NULL. */
template <typename T>
cudaError_t
upload (const Painter *painter, T *to, const T *from, size_t count)
{
  const size_t size = count * sizeof (T);
  if (!to)
    return cudaSuccess;
  if (size > STAGED_MOST)
    return cudaMemcpyAsync (to, from, size, cudaMemcpyHostToDevice, painter->session.stream);
  memcpy ((uint8_t *) painter->staging->memory.data + ((uint8_t *) to - (uint8_t *) painter->staged.data), from, size);
  return cudaSuccess;
}

bool
upload_layer (const Painter *painter, const PaintDeviceLayer *l, const CtrPaintLayer *layer, CtrError *error)
{
  const CtrContour *table = NULL;
  const CtrPoint *points = NULL;
  if ((l->table && !(table = ctr_contours_map_table (layer->contours, error)))
      || (l->points && !(points = ctr_contours_map_points (layer->contours, error))))
    return false;
  CTR_CUDA (upload (painter, l->table, table, l->lines.count));
  CTR_CUDA (upload (painter, l->points, points, l->lines.point_count));
  if (l->component_table)
    CTR_CUDA (upload (painter, l->component_table, layer->components->table, l->components.count));
  CTR_CUDA (upload (painter, l->rectangles, layer->rectangles, layer->rectangle_count));
  const uint32_t *labels = layer->labels;
  if (l->labels && !labels && !(labels = ctr_components_map_labels (layer->components, error)))
    return false;
  CTR_CUDA (upload (painter, l->labels, labels, (size_t) layer->label_width * layer->label_height));
  CTR_CUDA (upload (painter, l->label_colours, layer->label_colours, layer->label_count));
  CTR_CUDA (upload (painter, l->glyphs, layer->glyphs, layer->glyph_count));
  if (l->coverage)
    CTR_CUDA (
        upload (painter, l->coverage, layer->atlas->coverage, (size_t) layer->atlas->width * layer->atlas->height));
  return true;
}

/* Makes room for the layers' arrays, and uploads those that come from the host. */
bool
upload_layers (
    Painter *painter, const CtrPaintLayer *layers, uint32_t count, const PaintSources &sources, CtrError *error)
{
  const Layout size = lay_out_layers (painter, layers, count, sources, false);
  CtrDeviceBuffer *const host = &painter->staging->memory;
  /* The copy of an earlier frame may still read it. */
  if (size.staged.used > 0)
    CTR_CUDA (cuda_wait_for_event (painter->staging->drawn->event, &painter->session.wait));
  if (size.staged.used > painter->staged.size || size.others.used > painter->arrays.size)
    CTR_CUDA (cudaStreamSynchronize (painter->session.stream));
  if (!ctr_device_buffer_reserve (host, size.staged.used, error)
      || !ctr_device_buffer_reserve (&painter->staged, size.staged.used, error)
      || !ctr_device_buffer_reserve (&painter->arrays, size.others.used, error))
    return false;
  lay_out_layers (painter, layers, count, sources, true);
  for (uint32_t i = 0; i < count; i++)
    if (!upload_layer (painter, &painter->layers[i], &layers[i], error))
      return false;
  if (size.staged.used > 0)
    CTR_CUDA (cudaMemcpyAsync (
        painter->staged.data, host->data, size.staged.used, cudaMemcpyHostToDevice, painter->session.stream));
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

/* Makes room for the ink and for the marks of its tiles, which come behind it. All of it is 0 between frames. */
bool
reserve_ink (Painter *painter, CtrPaintTarget *target, CtrError *error)
{
  target->tiles_across = ctr_div_up (target->picture.width, CTR_PAINT_TILE_WIDTH);
  const size_t tiles = paint_tile_count (*target), words = tiles * CTR_PAINT_TILE_PIXELS;
  const size_t size = words * sizeof (uint32_t) + tiles;
  if (size > painter->ink.size) {
    CTR_CUDA (cudaStreamSynchronize (painter->session.stream));
    painter->ink_is_clean = false;
  }
  if (!ctr_device_buffer_reserve (&painter->ink, size, error))
    return false;
  if (!painter->ink_is_clean)
    CTR_CUDA (cudaMemsetAsync (painter->ink.data, 0, painter->ink.size, painter->session.stream));
  target->ink[0] = (uint32_t *) painter->ink.data;
  target->tiles = (uint8_t *) (target->ink[0] + words);
  return true;
}

/* At the end of a period: gives back what its frames have not needed. */
bool
give_back (Painter *painter, CtrError *error)
{
  CtrDeviceBuffer *const buffers[] = {&painter->ink, &painter->staged, &painter->arrays, &painter->stagings[0].memory,
      &painter->stagings[1].memory, &painter->stagings[2].memory};
  static_assert (STAGINGS == 3, "all stagings are here");
  bool some = false;
  if (!ctr_device_buffers_give_back (buffers, sizeof buffers / sizeof *buffers, painter->session.stream, &some, error))
    return false;
  if (some)
    ctr_room_period_double (&painter->period);
  return true;
}

/* The layer that is drawn, if it is one alone, of lines that are opaque and of one colour. NULL: the layers are others. */
const CtrPaintLayer *
find_only_lines (const Painter *painter, const CtrPaintLayer *layers, uint32_t count)
{
  const CtrPaintLayer *only = NULL;
  for (uint32_t i = 0; i < count; i++) {
    const CtrPaintLayer *layer = &layers[i];
    if (painter->layers[i].shapes == 0)
      continue;
    if (only || layer->kind != CTR_PAINT_LINES || !ctr_paint_is_uniform (layer))
      return NULL;
    only = layer;
  }
  return only;
}

bool
queue_frame (Painter *painter, const CtrPaintPicture *picture, const CtrPaintLayer *layers, uint32_t count,
    const CtrPaintColour *colours, const PaintSources &sources, CtrError *error)
{
  const PaintGate gate = paint_sources_gate (sources);
  const cudaStream_t stream = painter->session.stream;
  bool drawn = false;
  CtrPaintTarget target;
  ctr_paint_target_init (&target, picture, layers, count);
  painter->staging = &painter->stagings[(painter->staging - painter->stagings + 1) % STAGINGS];
  if (count == 0) {
    if (!cuda_session_start_clock (&painter->session, error))
      return false;
    paint_launch_fill (*picture, painter->session);
    CTR_CUDA (cudaGetLastError ());
    if (!cuda_session_stop_clock (&painter->session, error))
      return false;
    CTR_CUDA (cuda_shared_event_record (painter->staging->drawn, stream));
    return true;
  }
  if (!reserve_ink (painter, &target, error) || !upload_colours (painter, colours, error)
      || !upload_layers (painter, layers, count, sources, error)
      || !paint_sources_follow (sources, painter->session.stream, error)
      || !cuda_session_start_clock (&painter->session, error))
    return false;
  target.colours = (const CtrPaintColour *) painter->colours.data;
  const CtrPaintLayer *const only = find_only_lines (painter, layers, count);
  if (only)
    ctr_paint_target_make_direct (&target, &colours[only->colouring.first]);

  painter->ink_is_clean = false;
  paint_launch_fill (*picture, painter->session);
  for (uint32_t i = 0; i < count; i++) {
    painter->layers[i].gate = gate;
    paint_launch_layer (painter->layers[i], target, &layers[i], i, painter->session);
    drawn = drawn || painter->layers[i].shapes > 0;
  }
  if (drawn && !target.direct)
    paint_launch_blend (target, painter->session);
  CTR_CUDA (cudaGetLastError ());
  if (!cuda_session_stop_clock (&painter->session, error))
    return false;
  CTR_CUDA (cuda_shared_event_record (painter->staging->drawn, stream));
  painter->ink_is_clean = true;
  return true;
}

bool
paint_lead_default (void *state, CtrError *error)
{
  const Painter *painter = (const Painter *) state;
  CTR_CUDA (cudaStreamWaitEvent (cudaStreamLegacy, painter->staging->drawn->event, 0));
  return true;
}

bool
paint_finish (void *state, CtrError *error)
{
  Painter *painter = (Painter *) state;
  const bool pending = painter->session.stream != NULL;
  painter->session.stream = NULL;
  if (pending)
    CTR_CUDA (cuda_wait_for_event (painter->staging->drawn->event, &painter->session.wait));
  cuda_timing_end (&painter->session.timing, true);
  return true;
}

/* Queues a frame whose results may be pending. Returns when they are settled, and were complete when they were drawn. */
bool
draw_frame (Painter *painter, const CtrPaintPicture *picture, const CtrPaintLayer *layers, uint32_t count,
    const CtrPaintColour *colours, CtrError *error)
{
  PaintSources sources;
  paint_sources_lock (&sources, layers, count, painter->session, !may_wait_on_gpu ());
  bool ok = queue_frame (painter, picture, layers, count, colours, sources, error);
  if (!ok)
    cuda_session_end (&painter->session, false); /* before others may use the memory of the results */
  if (!paint_sources_unlock (&sources, ok ? painter->staging->drawn : NULL, ok ? error : NULL)) {
    cuda_session_end (&painter->session, false);
    ok = false;
  }
  const bool again = paint_sources_settle (&sources);
  return ok && (!again || queue_frame (painter, picture, layers, count, colours, sources, error));
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
  if (cuda_timing_begin (&painter->session.timing, error)
      && (!ctr_room_period_ends (&painter->period) || give_back (painter, error))
      && draw_frame (painter, picture, layers, count, colours, error))
    return true;
  cuda_session_end (&painter->session, false);
  return false;
}

} // namespace

extern "C" const CtrPaintOps ctr_paint_ops_cuda = {
    {paint_create, paint_destroy}, paint_enqueue, paint_lead_default, paint_finish};
