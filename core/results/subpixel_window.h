/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sums of ctr_subpixel_derive_within() of bytes, for the weights of CTR_SUBPIXEL_SIGMA, in a fraction of the instructions.
 * Internal; included by subpixel.h.
 *
 * The samples are loaded by words of a row. If the axis is a column, a row has the samples across the axis at one place; otherwise
 * the samples at four places are transposed. An instruction then adds up two products of a weight and a byte. Places are counted in
 * the direction of rows and columns. Against it, the first derivative along the axis has the other sign. */
#ifndef CTR_CORE_RESULTS_SUBPIXEL_WINDOW_H
#define CTR_CORE_RESULTS_SUBPIXEL_WINDOW_H

#include <string.h>

enum {
  CTR_SUBPIXEL_ACROSS = 2 * CTR_SUBPIXEL_USUAL_RADIUS + 1,                       /* samples at a place */
  CTR_SUBPIXEL_ALONG = 2 * (CTR_SUBPIXEL_USUAL_RADIUS + CTR_SUBPIXEL_REACH) + 1, /* places */
  CTR_SUBPIXEL_ROOM = 3 /* bytes of the same row on either side of the window that words may have */
};

/* The word of an ADDRESS that is a multiple of 4. */
CTR_SUBPIXEL_RULE uint32_t
ctr_subpixel_word (const uint8_t *address)
{
#ifdef __CUDA_ARCH__
  return *(const uint32_t *) address;
#else
  uint32_t word;
  memcpy (&word, address, sizeof word);
  return word;
#endif
}

/* Loads COUNT words from ODD bytes behind a multiple of 4, FROM, on. The last one has a byte, and others above it. */
CTR_SUBPIXEL_RULE void
ctr_subpixel_load_words (const uint8_t *from, uint32_t odd, int count, uint32_t *words)
{
  uint32_t word = ctr_subpixel_word (from);
  CTR_SUBPIXEL_UNROLL
  for (int i = 0; i < count; i++) {
    const uint32_t next = i + 1 < count ? ctr_subpixel_word (from + 4 * (i + 1)) : 0;
    words[i] = (uint32_t) (((uint64_t) next << 32 | word) >> 8 * odd);
    word = next;
  }
}

/* SUM and the products of two signed halves of WEIGHTS with the bytes FIRST, 0 or 2, and FIRST + 1 of SAMPLES. */
CTR_SUBPIXEL_RULE int32_t
ctr_subpixel_add_two (uint32_t weights, uint32_t samples, int first, int32_t sum)
{
#if defined __NVCC__ && defined __CUDA_ARCH__
  int32_t result;
  if (first == 0)
    asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(weights), "r"(samples), "r"(sum));
  else
    asm("dp2a.hi.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(weights), "r"(samples), "r"(sum));
  return result;
#else
  return sum + (int16_t) weights * (int32_t) (samples >> 8 * first & 0xff)
         + (int16_t) (weights >> 16) * (int32_t) (samples >> 8 * (first + 1) & 0xff);
#endif
}

/* The weighted sum of the samples at a place: PAIRS, those of the rule. */
CTR_SUBPIXEL_RULE int32_t
ctr_subpixel_add_place (const uint32_t pairs[CTR_SUBPIXEL_PAIRS], const uint32_t samples[3])
{
  int32_t sum = ctr_subpixel_add_two (pairs[0], samples[0], 0, 0);
  sum = ctr_subpixel_add_two (pairs[1], samples[0], 2, sum);
  sum = ctr_subpixel_add_two (pairs[2], samples[1], 0, sum);
  sum = ctr_subpixel_add_two (pairs[3], samples[1], 2, sum);
  return ctr_subpixel_add_two (pairs[4], samples[2], 0, sum);
}

/* Transposes the bytes of four words. */
CTR_SUBPIXEL_RULE void
ctr_subpixel_transpose (const uint32_t rows[4], uint32_t columns[4])
{
#ifdef __CUDA_ARCH__
  const uint32_t a = __byte_perm (rows[0], rows[1], 0x5140), b = __byte_perm (rows[2], rows[3], 0x5140),
                 c = __byte_perm (rows[0], rows[1], 0x7362), d = __byte_perm (rows[2], rows[3], 0x7362);
  columns[0] = __byte_perm (a, b, 0x5410);
  columns[1] = __byte_perm (a, b, 0x7632);
  columns[2] = __byte_perm (c, d, 0x5410);
  columns[3] = __byte_perm (c, d, 0x7632);
#else
  for (int i = 0; i < 4; i++)
    columns[i] = (rows[0] >> 8 * i & 0xff) | (rows[1] >> 8 * i & 0xff) << 8 | (rows[2] >> 8 * i & 0xff) << 16
                 | (rows[3] >> 8 * i & 0xff) << 24;
#endif
}

/* As ctr_subpixel_derive_within(), if the plane has bytes and a stride of a multiple of 4, the radius is CTR_SUBPIXEL_USUAL_RADIUS, and
 * the window and CTR_SUBPIXEL_ROOM lie in the image. */
CTR_SUBPIXEL_RULE void
ctr_subpixel_derive_bytes (const CtrSubpixelRule *rule, const CtrSubpixelPlane *plane, CtrPoint point, int32_t ax,
    int32_t ay, CtrSubpixelSums sums[CTR_SUBPIXEL_PLACES])
{
  enum { ROW_WORDS = (CTR_SUBPIXEL_ALONG + 3) / 4, WORDS = CTR_SUBPIXEL_ALONG * 3 };
  const int32_t radius = CTR_SUBPIXEL_USUAL_RADIUS, reach = radius + CTR_SUBPIXEL_REACH;
  uint32_t window[WORDS]; /* three words of each row if the axis is a column, otherwise four */
  const uint8_t *row =
      plane->data + (size_t) (point.y - (ay ? reach : radius)) * plane->stride + (point.x - (ay ? radius : reach));
  const uint32_t odd = (uint32_t) ((uintptr_t) row & 3);
  row -= odd;
  if (ay) {
    CTR_SUBPIXEL_UNROLL
    for (int i = 0; i < CTR_SUBPIXEL_ALONG; i++, row += plane->stride)
      ctr_subpixel_load_words (row, odd, 3, &window[3 * i]);
  } else {
    CTR_SUBPIXEL_UNROLL
    for (int i = 0; i < CTR_SUBPIXEL_ACROSS; i++, row += plane->stride)
      ctr_subpixel_load_words (row, odd, ROW_WORDS, &window[ROW_WORDS * i]);
  }
  CTR_SUBPIXEL_UNROLL
  for (int k = 0; k < CTR_SUBPIXEL_PLACES; k++) {
    const CtrSubpixelSums none = {0, 0, 0, 0, 0};
    sums[k] = none;
  }
  CTR_SUBPIXEL_UNROLL
  for (int group = 0; group < ROW_WORDS; group++) {
    uint32_t columns[2][4], places[4][3];
    if (ay) {
      CTR_SUBPIXEL_UNROLL
      for (int i = 0; i < 4 && 4 * group + i < CTR_SUBPIXEL_ALONG; i++) {
        CTR_SUBPIXEL_UNROLL
        for (int k = 0; k < 3; k++)
          places[i][k] = window[3 * (4 * group + i) + k];
      }
    } else {
      CTR_SUBPIXEL_UNROLL
      for (int half = 0; half < 2; half++) {
        uint32_t rows[4];
        CTR_SUBPIXEL_UNROLL
        for (int i = 0; i < 4; i++)
          rows[i] = window[ROW_WORDS * (4 * half + i) + group];
        ctr_subpixel_transpose (rows, columns[half]);
      }
      CTR_SUBPIXEL_UNROLL
      for (int i = 0; i < 4; i++) {
        places[i][0] = columns[0][i];
        places[i][1] = columns[1][i];
        places[i][2] = window[ROW_WORDS * 8 + group] >> 8 * i;
      }
    }
    CTR_SUBPIXEL_UNROLL
    for (int i = 0; i < 4; i++) {
      const int c = 4 * group + i - reach;
      if (c > reach)
        continue;
      const int32_t smooth = ctr_subpixel_add_place (rule->pairs[0], places[i]),
                    slope = ctr_subpixel_add_place (rule->pairs[1], places[i]),
                    bend = ctr_subpixel_add_place (rule->pairs[2], places[i]);
      CTR_SUBPIXEL_UNROLL
      for (int k = 0; k < CTR_SUBPIXEL_PLACES; k++) {
        const int from = c - (k - CTR_SUBPIXEL_REACH), distance = from < 0 ? -from : from;
        if (distance > CTR_SUBPIXEL_USUAL_RADIUS)
          continue;
        const int64_t d = rule->along[from < 0][distance], g = rule->along[2][distance], gg = rule->along[3][distance];
        sums[k].a += d * smooth;
        sums[k].b += g * slope;
        sums[k].aa += gg * smooth;
        sums[k].ab += d * slope;
        sums[k].bb += g * bend;
      }
    }
  }
  if (ax + ay > 0)
    return;
  CTR_SUBPIXEL_UNROLL
  for (int k = 0; k <= CTR_SUBPIXEL_REACH; k++) {
    const CtrSubpixelSums first = sums[k], last = sums[CTR_SUBPIXEL_PLACES - 1 - k];
    const CtrSubpixelSums swapped[2] = {
        {-last.a, last.b, last.aa, -last.ab, last.bb}, {-first.a, first.b, first.aa, -first.ab, first.bb}};
    sums[k] = swapped[0];
    sums[CTR_SUBPIXEL_PLACES - 1 - k] = swapped[1];
  }
}

#endif
