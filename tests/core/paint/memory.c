/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU backend's drawing without memory: each allocation in turn fails; the call reports it, leaks nothing, and the
 * painter goes on working. A second frame allocates nothing. */
#include "tests/core/common/allocations.h"
#include "tests/core/paint/testing.h"

#include <stdlib.h>
#include <string.h>

#ifndef HAVE_ALLOCATIONS

int
main (void)
{
  skip ("needs glibc's allocator to itself");
}

#else

int
main (void)
{
  const Setup setup = setup_open ("cpu", false);
  Random rng = {17};
  const CtrPaintRectangle square = {.x = 3, .y = 5, .width = 20, .height = 10, .colour = 9};
  CtrPaintColour colours[CTR_PAINT_COLOURS];
  CtrPaintLayer layer;
  CtrError error;
  Canvas before = canvas_new (&rng, CANVAS_NV12, 101, 77), expected = canvas_copy (&before);
  Canvas actual = canvas_copy (&before), small = canvas_new (&rng, CANVAS_NV12, 10, 10);
  random_colours (&rng, colours);
  ctr_paint_layer_init (&layer, CTR_PAINT_RECTANGLES);
  layer.rectangles = &square;
  layer.rectangle_count = 1;
  draw_reference (&expected, &layer, 1, colours);
  const long blocks_before = blocks;
  long failures = 0;
  for (bool done = false; !done;) {
    error.status = CTR_OK;
    describe ("a painter with %ld allocations to go", failures);
    allocations_left = failures;
    CtrPainter *painter = ctr_painter_new (CTR_BACKEND_CPU, &error);
    done = painter && ctr_painter_run (painter, &actual.picture, &layer, 1, colours, NULL, &error);
    allocations_left = -1;
    if (!done) {
      failures++;
      CHECK (error.status == CTR_ERROR_OUT_OF_MEMORY);
      CHECK (strstr (error.message, "memory"));
      check_canvases_equal (&before, &actual);
      if (painter) {
        paint (painter, &setup, &small, &layer, 1, colours);
        paint (painter, &setup, &actual, &layer, 1, colours);
        check_canvases_equal (&expected, &actual);
        memcpy (actual.memory, before.memory, before.bytes);
      }
    } else {
      describe ("later frames of the same size or smaller");
      allocations_left = 0;
      CHECK (ctr_painter_run (painter, &small.picture, &layer, 1, colours, NULL, NULL));
      CHECK (ctr_painter_run (painter, &actual.picture, &layer, 1, colours, NULL, NULL));
      allocations_left = -1;
      check_canvases_equal (&expected, &actual);
    }
    ctr_painter_free (painter);
  }
  CHECK (failures >= 3);
  CHECK (blocks == blocks_before);
  canvas_free (&before);
  canvas_free (&expected);
  canvas_free (&actual);
  canvas_free (&small);
  return 0;
}

#endif
