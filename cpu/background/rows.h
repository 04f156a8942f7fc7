/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of a background's model: they are learned, and images are corrected by them. Internal. */
#ifndef CTR_CPU_BACKGROUND_ROWS_H
#define CTR_CPU_BACKGROUND_ROWS_H

#include "core/background/background.h"

/* Rows of the model have room for whole blocks of samples. */
enum { CTR_BACKGROUND_BLOCK = 64 };

/* One row of the model, of which the analyser has what its plan needs, and what to do with it. */
typedef struct {
  const CtrBackgroundPlan *plan;
  float *average;
  void *plane;   /* samples: the background, but of CTR_BACKGROUND_AVERAGE */
  void *history; /* samples: of the first image; the others follow in steps of HISTORY_STRIDE bytes */
  size_t history_stride;
  uint32_t width;
  bool learn;    /* this pass */
  bool correct;  /* this pass; otherwise the row's background is added to SUM */
  uint32_t mean; /* of CTR_BACKGROUND_DIVIDE */
} CtrBackgroundRow;

/* SAMPLES and CORRECTED, which may be the same, have 8 bits, or 16. */
void ctr_background_row_8 (const CtrBackgroundRow *row, const uint8_t *samples, uint8_t *corrected, uint64_t *sum);
void ctr_background_row_16 (const CtrBackgroundRow *row, const uint16_t *samples, uint16_t *corrected, uint64_t *sum);

#endif
