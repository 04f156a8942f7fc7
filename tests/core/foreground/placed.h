/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scenes in device memory. */
#ifndef CTR_TESTS_FOREGROUND_PLACED_H
#define CTR_TESTS_FOREGROUND_PLACED_H

#include "tests/core/common/gpu.h"
#include "tests/core/foreground/testing.h"

/* A scene in memory of the device, or as it is. */
typedef struct {
  CtrImage image;
  void *device[2];
} Placed;

static inline Placed
place (const Scene *scene, bool on_device)
{
  const Picture *picture = &scene->picture;
  Placed placed = {.image = picture->view};
  if (!on_device)
    return placed;
  placed.device[0] = gpu_alloc (picture->bytes);
  gpu_upload (placed.device[0], picture->memory, picture->bytes);
  placed.image.data =
      (uint8_t *) placed.device[0] + ((const uint8_t *) picture->view.data - (const uint8_t *) picture->memory);
  placed.image.memory = CTR_MEMORY_DEVICE;
  if (!scene->chroma)
    return placed;
  placed.device[1] = gpu_alloc (scene->chroma_bytes);
  gpu_upload (placed.device[1], scene->chroma, scene->chroma_bytes);
  placed.image.chroma.cb = (uint8_t *) placed.device[1] + (picture->view.chroma.cb - scene->chroma);
  placed.image.chroma.cr = (uint8_t *) placed.device[1] + (picture->view.chroma.cr - scene->chroma);
  return placed;
}

static inline void
unplace (Placed *placed)
{
  for (int i = 0; i < 2; i++)
    if (placed->device[i])
      gpu_free (placed->device[i]);
}

#endif
