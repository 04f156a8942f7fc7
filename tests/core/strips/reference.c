/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/strips/reference.h"

#include "tests/core/common/reference.h"

#include <stdlib.h>
#include <string.h>

/* SEEN: of an open component that has been looked at. */
enum { BACKGROUND, FOREGROUND, SEEN, REPORTED };

void
reference_strips_init (ReferenceStrips *strips, const CtrImage *web, uint32_t max_open_rows)
{
  const size_t pixels = (size_t) web->width * web->height;
  *strips = (ReferenceStrips){.web = web, .max_open_rows = max_open_rows};
  strips->pixels = calloc (pixels, 1);
  strips->queue = malloc (pixels * sizeof *strips->queue);
  strips->unfinished = malloc (pixels * sizeof *strips->unfinished);
}

void
reference_strips_clear (ReferenceStrips *strips)
{
  free (strips->pixels);
  free (strips->queue);
  free (strips->unfinished);
}

typedef struct {
  CtrComponent row;
  CtrComponentMoments moments;
  CtrComponentGrey grey;
  uint32_t bottom;      /* inclusive */
  uint32_t pixel_count; /* of the queue */
} Part;

static void
add_pixel (Part *part, uint64_t x, uint64_t y, uint32_t sample)
{
  CtrComponentGrey *grey = &part->grey;
  part->row.area++;
  part->row.sum_x += x;
  part->row.sum_y += y;
  part->moments.sum_xx += x * x;
  part->moments.sum_xy += x * y;
  part->moments.sum_yy += y * y;
  grey->sum += sample;
  grey->sum_sq += (uint64_t) sample * sample;
  grey->min = (uint16_t) (sample < grey->min ? sample : grey->min);
  grey->max = (uint16_t) (sample > grey->max ? sample : grey->max);
}

/* Puts the pixels that are connected with (X, Y) into the queue, and measures them; y counts from row ORIGIN. */
static Part
visit (ReferenceStrips *strips, uint32_t x, uint32_t y, uint32_t origin, CtrConnectivity connectivity)
{
  const uint32_t width = strips->web->width;
  uint32_t left = x, right = x, count = 0;
  Part part = {.row = {.top = (uint16_t) (y - origin), .start_x = (uint16_t) x}, .grey = {.min = UINT16_MAX}};
  strips->pixels[(size_t) y * width + x] = SEEN;
  strips->queue[count++] = y * width + x;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t px = strips->queue[i] % width, py = strips->queue[i] / width;
    add_pixel (&part, px, py - origin, reference_sample (strips->web, px, py));
    left = px < left ? px : left;
    right = px > right ? px : right;
    part.bottom = py > part.bottom ? py : part.bottom;
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        const int64_t nx = (int64_t) px + dx, ny = (int64_t) py + dy;
        if ((connectivity == CTR_CONNECTIVITY_4 && dx && dy) || nx < 0 || nx >= width || ny < 0 || ny >= strips->end_row
            || strips->pixels[ny * width + nx] != FOREGROUND)
          continue;
        strips->pixels[ny * width + nx] = SEEN;
        strips->queue[count++] = (uint32_t) (ny * width + nx);
      }
  }
  part.pixel_count = count;
  part.row.left = (uint16_t) left;
  part.row.width = (uint16_t) (right - left + 1);
  part.row.height = (uint16_t) (part.bottom - y + 1);
  return part;
}

static void
append (CtrComponents *result, const Part *part)
{
  const uint32_t i = result->count++;
  result->table = realloc ((void *) result->table, result->count * sizeof *result->table);
  result->moments = realloc ((void *) result->moments, result->count * sizeof *result->moments);
  result->grey = realloc ((void *) result->grey, result->count * sizeof *result->grey);
  ((CtrComponent *) result->table)[i] = part->row;
  ((CtrComponentMoments *) result->moments)[i] = part->moments;
  ((CtrComponentGrey *) result->grey)[i] = part->grey;
}

/* Appends the components of the rows so far, unless they touch row LAST and began recently. */
static void
report (ReferenceStrips *strips, CtrComponents *result, int64_t last, const CtrCcaParams *params)
{
  const uint32_t width = strips->web->width;
  for (uint32_t y = 0; y < strips->end_row; y++)
    for (uint32_t x = 0; x < width; x++) {
      if (strips->pixels[(size_t) y * width + x] != FOREGROUND)
        continue;
      Part part = visit (strips, x, y, (uint32_t) result->origin_row, params->connectivity);
      const bool is_open = part.bottom == last, is_old = last + 1 - y > strips->max_open_rows;
      if (is_open && !is_old)
        continue;
      if (part.row.area >= params->min_area && (params->max_area == 0 || part.row.area <= params->max_area)) {
        append (result, &part);
        result->unfinished += is_open;
        strips->unfinished[result->count - 1] = is_open;
      }
      for (uint32_t i = 0; i < part.pixel_count; i++)
        strips->pixels[strips->queue[i]] = REPORTED;
    }
  for (size_t i = 0; i < (size_t) width * strips->end_row; i++)
    if (strips->pixels[i] == SEEN)
      strips->pixels[i] = FOREGROUND;
}

static void
append_rows (ReferenceStrips *strips, uint32_t rows, const CtrForeground *foreground)
{
  const uint32_t width = strips->web->width;
  for (uint32_t y = strips->end_row; y < strips->end_row + rows; y++)
    for (uint32_t x = 0; x < width; x++)
      strips->pixels[(size_t) y * width + x] =
          (reference_sample (strips->web, x, y) >= foreground->threshold) != foreground->invert;
  strips->end_row += rows;
}

CtrComponents *
reference_strips_next (ReferenceStrips *strips, uint32_t height, bool is_cut, const CtrCcaParams *params)
{
  CtrComponents *result = calloc (1, sizeof *result);
  const uint32_t first_row = strips->end_row;
  result->width = strips->web->width;
  result->origin_row = first_row > strips->max_open_rows ? first_row - strips->max_open_rows : 0;
  result->height = (uint32_t) (first_row + height - result->origin_row);
  result->threshold = height ? params->foreground.threshold : 0;
  result->connectivity = params->connectivity;
  result->features = params->features;
  result->table = malloc (sizeof *result->table);
  result->moments = malloc (sizeof *result->moments);
  result->grey = malloc (sizeof *result->grey);
  if (is_cut || height == 0)
    report (strips, result, -1, params);
  append_rows (strips, height, &params->foreground);
  if (height)
    report (strips, result, strips->end_row - 1, params);
  return result;
}
