/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Argument checks of region snakes. Internal. */
#ifndef CTR_CORE_SNAKE_ARGUMENTS_H
#define CTR_CORE_SNAKE_ARGUMENTS_H

#include "core/snake/geometry.h"

CTR_BEGIN_DECLS

bool ctr_snake_check_params (const CtrSnakeParams *params, CtrError *error);

/* Checks everything but the points of starting polygons, for which the clipped windows must be known. */
bool ctr_snake_check_objects (const CtrSnakeObject *objects, uint32_t count, CtrError *error);

/* Do the points of OBJECT's starting polygon lie in WINDOW, and does it not touch itself? NUMBER is its index. */
bool ctr_snake_check_polygon (
    const CtrSnakeObject *object, const CtrSnakeWindow *window, uint32_t number, CtrError *error);

CTR_END_DECLS

#endif
