/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The survey kernel of Canny: blurs 8-bit samples into a plane and finds the greatest |dx| + |dy| of aperture 3. */
#include "cuda/canny/greatest.cuh"
#include "cuda/canny/greatest_rows.cuh"

namespace
{

/* Rows of blurred samples of a tile, of which one is above the rows that it writes and one below. */
constexpr int SURVEY_ROWS = 48;
constexpr int SURVEY_MARGIN = 1;

template <int STEPS> struct SurveyLayout {
  typedef SourceTile<STEPS, SURVEY_ROWS> Source;
  static constexpr int ROWS = SURVEY_ROWS - 2 * SURVEY_MARGIN;
  static constexpr int BYTES = Source::BYTES + SURVEY_ROWS * BLURRED_STRIDE;
};

/* Writes the tile's blurred samples that are inside the image; the plane's rows have room for whole tiles. */
template <int ROWS>
__device__ inline void
write_blurred (const CannyPlane &plane, const uint8_t *from, int tile_x, int tile_y)
{
  constexpr int words = CANNY_W / 4;
  for (int i = threadIdx.x; i < ROWS * words; i += CANNY_THREADS) {
    const int row = i / words, column = i % words * 4;
    if (tile_y + row < (int) plane.height)
      *(uint32_t *) (plane.data + (size_t) (tile_y + row) * plane.stride + tile_x + column) =
          *(const uint32_t *) (from + row * BLURRED_STRIDE + column);
  }
}

template <int STEPS>
__global__ void
__launch_bounds__ (CANNY_THREADS, STEPS <= 1 ? 3 : 1)
    survey_kernel (const __grid_constant__ CannyKernelArgs f, CannyPlane plane, CannyRelative relative)
{
  typedef SurveyLayout<STEPS> Layout;
  typedef typename Layout::Source Source;
  extern __shared__ __align__ (16) uint8_t memory[];
  __shared__ uint32_t weights[WEIGHT_WORDS<STEPS>];
  const uint32_t tiles_x = ctr_div_up (f.width, CANNY_W), tx = blockIdx.x % tiles_x, ty = blockIdx.x / tiles_x;
  const int tile_x = tx * CANNY_W, tile_y = ty * Layout::ROWS;
  uint8_t *source = memory, *blurred = memory + Source::BYTES;
  ctr_let_next_start ();
  if (STEPS > 0)
    tabulate_weights<STEPS> (load_weights<STEPS> (f), weights);
  load_grey<STEPS == 0, Source::STRIDE, Source::ROWS> (
      f, tile_x - Source::LEFT, tile_y - SURVEY_MARGIN - Source::REACH, {0, Source::ROWS}, source);
  finish_grey<STEPS == 0, STEPS == 0 ? BLURRED_LEFT : Source::REACH, Source::STRIDE, Source::ROWS> (
      f, tile_x - Source::LEFT, source);
  __syncthreads ();
  if constexpr (STEPS > 0) {
    blur<STEPS, SURVEY_ROWS> (weights, source, blurred);
    __syncthreads ();
    if (tx == 0 || ty == 0 || tile_x + CANNY_W + BLURRED_LEFT > (int) f.width
        || tile_y + Layout::ROWS + SURVEY_MARGIN > (int) f.height) {
      replicate_image_border<SURVEY_ROWS> (f, tile_x - BLURRED_LEFT, tile_y - SURVEY_MARGIN, blurred);
      __syncthreads ();
    }
  } else {
    copy_unblurred<SURVEY_ROWS> (source, blurred);
    __syncthreads ();
  }
  if (plane.data)
    write_blurred<Layout::ROWS> (plane, blurred + SURVEY_MARGIN * BLURRED_STRIDE + BLURRED_LEFT, tile_x, tile_y);
  if (!relative.state)
    return;
  constexpr int warps = CANNY_THREADS / 32, share = (Layout::ROWS + warps - 1) / warps;
  const int first = threadIdx.x / 32 * share, end = min (first + share, Layout::ROWS);
  const uint32_t greatest =
      first < end ? greatest_of_rows (f, blurred + first * BLURRED_STRIDE, tile_x, tile_y, first, end) : 0;
  add_greatest (relative, greatest);
}

template <int STEPS>
void
launch (const CannyKernelArgs &f, const CannyPlane &plane, const CannyRelative &relative, cudaStream_t stream)
{
  typedef SurveyLayout<STEPS> Layout;
  ctr_launch (survey_kernel<STEPS>, ctr_div_up (f.width, CANNY_W) * ctr_div_up (f.height, Layout::ROWS), CANNY_THREADS,
      Layout::BYTES, stream, f, plane, relative);
}

template <int STEPS>
bool
fits (size_t most_shared)
{
  return SurveyLayout<STEPS>::BYTES <= most_shared;
}

template <int STEPS>
cudaError_t
prepare (size_t most_shared)
{
  if (!fits<STEPS> (most_shared))
    return cudaSuccess;
  return cudaFuncSetAttribute (
      survey_kernel<STEPS>, cudaFuncAttributeMaxDynamicSharedMemorySize, SurveyLayout<STEPS>::BYTES);
}

} // namespace

cudaError_t
canny_prepare_survey (size_t most_shared)
{
  cudaError_t (*const prepare_each[]) (size_t) = {
      prepare<0>, prepare<1>, prepare<2>, prepare<3>, prepare<4>, prepare<5>};
  for (auto prepare : prepare_each) {
    const cudaError_t status = prepare (most_shared);
    if (status != cudaSuccess)
      return status;
  }
  return cudaSuccess;
}

bool
canny_survey_fits (uint32_t radius, size_t most_shared)
{
  bool (*const fits_each[]) (size_t) = {fits<0>, fits<1>, fits<2>, fits<3>, fits<4>, fits<5>};
  return fits_each[canny_blur_steps (radius)](most_shared);
}

void
canny_launch_survey (
    const CannyKernelArgs &f, const CannyPlane &plane, const CannyRelative &relative, cudaStream_t stream)
{
  void (*const launch_each[]) (const CannyKernelArgs &, const CannyPlane &, const CannyRelative &, cudaStream_t) = {
      launch<0>, launch<1>, launch<2>, launch<3>, launch<4>, launch<5>};
  launch_each[canny_blur_steps (f.radius)](f, plane, relative, stream);
}
