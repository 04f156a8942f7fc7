/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes frames, resumes interrupted ones and ends documents. */
#include "gst/export/writer.h"

#include "gst/export/framemetas.h"

/* Posts ERROR, of GST_RESOURCE_ERROR, if it is the first one of a run, and frees it. Names of files may have any bytes, messages
 * are UTF-8. */
static GstFlowReturn
fail (ExportWriter *self, GError *error)
{
  if (!self->failed)
    gst_element_message_full (self->element, GST_MESSAGE_ERROR, error->domain, error->code,
        g_utf8_make_valid (error->message, -1), NULL, __FILE__, GST_FUNCTION, __LINE__);
  self->failed = TRUE;
  g_error_free (error);
  return GST_FLOW_ERROR;
}

/* Whether to interrupt the writing of a frame, whose rest is written later. */
static gboolean
is_interrupted (ExportWriter *self)
{
  return g_atomic_int_get (&self->flushing) || g_atomic_int_get (&self->stopping)
         || (self->deadline > 0 && g_get_monotonic_time () > self->deadline);
}

/* Writes self->text and removes what was written: all of it, or with GST_FLOW_FLUSHING what there was room for. */
static GstFlowReturn
write_text (gpointer user_data)
{
  ExportWriter *self = user_data;
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

/* A section is a frame or the end of a document. It is written while it is produced. If a flush interrupts it, it is
 * produced again later, and the bytes that were written are skipped. */
static void
begin_section (ExportWriter *self)
{
  self->done = 0;
}

static GstFlowReturn
end_section (ExportWriter *self, GstFlowReturn ret)
{
  self->skip = ret == GST_FLOW_FLUSHING ? self->done : 0;
  if (ret == GST_FLOW_FLUSHING)
    g_string_truncate (self->text, 0);
  return ret;
}

/* Opens the next file and appends its head to self->text. */
static gboolean
open_file (ExportWriter *self, GError **error)
{
  gboolean empty;
  guint64 cut;
  if (!export_files_open (self->files, self->frame.index, &empty, &cut, error))
    return FALSE;
  if (cut > 0) {
    gchar *path = g_utf8_make_valid (export_files_get_path (self->files), -1);
    GST_ELEMENT_WARNING (self->element, RESOURCE, WRITE,
        ("The last line of \"%s\" is incomplete, as after a crash or on a full disk: its %" G_GUINT64_FORMAT
         " bytes were removed, and writing continues after the line before.",
            path, cut),
        (NULL));
    g_free (path);
  }
  if (empty && self->format->begin_file)
    self->format->begin_file (self->state, self->text);
  return TRUE;
}

static GstFlowReturn
end_document (ExportWriter *self)
{
  GError *error = NULL;
  const ExportText text = {self->text, write_text, self};
  GstFlowReturn ret = write_text (self);
  if (ret != GST_FLOW_OK)
    return ret;
  begin_section (self);
  ret = self->format->end_document (&text, export_files_get_spool (self->files), &error);
  if (error)
    ret = fail (self, error);
  if (ret == GST_FLOW_OK)
    ret = write_text (self);
  return end_section (self, ret);
}

/* Ends and closes the open file. */
static GstFlowReturn
close_file (ExportWriter *self, gboolean to_disk)
{
  GError *error = NULL;
  GstFlowReturn ret = self->format->end_document ? end_document (self) : write_text (self);
  if (ret != GST_FLOW_OK)
    return ret;
  if (to_disk && !export_files_sync (self->files, &error))
    return fail (self, error);
  return export_files_close (self->files, &error) ? GST_FLOW_OK : fail (self, error);
}

/* Completes the document that an earlier run left incomplete. */
static GstFlowReturn
recover (ExportWriter *self)
{
  guint64 frames;
  GError *error = NULL;
  self->recovered = self->format->extent == EXPORT_DOCUMENT && export_files_reopen (self->files, &frames, &error);
  if (error)
    return fail (self, error);
  if (!self->recovered)
    return GST_FLOW_OK;
  GstFlowReturn ret = close_file (self, TRUE);
  if (ret == GST_FLOW_OK) {
    gchar *path = g_utf8_make_valid (export_files_get_path (self->files), -1);
    GST_ELEMENT_WARNING (self->element, RESOURCE, WRITE,
        ("An earlier run left \"%s\" incomplete. It has been completed with its %" G_GUINT64_FORMAT " complete frames.",
            path, frames),
        (NULL));
    g_free (path);
  }
  return ret;
}

/* Ends the document. A document without frames does not replace one that was just completed. */
static void
close_document (ExportWriter *self, gboolean to_disk)
{
  self->complete = TRUE;
  if (self->recovered && self->frame.index == 0)
    export_files_discard (self->files);
  else
    close_file (self, to_disk);
}

static GstFlowReturn write_rest (ExportWriter *self);

/* Time limit for finishing the current frame while the element stops. */
#define STOP_TIME (50 * G_TIME_SPAN_MILLISECOND)

/* Writes the rest of the current frame, even during a flush, within the time limit. */
static GstFlowReturn
write_last (ExportWriter *self)
{
  g_atomic_int_set (&self->flushing, FALSE);
  g_atomic_int_set (&self->stopping, FALSE);
  self->deadline = g_get_monotonic_time () + STOP_TIME;
  GstFlowReturn ret = write_rest (self);
  if (ret == GST_FLOW_FLUSHING && g_get_monotonic_time () > self->deadline)
    GST_ELEMENT_WARNING (self->element, RESOURCE, WRITE,
        ("The element stopped while it wrote a long frame, which is incomplete in the file. Send EOS first, as "
         "gst-launch-1.0 -e does."),
        (NULL));
  self->deadline = 0;
  return ret;
}

/* Opens the file for the frame unless it is open. */
static GstFlowReturn
prepare_file (ExportWriter *self)
{
  GError *error = NULL;
  if (self->complete) {
    g_set_error (&error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE,
        "A frame arrived after the end of the stream, but the document is complete. Restart the element with another "
        "location.");
    return fail (self, error);
  }
  if (self->format->extent == EXPORT_FRAME)
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

/* Adds to the spool what the end of the document needs of the written frame. */
static GstFlowReturn
note_frame (ExportWriter *self, const ExportFrame *frame)
{
  GError *error = NULL;
  GString *lines = g_string_new (NULL);
  self->format->note_frame (self->state, lines, frame);
  gboolean ok = export_files_add_frame (self->files, lines, &error);
  g_string_free (lines, TRUE);
  return ok ? GST_FLOW_OK : fail (self, error);
}

static GstFlowReturn
write_metas (ExportWriter *self, GstBuffer *buffer, ExportFrame *frame, guint metas)
{
  const ExportText text = {self->text, write_text, self};
  frame->path = export_files_get_path (self->files);
  frame->buffer = buffer;
  GstFlowReturn ret = export_metas_write (buffer, self->format, self->state, &text, frame, metas);
  if (ret != GST_FLOW_OK)
    return ret;
  return self->format->extent == EXPORT_FRAME ? close_file (self, FALSE) : write_text (self);
}

/* An interrupted frame is kept without its picture, for write_rest(). */
static GstFlowReturn
write_frame (ExportWriter *self, GstBuffer *buffer, ExportFrame *frame, guint metas)
{
  /* The head of the file is written once. */
  GstFlowReturn ret = self->text->len > 0 ? write_text (self) : GST_FLOW_OK;
  if (ret == GST_FLOW_OK) {
    begin_section (self);
    ret = end_section (self, write_metas (self, buffer, frame, metas));
  }
  if (ret == GST_FLOW_OK && self->format->note_frame)
    ret = note_frame (self, frame);
  if (ret == GST_FLOW_FLUSHING && !self->rest) {
    self->rest = gst_buffer_new ();
    gst_buffer_copy_into (self->rest, buffer, GST_BUFFER_COPY_META, 0, -1);
    self->rest_frame = *frame;
    self->rest_metas = metas;
  }
  return ret;
}

/* Writes the rest of the frame that a flush interrupted, so that lines stay complete and separate. */
static GstFlowReturn
write_rest (ExportWriter *self)
{
  if (!self->rest)
    return GST_FLOW_OK;
  GstFlowReturn ret = write_frame (self, self->rest, &self->rest_frame, self->rest_metas);
  if (ret != GST_FLOW_FLUSHING)
    gst_clear_buffer (&self->rest);
  return ret;
}

void
export_writer_init (ExportWriter *self, GstElement *element)
{
  *self = (ExportWriter){.element = element};
}

gboolean
export_writer_start (ExportWriter *self, const ExportSettings *settings)
{
  GError *error = NULL;
  ExportFiles *files = export_files_new (settings, &error);

  self->format = settings->format;
  self->failed = self->complete = FALSE;
  self->done = self->skip = 0;
  self->deadline = 0;
  if (!files) {
    fail (self, error);
    return FALSE;
  }
  GST_OBJECT_LOCK (self->element);
  self->files = files;
  GST_OBJECT_UNLOCK (self->element);

  self->text = g_string_new (NULL);
  self->frame = (ExportFrame){0};
  self->state = self->format->start ? self->format->start () : NULL;
  if (recover (self) == GST_FLOW_OK) {
    if (self->format->extent == EXPORT_FRAME || open_file (self, &error))
      return TRUE;
    fail (self, error);
  }
  export_writer_stop (self);
  return FALSE;
}

void
export_writer_stop (ExportWriter *self)
{
  /* An open file stays incomplete after a failure, if its reader has no room, or if writing takes too long. */
  gboolean is_open = !self->failed && export_files_is_open (self->files);
  if (is_open && export_files_is_ready (self->files) && write_last (self) == GST_FLOW_OK) {
    if (self->format->extent == EXPORT_DOCUMENT)
      close_document (self, FALSE);
    else if (self->format->extent == EXPORT_LINES)
      close_file (self, FALSE);
  }
  gst_clear_buffer (&self->rest);
  GST_OBJECT_LOCK (self->element);
  g_clear_pointer (&self->files, export_files_free);
  GST_OBJECT_UNLOCK (self->element);
  if (self->format->stop)
    self->format->stop (self->state);
  g_string_free (self->text, TRUE);
  self->text = NULL;
}

GstFlowReturn
export_writer_write (ExportWriter *self, GstBuffer *buffer, const ExportFrame *described)
{
  if (self->failed)
    return GST_FLOW_ERROR;
  GstFlowReturn ret = write_rest (self);
  if (ret != GST_FLOW_OK)
    return ret;

  guint64 index = self->frame.index;
  self->frame = *described;
  self->frame.index = index;

  GError *error = NULL;
  ExportMetas metas;
  if (!export_metas_fetch (buffer, self->format, &metas, &error))
    return fail (self, error);
  ret = prepare_file (self);
  if (ret != GST_FLOW_OK)
    return ret;
  ExportFrame frame = self->frame;
  export_metas_describe (&metas, &frame);
  ret = write_frame (self, buffer, &frame, metas.count);
  self->frame.index++;
  return ret;
}

void
export_writer_finish (ExportWriter *self)
{
  GError *error = NULL;
  if (self->failed || write_rest (self) != GST_FLOW_OK || !export_files_is_open (self->files))
    return;
  if (self->format->extent == EXPORT_DOCUMENT)
    close_document (self, TRUE);
  else if (write_text (self) == GST_FLOW_OK && !export_files_sync (self->files, &error))
    fail (self, error);
}

void
export_writer_set_flushing (ExportWriter *self, gboolean flushing)
{
  g_atomic_int_set (&self->flushing, flushing);
  GST_OBJECT_LOCK (self->element);
  if (self->files)
    export_files_set_flushing (self->files, flushing);
  GST_OBJECT_UNLOCK (self->element);
}

void
export_writer_set_stopping (ExportWriter *self, gboolean stopping)
{
  g_atomic_int_set (&self->stopping, stopping);
  if (!stopping) {
    g_atomic_int_set (&self->flushing, FALSE);
    return;
  }
  GST_OBJECT_LOCK (self->element);
  if (self->files)
    export_files_cancel (self->files);
  GST_OBJECT_UNLOCK (self->element);
}
