/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Canny on the GPU: the data that passes between its kernels.
 *
 *   tile kernel      tiles.cu   Takes a tile of 256 columns from the image to its edges, in one pass:
 *                               grey samples                          grey.cuh
 *                               Gaussian blur                         blur.cuh
 *                               gradient, non-maximum suppression     gradient.cuh
 *                               hysteresis inside the tile            common/run_components.cuh
 *   seam kernel      seams.cu   Hysteresis across the seams between tiles.
 *   promote kernel   seams.cu   Draws the weak components that became edges by it.
 *
 * The tile kernel decides all but the components of weak candidates that reach the tile's border. These are the
 * elements of a global union-find, in which the seam kernel unites them with one another or with strong candidates.
 * Every image takes these three launches, and none waits for the host.
 *
 * Thresholds that are shares of the greatest gradient are known when all pixels are blurred:
 *
 *   relative kernel  relative_tiles.cu   The tile kernel for |dx| + |dy| of aperture 3, where the CTAs that run at once
 *                                        can keep all tiles.
 *
 * Otherwise they need a pass before it:
 *
 *   survey kernel    blurred.cu       Blurs 8-bit samples into a plane, from which the tile kernel goes on, and finds the
 *                                     greatest |dx| + |dy| of aperture 3 on the way.
 *   greatest kernel  plane.cu         Finds the greatest magnitude otherwise, from a blurred plane.
 *
 * Samples of 16 bits that are analysed as they are, and the outputs other than edges, always go by a blurred plane:
 *
 *   wide blur        wide_blur.cu     Blurs 16-bit samples into a plane.
 *   wide tile kernel wide_tiles.cu    From such a plane to edges, as the tile kernel; from any plane to candidates.
 *   values kernel    plane.cu         From any plane to gradient or direction.
 *
 * picture.cu paints, where the tile kernel does not write the picture itself.
 *
 * canny.cu has the host side: memory, automatic thresholds and the output picture. */
#ifndef CTR_CUDA_CANNY_DEVICE_STATE_CUH
#define CTR_CUDA_CANNY_DEVICE_STATE_CUH

#include "cuda/common/run_tiles.cuh"

#include "core/canny/canny.h"

constexpr int CANNY_W = RUN_TILE_W;
constexpr int CANNY_WORDS = RUN_TILE_WORDS;
constexpr int CANNY_MAX_H = RUN_TILE_MAX_H;
constexpr int CANNY_THREADS = RUN_TILE_THREADS;

/* Layout of the image's samples in memory. */
enum CannySamples { SAMPLES_8, SAMPLES_16, SAMPLES_RGB, SAMPLES_YUV /* packed; the luma is byte GREEN of a pixel */ };

/* Twice the luma's weights of an RGB pixel's bytes, as pairs: of bytes 0 and 1, 2 and 3, none and 0, 1 and 2. */
enum CannyLumaWeights { LUMA_01, LUMA_23, LUMA_0, LUMA_12, LUMA_PAIRS };

/* Thresholds that were derived on the device. */
struct CannyDerived {
  int32_t values[2]; /* low, high; those of wide samples may not fit */
  CtrCannyLimits limits;
};

/* The greatest magnitude of all pixels; 0 between frames. */
struct CannyGreatest {
  unsigned long long greatest;
  uint32_t finished; /* CTAs that have added theirs */
};

/* What makes thresholds of the greatest magnitude. */
struct CannyRelative {
  CannyGreatest *state; /* NULL: it is not asked for */
  CannyDerived *derived;
  CtrCannyLimits *host; /* pinned: the same for the host */
  uint32_t low_share, high_share, l2_gradient;
};

/* A plane of blurred samples of 8 or, WIDE, 16 bits. */
struct CannyPlane {
  uint8_t *data;
  size_t stride; /* bytes */
  uint32_t width, height;
  bool wide;
};

/* Arguments of all kernels. Pointers are to device memory. A group's name says what indexes its arrays; where an index
 * has several elements, the comment says how many. Tiles are numbered row by row. */
/* Planes of the picture that have one value, whatever the edges are. */
constexpr uint32_t CANNY_FILLS = 3;
struct CannyFill {
  uint8_t *data;
  size_t stride, row; /* bytes */
  uint32_t height;
  uint32_t value; /* the byte, four times */
};

/* Room for the weights of the greatest radius, with bytes around them that are 0: see blur.cuh. */
constexpr uint32_t CANNY_WEIGHT_WORDS = 45;

/* A number below 2^31 divided by another one: the upper word of the product of twice the number and FACTOR, shifted right by SHIFT. */
struct CannyDivisor {
  uint32_t factor, shift;

  __device__ uint32_t
  quotient_of (uint32_t number) const
  {
    return (uint32_t) ((uint64_t) (2 * number) * factor >> 32) >> shift;
  }
};

struct CannyKernelArgs {
  const uint8_t *pixels;
  size_t stride;
  uint32_t width, height;
  uint32_t samples;      /* CannySamples */
  uint32_t sample_shift; /* of SAMPLES_16: CtrCannyPlan.sample_shift */
  uint32_t pixel_size, red, green, blue;
  uint32_t luma_weights[LUMA_PAIRS]; /* of SAMPLES_RGB */
  bool aligned;                      /* pixels and stride are multiples of 16 bytes */

  uint8_t *mask;
  size_t mask_stride;
  bool mask_aligned; /* mask and mask_stride are multiples of 16 bytes */

  CannyFill fills[CANNY_FILLS];
  uint32_t fill_count;

  uint32_t tile_h, tiles_x, tiles_y;
  CannyDivisor by_tiles_x;
  struct {
    RunTileCounts *counts;
    RunTileBorder *borders;
  } by_tile;
  struct {
    uint32_t *runs; /* packed, of the weak components at the border; words are of pairs of rows */
  } by_tile_run;    /* [tile][runs_of_tile()] */
  struct {
    uint32_t *candidates; /* bits; not where a tile has no such components */
  } by_tile_word;         /* [tile][tile_h][CANNY_WORDS] */
  struct {
    uint32_t *parents;
  } by_component; /* elements of the global union-find */

  uint32_t aperture;
  uint32_t l2_gradient;
  int32_t low, high;         /* used where thresholds is NULL */
  const int32_t *thresholds; /* derived ones: low, high */
  uint32_t sign_weights[2];  /* bytes: -2^I for column I, of columns 0, 4, 1, 5 and 2, 6, 3, 7 */
  bool follows;              /* The tile kernel follows a kernel that it may overlap. */
  uint32_t radius;
  uint32_t weights[CANNY_WEIGHT_WORDS]; /* bytes: canny_first_weight() of 0, then those of the blur, then 0 */
};

/* What the GPU has. */
struct CannyLimits {
  size_t most_shared; /* bytes of dynamic shared memory for a CTA */
  uint32_t processors;
};
cudaError_t canny_find_limits (CannyLimits *limits);

/* Rows of a tile, for samples of 8 bits that are blurred with RADIUS on the way; 0: no tile fits. */
uint32_t canny_tile_height (
    uint32_t width, uint32_t height, uint32_t radius, const CtrCannyPlan &plan, const CannyLimits &limits);

/* To be called once in each CUDA context: raises the limit on shared memory, which is 48 KB by default, of the kernels that
 * MOST_SHARED is enough for. */
cudaError_t canny_prepare_tiles (size_t most_shared);

/* Steps of the matrix products that blur with RADIUS. */
static inline uint32_t
canny_blur_steps (uint32_t radius)
{
  return radius ? (radius + 8 + 15) / 16 : 0; /* 16 steps - 8 >= radius */
}

/* Where the weights of a blur with RADIUS begin in CannyKernelArgs.weights. */
static inline uint32_t
canny_first_weight (uint32_t radius)
{
  return 16 * canny_blur_steps (radius) + 7 - radius;
}

/* Derives the thresholds of PLAN from the HISTOGRAM of 8-bit samples, or from its OTSU threshold, on the device; HOST is
 * pinned. */
void canny_launch_thresholds (const uint32_t *histogram, const uint32_t *otsu, uint64_t pixels,
    const CtrCannyPlan &plan, CannyDerived *derived, CtrCannyLimits *host, cudaStream_t stream);

/* These queue the kernels. OVERLAP: the GPU has programmatic dependent launch. */
void canny_launch_tiles (const CannyKernelArgs &args, bool overlap, cudaStream_t stream);
void canny_launch_seams (const CannyKernelArgs &args, bool overlap, cudaStream_t stream);

/* Blurs the samples of ARGS into PLANE, whose data may be NULL where only the greatest magnitude is wanted. RELATIVE's is
 * found on the way, with aperture 3 and |dx| + |dy|, for which canny_survey_finds_greatest() holds. */
static inline bool
canny_survey_finds_greatest (uint32_t aperture, bool l2_gradient)
{
  return aperture == 3 && !l2_gradient;
}
cudaError_t canny_prepare_survey (size_t most_shared); /* as canny_prepare_tiles() */
/* Is MOST_SHARED enough for the survey that blurs with RADIUS? */
bool canny_survey_fits (uint32_t radius, size_t most_shared);
void canny_launch_survey (
    const CannyKernelArgs &args, const CannyPlane &plane, const CannyRelative &relative, cudaStream_t stream);

/* The tile kernel that finds relative thresholds itself. */
constexpr uint32_t CANNY_MOST_KEPT = 6;                          /* blurred tiles that a CTA keeps */
constexpr uint32_t CANNY_MIDDLE_ROWS = 44, CANNY_TALL_ROWS = 92; /* It has tiles of these heights. */
constexpr int CANNY_BLURS = 6;                                   /* values of canny_blur_steps() */

/* How far a tile is. Each field is of the frame whose number it has. */
struct CannyTileState {
  unsigned long long published; /* the number, above the greatest magnitude */
  uint32_t claimed, again;      /* the number: a CTA works on it; it does so a second time */
};

struct CannyOnePass {
  CannyTileState *states;   /* [tile] */
  unsigned long long *ctas; /* [CTA]: the number, above the greatest magnitude of its tiles */
  CtrCannyLimits *host;     /* pinned: receives the thresholds */
  uint32_t tiles;
  uint32_t frame; /* a number that no frame before it had; not 0 */
  uint32_t kept;  /* tiles that a CTA keeps, up to CANNY_MOST_KEPT */
  uint32_t low_share, high_share;
};

/* How many CTAs run at once on the GPU: [canny_blur_steps()][kept tiles]. */
struct CannyRoom {
  uint32_t ctas[CANNY_BLURS][CANNY_MOST_KEPT + 1];
};

/* How many tiles a CTA has to keep, so that those that run at once keep TILES; 0: they cannot. */
static inline uint32_t
canny_tiles_to_keep (const CannyRoom &room, uint32_t radius, uint32_t tiles)
{
  for (uint32_t kept = 1; kept <= CANNY_MOST_KEPT; kept++)
    if ((uint64_t) room.ctas[canny_blur_steps (radius)][kept] * kept >= tiles)
      return kept;
  return 0;
}
/* As canny_prepare_tiles(). Finds the room for tiles of CANNY_MIDDLE_ROWS and of CANNY_TALL_ROWS. */
cudaError_t canny_prepare_one_pass (size_t most_shared, CannyRoom *middle, CannyRoom *tall);
/* ROOM: for tiles of the height of ARGS, one of the two. */
void canny_launch_one_pass (
    const CannyKernelArgs &args, const CannyOnePass &pass, const CannyRoom &room, cudaStream_t stream);

/* Blurs 16-bit SAMPLES into PLANE. */
void canny_launch_wide_blur (
    const CannyPlane &samples, const CannyPlane &plane, const CtrCannyPlan &plan, cudaStream_t stream);

/* What is found from a blurred plane. */
struct CannyPlaneArgs {
  CannyPlane plane;
  uint32_t aperture, l2_gradient;
  CtrCannyOutput output;
  int64_t low, high;           /* used where derived is NULL */
  const CannyDerived *derived; /* derived thresholds */
  uint16_t *values;            /* [height][width]; for other outputs than edges */
  CannyRelative relative;
};

/* The greatest magnitude (relative.state); gradient or direction. */
void canny_launch_greatest (const CannyPlaneArgs &args, cudaStream_t stream);
void canny_launch_values (const CannyPlaneArgs &args, cudaStream_t stream);

/* Edges of a wide plane: then canny_launch_seams() follows. Candidates of any plane. */
constexpr uint32_t CANNY_WIDE_ROWS = 24; /* of a tile */
cudaError_t canny_prepare_wide_tiles (); /* as canny_prepare_tiles() */
void canny_launch_wide_tiles (const CannyPlaneArgs &args, const CannyKernelArgs &tiles, cudaStream_t stream);

/* Packs the mask, whose rows are aligned, into rows of WORDS words: bit i of word w is pixel 32 w + i, and bits behind the
 * row are 0. */
void canny_launch_pack (const CannyKernelArgs &args, uint32_t words, uint32_t *bits, cudaStream_t stream);

/* Adds the uniform planes of PICTURE to those that the kernels fill. Its first plane is none of them. */
void canny_add_fills (const CtrEdgePicture *picture, CannyKernelArgs *args);

/* Paints the others, on the device, from the mask, but for the one that is the mask. */
bool canny_queue_paint (
    const CtrEdgePicture *picture, const CannyKernelArgs *args, cudaStream_t stream, CtrError *error);

/* Paints PLANE, on the device, from VALUES, [height][width]. */
void canny_launch_paint_values (
    const CtrEdgePlane &plane, const uint16_t *values, uint32_t width, uint32_t height, cudaStream_t stream);

#endif
