/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads of the kernel that runs: shared by the scheduler and its reports. */
#ifndef CTR_EMULATION_SCHEDULER_H
#define CTR_EMULATION_SCHEDULER_H

#include "emulation.h"
#include "fibers.h"

#include <memory>
#include <vector>

namespace emulation
{

enum State { RUNNABLE, AT_WARP, AT_CTA, AT_CLUSTER, ENDED };

struct Cta;

/* First its Place, which HERE points to. */
struct Thread : Place {
  Fiber fiber;
  Cta *cta;
  unsigned index;
  State state;

  /* The meeting it waits at, and what comes of it. */
  const char *file;
  unsigned line;
  int what;
  uint32_t mask;
  uint64_t value;
  unsigned source;
};

struct Warp {
  uint32_t waiting, ended; /* lanes */
  uint32_t syncs;          /* passed */
};

struct SharedBlock {
  std::unique_ptr<unsigned char[]> memory;
  size_t size;
  bool used; /* by the current CTA */
};

struct Cta {
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<SharedBlock> shared; /* the first is the dynamic part */
  size_t shared_size;
  unsigned count, live, waiting; /* threads; waiting: at the barrier */
  unsigned waiting_for_cluster;
  unsigned predicates; /* of those that wait, how many said yes */
  uint32_t barriers;   /* passed */
  uint32_t number;     /* of all CTAs of all kernels, from 1 */
  uint32_t seen;       /* for races.cc */
  bool waited_for_previous;
};

/* The kernel that runs; NULL: none. */
extern const Grid *grid;
extern const char *kernel_name;
extern unsigned long long ctas_done;

/* The calls at which threads of a warp and of a CTA meet, by Collective and Barrier. */
extern const char *const collective_names[], *const barrier_names[];

/* Reports on stderr: where the running thread is, and what each thread of CTA is at. */
void print_place ();
void print_threads (const Cta &cta);
const char *file_name (const char *path);

/* Reports faults, and CTAs that run for too long, from here on. */
void watch ();

} // namespace emulation

#endif
