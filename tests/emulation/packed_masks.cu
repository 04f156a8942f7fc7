/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares opening, closing and reconstruction of packed masks with their definitions, pixel by pixel.
 * CTR_TEST_QUICK=1: fewer of them. */
#include "cuda/foreground/foreground.h"

#include "tests/emulation/packed_references.h"

#include <stdlib.h>
#include <string.h>

namespace
{

/* --- Opening and closing --- */

/* Stripes in one direction, about as wide as the elements: what becomes of one depends on others that are as far away as
 * the passes reach. One of them ends where a tile does, if its margin is wide enough, or a word narrower. */
Picture8
stripes (uint32_t width, uint32_t height, uint32_t open_size, uint32_t close_size)
{
  Picture8 picture = picture_new (width, height);
  const bool upright = random_below (&rng, 2), from_first = random_below (&rng, 2),
             left_is_set = random_below (&rng, 2);
  const int side = upright ? width : height;
  const int tile = 32 * (24 + 2 * random_below (&rng, 4)), middle = side > tile ? tile : random_below (&rng, side);
  for (int step = -1; step <= 1; step += 2) {
    bool set = step < 0 ? left_is_set : !left_is_set;
    for (int i = step < 0 ? middle - 1 : middle; i >= 0 && i < side; set = !set) {
      const uint32_t size = set == from_first ? open_size : close_size;
      for (int length = 1 + max ((int) size, 2) - 2 + random_below (&rng, 3); length && i >= 0 && i < side; length--) {
        for (uint32_t j = 0; j < (upright ? height : width); j++)
          picture.pixels[upright ? j * width + i : i * width + j] = set;
        i += step;
      }
    }
  }
  return picture;
}

void
check_morphology (
    uint32_t width, uint32_t height, CtrShape shape, uint32_t open_size, uint32_t close_size, bool striped = false)
{
  describe ("%u x %u, shape %d, opened by %u, closed by %u", width, height, shape, open_size, close_size);
  CtrForeground foreground = {};
  foreground.shape = shape;
  foreground.open_size = open_size;
  foreground.close_size = close_size;
  Picture8 picture = striped ? stripes (width, height, open_size, close_size) : random_picture (width, height);
  const PackedMask mask = pack (&picture), to = packed_new (width, height);
  CtrError error;
  CHECK (foreground_queue_morphology (&mask, &to, &foreground, NULL, stream, &error));
  check_packed (&mask, &picture);
  apply (&picture, shape, open_size, false);
  apply (&picture, shape, open_size, true);
  apply (&picture, shape, close_size, true);
  apply (&picture, shape, close_size, false);
  check_packed (&to, &picture);
  cudaFree (mask.bits);
  cudaFree (to.bits);
  free (picture.pixels);
}

void
test_small_morphology ()
{
  for (uint32_t height = 1; height <= 17; height++)
    for (uint32_t width = 1; width <= 17; width++)
      for (uint32_t i = 0; i < (quick ? 1 : 12); i++)
        check_morphology (width, height, random_shape (), random_below (&rng, 19), random_below (&rng, 19));
}

/* Every element, as it opens, closes, and does both with another. */
void
test_elements ()
{
  for (uint32_t size = 0; size <= CTR_MAX_SHAPE_SIZE; size++)
    for (int shape = CTR_SHAPE_RECTANGLE; shape <= CTR_SHAPE_ELLIPSE; shape++) {
      if (quick && size > 9 && size % 16 < 14)
        continue;
      const uint32_t width = 20 + size + random_below (&rng, 100), height = 20 + size + random_below (&rng, 60);
      const uint32_t other = random_below (&rng, size < 16 ? 16 : CTR_MAX_SHAPE_SIZE + 1);
      const uint32_t kind = random_below (&rng, 4);
      for (uint32_t i = 0; i < 4; i++)
        if (!quick || i == kind)
          check_morphology (width, height, (CtrShape) shape, i == 1 ? 0 : size,
              i == 0   ? 0
              : i == 2 ? size
                       : (i == 1 ? size : other));
    }
  if (!quick)
    for (uint32_t i = 0; i < 200; i++)
      check_morphology (64 + random_below (&rng, 90), 64 + random_below (&rng, 60), random_shape (),
          random_below (&rng, CTR_MAX_SHAPE_SIZE + 1), random_below (&rng, CTR_MAX_SHAPE_SIZE + 1));
}

/* Where words and tiles end: tiles are 24 to 30 words wide. */
void
test_morphology_tiles ()
{
  static const uint32_t sides[] = {
      1, 31, 32, 33, 63, 64, 65, 95, 96, 97, 127, 128, 129, 767, 768, 769, 895, 896, 897, 959, 960, 961, 1921};
  static const uint32_t sizes[] = {2, 3, 5, 9, 16, 17, 18, 33, 40, 63};
  for (size_t i = 0; i < LENGTH (sides); i++)
    for (uint32_t j = 0; j < (quick ? i % 2 : 6); j++) {
      const uint32_t *some = sizes + (i + j) % LENGTH (sizes);
      const uint32_t other = sizes[random_below (&rng, LENGTH (sizes))];
      check_morphology (sides[i], 1 + random_below (&rng, 40), random_shape (), *some, quick ? *some : other);
      if (sides[i] < 200)
        check_morphology (1 + random_below (&rng, 70), 3 * sides[i], random_shape (), *some, quick ? *some : other);
    }
}

/* Sizes whose passes together reach the ends of words, over several tiles. */
void
test_margins ()
{
  static const struct {
    uint32_t open_size, close_size;
  } sizes[] = {{16, 16}, {17, 18}, {33, 0}, {34, 0}, {0, 35}, {31, 31}, {31, 33}, {32, 32}, {33, 33}, {34, 32},
      {33, 34}, {47, 48}, {48, 48}, {48, 50}, {63, 33}, {63, 63}, {62, 63}};
  for (size_t i = 0; i < LENGTH (sizes); i++)
    for (uint32_t j = 0; j < (quick ? 2 : 40); j++) {
      const CtrShape shape = quick || j % 2 ? CTR_SHAPE_RECTANGLE : random_shape ();
      check_morphology (970 + random_below (&rng, quick ? 100 : 1000), 1 + random_below (&rng, 6), shape,
          sizes[i].open_size, sizes[i].close_size, true);
      check_morphology (1 + random_below (&rng, 12), 100 + random_below (&rng, 300), shape, sizes[i].open_size,
          sizes[i].close_size, true);
    }
}

/* --- Reconstruction --- */

/* FLAGS: a bit for each field of Reconstruction. Frees both pictures. */
void
check_with_marker (Picture8 picture, Picture8 marker, bool has_marker, uint32_t flags)
{
  const Reconstruction what = {(flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, (flags & 8) != 0};
  const uint32_t pixels = picture.width * picture.height;
  const PackedMask mask = pack (&picture), seed_mask = pack (&marker);
  const PackedMask to = random_below (&rng, 2) ? mask : packed_new (picture.width, picture.height);
  ReconstructionRoom room = room_new (picture.width, picture.height);
  CtrError error;
  CHECK (foreground_queue_reconstruction (
      &mask, has_marker ? &seed_mask : NULL, &to, &what, NULL, &room, NULL, stream, &error));
  for (uint32_t i = 0; i < pixels; i++)
    picture.pixels[i] ^= what.invert_mask;
  Picture8 expected = reconstruct (&picture, has_marker ? &marker : NULL, what.eight_connected);
  for (uint32_t i = 0; i < pixels; i++)
    expected.pixels[i] =
        (what.remove ? picture.pixels[i] && !expected.pixels[i] : expected.pixels[i]) != what.invert_result;
  check_packed (&to, &expected);
  check_packed (&seed_mask, &marker);
  room_free (&room, picture.width, picture.height);
  if (to.bits != mask.bits)
    cudaFree (to.bits);
  cudaFree (mask.bits);
  cudaFree (seed_mask.bits);
  free (expected.pixels);
  free (marker.pixels);
  free (picture.pixels);
}

/* Likewise, with a random marker. */
void
check_reconstruction (Picture8 picture, bool has_marker, uint32_t flags)
{
  const uint32_t pixels = picture.width * picture.height;
  Picture8 marker = picture_new (picture.width, picture.height);
  const uint32_t seeds = random_below (&rng, 3) ? random_below (&rng, 4) : random_below (&rng, pixels);
  for (uint32_t i = 0; i < seeds; i++)
    marker.pixels[random_below (&rng, pixels)] = 1;
  check_with_marker (picture, marker, has_marker, flags);
}

void
test_small_reconstruction ()
{
  for (uint32_t height = 1; height <= 17; height++)
    for (uint32_t width = 1; width <= 17; width++)
      for (uint32_t i = 0; i < (quick ? 1 : 40); i++) {
        const uint32_t flags = random_below (&rng, 16), has_marker = random_below (&rng, 2);
        describe ("%u x %u, marker %u, flags %u", width, height, has_marker, flags);
        check_reconstruction (random_picture (width, height), has_marker, flags);
      }
}

/* Sides at which words and tiles of 256 x 32 end. */
void
test_reconstruction_tiles ()
{
  static const uint32_t widths[] = {1, 31, 32, 33, 64, 65, 127, 128, 129, 255, 256, 257, 288, 511, 512, 513, 600};
  static const uint32_t heights[] = {1, 2, 31, 32, 33, 34, 63, 64, 65, 97};
  for (size_t i = 0; i < LENGTH (widths); i++)
    for (size_t j = 0; j < LENGTH (heights); j++) {
      if (quick && random_below (&rng, 6))
        continue;
      for (uint32_t k = 0; k < (quick ? 1 : 20); k++) {
        const uint32_t flags = random_below (&rng, 16), has_marker = random_below (&rng, 2);
        describe ("%u x %u, marker %u, flags %u", widths[i], heights[j], has_marker, flags);
        check_reconstruction (random_picture (widths[i], heights[j]), has_marker, flags);
      }
    }
}

/* All shapes, with all flags and both markers, over several tiles. */
void
test_reconstruction_shapes ()
{
  uint32_t turn = random_below (&rng, 32);
  for (int shape = 0; shape < SHAPE_COUNT; shape++)
    for (uint32_t i = 0; i < (quick ? 2 : 32); i++) {
      const uint32_t flags = quick ? turn++ : i, width = 257 + random_below (&rng, 300);
      const uint32_t height = 49 + random_below (&rng, 150);
      describe ("%s, %u x %u, marker %u, flags %u", shape_names[shape], width, height, flags >> 4 & 1, flags & 15);
      check_reconstruction ({width, height, shape_new ((Shape) shape, width, height)}, flags >> 4 & 1, flags & 15);
    }
  for (uint32_t density = 0; density <= 100; density += quick ? 20 : 2) {
    const uint32_t flags = random_below (&rng, 32);
    describe ("%u %% of 300 x 130 pixels, marker %u, flags %u", density, flags >> 4, flags & 15);
    check_reconstruction ({300, 130, noise_new (&rng, 300, 130, density, 1)}, flags >> 4, flags & 15);
  }
}

/* Lines that only corners hold together, with a marker at one end: every contact of two words, or of two tiles, is needed. */
void
test_reconstruction_diagonals ()
{
  for (uint32_t start = 0; start < 256 + 32; start += quick ? 11 : 1)
    for (uint32_t kind = 0; kind < 4; kind++) {
      const bool to_left = kind & 1, from_below = kind & 2;
      const uint32_t height = 70, width = 400;
      Picture8 picture = picture_new (width, height), marker = picture_new (width, height);
      for (uint32_t y = 0; y < height; y++) {
        const uint32_t x = to_left ? start + height - y : start + y;
        picture.pixels[y * width + x] = 1;
        if (y == (from_below ? height - 1 : 0))
          marker.pixels[y * width + x] = 1;
      }
      describe ("diagonal from %u on, to the left %d, from below %d", start, to_left, from_below);
      check_with_marker (picture, marker, true, 1);
    }
}

/* --- Hysteresis of samples --- */

/* Samples of WIDE or not, in rows of any alignment: those of MARKER are strong, others of PICTURE are weak. Frees both. */
void
check_hysteresis (Picture8 picture, Picture8 marker, bool wide, bool invert)
{
  const uint32_t width = picture.width, height = picture.height, size = wide ? 2 : 1;
  const uint32_t least = wide ? 300 : 100, strong = least + random_below (&rng, 100);
  const uint32_t offset = random_below (&rng, 2) ? 0 : random_below (&rng, 20) * size;
  const size_t stride =
      random_below (&rng, 2) ? (width * size + 15) / 16 * 16 : (width + random_below (&rng, 9)) * size;
  const size_t bytes = offset + stride * height;
  uint8_t *samples = (uint8_t *) malloc (bytes), *device;
  for (size_t i = 0; i < bytes; i++)
    samples[i] = (uint8_t) random_next (&rng);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      uint8_t *at = samples + offset + y * stride + x * size;
      const size_t i = (size_t) y * width + x;
      marker.pixels[i] = marker.pixels[i] || (picture.pixels[i] && strong == least);
      picture.pixels[i] |= marker.pixels[i];
      const uint32_t sample = marker.pixels[i]    ? strong + random_below (&rng, 55)
                              : picture.pixels[i] ? least + random_below (&rng, strong - least)
                                                  : random_below (&rng, least);
      at[0] = (uint8_t) sample;
      if (wide)
        at[1] = (uint8_t) (sample >> 8);
    }
  CHECK (cudaMalloc ((void **) &device, bytes) == cudaSuccess);
  cudaMemcpyAsync (device, samples, bytes, cudaMemcpyHostToDevice, stream);
  CtrImage plane = {};
  plane.data = device + offset;
  plane.stride = stride;
  plane.width = width;
  plane.height = height;
  plane.format = wide ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8;
  plane.memory = CTR_MEMORY_DEVICE;
  CtrForeground foreground = {};
  foreground.mode = CTR_THRESHOLD_HYSTERESIS;
  foreground.threshold = least;
  foreground.upper_threshold = strong;
  foreground.invert = invert;
  const PackedMask to = packed_new (width, height);
  ReconstructionRoom room = room_new (width, height);
  CtrError error;
  CHECK (foreground_queue_hysteresis (&plane, &foreground, &to, &room, NULL, stream, &error));
  Picture8 expected = reconstruct (&picture, &marker, false);
  for (uint32_t i = 0; i < width * height; i++)
    expected.pixels[i] ^= invert;
  check_packed (&to, &expected);
  room_free (&room, width, height);
  cudaFree (device);
  cudaFree (to.bits);
  free (samples);
  free (expected.pixels);
  free (marker.pixels);
  free (picture.pixels);
}

void
test_hysteresis ()
{
  static const uint32_t widths[] = {1, 15, 16, 17, 33, 255, 256, 257, 271, 513}, heights[] = {1, 17, 31, 32, 33, 65};
  for (size_t i = 0; i < LENGTH (widths) * LENGTH (heights); i++)
    for (uint32_t k = 0; k < (quick ? 1 : 16); k++) {
      const uint32_t width = widths[i % LENGTH (widths)], height = heights[i / LENGTH (widths)];
      const bool wide = random_below (&rng, 2), invert = random_below (&rng, 2);
      describe ("%u x %u, wide %d, invert %d", width, height, wide, invert);
      Picture8 marker = picture_new (width, height);
      for (uint32_t seeds = random_below (&rng, 5); seeds; seeds--)
        marker.pixels[random_below (&rng, width * height)] = 1;
      check_hysteresis (random_picture (width, height), marker, wide, invert);
    }
}

} // namespace

int
main ()
{
  static const Test tests[] = {{"opening and closing, small", test_small_morphology},
      {"opening and closing, elements", test_elements}, {"opening and closing, tiles", test_morphology_tiles},
      {"opening and closing, margins", test_margins}, {"reconstruction, small", test_small_reconstruction},
      {"reconstruction, tiles", test_reconstruction_tiles}, {"reconstruction, shapes", test_reconstruction_shapes},
      {"reconstruction, diagonals", test_reconstruction_diagonals}, {"hysteresis", test_hysteresis}};
  quick = getenv ("CTR_TEST_QUICK");
  CHECK (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking) == cudaSuccess);
  run_tests (tests, LENGTH (tests));
  cudaStreamDestroy (stream);
  return 0;
}
