/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/stripmode.h"

#include <gst/gst.h>

#define MAX_OPEN_ROWS 65534 /* with one row for the strip, all rows have 16 bits */

void
strip_mode_install_properties (GObjectClass *klass, guint enabled_id, guint max_open_rows_id)
{
  static const StripMode defaults = STRIP_MODE_DEFAULT;
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  /* strip-mode: Frames are strips of one endless picture, the web: the first row of a frame continues below the last row
   * of the frame before. What reaches the end of a strip goes on in the next one and is reported once, with the strip
   * in which it is known to be complete. */
  g_object_class_install_property (klass, enabled_id,
      g_param_spec_boolean ("strip-mode", "Strip mode",
          "Frames are strips of one endless picture; what crosses their seams is reported once, when it is complete",
          defaults.enabled, flags));

  /* max-open-rows: How many rows above the end of a strip something that is not complete may begin. What begins further
   * up is reported as it is, with a flag, and goes on as something new. The bound and the height of a strip are at most
   * 65535 rows together. */
  g_object_class_install_property (klass, max_open_rows_id,
      g_param_spec_uint ("max-open-rows", "Maximum open rows",
          "Rows above the end of a strip in which something open may begin; beyond, it is reported unfinished "
          "(strip-mode=true)",
          1, MAX_OPEN_ROWS, defaults.max_open_rows, flags));
}
