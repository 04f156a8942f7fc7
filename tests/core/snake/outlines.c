/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares the outlines of automatic starts with their reference, in the history of searches that end soon. */
#include "tests/core/snake/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Setup setup;
static Random rng = {11};
static CtrSnake *snake;
static Setup cpu;
static CtrSnake *on_cpu;

/* Blocks of SIDE pixels, 1 where they are bright. */
typedef struct {
  uint32_t side, columns, rows;
  uint8_t *bright;
} Blocks;

static Blocks
blocks_new (uint32_t side, uint32_t columns, uint32_t rows)
{
  return (Blocks){side, columns, rows, calloc ((size_t) columns * rows, 1)};
}

static void
fill (Blocks *b, uint32_t x, uint32_t y, uint32_t width, uint32_t height, uint8_t value)
{
  for (uint32_t row = y; row < y + height && row < b->rows; row++)
    for (uint32_t column = x; column < x + width && column < b->columns; column++)
      b->bright[row * b->columns + column] = value;
}

/* The pixels of B, the last ones of rows and columns cut off by CUT, with samples of a narrow range for each value. */
static Picture
draw (const Blocks *b, uint32_t cut, CtrFormat format, uint32_t noise)
{
  const Layout layout = {.format = format, .padding = 2 * (cut % 3)};
  Picture picture = picture_random (&rng, b->columns * b->side - cut, b->rows * b->side - cut, layout);
  for (uint32_t y = 0; y < picture.view.height; y++)
    for (uint32_t x = 0; x < picture.view.width; x++) {
      uint8_t *row = (uint8_t *) picture.memory + layout.offset + y * picture.view.stride;
      const uint32_t base = b->bright[y / b->side * b->columns + x / b->side] ? 150 : 80;
      const uint32_t sample = base + random_below (&rng, noise + 1);
      if (format == CTR_FORMAT_GRAY16)
        ((uint16_t *) row)[x] = (uint16_t) (200 * sample);
      else
        row[x] = (uint8_t) sample;
    }
  return picture;
}

/* The start and the first iteration, in the history. */
static CtrSnakeParams
short_params (void)
{
  CtrSnakeParams params;
  ctr_snake_params_init (&params);
  params.history = true;
  params.max_iterations = 1;
  params.prune = false;
  return params;
}

/* The number of points of the start: that of a rectangle has 4. */
static uint32_t
start_points (const Picture *picture)
{
  const CtrSnakeParams params = short_params ();
  const CtrSnakeObject object = {.start = CTR_SNAKE_START_AUTO};
  CtrContours *contours = run_snake (snake, &setup, &picture->view, &params, &object, 1);
  const SnakeResult result = snake_result_of (contours);
  const uint32_t count = result.history.state_count > 0 ? result.history.states[0].count : 0;
  ctr_contours_unref (contours);
  return count;
}

/* The picture of B, and whether the start must be an outline. Takes B. */
static void
check_blocks (Blocks b, uint32_t cut, bool outlined)
{
  const CtrFormat format = cut % 2 ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8;
  Picture picture = draw (&b, cut, format, 6);
  const CtrSnakeParams params = short_params ();
  const CtrSnakeObject object = {.start = CTR_SNAKE_START_AUTO};
  describe_snake ("blocks", &picture.view, &params, &object, 1);
  check_snake (snake, &setup, &picture.view, &params, &object, 1);
  if (outlined)
    CHECK (start_points (&picture) > 4);
  picture_free (&picture);
  free (b.bright);
}

/* Rectangles and lines of blocks on top of one another, bright and dark: components, holes, and corners that touch. */
static void
test_random (void)
{
  for (uint32_t i = 0; i < (setup.quick ? 40 : 400); i++) {
    const bool wide = i % 8 == 7; /* words end after 30 and 62 columns of blocks */
    const uint32_t columns = wide ? 29 + random_below (&rng, 36) : 1 + random_below (&rng, 20);
    const uint32_t rows = wide ? 3 + random_below (&rng, 8) : 1 + random_below (&rng, 20);
    Blocks b = blocks_new (4, columns, rows);
    for (uint32_t k = 1 + random_below (&rng, 9); k > 0; k--) {
      const uint32_t thick = 1 + random_below (&rng, 4), length = 1 + random_below (&rng, 16);
      const bool upright = random_below (&rng, 2);
      fill (&b, random_below (&rng, columns), random_below (&rng, rows), upright ? thick : length,
          upright ? length : thick, random_below (&rng, 4) > 0);
    }
    check_blocks (b, random_below (&rng, 4), false);
  }
}

/* Blocks that are bright at random: many components of odd shapes. */
static void
test_noise (void)
{
  for (uint32_t percent = 35; percent <= 65; percent += setup.quick ? 10 : 1) {
    Blocks b = blocks_new (4, 24 + percent % 7, 17);
    for (uint32_t i = 0; i < b.columns * b.rows; i++)
      b.bright[i] = random_below (&rng, 100) < percent;
    check_blocks (b, percent % 4, false);
  }
}

/* A ring is filled; so is one whose ends meet at a corner only; one with a gap is not. */
static void
test_rings (void)
{
  for (uint32_t gap = 0; gap <= 2; gap++) {
    Blocks b = blocks_new (4, 30, 26);
    fill (&b, 4, 4, 20, 18, 1);
    fill (&b, 8, 8, 12, 10, 0);
    if (gap == 2)
      fill (&b, 12, 4, 3, 4, 0);
    if (gap == 1) { /* two arms whose corners meet */
      fill (&b, 4, 4, 20, 4, 0);
      fill (&b, 4, 3, 8, 3, 1);
      fill (&b, 12, 6, 12, 3, 1);
      fill (&b, 4, 6, 3, 4, 1);
      fill (&b, 21, 6, 3, 4, 1);
    }
    check_blocks (b, gap, gap == 2);
  }
}

/* Of two components as large as each other, the first one. */
static void
test_equal_components (void)
{
  Blocks b = blocks_new (4, 30, 14);
  fill (&b, 16, 2, 10, 5, 1);
  fill (&b, 16, 7, 5, 4, 1);
  fill (&b, 3, 3, 10, 5, 1);
  fill (&b, 3, 8, 5, 4, 1);
  check_blocks (b, 0, false);
}

/* A comb with TEETH teeth on each of its ROWS spines, which are joined at their left end. */
static Blocks
comb (uint32_t side, uint32_t teeth, uint32_t rows)
{
  enum { TOOTH = 3, PERIOD = 6, SPINE = 4, HEIGHT = 12 };
  Blocks b = blocks_new (side, teeth * PERIOD + 6, rows * HEIGHT + 2);
  fill (&b, 1, 1, SPINE, rows * HEIGHT - 4, 1);
  for (uint32_t row = 0; row < rows; row++) {
    fill (&b, 1, 1 + row * HEIGHT, teeth * PERIOD + 3, SPINE, 1);
    for (uint32_t tooth = 0; tooth < teeth; tooth++)
      fill (&b, 4 + tooth * PERIOD, 1 + row * HEIGHT, TOOTH, HEIGHT - 3, 1);
  }
  return b;
}

/* Many corners; too many make the start a rectangle. The reference would take too long for these. */
static void
test_corners (void)
{
  uint32_t outlines = 0, rectangles = 0;
  check_blocks (comb (4, 9, 1), 0, true);
  check_blocks (comb (4, 6, 2), 1, true);
  for (uint32_t rows = 1; rows <= 7; rows++) {
    if (setup.quick && rows % 3 != 1)
      continue;
    Blocks b = comb (8, 62, rows);
    Picture picture = draw (&b, rows % 2, CTR_FORMAT_GRAY8, 6);
    const CtrSnakeParams params = short_params ();
    const CtrSnakeObject object = {.start = CTR_SNAKE_START_AUTO};
    describe ("a comb of %u rows", rows);
    CtrContours *there = run_snake (snake, &setup, &picture.view, &params, &object, 1);
    CtrContours *here = run_snake (on_cpu, &cpu, &picture.view, &params, &object, 1);
    const SnakeResult actual = snake_result_of (there), expected = snake_result_of (here);
    check_snakes_equal (&expected, &actual);
    CHECK (actual.history.state_count > 0);
    const uint32_t count = actual.history.states[0].count;
    CHECK (count == 4 || count > 100 * rows);
    outlines += count > 4;
    rectangles += count == 4;
    ctr_contours_unref (there);
    ctr_contours_unref (here);
    picture_free (&picture);
    free (b.bright);
  }
  CHECK (outlines > 0 && rectangles > 0);
}

/* A long spiral of blocks: its components are joined over many rows. */
static void
test_spiral (void)
{
  enum { SIDE = 60, PITCH = 6, THICK = 3 };
  Blocks b = blocks_new (4, SIDE, SIDE);
  uint32_t low = 1, high = SIDE - 2;
  while (low + 2 * PITCH < high) {
    fill (&b, low, low, high - low, THICK, 1);
    fill (&b, high - THICK, low, THICK, high - low, 1);
    fill (&b, low + PITCH, high - THICK, high - low - PITCH, THICK, 1);
    fill (&b, low + PITCH, low + PITCH, THICK, high - low - PITCH, 1);
    low += PITCH;
    high -= PITCH;
  }
  Picture picture = draw (&b, 0, CTR_FORMAT_GRAY8, 6);
  describe ("a spiral");
  CHECK (start_points (&picture) > 20);
  picture_free (&picture);
  if (setup.quick)
    free (b.bright);
  else
    check_blocks (b, 0, true);
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {
      {"rectangles and lines", test_random},
      {"noise", test_noise},
      {"rings", test_rings},
      {"equal components", test_equal_components},
      {"corners", test_corners},
      {"spiral", test_spiral},
  };
  setup = setup_open (argv[1], false);
  cpu = setup_open ("cpu", false);
  snake = snake_new (&setup);
  on_cpu = snake_new (&cpu);
  run_tests (tests, LENGTH (tests));
  ctr_snake_free (snake);
  ctr_snake_free (on_cpu);
  return 0;
}
