/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The outline of blocks that an automatic start may be, by the reference. */
#ifndef CTR_TESTS_SNAKE_OUTLINE_H
#define CTR_TESTS_SNAKE_OUTLINE_H

#include "tests/core/snake/evolution_reference.h"

/* The outline that follows from the sums of the best RECTANGLE, and the SIDE of its blocks; without nodes where there
 * is none. */
Polygon reference_outline (const Work *work, Sums rectangle, int32_t *side);

#endif
