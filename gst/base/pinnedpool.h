/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Page-locked system memory for the frames that an element uploads: the GPU reads them without a copy by the CPU. */
#ifndef GST_BASE_PINNEDPOOL_H
#define GST_BASE_PINNEDPOOL_H

#include "gst/base/gstcontoursgpu.h"

G_BEGIN_DECLS

/* A pool of video frames in page-locked memory of GPU's context, which they keep alive. To everyone else this is system
 * memory. Where memory cannot be locked, or too much is, frames have ordinary memory. Whatever allocator its
 * configuration names, the pool uses its own. NULL if no context is open. */
GstBufferPool *pinned_pool_new (GstContoursGpu *gpu);

/* Offers such a pool to the element upstream in its allocation QUERY, unless there is a pool already. Returns whether it
 * did. */
gboolean pinned_pool_offer (GstContoursGpu *gpu, GstQuery *query);

G_END_DECLS

#endif
