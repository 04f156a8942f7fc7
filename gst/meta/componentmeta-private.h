/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files about the metadata of components share. */
#ifndef __GST_CONTOURS_COMPONENT_META_PRIVATE_H__
#define __GST_CONTOURS_COMPONENT_META_PRIVATE_H__

#include "gst/meta/resultmeta-private.h"

#include <contours/components.h>
#include <gst/contours/gstcomponentmeta.h>

#define PRIVATE(meta) ((GstContoursResultMeta *) (meta))
#define COMPONENTS(meta) ((CtrComponents *) PRIVATE (meta)->result)
#define IS_COMPONENT_META(m) ((m) != NULL && (m)->meta.info == GST_CONTOURS_COMPONENT_META_INFO)

#endif /* __GST_CONTOURS_COMPONENT_META_PRIVATE_H__ */
