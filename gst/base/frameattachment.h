/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties attach-as and max-objects of analysers: results as metadata of this project, and as metadata that all elements
 * and applications know. */
#ifndef GST_BASE_FRAMEATTACHMENT_H
#define GST_BASE_FRAMEATTACHMENT_H

#include <contours/types.h>
#include <gst/contours/gstcontours.h>

G_BEGIN_DECLS

typedef enum { FRAME_ATTACH_NATIVE = 1 << 0, FRAME_ATTACH_ROI = 1 << 1, FRAME_ATTACH_ANALYTICS = 1 << 2 } FrameAttachAs;

typedef struct {
  /* Properties, under the object lock. */
  FrameAttachAs attach_as;
  guint max_objects;

  /* Of the streaming thread: the properties for the current frame. */
  FrameAttachAs current;
  guint limit;
  guint attached;     /* objects of the frame so far */
  guint first_id;     /* ids that results of the frame have had */
  gboolean exceeded;  /* The last frame had more objects. */
  gboolean exceeding; /* The current frame has. */
} FrameAttachment;

void frame_attachment_init (FrameAttachment *self);

/* Install the properties with these IDs. An element without the second one attaches as many objects as it allows. */
void frame_attachment_install_property (GObjectClass *klass, guint attach_as_id);
void frame_attachment_install_limit (GObjectClass *klass, guint max_objects_id);

/* To be called under the object lock; FALSE if PSPEC is another property. */
gboolean frame_attachment_set_property (FrameAttachment *self, const GValue *value, GParamSpec *pspec);
gboolean frame_attachment_get_property (const FrameAttachment *self, GValue *value, GParamSpec *pspec);

/* Takes the properties of ELEMENT for the next frame. Returns FALSE and ERROR if they cannot be met. STRIPS: frames are strips
 * of an endless picture. */
gboolean frame_attachment_update (FrameAttachment *self, GstElement *element, gboolean strips, CtrError *error);

/* Attaches the objects of META, which is on BUFFER, as the properties say; the result is waited for then. META is removed
 * unless it is wanted, too. Warns when objects are left out. */
gboolean frame_attachment_apply_to_components (
    FrameAttachment *self, GstElement *element, GstBuffer *buffer, GstContoursComponentMeta *meta, CtrError *error);
gboolean frame_attachment_apply_to_contours (
    FrameAttachment *self, GstElement *element, GstBuffer *buffer, GstContoursContourMeta *meta, CtrError *error);

G_END_DECLS

#endif
