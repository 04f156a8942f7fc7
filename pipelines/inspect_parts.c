/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Example application: measures each part and checks it against tolerances: inspect_parts [OPTION...] FILE-OR-URI
 *
 * Parts are bright on a dark background, or dark on a bright one with --invert. For each part the application prints
 * its area, the length of its outline, its bounding box, the number of its holes, and PASS or FAIL. The exit status is
 * 0 if all parts pass, 1 if one fails or there is none, 2 if the input cannot be inspected. With --draw the frames,
 * with outlines and boxes drawn onto them, are sent to other elements:
 *   inspect_parts --draw="videoconvert ! pngenc ! filesink location=inspected.png" parts.png
 * To compile it elsewhere:
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
static guint neighbourhood; /* side in pixels; 0: one threshold for the whole frame */
static gchar *color;        /* ranges; NULL: none */
static gdouble split;       /* depth in pixels; 0: touching parts stay together */
static gchar *region;       /* rectangles and polygons; NULL: the whole frame */
static gboolean invert;
static gdouble ignore;
static gchar *drawn_to;
static gchar **arguments;

/* Results. While the pipeline runs, only the streaming thread uses them. */
static guint n_passed, n_failed;
static gboolean unreadable; /* the contours could not be fetched from the GPU */

/* A verdict that an overlay draws as a region of interest. Each overlay has one colour: the first one draws the parts
 * that pass, the second one those that fail. */
typedef struct {
  gchar verdict[32];
  guint x, y, width, height;
} Region;

static GArray *failed_regions; /* for the second overlay */

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

/* Parses MIN:MAX, where MIN or MAX may be missing, or a single number. */
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
        "%s takes MIN:MAX, MIN:, :MAX or a single number, not '%s'", option, text);
    return FALSE;
  }
  for (guint i = 0; i < N_MEASURES; i++)
    if (g_str_equal (option + strlen ("--"), names[i]))
      limits[i] = limit;
  return TRUE;
}

/* Parses the side of a neighbourhood. */
static gboolean
parse_neighbourhood (const gchar *option, const gchar *text, gpointer data, GError **error)
{
  guint64 side;
  if (!g_ascii_string_to_unsigned (text, 10, 3, 255, &side, NULL) || side % 2 == 0) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "%s takes an odd number of pixels from 3 to 255, not '%s'", option, text);
    return FALSE;
  }
  neighbourhood = side;
  return TRUE;
}

static void
add_region (GstBuffer *frame, const Region *region)
{
  gst_buffer_add_video_region_of_interest_meta (
      frame, region->verdict, region->x, region->y, region->width, region->height);
}

/* The bounding box of OUTLINE with a margin. */
static Region
region_around (const GstContoursContour *outline, guint number, gboolean passes)
{
  const guint margin = 6, left = MIN (outline->x, margin), top = MIN (outline->y, margin);
  Region region = {.x = outline->x - left,
      .y = outline->y - top,
      .width = outline->w + left + margin,
      .height = outline->h + top + margin};
  g_snprintf (region.verdict, sizeof region.verdict, "%u %s", number, passes ? "PASS" : "FAIL");
  return region;
}

/* Measures the part inside OUTLINE, whose children are the holes, and prints its line. Returns whether it passes. */
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

/* After the first overlay: replaces the regions of the parts that pass by those of the parts that fail. */
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
      {"threshold", 't', 0, G_OPTION_ARG_INT, &threshold, "Foreground threshold, inclusive (default: Otsu's method)",
          "LEVEL"},
      {"adaptive", 'a', 0, G_OPTION_ARG_CALLBACK, parse_neighbourhood,
          "Uneven light: compare each pixel with the mean of a square of this side, which is larger than the parts",
          "PIXELS"},
      {"color", 'c', 0, G_OPTION_ARG_STRING, &color, "Parts have these colors, such as hue=170-10,saturation=100-255",
          "RANGES"},
      {"split", 's', 0, G_OPTION_ARG_DOUBLE, &split,
          "Fill holes, and split parts that touch where they are narrower by this depth, such as 3", "PIXELS"},
      {"region", 'r', 0, G_OPTION_ARG_STRING, &region,
          "Inspect these rectangles X,Y,W,H and polygons only, such as '10,20,300,200;polygon: 0,0 90,0 45,60'",
          "LIST"},
      {"invert", 'i', 0, G_OPTION_ARG_NONE, &invert, "Parts are dark on a bright background", NULL},
      {"ignore", 0, 0, G_OPTION_ARG_DOUBLE, &ignore, "Ignore parts and holes with a smaller area", "PIXELS"},
      {"draw", 0, 0, G_OPTION_ARG_STRING, &drawn_to,
          "Send the frames with the result to these elements, in the syntax of gst-launch-1.0", "ELEMENTS"},
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &arguments, NULL, "FILE-OR-URI"},
      G_OPTION_ENTRY_NULL,
  };
  const GOptionEntry limit_entries[] = {
      {"area", 0, 0, G_OPTION_ARG_CALLBACK, parse_limit, "Area without the holes, pixels", "MIN:MAX"},
      {"perimeter", 0, 0, G_OPTION_ARG_CALLBACK, parse_limit, "Length of the outline, pixels", "MIN:MAX"},
      {"width", 0, 0, G_OPTION_ARG_CALLBACK, parse_limit, "Width of the bounding box, pixels", "MIN:MAX"},
      {"height", 0, 0, G_OPTION_ARG_CALLBACK, parse_limit, "Height of the bounding box, pixels", "MIN:MAX"},
      {"holes", 0, 0, G_OPTION_ARG_CALLBACK, parse_limit, "Number of holes", "MIN:MAX"},
      G_OPTION_ENTRY_NULL,
  };
  for (guint i = 0; i < N_MEASURES; i++)
    limits[i] = (Limit){0, G_MAXDOUBLE};

  GOptionContext *options = g_option_context_new ("- measures parts and checks them against tolerances");
  g_option_context_add_main_entries (options, main_entries, NULL);
  GOptionGroup *group = g_option_group_new ("limits", "Tolerances of a part:", "Show the tolerances", NULL, NULL);
  g_option_group_add_entries (group, limit_entries);
  g_option_context_add_group (options, group);
  g_option_context_add_group (options, gst_init_get_option_group ());
  gboolean ok = g_option_context_parse (options, argc, argv, error);
  g_option_context_free (options);
  if (!ok)
    return FALSE;
  if ((threshold >= 0) + (neighbourhood > 0) + (color != NULL) > 1) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--threshold, --adaptive and --color exclude one another; give one of them.");
    return FALSE;
  }
  if (threshold > G_MAXUINT16 || !(ignore >= 0 && ignore <= G_MAXDOUBLE) || !(split >= 0 && split <= 1024) || !arguments
      || arguments[1]) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "FILE-OR-URI must be given once, --threshold must be at most %u, --ignore must not be negative, --split must "
        "be 0 "
        "to 1024; --help lists the options.",
        G_MAXUINT16);
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

/* Formats in which the overlay can draw in colour, and those of them that have all channels for ranges. */
#define RGB "RGB,BGR,RGBx,BGRx,RGBA,BGRA"
#define COLOURED "video/x-raw(ANY),format={I420,YV12,NV12,NV21,Y42B,Y444," RGB "} !"
#define ALL_CHANNELS "video/x-raw(ANY),format={" RGB "} !"

/* Sets a text that FINDER refuses if it is invalid, and then keeps what it has. */
static gboolean
set_text (GstElement *finder, const gchar *property, const gchar *text, const gchar *wanted, GError **error)
{
  gchar *used;
  g_object_set (finder, property, text, NULL);
  g_object_get (finder, property, &used, NULL);
  if (*text == '\0' || !g_str_equal (used, text))
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s, not '%s'", wanted, text);
  g_free (used);
  return *error == NULL;
}

/* Sets which pixels FINDER takes for parts. */
static gboolean
set_foreground (GstElement *finder, GError **error)
{
  if (region
      && !set_text (finder, "region", region,
          "--region takes rectangles and polygons such as 10,20,300,200;polygon: 0,0 90,0 45,60", error))
    return FALSE;
  g_object_set (finder, "invert", invert, "fill-holes", split > 0, "split-touching", split, NULL);
  if (color)
    return set_text (
        finder, "color-range", color, "--color takes ranges of channels such as hue=170-10,saturation=100-255", error);
  if (neighbourhood > 0) {
    gst_util_set_object_arg (G_OBJECT (finder), "threshold-mode", "adaptive-mean");
    /* The mean of an even area is its own grey level: noise must not exceed it. */
    g_object_set (finder, "block-size", neighbourhood, "offset", invert ? 10 : -10, NULL);
  } else if (threshold >= 0) {
    g_object_set (finder, "threshold", threshold, NULL);
  } else {
    gst_util_set_object_arg (G_OBJECT (finder), "threshold-mode", "otsu");
  }
  return TRUE;
}

/* mode=ccomp: each hole is a child of the outline around it, and each outline, also one inside a hole, is a part. */
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
      color      ? ALL_CHANNELS
      : drawn_to ? COLOURED
                 : "",
      drawing);
  GstElement *pipeline = gst_parse_launch_full (description, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  g_free (description);
  g_free (drawing);
  if (!pipeline)
    return NULL;
  GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_object_set (source, "uri", uri, NULL);
  gst_object_unref (source);

  GstElement *finder = gst_bin_get_by_name (GST_BIN (pipeline), "finder");
  g_object_set (finder, "min-area", ignore, NULL);
  if (!set_foreground (finder, error))
    gst_clear_object (&pipeline);
  gst_object_unref (finder);
  if (!pipeline)
    return NULL;
  add_probe (pipeline, "finder", inspect_frame);
  if (drawn_to) {
    failed_regions = g_array_new (FALSE, FALSE, sizeof (Region));
    add_probe (pipeline, "passed", exchange_regions);
  }
  return pipeline;
}

static volatile sig_atomic_t interrupted;

/* The first Ctrl+C sends EOS, so that files are completed; the second one kills the process. */
static void
on_interrupt (int number)
{
  interrupted = 1;
  signal (number, SIG_DFL);
}

/* Runs PIPELINE to its end. Returns FALSE after an error. */
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
  g_free (color);
  g_free (region);
  g_free (uri);
  g_strfreev (arguments);
  if (!played || unreadable)
    return 2;
  return n_failed > 0 || n_passed == 0;
}
