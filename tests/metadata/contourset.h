/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contours that a test describes, with one array besides table and points: on the host, or on an imitated GPU. */
#ifndef CONTOURSET_H
#define CONTOURSET_H

#include "core/results/contourlist.h"

#include "sample.h"

typedef struct {
  CtrContours info;
  const CtrContour *table;
  const CtrPoint *points;
  CtrContoursArray array; /* CTR_CONTOURS_REGIONS or CTR_CONTOURS_NESTING */
  const void *rows;       /* of that array */
  /* Of contours on the GPU: */
  gboolean broken; /* fetching ARRAY fails */
  gint fetched[CTR_CONTOURS_NESTING + 1];
} ContourSet;

/* The contours of SET on the host; transfer full. ARRAYS, which may be NULL, is where they can still be changed. */
CtrContours *contour_set_new (const ContourSet *set, CtrContourArrays *arrays);

/* A frame with CONTOURS (transfer full) by SOURCE. */
GstBuffer *attach_contours (CtrContours *contours, const gchar *source);

/* Calls CHECK for BUFFER (transfer full), for a copy of it, and for the frame scaled to 16 x 12. */
void check_frames (GstBuffer *buffer, void (*check) (GstContoursContourMeta *meta));

/* What a test says of its array: whether a metadata has it (HAS), that no row can be read (CHECK_MISSING), and what the
 * rows are (CHECK). */
typedef struct {
  gboolean (*has) (GstContoursContourMeta *meta);
  void (*check_missing) (GstContoursContourMeta *meta);
  void (*check) (GstContoursContourMeta *meta);
} ArrayChecks;

/* Borders do not have the array. */
void check_borders (const ArrayChecks *checks);

/* The array is fetched when it is asked for, once, and nothing else is then. Fetching fails first. */
void check_fetching (const ContourSet *set, const ArrayChecks *checks);

/* Returns what contourexport with OPTIONS writes of BUFFER; both transfer full. */
gchar *export_text (const gchar *options, GstBuffer *buffer);

#endif
