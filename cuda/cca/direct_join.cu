/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Second of two kernels for frames in bands of rows (bands.cu): makes the table from the components of all bands.
 *
 * All time goes into steps that wait for one another, so its CTAs tell each other nothing. Each one unites the components of the whole frame
 * across the seams for itself. So it knows which components are roots, the first ones of those that belong together, and how many roots are
 * before its own bands. It adds up the sums of the roots in these, and writes their rows of the table. */
#include "cuda/cca/analyser.cuh"
#include "cuda/cca/bands.cuh"
#include "cuda/cca/table_delivery.cuh"

namespace
{

constexpr uint32_t JOIN_THREADS = 1024, JOIN_WARPS = JOIN_THREADS / 32;
constexpr uint32_t OWN_BANDS = MOST_BANDS / JOIN_CTAS; /* of a CTA */
constexpr uint32_t MOST_JOINED = CCA_MOST_JOINED;
constexpr uint32_t MOST_PAIRS = CCA_MOST_PAIRS;
constexpr uint32_t MOST_OWN = 1024; /* components of these */
/* The own bands and some of those behind are near: so many components of each are loaded early. */
constexpr uint32_t NEAR_COMPONENTS = 64;
constexpr uint32_t NEAR_BANDS = JOIN_THREADS / NEAR_COMPONENTS;
constexpr uint32_t SEAM_LANES = JOIN_THREADS / MOST_BANDS; /* that take a band's words */
static_assert (DIRECT_BANDS <= MOST_BANDS - 32 / SEAM_LANES, "the last warp has no band");
static_assert (OWN_BANDS == STRIP_BANDS, "the plan has as many CTAs as there are bands for");
static_assert (MOST_BANDS == 32 * 4 && MOST_JOINED % 32 == 0, "four bands a lane, whole words");

struct DirectShared {
  uint32_t parents[MOST_JOINED]; /* << 16 */
  union {
    uint32_t lasts[MOST_BANDS][SEAM_WORDS - 1]; /* components of the last row's runs, a byte each */
    uint32_t areas[MOST_JOINED];                /* of roots, with limits; behind the last look at LASTS */
  };
  struct {
    uint32_t area[MOST_OWN];
    uint32_t sum_x[MOST_OWN];
    uint32_t sum_y[MOST_OWN];
    uint32_t high[MOST_OWN]; /* what does not fit 32 bits of sums: of sum_x << 16 | of sum_y */
    uint32_t not_left[MOST_OWN];
    uint32_t right[MOST_OWN];
    uint32_t bottom[MOST_OWN];
    uint32_t start[MOST_OWN]; /* row << 16 | column */
  } by_own;                   /* those of roots count */
  uint32_t pairs[MOST_PAIRS]; /* components to unite, the first one << 16 */
  uint32_t pair_count;
  uint32_t marks[MOST_JOINED / 32];            /* bits: components of the result */
  alignas (16) uint32_t first[MOST_BANDS + 4]; /* of the band's components; behind the last band, of all */
  uint32_t runs;                               /* of all bands */
  bool fits;
};

/* All threads of the CTA call its functions together. */
struct Join {
  const CcaKernelArgs &f;
  const StripPlan &plan;
  DirectShared &s;
  const uint32_t t, lane, warp;
  const uint32_t own_band; /* the first one */
  const uint32_t frame;
  const uint32_t seam_band; /* whose words the thread takes */
  uint4 seam, more;         /* of these, one of the first eight, and of the next eight */
  uint32_t total;           /* components of all bands */

  __device__
  Join (const CcaKernelArgs &args, const StripPlan &strip_plan, DirectShared &shared)
      : f (args), plan (strip_plan), s (shared), t (threadIdx.x), lane (threadIdx.x % 32), warp (warp_index ()),
        own_band (blockIdx.x * OWN_BANDS), frame (frame_to_join (f)), seam_band (t / SEAM_LANES),
        seam (make_uint4 (0, 0, 0, 0))
  {
  }

  __device__ void
  clear ()
  {
    if (t == 0)
      s.pair_count = 0;
    for (uint32_t e = t; e < MOST_JOINED; e += JOIN_THREADS)
      s.parents[e] = e << 16;
    for (uint32_t i = t; i < MOST_OWN; i += JOIN_THREADS) {
      s.by_own.area[i] = s.by_own.sum_x[i] = s.by_own.sum_y[i] = s.by_own.high[i] = 0;
      s.by_own.not_left[i] = s.by_own.right[i] = s.by_own.bottom[i] = 0;
    }
  }

  __device__ uint32_t
  parent (uint32_t e) const
  {
    return ((volatile uint16_t *) s.parents)[2 * e + 1];
  }

  __device__ void
  set_parent (uint32_t e, uint32_t up)
  {
    ((volatile uint16_t *) s.parents)[2 * e + 1] = up;
  }

  /* Waits for the first words of all bands, and numbers their components. By one warp. */
  __device__ void
  number_bands ()
  {
    uint4 words[4];
    bool has_all;
#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
      words[i] = make_uint4 (0, 0, 0, 4 * lane + i < plan.bands ? ~frame : frame);
    do {
      has_all = true;
#pragma unroll
      for (uint32_t i = 0; i < 4; i++)
        if (words[i].w != frame)
          words[i] = load_16 (&f.by_row_band.outputs[4 * lane + i].seams[0]);
#pragma unroll
      for (uint32_t i = 0; i < 4; i++)
        has_all &= words[i].w == frame;
    } while (!__all_sync (~0u, has_all));
    uint32_t own[4], sum = 0, own_runs = 0, flags = 0;
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      sum += own[i] = words[i].x & 0xffff;
      own_runs += words[i].z & ~BAND_TOO_MANY;
      flags |= words[i].z;
    }
    static_assert (OWN_BANDS == 8, "two lanes");
    const uint32_t end = sum_of_lanes (sum), begin = end - sum, all_runs = total_of_lanes (own_runs),
                   of_cta = sum + __shfl_xor_sync (~0u, sum, 1);
    const bool too_many = __any_sync (~0u, of_cta > MOST_OWN || flags & BAND_TOO_MANY);
    ((uint4 *) s.first)[lane] =
        make_uint4 (begin, begin + own[0], begin + own[0] + own[1], begin + own[0] + own[1] + own[2]);
    if (lane == 31) {
      s.first[MOST_BANDS] = end;
      s.runs = all_runs;
      s.fits = !too_many && end <= MOST_JOINED;
    }
  }

  /* Waits for what a band has at its seams, and takes it. By whole warps. */
  __device__ void
  take_seams ()
  {
    const uint4 *const words = f.by_row_band.outputs[seam_band].seams;
    const uint32_t k = lane % SEAM_LANES;
    uint32_t count;
    bool has = false;
    do {
      if (!has)
        seam = seam_band < plan.bands ? load_16 (&words[k]) : make_uint4 (0, 0, 0, frame);
      count = __shfl_sync (~0u, seam.y, 0, SEAM_LANES) & 0xffff;
      has = __shfl_sync (~0u, seam.w, 0, SEAM_LANES) == frame && (k >= count || seam.w == frame);
    } while (!__all_sync (~0u, has));
    if (k > 0 && k < count)
      s.lasts[seam_band][k - 1] = seam.z;
    for (uint32_t at = SEAM_LANES + k; at < count; at += SEAM_LANES) {
      const uint4 word = wait_for_word (&words[at], frame);
      s.lasts[seam_band][at - 1] = word.z;
      if (at < 2 * SEAM_LANES)
        more = word;
    }
  }

  /* Links the components of BAND, from FIRST on, to those of the band above, from ABOVE_FIRST on, at the contacts of WORD, which are those from
   * INDEX on of CONTACTS. */
  __device__ void
  link (uint32_t band, uint32_t first, uint32_t above_first, const uint4 &word, uint32_t index, uint32_t contacts)
  {
    uint32_t above[SEAM_SHARE], own[SEAM_SHARE];
#pragma unroll
    for (uint32_t i = 0; i < SEAM_SHARE; i++) {
      const uint32_t contact = contact_of (word, i), run = contact >> 8;
      own[i] = first + (contact & 255);
      above[i] = above_first + byte_of (s.lasts[band - 1], run);
    }
#pragma unroll
    for (uint32_t i = 0; i < SEAM_SHARE; i++)
      if (index + i < contacts) {
        /* Most are still roots. Walks of the others would keep the warp waiting. */
        const uint32_t old = atomicMin (&s.parents[own[i]], above[i] << 16) >> 16;
        if (old != own[i] && old != above[i]) {
          const uint32_t at = atomicAdd (&s.pair_count, 1);
          if (at < MOST_PAIRS)
            s.pairs[at] = old << 16 | above[i];
          else
            unite_runs (*this, s.parents, old, above[i]);
        }
      }
  }

  /* Unites the components that touch across the seams, but for the pairs. */
  __device__ void
  unite ()
  {
    const uint32_t k = lane % SEAM_LANES, contacts = __shfl_sync (~0u, seam.x, 0, SEAM_LANES) >> 16,
                   count = __shfl_sync (~0u, seam.y, 0, SEAM_LANES) & 0xffff;
    if (contacts == 0)
      return;
    const uint32_t first = s.first[seam_band], above_first = s.first[seam_band - 1]; /* There is a band above. */
    if (k > 0)
      link (seam_band, first, above_first, seam, (k - 1) * SEAM_SHARE, contacts);
    for (uint32_t at = SEAM_LANES + k; at < count; at += SEAM_LANES) {
      const uint4 word = at < 2 * SEAM_LANES ? more : load_16 (&f.by_row_band.outputs[seam_band].seams[at]);
      link (seam_band, first, above_first, word, (at - 1) * SEAM_SHARE, contacts);
    }
  }

  /* Unites the pairs that are left over. */
  __device__ void
  unite_pairs ()
  {
    __syncthreads ();
    const uint32_t pairs = min (s.pair_count, MOST_PAIRS);
    if (pairs == 0)
      return;
    for (uint32_t i = t; i < pairs; i += JOIN_THREADS)
      unite_runs (*this, s.parents, root_of_run (*this, s.pairs[i] >> 16), root_of_run (*this, s.pairs[i] & 0xffff));
    __syncthreads ();
  }

  /* Adds the sums C of component E, of BAND, to those of ROOT, which is of this CTA. */
  __device__ void
  add (uint32_t e, uint32_t root, uint32_t band, const BandComponent &c)
  {
    auto &own = s.by_own;
    const uint4 &sums = c.sums, &rest = c.rest;
    const uint32_t n = root - s.first[own_band], top = band * plan.band_rows;
    if (root == e)
      own.start[n] = rest.y;
    const uint64_t sum_y = sums.z + (uint64_t) sums.x * top;
    const uint32_t low_y = (uint32_t) sum_y;
    if (plan.wide) {
      const uint32_t old_x = atomicAdd (&own.sum_x[n], sums.y), old_y = atomicAdd (&own.sum_y[n], low_y);
      const uint32_t more_x = old_x + sums.y < old_x, more_y = (uint32_t) (sum_y >> 32) + (old_y + low_y < old_y);
      if (more_x | more_y)
        atomicAdd (&own.high[n], more_x << 16 | more_y);
    } else {
      atomicAdd (&own.sum_x[n], sums.y);
      atomicAdd (&own.sum_y[n], low_y);
    }
    atomicAdd (&own.area[n], sums.x);
    atomicMax (&own.not_left[n], rest.x >> 16);
    atomicMax (&own.right[n], rest.x & 0xffff);
    atomicMax (&own.bottom[n], rest.z);
  }

  /* The band of component E. */
  __device__ uint32_t
  band_with (uint32_t e) const
  {
    uint32_t band = 0;
#pragma unroll
    for (uint32_t step = MOST_BANDS / 2; step; step /= 2)
      band += e >= s.first[band + step] ? step : 0;
    return band;
  }

  /* Adds up the areas of all components by their roots. */
  __device__ void
  add_areas ()
  {
    for (uint32_t e = t; e < total; e += JOIN_THREADS)
      s.areas[e] = 0;
    __syncthreads ();
    for (uint32_t e = t; e < total; e += JOIN_THREADS) {
      const uint32_t band = band_with (e);
      const BandOutput &output = f.by_row_band.outputs[band];
      const uint4 sums = wait_for_word (&output.components[e - s.first[band]].sums, frame);
      atomicAdd (&s.areas[root_of_run (*this, e)], sums.x);
    }
    __syncthreads ();
  }

  /* Is ROOT one of this CTA? */
  __device__ bool
  is_own (uint32_t root) const
  {
    return root - s.first[own_band] < s.first[own_band + OWN_BANDS] - s.first[own_band];
  }

  /* Of the near bands: the components that the thread adds up come first. */
  __device__ uint32_t
  near_band () const
  {
    return own_band + warp * 32 / NEAR_COMPONENTS;
  }

  __device__ uint32_t
  near_component () const
  {
    return t % NEAR_COMPONENTS;
  }

  /* Marks the components of the result, and adds up those of this CTA. LOADED: the thread's first component of the near bands, if there is one. */
  __device__ void
  sum_up (BandComponent loaded)
  {
    const bool limited = f.min_area > 1 || f.max_area;
    if (limited)
      add_areas ();
    const uint32_t band = near_band ();
    bool goes_far = false; /* A component of this CTA may go on behind the near bands. */
    if (band < plan.bands) {
      const uint32_t first = s.first[band], end = s.first[band + 1];
      bool goes_on = false;
      for (uint32_t i = near_component (), e; (e = first + i) < end; i += NEAR_COMPONENTS) {
        uint32_t up = parent (e);
#pragma unroll
        for (int step = 0; step < 3; step++) {
          up = parent (up);
          set_parent (e, up);
        }
        const uint32_t root = root_of_run (*this, e);
        if (is_own (root)) {
          goes_on = true;
          add (e, root, band,
              wait_for_component (
                  f.by_row_band.outputs[band], i, frame, i < NEAR_COMPONENTS ? loaded : BandComponent ()));
        }
      }
      goes_far = goes_on && band == own_band + NEAR_BANDS - 1;
    }
    for (uint32_t e = t; e - lane < total; e += JOIN_THREADS) {
      const bool is_root = e < total && parent (e) == e;
      const uint32_t marks = __ballot_sync (~0u, is_root && (!limited || is_area_kept (f, s.areas[e])));
      if (lane == 0)
        s.marks[e / 32] = marks;
    }
    if (!__syncthreads_or (goes_far))
      return;
    for (uint32_t e = s.first[own_band + NEAR_BANDS] + t; e < total; e += JOIN_THREADS) {
      const uint32_t root = root_of_run (*this, e);
      if (is_own (root)) {
        const uint32_t far = band_with (e);
        add (e, root, far, wait_for_component (f.by_row_band.outputs[far], e - s.first[far], frame, BandComponent ()));
      }
    }
    __syncthreads ();
  }

  /* The marks before component 32 * WORD. Each warp counts them. */
  __device__ uint32_t
  marks_before (uint32_t word) const
  {
    uint32_t marks = 0;
    for (uint32_t i = lane; i < word; i += 32)
      marks += __popc (s.marks[i]);
    return total_of_lanes (marks);
  }

  /* Writes the table rows of this CTA. EARLY: to the host, too. */
  __device__ void
  write_rows (bool early) const
  {
    const auto &own = s.by_own;
    const uint32_t begin = s.first[own_band], end = s.first[own_band + OWN_BANDS];
    for (uint32_t base = (begin / 32 + warp) * 32; base < end; base += JOIN_THREADS) {
      const uint32_t bits = s.marks[base / 32], row = marks_before (base / 32) + __popc (bits & ((1u << lane) - 1));
      const uint32_t e = base + lane, n = e - begin;
      if (e < begin || e >= end || !(bits >> lane & 1) || row >= f.table.capacity)
        continue;
      const uint32_t high = own.high[n];
      CtrComponent c;
      c.sum_x = (uint64_t) (high >> 16) << 32 | own.sum_x[n];
      c.sum_y = (uint64_t) (high & 0xffff) << 32 | own.sum_y[n];
      c.area = own.area[n];
      c.left = 65535 - own.not_left[n];
      c.top = own.start[n] >> 16;
      c.width = own.right[n] - c.left + 1;
      c.height = own.bottom[n] - c.top + 1;
      c.start_x = own.start[n] & 0xffff;
      c.value = 0;
      write_row (f, c, row, early);
    }
  }

  /* The row of the first component of the result from E on. All lanes call it. */
  __device__ uint32_t
  row_of (uint32_t e) const
  {
    return marks_before (e / 32) + (e % 32 ? __popc (s.marks[e / 32] & ((1u << e % 32) - 1)) : 0);
  }

  /* Copies the rows of this CTA to the host. */
  __device__ void
  copy_rows () const
  {
    const uint32_t begin = row_of (s.first[own_band]), end = row_of (s.first[own_band + OWN_BANDS]);
    for (uint32_t i = 2 * begin + t; i < 2 * end; i += JOIN_THREADS)
      ((uint4 *) f.host.components)[i] = ((const uint4 *) f.table.components)[i];
  }
};

__global__ void
__launch_bounds__ (JOIN_THREADS, 1) direct_join_kernel (const __grid_constant__ CcaKernelArgs f,
    const __grid_constant__ StripPlan plan, const __grid_constant__ PictureCopy copy)
{
  extern __shared__ uint4 shared[];
  DirectShared &s = *(DirectShared *) shared;
  /* The CTAs with bands have all started, and what came before them has ended. Their end would take longer to arrive than their words. */
  Join join (f, plan, s);
  join.clear ();
  ctr_let_next_start ();
  if (join.warp == JOIN_WARPS - 1)
    join.number_bands ();
  else
    join.take_seams ();
  __syncthreads ();
  join.total = s.first[MOST_BANDS];
  BandComponent loaded = {};
  const uint32_t band = join.near_band ();
  if (band < plan.bands && join.near_component () < s.first[band + 1] - s.first[band]) {
    const BandComponent &c = f.by_row_band.outputs[band].components[join.near_component ()];
    loaded.sums = load_16 (&c.sums);
    loaded.rest = load_16 (&c.rest);
  }
  const bool fits = s.fits;
  CcaHeader result = {~0u, 0, late_threshold_of (f), 0, 0, 0, fits ? 0 : TOO_MANY_FOR_DIRECT, s.runs};
  if (fits) {
    join.unite ();
    join.unite_pairs ();
    result.crowded = s.pair_count;
    join.sum_up (loaded);
    result.count = join.row_of (join.total);
    result.rows_complete = result.count <= f.table.capacity;
  }
  if (blockIdx.x == 0 && join.t == 0) {
    *f.header = *f.host.header = result;
    *f.numbers = {result.rows_complete, fits ? result.count : 0, 0};
  }
  if (fits && result.count) {
    const bool early = is_early (f, result);
    join.write_rows (early);
    if (result.rows_complete && !early && result.count <= f.host.rows) {
      __syncthreads ();
      join.copy_rows ();
    }
  }
  if (join.t == 0)
    count_frame (f, join.frame); /* All bands have read the number: their words have come. */
  set_flag (f);
  if (copy.from && !result.rows_complete)
    delivery_keep (copy);
  ctr_wait_for_previous ();
}

} // namespace

bool
cca_allow_direct_join ()
{
  return cudaFuncSetAttribute (direct_join_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof (DirectShared))
             == cudaSuccess
         && cudaFuncSetAttribute (
                direct_join_kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared)
                == cudaSuccess;
}

void
cca_launch_direct_join (const CcaKernelArgs &f, const StripPlan &plan, const PictureCopy &copy, cudaStream_t stream)
{
  ctr_launch_overlapped (
      true, direct_join_kernel, plan.ctas, JOIN_THREADS, sizeof (DirectShared), stream, f, plan, copy);
}
