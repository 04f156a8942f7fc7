/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-contourexport
 * @title: contourexport
 * @short_description: Exports components and contours to files, pipes or the terminal
 *
 * Passes frames through untouched, in any kind of memory, and writes their #GstContoursComponentMeta and
 * #GstContoursContourMeta as text: NDJSON (one line for each meta, or one for a frame without any), CSV (one row for
 * each component or contour), SVG, GeoJSON or LabelMe (one document for each frame), or COCO (one document for all
 * frames). docs/export-schema.md describes every field.
 *
 * Lines are flushed before the frame is pushed, so `tail -f` and `jq` work on live streams. At the end of the stream
 * the file is synchronised to the disk. A write error stops the stream with an element error; nothing is dropped. A
 * slow reader slows the pipeline down; put a queue before the element to avoid that. Stopping does not wait for the
 * reader, so the last line may be incomplete. A flush does not wait either; the rest of an interrupted frame is written
 * when the stream continues.
 *
 * Documents have the suffix `.part` and are renamed into place when complete. If a process was killed while it wrote a
 * COCO document, the next start with the same location completes that document.
 *
 * A file has one writer: a second element with the same location, in this or another process, fails to start.
 *
 * Each start (READY to PAUSED) reopens #GstContourExport:location, truncates the file unless #GstContourExport:append
 * is set, and counts frames from 0.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 -q videotestsrc pattern=ball num-buffers=50 ! video/x-raw,format=NV12 ! cudacca ! contourexport !
 * fakesink | jq .count
 * ]| Prints the number of components of each frame.
 * |[
 * gst-launch-1.0 videotestsrc pattern=ball num-buffers=50 ! video/x-raw,format=NV12 ! cudacca !
 * contourexport location=components.csv format=csv ! fakesink
 * ]| Writes a table for a spreadsheet.
 * |[
 * gst-launch-1.0 videotestsrc pattern=ball num-buffers=50 ! video/x-raw,format=NV12 ! cudaborders name=ball !
 * contourexport location=ball-%05d.svg format=svg ! fakesink
 * ]| Draws the contours of each frame as SVG.
 *
 * Since: 0.1
 */
#include "gst/elements/gstcontourexport.h"

#include "gst/base/allocation.h"
#include "gst/base/eventflow.h"
#include "gst/base/propertyfields.h"
#include "gst/export/framestream.h"
#include "gst/export/writer.h"

GST_DEBUG_CATEGORY_STATIC (gst_contour_export_debug);
#define GST_CAT_DEFAULT gst_contour_export_debug

typedef enum { FORMAT_NDJSON, FORMAT_CSV, FORMAT_SVG, FORMAT_GEOJSON, FORMAT_COCO, FORMAT_LABELME } Format;
static const ExportFormat *const formats[] = {
    &export_ndjson, &export_csv, &export_svg, &export_geojson, &export_coco, &export_labelme};

struct _GstContourExport {
  GstBaseTransform parent;

  /* Properties, under the object lock; they cannot change while started. */
  gchar *location;
  gint fd;
  Format format;
  gboolean append;
  guint64 max_file_size;
  guint64 max_file_time;
  gboolean codes;
  gboolean started;

  ExportWriter writer;

  ExportStream stream;
};

enum { PROP_0, PROP_LOCATION, PROP_FD, PROP_FORMAT, PROP_APPEND, PROP_MAX_FILE_SIZE, PROP_MAX_FILE_TIME, PROP_CODES };

#define DEFAULT_LOCATION "-"

#define VIDEO_CAPS GST_STATIC_CAPS ("video/x-raw(ANY)")
static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, VIDEO_CAPS);
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, VIDEO_CAPS);

G_DEFINE_TYPE (GstContourExport, gst_contour_export, GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (contourexport, "contourexport", GST_RANK_NONE, GST_TYPE_CONTOUR_EXPORT,
    GST_DEBUG_CATEGORY_INIT (gst_contour_export_debug, "contourexport", 0, "contourexport element"))

#define GST_TYPE_CONTOUR_EXPORT_FORMAT (gst_contour_export_format_get_type ())
static GType
gst_contour_export_format_get_type (void)
{
  static gsize type = 0;
  static GEnumValue values[G_N_ELEMENTS (formats) + 1];

  if (g_once_init_enter (&type)) {
    for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
      values[i] = (GEnumValue){(gint) i, formats[i]->name, formats[i]->nick};
    g_once_init_leave (&type, g_enum_register_static ("GstContourExportFormat", values));
  }
  return type;
}

static const ExportFormat *
get_format (const GstContourExport *self)
{
  if (self->codes && self->format == FORMAT_NDJSON)
    return &export_ndjson_codes;
  if (self->codes && self->format == FORMAT_CSV)
    return &export_csv_codes;
  return formats[self->format];
}

static void
set_stopped (GstContourExport *self)
{
  GST_OBJECT_LOCK (self);
  self->started = FALSE;
  GST_OBJECT_UNLOCK (self);
}

static gboolean
gst_contour_export_start (GstBaseTransform *trans)
{
  GstContourExport *self = GST_CONTOUR_EXPORT (trans);
  gchar *owner = gst_object_get_path_string (GST_OBJECT (self));
  ExportSettings settings;
  gboolean ok;

  GST_OBJECT_LOCK (self);
  settings = (ExportSettings){
      .format = get_format (self),
      .owner = owner,
      .location = self->location,
      .fd = self->fd,
      .append = self->append,
      .max_size = self->max_file_size,
      .max_time = self->max_file_time,
  };
  self->started = TRUE;
  GST_OBJECT_UNLOCK (self);
  self->stream = (ExportStream){0};
  ok = export_writer_start (&self->writer, &settings);
  g_free (owner);
  if (!ok)
    set_stopped (self);
  return ok;
}

static gboolean
gst_contour_export_stop (GstBaseTransform *trans)
{
  GstContourExport *self = GST_CONTOUR_EXPORT (trans);

  export_writer_stop (&self->writer);
  set_stopped (self);
  return TRUE;
}

static gboolean
gst_contour_export_set_caps (GstBaseTransform *trans, GstCaps *incaps, GstCaps *outcaps)
{
  GstContourExport *self = GST_CONTOUR_EXPORT (trans);
  export_stream_set_caps (&self->stream, incaps);
  return TRUE;
}

static gboolean
gst_contour_export_propose_allocation (GstBaseTransform *trans, GstQuery *decide_query, GstQuery *query)
{
  gboolean answered =
      GST_BASE_TRANSFORM_CLASS (gst_contour_export_parent_class)->propose_allocation (trans, decide_query, query);
  allocation_drop_placement_metas (query);
  return answered;
}

static GstFlowReturn
gst_contour_export_transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstContourExport *self = GST_CONTOUR_EXPORT (trans);
  const ExportFrame frame =
      export_stream_describe (&self->stream, GST_BASE_TRANSFORM_SINK_PAD (trans), 0, buffer, &trans->segment);

  return export_writer_write (&self->writer, buffer, &frame);
}

static gboolean
gst_contour_export_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstContourExport *self = GST_CONTOUR_EXPORT (trans);

  export_stream_event (&self->stream, event);
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_EOS:
      export_writer_finish (&self->writer);
      break;
    case GST_EVENT_FLUSH_START:
      export_writer_set_flushing (&self->writer, TRUE);
      break;
    case GST_EVENT_FLUSH_STOP:
      export_writer_set_flushing (&self->writer, FALSE);
      break;
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS (gst_contour_export_parent_class)->sink_event (trans, event);
}

static GstStateChangeReturn
gst_contour_export_change_state (GstElement *element, GstStateChange transition)
{
  GstContourExport *self = GST_CONTOUR_EXPORT (element);

  /* Deactivating the pads waits for the streaming thread, which may be waiting for a reader. It must not wait again
   * even if a flush ends now. */
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    export_writer_set_stopping (&self->writer, FALSE);
  else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    export_writer_set_stopping (&self->writer, TRUE);
  return GST_ELEMENT_CLASS (gst_contour_export_parent_class)->change_state (element, transition);
}

static const PropertyField fields[] = {
    PROPERTY_FIELD (PROP_FD, GstContourExport, fd),
    PROPERTY_FIELD (PROP_FORMAT, GstContourExport, format),
    PROPERTY_FIELD (PROP_APPEND, GstContourExport, append),
    PROPERTY_FIELD (PROP_MAX_FILE_SIZE, GstContourExport, max_file_size),
    PROPERTY_FIELD (PROP_MAX_FILE_TIME, GstContourExport, max_file_time),
    PROPERTY_FIELD (PROP_CODES, GstContourExport, codes),
    {0},
};

static void
set_location (GstContourExport *self, const gchar *location)
{
  g_free (self->location);
  self->location = g_strdup (location ? location : DEFAULT_LOCATION);
}

static void
gst_contour_export_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstContourExport *self = GST_CONTOUR_EXPORT (object);

  GST_OBJECT_LOCK (self);
  gboolean refused = self->started;
  if (!refused) {
    if (id == PROP_LOCATION)
      set_location (self, g_value_get_string (value));
    else if (!property_fields_set (fields, self, id, value))
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
  if (refused)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("The property \"%s\" cannot change while the element runs. Set it in READY.", pspec->name), (NULL));
}

static void
gst_contour_export_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstContourExport *self = GST_CONTOUR_EXPORT (object);

  GST_OBJECT_LOCK (self);
  if (id == PROP_LOCATION)
    g_value_set_string (value, self->location);
  else if (!property_fields_get (fields, self, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_contour_export_finalize (GObject *object)
{
  g_free (GST_CONTOUR_EXPORT (object)->location);
  G_OBJECT_CLASS (gst_contour_export_parent_class)->finalize (object);
}

static void
gst_contour_export_class_init (GstContourExportClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  object_class->set_property = gst_contour_export_set_property;
  object_class->get_property = gst_contour_export_get_property;
  object_class->finalize = gst_contour_export_finalize;

  /**
   * GstContourExport:location:
   *
   * File or named pipe to write; "-" is the standard output. One placeholder such as `%d` or `%05d` is replaced by the
   * frame number in formats with one file for each frame, otherwise by the file number, from 0. `%%` is a literal %.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_LOCATION,
      g_param_spec_string ("location", "Location",
          "File or named pipe to write; %05d is replaced by the frame or file number; - is the standard output",
          DEFAULT_LOCATION, flags));
  /**
   * GstContourExport:fd:
   *
   * Open file descriptor to write to instead of a location: a pipe, socket or file. It stays open. -1: none.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_FD,
      g_param_spec_int ("fd", "File descriptor", "Open file descriptor to write to instead of location (-1 = none)", -1,
          G_MAXINT, -1, flags));
  /**
   * GstContourExport:format:
   *
   * Output format: `ndjson` and `csv` are line formats; `svg`, `geojson` and `labelme` are one file for each frame;
   * `coco` is one document for all frames, which has the suffix `.part` until the end of the stream.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_FORMAT,
      g_param_spec_enum ("format", "Format", "Output format", GST_TYPE_CONTOUR_EXPORT_FORMAT, FORMAT_NDJSON, flags));
  /**
   * GstContourExport:append:
   *
   * Appends to the file at #GstContourExport:location instead of truncating it (line formats). The CSV header is
   * written only if the file is empty. An incomplete last line, as a crash leaves it, is removed with a warning.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_APPEND,
      g_param_spec_boolean ("append", "Append", "Append to the file instead of truncating it", FALSE, flags));
  /**
   * GstContourExport:max-file-size:
   *
   * Maximum file size in bytes for line formats: the first frame after it has been reached starts the next file. 0: no
   * limit.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_MAX_FILE_SIZE,
      g_param_spec_uint64 ("max-file-size", "Maximum file size",
          "Maximum file size in bytes, after which ndjson and csv start the next file (0 = no limit)", 0, G_MAXUINT64,
          0, flags));
  /**
   * GstContourExport:max-file-time:
   *
   * Maximum duration of a file in nanoseconds, by the timestamps of its frames, for line formats: the first frame after
   * that starts the next file. 0: no limit.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_MAX_FILE_TIME,
      g_param_spec_uint64 ("max-file-time", "Maximum file time",
          "Maximum duration of a file in nanoseconds, after which ndjson and csv start the next file (0 = no limit)", 0,
          G_MAXUINT64, 0, flags));

  /**
   * GstContourExport:codes:
   *
   * Writes chain codes of borders and crack codes of level contours instead of their points (`ndjson`, `csv`): the first
   * point, and a digit for the direction of each step. Contours without such codes, which are simplified borders,
   * outlines of `cudasnake` and contours of strips, keep their points. Points that are not written are not fetched from the GPU.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_CODES,
      g_param_spec_boolean (
          "codes", "Codes", "Write chain and crack codes instead of points (ndjson and csv)", FALSE, flags));

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Contour exporter", "Metadata/Video",
      "Exports components and contours of each frame as NDJSON, CSV, SVG, GeoJSON, COCO or LabelMe",
      "The gst-cuda-contours authors");
  gst_type_mark_as_plugin_api (GST_TYPE_CONTOUR_EXPORT_FORMAT, 0);

  element_class->change_state = GST_DEBUG_FUNCPTR (gst_contour_export_change_state);
  trans_class->start = GST_DEBUG_FUNCPTR (gst_contour_export_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_contour_export_stop);
  trans_class->set_caps = GST_DEBUG_FUNCPTR (gst_contour_export_set_caps);
  trans_class->propose_allocation = GST_DEBUG_FUNCPTR (gst_contour_export_propose_allocation);
  trans_class->sink_event = GST_DEBUG_FUNCPTR (gst_contour_export_sink_event);
  trans_class->transform_ip = GST_DEBUG_FUNCPTR (gst_contour_export_transform_ip);
}

static void
gst_contour_export_init (GstContourExport *self)
{
  self->location = g_strdup (DEFAULT_LOCATION);
  self->fd = -1;
  export_writer_init (&self->writer, GST_ELEMENT (self));
  gst_base_transform_set_passthrough (GST_BASE_TRANSFORM (self), TRUE);
  event_flow_install (GST_BASE_TRANSFORM_SINK_PAD (self));
}
