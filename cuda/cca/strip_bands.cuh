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
    uint32_t first[STRIP_BANDS], first_contact[STRIP_BANDS], last_count[STRIP_BANDS];
    alignas (4) uint16_t last[STRIP_BANDS][LAST_RUNS]; /* components of the last row's runs */
  } by_band;
  uint32_t components, contacts, runs;
  bool too_many;
};

typedef Strip<STRIP_TOPS> JoinStrip;

/* Waits for the bands of the strip, and learns what they have. */
__device__ inline void
take_states (const JoinStrip &strip, JoinShared &s, uint32_t bands)
{
  const uint32_t lane = strip.lane;
  unsigned long long state = 0;
  if (lane < bands) {
    unsigned long long *const from = &strip.f.by_band_of_strip.states[strip.cta * STRIP_BANDS + lane];
    state = wait_for_state (from);
    *from = 0; /* for the next frame */
  }
  __syncwarp ();
  const bool too_many = __any_sync (~0u, (state & BAND_TOO_MANY) != 0);
  const uint32_t components = state & BAND_STATE_MASK, contacts = state >> BAND_STATE_CONTACTS & BAND_STATE_MASK;
  const uint32_t end = sum_of_lanes (components), contacts_end = sum_of_lanes (contacts),
                 runs = total_of_lanes (state >> BAND_STATE_RUNS & BAND_STATE_MASK);
  if (lane < STRIP_BANDS) {
    s.by_band.first[lane] = end - components;
    s.by_band.first_contact[lane] = contacts_end - contacts;
    s.by_band.last_count[lane] = state >> BAND_STATE_LAST & BAND_STATE_MASK;
  }
  if (lane == 31) {
    s.components = end;
    s.contacts = contacts_end;
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
take_bands (JoinStrip &strip, JoinShared &s, const StripPlan &plan)
{
  constexpr uint32_t share = STRIP_TOPS / STRIP_THREADS, contact_share = STRIP_BANDS * MOST_CONTACTS / STRIP_THREADS,
                     last_words = LAST_RUNS / 2, last_share = STRIP_BANDS * last_words / STRIP_THREADS;
  const uint32_t t = strip.t, bands = ctr_div_up (strip.rows, plan.band_rows);
  auto &sets = s.strip;
  auto &tops = sets.by_top;
  if (strip.warp == 0)
    take_states (strip, s, bands);
  __syncthreads ();
  strip.run_count = s.components;
  strip.all_runs = s.runs;
  if (s.too_many)
    return false;
  const BandOutput *const outputs = strip.f.by_band_of_strip.outputs + strip.cta * STRIP_BANDS;
  BandComponent components[share];
  uint32_t contacts[contact_share], lasts[last_share] = {};
  uint32_t bands_of[share], contact_bands[contact_share];
#pragma unroll
  for (uint32_t k = 0; k < share; k++) {
    const uint32_t i = k * STRIP_THREADS + t;
    if (i < s.components) {
      const uint32_t band = bands_of[k] = band_of (s.by_band.first, i);
      components[k] = outputs[band].components[i - s.by_band.first[band]];
    }
  }
#pragma unroll
  for (uint32_t k = 0; k < contact_share; k++) {
    const uint32_t i = k * STRIP_THREADS + t;
    if (i < s.contacts) {
      const uint32_t band = contact_bands[k] = band_of (s.by_band.first_contact, i);
      contacts[k] = outputs[band].contacts[i - s.by_band.first_contact[band]];
    }
  }
#pragma unroll
  for (uint32_t k = 0; k < last_share; k++) {
    const uint32_t i = k * STRIP_THREADS + t, band = i / last_words;
    if (2 * (i % last_words) < s.by_band.last_count[band])
      lasts[k] = ((const uint32_t *) outputs[band].last)[i % last_words];
  }
#pragma unroll
  for (uint32_t k = 0; k < share; k++) {
    const uint32_t i = k * STRIP_THREADS + t;
    if (i >= s.components)
      break;
    const BandComponent &c = components[k];
    const uint32_t band = bands_of[k];
    sets.by_run.start[i] = c.rest.y;
    /* here: does it go on in other strips? */
    sets.by_run.end[i] = (strip.cta > 0 && band == 0 && c.rest.z & BAND_FIRST_ROW)
                         || (strip.cta + 1 < strip.strips && band == bands - 1 && c.rest.z & BAND_LAST_ROW);
    sets.by_run.entry[i] = i << 16 | i;
    tops.first[i] = i;
    tops.area[i] = c.sums.x;
    tops.sum_x[i] = c.sums.y;
    tops.sum_y[i] = c.sums.z;
    tops.not_left[i] = c.sums.w >> 16;
    tops.right[i] = c.sums.w & 0xffff;
    tops.bottom[i] = c.rest.x;
  }
#pragma unroll
  for (uint32_t k = 0; k < last_share; k++) {
    const uint32_t i = k * STRIP_THREADS + t, band = i / last_words;
    if (2 * (i % last_words) < s.by_band.last_count[band])
      ((uint32_t *) s.by_band.last[band])[i % last_words] = lasts[k];
  }
  __syncthreads ();
#pragma unroll
  for (uint32_t k = 0; k < contact_share; k++) {
    const uint32_t i = k * STRIP_THREADS + t;
    if (i >= s.contacts)
      break;
    const uint32_t band = contact_bands[k];
    if (band == 0)
      sets.by_strip.contacts[strip.cta][i] = contacts[k];
    else
      strip.unite (s.by_band.first[band - 1] + s.by_band.last[band - 1][contacts[k] >> 16],
          s.by_band.first[band] + (contacts[k] & 0xffff));
  }
  if (t == 0) {
    sets.top_count = s.components;
    sets.contact_count = s.by_band.first_contact[1];
  }
  __syncthreads ();
  for (uint32_t i = t; i < s.components; i += STRIP_THREADS) {
    const uint32_t root = strip.root_of (i);
    if (sets.by_run.end[i])
      atomicOr (&sets.open_tops[root / 32], 1u << root % 32);
    if (root == i)
      continue;
    ((volatile uint16_t *) sets.by_run.entry)[2 * i] = root;
    strip.add (root, tops.area[i], tops.sum_x[i], tops.sum_y[i], tops.not_left[i], tops.right[i], tops.bottom[i]);
    tops.area[i] = 0;
  }
  __syncthreads ();
  if (strip.cta + 1 < strip.strips)
    strip.last_runs = s.by_band.last_count[bands - 1];
  return true;
}

} // namespace

#endif
