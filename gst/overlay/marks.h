/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Boxes, crosses and labels of single objects. */
#ifndef GST_OVERLAY_MARKS_H
#define GST_OVERLAY_MARKS_H

#include "gst/overlay/layers.h"

G_BEGIN_DECLS

/* The frame that layers are built for. */
typedef struct {
  OverlayLayers *layers;
  const GstVideoInfo *info;
  const OverlayStyle *style;
  OverlayText *text; /* NULL: no labels, no legend */
} OverlayFrame;

/* Adds a layer on top; returns NULL if there are too many. It is valid until the next one is added. */
CtrPaintLayer *overlay_frame_add_layer (const OverlayFrame *frame, CtrPaintKind kind);

/* The colours of the contours, or of other objects, of an image of WIDTH x HEIGHT pixels. Components, regions and detections have
 * no level or depth: these are coloured by index. */
CtrColouring overlay_frame_get_colouring (const OverlayFrame *frame, gboolean of_contours, guint width, guint height);

/* To be called for each INDEX of a long loop: returns FALSE and an error if the drawing is cancelled. */
gboolean overlay_check_cancelled (guint index, CtrError *error);

/* The rectangle of pixels closest to a box whose sides lie between pixels. THICKNESS 0: filled. */
CtrPaintRectangle overlay_marks_rectangle (
    gdouble x, gdouble y, gdouble width, gdouble height, guint thickness, guint8 colour);

void overlay_marks_add_box (const OverlayFrame *frame, const CtrPaintRectangle *box);

/* Adds a cross centred on pixel X, Y of an object of WIDTH x HEIGHT pixels. */
void overlay_marks_add_cross (
    const OverlayFrame *frame, gdouble x, gdouble y, gdouble width, gdouble height, guint8 colour);

/* Writes the index, area and level that the style selects to LABEL, of SIZE bytes. LEVEL 0: the object has none. */
void overlay_marks_describe (
    const OverlayFrame *frame, gchar *label, gsize size, guint index, gdouble area, guint level);

/* Adds LABEL above BOX, or inside it where BOX touches the upper edge of the frame. */
void overlay_marks_add_label (const OverlayFrame *frame, const CtrPaintRectangle *box, const gchar *label);

G_END_DECLS

#endif
