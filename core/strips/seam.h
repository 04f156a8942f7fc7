/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The seam between two strips: the components that are open above it, and how those below join them. Internal. */
#ifndef CTR_CORE_STRIPS_SEAM_H
#define CTR_CORE_STRIPS_SEAM_H

#include "core/common/room.h"

#include <contours/cca.h>

CTR_BEGIN_DECLS

/* A component that touches the last row of the web. Its sums are those of the web's coordinates, modulo 2^64: rows have 64
 * bits. The sums in a result's coordinates fit in 64 bits, so they are exact again there. */
typedef struct {
  CtrComponent sums; /* of it: sum_x, sum_y, area, left, start_x */
  CtrComponentMoments moments;
  CtrComponentGrey grey;
  uint64_t top, bottom; /* rows of the web, the latter exclusive */
  uint32_t right;       /* exclusive */
  uint32_t parent;      /* while a strip is joined: one that comes earlier, or itself */
  bool goes_on;
} CtrOpenComponent;

/* A run of the web's last row. */
typedef struct {
  uint32_t start, end; /* pixels; END is exclusive */
  uint32_t component;  /* index among the open ones */
} CtrSeamRun;

/* All zero: there is nothing open. The arrays keep their memory. */
typedef struct {
  CtrOpenComponent *open, *next; /* in raster order of first pixels */
  CtrSeamRun *runs;
  uint32_t *nodes; /* by row of a strip's table: 1 + its component, see seam.c; 0 between strips */
  uint32_t open_count, next_count, run_count;
  size_t open_room, next_room, run_room, node_room;
  size_t used_nodes; /* the most since the period of strips began, see core/common/room.h */
  CtrRoomPeriod period;
} CtrSeam;

/* Where a strip lies in the web, and what of its result is wanted. */
typedef struct {
  uint64_t first_row, end_row, origin_row;
  uint32_t max_open_rows;
  uint32_t min_area, max_area;
  uint32_t features;
  CtrConnectivity connectivity;
  bool is_cut; /* nothing goes on from the strip above */
} CtrSeamStrip;

void ctr_seam_release (CtrSeam *seam);

/* Closes everything without reporting it. */
void ctr_seam_clear (CtrSeam *seam);

/* Joins a strip. FOUND are its components in its own coordinates, without limits on their areas and with
 * CTR_FEATURE_EDGES. Returns what it closes. NULL and error: out of memory; SEAM is clear then. */
CtrComponents *ctr_seam_join (CtrSeam *seam, const CtrComponents *found, const CtrSeamStrip *strip, CtrError *error);

/* Closes what is open behind a web of WIDTH that ends with END_ROW of STRIP. *REST is NULL if there is nothing to report. */
bool ctr_seam_close (CtrSeam *seam, uint32_t width, const CtrSeamStrip *strip, CtrComponents **rest, CtrError *error);

CTR_END_DECLS

#endif
