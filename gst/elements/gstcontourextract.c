/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-contourextract
 * @title: contourextract
 * @short_description: Gives the components and contours of each frame as a stream of JSON
 *
 * Passes frames through untouched, in any kind of memory, from the pad `sink` to the pad `src`. For each frame the pad
 * `json_src` gives one buffer of UTF-8 text with the time stamps of the frame: what `contourexport format=ndjson` writes,
 * one line for each #GstContoursComponentMeta and #GstContoursContourMeta, or one for a frame without any.
 * docs/export-schema.md describes every field. Elements that take bytes, such as tcpserversink, udpsink, filesink and
 * appsink, can follow.
 *
 * The text is pushed before its frame. As behind a tee, a consumer that blocks holds up both branches; put a queue behind
 * each pad. While `json_src` is not linked, no text is made and nothing is fetched from the GPU for it.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc pattern=ball num-buffers=50 ! video/x-raw,format=NV12 ! cudacca ! contourextract name=e
 * e.src ! queue ! fakesink e.json_src ! queue ! filesink location=components.ndjson
 * ]| Writes the components of each frame, as contourexport does.
 * |[
 * gst-launch-1.0 videotestsrc pattern=ball is-live=true ! video/x-raw,format=NV12 ! cudaborders ! contourextract name=e
 * e.src ! queue ! videoconvert ! autovideosink e.json_src ! queue ! tcpserversink host=127.0.0.1 port=5000
 * ]| Sends the contours to everyone who connects, such as `nc 127.0.0.1 5000`.
 *
 * Since: 0.1
 */
#include "gst/elements/gstcontourextract.h"

#include "gst/base/allocation.h"
#include "gst/base/eventflow.h"
#include "gst/export/framemetas.h"
#include "gst/export/framestream.h"

#include <gst/base/gstflowcombiner.h>

GST_DEBUG_CATEGORY_STATIC (gst_contour_extract_debug);
#define GST_CAT_DEFAULT gst_contour_extract_debug

struct _GstContourExtract {
  GstElement parent;

  GstPad *sink;
  GstPad *src;
  GstPad *json;
  GstFlowCombiner *flows;

  gboolean codes; /* property, under the object lock */

  /* Of the streaming thread. */
  ExportStream stream;
  GstSegment segment;
  guint64 index; /* of the next frame */
};

enum { PROP_0, PROP_CODES };

#define JSON_CAPS "application/x-json"
#define VIDEO_CAPS GST_STATIC_CAPS ("video/x-raw(ANY)")
static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, VIDEO_CAPS);
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, VIDEO_CAPS);
static GstStaticPadTemplate json_template =
    GST_STATIC_PAD_TEMPLATE ("json_src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (JSON_CAPS));

G_DEFINE_TYPE (GstContourExtract, gst_contour_extract, GST_TYPE_ELEMENT)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (contourextract, "contourextract", GST_RANK_NONE, GST_TYPE_CONTOUR_EXTRACT,
    GST_DEBUG_CATEGORY_INIT (gst_contour_extract_debug, "contourextract", 0, "contourextract element"))

/* The text of a frame may be long: writing it stops when the pads flush or the element stops. */
static GstFlowReturn
check_flushing (gpointer user_data)
{
  GstContourExtract *self = user_data;
  return GST_PAD_IS_FLUSHING (self->json) || GST_PAD_IS_FLUSHING (self->sink) ? GST_FLOW_FLUSHING : GST_FLOW_OK;
}

/* Makes the text of FRAME. */
static GstFlowReturn
write_text (GstContourExtract *self, GstBuffer *frame, GstBuffer **text)
{
  GError *error = NULL;
  ExportMetas metas;
  GST_OBJECT_LOCK (self);
  const ExportFormat *format = self->codes ? &export_ndjson_codes : &export_ndjson;
  GST_OBJECT_UNLOCK (self);
  if (!export_metas_fetch (frame, format, &metas, &error)) {
    gst_element_message_full (GST_ELEMENT (self), GST_MESSAGE_ERROR, error->domain, error->code,
        g_strdup (error->message), NULL, __FILE__, GST_FUNCTION, __LINE__);
    g_error_free (error);
    return GST_FLOW_ERROR;
  }
  ExportFrame described = export_stream_describe (&self->stream, self->sink, self->index, frame, &self->segment);
  export_metas_describe (&metas, &described);
  GString *out = g_string_new (NULL);
  const ExportText to = {out, check_flushing, self};
  const GstFlowReturn ret = export_metas_write (frame, format, NULL, &to, &described, metas.count);
  if (ret != GST_FLOW_OK) {
    g_string_free (out, TRUE);
    return ret;
  }
  const gsize size = out->len;
  *text = gst_buffer_new_wrapped (g_string_free (out, FALSE), size);
  GST_BUFFER_PTS (*text) = GST_BUFFER_PTS (frame);
  GST_BUFFER_DTS (*text) = GST_BUFFER_DTS (frame);
  GST_BUFFER_DURATION (*text) = GST_BUFFER_DURATION (frame);
  return GST_FLOW_OK;
}

static GstFlowReturn
gst_contour_extract_chain (GstPad *pad, GstObject *parent, GstBuffer *frame)
{
  GstContourExtract *self = GST_CONTOUR_EXTRACT (parent);
  GstFlowReturn ret = GST_FLOW_NOT_LINKED;
  if (gst_pad_is_linked (self->json)) {
    GstBuffer *text = NULL;
    ret = write_text (self, frame, &text);
    if (text)
      ret = gst_pad_push (self->json, text);
  }
  self->index++;
  ret = gst_flow_combiner_update_pad_flow (self->flows, self->json, ret);
  if (ret < GST_FLOW_OK && ret != GST_FLOW_NOT_LINKED && ret != GST_FLOW_EOS) {
    gst_buffer_unref (frame);
    return ret;
  }
  return gst_flow_combiner_update_pad_flow (self->flows, self->src, gst_pad_push (self->src, frame));
}

/* Begins the stream of text as a stream of its own. */
static void
begin_json (GstContourExtract *self, GstEvent *upstream)
{
  GstStreamFlags flags;
  guint group;
  gst_event_parse_stream_flags (upstream, &flags);
  gchar *id = gst_pad_create_stream_id (self->json, GST_ELEMENT (self), "json");
  GstEvent *start = gst_event_new_stream_start (id);
  gst_event_set_stream_flags (start, flags & ~GST_STREAM_FLAG_SELECT);
  if (gst_event_parse_group_id (upstream, &group))
    gst_event_set_group_id (start, group);
  gst_event_set_seqnum (start, gst_event_get_seqnum (upstream));
  gst_pad_push_event (self->json, start);
  gst_pad_push_event (self->json, gst_event_new_caps (gst_pad_get_pad_template_caps (self->json)));
  g_free (id);
}

static gboolean
gst_contour_extract_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstContourExtract *self = GST_CONTOUR_EXTRACT (parent);
  GstCaps *caps;

  export_stream_event (&self->stream, event);
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
      begin_json (self, event);
      break;
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      export_stream_set_caps (&self->stream, caps);
      break;
    case GST_EVENT_TAG: /* of the video */
      break;
    case GST_EVENT_SEGMENT:
      gst_event_copy_segment (event, &self->segment);
      gst_pad_push_event (self->json, gst_event_ref (event));
      break;
    case GST_EVENT_FLUSH_STOP:
      gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
      gst_flow_combiner_reset (self->flows);
      gst_pad_push_event (self->json, gst_event_ref (event));
      break;
    default:
      gst_pad_push_event (self->json, gst_event_ref (event));
      break;
  }
  return gst_pad_push_event (self->src, event);
}

/* The rate at which text is consumed does not concern the source of the frames, nor do the caps of the text. */
static gboolean
gst_contour_extract_json_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_QOS:
    case GST_EVENT_RECONFIGURE:
      gst_event_unref (event);
      return TRUE;
    default:
      return gst_pad_event_default (pad, parent, event);
  }
}

/* Queries and events go from `sink` to `src` and back; from `json_src` they go upstream. Caps of frames never meet those of text. */
static GstIterator *
gst_contour_extract_iterate_links (GstPad *pad, GstObject *parent)
{
  GstContourExtract *self = GST_CONTOUR_EXTRACT (parent);
  GValue value = G_VALUE_INIT;
  g_value_init (&value, GST_TYPE_PAD);
  g_value_set_object (&value, pad == self->sink ? self->src : self->sink);
  GstIterator *iterator = gst_iterator_new_single (GST_TYPE_PAD, &value);
  g_value_unset (&value);
  return iterator;
}

static gboolean
gst_contour_extract_sink_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstContourExtract *self = GST_CONTOUR_EXTRACT (parent);
  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return gst_pad_query_default (pad, parent, query);
  const gboolean answered = gst_pad_peer_query (self->src, query);
  allocation_drop_placement_metas (query);
  return answered;
}

static GstStateChangeReturn
gst_contour_extract_change_state (GstElement *element, GstStateChange transition)
{
  GstContourExtract *self = GST_CONTOUR_EXTRACT (element);

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    self->index = 0;
    self->stream = (ExportStream){0};
    gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
    gst_flow_combiner_reset (self->flows);
  }
  return GST_ELEMENT_CLASS (gst_contour_extract_parent_class)->change_state (element, transition);
}

static void
gst_contour_extract_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstContourExtract *self = GST_CONTOUR_EXTRACT (object);

  if (id != PROP_CODES) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    return;
  }
  GST_OBJECT_LOCK (self);
  self->codes = g_value_get_boolean (value);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_contour_extract_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstContourExtract *self = GST_CONTOUR_EXTRACT (object);

  if (id != PROP_CODES) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    return;
  }
  GST_OBJECT_LOCK (self);
  g_value_set_boolean (value, self->codes);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_contour_extract_finalize (GObject *object)
{
  gst_flow_combiner_free (GST_CONTOUR_EXTRACT (object)->flows);
  G_OBJECT_CLASS (gst_contour_extract_parent_class)->finalize (object);
}

static void
gst_contour_extract_class_init (GstContourExtractClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = gst_contour_extract_set_property;
  object_class->get_property = gst_contour_extract_get_property;
  object_class->finalize = gst_contour_extract_finalize;

  /**
   * GstContourExtract:codes:
   *
   * Writes chain codes of borders and crack codes of level contours instead of their points, as #GstContourExport:codes.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_CODES,
      g_param_spec_boolean ("codes", "Codes", "Write chain and crack codes instead of points", FALSE,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_add_static_pad_template (element_class, &json_template);
  gst_element_class_set_static_metadata (element_class, "Contour extractor", "Metadata/Video",
      "Gives the components and contours of each frame as a stream of JSON, beside the frames",
      "The gst-cuda-contours authors");
  element_class->change_state = GST_DEBUG_FUNCPTR (gst_contour_extract_change_state);
}

static GstPad *
add_pad (GstContourExtract *self, GstStaticPadTemplate *template)
{
  GstPad *pad = gst_pad_new_from_static_template (template, template->name_template);
  gst_pad_set_iterate_internal_links_function (pad, gst_contour_extract_iterate_links);
  gst_element_add_pad (GST_ELEMENT (self), pad);
  return pad;
}

static void
gst_contour_extract_init (GstContourExtract *self)
{
  self->sink = add_pad (self, &sink_template);
  self->src = add_pad (self, &src_template);
  self->json = add_pad (self, &json_template);
  gst_pad_set_chain_function (self->sink, gst_contour_extract_chain);
  gst_pad_set_event_function (self->sink, gst_contour_extract_sink_event);
  event_flow_install (self->sink);
  gst_pad_set_query_function (self->sink, gst_contour_extract_sink_query);
  gst_pad_set_event_function (self->json, gst_contour_extract_json_event);
  gst_pad_use_fixed_caps (self->json);
  GST_PAD_SET_PROXY_CAPS (self->sink);
  GST_PAD_SET_PROXY_CAPS (self->src);
  GST_PAD_SET_PROXY_SCHEDULING (self->sink);
  self->flows = gst_flow_combiner_new ();
  gst_flow_combiner_add_pad (self->flows, self->src);
  gst_flow_combiner_add_pad (self->flows, self->json);
}
