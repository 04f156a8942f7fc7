/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The regions of frames that are analysed: the properties region-source, region and mask-location. */
#ifndef GST_BASE_FRAMEREGIONS_H
#define GST_BASE_FRAMEREGIONS_H

#include "gst/base/regionlist.h"

#include <contours/image.h>
#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum { FRAME_REGIONS_NONE, FRAME_REGIONS_PROPERTIES, FRAME_REGIONS_ROI_META } FrameRegionsSource;

/* The properties, under the object lock of their element. */
typedef struct {
  FrameRegionsSource source;
  gchar *text; /* of the list */
  RegionList *list;
  gchar *mask_location; /* NULL: none */
  guint changes;
} FrameRegionsSettings;

/* Those of the last frame, in the streaming thread. */
typedef struct {
  FrameRegionsSettings settings;
  CtrRegions *regions;
  guint width, height; /* of the mask that they were made of */
  GArray *rois, *last_rois;
} FrameRegions;

void frame_regions_init (FrameRegions *frame, FrameRegionsSettings *settings);
void frame_regions_clear (FrameRegions *frame, FrameRegionsSettings *settings);

/* Whether parts of frames are analysed. */
gboolean frame_regions_are_set (const FrameRegionsSettings *settings);

/* Sets *REGIONS (transfer none, until the next frame) to those of the frame in BUFFER, whose samples are IMAGE; NULL: all of it
 * is analysed. Takes the lock of ELEMENT. Returns FALSE and error if they cannot be made. */
gboolean frame_regions_find (FrameRegions *frame, GstElement *element, const FrameRegionsSettings *settings,
    const CtrImage *image, GstBuffer *buffer, CtrRegions **regions, CtrError *error);

#define GST_TYPE_FOREGROUND_FILTER_REGION_SOURCE (gst_foreground_filter_region_source_get_type ())
GType gst_foreground_filter_region_source_get_type (void);

/* Installs the three properties, in the order above, with ids from FIRST_ID on. */
void frame_regions_install_properties (GObjectClass *klass, guint first_id);

/* Sets or gets the property with the number INDEX of them. Set: returns a problem to be posted (transfer full), or NULL. */
gchar *frame_regions_set_property (FrameRegionsSettings *settings, guint index, const GValue *value);
void frame_regions_get_property (const FrameRegionsSettings *settings, guint index, GValue *value);

G_END_DECLS

#endif
