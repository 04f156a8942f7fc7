/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_BASE_ALLOCATION_H
#define GST_BASE_ALLOCATION_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Takes out of an allocation QUERY's answer the metas by which an element upstream would only say how to crop or turn
 * the picture, in place of doing it: sinks offer them, and what is analysed must not depend on the sink. */
void allocation_drop_placement_metas (GstQuery *query);

G_END_DECLS

#endif
