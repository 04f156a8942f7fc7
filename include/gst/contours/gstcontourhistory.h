/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef __GST_CONTOURS_CONTOUR_HISTORY_H__
#define __GST_CONTOURS_CONTOUR_HISTORY_H__

#include <gst/contours/gstcontourmeta.h>

G_BEGIN_DECLS

/**
 * GstContoursStateKind:
 * @GST_CONTOURS_STATE_KIND_STARTED: the start of the search, or where that found no target, the automatic one
 * @GST_CONTOURS_STATE_KIND_MOVED: the points that could move have moved by one step
 * @GST_CONTOURS_STATE_KIND_SPLIT: long edges have got a point in their middle
 * @GST_CONTOURS_STATE_KIND_PRUNED: points that did not shorten the description have been removed
 *
 * What made a polygon of an outline's history.
 *
 * Since: 0.1
 */
typedef enum {
  GST_CONTOURS_STATE_KIND_STARTED,
  GST_CONTOURS_STATE_KIND_MOVED,
  GST_CONTOURS_STATE_KIND_SPLIT,
  GST_CONTOURS_STATE_KIND_PRUNED
} GstContoursStateKind;

#define GST_TYPE_CONTOURS_STATE_KIND (gst_contours_state_kind_get_type ())

GST_CONTOURS_API
GType gst_contours_state_kind_get_type (void);

/**
 * GstContoursState:
 * @kind: what made the polygon
 * @iteration: number of iterations so far, this one included. A start and a split have none of their own
 * @step: size of the moves in pixels; after a start, a split or pruning that of the moves that follow
 * @count: number of points
 * @inside_count: number of pixels inside
 * @criterion: negative log-likelihood of both regions, in nats and without constant terms; each move lowers it
 *
 * A polygon on the way of a snake from its start to the outline, in the analysed image.
 *
 * Since: 0.1
 */
typedef struct _GstContoursState GstContoursState;

struct _GstContoursState {
  GstContoursStateKind kind;
  guint iteration;
  guint step;
  guint count;
  guint64 inside_count;
  gdouble criterion;
};

#define GST_TYPE_CONTOURS_STATE (gst_contours_state_get_type ())

GST_CONTOURS_API
GType gst_contours_state_get_type (void);

GST_CONTOURS_API
gboolean gst_contours_contour_meta_has_history (GstContoursContourMeta *meta);

GST_CONTOURS_API
guint gst_contours_contour_meta_get_state_count (GstContoursContourMeta *meta, guint index);

GST_CONTOURS_API
gboolean gst_contours_contour_meta_get_state (
    GstContoursContourMeta *meta, guint index, guint number, GstContoursState *state);

GST_CONTOURS_API
GList *gst_contours_contour_meta_get_states (GstContoursContourMeta *meta, guint index);

GST_CONTOURS_API
GBytes *gst_contours_contour_meta_get_state_points (GstContoursContourMeta *meta, guint index, guint number);

GST_CONTOURS_API
GBytes *gst_contours_contour_meta_get_mapped_state_points (GstContoursContourMeta *meta, guint index, guint number);

GST_CONTOURS_API
GBytes *gst_contours_contour_meta_get_states_bytes (GstContoursContourMeta *meta);

GST_CONTOURS_API
GBytes *gst_contours_contour_meta_get_history_points_bytes (GstContoursContourMeta *meta);

G_END_DECLS

#endif /* __GST_CONTOURS_CONTOUR_HISTORY_H__ */
