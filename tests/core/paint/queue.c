/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Queues drawing without waiting for it, and tests when which stream sees the result. */
#include "tests/core/common/gpu.h"
#include "tests/core/paint/testing.h"

#include <contours/event.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 64, BYTES = SIDE * SIDE };

static Setup setup;
static CtrPaintColour colours[CTR_PAINT_COLOURS];

static uint8_t *
new_pixels (void)
{
  static const uint8_t zero[BYTES];
  if (setup.backend == CTR_BACKEND_CPU)
    return calloc (1, BYTES);
  uint8_t *pixels = gpu_alloc (BYTES);
  gpu_upload (pixels, zero, BYTES);
  return pixels;
}

static void
free_pixels (uint8_t *pixels)
{
  if (setup.backend == CTR_BACKEND_CUDA)
    gpu_free (pixels);
  else
    free (pixels);
}

/* Queues a square from LEFT, TOP on. */
static void
enqueue (CtrPainter *painter, uint8_t *pixels, const CtrPaintRectangle *square, void *stream)
{
  const CtrPaintPicture picture = {.plane_count = 1,
      .planes = {{.data = pixels, .stride = SIDE, .samples = 1}},
      .width = SIDE,
      .height = SIDE,
      .sample_size = 1,
      .sample_mask = 255,
      .memory = setup.backend == CTR_BACKEND_CUDA ? CTR_MEMORY_DEVICE : CTR_MEMORY_HOST};
  CtrPaintLayer layer;
  CtrError error;
  ctr_paint_layer_init (&layer, CTR_PAINT_RECTANGLES);
  layer.rectangles = square;
  layer.rectangle_count = 1;
  if (!ctr_painter_enqueue (painter, &picture, &layer, 1, colours, stream, &error)) {
    fprintf (stderr, "%s\n", error.message);
    exit (1);
  }
}

/* What a reader in the default stream finds, who waits for nothing else. */
static void
check_drawn (const uint8_t *pixels, const CtrPaintRectangle *square)
{
  uint8_t bytes[BYTES];
  if (setup.backend == CTR_BACKEND_CUDA)
    gpu_download (bytes, pixels, BYTES);
  else
    memcpy (bytes, pixels, BYTES);
  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++) {
      const bool inside = x >= square->x && y >= square->y && x < square->x + (int) square->width
                          && y < square->y + (int) square->height;
      CHECK (bytes[y * SIDE + x] == (inside ? 200 : 0));
    }
}

static void
test_default_stream (CtrPainter *painter)
{
  const CtrPaintRectangle squares[] = {
      {.x = 3, .y = 5, .width = 40, .height = 30}, {.x = 13, .y = 1, .width = 20, .height = 60}};
  for (uint32_t i = 0; i < 4; i++) {
    describe ("picture %u, seen from the default stream", i);
    uint8_t *pixels = new_pixels ();
    enqueue (painter, pixels, &squares[i % 2], setup.stream);
    CHECK (ctr_painter_lead_default (painter, NULL));
    check_drawn (pixels, &squares[i % 2]);
    CHECK (ctr_painter_finish (painter, NULL));
    check_drawn (pixels, &squares[i % 2]);
    free_pixels (pixels);
  }
}

typedef enum { DEFAULT_STREAM, OTHER_STREAM, HOST, LAST_WAITER } Waiter;

/* An event orders the default stream, another stream and what follows that one, or the host after the picture. */
static void
test_event (CtrPainter *painter)
{
  const CtrPaintRectangle square = {.x = 7, .y = 2, .width = 30, .height = 50};
  CtrEvent *event = ctr_event_new (NULL);
  void *other = gpu_stream_new ();
  CHECK (event);
  for (Waiter waiter = DEFAULT_STREAM; waiter < LAST_WAITER; waiter++) {
    describe ("an event, waiter %d", (int) waiter);
    uint8_t *pixels = new_pixels ();
    enqueue (painter, pixels, &square, setup.stream);
    CHECK (ctr_event_record (event, setup.stream, NULL));
    if (waiter == OTHER_STREAM)
      CHECK (ctr_event_lead (event, other, NULL) && ctr_event_record (event, other, NULL));
    CHECK (waiter == HOST ? ctr_event_wait (event, NULL) : ctr_event_lead (event, NULL, NULL));
    check_drawn (pixels, &square);
    CHECK (ctr_painter_finish (painter, NULL));
    free_pixels (pixels);
  }
  ctr_event_free (event);
}

/* One more picture is queued before the last one is waited for, in the same stream or in another. */
static void
test_two (CtrPainter *painter)
{
  const CtrPaintRectangle first = {.x = 3, .y = 5, .width = 40, .height = 30},
                          second = {.x = 0, .y = 20, .width = 64, .height = 9};
  void *streams[] = {setup.stream, setup.stream, setup.backend == CTR_BACKEND_CUDA ? gpu_stream_new () : NULL, NULL};
  for (uint32_t i = 0; i + 1 < sizeof streams / sizeof *streams; i++) {
    describe ("two pictures queued, streams %u and %u", i, i + 1);
    uint8_t *pixels[] = {new_pixels (), new_pixels ()};
    enqueue (painter, pixels[0], &first, streams[i]);
    enqueue (painter, pixels[1], &second, streams[i + 1]);
    CHECK (ctr_painter_finish (painter, NULL));
    check_drawn (pixels[0], &first);
    check_drawn (pixels[1], &second);
    free_pixels (pixels[0]);
    free_pixels (pixels[1]);
  }
}

static void
test_freed (void)
{
  const CtrPaintRectangle square = {.x = 1, .y = 2, .width = 50, .height = 60};
  uint8_t *pixels = new_pixels ();
  CtrPainter *painter = painter_new (&setup);
  describe ("a painter freed with a picture queued");
  enqueue (painter, pixels, &square, setup.stream);
  ctr_painter_free (painter);
  check_drawn (pixels, &square);
  free_pixels (pixels);
}

static void
test_nothing_queued (CtrPainter *painter)
{
  CtrError error;
  describe ("nothing is queued");
  CHECK (!ctr_painter_lead_default (painter, &error) && error.status == CTR_ERROR_INVALID_ARGUMENT);
  CHECK (strstr (error.message, "no picture is queued"));
  CHECK (!ctr_painter_finish (painter, &error) && error.status == CTR_ERROR_INVALID_ARGUMENT);
}

int
main (int argc, char **argv)
{
  setup = setup_open (argv[1], false);
  CtrPainter *painter = painter_new (&setup);
  colours[0].shape[0] = 200;
  test_nothing_queued (painter);
  test_default_stream (painter);
  test_nothing_queued (painter);
  test_two (painter);
  if (setup.backend == CTR_BACKEND_CUDA)
    test_event (painter);
  test_freed ();
  ctr_painter_free (painter);
  return 0;
}
