/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edge detection by its definition, as slow as it is plain, and what the tests of it share. */
#ifndef CTR_TESTS_CANNY_REFERENCE_H
#define CTR_TESTS_CANNY_REFERENCE_H

#include "tests/core/common/testing.h"

/* The edges of a host IMAGE: 255 or 0 a pixel, width * height, transfer full (free). */
uint8_t *reference_canny (const CtrImage *image, const CtrCannyParams *params);

/* Paints PICTURE, in host memory, from MASK of WIDTH x HEIGHT. */
void reference_paint (const CtrEdgePicture *picture, const uint8_t *mask, uint32_t width, uint32_t height);

/* Grey levels of a random kind: noise, smooth noise, two-level shapes, ramps, plateaus. Transfer full (free). */
uint8_t *grey_new (Random *random, uint32_t width, uint32_t height);

/* An image whose 8-bit samples are GREY. The lower half of 16-bit samples and padding are random. */
Picture picture_of_grey (Random *random, const uint8_t *grey, uint32_t width, uint32_t height, Layout layout);

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

/* Finds the edges of a host IMAGE and compares with the reference. Returns how many pixels are edges. */
uint32_t check_edges (CtrCanny *canny, const Setup *setup, const CtrImage *image, const CtrCannyParams *params);

#endif
