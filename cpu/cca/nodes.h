/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The union-find that joins the bands of an image: its nodes are the roots on both sides of the seams. Internal. */
#ifndef CTR_CPU_CCA_NODES_H
#define CTR_CPU_CCA_NODES_H

#include "cpu/cca/band.h"

/* The root of a band is this node, if its parent has the mark. */
#define NODE_MARK CTR_CCA_MAX_LABELS

typedef struct {
  uint32_t parent; /* node; a root is its own parent */
  uint32_t band, label;
  uint32_t number; /* of a root: in the result */
} Node;

static inline uint32_t
find_root (Node *nodes, uint32_t i)
{
  while (nodes[i].parent != i)
    i = nodes[i].parent = nodes[nodes[i].parent].parent;
  return i;
}

static inline void
unite (Node *nodes, uint32_t a, uint32_t b)
{
  a = find_root (nodes, a);
  b = find_root (nodes, b);
  if (nodes[a].band < nodes[b].band || (nodes[a].band == nodes[b].band && nodes[a].label < nodes[b].label))
    nodes[b].parent = a;
  else
    nodes[a].parent = b;
}

/* The label in the result of what emit_band() has left as a PARENT. */
static inline uint32_t
number_of (const Node *nodes, uint32_t parent)
{
  if (!(parent & NODE_MARK))
    return parent;
  uint32_t i = parent & ~NODE_MARK;
  while (nodes[i].parent != i)
    i = nodes[i].parent;
  return nodes[i].number;
}

#endif
