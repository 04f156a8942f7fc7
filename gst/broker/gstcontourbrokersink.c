/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What sinks for message brokers share: properties, the message of each frame, waiting for room, the end of the stream. brokerlink.c
 * has the queue and the thread of the client library. Longer than 500 lines: a third of them install the properties. */
#include "gst/broker/gstcontourbrokersink.h"

#include "gst/base/propertyfields.h"
#include "gst/broker/payload.h"
#include "gst/export/framestream.h"

#include <gst/video/video.h>

GST_DEBUG_CATEGORY_STATIC (gst_contour_broker_sink_debug);
#define GST_CAT_DEFAULT gst_contour_broker_sink_debug

#define JSON_CAPS "application/x-json"

#define DEFAULT_MAX_QUEUE_MESSAGES 1000
#define DEFAULT_MAX_QUEUE_BYTES (G_GUINT64_CONSTANT (64) << 20)
#define DEFAULT_DRAIN_TIMEOUT (10 * GST_SECOND)

typedef struct {
  /* Properties, under the object lock; they cannot change while started. */
  BrokerSettings settings;
  gboolean started;

  /* Of the last start; changes under the object lock. */
  BrokerLink *link;

  /* Of the streaming thread. */
  ExportStream stream;
  gboolean text;  /* Buffers are text, not frames. */
  gchar *members; /* the identity in JSON; NULL: not asked for */
  guint64 index;  /* of the next frame */
} GstContourBrokerSinkPrivate;

enum {
  PROP_0,
  PROP_ADDRESS,
  PROP_TOPIC,
  PROP_SOURCE,
  PROP_CLIENT_ID,
  PROP_USERNAME,
  PROP_PASSWORD,
  PROP_CA_FILE,
  PROP_CERT_FILE,
  PROP_KEY_FILE,
  PROP_FORMAT,
  PROP_CODES,
  PROP_JSON_IDENTITY,
  PROP_MAX_QUEUE_MESSAGES,
  PROP_MAX_QUEUE_BYTES,
  PROP_LEAKY,
  PROP_DRAIN_TIMEOUT,
  PROP_STATS
};

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw(ANY); " JSON_CAPS));

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstContourBrokerSink, gst_contour_broker_sink, GST_TYPE_BASE_SINK,
    G_ADD_PRIVATE (GstContourBrokerSink) GST_DEBUG_CATEGORY_INIT (
        gst_contour_broker_sink_debug, "contourbrokersink", 0, "base class of sinks for message brokers"))

#define GET_PRIVATE(self) \
  ((GstContourBrokerSinkPrivate *) gst_contour_broker_sink_get_instance_private (GST_CONTOUR_BROKER_SINK (self)))

#define GST_TYPE_CONTOUR_BROKER_FORMAT (gst_contour_broker_format_get_type ())
static GType
gst_contour_broker_format_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {BROKER_FORMAT_JSON, "NDJSON: a line for each metadata of the frame", "json"},
      {BROKER_FORMAT_BINARY, "Metadata as bytes", "binary"},
      {0},
  };
  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstContourBrokerFormat", values));
  return type;
}

#define GST_TYPE_CONTOUR_BROKER_LEAKY (gst_contour_broker_leaky_get_type ())
static GType
gst_contour_broker_leaky_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {BROKER_LEAKY_NO, "The pipeline waits for room in the queue", "no"},
      {BROKER_LEAKY_UPSTREAM, "New messages are dropped", "upstream"},
      {BROKER_LEAKY_DOWNSTREAM, "The oldest messages are dropped", "downstream"},
      {0},
  };
  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstContourBrokerLeaky", values));
  return type;
}

/* The link of the last start with a reference, or NULL. */
static BrokerLink *
ref_link (GstContourBrokerSink *self)
{
  GST_OBJECT_LOCK (self);
  BrokerLink *link = GET_PRIVATE (self)->link;
  link = link ? broker_link_ref (link) : NULL;
  GST_OBJECT_UNLOCK (self);
  return link;
}

static void
set_link (GstContourBrokerSink *self, BrokerLink *link)
{
  GstContourBrokerSinkPrivate *priv = GET_PRIVATE (self);
  GST_OBJECT_LOCK (self);
  BrokerLink *before = priv->link;
  priv->link = link;
  GST_OBJECT_UNLOCK (self);
  if (before)
    broker_link_unref (before);
}

static void
post_error (GstContourBrokerSink *self, GError *error)
{
  gst_element_message_full (GST_ELEMENT (self), GST_MESSAGE_ERROR, error->domain, error->code,
      g_strdup (error->message), NULL, __FILE__, GST_FUNCTION, __LINE__);
  g_error_free (error);
}

/* The time of the start: two starts do not have the same one, and they sort by it. */
static gchar *
make_epoch (void)
{
  GDateTime *now = g_date_time_new_now_utc ();
  gchar *seconds = g_date_time_format (now, "%Y%m%dT%H%M%S");
  gchar *epoch = g_strdup_printf ("%s.%06dZ", seconds, g_date_time_get_microsecond (now));
  g_free (seconds);
  g_date_time_unref (now);
  return epoch;
}

static BrokerIdentity
make_identity (GstContourBrokerSink *self, const BrokerSettings *settings)
{
  BrokerIdentity identity = {
      .epoch = make_epoch (),
      .host = g_strdup (g_get_host_name ()),
      .format = settings->format == BROKER_FORMAT_JSON ? "json" : "binary",
  };
  gchar *name = gst_object_get_name (GST_OBJECT (self));
  gchar *source = settings->source ? g_strdup (settings->source) : g_strdup_printf ("%s-%s", identity.host, name);
  identity.source = g_utf8_make_valid (source, -1);
  g_free (source);
  g_free (name);
  return identity;
}

static gboolean
check_settings (const BrokerSettings *settings, GError **error)
{
  const gchar *missing = !settings->address ? "address" : !settings->topic ? "topic" : NULL;
  if (missing)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "No %s is set, so there is nowhere to send messages to. Set %s=….", missing, missing);
  return !missing;
}

static void
stop (GstContourBrokerSink *self)
{
  GstContourBrokerSinkPrivate *priv = GET_PRIVATE (self);
  broker_link_stop (priv->link); /* which stays for its numbers */
  GST_OBJECT_LOCK (self);
  priv->started = FALSE;
  GST_OBJECT_UNLOCK (self);
}

static void
set_started (GstContourBrokerSink *self, BrokerSettings *settings)
{
  GstContourBrokerSinkPrivate *priv = GET_PRIVATE (self);
  GST_OBJECT_LOCK (self);
  broker_settings_copy (settings, &priv->settings);
  priv->started = TRUE;
  GST_OBJECT_UNLOCK (self);
  priv->stream = (ExportStream){0};
  priv->index = 0;
}

static gboolean
start (GstContourBrokerSink *self)
{
  GstContourBrokerSinkPrivate *priv = GET_PRIVATE (self);
  BrokerSettings settings;
  GError *error = NULL;
  BrokerLink *link = NULL;
  set_started (self, &settings);
  if (check_settings (&settings, &error))
    link = broker_link_start (GST_ELEMENT (self), &GST_CONTOUR_BROKER_SINK_GET_CLASS (self)->client, &settings,
        make_identity (self, &settings), &error);
  const gboolean json_identity = settings.json_identity;
  broker_settings_clear (&settings);
  if (!link) {
    GST_OBJECT_LOCK (self);
    priv->started = FALSE;
    GST_OBJECT_UNLOCK (self);
    post_error (self, error);
    return FALSE;
  }
  g_free (priv->members);
  priv->members = json_identity ? broker_payload_make_members (broker_link_get_identity (link)) : NULL;
  set_link (self, link);
  if (broker_link_has_started (link))
    return TRUE;
  stop (self);
  return FALSE;
}

static GstStateChangeReturn
gst_contour_broker_sink_change_state (GstElement *element, GstStateChange transition)
{
  GstContourBrokerSink *self = GST_CONTOUR_BROKER_SINK (element);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start (self))
    return GST_STATE_CHANGE_FAILURE;
  const GstStateChangeReturn ret =
      GST_ELEMENT_CLASS (gst_contour_broker_sink_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED && ret == GST_STATE_CHANGE_FAILURE))
    stop (self);
  return ret;
}

static gboolean
gst_contour_broker_sink_set_caps (GstBaseSink *sink, GstCaps *caps)
{
  GstContourBrokerSinkPrivate *priv = GET_PRIVATE (sink);
  priv->text = gst_structure_has_name (gst_caps_get_structure (caps, 0), JSON_CAPS);
  if (!priv->text)
    export_stream_set_caps (&priv->stream, caps);
  else if (broker_link_get_settings (priv->link)->format != BROKER_FORMAT_JSON) {
    /* The caps come again with each buffer, and one error is enough. */
    GError *error = g_error_new_literal (GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "format=binary needs frames, and these are text (" JSON_CAPS
        "). Link the element behind the analysers, or set format=json.");
    broker_link_fail (priv->link, error);
    g_error_free (error);
    return FALSE;
  }
  return TRUE;
}

/* Frames are not read, so however their planes lie is welcome. */
static gboolean
gst_contour_broker_sink_propose_allocation (GstBaseSink *sink, GstQuery *query)
{
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return TRUE;
}

/* Makes the message of BUFFER; FRAME becomes its number. */
static GstFlowReturn
make_payload (GstContourBrokerSink *self, GstBuffer *buffer, GBytes **payload, guint64 *frame)
{
  GstContourBrokerSinkPrivate *priv = GET_PRIVATE (self);
  const BrokerSettings *settings = broker_link_get_settings (priv->link);
  GstBaseSink *sink = GST_BASE_SINK (self);
  GstFlowReturn ret = GST_FLOW_OK;
  GError *error = NULL;

  *frame = priv->index++;
  if (priv->text) {
    *payload = broker_payload_copy_text (buffer, priv->members, frame, &error);
  } else {
    ExportFrame described =
        export_stream_describe (&priv->stream, GST_BASE_SINK_PAD (sink), *frame, buffer, &sink->segment);
    described.identity = priv->members;
    if (settings->format == BROKER_FORMAT_JSON)
      ret = broker_payload_write_json (buffer, &described, settings->codes, GST_BASE_SINK_PAD (sink), payload, &error);
    else
      *payload = broker_payload_write_bytes (buffer, &described, broker_link_get_identity (priv->link), &error);
  }
  if (!error)
    return ret;
  post_error (self, error);
  return GST_FLOW_ERROR;
}

static GstFlowReturn
gst_contour_broker_sink_render (GstBaseSink *sink, GstBuffer *buffer)
{
  GstContourBrokerSink *self = GST_CONTOUR_BROKER_SINK (sink);
  GstContourBrokerSinkPrivate *priv = GET_PRIVATE (self);
  GBytes *payload = NULL;
  guint64 frame;
  GstFlowReturn ret = make_payload (self, buffer, &payload, &frame);
  if (ret != GST_FLOW_OK)
    return ret;
  BrokerWait pushed;
  do {
    pushed = broker_link_push (priv->link, payload, frame);
    if (pushed == BROKER_UNLOCKED)
      ret = gst_base_sink_wait_preroll (sink);
  } while (pushed == BROKER_UNLOCKED && ret == GST_FLOW_OK);
  g_bytes_unref (payload);
  /* The queue is closed only by an error, which has been posted, and when the pads no longer work. */
  return pushed == BROKER_CLOSED ? GST_FLOW_ERROR : ret;
}

static gboolean
gst_contour_broker_sink_set_unlocked (GstBaseSink *sink, gboolean unlocked)
{
  BrokerLink *link = ref_link (GST_CONTOUR_BROKER_SINK (sink));
  if (link) {
    broker_queue_set_unlocked (broker_link_get_queue (link), unlocked);
    broker_link_unref (link);
  }
  return TRUE;
}

static gboolean
gst_contour_broker_sink_unlock (GstBaseSink *sink)
{
  return gst_contour_broker_sink_set_unlocked (sink, TRUE);
}

static gboolean
gst_contour_broker_sink_unlock_stop (GstBaseSink *sink)
{
  return gst_contour_broker_sink_set_unlocked (sink, FALSE);
}

/* Waits until the broker has everything, or gives up. Returns FALSE if the stream flushes meanwhile. */
static gboolean
drain (GstContourBrokerSink *self)
{
  BrokerLink *link = GET_PRIVATE (self)->link;
  const gint64 timeout = (gint64) (broker_link_get_settings (link)->drain_timeout / GST_USECOND);
  const gint64 end = g_get_monotonic_time () + timeout;
  BrokerWait waited;
  while ((waited = broker_queue_wait_empty (broker_link_get_queue (link), end - g_get_monotonic_time ()))
         == BROKER_UNLOCKED)
    if (gst_base_sink_wait_preroll (GST_BASE_SINK (self)) != GST_FLOW_OK)
      return FALSE;
  if (waited == BROKER_TIMEOUT) {
    gchar *reason =
        g_strdup_printf ("the broker did not acknowledge them within %.3g s after the end of the stream. A longer "
                         "drain-timeout waits longer.",
            timeout / (gdouble) G_TIME_SPAN_SECOND);
    broker_link_give_up (link, reason);
    g_free (reason);
  }
  broker_link_report_lost (link);
  return TRUE;
}

static gboolean
gst_contour_broker_sink_event (GstBaseSink *sink, GstEvent *event)
{
  GstContourBrokerSink *self = GST_CONTOUR_BROKER_SINK (sink);
  export_stream_event (&GET_PRIVATE (self)->stream, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS && !drain (self)) {
    gst_event_unref (event);
    return FALSE;
  }
  return GST_BASE_SINK_CLASS (gst_contour_broker_sink_parent_class)->event (sink, event);
}

gboolean
gst_contour_broker_sink_may_change (GstContourBrokerSink *self, GParamSpec *pspec)
{
  GST_OBJECT_LOCK (self);
  const gboolean started = GET_PRIVATE (self)->started;
  GST_OBJECT_UNLOCK (self);
  if (started)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("The property \"%s\" cannot change while the element runs. Set it in READY.", pspec->name), (NULL));
  return !started;
}

static const PropertyField fields[] = {
    PROPERTY_FIELD (PROP_ADDRESS, BrokerSettings, address),
    PROPERTY_FIELD (PROP_TOPIC, BrokerSettings, topic),
    PROPERTY_FIELD (PROP_SOURCE, BrokerSettings, source),
    PROPERTY_FIELD (PROP_CLIENT_ID, BrokerSettings, client_id),
    PROPERTY_FIELD (PROP_USERNAME, BrokerSettings, username),
    PROPERTY_FIELD (PROP_PASSWORD, BrokerSettings, password),
    PROPERTY_FIELD (PROP_CA_FILE, BrokerSettings, ca_file),
    PROPERTY_FIELD (PROP_CERT_FILE, BrokerSettings, cert_file),
    PROPERTY_FIELD (PROP_KEY_FILE, BrokerSettings, key_file),
    PROPERTY_FIELD (PROP_FORMAT, BrokerSettings, format),
    PROPERTY_FIELD (PROP_CODES, BrokerSettings, codes),
    PROPERTY_FIELD (PROP_JSON_IDENTITY, BrokerSettings, json_identity),
    PROPERTY_FIELD (PROP_MAX_QUEUE_MESSAGES, BrokerSettings, max_queue_messages),
    PROPERTY_FIELD (PROP_MAX_QUEUE_BYTES, BrokerSettings, max_queue_bytes),
    PROPERTY_FIELD (PROP_LEAKY, BrokerSettings, leaky),
    PROPERTY_FIELD (PROP_DRAIN_TIMEOUT, BrokerSettings, drain_timeout),
    {0},
};

static void
gst_contour_broker_sink_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstContourBrokerSink *self = GST_CONTOUR_BROKER_SINK (object);
  if (!gst_contour_broker_sink_may_change (self, pspec))
    return;
  GST_OBJECT_LOCK (self);
  if (!property_fields_set (fields, &GET_PRIVATE (self)->settings, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (self);
}

static GstStructure *
make_stats (GstContourBrokerSink *self)
{
  BrokerLink *link = ref_link (self);
  GstStructure *stats = broker_link_get_stats (link);
  if (link)
    broker_link_unref (link);
  return stats;
}

static void
gst_contour_broker_sink_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstContourBrokerSink *self = GST_CONTOUR_BROKER_SINK (object);
  if (id == PROP_STATS) {
    g_value_take_boxed (value, make_stats (self));
    return;
  }
  GST_OBJECT_LOCK (self);
  if (!property_fields_get (fields, &GET_PRIVATE (self)->settings, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_contour_broker_sink_finalize (GObject *object)
{
  GstContourBrokerSinkPrivate *priv = GET_PRIVATE (object);
  broker_settings_clear (&priv->settings);
  g_free (priv->members);
  if (priv->link)
    broker_link_unref (priv->link);
  G_OBJECT_CLASS (gst_contour_broker_sink_parent_class)->finalize (object);
}

static void
install_texts (GObjectClass *object_class, GParamFlags flags)
{
  static const struct {
    guint id;
    const gchar *name, *nick, *blurb;
  } texts[] = {
      {PROP_ADDRESS, "address", "Address", "Where the broker is: host:port, or a URI (required)"},
      {PROP_TOPIC, "topic", "Topic",
          "Topic of the messages, with the fields %{source}, %{epoch}, %{host}, %{format} and %{frame} (required)"},
      {PROP_SOURCE, "source", "Source", "Name of the camera (empty = name of the computer and of the element)"},
      {PROP_CLIENT_ID, "client-id", "Client ID", "Name of this client at the broker (empty = one is made)"},
      {PROP_USERNAME, "username", "User name", "User name at the broker (empty = none)"},
      {PROP_CA_FILE, "ca-file", "CA file",
          "PEM file of the authorities that may have signed the broker's certificate (empty = those of the system)"},
      {PROP_CERT_FILE, "cert-file", "Certificate file", "PEM file of this client's certificate (empty = none)"},
      {PROP_KEY_FILE, "key-file", "Key file", "PEM file of the private key of cert-file (empty = none)"},
  };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_object_class_install_property (
        object_class, texts[i].id, g_param_spec_string (texts[i].name, texts[i].nick, texts[i].blurb, NULL, flags));
  /* Nobody can read it, so pictures and logs of the pipeline do not tell it. */
  g_object_class_install_property (object_class, PROP_PASSWORD,
      g_param_spec_string ("password", "Password", "Password of the user at the broker; cannot be read", NULL,
          (flags & ~G_PARAM_READABLE)));
}

static void
install_properties (GObjectClass *object_class)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;
  install_texts (object_class, flags);
  g_object_class_install_property (object_class, PROP_FORMAT,
      g_param_spec_enum (
          "format", "Format", "What a message contains", GST_TYPE_CONTOUR_BROKER_FORMAT, BROKER_FORMAT_JSON, flags));
  g_object_class_install_property (object_class, PROP_CODES,
      g_param_spec_boolean (
          "codes", "Codes", "Write chain and crack codes instead of points (JSON of frames)", FALSE, flags));
  g_object_class_install_property (object_class, PROP_JSON_IDENTITY,
      g_param_spec_boolean ("json-identity", "Identity in JSON",
          "Write the camera and the epoch into each line of JSON, so that consumers can tell frames apart", TRUE,
          flags));
  g_object_class_install_property (object_class, PROP_MAX_QUEUE_MESSAGES,
      g_param_spec_uint64 ("max-queue-messages", "Maximum of messages",
          "Messages that may wait for the broker or its acknowledgement (0 = no limit)", 0, G_MAXUINT64,
          DEFAULT_MAX_QUEUE_MESSAGES, flags));
  g_object_class_install_property (object_class, PROP_MAX_QUEUE_BYTES,
      g_param_spec_uint64 ("max-queue-bytes", "Maximum of bytes",
          "Bytes of the messages that may wait for the broker or its acknowledgement (0 = no limit)", 0, G_MAXUINT64,
          DEFAULT_MAX_QUEUE_BYTES, flags));
  g_object_class_install_property (object_class, PROP_LEAKY,
      g_param_spec_enum ("leaky", "Leaky", "What happens when the queue is full", GST_TYPE_CONTOUR_BROKER_LEAKY,
          BROKER_LEAKY_NO, flags));
  g_object_class_install_property (object_class, PROP_DRAIN_TIMEOUT,
      g_param_spec_uint64 ("drain-timeout", "Drain timeout",
          "How long the end of the stream waits for acknowledgements, in nanoseconds", 0, G_MAXUINT64 / 2,
          DEFAULT_DRAIN_TIMEOUT, flags));
  g_object_class_install_property (object_class, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Counts of messages since the start: sent, acknowledged, queued, queued-bytes, lost, reconnects, connected",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

static void
gst_contour_broker_sink_class_init (GstContourBrokerSinkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSinkClass *sink_class = GST_BASE_SINK_CLASS (klass);

  object_class->set_property = gst_contour_broker_sink_set_property;
  object_class->get_property = gst_contour_broker_sink_get_property;
  object_class->finalize = gst_contour_broker_sink_finalize;
  install_properties (object_class);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_type_mark_as_plugin_api (GST_TYPE_CONTOUR_BROKER_SINK, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CONTOUR_BROKER_FORMAT, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CONTOUR_BROKER_LEAKY, 0);

  element_class->change_state = GST_DEBUG_FUNCPTR (gst_contour_broker_sink_change_state);
  sink_class->set_caps = GST_DEBUG_FUNCPTR (gst_contour_broker_sink_set_caps);
  sink_class->propose_allocation = GST_DEBUG_FUNCPTR (gst_contour_broker_sink_propose_allocation);
  sink_class->render = GST_DEBUG_FUNCPTR (gst_contour_broker_sink_render);
  sink_class->event = GST_DEBUG_FUNCPTR (gst_contour_broker_sink_event);
  sink_class->unlock = GST_DEBUG_FUNCPTR (gst_contour_broker_sink_unlock);
  sink_class->unlock_stop = GST_DEBUG_FUNCPTR (gst_contour_broker_sink_unlock_stop);
}

static void
gst_contour_broker_sink_init (GstContourBrokerSink *self)
{
  GET_PRIVATE (self)->settings = (BrokerSettings){
      .json_identity = TRUE,
      .max_queue_messages = DEFAULT_MAX_QUEUE_MESSAGES,
      .max_queue_bytes = DEFAULT_MAX_QUEUE_BYTES,
      .drain_timeout = DEFAULT_DRAIN_TIMEOUT,
  };
  /* Messages go out when their frames come, and no frame is held back for a preroll that nobody sees. */
  gst_base_sink_set_sync (GST_BASE_SINK (self), FALSE);
  gst_base_sink_set_last_sample_enabled (GST_BASE_SINK (self), FALSE);
}
