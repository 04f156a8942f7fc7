/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers that the tests of masks share. */
#ifndef CTR_TESTS_FOREGROUND_TESTING_H
#define CTR_TESTS_FOREGROUND_TESTING_H

#include "tests/core/common/testing.h"

CTR_BEGIN_DECLS

/* An image with chroma of its own where it is a plane of luma. */
typedef struct {
  Picture picture; /* its view has the chroma */
  uint8_t *chroma;
  size_t chroma_bytes;
} Scene;

/* Takes PICTURE. */
Scene scene_new (Random *random, Picture picture);
void scene_free (Scene *scene);

/* Grey levels of any kind, or colours, of any format. */
Scene random_scene (Random *random, uint32_t width, uint32_t height);

/* Anything that IMAGE allows, mostly with something to see. MOST: the largest structuring element. */
CtrForeground random_foreground (Random *random, const CtrImage *image, uint32_t most);

void describe_mask (const char *name, const CtrImage *image, const CtrForeground *foreground);

/* A new mask maker; a failure ends the test. */
CtrMask *mask_maker_new (const Setup *setup);

/* The mask of IMAGE in host memory; a failure ends the test. Transfer full (free). */
uint8_t *make_mask (CtrMask *mask, const Setup *setup, const CtrImage *image, const CtrForeground *foreground);

/* Makes the mask of IMAGE and compares it, and its threshold, with the reference. Returns how many pixels are foreground. */
uint32_t check_mask (CtrMask *mask, const Setup *setup, const CtrImage *image, const CtrForeground *foreground);

CTR_END_DECLS

#endif
