/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the metadata of a frame to the layers that show it. */
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
  OVERLAY_DRAW_CENTROIDS = 1 << 5
} OverlayDraw;

typedef enum { OVERLAY_LABEL_INDEX = 1 << 0, OVERLAY_LABEL_AREA = 1 << 1, OVERLAY_LABEL_LEVEL = 1 << 2 } OverlayLabels;

typedef struct {
  OverlayDraw draw;
  OverlayLabels labels;
  CtrColourBy colour_by;
  guint colour;             /* 0xAARRGGBB, where it is fixed */
  guint max_level;          /* where the scale of levels ends; 0: where those of the format do */
  guint thickness;          /* 0: that of the frame's size */
  guint8 alpha, fill_alpha; /* 0 .. 255 */
  gdouble min_area;         /* pixels of the frame */
  gboolean dashed_holes;
  gboolean legend; /* of the colours, where they are a scale */
} OverlayStyle;

/* The layers of one frame and all they point to; kept from frame to frame for its memory. */
typedef struct {
  GArray *layers;                   /* CtrPaintLayer */
  GArray *rectangles;               /* CtrPaintRectangle */
  GArray *edges;                    /* the same, around marks */
  GArray *marks;                    /* the same, of centroids */
  GArray *glyphs;                   /* CtrPaintGlyph */
  GPtrArray *colours;               /* of label images */
  GPtrArray *contours, *components; /* references to what is drawn of the metadata */
  guint label_count;
  /* What could not be shown: */
  guint without_labels;    /* metas to be filled that have no label image */
  guint without_centroids; /* metas of contours without moments */
  guint left_out;          /* metas that were too many, or are too far from the frame */
} OverlayLayers;

void overlay_layers_init (OverlayLayers *self);
void overlay_layers_clear (OverlayLayers *self);

/* Pixels of a line and points of letters that fit a frame like INFO. */
guint overlay_fitting_thickness (const GstVideoInfo *info);
guint overlay_fitting_points (const GstVideoInfo *info);

/* Forgets them, once they are drawn. */
void overlay_layers_reset (OverlayLayers *self);

/* Does BUFFER carry what is drawn? */
gboolean overlay_layers_wanted (GstBuffer *buffer, const OverlayStyle *style);

/* Does STYLE need text? */
gboolean overlay_style_has_text (const OverlayStyle *style);

/* The layers for BUFFER, a frame like INFO. TEXT: NULL where there is none; it must stay as it is until they are drawn.
 * Nothing of BUFFER need. */
gboolean overlay_layers_build (OverlayLayers *self, GstBuffer *buffer, const GstVideoInfo *info,
    const OverlayStyle *style, OverlayText *text, CtrError *error);

G_END_DECLS

#endif
