/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All of border following beyond the tiles in one kernel, for few contours without limits: in such frames a kernel takes longer to
 * start, and to find its data, than to do its work. One cluster of CTAs has the frame. Each CTA links and ranks all segments, and numbers and
 * orders all contours, in its own shared memory, as that takes no longer than to do so once. They share the search for the contours around
 * others, the passages and the measures of points. */
#include "cuda/borders/links.cuh"
#include "cuda/borders/row.cuh"
#include "cuda/common/cluster.cuh"
#include "cuda/contours/contour_measures.cuh"

namespace
{

constexpr int FINISH_THREADS = 512;
constexpr uint32_t FINISH_PASSAGES = 4; /* of a thread */
constexpr uint32_t FINISH_SEGMENTS = LIST_SMALL / FINISH_THREADS;
static_assert (FINISH_CONTOURS <= FINISH_THREADS, "a thread a contour or a closed segment");

/* Contours and their points in one word. */
constexpr uint32_t WEIGHT_CONTOUR = 1u << 16, WEIGHT_POINTS = WEIGHT_CONTOUR - 1;
static_assert (FINISH_PASSAGES * FINISH_THREADS * CTR_MOST_CLUSTER_CTAS <= WEIGHT_POINTS, "room for all points");

/* In other modes than a list: who is inside whom. By contour, but for what is said. hierarchy.cu tells why parents lie to the west. */
struct FinishNesting {
  uint32_t west[FINISH_CONTOURS]; /* NO_PARENT, or a contour that is the parent or has the same one; WEST_OF_HOLE */
  struct __align__ (8)
  {
    uint32_t parent;
    uint32_t weight; /* with all that is inside, unless only outermost contours have rows */
  }
  nodes[FINISH_CONTOURS];
  uint32_t before[FINISH_CONTOURS]; /* weights of earlier siblings */
  uint32_t places[FINISH_CONTOURS]; /* weights of all that comes before in the result; NO_CONTOUR: no row */
  uint16_t previous[FINISH_CONTOURS], next[FINISH_CONTOURS], child[FINISH_CONTOURS]; /* NO_RELATIVE */
  uint32_t firsts[FINISH_CONTOURS + 1];                                              /* by row; as those by contour */
  uint8_t of_open[LIST_SMALL], of_closed[FINISH_CONTOURS];                           /* contours of segments */
  uint32_t all;                                                                      /* weight of all rows */
};
constexpr uint32_t WEST_OF_HOLE = 1u << 31; /* The contour itself is a hole. */
constexpr uint16_t NO_RELATIVE = 0xffff;
static_assert (FINISH_CONTOURS <= 256, "a contour in a byte");

/* Where the points of an open segment go. */
struct __align__ (16) SegmentPoints
{
  uint32_t first;    /* of the segment's own, if they are not before the contour's start */
  uint32_t length;   /* of the contour: what comes before its start is at its end; 0: it has no row */
  uint32_t distance; /* points before its start */
};

struct FinishShared {
  union {
    ListView views[LIST_SMALL];
    SegmentPoints points[LIST_SMALL]; /* in the end */
  };
  unsigned long long found[FINISH_CONTOURS + 1]; /* contours in any order: the complement of the key; the length */
  uint32_t contours;                             /* how many there are */
  uint32_t keys[FINISH_CONTOURS], firsts[FINISH_CONTOURS + 1]; /* by contour; behind the last one, all points */
  uint32_t closed_firsts[FINISH_CONTOURS];                     /* NO_CONTOUR: no row */
  FinishNesting nesting;
};

/* A passage as the tiles have written it. */
struct FinishPassage {
  uint32_t place, segment, position;
};

/* The arguments of measure_points(). */
struct FinishMeasures {
  struct Counters {
    struct {
      uint32_t points, contours;
    } header;
  };
  const Counters *counters;
  struct {
    const uint32_t *firsts;
    ContourAccumulator *accumulators;
  } by_row;
  bool final;
  const ContourOutput *output;
  CtrPoint *all_points;
};

__device__ inline void
post_contour (FinishShared &s, uint32_t key, uint32_t length)
{
  const uint32_t place = atomicAdd (&s.contours, 1);
  if (place < FINISH_CONTOURS)
    s.found[place] = (unsigned long long) ~key << 32 | length;
}

/* Links and ranks the segments, and finds the contours. Has barriers, one at its end. */
template <bool FOUR_CONNECTED>
__device__ inline void
find_contours (const BordersKernelArgs &f, FinishShared &s, const ListSegment *segments, uint32_t open, bool is_closed,
    const uint2 &closed)
{
  const uint32_t t = threadIdx.x;
  ListView firsts[FINISH_SEGMENTS];
#pragma unroll
  for (uint32_t k = 0; k < FINISH_SEGMENTS; k++)
    if (t + k * FINISH_THREADS < open)
      s.views[t + k * FINISH_THREADS] = firsts[k] = first_view (linked<FOUR_CONNECTED> (f, segments[k]));
  if (t == 0)
    s.contours = 0;
  __syncthreads ();
  list_ranking_by_cta<FINISH_THREADS> (s.views, open);
#pragma unroll
  for (uint32_t k = 0; k < FINISH_SEGMENTS; k++) {
    const uint32_t i = t + k * FINISH_THREADS;
    if (i < open && firsts[k].key != NO_KEY && firsts[k].key == s.views[i].key)
      post_contour (s, firsts[k].key, firsts[k].length - s.views[i].distance + s.views[firsts[k].next].distance);
  }
  if (is_closed)
    post_contour (s, closed.x, closed.y);
  __syncthreads ();
}

/* Sorts the contours by descending keys. Ends with a barrier. */
__device__ inline void
sort_contours (FinishShared &s, uint32_t count)
{
  constexpr uint32_t LANES = FINISH_THREADS / FINISH_CONTOURS;
  const uint32_t t = threadIdx.x, i = t / LANES;
  if (t / 32 * (32 / LANES) < count) {
    const uint32_t own = s.found[i] >> 32, length = (uint32_t) s.found[i];
    uint32_t place = 0, first = 0;
#pragma unroll 4
    for (uint32_t k = t % LANES; k < count; k += LANES) {
      const unsigned long long other = s.found[k];
      const bool before = (uint32_t) (other >> 32) < own;
      place += before;
      first += before ? (uint32_t) other : 0;
    }
#pragma unroll
    for (uint32_t d = 1; d < LANES; d *= 2) {
      place += __shfl_xor_sync (~0u, place, d);
      first += __shfl_xor_sync (~0u, first, d);
    }
    if (i < count && t % LANES == 0) {
      s.keys[place] = ~own;
      s.firsts[place] = first;
      if (place == count - 1)
        s.firsts[count] = first + length;
    }
  }
  __syncthreads ();
}

/* In a plain list: finds where the points of each segment begin. Ends with a barrier. */
__device__ inline void
place_segments (FinishShared &s, uint32_t count, uint32_t open, bool is_closed, const uint2 &closed)
{
  const uint32_t t = threadIdx.x;
  for (uint32_t i = t; i < open; i += FINISH_THREADS) {
    const ListView view = s.views[i];
    const uint32_t contour = number_of_key (s.keys, count, view.key), first = s.firsts[contour];
    s.points[i] = {first - view.distance, s.firsts[contour + 1] - first, view.distance};
  }
  if (is_closed)
    s.closed_firsts[t] = s.firsts[number_of_key (s.keys, count, closed.x)];
  __syncthreads ();
}

/* The weight of a contour alone. */
__device__ inline uint32_t
own_weight (const FinishShared &s, uint32_t contour)
{
  return WEIGHT_CONTOUR + s.firsts[contour + 1] - s.firsts[contour];
}

/* A warp finds the neighbour to the west of the contour with KEY: what belongs to FinishNesting.west. */
template <bool FOUR_CONNECTED>
__device__ inline uint32_t
look_west_by_warp (const BordersKernelArgs &f, const FinishNesting &n, uint32_t key)
{
  const uint32_t lane = threadIdx.x % 32, row = f.by_word.per_row * 32, y = key / row, x = key % row;
  const uint32_t *const words = &f.by_word.foreground[(size_t) y * f.by_word.per_row];
  const int last = (int) x - 1; /* pixel of those that are looked through */
  const uint32_t own = words[x / 32];
  int word = (last >> 5) - (int) lane, pixel = -1;
  uint32_t bits = word >= 0 ? words[word] : 0; /* Both loads are under way together. */
  const bool hole = !(own >> x % 32 & 1);
  uint32_t mask = lane == 0 ? (2u << (last & 31)) - 1 : ~0u;
  for (;;) {
    bits = word >= 0 ? (hole ? ~bits : bits) & mask : 0;
    const uint32_t any = __ballot_sync (~0u, bits != 0);
    if (any) {
      pixel = __shfl_sync (~0u, word * 32 + 31 - __clz (bits), __ffs (any) - 1);
      break;
    }
    word -= 32;
    if (word + (int) lane < 0)
      break;
    bits = word >= 0 ? words[word] : 0;
    mask = ~0u;
  }
  const uint32_t flag = hole ? WEST_OF_HOLE : 0;
  if (!hole && pixel < 0)
    return NO_PARENT;
  /* Of a hole the first pixel of the run, not the one before it. */
  const uint32_t segment = segment_facing<FOUR_CONNECTED> (f, pixel + hole, y, hole ? 4 : 0);
  return flag | (segment & SEGMENT_CLOSED ? n.of_closed[segment & ~SEGMENT_CLOSED] : n.of_open[segment]);
}

/* Finds the parent of each contour. A warp of the cluster has a contour at a time, and tells all CTAs. Ends with a barrier. */
template <bool FOUR_CONNECTED>
__device__ inline void
find_parents (
    const BordersKernelArgs &f, FinishShared &s, uint32_t count, uint32_t open, bool is_closed, const uint2 &closed)
{
  constexpr uint32_t WARPS = FINISH_THREADS / 32;
  FinishNesting &n = s.nesting;
  const uint32_t t = threadIdx.x, lane = t % 32;
  for (uint32_t i = t; i < open; i += FINISH_THREADS)
    n.of_open[i] = number_of_key (s.keys, count, s.views[i].key);
  if (is_closed)
    n.of_closed[t] = number_of_key (s.keys, count, closed.x);
  __syncthreads ();
  for (uint32_t i = t / 32 * gridDim.x + blockIdx.x; i < count; i += WARPS * gridDim.x) {
    const uint32_t west = look_west_by_warp<FOUR_CONNECTED> (f, n, s.keys[i]);
    if (lane < gridDim.x)
      *cluster_shared (&n.west[i], lane) = west;
  }
  cluster_barrier ();
  if (t < count) {
    const uint32_t own = load_shared_word (&n.west[t]), hole = own & WEST_OF_HOLE;
    uint32_t parent = own & ~WEST_OF_HOLE;
    while (parent != NO_PARENT) {
      const uint32_t west = load_shared_word (&n.west[parent]);
      if ((west & WEST_OF_HOLE) != hole)
        break;
      parent = west & ~WEST_OF_HOLE;
      atomicExch (&n.west[t], parent | hole); /* shorter for those behind it */
    }
    if (f.mode == CTR_RETRIEVE_CCOMP && !hole) /* With two levels, outer borders have no parent. */
      parent = NO_PARENT;
    n.nodes[t] = {parent, own_weight (s, t)};
  }
  __syncthreads ();
}

/* Finds the relatives of each contour, and its place in the result: siblings keep their order. Ends with a barrier. */
__device__ inline void
order_contours (const BordersKernelArgs &f, FinishShared &s, uint32_t count)
{
  constexpr uint32_t LANES = FINISH_THREADS / FINISH_CONTOURS;
  FinishNesting &n = s.nesting;
  const uint32_t t = threadIdx.x;
  const bool outermost = f.mode == CTR_RETRIEVE_EXTERNAL; /* have rows, and no others */
  if (t < count && !outermost)
    for (uint32_t around = n.nodes[t].parent; around != NO_PARENT; around = n.nodes[around].parent)
      atomicAdd (&n.nodes[around].weight, own_weight (s, t));
  __syncthreads ();
  const uint32_t contour = t / LANES;
  if (t / 32 * (32 / LANES) < count) {
    const uint32_t parent = n.nodes[contour].parent;
    uint32_t before = 0, next = NO_RELATIVE, child = NO_RELATIVE;
    int previous = -1;
#pragma unroll 4
    for (uint32_t i = t % LANES; i < count; i += LANES) {
      const auto node = n.nodes[i];
      const bool same = node.parent == parent, earlier = i < contour;
      before += same & earlier ? node.weight : 0;
      previous = same & earlier ? (int) i : previous;
      next = same & (i > contour) ? min (next, i) : next;
      child = node.parent == contour ? min (child, i) : child;
    }
#pragma unroll
    for (uint32_t d = 1; d < LANES; d *= 2) {
      before += __shfl_xor_sync (~0u, before, d);
      previous = max (previous, __shfl_xor_sync (~0u, previous, d));
      next = min (next, __shfl_xor_sync (~0u, next, d));
      child = min (child, __shfl_xor_sync (~0u, child, d));
    }
    if (t % LANES == 0) {
      n.before[contour] = before;
      n.previous[contour] = previous < 0 ? NO_RELATIVE : previous;
      n.next[contour] = next;
      n.child[contour] = child;
    }
  }
  __syncthreads ();
  if (t < count) {
    const uint32_t parent = n.nodes[t].parent;
    const bool has_row = !outermost || parent == NO_PARENT;
    uint32_t place = n.before[t];
    for (uint32_t around = parent; has_row && around != NO_PARENT; around = n.nodes[around].parent)
      place += own_weight (s, around) + n.before[around];
    n.places[t] = has_row ? place : NO_CONTOUR;
    if (has_row)
      n.firsts[place / WEIGHT_CONTOUR] = place & WEIGHT_POINTS;
    if (parent == NO_PARENT && n.next[t] == NO_RELATIVE) { /* the last outermost contour */
      const uint32_t all = place + n.nodes[t].weight;
      n.all = all;
      n.firsts[all / WEIGHT_CONTOUR] = all & WEIGHT_POINTS;
    }
  }
  __syncthreads ();
}

/* Likewise finds where the points of each segment begin. */
__device__ inline void
place_segments (FinishShared &s, uint32_t open, bool is_closed)
{
  const FinishNesting &n = s.nesting;
  const uint32_t t = threadIdx.x;
  for (uint32_t i = t; i < open; i += FINISH_THREADS) {
    const uint32_t contour = n.of_open[i], place = n.places[contour], distance = s.views[i].distance;
    s.points[i] = {(place & WEIGHT_POINTS) - distance,
        place != NO_CONTOUR ? own_weight (s, contour) - WEIGHT_CONTOUR : 0, distance};
  }
  if (is_closed) {
    const uint32_t place = n.places[n.of_closed[t]];
    s.closed_firsts[t] = place != NO_CONTOUR ? place & WEIGHT_POINTS : NO_CONTOUR;
  }
  __syncthreads ();
}

__device__ inline void
write_point (const FinishShared &s, CtrPoint *points, const FinishPassage &passage)
{
  if (!(passage.position & PASSAGE_KEPT))
    return;
  uint32_t at = passage.position & ~PASSAGE_KEPT;
  if (passage.segment & SEGMENT_CLOSED) {
    const uint32_t first = s.closed_firsts[passage.segment & ~SEGMENT_CLOSED];
    if (first == NO_CONTOUR)
      return;
    at += first;
  } else {
    const SegmentPoints &to = s.points[passage.segment];
    if (!to.length)
      return;
    at += to.first + (at < to.distance ? to.length : 0);
  }
  *(uint32_t *) &points[at] = passage.place; /* x comes first */
}

/* The points of this CTA's passages, then the measures of its share of points, and the table, by the first CTA. FIRSTS: by row. */
template <bool NESTED>
__device__ inline void
write_contours (const BordersKernelArgs &f, const FinishShared &s, const FinishPassage *passages, uint32_t count,
    const uint32_t *firsts, uint32_t rows)
{
  const FinishNesting &n = s.nesting;
  const uint32_t t = threadIdx.x, cta = blockIdx.x, all = firsts[rows];
#pragma unroll
  for (uint32_t k = 0; k < FINISH_PASSAGES; k++)
    write_point (s, f.frame_output.points, passages[k]);
  const bool has_contour = cta == 0 && t < count;
  bool hole = false;
  if (has_contour) {
    hole = NESTED ? n.west[t] & WEST_OF_HOLE : is_hole (f, s.keys[t]);
    uint4 *to = (uint4 *) &f.by_row.accumulators[t];
    to[0] = make_uint4 (0, 0, 0, 0);
    to[1] = make_uint4 (~0u, ~0u, 0, 0);
  }
  cluster_barrier ();
  const FinishMeasures::Counters counters = {{all, rows}};
  const FinishMeasures measures = {&counters, {firsts, f.by_row.accumulators}, false, NULL, f.frame_output.points};
  constexpr uint32_t WARPS = FINISH_THREADS / 32;
  const uint32_t share = ctr_div_up (ctr_div_up (all, gridDim.x * WARPS), 32) * 32,
                 begin = (cta * WARPS + t / 32) * share;
  if (begin < all)
    measure_points (measures, begin, min (all, begin + share));
  cluster_barrier ();
  if (!has_contour || (NESTED && n.places[t] == NO_CONTOUR))
    return;
  const uint32_t row = NESTED ? n.places[t] / WEIGHT_CONTOUR : t, first = firsts[row];
  CtrContour c =
      make_listed_row (row, rows, first, firsts[row + 1] - first, load_accumulator (&f.by_row.accumulators[row]));
  c.flags = hole ? CTR_CONTOUR_HOLE : 0;
  if (NESTED && borders_nests (f)) {
    const auto row_of = [&] (uint32_t other) {
      return other < FINISH_CONTOURS ? (int32_t) (n.places[other] / WEIGHT_CONTOUR) : -1;
    };
    c.next = row_of (n.next[t]);
    c.previous = row_of (n.previous[t]);
    c.child = row_of (n.child[t]);
    c.parent = row_of (n.nodes[t].parent);
  }
  store_row (&f.frame_output.table[row], c);
}

/* NESTED: contours have parents, as in all modes but that of a list. */
template <bool FOUR_CONNECTED, bool NESTED>
__global__ void
__launch_bounds__ (FINISH_THREADS, 2)
    finish_kernel (const __grid_constant__ BordersKernelArgs f, BordersHeader *host, uint32_t *flag)
{
  __shared__ FinishShared s;
  const uint32_t t = threadIdx.x, cta = blockIdx.x;
  ctr_let_next_start ();
  if (NESTED)
    cluster_barrier (); /* All CTAs have started: find_parents() writes into their shared memory. */
  ctr_wait_for_previous ();
  /* All that a thread may need is under way together. */
  ListSegment segments[FINISH_SEGMENTS];
  FinishPassage passages[FINISH_PASSAGES];
#pragma unroll
  for (uint32_t k = 0; k < FINISH_SEGMENTS; k++)
    segments[k] = load_segment (f, t + k * FINISH_THREADS);
  const BordersFound found = *f.found;
  const bool is_closed = t < min (found.closed, f.by_segment.closed_capacity);
  const uint2 closed = is_closed && t < FINISH_CONTOURS ? f.by_segment.closed_key_length[t] : make_uint2 (NO_KEY, 0);
#pragma unroll
  for (uint32_t k = 0; k < FINISH_PASSAGES; k++) {
    const uint32_t i = (k * gridDim.x + cta) * FINISH_THREADS + t;
    passages[k] = {};
    if (i < min (found.passages, f.by_passage.capacity))
      passages[k] = {f.by_passage.place[i], f.by_passage.segment[i], f.by_passage.position[i]};
  }
  const bool has_room = fit (f, found);
  bool suits = has_room & (found.open <= LIST_SMALL) & (found.closed <= FINISH_CONTOURS)
               & (found.passages <= FINISH_PASSAGES * FINISH_THREADS * gridDim.x);
  uint32_t count = 0, rows = 0, all = 0;
  if (suits) {
    find_contours<FOUR_CONNECTED> (f, s, segments, found.open, is_closed, closed);
    count = s.contours;
    suits = count <= FINISH_CONTOURS;
  }
  const uint32_t *const firsts = NESTED ? s.nesting.firsts : s.firsts;
  if (suits && count > 0) {
    sort_contours (s, count);
    if constexpr (NESTED) {
      find_parents<FOUR_CONNECTED> (f, s, count, found.open, is_closed, closed);
      order_contours (f, s, count);
      place_segments (s, found.open, is_closed);
    } else {
      place_segments (s, count, found.open, is_closed, closed);
    }
    rows = NESTED ? s.nesting.all / WEIGHT_CONTOUR : count;
    all = firsts[rows];
  }
  const bool complete = suits & (count <= f.contour_capacity) & (all <= f.point_capacity);
  if (complete && count > 0)
    write_contours<NESTED> (f, s, passages, count, firsts, rows);
  else
    cluster_barrier (); /* All have read what was found. */
  if (cta == 0) {
    if (t == 0) {
      BordersHeader h = {};
      h.passages = found.passages;
      h.open = found.open;
      h.closed = found.closed;
      h.too_many = found.too_many;
      h.contours = complete ? rows : count;
      h.all_contours = count;
      h.points = all;
      h.threshold = f.threshold_device ? *f.threshold_device : f.threshold;
      h.unfinished = has_room && !suits;
      *host = h;
      *f.frame_output.numbers = {complete, rows, all};
      *f.found = {}; /* for the next frame */
    }
    __syncthreads ();
    if (t == 0) {
      fence_system ();
      *(volatile uint32_t *) flag = 1;
    }
  }
  if (f.frame_output.copy.from && !complete)
    delivery_keep (f.frame_output.copy);
}

} // namespace

unsigned
borders_finish_ctas ()
{
  void (*const kernels[]) (BordersKernelArgs, BordersHeader *, uint32_t *) = {
      finish_kernel<false, false>, finish_kernel<true, false>, finish_kernel<false, true>, finish_kernel<true, true>};
  return ctr_cluster_ctas (kernels, FINISH_THREADS);
}

uint32_t
borders_most_passages_to_finish (unsigned ctas)
{
  return FINISH_PASSAGES * FINISH_THREADS * ctas;
}

void
borders_launch_finish (
    const BordersKernelArgs &f, unsigned ctas, BordersHeader *host, uint32_t *flag, cudaStream_t stream)
{
  cudaLaunchAttribute attributes[2];
  const cudaLaunchConfig_t config = ctr_cluster_config (ctas, FINISH_THREADS, stream, attributes);
  const auto launch = [&] (auto *kernel) { ctr_launch_configured (config, kernel, f, host, flag); };
  if (f.mode == CTR_RETRIEVE_LIST)
    launch (f.four_connected ? finish_kernel<true, false> : finish_kernel<false, false>);
  else
    launch (f.four_connected ? finish_kernel<true, true> : finish_kernel<false, true>);
}
