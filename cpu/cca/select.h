/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits on the numbers of components on the host. Internal. */
#ifndef CTR_CPU_CCA_SELECT_H
#define CTR_CPU_CCA_SELECT_H

#include <contours/cca.h>

/* Drops the components of a complete result that is not handed out yet. False and ERROR if there is no memory or the work is
 * cancelled; then the result is of no use. */
bool ctr_components_select (CtrComponents *components, const CtrSelect *select, CtrError *error);

#endif
