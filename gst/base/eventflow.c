/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An element that goes to READY deactivates its source pads before its sink pads. GStreamer makes GST_FLOW_NOT_NEGOTIATED of
 * caps that come in between, and GST_FLOW_ERROR of other sticky events, since an event function returns no flow. The next
 * buffer returns that, and a source or queue upstream would post it as an error of a stream that was only stopped. */
#include "gst/base/eventflow.h"

static gboolean
is_flushing (GstObject *parent)
{
  GstPad *src = gst_element_get_static_pad (GST_ELEMENT_CAST (parent), "src");
  const gboolean flushing = GST_PAD_IS_FLUSHING (src);

  gst_object_unref (src);
  return flushing;
}

/* Returns what GStreamer makes of the event function's result, but for flushing pads. */
static GstFlowReturn
handle_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  const GstPadEventFunction handle = (GstPadEventFunction) pad->eventdata;
  const GstEventType type = GST_EVENT_TYPE (event);

  if (handle (pad, parent, event))
    return GST_FLOW_OK;
  if (is_flushing (parent))
    return GST_FLOW_FLUSHING;
  return type == GST_EVENT_CAPS ? GST_FLOW_NOT_NEGOTIATED : GST_FLOW_ERROR;
}

void
event_flow_install (GstPad *sink)
{
  gst_pad_set_event_full_function_full (sink, handle_event, (gpointer) GST_PAD_EVENTFUNC (sink), NULL);
}
