/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/overlay/mapping.h"

#include <math.h>

static gboolean
to_fixed (gdouble value, gdouble limit, gint64 *fixed)
{
  value *= CTR_PAINT_ONE;
  if (!(fabs (value) < limit))
    return FALSE;
  *fixed = llrint (value);
  return TRUE;
}

gboolean
overlay_mapping_to_paint (const GstContoursMapping *mapping, CtrPaintMapping *paint)
{
  const gdouble factor = (gdouble) (G_GINT64_CONSTANT (1) << 41) - 1, shift = (gdouble) (G_GINT64_CONSTANT (1) << 54);

  return to_fixed (mapping->xx, factor, &paint->xx) && to_fixed (mapping->xy, factor, &paint->xy)
         && to_fixed (mapping->x0, shift, &paint->x0) && to_fixed (mapping->yx, factor, &paint->yx)
         && to_fixed (mapping->yy, factor, &paint->yy) && to_fixed (mapping->y0, shift, &paint->y0);
}

gdouble
overlay_mapping_area_scale (const GstContoursMapping *m)
{
  return fabs (m->xx * m->yy - m->xy * m->yx);
}

guint64
overlay_mapping_min_area2 (const GstContoursMapping *mapping, gdouble area)
{
  const gdouble min_area2 = ceil (2 * area / overlay_mapping_area_scale (mapping));

  return min_area2 < (gdouble) G_MAXINT64 ? (guint64) min_area2 : G_MAXINT64;
}

guint32
overlay_mapping_min_pixels (const GstContoursMapping *mapping, gdouble area)
{
  const gdouble scale = overlay_mapping_area_scale (mapping);
  gdouble pixels = ceil (area / scale);

  /* The quotient is rounded, the product of a component's pixels decides. */
  if ((pixels - 1) * scale >= area)
    pixels--;
  else if (pixels * scale < area)
    pixels++;
  return pixels < G_MAXUINT32 ? (guint32) MAX (pixels, 0) : G_MAXUINT32;
}
