/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_ELEMENTS_GSTCONTOURMQTTSINK_H
#define GST_ELEMENTS_GSTCONTOURMQTTSINK_H

#include "gst/broker/gstcontourbrokersink.h"

G_BEGIN_DECLS

#define GST_TYPE_CONTOUR_MQTT_SINK (gst_contour_mqtt_sink_get_type ())
G_DECLARE_FINAL_TYPE (GstContourMqttSink, gst_contour_mqtt_sink, GST, CONTOUR_MQTT_SINK, GstContourBrokerSink)

GST_ELEMENT_REGISTER_DECLARE (contourmqttsink);

G_END_DECLS

#endif
