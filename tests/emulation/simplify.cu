/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares the kernels that simplify contours with ctr_simplify(), point by point: contours of any kind and length, many at a time, also
 * such as no picture has. CTR_TEST_QUICK=1: fewer of them. */
#include "cuda/contours/simplify_begin.cuh"

#include "core/results/simplify.h"
#include "tests/core/common/testing.h"
#include "tests/core/results/simplify_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

namespace
{

Random rng = {29};
cudaStream_t stream;
bool quick;

constexpr uint32_t MOST_CONTOURS = 600, MOST_POINTS = 20 * SIMPLIFY_SHARE + MOST_CONTOURS;

enum Kind { ANY, SPOT, ROW, DIAGONAL, NOISE, COMB, GROWING_COMB, SPIRAL, CIRCLE, SAWTOOTH, ZIGZAG, KINDS };

const char *const kind_names[] = {
    "any", "spot", "row", "diagonal", "noise", "comb", "growing comb", "spiral", "circle", "sawtooth", "zigzag"};

CtrPoint
point_at (double x, double y)
{
  return {(uint16_t) fmin (fmax (x, 0), 65535), (uint16_t) fmin (fmax (y, 0), 65535)};
}

/* A walk of COUNT steps there, and back again. */
uint32_t
there_and_back (uint32_t i, uint32_t count)
{
  return i < (count + 1) / 2 ? i : count - 1 - i;
}

void
make_contour (Kind kind, uint32_t count, CtrPoint *to)
{
  const uint32_t width = 1 + random_below (&rng, 12), height = 1 + random_below (&rng, 40),
                 side = random_below (&rng, 2) ? 65536 : 1 + random_below (&rng, 300);
  const double turns = 1 + random_below (&rng, 30), radius = random_below (&rng, 2) ? 32000 : count / 6.0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t k = there_and_back (i, count), tooth = i / 4, high = i % 4 == 1 || i % 4 == 2;
    const double share = (double) i / count;
    switch (kind) {
      case SPOT:
        to[i] = point_at (77, 78);
        break;
      case ROW:
        to[i] = point_at (5 + k, 9);
        break;
      case DIAGONAL:
        to[i] = point_at (5 + k, 9 + k);
        break;
      case COMB:
        to[i] = point_at (2 * width * tooth + i % 4 / 2 * width, 100 + high * height);
        break;
      case GROWING_COMB: /* Each tooth is split off alone. */
        to[i] = point_at (2 * width * tooth + i % 4 / 2 * width, 100 + high * (height + width * tooth));
        break;
      case SPIRAL:
        to[i] = point_at (32768 + radius * (0.1 + (double) k / count) * cos (turns * 12 * (double) k / count),
            32768 + radius * (0.1 + (double) k / count) * sin (turns * 12 * (double) k / count));
        break;
      case CIRCLE: /* with many points at the same distance */
        to[i] = point_at (
            32768 + radius * cos (share * 6.283185307179586), 32768 + radius * sin (share * 6.283185307179586));
        break;
      case SAWTOOTH:
        to[i] = point_at (i, 500 + i % (height + 1));
        break;
      case ZIGZAG: /* nearly straight */
        to[i] = point_at (100 + 2 * k, 200 + k + i % 2);
        break;
      default:
        to[i] = {(uint16_t) random_below (&rng, side), (uint16_t) random_below (&rng, side)};
    }
  }
}

uint32_t
random_count (void)
{
  switch (random_below (&rng, 6)) {
    case 0:
      return 1 + random_below (&rng, 4);
    case 1:
      return SIMPLIFY_SHARE - 2 + random_below (&rng, 5);
    case 2:
      return 1 + random_below (&rng, 2 * SIMPLIFY_SHARE);
    case 3:
      return SIMPLIFY_EACH * (1 + random_below (&rng, 8)) - 1 + random_below (&rng, 3);
    default:
      return 1 + random_below (&rng, 80);
  }
}

__global__ void __launch_bounds__ (256)
    begin_kernel (const __grid_constant__ SimplifyArgs s, const CtrContour *table, uint32_t rows, uint32_t points)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  simplify_begin (s, table, rows, points, blockIdx.x * 256 + threadIdx.x, gridDim.x * 256);
}

/* The contours of a picture. */
struct Contours {
  uint32_t rows, count;
  CtrContour table[MOST_CONTOURS];
  CtrPoint points[MOST_POINTS];
} before, after;
CtrSubpixelPoint subpixel_before[MOST_POINTS], subpixel_after[MOST_POINTS];

void
copy (void *to, const void *from, size_t size, cudaMemcpyKind kind)
{
  CHECK (
      cudaMemcpyAsync (to, from, size, kind, stream) == cudaSuccess && cudaStreamSynchronize (stream) == cudaSuccess);
}

template <typename T>
T *
to_device (const T *from, size_t count)
{
  T *device;
  CHECK (cudaMalloc ((void **) &device, (count + 1) * sizeof *device) == cudaSuccess);
  if (from)
    copy (device, from, count * sizeof *device, cudaMemcpyHostToDevice);
  return device;
}

/* The counters, and what becomes of the number of points. */
struct Numbers {
  SimplifyCounters counters;
  uint32_t remaining;
};

void
simplify_on_device (double epsilon, bool refines)
{
  SimplifyArgs s = {};
  s.epsilon_squared = epsilon * epsilon;
  s.refines = refines;
  s.contour_capacity = before.rows + random_below (&rng, 3);
  s.point_capacity = before.count + random_below (&rng, 2) * random_below (&rng, 3000);
  const Numbers zero = {};
  Numbers *const numbers = to_device (&zero, 1);
  ArenaLayout measure = {NULL, 0};
  simplify_lay_out (&s, &measure);
  uint8_t *const memory = to_device ((const uint8_t *) NULL, measure.used);
  ArenaLayout arena = {memory, 0};
  simplify_lay_out (&s, &arena);
  s.counters = &numbers->counters;
  s.remaining = &numbers->remaining;
  copy (s.points, before.points, before.count * sizeof *before.points, cudaMemcpyHostToDevice);
  if (refines)
    copy (s.subpixel, subpixel_before, before.count * sizeof *subpixel_before, cudaMemcpyHostToDevice);
  ContourOutput output = {};
  output.simplified = {to_device (before.table, before.rows), to_device ((const CtrPoint *) NULL, s.point_capacity),
      to_device ((const CtrSubpixelPoint *) NULL, s.point_capacity)};
  const ContourOutput *const device_output = to_device (&output, 1);
  const bool overlap = random_below (&rng, 2);
  ctr_launch_overlapped (overlap, begin_kernel, 1 + random_below (&rng, 3), 256, 0, stream, s, output.simplified.table,
      before.rows, before.count);
  simplify_launch (s, device_output, overlap, stream);
  CHECK (cudaStreamSynchronize (stream) == cudaSuccess);
  Numbers result;
  copy (&result, numbers, sizeof result, cudaMemcpyDeviceToHost);
  after.rows = before.rows;
  after.count = result.remaining;
  CHECK (after.count <= before.count);
  copy (after.table, output.simplified.table, after.rows * sizeof *after.table, cudaMemcpyDeviceToHost);
  copy (after.points, output.simplified.points, after.count * sizeof *after.points, cudaMemcpyDeviceToHost);
  if (refines)
    copy (subpixel_after, output.simplified.subpixel, after.count * sizeof *subpixel_after, cudaMemcpyDeviceToHost);
  for (void *device : {(void *) numbers, (void *) memory, (void *) output.simplified.table,
           (void *) output.simplified.points, (void *) output.simplified.subpixel, (void *) device_output})
    cudaFree (device);
}

void
check (double epsilon, bool refines)
{
  static CtrPoint to[MOST_POINTS];
  static uint32_t indices[MOST_POINTS], work[MOST_POINTS + 1];
  for (uint32_t i = 0; i < before.count; i++)
    subpixel_before[i] = {(int32_t) i, -(int32_t) i, 0, 0, 0};
  simplify_on_device (epsilon, refines);
  uint32_t first = 0;
  for (uint32_t i = 0; i < before.rows; i++) {
    CtrContour row = before.table[i];
    const CtrPoint *from = before.points + row.first;
    const uint32_t source = (uint32_t) row.first;
    row.count = ctr_simplify (from, row.count, epsilon, to, indices, work);
    row.first = first;
    CHECK (memcmp (&row, &after.table[i], sizeof row) == 0);
    CHECK (memcmp (to, after.points + first, row.count * sizeof *to) == 0);
    for (uint32_t k = 0; refines && k < row.count; k++)
      CHECK (memcmp (&subpixel_after[first + k], &subpixel_before[source + indices[k]], sizeof *subpixel_after) == 0);
    first += row.count;
  }
  CHECK (first == after.count);
}

void
begin_contours (void)
{
  before.rows = before.count = 0;
}

void
add_contour (Kind kind, uint32_t count)
{
  CtrContour *row = &before.table[before.rows];
  CtrPoint *to = before.points + before.count;
  if (before.rows == MOST_CONTOURS || before.count + max (count, (uint32_t) RANDOM_LINE_POINTS) > MOST_POINTS)
    return;
  if (kind == ANY)
    count = random_line (&rng, to);
  else
    make_contour (kind, count, to);
  *row = {};
  row->first = before.count;
  row->count = count;
  row->area2 = before.rows++;
  row->left = 7;
  before.count += count;
}

/* Each kind alone, with every epsilon that matters, as long as a few tiles. */
void
test_kinds (void)
{
  static const double epsilons[] = {1e-200, 0.5, 1, 1.7, 3, 20, 500, 1e6};
  static const uint32_t counts[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 33, SIMPLIFY_SHARE - 1, SIMPLIFY_SHARE,
      SIMPLIFY_SHARE + 1, 2 * SIMPLIFY_SHARE - 1, 2 * SIMPLIFY_SHARE, 5 * SIMPLIFY_SHARE + 3};
  for (int kind = SPOT; kind < KINDS; kind++)
    for (double epsilon : epsilons)
      for (uint32_t count : counts) {
        if (quick && random_below (&rng, 3 * SIMPLIFY_THREADS / 64))
          continue;
        describe ("%s of %u points, epsilon %g", kind_names[kind], count, epsilon);
        begin_contours ();
        add_contour ((Kind) kind, count);
        check (epsilon, random_below (&rng, 2));
      }
}

/* Walks found by search, as two needless points in succession are rare. With 64 threads a CTA, the last one of those that it drops at once
 * is dropped in the first walks, and the next one is needless, too; in the others the first point of all is dropped, and whether the last one
 * is depends on that. */
void
test_walks (void)
{
  static const uint32_t seeds[] = {1313, 2610, 7706, 12870, 15229, 109537};
  for (uint32_t seed : seeds) {
    Random random = {seed};
    CtrPoint p = {30000, 30000};
    describe ("the walk of seed %u", seed);
    begin_contours ();
    add_contour (SPOT, 1283);
    for (uint32_t i = 0; i < 1283; i++) {
      p.x = (uint16_t) (p.x + random_below (&random, 3) - 1);
      p.y = (uint16_t) (p.y + random_below (&random, 3) - 1);
      before.points[i] = p;
    }
    check (0.7, false);
  }
}

/* Contours of which three points are kept, and the first one of these is needless: two equal ones remain. That takes an obtuse triangle, whose
 * obtuse corner is farthest from a point on the other side. */
void
test_three (void)
{
  static const double corners[][2] = {
      {0.118, 0.641}, {0.004, 0.688}, {-0.973, 0.086}, {-0.021, -0.579}, {1.085, -0.045}};
  uint32_t equal = 0;
  for (uint32_t i = 0; i < (quick ? 60 : 600); i++) {
    const double epsilon = 1000 + random_below (&rng, 2000), turned = random_below (&rng, 6283) / 1e3, c = cos (turned),
                 s = sin (turned);
    const uint32_t times = i % 3 ? 1 : SIMPLIFY_SHARE / LENGTH (corners) + i % 2; /* each point is there */
    describe ("three points of %zu times %u, epsilon %g, turned by %g", LENGTH (corners), times, epsilon, turned);
    begin_contours ();
    add_contour (SPOT, 1 + i % 7);
    add_contour (SPOT, (uint32_t) LENGTH (corners) * times);
    for (uint32_t k = 0; k < LENGTH (corners) * times; k++) {
      const double *corner = corners[k / times];
      before.points[before.table[1].first + k] = point_at (
          30000 + epsilon * (c * corner[0] - s * corner[1]), 30000 + epsilon * (s * corner[0] + c * corner[1]));
    }
    check (epsilon, true);
    equal += after.count == 3 && memcmp (&after.points[1], &after.points[2], sizeof *after.points) == 0;
  }
  CHECK (equal > 0);
}

void
test_random (void)
{
  const uint32_t pictures = (quick ? 7680 : 192000) / SIMPLIFY_THREADS;
  for (uint32_t i = 0; i < pictures; i++) {
    const uint32_t contours = random_below (&rng, random_below (&rng, 2) ? 40 : MOST_CONTOURS),
                   any = random_below (&rng, 2);
    const double epsilon = random_epsilon (&rng);
    begin_contours ();
    for (uint32_t k = 0; k < contours; k++)
      add_contour (
          any ? ANY : (Kind) random_below (&rng, KINDS), contours > 40 ? 1 + random_below (&rng, 20) : random_count ());
    describe ("picture %u: %u contours, %u points, epsilon %.17g", i, before.rows, before.count, epsilon);
    check (epsilon, random_below (&rng, 2));
  }
}

} // namespace

int
main ()
{
  const char *value = getenv ("CTR_TEST_QUICK");
  quick = value && strcmp (value, "0");
  CHECK (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking) == cudaSuccess);
  test_kinds ();
  test_walks ();
  test_three ();
  test_random ();
  return 0;
}
