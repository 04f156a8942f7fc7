/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names of classes that masks come with: those of the values of a mask's pixels. */
#include "gst/meta/resultmeta-private.h"

#include <gst/contours/gstcomponentmeta.h>
#include <gst/contours/gstcontourmeta.h>

#define RESULT(m) ((GstContoursResultMeta *) (m))
#define IS_COMPONENT_META(m) ((m) != NULL && (m)->meta.info == GST_CONTOURS_COMPONENT_META_INFO)
#define IS_CONTOUR_META(m) ((m) != NULL && (m)->meta.info == GST_CONTOURS_CONTOUR_META_INFO)

static void
clear_class (gpointer data)
{
  g_ref_string_release (((GstContoursResultClass *) data)->name);
}

void
gst_contours_result_meta_add_class (GstContoursResultMeta *meta, guint value, const gchar *name)
{
  const GstContoursResultClass added = {value, g_ref_string_new (name)};
  guint at;

  if (!meta->classes) {
    meta->classes = g_array_new (FALSE, FALSE, sizeof added);
    g_array_set_clear_func (meta->classes, clear_class);
  }
  /* Most come in their order. */
  for (at = meta->classes->len; at > 0; at--)
    if (g_array_index (meta->classes, GstContoursResultClass, at - 1).value <= value)
      break;
  if (at > 0 && g_array_index (meta->classes, GstContoursResultClass, at - 1).value == value)
    g_array_remove_index (meta->classes, --at);
  g_array_insert_val (meta->classes, at, added);
}

static gint
compare_values (gconstpointer a, gconstpointer b)
{
  const guint32 x = ((const GstContoursResultClass *) a)->value, y = ((const GstContoursResultClass *) b)->value;

  return (x > y) - (x < y);
}

static const gchar *
find_class (const GstContoursResultMeta *meta, guint value)
{
  const GstContoursResultClass wanted = {value, NULL};
  guint at;

  if (!meta->classes || !g_array_binary_search (meta->classes, &wanted, compare_values, &at))
    return NULL;
  return g_array_index (meta->classes, GstContoursResultClass, at).name;
}

/**
 * gst_contours_component_meta_add_class: (skip)
 * @meta: a #GstContoursComponentMeta of a writable buffer that is not shared
 * @value: sample of the pixels of the class
 * @name: name of the class, UTF-8
 *
 * Tells, for elements that analyse masks, the class of the components with this #GstContoursComponent.value. A second name of
 * the same value takes the place of the first.
 *
 * Since: 0.1
 */
void
gst_contours_component_meta_add_class (GstContoursComponentMeta *meta, guint value, const gchar *name)
{
  g_return_if_fail (IS_COMPONENT_META (meta));
  g_return_if_fail (name != NULL);
  gst_contours_result_meta_add_class (RESULT (meta), value, name);
}

/**
 * gst_contours_component_meta_get_class_name:
 * @meta: a #GstContoursComponentMeta
 * @value: a #GstContoursComponent.value
 *
 * The name of a class in a mask that cudacca mode=segmentation has analysed.
 *
 * Returns: (transfer none) (nullable): the name, valid as long as the buffer; %NULL if the mask came without one
 *
 * Since: 0.1
 */
const gchar *
gst_contours_component_meta_get_class_name (GstContoursComponentMeta *meta, guint value)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), NULL);
  return find_class (RESULT (meta), value);
}

/**
 * gst_contours_contour_meta_add_class: (skip)
 * @meta: a #GstContoursContourMeta of a writable buffer that is not shared
 * @level: sample of the pixels of the class
 * @name: name of the class, UTF-8
 *
 * Tells, for elements that analyse masks, the class of the contours with this #GstContoursContour.level. A second name of the
 * same level takes the place of the first.
 *
 * Since: 0.1
 */
void
gst_contours_contour_meta_add_class (GstContoursContourMeta *meta, guint level, const gchar *name)
{
  g_return_if_fail (IS_CONTOUR_META (meta));
  g_return_if_fail (name != NULL);
  gst_contours_result_meta_add_class (RESULT (meta), level, name);
}

/**
 * gst_contours_contour_meta_get_class_name:
 * @meta: a #GstContoursContourMeta
 * @level: a #GstContoursContour.level
 *
 * The name of a class in a mask that cudacrackcontour trace=segmentation has traced.
 *
 * Returns: (transfer none) (nullable): the name, valid as long as the buffer; %NULL if the mask came without one
 *
 * Since: 0.1
 */
const gchar *
gst_contours_contour_meta_get_class_name (GstContoursContourMeta *meta, guint level)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  return find_class (RESULT (meta), level);
}
