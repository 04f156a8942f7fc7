/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits on the numbers of contours and components: what a backend leaves against a filter of all that the host finds, down to the
 * last byte; limits that numbers meet exactly; numbers that are not defined; wrong arguments. */
#include "tests/core/borders/testing.h"
#include "tests/core/cca/testing.h"
#include "tests/core/common/gpu.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static Setup setup;
static const Setup host = {.backend = CTR_BACKEND_CPU};
static CtrBorders *borders, *borders_on_host;
static CtrCca *cca, *cca_on_host;
static Random rng = {29};

enum {
  CONTOUR_NUMBERS = CTR_CONTOUR_NUMBER_ELLIPSE_MINOR + 1,
  COMPONENT_NUMBERS = CTR_COMPONENT_NUMBER_SKELETON_PIXELS + 1
};

/* The number of a row as the public functions give it. */
static double
contour_number (const Contours *all, uint32_t row, uint32_t number)
{
  const CtrContour *c = all->table + row;
  CtrContourShapeValues v;
  ctr_contour_shape_values (&all->info, c, all->shapes ? all->shapes + row : NULL, all->sums ? all->sums + row : NULL,
      all->fits ? all->fits + row : NULL, &v);
  const double numbers[CONTOUR_NUMBERS] = {ctr_contour_area (c, false), ctr_contour_perimeter (c), c->left, c->top,
      c->width, c->height, v.circularity, v.hull_area, v.hull_perimeter, v.solidity, v.defect_depth, v.defect_x,
      v.defect_y, v.rectangle_x, v.rectangle_y, v.rectangle_width, v.rectangle_height, v.rectangularity, v.feret_max,
      v.feret_min, v.circle_x, v.circle_y, v.circle_radius, v.distance_mean, v.distance_deviation, v.distance_max,
      v.roundness, v.radial_circularity, v.holes, v.hole_area, v.euler_number, v.major, v.minor, v.anisometry,
      v.bulkiness, v.structure_factor, v.hu[0], v.hu[1], v.hu[2], v.hu[3], v.hu[4], v.hu[5], v.hu[6], v.compactness,
      v.feret_extent, v.line_x, v.line_y, v.line_deviation, v.fit_circle_x, v.fit_circle_y, v.fit_circle_radius,
      v.fit_circle_deviation, v.ellipse_x, v.ellipse_y, v.ellipse_major, v.ellipse_minor};
  return numbers[number];
}

static double
component_number (const CtrComponents *all, uint32_t row, uint32_t number)
{
  const CtrComponent *c = all->table + row;
  CtrComponentShape s = {.major_axis = NAN, .minor_axis = NAN, .eccentricity = NAN};
  const CtrComponentPercentiles *p = all->percentiles ? all->percentiles + row : NULL;
  const CtrComponentInscribed *i = all->inscribed ? all->inscribed + row : NULL;
  const CtrComponentSkeleton *k = all->skeleton ? all->skeleton + row : NULL;
  double x, y, mean = NAN, std = NAN, ring_mean = NAN, contrast = NAN;
  ctr_component_centroid (c, &x, &y);
  if (all->moments)
    ctr_component_shape (c, all->moments + row, &s);
  if (all->grey)
    ctr_component_grey_stats (c, all->grey + row, &mean, &std);
  if (all->contrast)
    ctr_component_contrast (c, all->grey + row, all->contrast + row, &ring_mean, &contrast);
  const double numbers[COMPONENT_NUMBERS] = {c->area, c->left, c->top, c->width, c->height, x, y, s.major_axis,
      s.minor_axis, s.eccentricity, all->grey ? all->grey[row].min : NAN, all->grey ? all->grey[row].max : NAN, mean,
      std, c->value, p ? p->p5 : NAN, p ? p->p25 : NAN, p ? p->median : NAN, p ? p->p75 : NAN, p ? p->p95 : NAN,
      i ? ctr_component_inscribed_radius (i) : NAN, i ? i->x : NAN, i ? i->y : NAN, ring_mean, contrast,
      k ? ctr_component_skeleton_length (k) : NAN, k ? ctr_component_skeleton_width (k) : NAN, k ? k->pixels : NAN};
  return numbers[number];
}

static bool
is_within (const CtrLimits *limits, double number)
{
  return !isnan (number) && limits->min <= number && number <= limits->max;
}

/* Some limits. An end is often the number of a row, which is on the limit then, or next to it. */
static void
add_limits (CtrSelect *select, uint32_t number, const double *numbers, uint32_t count)
{
  CtrLimits limits = {.feature = number, .min = -INFINITY, .max = INFINITY};
  double ends[2];
  for (int i = 0; i < 2; i++) {
    ends[i] = count > 0 ? numbers[random_below (&rng, count)] : random_below (&rng, 20);
    if (isnan (ends[i]))
      ends[i] = 0.5;
    if (random_below (&rng, 4) == 0)
      ends[i] = nextafter (ends[i], random_below (&rng, 2) ? INFINITY : -INFINITY);
  }
  const uint32_t kind = random_below (&rng, 5);
  if (kind != 1)
    limits.min = kind > 1 ? fmin (ends[0], ends[1]) : ends[0];
  if (kind != 0)
    limits.max = kind > 1 ? fmax (ends[0], ends[1]) : ends[1];
  select->limits[select->count++] = limits;
}

/* Limits on one to three numbers, or on as many as possible. */
static CtrSelect
random_select (uint32_t number_count, uint32_t row_count, double (*number_of) (const void *, uint32_t, uint32_t),
    const void *all, bool (*allows) (const void *, uint32_t))
{
  CtrSelect select = {0};
  double *numbers = malloc ((row_count + 1) * sizeof *numbers);
  const uint32_t want = random_below (&rng, 8) ? 1 + random_below (&rng, 3) : CTR_SELECT_MAX;
  const uint32_t first = random_below (&rng, number_count);
  for (uint32_t i = 0; i < number_count && select.count < want && select.count < CTR_SELECT_MAX; i++) {
    const uint32_t number = (first + i * 5) % number_count;
    bool twice = !allows (all, number);
    for (uint32_t k = 0; k < select.count; k++)
      twice = twice || select.limits[k].feature == number;
    if (twice)
      continue;
    for (uint32_t row = 0; row < row_count; row++)
      numbers[row] = number_of (all, row, number);
    add_limits (&select, number, numbers, row_count);
  }
  free (numbers);
  return select;
}

/* What the limits leave of ALL, by the definition. */
static void
check_contours_selected (const Contours *all, const CtrSelect *select, const Contours *actual)
{
  const uint32_t count = all->info.count;
  int32_t *row_of = malloc ((count + 1) * sizeof *row_of);
  uint32_t rows = 0;
  uint64_t points = 0;
  for (uint32_t i = 0; i < count; i++) {
    bool stays = true;
    for (uint32_t k = 0; k < select->count; k++)
      stays = stays && is_within (&select->limits[k], contour_number (all, i, select->limits[k].feature));
    row_of[i] = stays ? (int32_t) rows++ : -1;
    points += stays ? all->table[i].count : 0;
  }
  CHECK (actual->info.count == rows && actual->info.point_count == points);
  CHECK (actual->info.features == all->info.features && actual->info.vertices == all->info.vertices);
  points = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (row_of[i] < 0)
      continue;
    const CtrContour *row = actual->table + row_of[i];
    CtrContour expected = all->table[i];
    int32_t parent = expected.parent;
    while (parent >= 0 && row_of[parent] < 0)
      parent = all->table[parent].parent;
    expected.parent = parent < 0 ? -1 : row_of[parent];
    expected.first = points;
    expected.next = row->next;
    expected.previous = row->previous;
    expected.child = row->child;
    CHECK (memcmp (&expected, row, sizeof expected) == 0);
    CHECK (memcmp (all->points + all->table[i].first, actual->points + points, row->count * sizeof *all->points) == 0);
    points += row->count;
    if (all->sums)
      CHECK (memcmp (all->sums + i, actual->sums + row_of[i], sizeof *all->sums) == 0);
    if (all->fits)
      CHECK (memcmp (all->fits + i, actual->fits + row_of[i], sizeof *all->fits) == 0);
    if (all->shapes)
      CHECK (memcmp (all->shapes + i, actual->shapes + row_of[i], sizeof *all->shapes) == 0);
  }
  /* Siblings in the order of the rows. */
  for (uint32_t i = 0; i < rows; i++) {
    int32_t next = -1, child = -1, previous = -1;
    for (uint32_t k = i + 1; k < rows && next < 0; k++)
      next = actual->table[k].parent == actual->table[i].parent ? (int32_t) k : -1;
    for (uint32_t k = i + 1; k < rows && child < 0; k++)
      child = actual->table[k].parent == (int32_t) i ? (int32_t) k : -1;
    for (uint32_t k = i; k-- > 0 && previous < 0;)
      previous = actual->table[k].parent == actual->table[i].parent ? (int32_t) k : -1;
    CHECK (actual->table[i].next == next && actual->table[i].child == child && actual->table[i].previous == previous);
  }
  free (row_of);
}

/* The points that remain keep what lies beside them. Contours that remain are in the same order. */
static void
check_subpixels_selected (CtrContours *all, CtrContours *actual)
{
  const CtrContour *every = ctr_contours_map_table (all, NULL), *rows = ctr_contours_map_table (actual, NULL);
  const CtrPoint *points = ctr_contours_map_points (all, NULL), *remaining = ctr_contours_map_points (actual, NULL);
  const CtrSubpixelPoint *a = ctr_contours_map_subpixel (all, NULL), *b = ctr_contours_map_subpixel (actual, NULL);
  CHECK (a && b);
  for (uint32_t i = 0, k = 0; i < actual->count; i++, k++) {
    while (k < all->count
           && (every[k].count != rows[i].count || every[k].flags != rows[i].flags || every[k].area2 != rows[i].area2
               || memcmp (points + every[k].first, remaining + rows[i].first, rows[i].count * sizeof *points) != 0))
      k++;
    CHECK (k < all->count);
    CHECK (memcmp (a + every[k].first, b + rows[i].first, rows[i].count * sizeof *a) == 0);
  }
}

static void
check_components_selected (
    const CtrComponents *all, const uint32_t *all_labels, const CtrSelect *select, CtrComponents *actual)
{
  uint32_t *label_of = calloc (all->count + 1, sizeof *label_of), rows = 0;
  for (uint32_t i = 0; i < all->count; i++) {
    bool stays = true;
    for (uint32_t k = 0; k < select->count; k++)
      stays = stays && is_within (&select->limits[k], component_number (all, i, select->limits[k].feature));
    if (!stays)
      continue;
    CHECK (rows < actual->count && memcmp (all->table + i, actual->table + rows, sizeof *all->table) == 0);
    CHECK (!all->moments || memcmp (all->moments + i, actual->moments + rows, sizeof *all->moments) == 0);
    CHECK (!all->grey || memcmp (all->grey + i, actual->grey + rows, sizeof *all->grey) == 0);
    label_of[i + 1] = ++rows;
  }
  CHECK (actual->count == rows && actual->features == all->features && actual->threshold == all->threshold);
  CHECK (memcmp (&all->background, &actual->background, sizeof all->background) == 0);
  if (all_labels) {
    const uint32_t *labels = ctr_components_map_labels (actual, NULL);
    for (size_t i = 0; i < (size_t) all->width * all->height; i++)
      CHECK (labels[i] == label_of[all_labels[i]]);
  }
  free (label_of);
}

static double
number_of_contours (const void *all, uint32_t row, uint32_t number)
{
  return contour_number (all, row, number);
}

static double
number_of_components (const void *all, uint32_t row, uint32_t number)
{
  return component_number (all, row, number);
}

/* Numbers that the features of the result do not have are asked for by other pictures. */
static bool
contours_have (const void *data, uint32_t number)
{
  const Contours *all = data;
  static const uint32_t features[CONTOUR_NUMBERS] = {
      [CTR_CONTOUR_NUMBER_HULL_AREA... CTR_CONTOUR_NUMBER_SOLIDITY] = CTR_CONTOUR_FEATURE_HULL,
      [CTR_CONTOUR_NUMBER_DEFECT_DEPTH... CTR_CONTOUR_NUMBER_DEFECT_Y] = CTR_CONTOUR_FEATURE_DEFECT,
      [CTR_CONTOUR_NUMBER_RECTANGLE_X... CTR_CONTOUR_NUMBER_RECTANGULARITY] = CTR_CONTOUR_FEATURE_RECTANGLE,
      [CTR_CONTOUR_NUMBER_FERET_MAX... CTR_CONTOUR_NUMBER_FERET_MIN] = CTR_CONTOUR_FEATURE_FERET,
      [CTR_CONTOUR_NUMBER_CIRCLE_X... CTR_CONTOUR_NUMBER_CIRCLE_RADIUS] = CTR_CONTOUR_FEATURE_CIRCLE,
      [CTR_CONTOUR_NUMBER_DISTANCE_MEAN... CTR_CONTOUR_NUMBER_RADIAL_CIRCULARITY] = CTR_CONTOUR_FEATURE_DISTANCES,
      [CTR_CONTOUR_NUMBER_HOLES... CTR_CONTOUR_NUMBER_EULER_NUMBER] = CTR_CONTOUR_FEATURE_HOLES,
      [CTR_CONTOUR_NUMBER_MAJOR... CTR_CONTOUR_NUMBER_HU7] = CTR_CONTOUR_FEATURE_MOMENTS,
      [CTR_CONTOUR_NUMBER_FERET_EXTENT] = CTR_CONTOUR_FEATURE_FERET,
      [CTR_CONTOUR_NUMBER_LINE_X... CTR_CONTOUR_NUMBER_ELLIPSE_MINOR] = CTR_CONTOUR_FEATURE_FITS};
  return (all->info.features & features[number]) == features[number];
}

static bool
components_have (const void *data, uint32_t number)
{
  const CtrComponents *all = data;
  static const uint32_t features[COMPONENT_NUMBERS] = {
      [CTR_COMPONENT_NUMBER_MAJOR_AXIS... CTR_COMPONENT_NUMBER_ECCENTRICITY] = CTR_FEATURE_MOMENTS,
      [CTR_COMPONENT_NUMBER_MIN... CTR_COMPONENT_NUMBER_STD] = CTR_FEATURE_GREY,
      [CTR_COMPONENT_NUMBER_VALUE] = CTR_FEATURE_VALUES,
      [CTR_COMPONENT_NUMBER_P5... CTR_COMPONENT_NUMBER_P95] = CTR_FEATURE_PERCENTILES,
      [CTR_COMPONENT_NUMBER_INSCRIBED_RADIUS... CTR_COMPONENT_NUMBER_INSCRIBED_Y] = CTR_FEATURE_INSCRIBED,
      [CTR_COMPONENT_NUMBER_RING_MEAN... CTR_COMPONENT_NUMBER_CONTRAST] = CTR_FEATURE_CONTRAST | CTR_FEATURE_GREY,
      [CTR_COMPONENT_NUMBER_SKELETON_LENGTH... CTR_COMPONENT_NUMBER_SKELETON_PIXELS] = CTR_FEATURE_SKELETON};
  return (all->features & features[number]) == features[number];
}

static CtrContours *
run_borders (const CtrImage *image, const CtrBordersParams *params)
{
  CtrError error;
  CtrContours *contours = random_below (&rng, 2) ? ctr_borders_submit (borders, image, params, setup.stream, &error)
                                                 : ctr_borders_run (borders, image, params, setup.stream, &error);
  if (!contours || !ctr_contours_wait (contours, &error))
    fail (__FILE__, __LINE__, error.message);
  return contours;
}

/* PARAMS with all features that limits may need; the features that no limit needs are left out of those of the test. */
static void
compare_borders (const CtrImage *image, CtrBordersParams params, const char *name)
{
  CtrContours *every = follow_borders (borders_on_host, &host, image, &params);
  const Contours all = contours_of (every);
  params.select = random_select (CONTOUR_NUMBERS, all.info.count, number_of_contours, &all, contours_have);
  describe_borders (name, image, &params);
  CtrContours *contours = run_borders (image, &params);
  const Contours actual = contours_of (contours);
  check_contours_selected (&all, &params.select, &actual);
  if (params.subpixel != CTR_SUBPIXEL_NONE)
    check_subpixels_selected (every, contours);
  ctr_contours_unref (contours);
  ctr_contours_unref (every);
}

static void
compare_components (const CtrImage *image, CtrCcaParams params, const char *name)
{
  describe (
      "%s: components, %u x %u, features %u, mode %d", name, image->width, image->height, params.features, params.mode);
  CtrComponents *all = analyse (cca_on_host, &host, image, &params);
  const uint32_t *labels = params.features & CTR_FEATURE_LABELS ? ctr_components_map_labels (all, NULL) : NULL;
  params.select = random_select (COMPONENT_NUMBERS, all->count, number_of_components, all, components_have);
  CtrComponents *actual = analyse (cca, &setup, image, &params);
  check_components_selected (all, labels, &params.select, actual);
  ctr_components_unref (all);
  ctr_components_unref (actual);
}

static void
compare_mask (uint8_t *mask, uint32_t width, uint32_t height, const char *name)
{
  Picture picture = picture_of_mask (&rng, mask, width, height, (Layout){.format = CTR_FORMAT_GRAY8}, 128, false);
  for (int mode = CTR_RETRIEVE_EXTERNAL; mode <= CTR_RETRIEVE_TREE; mode++) {
    CtrBordersParams params = random_borders_params (&rng, 128, false);
    params.epsilon = 0;
    params.features = random_below (&rng, 3) ? (uint32_t) random_next (&rng) : UINT32_MAX;
    params.features &= CTR_CONTOUR_SHAPE_FEATURES | CTR_CONTOUR_FEATURE_MOMENTS | CTR_CONTOUR_FEATURE_FITS;
    borders_params_set_mode (&params, mode);
    params.subpixel = (CtrSubpixel) random_below (&rng, CTR_SUBPIXEL_EDGE + 1);
    compare_borders (&picture.view, params, name);
    CtrCcaParams components = params_of (
        mode % 2 ? CTR_CONNECTIVITY_4 : CTR_CONNECTIVITY_8, 128, false, (uint32_t) random_next (&rng) & ALL_FEATURES);
    components.mode = random_below (&rng, 2);
    compare_components (&picture.view, components, name);
  }
  /* All limits are on numbers of the row itself, and no row is inside another. */
  for (int i = 0; i < 3; i++) {
    CtrBordersParams params = borders_params_of (CTR_RETRIEVE_LIST, CTR_APPROXIMATION_SIMPLE, 128, false);
    params.subpixel = i == 0 ? CTR_SUBPIXEL_EDGE : CTR_SUBPIXEL_NONE;
    compare_borders (&picture.view, params, name);
  }
  picture_free (&picture);
  free (mask);
}

static void
test_pictures (void)
{
  for (uint32_t i = 0; i < (setup.quick ? 10 : 1500); i++) {
    const uint32_t most = i % 20 == 0 ? 200 : 40, w = 1 + random_below (&rng, most), h = 1 + random_below (&rng, most);
    compare_mask (noise_new (&rng, w, h, random_below (&rng, 101), 1 + random_below (&rng, 3)), w, h, "noise");
  }
  for (uint32_t w = 1; w <= 17; w += setup.quick ? 4 : 1)
    for (uint32_t h = 1; h <= 17; h += setup.quick ? 4 : 1)
      compare_mask (noise_new (&rng, w, h, 50, 1), w, h, "sides");
  for (Shape shape = 0; shape < SHAPE_COUNT; shape += setup.quick ? 3 : 1)
    compare_mask (shape_new (shape, 65 + shape, 40), 65 + shape, 40, shape_names[shape]);
}

/* More rows than a CTA decides, and contours of many points. */
static void
test_many_rows (void)
{
  const uint32_t side = setup.quick ? 100 : 400;
  for (int i = 0; i < 2; i++) {
    compare_mask (noise_new (&rng, side, side, 40, 1), side, side, "many rows");
    compare_mask (shape_new (SHAPE_DOTS, side, side), side, side, "dots");
    compare_mask (shape_new (SHAPE_COMB, 3 * side, side), 3 * side, side, "a comb");
    compare_mask (shape_new (SHAPE_RINGS, side, side), side, side, "rings");
  }
}

static void
test_regions (void)
{
  static const CtrRegionPoint triangle[] = {{5, 8}, {60, 10}, {20, 50}};
  static const CtrRegion regions[] = {
      {.x = 40, .y = 2, .width = 30, .height = 40}, {.points = triangle, .point_count = 3}};
  CtrError error;
  CtrRegions *list = ctr_regions_new (regions, 2, NULL, &error);
  CHECK (list);
  for (int i = 0; i < (setup.quick ? 6 : 60); i++) {
    uint8_t *mask = noise_new (&rng, 80, 60, 40 + random_below (&rng, 30), 2);
    Picture picture = picture_of_mask (&rng, mask, 80, 60, (Layout){.format = CTR_FORMAT_GRAY8}, 128, false);
    CtrBordersParams params = borders_params_of (i % 4, CTR_APPROXIMATION_SIMPLE, 128, false);
    params.features = CTR_CONTOUR_SHAPE_FEATURES | CTR_CONTOUR_FEATURE_MOMENTS | CTR_CONTOUR_FEATURE_FITS;
    borders_params_set_mode (&params, i % 4);
    params.foreground.regions = list;
    compare_borders (&picture.view, params, "regions");
    CtrCcaParams components = params_of (CTR_CONNECTIVITY_8, 128, false, ALL_FEATURES & ~CTR_FEATURE_BACKGROUND);
    components.foreground.regions = list;
    compare_components (&picture.view, components, "regions");
    picture_free (&picture);
    free (mask);
  }
  ctr_regions_unref (list);
}

/* The features that limits need come with the result, and numbers that are not defined are within no limits. */
static void
test_features (void)
{
  static const uint8_t mask[6 * 8] = {[9] = 255,
      [18] = 255,
      [19] = 255,
      [20] = 255,
      [26] = 255,
      [28] = 255,
      [34] = 255,
      [35] = 255,
      [36] = 255,
      [23] = 255};
  const CtrImage image = {.data = mask, .stride = 8, .width = 8, .height = 6, .format = CTR_FORMAT_GRAY8};
  CtrBordersParams params = borders_params_of (CTR_RETRIEVE_CCOMP, CTR_APPROXIMATION_SIMPLE, 1, false);
  describe ("features that only limits ask for");
  params.connectivity = CTR_CONNECTIVITY_4;
  params.select = (CtrSelect){.count = 2,
      .limits = {{.feature = CTR_CONTOUR_NUMBER_FERET_MAX, .min = 1, .max = INFINITY},
          {.feature = CTR_CONTOUR_NUMBER_HOLES, .min = 1, .max = 1}}};
  CtrContours *contours = run_borders (&image, &params);
  CHECK (contours->features == (CTR_CONTOUR_FEATURE_FERET | CTR_CONTOUR_FEATURE_HOLES) && contours->count == 1);
  CHECK (ctr_contours_map_shapes (contours, NULL)->holes == 1 && ctr_contours_map_table (contours, NULL)->child == -1);
  ctr_contours_unref (contours);
  describe ("circularity of single pixels");
  params.select = (CtrSelect){
      .count = 1, .limits = {{.feature = CTR_CONTOUR_NUMBER_CIRCULARITY, .min = -INFINITY, .max = INFINITY}}};
  contours = run_borders (&image, &params);
  CHECK (contours->count == 2 && contours->features == 0 && ctr_contours_map_table (contours, NULL)->count > 1);
  ctr_contours_unref (contours);
  describe ("eccentricity that only a limit asks for");
  CtrCcaParams components = params_of (CTR_CONNECTIVITY_8, 1, false, 0);
  components.select =
      (CtrSelect){.count = 1, .limits = {{.feature = CTR_COMPONENT_NUMBER_ECCENTRICITY, .min = 0.5, .max = INFINITY}}};
  CtrComponents *found = analyse (cca, &setup, &image, &components);
  CHECK (found->count == 1 && found->features == CTR_FEATURE_MOMENTS && found->moments);
  ctr_components_unref (found);
}

static void
check_refused (const CtrBordersParams *params, const char *words)
{
  static const uint8_t pixel = 255;
  const CtrImage image = {.data = &pixel, .stride = 1, .width = 1, .height = 1, .format = CTR_FORMAT_GRAY8};
  CtrError error = {0};
  CHECK (!ctr_borders_run (borders_on_host, &image, params, NULL, &error));
  if (error.status != CTR_ERROR_INVALID_ARGUMENT || !strstr (error.message, words))
    fail (__FILE__, __LINE__, error.message);
}

static void
test_arguments (void)
{
  static const uint8_t pixel = 255;
  const CtrImage image = {.data = &pixel, .stride = 1, .width = 1, .height = 1, .format = CTR_FORMAT_GRAY8};
  CtrBordersParams params = borders_params_of (CTR_RETRIEVE_LIST, CTR_APPROXIMATION_SIMPLE, 1, false);
  CtrLimits *limits = params.select.limits;
  describe ("wrong limits");
  params.select.count = CTR_SELECT_MAX + 1;
  check_refused (&params, "17 limits in select: there can be 16 at most");
  params.select.count = 1;
  limits[0] = (CtrLimits){.feature = CONTOUR_NUMBERS, .max = 1};
  check_refused (&params, "unknown number 56");
  limits[0] = (CtrLimits){.feature = CTR_CONTOUR_NUMBER_FERET_MAX, .min = 2, .max = 1};
  check_refused (&params, "the limits on feret-max in select are 2 and 1");
  limits[0] = (CtrLimits){.feature = CTR_CONTOUR_NUMBER_AREA, .min = NAN, .max = 1};
  check_refused (&params, "the limits on area in select are");
  limits[0] = (CtrLimits){.feature = CTR_CONTOUR_NUMBER_HOLE_AREA, .max = 1};
  check_refused (&params, "limits on hole-area in select need the hierarchy");
  params.select.count = 2;
  limits[0] = limits[1] = (CtrLimits){.feature = CTR_CONTOUR_NUMBER_X, .max = 1};
  check_refused (&params, "x has limits in select twice");
  CtrCcaParams components = params_of (CTR_CONNECTIVITY_8, 1, false, 0);
  CtrError error;
  components.select = (CtrSelect){.count = 1, .limits = {{.feature = CTR_COMPONENT_NUMBER_VALUE, .max = 1}}};
  CHECK (!ctr_cca_run (cca_on_host, &image, &components, NULL, &error) && strstr (error.message, "mode=eq"));
  describe ("limits of strips");
  params.select.count = 1;
  CtrBorderStrips *border_strips = ctr_border_strips_new (CTR_BACKEND_CPU, 100, &error);
  CHECK (!ctr_border_strips_run (border_strips, &image, &params, NULL, &error) && strstr (error.message, "min-area"));
  ctr_border_strips_free (border_strips);
  components.select.limits[0].feature = CTR_COMPONENT_NUMBER_X;
  CtrComponentStrips *strips = ctr_component_strips_new (CTR_BACKEND_CPU, 100, &error);
  CHECK (!ctr_component_strips_run (strips, &image, &components, NULL, &error) && strstr (error.message, "min-area"));
  ctr_component_strips_free (strips);
  describe ("names");
  CHECK (strcmp (ctr_contour_number_name (CTR_CONTOUR_NUMBER_ELLIPSE_MINOR), "ellipse-minor") == 0);
  CHECK (!ctr_contour_number_name (CONTOUR_NUMBERS) && !ctr_component_number_name (COMPONENT_NUMBERS));
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {{"pictures", test_pictures}, {"many rows", test_many_rows}, {"regions", test_regions},
      {"features", test_features}, {"arguments", test_arguments}};
  setup = setup_open (argc > 1 ? argv[1] : NULL, false);
  borders = follower_new (&setup);
  borders_on_host = follower_new (&host);
  cca = analyser_new (&setup);
  cca_on_host = analyser_new (&host);
  run_tests (tests, LENGTH (tests));
  ctr_borders_free (borders);
  ctr_borders_free (borders_on_host);
  ctr_cca_free (cca);
  ctr_cca_free (cca_on_host);
  return 0;
}
