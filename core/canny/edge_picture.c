/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The edge picture: argument checks, and painting in host memory. */
#include "core/canny/canny.h"

#include "core/common/error.h"

#include <string.h>

void
ctr_edge_picture_init_mask (CtrEdgePicture *picture, void *data, size_t stride, CtrMemory memory)
{
  *picture = (CtrEdgePicture){
      .planes = {{.data = data, .stride = stride, .pixel_size = 1, .edge = {255}}},
      .plane_count = 1,
      .memory = memory,
  };
}

bool
ctr_edge_picture_check (const CtrEdgePicture *picture, const CtrImage *image, CtrError *error)
{
  if (!picture || picture->plane_count < 1 || picture->plane_count > CTR_EDGE_MAX_PLANES)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "the edge picture must have 1 to %d planes", CTR_EDGE_MAX_PLANES);
  if (picture->memory != CTR_MEMORY_HOST && picture->memory != CTR_MEMORY_DEVICE)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown edge picture memory %d", (int) picture->memory);
  for (uint32_t i = 0; i < picture->plane_count; i++) {
    const CtrEdgePlane *plane = &picture->planes[i];
    if (!plane->data)
      return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "plane %u of the edge picture has no memory", i);
    if (plane->pixel_size < 1 || plane->pixel_size > 4 || plane->x_shift > 2 || plane->y_shift > 2)
      return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
          "plane %u of the edge picture has pixels of %u bytes, shifts %u and %u: they must have 1 to 4 bytes and "
          "shifts 0 to 2",
          i, plane->pixel_size, plane->x_shift, plane->y_shift);
    const size_t row = ((((size_t) image->width - 1) >> plane->x_shift) + 1) * plane->pixel_size;
    if (plane->stride < row || (plane->source && plane->source_stride < row))
      return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
          "plane %u of the edge picture: a stride is shorter than a row of %zu bytes", i, row);
  }
  return true;
}

/* Edges are rare, so pixels are tested in groups of this size. */
#define GROUP 8

static inline bool
no_edges (const uint8_t *mask)
{
  uint64_t group;
  memcpy (&group, mask, sizeof group);
  return group == 0;
}

/* Which of COUNT pixels of a subsampled row cover an edge? MASK has ROWS rows from the first of these pixels on, each
 * with WIDTH pixels to the end of the image. */
static void
gather_edges (
    const uint8_t *mask, size_t stride, uint32_t rows, uint32_t width, uint32_t x_shift, uint32_t count, uint8_t *edges)
{
  memset (edges, 0, count);
  for (uint32_t y = 0; y < rows; y++, mask += stride)
    for (uint32_t begin = 0; begin < width && begin >> x_shift < count; begin += GROUP) {
      const uint32_t end = width - begin < GROUP ? width : begin + GROUP;
      if (end - begin == GROUP && no_edges (mask + begin))
        continue;
      for (uint32_t x = begin; x < end && x >> x_shift < count; x++)
        edges[x >> x_shift] |= mask[x];
    }
}

static inline __attribute__ ((always_inline)) void
paint_pixels (const CtrEdgePlane *plane, uint32_t size, const uint8_t *edges, uint32_t begin, uint32_t end,
    const uint8_t *source, uint8_t *to)
{
  for (uint32_t x = begin; x < end; x++) {
    const uint8_t *colour = !edges[x] ? plane->background : source ? source + x * size : plane->edge;
    for (uint32_t i = 0; i < size; i++)
      to[x * size + i] = colour[i];
  }
}

static inline __attribute__ ((always_inline)) void
paint_row (
    const CtrEdgePlane *plane, uint32_t size, const uint8_t *edges, uint32_t count, const uint8_t *source, uint8_t *to)
{
  uint8_t background[4 * GROUP];
  uint32_t x = 0;
  for (uint32_t i = 0; i < GROUP * size; i++)
    background[i] = plane->background[i % size];
  for (; x + GROUP <= count; x += GROUP)
    if (no_edges (edges + x))
      memcpy (to + x * size, background, GROUP * size);
    else
      paint_pixels (plane, size, edges, x, x + GROUP, source, to);
  paint_pixels (plane, size, edges, x, count, source, to);
}

/* Paints COUNT pixels. Constant pixel sizes give one tight loop each. */
static void
paint_part (const CtrEdgePlane *plane, const uint8_t *edges, uint32_t count, const uint8_t *source, uint8_t *to)
{
  switch (plane->pixel_size) {
    case 1:
      paint_row (plane, 1, edges, count, source, to);
      break;
    case 2:
      paint_row (plane, 2, edges, count, source, to);
      break;
    case 3:
      paint_row (plane, 3, edges, count, source, to);
      break;
    default:
      paint_row (plane, 4, edges, count, source, to);
  }
}

static void
paint_plane (const CtrEdgePlane *plane, const uint8_t *mask, size_t mask_stride, uint32_t width, uint32_t height)
{
  enum { PART = 1024 };
  uint8_t gathered[PART];
  const uint32_t plane_width = ((width - 1) >> plane->x_shift) + 1, plane_height = ((height - 1) >> plane->y_shift) + 1;
  for (uint32_t y = 0; y < plane_height; y++) {
    const uint32_t first = y << plane->y_shift, below = height - first, rows = 1u << plane->y_shift;
    const uint8_t *mask_row = mask + first * mask_stride;
    const uint8_t *source = plane->source ? (const uint8_t *) plane->source + y * plane->source_stride : NULL;
    uint8_t *to = (uint8_t *) plane->data + y * plane->stride;
    for (uint32_t x = 0; x < plane_width; x += PART) {
      const uint32_t count = plane_width - x < PART ? plane_width - x : PART, begin = x << plane->x_shift;
      const uint8_t *edges = mask_row + begin;
      if (plane->x_shift > 0 || plane->y_shift > 0) {
        gather_edges (edges, mask_stride, below < rows ? below : rows, width - begin, plane->x_shift, count, gathered);
        edges = gathered;
      }
      paint_part (plane, edges, count, source ? source + x * plane->pixel_size : NULL, to + x * plane->pixel_size);
    }
  }
}

void
ctr_edge_picture_paint (
    const CtrEdgePicture *picture, const uint8_t *mask, size_t mask_stride, uint32_t width, uint32_t height)
{
  for (uint32_t p = 0; p < picture->plane_count; p++) {
    const CtrEdgePlane *plane = &picture->planes[p];
    if (plane->data == (const void *) mask)
      continue;
    if (!ctr_edge_plane_is_mask (plane)) {
      paint_plane (plane, mask, mask_stride, width, height);
      continue;
    }
    for (uint32_t y = 0; y < height; y++)
      memcpy ((uint8_t *) plane->data + y * plane->stride, mask + y * mask_stride, width);
  }
}
