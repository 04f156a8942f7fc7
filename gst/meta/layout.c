/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Describes the structures of the result arrays to languages that cannot read C headers. */
#include <contours/codes.h>
#include <contours/components.h>
#include <contours/contourlist.h>
#include <contours/shapes.h>
#include <contours/snake.h>
#include <contours/subpixel.h>
#include <gst/contours/gstcontourslayout.h>
#include <stddef.h>
#include <string.h>

typedef struct {
  const gchar *name;
  const gchar *format;
  gsize offset;
} Field;

typedef struct {
  const gchar *name;
  gsize size;
  const Field *fields; /* the last one has no name */
} Layout;

/* NumPy's names of native types: kind and size in bytes. */
#define FORMAT(value) \
  _Generic((value), uint16_t : "u2", uint32_t : "u4", uint64_t : "u8", int32_t : "i4", int64_t : "i8", double : "f8")
#define NAMED(structure, name, member)                                        \
  {                                                                           \
    name, FORMAT (((structure *) NULL)->member), offsetof (structure, member) \
  }
#define FIELD(structure, member) NAMED (structure, #member, member)
#define SUM(name, index)                                           \
  NAMED (CtrContourSums, name "_low", words[index][0]),            \
  {                                                                \
    name "_high", "i8", offsetof (CtrContourSums, words[index][1]) \
  }

static const Field component[] = {
    FIELD (CtrComponent, sum_x),
    FIELD (CtrComponent, sum_y),
    FIELD (CtrComponent, area),
    FIELD (CtrComponent, left),
    FIELD (CtrComponent, top),
    FIELD (CtrComponent, width),
    FIELD (CtrComponent, height),
    FIELD (CtrComponent, start_x),
    FIELD (CtrComponent, value),
    {0},
};

static const Field component_moments[] = {
    FIELD (CtrComponentMoments, sum_xx),
    FIELD (CtrComponentMoments, sum_xy),
    FIELD (CtrComponentMoments, sum_yy),
    {0},
};

static const Field component_grey[] = {
    FIELD (CtrComponentGrey, sum),
    FIELD (CtrComponentGrey, sum_sq),
    FIELD (CtrComponentGrey, min),
    FIELD (CtrComponentGrey, max),
    {0},
};

static const Field component_percentiles[] = {
    FIELD (CtrComponentPercentiles, p5),
    FIELD (CtrComponentPercentiles, p25),
    FIELD (CtrComponentPercentiles, median),
    FIELD (CtrComponentPercentiles, p75),
    FIELD (CtrComponentPercentiles, p95),
    {0},
};

static const Field component_contrast[] = {
    FIELD (CtrComponentContrast, ring_sum),
    FIELD (CtrComponentContrast, ring_area),
    {0},
};

static const Field component_inscribed[] = {
    FIELD (CtrComponentInscribed, radius_sq),
    FIELD (CtrComponentInscribed, x),
    FIELD (CtrComponentInscribed, y),
    {0},
};

static const Field component_skeleton[] = {
    FIELD (CtrComponentSkeleton, distance_sum),
    FIELD (CtrComponentSkeleton, straight),
    FIELD (CtrComponentSkeleton, diagonal),
    FIELD (CtrComponentSkeleton, pixels),
    {0},
};

static const Field contour[] = {
    FIELD (CtrContour, first),
    FIELD (CtrContour, area2),
    FIELD (CtrContour, length),
    FIELD (CtrContour, count),
    FIELD (CtrContour, next),
    FIELD (CtrContour, previous),
    FIELD (CtrContour, child),
    FIELD (CtrContour, parent),
    FIELD (CtrContour, flags),
    FIELD (CtrContour, level),
    FIELD (CtrContour, left),
    FIELD (CtrContour, top),
    FIELD (CtrContour, width),
    FIELD (CtrContour, height),
    FIELD (CtrContour, region),
    {0},
};

static const Field contour_chain[] = {
    FIELD (CtrContourChain, offset),
    FIELD (CtrContourChain, steps),
    NAMED (CtrContourChain, "x", first.x),
    NAMED (CtrContourChain, "y", first.y),
    {0},
};

static const Field contour_nesting[] = {
    FIELD (CtrContourNesting, depth),
    FIELD (CtrContourNesting, birth),
    FIELD (CtrContourNesting, death),
    {0},
};

static const Field point[] = {
    FIELD (CtrPoint, x),
    FIELD (CtrPoint, y),
    {0},
};

static const Field contour_sums[] = {
    SUM ("a00", 0),
    SUM ("a10", 1),
    SUM ("a01", 2),
    SUM ("a20", 3),
    SUM ("a11", 4),
    SUM ("a02", 5),
    SUM ("a30", 6),
    SUM ("a21", 7),
    SUM ("a12", 8),
    SUM ("a03", 9),
    {0},
};

static const Field contour_moments[] = {
    NAMED (CtrContourMoments, "m00", m[0]),
    NAMED (CtrContourMoments, "m10", m[1]),
    NAMED (CtrContourMoments, "m01", m[2]),
    NAMED (CtrContourMoments, "m20", m[3]),
    NAMED (CtrContourMoments, "m11", m[4]),
    NAMED (CtrContourMoments, "m02", m[5]),
    NAMED (CtrContourMoments, "m30", m[6]),
    NAMED (CtrContourMoments, "m21", m[7]),
    NAMED (CtrContourMoments, "m12", m[8]),
    NAMED (CtrContourMoments, "m03", m[9]),
    NAMED (CtrContourMoments, "mu20", mu[0]),
    NAMED (CtrContourMoments, "mu11", mu[1]),
    NAMED (CtrContourMoments, "mu02", mu[2]),
    NAMED (CtrContourMoments, "mu30", mu[3]),
    NAMED (CtrContourMoments, "mu21", mu[4]),
    NAMED (CtrContourMoments, "mu12", mu[5]),
    NAMED (CtrContourMoments, "mu03", mu[6]),
    NAMED (CtrContourMoments, "nu20", nu[0]),
    NAMED (CtrContourMoments, "nu11", nu[1]),
    NAMED (CtrContourMoments, "nu02", nu[2]),
    NAMED (CtrContourMoments, "nu30", nu[3]),
    NAMED (CtrContourMoments, "nu21", nu[4]),
    NAMED (CtrContourMoments, "nu12", nu[5]),
    NAMED (CtrContourMoments, "nu03", nu[6]),
    {0},
};

static const Field contour_shape_values[] = {
    FIELD (CtrContourShapeValues, circularity),
    FIELD (CtrContourShapeValues, touches_frame),
    FIELD (CtrContourShapeValues, hull_area),
    FIELD (CtrContourShapeValues, hull_perimeter),
    FIELD (CtrContourShapeValues, solidity),
    FIELD (CtrContourShapeValues, defect_depth),
    FIELD (CtrContourShapeValues, defect_x),
    FIELD (CtrContourShapeValues, defect_y),
    FIELD (CtrContourShapeValues, rectangle_x),
    FIELD (CtrContourShapeValues, rectangle_y),
    FIELD (CtrContourShapeValues, rectangle_width),
    FIELD (CtrContourShapeValues, rectangle_height),
    FIELD (CtrContourShapeValues, rectangle_angle),
    FIELD (CtrContourShapeValues, rectangularity),
    FIELD (CtrContourShapeValues, feret_max),
    FIELD (CtrContourShapeValues, feret_max_angle),
    FIELD (CtrContourShapeValues, feret_min),
    FIELD (CtrContourShapeValues, feret_min_angle),
    FIELD (CtrContourShapeValues, circle_x),
    FIELD (CtrContourShapeValues, circle_y),
    FIELD (CtrContourShapeValues, circle_radius),
    FIELD (CtrContourShapeValues, distance_mean),
    FIELD (CtrContourShapeValues, distance_deviation),
    FIELD (CtrContourShapeValues, distance_max),
    FIELD (CtrContourShapeValues, roundness),
    FIELD (CtrContourShapeValues, radial_circularity),
    FIELD (CtrContourShapeValues, hole_area),
    FIELD (CtrContourShapeValues, holes),
    FIELD (CtrContourShapeValues, euler_number),
    FIELD (CtrContourShapeValues, major),
    FIELD (CtrContourShapeValues, minor),
    FIELD (CtrContourShapeValues, anisometry),
    FIELD (CtrContourShapeValues, bulkiness),
    FIELD (CtrContourShapeValues, structure_factor),
    NAMED (CtrContourShapeValues, "hu1", hu[0]),
    NAMED (CtrContourShapeValues, "hu2", hu[1]),
    NAMED (CtrContourShapeValues, "hu3", hu[2]),
    NAMED (CtrContourShapeValues, "hu4", hu[3]),
    NAMED (CtrContourShapeValues, "hu5", hu[4]),
    NAMED (CtrContourShapeValues, "hu6", hu[5]),
    NAMED (CtrContourShapeValues, "hu7", hu[6]),
    FIELD (CtrContourShapeValues, compactness),
    FIELD (CtrContourShapeValues, feret_extent),
    FIELD (CtrContourShapeValues, line_x),
    FIELD (CtrContourShapeValues, line_y),
    FIELD (CtrContourShapeValues, line_angle),
    FIELD (CtrContourShapeValues, line_deviation),
    FIELD (CtrContourShapeValues, fit_circle_x),
    FIELD (CtrContourShapeValues, fit_circle_y),
    FIELD (CtrContourShapeValues, fit_circle_radius),
    FIELD (CtrContourShapeValues, fit_circle_deviation),
    FIELD (CtrContourShapeValues, ellipse_x),
    FIELD (CtrContourShapeValues, ellipse_y),
    FIELD (CtrContourShapeValues, ellipse_major),
    FIELD (CtrContourShapeValues, ellipse_minor),
    FIELD (CtrContourShapeValues, ellipse_angle),
    {0},
};

static const Field snake_region[] = {
    FIELD (CtrSnakeRegion, object),
    FIELD (CtrSnakeRegion, flags),
    FIELD (CtrSnakeRegion, iterations),
    FIELD (CtrSnakeRegion, inside_count),
    FIELD (CtrSnakeRegion, inside_sum),
    FIELD (CtrSnakeRegion, inside_sum2),
    FIELD (CtrSnakeRegion, outside_count),
    FIELD (CtrSnakeRegion, outside_sum),
    FIELD (CtrSnakeRegion, outside_sum2),
    FIELD (CtrSnakeRegion, criterion),
    FIELD (CtrSnakeRegion, gain),
    {0},
};

static const Field snake_state[] = {
    FIELD (CtrSnakeState, first),
    FIELD (CtrSnakeState, count),
    FIELD (CtrSnakeState, row),
    FIELD (CtrSnakeState, kind),
    FIELD (CtrSnakeState, iteration),
    FIELD (CtrSnakeState, step),
    FIELD (CtrSnakeState, inside_count),
    FIELD (CtrSnakeState, criterion),
    {0},
};

static const Field subpixel_point[] = {
    FIELD (CtrSubpixelPoint, x),
    FIELD (CtrSubpixelPoint, y),
    FIELD (CtrSubpixelPoint, strength),
    FIELD (CtrSubpixelPoint, normal),
    FIELD (CtrSubpixelPoint, flags),
    {0},
};

static const Layout layouts[] = {
    {"CtrComponent", sizeof (CtrComponent), component},
    {"CtrComponentContrast", sizeof (CtrComponentContrast), component_contrast},
    {"CtrComponentGrey", sizeof (CtrComponentGrey), component_grey},
    {"CtrComponentInscribed", sizeof (CtrComponentInscribed), component_inscribed},
    {"CtrComponentMoments", sizeof (CtrComponentMoments), component_moments},
    {"CtrComponentPercentiles", sizeof (CtrComponentPercentiles), component_percentiles},
    {"CtrComponentSkeleton", sizeof (CtrComponentSkeleton), component_skeleton},
    {"CtrContour", sizeof (CtrContour), contour},
    {"CtrContourChain", sizeof (CtrContourChain), contour_chain},
    {"CtrContourMoments", sizeof (CtrContourMoments), contour_moments},
    {"CtrContourNesting", sizeof (CtrContourNesting), contour_nesting},
    {"CtrContourShapeValues", sizeof (CtrContourShapeValues), contour_shape_values},
    {"CtrContourSums", sizeof (CtrContourSums), contour_sums},
    {"CtrPoint", sizeof (CtrPoint), point},
    {"CtrSnakeRegion", sizeof (CtrSnakeRegion), snake_region},
    {"CtrSnakeState", sizeof (CtrSnakeState), snake_state},
    {"CtrSubpixelPoint", sizeof (CtrSubpixelPoint), subpixel_point},
};

static gchar *
describe (const Layout *layout)
{
  GString *names = g_string_new (NULL), *formats = g_string_new (NULL), *offsets = g_string_new (NULL);
  for (const Field *field = layout->fields; field->name; field++) {
    const gchar *separator = field == layout->fields ? "" : ", ";
    g_string_append_printf (names, "%s\"%s\"", separator, field->name);
    g_string_append_printf (formats, "%s\"%s\"", separator, field->format);
    g_string_append_printf (offsets, "%s%" G_GSIZE_FORMAT, separator, field->offset);
  }
  gchar *text =
      g_strdup_printf ("{\"names\": [%s], \"formats\": [%s], \"offsets\": [%s], \"itemsize\": %" G_GSIZE_FORMAT "}",
          names->str, formats->str, offsets->str, layout->size);
  g_string_free (names, TRUE);
  g_string_free (formats, TRUE);
  g_string_free (offsets, TRUE);
  return text;
}

/**
 * gst_contours_get_layout:
 * @structure: name of a structure: `CtrComponent`, `CtrComponentContrast`, `CtrComponentGrey`, `CtrComponentInscribed`, `CtrComponentMoments`,
 *     `CtrComponentPercentiles`, `CtrComponentSkeleton`, `CtrContour`, `CtrContourChain`, `CtrContourMoments`, `CtrContourNesting`, `CtrContourShapeValues`, `CtrContourSums`, `CtrPoint`,
 *     `CtrSnakeRegion`, `CtrSnakeState` or `CtrSubpixelPoint`
 *
 * Describes how the elements of a result array lie in memory, for languages that cannot read the C declaration. The
 * description is a JSON object with the arrays `names`, `formats` and `offsets`, which have one item per field, and
 * the number `itemsize`, the size of an element in bytes. A format is the kind and the size in bytes of a native
 * number, as NumPy writes it: `"u2"` is an unsigned integer of two bytes, `"i"` stands for signed integers and `"f"`
 * for floating point. Reserved fields are left out. In NumPy:
 *
 * ```python
 * numpy.dtype(json.loads(GstContours.get_layout("CtrContour")))
 * ```
 *
 * Each sum of `CtrContourSums` is a 128-bit integer, in two fields: `a00` is `a00_high * 2**64 + a00_low`.
 *
 * Returns: (transfer full) (nullable): the description, %NULL if there is no such structure; free it with g_free()
 *
 * Since: 0.1
 */
gchar *
gst_contours_get_layout (const gchar *structure)
{
  g_return_val_if_fail (structure != NULL, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (layouts); i++)
    if (strcmp (layouts[i].name, structure) == 0)
      return describe (&layouts[i]);
  return NULL;
}
