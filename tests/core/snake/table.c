/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares the CPU backend's sums along edges with the samples left of them. */
#include "cpu/snake/table.h"
#include "tests/core/common/reference.h"
#include "tests/core/common/testing.h"

#include <stdlib.h>
#include <string.h>

static bool quick;
static Random rng = {21};
static CtrSnakeTable table; /* one for all pictures, as a snake has it */
static CtrSamples samples;

static CtrSnakeSums
sums_left_of (const CtrImage *image, const CtrSnakeWindow *window, CtrPoint from, CtrPoint to)
{
  const bool down = from.y < to.y;
  const CtrPoint top = down ? from : to, bottom = down ? to : from;
  CtrSnakeSums sums = {0, 0, 0};
  for (int32_t y = top.y; y < bottom.y; y++) {
    const int32_t column = ctr_snake_column (top, bottom, y);
    sums.n += column - window->left;
    for (int32_t x = window->left; x < column; x++) {
      const uint64_t z = reference_sample (image, (uint32_t) x, (uint32_t) y);
      sums.s1 += (int64_t) z;
      sums.s2 += z * z;
    }
  }
  return down ? sums : ctr_snake_sums_sub ((CtrSnakeSums){0, 0, 0}, sums);
}

static void
check_edge (const CtrImage *image, const CtrSnakeWindow *window, CtrPoint from, CtrPoint to)
{
  const CtrSnakeSums expected = sums_left_of (image, window, from, to),
                     actual = ctr_snake_table_edge (&table, from, to);
  describe ("%u,%u to %u,%u in %u x %u, format %d, window %d,%d to %d,%d", from.x, from.y, to.x, to.y, image->width,
      image->height, image->format, window->left, window->top, window->right, window->bottom);
  CHECK (actual.n == expected.n && actual.s1 == expected.s1 && actual.s2 == expected.s2);
}

static CtrPoint
random_point (const CtrSnakeWindow *window)
{
  const uint32_t width = (uint32_t) (window->right - window->left), height = (uint32_t) (window->bottom - window->top);
  return (CtrPoint){(uint16_t) (window->left + (int32_t) random_below (&rng, width + 1)),
      (uint16_t) (window->top + (int32_t) random_below (&rng, height + 1))};
}

/* Every layout and size; the sanitizers watch the pictures' ends. */
static void
test_edges (void)
{
  for (int i = 0; i < (quick ? 200 : 4000); i++) {
    const uint32_t largest = i % 3 ? 40 : 130;
    const uint32_t width = 1 + random_below (&rng, largest), height = 1 + random_below (&rng, largest);
    const Layout layout = {.format = (CtrFormat) random_below (&rng, CTR_FORMAT_VYUY + 1),
        .offset = 2 * random_below (&rng, 20),
        .padding = 2 * random_below (&rng, 20)};
    Picture picture = picture_random (&rng, width, height, layout);
    CtrSnakeWindow window = {0, 0, (int32_t) width, (int32_t) height};
    if (i % 2) {
      window.left = (int32_t) random_below (&rng, width);
      window.top = (int32_t) random_below (&rng, height);
      window.right -= (int32_t) random_below (&rng, width - (uint32_t) window.left);
      window.bottom -= (int32_t) random_below (&rng, height - (uint32_t) window.top);
    }
    CHECK (ctr_snake_table_fill (&table, &samples, &picture.view, &window));
    for (int k = 0; k < 8; k++)
      check_edge (&picture.view, &window, random_point (&window), random_point (&window));
    const CtrPoint corner = {(uint16_t) window.right, (uint16_t) window.bottom};
    check_edge (&picture.view, &window, (CtrPoint){corner.x, (uint16_t) window.top}, corner);
    picture_free (&picture);
  }
}

/* The largest samples all over, as wide or as high as pictures get: no sum wraps. */
static void
test_largest (void)
{
  enum { LONG = CTR_MAX_SIDE, SHORT = 37 };
  uint16_t *memory = malloc (LONG * SHORT * sizeof *memory);
  memset (memory, 255, LONG * SHORT * sizeof *memory);
  for (int i = 0; i < 4; i++) {
    const bool upright = i & 1, wide = i & 2;
    const uint32_t width = upright ? SHORT : LONG, height = upright ? LONG : SHORT;
    const CtrImage image = {.data = memory,
        .stride = width * (wide ? 2 : 1),
        .width = width,
        .height = height,
        .format = wide ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8};
    const CtrSnakeWindow window = {0, 0, (int32_t) width, (int32_t) height};
    const uint64_t largest = wide ? 65535 : 255;
    CHECK (ctr_snake_table_fill (&table, &samples, &image, &window));
    for (uint32_t k = 0; k <= SHORT; k++) {
      const CtrPoint a = {(uint16_t) (upright ? k : width - k), 0}, b = {a.x, (uint16_t) height},
                     c = random_point (&window);
      const CtrSnakeSums ab = ctr_snake_table_edge (&table, a, b), ac = ctr_snake_table_edge (&table, a, c);
      describe ("%u,%u to %u,%u, and to %u,%u of %u x %u largest samples", a.x, a.y, b.x, b.y, c.x, c.y, width, height);
      CHECK (ab.n == (int64_t) a.x * b.y);
      CHECK (ab.s1 == (int64_t) (largest * (uint64_t) ab.n) && ab.s2 == largest * largest * (uint64_t) ab.n);
      CHECK (ac.s1 == (int64_t) (largest * (uint64_t) ac.n) && ac.s2 == largest * largest * (uint64_t) ac.n);
    }
  }
  free (memory);
}

int
main (void)
{
  quick = setup_open ("cpu", false).quick;
  test_edges ();
  test_largest ();
  ctr_snake_table_release (&table);
  ctr_samples_release (&samples);
  return 0;
}
