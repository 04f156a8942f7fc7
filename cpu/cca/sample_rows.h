/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What features of the samples are made from on the host. Internal. */
#ifndef CTR_CPU_CCA_SAMPLE_ROWS_H
#define CTR_CPU_CCA_SAMPLE_ROWS_H

#include <contours/components.h>

/* A result whose table is complete, and the rows of samples, of 16 bits if WIDE. read_row() is called by one thread at a time for each
 * of the BANDS of rows. */
typedef struct {
  CtrComponents *result;
  uint32_t bands;
  bool wide;
  const void *(*read_row) (void *data, uint32_t band, uint32_t y);
  void *data;
} CtrCcaSampleRows;

#endif
