/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares the distances to the background, and the splitting of touching parts of packed masks, with their definitions, pixel by
 * pixel. CTR_TEST_QUICK=1: fewer of them. */
#include "cuda/foreground/split.cuh"

#include "tests/core/foreground/reference.h"
#include "tests/emulation/packed_pictures.h"

namespace
{

/* The kernels of distance.cu alone. Beside the image there are zeros. */
void
check_distances (Picture8 picture)
{
  const uint32_t width = picture.width, height = picture.height;
  const PackedMask mask = pack (&picture);
  SplitArgs f = {};
  f.split.width = width;
  f.split.height = height;
  f.split.stride = ctr_div_up (width + 1, SPLIT_WORD) * SPLIT_WORD;
  f.words = ctr_div_up (width, SPLIT_WORD);
  f.mask = mask.bits;
  f.mask_stride = mask.stride / sizeof (uint32_t);
  const size_t count = SPLIT_MARGIN + (size_t) f.split.stride * (height + 2);
  uint32_t *device, *distances = (uint32_t *) malloc (count * sizeof *distances);
  CHECK (cudaMalloc ((void **) &device, count * sizeof *device) == cudaSuccess);
  CHECK (cudaMalloc ((void **) &f.columns, (size_t) f.split.stride * height * sizeof *f.columns) == cudaSuccess);
  CHECK (cudaMalloc ((void **) &f.least_columns, (size_t) f.words * height * sizeof *f.columns) == cudaSuccess);
  f.split.distances = device + SPLIT_MARGIN + f.split.stride;
  split_queue_distances (f, NULL, random_below (&rng, 2), stream);
  cudaMemcpyAsync (distances, device, count * sizeof *device, cudaMemcpyDeviceToHost, stream);
  CHECK (cudaStreamSynchronize (stream) == cudaSuccess);
  for (size_t i = 0; i < count; i++) {
    const int64_t at = (int64_t) i - SPLIT_MARGIN - f.split.stride;
    const int64_t x = at < 0 ? -1 : at % f.split.stride, y = at < 0 ? -1 : at / f.split.stride;
    uint32_t nearest = picture.at (x, y, 0) ? CTR_SPLIT_FAR : 0;
    for (int64_t v = 0; v < height && nearest; v++)
      for (int64_t u = 0; u < width; u++)
        if (!picture.pixels[v * width + u])
          nearest = min (nearest, (uint32_t) ((u - x) * (u - x) + (v - y) * (v - y)));
    CHECK (distances[i] == nearest);
  }
  cudaFree (f.columns);
  cudaFree (f.least_columns);
  cudaFree (device);
  cudaFree (mask.bits);
  free (distances);
  free (picture.pixels);
}

/* Any image, and some with few pixels of background, so that nearest ones are far away. */
void
test_distances ()
{
  for (uint32_t i = 0; i < (quick ? 40 : 1000); i++) {
    const uint32_t width = 1 + random_below (&rng, 70), height = 1 + random_below (&rng, 70);
    describe ("distances, %u x %u", width, height);
    check_distances (i % 2 ? random_picture (width, height) : random_picture (1 + i % 34, 1 + i / 34));
  }
  for (uint32_t i = 0; i < (quick ? 80 : 800); i++) {
    const uint32_t width = 40 + random_below (&rng, 300), height = 1 + random_below (&rng, i % 2 ? 3 : 40);
    Picture8 picture = picture_new (width, height);
    memset (picture.pixels, 1, (size_t) width * height);
    for (uint32_t k = 0; k < i % 5; k++) {
      const uint32_t x = random_below (&rng, width), end = min (x | 31, width - 1); /* of the word */
      picture.pixels[random_below (&rng, height) * width + (k == 0 ? x : k % 2 ? x & ~31 : end)] = 0;
    }
    describe ("distances of %u x %u with %u pixels of background", width, height, i % 5);
    check_distances (picture);
  }
}

void
check_split (Picture8 picture, uint32_t depth)
{
  const PackedMask mask = pack (&picture);
  const size_t bytes = foreground_split_room (picture.width, picture.height);
  void *room;
  CHECK (cudaMalloc (&room, bytes) == cudaSuccess);
  cudaMemsetAsync (room, (int) random_next (&rng), bytes, stream);
  CtrError error;
  CHECK (foreground_queue_split (&mask, depth, NULL, room, stream, &error));
  reference_split (picture.pixels, picture.width, picture.height, depth / 16.);
  check_packed (&mask, &picture);
  cudaFree (room);
  cudaFree (mask.bits);
  free (picture.pixels);
}

uint32_t
random_depth ()
{
  return 1 + random_below (&rng, random_below (&rng, 4) ? 40 : 300);
}

/* Discs of some sizes, many of which overlap. */
Picture8
discs (uint32_t width, uint32_t height, int least, int most)
{
  Picture8 picture = picture_new (width, height);
  const int mean = (least + most) / 2;
  for (uint32_t count = 2 + width * height / (3 * mean * mean + 1); count > 0; count--) {
    const int radius = least + random_below (&rng, most - least + 1);
    const int cx = random_below (&rng, width), cy = random_below (&rng, height);
    for (int y = max (cy - radius, 0); y <= min (cy + radius, (int) height - 1); y++)
      for (int x = max (cx - radius, 0); x <= min (cx + radius, (int) width - 1); x++)
        if ((x - cx) * (x - cx) + (y - cy) * (y - cy) <= radius * radius)
          picture.pixels[(size_t) y * width + x] = 1;
  }
  return picture;
}

void
test_small_splits ()
{
  for (uint32_t height = 1; height <= 17; height++)
    for (uint32_t width = 1; width <= 17; width++)
      for (uint32_t i = 0; i < (quick ? 1 : 40); i++) {
        const uint32_t depth = random_depth ();
        describe ("%u x %u, split by %u", width, height, depth);
        check_split (random_picture (width, height), depth);
      }
}

/* Sides at which words and tiles of 64 x 32 end, and long lines. */
void
test_split_tiles ()
{
  static const uint32_t widths[] = {1, 31, 32, 33, 63, 64, 65, 95, 96, 97, 127, 128, 129, 200};
  static const uint32_t heights[] = {1, 2, 31, 32, 33, 63, 64, 65, 97};
  for (size_t i = 0; i < LENGTH (widths); i++)
    for (size_t j = 0; j < LENGTH (heights); j++) {
      if (quick && random_below (&rng, 6))
        continue;
      for (uint32_t k = 0; k < (quick ? 1 : 20); k++) {
        const uint32_t depth = random_depth ();
        describe ("%u x %u, split by %u", widths[i], heights[j], depth);
        check_split (k % 2 ? random_picture (widths[i], heights[j]) : discs (widths[i], heights[j], 3, 20), depth);
      }
    }
  for (uint32_t i = 0; i < (quick ? 2 : 20); i++) {
    const uint32_t length = 1000 + random_below (&rng, 1000), depth = random_depth ();
    describe ("%u pixels in a line, split by %u", length, depth);
    check_split (i % 2 ? random_picture (length, 1 + random_below (&rng, 2))
                       : random_picture (1 + random_below (&rng, 2), length),
        depth);
  }
}

/* All shapes, noise, discs, and what is far away from any background. */
void
test_split_shapes ()
{
  for (int shape = 0; shape < SHAPE_COUNT; shape++) {
    const uint32_t width = 97 + random_below (&rng, quick ? 60 : 300),
                   height = 49 + random_below (&rng, quick ? 30 : 150);
    const uint32_t depth = random_depth ();
    describe ("%s, %u x %u, split by %u", shape_names[shape], width, height, depth);
    check_split ({width, height, shape_new ((Shape) shape, width, height)}, depth);
  }
  for (uint32_t density = 20; density <= 100; density += quick ? 20 : 2) {
    const uint32_t depth = random_depth ();
    describe ("%u %% of 150 x 90 pixels, split by %u", density, depth);
    check_split ({150, 90, noise_new (&rng, 150, 90, density, 1 + density % 3)}, depth);
  }
  for (uint32_t i = 0; i < (quick ? 3 : 60); i++) {
    const uint32_t width = 150 + random_below (&rng, 200), height = 100 + random_below (&rng, 100),
                   depth = random_depth ();
    describe ("discs, %u x %u, split by %u", width, height, depth);
    check_split (discs (width, height, i % 3 == 0 ? 2 : 15, i % 3 == 0 ? 6 : 40), depth);
  }
  for (uint32_t i = 0; i < (quick ? 16 : 100); i++) { /* some background pixels, as far apart as can be */
    const uint32_t width = 200 + random_below (&rng, 200), height = 20 + random_below (&rng, quick ? 20 : 60);
    const uint32_t depth = random_depth ();
    Picture8 picture = picture_new (width, height);
    memset (picture.pixels, 1, (size_t) width * height);
    for (uint32_t k = 0; k < i; k++)
      picture.pixels[random_below (&rng, width * height)] = 0;
    describe ("%u pixels of background in %u x %u, split by %u", i, width, height, depth);
    check_split (picture, depth);
  }
}

} // namespace

int
main ()
{
  static const Test tests[] = {{"distances", test_distances}, {"small", test_small_splits}, {"tiles", test_split_tiles},
      {"shapes", test_split_shapes}};
  quick = getenv ("CTR_TEST_QUICK");
  CHECK (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking) == cudaSuccess);
  run_tests (tests, LENGTH (tests));
  cudaStreamDestroy (stream);
  return 0;
}
