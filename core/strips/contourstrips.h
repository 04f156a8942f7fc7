/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contours of a web in strips (include/contours/contourstrips.h), borders and level contours alike. Internal.
 *
 *   stage                                core                       cuda
 *   arguments, lanes, pending results    strips/contourstrips.c
 *   what borders and cracks do apart     strips/borderstrips.c, crackstrips.c
 *   rows at the ends of a strip          strips/seamrows.c          common/edge_rows.cu
 *   contours cut at the seams            strips/stitcher.c
 *   open contours                        strips/chains.c
 *   joined contours                      strips/closing.c
 *   result                               strips/assemble.c
 *
 * A strip is analysed as it is, by the analyser of its algorithm. The few rows around a seam are analysed again, on the
 * host: their foreground is decided row by row, by the strip of each. stitcher.h says which rows each analysis owns. */
#ifndef CTR_CORE_STRIPS_CONTOURSTRIPS_H
#define CTR_CORE_STRIPS_CONTOURSTRIPS_H

#include "core/borders/borders.h"
#include "core/strips/edgerows.h"
#include "core/strips/stitcher.h"
#include "core/strips/web.h"

#include <contours/contours.h>

enum { CTR_SEAM_ROWS = 2 /* at most, above a seam and below */ };

typedef struct CtrStrips CtrStrips;

/* A strip on its way. There are two, which take turns. */
typedef struct {
  CtrStrips *strips;
  CtrAnalyser *analyser;
  void *edge_reader;    /* of CtrEdgeRowsOps; NULL on the CPU backend */
  CtrHostBuffer edges;  /* rows of an image in host memory */
  bool edges_on_device; /* EDGE_READER has them */
  uint32_t edge_count;  /* rows at either end */
  CtrImage image;       /* the memory may be gone */
  uint64_t row;         /* web row of its first row */
  uint64_t origin_row;  /* of its result */
  bool cut;             /* Rows are missing above. */
  CtrLineKind kind;
  CtrBordersPlan plan; /* limits, features, foreground */
  double epsilon;
  CtrCracksParams cracks;
  CtrHostBuffer levels;    /* of CRACKS */
  CtrContours *handed_out; /* the pending result, or NULL */
  CtrContours *before;     /* the pending result of the strip before, or NULL */
} CtrStripLane;

/* What borders and level contours do apart. */
typedef struct {
  uint32_t seam_rows;
  uint32_t lag; /* of the owned rows behind the rows of a window */
  CtrCoordinates coordinates;
  CtrAnalyser *(*open) (CtrBackend backend, CtrError *error);
  /* PARAMS are those of the algorithm. set_params() fills in LANE's, from the kind to the levels, for a strip that can be
   * the next one. */
  bool (*check_params) (const void *params, CtrError *error);
  bool (*set_params) (CtrStripLane *lane, const void *params, CtrError *error);
  bool (*enqueue) (CtrStripLane *lane, const CtrImage *image, void *stream, CtrError *error);
  CtrContours *(*finish) (CtrAnalyser *analyser, CtrError *error);
  /* Analyses rows around a seam. */
  CtrContours *(*analyse) (CtrAnalyser *analyser, const CtrStripLane *lane, const CtrImage *rows, CtrError *error);
} CtrStripsKind;

/* The sample rows above the seam, then those below, of the samples that ANALYSE takes. */
typedef struct {
  CtrHostBuffer samples;
  uint32_t count;    /* rows there */
  size_t stride;     /* bytes */
  CtrFormat format;  /* GRAY8 or GRAY16 */
  CtrHostBuffer row; /* of luma, of bits */
} CtrSeamRows;

struct CtrStrips {
  const CtrStripsKind *kind;
  CtrBackend backend;
  CtrStripLane lanes[2];
  uint32_t next_lane;
  CtrWeb web;         /* with the queued strips */
  CtrFormat format;   /* of its strips */
  bool cut;           /* the next one */
  uint32_t threshold; /* of the last strip */
  /* What belongs to the strip that is being joined: */
  CtrAnalyser *seam_analyser;
  CtrSeamRows rows;
  CtrStitcher stitcher;
};

/* NULL and error if the backend is unavailable, there is no memory, or MAX_OPEN_ROWS is invalid. */
CtrStrips *ctr_strips_new (const CtrStripsKind *kind, CtrBackend backend, uint32_t max_open_rows, CtrError *error);
void ctr_strips_free (CtrStrips *strips);

/* Queues STRIP, with the algorithm's PARAMS. The result is pending, or with WAIT complete. NULL and error if PARAMS are
 * wrong, STRIP cannot be the next one, or the analysis of an earlier one has failed. */
CtrContours *ctr_strips_queue (
    CtrStrips *strips, const CtrImage *strip, const void *params, bool wait, void *stream, CtrError *error);

/* Whether PARAMETER, which must be REQUIRED in strips for REASON, has that VALUE. NAME says what it is called. */
bool ctr_strips_require (
    const char *parameter, int value, int required, const char *name, const char *reason, CtrError *error);

bool ctr_strips_settle (CtrStrips *strips, CtrError *error);
void ctr_strips_cut (CtrStrips *strips);
bool ctr_strips_finish (CtrStrips *strips, CtrContours **rest, CtrError *error);
void ctr_strips_drop (CtrStrips *strips);

/* Joins the rows of a strip and what the analysis INSIDE found: seamrows.c. END: the end of the web, INSIDE is NULL. */
CtrContours *ctr_strips_join (CtrStrips *strips, CtrStripLane *lane, CtrContours *inside, CtrError *error);
CtrContours *ctr_strips_join_end (CtrStrips *strips, CtrStripLane *lane, CtrError *error);

/* The result of a strip: of WINDOW the contours within its owned rows, and those that the stitcher has joined. */
CtrContours *ctr_strips_assemble (CtrStrips *strips, const CtrStripLane *lane, const CtrContours *inside,
    const CtrWindow *window, const CtrContourSums *sums, const CtrContours *info, CtrError *error);

/* A failure of the stitcher. */
bool ctr_strips_fail (const CtrStrips *strips, CtrError *error);

#endif
