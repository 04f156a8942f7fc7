/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chain codes (Freeman: "On the encoding of arbitrary geometric configurations") and crack codes: a contour as its first
 * point and the directions of its steps. They are another form of the points, which takes fewer bytes to fetch.
 *
 * Directions count counterclockwise on the screen from 0, which is east (x + 1):
 *
 *   CTR_COORDINATES_PIXELS, 3 bits a step      CTR_COORDINATES_CORNERS, 2 bits a step
 *
 *              3  2  1                                        1
 *              4  .  0                                     2  .  0
 *              5  6  7                                        3
 *
 * The steps are those of the closed line from its first point: the last one leads back to that point. A border has as
 * many steps as pixels; an isolated pixel has none. A level contour has a step for each crack, from corner to corner. The steps of
 * an open edge chain (CTR_CONTOUR_OPEN in its row) end at its last point: it has one fewer than points.
 * CTR_APPROXIMATION_NONE and CTR_APPROXIMATION_SIMPLE give a border the same steps, from the first point of its list:
 * with SIMPLE, a border of a hole may begin at a later pixel. */
#ifndef CONTOURS_CODES_H
#define CONTOURS_CODES_H

#include <contours/contourlist.h>

CTR_BEGIN_DECLS

/* Where a contour's codes are. */
typedef struct {
  uint64_t offset; /* of its first byte in the bytes of all contours */
  uint32_t steps;
  CtrPoint first;
} CtrContourChain;

/* The codes of all contours. Step k of a contour is in the bits k * BITS and up of the contour's bytes, the lowest bit of a
 * byte first. Each contour begins with a byte of its own; bits behind its last step are 0. */
typedef struct {
  const CtrContourChain *chains; /* one for each row of the table */
  const uint8_t *bytes;
  uint64_t size; /* bytes */
  uint32_t bits; /* of a step: 3 or 2 */
} CtrContourCodes;

/* Are there codes? Not of borders simplified with epsilon and of region snakes, whose lines run in any direction, and not
 * of strips, whose lines need not be closed. This function does not wait for a pending result. */
CTR_API bool ctr_contours_have_codes (const CtrContours *contours);

/* The codes in host memory (transfer none, valid as long as the reference). The first call waits for a pending result.
 * Codes of contours in GPU memory are made there, and only they are copied, on any thread, with or without the CUDA
 * context current: neither table nor points. False and CTR_ERROR_INVALID_ARGUMENT if there are no codes; false and
 * another error if they cannot be fetched. */
CTR_API bool ctr_contours_map_codes (CtrContours *contours, CtrContourCodes *codes, CtrError *error);

/* Writes the directions of contour INDEX TO an array of as many bytes as it has steps. */
CTR_API void ctr_contour_codes_unpack (const CtrContourCodes *codes, uint32_t index, uint8_t *to);

/* Writes points of contour INDEX TO an array, from the first point on, and returns their number; with TO NULL, only their
 * number. VERTICES: CTR_VERTICES_STEPS for all points, at most max (1, steps), or CTR_VERTICES_TURNS for those where the
 * line turns. With CtrContours.vertices, these are exactly the contour's points. */
CTR_API uint32_t ctr_contour_codes_decode (
    const CtrContourCodes *codes, uint32_t index, CtrVertices vertices, CtrPoint *to);

/* The same of contour INDEX if it is an open edge chain: its points, one more than steps. */
CTR_API uint32_t ctr_contour_codes_decode_open (const CtrContourCodes *codes, uint32_t index, CtrPoint *to);

CTR_END_DECLS

#endif
