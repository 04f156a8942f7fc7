/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Letters for labels, drawn once by Pango and Cairo into an atlas. */
#ifndef GST_OVERLAY_TEXT_H
#define GST_OVERLAY_TEXT_H

#include <contours/paint.h>
#include <glib.h>

G_BEGIN_DECLS

typedef struct _OverlayText OverlayText;

/* The letters of FONT, a Pango font description; POINTS is their size where FONT has none. NULL and error where they
 * cannot be drawn. */
OverlayText *overlay_text_new (const gchar *font, guint points, CtrError *error);
void overlay_text_free (OverlayText *text);

const CtrPaintAtlas *overlay_text_get_atlas (OverlayText *text);

/* Size of a label in pixels. */
guint overlay_text_get_width (OverlayText *text, const gchar *label);
guint overlay_text_get_height (OverlayText *text);

/* Appends to GLYPHS (of CtrPaintGlyph) a LABEL whose upper left corner is X, Y; of labels that overlap, the higher
 * ORDER shows. What is not ASCII becomes '?'. */
void overlay_text_add (
    OverlayText *text, GArray *glyphs, const gchar *label, gint x, gint y, guint order, guint8 colour);

G_END_DECLS

#endif
