/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads calibrations from YAML and JSON, as OpenCV's FileStorage writes them. libyaml reads both: JSON is YAML in flow style.
 *
 * Events are read one by one, and what is not needed is skipped, so memory is bounded whatever the file has in it. */
#include "gst/meta/calibration-private.h"

#ifdef HAVE_YAML

#include "gst/base/excerpt.h"

#include <math.h>
#include <string.h>
#include <yaml.h>

#define MAX_DEPTH 32   /* of nested values: a calibration has 3 */
#define MAX_NUMBERS 64 /* of a matrix that is read */

typedef enum {
  KEY_OTHER,
  KEY_WIDTH,
  KEY_HEIGHT,
  KEY_CAMERA,
  KEY_DISTORTION,
  KEY_HOMOGRAPHY,
  KEY_SCALE,
  KEY_UNIT,
  KEY_FISHEYE,
  KEY_MODEL
} Key;

static const struct {
  const gchar *name;
  Key key;
} keys[] = {
    {"image_width", KEY_WIDTH},
    {"image_height", KEY_HEIGHT},
    {"camera_matrix", KEY_CAMERA},
    {"cameraMatrix", KEY_CAMERA},
    {"distortion_coefficients", KEY_DISTORTION},
    {"dist_coeffs", KEY_DISTORTION},
    {"distCoeffs", KEY_DISTORTION},
    {"homography", KEY_HOMOGRAPHY},
    {"scale", KEY_SCALE},
    {"unit", KEY_UNIT},
    {"fisheye_model", KEY_FISHEYE},
    {"distortion_model", KEY_MODEL},
};

typedef struct {
  yaml_parser_t parser;
  yaml_event_t event; /* the current one */
  gboolean has_event;
  gchar *problem; /* NULL: none */
  guint seen;     /* a bit for each Key */
  CtrCalibration *model;
} Reader;

static gboolean G_GNUC_PRINTF (2, 3) refuse (Reader *reader, const gchar *format, ...)
{
  va_list args;
  va_start (args, format);
  if (!reader->problem)
    reader->problem = g_strdup_vprintf (format, args);
  va_end (args);
  return FALSE;
}

static gsize
line_of (const Reader *reader)
{
  return reader->event.start_mark.line + 1;
}

/* Goes on to the next event. */
static gboolean
advance (Reader *reader)
{
  if (reader->has_event)
    yaml_event_delete (&reader->event);
  reader->has_event = yaml_parser_parse (&reader->parser, &reader->event);
  if (!reader->has_event)
    return refuse (reader, "line %" G_GSIZE_FORMAT ": %s: it is damaged or neither YAML nor JSON; write it again",
        reader->parser.problem_mark.line + 1,
        reader->parser.problem ? reader->parser.problem : "there is no memory for it");
  return TRUE;
}

/* Skips the value that begins with the current event. That becomes its last one. */
static gboolean
skip (Reader *reader)
{
  guint depth = 0;
  for (;;) {
    switch (reader->event.type) {
      case YAML_SEQUENCE_START_EVENT:
      case YAML_MAPPING_START_EVENT:
        if (++depth > MAX_DEPTH)
          return refuse (reader, "line %" G_GSIZE_FORMAT ": values are nested more than %d deep; write it again",
              line_of (reader), MAX_DEPTH);
        break;
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        depth--;
        break;
      default:
        break;
    }
    if (depth == 0)
      return TRUE;
    if (!advance (reader))
      return FALSE;
  }
}

/* The text of the current event, or NULL after a refusal. */
static const gchar *
get_text (Reader *reader, const gchar *what)
{
  const gchar *text = (const gchar *) reader->event.data.scalar.value;
  if (reader->event.type == YAML_SCALAR_EVENT && strlen (text) == reader->event.data.scalar.length)
    return text;
  refuse (reader, "line %" G_GSIZE_FORMAT ": %s must be a single value", line_of (reader), what);
  return NULL;
}

static gboolean
get_number (Reader *reader, const gchar *what, gdouble *number)
{
  const gchar *text = get_text (reader, what);
  gchar *end;
  if (!text)
    return FALSE;
  *number = g_ascii_strtod (text, &end);
  if (end != text && *end == '\0' && isfinite (*number))
    return TRUE;
  gchar *shown = excerpt_new (text);
  refuse (reader, "line %" G_GSIZE_FORMAT ": %s has '%s', which is no finite number", line_of (reader), what, shown);
  g_free (shown);
  return FALSE;
}

static gboolean
get_integer (Reader *reader, const gchar *what, guint max, guint *integer)
{
  gdouble number;
  if (!get_number (reader, what, &number))
    return FALSE;
  if (number < 1 || number > max || number != floor (number))
    return refuse (reader, "line %" G_GSIZE_FORMAT ": %s is %g, but must be a whole number from 1 to %u",
        line_of (reader), what, number, max);
  *integer = (guint) number;
  return TRUE;
}

/* Reads numbers from a sequence, or from one of sequences. */
static gboolean
get_sequence (Reader *reader, const gchar *what, gdouble *numbers, guint *count)
{
  guint depth = 1;
  if (reader->event.type != YAML_SEQUENCE_START_EVENT)
    return refuse (reader, "line %" G_GSIZE_FORMAT ": %s must be a list of numbers", line_of (reader), what);
  for (*count = 0; depth > 0;) {
    if (!advance (reader))
      return FALSE;
    if (reader->event.type == YAML_SEQUENCE_END_EVENT) {
      depth--;
    } else if (reader->event.type == YAML_SEQUENCE_START_EVENT && depth < 2) {
      depth++;
    } else {
      if (*count == MAX_NUMBERS)
        return refuse (
            reader, "line %" G_GSIZE_FORMAT ": %s has more than %d numbers", line_of (reader), what, MAX_NUMBERS);
      if (!get_number (reader, what, &numbers[(*count)++]))
        return FALSE;
    }
  }
  return TRUE;
}

/* Reads a matrix: a list, or rows, cols and data as FileStorage writes them. */
static gboolean
get_matrix (Reader *reader, const gchar *what, gdouble *numbers, guint *count)
{
  guint rows = 0, cols = 0;
  gboolean has_data = FALSE;
  if (reader->event.type != YAML_MAPPING_START_EVENT)
    return get_sequence (reader, what, numbers, count);
  for (;;) {
    const gchar *name;
    gchar field = 0;
    if (!advance (reader))
      return FALSE;
    if (reader->event.type == YAML_MAPPING_END_EVENT)
      break;
    if (!(name = get_text (reader, what)))
      return FALSE;
    field = g_str_equal (name, "rows") ? 'r' : g_str_equal (name, "cols") ? 'c' : g_str_equal (name, "data") ? 'd' : 0;
    if (!advance (reader))
      return FALSE;
    if (field == 'r' || field == 'c') {
      if (!get_integer (reader, what, MAX_NUMBERS, field == 'r' ? &rows : &cols))
        return FALSE;
    } else if (field == 'd') {
      if (has_data)
        return refuse (reader, "line %" G_GSIZE_FORMAT ": %s has data twice", line_of (reader), what);
      if (!get_sequence (reader, what, numbers, count))
        return FALSE;
      has_data = TRUE;
    } else if (!skip (reader)) {
      return FALSE;
    }
  }
  if (!has_data || rows * cols != *count)
    return refuse (reader, "line %" G_GSIZE_FORMAT ": %s has %u rows and %u columns, but %u numbers; write it again",
        line_of (reader), what, rows, cols, has_data ? *count : 0);
  return TRUE;
}

static gboolean
read_camera (Reader *reader)
{
  CtrCalibration *model = reader->model;
  gdouble k[MAX_NUMBERS];
  guint count;
  if (!get_matrix (reader, "camera_matrix", k, &count))
    return FALSE;
  if (count != 9 || k[3] != 0 || k[6] != 0 || k[7] != 0 || k[8] != 1)
    return refuse (reader, "camera_matrix must be fx 0 cx, 0 fy cy, 0 0 1, as cv::calibrateCamera() gives it");
  if (k[1] != 0)
    return refuse (reader, "camera_matrix has a skew of %g, which is not supported: calibrate without one", k[1]);
  model->has_camera = TRUE;
  model->fx = k[0];
  model->cx = k[2];
  model->fy = k[4];
  model->cy = k[5];
  return TRUE;
}

static gboolean
read_distortion (Reader *reader)
{
  gdouble k[MAX_NUMBERS];
  guint count;
  if (!get_matrix (reader, "distortion_coefficients", k, &count))
    return FALSE;
  if (count != 4 && count != 5 && count != 8 && count != 12 && count != 14)
    return refuse (reader, "there are %u distortion_coefficients, but OpenCV has 4, 5, 8, 12 or 14", count);
  memcpy (reader->model->distortion, k, count * sizeof *k);
  return TRUE;
}

static gboolean
read_homography (Reader *reader)
{
  gdouble h[MAX_NUMBERS];
  guint count;
  if (!get_matrix (reader, "homography", h, &count))
    return FALSE;
  if (count != 9)
    return refuse (reader, "homography has %u numbers, but must have 3 rows of 3", count);
  memcpy (reader->model->homography, h, sizeof reader->model->homography);
  reader->model->has_homography = TRUE;
  return TRUE;
}

static gboolean
read_unit (Reader *reader)
{
  const gchar *unit = get_text (reader, "unit");
  gboolean printable = TRUE;
  if (!unit)
    return FALSE;
  for (const gchar *c = unit; *c; c = g_utf8_next_char (c))
    printable = printable && g_unichar_isgraph (g_utf8_get_char (c));
  if (*unit == '\0' || strlen (unit) >= CTR_UNIT_SIZE || !printable)
    return refuse (reader, "unit must be a name of 1 to %d bytes without blanks, such as mm", CTR_UNIT_SIZE - 1);
  g_strlcpy (reader->model->unit, unit, CTR_UNIT_SIZE);
  return TRUE;
}

static gboolean
read_scale (Reader *reader)
{
  gdouble scale;
  if (!get_number (reader, "scale", &scale))
    return FALSE;
  if (scale <= 0)
    return refuse (reader, "scale is %g, but must be above 0, in units per pixel", scale);
  reader->model->scale = scale;
  return TRUE;
}

/* The models of lenses that OpenCV's calibrateCamera() does not have. ROS names the two that it has. */
static gboolean
check_model (Reader *reader, Key key)
{
  gdouble fisheye = 0;
  if (key == KEY_FISHEYE && !get_number (reader, "fisheye_model", &fisheye))
    return FALSE;
  if (key == KEY_MODEL) {
    const gchar *name = get_text (reader, "distortion_model");
    if (!name)
      return FALSE;
    fisheye = !g_str_equal (name, "plumb_bob") && !g_str_equal (name, "rational_polynomial");
  }
  return fisheye == 0
         || refuse (reader, "its lens model is not that of cv::calibrateCamera(): calibrate without a fisheye model");
}

static gboolean
read_value (Reader *reader, Key key)
{
  switch (key) {
    case KEY_WIDTH:
      return get_integer (reader, "image_width", CTR_MAX_SIDE, &reader->model->width);
    case KEY_HEIGHT:
      return get_integer (reader, "image_height", CTR_MAX_SIDE, &reader->model->height);
    case KEY_CAMERA:
      return read_camera (reader);
    case KEY_DISTORTION:
      return read_distortion (reader);
    case KEY_HOMOGRAPHY:
      return read_homography (reader);
    case KEY_SCALE:
      return read_scale (reader);
    case KEY_UNIT:
      return read_unit (reader);
    case KEY_FISHEYE:
    case KEY_MODEL:
      return check_model (reader, key);
    default:
      return skip (reader);
  }
}

static gboolean
read_members (Reader *reader)
{
  for (;;) {
    const gchar *name;
    Key key = KEY_OTHER;
    if (!advance (reader))
      return FALSE;
    if (reader->event.type == YAML_MAPPING_END_EVENT)
      return TRUE;
    if (!(name = get_text (reader, "a name")))
      return FALSE;
    for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
      if (g_str_equal (name, keys[i].name))
        key = keys[i].key;
    if (key != KEY_OTHER && reader->seen & 1u << key)
      return refuse (reader, "line %" G_GSIZE_FORMAT ": it has %s twice; keep one", line_of (reader), name);
    reader->seen |= 1u << key;
    if (!advance (reader) || !read_value (reader, key))
      return FALSE;
  }
}

/* Text that is cut off at the end of a line has members left; what is cut off in a line may look like a whole one. */
static gboolean
read_document (Reader *reader, gboolean ends_line)
{
  gboolean flow;
  if (!advance (reader) || !advance (reader)) /* the begin of the stream */
    return FALSE;
  if (reader->event.type == YAML_DOCUMENT_START_EVENT && !advance (reader))
    return FALSE;
  if (reader->event.type != YAML_MAPPING_START_EVENT)
    return refuse (reader, "it has no members such as camera_matrix: write it with cv::FileStorage or "
                           "pipelines/calibrate.py");
  flow = reader->event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
  if (!read_members (reader) || !advance (reader) || !advance (reader))
    return FALSE;
  if (reader->event.type != YAML_STREAM_END_EVENT)
    return refuse (reader, "line %" G_GSIZE_FORMAT ": a second document begins; keep one", line_of (reader));
  return flow || ends_line
         || refuse (reader, "its last line has no end, and so may be cut off: end it with a line break");
}

static gboolean
check_members (Reader *reader)
{
  CtrCalibration *model = reader->model;
  const gboolean has_distortion = (reader->seen & 1u << KEY_DISTORTION) != 0;
  if (model->has_camera != has_distortion)
    return refuse (reader, "it has %s without %s: add these, zeros if the lens does not distort",
        model->has_camera ? "camera_matrix" : "distortion_coefficients",
        model->has_camera ? "distortion_coefficients" : "camera_matrix");
  if (!model->has_camera && !model->has_homography && model->scale <= 0)
    return refuse (reader, "it has neither camera_matrix, homography nor scale: add what converts pixels");
  if ((model->width == 0) != (model->height == 0))
    return refuse (reader, "it has image_width or image_height, but not both: add the other one");
  if (model->has_homography && model->scale > 0)
    return refuse (reader, "it has both homography and scale: keep one");
  if (model->has_homography || model->scale > 0) {
    if (!*model->unit)
      g_strlcpy (model->unit, "units", CTR_UNIT_SIZE);
  } else if (*model->unit && !g_str_equal (model->unit, "px")) {
    return refuse (reader, "it has the unit %s, but neither homography nor scale: add one of them", model->unit);
  }
  return TRUE;
}

/* libyaml refuses the directive of FileStorage, "%YAML:1.0", and that of YAML 1.0. Blanks in its place keep the numbers of
 * the lines. */
static void
blank_directive (gchar *text, gsize length)
{
  const gchar mark[] = "\xef\xbb\xbf";
  const gsize start = length >= 3 && memcmp (text, mark, 3) == 0 ? 3 : 0;
  if (length - start < 5 || memcmp (text + start, "%YAML", 5) != 0)
    return;
  for (gsize i = start; i < length && text[i] != '\n' && text[i] != '\r'; i++)
    text[i] = ' ';
}

static gboolean
check_kind (Reader *reader, const gchar *text, gsize length)
{
  const guint8 *bytes = (const guint8 *) text;
  gsize i = 0;
  if (length >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b)
    return refuse (reader, "it is compressed: unpack it with gunzip");
  while (i < length && g_ascii_isspace (text[i]))
    i++;
  if (i == length)
    return refuse (reader, "it is empty: write it again");
  return text[i] != '<' || refuse (reader, "it is XML: save it as .yml or .json");
}

gchar *
gst_contours_calibration_read_text (const gchar *text, gsize length, CtrCalibration *model)
{
  Reader reader = {.model = model};
  if (length > CALIBRATION_MAX_BYTES)
    return g_strdup_printf ("it has more than %d MiB, and so is no calibration", CALIBRATION_MAX_BYTES >> 20);
  if (!check_kind (&reader, text, length))
    return reader.problem;
  if (!yaml_parser_initialize (&reader.parser))
    return g_strdup ("there is no memory to read it: free some");
  gchar *copy = g_memdup2 (text, length);
  blank_directive (copy, length);
  yaml_parser_set_input_string (&reader.parser, (const unsigned char *) copy, length);
  if (read_document (&reader, text[length - 1] == '\n' || text[length - 1] == '\r'))
    check_members (&reader);
  if (reader.has_event)
    yaml_event_delete (&reader.event);
  yaml_parser_delete (&reader.parser);
  g_free (copy);
  return reader.problem;
}

#else

gchar *
gst_contours_calibration_read_text (const gchar *text, gsize length, CtrCalibration *model)
{
  return g_strdup ("this build reads no YAML: install libyaml's development files and rebuild with -Dyaml=enabled");
}

#endif
