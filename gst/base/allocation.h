/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_BASE_ALLOCATION_H
#define GST_BASE_ALLOCATION_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Removes crop and transformation metas from the answer to the allocation QUERY. With them, an element upstream would
 * describe a crop or rotation instead of applying it; some sinks offer them, and an analysis must not depend on the
 * sink. */
void allocation_drop_placement_metas (GstQuery *query);

G_END_DECLS

#endif
