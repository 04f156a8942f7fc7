/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fills the structures of the result arrays field by field, as C does, for test_python.py to read. */
#include "layouts.h"

#include <contours/codes.h>
#include <contours/components.h>
#include <contours/contourlist.h>
#include <contours/shapes.h>
#include <contours/snake.h>
#include <contours/subpixel.h>

/* Gives a field the next number, and appends its name to those before. */
#define SET_AS(name, member)           \
  G_STMT_START                         \
  {                                    \
    to->member = ++number;             \
    g_string_append (names, name " "); \
  }                                    \
  G_STMT_END
#define SET(member) SET_AS (#member, member)

static gsize
fill_component (CtrComponent *to, GString *names)
{
  gint number = 0;
  SET (sum_x);
  SET (sum_y);
  SET (area);
  SET (left);
  SET (top);
  SET (width);
  SET (height);
  SET (start_x);
  SET (value);
  return 0;
}

static gsize
fill_component_moments (CtrComponentMoments *to, GString *names)
{
  gint number = 0;
  SET (sum_xx);
  SET (sum_xy);
  SET (sum_yy);
  return 0;
}

static gsize
fill_component_grey (CtrComponentGrey *to, GString *names)
{
  gint number = 0;
  SET (sum);
  SET (sum_sq);
  SET (min);
  SET (max);
  return sizeof to->reserved;
}

static gsize
fill_contour (CtrContour *to, GString *names)
{
  gint number = 0;
  SET (first);
  SET (area2);
  SET (length);
  SET (count);
  SET (next);
  SET (previous);
  SET (child);
  SET (parent);
  SET (flags);
  SET (level);
  SET (left);
  SET (top);
  SET (width);
  SET (height);
  SET (region);
  return 0;
}

static gsize
fill_chain (CtrContourChain *to, GString *names)
{
  gint number = 0;
  SET (offset);
  SET (steps);
  SET_AS ("x", first.x);
  SET_AS ("y", first.y);
  return 0;
}

static gsize
fill_point (CtrPoint *to, GString *names)
{
  gint number = 0;
  SET (x);
  SET (y);
  return 0;
}

static gsize
fill_sums (CtrContourSums *to, GString *names)
{
  static const gchar *const sums[] = {"a00", "a10", "a01", "a20", "a11", "a02", "a30", "a21", "a12", "a03"};
  for (guint i = 0; i < G_N_ELEMENTS (sums); i++) {
    to->words[i][0] = 2 * i + 1;
    to->words[i][1] = 2 * i + 2;
    g_string_append_printf (names, "%s_low %s_high ", sums[i], sums[i]);
  }
  return 0;
}

static gsize
fill_moments (CtrContourMoments *to, GString *names)
{
  gint number = 0;
  for (guint i = 0; i < G_N_ELEMENTS (to->m); i++)
    to->m[i] = ++number;
  for (guint i = 0; i < G_N_ELEMENTS (to->mu); i++)
    to->mu[i] = ++number;
  for (guint i = 0; i < G_N_ELEMENTS (to->nu); i++)
    to->nu[i] = ++number;
  g_string_append (names, "m00 m10 m01 m20 m11 m02 m30 m21 m12 m03 mu20 mu11 mu02 mu30 mu21 mu12 mu03 "
                          "nu20 nu11 nu02 nu30 nu21 nu12 nu03 ");
  return 0;
}

static gsize
fill_region (CtrSnakeRegion *to, GString *names)
{
  gint number = 0;
  SET (object);
  SET (flags);
  SET (iterations);
  SET (inside_count);
  SET (inside_sum);
  SET (inside_sum2);
  SET (outside_count);
  SET (outside_sum);
  SET (outside_sum2);
  SET (criterion);
  SET (gain);
  return sizeof to->reserved;
}

static gsize
fill_nesting (CtrContourNesting *to, GString *names)
{
  gint number = 0;
  SET (depth);
  SET (birth);
  SET (death);
  return 0;
}

static gsize
fill_shape (CtrContourShapeValues *to, GString *names)
{
  gint number = 0;
  SET (circularity);
  SET (touches_frame);
  SET (hull_area);
  SET (hull_perimeter);
  SET (solidity);
  SET (defect_depth);
  SET (defect_x);
  SET (defect_y);
  SET (rectangle_x);
  SET (rectangle_y);
  SET (rectangle_width);
  SET (rectangle_height);
  SET (rectangle_angle);
  SET (rectangularity);
  SET (feret_max);
  SET (feret_max_angle);
  SET (feret_min);
  SET (feret_min_angle);
  SET (circle_x);
  SET (circle_y);
  SET (circle_radius);
  SET (distance_mean);
  SET (distance_deviation);
  SET (distance_max);
  SET (roundness);
  SET (radial_circularity);
  SET (hole_area);
  SET (holes);
  SET (euler_number);
  SET (major);
  SET (minor);
  SET (anisometry);
  SET (bulkiness);
  SET (structure_factor);
  for (guint i = 0; i < G_N_ELEMENTS (to->hu); i++)
    to->hu[i] = ++number;
  g_string_append (names, "hu1 hu2 hu3 hu4 hu5 hu6 hu7 ");
  SET (compactness);
  SET (feret_extent);
  SET (line_x);
  SET (line_y);
  SET (line_angle);
  SET (line_deviation);
  SET (fit_circle_x);
  SET (fit_circle_y);
  SET (fit_circle_radius);
  SET (fit_circle_deviation);
  SET (ellipse_x);
  SET (ellipse_y);
  SET (ellipse_major);
  SET (ellipse_minor);
  SET (ellipse_angle);
  return sizeof to->reserved;
}

static gsize
fill_subpixel (CtrSubpixelPoint *to, GString *names)
{
  gint number = 0;
  SET (x);
  SET (y);
  SET (strength);
  SET (normal);
  SET (flags);
  return 0;
}

#define STRUCTURE(type, fill)                                 \
  {                                                           \
#type, sizeof(type), (gsize(*)(gpointer, GString *)) fill \
  }

static const struct {
  const gchar *name;
  gsize size;
  gsize (*fill) (gpointer structure, GString *names);
} structures[] = {
    STRUCTURE (CtrComponent, fill_component),
    STRUCTURE (CtrComponentGrey, fill_component_grey),
    STRUCTURE (CtrComponentMoments, fill_component_moments),
    STRUCTURE (CtrContour, fill_contour),
    STRUCTURE (CtrContourChain, fill_chain),
    STRUCTURE (CtrContourMoments, fill_moments),
    STRUCTURE (CtrContourNesting, fill_nesting),
    STRUCTURE (CtrContourShapeValues, fill_shape),
    STRUCTURE (CtrContourSums, fill_sums),
    STRUCTURE (CtrPoint, fill_point),
    STRUCTURE (CtrSnakeRegion, fill_region),
    STRUCTURE (CtrSubpixelPoint, fill_subpixel),
};

gboolean
layouts_fill (guint index, LayoutsFilled *filled)
{
  if (index >= G_N_ELEMENTS (structures))
    return FALSE;
  GString *names = g_string_new (NULL);
  filled->structure = structures[index].name;
  filled->size = structures[index].size;
  filled->memory = g_malloc0 (filled->size);
  filled->reserved = structures[index].fill (filled->memory, names);
  filled->names = g_string_free (names, FALSE);
  return TRUE;
}

void
layouts_clear (LayoutsFilled *filled)
{
  g_free (filled->memory);
  g_free (filled->names);
}
