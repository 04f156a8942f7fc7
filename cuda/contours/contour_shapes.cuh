/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shape of one contour (include/contours/shapes.h), by a group of threads: a warp, or a whole CTA. The threads share the
 * points, the sides of the hull or its vertices; what is best or a sum is found by exchanging it. */
#ifndef CTR_CUDA_CONTOURS_CONTOUR_SHAPES_CUH
#define CTR_CUDA_CONTOURS_CONTOUR_SHAPES_CUH

#include "cuda/contours/hull.cuh"

namespace
{

constexpr uint32_t SHAPES_WITH_HULL = CTR_CONTOUR_FEATURE_HULL | CTR_CONTOUR_FEATURE_DEFECT
                                      | CTR_CONTOUR_FEATURE_RECTANGLE | CTR_CONTOUR_FEATURE_FERET
                                      | CTR_CONTOUR_FEATURE_CIRCLE;

/* A contour. */
struct ShapeContour {
  const CtrPoint *points;
  uint32_t count;
  int64_t area2;
  const int64_t *direction; /* of feret_extent */
};

struct Greatest {
  __device__ long long
  operator() (long long a, long long b) const
  {
    return a > b ? a : b;
  }
};

struct AddUp {
  template <typename T>
  __device__ T
  operator() (T a, T b) const
  {
    return a + b;
  }
};

/* A value that only some threads have. */
template <typename T> struct Maybe {
  T value = {};
  uint32_t is_there = 0;
};

/* The best one of the values of all threads, at least one of which has one. */
template <typename T, bool is_better (T, T)> struct BetterOf {
  __device__ Maybe<T>
  operator() (const Maybe<T> &a, const Maybe<T> &b) const
  {
    return !a.is_there || (b.is_there && is_better (b.value, a.value)) ? b : a;
  }

  /* Takes VALUE into BEST if it is better. */
  static __device__ void
  take (Maybe<T> *best, const T &value)
  {
    if (best->is_there && !is_better (value, best->value))
      return;
    best->value = value;
    best->is_there = 1;
  }
};

typedef BetterOf<CtrShapeRectangle, ctr_shape_rectangle_is_better> BetterRectangle;
typedef BetterOf<CtrShapeDistance, ctr_shape_breadth_is_better> BetterBreadth;
typedef BetterOf<CtrShapeDistance, ctr_shape_defect_is_better> BetterDefect;
typedef BetterOf<CtrShapeDiameter, ctr_shape_diameter_is_better> BetterDiameter;
typedef BetterOf<CtrShapePower, ctr_shape_power_is_better> BetterPower;

template <int SIZE, uint32_t HULL>
__device__ inline void
set_hull (HullSpace<SIZE, HULL> &space, uint32_t count, CtrContourShape *to)
{
  const CtrPoint *hull = space.hull;
  unsigned long long area2 = 0, length = 0;
  for (uint32_t i = group_rank<SIZE> (); i < count; i += SIZE) {
    const CtrPoint p = hull[i], q = ctr_hull_at (hull, count, i + 1);
    area2 += (unsigned long long) p.x * q.y - (unsigned long long) q.x * p.y;
    length += ctr_shape_length (p, q);
  }
  area2 = group_reduce (space, area2, AddUp ());
  length = group_reduce (space, length, AddUp ());
  if (group_rank<SIZE> () != 0)
    return;
  to->hull_count = count;
  to->hull_area2 = area2;
  to->hull_length = length;
}

/* The rectangle of least area, and Feret's diameters. */
template <int SIZE, uint32_t HULL>
__device__ inline void
set_calipers (HullSpace<SIZE, HULL> &space, uint32_t count, uint32_t features, CtrContourShape *to)
{
  const CtrPoint *hull = space.hull;
  const uint32_t rank = group_rank<SIZE> ();
  Maybe<CtrShapeRectangle> rectangle;
  Maybe<CtrShapeDistance> breadth;
  Maybe<CtrShapeDiameter> diameter;
  for (uint32_t i = rank; count > 1 && i < count; i += SIZE) {
    const CtrShapeCaliper caliper = ctr_shape_caliper (hull, count, i);
    const CtrShapeRectangle box = ctr_shape_rectangle (hull, count, caliper);
    BetterRectangle::take (&rectangle, box);
    BetterBreadth::take (&breadth, {box.across, box.length2, i, caliper.opposite});
    BetterDiameter::take (&diameter, ctr_shape_diameter (hull, count, caliper));
  }
  const uint32_t next = count > 1;
  if (features & CTR_CONTOUR_FEATURE_RECTANGLE) {
    const CtrShapeRectangle r = group_reduce (space, rectangle, BetterRectangle ()).value;
    const uint32_t vertices[5] = {r.side, r.side + next, r.opposite, r.ahead, r.behind};
    for (int i = 0; rank == 0 && i < 5; i++)
      to->rectangle[i] = ctr_hull_at (hull, count, vertices[i]);
  }
  if (!(features & CTR_CONTOUR_FEATURE_FERET))
    return;
  const CtrShapeDistance b = group_reduce (space, breadth, BetterBreadth ()).value;
  const CtrShapeDiameter d = group_reduce (space, diameter, BetterDiameter ()).value;
  if (rank != 0)
    return;
  to->diameter[0] = hull[d.first];
  to->diameter[1] = hull[d.second];
  to->breadth[0] = hull[b.side];
  to->breadth[1] = ctr_hull_at (hull, count, b.side + next);
  to->breadth[2] = ctr_hull_at (hull, count, b.point);
}

template <int SIZE, uint32_t HULL>
__device__ inline void
set_extent (HullSpace<SIZE, HULL> &space, uint32_t count, const int64_t direction[2], CtrContourShape *to)
{
  const long long first = ctr_shape_along (space.hull[0], direction);
  long long greatest = first, least = -first;
  for (uint32_t i = group_rank<SIZE> (); i < count; i += SIZE) {
    const long long at = ctr_shape_along (space.hull[i], direction);
    greatest = Greatest () (greatest, at);
    least = Greatest () (least, -at);
  }
  greatest = group_reduce (space, greatest, Greatest ());
  least = -group_reduce (space, least, Greatest ());
  if (group_rank<SIZE> () == 0)
    to->feret_extent = (uint64_t) (greatest - least);
}

template <int SIZE, uint32_t HULL>
__device__ inline void
set_circle (HullSpace<SIZE, HULL> &space, uint32_t count, CtrContourShape *to)
{
  const CtrPoint *hull = space.hull;
  const uint32_t rank = group_rank<SIZE> ();
  /* The vertex farthest from the first one is farthest outside a circle that is only the first one. */
  CtrShapeCircle circle = {{hull[0], hull[0], hull[0]}, 1};
  for (;;) {
    Maybe<CtrShapePower> farthest;
    for (uint32_t i = rank; i < count; i += SIZE)
      BetterPower::take (&farthest, {ctr_shape_power (circle, hull[i]), i});
    const CtrShapePower found = group_reduce (space, farthest, BetterPower ()).value;
    if (found.power <= 0)
      break;
    circle = ctr_shape_circle_add (circle, hull[found.vertex]);
  }
  for (int i = 0; rank == 0 && i < 3; i++)
    to->circle[i] = circle.points[i];
}

/* Where the contour comes to a vertex along the outside. */
template <int SIZE, uint32_t HULL>
__device__ inline uint32_t
visit_of (const HullRows &rows, const HullSpace<SIZE, HULL> &space, uint32_t vertex)
{
  return rows.links[vertex >= space.right][space.hull[vertex].y - rows.top];
}

template <int SIZE>
__device__ inline void
find_visits (const HullRows &rows, const ShapeContour &c)
{
  for (uint32_t i = group_rank<SIZE> (); i < c.count; i += SIZE) {
    const CtrPoint p = load_contour_point (c.points, i);
    const uint32_t row = p.y - rows.top, sides = rows.sides[row];
    for (int left = 0; left < 2; left++) {
      uint32_t *const visit = &rows.links[left][row];
      /* Other threads may be setting it to a point. */
      if (p.x != (left ? sides & 0xffff : sides >> 16) || *(volatile uint32_t *) visit == NOT_VERTEX)
        continue;
      const CtrPoint before = load_contour_point (c.points, i > 0 ? i - 1 : c.count - 1),
                     after = load_contour_point (c.points, i + 1 < c.count ? i + 1 : 0);
      if (ctr_shape_is_outside (before, p, after, c.area2 > 0))
        atomicMin (visit, i);
    }
  }
  group_sync<SIZE> ();
}

/* Each point belongs to the side of the hull that spans its part of the contour. Along the contour, if it runs clockwise, or
 * against it, the visits of the vertices follow in the order of the hull. */
template <int SIZE, uint32_t HULL>
__device__ inline void
set_defect (
    const HullRows &rows, HullSpace<SIZE, HULL> &space, uint32_t count, const ShapeContour &c, CtrContourShape *to)
{
  const CtrPoint *hull = space.hull;
  const bool clockwise = c.area2 > 0;
  find_visits<SIZE> (rows, c);
  const uint32_t first = visit_of (rows, space, 0);
  auto steps_to = [&] (uint32_t i) {
    const uint32_t from = clockwise ? first : i, there = clockwise ? i : first;
    return there >= from ? there - from : there + c.count - from;
  };
  Maybe<CtrShapeDistance> deepest;
  for (uint32_t i = group_rank<SIZE> (); i < c.count; i += SIZE) {
    const uint32_t steps = steps_to (i);
    uint32_t low = 0, high = count;
    while (high - low > 1) {
      const uint32_t middle = low + (high - low) / 2;
      if (steps_to (visit_of (rows, space, middle)) <= steps)
        low = middle;
      else
        high = middle;
    }
    const CtrPoint p = hull[low], q = ctr_hull_at (hull, count, low + 1);
    const int64_t across = ctr_shape_cross (p, q, load_contour_point (c.points, i));
    if (across > 0)
      BetterDefect::take (&deepest, {(uint64_t) across, ctr_shape_distance2 (p, q), low, i});
  }
  const Maybe<CtrShapeDistance> found = group_reduce (space, deepest, BetterDefect ());
  if (group_rank<SIZE> () != 0)
    return;
  to->defect[0] = hull[found.value.side];
  to->defect[1] = found.is_there ? ctr_hull_at (hull, count, found.value.side + 1) : hull[0];
  to->defect[2] = found.is_there ? load_contour_point (c.points, found.value.point) : hull[0];
}

struct ShapeDistances {
  unsigned __int128 squares;
  unsigned long long sum;
  uint32_t greatest, padding;

  __device__ void
  add (CtrPoint pixel, int32_t x, int32_t y)
  {
    const uint32_t distance = ctr_shape_centroid_distance (pixel, x, y);
    squares += (unsigned long long) distance * distance;
    sum += distance;
    greatest = max (greatest, distance);
  }
};

struct AddDistances {
  __device__ ShapeDistances
  operator() (const ShapeDistances &a, const ShapeDistances &b) const
  {
    return {a.squares + b.squares, a.sum + b.sum, max (a.greatest, b.greatest), 0};
  }
};

struct AddSums {
  __device__ CtrShapeSums
  operator() (const CtrShapeSums &a, const CtrShapeSums &b) const
  {
    return {a.a10 + b.a10, a.a01 + b.a01, a.steps + b.steps, a.sum_x + b.sum_x, a.sum_y + b.sum_y};
  }
};

/* Adds up the distances of the pixels along 32 lines, a line a lane. The lanes of the warp share the pixels. */
__device__ inline void
add_lines (CtrPoint a, CtrPoint b, int32_t x, int32_t y, ShapeDistances *distances)
{
  const uint32_t lane = threadIdx.x % 32, own = ctr_shape_steps (a, b);
  uint32_t end = own; /* pixels of the lines up to this one */
  for (int d = 1; d < 32; d *= 2) {
    const uint32_t before = __shfl_up_sync (~0u, end, d);
    end += (int) lane >= d ? before : 0;
  }
  const uint32_t all = __shfl_sync (~0u, end, 31);
  const uint32_t from = a.x | (uint32_t) a.y << 16, to = b.x | (uint32_t) b.y << 16;
  for (uint32_t base = 0; base < all; base += 32) {
    const uint32_t pixel = base + lane;
    uint32_t line = 0; /* the first one that ends behind the pixel */
    for (int d = 16; d; d /= 2)
      line += __shfl_sync (~0u, end, line + d - 1) <= pixel ? d : 0;
    const uint32_t begins = __shfl_sync (~0u, end - own, line), p = __shfl_sync (~0u, from, line),
                   q = __shfl_sync (~0u, to, line);
    if (pixel < all)
      distances->add (
          ctr_shape_step ({(uint16_t) p, (uint16_t) (p >> 16)}, {(uint16_t) q, (uint16_t) (q >> 16)}, pixel - begins),
          x, y);
  }
}

template <int SIZE, uint32_t HULL>
__device__ inline void
set_distances (HullSpace<SIZE, HULL> &space, const ShapeContour &c, CtrContourShape *to)
{
  const uint32_t rank = group_rank<SIZE> ();
  auto point_behind = [&] (uint32_t i) { return load_contour_point (c.points, i + 1 < c.count ? i + 1 : 0); };
  CtrShapeSums sums = {};
  for (uint32_t i = rank; i < c.count; i += SIZE)
    ctr_shape_sums_add (&sums, load_contour_point (c.points, i), point_behind (i));
  sums = group_reduce (space, sums, AddSums ());
  const CtrPoint start = load_contour_point (c.points, 0);
  if (c.count == 1)
    sums = {0, 0, 1, start.x, start.y};
  CtrContourShape centre;
  ctr_shape_set_centroid (&sums, c.area2, &centre);
  const int32_t x = centre.centroid[0], y = centre.centroid[1];
  ShapeDistances distances = {};
  if (c.count == 1 && rank == 0)
    distances.add (start, x, y);
  for (uint32_t base = rank / 32 * 32; base < c.count; base += SIZE) {
    const uint32_t i = base + rank % 32;
    const bool is_line = i < c.count;
    add_lines (
        is_line ? load_contour_point (c.points, i) : start, is_line ? point_behind (i) : start, x, y, &distances);
  }
  distances = group_reduce (space, distances, AddDistances ());
  if (rank != 0)
    return;
  to->distance_sum = distances.sum;
  to->distance_squares[0] = (uint64_t) distances.squares;
  to->distance_squares[1] = (uint64_t) (distances.squares >> 64);
  to->distance_max = distances.greatest;
  to->steps = centre.steps;
  to->centroid[0] = x;
  to->centroid[1] = y;
}

/* Fills in the shape of a contour but for its holes. It is 0 before. All threads of the group call this. */
template <int SIZE, uint32_t HULL>
__device__ inline void
set_shape (
    const HullRows &rows, HullSpace<SIZE, HULL> &space, const ShapeContour &c, uint32_t features, CtrContourShape *to)
{
  if (features & SHAPES_WITH_HULL) {
    const uint32_t count = find_hull (rows, space, c.points, c.count);
    if (features & CTR_CONTOUR_FEATURE_HULL)
      set_hull (space, count, to);
    if (features & (CTR_CONTOUR_FEATURE_RECTANGLE | CTR_CONTOUR_FEATURE_FERET))
      set_calipers (space, count, features, to);
    if (features & CTR_CONTOUR_FEATURE_FERET)
      set_extent (space, count, c.direction, to);
    if (features & CTR_CONTOUR_FEATURE_CIRCLE)
      set_circle (space, count, to);
    if (features & CTR_CONTOUR_FEATURE_DEFECT)
      set_defect (rows, space, count, c, to);
  }
  if (features & CTR_CONTOUR_FEATURE_DISTANCES)
    set_distances (space, c, to);
}

} // namespace

#endif
