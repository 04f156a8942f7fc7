/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef __GST_CONTOURS_CONTOUR_META_H__
#define __GST_CONTOURS_CONTOUR_META_H__

#include <gst/gst.h>
#include <contours/codes.h>
#include <contours/contourlist.h>
#include <gst/contours/gstcontoursmapping.h>
#include <gst/contours/gstcontoursresult.h>

G_BEGIN_DECLS

/**
 * GstContoursContourFeatures:
 * @GST_CONTOURS_CONTOUR_FEATURE_NONE: no optional measurement
 * @GST_CONTOURS_CONTOUR_FEATURE_MOMENTS: moments of the area inside, and its centroid
 * @GST_CONTOURS_CONTOUR_FEATURE_HULL: area and perimeter of the convex hull, solidity
 * @GST_CONTOURS_CONTOUR_FEATURE_DEFECT: the deepest convexity defect
 * @GST_CONTOURS_CONTOUR_FEATURE_RECTANGLE: the rectangle of least area around the contour
 * @GST_CONTOURS_CONTOUR_FEATURE_FERET: the greatest and the least Feret diameter
 * @GST_CONTOURS_CONTOUR_FEATURE_CIRCLE: the smallest circle around the contour
 * @GST_CONTOURS_CONTOUR_FEATURE_DISTANCES: distances of the contour's pixels from the centroid
 * @GST_CONTOURS_CONTOUR_FEATURE_HOLES: number and area of the holes inside an outer border
 * @GST_CONTOURS_CONTOUR_FEATURE_FITS: line, circle and ellipse that fit the contour's pixels best
 *
 * Optional measurements. Points, hierarchy, area, perimeter and bounding box are always computed. `cudaborders` has all of
 * them, other elements have moments only. #GstContoursShape has the results of all but moments.
 *
 * Since: 0.1
 */
typedef enum {
  GST_CONTOURS_CONTOUR_FEATURE_NONE = 0,
  GST_CONTOURS_CONTOUR_FEATURE_MOMENTS = 1 << 0,
  GST_CONTOURS_CONTOUR_FEATURE_HULL = 1 << 4,
  GST_CONTOURS_CONTOUR_FEATURE_DEFECT = 1 << 5,
  GST_CONTOURS_CONTOUR_FEATURE_RECTANGLE = 1 << 6,
  GST_CONTOURS_CONTOUR_FEATURE_FERET = 1 << 7,
  GST_CONTOURS_CONTOUR_FEATURE_CIRCLE = 1 << 8,
  GST_CONTOURS_CONTOUR_FEATURE_DISTANCES = 1 << 9,
  GST_CONTOURS_CONTOUR_FEATURE_HOLES = 1 << 10,
  GST_CONTOURS_CONTOUR_FEATURE_FITS = 1 << 11
} GstContoursContourFeatures;

#define GST_TYPE_CONTOURS_CONTOUR_FEATURES (gst_contours_contour_features_get_type ())

GST_CONTOURS_API
GType gst_contours_contour_features_get_type (void);

/**
 * GstContoursContourCoordinates:
 * @GST_CONTOURS_CONTOUR_COORDINATES_PIXELS: points are pixels of the contour; whole numbers are pixel centres
 * @GST_CONTOURS_CONTOUR_COORDINATES_CORNERS: points are corners between pixels; whole numbers are the edges between
 *     pixels, and the upper left corner of a pixel has the coordinates of the pixel
 *
 * What the coordinates of contour points mean.
 *
 * Since: 0.1
 */
typedef enum {
  GST_CONTOURS_CONTOUR_COORDINATES_PIXELS,
  GST_CONTOURS_CONTOUR_COORDINATES_CORNERS
} GstContoursContourCoordinates;

#define GST_TYPE_CONTOURS_CONTOUR_COORDINATES (gst_contours_contour_coordinates_get_type ())

GST_CONTOURS_API
GType gst_contours_contour_coordinates_get_type (void);

/**
 * GstContoursContour:
 * @id: index of the contour, from 0; @parent, @next, @previous and @child are such indices
 * @count: number of points, at least 1
 * @first: index of the first point among the points of all contours
 * @hole: whether the line runs around a hole of the foreground, not around its outside
 * @level: index of the level that the line belongs to; 0 for a binary image
 * @parent: contour around this one, or -1
 * @next: next contour of the same parent, or -1
 * @previous: previous contour of the same parent, or -1
 * @child: first contour inside this one, or -1
 * @area: area inside the line, not negative, in pixels of the frame: that of the analysed image times the scaling of
 *     both axes; 0 of an open line
 * @perimeter: length of the line, from the last point to the first one, too, unless it is open. If both axes are scaled alike, it is the length in the analysed image times
 * the scaling, or else the length of the line through the transformed points
 * @x: left edge of the bounding box
 * @y: top edge of the bounding box
 * @w: width of the bounding box
 * @h: height of the bounding box
 * @cx: x of the centroid of the area inside the line, in the coordinates of the points; NaN without
 *     %GST_CONTOURS_CONTOUR_FEATURE_MOMENTS, or if the area is 0
 * @cy: y of the centroid
 * @web_row: topmost row of the contour in the endless picture that the frame is a strip of; otherwise its row in the
 *     analysed image
 * @unfinished: whether the contour, of such a strip, was open for so long that it was reported before it was closed; it
 *     goes on as another contour
 * @region_number: number of its region (region-source), from 0; 0 without regions. #GstContoursRegion is another thing: a side
 *     of a snake's line
 * @open: whether the line ends with its last point: an open chain of edge pixels, or an unfinished contour
 * @start_junction: whether the first point of an open chain is a junction, at which other chains end, too; otherwise it is a
 *     free end
 * @end_junction: likewise for the last point
 *
 * One contour, in pixels of the frame that carries the metadata. Unless it is @open, it is a closed line: its last
 * point is followed by its first. If the frame is as large as the analysed image, these are exactly the numbers of the analysis. In a scaled
 * frame a pixel centre x becomes (x + 0.5) * new / old - 0.5, box edges and corners become x * new / old. After
 * cropping (GStreamer 1.28) a contour may lie outside the frame: it is not clipped.
 *
 * The bounding box of %GST_CONTOURS_CONTOUR_COORDINATES_PIXELS encloses whole pixels: @w and @h are at least one pixel.
 * That of %GST_CONTOURS_CONTOUR_COORDINATES_CORNERS encloses the line.
 *
 * If the analysis simplified the line by a tolerance, @area, @perimeter, bounding box and centroid are those of the
 * original line, except that a perimeter in a frame whose axes were scaled differently is that of the simplified line.
 *
 * Since: 0.1
 */
typedef struct _GstContoursContour GstContoursContour;

struct _GstContoursContour {
  guint id;
  guint count;
  guint64 first;
  gboolean hole;
  guint level;
  gint parent;
  gint next;
  gint previous;
  gint child;
  gdouble area;
  gdouble perimeter;
  gdouble x;
  gdouble y;
  gdouble w;
  gdouble h;
  gdouble cx;
  gdouble cy;
  guint64 web_row;
  gboolean unfinished;
  guint region_number;
  gboolean open;
  gboolean start_junction;
  gboolean end_junction;
};

#define GST_TYPE_CONTOURS_CONTOUR (gst_contours_contour_get_type ())

GST_CONTOURS_API
GType gst_contours_contour_get_type (void);

/**
 * GstContoursRegion:
 * @object: index of the outlined object, from 0, among those that the element searched for in the frame
 * @converged: whether the search converged before it reached the limit of iterations
 * @restarted: whether the given start, such as the outline in the previous frame, lost the target, and a search without
 *     it found this outline
 * @iterations: number of steps of the search
 * @inside_count: number of pixels inside the line
 * @inside_mean: mean of the samples inside
 * @inside_variance: population variance of the samples inside
 * @outside_count: number of pixels of the window outside the line
 * @outside_mean: mean of the samples outside
 * @outside_variance: population variance of the samples outside
 * @criterion: negative log-likelihood of both regions, in nats and without constant terms; the lower, the better
 * @gain: reduction of the description length of the window by the line, in nats; above 0
 *
 * The two regions that a contour separates: the target inside, and the rest of its search window. All numbers refer to
 * the analysed image; scaling the frame does not change them.
 *
 * Since: 0.1
 */
typedef struct _GstContoursRegion GstContoursRegion;

struct _GstContoursRegion {
  guint object;
  gboolean converged;
  gboolean restarted;
  guint iterations;
  guint64 inside_count;
  gdouble inside_mean;
  gdouble inside_variance;
  guint64 outside_count;
  gdouble outside_mean;
  gdouble outside_variance;
  gdouble criterion;
  gdouble gain;
};

#define GST_TYPE_CONTOURS_REGION (gst_contours_region_get_type ())

GST_CONTOURS_API
GType gst_contours_region_get_type (void);

/**
 * GstContoursNesting:
 * @depth: number of contours around this one in the tree of all levels; 0 without a parent
 * @birth: lowest level of its branch, in sample units
 * @death: highest level of its branch; the persistence is @death - @birth
 *
 * The place of a contour in the tree of all levels, which `cudacrackcontour` finds with `hierarchy=levels`. A branch is
 * a component or a hole at successive levels. The tree and its branches are those of all contours of the image, before
 * limits such as `min-persistence` drop some. Scaling the frame does not change the numbers.
 *
 * Since: 0.1
 */
typedef struct _GstContoursNesting GstContoursNesting;

struct _GstContoursNesting {
  guint depth;
  guint birth;
  guint death;
};

#define GST_TYPE_CONTOURS_NESTING (gst_contours_nesting_get_type ())

GST_CONTOURS_API
GType gst_contours_nesting_get_type (void);

/**
 * GstContoursContourMeta:
 * @meta: parent #GstMeta
 *
 * The contours of a video frame. The result is immutable, and all copies of the buffer share it. The metadata
 * belongs to its buffer and is valid as long as the buffer.
 *
 * `cudaborders`, `cudacrackcontour` and `cudasnake` attach it, and `cudacanny` with `contours=true`. The GPU may still be working on the result when the buffer
 * arrives: the first getter that needs a number waits for it. The arrays stay on the GPU until a getter needs them.
 * Attaching, copying and transforming the metadata neither waits nor fetches. The first getter that needs an array
 * fetches it, once for all buffers that share the result, in any thread. If analysis or fetching fails, getters return
 * %FALSE, %NULL or 0 and log a warning; gst_contours_contour_meta_fetch() waits for the analysis, fetches all arrays and
 * returns the reason of a failure.
 *
 * On the way downstream:
 *
 * - A copy of the whole buffer shares the result. A copy of a part of the buffer's bytes has no metadata.
 * - Scaling the frame transforms all positions. If the display aspect ratio changes by more than the rounding of one
 *   pixel, the scaler may have added borders, and GStreamer before 1.28 does not say where: the metadata is dropped.
 * - Since GStreamer 1.28, cropping, borders, mirroring and quarter turns transform positions, too. Before, elements
 * that do this drop the metadata.
 * - Every other transformation drops the metadata.
 *
 * Since: 0.1
 */
typedef struct _GstContoursContourMeta GstContoursContourMeta;

struct _GstContoursContourMeta {
  GstMeta meta;
};

#define GST_CONTOURS_CONTOUR_META_API_TYPE (gst_contours_contour_meta_api_get_type ())
#define GST_CONTOURS_CONTOUR_META_INFO (gst_contours_contour_meta_get_info ())

GST_CONTOURS_API
GType gst_contours_contour_meta_api_get_type (void);

GST_CONTOURS_API
const GstMetaInfo *gst_contours_contour_meta_get_info (void);

GST_CONTOURS_API
GstContoursContourMeta *gst_buffer_add_contours_contour_meta (
    GstBuffer *buffer, CtrContours *contours, const gchar *source);

GST_CONTOURS_API
GstContoursContourMeta *gst_buffer_get_contours_contour_meta (GstBuffer *buffer);

GST_CONTOURS_API
GstContoursContourMeta *gst_buffer_get_contours_contour_meta_by_source (GstBuffer *buffer, const gchar *source);

GST_CONTOURS_API
GstContoursContourMeta *gst_buffer_iterate_contours_contour_meta (GstBuffer *buffer, gpointer *state);

GST_CONTOURS_API
GList *gst_buffer_get_contours_contour_metas (GstBuffer *buffer);

GST_CONTOURS_API
CtrContours *gst_contours_contour_meta_peek_contours (GstContoursContourMeta *meta);

GST_CONTOURS_API
CtrContours *gst_contours_contour_meta_peek_pending_contours (GstContoursContourMeta *meta);

GST_CONTOURS_API
gboolean gst_contours_contour_meta_fetch (GstContoursContourMeta *meta, GError **error);

GST_CONTOURS_API
const gchar *gst_contours_contour_meta_get_source (GstContoursContourMeta *meta);

GST_CONTOURS_API
GstContoursResultFlags gst_contours_contour_meta_get_flags (GstContoursContourMeta *meta);

GST_CONTOURS_API
void gst_contours_contour_meta_add_flags (GstContoursContourMeta *meta, GstContoursResultFlags flags);

GST_CONTOURS_API
void gst_contours_contour_meta_guard_memory (GstContoursContourMeta *meta);

GST_CONTOURS_API
void gst_contours_contour_meta_add_class (GstContoursContourMeta *meta, guint level, const gchar *name);

GST_CONTOURS_API
const gchar *gst_contours_contour_meta_get_class_name (GstContoursContourMeta *meta, guint level);

GST_CONTOURS_API
void gst_contours_contour_meta_place_strip (GstContoursContourMeta *meta, guint y, guint height);

GST_CONTOURS_API
void gst_contours_contour_meta_set_mapping (GstContoursContourMeta *meta, const GstContoursMapping *mapping);

GST_CONTOURS_API
guint64 gst_contours_contour_meta_get_origin_row (GstContoursContourMeta *meta);

GST_CONTOURS_API
guint64 gst_contours_contour_meta_get_first_row (GstContoursContourMeta *meta);

GST_CONTOURS_API
guint64 gst_contours_contour_meta_get_needed (GstContoursContourMeta *meta);

GST_CONTOURS_API
guint gst_contours_contour_meta_get_count (GstContoursContourMeta *meta);

GST_CONTOURS_API
guint64 gst_contours_contour_meta_get_point_count (GstContoursContourMeta *meta);

GST_CONTOURS_API
guint gst_contours_contour_meta_get_region_count (GstContoursContourMeta *meta);

GST_CONTOURS_API
guint gst_contours_contour_meta_get_threshold (GstContoursContourMeta *meta);

GST_CONTOURS_API
GstContoursContourCoordinates gst_contours_contour_meta_get_coordinates (GstContoursContourMeta *meta);

GST_CONTOURS_API
guint gst_contours_contour_meta_get_connectivity (GstContoursContourMeta *meta);

GST_CONTOURS_API
GstContoursContourFeatures gst_contours_contour_meta_get_features (GstContoursContourMeta *meta);

GST_CONTOURS_API
void gst_contours_contour_meta_get_reference_size (GstContoursContourMeta *meta, guint *width, guint *height);

GST_CONTOURS_API
void gst_contours_contour_meta_get_size (GstContoursContourMeta *meta, guint *width, guint *height);

GST_CONTOURS_API
const GstContoursMapping *gst_contours_contour_meta_get_mapping (GstContoursContourMeta *meta);

GST_CONTOURS_API
gboolean gst_contours_contour_meta_get_contour (GstContoursContourMeta *meta, guint index, GstContoursContour *contour);

GST_CONTOURS_API
GList *gst_contours_contour_meta_get_contours (GstContoursContourMeta *meta);

GST_CONTOURS_API
gboolean gst_contours_contour_meta_has_edge_chains (GstContoursContourMeta *meta);

GST_CONTOURS_API
gboolean gst_contours_contour_meta_has_regions (GstContoursContourMeta *meta);

GST_CONTOURS_API
gboolean gst_contours_contour_meta_get_region (GstContoursContourMeta *meta, guint index, GstContoursRegion *region);

GST_CONTOURS_API
GList *gst_contours_contour_meta_get_regions (GstContoursContourMeta *meta);

GST_CONTOURS_API
gboolean gst_contours_contour_meta_has_nesting (GstContoursContourMeta *meta);

GST_CONTOURS_API
gboolean gst_contours_contour_meta_get_nesting (GstContoursContourMeta *meta, guint index, GstContoursNesting *nesting);

GST_CONTOURS_API
GList *gst_contours_contour_meta_get_nestings (GstContoursContourMeta *meta);

GST_CONTOURS_API
GBytes *gst_contours_contour_meta_get_points (GstContoursContourMeta *meta, guint index);

GST_CONTOURS_API
GBytes *gst_contours_contour_meta_get_mapped_points (GstContoursContourMeta *meta, guint index);

GST_CONTOURS_API
GBytes *gst_contours_contour_meta_get_points_bytes (GstContoursContourMeta *meta);

GST_CONTOURS_API
GBytes *gst_contours_contour_meta_get_table_bytes (GstContoursContourMeta *meta);

GST_CONTOURS_API
GBytes *gst_contours_contour_meta_get_moments_bytes (GstContoursContourMeta *meta);

GST_CONTOURS_API
GBytes *gst_contours_contour_meta_get_sums_bytes (GstContoursContourMeta *meta);

GST_CONTOURS_API
GBytes *gst_contours_contour_meta_get_regions_bytes (GstContoursContourMeta *meta);

GST_CONTOURS_API
gboolean gst_contours_contour_meta_has_codes (GstContoursContourMeta *meta);

GST_CONTOURS_API
gboolean gst_contours_contour_meta_fetch_codes (GstContoursContourMeta *meta, GError **error);

GST_CONTOURS_API
guint gst_contours_contour_meta_get_code_bits (GstContoursContourMeta *meta);

GST_CONTOURS_API
GBytes *gst_contours_contour_meta_get_codes (GstContoursContourMeta *meta, guint index);

GST_CONTOURS_API
GBytes *gst_contours_contour_meta_get_decoded_points (GstContoursContourMeta *meta, guint index, gboolean all);

GST_CONTOURS_API
GBytes *gst_contours_contour_meta_get_codes_bytes (GstContoursContourMeta *meta);

GST_CONTOURS_API
GBytes *gst_contours_contour_meta_get_chains_bytes (GstContoursContourMeta *meta);

GST_CONTOURS_API
GBytes *gst_contours_contour_meta_get_nesting_bytes (GstContoursContourMeta *meta);

G_END_DECLS

#endif /* __GST_CONTOURS_CONTOUR_META_H__ */
