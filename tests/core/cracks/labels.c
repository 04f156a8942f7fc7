/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contours of label images against those of each label alone: shapes, sizes, many labels, pending components, labels of
 * the other backend, refused arguments. */
#include "tests/core/cca/testing.h"
#include "tests/core/common/gpu.h"
#include "tests/core/cracks/reference.h"
#include "tests/core/cracks/testing.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PIXELS = 400 * 300 };

static Setup setup, cpu = {.backend = CTR_BACKEND_CPU};
static CtrCracks *cracks; /* for all pictures: they come in every order of size */
static CtrCca *cca, *host_cca;
static void *device;       /* where pictures of pending components are; NULL on the CPU */
static void *other_stream; /* than that of the analysis of components */
static Random rng = {17};

static CtrCcaParams
random_cca_params (void)
{
  CtrCcaParams params = params_of (4 + 4 * random_below (&rng, 2), 1, false, CTR_FEATURE_LABELS);
  params.mode = random_below (&rng, 4) ? CTR_COMPONENTS_EQUAL : CTR_COMPONENTS_FOREGROUND;
  params.background = (int32_t) random_below (&rng, 2) - 1;
  if (random_below (&rng, 3) == 0)
    params.min_area = random_below (&rng, 6);
  return params;
}

/* Limits and features as for level contours. What labels do not read may be anything. */
static CtrCracksParams
random_label_params (void)
{
  CtrCracksParams params = random_cracks_params (&rng);
  params.hierarchy = CTR_HIERARCHY_PER_LEVEL;
  params.min_persistence = 0;
  params.max_depth = CTR_CRACKS_ANY_DEPTH;
  params.minimum = 1 + random_below (&rng, 9);
  params.maximum = random_below (&rng, 9);
  return params;
}

static void
describe_labels (const char *name, const CtrComponents *components, const CtrCracksParams *params)
{
  describe (
      "%s, %u x %u, %u labels, %d-connected, contours %d-connected, frame %d, areas %g to %g, length %g, features %u",
      name, components->width, components->height, components->count, components->connectivity, params->connectivity,
      params->frame, params->min_area, params->max_area, params->min_length, params->features);
}

/* Compares CONTOURS (transfer full) with the reference for EXPECTED, components of the CPU backend (transfer full). */
static void
check_labels (CtrContours *contours, CtrComponents *expected, const CtrCracksParams *params)
{
  Contours reference =
      reference_label_cracks (expected->labels, expected->width, expected->height, expected->count, params);
  CHECK (ctr_contours_wait (contours, NULL));
  const Contours actual = contours_of (contours);
  check_contours_equal (&reference, &actual);
  reference_contours_free (&reference);
  ctr_contours_unref (contours);
  ctr_components_unref (expected);
}

static CtrContours *
trace_labels (CtrComponents *components, const CtrCracksParams *params, void *stream)
{
  CtrError error;
  CtrContours *contours = ctr_cracks_submit_labels (cracks, components, params, stream, &error);
  if (!contours)
    fail (__FILE__, __LINE__, error.message);
  CHECK (contours->width == components->width && contours->height == components->height);
  CHECK (contours->features == params->features && contours->coordinates == CTR_COORDINATES_CORNERS);
  return contours;
}

/* Takes PICTURE. */
static void
check_picture (Picture picture, const char *name)
{
  const CtrCcaParams of_components = random_cca_params ();
  const CtrCracksParams params = random_label_params ();
  CtrComponents *expected = analyse (host_cca, &cpu, &picture.view, &of_components);
  CtrComponents *components = analyse (cca, &setup, &picture.view, &of_components);
  describe_labels (name, expected, &params);
  check_labels (trace_labels (components, &params, setup.stream), expected, &params);
  ctr_components_unref (components);
  picture_free (&picture);
}

static void
check_values (uint32_t width, uint32_t height, uint32_t count, uint32_t grain)
{
  check_picture (values_new (&rng, width, height, (Layout){.format = CTR_FORMAT_GRAY8}, count, grain), "values");
}

static void
test_small_sizes (void)
{
  const uint32_t step = setup.quick ? 4 : 1;
  for (uint32_t height = 1; height <= 17; height += step)
    for (uint32_t width = 1; width <= 17; width += step)
      for (uint32_t count = 2; count <= 4; count += 2)
        check_values (width, height, count, 1);
}

static void
test_lines (void)
{
  static const uint32_t lengths[] = {31, 32, 33, 255, 1000, 16383, 65535};
  for (size_t i = 0; i < LENGTH (lengths); i += setup.quick ? 4 : 1)
    for (uint32_t grain = 1; grain < 100; grain *= 8) {
      check_values (lengths[i], 1, 3, grain);
      check_values (1, lengths[i], 3, grain);
    }
}

/* Where words and tiles of either backend end. */
static void
test_tile_edges (void)
{
  static const uint32_t sides[] = {15, 16, 31, 32, 33, 63, 64, 65, 97, 127, 128, 129};
  const size_t step = setup.quick ? 17 : 1;
  for (size_t i = 0; i < LENGTH (sides) * LENGTH (sides); i += step)
    check_values (
        sides[i % LENGTH (sides)], sides[i / LENGTH (sides)], 2 + random_below (&rng, 3), 1 + random_below (&rng, 4));
}

/* Both values are in components, so a ring has what it surrounds as a neighbour. */
static void
test_shapes (void)
{
  const uint32_t w = setup.quick ? 70 : 133, h = setup.quick ? 45 : 101;
  for (Shape shape = 0; shape < SHAPE_COUNT; shape++)
    for (int again = 0; again < (setup.quick ? 1 : 4); again++) {
      uint8_t *mask = shape_new (shape, w, h);
      uint16_t *values = malloc (w * h * sizeof *values);
      for (uint32_t i = 0; i < w * h; i++)
        values[i] = mask[i];
      check_picture (picture_of_values (&rng, values, w, h, (Layout){.format = CTR_FORMAT_GRAY8}), shape_names[shape]);
      free (values);
      free (mask);
    }
}

/* More labels than 16 bits can tell apart: dots, whose contours are known, and noise. */
static void
test_many_labels (void)
{
  const uint32_t dots = setup.quick ? 260 : 600, side = 2 * dots - 1;
  uint8_t *mask = shape_new (SHAPE_DOTS, side, side);
  const CtrImage image = {.data = mask, .stride = side, .width = side, .height = side};
  CtrCcaParams of_components = params_of (CTR_CONNECTIVITY_8, 1, false, CTR_FEATURE_LABELS);
  CtrCracksParams params = cracks_params_of (CTR_LEVELS_EQUAL, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
  CtrComponents *components = analyse (cca, &setup, &image, &of_components);
  CtrContours *contours = trace_labels (components, &params, setup.stream);
  describe ("%u dots", dots * dots);
  CHECK (ctr_contours_wait (contours, NULL));
  const Contours all = contours_of (contours);
  CHECK (components->count == dots * dots && all.info.count == dots * dots && all.info.point_count == 4 * dots * dots);
  for (uint32_t i = 0; i < dots * dots; i++) {
    const uint16_t x = (uint16_t) (i % dots * 2), y = (uint16_t) (i / dots * 2);
    const CtrPoint ring[] = {{x, y}, {x + 1, y}, {x + 1, y + 1}, {x, y + 1}};
    CHECK (all.table[i].level == i + 1 && all.table[i].parent == -1 && all.table[i].next == -1
           && all.table[i].previous == -1 && all.table[i].area2 == 2);
    CHECK (memcmp (all.points + 4 * i, ring, sizeof ring) == 0);
  }
  ctr_contours_unref (contours);
  ctr_components_unref (components);
  free (mask);

  if (setup.quick)
    return;
  Picture noise = picture_random (&rng, 700, 500, (Layout){.format = CTR_FORMAT_GRAY8});
  of_components.mode = CTR_COMPONENTS_EQUAL;
  of_components.background = CTR_CCA_NO_BACKGROUND;
  of_components.connectivity = CTR_CONNECTIVITY_4;
  CtrComponents *expected = analyse (host_cca, &cpu, &noise.view, &of_components);
  CHECK (expected->count > 100000);
  components = analyse (cca, &setup, &noise.view, &of_components);
  describe ("%u labels of noise", expected->count);
  check_labels (trace_labels (components, &params, setup.stream), expected, &params);
  ctr_components_unref (components);
  picture_free (&noise);
}

/* Labels and images through one tracer. */
static void
test_in_turn (void)
{
  for (int i = 0; i < (setup.quick ? 6 : 40); i++) {
    const uint32_t width = 1 + random_below (&rng, 90), height = 1 + random_below (&rng, 70);
    Picture picture = values_new (&rng, width, height, (Layout){.format = CTR_FORMAT_GRAY8}, 4, 3);
    CtrCracksParams params = cracks_params_of ((CtrLevelMode) (i % 2), CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
    describe_cracks ("image after labels", &picture.view, &params);
    check_cracks (cracks, &setup, &picture.view, &params);
    picture_free (&picture);
    check_values (width, height, 3, 2);
  }
}

/* Uploads PIXELS where the GPU works. What read them before has been waited for. */
static CtrImage
image_of (const uint8_t *pixels, uint32_t width, uint32_t height)
{
  CtrImage image = {.data = pixels, .stride = width, .width = width, .height = height};
  if (device) {
    gpu_upload (device, pixels, (size_t) width * height);
    image.data = device;
    image.memory = CTR_MEMORY_DEVICE;
  }
  return image;
}

static CtrComponents *
submit (CtrCca *analyser, const CtrImage *image, const CtrCcaParams *params)
{
  CtrError error;
  CtrComponents *components = ctr_cca_submit (analyser, image, params, setup.stream, &error);
  if (!components)
    fail (__FILE__, __LINE__, error.message);
  return components;
}

static void *
read_both (void *data)
{
  void *const *results = data;
  ctr_components_wait (results[0], NULL);
  CHECK (ctr_contours_wait (results[1], NULL));
  return NULL;
}

/* The labels are traced before their analysis is known to be complete. New analysers have little memory, so many a frame is
 * done again. Before anyone reads the contours, the next components may be under way. */
static void
test_pending (void)
{
  const CtrImage next = {.data = calloc (1, 64 * 64), .stride = 64, .width = 64, .height = 64};
  CtrCca *analyser = NULL;
  for (int i = 0; i < (setup.quick ? 12 : 300); i++) {
    const uint32_t side = setup.quick ? 60 : 280;
    const uint32_t width = 1 + random_below (&rng, side), height = 1 + random_below (&rng, side);
    const CtrCcaParams of_components = random_cca_params ();
    const CtrCracksParams params = random_label_params ();
    uint8_t *pixels = noise_new (&rng, width, height, random_below (&rng, 101), 1u << random_below (&rng, 4));
    const CtrImage host = {.data = pixels, .stride = width, .width = width, .height = height};
    const CtrImage image = image_of (pixels, width, height);
    if (i % 3 == 0) {
      ctr_cca_free (analyser);
      analyser = analyser_new (&setup);
    }
    CtrComponents *expected = analyse (host_cca, &cpu, &host, &of_components);
    CtrComponents *components = submit (analyser, &image, &of_components), *following = NULL;
    CtrContours *contours = trace_labels (components, &params, i % 2 ? setup.stream : other_stream);
    pthread_t reader;
    describe_labels ("pending labels", expected, &params);
    if (i % 4 == 1) {
      following = submit (analyser, &next, &of_components);
    } else if (i % 4 == 2) {
      void *const results[] = {components, contours};
      CHECK (pthread_create (&reader, NULL, read_both, (void *) results) == 0);
      CHECK (ctr_contours_wait (contours, NULL));
      pthread_join (reader, NULL);
    }
    ctr_components_unref (components); /* The contours keep what they need. */
    check_labels (contours, expected, &params);
    ctr_components_unref (following);
    free (pixels);
  }
  ctr_cca_free (analyser);
  free ((void *) next.data);
}

/* Components of the other backend: their labels go up, or down. */
static void
test_other_backend (void)
{
  CtrCracks *host_cracks = tracer_new (&cpu), *const own = cracks;
  for (int i = 0; i < (setup.quick ? 4 : 20); i++) {
    Picture picture = values_new (
        &rng, 1 + random_below (&rng, 150), 1 + random_below (&rng, 100), (Layout){.format = CTR_FORMAT_GRAY8}, 3, 2);
    const CtrCcaParams of_components = random_cca_params ();
    const CtrCracksParams params = random_label_params ();
    CtrComponents *expected = analyse (host_cca, &cpu, &picture.view, &of_components);
    describe_labels ("labels of the CPU", expected, &params);
    CtrComponents *on_host = ctr_components_ref (expected);
    check_labels (trace_labels (on_host, &params, setup.stream), expected, &params);
    ctr_components_unref (on_host);

    expected = analyse (host_cca, &cpu, &picture.view, &of_components);
    CtrComponents *components = submit (cca, &picture.view, &of_components);
    describe_labels ("labels for the CPU", expected, &params);
    cracks = host_cracks;
    check_labels (trace_labels (components, &params, NULL), expected, &params);
    cracks = own;
    ctr_components_unref (components);
    picture_free (&picture);
  }
  ctr_cracks_free (host_cracks);
}

static void
check_refused (CtrComponents *components, const CtrCracksParams *params, const char *message)
{
  CtrError error = {0};
  describe ("refused: %s", message);
  CHECK (!ctr_cracks_run_labels (cracks, components, params, setup.stream, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, message));
}

static void
test_arguments (void)
{
  Picture picture = values_new (&rng, 60, 40, (Layout){.format = CTR_FORMAT_GRAY8}, 3, 2);
  CtrCcaParams of_components = params_of (CTR_CONNECTIVITY_8, 1, false, 0);
  CtrCracksParams params = cracks_params_of (CTR_LEVELS_AT_LEAST, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD), wrong;
  CtrComponents *without = analyse (cca, &setup, &picture.view, &of_components);
  of_components.features = CTR_FEATURE_LABELS;
  CtrComponents *components = analyse (cca, &setup, &picture.view, &of_components);
  check_refused (without, &params, "no label image: ask for CTR_FEATURE_LABELS, or labels=true on cudacca");
  check_refused (NULL, &params, "the components are NULL");
  check_refused (components, NULL, "the parameters are NULL");
  wrong = params;
  wrong.hierarchy = CTR_HIERARCHY_LEVELS;
  check_refused (components, &wrong, "does not exist for labels");
  wrong = params;
  wrong.connectivity = 6;
  check_refused (components, &wrong, "connectivity is 6");
  wrong = params;
  wrong.min_area = -1;
  check_refused (components, &wrong, "minimum area");

  describe ("more points than max_points");
  CtrContours *contours = ctr_cracks_run_labels (cracks, components, &params, setup.stream, NULL);
  params.max_points = contours->point_count - 1;
  CtrContours *refused = ctr_cracks_run_labels (cracks, components, &params, setup.stream, NULL);
  CHECK (refused && refused->exceeded == CTR_LIMIT_POINTS && refused->needed == contours->point_count);
  CHECK (refused->count == 0);
  ctr_contours_unref (refused);
  ctr_contours_unref (contours);
  ctr_components_unref (components);
  ctr_components_unref (without);
  picture_free (&picture);
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {{"small sizes", test_small_sizes}, {"lines", test_lines},
      {"tile edges", test_tile_edges}, {"shapes", test_shapes}, {"many labels", test_many_labels},
      {"in turn", test_in_turn}, {"pending", test_pending}, {"other backend", test_other_backend},
      {"arguments", test_arguments}};
  setup = setup_open (argc > 1 ? argv[1] : NULL, false);
  if (setup.backend == CTR_BACKEND_CUDA) {
    setup.stream = gpu_stream_new_following ();
    other_stream = gpu_stream_new ();
    device = gpu_alloc (MOST_PIXELS);
  }
  cracks = tracer_new (&setup);
  cca = analyser_new (&setup);
  host_cca = analyser_new (&cpu);
  run_tests (tests, LENGTH (tests));
  ctr_cracks_free (cracks);
  ctr_cca_free (cca);
  ctr_cca_free (host_cca);
  if (device)
    gpu_free (device);
  return 0;
}
