/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/background/rows.h"

#include "cpu/common/simd.h"

#include <string.h>

#define BLOCK CTR_BACKGROUND_BLOCK

#define Sample uint8_t
#define NAME(name) name##_8
#include "cpu/background/blocks.h"
#undef Sample
#undef NAME

#define Sample uint16_t
#define NAME(name) name##_16
#include "cpu/background/blocks.h"
