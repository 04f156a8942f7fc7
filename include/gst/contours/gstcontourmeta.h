/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef __GST_CONTOURS_CONTOUR_META_H__
#define __GST_CONTOURS_CONTOUR_META_H__

#include <gst/gst.h>
#include <contours/contourlist.h>
#include <gst/contours/gstcontoursmapping.h>
#include <gst/contours/gstcontoursresult.h>

G_BEGIN_DECLS

/**
 * GstContoursContourFeatures:
 * @GST_CONTOURS_CONTOUR_FEATURE_NONE: nothing more
 * @GST_CONTOURS_CONTOUR_FEATURE_MOMENTS: moments: centroids
 *
 * What an analysis computes on request; points, hierarchy, area, perimeter and bounding box are always there.
 *
 * Since: 0.1
 */
typedef enum {
  GST_CONTOURS_CONTOUR_FEATURE_NONE = 0,
  GST_CONTOURS_CONTOUR_FEATURE_MOMENTS = 1 << 0
} GstContoursContourFeatures;

#define GST_TYPE_CONTOURS_CONTOUR_FEATURES (gst_contours_contour_features_get_type ())

GST_CONTOURS_API
GType gst_contours_contour_features_get_type (void);

/**
 * GstContoursContourCoordinates:
 * @GST_CONTOURS_CONTOUR_COORDINATES_PIXELS: of a pixel of the contour: whole numbers are pixel centres
 * @GST_CONTOURS_CONTOUR_COORDINATES_CORNERS: of a corner between pixels: whole numbers are the edges between pixels;
 * the upper left corner of a pixel has the coordinates of the pixel
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
 * @id: row of the contour, from 0; what @parent, @next, @previous and @child of others are
 * @count: points, at least 1
 * @first: index of its first point among the points of all contours
 * @hole: whether the line goes around a hole of the foreground, not around its outside
 * @level: which of the image's levels it belongs to; 0 for a binary image
 * @parent: contour around it, or -1
 * @next: next contour of the same parent, or -1
 * @previous: contour of the same parent before it, or -1
 * @child: first contour inside it, or -1
 * @area: area inside the line, not negative, in pixels of the frame: that of the analysed image times the scaling of
 *     both axes
 * @perimeter: length of the closed line. Where both axes are scaled alike, that of the analysed image times the
 *     scaling; where they are not, the length of the closed line through the mapped points
 * @x: left edge of the bounding box
 * @y: top edge of the bounding box
 * @w: width of the bounding box
 * @h: height of the bounding box
 * @cx: x of the centroid of the area inside the line, in the coordinates of the points; NaN without
 *     %GST_CONTOURS_CONTOUR_FEATURE_MOMENTS and where the area is 0
 * @cy: y of the centroid
 *
 * One contour: a closed line, whose last point is followed by its first, in pixels of the frame that carries the
 * metadata. Where that frame is as large as the analysed image, these are exactly the analysis's numbers. In a scaled
 * frame a pixel centre x becomes (x + 0.5) * new / old - 0.5, box edges and corners become x * new / old. After a crop
 * (GStreamer 1.28) a contour may lie outside the frame: nothing is cut off.
 *
 * The bounding box of %GST_CONTOURS_CONTOUR_COORDINATES_PIXELS encloses whole pixels: @w and @h are at least one pixel.
 * That of %GST_CONTOURS_CONTOUR_COORDINATES_CORNERS encloses the line.
 *
 * Where the analysis simplified the line by a tolerance, @area, @perimeter, the box and the centroid are those of the
 * line before; only with a perimeter that has to be measured anew, it is the simplified one that is measured.
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
};

#define GST_TYPE_CONTOURS_CONTOUR (gst_contours_contour_get_type ())

GST_CONTOURS_API
GType gst_contours_contour_get_type (void);

/**
 * GstContoursRegion:
 * @object: number of the object it outlines, from 0, among those the analyser was to find in the frame
 * @converged: whether the search ended by itself, not by the limit on its iterations
 * @restarted: whether the given start, such as the outline in the frame before, lost the target, and this is what was
 *     found without it
 * @iterations: steps of the search
 * @inside_count: pixels inside the line, of the analysed image
 * @inside_mean: mean of their samples
 * @inside_variance: mean squared distance of their samples from the mean
 * @outside_count: pixels of the window outside the line
 * @outside_mean: mean of their samples
 * @outside_variance: mean squared distance of their samples from the mean
 * @criterion: negative logarithm of the likelihood of both regions, in nats and without constant terms: the lower, the
 *     better the line
 * @gain: how much shorter the description of the window with the line is than that without, nats; above 0
 *
 * What the line of a contour parts: a target inside, and the rest of the window it was looked for in. All of it is of
 * the analysed image, whatever happened to the frame since.
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
 * GstContoursContourMeta:
 * @meta: parent #GstMeta
 *
 * The contours of a video frame. The result itself is immutable and shared by all buffers that carry it; copying a
 * buffer copies a reference. The metadata belongs to its buffer: it is valid as long as the buffer is.
 *
 * Attached by analysers that follow borders. Table and points of an analysis on the GPU stay there until they are asked
 * for: attaching, copying and mapping the metadata, and everything that needs only numbers of the whole (counts,
 * threshold, size), does not touch them. The first getter that needs an array fetches it, once for all buffers that
 * share the result, in any thread. Where this fails, getters return %FALSE or %NULL and log a warning;
 * gst_contours_contour_meta_fetch() fetches everything beforehand and says why it failed.
 *
 * What happens to it on the way downstream is what happens to #GstContoursComponentMeta:
 *
 * - A copy of the whole buffer shares the result; a copy of a part of the buffer's bytes has none.
 * - Scaling the frame maps every position. Where the display aspect ratio changes by more than the rounding of one
 *   pixel, the scaler may have added borders and GStreamer before 1.28 does not say where: the metadata is dropped.
 * - With GStreamer 1.28 cropping, borders, mirroring and quarter turns are followed as well; before, elements that do
 *   this drop the metadata.
 * - Everything else drops it.
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
gboolean gst_contours_contour_meta_fetch (GstContoursContourMeta *meta, GError **error);

GST_CONTOURS_API
const gchar *gst_contours_contour_meta_get_source (GstContoursContourMeta *meta);

GST_CONTOURS_API
GstContoursResultFlags gst_contours_contour_meta_get_flags (GstContoursContourMeta *meta);

GST_CONTOURS_API
void gst_contours_contour_meta_add_flags (GstContoursContourMeta *meta, GstContoursResultFlags flags);

GST_CONTOURS_API
guint64 gst_contours_contour_meta_get_needed (GstContoursContourMeta *meta);

GST_CONTOURS_API
guint gst_contours_contour_meta_get_count (GstContoursContourMeta *meta);

GST_CONTOURS_API
guint64 gst_contours_contour_meta_get_point_count (GstContoursContourMeta *meta);

GST_CONTOURS_API
guint gst_contours_contour_meta_get_threshold (GstContoursContourMeta *meta);

GST_CONTOURS_API
GstContoursContourCoordinates gst_contours_contour_meta_get_coordinates (GstContoursContourMeta *meta);

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
gboolean gst_contours_contour_meta_has_regions (GstContoursContourMeta *meta);

GST_CONTOURS_API
gboolean gst_contours_contour_meta_get_region (GstContoursContourMeta *meta, guint index, GstContoursRegion *region);

GST_CONTOURS_API
GList *gst_contours_contour_meta_get_regions (GstContoursContourMeta *meta);

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

G_END_DECLS

#endif /* __GST_CONTOURS_CONTOUR_META_H__ */
