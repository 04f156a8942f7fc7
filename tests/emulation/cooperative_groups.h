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

  void
  barrier_wait (const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()) const
  {
    ::emulation::meet_cluster (file, line);
  }

  /* As OWN, which is in the calling CTA's shared memory, in that of the CTA of RANK. */
  template <typename T>
  T *
  map_shared_rank (T *own, unsigned rank) const
  {
    return (T *) ::emulation::shared_of_rank ((const void *) own, rank);
  }
};

static inline cluster_group
this_cluster ()
{
  return {};
}

} // namespace cooperative_groups

#endif
