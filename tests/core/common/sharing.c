/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sharing BACKEND
 *
 * Several analysers of one image with a shared input (contours/input.h). Each result must equal that of the analyser
 * alone. Whether something was shared at all shows where a test changes the pixels between two analysers, which no
 * caller may do: what was shared is then of the former pixels.
 *
 * More than 500 lines: all tests use the same analyses and targets, which have no other user. */
#include "tests/core/borders/testing.h"
#include "tests/core/cca/testing.h"
#include "tests/core/common/gpu.h"
#include "tests/core/cracks/testing.h"
#include "tests/core/foreground/testing.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SIDE = 130, CHAIN = 3 };

static Setup setup;
static const Setup cpu = {.backend = CTR_BACKEND_CPU};
static void *streams[CHAIN]; /* each follows the default one, and that waits for it */
static Random rng = {23};

/* One analyser of each algorithm. */
typedef struct {
  CtrCca *cca;
  CtrBorders *borders;
  CtrCracks *cracks;
} Analysers;

static Analysers reference;

static Analysers
analysers_new (const Setup *of)
{
  return (Analysers){analyser_new (of), follower_new (of), tracer_new (of)};
}

static void
analysers_free (Analysers *analysers)
{
  ctr_cca_free (analysers->cca);
  ctr_borders_free (analysers->borders);
  ctr_cracks_free (analysers->cracks);
}

typedef enum { COMPONENTS, BORDERS, CRACKS, ALGORITHMS } Algorithm;

/* An analysis, and its result. */
typedef struct {
  Algorithm algorithm;
  CtrCcaParams cca;
  CtrBordersParams borders;
  CtrCracksParams cracks;
  CtrComponents *components;
  CtrContours *contours;
} Analysis;

static Analysis
analysis_of (Algorithm algorithm, CtrThresholdMode mode, uint32_t threshold)
{
  Analysis analysis = {.algorithm = algorithm,
      .cca = params_of (CTR_CONNECTIVITY_8, threshold, false, ALL_FEATURES),
      .borders = borders_params_of (CTR_RETRIEVE_TREE, CTR_APPROXIMATION_SIMPLE, threshold, false),
      .cracks = cracks_params_of (CTR_LEVELS_AT_LEAST, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD)};
  analysis.cracks.step = 60;
  analysis.cracks.maximum = 255;
  analysis.cca.foreground.mode = analysis.borders.foreground.mode = mode;
  return analysis;
}

/* COMMON: the foreground of some analyses of an image. */
static Analysis
random_analysis (const CtrImage *image, const CtrForeground *common)
{
  const CtrThresholdMode mode = random_below (&rng, 3) ? CTR_THRESHOLD_OTSU : CTR_THRESHOLD_FIXED;
  Analysis analysis = analysis_of (random_below (&rng, ALGORITHMS), mode, 1 + random_below (&rng, 255));
  analysis.cca.features = random_below (&rng, 2) ? ALL_FEATURES : 0;
  analysis.cca.foreground.invert = analysis.borders.foreground.invert = random_below (&rng, 2);
  analysis.borders.mode = random_below (&rng, 4);
  analysis.borders.min_area = random_below (&rng, 2) * 3;
  if (random_below (&rng, 3))
    analysis.cca.foreground = analysis.borders.foreground =
        random_below (&rng, 3) ? *common : random_foreground (&rng, image, 5);
  return analysis;
}

static void
submit (const Analysers *with, Analysis *analysis, const CtrImage *image, void *stream)
{
  CtrError error;
  bool ok;
  if (analysis->algorithm == COMPONENTS)
    ok = (analysis->components = ctr_cca_submit (with->cca, image, &analysis->cca, stream, &error));
  else if (analysis->algorithm == BORDERS)
    ok = (analysis->contours = ctr_borders_submit (with->borders, image, &analysis->borders, stream, &error));
  else
    ok = (analysis->contours = ctr_cracks_submit (with->cracks, image, &analysis->cracks, stream, &error));
  if (!ok)
    fail (__FILE__, __LINE__, error.message);
}

static void
drop (Analysis *analysis)
{
  ctr_components_unref (analysis->components);
  ctr_contours_unref (analysis->contours);
  analysis->components = NULL;
  analysis->contours = NULL;
}

/* The result must be that of the CPU backend alone for IMAGE, in host memory. Drops it. */
static void
check (Analysis *analysis, const CtrImage *image)
{
  Analysis expected = *analysis;
  submit (&reference, &expected, image, NULL);
  if (analysis->components) {
    CHECK (ctr_components_wait (analysis->components, NULL));
    check_components_equal (expected.components, analysis->components);
  } else {
    CHECK (ctr_contours_wait (analysis->contours, NULL));
    const Contours a = contours_of (expected.contours), b = contours_of (analysis->contours);
    check_contours_equal (&a, &b);
  }
  drop (&expected);
  drop (analysis);
}

static uint32_t
threshold_of (const Analysis *analysis)
{
  return analysis->components ? analysis->components->threshold : analysis->contours->threshold;
}

/* Where the pixels of an image are. */
typedef enum { ORDINARY, PINNED, DEVICE, PLACES } Place;

static const char *const place_names[] = {"ordinary host memory", "page-locked memory", "device memory"};

/* The image that analysers get: a picture's pixels, in memory that a test may overwrite. */
typedef struct {
  Place place;
  void *memory, *chroma;
  size_t bytes, chroma_bytes;
  CtrImage view;
} Target;

static void
copy_to (Place place, void *memory, const void *bytes, size_t count)
{
  if (place == DEVICE)
    gpu_upload (memory, bytes, count);
  else
    memcpy (memory, bytes, count);
}

static void
overwrite (const Target *target, const void *pixels)
{
  copy_to (target->place, target->memory, pixels, target->bytes);
}

static void *
place_alloc (Place place, size_t bytes)
{
  return place == DEVICE ? gpu_alloc (bytes) : place == PINNED ? gpu_alloc_pinned (bytes) : malloc (bytes);
}

static void
place_free (Place place, void *memory)
{
  if (place == DEVICE)
    gpu_free (memory);
  else if (place == PINNED)
    gpu_free_pinned (memory);
  else
    free (memory);
}

static Target
target_new (const Picture *picture, Place place)
{
  Target target = {.place = place, .bytes = picture->bytes, .view = picture->view};
  target.memory = place_alloc (place, picture->bytes);
  target.view.data = (uint8_t *) target.memory + ((const uint8_t *) picture->view.data - (uint8_t *) picture->memory);
  target.view.memory = place == DEVICE ? CTR_MEMORY_DEVICE : CTR_MEMORY_HOST;
  overwrite (&target, picture->memory);
  return target;
}

/* The chroma is in memory of its own. */
static Target
target_of_scene (const Scene *scene, Place place)
{
  Target target = target_new (&scene->picture, place);
  CtrChroma *chroma = &target.view.chroma;
  if (!scene->chroma)
    return target;
  target.chroma_bytes = scene->chroma_bytes;
  target.chroma = place_alloc (place, target.chroma_bytes);
  chroma->cb = (uint8_t *) target.chroma + (chroma->cb - scene->chroma);
  chroma->cr = (uint8_t *) target.chroma + (chroma->cr - scene->chroma);
  copy_to (place, target.chroma, scene->chroma, target.chroma_bytes);
  return target;
}

static void
target_free (Target *target)
{
  place_free (target->place, target->memory);
  if (target->chroma)
    place_free (target->place, target->chroma);
}

static void
spoil (const Target *target)
{
  const size_t most = target->bytes > target->chroma_bytes ? target->bytes : target->chroma_bytes;
  uint8_t *other = malloc (most);
  memset (other, 0x5a, most);
  overwrite (target, other);
  if (target->chroma)
    copy_to (target->place, target->chroma, other, target->chroma_bytes);
  free (other);
}

static Picture
picture_new (uint32_t width, uint32_t height, CtrFormat format, uint32_t shade)
{
  const Layout layout = {.format = format};
  const uint32_t wide = format == CTR_FORMAT_GRAY16 ? 256 : 1;
  uint8_t *mask = noise_new (&rng, width, height, 40, 5);
  const Picture picture = picture_of_mask (&rng, mask, width, height, layout, shade * wide, false);
  free (mask);
  return picture;
}

/* A picture of any content, or now and then one with as many components as there can be, which need more memory. */
static Scene
any_scene (void)
{
  const uint32_t side = setup.quick ? 50 : MOST_SIDE, width = 1 + random_below (&rng, side),
                 height = 1 + random_below (&rng, side);
  if (random_below (&rng, 6))
    return random_below (&rng, 2) ? random_scene (&rng, width, height)
                                  : scene_new (&rng, picture_random (&rng, width, height, random_layout (&rng)));
  uint8_t *mask = shape_new (SHAPE_DOTS, side, side);
  const Picture picture = picture_of_mask (&rng, mask, side, side, random_layout (&rng), 100, false);
  free (mask);
  return scene_new (&rng, picture);
}

/* The mask of TARGET, made with the current input, is that of SCENE. */
static void
check_mask_of (CtrMask *maker, const Target *target, const Scene *scene, const CtrForeground *foreground)
{
  static CtrMask *plain;
  CtrInput *input = ctr_input_set_current (NULL);
  const CtrImage *image = &scene->picture.view;
  if (!plain)
    plain = mask_maker_new (&cpu);
  uint8_t *expected = make_mask (plain, &cpu, image, foreground);
  ctr_input_set_current (input);
  uint8_t *actual = make_mask (maker, &setup, &target->view, foreground);
  CHECK (memcmp (expected, actual, (size_t) image->width * image->height) == 0);
  free (expected);
  free (actual);
}

static uint32_t
place_count (void)
{
  return setup.backend == CTR_BACKEND_CUDA ? PLACES : 1;
}

/* Chains of analysers in any order, with any parameters and formats. Results are read late: after the input is cleared
 * and the pixels are others, and partly when the next frame is analysed. */
static void
test_chains (void)
{
  CtrInput *input = ctr_input_new (NULL);
  Analysers chain[CHAIN];
  Analysis former = {0};
  Scene former_scene = {0};
  CtrMask *maker = mask_maker_new (&setup);
  for (int i = 0; i < CHAIN; i++)
    chain[i] = analysers_new (&setup);
  for (int frame = 0; frame < (setup.quick ? 30 : 400); frame++) {
    Scene scene = any_scene ();
    const CtrImage *image = &scene.picture.view;
    Analysis analyses[CHAIN];
    Target target = target_of_scene (&scene, random_below (&rng, place_count ()));
    const CtrForeground common = random_foreground (&rng, image, 5);
    describe ("frame %d of %u x %u pixels, format %d, in %s", frame, image->width, image->height, image->format,
        place_names[target.place]);
    CHECK (ctr_input_set_current (input) == NULL);
    for (int i = 0; i < CHAIN; i++) {
      analyses[i] = random_analysis (image, &common);
      submit (&chain[i], &analyses[i], &target.view, streams[random_below (&rng, CHAIN)]);
      if (random_below (&rng, 6) == 0)
        check_mask_of (maker, &target, &scene, &common);
    }
    CHECK (ctr_input_set_current (NULL) == input);
    ctr_input_clear (input);
    spoil (&target);
    target_free (&target);
    if (frame > 0) {
      check (&former, &former_scene.picture.view);
      scene_free (&former_scene);
    }
    for (int i = 0; i < CHAIN - 1; i++)
      check (&analyses[i], image);
    former = analyses[CHAIN - 1];
    former_scene = scene;
  }
  ctr_input_free (input);
  ctr_mask_free (maker);
  for (int i = 0; i < CHAIN; i++)
    analysers_free (&chain[i]);
  check (&former, &former_scene.picture.view);
  scene_free (&former_scene);
}

static bool
is_grey (CtrFormat format)
{
  return format == CTR_FORMAT_GRAY8 || format == CTR_FORMAT_GRAY16;
}

/* Analyses BEFORE's pixels, overwrites them with AFTER's, and analyses again with the same input. What the second
 * analysis shares is BEFORE's; it does not share the plane if the image itself is one that both can read. */
static void
check_shared (
    Algorithm first, Algorithm second, CtrThresholdMode mode, const Picture *before, const Picture *after, Place place)
{
  CtrInput *input = ctr_input_new (NULL);
  Analysers a = analysers_new (&setup), b = analysers_new (&setup);
  Target target = target_new (before, place);
  const bool copied = !is_grey (before->view.format) || (setup.backend == CTR_BACKEND_CUDA && place != DEVICE);
  Analysis one = analysis_of (first, mode, 90), two = analysis_of (second, mode, 90), otsu, three = two;
  describe (
      "algorithm %d, then %d, mode %d, format %d, in %s", first, second, mode, before->view.format, place_names[place]);
  otsu = analysis_of (BORDERS, CTR_THRESHOLD_OTSU, 0);
  submit (&reference, &otsu, &before->view, NULL);
  ctr_input_set_current (input);
  submit (&a, &one, &target.view, streams[0]);
  overwrite (&target, after->memory);
  submit (&b, &two, &target.view, streams[1]);
  ctr_input_clear (input);
  submit (&a, &three, &target.view, streams[0]);
  ctr_input_set_current (NULL);
  check (&one, &before->view);
  check (&three, &after->view);
  if (copied) {
    check (&two, &before->view);
  } else if (second != CRACKS && first != CRACKS && mode == CTR_THRESHOLD_OTSU) {
    CHECK (two.components ? ctr_components_wait (two.components, NULL) : ctr_contours_wait (two.contours, NULL));
    CHECK (threshold_of (&two) == threshold_of (&otsu));
    two.cca.foreground = two.borders.foreground =
        (CtrForeground){.mode = CTR_THRESHOLD_FIXED, .threshold = threshold_of (&otsu)};
    check (&two, &after->view);
  } else {
    check (&two, &after->view);
  }
  drop (&otsu);
  target_free (&target);
  ctr_input_free (input);
  analysers_free (&a);
  analysers_free (&b);
}

static void
test_what_is_shared (void)
{
  static const CtrFormat formats[] = {
      CTR_FORMAT_GRAY8, CTR_FORMAT_GRAY16, CTR_FORMAT_RGB, CTR_FORMAT_XBGR, CTR_FORMAT_YUYV, CTR_FORMAT_VYUY};
  for (size_t f = 0; f < LENGTH (formats); f++) {
    Picture before = picture_new (75, 66, formats[f], 150), after = picture_new (75, 66, formats[f], 60);
    for (Place place = ORDINARY; place < place_count (); place++)
      for (Algorithm first = COMPONENTS; first < ALGORITHMS; first++)
        for (Algorithm second = COMPONENTS; second < ALGORITHMS; second++)
          for (CtrThresholdMode mode = CTR_THRESHOLD_FIXED; mode <= CTR_THRESHOLD_OTSU; mode++)
            if (setup.backend == CTR_BACKEND_CPU || !setup.quick || random_below (&rng, 8) == 0)
              check_shared (first, second, mode, &before, &after, place);
    picture_free (&before);
    picture_free (&after);
  }
}

/* An input serves its first image only: not one with other pixels, of another size or of another format. */
static void
test_other_images (void)
{
  CtrInput *input = ctr_input_new (NULL);
  Analysers a = analysers_new (&setup);
  for (Place place = ORDINARY; place < place_count (); place++) {
    Picture picture = picture_new (96, 64, CTR_FORMAT_RGBX, 150);
    Target target = target_new (&picture, place);
    CtrImage views[6], host[6];
    for (size_t i = 0; i < LENGTH (views); i++) {
      views[i] = target.view;
      host[i] = picture.view;
    }
    views[1].width = host[1].width = 50;
    views[2].height = host[2].height = 33;
    views[3].format = host[3].format = CTR_FORMAT_XBGR;
    views[4].stride = host[4].stride = 2 * picture.view.stride;
    views[4].height = host[4].height = 32;
    views[5].data = (const uint8_t *) views[5].data + 4;
    host[5].data = (const uint8_t *) host[5].data + 4;
    views[5].width = host[5].width = 95;
    ctr_input_set_current (input);
    for (size_t i = 0; i < 3 * LENGTH (views); i++) {
      Analysis otsu = analysis_of (i % 2 ? BORDERS : COMPONENTS, CTR_THRESHOLD_OTSU, 0);
      const size_t k = i % LENGTH (views);
      describe ("view %zu of an image in %s", k, place_names[place]);
      submit (&a, &otsu, &views[k], streams[i % CHAIN]);
      ctr_input_set_current (NULL);
      check (&otsu, &host[k]);
      ctr_input_set_current (input);
    }
    ctr_input_set_current (NULL);
    ctr_input_clear (input);
    target_free (&target);
    picture_free (&picture);
  }
  analysers_free (&a);
  ctr_input_free (input);
}

/* Analysers and inputs go in any order while results are pending. */
static void
test_ends (void)
{
  for (int order = 0; order < 24; order++)
    for (Place place = ORDINARY; place < place_count (); place++) {
      Picture picture = picture_new (80, 60, order % 2 ? CTR_FORMAT_BGR : CTR_FORMAT_GRAY8, 120);
      Target target = target_new (&picture, place);
      CtrInput *input = ctr_input_new (NULL);
      Analysers a = analysers_new (&setup), b = analysers_new (&setup);
      Analysis one = analysis_of (COMPONENTS, CTR_THRESHOLD_OTSU, 0),
               two = analysis_of (BORDERS, CTR_THRESHOLD_OTSU, 0);
      describe ("order %d, in %s", order, place_names[place]);
      ctr_input_set_current (input);
      submit (&a, &one, &target.view, streams[0]);
      submit (&b, &two, &target.view, streams[1]);
      ctr_input_set_current (NULL);
      spoil (&target);
      for (int i = 0, left = order, done = 0; i < 3; i++) {
        int which = left % (3 - i);
        left /= 3 - i;
        while (done & 1 << which)
          which = (which + 1) % 3;
        done |= 1 << which;
        if (which == 0)
          ctr_input_free (input);
        else
          analysers_free (which == 1 ? &a : &b);
      }
      check (&one, &picture.view);
      check (&two, &picture.view);
      target_free (&target);
      picture_free (&picture);
    }
}

/* Other pixels in the same place, frame after frame: graphs are used again, but no threshold. Results are read when the
 * next frame has been analysed. */
static void
test_same_place (void)
{
  static const CtrFormat formats[] = {CTR_FORMAT_GRAY8, CTR_FORMAT_GRAY16, CTR_FORMAT_XRGB};
  for (size_t f = 0; f < LENGTH (formats); f++)
    for (Place place = ORDINARY; place < place_count (); place++) {
      CtrInput *input = ctr_input_new (NULL);
      Analysers a = analysers_new (&setup), b = analysers_new (&setup);
      Picture former = picture_new (90, 70, formats[f], 20);
      Target target = target_new (&former, place);
      Analysis one = {0}, two = {0};
      for (int frame = 0; frame < 12; frame++) {
        const Analysis former_one = one, former_two = two;
        const Picture picture = frame ? picture_new (90, 70, formats[f], 20 + 15 * frame) : former;
        describe ("frame %d, format %d, in %s", frame, formats[f], place_names[place]);
        overwrite (&target, picture.memory);
        one = analysis_of (COMPONENTS, CTR_THRESHOLD_OTSU, 0);
        two = analysis_of (frame / 6 ? COMPONENTS : BORDERS, CTR_THRESHOLD_OTSU, 0);
        ctr_input_set_current (input);
        submit (&a, &one, &target.view, streams[0]);
        submit (&b, &two, &target.view, streams[1]);
        ctr_input_set_current (NULL);
        ctr_input_clear (input);
        if (frame == 0)
          continue;
        Analysis results[] = {former_one, former_two};
        check (&results[0], &former.view);
        check (&results[1], &former.view);
        picture_free (&former);
        former = picture;
      }
      check (&one, &former.view);
      check (&two, &former.view);
      picture_free (&former);
      target_free (&target);
      ctr_input_free (input);
      analysers_free (&a);
      analysers_free (&b);
    }
}

/* A small image is analysed again and again, then a large one, with a shared input or without, and then the small one again. What was
 * kept for the small one may not lead to the memory that was too small for the large one. */
static void
test_sizes (void)
{
  static const uint32_t sizes[][2] = {{30, 20}, {30, 20}, {30, 20}, {100, 60}, {30, 20}};
  for (int i = 0; i < 4; i++)
    for (Place place = ORDINARY; place < place_count (); place++) {
      const bool shares = i / 2;
      CtrInput *input = ctr_input_new (NULL);
      Analysers a = analysers_new (&setup);
      Picture picture = picture_new (sizes[3][0], sizes[3][1], CTR_FORMAT_GRAY8, 150);
      Target target = target_new (&picture, place);
      for (size_t k = 0; k < LENGTH (sizes); k++) {
        Analysis analysis = analysis_of (COMPONENTS, CTR_THRESHOLD_FIXED, 90);
        CtrImage view = target.view, host = picture.view;
        describe ("image %zu of a small and a large one, in %s%s", k, place_names[place], shares ? ", shared" : "");
        view.width = host.width = sizes[k][0];
        view.height = host.height = sizes[k][1];
        analysis.cca.features = 0;
        analysis.cca.foreground.upper_threshold = 200;
        if (i % 2) {
          analysis.cca.foreground.mode = CTR_THRESHOLD_ADAPTIVE_GAUSSIAN;
          analysis.cca.foreground.block_size = 5;
        }
        ctr_input_set_current (shares && k == 3 ? input : NULL);
        submit (&a, &analysis, &view, streams[0]);
        ctr_input_set_current (NULL);
        ctr_input_clear (input);
        check (&analysis, &host);
      }
      target_free (&target);
      picture_free (&picture);
      analysers_free (&a);
      ctr_input_free (input);
    }
}

/* More components than a new analyser has room for, in a mask that stays where it is when the frame is done again. */
static void
test_outgrown (void)
{
  CtrInput *input = ctr_input_new (NULL);
  uint8_t *mask = shape_new (SHAPE_DOTS, MOST_SIDE, MOST_SIDE);
  Picture picture =
      picture_of_mask (&rng, mask, MOST_SIDE, MOST_SIDE, (Layout){.format = CTR_FORMAT_GRAY8}, 100, false);
  for (Place place = ORDINARY; place < place_count (); place++) {
    Analysers a = analysers_new (&setup);
    Target target = target_new (&picture, place);
    Analysis analysis = analysis_of (COMPONENTS, CTR_THRESHOLD_FIXED, 100);
    describe ("many components of a shared mask, in %s", place_names[place]);
    analysis.cca.features = 0;
    analysis.cca.foreground.upper_threshold = 254;
    ctr_input_set_current (input);
    submit (&a, &analysis, &target.view, streams[0]);
    ctr_input_set_current (NULL);
    ctr_input_clear (input);
    check (&analysis, &picture.view);
    target_free (&target);
    analysers_free (&a);
  }
  picture_free (&picture);
  free (mask);
  ctr_input_free (input);
}

/* Images that are queued and never finished: the older result is dropped, and its memory is not reused too early. */
static void
test_unfinished (void)
{
  CtrInput *input = ctr_input_new (NULL);
  Analysers a = analysers_new (&setup), b = analysers_new (&setup);
  for (int frame = 0; frame < 12; frame++) {
    Picture picture = picture_new (64 + frame, 70, frame % 3 ? CTR_FORMAT_RGB : CTR_FORMAT_GRAY8, 100 + 5 * frame);
    Target target = target_new (&picture, ORDINARY);
    Analysis one = analysis_of (COMPONENTS, CTR_THRESHOLD_OTSU, 0), two = one;
    describe ("unfinished frame %d", frame);
    ctr_input_set_current (input);
    CHECK (ctr_cca_enqueue (a.cca, &target.view, &one.cca, streams[0], NULL));
    CHECK (ctr_cca_enqueue (b.cca, &target.view, &two.cca, streams[1], NULL));
    ctr_input_set_current (NULL);
    ctr_input_clear (input);
    if (frame % 4 == 3) {
      CHECK ((one.components = ctr_cca_finish (a.cca, NULL)));
      CHECK ((two.components = ctr_cca_finish (b.cca, NULL)));
      check (&one, &picture.view);
      check (&two, &picture.view);
    }
    target_free (&target);
    picture_free (&picture);
  }
  analysers_free (&a);
  analysers_free (&b);
  ctr_input_free (input);
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {{"chains", test_chains}, {"what is shared", test_what_is_shared},
      {"other images", test_other_images}, {"ends", test_ends}, {"same place", test_same_place}, {"sizes", test_sizes},
      {"outgrown", test_outgrown}, {"unfinished", test_unfinished}};
  setup = setup_open (argv[1], false);
  for (int i = 0; i < CHAIN && setup.backend == CTR_BACKEND_CUDA; i++)
    streams[i] = gpu_stream_new_following ();
  ctr_threads_set_current (3); /* of which the CPU backend makes use where bands may be small */
  reference = analysers_new (&cpu);
  run_tests (tests, LENGTH (tests));
  analysers_free (&reference);
  ctr_input_free (NULL);
  return 0;
}
