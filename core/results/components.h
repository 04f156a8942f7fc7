/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a backend makes the result of component analysis. Internal. */
#ifndef CTR_CORE_RESULTS_COMPONENTS_H
#define CTR_CORE_RESULTS_COMPONENTS_H

#include <contours/components.h>

CTR_BEGIN_DECLS

/* A result with one reference and room for COUNT rows and the arrays that FEATURES ask for; contents are not
 * initialised. The backend may cast the arrays' const away until it hands the result out. NULL and
 * CTR_ERROR_OUT_OF_MEMORY when there is no memory. */
CtrComponents *ctr_components_alloc (
    uint32_t width, uint32_t height, uint32_t count, uint32_t features, CtrError *error);

CTR_END_DECLS

#endif
