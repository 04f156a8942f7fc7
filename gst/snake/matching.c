/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/snake/matching.h"

typedef struct {
  gdouble overlap; /* intersection over union */
  guint old, new_box;
} Pair;

/* The length that two ranges have in common, or 0. */
static gint64
common_length (gint64 a, gint64 a_length, gint64 b, gint64 b_length)
{
  return MAX (MIN (a + a_length, b + b_length) - MAX (a, b), 0);
}

/* Intersection over union; 0 if the boxes do not overlap. */
static gdouble
overlap_of (const CtrSnakeRect *a, const CtrSnakeRect *b)
{
  const gdouble common = (gdouble) common_length (a->x, a->width, b->x, b->width)
                         * (gdouble) common_length (a->y, a->height, b->y, b->height);
  const gdouble both = (gdouble) a->width * a->height + (gdouble) b->width * b->height;

  return common > 0 ? common / (both - common) : 0;
}

static gint
compare_pairs (gconstpointer a, gconstpointer b)
{
  const Pair *p = a, *q = b;

  if (p->overlap != q->overlap)
    return p->overlap > q->overlap ? -1 : 1;
  if (p->old != q->old)
    return p->old < q->old ? -1 : 1;
  return p->new_box < q->new_box ? -1 : p->new_box > q->new_box;
}

/* The pairs that overlap, the best one first. */
static GArray *
find_pairs (const CtrSnakeRect *old, guint old_count, const CtrSnakeRect *new_boxes, guint new_count)
{
  GArray *pairs = g_array_new (FALSE, FALSE, sizeof (Pair));

  for (guint i = 0; i < old_count; i++)
    for (guint k = 0; k < new_count; k++) {
      const Pair pair = {overlap_of (&old[i], &new_boxes[k]), i, k};

      if (pair.overlap > 0)
        g_array_append_val (pairs, pair);
    }
  g_array_sort (pairs, compare_pairs);
  return pairs;
}

void
snake_match_boxes (const CtrSnakeRect *old, guint old_count, const CtrSnakeRect *new_boxes, guint new_count,
    SnakeMatch *old_matches, SnakeMatch *new_matches)
{
  GArray *pairs = find_pairs (old, old_count, new_boxes, new_count);

  for (guint i = 0; i < old_count; i++)
    old_matches[i] = (SnakeMatch){-1, FALSE};
  for (guint k = 0; k < new_count; k++)
    new_matches[k] = (SnakeMatch){-1, FALSE};
  for (guint i = 0; i < pairs->len; i++) {
    const Pair *pair = &g_array_index (pairs, Pair, i);
    SnakeMatch *a = &old_matches[pair->old], *b = &new_matches[pair->new_box];

    a->touched = b->touched = TRUE;
    if (a->partner >= 0 || b->partner >= 0)
      continue;
    a->partner = pair->new_box;
    b->partner = pair->old;
  }
  g_array_unref (pairs);
}
