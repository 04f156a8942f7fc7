/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/allocation.h"

#include <gst/video/video.h>

void
allocation_drop_placement_metas (GstQuery *query)
{
  const GType apis[] = {GST_VIDEO_CROP_META_API_TYPE, GST_VIDEO_AFFINE_TRANSFORMATION_META_API_TYPE};
  guint index;

  for (guint i = 0; i < G_N_ELEMENTS (apis); i++)
    while (gst_query_find_allocation_meta (query, apis[i], &index))
      gst_query_remove_nth_allocation_meta (query, index);
}
