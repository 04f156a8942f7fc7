/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Status codes, errors, backends, and the availability of the GPU. */
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

/* The largest width and height of an image, in pixels: coordinates are 16-bit, pixel indices 32-bit. */
#define CTR_MAX_SIDE 65535

typedef enum {
  CTR_OK = 0,
  CTR_ERROR_INVALID_ARGUMENT, /* the message names the argument and its valid values */
  CTR_ERROR_TOO_LARGE,        /* a side of the image exceeds CTR_MAX_SIDE */
  CTR_ERROR_NO_CUDA,          /* this build has no CUDA backend, or there is no driver or no usable device */
  CTR_ERROR_OUT_OF_MEMORY,    /* in host or GPU memory; the analyser stays usable, and a smaller image may succeed */
  CTR_ERROR_CUDA,             /* a CUDA call failed: the context may be unusable */
  CTR_ERROR_CANCELLED         /* another thread cancelled the work, see cancel.h; the analyser stays usable */
} CtrStatus;

/* Filled on failure. Every function also accepts NULL. The message is one English sentence without a full stop. */
typedef struct {
  CtrStatus status;
  char message[256];
} CtrError;

typedef enum { CTR_BACKEND_CPU, CTR_BACKEND_CUDA } CtrBackend;

typedef enum {
  CTR_CONNECTIVITY_4 = 4, /* edge neighbours */
  CTR_CONNECTIVITY_8 = 8  /* edge and corner neighbours */
} CtrConnectivity;

/* Can the CUDA backend run in this process now? If not, error says what is missing. Never aborts, and creates no CUDA
 * context. */
CTR_API bool ctr_cuda_available (CtrError *error);

CTR_END_DECLS

#endif
