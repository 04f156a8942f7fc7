/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-cudasnake
 * @title: cudasnake
 * @short_description: Outlines targets that differ from their background in statistics only
 *
 * Parts a window of each frame into a target and its background by a closed polygon, so that the luma (or grey) samples
 * on either side of it are alike as a whole: no edge is looked for, so noise does little harm. The outlines are
 * attached to the buffer as one #GstContoursContourMeta with the statistics of both regions, see
 * gst_contours_contour_meta_get_region(). The picture itself is left as it is.
 *
 * It segments two homogeneous regions and nothing more: a window should hold one target and its background. Windows
 * are given, or are those around regions of interest or components that elements before this one have attached; there
 * may be any number of them in a frame. With #GstCudaSnake:track each outline is where the next frame's search begins.
 *
 * The points are corners between pixels, %GST_CONTOURS_CONTOUR_COORDINATES_CORNERS. GPU and host give the same bytes.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 -m videotestsrc pattern=ball num-buffers=50 ! video/x-raw,format=NV12
 * ! cudasnake track=true post-messages=true ! fakesink
 * ]| Prints, for each frame, how many points the outline of the ball has. Without a GPU it is found on the host.
 *
 * Since: 0.1
 */
#include "gst/elements/gstcudasnake.h"

#include "gst/base/excerpt.h"
#include "gst/base/framemessage.h"
#include "gst/base/propertyfields.h"
#include "gst/snake/parse.h"
#include "gst/snake/tracks.h"

#include <gst/contours/gstcontours.h>

GST_DEBUG_CATEGORY_STATIC (gst_cuda_snake_debug);
#define GST_CAT_DEFAULT gst_cuda_snake_debug

/* Properties that are lists. */
enum { TEXT_WINDOW, TEXT_RECTANGLE, TEXT_POLYGON, TEXTS };

static const struct {
  const gchar *property, *form;
} texts[TEXTS] = {{"window", "x,y,w,h"}, {"rectangle", "x,y,w,h"}, {"polygon", "x,y x,y x,y"}};

struct _GstCudaSnake {
  GstContoursFilter parent;

  /* Properties, under the object lock. */
  CtrSnakeParams params;
  SnakeLayout layout; /* a list is NULL where its text is wrong */
  gchar *texts[TEXTS];
  gchar *errors[TEXTS]; /* what is wrong with the text, or NULL */
  gboolean track;
  gboolean post_messages;
  gboolean warned; /* of the properties as they are now */
  gboolean forget; /* what was followed so far */

  CtrSnake *snake; /* while started */
  SnakeTracks *tracks;
  guint objects; /* that were looked for in the last frame */
};

enum {
  PROP_0,
  PROP_MODEL,
  PROP_LOOKS,
  PROP_MIN_SEGMENT,
  PROP_MAX_STEP,
  PROP_PRUNE,
  PROP_MAX_ITERATIONS,
  PROP_MAX_OBJECTS,
  PROP_MAX_WINDOW_SIDES,
  PROP_OBJECTS,
  PROP_WINDOW,
  PROP_MARGIN,
  PROP_MIN_AREA,
  PROP_START,
  PROP_RECTANGLE,
  PROP_POLYGON,
  PROP_TRACK,
  PROP_POST_MESSAGES
};

#define MIN_LOOKS 0.01
#define MAX_LOOKS 1e6
#define MAX_PIXELS 65535
#define DEFAULT_MARGIN 0.25
#define MAX_MARGIN 100
#define DEFAULT_MIN_AREA 100

G_DEFINE_TYPE (GstCudaSnake, gst_cuda_snake, GST_TYPE_CONTOURS_FILTER)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (cudasnake, "cudasnake", GST_RANK_NONE, GST_TYPE_CUDA_SNAKE,
    GST_DEBUG_CATEGORY_INIT (gst_cuda_snake_debug, "cudasnake", 0, "outlines of targets"))

#define GST_TYPE_CUDA_SNAKE_MODEL (gst_cuda_snake_model_get_type ())
static GType
gst_cuda_snake_model_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_SNAKE_GAUSSIAN, "A mean and a variance for each region: either may tell them apart", "gaussian"},
      {CTR_SNAKE_SPECKLE, "Intensity of coherent imaging: radar, ultrasound", "speckle"},
      {CTR_SNAKE_POISSON, "Counts of photons: little light", "poisson"},
      {CTR_SNAKE_BERNOULLI, "Two values: masks", "bernoulli"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaSnakeModel", values));
  return type;
}

#define GST_TYPE_CUDA_SNAKE_OBJECTS (gst_cuda_snake_objects_get_type ())
static GType
gst_cuda_snake_objects_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {SNAKE_OBJECTS_PROPERTIES, "Those that window, rectangle and polygon describe", "properties"},
      {SNAKE_OBJECTS_REGIONS, "One for each GstVideoRegionOfInterestMeta of the frame", "regions"},
      {SNAKE_OBJECTS_COMPONENTS, "One for each component that a cudacca has attached to the frame", "components"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaSnakeObjects", values));
  return type;
}

#define GST_TYPE_CUDA_SNAKE_START (gst_cuda_snake_start_get_type ())
static GType
gst_cuda_snake_start_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_SNAKE_START_AUTO, "The best of all rectangles in a coarse grid over the window", "auto"},
      {CTR_SNAKE_START_RECTANGLE, "The property rectangle; the box of the region of interest or component",
          "rectangle"},
      {CTR_SNAKE_START_POLYGON, "The property polygon", "polygon"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaSnakeStart", values));
  return type;
}

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

static void
clear_lists (SnakeLayout *layout)
{
  g_clear_pointer (&layout->windows, g_array_unref);
  g_clear_pointer (&layout->rectangles, g_array_unref);
  g_clear_pointer (&layout->polygons, g_ptr_array_unref);
}

/* What is wrong with the lists, and what to do (transfer full); NULL: nothing is. */
static gchar *
find_wrong_text (GstCudaSnake *self)
{
  for (guint i = 0; i < TEXTS; i++)
    if (self->errors[i]) {
      gchar *shown = excerpt_new (self->texts[i]);
      gchar *problem = g_strdup_printf ("%s=\"%s\" is wrong: %s. Set it to the form %s, several between semicolons, or "
                                        "to \"\"",
          texts[i].property, shown, self->errors[i], texts[i].form);

      g_free (shown);
      return problem;
    }
  return NULL;
}

/* The properties as they are now, with references to the lists. Where a list is wrong, FALSE and what to do. */
static gboolean
get_layout (GstCudaSnake *self, SnakeLayout *layout, gchar **problem)
{
  *layout = self->layout;
  *problem = find_wrong_text (self);
  if (*problem) {
    layout->windows = layout->rectangles = NULL;
    layout->polygons = NULL;
    return FALSE;
  }
  g_array_ref (layout->windows);
  g_array_ref (layout->rectangles);
  g_ptr_array_ref (layout->polygons);
  return TRUE;
}

/* Says once what is wrong with the properties as they are now (transfer full); NULL: nothing is. */
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
warn_of_limit (GstCudaSnake *self, const CtrContours *contours, const CtrSnakeParams *params)
{
  if (contours->exceeded == CTR_LIMIT_OBJECTS)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("No outlines: the frame has %" G_GUINT64_FORMAT
         " objects, and max-objects is %u. Leave small components out with min-area, or raise max-objects.",
            contours->needed, params->max_objects),
        (NULL));
  else if (contours->exceeded == CTR_LIMIT_WINDOW_SIDES)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("No outlines: the widths and heights of the windows in the frame are %" G_GUINT64_FORMAT
         " pixels together, and max-window-sides is %" G_GUINT64_FORMAT
         ". Take fewer or smaller windows, such as by a smaller margin, or raise max-window-sides.",
            contours->needed, params->max_window_sides),
        (NULL));
}

/* Looks for TARGETS, of which there are COUNT; more than there may be need not be in the list. Those that IMAGE cannot
 * have, such as a polygon that leaves it, are none; *PROBLEM then says why. */
static CtrContours *
run_snake (GstCudaSnake *self, const CtrImage *image, const CtrSnakeParams *params, const GArray *targets, guint count,
    gpointer stream, gchar **problem, CtrError *error)
{
  CtrSnakeObject *objects = g_new (CtrSnakeObject, MAX (targets->len, 1));
  CtrContours *contours;

  for (guint i = 0; i < targets->len; i++)
    objects[i] = g_array_index (targets, SnakeTarget, i).object;
  contours = ctr_snake_run (self->snake, image, params, objects, count, stream, error);
  if (!contours && error->status == CTR_ERROR_INVALID_ARGUMENT) {
    *problem = g_strdup (error->message);
    contours = ctr_snake_run (self->snake, image, params, NULL, 0, stream, error);
  }
  g_free (objects);
  return contours;
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

/* Looks for TARGETS, of which there are COUNT, starting from where they were in the last frame. Where a limit is
 * exceeded that stays the last one. */
static CtrContours *
follow_outlines (GstCudaSnake *self, const CtrImage *image, const CtrSnakeParams *params, const SnakeLayout *layout,
    GArray *targets, guint count, GstBuffer *buffer, gpointer stream, gchar **problem, CtrError *error)
{
  GArray *events = g_array_new (FALSE, FALSE, sizeof (SnakeTrackEvent));
  CtrContours *contours = NULL;
  gboolean again;

  snake_tracks_start (self->tracks, layout, targets, image->width, image->height);
  do {
    g_clear_pointer (&contours, ctr_contours_unref);
    contours = run_snake (self, image, params, targets, count, stream, problem, error);
    if (contours && contours->exceeded != CTR_LIMIT_NONE)
      break;
    if (contours && !snake_tracks_check (self->tracks, layout, targets, contours, &again, error))
      g_clear_pointer (&contours, ctr_contours_unref);
  } while (contours && again);
  if (contours && contours->exceeded == CTR_LIMIT_NONE
      && !snake_tracks_update (self->tracks, targets, contours, events, error))
    g_clear_pointer (&contours, ctr_contours_unref);
  if (contours)
    post_events (self, buffer, events);
  g_array_unref (events);
  return contours;
}

/* Looks for the objects of LAYOUT in IMAGE, *COUNT of them, and follows them where that is asked for. */
static CtrContours *
find_outlines (GstCudaSnake *self, const CtrImage *image, const CtrSnakeParams *params, const SnakeLayout *layout,
    gboolean follow, GstBuffer *buffer, gpointer stream, guint *count, gchar **problem, CtrError *error)
{
  GArray *targets = snake_objects_find (layout, buffer, params->max_objects, count, problem);
  CtrContours *contours =
      follow ? follow_outlines (self, image, params, layout, targets, *count, buffer, stream, problem, error)
             : run_snake (self, image, params, targets, *count, stream, problem, error);

  g_array_unref (targets);
  return contours;
}

static CtrContours *
gst_cuda_snake_find_contours (
    GstContoursFilter *filter, const CtrImage *image, GstBuffer *buffer, gpointer stream, CtrError *error)
{
  GstCudaSnake *self = GST_CUDA_SNAKE (filter);
  gboolean right, track, forget;
  CtrContours *contours;
  CtrSnakeParams params;
  SnakeLayout layout;
  gchar *problem;

  GST_OBJECT_LOCK (self);
  params = self->params;
  right = get_layout (self, &layout, &problem);
  track = self->track;
  forget = self->forget || GST_BUFFER_IS_DISCONT (buffer);
  self->forget = FALSE;
  GST_OBJECT_UNLOCK (self);

  if (forget)
    snake_tracks_clear (self->tracks);
  self->objects = 0;
  if (right)
    /* Components have no identity from frame to frame. */
    contours = find_outlines (self, image, &params, &layout, track && layout.from != SNAKE_OBJECTS_COMPONENTS, buffer,
        stream, &self->objects, &problem, error);
  else
    contours = ctr_snake_run (self->snake, image, &params, NULL, 0, stream, error);
  clear_lists (&layout);
  warn (self, problem);
  if (contours && gst_contours_filter_enters_limit (filter, contours->exceeded))
    warn_of_limit (self, contours, &params);
  return contours;
}

static void
gst_cuda_snake_report_contours (GstContoursFilter *filter, GstBuffer *buffer, const CtrContours *contours)
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

/* After a jump in the stream the objects are elsewhere. */
static gboolean
gst_cuda_snake_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP || GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
    GST_OBJECT_LOCK (trans);
    GST_CUDA_SNAKE (trans)->forget = TRUE;
    GST_OBJECT_UNLOCK (trans);
  }
  return GST_BASE_TRANSFORM_CLASS (gst_cuda_snake_parent_class)->sink_event (trans, event);
}

static void
set_text (GstCudaSnake *self, guint which, const gchar *text)
{
  SnakeLayout *layout = &self->layout;
  gchar **problem = &self->errors[which];

  g_free (self->texts[which]);
  self->texts[which] = g_strdup (text ? text : "");
  g_clear_pointer (problem, g_free);
  if (which == TEXT_WINDOW) {
    g_clear_pointer (&layout->windows, g_array_unref);
    layout->windows = snake_parse_rectangles (self->texts[which], problem);
  } else if (which == TEXT_RECTANGLE) {
    g_clear_pointer (&layout->rectangles, g_array_unref);
    layout->rectangles = snake_parse_rectangles (self->texts[which], problem);
  } else {
    g_clear_pointer (&layout->polygons, g_ptr_array_unref);
    layout->polygons = snake_parse_polygons (self->texts[which], problem);
  }
}

/* Does the property ID say which objects there are? What was followed so far may then be another object. */
static gboolean
describes_objects (guint id)
{
  return id == PROP_OBJECTS || id == PROP_START || id == PROP_WINDOW || id == PROP_RECTANGLE || id == PROP_POLYGON
         || id == PROP_TRACK;
}

static const PropertyField fields[] = {
    PROPERTY_FIELD (PROP_MODEL, GstCudaSnake, params.model),
    PROPERTY_FIELD (PROP_LOOKS, GstCudaSnake, params.looks),
    PROPERTY_FIELD (PROP_MIN_SEGMENT, GstCudaSnake, params.min_segment),
    PROPERTY_FIELD (PROP_MAX_STEP, GstCudaSnake, params.max_step),
    PROPERTY_FIELD (PROP_PRUNE, GstCudaSnake, params.prune),
    PROPERTY_FIELD (PROP_MAX_ITERATIONS, GstCudaSnake, params.max_iterations),
    PROPERTY_FIELD (PROP_MAX_OBJECTS, GstCudaSnake, params.max_objects),
    PROPERTY_FIELD (PROP_MAX_WINDOW_SIDES, GstCudaSnake, params.max_window_sides),
    PROPERTY_FIELD (PROP_OBJECTS, GstCudaSnake, layout.from),
    PROPERTY_FIELD (PROP_MARGIN, GstCudaSnake, layout.margin),
    PROPERTY_FIELD (PROP_MIN_AREA, GstCudaSnake, layout.min_area),
    PROPERTY_FIELD (PROP_START, GstCudaSnake, layout.start),
    PROPERTY_FIELD (PROP_TRACK, GstCudaSnake, track),
    PROPERTY_FIELD (PROP_POST_MESSAGES, GstCudaSnake, post_messages),
    {0},
};

static void
gst_cuda_snake_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstCudaSnake *self = GST_CUDA_SNAKE (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_WINDOW:
      set_text (self, TEXT_WINDOW, g_value_get_string (value));
      break;
    case PROP_RECTANGLE:
      set_text (self, TEXT_RECTANGLE, g_value_get_string (value));
      break;
    case PROP_POLYGON:
      set_text (self, TEXT_POLYGON, g_value_get_string (value));
      break;
    default:
      if (!property_fields_set (fields, self, id, value))
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  if (describes_objects (id)) {
    self->forget = TRUE;
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
    case PROP_WINDOW:
      g_value_set_string (value, self->texts[TEXT_WINDOW]);
      break;
    case PROP_RECTANGLE:
      g_value_set_string (value, self->texts[TEXT_RECTANGLE]);
      break;
    case PROP_POLYGON:
      g_value_set_string (value, self->texts[TEXT_POLYGON]);
      break;
    default:
      if (!property_fields_get (fields, self, id, value))
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cuda_snake_finalize (GObject *object)
{
  GstCudaSnake *self = GST_CUDA_SNAKE (object);

  for (guint i = 0; i < TEXTS; i++) {
    g_free (self->texts[i]);
    g_free (self->errors[i]);
  }
  clear_lists (&self->layout);
  snake_tracks_free (self->tracks);
  G_OBJECT_CLASS (gst_cuda_snake_parent_class)->finalize (object);
}

static void
gst_cuda_snake_init (GstCudaSnake *self)
{
  ctr_snake_params_init (&self->params);
  self->layout.margin = DEFAULT_MARGIN;
  self->layout.min_area = DEFAULT_MIN_AREA;
  for (guint i = 0; i < TEXTS; i++)
    set_text (self, i, "");
  self->tracks = snake_tracks_new ();
}

static void
gst_cuda_snake_class_init (GstCudaSnakeClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstContoursFilterClass *filter_class = GST_CONTOURS_FILTER_CLASS (klass);
  const GParamFlags live = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;
  const GParamFlags controlled = live | GST_PARAM_CONTROLLABLE;
  CtrSnakeParams defaults;

  ctr_snake_params_init (&defaults);
  object_class->finalize = gst_cuda_snake_finalize;
  object_class->set_property = gst_cuda_snake_set_property;
  object_class->get_property = gst_cuda_snake_get_property;

  /**
   * GstCudaSnake:model:
   *
   * How the samples of a region are spread: what makes two regions differ.
   */
  g_object_class_install_property (object_class, PROP_MODEL,
      g_param_spec_enum ("model", "Model", "How the samples of a region are spread", GST_TYPE_CUDA_SNAKE_MODEL,
          defaults.model, controlled));

  /**
   * GstCudaSnake:looks:
   *
   * With the model speckle: the order of the gamma distribution, the number of independent looks that were averaged. It
   * weighs the samples against the length of the outline: pruning, and what is found at all.
   */
  g_object_class_install_property (object_class, PROP_LOOKS,
      g_param_spec_double ("looks", "Looks", "Looks that speckle was averaged over (model=speckle)", MIN_LOOKS,
          MAX_LOOKS, defaults.looks, controlled));

  /**
   * GstCudaSnake:min-segment:
   *
   * Sides of the polygon longer than two of these are split while the steps become smaller: the size of the detail that
   * is followed. 0: the power of two at or below 1/240 of the window's longer side, at least 4.
   */
  g_object_class_install_property (object_class, PROP_MIN_SEGMENT,
      g_param_spec_uint ("min-segment", "Minimum segment",
          "Sides longer than two of these are split, in pixels (0 = by the size of the window)", 0, MAX_PIXELS,
          defaults.min_segment, controlled));

  /**
   * GstCudaSnake:max-step:
   *
   * By how much points move at first. 0: the power of two at or below 1/32 of the window's longer side.
   */
  g_object_class_install_property (object_class, PROP_MAX_STEP,
      g_param_spec_uint ("max-step", "Maximum step",
          "By how much points move at first, in pixels (0 = by the size of the window)", 0, MAX_PIXELS,
          defaults.max_step, controlled));

  /**
   * GstCudaSnake:prune:
   *
   * Remove points that cost more than they explain, by the length of the description of window and outline together
   * (MDL).
   */
  g_object_class_install_property (object_class, PROP_PRUNE,
      g_param_spec_boolean (
          "prune", "Prune", "Remove points that do not shorten the description (MDL)", defaults.prune, controlled));

  /**
   * GstCudaSnake:max-iterations:
   *
   * Steps after which the search for an object ends in any case. An outline that was cut short is not `converged`.
   */
  g_object_class_install_property (object_class, PROP_MAX_ITERATIONS,
      g_param_spec_uint ("max-iterations", "Maximum iterations", "Most steps of the search for an object", 1, G_MAXUINT,
          defaults.max_iterations, controlled));

  /**
   * GstCudaSnake:max-objects:
   *
   * What one frame may cost: the objects that are looked for. A frame with more has no outlines, its metadata has
   * %GST_CONTOURS_RESULT_FLAG_LIMIT_EXCEEDED and the number, and a warning comes once for frames in a row. An object
   * takes 0.6 MB on the GPU.
   */
  g_object_class_install_property (object_class, PROP_MAX_OBJECTS,
      g_param_spec_uint ("max-objects", "Maximum objects",
          "Most objects of a frame, which has no outlines if it has more (0 = no limit)", 0, G_MAXUINT,
          defaults.max_objects, controlled));

  /**
   * GstCudaSnake:max-window-sides:
   *
   * What one frame may cost: the widths and heights of all windows, their parts inside the frame, added up. The time of
   * a search follows the sides of its window, not its area: about 20 µs a pixel of these on the host. Above it is as
   * with #GstCudaSnake:max-objects.
   */
  g_object_class_install_property (object_class, PROP_MAX_WINDOW_SIDES,
      g_param_spec_uint64 ("max-window-sides", "Maximum window sides",
          "Most pixels that the widths and heights of all windows of a frame may be together, which has no outlines if "
          "they are more (0 = no limit)",
          0, G_MAXUINT64, defaults.max_window_sides, controlled));

  /**
   * GstCudaSnake:objects:
   *
   * Which objects are looked for in a frame. Those in #GstVideoRegionOfInterestMeta and components have a window that
   * is their box and #GstCudaSnake:margin around it.
   */
  g_object_class_install_property (object_class, PROP_OBJECTS,
      g_param_spec_enum ("objects", "Objects", "Which objects are looked for", GST_TYPE_CUDA_SNAKE_OBJECTS,
          SNAKE_OBJECTS_PROPERTIES, live));

  /**
   * GstCudaSnake:window:
   *
   * Where the target and its background are: "x,y,w,h" in pixels of the frame, several between semicolons. A window may
   * reach over the ends of the frame; one that is off the frame has no outline. Empty: the whole frame. What is no list
   * of windows gives no outlines, and a warning.
   */
  g_object_class_install_property (object_class, PROP_WINDOW,
      g_param_spec_string ("window", "Window",
          "Where a target and its background are: x,y,w,h, several between semicolons (empty = the whole frame)", "",
          live));

  /**
   * GstCudaSnake:margin:
   *
   * What is left as background around the boxes of regions of interest and components: so many times the mean of their
   * width and height, on each side.
   */
  g_object_class_install_property (object_class, PROP_MARGIN,
      g_param_spec_double ("margin", "Margin",
          "Background around boxes, in means of their width and height (objects=regions, components)", 0, MAX_MARGIN,
          DEFAULT_MARGIN, controlled));

  /**
   * GstCudaSnake:min-area:
   *
   * Components of fewer pixels are not looked at.
   */
  g_object_class_install_property (object_class, PROP_MIN_AREA,
      g_param_spec_double ("min-area", "Minimum area",
          "Leave out components of less area, in pixels (objects=components)", 0, G_MAXDOUBLE, DEFAULT_MIN_AREA,
          controlled));

  /**
   * GstCudaSnake:start:
   *
   * What the search begins from.
   */
  g_object_class_install_property (object_class, PROP_START,
      g_param_spec_enum (
          "start", "Start", "What the search begins from", GST_TYPE_CUDA_SNAKE_START, CTR_SNAKE_START_AUTO, live));

  /**
   * GstCudaSnake:rectangle:
   *
   * What start=rectangle begins from: "x,y,w,h" in pixels of the frame, several between semicolons: as
   * many as there are objects. There may be one window for all of them, or as many.
   */
  g_object_class_install_property (object_class, PROP_RECTANGLE,
      g_param_spec_string ("rectangle", "Rectangle",
          "Rectangle to begin from: x,y,w,h, several between semicolons (start=rectangle)", "", live));

  /**
   * GstCudaSnake:polygon:
   *
   * What start=polygon begins from: "x,y x,y x,y ...", corners between pixels, several between
   * semicolons: as many as there are objects. There may be one window for all of them, or as many. It stays in its
   * window and does not touch itself.
   */
  g_object_class_install_property (object_class, PROP_POLYGON,
      g_param_spec_string ("polygon", "Polygon",
          "Polygon to begin from: x,y x,y x,y ..., several between semicolons (start=polygon)", "", live));

  /**
   * GstCudaSnake:track:
   *
   * Begin from the outline in the last frame. A window of #GstCudaSnake:window goes with its object and keeps its size:
   * the outline is in its middle, but for the ends of the frame. Where the outline does not lead to the target, this is
   * looked for in the same window again; where it is not found there, in the next frames as at first. Regions of
   * interest are the same ones by their ids where these differ, else by order; components are not followed.
   *
   * When an object that is followed is lost, or found again, an element message "cudasnake-track" is posted. It has the
   * fields
   *
   * * `timestamp`, `stream-time`, `running-time`, `duration`, `corrupted`, `interlaced`: of the frame, as in
   *   #GstCudaSnake:post-messages.
   * * #guint `object`: its number.
   * * #gchararray `change`: `lost`; `restarted`: its last outline did not lead to it, it was found in its window all
   *   the same; `found`: it had been lost.
   */
  g_object_class_install_property (object_class, PROP_TRACK,
      g_param_spec_boolean ("track", "Track", "Begin from the outline in the last frame", FALSE, live));

  /**
   * GstCudaSnake:post-messages:
   *
   * Post an element message "cudasnake" with the totals of each frame. It has the fields
   *
   * * #GstClockTime `timestamp`, `stream-time`, `running-time`, `duration`: of the frame, nanoseconds;
   *   #GST_CLOCK_TIME_NONE where unknown, the middle two also in streams whose segment is not in time.
   * * #gboolean `corrupted`, `interlaced`: what is known of the frame, see #GstContoursResultFlags.
   * * #guint `objects`: that were looked for.
   * * #guint `count`: of these, that were found: outlines.
   * * #guint64 `points`: points of all outlines together.
   * * #gboolean `limit-exceeded`: the frame exceeds #GstCudaSnake:max-objects or #GstCudaSnake:max-window-sides, so
   *   `count` is 0.
   */
  g_object_class_install_property (object_class, PROP_POST_MESSAGES,
      g_param_spec_boolean ("post-messages", "Post messages",
          "Post an element message with objects, count and points for each frame", FALSE, controlled));

  gst_element_class_set_static_metadata (element_class, "CUDA snake", "Filter/Analyzer/Video/Hardware",
      "Outlines targets in their background by the statistics of both, on the GPU or the host, and attaches them as "
      "metadata",
      "The gst-cuda-contours authors");

  GST_BASE_TRANSFORM_CLASS (klass)->sink_event = GST_DEBUG_FUNCPTR (gst_cuda_snake_sink_event);
  filter_class->open = GST_DEBUG_FUNCPTR (gst_cuda_snake_open);
  filter_class->close = GST_DEBUG_FUNCPTR (gst_cuda_snake_close);
  filter_class->find_contours = GST_DEBUG_FUNCPTR (gst_cuda_snake_find_contours);
  filter_class->report_contours = GST_DEBUG_FUNCPTR (gst_cuda_snake_report_contours);

  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_SNAKE_MODEL, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_SNAKE_OBJECTS, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_SNAKE_START, 0);
}
