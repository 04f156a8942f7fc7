/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contours of pictures cut into strips: the same as those of the whole picture, which the references find. Longer than 500
 * lines: all tests share what collects and compares the strips' contours. */
#include "tests/core/borders/reference.h"
#include "tests/core/borders/testing.h"
#include "tests/core/common/equality.h"
#include "tests/core/common/gpu.h"
#include "tests/core/cracks/reference.h"
#include "tests/core/cracks/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY_ROWS = 60000 };

static Setup setup;

/* Either algorithm. */
typedef struct {
  bool cracks;
  CtrBordersParams borders_params;
  CtrCracksParams cracks_params;
  CtrBorderStrips *border_strips;
  CtrCrackStrips *crack_strips;
} Strips;

static void
open_strips (Strips *strips, uint32_t max_open_rows)
{
  CtrError error;
  if (strips->cracks)
    strips->crack_strips = ctr_crack_strips_new (setup.backend, max_open_rows, &error);
  else
    strips->border_strips = ctr_border_strips_new (setup.backend, max_open_rows, &error);
  if (strips->cracks ? !strips->crack_strips : !strips->border_strips)
    fail (__FILE__, __LINE__, error.message);
}

static void
close_strips (Strips *strips)
{
  ctr_crack_strips_free (strips->crack_strips);
  ctr_border_strips_free (strips->border_strips);
  strips->crack_strips = NULL;
  strips->border_strips = NULL;
}

static CtrContours *
push_strip (Strips *strips, const CtrImage *image, bool wait)
{
  CtrError error = {CTR_OK, ""};
  CtrContours *contours;
  if (strips->cracks)
    contours = (wait ? ctr_crack_strips_run : ctr_crack_strips_submit) (
        strips->crack_strips, image, &strips->cracks_params, setup.stream, &error);
  else
    contours = (wait ? ctr_border_strips_run : ctr_border_strips_submit) (
        strips->border_strips, image, &strips->borders_params, setup.stream, &error);
  if (!contours)
    fail (__FILE__, __LINE__, error.message);
  CHECK (contours->connectivity
         == (strips->cracks ? strips->cracks_params.connectivity : strips->borders_params.connectivity));
  return contours;
}

/* NULL: nothing was open. */
static CtrContours *
end_strips (Strips *strips)
{
  CtrError error = {CTR_OK, ""};
  CtrContours *rest;
  if (!(strips->cracks ? ctr_crack_strips_finish (strips->crack_strips, &rest, &error)
                       : ctr_border_strips_finish (strips->border_strips, &rest, &error)))
    fail (__FILE__, __LINE__, error.message);
  CHECK (!rest || rest->count > 0);
  return rest;
}

static CtrContours *
analyse_whole (const Strips *strips, const CtrImage *image, Contours *reference)
{
  CtrError error;
  if (image->width * image->height <= 20000) {
    *reference = strips->cracks ? reference_cracks (image, &strips->cracks_params)
                                : reference_borders (image, &strips->borders_params);
    return NULL;
  }
  CtrContours *contours;
  if (strips->cracks) {
    CtrCracks *cracks = ctr_cracks_new (CTR_BACKEND_CPU, &error);
    contours = ctr_cracks_run (cracks, image, &strips->cracks_params, NULL, &error);
    ctr_cracks_free (cracks);
  } else {
    CtrBorders *borders = ctr_borders_new (CTR_BACKEND_CPU, &error);
    contours = ctr_borders_run (borders, image, &strips->borders_params, NULL, &error);
    ctr_borders_free (borders);
  }
  if (!contours)
    fail (__FILE__, __LINE__, error.message);
  *reference = contours_of (contours);
  return contours;
}

/* What all strips of a web together have found: rows of the web, from a picture that is less than 65536 rows high. */
typedef struct {
  CtrContour *table;
  CtrPoint *points;
  CtrContourSums *sums;
  uint32_t *results; /* which one each row is from */
  uint32_t count, open_count, result_count;
  uint64_t point_count;
} Found;

static void
found_free (Found *found)
{
  free (found->table);
  free (found->points);
  free (found->sums);
  free (found->results);
}

static __int128
sum_at (const CtrContourSums *sums, int i)
{
  return (__int128) ((unsigned __int128) sums->words[i][1] << 64 | sums->words[i][0]);
}

/* The sums of the points as they are. */
static void
check_sums (const Contours *all, uint32_t i)
{
  const CtrContour *row = all->table + i;
  __int128 sums[10] = {0};
  for (uint32_t k = 0; k < row->count && !(row->flags & CTR_CONTOUR_OPEN); k++) {
    const CtrPoint a = all->points[row->first + k], b = all->points[row->first + (k + 1) % row->count];
    const __int128 x0 = a.x, y0 = a.y, x1 = b.x, y1 = b.y, c = x0 * y1 - x1 * y0;
    sums[0] += c;
    sums[1] += c * (x0 + x1);
    sums[2] += c * (y0 + y1);
    sums[3] += c * (x0 * x0 + x0 * x1 + x1 * x1);
    sums[4] += c * (x0 * (2 * y0 + y1) + x1 * (y0 + 2 * y1));
    sums[5] += c * (y0 * y0 + y0 * y1 + y1 * y1);
    sums[6] += c * (x0 + x1) * (x0 * x0 + x1 * x1);
    sums[7] += c * (x0 * x0 * (3 * y0 + y1) + 2 * x0 * x1 * (y0 + y1) + x1 * x1 * (y0 + 3 * y1));
    sums[8] += c * (y0 * y0 * (3 * x0 + x1) + 2 * y0 * y1 * (x0 + x1) + y1 * y1 * (x0 + 3 * x1));
    sums[9] += c * (y0 + y1) * (y0 * y0 + y1 * y1);
  }
  for (int k = 0; k < 10; k++)
    CHECK (sum_at (all->sums + i, k) == sums[k]);
}

/* The last pixel row that decides about a contour: one below a border, and that of the last corner. */
static uint64_t
deciding_row (const Contours *all, uint32_t i)
{
  return all->info.origin_row + all->table[i].top + all->table[i].height;
}

/* Appends a result and checks that it belongs to the strip from FIRST to END; END 0: the end of the web. */
static void
collect (Found *found, const Strips *strips, CtrContours *result, uint64_t first, uint64_t end)
{
  if (!result)
    return;
  CHECK (ctr_contours_wait (result, NULL));
  const Contours all = contours_of (result);
  const bool epsilon = !strips->cracks && strips->borders_params.epsilon > 0;
  const uint32_t count = found->count + all.info.count;
  uint32_t open_count = 0;
  uint64_t points = 0;
  CHECK (all.info.origin_row + all.info.height == (end ? end : first));
  found->table = realloc (found->table, (count + 1) * sizeof *found->table);
  found->sums = realloc (found->sums, (count + 1) * sizeof *found->sums);
  found->results = realloc (found->results, (count + 1) * sizeof *found->results);
  found->points = realloc (found->points, (found->point_count + all.info.point_count + 1) * sizeof *found->points);
  for (uint32_t i = 0; i < all.info.count; i++) {
    CtrContour row = all.table[i];
    CHECK (row.first == points && row.count > 0);
    CHECK (row.parent == -1 && row.child == -1);
    CHECK (strips->cracks
           || (row.previous == (int32_t) i - 1 && row.next == (i + 1 < all.info.count ? (int32_t) i + 1 : -1)));
    points += row.count;
    if (row.flags & CTR_CONTOUR_OPEN)
      open_count++;
    else
      CHECK (deciding_row (&all, i) >= first && (!end || deciding_row (&all, i) < end));
    if (all.sums && !epsilon)
      check_sums (&all, i);
    for (uint32_t k = 0; k < row.count; k++) {
      CtrPoint point = all.points[row.first + k];
      point.y = (uint16_t) (point.y + all.info.origin_row);
      found->points[found->point_count + k] = point;
    }
    row.top = (uint16_t) (row.top + all.info.origin_row);
    row.first = found->point_count;
    found->table[found->count] = row;
    found->results[found->count] = found->result_count;
    found->sums[found->count] = all.sums ? all.sums[i] : (CtrContourSums){0};
    found->point_count += row.count;
    found->count++;
  }
  CHECK (points == all.info.point_count);
  CHECK (open_count == all.info.unfinished);
  found->open_count += open_count;
  found->result_count++;
  ctr_contours_unref (result);
}

/* Cuts PICTURE into strips of HEIGHTS, in turn, and collects what they have. Some strips lie on the device, and some
 * results are asked for late. */
static Found
analyse_strips (Strips *strips, const Picture *picture, const uint32_t *heights, size_t height_count, Random *random)
{
  enum { LATE = 5 };
  Found found = {0};
  CtrContours *late[LATE];
  uint64_t ends[LATE], firsts[LATE];
  uint32_t late_count = 0, y = 0;
  void *memory;
  const bool on_device = setup.backend == CTR_BACKEND_CUDA && random_below (random, 3) > 0;
  const CtrImage image = equality_image (picture, on_device, &memory);
  for (size_t i = 0; y < image.height; i++) {
    const uint32_t rows = heights[i % height_count], left = image.height - y;
    CtrImage strip = image;
    strip.data = (const uint8_t *) image.data + y * image.stride;
    strip.height = rows < left ? rows : left;
    late[late_count] = push_strip (strips, &strip, random_below (random, 3) == 0);
    firsts[late_count] = y;
    y += strip.height;
    ends[late_count++] = y;
    if (late_count == LATE || random_below (random, 2) || y == image.height) {
      /* The last one is settled first. */
      if (random_below (random, 2))
        CHECK (ctr_contours_wait (late[late_count - 1], NULL));
      for (uint32_t k = 0; k < late_count; k++)
        collect (&found, strips, late[k], firsts[k], ends[k]);
      late_count = 0;
    }
  }
  collect (&found, strips, end_strips (strips), image.height, 0);
  if (memory)
    gpu_free (memory);
  return found;
}

static const CtrPoint *sorted_points;

/* By all that strips leave as it is. */
static int
compare_contours (const void *a, const void *b)
{
  const CtrContour *one = a, *other = b;
  if (one->level != other->level)
    return one->level < other->level ? -1 : 1;
  if (one->flags != other->flags)
    return one->flags < other->flags ? -1 : 1;
  if (one->count != other->count)
    return one->count < other->count ? -1 : 1;
  const int order =
      memcmp (sorted_points + one->first, sorted_points + other->first, one->count * sizeof *sorted_points);
  if (order != 0)
    return order;
  /* Different contours that are simplified to the same points. */
  if (one->area2 != other->area2)
    return one->area2 < other->area2 ? -1 : 1;
  if (one->length != other->length)
    return one->length < other->length ? -1 : 1;
  return memcmp (&one->left, &other->left, 4 * sizeof one->left);
}

static uint32_t *
order_of (const CtrContour *table, const CtrPoint *points, uint32_t count)
{
  CtrContour *copy = malloc ((count + 1) * sizeof *copy);
  uint32_t *order = malloc ((count + 1) * sizeof *order);
  memcpy (copy, table, count * sizeof *copy);
  for (uint32_t i = 0; i < count; i++)
    copy[i].region = i;
  sorted_points = points;
  qsort (copy, count, sizeof *copy, compare_contours);
  for (uint32_t i = 0; i < count; i++)
    order[i] = copy[i].region;
  free (copy);
  return order;
}

/* The rows of each result are in the order of the whole picture's. */
static void
check_order (const Found *found, const uint32_t *expected, const uint32_t *actual)
{
  uint32_t *places = malloc ((found->count + 1) * sizeof *places);
  for (uint32_t i = 0; i < found->count; i++)
    places[actual[i]] = expected[i];
  for (uint32_t i = 1; i < found->count; i++)
    CHECK (found->results[i] != found->results[i - 1] || places[i] > places[i - 1]);
  free (places);
}

static void
check_same (const Contours *whole, const Found *found, bool with_epsilon)
{
  if (whole->info.count != found->count)
    fprintf (stderr, "%u contours instead of %u\n", found->count, whole->info.count);
  CHECK (whole->info.count == found->count);
  uint32_t *expected = order_of (whole->table, whole->points, found->count);
  uint32_t *actual = order_of (found->table, found->points, found->count);
  for (uint32_t i = 0; i < found->count; i++) {
    const CtrContour *e = whole->table + expected[i], *a = found->table + actual[i];
    CHECK (e->count == a->count);
    CHECK (memcmp (whole->points + e->first, found->points + a->first, e->count * sizeof (CtrPoint)) == 0);
    CHECK (e->area2 == a->area2 && e->length == a->length && e->flags == a->flags && e->level == a->level);
    CHECK (e->left == a->left && e->top == a->top && e->width == a->width && e->height == a->height);
    CHECK (a->region == 0);
    if (whole->sums)
      CHECK (memcmp (whole->sums + expected[i], found->sums + actual[i], sizeof *found->sums) == 0);
  }
  if (!with_epsilon)
    check_order (found, expected, actual);
  free (expected);
  free (actual);
}

static void
whole_free (CtrContours *result, Contours *reference)
{
  if (result)
    ctr_contours_unref (result);
  else
    reference_contours_free (reference);
}

static uint32_t
random_heights (Random *random, uint32_t *heights, uint32_t room)
{
  static const uint32_t usual[] = {1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 16, 31, 33, 64};
  const uint32_t count = 1 + random_below (random, room);
  for (uint32_t i = 0; i < count; i++)
    heights[i] = pick (random, usual, LENGTH (usual));
  return count;
}

static Strips
random_strips (Random *random, bool cracks, CtrFormat format)
{
  Strips strips = {.cracks = cracks};
  strips.cracks_params = random_cracks_params (random);
  strips.cracks_params.hierarchy = CTR_HIERARCHY_PER_LEVEL;
  strips.cracks_params.min_persistence = 0;
  strips.cracks_params.max_depth = CTR_CRACKS_ANY_DEPTH;
  strips.cracks_params.frame = CTR_IMAGE_BORDER_PAD;
  const uint32_t most = format == CTR_FORMAT_GRAY16 ? 65535 : 255;
  strips.cracks_params.step = 1 + random_below (random, most / 2);
  strips.borders_params = random_borders_params (random, 0, false);
  strips.borders_params.mode = CTR_RETRIEVE_LIST;
  strips.borders_params.features &= CTR_CONTOUR_FEATURE_MOMENTS;
  return strips;
}

/* A picture cut twice: with room for everything, so that the sums are the same, and with results that begin elsewhere. */
static void
check_cutting (Strips *strips, const Picture *picture, const uint32_t *heights, size_t count, Random *random)
{
  Contours whole;
  CtrContours *result = analyse_whole (strips, &picture->view, &whole);
  for (int small = 0; small < 2; small++) {
    const uint32_t rows = picture->view.height;
    open_strips (strips, small ? rows : MANY_ROWS);
    for (int again = 0; again < 2; again++) {
      Found found = analyse_strips (strips, picture, heights, count, random);
      CHECK (found.open_count == 0);
      check_same (&whole, &found, !strips->cracks && strips->borders_params.epsilon > 0);
      found_free (&found);
    }
    close_strips (strips);
  }
  whole_free (result, &whole);
}

static Picture
random_picture (Random *random, bool cracks, uint32_t width, uint32_t height, Strips *strips)
{
  const Layout layout = random_layout (random);
  *strips = random_strips (random, cracks, layout.format);
  uint8_t *mask = random_below (random, 3) || !cracks ? random_mask_new (random, width, height) : NULL;
  Picture picture;
  if (mask) {
    const uint32_t threshold = 1 + random_below (random, 255);
    const bool invert = random_below (random, 2);
    picture = picture_of_mask (random, mask, width, height, layout, threshold, invert);
    strips->borders_params.foreground.threshold = threshold;
    strips->borders_params.foreground.invert = invert;
    strips->cracks_params.minimum = threshold;
    if (random_below (random, 2))
      strips->cracks_params.maximum = threshold;
  } else {
    mask = grey_new (random, width, height);
    picture = picture_of_grey (random, mask, width, height, layout);
  }
  free (mask);
  return picture;
}

static void
test_random_cutting (void)
{
  const uint32_t count = setup.backend == CTR_BACKEND_CUDA ? (setup.quick ? 25 : 300) : setup.quick ? 150 : 1500;
  for (uint32_t i = 0; i < count; i++) {
    Random random = {i};
    Strips strips;
    uint32_t heights[6];
    const bool cracks = i % 2;
    const uint32_t width = 1 + random_below (&random, random_below (&random, 4) ? 40 : 140);
    const uint32_t height = 1 + random_below (&random, random_below (&random, 4) ? 60 : 140);
    Picture picture = random_picture (&random, cracks, width, height, &strips);
    const uint32_t height_count = random_heights (&random, heights, LENGTH (heights));
    if (cracks)
      describe_cracks ("random strips", &picture.view, &strips.cracks_params);
    else
      describe_borders ("random strips", &picture.view, &strips.borders_params);
    check_cutting (&strips, &picture, heights, height_count, &random);
    picture_free (&picture);
  }
}

static void
test_shapes (void)
{
  static const uint32_t heights[][3] = {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {7, 7, 7}, {1, 5, 2}, {64, 1, 40}};
  Random random = {7};
  const bool gpu = setup.backend == CTR_BACKEND_CUDA;
  for (int shape = 0; shape < SHAPE_COUNT; shape++)
    for (uint32_t i = 0; i < LENGTH (heights); i++)
      for (int cracks = 0; cracks < 2; cracks++) {
        if (gpu && setup.quick && ((uint32_t) shape * 6 + i) % 37 != 0)
          continue;
        const uint32_t width = gpu ? 66 : 130, height = gpu ? 70 : 131;
        uint8_t *mask = shape_new ((Shape) shape, width, height);
        Picture picture = picture_of_mask (&random, mask, width, height, (Layout){CTR_FORMAT_GRAY8, 0, 0}, 100, false);
        Strips strips = {.cracks = cracks};
        strips.borders_params = borders_params_of (CTR_RETRIEVE_LIST, 1 + shape % 2, 100, false);
        strips.borders_params.connectivity = shape % 4 < 2 ? CTR_CONNECTIVITY_4 : CTR_CONNECTIVITY_8;
        strips.cracks_params = cracks_params_of (CTR_LEVELS_AT_LEAST, i % 2 ? 4 : 8, CTR_IMAGE_BORDER_PAD);
        strips.cracks_params.minimum = strips.cracks_params.maximum = 100;
        describe ("%s in strips of %u %u %u rows, %s", shape_names[shape], heights[i][0], heights[i][1], heights[i][2],
            cracks ? "level contours" : "borders");
        check_cutting (&strips, &picture, heights[i], 3, &random);
        picture_free (&picture);
        free (mask);
      }
}

/* With rows before columns. */
static CtrPoint *
sorted_copy (const CtrPoint *points, uint64_t count)
{
  CtrPoint *copy = malloc ((count + 1) * sizeof *copy);
  for (uint64_t i = 0; i < count; i++)
    copy[i] = (CtrPoint){points[i].y, points[i].x};
  return copy;
}

static int
compare_pixels (const void *a, const void *b)
{
  const CtrPoint *p = a, *q = b;
  return p->x != q->x ? (p->x < q->x ? -1 : 1) : p->y != q->y ? (p->y < q->y ? -1 : 1) : 0;
}

/* Beyond the bound nothing is lost: the points of all borders, open or not, are those of the whole picture. Closed ones
 * are borders of the whole picture, and none is missing that is small enough. */
static void
check_bound (
    Strips *strips, const Picture *picture, const uint32_t *heights, size_t count, uint32_t most, Random *random)
{
  Contours whole;
  CtrContours *result = analyse_whole (strips, &picture->view, &whole);
  open_strips (strips, most);
  Found found = analyse_strips (strips, picture, heights, count, random);
  close_strips (strips);
  if (!strips->cracks) {
    CHECK (found.point_count == whole.info.point_count);
    CtrPoint *expected = sorted_copy (whole.points, found.point_count);
    CtrPoint *actual = sorted_copy (found.points, found.point_count);
    qsort (expected, found.point_count, sizeof *expected, compare_pixels);
    qsort (actual, found.point_count, sizeof *actual, compare_pixels);
    CHECK (memcmp (expected, actual, found.point_count * sizeof *expected) == 0);
    free (expected);
    free (actual);
  }
  uint32_t *order = order_of (whole.table, whole.points, whole.info.count);
  uint32_t closed = 0;
  CtrContour *table = malloc ((found.count + 1) * sizeof *table);
  for (uint32_t i = 0; i < found.count; i++)
    if (!(found.table[i].flags & CTR_CONTOUR_OPEN))
      table[closed++] = found.table[i];
  uint32_t *closed_order = order_of (table, found.points, closed);
  for (uint32_t i = 0, k = 0; i < whole.info.count; i++) {
    const CtrContour *e = whole.table + order[i];
    const CtrContour *a = k < closed ? table + closed_order[k] : NULL;
    if (a && a->count == e->count && a->level == e->level && a->flags == e->flags
        && memcmp (whole.points + e->first, found.points + a->first, e->count * sizeof (CtrPoint)) == 0)
      k++;
    else
      CHECK (e->height > most);
    if (i == whole.info.count - 1)
      CHECK (k == closed);
  }
  free (order);
  free (closed_order);
  free (table);
  found_free (&found);
  whole_free (result, &whole);
}

static void
test_bound (void)
{
  const uint32_t count = setup.backend == CTR_BACKEND_CUDA ? (setup.quick ? 10 : 80) : setup.quick ? 80 : 600;
  for (uint32_t i = 0; i < count; i++) {
    Random random = {1000 + i};
    Strips strips;
    uint32_t heights[6];
    Picture picture =
        random_picture (&random, i % 2, 1 + random_below (&random, 60), 1 + random_below (&random, 90), &strips);
    const uint32_t height_count = random_heights (&random, heights, LENGTH (heights));
    strips.borders_params = borders_params_of (CTR_RETRIEVE_LIST, CTR_APPROXIMATION_NONE,
        strips.borders_params.foreground.threshold, strips.borders_params.foreground.invert);
    strips.borders_params.connectivity = i % 3 ? CTR_CONNECTIVITY_8 : CTR_CONNECTIVITY_4;
    strips.cracks_params.min_area = strips.cracks_params.max_area = strips.cracks_params.min_length = 0;
    describe ("bound, seed %u", i);
    check_bound (&strips, &picture, heights, height_count, 1 + random_below (&random, 40), &random);
    picture_free (&picture);
  }
}

/* A bar of 1000 rows, of which at most 100 may stay open: its sides are lines. */
static void
test_long_bar (void)
{
  enum { WIDTH = 40, HEIGHT = 1000, STRIP = 50, MOST = 100 };
  uint8_t *pixels = calloc (WIDTH, HEIGHT);
  for (uint32_t y = 10; y < HEIGHT - 10; y++)
    memset (pixels + y * WIDTH + 10, 255, 20);
  for (int cracks = 0; cracks < 2; cracks++) {
    const uint32_t height = STRIP;
    Random random = {3};
    const CtrImage image = {pixels, WIDTH, WIDTH, HEIGHT, CTR_FORMAT_GRAY8, CTR_MEMORY_HOST, {0}};
    const Picture picture = {.view = image, .memory = pixels, .bytes = WIDTH * HEIGHT};
    Strips strips = {.cracks = cracks};
    ctr_borders_params_init (&strips.borders_params);
    ctr_cracks_params_init (&strips.cracks_params);
    strips.borders_params.min_area = 1e6; /* not of open ones */
    strips.cracks_params.minimum = strips.cracks_params.maximum = 255;
    describe ("long bar, %s", cracks ? "level contours" : "borders");
    open_strips (&strips, MOST);
    Found found = analyse_strips (&strips, &picture, &height, 1, &random);
    CHECK (found.count == found.open_count && found.count >= 9);
    uint64_t length = 0;
    for (uint32_t i = 0; i < found.count; i++) {
      CHECK (found.table[i].area2 == 0 && found.table[i].count >= 2);
      CHECK (found.table[i].height <= MOST + STRIP + 1);
      length += found.table[i].length;
    }
    /* The steps between two pieces belong to neither. */
    const uint64_t all = cracks ? 2 * (20 + 980) : 2 * (19 + 979);
    CHECK (length + ((uint64_t) found.count << 23) == all << 23);
    found_free (&found);
    close_strips (&strips);
  }
  free (pixels);
}

/* Where rows are missing, and after a reset, nothing goes on. */
static void
test_cut (void)
{
  enum { WIDTH = 37, HEIGHT = 40 };
  Random random = {11};
  for (int cracks = 0; cracks < 2; cracks++) {
    Strips strips;
    Picture picture = random_picture (&random, cracks, WIDTH, HEIGHT, &strips);
    strips.borders_params.epsilon = 0;
    const uint32_t height = 8;
    Contours whole;
    CtrContours *result = analyse_whole (&strips, &picture.view, &whole);
    describe ("cut, %s", cracks ? "level contours" : "borders");
    open_strips (&strips, MANY_ROWS);
    CtrImage strip = picture.view;
    strip.height = 13;
    ctr_contours_unref (push_strip (&strips, &strip, false));
    if (cracks)
      ctr_crack_strips_drop (strips.crack_strips);
    else
      ctr_border_strips_drop (strips.border_strips);
    Found found = analyse_strips (&strips, &picture, &height, 1, &random);
    check_same (&whole, &found, false);
    found_free (&found);

    /* The picture, a cut, and the picture again. */
    Found twice = {0};
    collect (&twice, &strips, push_strip (&strips, &picture.view, true), 0, HEIGHT);
    if (cracks)
      ctr_crack_strips_cut (strips.crack_strips);
    else
      ctr_border_strips_cut (strips.border_strips);
    CtrContours *second = push_strip (&strips, &picture.view, false);
    CHECK (ctr_contours_wait (second, NULL) && second->origin_row == 0 && second->height == 2 * HEIGHT);
    CtrContours *end = end_strips (&strips);
    CHECK (twice.count + second->count + (end ? end->count : 0) == 2 * whole.info.count);
    ctr_contours_unref (second);
    if (end)
      ctr_contours_unref (end);
    found_free (&twice);
    close_strips (&strips);
    whole_free (result, &whole);
    picture_free (&picture);
  }
}

/* Web rows have 64 bits, those of results 16. */
static void
test_far (void)
{
  enum { WIDTH = 5, HEIGHT = 30000, STRIPS = 3 };
  /* So many rows take an emulated GPU too long. */
  if (setup.quick && setup.backend == CTR_BACKEND_CUDA)
    return;
  uint8_t *pixels = calloc (WIDTH, HEIGHT);
  for (uint32_t y = 0; y < HEIGHT; y++)
    pixels[y * WIDTH + 2] = y % 3 ? 255 : 0;
  for (int cracks = 0; cracks < 2; cracks++) {
    const CtrImage image = {pixels, WIDTH, WIDTH, HEIGHT, CTR_FORMAT_GRAY8, CTR_MEMORY_HOST, {0}};
    Strips strips = {.cracks = cracks};
    uint64_t count = 0, row = 0;
    ctr_borders_params_init (&strips.borders_params);
    ctr_cracks_params_init (&strips.cracks_params);
    strips.cracks_params.minimum = strips.cracks_params.maximum = 255;
    describe ("far, %s", cracks ? "level contours" : "borders");
    open_strips (&strips, 35535);
    for (uint32_t i = 0; i <= STRIPS; i++) {
      CtrContours *result = i < STRIPS ? push_strip (&strips, &image, true) : end_strips (&strips);
      if (!result)
        continue;
      const Contours all = contours_of (result);
      CHECK (all.info.origin_row == (i * HEIGHT > 35535 ? i * HEIGHT - 35535 : 0));
      for (uint32_t k = 0; k < all.info.count; k++) {
        const CtrContour *contour = all.table + (cracks ? k : all.info.count - 1 - k);
        CHECK (all.info.origin_row + contour->top == row + 1 && contour->height == 2 && contour->left == 2);
        row += 3;
      }
      count += all.info.count;
      ctr_contours_unref (result);
    }
    CHECK (count == HEIGHT / 3 * STRIPS);
    close_strips (&strips);
  }
  free (pixels);
}

static void
expect_failure (CtrContours *result, const CtrError *error, CtrStatus status, const char *text)
{
  CHECK (!result && error->status == status);
  CHECK (strstr (error->message, text));
}

static void
test_arguments (void)
{
  static const uint8_t pixels[64];
  CtrError error;
  CtrBordersParams params;
  CtrCracksParams cracks_params;
  CtrImage image = {pixels, 8, 8, 4, CTR_FORMAT_GRAY8, CTR_MEMORY_HOST, {0}};
  ctr_borders_params_init (&params);
  ctr_cracks_params_init (&cracks_params);
  describe ("arguments");
  CHECK (!ctr_border_strips_new (setup.backend, 0, &error) && error.status == CTR_ERROR_INVALID_ARGUMENT);
  CHECK (!ctr_crack_strips_new (setup.backend, 65535, &error) && error.status == CTR_ERROR_INVALID_ARGUMENT);
  CtrBorderStrips *borders = ctr_border_strips_new (setup.backend, 100, &error);
  CtrCrackStrips *cracks = ctr_crack_strips_new (setup.backend, 65534, &error);
  CHECK (borders && cracks);
  params.mode = CTR_RETRIEVE_TREE;
  expect_failure (ctr_border_strips_run (borders, &image, &params, setup.stream, &error), &error,
      CTR_ERROR_INVALID_ARGUMENT, "must be 1 (list)");
  params.mode = CTR_RETRIEVE_LIST;
  params.foreground.mode = CTR_THRESHOLD_TRIANGLE;
  expect_failure (ctr_border_strips_run (borders, &image, &params, setup.stream, &error), &error,
      CTR_ERROR_INVALID_ARGUMENT, "one threshold on the luma");
  params.foreground.mode = CTR_THRESHOLD_FIXED;
  cracks_params.frame = CTR_IMAGE_BORDER_ZERO;
  expect_failure (ctr_crack_strips_run (cracks, &image, &cracks_params, setup.stream, &error), &error,
      CTR_ERROR_INVALID_ARGUMENT, "must be 0 (pad)");
  cracks_params.frame = CTR_IMAGE_BORDER_PAD;
  expect_failure (ctr_crack_strips_run (cracks, &image, &cracks_params, setup.stream, &error), &error,
      CTR_ERROR_TOO_LARGE, "a strip of 4 rows");
  expect_failure (ctr_border_strips_run (borders, &image, NULL, setup.stream, &error), &error,
      CTR_ERROR_INVALID_ARGUMENT, "parameters are NULL");

  /* An end without strips, and one after a strip without contours. */
  CtrContours *none;
  CHECK (ctr_border_strips_finish (borders, &none, &error) && !none);
  CtrContours *first = ctr_border_strips_run (borders, &image, &params, setup.stream, &error);
  CHECK (first && first->count == 0 && first->height == 4);
  ctr_contours_unref (first);
  image.width = 7;
  expect_failure (ctr_border_strips_run (borders, &image, &params, setup.stream, &error), &error,
      CTR_ERROR_INVALID_ARGUMENT, "7 pixels wide");
  image.width = 8;
  image.format = CTR_FORMAT_GRAY16;
  image.stride = 16;
  expect_failure (ctr_border_strips_run (borders, &image, &params, setup.stream, &error), &error,
      CTR_ERROR_INVALID_ARGUMENT, "format");
  CHECK (ctr_border_strips_finish (borders, &none, &error) && !none);
  first = ctr_border_strips_run (borders, &image, &params, setup.stream, &error);
  CHECK (first);
  ctr_contours_unref (first);
  ctr_border_strips_free (borders);
  ctr_crack_strips_free (cracks);
  ctr_border_strips_free (NULL);
  ctr_crack_strips_free (NULL);
}

/* The lines of RESULT: from each point to the next one there is one step, of closed lines back to the first point, too. */
static uint64_t
check_steps (CtrContours *result)
{
  const Contours all = contours_of (result);
  for (uint32_t i = 0; i < all.info.count; i++) {
    const CtrContour *row = all.table + i;
    const CtrPoint *points = all.points + row->first;
    const bool open = row->flags & CTR_CONTOUR_OPEN;
    for (uint32_t k = 0; row->count > 1 && k + open < row->count; k++) {
      const CtrPoint p = points[k], q = points[(k + 1) % row->count];
      CHECK (abs (p.x - q.x) <= 1 && abs (p.y - q.y) <= 1 && (p.x != q.x || p.y != q.y));
    }
  }
  const uint64_t count = all.info.point_count;
  ctr_contours_unref (result);
  return count;
}

/* Lines that do not go on below, as the connectivity has changed, are reported with their points as the others are. */
static void
test_changed_connectivity (void)
{
  enum { WIDTH = 37, HEIGHT = 8, STRIPS = 6 };
  for (uint64_t seed = 1; seed <= (setup.quick ? 4 : 40); seed++) {
    CtrError error;
    Random random = {seed};
    CtrBordersParams params = borders_params_of (CTR_RETRIEVE_LIST, CTR_APPROXIMATION_NONE, 1, false);
    uint8_t *mask = noise_new (&random, WIDTH, STRIPS * HEIGHT, 30 + random_below (&random, 50), 1);
    CtrBorderStrips *strips = ctr_border_strips_new (setup.backend, 1000, &error);
    CtrContours *result;
    uint64_t points = 0;
    describe ("changed connectivity, seed %u", (unsigned) seed);
    for (uint32_t i = 0; i < STRIPS; i++) {
      const CtrImage strip = {mask + i * WIDTH * HEIGHT, WIDTH, WIDTH, HEIGHT, CTR_FORMAT_GRAY8, CTR_MEMORY_HOST, {0}};
      params.connectivity = random_below (&random, 2) ? CTR_CONNECTIVITY_4 : CTR_CONNECTIVITY_8;
      result = ctr_border_strips_run (strips, &strip, &params, setup.stream, &error);
      CHECK (result && result->connectivity == params.connectivity);
      points += check_steps (result);
    }
    CHECK (ctr_border_strips_finish (strips, &result, &error));
    points += result ? check_steps (result) : 0;
    CHECK (points > WIDTH * HEIGHT);
    ctr_border_strips_free (strips);
    free (mask);
  }
}

/* A strip with more points than max_points counts as background, and is told of. */
static void
test_max_points (void)
{
  enum { WIDTH = 40, HEIGHT = 12 };
  uint8_t *pixels = calloc (WIDTH, 3 * HEIGHT);
  CtrError error;
  for (uint32_t y = 2; y < 3 * HEIGHT - 2; y++)
    for (uint32_t x = 0; x < WIDTH; x++)
      pixels[y * WIDTH + x] = y / HEIGHT == 1 ? (x + y) % 2 : x > 10 && x < 20;
  CtrCracksParams params;
  ctr_cracks_params_init (&params);
  params.maximum = 1;
  params.max_points = 50;
  CtrCrackStrips *strips = ctr_crack_strips_new (setup.backend, 1000, &error);
  describe ("max-points");
  for (uint32_t i = 0; i < 4; i++) {
    const CtrImage strip = {pixels + i * WIDTH * HEIGHT, WIDTH, WIDTH, HEIGHT, CTR_FORMAT_GRAY8, CTR_MEMORY_HOST, {0}};
    CtrContours *result;
    if (i == 3) {
      CHECK (ctr_crack_strips_finish (strips, &result, &error) && !result);
      break;
    }
    result = ctr_crack_strips_submit (strips, &strip, &params, setup.stream, &error);
    CHECK (result && ctr_contours_wait (result, &error));
    CHECK (result->exceeded == (i == 1 ? CTR_LIMIT_POINTS : CTR_LIMIT_NONE));
    CHECK (i == 1 ? result->needed > 50 : result->needed == 0);
    CHECK (result->count == (i == 1 || i == 2));
    if (result->count > 0) {
      const Contours all = contours_of (result);
      CHECK (all.table[0].count == 4 && all.table[0].area2 == 2 * 9 * (HEIGHT - 2));
      CHECK (all.table[0].top == (i == 1 ? 2 : 2 * HEIGHT));
    }
    ctr_contours_unref (result);
  }
  ctr_crack_strips_free (strips);
  free (pixels);
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {
      {"arguments", test_arguments},
      {"cut", test_cut},
      {"max points", test_max_points},
      {"changed connectivity", test_changed_connectivity},
      {"far", test_far},
      {"long bar", test_long_bar},
      {"shapes", test_shapes},
      {"random cutting", test_random_cutting},
      {"bound", test_bound},
  };
  setup = setup_open (argc > 1 ? argv[1] : NULL, false);
  run_tests (tests, LENGTH (tests));
  return 0;
}
