/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-contourexport
 * @title: contourexport
 * @short_description: Writes the components and contours of each frame to a file, pipe or terminal
 *
 * Passes frames on untouched, wherever their memory is, and writes the #GstContoursComponentMeta and
 * #GstContoursContourMeta they carry as text: NDJSON, one line for each of them (and one where a frame has none), CSV,
 * one row a component or contour, or documents: SVG, GeoJSON and LabelMe of each frame, COCO of all.
 * docs/export-schema.md describes every field.
 *
 * Everything about a frame is handed to the system before the frame is passed on: nothing is kept back, a reader sees
 * it at once, and `tail -f` and `jq` work on live streams. At the end of the stream a file is brought to the disk. What
 * cannot be written ends the stream with an error; nothing is dropped. A reader that is too slow slows the pipeline
 * down: put a queue before the element where it must not. Stopping does not wait for the reader; the last line may then
 * be incomplete. Neither does a flush; what it interrupts is written to its end when the stream goes on.
 *
 * Documents in files are called `.part` until they are complete. A COCO document that a killed process has left is
 * completed by the next start with the same location.
 *
 * A file has one writer: a second element, of this process or another one, does not start.
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
 * |[
 * gst-launch-1.0 videotestsrc pattern=ball num-buffers=50 ! video/x-raw,format=NV12 ! cudaborders name=ball !
 * contourexport location=ball-%05d.svg format=svg ! fakesink
 * ]| Draws what was found in each frame.
 *
 * Since: 0.1
 */
#include "gst/elements/gstcontourexport.h"

#include "gst/base/allocation.h"
#include "gst/export/files.h"
#include "gst/export/format.h"
#include "gst/base/framemessage.h"

GST_DEBUG_CATEGORY_STATIC (gst_contour_export_debug);
#define GST_CAT_DEFAULT gst_contour_export_debug

typedef enum { FORMAT_NDJSON, FORMAT_CSV, FORMAT_SVG, FORMAT_GEOJSON, FORMAT_COCO, FORMAT_LABELME } Format;
static const ExportFormat *const formats[] = {
    &export_ndjson, &export_csv, &export_svg, &export_geojson, &export_coco, &export_labelme};

struct _GstContourExport {
  GstBaseTransform parent;

  /* Properties, under the object lock; they stay as they are while started. */
  gchar *location;
  gint fd;
  Format format;
  gboolean append;
  guint64 max_file_size;
  guint64 max_file_time;
  gboolean started;

  /* Atomic: the pads are flushing, or going to. What is written of a frame may be gigabytes of text. */
  gint flushing;
  gint stopping;

  /* While started. */
  const ExportFormat *writer;
  gpointer state; /* the writer's */
  ExportFiles *files;
  GString *text; /* not written yet */
  ExportFrame frame;
  GstVideoInterlaceMode interlace_mode;
  gint64 deadline;    /* of writing while the element stops, monotonic microseconds; 0: none */
  gboolean failed;    /* the error is posted: nothing is written any more */
  gboolean complete;  /* so is the document */
  gboolean recovered; /* this start has completed the document of an earlier run */

  /* What a flush has interrupted. */
  guint64 done;           /* bytes of the section that are written, now or before */
  guint64 skip;           /* of these, bytes that are still to come again */
  GstBuffer *rest;        /* metadata of the frame that is not written to its end; NULL: none */
  ExportFrame rest_frame; /* itself */
  guint rest_metas;
};

enum { PROP_0, PROP_LOCATION, PROP_FD, PROP_FORMAT, PROP_APPEND, PROP_MAX_FILE_SIZE, PROP_MAX_FILE_TIME };

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
  static GEnumValue values[G_N_ELEMENTS (formats) + 1];

  if (g_once_init_enter (&type)) {
    for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
      values[i] = (GEnumValue){(gint) i, formats[i]->name, formats[i]->nick};
    g_once_init_leave (&type, g_enum_register_static ("GstContourExportFormat", values));
  }
  return type;
}

/* Posts ERROR, of GST_RESOURCE_ERROR, and frees it; the first one of a run only. */
static GstFlowReturn
fail (GstContourExport *self, GError *error)
{
  if (!self->failed)
    gst_element_message_full (GST_ELEMENT (self), GST_MESSAGE_ERROR, error->domain, error->code,
        g_strdup (error->message), NULL, __FILE__, GST_FUNCTION, __LINE__);
  self->failed = TRUE;
  g_error_free (error);
  return GST_FLOW_ERROR;
}

/* Is the writing of a frame to end here? The rest is kept for later. */
static gboolean
is_interrupted (GstContourExport *self)
{
  return g_atomic_int_get (&self->flushing) || g_atomic_int_get (&self->stopping)
         || (self->deadline > 0 && g_get_monotonic_time () > self->deadline);
}

/* Writes what is in self->text and takes it away: all of it, or, with GST_FLOW_FLUSHING, what there was room for. */
static GstFlowReturn
write_text (gpointer user_data)
{
  GstContourExport *self = user_data;
  GError *error = NULL;
  if (is_interrupted (self))
    return GST_FLOW_FLUSHING;
  gsize skipped = MIN (self->skip, self->text->len), written = 0;
  gboolean ok =
      export_files_write (self->files, self->text->str + skipped, self->text->len - skipped, &written, &error);
  self->skip -= skipped;
  self->done += skipped + written;
  g_string_erase (self->text, 0, (gssize) (skipped + written));
  if (ok)
    return GST_FLOW_OK;
  return error ? fail (self, error) : GST_FLOW_FLUSHING;
}

/* A section, a frame or the end of a document, is made as it is written. Where a flush interrupts it, the rest is
 * written later: it is made again, and what was written of it is skipped. */
static void
begin_section (GstContourExport *self)
{
  self->done = 0;
}

static GstFlowReturn
end_section (GstContourExport *self, GstFlowReturn ret)
{
  self->skip = ret == GST_FLOW_FLUSHING ? self->done : 0;
  if (ret == GST_FLOW_FLUSHING)
    g_string_truncate (self->text, 0);
  return ret;
}

/* Opens the next file. Its head goes to self->text. */
static gboolean
open_file (GstContourExport *self, GError **error)
{
  gboolean empty;
  guint64 cut;
  if (!export_files_open (self->files, self->frame.index, &empty, &cut, error))
    return FALSE;
  if (cut > 0)
    GST_ELEMENT_WARNING (self, RESOURCE, WRITE,
        ("The last line of \"%s\" has no end, as after a crash or on a full disk: its %" G_GUINT64_FORMAT
         " bytes were cut off, and writing goes on after the line before.",
            export_files_get_path (self->files), cut),
        (NULL));
  if (empty && self->writer->begin_file)
    self->writer->begin_file (self->state, self->text);
  return TRUE;
}

static GstFlowReturn
end_document (GstContourExport *self)
{
  GError *error = NULL;
  const ExportText text = {self->text, write_text, self};
  GstFlowReturn ret = write_text (self);
  if (ret != GST_FLOW_OK)
    return ret;
  begin_section (self);
  ret = self->writer->end_document (&text, export_files_get_spool (self->files), &error);
  if (error)
    ret = fail (self, error);
  if (ret == GST_FLOW_OK)
    ret = write_text (self);
  return end_section (self, ret);
}

/* Ends the file that is open. */
static GstFlowReturn
close_file (GstContourExport *self, gboolean to_disk)
{
  GError *error = NULL;
  GstFlowReturn ret = self->writer->end_document ? end_document (self) : write_text (self);
  if (ret != GST_FLOW_OK)
    return ret;
  if (to_disk && !export_files_sync (self->files, &error))
    return fail (self, error);
  return export_files_close (self->files, &error) ? GST_FLOW_OK : fail (self, error);
}

/* Ends the document that an earlier run was kept from ending. */
static GstFlowReturn
recover (GstContourExport *self)
{
  guint64 frames;
  GError *error = NULL;
  self->recovered = self->writer->extent == EXPORT_DOCUMENT && export_files_reopen (self->files, &frames, &error);
  if (error)
    return fail (self, error);
  if (!self->recovered)
    return GST_FLOW_OK;
  GstFlowReturn ret = close_file (self, TRUE);
  if (ret == GST_FLOW_OK)
    GST_ELEMENT_WARNING (self, RESOURCE, WRITE,
        ("An earlier run was kept from ending \"%s\": it is complete now, with the %" G_GUINT64_FORMAT
         " frames that were whole.",
            export_files_get_path (self->files), frames),
        (NULL));
  return ret;
}

/* Ends the document. One without frames does not take the place of one that was just recovered. */
static void
close_document (GstContourExport *self, gboolean to_disk)
{
  self->complete = TRUE;
  if (self->recovered && self->frame.index == 0)
    export_files_discard (self->files);
  else
    close_file (self, to_disk);
}

static gboolean gst_contour_export_stop (GstBaseTransform *trans);

static gboolean
gst_contour_export_start (GstBaseTransform *trans)
{
  GstContourExport *self = GST_CONTOUR_EXPORT (trans);
  GError *error = NULL;
  gchar *owner = gst_object_get_path_string (GST_OBJECT (self));

  GST_OBJECT_LOCK (self);
  self->writer = formats[self->format];
  const ExportSettings settings = {
      .format = self->writer,
      .owner = owner,
      .location = self->location,
      .fd = self->fd,
      .append = self->append,
      .max_size = self->max_file_size,
      .max_time = self->max_file_time,
  };
  self->files = export_files_new (&settings, &error);
  self->started = self->files != NULL;
  GST_OBJECT_UNLOCK (self);
  g_free (owner);
  self->failed = self->complete = FALSE;
  self->done = self->skip = 0;
  self->deadline = 0;
  if (!self->files) {
    fail (self, error);
    return FALSE;
  }

  self->text = g_string_new (NULL);
  self->frame = (ExportFrame){0};
  self->state = self->writer->start ? self->writer->start () : NULL;
  if (recover (self) == GST_FLOW_OK) {
    if (self->writer->extent == EXPORT_FRAME || open_file (self, &error))
      return TRUE;
    fail (self, error);
  }
  gst_contour_export_stop (trans);
  return FALSE;
}

static GstFlowReturn write_rest (GstContourExport *self);

/* What the element still takes, while it stops, for the frame that it was writing. */
#define STOP_TIME (50 * G_TIME_SPAN_MILLISECOND)

/* Writes the rest of the frame for as long as stopping may take: no flush holds any more. */
static GstFlowReturn
write_last (GstContourExport *self)
{
  g_atomic_int_set (&self->flushing, FALSE);
  g_atomic_int_set (&self->stopping, FALSE);
  self->deadline = g_get_monotonic_time () + STOP_TIME;
  GstFlowReturn ret = write_rest (self);
  if (ret == GST_FLOW_FLUSHING && g_get_monotonic_time () > self->deadline)
    GST_ELEMENT_WARNING (self, RESOURCE, WRITE,
        ("The element was stopped in the middle of a frame of much text, and the frame is not complete in the file. "
         "Send "
         "the end of the stream before stopping, as gst-launch-1.0 -e does."),
        (NULL));
  self->deadline = 0;
  return ret;
}

static gboolean
gst_contour_export_stop (GstBaseTransform *trans)
{
  GstContourExport *self = GST_CONTOUR_EXPORT (trans);

  /* What is open after a failure is not complete. What a reader has no room for, or takes too long, stays unwritten. */
  gboolean is_open = !self->failed && export_files_is_open (self->files);
  if (is_open && export_files_is_ready (self->files) && write_last (self) == GST_FLOW_OK) {
    if (self->writer->extent == EXPORT_DOCUMENT)
      close_document (self, FALSE);
    else if (self->writer->extent == EXPORT_LINES)
      close_file (self, FALSE);
  }
  gst_clear_buffer (&self->rest);
  GST_OBJECT_LOCK (self);
  g_clear_pointer (&self->files, export_files_free);
  self->started = FALSE;
  GST_OBJECT_UNLOCK (self);
  if (self->writer->stop)
    self->writer->stop (self->state);
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
  const gchar *mode = gst_structure_get_string (structure, "interlace-mode");
  self->interlace_mode = mode ? gst_video_interlace_mode_from_string (mode) : GST_VIDEO_INTERLACE_MODE_PROGRESSIVE;
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

/* What the frame has that is written, fetched; *FLAGS takes what it says of the frame. Returns how many, or -1 after an
 * error. */
static gint
prepare_metas (GstContourExport *self, GstBuffer *buffer, GstMeta **first, GstContoursResultFlags *flags)
{
  GError *error = NULL;
  gpointer iterator = NULL;
  gint metas = 0;
  for (GstMeta *meta; (meta = gst_buffer_iterate_meta (buffer, &iterator));) {
    if (!export_takes (meta))
      continue;
    if (export_is_contours (meta) && !gst_contours_contour_meta_fetch ((GstContoursContourMeta *) meta, &error)) {
      fail (self, error);
      return -1;
    }
    *flags |= export_get_flags (meta);
    if (metas++ == 0)
      *first = meta;
  }
  return metas;
}

/* Sees to it that a file is open that the frame may go into. */
static GstFlowReturn
prepare_file (GstContourExport *self)
{
  GError *error = NULL;
  if (self->complete) {
    g_set_error (&error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE,
        "A frame has come after the end of the stream, and with it of the document: nothing can be added to that.");
    return fail (self, error);
  }
  if (self->writer->extent == EXPORT_FRAME)
    return open_file (self, &error) ? GST_FLOW_OK : fail (self, error);
  while (!export_files_admit (self->files, self->frame.pts)) {
    GstFlowReturn ret = close_file (self, TRUE);
    if (ret != GST_FLOW_OK)
      return ret;
    if (!open_file (self, &error))
      return fail (self, error);
  }
  return GST_FLOW_OK;
}

/* What the end of the document needs of the frame that is written. */
static GstFlowReturn
note_frame (GstContourExport *self, const ExportFrame *frame)
{
  GError *error = NULL;
  GString *lines = g_string_new (NULL);
  self->writer->note_frame (self->state, lines, frame);
  gboolean ok = export_files_add_frame (self->files, lines, &error);
  g_string_free (lines, TRUE);
  return ok ? GST_FLOW_OK : fail (self, error);
}

static GstFlowReturn
write_metas (GstContourExport *self, GstBuffer *buffer, ExportFrame *frame, guint metas)
{
  const ExportFormat *writer = self->writer;
  const ExportText text = {self->text, write_text, self};
  gpointer iterator = NULL;
  GstFlowReturn ret = GST_FLOW_OK;
  frame->path = export_files_get_path (self->files);
  if (writer->begin_frame)
    writer->begin_frame (self->state, self->text, frame);
  for (GstMeta *meta; ret == GST_FLOW_OK && (meta = gst_buffer_iterate_meta (buffer, &iterator));)
    if (export_takes (meta))
      ret = writer->write (self->state, &text, frame, meta);
  if (ret != GST_FLOW_OK)
    return ret;
  if (writer->end_frame)
    writer->end_frame (self->state, self->text, frame, metas);
  return writer->extent == EXPORT_FRAME ? close_file (self, FALSE) : write_text (self);
}

/* A frame that is not written to its end is kept, without its picture: see write_rest(). */
static GstFlowReturn
write_frame (GstContourExport *self, GstBuffer *buffer, ExportFrame *frame, guint metas)
{
  /* The head of the file, which comes once. */
  GstFlowReturn ret = self->text->len > 0 ? write_text (self) : GST_FLOW_OK;
  if (ret == GST_FLOW_OK) {
    begin_section (self);
    ret = end_section (self, write_metas (self, buffer, frame, metas));
  }
  if (ret == GST_FLOW_OK && self->writer->note_frame)
    ret = note_frame (self, frame);
  if (ret == GST_FLOW_FLUSHING && !self->rest) {
    self->rest = gst_buffer_new ();
    gst_buffer_copy_into (self->rest, buffer, GST_BUFFER_COPY_META, 0, -1);
    self->rest_frame = *frame;
    self->rest_metas = metas;
  }
  return ret;
}

/* What a flush has kept from being written of a frame: no line is cut, and none is glued to the next. */
static GstFlowReturn
write_rest (GstContourExport *self)
{
  if (!self->rest)
    return GST_FLOW_OK;
  GstFlowReturn ret = write_frame (self, self->rest, &self->rest_frame, self->rest_metas);
  if (ret != GST_FLOW_FLUSHING)
    gst_clear_buffer (&self->rest);
  return ret;
}

static GstFlowReturn
gst_contour_export_transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstContourExport *self = GST_CONTOUR_EXPORT (trans);
  if (self->failed)
    return GST_FLOW_ERROR;
  GstFlowReturn ret = write_rest (self);
  if (ret != GST_FLOW_OK)
    return ret;

  self->frame.pts = GST_BUFFER_PTS (buffer);
  self->frame.flags = frame_message_get_flags (buffer, self->interlace_mode);
  /* Sources of raw bytes, an appsrc by default, have segments in bytes. */
  self->frame.stream_time = trans->segment.format == GST_FORMAT_TIME
                                ? gst_segment_to_stream_time (&trans->segment, GST_FORMAT_TIME, self->frame.pts)
                                : GST_CLOCK_TIME_NONE;

  GstMeta *first = NULL;
  gint metas = prepare_metas (self, buffer, &first, &self->frame.flags);
  if (metas < 0)
    return GST_FLOW_ERROR;
  ret = prepare_file (self);
  if (ret != GST_FLOW_OK)
    return ret;
  ExportFrame frame = self->frame;
  if (first)
    export_get_size (first, &frame.width, &frame.height);
  ret = write_frame (self, buffer, &frame, (guint) metas);
  self->frame.index++;
  return ret;
}

/* At the end of the stream everything is brought to the disk; lines may go on, after a seek, a document may not. */
static void
finish (GstContourExport *self)
{
  GError *error = NULL;
  if (self->failed || write_rest (self) != GST_FLOW_OK || !export_files_is_open (self->files))
    return;
  if (self->writer->extent == EXPORT_DOCUMENT)
    close_document (self, TRUE);
  else if (write_text (self) == GST_FLOW_OK && !export_files_sync (self->files, &error))
    fail (self, error);
}

/* Wakes the streaming thread where it waits for a reader or writes a long frame, and lets it do so again. The thread
 * that flushes or changes the state waits for it in turn. */
static void
set_flushing (GstContourExport *self, gboolean flushing)
{
  g_atomic_int_set (&self->flushing, flushing);
  GST_OBJECT_LOCK (self);
  if (self->files)
    export_files_set_flushing (self->files, flushing);
  GST_OBJECT_UNLOCK (self);
}

static gboolean
gst_contour_export_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstContourExport *self = GST_CONTOUR_EXPORT (trans);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_EOS:
      finish (self);
      break;
    case GST_EVENT_FLUSH_START:
      set_flushing (self, TRUE);
      break;
    case GST_EVENT_FLUSH_STOP:
      set_flushing (self, FALSE);
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

  /* The streaming thread may be waiting for a reader, and deactivating the pads waits for the streaming thread. A flush
   * that ends now does not let it wait again. */
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    g_atomic_int_set (&self->flushing, FALSE);
    g_atomic_int_set (&self->stopping, FALSE);
  } else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    g_atomic_int_set (&self->stopping, TRUE);
    GST_OBJECT_LOCK (self);
    if (self->files)
      export_files_cancel (self->files);
    GST_OBJECT_UNLOCK (self);
  }
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
      case PROP_MAX_FILE_SIZE:
        self->max_file_size = g_value_get_uint64 (value);
        break;
      case PROP_MAX_FILE_TIME:
        self->max_file_time = g_value_get_uint64 (value);
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
    case PROP_MAX_FILE_SIZE:
      g_value_set_uint64 (value, self->max_file_size);
      break;
    case PROP_MAX_FILE_TIME:
      g_value_set_uint64 (value, self->max_file_time);
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
   * The file or named pipe to write; "-" is the standard output. One field such as `%d` or `%05d` is replaced by a
   * number: of the frame where there is one file a frame, else of the file, from 0. The character % is written %%.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_LOCATION,
      g_param_spec_string ("location", "Location",
          "File or named pipe to write, with a field such as %05d where there are several; - is the standard output",
          DEFAULT_LOCATION, flags));
  /**
   * GstContourExport:fd:
   *
   * An open file descriptor to write to instead of a location: a pipe, a socket, a file. It is not closed.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_FD,
      g_param_spec_int ("fd", "File descriptor", "Open file descriptor to write to instead of location (-1 = none)", -1,
          G_MAXINT, -1, flags));
  /**
   * GstContourExport:format:
   *
   * `ndjson` and `csv` are lines; `svg`, `geojson` and `labelme` one file a frame; `coco` is one document of all
   * frames, which is called `.part` until the stream has ended.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_FORMAT,
      g_param_spec_enum ("format", "Format", "What is written", GST_TYPE_CONTOUR_EXPORT_FORMAT, FORMAT_NDJSON, flags));
  /**
   * GstContourExport:append:
   *
   * Keep what the file at #GstContourExport:location has and write after it. CSV then gets its header only where the
   * file is empty. A last line without a line feed, as a crash leaves it, is cut off, with a warning.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_APPEND,
      g_param_spec_boolean ("append", "Append", "Write after what the file has instead of emptying it", FALSE, flags));
  /**
   * GstContourExport:max-file-size:
   *
   * Lines go on in the next file once a frame has made this one so large, in bytes. 0: no limit.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_MAX_FILE_SIZE,
      g_param_spec_uint64 ("max-file-size", "Maximum file size",
          "Bytes after which ndjson and csv go on in the next file (0 = no limit)", 0, G_MAXUINT64, 0, flags));
  /**
   * GstContourExport:max-file-time:
   *
   * Lines go on in the next file with the first frame that is so much later than the first one in this, in nanoseconds
   * by their timestamps. 0: no limit.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_MAX_FILE_TIME,
      g_param_spec_uint64 ("max-file-time", "Maximum file time",
          "Nanoseconds of frames after which ndjson and csv go on in the next file (0 = no limit)", 0, G_MAXUINT64, 0,
          flags));

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Contour exporter", "Metadata/Video",
      "Writes the components and contours of each frame as NDJSON, CSV, SVG, GeoJSON, COCO or LabelMe",
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
  gst_base_transform_set_passthrough (GST_BASE_TRANSFORM (self), TRUE);
}
