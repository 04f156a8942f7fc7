/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* First of two kernels for frames that one cluster of CTAs has enough shared memory for, but would take too long to load: a CTA for each band of
 * rows thresholds it and finds its components, and the cluster begins with these (whole.cu). */
#include "cuda/cca/analyser.cuh"
#include "cuda/cca/bands.cuh"

namespace
{

constexpr uint32_t MOST_STRIP_RUNS = 10000; /* on average; tiles take frames with more */

template <int K> struct BandShared {
  RunSetsShared<BAND_RUNS, BAND_TOPS> sets;
  StripWordsShared<K> words;
  uint32_t contacts[MOST_CONTACTS];
  uint32_t at_first_row[BAND_TOPS / 32], at_last_row[BAND_TOPS / 32]; /* bits: tops */
};

template <int CONNECTIVITY, int K>
__global__ void
__launch_bounds__ (STRIP_THREADS, 2)
    band_kernel (const __grid_constant__ CcaKernelArgs f, const __grid_constant__ StripPlan plan)
{
  extern __shared__ uint4 shared[];
  BandShared<K> &s = *(BandShared<K> *) shared;
  const uint32_t above_band = blockIdx.x % STRIP_BANDS * plan.band_rows, t = threadIdx.x;
  const uint32_t strip_top = blockIdx.x / STRIP_BANDS * plan.rows, strip_rows = min (plan.rows, f.height - strip_top);
  RunSets<BAND_RUNS, BAND_TOPS> sets (s.sets);
  sets.clear ();
  if (t < BAND_TOPS / 32)
    s.at_first_row[t] = s.at_last_row[t] = 0;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (above_band >= strip_rows)
    return;
  StripWords<CONNECTIVITY, K> words (
      f, plan, strip_top + above_band, min (plan.band_rows, strip_rows - above_band), s.words);
  words.load (f.threshold_device ? *f.threshold_device : f.threshold);
  __syncthreads ();
  const auto &runs = s.sets.by_run;
  const auto &tops = s.sets.by_top;
  unsigned long long state = BAND_READY | BAND_TOO_MANY;
  bool fits = words.number_runs (s.sets.by_run.start, s.sets.by_run.end, BAND_RUNS);
  if (fits) {
    sets.run_count = words.run_count;
    fits = !__syncthreads_or (!sets.link_all (words, s.contacts));
  }
  if (fits) {
    sets.join ();
    __syncthreads ();
    sets.sum_up (words.top, [&] (uint32_t run, uint32_t row, uint32_t n, bool is_first) {
      if (is_first)
        sets.mark (run);
      if (row == 1)
        atomicOr (&s.at_first_row[n / 32], 1u << n % 32);
      if (row == words.rows)
        atomicOr (&s.at_last_row[n / 32], 1u << n % 32);
    });
    __syncthreads ();
    sets.scan_marks ();
    const uint32_t components = sets.marks_before (BAND_RUNS - 1) + sets.is_marked (BAND_RUNS - 1);
    if (components <= BAND_COMPONENTS) {
      BandOutput &output = f.by_band_of_strip.outputs[blockIdx.x];
      auto component_of = [&] (uint32_t run) { return sets.marks_before (tops.first[sets.top_of (run)]); };
      for (uint32_t n = t; n < s.sets.top_count; n += STRIP_THREADS) {
        const uint32_t area = tops.area[n], first = tops.first[n];
        if (!area)
          continue;
        BandComponent &c = output.components[sets.marks_before (first)];
        c.sums =
            make_uint4 (area, tops.sum_x[n], tops.sum_y[n] + area * above_band, tops.not_left[n] << 16 | tops.right[n]);
        c.rest = make_uint4 (tops.bottom[n], runs.start[first] + (above_band << 16),
            (s.at_first_row[n / 32] >> n % 32 & 1) * BAND_FIRST_ROW
                | (s.at_last_row[n / 32] >> n % 32 & 1) * BAND_LAST_ROW,
            0);
      }
      const uint32_t contacts = s.sets.contact_count, last = min (sets.run_count - sets.last_row, LAST_RUNS);
      for (uint32_t i = t; i < contacts; i += STRIP_THREADS)
        output.contacts[i] = (s.contacts[i] & 0xffff0000) | component_of (s.contacts[i] & 0xffff);
      for (uint32_t i = STRIP_THREADS - 1 - t; i < last; i += STRIP_THREADS)
        output.last[i] = component_of (sets.last_row + i);
      state = BAND_READY | (unsigned long long) (sets.run_count - sets.first_run) << BAND_STATE_RUNS
              | (unsigned long long) last << BAND_STATE_LAST | contacts << BAND_STATE_CONTACTS | components;
    }
  }
  __syncthreads ();
  if (t == 0)
    store_state (&f.by_band_of_strip.states[blockIdx.x], state);
}

typedef void (*BandKernel) (CcaKernelArgs, StripPlan);

/* Of threads with so many words: the least sufficient number of 2, 3 and 5. */
BandKernel
kernel_of (int connectivity, uint32_t words)
{
  if (connectivity == 8)
    return words == 2 ? band_kernel<8, 2> : words == 3 ? band_kernel<8, 3> : band_kernel<8, 5>;
  return words == 2 ? band_kernel<4, 2> : words == 3 ? band_kernel<4, 3> : band_kernel<4, 5>;
}

uint32_t
shared_of (uint32_t words)
{
  return words == 2 ? sizeof (BandShared<2>) : words == 3 ? sizeof (BandShared<3>) : sizeof (BandShared<5>);
}

} // namespace

bool
cca_allow_bands ()
{
  for (int connectivity = 4; connectivity <= 8; connectivity += 4)
    for (const uint32_t words : {2, 3, 5}) {
      const BandKernel kernel = kernel_of (connectivity, words);
      /* The CTAs of the cluster start beside these if a multiprocessor is set up for as much shared memory. */
      if (cudaFuncSetAttribute (kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_of (words)) != cudaSuccess
          || cudaFuncSetAttribute (
                 kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared)
                 != cudaSuccess)
        return false;
    }
  return true;
}

size_t
cca_lay_out_bands (CcaKernelArgs *f, uint32_t bands, uint8_t *base)
{
  ArenaLayout c = {base, 0};
  /* As many for each frame: the states are 0 before a frame with other bands, too. */
  f->by_band_of_strip.states = c.take<unsigned long long> (CTR_MOST_CLUSTER_CTAS * STRIP_BANDS);
  f->by_band_of_strip.outputs = c.take<BandOutput> (bands);
  return c.used;
}

bool
cca_plan_bands (StripPlan *plan)
{
  const uint32_t rows = ctr_div_up (plan->rows, STRIP_BANDS),
                 least = ctr_div_up ((rows + 1) * plan->columns, STRIP_THREADS);
  plan->bands = plan->strips * STRIP_BANDS;
  plan->band_rows = rows;
  plan->most_runs = plan->strips * MOST_STRIP_RUNS;
  plan->words = least > 3 ? 5 : least > 2 ? 3 : 2;
  return least <= 5;
}

void
cca_launch_bands (const CcaKernelArgs &f, const StripPlan &plan, int connectivity, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (overlap, kernel_of (connectivity, plan.words), plan.bands, STRIP_THREADS,
      shared_of (plan.words), stream, f, plan);
}
