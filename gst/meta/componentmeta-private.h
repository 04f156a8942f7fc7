/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files about the metadata of components share. */
#ifndef __GST_CONTOURS_COMPONENT_META_PRIVATE_H__
#define __GST_CONTOURS_COMPONENT_META_PRIVATE_H__

#include "gst/meta/resultmeta-private.h"

#include <contours/components.h>
#include <gst/contours/gstcomponentmeta.h>

#define PRIVATE(meta) ((GstContoursResultMeta *) (meta))
/* The result, which may be pending, or after it is complete. */
#define PENDING(meta) ((CtrComponents *) PRIVATE (meta)->result)
#define COMPONENTS(meta) gst_contours_component_meta_wait (meta)
#define IS_COMPONENT_META(m) ((m) != NULL && (m)->meta.info == GST_CONTOURS_COMPONENT_META_INFO)

/* Waits for the analysis. If it has failed, the result has no components, and there is a warning. */
G_GNUC_INTERNAL
CtrComponents *gst_contours_component_meta_wait (GstContoursComponentMeta *meta);

/* Transforms the ellipse of SHAPE by the linear part of MAPPING. */
G_GNUC_INTERNAL
void gst_contours_component_map_shape (const GstContoursMapping *mapping, CtrComponentShape *shape);

#endif /* __GST_CONTOURS_COMPONENT_META_PRIVATE_H__ */
