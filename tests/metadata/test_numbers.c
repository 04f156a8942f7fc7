/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers in text: the fewest digits that read back to the same double, with a point in every locale. */
#include <gst/check/gstcheck.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decimalcomma.h"
#include "gst/export/numbertext.h"

static const gchar *
text_of (gdouble value)
{
  static GString *text = NULL;
  if (!text)
    text = g_string_new (NULL);
  g_string_truncate (text, 0);
  number_text_append_double (text, value);
  return text->str;
}

static guint
digits (const gchar *text)
{
  guint n = 0, zeros = 0;
  for (; *text && *text != 'e'; text++) {
    if (*text == '0' && n > 0)
      zeros++;
    else if (g_ascii_isdigit (*text) && *text != '0') {
      n += zeros + 1;
      zeros = 0;
    }
  }
  return n;
}

/* By trial with printf() and strtod(), in the C locale's spelling. */
static guint
fewest_digits (gdouble value)
{
  gchar text[64], format[8];
  for (guint precision = 1; precision < 17; precision++) {
    g_snprintf (format, sizeof format, "%%.%ue", precision - 1);
    g_ascii_formatd (text, sizeof text, format, value);
    if (g_ascii_strtod (text, NULL) == value)
      return precision;
  }
  return 17;
}

static void
check_number (gdouble value)
{
  const gchar *text = text_of (value);
  gchar *end;
  fail_unless (g_ascii_strtod (text, &end) == value && *end == '\0', "%.17g became %s", value, text);
  fail_unless (strchr (text, ',') == NULL);
  fail_unless (digits (text) <= fewest_digits (value), "%.17g became %s", value, text);
}

static void
check_numbers (guint n)
{
  GRand *random = g_rand_new_with_seed (1);
  for (guint i = 0; i < n; i++) {
    /* What the export writes: centroids and other fractions, roots, angles. */
    guint32 area = g_rand_int_range (random, 1, 1 << g_rand_int_range (random, 1, 31));
    check_number ((gdouble) g_rand_int (random) / area);
    check_number (65535 * g_rand_double (random));
    check_number (sqrt (g_rand_double (random) * 1e6));
    check_number (g_rand_double_range (random, -1.6, 1.6));
    check_number (g_rand_int_range (random, 0, 100000) / 1000.0);
    check_number (ldexp (g_rand_double_range (random, -1, 1), g_rand_int_range (random, -1000, 1000)));
  }
  g_rand_free (random);
}

GST_START_TEST (known_numbers)
{
  assert_equals_string (text_of (0), "0");
  assert_equals_string (text_of (1), "1");
  assert_equals_string (text_of (-17), "-17");
  assert_equals_string (text_of (-0.5), "-0.5");
  assert_equals_string (text_of (0.1), "0.1");
  assert_equals_string (text_of (1.0 / 3), "0.3333333333333333");
  assert_equals_string (text_of (2.0 / 3), "0.6666666666666666");
  assert_equals_string (text_of (1e-3), "0.001");
  assert_equals_string (text_of (99999.99), "99999.99");
  assert_equals_string (text_of (0.30000000000000004), "0.30000000000000004");
  assert_equals_string (text_of (4503599627370495.5), "4503599627370495.5");
  check_number (9007199254740992.0);
  check_number (1e300);
  check_number (5e-324);
  check_number (DBL_MAX);
  for (gint power = -20; power <= 53; power++) {
    check_number (ldexp (1, power));
    check_number (nextafter (ldexp (1, power), 0));
    check_number (nextafter (ldexp (1, power), DBL_MAX));
  }
}
GST_END_TEST;

GST_START_TEST (random_numbers)
{
  check_numbers (2000);
}
GST_END_TEST;

GST_START_TEST (decimal_comma)
{
  gchar *folder;
  if (use_decimal_comma (&folder)) {
    assert_equals_string (localeconv ()->decimal_point, ",");
    assert_equals_string (text_of (0.5), "0.5");
    assert_equals_string (text_of (1e-300), "1e-300");
    check_numbers (1000);
  } else {
    GST_WARNING ("no locale with a decimal comma, and localedef cannot make one");
  }
  stop_decimal_comma (folder);
}
GST_END_TEST;

static Suite *
numbers_suite (void)
{
  Suite *suite = suite_create ("numbertext");
  TCase *tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_test (tcase, known_numbers);
  tcase_add_test (tcase, random_numbers);
  tcase_add_test (tcase, decimal_comma);
  return suite;
}

GST_CHECK_MAIN (numbers);
