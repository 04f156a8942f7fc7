/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/reliability/matrix/identities.h"

#include "tests/core/borders/testing.h"
#include "tests/core/cca/testing.h"
#include "tests/core/cracks/testing.h"

#include <stdlib.h>
#include <string.h>

/* The contours of a mask: CRACKS, or else borders with all their pixels. */
typedef struct {
  bool cracks;
  CtrConnectivity connectivity;
} Kind;

static const Kind kinds[] = {{false, 4}, {false, 8}, {true, 4}, {true, 8}};

/* What of a contour does not depend on where it begins, nor on its direction. Compared byte by byte. */
typedef struct {
  int64_t area2, parent_area2;
  uint64_t length;
  uint32_t count, flags, left, top, width, height;
} ContourKey;

void
identities_open (Identities *identities, const Setup *setup)
{
  *identities = (Identities){*setup, analyser_new (setup), follower_new (setup), tracer_new (setup)};
}

void
identities_close (Identities *identities)
{
  ctr_cca_free (identities->cca);
  ctr_borders_free (identities->borders);
  ctr_cracks_free (identities->cracks);
}

static CtrImage
image_of (const Mask *mask)
{
  return (CtrImage){.data = mask->pixels,
      .stride = mask->width,
      .width = mask->width,
      .height = mask->height,
      .format = CTR_FORMAT_GRAY8};
}

static CtrComponents *
components_of (const Identities *identities, const Mask *mask, CtrConnectivity connectivity, bool invert)
{
  const CtrImage image = image_of (mask);
  const CtrCcaParams params = params_of (connectivity, 1, invert, CTR_FEATURE_LABELS);
  CtrComponents *components = analyse (identities->cca, &identities->setup, &image, &params);
  CHECK (ctr_components_map_labels (components, NULL));
  return components;
}

static CtrContours *
find_contours (const Identities *identities, const Mask *mask, Kind kind)
{
  const CtrImage image = image_of (mask);
  if (kind.cracks) {
    CtrCracksParams params = cracks_params_of (CTR_LEVELS_AT_LEAST, kind.connectivity, CTR_IMAGE_BORDER_PAD);
    params.minimum = params.maximum = 1;
    return trace_cracks (identities->cracks, &identities->setup, &image, &params);
  }
  CtrBordersParams params = borders_params_of (CTR_RETRIEVE_TREE, CTR_APPROXIMATION_NONE, 1, false);
  params.connectivity = kind.connectivity;
  return follow_borders (identities->borders, &identities->setup, &image, &params);
}

static uint64_t
count_pixels (const Mask *mask)
{
  uint64_t count = 0;
  for (size_t i = 0; i < (size_t) mask->width * mask->height; i++)
    count += mask->pixels[i];
  return count;
}

void
identities_check_areas (const Identities *identities, const Mask *mask)
{
  const uint64_t pixels = count_pixels (mask);
  FOR_BOTH_CONNECTIVITIES (connectivity)
  {
    CtrComponents *components = components_of (identities, mask, connectivity, false);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < components->count; i++)
      sum += components->table[i].area;
    CHECK (sum == pixels);
    ctr_components_unref (components);
    CtrContours *result = find_contours (identities, mask, (Kind){true, connectivity});
    const Contours contours = contours_of (result);
    int64_t area2 = 0;
    for (uint32_t i = 0; i < contours.info.count; i++)
      area2 += contours.table[i].area2;
    CHECK (area2 == 2 * (int64_t) pixels);
    ctr_contours_unref (result);
  }
}

/* Toggles, in FLAGS of rows of STRIDE, where the side from A to B of a polygon is on the scan line of a row. */
static void
toggle_side (uint8_t *flags, size_t stride, CtrPoint a, CtrPoint b)
{
  const uint32_t top = a.y < b.y ? a.y : b.y, bottom = a.y < b.y ? b.y : a.y;
  for (uint32_t y = top; y < bottom; y++)
    flags[y * stride + (a.y < b.y ? a.x : b.x)] ^= 1;
}

void
identities_check_redrawn (const Identities *identities, const Mask *mask)
{
  const size_t stride = (size_t) mask->width + 1, size = stride * (mask->height + 1);
  uint8_t *flags = malloc (size), *drawn = malloc (size);
  for (size_t k = 0; k < LENGTH (kinds); k++) {
    CtrContours *result = find_contours (identities, mask, kinds[k]);
    const Contours contours = contours_of (result);
    memset (flags, 0, size);
    memset (drawn, 0, size);
    for (uint32_t i = 0; i < contours.info.count; i++) {
      const CtrContour *row = contours.table + i;
      const CtrPoint *points = contours.points + row->first;
      for (uint32_t p = 0; p < row->count; p++) {
        toggle_side (flags, stride, points[p], points[p + 1 < row->count ? p + 1 : 0]);
        if (!kinds[k].cracks)
          drawn[points[p].y * stride + points[p].x] = 1;
      }
    }
    for (uint32_t y = 0; y < mask->height; y++) {
      bool inside = false;
      for (uint32_t x = 0; x < mask->width; x++) {
        inside ^= flags[y * stride + x];
        CHECK ((inside || drawn[y * stride + x]) == mask->pixels[(size_t) y * mask->width + x]);
      }
    }
    ctr_contours_unref (result);
  }
  free (flags);
  free (drawn);
}

typedef struct {
  unsigned bits;          /* of the symmetry */
  uint32_t width, height; /* of the mask before */
} Symmetry;

/* Where the box of W x H pixels at *X, *Y comes to be. */
static void
move_box (const Symmetry *symmetry, uint32_t *x, uint32_t *y, uint32_t *w, uint32_t *h)
{
  if (symmetry->bits & 1)
    *x = symmetry->width - *x - *w;
  if (symmetry->bits & 2)
    *y = symmetry->height - *y - *h;
  if (symmetry->bits & 4) {
    const uint32_t other_x = *y, other_w = *h;
    *y = *x;
    *h = *w;
    *x = other_x;
    *w = other_w;
  }
}

static Mask
transform_mask (const Symmetry *symmetry, const Mask *mask)
{
  const bool swap = symmetry->bits & 4;
  const Mask moved = {malloc ((size_t) mask->width * mask->height), swap ? mask->height : mask->width,
      swap ? mask->width : mask->height};
  for (uint32_t y = 0; y < mask->height; y++)
    for (uint32_t x = 0; x < mask->width; x++) {
      uint32_t to_x = x, to_y = y, w = 1, h = 1;
      move_box (symmetry, &to_x, &to_y, &w, &h);
      ((uint8_t *) moved.pixels)[(size_t) to_y * moved.width + to_x] = mask->pixels[(size_t) y * mask->width + x];
    }
  return moved;
}

/* Is the component FROM, moved, the component TO? */
static void
check_moved_component (const Symmetry *symmetry, const CtrComponent *from, const CtrComponent *to)
{
  uint32_t x = from->left, y = from->top, w = from->width, h = from->height;
  uint64_t sum_x = from->sum_x, sum_y = from->sum_y;
  move_box (symmetry, &x, &y, &w, &h);
  if (symmetry->bits & 1)
    sum_x = (uint64_t) (symmetry->width - 1) * from->area - sum_x;
  if (symmetry->bits & 2)
    sum_y = (uint64_t) (symmetry->height - 1) * from->area - sum_y;
  CHECK (to->area == from->area);
  CHECK (to->left == x && to->top == y && to->width == w && to->height == h);
  CHECK (to->sum_x == (symmetry->bits & 4 ? sum_y : sum_x) && to->sum_y == (symmetry->bits & 4 ? sum_x : sum_y));
}

static void
check_moved_components (const Symmetry *symmetry, const CtrComponents *from, const CtrComponents *to)
{
  uint32_t *partners = calloc (from->count + 1, sizeof *partners);
  const uint32_t *labels = ctr_components_map_labels ((CtrComponents *) from, NULL);
  const uint32_t *moved_labels = ctr_components_map_labels ((CtrComponents *) to, NULL);
  CHECK (from->count == to->count);
  for (uint32_t y = 0; y < from->height; y++)
    for (uint32_t x = 0; x < from->width; x++) {
      const uint32_t label = labels[(size_t) y * from->width + x];
      uint32_t to_x = x, to_y = y, w = 1, h = 1;
      move_box (symmetry, &to_x, &to_y, &w, &h);
      const uint32_t moved = moved_labels[(size_t) to_y * to->width + to_x];
      CHECK (!label == !moved);
      if (label && !partners[label]) {
        partners[label] = moved;
        check_moved_component (symmetry, from->table + label - 1, to->table + moved - 1);
      }
      CHECK (partners[label] == moved);
    }
  free (partners);
}

static int
compare_keys (const void *a, const void *b)
{
  return memcmp (a, b, sizeof (ContourKey));
}

/* The keys of the contours whose box lies in PART, moved; sorted, transfer full (free). NULL: of all. */
static ContourKey *
keys_of (const Contours *contours, const Symmetry *symmetry, const MaskPart *part, bool with_parents, uint32_t *count)
{
  ContourKey *keys = calloc (contours->info.count + 1, sizeof *keys);
  *count = 0;
  for (uint32_t i = 0; i < contours->info.count; i++) {
    const CtrContour *row = contours->table + i;
    ContourKey key;
    memset (&key, 0, sizeof key);
    key.area2 = row->area2;
    key.parent_area2 = with_parents && row->parent >= 0 ? contours->table[row->parent].area2 : 0;
    key.length = row->length;
    key.count = row->count;
    key.flags = row->flags;
    key.left = row->left;
    key.top = row->top;
    key.width = row->width;
    key.height = row->height;
    if (part) {
      if (key.left < part->x || key.left + key.width > part->x + part->width || key.top < part->y
          || key.top + key.height > part->y + part->height)
        continue;
      key.left -= part->x;
      key.top -= part->y;
    }
    if (symmetry)
      move_box (symmetry, &key.left, &key.top, &key.width, &key.height);
    keys[(*count)++] = key;
  }
  qsort (keys, *count, sizeof *keys, compare_keys);
  return keys;
}

static void
check_moved_contours (const Symmetry *symmetry, const Contours *from, const Contours *to)
{
  uint32_t count, moved_count;
  ContourKey *keys = keys_of (from, symmetry, NULL, true, &count);
  ContourKey *moved_keys = keys_of (to, NULL, NULL, true, &moved_count);
  CHECK (count == moved_count && memcmp (keys, moved_keys, count * sizeof *keys) == 0);
  free (keys);
  free (moved_keys);
}

void
identities_check_symmetry (const Identities *identities, const Mask *mask, unsigned bits)
{
  const Symmetry symmetry = {bits, mask->width, mask->height};
  const Mask moved = transform_mask (&symmetry, mask);
  FOR_BOTH_CONNECTIVITIES (connectivity)
  {
    CtrComponents *from = components_of (identities, mask, connectivity, false);
    CtrComponents *to = components_of (identities, &moved, connectivity, false);
    check_moved_components (&symmetry, from, to);
    ctr_components_unref (from);
    ctr_components_unref (to);
  }
  for (size_t k = 0; k < LENGTH (kinds); k++) {
    CtrContours *from = find_contours (identities, mask, kinds[k]), *to = find_contours (identities, &moved, kinds[k]);
    const Contours before = contours_of (from), after = contours_of (to);
    check_moved_contours (&symmetry, &before, &after);
    ctr_contours_unref (from);
    ctr_contours_unref (to);
  }
  free ((void *) moved.pixels);
}

/* MASK at X, Y of a mask of WIDTH x HEIGHT pixels that are 0 elsewhere. */
static Mask
place_mask (const Mask *mask, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
  const Mask placed = {calloc ((size_t) width * height, 1), width, height};
  for (uint32_t row = 0; row < mask->height; row++)
    memcpy ((uint8_t *) placed.pixels + (size_t) (row + y) * width + x, mask->pixels + (size_t) row * mask->width,
        mask->width);
  return placed;
}

static void
check_translated_contours (const Contours *from, const Contours *to, uint32_t dx, uint32_t dy)
{
  CHECK (from->info.count == to->info.count && from->info.point_count == to->info.point_count);
  for (uint32_t i = 0; i < from->info.count; i++) {
    CtrContour expected = from->table[i];
    expected.left = (uint16_t) (expected.left + dx);
    expected.top = (uint16_t) (expected.top + dy);
    CHECK (memcmp (&expected, to->table + i, sizeof expected) == 0);
  }
  for (uint64_t i = 0; i < from->info.point_count; i++)
    CHECK (to->points[i].x == from->points[i].x + dx && to->points[i].y == from->points[i].y + dy);
}

void
identities_check_translation (const Identities *identities, const Mask *mask, uint32_t dx, uint32_t dy)
{
  const Mask moved = place_mask (mask, dx, dy, mask->width + dx, mask->height + dy);
  FOR_BOTH_CONNECTIVITIES (connectivity)
  {
    CtrComponents *from = components_of (identities, mask, connectivity, false);
    CtrComponents *to = components_of (identities, &moved, connectivity, false);
    CHECK (from->count == to->count);
    for (uint32_t i = 0; i < from->count; i++) {
      CtrComponent expected = from->table[i];
      expected.sum_x += (uint64_t) dx * expected.area;
      expected.sum_y += (uint64_t) dy * expected.area;
      expected.left = (uint16_t) (expected.left + dx);
      expected.top = (uint16_t) (expected.top + dy);
      expected.start_x = (uint16_t) (expected.start_x + dx);
      CHECK (memcmp (&expected, to->table + i, sizeof expected) == 0);
    }
    ctr_components_unref (from);
    ctr_components_unref (to);
  }
  for (size_t k = 0; k < LENGTH (kinds); k++) {
    CtrContours *from = find_contours (identities, mask, kinds[k]), *to = find_contours (identities, &moved, kinds[k]);
    const Contours before = contours_of (from), after = contours_of (to);
    check_translated_contours (&before, &after, dx, dy);
    ctr_contours_unref (from);
    ctr_contours_unref (to);
  }
  free ((void *) moved.pixels);
}

/* Euler's number of a MASK whose outermost pixels are 0, from its 2 x 2 squares (Gray, IEEE Transactions on Computers 20,
 * 1971). */
static int64_t
euler_number (const Mask *mask, CtrConnectivity connectivity)
{
  int64_t ones = 0, threes = 0, diagonals = 0;
  for (uint32_t y = 0; y + 1 < mask->height; y++)
    for (uint32_t x = 0; x + 1 < mask->width; x++) {
      const uint8_t *a = mask->pixels + (size_t) y * mask->width + x, *b = a + mask->width;
      const int sum = a[0] + a[1] + b[0] + b[1];
      ones += sum == 1;
      threes += sum == 3;
      diagonals += sum == 2 && a[0] == b[1];
    }
  return (ones - threes + (connectivity == CTR_CONNECTIVITY_4 ? 2 : -2) * diagonals) / 4;
}

void
identities_check_inversion (const Identities *identities, const Mask *mask)
{
  const uint32_t width = mask->width + 2, height = mask->height + 2;
  const Mask framed = place_mask (mask, 1, 1, width, height);
  Mask inverted = place_mask (mask, 1, 1, width, height);
  for (size_t i = 0; i < (size_t) width * height; i++)
    ((uint8_t *) inverted.pixels)[i] ^= 1;
  FOR_BOTH_CONNECTIVITIES (connectivity)
  {
    CtrComponents *components = components_of (identities, &framed, connectivity, false);
    CtrComponents *background = components_of (identities, &inverted, 12 - connectivity, false);
    CtrComponents *by_rule = components_of (identities, &framed, 12 - connectivity, true);
    const uint32_t holes = background->count - 1;
    CHECK ((int64_t) components->count - holes == euler_number (&framed, connectivity));
    check_components_equal (background, by_rule);
    for (int cracks = 0; cracks <= 1; cracks++) {
      CtrContours *result = find_contours (identities, mask, (Kind){cracks, connectivity});
      const Contours contours = contours_of (result);
      uint32_t found = 0;
      for (uint32_t i = 0; i < contours.info.count; i++)
        found += contours.table[i].flags & CTR_CONTOUR_HOLE ? 1 : 0;
      CHECK (found == holes && contours.info.count == components->count + holes);
      ctr_contours_unref (result);
    }
    ctr_components_unref (components);
    ctr_components_unref (background);
    ctr_components_unref (by_rule);
  }
  free ((void *) framed.pixels);
  free ((void *) inverted.pixels);
}

/* Of the sorted WHOLE, are all in the sorted SINGLE? */
static void
check_included (const ContourKey *whole, uint32_t whole_count, const ContourKey *single, uint32_t single_count)
{
  uint32_t at = 0;
  for (uint32_t i = 0; i < whole_count; i++, at++) {
    while (at < single_count && compare_keys (single + at, whole + i) < 0)
      at++;
    CHECK (at < single_count && compare_keys (single + at, whole + i) == 0);
  }
}

void
identities_check_crop (const Identities *identities, const Mask *mask, MaskPart part)
{
  const Mask single = {malloc ((size_t) part.width * part.height), part.width, part.height};
  for (uint32_t y = 0; y < part.height; y++)
    memcpy ((uint8_t *) single.pixels + (size_t) y * part.width,
        mask->pixels + (size_t) (y + part.y) * mask->width + part.x, part.width);
  FOR_BOTH_CONNECTIVITIES (connectivity)
  {
    CtrComponents *whole = components_of (identities, mask, connectivity, false);
    CtrComponents *alone = components_of (identities, &single, connectivity, false);
    const uint32_t *labels = ctr_components_map_labels (alone, NULL);
    for (uint32_t i = 0; i < whole->count; i++) {
      CtrComponent expected = whole->table[i];
      if (expected.left < part.x || expected.top < part.y || expected.left + expected.width > part.x + part.width
          || expected.top + expected.height > part.y + part.height)
        continue;
      expected.sum_x -= (uint64_t) part.x * expected.area;
      expected.sum_y -= (uint64_t) part.y * expected.area;
      expected.left = (uint16_t) (expected.left - part.x);
      expected.top = (uint16_t) (expected.top - part.y);
      expected.start_x = (uint16_t) (expected.start_x - part.x);
      const uint32_t label = labels[(size_t) expected.top * part.width + expected.start_x];
      CHECK (label > 0 && memcmp (&expected, alone->table + label - 1, sizeof expected) == 0);
    }
    ctr_components_unref (whole);
    ctr_components_unref (alone);
  }
  for (size_t k = 0; k < 2; k++) { /* Cracks of the part run along its border. */
    CtrContours *whole = find_contours (identities, mask, kinds[k]),
                *alone = find_contours (identities, &single, kinds[k]);
    const Contours of_whole = contours_of (whole), of_single = contours_of (alone);
    uint32_t count, single_count;
    ContourKey *keys = keys_of (&of_whole, NULL, &part, false, &count);
    ContourKey *single_keys = keys_of (&of_single, NULL, NULL, false, &single_count);
    check_included (keys, count, single_keys, single_count);
    free (keys);
    free (single_keys);
    ctr_contours_unref (whole);
    ctr_contours_unref (alone);
  }
  free ((void *) single.pixels);
}

void
identities_check (const Identities *identities, const Mask *mask, Random *random)
{
  const uint32_t x = random_below (random, mask->width), y = random_below (random, mask->height);
  const MaskPart part = {x, y, 1 + random_below (random, mask->width - x), 1 + random_below (random, mask->height - y)};
  identities_check_areas (identities, mask);
  identities_check_redrawn (identities, mask);
  identities_check_symmetry (identities, mask, 1 + random_below (random, IDENTITIES_SYMMETRIES - 1));
  identities_check_translation (identities, mask, random_below (random, 70), random_below (random, 70));
  identities_check_inversion (identities, mask);
  identities_check_crop (identities, mask, part);
}

void
identities_check_levels (const Identities *identities, const uint8_t *grey, uint32_t width, uint32_t height)
{
  const CtrImage image = {.data = grey, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
  for (int equal = 0; equal <= 1; equal++)
    FOR_BOTH_CONNECTIVITIES (connectivity)
    {
      uint64_t pixels[256] = {0}, areas2[256] = {0};
      for (size_t i = 0; i < (size_t) width * height; i++)
        for (uint32_t level = equal ? grey[i] : 1; level <= grey[i]; level++)
          pixels[level]++;
      const CtrCracksParams params =
          cracks_params_of (equal ? CTR_LEVELS_EQUAL : CTR_LEVELS_AT_LEAST, connectivity, CTR_IMAGE_BORDER_PAD);
      CtrContours *result = trace_cracks (identities->cracks, &identities->setup, &image, &params);
      const Contours contours = contours_of (result);
      for (uint32_t i = 0; i < contours.info.count; i++) {
        CHECK (contours.table[i].level > 0 && contours.table[i].level < 256);
        areas2[contours.table[i].level] += (uint64_t) contours.table[i].area2;
      }
      for (uint32_t level = 1; level < 256; level++)
        CHECK (areas2[level] == 2 * pixels[level]);
      ctr_contours_unref (result);
    }
}
