/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows on both sides of a seam: their samples, their contours, and how these and those of the strip are joined. */
#include "core/common/error.h"
#include "core/common/poll.h"
#include "core/results/contourlist.h"
#include "core/strips/contourstrips.h"
#include "cpu/common/luma.h"
#include "cpu/common/runs.h"

#include <string.h>

bool
ctr_strips_fail (const CtrStrips *strips, CtrError *error)
{
  return ctr_go_on (error)
         && ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the open contours of a web %u pixels wide",
             strips->web.width);
}

static bool
make_room (CtrStrips *strips)
{
  CtrSeamRows *rows = &strips->rows;
  const size_t width = strips->web.width;
  const bool wide = strips->kind->coordinates == CTR_COORDINATES_CORNERS && strips->format == CTR_FORMAT_GRAY16;
  rows->format = wide ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8;
  rows->stride = width << wide;
  return ctr_host_buffer_reserve (&rows->samples, 2 * CTR_SEAM_ROWS, rows->stride)
         && ctr_host_buffer_reserve (&rows->row, 1, width + CTR_ROW_WORDS (width) * sizeof (uint64_t));
}

/* Borders: pixels are 0, or 255 for the foreground of their strip. */
static void
write_foreground (CtrStrips *strips, const CtrForeground *foreground, const void *samples, uint8_t *to)
{
  const uint32_t width = strips->web.width;
  uint64_t *bits = strips->rows.row.data;
  if (strips->format == CTR_FORMAT_GRAY16)
    ctr_pack_row_16 (samples, width, foreground->threshold, foreground->invert, bits);
  else
    ctr_pack_row_8 (samples, width, foreground->threshold, foreground->invert, bits);
  for (uint32_t x = 0; x < width; x++)
    to[x] = bits[x / 64] >> x % 64 & 1 ? 255 : 0;
}

/* Appends COUNT rows of the strip. */
static void
append_rows (CtrStrips *strips, const CtrForeground *foreground, const uint8_t *from, uint32_t count)
{
  CtrSeamRows *rows = &strips->rows;
  const size_t stride = strips->web.width * ctr_format_pixel_size (strips->format);
  uint8_t *luma = (uint8_t *) rows->row.data + CTR_ROW_WORDS ((size_t) strips->web.width) * sizeof (uint64_t);
  for (uint32_t i = 0; i < count; i++) {
    const void *samples = from + i * stride;
    uint8_t *to = (uint8_t *) rows->samples.data + rows->count++ * rows->stride;
    if (ctr_format_is_packed (strips->format)) {
      ctr_luma_row (strips->format, samples, strips->web.width, luma);
      samples = luma;
    }
    if (strips->kind->coordinates == CTR_COORDINATES_PIXELS)
      write_foreground (strips, foreground, samples, to);
    else
      memcpy (to, samples, rows->stride);
  }
}

/* Leaves the last rows only. */
static void
keep_last_rows (CtrStrips *strips, uint32_t count)
{
  CtrSeamRows *rows = &strips->rows;
  if (rows->count <= count)
    return;
  uint8_t *samples = rows->samples.data;
  memmove (samples, samples + (rows->count - count) * rows->stride, count * rows->stride);
  rows->count = count;
}

/* Analyses the rows at hand, the last of which is the one before row END, and joins their contours. */
static bool
join_rows (CtrStrips *strips, const CtrStripLane *lane, uint64_t end, uint64_t end_owned, CtrError *error)
{
  const CtrSeamRows *rows = &strips->rows;
  if (end_owned <= strips->stitcher.seam)
    return true;
  const CtrImage image = {.data = rows->samples.data,
      .stride = rows->stride,
      .width = strips->web.width,
      .height = rows->count,
      .format = rows->format,
      .memory = CTR_MEMORY_HOST};
  CtrInput *input = ctr_input_set_current (NULL);
  CtrContours *contours = strips->kind->analyse (strips->seam_analyser, lane, &image, error);
  ctr_input_set_current (input);
  if (!contours)
    return false;
  const CtrWindow window = {
      .table = ctr_contours_map_table (contours, error),
      .points = ctr_contours_map_points (contours, error),
      .count = contours->count,
      .row = end - rows->count,
      .first_owned = strips->stitcher.seam,
      .end_owned = end_owned,
  };
  const bool ok = ctr_stitcher_add (&strips->stitcher, &window, true) || ctr_strips_fail (strips, error);
  ctr_contours_unref (contours);
  return ok;
}

/* The first edge_count rows of the strip, then its last ones. */
static const uint8_t *
edges_of (CtrStripLane *lane, CtrError *error)
{
#ifdef CTR_HAVE_CUDA
  if (lane->edges_on_device)
    return ctr_edge_rows_ops_cuda.wait (lane->edge_reader, error);
#endif
  return lane->edges.data;
}

static bool
join_seam (
    CtrStrips *strips, CtrStripLane *lane, const CtrForeground *foreground, const uint8_t *edges, CtrError *error)
{
  const uint32_t count = lane->edge_count;
  const size_t bytes = count * strips->web.width * ctr_format_pixel_size (strips->format);
  const bool first = strips->rows.count == 0;
  append_rows (strips, foreground, edges, count);
  if (!first && !join_rows (strips, lane, lane->row + count, lane->row + count - strips->kind->lag, error))
    return false;
  if (lane->image.height > count) {
    strips->rows.count = 0;
    append_rows (strips, foreground, edges + bytes, count);
  }
  keep_last_rows (strips, strips->kind->seam_rows);
  return true;
}

/* What is open ends above the strip LANE, as above background. */
static bool
end_above (CtrStrips *strips, const CtrStripLane *lane, CtrError *error)
{
  if (strips->rows.count > 0 && !join_rows (strips, lane, lane->row, lane->row + 1 - strips->kind->lag, error))
    return false;
  strips->rows.count = 0;
  strips->stitcher.seam = lane->row;
  return true;
}

/* The strip counts as background. */
static CtrContours *
skip_strip (CtrStrips *strips, CtrStripLane *lane, const CtrContours *inside, const CtrContours *info, CtrError *error)
{
  CtrContours skipped = *info;
  skipped.exceeded = inside->exceeded;
  skipped.needed = inside->needed;
  const CtrWindow none = {0};
  if (!end_above (strips, lane, error))
    return NULL;
  strips->stitcher.seam += lane->image.height;
  return ctr_strips_assemble (strips, lane, NULL, &none, NULL, &skipped, error);
}

/* Joins what the strip's own analysis has found. */
static CtrContours *
join_inside (CtrStrips *strips, CtrStripLane *lane, CtrContours *inside, const CtrContours *info, CtrError *error)
{
  const uint64_t end = lane->row + lane->image.height - strips->kind->lag;
  const CtrWindow window = {
      .table = ctr_contours_map_table (inside, error),
      .points = ctr_contours_map_points (inside, error),
      .count = inside->count,
      .row = lane->row,
      .first_owned = strips->stitcher.seam,
      .end_owned = end,
  };
  const bool with_sums = inside->features & CTR_CONTOUR_FEATURE_MOMENTS;
  const CtrContourSums *sums = with_sums ? ctr_contours_map_sums (inside, error) : NULL;
  if (!window.table || !window.points || (with_sums && !sums))
    return NULL;
  const bool owns = end > strips->stitcher.seam;
  if ((owns && !ctr_stitcher_add (&strips->stitcher, &window, false))
      || !ctr_stitcher_give_up (&strips->stitcher, ctr_web_origin (&strips->web, lane->row + lane->image.height))) {
    ctr_strips_fail (strips, error);
    return NULL;
  }
  return ctr_strips_assemble (strips, lane, owns ? inside : NULL, &window, sums, info, error);
}

static CtrContours
describe (const CtrStrips *strips, const CtrStripLane *lane, uint64_t end)
{
  return (CtrContours){
      .width = strips->web.width,
      .height = (uint32_t) (end - lane->origin_row),
      .threshold = strips->threshold,
      .coordinates = strips->kind->coordinates,
      .features = lane->plan.features,
      .connectivity = lane->plan.connectivity,
      .origin_row = lane->origin_row,
  };
}

CtrContours *
ctr_strips_join (CtrStrips *strips, CtrStripLane *lane, CtrContours *inside, CtrError *error)
{
  const CtrForeground foreground = {
      .mode = CTR_THRESHOLD_FIXED, .threshold = inside->threshold, .invert = lane->plan.foreground.invert};
  strips->threshold = inside->threshold;
  const CtrContours info = describe (strips, lane, lane->row + lane->image.height);
  strips->stitcher.kind = lane->kind;
  ctr_stitcher_take (&strips->stitcher);
  const uint8_t *edges = edges_of (lane, error);
  if (!edges)
    return NULL;
  if (!make_room (strips)) {
    ctr_strips_fail (strips, error);
    return NULL;
  }
  if (lane->cut && !end_above (strips, lane, error))
    return NULL;
  if (inside->exceeded != CTR_LIMIT_NONE)
    return skip_strip (strips, lane, inside, &info, error);
  if (!join_seam (strips, lane, &foreground, edges, error))
    return NULL;
  return join_inside (strips, lane, inside, &info, error);
}

CtrContours *
ctr_strips_join_end (CtrStrips *strips, CtrStripLane *lane, CtrError *error)
{
  const CtrContours info = describe (strips, lane, lane->row);
  const CtrWindow none = {0};
  ctr_stitcher_take (&strips->stitcher);
  if (!end_above (strips, lane, error))
    return NULL;
  return ctr_strips_assemble (strips, lane, NULL, &none, NULL, &info, error);
}
