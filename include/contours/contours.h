/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The core's public API: shapes from pixels, on the GPU or the host, with identical results. */
#ifndef CONTOURS_CONTOURS_H
#define CONTOURS_CONTOURS_H

#include <contours/borders.h>
#include <contours/cancel.h>
#include <contours/canny.h>
#include <contours/cca.h>
#include <contours/components.h>
#include <contours/contourlist.h>
#include <contours/cracks.h>
#include <contours/foreground.h>
#include <contours/image.h>
#include <contours/paint.h>
#include <contours/snake.h>
#include <contours/types.h>

#endif
