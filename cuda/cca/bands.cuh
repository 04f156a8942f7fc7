/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The components of bands, which are parts of strips, as one kernel leaves them to the next. */
#ifndef CTR_CUDA_CCA_BANDS_CUH
#define CTR_CUDA_CCA_BANDS_CUH

#include "cuda/cca/run_sets.cuh"

namespace
{

constexpr uint32_t STRIP_BANDS = 8;
constexpr uint32_t BAND_RUNS = 2048, BAND_TOPS = 512; /* with the runs of the row above */
constexpr uint32_t BAND_COMPONENTS = 256;

} // namespace

/* A component of a band, in the order of first pixels. */
struct BandComponent {
  uint4 sums; /* area, sum_x, sum_y from the strip's first row on, 65535 - left << 16 | right */
  uint4 rest; /* bottom, row << 16 | column of the first pixel as in strips, BAND_FIRST_ROW and BAND_LAST_ROW */
};
/* The component has pixels there. */
constexpr uint32_t BAND_FIRST_ROW = 1, BAND_LAST_ROW = 2;

/* What a band has. */
struct BandOutput {
  BandComponent components[BAND_COMPONENTS];
  uint32_t contacts[MOST_CONTACTS]; /* run of the last row above << 16 | component */
  uint16_t last[LAST_RUNS];         /* components of the last row's runs */
};

/* The state of a band's output: it is complete; there is no room for it; how many components, contacts, runs of the last row and runs it
 * has. */
constexpr unsigned long long BAND_READY = 1ull << 63, BAND_TOO_MANY = 1ull << 62;
constexpr int BAND_STATE_CONTACTS = 12, BAND_STATE_LAST = 24, BAND_STATE_RUNS = 36, BAND_STATE_MASK = 0xfff;
static_assert (BAND_RUNS <= BAND_STATE_MASK, "bits of a state");

#endif
