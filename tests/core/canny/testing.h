/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers that the tests of edges share. */
#ifndef CTR_TESTS_CANNY_TESTING_H
#define CTR_TESTS_CANNY_TESTING_H

#include "tests/core/common/testing.h"

/* Anything that is allowed, mostly with something to see. */
CtrCannyParams random_canny_params (Random *random);

/* Describes what is tested: an image with parameters. */
void describe_canny (const char *name, const CtrImage *image, const CtrCannyParams *params);

/* A new edge detector; a failure ends the test. */
CtrCanny *detector_new (const Setup *setup);

/* The edges of IMAGE in host memory; a failure ends the test. Transfer full (free). */
uint8_t *detect (CtrCanny *canny, const Setup *setup, const CtrImage *image, const CtrCannyParams *params);

/* Ends the test where the masks differ. */
void check_masks_equal (const uint8_t *expected, const uint8_t *actual, uint32_t width, uint32_t height);

/* Ends the test where PICTURE, one plane of which each byte is a pixel, does not show MASK, the size of IMAGE, or where
 * MASK is empty. */
void check_painted (const CtrEdgePicture *picture, const CtrImage *image, const uint8_t *mask);

/* Finds the edges of a host IMAGE and compares with the reference. Returns how many pixels are edges. */
uint32_t check_edges (CtrCanny *canny, const Setup *setup, const CtrImage *image, const CtrCannyParams *params);

#endif
