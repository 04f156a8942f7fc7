/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_ELEMENTS_GSTCONTOURKAFKASINK_H
#define GST_ELEMENTS_GSTCONTOURKAFKASINK_H

#include "gst/broker/gstcontourbrokersink.h"

G_BEGIN_DECLS

#define GST_TYPE_CONTOUR_KAFKA_SINK (gst_contour_kafka_sink_get_type ())
G_DECLARE_FINAL_TYPE (GstContourKafkaSink, gst_contour_kafka_sink, GST, CONTOUR_KAFKA_SINK, GstContourBrokerSink)

GST_ELEMENT_REGISTER_DECLARE (contourkafkasink);

G_END_DECLS

#endif
