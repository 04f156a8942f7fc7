/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs the grid of one kernel: fibers for its threads, and where they meet.
 *
 * Longer than 500 lines: all that threads wait at has the same queues. */
#include "scheduler.h"

#include "races.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

dim3 blockDim, gridDim;

namespace emulation
{

Place *here;
const Grid *grid;
const char *kernel_name;
unsigned long long ctas_done;

namespace
{

constexpr unsigned MAX_THREADS = 1024;   /* a CTA */
constexpr unsigned INTERLEAVED_CTAS = 4; /* where the order is random: as many as the device has multiprocessors */
constexpr unsigned ATOMICS_A_TURN = 16;  /* then another thread goes on, for it may be waited for */

Fiber main_fiber;
std::vector<Cta> ctas;
std::vector<Thread *> queue (16 * MAX_THREADS); /* runnable threads: a ring */
size_t queue_begin, queue_length;
unsigned atomics_left;
uint32_t ctas_started, kernel_cta; /* numbers of CTAs: the last one, and the kernel's first */
thread_local bool runs_grid;       /* the host's other threads go on meanwhile, and what they access is no kernel's */

/* --- Order --- */

bool shuffled;
uint64_t random_state;

uint32_t
random_below (uint32_t bound)
{
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t) ((random_state >> 32) * bound >> 32);
}

void
read_seed ()
{
  static bool done;
  if (done)
    return;
  done = true;
  const char *seed = getenv ("CTR_EMULATION_SEED");
  shuffled = seed && *seed;
  random_state = shuffled ? strtoull (seed, nullptr, 0) : 0;
}

void
enqueue (Thread *thread)
{
  thread->state = RUNNABLE;
  queue[(queue_begin + queue_length++) % queue.size ()] = thread;
}

Thread *
dequeue ()
{
  if (queue_length == 0)
    return nullptr;
  Thread *&first = queue[queue_begin];
  if (shuffled)
    std::swap (first, queue[(queue_begin + random_below ((uint32_t) queue_length)) % queue.size ()]);
  Thread *thread = first;
  queue_begin = (queue_begin + 1) % queue.size ();
  queue_length--;
  return thread;
}

/* --- Switching --- */

/* The running thread lets another go on, until it is runnable again and its turn comes. */
void
give_way ()
{
  Thread *self = (Thread *) here, *next = dequeue ();
  if (next == self)
    return;
  here = next;
  fiber_switch (&self->fiber, next ? &next->fiber : &main_fiber, self->state == ENDED);
}

/* --- Warps --- */

uint32_t
reduce (Collective what, uint32_t a, uint32_t b)
{
  switch (what) {
    case ADD:
      return a + b;
    case MIN_U:
      return a < b ? a : b;
    case MIN_S:
      return (int32_t) a < (int32_t) b ? a : b;
    case MAX_U:
      return a > b ? a : b;
    case MAX_S:
      return (int32_t) a > (int32_t) b ? a : b;
    case AND:
      return a & b;
    case OR:
      return a | b;
    default:
      return a ^ b;
  }
}

/* All lanes of MASK that have not ended have come: are they at the same place? Their results. */
void
finish_collective (Cta *cta, unsigned first, uint32_t lanes)
{
  Thread *const threads = &cta->threads[first];
  const Thread &one = threads[__builtin_ctz (lanes)];
  const Collective what = (Collective) one.what;
  uint64_t old[32];
  uint32_t yes = 0, sum = (uint32_t) one.value;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    const unsigned i = (unsigned) __builtin_ctz (rest);
    const Thread &t = threads[i];
    if (t.mask != one.mask || t.what != one.what || t.line != one.line || t.file != one.file) {
      fprintf (stderr, "CUDA emulation: the lanes of a warp meet at different places or with different masks.\n");
      here = threads + i;
      print_place ();
      print_threads (*cta);
      abort ();
    }
    old[i] = t.value;
    yes |= (uint32_t) (t.value != 0) << i;
    if (what >= ADD && &t != &one)
      sum = reduce (what, sum, (uint32_t) t.value);
  }
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    const unsigned i = (unsigned) __builtin_ctz (rest);
    Thread &t = threads[i];
    switch (what) {
      case SYNC:
        break;
      case SHUFFLE:
        /* From a lane that takes no part comes anything. */
        t.value = lanes >> t.source & 1 ? old[t.source] : 0xa5a5a5a5a5a5a5a5u;
        break;
      case BALLOT:
        t.value = yes;
        break;
      case ANY:
        t.value = yes != 0;
        break;
      case ALL:
        t.value = yes == lanes;
        break;
      case MATCH_ANY: {
        uint32_t same = 0;
        for (uint32_t others = lanes; others; others &= others - 1)
          same |= (uint32_t) (old[__builtin_ctz (others)] == old[i]) << __builtin_ctz (others);
        t.value = same;
        break;
      }
      default:
        t.value = sum;
    }
    enqueue (&t);
  }
  cta->warps[first / 32].waiting &= ~lanes;
  cta->warps[first / 32].syncs += what == SYNC;
}

void
look_for_collective (Cta *cta, unsigned warp, uint32_t mask)
{
  const Warp &w = cta->warps[warp];
  const uint32_t lanes = mask & ~w.ended;
  if (lanes && (w.waiting & lanes) == lanes)
    finish_collective (cta, warp * 32, lanes);
}

/* --- CTAs --- */

void
look_for_barrier (Cta *cta)
{
  if (cta->waiting == 0 || cta->waiting < cta->live)
    return;
  const Thread *one = nullptr;
  for (unsigned i = 0; i < cta->count; i++) {
    Thread &t = cta->threads[i];
    if (t.state != AT_CTA)
      continue;
    if (!one)
      one = &t;
    if (t.line != one->line || t.file != one->file || t.what != one->what) {
      fprintf (stderr, "CUDA emulation: the threads of a CTA meet at different barriers.\n");
      here = &t;
      print_place ();
      print_threads (*cta);
      abort ();
    }
  }
  const unsigned yes = cta->predicates;
  const uint64_t value = one->what == COUNT ? yes : one->what == BARRIER_OR ? yes > 0 : yes == cta->live;
  for (unsigned i = 0; i < cta->count; i++)
    if (cta->threads[i].state == AT_CTA) {
      cta->threads[i].value = value;
      enqueue (&cta->threads[i]);
    }
  cta->waiting = cta->predicates = 0;
  cta->barriers++;
}

/* All CTAs there are belong to one cluster, where threads wait for it. */
void
look_for_cluster ()
{
  unsigned live = 0, waiting = 0;
  for (const Cta &cta : ctas) {
    live += cta.live;
    waiting += cta.waiting_for_cluster;
  }
  if (waiting == 0 || waiting < live)
    return;
  /* All that was before it is in order, as if another kernel had done it. */
  kernel_cta = ctas_started + 1;
  for (Cta &cta : ctas) {
    for (unsigned i = 0; i < cta.count; i++)
      if (cta.threads[i].state == AT_CLUSTER)
        enqueue (&cta.threads[i]);
    cta.waiting_for_cluster = 0;
    cta.barriers++;
    cta.number = ++ctas_started;
    cta.seen = 0;
  }
}

void
check_shared (const Cta *cta)
{
  for (const SharedBlock &block : cta->shared) {
    if (!block.used)
      continue;
    for (size_t i = 0; i < GUARD_SIZE; i++)
      if (block.memory[block.size + i] != GARBAGE)
        complain ("something was written %zu bytes behind a __shared__ variable of %zu bytes", i, block.size);
  }
}

void
thread_main ()
{
  fiber_begun ();
  grid->thread ();
  Thread *self = (Thread *) here;
  Cta *cta = self->cta;
  self->state = ENDED;
  cta->live--;
  Warp &warp = cta->warps[self->index / 32];
  warp.ended |= 1u << self->lane;
  for (uint32_t rest = warp.waiting; rest; rest = rest & (rest - 1) & warp.waiting)
    look_for_collective (cta, self->index / 32, cta->threads[self->index / 32 * 32 + __builtin_ctz (rest)].mask);
  look_for_barrier (cta);
  look_for_cluster ();
  if (cta->live == 0) {
    check_shared (cta);
    if (grid->overlapped && !cta->waited_for_previous)
      complain ("the CTA has not waited for the kernel before it (cudaGridDependencySynchronize)");
  }
  give_way ();
  abort ();
}

void
start_cta (Cta *cta, unsigned long long number)
{
  const dim3 size = grid->block;
  cta->count = cta->live = size.x * size.y * size.z;
  cta->waiting = cta->predicates = cta->barriers = cta->waiting_for_cluster = 0;
  cta->number = ++ctas_started;
  cta->seen = 0;
  cta->waited_for_previous = false;
  cta->warps.assign ((cta->count + 31) / 32, {0, 0, 0});
  if (cta->count % 32)
    cta->warps.back ().ended = ~0u << cta->count % 32;
  cta->shared_size = 0;
  for (SharedBlock &block : cta->shared)
    block.used = false;
  const uint3 block = {(unsigned) (number % grid->grid.x), (unsigned) (number / grid->grid.x % grid->grid.y),
      (unsigned) (number / grid->grid.x / grid->grid.y)};
  while (cta->threads.size () < cta->count) {
    cta->threads.emplace_back ();
    fiber_allocate (&cta->threads.back ().fiber);
  }
  for (unsigned i = 0; i < cta->count; i++) {
    Thread &t = cta->threads[i];
    t.thread = {i % size.x, i / size.x % size.y, i / size.x / size.y};
    t.block = block;
    t.lane = i % 32;
    t.index = i;
    t.cta = cta;
    fiber_prepare (&t.fiber, thread_main);
    enqueue (&t);
  }
}

} // namespace

void
enter (const char *name, unsigned max_threads, unsigned, unsigned)
{
  kernel_name = name;
  const dim3 size = grid->block;
  if (max_threads && size.x * size.y * size.z > max_threads)
    complain ("launched with %u threads a CTA, and __launch_bounds__ say %u", size.x * size.y * size.z, max_threads);
}

static void *
shared_block (Cta *cta, size_t index, size_t size, const char *name)
{
  if (cta->shared.size () <= index)
    cta->shared.resize (index + 1);
  SharedBlock &block = cta->shared[index];
  if (block.used)
    return block.memory.get ();
  if (!block.memory || block.size != size) {
    block.memory.reset (new unsigned char[size + GUARD_SIZE]);
    block.size = size;
  }
  memset (block.memory.get (), GARBAGE, size + GUARD_SIZE);
  if (watching)
    forget_accesses (block.memory.get (), size);
  block.used = true;
  cta->shared_size += size;
  if (cta->shared_size > grid->shared_limit)
    complain ("with %s the CTA has %zu bytes of shared memory, and may have %zu (cudaFuncSetAttribute)", name,
        cta->shared_size, grid->shared_limit);
  return block.memory.get ();
}

void *
shared_memory (size_t *index, size_t size, const char *name)
{
  static size_t variables;
  if (*index == 0)
    *index = ++variables;
  return shared_block (((Thread *) here)->cta, *index, size, name);
}

void *
dynamic_shared ()
{
  return shared_block (((Thread *) here)->cta, 0, grid->dynamic_shared, "the launch's part");
}

void *
shared_of_rank (const void *own, unsigned rank)
{
  const Cta *cta = ((Thread *) here)->cta;
  if (rank >= grid->cluster || ctas[rank].live == 0)
    complain ("the shared memory of the cluster's CTA %u was used, which %s", rank,
        rank < grid->cluster ? "has ended" : "does not exist");
  for (size_t i = 0; i < cta->shared.size (); i++) {
    const SharedBlock &block = cta->shared[i];
    const unsigned char *const begin = block.memory.get (), *const at = (const unsigned char *) own;
    if (block.used && at >= begin && at < begin + block.size)
      return (unsigned char *) shared_block (&ctas[rank], i, block.size, "a variable of another CTA") + (at - begin);
  }
  complain ("%p is not in the CTA's shared memory", own);
}

uint64_t
meet_warp (Collective what, uint32_t mask, uint64_t value, unsigned source, const char *file, unsigned line)
{
  Thread *self = (Thread *) here;
  Warp &warp = self->cta->warps[self->index / 32];
  self->file = file;
  self->line = line;
  self->what = what;
  self->mask = mask;
  self->value = value;
  self->source = source;
  if (!(mask >> self->lane & 1))
    complain ("%s at %s:%u with the mask 0x%08x, which leaves out the calling lane %u", collective_names[what],
        file_name (file), line, mask, self->lane);
  self->state = AT_WARP;
  warp.waiting |= 1u << self->lane;
  look_for_collective (self->cta, self->index / 32, mask);
  give_way ();
  return self->value;
}

int
meet_cta (Barrier what, bool predicate, const char *file, unsigned line)
{
  Thread *self = (Thread *) here;
  self->file = file;
  self->line = line;
  self->what = what;
  self->state = AT_CTA;
  self->cta->waiting++;
  self->cta->predicates += predicate;
  look_for_barrier (self->cta);
  give_way ();
  return (int) self->value;
}

void
meet_cluster (const char *file, unsigned line)
{
  Thread *self = (Thread *) here;
  self->file = file;
  self->line = line;
  self->state = AT_CLUSTER;
  self->cta->waiting_for_cluster++;
  look_for_cluster ();
  give_way ();
}

void
yield ()
{
  atomics_left = shuffled ? 1 + random_below (ATOMICS_A_TURN) : ATOMICS_A_TURN;
  enqueue ((Thread *) here);
  give_way ();
}

void
may_yield ()
{
  if (atomics_left-- <= 1)
    yield ();
}

void
wait_for_previous_kernel ()
{
  ((Thread *) here)->cta->waited_for_previous = true;
}

bool
get_moment (Moment *moment)
{
  const Thread *self = (const Thread *) here;
  if (!runs_grid || !self)
    return false;
  Cta *cta = self->cta;
  const char *stack = (const char *) self->fiber.stack;
  *moment = {cta->number, kernel_cta, self->index, cta->barriers, cta->warps[self->index / 32].syncs, &cta->seen, stack,
      stack + self->fiber.stack_size};
  return true;
}

void
run_grid (const Grid &g)
{
  read_seed ();
  watch ();
  fiber_adopt (&main_fiber);
  grid = &g;
  kernel_name = nullptr;
  gridDim = g.grid;
  blockDim = g.block;
  const size_t at_once = g.cluster > 1 ? g.cluster : shuffled ? INTERLEAVED_CTAS : 1;
  if (ctas.size () < at_once)
    ctas.resize (at_once);

  const unsigned long long count = (unsigned long long) g.grid.x * g.grid.y * g.grid.z;
  std::vector<unsigned long long> order (shuffled && g.cluster == 1 ? count : 0);
  for (size_t i = 0; i < order.size (); i++) {
    const size_t other = random_below ((uint32_t) (i + 1));
    order[i] = order[other];
    order[other] = i;
  }
  unsigned long long started = 0;
  kernel_cta = ctas_started + 1;
  runs_grid = true;
  for (;;) {
    bool busy = false; /* a cluster starts when the one before it is done */
    for (const Cta &cta : ctas)
      busy = busy || (g.cluster > 1 && cta.live > 0);
    for (size_t i = 0; i < at_once && !busy; i++)
      if (ctas[i].live == 0 && started < count) {
        start_cta (&ctas[i], order.empty () ? started : order[started]);
        started++;
      }
    here = dequeue ();
    if (!here)
      break;
    fiber_switch (&main_fiber, &((Thread *) here)->fiber, false);
    /* No thread can go on, in none of the CTAs. */
    for (const Cta &cta : ctas)
      if (cta.live > 0) {
        fprintf (stderr, "CUDA emulation: the threads wait for each other, or for some that have ended.\n");
        here = nullptr;
        print_place ();
        print_threads (cta);
        abort ();
      }
    ctas_done++;
  }
  runs_grid = false;
  grid = nullptr;
}

} // namespace emulation
