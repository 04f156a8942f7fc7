/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The snake's argument checks. Internal. */
#ifndef CTR_CORE_SNAKE_ARGUMENTS_H
#define CTR_CORE_SNAKE_ARGUMENTS_H

#include "core/snake/geometry.h"

CTR_BEGIN_DECLS

bool ctr_snake_check_params (const CtrSnakeParams *params, CtrError *error);

/* Checks everything but the points of starting polygons, wherever the objects' windows lie. */
bool ctr_snake_check_objects (const CtrSnakeObject *objects, uint32_t count, CtrError *error);

/* Checks the starting polygon of OBJECT, the one of index NUMBER: its points lie in WINDOW, and it does not touch
 * itself.
 */
bool ctr_snake_check_polygon (
    const CtrSnakeObject *object, const CtrSnakeWindow *window, uint32_t number, CtrError *error);

CTR_END_DECLS

#endif
