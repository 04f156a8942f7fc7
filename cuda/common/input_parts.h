/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the input stage share. */
#ifndef CTR_CUDA_COMMON_INPUT_PARTS_H
#define CTR_CUDA_COMMON_INPUT_PARTS_H

#include "cuda/common/input_stage.h"

/* The bytes that an image needs. */
struct InputRoom {
  size_t staging, upload, chroma, luma, channel, histogram, bits;
};

bool input_stage_has (const InputStage *state, const InputRoom &room);
bool input_stage_make_room (InputStage *state, const InputRoom &room, cudaStream_t stream, CtrError *error);

static inline bool
input_is_grey (CtrFormat format)
{
  return format == CTR_FORMAT_GRAY8 || format == CTR_FORMAT_GRAY16;
}

/* Does the mask of FOREGROUND in IMAGE need more than a grey plane of its luma? */
static inline bool
input_uses_chroma (const CtrForeground *foreground, const CtrImage *image)
{
  return input_is_grey (image->format) && ctr_foreground_uses_colour (foreground);
}

/* Is FOREGROUND decided by Otsu's threshold of the luma of the whole image? */
static inline bool
input_uses_otsu (const CtrForeground *foreground)
{
  return foreground && foreground->mode == CTR_THRESHOLD_OTSU && !foreground->ranges
         && foreground->channel == CTR_CHANNEL_LUMA && !foreground->regions;
}

/* Is the threshold of a mask one that only the mask needs? */
static inline bool
input_finds_threshold (const CtrForeground *foreground)
{
  return !foreground->ranges && !input_uses_otsu (foreground)
         && (foreground->mode == CTR_THRESHOLD_OTSU || foreground->mode == CTR_THRESHOLD_TRIANGLE);
}

/* Bytes of a grey plane of IMAGE, of the uploaded image, and of its uploaded chroma. */
size_t input_plane_size (const CtrImage *image);
size_t input_upload_size (const CtrImage *image);
size_t input_chroma_size (const CtrImage *image);

/* Queues the upload of a host image to PIXELS, in rows of ctr_aligned_row(), and of its chroma to CHROMA; either may be
 * NULL. There is staging memory for both. */
bool input_upload (
    InputStage *state, const CtrImage *image, void *pixels, void *chroma, cudaStream_t stream, CtrError *error);

/* Where the chroma of IMAGE is, on the device, after the upload to UPLOADED. */
CtrChroma input_chroma_view (const CtrImage *image, const void *uploaded);

/* Queues the luma of packed pixels, which are on the device. */
bool input_convert (const CtrImage *packed, const CtrImage *plane, cudaStream_t stream, CtrError *error);

/* Bytes of the channel's plane and the histogram that the mask of FOREGROUND in IMAGE needs. */
void input_mask_room (const CtrImage *image, const CtrForeground *foreground, InputRoom *room);

/* Queues MASK. SOURCE: on the device, in its own format, with its chroma. OTSU: where the luma's threshold is, if the
 * foreground uses it. FOUND: where another threshold that is found shall be. *THRESHOLD: which of the two, or NULL. PAINTING: as in
 * foreground_stage_queue(). */
bool input_queue_mask (InputStage *state, const CtrImage *source, const CtrForeground *foreground,
    const PackedMask &mask, const uint32_t *otsu, uint32_t *found, const uint32_t **threshold, MaskPainting *painting,
    cudaStream_t stream, CtrError *error);

/* input_regions.cu: adds what the atlas needs to ROOM, which has that of the upload. A plane of the atlas, whose samples are those
 * of neighbourhoods. And input_stage_foreground() with regions. */
void input_regions_room (const InputStage *state, const CtrImage *image, const InputNeed &need, InputRoom *room);
CtrImage input_regions_plane (const InputStage *state, const CtrImage *image);
bool input_regions_queue (InputStage *state, const CtrImage *image, const InputNeed &need, InputView *view,
    cudaStream_t stream, CtrError *error);

/* A mask of the size of IMAGE in BITS. */
static inline PackedMask
input_mask_in (const CtrDeviceBuffer &bits, const CtrImage *image)
{
  return {(uint32_t *) bits.data, ctr_packed_row (image->width), image->width, image->height};
}

static inline size_t
input_bits_size (const CtrImage *image)
{
  return ctr_packed_row (image->width) * image->height;
}

#endif
