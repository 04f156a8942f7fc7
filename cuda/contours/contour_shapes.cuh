/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shape of one contour (include/contours/shapes.h), by a group of threads: a single one, a warp, or a whole CTA. The threads
 * share the points, the sides of the hull or its vertices; what is best or a sum is found by exchanging it. In a CTA each of the
 * first warps takes some features of the hull, at the same time. */
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

typedef BetterOf<CtrShapeDistance, ctr_shape_defect_is_better> BetterDefect;

/* TOP / BOTTOM of a side of the hull, with products of type Top. The least one is best, then the first side. */
template <typename Top, typename Bottom> struct SideRatio {
  Top top;
  Bottom bottom;
  uint32_t side;

  __device__ bool
  is_better (const SideRatio &than) const
  {
    const Top own = top * than.bottom, other = than.top * bottom;
    return own < other || (own == other && side < than.side);
  }
};

/* Of narrow contours, and of others. A thread without sides has a ratio that is worse than any. */
template <bool NARROW> struct RatioOfSide : SideRatio<uint64_t, uint32_t> {
  static constexpr uint64_t NONE = (uint64_t) 1 << 42; /* A doubled area is below 2^21. */
};

template <> struct RatioOfSide<false> : SideRatio<CtrUnsigned128, uint64_t> {
  static constexpr CtrUnsigned128 NONE = (CtrUnsigned128) 1 << 66;
};

struct BetterRatio {
  template <typename Ratio>
  __device__ Ratio
  operator() (const Ratio &a, const Ratio &b) const
  {
    return b.is_better (a) ? b : a;
  }
};

struct BetterDiameter {
  __device__ CtrShapeDiameter
  operator() (const CtrShapeDiameter &a, const CtrShapeDiameter &b) const
  {
    return ctr_shape_diameter_is_better (b, a) ? b : a;
  }
};

/* How far outside a circle a vertex is. The farthest is best, then the first one. */
template <typename Power> struct VertexPower {
  Power power;
  uint32_t vertex;
};

struct BetterPower {
  template <typename Power>
  __device__ VertexPower<Power>
  operator() (const VertexPower<Power> &a, const VertexPower<Power> &b) const
  {
    return b.power > a.power || (b.power == a.power && b.vertex < a.vertex) ? b : a;
  }
};

/* The hull of a contour. */
struct ContourHull {
  const CtrPoint *vertices;
  uint32_t count;

  __device__ CtrPoint
  at (uint32_t vertex) const
  {
    return ctr_hull_at (vertices, count, vertex);
  }
};

/* The functions of the hull are called by a single thread or by a warp, which need no memory to exchange values. */
template <int SIZE, typename T, typename Join>
__device__ inline T
hull_reduce (const T &value, Join join)
{
  static_assert (SIZE == 1 || SIZE == 32, "a thread or a warp");
  return group_reduce<SIZE> ((GroupExchange<SIZE> *) NULL, value, join);
}

template <int SIZE>
__device__ inline void
set_hull (const ContourHull &hull, CtrContourShape *to)
{
  unsigned long long area2 = 0, length = 0;
  for (uint32_t i = group_rank<SIZE> (); i < hull.count; i += SIZE) {
    const CtrPoint p = hull.vertices[i], q = hull.at (i + 1);
    area2 += (unsigned long long) p.x * q.y - (unsigned long long) q.x * p.y;
    length += ctr_shape_length (p, q);
  }
  area2 = hull_reduce<SIZE> (area2, AddUp ());
  length = hull_reduce<SIZE> (length, AddUp ());
  if (group_rank<SIZE> () != 0)
    return;
  to->hull_count = hull.count;
  to->hull_area2 = area2;
  to->hull_length = length;
}

/* The rectangle of least area, and Feret's diameters. What ratios decide, ctr_shape_rectangle_is_better() and
 * ctr_shape_breadth_is_better() decide, too. The thread that has the best side writes. */
template <int SIZE, bool NARROW>
__device__ inline void
set_calipers (const ContourHull &hull, uint32_t features, CtrContourShape *to)
{
  typedef RatioOfSide<NARROW> Ratio;
  typedef decltype (Ratio::top) Top;
  typedef decltype (Ratio::bottom) Bottom;
  Ratio area = {{Ratio::NONE, 1, ~0u}}, breadth = area;
  CtrShapeCaliper box = {}, narrowest = {};
  CtrShapeDiameter diameter = {};
  for (uint32_t i = group_rank<SIZE> (); hull.count > 1 && i < hull.count; i += SIZE) {
    const CtrShapeCaliper caliper = ctr_shape_caliper (hull.vertices, hull.count, i);
    const CtrShapeRectangle r = ctr_shape_rectangle (hull.vertices, hull.count, caliper);
    const Ratio own_area = {{(Top) r.along * r.across, (Bottom) r.length2, i}};
    const Ratio own_breadth = {{(Top) r.across * r.across, (Bottom) r.length2, i}};
    const CtrShapeDiameter own = ctr_shape_diameter (hull.vertices, hull.count, caliper);
    if (own_area.is_better (area)) {
      area = own_area;
      box = caliper;
    }
    if (own_breadth.is_better (breadth)) {
      breadth = own_breadth;
      narrowest = caliper;
    }
    diameter = BetterDiameter () (diameter, own);
  }
  const uint32_t next = hull.count > 1, rank = group_rank<SIZE> ();
  if (features & CTR_CONTOUR_FEATURE_RECTANGLE) {
    const uint32_t best = hull_reduce<SIZE> (area, BetterRatio ()).side;
    if (hull.count > 1 ? area.side == best : rank == 0) {
      const uint32_t vertices[5] = {box.side, box.side + next, box.opposite, box.ahead, box.behind};
      for (int i = 0; i < 5; i++)
        to->rectangle[i] = hull.at (vertices[i]);
    }
  }
  if (!(features & CTR_CONTOUR_FEATURE_FERET))
    return;
  const uint32_t best = hull_reduce<SIZE> (breadth, BetterRatio ()).side;
  const CtrShapeDiameter d = hull_reduce<SIZE> (diameter, BetterDiameter ());
  if (hull.count > 1 ? breadth.side == best : rank == 0) {
    to->diameter[0] = hull.vertices[d.first];
    to->diameter[1] = hull.vertices[d.second];
    to->breadth[0] = hull.at (narrowest.side);
    to->breadth[1] = hull.at (narrowest.side + next);
    to->breadth[2] = hull.at (narrowest.opposite);
  }
}

template <int SIZE>
__device__ inline void
set_extent (const ContourHull &hull, const int64_t direction[2], CtrContourShape *to)
{
  const long long first = ctr_shape_along (hull.vertices[0], direction);
  long long greatest = first, least = -first;
  for (uint32_t i = group_rank<SIZE> (); i < hull.count; i += SIZE) {
    const long long at = ctr_shape_along (hull.vertices[i], direction);
    greatest = Greatest () (greatest, at);
    least = Greatest () (least, -at);
  }
  greatest = hull_reduce<SIZE> (greatest, Greatest ());
  least = -hull_reduce<SIZE> (least, Greatest ());
  if (group_rank<SIZE> () == 0)
    to->feret_extent = (uint64_t) (greatest - least);
}

template <bool NARROW>
__device__ inline auto
power_of (const CtrShapeCircle &circle, CtrPoint vertex)
{
  if constexpr (NARROW)
    return ctr_shape_narrow_power (circle, vertex);
  else
    return ctr_shape_power (circle, vertex);
}

template <int SIZE, bool NARROW>
__device__ inline void
set_circle (const ContourHull &hull, CtrContourShape *to)
{
  typedef decltype (power_of<NARROW> (CtrShapeCircle (), CtrPoint ())) Power;
  const uint32_t rank = group_rank<SIZE> ();
  /* The vertex farthest from the first one is farthest outside a circle that is only the first one. */
  CtrShapeCircle circle = {{hull.vertices[0], hull.vertices[0], hull.vertices[0]}, 1};
  for (;;) {
    VertexPower<Power> farthest = {0, ~0u};
    for (uint32_t i = rank; i < hull.count; i += SIZE) {
      const Power power = power_of<NARROW> (circle, hull.vertices[i]);
      if (power > farthest.power)
        farthest = {power, i};
    }
    farthest = hull_reduce<SIZE> (farthest, BetterPower ());
    if (farthest.power == 0)
      break;
    circle = ctr_shape_circle_add (circle, hull.vertices[farthest.vertex], NARROW);
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
        group_min<SIZE> (visit, i);
    }
  }
  group_sync<SIZE> ();
}

/* Each point belongs to the side of the hull that spans its part of the contour. Along the contour, if it runs clockwise, or
 * against it, the visits of the vertices follow in the order of the hull. */
template <int SIZE, uint32_t HULL>
__device__ inline void
set_defect (const HullRows &rows, const HullSpace<SIZE, HULL> &space, GroupExchange<SIZE> *exchange, uint32_t count,
    const ShapeContour &c, CtrContourShape *to)
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
  const Maybe<CtrShapeDistance> found = group_reduce (exchange, deepest, BetterDefect ());
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

/* Adds up the distances of the pixels along a line. */
__device__ inline void
add_line (CtrPoint a, CtrPoint b, int32_t x, int32_t y, ShapeDistances *distances)
{
  const uint32_t steps = ctr_shape_steps (a, b);
  for (uint32_t k = 0; k < steps; k++)
    distances->add (ctr_shape_step (a, b, k), x, y);
}

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

template <int SIZE>
__device__ inline void
set_distances (GroupExchange<SIZE> *exchange, const ShapeContour &c, CtrContourShape *to)
{
  const uint32_t rank = group_rank<SIZE> ();
  auto point_behind = [&] (uint32_t i) { return load_contour_point (c.points, i + 1 < c.count ? i + 1 : 0); };
  CtrShapeSums sums = {};
  for (uint32_t i = rank; i < c.count; i += SIZE)
    ctr_shape_sums_add (&sums, load_contour_point (c.points, i), point_behind (i));
  sums = group_reduce (exchange, sums, AddSums ());
  const CtrPoint start = load_contour_point (c.points, 0);
  if (c.count == 1)
    sums = {0, 0, 1, start.x, start.y};
  CtrContourShape centre;
  ctr_shape_set_centroid (&sums, c.area2, &centre);
  const int32_t x = centre.centroid[0], y = centre.centroid[1];
  ShapeDistances distances = {};
  if (c.count == 1 && rank == 0)
    distances.add (start, x, y);
  if constexpr (SIZE == 1)
    for (uint32_t i = 0; i < c.count; i++)
      add_line (load_contour_point (c.points, i), point_behind (i), x, y, &distances);
  else
    for (uint32_t base = rank / 32 * 32; base < c.count; base += SIZE) {
      const uint32_t i = base + rank % 32;
      const bool is_line = i < c.count;
      add_lines (
          is_line ? load_contour_point (c.points, i) : start, is_line ? point_behind (i) : start, x, y, &distances);
    }
  distances = group_reduce (exchange, distances, AddDistances ());
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

/* The features of the hull, by a thread or a warp. */
template <int SIZE, bool NARROW>
__device__ inline void
set_hull_features (const ContourHull &hull, uint32_t features, const int64_t direction[2], CtrContourShape *to)
{
  if (features & CTR_CONTOUR_FEATURE_HULL)
    set_hull<SIZE> (hull, to);
  if (features & CTR_CONTOUR_FEATURE_FERET)
    set_extent<SIZE> (hull, direction, to);
  if (features & (CTR_CONTOUR_FEATURE_RECTANGLE | CTR_CONTOUR_FEATURE_FERET))
    set_calipers<SIZE, NARROW> (hull, features, to);
  if (features & CTR_CONTOUR_FEATURE_CIRCLE)
    set_circle<SIZE, NARROW> (hull, to);
}

/* Of FEATURES, those that a warp of the CTA takes. */
__device__ inline uint32_t
features_of_warp (uint32_t features)
{
  switch (threadIdx.x / 32) {
    case 0:
      return features & CTR_CONTOUR_FEATURE_CIRCLE;
    case 1:
      return features & (CTR_CONTOUR_FEATURE_RECTANGLE | CTR_CONTOUR_FEATURE_FERET);
    case 2:
      return features & CTR_CONTOUR_FEATURE_HULL;
    default:
      return 0;
  }
}

/* Fills in the shape of a contour but for its holes. It is 0 before. All threads of the group call this. Only a CTA takes contours
 * that are not NARROW. */
template <int SIZE, uint32_t HULL>
__device__ inline void
set_shape (const HullRows &rows, HullSpace<SIZE, HULL> &space, GroupExchange<SIZE> *exchange, const ShapeContour &c,
    bool narrow, uint32_t features, CtrContourShape *to)
{
  if (features & SHAPES_WITH_HULL) {
    const uint32_t count = find_hull (rows, space, exchange, c.points, c.count);
    const ContourHull hull = {space.hull, count};
    if constexpr (SIZE <= 32)
      set_hull_features<SIZE, true> (hull, features, c.direction, to);
    else if (narrow)
      set_hull_features<32, true> (hull, features_of_warp (features), c.direction, to);
    else
      set_hull_features<32, false> (hull, features_of_warp (features), c.direction, to);
    if (features & CTR_CONTOUR_FEATURE_DEFECT)
      set_defect (rows, space, exchange, count, c, to);
  }
  if (features & CTR_CONTOUR_FEATURE_DISTANCES)
    set_distances (exchange, c, to);
}

} // namespace

#endif
