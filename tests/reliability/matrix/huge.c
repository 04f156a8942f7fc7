/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* huge BACKEND
 *
 * Pictures of 16384 x 16384, 32768 x 32768 and more than 2^31 pixels, empty but for a square in each corner and in the middle: the
 * results are exact, or there is one error that says why. The memory of the pictures is that of the squares: other pages are
 * never written. CTR_TEST_FULL=1 takes all of them, for which a host needs 12 gigabytes and minutes; otherwise only one of 4096 x
 * 2176 pixels. */
#include "tests/core/borders/testing.h"
#include "tests/core/cca/testing.h"
#include "tests/core/cracks/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SQUARES = 5, SIDE = 3 };

typedef struct {
  uint32_t width, height;
  bool draws; /* Pictures are made, too, which are as large. */
} Size;

static const Size sizes[] = {{4096, 2176, true}, {16384, 16384, true}, {32768, 32768, true}, {65535, 32770, false}};

static Setup setup;

/* The upper left pixel of square I, in raster order. */
static CtrPoint
square_at (const Size *size, int i)
{
  const uint16_t right = (uint16_t) (size->width - SIDE), bottom = (uint16_t) (size->height - SIDE);
  const CtrPoint points[SQUARES] = {{0, 0}, {right, 0}, {right / 2, bottom / 2}, {0, bottom}, {right, bottom}};
  return points[i];
}

static uint8_t *
picture_new (const Size *size)
{
  uint8_t *pixels = mmap (NULL, (size_t) size->width * size->height, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pixels == MAP_FAILED)
    skip ("no address space");
  for (int i = 0; i < SQUARES; i++)
    for (uint32_t y = 0; y < SIDE; y++)
      memset (pixels + (size_t) (square_at (size, i).y + y) * size->width + square_at (size, i).x, 200, SIDE);
  return pixels;
}

/* Is it a refusal that is allowed? Prints it. */
static bool
is_refused (const void *result, const CtrError *error)
{
  if (result)
    return false;
  CHECK (error->status == CTR_ERROR_TOO_LARGE || error->status == CTR_ERROR_OUT_OF_MEMORY);
  CHECK (strlen (error->message) > 20);
  printf ("  refused: %s\n", error->message);
  return true;
}

static void
check_components (const Size *size, const CtrImage *image)
{
  CtrCca *cca = analyser_new (&setup);
  const CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 128, false, CTR_FEATURE_MOMENTS | CTR_FEATURE_BACKGROUND);
  CtrError error;
  CtrComponents *components = ctr_cca_run (cca, image, &params, setup.stream, &error);
  if (!is_refused (components, &error)) {
    CHECK (components->count == SQUARES);
    for (int i = 0; i < SQUARES; i++) {
      const CtrPoint at = square_at (size, i);
      const CtrComponent expected = {.sum_x = 9 * ((uint64_t) at.x + 1),
          .sum_y = 9 * ((uint64_t) at.y + 1),
          .area = 9,
          .left = at.x,
          .top = at.y,
          .width = SIDE,
          .height = SIDE,
          .start_x = at.x};
      CHECK (memcmp (components->table + i, &expected, sizeof expected) == 0);
    }
    CHECK (components->background.area == (uint32_t) ((uint64_t) size->width * size->height - 9 * SQUARES));
    ctr_components_unref (components);
  }
  ctr_cca_free (cca);
}

/* The contours of all squares, of EXTENT and of so many POINTS each, in any order. Takes RESULT. */
static void
check_squares (const Size *size, CtrContours *result, uint32_t extent, uint32_t points)
{
  const Contours contours = contours_of (result);
  CHECK (contours.info.count == SQUARES && contours.info.point_count == SQUARES * points);
  for (int i = 0; i < SQUARES; i++) {
    bool found = false;
    for (int k = 0; k < SQUARES; k++) {
      const CtrContour *row = contours.table + k;
      const CtrPoint at = square_at (size, i);
      found |= row->left == at.x && row->top == at.y && row->width == extent && row->height == extent
               && row->count == points && row->parent < 0 && !row->flags;
    }
    CHECK (found);
  }
  ctr_contours_unref (result);
}

static void
check_contours (const Size *size, const CtrImage *image)
{
  CtrBorders *borders = follower_new (&setup);
  CtrBordersParams params = borders_params_of (CTR_RETRIEVE_TREE, CTR_APPROXIMATION_NONE, 128, false);
  CtrError error;
  CtrContours *contours = ctr_borders_run (borders, image, &params, setup.stream, &error);
  if (!is_refused (contours, &error))
    check_squares (size, contours, SIDE, 4 * (SIDE - 1));
  ctr_borders_free (borders);

  CtrCracks *cracks = tracer_new (&setup);
  CtrCracksParams levels = cracks_params_of (CTR_LEVELS_AT_LEAST, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
  levels.minimum = levels.maximum = 128;
  contours = ctr_cracks_run (cracks, image, &levels, setup.stream, &error);
  if (!is_refused (contours, &error))
    check_squares (size, contours, SIDE, 4);
  ctr_cracks_free (cracks);
}

/* Masks of the foreground, and of edges: as many pixels as the squares have, or their outlines. */
static void
check_masks (const Size *size, const CtrImage *image)
{
  const size_t pixels = (size_t) size->width * size->height;
  const CtrForeground foreground = {.threshold = 128};
  CtrMask *maker = ctr_mask_new (setup.backend, NULL);
  CtrEdgePicture picture;
  CtrError error;
  uint8_t *mask = mmap (NULL, pixels, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK (maker && mask != MAP_FAILED);
  ctr_edge_picture_init_mask (&picture, mask, size->width, CTR_MEMORY_HOST);
  if (!is_refused (ctr_mask_run (maker, image, &foreground, &picture, setup.stream, &error) ? maker : NULL, &error)) {
    uint64_t sum = 0;
    for (size_t i = 0; i < pixels; i++)
      sum += mask[i];
    CHECK (sum == 255 * 9 * SQUARES);
    for (int i = 0; i < SQUARES; i++)
      CHECK (mask[(size_t) square_at (size, i).y * size->width + square_at (size, i).x] == 255);
  }
  munmap (mask, pixels);
  ctr_mask_free (maker);
}

/* A chequerboard with more passages than 32 bits can count, which a GPU refuses. The host would need hundreds of gigabytes. */
static void
check_too_many (const Size *size)
{
  const size_t width = size->width;
  uint8_t *pixels = picture_new (size);
  const CtrImage image = {
      .data = pixels, .stride = width, .width = size->width, .height = size->height, .format = CTR_FORMAT_GRAY8};
  CtrBorders *borders = follower_new (&setup);
  const CtrBordersParams params = borders_params_of (CTR_RETRIEVE_LIST, CTR_APPROXIMATION_SIMPLE, 128, false);
  CtrError error;
  for (size_t x = 0; x < width + 1; x++)
    pixels[x] = x % 2 ? 0 : 200;
  for (size_t y = 1; y < size->height; y++)
    memmove (pixels + y * width, pixels + y % 2, width);
  const CtrContours *contours = ctr_borders_run (borders, &image, &params, setup.stream, &error);
  CHECK (
      is_refused (contours, &error) && error.status == CTR_ERROR_OUT_OF_MEMORY && strstr (error.message, "2147483647"));
  ctr_borders_free (borders);
  munmap (pixels, width * size->height);
}

int
main (int argc, char **argv)
{
  const char *full = getenv ("CTR_TEST_FULL");
  const size_t count = full && strcmp (full, "0") != 0 ? LENGTH (sizes) : 1;
  setup = setup_open (argv[1], false);
  for (size_t i = 0; i < count && !setup.quick; i++) {
    uint8_t *pixels = picture_new (&sizes[i]);
    const CtrImage image = {.data = pixels,
        .stride = sizes[i].width,
        .width = sizes[i].width,
        .height = sizes[i].height,
        .format = CTR_FORMAT_GRAY8};
    describe ("%u x %u", sizes[i].width, sizes[i].height);
    printf ("%u x %u\n", sizes[i].width, sizes[i].height);
    check_components (&sizes[i], &image);
    check_contours (&sizes[i], &image);
    if (sizes[i].draws)
      check_masks (&sizes[i], &image);
    munmap (pixels, (size_t) sizes[i].width * sizes[i].height);
    fflush (stdout);
  }
  if (count > 1 && setup.backend == CTR_BACKEND_CUDA)
    check_too_many (&sizes[LENGTH (sizes) - 1]);
  return 0;
}
