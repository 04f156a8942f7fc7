/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* subpixel-accuracy
 *
 * How far subpixels are from edges whose place is known: discs and straight edges, drawn with the share of each pixel that they
 * cover, blurred, and with noise: the points of borders, and those of the chains of Canny's edges. The bias is the mean of the points' signed distances from the edge, positive outside; the spread
 * is their standard deviation. */
#include "tests/core/borders/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 160, MARGIN = 20, PARTS = 16 };

static Random rng = {4711};
static CtrBorders *borders;
static CtrCanny *canny;
static CtrEdgeChains *chains;

/* A disc, or what lies on one side of a line. */
typedef struct {
  double radius; /* 0: a line */
  double x, y;   /* the centre, or a point on the line */
  double c, s;   /* the direction out of what the line bounds */
} Edge;

/* Positive outside. */
static double
distance_from (const Edge *edge, double x, double y)
{
  const double dx = x - edge->x, dy = y - edge->y;
  return edge->radius > 0 ? hypot (dx, dy) - edge->radius : dx * edge->c + dy * edge->s;
}

static double
uniform (void)
{
  return (double) (random_next (&rng) >> 11) / (double) (UINT64_C (1) << 53);
}

static double
normal (void)
{
  return sqrt (-2 * log (1 - uniform ())) * cos (2 * acos (-1) * uniform ());
}

static double
coverage (const Edge *edge, int x, int y)
{
  const double middle = distance_from (edge, x, y);
  int inside = 0;
  if (fabs (middle) > 1)
    return middle < 0;
  for (int j = 0; j < PARTS; j++)
    for (int i = 0; i < PARTS; i++)
      inside += distance_from (edge, x + (i + 0.5) / PARTS - 0.5, y + (j + 0.5) / PARTS - 0.5) < 0;
  return (double) inside / (PARTS * PARTS);
}

/* One pass along rows, and one along columns. */
static void
blur (double *picture, double sigma)
{
  enum { RADIUS = 8 };
  double weights[2 * RADIUS + 1], sum = 0, row[SIDE];
  for (int i = -RADIUS; i <= RADIUS; i++)
    sum += weights[i + RADIUS] = exp (-i * i / (2 * sigma * sigma));
  for (int pass = 0; pass < 2; pass++)
    for (int line = 0; line < SIDE; line++) {
      double *first = picture + (pass ? line : line * SIDE);
      const int step = pass ? SIDE : 1;
      for (int at = 0; at < SIDE; at++) {
        row[at] = 0;
        for (int i = -RADIUS; i <= RADIUS; i++) {
          const int from = at + i < 0 ? 0 : at + i >= SIDE ? SIDE - 1 : at + i;
          row[at] += weights[i + RADIUS] / sum * first[from * step];
        }
      }
      for (int at = 0; at < SIDE; at++)
        first[at * step] = row[at];
    }
}

static Edge
random_edge (double radius)
{
  const double angle = 2 * acos (-1) * uniform ();
  return (Edge){radius, SIDE / 2 + uniform (), SIDE / 2 + uniform (), cos (angle), sin (angle)};
}

typedef struct {
  double count, sum, squares, flagged;
} Distances;

typedef enum { BORDER_LEVELS, BORDER_EDGES, CHAIN_EDGES } Points;

static const char *const names[] = {"borders, threshold", "borders, edge     ", "chains, edge      "};

/* The contours whose points are refined. */
static CtrContours *
find_contours (const CtrImage *image, Points points, double sigma)
{
  const Setup setup = {.backend = CTR_BACKEND_CPU};
  if (points != CHAIN_EDGES) {
    CtrBordersParams params = borders_params_of (CTR_RETRIEVE_EXTERNAL, CTR_APPROXIMATION_NONE, 120, false);
    params.min_length = 60;
    params.subpixel = points == BORDER_EDGES ? CTR_SUBPIXEL_EDGE : CTR_SUBPIXEL_THRESHOLD;
    params.subpixel_sigma = sigma;
    return follow_borders (borders, &setup, image, &params);
  }
  static uint8_t pixels[SIDE * SIDE];
  const CtrImage mask = {.data = pixels, .stride = SIDE, .width = SIDE, .height = SIDE, .format = CTR_FORMAT_GRAY8};
  const CtrEdgeChainsParams params = {
      .min_length = 20, .subpixel = CTR_SUBPIXEL_EDGE, .subpixel_sigma = sigma, .image = image};
  CtrCannyParams detection;
  CtrEdgePicture picture;
  CtrError error;
  ctr_canny_params_init (&detection);
  ctr_edge_picture_init_mask (&picture, pixels, SIDE, CTR_MEMORY_HOST);
  CHECK (ctr_canny_run (canny, image, &detection, &picture, NULL, &error));
  return ctr_edge_chains_run (chains, &mask, &params, NULL, &error);
}

/* Adds the distances of all points of EDGE from 39.5 to 199.5, so that 119.5 is in the middle. NOISE: its standard deviation, of the contrast. */
static void
measure (const Edge *edge, double blurring, double noise, Points of, double sigma, Distances *to)
{
  static double picture[SIDE * SIDE];
  static uint8_t samples[SIDE * SIDE];
  for (int i = 0; i < SIDE * SIDE; i++)
    picture[i] = coverage (edge, i % SIDE, i / SIDE);
  blur (picture, blurring);
  for (int i = 0; i < SIDE * SIDE; i++)
    samples[i] = (uint8_t) (40 + 160 * (picture[i] + noise * normal ()));
  const CtrImage image = {.data = samples, .stride = SIDE, .width = SIDE, .height = SIDE, .format = CTR_FORMAT_GRAY8};
  CtrContours *contours = find_contours (&image, of, sigma);
  const CtrPoint *points = ctr_contours_map_points (contours, NULL);
  const CtrSubpixelPoint *subpixels = ctr_contours_map_subpixel (contours, NULL);
  CHECK (of == CHAIN_EDGES ? contours->count > 0 : contours->count == 1);
  for (uint64_t i = 0; i < contours->point_count; i++) {
    if (points[i].x < MARGIN || points[i].y < MARGIN || points[i].x >= SIDE - MARGIN || points[i].y >= SIDE - MARGIN)
      continue;
    const double distance = distance_from (edge, subpixels[i].x / 256.0, subpixels[i].y / 256.0);
    to->flagged += subpixels[i].flags != 0;
    if (subpixels[i].flags)
      continue;
    to->count++;
    to->sum += distance;
    to->squares += distance * distance;
  }
  ctr_contours_unref (contours);
}

static void
check (Points points, double sigma, double radius, double blurring, double noise, double most_bias, double most_spread)
{
  Distances d = {0, 0, 0, 0};
  for (int i = 0; i < 12; i++) {
    const Edge edge = random_edge (radius);
    measure (&edge, blurring, noise, points, sigma, &d);
  }
  const double bias = d.sum / d.count, spread = sqrt (d.squares / d.count - bias * bias);
  printf ("%s, sigma %.1f, radius %2.0f, blur %.1f, noise %.2f: bias %+.4f, spread %.4f, %.0f points, %.0f flagged\n",
      names[points], sigma, radius, blurring, noise, bias, spread, d.count, d.flagged);
  describe ("%s, sigma %g, radius %g, blur %g, noise %g: bias %g, spread %g", names[points], sigma, radius, blurring,
      noise, bias, spread);
  CHECK (d.count > 700 && d.flagged == 0 && fabs (bias) <= most_bias && spread <= most_spread);
}

int
main (void)
{
  const Setup setup = {.backend = CTR_BACKEND_CPU};
  static const double blurs[] = {0.7, 1.0, 1.5}, radii[] = {0, 20, 55};
  borders = follower_new (&setup);
  canny = ctr_canny_new (CTR_BACKEND_CPU, NULL);
  chains = ctr_edge_chains_new (CTR_BACKEND_CPU, NULL);
  for (size_t b = 0; b < LENGTH (blurs); b++)
    for (size_t r = 0; r < LENGTH (radii); r++) {
      /* Without noise, what is left is the sampling, and of a level the curvature: blur^2 / (2 radius). */
      const double shrinks = radii[r] > 0 ? blurs[b] * blurs[b] / (2 * radii[r]) : 0;
      for (Points points = BORDER_EDGES; points <= CHAIN_EDGES; points++) {
        check (points, 1, radii[r], blurs[b], 0, 0.005, 0.02);
        check (points, 2.5, radii[r], blurs[b], 0.02, 0.01, 0.03);
      }
      check (BORDER_LEVELS, 0, radii[r], blurs[b], 0, 0.01 + shrinks, 0.05);
      check (BORDER_LEVELS, 0, radii[r], blurs[b], 0.02, 0.02 + shrinks, 0.1);
    }
  ctr_borders_free (borders);
  ctr_canny_free (canny);
  ctr_edge_chains_free (chains);
  return 0;
}
