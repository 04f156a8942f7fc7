/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstContourBrokerSink: what sinks for message brokers share. It takes frames with our metadata, or the text of
 * contourextract, and makes one message of each. A queue with a limit keeps each message until the broker has acknowledged
 * it. A subclass gives the functions that work with its client library, and reports with the functions of brokerlink.h. */
#ifndef GST_BROKER_GSTCONTOURBROKERSINK_H
#define GST_BROKER_GSTCONTOURBROKERSINK_H

#include "gst/broker/brokerlink.h"

#include <gst/base/gstbasesink.h>

G_BEGIN_DECLS

#define GST_TYPE_CONTOUR_BROKER_SINK (gst_contour_broker_sink_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstContourBrokerSink, gst_contour_broker_sink, GST, CONTOUR_BROKER_SINK, GstBaseSink)

/**
 * GstContourBrokerSinkClass:
 * @parent_class: the parent class
 * @client: the functions of the client library. None of them may take a lock that is held while the library waits for the
 *   network.
 *
 *   `open (element, link, error)` checks the settings of the element and of @link, and makes a client. It must not wait for the
 *   network: READY to PAUSED waits for it. LINK stays valid until `close()` has returned. Returns %NULL with an error
 *   whose message is full sentences, for the element error.
 *
 *   The base class calls `send()`, `work()` and `close()` in the link's own thread alone.
 *
 *   `send (client, message, topic)` hands a message to the library, without waiting. MESSAGE stays valid until the
 *   client says what became of it, TOPIC only during the call.
 *
 *   `work (client, timeout)` connects, reads, writes, and reports. It returns after TIMEOUT microseconds, after
 *   `wake()`, which may have come just before, or earlier.
 *
 *   `wake (client)` makes `work()` return. Any thread may call it, and it must not wait.
 *
 *   `close (client, deadline)` takes leave of the broker and frees the client. From DEADLINE on, a time of
 *   g_get_monotonic_time(), the element no longer waits for it, but a library that hangs may take longer.
 */
struct _GstContourBrokerSinkClass {
  GstBaseSinkClass parent_class;
  BrokerClientFunctions client;
};

/* Whether the property of PSPEC may change now. Posts a warning if not: the settings are read at the start. For subclasses,
 * whose own settings `open()` reads with the object lock. */
gboolean gst_contour_broker_sink_may_change (GstContourBrokerSink *sink, GParamSpec *pspec);

G_END_DECLS

#endif
