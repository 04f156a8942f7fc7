/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an event returns upstream that cannot be passed on while the pads are flushing. */
#ifndef GST_BASE_EVENTFLOW_H
#define GST_BASE_EVENTFLOW_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Makes an event that SINK cannot pass on return GST_FLOW_FLUSHING while the element's pad "src" is flushing. It wraps SINK's event
 * function, so an element calls it once, when that function is set. */
void event_flow_install (GstPad *sink);

G_END_DECLS

#endif
