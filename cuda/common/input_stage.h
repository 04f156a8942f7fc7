/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The input stage of every algorithm on the GPU: upload, luma of packed pixels, histogram, thresholds, packed mask.
 *
 *   input_upload.cu    host images to the device
 *   input_stage.cu     luma, thresholds and mask of one analyser
 *   input_regions.cu   the same of regions
 *   input_sharing.cu   the same in a shared input (core/common/input.h) */
#ifndef CTR_CUDA_COMMON_INPUT_STAGE_H
#define CTR_CUDA_COMMON_INPUT_STAGE_H

#include "cuda/common/device_buffer.cuh"
#include "cuda/common/input_slots.h"
#include "cuda/common/session.cuh"
#include "cuda/foreground/foreground.h"

#include <contours/foreground.h>
#include <contours/image.h>

/* What an analysis needs of its image. */
struct InputNeed {
  const CtrForeground *foreground; /* NULL: none, only samples */
  bool samples;                    /* they are read even if the foreground is a mask */
  bool mask;                       /* the foreground is a mask even if it is plain */
  bool reversed;                   /* the atlas of regions (core/foreground/regions.h) is */
  bool alone;                      /* it reads the colours of the image itself, which no shared input has */
  MaskPainting *painting;          /* NULL, or what the mask's last step may paint if nobody else reads the mask */
};

constexpr InputNeed INPUT_NEEDS_SAMPLES = {NULL, true, false, false, false, NULL};

/* Are regions analysed, in an atlas? */
static inline bool
input_has_regions (const InputNeed &need)
{
  return need.foreground && need.foreground->regions;
}

/* Is the foreground made as a packed mask? Otherwise kernels compare samples with a threshold. */
static inline bool
input_needs_mask (const InputNeed &need)
{
  return need.foreground && (need.mask || !ctr_foreground_is_plain (need.foreground));
}

static inline bool
input_needs_samples (const InputNeed &need)
{
  return need.samples || !input_needs_mask (need);
}

/* What the kernels of an analysis read. With regions, plane and mask are those of the atlas. */
struct InputView {
  CtrImage plane;  /* grey samples of 8 or 16 bits on the device; data is NULL: there is a mask, and no need of them */
  PackedMask mask; /* bits are NULL: the foreground are the samples that a threshold selects */
  const uint32_t *threshold; /* on the device, if it is found in the image; otherwise NULL */
};

/* The memory of one analyser's input stage. */
struct InputStage {
  CtrDeviceBuffer staging;   /* pinned: the rows of a host image, to be uploaded */
  CtrDeviceBuffer upload;    /* the same on the device */
  CtrDeviceBuffer chroma;    /* likewise */
  CtrDeviceBuffer luma;      /* grey plane of packed pixels */
  CtrDeviceBuffer channel;   /* plane of the channel whose threshold is found for a mask */
  CtrDeviceBuffer histogram; /* struct Histogram */
  CtrDeviceBuffer bits;      /* the packed mask */
  ForegroundStage masking;
  RegionStage regions;
  cudaEvent_t uploaded; /* the end of the last upload; NULL: there was none */
  CudaWait wait;        /* for it */
  bool reads_image;     /* The upload reads the caller's memory. */
  bool counted;         /* What was queued last is the histogram. */

  /* Of a frame with a shared input. */
  InputSlots *slots;         /* for what it makes; NULL: it has not made anything yet */
  InputSlot *held[3];        /* what it has taken and made; NULL: no more */
  const uint32_t *threshold; /* Otsu's, on the device; NULL: not found yet */

  /* Of a frame whose mask exists: in a shared input, or since the frame is done again. */
  PackedMask mask; /* bits are NULL: not made yet */
  const uint32_t *mask_threshold;
};

void input_stage_init (InputStage *state);
void input_stage_free (InputStage *state);

/* Before the first frame of a period (core/common/room.h): gives back what no frame of the last one has needed, when STREAM
 * has done its work. Sets *SOME if there was such memory; then captured graphs are invalid. */
bool input_stage_give_back (InputStage *state, cudaStream_t stream, bool *some, CtrError *error);

/* Makes room for IMAGE and NEED, outside of any stream capture. Clears new memory in STREAM, which the frame follows in.
 * *FRESH: some memory is new, so captured graphs are invalid. */
bool input_stage_reserve (
    InputStage *state, const CtrImage *image, const InputNeed &need, cudaStream_t stream, bool *fresh, CtrError *error);

/* Would input_stage_reserve() leave all memory where it is? */
bool input_stage_has_room (const InputStage *state, const CtrImage *image, const InputNeed &need);

/* Looks whether the calling thread's current shared input serves IMAGE, of which NEED is asked for. If so, it queues what
 * the analysis needs and the input lacks, and SHARED becomes the view to analyse: samples on the device, whose Otsu
 * threshold and mask input_stage_foreground() knows; data is NULL where there is no need of samples. If not, SHARED is IMAGE.
 * Brings regions to the device; they are STATE's then, and share nothing but samples. To be called for each frame when the
 * session has begun. *MOVED: memory has moved, as with input_stage_reserve(); no
 * queued work uses it. */
bool input_stage_share (InputStage *state, const CtrImage *image, const InputNeed &need, const CudaSession *session,
    CtrImage *shared, bool *moved, CtrError *error);

/* The frame of VIEW is done again: what VIEW has as a mask, or as Otsu's threshold of a shared input, stays valid. */
void input_stage_reuse (InputStage *state, const InputView &view);

/* Drops what input_stage_share() holds, when the frame is complete or has failed. On any thread. */
void input_stage_end (InputStage *state);

/* Queues the upload of a host image: from its own memory if that is page-locked, otherwise by way of the staging memory.
 * Images on the device stay where they are. A graph does not capture this: call it for every frame, after
 * input_stage_reserve(). */
bool input_stage_upload (
    InputStage *state, const CtrImage *image, const InputNeed &need, cudaStream_t stream, CtrError *error);

/* Waits until the upload reads a host image no longer, so that the caller may change it. Call it when the rest of the
 * frame is queued. */
bool input_stage_release_image (InputStage *state, CtrError *error);

/* A view of IMAGE on the device, where it is after the upload. */
CtrImage input_stage_view (const InputStage *state, const CtrImage *image);

/* Queues the luma of IMAGE if it needs it. Sets PLANE to a device view of grey samples (8 or 16 bits). */
bool input_stage_plane (
    InputStage *state, const CtrImage *image, CtrImage *plane, cudaStream_t stream, CtrError *error);

/* Copies the samples of the channel of need.foreground, with ranges those of the luma, TO memory of input_stage_channel_size() bytes,
 * of which PLANE becomes a view. After the upload of IMAGE, which it shares with no other analyser unless the channel is luma. */
size_t input_stage_channel_size (const CtrImage *image);
bool input_stage_copy_channel (const InputStage *state, const CtrImage *image, const InputNeed &need,
    CtrChannel channel, void *to, CtrImage *plane, cudaStream_t stream, CtrError *error);

/* Queues what NEED asks for and neither input_stage_share() nor input_stage_reuse() knows: luma, histogram, mask. */
bool input_stage_foreground (InputStage *state, const CtrImage *image, const InputNeed &need, InputView *view,
    cudaStream_t stream, CtrError *error);

/* As input_stage_plane(). Queues the histogram of PLANE's samples, too, where those of 16 bits are shifted right by
 * SAMPLE_SHIFT and limited to 255. *COUNTS: the device address of its 256 counters; *THRESHOLD: that of its Otsu
 * threshold. */
bool input_stage_histogram_8 (InputStage *state, const CtrImage *image, uint32_t sample_shift, CtrImage *plane,
    const uint32_t **counts, const uint32_t **threshold, cudaStream_t stream, CtrError *error);

/* Sets the arguments of a kernel that reads foreground bits by cuda/common/pixels.cuh, and those of the result's
 * threshold. */
template <typename Args>
static inline void
input_view_describe (const InputView &view, const CtrForeground *foreground, Args *f)
{
  const bool masked = view.mask.bits;
  f->pixels = masked ? (const uint8_t *) view.mask.bits : (const uint8_t *) view.plane.data;
  f->stride = masked ? view.mask.stride : view.plane.stride;
  f->depth = masked ? 1 : view.plane.format == CTR_FORMAT_GRAY8 ? 8 : 16;
  f->invert = !masked && foreground->invert;
  f->threshold_device = view.threshold;
}

/* With regions, the size that kernels analyse is that of the atlas. */
template <typename Args>
static inline void
input_regions_describe (const InputStage *state, const InputNeed &need, Args *f)
{
  if (!input_has_regions (need))
    return;
  const DeviceRegions regions = region_stage_view (&state->regions);
  f->width = regions.width;
  f->height = regions.height;
  f->regions.places = regions.places;
  f->regions.count = regions.count;
}

/* The luma that contours/image.h defines. */
constexpr uint32_t CTR_LUMA_RED = 9798, CTR_LUMA_GREEN = 19235, CTR_LUMA_BLUE = 3735;

__device__ inline uint32_t
ctr_luma (uint32_t red, uint32_t green, uint32_t blue)
{
  return (CTR_LUMA_RED * red + CTR_LUMA_GREEN * green + CTR_LUMA_BLUE * blue + 16384) >> 15;
}

/* Which bytes of a packed RGB pixel have its colours. */
static inline void
input_stage_rgb (CtrFormat format, uint32_t *red, uint32_t *green, uint32_t *blue)
{
  const uint32_t first = format == CTR_FORMAT_XRGB || format == CTR_FORMAT_XBGR ? 1 : 0;
  const bool blue_first = format == CTR_FORMAT_BGR || format == CTR_FORMAT_BGRX || format == CTR_FORMAT_XBGR;
  *red = first + (blue_first ? 2 : 0);
  *green = first + 1;
  *blue = first + (blue_first ? 0 : 2);
}

#endif
