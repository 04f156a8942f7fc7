/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/cca/reference.h"

#include "tests/core/common/reference.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const CtrImage *image;
  const CtrCcaParams *params;
  uint32_t threshold;
  uint8_t *pending; /* foreground pixels no component has taken yet */
  uint32_t *stack;  /* pixel indices */
} Fill;

/* Takes the component of pixel (X, Y) off the pending ones; LABELS, where given, receive LABEL. */
static void
fill (Fill *f, uint32_t x, uint32_t y, uint32_t label, uint32_t *labels, CtrComponent *c, CtrComponentMoments *m,
    CtrComponentGrey *g)
{
  const uint32_t width = f->image->width, height = f->image->height;
  uint32_t right = x, bottom = y, depth = 0;
  *c = (CtrComponent){.left = (uint16_t) x, .top = (uint16_t) y, .start_x = (uint16_t) x};
  if (f->params->mode == CTR_COMPONENTS_EQUAL)
    c->value = (uint16_t) reference_sample (f->image, x, y);
  *m = (CtrComponentMoments){0};
  *g = (CtrComponentGrey){.min = UINT16_MAX};
  f->pending[(size_t) y * width + x] = 0;
  f->stack[depth++] = y * width + x;
  while (depth > 0) {
    const uint32_t at = f->stack[--depth];
    const uint64_t px = at % width, py = at / width;
    const uint32_t sample = reference_sample (f->image, (uint32_t) px, (uint32_t) py);
    labels[at] = label;
    c->area++;
    c->sum_x += px;
    c->sum_y += py;
    m->sum_xx += px * px;
    m->sum_xy += px * py;
    m->sum_yy += py * py;
    g->sum += sample;
    g->sum_sq += (uint64_t) sample * sample;
    g->min = (uint16_t) (sample < g->min ? sample : g->min);
    g->max = (uint16_t) (sample > g->max ? sample : g->max);
    c->left = (uint16_t) (px < c->left ? px : c->left);
    right = px > right ? (uint32_t) px : right;
    bottom = py > bottom ? (uint32_t) py : bottom;
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        const int64_t nx = (int64_t) px + dx, ny = (int64_t) py + dy;
        if (f->params->connectivity == CTR_CONNECTIVITY_4 && dx && dy)
          continue;
        if (nx < 0 || ny < 0 || nx >= width || ny >= height || !f->pending[ny * width + nx])
          continue;
        if (f->params->mode == CTR_COMPONENTS_EQUAL
            && reference_sample (f->image, (uint32_t) nx, (uint32_t) ny) != c->value)
          continue;
        f->pending[ny * width + nx] = 0;
        f->stack[depth++] = (uint32_t) (ny * width + nx);
      }
  }
  c->width = (uint16_t) (right - c->left + 1);
  c->height = (uint16_t) (bottom - c->top + 1);
}

/* The pixels that are not pending, when none has been taken. */
static CtrComponent
measure_background (const Fill *f)
{
  CtrComponent b = {0};
  uint32_t right = 0, bottom = 0;
  for (uint32_t y = 0; y < f->image->height; y++)
    for (uint32_t x = 0; x < f->image->width; x++) {
      if (f->pending[(size_t) y * f->image->width + x])
        continue;
      if (b.area == 0) {
        b.left = b.start_x = (uint16_t) x;
        b.top = (uint16_t) y;
      }
      b.area++;
      b.sum_x += x;
      b.sum_y += y;
      b.left = (uint16_t) (x < b.left ? x : b.left);
      right = x > right ? x : right;
      bottom = y;
    }
  if (b.area) {
    b.width = (uint16_t) (right - b.left + 1);
    b.height = (uint16_t) (bottom - b.top + 1);
  }
  if (f->params->mode == CTR_COMPONENTS_EQUAL && f->params->background >= 0)
    b.value = (uint16_t) f->params->background;
  return b;
}

static int
compare_samples (const void *a, const void *b)
{
  return *(const uint16_t *) a - *(const uint16_t *) b;
}

CtrComponentPercentiles *
reference_percentiles (
    const CtrImage *image, const CtrRegion *part, const CtrComponent *table, uint32_t count, const uint32_t *labels)
{
  const size_t pixels = (size_t) part->width * part->height;
  CtrComponentPercentiles *percentiles = calloc (count + 1, sizeof *percentiles);
  uint16_t *samples = malloc ((pixels + 1) * sizeof *samples), **ends = malloc ((count + 1) * sizeof *ends);
  ends[0] = samples;
  for (uint32_t i = 0; i < count; i++)
    ends[i + 1] = ends[i] + table[i].area;
  for (size_t i = 0; i < pixels; i++)
    if (labels[i])
      *ends[labels[i] - 1]++ = (uint16_t) reference_sample (
          image, part->x + (uint32_t) (i % part->width), part->y + (uint32_t) (i / part->width));
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t last = table[i].area - 1;
    uint16_t *of = ends[i] - table[i].area;
    qsort (of, table[i].area, sizeof *of, compare_samples);
    percentiles[i] = (CtrComponentPercentiles){.p5 = of[last * 5 / 100],
        .p25 = of[last * 25 / 100],
        .median = of[last * 50 / 100],
        .p75 = of[last * 75 / 100],
        .p95 = of[last * 95 / 100]};
  }
  free (samples);
  free (ends);
  return percentiles;
}

/* Has pixel X, Y, which may lie outside of the image, another label than LABEL? */
static bool
is_other (const uint32_t *labels, uint32_t width, uint32_t height, int64_t x, int64_t y, uint32_t label)
{
  return x < 0 || y < 0 || x >= width || y >= height || labels[(size_t) y * width + (size_t) x] != label;
}

/* The squared distance of a pixel of the component LABEL, or some number up to ENOUGH if it is not greater than that. */
static uint32_t
reference_distance (
    const uint32_t *labels, uint32_t width, uint32_t height, int64_t x, int64_t y, uint32_t label, uint64_t enough)
{
  int64_t straight = 1;
  while (!is_other (labels, width, height, x - straight, y, label)
         && !is_other (labels, width, height, x + straight, y, label)
         && !is_other (labels, width, height, x, y - straight, label)
         && !is_other (labels, width, height, x, y + straight, label))
    straight++;
  int64_t found = straight * straight;
  for (int64_t d = 1; d * d < found && found > (int64_t) enough; d++)
    for (int64_t along = -d; along <= d; along++)
      if (d * d + along * along < found
          && (is_other (labels, width, height, x + along, y - d, label)
              || is_other (labels, width, height, x + along, y + d, label)
              || is_other (labels, width, height, x - d, y + along, label)
              || is_other (labels, width, height, x + d, y + along, label)))
        found = d * d + along * along;
  return (uint32_t) found;
}

CtrComponentInscribed *
reference_inscribed (uint32_t width, uint32_t height, uint32_t count, const uint32_t *labels)
{
  CtrComponentInscribed *inscribed = calloc (count + 1, sizeof *inscribed);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      const uint32_t label = labels[(size_t) y * width + x];
      if (!label)
        continue;
      CtrComponentInscribed *best = &inscribed[label - 1];
      const uint32_t distance = reference_distance (labels, width, height, x, y, label, best->radius_sq);
      if (distance > best->radius_sq)
        *best = (CtrComponentInscribed){distance, (uint16_t) x, (uint16_t) y};
    }
  return inscribed;
}

/* Does pass 1 or 2 remove a pixel with these neighbours, P2 to P9 of the paper: clockwise from the north? */
static bool
is_removed (const bool p[8], int pass)
{
  /* What scikit-image has otherwise than the paper: which passes remove such a pixel, 3: both. */
  static const struct {
    const char *neighbours;
    int passes;
  } others[] = {{"#......#", 1}, {"##......", 1}, {"#.#.....", 3}, {"#.#....#", 1}, {".##.....", 1}, {"###.....", 1},
      {"..##....", 2}, {"#.##....", 2}, {"..#.#...", 3}, {"...##...", 0}, {"..###...", 2}, {"....##..", 2},
      {"..#.##..", 2}, {".##.##..", 2}, {"......##", 0}, {"#.....#.", 3}, {"#.....##", 1}, {"##....#.", 1},
      {"....#.#.", 3}, {"....#.##", 1}, {"...##.#.", 2}, {".....##.", 2}, {"#....##.", 1}, {"##...##.", 1},
      {"....###.", 2}};
  char text[9] = "";
  int neighbours = 0, changes = 0;
  for (int i = 0; i < 8; i++) {
    text[i] = p[i] ? '#' : '.';
    neighbours += p[i];
    changes += !p[i] && p[(i + 1) % 8];
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp (others[i].neighbours, text) == 0)
      return others[i].passes & pass;
  const bool north = p[0], east = p[2], south = p[4], west = p[6];
  return neighbours >= 2 && neighbours <= 6 && changes == 1
         && (pass == 1 ? !(north && east && south) && !(east && south && west)
                       : !(north && east && west) && !(north && south && west));
}

/* Removes the pixels of a mask, whose border is empty, with the neighbourhoods REMOVED. Are there any? NEXT: room for a mask. */
static bool
reference_pass (bool *mask, bool *next, uint32_t width, uint32_t height, const bool removed[256])
{
  static const int dx[8] = {0, 1, 1, 1, 0, -1, -1, -1}, dy[8] = {-1, -1, 0, 1, 1, 1, 0, -1};
  bool some = false;
  memcpy (next, mask, (size_t) width * height);
  for (uint32_t y = 1; y + 1 < height; y++)
    for (uint32_t x = 1; x + 1 < width; x++) {
      const bool *pixel = mask + (size_t) y * width + x;
      int around = 0;
      if (!*pixel)
        continue;
      for (int i = 0; i < 8; i++)
        around |= pixel[dy[i] * (int64_t) width + dx[i]] << i;
      if (removed[around]) {
        next[pixel - mask] = false;
        some = true;
      }
    }
  memcpy (mask, next, (size_t) width * height);
  return some;
}

/* The square root of SQUARE, rounded to the nearest 1/65536, in these: bit by bit. */
static uint64_t
reference_root (uint64_t square)
{
  uint64_t root = 0;
  for (uint64_t bit = UINT64_C (1) << 31; bit; bit /= 2)
    if ((root + bit) * (root + bit) <= 4 * (square << 32))
      root += bit;
  return (root + 1) / 2;
}

static CtrComponentSkeleton
reference_skeleton (const uint32_t *labels, uint32_t width, uint32_t height, const CtrComponent *c, uint32_t label,
    bool removed[2][256])
{
  const uint32_t wide = c->width + 2u, high = c->height + 2u;
  bool *mask = calloc (wide, high), *next = malloc ((size_t) wide * high);
  CtrComponentSkeleton skeleton = {0};
  for (uint32_t y = 0; y < c->height; y++)
    for (uint32_t x = 0; x < c->width; x++)
      mask[(y + 1) * wide + x + 1] = labels[(size_t) (c->top + y) * width + c->left + x] == label;
  for (bool some = true; some;) {
    some = reference_pass (mask, next, wide, high, removed[0]);
    some |= reference_pass (mask, next, wide, high, removed[1]);
  }
  for (uint32_t y = 1; y + 1 < high; y++)
    for (uint32_t x = 1; x + 1 < wide; x++) {
      const bool *here = mask + (size_t) y * wide + x, *below = here + wide;
      if (!*here)
        continue;
      skeleton.pixels++;
      skeleton.straight += here[1] + below[0];
      skeleton.diagonal += (below[1] && !here[1] && !below[0]) + (below[-1] && !here[-1] && !below[0]);
      skeleton.distance_sum +=
          reference_root (reference_distance (labels, width, height, c->left + x - 1, c->top + y - 1, label, 0));
    }
  free (mask);
  free (next);
  return skeleton;
}

CtrComponentSkeleton *
reference_skeletons (uint32_t width, uint32_t height, const CtrComponent *table, uint32_t count, const uint32_t *labels)
{
  CtrComponentSkeleton *skeletons = calloc (count + 1, sizeof *skeletons);
  bool removed[2][256];
  for (int around = 0; around < 256; around++) {
    bool p[8];
    for (int i = 0; i < 8; i++)
      p[i] = around >> i & 1;
    removed[0][around] = is_removed (p, 1);
    removed[1][around] = is_removed (p, 2);
  }
  for (uint32_t i = 0; i < count; i++)
    skeletons[i] = reference_skeleton (labels, width, height, &table[i], i + 1, removed);
  return skeletons;
}

/* In whose ring is a pixel? By all pixels around it. */
static uint32_t
reference_ring (const uint32_t *labels, const CtrRegion *part, int64_t x, int64_t y, int64_t ring)
{
  int64_t nearest = ring * ring + 1;
  uint32_t found = 0;
  for (int64_t v = y - ring; v <= y + ring; v++)
    for (int64_t u = x - ring; u <= x + ring; u++) {
      const int64_t distance = (u - x) * (u - x) + (v - y) * (v - y);
      if (u < 0 || v < 0 || u >= part->width || v >= part->height || distance > ring * ring)
        continue;
      const uint32_t label = labels[v * part->width + u];
      if (label && (distance < nearest || (distance == nearest && label < found))) {
        nearest = distance;
        found = label;
      }
    }
  return found;
}

CtrComponentContrast *
reference_contrast (
    const CtrImage *image, const CtrRegion *part, uint32_t count, const uint32_t *labels, uint32_t ring_width)
{
  CtrComponentContrast *contrast = calloc (count + 1, sizeof *contrast);
  for (uint32_t y = 0; y < part->height; y++)
    for (uint32_t x = 0; x < part->width; x++) {
      const uint32_t own = labels[(size_t) y * part->width + x],
                     label = own ? 0 : reference_ring (labels, part, x, y, ring_width);
      if (!label)
        continue;
      contrast[label - 1].ring_sum += reference_sample (image, part->x + x, part->y + y);
      contrast[label - 1].ring_area++;
    }
  return contrast;
}

CtrComponents *
reference_cca (const CtrImage *image, const CtrCcaParams *params)
{
  const uint32_t width = image->width, height = image->height;
  const size_t pixels = (size_t) width * height;
  Fill f = {.image = image, .params = params, .threshold = params->foreground.threshold};
  const bool equal = params->mode == CTR_COMPONENTS_EQUAL;
  if (equal)
    f.threshold = 0;
  else if (params->foreground.mode == CTR_THRESHOLD_OTSU)
    f.threshold = reference_otsu (image);
  f.pending = malloc (pixels);
  f.stack = malloc (pixels * sizeof *f.stack);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      const uint32_t sample = reference_sample (image, x, y);
      f.pending[(size_t) y * width + x] =
          equal ? (int64_t) sample != params->background : (sample >= f.threshold) != params->foreground.invert;
    }
  const CtrComponent background = measure_background (&f);

  size_t capacity = 16;
  uint32_t found = 0, kept = 0;
  CtrComponent *table = malloc (capacity * sizeof *table);
  CtrComponentMoments *moments = malloc (capacity * sizeof *moments);
  CtrComponentGrey *grey = malloc (capacity * sizeof *grey);
  uint32_t *number = malloc (capacity * sizeof *number); /* in the result, by order of finding, from 1 */
  uint32_t *labels = calloc (pixels, sizeof *labels);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      if (!f.pending[(size_t) y * width + x])
        continue;
      if (found + 2 > capacity) {
        capacity *= 2;
        table = realloc (table, capacity * sizeof *table);
        moments = realloc (moments, capacity * sizeof *moments);
        grey = realloc (grey, capacity * sizeof *grey);
        number = realloc (number, capacity * sizeof *number);
      }
      fill (&f, x, y, ++found, labels, table + kept, moments + kept, grey + kept);
      const uint32_t area = table[kept].area;
      const bool keep = area >= params->min_area && (params->max_area == 0 || area <= params->max_area);
      number[found] = keep ? ++kept : 0;
    }
  for (size_t i = 0; i < pixels; i++)
    if (labels[i])
      labels[i] = number[labels[i]];
  free (f.pending);
  free (f.stack);
  free (number);

  CtrComponents *components = calloc (1, sizeof *components);
  components->width = width;
  components->height = height;
  components->count = kept;
  components->threshold = f.threshold;
  components->connectivity = params->connectivity;
  components->features = params->features | (equal ? CTR_FEATURE_VALUES : 0);
  components->background = background;
  components->table = table;
  components->moments = moments;
  components->grey = grey;
  components->labels = labels;
  components->percentiles =
      reference_percentiles (image, &(CtrRegion){.width = width, .height = height}, table, kept, labels);
  if (params->features & CTR_FEATURE_INSCRIBED)
    components->inscribed = reference_inscribed (width, height, kept, labels);
  if (params->features & CTR_FEATURE_CONTRAST)
    components->contrast =
        reference_contrast (image, &(CtrRegion){.width = width, .height = height}, kept, labels, params->ring_width);
  if (params->features & CTR_FEATURE_SKELETON)
    components->skeleton = reference_skeletons (width, height, table, kept, labels);
  return components;
}

void
reference_components_free (CtrComponents *components)
{
  free ((void *) components->table);
  free ((void *) components->moments);
  free ((void *) components->grey);
  free ((void *) components->percentiles);
  free ((void *) components->inscribed);
  free ((void *) components->contrast);
  free ((void *) components->skeleton);
  free ((void *) components->labels);
  free (components);
}
