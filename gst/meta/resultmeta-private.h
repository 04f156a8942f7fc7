/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the metadata of components and that of contours share inside the library. */
#ifndef __GST_CONTOURS_RESULT_META_PRIVATE_H__
#define __GST_CONTOURS_RESULT_META_PRIVATE_H__

#include <gst/gst.h>
#include <gst/contours/gstcontourscalibration.h>
#include <gst/contours/gstcontoursmapping.h>
#include <gst/contours/gstcontoursresult.h>

G_BEGIN_DECLS

/* The functions of a type of result. wait() returns when its analysis is complete or has failed. */
typedef struct {
  gpointer (*ref) (gpointer result);
  void (*unref) (gpointer result);
  void (*wait) (gpointer result);
} GstContoursResultType;

/* The name of a class of the pixels that have a value. */
typedef struct {
  guint32 value;
  gchar *name; /* GRefString */
} GstContoursResultClass;

/* The memory of the metadata. The public structures have only the first member. */
typedef struct {
  GstMeta meta;
  const GstContoursResultType *type;
  gpointer result;
  GstContoursMapping mapping;
  gchar *source; /* GRefString or NULL */
  GstContoursResultFlags flags;
  gboolean guards_memory;              /* The analysis may still read the memory of the buffer. */
  GstContoursCalibration *calibration; /* of the analysed pictures, or NULL */
  GArray *classes;                     /* GstContoursResultClass, in the order of their values, or NULL */
  guint64 first_row;                   /* of the frame in the web, with GST_CONTOURS_RESULT_FLAG_STRIP; otherwise 0 */
} GstContoursResultMeta;

/* To be called once for each type, under g_once_init_enter(). */
G_GNUC_INTERNAL
GType gst_contours_result_meta_register_api (const gchar *name);

G_GNUC_INTERNAL
const GstMetaInfo *gst_contours_result_meta_register (GType api, const gchar *name);

/* Attaches the RESULT of a WIDTH x HEIGHT frame to BUFFER, with a reference of its own and the flags of BUFFER. */
G_GNUC_INTERNAL
GstContoursResultMeta *gst_contours_result_meta_add (GstBuffer *buffer, const GstMetaInfo *info,
    const GstContoursResultType *type, gpointer result, guint width, guint height, const gchar *source);

/* The frame of META is a strip of HEIGHT rows. Its first one is row Y of the result, whose row 0 is row ORIGIN_ROW of the
 * web. */
G_GNUC_INTERNAL
void gst_contours_result_meta_place_strip (GstContoursResultMeta *meta, guint64 origin_row, guint y, guint height);

/* Replaces the calibration, with a reference of its own; NULL: none. */
G_GNUC_INTERNAL
void gst_contours_result_meta_set_calibration (GstContoursResultMeta *meta, GstContoursCalibration *calibration);

/* Adds a class to the metadata, whose classes no copy shares yet; its name replaces one that VALUE has. */
G_GNUC_INTERNAL
void gst_contours_result_meta_add_class (GstContoursResultMeta *meta, guint value, const gchar *name);

/* Metadata with this API: the next one, that of SOURCE, or all; the list is transfer container. */
G_GNUC_INTERNAL
gpointer gst_contours_result_meta_iterate (GstBuffer *buffer, gpointer *state, GType api);

G_GNUC_INTERNAL
gpointer gst_contours_result_meta_find (GstBuffer *buffer, GType api, const gchar *source);

G_GNUC_INTERNAL
GList *gst_contours_result_meta_list (GstBuffer *buffer, GType api);

/* SIZE bytes at DATA, an array of the result. They keep a reference to it; transfer full. NULL if DATA
 * is NULL. */
G_GNUC_INTERNAL
GBytes *gst_contours_result_meta_view (const GstContoursResultMeta *meta, gconstpointer data, gsize size);

G_END_DECLS

#endif /* __GST_CONTOURS_RESULT_META_PRIVATE_H__ */
