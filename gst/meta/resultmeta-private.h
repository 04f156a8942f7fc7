/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the metadata types share inside the library: an analysis's result, who made it, and where it lies in the frame.
 */
#ifndef __GST_CONTOURS_RESULT_META_PRIVATE_H__
#define __GST_CONTOURS_RESULT_META_PRIVATE_H__

#include <gst/gst.h>
#include <gst/contours/gstcontoursmapping.h>
#include <gst/contours/gstcontoursresult.h>

G_BEGIN_DECLS

/* How references to a kind of result are counted. */
typedef struct {
  gpointer (*ref) (gpointer result);
  void (*unref) (gpointer result);
} GstContoursResultType;

/* What is allocated; the public structure, which has nothing but META, is its head. */
typedef struct {
  GstMeta meta;
  const GstContoursResultType *type;
  gpointer result;
  GstContoursMapping mapping;
  gchar *source; /* GRefString or NULL */
  GstContoursResultFlags flags;
} GstContoursResultMeta;

/* Once a type, under the caller's g_once_init_enter(). */
G_GNUC_INTERNAL
GType gst_contours_result_meta_register_api (const gchar *name);

G_GNUC_INTERNAL
const GstMetaInfo *gst_contours_result_meta_register (GType api, const gchar *name);

/* Attaches to BUFFER a RESULT of a frame of WIDTH x HEIGHT, with a reference of its own, and
 * the flags that BUFFER tells. */
G_GNUC_INTERNAL
GstContoursResultMeta *gst_contours_result_meta_add (GstBuffer *buffer, const GstMetaInfo *info,
    const GstContoursResultType *type, gpointer result, guint width, guint height, const gchar *source);

/* Of the metadata with this API: the next one; the one by SOURCE or NULL; all, transfer container. */
G_GNUC_INTERNAL
gpointer gst_contours_result_meta_iterate (GstBuffer *buffer, gpointer *state, GType api);

G_GNUC_INTERNAL
gpointer gst_contours_result_meta_find (GstBuffer *buffer, GType api, const gchar *source);

G_GNUC_INTERNAL
GList *gst_contours_result_meta_list (GstBuffer *buffer, GType api);

/* SIZE bytes of the result that keep it alive; transfer full. */
G_GNUC_INTERNAL
GBytes *gst_contours_result_meta_view (const GstContoursResultMeta *meta, gconstpointer data, gsize size);

G_END_DECLS

#endif /* __GST_CONTOURS_RESULT_META_PRIVATE_H__ */
