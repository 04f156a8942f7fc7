/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Attaches the results of subclasses to buffers. This is the only place where results become metadata. */
#include "gst/base/gstcontoursfilter-private.h"

#include <gst/contours/gstcontours.h>

static void
attach_components (GstContoursFilter *self, GstBuffer *buffer, CtrComponents *components)
{
  gchar *source = gst_object_get_name (GST_OBJECT_CAST (self));
  GstContoursComponentMeta *meta = gst_buffer_add_contours_component_meta (buffer, components, source);

  gst_contours_component_meta_add_flags (meta, gst_contours_filter_get_frame_flags (self, buffer));
  g_free (source);
}

static void
attach_contours (GstContoursFilter *self, GstBuffer *buffer, CtrContours *contours)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  gchar *source = gst_object_get_name (GST_OBJECT_CAST (self));
  GstContoursContourMeta *meta;

  /* The contours' GPU memory needs its CUDA context as long as the buffer lives, possibly longer than the element. */
  if (g_atomic_int_get (&priv->in_use) == CTR_BACKEND_CUDA)
    ctr_contours_set_owner (contours, gst_object_ref (priv->gpu.context), gst_object_unref);
  meta = gst_buffer_add_contours_contour_meta (buffer, contours, source);
  gst_contours_contour_meta_add_flags (meta, gst_contours_filter_get_frame_flags (self, buffer));
  g_free (source);
}

gboolean
contours_filter_analyze (
    GstContoursFilter *self, const CtrImage *image, GstBuffer *buffer, gpointer stream, CtrError *error)
{
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);
  CtrComponents *components;
  CtrContours *contours;

  if (klass->find_components) {
    components = klass->find_components (self, image, buffer, stream, error);
    if (!components)
      return FALSE;
    attach_components (self, buffer, components);
    if (klass->report_components)
      klass->report_components (self, buffer, components);
    ctr_components_unref (components);
  } else {
    contours = klass->find_contours (self, image, buffer, stream, error);
    if (!contours)
      return FALSE;
    attach_contours (self, buffer, contours);
    if (klass->report_contours)
      klass->report_contours (self, buffer, contours);
    ctr_contours_unref (contours);
  }
  return TRUE;
}

gboolean
gst_contours_filter_enters_limit (GstContoursFilter *self, CtrLimit exceeded)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  const gboolean enters = exceeded != CTR_LIMIT_NONE && exceeded != priv->exceeded;

  priv->exceeded = exceeded;
  return enters;
}
