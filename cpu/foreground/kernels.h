/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions that compute rows of thresholds of neighbourhoods, of 8-bit samples, and of colours. They are compiled for vectors of 128 bits
 * and, with CTR_AVX2, of 256 bits (cpu/meson.build). Internal. */
#ifndef CTR_CPU_FOREGROUND_KERNELS_H
#define CTR_CPU_FOREGROUND_KERNELS_H

#include <contours/foreground.h>

/* Adds the samples of a row that enters the block to the sums of columns, and subtracts those of one that leaves it. */
typedef void CtrMoveDown (const uint8_t *enters, const uint8_t *leaves, uint32_t width, uint16_t *columns);

/* Sets the bits of the samples that exceed their means by more than -OFFSET. Bits after the last pixel are 0. SUMS: of the
 * PIXELS of each block; 128 bytes behind the row can be read. */
typedef void CtrCompareMeans (
    const uint8_t *samples, const uint32_t *sums, uint32_t width, uint32_t pixels, int32_t offset, uint64_t *bits);

/* The weighted sums of columns of 2 RADIUS + 1 rows. */
typedef void CtrFilterColumns (
    const uint8_t *const *rows, const uint32_t *weights, uint32_t radius, uint32_t width, uint32_t *columns);

/* The weighted sums of blocks from sums of columns, of which RADIUS on both sides and 128 bytes more can be
 * read; as many can be written behind SUMS. */
typedef void CtrFilterRow (
    const uint32_t *columns, const uint32_t *weights, uint32_t radius, uint32_t width, int64_t *sums);

/* Samples of CHANNEL, from CTR_CHANNEL_HUE on, from those of red, green and blue. WIDTH is rounded up to a multiple of 16. */
typedef void CtrConvertColours (
    CtrChannel channel, const uint8_t *red, const uint8_t *green, const uint8_t *blue, uint32_t width, uint8_t *to);

/* Clears the bits of the pixels that are not in all ranges of FOREGROUND but that of the luma. WIDTH is rounded up to a
 * multiple of 64. */
typedef void CtrSelectColours (const CtrForeground *foreground, const uint8_t *red, const uint8_t *green,
    const uint8_t *blue, uint32_t width, uint64_t *bits);

/* The three bytes from byte FIRST on of each pixel, which has SIZE bytes: 4, or 3, then FIRST is 0. */
typedef void CtrSplitColours (
    const uint8_t *pixels, uint32_t size, uint32_t first, uint32_t width, uint8_t *const to[3]);

typedef struct {
  CtrMoveDown *move_down;
  CtrCompareMeans *compare_means;
  CtrFilterColumns *filter_columns;
  CtrFilterRow *filter_row;
  CtrConvertColours *convert_colours;
  CtrSelectColours *select_colours;
  CtrSplitColours *split_colours;
} CtrForegroundKernels;

extern const CtrForegroundKernels ctr_foreground_kernels;
extern const CtrForegroundKernels ctr_foreground_kernels_avx2; /* only where CTR_HAVE_AVX2 */

CtrConvertColours ctr_convert_colours, ctr_convert_colours_avx2;
CtrSelectColours ctr_select_colours, ctr_select_colours_avx2;
CtrSplitColours ctr_split_colours, ctr_split_colours_avx2;

static inline const CtrForegroundKernels *
ctr_foreground_choose_kernels (void)
{
#ifdef CTR_HAVE_AVX2
  if (__builtin_cpu_supports ("avx2"))
    return &ctr_foreground_kernels_avx2;
#endif
  return &ctr_foreground_kernels;
}

#endif
