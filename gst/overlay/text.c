/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/overlay/text.h"

#ifdef HAVE_PANGO

#include "gst/base/excerpt.h"

#include <pango/pangocairo.h>

#define FIRST ' '
#define LAST '~'
#define LETTERS (LAST - FIRST + 1)

struct _OverlayText {
  CtrPaintAtlas atlas;
  guint8 *coverage;
  guint left[LETTERS + 1]; /* x of each letter in the atlas, and the end of the last one */
  guint margin;            /* left and right of a label: a part of the space character */
};

/* A Cairo context that draws antialiased coverage on SURFACE. */
static cairo_t *
begin (cairo_surface_t *surface)
{
  cairo_t *cairo = cairo_create (surface);
  cairo_font_options_t *options = cairo_font_options_create ();

  cairo_font_options_set_antialias (options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style (options, CAIRO_HINT_STYLE_SLIGHT);
  cairo_set_font_options (cairo, options);
  cairo_font_options_destroy (options);
  return cairo;
}

static void
set_letter (PangoLayout *layout, guint index)
{
  const gchar letter = FIRST + index;

  pango_layout_set_text (layout, &letter, 1);
}

/* Places the letters side by side. Returns the common baseline. */
static gint
measure (OverlayText *text, PangoLayout *layout)
{
  gint width, height, max_height = 0, baseline = 0;

  for (guint i = 0; i < LETTERS; i++) {
    set_letter (layout, i);
    pango_layout_get_pixel_size (layout, &width, &height);
    text->left[i + 1] = text->left[i] + MAX (width, 1);
    max_height = MAX (max_height, height);
    baseline = MAX (baseline, PANGO_PIXELS (pango_layout_get_baseline (layout)));
  }
  text->atlas.width = text->left[LETTERS];
  text->atlas.height = MAX (max_height, 1);
  text->margin = MIN (text->left[1], MAX (text->atlas.height / 8, 1));
  return baseline;
}

static void
draw_letters (const OverlayText *text, cairo_t *cairo, PangoLayout *layout, gint baseline)
{
  for (guint i = 0; i < LETTERS; i++) {
    set_letter (layout, i);
    cairo_save (cairo);
    /* A letter that overhangs is clipped, so that it does not reach into the next one. */
    cairo_rectangle (cairo, text->left[i], 0, text->left[i + 1] - text->left[i], text->atlas.height);
    cairo_clip (cairo);
    cairo_move_to (cairo, text->left[i], baseline - PANGO_PIXELS (pango_layout_get_baseline (layout)));
    pango_cairo_show_layout (cairo, layout);
    cairo_restore (cairo);
  }
}

static PangoLayout *
layout_new (PangoFontMap *fonts, cairo_t *cairo, const PangoFontDescription *font)
{
  PangoContext *context = pango_font_map_create_context (fonts);
  PangoLayout *layout = pango_layout_new (context);

  pango_cairo_update_context (cairo, context);
  pango_layout_set_font_description (layout, font);
  g_object_unref (context);
  return layout;
}

OverlayText *
overlay_text_new (const gchar *font, guint points, CtrError *error)
{
  OverlayText *text = g_new0 (OverlayText, 1);
  PangoFontDescription *description = pango_font_description_from_string (font);
  PangoFontMap *fonts = pango_cairo_font_map_new (); /* the default font map would live as long as this thread */
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_A8, 1, 1);
  cairo_t *cairo = begin (surface);
  PangoLayout *layout;
  gint baseline;
  gboolean ok;

  if (!(pango_font_description_get_set_fields (description) & PANGO_FONT_MASK_SIZE))
    pango_font_description_set_size (description, points * PANGO_SCALE);
  layout = layout_new (fonts, cairo, description);
  baseline = measure (text, layout);
  g_object_unref (layout);
  cairo_destroy (cairo);
  cairo_surface_destroy (surface);

  surface = cairo_image_surface_create (CAIRO_FORMAT_A8, text->atlas.width, text->atlas.height);
  cairo = begin (surface);
  layout = layout_new (fonts, cairo, description);
  draw_letters (text, cairo, layout, baseline);
  cairo_surface_flush (surface);
  ok = cairo_status (cairo) == CAIRO_STATUS_SUCCESS && cairo_surface_status (surface) == CAIRO_STATUS_SUCCESS;
  if (ok) {
    const guint width = text->atlas.width, height = text->atlas.height;
    text->coverage = g_malloc ((gsize) width * height);
    for (guint y = 0; y < height; y++)
      memcpy (text->coverage + (gsize) y * width,
          cairo_image_surface_get_data (surface) + (gsize) y * cairo_image_surface_get_stride (surface), width);
    text->atlas.coverage = text->coverage;
  } else {
    gchar *shown = excerpt_new (font);

    error->status = CTR_ERROR_INVALID_ARGUMENT;
    g_snprintf (
        error->message, sizeof error->message, "font-desc=\"%s\" cannot be drawn; choose a smaller font", shown);
    g_free (shown);
  }
  g_object_unref (layout);
  cairo_destroy (cairo);
  cairo_surface_destroy (surface);
  pango_font_description_free (description);
  g_object_unref (fonts);
  if (!ok)
    g_clear_pointer (&text, g_free);
  return text;
}

void
overlay_text_free (OverlayText *text)
{
  g_free (text->coverage);
  g_free (text);
}

const CtrPaintAtlas *
overlay_text_get_atlas (OverlayText *text)
{
  return &text->atlas;
}

/* Index of the letter at *LABEL, which is advanced past it; -1 at the end. */
static gint
next_letter (const gchar **label)
{
  const gunichar letter = g_utf8_get_char_validated (*label, -1);

  if (**label == '\0')
    return -1;
  *label = (gint) letter < 0 ? *label + 1 : g_utf8_next_char (*label);
  return letter >= FIRST && letter <= LAST ? (gint) letter - FIRST : '?' - FIRST;
}

guint
overlay_text_get_width (OverlayText *text, const gchar *label)
{
  guint width = 2 * text->margin;

  for (gint i; (i = next_letter (&label)) >= 0;)
    width += text->left[i + 1] - text->left[i];
  return width;
}

guint
overlay_text_get_height (OverlayText *text)
{
  return text->atlas.height;
}

static void
add_piece (OverlayText *text, GArray *glyphs, guint left, guint width, gint *x, gint y, guint order, guint8 colour)
{
  const CtrPaintGlyph glyph = {.x = *x,
      .y = y,
      .u = left,
      .width = width,
      .height = text->atlas.height,
      .order = order % CTR_PAINT_ORDERS,
      .colour = colour};

  g_array_append_val (glyphs, glyph);
  *x += width;
}

void
overlay_text_add (OverlayText *text, GArray *glyphs, const gchar *label, gint x, gint y, guint order, guint8 colour)
{
  add_piece (text, glyphs, 0, text->margin, &x, y, order, colour);
  for (gint i; (i = next_letter (&label)) >= 0;)
    add_piece (text, glyphs, text->left[i], text->left[i + 1] - text->left[i], &x, y, order, colour);
  add_piece (text, glyphs, 0, text->margin, &x, y, order, colour);
}

#else /* !HAVE_PANGO */

OverlayText *
overlay_text_new (const gchar *font, guint points, CtrError *error)
{
  error->status = CTR_ERROR_INVALID_ARGUMENT;
  g_strlcpy (error->message,
      "this build has no text support; install Pango's development files (libpango1.0-dev) and rebuild, or disable "
      "labels and legend",
      sizeof error->message);
  return NULL;
}

void
overlay_text_free (OverlayText *text)
{
}

const CtrPaintAtlas *
overlay_text_get_atlas (OverlayText *text)
{
  return NULL;
}

guint
overlay_text_get_width (OverlayText *text, const gchar *label)
{
  return 0;
}

guint
overlay_text_get_height (OverlayText *text)
{
  return 0;
}

void
overlay_text_add (OverlayText *text, GArray *glyphs, const gchar *label, gint x, gint y, guint order, guint8 colour)
{
}

#endif
