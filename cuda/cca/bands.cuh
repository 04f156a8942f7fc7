/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The components of bands of rows, as one kernel (bands.cu) leaves them to the next (direct_join.cu or whole.cu).
 *
 * All is in words of 16 bytes that are stored and loaded as a whole, each with the number of its frame. So the next kernel sees from a word itself that
 * it has been written, and neither fences nor states have to pass before it. */
#ifndef CTR_CUDA_CCA_BANDS_CUH
#define CTR_CUDA_CCA_BANDS_CUH

#include "cuda/cca/run_sets.cuh"

namespace
{

constexpr uint32_t STRIP_BANDS = 8, MOST_BANDS = CTR_MOST_CLUSTER_CTAS * STRIP_BANDS;
constexpr uint32_t DIRECT_BANDS = 112; /* at most: so many leave multiprocessors to the CTAs of the direct join */
constexpr uint32_t BAND_RUNS = 2048, BAND_TOPS = 512; /* with the runs of the row above */
constexpr uint32_t BAND_COMPONENTS = 256;
constexpr uint32_t JOIN_CTAS = CTR_MOST_CLUSTER_CTAS; /* of the next kernel, at most */
constexpr uint32_t SEAM_SHARE = 4;                    /* contacts, and runs of the last row, in a word */
constexpr uint32_t SEAM_WORDS = 1 + (MOST_CONTACTS > LAST_RUNS ? MOST_CONTACTS : LAST_RUNS) / SEAM_SHARE;
static_assert (BAND_COMPONENTS <= 256 && LAST_RUNS <= 256, "a byte each");

} // namespace

/* A component of a band, in the order of first pixels. In both words w is the frame. */
struct BandComponent {
  uint4 sums; /* area, sum_x, sum_y from the band's first row on */
  uint4 rest; /* 65535 - left << 16 | right, row << 16 | column of the first pixel, bottom */
};

/* What a band has. */
struct BandOutput {
  /* The first one has the components | contacts << 16, the number of these words | runs of the last row << 16, runs | BAND_TOO_MANY, the
   * frame. Each of the others has four contacts in x and y, each the run of the last row above << 8 | the component, the components of four
   * runs of the last row, the frame. */
  alignas (128) uint4 seams[SEAM_WORDS];
  alignas (128) BandComponent components[BAND_COMPONENTS];
};
constexpr uint32_t BAND_TOO_MANY = 1u << 31; /* There is no room for the band. */

/* Waits for the WORD of a frame. */
__device__ inline uint4
wait_for_word (const uint4 *word, uint32_t frame)
{
  uint4 taken;
  do
    taken = load_16 (word);
  while (taken.w != frame);
  return taken;
}

/* Waits for component I of BAND, of which LOADED is what has been seen. */
__device__ inline BandComponent
wait_for_component (const BandOutput &band, uint32_t i, uint32_t frame, BandComponent loaded)
{
  while (loaded.sums.w != frame || loaded.rest.w != frame) {
    loaded.sums = load_16 (&band.components[i].sums);
    loaded.rest = load_16 (&band.components[i].rest);
  }
  return loaded;
}

/* Which run of the last row above a component touches, and the component: contact I of four. */
__device__ inline uint32_t
contact_of (const uint4 &word, uint32_t i)
{
  return (i < 2 ? word.x : word.y) >> i % 2 * 16 & 0xffff;
}

/* Byte I of WORDS. */
__device__ inline uint32_t
byte_of (const uint32_t *words, uint32_t i)
{
  return words[i / 4] >> i % 4 * 8 & 255;
}

/* The number of the frame whose bands this CTA joins. */
__device__ inline uint32_t
frame_to_join (const CcaKernelArgs &f)
{
  return ((const volatile uint32_t *) f.by_join_cta.frames)[blockIdx.x] + 1;
}

/* One thread says so at the end of FRAME, also for CTAs that are not there. */
__device__ inline void
count_frame (const CcaKernelArgs &f, uint32_t frame)
{
  for (uint32_t cta = blockIdx.x; cta < JOIN_CTAS; cta += gridDim.x)
    f.by_join_cta.frames[cta] = frame;
}

#endif
