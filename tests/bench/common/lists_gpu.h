/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The time of work on the GPU that ends in lists of contours, and whether they are the right ones. */
#ifndef BENCH_LISTS_GPU_H
#define BENCH_LISTS_GPU_H

#include "tests/bench/common/device.h"

#include <contours/contourlist.h>
#include <contours/image.h>

/* One kind of work on one image. */
typedef struct {
  const char *description;
  void *user; /* of these three */
  bool (*enqueue) (void *user, const CtrImage *image, void *stream, CtrError *error);
  CtrContours *(*finish) (void *user, CtrError *error);
  void (*record) (void *user, const char *mode, const CtrContours *result, double *microseconds, int runs);
  bool without_codes; /* These contours have none. */
} BenchListsWork;

/* Compares the result on IMAGE, a view of host memory without padding, with EXPECTED. Then measures. Device time until
 * table and points are complete on the GPU: "warm", with the L2 cache "flushed" before each frame, and with copies of
 * the image "in-turn". The host's time: of queueing ("queue"); of queueing and finishing with the image on the GPU
 * ("run"); of finishing a frame whose work is done and mapping table, points, sums and subpixels ("fetch"), only the points ("fetch-points"), only the codes ("fetch-codes"); of all of it with the image
 * in host memory ("host-run"). Records each. False, and a message on stderr, on failure or where the results
 * differ. */
bool bench_lists_measure (
    BenchDevice *device, const BenchListsWork *work, const CtrImage *image, CtrContours *expected);

#endif
