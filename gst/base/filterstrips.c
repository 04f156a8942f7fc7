/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strips of one endless picture, the web: where it ends, what is open then, and a warning of what stays open too long. */
#include "gst/base/gstcontoursfilter-private.h"

void
gst_contours_filter_set_strips (GstContoursFilter *self, const StripMode *mode)
{
  PRIVATE (self)->strips = *mode;
  PRIVATE (self)->warned_unfinished = PRIVATE (self)->rows_missing = FALSE;
}

gboolean
gst_contours_filter_misses_rows (GstContoursFilter *self, GstBuffer *buffer)
{
  return PRIVATE (self)->rows_missing || GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT);
}

void
contours_filter_expect_strip (GstContoursFilter *self)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);

  priv->rows_missing |= priv->expects_strip;
  priv->expects_strip = TRUE;
}

void
contours_filter_note_strip (GstContoursFilter *self, GstBuffer *buffer)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);

  priv->rows_missing = priv->expects_strip = FALSE;
  priv->strip_pts = GST_BUFFER_PTS (buffer);
  priv->strip_duration = GST_BUFFER_DURATION (buffer);
}

void
contours_filter_warn_of_unfinished (GstContoursFilter *self, guint unfinished, const gchar *what)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);

  if (unfinished == 0 || priv->warned_unfinished)
    return;
  priv->warned_unfinished = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FAILED,
      ("Open for more than max-open-rows=%u rows: %u %s of one strip. They are reported unfinished, and go on as new "
       "ones. Increase max-open-rows if such objects are expected, or check threshold and invert.",
          priv->strips.max_open_rows, unfinished, what),
      (NULL));
}

/* The value of component C that makes a pixel black and opaque. */
static guint
black (const GstVideoFormatInfo *format, guint c)
{
  if (GST_VIDEO_FORMAT_INFO_HAS_ALPHA (format) && c == GST_VIDEO_COMP_A)
    return (1u << GST_VIDEO_FORMAT_INFO_DEPTH (format, c)) - 1;
  if (GST_VIDEO_FORMAT_INFO_IS_YUV (format) && c != GST_VIDEO_COMP_Y)
    return 1u << (GST_VIDEO_FORMAT_INFO_DEPTH (format, c) - 1);
  return 0;
}

static void
blacken_row (guint8 *row, guint width, guint step, gboolean wide, guint16 value)
{
  for (guint x = 0; x < width; x++, row += step) {
    if (wide)
      GST_WRITE_UINT16_LE (row, value);
    else
      *row = (guint8) value;
  }
}

/* Where component C begins in a pixel. GStreamer 1.22 has the V of P016_LE at byte 1, in the middle of U. */
static guint
offset_in_pixel (const GstVideoFormatInfo *format, guint c)
{
  const guint offset = GST_VIDEO_FORMAT_INFO_POFFSET (format, c);

  return GST_VIDEO_FORMAT_INFO_DEPTH (format, c) > 8 && offset == 1 ? 2 : offset;
}

static void
blacken (GstVideoFrame *frame)
{
  const GstVideoFormatInfo *format = frame->info.finfo;

  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS (frame); c++) {
    const guint value = black (format, c) << GST_VIDEO_FORMAT_INFO_SHIFT (format, c);
    guint8 *row = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, GST_VIDEO_FRAME_COMP_PLANE (frame, c))
                  + offset_in_pixel (format, c);

    for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (frame, c); y++, row += GST_VIDEO_FRAME_COMP_STRIDE (frame, c))
      blacken_row (row, GST_VIDEO_FRAME_COMP_WIDTH (frame, c), GST_VIDEO_FRAME_COMP_PSTRIDE (frame, c),
          GST_VIDEO_FORMAT_INFO_DEPTH (format, c) > 8, value);
  }
}

/* A black frame that follows the last strip, flagged as a gap. NULL if there is no memory. */
static GstBuffer *
new_black_strip (GstContoursFilter *self)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstBufferPool *pool = contours_filter_new_pool (self, NULL);
  GstBuffer *buffer = NULL;
  GstVideoFrame frame;

  if (pool) {
    gst_buffer_pool_acquire_buffer (pool, &buffer, NULL);
    gst_buffer_pool_set_active (pool, FALSE);
    gst_object_unref (pool);
  }
  if (!buffer || !gst_video_frame_map (&frame, &priv->info, buffer, GST_MAP_WRITE)) {
    gst_clear_buffer (&buffer);
    return NULL;
  }
  blacken (&frame);
  gst_video_frame_unmap (&frame);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  GST_BUFFER_DURATION (buffer) = priv->strip_duration;
  if (GST_CLOCK_TIME_IS_VALID (priv->strip_pts))
    GST_BUFFER_PTS (buffer) =
        priv->strip_pts + (GST_CLOCK_TIME_IS_VALID (priv->strip_duration) ? priv->strip_duration : 0);
  return buffer;
}

/* Takes what is open at the end of the web, with the CUDA context current. */
static gboolean
take_rest (GstContoursFilter *self, CtrComponents **components, CtrContours **contours, CtrError *error)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);
  const gboolean cuda = g_atomic_int_get (&priv->in_use) == CTR_BACKEND_CUDA;
  gboolean ok;

  if (cuda && !gst_contours_gpu_push (&priv->gpu, error))
    return FALSE;
  ok = klass->end_components ? klass->end_components (self, components, error)
                             : klass->end_contours (self, contours, error);
  if (cuda)
    gst_contours_gpu_pop (&priv->gpu);
  return ok;
}

static gboolean
has_strips (GstContoursFilter *self)
{
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);

  return PRIVATE (self)->strips.enabled && (klass->end_components || klass->end_contours)
         && g_atomic_int_get (&PRIVATE (self)->in_use) >= 0;
}

gboolean
contours_filter_end_web (GstContoursFilter *self)
{
  CtrComponents *components = NULL;
  CtrContours *contours = NULL;
  GstBuffer *buffer;
  CtrError error = {CTR_OK, ""};

  if (!has_strips (self))
    return TRUE;
  if (!take_rest (self, &components, &contours, &error)) {
    contours_filter_post_error (self, &error);
    return FALSE;
  }
  PRIVATE (self)->warned_unfinished = FALSE;
  if (!components && !contours)
    return TRUE;
  buffer = new_black_strip (self);
  if (buffer) {
    contours_filter_attach_rest (self, buffer, components, contours);
    /* What downstream returns concerns the next frame, if there is one. */
    gst_pad_push (GST_BASE_TRANSFORM_SRC_PAD (self), buffer);
  } else {
    error = (CtrError){CTR_ERROR_OUT_OF_MEMORY, "no memory for the frame that ends the strips"};
    contours_filter_post_error (self, &error);
  }
  g_clear_pointer (&components, ctr_components_unref);
  g_clear_pointer (&contours, ctr_contours_unref);
  return buffer != NULL;
}

void
contours_filter_drop_web (GstContoursFilter *self)
{
  if (has_strips (self))
    GST_CONTOURS_FILTER_GET_CLASS (self)->drop_web (self);
  PRIVATE (self)->warned_unfinished = PRIVATE (self)->rows_missing = FALSE;
}

static gboolean
changes_caps (GstContoursFilter *self, GstEvent *event)
{
  GstCaps *now = gst_pad_get_current_caps (GST_BASE_TRANSFORM_SINK_PAD (self)), *next;
  gboolean changes;

  gst_event_parse_caps (event, &next);
  changes = now && !gst_caps_is_equal (now, next);
  gst_clear_caps (&now);
  return changes;
}

void
contours_filter_handle_strip_event (GstContoursFilter *self, GstEvent *event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      if (changes_caps (self, event))
        contours_filter_end_web (self);
      break;
    case GST_EVENT_STREAM_START:
    case GST_EVENT_EOS:
      contours_filter_end_web (self);
      break;
    case GST_EVENT_FLUSH_STOP:
      contours_filter_drop_web (self);
      break;
    case GST_EVENT_GAP:
      PRIVATE (self)->rows_missing = TRUE;
      break;
    default:
      break;
  }
}
