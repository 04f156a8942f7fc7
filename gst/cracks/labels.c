/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/cracks/labels.h"

#include <gst/contours/gstcontours.h>

static GstContoursComponentMeta *
find_meta (GstBuffer *buffer)
{
  GstContoursComponentMeta *meta;
  gpointer state = NULL;

  while ((meta = gst_buffer_iterate_contours_component_meta (buffer, &state)))
    if (gst_contours_component_meta_peek_pending_components (meta)->features & CTR_FEATURE_LABELS)
      return meta;
  return NULL;
}

CtrComponents *
crack_labels_find (GstBuffer *buffer)
{
  GstContoursComponentMeta *meta = find_meta (buffer);

  return meta ? gst_contours_component_meta_peek_pending_components (meta) : NULL;
}

void
crack_labels_place (GstBuffer *buffer, const gchar *source)
{
  GstContoursComponentMeta *components = find_meta (buffer);
  GstContoursContourMeta *contours = gst_buffer_get_contours_contour_meta_by_source (buffer, source);

  gst_contours_contour_meta_set_mapping (contours, gst_contours_component_meta_get_mapping (components));
}
