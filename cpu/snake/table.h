/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums of an image's samples along the edges of a polygon, on the host. Internal.
 *
 * A row's samples are summed up to the beginning of every block only; what is left of a column in its block is summed
 * when it is asked for, all of a block's samples at once. So a table takes half a byte a pixel (16-bit samples: one).
 */
#ifndef CTR_CPU_SNAKE_TABLE_H
#define CTR_CPU_SNAKE_TABLE_H

#include "core/snake/criterion.h"
#include "core/snake/geometry.h"
#include "cpu/common/host_buffer.h"
#include "cpu/common/samples.h"

/* Zeroed before first use. */
typedef struct {
  CtrSnakeWindow window;
  bool wide;
  const uint8_t *pixels; /* of the window: the image's, or a copy */
  size_t stride;         /* bytes */
  const uint8_t *last;   /* its last row, with a block's room behind it */
  size_t row_blocks;
  CtrHostBuffer blocks; /* of each row, one more than it has whole blocks */
  CtrHostBuffer copy;   /* of the window's samples, or of those of its last row */
} CtrSnakeTable;

void ctr_snake_table_release (CtrSnakeTable *table);

/* Sums up the part of IMAGE in WINDOW, which is not empty. IMAGE must stay as it is while the table is used. False when
 * there is no memory or it is cancelled. */
bool ctr_snake_table_fill (
    CtrSnakeTable *table, CtrSamples *samples, const CtrImage *image, const CtrSnakeWindow *window);

/* An edge's part in the sums of its polygon, which lies in the window. Columns are counted from the window's left side:
 * so edges of one polygon add up, and others differ, as those of the rules do. */
CtrSnakeSums ctr_snake_table_edge (const CtrSnakeTable *table, CtrPoint from, CtrPoint to);

#endif
