/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The labels of a band of rows. Internal. */
#ifndef CTR_CPU_CCA_BAND_H
#define CTR_CPU_CCA_BAND_H

#include "cpu/common/host_buffer.h"
#include "cpu/common/samples.h"

#include <contours/cca.h>

/* A run that overlaps nothing, after the last one of a row. */
#define CTR_CCA_NO_RUN (UINT32_MAX - 1)

/* The bit above them is a mark, see cca.c. An image of fewer pixels has fewer labels. */
#define CTR_CCA_MAX_LABELS (UINT32_C (1) << 31)

/* The runs of a row: of foreground, from ctr_find_runs(), or of equal samples, of which a row may be full. */
typedef struct {
  uint32_t count;
  uint32_t edges[2 * CTR_MAX_SIDE + 8]; /* and CTR_CCA_NO_RUN */
  uint32_t label[CTR_MAX_SIDE + 1];
  uint16_t value[CTR_MAX_SIDE + 1]; /* of runs of equal samples */
} CtrCcaRow;

/* A run for the label image. */
typedef struct {
  uint16_t start;
  uint16_t last; /* inclusive */
  uint32_t label;
} CtrCcaRun;

/* Working memory, zeroed before first use, and labels. Bands know nothing of one another. */
typedef struct {
  uint32_t first_y, end_y;
  CtrStatus status;
  CtrCcaRow first_row, rows[2]; /* rows: the others, alternately */
  CtrCcaRow *last_row;
  uint64_t bits[CTR_ROW_WORDS (CTR_MAX_SIDE)];
  CtrSamples samples;

  /* By label. CtrComponent's width and height contain the right and the bottom end, exclusive. */
  uint32_t label_count;
  CtrHostBuffer parent; /* uint32_t; a root is its own parent */
  CtrHostBuffer table;  /* CtrComponent */
  CtrHostBuffer moments;
  CtrHostBuffer grey;

  /* Where a label image is needed, all runs of the band are kept. */
  size_t run_count;
  CtrHostBuffer runs;        /* CtrCcaRun */
  CtrHostBuffer runs_in_row; /* uint32_t; by row, from first_y on */

  CtrComponent background; /* with CTR_FEATURE_BACKGROUND; ends as in the table */

  uint32_t kept; /* components within the area limits whose first pixel is in this band */
} CtrCcaBand;

void ctr_cca_band_release (CtrCcaBand *band);

/* Gives back memory at the end of a period: see ctr_host_buffer_give_back(). */
bool ctr_cca_band_give_back (CtrCcaBand *band);

/* Labels the rows from first_y to before end_y. FOREGROUND counts with CTR_COMPONENTS_FOREGROUND only. Adds the sums of all labels to those of their roots, which become their
 * parents. Sets the status: CTR_OK, CTR_ERROR_CANCELLED or CTR_ERROR_OUT_OF_MEMORY. */
void ctr_cca_band_label (
    CtrCcaBand *band, const CtrImage *image, const CtrCcaParams *params, const CtrForegroundRows *foreground);

/* Adds the sums of label SOURCE of band FROM to those of label TARGET of band TO, whose first pixel comes earlier. */
void ctr_cca_band_add (CtrCcaBand *to, uint32_t target, const CtrCcaBand *from, uint32_t source, uint32_t features);

#endif
