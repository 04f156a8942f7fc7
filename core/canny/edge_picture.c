/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The edge picture: argument checks, and painting in host memory. */
#include "core/canny/canny.h"

#include "core/common/error.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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
    if (plane->sample_size > 2)
      return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
          "plane %u of the edge picture has samples of %u bytes: they must have 1 or 2", i, plane->sample_size);
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

static inline uint32_t
plane_width (const CtrEdgePlane *plane, uint32_t width)
{
  return ((width - 1) >> plane->x_shift) + 1;
}

static inline uint32_t
plane_height (const CtrEdgePlane *plane, uint32_t height)
{
  return ((height - 1) >> plane->y_shift) + 1;
}

/* Edges of an image: a byte a pixel, or a bit. */
typedef struct {
  const uint8_t *bytes;
  const uint64_t *words; /* NULL: bytes */
  size_t stride;         /* bytes or words from one row to the next */
  uint32_t width, height;
} Edges;

/* As gather_edges(), from words; BEGIN is a multiple of their size. */
static void
gather_bits (const uint64_t *words, size_t stride, uint32_t rows, uint32_t begin, uint32_t width, uint32_t x_shift,
    uint32_t count, uint8_t *edges)
{
  const uint32_t covered = count << x_shift, end = width - begin < covered ? width : begin + covered;
  memset (edges, 0, count);
  for (uint32_t x = begin; x < end; x += 64) {
    uint64_t word = 0;
    for (uint32_t y = 0; y < rows; y++)
      word |= words[y * stride + x / 64];
    for (; word; word &= word - 1)
      edges[(x + (uint32_t) __builtin_ctzll (word) - begin) >> x_shift] = 255;
  }
}

static void
paint_plane (const CtrEdgePlane *plane, const Edges *mask)
{
  enum { PART = 1024 };
  uint8_t gathered[PART];
  const uint32_t columns = plane_width (plane, mask->width), most = 1u << plane->y_shift;
  for (uint32_t y = 0; y < plane_height (plane, mask->height); y++) {
    const uint32_t first = y << plane->y_shift, below = mask->height - first, rows = below < most ? below : most;
    const uint8_t *source = plane->source ? (const uint8_t *) plane->source + y * plane->source_stride : NULL;
    uint8_t *to = (uint8_t *) plane->data + y * plane->stride;
    for (uint32_t x = 0; x < columns; x += PART) {
      const uint32_t count = columns - x < PART ? columns - x : PART, begin = x << plane->x_shift;
      const uint8_t *edges = gathered;
      if (mask->words)
        gather_bits (mask->words + first * mask->stride, mask->stride, rows, begin, mask->width, plane->x_shift, count,
            gathered);
      else if (plane->x_shift > 0 || plane->y_shift > 0)
        gather_edges (mask->bytes + first * mask->stride + begin, mask->stride, rows, mask->width - begin,
            plane->x_shift, count, gathered);
      else
        edges = mask->bytes + first * mask->stride + begin;
      paint_part (plane, edges, count, source ? source + x * plane->pixel_size : NULL, to + x * plane->pixel_size);
    }
  }
}

/* Does the plane look alike with and without edges? */
static bool
is_constant (const CtrEdgePlane *plane)
{
  return !plane->source && memcmp (plane->edge, plane->background, plane->pixel_size) == 0;
}

/* Fills the plane with its background. */
static void
clear_plane (const CtrEdgePlane *plane, uint32_t width, uint32_t height)
{
  const size_t row = (size_t) plane_width (plane, width) * plane->pixel_size;
  uint8_t *first = plane->data;
  if (memcmp (plane->background, plane->background + 1, plane->pixel_size - 1) == 0) {
    for (uint32_t y = 0; y < plane_height (plane, height); y++)
      memset (first + y * plane->stride, plane->background[0], row);
    return;
  }
  for (size_t i = 0; i < row; i++)
    first[i] = plane->background[i % plane->pixel_size];
  for (uint32_t y = 1; y < plane_height (plane, height); y++)
    memcpy (first + y * plane->stride, first, row);
}

void
ctr_edge_picture_paint (
    const CtrEdgePicture *picture, const uint8_t *mask, size_t mask_stride, uint32_t width, uint32_t height)
{
  const Edges edges = {.bytes = mask, .stride = mask_stride, .width = width, .height = height};
  for (uint32_t p = 0; p < picture->plane_count; p++) {
    const CtrEdgePlane *plane = &picture->planes[p];
    if (plane->data == (const void *) mask)
      continue;
    if (is_constant (plane)) {
      clear_plane (plane, width, height);
    } else if (!ctr_edge_plane_is_mask (plane)) {
      paint_plane (plane, &edges);
    } else {
      for (uint32_t y = 0; y < height; y++)
        memcpy ((uint8_t *) plane->data + y * plane->stride, mask + y * mask_stride, width);
    }
  }
}

/* Planes of a byte for each pixel of the image are written whole from bits. */
static bool
is_written_whole (const CtrEdgePlane *plane)
{
  return plane->pixel_size == 1 && plane->x_shift == 0 && plane->y_shift == 0 && !is_constant (plane);
}

void
ctr_edge_picture_clear (const CtrEdgePicture *picture, uint32_t width, uint32_t height)
{
  for (uint32_t p = 0; p < picture->plane_count; p++)
    if (!picture->planes[p].source && !is_written_whole (&picture->planes[p]))
      clear_plane (&picture->planes[p], width, height);
}

#ifdef __SSE2__
/* Writes 16 pixels; BITS has the byte of each. */
static inline void
write_16 (__m128i bits, __m128i on, __m128i off, uint8_t *to)
{
  const __m128i own_bit = _mm_set1_epi64x ((long long) 0x8040201008040201u);
  const __m128i edges = _mm_cmpeq_epi8 (_mm_and_si128 (bits, own_bit), own_bit);
  _mm_storeu_si128 ((__m128i *) to, _mm_xor_si128 (_mm_and_si128 (edges, on), off));
}

/* Writes 64 pixels. */
static inline void
write_word (uint64_t word, uint8_t edge, uint8_t background, uint8_t *to)
{
  const __m128i on = _mm_set1_epi8 ((char) (edge ^ background)), off = _mm_set1_epi8 ((char) background);
  const __m128i bytes = _mm_cvtsi64_si128 ((long long) word), twice = _mm_unpacklo_epi8 (bytes, bytes);
  const __m128i low = _mm_unpacklo_epi16 (twice, twice), high = _mm_unpackhi_epi16 (twice, twice);
  write_16 (_mm_unpacklo_epi32 (low, low), on, off, to);
  write_16 (_mm_unpackhi_epi32 (low, low), on, off, to + 16);
  write_16 (_mm_unpacklo_epi32 (high, high), on, off, to + 32);
  write_16 (_mm_unpackhi_epi32 (high, high), on, off, to + 48);
}
#else
static inline void
write_word (uint64_t word, uint8_t edge, uint8_t background, uint8_t *to)
{
  for (uint32_t x = 0; x < 64; x++)
    to[x] = word >> x & 1 ? edge : background;
}
#endif

/* Writes a plane of a byte for each pixel of the image. */
static void
write_plane (const CtrEdgePlane *plane, const Edges *mask)
{
  const uint8_t edge = plane->edge[0], background = plane->background[0];
  const uint32_t width = mask->width;
  for (uint32_t y = 0; y < mask->height; y++) {
    const uint64_t *words = mask->words + y * mask->stride;
    uint8_t *to = (uint8_t *) plane->data + y * plane->stride;
    uint32_t x = 0;
    for (; x + 64 <= width; x += 64)
      write_word (words[x / 64], edge, background, to + x);
    for (; x < width; x++)
      to[x] = words[x / 64] >> x % 64 & 1 ? edge : background;
  }
}

/* Draws the edges into a plane that has its background already. */
static void
draw_plane (const CtrEdgePlane *plane, const Edges *mask)
{
  const uint32_t most = 1u << plane->y_shift;
  for (uint32_t y = 0; y < plane_height (plane, mask->height); y++) {
    const uint32_t first = y << plane->y_shift, below = mask->height - first;
    const uint64_t *row = mask->words + first * mask->stride;
    uint8_t *to = (uint8_t *) plane->data + y * plane->stride;
    for (uint32_t x = 0; x < mask->width; x += 64) {
      uint64_t word = row[x / 64];
      for (uint32_t i = 1; i < most && i < below; i++)
        word |= row[i * mask->stride + x / 64];
      for (; word; word &= word - 1)
        memcpy (to + (size_t) ((x + (uint32_t) __builtin_ctzll (word)) >> plane->x_shift) * plane->pixel_size,
            plane->edge, plane->pixel_size);
    }
  }
}

void
ctr_edge_picture_draw (
    const CtrEdgePicture *picture, const uint64_t *bits, size_t stride, uint32_t width, uint32_t height)
{
  const Edges edges = {.words = bits, .stride = stride, .width = width, .height = height};
  for (uint32_t p = 0; p < picture->plane_count; p++) {
    const CtrEdgePlane *plane = &picture->planes[p];
    if (plane->source)
      paint_plane (plane, &edges);
    else if (is_written_whole (plane))
      write_plane (plane, &edges);
    else if (!is_constant (plane))
      draw_plane (plane, &edges);
  }
}

/* The greatest value of the pixels that pixel X of a row of PLANE covers. VALUES: its first row of the ROWS that it
 * covers. */
static uint16_t
greatest_value (
    const CtrEdgePlane *plane, const uint16_t *values, size_t stride, uint32_t rows, uint32_t width, uint32_t x)
{
  const uint32_t begin = x << plane->x_shift, most = 1u << plane->x_shift;
  const uint32_t end = width - begin < most ? width : begin + most;
  uint16_t greatest = 0;
  for (uint32_t v = 0; v < rows; v++)
    for (uint32_t u = begin; u < end; u++)
      if (values[v * stride + u] > greatest)
        greatest = values[v * stride + u];
  return greatest;
}

static void
paint_values_row (
    const CtrEdgePlane *plane, const uint16_t *values, size_t stride, uint32_t rows, uint32_t width, uint8_t *to)
{
  const uint32_t columns = plane_width (plane, width), size = plane->pixel_size;
  for (uint32_t x = 0; x < columns; x++, to += size) {
    const uint16_t value = greatest_value (plane, values, stride, rows, width, x);
    for (uint32_t i = 0; i < size; i++)
      to[i] = ctr_edge_plane_blend (plane, i, value);
  }
}

void
ctr_edge_picture_paint_values (const CtrEdgePicture *picture, const uint16_t *values, size_t stride, uint32_t width,
    uint32_t first_row, uint32_t rows)
{
  for (uint32_t p = 0; p < picture->plane_count; p++) {
    const CtrEdgePlane *plane = &picture->planes[p];
    const uint32_t most = 1u << plane->y_shift;
    for (uint32_t y = 0; y < rows; y += most)
      paint_values_row (plane, values + y * stride, stride, rows - y < most ? rows - y : most, width,
          (uint8_t *) plane->data + (size_t) ((first_row + y) >> plane->y_shift) * plane->stride);
  }
}
