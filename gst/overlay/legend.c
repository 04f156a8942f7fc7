/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/overlay/legend.h"

#define MAX_PLATES 11 /* areas up to 2^32 pixels */

typedef struct {
  guint64 value; /* argument of ctr_colouring_pick() */
  gchar text[32];
} Plate;

/* STEPS + 1 plates from 0 to the largest level. */
static guint
levels (Plate *plates, guint64 range, guint steps, gboolean open_ended)
{
  for (guint i = 0; i <= steps; i++) {
    plates[i].value = (range * i + steps / 2) / steps;
    g_snprintf (plates[i].text, sizeof plates[i].text, "%s%" G_GUINT64_FORMAT "%s", i == 0 ? "level " : "",
        plates[i].value, open_ended && i == steps ? "+" : "");
  }
  return steps + 1;
}

static guint
depths (Plate *plates, guint64 range)
{
  for (guint i = 0; i <= range; i++) {
    plates[i].value = i;
    g_snprintf (plates[i].text, sizeof plates[i].text, "%s%u%s", i == 0 ? "depth " : "", i, i == range ? "+" : "");
  }
  return range + 1;
}

static guint
areas (Plate *plates, guint64 range)
{
  guint count = 0;

  for (guint64 area = 1; area <= range && count < MAX_PLATES; area *= 10) {
    plates[count].value = 2 * area;
    g_snprintf (plates[count].text, sizeof plates[count].text, "%s%" G_GUINT64_FORMAT, count == 0 ? "px " : "", area);
    count++;
  }
  return count;
}

static guint
width_of (OverlayText *text, const Plate *plates, guint count)
{
  guint width = 0;

  for (guint i = 0; i < count; i++)
    width += overlay_text_get_width (text, plates[i].text);
  return width;
}

void
overlay_legend_add (
    OverlayText *text, GArray *glyphs, const CtrColouring *scale, gboolean open_ended, const GstVideoInfo *info)
{
  const gint line = overlay_text_get_height (text);
  const gint y = MAX (GST_VIDEO_INFO_HEIGHT (info) - 2 * line, 0);
  const guint room = MAX (GST_VIDEO_INFO_WIDTH (info) - line, 0);
  Plate plates[MAX_PLATES];
  guint count = 0;
  gint x = line;

  if (scale->by == CTR_COLOUR_LEVEL) {
    guint steps = (guint) MIN (scale->range, 8);
    /* All plates must fit, as the last one shows the end of the scale. */
    while (width_of (text, plates, count = levels (plates, scale->range, steps, open_ended)) > room && steps > 1)
      steps /= 2;
  } else if (scale->by == CTR_COLOUR_DEPTH) {
    count = depths (plates, scale->range);
  } else if (scale->by == CTR_COLOUR_AREA) {
    count = areas (plates, scale->range);
  }
  for (guint i = 0; i < count; i++) {
    overlay_text_add (
        text, glyphs, plates[i].text, x, y, CTR_PAINT_ORDERS - 1, ctr_colouring_pick (scale, plates[i].value));
    x += overlay_text_get_width (text, plates[i].text);
  }
}
