/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turns the metadata of a frame into the layers that the core paints (contours/paint.h).
 *
 * How the files of this folder work together: cudacontouroverlay reads its properties (properties.h) into an
 * OverlayStyle. overlay_layers_build() turns metadata into layers; their mappings come from mapping.h, boxes of regions and
 * detections from boxes.h, boxes, crosses and labels of single objects from marks.h, dimension lines from dimensions.h, the legend from legend.h, glyphs from text.h. The element then paints the layers onto the picture with
 * the colour table, which both come from colours.h. */
#ifndef GST_OVERLAY_LAYERS_H
#define GST_OVERLAY_LAYERS_H

#include "gst/overlay/text.h"

#include <gst/video/video.h>

G_BEGIN_DECLS

typedef enum {
  OVERLAY_DRAW_FILL = 1 << 0,
  OVERLAY_DRAW_CONTOURS = 1 << 1,
  OVERLAY_DRAW_CONTOUR_BOXES = 1 << 2,
  OVERLAY_DRAW_COMPONENTS = 1 << 3,
  OVERLAY_DRAW_REGIONS = 1 << 4,
  OVERLAY_DRAW_CENTROIDS = 1 << 5,
  OVERLAY_DRAW_DETECTIONS = 1 << 6
} OverlayDraw;

typedef enum { OVERLAY_LABEL_INDEX = 1 << 0, OVERLAY_LABEL_AREA = 1 << 1, OVERLAY_LABEL_LEVEL = 1 << 2 } OverlayLabels;

typedef enum {
  OVERLAY_DIMENSION_FERET_MAX = 1 << 0,
  OVERLAY_DIMENSION_FERET_MIN = 1 << 1,
  OVERLAY_DIMENSION_CIRCLE = 1 << 2,
  OVERLAY_DIMENSION_RECTANGLE = 1 << 3,
  OVERLAY_DIMENSION_REGIONS = 1 << 4
} OverlayDimensions;

/* What the shapes are drawn on. */
typedef enum {
  OVERLAY_BACKGROUND_FRAME,
  OVERLAY_BACKGROUND_BLACK,
  OVERLAY_BACKGROUND_WHITE,
  OVERLAY_BACKGROUND_TRANSPARENT
} OverlayBackground;

typedef struct {
  OverlayBackground background;
  OverlayDraw draw;
  OverlayLabels labels;
  OverlayDimensions dimensions;
  CtrColourBy colour_by;
  guint colour;             /* of CTR_COLOUR_FIXED, 0xAARRGGBB */
  guint max_level;          /* upper end of the level scale; 0: the largest sample of the format */
  guint thickness;          /* pixels; 0: depends on the frame size */
  guint8 alpha, fill_alpha; /* 0 .. 255 */
  gdouble min_area;         /* pixels of the frame */
  gboolean dashed_holes;
  gboolean legend; /* of the colour scale */
} OverlayStyle;

/* The layers of one frame and everything they point to. It is reused from frame to frame to save allocations. */
typedef struct {
  GArray *layers;                    /* CtrPaintLayer */
  GArray *rectangles;                /* CtrPaintRectangle */
  GArray *edges;                     /* CtrPaintRectangle, outlines of crosses */
  GArray *marks;                     /* CtrPaintRectangle, crosses at centroids */
  GArray *glyphs;                    /* CtrPaintGlyph */
  GArray *line_points, *line_counts; /* CtrPoint and guint32, of dimensions */
  GPtrArray *colours;                /* colour of each label of a label image, guint16 * */
  GPtrArray *contours, *components;  /* references to the results that layers point to */
  guint label_count;
  /* Metas that could not be drawn: */
  guint without_labels;    /* components to fill, without label image */
  guint without_centroids; /* contours with centroids to draw, without moments */
  guint left_out;          /* beyond the number of layers, or too far outside the frame */
} OverlayLayers;

void overlay_layers_init (OverlayLayers *self);
void overlay_layers_clear (OverlayLayers *self);

/* Default line thickness in pixels and font size in points for frames like INFO. */
guint overlay_fitting_thickness (const GstVideoInfo *info);
guint overlay_fitting_points (const GstVideoInfo *info);

/* Empties the layers once they are drawn. */
void overlay_layers_reset (OverlayLayers *self);

/* Whether BUFFER has metadata that STYLE draws, or STYLE a background for it. */
gboolean overlay_layers_wanted (GstBuffer *buffer, const OverlayStyle *style);

/* Whether STYLE needs text. */
gboolean overlay_style_has_text (const OverlayStyle *style);

/* Builds the layers for BUFFER, a frame like INFO. TEXT is NULL if STYLE needs none; it must not change until the
 * layers are drawn. BUFFER may be released afterwards. */
gboolean overlay_layers_build (OverlayLayers *self, GstBuffer *buffer, const GstVideoInfo *info,
    const OverlayStyle *style, OverlayText *text, CtrError *error);

G_END_DECLS

#endif
