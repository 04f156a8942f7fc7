/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the frames show. */
#ifndef BENCH_PICTURE_H
#define BENCH_PICTURE_H

#include <glib.h>

typedef enum {
  PICTURE_BOARD, /* drilled pads and tracks */
  PICTURE_PARTS  /* twelve round parts on a table */
} PictureKind;

/* Returns WIDTH x HEIGHT grey samples, which the caller frees: the picture of FILE (binary PGM, PNG or JPEG), enlarged
 * or reduced to that size, or without a file one of KIND under a lamp, the same on every machine. NULL, and a message on
 * stderr, on failure. */
guint8 *picture_new (const gchar *file, PictureKind kind, guint width, guint height);

#endif
