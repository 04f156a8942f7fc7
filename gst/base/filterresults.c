/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Attaches the results of subclasses to buffers. This is the only place where results become metadata. */
#include "gst/base/gstcontoursfilter-private.h"

#include <gst/contours/gstcontours.h>

/* ROWS is the height of the frame in BUFFER that the result has: 0 if BUFFER follows the last strip. */
static GstContoursComponentMeta *
attach_components (GstContoursFilter *self, GstBuffer *buffer, CtrComponents *components, const FrameMask *mask,
    gpointer stream, guint rows)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  gchar *source = gst_object_get_name (GST_OBJECT_CAST (self));
  GstContoursComponentMeta *meta = gst_buffer_add_contours_component_meta (buffer, components, source);

  gst_contours_component_meta_add_flags (meta, gst_contours_filter_get_frame_flags (self, buffer));
  if (priv->strips.enabled)
    gst_contours_component_meta_place_strip (meta, components->height - rows, GST_VIDEO_INFO_HEIGHT (&priv->info));
  if (!contours_filter_is_ordered (self, stream))
    gst_contours_component_meta_guard_memory (meta);
  gst_contours_component_meta_set_calibration (meta, priv->calibration.current);
  if (mask)
    gst_contours_component_meta_set_mapping (meta, &mask->mapping);
  for (guint i = 0; mask && i < mask->classes->len; i++) {
    const FrameMaskClass *known = &g_array_index (mask->classes, FrameMaskClass, i);

    gst_contours_component_meta_add_class (meta, known->value, g_quark_to_string (known->name));
  }
  g_free (source);
  return meta;
}

static GstContoursContourMeta *
attach_contours (GstContoursFilter *self, GstBuffer *buffer, CtrContours *contours, const FrameMask *mask,
    gpointer stream, guint rows)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  gchar *source = gst_object_get_name (GST_OBJECT_CAST (self));
  GstContoursContourMeta *meta;

  /* The contours' GPU memory needs its CUDA context as long as the buffer lives, possibly longer than the element. */
  if (g_atomic_int_get (&priv->in_use) == CTR_BACKEND_CUDA)
    ctr_contours_set_owner (contours, gst_object_ref (priv->gpu.context), gst_object_unref);
  meta = gst_buffer_add_contours_contour_meta (buffer, contours, source);
  gst_contours_contour_meta_add_flags (meta, gst_contours_filter_get_frame_flags (self, buffer));
  if (priv->strips.enabled)
    gst_contours_contour_meta_place_strip (meta, contours->height - rows, GST_VIDEO_INFO_HEIGHT (&priv->info));
  if (!contours_filter_is_ordered (self, stream))
    gst_contours_contour_meta_guard_memory (meta);
  gst_contours_contour_meta_set_calibration (meta, priv->calibration.current);
  if (mask)
    gst_contours_contour_meta_set_mapping (meta, &mask->mapping);
  for (guint i = 0; mask && i < mask->classes->len; i++) {
    const FrameMaskClass *known = &g_array_index (mask->classes, FrameMaskClass, i);

    gst_contours_contour_meta_add_class (meta, known->value, g_quark_to_string (known->name));
  }
  g_free (source);
  return meta;
}

void
gst_contours_filter_attach_contours (GstContoursFilter *self, GstBuffer *buffer, CtrContours *contours, gpointer stream)
{
  attach_contours (self, buffer, contours, NULL, stream, contours->height);
}

void
contours_filter_wait_for_readers (GstBuffer *buffer)
{
  GstContoursComponentMeta *components;
  GstContoursContourMeta *contours;
  gpointer state = NULL;

  while ((components = gst_buffer_iterate_contours_component_meta (buffer, &state)))
    gst_contours_component_meta_get_count (components);
  state = NULL;
  while ((contours = gst_buffer_iterate_contours_contour_meta (buffer, &state)))
    gst_contours_contour_meta_get_count (contours);
}

gboolean
gst_contours_filter_follow_readers (GstContoursFilter *self, GstBuffer *buffer, gpointer stream,
    GPtrArray *drawn_contours, GPtrArray *drawn_components, CtrError *error)
{
  GstContoursComponentMeta *component_meta;
  GstContoursContourMeta *contour_meta;
  gpointer state = NULL;

  if (contours_filter_is_ordered (self, stream))
    return TRUE;
  while ((component_meta = gst_buffer_iterate_contours_component_meta (buffer, &state))) {
    CtrComponents *components = gst_contours_component_meta_peek_pending_components (component_meta);

    if (!g_ptr_array_find (drawn_components, components, NULL) && !ctr_components_lead (components, stream, error))
      return FALSE;
  }
  state = NULL;
  while ((contour_meta = gst_buffer_iterate_contours_contour_meta (buffer, &state))) {
    CtrContours *contours = gst_contours_contour_meta_peek_pending_contours (contour_meta);

    if (!g_ptr_array_find (drawn_contours, contours, NULL) && !ctr_contours_lead (contours, stream, error))
      return FALSE;
  }
  return TRUE;
}

static void
check_limit (GstContoursFilter *self, const CtrContours *contours)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);

  if (klass->warn_of_limit && contours->exceeded != CTR_LIMIT_NONE && contours->exceeded != priv->exceeded)
    klass->warn_of_limit (self, contours);
  priv->exceeded = contours->exceeded;
  contours_filter_warn_of_unfinished (self, contours->unfinished, "contours");
}

/* Warns of unfinished components of earlier strips that are complete by now, or, with ALL, of all. */
static void
check_unwarned (GstContoursFilter *self, gboolean all)
{
  GQueue *unwarned = &PRIVATE (self)->unwarned;

  while (!g_queue_is_empty (unwarned) && (all || ctr_components_is_complete (g_queue_peek_head (unwarned)))) {
    CtrComponents *components = g_queue_pop_head (unwarned);

    if (ctr_components_wait (components, NULL))
      contours_filter_warn_of_unfinished (self, components->unfinished, "components");
    ctr_components_unref (components);
  }
}

/* Checks the limit of the contours found last, which are complete by now. */
static void
check_last (GstContoursFilter *self)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);

  if (!priv->unchecked)
    return;
  check_limit (self, priv->unchecked);
  g_clear_pointer (&priv->unchecked, ctr_contours_unref);
}

static gboolean
find_components (GstContoursFilter *self, const CtrImage *image, const FrameMask *mask, GstBuffer *buffer,
    gpointer stream, CtrError *error)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);
  CtrComponents *components = klass->find_components (self, image, buffer, stream, error);
  GstContoursComponentMeta *meta;
  gboolean ok;

  if (!components)
    return FALSE;
  if (!frame_calibration_suits (&priv->calibration, components->width, components->height, error)) {
    ctr_components_unref (components);
    return FALSE;
  }
  meta = attach_components (self, buffer, components, mask, stream, image->height);
  if (klass->report_components)
    klass->report_components (self, buffer, components);
  if (priv->strips.enabled) {
    g_queue_push_tail (&priv->unwarned, ctr_components_ref (components));
    check_unwarned (self, FALSE);
  }
  ok = frame_attachment_apply_to_components (&priv->attachment, GST_ELEMENT_CAST (self), buffer, meta, error);
  ctr_components_unref (components);
  return ok;
}

static gboolean
find_contours (GstContoursFilter *self, const CtrImage *image, const FrameMask *mask, GstBuffer *buffer,
    gpointer stream, CtrError *error)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);
  CtrContours *contours = klass->find_contours (self, image, buffer, stream, error);
  GstContoursContourMeta *meta;
  gboolean ok;

  check_last (self);
  if (!contours)
    return FALSE;
  if (!frame_calibration_suits (&priv->calibration, contours->width, contours->height, error)) {
    ctr_contours_unref (contours);
    return FALSE;
  }
  meta = attach_contours (self, buffer, contours, mask, stream, image->height);
  if (klass->report_contours)
    klass->report_contours (self, buffer, contours);
  ok = frame_attachment_apply_to_contours (&priv->attachment, GST_ELEMENT_CAST (self), buffer, meta, error);
  if (ctr_contours_is_complete (contours))
    check_limit (self, contours);
  else if (klass->warn_of_limit)
    priv->unchecked = ctr_contours_ref (contours);
  ctr_contours_unref (contours);
  return ok;
}

gboolean
contours_filter_find (GstContoursFilter *self, const CtrImage *image, const FrameMask *mask, GstBuffer *buffer,
    gpointer stream, CtrError *error)
{
  return GST_CONTOURS_FILTER_GET_CLASS (self)->find_components
             ? find_components (self, image, mask, buffer, stream, error)
             : find_contours (self, image, mask, buffer, stream, error);
}

gboolean
contours_filter_analyze (
    GstContoursFilter *self, const CtrImage *image, GstBuffer *buffer, gpointer stream, CtrError *error)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);
  gboolean ok = frame_calibration_update (&priv->calibration, GST_ELEMENT_CAST (self), priv->strips.enabled, error)
                && frame_attachment_update (&priv->attachment, GST_ELEMENT_CAST (self), priv->strips.enabled, error);

  if (ok && klass->takes_masks && klass->takes_masks (self))
    return contours_filter_analyze_masks (self, buffer, stream, error);
  ok = ok && contours_filter_find (self, image, NULL, buffer, stream, error);
  if (ok)
    contours_filter_note_strip (self, buffer);
  return ok;
}

void
contours_filter_attach_rest (
    GstContoursFilter *self, GstBuffer *buffer, CtrComponents *components, CtrContours *contours)
{
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);

  if (components) {
    attach_components (self, buffer, components, NULL, NULL, 0);
    if (klass->report_components)
      klass->report_components (self, buffer, components);
  } else {
    attach_contours (self, buffer, contours, NULL, NULL, 0);
    if (klass->report_contours)
      klass->report_contours (self, buffer, contours);
  }
}

gboolean
contours_filter_settle (GstContoursFilter *self)
{
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);
  gboolean ok;
  CtrError error;

  if (!klass->settle || g_atomic_int_get (&PRIVATE (self)->in_use) < 0)
    return TRUE;
  ok = klass->settle (self, &error);
  check_last (self);
  check_unwarned (self, TRUE);
  if (!ok)
    contours_filter_post_error (self, &error);
  return ok;
}
