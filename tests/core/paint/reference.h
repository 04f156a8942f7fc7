/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference of drawing follows the definition alone. It shares no code with the backends. */
#ifndef CTR_TESTS_PAINT_REFERENCE_H
#define CTR_TESTS_PAINT_REFERENCE_H

#include "tests/core/paint/testing.h"

/* Draws LAYERS into CANVAS, pixel by pixel and shape by shape. */
void draw_reference (Canvas *canvas, const CtrPaintLayer *layers, uint32_t count, const CtrPaintColour *colours);

#endif
