/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference of components of strips follows the definition alone: behind each strip it looks at all rows so far, pixel
 * by pixel. It shares no code with the backends. */
#ifndef CTR_TESTS_STRIPS_REFERENCE_H
#define CTR_TESTS_STRIPS_REFERENCE_H

#include <contours/contours.h>

typedef struct {
  const CtrImage *web;
  uint32_t max_open_rows;
  uint32_t end_row; /* of the strips so far */
  uint8_t *pixels;  /* of these rows: background, foreground, or of a component that has been reported */
  uint32_t *queue;  /* pixels of a component */
  bool *unfinished; /* of each row of the last result: it goes on below */
} ReferenceStrips;

/* WEB is the whole picture, in host memory. */
void reference_strips_init (ReferenceStrips *strips, const CtrImage *web, uint32_t max_open_rows);
void reference_strips_clear (ReferenceStrips *strips);

/* The result of the next strip, of HEIGHT rows; of what is open at the end of the web with HEIGHT 0. IS_CUT: nothing goes on
 * from the rows above. Transfer full: free with reference_components_free() of the components' reference. */
CtrComponents *reference_strips_next (
    ReferenceStrips *strips, uint32_t height, bool is_cut, const CtrCcaParams *params);

#endif
