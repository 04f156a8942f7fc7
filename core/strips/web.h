/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The web: an endless picture that comes in strips. Where a strip lies in it, and what its results' coordinates mean.
 * Internal.
 *
 * A result reports what the strip has closed, which began at most MAX_OPEN_ROWS above the strip. Its y counts from the
 * origin row, MAX_OPEN_ROWS above the strip or the first row of the web. So the origin is known as soon as the strip is
 * queued, and y has 16 bits. */
#ifndef CTR_CORE_STRIPS_WEB_H
#define CTR_CORE_STRIPS_WEB_H

#include <contours/foreground.h>
#include <contours/image.h>

CTR_BEGIN_DECLS

typedef struct {
  uint32_t max_open_rows;
  uint32_t width;   /* of all strips; 0: none has come yet */
  uint64_t end_row; /* of the strips so far: the first row of the next one */
} CtrWeb;

/* Checks MAX_OPEN_ROWS: at least 1, and room for a strip of one row. */
bool ctr_web_init (CtrWeb *web, uint32_t max_open_rows, CtrError *error);

/* Can IMAGE be the next strip? */
bool ctr_web_check (const CtrWeb *web, const CtrImage *image, CtrError *error);

/* Can strips have FOREGROUND? */
bool ctr_web_check_foreground (const CtrForeground *foreground, CtrError *error);

/* The origin row of a strip that begins at FIRST_ROW, and of what is open there at the end of the web. */
static inline uint64_t
ctr_web_origin (const CtrWeb *web, uint64_t first_row)
{
  return first_row > web->max_open_rows ? first_row - web->max_open_rows : 0;
}

/* Appends a strip of the size of IMAGE. */
static inline void
ctr_web_append (CtrWeb *web, const CtrImage *image)
{
  web->width = image->width;
  web->end_row += image->height;
}

/* Begins another web. */
static inline void
ctr_web_restart (CtrWeb *web)
{
  web->width = 0;
  web->end_row = 0;
}

CTR_END_DECLS

#endif
