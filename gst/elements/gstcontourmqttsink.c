/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-contourmqttsink
 * @title: contourmqttsink
 * @short_description: Sends the components and contours of each frame to an MQTT broker
 *
 * Takes frames with #GstContoursComponentMeta and #GstContoursContourMeta, in any kind of memory, or the text of
 * `contourextract`, and publishes one message for each frame. It connects again by itself when the broker was away, keeps
 * what it could not deliver meanwhile in a queue, and counts what did not fit. docs/contourmqttsink.md describes all of it.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc pattern=ball is-live=true ! video/x-raw,format=NV12 ! cudaborders !
 * contourmqttsink address=localhost:1883 topic=contours/%{source} source=ball
 * ]| `mosquitto_sub -t contours/ball` prints them.
 *
 * Since: 0.1
 */
#include "gst/elements/gstcontourmqttsink.h"

#include "gst/base/propertyfields.h"
#include "gst/broker/mqttclient.h"

struct _GstContourMqttSink {
  GstContourBrokerSink parent;
  MqttSettings settings; /* properties, under the object lock */
};

enum { PROP_0, PROP_DELIVERY_QOS, PROP_MQTT_VERSION, PROP_KEEP_ALIVE, PROP_STATUS_TOPIC, PROP_RETAIN_STATUS };

#define DEFAULT_DELIVERY_QOS 1
#define DEFAULT_KEEP_ALIVE 15

G_DEFINE_TYPE (GstContourMqttSink, gst_contour_mqtt_sink, GST_TYPE_CONTOUR_BROKER_SINK)
GST_ELEMENT_REGISTER_DEFINE (contourmqttsink, "contourmqttsink", GST_RANK_NONE, GST_TYPE_CONTOUR_MQTT_SINK)

#define GST_TYPE_CONTOUR_MQTT_VERSION (gst_contour_mqtt_version_get_type ())
static GType
gst_contour_mqtt_version_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {MQTT_VERSION_311, "MQTT 3.1.1, without user properties", "3.1.1"},
      {MQTT_VERSION_5, "MQTT 5", "5"},
      {0},
  };
  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstContourMqttVersion", values));
  return type;
}

static gpointer
open_client (GstElement *element, BrokerLink *link, GError **error)
{
  GstContourMqttSink *self = GST_CONTOUR_MQTT_SINK (element);
  GST_OBJECT_LOCK (self);
  MqttSettings settings = self->settings;
  settings.status_topic = settings.status_topic && *settings.status_topic ? g_strdup (settings.status_topic) : NULL;
  GST_OBJECT_UNLOCK (self);
  gpointer client = mqtt_client_open (link, &settings, error);
  g_free (settings.status_topic);
  return client;
}

static const PropertyField fields[] = {
    PROPERTY_FIELD (PROP_DELIVERY_QOS, MqttSettings, qos),
    PROPERTY_FIELD (PROP_MQTT_VERSION, MqttSettings, version),
    PROPERTY_FIELD (PROP_KEEP_ALIVE, MqttSettings, keep_alive),
    PROPERTY_FIELD (PROP_STATUS_TOPIC, MqttSettings, status_topic),
    PROPERTY_FIELD (PROP_RETAIN_STATUS, MqttSettings, retain_status),
    {0},
};

static void
gst_contour_mqtt_sink_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstContourMqttSink *self = GST_CONTOUR_MQTT_SINK (object);
  if (!gst_contour_broker_sink_may_change (GST_CONTOUR_BROKER_SINK (self), pspec))
    return;
  GST_OBJECT_LOCK (self);
  if (!property_fields_set (fields, &self->settings, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_contour_mqtt_sink_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstContourMqttSink *self = GST_CONTOUR_MQTT_SINK (object);
  GST_OBJECT_LOCK (self);
  if (!property_fields_get (fields, &self->settings, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_contour_mqtt_sink_finalize (GObject *object)
{
  g_free (GST_CONTOUR_MQTT_SINK (object)->settings.status_topic);
  G_OBJECT_CLASS (gst_contour_mqtt_sink_parent_class)->finalize (object);
}

static void
gst_contour_mqtt_sink_class_init (GstContourMqttSinkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  object_class->set_property = gst_contour_mqtt_sink_set_property;
  object_class->get_property = gst_contour_mqtt_sink_get_property;
  object_class->finalize = gst_contour_mqtt_sink_finalize;

  /**
   * GstContourMqttSink:delivery-qos:
   *
   * MQTT's quality of service: 0 sends a message at most once, 1 at least once, 2 exactly once while a connection lasts. With
   * 0 a message counts as acknowledged when the system has taken it.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_DELIVERY_QOS,
      g_param_spec_int ("delivery-qos", "Delivery QoS",
          "MQTT's quality of service: 0 at most once, 1 at least once, 2 exactly once", 0, 2, DEFAULT_DELIVERY_QOS,
          flags));
  /**
   * GstContourMqttSink:mqtt-version:
   *
   * Version of the protocol. User properties with the identity of the frame need 5.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_MQTT_VERSION,
      g_param_spec_enum ("mqtt-version", "MQTT version", "Version of the protocol", GST_TYPE_CONTOUR_MQTT_VERSION,
          MQTT_VERSION_5, flags));
  /**
   * GstContourMqttSink:keep-alive:
   *
   * Seconds of silence after which the client asks the broker whether it is there. After as many again without an answer the
   * connection counts as lost; after one and a half of them the broker tells others that the client has gone.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_KEEP_ALIVE,
      g_param_spec_uint ("keep-alive", "Keep alive",
          "Seconds of silence after which either side asks whether the other one is there", 5, 65535,
          DEFAULT_KEEP_ALIVE, flags));
  /**
   * GstContourMqttSink:status-topic:
   *
   * Topic, with the fields of #GstContourBrokerSink:topic, that says "online" while the element is connected and "offline"
   * when it is not: by itself when it stops, by its last will when it cannot.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_STATUS_TOPIC,
      g_param_spec_string ("status-topic", "Status topic",
          "Topic that says online or offline, also by the last will (empty = none)", NULL, flags));
  /**
   * GstContourMqttSink:retain-status:
   *
   * Has the broker keep the last status for those who subscribe later.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_RETAIN_STATUS,
      g_param_spec_boolean ("retain-status", "Retain status",
          "The broker keeps the last status for those who subscribe later", TRUE, flags));

  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "Contour MQTT sink", "Sink/Network",
      "Sends the components and contours of each frame to an MQTT broker", "The gst-cuda-contours authors");
  gst_type_mark_as_plugin_api (GST_TYPE_CONTOUR_MQTT_VERSION, 0);
  GST_CONTOUR_BROKER_SINK_CLASS (klass)->client = (BrokerClientFunctions){
      .open = open_client,
      .send = mqtt_client_send,
      .work = mqtt_client_work,
      .wake = mqtt_client_wake,
      .close = mqtt_client_close,
      .max_taken = MQTT_MAX_TAKEN,
  };
}

static void
gst_contour_mqtt_sink_init (GstContourMqttSink *self)
{
  self->settings = (MqttSettings){
      .qos = DEFAULT_DELIVERY_QOS,
      .version = MQTT_VERSION_5,
      .keep_alive = DEFAULT_KEEP_ALIVE,
      .retain_status = TRUE,
  };
}
