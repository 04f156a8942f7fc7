/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws shapes into a picture, in place: contours, boxes, labelled areas, text. The cost is proportional to the pixels
 * drawn and the points read, whatever their number. Everything is rasterised in integers, and where shapes overlap it
 * is defined which one shows: both backends give the same picture to the last bit. What lies outside the picture is cut
 * off. */
#ifndef CONTOURS_PAINT_H
#define CONTOURS_PAINT_H

#include <contours/contourlist.h>
#include <contours/image.h>

CTR_BEGIN_DECLS

#define CTR_PAINT_MAX_LAYERS 63
#define CTR_PAINT_MAX_PLANES 4
#define CTR_PAINT_MAX_THICKNESS 64
#define CTR_PAINT_COLOURS 256
#define CTR_PAINT_ORDERS 1024

/* One plane of the picture. */
typedef struct {
  void *data;
  size_t stride;       /* bytes, >= the plane's width * samples * sample size; even with 2-byte samples, as data is */
  uint32_t samples;    /* of a pixel, 1 .. 4 */
  uint32_t x_shift;    /* width: (picture width + (1 << x_shift) - 1) >> x_shift; 0 .. 2 */
  uint32_t y_shift;    /* a plane is of the picture's size, or all others have the same two shifts */
  int8_t component[4]; /* which of a colour's numbers each sample takes; -1: the sample stays as it is */
} CtrPaintPlane;

typedef struct {
  CtrPaintPlane planes[CTR_PAINT_MAX_PLANES];
  uint32_t plane_count; /* 1 .. CTR_PAINT_MAX_PLANES */
  uint32_t width;       /* pixels, 1 .. CTR_MAX_SIDE */
  uint32_t height;
  uint32_t sample_size; /* bytes: 1, or 2 in native order */
  uint32_t sample_mask; /* the bits of a sample that may be set: 0xff, 0xffff, 0xffc0 for P010 */
  CtrMemory memory;     /* of all planes: device for the CUDA backend, host for the other */
} CtrPaintPicture;

/* In the picture's own components and the units of its samples, such as Y, U, V or R, G, B, A. */
typedef struct {
  uint16_t shape[4];
  uint16_t text[4]; /* of letters on it */
} CtrPaintColour;

/* Where a position of the analysed image lies in the picture, in 2^-24 pixels: X = xx x + xy y + x0,
 * Y = yx x + yy y + y0, measured from the outer corner of either, so that pixel i covers [i, i + 1). The factors are
 * below 2^41 and x0, y0 below 2^55. Positions that come to lie more than 2^29 pixels away are moved to there. */
#define CTR_PAINT_ONE (INT64_C (1) << 24)
typedef struct {
  int64_t xx, xy, x0;
  int64_t yx, yy, y0;
} CtrPaintMapping;

/* What tells contours apart. */
typedef enum {
  CTR_COLOUR_FIXED,
  CTR_COLOUR_ID,    /* row of the table, modulo count */
  CTR_COLOUR_LEVEL, /* CtrContour.level, range and above: the last colour */
  CTR_COLOUR_DEPTH, /* number of contours around it, range and above: the last colour */
  CTR_COLOUR_AREA   /* its logarithm: from one pixel on to range pixels */
} CtrColourBy;

typedef struct {
  CtrColourBy by;
  uint8_t first;  /* of the colours */
  uint32_t count; /* 1 .. CTR_PAINT_COLOURS - first of them; FIXED: the first */
  uint64_t range; /* >= 1, below 2^34 */
} CtrColouring;

/* The edges enclose the pixels from column x to x + width - 1 and row y to y + height - 1, wherever they are. */
typedef struct {
  int32_t x, y;
  uint32_t width, height;
  uint32_t thickness; /* of its outline, which is inside; 0: it is filled */
  uint8_t colour;
} CtrPaintRectangle;

/* Letters, drawn before by somebody else. */
typedef struct {
  const uint8_t *coverage; /* width * height bytes in host memory, rows without gaps: 0 outside of a letter .. 255 */
  uint32_t width;
  uint32_t height;
} CtrPaintAtlas;

/* A rectangle of the atlas, drawn as a piece of a label: its ground in a colour, its letters in that colour's `text`.
 */
typedef struct {
  int32_t x, y;  /* in the picture */
  uint32_t u, v; /* in the atlas, which it must not leave */
  uint32_t width, height;
  uint16_t order; /* modulo CTR_PAINT_ORDERS: where glyphs overlap the higher one shows, ground and all */
  uint8_t colour;
} CtrPaintGlyph;

typedef enum {
  CTR_PAINT_LINES,      /* the contours themselves */
  CTR_PAINT_BOXES,      /* their bounding boxes */
  CTR_PAINT_RECTANGLES, /* any rectangles */
  CTR_PAINT_AREAS,      /* the pixels of a label image */
  CTR_PAINT_TEXT        /* glyphs */
} CtrPaintKind;

/* A colour that no label has: it is not drawn. */
#define CTR_PAINT_NO_COLOUR 0xffff

/* Shapes of one kind. Where layers overlap, the one that comes later shows; within one, the higher order, then letters,
 * then the higher colour. A pixel is painted once, however many shapes cover it: with the alpha of what shows there. A
 * pixel of a subsampled plane shows what any pixel under it would by the same rule.
 *
 * LINES run from point to point of each contour and are closed. CTR_COORDINATES_PIXELS: through the pixels' centres, a
 * brush of `thickness` pixels around them. CTR_COORDINATES_CORNERS: between the pixels with an even thickness; with an
 * odd one along the pixels on the right of the line, so those of thickness 1 are the region's own outermost pixels.
 * From 4 pixels on the brush is round. A contour that comes to lie in one pixel is that pixel. */
typedef struct {
  CtrPaintKind kind;
  uint8_t alpha; /* 0 (not drawn) .. 255 (opaque) */

  /* LINES, BOXES */
  CtrContours *contours; /* read where they are: on the GPU, if they are there in this context */
  CtrColouring colouring;
  uint64_t min_area2; /* twice the least area, in pixels of the analysed image */
  uint32_t thickness; /* 1 .. CTR_PAINT_MAX_THICKNESS */
  bool dashed_holes;  /* LINES: contours around holes are dashed */

  CtrPaintMapping mapping; /* LINES, BOXES, AREAS */

  /* RECTANGLES */
  const CtrPaintRectangle *rectangles;
  size_t rectangle_count;

  /* AREAS: in host memory */
  const uint32_t *labels; /* label_width * label_height, rows without gaps; 0: nothing */
  uint32_t label_width;
  uint32_t label_height;
  const uint16_t *label_colours; /* of label i: [i - 1]; or CTR_PAINT_NO_COLOUR */
  uint32_t label_count;

  /* TEXT */
  const CtrPaintAtlas *atlas;
  const CtrPaintGlyph *glyphs;
  size_t glyph_count;
} CtrPaintLayer;

/* A lone layer of KIND: opaque, one pixel thick, of colour 0, where the analysed image is. */
CTR_API void ctr_paint_layer_init (CtrPaintLayer *layer, CtrPaintKind kind);

/* The colour of something whose VALUE is its row, level, depth, or twice its area, as `by` asks. */
CTR_API uint8_t ctr_colouring_pick (const CtrColouring *colouring, uint64_t value);

/* The colour of the contour ROW of TABLE, in host memory. */
CTR_API uint8_t ctr_colouring_pick_contour (const CtrColouring *colouring, const CtrContour *table, uint32_t row);

/* A painter keeps its working memory, four to six bytes a pixel, from frame to frame. After the first frame of a size
 * it allocates only where a frame brings more than any before. One thread at a time; any number side by side. */
typedef struct CtrPainter CtrPainter;

/* transfer full: free with ctr_painter_free(). The CUDA backend belongs to the CUDA context that is current now (none:
 * the primary context of device 0); the same one must be current in every later call. NULL and error when unavailable.
 */
CTR_API CtrPainter *ctr_painter_new (CtrBackend backend, CtrError *error);
CTR_API void ctr_painter_free (CtrPainter *painter);

/* Draws COUNT LAYERS into PICTURE. COLOURS: CTR_PAINT_COLOURS of them, read during the call only.
 *
 * CUDA backend: the work is queued on STREAM (a cudaStream_t or CUstream; NULL: one of its own). What writes PICTURE
 * must be done or queued on STREAM before; PICTURE, what LAYERS point to, and STREAM must stay until
 * ctr_painter_finish(). CPU backend: STREAM is ignored. On failure nothing is pending, and the picture is as it was,
 * unless a CUDA call failed. */
CTR_API bool ctr_painter_enqueue (CtrPainter *painter, const CtrPaintPicture *picture, const CtrPaintLayer *layers,
    uint32_t count, const CtrPaintColour *colours, void *stream, CtrError *error);

/* CUDA backend: what is queued from now on in the context's default stream comes after the queued work, and so does
 * what is queued in the streams that follow that one: all but those made with CU_STREAM_NON_BLOCKING. For readers of
 * PICTURE who know nothing of STREAM. */
CTR_API bool ctr_painter_lead_default (CtrPainter *painter, CtrError *error);

/* Waits for the queued work, not for what STREAM was given after it. */
CTR_API bool ctr_painter_finish (CtrPainter *painter, CtrError *error);

/* Both in one. */
CTR_API bool ctr_painter_run (CtrPainter *painter, const CtrPaintPicture *picture, const CtrPaintLayer *layers,
    uint32_t count, const CtrPaintColour *colours, void *stream, CtrError *error);

CTR_END_DECLS

#endif
