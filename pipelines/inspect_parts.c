/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures the parts in a picture or video and holds them to limits: inspect_parts [OPTION...] FILE-OR-URI
 *
 * Parts are bright on a dark ground, or the other way round (--invert). Prints a line for each: its area and outline's
 * length, its box, its holes, PASS or FAIL. Exit status 0 where all parts pass, 1 where one fails or there is none, 2
 * where nothing could be inspected. With --draw the frames go on, with lines and boxes, to any elements:
 *   inspect_parts --draw="videoconvert ! pngenc ! filesink location=inspected.png" parts.png
 * Outside this project:
 *   cc inspect_parts.c $(pkg-config --cflags --libs gstcontours-1.0 gstreamer-video-1.0) */
#include <gst/contours/gstcontours.h>
#include <gst/gst.h>
#include <gst/video/gstvideometa.h>
#include <signal.h>

enum { AREA, PERIMETER, WIDTH, HEIGHT, HOLES, N_MEASURES };
static const gchar *const names[N_MEASURES] = {"area", "perimeter", "width", "height", "holes"};

typedef struct {
  gdouble min, max;
} Limit;

/* Options. */
static Limit limits[N_MEASURES];
static gint threshold = -1;
static gboolean invert;
static gdouble ignore;
static gchar *drawn_to;
static gchar **arguments;

/* What came of them; the streaming thread's while the pipeline runs. */
static guint n_passed, n_failed;
static gboolean unreadable; /* the contours could not be fetched from the GPU */

/* Verdicts are drawn as regions of interest: those that pass by one overlay, those that fail by the next, each with its
 * colour. These wait for the second. */
typedef struct {
  gchar verdict[32];
  guint x, y, width, height;
} Region;

static GArray *failed_regions;

static gboolean
read_number (const gchar **text, gdouble *number)
{
  gchar *end;
  gdouble read = g_ascii_strtod (*text, &end);
  if (end == *text)
    return FALSE;
  *text = end;
  *number = read;
  return TRUE;
}

/* MIN:MAX, either of which may be missing, or the one number that is allowed. */
static gboolean
parse_limit (const gchar *option, const gchar *text, gpointer data, GError **error)
{
  Limit limit = {0, G_MAXDOUBLE};
  const gchar *rest = text;
  if (read_number (&rest, &limit.min))
    limit.max = *rest == ':' ? limit.max : limit.min;
  if (*rest == ':') {
    rest++;
    read_number (&rest, &limit.max);
  }
  if (rest == text || *rest != '\0' || !(limit.min <= limit.max)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "%s takes MIN:MAX, MIN:, :MAX or the one number that is allowed, not '%s'", option, text);
    return FALSE;
  }
  for (guint i = 0; i < N_MEASURES; i++)
    if (g_str_equal (option + strlen ("--"), names[i]))
      limits[i] = limit;
  return TRUE;
}

static void
add_region (GstBuffer *frame, const Region *region)
{
  gst_buffer_add_video_region_of_interest_meta (
      frame, region->verdict, region->x, region->y, region->width, region->height);
}

/* The box of OUTLINE, with room for the line. */
static Region
region_around (const GstContoursContour *outline, guint number, gboolean passes)
{
  const guint room = 6, left = MIN (outline->x, room), top = MIN (outline->y, room);
  Region region = {.x = outline->x - left,
      .y = outline->y - top,
      .width = outline->w + left + room,
      .height = outline->h + top + room};
  g_snprintf (region.verdict, sizeof region.verdict, "%u %s", number, passes ? "PASS" : "FAIL");
  return region;
}

/* The part inside OUTLINE, a row of META, whose holes are the contours inside. */
static gboolean
inspect_part (GstContoursContourMeta *meta, const GstContoursContour *outline, guint number)
{
  gdouble measures[N_MEASURES] = {outline->area, outline->perimeter, outline->w, outline->h, 0};
  GstContoursContour hole;
  gint next = outline->child;
  while (next >= 0 && gst_contours_contour_meta_get_contour (meta, next, &hole)) {
    measures[AREA] -= hole.area;
    measures[HOLES]++;
    next = hole.next;
  }
  g_print ("%6u %9.1f %10.1f %7.0f %7.0f %7.0f %7.0f %6.0f ", number, measures[AREA], measures[PERIMETER], outline->x,
      outline->y, measures[WIDTH], measures[HEIGHT], measures[HOLES]);

  gboolean passes = TRUE;
  for (guint i = 0; i < N_MEASURES; i++) {
    if (measures[i] >= limits[i].min && measures[i] <= limits[i].max)
      continue;
    const gboolean low = measures[i] < limits[i].min;
    g_print (
        "%s %s %s %g", passes ? " FAIL:" : ",", names[i], low ? "below" : "above", low ? limits[i].min : limits[i].max);
    passes = FALSE;
  }
  g_print ("%s\n", passes ? " PASS" : "");
  return passes;
}

static GstPadProbeReturn
inspect_frame (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstBuffer *frame = GST_PAD_PROBE_INFO_BUFFER (info);
  if (drawn_to)
    info->data = frame = gst_buffer_make_writable (frame);
  GstContoursContourMeta *meta = gst_buffer_get_contours_contour_meta (frame);
  GError *error = NULL;
  if (!gst_contours_contour_meta_fetch (meta, &error)) {
    g_printerr ("%s\n", error->message);
    g_error_free (error);
    unreadable = TRUE;
    return GST_PAD_PROBE_OK;
  }

  g_print ("  part      area  perimeter       x       y   width  height  holes  result\n");
  guint number = 0, passed = 0;
  GstContoursContour contour;
  for (guint i = 0; gst_contours_contour_meta_get_contour (meta, i, &contour); i++)
    if (!contour.hole) {
      const gboolean passes = inspect_part (meta, &contour, ++number);
      const Region region = region_around (&contour, number, passes);
      passed += passes;
      if (drawn_to && passes)
        add_region (frame, &region);
      else if (drawn_to)
        g_array_append_val (failed_regions, region);
    }
  g_print ("%u part%s, %u passed, %u failed; threshold %u\n", number, number == 1 ? "" : "s", passed, number - passed,
      gst_contours_contour_meta_get_threshold (meta));
  n_passed += passed;
  n_failed += number - passed;
  return GST_PAD_PROBE_OK;
}

/* Regions of parts that pass have been drawn: those of parts that failed take their place. */
static GstPadProbeReturn
exchange_regions (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstBuffer *frame = info->data = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  GstMeta *meta;
  while ((meta = gst_buffer_get_meta (frame, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)))
    gst_buffer_remove_meta (frame, meta);
  for (guint i = 0; i < failed_regions->len; i++)
    add_region (frame, &g_array_index (failed_regions, Region, i));
  g_array_set_size (failed_regions, 0);
  return GST_PAD_PROBE_OK;
}

static gboolean
parse_options (int *argc, char ***argv, GError **error)
{
  const GOptionEntry main_entries[] = {
      {"threshold", 't', 0, G_OPTION_ARG_INT, &threshold, "Brightness from which on a pixel is part (default: Otsu's)",
          "LEVEL"},
      {"invert", 'i', 0, G_OPTION_ARG_NONE, &invert, "Parts are dark on a bright ground", NULL},
      {"ignore", 0, 0, G_OPTION_ARG_DOUBLE, &ignore, "Parts and holes of less area are not there", "PIXELS"},
      {"draw", 0, 0, G_OPTION_ARG_STRING, &drawn_to,
          "Where frames with the result drawn in go to, as for gst-launch-1.0", "ELEMENTS"},
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &arguments, NULL, "FILE-OR-URI"},
      G_OPTION_ENTRY_NULL,
  };
  const GOptionEntry limit_entries[] = {
      {"area", 0, 0, G_OPTION_ARG_CALLBACK, parse_limit, "Area inside the outline less that of the holes, pixels",
          "MIN:MAX"},
      {"perimeter", 0, 0, G_OPTION_ARG_CALLBACK, parse_limit, "Length of the outline, pixels", "MIN:MAX"},
      {"width", 0, 0, G_OPTION_ARG_CALLBACK, parse_limit, "Width of the bounding box, pixels", "MIN:MAX"},
      {"height", 0, 0, G_OPTION_ARG_CALLBACK, parse_limit, "Height of the bounding box, pixels", "MIN:MAX"},
      {"holes", 0, 0, G_OPTION_ARG_CALLBACK, parse_limit, "Number of holes", "MIN:MAX"},
      G_OPTION_ENTRY_NULL,
  };
  for (guint i = 0; i < N_MEASURES; i++)
    limits[i] = (Limit){0, G_MAXDOUBLE};

  GOptionContext *options = g_option_context_new ("- measures parts and holds them to limits");
  g_option_context_add_main_entries (options, main_entries, NULL);
  GOptionGroup *group = g_option_group_new ("limits", "Limits of a part:", "Show the limits", NULL, NULL);
  g_option_group_add_entries (group, limit_entries);
  g_option_context_add_group (options, group);
  g_option_context_add_group (options, gst_init_get_option_group ());
  gboolean ok = g_option_context_parse (options, argc, argv, error);
  g_option_context_free (options);
  if (!ok)
    return FALSE;
  if (threshold > G_MAXUINT16 || !(ignore >= 0 && ignore <= G_MAXDOUBLE) || !arguments || arguments[1]) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "one FILE-OR-URI, a threshold of up to %u, and to ignore 0 pixels or more; --help says more", G_MAXUINT16);
    return FALSE;
  }
  return TRUE;
}

static void
add_probe (GstElement *pipeline, const gchar *element, GstPadProbeCallback callback)
{
  GstElement *probed = gst_bin_get_by_name (GST_BIN (pipeline), element);
  GstPad *pad = gst_element_get_static_pad (probed, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, NULL, NULL);
  gst_object_unref (pad);
  gst_object_unref (probed);
}

/* To draw on: the formats that have colours. */
#define COLOURED "video/x-raw(ANY),format={I420,YV12,NV12,NV21,Y42B,Y444,RGB,BGR,RGBx,BGRx,RGBA,BGRA}"

/* Each hole belongs to the outline around it, and every outline is a part, one inside a hole too: mode=ccomp. */
static GstElement *
new_pipeline (const gchar *uri, GError **error)
{
  gchar *drawing = !drawn_to ? g_strdup ("fakesink")
                             : g_strconcat ("cudacontouroverlay draw=contours color-by=fixed color=0xff56b4e9 ! "
                                            "cudacontouroverlay name=passed draw=regions labels=level "
                                            "color-by=fixed color=0xff009e73 ! "
                                            "cudacontouroverlay draw=regions labels=level "
                                            "color-by=fixed color=0xffd55e00 ! ",
                                 drawn_to, NULL);
  gchar *description = g_strdup_printf ("uridecodebin name=source expose-all-streams=false caps=video/x-raw(ANY) ! "
                                        "videoconvert ! %s cudaborders name=finder mode=ccomp ! %s",
      drawn_to ? COLOURED " !" : "", drawing);
  GstElement *pipeline = gst_parse_launch_full (description, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  g_free (description);
  g_free (drawing);
  if (!pipeline)
    return NULL;
  GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_object_set (source, "uri", uri, NULL);
  gst_object_unref (source);

  GstElement *finder = gst_bin_get_by_name (GST_BIN (pipeline), "finder");
  g_object_set (finder, "invert", invert, "min-area", ignore, NULL);
  if (threshold < 0)
    gst_util_set_object_arg (G_OBJECT (finder), "threshold-mode", "otsu");
  else
    g_object_set (finder, "threshold", threshold, NULL);
  gst_object_unref (finder);
  add_probe (pipeline, "finder", inspect_frame);
  if (drawn_to) {
    failed_regions = g_array_new (FALSE, FALSE, sizeof (Region));
    add_probe (pipeline, "passed", exchange_regions);
  }
  return pipeline;
}

static volatile sig_atomic_t interrupted;

/* The first interrupt ends the stream in order. */
static void
on_interrupt (int number)
{
  interrupted = 1;
  signal (number, SIG_DFL);
}

/* To its end; FALSE after an error. */
static gboolean
play (GstElement *pipeline, GError **error)
{
  signal (SIGINT, on_interrupt);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  while (!(message = gst_bus_timed_pop_filtered (bus, 100 * GST_MSECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR)))
    if (interrupted) {
      interrupted = 0;
      gst_element_send_event (pipeline, gst_event_new_eos ());
    }
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, error, NULL);
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return *error == NULL;
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  gchar *uri = NULL;
  GstElement *pipeline = NULL;
  if (parse_options (&argc, &argv, &error))
    uri = gst_uri_is_valid (arguments[0]) ? g_strdup (arguments[0]) : gst_filename_to_uri (arguments[0], &error);
  if (uri)
    pipeline = new_pipeline (uri, &error);
  const gboolean played = pipeline && play (pipeline, &error);
  if (error) {
    g_printerr ("%s%s%s\n", uri ? uri : "", uri ? ": " : "", error->message);
    g_error_free (error);
  }
  gst_clear_object (&pipeline);
  if (failed_regions)
    g_array_free (failed_regions, TRUE);
  g_free (drawn_to);
  g_free (uri);
  g_strfreev (arguments);
  if (!played || unreadable)
    return 2;
  return n_failed > 0 || n_passed == 0;
}
