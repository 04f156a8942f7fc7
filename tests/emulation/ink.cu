/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looks at the ink between the two passes of drawing, and draws layers whose counts are on the GPU, or whose gate is
 * closed. */
#include "cuda/common/device_buffer.cuh"
#include "cuda/paint/device_state.cuh"

#include <contours/cca.h>

extern "C" {
#include "tests/core/common/gpu.h"
}
#include "tests/core/paint/testing.h"

#include <stdlib.h>
#include <string.h>

namespace
{

constexpr uint32_t WIDTH = 77, HEIGHT = 43, KINDS = CTR_PAINT_TEXT + 1;

Random rng = {29};
CudaSession session;
CtrPaintTarget target;
CtrContours *contours;
CtrComponents *components;
size_t words, tiles; /* of the ink */
Canvas canvas;
uint8_t *device_canvas;

/* Arrays of the layers. */
constexpr CtrPaintRectangle rectangles[] = {{.x = 4, .y = 5, .width = 40, .height = 20, .thickness = 2, .colour = 8}};
const uint8_t coverage[64] = {0, 9, 255};
constexpr CtrPaintGlyph glyphs[] = {{.x = 30, .y = 3, .width = 8, .height = 8, .colour = 4}};
const CtrPaintAtlas atlas = {coverage, 8, 8};
const uint32_t labels[6] = {0, 1, 2, 1, 0, 1};
const uint16_t label_colours[2] = {7, 9};

template <typename T>
T *
to_device (const T *from, size_t count)
{
  T *to = (T *) gpu_alloc (count * sizeof (T));
  gpu_upload (to, from, count * sizeof (T));
  return to;
}

CtrPaintLayer
layer_of (CtrPaintKind kind)
{
  CtrPaintLayer layer;
  ctr_paint_layer_init (&layer, kind);
  layer.contours = contours;
  layer.components = components;
  layer.alpha = 130;
  layer.thickness = 2;
  layer.colouring = {kind == CTR_PAINT_COMPONENT_BOXES ? CTR_COLOUR_AREA : CTR_COLOUR_DEPTH, 3, 20, 4};
  layer.atlas = &atlas;
  layer.label_width = 3;
  layer.label_height = 2;
  layer.label_count = LENGTH (label_colours);
  return layer;
}

PaintDeviceLayer
device_layer_of (const CtrPaintLayer *layer)
{
  PaintDeviceLayer l = {};
  CtrError error;
  switch (layer->kind) {
    case CTR_PAINT_LINES:
    case CTR_PAINT_BOXES:
      ctr_paint_lines_init (&l.lines, layer, 0);
      l.shapes = layer->kind == CTR_PAINT_LINES ? l.lines.point_count : l.lines.count;
      l.lines.table = to_device (ctr_contours_map_table (contours, &error), l.lines.count);
      l.lines.points = to_device (ctr_contours_map_points (contours, &error), l.lines.point_count);
      l.words = (uint32_t *) gpu_alloc (l.lines.count * sizeof *l.words);
      break;
    case CTR_PAINT_COMPONENT_BOXES:
      ctr_paint_components_init (&l.components, layer, 0);
      l.shapes = l.components.count;
      l.components.table = l.component_table = to_device (components->table, l.shapes);
      break;
    case CTR_PAINT_RECTANGLES:
      l.shapes = LENGTH (rectangles);
      l.rectangles = to_device (rectangles, l.shapes);
      break;
    case CTR_PAINT_AREAS:
      ctr_paint_areas_init (&l.areas, layer, 0);
      l.shapes = LENGTH (labels);
      l.areas.labels = l.labels = to_device (labels, l.shapes);
      l.areas.colours = l.label_colours = to_device (label_colours, LENGTH (label_colours));
      break;
    case CTR_PAINT_TEXT:
      l.shapes = LENGTH (glyphs);
      l.glyphs = to_device (glyphs, l.shapes);
      l.coverage = to_device (coverage, sizeof coverage);
      break;
  }
  return l;
}

void
free_layer (PaintDeviceLayer *l)
{
  void *const arrays[] = {(void *) l->lines.table, (void *) l->lines.points, l->component_table, l->words,
      l->rectangles, l->labels, l->label_colours, l->glyphs, l->coverage};
  for (void *array : arrays)
    if (array)
      gpu_free (array);
}

/* Returns how many words are not 0, after a check that the tiles of these words are marked, and no others. */
size_t
count_ink (void)
{
  uint32_t *ink = (uint32_t *) malloc (words * sizeof *ink);
  uint8_t *marks = (uint8_t *) malloc (tiles);
  size_t count = 0;
  cudaStreamSynchronize (session.stream);
  gpu_download (ink, target.ink[0], words * sizeof *ink);
  gpu_download (marks, target.tiles, tiles);
  for (size_t tile = 0; tile < tiles; tile++) {
    const size_t before = count;
    for (size_t i = tile * CTR_PAINT_TILE_PIXELS; i < (tile + 1) * CTR_PAINT_TILE_PIXELS; i++)
      count += ink[i] != 0;
    CHECK (marks[tile] == (count > before));
  }
  free (ink);
  free (marks);
  return count;
}

/* Draws a layer into a fresh picture, which is returned. *INK: the number of words between the passes. */
Canvas
drawn (const PaintDeviceLayer &l, const CtrPaintLayer *layer, size_t *ink)
{
  Canvas result = canvas_copy (&canvas);
  gpu_upload (device_canvas, canvas.memory, canvas.bytes);
  target.alphas[0] = layer->alpha;
  paint_launch_layer (l, target, layer, 0, session);
  *ink = count_ink ();
  paint_launch_blend (target, session);
  CHECK (count_ink () == 0);
  gpu_download (result.memory, device_canvas, canvas.bytes);
  return result;
}

/* A closed gate, the N-th, keeps the layer from being drawn; open ones do not. */
void
test_gates (void)
{
  const uint32_t flags[] = {0, 7};
  uint32_t *const device_flags = to_device (flags, LENGTH (flags));
  for (uint32_t kind = 0; kind < KINDS; kind++) {
    const CtrPaintLayer layer = layer_of ((CtrPaintKind) kind);
    PaintDeviceLayer l = device_layer_of (&layer);
    size_t ink, all;
    describe ("kind %u, no gates", kind);
    Canvas expected = drawn (l, &layer, &all);
    CHECK (all > 0);
    for (uint32_t i = 0; i < PAINT_GATES; i += 2)
      l.gate.complete[i] = device_flags + 1;
    describe ("kind %u, open gates", kind);
    Canvas actual = drawn (l, &layer, &ink);
    CHECK (ink == all);
    check_canvases_equal (&expected, &actual);
    canvas_free (&actual);
    for (uint32_t i = 0; i < PAINT_GATES; i++) {
      const uint32_t *const before = l.gate.complete[i];
      l.gate.complete[i] = device_flags;
      describe ("kind %u, gate %u closed", kind, i);
      actual = drawn (l, &layer, &ink);
      CHECK (ink == 0);
      check_canvases_equal (&canvas, &actual);
      canvas_free (&actual);
      l.gate.complete[i] = before;
    }
    canvas_free (&expected);
    free_layer (&l);
  }
  gpu_free (device_flags);
}

/* With counts on the GPU, exactly these rows are drawn, for how many ever the grid is made. */
void
test_counts (void)
{
  CtrError error;
  const CtrContour *const table = ctr_contours_map_table (contours, &error);
  for (uint32_t kind = CTR_PAINT_LINES; kind <= CTR_PAINT_COMPONENT_BOXES; kind++)
    for (uint32_t i = 0; i < 4; i++) {
      const CtrPaintLayer layer = layer_of ((CtrPaintKind) kind);
      const uint32_t count = kind == CTR_PAINT_COMPONENT_BOXES ? components->count : contours->count;
      const uint32_t rows[] = {0, 1, count / 3, count}, row = min (rows[i], contours->count);
      const uint32_t points = row < contours->count ? (uint32_t) table[row].first : (uint32_t) contours->point_count;
      PaintDeviceLayer known = device_layer_of (&layer), l = known;
      size_t ink, all;
      known.lines.count = known.components.count = rows[i];
      known.lines.point_count = points;
      known.shapes = kind == CTR_PAINT_LINES ? points : rows[i];
      describe ("kind %u, %u rows known", kind, rows[i]);
      Canvas expected = drawn (known, &layer, &all);
      CHECK ((all > 0) == (rows[i] > 0));
      uint32_t *const device_rows = to_device (&rows[i], 1), *const device_points = to_device (&points, 1);
      l.counts = {device_rows, device_points};
      for (const uint64_t shapes : {1, 300}) {
        l.shapes = shapes;
        describe ("kind %u, %u rows, a grid for %u", kind, rows[i], (uint32_t) shapes);
        Canvas actual = drawn (l, &layer, &ink);
        CHECK (ink == all);
        check_canvases_equal (&expected, &actual);
        canvas_free (&actual);
      }
      gpu_free (device_rows);
      gpu_free (device_points);
      canvas_free (&expected);
      free_layer (&known);
    }
}

/* Contours with holes, and components. */
void
open_results (void)
{
  CtrCcaParams cca_params;
  CtrBordersParams params;
  CtrError error;
  uint8_t *mask = noise_new (&rng, WIDTH, HEIGHT, 50, 3);
  const CtrImage image = {mask, WIDTH, WIDTH, HEIGHT, CTR_FORMAT_GRAY8, CTR_MEMORY_HOST};
  CtrBorders *borders = ctr_borders_new (CTR_BACKEND_CPU, &error);
  ctr_borders_params_init (&params);
  params.foreground.threshold = 1;
  params.mode = CTR_RETRIEVE_TREE;
  contours = ctr_borders_run (borders, &image, &params, NULL, &error);
  CHECK (contours && contours->count > 9 && contours->point_count > 300);
  ctr_borders_free (borders);
  CtrCca *cca = ctr_cca_new (CTR_BACKEND_CPU, &error);
  ctr_cca_params_init (&cca_params);
  cca_params.foreground.threshold = 1;
  cca_params.connectivity = CTR_CONNECTIVITY_4;
  components = ctr_cca_run (cca, &image, &cca_params, NULL, &error);
  CHECK (components && components->count > 9);
  ctr_cca_free (cca);
  free (mask);
}

void
open_target (void)
{
  CtrPaintColour colours[CTR_PAINT_COLOURS];
  canvas = canvas_new (&rng, CANVAS_NV12, WIDTH, HEIGHT);
  device_canvas = to_device (canvas.memory, canvas.bytes);
  CtrPaintPicture picture = canvas.picture;
  picture.memory = CTR_MEMORY_DEVICE;
  for (uint32_t p = 0; p < picture.plane_count; p++)
    picture.planes[p].data = device_canvas + ((uint8_t *) picture.planes[p].data - canvas.memory);
  random_colours (&rng, colours);
  ctr_paint_target_init (&target, &picture, NULL, 0);
  target.colours = to_device (colours, LENGTH (colours));
  target.tiles_across = ctr_div_up (WIDTH, CTR_PAINT_TILE_WIDTH);
  tiles = paint_tile_count (target);
  words = tiles * CTR_PAINT_TILE_PIXELS;
  void *const clean = calloc (words, sizeof (uint32_t));
  target.ink[0] = to_device ((const uint32_t *) clean, words);
  target.tiles = to_device ((const uint8_t *) clean, tiles);
  free (clean);
}

void
close_target (void)
{
  gpu_free ((void *) target.colours);
  gpu_free (target.ink[0]);
  gpu_free (target.tiles);
  gpu_free (device_canvas);
  canvas_free (&canvas);
}

} // namespace

int
main ()
{
  static const Test tests[] = {{"gates", test_gates}, {"counts", test_counts}};
  CtrError error;
  CHECK (cuda_session_open (&session, "a test", &error));
  session.stream = session.own_stream;
  open_target ();
  open_results ();
  run_tests (tests, LENGTH (tests));
  ctr_contours_unref (contours);
  ctr_components_unref (components);
  close_target ();
  session.stream = NULL;
  cuda_session_close (&session);
  return 0;
}
