/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The history of outlines: the polygons that led to them. */
#include "gst/meta/contourmeta-private.h"

#include <gst/contours/gstcontourhistory.h>

G_STATIC_ASSERT ((guint) GST_CONTOURS_STATE_KIND_STARTED == (guint) CTR_SNAKE_STARTED);
G_STATIC_ASSERT ((guint) GST_CONTOURS_STATE_KIND_MOVED == (guint) CTR_SNAKE_MOVED);
G_STATIC_ASSERT ((guint) GST_CONTOURS_STATE_KIND_SPLIT == (guint) CTR_SNAKE_SPLIT);
G_STATIC_ASSERT ((guint) GST_CONTOURS_STATE_KIND_PRUNED == (guint) CTR_SNAKE_PRUNED);

GType
gst_contours_state_kind_get_type (void)
{
  static gsize type = 0;
  if (g_once_init_enter (&type)) {
    static const GEnumValue values[] = {
        {GST_CONTOURS_STATE_KIND_STARTED, "Start of the search", "started"},
        {GST_CONTOURS_STATE_KIND_MOVED, "Points have moved", "moved"},
        {GST_CONTOURS_STATE_KIND_SPLIT, "Edges have been split", "split"},
        {GST_CONTOURS_STATE_KIND_PRUNED, "Points have been removed", "pruned"},
        {0, NULL, NULL},
    };
    g_once_init_leave (&type, g_enum_register_static ("GstContoursStateKind", values));
  }
  return type;
}

static GstContoursState *
state_copy (const GstContoursState *state)
{
  return g_memdup2 (state, sizeof *state);
}

G_DEFINE_BOXED_TYPE (GstContoursState, gst_contours_state, state_copy, g_free)

/* The index of the first state of ROW or of a later row. */
static guint64
first_state (const CtrSnakeHistory *history, guint64 row)
{
  guint64 low = 0, high = history->state_count;
  while (low < high) {
    const guint64 middle = low + (high - low) / 2;
    if (history->states[middle].row < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Returns the states of contour INDEX, which are *COUNT. */
static const CtrSnakeState *
find_states (GstContoursContourMeta *meta, guint index, CtrSnakeHistory *history, guint *count)
{
  *count = 0;
  if (index >= CONTOURS (meta)->count || !ctr_contours_get_history (PENDING (meta), history))
    return NULL;
  const guint64 first = first_state (history, index);
  *count = first_state (history, (guint64) index + 1) - first;
  return history->states + first;
}

/* Returns a state and its POINTS, or NULL. */
static const CtrSnakeState *
find_state (GstContoursContourMeta *meta, guint index, guint number, const CtrPoint **points)
{
  CtrSnakeHistory history;
  guint count;
  const CtrSnakeState *states = find_states (meta, index, &history, &count);
  if (number >= count)
    return NULL;
  *points = history.points + states[number].first;
  return &states[number];
}

static void
fill_state (const CtrSnakeState *from, GstContoursState *out)
{
  *out = (GstContoursState){
      .kind = (GstContoursStateKind) from->kind,
      .iteration = from->iteration,
      .step = from->step,
      .count = from->count,
      .inside_count = from->inside_count,
      .criterion = from->criterion,
  };
}

/**
 * gst_contours_contour_meta_has_history:
 * @meta: a #GstContoursContourMeta
 *
 * Whether the contours are outlines of `cudasnake history=true`.
 *
 * Returns: whether gst_contours_contour_meta_get_state() has the polygons that led to each contour
 *
 * Since: 0.1
 */
gboolean
gst_contours_contour_meta_has_history (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), FALSE);
  return (PENDING (meta)->features & CTR_CONTOUR_FEATURE_HISTORY) != 0;
}

/**
 * gst_contours_contour_meta_get_state_count:
 * @meta: a #GstContoursContourMeta
 * @index: index of the contour, from 0
 *
 * Gets the number of polygons in the history of one contour. Iterations that changed nothing have none.
 *
 * Returns: the number of polygons, the start and the contour itself included; 0 if there is no contour with this @index,
 *     or no history
 *
 * Since: 0.1
 */
guint
gst_contours_contour_meta_get_state_count (GstContoursContourMeta *meta, guint index)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), 0);
  CtrSnakeHistory history;
  guint count;
  find_states (meta, index, &history, &count);
  return count;
}

/**
 * gst_contours_contour_meta_get_state:
 * @meta: a #GstContoursContourMeta
 * @index: index of the contour, from 0
 * @number: number of the polygon, from 0, in the order of time
 * @state: (out caller-allocates): what is known of the polygon
 *
 * Gets one polygon of the history of a contour. In other languages the function returns the pair of both results.
 *
 * Returns: whether there is such a polygon
 *
 * Since: 0.1
 */
gboolean
gst_contours_contour_meta_get_state (GstContoursContourMeta *meta, guint index, guint number, GstContoursState *state)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), FALSE);
  g_return_val_if_fail (state != NULL, FALSE);
  const CtrPoint *points;
  const CtrSnakeState *found = find_state (meta, index, number, &points);
  if (!found)
    return FALSE;
  fill_state (found, state);
  return TRUE;
}

/**
 * gst_contours_contour_meta_get_states:
 * @meta: a #GstContoursContourMeta
 * @index: index of the contour, from 0
 *
 * Gets all polygons of the history of one contour in the order of time, for other languages. In C,
 * gst_contours_contour_meta_get_state() needs no allocation.
 *
 * Returns: (transfer full) (element-type GstContoursState): the polygons, valid without the buffer; free them with
 *     g_list_free_full() and g_free(). %NULL if there is no contour with this @index, or no history
 *
 * Since: 0.1
 */
GList *
gst_contours_contour_meta_get_states (GstContoursContourMeta *meta, guint index)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  CtrSnakeHistory history;
  GList *list = NULL;
  guint count;
  const CtrSnakeState *states = find_states (meta, index, &history, &count);
  for (guint i = count; i-- > 0;) {
    GstContoursState *state = g_new (GstContoursState, 1);
    fill_state (&states[i], state);
    list = g_list_prepend (list, state);
  }
  return list;
}

/**
 * gst_contours_contour_meta_get_state_points:
 * @meta: a #GstContoursContourMeta
 * @index: index of the contour, from 0
 * @number: number of the polygon, from 0
 *
 * The points of a polygon of the history in pixels of the analysed image: pairs (x, y) of native 16-bit unsigned
 * integers. They are corners between pixels. A moving point keeps its place in the list.
 *
 * Returns: (transfer full) (nullable): the points, not a copy, valid without the buffer; free them with
 *     g_bytes_unref(). %NULL if there is no such polygon
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_state_points (GstContoursContourMeta *meta, guint index, guint number)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  const CtrPoint *points;
  const CtrSnakeState *state = find_state (meta, index, number, &points);
  return state ? gst_contours_result_meta_view (PRIVATE (meta), points, (gsize) state->count * sizeof *points) : NULL;
}

/**
 * gst_contours_contour_meta_get_mapped_state_points:
 * @meta: a #GstContoursContourMeta
 * @index: index of the contour, from 0
 * @number: number of the polygon, from 0
 *
 * The points of a polygon of the history in pixels of the frame that carries the metadata: pairs (x, y) of native
 * single-precision numbers.
 *
 * Returns: (transfer full) (nullable): the points; free them with g_bytes_unref(). %NULL if there is no such polygon
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_mapped_state_points (GstContoursContourMeta *meta, guint index, guint number)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  const CtrPoint *points;
  const CtrSnakeState *state = find_state (meta, index, number, &points);
  return state ? gst_contours_contour_meta_map_list (meta, points, state->count) : NULL;
}

/* A history of nothing has no memory. */
static GBytes *
view (GstContoursContourMeta *meta, gconstpointer data, gsize size)
{
  return size > 0 ? gst_contours_result_meta_view (PRIVATE (meta), data, size) : g_bytes_new (NULL, 0);
}

/**
 * gst_contours_contour_meta_get_states_bytes:
 * @meta: a #GstContoursContourMeta
 *
 * The polygons of the histories of all contours: one `CtrSnakeState` per polygon, contour by contour (`row`), in the
 * order of time. gst_contours_get_layout() describes it. `first` and `count` select its points among those of
 * gst_contours_contour_meta_get_history_points_bytes().
 *
 * Returns: (transfer full) (nullable): the polygons, not a copy, valid without the buffer; free them with
 *     g_bytes_unref(). %NULL unless gst_contours_contour_meta_has_history()
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_states_bytes (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  CtrSnakeHistory history;
  if (!ctr_contours_get_history (CONTOURS (meta), &history))
    return NULL;
  return view (meta, history.states, (gsize) history.state_count * sizeof *history.states);
}

/**
 * gst_contours_contour_meta_get_history_points_bytes:
 * @meta: a #GstContoursContourMeta
 *
 * The points of all polygons of gst_contours_contour_meta_get_states_bytes(), in pixels of the analysed image: pairs
 * (x, y) of native 16-bit unsigned integers.
 *
 * Returns: (transfer full) (nullable): the points, not a copy, valid without the buffer; free them with
 *     g_bytes_unref(). %NULL unless gst_contours_contour_meta_has_history()
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_history_points_bytes (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  CtrSnakeHistory history;
  if (!ctr_contours_get_history (CONTOURS (meta), &history))
    return NULL;
  return view (meta, history.points, (gsize) history.point_count * sizeof *history.points);
}
