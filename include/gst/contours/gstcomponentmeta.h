/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef __GST_CONTOURS_COMPONENT_META_H__
#define __GST_CONTOURS_COMPONENT_META_H__

#include <gst/gst.h>
#include <contours/components.h>
#include <gst/contours/gstcontoursmapping.h>
#include <gst/contours/gstcontoursresult.h>

G_BEGIN_DECLS

/**
 * GstContoursComponentFeatures:
 * @GST_CONTOURS_COMPONENT_FEATURE_MOMENTS: second moments: orientation, axes, eccentricity
 * @GST_CONTOURS_COMPONENT_FEATURE_GREY: minimum, maximum, mean and standard deviation of the samples (or luma)
 * @GST_CONTOURS_COMPONENT_FEATURE_LABELS: label image
 * @GST_CONTOURS_COMPONENT_FEATURE_BACKGROUND: the pixels that are in no component
 * @GST_CONTOURS_COMPONENT_FEATURE_VALUES: the sample of each component, whose pixels all have it. It is there where the
 *     analysis looks for equal samples, and only there
 * @GST_CONTOURS_COMPONENT_FEATURE_PERCENTILES: median and percentiles of the samples (or luma)
 * @GST_CONTOURS_COMPONENT_FEATURE_INSCRIBED: largest inscribed circle
 * @GST_CONTOURS_COMPONENT_FEATURE_CONTRAST: samples (or luma) around the component; %GST_CONTOURS_COMPONENT_FEATURE_GREY is there, too
 * @GST_CONTOURS_COMPONENT_FEATURE_SKELETON: length and mean width of the skeleton
 *
 * Optional measurements. Area, bounding box and centroid are always computed.
 *
 * Since: 0.1
 */
typedef enum {
  GST_CONTOURS_COMPONENT_FEATURE_MOMENTS = 1 << 0,
  GST_CONTOURS_COMPONENT_FEATURE_GREY = 1 << 1,
  GST_CONTOURS_COMPONENT_FEATURE_LABELS = 1 << 2,
  GST_CONTOURS_COMPONENT_FEATURE_BACKGROUND = 1 << 3,
  GST_CONTOURS_COMPONENT_FEATURE_VALUES = 1 << 4,
  GST_CONTOURS_COMPONENT_FEATURE_PERCENTILES = 1 << 5,
  GST_CONTOURS_COMPONENT_FEATURE_INSCRIBED = 1 << 6,
  GST_CONTOURS_COMPONENT_FEATURE_CONTRAST = 1 << 7,
  GST_CONTOURS_COMPONENT_FEATURE_SKELETON = 1 << 8
} GstContoursComponentFeatures;

#define GST_TYPE_CONTOURS_COMPONENT_FEATURES (gst_contours_component_features_get_type ())

GST_CONTOURS_API
GType gst_contours_component_features_get_type (void);

/**
 * GstContoursComponent:
 * @label: label, from 1; the value of the component's pixels in the label image
 * @pixels: number of pixels in the analysed image
 * @area: area in pixels of the frame: @pixels times the scaling of both axes
 * @x: left edge of the bounding box
 * @y: top edge of the bounding box
 * @w: width of the bounding box
 * @h: height of the bounding box
 * @cx: x of the centre of gravity
 * @cy: y of the centre of gravity
 * @first_x: x of the component's first pixel in raster order of the analysed image
 * @first_y: y of that pixel
 * @sum_x: sum of the pixels' x in the analysed image
 * @sum_y: sum of the pixels' y in the analysed image
 * @orientation: angle of the major axis against the x axis, radians in (-pi/2, pi/2], positive towards +y (down); 0
 *     if the axes are equal. NaN without %GST_CONTOURS_COMPONENT_FEATURE_MOMENTS
 * @major_axis: full length of the major axis of the ellipse with the same second moments, as in scikit-image's
 *     regionprops; NaN without %GST_CONTOURS_COMPONENT_FEATURE_MOMENTS
 * @minor_axis: full length of the minor axis of this ellipse, likewise
 * @eccentricity: eccentricity of this ellipse, from 0 (circle) to 1 (line); NaN without
 *     %GST_CONTOURS_COMPONENT_FEATURE_MOMENTS
 * @min: smallest sample; 0 without %GST_CONTOURS_COMPONENT_FEATURE_GREY
 * @max: largest sample; 0 without %GST_CONTOURS_COMPONENT_FEATURE_GREY
 * @mean: mean of the samples; NaN without %GST_CONTOURS_COMPONENT_FEATURE_GREY
 * @std: population standard deviation of the samples; NaN without %GST_CONTOURS_COMPONENT_FEATURE_GREY
 * @web_row: row of the component's first pixel in the endless picture that the frame is a strip of; otherwise its row in
 *     the analysed image
 * @unfinished: whether the component, of such a strip, was open for so long that it was reported before it was complete;
 *     it goes on as another component
 * @value: sample of all its pixels; 0 without %GST_CONTOURS_COMPONENT_FEATURE_VALUES
 * @region_number: number of its region, from 0; 0 without regions
 * @p5: percentile 5 of the samples: the one with the index floor ((pixels - 1) 5 / 100), from 0, when they ascend; 0 without
 *     %GST_CONTOURS_COMPONENT_FEATURE_PERCENTILES
 * @p25: percentile 25 of the samples, likewise
 * @median: percentile 50 of the samples, likewise: the lower one of two medians
 * @p75: percentile 75 of the samples, likewise
 * @p95: percentile 95 of the samples, likewise
 * @inscribed_radius: radius of the largest inscribed circle: the distance from its centre to the nearest pixel centre that is not
 *     of the component; NaN without %GST_CONTOURS_COMPONENT_FEATURE_INSCRIBED, or where the frame was scaled unevenly
 * @inscribed_x: x of its centre, that of a pixel of the component; NaN likewise
 * @inscribed_y: y of its centre; NaN likewise
 * @ring_mean: mean of the samples in the ring around the component; NaN without %GST_CONTOURS_COMPONENT_FEATURE_CONTRAST, or if no
 *     pixel is in its ring
 * @contrast: @mean - @ring_mean; NaN likewise
 * @skeleton_length: length of the skeleton, from pixel centre to pixel centre; NaN without
 *     %GST_CONTOURS_COMPONENT_FEATURE_SKELETON, or where the frame was scaled unevenly
 * @skeleton_width: twice the mean distance from the skeleton's pixels to the nearest pixel centre that is not of the component; NaN
 *     likewise
 * @skeleton_pixels: pixels of the skeleton in the analysed image; 0 without %GST_CONTOURS_COMPONENT_FEATURE_SKELETON
 *
 * One connected component, in pixels of the frame that carries the metadata. If this frame is as large as the analysed
 * image, areas and boxes are exactly the integers of the analysis. In a scaled frame a pixel centre x becomes
 * (x + 0.5) * new / old - 0.5, box edges and lengths are scaled, and the ellipse is that of the scaled second moments.
 * Statistics of samples stay as they are. After cropping (GStreamer 1.28) a component may lie outside the frame: it is
 * not clipped.
 *
 * Since: 0.1
 */
typedef struct _GstContoursComponent GstContoursComponent;

struct _GstContoursComponent {
  guint label;
  guint pixels;
  gdouble area;
  gdouble x;
  gdouble y;
  gdouble w;
  gdouble h;
  gdouble cx;
  gdouble cy;
  gdouble first_x;
  gdouble first_y;
  guint64 sum_x;
  guint64 sum_y;
  gdouble orientation;
  gdouble major_axis;
  gdouble minor_axis;
  gdouble eccentricity;
  guint min;
  guint max;
  gdouble mean;
  gdouble std;
  guint64 web_row;
  gboolean unfinished;
  guint value;
  guint region_number;
  guint p5;
  guint p25;
  guint median;
  guint p75;
  guint p95;
  gdouble inscribed_radius;
  gdouble inscribed_x;
  gdouble inscribed_y;
  gdouble ring_mean;
  gdouble contrast;
  gdouble skeleton_length;
  gdouble skeleton_width;
  guint skeleton_pixels;
};

#define GST_TYPE_CONTOURS_COMPONENT (gst_contours_component_get_type ())

GST_CONTOURS_API
GType gst_contours_component_get_type (void);

/**
 * GstContoursComponentMeta:
 * @meta: parent #GstMeta
 *
 * The connected components of a video frame. The result is immutable, and all copies of the buffer share it. The
 * metadata belongs to its buffer and is valid as long as the buffer.
 *
 * `cudacca` attaches it. On the way downstream:
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
typedef struct _GstContoursComponentMeta GstContoursComponentMeta;

struct _GstContoursComponentMeta {
  GstMeta meta;
};

#define GST_CONTOURS_COMPONENT_META_API_TYPE (gst_contours_component_meta_api_get_type ())
#define GST_CONTOURS_COMPONENT_META_INFO (gst_contours_component_meta_get_info ())

GST_CONTOURS_API
GType gst_contours_component_meta_api_get_type (void);

GST_CONTOURS_API
const GstMetaInfo *gst_contours_component_meta_get_info (void);

GST_CONTOURS_API
GstContoursComponentMeta *gst_buffer_add_contours_component_meta (
    GstBuffer *buffer, CtrComponents *components, const gchar *source);

GST_CONTOURS_API
GstContoursComponentMeta *gst_buffer_get_contours_component_meta (GstBuffer *buffer);

GST_CONTOURS_API
GstContoursComponentMeta *gst_buffer_get_contours_component_meta_by_source (GstBuffer *buffer, const gchar *source);

GST_CONTOURS_API
GstContoursComponentMeta *gst_buffer_iterate_contours_component_meta (GstBuffer *buffer, gpointer *state);

GST_CONTOURS_API
GList *gst_buffer_get_contours_component_metas (GstBuffer *buffer);

GST_CONTOURS_API
CtrComponents *gst_contours_component_meta_peek_components (GstContoursComponentMeta *meta);

GST_CONTOURS_API
CtrComponents *gst_contours_component_meta_peek_pending_components (GstContoursComponentMeta *meta);

GST_CONTOURS_API
gboolean gst_contours_component_meta_fetch (GstContoursComponentMeta *meta, GError **error);

GST_CONTOURS_API
const gchar *gst_contours_component_meta_get_source (GstContoursComponentMeta *meta);

GST_CONTOURS_API
GstContoursResultFlags gst_contours_component_meta_get_flags (GstContoursComponentMeta *meta);

GST_CONTOURS_API
void gst_contours_component_meta_add_flags (GstContoursComponentMeta *meta, GstContoursResultFlags flags);

GST_CONTOURS_API
void gst_contours_component_meta_guard_memory (GstContoursComponentMeta *meta);

GST_CONTOURS_API
void gst_contours_component_meta_set_mapping (GstContoursComponentMeta *meta, const GstContoursMapping *mapping);

GST_CONTOURS_API
void gst_contours_component_meta_add_class (GstContoursComponentMeta *meta, guint value, const gchar *name);

GST_CONTOURS_API
const gchar *gst_contours_component_meta_get_class_name (GstContoursComponentMeta *meta, guint value);

GST_CONTOURS_API
void gst_contours_component_meta_place_strip (GstContoursComponentMeta *meta, guint y, guint height);

GST_CONTOURS_API
guint64 gst_contours_component_meta_get_origin_row (GstContoursComponentMeta *meta);

GST_CONTOURS_API
guint64 gst_contours_component_meta_get_first_row (GstContoursComponentMeta *meta);

GST_CONTOURS_API
guint gst_contours_component_meta_get_count (GstContoursComponentMeta *meta);

GST_CONTOURS_API
guint gst_contours_component_meta_get_region_count (GstContoursComponentMeta *meta);

GST_CONTOURS_API
guint gst_contours_component_meta_get_threshold (GstContoursComponentMeta *meta);

GST_CONTOURS_API
guint gst_contours_component_meta_get_connectivity (GstContoursComponentMeta *meta);

GST_CONTOURS_API
GstContoursComponentFeatures gst_contours_component_meta_get_features (GstContoursComponentMeta *meta);

GST_CONTOURS_API
void gst_contours_component_meta_get_reference_size (GstContoursComponentMeta *meta, guint *width, guint *height);

GST_CONTOURS_API
void gst_contours_component_meta_get_size (GstContoursComponentMeta *meta, guint *width, guint *height);

GST_CONTOURS_API
const GstContoursMapping *gst_contours_component_meta_get_mapping (GstContoursComponentMeta *meta);

GST_CONTOURS_API
gboolean gst_contours_component_meta_get_component (
    GstContoursComponentMeta *meta, guint index, GstContoursComponent *component);

GST_CONTOURS_API
GList *gst_contours_component_meta_get_components (GstContoursComponentMeta *meta);

GST_CONTOURS_API
gboolean gst_contours_component_meta_get_background (GstContoursComponentMeta *meta, GstContoursComponent *background);

GST_CONTOURS_API
GBytes *gst_contours_component_meta_get_table_bytes (GstContoursComponentMeta *meta);

GST_CONTOURS_API
GBytes *gst_contours_component_meta_get_moments_bytes (GstContoursComponentMeta *meta);

GST_CONTOURS_API
GBytes *gst_contours_component_meta_get_grey_bytes (GstContoursComponentMeta *meta);

GST_CONTOURS_API
GBytes *gst_contours_component_meta_get_percentiles_bytes (GstContoursComponentMeta *meta);

GST_CONTOURS_API
GBytes *gst_contours_component_meta_get_inscribed_bytes (GstContoursComponentMeta *meta);

GST_CONTOURS_API
GBytes *gst_contours_component_meta_get_contrast_bytes (GstContoursComponentMeta *meta);

GST_CONTOURS_API
GBytes *gst_contours_component_meta_get_skeleton_bytes (GstContoursComponentMeta *meta);

GST_CONTOURS_API
GBytes *gst_contours_component_meta_get_labels_bytes (GstContoursComponentMeta *meta);

G_END_DECLS

#endif /* __GST_CONTOURS_COMPONENT_META_H__ */
