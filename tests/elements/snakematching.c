/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests which boxes belong together, against a search that takes the best pair again and again. */
#include "gst/snake/matching.h"

#include <gst/check/gstcheck.h>

enum { MOST = 24, ROUNDS = 200 };

typedef struct {
  gint common, joint; /* pixels */
} Overlap;

static Overlap
count_pixels (const CtrSnakeRect *a, const CtrSnakeRect *b)
{
  Overlap overlap = {0, 0};

  for (gint y = -4; y < 40; y++)
    for (gint x = -4; x < 40; x++) {
      const gboolean in_a = x >= a->x && x < a->x + a->width && y >= a->y && y < a->y + a->height;
      const gboolean in_b = x >= b->x && x < b->x + b->width && y >= b->y && y < b->y + b->height;

      overlap.common += in_a && in_b;
      overlap.joint += in_a || in_b;
    }
  return overlap;
}

/* The best pair of boxes without partners; FALSE if none is left. Fractions are compared in integers. */
static gboolean
find_best (Overlap overlaps[MOST][MOST], guint old_count, guint count, SnakeMatch *old_matches, SnakeMatch *matches)
{
  Overlap best = {0, 1};
  gint best_old = -1, best_new = -1;

  for (guint i = 0; i < old_count; i++)
    for (guint k = 0; k < count; k++) {
      const Overlap own = overlaps[i][k];

      old_matches[i].touched |= own.common > 0;
      matches[k].touched |= own.common > 0;
      if (old_matches[i].partner < 0 && matches[k].partner < 0 && own.common * best.joint > best.common * own.joint) {
        best = own;
        best_old = i;
        best_new = k;
      }
    }
  if (best_old < 0)
    return FALSE;
  old_matches[best_old].partner = best_new;
  matches[best_new].partner = best_old;
  return TRUE;
}

static void
draw_boxes (GRand *random, CtrSnakeRect *boxes, guint count, gint grain)
{
  for (guint i = 0; i < count; i++)
    boxes[i] = (CtrSnakeRect){g_rand_int_range (random, -4, 30) / grain * grain,
        g_rand_int_range (random, -4, 30) / grain * grain, 1 + g_rand_int_range (random, 0, 9) / grain * grain,
        1 + g_rand_int_range (random, 0, 9) / grain * grain};
}

/* Few and many boxes; on a coarse grid many overlap alike. */
GST_START_TEST (test_random)
{
  GRand *random = g_rand_new_with_seed (3);
  guint pairs = 0;

  for (guint round = 0; round < ROUNDS; round++) {
    Overlap overlaps[MOST][MOST];
    CtrSnakeRect old[MOST], boxes[MOST];
    SnakeMatch old_is[MOST], is[MOST], old_expected[MOST], expected[MOST];
    const guint old_count = g_rand_int_range (random, 0, MOST), count = g_rand_int_range (random, 0, MOST);

    draw_boxes (random, old, old_count, 1 + round % 4);
    draw_boxes (random, boxes, count, 1 + round % 4);
    for (guint i = 0; i < MOST; i++)
      old_expected[i] = expected[i] = (SnakeMatch){-1, FALSE};
    for (guint i = 0; i < old_count; i++)
      for (guint k = 0; k < count; k++)
        overlaps[i][k] = count_pixels (&old[i], &boxes[k]);
    while (find_best (overlaps, old_count, count, old_expected, expected))
      pairs++;
    snake_match_boxes (old, old_count, boxes, count, old_is, is);
    for (guint i = 0; i < old_count; i++)
      fail_unless (old_is[i].partner == old_expected[i].partner && old_is[i].touched == old_expected[i].touched,
          "round %u, old box %u: partner %d, not %d", round, i, old_is[i].partner, old_expected[i].partner);
    for (guint k = 0; k < count; k++)
      fail_unless (is[k].partner == expected[k].partner && is[k].touched == expected[k].touched,
          "round %u, new box %u: partner %d, not %d", round, k, is[k].partner, expected[k].partner);
  }
  fail_unless (pairs > 300, "%u pairs", pairs);
  g_rand_free (random);
}

GST_END_TEST;

/* Boxes as far away and as large as the metadata may say. */
GST_START_TEST (test_far)
{
  static const CtrSnakeRect old[] = {{-(1 << 28), -(1 << 28), 1 << 28, 1 << 28}, {5, 5, 10, 10}};
  static const CtrSnakeRect boxes[] = {
      {-(1 << 28), -(1 << 28), 1 << 28, 1 << 28}, {1 << 28, 0, 1 << 28, 5}, {0, 0, 1 << 28, 1 << 28}};
  SnakeMatch old_is[2], is[3];

  snake_match_boxes (old, 2, boxes, 3, old_is, is);
  fail_unless (old_is[0].partner == 0 && old_is[1].partner == 2);
  fail_unless (is[0].partner == 0 && is[1].partner == -1 && !is[1].touched && is[2].partner == 1);
}

GST_END_TEST;

static Suite *
snakematching_suite (void)
{
  Suite *s = suite_create ("snakematching");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_random);
  tcase_add_test (tc, test_far);
  return s;
}

GST_CHECK_MAIN (snakematching);
