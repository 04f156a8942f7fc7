/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A small frame in strips of whole rows, one for each CTA of a cluster: what a CTA has of its strip, and what it tells the others. */
#ifndef CTR_CUDA_CCA_STRIPS_CUH
#define CTR_CUDA_CCA_STRIPS_CUH

#include "cuda/cca/run_sets.cuh"
#include "cuda/common/cluster.cuh"

namespace
{

constexpr uint32_t STRIP_CTAS = CTR_MOST_CLUSTER_CTAS;
constexpr uint32_t STRIP_TOPS = 1024;
constexpr uint32_t STRIP_OPENS = 128; /* components of a strip that may go on in others */
constexpr uint32_t NAMES = STRIP_CTAS * STRIP_OPENS;
static_assert (STRIP_TOPS == 32 * 32, "a lane a word of open_tops");

/* The union-find of a frame over the open components of all strips: the key of the parent. The order of keys is that of first runs, so
 * the root has the component's first pixel. */
typedef uint32_t NameKey;
constexpr int KEY_CTA = 26, KEY_RUN = 7; /* the lowest bits of these; below: which of the strip's open components */
static_assert (STRIP_OPENS == 1 << KEY_RUN, "bits of a key");

__device__ inline uint32_t
name_of (NameKey key)
{
  return (key >> KEY_CTA) * STRIP_OPENS + key % STRIP_OPENS;
}

struct StripInfo {
  uint32_t closed; /* components of the result */
  uint32_t open;
  uint32_t contacts;
  uint32_t runs; /* their number << 1 | 1: more of anything than there is room for */
};

/* Shared memory of a CTA, with room for so many runs. */
template <uint32_t RUNS> struct StripShared : RunSetsShared<RUNS, STRIP_TOPS> {
  /* What each CTA tells all others of its strip. */
  struct {
    uint4 sums[NAMES]; /* area, sum_x, sum_y as in by_top, not_left << 16 | right */
    uint32_t bottom[NAMES];
    NameKey parents[NAMES];
  } by_name;
  struct {
    StripInfo info[STRIP_CTAS];
    uint32_t contacts[STRIP_CTAS]
                     [MOST_CONTACTS]; /* run of the last row above << 16 | name; before it is known: own run */
    uint16_t last_names[STRIP_CTAS][LAST_RUNS]; /* of the last row's runs */
    uint32_t roots[STRIP_CTAS];
  } by_strip;
  uint32_t high[STRIP_TOPS];           /* what does not fit 32 bits of sums: of sum_x << 16 | of sum_y */
  uint32_t open_tops[STRIP_TOPS / 32]; /* bits */
  uint32_t closed_count, too_many;
  uint16_t top_of_open[STRIP_OPENS];
};

/* The strip of a CTA. All threads of the CTA call its functions together, with barriers between them. */
template <uint32_t RUNS> struct Strip : RunSets<RUNS, STRIP_TOPS> {
  typedef StripShared<RUNS> Shared;
  typedef RunSets<RUNS, STRIP_TOPS> Sets;
  using Sets::add, Sets::lane, Sets::mark, Sets::t, Sets::top_of;
  static_assert (RUNS <= 1 << (KEY_CTA - KEY_RUN), "a run in a key");
  const CcaKernelArgs &f;
  Shared &s;
  const uint32_t cta, ctas, strips; /* strips: that have rows */
  const uint32_t strip_rows;        /* of each but the last one */
  const bool wide;                  /* Sums of the frame do not fit 32 bits. */
  const uint32_t top, rows;
  const uint32_t warp;
  uint32_t all_runs = 0, last_runs = 0; /* those of the last row, of which not all have to be known */

  __device__
  Strip (const CcaKernelArgs &frame, const StripPlan &plan, Shared &shared)
      : Sets (shared), f (frame), s (shared), cta (blockIdx.x), ctas (plan.ctas), strips (plan.strips),
        strip_rows (plan.rows), wide (plan.wide), top (min (blockIdx.x * plan.rows, frame.height)),
        rows (min (plan.rows, frame.height - top)), warp (warp_index ())
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
      s.closed_count = s.too_many = 0;
    for (uint32_t n = t; wide && n < STRIP_TOPS; n += STRIP_THREADS)
      s.high[n] = 0;
    Sets::clear ();
  }

  /* Adds to the sums of top N those of its component in strip FROM. */
  __device__ void
  add_other (uint32_t n, uint32_t from, const uint4 &sums, uint32_t bottom)
  {
    const uint32_t rows_above = (from - cta) * strip_rows, not_left = sums.w >> 16, right = sums.w & 0xffff;
    if (!wide) {
      add (n, sums.x, sums.y, sums.z + sums.x * rows_above, not_left, right, bottom);
      return;
    }
    const uint64_t sum_y = sums.z + (uint64_t) sums.x * rows_above;
    const uint32_t low_y = (uint32_t) sum_y;
    const uint32_t old_x = atomicAdd (&s.by_top.sum_x[n], sums.y), old_y = atomicAdd (&s.by_top.sum_y[n], low_y);
    const uint32_t more_x = old_x + sums.y < old_x, more_y = (uint32_t) (sum_y >> 32) + (old_y + low_y < old_y);
    if (more_x | more_y)
      atomicAdd (&s.high[n], more_x << 16 | more_y);
    atomicAdd (&s.by_top.area[n], sums.x);
    atomicMax (&s.by_top.not_left[n], not_left);
    atomicMax (&s.by_top.right[n], right);
    atomicMax (&s.by_top.bottom[n], bottom);
  }

  /* Names the components of the runs at contacts with the strip above, and in the last row: RUN_OF (index). OPEN_BITS, OPENS_BEFORE: the lane's
   * word of open_tops, and the open components before it. */
  template <typename RunOf>
  __device__ void
  name_seams (uint32_t open_bits, uint32_t opens_before, const RunOf &run_of)
  {
    auto name_of_run = [&] (uint32_t run, bool has) {
      const uint32_t n = has ? top_of (run) : 0;
      const uint32_t bits = __shfl_sync (~0u, open_bits, n / 32), before = __shfl_sync (~0u, opens_before, n / 32);
      return cta * STRIP_OPENS + min (before + __popc (bits & ((1u << n % 32) - 1)), STRIP_OPENS - 1);
    };
    const uint32_t contacts = s.contact_count;
    for (uint32_t i = t; i - lane < contacts; i += STRIP_THREADS) {
      uint32_t *const contact = &s.by_strip.contacts[cta][i];
      const uint32_t name = name_of_run (i < contacts ? *contact & 0xffff : 0, i < contacts);
      if (i < contacts)
        *contact = (*contact & 0xffff0000) | name;
      __syncwarp ();
    }
    for (uint32_t i = 32 * (STRIP_WARPS - 1 - warp) + lane; i - lane < last_runs; i += STRIP_THREADS) {
      const uint32_t name = name_of_run (i < last_runs ? run_of (i) : 0, i < last_runs);
      if (i < last_runs)
        s.by_strip.last_names[cta][i] = name;
      __syncwarp ();
    }
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
        mark (s.by_top.first[n]);
      if (closed && lane == 0)
        atomicAdd (&s.closed_count, __popc (closed));
      const uint32_t index = before + __popc (bits & ((1u << lane) - 1));
      if (is_open && index < STRIP_OPENS) {
        const uint32_t name = cta * STRIP_OPENS + index;
        s.top_of_open[index] = n;
        s.by_name.sums[name] =
            make_uint4 (area, s.by_top.sum_x[n], s.by_top.sum_y[n], s.by_top.not_left[n] << 16 | s.by_top.right[n]);
        s.by_name.bottom[name] = s.by_top.bottom[n];
        s.by_name.parents[name] = cta << KEY_CTA | s.by_top.first[n] << KEY_RUN | index;
      }
    }
  }
};

} // namespace

#endif
