/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LAYOUTS_H
#define LAYOUTS_H

#include <glib.h>

typedef struct {
  const gchar *structure;
  gsize size;      /* bytes */
  gpointer memory; /* one structure, whose fields have the numbers 1, 2, 3 ... */
  gchar *names;    /* of these fields, each with a space after it */
  gsize reserved;  /* bytes of the other fields */
} LayoutsFilled;

/* The structure of this INDEX, from 0. FALSE: there is none. Clear it with layouts_clear(). */
gboolean layouts_fill (guint index, LayoutsFilled *filled);
void layouts_clear (LayoutsFilled *filled);

#endif
