/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Order of the work of several elements on one CUDA memory that has no CUDA stream. The elements' own streams do not
 * synchronise with the context's default stream. So an element that leaves work on a memory queued marks the memory
 * with an event, and the next of our elements makes its stream wait for it. The mark belongs to the GstMemory: it goes
 * wherever the memory goes, through queues, tees and copies of the buffer.
 *
 * Everyone else is ordered by the default stream, or finds the work complete: a frame that goes to them is shared
 * first. */
#ifndef GST_BASE_GPUORDER_H
#define GST_BASE_GPUORDER_H

#include "gst/base/gstcontoursgpu.h"

G_BEGIN_DECLS

/* A stream of CONTEXT, with one reference. The last one who uses it calls FREE, in the context. */
GstContoursGpuStream *gpu_stream_new (GstObject *context, gpointer handle, void (*free) (gpointer handle));

/* Gives up the streams of GPU. */
void gpu_stream_clear (GstContoursGpu *gpu);

/* Makes GPU work in the stream that OTHER, of the same context, works in; NULL, or another context: in its own. Work that
 * is queued elsewhere is not waited for. */
void gst_contours_gpu_use_stream_of (GstContoursGpu *gpu, GstContoursGpu *other);

/* Events of CONTEXT, which are used again and again. They outlive their owner as long as a memory is marked with one. */
GstContoursGpuEvents *gpu_events_new (GstObject *context);
void gpu_events_unref (GstContoursGpuEvents *events);

/* These make the stream of GPU wait for the work that is queued on MEMORY, before it reads or writes MEMORY. In these and
 * the next one, the context of GPU is current, and MEMORY belongs to it and has no stream. */
gboolean gst_contours_gpu_begin_read (GstContoursGpu *gpu, GstMemory *memory, CtrError *error);
gboolean gst_contours_gpu_begin_write (GstContoursGpu *gpu, GstMemory *memory, CtrError *error);

/* Marks MEMORY with what is queued on the stream of GPU. */
gboolean gst_contours_gpu_mark (GstContoursGpu *gpu, GstMemory *memory, CtrError *error);

/* Marks MEMORY as one that the host has waited for. */
gboolean gst_contours_gpu_mark_done (GstContoursGpu *gpu, GstMemory *memory, CtrError *error);

/* Orders everyone else after the mark of MEMORY: by the default stream (BY_DEFAULT_STREAM), or the host waits. Any
 * thread. */
gboolean gst_contours_gpu_share (GstMemory *memory, gboolean by_default_stream, CtrError *error);

/* Whether MEMORY has a mark after which nobody else is ordered. Without a memory, or with one that is not CUDA memory:
 * FALSE. */
gboolean gst_contours_gpu_is_private (GstMemory *memory);

/* Says that BUFFER, newly rendered, comes from a pool from which only the element that rendered it takes buffers. */
void gst_contours_gpu_add_owner (GstBuffer *buffer);
gboolean gst_contours_gpu_has_owner (GstBuffer *buffer);

G_END_DECLS

#endif
