/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shared-gpu-times BACKEND
 *
 * What an analyser takes from a shared input (contours/input.h) is in the time of the analyser that has made it
 * (contours/gputime.h), and in no other. On the emulated GPU a time is the number of kernels, copies and fills: so the time of an
 * analyser that finds everything is that of the same analyser with grey samples on the device and a given threshold. */
#include "tests/core/borders/testing.h"
#include "tests/core/cca/testing.h"
#include "tests/core/common/gpu.h"

#include <stdlib.h>

enum { WIDTH = 60, HEIGHT = 50, FRAMES = 6 };

/* Of the emulator; NULL where there is none. */
extern unsigned long emulation_calls (void) __attribute__ ((weak));

static Setup setup;
static CtrGpuClock *gpu_clock;
static CtrInput *input;
static uint32_t threshold = 100; /* Otsu's of the last frame */
static Random rng = {29};

/* The time of a frame of IMAGE. MAKER, if any, shares its input, and is read last: its work waits until then. */
static uint64_t
time_of (const CtrImage *image, CtrThresholdMode mode, CtrCca *maker, void *stream)
{
  CtrBorders *borders = follower_new (&setup);
  CtrBordersParams params = borders_params_of (CTR_RETRIEVE_TREE, CTR_APPROXIMATION_SIMPLE, threshold, false);
  CtrCcaParams maker_params = params_of (CTR_CONNECTIVITY_8, 100, false, 0);
  uint64_t ns = 0;
  params.foreground.mode = maker_params.foreground.mode = mode;
  for (int i = 0; i < FRAMES; i++) { /* The first ones have memory to clear, and no graph. */
    CtrComponents *components = NULL;
    CtrInput *before = maker ? ctr_input_set_current (input) : NULL;
    if (maker)
      CHECK (components = ctr_cca_submit (maker, image, &maker_params, setup.stream, NULL));
    ctr_gpu_clock_set_current (gpu_clock);
    CtrContours *contours = ctr_borders_submit (borders, image, &params, stream, NULL);
    ctr_gpu_clock_set_current (NULL);
    CHECK (contours && ctr_contours_wait (contours, NULL));
    threshold = contours->threshold;
    if (maker) {
      ctr_input_set_current (before);
      CHECK (ctr_components_wait (components, NULL));
      ctr_components_unref (components);
      ctr_input_clear (input);
    }
    ctr_contours_unref (contours);
  }
  ctr_borders_free (borders);
  for (int i = 0; i < FRAMES; i++)
    CHECK (ctr_gpu_clock_take (gpu_clock, &ns));
  CHECK (!ctr_gpu_clock_take (gpu_clock, &ns));
  return ns;
}

static void
test_sharing (void)
{
  uint8_t *grey = grey_new (&rng, WIDTH, HEIGHT);
  Picture colours = picture_of_grey (&rng, grey, WIDTH, HEIGHT, (Layout){.format = CTR_FORMAT_RGB});
  CtrImage on_device = {.data = gpu_alloc (WIDTH * HEIGHT),
      .stride = WIDTH,
      .width = WIDTH,
      .height = HEIGHT,
      .format = CTR_FORMAT_GRAY8,
      .memory = CTR_MEMORY_DEVICE};
  CtrCca *maker = analyser_new (&setup);
  void *other_stream = gpu_stream_new ();
  gpu_upload ((void *) on_device.data, grey, WIDTH * HEIGHT);
  const uint64_t alone = time_of (&colours.view, CTR_THRESHOLD_OTSU, NULL, setup.stream);
  const uint64_t least = time_of (&on_device, CTR_THRESHOLD_FIXED, NULL, setup.stream);
  CHECK (least > 0 && alone > 0);
  for (int i = 0; i < 2; i++) {
    const uint64_t shared = time_of (&colours.view, CTR_THRESHOLD_OTSU, maker, i ? other_stream : setup.stream);
    describe ("%s stream: %llu ns alone, %llu shared, %llu with nothing to make", i ? "another" : "the same",
        (unsigned long long) alone, (unsigned long long) shared, (unsigned long long) least);
    CHECK (shared > 0 && (!emulation_calls || (shared == least && alone > shared)));
  }
  ctr_cca_free (maker);
  gpu_free ((void *) on_device.data);
  picture_free (&colours);
  free (grey);
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {{"sharing", test_sharing}};
  setup = setup_open (argc > 1 ? argv[1] : NULL, false);
  gpu_clock = ctr_gpu_clock_new (NULL);
  input = ctr_input_new (NULL);
  CHECK (gpu_clock && input);
  run_tests (tests, LENGTH (tests));
  ctr_input_free (input);
  ctr_gpu_clock_free (gpu_clock);
  return 0;
}
