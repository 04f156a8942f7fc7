/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames that are ready before anything is measured: rings of a few buffers in system or CUDA memory, each with the
 * picture a little further on. */
#ifndef BENCH_FRAMES_H
#define BENCH_FRAMES_H

#include <gst/video/video.h>

enum { RING_FRAMES = 8, MAX_DEVICES = 16 };

typedef enum {
  FRAMES_SYSTEM,  /* ordinary memory, of a source that asks nobody */
  FRAMES_OFFERED, /* system memory from the pool that the elements offer */
  FRAMES_CUDA
} FrameMemory;

typedef struct {
  GstVideoFormat format;
  guint width;
  guint height;
  FrameMemory memory;
  gboolean changing; /* the first frame shows an eighth of the picture, each further one an eighth more */
} FrameKind;

/* Can frames be in CUDA memory? If not, REASON says why. */
gboolean frames_have_cuda (const gchar **reason);

/* Opens a context on each of the first COUNT GPUs, 0: on all. Returns how many have one now. */
guint frames_open_devices (guint count);

GstCaps *frames_caps (const FrameKind *kind);

/* Returns an active pool of RING_FRAMES buffers, all of them filled, in the program's CUDA context of DEVICE: OFFERED, if
 * that is one. Elements that draw on a buffer change what the pool hands out later. NULL, and a message on stderr, on
 * failure. */
GstBufferPool *frames_ring (const FrameKind *kind, guint device, GstBufferPool *offered, const guint8 *picture);

/* Did the ring hand out this buffer's memory filled? A pool replaces buffers that come back without their memory. */
gboolean frames_is_filled (GstBuffer *buffer);

/* Gives all elements of BIN the program's CUDA context of DEVICE. */
void frames_share_context (GstElement *bin, guint device);

/* Waits for all work of the program's CUDA contexts; without CUDA it does nothing. */
void frames_wait_for_gpu (void);

/* The memory in use on all GPUs that have a context. Returns FALSE if the driver does not tell. */
gboolean frames_gpu_memory (guint64 *used);

void frames_deinit (void);

#endif
