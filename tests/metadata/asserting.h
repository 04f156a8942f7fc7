/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ASSERTING_H
#define ASSERTING_H

#include <gst/check/gstcheck.h>
#include <math.h>
#include <string.h>

static inline void
assert_near (gdouble got, gdouble expected)
{
  fail_unless (fabs (got - expected) < 1e-12 * MAX (1.0, fabs (expected)), "%.17g instead of %.17g", got, expected);
}

/* Frees BYTES. */
static inline void
assert_same_bytes (GBytes *bytes, gconstpointer data, gsize size)
{
  gsize got;
  gconstpointer view = g_bytes_get_data (bytes, &got);
  assert_equals_uint64 (got, size);
  fail_unless (size == 0 || memcmp (view, data, size) == 0);
  g_bytes_unref (bytes);
}

#endif
