/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-contourkafkasink
 * @title: contourkafkasink
 * @short_description: Sends the components and contours of each frame to Apache Kafka
 *
 * Takes frames with #GstContoursComponentMeta and #GstContoursContourMeta, in any kind of memory, or the text of
 * `contourextract`, and produces one record for each frame, once and in the order of the frames of a camera. It connects
 * again by itself when the brokers were away, keeps what it could not deliver meanwhile in a queue, and counts what did not
 * fit. docs/contourkafkasink.md describes all of it.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc pattern=ball is-live=true ! video/x-raw,format=NV12 ! cudaborders !
 * contourkafkasink address=localhost:9092 topic=contours source=ball
 * ]| `kcat -C -b localhost:9092 -t contours` prints them.
 *
 * Since: 0.1
 */
#include "gst/elements/gstcontourkafkasink.h"

#include "gst/base/propertyfields.h"
#include "gst/broker/kafkalink.h"

struct _GstContourKafkaSink {
  GstContourBrokerSink parent;
  KafkaOptions options; /* properties, under the object lock */
};

enum {
  PROP_0,
  PROP_KEY,
  PROP_ACKS,
  PROP_IDEMPOTENCE,
  PROP_COMPRESSION,
  PROP_SECURITY_PROTOCOL,
  PROP_SASL_MECHANISM,
  PROP_MAX_RECORD_BYTES
};

#define DEFAULT_KEY "%{source}"
#define DEFAULT_MAX_RECORD_BYTES 1000000

G_DEFINE_TYPE (GstContourKafkaSink, gst_contour_kafka_sink, GST_TYPE_CONTOUR_BROKER_SINK)
GST_ELEMENT_REGISTER_DEFINE (contourkafkasink, "contourkafkasink", GST_RANK_NONE, GST_TYPE_CONTOUR_KAFKA_SINK)

/* The enumeration NAME with VALUES, registered once in TYPE. */
static GType
get_enum (gsize *type, const gchar *name, const GEnumValue *values)
{
  if (g_once_init_enter (type))
    g_once_init_leave (type, g_enum_register_static (name, values));
  return *type;
}

#define GST_TYPE_CONTOUR_KAFKA_ACKS (gst_contour_kafka_acks_get_type ())
static GType
gst_contour_kafka_acks_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {KAFKA_ACKS_ALL, "All replicas that are in step have the record", "all"},
      {KAFKA_ACKS_LEADER, "The leader of the partition has the record", "1"},
      {KAFKA_ACKS_NONE, "The record was sent", "0"},
      {0},
  };
  return get_enum (&type, "GstContourKafkaAcks", values);
}

#define GST_TYPE_CONTOUR_KAFKA_COMPRESSION (gst_contour_kafka_compression_get_type ())
static GType
gst_contour_kafka_compression_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {KAFKA_COMPRESSION_NONE, "None", "none"},
      {KAFKA_COMPRESSION_GZIP, "gzip", "gzip"},
      {KAFKA_COMPRESSION_SNAPPY, "Snappy", "snappy"},
      {KAFKA_COMPRESSION_LZ4, "LZ4", "lz4"},
      {KAFKA_COMPRESSION_ZSTD, "Zstandard", "zstd"},
      {0},
  };
  return get_enum (&type, "GstContourKafkaCompression", values);
}

#define GST_TYPE_CONTOUR_KAFKA_SECURITY (gst_contour_kafka_security_get_type ())
static GType
gst_contour_kafka_security_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {KAFKA_PLAINTEXT, "Neither encryption nor a user", "plaintext"},
      {KAFKA_SSL, "TLS", "ssl"},
      {KAFKA_SASL_PLAINTEXT, "A user, without encryption", "sasl-plaintext"},
      {KAFKA_SASL_SSL, "A user over TLS", "sasl-ssl"},
      {0},
  };
  return get_enum (&type, "GstContourKafkaSecurity", values);
}

#define GST_TYPE_CONTOUR_KAFKA_MECHANISM (gst_contour_kafka_mechanism_get_type ())
static GType
gst_contour_kafka_mechanism_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {KAFKA_SASL_PLAIN, "PLAIN", "plain"},
      {KAFKA_SASL_SCRAM_SHA_256, "SCRAM-SHA-256", "scram-sha-256"},
      {KAFKA_SASL_SCRAM_SHA_512, "SCRAM-SHA-512", "scram-sha-512"},
      {0},
  };
  return get_enum (&type, "GstContourKafkaMechanism", values);
}

static gpointer
open_client (GstElement *element, BrokerLink *link, GError **error)
{
  GstContourKafkaSink *self = GST_CONTOUR_KAFKA_SINK (element);
  GST_OBJECT_LOCK (self);
  KafkaOptions options = self->options;
  options.key = g_strdup (options.key);
  GST_OBJECT_UNLOCK (self);
  gpointer client = kafka_link_open (link, &options, error);
  g_free (options.key);
  return client;
}

static const PropertyField fields[] = {
    PROPERTY_FIELD (PROP_KEY, KafkaOptions, key),
    PROPERTY_FIELD (PROP_ACKS, KafkaOptions, acks),
    PROPERTY_FIELD (PROP_IDEMPOTENCE, KafkaOptions, idempotence),
    PROPERTY_FIELD (PROP_COMPRESSION, KafkaOptions, compression),
    PROPERTY_FIELD (PROP_SECURITY_PROTOCOL, KafkaOptions, security),
    PROPERTY_FIELD (PROP_SASL_MECHANISM, KafkaOptions, mechanism),
    PROPERTY_FIELD (PROP_MAX_RECORD_BYTES, KafkaOptions, max_record_bytes),
    {0},
};

static void
gst_contour_kafka_sink_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstContourKafkaSink *self = GST_CONTOUR_KAFKA_SINK (object);
  if (!gst_contour_broker_sink_may_change (GST_CONTOUR_BROKER_SINK (self), pspec))
    return;
  GST_OBJECT_LOCK (self);
  if (!property_fields_set (fields, &self->options, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_contour_kafka_sink_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstContourKafkaSink *self = GST_CONTOUR_KAFKA_SINK (object);
  GST_OBJECT_LOCK (self);
  if (!property_fields_get (fields, &self->options, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_contour_kafka_sink_finalize (GObject *object)
{
  g_free (GST_CONTOUR_KAFKA_SINK (object)->options.key);
  G_OBJECT_CLASS (gst_contour_kafka_sink_parent_class)->finalize (object);
}

static void
install_properties (GObjectClass *object_class)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  /**
   * GstContourKafkaSink:key:
   *
   * Key of the records, with the fields of #GstContourBrokerSink:topic. Records of one key are in one partition, in order;
   * without a key they go to any.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_KEY,
      g_param_spec_string ("key", "Key",
          "Key of the records, with the fields of topic; records of one key stay in order (empty = none)", DEFAULT_KEY,
          flags));
  /**
   * GstContourKafkaSink:acks:
   *
   * When a record counts as acknowledged. With "0" nobody notices what is lost on the way.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_ACKS,
      g_param_spec_enum ("acks", "Acknowledgements", "Who has to have a record before it counts as acknowledged",
          GST_TYPE_CONTOUR_KAFKA_ACKS, KAFKA_ACKS_ALL, flags));
  /**
   * GstContourKafkaSink:idempotence:
   *
   * Numbers the batches, so the broker does not store those twice that are sent again. Needs #GstContourKafkaSink:acks "all".
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_IDEMPOTENCE,
      g_param_spec_boolean ("idempotence", "Idempotence",
          "The broker stores each record once, also when it has to be sent again (needs acks=all)", TRUE, flags));
  /**
   * GstContourKafkaSink:compression:
   *
   * Compression of batches of records.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_COMPRESSION,
      g_param_spec_enum ("compression", "Compression", "Compression of batches of records",
          GST_TYPE_CONTOUR_KAFKA_COMPRESSION, KAFKA_COMPRESSION_NONE, flags));
  /**
   * GstContourKafkaSink:security-protocol:
   *
   * Encryption and authentication.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_SECURITY_PROTOCOL,
      g_param_spec_enum ("security-protocol", "Security protocol", "Encryption and authentication",
          GST_TYPE_CONTOUR_KAFKA_SECURITY, KAFKA_PLAINTEXT, flags));
  /**
   * GstContourKafkaSink:sasl-mechanism:
   *
   * How the user proves the password, with a #GstContourKafkaSink:security-protocol that has a user.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_SASL_MECHANISM,
      g_param_spec_enum ("sasl-mechanism", "SASL mechanism", "How the user proves the password",
          GST_TYPE_CONTOUR_KAFKA_MECHANISM, KAFKA_SASL_PLAIN, flags));
  /**
   * GstContourKafkaSink:max-record-bytes:
   *
   * Bytes of a record with its headers. A larger one is lost, with a warning. The broker's own limit is message.max.bytes.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_MAX_RECORD_BYTES,
      g_param_spec_uint ("max-record-bytes", "Maximum of bytes of a record",
          "Bytes of a record with its headers; a larger one is lost, with a warning", 1000, 1000000000,
          DEFAULT_MAX_RECORD_BYTES, flags));
}

static void
gst_contour_kafka_sink_class_init (GstContourKafkaSinkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->set_property = gst_contour_kafka_sink_set_property;
  object_class->get_property = gst_contour_kafka_sink_get_property;
  object_class->finalize = gst_contour_kafka_sink_finalize;
  install_properties (object_class);

  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "Contour Kafka sink", "Sink/Network",
      "Sends the components and contours of each frame to Apache Kafka", "The gst-cuda-contours authors");
  gst_type_mark_as_plugin_api (GST_TYPE_CONTOUR_KAFKA_ACKS, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CONTOUR_KAFKA_COMPRESSION, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CONTOUR_KAFKA_SECURITY, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CONTOUR_KAFKA_MECHANISM, 0);
  GST_CONTOUR_BROKER_SINK_CLASS (klass)->client = (BrokerClientFunctions){
      .open = open_client,
      .send = kafka_link_send,
      .work = kafka_link_work,
      .wake = kafka_link_wake,
      .close = kafka_link_close,
      .max_taken = KAFKA_MAX_TAKEN,
  };
}

static void
gst_contour_kafka_sink_init (GstContourKafkaSink *self)
{
  self->options = (KafkaOptions){
      .key = g_strdup (DEFAULT_KEY),
      .acks = KAFKA_ACKS_ALL,
      .idempotence = TRUE,
      .max_record_bytes = DEFAULT_MAX_RECORD_BYTES,
  };
}
