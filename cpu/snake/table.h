/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table of sums, from which the sums along the edges of polygons are computed. Internal.
 *
 * The table contains the sums of each row up to the start of each block. The samples of a row left of a column in its
 * block are summed on demand, all samples of a block at once. A table therefore needs half a byte per pixel (16-bit
 * samples: one byte). */
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
  const uint8_t *pixels; /* of the window: in the image, or a copy */
  size_t stride;         /* bytes */
  const uint8_t *last;   /* its last row, followed by room for a block */
  size_t row_blocks;
  CtrHostBuffer blocks; /* by row: one more than the number of whole blocks */
  CtrHostBuffer copy;   /* of the samples of the window, or of its last row only */
} CtrSnakeTable;

void ctr_snake_table_release (CtrSnakeTable *table);

/* Gives back memory at the end of a period: see ctr_host_buffer_give_back(). */
bool ctr_snake_table_give_back (CtrSnakeTable *table);

/* Fills the table for the part of IMAGE in WINDOW, which is not empty. IMAGE must stay unchanged while the table is
 * used. False if there is no memory or the work is cancelled. */
bool ctr_snake_table_fill (
    CtrSnakeTable *table, CtrSamples *samples, const CtrImage *image, const CtrSnakeWindow *window);

/* The sums along an edge in the window, see core/snake/geometry.h. Columns are counted from the left side of the
 * window, which makes no difference to the sums of a closed polygon. */
CtrSnakeSums ctr_snake_table_edge (const CtrSnakeTable *table, CtrPoint from, CtrPoint to);

#endif
