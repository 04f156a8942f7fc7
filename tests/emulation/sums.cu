/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares the sums of moments over contours with the host's, byte by byte: contours of a few points and of thousands, few and many at
 * a time, of any extent and anywhere, around areas and around holes. CTR_TEST_QUICK=1: fewer of them. */
#include "cuda/contours/contour_sums.cuh"

extern "C" {
#include "cpu/contours/contour_measures.h"
#include "tests/core/common/shapes.h"
#include "tests/core/common/testing.h"
}

#include <algorithm>
#include <stdlib.h>
#include <string.h>
#include <vector>

namespace
{

Random rng = {53};
cudaStream_t stream;
bool quick;

struct Args {
  CtrPoint *all_points;
  ContourOutput *output;
  uint32_t final;
  struct {
    uint32_t *firsts;
  } by_row;
  struct Counters {
    struct {
      uint32_t contours, points;
    } header;
  } * counters;
};

template <typename Kind>
__global__ void
__launch_bounds__ (SUM_THREADS) sum_kernel (const __grid_constant__ Args f)
{
  sum_contours<Kind> (f);
}

struct Contours {
  std::vector<CtrPoint> points;
  std::vector<uint32_t> firsts;
};

void
copy (void *to, const void *from, size_t size, cudaMemcpyKind kind)
{
  CHECK (cudaMemcpyAsync (to, from, size, kind, stream) == cudaSuccess);
  CHECK (cudaStreamSynchronize (stream) == cudaSuccess);
}

template <typename T>
T *
uploaded (const T *from, size_t count)
{
  T *to;
  CHECK (cudaMalloc ((void **) &to, (count + 1) * sizeof (T)) == cudaSuccess);
  copy (to, from, count * sizeof (T), cudaMemcpyHostToDevice);
  return to;
}

/* Numbers around limits, too. */
uint32_t
random_side (uint32_t most)
{
  static const uint32_t sides[] = {1, 2, 3, 40, 700, 2046, 2047, 2048, 2049, 4094, 4095, 4096, 4097, 30000, 65535};
  const uint32_t side =
      random_below (&rng, 3) ? sides[random_below (&rng, LENGTH (sides))] : 1 + random_below (&rng, most);
  return std::min (side, most);
}

/* Steps of a tower whose lines are upright and level by turns, from its upper left corner on; as around a hole, if BACKWARDS. */
void
add_tower (Contours &c, uint32_t steps, bool backwards)
{
  const uint32_t height = std::max (random_side (65535), steps), width = random_side (65535),
                 left = random_below (&rng, 65536 - width), top = random_below (&rng, 65536 - height);
  std::vector<CtrPoint> right_side, left_side;
  for (uint32_t i = 0; i < steps; i++) {
    const uint32_t from = random_below (&rng, width), to = from + 1 + random_below (&rng, width - from),
                   y = top + (uint32_t) ((uint64_t) height * i / steps),
                   end = top + (uint32_t) ((uint64_t) height * (i + 1) / steps);
    const bool whole = steps == 1; /* as wide as it may be */
    const uint16_t x0 = (uint16_t) (left + (whole ? 0 : from)), x1 = (uint16_t) (left + (whole ? width : to));
    right_side.push_back ({x1, (uint16_t) y});
    right_side.push_back ({x1, (uint16_t) end});
    left_side.push_back ({x0, (uint16_t) y});
    left_side.push_back ({x0, (uint16_t) end});
  }
  c.firsts.push_back ((uint32_t) c.points.size ());
  std::vector<CtrPoint> all = {left_side[0]};
  all.insert (all.end (), right_side.begin (), right_side.end ());
  all.insert (all.end (), left_side.rbegin (), left_side.rend () - 1);
  if (backwards)
    std::reverse (all.begin () + 1, all.end ());
  c.points.insert (c.points.end (), all.begin (), all.end ());
}

/* A polygon of so many corners on three lines in any direction, or fewer. */
void
add_polygon (Contours &c, uint32_t count, bool)
{
  const uint32_t width = random_side (65535), height = random_side (65535), left = random_below (&rng, 65536 - width),
                 top = random_below (&rng, 65536 - height);
  CtrPoint corners[3];
  for (CtrPoint &corner : corners)
    corner = {
        (uint16_t) (left + (random_below (&rng, 3) ? width * random_below (&rng, 2) : random_below (&rng, width))),
        (uint16_t) (top + (random_below (&rng, 3) ? height * random_below (&rng, 2) : random_below (&rng, height)))};
  c.firsts.push_back ((uint32_t) c.points.size ());
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t third = i * 3 / count, begin = (third * count + 2) / 3, end = ((third + 1) * count + 2) / 3;
    const CtrPoint p = corners[third], q = corners[(third + 1) % 3];
    const auto between = [=] (
                             int a, int b) { return (uint16_t) (a + (b - a) * (int64_t) (i - begin) / (end - begin)); };
    c.points.push_back ({between (p.x, q.x), between (p.y, q.y)});
  }
}

template <typename Kind>
void
check (const Contours &c, uint32_t ctas)
{
  const uint32_t rows = (uint32_t) c.firsts.size (), count = (uint32_t) c.points.size ();
  std::vector<CtrContourSums> expected (rows), sums (rows);
  for (uint32_t row = 0; row < rows; row++) {
    const uint32_t points = (row + 1 < rows ? c.firsts[row + 1] : count) - c.firsts[row];
    CHECK (ctr_contour_sums (&c.points[c.firsts[row]], points, &expected[row]));
    /* Long ones are cleared before; the others need not be. */
    memset (&sums[row], points > LONG_POINTS ? 0 : 0xa5, sizeof sums[row]);
  }
  ContourOutput output = {};
  output.points = uploaded (c.points.data (), count);
  output.sums = uploaded (sums.data (), rows);
  Args::Counters counters = {{rows, count}};
  const Args f = {NULL, uploaded (&output, 1), 1, {uploaded (c.firsts.data (), rows)}, uploaded (&counters, 1)};
  ctr_launch (sum_kernel<Kind>, ctas, SUM_THREADS, 0, stream, f);
  CHECK (cudaGetLastError () == cudaSuccess);
  copy (sums.data (), output.sums, rows * sizeof sums[0], cudaMemcpyDeviceToHost);
  for (uint32_t row = 0; row < rows; row++)
    CHECK (memcmp (&sums[row], &expected[row], sizeof sums[row]) == 0);
  for (void *memory :
      {(void *) output.points, (void *) output.sums, (void *) f.output, (void *) f.by_row.firsts, (void *) f.counters})
    CHECK (cudaFree (memory) == cudaSuccess);
}

/* Contours of up to MOST corners by two. */
template <typename Kind>
void
test_some (void (*add) (Contours &, uint32_t, bool), uint32_t contours, uint32_t most, uint32_t ctas)
{
  Contours c;
  for (uint32_t i = 0; i < contours; i++)
    add (c, 1 + random_below (&rng, random_below (&rng, 4) ? std::min (most, 8u) : most), random_below (&rng, 2));
  describe ("%u contours, %zu points, %u CTAs", contours, c.points.size (), ctas);
  check<Kind> (c, ctas);
}

} // namespace

int
main ()
{
  const char *value = getenv ("CTR_TEST_QUICK");
  quick = value && strcmp (value, "0");
  CHECK (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking) == cudaSuccess);
  for (int i = 0; i < (quick ? 1 : 20); i++) {
    for (uint32_t ctas : {1u, 2u, 7u}) {
      test_some<UprightMomentSums> (add_tower, 3, 2000, ctas);
      test_some<UprightMomentSums> (add_tower, 200, 100, ctas);
      test_some<MomentSums> (add_polygon, 3, 6000, ctas);
      test_some<MomentSums> (add_polygon, 200, 300, ctas);
    }
    test_some<UprightMomentSums> (add_tower, 700, 1, 2);
    test_some<MomentSums> (add_polygon, 700, 8, 2);
  }
  return 0;
}
