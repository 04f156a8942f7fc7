/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "storm.h"

#include <gst/video/video.h>

static const gchar *const supported[] = {"NV12", "NV21", "I420", "YV12", "Y42B", "Y444", "P010_10LE", "P016_LE",
    "I420_10LE", "I422_10LE", "I422_12LE", "Y444_16LE", "P012_LE", "I420_12LE", "Y444_10LE", "Y444_12LE", "NV16",
    "NV61", "NV24", "Y41B", "YUY2", "UYVY", "YVYU", "VYUY", "RGB", "BGR", "RGBx", "BGRx", "RGBA", "BGRA", "ARGB",
    "ABGR", "GRAY8", "GRAY8", "GRAY8", "GRAY16_LE"};

/* Those that converters take in all even sizes. Some of their code for packed YUV of odd widths writes behind its frames. */
static const gchar *const tame[] = {"NV12", "I420", "RGB", "RGBA", "BGRx", "GRAY8"};

static const gchar *
random_format (const Storm *storm, StormRandom *random, gboolean first)
{
  guint n;
  const GstVideoFormat *all = gst_video_formats_raw (&n);

  if (storm->trusts_frames)
    return tame[storm_below (random, G_N_ELEMENTS (tame))];

  if (first || storm_chance (random, 85))
    return supported[storm_below (random, G_N_ELEMENTS (supported))];
  return gst_video_format_to_string (all[storm_below (random, n)]);
}

/* Mostly small frames, so that there are many of them; some are as long as frames may be. */
static void
random_size (const Storm *storm, StormRandom *random, gint *width, gint *height)
{
  if (storm->trusts_frames) {
    *width = 8 + 4 * storm_below (random, 40);
    *height = 8 + 4 * storm_below (random, 30);
    return;
  }
  *width = storm_between (random, 1, 160);
  *height = storm_between (random, 1, 120);
  if (storm_chance (random, 4))
    *width = storm_between (random, 160, 1024);
  if (storm_chance (random, 3)) {
    *width = storm_chance (random, 50) ? 1 + storm_below (random, 4) : 1 + storm_below (random, 65536);
    *height = *width > 4 ? 1 + storm_below (random, 4) : 1 + storm_below (random, 65536);
  }
}

GstCaps *
storm_caps (const Storm *storm, StormRandom *random, gboolean first)
{
  static const gint rates[][2] = {{25, 1}, {0, 1}, {30000, 1001}, {1000, 1}, {1, 60}, {G_MAXINT, 1}, {1, G_MAXINT}};
  static const gchar *const colorimetries[] = {"bt601", "bt709", "sRGB", "bt2020", "1:4:7:1", "2:3:0:0"};
  static const gchar *const modes[] = {"interleaved", "mixed", "fields", "progressive"};
  const guint rate = storm_below (random, G_N_ELEMENTS (rates));
  GstCaps *caps;
  gint width, height;

  random_size (storm, random, &width, &height);
  caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, random_format (storm, random, first), "width",
      G_TYPE_INT, width, "height", G_TYPE_INT, height, "framerate", GST_TYPE_FRACTION, rates[rate][0], rates[rate][1],
      NULL);
  if (storm_chance (random, 20))
    gst_caps_set_simple (
        caps, "colorimetry", G_TYPE_STRING, colorimetries[storm_below (random, G_N_ELEMENTS (colorimetries))], NULL);
  if (storm_chance (random, 10))
    gst_caps_set_simple (
        caps, "interlace-mode", G_TYPE_STRING, modes[storm_below (random, G_N_ELEMENTS (modes))], NULL);
  else if (!first && !storm->trusts_frames && storm_chance (random, 2)) {
    gst_caps_set_simple (caps, "interlace-mode", G_TYPE_STRING, "alternate", NULL);
    gst_caps_set_features_simple (caps, gst_caps_features_new_single (GST_CAPS_FEATURE_FORMAT_INTERLACED));
  }
  if (storm_chance (random, 10))
    gst_caps_set_simple (caps, "pixel-aspect-ratio", GST_TYPE_FRACTION, 1 + (gint) storm_below (random, 40),
        1 + (gint) storm_below (random, 40), NULL);
  if (!first && !storm->trusts_frames && storm_chance (random, 3))
    gst_structure_remove_field (gst_caps_get_structure (caps, 0), storm_chance (random, 50) ? "framerate" : "format");
  if (storm_in_cuda_memory ())
    storm_make_cuda_caps (random, caps);
  return caps;
}
