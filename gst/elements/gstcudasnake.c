/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-cudasnake
 * @title: cudasnake
 * @short_description: Fits polygons that separate targets from background by region statistics
 *
 * Fits a closed polygon (a region snake) that separates a target from its background within a window of the frame, by
 * the statistics of the luma (or grey) samples in both regions. It needs no edges and works at a contrast-to-noise
 * ratio of 1. The outlines are attached to the buffer as one #GstContoursContourMeta with the statistics of both
 * regions, see gst_contours_contour_meta_get_region(). The picture stays unchanged.
 *
 * The model has two homogeneous regions, so a window should contain one target and its background. Windows are set with
 * #GstCudaSnake:window, or lie around regions of interest, components or detections that upstream elements attached; a frame may
 * have any number of them. With #GstCudaSnake:track each search starts from the outline in the last frame.
 *
 * Points are pixel corners, %GST_CONTOURS_CONTOUR_COORDINATES_CORNERS. GPU and CPU give identical results.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 -m videotestsrc pattern=ball num-buffers=50 ! video/x-raw,format=NV12
 * ! cudasnake track=true post-messages=true ! fakesink
 * ]| Prints the number of points of the outline of the ball in each frame. Without a GPU it runs on the CPU.
 *
 * Since: 0.1
 */
#include "gst/elements/gstcudasnake.h"

#include "gst/base/framemessage.h"
#include "gst/base/propertyfields.h"
#include "gst/base/significantbits.h"
#include "gst/snake/lists.h"
#include "gst/snake/properties.h"
#include "gst/snake/search.h"

#include <gst/contours/gstcontours.h>

GST_DEBUG_CATEGORY_STATIC (gst_cuda_snake_debug);
#define GST_CAT_DEFAULT gst_cuda_snake_debug

struct _GstCudaSnake {
  GstContoursFilter parent;

  /* Properties, under the object lock. */
  CtrSnakeParams params;    /* except significant_bits */
  SnakeSelection selection; /* except its lists */
  SnakeLists lists;
  gboolean track;
  guint significant_bits; /* 0: automatic */
  gboolean post_messages;
  gboolean warned;       /* about the current properties */
  gboolean reset_tracks; /* before the next frame */

  CtrSnake *snake; /* while started */
  SnakeTracks *tracks;
  guint objects; /* that were looked for in the last frame */
};

G_DEFINE_TYPE (GstCudaSnake, gst_cuda_snake, GST_TYPE_CONTOURS_FILTER)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (cudasnake, "cudasnake", GST_RANK_NONE, GST_TYPE_CUDA_SNAKE,
    GST_DEBUG_CATEGORY_INIT (gst_cuda_snake_debug, "cudasnake", 0, "cudasnake element"))

static gboolean
gst_cuda_snake_open (GstContoursFilter *filter, CtrBackend backend, CtrError *error)
{
  GstCudaSnake *self = GST_CUDA_SNAKE (filter);

  self->snake = ctr_snake_new (backend, error);
  return self->snake != NULL;
}

static void
gst_cuda_snake_close (GstContoursFilter *filter)
{
  GstCudaSnake *self = GST_CUDA_SNAKE (filter);

  g_clear_pointer (&self->snake, ctr_snake_free);
  snake_tracks_clear (self->tracks);
}

/* Warns once about PROBLEM of the current properties (transfer full), NULL if there is none. */
static void
warn (GstCudaSnake *self, gchar *problem)
{
  gboolean warned;

  GST_OBJECT_LOCK (self);
  warned = self->warned;
  self->warned = problem != NULL;
  GST_OBJECT_UNLOCK (self);
  if (problem && !warned)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("No outlines: %s.", problem), (NULL));
  g_free (problem);
}

static void
gst_cuda_snake_warn_of_limit (GstContoursFilter *filter, const CtrContours *contours)
{
  GstCudaSnake *self = GST_CUDA_SNAKE (filter);
  guint max_objects;
  guint64 max_window_sides;

  GST_OBJECT_LOCK (self);
  max_objects = self->params.max_objects;
  max_window_sides = self->params.max_window_sides;
  GST_OBJECT_UNLOCK (self);
  if (contours->exceeded == CTR_LIMIT_OBJECTS)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("No outlines: the frame has %" G_GUINT64_FORMAT
         " objects, but max-objects is %u. Drop small components with min-area, or raise max-objects.",
            contours->needed, max_objects),
        (NULL));
  else if (contours->exceeded == CTR_LIMIT_WINDOW_SIDES)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("No outlines: the widths and heights of all windows add up to %" G_GUINT64_FORMAT
         " pixels, but max-window-sides is %" G_GUINT64_FORMAT
         ". Use fewer or smaller windows (a smaller margin, for example), or raise max-window-sides.",
            contours->needed, max_window_sides),
        (NULL));
}

static void
post_events (GstCudaSnake *self, GstBuffer *buffer, const GArray *events)
{
  static const gchar *const changes[] = {"lost", "restarted", "found"};

  for (guint i = 0; i < events->len; i++) {
    const SnakeTrackEvent *event = &g_array_index (events, SnakeTrackEvent, i);

    GST_DEBUG_OBJECT (self, "object %u: %s", event->object, changes[event->change]);
    frame_message_post (GST_CONTOURS_FILTER (self), buffer, "cudasnake-track", "object", G_TYPE_UINT, event->object,
        "change", G_TYPE_STRING, changes[event->change], NULL);
  }
}

static CtrContours *
find_outlines (GstCudaSnake *self, const SnakeSearch *search, gchar **problem, CtrError *error)
{
  GArray *events = g_array_new (FALSE, FALSE, sizeof (SnakeTrackEvent));
  CtrContours *contours = snake_search_run (search, &self->objects, events, problem, error);

  if (contours)
    post_events (self, search->buffer, events);
  g_array_unref (events);
  return contours;
}

static CtrContours *
gst_cuda_snake_find_contours (
    GstContoursFilter *filter, const CtrImage *image, GstBuffer *buffer, gpointer stream, CtrError *error)
{
  GstCudaSnake *self = GST_CUDA_SNAKE (filter);
  gboolean valid, track, reset_tracks;
  guint significant_bits;
  CtrContours *contours;
  CtrSnakeParams params;
  SnakeSelection selection;
  gchar *problem;

  GST_OBJECT_LOCK (self);
  params = self->params;
  significant_bits = self->significant_bits;
  selection = self->selection;
  valid = snake_lists_fill (&self->lists, &selection, &problem);
  track = self->track;
  reset_tracks = self->reset_tracks || GST_BUFFER_IS_DISCONT (buffer);
  self->reset_tracks = FALSE;
  GST_OBJECT_UNLOCK (self);

  if (params.model == CTR_SNAKE_BERNOULLI)
    params.significant_bits = gst_contours_filter_get_significant_bits (filter, image, significant_bits);
  if (reset_tracks)
    snake_tracks_clear (self->tracks);
  self->objects = 0;
  if (valid) {
    const SnakeSearch search = {
        .snake = self->snake,
        .tracks = track ? self->tracks : NULL,
        .selection = &selection,
        .params = &params,
        .image = image,
        .buffer = buffer,
        .stream = stream,
    };
    contours = find_outlines (self, &search, &problem, error);
  } else {
    contours = ctr_snake_run (self->snake, image, &params, NULL, 0, stream, error);
  }
  snake_selection_clear (&selection);
  warn (self, problem);
  return contours;
}

static void
gst_cuda_snake_report_contours (GstContoursFilter *filter, GstBuffer *buffer, CtrContours *contours)
{
  GstCudaSnake *self = GST_CUDA_SNAKE (filter);
  gboolean post_messages;

  GST_LOG_OBJECT (
      self, "%u of %u objects, %" G_GUINT64_FORMAT " points", contours->count, self->objects, contours->point_count);
  GST_OBJECT_LOCK (self);
  post_messages = self->post_messages;
  GST_OBJECT_UNLOCK (self);
  if (post_messages)
    frame_message_post (filter, buffer, "cudasnake", "objects", G_TYPE_UINT, self->objects, "count", G_TYPE_UINT,
        contours->count, "points", G_TYPE_UINT64, contours->point_count, "limit-exceeded", G_TYPE_BOOLEAN,
        contours->exceeded != CTR_LIMIT_NONE, NULL);
}

/* Tracks are invalid after a jump in the stream. */
static gboolean
gst_cuda_snake_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP || GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
    GST_OBJECT_LOCK (trans);
    GST_CUDA_SNAKE (trans)->reset_tracks = TRUE;
    GST_OBJECT_UNLOCK (trans);
  }
  return GST_BASE_TRANSFORM_CLASS (gst_cuda_snake_parent_class)->sink_event (trans, event);
}

/* Whether property ID selects the objects. If it changes, a track may belong to another object. */
static gboolean
describes_objects (guint id)
{
  return id == SNAKE_PROP_OBJECTS || id == SNAKE_PROP_START || id == SNAKE_PROP_WINDOW || id == SNAKE_PROP_RECTANGLE
         || id == SNAKE_PROP_POLYGON || id == SNAKE_PROP_TRACK;
}

static const PropertyField fields[] = {
    PROPERTY_FIELD (SNAKE_PROP_MODEL, GstCudaSnake, params.model),
    PROPERTY_FIELD (SNAKE_PROP_LOOKS, GstCudaSnake, params.looks),
    PROPERTY_FIELD (SNAKE_PROP_MIN_SEGMENT, GstCudaSnake, params.min_segment),
    PROPERTY_FIELD (SNAKE_PROP_MAX_STEP, GstCudaSnake, params.max_step),
    PROPERTY_FIELD (SNAKE_PROP_PRUNE, GstCudaSnake, params.prune),
    PROPERTY_FIELD (SNAKE_PROP_MAX_ITERATIONS, GstCudaSnake, params.max_iterations),
    PROPERTY_FIELD (SNAKE_PROP_MAX_OBJECTS, GstCudaSnake, params.max_objects),
    PROPERTY_FIELD (SNAKE_PROP_MAX_WINDOW_SIDES, GstCudaSnake, params.max_window_sides),
    PROPERTY_FIELD (SNAKE_PROP_OBJECTS, GstCudaSnake, selection.source),
    PROPERTY_FIELD (SNAKE_PROP_MARGIN, GstCudaSnake, selection.margin),
    PROPERTY_FIELD (SNAKE_PROP_MIN_AREA, GstCudaSnake, selection.min_area),
    PROPERTY_FIELD (SNAKE_PROP_START, GstCudaSnake, selection.start),
    PROPERTY_FIELD (SNAKE_PROP_TRACK, GstCudaSnake, track),
    PROPERTY_FIELD (SNAKE_PROP_HISTORY, GstCudaSnake, params.history),
    PROPERTY_FIELD (SNAKE_PROP_SIGNIFICANT_BITS, GstCudaSnake, significant_bits),
    PROPERTY_FIELD (SNAKE_PROP_POST_MESSAGES, GstCudaSnake, post_messages),
    {0},
};

static void
gst_cuda_snake_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstCudaSnake *self = GST_CUDA_SNAKE (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case SNAKE_PROP_WINDOW:
      snake_lists_set (&self->lists, SNAKE_LIST_WINDOW, g_value_get_string (value));
      break;
    case SNAKE_PROP_RECTANGLE:
      snake_lists_set (&self->lists, SNAKE_LIST_RECTANGLE, g_value_get_string (value));
      break;
    case SNAKE_PROP_POLYGON:
      snake_lists_set (&self->lists, SNAKE_LIST_POLYGON, g_value_get_string (value));
      break;
    case SNAKE_PROP_SIGNIFICANT_BITS:
      self->significant_bits = significant_bits_clamp (GST_ELEMENT_CAST (self), g_value_get_uint (value));
      break;
    default:
      if (!property_fields_set (fields, self, id, value)
          && !gst_contours_filter_set_attachment (GST_CONTOURS_FILTER (object), value, pspec))
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  if (describes_objects (id)) {
    self->reset_tracks = TRUE;
    self->warned = FALSE;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cuda_snake_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstCudaSnake *self = GST_CUDA_SNAKE (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case SNAKE_PROP_WINDOW:
      g_value_set_string (value, self->lists.texts[SNAKE_LIST_WINDOW]);
      break;
    case SNAKE_PROP_RECTANGLE:
      g_value_set_string (value, self->lists.texts[SNAKE_LIST_RECTANGLE]);
      break;
    case SNAKE_PROP_POLYGON:
      g_value_set_string (value, self->lists.texts[SNAKE_LIST_POLYGON]);
      break;
    default:
      if (!property_fields_get (fields, self, id, value)
          && !gst_contours_filter_get_attachment (GST_CONTOURS_FILTER (object), value, pspec))
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cuda_snake_finalize (GObject *object)
{
  GstCudaSnake *self = GST_CUDA_SNAKE (object);

  snake_lists_clear (&self->lists);
  snake_tracks_free (self->tracks);
  G_OBJECT_CLASS (gst_cuda_snake_parent_class)->finalize (object);
}

static void
gst_cuda_snake_init (GstCudaSnake *self)
{
  ctr_snake_params_init (&self->params);
  self->selection.margin = SNAKE_DEFAULT_MARGIN;
  self->selection.min_area = SNAKE_DEFAULT_MIN_AREA;
  snake_lists_init (&self->lists);
  self->tracks = snake_tracks_new ();
}

static void
gst_cuda_snake_class_init (GstCudaSnakeClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstContoursFilterClass *filter_class = GST_CONTOURS_FILTER_CLASS (klass);

  object_class->finalize = gst_cuda_snake_finalize;
  object_class->set_property = gst_cuda_snake_set_property;
  object_class->get_property = gst_cuda_snake_get_property;
  snake_properties_install (object_class);
  gst_contours_filter_install_attachment (object_class, SNAKE_PROP_ATTACHMENT, FALSE);

  gst_element_class_set_static_metadata (element_class, "CUDA snake", "Filter/Analyzer/Video/Hardware",
      "Fits polygons that separate targets from background by region statistics, on the GPU or CPU, and attaches them "
      "as metadata",
      "The gst-cuda-contours authors");

  GST_BASE_TRANSFORM_CLASS (klass)->sink_event = GST_DEBUG_FUNCPTR (gst_cuda_snake_sink_event);
  filter_class->open = GST_DEBUG_FUNCPTR (gst_cuda_snake_open);
  filter_class->close = GST_DEBUG_FUNCPTR (gst_cuda_snake_close);
  filter_class->find_contours = GST_DEBUG_FUNCPTR (gst_cuda_snake_find_contours);
  filter_class->warn_of_limit = GST_DEBUG_FUNCPTR (gst_cuda_snake_warn_of_limit);
  filter_class->report_contours = GST_DEBUG_FUNCPTR (gst_cuda_snake_report_contours);
}
