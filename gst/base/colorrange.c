/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/colorrange.h"

#include "gst/base/excerpt.h"

#define MAX_SAMPLE 255

static const gchar *const channel_names[CTR_CHANNELS] = {
    [CTR_CHANNEL_LUMA] = "luma",
    [CTR_CHANNEL_RED] = "red",
    [CTR_CHANNEL_GREEN] = "green",
    [CTR_CHANNEL_BLUE] = "blue",
    [CTR_CHANNEL_HUE] = "hue",
    [CTR_CHANNEL_SATURATION] = "saturation",
    [CTR_CHANNEL_VALUE] = "value",
    [CTR_CHANNEL_CB] = "cb",
    [CTR_CHANNEL_CR] = "cr",
};

static gboolean
parse_sample (const gchar *text, guint8 *sample)
{
  guint64 number;

  if (!g_ascii_string_to_unsigned (text, 10, 0, MAX_SAMPLE, &number, NULL))
    return FALSE;
  *sample = number;
  return TRUE;
}

/* Parses "LOWER-UPPER", or one number for both. */
static gboolean
parse_samples (const gchar *text, guint8 *lower, guint8 *upper)
{
  gchar **ends = g_strsplit (text, "-", 2);
  const gboolean ok = ends[0] && parse_sample (ends[0], lower) && parse_sample (ends[1] ? ends[1] : ends[0], upper);

  g_strfreev (ends);
  return ok;
}

/* Adds ITEM to the ranges. Returns FALSE, and what is wrong in *PROBLEM, if it is invalid. */
static gboolean
add_item (const gchar *item, CtrForeground *ranges, const gchar **problem)
{
  gchar **sides = g_strsplit (item, "=", 2);
  guint channel = 0;

  while (channel < CTR_CHANNELS && g_ascii_strcasecmp (channel_names[channel], sides[0]) != 0)
    channel++;
  if (channel == CTR_CHANNELS)
    *problem = "names no channel: luma, red, green, blue, hue, saturation, value, cb or cr";
  else if (ranges->ranges & 1u << channel)
    *problem = "is a second range of its channel";
  else if (!sides[1] || !parse_samples (sides[1], &ranges->lower[channel], &ranges->upper[channel]))
    *problem = "is no range of integers from 0 to 255";
  else
    ranges->ranges |= 1u << channel;
  g_strfreev (sides);
  return !*problem;
}

gboolean
color_range_parse (const gchar *text, CtrForeground *foreground, gchar **problem)
{
  CtrForeground ranges = *foreground;
  gchar **items = g_strsplit_set (text, ", \t\n", -1);
  const gchar *wrong = NULL;

  ranges.ranges = 0;
  *problem = NULL;
  for (gchar **item = items; *item && !wrong; item++)
    if (**item && !add_item (*item, &ranges, &wrong)) {
      gchar *shown = excerpt_new (*item);

      *problem = g_strdup_printf ("'%s' %s", shown, wrong);
      g_free (shown);
    }
  g_strfreev (items);
  if (!*problem)
    *foreground = ranges;
  return !*problem;
}
