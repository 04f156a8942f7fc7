/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests contours whose arrays lie elsewhere, and the quantities that the core derives from a contour's integers. The
 * test is built from the core's sources, since making a result is not public. */
#include "core/common/error.h"
#include "core/results/contourlist.h"
#include "tests/core/common/testing.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 3, POINTS = 50, THREADS = 8 };

/* Stands in for the GPU. */
typedef struct {
  atomic_int fetches[5];
  atomic_int inside;   /* fetches going on */
  atomic_int failures; /* fetches that are still to fail */
  atomic_int code_fetches;
  bool long_contour;
  bool destroyed;
} Source;

static void
fill (CtrContoursArray array, void *to, size_t size)
{
  memset (to, 0x10 + (int) array, size);
}

static bool
fetch (void *data, CtrContoursArray array, void *to, size_t size, CtrError *error)
{
  static const size_t sizes[] = {COUNT * sizeof (CtrContour), POINTS * sizeof (CtrPoint),
      COUNT * sizeof (CtrContourSums), COUNT * sizeof (CtrSnakeRegion), COUNT * sizeof (CtrContourNesting)};
  Source *source = data;
  CHECK (atomic_fetch_add (&source->inside, 1) == 0);
  CHECK (size == sizes[array]);
  usleep (1000);
  source->fetches[array]++;
  source->inside--;
  if (source->failures > 0) {
    source->failures--;
    return ctr_fail (error, CTR_ERROR_CUDA, "the GPU is elsewhere");
  }
  fill (array, to, size);
  return true;
}

static bool
get_device (void *data, CtrDeviceContours *device)
{
  *device = (CtrDeviceContours){.table = data};
  return true;
}

static void
destroy (void *data)
{
  Source *source = data;
  CHECK (!source->destroyed);
  source->destroyed = true;
}

/* The codes of contours with 0, 1, 2, .. steps, each of which goes in the direction of its number. */
static bool
fetch_codes (void *data, const CtrContours *contours, CtrCodeArrays *codes, CtrError *error)
{
  Source *source = data;
  CHECK (atomic_fetch_add (&source->inside, 1) == 0);
  usleep (1000);
  source->code_fetches++;
  source->inside--;
  if (source->failures > 0) {
    source->failures--;
    return ctr_fail (error, CTR_ERROR_CUDA, "the GPU is elsewhere");
  }
  for (uint32_t i = 0; i < contours->count; i++) {
    if (i == 0 && source->long_contour)
      return ctr_codes_fail_steps (contours, i, error);
    ctr_codes_append (codes, i, i, (CtrPoint){0, 0});
  }
  if (!ctr_codes_make_room (codes, contours, error))
    return false;
  CHECK (codes->bits == 3 && codes->size == 2); /* 0, 3 and 6 bits */
  memcpy (codes->bytes, (const uint8_t[]){0, 1 << 3}, 2);
  return true;
}

static const CtrContoursSource ops = {fetch, get_device, destroy, fetch_codes};
static const CtrContours info = {.width = 640,
    .height = 480,
    .count = COUNT,
    .point_count = POINTS,
    .features = CTR_CONTOUR_FEATURE_MOMENTS | CTR_CONTOUR_FEATURE_REGIONS | CTR_CONTOUR_FEATURE_NESTING,
    .vertices = CTR_VERTICES_STEPS};

static void
check_filled (const void *array, CtrContoursArray which, size_t size)
{
  uint8_t expected[COUNT * sizeof (CtrContourSums)];
  CHECK (array);
  fill (which, expected, size);
  CHECK (memcmp (array, expected, size) == 0);
}

static void
check_arrays (CtrContours *contours)
{
  check_filled (ctr_contours_map_table (contours, NULL), CTR_CONTOURS_TABLE, COUNT * sizeof (CtrContour));
  check_filled (ctr_contours_map_points (contours, NULL), CTR_CONTOURS_POINTS, POINTS * sizeof (CtrPoint));
  check_filled (ctr_contours_map_sums (contours, NULL), CTR_CONTOURS_SUMS, COUNT * sizeof (CtrContourSums));
  check_filled (ctr_contours_map_regions (contours, NULL), CTR_CONTOURS_REGIONS, COUNT * sizeof (CtrSnakeRegion));
  check_filled (ctr_contours_map_nesting (contours, NULL), CTR_CONTOURS_NESTING, COUNT * sizeof (CtrContourNesting));
}

static void
test_remote (void)
{
  Source source = {.failures = 2};
  CtrError error = {.status = CTR_OK};
  describe ("contours that lie elsewhere");
  CtrContours *contours = ctr_contours_new_remote (&info, &ops, &source, NULL);
  CHECK (contours && memcmp (contours, &info, sizeof info) == 0);
  CtrDeviceContours device = {0};
  CHECK (ctr_contours_get_device (contours, &device) && device.table == (const void *) &source);
  CHECK (source.fetches[CTR_CONTOURS_TABLE] == 0);

  describe ("a fetch that fails, and another without an error to fill");
  CHECK (!ctr_contours_map_points (contours, &error));
  CHECK (error.status == CTR_ERROR_CUDA && strstr (error.message, "elsewhere"));
  CHECK (!ctr_contours_map_table (contours, NULL));
  describe ("the same after that");
  check_arrays (contours);
  const CtrPoint *points = ctr_contours_map_points (contours, NULL);
  CHECK (ctr_contours_map_points (contours, NULL) == points);
  CHECK (source.fetches[CTR_CONTOURS_TABLE] == 2);
  CHECK (source.fetches[CTR_CONTOURS_POINTS] == 2);
  CHECK (source.fetches[CTR_CONTOURS_SUMS] == 1);
  CHECK (source.fetches[CTR_CONTOURS_REGIONS] == 1);
  CHECK (source.fetches[CTR_CONTOURS_NESTING] == 1);
  ctr_contours_ref (contours);
  ctr_contours_unref (contours);
  CHECK (!source.destroyed);
  ctr_contours_unref (contours);
  CHECK (source.destroyed);

  describe ("contours that lie elsewhere, without sums, regions and nesting");
  source = (Source){0};
  CtrContours plain = info;
  plain.features = 0;
  contours = ctr_contours_new_remote (&plain, &ops, &source, NULL);
  CHECK (!ctr_contours_map_sums (contours, NULL) && source.fetches[CTR_CONTOURS_SUMS] == 0);
  CHECK (!ctr_contours_map_regions (contours, NULL) && source.fetches[CTR_CONTOURS_REGIONS] == 0);
  CHECK (!ctr_contours_map_nesting (contours, NULL) && source.fetches[CTR_CONTOURS_NESTING] == 0);
  ctr_contours_unref (contours);

  describe ("no contours, elsewhere");
  source = (Source){0};
  plain.count = 0;
  plain.point_count = 0;
  contours = ctr_contours_new_remote (&plain, &ops, &source, NULL);
  CHECK (ctr_contours_map_table (contours, NULL) && ctr_contours_map_points (contours, NULL));
  CHECK (source.fetches[CTR_CONTOURS_TABLE] == 0 && source.fetches[CTR_CONTOURS_POINTS] == 0);
  ctr_contours_unref (contours);
}

static void
test_codes (void)
{
  static const CtrContoursSource without = {fetch, get_device, destroy, NULL};
  Source source = {.failures = 1};
  CtrError error = {.status = CTR_OK};
  CtrContourCodes codes, again;
  describe ("codes that lie elsewhere, with a fetch that fails");
  CtrContours *contours = ctr_contours_new_remote (&info, &ops, &source, NULL);
  CHECK (ctr_contours_have_codes (contours) && source.code_fetches == 0);
  CHECK (!ctr_contours_map_codes (contours, &codes, &error) && error.status == CTR_ERROR_CUDA);
  CHECK (ctr_contours_map_codes (contours, &codes, &error) && ctr_contours_map_codes (contours, &again, &error));
  CHECK (source.code_fetches == 2 && again.bytes == codes.bytes && again.chains == codes.chains);
  CHECK (codes.size == 2 && codes.bits == 3 && codes.chains[2].offset == 1 && codes.chains[2].steps == 2);
  for (int i = CTR_CONTOURS_TABLE; i <= CTR_CONTOURS_REGIONS; i++)
    CHECK (source.fetches[i] == 0);
  uint8_t unpacked[2];
  ctr_contour_codes_unpack (&codes, 2, unpacked);
  CHECK (unpacked[0] == 0 && unpacked[1] == 1);
  ctr_contours_unref (contours);

  describe ("a contour with too many steps");
  source = (Source){.long_contour = true};
  contours = ctr_contours_new_remote (&info, &ops, &source, NULL);
  CHECK (!ctr_contours_map_codes (contours, &codes, &error) && error.status == CTR_ERROR_OUT_OF_MEMORY);
  CHECK (strstr (error.message, "contour 0"));
  ctr_contours_unref (contours);

  describe ("codes that the host packs, and polygons, which have none");
  source = (Source){0};
  CtrContours other = info;
  other.count = 0;
  other.point_count = 0;
  contours = ctr_contours_new_remote (&other, &without, &source, NULL);
  CHECK (ctr_contours_map_codes (contours, &codes, &error) && codes.size == 0 && codes.bytes && codes.chains);
  ctr_contours_unref (contours);
  source = (Source){0};
  other = info;
  other.vertices = CTR_VERTICES_ANY;
  contours = ctr_contours_new_remote (&other, &ops, &source, NULL);
  CHECK (!ctr_contours_map_codes (contours, &codes, &error) && error.status == CTR_ERROR_INVALID_ARGUMENT);
  ctr_contours_unref (contours);
}

static void
test_host (void)
{
  CtrContourArrays arrays;
  CtrDeviceContours device;
  describe ("contours on the host");
  CtrContours *contours = ctr_contours_alloc (&info, &arrays, NULL);
  CHECK (contours && memcmp (contours, &info, sizeof info) == 0);
  CHECK (ctr_contours_map_table (contours, NULL) == arrays.table);
  CHECK (ctr_contours_map_points (contours, NULL) == arrays.points);
  CHECK (ctr_contours_map_sums (contours, NULL) == arrays.sums);
  CHECK (ctr_contours_map_regions (contours, NULL) == arrays.regions);
  CHECK (ctr_contours_map_nesting (contours, NULL) == arrays.nesting);
  memset (arrays.table, 0, COUNT * sizeof *arrays.table);
  memset (arrays.points, 0, POINTS * sizeof *arrays.points);
  memset (arrays.sums, 0, COUNT * sizeof *arrays.sums);
  memset (arrays.regions, 0, COUNT * sizeof *arrays.regions);
  CHECK (!ctr_contours_get_device (contours, &device));
  ctr_contours_unref (contours);
  CtrContours plain = info;
  plain.features = 0;
  plain.count = 0;
  plain.point_count = 0;
  contours = ctr_contours_alloc (&plain, &arrays, NULL);
  CHECK (contours && arrays.table && arrays.points && !arrays.sums && !arrays.regions);
  CHECK (ctr_contours_map_table (contours, NULL) && !ctr_contours_map_sums (contours, NULL));
  CHECK (!ctr_contours_map_regions (contours, NULL));
  ctr_contours_unref (contours);
  ctr_contours_unref (NULL);
}

static void *
map_all (void *contours)
{
  for (int i = 0; i < 50; i++) {
    check_arrays (contours);
    CtrContourCodes codes;
    CHECK (ctr_contours_map_codes (contours, &codes, NULL) && codes.size == 2);
    ctr_contours_ref (contours);
    ctr_contours_unref (contours);
  }
  ctr_contours_unref (contours);
  return NULL;
}

static void
test_threads (void)
{
  describe ("%d threads that fetch", THREADS);
  for (int round = 0; round < 20; round++) {
    Source source = {0};
    pthread_t threads[THREADS];
    CtrContours *contours = ctr_contours_new_remote (&info, &ops, &source, NULL);
    for (int i = 0; i < THREADS; i++) {
      ctr_contours_ref (contours);
      CHECK (pthread_create (&threads[i], NULL, map_all, contours) == 0);
    }
    ctr_contours_unref (contours);
    for (int i = 0; i < THREADS; i++)
      pthread_join (threads[i], NULL);
    for (int i = CTR_CONTOURS_TABLE; i <= CTR_CONTOURS_NESTING; i++)
      CHECK (source.fetches[i] == 1);
    CHECK (source.code_fetches == 1);
    CHECK (source.destroyed);
  }
}

static Source *owned;
static int releases;

static void
release (void *object)
{
  CHECK (object == &releases && owned->destroyed);
  releases++;
}

static void
test_owner (void)
{
  Source source = {0};
  owned = &source;
  describe ("an owner, released last");
  CtrContours *contours = ctr_contours_new_remote (&info, &ops, &source, NULL);
  ctr_contours_set_owner (contours, &releases, release);
  ctr_contours_ref (contours);
  ctr_contours_unref (contours);
  CHECK (releases == 0 && !source.destroyed);
  ctr_contours_unref (contours);
  CHECK (releases == 1);
}

static void
test_numbers (void)
{
  CtrContour contour = {.area2 = -7, .length = (2u << 23) + (1u << 22)};
  describe ("area and length");
  CHECK (ctr_contour_area (&contour, false) == 3.5);
  CHECK (ctr_contour_area (&contour, true) == -3.5);
  CHECK (ctr_contour_perimeter (&contour) == 2.5);
}

static bool
near (double a, double b)
{
  return fabs (a - b) <= 1e-12 * (1 + fabs (b));
}

/* The sums of the rectangle with these corners, run around either way: 2, 6, 6, 12, 24, 12, 20, 60, 60, 20 times the
 * integrals. */
static CtrContourSums
sums_of_rectangle (int64_t x0, int64_t y0, int64_t x1, int64_t y1, int sign)
{
  static const int factors[10] = {2, 6, 6, 12, 24, 12, 20, 60, 60, 20};
  static const int p[10] = {0, 1, 0, 2, 1, 0, 3, 2, 1, 0};
  static const int q[10] = {0, 0, 1, 0, 1, 2, 0, 1, 2, 3};
  CtrContourSums sums;
  for (int i = 0; i < 10; i++) {
    __int128 x = x1, y = y1, x_low = x0, y_low = y0;
    for (int k = 0; k < p[i]; k++)
      x *= x1, x_low *= x0;
    for (int k = 0; k < q[i]; k++)
      y *= y1, y_low *= y0;
    const __int128 sum = sign * factors[i] * (x - x_low) * (y - y_low) / ((p[i] + 1) * (q[i] + 1));
    sums.words[i][0] = (uint64_t) sum;
    sums.words[i][1] = (uint64_t) (sum >> 64);
  }
  return sums;
}

static void
test_moments (void)
{
  CtrContourMoments a, b;
  describe ("moments of a rectangle");
  CtrContourSums sums = sums_of_rectangle (10, 20, 16, 24, 1);
  ctr_contour_moments (&sums, &a);
  CHECK (a.m[0] == 24 && near (a.m[1], 24 * 13) && near (a.m[2], 24 * 22));
  CHECK (near (a.m[3], (4096 - 1000) / 3.0 * 4) && near (a.m[4], 24 * 13 * 22));
  CHECK (near (a.mu[0], 24 * 36 / 12.0) && fabs (a.mu[1]) < 1e-9 && near (a.mu[2], 24 * 16 / 12.0));
  for (int i = 3; i < 7; i++)
    CHECK (fabs (a.mu[i]) < 1e-8 && fabs (a.nu[i]) < 1e-11);
  CHECK (near (a.nu[0], a.mu[0] / (24 * 24)) && near (a.nu[2], a.mu[2] / (24 * 24)));

  describe ("the same rectangle, run around the other way");
  sums = sums_of_rectangle (10, 20, 16, 24, -1);
  ctr_contour_moments (&sums, &b);
  CHECK (memcmp (&a, &b, sizeof a) == 0);

  describe ("the largest rectangle");
  sums = sums_of_rectangle (0, 0, 65534, 65534, 1);
  ctr_contour_moments (&sums, &a);
  CHECK (near (a.m[6] / pow (65534, 5), 0.25) && near (a.m[7] / pow (65534, 5), 1 / 6.0));

  describe ("a line without area");
  sums = (CtrContourSums){{{0}}};
  memset (&a, 0xff, sizeof a);
  ctr_contour_moments (&sums, &a);
  for (int i = 0; i < 10; i++)
    CHECK (a.m[i] == 0);
  for (int i = 0; i < 7; i++)
    CHECK (a.mu[i] == 0 && a.nu[i] == 0);
}

int
main (void)
{
  test_remote ();
  test_codes ();
  test_host ();
  test_threads ();
  test_owner ();
  test_numbers ();
  test_moments ();
  return 0;
}
