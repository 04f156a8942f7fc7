/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/export/numbertext.h"

#include <float.h>
#include <math.h>

#define MAX_EXACT_INTEGER 9007199254740992.0 /* 2^53 */

void
number_text_append_uint (GString *out, guint64 value)
{
  gchar digits[20];
  guint n = sizeof digits;
  do {
    digits[--n] = '0' + value % 10;
    value /= 10;
  } while (value);
  g_string_append_len (out, digits + n, sizeof digits - n);
}

#if LDBL_MANT_DIG >= 64
/* VALUE as *NUMBER / 10^*DECIMALS with the fewest digits that identify it. Returns FALSE if this method cannot decide.
 * Trials with printf() and strtod() would cost more than the analysis of a frame with thousands of components. The
 * extra bits of long double tell whether a decimal is closer to VALUE than half the distance to the next double. */
static gboolean
shortest_decimal (gdouble value, guint64 *number, gint *decimals)
{
  static const long double powers[] = {1e0L, 1e1L, 1e2L, 1e3L, 1e4L, 1e5L, 1e6L, 1e7L, 1e8L, 1e9L, 1e10L, 1e11L, 1e12L,
      1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L};

  if (value < 1e-5 || value >= MAX_EXACT_INTEGER)
    return FALSE;
  gint whole_digits = (gint) floor (log10 (value)) + 1;
  /* A double holds any 15 significant digits, and 17 identify any double. */
  for (gint digits = MAX (15, whole_digits + 1); digits <= 17; digits++) {
    gint places = digits - whole_digits;
    if (places >= (gint) G_N_ELEMENTS (powers))
      return FALSE;
    long double rounded = roundl (value * powers[places]);
    long double difference = rounded / powers[places] - value;
    long double steps = fabsl (difference / (nextafter (value, difference > 0 ? DBL_MAX : 0) - value));
    if (steps < 0.499L) {
      *number = (guint64) rounded;
      *decimals = places;
      return TRUE;
    }
    if (steps < 0.501L)
      return FALSE;
  }
  return FALSE;
}
#else
#define shortest_decimal(value, number, decimals) FALSE
#endif

void
number_text_append_double (GString *out, gdouble value)
{
  gdouble magnitude = fabs (value);
  if (magnitude < MAX_EXACT_INTEGER && magnitude == floor (magnitude)) {
    if (value < 0)
      g_string_append_c (out, '-');
    number_text_append_uint (out, (guint64) magnitude);
    return;
  }

  guint64 number;
  gint decimals;
  if (!shortest_decimal (magnitude, &number, &decimals)) {
    gchar text[G_ASCII_DTOSTR_BUF_SIZE], format[8];
    for (gint digits = 1; digits <= 17; digits++) {
      g_snprintf (format, sizeof format, "%%.%dg", digits);
      if (g_ascii_strtod (g_ascii_formatd (text, sizeof text, format, value), NULL) == value)
        break;
    }
    g_string_append (out, text);
    return;
  }
  while (decimals > 0 && number % 10 == 0) {
    number /= 10;
    decimals--;
  }
  if (value < 0)
    g_string_append_c (out, '-');
  gsize start = out->len;
  number_text_append_uint (out, number);
  while (out->len - start <= (gsize) decimals)
    g_string_insert_c (out, start, '0');
  g_string_insert_c (out, out->len - decimals, '.');
}
