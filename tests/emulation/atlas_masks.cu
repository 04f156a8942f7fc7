/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares the steps of an atlas of regions with those of each region by itself. CTR_TEST_QUICK=1: fewer of them. */
#include "cuda/foreground/foreground.h"

#include "tests/core/foreground/reference.h"
#include "tests/emulation/packed_references.h"

namespace
{

/* Regions below each other, with an empty row between two, on the host and on the device. */
struct TestAtlas {
  CtrAtlasRegion *places, *on_device;
  uint32_t count, width, height;
  Picture8 picture;

  Atlas
  view () const
  {
    Atlas atlas = {};
    atlas.regions.places = on_device;
    atlas.regions.count = count;
    atlas.regions.width = width;
    atlas.regions.height = height;
    atlas.places = places;
    return atlas;
  }
};

TestAtlas
atlas_new (uint32_t count, uint32_t most_width, uint32_t most_height)
{
  TestAtlas atlas = {};
  atlas.count = count;
  atlas.places = (CtrAtlasRegion *) calloc (count, sizeof *atlas.places);
  for (uint32_t i = 0; i < count; i++) {
    CtrAtlasRegion &at = atlas.places[i];
    at.width = 1 + random_below (&rng, most_width);
    at.height = 1 + random_below (&rng, most_height);
    at.top = i ? atlas.places[i - 1].top + atlas.places[i - 1].height + 1 : 0;
    atlas.width = max (atlas.width, at.width);
    atlas.height = at.top + at.height;
  }
  CHECK (cudaMalloc ((void **) &atlas.on_device, count * sizeof *atlas.places) == cudaSuccess);
  cudaMemcpyAsync (atlas.on_device, atlas.places, count * sizeof *atlas.places, cudaMemcpyHostToDevice, stream);
  atlas.picture = picture_new (atlas.width, atlas.height);
  return atlas;
}

void
atlas_free (TestAtlas *atlas)
{
  CHECK (cudaStreamSynchronize (stream) == cudaSuccess);
  cudaFree (atlas->on_device);
  free (atlas->picture.pixels);
  free (atlas->places);
}

/* Copies PART to region AT of PICTURE, and frees it. */
void
put (Picture8 *picture, const CtrAtlasRegion &at, Picture8 part)
{
  for (uint32_t y = 0; y < at.height; y++)
    memcpy (picture->pixels + (size_t) (at.top + y) * picture->width, part.pixels + (size_t) y * at.width, at.width);
  free (part.pixels);
}

Picture8
get (const Picture8 *picture, const CtrAtlasRegion &at)
{
  Picture8 part = picture_new (at.width, at.height);
  for (uint32_t y = 0; y < at.height; y++)
    memcpy (part.pixels + (size_t) y * at.width, picture->pixels + (size_t) (at.top + y) * picture->width, at.width);
  return part;
}

void
fill (TestAtlas *atlas)
{
  for (uint32_t i = 0; i < atlas->count; i++)
    put (&atlas->picture, atlas->places[i], random_picture (atlas->places[i].width, atlas->places[i].height));
}

void
check_opening_and_closing (TestAtlas *atlas, CtrShape shape, uint32_t open_size, uint32_t close_size)
{
  CtrForeground foreground = {};
  foreground.shape = shape;
  foreground.open_size = open_size;
  foreground.close_size = close_size;
  fill (atlas);
  const PackedMask mask = pack (&atlas->picture), to = packed_new (atlas->width, atlas->height);
  const Atlas view = atlas->view ();
  CtrError error;
  CHECK (foreground_queue_morphology (&mask, &to, &foreground, &view.regions, stream, &error));
  for (uint32_t i = 0; i < atlas->count; i++) {
    Picture8 part = get (&atlas->picture, atlas->places[i]);
    apply (&part, shape, open_size, false);
    apply (&part, shape, open_size, true);
    apply (&part, shape, close_size, true);
    apply (&part, shape, close_size, false);
    put (&atlas->picture, atlas->places[i], part);
  }
  check_packed (&to, &atlas->picture);
  cudaFree (mask.bits);
  cudaFree (to.bits);
}

/* FLAGS: a bit for each field of Reconstruction. */
void
check_reconstruction (TestAtlas *atlas, bool has_marker, uint32_t flags)
{
  const Reconstruction what = {(flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, (flags & 8) != 0};
  Picture8 marker = picture_new (atlas->width, atlas->height);
  fill (atlas);
  for (uint32_t i = 0; i < atlas->count; i++) {
    const CtrAtlasRegion &at = atlas->places[i];
    for (uint32_t seeds = random_below (&rng, 4); seeds; seeds--)
      marker.pixels[(at.top + random_below (&rng, at.height)) * atlas->width + random_below (&rng, at.width)] = 1;
  }
  const PackedMask mask = pack (&atlas->picture), seeds = pack (&marker);
  const Atlas view = atlas->view ();
  ReconstructionRoom room = room_new (atlas->width, atlas->height, atlas->count);
  CtrError error;
  CHECK (foreground_queue_reconstruction (
      &mask, has_marker ? &seeds : NULL, &mask, &what, &view, &room, NULL, stream, &error));
  for (uint32_t i = 0; i < atlas->count; i++) {
    const CtrAtlasRegion &at = atlas->places[i];
    Picture8 part = get (&atlas->picture, at), part_marker = get (&marker, at);
    for (uint32_t k = 0; k < at.width * at.height; k++)
      part.pixels[k] ^= what.invert_mask;
    Picture8 found = reconstruct (&part, has_marker ? &part_marker : NULL, what.eight_connected);
    for (uint32_t k = 0; k < at.width * at.height; k++)
      found.pixels[k] = (what.remove ? part.pixels[k] && !found.pixels[k] : found.pixels[k]) != what.invert_result;
    put (&atlas->picture, at, found);
    free (part.pixels);
    free (part_marker.pixels);
  }
  check_packed (&mask, &atlas->picture);
  room_free (&room, atlas->width, atlas->height, atlas->count);
  cudaFree (mask.bits);
  cudaFree (seeds.bits);
  free (marker.pixels);
}

/* Background beside the regions does not count for their distances. */
void
check_split (TestAtlas *atlas, uint32_t depth)
{
  fill (atlas);
  const PackedMask mask = pack (&atlas->picture);
  const size_t bytes = foreground_split_room (atlas->width, atlas->height);
  const Atlas view = atlas->view ();
  void *room;
  CtrError error;
  CHECK (cudaMalloc (&room, bytes) == cudaSuccess);
  cudaMemsetAsync (room, (int) random_next (&rng), bytes, stream);
  CHECK (foreground_queue_split (&mask, depth, &view, room, stream, &error));
  for (uint32_t i = 0; i < atlas->count; i++) {
    Picture8 part = get (&atlas->picture, atlas->places[i]);
    reference_split (part.pixels, part.width, part.height, depth / 16.);
    put (&atlas->picture, atlas->places[i], part);
  }
  check_packed (&mask, &atlas->picture);
  cudaFree (room);
  cudaFree (mask.bits);
}

/* Samples beside the regions do not count for their neighbourhoods. */
void
check_adaptive (TestAtlas *atlas, CtrThresholdMode mode, uint32_t block_size, CtrFormat format)
{
  CtrForeground foreground = {};
  foreground.mode = mode;
  foreground.block_size = block_size;
  foreground.offset = (int32_t) random_below (&rng, 9) - 4;
  foreground.invert = random_below (&rng, 2);
  const size_t size = ctr_format_pixel_size (format), stride = ctr_aligned_row (atlas->width * size);
  uint8_t *samples = (uint8_t *) malloc (stride * atlas->height);
  const uint32_t values = random_below (&rng, 2) ? 256 : 5;
  for (size_t i = 0; i < stride * atlas->height; i++)
    samples[i] = (uint8_t) random_below (&rng, values);
  CtrImage image = {};
  image.stride = stride;
  image.width = atlas->width;
  image.height = atlas->height;
  image.format = format;
  image.memory = CTR_MEMORY_DEVICE;
  void *on_device, *room = NULL;
  CHECK (cudaMalloc (&on_device, stride * atlas->height) == cudaSuccess);
  cudaMemcpyAsync (on_device, samples, stride * atlas->height, cudaMemcpyHostToDevice, stream);
  image.data = on_device;
  const size_t bytes = foreground_adaptive_room (&image, &foreground);
  const PackedMask mask = pack (&atlas->picture); /* without a pixel */
  const Atlas view = atlas->view ();
  CtrKeptWeights weights = {};
  CtrError error;
  CHECK (bytes == 0 || cudaMalloc (&room, bytes) == cudaSuccess);
  CHECK (foreground_queue_adaptive (&image, &foreground, &weights, room, &mask, &view, stream, &error));
  for (uint32_t i = 0; i < atlas->count; i++) {
    const CtrAtlasRegion &at = atlas->places[i];
    CtrImage part = image;
    part.memory = CTR_MEMORY_HOST;
    part.data = samples + at.top * stride;
    part.width = at.width;
    part.height = at.height;
    Picture8 expected = {at.width, at.height, reference_mask (&part, &foreground, NULL)};
    for (uint32_t k = 0; k < at.width * at.height; k++)
      expected.pixels[k] &= 1;
    put (&atlas->picture, at, expected);
  }
  check_packed (&mask, &atlas->picture);
  cudaFree (room);
  cudaFree (mask.bits);
  cudaFree (on_device);
  free (samples);
}

/* Few large regions, several of all sizes, and more of a few rows than a launch takes. */
TestAtlas
random_atlas (uint32_t i)
{
  const uint32_t kind = i % 4;
  TestAtlas atlas = kind == 0   ? atlas_new (1 + random_below (&rng, 3), 600, 100)
                    : kind == 1 ? atlas_new (1 + random_below (&rng, 20), 300, 40)
                    : kind == 2 ? atlas_new (1 + random_below (&rng, 60), 70, 9)
                                : atlas_new (250 + random_below (&rng, 300), 40, 2);
  describe ("%u regions, %u x %u", atlas.count, atlas.width, atlas.height);
  return atlas;
}

void
test_morphology ()
{
  for (uint32_t i = 0; i < (quick ? 12 : 200); i++) {
    TestAtlas atlas = random_atlas (i);
    const uint32_t most = i % 3 ? 12 : CTR_MAX_SHAPE_SIZE + 1;
    check_opening_and_closing (&atlas, random_shape (), random_below (&rng, most), random_below (&rng, most));
    atlas_free (&atlas);
  }
}

void
test_reconstruction ()
{
  for (uint32_t i = 0; i < (quick ? 32 : 600); i++) {
    TestAtlas atlas = random_atlas (i);
    check_reconstruction (&atlas, random_below (&rng, 2), random_below (&rng, 16));
    atlas_free (&atlas);
  }
}

void
test_split ()
{
  for (uint32_t i = 0; i < (quick ? 12 : 200); i++) {
    TestAtlas atlas = random_atlas (i);
    check_split (&atlas, 1 + random_below (&rng, random_below (&rng, 4) ? 40 : 300));
    atlas_free (&atlas);
  }
}

void
test_adaptive ()
{
  for (uint32_t i = 0; i < (quick ? 12 : 200); i++) {
    TestAtlas atlas = random_atlas (i);
    const uint32_t block_size = 3 + 2 * random_below (&rng, i % 8 == 7 ? 127 : 20);
    check_adaptive (&atlas, random_below (&rng, 3) ? CTR_THRESHOLD_ADAPTIVE_MEAN : CTR_THRESHOLD_ADAPTIVE_GAUSSIAN,
        block_size, random_below (&rng, 2) ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8);
    atlas_free (&atlas);
  }
}

} // namespace

int
main ()
{
  static const Test tests[] = {{"opening and closing", test_morphology}, {"reconstruction", test_reconstruction},
      {"splitting", test_split}, {"neighbourhoods", test_adaptive}};
  quick = getenv ("CTR_TEST_QUICK");
  CHECK (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking) == cudaSuccess);
  run_tests (tests, LENGTH (tests));
  cudaStreamDestroy (stream);
  return 0;
}
