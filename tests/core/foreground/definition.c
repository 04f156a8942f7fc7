/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares masks with the definition: every small size, the sides at which words end, every structuring element, every
 * block size, every channel of every format, and pictures of every kind. */
#include "tests/core/canny/reference.h"
#include "tests/core/canny/testing.h"
#include "tests/core/cca/testing.h"
#include "tests/core/common/gpu.h"
#include "tests/core/foreground/reference.h"
#include "tests/core/foreground/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrMask *maker;
static Random rng = {11};

static void
compare_random (const char *name, uint32_t width, uint32_t height, uint32_t most)
{
  Scene scene = random_scene (&rng, width, height);
  const CtrForeground foreground = random_foreground (&rng, &scene.picture.view, most);
  describe_mask (name, &scene.picture.view, &foreground);
  check_mask (maker, &setup, &scene.picture.view, &foreground);
  scene_free (&scene);
}

static void
test_small_sizes (void)
{
  const uint32_t step = setup.quick ? 7 : 1;
  for (uint32_t i = 0; i < 17 * 17; i += step)
    for (uint32_t k = 0; k < 24 / step + 1; k++)
      compare_random ("small", 1 + i % 17, 1 + i / 17, 20);
}

static void
test_sides (void)
{
  static const uint32_t sides[] = {1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257};
  const uint32_t count = LENGTH (sides), step = setup.quick ? 11 : 1;
  for (uint32_t i = 0; i < count * count; i += step)
    compare_random ("sides", sides[i % count], sides[i / count], sides[i % count] * sides[i / count] > 9000 ? 5 : 20);
  for (uint32_t i = 0; i < 300; i += step) {
    compare_random ("one row", 1 + i, 1, CTR_MAX_SHAPE_SIZE);
    compare_random ("one column", 1, 1 + i, CTR_MAX_SHAPE_SIZE);
  }
  for (uint32_t i = 0; i < (setup.quick ? 2 : 8); i++) {
    compare_random ("long row", 65535, 1, 3);
    compare_random ("long column", 1, 65535, 3);
  }
}

/* A mask as it is. Takes MASK. */
static void
compare_shape (const char *name, uint8_t *mask, uint32_t width, uint32_t height, CtrForeground foreground)
{
  foreground.threshold = 1;
  const CtrImage image = {.data = mask, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
  describe_mask (name, &image, &foreground);
  check_mask (maker, &setup, &image, &foreground);
  free (mask);
}

/* Dots and holes, so that an element shows its form, and noise. */
static void
test_elements (void)
{
  const uint32_t width = 97, height = 41;
  for (uint32_t size = 0; size <= CTR_MAX_SHAPE_SIZE; size += setup.quick ? 9 : 1)
    for (uint32_t shape = CTR_SHAPE_RECTANGLE; shape <= CTR_SHAPE_ELLIPSE; shape++)
      for (uint32_t kind = size < 12 ? 0 : (size + shape) % 4; kind < 4; kind += size < 12 ? 1 : 4) {
        uint8_t *mask =
            noise_new (&rng, width, height, kind < 2 ? 0 : 30 + 40 * (kind % 2), 1 + random_below (&rng, 9));
        for (uint32_t i = 0; i < 3 && kind < 2; i++)
          mask[random_below (&rng, width * height)] = 1;
        const CtrForeground foreground = {.invert = kind == 1,
            .shape = (CtrShape) shape,
            .open_size = kind % 2 ? size : 0,
            .close_size = kind == 1 ? 0 : size};
        compare_shape ("elements", mask, width, height, foreground);
      }
}

static void
test_blocks (void)
{
  for (uint32_t size = CTR_MIN_BLOCK_SIZE; size <= CTR_MAX_BLOCK_SIZE; size += setup.quick ? 26 : 2)
    for (uint32_t i = 0; i < 4; i++) {
      const Layout layout = {.format = i % 2 ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8, .padding = 2 * i};
      const uint32_t width = 1 + random_below (&rng, 90), height = 1 + random_below (&rng, 70);
      uint8_t *grey = grey_new (&rng, width, height);
      Picture picture = random_below (&rng, 2) ? picture_of_grey (&rng, grey, width, height, layout)
                                               : picture_random (&rng, width, height, layout);
      const CtrForeground foreground = {.mode = i < 2 ? CTR_THRESHOLD_ADAPTIVE_MEAN : CTR_THRESHOLD_ADAPTIVE_GAUSSIAN,
          .block_size = size,
          .offset = (int32_t) random_below (&rng, 9) - 4};
      describe_mask ("blocks", &picture.view, &foreground);
      check_mask (maker, &setup, &picture.view, &foreground);
      picture_free (&picture);
      free (grey);
    }
}

/* Samples that are all the least or the greatest, or nearly: sums at the ends of their range, and halves. */
static void
test_extremes (void)
{
  static const CtrFormat formats[] = {CTR_FORMAT_GRAY8, CTR_FORMAT_GRAY16};
  static const uint32_t sizes[] = {3, 5, 7, 9, 11, 15, 17, 255};
  for (uint32_t i = 0; i < LENGTH (sizes) * 16; i++) {
    const CtrFormat format = formats[i % 2];
    const uint32_t width = 40, height = 9, levels = format == CTR_FORMAT_GRAY16 ? 65536 : 256;
    const uint32_t base = i / 2 % 2 ? levels - 3 : 0, spread = i / 4 % 2 ? 1 : 3;
    Picture picture = picture_random (&rng, width, height, (Layout){.format = format});
    for (uint32_t p = 0; p < width * height; p++) {
      const uint32_t sample = base + (spread == 1 ? 2 : random_below (&rng, spread));
      if (levels > 256)
        ((uint16_t *) picture.memory)[p] = (uint16_t) sample;
      else
        ((uint8_t *) picture.memory)[p] = (uint8_t) sample;
    }
    for (int32_t offset = -2; offset <= 2; offset++) {
      const CtrForeground foreground = {
          .mode = i / 8 % 2 ? CTR_THRESHOLD_ADAPTIVE_MEAN : CTR_THRESHOLD_ADAPTIVE_GAUSSIAN,
          .block_size = sizes[i / 16],
          .offset = offset == 2    ? 65535
                    : offset == -2 ? -65535
                                   : offset};
      describe_mask ("extremes", &picture.view, &foreground);
      check_mask (maker, &setup, &picture.view, &foreground);
    }
    picture_free (&picture);
  }
}

static void
test_channels (void)
{
  for (CtrFormat format = CTR_FORMAT_RGB; format <= CTR_FORMAT_VYUY; format++)
    for (int channel = 0; channel < CTR_CHANNELS; channel++)
      for (int mode = CTR_THRESHOLD_FIXED; mode <= CTR_THRESHOLD_HYSTERESIS; mode += setup.quick ? 3 : 1) {
        if (format >= CTR_FORMAT_YUYV && channel != CTR_CHANNEL_LUMA && channel < CTR_CHANNEL_CB)
          continue; /* which packed YUV does not have */
        Picture picture = picture_random (
            &rng, 70 + random_below (&rng, 70), 1 + random_below (&rng, 20), (Layout){.format = format, .padding = 5});
        const CtrForeground foreground = {.mode = (CtrThresholdMode) mode,
            .threshold = 100,
            .upper_threshold = 150,
            .block_size = 7,
            .channel = (CtrChannel) channel};
        describe_mask ("channels", &picture.view, &foreground);
        check_mask (maker, &setup, &picture.view, &foreground);
        picture_free (&picture);
      }
}

/* Lines that wind through the whole image. */
static void
test_connections (void)
{
  static const uint32_t sizes[][2] = {{17, 15}, {64, 64}, {130, 67}, {259, 131}};
  for (size_t i = 0; i < LENGTH (sizes) - (setup.quick ? 1 : 0); i++)
    for (int shape = 0; shape < SHAPE_COUNT; shape++)
      for (int kind = 0; kind < 4; kind++) {
        const CtrForeground foreground = {.invert = kind / 2,
            .fill_holes = kind % 2 == 0,
            .split_touching = random_below (&rng, 40),
            .clear_border = kind % 2 == 1};
        compare_shape (shape_names[shape], shape_new ((Shape) shape, sizes[i][0], sizes[i][1]), sizes[i][0],
            sizes[i][1], foreground);
        /* Hysteresis: one pixel of the line is strong. */
        uint8_t *mask = shape_new ((Shape) shape, sizes[i][0], sizes[i][1]);
        uint32_t place = random_below (&rng, sizes[i][0] * sizes[i][1]);
        mask[place] = (uint8_t) (mask[place] * 2);
        compare_shape (shape_names[shape], mask, sizes[i][0], sizes[i][1],
            (CtrForeground){.mode = CTR_THRESHOLD_HYSTERESIS, .upper_threshold = 2, .invert = kind == 3});
      }
}

/* Discs that overlap a little, some of them with ragged edges. */
static uint8_t *
discs_new (uint32_t width, uint32_t height, uint32_t radius)
{
  uint8_t *mask = calloc ((size_t) width * height, 1);
  const bool ragged = random_below (&rng, 2);
  for (uint32_t count = 1 + random_below (&rng, 2 * width * height / (radius * radius * 3) + 1); count > 0; count--) {
    const int64_t cx = random_below (&rng, width), cy = random_below (&rng, height);
    for (int64_t y = 0; y < height; y++)
      for (int64_t x = 0; x < width; x++) {
        const int64_t r = radius - (ragged ? random_below (&rng, 2) : 0);
        if ((x - cx) * (x - cx) + (y - cy) * (y - cy) <= r * r)
          mask[y * width + x] = 1;
      }
  }
  return mask;
}

static void
test_touching (void)
{
  for (uint32_t i = 0; i < (setup.quick ? 60 : 1000); i++) {
    const uint32_t width = 1 + random_below (&rng, i % 8 ? 90 : 260),
                   height = 1 + random_below (&rng, i % 8 ? 70 : 150);
    uint8_t *mask = random_below (&rng, 4)
                        ? discs_new (width, height, 2 + random_below (&rng, 24))
                        : noise_new (&rng, width, height, 30 + random_below (&rng, 70), 1 + random_below (&rng, 12));
    compare_shape ("touching", mask, width, height,
        (CtrForeground){.split_touching = 1 + random_below (&rng, random_below (&rng, 3) ? 64 : CTR_MAX_SPLIT_DEPTH)});
  }
}

/* Chains of discs come apart, one part each. */
static void
test_chains (void)
{
  enum { RADIUS = 12, DISCS = 9 };
  for (uint32_t distance = RADIUS; distance <= 2 * RADIUS; distance++)
    for (int upright = 0; upright < 2; upright++) {
      const uint32_t length = distance * (DISCS - 1) + 2 * RADIUS + 3, across = 2 * RADIUS + 3;
      const uint32_t width = upright ? across : length, height = upright ? length : across;
      uint8_t *mask = calloc (length, across);
      for (uint32_t i = 0; i < length * across; i++)
        for (uint32_t k = 0; k < DISCS; k++) {
          const int64_t x = i % width, y = i / width, along = RADIUS + 1 + distance * k, aside = RADIUS + 1;
          const int64_t dx = x - (upright ? aside : along), dy = y - (upright ? along : aside);
          mask[i] |= dx * dx + dy * dy <= RADIUS * RADIUS;
        }
      /* Between centres, half the width of the neck is left. */
      const double neck = sqrt (RADIUS * RADIUS - distance * distance / 4.);
      const CtrForeground foreground = {.threshold = 1, .split_touching = 32};
      const CtrImage image = {.data = mask, .stride = width, .width = width, .height = height};
      uint8_t *parts = make_mask (maker, &setup, &image, &foreground);
      CtrCca *cca = analyser_new (&setup);
      const CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 1, false, 0);
      const CtrImage result = {.data = parts, .stride = width, .width = width, .height = height};
      CtrComponents *components = analyse (cca, &setup, &result, &params);
      describe ("%d discs with a radius of %d, %u apart: %u parts", DISCS, RADIUS, distance, components->count);
      if (RADIUS - neck > 3)
        CHECK (components->count == DISCS);
      if (RADIUS - neck < 1)
        CHECK (components->count == 1);
      check_mask (maker, &setup, &image, &foreground);
      ctr_components_unref (components);
      ctr_cca_free (cca);
      free (parts);
      free (mask);
    }
}

/* Of a picture of several planes, each pixel, and nothing beside them. */
static void
test_pictures (void)
{
  for (uint32_t i = 0; i < (setup.quick ? 20 : 200); i++) {
    const uint32_t most = i % 3 ? 150 : 700;
    Scene scene = random_scene (&rng, 1 + random_below (&rng, most), 1 + random_below (&rng, 150));
    const CtrImage *image = &scene.picture.view;
    const CtrForeground foreground = random_foreground (&rng, image, 5);
    const bool on_device = setup.backend == CTR_BACKEND_CUDA && random_below (&rng, 2);
    CtrEdgePicture picture = {.plane_count = 1 + random_below (&rng, 4)}, expected;
    uint8_t *memory[2 * CTR_EDGE_MAX_PLANES];
    size_t bytes[CTR_EDGE_MAX_PLANES];
    picture.memory = on_device ? CTR_MEMORY_DEVICE : CTR_MEMORY_HOST;
    for (uint32_t p = 0; p < picture.plane_count; p++) {
      CtrEdgePlane *plane = &picture.planes[p];
      *plane = (CtrEdgePlane){.pixel_size = 1 + random_below (&rng, 4),
          .x_shift = random_below (&rng, 3),
          .y_shift = random_below (&rng, 3)};
      plane->stride = ((image->width - 1) >> plane->x_shift) * plane->pixel_size + 4 + random_below (&rng, 40);
      bytes[p] = (((image->height - 1) >> plane->y_shift) + 1) * plane->stride;
      for (int k = 0; k < 4; k++) {
        plane->edge[k] = (uint8_t) random_next (&rng);
        plane->background[k] = (uint8_t) random_next (&rng);
      }
      for (int k = 0; k < 2; k++) {
        memory[2 * p + k] = malloc (bytes[p]);
        memset (memory[2 * p + k], 77, bytes[p]);
      }
      plane->data = on_device ? gpu_alloc (bytes[p]) : memory[2 * p];
      if (on_device)
        gpu_upload (plane->data, memory[2 * p], bytes[p]);
    }
    expected = picture;
    for (uint32_t p = 0; p < picture.plane_count; p++)
      expected.planes[p].data = memory[2 * p + 1];
    CtrError error;
    describe_mask (on_device ? "pictures on the device" : "pictures", image, &foreground);
    if (!ctr_mask_run (maker, image, &foreground, &picture, setup.stream, &error))
      fail (__FILE__, __LINE__, error.message);
    uint8_t *mask = reference_mask (image, &foreground, NULL);
    reference_paint (&expected, mask, image->width, image->height);
    for (uint32_t p = 0; p < picture.plane_count; p++) {
      if (on_device) {
        gpu_download (memory[2 * p], picture.planes[p].data, bytes[p]);
        gpu_free (picture.planes[p].data);
      }
      CHECK (memcmp (memory[2 * p], memory[2 * p + 1], bytes[p]) == 0);
      free (memory[2 * p]);
      free (memory[2 * p + 1]);
    }
    free (mask);
    scene_free (&scene);
  }
}

/* A shared input gives the same masks, also where another channel is asked for first. */
static void
test_shared_input (void)
{
  CtrInput *input = ctr_input_new (NULL);
  for (uint32_t i = 0; i < (setup.quick ? 10 : 100); i++) {
    Scene scene = random_scene (&rng, 1 + random_below (&rng, 150), 1 + random_below (&rng, 100));
    ctr_input_set_current (input);
    for (int k = 0; k < 4; k++) {
      CtrForeground foreground = random_foreground (&rng, &scene.picture.view, 5);
      if (random_below (&rng, 2))
        foreground.mode = CTR_THRESHOLD_OTSU;
      describe_mask ("shared input", &scene.picture.view, &foreground);
      check_mask (maker, &setup, &scene.picture.view, &foreground);
    }
    ctr_input_set_current (NULL);
    ctr_input_clear (input);
    scene_free (&scene);
  }
  ctr_input_free (input);
}

static void
test_random (void)
{
  for (uint32_t i = 0; i < (setup.quick ? 40 : 1500); i++)
    compare_random ("random", 1 + random_below (&rng, 200), 1 + random_below (&rng, 120), i % 16 ? 6 : 30);
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {{"small sizes", test_small_sizes}, {"sides", test_sides}, {"elements", test_elements},
      {"blocks", test_blocks}, {"extremes", test_extremes}, {"channels", test_channels},
      {"connections", test_connections}, {"touching", test_touching}, {"chains", test_chains},
      {"pictures", test_pictures}, {"shared input", test_shared_input}, {"random", test_random}};
  setup = setup_open (argv[1], false);
  maker = mask_maker_new (&setup);
  run_tests (tests, LENGTH (tests));
  ctr_mask_free (maker);
  return 0;
}
