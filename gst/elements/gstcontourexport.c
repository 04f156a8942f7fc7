/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-contourexport
 * @title: contourexport
 * @short_description: Writes the components and contours of each frame to a file, pipe or terminal
 *
 * Passes frames on untouched, wherever their memory is, and writes the #GstComponentMeta and #GstContourMeta they carry
 * as text: NDJSON, one line for each of them (and one where a frame has none), or CSV, one row a component or contour.
 * docs/export-schema.md describes every field.
 *
 * Everything about a frame is handed to the system before the frame is passed on: nothing is kept back, a reader sees
 * it at once, and `tail -f` and `jq` work on live streams. At the end of the stream a file is brought to the disk. What
 * cannot be written ends the stream with an error; nothing is dropped. A reader that is too slow slows the pipeline
 * down: put a queue before the element where it must not. Stopping does not wait for the reader; the last line may then
 * be incomplete.
 *
 * Each time the element starts (READY to PAUSED) it opens #GstContourExport:location anew, which empties the file
 * unless #GstContourExport:append is set, and counts the frames from 0.
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
 *
 * Since: 0.1
 */
#include "gstcontourexport.h"

#include "contourwriter.h"
#include "linefile.h"

GST_DEBUG_CATEGORY_STATIC (gst_contour_export_debug);
#define GST_CAT_DEFAULT gst_contour_export_debug

typedef enum { FORMAT_NDJSON, FORMAT_CSV } Format;

struct _GstContourExport {
  GstBaseTransform parent;

  /* Properties, under the object lock; they stay as they are while started. */
  gchar *location;
  gint fd;
  Format format;
  gboolean append;
  gboolean started;

  /* While started. */
  LineFile *file;
  GString *text; /* of the current frame, not written yet */
  ContourWriterFrame frame;
  gboolean failed; /* the error is posted: no more lines */
};

enum { PROP_0, PROP_LOCATION, PROP_FD, PROP_FORMAT, PROP_APPEND };

#define DEFAULT_LOCATION "-"

#define VIDEO_CAPS GST_STATIC_CAPS ("video/x-raw(ANY)")
static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, VIDEO_CAPS);
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, VIDEO_CAPS);

G_DEFINE_TYPE (GstContourExport, gst_contour_export, GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (contourexport, "contourexport", GST_RANK_NONE, GST_TYPE_CONTOUR_EXPORT,
    GST_DEBUG_CATEGORY_INIT (gst_contour_export_debug, "contourexport", 0, "metadata to text"))

#define GST_TYPE_CONTOUR_EXPORT_FORMAT (gst_contour_export_format_get_type ())
static GType
gst_contour_export_format_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {FORMAT_NDJSON, "JSON, one line a frame", "ndjson"},
      {FORMAT_CSV, "Comma-separated values, one row a component or contour", "csv"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstContourExportFormat", values));
  return type;
}

/* Posts ERROR, of GST_RESOURCE_ERROR, and frees it. */
static void
post_error (GstContourExport *self, GError *error)
{
  gst_element_message_full (GST_ELEMENT (self), GST_MESSAGE_ERROR, error->domain, error->code,
      g_strdup (error->message), NULL, __FILE__, GST_FUNCTION, __LINE__);
  g_error_free (error);
}

/* Writes what is in self->text and empties it. */
static GstFlowReturn
write_text (gpointer user_data)
{
  GstContourExport *self = user_data;
  GError *error = NULL;
  gboolean ok = line_file_write (self->file, self->text->str, self->text->len, &error);
  g_string_truncate (self->text, 0);
  if (ok)
    return GST_FLOW_OK;
  if (!error)
    return GST_FLOW_FLUSHING;
  self->failed = TRUE;
  post_error (self, error);
  return GST_FLOW_ERROR;
}

static LineFile *
open_file (GstContourExport *self, GError **error)
{
  gboolean to_stdout = g_strcmp0 (self->location, "-") == 0;
  if (self->fd >= 0 && !to_stdout) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "Both location=\"%s\" and fd=%d are set: set one of them.", self->location, self->fd);
    return NULL;
  }
  if (self->fd >= 0) {
    gchar *name = g_strdup_printf ("file descriptor %d", self->fd);
    LineFile *file = line_file_new_for_fd (self->fd, name, error);
    g_free (name);
    return file;
  }
  if (to_stdout)
    return line_file_new_for_fd (1, "the standard output", error);
  return line_file_open (self->location, self->append, error);
}

static gboolean
gst_contour_export_start (GstBaseTransform *trans)
{
  GstContourExport *self = GST_CONTOUR_EXPORT (trans);
  GError *error = NULL;

  GST_OBJECT_LOCK (self);
  self->file = open_file (self, &error);
  self->started = self->file != NULL;
  GST_OBJECT_UNLOCK (self);
  if (!self->file) {
    post_error (self, error);
    return FALSE;
  }

  self->text = g_string_new (NULL);
  self->frame = (ContourWriterFrame){0};
  self->failed = FALSE;
  if (self->format == FORMAT_CSV && (!self->append || line_file_is_empty (self->file)))
    contour_writer_append_csv_header (self->text);
  return TRUE;
}

static gboolean
gst_contour_export_stop (GstBaseTransform *trans)
{
  GstContourExport *self = GST_CONTOUR_EXPORT (trans);
  GError *error = NULL;

  GST_OBJECT_LOCK (self);
  LineFile *file = g_steal_pointer (&self->file);
  self->started = FALSE;
  GST_OBJECT_UNLOCK (self);
  if (!line_file_close (file, &error)) {
    if (self->failed)
      g_error_free (error);
    else
      post_error (self, error);
  }
  g_string_free (self->text, TRUE);
  self->text = NULL;
  return TRUE;
}

static gboolean
gst_contour_export_set_caps (GstBaseTransform *trans, GstCaps *incaps, GstCaps *outcaps)
{
  GstContourExport *self = GST_CONTOUR_EXPORT (trans);
  const GstStructure *structure = gst_caps_get_structure (incaps, 0);
  gint width = 0, height = 0;
  gst_structure_get_int (structure, "width", &width);
  gst_structure_get_int (structure, "height", &height);
  self->frame.width = width;
  self->frame.height = height;
  return TRUE;
}

/* Writes the frame as META has it, which may be NULL. */
static GstFlowReturn
write_meta (GstContourExport *self, GstMeta *meta)
{
  GError *error = NULL;
  if (meta && meta->info->api == GST_CONTOUR_META_API_TYPE
      && !gst_contour_meta_fetch ((GstContourMeta *) meta, &error)) {
    self->failed = TRUE;
    post_error (self, error);
    return GST_FLOW_ERROR;
  }
  if (self->format == FORMAT_CSV)
    return contour_writer_append_csv (self->text, &self->frame, meta, write_text, self);
  return contour_writer_append_json (self->text, &self->frame, meta, write_text, self);
}

static GstFlowReturn
gst_contour_export_transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstContourExport *self = GST_CONTOUR_EXPORT (trans);
  GstFlowReturn ret = GST_FLOW_OK;
  if (self->failed)
    return GST_FLOW_ERROR;

  self->frame.pts = GST_BUFFER_PTS (buffer);
  /* Sources of raw bytes, an appsrc by default, have segments in bytes. */
  self->frame.stream_time = trans->segment.format == GST_FORMAT_TIME
                                ? gst_segment_to_stream_time (&trans->segment, GST_FORMAT_TIME, self->frame.pts)
                                : GST_CLOCK_TIME_NONE;

  gpointer state = NULL;
  gboolean analysed = FALSE;
  GstMeta *meta;
  while (ret == GST_FLOW_OK && (meta = gst_buffer_iterate_meta (buffer, &state)))
    if (contour_writer_takes (meta)) {
      analysed = TRUE;
      ret = write_meta (self, meta);
    }
  if (!analysed)
    ret = write_meta (self, NULL);
  self->frame.index++;
  return ret == GST_FLOW_OK ? write_text (self) : ret;
}

static gboolean
gst_contour_export_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstContourExport *self = GST_CONTOUR_EXPORT (trans);

  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS && !self->failed) {
    GError *error = NULL;
    /* A CSV without any frame still has its header. */
    write_text (self);
    if (!self->failed && !line_file_sync (self->file, &error)) {
      self->failed = TRUE;
      post_error (self, error);
    }
  }
  return GST_BASE_TRANSFORM_CLASS (gst_contour_export_parent_class)->sink_event (trans, event);
}

static GstStateChangeReturn
gst_contour_export_change_state (GstElement *element, GstStateChange transition)
{
  GstContourExport *self = GST_CONTOUR_EXPORT (element);

  /* The streaming thread may be waiting for a reader, and deactivating the pads waits for the streaming thread. */
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY && self->file)
    line_file_cancel (self->file);
  return GST_ELEMENT_CLASS (gst_contour_export_parent_class)->change_state (element, transition);
}

static void
gst_contour_export_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstContourExport *self = GST_CONTOUR_EXPORT (object);

  GST_OBJECT_LOCK (self);
  gboolean refused = self->started;
  if (!refused) {
    switch (id) {
      case PROP_LOCATION:
        g_free (self->location);
        self->location = g_value_dup_string (value);
        if (!self->location)
          self->location = g_strdup (DEFAULT_LOCATION);
        break;
      case PROP_FD:
        self->fd = g_value_get_int (value);
        break;
      case PROP_FORMAT:
        self->format = g_value_get_enum (value);
        break;
      case PROP_APPEND:
        self->append = g_value_get_boolean (value);
        break;
      default:
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
  }
  GST_OBJECT_UNLOCK (self);
  if (refused)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("The property \"%s\" stays as it is while the element runs: set it in READY.", pspec->name), (NULL));
}

static void
gst_contour_export_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstContourExport *self = GST_CONTOUR_EXPORT (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_LOCATION:
      g_value_set_string (value, self->location);
      break;
    case PROP_FD:
      g_value_set_int (value, self->fd);
      break;
    case PROP_FORMAT:
      g_value_set_enum (value, self->format);
      break;
    case PROP_APPEND:
      g_value_set_boolean (value, self->append);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
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
   * The file or named pipe to write; "-" is the standard output.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_LOCATION,
      g_param_spec_string (
          "location", "Location", "File or named pipe to write; - is the standard output", DEFAULT_LOCATION, flags));
  /**
   * GstContourExport:fd:
   *
   * An open file descriptor to write to instead of a location: a pipe, a socket, a file. It is not closed.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_FD,
      g_param_spec_int ("fd", "File descriptor", "Open file descriptor to write to instead of location, -1 = none", -1,
          G_MAXINT, -1, flags));
  /**
   * GstContourExport:format:
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_FORMAT,
      g_param_spec_enum ("format", "Format", "What is written", GST_TYPE_CONTOUR_EXPORT_FORMAT, FORMAT_NDJSON, flags));
  /**
   * GstContourExport:append:
   *
   * Keep what the file at #GstContourExport:location has and write after it. CSV then gets its header only where the
   * file is empty.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_APPEND,
      g_param_spec_boolean ("append", "Append", "Write after what the file has instead of emptying it", FALSE, flags));

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Contour exporter", "Metadata/Video",
      "Writes the components and contours of each frame as NDJSON or CSV to a file, pipe or terminal",
      "gst-cuda-contours");
  gst_type_mark_as_plugin_api (GST_TYPE_CONTOUR_EXPORT_FORMAT, 0);

  element_class->change_state = GST_DEBUG_FUNCPTR (gst_contour_export_change_state);
  trans_class->start = GST_DEBUG_FUNCPTR (gst_contour_export_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_contour_export_stop);
  trans_class->set_caps = GST_DEBUG_FUNCPTR (gst_contour_export_set_caps);
  trans_class->sink_event = GST_DEBUG_FUNCPTR (gst_contour_export_sink_event);
  trans_class->transform_ip = GST_DEBUG_FUNCPTR (gst_contour_export_transform_ip);
}

static void
gst_contour_export_init (GstContourExport *self)
{
  self->location = g_strdup (DEFAULT_LOCATION);
  self->fd = -1;
  gst_base_transform_set_passthrough (GST_BASE_TRANSFORM (self), TRUE);
}
