/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/export/crackindex.h"

#include <stdlib.h>

/* The key has, from the highest bits down, level, column, y and direction. */
typedef struct {
  guint64 key;
  guint32 owner;
} Crack;

struct CrackIndex {
  GArray *cracks;
};

static guint64
make_key (guint level, gint column, gint y)
{
  return (((guint64) level << 16 | (guint) column) << 18 | (guint) y) << 1;
}

CrackIndex *
crack_index_new (void)
{
  CrackIndex *index = g_new (CrackIndex, 1);
  index->cracks = g_array_new (FALSE, FALSE, sizeof (Crack));
  return index;
}

void
crack_index_free (CrackIndex *index)
{
  g_array_free (index->cracks, TRUE);
  g_free (index);
}

void
crack_index_add (CrackIndex *index, guint level, HalfPoint a, HalfPoint b, guint32 owner)
{
  gboolean to_the_right = a.x < b.x;
  const HalfPoint *left = to_the_right ? &a : &b, *right = to_the_right ? &b : &a;
  /* Column centres are odd. A centre at the left end belongs to this line, a centre at the right end to the next. */
  for (gint64 middle = left->x | 1; middle < right->x; middle += 2) {
    gint64 y = left->y + (right->y - left->y) * (middle - left->x) / (right->x - left->x);
    Crack crack = {make_key (level, (gint) (middle / 2), (gint) y) | (to_the_right ? 1 : 0), owner};
    g_array_append_val (index->cracks, crack);
  }
}

static gint
compare (const void *a, const void *b)
{
  guint64 first = ((const Crack *) a)->key, second = ((const Crack *) b)->key;
  return first < second ? -1 : first > second;
}

void
crack_index_sort (CrackIndex *index)
{
  if (index->cracks->len > 0)
    qsort (index->cracks->data, index->cracks->len, sizeof (Crack), compare);
}

gboolean
crack_index_find_above (
    const CrackIndex *index, guint level, gint column, gint y, guint32 *owner, gboolean *to_the_right)
{
  guint64 first = make_key (level, column, 0), key = make_key (level, column, y);
  guint low = 0, high = index->cracks->len; /* the last crack below KEY is the one before HIGH */
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index (index->cracks, Crack, middle).key < key)
      low = middle + 1;
    else
      high = middle;
  }
  if (high == 0)
    return FALSE;
  const Crack *crack = &g_array_index (index->cracks, Crack, high - 1);
  if (crack->key < first)
    return FALSE;
  *owner = crack->owner;
  *to_the_right = crack->key & 1;
  return TRUE;
}
