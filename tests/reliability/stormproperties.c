/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of properties, over the whole range that their GParamSpec allows, with these exceptions: no NaN, which GLib
 * refuses; no file outside of the working directory; no descriptor but those that are opened for it here; and no limit of
 * points that would let one frame fill the memory of the machine. */
#include "storm.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define MOST_POINTS 200000
#define NEVER_OPEN 900

static gint descriptors[4] = {-1, -1, -1, NEVER_OPEN};

void
storm_prepare_files (void)
{
  static const guint8 png[] = {0x89, 'P', 'N', 'G', 13, 10, 26, 10, 0, 0, 0, 13, 'I', 'H', 'D', 'R', 0, 0, 0, 1, 0, 0,
      0, 1, 8, 0, 0, 0, 0, 0x3a, 0x7e, 0x9b, 0x55, 0, 0, 0, 10, 'I', 'D', 'A', 'T', 0x78, 0x9c, 0x63, 0xf8, 0x0f, 0, 1,
      1, 1, 0, 0x1b, 0xb6, 0xee, 0x56, 0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};
  static const gchar yaml[] = "scale: 0.05\nunit: mm\n";
  gint ends[2];

  if (!g_file_set_contents ("one.png", (const gchar *) png, sizeof png, NULL)
      || !g_file_set_contents ("short.png", (const gchar *) png, 40, NULL)
      || !g_file_set_contents ("scale.yml", yaml, -1, NULL)
      || !g_file_set_contents ("wrong.yml", "camera_matrix: [1, 2", -1, NULL) || g_mkdir ("folder", 0700) != 0
      || pipe2 (ends, O_CLOEXEC) != 0)
    g_error ("The files of the storm cannot be written.");
  /* Nobody reads what goes into the pipe, which holds 4 KiB: then its writer waits. */
  fcntl (ends[1], F_SETPIPE_SZ, 4096);
  descriptors[1] = ends[1];
  descriptors[2] = open ("/dev/null", O_WRONLY | O_CLOEXEC);
}

static gchar *
random_text (StormRandom *random)
{
  static const gchar *const alphabets[] = {"0123456789,;:.-+x ", "abcdefghijklmnopqrstuvwxyz<>=&|()! ", "%d05ls*n\"\\'",
      "0123456789", "\x01\x7f\t\n\r{}[]#~", "area>=1 & || 1e9 0x"};
  const gchar *alphabet = alphabets[storm_below (random, G_N_ELEMENTS (alphabets))];
  const guint length = storm_chance (random, 3) ? storm_below (random, 20000) : storm_below (random, 40);
  GString *text = g_string_new (NULL);

  while (text->len < length) {
    if (storm_chance (random, 4))
      g_string_append_unichar (text, 0x80 + storm_below (random, 0x5000));
    else if (storm_chance (random, 1))
      g_string_append_c (text, (gchar) (0x80 + storm_below (random, 0x80))); /* no UTF-8 */
    else
      g_string_append_c (text, alphabet[storm_below (random, strlen (alphabet))]);
  }
  return g_string_free (text, FALSE);
}

/* Text that means something to one of the elements. */
static gchar *
known_text (StormRandom *random)
{
  static const gchar *const known[] = {"", "1,2,30,40", "0,0,20,10;5,5,20,20", "10,10 30,10 30,30", "area >= 10",
      "area > 3 and circularity < 0.5", "100,200", "1,2,3", "Sans Bold 12", "0..255", "h:0-20,s:50-255,v:0-255",
      "50,100", "-1,-1,5,5", "99999999999999999999,1,1,1", "1e308,1e308,1e308,1e308", "nan,nan,nan,nan"};

  return g_strdup (known[storm_below (random, G_N_ELEMENTS (known))]);
}

static gchar *
random_location (StormRandom *random)
{
  static const gchar *const known[] = {"one.png", "short.png", "scale.yml", "wrong.yml", "folder", "missing.yml",
      "missing/file", "out.ndjson", "out-%d.svg", "out-%05d.json", "out-%d-%d", "out-%s", "%", "%%", "-", ""};
  gchar *text;

  if (storm_chance (random, 70))
    return g_strdup (known[storm_below (random, G_N_ELEMENTS (known))]);
  text = random_text (random);
  /* It stays in this folder. */
  return g_strdelimit (text, "/", '_');
}

static void
random_string (StormRandom *random, const GParamSpec *spec, GValue *value)
{
  if (storm_chance (random, 5))
    g_value_set_string (value, NULL);
  else if (strstr (spec->name, "location"))
    g_value_take_string (value, random_location (random));
  else
    g_value_take_string (value, storm_chance (random, 50) ? known_text (random) : random_text (random));
}

static gdouble
random_double (StormRandom *random, gdouble from, gdouble to)
{
  gdouble value;

  switch (storm_below (random, 6)) {
    case 0:
      return from;
    case 1:
      return to;
    case 2:
      value = from + (storm_next (random) >> 11) * 0x1p-53 * (MIN (to, from + 100) - from);
      break;
    case 3:
      value = storm_below (random, 100);
      break;
    case 4:
      value = from + (to / 2 - from / 2) * ((storm_next (random) >> 11) * 0x1p-52);
      break;
    default:
      value = (storm_next (random) >> 11) * 0x1p-53;
      break;
  }
  return CLAMP (value, from, to);
}

static void
random_choice (StormRandom *random, GParamSpec *spec, GValue *value)
{
  if (G_IS_PARAM_SPEC_ENUM (spec)) {
    const GEnumClass *values = G_PARAM_SPEC_ENUM (spec)->enum_class;
    g_value_set_enum (value, values->values[storm_below (random, values->n_values)].value);
  } else {
    const GFlagsClass *values = G_PARAM_SPEC_FLAGS (spec)->flags_class;
    g_value_set_flags (value, storm_chance (random, 30) ? values->mask : (guint) storm_next (random) & values->mask);
  }
}

/* Returns FALSE if SPEC is of a type that no element here has. */
static gboolean
random_value (StormRandom *random, GParamSpec *spec, GValue *value)
{
  if (G_IS_PARAM_SPEC_BOOLEAN (spec))
    g_value_set_boolean (value, storm_chance (random, 50));
  else if (G_IS_PARAM_SPEC_ENUM (spec) || G_IS_PARAM_SPEC_FLAGS (spec))
    random_choice (random, spec, value);
  else if (G_IS_PARAM_SPEC_INT (spec))
    g_value_set_int (value, storm_between (random, G_PARAM_SPEC_INT (spec)->minimum, G_PARAM_SPEC_INT (spec)->maximum));
  else if (G_IS_PARAM_SPEC_UINT (spec))
    g_value_set_uint (
        value, storm_between (random, G_PARAM_SPEC_UINT (spec)->minimum, G_PARAM_SPEC_UINT (spec)->maximum));
  else if (G_IS_PARAM_SPEC_UINT64 (spec))
    g_value_set_uint64 (value, storm_chance (random, 20) ? G_PARAM_SPEC_UINT64 (spec)->maximum
                                                         : (guint64) storm_between (random, 0, G_MAXINT64));
  else if (G_IS_PARAM_SPEC_DOUBLE (spec))
    g_value_set_double (
        value, random_double (random, G_PARAM_SPEC_DOUBLE (spec)->minimum, G_PARAM_SPEC_DOUBLE (spec)->maximum));
  else if (G_IS_PARAM_SPEC_STRING (spec))
    random_string (random, spec, value);
  else
    return FALSE;
  return TRUE;
}

void
storm_set_property (StormRandom *random, GstElement *element)
{
  guint n;
  GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);
  GParamSpec *spec = specs[storm_below (random, n)];
  GValue value = G_VALUE_INIT;

  g_free (specs);
  if (!(spec->flags & G_PARAM_WRITABLE) || spec->owner_type == GST_TYPE_OBJECT || spec->owner_type == GST_TYPE_ELEMENT)
    return;
  g_value_init (&value, spec->value_type);
  if (g_str_equal (spec->name, "fd"))
    g_value_set_int (&value, descriptors[storm_below (random, G_N_ELEMENTS (descriptors))]);
  else if (g_str_equal (spec->name, "max-points"))
    g_value_set_uint64 (&value, 1 + storm_below (random, MOST_POINTS));
  else if (!random_value (random, spec, &value))
    g_error ("The property \"%s\" has a type without random values.", spec->name);
  g_object_set_property (G_OBJECT (element), spec->name, &value);
  if (storm_chance (random, 20) && (spec->flags & G_PARAM_READABLE))
    g_object_get_property (G_OBJECT (element), spec->name, &value);
  g_value_unset (&value);
}
