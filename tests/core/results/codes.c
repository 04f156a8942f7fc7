/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chain and crack codes of borders, edge chains and level contours: compared with codes by brute force, and decoded to their points. */
#include "tests/core/borders/testing.h"
#include "tests/core/cracks/testing.h"
#include "tests/core/common/gpu.h"
#include "tests/core/results/codes_reference.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, KEPT = 5 };

static Setup setup;
static CtrBorders *borders;
static CtrCracks *cracks;
static Random rng = {17};

/* What NONE lists, SIMPLE leaves out where the line does not turn: its codes are the same, but for where they begin. */
static void
check_approximations (CtrContours *none, CtrContours *simple)
{
  CtrContourCodes all, turns;
  const Contours lines = contours_of (none), ends = contours_of (simple);
  CHECK (ctr_contours_map_codes (none, &all, NULL) && ctr_contours_map_codes (simple, &turns, NULL));
  CHECK (none->count == simple->count && all.size == turns.size);
  for (uint32_t i = 0; i < none->count; i++) {
    const uint32_t steps = all.chains[i].steps, room = steps > 0 ? steps : 1;
    CtrPoint *decoded = malloc (room * sizeof *decoded);
    CHECK (turns.chains[i].steps == steps);
    CHECK (ctr_contour_codes_decode (&all, i, CTR_VERTICES_TURNS, decoded) == ends.table[i].count);
    CHECK (memcmp (decoded, ends.points + ends.table[i].first, ends.table[i].count * sizeof *decoded) == 0);
    /* From its first point on, SIMPLE passes the points of NONE in turn. */
    CHECK (ctr_contour_codes_decode (&turns, i, CTR_VERTICES_STEPS, decoded) == lines.table[i].count);
    const CtrPoint *line = lines.points + lines.table[i].first;
    uint32_t shift = 0;
    for (; shift < room; shift++) {
      uint32_t k = 0;
      while (k < room && memcmp (&decoded[k], &line[(k + shift) % room], sizeof *line) == 0)
        k++;
      if (k == room)
        break;
    }
    CHECK (shift < room);
    free (decoded);
  }
}

static void
check_borders_of (const Picture *picture, CtrRetrieval mode)
{
  CtrContours *found[2];
  for (int approximation = CTR_APPROXIMATION_NONE; approximation <= CTR_APPROXIMATION_SIMPLE; approximation++) {
    const CtrBordersParams params = borders_params_of (mode, approximation, 128, false);
    describe_borders ("codes", &picture->view, &params);
    CtrContours *contours = follow_borders (borders, &setup, &picture->view, &params);
    CHECK (contours->vertices == (approximation == CTR_APPROXIMATION_NONE ? CTR_VERTICES_STEPS : CTR_VERTICES_TURNS));
    check_codes (contours);
    found[approximation - CTR_APPROXIMATION_NONE] = contours;
  }
  check_approximations (found[0], found[1]);
  ctr_contours_unref (found[0]);
  ctr_contours_unref (found[1]);
}

static void
check_cracks_of (const Picture *picture, CtrCracksParams params)
{
  describe_cracks ("codes", &picture->view, &params);
  CtrContours *contours = trace_cracks (cracks, &setup, &picture->view, &params);
  CHECK (contours->vertices == CTR_VERTICES_TURNS);
  check_codes (contours);
  ctr_contours_unref (contours);
}

/* Takes MASK. */
static void
check_mask (uint8_t *mask, uint32_t width, uint32_t height)
{
  const int step = setup.quick ? 4 : 1; /* one mode of borders and one or two rules of cracks, or all of them */
  const Layout layout = {.format = CTR_FORMAT_GRAY8, .padding = random_below (&rng, 9)};
  Picture picture = picture_of_mask (&rng, mask, width, height, layout, 128, false);
  for (int mode = random_below (&rng, step); mode <= CTR_RETRIEVE_TREE; mode += step)
    check_borders_of (&picture, mode);
  for (int rule = step > 1 ? random_below (&rng, 8) : 0; rule < 8; rule += 2 * step - 1) {
    CtrCracksParams params = cracks_params_of (rule & 1, rule & 2 ? 4 : 8, rule & 4 ? 1 : 0);
    params.minimum = 112;
    params.maximum = 144;
    params.step = 16;
    check_cracks_of (&picture, params);
  }
  picture_free (&picture);
  free (mask);
}

static void
test_small_sizes (void)
{
  const uint32_t step = setup.quick ? 5 : 1;
  for (uint32_t height = 1; height <= 17; height += step)
    for (uint32_t width = 1; width <= 17; width += step)
      check_mask (
          noise_new (&rng, width, height, 20 + random_below (&rng, 60), 1 + random_below (&rng, 2)), width, height);
}

static void
test_noise (void)
{
  const uint32_t side = setup.quick ? 37 : 101;
  for (uint32_t density = 0; density <= 100; density += setup.quick ? 50 : 10)
    for (uint32_t grain = 1; grain <= 8; grain *= setup.quick ? 8 : 2)
      check_mask (noise_new (&rng, side, 67, density, grain), side, 67);
}

static void
test_shapes (void)
{
  static const uint32_t sizes[][2] = {{65, 33}, {64, 64}, {9, 7}, {31, 129}, {1, 90}, {90, 1}, {333, 201}};
  for (size_t i = 0; i < (setup.quick ? 1 : LENGTH (sizes)); i++)
    for (Shape shape = 0; shape < SHAPE_COUNT; shape += setup.quick ? 4 : 1)
      check_mask (shape_new (shape, sizes[i][0], sizes[i][1]), sizes[i][0], sizes[i][1]);
}

/* Grey levels, with limits, moments and lists of levels. */
static void
test_levels (void)
{
  for (int i = 0; i < (setup.quick ? 3 : 40); i++) {
    const uint32_t width = 1 + random_below (&rng, 90), height = 1 + random_below (&rng, 90);
    uint8_t *grey = grey_new (&rng, width, height);
    Picture picture =
        picture_of_grey (&rng, grey, width, height, (Layout){.format = i % 3 ? CTR_FORMAT_GRAY8 : CTR_FORMAT_GRAY16});
    CtrCracksParams params = random_cracks_params (&rng);
    params.step = i % 3 ? 8 : 3000;
    check_cracks_of (&picture, params);
    CtrBordersParams limited = random_borders_params (&rng, 100, i % 2);
    describe_borders ("codes with limits", &picture.view, &limited);
    CtrContours *contours = follow_borders (borders, &setup, &picture.view, &limited);
    CHECK ((contours->vertices == CTR_VERTICES_ANY) == (limited.epsilon > 0));
    check_codes (contours);
    ctr_contours_unref (contours);
    picture_free (&picture);
    free (grey);
  }
}

/* Long straight lines, and a line that is longer than all words a CTA packs. */
static void
test_long_lines (void)
{
  const uint32_t sides[][2] = {{setup.quick ? 900 : 4000, 3}, {3, setup.quick ? 900 : 4000},
      {setup.quick ? 120 : 1500, setup.quick ? 90 : 1300}};
  for (size_t i = 0; i < LENGTH (sides); i++)
    check_mask (shape_new (i < 2 ? SHAPE_ONES : SHAPE_SPIRAL, sides[i][0], sides[i][1]), sides[i][0], sides[i][1]);
}

/* Codes of results that are in use at the same time, in any order, after their analyser is gone; of pending ones, too. */
static void
test_kept (void)
{
  CtrContours *kept[2 * KEPT];
  Picture pictures[KEPT];
  CtrBorders *own_borders = follower_new (&setup);
  CtrCracks *own_cracks = tracer_new (&setup);
  CtrError error;
  describe ("codes of results that are kept");
  for (int i = 0; i < KEPT; i++) {
    const uint32_t side = (uint32_t[]){40, 60, 3, 80, 17}[i];
    pictures[i] = picture_random (&rng, side, side, (Layout){.format = CTR_FORMAT_GRAY8});
    const CtrBordersParams params = borders_params_of (CTR_RETRIEVE_LIST, 1 + i % 2, 128, false);
    CtrCracksParams levels = cracks_params_of (i % 2, 8, 0);
    levels.step = 16;
    kept[2 * i] = ctr_borders_submit (own_borders, &pictures[i].view, &params, setup.stream, &error);
    kept[2 * i + 1] = ctr_cracks_submit (own_cracks, &pictures[i].view, &levels, setup.stream, &error);
    CHECK (kept[2 * i] && kept[2 * i + 1]);
    CHECK (ctr_contours_have_codes (kept[2 * i]) && ctr_contours_have_codes (kept[2 * i + 1]));
    if (i % 2)
      check_codes (kept[2 * i]);
  }
  ctr_borders_free (own_borders);
  ctr_cracks_free (own_cracks);
  for (int i = 2 * KEPT; i-- > 0;)
    check_codes (kept[i]);
  for (int i = 0; i < 2 * KEPT; i++)
    ctr_contours_unref (kept[i]);
  for (int i = 0; i < KEPT; i++)
    picture_free (&pictures[i]);
}

/* Without contours there are no bytes; a refused image has none either. */
static void
test_nothing (void)
{
  Picture picture = picture_of_mask (&rng, (uint8_t[40]){0}, 8, 5, (Layout){.format = CTR_FORMAT_GRAY8}, 128, false);
  check_borders_of (&picture, CTR_RETRIEVE_TREE);
  picture_free (&picture);
  picture = picture_random (&rng, 20, 20, (Layout){.format = CTR_FORMAT_GRAY8});
  CtrCracksParams params = cracks_params_of (CTR_LEVELS_AT_LEAST, 8, 0);
  params.max_points = 3;
  check_cracks_of (&picture, params);
  picture_free (&picture);
}

/* GPU memory in bytes, and how many allocations there were so far. */
typedef struct {
  size_t bytes;
  uint64_t calls;
} Memory;

static Memory
memory_now (void)
{
  Memory memory = {0};
  gpu_count_memory (&memory.bytes, &memory.calls);
  return memory;
}

static void
run_frame (CtrCracks *with, const Picture *picture, bool codes)
{
  CtrCracksParams params = cracks_params_of (CTR_LEVELS_AT_LEAST, 8, 0);
  params.minimum = params.maximum = 128;
  CtrContours *contours = trace_cracks (with, &setup, &picture->view, &params);
  if (codes)
    check_codes (contours);
  ctr_contours_unref (contours);
}

/* Memory after an intricate frame, and after simple ones. */
static void
run_frames (const Picture *intricate, const Picture *simple, bool codes, Memory memory[2])
{
  enum { FRAMES = 30 }; /* periods are shorter in emulation */
  CtrCracks *own = tracer_new (&setup);
  for (int i = 0; i < 2; i++)
    run_frame (own, intricate, codes);
  memory[0] = memory_now ();
  for (int i = 0; i < FRAMES; i++)
    run_frame (own, simple, codes);
  memory[1] = memory_now ();
  for (int i = 0; i < FRAMES; i++)
    run_frame (own, simple, codes);
  CHECK (memory_now ().calls == memory[1].calls);
  run_frame (own, intricate, codes);
  ctr_cracks_free (own);
}

/* The memory in which codes are packed follows what the frames need. */
static void
test_memory (void)
{
  Memory without[2], with[2];
  uint8_t *dots = shape_new (SHAPE_DOTS, 72, 72), square[72 * 72] = {0};
  memset (square + 72 * 30 + 30, 255, 9);
  Picture intricate = picture_of_mask (&rng, dots, 72, 72, (Layout){.format = CTR_FORMAT_GRAY8}, 128, false);
  Picture simple = picture_of_mask (&rng, square, 72, 72, (Layout){.format = CTR_FORMAT_GRAY8}, 128, false);
  describe ("the memory of codes");
  if (gpu_count_memory (&without->bytes, &without->calls) && setup.backend == CTR_BACKEND_CUDA) {
    run_frames (&intricate, &simple, false, without);
    run_frames (&intricate, &simple, true, with);
    const size_t peak = with[0].bytes - without[0].bytes, end = with[1].bytes - without[1].bytes;
    printf ("the memory of codes: %zu bytes after an intricate frame, %zu after simple ones\n", peak, end);
    CHECK (peak > 20000 && end < peak / 3);
  }
  picture_free (&intricate);
  picture_free (&simple);
  free (dots);
}

/* Open and closed chains of edges: of noise, thin lines and junctions whose chains come back to them. */
static void
test_chains (void)
{
  CtrEdgeChains *chains = ctr_edge_chains_new (setup.backend, NULL);
  CHECK (chains);
  for (uint32_t i = 0; i < (setup.quick ? 8 : 60); i++) {
    const uint32_t width = 1 + random_below (&rng, 120), height = 1 + random_below (&rng, 90);
    uint8_t *mask = i % 4 ? noise_new (&rng, width, height, 5 + random_below (&rng, 60), 1)
                          : shape_new (i / 4 % SHAPE_COUNT, width, height);
    const CtrImage image = {
        .data = mask, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
    CtrEdgeChainsParams params;
    ctr_edge_chains_params_init (&params);
    params.min_length = random_below (&rng, 3);
    describe ("codes of edge chains, %u x %u, minimum length %g", width, height, params.min_length);
    CtrContours *contours = ctr_edge_chains_run (chains, &image, &params, setup.stream, NULL);
    CHECK (contours && contours->vertices == CTR_VERTICES_STEPS);
    check_codes (contours);
    ctr_contours_unref (contours);
    free (mask);
  }
  ctr_edge_chains_free (chains);
}

static void
test_snakes (void)
{
  CtrError error;
  CtrSnakeParams params;
  const CtrSnakeObject object = {.start = CTR_SNAKE_START_AUTO}; /* in the whole image */
  uint8_t *mask = calloc (60, 60);
  for (int y = 15; y < 45; y++)
    memset (mask + 60 * y + 18, 1, 25);
  Picture picture = picture_of_mask (&rng, mask, 60, 60, (Layout){.format = CTR_FORMAT_GRAY8}, 128, false);
  ctr_snake_params_init (&params);
  CtrSnake *snake = ctr_snake_new (setup.backend, &error);
  CHECK (snake);
  describe ("snakes have no codes");
  CtrContours *contours = ctr_snake_run (snake, &picture.view, &params, &object, 1, setup.stream, &error);
  CHECK (contours && contours->count == 1);
  check_codes (contours);
  ctr_contours_unref (contours);
  ctr_snake_free (snake);
  picture_free (&picture);
  free (mask);
}

static void *
map_in_thread (void *contours)
{
  CtrContourCodes codes = {0};
  CHECK (ctr_contours_map_codes (contours, &codes, NULL));
  check_codes (contours);
  ctr_contours_unref (contours);
  return (void *) codes.bytes;
}

/* Threads that ask for the codes of the same results at the same time: there is one array of each. */
static void
test_threads (void)
{
  describe ("threads that map codes");
  for (int round = 0; round < (setup.quick ? 2 : 20); round++) {
    Picture picture = picture_random (&rng, 70, 50, (Layout){.format = CTR_FORMAT_GRAY8});
    const CtrBordersParams params = borders_params_of (CTR_RETRIEVE_TREE, 1 + round % 2, 128, false);
    CtrContours *results[2] = {follow_borders (borders, &setup, &picture.view, &params),
        follow_borders (borders, &setup, &picture.view, &params)};
    pthread_t threads[THREADS];
    void *bytes[THREADS];
    for (int i = 0; i < THREADS; i++)
      CHECK (pthread_create (&threads[i], NULL, map_in_thread, ctr_contours_ref (results[i % 2])) == 0);
    for (int i = 0; i < THREADS; i++)
      CHECK (pthread_join (threads[i], &bytes[i]) == 0);
    for (int i = 2; i < THREADS; i++)
      CHECK (bytes[i] == bytes[i - 2]);
    check_codes_equal (results[0], results[1]);
    ctr_contours_unref (results[0]);
    ctr_contours_unref (results[1]);
    picture_free (&picture);
  }
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {
      {"small sizes", test_small_sizes},
      {"noise", test_noise},
      {"shapes", test_shapes},
      {"levels", test_levels},
      {"long lines", test_long_lines},
      {"kept", test_kept},
      {"nothing", test_nothing},
      {"memory", test_memory},
      {"chains", test_chains},
      {"snakes", test_snakes},
      {"threads", test_threads},
  };
  setup = setup_open (argc > 1 ? argv[1] : NULL, false);
  borders = follower_new (&setup);
  cracks = tracer_new (&setup);
  run_tests (tests, LENGTH (tests));
  ctr_borders_free (borders);
  ctr_cracks_free (cracks);
  return 0;
}
