/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A glyph atlas for labels, which Pango and Cairo draw once per font. */
#ifndef GST_OVERLAY_TEXT_H
#define GST_OVERLAY_TEXT_H

#include <contours/paint.h>
#include <glib.h>

G_BEGIN_DECLS

typedef struct _OverlayText OverlayText;

/* Draws the printable ASCII characters in FONT, a Pango font description; POINTS is the size if FONT has none. Returns
 * NULL and ERROR on failure. */
OverlayText *overlay_text_new (const gchar *font, guint points, CtrError *error);
void overlay_text_free (OverlayText *text);

const CtrPaintAtlas *overlay_text_get_atlas (OverlayText *text);

/* Size of a label, in pixels. */
guint overlay_text_get_width (OverlayText *text, const gchar *label);
guint overlay_text_get_height (OverlayText *text);

/* Appends LABEL to GLYPHS, of CtrPaintGlyph, with its upper left corner at X, Y. Where labels overlap, the one with the
 * highest ORDER is visible. Characters that are not printable ASCII become '?'. */
void overlay_text_add (
    OverlayText *text, GArray *glyphs, const gchar *label, gint x, gint y, guint order, guint8 colour);

G_END_DECLS

#endif
