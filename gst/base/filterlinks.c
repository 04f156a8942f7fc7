/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of our elements are linked to each other, without an element in between. */
#include "gst/base/gstcontoursfilter-private.h"

/* Adds those of PAD to LINK. */
static void
add_probes (ContoursLink *link, GstPad *pad)
{
  GST_OBJECT_LOCK (pad);
  link->is_probed |= pad->num_probes > 0;
  link->probes += pad->probes.seq_id;
  GST_OBJECT_UNLOCK (pad);
}

GstContoursFilter *
contours_filter_find_linked (GstPad *pad, ContoursLink *link)
{
  GstPad *peer = gst_pad_get_peer (pad);
  GstObject *parent = peer ? gst_object_get_parent (GST_OBJECT_CAST (peer)) : NULL;

  if (parent && !GST_IS_CONTOURS_FILTER (parent))
    gst_clear_object (&parent);
  if (link)
    *link = (ContoursLink){.pad = peer};
  if (link && parent) {
    add_probes (link, pad);
    add_probes (link, peer);
  }
  gst_clear_object (&peer);
  return (GstContoursFilter *) parent;
}
