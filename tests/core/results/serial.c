/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results of all analyses as bytes, there and back; and bytes that are damaged on purpose. */
#include "core/results/bytes.h"
#include "tests/core/borders/testing.h"
#include "tests/core/cca/testing.h"
#include "tests/core/cracks/testing.h"
#include "tests/core/results/contours.h"
#include "tests/core/snake/reference.h"
#include "tests/core/snake/testing.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SIDE = 60 };

static Setup setup;
static Random rng = {71};
static CtrCca *cca;
static CtrBorders *borders;
static CtrCracks *cracks;
static CtrSnake *snake;

/* Bytes with an address that is no multiple of anything: those that come from elsewhere have no alignment. */
typedef struct {
  uint8_t *memory;
  uint8_t *bytes;
  size_t size;
} Bytes;

static Bytes
bytes_new (const void *from, size_t size)
{
  Bytes b = {.memory = malloc (size + 1), .size = size};
  CHECK (b.memory);
  b.bytes = b.memory + 1;
  memcpy (b.bytes, from, size);
  return b;
}

static Bytes
bytes_of_contours (CtrContours *contours)
{
  CtrError error = {0};
  size_t size = 0;
  void *written = ctr_contours_serialize (contours, &size, &error);
  if (!written)
    fail (__FILE__, __LINE__, error.message);
  Bytes b = bytes_new (written, size);
  free (written);
  return b;
}

static Bytes
bytes_of_components (CtrComponents *components)
{
  CtrError error = {0};
  size_t size = 0;
  void *written = ctr_components_serialize (components, &size, &error);
  if (!written)
    fail (__FILE__, __LINE__, error.message);
  Bytes b = bytes_new (written, size);
  free (written);
  return b;
}

static void
check_same (Bytes a, Bytes b)
{
  CHECK (a.size == b.size && memcmp (a.bytes, b.bytes, a.size) == 0);
  free (b.memory);
}

static void
check_histories_equal (CtrContours *a, CtrContours *b)
{
  CtrSnakeHistory x, y;
  CHECK (ctr_contours_get_history (a, &x) == ctr_contours_get_history (b, &y));
  CHECK (x.state_count == y.state_count && x.point_count == y.point_count);
  CHECK (x.state_count == 0 || memcmp (x.states, y.states, x.state_count * sizeof *x.states) == 0);
  CHECK (x.point_count == 0 || memcmp (x.points, y.points, x.point_count * sizeof *x.points) == 0);
}

static void
check_codes_equal (CtrContours *a, CtrContours *b)
{
  CtrContourCodes x, y;
  CHECK (ctr_contours_map_codes (a, &x, NULL) && ctr_contours_map_codes (b, &y, NULL));
  CHECK (x.size == y.size && x.bits == y.bits && memcmp (x.bytes, y.bytes, x.size) == 0);
}

/* A row in the bytes is as long as one in memory, so that no field is left out. */
static void
check_rows (Bytes b, int kind)
{
  static const size_t sizes[2][12] = {
      {0, 80, sizeof (CtrComponent), sizeof (CtrComponentMoments), sizeof (CtrComponentGrey), 4,
          sizeof (CtrComponentPercentiles), sizeof (CtrComponentInscribed), sizeof (CtrComponentContrast),
          sizeof (CtrComponentSkeleton)},
      {0, 72, sizeof (CtrContour), sizeof (CtrPoint), sizeof (CtrContourSums), sizeof (CtrSnakeRegion),
          sizeof (CtrContourNesting), sizeof (CtrContourShape), sizeof (CtrSnakeState), sizeof (CtrPoint),
          sizeof (CtrSubpixelPoint), sizeof (CtrContourFits)},
  };
  for (size_t at = CTR_BYTES_HEADER; at < b.size;) {
    uint32_t head[4];
    memcpy (head, b.bytes + at, sizeof head);
    CHECK (head[0] < LENGTH (sizes[kind]) && head[1] == sizes[kind][head[0]]);
    at += sizeof head + ((size_t) head[1] * head[2] + 7) / 8 * 8;
  }
}

/* Takes CONTOURS. */
static Bytes
check_contours_there_and_back (CtrContours *contours)
{
  CtrError error = {0};
  Bytes bytes = bytes_of_contours (contours);
  check_rows (bytes, 1);
  CtrContours *back = ctr_contours_deserialize (bytes.bytes, bytes.size, &error);
  if (!back)
    fail (__FILE__, __LINE__, error.message);
  CHECK (ctr_contours_is_complete (back));
  const Contours a = contours_of (contours), b = contours_of (back);
  check_contours_equal (&a, &b);
  CHECK (a.info.needed == b.info.needed && a.info.exceeded == b.info.exceeded && a.info.features == b.info.features);
  CHECK (a.info.origin_row == b.info.origin_row && a.info.unfinished == b.info.unfinished);
  CHECK (a.info.vertices == b.info.vertices && a.info.connectivity == b.info.connectivity);
  CHECK (a.info.region_count == b.info.region_count && a.info.threshold == b.info.threshold);
  check_histories_equal (contours, back);
  if (contours->features & CTR_CONTOUR_FEATURE_REGIONS)
    CHECK (memcmp (ctr_contours_map_regions (contours, NULL), ctr_contours_map_regions (back, NULL),
               contours->count * sizeof (CtrSnakeRegion))
           == 0);
  if (ctr_contours_have_codes (contours))
    check_codes_equal (contours, back);
  check_same (bytes, bytes_of_contours (back));
  ctr_contours_unref (contours);
  ctr_contours_unref (back);
  return bytes;
}

/* Takes COMPONENTS. */
static Bytes
check_components_there_and_back (CtrComponents *components)
{
  CtrError error = {0};
  Bytes bytes = bytes_of_components (components);
  check_rows (bytes, 0);
  CtrComponents *back = ctr_components_deserialize (bytes.bytes, bytes.size, &error);
  if (!back)
    fail (__FILE__, __LINE__, error.message);
  check_components_equal (components, back);
  CHECK (memcmp (&components->background, &back->background, sizeof back->background) == 0);
  CHECK (components->origin_row == back->origin_row && components->unfinished == back->unfinished);
  CHECK (components->region_count == back->region_count && components->features == back->features);
  check_same (bytes, bytes_of_components (back));
  ctr_components_unref (components);
  ctr_components_unref (back);
  return bytes;
}

/* The result of any analysis of PICTURE: 0 components, 1 borders, 2 level contours, 3 outlines of labels, 4 snakes. */
enum { KINDS = 5 };

static Bytes
result_new (const Picture *picture, int kind)
{
  const CtrImage *image = &picture->view;
  CtrCcaParams cca_params = params_of (random_below (&rng, 2) ? CTR_CONNECTIVITY_4 : CTR_CONNECTIVITY_8, 100,
      random_below (&rng, 2), random_below (&rng, ALL_FEATURES + 1) & ALL_FEATURES);
  if (kind == 0) {
    cca_params.mode = random_below (&rng, 2) ? CTR_COMPONENTS_EQUAL : CTR_COMPONENTS_FOREGROUND;
    return check_components_there_and_back (analyse (cca, &setup, image, &cca_params));
  }
  if (kind == 1) {
    CtrBordersParams params = random_borders_params (&rng, 100, random_below (&rng, 2));
    params.subpixel = (CtrSubpixel) random_below (&rng, 3);
    return check_contours_there_and_back (follow_borders (borders, &setup, image, &params));
  }
  CtrCracksParams params = random_cracks_params (&rng);
  if (kind == 2) {
    params.max_points = random_below (&rng, 4) ? 0 : 100;
    return check_contours_there_and_back (trace_cracks (cracks, &setup, image, &params));
  }
  if (kind == 3) {
    cca_params.features = CTR_FEATURE_LABELS;
    CtrComponents *components = analyse (cca, &setup, image, &cca_params);
    params.hierarchy = CTR_HIERARCHY_PER_LEVEL;
    params.features &= CTR_CONTOUR_FEATURE_MOMENTS;
    params.min_persistence = 0;
    params.max_depth = CTR_CRACKS_ANY_DEPTH;
    CtrError error = {0};
    CtrContours *contours = ctr_cracks_run_labels (cracks, components, &params, setup.stream, &error);
    if (!contours)
      fail (__FILE__, __LINE__, error.message);
    ctr_components_unref (components);
    return check_contours_there_and_back (contours);
  }
  CtrSnakeParams snake_params = random_snake_params (&rng);
  snake_params.history = random_below (&rng, 2);
  CtrSnakeObject objects[3];
  random_snake_objects (&rng, image->width, image->height, objects, LENGTH (objects));
  Bytes bytes =
      check_contours_there_and_back (run_snake (snake, &setup, image, &snake_params, objects, LENGTH (objects)));
  random_snake_objects_free (objects, LENGTH (objects));
  return bytes;
}

static Picture
any_picture (int kind, uint32_t width, uint32_t height)
{
  if (kind == KINDS - 1)
    return random_snake_picture (&rng, width, height);
  uint8_t *mask = shape_new ((Shape) random_below (&rng, SHAPE_COUNT), width, height);
  Picture picture = random_below (&rng, 2)
                        ? picture_random (&rng, width, height, (Layout){.format = CTR_FORMAT_GRAY8})
                        : picture_of_mask (&rng, mask, width, height, (Layout){.format = CTR_FORMAT_GRAY8}, 100, false);
  free (mask);
  return picture;
}

static void
test_there_and_back (void)
{
  const uint32_t count = setup.quick ? 60 : 1500;
  for (uint32_t i = 0; i < count; i++) {
    const int kind = (int) (i % KINDS);
    const bool small = i < count / 4;
    const uint32_t width = 1 + random_below (&rng, small ? 17 : MOST_SIDE),
                   height = 1 + random_below (&rng, small ? 17 : MOST_SIDE);
    describe ("result %u of kind %d, %u x %u", i, kind, width, height);
    Picture picture = any_picture (kind, width, height);
    free (result_new (&picture, kind).memory);
    picture_free (&picture);
  }
}

/* Strips have coordinates of their own, and lines that may be open. */
static void
test_strips (void)
{
  for (uint32_t i = 0; i < (setup.quick ? 4 : 40); i++) {
    const uint32_t width = 1 + random_below (&rng, MOST_SIDE);
    CtrComponentStrips *components = ctr_component_strips_new (setup.backend, 20, NULL);
    CtrBorderStrips *contours = ctr_border_strips_new (setup.backend, 20, NULL);
    const CtrCcaParams cca_params = params_of (CTR_CONNECTIVITY_8, 128, false, CTR_FEATURE_MOMENTS);
    const CtrBordersParams params = borders_params_of (CTR_RETRIEVE_LIST, CTR_APPROXIMATION_NONE, 128, false);
    CHECK (components && contours);
    for (uint32_t strip = 0; strip < 8; strip++) {
      describe ("strip %u of web %u, %u wide", strip, i, width);
      Picture picture = any_picture (0, width, 1 + random_below (&rng, 17));
      CtrComponents *closed = ctr_component_strips_run (components, &picture.view, &cca_params, setup.stream, NULL);
      CtrContours *lines = ctr_border_strips_run (contours, &picture.view, &params, setup.stream, NULL);
      CHECK (closed && lines);
      free (check_components_there_and_back (closed).memory);
      free (check_contours_there_and_back (lines).memory);
      picture_free (&picture);
    }
    CtrContours *rest = NULL;
    CHECK (ctr_border_strips_finish (contours, &rest, NULL));
    if (rest)
      free (check_contours_there_and_back (rest).memory);
    ctr_component_strips_free (components);
    ctr_border_strips_free (contours);
  }
}

/* Uses everything that BYTES hold, if they are accepted. */
static bool
use (const uint8_t *bytes, size_t size, int kind)
{
  CtrError error = {0};
  if (kind == 0) {
    CtrComponents *c = ctr_components_deserialize (bytes, size, &error);
    CHECK (c || (error.status == CTR_ERROR_INVALID_ARGUMENT && error.message[0]));
    for (uint32_t i = 0; c && i < c->count; i++) {
      CtrComponentShape shape;
      double x, y;
      ctr_component_centroid (&c->table[i], &x, &y);
      if (c->moments)
        ctr_component_shape (&c->table[i], &c->moments[i], &shape);
      if (c->contrast)
        ctr_component_contrast (&c->table[i], &c->grey[i], &c->contrast[i], &x, &y);
    }
    if (c)
      ctr_components_unref (c);
    return c;
  }
  CtrContours *c = ctr_contours_deserialize (bytes, size, &error);
  CHECK (c || (error.status == CTR_ERROR_INVALID_ARGUMENT && error.message[0]));
  if (!c)
    return false;
  const Contours view = contours_of (c);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < c->count; i++) {
    CtrContourShapeValues values;
    ctr_contour_shape_values (c, &view.table[i], view.shapes ? &view.shapes[i] : NULL, view.sums ? &view.sums[i] : NULL,
        view.fits ? &view.fits[i] : NULL, &values);
    for (uint32_t k = 0; k < view.table[i].count; k++)
      sum += view.points[view.table[i].first + k].x;
    for (int32_t row = (int32_t) i, steps = 0; row >= 0; row = view.table[row].parent)
      CHECK (steps++ <= (int32_t) c->count);
  }
  CtrContourCodes codes;
  if (ctr_contours_have_codes (c) && ctr_contours_map_codes (c, &codes, &error))
    for (uint32_t i = 0; i < c->count; i++)
      sum += view.table[i].flags & CTR_CONTOUR_OPEN ? ctr_contour_codes_decode_open (&codes, i, NULL)
                                                    : ctr_contour_codes_decode (&codes, i, c->vertices, NULL);
  CHECK (sum < UINT64_MAX);
  ctr_contours_unref (c);
  return true;
}

static void
set_checksum (Bytes b)
{
  const uint64_t sum = ctr_bytes_checksum (b.bytes + CTR_BYTES_AT_SECTIONS, b.size - CTR_BYTES_AT_SECTIONS);
  for (int i = 0; i < 8; i++)
    b.bytes[CTR_BYTES_AT_CHECKSUM + i] = (uint8_t) (sum >> 8 * i);
}

/* Changes some numbers: to a random value, or by a little. */
static void
damage (Bytes b)
{
  for (uint32_t changes = 1 + random_below (&rng, 3); changes > 0; changes--) {
    const size_t at = CTR_BYTES_AT_SECTIONS + random_below (&rng, (uint32_t) (b.size - CTR_BYTES_AT_SECTIONS));
    b.bytes[at] = random_below (&rng, 2) ? (uint8_t) random_next (&rng)
                                         : (uint8_t) (b.bytes[at] + 1 - 2 * random_below (&rng, 2));
  }
}

/* A changed or missing byte is found, whichever it is. With the right checksum, too, bytes of any content are safe. */
static void
test_damaged (void)
{
  uint32_t accepted = 0, refused = 0;
  for (uint32_t i = 0; i < (setup.quick ? 20 : 200); i++) {
    const int kind = (int) (i % KINDS);
    describe ("damaged result %u of kind %d", i, kind);
    Picture picture = any_picture (kind, 1 + random_below (&rng, 25), 1 + random_below (&rng, 25));
    Bytes whole = result_new (&picture, kind);
    for (size_t size = 0; size < whole.size; size += 1 + random_below (&rng, 1 + (uint32_t) whole.size / 40)) {
      uint8_t *part = malloc (size ? size : 1); /* so that a byte beyond is noticed */
      CHECK (part);
      memcpy (part, whole.bytes, size);
      CHECK (!use (part, size, kind));
      free (part);
    }
    for (int k = 0; k < 40; k++) {
      Bytes copy = bytes_new (whole.bytes, whole.size);
      copy.bytes[random_below (&rng, (uint32_t) copy.size)] ^= (uint8_t) (1 + random_below (&rng, 255));
      CHECK (!use (copy.bytes, copy.size, kind));
      free (copy.memory);
    }
    for (int k = 0; k < 200; k++) {
      Bytes copy = bytes_new (whole.bytes, whole.size);
      damage (copy);
      set_checksum (copy);
      if (use (copy.bytes, copy.size, kind))
        accepted++;
      else
        refused++;
      free (copy.memory);
    }
    free (whole.memory);
    picture_free (&picture);
  }
  /* Some change numbers that nothing else depends on, such as an area; others would lead out of an array. */
  CHECK (accepted > 0 && refused > 0);
}

static void
check_refused (Bytes b, const char *message)
{
  CtrError error = {0};
  CHECK (!ctr_contours_deserialize (b.bytes, b.size, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT);
  if (!strstr (error.message, message))
    fail (__FILE__, __LINE__, error.message);
}

/* Contrast is the difference of a component's mean and its ring's: the one needs the other. */
static void
test_contrasts_alone (void)
{
  describe ("contrasts without grey values");
  Picture picture = picture_random (&rng, 20, 20, (Layout){.format = CTR_FORMAT_GRAY8});
  const CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 100, false, CTR_FEATURE_CONTRAST);
  CtrComponents *components = analyse (cca, &setup, &picture.view, &params);
  CHECK (components->features == (CTR_FEATURE_CONTRAST | CTR_FEATURE_GREY));
  components->features = CTR_FEATURE_CONTRAST;
  Bytes b = bytes_of_components (components);
  CtrError error = {0};
  CHECK (!ctr_components_deserialize (b.bytes, b.size, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "contrasts without grey values"));
  free (b.memory);
  ctr_components_unref (components);
  picture_free (&picture);
}

/* What is refused, and why; a section of a later library is skipped. */
static void
test_messages (void)
{
  describe ("messages");
  Picture picture = picture_random (&rng, 20, 20, (Layout){.format = CTR_FORMAT_GRAY8});
  Bytes b = result_new (&picture, 1), components = result_new (&picture, 0);
  check_refused (components, "the bytes hold components, and not contours");
  check_refused ((Bytes){.bytes = b.bytes, .size = 7}, "the 7 bytes are no result of gst-cuda-contours");
  check_refused ((Bytes){.bytes = b.bytes, .size = b.size - 8}, "were given");
  b.bytes[CTR_BYTES_AT_VERSION] = 2;
  check_refused (b, "version 2 of the format, and this library reads version 1");
  b.bytes[CTR_BYTES_AT_VERSION] = 1;
  b.bytes[b.size - 1] ^= 1;
  check_refused (b, "the checksum differs");
  b.bytes[b.size - 1] ^= 1;

  const size_t more = 24; /* a section with one row of a word */
  Bytes later = bytes_new (b.bytes, b.size);
  later.memory = realloc (later.memory, 1 + b.size + more);
  CHECK (later.memory);
  later.bytes = later.memory + 1;
  static const uint8_t section[24] = {0xe7, 3, 0, 0, 8, 0, 0, 0, 1};
  memcpy (later.bytes + b.size, section, more);
  later.size += more;
  for (int i = 0; i < 8; i++)
    later.bytes[CTR_BYTES_AT_SIZE + i] = (uint8_t) (later.size >> 8 * i);
  later.bytes[CTR_BYTES_AT_SECTIONS]++;
  set_checksum (later);
  CtrContours *contours = ctr_contours_deserialize (later.bytes, later.size, NULL);
  CHECK (contours);
  check_same (b, bytes_of_contours (contours));
  ctr_contours_unref (contours);
  free (later.memory);
  free (b.memory);
  free (components.memory);
  picture_free (&picture);
}

/* The form is the same on every machine: these bytes were written down by hand from docs/serial-format.md. */
static void
test_form (void)
{
  describe ("form");
  const uint8_t samples[] = {0, 200, 0};
  const CtrImage image = {.data = samples, .width = 3, .height = 1, .stride = 3, .format = CTR_FORMAT_GRAY8};
  const CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 100, false, 0);
  CtrCca *host = ctr_cca_new (CTR_BACKEND_CPU, NULL);
  CHECK (host);
  CtrComponents *components = ctr_cca_run (host, &image, &params, NULL, NULL);
  CHECK (components);
  static const uint8_t expected[] = {'C', 'T', 'R', 'E', 'S', 'U', 'L', 'T', 1, 0, 0, 0, 1, 0, 0, 0, 184, 0, 0, 0, 0, 0,
      0, 0, /* the checksum */
      0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 80, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0,                     /* origin row, reserved */
      3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 100, 0, 0, 0, /* width, height, count, threshold */
      8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,   /* connectivity, features, unfinished, regions */
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* background */
      2, 0, 0, 0, 32, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0,
      0, 0, 1, 0, 1, 0, 1, 0, 0, 0};
  Bytes b = bytes_of_components (components);
  memset (b.bytes + CTR_BYTES_AT_CHECKSUM, 0, 8);
  CHECK (b.size == sizeof expected && memcmp (b.bytes, expected, b.size) == 0);
  free (b.memory);
  ctr_components_unref (components);
  ctr_cca_free (host);
}

int
main (int argc, char **argv)
{
  setup = setup_open (argv[1], false);
  cca = analyser_new (&setup);
  borders = follower_new (&setup);
  cracks = tracer_new (&setup);
  snake = snake_new (&setup);
  static const Test tests[] = {
      {"there and back", test_there_and_back},
      {"strips", test_strips},
      {"damaged", test_damaged},
      {"messages", test_messages},
      {"contrasts alone", test_contrasts_alone},
      {"form", test_form},
  };
  run_tests (tests, LENGTH (tests));
  ctr_cca_free (cca);
  ctr_borders_free (borders);
  ctr_cracks_free (cracks);
  ctr_snake_free (snake);
  return 0;
}
