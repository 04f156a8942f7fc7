/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chain and crack codes by brute force. */
#ifndef CTR_TESTS_RESULTS_CODES_REFERENCE_H
#define CTR_TESTS_RESULTS_CODES_REFERENCE_H

#include <contours/contours.h>

CTR_BEGIN_DECLS

/* Compares the codes of CONTOURS with the directions between neighbouring points, bit by bit, and what decoding gives with
 * the points. CONTOURS without codes have to say so. A difference ends the test. */
void check_codes (CtrContours *contours);

/* The codes of both are the same bytes. */
void check_codes_equal (CtrContours *one, CtrContours *other);

CTR_END_DECLS

#endif
