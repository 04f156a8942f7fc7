/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing shapes into a picture in place, or on a background of one colour: contours, boxes, components, labelled areas
 * and text. See contours.h for how to call a painter; the picture takes the place of the image there.
 *
 * The cost is proportional to the pixels drawn and the points read, plus that of filling a background. All shapes are rasterised in integers, and the
 * order of overlapping shapes is defined, so both backends draw the same picture to the last bit. Shapes are clipped to
 * the picture. */
#ifndef CONTOURS_PAINT_H
#define CONTOURS_PAINT_H

#include <contours/components.h>
#include <contours/contourlist.h>
#include <contours/image.h>

CTR_BEGIN_DECLS

#define CTR_PAINT_MAX_LAYERS 63
#define CTR_PAINT_MAX_PLANES 4
#define CTR_PAINT_MAX_THICKNESS 64
#define CTR_PAINT_COLOURS 256
#define CTR_PAINT_ORDERS 1024

/* A plane of the picture. */
typedef struct {
  void *data;
  size_t stride;       /* bytes, >= the plane's width * samples * sample size; 2-byte samples: even, as data */
  uint32_t samples;    /* per pixel, 1 .. 4 */
  uint32_t x_shift;    /* 0 .. 2; the plane is (picture width + (1 << x_shift) - 1) >> x_shift pixels wide */
  uint32_t y_shift;    /* all subsampled planes have the same two shifts */
  int8_t component[4]; /* index into CtrPaintColour for each sample; -1: the sample is not drawn */
} CtrPaintPlane;

/* What the shapes are drawn on. A new picture gets every sample; no sample of the old one is read, and those with
 * component -1 become sample_mask. What lies between the rows stays. */
typedef enum {
  CTR_BACKGROUND_PICTURE,    /* the pixels of the picture */
  CTR_BACKGROUND_COLOUR,     /* a new picture of one colour */
  CTR_BACKGROUND_TRANSPARENT /* the same with component 3, which is the alpha, of 0. A shape then has its own colour,
                                unmixed, and its alpha: colours are not multiplied by alpha. */
} CtrPaintBackground;

typedef struct {
  CtrPaintPlane planes[CTR_PAINT_MAX_PLANES];
  uint32_t plane_count; /* 1 .. CTR_PAINT_MAX_PLANES */
  uint32_t width;       /* pixels, 1 .. CTR_MAX_SIDE */
  uint32_t height;
  uint32_t sample_size; /* bytes: 1, or 2 in native order */
  uint32_t sample_mask; /* bits in use in a sample: 0xff, 0xffff, or 0xffc0 for P010 */
  CtrMemory memory;     /* of all planes: device memory for the CUDA backend, host memory for the CPU backend */
  CtrPaintBackground background;
  uint16_t background_colour[4]; /* its components, as in CtrPaintColour; without CTR_BACKGROUND_PICTURE */
} CtrPaintPicture;

/* A colour in the components of the picture and the units of its samples, such as Y, U, V or R, G, B, A. */
typedef struct {
  uint16_t shape[4];
  uint16_t text[4]; /* of letters on the shape */
} CtrPaintColour;

/* Affine mapping from the analysed image to the picture, in units of 2^-24 pixels: X = xx x + xy y + x0,
 * Y = yx x + yy y + y0. Both origins are the outer corner of the first pixel, so pixel i covers [i, i + 1). Absolute
 * factors are below 2^41, absolute x0 and y0 below 2^55. Mapped coordinates saturate at 2^29 pixels. */
#define CTR_PAINT_ONE (INT64_C (1) << 24)
typedef struct {
  int64_t xx, xy, x0;
  int64_t yx, yy, y0;
} CtrPaintMapping;

/* What the colour of a contour or component depends on. Components have neither level nor depth. */
typedef enum {
  CTR_COLOUR_FIXED,
  CTR_COLOUR_ID,    /* row of the table, modulo count */
  CTR_COLOUR_LEVEL, /* CtrContour.level, from 0 to range */
  CTR_COLOUR_DEPTH, /* number of enclosing contours, from 0 to range */
  CTR_COLOUR_AREA   /* logarithm of the area, from one pixel to range pixels */
} CtrColourBy;

typedef struct {
  CtrColourBy by;
  uint8_t first;  /* index of the first colour */
  uint32_t count; /* number of colours, 1 .. CTR_PAINT_COLOURS - first; CTR_COLOUR_FIXED uses the first one */
  uint64_t range; /* value of the last colour, >= 1 and below 2^34; larger values have that colour, too */
} CtrColouring;

/* A rectangle covers columns x to x + width - 1 and rows y to y + height - 1. It may exceed the picture. */
typedef struct {
  int32_t x, y;
  uint32_t width, height;
  uint32_t thickness; /* of its outline, drawn inside; 0: filled */
  uint8_t colour;
} CtrPaintRectangle;

/* Rendered letters: the alpha mask that glyphs are copied from. */
typedef struct {
  const uint8_t *coverage; /* width * height bytes in host memory, rows without padding: 0 (outside a letter) .. 255 */
  uint32_t width;
  uint32_t height;
} CtrPaintAtlas;

/* A rectangle of the atlas, drawn as a part of a label: the background in a colour, the letters in its `text`. */
typedef struct {
  int32_t x, y;  /* in the picture */
  uint32_t u, v; /* in the atlas, which must contain the rectangle */
  uint32_t width, height;
  uint16_t order; /* modulo CTR_PAINT_ORDERS: a glyph of higher order covers others, background included */
  uint8_t colour;
} CtrPaintGlyph;

typedef enum {
  CTR_PAINT_LINES,           /* contours */
  CTR_PAINT_BOXES,           /* bounding boxes of contours */
  CTR_PAINT_COMPONENT_BOXES, /* bounding boxes of components */
  CTR_PAINT_RECTANGLES,      /* rectangles */
  CTR_PAINT_AREAS,           /* the pixels of a label image */
  CTR_PAINT_TEXT             /* glyphs */
} CtrPaintKind;

/* In label_colours: the label is not drawn. */
#define CTR_PAINT_NO_COLOUR 0xffff

/* Shapes of one kind. Of overlapping layers the last one is visible; of overlapping shapes in a layer, the one with the
 * higher order, then letters, then the higher colour. Each pixel is painted once, with the alpha of the visible shape,
 * however many shapes cover it. A pixel of a subsampled plane follows the same rule for all pixels that it covers.
 *
 * LINES connect the points of each contour and close it. With CTR_COORDINATES_PIXELS, a brush of `thickness` pixels
 * follows the pixels' centres. With CTR_COORDINATES_CORNERS, the brush follows the cracks between pixels if the
 * thickness is even, and the pixels on the right of the cracks if it is odd: a thickness of 1 draws the outermost
 * pixels of the region itself. From 4 pixels on the brush is round. A contour that is mapped to one pixel is drawn as
 * that pixel.
 *
 * BOXES and COMPONENT_BOXES are outlines of `thickness` pixels inside the bounding box. Its corners are mapped and
 * rounded to the nearest corners between pixels, halves upwards; the mapped box is at least one pixel wide and high. */
typedef struct {
  CtrPaintKind kind;
  uint8_t alpha; /* 0 (not drawn) .. 255 (opaque) */

  /* LINES, BOXES */
  CtrContours *contours; /* may be pending; read in GPU memory if they are there in this CUDA context */
  uint64_t min_area2;    /* twice the minimum area, in pixels^2 of the analysed image; smaller contours are not drawn */
  bool dashed_holes;     /* LINES: contours around holes are dashed */

  /* COMPONENT_BOXES; and AREAS without labels, which reads their label image in GPU memory if that is there in this CUDA
   * context */
  CtrComponents
      *components;   /* may be pending: then the GPU reads its own table if that is in this CUDA context. Those of
                                AREAS are waited for. */
  uint32_t min_area; /* pixels of the analysed image; smaller components are not drawn */

  /* LINES, BOXES, COMPONENT_BOXES */
  CtrColouring colouring;
  uint32_t thickness; /* 1 .. CTR_PAINT_MAX_THICKNESS */

  CtrPaintMapping mapping; /* of these three kinds, and of AREAS */

  /* RECTANGLES */
  const CtrPaintRectangle *rectangles;
  size_t rectangle_count;

  /* AREAS: in host memory */
  const uint32_t
      *labels; /* NULL: those of components; label_width * label_height, rows without padding; 0: not drawn */
  uint32_t label_width;
  uint32_t label_height;
  const uint16_t *label_colours; /* the colour of label i is [i - 1], or CTR_PAINT_NO_COLOUR */
  uint32_t label_count;

  /* TEXT */
  const CtrPaintAtlas *atlas;
  const CtrPaintGlyph *glyphs;
  size_t glyph_count;
} CtrPaintLayer;

/* Defaults of a layer of KIND: opaque, one pixel thick, colour 0, identity mapping, no shapes. */
CTR_API void ctr_paint_layer_init (CtrPaintLayer *layer, CtrPaintKind kind);

/* The colour of a VALUE: a row, level, depth, or twice an area, depending on `by`. */
CTR_API uint8_t ctr_colouring_pick (const CtrColouring *colouring, uint64_t value);

/* The colour of contour ROW of TABLE, which is in host memory. */
CTR_API uint8_t ctr_colouring_pick_contour (const CtrColouring *colouring, const CtrContour *table, uint32_t row);

typedef struct CtrPainter CtrPainter;

CTR_API CtrPainter *ctr_painter_new (CtrBackend backend, CtrError *error);
CTR_API void ctr_painter_free (CtrPainter *painter);

/* Fills PICTURE with its background and draws COUNT LAYERS into it. COLOURS has CTR_PAINT_COLOURS entries and is read during the call only. PICTURE and
 * whatever LAYERS point to must exist until ctr_painter_finish(). If arguments are refused or memory is short, PICTURE
 * is unchanged; after a failed CUDA call or a cancellation its contents are undefined.
 *
 * Pending results are drawn behind their analysis, on the GPU: ctr_painter_enqueue() queues the drawing and then waits
 * for the results, in case one has outgrown its memory. Of a result whose analysis fails, nothing is drawn.
 *
 * A painter needs four to six bytes of working memory per pixel. */
CTR_API bool ctr_painter_enqueue (CtrPainter *painter, const CtrPaintPicture *picture, const CtrPaintLayer *layers,
    uint32_t count, const CtrPaintColour *colours, void *stream, CtrError *error);

/* CUDA backend: orders the queued work before all later work on the context's default stream, and on the streams that
 * synchronise with it (all but those created with CU_STREAM_NON_BLOCKING). For readers of PICTURE that do not know
 * STREAM. */
CTR_API bool ctr_painter_lead_default (CtrPainter *painter, CtrError *error);

/* Waits for the queued work, not for later work on STREAM. */
CTR_API bool ctr_painter_finish (CtrPainter *painter, CtrError *error);

CTR_API bool ctr_painter_run (CtrPainter *painter, const CtrPaintPicture *picture, const CtrPaintLayer *layers,
    uint32_t count, const CtrPaintColour *colours, void *stream, CtrError *error);

CTR_END_DECLS

#endif
