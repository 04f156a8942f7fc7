/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The label image of a frame, which an element upstream has attached. */
#ifndef GST_CRACKS_LABELS_H
#define GST_CRACKS_LABELS_H

#include <contours/components.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/* The first components of BUFFER with a label image, which may be pending (transfer none); NULL: there are none. */
CtrComponents *crack_labels_find (GstBuffer *buffer);

/* Places the contours of the label image, which the element SOURCE has attached to BUFFER, where the components are: the
 * frame may have been scaled since they were found. */
void crack_labels_place (GstBuffer *buffer, const gchar *source);

G_END_DECLS

#endif
