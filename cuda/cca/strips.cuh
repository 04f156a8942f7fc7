/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A small frame in strips of whole rows, one for each CTA of a cluster: what a CTA finds in its strip, and what it tells the others.
 *
 * Runs are numbered in raster order, from the row above the strip on, whose runs belong to the CTA before. So counts of starts lead from a
 * run to those above that it touches, which follow one another: the first one it is linked to, with the others it is united. Runs that
 * touch none above may be the first of a component: they get a place for its sums (a top). */
#ifndef CTR_CUDA_CCA_STRIPS_CUH
#define CTR_CUDA_CCA_STRIPS_CUH

#include "cuda/cca/device_state.cuh"
#include "cuda/cca/unite_runs.cuh"
#include "cuda/common/cluster.cuh"
#include "cuda/common/pixels.cuh"
#include "cuda/common/ptx.cuh"

namespace
{

constexpr int STRIP_THREADS = 512;
constexpr uint32_t STRIP_WARPS = STRIP_THREADS / 32;
constexpr uint32_t STRIP_CTAS = CTR_MOST_CLUSTER_CTAS;
constexpr uint32_t STRIP_RUNS = 4096;
constexpr uint32_t STRIP_TOPS = 1024;
constexpr uint32_t STRIP_OPENS = 128;    /* components of a strip that may go on in others */
constexpr uint32_t STRIP_CONTACTS = 256; /* with the strip above */
constexpr uint32_t LAST_RUNS = 256;      /* of a strip's last row */
constexpr uint32_t NAMES = STRIP_CTAS * STRIP_OPENS;
static_assert (STRIP_TOPS == 32 * 32, "a lane a word of open_tops");

/* The union-find of a frame over the open components of all strips: the key of the parent. The order of keys is that of first pixels, so
 * the root has the component's first pixel. */
typedef uint32_t NameKey;
constexpr int KEY_CTA = 26, KEY_PLACE = 7; /* the lowest bits of these; below: which of the strip's open components */
static_assert (STRIP_OPENS == 1 << KEY_PLACE, "bits of a key");

__device__ inline uint32_t
name_of (NameKey key)
{
  return (key >> KEY_CTA) * STRIP_OPENS + key % STRIP_OPENS;
}

struct StripInfo {
  uint32_t closed; /* components of the result */
  uint32_t open;
  uint32_t contacts;
  uint32_t too_many; /* More of anything than there is room for. */
};

/* Shared memory of a CTA whose threads have K words. */
template <int K> struct StripShared {
  /* What each CTA tells all others of its strip. */
  struct {
    uint4 sums[NAMES]; /* area, sum_x, sum_y, not_left << 16 | right */
    uint32_t bottom[NAMES];
    NameKey parents[NAMES];
  } by_name;
  struct {
    StripInfo info[STRIP_CTAS];
    uint32_t contacts[STRIP_CTAS][STRIP_CONTACTS]; /* run of the last row above << 16 | name */
    uint16_t last_names[STRIP_CTAS][LAST_RUNS];    /* of the last row's runs */
    uint32_t roots[STRIP_CTAS];
  } by_strip;
  struct {
    uint32_t pixels[K * STRIP_THREADS], starts[K * STRIP_THREADS], marks[K * STRIP_THREADS]; /* marks: first pixels */
    uint32_t before[K * STRIP_THREADS]; /* starts, in the end marks */
  } by_word;                            /* by rows, from that above the strip on */
  struct {
    uint32_t start[STRIP_RUNS]; /* row << 16 | column; rows count from that above the strip */
    uint32_t end[STRIP_RUNS];   /* last column, runs it touches above beyond the first one << 16 */
    uint32_t entry[STRIP_RUNS]; /* parent << 16 | top: of a run without a link, in the end of all */
  } by_run;
  struct {
    uint32_t area[STRIP_TOPS]; /* 0: no component */
    uint32_t sum_x[STRIP_TOPS], sum_y[STRIP_TOPS];
    uint32_t not_left[STRIP_TOPS]; /* 65535 - left */
    uint32_t right[STRIP_TOPS], bottom[STRIP_TOPS];
    uint32_t first[STRIP_TOPS]; /* as start */
  } by_top;
  uint32_t open_tops[STRIP_TOPS / 32]; /* bits */
  uint32_t top_count, closed_count, contact_count, too_many;
  uint32_t warp_sums[STRIP_WARPS];
  uint16_t top_of_open[STRIP_OPENS];
};

/* The strip of a CTA. Each thread has K words. All threads of the CTA call its functions together, with barriers between them. */
template <int CONNECTIVITY, int K> struct Strip {
  typedef StripShared<K> Shared;
  static_assert (K * STRIP_THREADS * 32 <= 1 << (KEY_CTA - KEY_PLACE), "a pixel of the strip in a key");
  const CcaKernelArgs &f;
  Shared &s;
  const uint32_t columns, cta, ctas, strips; /* strips: that have rows */
  const uint32_t top, rows, words;           /* words: with those of the row above */
  const uint32_t t, lane, warp;
  uint32_t first_run, run_count; /* from which on runs are the strip's; of all */

  __device__
  Strip (const CcaKernelArgs &frame, const StripPlan &plan, Shared &shared)
      : f (frame), s (shared), columns (plan.columns), cta (blockIdx.x), ctas (plan.ctas), strips (plan.strips),
        top (min (blockIdx.x * plan.rows, frame.height)), rows (min (plan.rows, frame.height - top)),
        words (rows ? (rows + 1) * plan.columns : 0), t (threadIdx.x), lane (threadIdx.x % 32), warp (warp_index ())
  {
  }

  __device__ void
  clear ()
  {
    if (warp == 0) {
      s.open_tops[lane] = 0;
      if (lane < STRIP_CTAS)
        s.by_strip.roots[lane] = 0;
    }
    if (t == 32)
      s.top_count = s.closed_count = s.contact_count = s.too_many = 0;
  }

  __device__ void
  load (const StripPlan &plan, uint32_t threshold)
  {
    if (f.depth == 8 && f.width % 32 == 0 && (((uintptr_t) f.pixels | f.stride) & 15) == 0) {
      const uint32_t mask = threshold > 255 ? 0 : 0xffff, invert = f.invert ? 0xffff : 0;
      const uint32_t t_low = (threshold & 127) * 0x01010101u, t_small = threshold & 128 ? 0u : ~0u;
      uint16_t *const to = (uint16_t *) s.by_word.pixels;
      uint4 v[2 * K]; /* all loads are issued before any is used */
      bool inside[2 * K];
#pragma unroll
      for (int k = 0; k < 2 * K; k++) {
        const uint32_t i = k * STRIP_THREADS + t, row = i / 2 * plan.reciprocal >> STRIP_RECIPROCAL, y = top + row - 1;
        inside[k] = i < 2 * words && y < f.height; /* Above the image, Y is beyond it, too. */
        if (inside[k])
          v[k] = __ldg ((const uint4 *) (f.pixels + (size_t) y * f.stride) + (i - 2 * row * columns));
      }
#pragma unroll
      for (int k = 0; k < 2 * K; k++)
        to[k * STRIP_THREADS + t] = inside[k] ? (compare16 (v[k], t_low, t_small) & mask) ^ invert : 0;
    } else {
#pragma unroll 1
      for (uint32_t k = 0; k < K; k++) {
        const uint32_t i = t * K + k, row = i * plan.reciprocal >> STRIP_RECIPROCAL;
        s.by_word.pixels[i] = i < words ? load_word (f, threshold, (i - row * columns) * 32, top + row - 1) : 0;
      }
    }
  }

  /* Numbers the runs. Returns whether there is room for all. Has barriers, behind the first of which all pixels are there. */
  __device__ bool
  number_runs (const StripPlan &plan)
  {
    uint32_t y[K], x[K], starts[K], ends[K], sum = 0;
#pragma unroll
    for (int k = 0; k < K; k++) {
      const uint32_t i = t * K + k;
      y[k] = i * plan.reciprocal >> STRIP_RECIPROCAL;
      x[k] = i - y[k] * columns;
      const uint32_t pixels = s.by_word.pixels[i], before = x[k] ? s.by_word.pixels[i - 1] : 0,
                     behind = x[k] + 1 < columns && i + 1 < K * STRIP_THREADS ? s.by_word.pixels[i + 1] : 0;
      starts[k] = pixels & ~(pixels << 1 | before >> 31);
      ends[k] = pixels & ~(pixels >> 1 | behind << 31);
      sum += __popc (starts[k]);
    }
    const uint32_t sums = sum_of_lanes (sum);
    if (lane == 31)
      s.warp_sums[warp] = sums;
    __syncthreads ();
    const uint32_t of_warp = lane < STRIP_WARPS ? s.warp_sums[lane] : 0;
    run_count = total_of_lanes (of_warp);
    uint32_t next = total_of_lanes (lane < warp ? of_warp : 0) + sums - sum;
    if (run_count > STRIP_RUNS)
      return false;
#pragma unroll
    for (int k = 0; k < K; k++) {
      const uint32_t i = t * K + k, before = next;
      s.by_word.starts[i] = starts[k];
      s.by_word.before[i] = before;
      s.by_word.marks[i] = 0;
      for (uint32_t rest = starts[k]; rest; rest &= rest - 1)
        s.by_run.start[next++] = y[k] << 16 | (x[k] * 32 + __ffs (rest) - 1);
      for (uint32_t rest = ends[k]; rest; rest &= rest - 1)
        s.by_run.end[before + __popc (starts[k] & (rest ^ (rest - 1))) - 1] = x[k] * 32 + __ffs (rest) - 1;
    }
    __syncthreads ();
    first_run = runs_before (1);
    return true;
  }

  /* The runs before row Y, which may be the one behind the last. */
  __device__ uint32_t
  runs_before (uint32_t y) const
  {
    return y * columns < words ? s.by_word.before[y * columns] : run_count;
  }

  /* The runs of the row above that RUN touches: from *FIRST on. Returns their number. */
  __device__ uint32_t
  touching (uint32_t run, uint32_t *first) const
  {
    constexpr uint32_t reach = CONNECTIVITY == 8;
    const uint32_t start = s.by_run.start[run], x = start & 0xffff, row = ((start >> 16) - 1) * columns;
    const uint32_t from = max (x, reach) - reach, to = min ((s.by_run.end[run] & 0xffff) + reach, 32 * columns - 1);
    const uint32_t i = row + from / 32, k = row + to / 32;
    *first = s.by_word.before[i] + __popc (s.by_word.starts[i] & ((2u << from % 32) - 1))
             - (s.by_word.pixels[i] >> from % 32 & 1);
    return s.by_word.before[k] + __popc (s.by_word.starts[k] & ((2u << to % 32) - 1)) - *first;
  }

  __device__ uint32_t
  parent (uint32_t run) const
  {
    return ((volatile uint16_t *) s.by_run.entry)[2 * run + 1];
  }

  __device__ void
  set_parent (uint32_t run, uint32_t up)
  {
    ((volatile uint16_t *) s.by_run.entry)[2 * run + 1] = up;
  }

  /* Of a root or, behind sum_up(), of any run. */
  __device__ uint32_t
  top_of (uint32_t run) const
  {
    return ((volatile uint16_t *) s.by_run.entry)[2 * run];
  }

  /* Links runs to those above, and gives the others tops. Returns whether there is room for all. */
  __device__ bool
  link ()
  {
    bool fits = true;
    for (uint32_t run = first_run + t; run < run_count; run += STRIP_THREADS) {
      const uint32_t start = s.by_run.start[run];
      uint32_t first, count = 0;
      if (start >> 16 > 1)
        count = touching (run, &first);
      if (count) {
        s.by_run.entry[run] = first << 16;
        s.by_run.end[run] += (count - 1) << 16;
        continue;
      }
      const uint32_t n = atomicAdd (&s.top_count, 1);
      fits = n < STRIP_TOPS;
      if (!fits)
        break;
      s.by_run.entry[run] = run << 16 | n;
      s.by_top.first[n] = start;
      s.by_top.area[n] = s.by_top.sum_x[n] = s.by_top.sum_y[n] = 0;
      s.by_top.not_left[n] = s.by_top.right[n] = s.by_top.bottom[n] = 0;
    }
    return fits;
  }

  __device__ void
  unite (uint32_t a, uint32_t b)
  {
    unite_runs (*this, s.by_run.entry, a, b);
  }

  /* Shortens links, and unites the runs at all other contacts. */
  __device__ void
  join ()
  {
    for (uint32_t run = first_run + t; run < run_count; run += STRIP_THREADS) {
      uint32_t up = parent (run);
      if (up == run)
        continue;
      const uint32_t first = up, others = s.by_run.end[run] >> 16;
#pragma unroll
      for (int step = 0; step < 4; step++) {
        up = parent (up);
        set_parent (run, up);
      }
      if (others) {
        uint32_t above;
        touching (run, &above);
        for (uint32_t i = 1; i <= others; i++)
          unite (first, above + i);
      }
    }
  }

  __device__ void
  add (uint32_t n, uint32_t area, uint32_t sum_x, uint32_t sum_y, uint32_t not_left, uint32_t right, uint32_t bottom)
  {
    atomicAdd (&s.by_top.area[n], area);
    atomicAdd (&s.by_top.sum_x[n], sum_x);
    atomicAdd (&s.by_top.sum_y[n], sum_y);
    atomicMax (&s.by_top.not_left[n], not_left);
    atomicMax (&s.by_top.right[n], right);
    atomicMax (&s.by_top.bottom[n], bottom);
  }

  /* Adds the runs' sums to those of their components, and marks the components at other strips. Atomics on one address are serialised, so a warp adds
   * up what it has of the component of its first run, and of another one. */
  __device__ void
  sum_up ()
  {
#pragma unroll 1
    for (uint32_t run = first_run + t; run - lane < run_count; run += STRIP_THREADS) {
      uint32_t n = 0, area = 0, sum_x = 0, sum_y = 0, not_left = 0, right = 0, y = 0;
      if (run < run_count) {
        uint32_t root = parent (run);
        for (uint32_t up; (up = parent (root)) != root;)
          root = up;
        n = top_of (root);
        if (root != run)
          ((volatile uint16_t *) s.by_run.entry)[2 * run] = n;
        const uint32_t start = s.by_run.start[run], row = start >> 16, from = start & 0xffff;
        if ((row == 1 && cta > 0) || (row == rows && cta + 1 < strips))
          atomicOr (&s.open_tops[n / 32], 1u << n % 32);
        right = s.by_run.end[run] & 0xffff;
        y = top + row - 1;
        area = right - from + 1;
        sum_x = area * (from + right) / 2;
        sum_y = area * y;
        not_left = 65535 - from;
      }
      __syncwarp ();
      uint32_t rest = __ballot_sync (~0u, area);
#pragma unroll 1
      for (int turn = 0; turn < 2 && rest; turn++) {
        const uint32_t common = __shfl_sync (~0u, n, __ffs (rest) - 1), mine = area && n == common ? ~0u : 0;
        const uint32_t all_area = total_of_lanes (area & mine), all_x = total_of_lanes (sum_x & mine),
                       all_y = total_of_lanes (sum_y & mine), all_left = greatest_of_lanes (not_left & mine),
                       all_right = greatest_of_lanes (right & mine), all_bottom = greatest_of_lanes (y & mine);
        if (lane == __ffs (rest) - 1)
          add (common, all_area, all_x, all_y, all_left, all_right, all_bottom);
        area &= ~mine;
        rest = __ballot_sync (~0u, area);
      }
      if (area)
        add (n, area, sum_x, sum_y, not_left, right, y);
      __syncwarp ();
    }
  }

  /* Names the components of the runs in the first and the last row, and lists the contacts of the first row. OPEN_BITS, OPENS_BEFORE: the lane's word of
   * open_tops, and the open components before it. */
  __device__ void
  name_seams (uint32_t open_bits, uint32_t opens_before)
  {
    auto for_row = [&] (uint32_t from, uint32_t end, uint32_t rank, auto work) {
      for (uint32_t run = from + 32 * rank + lane; run - lane < end; run += STRIP_THREADS) {
        const uint32_t n = run < end ? top_of (run) : 0;
        const uint32_t bits = __shfl_sync (~0u, open_bits, n / 32), before = __shfl_sync (~0u, opens_before, n / 32);
        if (run < end)
          work (run, cta * STRIP_OPENS + min (before + __popc (bits & ((1u << n % 32) - 1)), STRIP_OPENS - 1));
        __syncwarp ();
      }
    };
    if (cta > 0)
      for_row (first_run, runs_before (2), warp, [&] (uint32_t run, uint32_t name) {
        uint32_t first;
        const uint32_t count = touching (run, &first);
        if (!count)
          return;
        const uint32_t at = atomicAdd (&s.contact_count, count);
        if (at + count > STRIP_CONTACTS || first + count > LAST_RUNS)
          s.too_many = 1;
        else
          for (uint32_t i = 0; i < count; i++)
            s.by_strip.contacts[cta][at + i] = (first + i) << 16 | name;
      });
    if (cta + 1 < strips) {
      const uint32_t from = runs_before (rows);
      for_row (from, run_count, STRIP_WARPS - 1 - warp, [&] (uint32_t run, uint32_t name) {
        if (run - from < LAST_RUNS)
          s.by_strip.last_names[cta][run - from] = name;
      });
    }
  }

  /* Marks the first pixel of the component of top N. */
  __device__ void
  mark (uint32_t n)
  {
    const uint32_t y = s.by_top.first[n] >> 16, x = s.by_top.first[n] & 0xffff;
    atomicOr (&s.by_word.marks[y * columns + x / 32], 1u << x % 32);
  }

  /* Marks closed components, and lists the open ones. */
  __device__ void
  list_components (uint32_t open_bits, uint32_t opens_before)
  {
    const uint32_t count = s.top_count;
    for (uint32_t word = (warp + STRIP_WARPS / 2) % STRIP_WARPS; 32 * word < count; word += STRIP_WARPS) {
      const uint32_t n = 32 * word + lane, area = n < count ? s.by_top.area[n] : 0;
      const uint32_t bits = __shfl_sync (~0u, open_bits, word), before = __shfl_sync (~0u, opens_before, word);
      const bool is_open = bits >> lane & 1, is_closed = area && !is_open && is_area_kept (f, area);
      const uint32_t closed = __ballot_sync (~0u, is_closed);
      if (is_closed)
        mark (n);
      if (closed && lane == 0)
        atomicAdd (&s.closed_count, __popc (closed));
      const uint32_t index = before + __popc (bits & ((1u << lane) - 1));
      if (is_open && index < STRIP_OPENS) {
        const uint32_t name = cta * STRIP_OPENS + index, first = s.by_top.first[n];
        s.top_of_open[index] = n;
        s.by_name.sums[name] =
            make_uint4 (area, s.by_top.sum_x[n], s.by_top.sum_y[n], s.by_top.not_left[n] << 16 | s.by_top.right[n]);
        s.by_name.bottom[name] = s.by_top.bottom[n];
        s.by_name.parents[name] =
            cta << KEY_CTA | (((first >> 16) - 1) * f.width + (first & 0xffff)) << KEY_PLACE | index;
      }
    }
  }
};

} // namespace

#endif
