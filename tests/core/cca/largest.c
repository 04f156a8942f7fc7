/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Analyses the largest image, 65535 x 65535, in which every index and sum reaches its limit. The test maps sixteen rows
 * of memory over and over, so the image takes no memory. */
#include "tests/core/cca/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIDE ((uint64_t) CTR_MAX_SIDE)
#define STRIDE 65536
#define PERIOD 16 /* rows */

static Setup setup;
static CtrCca *cca;
static uint8_t *rows; /* the PERIOD rows, writable */
static CtrImage image = {.stride = STRIDE, .width = CTR_MAX_SIDE, .height = CTR_MAX_SIDE, .format = CTR_FORMAT_GRAY8};

static void
map_image (void)
{
  const size_t block = (size_t) PERIOD * STRIDE, size = (SIDE + 1) * STRIDE;
  const int file = memfd_create ("rows", 0);
  if (file < 0 || ftruncate (file, (off_t) block) != 0)
    skip ("no memory file");
  rows = mmap (NULL, block, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  uint8_t *whole = mmap (NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (rows == MAP_FAILED || whole == MAP_FAILED)
    skip ("no 4 GiB of address space");
  for (size_t at = 0; at < size; at += block)
    if (mmap (whole + at, block, PROT_READ, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
      skip ("too few memory mappings");
  close (file);
  image.data = whole;
}

static CtrComponents *
run (const CtrCcaParams *params)
{
  CtrError error;
  CtrComponents *components = ctr_cca_run (cca, &image, params, setup.stream, &error);
  if (!components && error.status == CTR_ERROR_OUT_OF_MEMORY)
    skip (error.message);
  CHECK (components);
  return components;
}

int
main (int argc, char **argv)
{
  const uint64_t sum = (SIDE - 1) * SIDE / 2, squares = (SIDE - 1) * SIDE * (2 * SIDE - 1) / 6; /* of 0 .. SIDE - 1 */
  setup = setup_open (argv[1], false);
  if (setup.quick)
    skip ("takes seconds");
  map_image ();
  cca = analyser_new (&setup);
  CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 255, false, CTR_FEATURE_MOMENTS);

  describe ("one component of all pixels");
  memset (rows, 255, (size_t) PERIOD * STRIDE);
  CtrComponents *c = run (&params);
  CHECK (c->count == 1);
  const CtrComponent all = {.sum_x = sum * SIDE,
      .sum_y = sum * SIDE,
      .area = (uint32_t) (SIDE * SIDE),
      .width = CTR_MAX_SIDE,
      .height = CTR_MAX_SIDE};
  CHECK (memcmp (c->table, &all, sizeof all) == 0);
  CHECK (c->moments->sum_xx == squares * SIDE && c->moments->sum_yy == squares * SIDE);
  CHECK (c->moments->sum_xy == sum * sum);
  ctr_components_unref (c);

  describe ("every sixteenth column");
  memset (rows, 0, (size_t) PERIOD * STRIDE);
  for (uint32_t y = 0; y < PERIOD; y++)
    for (uint32_t x = 0; x < SIDE; x += 16)
      rows[y * STRIDE + x] = 255;
  params.features = 0;
  c = run (&params);
  CHECK (c->count == 4096);
  for (uint32_t i = 0; i < c->count; i++) {
    const CtrComponent column = {.sum_x = 16 * i * SIDE,
        .sum_y = sum,
        .area = CTR_MAX_SIDE,
        .left = (uint16_t) (16 * i),
        .width = 1,
        .height = CTR_MAX_SIDE,
        .start_x = (uint16_t) (16 * i)};
    CHECK (memcmp (c->table + i, &column, sizeof column) == 0);
  }
  ctr_components_unref (c);

  describe ("a dash at the end of every sixteenth row, and Otsu's threshold of 4 thousand million samples");
  memset (rows, 40, (size_t) PERIOD * STRIDE);
  memset (rows + SIDE - 7, 200, 7);
  params.foreground.mode = CTR_THRESHOLD_OTSU;
  c = run (&params);
  CHECK (c->threshold == 41);
  CHECK (c->count == 4096);
  for (uint32_t i = 0; i < c->count; i++) {
    const CtrComponent dash = {.sum_x = 7 * (SIDE - 4),
        .sum_y = 7 * (uint64_t) PERIOD * i,
        .area = 7,
        .left = (uint16_t) (SIDE - 7),
        .top = (uint16_t) (PERIOD * i),
        .width = 7,
        .height = 1,
        .start_x = (uint16_t) (SIDE - 7)};
    CHECK (memcmp (c->table + i, &dash, sizeof dash) == 0);
  }
  ctr_components_unref (c);
  ctr_cca_free (cca);
  return 0;
}
