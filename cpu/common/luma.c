/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/common/luma.h"

#include <string.h>

/* The weights defined for CtrFormat. */
enum { RED = 9798, GREEN = 19235, BLUE = 3735, SHIFT = 15, HALF = 1 << (SHIFT - 1) };

#ifdef __SSE2__
#include <emmintrin.h>

/* Four pixels of SIZE bytes, one per 32-bit element. With SIZE 3 the last element includes the following byte. */
static inline __attribute__ ((always_inline)) __m128i
load_4 (const uint8_t *pixels, int size)
{
  if (size == 4)
    return _mm_loadu_si128 ((const __m128i *) pixels);
  int32_t element[4];
  for (int i = 0; i < 4; i++)
    memcpy (element + i, pixels + 3 * i, 4);
  return _mm_set_epi32 (element[3], element[2], element[1], element[0]);
}

/* The luma of four pixels in 32-bit elements. WEIGHTS contains the four weights of a pixel twice. */
static inline __m128i
luma_4 (__m128i pixels, __m128i weights)
{
  const __m128i zero = _mm_setzero_si128 ();
  const __m128 low = _mm_castsi128_ps (_mm_madd_epi16 (_mm_unpacklo_epi8 (pixels, zero), weights));
  const __m128 high = _mm_castsi128_ps (_mm_madd_epi16 (_mm_unpackhi_epi8 (pixels, zero), weights));
  const __m128i first = _mm_castps_si128 (_mm_shuffle_ps (low, high, _MM_SHUFFLE (2, 0, 2, 0)));
  const __m128i second = _mm_castps_si128 (_mm_shuffle_ps (low, high, _MM_SHUFFLE (3, 1, 3, 1)));
  return _mm_srli_epi32 (_mm_add_epi32 (_mm_add_epi32 (first, second), _mm_set1_epi32 (HALF)), SHIFT);
}

/* Converts whole groups of eight pixels, without the last pixel of the row. Returns the number of pixels converted. */
static inline __attribute__ ((always_inline)) uint32_t
luma_groups (const uint8_t *pixels, uint32_t width, uint8_t *luma, int size, int red, int green, int blue)
{
  int16_t weight[8] = {0};
  weight[red] = weight[red + 4] = RED;
  weight[green] = weight[green + 4] = GREEN;
  weight[blue] = weight[blue + 4] = BLUE;
  const __m128i weights = _mm_loadu_si128 ((const __m128i *) weight);
  uint32_t x = 0;
  for (; x + 8 < width; x += 8, pixels += 8 * size) {
    const __m128i low = luma_4 (load_4 (pixels, size), weights);
    const __m128i high = luma_4 (load_4 (pixels + 4 * size, size), weights);
    const __m128i packed = _mm_packs_epi32 (low, high);
    _mm_storel_epi64 ((__m128i *) (luma + x), _mm_packus_epi16 (packed, packed));
  }
  return x;
}

/* Takes the luma of whole groups of 16 pixels of packed YUV, whose luma is in the odd bytes if HIGH. Returns the number of
 * pixels taken. */
static inline uint32_t
yuv_groups (const uint8_t *pixels, uint32_t width, uint8_t *luma, bool high)
{
  const __m128i low = _mm_set1_epi16 (0xff), shift = _mm_cvtsi32_si128 (high ? 8 : 0);
  uint32_t x = 0;
  for (; x + 16 <= width; x += 16, pixels += 32) {
    const __m128i first = _mm_loadu_si128 ((const __m128i *) pixels);
    const __m128i second = _mm_loadu_si128 ((const __m128i *) (pixels + 16));
    _mm_storeu_si128 ((__m128i *) (luma + x), _mm_packus_epi16 (_mm_and_si128 (_mm_srl_epi16 (first, shift), low),
                                                  _mm_and_si128 (_mm_srl_epi16 (second, shift), low)));
  }
  return x;
}

#else

static inline uint32_t
luma_groups (const uint8_t *pixels, uint32_t width, uint8_t *luma, int size, int red, int green, int blue)
{
  return 0;
}

static inline uint32_t
yuv_groups (const uint8_t *pixels, uint32_t width, uint8_t *luma, bool high)
{
  return 0;
}

#endif

/* Constant offsets give one tight loop per format. */
static inline __attribute__ ((always_inline)) void
luma_row (const uint8_t *pixels, uint32_t width, uint8_t *luma, int size, int red, int green, int blue)
{
  for (uint32_t x = luma_groups (pixels, width, luma, size, red, green, blue); x < width; x++) {
    const uint8_t *p = pixels + (size_t) x * size;
    luma[x] = (uint8_t) ((RED * p[red] + GREEN * p[green] + BLUE * p[blue] + HALF) >> SHIFT);
  }
}

static void
yuv_row (const uint8_t *pixels, uint32_t width, uint8_t *luma, bool high)
{
  for (uint32_t x = yuv_groups (pixels, width, luma, high); x < width; x++)
    luma[x] = pixels[2 * (size_t) x + high];
}

void
ctr_luma_row (CtrFormat format, const uint8_t *pixels, uint32_t width, uint8_t *luma)
{
  switch (format) {
    case CTR_FORMAT_RGB:
      luma_row (pixels, width, luma, 3, 0, 1, 2);
      break;
    case CTR_FORMAT_BGR:
      luma_row (pixels, width, luma, 3, 2, 1, 0);
      break;
    case CTR_FORMAT_RGBX:
      luma_row (pixels, width, luma, 4, 0, 1, 2);
      break;
    case CTR_FORMAT_BGRX:
      luma_row (pixels, width, luma, 4, 2, 1, 0);
      break;
    case CTR_FORMAT_XRGB:
      luma_row (pixels, width, luma, 4, 1, 2, 3);
      break;
    case CTR_FORMAT_XBGR:
      luma_row (pixels, width, luma, 4, 3, 2, 1);
      break;
    case CTR_FORMAT_YUYV:
    case CTR_FORMAT_YVYU:
      yuv_row (pixels, width, luma, false);
      break;
    case CTR_FORMAT_UYVY:
    case CTR_FORMAT_VYUY:
      yuv_row (pixels, width, luma, true);
      break;
    case CTR_FORMAT_GRAY8:
    case CTR_FORMAT_GRAY16:
      break;
  }
}
