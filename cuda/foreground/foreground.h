/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packed masks on the GPU. Internal.
 *
 *   levels.cu       channels, ranges, fixed and found thresholds: samples to bits
 *   adaptive.cu     thresholds of neighbourhoods: samples to bits; gaussian.cu: weighted ones
 *   morphology.cu   opening and closing: bits to bits
 *   connected.cu    reconstruction of a mask from a marker: bits to bits; hysteresis: samples to bits
 *   regions.cu      channels, ranges and thresholds of all regions of an image; regions_whole.cu: their masks as one
 *   split.cu        splitting of touching parts: bits to bits; distance.cu: distances to the background
 *   foreground.cu   the steps of a mask in order, and their memory */
#ifndef CTR_CUDA_FOREGROUND_FOREGROUND_H
#define CTR_CUDA_FOREGROUND_FOREGROUND_H

#include "core/foreground/foreground.h"

#include "cuda/common/device_buffer.cuh"
#include "cuda/foreground/mask_picture.cuh"
#include "cuda/foreground/regions.h"

/* A packed mask on the device. */
struct PackedMask {
  uint32_t *bits;
  size_t stride; /* bytes */
  uint32_t width, height;
};

/* The picture of the mask, which the last step of a mask may paint, too. */
struct MaskPainting {
  MaskPicture picture;
  bool painted; /* It will: then the mask itself does not become complete. */
};

/* Working memory of one analyser. */
struct ForegroundStage {
  CtrDeviceBuffer masks;    /* packed masks between two steps */
  CtrDeviceBuffer sums;     /* adaptive.cu */
  CtrDeviceBuffer labels;   /* connected.cu; what it holds between frames does not matter */
  CtrDeviceBuffer arrivals; /* connected.cu; 0 between frames */
  CtrDeviceBuffer splits;   /* split.cu; likewise */
  CtrKeptWeights weights;
};

void foreground_stage_init (ForegroundStage *stage);
void foreground_stage_free (ForegroundStage *stage);

/* Makes room, for work in STREAM. *FRESH: some memory is new, so captured graphs are invalid. */
bool foreground_stage_reserve (ForegroundStage *stage, const CtrImage *image, const CtrForeground *foreground,
    cudaStream_t stream, bool *fresh, CtrError *error);

/* Would foreground_stage_reserve() leave all memory where it is? */
bool foreground_stage_has_room (const ForegroundStage *stage, const CtrImage *image, const CtrForeground *foreground);

/* Queues all steps. IMAGE: on the device, in its own format (packed RGB or samples). THRESHOLD: the device address of the
 * threshold that OTSU or TRIANGLE have found; NULL with the others. ATLAS: the mask is that of its regions, each by itself, and
 * IMAGE a plane for the atlas, which has the samples of neighbourhoods; pixels between regions become 0. NULL: IMAGE is whole.
 * PAINTING: NULL, or the picture of a whole mask that nobody needs besides. */
bool foreground_stage_queue (ForegroundStage *stage, const CtrImage *image, const CtrForeground *foreground,
    const uint32_t *threshold, const PackedMask *mask, const Atlas *atlas, MaskPainting *painting, cudaStream_t stream,
    CtrError *error);

/* levels.cu. MARKER: with HYSTERESIS the samples >= upper_threshold; otherwise NULL. THRESHOLD: as above. MASK is inverted if
 * FOREGROUND says so; with a MARKER it is not, as the reconstruction needs it as it is and inverts its result. */
bool foreground_queue_levels (const CtrImage *image, const CtrForeground *foreground, const uint32_t *threshold,
    const PackedMask *mask, const PackedMask *marker, cudaStream_t stream, CtrError *error);

/* levels.cu: do the samples of CHANNEL lie in IMAGE one after the other? Then PLANE is a view of them. Otherwise it is
 * one of IMAGE's size and GRAY8, whose data and stride are to be set. */
bool foreground_channel_is_plane (const CtrImage *image, CtrChannel channel, CtrImage *plane);

/* levels.cu: writes the samples of CHANNEL to PLANE, in rows of ctr_aligned_row() bytes. Not if they are a plane already. */
bool foreground_queue_channel (
    const CtrImage *image, CtrChannel channel, const CtrImage *plane, cudaStream_t stream, CtrError *error);

/* adaptive.cu: MASK, inverted if FOREGROUND says so. ROOM: so many bytes, aligned to 256. ATLAS: IMAGE has the samples of its regions,
 * each by itself, and MASK is 0 before; NULL: IMAGE is whole. */
size_t foreground_adaptive_room (const CtrImage *image, const CtrForeground *foreground);
bool foreground_queue_adaptive (const CtrImage *image, const CtrForeground *foreground, CtrKeptWeights *weights,
    void *room, const PackedMask *mask, const Atlas *atlas, cudaStream_t stream, CtrError *error);

/* morphology.cu: MASK opened, then closed; TO is other memory. REGIONS: those of an atlas, each by itself; NULL: MASK is whole. */
bool foreground_queue_morphology (const PackedMask *mask, const PackedMask *to, const CtrForeground *foreground,
    const DeviceRegions *regions, cudaStream_t stream, CtrError *error);
/* The same of the mask that a threshold gives of the grey samples of PLANE, inverted if FOREGROUND says so. THRESHOLD: as above. */
bool foreground_queue_morphology_of_levels (const CtrImage *plane, const CtrForeground *foreground,
    const uint32_t *threshold, const PackedMask *to, cudaStream_t stream, CtrError *error);

/* connected.cu: the components of MASK, inverted first if INVERT, that have a pixel of MARKER; MARKER NULL: that have a pixel
 * on the border of the image. TO, which may be MASK, becomes them, inverted if INVERT_RESULT; with REMOVE the others. ATLAS: the
 * regions of an atlas, each by itself, and nothing beside them; NULL: MASK is whole. PICTURE: NULL, or what is painted of TO, which does
 * not become complete itself. */
struct Reconstruction {
  bool eight_connected;
  bool invert_mask;
  bool remove;        /* TO: the components that were not found */
  bool invert_result; /* at the end */
};
/* REGIONS: so many of an atlas; 0: the mask is whole. LABELS: so many bytes, which need no clearing. ARRIVALS: so many, which are 0 at first, and again behind each call. */
struct ReconstructionRoom {
  void *labels, *arrivals;
};
size_t foreground_reconstruction_labels (uint32_t width, uint32_t height, uint32_t regions);
size_t foreground_reconstruction_arrivals (uint32_t width, uint32_t height, uint32_t regions);
bool foreground_queue_reconstruction (const PackedMask *mask, const PackedMask *marker, const PackedMask *to,
    const Reconstruction *what, const Atlas *atlas, const ReconstructionRoom *room, const MaskPicture *picture,
    cudaStream_t stream, CtrError *error);

/* connected.cu: hysteresis of the grey samples of PLANE, inverted if FOREGROUND says so. PICTURE: as above. */
bool foreground_queue_hysteresis (const CtrImage *plane, const CtrForeground *foreground, const PackedMask *to,
    const ReconstructionRoom *room, const MaskPicture *picture, cudaStream_t stream, CtrError *error);

/* split.cu: cuts touching parts of MASK apart, in place. DEPTH: CtrForeground.split_touching, not 0. ATLAS: the regions of an atlas,
 * each by itself, and nothing beside them; NULL: MASK is whole. ROOM: so many bytes, aligned to 256, which need no clearing. */
size_t foreground_split_room (uint32_t width, uint32_t height);
bool foreground_queue_split (
    const PackedMask *mask, uint32_t depth, const Atlas *atlas, void *room, cudaStream_t stream, CtrError *error);

#endif
