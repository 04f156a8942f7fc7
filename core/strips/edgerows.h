/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first and last rows of an image in device memory, copied to the host. Internal. */
#ifndef CTR_CORE_STRIPS_EDGEROWS_H
#define CTR_CORE_STRIPS_EDGEROWS_H

#include <contours/image.h>

CTR_BEGIN_DECLS

/* create() takes the current context. read() queues the copies of the first and last COUNT rows on STREAM, NULL: a stream
 * of its own. lead() makes STREAM wait for them. wait() waits for them, on any thread, and returns the rows, without
 * padding, the first ones first; they are valid until the next read(). */
typedef struct {
  void *(*create) (CtrError *error);
  void (*destroy) (void *state);
  bool (*read) (void *state, const CtrImage *image, uint32_t count, void *stream, CtrError *error);
  bool (*lead) (void *state, void *stream, CtrError *error);
  const void *(*wait) (void *state, CtrError *error);
} CtrEdgeRowsOps;

extern const CtrEdgeRowsOps ctr_edge_rows_ops_cuda; /* only where CTR_HAVE_CUDA */

CTR_END_DECLS

#endif
