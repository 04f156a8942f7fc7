/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All of the component analysis of a small frame in one kernel, by one cluster of CTAs, each with a strip of whole rows. In such a frame
 * all time goes into steps that wait for one another. So a CTA first does alone all that it can (strips.cuh), then tells all others of its
 * open components, in one step, and each of them unites those of the whole frame in its own shared memory. Strips follow one
 * another in raster order, so the rows of the table do, too. So few multiprocessors would take too long to load a larger frame: there
 * another kernel finds the components of bands first (bands.cu). */
#include "cuda/cca/analyser.cuh"
#include "cuda/cca/table_delivery.cuh"
#include "cuda/cca/strip_bands.cuh"

namespace
{

/* Strips of more words begin with the components of bands. Emulated tests have another number. */
#ifndef CTR_CCA_WHOLE_WORDS
#define CTR_CCA_WHOLE_WORDS 2048
#endif
constexpr uint32_t WHOLE_WORDS = CTR_CCA_WHOLE_WORDS;
constexpr uint32_t WHOLE_RUNS = 4096; /* of a strip */

template <int K> struct WholeShared {
  StripShared<WHOLE_RUNS> strip;
  StripWordsShared<K> words;
};

/* Tells all other CTAs of the strip. OPEN: its open components. */
template <typename Strip>
__device__ inline void
publish (const Strip &strip, uint32_t open)
{
  auto &s = strip.s;
  const uint32_t own = strip.cta * STRIP_OPENS, contacts = min (s.contact_count, MOST_CONTACTS);
  const uint32_t last_runs = s.too_many ? 0 : strip.last_runs;
  for (uint32_t to = strip.warp; to < strip.ctas; to += STRIP_WARPS) {
    auto *const by_strip = cluster_shared (&s.by_strip, to);
    if (strip.lane == 0)
      by_strip->info[strip.cta] = {s.closed_count, open, contacts, strip.all_runs << 1 | s.too_many};
    if (to == strip.cta)
      continue;
    for (uint32_t i = strip.lane; i < contacts; i += 32)
      by_strip->contacts[strip.cta][i] = s.by_strip.contacts[strip.cta][i];
    for (uint32_t i = strip.lane; 2 * i < last_runs; i += 32)
      ((uint32_t *) by_strip->last_names[strip.cta])[i] = ((uint32_t *) s.by_strip.last_names[strip.cta])[i];
    auto *const by_name = cluster_shared (&s.by_name, to);
    for (uint32_t i = own + strip.lane; i < own + open; i += 32) {
      by_name->sums[i] = s.by_name.sums[i];
      by_name->bottom[i] = s.by_name.bottom[i];
      by_name->parents[i] = s.by_name.parents[i];
    }
  }
}

/* Halves the path: other threads that walk there find any ancestor. */
template <typename Shared>
__device__ inline NameKey
root_of (Shared &s, NameKey key)
{
  volatile NameKey *const parents = s.by_name.parents;
  NameKey up = parents[name_of (key)];
  for (NameKey next; (next = parents[name_of (up)]) != up; up = parents[name_of (key)]) {
    parents[name_of (key)] = next;
    key = next;
  }
  return up;
}

template <typename Shared>
__device__ inline void
unite_names (Shared &s, uint32_t name_a, uint32_t name_b)
{
  volatile NameKey *const parents = s.by_name.parents;
  NameKey a = parents[name_a], b = parents[name_b];
  for (;;) {
    for (NameKey moves = 1; moves;) {
      const NameKey up_a = parents[name_of (a)], up_b = parents[name_of (b)];
      moves = (up_a ^ a) | (up_b ^ b);
      a = up_a;
      b = up_b;
    }
    if (a == b)
      return;
    const NameKey high = max (a, b), low = min (a, b), old = atomicMin (&s.by_name.parents[name_of (high)], low);
    if (old == high)
      return;
    a = old;
    b = low;
  }
}

/* Unites the components of all strips that touch across the seams, each seam by a warp. */
template <typename Strip>
__device__ inline void
unite_strips (const Strip &strip)
{
  auto &by_strip = strip.s.by_strip;
  for (uint32_t below = strip.warp + 1; below < strip.strips; below += STRIP_WARPS)
    for (uint32_t i = strip.lane; i < by_strip.info[below].contacts; i += 32) {
      const uint32_t contact = by_strip.contacts[below][i];
      unite_names (strip.s, by_strip.last_names[below - 1][contact >> 16], contact & 0xffff);
    }
}

/* Calls WORK (strip, name, whether it is a component) for all open components, each strip by a warp. */
template <typename Strip, typename Work>
__device__ inline void
for_all_names (const Strip &strip, const Work &work)
{
  for (uint32_t from = strip.warp; from < strip.strips; from += STRIP_WARPS) {
    const uint32_t open = strip.s.by_strip.info[from].open;
    for (uint32_t i = strip.lane; i - strip.lane < open; i += 32)
      work (from, from * STRIP_OPENS + i, i < open);
  }
}

/* Adds the sums of open components to their roots in this strip, counts the roots of each strip and marks the first pixels of those of this one. */
template <typename Strip>
__device__ inline void
sum_strips (Strip &strip, bool limited)
{
  auto &s = strip.s;
  auto count_root = [&] (uint32_t from, uint32_t name, bool is_root) {
    const uint32_t roots = __popc (__ballot_sync (~0u, is_root));
    if (strip.lane == 0)
      s.by_strip.roots[from] += roots;
    if (is_root && from == strip.cta)
      strip.mark (s.by_top.first[s.top_of_open[name % STRIP_OPENS]]);
  };
  for_all_names (strip, [&] (uint32_t from, uint32_t name, bool has) {
    bool is_root = false;
    if (has) {
      const NameKey root = root_of (s, *(volatile NameKey *) &s.by_name.parents[name]);
      const uint32_t root_name = name_of (root);
      is_root = root_name == name;
      const bool is_own = root >> KEY_CTA == strip.cta;
      if (!is_root && (is_own || limited)) {
        const uint4 sums = s.by_name.sums[name];
        if (is_own)
          strip.add_other (s.top_of_open[root_name % STRIP_OPENS], from, sums, s.by_name.bottom[name]);
        if (limited)
          atomicAdd (&s.by_name.sums[root_name].x, sums.x);
      }
    }
    if (!limited)
      count_root (from, name, is_root);
  });
  __syncthreads ();
  if (!limited)
    return;
  for_all_names (strip, [&] (uint32_t from, uint32_t name, bool has) {
    count_root (
        from, name, has && name_of (s.by_name.parents[name]) == name && is_area_kept (strip.f, s.by_name.sums[name].x));
  });
  __syncthreads ();
}

/* Writes the table row of top N, if it is a component of the result. FIRST_ROW: of the strip. EARLY: to the host, too. */
template <typename Strip>
__device__ inline void
write_row_of (const Strip &strip, uint32_t n, uint32_t first_row, bool early)
{
  const auto &s = strip.s;
  const CcaKernelArgs &f = strip.f;
  const uint32_t area = s.by_top.area[n];
  if (!area)
    return;
  const uint32_t run = s.by_top.first[n], row = first_row + strip.marks_before (run);
  if (!strip.is_marked (run) || row >= f.table.capacity)
    return;
  const uint32_t start = s.by_run.start[run], high = strip.wide ? s.high[n] : 0;
  CtrComponent c;
  c.sum_x = (uint64_t) (high >> 16) << 32 | s.by_top.sum_x[n];
  c.sum_y = ((uint64_t) (high & 0xffff) << 32 | s.by_top.sum_y[n]) + (uint64_t) area * strip.top;
  c.area = area;
  c.left = 65535 - s.by_top.not_left[n];
  c.top = strip.top + (start >> 16) - 1;
  c.width = s.by_top.right[n] - c.left + 1;
  c.height = s.by_top.bottom[n] - c.top + 1;
  c.start_x = start & 0xffff;
  c.value = 0;
  write_row (f, c, row, early);
}

/* What follows the sums of the strip's components. FITS: there is room for all of them. RUN_OF (index): a run of the last row. */
template <uint32_t RUNS, typename RunOf>
__device__ inline void
analyse_strip (Strip<RUNS> &strip, const PictureCopy &copy, uint32_t threshold, bool fits, const RunOf &run_of)
{
  const CcaKernelArgs &f = strip.f;
  auto &s = strip.s;
  const uint32_t t = strip.t, lane = strip.lane;
  uint32_t open = 0;
  if (fits) {
    const uint32_t bits = s.open_tops[lane], opens = __popc (bits), before = sum_of_lanes (opens) - opens;
    open = __shfl_sync (~0u, before + opens, 31);
    strip.name_seams (bits, before, run_of);
    strip.list_components (bits, before);
  }
  if (t == 0 && (!fits || open > STRIP_OPENS))
    s.too_many = 1;
  __syncthreads ();
  cluster_wait (); /* All CTAs have started. */
  publish (strip, min (open, STRIP_OPENS));
  cluster_barrier ();

  const StripInfo info = lane < strip.ctas ? s.by_strip.info[lane] : StripInfo ();
  const bool too_many = __any_sync (~0u, info.runs & 1);
  CcaHeader result = {
      too_many ? ~0u : 0, 0, threshold, 0, 0, 0, too_many ? TOO_MANY_FOR_WHOLE : 0, total_of_lanes (info.runs >> 1)};
  uint32_t components = 0; /* of strip LANE */
  if (!too_many) {
    unite_strips (strip);
    __syncthreads ();
    sum_strips (strip, f.min_area > 1 || f.max_area);
    components = lane < STRIP_CTAS ? info.closed + s.by_strip.roots[lane] : 0;
    result.count = total_of_lanes (components);
    result.rows_complete = result.count <= f.table.capacity;
  }
  if (strip.cta == 0 && t == 0) {
    *f.header = *f.host.header = result;
    *f.numbers = {result.rows_complete, too_many ? 0 : result.count, 0};
  }
  if (result.count && !too_many) {
    const bool early = is_early (f, result);
    strip.scan_marks ();
    const uint32_t first_row = total_of_lanes (lane < strip.cta ? components : 0);
    for (uint32_t n = t; n < s.top_count; n += STRIP_THREADS)
      write_row_of (strip, n, first_row, early);
    if (result.rows_complete && !early && result.count <= f.host.rows) {
      cluster_barrier ();
      copy_table<STRIP_THREADS> (f, result.count);
    }
  }
  set_flag (f);
  if (copy.from && !result.rows_complete)
    delivery_keep (copy);
}

/* One cluster. */
template <int CONNECTIVITY, int K>
__global__ void
__launch_bounds__ (STRIP_THREADS, 1) whole_kernel (const __grid_constant__ CcaKernelArgs f,
    const __grid_constant__ StripPlan plan, const __grid_constant__ PictureCopy copy)
{
  extern __shared__ uint4 shared[];
  WholeShared<K> &s = *(WholeShared<K> *) shared;
  Strip<WHOLE_RUNS> strip (f, plan, s.strip);
  StripWords<CONNECTIVITY, K> words (f, plan, strip.top, strip.rows, s.words);
  cluster_arrive ();
  strip.clear ();
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t threshold = f.threshold_device ? *f.threshold_device : f.threshold;
  words.load (threshold);
  __syncthreads ();
  bool fits = words.number_runs (s.strip.by_run.start, s.strip.by_run.end, WHOLE_RUNS);
  strip.run_count = strip.all_runs = words.run_count;
  if (fits)
    fits = !__syncthreads_or (!strip.link_all (words, s.strip.by_strip.contacts[strip.cta]));
  if (fits) {
    strip.last_runs = strip.cta + 1 < strip.strips ? min (strip.run_count - strip.last_row, LAST_RUNS) : 0;
    strip.join ();
    __syncthreads ();
    strip.sum_up (strip.top, [&] (uint32_t, uint32_t row, uint32_t n, bool) {
      if ((row == 1 && strip.cta > 0) || (row == strip.rows && strip.cta + 1 < strip.strips))
        atomicOr (&s.strip.open_tops[n / 32], 1u << n % 32);
    });
    __syncthreads ();
  }
  analyse_strip (strip, copy, threshold, fits, [&] (uint32_t i) { return strip.last_row + i; });
}

/* As the whole kernel, behind the one that finds the components of bands. */
__global__ void
__launch_bounds__ (STRIP_THREADS, 1) join_kernel (const __grid_constant__ CcaKernelArgs f,
    const __grid_constant__ StripPlan plan, const __grid_constant__ PictureCopy copy)
{
  extern __shared__ uint4 shared[];
  JoinShared &s = *(JoinShared *) shared;
  JoinStrip strip (f, plan, s.strip);
  cluster_arrive ();
  strip.clear ();
  ctr_let_next_start ();
  /* The CTAs with bands have all started. Their end would take longer to arrive than their words. */
  const uint32_t frame = frame_to_join (f);
  const bool fits = take_bands (strip, s, plan, frame);
  const uint32_t last_band = (max (strip.rows, 1) - 1) / plan.band_rows;
  analyse_strip (strip, copy, late_threshold_of (f), fits,
      [&] (uint32_t i) { return s.by_band.first[last_band] + byte_of (s.by_band.last[last_band], i); });
  if (strip.t == 0)
    count_frame (f, frame); /* The cluster has met behind the words of all bands, which have read it. */
  ctr_wait_for_previous ();
}

typedef void (*WholeKernel) (CcaKernelArgs, StripPlan, PictureCopy);

/* Of threads with so many words: the least sufficient number of 1, 2 and 4. */
WholeKernel
kernel_of (int connectivity, uint32_t words)
{
  if (connectivity == 8)
    return words == 1 ? whole_kernel<8, 1> : words == 2 ? whole_kernel<8, 2> : whole_kernel<8, 4>;
  return words == 1 ? whole_kernel<4, 1> : words == 2 ? whole_kernel<4, 2> : whole_kernel<4, 4>;
}

uint32_t
shared_of (uint32_t words)
{
  return words == 1 ? sizeof (WholeShared<1>) : words == 2 ? sizeof (WholeShared<2>) : sizeof (WholeShared<4>);
}

} // namespace

uint32_t
cca_whole_ctas ()
{
  constexpr size_t whole = sizeof (WholeShared<4>), joined = sizeof (JoinShared);
  constexpr int shared = whole > joined ? whole : joined;
  const WholeKernel kernels[] = {kernel_of (4, 1), kernel_of (4, 2), kernel_of (4, 4), kernel_of (8, 1),
      kernel_of (8, 2), kernel_of (8, 4), join_kernel};
  uint32_t ctas = ctr_cluster_ctas (kernels, STRIP_THREADS);
  for (const WholeKernel kernel : kernels) {
    const auto has_room = [&] {
      cudaLaunchAttribute attributes[2];
      cudaLaunchConfig_t config = ctr_cluster_config (ctas, STRIP_THREADS, NULL, attributes);
      config.dynamicSmemBytes = shared;
      int clusters = 0;
      return cudaFuncSetAttribute (kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared) == cudaSuccess
             && cudaOccupancyMaxActiveClusters (&clusters, kernel, &config) == cudaSuccess && clusters > 0;
    };
    while (ctas && !has_room ())
      ctas = ctas == CTR_MOST_CLUSTER_CTAS ? CTR_MOST_CLUSTER_CTAS / 2 : 0;
  }
  if (ctas && !(cca_allow_bands () && cca_allow_direct_join ()))
    ctas = 0;
  cudaGetLastError (); /* a GPU that does not support them is no error */
  return ctas;
}

bool
cca_plan_whole (uint32_t width, uint32_t height, uint32_t ctas, bool direct, StripPlan *plan)
{
  *plan = StripPlan ();
  if (!ctas)
    return false;
  const uint32_t columns = ctr_div_up (width, 32), rows = ctr_div_up (height, ctas), strips = ctr_div_up (height, rows);
  /* Sums of a strip fit 32 bits. */
  if ((uint64_t) width * rows * max (width, rows) > 1ull << 32)
    return false;
  while (ctas / 2 >= strips)
    ctas /= 2;
  plan->ctas = ctas;
  plan->strips = strips;
  plan->rows = rows;
  plan->columns = columns;
  plan->reciprocal = ctr_div_up (1 << STRIP_RECIPROCAL, columns);
  plan->wide = (uint64_t) width * height * max (width, height) > 1ull << 32;
  plan->words = ctr_div_up ((rows + 1) * columns, STRIP_THREADS);
  plan->most_runs = ~0u;
  plan->most_components = strips * STRIP_TOPS;
  bool fits = (rows + 1) * columns <= WHOLE_WORDS;
  if (fits) {
    plan->words = plan->words > 2 ? 4 : plan->words;
    plan->shared = shared_of (plan->words);
  } else {
    fits = cca_plan_bands (height, direct, plan);
    plan->shared = sizeof (JoinShared);
  }
  /* Then quotients are exact. Products fit 32 bits. */
  if (fits && plan->words * STRIP_THREADS * columns <= 1 << STRIP_RECIPROCAL)
    return true;
  *plan = StripPlan ();
  return false;
}

void
cca_launch_whole (const CcaKernelArgs &f, const StripPlan &plan, int connectivity, const PictureCopy &copy,
    bool overlap, cudaStream_t stream)
{
  if (plan.bands)
    cca_launch_bands (f, plan, connectivity, overlap, stream);
  if (plan.direct) {
    cca_launch_direct_join (f, plan, copy, stream);
    return;
  }
  cudaLaunchAttribute attributes[2];
  cudaLaunchConfig_t config = ctr_cluster_config (plan.ctas, STRIP_THREADS, stream, attributes);
  config.dynamicSmemBytes = plan.shared;
  ctr_launch_configured (config, plan.bands ? join_kernel : kernel_of (connectivity, plan.words), f, plan, copy);
}
