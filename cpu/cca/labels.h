/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The union-find of labels, in which the lower label is the root, and the sums of runs. Internal. */
#ifndef CTR_CPU_CCA_LABELS_H
#define CTR_CPU_CCA_LABELS_H

#include <stdint.h>

static inline uint32_t
ctr_label_root (uint32_t *parent, uint32_t label)
{
  while (parent[label] != label)
    label = parent[label] = parent[parent[label]];
  return label;
}

static inline uint32_t
ctr_label_unite (uint32_t *parent, uint32_t a, uint32_t b)
{
  a = ctr_label_root (parent, a);
  b = ctr_label_root (parent, b);
  uint32_t low = a < b ? a : b, high = a < b ? b : a;
  parent[high] = low;
  return low;
}

/* 0^2 + 1^2 + ... + (n - 1)^2 */
static inline uint64_t
ctr_sum_of_squares (uint64_t n)
{
  return (n - 1) * n * (2 * n - 1) / 6;
}

#endif
