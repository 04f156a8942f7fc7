/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every format, fed by components, borders, level contours and snakes of any picture, with any settings, names, classes and
 * mapping. */
#include "tests/fuzz/exporting.h"
#include "tests/fuzz/fuzz.h"

#include "gst/meta/resultmeta-private.h"
#include "tests/core/borders/testing.h"
#include "tests/core/cca/testing.h"
#include "tests/core/cracks/testing.h"
#include "tests/core/snake/testing.h"

#include <gst/contours/gstcontours.h>
#include <math.h>
#include <stdlib.h>

static const Setup setup = {.backend = CTR_BACKEND_CPU, .quick = true};

static CtrImage
take_image (FuzzInput *input, uint8_t *pixels)
{
  const uint32_t width = 1 + fuzz_take_byte (input) % 24, height = 1 + fuzz_take_byte (input) % 24;
  for (uint32_t i = 0; i < width * height; i++)
    pixels[i] = fuzz_take_byte (input);
  return (CtrImage){.data = pixels, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
}

static gpointer
attach (GstBuffer *buffer, const CtrImage *image, uint8_t kind, Random *rng, const gchar *source)
{
  static CtrCca *cca;
  static CtrBorders *borders;
  static CtrCracks *cracks;
  static CtrSnake *snake;
  CtrContours *contours;
  if (!cca) {
    cca = analyser_new (&setup);
    borders = follower_new (&setup);
    cracks = tracer_new (&setup);
    snake = snake_new (&setup);
  }
  if (kind == 0) {
    const CtrCcaParams params =
        params_of (CTR_CONNECTIVITY_8, 128, random_below (rng, 2), (uint32_t) random_next (rng) & ALL_FEATURES);
    CtrComponents *components = analyse (cca, &setup, image, &params);
    gpointer meta = gst_buffer_add_contours_component_meta (buffer, components, source);
    ctr_components_unref (components);
    return meta;
  }
  if (kind == 1) {
    CtrBordersParams params = random_borders_params (rng, 128, random_below (rng, 2));
    params.subpixel = (CtrSubpixel) random_below (rng, 3);
    contours = follow_borders (borders, &setup, image, &params);
  } else if (kind == 2) {
    const CtrCracksParams params = random_cracks_params (rng);
    contours = trace_cracks (cracks, &setup, image, &params);
  } else {
    CtrSnakeParams params = random_snake_params (rng);
    CtrSnakeObject objects[2];
    params.history = random_below (rng, 2);
    params.max_iterations = 50;
    random_snake_objects (rng, image->width, image->height, objects, 2);
    contours = run_snake (snake, &setup, image, &params, objects, 2);
    random_snake_objects_free (objects, 2);
  }
  gpointer meta = gst_buffer_add_contours_contour_meta (buffer, contours, source);
  ctr_contours_unref (contours);
  return meta;
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  FuzzInput input = {bytes, size};
  uint8_t pixels[24 * 24];
  if (!gst_is_initialized ())
    gst_init (NULL, NULL);
  const uint8_t kind = fuzz_take_byte (&input), options = fuzz_take_byte (&input);
  Random rng = {fuzz_take_uint64 (&input)};
  GstContoursMapping mapping = {.width = 1 + fuzz_take_byte (&input), .height = 1 + fuzz_take_byte (&input)};
  /* Of metadata from bytes, factors are below 2^17 and shifts below 2^31. */
  double *const numbers[] = {&mapping.xx, &mapping.xy, &mapping.x0, &mapping.yx, &mapping.yy, &mapping.y0};
  for (gsize i = 0; options & 1 && i < G_N_ELEMENTS (numbers); i++)
    *numbers[i] = fmod (fuzz_take_finite (&input), i % 3 == 2 ? 0x1p31 : 0x1p17);
  const CtrImage image = take_image (&input, pixels);
  gchar *text = fuzz_rest_as_text (&input), *name = g_utf8_make_valid (text, -1);
  GstBuffer *buffer = gst_buffer_new ();
  GstContoursResultMeta *meta = attach (buffer, &image, kind % 4, &rng, options & 2 ? name : "finder");
  if (options & 1) {
    mapping.reference_width = image.width;
    mapping.reference_height = image.height;
    meta->mapping = mapping;
  }
  if (options & 4)
    gst_contours_result_meta_add_class (meta, options >> 4, name);
  if (options & 8)
    meta->flags |= GST_CONTOURS_RESULT_FLAG_CORRUPTED;
  fuzz_export (buffer);
  gst_buffer_unref (buffer);
  g_free (name);
  g_free (text);
  return 0;
}
