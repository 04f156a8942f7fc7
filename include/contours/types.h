/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What every part of the core shares: errors, backends, GPU availability. */
#ifndef CONTOURS_TYPES_H
#define CONTOURS_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define CTR_BEGIN_DECLS extern "C" {
#define CTR_END_DECLS }
#else
#define CTR_BEGIN_DECLS
#define CTR_END_DECLS
#endif

#define CTR_API __attribute__ ((visibility ("default")))

CTR_BEGIN_DECLS

/* Widest and highest image any algorithm takes, in pixels: coordinates are 16-bit, pixel indices 32-bit. */
#define CTR_MAX_SIDE 65535

typedef enum {
  CTR_OK = 0,
  CTR_ERROR_INVALID_ARGUMENT, /* the caller's mistake: the message says which argument and what it may be */
  CTR_ERROR_TOO_LARGE,        /* an image side over CTR_MAX_SIDE */
  CTR_ERROR_NO_CUDA,          /* built without CUDA, no driver, or no usable device */
  CTR_ERROR_OUT_OF_MEMORY,    /* host or GPU memory; the object stays usable, a smaller image may succeed */
  CTR_ERROR_CUDA,             /* a CUDA call failed: the context may be unusable */
  CTR_ERROR_CANCELLED         /* another thread asked for it, see cancel.h; the object stays usable */
} CtrStatus;

/* Filled on failure when the caller passes one; every function also accepts NULL. message is one English sentence. */
typedef struct {
  CtrStatus status;
  char message[256];
} CtrError;

typedef enum { CTR_BACKEND_CPU, CTR_BACKEND_CUDA } CtrBackend;

/* Can the CUDA backend run in this process, now? Never aborts; on false, error says what is missing. Does not create a
 * CUDA context. */
CTR_API bool ctr_cuda_available (CtrError *error);

CTR_END_DECLS

#endif
