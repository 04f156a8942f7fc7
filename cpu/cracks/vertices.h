/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The vertices of an image where contours may turn, row by row. Internal. */
#ifndef CTR_CPU_CRACKS_VERTICES_H
#define CTR_CPU_CRACKS_VERTICES_H

#include "core/cracks/cracks.h"
#include "cpu/common/samples.h"

typedef struct {
  uint16_t x;
  uint16_t level_indices[4]; /* of the pixels upper left, upper right, lower left, lower right */
} CtrCrackVertex;

/* The same of a label image. */
typedef struct {
  uint16_t x;
  uint32_t level_indices[4];
} CtrLabelVertex;

/* Vertices are found in groups of this size, so rows of level indices and lists of vertices have room for more. */
enum { CTR_VERTEX_GROUP = 16 };

/* Level indices take one byte where they fit; labels take four. */
static inline size_t
ctr_level_index_size (const CtrCracksPlan *plan)
{
  return plan->labels ? 4 : plan->sample_count == 256 && plan->level_count < 256 ? 1 : 2;
}

static inline size_t
ctr_vertex_size (const CtrCracksPlan *plan)
{
  return plan->labels ? sizeof (CtrLabelVertex) : sizeof (CtrCrackVertex);
}

/* The bytes of a row of level indices: those of its pixels, after one and before some that are 0. */
static inline size_t
ctr_level_row_bytes (const CtrCracksPlan *plan, uint32_t width)
{
  return (width + 2 + CTR_VERTEX_GROUP) * ctr_level_index_size (plan);
}

/* Writes the level indices of row Y of pixels: of IMAGE, or of its labels, if the plan is of a label image. Row HEIGHT is
 * outside the image. LEVEL_ROW was 0 before first use. */
void ctr_load_level_row (
    CtrSamples *samples, const CtrImage *image, const CtrCracksPlan *plan, uint32_t y, void *level_row);

/* Finds the vertices between two rows of level indices where contours may turn: those whose pixels are neither equal in
 * both columns nor in both rows. VERTICES are of ctr_vertex_size(), and have room for width + 1 + CTR_VERTEX_GROUP. */
size_t ctr_find_vertices (
    const CtrCracksPlan *plan, const void *above, const void *below, uint32_t width, void *vertices);

#endif
