/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* giving-back ALGORITHM BACKEND
 *
 * An intricate or a large frame between simple ones: its memory is given back after a while, once, and nothing is allocated
 * before or after that. Where such frames come now and then, the analyser ends up keeping their memory. Results stay what they are,
 * also where a frame is the first that does not fit into what is left.
 *
 * On the CPU the process's allocations are counted, on the GPU the emulator's. On a real GPU only results are compared.
 * Tests compile with a period of a few frames, and give back small buffers, too. */
#include "tests/core/borders/testing.h"
#include "tests/core/common/allocations.h"
#include "tests/core/common/contract.h"
#include "tests/core/common/gpu.h"

#include "core/common/room.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UPS = 4 };

static const Contract *contract;
static Setup setup;
static void *object;
static Picture simple_picture, intricate_picture;
static Request simple, intricate;
static size_t least_peak; /* bytes that the intricate frame takes at least, where memory is looked at */
static int most_share;    /* of these bytes that may stay: one of so many */
static int variants_tested;

/* What is allocated now, and how often that has changed by growing. */
typedef struct {
  size_t bytes;
  uint64_t calls;
} Memory;

static bool
count_memory (Memory *memory)
{
  if (setup.backend == CTR_BACKEND_CUDA)
    return gpu_count_memory (&memory->bytes, &memory->calls);
#ifdef HAVE_ALLOCATIONS
  memory->bytes = allocated_bytes;
  memory->calls = allocation_calls;
  return true;
#else
  return false;
#endif
}

/* Runs REQUEST and returns how many allocations it took. */
static uint64_t
run_frame (const Request *request, bool check)
{
  Memory before = {0}, after = {0};
  CtrError error;
  if (check && contract->clear)
    contract->clear ();
  count_memory (&before);
  void *result = contract->run (object, request, setup.stream, &error);
  count_memory (&after);
  if (!result)
    fail (__FILE__, __LINE__, error.message);
  if (check)
    contract->check_result (request, result);
  contract->drop (result);
  return after.calls - before.calls;
}

static size_t
bytes_now (void)
{
  Memory memory = {0};
  count_memory (&memory);
  return memory.bytes;
}

/* Runs simple frames until memory falls below BYTES, at most MOST. Returns their number. */
static uint32_t
run_until_below (size_t bytes, uint32_t most)
{
  uint32_t frames = 0;
  while (frames < most && bytes_now () > bytes) {
    run_frame (&simple, false);
    frames++;
  }
  return frames;
}

/* Checks COUNT frames, of which each NTH is intricate (0: none): each allocates as much as a simple one, USUAL times, or an
 * intricate one, INTRICATE times. */
static void
check_steady (uint32_t count, uint32_t nth, uint64_t usual, uint64_t usual_intricate)
{
  for (uint32_t i = 1; i <= count; i++) {
    const bool is_intricate = nth > 0 && i % nth == 0;
    const uint64_t calls = run_frame (is_intricate ? &intricate : &simple, false);
    if (calls > (is_intricate ? usual_intricate : usual)) {
      fprintf (stderr, "frame %u: %llu allocations\n", i, (unsigned long long) calls);
      CHECK (false);
    }
  }
}

static void
check_variant (void)
{
  const uint32_t period = CTR_ROOM_FRAMES;
  uint64_t usual = 0, usual_intricate = 0;
  object = contract->create (setup.backend, NULL);
  CHECK (object);
  for (int i = 0; i < WARM_UPS; i++)
    usual = run_frame (&simple, i == 0);
  const size_t base = bytes_now ();
  for (int i = 0; i < WARM_UPS; i++)
    usual_intricate = run_frame (&intricate, i == 0);
  const size_t peak = bytes_now ();
  Memory memory;
  if (!count_memory (&memory)) {
    for (uint32_t i = 0; i < 2 * period + WARM_UPS; i++)
      run_frame (&simple, i % period == 0);
    run_frame (&intricate, true);
    contract->destroy (object);
    return;
  }
  /* With some parameters the picture has little to report. */
  if (peak < base + least_peak) {
    contract->destroy (object);
    return;
  }
  variants_tested++;
  /* A fourth of what the intricate frame took, and small buffers, may stay. Small frames take whole tiles. */
  const size_t low = base + (peak - base) / most_share;
  const uint32_t waited = run_until_below (low, 2 * period + WARM_UPS);
  printf ("%s: %zu bytes, %zu after an intricate frame, %zu after %u simple ones\n", contract->name, base, peak,
      bytes_now (), waited);
  CHECK (bytes_now () <= low);
  CHECK (waited + 3 * WARM_UPS >= period);
  /* The frame that gives back may allocate, on the GPU, and the next ones build graphs. */
  for (int i = 0; i < WARM_UPS; i++)
    run_frame (&simple, i == 0);
  check_steady (3 * period, 0, usual, 0);
  CHECK (bytes_now () <= low);
  /* The period is longer now: intricate frames that come more often keep their memory. */
  for (int i = 0; i < WARM_UPS; i++)
    run_frame (&intricate, i == 0);
  check_steady (3 * period, period / 2, usual, usual_intricate);
  CHECK (bytes_now () >= low);
  check_steady (3 * period, period + period / 4, usual, usual_intricate);
  CHECK (bytes_now () >= low);
  /* Until it is given back again, which takes longer. */
  const uint32_t longer = run_until_below (low, 4 * period + WARM_UPS);
  CHECK (bytes_now () <= low);
  CHECK (longer > period / 2);
  run_frame (&intricate, true);
  run_frame (&simple, true);
  contract->destroy (object);
}

/* Pictures, with all parameters. */
static void
check_variants (void)
{
  /* Large enough to take more than is kept in any case: components have a table of 1024 rows at least. */
  const uint32_t side = contract == &cca_contract ? 160 : 96;
  Random rng = {29};
  uint8_t *dots = shape_new (SHAPE_DOTS, side, side), *square = calloc (side, side);
  for (uint32_t i = 0; i < side * side; i++) {
    dots[i] = dots[i] ? 255 : 0;
    square[i] = i % side > side / 4 && i % side < side / 2 && i / side > side / 4 && i / side < side / 2 ? 255 : 0;
  }
  intricate_picture = picture_of_grey (&rng, dots, side, side, (Layout){.format = CTR_FORMAT_GRAY8});
  simple_picture = picture_of_grey (&rng, square, side, side, (Layout){.format = CTR_FORMAT_GRAY8});
  intricate.image = &intricate_picture.view;
  simple.image = &simple_picture.view;
  free (dots);
  free (square);
  uint32_t count;
  most_share = 3;
  const uint8_t *variants = contract->variants (&count);
  for (uint32_t i = 0; i < count && !(setup.quick && variants_tested == 2); i += setup.quick ? 3 : 1) {
    describe ("%s, parameters %u", contract->name, i);
    intricate.params = simple.params = variants + i * contract->params_size;
    check_variant ();
  }
  Memory memory;
  CHECK (variants_tested >= (setup.quick ? 1 : 3) || !count_memory (&memory));
  picture_free (&intricate_picture);
  picture_free (&simple_picture);
}

/* Frames that are large, or have many objects. */
static void
check_sizes (void)
{
  uint32_t count;
  variants_tested = 0;
  most_share = 2;
  const MemoryCase *cases = contract->size_cases ? contract->size_cases (&count) : contract->memory_cases (&count);
  for (uint32_t i = 0; i < count; i++) {
    Memory memory;
    describe ("%s, %s", contract->name, cases[i].name);
    intricate = cases[i].request;
    simple = *cases[i].smaller;
    check_variant ();
    CHECK (variants_tested > (int) i || !count_memory (&memory));
  }
}

/* Borders on a GPU with memory for many passages and few points, which have been given back: pictures with one point more each, of
 * which one is the first that does not fit. Each changes before the host has seen that. */
static void
check_points (void)
{
  enum { WIDTH = 400, HEIGHT = 8, SIDE = 200, MOST_POINTS = 100 };
  static uint8_t pixels[HEIGHT][WIDTH];
  static const uint8_t black[HEIGHT][WIDTH];
  const CtrImage line = {.data = pixels, .stride = WIDTH, .width = WIDTH, .height = HEIGHT, .format = CTR_FORMAT_GRAY8};
  CtrImage chequered = {.data = shape_new (SHAPE_CHEQUERBOARD, SIDE, SIDE),
               .stride = SIDE,
               .width = SIDE,
               .height = SIDE},
           on_device = line;
  const CtrBordersParams turns = borders_params_of (CTR_RETRIEVE_LIST, CTR_APPROXIMATION_SIMPLE, 1, false),
                         steps = borders_params_of (CTR_RETRIEVE_LIST, CTR_APPROXIMATION_NONE, 1, false);
  void *stream = gpu_stream_new_following ();
  object = contract->create (setup.backend, NULL);
  CHECK (object);
  describe ("few points, after many");
  run_frame (&(Request){.image = &chequered, .params = &turns}, false);
  memset (pixels[2], 1, WIDTH);
  for (uint32_t i = 0; i < 2 * CTR_ROOM_FRAMES; i++)
    run_frame (&(Request){.image = &line, .params = &turns}, false);
  on_device.data = gpu_alloc (sizeof pixels);
  on_device.memory = CTR_MEMORY_DEVICE;
  for (uint32_t points = 2; points <= MOST_POINTS; points++) {
    describe ("%u points", points);
    memset (pixels, 0, sizeof pixels);
    /* There and back again; a lone pixel is the odd point. */
    memset (pixels[2], 1, points / 2 + 1);
    pixels[6][0] = points % 2;
    gpu_upload ((void *) on_device.data, pixels, sizeof pixels);
    void *result = contract->submit (object, &(Request){.image = &on_device, .params = &steps}, stream, NULL);
    CHECK (result);
    gpu_upload ((void *) on_device.data, black, sizeof black);
    CHECK (contract->wait (result, NULL) && ((const CtrContours *) result)->point_count == points);
    contract->check_result (&(Request){.image = &line, .params = &steps}, result);
    contract->drop (result);
  }
  contract->destroy (object);
  gpu_free ((void *) on_device.data);
  free ((void *) chequered.data);
}

int
main (int argc, char **argv)
{
  setup = setup_open (argc > 2 ? argv[2] : NULL, false);
  contract = contract_open (argv[1], &setup);
  least_peak = (contract->variants ? 64 : 4) * CTR_ROOM_SMALL;
  if (contract->variants)
    check_variants ();
  /* The host keeps no label images of components. */
  if (!contract->variants || (contract->size_cases && setup.backend == CTR_BACKEND_CUDA))
    check_sizes ();
  if (contract == &borders_contract && setup.backend == CTR_BACKEND_CUDA)
    check_points ();
  contract_close ();
  return 0;
}
