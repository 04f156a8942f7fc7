/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Appends the rectangles and glyphs that mark single objects. */
#include "gst/overlay/marks.h"

#include "gst/overlay/colours.h"

#include <math.h>

static gint32
clamp_position (gdouble position)
{
  return (gint32) CLAMP (position, G_MININT32, G_MAXINT32);
}

CtrPaintRectangle
overlay_marks_rectangle (gdouble x, gdouble y, gdouble width, gdouble height, guint thickness, guint8 colour)
{
  const gdouble left = floor (x + 0.5), top = floor (y + 0.5);
  const gdouble right = floor (x + width + 0.5), bottom = floor (y + height + 0.5);

  return (CtrPaintRectangle){
      .x = clamp_position (left),
      .y = clamp_position (top),
      .width = (guint32) CLAMP (right - left, 1, G_MAXUINT32),
      .height = (guint32) CLAMP (bottom - top, 1, G_MAXUINT32),
      .thickness = thickness,
      .colour = colour,
  };
}

void
overlay_marks_add_box (const OverlayFrame *frame, const CtrPaintRectangle *box)
{
  g_array_append_vals (frame->layers->rectangles, box, 1);
}

static void
add_cross (GArray *rectangles, gdouble x, gdouble y, gdouble arm, guint thickness, guint8 colour)
{
  const gdouble before = (thickness - 1) / 2;
  const CtrPaintRectangle bars[] = {
      overlay_marks_rectangle (x - arm, y - before, 2 * arm + 1, thickness, 0, colour),
      overlay_marks_rectangle (x - before, y - arm, thickness, 2 * arm + 1, 0, colour),
  };

  g_array_append_vals (rectangles, bars, G_N_ELEMENTS (bars));
}

/* A cross on a filled object has the colour of the area below it. An edge keeps it visible, but would hide small
 * objects. */
void
overlay_marks_add_cross (const OverlayFrame *frame, gdouble x, gdouble y, gdouble width, gdouble height, guint8 colour)
{
  const guint t = frame->style->thickness, full = 3 + 2 * t, edge = MAX (t / 2, 1);
  const gdouble arm = CLAMP (floor (MIN (width, height) / 4), t, full);

  x = floor (x + 0.5);
  y = floor (y + 0.5);
  if (arm == full)
    add_cross (
        frame->layers->edges, x, y, arm + edge, t + 2 * edge, overlay_colours_get_edge (colour, frame->style->colour));
  add_cross (frame->layers->marks, x, y, arm, t, colour);
}

void
overlay_marks_add_label (const OverlayFrame *frame, const CtrPaintRectangle *box, const gchar *label)
{
  const gint height = overlay_text_get_height (frame->text), width = overlay_text_get_width (frame->text, label);
  const gint frame_width = GST_VIDEO_INFO_WIDTH (frame->info), frame_height = GST_VIDEO_INFO_HEIGHT (frame->info);
  const gint64 right = (gint64) box->x + box->width, bottom = (gint64) box->y + box->height;
  gint x = box->x, y = box->y;

  if (*label == '\0' || box->x >= frame_width || box->y >= frame_height || right <= 0 || bottom <= 0)
    return;
  y = y >= height ? y - height : MAX (y, 0);
  x = MAX (MIN (x, frame_width - width), 0);
  overlay_text_add (frame->text, frame->layers->glyphs, label, x, y, frame->layers->label_count++, box->colour);
}

void
overlay_marks_describe (const OverlayFrame *frame, gchar *label, gsize size, guint index, gdouble area, guint level)
{
  const OverlayLabels wanted = frame->style->labels;
  const gchar *gap = "";

  *label = '\0';
  if (wanted & OVERLAY_LABEL_INDEX) {
    g_snprintf (label, size, "%u", index);
    gap = "  ";
  }
  if (wanted & OVERLAY_LABEL_AREA) {
    const gsize used = strlen (label);
    g_snprintf (label + used, size - used, "%s%.0f px", gap, area);
    gap = "  ";
  }
  if ((wanted & OVERLAY_LABEL_LEVEL) && level > 0) {
    const gsize used = strlen (label);
    g_snprintf (label + used, size - used, "%slevel %u", gap, level);
  }
}
