/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The components of a strip from those of its bands, which another kernel finds (bands.cu). They take the place of runs. */
#ifndef CTR_CUDA_CCA_STRIP_BANDS_CUH
#define CTR_CUDA_CCA_STRIP_BANDS_CUH

#include "cuda/cca/bands.cuh"
#include "cuda/cca/strips.cuh"

namespace
{

/* Shared memory of a CTA. */
struct JoinShared {
  StripShared<STRIP_TOPS> strip;
  struct {
    uint32_t first[STRIP_BANDS], first_contact[STRIP_BANDS], first_word[STRIP_BANDS], last_count[STRIP_BANDS];
    uint32_t last[STRIP_BANDS][SEAM_WORDS - 1];  /* components of the last row's runs, a byte each */
    uint2 contacts[STRIP_BANDS][SEAM_WORDS - 1]; /* four each, as in the words */
  } by_band;
  uint32_t components, contacts, words, runs;
  bool too_many;
};

typedef Strip<STRIP_TOPS> JoinStrip;

/* Waits for the first words of the strip's bands, and learns what they have. */
__device__ inline void
take_counts (const JoinStrip &strip, JoinShared &s, uint32_t bands, uint32_t frame)
{
  const uint32_t lane = strip.lane;
  uint4 word = make_uint4 (0, 1, 0, frame);
  if (lane < bands)
    word = wait_for_word (&strip.f.by_row_band.outputs[strip.cta * STRIP_BANDS + lane].seams[0], frame);
  __syncwarp ();
  const bool too_many = __any_sync (~0u, (word.z & BAND_TOO_MANY) != 0);
  const uint32_t components = word.x & 0xffff, contacts = word.x >> 16, words = (word.y & 0xffff) - 1;
  const uint32_t end = sum_of_lanes (components), contacts_end = sum_of_lanes (contacts),
                 words_end = sum_of_lanes (words), runs = total_of_lanes (word.z & ~BAND_TOO_MANY);
  if (lane < STRIP_BANDS) {
    s.by_band.first[lane] = end - components;
    s.by_band.first_contact[lane] = contacts_end - contacts;
    s.by_band.first_word[lane] = words_end - words;
    s.by_band.last_count[lane] = word.y >> 16;
  }
  if (lane == 31) {
    s.components = end;
    s.contacts = contacts_end;
    s.words = words_end;
    s.runs = runs;
    s.too_many = too_many || end > STRIP_TOPS;
  }
}

/* The band of element I, where FIRST has the first one of each band. */
__device__ inline uint32_t
band_of (const uint32_t *first, uint32_t i)
{
  uint32_t band = 0;
#pragma unroll
  for (uint32_t b = 1; b < STRIP_BANDS; b++)
    band += i >= first[b];
  return band;
}

/* Takes the components of the strip's bands, and unites those that touch one another. Returns whether there is room. */
__device__ inline bool
take_bands (JoinStrip &strip, JoinShared &s, const StripPlan &plan, uint32_t frame)
{
  constexpr uint32_t share = STRIP_TOPS / STRIP_THREADS, contact_share = STRIP_BANDS * MOST_CONTACTS / STRIP_THREADS;
  static_assert (STRIP_BANDS * (SEAM_WORDS - 1) <= STRIP_THREADS, "a word a thread");
  const uint32_t t = strip.t, bands = ctr_div_up (strip.rows, plan.band_rows);
  auto &sets = s.strip;
  auto &tops = sets.by_top;
  if (strip.warp == 0)
    take_counts (strip, s, bands, frame);
  __syncthreads ();
  strip.run_count = s.components;
  strip.all_runs = s.runs;
  if (s.too_many)
    return false;
  const BandOutput *const outputs = strip.f.by_row_band.outputs + strip.cta * STRIP_BANDS;
  BandComponent components[share] = {};
  uint32_t bands_of[share];
#pragma unroll
  for (uint32_t k = 0; k < share; k++) {
    const uint32_t i = k * STRIP_THREADS + t;
    if (i < s.components) {
      const uint32_t band = bands_of[k] = band_of (s.by_band.first, i);
      const BandComponent &from = outputs[band].components[i - s.by_band.first[band]];
      components[k].sums = load_16 (&from.sums);
      components[k].rest = load_16 (&from.rest);
    }
  }
  if (t < s.words) {
    const uint32_t band = band_of (s.by_band.first_word, t), k = t - s.by_band.first_word[band];
    const uint4 word = wait_for_word (&outputs[band].seams[1 + k], frame);
    s.by_band.contacts[band][k] = make_uint2 (word.x, word.y);
    s.by_band.last[band][k] = word.z;
  }
#pragma unroll
  for (uint32_t k = 0; k < share; k++) {
    const uint32_t i = k * STRIP_THREADS + t;
    if (i >= s.components)
      break;
    const uint32_t band = bands_of[k];
    const BandComponent c = wait_for_component (outputs[band], i - s.by_band.first[band], frame, components[k]);
    sets.by_run.start[i] = c.rest.y + ((1 - strip.top) << 16);
    sets.by_run.entry[i] = i << 16 | i;
    tops.first[i] = i;
    tops.area[i] = c.sums.x;
    tops.sum_x[i] = c.sums.y;
    tops.sum_y[i] = c.sums.z + c.sums.x * band * plan.band_rows;
    tops.not_left[i] = c.rest.x >> 16;
    tops.right[i] = c.rest.x & 0xffff;
    tops.bottom[i] = c.rest.z;
  }
  __syncthreads ();
#pragma unroll
  for (uint32_t k = 0; k < contact_share; k++) {
    const uint32_t i = k * STRIP_THREADS + t;
    if (i >= s.contacts)
      break;
    const uint32_t band = band_of (s.by_band.first_contact, i), at = i - s.by_band.first_contact[band];
    const uint32_t contact = ((const uint16_t *) s.by_band.contacts[band])[at], component = contact & 255;
    if (band == 0)
      sets.by_strip.contacts[strip.cta][i] = contact >> 8 << 16 | component;
    else
      strip.unite (s.by_band.first[band - 1] + byte_of (s.by_band.last[band - 1], contact >> 8),
          s.by_band.first[band] + component);
  }
  if (t == 0) {
    sets.top_count = s.components;
    sets.contact_count = s.by_band.first_contact[1];
  }
  __syncthreads ();
  /* Of which components does some part go on in other strips? */
  auto mark_open = [&] (uint32_t component) {
    const uint32_t root = strip.root_of (component);
    atomicOr (&sets.open_tops[root / 32], 1u << root % 32);
  };
  if (strip.cta + 1 < strip.strips)
    strip.last_runs = s.by_band.last_count[bands - 1];
  for (uint32_t i = t; i < sets.contact_count; i += STRIP_THREADS)
    mark_open (sets.by_strip.contacts[strip.cta][i] & 0xffff);
  for (uint32_t i = STRIP_THREADS - 1 - t; i < strip.last_runs; i += STRIP_THREADS)
    mark_open (s.by_band.first[bands - 1] + byte_of (s.by_band.last[bands - 1], i));
  for (uint32_t i = t; i < s.components; i += STRIP_THREADS) {
    const uint32_t root = strip.root_of (i);
    if (root == i)
      continue;
    ((volatile uint16_t *) sets.by_run.entry)[2 * i] = root;
    strip.add (root, tops.area[i], tops.sum_x[i], tops.sum_y[i], tops.not_left[i], tops.right[i], tops.bottom[i]);
    tops.area[i] = 0;
  }
  __syncthreads ();
  return true;
}

} // namespace

#endif
