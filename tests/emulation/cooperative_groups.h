/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of cooperative groups that is in use, on the host. */
#ifndef CTR_EMULATION_COOPERATIVE_GROUPS_H
#define CTR_EMULATION_COOPERATIVE_GROUPS_H

#include "emulation.h"

namespace cooperative_groups
{

struct cluster_group {
  void
  sync (const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()) const
  {
    ::emulation::meet_cluster (file, line);
  }
};

static inline cluster_group
this_cluster ()
{
  return {};
}

} // namespace cooperative_groups

#endif
