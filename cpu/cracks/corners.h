/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the contours of an image's levels turn, on the host. Internal.
 *
 * A vertex is where four pixels meet. At each level these are foreground or not; where they are so in an odd number, or
 * the two of a diagonal alone are, lines turn: a node for each line that does, with one arm to the west or east and one
 * to the north or south. */
#ifndef CTR_CPU_CRACKS_CORNERS_H
#define CTR_CPU_CRACKS_CORNERS_H

#include "core/cracks/cracks.h"
#include "cpu/common/buffer.h"
#include "cpu/common/samples.h"

typedef struct {
  CtrPoint point;
  uint32_t link; /* CTR_NODE_.., the rest is free and 0 */
} CtrCrackNode;

/* Which vertical arm a node has, and what else tells it apart. */
#define CTR_NODE_SOUTH 0u
#define CTR_NODE_NORTH (1u << 30)
#define CTR_NODE_SOUTH_HOLE (2u << 30) /* only the pixel below, right is background: a hole may begin here */
/* Its vertex has another node, the next one, with the north arm: that line ends before this one begins. */
#define CTR_NODE_SOUTH_CROSSED (3u << 30)
#define CTR_NODE_KIND (3u << 30)

/* The most nodes of one level: they are counted beside their kind. And of all levels. */
#define CTR_LEVEL_NODES_MAX (1u << 30)
#define CTR_CRACK_NODES_MAX UINT32_MAX

typedef struct {
  CtrBuffer ranks;    /* uint16_t: those of two rows, 0 around */
  CtrBuffer vertices; /* those with four ranks where a line may turn, in raster order */
  CtrBuffer row_ends; /* size_t: of each row of vertices, one after its last */
  CtrBuffer ends;     /* size_t: of each rank from 0 on, one after its last node; 0 has none */
  CtrBuffer nodes;    /* CtrCrackNode */
  uint64_t node_count;
} CtrCrackNodes;

void ctr_crack_nodes_release (CtrCrackNodes *nodes);

/* Finds the nodes of IMAGE: rank by rank, in each by y, then x, then with the western arm first. So in each rank they
 * are pairs, an eastern arm and the western arm it meets. False when it is cancelled, there is no memory or there are
 * too many, as where there are more than the PLAN's max_points; node_count is how many there are, or 0 if they were not
 * counted yet. */
bool ctr_crack_nodes_find (CtrCrackNodes *nodes, CtrSamples *samples, const CtrImage *image, const CtrCracksPlan *plan);

#endif
