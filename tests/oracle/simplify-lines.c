/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program gives a test in another language the core's simplification. It reads lines from stdin, each as the
 * number of points (uint32_t), epsilon (double) and the points, and writes the number of remaining points and the
 * points of each to stdout. */
#include "core/results/simplify.h"

#include <stdio.h>
#include <stdlib.h>

int
main (void)
{
  uint32_t count;
  double epsilon;
  while (fread (&count, sizeof count, 1, stdin) == 1 && fread (&epsilon, sizeof epsilon, 1, stdin) == 1) {
    CtrPoint *points = malloc (count * sizeof *points), *to = malloc (count * sizeof *to);
    uint32_t *work = malloc (((size_t) count + 1) * sizeof *work);
    if (!points || !to || !work || fread (points, sizeof *points, count, stdin) != count) {
      fprintf (stderr, "a line of %u points that cannot be read\n", count);
      return 1;
    }
    const uint32_t kept = ctr_simplify (points, count, epsilon, to, NULL, work);
    fwrite (&kept, sizeof kept, 1, stdout);
    fwrite (to, sizeof *to, kept, stdout);
    free (points);
    free (to);
    free (work);
  }
  return ferror (stdin) || fflush (stdout) ? 1 : 0;
}
