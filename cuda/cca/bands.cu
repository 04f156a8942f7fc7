/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* First of two kernels for frames that one cluster of CTAs has enough shared memory for, but would take too long to load: a CTA for each band of
 * rows thresholds it and finds its components, and the second one joins these (direct_join.cu or whole.cu). */
#include "cuda/cca/analyser.cuh"
#include "cuda/cca/bands.cuh"

namespace
{

constexpr uint32_t MOST_WORDS = 5;          /* of a thread */
constexpr uint32_t MOST_STRIP_RUNS = 10000; /* on average; tiles take frames with more */

template <int K> struct BandShared {
  RunSetsShared<BAND_RUNS, BAND_TOPS> sets;
  StripWordsShared<K> words;
  uint32_t contacts[MOST_CONTACTS];
};

/* Writes the band's components, in the order of marks, and what it has at its seams. */
template <typename Sets>
__device__ inline void
write_band (Sets &sets, uint32_t band_top, const uint32_t *band_contacts, uint32_t components, uint32_t frame,
    BandOutput &output)
{
  const auto &tops = sets.s.by_top;
  const uint32_t t = threadIdx.x;
  for (uint32_t n = t; n < sets.s.top_count; n += STRIP_THREADS) {
    const uint32_t area = tops.area[n], first = tops.first[n];
    if (!area)
      continue;
    BandComponent &c = output.components[sets.marks_before (first)];
    const uint32_t start = sets.s.by_run.start[first] + ((band_top - 1) << 16);
    store_16 (&c.sums, make_uint4 (area, tops.sum_x[n], tops.sum_y[n], frame));
    store_16 (&c.rest, make_uint4 (tops.not_left[n] << 16 | tops.right[n], start, tops.bottom[n], frame));
  }
  const uint32_t contacts = sets.s.contact_count, last = min (sets.run_count - sets.last_row, LAST_RUNS);
  const uint32_t words = 1 + (max (contacts, last) + SEAM_SHARE - 1) / SEAM_SHARE;
  auto component_of = [&] (uint32_t run) { return sets.marks_before (tops.first[sets.top_of (run)]); };
  for (uint32_t k = STRIP_THREADS - 1 - t; k < words; k += STRIP_THREADS) {
    uint4 word = make_uint4 (components | contacts << 16, words | last << 16, sets.run_count - sets.first_run, frame);
    if (k) {
      uint32_t at[SEAM_SHARE], below = 0;
#pragma unroll
      for (uint32_t i = 0; i < SEAM_SHARE; i++) {
        const uint32_t index = (k - 1) * SEAM_SHARE + i;
        const uint32_t contact = index < contacts ? band_contacts[index] : 0;
        at[i] = index < contacts ? contact >> 16 << 8 | component_of (contact & 0xffff) : 0;
        below |= index < last ? component_of (sets.last_row + index) << 8 * i : 0;
      }
      word = make_uint4 (at[1] << 16 | at[0], at[3] << 16 | at[2], below, frame);
    }
    store_16 (&output.seams[k], word);
  }
}

template <int CONNECTIVITY, int K>
__global__ void
__launch_bounds__ (STRIP_THREADS, 2)
    band_kernel (const __grid_constant__ CcaKernelArgs f, const __grid_constant__ StripPlan plan)
{
  extern __shared__ uint4 shared[];
  BandShared<K> &s = *(BandShared<K> *) shared;
  const uint32_t above_band = blockIdx.x % STRIP_BANDS * plan.band_rows, t = threadIdx.x;
  const uint32_t strip_top = blockIdx.x / STRIP_BANDS * plan.rows, strip_rows = min (plan.rows, f.height - strip_top);
  const uint32_t band_top = strip_top + above_band;
  RunSets<BAND_RUNS, BAND_TOPS> sets (s.sets);
  sets.clear ();
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (above_band >= strip_rows)
    return;
  const uint32_t frame = *(const volatile uint32_t *) f.by_join_cta.frames + 1;
  StripWords<CONNECTIVITY, K> words (f, plan, band_top, min (plan.band_rows, strip_rows - above_band), s.words);
  words.load (f.threshold_device ? *f.threshold_device : f.threshold);
  __syncthreads ();
  BandOutput &output = f.by_row_band.outputs[blockIdx.x];
  bool fits = words.number_runs (s.sets.by_run.start, s.sets.by_run.end, BAND_RUNS);
  if (fits) {
    sets.run_count = words.run_count;
    fits = !__syncthreads_or (!sets.link_all (words, s.contacts));
  }
  if (fits) {
    sets.join ();
    __syncthreads ();
    sets.sum_up (words.top, [&] (uint32_t run, uint32_t, uint32_t, bool is_first) {
      if (is_first)
        sets.mark (run);
    });
    __syncthreads ();
    sets.scan_marks ();
    const uint32_t components = sets.marks_before (BAND_RUNS - 1) + sets.is_marked (BAND_RUNS - 1);
    fits = components <= BAND_COMPONENTS;
    if (fits)
      write_band (sets, band_top, s.contacts, components, frame, output);
  }
  if (!fits && t == 0)
    store_16 (&output.seams[0], make_uint4 (0, 1, BAND_TOO_MANY, frame));
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
      /* The CTAs that join them start beside these if a multiprocessor is set up for as much shared memory. */
      if (cudaFuncSetAttribute (kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_of (words)) != cudaSuccess
          || cudaFuncSetAttribute (
                 kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared)
                 != cudaSuccess)
        return false;
    }
  return true;
}

size_t
cca_lay_out_bands (CcaKernelArgs *f, uint8_t *base)
{
  ArenaLayout c = {base, 0};
  f->by_join_cta.frames = c.take<uint32_t> (JOIN_CTAS);
  /* As many for each frame: which way bands are joined does not change their memory. */
  f->by_row_band.outputs = c.take<BandOutput> (MOST_BANDS);
  return c.used;
}

bool
cca_plan_bands (uint32_t height, bool direct, StripPlan *plan)
{
  const auto words_with = [&] (uint32_t rows) { return ctr_div_up ((rows + 1) * plan->columns, STRIP_THREADS); };
  const uint32_t rows = ctr_div_up (height, DIRECT_BANDS);
  plan->band_rows = ctr_div_up (plan->rows, STRIP_BANDS);
  plan->bands = plan->strips * STRIP_BANDS;
  plan->direct = direct && words_with (rows) <= MOST_WORDS;
  plan->most_runs = plan->strips * MOST_STRIP_RUNS;
  if (plan->direct) { /* All bands but the last one have as many rows. */
    plan->band_rows = rows;
    plan->rows = STRIP_BANDS * rows;
    plan->bands = ctr_div_up (height, rows);
    plan->ctas = ctr_div_up (plan->bands, STRIP_BANDS);
  }
  const uint32_t least = words_with (plan->band_rows);
  plan->words = least > 3 ? MOST_WORDS : least > 2 ? 3 : 2;
  return least <= MOST_WORDS;
}

void
cca_launch_bands (const CcaKernelArgs &f, const StripPlan &plan, int connectivity, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (overlap, kernel_of (connectivity, plan.words), plan.bands, STRIP_THREADS,
      shared_of (plan.words), stream, f, plan);
}
