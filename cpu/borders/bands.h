/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Borders by bands of rows, which different threads work on. Internal.
 *
 *   bands.c   for each band: the parts of borders that enter it and leave it, then the borders that lie inside it
 *   rings.c   parts to borders that cross bands
 *   table.c   the order of all borders, hierarchy, and the result
 *
 * A band numbers its lines from 1: first its parts, then its borders in the order of discovery. */
#ifndef CTR_CPU_BORDERS_BANDS_H
#define CTR_CPU_BORDERS_BANDS_H

#include "core/borders/borders.h"
#include "core/results/contourlist.h"
#include "cpu/borders/lines.h"
#include "cpu/borders/measures.h"

#define CTR_BORDER_NO_ROW INT32_MAX
#define CTR_NO_RING UINT32_MAX

/* A border inside a band; only where edges are numbered. */
typedef struct {
  uint32_t around;   /* the owner of the edge before its first edge: a line of the band, or CTR_BORDER_FRAME */
  uint32_t row : 31; /* of the band, or CTR_BORDER_NO_ROW */
  uint32_t hole : 1;
  uint32_t key; /* position of its first edge, y << 16 | x; later its number among all borders */
} CtrBandBorder;

/* A part of a border. The parts of all bands are numbered, those of a band consecutively. */
typedef struct {
  CtrBorderPart line;
  CtrLineMeasures measures; /* if it has points */
  CtrPoint from, to;        /* its first and its last point */
  uint32_t next;            /* part */
  uint32_t ring;
  uint64_t before; /* points of the ring before it; in the part with the start, before its own first point */
} CtrBandPart;

/* A border that crosses bands. */
typedef struct {
  uint32_t start;  /* the part with its first edge */
  uint32_t band;   /* with its first edge */
  uint32_t key;    /* position of its first edge, y << 16 | x */
  uint32_t number; /* among all borders */
  bool kept;
  uint32_t rows_before;   /* contours of its band before it that are kept */
  uint64_t points_before; /* points of these */
  uint32_t place;         /* in the table */
  CtrContour row;         /* `first`: of the result */
  CtrContourSums sums;
} CtrBorderRing;

typedef struct {
  CtrBorderStrip strip;
  bool ok;             /* the last pass was neither cancelled nor without memory */
  CtrHostBuffer parts; /* CtrBandPart: those entered from above, then those entered from below */
  uint32_t part_count;
  uint32_t from_above;     /* parts entered from above */
  uint32_t first_part;     /* number of the band's first part */
  CtrHostBuffer part_sums; /* CtrContourSums, with moments, by part */
  CtrHostBuffer borders;   /* CtrBandBorder, if numbered */
  uint32_t border_count;
  CtrHostBuffer rows; /* CtrContour of its borders that are kept, in the order of discovery; `next` is the key */
  uint32_t row_count;
  CtrHostBuffer sums;  /* CtrContourSums, with moments, by row */
  CtrHostBuffer rings; /* CtrBorderRing *: those that start in the band, in the order of discovery */
  uint32_t ring_count;
  uint32_t ring_rows;     /* those of these that are kept */
  uint64_t ring_points;   /* of the rings that are kept */
  uint32_t rows_before;   /* contours that are kept of the bands above */
  uint64_t points_before; /* points of these */
  char padding[64];       /* Different threads write different bands. */
} CtrBand;

void ctr_band_release (CtrBand *band);

/* Give back memory at the end of a period: see ctr_host_buffer_give_back(). */
bool ctr_band_give_back (CtrBand *band);

/* Follows all lines of BAND, whose strip has its edges. band->ok is the success. */
void ctr_band_follow (CtrBand *band, const CtrBorderLines *lines, const CtrBordersPlan *plan);

/* The rings of the parts of BANDS, of which there may be none. */
typedef struct {
  CtrHostBuffer list;  /* CtrBorderRing */
  CtrHostBuffer parts; /* CtrBandPart *, by number */
  uint32_t count;
} CtrBorderRings;

void ctr_border_rings_release (CtrBorderRings *rings);
bool ctr_border_rings_give_back (CtrBorderRings *rings);

/* All borders of an image. */
typedef struct {
  CtrBorderLines lines;
  CtrBand *bands;
  uint32_t band_count, band_room;
  CtrBorderRings rings;
  CtrHostBuffer nested; /* by number of the border, see table.c */
  CtrHostBuffer places;
} CtrBorderBands;

/* Was the last pass over the bands a success? */
static inline bool
ctr_border_bands_ok (const CtrBorderBands *bands)
{
  for (uint32_t i = 0; i < bands->band_count; i++)
    if (!bands->bands[i].ok)
      return false;
  return true;
}

/* Joins the parts of the bands. False if there is no memory or the work is cancelled. */
bool ctr_border_bands_join (CtrBorderBands *bands, const CtrBordersPlan *plan, unsigned threads);

/* The contours that are kept, as a result that INFO describes but for the numbers of contours and points. NULL if the
 * work failed or was cancelled. */
CtrContours *ctr_border_bands_result (
    CtrBorderBands *bands, const CtrContours *info, const CtrBordersPlan *plan, unsigned threads, CtrError *error);

#endif
