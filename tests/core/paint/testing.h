/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers that the tests of drawing share: random pictures and layers. */
#ifndef CTR_TESTS_PAINT_TESTING_H
#define CTR_TESTS_PAINT_TESTING_H

#include "tests/core/common/testing.h"

CTR_BEGIN_DECLS

/* How a picture is laid out. */
typedef enum {
  CANVAS_NV12,
  CANVAS_I420,
  CANVAS_Y42B,
  CANVAS_RGBA,
  CANVAS_BGRX, /* the fourth byte of a pixel stays */
  CANVAS_RGB,
  CANVAS_GRAY8,
  CANVAS_GRAY16,
  CANVAS_P010,
  /* So that there are all shifts; not all of these formats have a name. */
  CANVAS_YUV9,
  CANVAS_Y41B,
  CANVAS_Y440,
  CANVAS_SHIFTS_0_2,
  CANVAS_SHIFTS_1_2,
  CANVAS_SHIFTS_2_1,
  CANVAS_COUNT
} CanvasFormat;
extern const char *const canvas_names[CANVAS_COUNT];

/* A picture in host memory, of random bytes. Its block ends with its last pixel. */
typedef struct {
  CtrPaintPicture picture;
  uint8_t *memory;
  size_t bytes;
} Canvas;
Canvas canvas_new (Random *random, CanvasFormat format, uint32_t width, uint32_t height);
Canvas canvas_copy (const Canvas *canvas);
void canvas_free (Canvas *canvas);

bool canvas_has_alpha (const Canvas *canvas);

/* Any background that the picture may have. */
void canvas_pick_background (Canvas *canvas, Random *random);
extern const char *const background_names[];

void random_colours (Random *random, CtrPaintColour *colours);

/* Layers and what they point to. */
#define SCENE_LAYERS 6
typedef struct {
  CtrPaintLayer layers[SCENE_LAYERS];
  uint32_t count;
  CtrPaintColour colours[CTR_PAINT_COLOURS];
  CtrPaintAtlas atlas;
  void *owned[4 * SCENE_LAYERS];
  uint32_t owned_count;
} Scene;

/* Finders of what is drawn, on one backend. */
typedef struct {
  CtrBorders *borders;
  CtrCracks *cracks;
  CtrCca *cca;
} Finders;
Finders finders_new (const Setup *setup);
void finders_free (Finders *finders);

/* The contours of random squares of WIDTH x HEIGHT, of pixels or corners. */
CtrContours *random_contours (
    Random *random, const Finders *finders, const Setup *setup, uint32_t width, uint32_t height, bool corners);

/* The components of random squares of WIDTH x HEIGHT. */
CtrComponents *random_components (
    Random *random, const Finders *finders, const Setup *setup, uint32_t width, uint32_t height);

/* About as large as the picture; with WILD things are anywhere, up to where numbers end. */
void scene_init (Scene *scene, Random *random, const Finders *finders, const Setup *setup,
    const CtrPaintPicture *picture, bool wild);
void scene_clear (Scene *scene);

/* Draws with PAINTER, where SETUP's backend draws. */
void paint (CtrPainter *painter, const Setup *setup, Canvas *canvas, const CtrPaintLayer *layers, uint32_t count,
    const CtrPaintColour *colours);

CtrPainter *painter_new (const Setup *setup);

/* Equal in every byte, padding too? */
void check_canvases_equal (const Canvas *expected, const Canvas *actual);

CTR_END_DECLS

#endif
